//! Going through a file's lines, block by block: which match, and which stand near.

use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

use grep_matcher::{LineMatchKind, Matcher as _};

use super::pattern::Way;
use super::rows::{Row, RowKind, Rows, shown};
use super::{Emit, OutputMode, Query};
use cutline_core::truncate::line::Missing;

/// What is known while the blocks of one file pass.
pub(super) struct Scan<'a, 'e> {
    pub(super) query: &'a Query,
    emit: &'a mut Emit<'e>,
    rows: Rows,
    /// Number of the first line of the next block.
    number: u64,
    pub(super) matches: u64,
    /// Number of the last line that can stand near a match that is wanted, once there are enough.
    last_near: Option<u64>,
    /// Lines that are still to be shown after the last match.
    after: usize,
    /// The last lines of the blocks before that were not shown.
    before: VecDeque<Kept>,
}

/// A line kept until it is known whether it stands before a match.
struct Kept {
    number: u64,
    text: String,
    cut: bool,
}

/// A line that no block holds.
pub(super) struct LongLine<'a> {
    /// Its first bytes.
    pub(super) head: &'a [u8],
    /// What is shown of it where it matches, and whether that is cut.
    pub(super) matched: Option<(String, bool)>,
}

impl<'a, 'e> Scan<'a, 'e> {
    pub(super) fn new(query: &'a Query, emit: &'a mut Emit<'e>) -> Self {
        Self {
            query,
            emit,
            rows: Rows::default(),
            number: 1,
            matches: 0,
            last_near: None,
            after: 0,
            before: VecDeque::new(),
        }
    }

    fn context(&self) -> usize {
        match self.query.what {
            OutputMode::Lines { context } => context,
            OutputMode::Any | OutputMode::Count => 0,
        }
    }

