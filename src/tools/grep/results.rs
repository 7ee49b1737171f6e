//! Builds the result of grep from its matches.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::limits::PSEUDO_FILE_BYTES;
use crate::search::best::Best;
use crate::search::content::{ContextLines, Found, IncompleteReason, OutputMode, Row, RowKind};
use crate::search::ignore_rules::IgnoreRules;
use crate::search::walk::Walked;
use crate::sys;
use cutline_core::details::Details;
use cutline_core::notice::{InAll, Names};
use cutline_core::text::{Total, as_index};

use super::{Context, FEW_MATCHES, Output, Query, ToolError, functions};
use crate::tools::ToolName;
use crate::tools::notice::{Notice, StoppedAt, Unit, WhySkipped};
use crate::tools::page::{Group, Page, RowFormat};
use crate::tools::walk_support::{Counting, Paths, SkippedEntries, StoppedSearch};

/// Maximum bytes of binary files that a call searches for a match.
const BINARY_CALL_BYTES: u64 = 64_000_000;
/// Maximum number of binary files of a target that are searched for a match.
const BINARY_FILES: usize = 16_384;

/// Whether the definitions around matches are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShowFunctions {
    Never,
    Always,
    /// If the page has all matches, and they are few.
    IfFew,
}

/// Collects the matches, in order.
pub(super) struct Results {
    cx: Context,
    query: Query,
    /// The paths of the current target, and its real path.
    paths: Paths,
    base: PathBuf,
    /// The number of targets that were not searched completely yet.
    targets_left: usize,
    /// The path of the last target that was searched completely.
    last_complete: Option<String>,
    /// The ignore rules of the folders that were searched, and whether the folders have links.
    pub(super) walked: Vec<(IgnoreRules, Arc<AtomicBool>)>,
    pub(super) counting: Counting,
    /// The number of match lines, of files with a match, and the last such file.
    matches: u64,
    files: u64,
    last_file: Option<Vec<u8>>,
    /// The binary files of the current target.
    pub(super) binary: Vec<Vec<u8>>,
    /// The bytes of binary files that the call may still search.
    pub(super) binary_bytes: u64,
    /// The binary files that contain the pattern.
    pub(super) binary_matches: Names,
    /// What is to say about a search without results.
    pub(super) cause: Option<Notice>,
    page: Page,
    /// The format of the lines in the saved output.
    saved_format: RowFormat,
    file: Option<FileRows>,
    /// The last match on the page, which may still get context lines.
    open: Option<(PathBuf, Group)>,
    /// Whether the definitions around matches are shown.
    functions: ShowFunctions,
    /// Files with matches on the page, and their matches without those definitions.
    closed: Vec<(PathBuf, Vec<Group>)>,
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
    file: PathBuf,
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
    pub(super) fn new(
        cx: &Context,
        query: &Query,
        page: Page,
        targets: usize,
        functions: ShowFunctions,
    ) -> Self {
        Self {
            cx: cx.clone(),
            query: query.clone(),
            paths: Paths::default(),
            base: PathBuf::new(),
            functions,
            closed: Vec::new(),
            targets_left: targets,
            last_complete: None,
            walked: Vec::new(),
            counting: Counting::default(),
            matches: 0,
            files: 0,
            last_file: None,
            binary: Vec::new(),
            binary_bytes: BINARY_CALL_BYTES,
            binary_matches: Names::default(),
            cause: None,
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
    pub(super) fn begin(&mut self, paths: Paths, base: &Path) -> bool {
        base.clone_into(&mut self.base);
        (self.paths, self.file, self.last_file) = (paths, None, None);
        self.counting.begin_place();
        !self.counting.is_at_least
    }

    /// Returns the paths of the current target.
    pub(super) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Returns true if the search is complete and found nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.page.found == 0 && self.targets_left == 0
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
        match self.counting.take(walked, &mut self.skipped, &self.paths)? {
            None => {}
            Some(Found::Row(path, row)) => self.row(path, row),
            Some(Found::File(path, matches)) => {
                self.count(&path, matches);
                if self.query.mode == OutputMode::Content {
                    self.page.found += matches;
                } else {
                    let file = || file_group(self.paths.show(&path), self.query.mode, matches);
                    let _is_counted_beyond_the_page = self.page.take(file);
                }
                self.count_if_full();
            }
            Some(Found::Ranked(path, matches, lines)) => {
                self.count(&path, matches);
                self.page.found += if self.query.mode == OutputMode::Content { matches } else { 1 };
                self.rank(&path, matches, lines);
            }
            Some(Found::Incomplete(path, why)) => match why {
                IncompleteReason::Binary => {
                    self.skipped.binary += 1;
                    if self.binary.len() < BINARY_FILES {
                        self.binary.push(path);
                    }
                }
                IncompleteReason::NotCounted => self.counting.is_at_least = true,
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
        let file = if self.functions == ShowFunctions::Never { PathBuf::new() } else { self.file_at(path) };
        let (Some(best), Some(ranking)) = (&mut self.best, &self.query.ranking) else { return };
        let mut shown: Option<Arc<str>> = None;
        for (score, rows) in lines {
            if best.least().is_none_or(|least| score > *least) {
                let shown = shown.get_or_insert_with(|| self.paths.show(path).into());
                let (path, file) = (Arc::clone(shown), file.clone());
                best.push(score, RankedRows { path, file, matches, rows });
            }
        }
        if let Some(least) = best.least() {
            ranking.require_above(*least);
        }
    }

    /// Counts match lines of a file.
    fn count(&mut self, path: &[u8], matches: u64) {
        self.matches += matches;
        if self.last_file.as_deref() != Some(path) {
            self.files += 1;
            self.last_file = Some(path.to_vec());
        }
    }

    /// Lets the search only count once the page is full.
    fn count_if_full(&mut self) {
        if self.page.found >= self.query.enough {
            self.counting.page_is_full();
            self.query.is_counting.store(true, Ordering::Relaxed);
        }
    }

    fn row(&mut self, path: Arc<[u8]>, row: Row) {
        if row.kind == RowKind::Match {
            self.count(&path, 1);
        }
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
        self.show_row(&mut file, row);
        self.file = Some(file);
        self.count_if_full();
    }

    /// Adds a row to the page.
    fn show_row(&mut self, file: &mut FileRows, row: Row) {
        let ContextLines { before, after } = self.query.context;
        file.before.retain(|earlier| earlier.number + before >= row.number);
        // A match that belongs to another page is a context line on this page.
        if row.kind == RowKind::Match && self.page.request.gives(self.page.found) {
            return self.match_row(file, row);
        }
        let left = file.last_match.and_then(|last| (last + after).checked_sub(row.number));
        if !self.query.context.is_none() && (left.is_some() || !self.page.has_enough()) {
            let row = Row { kind: RowKind::Context, ..row };
            if let (Some(_), Some((_, group))) = (left, &mut self.open) {
                file.last_line = Some(row.number);
                group.rows.push_back(row);
            } else {
                file.before.push_back(row);
            }
        }
    }

    fn match_row(&mut self, file: &mut FileRows, row: Row) {
        let mut rows = std::mem::take(&mut file.before);
        let first = rows.front().map_or(row.number, |first| first.number);
        let touches = file.last_line.is_some_and(|last| last + 1 == first);
        (file.last_match, file.last_line) = (Some(row.number), Some(row.number));
        let (at, separated) = (rows.len(), !self.query.context.is_none() && !touches);
        rows.push_back(row);
        let group = Group { path: file.shown.clone(), rows, at, separated, count: None };
        let in_file = (self.file_at(&file.path), group);
        if let Some((path, last)) = self.open.replace(in_file) {
            self.show(path, last);
        }
    }

    /// Returns the real path of a file of the current target.
    fn file_at(&self, path: &[u8]) -> PathBuf {
        if path.is_empty() { self.base.clone() } else { self.base.join(&*sys::name(path)) }
    }

    /// Adds a complete match to the page.
    fn show(&mut self, path: PathBuf, group: Group) {
        if self.functions == ShowFunctions::Never || group.rows.is_empty() {
            return self.page.body.group(group);
        }
        match self.closed.last_mut() {
            Some((last, groups)) if *last == path => groups.push(group),
            _ => {
                if self.functions == ShowFunctions::Always {
                    self.show_closed();
                }
                self.closed.push((path, vec![group]));
            }
        }
        let count = self.closed.iter().map(|(_, groups)| groups.len()).sum::<usize>();
        if self.functions == ShowFunctions::IfFew && count > FEW_MATCHES {
            self.functions = ShowFunctions::Never;
            self.show_closed();
        }
    }

    /// Adds the matches that wait to the page, with the definitions around them.
    fn show_closed(&mut self) {
        for (path, mut groups) in std::mem::take(&mut self.closed) {
            if self.functions != ShowFunctions::Never && !self.page.body.is_full() {
                functions::add(&self.cx, &path, &mut groups);
            }
            for group in groups {
                self.page.body.group(group);
            }
        }
    }

    /// Adds a match of the ranking to the page. With context lines, each match is a separate group.
    fn show_ranked(&mut self, RankedRows { path, file, matches, rows }: RankedRows) {
        let shown = path.to_string();
        if self.query.mode != OutputMode::Content {
            return self.page.body.group(file_group(shown, self.query.mode, matches));
        }
        let at = rows.iter().position(|row| row.kind == RowKind::Match).unwrap_or(0);
        let separated = !self.query.context.is_none();
        self.show(file, Group { path: shown, rows: rows.into(), at, separated, count: None });
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
        let is_incomplete = self.targets_left > 0 && !self.counting.is_at_least;
        let stopped = self.skipped.stopped.take().or_else(|| is_incomplete.then(StoppedSearch::default));
        stopped.map(|mut stopped| {
            // If no path of the last target was searched completely, the earlier targets were.
            stopped.path = stopped.path.or_else(|| self.last_complete.take());
            stopped.at(found, Unit::Matches)
        })
    }

    /// Builds the result of the call.
    pub(super) fn conclude(mut self) -> Result<Output, ToolError> {
        let skipped = as_index(self.page.request.offset);
        let ranked = self.best.take().into_iter().flat_map(Best::into_sorted).skip(skipped);
        ranked.for_each(|(_, rows)| self.show_ranked(rows));
        if let Some((path, last)) = self.open.take() {
            self.show(path, last);
        }
        if self.functions == ShowFunctions::IfFew && self.page.has_enough() {
            self.functions = ShowFunctions::Never;
        }
        self.show_closed();
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
        self.page.stopped = self.stopped_at(!is_empty);
        let (unit, count) = match self.query.mode {
            OutputMode::Files => (Unit::Files, self.files),
            OutputMode::Content | OutputMode::Count => (Unit::Matches, self.matches),
        };
        let count = Total::new(count, self.counting.is_at_least);
        self.page.in_all = Some(InAll { count, unit, files: (unit == Unit::Matches).then_some(self.files) });
        about.extend(self.skipped.notices(&mut details));
        about.extend((!self.binary_matches.is_empty()).then_some(Notice::BinaryMatches(self.binary_matches)));
        about.extend(self.cause);
        self.page.answer(&self.cx, None, about, details)
    }
}

/// Returns the result for a file in this mode.
fn file_group(path: String, mode: OutputMode, matches: u64) -> Group {
    let count = (mode == OutputMode::Count).then_some(matches);
    Group { count, ..Group::name(path) }
}
