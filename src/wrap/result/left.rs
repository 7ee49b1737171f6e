//! The parts that are left of a result's text and of its structured content.

#![expect(clippy::indexing_slicing, reason = "a block's number is below their count")]

use std::borrow::Cow;

use cutline_core::text::terminal::Terminal;
use cutline_core::text::tokens::estimate;
use cutline_core::text::{Counter, Extent};
use cutline_core::truncate::{Bounds, Keep, TruncatedBy};

use super::said::Facts;
use super::{KeepPart, extent};
use crate::wrap::json::{self, Cut, Shortened, Value, View};
use crate::wrap::save::{Save, Saved, Whole};
use crate::wrap::schema::OutputSchema;
use crate::wrap::text::{self, Kept, Outcome, Piece};

/// The character that begins an escape sequence.
const ESC: char = '\u{1b}';
/// Bytes of a value from which it is saved while it is cut: both take as long as reading it.
const LARGE_BYTES: usize = 256 * 1024;

/// A result of which something is over a limit.
pub(super) struct Over<'a> {
    /// The text of each block that has one.
    pub(super) texts: Vec<&'a str>,
    /// The counts of these as one text.
    pub(super) raw: Counter,
    /// The limits of the text.
    pub(super) bounds: Bounds,
    pub(super) structured: Option<&'a str>,
    /// The limits of the structured content, which has any number of lines.
    pub(super) structured_bounds: Bounds,
    pub(super) keep: KeepPart,
}

/// The part that is left of a result.
pub(super) struct Left<'a> {
    /// The text of each block that has one, after the cut; nothing of those that go.
    pub(super) texts: Vec<Option<Cow<'a, str>>>,
    /// True if these end in text that was cut, in whose block the notice may stand.
    pub(super) ends_in_text: bool,
    /// Lines and bytes of them, and tokens, about.
    pub(super) given: (Extent, u64),
    /// The facts of the text's cut, and the text as it was; nothing where only its escapes were resolved, or white
    /// space went.
    pub(super) cut: Option<(Facts, Whole<'a>)>,
    /// The structured content, where it was cut.
    pub(super) structured: Option<StructuredLeft<'a>>,
    /// True if the text is the same value as the structured content.
    pub(super) is_same: bool,
}

/// The part that is left of the structured content.
pub(super) struct StructuredLeft<'a> {
    /// The value; `None` where it can't be cut, and goes.
    pub(super) text: Option<String>,
    shortened: Vec<Shortened<'a>>,
    pub(super) facts: Facts,
    /// The value as it was.
    pub(super) whole: &'a str,
}

impl StructuredLeft<'_> {
    /// True if it surely is what `schema` promises.
    pub(super) fn holds(&self, schema: &OutputSchema) -> bool {
        self.text.is_some() && schema.holds_for(&self.shortened)
    }
}

