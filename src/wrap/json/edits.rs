//! Replaces parts of a text. The text between them does not change.

use std::ops::Range;

/// A text with edits, which are made in the order of the text.
#[derive(Debug)]
pub(in crate::wrap) struct Edits<'a> {
    text: &'a str,
    /// The edited text up to `at`.
    edited: String,
    /// The end of the last replaced part.
    at: usize,
}

impl<'a> Edits<'a> {
    pub(in crate::wrap) fn of(text: &'a str) -> Self {
        Self { text, edited: String::new(), at: 0 }
    }

    /// Returns true if there are no edits. No part is at the start of the text.
    pub(in crate::wrap) fn is_empty(&self) -> bool {
        self.at == 0
    }

    /// Replaces a part, which must follow all earlier ones.
    pub(in crate::wrap) fn replace(&mut self, part: Range<usize>, new: &str) {
        self.edited.push_str(&self.text[self.at..part.start]);
        self.edited.push_str(new);
        self.at = part.end;
    }

    /// Returns the edited text.
    pub(in crate::wrap) fn applied(mut self) -> String {
        self.edited.push_str(&self.text[self.at..]);
        self.edited
    }
}
