//! A result put together again: what was not cut has its own bytes.

#![expect(clippy::indexing_slicing, reason = "a member's number is below their count")]

use std::borrow::Cow;

use cutline_core::details::Details;
use serde::Serialize;

use super::Block;
use crate::wrap::json::{Node, is_key};

/// A JSON text in parts, which stand one after the other.
pub(in crate::wrap) type Parts<'a> = Vec<Cow<'a, str>>;

/// The children of an array or an object that is put together again. Those that stay and stand side by side are one
/// part, as they were sent, with what is between them.
struct Rebuilt<'n> {
    own: Option<Node<'n>>,
    /// The end of the last child that was passed.
    at: usize,
    /// The start of those that stay, up to there.
    same: Option<usize>,
    parts: Parts<'n>,
}

impl<'n> Rebuilt<'n> {
    fn of(own: Option<Node<'n>>) -> Self {
        Self { own, at: own.map_or(0, |own| own.place().start + 1), same: None, parts: Vec::new() }
    }

    /// Lets the next child, with its key, stay as it is.
    fn keep(&mut self, child: Node<'n>) {
        self.same.get_or_insert(self.at);
        self.at = child.place().end;
    }

    /// Puts `new` in the place of the next child.
    fn replace(&mut self, child: Node<'n>, new: Option<Parts<'n>>) {
        self.end_same();
        self.at = child.place().end;
        if let Some(new) = new {
            self.add(new);
        }
    }

    fn add(&mut self, new: Parts<'n>) {
        self.end_same();
        self.parts.extend((!self.parts.is_empty()).then_some(Cow::Borrowed(",")));
        self.parts.extend(new);
    }

    fn end_same(&mut self) {
        if let Some((start, own)) = self.same.take().zip(self.own) {
            let same = own.between(start, self.at).trim_start_matches([',', ' ', '\n', '\r', '\t']);
            self.add(vec![same.into()]);
        }
    }

    fn finish(mut self, opening: &'static str, closing: &'static str) -> Parts<'n> {
        self.end_same();
        self.parts.insert(0, opening.into());
        self.parts.push(closing.into());
        self.parts
    }
}

/// Returns a result's `content`, with `texts` in the place of the blocks' `own` and without the blocks that have none
/// any more; what is no object is no block, and goes. The notice stands in the block of the last text where that
/// `ends_in_text`, else after it.
pub(super) fn content<'n>(
    content: Option<Node<'n>>,
    own: &[Cow<'_, str>],
    texts: &[Option<Cow<'_, str>>],
    notice: Option<&str>,
    ends_in_text: bool,
) -> Parts<'n> {
    let last = texts.iter().rposition(Option::is_some);
    let mut texts = own.iter().zip(texts).enumerate();
    let mut new = Rebuilt::of(content);
    for item in content.into_iter().flat_map(Node::items) {
        let Some(block) = Block::of(item) else {
            if item.is_object() {
                new.keep(item);
            } else {
                new.replace(item, None);
            }
            continue;
        };
        let Some((n, (own, Some(text)))) = texts.next() else {
            new.replace(item, None);
            continue;
        };
        match notice.filter(|_| last == Some(n)) {
            Some(notice) if ends_in_text && block.resource.is_none() => {
                let text = [text.trim_end_matches('\n'), "\n\n", notice].concat();
                new.replace(item, Some(block.with_text(&text)));
            }
            notice => {
                if own == text {
                    new.keep(item);
                } else {
                    new.replace(item, Some(block.with_text(text)));
                }
                if let Some(notice) = notice {
                    new.add(text_block(notice));
                }
            }
        }
    }
    if let Some(notice) = notice.filter(|_| last.is_none()) {
        new.add(text_block(notice));
    }
    new.finish("[", "]")
}

/// Returns the `_meta` of `result`, with the details of its cut in place of its own.
pub(super) fn meta<'n>(result: Node<'n>, details: &Details) -> Parts<'n> {
    let own = result.get("_meta").filter(|meta| meta.is_object());
    with_members(own, vec![("details", Some(vec![json(details)]))])
}

impl<'n> Block<'n> {
    fn with_text(&self, text: &str) -> Parts<'n> {
        let text = vec![("text", Some(vec![json(text)]))];
        match self.resource {
            Some(resource) => {
                let resource = with_members(Some(resource), text);
                with_members(Some(self.node), vec![("resource", Some(resource))])
            }
            None => with_members(Some(self.node), text),
        }
    }
}

/// Returns a block that holds `text`.
fn text_block<'n>(text: &str) -> Parts<'n> {
    vec![r#"{"type":"text","text":"#.into(), json(text), "}".into()]
}

fn json<'n>(value: &(impl Serialize + ?Sized)) -> Cow<'n, str> {
    serde_json::to_string(value).unwrap_or_default().into()
}

/// Returns `object`, or an empty one, with these members in place of its own of these names: each in the place of the
/// last of its name, else at the end. Those without a value go.
pub(in crate::wrap) fn with_members<'n>(
    object: Option<Node<'n>>,
    mut new: Vec<(&str, Option<Parts<'n>>)>,
) -> Parts<'n> {
    let names: Vec<&str> = new.iter().map(|(name, _)| *name).collect();
    let number_of = |key: &str| names.iter().position(|name| is_key(key, name));
    let own =
        || object.into_iter().flat_map(Node::members).map(|(key, member)| (key, member, number_of(key)));
    let mut last = vec![None; names.len()];
    for (_, member, at) in own() {
        if let Some(at) = at {
            last[at] = Some(member.place());
        }
    }
    let mut members = Rebuilt::of(object);
    for (key, member, at) in own() {
        let Some(at) = at else {
            members.keep(member);
            continue;
        };
        let value = new[at].1.take_if(|_| last[at] == Some(member.place()));
        members.replace(member, value.map(|value| with_key(key, value)));
    }
    for ((name, value), last) in new.into_iter().zip(last) {
        if let Some(value) = value.filter(|_| last.is_none()) {
            members.add(with_key(&format!("\"{name}\""), value));
        }
    }
    members.finish("{", "}")
}

fn with_key<'n>(key: &str, mut value: Parts<'n>) -> Parts<'n> {
    value.insert(0, format!("{key}:").into());
    value
}
