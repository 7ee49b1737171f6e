//! The file of records: one line of JSON for each call, nothing of its content.
//!
//! A line goes out in one write at the file's end, so several servers may share a file. It is written
//! on the thread that writes the answers, before the answer: a few hundred bytes into a regular file,
//! which the system takes into memory. What can't be written costs the line and nothing else.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::OFlags;

use crate::stats::Record;
use crate::tools::error::reason;

/// The mode of a file that is created: it tells when somebody worked, and with what.
const MODE: u32 = 0o600;

/// An open file of records.
#[derive(Debug)]
pub struct StatsFile {
    file: File,
    /// Whether a part of a line may stand at the end: the last write failed, or another's did.
    torn: AtomicBool,
    /// Whether a failure was told of.
    warned: AtomicBool,
}

impl StatsFile {
    /// Opens the file at `path` to write at its end, and creates it where there is none.
    ///
    /// Links are followed: the path is the user's own. Only a regular file is taken; a write to
    /// anything else, and already opening a FIFO, could wait for whoever is at its other end.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(MODE);
        let never_wait = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
        let file = options.custom_flags(never_wait).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let torn = AtomicBool::new(ends_in_a_line(path)? == Some(false));
        Ok(Self { file, torn, warned: AtomicBool::new(false) })
    }

    /// Writes a record; the first failure is warned of.
    pub fn append(&self, record: &Record) {
        if let Err(error) = self.write(record) {
            self.torn.store(true, Ordering::Relaxed);
            if !self.warned.swap(true, Ordering::Relaxed) {
                tracing::warn!("--stats-file: a line could not be written: {}", reason(&error));
            }
        }
    }

    fn write(&self, record: &Record) -> io::Result<()> {
        // After a part of a line, a line of its own.
        let mut line = if self.torn.load(Ordering::Relaxed) { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut line, record)?;
        line.push(b'\n');
        let mut file = &self.file;
        match file.write(&line)? {
            written if written == line.len() => {
                self.torn.store(false, Ordering::Relaxed);
                Ok(())
            }
            _ => Err(io::ErrorKind::StorageFull.into()),
        }
    }
}

/// Whether a file ends with a whole line; `None` where it is empty, or not to be read.
fn ends_in_a_line(path: &Path) -> io::Result<Option<bool>> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    let Some(at) = file.metadata()?.len().checked_sub(1) else { return Ok(None) };
    let mut last = [0];
    Ok((file.read_at(&mut last, at)? == 1).then_some(last == *b"\n"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn record() -> Record {
        let line = r#"{"time":"2026-11-20T10:00:00.000Z","tool":"ls","durationMs":0.25,"outcome":"error"}"#;
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn lines_are_added_to_what_is_there_and_the_mode_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        for lines in 1..3 {
            StatsFile::open(&path).unwrap().append(&record());
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text.lines().count(), lines, "{text}");
            assert!(text.ends_with("\"outcome\":\"error\"}\n"), "{text}");
        }
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn only_a_regular_file_is_taken_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for path in [fifo.as_path(), folder.path(), Path::new("/dev/null"), Path::new("/no/such/folder/x")] {
            assert!(StatsFile::open(path).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn a_line_after_a_part_of_one_is_a_line_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        std::fs::write(&path, "{\"time\":").unwrap();
        let file = StatsFile::open(&path).unwrap();
        file.append(&record());
        file.append(&record());
        let text = std::fs::read_to_string(&path).unwrap();
        let read: Vec<bool> = text.lines().map(|line| serde_json::from_str::<Record>(line).is_ok()).collect();
        assert_eq!(read, [false, true, true], "{text}");
    }
}
