//! The location of a saved output.

use derive_more::Display;

use super::between;
use crate::text::Size;

/// The location of the full output.
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
