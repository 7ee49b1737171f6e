//! The exit codes of a command's pipelines.
//!
//! bash stores those of the latest pipeline in `PIPESTATUS`. For a command with a `|`, bash reads a startup file
//! (`BASH_ENV`), which sets two traps: one that runs before each simple command (DEBUG), and one for the end of the shell
//! (EXIT). They append codes to a file that cutline keeps open. The command's text, line numbers, variables and file
//! descriptors do not change, and child processes, functions and subshells inherit nothing. With traps, bash forks for the
//! last command instead of replacing itself with it. A command that could notice more runs without the traps, and its
//! codes are not reported. `docs/tools.md` lists what remains visible.
//!
//! A trap for ended child processes (CHLD) would be faster in loops and cover functions. But bash 5.2 runs it while it
//! expands a command, and can then not parse the next `$(…)` of that command.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use super::Commands;
use crate::fs::own_folder::OwnFolder;
use crate::sys::{self, below};
use cutline_core::notice::PipelineExitCodes;

/// The variable with the path of bash's startup file.
const STARTUP_FILE: &str = "BASH_ENV";
/// The variable with the path of the report, until the startup file removes it.
const REPORT: &str = "CUTLINE_PIPELINES";
/// The name of the startup file.
const STARTUP_NAME: &str = "startup";
/// Variables that change how bash starts.
const STARTUP_VARIABLES: [&str; 3] = [STARTUP_FILE, "POSIXLY_CORRECT", "SHELLOPTS"];
/// Maximum size of a report in bytes.
const MAX_REPORT_BYTES: u64 = 4 << 20;
/// Maximum number of reported pipelines before the last one.
const MAX_EARLIER: usize = 3;
/// Maximum number of stages of a reported pipeline: the lines of all reported ones take half of the limit of notices.
const MAX_STAGES: usize = 16;
/// The exit code of a stage that wrote to a pipe without a reader (SIGPIPE), such as `yes` in `yes | head`. It is no
/// failure.
const SIGPIPE_CODE: i32 = 141;
/// The exit code of `xargs` if a signal ended its program.
const XARGS_SIGNAL_CODE: i32 = 125;
/// The end of the message of `xargs` if the signal is SIGPIPE.
const XARGS_SIGPIPE: &[u8] = b": terminated by signal 13\n";
/// Commands of bash that could notice the report, or change it.
const REVEALING_COMMANDS: [&str; 5] = ["trap", "ulimit", "compgen", "typeset", "declare"];
/// Parts of the names of variables by which a command could do so.
const REVEALING_VARIABLES: [&str; 4] = ["PIPESTATUS", "BASH_ENV", "BASH_XTRACEFD", "BASH_ARG"];
/// Words that a command can follow.
const BEFORE_COMMANDS: [&str; 11] =
    ["then", "do", "else", "elif", "if", "while", "until", "time", "builtin", "command", "eval"];

/// The startup file. Each record of a report starts with an empty word. `.` ends one of an earlier pipeline, and the
/// start of `$_` follows; `=` ends the record of the last pipeline.
///
/// The file and the DEBUG trap preserve `$_`: it is the last argument of their last builtin. In POSIX mode, `unset` is
/// the builtin even if the command defined a function of that name. No failure can change the exit status, and a closed
/// stderr hides error messages and traces.
const STARTUP: &str = r#"eval 'trap -- '\''{ case "${PIPESTATUS[@]}" in *[1-9]*" "*)
\builtin printf "%.9s\0" "" "${PIPESTATUS[@]}" . "$_" >>'"$CUTLINE_PIPELINES"';; esac; } 2>&- || :'\'' DEBUG
trap -- '\''{ __cutline=("${PIPESTATUS[@]}") POSIXLY_CORRECT=1
\unset -f unset builtin printf command_not_found_handle; \builtin printf "%s\0" "" "${__cutline[@]}" =; } 2>&- \
>>'"$CUTLINE_PIPELINES"' || :'\'' EXIT; unset BASH_ENV CUTLINE_PIPELINES #' "$_"
"#;

