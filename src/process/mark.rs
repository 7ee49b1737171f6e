//! The mark in a command's environment: by it its processes are known, wherever they went.

use crate::sys;

/// Which server, of all that ever ran here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) id: u32,
    pub(super) start: u64,
}

impl Server {
    /// This one.
    pub(super) fn this() -> Self {
        Self { id: std::process::id(), start: sys::this_start() }
    }

    /// Its number and start, as they stand in the names of what is its own.
    pub(super) fn name(self) -> String {
        format!("{}-{}", self.id, self.start)
    }

    /// A new mark for a command: the server's number and start, and what nobody can guess.
    pub(super) fn mark(self) -> String {
        // Where the system has nothing that nobody can guess, the counter is what differs.
        let nth = COMMANDS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.mark_of(&format!("{:016x}{nth:x}", sys::random()))
    }

    /// The mark with that random part.
    pub(super) fn mark_of(self, random: &str) -> String {
        format!("{}.{}.{random}", self.id, self.start)
    }
}

/// How many commands were marked, so that no two marks are ever equal.
static COMMANDS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
