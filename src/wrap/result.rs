//! A tool's result, within the limits: its text, its structured content, and what is said of both.

mod left;
mod rebuild;
mod said;

use std::borrow::Cow;

use cutline_core::text::tokens::estimate;
use cutline_core::text::{Counter, Extent};
use cutline_core::truncate::{Bounds, Keep, TruncatedBy};

use super::json::{Node, Value};
use super::save::{Save, Whole};
use super::schema::OutputSchema;
use super::text;
use left::{Over, StructuredLeft};

pub(super) use rebuild::{Parts, with_members};

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
    /// Returns the limits of `texts`, of which `extent` is the size, and of `structured` content, which has any number of
    /// lines. Where they share bytes and tokens, what one does not need is the other's.
    fn shared(&self, texts: &[&str], extent: Extent, structured: &str) -> (Bounds, Bounds) {
        let unlimited = |bounds: Bounds| Bounds { lines: u64::MAX, ..bounds };
        if !self.shows_all {
            return (self.bounds, unlimited(self.bounds));
        }
        let beside = |limit: u64, other: u64| (limit - limit / 2).max(limit.saturating_sub(other));
        let within = |bytes: u64, tokens: &dyn Fn() -> u64| Bounds {
            bytes: beside(self.bounds.bytes, bytes),
            tokens: self.bounds.tokens.map(|limit| beside(limit, tokens())),
            ..self.bounds
        };
        let of_text = within(structured.len() as u64, &|| estimate(structured));
        (of_text, unlimited(within(extent.bytes, &|| text::tokens(texts.iter().copied()))))
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
            Self::Head => Keep::Head(lines),
            Self::Ends if lines > 1 => {
                let head = (lines / 5).max(1);
                Keep::Both { head, tail: lines - head }
            }
            Self::Tail | Self::Ends => Keep::Tail(lines),
        }
    }
}

/// A result that was looked at.
#[derive(Debug)]
pub(super) struct Judged<'a> {
    /// The result as it is now; `None` where it is within its limits.
    pub(super) new: Option<Parts<'a>>,
    /// True if the tool says that it failed.
    pub(super) is_error: bool,
    /// Lines and bytes of it that are given: of its text, else of its structured content.
    pub(super) given: Extent,
    /// Tokens of that, about.
    pub(super) given_tokens: u64,
    /// Lines and bytes that there were.
    pub(super) total: Extent,
    /// The limit that cut it.
    pub(super) truncated_by: Option<TruncatedBy>,
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
        Some(Self { node, resource, text: text.filter(|text| text.is_string())? })
    }
}

/// Looks at `result`, and cuts it where it is over the limits; the whole goes to `save` first.
pub(super) fn judge<'a>(result: Node<'a>, rules: &Rules<'_>, save: &(dyn Save + Sync)) -> Judged<'a> {
    let [content, structured, is_error] = result.get_all(["content", "structuredContent", "isError"]);
    let is_error = is_error.is_some_and(|raw| raw.text() == "true");
    // Of a block nothing is held but its text: there may be as many as the message has bytes.
    let items = content.into_iter().flat_map(Node::items);
    let own: Vec<Cow<'_, str>> = items.filter_map(|item| Block::of(item)?.text.string()).collect();
    let texts: Vec<&str> = own.iter().map(AsRef::as_ref).collect();
    let structured = structured.map(Node::text);
    let raw = text::counted(texts.iter().copied());
    let (bounds, structured_bounds) = rules.shared(&texts, raw.extent(), structured.unwrap_or(""));
    let text_is_over = !text::fits(&texts, &raw, bounds);
    let structured_is_over = structured.is_some_and(|raw| {
        raw.len() as u64 > structured_bounds.bytes
            || structured_bounds.tokens.is_some_and(|max| estimate(raw) > max)
    });
    if !text_is_over && !structured_is_over {
        let (given, given_tokens) = match structured {
            Some(raw) if texts.is_empty() => (extent(raw), estimate(raw)),
            _ => (raw.extent(), texts.iter().map(|text| estimate(text)).sum()),
        };
        return Judged { new: None, is_error, given, given_tokens, total: given, truncated_by: None };
    }
    let over = Over { texts, raw, bounds, structured, structured_bounds, keep: rules.keep };
    // Where the text fits, only one that stands alone is looked at: it may be the structured content too.
    let values = over.values(text_is_over || over.texts.len() == 1);
    let structured_value = match (values.as_slice(), structured) {
        ([Some(value)], Some(raw)) if value.text == raw => Some(value.clone()),
        _ => structured.and_then(Value::of),
    };
    let (left, saved) =
        over.cut(&values, structured_value.as_ref(), (text_is_over, structured_is_over), save);
    let total = over.raw.extent();
    let has_text = left.cut.is_some();
    let (facts, whole) = match (left.cut, &left.structured) {
        (Some(cut), _) => cut,
        (None, Some(structured)) => (structured.facts.clone(), Whole::Json(structured.whole)),
        (None, None) => {
            // Only its escapes, or white space around it, were too much.
            let (given, given_tokens) = left.given;
            let content = rebuild::content(content, &own, &left.texts, None, false);
            let new = Some(with_members(Some(result), vec![("content", Some(content))]));
            return Judged { new, is_error, given, given_tokens, total, truncated_by: None };
        }
    };
    let beside =
        left.structured.as_ref().filter(|_| has_text && !left.is_same).map(|structured| structured.whole);
    let saved = saved.unwrap_or_else(|| save.save(&whole, beside));
    let holds = left.structured.as_ref().is_none_or(|structured| structured.holds(rules.schema));
    let (notice, details) = facts.said(bounds, &saved, !holds);
    let notice = rules.hint.map_or_else(|| notice.to_string(), |hint| format!("{notice}\n{hint}"));
    let content = rebuild::content(content, &own, &left.texts, Some(&notice), left.ends_in_text);
    let mut new = vec![("content", Some(content))];
    let structured =
        |left: StructuredLeft<'_>| ("structuredContent", left.text.map(|text| vec![text.into()]));
    new.extend(left.structured.map(structured));
    if !rules.shows_all {
        new.push(("_meta", Some(rebuild::meta(result, &details))));
    }
    Judged {
        new: Some(with_members(Some(result), new)),
        is_error,
        given: facts.output,
        given_tokens: facts.output_tokens,
        total: facts.total,
        truncated_by: Some(facts.by),
    }
}

fn extent(text: &str) -> Extent {
    let mut counter = Counter::default();
    counter.push(text.as_bytes());
    counter.extent()
}

#[cfg(test)]
mod tests;
