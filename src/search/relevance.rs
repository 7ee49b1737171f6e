//! Scores the relevance of results: of match lines for grep, and of paths for find (`name`).
//!
//! The score of a match line is a sum of points: for what the line does with the matched name (definitions are those of
//! `cutline_core::outline`), for whether the match is a whole name, and for the path of the file. This module does no
//! I/O.

#![expect(clippy::indexing_slicing, reason = "matches and names are inside their line")]

mod name;

use std::ops::Range;

use cutline_core::outline::{Language, is_name_byte};
pub use name::NameScorer;

/// Points of a line that defines the name.
const DEFINES: i32 = 1200;
/// Points of a line that adds to a type.
const EXTENDS: i32 = 800;
/// Points of a line that gives the name a value.
const ASSIGNS: i32 = 600;
/// Points of a line that uses the name.
const USES: i32 = 400;
/// Points of a line that imports the name, contains it in a comment, or has it after [`EXAMINED_BYTES`].
const IMPORTS: i32 = 100;

/// Points if the file has the matched name, or if it is the main file of a folder with that name.
const FILE_IS_NAMED: i32 = 80;
/// Points if the name of the file contains the matched name, or the reverse.
const FILE_IS_NEAR: i32 = 30;
/// Negative points if the match is only a part of a longer name.
const PART_OF_NAME: i32 = -150;
/// Negative points for a line of at least this many bytes, which nobody wrote by hand.
const LONG_LINE: (usize, i32) = (400, -350);
/// Negative points for tests, examples, documents, third-party and generated code.
const LOWER: i32 = -455;
/// Number of bytes at the start of a line in which a name must end. What the line does with a later name is not
/// examined.
const EXAMINED_BYTES: usize = 1024;
/// Negative points for each folder above the file, up to ten.
const FOLDER: i32 = -1;

/// Names of folders whose files rank lower, in lower case.
const LOWER_FOLDERS: &str = "__fixtures__ __mocks__ __tests__ bench benches benchmark benchmarks cjs demo demos dist doc docs \
    documentation e2e esm example examples fixtures generated lib.commonjs lib.esm locale locales \
    node_modules sample samples site-packages spec specs test testdata tests third-party third_party \
    thirdparty umd unittests vendor vendored";
/// Parts of file names that rank lower, in lower case. Those that begin with a letter are at the start of the name.
const LOWER_NAMES: &str = "test_ _test. _tests. .test. .test-d. .spec. _spec. .bench. _unittest. conftest. .stories. .min. \
    .snap .map .pb. _pb2. _pb2_grpc. _generated. zz_generated .lock -lock. changelog readme .md .mdx \
    .rst .adoc .txt .patch .diff .po .pot .xlf";
/// Starts of lines that are comments.
const COMMENTS: &[&[u8]] = &[b"//", b"/*", b"* ", b"# ", b"--", b";", b"<!--", b"\"\"\""];
/// First words of lines that import names.
const IMPORT_WORDS: &[&[u8]] =
    &[b"import", b"from", b"use", b"using", b"#include", b"include", b"require", b"package"];
/// Names of files that represent their folder.
const MAIN_FILES: &[&[u8]] = &[b"mod", b"index", b"init", b"main", b"lib", b"package"];

/// Returns the part of the last name in a match that is in the match, or `None` if the match contains no name.
fn last_name(line: &[u8], found: &Range<usize>) -> Option<Range<usize>> {
    let end = found.start + line[found.clone()].iter().rposition(|&byte| is_name_byte(byte))? + 1;
    let before = line[found.start..end].iter().rposition(|&byte| !is_name_byte(byte));
    Some(before.map_or(found.start, |at| found.start + at + 1)..end)
}

/// Returns the complete name around `part`.
fn name_around(line: &[u8], part: &Range<usize>) -> Range<usize> {
    let before = line[..part.start].iter().rev().take_while(|&&byte| is_name_byte(byte)).count();
    let after = line[part.end..].iter().take_while(|&&byte| is_name_byte(byte)).count();
    part.start - before..part.end + after
}

/// Scores the lines of one file, with facts about its path.
#[derive(Debug)]
pub struct FileScorer {
    language: Option<&'static Language>,
    /// Points for the location of the file.
    location: i32,
    /// The file name without extensions and separators, in lower case.
    stem: Vec<u8>,
    /// The same for the folder, if the file name alone is not significant: `mod.rs`, `index.ts`.
    folder: Vec<u8>,
}

