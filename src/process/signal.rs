//! Signals by name.

#[cfg(unix)]
pub use unix::signal_name;

/// The name of the signal with that number: a process is only ever killed here.
#[cfg(windows)]
pub fn signal_name(_: i32) -> &'static str {
    "SIGKILL"
}

#[cfg(unix)]
mod unix {
    use rustix::process::Signal;

    /// The names of the signals that every system has, whatever their numbers there.
    const NAMES: [(Signal, &str); 29] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::CHILD, "SIGCHLD"),
        (Signal::CONT, "SIGCONT"),
        (Signal::STOP, "SIGSTOP"),
        (Signal::TSTP, "SIGTSTP"),
        (Signal::TTIN, "SIGTTIN"),
        (Signal::TTOU, "SIGTTOU"),
        (Signal::URG, "SIGURG"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::VTALARM, "SIGVTALRM"),
        (Signal::PROF, "SIGPROF"),
        (Signal::WINCH, "SIGWINCH"),
        (Signal::IO, "SIGIO"),
        (Signal::SYS, "SIGSYS"),
    ];

    /// Those that this system has beside them.
    #[cfg(target_os = "linux")]
    const MORE: [(Signal, &str); 2] = [(Signal::STKFLT, "SIGSTKFLT"), (Signal::POWER, "SIGPWR")];
    #[cfg(not(target_os = "linux"))]
    const MORE: [(Signal, &str); 2] = [(Signal::EMT, "SIGEMT"), (Signal::INFO, "SIGINFO")];

    /// The name of the signal with that number; the real-time ones share one.
    ///
    /// ```
    /// assert_eq!(cutline::process::signal_name(9), "SIGKILL");
    /// assert_eq!(cutline::process::signal_name(35), "SIGRT");
    /// ```
    pub fn signal_name(number: i32) -> &'static str {
        let mut names = NAMES.iter().chain(&MORE);
        names.find(|(signal, _)| signal.as_raw() == number).map_or("SIGRT", |(_, name)| name)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn every_signal_has_its_name_once() {
            let mut numbers: Vec<i32> =
                NAMES.iter().chain(&MORE).map(|(signal, _)| signal.as_raw()).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (1..=31).collect::<Vec<_>>());
            // As `kill -l` has them.
            let ends = (signal_name(1), signal_name(9), signal_name(13), signal_name(15));
            assert_eq!(ends, ("SIGHUP", "SIGKILL", "SIGPIPE", "SIGTERM"));
        }
    }
}
