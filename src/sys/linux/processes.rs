//! Reads processes from `/proc`. Only this file knows the layout of `/proc`.
//!
//! A snapshot can be out of date. A process that has ended is omitted. Data of another user's process that is not
//! readable is unknown. Callers that act on a process first check its start time.

#![expect(clippy::indexing_slicing, reason = "a read returns at most the length of the buffer")]

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Mode, readlinkat, statat};
use rustix::io::Errno;
use rustix::process::{PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use crate::sys::{Folder, Process, TAG, names_in, open_folder, pid};

/// Maximum size of a `stat` line in bytes. It has about fifty numbers and is shorter.
const STAT_BYTES: usize = 1024;
/// Maximum bytes of an environment in which the tag is found. The kernel accepts more, but many processes with a large one
/// would delay their end.
const ENVIRON_BYTES: u64 = 128 << 10;
/// Bytes of an environment that are read at once.
const PAGE_BYTES: u64 = 4096;
/// Time after which no more of an environment is read.
const ENVIRON_TIME: Duration = Duration::from_millis(300);
/// The descriptors of a process in which a pipe is found are below this one. Processes can share a table of very many.
const DESCRIPTORS: u32 = 64;
/// The errors of opening a file if no descriptor was free.
const NONE_IS_FREE: [Option<Errno>; 3] = [Some(Errno::MFILE), Some(Errno::NFILE), Some(Errno::NOMEM)];
/// Maximum bytes of a tag. Its five numbers need fewer.
const MAX_TAG_BYTES: usize = 128;

/// Returns true if `/proc` uses the same process ids as system calls of this process. Returns false if it is not
/// mounted, or if it belongs to another PID namespace.
pub(crate) fn has_process_table() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        let is_this = field("Pid:").and_then(|id| id.trim().parse().ok()) == Some(std::process::id());
        // The field has the id in the namespace of `/proc` and in each nested namespace down to that of this process.
        is_this && field("NSpid:").is_none_or(|ids| ids.split_whitespace().count() == 1)
    })
}

/// Returns all processes. Returns an empty list if `/proc` has other process ids than the system calls of this process,
/// and an error if `/proc` cannot be read.
pub(crate) fn list_processes() -> io::Result<Vec<Process>> {
    let names = names_in(&open_folder("/proc")?, usize::MAX, |_| true)?;
    let ids = names.iter().filter_map(|name| std::str::from_utf8(name).ok()?.parse().ok());
    ids.filter_map(|id| process_info(id).transpose()).collect()
}

/// Returns the process with this id, or `None` if it has ended.
///
/// # Errors
///
/// Returns an error if no descriptor was free, so that the state is unknown.
pub(crate) fn process_info(id: u32) -> io::Result<Option<Process>> {
    if !has_process_table() {
        return Ok(None);
    }
    let stat = match File::open(format!("/proc/{id}/stat")) {
        Ok(stat) => stat,
        Err(error) if NONE_IS_FREE.contains(&Errno::from_io_error(&error)) => return Err(error),
        Err(_) => return Ok(None),
    };
    let mut line = [0; STAT_BYTES];
    // The kernel returns the line in one read.
    let len = rustix::io::read(&stat, &mut line[..]).unwrap_or(0);
    Ok(parse(id, &line[..len]))
}

/// Sends `signals` to a process through a pidfd. Without pidfds, checks its start time and sends them to its id. Fails
/// if the process has ended or belongs to another user.
pub(crate) fn send_signals(id: u32, start: u64, signals: &[Signal]) -> io::Result<()> {
    let Some(pid) = pid(id) else { return Ok(()) };
    let handle = pidfd_open(pid, PidfdFlags::empty());
    // The id could have been reused before the pidfd was opened.
    let is_same = process_info(id)?.is_some_and(|now| now.start == start && !now.ended);
    for signal in signals.iter().filter(|_| is_same) {
        let sent =
            handle.as_ref().map_err(|error| *error).and_then(|handle| pidfd_send_signal(handle, *signal));
        match sent {
            Err(Errno::NOSYS | Errno::PERM) => kill_process(pid, *signal)?,
            sent => sent?,
        }
    }
    Ok(())
}

