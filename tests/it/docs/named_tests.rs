//! docs/security.md makes no claim without a test: each test that it names is there, and each claim names one.

use std::fs;
use std::path::Path;

use super::file;
use super::page;

/// Sections in which each claim names a test: each paragraph, each item of a list, each row of a table.
const CLAIMS: [&str; 8] = [
    "## Files",
    "## Saved outputs",
    "## What a start removes and ends",
    "## Commands",
    "## The sandbox",
    "## Nothing left running",
    "## What a wrap sees and writes",
    "## Bounds",
];

/// Sections that claim nothing of their own, and the words by which they say so.
const OTHERS: [(&str, &str); 6] = [
    ("## The threat model", "what is meant to hold"),
    ("## What the sandbox does not hold", "None of this is held"),
    ("## On macOS", "no test shows"),
    ("## On Windows", "the tests that this page names are Unix'"),
    ("## What it is built of", "`.ci/run` holds them to it"),
    ("## Fuzzing", "executions are those of one run"),
];

/// True for the name of a test: its modules, parted by `::`, and its function.
fn is_named(code: &str) -> bool {
    let is_name = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    code.contains("::") && code.split("::").all(is_name)
}

/// True if there is a test of that name: in the files of its modules, below `tests/it` or `src`.
fn is_there(name: &str) -> bool {
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

#[test]
fn named_tests_exist() {
    let named: Vec<(String, String)> =
        page::one("docs/security.md").code.into_iter().filter(|(_, code)| is_named(code)).collect();
    assert!(named.len() > 60, "{} are named", named.len());
    let missing: Vec<_> = named.iter().filter(|(_, name)| !is_there(name)).collect();
    assert!(missing.is_empty(), "there is no such test: {missing:#?}");
    assert!(!is_there("boundaries::no_such_test") && !is_there("no_such_module::no_tool_leaves_the_roots"));
}

#[test]
fn each_claim_names_a_test() {
    let text = file("docs/security.md");
    let section = |heading: &str| {
        let start = text.find(&format!("\n{heading}")).unwrap_or_else(|| panic!("no section {heading}"));
        let (_, section) = text[start + 1..].split_once('\n').unwrap();
        section.split("\n## ").next().unwrap()
    };
    for (heading, words) in OTHERS {
        assert!(section(heading).contains(words), "{heading} does not say: {words}");
    }
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    let is_known = |heading: &&&str| {
        CLAIMS.iter().chain(OTHERS.iter().map(|(other, _)| other)).any(|known| heading.starts_with(known))
    };
    assert_eq!(headings.iter().filter(is_known).count(), headings.len(), "{headings:#?}");
    let mut seen = 0;
    for heading in CLAIMS {
        // An item begins a claim of its own, as a row does.
        let claims = section(heading).replace("\n- ", "\n\n- ").replace("\n| ", "\n\n| ");
        let said = claims.split("\n\n").map(str::trim).filter(|claim| !claim.is_empty());
        let rows_head = |claim: &str| claim.ends_with("shown by |") || claim.starts_with("| ---");
        for claim in said.filter(|claim| !rows_head(claim)) {
            seen += 1;
            let names_one = claim.split('`').skip(1).step_by(2).any(is_named);
            let is_lead = claim.ends_with(':') || claim.starts_with("Not ");
            assert!(names_one || is_lead, "{heading}: no test is named for\n{claim}");
        }
    }
    assert!(seen > 75, "{seen} claims were seen");
}
