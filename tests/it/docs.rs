//! Tests of the documentation. The pages describe every text, field and flag of the code. The commands of the pages work, and
//! the binary prints the output that the pages show. CONTRIBUTING.md describes how to write a page for these tests.

mod client_pages;
mod commands;
mod example_project;
mod faq;
mod install_links;
mod links;
mod measured;
mod named_tests;
mod page;
mod quotes;
mod shown;
mod tools_page;

use std::fs;
use std::path::Path;
use std::process::Command;

/// The files with the texts of the notices.
const NOTICES: [&str; 5] = [
    "core/src/notice.rs",
    "core/src/notice/result_text.rs",
    "core/src/notice/parts.rs",
    "core/src/notice/shown.rs",
    "src/tools/notice.rs",
];

fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Returns the string literals of Rust code. Literals that continue on the next line are joined.
fn literals(code: &str) -> Vec<String> {
    let code = code.split("#[cfg(test)]").next().unwrap_or_default();
    let is_code = |line: &&str| !line.trim_start().starts_with("//") && !line.contains("reason = ");
    let code: String = code.lines().filter(is_code).collect();
    let parts = code.replace("\\\"", "\u{1}");
    parts.split('"').skip(1).step_by(2).map(|text| text.replace('\u{1}', "\"")).collect()
}

/// Returns the longest part of a format string between its placeholders, or `None` if it has no words.
fn words(format: &str) -> Option<String> {
    let braces = [("{{", "\u{2}"), ("}}", "\u{3}"), ("\\n", "\n")];
    let format = braces.iter().fold(format.to_owned(), |format, (from, to)| format.replace(from, to));
    let pieces = format.split('{').enumerate().map(|(n, piece)| match piece.split_once('}') {
        Some((_value, after)) if n > 0 => after,
        _ => piece,
    });
    let longest =
        pieces.flat_map(|piece| piece.split(['\\', '\n'])).map(str::trim).max_by_key(|piece| piece.len())?;
    let longest = longest.replace('\u{2}', "{").replace('\u{3}', "}");
    (longest.len() > 10 && longest.contains(' ')).then_some(longest)
}

#[track_caller]
fn assert_page_has(page: &str, wanted: impl IntoIterator<Item = String>) {
    assert_pages_have(&[page], wanted);
}

#[track_caller]
fn assert_pages_have(pages: &[&str], wanted: impl IntoIterator<Item = String>) {
    // A `|` in a table is escaped.
    let text = pages.iter().map(|page| file(page)).collect::<String>().replace("\\|", "|");
    let mut seen = 0;
    let missing: Vec<String> =
        wanted.into_iter().inspect(|_| seen += 1).filter(|wanted| !text.contains(wanted.as_str())).collect();
    assert!(seen > 5, "too few texts were checked");
    assert!(missing.is_empty(), "{pages:?} do not have: {missing:#?}");
}

#[test]
fn notices_are_documented() {
    let texts = NOTICES.into_iter().flat_map(|path| literals(&file(path)));
    assert_pages_have(&["docs/tools.md", "docs/wrap.md"], texts.filter_map(|text| words(&text)));
}

#[test]
fn errors_are_documented() {
    let texts = literals(&file("src/tools/error.rs"));
    assert_page_has("docs/tools.md", texts.iter().filter_map(|text| words(text)));
}

#[test]
fn detail_fields_are_documented() {
    let code = file("core/src/details.rs");
    let fields = code.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(": "));
    let names = fields.filter(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
    assert_pages_have(
        &["docs/tools.md", "docs/wrap.md"],
        names.map(|(name, _)| format!("`{}`", camel(name))),
    );
}

#[test]
fn record_fields_are_documented() {
    fn names(value: &serde_json::Value, into: &mut std::collections::BTreeSet<String>) {
        match value {
            serde_json::Value::Object(object) => object.iter().for_each(|(name, value)| {
                into.insert(name.clone());
                names(value, into);
            }),
            serde_json::Value::Array(values) => values.iter().for_each(|value| names(value, into)),
            _ => {}
        }
    }
    let records = "fixtures/stats/day.jsonl";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(records);
    let sums =
        Command::new(env!("CARGO_BIN_EXE_cutline")).args(["stats", "--json"]).arg(path).output().unwrap();
    let mut fields = std::collections::BTreeSet::new();
    for line in file(records).lines().chain([String::from_utf8(sums.stdout).unwrap().as_str()]) {
        names(&serde_json::from_str(line).unwrap(), &mut fields);
    }
    assert!(fields.contains("tokensLeftOut") && fields.contains("spanMinutes"), "{fields:?}");
    assert_page_has("docs/monitoring.md", fields.into_iter().map(|name| format!("{name}`")));
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + &word[..1].to_uppercase() + &word[1..])
}

#[test]
fn flags_on_page_match_binary() {
    let help = Command::new(env!("CARGO_BIN_EXE_cutline")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let flags: Vec<String> = help
        .split_whitespace()
        .filter(|word| word.starts_with("--") && !["--help", "--version"].contains(word))
        .map(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .collect();
    assert_page_has("docs/configuration.md", flags.clone());
    // The page says that the name of a flag gives the name of its variable.
    for flag in &flags {
        let variable = format!("[env: CUTLINE{}=", flag[1..].replace('-', "_").to_uppercase());
        assert!(help.contains(&variable), "{flag} has no {variable}");
    }
    let page = file("docs/configuration.md");
    let items = page.lines().filter_map(|line| line.strip_prefix("- `--")?.split(['`', ' ']).next());
    for flag in items {
        assert!(flags.contains(&format!("--{flag}")), "the page has --{flag}, but --help does not");
    }
}
