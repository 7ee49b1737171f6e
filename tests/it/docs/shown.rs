//! Transcripts and outputs on the pages agree with the binary.
//!
//! A `console` block is a transcript. bash runs `$ COMMAND`, and a client calls `> TOOL {…}`. The result follows. A line that
//! consists of `…` replaces omitted lines. A block after `<!-- shows: COMMAND -->` is the output of that command. Each block
//! has a separate [`ExampleProject`].

use regex::Regex;
use snapbox::{Assert, IntoData as _, Redactions};

use super::example_project::ExampleProject;
use super::page::{self, Block};

/// Values that differ from run to run.
const VARYING: [(&str, &str); 3] = [
    ("[LOG]", r"cutline-bash-(?<redacted>\w+)\.log"),
    ("[PID]", r"still running: (?<redacted>\d+)"),
    ("[TIME]", r"answered in (?<redacted>[\d.]+\w+)"),
];

#[test]
fn transcripts_match() {
    let mut steps = 0;
    for page in page::all() {
        for block in page.blocks.iter().filter(|block| block.kind == "console") {
            let (project, mut client) = (ExampleProject::new(), None);
            for (step, expected) in steps_of(block) {
                steps += 1;
                let actual = match step.split_at(2) {
                    ("$ ", line) => {
                        let output = project.run(&format!("exec 2>&1; {line}"));
                        String::from_utf8_lossy(&output.stdout).into_owned()
                    }
                    (_, call) => {
                        let (tool, arguments) = call.split_once(' ').unwrap();
                        let client = client.get_or_insert_with(|| project.client());
                        client.call(tool, project.arguments(arguments)).text().to_owned()
                    }
                };
                assert_shown(
                    &format!("{}: {step}", block.place),
                    &expected,
                    &project.with_page_paths(&actual),
                );
            }
        }
    }
    assert!(steps > 2, "only {steps} steps were found");
}

#[test]
fn shown_outputs_match() {
    let mut outputs = 0;
    for block in page::all().iter().flat_map(|page| &page.blocks) {
        let Some(command) = &block.shows else { continue };
        outputs += 1;
        let project = ExampleProject::new();
        let output = project.run(command);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {command}\n{stderr}", block.place);
        let actual = project.with_page_paths(&String::from_utf8_lossy(&output.stdout));
        assert_shown(&format!("{}: {command}", block.place), &block.text, &actual);
    }
    assert!(outputs >= 5, "only {outputs} outputs were found");
}

#[test]
fn blocks_match_their_kind() {
    for Block { place, kind, text, .. } in page::all().iter().flat_map(|page| &page.blocks) {
        let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        let is_valid = match kind.as_str() {
            // YAML is what `cutline config` prints: see `shows`.
            "sh" | "console" | "yaml" => true,
            // One value, or one record on each line.
            "json" => is_json(text) || text.lines().all(is_json),
            "toml" => text.parse::<toml_edit::DocumentMut>().is_ok(),
            // Commands belong in `console` or `sh` blocks.
            "" | "text" => !text.lines().any(|line| line.starts_with("$ ") || line.starts_with("> ")),
            _ => false,
        };
        assert!(is_valid, "{place}: the block is not {kind:?}\n{text}");
    }
}

/// Returns each command or call of a transcript with its result.
fn steps_of(block: &Block) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for line in block.text.lines() {
        if line.starts_with("$ ") || line.starts_with("> ") {
            steps.push((line.to_owned(), String::new()));
        } else {
            let (_, actual) = steps.last_mut().unwrap_or_else(|| panic!("{}: no command first", block.place));
            actual.extend([line, "\n"]);
        }
    }
    steps
}

#[track_caller]
fn assert_shown(place: &str, expected: &str, actual: &str) {
    let mut redactions = Redactions::new();
    redactions.extend(VARYING.map(|(name, pattern)| (name, Regex::new(pattern).unwrap()))).unwrap();
    let ellipsis = |line| if line == "…" { "..." } else { line };
    let expected = expected.trim_end().lines().map(ellipsis).collect::<Vec<_>>().join("\n");
    let expected = redactions.redact(&expected).into_data();
    let assert = Assert::new().normalize_paths(false).redact_with(redactions);
    let shown = assert.try_eq(Some(&"actual"), actual.trim_end().into_data(), expected);
    shown.unwrap_or_else(|difference| panic!("{place}\n{difference}\nin full:\n{actual}"));
}
