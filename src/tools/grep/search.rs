//! Hands what a search finds to the page, and to the whole where that is saved.

use std::ops::ControlFlow;

use super::results::Results;
use super::{Output, ToolError, Whole};
use crate::search::matches::Found;
use crate::search::walk::Walked;

/// Takes what is found, in order.
pub(super) struct Search {
    page: Results,
    /// True if the page takes no more.
    is_page_full: bool,
    /// All that is found, and where it is saved: the search goes on to its end.
    all: Option<(Results, Whole)>,
}

impl Search {
    pub(super) fn new(page: Results, whole: Option<Whole>) -> Self {
        let all = whole.map(|whole| (page.all(), whole));
        Self { page, is_page_full: false, all }
    }

    /// Takes the next thing found; breaks when there is enough.
    pub(super) fn take(&mut self, found: &Walked<Found>) -> ControlFlow<()> {
        if !self.is_page_full {
            self.is_page_full = self.page.take(found).is_break();
        }
        if let Some((all, whole)) = &mut self.all {
            all.take(found)?;
            whole.push_text(&all.take_text());
        } else if self.is_page_full {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// True if a file was passed over because it is not text.
    pub(super) fn passed_over_binary(&self) -> bool {
        self.page.passed_over_binary()
    }

    /// True if the pattern would take too long over a file.
    pub(super) fn was_too_costly(&self) -> bool {
        let all = self.all.as_ref().map(|(all, _)| all);
        all.unwrap_or(&self.page).was_too_costly()
    }

    /// The answer; `ignored` is true if rules left anything out.
    pub(super) fn conclude(mut self, ignored: bool) -> Result<Output, ToolError> {
        let whole = self.all.map(|(all, mut whole)| (all.end(&mut self.page, &mut whole), whole));
        self.page.conclude(ignored, whole)
    }
}
