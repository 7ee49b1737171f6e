//! Finds and starts a shell, and reports how it ended.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use rustix::fs::{Access, access};
use rustix::process::Signal;
use tokio::process::Command;

/// The first descriptor after stdin, stdout and stderr.
const FIRST_OTHER_DESCRIPTOR: i32 = 3;

/// How a shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The shell exited with this code.
    Code(i32),
    /// This signal killed the shell.
    Signal(i32),
}

/// The exit code of a program that a signal ended, minus the number of the signal.
const SIGNAL_CODE: i32 = 128;

impl Ending {
    /// Returns the exit code that a shell reports for a program.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(number) => SIGNAL_CODE + number,
        }
    }
}

/// `bash`, or `sh` if it is missing.
pub(crate) fn find_shell() -> PathBuf {
    // Use the full path: for a name without a path and a changed environment, std uses the slower fork.
    on_path("bash").or_else(|| on_path("sh")).unwrap_or_else(|| PathBuf::from("sh"))
}

/// Puts a shell in a new process group with empty stdin. Call it before you set another stdin.
pub(crate) fn prepare_spawn(shell: &mut Command) {
    shell.stdin(Stdio::null()).process_group(0);
}

/// Marks all inherited descriptors except stdin, stdout and stderr as close-on-exec, so that commands do not get them.
pub(crate) fn close_inherited_on_exec() {
    close_fds::set_fds_cloexec(FIRST_OTHER_DESCRIPTOR, &[]);
}

/// Leaves the terminal of the client, so that commands have no terminal: a prompt there would wait for input, and
/// output would mix with the client's. The leader of a process group first joins the group of its parent, because a
/// leader cannot start a session. Its process group then has the same number again. The leader of a session keeps its
/// terminal.
pub(crate) fn leave_terminal() {
    use rustix::process::{getpgid, getppid, setpgid, setsid};
    let _leads_a_group = setsid().or_else(|_| {
        setpgid(None, Some(getpgid(getppid())?))?;
        setsid()
    });
}

/// Returns how a shell with this status ended. A shell without a status was killed, and may still be in a system call.
pub(crate) fn ending_of(status: Option<ExitStatus>) -> Ending {
    let signal = status.and_then(|status| status.signal()).unwrap_or(Signal::KILL.as_raw());
    status.and_then(|status| status.code()).map_or(Ending::Signal(signal), Ending::Code)
}

/// Returns the name of the signal with this number. All real-time signals have the same name.
pub(crate) fn signal_name(number: i32) -> &'static str {
    nix::sys::signal::Signal::try_from(number).map_or("SIGRT", nix::sys::signal::Signal::as_str)
}

/// Returns the path of a program that this user can run. Searches `PATH` for a name without a `/`.
pub(crate) fn on_path(program: impl AsRef<Path>) -> Option<PathBuf> {
    let program = program.as_ref();
    let has_folder = program.components().count() > 1;
    // An empty `PATH` is one empty folder.
    let path = std::env::var_os("PATH").filter(|_| !has_folder).unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder| has_folder || folder.is_absolute());
    let is_program = |path: &PathBuf| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    folders.map(|folder| folder.join(program)).find(is_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_its_name() {
        // As in `kill -l`, but without signals whose number differs between systems.
        let alike = [
            (1, "SIGHUP"),
            (2, "SIGINT"),
            (3, "SIGQUIT"),
            (4, "SIGILL"),
            (5, "SIGTRAP"),
            (6, "SIGABRT"),
            (8, "SIGFPE"),
            (9, "SIGKILL"),
            (11, "SIGSEGV"),
            (13, "SIGPIPE"),
            (14, "SIGALRM"),
            (15, "SIGTERM"),
            (24, "SIGXCPU"),
            (25, "SIGXFSZ"),
        ];
        for (number, name) in alike {
            assert_eq!(signal_name(number), name);
        }
        let names: std::collections::BTreeSet<&str> = (1..=31).map(signal_name).collect();
        assert!(names.len() == 31 && !names.contains("SIGRT"), "{names:?}");
        assert_eq!([0, 32, 64, 65, -1].map(signal_name), ["SIGRT"; 5]);
    }
}
