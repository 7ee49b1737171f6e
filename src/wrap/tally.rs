//! The statistics of the calls of a wrapped server: sums, a line for each in a file, and a word on stderr.

use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cutline_core::truncate::Bounds;

use super::result::Judged;
use crate::fs::append::Appended;
use crate::stats::{Answered, NEAR_LIMIT_PERCENT, Outcome, Record, Stats, Tool, summary};
use crate::tools::error::reason;

/// The sums, and where each call is told of.
#[derive(Debug)]
pub(super) struct Tally(Mutex<State>);

#[derive(Debug)]
struct State {
    stats: Stats,
    file: Option<Appended>,
    /// True once a failure to write was told of.
    warned: bool,
}

impl Tally {
    /// Nothing counted yet; each call is written to `file` too.
    pub(super) fn new(file: Option<Appended>) -> Self {
        Self(Mutex::new(State { stats: Stats::default(), file, warned: false }))
    }

    /// Counts the answer of a tool, and tells where it was cut or nearly so.
    pub(super) fn answered(&self, tool: &str, duration: Duration, judged: &Judged<'_>, bounds: Bounds) {
        let answered =
            Answered::of(judged.given, judged.given_tokens, judged.total, judged.truncated_by, bounds);
        let (shown, total) = (judged.given.bytes, judged.total.bytes);
        if judged.truncated_by.is_some() {
            tracing::warn!(tool, shown, total, "answer truncated");
        } else if answered.limit_percent > NEAR_LIMIT_PERCENT {
            tracing::info!(tool, shown, limit = bounds.bytes, "answer near the limit");
        }
        self.add(tool, duration, if judged.is_error { Outcome::Error } else { Outcome::Ok(answered) });
    }

    /// Counts a call that failed, or was taken back.
    pub(super) fn add(&self, tool: &str, duration: Duration, outcome: Outcome) {
        let Some(tool) = Tool::named(tool) else { return };
        // As it is written, so that the sums of a file are those given at the end.
        let duration = Duration::from_micros(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX));
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        let record = Record { time_ms, tool, duration, outcome };
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.stats.add(&record);
        if let Some(file) = &mut state.file
            && let Err(error) = append(file, &record)
        {
            file.is_torn = true;
            if !std::mem::replace(&mut state.warned, true) {
                tracing::warn!("--stats-file: a line could not be written: {}", reason(&error));
            }
        }
    }

    /// The sums in words.
    pub(super) fn summary(&self) -> Vec<String> {
        summary(&self.0.lock().unwrap_or_else(PoisonError::into_inner).stats)
    }
}

/// Writes a line in one go, so that several processes may share a file.
fn append(file: &mut Appended, record: &Record) -> io::Result<()> {
    // After a part of a line, a line of its own.
    let mut line = if file.is_torn { vec![b'\n'] } else { Vec::new() };
    serde_json::to_writer(&mut line, record)?;
    line.push(b'\n');
    if file.file.write(&line)? < line.len() {
        return Err(io::ErrorKind::StorageFull.into());
    }
    file.is_torn = false;
    Ok(())
}
