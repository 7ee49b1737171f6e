//! The mark in a command's environment: by it its processes are known, in whatever group or session. A temp folder has one in
//! its name.

use crate::sys;

/// Identifies one server among all servers that ever ran on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ServerId {
    /// Its process number.
    pub(super) id: u32,
    /// Its start, in the system's own unit.
    pub(super) start: u64,
    /// The PID namespace of its process id.
    pub(super) namespace: u64,
    /// Its session, which its commands start in; 0 if the session's leader is in another namespace. Processes that
    /// stay in that session have 0 too, those that leave it have not.
    pub(super) session: u32,
}

impl ServerId {
    /// Returns this server.
    pub(super) fn this() -> Self {
        let id = std::process::id();
        let process = sys::process_info(id).ok().flatten();
        let (start, session) = process.map_or((0, 0), |process| (process.start, process.session));
        Self { id, start, namespace: sys::pid_namespace(), session }
    }

    /// Returns the server that made a mark.
    pub(super) fn of_mark(mark: &str) -> Option<Self> {
        let [id, start, namespace, session, _random] = mark.split('.').collect::<Vec<_>>()[..] else {
            return None;
        };
        let (id, start) = (id.parse().ok()?, start.parse().ok()?);
        Some(Self { id, start, namespace: namespace.parse().ok()?, session: session.parse().ok()? })
    }

    /// Returns a new mark, for a command or a temp folder: the server, and a random number.
    pub(super) fn new_mark(self) -> String {
        format!("{}{:016x}", self.mark_prefix(), sys::random())
    }

    /// Returns how all marks of its commands begin.
    pub(super) fn mark_prefix(self) -> String {
        format!("{}.{}.{}.{}.", self.id, self.start, self.namespace, self.session)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_names_its_server() {
        let this = ServerId::this();
        assert_eq!(ServerId::of_mark(&this.new_mark()), Some(this));
        assert!(this.new_mark().starts_with(&this.mark_prefix()) && this.new_mark() != this.new_mark());
        for mark in ["", "1.2", "1.2.3.4", "1.2.3.4.5.6", "1.2.3.x.5", "1.2.-3.4.5"] {
            assert_eq!(ServerId::of_mark(mark), None, "{mark}");
        }
    }
}