    /// Searches a block: whole lines, the last one of a file perhaps without its newline.
    pub(super) fn block(&mut self, block: &[u8]) -> ControlFlow<()> {
        let (mut counted, mut unshown, mut number) = (0, 0, self.number);
        let (mut from, way) = (0, self.query.pattern.way(block));
        while let Some(line) = self.next_match(block, from, way) {
            from = line.end;
            self.matches += 1;
            if let OutputMode::Lines { context } = self.query.what {
                number += newlines(block, counted..line.start);
                counted = line.start;
                if context > 0 {
                    unshown = self.after(block, unshown..line.start, number)?;
                    self.before(block, unshown..line.start, number)?;
                }
                self.matched(block, line.clone(), number)?;
                self.after = context;
                unshown = line.end;
            }
            self.enough(number)?;
        }
        if matches!(self.query.what, OutputMode::Lines { .. }) {
            number += newlines(block, counted..block.len());
            // A last line without its newline is counted too; nothing comes after it.
            let end = number + u64::from(block.last().is_some_and(|&byte| byte != b'\n'));
            unshown = self.after(block, unshown..block.len(), end)?;
            self.keep(block, unshown..block.len(), end);
            self.number = number;
            let is_past =
                self.matches >= self.query.enough && self.last_near.is_some_and(|last| number > last);
            if is_past {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes a line that no block holds.
    pub(super) fn long_line(&mut self, line: LongLine<'_>) -> ControlFlow<()> {
        let (number, context) = (self.number, self.context());
        self.number += 1;
        let missing = Missing { before: false, after: true };
        if let Some((text, cut)) = line.matched {
            self.matches += 1;
            if matches!(self.query.what, OutputMode::Lines { .. }) {
                self.before(&[], 0..0, number)?;
                self.push(Row { number, kind: RowKind::Match, text: &text, cut })?;
                self.after = context;
            }
            return self.enough(number);
        }
        if context > 0 {
            let (text, cut) = shown(line.head, 0..0, self.query.max_line_chars, missing);
            if self.after > 0 {
                self.after -= 1;
                return self.push(Row { number, kind: RowKind::Context, text: &text, cut });
            }
            self.remember(Kept { number, text: text.into_owned(), cut });
        }
        ControlFlow::Continue(())
    }

    /// Hands over the rows that are left.
    pub(super) fn finish(&mut self) -> ControlFlow<()> {
        if self.rows.is_empty() {
            return ControlFlow::Continue(());
        }
        (self.emit)(std::mem::take(&mut self.rows))
    }

    /// Whether there are enough, after a match in the line `number`. The last of them only says that
    /// there are more: near the one before it, it and others stand as context.
    fn enough(&mut self, number: u64) -> ControlFlow<()> {
        let enough = match self.query.what {
            OutputMode::Any => self.matches > 0,
            OutputMode::Count => false,
            OutputMode::Lines { context } => {
                if self.matches.saturating_add(1) >= self.query.enough {
                    let last_near = *self.last_near.get_or_insert(number + context as u64);
                    self.matches >= self.query.enough && number >= last_near
                } else {
                    false
                }
            }
        };
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The next line that matches, from the start of a line on; with its newline.
    fn next_match(&self, block: &[u8], mut from: usize, way: Way<'_>) -> Option<Range<usize>> {
        let pattern = &self.query.pattern;
        let (together, doubted) = match way {
            Way::Together(matcher) => (Some(matcher), false),
            Way::Doubted(matcher) => (Some(matcher), true),
            Way::Apart => (None, true),
        };
        let together = together.filter(|matcher| matcher.line_terminator().is_some());
        while from < block.len() {
            let (at, sure) = if let Some(matcher) = together {
                match matcher.find_candidate_line(block.get(from..)?).ok()?? {
                    LineMatchKind::Confirmed(at) => (from + at, !doubted),
                    LineMatchKind::Candidate(at) => (from + at, false),
                }
            } else {
                (from, false)
            };
            let line = line_at(block, at);
            if line.is_empty() {
                return None;
            }
            if sure || pattern.plain.is_match(pattern.searched(block.get(line.clone())?)).unwrap_or(false) {
                return Some(line);
            }
            from = line.end;
        }
        None
    }

    fn matched(&mut self, block: &[u8], line: Range<usize>, number: u64) -> ControlFlow<()> {
        let whole = block.get(line).unwrap_or_default();
        let (pattern, line) = (&self.query.pattern, unended(whole));
        let max_chars = self.query.max_line_chars;
        // Where the match is matters only to a line that is cut.
        let focus = if line.len() > max_chars {
            let found = pattern.plain.find(pattern.searched(whole)).ok().flatten();
            found.map_or(0..0, |found| found.start().min(line.len())..found.end().min(line.len()))
        } else {
            0..0
        };
        let (text, cut) = shown(line, focus, max_chars, Missing::default());
        self.push(Row { number, kind: RowKind::Match, text: &text, cut })
    }

    fn line(&mut self, block: &[u8], line: Range<usize>, number: u64) -> ControlFlow<()> {
        let line = unended(block.get(line).unwrap_or_default());
        let (text, cut) = shown(line, 0..0, self.query.max_line_chars, Missing::default());
        self.push(Row { number, kind: RowKind::Context, text: &text, cut })
    }

    fn push(&mut self, row: Row<'_>) -> ControlFlow<()> {
        self.before.clear();
        self.rows.push(row);
        if self.rows.is_full() { self.finish() } else { ControlFlow::Continue(()) }
    }

    /// Shows the lines of `range` that stand after the last match; `end` is the number of the line
    /// after the range. Gives where the others begin.
    fn after(&mut self, block: &[u8], range: Range<usize>, end: u64) -> ControlFlow<(), usize> {
        let mut at = range.start;
        if self.after == 0 || range.is_empty() {
            return ControlFlow::Continue(at);
        }
        let in_range = newlines(block, range.clone());
        let open_end = block.get(range.end - 1).is_some_and(|&byte| byte != b'\n');
        let mut number = end - in_range - u64::from(open_end);
        while at < range.end && self.after > 0 {
            let line = line_at(block, at);
            at = line.end;
            self.line(block, line, number)?;
            number += 1;
            self.after -= 1;
        }
        ControlFlow::Continue(at)
    }

    /// Shows the lines that stand before a match: the last ones of `range`, and of earlier blocks where
    /// the range is all there is of this one. `number` is the number of the match line.
    fn before(&mut self, block: &[u8], range: Range<usize>, number: u64) -> ControlFlow<()> {
        let lines = last_lines(block, range.clone(), self.context());
        let in_block = lines.len() as u64;
        if range.start == 0 {
            let first = number.saturating_sub(self.context() as u64);
            for kept in std::mem::take(&mut self.before) {
                if kept.number >= first {
                    let Kept { number, text, cut } = kept;
                    self.push(Row { number, kind: RowKind::Context, text: &text, cut })?;
                }
            }
        }
        for (line, number) in lines.into_iter().zip(number - in_block..) {
            self.line(block, line, number)?;
        }
        ControlFlow::Continue(())
    }

    /// Keeps the last lines of a block, for a match in the next one. `end` is the number after them.
    fn keep(&mut self, block: &[u8], range: Range<usize>, end: u64) {
        let context = self.context();
        if context == 0 {
            return;
        }
        let lines = last_lines(block, range, context);
        let first = end - lines.len() as u64;
        for (line, number) in lines.into_iter().zip(first..) {
            let line = unended(block.get(line).unwrap_or_default());
            let (text, cut) = shown(line, 0..0, self.query.max_line_chars, Missing::default());
            self.remember(Kept { number, text: text.into_owned(), cut });
        }
    }

    fn remember(&mut self, line: Kept) {
        if self.before.len() >= self.context() {
            self.before.pop_front();
        }
        self.before.push_back(line);
    }

    /// Shows the lines that a match across lines covers. `block` is the whole file, `number` that of the
    /// first line, `found` where the match starts.
    pub(super) fn covered(
        &mut self,
        block: &[u8],
        lines: Range<usize>,
        mut number: u64,
        found: usize,
    ) -> ControlFlow<()> {
        let mut at = lines.start;
        while at < lines.end {
            let line = line_at(block, at);
            let start = line.start;
            at = line.end;
            self.matches += 1;
            if let OutputMode::Lines { .. } = self.query.what {
                let line = unended(block.get(line).unwrap_or_default());
                let focus = found.saturating_sub(start).min(line.len());
                let (text, cut) = shown(line, focus..focus, self.query.max_line_chars, Missing::default());
                self.push(Row { number, kind: RowKind::Match, text: &text, cut })?;
            }
            self.enough(number)?;
            number += 1;
        }
        self.after = self.context();
        ControlFlow::Continue(())
    }

    /// Shows what stands between two matches of a file that is in memory whole, and is to be shown;
    /// `end` is the number of the line after the range.
    pub(super) fn between(&mut self, block: &[u8], range: Range<usize>, end: u64) -> ControlFlow<()> {
        if self.context() == 0 {
            return ControlFlow::Continue(());
        }
        let unshown = self.after(block, range.clone(), end)?;
        self.before(block, unshown..range.end, end)
    }

    /// Shows what stands after the last match of a file that is in memory whole.
    pub(super) fn end(&mut self, block: &[u8], range: Range<usize>, number: u64) -> ControlFlow<()> {
        let lines = newlines(block, range.clone());
        let open_end = block.last().is_some_and(|&byte| byte != b'\n');
        self.after(block, range, number + lines + u64::from(open_end)).map_continue(|_| ())
    }
}

/// The line in which the byte `at` is, with its newline.
pub(super) fn line_at(block: &[u8], at: usize) -> Range<usize> {
    let before = block.get(..at).and_then(|before| memchr::memrchr(b'\n', before));
    let after = block.get(at..).and_then(|after| memchr::memchr(b'\n', after));
    before.map_or(0, |before| before + 1)..after.map_or(block.len(), |after| at + after + 1)
}

/// A line without what ends it: `\n` or `\r\n`. A `\r` at the end of the file ends nothing.
pub(super) fn unended(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(ended) => ended.strip_suffix(b"\r").unwrap_or(ended),
        None => line,
    }
}

pub(super) fn newlines(block: &[u8], range: Range<usize>) -> u64 {
    block.get(range).map_or(0, |part| memchr::memchr_iter(b'\n', part).count() as u64)
}

/// The last lines of a range, `max` at most.
fn last_lines(block: &[u8], range: Range<usize>, max: usize) -> VecDeque<Range<usize>> {
    let mut lines = VecDeque::new();
    let mut end = range.end;
    while end > range.start && lines.len() < max {
        let line = line_at(block, end - 1);
        end = line.start.max(range.start);
        lines.push_front(end..line.end);
    }
    lines
}
