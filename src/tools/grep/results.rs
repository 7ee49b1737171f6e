//! Makes grep's answer of the matches it finds.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::fs::open::OpenedPath;
use crate::search::best::Best;
use crate::search::content::{Found, OutputMode, PassedOver, Row, RowKind};
use crate::search::walk::Walked;
use cutline_core::details::Details;
use cutline_core::notice::{FullLines, Notice};
use cutline_core::text::as_index;

use super::{Args, Context, Output, Query, ToolError};
use crate::tools::page::{Line, Page, SEPARATOR};
use crate::tools::walk_support::{Aside, Paths};
use crate::tools::{ToolName, path_glob};

/// Takes what is found, in order.
pub(super) struct Results<'a> {
    cx: &'a Context,
    pub(super) query: &'a Query,
    paths: Paths,
    page: Page,
    /// True if the page takes no more.
    is_page_full: bool,
    file: Option<FileRows>,
    /// The best matches, where they are ranked; the body is made of them in the end.
    best: Option<Best<i32, RankedRows>>,
    aside: Aside,
    /// True if the pattern would take too long over a file.
    pub(super) is_too_costly: bool,
    /// True if ignore rules left anything out.
    pub(super) ignored_any: bool,
}

/// A match line with its context, or the best one of a file with its number of match lines.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RankedRows {
    path: Arc<[u8]>,
    matches: u64,
    rows: Vec<Row>,
}

/// The file whose rows are being added, and the last lines that were added.
#[derive(Default)]
struct FileRows {
    path: Arc<[u8]>,
    shown: String,
    /// Number of the last row.
    last_row: Option<u64>,
    /// Number of the last match line on the page.
    last_match: Option<u64>,
    /// Number of the last line on the page.
    last_line: Option<u64>,
    /// Context since the last match line that does not belong to it.
    before: VecDeque<(u64, Line)>,
}

impl<'a> Results<'a> {
    pub(super) fn new(cx: &'a Context, query: &'a Query, page: Page, place: &OpenedPath) -> Self {
        Self {
            cx,
            query,
            paths: Paths::below(&cx.workspace, &place.real),
            best: query.ranking.is_some().then(|| Best::new(as_index(page.request.kept()))),
            page,
            is_page_full: false,
            file: None,
            aside: Aside::default(),
            is_too_costly: false,
            ignored_any: false,
        }
    }

    /// Takes the next thing found; breaks when there is enough.
    pub(super) fn take(&mut self, walked: Walked<Found>) -> ControlFlow<()> {
        if self.page.has_enough() && self.best.is_none() && self.page.whole.is_none() {
            // Only what stands after the last match is still of interest.
            match (&walked, &self.file) {
                (Walked::Found(Found::Rows(path, _)), Some(file)) if file.path == *path => {}
                _ => return ControlFlow::Break(()),
            }
        }
        match self.aside.take(walked, &self.paths) {
            None => {}
            Some(Found::Rows(path, rows)) => return self.rows(path, &rows),
            Some(Found::File(path, matches)) => {
                let line = || file_line(self.paths.show(&path), self.query.mode, matches);
                self.page.count(line);
                return self.page.show(line);
            }
            Some(Found::Ranked(path, matches, lines)) => {
                self.page.found += if self.query.mode == OutputMode::Content { matches } else { 1 };
                self.rank(&path, matches, lines);
            }
            Some(Found::PassedOver(path, why)) => match why {
                PassedOver::Binary => self.aside.binary += 1,
                PassedOver::LongLine => self.aside.long_line.push(&self.paths.show(&path)),
                PassedOver::TooLarge => self.aside.too_large.push(&self.paths.show(&path)),
                PassedOver::TooCostly => {
                    self.is_too_costly = true;
                    return ControlFlow::Break(());
                }
            },
        }
        ControlFlow::Continue(())
    }

    /// Keeps those lines of a file that are among the most relevant.
    fn rank(&mut self, path: &Arc<[u8]>, matches: u64, lines: Vec<(i32, Vec<Row>)>) {
        let (Some(best), Some(ranking)) = (&mut self.best, &self.query.ranking) else { return };
        for (score, rows) in lines {
            if best.least().is_none_or(|least| score > *least) {
                best.push(score, RankedRows { path: Arc::clone(path), matches, rows });
            }
        }
        if let Some(least) = best.least() {
            ranking.raise(*least);
        }
    }

    fn rows(&mut self, path: Arc<[u8]>, rows: &[Row]) -> ControlFlow<()> {
        let mut file = match self.file.take() {
            Some(file) if file.path == path => file,
            _ => FileRows { shown: self.paths.show(&path), path, ..FileRows::default() },
        };
        for row in rows {
            if let Some(whole) = &mut self.page.whole {
                let touches = file.last_row.is_some_and(|last| last + 1 == row.number);
                if self.query.context > 0 && self.page.found > 0 && !touches {
                    whole.push(SEPARATOR);
                }
                whole.push(&row_line(&file.shown, row.kind, row).text);
                file.last_row = Some(row.number);
            }
            self.page.found += u64::from(row.kind == RowKind::Match);
            self.is_page_full = self.is_page_full || self.row(&mut file, row).is_break();
            if self.is_page_full && self.page.whole.is_none() {
                return ControlFlow::Break(());
            }
        }
        self.file = Some(file);
        ControlFlow::Continue(())
    }

