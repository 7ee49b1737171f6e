//! Converts the lines that the searcher finds to rows.

#![expect(clippy::indexing_slicing, reason = "offsets are inside the buffer with the line")]

use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use grep_matcher::Matcher as _;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::line_reader::LineFacts;
use super::matcher::{PatternMatcher, within};
use super::rows::{Row, RowKind, shown};
use super::{Emit, Found, OutputMode};
use cutline_core::truncate::line::Missing;

/// Receives the match and context lines of one file. Without a ranking, passes each row on immediately, because the
/// read of the next line can block until the deadline.
pub(super) struct RowSink<'a, 'p, 'e> {
    matcher: &'a PatternMatcher<'a>,
    facts: &'a LineFacts,
    /// The offset of the line that was numbered last, and its number.
    numbered: (u64, u64),
    path: &'a dyn Fn() -> Vec<u8>,
    /// The path of the file, after its first row was passed on.
    shared_path: Option<Arc<[u8]>>,
    emit: &'p mut Emit<'e, Found>,
    /// A break if no more rows are needed.
    pub(super) flow: ControlFlow<()>,
    /// Number of match lines so far.
    pub(super) matches: u64,
    /// The number of the last line to return, once the search has enough match lines: the end of the last one's
    /// context.
    last: Option<u64>,
}

impl<'a, 'p, 'e> RowSink<'a, 'p, 'e> {
    pub(super) fn new(
        matcher: &'a PatternMatcher<'a>,
        facts: &'a LineFacts,
        path: &'a dyn Fn() -> Vec<u8>,
        emit: &'p mut Emit<'e, Found>,
    ) -> Self {
        let flow = ControlFlow::Continue(());
        Self { matcher, facts, numbered: (0, 1), path, shared_path: None, emit, flow, matches: 0, last: None }
    }

    /// Returns the number of the first line of a match. Counts the newlines since the line that was numbered last, if
    /// the buffer still has its start, otherwise those from the match to the end of the buffer.
    fn number(&mut self, found: &SinkMatch<'_>) -> u64 {
        let count = |text: &[u8]| bytecount::count(text, b'\n') as u64;
        let (buffer, at) = (found.buffer(), found.bytes_range_in_buffer().start);
        let begin = found.absolute_byte_offset() - at as u64;
        let (last, number) = self.numbered;
        // The buffer ends with the last line that was read.
        let number = match last.checked_sub(begin) {
            Some(last) => number + count(&buffer[usize::try_from(last).unwrap_or(at)..at]),
            None => self.facts.newlines.get() + 1 - count(&buffer[at..]),
        };
        self.numbered = (found.absolute_byte_offset(), number);
        number
    }

    /// Adds a line that starts at the byte `offset` of the text. `focus` is the match in it. Returns true if more lines
    /// are needed.
    fn line(&mut self, kind: RowKind, number: u64, offset: u64, line: &[u8], focus: Range<usize>) -> bool {
        let (oversized_line, query) = (self.facts.take_oversized(offset), self.matcher.query);
        let row = |kind, focus| {
            let shown = || shown(line, focus, query.max_line_chars, Missing::default());
            let (text, cut_from) = oversized_line.clone().unwrap_or_else(shown);
            Row { number, kind, text, cut_from }
        };
        if let Some(ranking) = self.matcher.ranking {
            let mut ranking = ranking.borrow_mut();
            let score = if kind == RowKind::Match { ranking.line_points(line, &focus) } else { None };
            let as_context = (!query.context.is_none()).then(|| row(RowKind::Context, 0..0));
            if score.is_some() || as_context.is_some() {
                ranking.add_line(number, score.map(|score| (score, row(kind, focus))), as_context);
            }
            return true;
        }
        let row = row(kind, focus);
        let path = self.shared_path.get_or_insert_with(|| (self.path)().into());
        self.flow = (self.emit)(Found::Row(Arc::clone(path), row));
        self.flow.is_continue() && self.last.is_none_or(|last| number < last)
    }
}

impl Sink for RowSink<'_, '_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let query = self.matcher.query;
        let is_ranked = self.matcher.ranking.is_some();
        // The matcher counts most lines (`passed_lines`). Those of a search across lines come here.
        if query.mode == OutputMode::Count && !is_ranked {
            self.matches += found.lines().count() as u64;
            return Ok(true);
        }
        if query.mode == OutputMode::Files && !is_ranked {
            self.matches = 1;
            return Ok(false);
        }
        let (pattern, block) = (&query.pattern, found.buffer());
        let lines = found.bytes_range_in_buffer();
        let first = found.line_number().unwrap_or_else(|| self.number(found));
        let mut at = lines.start;
        let mut across = lines.start..lines.start;
        for (line, number) in found.lines().zip(first..) {
            let unended = pattern.unended(line);
            // The position of the match only matters if the line is truncated or ranked.
            let focus = if unended.len() <= query.max_line_chars && !is_ranked {
                0..0
            } else if pattern.is_across_lines {
                // The first match that extends into the line.
                while across.end <= at {
                    let next = self.matcher.find_at(block, across.end)?;
                    let Some(next) = next else { break };
                    // An empty match counts as one byte, so that the search continues after it.
                    across = next.start()..next.end().max(next.start() + 1);
                }
                let start = across.start.saturating_sub(at).min(unended.len());
                // Without a ranking, the text around the start is shown, because the match can be longer than the text
                // to show.
                start..if is_ranked { (across.end.max(at) - at).clamp(start, unended.len()) } else { start }
            } else {
                let text = line.strip_suffix(b"\n").unwrap_or(line);
                self.matcher.find(text)?.map_or(0..0, |in_line| within(unended, in_line))
            };
            let offset = found.absolute_byte_offset() + (at - lines.start) as u64;
            self.matches += 1;
            if self.matches == query.enough {
                self.last = Some(number + query.context.after);
            }
            if !self.line(RowKind::Match, number, offset, unended, focus) {
                return Ok(false);
            }
            at += line.len();
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        let (number, offset) = (found.line_number().unwrap_or(1), found.absolute_byte_offset());
        let line = self.matcher.query.pattern.unended(found.bytes());
        Ok(self.line(RowKind::Context, number, offset, line, 0..0))
    }
}
