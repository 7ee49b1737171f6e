//! What a server notes of its commands, so that the next one can end what a killed one left.
//!
//! A line is added when a command starts, when it ended and left processes behind, and when nothing
//! of it is left. The file is locked while its server lives; one that is not, and whose server does
//! not run, is of a server that was killed. All of it is best effort: without the record a command
//! runs all the same.
//!
//! Numbers, starts and inodes mean something only until the system is started again: a record names
//! the boot that it is of, and one of another boot, or of none, is removed and ends nobody. Where
//! commands may write in its folder, a record may be forged: so it ends only what has that server's mark.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::{KillScope, Pipe, Scope};
use crate::process::mark::Server;
use crate::process::sandbox;
use crate::sys::{self, OutOfDescriptors, boot};

const PREFIX: &str = "cutline-server-";
const SUFFIX: &str = ".lock";
/// What the line with the temp folder begins with.
const TEMP: &str = "temp ";
/// Bytes past which a record is emptied when no command is open.
const EMPTIED_BYTES: u64 = 1 << 16;
/// Bytes of a record that are read: far more than a server writes.
const MAX_BYTES: u64 = 1 << 20;

/// This server's record, once it has one.
#[derive(Debug)]
pub(in crate::process) struct Record {
    file: File,
    path: PathBuf,
    /// The temp folder of sandboxed commands, which goes with them.
    temp: Option<PathBuf>,
    /// Commands that are noted and not yet done.
    open: usize,
    /// Bytes that were written since it was last emptied.
    bytes: u64,
}

impl Record {
    /// Begins the record of `server` in the folder that is `made`; `temp` is what else goes with its commands.
    pub(in crate::process) fn create(
        made: impl FnOnce() -> io::Result<PathBuf>,
        server: Server,
        temp: Option<&Path>,
    ) -> Option<Self> {
        let path = made().ok()?.join(format!("{PREFIX}{}{SUFFIX}", server.name()));
        let nofollow = OFlags::NOFOLLOW.bits().cast_signed();
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600).custom_flags(nofollow);
        let file = options.open(&path).ok()?;
        // Another server that just looks at it finds its owner alive, and leaves it.
        let _best_effort = file.try_lock();
        let mut record = Self { file, path, temp: temp.map(Path::to_owned), open: 0, bytes: 0 };
        record.write_head();
        Some(record)
    }

    /// A command is about to start.
    pub(in crate::process) fn started(&mut self, mark: &str) {
        self.open += 1;
        self.write(&format!("run {}", random_of(mark)));
    }

    /// A command has ended, and left processes in its group or holding its pipe.
    pub(in crate::process) fn left(&mut self, scope: &Scope) {
        if let KillScope::Stayed { pipe: Pipe::Held(pipe) | Pipe::Recorded(pipe), .. } = &scope.reach {
            self.write(&format!("left {} {} {pipe}", random_of(&scope.mark), scope.group));
        }
    }

    /// Nothing of a command is left.
    pub(in crate::process) fn done(&mut self, mark: &str) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 && self.bytes > EMPTIED_BYTES {
            let _best_effort = self.file.set_len(0);
            self.bytes = 0;
            self.write_head();
        } else {
            self.write(&format!("done {}", random_of(mark)));
        }
    }

    fn write_head(&mut self) {
        if let Some(boot) = boot() {
            self.write(&format!("boot {boot}"));
        }
        if let Some(temp) = self.temp.as_deref().and_then(Path::to_str).filter(|temp| !temp.contains('\n')) {
            self.write(&format!("{TEMP}{temp}"));
        }
    }

    fn write(&mut self, line: &str) {
        self.bytes += line.len() as u64 + 1;
        let _best_effort = self.file.write_all(format!("{line}\n").as_bytes());
    }

    /// Removes the record: the server ends, and nothing is left.
    pub(in crate::process) fn remove(self) {
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
            let mut stale = Stale::open(entry.path(), server)?;
            let text = stale.text();
            stale.temp = temp_of(&text, server);
            let scopes = boot().map_or_else(Vec::new, |boot| scopes(&text, server, &boot));
            Some((stale, scopes))
        })
        .collect()
}

/// The record of a server that was killed, locked while it is dealt with.
pub(super) struct Stale {
    file: File,
    path: PathBuf,
    temp: Option<PathBuf>,
}

impl Stale {
    fn open(path: PathBuf, server: Server) -> Option<Self> {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        let ours = metadata.is_file() && metadata.uid() == rustix::process::geteuid().as_raw();
        (ours && file.try_lock().is_ok() && !is_alive(server)).then_some(Self { file, path, temp: None })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let _what_was_read = (&self.file).take(MAX_BYTES).read_to_string(&mut text);
        text
    }

