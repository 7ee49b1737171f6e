//! macOS: processes through `sysinfo`, and replacements for functions of Linux.
//!
//! A snapshot can be out of date. Start times are in whole seconds. The pipes of a process and some environments are
//! unknown.

#![expect(clippy::unnecessary_wraps, reason = "they can fail on Linux")]

use std::fs::File;
use std::io::{self, PipeReader, Seek as _};
use std::path::Path;

use sysinfo::{ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System};

use super::{Opened, Process, Unreadable, group};

/// Returns `None`, because this system does not report whether a file is in the cache.
pub(crate) fn read_cached(_: &File, _: usize) -> Option<Vec<u8>> {
    None
}

/// Does nothing, because this system has a fixed pipe capacity.
pub(crate) fn enlarge(_: &PipeReader, _: usize) {}

/// A handle to an open file or folder. `None` for other types, which can't be opened without reading.
pub(super) type PathHandle = Option<File>;

impl Opened {
    /// Returns another handle to the same file, at its start. All these handles share one position, so only use the
    /// newest one.
    pub(crate) fn file(&self) -> io::Result<File> {
        let mut file = self.handle.as_ref().ok_or(io::ErrorKind::Unsupported)?.try_clone()?;
        // Folders have no position, so the error is ignored.
        let _folders_have_none = file.rewind();
        Ok(file)
    }

    /// Returns an error, because this system does not report whether a path is in the cache.
    pub(crate) fn cached(_: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns true, because this system has no PID namespaces.
pub(crate) fn has_process_table() -> bool {
    true
}

/// Returns all processes.
pub(crate) fn list_processes() -> Result<Vec<Process>, Unreadable> {
    let system = refreshed(ProcessesToUpdate::All, ProcessRefreshKind::nothing());
    Ok(system.processes().values().map(seen).collect())
}

/// Returns the process with this id.
pub(crate) fn process_info(id: u32) -> Result<Option<Process>, Unreadable> {
    Ok(with_process(id, ProcessRefreshKind::nothing(), |process| Some(seen(process))))
}

/// Returns 0, because this system has no PID namespaces.
pub(crate) fn pid_namespace() -> u64 {
    0
}

/// Calls `ask` with the process with this id. `what` selects the data to read.
pub(super) fn with_process<T>(
    id: u32,
    what: ProcessRefreshKind,
    ask: fn(&sysinfo::Process) -> Option<T>,
) -> Option<T> {
    let id = sysinfo::Pid::from_u32(id);
    refreshed(ProcessesToUpdate::Some(&[id]), what).process(id).and_then(ask)
}

fn refreshed(which: ProcessesToUpdate<'_>, what: ProcessRefreshKind) -> System {
    let mut system = System::new();
    system.refresh_processes_specifics(which, true, what.without_tasks());
    system
}

fn seen(process: &sysinfo::Process) -> Process {
    let id = process.pid().as_u32();
    Process {
        id,
        start: process.start_time(),
        parent: process.parent().map_or(0, sysinfo::Pid::as_u32),
        group: group(id).unwrap_or(0),
        session: process.session_id().map_or(0, sysinfo::Pid::as_u32),
        name: process.name().to_string_lossy().into_owned(),
        ended: matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead),
        environment: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::{TAG, tag_of};

    #[test]
    fn this_process_is_seen() {
        let own = process_info(std::process::id()).unwrap().unwrap();
        assert_eq!(own.parent, std::os::unix::process::parent_id());
        assert!(!own.ended);
        assert!(list_processes().unwrap().contains(&own));
    }

    #[test]
    fn a_child_is_seen_with_its_tag_until_it_has_ended() {
        let mut command = std::process::Command::new("sleep");
        let mut child = command.arg("600").env(TAG, "1.2.ab").spawn().unwrap();
        // The child may not run its program yet.
        while tag_of(child.id()).unwrap().as_deref() != Some("1.2.ab") {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        while process_info(child.id()).unwrap().is_some_and(|process| !process.ended) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert_eq!(process_info(child.id()).unwrap(), None);
    }
}
