//! The parts that are left of a result's text and of its structured content.

#![expect(clippy::indexing_slicing, reason = "a cut has a text for each view")]

use std::borrow::Cow;

use cutline_core::text::{Counter, Extent};
use cutline_core::truncate::{Bounds, Keep, TruncatedBy};

use super::Rules;
use super::said::Facts;
use crate::wrap::json::{self, Cut, Shortened, Value, View};
use crate::wrap::save::Whole;
use crate::wrap::text::{self, Outcome, TextCut, Texts};

/// A result of which something is over a limit.
pub(super) struct Over<'a> {
    pub(super) texts: &'a Texts<'a>,
    /// The counts of the text.
    pub(super) raw: &'a Counter,
    /// The limits of the text.
    pub(super) bounds: Bounds,
    /// The limits of the structured content, which has any number of lines.
    pub(super) structured_bounds: Bounds,
    pub(super) rules: &'a Rules<'a>,
}

/// The part that is left of a result's text.
pub(super) enum TextLeft<'a> {
    /// All of it, its escapes resolved where it is over the limits.
    All(Cow<'a, Texts<'a>>),
    /// Parts of it.
    Parts(Cow<'a, Texts<'a>>, TextCut),
    /// One block alone, with this text.
    Block(usize, String),
}

impl TextLeft<'_> {
    /// Returns the text that is left of block `n`; `None` where the block goes.
    pub(super) fn block(&self, n: usize) -> Option<Cow<'_, str>> {
        match self {
            Self::All(texts) => Some(texts.block(n).into()),
            Self::Parts(texts, cut) => cut.left(texts, n),
            Self::Block(one, text) => (*one == n).then(|| text.into()),
        }
    }
}

/// The part that is left of a result.
pub(super) struct Left<'a> {
    pub(super) text: TextLeft<'a>,
    /// True if it ends in text that was cut, in whose block the notice may stand.
    pub(super) ends_in_text: bool,
    /// The facts of the text's cut; nothing where only its escapes were resolved, or white space went.
    pub(super) facts: Option<Facts>,
    /// The text as it was.
    pub(super) whole: Whole<'a>,
    /// The structured content, where it was cut.
    pub(super) structured: Option<StructuredLeft<'a>>,
    /// True if the structured content is the text, or the block that is left of it.
    pub(super) is_same: bool,
}

/// The part that is left of the structured content.
pub(super) struct StructuredLeft<'a> {
    /// The value; `None` where it can't be cut, and goes.
    pub(super) text: Option<String>,
    /// True if it surely is what the tool's schema promises.
    pub(super) holds: bool,
    pub(super) facts: Facts,
    /// The value as it was.
    pub(super) whole: &'a str,
}

