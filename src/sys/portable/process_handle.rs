//! A handle on one process: its number and its start, looked at again before each signal. Between that look
//! and the signal another process could get the number; these systems offer nothing better.

use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::processes::process_info;
use crate::sys::{OutOfDescriptors, pid};

/// The pause between two looks at processes that are to end.
const PAUSE: Duration = Duration::from_millis(5);

/// One process.
pub(crate) struct ProcessHandle {
    pid: Pid,
    id: u32,
    start: u64,
}

impl ProcessHandle {
    /// Returns a handle on exactly that process; `None` where it has ended, or can't be told from others.
    pub(crate) fn on(id: u32, start: u64) -> Result<Option<Self>, OutOfDescriptors> {
        let Some(pid) = pid(id) else { return Ok(None) };
        let handle = Self { pid, id, start };
        Ok(handle.is_alive()?.then_some(handle))
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

/// Waits until one of the processes has ended, at most `pause`; returns for each whether it has.
pub(crate) fn ended(handles: &[ProcessHandle], pause: Duration) -> Result<Vec<bool>, Errno> {
    let until = Instant::now() + pause;
    loop {
        let ended: Vec<bool> = handles.iter().map(|handle| handle.is_alive() == Ok(false)).collect();
        let rest = until.saturating_duration_since(Instant::now());
        if rest.is_zero() || ended.contains(&true) {
            return Ok(ended);
        }
        std::thread::sleep(rest.min(PAUSE));
    }
}
