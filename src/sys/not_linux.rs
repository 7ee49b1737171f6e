//! The functions that macOS and Windows have in common: processes by `sysinfo`, and what only Linux tells.
//!
//! All of it is a look at what changes meanwhile. Starts are in whole seconds. The pipes of a process are
//! not told, and not every process's environment; on Windows neither groups nor owners.

#![expect(clippy::unnecessary_wraps, reason = "on Linux they may fail")]

use std::fs::File;
use std::io::{self, PipeReader};
use std::path::Path;

#[cfg(unix)]
use sysinfo::UpdateKind;
use sysinfo::{ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System};

#[cfg(unix)]
use crate::sys::MARK;
use crate::sys::{Opened, OutOfDescriptors, Process};

/// Returns `None`: this system does not tell whether a file is in memory.
pub(crate) fn read_cached(_: &File, _: usize) -> Option<Vec<u8>> {
    None
}

/// Does nothing: a pipe has the size that this system gives it.
pub(crate) fn enlarge(_: &PipeReader, _: usize) {}

impl Opened {
    /// Fails: this system does not tell whether all that it takes is in memory.
    pub(crate) fn cached(_: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns true: here process numbers have no namespaces.
pub(crate) fn has_process_table() -> bool {
    true
}

/// Returns all processes.
pub(crate) fn list_processes() -> Result<Vec<Process>, OutOfDescriptors> {
    let system = refreshed(ProcessesToUpdate::All, ProcessRefreshKind::nothing());
    Ok(system.processes().values().map(seen).collect())
}

/// Returns the process with that number.
pub(crate) fn process_info(id: u32) -> Result<Option<Process>, OutOfDescriptors> {
    Ok(told_of(id, ProcessRefreshKind::nothing(), |process| Some(seen(process))))
}

/// Returns the mark in the environment that a process was started with.
#[cfg(unix)]
pub(crate) fn mark_of(id: u32) -> Result<Option<String>, OutOfDescriptors> {
    let mark = |entry: &str| Some(entry.strip_prefix(MARK)?.strip_prefix('=')?.to_owned());
    Ok(told_of(id, ProcessRefreshKind::nothing().with_environ(UpdateKind::Always), |process| {
        process.environ().iter().find_map(|entry| mark(entry.to_str()?))
    }))
}

/// Returns the number of the user that a process runs as.
#[cfg(unix)]
pub(crate) fn owner(id: u32) -> Option<u32> {
    let user = ProcessRefreshKind::nothing().with_user(UpdateKind::Always);
    told_of(id, user, |process| process.effective_user_id().map(|user| **user))
}

/// Returns 0: here process numbers have no namespaces.
pub(crate) fn pid_namespace() -> u64 {
    0
}

/// Returns nothing: this system does not tell the pipes of a process.
#[cfg(unix)]
pub(crate) fn pipes(_: u32) -> Result<Vec<u64>, OutOfDescriptors> {
    Ok(Vec::new())
}

/// Returns false: this system does not tell the pipes of a process.
#[cfg(unix)]
pub(crate) fn has_lost_its_reader(_: u32) -> bool {
    false
}

/// Returns what `ask` tells of the process with that number, of which `what` is looked at.
fn told_of<T>(
    id: u32,
    what: ProcessRefreshKind,
    ask: impl FnOnce(&sysinfo::Process) -> Option<T>,
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

/// Returns the process group of a process.
#[cfg(target_os = "macos")]
fn group(id: u32) -> Option<u32> {
    let group = rustix::process::getpgid(Some(crate::sys::pid(id)?)).ok()?;
    Some(group.as_raw_nonzero().get().unsigned_abs())
}

/// Returns 0: here processes have no groups.
#[cfg(windows)]
fn group(_: u32) -> Option<u32> {
    None
}

/// The same on Linux, where a group may have no number here: that of a process of another namespace.
#[cfg(target_os = "linux")]
fn group(id: u32) -> Option<u32> {
    let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name before the bracket may hold anything; after it come the state, the parent, the group.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_ascii_whitespace().nth(2)?.parse().ok()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen() {
        let own = process_info(std::process::id()).unwrap().unwrap();
        assert_eq!(own.parent, std::os::unix::process::parent_id());
        assert!(!own.ended);
        assert!(list_processes().unwrap().contains(&own));
    }

    #[test]
    fn a_child_is_seen_with_its_mark_until_it_has_ended() {
        let mut command = std::process::Command::new("sleep");
        let mut child = command.arg("600").env(MARK, "1.2.ab").spawn().unwrap();
        // It may not have become its program yet.
        while mark_of(child.id()).unwrap().as_deref() != Some("1.2.ab") {
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
