//! The matches of a search by relevance: the best of them are kept, and a page of those is shown.

use std::sync::Arc;

use crate::search::best::Best;
use crate::search::content::{NumberedLine, RankedLine, Ranking};

use cutline_core::text::as_index;

use super::body::{Body, Line};
use super::{Call, Mode, Paths};

/// A match line, or the best one of a file with its number of match lines.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    path: Arc<[u8]>,
    matches: u64,
    line: RankedLine,
}

/// Takes the most relevant lines of each file, in path order.
pub(super) struct Ranked {
    ranking: Arc<Ranking>,
    best: Best<i32, Kept>,
}

impl Ranked {
    /// Keeps as many as are skipped and shown.
    pub(super) fn new(ranking: Arc<Ranking>, call: &Call) -> Self {
        Self { ranking, best: Best::new(call.kept()) }
    }

    pub(super) fn take(&mut self, path: &Arc<[u8]>, matches: u64, lines: &[(i32, RankedLine)]) {
        for (score, line) in lines {
            if self.best.least().is_none_or(|least| score > least) {
                self.best.push(*score, Kept { path: Arc::clone(path), matches, line: line.clone() });
            }
        }
        if let Some(least) = self.best.least() {
            self.ranking.raise(*least);
        }
    }

    /// Gives the page that `call` asks for to `body`.
    pub(super) fn show(self, call: &Call, mode: Mode, paths: &Paths, body: &mut Body) {
        let skipped = as_index(call.offset);
        for (_, Kept { path, matches, line }) in self.best.into_sorted().skip(skipped) {
            let shown = paths.show(&path);
            let path = shown.len();
            match mode {
                Mode::Files => body.unit(false, [].into(), Line { text: shown, path, cut: false }),
                Mode::Count => {
                    body.unit(
                        false,
                        [].into(),
                        Line { text: format!("{shown}: {matches}"), path, cut: false },
                    );
                }
                Mode::Content => {
                    let beside = |one: NumberedLine| Line {
                        text: format!("{shown}-{}- {}", one.number, one.text),
                        path,
                        cut: one.cut,
                    };
                    let RankedLine { before, line: found, after } = line;
                    let text = format!("{shown}:{}: {}", found.number, found.text);
                    let has_context = !before.is_empty() || !after.is_empty();
                    let before = before.into_iter().map(beside).collect();
                    body.unit(has_context, before, Line { text, path, cut: found.cut });
                    after.into_iter().map(beside).for_each(|line| body.after(line));
                }
            }
        }
    }
}
