//! Finding and starting a shell, and its end.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::LazyLock;

use rustix::fs::{Access, access};
use rustix::process::Signal;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};

use crate::sys::{Ending, on_path};

/// The first descriptor after stdin, stdout and stderr.
const FIRST_OTHER_DESCRIPTOR: i32 = 3;

/// `bash`, or `sh` if it is missing.
pub(crate) fn find_shell() -> PathBuf {
    // With a path: for a bare name and a given environment, std uses the slower fork.
    on_path("bash").or_else(|| on_path("sh")).unwrap_or_else(|| PathBuf::from("sh"))
}

/// Returns the arguments with which a shell runs `command`.
pub(crate) fn shell_arguments(command: &str) -> Vec<OsString> {
    // Without `--` a command that begins with `-` would be an option of the shell's.
    vec!["-c".into(), "--".into(), command.into()]
}

/// Returns true if a shell reads the startup file that `BASH_ENV` names. `sh` does not.
pub(crate) fn has_startup_file(shell: &Path) -> bool {
    shell.file_name().is_some_and(|name| name == "bash")
}

/// Puts a shell in a new process group with empty input. A caller that sets an input does so after this.
pub(crate) fn prepare_spawn(shell: &mut Command) {
    shell.stdin(Stdio::null()).process_group(0);
}

/// Closes for every command the inherited descriptors except stdin, stdout and stderr.
pub(crate) fn close_inherited_on_exec() {
    close_fds::set_fds_cloexec(FIRST_OTHER_DESCRIPTOR, &[]);
}

/// Leaves the terminal of the client, so that no command has one: a prompt there would wait for input, and output
/// would mix with the client's. The system refuses this to a process that leads a group.
pub(crate) fn leave_terminal() {
    let _leads_a_group = rustix::process::setsid();
}

/// Does nothing: the shell has begun already.
pub(crate) fn send_command(_: &mut Child, _: &str) {}

/// Returns the end of a shell with that status. One that could not be waited for was killed: it may still be in the
/// system's hands.
pub(crate) fn ending_of(status: Option<ExitStatus>, _was_killed: bool) -> Ending {
    let signal = status.and_then(|status| status.signal()).unwrap_or(Signal::KILL.as_raw());
    status.and_then(|status| status.code()).map_or(Ending::Signal(signal), Ending::Code)
}

/// Returns the name of the signal with that number; the real-time ones share one.
pub(crate) fn signal_name(number: i32) -> &'static str {
    /// The names that std gives the signals of this system, by their numbers, in `signal: 9 (SIGKILL)`.
    static NAMES: LazyLock<Vec<Option<String>>> = LazyLock::new(|| {
        let name = |number| {
            let ending = ExitStatus::from_raw(number).to_string();
            Some(ending.strip_suffix(')')?.split_once('(')?.1.to_owned())
        };
        (0..32).map(name).collect()
    });
    let name = usize::try_from(number).ok().and_then(|number| NAMES.get(number));
    name.and_then(Option::as_deref).unwrap_or("SIGRT")
}

/// Returns the program at a path, where this user may start it.
pub(crate) fn program_at(path: &Path) -> Option<PathBuf> {
    (path.is_file() && access(path, Access::EXEC_OK).is_ok()).then(|| path.to_owned())
}

/// Returns a path as other programs take it.
pub(crate) fn as_others_take_it(path: &Path) -> Cow<'_, Path> {
    Cow::Borrowed(path)
}

/// Has writing past a limit on the size of files fail like on a full disk, from now on, in place of ending the server.
/// Needs a runtime.
pub(crate) fn survive_large_files() {
    let _handled_for_good = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_its_name() {
        // As in `kill -l`, except the signals with different numbers on some systems.
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
