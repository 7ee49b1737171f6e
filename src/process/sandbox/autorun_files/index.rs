//! Parses git's index for the repositories that it lists (submodules). `git status` starts git in each.

use std::path::{Component, PathBuf};

use crate::sys;

/// The first bytes of an index file.
const MAGIC: &[u8] = b"DIRC";
/// Bytes before the first entry.
const HEAD_BYTES: usize = 12;
/// Bytes of an entry before the hash.
const STAT_BYTES: usize = 40;
/// The offset of an entry's mode.
const MODE_AT: usize = 24;
/// Bytes of a SHA-1 hash.
const SHA1_BYTES: usize = 20;
/// Bytes of a SHA-256 hash, and the name of this hash in the settings of a repository.
const SHA256_BYTES: usize = 32;
const SHA256: &[u8] = b"sha256";
/// The flag of an entry that has two more bytes of flags.
const EXTENDED: u16 = 0x4000;
/// The type bits of a mode, and the value for a repository.
const TYPE: u32 = 0xf000;
const REPOSITORY: u32 = 0xe000;

/// Maximum number of repositories that are returned.
const MAX_REPOSITORIES: usize = 1000;

/// Returns the paths that an index and its shared indexes list as repositories. Returns `None` if there are too many,
/// or if a path is unknown. `settings` is the content of the repository's settings file.
pub(super) fn repositories_in(settings: &[u8], indexes: &[Vec<u8>]) -> Option<Vec<PathBuf>> {
    let is_sha256 = settings.windows(SHA256.len()).any(|word| word.eq_ignore_ascii_case(SHA256));
    let hash_bytes = if is_sha256 { SHA256_BYTES } else { SHA1_BYTES };
    let mut names = Vec::new();
    for index in indexes {
        let _rest_is_no_entry = read_entries(index, hash_bytes, &mut names);
    }
    // An entry without a name replaces one of a shared index.
    if names.len() > MAX_REPOSITORIES || names.iter().any(Vec::is_empty) {
        return None;
    }
    let paths = names.iter().map(|name| PathBuf::from(sys::name(name).into_owned()));
    // git accepts no other paths.
    Some(paths.filter(|path| path.components().all(|part| matches!(part, Component::Normal(_)))).collect())
}

/// Adds the names of the repositories to `found`. Returns `None` if the bytes are not a valid index, or if `found` has
/// too many names.
fn read_entries(index: &[u8], hash_bytes: usize, found: &mut Vec<Vec<u8>>) -> Option<()> {
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
        if mode & TYPE == REPOSITORY {
            found.push(name.clone());
        }
        if found.len() > MAX_REPOSITORIES {
            return None;
        }
        let bytes = at + suffix.len();
        rest = rest.get(if version == 4 { bytes + 1 } else { (bytes + 8) & !7 }..)?;
    }
    Some(())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Parses a number with seven bits in each byte. Returns it with its length in bytes.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds an index of version 2 with an entry for each mode and name.
    fn index(hash_bytes: usize, entries: &[(u32, &str)]) -> Vec<u8> {
        let count = u32::try_from(entries.len()).unwrap();
        let mut bytes = [MAGIC, &2_u32.to_be_bytes(), &count.to_be_bytes()].concat();
        for (mode, name) in entries {
            let start = bytes.len();
            bytes.extend([0; MODE_AT]);
            bytes.extend(mode.to_be_bytes());
            bytes.resize(start + STAT_BYTES + hash_bytes + 2, 0);
            bytes.extend(name.as_bytes());
            let length = bytes.len() - start;
            bytes.resize(start + ((length + 8) & !7), 0);
        }
        bytes
    }

    #[test]
    fn only_repositories_below_the_folder_are_listed() {
        let entries = [
            (0o100_644, "file"),
            (0o160_000, "../a"),
            (0o160_000, "/b"),
            (0o160_000, "c/d"),
            (0o120_000, "e"),
        ];
        for (settings, hash_bytes) in [("", 20), ("[extensions]\nobjectFormat = SHA256", 32)] {
            let index = index(hash_bytes, &entries);
            assert_eq!(repositories_in(settings.as_bytes(), &[index]), Some(vec![PathBuf::from("c/d")]));
        }
    }

    #[test]
    fn indexes_with_unknown_or_many_repositories_give_none() {
        let found = |entries: &[(u32, &str)]| repositories_in(b"", &[index(20, entries)]);
        assert_eq!(found(&[(0o160_000, "")]), None);
        assert_eq!(found(&vec![(0o160_000, "a"); MAX_REPOSITORIES + 1]), None);
        assert_eq!(repositories_in(b"", &[]), Some(Vec::new()));
        let full = index(20, &[(0o160_000, "a"), (0o160_000, "b")]);
        for bytes in 0..full.len() {
            assert!(repositories_in(b"", &[full[..bytes].to_vec()]).is_none_or(|found| found.len() <= 2));
        }
    }
}
