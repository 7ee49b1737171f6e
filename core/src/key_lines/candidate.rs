//! A candidate for a key line.

use super::forms::Grade;

/// A line that may be shown as a key line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Its number, from 1.
    pub(crate) line: u64,
    /// Its text.
    pub(crate) text: String,
    /// The strength of the evidence that it reports a failure.
    pub(crate) grade: Grade,
    /// The number of lines with its template.
    pub(crate) count: u64,
    /// Its relation to other candidates.
    pub(crate) role: Role,
    /// The number of stored candidates with the same form before it.
    pub(crate) of_form: u32,
}

/// The relation of a candidate to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The first line of its template.
    First,
    /// Another line with the template of that candidate, and the number of those before it.
    Again(usize, u64),
    /// A line that belongs to that candidate: its location, or its message.
    Of(usize),
    /// A line of the context of that candidate, and its distance in lines.
    Context(usize, u64),
    /// A line that may be the only one between two others, and the candidate with its template. It is shown if the marker for it
    /// would be longer.
    Between(Option<usize>),
}

impl Role {
    /// True if the line is shown only because of the lines around it.
    pub(crate) fn is_surrounding(self) -> bool {
        matches!(self, Self::Context(..) | Self::Between(_))
    }
}
