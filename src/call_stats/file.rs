//! The file of call records: one line of JSON for each call, without its content.
//!
//! Each line is one write at the end of the file, so several servers can share a file. If a line cannot be written, it
//! is lost, but the call succeeds.

use std::io::{self, Write as _};
use std::path::Path;

use crate::fs::append::Appended;
use crate::stats::Record;
use crate::tools::error::reason;

/// A file of call records. Each record is written before [`append`](Self::append) returns.
#[derive(Debug)]
pub struct StatsFile {
    to: Appended,
    /// True after a failure was logged.
    warned: bool,
}

impl StatsFile {
    /// Opens the file at `path`, and creates it if it is missing.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is not a regular file of this user with a single hard link.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { to: Appended::open(path)?, warned: false })
    }

    /// Writes a record. Logs the first failure.
    pub fn append(&mut self, record: &Record) {
        if let Err(error) = self.write(record) {
            self.to.is_torn = true;
            if !std::mem::replace(&mut self.warned, true) {
                tracing::warn!("--stats-file: a line could not be written: {}", reason(&error));
            }
        }
    }

    fn write(&mut self, record: &Record) -> io::Result<()> {
        // The file may end with an incomplete line.
        let mut line = if self.to.is_torn { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut line, record)?;
        line.push(b'\n');
        if self.to.file.write(&line)? != line.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.to.is_torn = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let line = r#"{"time":"2026-11-20T10:00:00.000Z","tool":"ls","durationMs":0.25,"outcome":"error"}"#;
        serde_json::from_str(line).unwrap()
    }

    fn open(path: &Path) -> StatsFile {
        StatsFile::open(path).unwrap()
    }

    #[test]
    fn lines_are_appended() {
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
    fn torn_line_is_ended_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        std::fs::write(&path, "{\"time\":").unwrap();
        let mut file = open(&path);
        file.append(&record());
        file.append(&record());
        let text = std::fs::read_to_string(&path).unwrap();
        let read: Vec<bool> = text.lines().map(|line| serde_json::from_str::<Record>(line).is_ok()).collect();
        assert_eq!(read, [false, true, true], "{text}");
    }
}
