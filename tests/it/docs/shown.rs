//! Transcripts and outputs on the pages agree with the binary.
//!
//! A `console` block is a transcript: `$ COMMAND` is run by bash, `> TOOL {…}` is a call by a client,
//! and what follows is the answer. A line of `…` alone stands for lines that are left out. A block
//! after `<!-- shows: COMMAND -->` is what that command prints. Each block has a
//! [`ExampleProject`] of its own.

use super::example_project::{ExampleProject, settled};
use super::page::{self, Block};
use crate::support::difference;

/// Line that stands for any lines.
const LEFT_OUT: &str = "…";

#[test]
fn transcripts_match() {
    let mut steps = 0;
    for page in page::all() {
        for block in page.blocks.iter().filter(|block| block.kind == "console") {
            let (project, mut client) = (ExampleProject::new(), None);
            for (asked, expected) in steps_of(block) {
                steps += 1;
                let given = match asked.split_at(2) {
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
                assert_is(&block.place, &asked, &expected, &project.as_named(&given));
            }
        }
    }
    assert!(steps > 10, "there are {steps} steps in all pages");
}

#[test]
fn shown_outputs_match() {
    let mut outputs = 0;
    for page in page::all() {
        for block in &page.blocks {
            let Some(command) = &block.shows else { continue };
            outputs += 1;
            let project = ExampleProject::new();
            let output = project.run(command);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {command}\n{stderr}", block.place);
            let given = project.as_named(&String::from_utf8_lossy(&output.stdout));
            assert_is(&block.place, command, &block.lines.join("\n"), &given);
        }
    }
    assert!(outputs >= 5, "there are {outputs} in all pages");
}

#[test]
fn block_kinds_are_known() {
    for page in page::all() {
        for Block { place, kind, lines, .. } in &page.blocks {
            let text = lines.join("\n");
            match kind.as_str() {
                // YAML is what `cutline config` prints: see `shows`.
                "sh" | "console" | "yaml" => {}
                // Data as it stands, or a line for each record.
                "json" => {
                    let record = |line: &String| serde_json::from_str::<serde_json::Value>(line).is_ok();
                    let fine =
                        serde_json::from_str::<serde_json::Value>(&text).is_ok() || lines.iter().all(record);
                    assert!(fine, "{place}: this is no JSON");
                }
                "toml" => {
                    text.parse::<toml_edit::DocumentMut>().unwrap_or_else(|error| panic!("{place}: {error}"));
                }
                "" | "text" => {
                    let prompt = lines.iter().find(|line| line.starts_with("$ ") || line.starts_with("> "));
                    assert_eq!(prompt, None, "{place}: what is typed belongs into `console` or `sh`");
                }
                other => panic!("{place}: no block is of kind {other:?}"),
            }
        }
    }
}

/// Returns each command or call of a transcript with the answer below it.
fn steps_of(block: &Block) -> Vec<(String, String)> {
    let mut steps: Vec<(String, Vec<&str>)> = Vec::new();
    for line in &block.lines {
        match steps.last_mut() {
            _ if line.starts_with("$ ") || line.starts_with("> ") => steps.push((line.clone(), Vec::new())),
            Some((_, given)) => given.push(line),
            None => panic!("{}: it begins with an answer", block.place),
        }
    }
    assert!(!steps.is_empty(), "{} is empty", block.place);
    steps.into_iter().map(|(asked, given)| (asked, given.join("\n"))).collect()
}

#[track_caller]
fn assert_is(place: &str, asked: &str, expected: &str, given: &str) {
    let lines = |text: &str| text.trim_end().lines().map(settled).collect::<Vec<_>>();
    let (expected, given) = (lines(expected), lines(given));
    if !is(&expected, &given) {
        let (expected, given) = (expected.join("\n"), given.join("\n"));
        panic!("{place}: {asked}\n{}\nin full:\n{given}", difference(&expected, &given));
    }
}

/// True if `given` matches `expected`, in which [`LEFT_OUT`] is one line or more.
fn is(expected: &[String], given: &[String]) -> bool {
    match expected.iter().position(|line| line == LEFT_OUT) {
        None => expected == given,
        Some(at) => {
            let (before, after) = (&expected[..at], &expected[at + 1..]);
            given.starts_with(before)
                && (at + 1..=given.len()).any(|next| given.get(next..).is_some_and(|rest| is(after, rest)))
        }
    }
}

#[test]
fn left_out_is_one_line_or_more() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for (expected, given, same) in [
        ("a b", "a b", true),
        ("a b", "a c", false),
        ("a … d", "a b c d", true),
        ("a … d", "a d", false),
        ("a … d", "a b d e", false),
        ("… b … d", "a b c b c d", true),
        ("a …", "a b", true),
        ("a …", "a", false),
    ] {
        assert_eq!(is(&lines(expected), &lines(given)), same, "{expected}: {given}");
    }
}
