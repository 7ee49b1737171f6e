//! The parts that are left of a result's text and of its structured content.

use std::borrow::Cow;

use cutline_core::text::terminal::Terminal;
use cutline_core::text::tokens::estimate;
use cutline_core::text::{Counter, Extent};
use cutline_core::truncate::{Bounds, Keep, TruncatedBy};

use super::rebuild::Structured;
use super::said::{Facts, Said};
use super::{KeepPart, extent};
use crate::wrap::json::{self, Cut, Shortened, Value, View};
use crate::wrap::save::Whole;
use crate::wrap::schema::OutputSchema;
use crate::wrap::text::{self, Kept, Outcome, Piece};

/// The character that begins an escape sequence.
const ESC: char = '\u{1b}';

/// A result of which something is over a limit.
pub(super) struct Over<'a> {
    /// The text of each block that has one.
    pub(super) texts: Vec<&'a str>,
    /// The counts of these as one text.
    pub(super) raw: Counter,
    /// The limits of the text.
    pub(super) bounds: Bounds,
    /// The limits of the structured content, which has any number of lines.
    pub(super) structured_bounds: Bounds,
    pub(super) keep: KeepPart,
}

/// The part that is left of the text.
pub(super) struct TextLeft<'a> {
    /// Each block with a text, as it is after the cut.
    pub(super) blocks: Vec<BlockLeft<'a>>,
    /// The notice; nothing where only its escapes were resolved, or white space went.
    pub(super) said: Option<Said>,
    pub(super) output: Extent,
    pub(super) output_tokens: u64,
    /// The text as it was.
    pub(super) whole: Whole<'a>,
}

/// A block with a text after the cut.
pub(super) enum BlockLeft<'a> {
    /// It goes.
    Gone,
    /// This is its text.
    Text(Cow<'a, str>),
    /// This is its text, and JSON: nothing may stand beside it.
    Json(Cow<'a, str>),
}

/// The part that is left of the structured content.
pub(super) struct StructuredLeft<'a> {
    /// The value; `None` where it can't be cut, and goes.
    text: Option<String>,
    shortened: Vec<Shortened<'a>>,
    said: Said,
    /// The value as it was.
    pub(super) whole: &'a str,
}

impl StructuredLeft<'_> {
    /// The value in its place.
    pub(super) fn now(&self) -> Structured<'_> {
        self.text.as_deref().map_or(Structured::Gone, Structured::Text)
    }

    /// True if it surely is what `schema` promises.
    pub(super) fn holds(&self, schema: &OutputSchema) -> bool {
        self.text.is_some() && schema.holds_for(&self.shortened)
    }

    pub(super) fn facts(&self) -> Facts<'_> {
        let text = self.text.as_deref().unwrap_or("");
        Facts {
            said: &self.said,
            output: extent(text),
            output_tokens: estimate(text),
            total: extent(self.whole),
            total_chars: chars(self.whole),
        }
    }
}

