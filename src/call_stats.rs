//! The statistics of one process: totals, a file of call records, and log messages.
//!
//! Each record is one write at the end of the file, so several servers can share a file. If a record cannot be written,
//! it is lost, but the call succeeds.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::stats::{Record, ResultSize, Stats};
use crate::sys::{self, FileKind};
use crate::tools::error::reason;

/// Percentage of the limit above which a result is close to it.
const NEAR_LIMIT_PERCENT: u64 = 70;

/// Returns the current time as RFC 3339 in UTC, or 1970 before 1970.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now().max(UNIX_EPOCH)).to_string()
}

/// The totals, and the file of call records.
#[derive(Debug)]
pub(crate) struct CallStats(Mutex<(Stats, Option<StatsFile>)>);

impl CallStats {
    /// Creates empty totals. Each call is also written to `file`.
    pub(crate) fn new(file: Option<StatsFile>) -> Self {
        Self(Mutex::new((Stats::default(), file)))
    }

    /// Counts a call, and writes its record on the calling thread. In a server, a slow disk delays all calls.
    pub(crate) fn add(&self, record: &Record) {
        let (stats, file) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stats.add(record);
        if let Some(file) = file {
            file.append(record);
        }
    }

    /// Returns one line for each called tool if there are several, and one line for all of them.
    pub(crate) fn summary(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.summary()
    }
}

/// A file of call records.
#[derive(Debug)]
pub struct StatsFile {
    file: File,
    /// True after a failure was logged.
    warned: bool,
}

impl StatsFile {
    /// Opens the file at `path`, and creates it for this user only if it is missing.
    ///
    /// Follows links in the path of the folder, because the user chose that path.
    ///
    /// # Errors
    ///
    /// Returns an error unless the path is a regular file of this user with a single hard link. A command could have
    /// created a link, and a FIFO could block.
    pub fn open(path: &Path) -> io::Result<Self> {
        let (file, stat) = sys::append(path)?;
        if stat.kind != FileKind::File {
            return Err(io::Error::other("not a regular file"));
        }
        if !stat.is_own_file() {
            return Err(io::Error::other("not a file of this user's alone: it has another owner or name"));
        }
        Ok(Self { file, warned: false })
    }

    /// Writes a record. Logs the first failure.
    pub fn append(&mut self, record: &Record) {
        if let Err(error) = self.write(record)
            && !std::mem::replace(&mut self.warned, true)
        {
            tracing::warn!("--stats-file: a line could not be written: {}", reason(&error));
        }
    }

    fn write(&mut self, record: &Record) -> io::Result<()> {
        // After a full disk, the last line can be incomplete, also one of another server.
        let mut last = *b"\n";
        if let Some(at) = self.file.metadata()?.len().checked_sub(1) {
            self.file.read_at(&mut last, at)?;
        }
        let start = if last == *b"\n" { "" } else { "\n" };
        let line = format!("{start}{}\n", serde_json::to_string(record)?);
        let written = self.file.write(line.as_bytes())?;
        if written == line.len() { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }
}

/// Logs that a result of `tool` was truncated from `total` bytes, or is close to the `limit`. Returns the message, or
/// `None` if neither is the case.
pub(crate) fn log_size(tool: &str, size: &ResultSize, total: u64, limit: u64) -> Option<&'static str> {
    let shown = size.output_bytes;
    if size.truncated_by.is_some() {
        tracing::warn!(tool, shown, total, "result truncated");
        Some("result truncated")
    } else if size.limit_percent > NEAR_LIMIT_PERCENT {
        tracing::info!(tool, shown, limit, "result near the limit");
        Some("result near the limit")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

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
        let mut file = open(&path);
        // Another server can tear its line at any time.
        std::fs::write(&path, "{\"time\":").unwrap();
        file.append(&record());
        file.append(&record());
        let text = std::fs::read_to_string(&path).unwrap();
        let read: Vec<bool> = text.lines().map(|line| serde_json::from_str::<Record>(line).is_ok()).collect();
        assert_eq!(read, [false, true, true], "{text}");
    }

    #[test]
    fn a_new_file_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        open(&path);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn anything_but_a_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for path in [fifo.as_path(), folder.path(), Path::new("/dev/null"), Path::new("/no/such/folder/x")] {
            assert!(StatsFile::open(path).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn a_link_or_a_second_name_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("victim"), "x\n").unwrap();
        std::os::unix::fs::symlink(at("victim"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("created"), at("dangling")).unwrap();
        std::fs::hard_link(at("victim"), at("second")).unwrap();
        for name in ["link", "dangling", "second"] {
            assert!(StatsFile::open(&at(name)).is_err(), "{name}");
        }
        assert!(!at("created").exists());
        assert_eq!(std::fs::read_to_string(at("victim")).unwrap(), "x\n");
    }
}
