//! A page of a ranking: how much can be ranked, and what is said of the rest.

use cutline_core::notice::RankedNext;

use super::{PageRequest, ToolError};
use crate::limits::RANKED_AT_ONCE;
use crate::tools::error::given;

/// Returns the number of results that can be ranked, each with so many lines of context on each side: all are held
/// until everything is searched.
fn most_ranked(context: u64) -> u64 {
    RANKED_AT_ONCE / context.saturating_mul(2).saturating_add(1)
}

/// Refuses a call that asks for more than can be ranked.
pub(super) fn check(request: &PageRequest) -> Result<(), ToolError> {
    let Some(context) = request.ranked else { return Ok(()) };
    let (most, both) = (most_ranked(context), request.kept());
    if both <= most {
        return Ok(());
    }
    let context = if context > 0 { format!(" and context={context}") } else { String::new() };
    Err(ToolError::Argument(format!(
        "offset and limit: must be at most {most} together with sort=relevance{context}, got {}",
        given(both)
    )))
}

/// Returns the way to the results after those of a page, which begin at `offset`.
pub(super) fn next(request: &PageRequest, offset: u64) -> RankedNext {
    match most_ranked(request.ranked.unwrap_or(0)).saturating_sub(offset) {
        0 => RankedNext::PathOrder,
        left => RankedNext::Offset(offset, (left < request.limit).then_some(left)),
    }
}
