//! Makes rows of the lines that the searcher finds in a file.

#![expect(clippy::indexing_slicing, reason = "offsets are within the buffer that holds the line")]

use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use grep_matcher::Matcher as _;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::line_reader::ReadLines;
use super::matcher::{PatternMatcher, within};
use super::rows::{Row, RowKind, shown};
use super::{Emit, Found, OutputMode};
use cutline_core::truncate::line::Missing;

/// Bytes of rows that are passed on together.
const FULL_BYTES: usize = 64 * 1024;

/// Takes the match and context lines of one file.
pub(super) struct RowSink<'a, 'e> {
    matcher: &'a PatternMatcher<'a>,
    read: &'a ReadLines,
    /// The byte at which the line begins that was numbered last, and its number.
    numbered: (u64, u64),
    path: &'a dyn Fn() -> Vec<u8>,
    emit: &'e mut Emit<'e, Found>,
    /// The path of the file, after its first rows were passed on.
    shared_path: Option<Arc<[u8]>>,
    rows: Vec<Row>,
    /// Bytes of those rows.
    held_bytes: usize,
    matches: u64,
    /// Number of the last line near the match that makes them enough.
    last: Option<u64>,
    flow: ControlFlow<()>,
}

impl<'a, 'e> RowSink<'a, 'e> {
    pub(super) fn new(
        matcher: &'a PatternMatcher<'a>,
        read: &'a ReadLines,
        path: &'a dyn Fn() -> Vec<u8>,
        emit: &'e mut Emit<'e, Found>,
    ) -> Self {
        Self {
            matcher,
            read,
            numbered: (0, 1),
            path,
            emit,
            shared_path: None,
            rows: Vec::new(),
            held_bytes: 0,
            matches: 0,
            last: None,
            flow: ControlFlow::Continue(()),
        }
    }

    /// Passes on the remaining rows. Returns the number of match lines, and a break if no further results are needed.
    pub(super) fn finish(mut self) -> (u64, ControlFlow<()>) {
        (self.matches, self.hand_over())
    }

    fn hand_over(&mut self) -> ControlFlow<()> {
        if self.flow.is_continue() && !self.rows.is_empty() {
            let path = self.shared_path.get_or_insert_with(|| (self.path)().into());
            self.flow = (self.emit)(Found::Rows(Arc::clone(path), std::mem::take(&mut self.rows)));
            self.held_bytes = 0;
        }
        self.flow
    }

    /// Returns the number of the line with which a match begins, by the newlines before it.
    fn number(&mut self, found: &SinkMatch<'_>) -> u64 {
        let count = |text: &[u8]| bytecount::count(text, b'\n') as u64;
        let (buffer, at) = (found.buffer(), found.bytes_range_in_buffer().start);
        let begin = found.absolute_byte_offset() - at as u64;
        let (last, number) = self.numbered;
        // The buffer ends with the last line that was read.
        let number = match last.checked_sub(begin) {
            Some(last) => number + count(&buffer[usize::try_from(last).unwrap_or(at)..at]),
            None => self.read.newlines.get() + 1 - count(&buffer[at..]),
        };
        self.numbered = (found.absolute_byte_offset(), number);
        number
    }

    /// Adds a line that begins at the byte `offset` of the text; `focus` is the match in it. Returns true if more lines
    /// are wanted.
    fn line(&mut self, kind: RowKind, number: u64, offset: u64, line: &[u8], focus: Range<usize>) -> bool {
        let (giant, query) = (self.read.take_giant(offset), self.matcher.query);
        let row = |kind, focus| {
            let shown = || shown(line, focus, query.max_line_chars, Missing::default());
            let (text, cut_from) = giant.clone().unwrap_or_else(shown);
            Row { number, kind, text, cut_from }
        };
        if let Some(ranking) = self.matcher.ranking {
            let mut ranking = ranking.borrow_mut();
            let score = if kind == RowKind::Match { ranking.score(line, &focus) } else { None };
            let beside = (!query.context.is_none()).then(|| row(RowKind::Context, 0..0));
            if score.is_some() || beside.is_some() {
                ranking.take(number, score.map(|score| (score, row(kind, focus))), beside);
            }
            return true;
        }
        self.rows.push(row(kind, focus));
        self.held_bytes += self.rows.last().map_or(0, Row::weight);
        let has_room = self.held_bytes < FULL_BYTES || self.hand_over().is_continue();
        has_room && self.last.is_none_or(|last| number < last)
    }
}

impl Sink for RowSink<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let query = self.matcher.query;
        let is_ranked = self.matcher.ranking.is_some();
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
            // The position of the match matters only if the line is cut or ranked.
            let focus = if unended.len() <= query.max_line_chars && !is_ranked {
                0..0
            } else if pattern.spans_lines {
                // The first match that reaches into the line.
                while across.end <= at {
                    let found = self.matcher.find_at(block, across.end)?;
                    let Some(found) = found else { break };
                    across = found.start()..found.end().max(found.start() + 1);
                }
                let start = across.start.saturating_sub(at).min(unended.len());
                start..if is_ranked { (across.end.max(at) - at).clamp(start, unended.len()) } else { start }
            } else {
                let text = line.strip_suffix(b"\n").unwrap_or(line);
                let found = self.matcher.find(text)?;
                found.map_or(0..0, |found| within(unended, found))
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
