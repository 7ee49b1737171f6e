//! A page of results: those that fit, and the notices of the rest. For grep, find and ls.

mod body;
mod ranking;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::limits;
use cutline_core::details::{Details, TruncationInfo, TruncationReason};
use cutline_core::notice::{Answer, Blank, Notice, PageLimit, PageOf, Saved, Unit, empty};
use cutline_core::text::{self, Extent};

use super::{Output, ToolError};
pub(super) use body::{Body, Line, SEPARATOR};

/// The order of results; grep knows no times. Documented variants would not be a plain enum in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Sort {
    #[default]
    Path,
    Modified,
    Relevance,
}

/// Bytes of a line that are shown at least, where it is over the limit alone.
pub(super) const SHOWN_BYTES: u64 = 500;

/// The results that a call asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageRequest {
    /// Results to skip.
    pub(super) offset: u64,
    /// Results to give at most.
    pub(super) limit: u64,
    /// The things that they are.
    unit: Unit,
    /// Lines of context on each side of a result, where the most relevant ones are asked for.
    ranked: Option<u64>,
}

impl PageRequest {
    /// Fills in the limit of a call that has none; refuses one that asks for more than can be ranked.
    pub(super) fn new(
        offset: Option<u64>,
        limit: Option<u64>,
        unit: Unit,
        ranked: Option<u64>,
    ) -> Result<Self, ToolError> {
        let default = match unit {
            _ if ranked.is_some() => limits::RANKED_LIMIT,
            Unit::Matches | Unit::Files => limits::GREP_LIMIT,
            Unit::Results => limits::FIND_LIMIT,
            Unit::Entries => limits::LS_LIMIT,
        };
        let request = Self { offset: offset.unwrap_or(0), limit: limit.unwrap_or(default), unit, ranked };
        ranking::check(&request)?;
        Ok(request)
    }

    /// Returns the number of results that are skipped or given: those to keep where they are sorted when all are found.
    pub(super) fn kept(&self) -> u64 {
        self.offset.saturating_add(self.limit)
    }

    /// Returns one more than are skipped or given: if that many are found, there are more.
    pub(super) fn enough(&self) -> u64 {
        self.kept().saturating_add(1)
    }

    /// True if the result of this number, from 1, is one of those to give.
    pub(super) fn gives(&self, number: u64) -> bool {
        number > self.offset && number < self.enough()
    }
}

/// A page that takes no more.
#[derive(Debug)]
pub(super) struct Page {
    request: PageRequest,
    body: body::FinishedBody,
    /// Results in all, those skipped included; not all of them where the search ended with `PageRequest::enough`.
    found: u64,
}

impl Page {
    /// The page that `request` asks for of `found` results, or what is wrong with its offset.
    pub(super) fn new(request: PageRequest, body: Body, found: u64) -> Result<Self, ToolError> {
        let PageRequest { offset, unit, .. } = request;
        if found > 0 && found <= offset {
            return Err(ToolError::OffsetBeyondLast { offset, total: found, unit });
        }
        Ok(Self { request, body: body.finish(), found })
    }

    /// True if there are more results than the call's limit.
    fn has_more(&self) -> bool {
        self.found >= self.request.enough()
    }

    /// True if a limit of lines or of size cut it.
    pub(super) fn is_cut(&self) -> bool {
        self.body.truncation.is_some()
    }

    /// True if anything is left out.
    pub(super) fn is_part(&self) -> bool {
        self.is_cut() || self.has_more()
    }

    /// True if a line was cut to the limit of characters.
    pub(super) fn any_line_cut(&self) -> bool {
        self.body.any_line_cut
    }

    /// The answer: the body, its notices, and the same in `details`. `whole` is the extent of all results, where it is
    /// known, and its place, where they are saved; `about` is said before the way to go on.
    pub(super) fn answer(
        self,
        (whole, saved): (Option<Extent>, Option<Saved>),
        about: Vec<Notice>,
        mut details: Details,
    ) -> Output {
        let (more, is_part) = (self.has_more(), self.is_part());
        let Self { request, body, found } = self;
        let PageRequest { offset, limit, unit, ranked } = request;
        let (in_all, reached) = match unit {
            Unit::Matches | Unit::Files => (&mut details.total_matches, &mut details.match_limit_reached),
            Unit::Results => (&mut details.total_results, &mut details.result_limit_reached),
            Unit::Entries => (&mut details.total_entries, &mut details.entry_limit_reached),
        };
        let is_all_found = ranked.is_some() || saved.is_some() || unit == Unit::Entries && is_part;
        *in_all = is_all_found.then_some(found);
        *reached = (more && body.truncation.is_none()).then_some(limit);
        let is_grep = matches!(unit, Unit::Matches | Unit::Files);
        details.matches = is_grep.then_some(body.units);
        // Up to the call's limit, where the search ended there.
        let given = found.saturating_sub(offset);
        let total = if whole.is_some() { given } else { given.min(limit) };
        let is_lower_bound = more && whole.is_none();
        let follows = body.units < total || is_lower_bound;
        let mut notices = Vec::new();
        if text::is_blank(&body.text) {
            notices.push(Notice::Blank(Blank::Results(body.units)));
        }
        let mut by = None;
        if let Some(mut truncation) = body.truncation {
            if let (false, Some(bytes), Some(limit)) =
                (is_grep, body.first_line_bytes, body.bounds.size_limit(truncation.truncated_by))
            {
                let saved = saved.clone().filter(|_| !follows);
                notices.push(Notice::NameTooLong { bytes, limit, saved });
            }
            by = Some(PageLimit::of(truncation.truncated_by, body.bounds)).filter(|_| follows || is_grep);
            truncation.total_is_lower_bound = is_lower_bound.then_some(true);
            if let Some(extent) = whole {
                truncation.set_total(extent);
            }
            let mut info = TruncationInfo {
                original_count: if whole.is_some() || is_grep && ranked.is_some() { found } else { total },
                returned_count: body.units,
                ..TruncationInfo::of_lines(&truncation, &body.text)
            };
            if body.first_too_large {
                info.reason = TruncationReason::SingleResultTooLarge;
            }
            details.add_cut(truncation, info);
        }
        if ranked.is_none() {
            if let Some(by) = by {
                let of = is_grep.then_some(PageOf { shown: body.units, total, more: is_lower_bound, unit });
                notices.push(Notice::PageLimit { by, of, saved });
            } else if details.truncation.is_none() && more {
                notices.push(Notice::LimitReached { limit, unit, saved });
            }
        }
        notices.extend(about);
        if ranked.is_some() {
            let ranked = ranking::notice(&request, body.units, found, by);
            details.next_offset = ranked.as_ref().and_then(|(_, next)| *next);
            notices.extend(ranked.map(|(notice, _)| notice));
        } else if follows {
            details.next_offset = Some(offset + body.units);
            notices.push(Notice::Continue { offset: offset + body.units });
        }
        let body = match unit {
            _ if found > 0 => body.text,
            Unit::Matches | Unit::Files => empty::NO_MATCHES.to_owned(),
            Unit::Results => empty::NO_FILES.to_owned(),
            Unit::Entries => empty::NO_ENTRIES.to_owned(),
        };
        Output::new(Answer { body, notices, ..Answer::default() }, details)
    }
}