/// The report of one command. Dropping it removes the file.
#[derive(Debug)]
pub(super) struct PipelineReport {
    startup: PathBuf,
    file: File,
    name: String,
    folder: Arc<OwnFolder>,
}

impl Commands {
    /// Creates the report of `command`. Returns `None` if the command has no pipeline or could notice the report, or if
    /// the file cannot be created.
    pub(super) fn pipeline_report(&self, command: &str) -> Option<PipelineReport> {
        // `sh` reads no startup file.
        let is_bash = self.shell.file_name().is_some_and(|name| name == "bash");
        let is_for_startup = |name: &OsString| STARTUP_VARIABLES.iter().any(|known| name == known);
        let starts_otherwise = || self.environment.variables().any(|(name, _)| is_for_startup(&name));
        if !is_bash || !has_pipe(command) || is_revealing(command) || starts_otherwise() {
            return None;
        }
        let report = self.create_report();
        report.inspect_err(|error| tracing::debug!("no pipeline report: {error}")).ok().flatten()
    }

    /// Returns `None` if the shell would read the path of the report as something else.
    fn create_report(&self) -> io::Result<Option<PipelineReport>> {
        // Locked until the startup file is complete.
        let mut temp = self.temp.lock().unwrap_or_else(PoisonError::into_inner);
        let own = match &*temp {
            Some(folder) => folder,
            None => temp.insert(Arc::new(OwnFolder::temporary()?)),
        };
        let folder = self.sandbox.as_ref().map_or(own, |sandbox| &sandbox.temp);
        is_plain(&folder.path).then(|| PipelineReport::create(own, folder)).transpose()
    }
}

/// Returns true if `command` contains a `|` that is not a part of `||`.
pub fn has_pipe(command: &str) -> bool {
    command.replace("||", "").contains('|')
}

/// Returns `command` without comments and without text in quotes, unless that runs a command (`"$(…)"`). Returns all of it
/// if a quote is not closed, as in the text of a here-document.
pub fn without_quoted(command: &str) -> Cow<'_, str> {
    let (mut kept, mut quoted, mut open) = (String::new(), String::new(), None);
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match open {
            None if c == '#' && (kept.is_empty() || kept.ends_with(char::is_whitespace)) => {
                while chars.next_if(|c| *c != '\n').is_some() {}
            }
            None if "'\"".contains(c) => open = Some(c),
            Some(quote) if quote == c => {
                if c == '"' && (quoted.contains("$(") || quoted.contains('`')) {
                    kept += &quoted;
                }
                (quoted, open) = (String::new(), None);
            }
            _ => {
                let text = if open.is_some() { &mut quoted } else { &mut kept };
                text.push(c);
                text.extend(chars.next_if(|_| c == '\\' && open != Some('\'')));
            }
        }
    }
    if open.is_some() { command.into() } else { kept.into() }
}

/// Returns true if `command` could notice the report, or change it. The name of a command counts where a command can
/// start, with `eval` also in quotes, and not in an argument or a comment.
fn is_revealing(command: &str) -> bool {
    let reveals = |part: &str| {
        let mut words = part.split([' ', '\t', '\\']).filter(|word| !word.is_empty());
        match words.by_ref().find(|word| !BEFORE_COMMANDS.contains(word)) {
            Some("set" | "shopt") => {
                let is_verbose =
                    |option: &str| option == "verbose" || option.starts_with('-') && option.contains('v');
                let first = words.next();
                first.is_none_or(is_verbose) || words.any(is_verbose)
            }
            word => word.is_some_and(|word| REVEALING_COMMANDS.contains(&word)),
        }
    };
    let mut words = command.split(|c: char| !c.is_alphanumeric());
    let outside = if words.any(|word| word == "eval") { command.into() } else { without_quoted(command) };
    let ends = |c| "\n;&|(){}<>`!\"'".contains(c);
    REVEALING_VARIABLES.iter().any(|name| command.contains(name)) || outside.split(ends).any(reveals)
}

