//! A value in a JSON text, with the way to those in it.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "places come from a valid text: a wrong one must fail"
)]

use std::borrow::Cow;
use std::ops::Range;

use super::string::unescaped;
use super::value::{Children, Value};

/// A value in a text that is known to be valid; each part of it is as it was sent.
#[derive(Debug, Clone, Copy)]
pub(in crate::wrap) struct Node<'a> {
    value: &'a Value<'a>,
    /// The value itself.
    text: &'a str,
    /// Its place in the text that it is in.
    start: usize,
}

impl<'a> Value<'a> {
    /// Returns the value that the whole text is.
    pub(in crate::wrap) fn top(&'a self) -> Node<'a> {
        Node { value: self, text: self.text, start: 0 }
    }
}

impl<'a> Node<'a> {
    /// Returns its text.
    pub(in crate::wrap) fn text(self) -> &'a str {
        self.text
    }

    /// Returns what stands between `start` and `end`, places of the text that it is in.
    pub(in crate::wrap) fn between(self, start: usize, end: usize) -> &'a str {
        &self.value.text[start..end]
    }

    /// Returns its place in the text that it is in.
    pub(in crate::wrap) fn place(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    pub(in crate::wrap) fn is_object(self) -> bool {
        self.text.starts_with('{')
    }

    pub(in crate::wrap) fn is_array(self) -> bool {
        self.text.starts_with('[')
    }

    pub(in crate::wrap) fn is_string(self) -> bool {
        self.text.starts_with('"')
    }

    /// Returns the members of an object, each with its key as it was sent, quotes included; none of another value.
    pub(in crate::wrap) fn members(self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        self.children(self.is_object())
    }

    /// Returns the items of an array; none of another value.
    pub(in crate::wrap) fn items(self) -> impl Iterator<Item = Node<'a>> {
        self.children(self.is_array()).map(|(_, item)| item)
    }

    fn children(self, has_any: bool) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        let children: Option<Children<'a>> = has_any.then(|| self.value.children(self.place()));
        children.into_iter().flatten().map(move |child| {
            let node = Node {
                value: self.value,
                text: &self.value.text[child.value.clone()],
                start: child.value.start,
            };
            (&self.value.text[child.key], node)
        })
    }

    /// Returns the members of these names; of two of one name the last, as other programs take it.
    pub(in crate::wrap) fn get_all<const N: usize>(self, names: [&str; N]) -> [Option<Node<'a>>; N] {
        let mut found = [None; N];
        for (key, member) in self.members() {
            if let Some(n) = names.iter().position(|name| is_key(key, name)) {
                found[n] = Some(member);
            }
        }
        found
    }

    /// Returns the member of that name.
    pub(in crate::wrap) fn get(self, name: &str) -> Option<Node<'a>> {
        let [member] = self.get_all([name]);
        member
    }

    /// Returns the text that a string is; `None` of any other value.
    pub(in crate::wrap) fn string(self) -> Option<Cow<'a, str>> {
        unescaped(self.text)
    }
}

/// True if `key`, as it was sent, is `name`.
pub(in crate::wrap) fn is_key(key: &str, name: &str) -> bool {
    let body = &key[1..key.len() - 1];
    // What is in escapes is longer.
    body == name
        || (body.len() > name.len() && body.contains('\\') && unescaped(key).is_some_and(|key| key == name))
}
