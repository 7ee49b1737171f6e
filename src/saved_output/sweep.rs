//! The sweep of the folder of saved outputs.
//!
//! A sweep removes old outputs. It removes only regular files with the name of a saved output and a single hard link
//! that this user owns, to which no other user has rights, and that no running server is writing.

use std::time::SystemTime;

use super::Settings;
use crate::fs::saved_name::is_saved_name;
use crate::sys::{self, Folder, Stat, below};

/// Removes files that exceed the maximum age, and then the oldest files until the total size is within its limit.
pub(super) fn sweep(folder: &Folder, settings: &Settings, now: SystemTime) {
    // A new descriptor reads the folder from its start.
    let Ok(from_start) = below::folder(folder, b"") else { return };
    let is_saved = |name: &[u8]| std::str::from_utf8(name).is_ok_and(is_saved_name);
    let Ok(names) = sys::names_in(&from_start, usize::MAX, is_saved) else { return };
    let seen = names.into_iter().filter_map(|name| Some((below::stat(folder, &name).ok()?, name)));
    let mut candidates: Vec<(Stat, Vec<u8>)> =
        seen.filter(|(stat, _)| stat.is_own_file() && stat.is_private).collect();
    candidates.sort_by(|(a, left), (b, right)| (a.modified, left).cmp(&(b.modified, right)));
    let oldest = now.checked_sub(settings.keep).map_or(i128::MIN, sys::nanos);
    let mut total: u64 = candidates.iter().map(|(stat, _)| stat.bytes).sum();
    for (seen, name) in candidates {
        let too_much = total > settings.max_total_bytes;
        if (seen.modified < oldest || too_much) && remove(folder, &seen, &name) {
            total -= seen.bytes;
        }
    }
}

/// Removes the file if it is still the same one and no server is writing it. Returns true if the file no longer exists.
fn remove(folder: &Folder, seen: &Stat, name: &[u8]) -> bool {
    match below::file(folder, name) {
        Ok(Some((file, now))) => now.id == seen.id && sys::lock(&file) && below::remove(folder, name).is_ok(),
        Ok(None) => false,
        Err(error) => sys::is_missing(&error),
    }
}
