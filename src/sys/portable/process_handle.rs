//! Which process is meant: its number and its start, looked at again before each signal. Between
//! that look and the signal another one could get the number; no system here has more.

use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::processes::process_info;
use crate::sys::OutOfDescriptors;

/// The pause between two looks at processes that are to end.
const PAUSE: Duration = Duration::from_millis(5);

/// One process.
pub(crate) struct ProcessHandle {
    pid: Pid,
    id: u32,
    start: u64,
}

impl ProcessHandle {
    /// Exactly that process, which has not ended; `None` where it has, or is not to be known for sure.
    pub(crate) fn on(id: u32, start: u64) -> Result<Option<Self>, OutOfDescriptors> {
        let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return Ok(None) };
        let grip = Self { pid, id, start };
        Ok(grip.is_alive()?.then_some(grip))
    }

    /// Whether others need what it takes: it takes nothing.
    #[expect(clippy::unused_self, reason = "elsewhere it takes a descriptor")]
    pub(crate) fn is_spare(&self) -> bool {
        false
    }

    /// Sends it `signal`.
    pub(crate) fn send(&self, signal: Signal) -> Result<(), Errno> {
        match self.is_alive() {
            Ok(true) => kill_process(self.pid, signal),
            Ok(false) | Err(OutOfDescriptors) => Err(Errno::SRCH),
        }
    }

    fn is_alive(&self) -> Result<bool, OutOfDescriptors> {
        Ok(self.start > 0 && process_info(self.id)?.is_some_and(|now| now.start == self.start && !now.ended))
    }
}

/// Waits until one of them has ended, at most `pause`; which of them have.
pub(crate) fn ended(grips: &[&ProcessHandle], pause: Duration) -> Result<Vec<bool>, Errno> {
    let until = Instant::now() + pause;
    loop {
        let ended: Vec<bool> = grips.iter().map(|grip| grip.is_alive() == Ok(false)).collect();
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || ended.contains(&true) {
            return Ok(ended);
        }
        std::thread::sleep(left.min(PAUSE));
    }
}
