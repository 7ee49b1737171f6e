//! A result put together again: what was not cut has its own bytes.

#![expect(clippy::indexing_slicing, reason = "a member's number is below their count")]

use std::borrow::Cow;

use cutline_core::details::ResultDetails;
use serde::Serialize;

use super::Block;
use crate::wrap::json::{Node, is_key};

/// A JSON text in parts, which stand one after the other.
pub(in crate::wrap) type Parts<'a> = Vec<Cow<'a, str>>;

/// The changes to a result.
pub(super) struct Rebuilt<'a> {
    /// The text of each block that has one, after the cut; nothing of those that go.
    pub(super) texts: Vec<Option<Cow<'a, str>>>,
    /// The notice, where there is one, and whether it may stand in the last text's own block.
    pub(super) notice: Option<(String, bool)>,
    pub(super) structured: Structured,
    /// The facts.
    pub(super) details: Option<ResultDetails>,
}

/// Structured content after the cut.
pub(super) enum Structured {
    /// It stays.
    AsItWas,
    /// It goes.
    Gone,
    /// This takes its place.
    Text(String),
}

impl Rebuilt<'_> {
    /// Returns `result`, which has the blocks `content`, with the changes made.
    pub(super) fn of<'n>(self, result: Node<'n>, content: &[Block<'n>]) -> Parts<'n> {
        let mut new = vec![("content", Some(self.content(content)))];
        match self.structured {
            Structured::AsItWas => {}
            Structured::Gone => new.push(("structuredContent", None)),
            Structured::Text(text) => new.push(("structuredContent", Some(vec![text.into()]))),
        }
        new.extend(self.details.map(|details| {
            let details = ("details", Some(vec![json(&details)]));
            let own = result.get("_meta").filter(|meta| meta.is_object());
            ("_meta", Some(with_members(own, vec![details])))
        }));
        with_members(Some(result), new)
    }

    fn content<'n>(&self, content: &[Block<'n>]) -> Parts<'n> {
        let last = self.texts.iter().rposition(Option::is_some);
        let mut texts = self.texts.iter().enumerate();
        let mut blocks: Vec<Parts<'n>> = Vec::new();
        for block in content {
            if block.text.is_none() {
                blocks.push(vec![block.node.text().into()]);
                continue;
            }
            let Some((n, Some(text))) = texts.next() else { continue };
            let notice = self.notice.as_ref().filter(|_| last == Some(n));
            match notice {
                Some((notice, true)) if block.resource.is_none() => {
                    blocks.push(block.with_text(&[text.trim_end_matches('\n'), "\n\n", notice].concat()));
                }
                _ => {
                    let is_whole = block.text.as_deref() == Some(text);
                    blocks.push(if is_whole {
                        vec![block.node.text().into()]
                    } else {
                        block.with_text(text)
                    });
                    blocks.extend(notice.map(|(notice, _)| text_block(notice)));
                }
            }
        }
        blocks.extend(self.notice.as_ref().filter(|_| last.is_none()).map(|(notice, _)| text_block(notice)));
        list(blocks)
    }
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

/// Returns the list of `items`.
fn list(items: Vec<Parts<'_>>) -> Parts<'_> {
    enclosed("[", items, "]")
}

/// Returns `object`, or an empty one, with these members in place of its own of these names: each in the place of the
/// last of its name, else at the end. Those without a value go.
pub(in crate::wrap) fn with_members<'n>(
    object: Option<Node<'n>>,
    mut new: Vec<(&str, Option<Parts<'n>>)>,
) -> Parts<'n> {
    let mut members: Vec<Parts<'n>> = Vec::new();
    let own: Vec<(&'n str, Node<'n>)> = object.into_iter().flat_map(Node::members).collect();
    for (n, (key, member)) in own.iter().enumerate() {
        let Some(at) = new.iter().position(|(name, _)| is_key(key, name)) else {
            members.push(vec![(*key).into(), ":".into(), member.text().into()]);
            continue;
        };
        let name = new[at].0;
        if own[n + 1..].iter().all(|(key, _)| !is_key(key, name)) {
            members.extend(new.remove(at).1.map(|value| named(key, value)));
        }
    }
    members.extend(new.into_iter().filter_map(|(name, value)| Some(named(&format!("\"{name}\""), value?))));
    enclosed("{", members, "}")
}

fn named<'n>(key: &str, mut value: Parts<'n>) -> Parts<'n> {
    value.insert(0, format!("{key}:").into());
    value
}

fn enclosed<'n>(opening: &'static str, parts: Vec<Parts<'n>>, closing: &'static str) -> Parts<'n> {
    let mut all: Parts<'n> = vec![opening.into()];
    for (n, part) in parts.into_iter().enumerate() {
        all.extend((n > 0).then_some(Cow::Borrowed(",")));
        all.extend(part);
    }
    all.push(closing.into());
    all
}
