//! The place of the whole of an output, and the processes that still add to it.

use derive_more::Display;

use super::between;
use crate::text::Size;

/// The place of the whole of an output.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
pub enum Saved {
    /// In this file. Its path is whole, however long: it is to be opened.
    #[display("Full output: {path}{}", between(" (first ", first.map(Size), ")"))]
    At {
        /// Its path.
        path: String,
        /// Bytes of the output in it, if it does not hold all.
        first: Option<u64>,
    },
    /// Nowhere.
    #[display("Full output could not be saved: {reason}")]
    Not {
        /// The system's reason.
        reason: String,
    },
}

impl Saved {
    /// Returns the words for an output that goes on, after those for whose it is.
    pub(super) fn goes_on(&self) -> String {
        match self {
            Self::At { path, .. } => format!("output goes on to {path}"),
            Self::Not { reason } => format!("output could not be saved: {reason}"),
        }
    }
}

/// Returns the words for `count` processes that run on, of which some are `named`, up to those for their output.
pub(super) fn still_running(named: &[(u32, String)], count: usize) -> String {
    let processes: Vec<String> = named.iter().map(|(id, name)| format!("{id} {name}")).collect();
    let more = between(" and ", count.checked_sub(named.len()).filter(|more| *more > 0), " more");
    let (word, whose) = if count == 1 { ("process", "Its") } else { ("processes", "Their") };
    format!("{word} still running: {}{more}. {whose}", processes.join(", "))
}
