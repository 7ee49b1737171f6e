//! Converts the lines that the searcher finds to rows.

use std::cell::Cell;
use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use grep_matcher::Matcher as _;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::pattern::Pattern;
use super::ranked::FileRanking;
use super::rows::{Row, RowKind, shown};
use super::{Emit, Found, OutputMode, Query};
use crate::limits::GREP_COUNT_BYTES;
use crate::stop::Stop;

/// Number of match lines between two checks whether to stop.
const CHECK_LINES: u64 = 1024;

/// Receives the match and context lines of one file. Without a ranking, passes each row on immediately, because the
/// read of the next line can block until the deadline.
pub(super) struct LineSink<'a, 'e> {
    query: &'a Query,
    /// What to return for this file: only the number of match lines if the search only counts.
    mode: OutputMode,
    stop: &'a Stop,
    /// The number of bytes that may still be read. The sink limits it once it only counts.
    left: &'a Cell<u64>,
    path: &'a dyn Fn() -> Vec<u8>,
    /// The path of the file, after its first row was passed on.
    shared_path: Option<Arc<[u8]>>,
    emit: &'a mut Emit<'e, Found>,
    /// A break if no more rows are needed.
    flow: ControlFlow<()>,
    /// Number of match lines so far.
    matches: u64,
    /// The number of match lines at which to check whether to stop.
    next_check: u64,
    /// Number of match lines that were passed on as rows.
    returned: u64,
    /// The number of the last line to return, once the search has enough match lines: the end of the last one's
    /// context.
    last: Option<u64>,
    /// The most relevant lines, if the query ranks matches.
    ranking: Option<FileRanking<'a>>,
}

impl<'a, 'e> LineSink<'a, 'e> {
    pub(super) fn new(
        query: &'a Query,
        (stop, left): (&'a Stop, &'a Cell<u64>),
        path: &'a dyn Fn() -> Vec<u8>,
        emit: &'a mut Emit<'e, Found>,
    ) -> Self {
        let is_counting = query.mode == OutputMode::Content && query.is_counting.load(Ordering::Relaxed);
        if is_counting {
            left.set(query.counted_bytes);
        }
        let ranking = query.ranking.as_deref();
        let prefix = &*query.ranking_prefix;
        Self {
            query,
            mode: if is_counting { OutputMode::Count } else { query.mode },
            stop,
            left,
            path,
            shared_path: None,
            emit,
            flow: ControlFlow::Continue(()),
            matches: 0,
            next_check: CHECK_LINES,
            returned: 0,
            last: None,
            ranking: ranking.map(|ranking| FileRanking::new(ranking, query.context, (prefix, path))),
        }
    }

    /// Passes on the results that are known at the end of the search. Breaks if no more results are needed.
    pub(super) fn finish(mut self) -> ControlFlow<()> {
        let more = self.matches - self.returned;
        if more > 0 && self.flow.is_continue() {
            self.flow = (self.emit)(match self.ranking {
                Some(ranking) => Found::Ranked((self.path)().into(), self.matches, ranking.finish()),
                None => Found::File((self.path)(), more),
            });
        }
        self.flow
    }

    /// Adds a line. `focus` is the range of the match in it, or empty if its position does not matter. Returns true if
    /// more lines are needed.
    fn line(&mut self, kind: RowKind, number: u64, line: &[u8], focus: &Range<usize>) -> bool {
        let query = self.query;
        let row = |kind, focus: Range<usize>| {
            let is_counted = kind == RowKind::Match && !query.invert;
            let count = |text: &[u8]| if is_counted { count(query, text, self.stop) } else { (0, true) };
            let (text, cut_line_bytes) = shown(line, focus, query.max_line_chars, count);
            Row { number, kind, text, cut_line_bytes }
        };
        if let Some(ranking) = &mut self.ranking {
            let score = if kind == RowKind::Match { ranking.score(line, focus) } else { None };
            let as_context = (!query.context.is_none()).then(|| row(RowKind::Context, 0..0));
            if score.is_some() || as_context.is_some() {
                ranking.add_line(number, score.map(|score| (score, row(kind, focus.clone()))), as_context);
            }
            return true;
        }
        self.returned += u64::from(kind == RowKind::Match);
        let path = self.shared_path.get_or_insert_with(|| (self.path)().into());
        self.flow = (self.emit)(Found::Row(Arc::clone(path), row(kind, focus.clone())));
        self.flow.is_continue()
    }

    /// Returns true if the line with this number is needed. Otherwise, match lines are only counted.
    fn needs_line(&self, number: u64) -> bool {
        self.last.is_none_or(|last| number <= last)
    }
}

impl Sink for LineSink<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let query = self.query;
        let is_ranked = self.ranking.is_some();
        if self.matches >= self.next_check {
            self.next_check = self.matches + CHECK_LINES;
            self.stop.check()?;
        }
        match self.mode {
            _ if is_ranked => {}
            OutputMode::Content => {}
            OutputMode::Count => {
                self.matches += found.lines().count() as u64;
                return Ok(true);
            }
            OutputMode::Files => {
                self.matches = 1;
                return Ok(false);
            }
        }
        // The start of the line in the block of lines, and the last match in it.
        let (mut at, mut across) = (0, 0..0);
        for (line, number) in found.lines().zip(found.line_number().unwrap_or(1)..) {
            let unended = query.pattern.unended(line);
            self.matches += 1;
            if self.needs_line(number) {
                // The position of the match only matters if the line is truncated or ranked.
                let focus = if query.invert || unended.len() <= query.max_line_chars && !is_ranked {
                    0..0
                } else {
                    // The first match that extends into the line.
                    while across.end <= at
                        && let Ok(Some(next)) = query.pattern.regex.find_at(found.bytes(), across.end)
                    {
                        self.stop.check()?;
                        // An empty match counts as one byte, so that the search continues after it.
                        across = next.start()..next.end().max(next.start() + 1);
                    }
                    let start = across.start.saturating_sub(at).min(unended.len());
                    // Without a ranking, the text around the start is shown, because a match across lines can be longer
                    // than the text to show.
                    let is_long = query.pattern.is_across_lines && !is_ranked;
                    start..if is_long {
                        start
                    } else {
                        across.end.saturating_sub(at).clamp(start, unended.len())
                    }
                };
                if !self.line(RowKind::Match, number, unended, &focus) {
                    return Ok(false);
                }
                if self.returned == query.enough && self.last.is_none() {
                    self.last = Some(number + query.context.after);
                    self.left.set(query.counted_bytes);
                }
            }
            at += line.len();
        }
        Ok(self.left.get() > 0)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or(1);
        if self.mode != OutputMode::Content || !self.needs_line(number) {
            return Ok(true);
        }
        let line = self.query.pattern.unended(found.bytes());
        Ok(self.line(RowKind::Context, number, line, &(0..0)))
    }
}

/// Returns the number of matches in a text, and false if it is a lower bound.
///
/// A search for one match can read to the end of the text, also if the match ends long before it: `.*x|a`.
fn count(query: &Query, text: &[u8], stop: &Stop) -> (usize, bool) {
    let Pattern { regex, max_match_bytes, .. } = &query.pattern;
    let (mut matches, mut read, mut end, mut is_exact) = (0, 0, 0, true);
    let _never_fails = regex.find_iter(text, |found| {
        matches += 1;
        read += max_match_bytes.map_or(text.len() - end, |most| found.end() - end + most);
        end = found.end();
        is_exact = read <= GREP_COUNT_BYTES && stop.check().is_ok();
        is_exact
    });
    (matches, is_exact)
}
