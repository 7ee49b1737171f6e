//! Counts of calls: a record of each, and the sums of records.
//!
//! A record says how large an answer was, what was left out of it and how long it took; it holds
//! nothing of what was asked, opened or answered. Every count is a sum of records, made here and
//! nowhere else: those that the server gives while it lives and at its end, and those of a file of
//! records. Nothing here reads a clock, a file or the network.

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
pub use record::{Answered, Call, NEAR_LIMIT_PERCENT, Outcome, Record};
pub use slowest::Slowest;
pub use summary::summary;
pub use sums::{Stats, Sums, rounded};
pub use timeline::{Column, Timeline};
pub use tool::Tool;
pub use wire::{milliseconds, rfc3339};
