//! The end of a shell: its exit code, or the signal that ended it, by number and name.

pub use crate::sys::Ending;

/// The exit code of what a signal ended, less the signal's number.
const SIGNAL_CODE: i32 = 128;

impl Ending {
    /// Returns the exit code by which a shell says it of a program.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(number) => SIGNAL_CODE + number,
        }
    }
}

/// Returns the name of the signal with that number; the real-time ones share one.
///
/// ```
/// assert_eq!(cutline::process::signal_name(9), "SIGKILL");
/// assert_eq!(cutline::process::signal_name(35), "SIGRT");
/// ```
#[cfg(unix)]
pub fn signal_name(number: i32) -> &'static str {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;
    use std::sync::LazyLock;

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

/// Returns the name of the signal with that number: a process is only ever killed here.
#[cfg(windows)]
pub fn signal_name(_: i32) -> &'static str {
    "SIGKILL"
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_its_name() {
        // As `kill -l` has them, but for those that the systems number differently.
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
