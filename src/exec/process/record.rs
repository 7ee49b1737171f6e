//! What a server notes of its commands, so that the next one can end what a killed one left.
//!
//! A line is added when a command starts, when it ended and left processes behind, and when nothing
//! of it is left. The file is locked while its server lives; one that is not, and whose server does
//! not run, is of a server that was killed. All of it is best effort: without the record a command
//! runs all the same.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::end::{Reach, Scope};
use super::mark::Server;

const PREFIX: &str = "cutline-server-";
const SUFFIX: &str = ".lock";
/// Bytes past which a record is emptied when no command is open.
const EMPTIED_BYTES: u64 = 1 << 16;
/// Bytes of a record that are read: far more than a server writes.
const MAX_BYTES: u64 = 1 << 20;

/// This server's record, once it has one.
#[derive(Debug)]
pub(super) struct Record {
    file: File,
    path: PathBuf,
    /// Commands that are noted and not yet done.
    open: usize,
    /// Bytes that were written since it was last emptied.
    bytes: u64,
}

impl Record {
    /// Begins the record of `server` in `folder`.
    pub(super) fn create(folder: &Path, server: Server) -> Option<Self> {
        let path = folder.join(format!("{PREFIX}{}-{}{SUFFIX}", server.id, server.start));
        let nofollow = OFlags::NOFOLLOW.bits().cast_signed();
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600).custom_flags(nofollow);
        let file = options.open(&path).ok()?;
        // Another server that just looks at it finds its owner alive, and leaves it.
        let _best_effort = file.try_lock();
        Some(Self { file, path, open: 0, bytes: 0 })
    }

    /// A command is about to start.
    pub(super) fn started(&mut self, mark: &str) {
        self.open += 1;
        self.write(&format!("run {}", random_of(mark)));
    }

    /// A command has ended, and left processes in that group or holding that pipe.
    pub(super) fn left(&mut self, mark: &str, group: u32, pipe: u64) {
        self.write(&format!("left {} {group} {pipe}", random_of(mark)));
    }

    /// Nothing of a command is left.
    pub(super) fn done(&mut self, mark: &str) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 && self.bytes > EMPTIED_BYTES {
            let _best_effort = self.file.set_len(0);
            self.bytes = 0;
        } else {
            self.write(&format!("done {}", random_of(mark)));
        }
    }

    fn write(&mut self, line: &str) {
        self.bytes += line.len() as u64 + 1;
        let _best_effort = self.file.write_all(format!("{line}\n").as_bytes());
    }

    /// Removes the record: the server ends, and nothing is left.
    pub(super) fn remove(self) {
        let _best_effort = fs::remove_file(&self.path);
    }
}

fn random_of(mark: &str) -> &str {
    mark.rsplit_once('.').map_or(mark, |(_, random)| random)
}

/// What servers that were killed left: their records, each with what is to be ended for it.
pub(super) fn stale(folder: &Path) -> Vec<(Stale, Vec<Scope>)> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| {
            let server = server_of(entry.file_name().to_str()?)?;
            let stale = Stale::open(entry.path(), server)?;
            let scopes = stale.scopes(server);
            Some((stale, scopes))
        })
        .collect()
}

/// The record of a server that was killed, locked while it is dealt with.
pub(super) struct Stale {
    file: File,
    path: PathBuf,
}

impl Stale {
    fn open(path: PathBuf, server: Server) -> Option<Self> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        let ours = metadata.is_file() && metadata.uid() == rustix::process::geteuid().as_raw();
        (ours && file.try_lock().is_ok() && !server.is_alive()).then_some(Self { file, path })
    }

    fn scopes(&self, server: Server) -> Vec<Scope> {
        let mut text = String::new();
        let _what_was_read = (&self.file).take(MAX_BYTES).read_to_string(&mut text);
        scopes(&text, server)
    }

    /// Removes it: what it tells of is ended.
    pub(super) fn remove(self) {
        let _best_effort = fs::remove_file(&self.path);
    }
}

fn server_of(name: &str) -> Option<Server> {
    let (id, start) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
    Some(Server { id: id.parse().ok()?, start: start.parse().ok()? })
}

fn scopes(text: &str, server: Server) -> Vec<Scope> {
    let mut scopes = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (Some(word), Some(random)) = (words.next(), words.next()) else { continue };
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let scope = |group, reach| Scope { mark: server.mark_of(random), group, since: server.start, reach };
        match word {
            "run" if !random.is_empty() => {
                scopes.insert(random, scope(0, Reach::All));
            }
            "left" => {
                if let (Some(group), Some(pipe)) = (number(), number()) {
                    let group = u32::try_from(group).unwrap_or(0);
                    scopes.insert(random, scope(group, Reach::Stayed { pipe, known: Vec::new() }));
                }
            }
            _ => {
                scopes.remove(random);
            }
        }
    }
    scopes.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_not_ended() {
        let server = Server { id: 42, start: 7 };
        let found = scopes("run aa\nrun bb\nrun cc\ndone aa\nleft bb 100 5\nrun d", server);
        let seen: Vec<_> =
            found.iter().map(|scope| (scope.mark.as_str(), scope.group, &scope.reach)).collect();
        let stayed = Reach::Stayed { pipe: 5, known: Vec::new() };
        let expected = [("42.7.bb", 100, &stayed), ("42.7.cc", 0, &Reach::All), ("42.7.d", 0, &Reach::All)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_living_servers_record_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = Record::create(folder.path(), Server::this()).unwrap();
        record.started("1.2.ab");
        assert_eq!(stale(folder.path()).len(), 0);

        // The lock alone does not tell: this server's number and start do.
        let dead = folder.path().join("cutline-server-1-1.lock");
        fs::write(&dead, "run ab\n").unwrap();
        let found = stale(folder.path());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1.len(), 1);
        for (stale, _) in found {
            stale.remove();
        }
        assert!(!dead.exists());
        record.remove();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