/// Parses `4242 (name) S 1 4242 …`. The name can contain spaces and parentheses.
fn parse(id: u32, line: &[u8]) -> Option<Process> {
    let text = String::from_utf8_lossy(line);
    let (before, after) = text.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut fields = after.split_ascii_whitespace();
    let main_thread_ended = matches!(fields.next()?, "Z" | "X" | "x");
    let mut id_in_next = || fields.next()?.parse().ok();
    let (parent, group) = (id_in_next()?, id_in_next()?);
    // Skips session, terminal, its group, flags, four faults, four times, priority and nice.
    let threads: u32 = fields.nth(14)?.parse().ok()?;
    let ended = main_thread_ended && threads <= 1;
    // Skips a zero.
    let start = fields.nth(1)?.parse().ok()?;
    Some(Process { id, start, parent, group, name: name.to_owned(), ended })
}

/// Returns the id of a thread that has not ended: the main thread, which has the id of the process, or another one. Each
/// thread has a folder in `/proc`, which is empty for an ended thread.
fn running_thread(id: u32) -> String {
    let main = id.to_string();
    if std::fs::read_link(format!("/proc/{main}/exe")).is_ok() {
        return main;
    }
    let other = open_folder(format!("/proc/{main}/task"))
        .and_then(|threads| names_in(&threads, 1, |name| name != main.as_bytes()));
    other.ok().and_then(|mut other| String::from_utf8(other.pop()?).ok()).unwrap_or(main)
}

/// Returns the tag in the first [`ENVIRON_BYTES`] of the initial environment of a process.
pub(crate) fn tag_of(id: u32) -> Option<String> {
    let mut file = File::open(format!("/proc/{}/environ", running_thread(id))).ok()?;
    let (began, mut environ) = (Instant::now(), Vec::new());
    // A process can delay each read, and end during one.
    while began.elapsed() < ENVIRON_TIME
        && (environ.len() as u64) < ENVIRON_BYTES
        && file.by_ref().take(PAGE_BYTES).read_to_end(&mut environ).is_ok_and(|len| len > 0)
    {}
    let tag = |entry: &[u8]| Some(entry.strip_prefix(TAG.as_bytes())?.strip_prefix(b"=")?.to_vec());
    let tag = environ.split(|byte| *byte == 0).find_map(tag).filter(|tag| tag.len() <= MAX_TAG_BYTES);
    String::from_utf8(tag?).ok()
}

/// Returns the inodes of the pipes that a process can write to, by its descriptors below [`DESCRIPTORS`].
pub(crate) fn pipes(id: u32) -> io::Result<Vec<u64>> {
    let folder = open_folder(format!("/proc/{}/fd", running_thread(id)))?;
    let links = (0..DESCRIPTORS).map(|descriptor| descriptor.to_string());
    // The mode of the link shows whether the file is open for reading or for writing. A child of this process that has
    // not started its program yet also has the read end.
    let writes = |link: &str| {
        statat(&folder, link, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|link| Mode::from_raw_mode(link.st_mode).contains(Mode::WUSR))
    };
    Ok(links.filter_map(|link| pipe(&folder, &link).filter(|_| writes(&link))).collect())
}

/// Returns the inode of the pipe that a descriptor's `link` shows.
fn pipe(folder: &Folder, link: &str) -> Option<u64> {
    let to = readlinkat(folder, link, Vec::new()).ok()?;
    to.to_str().ok()?.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_state_and_threads_are_parsed() {
        // A process runs while one of its threads does.
        for (state, threads, ended) in [("S", 1, false), ("Z", 1, true), ("Z", 2, false)] {
            let stat =
                format!("42 (a) b (c) {state} 7 42 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 {threads} 0 98765");
            let name = "a) b (c".to_owned();
            let expected = Process { id: 42, start: 98765, parent: 7, group: 42, name, ended };
            assert_eq!(parse(42, stat.as_bytes()), Some(expected));
        }
        assert_eq!(parse(1, b"1 (x"), None);
    }

    #[test]
    fn this_process_is_seen() {
        let own = process_info(std::process::id()).unwrap().unwrap();
        assert_eq!(own.parent, std::os::unix::process::parent_id());
        assert!(
            list_processes()
                .unwrap()
                .iter()
                .any(|process| (process.id, process.start) == (own.id, own.start))
        );
        assert!(tag_of(own.id) != Some("no such tag".to_owned()));
    }
}
