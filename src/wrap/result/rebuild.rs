//! A result put together again: what was not cut has its own bytes.

use cutline_core::details::ResultDetails;
use serde::Serialize;
use serde_json::value::RawValue;

use super::left::BlockLeft;
use crate::wrap::message::{Answer, AnswerMember, Block, BlockMember, Object, Raw, ResultMember, ToolResult};

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
    /// Returns the answer with its new result.
    pub(super) fn answer(&self, answer: &Answer<'_>, content: &[Block<'_>]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut members = Writer::new(&mut out);
        for (name, member) in latest(answer) {
            members.member(name, |out| match member {
                AnswerMember::Result(result) => self.result(result, content, out),
                AnswerMember::Other(raw) => push(raw, out),
            });
        }
        members.end();
        out
    }

    fn result(&self, result: &ToolResult<'_>, content: &[Block<'_>], out: &mut Vec<u8>) {
        let mut out = Writer::new(out);
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
                    out.member(name, |out| out.extend_from_slice(text.as_bytes()));
                }
                ("_meta", ResultMember::Other(raw), _) if self.details.is_some() => meta = Some(*raw),
                (_, ResultMember::Other(raw), _) => out.member(name, |out| push(raw, out)),
            }
        }
        if !has_content && self.notice.is_some() {
            out.member("content", |out| self.blocks(content, out));
        }
        if let Some(details) = self.details {
            out.member("_meta", |out| with_details(meta, details, out));
        }
        out.end();
    }

    fn blocks(&self, content: &[Block<'_>], out: &mut Vec<u8>) {
        let texts = || content.iter().filter_map(Block::text);
        let left: Vec<Option<(&str, bool)>> = match self.blocks {
            // The texts stand as they are, and what is said of structured content beside them.
            None => texts().map(|text| Some((text.as_ref(), true))).collect(),
            Some(blocks) => blocks.iter().map(BlockLeft::text).collect(),
        };
        let last = left.iter().rposition(Option::is_some);
        let mut left = left.into_iter().enumerate();
        let mut blocks = Writer::list(out);
        for block in content {
            if block.text().is_none() {
                blocks.item(|out| push_block(block, None, out));
                continue;
            }
            let Some((n, Some((text, stands_alone)))) = left.next() else { continue };
            let notice = self.notice.as_ref().filter(|_| last == Some(n));
            let inside = notice.filter(|_| !stands_alone && block.kind() == Some("\"text\""));
            let whole = inside.map(|notice| [text.trim_end_matches('\n'), "\n\n", notice].concat());
            blocks.item(|out| push_block(block, Some(whole.as_deref().unwrap_or(text)), out));
            if let Some(notice) = notice.filter(|_| inside.is_none()) {
                blocks.item(|out| push_text_block(notice, out));
            }
        }
        if let Some(notice) = self.notice.as_ref().filter(|_| last.is_none()) {
            blocks.item(|out| push_text_block(notice, out));
        }
        blocks.end();
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

fn push(raw: &RawValue, out: &mut Vec<u8>) {
    out.extend_from_slice(raw.get().as_bytes());
}

/// Adds a block, with another text where one is given.
fn push_block(block: &Block<'_>, text: Option<&str>, out: &mut Vec<u8>) {
    let mut members = Writer::new(out);
    for (name, member) in latest(block) {
        members.member(name, |out| match member {
            BlockMember::Other(raw) => push(raw, out),
            BlockMember::Resource(resource) => push_block(resource, text, out),
            BlockMember::Text(own) => push_json(text.unwrap_or(own), out),
        });
    }
    members.end();
}

/// Adds a block that holds `text`.
fn push_text_block(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"type":"text","text":"#);
    push_json(text, out);
    out.push(b'}');
}

/// Adds `meta` with the details of the cut in place of its own.
fn with_details(meta: Option<&RawValue>, details: &ResultDetails, out: &mut Vec<u8>) {
    let own: Option<Raw<'_>> = meta.and_then(|meta| serde_json::from_str(meta.get()).ok());
    let mut all = Writer::new(out);
    for (name, raw) in own.iter().flat_map(latest).filter(|(name, _)| *name != "details") {
        all.member(name, |out| push(raw, out));
    }
    all.member("details", |out| push_json(details, out));
    all.end();
}

fn push_json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let _infallible = serde_json::to_writer(out, value);
}

/// Puts an object or a list together, part by part, at the end of what is there.
struct Writer<'a> {
    out: &'a mut Vec<u8>,
    closing: u8,
    is_empty: bool,
}

impl<'a> Writer<'a> {
    fn new(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, closing: b'}', is_empty: true }
    }

    fn list(out: &'a mut Vec<u8>) -> Self {
        out.push(b'[');
        Self { out, closing: b']', is_empty: true }
    }

    /// Adds an item that `write` writes.
    fn item(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
        write(self.out);
    }

    /// Adds a member whose value `write` writes.
    fn member(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.item(|out| {
            push_json(name, out);
            out.push(b':');
            write(out);
        });
    }

    fn end(self) {
        self.out.push(self.closing);
    }
}
