//! Every answer that docs/tools.md quotes is one that a test expects: none is made up.
//!
//! The words of a quoted answer have to stand in one line of a test, in their order; what differs
//! from answer to answer (numbers, paths, names) may stand between them.

use std::fs;
use std::path::Path;

use super::file;
use super::page;

/// Answers that no test has in one line, by words of theirs, and where they are expected part by part.
const IN_PARTS: [(&str, &str); 2] = [
    ("arguments are too long", "tests/it/protocol/params.rs"),
    ("background processes of", "tests/it/leftovers.rs"),
];
/// Names in the page's examples.
const NAMES: [&str; 2] = ["node", "GLOB"];

#[test]
fn quoted_answers_are_tested() {
    let expected = expected();
    let mut quoted = 0;
    for (place, code) in
        page::all().iter().filter(|page| page.path == "docs/tools.md").flat_map(page::Page::code)
    {
        // Commands of the shell in a hint are not words.
        let needed = words(code.split("Use bash").next().unwrap_or_default());
        let begins = code.starts_with(['[', '(']) || code.starts_with(char::is_uppercase);
        if !begins || needed.is_empty() {
            continue;
        }
        quoted += 1;
        let somewhere = expected.iter().any(|line| in_order(&needed, line));
        let in_parts = IN_PARTS.iter().find(|(part, _)| code.contains(part));
        let in_parts = in_parts.is_some_and(|(part, test)| file(test).contains(part));
        assert!(somewhere != in_parts, "{place}: {code}: in a line {somewhere}, in parts {in_parts}");
    }
    assert!(quoted > 60, "{quoted} were seen");
}

/// The lines that tests expect, as words.
fn expected() -> Vec<Vec<String>> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in ["fixtures/scenarios", "tests/it", "src", "core/src"] {
        collect(top, Path::new(folder), &mut texts);
    }
    // A string of code or JSON has its lines as `\n`, and ends with `"`.
    let lines = texts.iter().flat_map(|text| text.split(['\n', '"']).flat_map(|line| line.split("\\n")));
    lines.map(words).filter(|words| !words.is_empty()).collect()
}

/// The tests in `folder`, a path below `top`, but for those of the documentation.
fn collect(top: &Path, folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(top.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let (path, named) = (entry.path(), folder.join(entry.file_name()));
        if path.is_dir() {
            if !path.ends_with("docs") {
                collect(top, &named, texts);
            }
            continue;
        }
        let is_test = named.iter().any(|part| part == "tests" || part == "tests.rs");
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => texts.push(fs::read_to_string(&path).unwrap()),
            Some("rs") if is_test => texts.push(fs::read_to_string(&path).unwrap()),
            Some("rs") => {
                let text = fs::read_to_string(&path).unwrap();
                texts.extend(text.split_once("#[cfg(test)]\nmod tests {").map(|(_, tests)| tests.to_owned()));
            }
            _ => {}
        }
    }
}

/// Returns the lower-case words of a text: no numbers, paths or names.
fn words(text: &str) -> Vec<String> {
    let plain = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_word = |word: &&str| word.len() > 1 && word.chars().skip(1).all(|c| c.is_ascii_lowercase());
    plain.filter(is_word).filter(|word| !NAMES.contains(word)).map(str::to_owned).collect()
}

/// True if `line` has all of `needed`, in that order.
fn in_order(needed: &[String], line: &[String]) -> bool {
    let mut rest = line.iter();
    needed.iter().all(|word| rest.any(|other| other == word))
}
