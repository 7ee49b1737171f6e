//! Progress of a command while it runs, for a client that asked for it.
//!
//! New output is told of at most five times a second; a silent command is said to run every ten
//! seconds, because many clients give up on what says nothing for a minute. What the model gets is
//! not told here.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::process::{Latest, Running};
use crate::tools::Progress;
use cutline_core::notice::Count;
use cutline_core::text::terminal::Terminal;
use cutline_core::text::{self, Size};

/// Time between two looks for new output.
const INTERVAL: Duration = Duration::from_millis(200);
/// Time between two messages about a silent command.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Characters of the last line that are told.
const LINE_CHARS: usize = 200;

/// The news of one command.
pub(super) struct News<'a> {
    progress: &'a Progress,
    pace: Pace,
}

impl<'a> News<'a> {
    /// News that go to `progress`.
    pub(super) fn new(progress: &'a Progress) -> Self {
        Self { progress, pace: Pace::new(Instant::now()) }
    }

    /// Done when there may be something to tell; never, where nobody listens.
    pub(super) async fn due(&self) {
        if self.progress.is_wanted() {
            sleep_until(self.pace.next_look).await;
        } else {
            std::future::pending::<()>().await;
        }
    }

    /// Tells that the command has not begun: as many run as may.
    pub(super) fn tell_of_waiting(&mut self) {
        if self.pace.tells(Instant::now(), 0) {
            self.progress.report("waits for others to end".to_owned());
        }
    }

    /// Tells what is new, or that the command still runs.
    pub(super) fn tell(&mut self, running: &Running) {
        if self.pace.tells(Instant::now(), running.bytes())
            && let Some(latest) = running.latest()
        {
            self.progress.report(message(&latest));
        }
    }
}

/// When there is something to tell.
struct Pace {
    /// When to look next.
    next_look: Instant,
    /// When it was told last; at first, when the command began.
    told: Instant,
    /// Bytes of output that there were then.
    bytes: u64,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Self { next_look: now + INTERVAL, told: now, bytes: 0 }
    }

    /// True if a message is due now, after that many `bytes` of output.
    fn tells(&mut self, now: Instant, bytes: u64) -> bool {
        self.next_look = now + INTERVAL;
        let tells = bytes != self.bytes || now >= self.told + HEARTBEAT;
        if tells {
            (self.bytes, self.told) = (bytes, now);
        }
        tells
    }
}

/// The last line that is not blank, and how much there is: `Compiling cutline (120 lines, 5.4KB)`.
fn message(latest: &Latest) -> String {
    if latest.extent.bytes == 0 {
        return "no output yet".to_owned();
    }
    let lines = Count(latest.extent.lines, "line", "lines");
    let counts = format!("({lines}, {})", Size(latest.extent.bytes));
    let mut resolved = String::new();
    let mut terminal = Terminal::new(latest.recent.len() as u64);
    terminal.push(&String::from_utf8_lossy(&latest.recent), &mut |text| resolved.push_str(text));
    terminal.finish(&mut |text| resolved.push_str(text));
    let last = resolved.lines().rev().map(str::trim).find(|line| !line.is_empty());
    match last {
        Some(line) => {
            let end = line.char_indices().nth(LINE_CHARS).map_or(line.len(), |(at, _)| at);
            format!("{} {counts}", text::prefix(line, end))
        }
        None => counts,
    }
}

#[cfg(test)]
mod tests {
    use cutline_core::text::Extent;

    use super::*;

    /// When it is told, in milliseconds, of a command that has printed `bytes(t)` at that time.
    fn told_at(bytes: impl Fn(u64) -> u64, until: u64) -> Vec<u64> {
        let began = Instant::now();
        let mut pace = Pace::new(began);
        let mut told = Vec::new();
        loop {
            let now = pace.next_look;
            let millis = u64::try_from((now - began).as_millis()).unwrap();
            if millis > until {
                return told;
            }
            if pace.tells(now, bytes(millis)) {
                told.push(millis);
            }
        }
    }

    #[test]
    fn a_silent_command_is_told_of_every_ten_seconds() {
        assert_eq!(told_at(|_| 0, 35_000), [10_000, 20_000, 30_000]);
        let early = |millis| if millis < 3_100 { 0 } else { 5 };
        assert_eq!(told_at(early, 25_000), [3_200, 13_200, 23_200]);
    }

    #[test]
    fn a_command_that_prints_all_the_time_is_told_of_five_times_a_second() {
        assert_eq!(told_at(|millis| millis, 1_000), [200, 400, 600, 800, 1_000]);
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
