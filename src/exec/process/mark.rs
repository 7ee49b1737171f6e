//! The mark in a command's environment: by it its processes are known, wherever they went.

use super::proc;
use super::reserve::Unseen;

/// Which server, of all that ever ran here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) id: u32,
    pub(super) start: u64,
}

impl Server {
    /// This one.
    pub(super) fn this() -> Self {
        let id = std::process::id();
        Self { id, start: proc::one(id).ok().flatten().map_or(0, |process| process.start) }
    }

    /// Whether it still runs, or may.
    pub(super) fn is_alive(self) -> bool {
        match proc::one(self.id) {
            Ok(process) => process.is_some_and(|process| process.start == self.start && !process.ended),
            Err(Unseen) => true,
        }
    }

    /// A new mark for a command: the server's number and start, and what nobody can guess.
    pub(super) fn mark(self) -> String {
        let mut random = [0_u8; 8];
        // It fails only on kernels older than the call; then the counter below is what differs.
        let _filled = rustix::rand::getrandom(&mut random[..], rustix::rand::GetRandomFlags::empty());
        let nth = COMMANDS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.mark_of(&format!("{:016x}{nth:x}", u64::from_ne_bytes(random)))
    }

    /// The mark with that random part.
    pub(super) fn mark_of(self, random: &str) -> String {
        format!("{}.{}.{random}", self.id, self.start)
    }
}

/// How many commands were marked, so that no two marks are ever equal.
static COMMANDS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
