//! What `/proc` says of processes. Only this file knows how it is laid out.
//!
//! All of it is a look at what changes while one looks: a process that is gone is left out, and
//! what this user may not see of another's process is not known. Whoever acts on a process proves
//! first, by its start time, that it is still the one that was seen.

use std::ffi::OsString;

use rustix::fs::{AtFlags, Mode, readlinkat, statat};

use super::reserve;
use crate::sys::{MARK, OutOfDescriptors, Process};

/// All processes; where they can't be seen, that is not nobody.
pub(crate) fn list_processes() -> Result<Vec<Process>, OutOfDescriptors> {
    ids()?.into_iter().filter_map(|id| process_info(id).transpose()).collect()
}

/// The process with that number.
pub(crate) fn process_info(id: u32) -> Result<Option<Process>, OutOfDescriptors> {
    // It is one line of some fifty numbers, which the kernel gives in one read.
    let mut line = [0; 1024];
    let Some(stat) = reserve::open(&format!("/proc/{id}/stat"))? else { return Ok(None) };
    let len = rustix::io::read(&stat, &mut line[..]).unwrap_or(0);
    Ok(line.get(..len).and_then(|line| parse(id, line)))
}

fn ids() -> Result<Vec<u32>, OutOfDescriptors> {
    let (_, names) = reserve::names("/proc")?.ok_or(OutOfDescriptors)?;
    Ok(names.iter().filter_map(|name| name.to_str()?.parse().ok()).collect())
}

/// `4242 (name) S 1 4242 …`: the name may hold spaces and brackets itself.
fn parse(id: u32, stat: &[u8]) -> Option<Process> {
    let text = String::from_utf8_lossy(stat);
    let (before, after) = text.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut fields = after.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    // After these three: session, terminal, its group, flags, four faults, four times, priority,
    // nice, threads, a zero, and then the start.
    let ticks = fields.nth(16)?.parse().ok()?;
    Some(Process {
        id,
        start: ticks,
        parent,
        group,
        name: name.to_owned(),
        ended: matches!(state, "Z" | "X" | "x"),
    })
}

/// The mark that a process was given in its environment.
pub(crate) fn mark(id: u32) -> Result<Option<String>, OutOfDescriptors> {
    let environ = reserve::read(&format!("/proc/{id}/environ"))?.unwrap_or_default();
    let mark = |entry: &[u8]| Some(entry.strip_prefix(MARK.as_bytes())?.strip_prefix(b"=")?.to_vec());
    Ok(environ.split(|byte| *byte == 0).find_map(mark).and_then(|mark| String::from_utf8(mark).ok()))
}

/// The inodes of the pipes that a process can write to.
pub(crate) fn pipes(id: u32) -> Result<Vec<u64>, OutOfDescriptors> {
    let Some((folder, links)) = reserve::names(&format!("/proc/{id}/fd"))? else { return Ok(Vec::new()) };
    let pipe = |link: &OsString| -> Option<u64> {
        let to = readlinkat(&folder, link, Vec::new()).ok()?;
        to.to_str().ok()?.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
    };
    // The link's own mode says what the file is open for. A child of this process that has not yet
    // become its program has the end that is read from.
    let writes = |link: &OsString| {
        statat(&folder, link, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|link| Mode::from_raw_mode(link.st_mode).contains(Mode::WUSR))
    };
    Ok(links.iter().filter_map(|link| pipe(link).filter(|_| writes(link))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat = b"42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2";
        let process = parse(42, stat).unwrap();
        let expected = (98765, 7, 42, "a) b (c", false);
        let seen = (process.start, process.parent, process.group, process.name.as_str(), process.ended);
        assert_eq!(seen, expected);
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
        assert!(mark(own.id).unwrap() != Some("no such mark".to_owned()));
    }
}
