//! Builds the result of grep from its matches.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::limits::PSEUDO_FILE_BYTES;
use crate::search::best::Best;
use crate::search::content::{ContextLines, Found, IncompleteReason, OutputMode, Row, RowKind};
use crate::search::ignore_rules::IgnoreRules;
use crate::search::walk::{TreeSearch, Walked};
use cutline_core::details::Details;
use cutline_core::text::as_index;

use super::{Args, Context, Output, Query, ToolError, path_glob};
use crate::tools::ToolName;
use crate::tools::notice::{Notice, StoppedAt, Unit, WhySkipped};
use crate::tools::page::{Group, Page, RowFormat};
use crate::tools::walk_support::{Paths, SkippedEntries, StoppedSearch};

/// Collects the matches, in order.
pub(super) struct Results {
    cx: Context,
    query: Query,
    /// The paths of the current target.
    paths: Paths,
    /// The number of targets that were not searched completely yet.
    targets_left: usize,
    /// The path of the last target that was searched completely.
    last_complete: Option<String>,
    /// The ignore rules of the folders that were searched.
    rules: Vec<IgnoreRules>,
    /// The search of the current target, so that another thread can conclude it at the deadline.
    search: Option<Arc<dyn TreeSearch>>,
    page: Page,
    /// The format of the lines in the saved output.
    saved_format: RowFormat,
    file: Option<FileRows>,
    /// The last match on the page, which may still get context lines.
    open: Option<Group>,
    /// The best matches of a ranking. They become the body when the search ends.
    best: Option<Best<i32, RankedRows>>,
    skipped: SkippedEntries,
    /// True if the call searches a single file, and only a part of it was searched.
    pub(super) is_part_of_file: bool,
}

/// A match line with its context. If files are ranked, the best line of a file with the number of its match lines.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RankedRows {
    /// The path as shown.
    path: Arc<str>,
    matches: u64,
    rows: Vec<Row>,
}

/// The current file, and its last lines on the page.
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
    /// Lines since the last match that do not belong to its context.
    before: VecDeque<Row>,
}

impl Results {
    /// Returns the results of a search of `targets` places.
    pub(super) fn new(cx: &Context, query: &Query, page: Page, targets: usize) -> Self {
        Self {
            cx: cx.clone(),
            query: query.clone(),
            paths: Paths::default(),
            targets_left: targets,
            last_complete: None,
            rules: Vec::new(),
            search: None,
            best: query.ranking.is_some().then(|| Best::new(as_index(page.request.kept()))),
            page,
            saved_format: RowFormat::new(&cx.limits),
            file: None,
            open: None,
            skipped: SkippedEntries::default(),
            is_part_of_file: false,
        }
    }

    /// Starts the next target. Returns false if no more results are needed.
    pub(super) fn begin(&mut self, paths: Paths) -> bool {
        (self.paths, self.file) = (paths, None);
        !self.may_end()
    }

    /// Adds the search of the current target, which is a folder.
    pub(super) fn add_search(&mut self, rules: IgnoreRules, search: Arc<dyn TreeSearch>) {
        self.rules.push(rules);
        self.search = Some(search);
    }

    /// Takes the search of the current target.
    pub(super) fn take_search(&mut self) -> Option<Arc<dyn TreeSearch>> {
        self.search.take()
    }

    /// Returns true if the search of the current target stopped at its deadline.
    pub(super) fn is_stopped(&self) -> bool {
        self.skipped.stopped.is_some()
    }

    /// Ends the current target, which was searched completely.
    pub(super) fn complete(&mut self, is_folder: bool) {
        self.targets_left -= 1;
        self.last_complete = Some(self.paths.of_place(is_folder));
    }

