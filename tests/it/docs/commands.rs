//! The commands in the `sh` blocks of the pages succeed. Commands that need only cutline run in an [`ExampleProject`], in the
//! order of the page.

use super::example_project::ExampleProject;
use super::file;
use super::page::{self, Page};

/// The only programs that the test runs.
const RUN: [&str; 3] = ["cutline", "mkdir", "echo"];
/// Commands of cutline that the test does not run.
const NOT_RUN: [&str; 2] = [
    // The example project has no such server. `cli::config` tests this command.
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
    assert!(seen > 3, "only {seen} targets were found");
}

/// Returns the commands in the `sh` blocks of a page in order, each with its location.
fn commands_of(page: &Page) -> Vec<(String, String)> {
    let mut commands = Vec::new();
    for block in page.blocks.iter().filter(|block| block.kind == "sh") {
        let joined = block.text.replace("\\\n", " ");
        // Commands that are joined with `&&` run separately.
        let each = joined.lines().flat_map(|line| line.split(" && "));
        commands.extend(each.map(|command| (block.place.clone(), command.to_owned())));
    }
    commands
}
