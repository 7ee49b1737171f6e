//! Every command in the documentation works.
//!
//! A command is a line of an `sh` block, or code in a text that begins with one of [`PROGRAMS`]. It
//! is run in an [`ExampleProject`], the lines of a page one after another, and has to succeed; or it begins as
//! an entry of [`NOT_RUN_HERE`] does. `DIR`, `FILE` and the like stand for one of their kind.
//! `cutline WORD` alone is a mention: of such only the help is asked for.

use std::fs;
use std::path::Path;

use super::example_project::ExampleProject;
use super::page::{self, Page};

/// Programs whose name marks code in a text as a command. In an `sh` block every line is one.
const PROGRAMS: [&str; 7] = ["cutline", "cargo", "rustup", "npx", "claude", "codex", "wsl.exe"];

/// Programs that are run; no other is, whatever a page says.
const RUN: [&str; 3] = ["cutline", "mkdir", "echo"];

/// Placeholders on the pages, each with the value that is tried.
const PLACEHOLDERS: [(&str, &str); 5] = [
    ("WORD", "doctor"),
    ("DIR", "."),
    ("FILE", "~/cutline-calls.jsonl"),
    ("CLIENT", "codex"),
    ("SHELL", "fish"),
];

/// Commands that begin so are not run by this test, because…
const NOT_RUN_HERE: &[(&str, &str)] = &[
    (
        "cargo install",
        "it builds for minutes, what .ci/run builds too; docs/releasing.md says how far it was tried",
    ),
    ("cargo build", "this test runs what it builds"),
    ("cargo test", "this is it, and with flags some of it"),
    ("cargo nextest", "another runner of the same tests, which is not everywhere"),
    ("RUSTFLAGS=\"--cfg cutline_portable\"", "it builds everything a second time, to run these same tests"),
    ("cargo fmt", ".ci/run"),
    ("cargo clippy", ".ci/run"),
    ("RUSTDOCFLAGS=\"-D warnings\" cargo doc", ".ci/run"),
    (
        "cargo +nightly fuzz",
        "it wants nightly and has no end; .ci/run runs the targets on stable with the inputs that are kept",
    ),
    ("cargo publish", "nothing is published by a test"),
    (
        "cargo binstall",
        "it fetches releases, of which there is none; tests/clients/packages.py holds its templates to an archive",
    ),
    ("rustup", "it changes the machine"),
    ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld", "it builds everything for another processor"),
    ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine64", "it builds everything for another system"),
    ("qemu-aarch64-static", "it runs what only a build for another processor makes"),
    ("python3 tests/differential", "ten minutes, with programs that .ci/run installs and runs it with"),
    (
        "python3 packaging/release.py",
        "it wants a release build; tests/clients/packages.py builds and installs the packages",
    ),
    ("npm install", "the same"),
    ("npx -y cutline-mcp", "the same"),
    ("docker", "there is no Docker here; docs/releasing.md says how far the image was tried"),
    ("sha256sum", "it is for the files of a release; tests/clients/packages.py checks those sums"),
    ("for package in", "nothing is published by a test"),
    ("cargo deny", "it wants a network; .ci/run asks for all but the advisories"),
    ("cargo bench", "minutes on a quiet machine; .ci/run compiles the benches"),
    ("CUTLINE_BENCH_DATA=DIR cargo bench", "the same"),
    ("CUTLINE_SOAK_SECS=300 cargo test", "five minutes"),
    ("SCENARIO=read/line cargo test", "this is it, a part of it"),
    ("SCENARIO=ls/errors cargo test", "the same"),
    (".ci/run", "it runs this"),
    (
        "npx @modelcontextprotocol/inspector",
        "tests/clients/inspector.sh runs the Inspector, installed by .ci/run",
    ),
    ("claude mcp", "Claude Code is not here"),
    ("codex mcp", "Codex is not here"),
    ("wsl.exe", "Windows is not here"),
    ("cutline config cursor --max-bytes 20KB --wrap", "the file has no such server; cli::config wraps one"),
    ("cutline config CLIENT --wrap", "the same"),
    ("npx mcp-remote", "it reaches for a server elsewhere"),
    ("cutline wrap", "it fetches a server; tests/it/wrap wraps servers of its own"),
    ("cutline sandboxed", "the server starts it, nobody else; tests/it/sandbox.rs"),
];

#[test]
fn commands_on_pages_succeed() {
    let (mut ran, mut failed, mut met) = (0, Vec::new(), vec![false; NOT_RUN_HERE.len()]);
    for page in page::all() {
        let project = ExampleProject::new();
        for (place, command) in commands_of(&page) {
            let entry = NOT_RUN_HERE.iter().position(|(start, _)| begins(&command, start));
            if let Some(entry) = entry {
                met[entry] = true;
                continue;
            }
            if !RUN.contains(&program(&command)) {
                failed.push(format!("{place}: {command}\n    is neither run here nor known not to be"));
                continue;
            }
            ran += 1;
            let output = project.run(&filled_in(&command));
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                failed.push(format!("{place}: {command}\n    {}: {}", output.status, said.trim()));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(ran > 20, "{ran} commands were run");
    let unmet = NOT_RUN_HERE.iter().zip(met).filter(|(_, met)| !met).map(|((start, _), _)| start);
    let unmet: Vec<_> = unmet.collect();
    assert!(unmet.is_empty(), "no page has these any more: {unmet:?}");
}

/// Checks that targets and manifests named in `cargo` commands exist; the commands are not run.
#[test]
fn cargo_targets_exist() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(top.join("Cargo.toml")).unwrap();
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

/// The commands of a page in their order: those of its blocks, then those in its text.
fn commands_of(page: &Page) -> Vec<(String, String)> {
    let mut commands = Vec::new();
    for block in page.blocks.iter().filter(|block| block.kind == "sh") {
        let joined = block.lines.join("\n").replace("\\\n", " ");
        let lines = joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        // What is run first may be known, what follows on the same line not.
        let each =
            lines.flat_map(|line| line.split(" && ")).map(|line| (block.place.clone(), line.to_owned()));
        commands.extend(each);
    }
    for (place, code) in page.code() {
        let each = code.split(" && ").filter(|part| part.contains(' ') && PROGRAMS.contains(&program(part)));
        for command in each {
            let mention = command.split_whitespace().count() == 2 && command.starts_with("cutline ");
            let command = if mention { format!("{command} --help") } else { command.to_owned() };
            commands.push((place.clone(), command));
        }
    }
    commands
}

/// The first word that is no variable.
fn program(command: &str) -> &str {
    command.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default()
}

fn begins(command: &str, start: &str) -> bool {
    command.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '@']))
}

fn filled_in(command: &str) -> String {
    let word = |word: &str| {
        let found = PLACEHOLDERS.iter().find(|(placeholder, _)| *placeholder == word);
        found.map_or(word, |(_, one)| one).to_owned()
    };
    command.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