    /// Adds the next result of the walk. Breaks when no more are needed.
    pub(super) fn take(&mut self, walked: Walked<Found>) -> ControlFlow<()> {
        // If no more matches are needed, only the lines after the last match are.
        let last = self.file.as_ref().map(|file| &file.path);
        let is_after = matches!(&walked, Walked::Found(Found::Row(path, _)) if last == Some(path));
        if self.may_end() && !is_after {
            return ControlFlow::Break(());
        }
        match self.skipped.take(walked, &self.paths) {
            None => {}
            Some(Found::Row(path, row)) => return self.row(path, row),
            Some(Found::File(path, matches)) => {
                let file = || file_group(self.paths.show(&path), self.query.mode, matches);
                return self.page.take(file);
            }
            Some(Found::Ranked(path, matches, lines)) => {
                self.page.found += if self.query.mode == OutputMode::Content { matches } else { 1 };
                self.rank(&path, matches, lines);
            }
            Some(Found::Incomplete(path, why)) => match why {
                IncompleteReason::Binary => self.skipped.binary += 1,
                IncompleteReason::LongLine => self.skip(WhySkipped::LongLine, &path),
                IncompleteReason::TooLarge => {
                    self.skip(WhySkipped::TooLarge(self.query.pattern.multiline_bytes), &path);
                }
                IncompleteReason::Rest => self.skip(WhySkipped::SearchedUpTo(PSEUDO_FILE_BYTES), &path),
            },
        }
        ControlFlow::Continue(())
    }

    fn skip(&mut self, why: WhySkipped, path: &[u8]) {
        self.skipped.skip(why, &self.paths.show(path));
    }

    /// Adds the lines of a file that are among the most relevant ones.
    fn rank(&mut self, path: &Arc<[u8]>, matches: u64, lines: Vec<(i32, Vec<Row>)>) {
        let (Some(best), Some(ranking)) = (&mut self.best, &self.query.ranking) else { return };
        let mut shown: Option<Arc<str>> = None;
        for (score, rows) in lines {
            if best.least().is_none_or(|least| score > *least) {
                let path = shown.get_or_insert_with(|| self.paths.show(path).into());
                best.push(score, RankedRows { path: Arc::clone(path), matches, rows });
            }
        }
        if let Some(least) = best.least() {
            ranking.require_above(*least);
        }
    }