impl<'a> Over<'a> {
    /// The JSON value that each text is. Where the text fits, only one that stands alone is looked at.
    pub(super) fn values(&self, text_is_over: bool) -> Vec<Option<Value<'a>>> {
        let all = text_is_over || self.texts.len() == 1;
        self.texts.iter().map(|text| if all { Value::of(text) } else { None }).collect()
    }

    /// Characters of all texts.
    pub(super) fn chars(&self) -> u64 {
        self.texts.iter().map(|text| chars(text)).sum()
    }

    /// Cuts the one text and the structured content, which are the same value, alike. The latter stays as it is where
    /// only white space around the text was too much.
    pub(super) fn cut_alike(
        &self,
        value: &'a Value<'a>,
        twin: &'a Value<'a>,
    ) -> (TextLeft<'a>, Option<StructuredLeft<'a>>) {
        let mut cut = json::cut(&[self.view_of_text(value), self.view_of_structured(twin)]);
        let structured = cut.texts.pop();
        let said = Said::of_json(&cut, cut.by, None, self.bounds);
        let shortened = cut.shortened.clone();
        let structured = StructuredLeft { text: structured, shortened, said, whole: twin.text };
        let structured = Some(structured).filter(|_| !cut.shortened.is_empty());
        (self.left_of_value(0, cut, value.text), structured)
    }

    /// Cuts structured content, which is `value`. Deeper than a value may be that is looked into, it goes.
    pub(super) fn cut_structured(&self, raw: &'a str, value: Option<&'a Value<'a>>) -> StructuredLeft<'a> {
        let is_over = raw.len() as u64 > self.structured_bounds.bytes;
        let mut cut = match value {
            Some(value) => json::cut(&[self.view_of_structured(value)]),
            None => Cut {
                texts: Vec::new(),
                shortened: vec![Shortened::nothing_of(chars(raw))],
                single_too_large: true,
                by: if is_over { TruncatedBy::Bytes } else { TruncatedBy::Tokens },
            },
        };
        let said = Said::of_json(&cut, cut.by, None, self.structured_bounds);
        StructuredLeft { text: cut.texts.pop(), shortened: cut.shortened, said, whole: raw }
    }

    /// Cuts the text, of which each block may be one of `values`.
    pub(super) fn cut_text(&self, values: &'a [Option<Value<'a>>]) -> TextLeft<'a> {
        let Bounds { lines, bytes, .. } = self.bounds;
        if let [Some(value)] = values {
            return self.cut_value(0, value, TruncatedBy::Bytes);
        }
        let all_json = values.iter().all(Option::is_some);
        let texts = self.texts.iter().map(|text| resolved(text, bytes));
        let owned: Vec<(Cow<'a, str>, bool)> = texts.zip(values.iter().map(Option::is_some)).collect();
        let pieces: Vec<Piece<'_>> =
            owned.iter().map(|(text, is_json)| Piece { text, is_json: *is_json }).collect();
        let keep = if all_json { Keep::Head(lines) } else { self.keep.of_lines(lines) };
        let outcome = text::cut(&pieces, keep, self.bounds, &self.raw);
        if let Outcome::OneValue(n, by) = outcome
            && let Some(value) = values.get(n).and_then(Option::as_ref)
        {
            return TextLeft { whole: self.whole(all_json), ..self.cut_value(n, value, by) };
        }
        let (kept, said, output, output_tokens) = match outcome {
            Outcome::OneValue(..) | Outcome::Fits => {
                let output = text::counted(owned.iter().map(|(text, _)| text.as_ref())).extent();
                let output_tokens = owned.iter().map(|(text, _)| estimate(text)).sum();
                (vec![Kept::Whole; owned.len()], None, output, output_tokens)
            }
            Outcome::Cut(cut) => {
                let said = Said::of_text(&cut, all_json, self.raw.extent().lines, self.bounds);
                (cut.kept, Some(said), cut.output, cut.output_tokens)
            }
        };
        let left = |((text, is_json), kept): ((Cow<'a, str>, bool), Kept)| {
            let text = match kept {
                Kept::Nothing => return BlockLeft::Gone,
                Kept::Whole => text,
                Kept::Part(part) => Cow::Owned(part),
            };
            if is_json { BlockLeft::Json(text) } else { BlockLeft::Text(text) }
        };
        let blocks = owned.into_iter().zip(kept).map(left).collect();
        TextLeft { blocks, said, output, output_tokens, whole: self.whole(all_json) }
    }

    fn whole(&self, all_json: bool) -> Whole<'a> {
        if all_json { Whole::JsonAll(self.texts.clone()) } else { Whole::Text(self.texts.clone()) }
    }

    /// Cuts the block `n`, one JSON value that alone is over the limit `by`; no other is shown.
    fn cut_value(&self, n: usize, value: &'a Value<'a>, by: TruncatedBy) -> TextLeft<'a> {
        let cut = json::cut(&[self.view_of_text(value)]);
        let by = if cut.shortened.is_empty() { by } else { cut.by };
        self.left_of_value(n, Cut { by, ..cut }, value.text)
    }

    fn left_of_value(&self, n: usize, mut cut: Cut<'_>, value: &'a str) -> TextLeft<'a> {
        let count = self.texts.len();
        let blocks = (count > 1).then_some((1, count as u64));
        let is_cut = count > 1 || !cut.shortened.is_empty();
        let said = is_cut.then(|| Said::of_json(&cut, cut.by, blocks, self.bounds));
        let text = cut.texts.pop().unwrap_or_default();
        let (output, output_tokens) = (extent(&text), estimate(&text));
        let mut blocks: Vec<BlockLeft<'a>> = self.texts.iter().map(|_| BlockLeft::Gone).collect();
        if let Some(own) = blocks.get_mut(n) {
            *own = BlockLeft::Json(Cow::Owned(text));
        }
        TextLeft { blocks, said, output, output_tokens, whole: Whole::Json(value) }
    }

    fn view_of_text(&self, value: &'a Value<'a>) -> View<'a> {
        View { value, bounds: self.bounds }
    }

    fn view_of_structured(&self, value: &'a Value<'a>) -> View<'a> {
        View { value, bounds: self.structured_bounds }
    }
}

/// A text as a terminal would show it, where it holds escapes.
fn resolved(text: &str, max_bytes: u64) -> Cow<'_, str> {
    if !text.contains(ESC) {
        return Cow::Borrowed(text);
    }
    let mut terminal = Terminal::new(max_bytes);
    let mut shown = String::new();
    terminal.push(text, &mut |part| shown.push_str(part));
    terminal.finish(&mut |part| shown.push_str(part));
    Cow::Owned(shown)
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}
