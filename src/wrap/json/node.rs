//! A value in a JSON text, with access to its children.

use std::borrow::Cow;
use std::ops::Range;

use super::scan::{after_space, string_end};
use super::string::unescaped;
use super::value::Value;

/// A value in a valid text, with its key if it is a member.
#[derive(Debug, Clone, Copy)]
pub(in crate::wrap) struct Node<'a> {
    value: &'a Value<'a>,
    /// The start of its key, or of the value if it has no key.
    key_start: usize,
    key_end: usize,
    start: usize,
    end: usize,
}

impl<'a> Value<'a> {
    /// Returns the top value of the text.
    pub(in crate::wrap) fn top(&'a self) -> Node<'a> {
        Node { value: self, key_start: 0, key_end: 0, start: 0, end: self.text.len() }
    }
}

impl<'a> Node<'a> {
    /// Returns the text of the value.
    pub(in crate::wrap) fn text(self) -> &'a str {
        &self.value.text[self.place()]
    }

    /// Returns the text of the key and the value.
    pub(in crate::wrap) fn text_with_key(self) -> &'a str {
        &self.value.text[self.place_with_key()]
    }

    /// Returns the byte range of the value in the text.
    pub(in crate::wrap) fn place(self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the byte range of the key and the value.
    pub(in crate::wrap) fn place_with_key(self) -> Range<usize> {
        self.key_start..self.end
    }

    /// Returns the key with its quotes, or `None` for an item.
    pub(in crate::wrap) fn key(self) -> Option<&'a str> {
        (self.key_end > self.key_start).then(|| &self.value.text[self.key_start..self.key_end])
    }

    /// Returns the key as text, or `None` for an item.
    pub(in crate::wrap) fn name(self) -> Option<Cow<'a, str>> {
        self.key().and_then(unescaped)
    }

    pub(in crate::wrap) fn is_object(self) -> bool {
        self.text().starts_with('{')
    }

    pub(in crate::wrap) fn is_array(self) -> bool {
        self.text().starts_with('[')
    }

    /// Returns the members of an object or the items of an array. Returns nothing for other values.
    pub(in crate::wrap) fn children(self) -> impl Iterator<Item = Node<'a>> {
        let (value, is_object) = (self.value, self.is_object());
        let text = value.text.as_bytes();
        let mut next = (is_object || self.is_array()).then_some(self.start + 1);
        std::iter::from_fn(move || {
            let mut start = after_space(text, next?);
            match text[start] {
                b']' | b'}' => return None,
                b',' => start = after_space(text, start + 1),
                _ => {}
            }
            let (key_start, mut key_end) = (start, start);
            if is_object {
                key_end = string_end(text, start);
                start = after_space(text, after_space(text, key_end) + 1);
            }
            let end = value.value_end(start);
            next = Some(end);
            Some(Node { value, key_start, key_end, start, end })
        })
    }

    /// Returns the number of children, if it is known.
    pub(super) fn child_count(self) -> Option<u64> {
        self.value.large_at(self.start).map(|one| one.children)
    }

    /// Returns the items of an array. Returns nothing for other values.
    pub(in crate::wrap) fn items(self) -> impl Iterator<Item = Node<'a>> {
        self.is_array().then(|| self.children()).into_iter().flatten()
    }

    /// Returns the members with these names. Of duplicate members, returns the last, like most parsers.
    pub(in crate::wrap) fn get_all<const N: usize>(self, names: [&str; N]) -> [Option<Node<'a>>; N] {
        let mut found = [None; N];
        for member in self.children() {
            if let Some(n) = names.iter().position(|name| member.is_named(name)) {
                found[n] = Some(member);
            }
        }
        found
    }

    /// Returns the member with this name.
    pub(in crate::wrap) fn get(self, name: &str) -> Option<Node<'a>> {
        let [member] = self.get_all([name]);
        member
    }

    /// Returns true if this is a member with this name.
    pub(in crate::wrap) fn is_named(self, name: &str) -> bool {
        let Some(key) = self.key() else { return false };
        let body = &key[1..key.len() - 1];
        // A key with escapes is longer than its name.
        body == name
            || (body.len() > name.len()
                && body.contains('\\')
                && unescaped(key).is_some_and(|key| key == name))
    }

    /// Returns the decoded text of a string, or `None` for other values.
    pub(in crate::wrap) fn string(self) -> Option<Cow<'a, str>> {
        unescaped(self.text())
    }
}
