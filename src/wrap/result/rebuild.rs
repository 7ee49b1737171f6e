//! A result put together again: what was not cut has its own bytes.

#![expect(clippy::indexing_slicing, reason = "a member's number is below their count")]

use serde::Serialize;

use super::Block;
use super::left::TextLeft;
use crate::wrap::json::{Edits, Node};
use crate::wrap::text::Texts;

/// Edits what is in a member.
type Edit<'e, 'a> = Box<dyn FnOnce(&mut Edits<'a>, Node<'a>) + 'e>;

/// The fate of a member of an object.
pub(super) enum Member<'e, 'a> {
    /// It stays.
    Same,
    /// It stays, and this edits what is in it.
    Edited(Edit<'e, 'a>),
    /// This JSON is its value.
    New(String),
    /// It goes.
    Gone,
}

/// The children of an array or an object, passed one after the other.
struct Siblings<'e, 'a> {
    edits: &'e mut Edits<'a>,
    /// The end of the opening bracket.
    begin: usize,
    /// The end of the last child that was passed.
    at: usize,
    /// True once there is a child that stays.
    has_any: bool,
}

impl<'e, 'a> Siblings<'e, 'a> {
    fn of(edits: &'e mut Edits<'a>, parent: Node<'a>) -> Self {
        let begin = parent.place().start + 1;
        Self { edits, begin, at: begin, has_any: false }
    }

    /// Lets the next child stay, so that the edits of it come after this, or takes it out.
    fn pass(&mut self, child: Node<'a>, stays: bool) {
        if !stays {
            self.edits.replace(self.at..child.place().end, "");
        } else if !self.has_any && self.at > self.begin {
            // The comma behind those that went.
            self.edits.replace(self.at..child.place_with_key().start, "");
        }
        self.at = child.place().end;
        self.has_any |= stays;
    }

    /// Adds a child behind the last one that was passed.
    fn add(&mut self, new: &str) {
        let comma = if self.has_any { "," } else { "" };
        self.edits.replace(self.at..self.at, &[comma, new].concat());
        self.has_any = true;
    }
}

/// Gives the members of these names in `object` that fate; a new one that it does not have comes at its end. Of two of one
/// name the first goes.
pub(super) fn set_members<'a, const N: usize>(
    edits: &mut Edits<'a>,
    object: Node<'a>,
    names: [&str; N],
    mut fates: [Member<'_, 'a>; N],
) {
    let last = object.get_all(names).map(|member| member.map(Node::place));
    let mut members = Siblings::of(edits, object);
    for member in object.children() {
        let fate = match names.iter().position(|name| member.is_named(name)) {
            Some(n) if last[n] == Some(member.place()) => std::mem::replace(&mut fates[n], Member::Same),
            Some(_) => Member::Gone,
            None => Member::Same,
        };
        members.pass(member, !matches!(fate, Member::Gone));
        match fate {
            Member::Edited(edit) => edit(members.edits, member),
            Member::New(value) => members.edits.replace(member.place(), &value),
            Member::Same | Member::Gone => {}
        }
    }
    for (name, fate) in names.iter().zip(fates) {
        if let Member::New(value) = fate {
            members.add(&format!("\"{name}\":{value}"));
        }
    }
}

/// Gives each block of `content` the text that is `left` of it; it goes where none is. What is no object is no block, and
/// goes. The notice stands in the last block that is left, or after it.
pub(super) fn edit_content<'a>(
    edits: &mut Edits<'a>,
    content: Node<'a>,
    own: &Texts<'_>,
    left: &TextLeft<'_>,
    mut notice: Option<&str>,
) {
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
            && block.resource.is_none()
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

impl<'a> Block<'a> {
    fn set_text(&self, edits: &mut Edits<'a>, text: &str) {
        let new = Member::New(json(text));
        if self.resource.is_none() {
            set_members(edits, self.node, ["text"], [new]);
        } else {
            let edit = |edits: &mut _, resource| set_members(edits, resource, ["text"], [new]);
            set_members(edits, self.node, ["resource"], [Member::Edited(Box::new(edit))]);
        }
    }
}

/// Returns a block that holds `text`.
pub(super) fn text_block(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", json(text))
}

pub(super) fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
