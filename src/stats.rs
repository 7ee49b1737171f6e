//! Statistics of calls: a record of each call, and totals of records.
//!
//! A record has the size of a result, the omitted size and the duration. It contains no arguments, paths or text. All
//! totals are computed from records, both in a running server and for a file of records. This module reads no clock,
//! file or network.

mod counts;
mod durations;
mod record;
mod slowest;
mod summary;
mod sums;
mod timeline;
mod tool;
mod wire;

pub use counts::Counts;
pub use durations::Durations;
pub use record::{Answered, NEAR_LIMIT_PERCENT, Outcome, Record};
pub use slowest::Slowest;
pub use summary::summary;
pub use sums::{Stats, Sums, rounded};
pub use timeline::{Column, Timeline};
pub use tool::Tool;
pub use wire::{milliseconds, rfc3339};
