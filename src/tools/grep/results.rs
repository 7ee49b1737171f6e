//! Builds the result of grep from its matches.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use crate::fs::lines::{self, Bytes, TextFile};
use crate::limits::PSEUDO_FILE_BYTES;
use crate::search::best::Best;
use crate::search::content::{ContextLines, Found, IncompleteReason, OutputMode, Row, RowKind};
use crate::search::walk::Walked;
use cutline_core::notice::{InAll, Names, Notice, Unit, WhySkipped};
use cutline_core::text::binary::DECIDING_BYTES;
use cutline_core::text::show;
use cutline_core::text::{Total, as_index};
use cutline_core::truncate::TruncatedBy;

use super::targets::Target;
use super::{Context, FEW_MATCHES, GrepArgs, Output, Query, ToolError, functions};
use crate::tools::ToolName;
use crate::tools::notice;
use crate::tools::page::{CutLine, Group, PageRequest, RowFormat};
use crate::tools::resolve::{self, ExpectedKind};
use crate::tools::walk_support::{COUNTED, Search};

/// Maximum bytes of binary files that a call searches for a match.
const BINARY_CALL_BYTES: u64 = 64_000_000;
/// Maximum number of binary files of a target that are searched for a match.
const BINARY_FILES: usize = 16_384;

/// Whether the definitions around matches are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShowFunctions {
    Never,
    Always,
    /// If the page has all matches, and they are few.
    IfFew,
}

/// The search of a call and its matches, in order. The methods that search a target are in `grep.rs`.
pub(super) struct Results<'a> {
    pub(super) query: Query,
    pub(super) search: Search<'a>,
    /// True if the call has a single target.
    pub(super) is_only_target: bool,
    /// Number of match lines in all targets. Not used in [`OutputMode::Files`].
    matches: u64,
    /// Number of files with a match in all targets.
    files: u64,
    /// The last file with a match.
    file: Option<FileRows>,
    /// The paths of binary files that the search of the current target skipped, at most [`BINARY_FILES`].
    pub(super) binary_paths: Vec<Vec<u8>>,
    /// The bytes of binary files that the call may still search.
    pub(super) binary_bytes: u64,
    /// The binary files that contain the pattern.
    pub(super) binary_matches: Names,
    /// The format of the lines in the saved output.
    saved_format: RowFormat,
    functions: ShowFunctions,
    /// Matches on the page that wait for the definitions around them. The last one may still get context lines.
    waiting: Vec<Group>,
    /// The best matches of a ranking. They become the body when the search ends.
    best: Option<Best<i32, Group>>,
}

/// The current file, and its last lines on the page.
#[derive(Default)]
struct FileRows {
    path: Vec<u8>,
    shown: String,
    /// Number of the last row in the saved output.
    last_saved: Option<u64>,
    /// Number of the last match line on the page.
    last_match: Option<u64>,
    /// Number of the last line on the page.
    last_line: Option<u64>,
    /// Lines after the context of the last match: the context before the next one.
    before: VecDeque<Row>,
}

impl<'a> Results<'a> {
    /// Creates the empty results of a call with this number of `targets`.
    pub(super) fn new(
        cx: &'a Context,
        args: &GrepArgs,
        query: Query,
        request: PageRequest,
        targets: usize,
    ) -> Self {
        Self {
            search: Search::new(cx, request, args.no_ignore),
            is_only_target: targets == 1,
            matches: 0,
            files: 0,
            file: None,
            binary_paths: Vec::new(),
            binary_bytes: BINARY_CALL_BYTES,
            binary_matches: Names::default(),
            saved_format: RowFormat::new(&cx.limits),
            functions: match args.show_function {
                _ if query.mode != OutputMode::Content => ShowFunctions::Never,
                Some(true) => ShowFunctions::Always,
                None if cx.limits.lean_grep => ShowFunctions::IfFew,
                _ => ShowFunctions::Never,
            },
            waiting: Vec::new(),
            best: query.ranking.is_some().then(|| Best::new(as_index(request.last()))),
            query,
        }
    }

    /// Starts the next target.
    pub(super) fn begin(&mut self, target: &Target) {
        self.search.asked.clone_from(&target.place.asked);
        if !self.is_only_target || !target.is_folder() {
            self.query.ranking_prefix = self.start_of(target).into_bytes().into();
        }
        self.file = None;
        self.search.counting.begin_target();
    }

    /// Formats the start of the paths of the current target: the path of a file, or of a folder with a `/`.
    pub(super) fn start_of(&self, target: &Target) -> String {
        let Target { place, .. } = target;
        if target.is_folder() {
            self.search.cx.workspace.show_start(&place.asked)
        } else {
            self.search.show(b"")
        }
    }

