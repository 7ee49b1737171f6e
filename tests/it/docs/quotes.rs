//! Texts of the binary that the pages quote: flags, findings of `doctor`, results, records.

use std::collections::BTreeSet;

use serde_json::Value;

use super::example_project::ExampleProject;
use super::{NOTICES, file, literals, page};

/// Returns true for pages for users. All flags on these pages are flags of cutline.
fn is_for_users(path: &str) -> bool {
    path == "README.md" || path.starts_with("docs/clients/") || {
        let pages = ["configuration", "install", "troubleshooting", "security", "tools"];
        pages.iter().any(|page| path == format!("docs/{page}.md"))
    }
}

#[test]
fn mentioned_flags_exist() {
    let project = ExampleProject::new();
    let help = |command| String::from_utf8(project.run(&format!("cutline {command} --help")).stdout).unwrap();
    let help = ["", "call ls", "config", "doctor"].map(help).concat();
    let known: BTreeSet<&str> = help.split([' ', '\n', ',', '=', '[']).collect();
    let mut seen = 0;
    for page in page::all().iter().filter(|page| is_for_users(&page.path)) {
        for (place, code) in page.code.iter().filter(|(_, code)| code.starts_with("--")) {
            for flag in code.split(' ').filter(|word| word.starts_with("--") && word.len() > 2) {
                seen += 1;
                let flag = flag.split('=').next().unwrap();
                assert!(known.contains(flag), "{place}: {code}");
            }
        }
    }
    assert!(seen > 60, "only {seen} quotes were checked");
}

/// Files with texts for the model or for users of `doctor`, in addition to the notices.
const TEXTS: [&str; 12] = [
    "core/src/details.rs",
    "core/src/outline.rs",
    "core/src/truncate/bounds.rs",
    "core/src/truncate/keyed.rs",
    "src/tools/error.rs",
    "src/tools/arguments.rs",
    "src/tools/bash/result.rs",
    "src/tools/grep/causes.rs",
    "src/tools/read/image.rs",
    "src/tools/resolve.rs",
    "src/search/content/pattern.rs",
    "src/cli/doctor.rs",
];
/// Words in quoted texts that are not in the code: a program, keywords and a text of the examples, and a word of a system
/// error.
const OTHER_WORDS: [&str; 6] = ["node", "function", "device", "fn", "struct", "impl"];

#[test]
fn quoted_texts_exist_in_the_code() {
    let known: Vec<String> = NOTICES.iter().chain(&TEXTS).flat_map(|path| literals(&file(path))).collect();
    let known = known.iter().flat_map(|text| text.split(|c: char| !c.is_ascii_alphabetic()));
    let known: BTreeSet<&str> = known.chain(OTHER_WORDS).collect();
    let mut seen = 0;
    for page in ["docs/tools.md", "docs/troubleshooting.md"].map(page::one) {
        for (place, code) in &page.code {
            let finding = code.strip_prefix("note  ").or_else(|| code.strip_prefix("wrong "));
            let begins =
                finding.is_some() || code.starts_with(['[', '(']) || code.starts_with(char::is_uppercase);
            // The shell command in a hint is not a text of cutline.
            let quoted = finding.unwrap_or(code).split("Use bash").next().unwrap();
            if begins && quoted.contains(' ') {
                seen += 1;
                let words = quoted.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
                // Numbers, paths and names are not checked.
                let words = words.filter(|word| word.chars().all(|c| c.is_ascii_lowercase()));
                let unknown: Vec<_> = words.filter(|word| word.len() > 1 && !known.contains(word)).collect();
                assert!(unknown.is_empty(), "{place}: {code}: no text of cutline contains {unknown:?}");
            }
        }
    }
    assert!(seen > 60, "only {seen} quotes were checked");
}

#[test]
fn shown_records_parse() {
    let page = page::one("docs/monitoring.md");
    let records = &page.blocks.iter().find(|block| block.kind == "json").unwrap().text;
    let output = ExampleProject::new().run(&format!("cutline stats --json - << 'END'\n{records}END"));
    let sums: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sums["brokenLines"], 0, "{sums}");
    assert_eq!(sums["total"]["calls"], records.lines().count(), "{sums}");
}
