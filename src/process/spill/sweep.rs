//! Removing old saved outputs.
//!
//! Only what is certainly cutline's goes: regular files of this user's with a saved output's name,
//! reached through no link, that no live server holds.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Settings;
use crate::fs::workspace::is_saved_name;
use crate::sys::{self, FileKind, Folder, Stat, below};

/// Removes what is past its age, then the oldest past the total.
pub(super) fn sweep(folder: &Path, settings: &Settings, now: SystemTime) {
    let (Ok(names), Ok(dir)) = (folder.read_dir(), sys::open_folder(folder)) else { return };
    let user = sys::user();
    let mut candidates: Vec<(Stat, Vec<u8>)> = names
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| is_saved_name(&name.to_string_lossy()))
        .map(OsString::into_encoded_bytes)
        .filter_map(|name| Some((below::stat(&dir, &name).ok()?, name)))
        .filter(|(stat, _)| stat.kind == FileKind::File && stat.owner == user)
        .collect();
    candidates.sort_by(|(a, left), (b, right)| (a.modified, left).cmp(&(b.modified, right)));
    let mut total: u64 = candidates.iter().map(|(stat, _)| stat.bytes).sum();
    for (seen, name) in candidates {
        let too_much = total > settings.max_total_bytes;
        if (age(&seen, now) > settings.keep || too_much) && remove(&dir, &seen, &name) {
            total -= seen.bytes;
        }
    }
}

/// How long ago a file was written.
fn age(stat: &Stat, now: SystemTime) -> Duration {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let nanos = i128::try_from(now).unwrap_or(i128::MAX).saturating_sub(stat.modified);
    Duration::from_nanos(u64::try_from(nanos.max(0)).unwrap_or(u64::MAX))
}

/// Removes a file that is still the one that was seen, and that nobody writes.
fn remove(dir: &Folder, seen: &Stat, name: &[u8]) -> bool {
    let Ok(Some((file, now))) = below::file(dir, name) else { return false };
    now.id == seen.id && sys::is_let_go(&file) && below::remove(dir, name).is_ok()
}
