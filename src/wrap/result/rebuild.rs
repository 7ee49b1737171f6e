//! A result put together again: what was not cut has its own bytes.

#![expect(clippy::indexing_slicing, reason = "a member's number is below their count")]

use std::borrow::Cow;

use cutline_core::details::ResultDetails;
use serde::Serialize;

use super::Block;
use crate::wrap::json::{Node, is_key};

/// A JSON text in parts, which stand one after the other.
pub(in crate::wrap) type Parts<'a> = Vec<Cow<'a, str>>;

/// Returns a result's content `blocks`, with `texts` in those that have one and without those that have none any more.
/// The notice stands in the block of the last text where that `ends_in_text`, else after it.
pub(super) fn content<'n>(
    blocks: &[Block<'n>],
    texts: &[Option<Cow<'_, str>>],
    notice: Option<&str>,
    ends_in_text: bool,
) -> Parts<'n> {
    let last = texts.iter().rposition(Option::is_some);
    let mut texts = texts.iter().enumerate();
    let mut new: Vec<Parts<'n>> = Vec::new();
    for block in blocks {
        let unchanged = || vec![block.node.text().into()];
        let Some(own) = &block.text else {
            new.push(unchanged());
            continue;
        };
        let Some((n, Some(text))) = texts.next() else { continue };
        match notice.filter(|_| last == Some(n)) {
            Some(notice) if ends_in_text && block.resource.is_none() => {
                new.push(block.with_text(&[text.trim_end_matches('\n'), "\n\n", notice].concat()));
            }
            notice => {
                new.push(if own == text { unchanged() } else { block.with_text(text) });
                new.extend(notice.map(text_block));
            }
        }
    }
    new.extend(notice.filter(|_| last.is_none()).map(text_block));
    enclosed("[", new, "]")
}

/// Returns the `_meta` of `result`, with the details of its cut in place of its own.
pub(super) fn meta<'n>(result: Node<'n>, details: &ResultDetails) -> Parts<'n> {
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
