//! Quotations on the pages agree with the binary: flags, the doctor's findings, the beginnings of answers.

use serde_json::Value;

use super::example_project::ExampleProject;
use super::page;
use super::{file, literals};

/// Pages for who uses cutline: a flag that they name is one of cutline's.
fn is_for_users(path: &str) -> bool {
    path == "README.md" || path.starts_with("docs/clients/") || {
        ["docs/troubleshooting.md", "docs/security.md", "docs/tools.md"].contains(&path)
    }
}

#[test]
fn named_flags_exist() {
    let project = ExampleProject::new();
    let help: Vec<String> = ["", "call ls", "config", "doctor"]
        .iter()
        .map(|command| String::from_utf8(project.run(&format!("cutline {command} --help")).stdout).unwrap())
        .collect();
    let known: Vec<&str> = help.iter().flat_map(|help| help.split([' ', '\n', ',', '='])).collect();
    let mut seen = 0;
    for page in page::all().iter().filter(|page| is_for_users(&page.path)) {
        for (place, code) in page.code().iter().filter(|(_, code)| code.starts_with("--")) {
            for flag in code.split(' ').filter(|word| word.starts_with("--") && word.len() > 2) {
                seen += 1;
                assert!(known.contains(&flag), "{place}: {code}");
            }
        }
    }
    assert!(seen > 60, "{seen} were seen");
}

#[test]
fn quoted_doctor_findings_exist() {
    let sources = ["src/cli/doctor.rs", "src/cli/doctor/machine.rs", "src/cli/doctor/server.rs"];
    let said: Vec<String> = sources.iter().flat_map(|path| literals(&file(path))).collect();
    let pages = page::all();
    let page = pages.iter().find(|page| page.path == "docs/troubleshooting.md").unwrap();
    let mut seen = 0;
    for (place, code) in page.code() {
        let Some(finding) = code.strip_prefix("note  ").or_else(|| code.strip_prefix("wrong ")) else {
            continue;
        };
        seen += 1;
        let words = finding.trim_start_matches(|c: char| c.is_ascii_digit());
        assert!(said.iter().any(|text| text.contains(words)), "{place}: {code}");
    }
    assert!(seen >= 5, "{seen} were seen");
}

#[test]
fn quoted_answers_are_listed() {
    let all = file("docs/tools.md");
    let pages = page::all();
    let page = pages.iter().find(|page| page.path == "docs/troubleshooting.md").unwrap();
    let is_answer = |code: &str| code.starts_with(char::is_uppercase) && code.split(' ').count() > 2;
    let quoted: Vec<_> = page.code().into_iter().filter(|(_, code)| is_answer(code)).collect();
    assert!(quoted.len() >= 4, "{quoted:?}");
    for (place, code) in quoted {
        assert!(all.contains(&code), "{place}: {code} is not in docs/tools.md");
    }
}

#[test]
fn shown_records_parse() {
    let pages = page::all();
    let page = pages.iter().find(|page| page.path == "docs/monitoring.md").unwrap();
    let block = page.blocks.iter().find(|block| block.kind == "json").unwrap();
    let records = block.lines.join("\n");
    let output = ExampleProject::new().run(&format!("cutline stats --json - << 'END'\n{records}\nEND"));
    let sums: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sums["brokenLines"], 0, "{sums}");
    assert_eq!(sums["total"]["calls"], block.lines.len(), "{sums}");
}