impl FileScorer {
    /// Creates a scorer for the file at `path`.
    pub fn new(path: &[u8]) -> Self {
        let path = path.strip_suffix(b"/").unwrap_or(path).to_ascii_lowercase();
        let mut folders: Vec<&[u8]> = path.split(|&byte| byte == b'/').collect();
        let name = folders.pop().unwrap_or_default();
        let stem = bare(name.split(|&byte| byte == b'.').find(|part| !part.is_empty()).unwrap_or_default());
        let language = Language::of_path(&String::from_utf8_lossy(name));
        let is_lower =
            folders.iter().any(|folder| LOWER_FOLDERS.split(' ').any(|lower| lower.as_bytes() == *folder))
                || LOWER_NAMES.split(' ').any(|part| is_in_name(name, part.as_bytes()));
        let depth = i32::try_from(folders.len()).unwrap_or(i32::MAX).min(10);
        let location = if is_lower { LOWER } else { 0 } + depth * FOLDER;
        let folder =
            folders.last().filter(|_| MAIN_FILES.contains(&&*stem)).map_or_else(Vec::new, |name| bare(name));
        Self { language, location, stem, folder }
    }

    /// Returns the score of a line with a match at `found`.
    pub fn score(&self, line: &[u8], found: &Range<usize>) -> i32 {
        let long = if line.len() >= LONG_LINE.0 { LONG_LINE.1 } else { 0 };
        let of_file = self.location + long;
        let Some(matched) = last_name(line, found) else { return of_file + USES };
        let name = name_around(line, &matched);
        let part = if matched == name { 0 } else { PART_OF_NAME };
        of_file + part + self.similarity(&line[name.clone()]) + self.role(line, &name)
    }

    /// Returns the points for what a line does with a name.
    fn role(&self, line: &[u8], name: &Range<usize>) -> i32 {
        let code = line.trim_ascii_start();
        let starts = |text: &[u8], words: &[&[u8]]| words.iter().any(|word| text.starts_with(word));
        let first = code.split(|byte| !is_name_byte(*byte) && *byte != b'#').next().unwrap_or_default();
        let after = line[name.end..].trim_ascii_start();
        let is_required = || {
            after.strip_prefix(b"=").is_some_and(|value| value.trim_ascii_start().starts_with(b"require("))
        };
        if name.end > EXAMINED_BYTES || starts(code, COMMENTS) {
            IMPORTS
        } else if self.language.is_some_and(|language| language.defines(line, name)) {
            DEFINES
        } else if first == b"impl" {
            EXTENDS
        } else if IMPORT_WORDS.contains(&first)
            || is_required()
            || code.trim_ascii_end().strip_suffix(b",") == Some(&line[name.clone()])
        {
            // A line with only the name and a comma is usually a part of an import.
            IMPORTS
        } else if after.starts_with(b"=") && !starts(after, &[b"==", b"=>"]) {
            ASSIGNS
        } else {
            USES
        }
    }

    /// Returns the points for the similarity of the file name to `name`.
    fn similarity(&self, name: &[u8]) -> i32 {
        let name = bare(name);
        let contains =
            |text: &[u8], part: &[u8]| part.len() > 3 && memchr::memmem::find(text, part).is_some();
        if name.is_empty() {
            0
        } else if name == self.stem || name == self.folder {
            FILE_IS_NAMED
        } else if contains(&name, &self.stem) || contains(&self.stem, &name) || contains(&name, &self.folder)
        {
            FILE_IS_NEAR
        } else {
            0
        }
    }
}

/// Returns true if a file name has this part.
fn is_in_name(name: &[u8], part: &[u8]) -> bool {
    if part.first().is_some_and(u8::is_ascii_alphabetic) {
        return name.starts_with(part);
    }
    memchr::memmem::find(name, part).is_some()
}

/// Returns a name in lower case, with only its letters and digits.
fn bare(name: &[u8]) -> Vec<u8> {
    let mut bare = name.to_ascii_lowercase();
    bare.retain(|&byte| is_name_byte(byte) && byte != b'_' && byte != b'$');
    bare
}

#[cfg(test)]
mod tests;