    /// Gives a row to the page; breaks once that takes no more.
    fn row(&mut self, file: &mut FileRows, row: &Row) -> ControlFlow<()> {
        let context = self.query.context;
        while file.before.front().is_some_and(|(number, _)| number + context < row.number) {
            file.before.pop_front();
        }
        // A match of another page stands near those of this one as any other line does.
        if row.kind == RowKind::Match && self.page.request.gives(self.page.found) {
            self.match_row(file, row);
            return ControlFlow::Continue(());
        }
        let after = file.last_match.and_then(|last| (last + context).checked_sub(row.number));
        if self.page.has_enough() && after.is_none() {
            return ControlFlow::Break(());
        }
        if context == 0 {
            return ControlFlow::Continue(());
        }
        let line = row_line(&file.shown, RowKind::Context, row);
        if let Some(left) = after {
            file.last_line = Some(row.number);
            self.page.body.after(line);
            if self.page.has_enough() && left == 0 {
                return ControlFlow::Break(());
            }
        } else {
            file.before.push_back((row.number, line));
        }
        ControlFlow::Continue(())
    }

    fn match_row(&mut self, file: &mut FileRows, row: &Row) {
        let before = std::mem::take(&mut file.before);
        let first = before.front().map_or(row.number, |(number, _)| *number);
        let touches = file.last_line.is_some_and(|last| last + 1 == first);
        let before = before.into_iter().map(|(_, line)| line).collect();
        self.page.body.unit(self.query.context > 0 && !touches, before, row_line(&file.shown, row.kind, row));
        file.last_match = Some(row.number);
        file.last_line = Some(row.number);
    }

    /// True if a file was passed over because it is not text.
    pub(super) fn passed_over_binary(&self) -> bool {
        self.aside.binary > 0
    }

    /// Shows the page of the ranking; with context each match is a group of its own.
    fn show_ranked(&mut self, RankedRows { path, matches, rows }: RankedRows) {
        let (shown, query, body) = (self.paths.show(&path), &self.query, &mut self.page.body);
        if query.mode != OutputMode::Content {
            return body.line(file_line(shown, query.mode, matches));
        }
        let found = rows.iter().position(|row| row.kind == RowKind::Match).unwrap_or(0);
        let mut lines = rows.iter().map(|row| row_line(&shown, row.kind, row));
        let before = lines.by_ref().take(found).collect();
        if let Some(line) = lines.next() {
            body.unit(query.context > 0, before, line);
        }
        lines.for_each(|line| body.after(line));
    }

    /// Returns the way to see the whole of lines that were cut, the longest of which has so many bytes.
    fn full_lines(&self, bytes: u64) -> FullLines {
        let (limits, has_bash) = (&self.cx.limits, self.cx.has(ToolName::Bash));
        let read_cuts_too = limits.max_text_line_chars.is_some();
        let is_page = bytes <= limits.bounds().sure_bytes();
        // Of a line that no page may hold read names a command for bash, or else grep, which was here.
        if self.cx.has(ToolName::Read) && !read_cuts_too && (is_page || has_bash) {
            FullLines::Read
        } else {
            FullLines::Tools { grep: false, bash: has_bash && read_cuts_too }
        }
    }

    /// Returns the answer.
    pub(super) fn conclude(mut self, args: &Args) -> Result<Output, ToolError> {
        let skipped = as_index(self.page.request.offset);
        let ranked = self.best.take().into_iter().flat_map(Best::into_sorted).skip(skipped);
        ranked.for_each(|(_, rows)| self.show_ranked(rows));
        self.page.body.settle();
        let mut details = Details::default();
        let mut about = Vec::new();
        if let Some(bytes) = self.page.body.cut_from {
            details.lines_truncated = Some(true);
            let (max_chars, hint) = (self.query.max_line_chars, self.full_lines(bytes));
            about.push(Notice::LinesTruncated { max_chars, hint });
        }
        let lines = self.page.body.context_left_out;
        if lines > 0 {
            about.push(Notice::ContextLeftOut { lines, can_read: self.cx.has(ToolName::Read) });
        }
        let is_empty = self.page.found == 0;
        about.extend((is_empty && args.escapes_bar()).then_some(Notice::BarEscaped));
        about.extend(args.glob.as_deref().filter(|_| is_empty).and_then(path_glob::list_hint));
        about.extend(self.aside.notices(is_empty && self.ignored_any, &mut details));
        self.page.answer(None, about, details)
    }
}

/// The line of a match, `path:3: text`, or of one beside it, `path-3- text`.
fn row_line(path: &str, kind: RowKind, row: &Row) -> Line {
    let mark = if kind == RowKind::Match { ":" } else { "-" };
    let text = [path, mark, &row.number.to_string(), mark, " ", &row.text].concat();
    Line { text, path: path.len(), cut_from: row.cut_from }
}

/// The line of a file, by mode.
fn file_line(path: String, mode: OutputMode, matches: u64) -> Line {
    match mode {
        OutputMode::Count => Line { text: format!("{path}: {matches}"), path: path.len(), cut_from: None },
        OutputMode::Content | OutputMode::Files => Line::name(path),
    }
}
