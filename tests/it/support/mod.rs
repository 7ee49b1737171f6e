//! The test harness. Tests contain only inputs and expected results.

mod client;
mod escaped;
mod pipes;
mod recipe;
mod reply;
mod start;
mod workspace;

use std::time::{Duration, Instant};

pub(crate) use client::Client;
pub(crate) use escaped::{assert_fits_cline, escaped_texts};
pub(crate) use recipe::{content, text};
pub(crate) use reply::{Reply, difference};
pub(crate) use start::{Protocol, Start};
pub(crate) use workspace::Workspace;

/// Time after which a wait fails as a hang. No test expects to wait this long.
pub(crate) const HANG_TIMEOUT: Duration = Duration::from_secs(40);

/// Calls `happened` until it returns true. Fails after [`HANG_TIMEOUT`] with `what` in the message.
#[track_caller]
pub(crate) fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < HANG_TIMEOUT, "still waiting after {HANG_TIMEOUT:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
