//! Removing old saved outputs.
//!
//! Only what is certainly cutline's goes: regular files of this user's with a saved output's name,
//! reached through no link, that no live server has locked.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

use super::Settings;
use crate::exec::os::LOOK;
use crate::workspace::is_saved_name;

/// A saved output that may go.
struct Candidate {
    modified: SystemTime,
    bytes: u64,
    inode: u64,
    name: OsString,
}

/// Removes what is past its age, then the oldest past the total.
pub(super) fn sweep(folder: &Path, settings: &Settings, now: SystemTime) {
    let Ok(entries) = folder.read_dir() else { return };
    let mut candidates: Vec<Candidate> = entries
        .flatten()
        .filter(|entry| is_saved_name(&entry.file_name().to_string_lossy()))
        .filter_map(|entry| {
            // Of a link, this is the link itself.
            let metadata = entry.metadata().ok()?;
            let ours = metadata.uid() == rustix::process::geteuid().as_raw();
            (metadata.is_file() && ours).then(|| Candidate {
                modified: metadata.modified().unwrap_or(now),
                bytes: metadata.len(),
                inode: metadata.ino(),
                name: entry.file_name(),
            })
        })
        .collect();
    candidates.sort_by(|a, b| (a.modified, &a.name).cmp(&(b.modified, &b.name)));
    let Ok(dir) = rustix::fs::openat(CWD, folder, LOOK, Mode::empty()) else {
        return;
    };
    let mut total: u64 = candidates.iter().map(|candidate| candidate.bytes).sum();
    for candidate in candidates {
        let age = now.duration_since(candidate.modified).unwrap_or(Duration::ZERO);
        let too_much = total > settings.max_total_bytes;
        if (age > settings.keep || too_much) && remove(&dir, &candidate) {
            total -= candidate.bytes;
        }
    }
}

/// Removes a file that is still the one that was seen, and that nobody writes.
fn remove(dir: &rustix::fd::OwnedFd, candidate: &Candidate) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(fd) = rustix::fs::openat(dir, &candidate.name, flags, Mode::empty()) else { return false };
    let file = File::from(fd);
    let same = file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.ino() == candidate.inode);
    same && file.try_lock().is_ok() && rustix::fs::unlinkat(dir, &candidate.name, AtFlags::empty()).is_ok()
}
