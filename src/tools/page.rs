//! A page of results for grep, find and ls: the results that fit, and notices about the rest.

mod body;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::fs::saved_name::SavedKind;
use crate::limits::{self, RANKED_AT_ONCE};
use crate::search::content::ContextLines;
use cutline_core::details::{Details, SINGLE_RESULT_TOO_LARGE};
use cutline_core::notice::{Blank, InAll, Notice, PageOf, ResultText, StoppedAt, Unit};
use cutline_core::text::{self, Extent, Total};

use super::notice::empty;
use super::saved_result::SavedResult;
use super::{Context, Output, ToolError, Totals};
pub(super) use body::{Body, CutLine, Group, RowFormat};

/// The order of results. grep does not have `modified`. Documented variants would not be a plain enum in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Sort {
    #[default]
    Path,
    Modified,
    Relevance,
}

/// A line that is over the limit is shown at least up to this many bytes, even if they are over the limit too.
pub(super) const SHOWN_BYTES: u64 = 500;

/// Which results a call requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageRequest {
    /// The number of results to skip.
    pub(super) offset: u64,
    /// The maximum number of results to return.
    pub(super) limit: u64,
    /// True if the call has no limit, so that the default applies.
    is_limit_default: bool,
    /// The unit of the results.
    unit: Unit,
    /// Context lines of each result, if the call requests the most relevant results.
    ranked: Option<ContextLines>,
}

impl PageRequest {
    /// Sets the default limit if the call has none.
    ///
    /// # Errors
    ///
    /// Returns an error if the call requests more than can be ranked.
    pub(super) fn new(
        offset: Option<u64>,
        limit: Option<u64>,
        unit: Unit,
        ranked: Option<ContextLines>,
    ) -> Result<Self, ToolError> {
        let default = if ranked.is_some() { limits::RANKED_LIMIT } else { facts_of(unit).0 };
        let (offset, is_limit_default) = (offset.unwrap_or(0), limit.is_none());
        let request = Self { offset, limit: limit.unwrap_or(default), is_limit_default, unit, ranked };
        if let Some(context) = ranked
            && request.last() > most_ranked(context)
        {
            let (most, given) = (most_ranked(context), request.last());
            let context = match context {
                ContextLines { before: 0, after: 0 } => String::new(),
                ContextLines { before, after } if before == after => format!(" and context={before}"),
                ContextLines { before, after } => format!(" and before={before} and after={after}"),
            };
            return Err(ToolError::Argument(format!(
                "offset and limit: must be at most {most} together with sort=relevance{context}, got {given}"
            )));
        }
        Ok(request)
    }

    /// Returns the number of the last result on a full page, from 1. A sorted search keeps this many results.
    pub(super) fn last(&self) -> u64 {
        self.offset.saturating_add(self.limit)
    }

    /// Returns one more than [`last`](Self::last). If this many are found, there are results after the page.
    pub(super) fn enough(&self) -> u64 {
        self.last().saturating_add(1)
    }

    /// Returns true if the result with this number, from 1, is on the page.
    pub(super) fn contains(&self, number: u64) -> bool {
        number > self.offset && number < self.enough()
    }
}

/// Returns the maximum number of results with this context that can be ranked. All are in memory until the search ends.
fn most_ranked(context: ContextLines) -> u64 {
    RANKED_AT_ONCE / context.lines_of_match()
}

/// Returns the default limit, the kind of the saved file, and the text for no results.
fn facts_of(unit: Unit) -> (u64, SavedKind, &'static str) {
    match unit {
        Unit::Results => (limits::FIND_LIMIT, SavedKind::FIND, empty::NO_FILES),
        Unit::Entries => (limits::LS_LIMIT, SavedKind::LS, empty::NO_ENTRIES),
        _ => (limits::GREP_LIMIT, SavedKind::GREP, empty::NO_MATCHES),
    }
}

/// Collects the results of a call. Shows those on the page, counts all, and saves all if required.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) request: PageRequest,
    pub(super) body: Body,
    /// Saves all results. `None` if none are saved.
    pub(super) saved_result: Option<SavedResult>,
    /// The number of results so far, including skipped ones.
    pub(super) found: u64,
    /// How far the search got, if it stopped at its deadline.
    pub(super) stopped: Option<StoppedAt>,
    /// The number of all results and of their files. The tool sets it before [`into_output`](Self::into_output).
    pub(super) in_all: InAll,
    /// The text if there are no results.
    pub(super) none: &'static str,
    /// Notices that are not about limits and totals.
    pub(super) notices: Vec<Notice>,
    pub(super) details: Details,
}

impl Page {
    /// Creates an empty page for `request`. A ranking is not saved, because the results after the page are not in
    /// memory.
    pub(super) fn new(cx: &Context, request: PageRequest) -> Self {
        let (_, kind, none) = facts_of(request.unit);
        let saved_result = if request.ranked.is_none() { SavedResult::begin(cx, kind) } else { None };
        let body = Body::new(&cx.limits);
        let in_all = InAll { count: Total::Exact(0), unit: request.unit, files: None };
        let (notices, details) = (Vec::new(), Details::default());
        Self { request, body, saved_result, found: 0, stopped: None, in_all, none, notices, details }
    }

    /// Counts the next result, and shows it if it is on the page.
    pub(super) fn take(&mut self, name: impl Fn() -> String) {
        self.record(&name);
        if self.request.contains(self.found) {
            self.body.group(Group::name(name()));
        }
    }

    /// Counts the next result, and saves it if required.
    pub(super) fn record(&mut self, name: impl FnOnce() -> String) {
        self.found += 1;
        if let Some(saved) = &mut self.saved_result {
            saved.push(&name());
        }
    }

