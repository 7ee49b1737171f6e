//! The matches of a search by relevance: the best of them are kept, and a page of those is shown.

use std::sync::Arc;

use crate::search::best::Best;
use crate::search::content::{Ranking, Row, RowKind};
use crate::tools::page::Body;
use cutline_core::text::as_index;

use super::{Mode, PageRequest, Paths, Plan, file_line, row_line};

/// A match line, or the best one of a file with its number of match lines.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    path: Arc<[u8]>,
    matches: u64,
    /// The line, and its context.
    rows: Vec<Row>,
}

/// Takes the most relevant lines of each file, in path order.
pub(super) struct Ranked {
    ranking: Arc<Ranking>,
    best: Best<i32, Kept>,
}

impl Ranked {
    /// Keeps as many as are skipped and shown.
    pub(super) fn new(ranking: Arc<Ranking>, request: &PageRequest) -> Self {
        Self { ranking, best: Best::new(as_index(request.kept())) }
    }

    pub(super) fn take(&mut self, path: &Arc<[u8]>, matches: u64, lines: Vec<(i32, Vec<Row>)>) {
        for (score, rows) in lines {
            if self.best.least().is_none_or(|least| score > *least) {
                self.best.push(score, Kept { path: Arc::clone(path), matches, rows });
            }
        }
        if let Some(least) = self.best.least() {
            self.ranking.raise(*least);
        }
    }

    /// Gives the page that the call asks for to `body`; with context each match is a group of its own.
    pub(super) fn show(self, plan: &Plan, paths: &Paths, body: &mut Body) {
        let skipped = as_index(plan.request.offset);
        for (_, Kept { path, matches, rows }) in self.best.into_sorted().skip(skipped) {
            let shown = paths.show(&path);
            if plan.mode != Mode::Content {
                body.line(file_line(shown, plan.mode, matches));
                continue;
            }
            let found = rows.iter().position(|row| row.kind == RowKind::Match).unwrap_or(0);
            let mut lines = rows.iter().map(|row| row_line(&shown, row.kind, row));
            let before = lines.by_ref().take(found).collect();
            if let Some(line) = lines.next() {
                body.unit(plan.query.context > 0, before, line);
            }
            lines.for_each(|line| body.after(line));
        }
    }
}
