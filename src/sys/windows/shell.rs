//! Finds and starts a shell, and reports how it ended.
//!
//! A shell gets its command through stdin, not on its command line: each program parses quotes on the command line by
//! its own rules, and the length is limited. The shell waits for stdin, so that no part of the command starts before
//! the shell is in its job. The command itself has empty stdin.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

use super::spelling::shown;
use crate::sys::{Ending, all_on_path, on_path};

/// The signal number that shells use for a killed process.
const KILLED: i32 = 9;
/// Opens no window (`CREATE_NO_WINDOW`).
const NO_WINDOW: u32 = 0x0800_0000;
/// The extensions of programs.
const ENDINGS: [&str; 4] = ["exe", "com", "cmd", "bat"];
/// Variables with folders in which programs are installed, for all users or for this user, and Git's subfolder there.
const INSTALLED: [(&str, &str); 3] =
    [("ProgramFiles", "Git"), ("ProgramW6432", "Git"), ("LOCALAPPDATA", r"Programs\Git")];
/// The path of bash in Git's folder. This is bash itself, not the launcher.
const GIT_BASH: &str = r"usr\bin\bash.exe";
/// Git's names for its two systems, and the folders of their programs.
const GIT_SYSTEMS: [(&str, &str); 2] = [("MINGW64", r"mingw64\bin"), ("CLANGARM64", r"clangarm64\bin")];

/// Returns Git's bash if it is installed. Otherwise returns the first `bash` on `PATH` that is not in the system's
/// folder, because that one runs commands in WSL, with other paths.
pub(crate) fn find_shell() -> PathBuf {
    let installed = INSTALLED.iter().filter_map(|(variable, below)| Some(folder_in(variable)?.join(below)));
    // `git` is in the folder `cmd` or `bin` of its installation.
    let beside_git = on_path("git").and_then(|git| Some(git.parent()?.parent()?.to_owned()));
    let git = installed.chain(beside_git).map(|folder| folder.join(GIT_BASH)).find(|bash| bash.is_file());
    let elsewhere = || all_on_path(Path::new("bash.exe")).find(|bash| !is_of_wsl(bash));
    // Use the full path: for a name without a path, Windows would first search the folder of this program.
    git.or_else(elsewhere).unwrap_or_else(|| Path::new(r"C:\Program Files\Git").join(GIT_BASH))
}

fn folder_in(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())
}

fn is_of_wsl(bash: &Path) -> bool {
    let plain = |path: &Path| path.to_string_lossy().to_lowercase();
    let windows = folder_in("SystemRoot").map(|windows| plain(&windows));
    let bash = plain(bash);
    windows.is_some_and(|windows| bash.starts_with(&windows)) || bash.contains(r"\windowsapps\")
}

/// Returns the arguments with which a shell runs the command from [`send_command`].
///
/// The shell reads a given number of bytes, or up to a NUL if it can't count, and runs them with empty stdin. If the
/// server exits before that, nothing runs. The space before the command is for commands that start with `-`.
pub(crate) fn shell_arguments(command: &str) -> Vec<OsString> {
    let bytes = command.len();
    let script = format!(
        "{{ LC_ALL=C IFS= read -r -N {bytes} cutline 2>/dev/null || IFS= read -r -d '' cutline; }} \
         && exec </dev/null && eval \" $cutline\""
    );
    vec!["-c".into(), script.into()]
}

/// Returns false: the shell reads its command from stdin, so a startup file would run for that shell too.
pub(crate) fn has_startup_file(_: &Path) -> bool {
    false
}

/// Does nothing: programs inherit no handles except through std.
pub(crate) fn close_inherited_on_exec() {}

/// Does nothing: the shell gets no window.
pub(crate) fn leave_terminal() {}

/// Prepares a shell: piped stdin, no window, and for Git's bash the variables that its launcher sets. The shell has no
/// process group; it joins a job after it has started.
pub(crate) fn prepare_spawn(shell: &mut Command) {
    shell.stdin(Stdio::piped()).creation_flags(NO_WINDOW);
    let program = PathBuf::from(shell.as_std().get_program());
    let Some(git) = program.ancestors().nth(3).filter(|_| program.ends_with(GIT_BASH)) else { return };
    let Some((system, programs)) = GIT_SYSTEMS.iter().find(|(_, programs)| git.join(programs).is_dir())
    else {
        return;
    };
    let before = [git.join(programs), git.join(r"usr\bin")];
    let path = std::env::var_os("PATH").unwrap_or_default();
    if let Ok(path) = std::env::join_paths(before.into_iter().chain(std::env::split_paths(&path))) {
        shell.env("PATH", path).env("MSYSTEM", system);
    }
}

/// Sends the command to the shell. Needs a tokio runtime.
pub(crate) fn send_command(shell: &mut Child, command: &str) {
    if let Some(mut input) = shell.stdin.take() {
        let command = [command.as_bytes(), b"\0"].concat();
        // The shell may have ended already.
        tokio::spawn(async move { input.write_all(&command).await });
    }
}

/// Returns how a shell with this status ended. Windows has no signals, and the status of a killed shell reports
/// success.
pub(crate) fn ending_of(status: Option<ExitStatus>, was_killed: bool) -> Ending {
    let code = status.filter(|_| !was_killed).and_then(|status| status.code());
    code.map_or(Ending::Signal(KILLED), Ending::Code)
}

/// Returns the name of the only signal, because processes can only be killed on Windows.
pub(crate) fn signal_name(_: i32) -> &'static str {
    "SIGKILL"
}

/// Returns the program at `path`, which may lack its extension.
pub(crate) fn program_at(path: &Path) -> Option<PathBuf> {
    let ends =
        path.extension().is_some_and(|end| ENDINGS.iter().any(|ending| end.eq_ignore_ascii_case(ending)));
    let whole = ends.then(|| path.to_owned());
    let longer = ENDINGS.iter().map(|ending| path.with_added_extension(ending));
    whole.into_iter().chain(longer).find(|path| path.is_file())
}

/// Returns a path in the form that other programs accept: not verbatim.
pub(crate) fn as_others_take_it(path: &Path) -> Cow<'_, Path> {
    Cow::Owned(PathBuf::from(String::from_utf8_lossy(&shown(path)).into_owned()))
}

/// Does nothing: Windows has no limit on file sizes that ends a process.
pub(crate) fn survive_large_files() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_as_other_programs_take_them() {
        for (path, expected) in
            [(r"\\?\C:\Users\me", "C:/Users/me"), (r"\\?\UNC\server\share\a\b", "//server/share/a/b")]
        {
            assert_eq!(as_others_take_it(Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn bash_of_the_system_belongs_to_wsl() {
        let windows = std::env::var("SystemRoot").unwrap().to_uppercase();
        assert!(is_of_wsl(Path::new(&format!(r"{windows}\System32\bash.exe"))));
        assert!(is_of_wsl(Path::new(r"C:\Users\me\AppData\Local\Microsoft\WindowsApps\bash.exe")));
        assert!(!is_of_wsl(Path::new(r"C:\msys64\usr\bin\bash.exe")));
    }
}
