//! Key lines: finds the lines of a stream that report a failure.
//!
//! [`Candidates`] reads a text piece by piece. The memory does not depend on the length of the text.
//!
//! 1. `scan` finds the few lines that have a literal of the table in [`forms`] or a `location`, at memory speed.
//! 2. `grade` checks the conditions of the table for these lines (`edges`), and whether a line reports a success or a warning
//!    instead (`verdict`). The result is a [`Grade`].
//! 3. `candidates` stores the first line of each `template` and counts the others. Lines that differ only in numbers and
//!    paths have the same template. It also stores the lines that belong to a candidate, such as its location.
//! 4. `context` stores the lines around candidates, and `rare` the lines unlike all others.
//!
//! When the text has ended, the collector in [`mod@crate::truncate`] selects among the candidates.

mod candidate;
mod candidates;
mod context;
mod edges;
pub(crate) mod forms;
mod grade;
mod literals;
mod location;
mod rare;
mod scan;
mod template;
mod verdict;

pub(crate) use candidate::{Candidate, Role};
pub(crate) use candidates::Candidates;
pub(crate) use forms::Grade;
