//! Truncates the result of a tool: its text, its structured content, and the notice.

mod facts;
mod failure;
mod rebuild;
mod rest;
mod truncated;

use cutline_core::details::Details;
use cutline_core::notice::{Notice, NoticeLike};
use cutline_core::text::{Extent, json_bytes};
use cutline_core::truncate::{Bounds, BytesAs, Keep, KeyForms};

use super::full_result::Save;
use super::json::Node;
use super::schema::OutputSchema;
use super::text::{Texts, counted, tokens};
use crate::fit::RESULT_BYTES;
use crate::stats::Answered;
use truncated::{Over, TruncatedText};

pub(super) use failure::cut_error;
use rebuild::Content;
pub(super) use rebuild::{Member, set_members};
pub(super) use rest::{FREE_BYTES, rest_limit};

/// The limits on results of one tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResultRules<'a> {
    /// The limits of the text. The limits of bytes and tokens also apply to structured content.
    pub(super) bounds: Bounds,
    /// True if the client passes the complete result to its model. Text and structured content then share the limits of
    /// bytes and tokens, and there are no details.
    pub(super) shows_all: bool,
    /// Which part of a text is kept.
    pub(super) keep: KeepPart,
    /// Which key lines of a text are shown.
    pub(super) key_forms: KeyForms,
    /// Text that is added after the notice.
    pub(super) hint: Option<&'a str>,
    /// The tool's output schema.
    pub(super) schema: OutputSchema,
}

impl ResultRules<'_> {
    /// Returns these rules with limits that are lower by `used` bytes.
    pub(super) fn less(self, used: u64) -> Self {
        let bytes = self.bounds.bytes.saturating_sub(used).max(1);
        Self { bounds: Bounds { bytes, ..self.bounds }, ..self }
    }

    /// Returns the limits of `text` and of `structured` content, which has no line limit. If they share bytes and
    /// tokens, each can use what the other does not need. `rest_bytes` is the size of the other parts of the result.
    fn shared(&self, text: &str, structured: &str, rest_bytes: u64) -> (Bounds, Bounds) {
        let left = |limit: u64, used: u64| (limit - limit / 2).max(limit.saturating_sub(used));
        let hint_bytes = self.hint.map_or(0, json_bytes);
        let all = match self.bounds.bytes_as {
            BytesAs::Text => self.bounds,
            BytesAs::Json => Bounds {
                bytes: left(self.bounds.bytes, rest_bytes.saturating_sub(RESULT_BYTES) + hint_bytes),
                ..self.bounds
            },
        };
        let of_structured = all.counted_as(BytesAs::Text);
        let beside = |own: Bounds, other: Bounds, text: &str| {
            let bytes = left(own.bytes, other.bytes_of(text));
            let tokens = own.tokens.map(|limit| left(limit, tokens(text)));
            if self.shows_all { Bounds { bytes, tokens, ..own } } else { own }
        };
        let of_text = beside(all, of_structured, structured);
        (of_text, Bounds { lines: u64::MAX, ..beside(of_structured, all, text) })
    }
}

/// Which part of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepPart {
    /// The start.
    #[default]
    Head,
    /// The end.
    Tail,
    /// Both ends: a fifth of the lines from the start, and the others from the end.
    Ends,
}

impl KeepPart {
    /// Returns the ends to keep of a text with `lines` lines.
    pub fn of_lines(self, lines: u64) -> Keep {
        match self {
            Self::Head => Keep::Head,
            Self::Ends if lines > 1 => Keep::Both { head: (lines / 5).max(1) },
            Self::Tail | Self::Ends => Keep::Tail,
        }
    }
}

/// The checked result.
#[derive(Debug)]
pub(super) struct Checked {
    /// True if the tool reports an error.
    pub(super) is_error: bool,
    /// The size of the text that is sent. Without text, the size of the structured content.
    pub(super) answered: Answered,
}

/// A content block with text.
struct Block<'a> {
    node: Node<'a>,
    /// True if the text belongs to an embedded resource.
    is_resource: bool,
    /// The text of the block or of the embedded resource.
    text: Node<'a>,
}

impl<'a> Block<'a> {
    /// Returns the block, or `None` if it has no text.
    fn of(node: Node<'a>) -> Option<Self> {
        let [kind, text, resource] = node.get_all(["type", "text", "resource"]);
        let (text, is_resource) = match kind.and_then(Node::string).as_deref() {
            Some("text") => (text, false),
            Some("resource") => (resource.and_then(|resource| resource.get("text")), true),
            _ => return None,
        };
        Some(Self { node, is_resource, text: text.filter(|text| text.text().starts_with('"'))? })
    }
}

