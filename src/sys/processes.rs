//! Processes, and their parents.

use rustix::process::Pid;

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
    /// The name of the program. The system may truncate it.
    pub(crate) name: String,
    /// True for a zombie: all its threads have ended, and its parent has not reaped it.
    pub(crate) ended: bool,
}

/// Converts a process id to the type of the system calls.
pub(crate) fn pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Makes this process the parent of each descendant whose parent has ended, so that it can find and reap it. Only Linux
/// supports that, and only with a process table can this process reap them.
pub(crate) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if super::has_process_table() {
        let _not_supported = rustix::process::set_child_subreaper(pid(std::process::id()));
    }
}
