//! The parts for macOS: opening a path for its type by name, and processes through `sysinfo`.
//!
//! A file can't be opened here without reading it. Its type is checked first by path, and only a file or a folder is
//! opened. If a FIFO or a device replaces it in between, it is opened without waiting and not read. Type and location
//! are then read from the open file.
//!
//! A snapshot of processes can be out of date. Start times are in whole seconds. The pipes of a process and some
//! environments are unknown.

#![expect(clippy::unnecessary_wraps, reason = "they can fail on Linux")]

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, PipeReader, Seek as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Signal, kill_process};
use sysinfo::{ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

use super::{FileKind, Folder, Opened, Process, Stat, TAG, pid};

/// Flags that open a path for its type and for opening paths below it.
pub(super) const LOOK: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// A handle to an open file or folder. `None` for other types, which can't be opened without reading.
pub(super) type PathHandle = Option<File>;

impl Opened {
    /// Opens `path`. Follows links.
    pub(crate) fn through_links(path: &Path) -> io::Result<Self> {
        let (stat, handle) = look(path, LOOK, AtFlags::empty())?;
        let real = handle.as_ref().map_or_else(|| path.canonicalize(), location)?;
        Ok(Self { real, stat, handle })
    }

    /// Opens `path`. Returns an error if any part of it is a link. If a file has several names, the system may report
    /// any of them; the name in `path` is used.
    pub(crate) fn without_links(path: &Path) -> io::Result<Self> {
        let (stat, handle) = look(path, LOOK | OFlags::NOFOLLOW_ANY, AtFlags::SYMLINK_NOFOLLOW)?;
        let file = handle.as_ref().ok_or(Errno::NOTSUP)?;
        let climbs = path.components().any(|component| component == Component::ParentDir);
        let has_several_names = stat.kind == FileKind::File && stat.links > 1;
        let real = if has_several_names && !climbs { path.components().collect() } else { location(file)? };
        Ok(Self { real, stat, handle })
    }

    /// Returns another handle to the same file, at its start. All these handles share one position, so only use the
    /// newest one.
    pub(crate) fn file(&self) -> io::Result<File> {
        let mut file = self.handle.as_ref().ok_or(io::ErrorKind::Unsupported)?.try_clone()?;
        // Folders have no position, so the error is ignored.
        let _folders_have_none = file.rewind();
        Ok(file)
    }

    /// Returns the path. Its name can refer to another file by now.
    pub(crate) fn path(&self) -> PathBuf {
        self.real.clone()
    }

    /// Opens the same file as a folder.
    pub(crate) fn folder(&self) -> io::Result<Folder> {
        let held = self.handle.as_ref().ok_or(Errno::NOTDIR)?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        Ok(rustix::fs::openat(held, ".", flags, Mode::empty())?)
    }
}

/// Opens `path` with `flags` if it is a file or a folder; otherwise returns `None`. `follow` sets whether a link at the
/// end is followed.
fn look(path: &Path, flags: OFlags, follow: AtFlags) -> io::Result<(Stat, Option<File>)> {
    let stat = Stat::of(&rustix::fs::statat(CWD, path, follow)?);
    if !matches!(stat.kind, FileKind::File | FileKind::Folder) {
        return Ok((stat, None));
    }
    let file = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
    Ok((Stat::of(&rustix::fs::fstat(&file)?), Some(file.into())))
}

/// Returns the path of an open file.
fn location(file: &File) -> io::Result<PathBuf> {
    Ok(Path::new(OsStr::from_bytes(rustix::fs::getpath(file)?.to_bytes())).to_owned())
}

/// Does nothing, because this system has a fixed pipe capacity.
pub(crate) fn enlarge(_: &PipeReader, _: usize) {}

/// Returns an error, because this system can't open a path below a folder in one call.
pub(super) fn open_beneath(_: impl AsFd, _: &[u8], _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Gives this user all rights to the folder `name` in `base`. Returns an error if that is no folder.
pub(crate) fn make_accessible(base: impl AsFd, name: &[u8]) -> Result<(), Errno> {
    rustix::fs::chmodat(base, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)
}

/// False, because this reader returns no more names after any error.
pub(super) const GOES_ON_AFTER_INTR: bool = false;

/// Returns a reader of the names in `folder`. It does not use the buffer.
pub(super) fn dir_reader(folder: &Folder, _: &mut Vec<u8>) -> Result<Dir, Errno> {
    Dir::read_from(folder)
}

/// Returns true, because this system has no PID namespaces.
pub(crate) fn has_process_table() -> bool {
    true
}

/// Returns all processes.
pub(crate) fn list_processes() -> io::Result<Vec<Process>> {
    let system = refreshed(ProcessesToUpdate::All, ProcessRefreshKind::nothing());
    Ok(system.processes().values().map(seen).collect())
}

/// Returns the process with this id.
pub(crate) fn process_info(id: u32) -> io::Result<Option<Process>> {
    Ok(with_process(id, ProcessRefreshKind::nothing(), |process| Some(seen(process))))
}

/// Checks the start time of a process and sends `signals` to it. Another process could get the id between the two;
/// this system has no better way. Fails if the process has ended or belongs to another user.
pub(crate) fn send_signals(id: u32, start: u64, signals: &[Signal]) -> io::Result<()> {
    let is_same = process_info(id)?.is_some_and(|now| start > 0 && now.start == start && !now.ended);
    let Some(pid) = pid(id).filter(|_| is_same) else { return Ok(()) };
    signals.iter().try_for_each(|signal| kill_process(pid, *signal)).map_err(io::Error::from)
}

/// Returns the tag in the initial environment of a process.
pub(crate) fn tag_of(id: u32) -> Option<String> {
    with_process(id, ProcessRefreshKind::nothing().with_environ(UpdateKind::Always), |process| {
        let tag = |entry: &str| Some(entry.strip_prefix(TAG)?.strip_prefix('=')?.to_owned());
        process.environ().iter().find_map(|entry| tag(entry.to_str()?))
    })
}

/// Returns an empty list, because this system does not report the pipes of a process.
pub(crate) fn pipes(_: u32) -> io::Result<Vec<u64>> {
    Ok(Vec::new())
}

/// Calls `ask` with the process with this id. `what` selects the data to read.
fn with_process<T>(id: u32, what: ProcessRefreshKind, ask: fn(&sysinfo::Process) -> Option<T>) -> Option<T> {
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
    let group = pid(id).and_then(|pid| rustix::process::getpgid(Some(pid)).ok());
    Process {
        id,
        start: process.start_time(),
        parent: process.parent().map_or(0, sysinfo::Pid::as_u32),
        group: group.map_or(0, |group| group.as_raw_nonzero().get().unsigned_abs()),
        name: process.name().to_string_lossy().into_owned(),
        ended: matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_seen_with_its_tag_until_it_has_ended() {
        let mut command = std::process::Command::new("sleep");
        let mut child = command.arg("600").env(TAG, "1.2.ab").spawn().unwrap();
        // The child may not run its program yet.
        while tag_of(child.id()).as_deref() != Some("1.2.ab") {
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
