//! `cutline doctor` starts the server as a client would, calls each tool, and reports problems of the server, the
//! machine and the clients' files.

mod clients;
mod entry_flags;
mod machine;
mod server;

use anstyle::AnsiColor;
use clap::ArgMatches;

use super::{Options, TOOL_ERROR, print, print_styled, serve, typed};
use cutline_core::text::show;

/// A newline and the indentation of the following lines of a finding.
const FURTHER_LINE: &str = "\n      ";

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

/// Checks the machine, the server and the clients' files. Returns the exit code, which is 1 if something is wrong.
pub(super) fn run(options: &Options, matches: &ArgMatches) -> anyhow::Result<i32> {
    let binary = std::env::current_exe()?;
    let _before_any_process = serve::runtime()?;
    let (mut notes, mut wrong) = (0, 0);
    let mut say = |finding: Finding| {
        let (word, colour, text) = match finding {
            Finding::Fine(text) => ("ok", AnsiColor::Green, text),
            Finding::Note(text) => {
                notes += 1;
                ("note", AnsiColor::Yellow, text)
            }
            Finding::Wrong(text) => {
                wrong += 1;
                ("wrong", AnsiColor::Red, text)
            }
        };
        let style = colour.on_default();
        // File names and contents may come from another person's project. They must not contain escape sequences or
        // imitate a finding.
        let lines: Vec<_> = text.lines().map(|line| show::name(line.as_bytes())).collect();
        let text = lines.join(FURTHER_LINE);
        let _closed = print_styled(&format!("{style}{word:<6}{style:#}{text}\n"));
    };
    machine::look(options, &binary, &mut say);
    server::look(options, &binary, &typed::flags(matches)?, &mut say);
    clients::look(&binary, &mut say);
    print(match (wrong, notes) {
        (0, 0) => "All is well\n".to_owned(),
        (0, 1) => "Nothing is wrong; 1 note\n".to_owned(),
        (0, notes) => format!("Nothing is wrong; {notes} notes\n"),
        (wrong, _) => format!("{wrong} wrong\n"),
    })?;
    Ok(if wrong == 0 { 0 } else { TOOL_ERROR })
}
