//! Truncates text and structured content of a result.

#![expect(clippy::indexing_slicing, reason = "a cut has one text for each view")]

use std::borrow::Cow;

use cutline_core::text::{Counter, Extent};
use cutline_core::truncate::{Bounds, Keep, TruncatedBy};

use super::facts::Facts;
use super::{Member, ResultRules};
use crate::wrap::full_result::FullResult;
use crate::wrap::json::{self, Cut, Node, Shortened, Value};
use crate::wrap::text::{self, Outcome, TextCut, Texts};

/// A result that may exceed a limit.
pub(super) struct Over<'a> {
    pub(super) texts: &'a Texts<'a>,
    /// The counts of the text.
    pub(super) raw: &'a Counter,
    /// The limits of the text.
    pub(super) bounds: Bounds,
    pub(super) structured: Option<&'a str>,
    /// The limits of the structured content, which has no line limit.
    pub(super) structured_bounds: Bounds,
    pub(super) rules: &'a ResultRules<'a>,
}

/// The truncated text of a result.
pub(super) enum TruncatedText<'a> {
    /// The complete text, because only the structured content exceeded a limit.
    Same(&'a Texts<'a>),
    /// The text without escapes, and the part of it to keep.
    Parts(Cow<'a, Texts<'a>>, Option<Box<TextCut>>),
    /// Only the block with this index, with this text.
    Block(usize, String),
}

impl TruncatedText<'_> {
    /// Returns the truncated text of block `n`, or `None` if the block is removed.
    pub(super) fn block(&self, n: usize) -> Option<Cow<'_, str>> {
        match self {
            Self::Same(texts) => Some(texts.block(n).into()),
            Self::Parts(texts, None) => Some(texts.block(n).into()),
            Self::Parts(texts, Some(cut)) => cut.remaining(texts, n),
            Self::Block(one, text) => (*one == n).then(|| text.into()),
        }
    }

    /// Returns true if the notice can be added to block `n`, the last one. After JSON and unchanged text, the notice is
    /// a separate block.
    pub(super) fn may_hold_notice(&self, n: usize) -> bool {
        matches!(self, Self::Parts(texts, _) if Value::of(texts.block(n)).is_none())
    }
}

/// A truncated result.
pub(super) struct Truncated<'a> {
    pub(super) text: TruncatedText<'a>,
    /// The data for the notice, or `None` if only escapes or white space were removed.
    pub(super) facts: Option<Facts<'a>>,
    pub(super) structured: Member<'a, 'a>,
    /// True if structured content and text have the same value.
    is_same: bool,
}

impl<'a> Truncated<'a> {
    /// Returns a result with this text and no other changes.
    fn of(text: TruncatedText<'a>, facts: Option<Facts<'a>>) -> Self {
        Self { text, facts, structured: Member::Same, is_same: false }
    }
}

