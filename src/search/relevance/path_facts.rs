//! Facts about a path that affect the ranking: the language, the effective name of the file, and whether the location
//! ranks lower.

#![expect(clippy::indexing_slicing, reason = "all ranges come from the same path")]

use cutline_core::source::line::is_name_byte;

use super::table::{self, Language, lower};

/// Facts about a path that apply to all lines of the file.
#[derive(Debug)]
pub(super) struct PathFacts {
    pub(super) language: Language,
    /// Points for the location and kind of the file.
    pub(super) location_points: i32,
    /// The file name without extensions and separators, in lower case.
    stem: Vec<u8>,
    /// The same for the folder, if the file name alone is not significant: `mod.rs`, `index.ts`.
    folder: Vec<u8>,
}

/// Names of files that represent their folder.
const MAIN_FILES: &[&[u8]] = &[b"mod", b"index", b"init", b"main", b"lib", b"package"];

impl PathFacts {
    pub(super) fn new(path: &[u8]) -> Self {
        let lower_case = path.to_ascii_lowercase();
        let path = table::TEMPLATE_ENDINGS
            .iter()
            .fold(&lower_case[..], |path, ending| path.strip_suffix(ending.as_bytes()).unwrap_or(path));
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let mut parts = path.rsplitn(3, |&byte| byte == b'/');
        let name = parts.next().unwrap_or_default();
        let folder = parts.next().unwrap_or_default();
        let ending = name.iter().rposition(|&byte| byte == b'.').map_or(&[][..], |dot| &name[dot + 1..]);
        let stem = bare(name.split(|&byte| byte == b'.').find(|part| !part.is_empty()).unwrap_or_default());
        let language = table::language(ending);
        let folder = if MAIN_FILES.contains(&&*stem) { bare(folder) } else { Vec::new() };
        Self { language, location_points: location_points(path, name, language), stem, folder }
    }

    /// Returns the offset of the effective name: the file's own name, or the folder's name if the file represents the
    /// folder.
    pub(super) fn name_start(&self, path: &[u8]) -> usize {
        let end = path.strip_suffix(b"/").unwrap_or(path);
        let mut slashes = memchr::memrchr_iter(b'/', end);
        let (own, folder) = (slashes.next(), slashes.next());
        let start = if self.folder.is_empty() { own } else { folder };
        start.map_or(0, |slash| slash + 1)
    }

    /// Returns true if `bare_name` is the file name without extensions, or the name of the folder that the file
    /// represents.
    pub(super) fn is_stem(&self, bare_name: &[u8]) -> bool {
        bare_name == self.stem || !self.folder.is_empty() && bare_name == self.folder
    }

    /// Returns the points for the similarity of the file name to `name`.
    pub(super) fn named_like(&self, name: &[u8]) -> i32 {
        let name = bare(name);
        let contains =
            |text: &[u8], part: &[u8]| part.len() > 3 && memchr::memmem::find(text, part).is_some();
        if name.is_empty() {
            0
        } else if name == self.stem || name == self.folder {
            table::FILE_IS_NAMED
        } else if contains(&name, &self.stem) || contains(&self.stem, &name) || contains(&name, &self.folder)
        {
            table::FILE_IS_NEAR
        } else {
            0
        }
    }
}

/// Returns a name in lower case, with only its letters and digits.
pub(super) fn bare(name: &[u8]) -> Vec<u8> {
    let mut bare = name.to_ascii_lowercase();
    bare.retain(|&byte| is_name_byte(byte) && byte != b'_' && byte != b'$');
    bare
}

/// Returns the last component of a path.
pub(super) fn own_name(path: &[u8]) -> &[u8] {
    let end = path.strip_suffix(b"/").unwrap_or(path);
    &end[memchr::memrchr(b'/', end).map_or(0, |slash| slash + 1)..]
}

/// Returns the points of the lowest-ranking location that applies to the path.
fn location_points(path: &[u8], name: &[u8], language: Language) -> i32 {
    let of_kind = if language == Language::Data { table::DATA } else { 0 };
    let folders = path[..path.len() - name.len()].split(|&byte| byte == b'/');
    let of_folders = folders.enumerate().map(|(depth, folder)| {
        // A Python package called `test` is a library for tests.
        let is_library = folder == b"test"
            && depth > 0
            && language == Language::Python
            && !name.starts_with(b"test_")
            && !name.starts_with(b"tests");
        let is_one_of = |names: &[&'static str]| names.iter().any(|name| name.as_bytes() == folder);
        match language {
            _ if is_library => 0,
            Language::Data if is_one_of(table::TRANSLATION_FOLDERS) => lower::TRANSLATION,
            Language::Script if is_one_of(table::BUILT_SCRIPT_FOLDERS) => lower::GENERATED,
            _ => table::folder(folder),
        }
    });
    let starts = table::words(table::LOWER_STARTS).filter(|(_, start)| name.starts_with(start.as_bytes()));
    let is_build = name == b"cmakelists.txt";
    let ends = table::words(table::LOWER_ENDS).filter(|(_, end)| {
        let is_name = end.strip_prefix('/').is_some_and(|end| name == end.as_bytes());
        !is_build && (is_name || name.ends_with(end.as_bytes()))
    });
    let of_name = starts.chain(ends).map(|(points, _)| points);
    of_folders.chain(of_name).min().unwrap_or(0) + of_kind
}
