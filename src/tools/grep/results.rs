//! Makes grep's answer of the matches it finds.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::limits::{GREP_MULTILINE_BYTES, Limits};
use crate::search::content::{PassedOver, Ranking, Row, RowKind, Rows};
use crate::search::matches::Found;
use crate::search::walk::Walked;
use cutline_core::details::{CutCounts, Details, Skipped, chars_in_all};
use cutline_core::notice::{Answer, Blank, FullLines, Names, Notice, PageLimit, PageOf, empty};
use cutline_core::text;
use cutline_core::truncate::Bounds;

use super::body::{Body, Line};
use super::ranked::Ranked;
use super::{Call, Mode, Output, Paths, ToolError, Whole, ranked_page};

/// Takes what is found, in order.
pub(super) struct Results {
    call: Call,
    mode: Mode,
    context: u64,
    paths: Paths,
    max_line_chars: usize,
    /// The way to see the whole of lines that were cut.
    hint: FullLines,
    body: Body,
    /// Matches so far, the skipped ones included; or files, by mode.
    found: u64,
    file: Option<FileRows>,
    /// The best matches, where they are ranked; the body is made of them in the end.
    ranked: Option<Ranked>,
    aside: Aside,
}

/// The files and folders that were not searched.
#[derive(Debug, Default)]
struct Aside {
    skipped: Skipped,
    too_costly: bool,
    unreadable: Names,
    long_line: Names,
    too_large: Names,
}

/// The file whose rows are being added, and the last lines that were added.
struct FileRows {
    path: Arc<[u8]>,
    shown: String,
    /// Number of the last match line, where it was not skipped.
    last_match: Option<u64>,
    /// Number of the last line that was given to the body.
    last_line: Option<u64>,
    /// Context since the last match line that does not belong to it.
    before: VecDeque<(u64, Line)>,
}

impl Results {
    pub(super) fn new(
        call: Call,
        mode: Mode,
        context: u64,
        paths: Paths,
        limits: &Limits,
        hint: FullLines,
    ) -> Self {
        Self {
            call,
            mode,
            context,
            paths,
            max_line_chars: super::max_line_chars(limits),
            hint,
            body: Body::new(limits.bounds()),
            found: 0,
            file: None,
            ranked: None,
            aside: Aside::default(),
        }
    }

    /// The same for a search with a ranking, where there is one.
    pub(super) fn ranked(mut self, ranking: Option<&Arc<Ranking>>) -> Self {
        self.ranked = ranking.map(|ranking| Ranked::new(Arc::clone(ranking), &self.call));
        self
    }

    /// Takes the next thing found; breaks when there is enough.
    pub(super) fn take(&mut self, walked: &Walked<Found>) -> ControlFlow<()> {
        if self.ranked.is_none() && self.has_enough() {
            // Only what stands after the last match is still of interest.
            return match (walked, self.file.take()) {
                (Walked::Found(Found::Rows(path, rows)), Some(file)) if file.path == *path => {
                    self.rows_of(file, rows)
                }
                _ => ControlFlow::Break(()),
            };
        }
        let found = match walked {
            Walked::Found(found) => found,
            Walked::Unreadable(path) => {
                self.aside.unreadable.push(&self.paths.show(path));
                return ControlFlow::Continue(());
            }
            Walked::RulesLeftAside => {
                self.aside.skipped.ignore_rules += 1;
                return ControlFlow::Continue(());
            }
            Walked::Counted(_) => return ControlFlow::Continue(()),
        };
        match found {
            Found::Rows(path, rows) => return self.rows(path, rows),
            Found::File(path, matches) => return self.file(path, *matches),
            Found::Ranked(path, matches, lines) => {
                self.found += if self.mode == Mode::Content { *matches } else { 1 };
                if let Some(ranked) = &mut self.ranked {
                    ranked.take(path, *matches, lines);
                }
            }
            Found::PassedOver(path, why) => match why {
                PassedOver::Binary => self.aside.skipped.binary += 1,
                PassedOver::TooCostly => {
                    self.aside.too_costly = true;
                    return ControlFlow::Break(());
                }
                PassedOver::LongLine => self.aside.long_line.push(&self.paths.show(path)),
                PassedOver::TooLarge => self.aside.too_large.push(&self.paths.show(path)),
            },
        }
        ControlFlow::Continue(())
    }

