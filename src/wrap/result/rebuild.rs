//! A result put together again: what was not cut has its own bytes.

use cutline_core::details::ResultDetails;
use serde_json::value::RawValue;

use super::left::BlockLeft;
use crate::wrap::message::{Block, BlockMember, Object, Raw, ResultMember, ToolResult};

/// The changes to a result.
#[derive(Default)]
pub(super) struct Rebuilt<'a> {
    /// Each block with a text, as it is after the cut; `None` where all stay.
    pub(super) blocks: Option<&'a [BlockLeft<'a>]>,
    /// The notice and the details of the cut.
    pub(super) notice: Option<String>,
    pub(super) structured: Structured<'a>,
    /// The facts.
    pub(super) details: Option<&'a ResultDetails>,
}

/// Structured content after the cut.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Structured<'a> {
    /// It stays.
    #[default]
    AsItWas,
    /// It goes.
    Gone,
    /// This takes its place.
    Text(&'a str),
}

impl Rebuilt<'_> {
    /// The result as JSON.
    pub(super) fn to_text(&self, result: &ToolResult<'_>, content: &[Block<'_>]) -> String {
        let mut out = Writer::new();
        let mut has_content = false;
        let mut meta = None;
        for (name, member) in latest(result) {
            match (name, member, self.structured) {
                (_, ResultMember::Content(_), _) => {
                    has_content = true;
                    out.member(name, |out| self.blocks(content, out));
                }
                ("structuredContent", _, Structured::Gone) => {}
                ("structuredContent", _, Structured::Text(text)) => {
                    out.member(name, |out| out.push_str(text));
                }
                ("_meta", ResultMember::Other(raw), _) if self.details.is_some() => meta = Some(*raw),
                (_, ResultMember::Other(raw), _) => out.member(name, |out| out.push_str(raw.get())),
            }
        }
        if !has_content && self.notice.is_some() {
            out.member("content", |out| self.blocks(content, out));
        }
        if let Some(details) = self.details {
            out.member("_meta", |out| with_details(meta, details, out));
        }
        out.end()
    }

    fn blocks(&self, content: &[Block<'_>], out: &mut String) {
        let texts = || content.iter().filter_map(Block::text);
        let left: Vec<Option<(&str, bool)>> = match self.blocks {
            // The texts stand as they are, and what is said of structured content beside them.
            None => texts().map(|text| Some((text.as_ref(), true))).collect(),
            Some(blocks) => blocks.iter().map(BlockLeft::text).collect(),
        };
        let last = left.iter().rposition(Option::is_some);
        let mut left = left.into_iter().enumerate();
        let mut blocks: Vec<String> = Vec::new();
        for block in content {
            if block.text().is_none() {
                blocks.push(block_text(block, None));
                continue;
            }
            let Some((n, Some((text, stands_alone)))) = left.next() else { continue };
            let notice = self.notice.as_ref().filter(|_| last == Some(n));
            let inside = notice.filter(|_| !stands_alone && block.kind() == Some("\"text\""));
            let whole = inside.map(|notice| [text.trim_end_matches('\n'), "\n\n", notice].concat());
            blocks.push(block_text(block, Some(whole.as_deref().unwrap_or(text))));
            blocks.extend(notice.filter(|_| inside.is_none()).map(|notice| text_block(notice)));
        }
        if last.is_none() {
            blocks.extend(self.notice.as_ref().map(|notice| text_block(notice)));
        }
        out.push('[');
        out.push_str(&blocks.join(","));
        out.push(']');
    }
}

impl BlockLeft<'_> {
    /// The text that is left, and true if nothing may stand beside it.
    fn text(&self) -> Option<(&str, bool)> {
        match self {
            Self::Gone => None,
            Self::Text(text) => Some((text, false)),
            Self::Json(text) => Some((text, true)),
        }
    }
}

/// The members of an object, each name once: of two the last, in the place of the first.
fn latest<T>(object: &Object<T>) -> impl Iterator<Item = (&str, &T)> {
    let members = object.0.iter().enumerate();
    members.filter_map(|(n, (name, _))| {
        let is_first = object.0.iter().position(|(other, _)| other == name) == Some(n);
        Some((name.as_str(), object.get(name)?)).filter(|_| is_first)
    })
}

/// A block with another text.
fn block_text(block: &Block<'_>, text: Option<&str>) -> String {
    let mut out = Writer::new();
    for (name, member) in latest(block) {
        out.member(name, |out| match member {
            BlockMember::Other(raw) => out.push_str(raw.get()),
            BlockMember::Resource(resource) => out.push_str(&block_text(resource, text)),
            BlockMember::Text(own) => push_quoted(text.unwrap_or(own), out),
        });
    }
    out.end()
}

/// A block that holds `text`.
fn text_block(text: &str) -> String {
    let mut out = String::from(r#"{"type":"text","text":"#);
    push_quoted(text, &mut out);
    out.push('}');
    out
}

/// `meta` with the details of the cut in place of its own.
fn with_details(meta: Option<&RawValue>, details: &ResultDetails, out: &mut String) {
    let own: Option<Raw<'_>> = meta.and_then(|meta| serde_json::from_str(meta.get()).ok());
    let mut all = Writer::new();
    for (name, raw) in own.iter().flat_map(latest).filter(|(name, _)| *name != "details") {
        all.member(name, |out| out.push_str(raw.get()));
    }
    let details = serde_json::to_string(details).unwrap_or_default();
    all.member("details", |out| out.push_str(&details));
    out.push_str(&all.end());
}

fn push_quoted(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Puts an object together, member by member.
pub(in crate::wrap) struct Writer {
    text: String,
}

impl Writer {
    pub(in crate::wrap) fn new() -> Self {
        Self { text: String::from("{") }
    }

    /// Adds a member whose value `write` writes.
    pub(in crate::wrap) fn member(&mut self, name: &str, write: impl FnOnce(&mut String)) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        push_quoted(name, &mut self.text);
        self.text.push(':');
        write(&mut self.text);
    }

    /// The object.
    pub(in crate::wrap) fn end(mut self) -> String {
        self.text.push('}');
        self.text
    }
}
