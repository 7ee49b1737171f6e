//! Key lines: finds the lines of a stream that report a failure.
//!
//! [`Kinds`] reads a text piece by piece. The memory does not depend on the length of the text.
//!
//! 1. `scan` finds the few lines that have a literal of the table in [`forms`] or a `location`, at memory speed.
//! 2. `grade` checks the conditions of the table for these lines (`edges`), and whether a line reports a success or a warning
//!    instead (`verdict`). The result is a [`Grade`].
//! 3. `kinds` counts the lines of each `template`: lines that differ only in numbers and paths are of one kind. It stores the
//!    first line of each kind, and the lines `near` it.
//!
//! When the text has ended, the collector in [`mod@crate::truncate`] selects among the kinds.

mod edges;
pub(crate) mod forms;
mod grade;
mod kinds;
mod literals;
mod location;
mod near;
mod scan;
mod template;
mod verdict;

pub(crate) use forms::Grade;
pub(crate) use kinds::{Kind, Kinds};
pub(crate) use location::{has_location, is_frame, is_library_frame, is_only_location};
pub(crate) use near::Near;
pub(crate) use template::hash as template_of;
