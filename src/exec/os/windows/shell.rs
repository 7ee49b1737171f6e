//! How a shell is found and started, and how it ended.
//!
//! A shell is handed its command through its input, not on its command line: each program takes the
//! quotes there apart by rules of its own, and there is a limit to its length. It waits for that, so
//! that it starts nothing before it is in its job; then its input is empty.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

use crate::exec::os::on_path;

/// The signal of a process that was killed, as shells number it.
const KILLED: i32 = 9;
/// No window opens for it (`CREATE_NO_WINDOW`).
const NO_WINDOW: u32 = 0x0800_0000;
/// Reads the command up to its end, and runs it with nothing to read. Where the server is gone before
/// that end, nothing runs. The space is for a command that begins with `-`.
const SCRIPT: &str = r#"IFS= read -r -d '' cutline && exec </dev/null && eval " $cutline""#;
/// What the name of a program may end with.
const ENDINGS: [&str; 4] = ["exe", "com", "cmd", "bat"];
/// Where Git for Windows has its shell, below the folder it is installed in.
const GIT_BASH: &str = r"Git\bin\bash.exe";
/// The variables that say where programs are installed: for all, or for this user.
const INSTALLED: [(&str, &str); 3] =
    [("ProgramFiles", ""), ("ProgramW6432", ""), ("LOCALAPPDATA", "Programs")];

/// Git's bash, where it is installed; else one on `PATH`. That of the system itself is another
/// system's: it runs commands in WSL, where paths are other ones.
pub(in crate::exec) fn find_shell() -> PathBuf {
    let installed = INSTALLED.iter().filter_map(|(variable, below)| {
        Some(PathBuf::from(std::env::var_os(variable)?).join(below).join(GIT_BASH))
    });
    // `git` is in the folder `cmd` of its own.
    let beside_git =
        on_path(Path::new("git")).and_then(|git| Some(git.parent()?.parent()?.join(r"bin\bash.exe")));
    let git = installed.chain(beside_git).find(|bash| bash.is_file());
    let windows = std::env::var_os("SystemRoot").map(PathBuf::from);
    let is_wsl = |bash: &PathBuf| {
        windows.as_ref().is_some_and(|windows| bash.starts_with(windows))
            || bash.iter().any(|part| part == "WindowsApps")
    };
    git.or_else(|| on_path(Path::new("bash")).filter(|bash| !is_wsl(bash)))
        .unwrap_or_else(|| PathBuf::from("bash"))
}

/// What a shell is given, so that it runs what [`let_go`] hands it.
pub(in crate::exec) fn shell_arguments(_: &str) -> Vec<OsString> {
    vec!["-c".into(), SCRIPT.into()]
}

/// An input of its own, and no window.
pub(in crate::exec) fn set_apart(shell: &mut Command) {
    shell.stdin(Stdio::piped()).creation_flags(NO_WINDOW);
}

/// Hands a shell its command. Needs a runtime.
pub(in crate::exec) fn let_go(shell: &mut Child, command: &str) {
    if let Some(mut input) = shell.stdin.take() {
        let command = [command.as_bytes(), b"\0"].concat();
        tokio::spawn(async move {
            let _it_may_have_ended = input.write_all(&command).await;
        });
    }
}

/// How a shell ended: with a code, or by a signal. There are none, but for being killed; and then the
/// system says that all went well.
pub(in crate::exec) fn ending_of(status: Option<ExitStatus>, was_killed: bool) -> Result<i32, i32> {
    status.filter(|_| !was_killed).and_then(|status| status.code()).ok_or(KILLED)
}

/// The program at a path, which may have been written without its ending.
pub(in crate::exec) fn program_at(path: &Path) -> Option<PathBuf> {
    let ends =
        path.extension().is_some_and(|end| ENDINGS.iter().any(|ending| end.eq_ignore_ascii_case(ending)));
    let whole = ends.then(|| path.to_owned());
    let longer = ENDINGS.iter().map(|ending| path.with_added_extension(ending));
    whole.into_iter().chain(longer).find(|path| path.is_file())
}

/// A path as other programs take it: they know no verbatim ones.
pub(in crate::exec) fn as_others_take_it(path: &Path) -> &Path {
    dunce::simplified(path)
}

/// There is no limit worth counting.
pub(in crate::exec) fn most_open_files() -> Option<u64> {
    None
}

/// There is no limit on the size of files that would end a server.
pub(in crate::exec) fn survive_large_files() -> Box<dyn Send> {
    Box::new(())
}