    /// Adds the next result of the walk. Breaks when no more are needed.
    pub(super) fn take(&mut self, walked: Walked<Found>) -> ControlFlow<()> {
        match self.search.take(walked)? {
            None => {}
            Some(Found::Row(path, row)) => self.row(&path, row),
            Some(Found::File(path, matches)) => {
                let (file, mode) = (self.file_of(&path), self.query.mode);
                self.matches += matches;
                let page = &mut self.search.page;
                if mode == OutputMode::Content {
                    page.found += matches;
                } else {
                    page.take(|| file_line(&file.shown, mode, matches));
                }
                self.file = Some(file);
                self.count_if_enough();
            }
            Some(Found::Ranked(path, matches, lines)) => {
                (self.matches, self.files) = (self.matches + matches, self.files + 1);
                self.search.page.found += if self.query.mode == OutputMode::Content { matches } else { 1 };
                self.rank(&path, matches, lines);
            }
            Some(Found::Incomplete(path, why)) => match why {
                IncompleteReason::Binary => {
                    self.search.binary += 1;
                    if self.binary_paths.len() < BINARY_FILES {
                        self.binary_paths.push(path);
                    }
                }
                IncompleteReason::NotCounted => self.search.counting.is_at_least = true,
                IncompleteReason::Mixed => self.search.skip(WhySkipped::Mixed, &path),
                IncompleteReason::LongLine => self.search.skip(WhySkipped::LongLine, &path),
                IncompleteReason::TooLarge => {
                    self.search.skip(WhySkipped::TooLarge(self.query.pattern.multiline_bytes), &path);
                }
                IncompleteReason::PseudoFile => {
                    self.search.skip(WhySkipped::SearchedUpTo(PSEUDO_FILE_BYTES), &path);
                }
            },
        }
        ControlFlow::Continue(())
    }

    /// Adds the lines of a file that are among the most relevant ones.
    fn rank(&mut self, path: &[u8], matches: u64, lines: Vec<(i32, Vec<Row>)>) {
        let (Some(best), Some(ranking)) = (&mut self.best, &self.query.ranking) else { return };
        for (score, rows) in lines {
            if best.least().is_none_or(|least| score > *least) {
                let path = self.search.show(path);
                best.push(score, ranked_group(path, &self.query, matches, rows));
            }
        }
        if let Some(least) = best.least() {
            ranking.require_above(*least);
        }
    }

    /// Returns the state of a file with a match. Counts the file if it is another one than before.
    fn file_of(&mut self, path: &[u8]) -> FileRows {
        self.file.take().filter(|file| file.path == path).unwrap_or_else(|| {
            self.files += 1;
            FileRows { shown: self.search.show(path), path: path.to_vec(), ..FileRows::default() }
        })
    }

    /// Lets the search only count once it has found [`Query::enough`].
    fn count_if_enough(&mut self) {
        if self.search.page.found >= self.query.enough {
            self.search.counting.only_count(COUNTED);
            self.query.is_counting.store(true, Ordering::Relaxed);
        }
    }

    fn row(&mut self, path: &[u8], row: Row) {
        let mut file = self.file_of(path);
        let page = &mut self.search.page;
        if let Some(saved) = &mut page.saved_result {
            let touches = file.last_saved.is_some_and(|last| last + 1 == row.number);
            let is_separated = !self.query.context.is_none() && page.found > 0 && !touches;
            for line in self.saved_format.before_rows(&file.shown, is_separated) {
                saved.push(&line);
            }
            saved.push(&self.saved_format.line(&file.shown, &row));
            file.last_saved = Some(row.number);
        }
        if row.kind == RowKind::Match {
            (self.matches, page.found) = (self.matches + 1, page.found + 1);
        }
        self.show_row(&mut file, row);
        self.file = Some(file);
        self.count_if_enough();
    }