    /// Removes it, and the temp folder that it names: what it tells of is ended.
    pub(super) fn remove(self) {
        if let Some(temp) = &self.temp {
            let _best_effort = fs::remove_dir_all(temp);
        }
        let _best_effort = fs::remove_file(&self.path);
    }
}

/// Whether a server still runs, or may.
fn is_alive(server: Server) -> bool {
    match sys::process_info(server.id) {
        Ok(process) => process.is_some_and(|process| process.start == server.start && !process.ended),
        Err(OutOfDescriptors) => true,
    }
}

fn server_of(name: &str) -> Option<Server> {
    let (id, start) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
    Some(Server { id: id.parse().ok()?, start: start.parse().ok()? })
}

/// The temp folder that a record names, where it is that server's by its own name, and this user's: a
/// record may have been written by a command.
fn temp_of(text: &str, server: Server) -> Option<PathBuf> {
    let path = PathBuf::from(text.lines().find_map(|line| line.strip_prefix(TEMP))?);
    let named =
        path.is_absolute() && path.file_name()?.to_str()?.starts_with(&sandbox::temp_prefix(&server.name()));
    let metadata = path.symlink_metadata().ok()?;
    let ours = metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw();
    (named && ours).then_some(path)
}

fn scopes(text: &str, server: Server, boot: &str) -> Vec<Scope> {
    let mut scopes = BTreeMap::new();
    let mut lines = text.lines();
    if lines.next().and_then(|line| line.strip_prefix("boot ")) != Some(boot) {
        return Vec::new();
    }
    for line in lines {
        let mut words = line.split(' ');
        let (Some(word), Some(random)) = (words.next(), words.next()) else { continue };
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let scope = |group, reach| Scope { mark: server.mark_of(random), group, since: server.start, reach };
        match word {
            "run" if !random.is_empty() => {
                scopes.insert(random, scope(0, KillScope::All));
            }
            "left" => {
                if let (Some(group), Some(pipe)) = (number(), number()) {
                    let group = u32::try_from(group).unwrap_or(0);
                    let reach = KillScope::Stayed { pipe: Pipe::Recorded(pipe), known: Vec::new() };
                    scopes.insert(random, scope(group, reach));
                }
            }
            "done" => {
                scopes.remove(random);
            }
            _ => {}
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
        let text = "boot b\nrun aa\nrun bb\nrun cc\ndone aa\nleft bb 100 5 x\nrun d";
        let found = scopes(text, server, "b");
        let seen: Vec<_> =
            found.iter().map(|scope| (scope.mark.as_str(), scope.group, &scope.reach)).collect();
        let stayed = KillScope::Stayed { pipe: Pipe::Recorded(5), known: Vec::new() };
        let expected =
            [("42.7.bb", 100, &stayed), ("42.7.cc", 0, &KillScope::All), ("42.7.d", 0, &KillScope::All)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_record_of_another_boot_ends_nobody() {
        let server = Server { id: 42, start: 7 };
        for text in ["boot a\nrun aa\n", "run aa\nleft aa 100 5\n", "boot \nrun aa\n", ""] {
            assert_eq!(scopes(text, server, "b"), [], "{text:?}");
        }
    }

    #[test]
    fn what_is_noted_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let server = Server { id: 1, start: 1 };
        let mut record = Record::create(|| Ok(folder.path().to_owned()), server, None).unwrap();
        record.started("1.1.aa");
        let stayed = |pipe, known| KillScope::Stayed { pipe, known };
        let scope = |reach| Scope { mark: "1.1.aa".to_owned(), group: 100, since: 1, reach };
        record.left(&scope(stayed(Pipe::Held(5), vec![(100, 8)])));
        let text = fs::read_to_string(&record.path).unwrap();
        let expected = [scope(stayed(Pipe::Recorded(5), Vec::new()))];
        assert_eq!(scopes(&text, server, &boot().unwrap()), expected, "{text}");
    }

    #[test]
    fn a_living_servers_record_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = Record::create(|| Ok(folder.path().to_owned()), Server::this(), None).unwrap();
        record.started("1.2.ab");
        assert_eq!(stale(folder.path()).len(), 0);

        // The lock alone does not tell: this server's number and start do.
        let dead = folder.path().join("cutline-server-1-1.lock");
        fs::write(&dead, format!("boot {}\nrun ab\n", boot().unwrap())).unwrap();
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
