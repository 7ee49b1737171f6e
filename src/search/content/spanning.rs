//! Matches that may span lines, in a text that is in memory whole.

use std::ops::ControlFlow;

use grep_matcher::Matcher as _;

use super::Stop;
use super::pattern::Way;
use super::scan::{Scan, line_at, newlines};

/// Shows each line that a match covers, once.
pub(super) fn search(scan: &mut Scan<'_, '_>, text: &[u8], stop: &Stop) -> ControlFlow<()> {
    let (mut from, mut shown_to, mut number) = (0, 0, 1);
    let matcher = match scan.query.pattern.way(text) {
        Way::Together(matcher) | Way::Doubted(matcher) => matcher,
        Way::Apart => &scan.query.pattern.plain,
    };
    while from <= text.len() && !stop.is_stopped() {
        let Ok(Some(found)) = matcher.find_at(text, from) else { break };
        // A match of nothing must not be found again; what is after the last newline is no line.
        from = found.end().max(found.start() + 1);
        if found.start() >= text.len() {
            break;
        }
        let start = line_at(text, found.start()).start.max(shown_to);
        let last = found.end().max(found.start() + 1) - 1;
        let end = line_at(text, last).end;
        if end <= shown_to {
            continue;
        }
        number += newlines(text, shown_to..start);
        scan.between(text, shown_to..start, number)?;
        scan.covered(text, start..end, number, found.start())?;
        number += newlines(text, start..end);
        shown_to = end;
    }
    scan.end(text, shown_to..text.len(), number)
}
