//! Replacement of parts of a text. The text between them keeps its bytes.

use std::ops::Range;

/// A text and its edited start. Edits are made in the order of the text.
#[derive(Debug)]
pub(in crate::wrap) struct Edits<'a> {
    text: &'a str,
    /// The text as it is now, up to `at`.
    edited: String,
    /// The end of the last part that was replaced.
    at: usize,
}

impl<'a> Edits<'a> {
    pub(in crate::wrap) fn of(text: &'a str) -> Self {
        Self { text, edited: String::new(), at: 0 }
    }

    /// True if nothing is replaced; no part is at the start of the text.
    pub(in crate::wrap) fn is_empty(&self) -> bool {
        self.at == 0
    }

    /// Replaces a part, which follows all earlier ones.
    pub(in crate::wrap) fn replace(&mut self, part: Range<usize>, new: &str) {
        self.edited.push_str(&self.text[self.at..part.start]);
        self.edited.push_str(new);
        self.at = part.end;
    }

    /// Returns the text as it is now.
    pub(in crate::wrap) fn applied(mut self) -> String {
        self.edited.push_str(&self.text[self.at..]);
        self.edited
    }
}
