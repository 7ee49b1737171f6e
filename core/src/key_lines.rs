//! Key lines: finds the lines of a stream that report a failure.
//!
//! [`Candidates`] reads a text piece by piece. `scan` finds the few lines that have a literal of the table in
//! [`forms`], at memory speed. `grade` checks the conditions of the table for these lines. `candidates` stores the first
//! line of each *template* (lines that differ only in numbers and paths have the same template) and counts the others.
//! The memory does not depend on the length of the text.
//!
//! The collector in [`mod@crate::truncate`] selects from the candidates at the end of the text.

mod calm;
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

pub(crate) use candidate::{Candidate, Role};
pub(crate) use candidates::Candidates;
pub(crate) use forms::Grade;
