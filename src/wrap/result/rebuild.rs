//! A result put together again: what was not cut has its own bytes.

#![expect(clippy::indexing_slicing, reason = "a member's number is below their count")]

use std::borrow::Cow;

use cutline_core::details::Details;
use serde::Serialize;

use super::Block;
use crate::wrap::json::{Edits, Node};
use crate::wrap::text::Texts;

/// The fate of a member of an object.
#[derive(Debug)]
pub(in crate::wrap) enum Member {
    /// It stays.
    Same,
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

    /// Lets the next child stay; the edits of it come after this.
    fn keep(&mut self, child: Node<'a>) {
        if !self.has_any && self.at > self.begin {
            // The comma behind those that went.
            self.edits.replace(self.at..child.place_with_key().start, "");
        }
        (self.at, self.has_any) = (child.place().end, true);
    }

    /// Takes the next child out.
    fn remove(&mut self, child: Node<'a>) {
        self.edits.replace(self.at..child.place().end, "");
        self.at = child.place().end;
    }

    /// Adds a child behind the last one that was passed.
    fn add(&mut self, new: &str) {
        let comma = if self.has_any { "," } else { "" };
        self.edits.replace(self.at..self.at, format!("{comma}{new}"));
        self.has_any = true;
    }
}

/// Gives the members of these names in `object` that fate; a new one that it does not have comes at its end. Of two of one
/// name the first goes.
pub(in crate::wrap) fn set_members<'a, const N: usize>(
    edits: &mut Edits<'a>,
    object: Node<'a>,
    names: [&str; N],
    mut fates: [Member; N],
) {
    let last = object.get_all(names).map(|member| member.map(Node::place));
    let mut members = Siblings::of(edits, object);
    for member in object.children() {
        let Some(n) = names.iter().position(|name| member.is_named(name)) else {
            members.keep(member);
            continue;
        };
        let is_last = last[n] == Some(member.place());
        match if is_last { std::mem::replace(&mut fates[n], Member::Same) } else { Member::Gone } {
            Member::Same => members.keep(member),
            Member::Gone => members.remove(member),
            Member::New(value) => {
                members.keep(member);
                members.edits.replace(member.place(), value);
            }
        }
    }
    for (name, fate) in names.iter().zip(fates) {
        if let Member::New(value) = fate {
            members.add(&format!("\"{name}\":{value}"));
        }
    }
}

/// Returns the fate of a result's `content`, in which each block gets the text that is left of it and goes where none is; what
/// is no object is no block, and goes. The notice stands in the block of the last text where that `ends_in_text`, else
/// after it.
pub(super) fn content<'a, 't>(
    edits: &mut Edits<'a>,
    content: Option<Node<'a>>,
    own: &Texts<'_>,
    left: impl Fn(usize) -> Option<Cow<'t, str>>,
    notice: Option<&str>,
    ends_in_text: bool,
) -> Member {
    let last = (0..own.count()).rfind(|n| left(*n).is_some());
    let Some(content) = content.filter(|content| content.is_array()) else {
        return notice.map_or(Member::Same, |notice| Member::New(format!("[{}]", text_block(notice))));
    };
    let mut blocks = Siblings::of(edits, content);
    let mut n = 0;
    for item in content.items() {
        let Some(block) = Block::of(item) else {
            if item.is_object() {
                blocks.keep(item);
            } else {
                blocks.remove(item);
            }
            continue;
        };
        n += 1;
        let Some(text) = left(n - 1) else {
            blocks.remove(item);
            continue;
        };
        blocks.keep(item);
        match notice.filter(|_| last == Some(n - 1)) {
            Some(notice) if ends_in_text && block.resource.is_none() => {
                block.set_text(blocks.edits, &[text.trim_end_matches('\n'), "\n\n", notice].concat());
            }
            notice => {
                if own.block(n - 1) != text {
                    block.set_text(blocks.edits, &text);
                }
                if let Some(notice) = notice {
                    blocks.add(&text_block(notice));
                }
            }
        }
    }
    if let Some(notice) = notice.filter(|_| last.is_none()) {
        blocks.add(&text_block(notice));
    }
    Member::Same
}

/// Returns the fate of the `_meta` of `result`, which gets the details of its cut in place of its own.
pub(super) fn meta<'a>(edits: &mut Edits<'a>, result: Node<'a>, details: &Details) -> Member {
    match result.get("_meta").filter(|meta| meta.is_object()) {
        Some(own) => {
            set_members(edits, own, ["details"], [Member::New(json(details))]);
            Member::Same
        }
        None => Member::New(format!("{{\"details\":{}}}", json(details))),
    }
}

impl<'a> Block<'a> {
    fn set_text(&self, edits: &mut Edits<'a>, text: &str) {
        if self.resource.is_some() {
            set_members(edits, self.node, ["resource"], [Member::Same]);
        }
        set_members(edits, self.resource.unwrap_or(self.node), ["text"], [Member::New(json(text))]);
    }
}

/// Returns a block that holds `text`.
fn text_block(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", json(text))
}

fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
