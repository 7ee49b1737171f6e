//! The limits of a ranking.

use super::{PageRequest, ToolError};
use crate::limits::RANKED_AT_ONCE;
use crate::search::content::ContextLines;

/// Returns the maximum number of results with this context that can be ranked. All are in memory until the search ends.
pub(super) fn most_ranked(context: ContextLines) -> u64 {
    RANKED_AT_ONCE / context.lines_of_match()
}

/// Returns an error if a call requests more than can be ranked.
pub(super) fn check(request: &PageRequest) -> Result<(), ToolError> {
    let Some(context) = request.ranked else { return Ok(()) };
    let (most, both) = (most_ranked(context), request.kept());
    if both <= most {
        return Ok(());
    }
    let context = match context {
        ContextLines { before: 0, after: 0 } => String::new(),
        ContextLines { before, after } if before == after => format!(" and context={before}"),
        ContextLines { before, after } => format!(" and before={before} and after={after}"),
    };
    Err(ToolError::Argument(format!(
        "offset and limit: must be at most {most} together with sort=relevance{context}, got {both}"
    )))
}
