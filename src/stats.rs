//! Statistics of calls: a record of each call, and totals of records.
//!
//! A record has the size of a result, the omitted size and the duration. It contains no arguments, paths or text. All
//! totals are computed from records, both in a running server and for a file of records. This module reads no clock,
//! file or network.

mod record;
mod sums;

pub use record::{Answered, Outcome, Record, Tool};
pub use sums::{Stats, Sums};