    fn file(&mut self, path: &[u8], matches: u64) -> ControlFlow<()> {
        self.found += 1;
        if self.found >= self.call.enough() {
            return ControlFlow::Break(());
        }
        if self.found > self.call.offset {
            let shown = self.paths.show(path);
            let path = shown.len();
            let text = if self.mode == Mode::Count { format!("{shown}: {matches}") } else { shown };
            self.body.unit(false, VecDeque::new(), Line { text, path, cut: false });
        }
        ControlFlow::Continue(())
    }

    fn rows(&mut self, path: &Arc<[u8]>, rows: &Rows) -> ControlFlow<()> {
        let file = match self.file.take() {
            Some(file) if file.path == *path => file,
            _ => FileRows {
                shown: self.paths.show(path),
                path: Arc::clone(path),
                last_match: None,
                last_line: None,
                before: VecDeque::new(),
            },
        };
        self.rows_of(file, rows)
    }

    fn rows_of(&mut self, mut file: FileRows, rows: &Rows) -> ControlFlow<()> {
        for row in rows.iter() {
            match row.kind {
                RowKind::Context => self.context_row(&mut file, row)?,
                RowKind::Match => self.match_row(&mut file, row)?,
            }
        }
        self.file = Some(file);
        ControlFlow::Continue(())
    }

    fn has_enough(&self) -> bool {
        self.found >= self.call.enough()
    }

    fn context_row(&mut self, file: &mut FileRows, row: Row<'_>) -> ControlFlow<()> {
        let text = format!("{}-{}- {}", file.shown, row.number, row.text);
        let line = Line { text, path: file.shown.len(), cut: row.cut };
        if file.last_match.is_some_and(|last| row.number <= last + self.context) {
            file.last_line = Some(row.number);
            self.body.after(line);
            if self.has_enough() && file.last_match.is_some_and(|last| row.number == last + self.context) {
                return ControlFlow::Break(());
            }
        } else if self.has_enough() {
            return ControlFlow::Break(());
        } else if self.context > 0 {
            if file.before.len() as u64 >= self.context {
                file.before.pop_front();
            }
            file.before.push_back((row.number, line));
        }
        ControlFlow::Continue(())
    }

    fn match_row(&mut self, file: &mut FileRows, row: Row<'_>) -> ControlFlow<()> {
        self.found = self.found.saturating_add(1).min(self.call.enough());
        if self.found <= self.call.offset && self.context == 0 {
            return ControlFlow::Continue(());
        }
        // A match of another page stands near those of this one as any other line does.
        if self.has_enough() || self.found <= self.call.offset {
            return self.context_row(file, row);
        }
        let mut before = std::mem::take(&mut file.before);
        before.retain(|(number, _)| number + self.context >= row.number);
        let first = before.front().map_or(row.number, |(number, _)| *number);
        let touches = file.last_line.is_some_and(|last| last + 1 == first);
        let text = format!("{}:{}: {}", file.shown, row.number, row.text);
        let before = before.into_iter().map(|(_, line)| line).collect();
        let line = Line { text, path: file.shown.len(), cut: row.cut };
        self.body.unit(self.context > 0 && !touches, before, line);
        file.last_match = Some(row.number);
        file.last_line = Some(row.number);
        ControlFlow::Continue(())
    }

    /// Returns one that takes all that is found, however much it is, and whose text is to be taken away.
    pub(super) fn all(&self) -> Self {
        Self {
            call: Call { offset: 0, limit: u64::MAX, ..self.call },
            paths: self.paths.clone(),
            body: Body::new(Bounds::new(u64::MAX, u64::MAX)),
            file: None,
            aside: Aside::default(),
            ranked: None,
            ..*self
        }
    }

    /// Takes away the text so far.
    pub(super) fn take_text(&mut self) -> String {
        self.body.take_text()
    }

    /// Ends one that takes all: what remains of its text goes to `whole`, the rest of what is known of it to `page`.
    pub(super) fn end(self, page: &mut Self, whole: &mut Whole) -> u64 {
        page.aside = self.aside;
        whole.push(&self.body.finish().text);
        self.found
    }

    /// True if a file was passed over because it is not text.
    pub(super) fn passed_over_binary(&self) -> bool {
        self.aside.skipped.binary > 0
    }

