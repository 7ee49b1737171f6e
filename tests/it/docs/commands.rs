//! The commands of the pages' `sh` blocks work: those that need nothing but cutline are run in an
//! [`ExampleProject`], the lines of a page one after another, and have to succeed.

use super::example_project::ExampleProject;
use super::file;
use super::page::{self, Page};

/// Programs that are run; no other is, whatever a page says.
const RUN: [&str; 3] = ["cutline", "mkdir", "echo"];
/// Commands of cutline that are not run.
const NOT_RUN: [&str; 2] = [
    // The file has no such server; `cli::config` wraps one.
    "cutline config cursor --max-bytes 20KB --wrap",
    // It downloads a server. `tests/it/wrap` uses local servers.
    "cutline wrap",
];

#[test]
fn commands_on_pages_succeed() {
    let mut ran = 0;
    for page in page::all() {
        let project = ExampleProject::new();
        for (place, command) in commands_of(&page) {
            let is_run = command.split(' ').next().is_some_and(|program| RUN.contains(&program));
            if !is_run || NOT_RUN.iter().any(|start| command.starts_with(start)) {
                continue;
            }
            ran += 1;
            let output = project.run(&command.replace(" DIR ", " . "));
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{place}: {command}\n{}: {stderr}", output.status);
        }
    }
    assert!(ran > 20, "{ran} commands were run");
}

/// Checks that the targets and tests that `cargo` commands name exist; the commands are not run.
#[test]
fn cargo_targets_exist() {
    let manifest = file("Cargo.toml");
    let mut seen = 0;
    for (place, command) in page::all().iter().flat_map(commands_of) {
        let words: Vec<&str> = command.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| ["--bench", "--test"].contains(&pair[0])) {
            seen += 1;
            assert!(manifest.contains(&format!("name = \"{}\"", pair[1])), "{place}: {command}");
        }
    }
    assert!(seen > 3, "{seen} were seen");
}

/// Returns the commands of a page's `sh` blocks in their order, each with its place.
fn commands_of(page: &Page) -> Vec<(String, String)> {
    let mut commands = Vec::new();
    for block in page.blocks.iter().filter(|block| block.kind == "sh") {
        let joined = block.text.replace("\\\n", " ");
        // A test can run the end of a line without its start.
        let each = joined.lines().flat_map(|line| line.split(" && "));
        commands.extend(each.map(|command| (block.place.clone(), command.to_owned())));
    }
    commands
}
