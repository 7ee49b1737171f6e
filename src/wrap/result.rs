//! A tool's result, within the limits: its text, its structured content, and what is said of both.

mod left;
mod rebuild;
mod said;

use cutline_core::text::Extent;
use cutline_core::text::tokens::estimate;
use cutline_core::truncate::{Bounds, Keep, TruncatedBy};

use super::json::{self, Edits, Node, Value};
use super::save::{Save, Whole};
use super::schema::OutputSchema;
use super::text::{self, Texts, counted, tokens};
use crate::stats::Answered;
use left::{Over, TextLeft};

pub(super) use rebuild::{Member, set_members};

/// The limits on the results of one tool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'a> {
    /// The limits of a result's text; bytes and tokens hold for its structured content too.
    pub(super) bounds: Bounds,
    /// True if the client gives the whole result to its model: then text and structured content share
    /// bytes and tokens, and there are no details.
    pub(super) shows_all: bool,
    /// The part of a text that is kept.
    pub(super) keep: KeepPart,
    /// A line after the notice.
    pub(super) hint: Option<&'a str>,
    /// The tool's promise of its structured content.
    pub(super) schema: &'a OutputSchema,
}

impl Rules<'_> {
    /// Returns the limits of `text`, and of `structured` content, which has any number of lines. Where they share bytes and
    /// tokens, what one does not need is the other's.
    fn shared(&self, text: &str, structured: &str) -> (Bounds, Bounds) {
        let beside = |other: &str| {
            let left = |limit: u64, used: u64| (limit - limit / 2).max(limit.saturating_sub(used));
            let bytes = left(self.bounds.bytes, other.len() as u64);
            let tokens = self.bounds.tokens.map(|limit| left(limit, tokens(other)));
            Bounds { bytes, tokens, ..self.bounds }
        };
        let (of_text, of_structured) =
            if self.shows_all { (beside(structured), beside(text)) } else { (self.bounds, self.bounds) };
        (of_text, Bounds { lines: u64::MAX, ..of_structured })
    }
}

/// The part of a text that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepPart {
    /// The start.
    #[default]
    Head,
    /// The end.
    Tail,
    /// Both ends: a fifth of the lines from the start, the others from the end.
    Ends,
}

impl KeepPart {
    /// Returns the part of that many lines.
    pub fn of_lines(self, lines: u64) -> Keep {
        match self {
            Self::Head => Keep::Head,
            Self::Ends if lines > 1 => Keep::Both { head: (lines / 5).max(1) },
            Self::Tail | Self::Ends => Keep::Tail,
        }
    }
}

/// A result that was looked at.
#[derive(Debug)]
pub(super) struct Judged {
    /// True if the tool says that it failed.
    pub(super) is_error: bool,
    /// The counts of what is given: of its text, else of its structured content.
    pub(super) answered: Answered,
}

/// A block of content that has a text.
struct Block<'a> {
    node: Node<'a>,
    /// The resource that is embedded in it, where its text is that one's.
    resource: Option<Node<'a>>,
    /// The text of a text block, or of the embedded resource.
    text: Node<'a>,
}

impl<'a> Block<'a> {
    /// Returns the block that `node` is; `None` where it has no text.
    fn of(node: Node<'a>) -> Option<Self> {
        let [kind, text, resource] = node.get_all(["type", "text", "resource"]);
        let (text, resource) = match kind.and_then(Node::string).as_deref() {
            Some("text") => (text, None),
            Some("resource") => (resource.and_then(|resource| resource.get("text")), resource),
            _ => (None, None),
        };
        Some(Self { node, resource, text: text.filter(|text| text.text().starts_with('"'))? })
    }
}

