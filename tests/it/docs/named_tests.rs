//! Each claim in docs/security.md has a row with its tests in `security_claims.md`.

use std::fs;
use std::path::Path;

use super::file;

/// The page with the claims.
const PAGE: &str = "docs/security.md";
/// The table with the tests of each claim.
const TABLE: &str = "tests/it/docs/security_claims.md";
/// Sections with claims. Each paragraph, list item and table row is a claim.
const CLAIMS: [&str; 9] = [
    "## Files",
    "## Saved outputs",
    "## Startup cleanup",
    "## Commands",
    "## The sandbox",
    "## Autorun files",
    "## Process cleanup",
    "## Wrapped servers",
    "## Bounds",
];
/// Sections without claims.
const OTHERS: [&str; 5] =
    ["## Summary", "## Threat model", "## Not covered", "## macOS", "## Dependencies and fuzzing"];
/// The head of the table.
const HEAD: &str = "a command | `workspace-write` | `read-only` |";

/// Returns true if `code` has the form of a test name: modules and function, separated by `::`.
fn is_test_name(code: &str) -> bool {
    let is_name = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    code.contains("::") && code.split("::").all(is_name)
}

/// Returns true if a test with this name exists in the files of its modules, below `tests/it` or `src`.
fn exists(name: &str) -> bool {
    let (modules, function) = name.rsplit_once("::").unwrap();
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = [top.join("tests/it"), top.join("src")].into_iter().flat_map(|folder| {
        let own = modules.strip_suffix("::tests").unwrap_or(modules).replace("::", "/");
        [
            folder.join(format!("{own}.rs")),
            folder.join(format!("{own}/tests.rs")),
            folder.join(own).join("mod.rs"),
        ]
    });
    let code: String = files.filter_map(|file| fs::read_to_string(file).ok()).collect();
    let tests = ["test]", "test("].into_iter().flat_map(|attribute| code.split(attribute).skip(1));
    tests
        .filter_map(|after| after.split_once("fn "))
        .any(|(_, test)| test.split('(').next() == Some(function))
}

/// Returns the start of each claim and its tests.
fn table() -> Vec<(String, Vec<String>)> {
    let text = file(TABLE);
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(2);
    let row = |line: &str| {
        let (claim, tests) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
        let tests = tests.split('`').filter(|part| is_test_name(part)).map(str::to_owned).collect();
        Some((claim.to_owned(), tests))
    };
    rows.map(|line| row(line).unwrap_or_else(|| panic!("{TABLE}: not a row: {line}"))).collect()
}

/// Returns the claims of a section, without the characters that start an item or a row.
fn claims(section: &str) -> Vec<String> {
    // An item starts a claim, as a row does.
    let parts = section.replace("\n- ", "\n\n").replace("\n| ", "\n\n");
    let parts =
        parts.split("\n\n").map(str::trim).filter(|part| !part.is_empty() && !part.starts_with("---"));
    parts.filter(|part| *part != HEAD).map(str::to_owned).collect()
}

/// Returns true if `start` is the first cell of the table row `claim`, or the start of another claim.
fn starts_with_text(claim: &str, start: &str) -> bool {
    let after = claim.strip_prefix(start);
    after.is_some_and(|after| after.starts_with(" | ") || !claim.ends_with('|'))
}

#[test]
fn listed_tests_exist() {
    let named: Vec<String> = table().into_iter().flat_map(|(_, tests)| tests).collect();
    assert!(named.len() > 100, "only {} tests are listed", named.len());
    let missing: Vec<_> = named.iter().filter(|name| !exists(name)).collect();
    assert!(missing.is_empty(), "these tests do not exist: {missing:#?}");
    assert!(!exists("boundaries::no_such_test") && !exists("no_such_module::tools_stay_inside_the_roots"));
}

#[test]
fn each_claim_has_a_test() {
    let text = file(PAGE);
    let section = |heading: &str| {
        let start = text.find(&format!("\n{heading}")).unwrap_or_else(|| panic!("no section {heading}"));
        let (_, section) = text[start + 1..].split_once('\n').unwrap();
        section.split("\n## ").next().unwrap()
    };
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    let is_known = |heading: &&&str| CLAIMS.iter().chain(&OTHERS).any(|known| heading.starts_with(known));
    assert_eq!(headings.iter().filter(is_known).count(), headings.len(), "{headings:#?}");
    let claims: Vec<String> = CLAIMS.into_iter().flat_map(|heading| claims(section(heading))).collect();
    assert!(claims.len() > 60, "only {} claims were found", claims.len());
    let table = table();
    for claim in &claims {
        let row = table.iter().find(|(start, _)| starts_with_text(claim, start));
        assert!(row.is_some_and(|(_, tests)| !tests.is_empty()), "{TABLE} has no test for\n{claim}");
    }
    for (start, _) in &table {
        assert!(
            claims.iter().any(|claim| starts_with_text(claim, start)),
            "{PAGE} has no claim that starts with: {start}"
        );
    }
}