    /// Adds a row to the page.
    fn show_row(&mut self, file: &mut FileRows, row: Row) {
        let (ContextLines { before, after }, page) = (self.query.context, &self.search.page);
        file.before.retain(|earlier| earlier.number + before >= row.number);
        // A match that belongs to another page is a context line on this page.
        if row.kind == RowKind::Match && page.request.contains(page.found) {
            return self.match_row(file, row);
        }
        let left = file.last_match.and_then(|last| (last + after).checked_sub(row.number));
        if !self.query.context.is_none() && (left.is_some() || !page.has_more()) {
            let row = Row { kind: RowKind::Context, ..row };
            if let (Some(_), Some(group)) = (left, self.waiting.last_mut()) {
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
        rows.push_back(row);
        let separated = !self.query.context.is_none() && !touches;
        self.add(Group { path: file.shown.clone(), rows, separated });
    }

    /// Adds a match to the page. The match before it is complete.
    fn add(&mut self, group: Group) {
        let is_complete = match self.functions {
            ShowFunctions::Never => true,
            ShowFunctions::Always => self.waiting.last().is_some_and(|last| last.path != group.path),
            ShowFunctions::IfFew => self.waiting.len() >= FEW_MATCHES,
        };
        if is_complete {
            if self.functions == ShowFunctions::IfFew {
                self.functions = ShowFunctions::Never;
            }
            self.show_waiting();
        }
        self.waiting.push(group);
    }

    /// Adds the matches that wait to the page, with the definitions around them.
    fn show_waiting(&mut self) {
        let body = &mut self.search.page.body;
        for groups in std::mem::take(&mut self.waiting).chunk_by_mut(|a, b| a.path == b.path) {
            if self.functions != ShowFunctions::Never && !body.is_full() {
                functions::add(self.search.cx, groups);
            }
            for group in groups {
                body.group(std::mem::take(group));
            }
        }
    }

    /// Returns the notice about a line with a match that read cannot show either.
    fn too_long(&self, args: &GrepArgs, cut: &CutLine) -> Option<Notice> {
        let CutLine { bytes, is_match, number, path } = cut;
        let (cx, bounds) = (self.search.cx, self.search.cx.limits.read_bounds());
        let can_search = *is_match && !self.query.invert && args.multiline != Some(true);
        if *bytes <= bounds.sure_bytes() || !can_search || !cx.has(ToolName::Bash) {
            return None;
        }
        let pattern = if args.literal == Some(true) {
            regex_syntax::escape(&args.pattern)
        } else {
            args.pattern.clone()
        };
        let shell = resolve::quoted(path.as_bytes())?;
        let place = resolve::open(cx, path, ExpectedKind::File).ok()?;
        let file = resolve::file(cx, &place).ok()?;
        let first = lines::first_bytes(&file, DECIDING_BYTES).ok()?;
        let text = TextFile::detected(Bytes::Open(&file), &first, place.stat.bytes).ok()?;
        let next = notice::for_match(&pattern, args.ignore_case == Some(true), &shell, text.encoding)?;
        let limit = bounds.limit(TruncatedBy::Bytes);
        Some(Notice::MatchTooLong { line: *number, path: show::in_notice(path), limit, next })
    }

    /// Returns how the model can see the complete lines. The longest line has this many bytes.
    fn full_lines(&self, bytes: u64) -> Option<String> {
        let (limits, has_bash) = (&self.search.cx.limits, self.search.cx.has(ToolName::Bash));
        let read_cuts_too = limits.max_text_line_chars.is_some();
        let is_page = bytes <= limits.read_bounds().sure_bytes();
        // If a line is too long for a page, read would refer to bash or grep.
        if self.search.cx.has(ToolName::Read) && !read_cuts_too && (is_page || has_bash) {
            Some("Use read tool to see full lines".to_owned())
        } else {
            (has_bash && read_cuts_too).then(|| "Use bash to see the rest".to_owned())
        }
    }

    /// Builds the result of the call. `cause` is the notice of [`causes`](super::causes).
    pub(super) fn conclude(mut self, args: &GrepArgs, cause: Option<Notice>) -> Result<Output, ToolError> {
        let skipped = as_index(self.search.page.request.offset);
        let ranked = self.best.take().into_iter().flat_map(Best::into_sorted).skip(skipped);
        ranked.for_each(|(_, group)| self.add(group));
        if self.functions == ShowFunctions::IfFew && self.search.page.has_more() {
            self.functions = ShowFunctions::Never;
        }
        self.show_waiting();
        let mut notices = Vec::from_iter(cause);
        notices.extend(std::mem::take(&mut self.binary_matches).reported_as(Notice::BinaryMatches));
        let cut_lines = &self.search.page.body.cut_lines;
        if let Some(longest) = cut_lines.iter().max() {
            let too_long = self.too_long(args, longest);
            let page_bytes = self.search.cx.limits.read_bounds().sure_bytes();
            let is_readable = too_long.is_none() || cut_lines.iter().any(|cut| cut.bytes <= page_bytes);
            let next = self.full_lines(longest.bytes).filter(|_| is_readable);
            notices.push(Notice::LinesTruncated { max_chars: self.query.max_line_chars, next });
            notices.extend(too_long);
        }
        let lines = self.search.page.body.omitted_context;
        if lines > 0 {
            let next = self.search.cx.has(ToolName::Read).then(|| "Use read tool to see them".to_owned());
            notices.push(Notice::ContextLeftOut { lines, next });
        }
        let page = &mut self.search.page;
        page.details.lines_truncated = (!page.body.cut_lines.is_empty()).then_some(true);
        page.notices.extend(notices);
        let (unit, count, files) = match self.query.mode {
            OutputMode::Files => (Unit::Files, self.files, None),
            OutputMode::Content | OutputMode::Count => (Unit::Matches, self.matches, Some(self.files)),
        };
        let count = Total::new(count, self.search.counting.is_at_least);
        self.search.finish(InAll { count, unit, files })
    }
}

/// Returns the result for a match of the ranking in a file with this number of matches. With context lines, each match is
/// a separate group.
fn ranked_group(path: String, query: &Query, matches: u64, rows: Vec<Row>) -> Group {
    if query.mode != OutputMode::Content {
        return Group::name(file_line(&path, query.mode, matches));
    }
    Group { path, rows: rows.into(), separated: !query.context.is_none() }
}

/// Returns the line for a file in this mode.
fn file_line(path: &str, mode: OutputMode, matches: u64) -> String {
    if mode == OutputMode::Count { format!("{path}: {matches}") } else { path.to_owned() }
}