/// Looks at `result`, and cuts it by `edits` where it is over the limits; the whole goes to `save` first.
pub(super) fn judge<'a>(
    result: Node<'a>,
    rules: &Rules<'_>,
    save: &Save<'_>,
    edits: &mut Edits<'a>,
) -> Judged {
    let [content, structured, is_error] = result.get_all(["content", "structuredContent", "isError"]);
    let is_error = is_error.is_some_and(|raw| raw.text() == "true");
    let items = content.into_iter().flat_map(Node::items);
    let texts = Texts::of(items.filter_map(|item| Block::of(item)?.text.string()));
    let raw = counted(texts.all());
    let structured = structured.map(Node::text);
    let (bounds, structured_bounds) = rules.shared(texts.all(), structured.unwrap_or(""));
    let text_is_over = !text::fits(texts.all(), &raw, bounds);
    let structured_over = structured.filter(|raw| json::limit_exceeded(raw, structured_bounds).is_some());
    if !text_is_over && structured_over.is_none() {
        let (given, extent) = match structured {
            Some(json) if texts.count() == 0 => (json, Extent::of(json)),
            _ => (texts.all(), raw.extent()),
        };
        let tokens = estimate(given);
        return Judged { is_error, answered: Answered::of(extent, tokens, extent, None, bounds) };
    }
    // Where the text fits, only one that stands alone is looked at: it may be the structured content too.
    let value = if texts.count() == 1 { Value::of(texts.all()) } else { None };
    let structured_value = match (&value, structured) {
        (Some(value), Some(raw)) if value.text == raw => Some(value.clone()),
        _ => structured.and_then(Value::of),
    };
    let twin = structured_value.as_ref();
    let twin = twin.filter(|twin| value.as_ref().is_some_and(|value| json::is_same(value.text, twin.text)));
    let over = Over { texts: &texts, raw: &raw, bounds, structured_bounds, rules };
    let mut left = match &value {
        Some(value) if text_is_over || twin.is_some() => over.cut_value(0, value, TruncatedBy::Bytes, twin),
        _ if text_is_over => over.cut_texts(structured_value.as_ref()),
        _ => over.unchanged(),
    };
    if let Some(raw) = structured_over.filter(|_| !left.is_same) {
        left.structured = Some(over.cut_structured(raw, structured_value.as_ref()));
    }
    let (facts, whole, beside) = match (left.facts, &left.structured) {
        (Some(facts), structured) => {
            let beside = structured.as_ref().filter(|_| !left.is_same);
            (facts, left.whole, beside.map(|structured| structured.whole))
        }
        (None, Some(structured)) => (structured.facts.clone(), Whole::Json(structured.whole), None),
        (None, None) => {
            // Only its escapes, or white space around it, were too much.
            let given = match &left.text {
                TextLeft::All(texts) | TextLeft::Parts(texts, _) => texts.all(),
                TextLeft::Block(_, text) => text,
            };
            let answered = Answered::of(Extent::of(given), tokens(given), raw.extent(), None, bounds);
            let content = rebuild::content(edits, content, &texts, |n| left.text.block(n), None, false);
            set_members(edits, result, ["content"], [content]);
            return Judged { is_error, answered };
        }
    };
    let saved = save(whole, beside);
    let answered = facts.answered;
    let holds = left.structured.as_ref().is_none_or(|structured| structured.holds);
    let (notice, details) = facts.said(&saved, !holds);
    let notice = rules.hint.map_or_else(|| notice.to_string(), |hint| format!("{notice}\n{hint}"));
    let left_of = |n: usize| left.text.block(n);
    let content = rebuild::content(edits, content, &texts, left_of, Some(&notice), left.ends_in_text);
    let structured = left.structured.map(|left| left.text.map_or(Member::Gone, Member::New));
    let meta = if rules.shows_all { Member::Same } else { rebuild::meta(edits, result, &details) };
    let fates = [content, structured.unwrap_or(Member::Same), meta];
    set_members(edits, result, ["content", "structuredContent", "_meta"], fates);
    Judged { is_error, answered }
}

#[cfg(test)]
mod tests;
