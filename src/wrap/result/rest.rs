//! Limits the rest of a result: everything except text, structured content, and the data of images, audio and blobs.
//!
//! A client can pass the complete result to its model, so the rest has a limit too. The first [`FREE_BYTES`] are free;
//! further bytes reduce the limit of the text. A rest over its limit is truncated. In practice, only many links or a
//! malicious server cause this.

use cutline_core::details::Details;
use cutline_core::notice::{Notice, ResultShown};
use cutline_core::text::Size;
use cutline_core::truncate::TruncatedBy;

use super::facts::of_blocks;
use super::rebuild::{Member, json, set_members, text_block};
use super::truncated::{Over, Truncated, TruncatedText};
use super::{Block, Checked, ResultRules};
use crate::tools::saved_location;
use crate::wrap::full_result::{FullResult, Save};
use crate::wrap::json::{Edits, Node, Value};
use crate::wrap::text::Texts;

/// Number of bytes of the rest that do not reduce the limit of the text.
pub(in crate::wrap) const FREE_BYTES: u64 = 4096;
/// Number of bytes around the text of a block that do not count.
const BLOCK_BYTES: usize = 64;

/// Returns the maximum bytes of the rest for a text limit of `limit` bytes.
pub(in crate::wrap) fn rest_limit(limit: u64) -> u64 {
    limit.max(FREE_BYTES)
}

/// Returns the maximum bytes of the text with a rest of this size.
pub(super) fn text_limit(limit: u64, rest_bytes: u64) -> u64 {
    limit.saturating_sub(rest_bytes.saturating_sub(FREE_BYTES)).max(1)
}

/// Returns the number of bytes of the rest of `result`.
pub(super) fn bytes_of(result: Node<'_>) -> u64 {
    let [content, structured] = result.get_all(["content", "structuredContent"]);
    let counted: usize = content.into_iter().flat_map(Node::items).map(counted_bytes).sum();
    let structured = structured.map_or(0, |structured| structured.text().len());
    result.text().len().saturating_sub(structured + counted) as u64
}

/// Returns the number of bytes of a block that do not count.
fn counted_bytes(item: Node<'_>) -> usize {
    match Block::of(item) {
        Some(block) => {
            let text = block.text.text().len();
            // Includes a comma.
            text + BLOCK_BYTES.min(item.text().len() - text + 1)
        }
        None => data_bytes(item),
    }
}

/// Returns the bytes of the data of an image, audio or blob.
fn data_bytes(item: Node<'_>) -> usize {
    let [kind, data, resource] = item.get_all(["type", "data", "resource"]);
    let data = match kind.and_then(Node::string).as_deref() {
        Some("image" | "audio") => data,
        Some("resource") => resource.and_then(|resource| resource.get("blob")),
        _ => None,
    };
    data.map(Node::text).filter(|data| data.starts_with('"')).map_or(0, str::len)
}

/// Truncates a text so that it fits together with the bytes around each block. Lowers the limit until it fits. The
/// blocks and a rest of `rest_bytes` share [`FREE_BYTES`].
pub(super) fn cut_with_blocks<'a>(over: &mut Over<'a>, rest_bytes: u64) -> Option<Truncated<'a>> {
    let most = over.bounds.bytes + FREE_BYTES.saturating_sub(rest_bytes);
    loop {
        let left = over.cut();
        let same = TruncatedText::Same(over.texts);
        let text = left.as_ref().map_or(&same, |left| &left.text);
        let (mut bytes, mut blocks) = (0, 0);
        for n in 0..over.texts.count() {
            if let Some(text) = text.block(n) {
                bytes += text.len() as u64;
                blocks += BLOCK_BYTES as u64;
            }
        }
        if bytes + blocks <= most || over.bounds.bytes <= 1 || blocks <= BLOCK_BYTES as u64 {
            return left;
        }
        let fitting = most.saturating_sub(blocks).min(over.bounds.bytes - 1);
        over.bounds.bytes = if fitting > over.bounds.bytes / 2 { fitting } else { over.bounds.bytes / 2 };
    }
}