    /// True if the pattern would take too long over a file.
    pub(super) fn was_too_costly(&self) -> bool {
        self.aside.too_costly
    }

    /// The answer. `ignored` is whether rules left anything out; `whole` the number of all matches and their
    /// text, which is kept where the answer is cut.
    pub(super) fn conclude(
        mut self,
        ignored: bool,
        whole: Option<(u64, Whole)>,
    ) -> Result<Output, ToolError> {
        let Call { offset, limit, unit } = self.call;
        if self.found > 0 && self.found <= offset {
            return Err(ToolError::OffsetBeyondLast { offset, total: self.found, unit });
        }
        let more = self.has_enough();
        let Aside { mut skipped, unreadable, long_line, too_large, .. } = self.aside;
        skipped.unreadable = unreadable.count();
        skipped.too_long = long_line.count() + too_large.count();
        let is_ranked = self.ranked.is_some();
        if let Some(ranked) = self.ranked.take() {
            ranked.show(&self.call, self.mode, &self.paths, &mut self.body);
        }
        let body = self.body.finish();
        let mut details = Details {
            matches: Some(body.units),
            skipped: skipped.reported(),
            total_matches: is_ranked.then_some(self.found),
            lines_truncated: body.any_line_cut.then_some(true),
            ..Details::default()
        };
        let whole = whole.filter(|_| more || body.truncation.is_some()).map(|(found, whole)| {
            details.total_matches = Some(found);
            (found, whole.keep(&mut details))
        });
        // Up to the call's limit, where the search ended there.
        let total = match &whole {
            Some((found, _)) => found - offset,
            None => (self.found - offset.min(self.found)).min(limit),
        };
        let is_lower_bound = more && whole.is_none();
        let follows = body.units < total || is_lower_bound;
        let (whole, saved) = whole.map(|(found, (extent, saved))| ((found, extent), saved)).unzip();
        let mut notices = Vec::new();
        if text::is_blank(&body.text) {
            notices.push(Notice::Blank(Blank::Results(body.units)));
        }
        let mut ranked_by = None;
        if let Some(mut truncation) = body.truncation {
            let by = PageLimit::of(truncation.truncated_by, body.bounds);
            if is_ranked {
                ranked_by = Some(by);
            } else {
                let of = PageOf { shown: body.units, total, more: is_lower_bound, unit };
                notices.push(Notice::PageLimit { by, of: Some(of), saved });
            }
            truncation.total_is_lower_bound = is_lower_bound.then_some(true);
            if let Some((_, extent)) = whole {
                truncation.set_total(extent);
            }
            let counts = CutCounts {
                original: whole.map_or(if is_ranked { self.found } else { total }, |(found, _)| found),
                returned: body.units,
                single_too_large: body.first_too_large,
                total_chars: chars_in_all(&body.text, truncation.total_bytes),
            };
            details.add_cut(truncation, counts);
        } else if more {
            if !is_ranked {
                notices.push(Notice::LimitReached { limit, unit, saved });
            }
            details.match_limit_reached = Some(limit);
        }
        if body.any_line_cut {
            notices.push(Notice::LinesTruncated { max_chars: self.max_line_chars, hint: self.hint });
        }
        let named = [
            (!unreadable.is_empty()).then_some(Notice::Unreadable(unreadable)),
            (!long_line.is_empty()).then_some(Notice::TooLong(long_line)),
            (!too_large.is_empty())
                .then_some(Notice::TooLarge { names: too_large, limit: GREP_MULTILINE_BYTES }),
            (skipped.ignore_rules > 0).then_some(Notice::RulesLeftAside(skipped.ignore_rules)),
        ];
        notices.extend(named.into_iter().flatten());
        if is_ranked {
            if let Some((notice, next)) =
                ranked_page::notice(&self.call, self.context, body.units, self.found, ranked_by)
            {
                notices.push(notice);
                details.next_offset = next;
            }
        } else if follows {
            let next = offset + body.units;
            notices.push(Notice::Continue { offset: next });
            details.next_offset = Some(next);
        }
        let shown = if self.found == 0 {
            notices.extend(ignored.then_some(Notice::IgnoredNotSearched));
            empty::NO_MATCHES.to_owned()
        } else {
            body.text
        };
        Ok(Output::new(Answer { body: shown, notices, ..Answer::default() }, details))
    }
}
