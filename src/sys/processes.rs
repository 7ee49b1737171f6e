//! Processes: their ids, and whether they are alive.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::process_info;

/// The environment variable with the tag of a command.
pub(crate) const TAG: &str = "CUTLINE_MARK";

/// One process at the time of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    /// The process id. A later process can get the same id.
    pub(crate) id: u32,
    /// The start time, in the unit of the process table. No two processes have the same id and start time.
    pub(crate) start: u64,
    /// The id of the parent process.
    pub(crate) parent: u32,
    /// The id of the process group. It is 0 for a group of another namespace, for example of a process that entered a
    /// container.
    pub(crate) group: u32,
    /// The id of the session. It is 0 for a session of another namespace.
    pub(crate) session: u32,
    /// The name of the program. The system may truncate it.
    pub(crate) name: String,
    /// True for a zombie: it has ended, and its parent has not reaped it.
    pub(crate) ended: bool,
    /// The start and end address of the environment in the memory of the process. They change when the process runs
    /// another program. `None` if unknown.
    pub(crate) environment: Option<(u64, u64)>,
}

/// A process, or the list of all processes, could not be read, so the state is unknown. Usually no file descriptor was
/// free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// Converts a process id to the type of the system calls.
pub(crate) fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Returns false if the process with this id and start time has ended. Returns true if that is unknown.
pub(crate) fn may_be_alive(id: u32, start: u64) -> bool {
    match process_info(id) {
        // A start time of 0 means that the server did not know it.
        Ok(Some(process)) => (start == 0 || process.start == start) && !process.ended,
        // If the system hides processes, it may still exist.
        Ok(None) => pid(id).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH)),
        Err(Unreadable) => true,
    }
}

/// The id of the init process of a namespace. It inherits orphans.
const FIRST_PROCESS: u32 = 1;

/// Returns true if this process inherits orphans, as the init process of its namespace or as a subreaper.
pub(crate) fn inherits_orphans() -> bool {
    #[cfg(target_os = "linux")]
    let is_subreaper = rustix::process::child_subreaper().is_ok_and(|set| set.is_some());
    #[cfg(not(target_os = "linux"))]
    let is_subreaper = false;
    is_subreaper || std::process::id() == FIRST_PROCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_of_another_start_is_not_alive() {
        let id = std::process::id();
        let start = process_info(id).unwrap().unwrap().start;
        assert!(may_be_alive(id, start) && may_be_alive(id, 0));
        assert!(!may_be_alive(id, start + 1));
        assert!(!may_be_alive(4_194_305, start));
    }
}