/// Truncates `result` if it exceeds the limits. Saves the full output with `save`, and then passes the change to `set`.
pub(super) fn check(
    result: Node<'_>,
    rules: &ResultRules<'_>,
    save: &Save<'_>,
    set: impl FnOnce(Member<'_, '_>),
) -> Checked {
    let rest_bytes = rest::bytes_of(result);
    if rest_bytes > rest_limit(rules.bounds.bytes) {
        return rest::check(result, rules, save, set);
    }
    check_text(result, rest_bytes, rules, save, set)
}

/// Truncates a result whose other members are within the limit. `rest_bytes` is the size of everything except text,
/// structured content, images, audio and blobs.
fn check_text(
    result: Node<'_>,
    rest_bytes: u64,
    rules: &ResultRules<'_>,
    save: &Save<'_>,
    set: impl FnOnce(Member<'_, '_>),
) -> Checked {
    let [content, structured, is_error, meta] =
        result.get_all(["content", "structuredContent", "isError", "_meta"]);
    let is_error = is_error.is_some_and(|raw| raw.text() == "true");
    let structured = structured.map(Node::text);
    let items = content.into_iter().flat_map(Node::items);
    let mut other_bytes = result.text().len() - structured.map_or(0, str::len);
    let texts = Texts::of(items.filter_map(|item| {
        let text = Block::of(item)?.text;
        other_bytes -= text.text().len();
        text.string()
    }));
    let raw = counted(texts.all());
    let (bounds, structured_bounds) = rules.shared(texts.all(), structured.unwrap_or(""), other_bytes as u64);
    let bounds =
        Bounds { bytes: bounds.bytes.min(rest::text_limit(rules.bounds.bytes, rest_bytes)), ..bounds };
    let mut over = Over { texts: &texts, raw: &raw, bounds, structured, structured_bounds, rules };
    let left = rest::cut_with_blocks(&mut over, rest_bytes);
    let bounds = over.bounds;
    let Some(left) = left else {
        let (given, extent) = match structured {
            Some(json) if texts.count() == 0 => (json, Extent::of(json)),
            _ => (texts.all(), raw.extent()),
        };
        let answered = Answered::of_text(given, extent, bounds);
        match part_of_text(texts.all()) {
            Some(notice) => {
                let left = TruncatedText::Same(&texts);
                let content = Content { own: &texts, left: &left, notice: Some(&notice) };
                set(Member::Members(vec![("content", Member::Content(content))]));
            }
            None => set(Member::Same),
        }
        return Checked { is_error, answered };
    };
    let (mut notice, mut new_meta) = (None, Member::Same);
    let text_is_all = matches!(left.text, TruncatedText::Same(_)) && over.structured_is_text();
    let answered = if let Some(facts) = left.facts {
        let answered = facts.answered;
        let (notice_text, details) = facts.notice_and_details(save);
        let hint = rules.hint.map_or_else(String::new, |hint| format!("\n{hint}"));
        notice = (!text_is_all).then(|| format!("{notice_text}{hint}"));
        if !rules.shows_all {
            new_meta = with_details(meta, &details);
        }
        answered
    } else {
        // Only escapes or white space were removed.
        let given = match &left.text {
            TruncatedText::Same(texts) => texts.all(),
            TruncatedText::Parts(texts, _) => texts.all(),
            TruncatedText::Block(_, text) => text,
        };
        Answered::of_text(given, raw.extent(), bounds)
    };
    let last = (0..texts.count()).rev().find_map(|n| left.text.block(n));
    if let Some(first) = last.and_then(|text| part_of_text(&text)) {
        notice = Some(notice.map_or(first.clone(), |notice| format!("{first}\n{notice}")));
    }
    let notice = notice.as_deref();
    let new_content = if content.is_some_and(Node::is_array) {
        Member::Content(Content { own: &texts, left: &left.text, notice })
    } else {
        notice.map_or(Member::Same, |notice| Member::New(format!("[{}]", rebuild::text_block(notice))))
    };
    let fates = vec![("content", new_content), ("structuredContent", left.structured), ("_meta", new_meta)];
    set(Member::Members(fates));
    Checked { is_error, answered }
}

/// Returns a notice that the last lines of `text` are part of it, if they look like a notice.
fn part_of_text(text: &str) -> Option<String> {
    NoticeLike::of(text).map(|lines| Notice::PartOfText(lines).to_string())
}

/// Returns the change of `_meta`: the details replace those of the server.
fn with_details<'a>(own: Option<Node<'_>>, details: &Details) -> Member<'a, 'a> {
    let details = rebuild::json(details);
    if own.is_some_and(Node::is_object) {
        Member::Members(vec![("details", Member::New(details))])
    } else {
        Member::New(format!("{{\"details\":{details}}}"))
    }
}

#[cfg(test)]
mod tests;