impl<'a> Over<'a> {
    /// Returns the JSON value that each text is, where they are looked at.
    pub(super) fn values(&self, are_looked_at: bool) -> Vec<Option<Value<'a>>> {
        self.texts.iter().map(|text| are_looked_at.then(|| Value::of(text)).flatten()).collect()
    }

    /// Cuts what is over, of the text and of the structured content. A large value is saved meanwhile.
    pub(super) fn cut(
        &self,
        values: &'a [Option<Value<'a>>],
        structured: Option<&'a Value<'a>>,
        (text_is_over, structured_is_over): (bool, bool),
        save: &(dyn Save + Sync),
    ) -> (Left<'a>, Option<Saved>) {
        let twin = match (values, structured) {
            ([Some(value)], Some(twin)) if json::is_same(value.text, twin.text) => Some((value, twin)),
            _ => None,
        };
        let cut = || {
            if let Some((value, twin)) = twin {
                return self.cut_alike(value, twin);
            }
            let left = if text_is_over { self.cut_text(values) } else { self.unchanged() };
            let raw = self.structured.filter(|_| structured_is_over);
            Left { structured: raw.map(|raw| self.cut_structured(raw, structured)), ..left }
        };
        match values {
            [Some(value)] if value.text.len() >= LARGE_BYTES && (twin.is_some() || !structured_is_over) => {
                let whole = Whole::Json(value.text);
                std::thread::scope(|scope| {
                    let save = || save.save(&whole, None);
                    let saving = std::thread::Builder::new().spawn_scoped(scope, save);
                    // Where there is no thread to be had, it is saved once it is cut.
                    (cut(), saving.ok().and_then(|saving| saving.join().ok()))
                })
            }
            _ => (cut(), None),
        }
    }

    fn unchanged(&self) -> Left<'a> {
        let texts = self.texts.iter().map(|text| Some(Cow::Borrowed(*text))).collect();
        let given = (self.raw.extent(), 0);
        Left { texts, ends_in_text: false, given, cut: None, structured: None, is_same: false }
    }

    /// Cuts the one text and the structured content, which are the same value, alike. The latter stays as it is where
    /// only white space around the text was too much.
    fn cut_alike(&self, value: &'a Value<'a>, twin: &'a Value<'a>) -> Left<'a> {
        let views =
            [View { value, bounds: self.bounds }, View { value: twin, bounds: self.structured_bounds }];
        let mut cut = json::cut(&views);
        let structured = cut.texts.pop().filter(|_| !cut.shortened.is_empty());
        let structured = structured.map(|text| self.structured_left(&cut, Some(text), twin.text));
        Left { structured, is_same: true, ..self.left_of_value(0, cut, Whole::Json(value.text)) }
    }

    /// Cuts structured content, which is `value`, or a string. Deeper than a value may be that is looked into, it goes.
    fn cut_structured(&self, raw: &'a str, value: Option<&'a Value<'a>>) -> StructuredLeft<'a> {
        let is_over = raw.len() as u64 > self.structured_bounds.bytes;
        let string = || json::cut_string(raw, self.structured_bounds);
        let cut = value.map(|value| json::cut(&[View { value, bounds: self.structured_bounds }]));
        let mut cut = match cut.or_else(string) {
            Some(cut) => cut,
            None => Cut {
                texts: Vec::new(),
                shortened: vec![Shortened::nothing_of(chars(raw))],
                single_too_large: true,
                by: if is_over { TruncatedBy::Bytes } else { TruncatedBy::Tokens },
            },
        };
        let text = cut.texts.pop();
        self.structured_left(&cut, text, raw)
    }

    fn structured_left(&self, cut: &Cut<'a>, text: Option<String>, whole: &'a str) -> StructuredLeft<'a> {
        let left = text.as_deref().unwrap_or("");
        let facts = Facts::of_json(
            cut,
            (extent(left), estimate(left)),
            None,
            (extent(whole), chars(whole)),
            self.structured_bounds,
        );
        StructuredLeft { text, shortened: cut.shortened.clone(), facts, whole }
    }

    /// Cuts the texts, of which `values` are JSON.
    fn cut_text(&self, values: &'a [Option<Value<'a>>]) -> Left<'a> {
        if let [Some(value)] = values {
            return self.cut_value(0, value, TruncatedBy::Bytes, Whole::Json(value.text));
        }
        let all_json = values.iter().all(Option::is_some);
        let (texts, lines) = (self.texts.clone(), self.bounds.lines);
        let (keep, whole) = if all_json {
            (Keep::Head(lines), Whole::JsonAll(texts))
        } else {
            (self.keep.of_lines(lines), Whole::Text(texts))
        };
        let texts: Vec<Cow<'a, str>> =
            self.texts.iter().map(|text| resolved(text, self.bounds.bytes)).collect();
        let pieces = texts.iter().zip(values).map(|(text, value)| Piece { text, is_json: value.is_some() });
        let pieces: Vec<Piece<'_>> = pieces.collect();
        let outcome = text::cut(&pieces, keep, self.bounds, &self.raw);
        if let Outcome::OneValue(n, by) = outcome
            && let Some(value) = &values[n]
        {
            return self.cut_value(n, value, by, whole);
        }
        let (kept, given, facts) = match outcome {
            Outcome::Fits | Outcome::OneValue(..) => {
                let all = || pieces.iter().map(|piece| piece.text);
                (vec![Kept::Whole; pieces.len()], (text::counted(all()).extent(), text::tokens(all())), None)
            }
            Outcome::Cut(cut) => {
                let facts = Facts::of_text(&cut, all_json, (self.raw.extent(), self.chars()), self.bounds);
                (cut.kept, (cut.output, cut.output_tokens), Some(facts))
            }
        };
        let left = |(text, kept)| match kept {
            Kept::Nothing => None,
            Kept::Whole => Some(text),
            Kept::Part(part) => Some(Cow::Owned(part)),
        };
        let texts: Vec<_> = texts.into_iter().zip(kept).map(left).collect();
        let last = texts.iter().rposition(Option::is_some);
        let ends_in_text = last.is_some_and(|last| values[last].is_none());
        let cut = facts.map(|facts| (facts, whole));
        Left { texts, ends_in_text, given, cut, structured: None, is_same: false }
    }

    /// Cuts the block `n`, one JSON value that alone is over the limit `by`; no other is shown.
    fn cut_value(&self, n: usize, value: &'a Value<'a>, by: TruncatedBy, whole: Whole<'a>) -> Left<'a> {
        let cut = json::cut(&[View { value, bounds: self.bounds }]);
        let by = if cut.shortened.is_empty() { by } else { cut.by };
        self.left_of_value(n, Cut { by, ..cut }, whole)
    }

    fn left_of_value(&self, n: usize, mut cut: Cut<'_>, whole: Whole<'a>) -> Left<'a> {
        let count = self.texts.len();
        let blocks = (count > 1).then_some((1, count as u64));
        let is_cut = count > 1 || !cut.shortened.is_empty();
        let text = cut.texts.pop().unwrap_or_default();
        let given = (extent(&text), estimate(&text));
        let facts = Facts::of_json(&cut, given, blocks, (self.raw.extent(), self.chars()), self.bounds);
        let cut = is_cut.then_some((facts, whole));
        let mut texts = vec![None; count];
        texts[n] = Some(Cow::Owned(text));
        Left { texts, ends_in_text: false, given, cut, structured: None, is_same: false }
    }

    fn chars(&self) -> u64 {
        self.texts.iter().map(|text| chars(text)).sum()
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