/// Returns true if the path is the same text for the shell, whether quoted or not.
fn is_plain(path: &Path) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,".contains(&byte);
    path.to_str().is_some_and(|path| path.bytes().all(is_plain))
}

impl PipelineReport {
    fn create(own: &OwnFolder, folder: &Arc<OwnFolder>) -> io::Result<Self> {
        let of_startup = own.open()?;
        match below::create(&of_startup, STARTUP_NAME) {
            Ok(mut startup) => startup.write_all(STARTUP.as_bytes()).inspect_err(|_| {
                let _without_it = below::remove(&of_startup, STARTUP_NAME.as_bytes());
            })?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let name = format!(".pipelines-{:016x}", sys::random());
        let file = below::create(&*folder.open()?, &name)?;
        Ok(Self { startup: own.path.join(STARTUP_NAME), file, name, folder: Arc::clone(folder) })
    }

    /// Returns the environment variables for the shell.
    pub(super) fn variables(&self) -> [(OsString, OsString); 2] {
        let report = self.folder.path.join(&self.name);
        [(STARTUP_FILE.into(), self.startup.clone().into()), (REPORT.into(), report.into())]
    }

    /// Returns the exit codes of the pipelines. Call it after the shell has exited. Blocks only for the read of one
    /// small file, which the shell has just written.
    pub(super) fn codes(&self) -> io::Result<PipelineExitCodes> {
        let mut bytes = Vec::new();
        (&self.file).take(MAX_REPORT_BYTES).read_to_end(&mut bytes)?;
        Ok(parse(&bytes))
    }
}

impl Drop for PipelineReport {
    fn drop(&mut self) {
        if let Ok(Some(folder)) = self.folder.existing() {
            let _removed_with_the_folder = below::remove(&folder, self.name.as_bytes());
        }
    }
}

/// Parses a report. Skips words that are not part of a record. Lists equal codes in a row once.
fn parse(report: &[u8]) -> PipelineExitCodes {
    let (mut found, mut codes) = (PipelineExitCodes::default(), Vec::new());
    let mut words = report.split(|byte| *byte == 0);
    while let Some(word) = words.next() {
        match word {
            b"." => {
                let codes = std::mem::take(&mut codes);
                if fails_except(&codes, 0) && found.earlier.last() != Some(&codes) {
                    found.earlier.push(codes);
                }
                words.next();
            }
            b"=" => found.last = Some(std::mem::take(&mut codes)).filter(|codes| fails_except(codes, 0)),
            _ => match std::str::from_utf8(word).ok().and_then(|word| word.parse::<u8>().ok()) {
                Some(code) => codes.push(code.into()),
                None => codes.clear(),
            },
        }
    }
    // The DEBUG trap also runs before the commands of the EXIT trap.
    found.earlier.pop_if(|codes| found.last.as_ref() == Some(codes));
    found.earlier.truncate(MAX_EARLIER);
    found
}

/// Returns true if a stage before the last one ended with a code other than 0, SIGPIPE's, and `other`.
fn fails_except(codes: &[i32], other: i32) -> bool {
    let earlier = codes.split_last().map_or(&[][..], |(_last, earlier)| earlier);
    codes.len() <= MAX_STAGES && earlier.iter().any(|code| ![0, SIGPIPE_CODE, other].contains(code))
}

/// Removes the pipelines in which only `xargs` failed, if `output` says that SIGPIPE ended its program. The reader of a
/// pipe that is closed early is no failure.
pub(super) fn remove_broken_xargs(pipelines: &mut PipelineExitCodes, output: &[u8]) {
    if memchr::memmem::find(output, XARGS_SIGPIPE).is_some() {
        pipelines.earlier.retain(|codes| fails_except(codes, XARGS_SIGNAL_CODE));
        pipelines.last.take_if(|codes| !fails_except(codes, XARGS_SIGNAL_CODE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_before_a_last_stage_are_reported() {
        type Codes<'a> = &'a [&'a [i32]];
        let cases: [(&str, Codes<'_>, Option<&[i32]>); 15] = [
            (" 1 0 =", &[], Some(&[1, 0])),
            (" 0 2 1 =", &[], Some(&[0, 2, 1])),
            (" 141 1 0 =", &[], Some(&[141, 1, 0])),
            (" 0 1 =", &[], None),
            (" 141 0 =", &[], None),
            (" 1 =", &[], None),
            ("", &[], None),
            (" 1 0", &[], None),
            (" 256 0 =", &[], None),
            (" 3 0 . x  0 =", &[&[3, 0]], None),
            (" 3 0 .   3 0 . =  3 0 . 1  0 =", &[&[3, 0]], None),
            (" 3 0 . x  1 0 . x  1 0 =", &[&[3, 0]], Some(&[1, 0])),
            (" 141 0 . x  0 =", &[], None),
            ("mine 7 mine  1 0 =", &[], Some(&[1, 0])),
            (" 1 0 . x  2 0 . x  3 0 . x  4 0 . x  0 =", &[&[1, 0], &[2, 0], &[3, 0]], None),
        ];
        for (report, earlier, last) in cases {
            let codes = parse(format!("{report} ").replace(' ', "\0").as_bytes());
            assert_eq!(codes.earlier, earlier, "{report:?}");
            assert_eq!(codes.last.as_deref(), last, "{report:?}");
        }
    }

    #[test]
    fn pipeline_with_more_stages_than_the_limit_is_not_reported() {
        for (stages, is_reported) in [(16, true), (17, false)] {
            let codes = parse(format!("\0{}=\0", "1\0".repeat(stages)).as_bytes());
            assert_eq!(codes.last.is_some(), is_reported, "{stages}");
        }
    }

    #[test]
    fn xargs_whose_program_got_sigpipe_has_not_failed() {
        for (signal, last) in [("13", None), ("9", Some(vec![141, 125, 0]))] {
            let mut codes = parse(" 3 125 0 . x  141 125 0 = ".replace(' ', "\0").as_bytes());
            let output = format!("y\nxargs: echo: terminated by signal {signal}\n");
            remove_broken_xargs(&mut codes, output.as_bytes());
            assert_eq!((codes.earlier, codes.last), (vec![vec![3, 125, 0]], last));
        }
    }

    #[test]
    fn revealing_commands_are_recognized() {
        for command in [
            "trap 'x' EXIT; a | b",
            "a | b; echo ${PIPESTATUS[0]}",
            "ulimit -f 0; a | b",
            "set | b",
            "a; set; b | c",
            "set -v; a | b",
            "set -ev; a | b",
            "set -e -o verbose; a | b",
            "declare -p | b",
            "if a; then trap; fi | b",
            "x=$(trap -p) | b",
            "eval 'trap -p' | b",
            "a | b; echo \"${#PIPESTATUS[@]}\"",
            "grep -rn PIPESTATUS . | b",
            "echo \"$(trap -p)\" | b",
            "cat <<EOF | b\nit's\nEOF\ntrap - EXIT",
        ] {
            assert!(is_revealing(command), "{command:?}");
        }
        for command in [
            "./bootstrap.sh | b",
            "git config set x | b",
            "set -euo pipefail; a | b",
            "set -e; make -v | b",
            "reset | b",
            "npm run set -v | b",
            "node trap.test.js | b",
            "git commit -m 'Fix trap'; a | b",
            "grep -q trap f; a | b # declare it",
            "./trap-signals.sh | b",
            "a | grep -E 'failed|trap|set'",
            "a | grep -E \"get|declare|(set)\"",
            "a | b; # see (trap), don't",
            "# don't stop\na | grep -E 'failed|trap'",
            "python evaluate.py | grep -E 'failed|set'",
        ] {
            assert!(!is_revealing(command), "{command:?}");
        }
    }
}
