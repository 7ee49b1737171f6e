//! The mark in a command's environment: by it its processes are known, in whatever group or session.

use crate::sys;

/// One server, of all that ever ran on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Server {
    /// Its process number.
    pub(super) id: u32,
    /// Its start, in the system's own unit.
    pub(super) start: u64,
    /// The namespace in which that is its number.
    pub(super) namespace: u64,
    /// Its session, which its commands start in; 0 if the session's leader is in another namespace. Processes that
    /// stay in that session have 0 too, those that leave it have not.
    pub(super) session: u32,
}

impl Server {
    /// Returns this server.
    pub(super) fn this() -> Self {
        let id = std::process::id();
        let process = sys::process_info(id).ok().flatten();
        let (start, session) = process.map_or((0, 0), |process| (process.start, process.session));
        Self { id, start, namespace: sys::pid_namespace(), session }
    }

    /// Returns a new mark for a command: the server, and a random number.
    pub(super) fn new_mark(self) -> String {
        format!("{}{:016x}", self.mark_prefix(), sys::random())
    }

    /// Returns how all marks of its commands begin.
    pub(super) fn mark_prefix(self) -> String {
        format!("{}.{}.{}.{}.", self.id, self.start, self.namespace, self.session)
    }
}
