//! Signals by name.

/// The names of the signals that every Linux has, from 1.
const NAMES: [&str; 31] = [
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
];

/// The name of the signal with that number; the real-time ones share one.
///
/// ```
/// assert_eq!(cutline::exec::process::signal_name(9), "SIGKILL");
/// assert_eq!(cutline::exec::process::signal_name(35), "SIGRT");
/// ```
pub fn signal_name(number: i32) -> &'static str {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    index.and_then(|index| NAMES.get(index)).copied().unwrap_or("SIGRT")
}
