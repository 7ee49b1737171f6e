//! The exit codes of a command's last pipeline.
//!
//! bash stores them in `PIPESTATUS`. cutline creates a startup file (`BASH_ENV`) and keeps it open. The startup file
//! sets an EXIT trap that overwrites this same file with the codes. The command's text, line numbers, variables and
//! file descriptors do not change, and child processes inherit nothing. A command that could notice the difference runs
//! without the trap, and its codes are not reported; `syntax` decides which. `docs/tools.md` lists what remains
//! visible.

mod revealing;
mod syntax;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::environment::Environment;
use super::temp_folder::{TempFolder, TempKind};
use crate::sys::{self, below};

/// The variable with the path of bash's startup file.
const STARTUP_FILE: &str = "BASH_ENV";
/// Variables that change how bash starts.
const STARTUP_VARIABLES: [&str; 3] = [STARTUP_FILE, "POSIXLY_CORRECT", "SHELLOPTS"];
/// Maximum size of a report in bytes: four for each stage.
const MAX_REPORT_BYTES: u64 = 16 * 1024;
/// The exit code of a stage that wrote to a pipe without a reader (SIGPIPE), such as `yes` in `yes | head`. It is no
/// failure.
const SIGPIPE_CODE: i32 = 141;

/// The startup file: the parts before and after its own path.
///
/// It preserves `$_`: the last argument of `eval` is the previous `$_`, which is a comment in the evaluated text. The
/// trap first copies the codes. In POSIX mode, `unset` is the builtin even if the command defined a function of
/// that name. No failure in the trap can change the exit status or write to stderr.
const STARTUP: [&str; 2] = [
    r#"eval 'trap -- '\''{ __cutline=("${PIPESTATUS[@]}") POSIXLY_CORRECT=1;
\unset -f unset builtin printf command_not_found_handle; \builtin printf "%s " "${__cutline[@]}"; } 2>/dev/null >|"#,
    r#" || :'\'' EXIT; unset BASH_ENV #' "$_"
"#,
];

/// The folder for the reports of one server. It is created for the first command with a pipeline.
#[derive(Debug, Default)]
pub(super) struct PipelineReports {
    folder: OnceLock<Option<Arc<TempFolder>>>,
}

/// The report of one command. Dropping it removes the file.
#[derive(Debug)]
pub(super) struct PipelineReport {
    file: File,
    name: String,
    folder: Arc<TempFolder>,
}

impl PipelineReports {
    /// Creates the report of `command`, which `shell` runs with the variables of `environment`. Returns `None` if the
    /// text of the command does not allow a report (see `syntax`), or if the file cannot be created.
    pub(super) fn create(
        &self,
        shell: &Path,
        environment: &Environment,
        command: &str,
    ) -> Option<PipelineReport> {
        if !sys::has_startup_file(shell) || !syntax::can_report(command) {
            return None;
        }
        if environment.variables().any(|(name, _)| STARTUP_VARIABLES.iter().any(|known| name == *known)) {
            return None;
        }
        let create = || TempFolder::create(TempKind::Pipelines).ok().filter(is_plain).map(Arc::new);
        let folder = self.folder.get_or_init(create).as_ref()?;
        PipelineReport::create(folder)
            .inspect_err(|error| tracing::debug!("no pipeline report: {error}"))
            .ok()
    }

    /// Returns the folder, if it was created.
    pub(super) fn folder(&self) -> Option<&Arc<TempFolder>> {
        self.folder.get()?.as_ref()
    }
}

/// Returns true if the path is the same text for the shell, whether quoted or not.
fn is_plain(folder: &TempFolder) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,".contains(&byte);
    folder.path.to_str().is_some_and(|path| path.bytes().all(is_plain))
}

impl PipelineReport {
    fn create(folder: &Arc<TempFolder>) -> io::Result<Self> {
        folder.restore();
        let name = format!("{:016x}", sys::random());
        let file = below::create(&folder.open()?, &name)?;
        let mut report = Self { file, name, folder: Arc::clone(folder) };
        let startup = STARTUP.join(&report.path().to_string_lossy());
        report.file.write_all(startup.as_bytes())?;
        Ok(report)
    }

    /// Returns the path of the file. The shell reads it at its start and overwrites it at its end.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path.join(&self.name)
    }

    /// Returns the environment variable that passes the path of the file to the shell.
    pub(super) fn variable(&self) -> (OsString, OsString) {
        (STARTUP_FILE.into(), self.path().into())
    }

    /// Returns the exit codes of all stages of the last pipeline, in order, if a stage before the last one failed. Call
    /// it after the shell has ended.
    pub(super) fn failed_codes(&mut self) -> Option<Vec<i32>> {
        let mut text = String::new();
        self.file.rewind().ok()?;
        (&self.file).take(MAX_REPORT_BYTES).read_to_string(&mut text).ok()?;
        failed_codes(&text)
    }
}

impl Drop for PipelineReport {
    fn drop(&mut self) {
        if let Ok(folder) = self.folder.open() {
            let _removed_with_the_folder = below::remove(&folder, self.name.as_bytes());
        }
    }
}

/// Parses exit codes, each followed by a space. Returns `None` if no stage before the last one failed.
fn failed_codes(report: &str) -> Option<Vec<i32>> {
    let code = |word: &str| word.parse::<u8>().ok().map(i32::from);
    let codes: Vec<i32> = report.strip_suffix(' ')?.split(' ').map(code).collect::<Option<_>>()?;
    let (_last, earlier) = codes.split_last()?;
    earlier.iter().any(|code| ![0, SIGPIPE_CODE].contains(code)).then_some(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_failure_before_the_last_stage_is_reported() {
        let cases = [
            ("1 0 ", Some(vec![1, 0])),
            ("0 2 1 ", Some(vec![0, 2, 1])),
            ("141 1 0 ", Some(vec![141, 1, 0])),
            ("0 1 ", None),
            ("141 0 ", None),
            ("1 ", None),
            ("", None),
            ("eval 'trap", None),
            ("1 0", None),
            ("1  0 ", None),
            ("256 0 ", None),
            ("-1 0 ", None),
        ];
        for (report, expected) in cases {
            assert_eq!(failed_codes(report), expected, "{report:?}");
        }
    }
}
