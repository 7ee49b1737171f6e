//! The file of records: one line of JSON for each call, nothing of its content.
//!
//! Each line is appended with one write, so several servers can share a file. A separate thread writes, so that a
//! slow disk delays no message. A line that cannot be written is dropped.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::fs::append::Appended;
use crate::stats::Record;
use crate::tools::error::reason;

/// Records in the queue of the writer. They need a few hundred kilobytes.
const WAITING: usize = 1024;
/// Time that a server waits for the last records at its end.
const FINISH_TIMEOUT: Duration = Duration::from_secs(2);

/// A file of records, and the thread that writes it.
#[derive(Debug)]
pub struct StatsFile {
    work: mpsc::Sender<Work>,
    /// True after a warning about a dropped record.
    warned: AtomicBool,
}

/// A job of the thread.
type Work = Box<dyn FnOnce(&mut RecordWriter) + Send>;

impl StatsFile {
    /// Opens the file at `path`, and starts the thread.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::start(RecordWriter::new(Appended::open(path)?))
    }

    fn start(mut writer: RecordWriter) -> io::Result<Self> {
        let (work, mut waiting) = mpsc::channel::<Work>(WAITING);
        std::thread::Builder::new().name("stats".to_owned()).spawn(move || {
            while let Some(work) = waiting.blocking_recv() {
                work(&mut writer);
            }
        })?;
        Ok(Self { work, warned: AtomicBool::new(false) })
    }

    /// Queues a record. Drops it if the queue is full.
    pub fn append(&self, record: Record) {
        let handed = self.work.try_send(Box::new(move |writer| writer.append(&record)));
        if handed.is_err() && !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!("--stats-file: the disk is too slow, lines are left out");
        }
    }

    /// Waits until all records are written, within a bounded time.
    pub async fn finish(&self) {
        let (done, written) = oneshot::channel();
        let finish = async {
            // The thread works in order, so all earlier records are written.
            let _the_thread_is_gone = self.work.send(Box::new(|_| _ = done.send(()))).await;
            written.await
        };
        if tokio::time::timeout(FINISH_TIMEOUT, finish).await.is_err() {
            tracing::warn!("--stats-file: the disk does not answer, the last lines may be missing");
        }
    }
}

/// Writes records to the end of a file.
#[derive(Debug)]
pub struct RecordWriter {
    to: Appended,
    /// True after a warning about a failure.
    warned: bool,
}

impl RecordWriter {
    /// A writer to the end of a file.
    pub fn new(to: Appended) -> Self {
        Self { to, warned: false }
    }

    /// Writes a record. Logs a warning for the first failure.
    pub fn append(&mut self, record: &Record) {
        if let Err(error) = self.write(record) {
            self.to.is_torn = true;
            if !std::mem::replace(&mut self.warned, true) {
                tracing::warn!("--stats-file: a line could not be written: {}", reason(&error));
            }
        }
    }

    fn write(&mut self, record: &Record) -> io::Result<()> {
        // The last write may have been incomplete, so a newline comes first.
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

    fn open(path: &Path) -> RecordWriter {
        RecordWriter::new(Appended::open(path).unwrap())
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

    #[cfg(unix)]
    #[tokio::test]
    async fn disk_that_does_not_answer_holds_up_nothing() {
        use std::io::BufRead as _;

        let (read, write) = io::pipe().unwrap();
        let file = std::fs::File::from(std::os::fd::OwnedFd::from(write));
        let stats = StatsFile::start(RecordWriter::new(Appended { file, is_torn: false })).unwrap();
        // More than the pipe and the queue take: the writer blocks, and this thread does not.
        for _ in 0..20_000 {
            stats.append(record());
        }
        assert!(stats.warned.load(Ordering::Relaxed));
        let lines = std::thread::spawn(move || {
            io::BufReader::new(read).lines().map(Result::unwrap).collect::<Vec<_>>()
        });
        stats.finish().await;
        drop(stats);
        let lines = lines.join().unwrap();
        assert!((WAITING..20_000).contains(&lines.len()), "{}", lines.len());
        assert!(lines.iter().all(|line| serde_json::from_str::<Record>(line).is_ok()));
    }

    #[tokio::test]
    async fn no_record_is_lost_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        let stats = StatsFile::open(&path).unwrap();
        for _ in 0..WAITING {
            stats.append(record());
        }
        stats.finish().await;
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), WAITING);
    }
}
