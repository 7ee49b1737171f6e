//! File types by name, such as `rust` or `py`, as in `rg --type`.

use ignore::types::{FileTypeDef, Types, TypesBuilder};

/// Maximum number of similar names in an error.
const NEAR_NAMES: usize = 5;
/// The Jaro-Winkler similarity, from 0 to 1, above which names are similar.
const NEAR: f64 = 0.8;

/// Other names of types.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("bash", "sh"),
    ("c#", "csharp"),
    ("c++", "cpp"),
    ("dockerfile", "docker"),
    ("golang", "go"),
    ("javascript", "js"),
    ("latex", "tex"),
    ("makefile", "make"),
    ("objective-c", "objc"),
    ("powershell", "ps"),
    ("shell", "sh"),
    ("terraform", "tf"),
    ("text", "txt"),
];

/// Types that are probably meant by the name of a language or framework that has none.
const RELATED: &[(&str, &str)] = &[("hcl", "tf"), ("react", "js"), ("react", "ts")];

/// The file types to search.
#[derive(Debug, Clone)]
pub struct FileTypes(Types);

/// An unknown file type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownType {
    /// The name.
    pub name: String,
    /// The types with similar names.
    pub near: Vec<String>,
}

impl FileTypes {
    /// Returns the types with these names or extensions. A file passes if it has any of the types. Without names, no
    /// file passes.
    ///
    /// # Errors
    ///
    /// Returns the first name that is neither in the table nor an extension of a type.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, UnknownType> {
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        let known = builder.definitions();
        for given in names {
            let lower_case = given.trim_start_matches(['*', '.']).to_lowercase();
            let other = OTHER_NAMES.iter().find(|(other, _)| *other == lower_case);
            let name = other.map_or(&*lower_case, |(_, name)| name);
            let glob = format!("*.{name}");
            let is_type = name == "all" || known.iter().any(|one| one.name() == name);
            // An extension is a common name for its types.
            let with_extension =
                known.iter().filter(|one| one.globs().contains(&glob)).map(FileTypeDef::name);
            let selected: Vec<&str> = if is_type { vec![name] } else { with_extension.collect() };
            if selected.is_empty() {
                return Err(UnknownType { name: given.to_owned(), near: near(&known, name) });
            }
            for name in selected {
                builder.select(name);
            }
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

/// Returns the types with names similar to `name`.
fn near(known: &[FileTypeDef], name: &str) -> Vec<String> {
    let likeness = |one: &FileTypeDef| strsim::jaro_winkler(one.name(), name);
    let mut similar: Vec<(f64, &str)> = known.iter().map(|one| (likeness(one), one.name())).collect();
    similar.retain(|(likeness, _)| *likeness > NEAR);
    similar.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let related = RELATED.iter().filter(|(related, _)| *related == name);
    let names = related.map(|(_, name)| *name).chain(similar.into_iter().map(|(_, name)| name));
    names.take(NEAR_NAMES).map(str::to_owned).collect()
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
    fn other_names_and_extensions_are_known() {
        for (name, path) in [
            ("javascript", "a.js"),
            ("yml", "a.yaml"),
            ("Rust", "a.rs"),
            (".tsx", "a.ts"),
            ("rs", "a.rs"),
            ("C++", "a.cpp"),
            ("golang", "a.go"),
            ("latex", "a.tex"),
            ("shell", "a.sh"),
            ("*.kt", "a.kt"),
        ] {
            assert!(types(&[name]).unwrap().selects(path.as_bytes()), "{name}");
        }
        let near = |name: &str| types(&[name]).unwrap_err().near;
        assert_eq!(near("pythn")[0], "python");
        assert_eq!((&near("react")[..2], &*near("hcl")[0]), (&["js".to_owned(), "ts".to_owned()][..], "tf"));
        assert!(near("???").is_empty());
    }
}