/// Truncates a result whose rest exceeds its limit. Keeps the first members and blocks within half of the limit, and
/// joins the texts into one block.
pub(super) fn check(
    result: Node<'_>,
    rules: &ResultRules<'_>,
    save: &Save<'_>,
    set: impl FnOnce(Member<'_, '_>),
) -> Checked {
    let limit = rest_limit(rules.bounds.bytes);
    let flat = Flat::of(result, limit / 2).unwrap_or_else(|| Flat::error(limit));
    let Some(value) = Value::of_any_depth(&flat.text) else { unreachable!("its parts are valid") };
    let rest_bytes = bytes_of(value.top());
    let mut edits = Edits::of(value.text);
    let mut checked = super::check_text(value.top(), rest_bytes, rules, save, |fate| {
        if let Member::Members(fates) = fate {
            set_members(&mut edits, value.top(), fates);
        }
    });
    let mut text = edits.applied();
    let (shown, total) = flat.others;
    if shown < total {
        let saved = saved_location(&save(FullResult::Json(result.text())), &mut Details::default());
        let shown = ResultShown::Parts(vec![of_blocks(shown, total)], rules.bounds.limit(TruncatedBy::Bytes));
        text = with_block(&text, &Notice::Result { shown, blocks: None, saved }.to_string());
    } else {
        let bytes = bytes_of(result);
        tracing::warn!(bytes, "members of a result were dropped, because they are over the limit");
    }
    checked.is_error |= flat.is_error;
    set(Member::New(text));
    checked
}

/// Returns a result with one more text block.
fn with_block(result: &str, text: &str) -> String {
    let Some(value) = Value::of_any_depth(result) else { return result.to_owned() };
    let items = value.top().get("content").map_or("", |content| content.text().trim_matches(['[', ']']));
    let mut edits = Edits::of(value.text);
    let comma = if items.trim().is_empty() { "" } else { "," };
    let content = Member::New(format!("[{items}{comma}{}]", text_block(text)));
    set_members(&mut edits, value.top(), vec![("content", content)]);
    edits.applied()
}

/// A result with fewer members and one text.
struct Flat {
    text: String,
    /// The number of remaining blocks without text, and the original number.
    others: (u64, u64),
    /// True if nothing was kept.
    is_error: bool,
}

impl Flat {
    /// Reduces `result` to members and blocks of at most `room` bytes. Returns `None` for an incomplete result, such as
    /// a request for input, because a client cannot use a part of it.
    fn of(result: Node<'_>, room: u64) -> Option<Self> {
        let [kind, content, structured] = result.get_all(["resultType", "content", "structuredContent"]);
        if kind.is_some_and(|kind| kind.string().as_deref() != Some("complete")) {
            return None;
        }
        let mut room = usize::try_from(room).unwrap_or(usize::MAX);
        let mut fits = |bytes: usize| {
            let is_within = bytes <= room;
            room -= if is_within { bytes } else { 0 };
            is_within
        };
        let mut members = String::new();
        for member in result.children().filter(|member| !member.is_named("content")) {
            let is_structured = structured.is_some_and(|structured| structured.place() == member.place());
            let text = member.text_with_key();
            if is_structured || fits(text.len()) {
                members += ",";
                members += text;
            }
        }
        let items = || content.into_iter().flat_map(Node::items);
        let texts = Texts::of(items().filter_map(|item| Block::of(item)?.text.string()));
        let mut blocks = String::new();
        if texts.count() > 0 {
            blocks += &text_block(texts.all());
        }
        let (mut shown, mut total) = (0, 0);
        for item in items().filter(|item| item.is_object() && Block::of(*item).is_none()) {
            total += 1;
            if shown + 1 == total && fits(item.text().len() - data_bytes(item)) {
                shown += 1;
                blocks += if blocks.is_empty() { "" } else { "," };
                blocks += item.text();
            }
        }
        let text = format!("{{\"content\":[{blocks}]{members}}}");
        Some(Self { text, others: (shown, total), is_error: false })
    }

    /// Returns an error that replaces a result that cannot be truncated.
    fn error(limit: u64) -> Self {
        let why = format!("The result of the server is over {} without its text", Size(limit));
        let text = format!(
            "{{\"content\":[{{\"type\":\"text\",\"text\":{}}}],\"isError\":true,\"resultType\":\"complete\"}}",
            json(&why)
        );
        Self { text, others: (0, 0), is_error: true }
    }
}
