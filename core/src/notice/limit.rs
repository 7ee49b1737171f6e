//! The limits that a notice names.

use super::between;
use crate::text::Size;
use crate::truncate::Limit;

/// Returns ` (30KB limit)` for a limit of bytes or tokens, and nothing for others.
pub(super) fn cut_by(limit: Limit) -> String {
    between(" (", Some(limit).filter(|limit| !matches!(limit, Limit::Lines(_))), " limit)")
}

/// Returns bytes and the limit that they exceed: `31KB, exceeds 30KB limit`.
pub fn over(bytes: u64, limit: Limit) -> String {
    let (size, limit) = match limit {
        Limit::Bytes(limit) => Size(bytes).beside(limit),
        _ => (Size(bytes).to_string(), limit.to_string()),
    };
    format!("{size}, exceeds {limit} limit")
}
