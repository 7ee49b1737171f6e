//! The tag in the environment of a command. While the command runs, cutline also finds its processes in other groups and
//! sessions by it. The next server finds the processes of a killed server by it. The name of a temp folder contains a
//! tag too.

use crate::sys;

/// Identifies one server among all servers that ever ran on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ServerId {
    /// The process id.
    pub(super) id: u32,
    /// The start time, in the unit of the process table.
    pub(super) start: u64,
    /// The PID namespace of the process id.
    pub(super) namespace: u64,
    /// The session, in which its commands start. It is 0 if the session's leader is in another namespace; processes
    /// that stay in that session then have 0 too, and processes that leave it have another number.
    pub(super) session: u32,
}

impl ServerId {
    /// Returns the id of this server.
    pub(super) fn this() -> Self {
        let id = std::process::id();
        let process = sys::process_info(id).ok().flatten();
        let (start, session) = process.map_or((0, 0), |process| (process.start, process.session));
        Self { id, start, namespace: sys::pid_namespace(), session }
    }

    /// Parses the server out of a tag. Returns `None` if the tag is malformed.
    pub(super) fn of_tag(tag: &str) -> Option<Self> {
        let [id, start, namespace, session, _random] = tag.split('.').collect::<Vec<_>>()[..] else {
            return None;
        };
        let (id, start) = (id.parse().ok()?, start.parse().ok()?);
        Some(Self { id, start, namespace: namespace.parse().ok()?, session: session.parse().ok()? })
    }

    /// Returns a new tag for a command or a temp folder: the server and a random number.
    pub(super) fn new_tag(self) -> String {
        format!("{}{:016x}", self.tag_prefix(), sys::random())
    }

    /// Returns the prefix of all tags of this server.
    pub(super) fn tag_prefix(self) -> String {
        format!("{}.{}.{}.{}.", self.id, self.start, self.namespace, self.session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_identifies_its_server() {
        let this = ServerId::this();
        assert_eq!(ServerId::of_tag(&this.new_tag()), Some(this));
        assert!(this.new_tag().starts_with(&this.tag_prefix()) && this.new_tag() != this.new_tag());
        for tag in ["", "1.2", "1.2.3.4", "1.2.3.4.5.6", "1.2.3.x.5", "1.2.-3.4.5"] {
            assert_eq!(ServerId::of_tag(tag), None, "{tag}");
        }
    }
}
