//! Builds a result after truncation. Unchanged parts keep their bytes.

#![expect(clippy::indexing_slicing, reason = "indexes of members are in range")]

use serde::Serialize;

use super::Block;
use super::truncated::TruncatedText;
use crate::wrap::json::{Edits, Node};
use crate::wrap::text::Texts;

/// A change of a member of an object.
pub(in crate::wrap) enum Member<'e, 'a> {
    /// No change.
    Same,
    /// Changes of members of the member.
    Members(Vec<(&'static str, Member<'e, 'a>)>),
    /// The member is the content of a result. Its blocks get these texts.
    Content(Content<'e, 'a>),
    /// The new value, as JSON.
    New(String),
    /// The member is removed.
    Gone,
}

/// A cursor over the children of an array or object.
struct Siblings<'e, 'a> {
    edits: &'e mut Edits<'a>,
    /// The end of the opening bracket.
    begin: usize,
    /// The end of the last child that was processed.
    at: usize,
    /// True after a child was kept.
    has_any: bool,
}

impl<'e, 'a> Siblings<'e, 'a> {
    fn of(edits: &'e mut Edits<'a>, parent: Node<'a>) -> Self {
        let begin = parent.place().start + 1;
        Self { edits, begin, at: begin, has_any: false }
    }

    /// Moves past the next child. Removes it unless it `stays`. Edits inside the child must follow this call.
    fn pass(&mut self, child: Node<'a>, stays: bool) {
        if !stays {
            self.edits.replace(self.at..child.place().end, "");
        } else if !self.has_any && self.at > self.begin {
            // Also removes the comma after removed children.
            self.edits.replace(self.at..child.place_with_key().start, "");
        }
        self.at = child.place().end;
        self.has_any |= stays;
    }

    /// Adds a child at the end.
    fn add(&mut self, new: &str) {
        let comma = if self.has_any { "," } else { "" };
        self.edits.replace(self.at..self.at, &[comma, new].concat());
        self.has_any = true;
    }
}

/// Changes the members of `object` with these names. Adds new members at the end. Of duplicate members, keeps only the
/// last.
pub(in crate::wrap) fn set_members<'a>(
    edits: &mut Edits<'a>,
    object: Node<'a>,
    mut fates: Vec<(&'static str, Member<'_, '_>)>,
) {
    let last: Vec<_> = fates.iter().map(|(name, _)| object.get(name).map(Node::place)).collect();
    let mut members = Siblings::of(edits, object);
    for member in object.children() {
        let fate = match fates.iter().position(|(name, _)| member.is_named(name)) {
            Some(n) if last[n] == Some(member.place()) => std::mem::replace(&mut fates[n].1, Member::Same),
            Some(_) => Member::Gone,
            None => Member::Same,
        };
        members.pass(member, !matches!(fate, Member::Gone));
        match fate {
            Member::Members(fates) => set_members(members.edits, member, fates),
            Member::Content(content) => content.edit(members.edits, member),
            Member::New(value) => members.edits.replace(member.place(), &value),
            Member::Same | Member::Gone => {}
        }
    }
    for (name, fate) in fates {
        if let Member::New(value) = fate {
            members.add(&format!("\"{name}\":{value}"));
        }
    }
}

/// The texts of a result's content.
pub(in crate::wrap) struct Content<'e, 'a> {
    /// The original texts.
    pub(super) own: &'e Texts<'e>,
    pub(super) left: &'e TruncatedText<'a>,
    pub(super) notice: Option<&'e str>,
}

impl Content<'_, '_> {
    /// Sets the text of each block of `content`. Removes blocks without remaining text, and items that are not objects.
    /// Adds the notice to the last block, or after it.
    fn edit<'a>(self, edits: &mut Edits<'a>, content: Node<'a>) {
        let Self { own, left, mut notice } = self;
        let last = (0..own.count()).rfind(|n| left.block(*n).is_some());
        let mut blocks = Siblings::of(edits, content);
        let mut numbers = 0..;
        for item in content.items() {
            let Some((block, n)) = Block::of(item).and_then(|block| Some((block, numbers.next()?))) else {
                blocks.pass(item, item.is_object());
                continue;
            };
            let text = left.block(n);
            blocks.pass(item, text.is_some());
            let Some(text) = text else { continue };
            if last == Some(n)
                && left.may_hold_notice(n)
                && !block.is_resource
                && let Some(notice) = notice.take()
            {
                block.set_text(blocks.edits, &[text.trim_end_matches('\n'), "\n\n", notice].concat());
            } else if own.block(n) != text {
                block.set_text(blocks.edits, &text);
            }
            if last == Some(n)
                && let Some(notice) = notice.take()
            {
                blocks.add(&text_block(notice));
            }
        }
        if let Some(notice) = notice {
            blocks.add(&text_block(notice));
        }
    }
}

impl<'a> Block<'a> {
    fn set_text(&self, edits: &mut Edits<'a>, text: &str) {
        let new = vec![("text", Member::New(json(text)))];
        let fates = if self.is_resource { vec![("resource", Member::Members(new))] } else { new };
        set_members(edits, self.node, fates);
    }
}

/// Returns a text block with `text`.
pub(super) fn text_block(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", json(text))
}

pub(super) fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
