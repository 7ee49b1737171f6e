//! Signals that end this process, and signals that its parent ignored or blocked.

use std::io;

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use nix::sys::signal::{SigSet, Signal as Number};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that end the server, with their numbers.
pub(crate) struct Signals(Vec<(i32, Signal)>);

impl Signals {
    /// Returns the number of the next signal that is received.
    pub(crate) async fn next(&mut self) -> i32 {
        let received = self.0.iter_mut().map(|(number, signal)| signal.recv().map(|_| *number).boxed());
        select_all(received).await.0
    }
}

/// Makes commands start with the default action for each signal and with no signal blocked, however this process was
/// started. Call it before another thread starts. Needs a tokio runtime.
///
/// Writing past the limit on file sizes then returns an error, as on a full disk, instead of ending this process.
///
/// The kernel resets a handler when a program starts, but not an ignored signal. So each signal that the parent ignores
/// gets a handler that does nothing. Only `SIGILL`, `SIGFPE` and `SIGSEGV` can have none. `SIGCHLD` always gets one:
/// while it is ignored, this process cannot wait for its children.
pub(crate) fn reset_inherited() -> io::Result<()> {
    SigSet::empty().thread_set_mask()?;
    // Other systems do not report ignored signals. There, the server handles those that end it.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
    let ignored = (1..=64).filter(|number| ignored >> (number - 1) & 1 == 1);
    for number in ignored.chain([Number::SIGXFSZ as i32]) {
        let _refused_for_some = signal(SignalKind::from_raw(number));
    }
    signal(SignalKind::child()).map(drop)
}

/// Returns the signals that are received from now on.
pub(crate) fn signals() -> io::Result<Signals> {
    let kinds = [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
        SignalKind::quit(),
        SignalKind::alarm(),
        SignalKind::user_defined1(),
        SignalKind::user_defined2(),
    ];
    let numbered = |kind: SignalKind| Ok((kind.as_raw_value(), signal(kind)?));
    kinds.into_iter().map(numbered).collect::<io::Result<_>>().map(Signals)
}