    fn row(&mut self, path: Arc<[u8]>, row: Row) -> ControlFlow<()> {
        let mut file = match self.file.take() {
            Some(file) if file.path == path => file,
            _ => FileRows { shown: self.paths.show(&path), path, ..FileRows::default() },
        };
        if let Some(whole) = &mut self.page.whole {
            let touches = file.last_row.is_some_and(|last| last + 1 == row.number);
            let is_separated = !self.query.context.is_none() && self.page.found > 0 && !touches;
            for line in self.saved_format.before_rows(&file.shown, is_separated) {
                whole.push(&line);
            }
            whole.push(&self.saved_format.line(&file.shown, &row));
            file.last_row = Some(row.number);
        }
        self.page.found += u64::from(row.kind == RowKind::Match);
        let context_left = self.show_row(&mut file, row);
        self.file = Some(file);
        if self.may_end() && context_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns true if no more matches are needed.
    fn may_end(&self) -> bool {
        self.page.found >= self.query.enough
    }

    /// Adds a row to the page. Returns the number of lines after it that belong to the last match.
    fn show_row(&mut self, file: &mut FileRows, row: Row) -> u64 {
        let ContextLines { before, after } = self.query.context;
        file.before.retain(|earlier| earlier.number + before >= row.number);
        // A match that belongs to another page is a context line on this page.
        if row.kind == RowKind::Match && self.page.request.gives(self.page.found) {
            self.match_row(file, row);
            return after;
        }
        let left = file.last_match.and_then(|last| (last + after).checked_sub(row.number));
        if !self.query.context.is_none() && (left.is_some() || !self.page.has_enough()) {
            let row = Row { kind: RowKind::Context, ..row };
            if let (Some(_), Some(group)) = (left, &mut self.open) {
                file.last_line = Some(row.number);
                group.rows.push_back(row);
            } else {
                file.before.push_back(row);
            }
        }
        left.unwrap_or(0)
    }

    fn match_row(&mut self, file: &mut FileRows, row: Row) {
        let mut rows = std::mem::take(&mut file.before);
        let first = rows.front().map_or(row.number, |first| first.number);
        let touches = file.last_line.is_some_and(|last| last + 1 == first);
        (file.last_match, file.last_line) = (Some(row.number), Some(row.number));
        let (at, separated) = (rows.len(), !self.query.context.is_none() && !touches);
        rows.push_back(row);
        let group = Group { path: file.shown.clone(), rows, at, separated, count: None };
        if let Some(last) = self.open.replace(group) {
            self.page.body.group(last);
        }
    }

    /// Adds a match of the ranking to the page. With context lines, each match is a separate group.
    fn show_ranked(&mut self, RankedRows { path, matches, rows }: RankedRows) {
        let shown = path.to_string();
        if self.query.mode != OutputMode::Content {
            return self.page.body.group(file_group(shown, self.query.mode, matches));
        }
        let at = rows.iter().position(|row| row.kind == RowKind::Match).unwrap_or(0);
        let separated = !self.query.context.is_none();
        self.page.body.group(Group { path: shown, rows: rows.into(), at, separated, count: None });
    }

    /// Returns how the model can see the complete lines. The longest line has this many bytes.
    fn full_lines(&self, bytes: u64) -> Option<String> {
        let (limits, has_bash) = (&self.cx.limits, self.cx.has(ToolName::Bash));
        let read_cuts_too = limits.max_text_line_chars.is_some();
        let is_page = bytes <= limits.bounds().sure_bytes();
        // If a line is too long for a page, read would refer to bash or grep.
        if self.cx.has(ToolName::Read) && !read_cuts_too && (is_page || has_bash) {
            Some("Use read tool to see full lines".to_owned())
        } else {
            (has_bash && read_cuts_too).then(|| "Use bash to see the rest".to_owned())
        }
    }

    /// Returns how far the search got, if it stopped at its deadline.
    fn stopped_at(&mut self, found: bool) -> Option<StoppedAt> {
        if self.is_part_of_file {
            return Some(StoppedAt::File { path: self.paths.show(b""), found });
        }
        let is_incomplete = self.targets_left > 0 && !self.may_end();
        let stopped = self.skipped.stopped.take().or_else(|| is_incomplete.then(StoppedSearch::default));
        stopped.map(|mut stopped| {
            // If no path of the last target was searched completely, the earlier targets were.
            stopped.path = stopped.path.or_else(|| self.last_complete.take());
            stopped.at(found, Unit::Matches)
        })
    }

    /// Builds the result of the call.
    pub(super) fn conclude(mut self, args: &Args) -> Result<Output, ToolError> {
        let skipped = as_index(self.page.request.offset);
        let ranked = self.best.take().into_iter().flat_map(Best::into_sorted).skip(skipped);
        ranked.for_each(|(_, rows)| self.show_ranked(rows));
        if let Some(last) = self.open.take() {
            self.page.body.group(last);
        }
        let mut details = Details::default();
        let mut about = Vec::new();
        if let Some(bytes) = self.page.body.cut_from {
            details.lines_truncated = Some(true);
            let (max_chars, next) = (self.query.max_line_chars, self.full_lines(bytes));
            about.push(Notice::LinesTruncated { max_chars, next });
        }
        let lines = self.page.body.omitted_context;
        if lines > 0 {
            let next = self.cx.has(ToolName::Read).then(|| "Use read tool to see them".to_owned());
            about.push(Notice::ContextLeftOut { lines, next });
        }
        let is_empty = self.page.found == 0;
        about.extend((is_empty && args.escapes_bar()).then_some(Notice::BarEscaped));
        if let (true, Some([path])) = (is_empty, args.path.as_deref()) {
            about.extend(path_glob::repeats_path("glob", path, args.glob.iter().flatten()));
        }
        let mut nothing_but_ignored = false;
        // The glob does not apply to a file that the call names.
        if is_empty && !self.rules.is_empty() {
            nothing_but_ignored = self.rules.iter().any(IgnoreRules::ignored_any);
        }
        self.page.stopped = self.stopped_at(!is_empty);
        about.extend(self.skipped.notices(nothing_but_ignored, &mut details));
        self.page.answer(None, about, details)
    }
}

/// Returns the result for a file in this mode.
fn file_group(path: String, mode: OutputMode, matches: u64) -> Group {
    let count = (mode == OutputMode::Count).then_some(matches);
    Group { count, ..Group::name(path) }
}