impl<'a> Over<'a> {
    /// Returns the text as it is.
    pub(super) fn unchanged(&self) -> Left<'a> {
        let (text, whole) = (TextLeft::All(Cow::Borrowed(self.texts)), Whole::Text(self.texts.all()));
        Left { text, ends_in_text: false, facts: None, whole, structured: None, is_same: false }
    }

    /// Cuts structured content, which is `value`, or a string. Deeper than a value may be that is looked into, it goes.
    pub(super) fn cut_structured(&self, raw: &'a str, value: Option<&Value<'_>>) -> StructuredLeft<'a> {
        let bounds = self.structured_bounds;
        let string = Value::of_string(raw);
        let cut = value.or(string.as_ref()).map(|value| json::cut(&[View { value, bounds }]));
        let cut = cut.filter(|cut| json::limit_exceeded(&cut.texts[0], bounds).is_none());
        let mut cut = cut.unwrap_or_else(|| Cut {
            texts: Vec::new(),
            shortened: vec![Shortened::nothing_of(chars(raw))],
            single_too_large: true,
            by: json::limit_exceeded(raw, bounds).unwrap_or(TruncatedBy::Bytes),
        });
        let text = cut.texts.pop();
        self.structured_left(&cut, text, raw)
    }

    fn structured_left(&self, cut: &Cut<'_>, text: Option<String>, whole: &'a str) -> StructuredLeft<'a> {
        let left = text.as_deref().unwrap_or("");
        // The limit of lines is said too, which it can't be over.
        let bounds = Bounds { lines: self.bounds.lines, ..self.structured_bounds };
        let facts = Facts::of_json(cut, left, None, (Extent::of(whole), chars(whole)), bounds);
        let holds = text.is_some() && self.rules.schema.holds_for(&cut.shortened);
        StructuredLeft { text, holds, facts, whole }
    }

    /// Cuts the texts, which are not one JSON value alone. Where one is left that is such a value, `structured` is cut
    /// alike if it is the same one.
    pub(super) fn cut_texts(&self, structured: Option<&Value<'a>>) -> Left<'a> {
        let (bounds, texts) = (self.bounds, self.texts);
        let all_json = texts.blocks().all(|text| Value::of(text).is_some());
        let (keep, whole) = if all_json {
            (Keep::Head, Whole::JsonAll(texts))
        } else {
            (self.rules.keep.of_lines(bounds.lines), Whole::Text(texts.all()))
        };
        let shown = texts.resolved(bounds.bytes);
        let is_json = |n: usize| all_json || Value::of(shown.block(n)).is_some();
        let outcome = text::cut(&shown, keep, bounds, self.raw, is_json);
        if let Outcome::OneValue(n, by) = outcome
            && let Some(value) = Value::of(shown.block(n))
        {
            let twin = structured.filter(|twin| json::is_same(value.text, twin.text));
            return Left { whole, ..self.cut_value(n, &value, by, twin) };
        }
        let Outcome::Cut(cut) = outcome else {
            let ends_in_text = texts.count().checked_sub(1).is_some_and(|last| !is_json(last));
            return Left { text: TextLeft::All(shown), ends_in_text, whole, ..self.unchanged() };
        };
        let kept: Vec<usize> = (0..texts.count()).filter(|n| cut.left(&shown, *n).is_some()).collect();
        let ends_in_text = kept.last().is_some_and(|last| !is_json(*last));
        let counts = (kept.len() as u64, texts.count() as u64);
        let facts = Facts::of_text(&cut, counts, all_json, self.total(), bounds);
        let text = TextLeft::Parts(shown, cut);
        Left { text, ends_in_text, facts: Some(facts), whole, ..self.unchanged() }
    }

    /// Cuts the block `n`, one JSON value that alone is over the limit `by`, and `twin`, the same value as structured
    /// content, alike; no other block is shown. The twin stays as it is where only white space around the text was too much.
    pub(super) fn cut_value(
        &self,
        n: usize,
        value: &Value<'_>,
        by: TruncatedBy,
        twin: Option<&Value<'a>>,
    ) -> Left<'a> {
        let views = [Some((value, self.bounds)), twin.map(|twin| (twin, self.structured_bounds))];
        let views: Vec<_> =
            views.into_iter().flatten().map(|(value, bounds)| View { value, bounds }).collect();
        let mut cut = json::cut(&views);
        let is_cut = !cut.shortened.is_empty();
        cut.by = if is_cut { cut.by } else { by };
        let structured = twin.zip(cut.texts.get(1).cloned()).filter(|_| is_cut);
        let text = cut.texts.swap_remove(0);
        let count = self.texts.count() as u64;
        let blocks = (count > 1).then_some((1, count));
        let facts = Facts::of_json(&cut, &text, blocks, self.total(), self.bounds);
        Left {
            text: TextLeft::Block(n, text),
            facts: Some(facts).filter(|_| is_cut || count > 1),
            whole: Whole::Json(self.texts.all()),
            structured: structured.map(|(twin, text)| self.structured_left(&cut, Some(text), twin.text)),
            is_same: twin.is_some(),
            ends_in_text: false,
        }
    }

    /// Returns the lines and bytes of the text, and its characters.
    fn total(&self) -> (Extent, u64) {
        (self.raw.extent(), chars(self.texts.all()))
    }
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}
