//! The parts of a text that are replaced; what is between them stays as it was sent.

#![expect(clippy::string_slice, reason = "places come from the text itself: a wrong one must fail")]

use std::borrow::Cow;
use std::ops::Range;

/// Parts of a text that do not overlap, each with the text in its place.
#[derive(Debug, Default)]
pub(in crate::wrap) struct Edits<'a>(Vec<(Range<usize>, Cow<'a, str>)>);

impl<'a> Edits<'a> {
    /// Returns their number.
    pub(in crate::wrap) fn count(&self) -> usize {
        self.0.len()
    }

    /// Puts `new` in the place of a part. Of two that begin at one place the first stands first.
    pub(in crate::wrap) fn replace(&mut self, part: Range<usize>, new: impl Into<Cow<'a, str>>) {
        let new = new.into();
        match self.0.last_mut() {
            // Many parts that go side by side are one.
            Some((last, _)) if new.is_empty() && last.end == part.start => last.end = part.end,
            _ => self.0.push((part, new)),
        }
    }

    /// Returns `text` with all of them made.
    pub(in crate::wrap) fn applied(mut self, text: &str) -> String {
        self.0.sort_by_key(|(part, _)| part.start);
        let (added, removed) =
            self.0.iter().fold((0, 0), |sum, (part, new)| (sum.0 + new.len(), sum.1 + part.len()));
        let (mut edited, mut at) = (String::with_capacity(text.len() + added - removed), 0);
        for (part, new) in self.0 {
            edited.push_str(&text[at..part.start]);
            edited.push_str(&new);
            at = part.end;
        }
        edited.push_str(&text[at..]);
        edited
    }
}
