//! `cutline doctor` starts this server and each client's entry, and reports problems of the machine and of the entries.

mod clients;
mod session;

use std::path::Path;
use std::process::Command;

use anstyle::AnsiColor;
use anyhow::{Context as _, anyhow};
use clap::ArgMatches;

use super::{NAME, Options, TOOL_ERROR, is_same, print, print_styled, typed};
use crate::fs::workspace::shown;
use crate::process::{self, sandbox};
use crate::tools::error::reason;
use Finding::{Fine, Note, Wrong};
use cutline_core::notice::Count;
use cutline_core::text::show;

/// A newline and the indentation of the following lines of a finding.
const FURTHER_LINE: &str = "\n      ";

/// What the sandbox does not cover on an older kernel.
const UNIX_SOCKETS: &str = "under --sandbox workspace-write a command can bypass the sandbox through any program of this \
    user that listens on a UNIX socket: --sandbox-deny unix-sockets prevents that";

/// The result of one check.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    /// The check passed.
    Fine(String),
    /// The check passed, but the user should know this.
    Note(String),
    /// The check failed.
    Wrong(String),
}

fn finding(result: anyhow::Result<String>) -> Finding {
    result.map_or_else(|error| Wrong(format!("{error:#}")), Fine)
}

/// Checks the machine, the server and the clients' files. Returns the exit code, which is 1 if something is wrong.
pub(super) fn run(options: &Options, matches: &ArgMatches) -> anyhow::Result<i32> {
    let binary = std::env::current_exe()?;
    let mut findings = machine(options, &binary);
    let mut server = Command::new(&binary);
    server.args(typed::flags(matches, Path::to_owned)?);
    let folder = options.roots.first().map_or(Path::new("."), |root| root);
    let started = session::run(server, "cutline-doctor", folder);
    let started = started.map(|text| format!("{NAME} starts with these flags: {text}"));
    findings.push(finding(started.with_context(|| format!("{NAME} does not start with these flags"))));
    findings.extend(clients::findings(&binary));
    let (mut notes, mut wrong) = (0, 0);
    for finding in findings {
        let (word, colour, text) = match finding {
            Fine(text) => ("ok", AnsiColor::Green, text),
            Note(text) => ("note", AnsiColor::Yellow, text),
            Wrong(text) => ("wrong", AnsiColor::Red, text),
        };
        notes += u64::from(word == "note");
        wrong += u32::from(word == "wrong");
        let style = colour.on_default();
        // File names and contents may come from another person's project. They must not contain escape sequences or
        // imitate a finding.
        let lines: Vec<_> = text.lines().map(|line| show::name(line.as_bytes())).collect();
        print_styled(&format!("{style}{word:<6}{style:#}{}\n", lines.join(FURTHER_LINE)))?;
    }
    print(format!("{wrong} wrong, {}\n", Count(notes, "note", "notes")))?;
    Ok(if wrong == 0 { 0 } else { TOOL_ERROR })
}

/// Checks the programs and permissions on this machine that the server needs.
fn machine(options: &Options, binary: &Path) -> Vec<Finding> {
    let mut all = vec![Fine(format!("{NAME} {} is {}", env!("CARGO_PKG_VERSION"), binary.display()))];
    all.push(match process::on_path(NAME) {
        Some(path) if is_same(&path, binary) => Fine(format!("{NAME} is on PATH")),
        Some(other) => Note(format!("on PATH there is another: {}", other.display())),
        None => Note(format!("it is not on PATH: a client needs its path, which `{NAME} config` writes")),
    });
    all.extend(options.roots.iter().map(|root| finding(check_root(root))));
    match options.shared() {
        Err(error) => all.push(Wrong(error.to_string())),
        Ok(shared) => {
            let shell = &shared.commands.shell;
            let is_there = process::is_program(shell) || process::on_path(shell.as_os_str()).is_some();
            all.push(match shell.file_stem() {
                _ if !is_there => Wrong(format!("there is no bash: {} can't be started", shell.display())),
                Some(name) if name == "bash" => Fine(format!("commands run by {}", shell.display())),
                _ => Note(format!("there is no bash on PATH: commands run by {}", shell.display())),
            });
            if let (Some(sandbox), Ok(workspace)) = (&shared.commands.sandbox, options.workspace(&shared)) {
                all.extend(sandbox.warning(&workspace.roots).map(Note));
            }
            let saved = shared.commands.store.try_out();
            let saved = saved.map_err(|error| anyhow!("full outputs cannot be saved: {}", reason(&error)));
            let folder = saved.map(|folder| String::from_utf8_lossy(shown(&folder)).into_owned());
            all.push(finding(folder.map(|folder| format!("full outputs are saved in {folder}"))));
        }
    }
    let is_open = options.sandbox == sandbox::Mode::WorkspaceWrite && options.sandbox_deny.is_empty();
    if let Err(error) = sandbox::probe() {
        all.push(Note(format!("--sandbox is not available here: {error}")));
    } else {
        all.push(Fine("--sandbox can restrict commands".to_owned()));
        all.extend((is_open && !sandbox::knows_unix_sockets()).then(|| Note(UNIX_SOCKETS.to_owned())));
    }
    all
}

/// Returns an error if a folder is not usable as a root.
fn check_root(root: &Path) -> anyhow::Result<String> {
    let read =
        std::fs::read_dir(root).map_err(|error| anyhow!("--root {}: {}", root.display(), reason(&error)));
    read.map(|_| format!("--root {} is a folder that can be read", root.display()))
}
