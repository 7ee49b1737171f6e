//! File types by name, such as `rust` or `py`, as in `rg --type`.

use ignore::types::{FileTypeDef, Types, TypesBuilder};

/// Maximum number of similar names in an error.
const NEAR_NAMES: usize = 5;
/// Minimum Jaro-Winkler similarity of similar names.
const NEAR: f64 = 0.8;

/// The file types to search.
#[derive(Debug, Clone)]
pub struct FileTypes(Types);

/// An unknown file type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownType {
    /// The name.
    pub name: String,
    /// The types with this file extension, or types with similar names.
    pub near: Vec<String>,
}

impl FileTypes {
    /// Returns the types with these names. A file passes if it has any of them.
    ///
    /// # Errors
    ///
    /// Returns the first name that is not in the table.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, UnknownType> {
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        let known = builder.definitions();
        for name in names {
            if name != "all" && !known.iter().any(|one| one.name() == name) {
                return Err(UnknownType { name: name.to_owned(), near: near(&known, name) });
            }
            builder.select(name);
        }
        // This cannot fail: every name is in the table, and the globs of the table are valid.
        let types = builder.build();
        types.map(Self).map_err(|error| UnknownType { name: error.to_string(), near: Vec::new() })
    }

    /// Returns true if a file has one of the types. Only the last component of the path counts.
    pub fn selects(&self, path: &[u8]) -> bool {
        // The globs match extensions and names, and `*` also matches the replacement character.
        self.0.matched(&*String::from_utf8_lossy(path), false).is_whitelist()
    }
}

/// Returns the types with the file extension `name`. If there are none, returns types with similar names.
fn near(known: &[FileTypeDef], name: &str) -> Vec<String> {
    let name = name.trim_start_matches(['*', '.']).to_lowercase();
    let glob = format!("*.{name}");
    let by_name = known.iter().filter(|one| one.name() == name);
    let by_extension = known.iter().filter(|one| one.name() != name && one.globs().contains(&glob));
    let exact: Vec<&str> = by_name.chain(by_extension).map(FileTypeDef::name).collect();
    if !exact.is_empty() {
        return exact.into_iter().take(NEAR_NAMES).map(str::to_owned).collect();
    }
    let likeness = |one: &FileTypeDef| strsim::jaro_winkler(one.name(), &name);
    let mut similar: Vec<(f64, &str)> = known.iter().map(|one| (likeness(one), one.name())).collect();
    similar.retain(|(likeness, _)| *likeness > NEAR);
    similar.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    similar.into_iter().take(NEAR_NAMES).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(names: &[&str]) -> Result<FileTypes, UnknownType> {
        FileTypes::new(names.iter().copied())
    }

    #[test]
    fn files_of_any_of_the_types_are_selected() {
        let types = types(&["rust", "py"]).unwrap();
        for (path, is_selected) in [
            ("a.rs", true),
            ("src/a.rs", true),
            ("src/a.py", true),
            ("a.rs/b.txt", false),
            ("rs", false),
            ("a.rst", false),
        ] {
            assert_eq!(types.selects(path.as_bytes()), is_selected, "{path}");
        }
        assert!(types.selects(b"src/\xFF.rs"));
    }

    #[test]
    fn all_selects_every_known_type() {
        let all = types(&["all"]).unwrap();
        assert!(all.selects(b"a.rs") && all.selects(b"Makefile") && !all.selects(b"a.unknown"));
    }

    #[test]
    fn unknown_names_list_near_ones() {
        let near = |name: &str| types(&[name]).unwrap_err().near;
        assert_eq!(near("rs"), ["rust"]);
        assert_eq!(near(".tsx"), ["ts", "typescript"]);
        assert!(near("javascript").contains(&"java".to_owned()));
        assert_eq!(near("pythn")[0], "python");
        assert!(near("???").is_empty());
    }
}
