//! The file of records: one line of JSON for each call, nothing of its content.
//!
//! A line goes out in one write at the file's end, so several servers may share a file. It is written
//! on the thread that writes the answers, before the answer: a few hundred bytes into a regular file,
//! which the system takes into memory. What can't be written costs the line and nothing else.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::stats::Record;
use crate::tools::error::reason;

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
    /// The records go to the end of `file`; `is_torn` where a part of a line stands there.
    pub fn new(file: File, is_torn: bool) -> Self {
        Self { file, torn: AtomicBool::new(is_torn), warned: AtomicBool::new(false) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::append::Appended;

    fn record() -> Record {
        let line = r#"{"time":"2026-11-20T10:00:00.000Z","tool":"ls","durationMs":0.25,"outcome":"error"}"#;
        serde_json::from_str(line).unwrap()
    }

    fn open(path: &std::path::Path) -> StatsFile {
        let Appended { file, is_torn } = Appended::open(path).unwrap();
        StatsFile::new(file, is_torn)
    }

    #[test]
    fn lines_are_added_to_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        for lines in 1..3 {
            open(&path).append(&record());
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text.lines().count(), lines, "{text}");
            assert!(text.ends_with("\"outcome\":\"error\"}\n"), "{text}");
        }
    }

    #[test]
    fn a_line_after_a_part_of_one_is_a_line_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        std::fs::write(&path, "{\"time\":").unwrap();
        let file = open(&path);
        file.append(&record());
        file.append(&record());
        let text = std::fs::read_to_string(&path).unwrap();
        let read: Vec<bool> = text.lines().map(|line| serde_json::from_str::<Record>(line).is_ok()).collect();
        assert_eq!(read, [false, true, true], "{text}");
    }
}
