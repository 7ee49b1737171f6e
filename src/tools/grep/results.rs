//! Makes grep's answer of the matches it finds.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::fs::saved_name::SavedKind;
use crate::search::content::{Found, PassedOver, Row, RowKind};
use crate::search::walk::Walked;
use cutline_core::details::Details;
use cutline_core::notice::{FullLines, Notice};

use super::ranked::Ranked;
use super::{Context, Mode, Output, Paths, Plan, ToolError, ToolName};
use crate::tools::page::{Line, Page, SEPARATOR};
use crate::tools::walk_support::Aside;

/// Takes what is found, in order.
pub(super) struct Results<'a> {
    plan: &'a Plan,
    paths: Paths,
    page: Page,
    /// True if the page takes no more.
    is_page_full: bool,
    file: Option<FileRows>,
    /// The best matches, where they are ranked; the body is made of them in the end.
    ranked: Option<Ranked>,
    aside: Aside,
    /// True if the pattern would take too long over a file.
    pub(super) is_too_costly: bool,
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
    pub(super) fn new(cx: &Context, plan: &'a Plan, paths: Paths) -> Self {
        let ranking = plan.query.ranking.as_ref();
        Self {
            plan,
            paths,
            // A ranking is not saved: of what ranks below the page nothing is held.
            page: Page::new(cx, plan.request, ranking.is_none().then_some(SavedKind::GREP)),
            is_page_full: false,
            file: None,
            ranked: ranking.map(|ranking| Ranked::new(Arc::clone(ranking), &plan.request)),
            aside: Aside::default(),
            is_too_costly: false,
        }
    }

    /// Takes the next thing found; breaks when there is enough.
    pub(super) fn take(&mut self, walked: Walked<Found>) -> ControlFlow<()> {
        if self.page.has_enough() && self.ranked.is_none() && self.page.whole.is_none() {
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
                let line = || super::file_line(self.paths.show(&path), self.plan.mode, matches);
                self.page.count(line);
                return self.page.show(line);
            }
            Some(Found::Ranked(path, matches, lines)) => {
                self.page.found += if self.plan.mode == Mode::Content { matches } else { 1 };
                if let Some(ranked) = &mut self.ranked {
                    ranked.take(&path, matches, lines);
                }
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

    fn rows(&mut self, path: Arc<[u8]>, rows: &[Row]) -> ControlFlow<()> {
        let mut file = match self.file.take() {
            Some(file) if file.path == path => file,
            _ => FileRows { shown: self.paths.show(&path), path, ..FileRows::default() },
        };
        for row in rows {
            if let Some(whole) = &mut self.page.whole {
                let touches = file.last_row.is_some_and(|last| last + 1 == row.number);
                if self.plan.query.context > 0 && self.page.found > 0 && !touches {
                    whole.push(SEPARATOR);
                }
                whole.push(&super::row_line(&file.shown, row.kind, row).text);
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
        // A match of another page stands near those of this one as any other line does.
        if row.kind == RowKind::Match && self.plan.request.gives(self.page.found) {
            self.match_row(file, row);
            return ControlFlow::Continue(());
        }
        let context = self.plan.query.context;
        let after = file.last_match.and_then(|last| (last + context).checked_sub(row.number));
        if self.page.has_enough() && after.is_none() {
            return ControlFlow::Break(());
        }
        if context == 0 {
            return ControlFlow::Continue(());
        }
        let line = super::row_line(&file.shown, RowKind::Context, row);
        if let Some(left) = after {
            file.last_line = Some(row.number);
            self.page.body.after(line);
            if self.page.has_enough() && left == 0 {
                return ControlFlow::Break(());
            }
        } else {
            if file.before.len() as u64 >= context {
                file.before.pop_front();
            }
            file.before.push_back((row.number, line));
        }
        ControlFlow::Continue(())
    }

    fn match_row(&mut self, file: &mut FileRows, row: &Row) {
        let context = self.plan.query.context;
        let mut before = std::mem::take(&mut file.before);
        before.retain(|(number, _)| number + context >= row.number);
        let first = before.front().map_or(row.number, |(number, _)| *number);
        let touches = file.last_line.is_some_and(|last| last + 1 == first);
        let before = before.into_iter().map(|(_, line)| line).collect();
        self.page.body.unit(context > 0 && !touches, before, super::row_line(&file.shown, row.kind, row));
        file.last_match = Some(row.number);
        file.last_line = Some(row.number);
    }

    /// True if a file was passed over because it is not text.
    pub(super) fn passed_over_binary(&self) -> bool {
        self.aside.binary > 0
    }

    /// The answer; `ignored` is true if rules left anything out.
    pub(super) fn conclude(mut self, cx: &Context, ignored: bool) -> Result<Output, ToolError> {
        if let Some(ranked) = self.ranked {
            ranked.show(self.plan, &self.paths, &mut self.page.body);
        }
        let mut details = Details::default();
        let mut about = Vec::new();
        if self.page.body.any_line_cut() {
            details.lines_truncated = Some(true);
            let hint = match cx.limits.max_text_line_chars {
                None if cx.has(ToolName::Read) => FullLines::Read,
                None => FullLines::Tools { grep: false, bash: false },
                Some(_) => FullLines::Tools { grep: false, bash: cx.has(ToolName::Bash) },
            };
            about.push(Notice::LinesTruncated { max_chars: self.plan.query.max_line_chars, hint });
        }
        let lines = self.page.body.context_left_out();
        if lines > 0 {
            about.push(Notice::ContextLeftOut { lines, can_read: cx.has(ToolName::Read) });
        }
        if self.page.found == 0 && self.plan.escapes_bar {
            about.push(Notice::BarEscaped);
        }
        about.extend(self.aside.notices(ignored && self.page.found == 0, &mut details));
        self.page.answer(None, about, details)
    }
}