    /// Returns true if there are more results than the call requests.
    pub(super) fn has_more(&self) -> bool {
        self.found >= self.request.enough()
    }

    /// Returns true if no more results are needed, except for their number.
    pub(super) fn is_done(&self) -> bool {
        self.has_more() && self.saved_result.is_none()
    }

    /// Builds the result: the body, the notices and the details. `extent` is the extent of all results, if it is known
    /// although they are not saved.
    ///
    /// # Errors
    ///
    /// Returns an error if the offset is after the last result.
    pub(super) fn into_output(self, cx: &Context, extent: Option<Extent>) -> Result<Output, ToolError> {
        let more = self.has_more();
        let Self { request, body, saved_result, found, stopped, in_all, none, mut notices, mut details } =
            self;
        let is_late = stopped.is_some();
        // The incomplete saved file is removed.
        if cx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let PageRequest { offset, limit, is_limit_default, unit, ranked } = request;
        // A search without any results has a text for that.
        if offset > 0 && found <= offset && (found > 0 || unit == Unit::Entries) && !is_late {
            return Err(ToolError::OffsetBeyondLast { offset, total: found, unit });
        }
        let is_cut = body.is_full();
        let is_part = more || is_cut;
        let saved = saved_result.filter(|_| is_part).map(|saved| saved.keep(&mut details));
        let (saved_extent, saved) = saved.unzip();
        let extent = extent.or(saved_extent);
        let (all, reached) = match unit {
            Unit::Results => (&mut details.total_results, &mut details.result_limit_reached),
            Unit::Entries => (&mut details.total_entries, &mut details.entry_limit_reached),
            _ => (&mut details.total_matches, &mut details.match_limit_reached),
        };
        let is_all_found = ranked.is_some() || saved.is_some() || unit == Unit::Entries && is_part;
        let is_at_least = is_late || in_all.count.is_at_least();
        let is_rest_omitted = more || is_cut && offset + body.groups < found;
        let has_total = is_all_found || is_rest_omitted;
        *all = has_total.then_some(found);
        details.total_is_lower_bound = (has_total && is_at_least).then_some(true);
        *reached = (more && !is_cut).then_some(limit);
        let is_grep = matches!(unit, Unit::Matches | Unit::Files);
        details.matches = is_grep.then_some(body.groups);
        // The number of results after the skipped ones. Without the extent of all results, at most the limit of the call.
        let counted = found.saturating_sub(offset).min(if extent.is_some() { u64::MAX } else { limit });
        let is_rest_unknown = more && extent.is_none();
        let is_lower_bound = is_rest_unknown || is_late;
        let next = (body.groups < counted || is_rest_unknown).then_some(offset + body.groups);
        details.timed_out = is_late.then_some(true);
        let Body { groups, bounds, omitted_context, .. } = body;
        let kept = body.into_kept(extent);
        if text::is_blank(&kept.content) {
            notices.push(Notice::Blank(Blank::Results(groups)));
        }
        notices.extend(stopped.map(|at| Notice::Stopped { secs: cx.deadline.limit.as_secs(), at }));
        let by = kept.cut.map(|cut| bounds.limit(cut.by));
        if let Some(info) = details.add_cut(&kept, kept.total, is_lower_bound, bounds) {
            let counts_skipped = extent.is_some() || is_grep && ranked.is_some();
            info.original_count = if counts_skipped { found } else { counted };
            info.returned_count = groups;
            if omitted_context > 0 {
                info.reason = SINGLE_RESULT_TOO_LARGE;
            }
        }
        if ranked.is_none() {
            if let Some(by) = by {
                let of = PageOf { shown: groups, total: Total::new(offset + counted, is_lower_bound), unit };
                notices.push(Notice::PageLimit { by, of: is_grep.then_some(of), saved });
            } else if more && !is_cut {
                notices.push(Notice::LimitReached { limit, unit, saved });
            }
        }
        // The next call must be valid with the same limit.
        let is_valid = |offset: &u64| ranked.is_none_or(|context| offset + limit <= most_ranked(context));
        details.next_offset = next.filter(is_valid);
        if ranked.is_some() && (next.is_some() || by.is_some()) {
            let of = PageOf { shown: groups, total: Total::new(found, is_late), unit };
            notices.push(Notice::Ranked { of, by, next: details.next_offset });
        }
        let is_listed =
            unit == Unit::Files || cx.limits.lean_grep && in_all.files.is_some_and(|files| files > 1);
        let is_complete = is_listed && found > 0 && next.is_none() && !is_at_least;
        if is_complete || ranked.is_none() && next.is_some() {
            let of = InAll { count: Total::new(in_all.count.count(), is_at_least), ..in_all };
            notices.push(Notice::Sum { of, next });
        }
        let is_to_the_end = |all: u64| is_limit_default || limit >= all;
        let totals = match details.truncation_info {
            Some(_) if is_late => Totals::LowerBound,
            None if is_late => Totals::Unknown,
            // The totals cover the requested results only if the call requests all of them.
            Some(info) if is_all_found && (offset > 0 || !is_to_the_end(info.original_count)) => {
                Totals::Unknown
            }
            Some(_) if is_lower_bound && is_limit_default => Totals::LowerBound,
            // The search stopped at the default limit.
            None if next.is_some() && is_limit_default => Totals::Unknown,
            _ => Totals::Exact,
        };
        // After an incomplete search, it is unknown whether there are results.
        let body = if found > 0 || is_late { kept.content } else { none.to_owned() };
        let result = ResultText { body, notices, ..ResultText::default() };
        Ok(Output { totals, ..Output::new(cx, result, details) })
    }
}
