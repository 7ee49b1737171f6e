//! The index of git: the folders that it lists as repositories. `git status` starts git in each.

use std::path::PathBuf;

use crate::sys;

/// The first bytes of an index.
const MAGIC: &[u8] = b"DIRC";
/// Bytes before the first entry.
const HEAD_BYTES: usize = 12;
/// Bytes of an entry before its hash.
const STAT_BYTES: usize = 40;
/// The offset of an entry's mode.
const MODE_AT: usize = 24;
/// Bytes of a hash: SHA-1, SHA-256.
const HASH_BYTES: [usize; 2] = [20, 32];
/// The flag of an entry with two more bytes of flags.
const EXTENDED: u16 = 0x4000;
/// The type bits of a mode, and their value for a repository.
const TYPE: u32 = 0xf000;
const REPOSITORY: u32 = 0xe000;

/// Returns the paths that an index and its shared indexes list as repositories.
pub(super) fn repositories_in(indexes: &[Vec<u8>]) -> Vec<PathBuf> {
    let entries = |wanted: fn(u32) -> bool| {
        let mut names = Vec::new();
        for (index, hash_bytes) in indexes.iter().flat_map(|index| HASH_BYTES.map(|bytes| (index, bytes))) {
            let _rest_is_no_entry = read_entries(index, hash_bytes, wanted, &mut names);
        }
        names
    };
    let names = entries(|mode| mode & TYPE == REPOSITORY);
    // An entry without a name replaces one of a shared index.
    let names = if names.iter().any(Vec::is_empty) { entries(|_| true) } else { names };
    names.iter().map(|name| PathBuf::from(sys::name(name).into_owned())).collect()
}

/// Adds the names of the entries with a `wanted` mode to `found`. Returns `None` where the bytes are no entry.
fn read_entries(
    index: &[u8],
    hash_bytes: usize,
    wanted: fn(u32) -> bool,
    found: &mut Vec<Vec<u8>>,
) -> Option<()> {
    let version = number(index, MAGIC.len()).filter(|_| index.starts_with(MAGIC))?;
    let count = number(index, MAGIC.len() + 4)?;
    let mut rest = index.get(HEAD_BYTES..)?;
    let mut name = Vec::new();
    for _ in 0..count {
        let mode = number(rest, MODE_AT)?;
        let flags = u16::from_be_bytes(*rest.get(STAT_BYTES + hash_bytes..)?.first_chunk()?);
        let mut at = STAT_BYTES + hash_bytes + 2;
        if version >= 3 && flags & EXTENDED != 0 {
            at += 2;
        }
        // Version 4 removes bytes from the end of the last name.
        let kept = if version == 4 {
            let (removed, bytes) = variable_number(rest.get(at..)?)?;
            at += bytes;
            name.len().checked_sub(removed)?
        } else {
            0
        };
        name.truncate(kept);
        let suffix = rest.get(at..)?.split(|byte| *byte == 0).next()?;
        name.extend(suffix);
        if wanted(mode) {
            found.push(name.clone());
        }
        let bytes = at + suffix.len();
        rest = rest.get(if version == 4 { bytes + 1 } else { (bytes + 8) & !7 }..)?;
    }
    Some(())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Returns a number of seven bits for each byte, and how many bytes it takes.
fn variable_number(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        value = (value << 7) + usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value += 1;
    }
    None
}
