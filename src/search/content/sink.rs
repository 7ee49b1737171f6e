//! Makes rows of the lines that the searcher finds in a file.

use std::borrow::Cow;
use std::cell::Cell;
use std::io;
use std::ops::{ControlFlow, Range};

use grep_matcher::Matcher as _;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::giant::GiantLines;
use super::line_numbers::LineNumbers;
use super::matcher::GuardedMatcher;
use super::ranked::NumberedLine;
use super::rows::{Row, RowKind, Rows, shown};
use super::{OutputMode, Query, Target};
use cutline_core::truncate::line::Missing;

/// Takes the match and context lines of one file.
pub(super) struct RowSink<'a, 'e> {
    query: &'a Query,
    matcher: &'a GuardedMatcher<'a>,
    giants: &'a GiantLines,
    target: Target<'a, 'e>,
    rows: Rows,
    matches: u64,
    numbers: LineNumbers<'a>,
    /// Number of the last line near the match that makes them enough.
    last: Option<u64>,
}

impl<'a, 'e> RowSink<'a, 'e> {
    pub(super) fn new(
        query: &'a Query,
        matcher: &'a GuardedMatcher<'a>,
        giants: &'a GiantLines,
        lines_read: &'a Cell<u64>,
        target: Target<'a, 'e>,
    ) -> Self {
        let numbers = LineNumbers::new(lines_read);
        Self { query, matcher, giants, target, rows: Rows::default(), matches: 0, numbers, last: None }
    }

    /// Hands over the rows that are left, and gives the number of match lines.
    pub(super) fn finish(mut self) -> u64 {
        let _flow = self.hand_over(); // nothing follows that could be left out
        self.matches
    }

    fn hand_over(&mut self) -> ControlFlow<()> {
        match &mut self.target {
            Target::Rows(emit) if !self.rows.is_empty() => emit(std::mem::take(&mut self.rows)),
            Target::Rows(_) | Target::Ranking(_) => ControlFlow::Continue(()),
        }
    }

    /// Adds a line that begins at the byte `offset` of the text; `focus` is the match in it. Gives whether
    /// more lines are wanted.
    fn line(&mut self, kind: RowKind, number: u64, offset: u64, line: &[u8], focus: Range<usize>) -> bool {
        let giant = self.giants.take(offset);
        let as_shown = |focus| match giant {
            Some((text, cut)) => (Cow::Owned(text), cut),
            None => shown(line, focus, self.query.max_line_chars, Missing::default()),
        };
        if let Target::Ranking(ranking) = &self.target {
            let mut ranking = ranking.borrow_mut();
            let score = if kind == RowKind::Match { ranking.score(line, &focus) } else { None };
            if score.is_some() || ranking.has_context() {
                let (text, cut) = as_shown(focus);
                ranking.take(score, NumberedLine { number, text: text.into_owned(), cut });
            }
            return true;
        }
        let (text, cut) = as_shown(focus);
        self.rows.push(Row { number, kind, text: &text, cut });
        let has_room = !self.rows.is_full() || self.hand_over().is_continue();
        has_room && self.last.is_none_or(|last| number < last)
    }
}

impl Sink for RowSink<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let is_ranked = matches!(self.target, Target::Ranking(_));
        let is_counted = match &self.target {
            Target::Ranking(ranking) => {
                let mut ranking = ranking.borrow_mut();
                self.query.pattern.spans_lines && !ranking.has_context() && !ranking.may_rank()
            }
            Target::Rows(_) => self.query.what == OutputMode::Count,
        };
        if is_counted {
            self.matches += found.lines().count() as u64;
            return Ok(true);
        }
        if self.query.what == OutputMode::Any && !is_ranked {
            self.matches = 1;
            return Ok(false);
        }
        let (pattern, block) = (&self.query.pattern, found.buffer());
        let lines = found.bytes_range_in_buffer();
        let first = found.line_number().unwrap_or_else(|| self.numbers.number(found));
        let mut at = lines.start;
        let mut across = lines.start..lines.start;
        for (line, number) in found.lines().zip(first..) {
            let unended = self.query.pattern.unended(line);
            // Where the match is matters only to a line that is cut, or ranked.
            let focus = if unended.len() <= self.query.max_line_chars && !is_ranked {
                0..0
            } else if pattern.spans_lines {
                // The first match that reaches into the line.
                while across.end <= at {
                    let found = self.matcher.find_at(block, across.end).map_err(io::Error::other)?;
                    let Some(found) = found else { break };
                    across = found.start()..found.end().max(found.start() + 1);
                }
                let start = across.start.saturating_sub(at).min(unended.len());
                start..if is_ranked { (across.end.max(at) - at).clamp(start, unended.len()) } else { start }
            } else {
                let text = line.strip_suffix(b"\n").unwrap_or(line);
                let found = self.matcher.find(text).map_err(io::Error::other)?;
                found.map_or(0..0, |found| found.start().min(unended.len())..found.end().min(unended.len()))
            };
            let offset = found.absolute_byte_offset() + (at - lines.start) as u64;
            self.matches += 1;
            if self.matches == self.query.enough {
                self.last = Some(number + self.query.context() as u64);
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
        let line = self.query.pattern.unended(found.bytes());
        Ok(self.line(RowKind::Context, number, offset, line, 0..0))
    }
}
