//! Reports the progress of a running command to clients that requested it.
//!
//! New output is reported at most five times a second. A silent command is reported every ten seconds, because many
//! clients stop waiting for a call that sends nothing for a minute. The model does not get these messages.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::capture::Latest;
use crate::process::Running;
use crate::tools::Progress;
use cutline_core::notice::Count;
use cutline_core::text::Size;
use cutline_core::text::terminal::resolved;

/// Time between two checks for new output.
const INTERVAL: Duration = Duration::from_millis(200);
/// Time between two messages about a silent command.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Maximum characters of the last line in a report.
const LINE_CHARS: usize = 200;

/// Reports the progress of one command.
pub(super) struct ProgressReporter<'a> {
    progress: &'a Progress,
    /// Time of the next check for new output.
    next_check: Instant,
    /// Time of the last report, or of the start of the command before the first report.
    reported: Instant,
    /// Number of output bytes at that time.
    bytes: u64,
}

impl<'a> ProgressReporter<'a> {
    /// Creates a reporter for `progress`.
    pub(super) fn new(progress: &'a Progress) -> Self {
        let now = Instant::now();
        Self { progress, next_check: now + INTERVAL, reported: now, bytes: 0 }
    }

    /// Waits until there may be something to report.
    pub(super) async fn due(&self) {
        sleep_until(self.next_check).await;
    }

    /// Reports that the command waits for other commands to end.
    pub(super) fn report_waiting(&mut self) {
        if self.is_due(Instant::now(), 0) {
            self.progress.report("waits for others to end".to_owned());
        }
    }

    /// Reports new output, or that the command is still running.
    pub(super) fn report(&mut self, running: &Running) {
        if self.is_due(Instant::now(), running.bytes())
            && let Some(latest) = running.latest()
        {
            self.progress.report(message(&latest));
        }
    }

    /// Returns true if a report is due at `now`. `bytes` is the size of the output so far.
    fn is_due(&mut self, now: Instant, bytes: u64) -> bool {
        self.next_check = now + INTERVAL;
        let is_due = bytes != self.bytes || now >= self.reported + HEARTBEAT;
        if is_due {
            (self.bytes, self.reported) = (bytes, now);
        }
        is_due
    }
}

/// Formats the last line that is not blank, and the size of the output: `Compiling cutline (120 lines, 5.4KB)`.
fn message(latest: &Latest) -> String {
    if latest.extent.bytes == 0 {
        return "no output yet".to_owned();
    }
    let lines = Count(latest.extent.lines, "line", "lines");
    let counts = format!("({lines}, {})", Size(latest.extent.bytes));
    let shown = resolved(&String::from_utf8_lossy(&latest.recent), latest.recent.len() as u64);
    let last = shown.lines().rev().map(str::trim).find(|line| !line.is_empty());
    match last {
        Some(line) => format!("{} {counts}", line.chars().take(LINE_CHARS).collect::<String>()),
        None => counts,
    }
}

#[cfg(test)]
mod tests {
    use cutline_core::text::{self, Extent};

    use super::*;

    /// Returns the times of reports in milliseconds for a command that has printed `bytes(t)` bytes at the time `t`.
    fn report_times(bytes: impl Fn(u64) -> u64, until: u64) -> Vec<u64> {
        let progress = Progress::default();
        let mut reporter = ProgressReporter::new(&progress);
        let began = reporter.reported;
        let mut times = Vec::new();
        loop {
            let now = reporter.next_check;
            let millis = u64::try_from((now - began).as_millis()).unwrap();
            if millis > until {
                return times;
            }
            if reporter.is_due(now, bytes(millis)) {
                times.push(millis);
            }
        }
    }

    #[test]
    fn silent_command_is_reported_every_ten_seconds() {
        assert_eq!(report_times(|_| 0, 35_000), [10_000, 20_000, 30_000]);
        let early = |millis| if millis < 3_100 { 0 } else { 5 };
        assert_eq!(report_times(early, 25_000), [3_200, 13_200, 23_200]);
    }

    #[test]
    fn steady_output_is_reported_five_times_a_second() {
        assert_eq!(report_times(|millis| millis, 1_000), [200, 400, 600, 800, 1_000]);
    }

    #[test]
    fn the_last_line_and_the_counts() {
        let cases = [
            ("", "no output yet"),
            ("one\ntwo\n\n", "two (3 lines, 9B)"),
            (" \n", "(1 line, 2B)"),
            ("done\n10%\r20%", "20% (2 lines, 12B)"),
        ];
        for (output, expected) in cases {
            let mut counter = text::Counter::default();
            counter.push(output.as_bytes());
            let latest = Latest { extent: counter.extent(), recent: output.as_bytes().to_vec() };
            assert_eq!(message(&latest), expected);
        }
        let extent = Extent { lines: 1, bytes: 300 };
        let long = Latest { extent, recent: "é".repeat(300).into_bytes() };
        assert_eq!(message(&long), format!("{} (1 line, 300B)", "é".repeat(200)));
    }
}
