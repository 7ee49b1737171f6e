//! What is told of a command while it runs, to a client that asked for it.
//!
//! New output is told of at most five times a second; a silent command is said to run every ten
//! seconds, because many clients give up on what says nothing for a minute. What the model gets is
//! not told here.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::exec::process::{Latest, Running};
use crate::notice::Count;
use crate::text::terminal::Terminal;
use crate::text::{self, Size};
use crate::tools::Progress;

/// How often new output is looked for.
const INTERVAL: Duration = Duration::from_millis(200);
/// How often a silent command is told of.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Characters of the last line that are told.
const LINE_CHARS: usize = 200;

/// The news of one command.
pub(super) struct News<'a> {
    progress: &'a Progress,
    look: Instant,
    told: Instant,
    bytes: u64,
}

impl<'a> News<'a> {
    /// News that go to `progress`.
    pub(super) fn new(progress: &'a Progress) -> Self {
        let now = Instant::now();
        Self { progress, look: now + INTERVAL, told: now, bytes: 0 }
    }

    /// Done when there may be something to tell; never, where nobody listens.
    pub(super) async fn due(&self) {
        if self.progress.is_wanted() {
            sleep_until(self.look).await;
        } else {
            std::future::pending::<()>().await;
        }
    }

    /// Tells what is new, or that the command still runs.
    pub(super) fn tell(&mut self, running: &Running) {
        let now = Instant::now();
        self.look = now + INTERVAL;
        let bytes = running.bytes();
        if bytes == self.bytes && now < self.told + HEARTBEAT {
            return;
        }
        (self.bytes, self.told) = (bytes, now);
        self.progress.report(message(&running.latest()));
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
    use super::*;
    use crate::truncate::Extent;

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