impl<'a> Over<'a> {
    /// Truncates the result. Returns `None` if it is within the limits.
    pub(super) fn cut(&self) -> Option<Truncated<'a>> {
        let (texts, structured) = (self.texts, self.structured);
        let text_is_over = text::limit_exceeded(texts.all(), self.bounds).is_some();
        let structured_by = structured.and_then(|raw| text::limit_exceeded(raw, self.structured_bounds));
        if !text_is_over && structured_by.is_none() {
            return None;
        }
        // If the text fits, only a single block can have the same value as the structured content.
        let value = if texts.count() == 1 { Value::of(texts.all()) } else { None };
        let structured_value = match (&value, structured) {
            (Some(value), Some(raw)) if value.text == raw => Some(value.clone()),
            _ => structured.and_then(Value::of),
        };
        let twin = value.as_ref().and_then(|value| Twin::of(value, structured_value.as_ref()));
        let mut left = match &value {
            Some(value) if text_is_over || twin.is_some() => {
                self.cut_value((0, value), TruncatedBy::Bytes, twin.as_ref(), FullResult::Json(texts.all()))
            }
            None if text_is_over => self.cut_texts(structured_value.as_ref()),
            _ => Truncated::of(TruncatedText::Same(texts), None),
        };
        if let Some((raw, by)) = structured.zip(structured_by).filter(|_| !left.is_same) {
            self.cut_structured(&mut left, raw, structured_value.as_ref(), by);
        }
        Some(left)
    }

    /// Returns true if the structured content is an object with one member, and this member is the text. Some SDKs wrap
    /// text in this way. If the text is complete, nothing is missing.
    pub(super) fn structured_is_text(&self) -> bool {
        let Some(value) = self.structured.and_then(Value::of) else { return false };
        let mut members = value.top().children().filter(|member| member.key().is_some());
        let only = members.next().filter(|_| members.next().is_none());
        only.and_then(Node::string).is_some_and(|text| text == self.texts.all())
    }

    /// Truncates structured content that exceeds the limit `by`. Removes a value that is nested too deeply.
    fn cut_structured(
        &self,
        left: &mut Truncated<'a>,
        raw: &'a str,
        value: Option<&Value<'a>>,
        by: TruncatedBy,
    ) {
        let (bounds, original) = (self.structured_bounds, (Extent::of(raw), chars(raw)));
        let string = Value::of_string(raw);
        let cut = value.or(string.as_ref()).map(|value| json::cut(&[(value, bounds)]));
        let cut = cut.filter(|cut| text::limit_exceeded(&cut.texts[0], bounds).is_none());
        let mut cut = cut.unwrap_or_else(|| Cut {
            texts: Vec::new(),
            shortened: vec![Shortened::nothing_of(original.1)],
            single_too_large: true,
            by,
        });
        let text = cut.texts.pop();
        let is_structured = left.facts.is_some();
        let facts = left.facts.get_or_insert_with(|| {
            // The details include the line limit.
            let bounds = Bounds { lines: self.bounds.lines, ..bounds };
            Facts::of_json(&cut, text.as_deref().unwrap_or(""), None, FullResult::Json(raw), original, bounds)
        });
        facts.structured = is_structured.then_some(raw);
        let schema_holds = text.is_some() && self.rules.schema.holds_for(&cut.shortened);
        facts.details.schema_may_not_hold = (!schema_holds).then_some(true);
        left.structured = text.map_or(Member::Gone, Member::New);
    }

    /// Truncates text that is not a single JSON value. If one block with such a value remains, also truncates the same
    /// value in `structured`.
    fn cut_texts(&self, structured: Option<&Value<'a>>) -> Truncated<'a> {
        let (bounds, texts) = (self.bounds, self.texts);
        let all_json = texts.blocks().all(|text| Value::of(text).is_some());
        let (keep, full) = if all_json {
            (Keep::Head, FullResult::JsonAll(texts))
        } else {
            (self.rules.keep.of_lines(bounds.lines), FullResult::Text(texts.all()))
        };
        let shown = texts.resolved(bounds.bytes);
        let is_json = |n: usize| all_json || Value::of(shown.block(n)).is_some();
        let outcome = text::cut(&shown, (keep, self.rules.key_forms), bounds, self.raw, is_json);
        if let Outcome::OneValue(n, by) = outcome
            && let Some(value) = Value::of(shown.block(n))
        {
            return self.cut_value((n, &value), by, Twin::of(&value, structured).as_ref(), full);
        }
        let Outcome::Cut(cut) = outcome else {
            return Truncated::of(TruncatedText::Parts(shown, None), None);
        };
        let facts = Facts::of_text(&cut, &shown, full, self.original(), bounds);
        Truncated::of(TruncatedText::Parts(shown, Some(Box::new(cut))), Some(facts))
    }

    /// Truncates block `n`, a JSON value that exceeds the limit `by`, and `twin`, the same value in the structured
    /// content. Removes all other blocks. If only white space is removed, the twin does not change.
    fn cut_value(
        &self,
        (n, value): (usize, &Value<'_>),
        by: TruncatedBy,
        twin: Option<&Twin<'_>>,
        full: FullResult<'a>,
    ) -> Truncated<'a> {
        let bounds = twin.map(|twin| twin.bounds(self.structured_bounds));
        let views = [Some((value, self.bounds)), twin.map(|twin| &twin.value).zip(bounds)];
        let mut cut = json::cut(&views.into_iter().flatten().collect::<Vec<_>>());
        let is_over = |bounds| text::limit_exceeded(&cut.texts[1], bounds).is_some();
        if bounds.is_some_and(is_over) {
            return self.cut_value((n, value), by, None, full);
        }
        let is_cut = !cut.shortened.is_empty();
        cut.by = if is_cut { cut.by } else { by };
        let structured = twin.filter(|_| is_cut).and_then(|twin| Some(twin.with(&cut.texts.pop()?)));
        let text = cut.texts.swap_remove(0);
        let count = self.texts.count() as u64;
        let blocks = (count > 1).then_some((1, count));
        let mut facts = Facts::of_json(&cut, &text, blocks, full, self.original(), self.bounds);
        let schema_holds = structured.is_none() || self.rules.schema.holds_for(&cut.shortened);
        facts.details.schema_may_not_hold = (!schema_holds).then_some(true);
        Truncated {
            structured: structured.map_or(Member::Same, Member::New),
            is_same: twin.is_some(),
            ..Truncated::of(TruncatedText::Block(n, text), Some(facts).filter(|_| is_cut || count > 1))
        }
    }

    /// Returns the lines, bytes and characters of the original text.
    fn original(&self) -> (Extent, u64) {
        (self.raw.extent(), chars(self.texts.all()))
    }
}

/// Structured content, or its only member, with the same value as the text.
struct Twin<'a> {
    value: Value<'a>,
    /// The text before and after the value in the structured content.
    around: [&'a str; 2],
}

impl<'a> Twin<'a> {
    /// Returns the part of `structured` that is the same as `value`, if there is one.
    fn of(value: &Value<'_>, structured: Option<&'a Value<'a>>) -> Option<Self> {
        let structured = structured?;
        if json::is_same(value.text, structured.text) {
            return Some(Self { value: structured.clone(), around: [""; 2] });
        }
        // SDKs wrap other values in an object, such as `{"result": […]}`.
        let mut members = structured.top().children().filter(|_| structured.top().is_object());
        let member = members.next().filter(|_| members.next().is_none())?;
        let inner = Value::of(member.text()).filter(|inner| json::is_same(value.text, inner.text))?;
        let (before, rest) = structured.text.split_at(member.place().start);
        Some(Self { value: inner, around: [before, rest.split_at(member.text().len()).1] })
    }

    /// Returns the limits of the value.
    fn bounds(&self, all: Bounds) -> Bounds {
        let around: usize = self.around.iter().map(|part| part.len()).sum();
        Bounds { bytes: all.bytes.saturating_sub(around as u64), ..all }
    }

    /// Returns the structured content with `value` in place of the original one.
    fn with(&self, value: &str) -> String {
        [self.around[0], value, self.around[1]].concat()
    }
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}
