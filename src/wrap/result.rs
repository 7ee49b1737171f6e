//! A tool's result, within the limits: its text, its structured content, and what is said of both.

mod left;
mod rebuild;
mod said;

use std::borrow::Cow;

use cutline_core::text::tokens::estimate;
use cutline_core::text::{Counter, Extent};
use cutline_core::truncate::{Bounds, Keep, TruncatedBy};

use super::json::{self, Value};
use super::message::{Answer, Block, ResultMember};
use super::save::{Save, Saved, Whole};
use super::schema::OutputSchema;
use super::text;
use left::{Over, StructuredLeft, TextLeft};
use rebuild::{Rebuilt, Structured};
use said::Facts;

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
pub(super) struct Judged {
    /// The answer as it is now; `None` where it is within its limits.
    pub(super) answer: Option<Vec<u8>>,
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

/// Looks at the result in `answer`, and cuts it where it is over the limits; the whole goes to `save` first.
/// `None` where there is no result in it.
pub(super) fn judge(answer: &Answer<'_>, rules: &Rules<'_>, save: &(dyn Save + Sync)) -> Option<Judged> {
    let result = answer.result()?;
    let is_error = matches!(result.get("isError"), Some(ResultMember::Other(raw)) if raw.get() == "true");
    let nothing = Vec::new();
    let content = match result.get("content") {
        Some(ResultMember::Content(blocks)) => blocks,
        _ => &nothing,
    };
    let structured = match result.get("structuredContent") {
        Some(ResultMember::Other(raw)) => Some(raw.get()),
        _ => None,
    };
    let texts: Vec<&str> = content.iter().filter_map(Block::text).map(Cow::as_ref).collect();
    let raw = text::counted(texts.iter().copied());
    let (bounds, structured_bounds) = rules.shared(&texts, raw.extent(), structured.unwrap_or(""));
    let text_fits = text::fits(&texts, raw.extent(), bounds);
    let structured_fits = structured.is_none_or(|raw| {
        raw.len() as u64 <= structured_bounds.bytes
            && structured_bounds.tokens.is_none_or(|max| estimate(raw) <= max)
    });
    if text_fits && structured_fits {
        let given =
            if texts.is_empty() { structured.map_or_else(Extent::default, extent) } else { raw.extent() };
        let given_tokens = match structured {
            Some(raw) if texts.is_empty() => estimate(raw),
            _ => texts.iter().map(|text| estimate(text)).sum(),
        };
        return Some(Judged {
            answer: None,
            is_error,
            given,
            given_tokens,
            total: given,
            truncated_by: None,
        });
    }
    let over = Over { texts, raw, bounds, structured_bounds, keep: rules.keep };
    let judge = Judge { answer, content, structured, over, rules, is_error, save };
    Some(judge.cut(!text_fits, !structured_fits))
}

/// A result that is over a limit.
struct Judge<'a> {
    answer: &'a Answer<'a>,
    content: &'a [Block<'a>],
    structured: Option<&'a str>,
    over: Over<'a>,
    rules: &'a Rules<'a>,
    is_error: bool,
    save: &'a (dyn Save + Sync),
}

/// Bytes of a value from which it is saved while it is cut: both take as long as reading it.
const LARGE_BYTES: usize = 256 * 1024;

impl Judge<'_> {
    fn cut(&self, text_is_over: bool, structured_is_over: bool) -> Judged {
        let values = self.over.values(text_is_over);
        let (structured_value, is_same) = match (self.structured, values.as_slice()) {
            (Some(raw), [Some(value)]) if raw == value.text => (Some(value.clone()), true),
            (Some(raw), values) => {
                let structured = Value::of(raw);
                let is_same = match (&structured, values) {
                    (Some(structured), [Some(value)]) => json::is_same(value.text, structured.text),
                    _ => false,
                };
                (structured, is_same)
            }
            (None, _) => (None, false),
        };
        let cut = || {
            if let (true, Some(twin), [Some(value)]) = (is_same, &structured_value, values.as_slice()) {
                let (left, structured) = self.over.cut_alike(value, twin);
                return (Some(left), structured);
            }
            let left = text_is_over.then(|| self.over.cut_text(&values));
            let structured = self.structured.filter(|_| structured_is_over);
            (left, structured.map(|raw| self.over.cut_structured(raw, structured_value.as_ref())))
        };
        let ((left, structured), saved) = match values.as_slice() {
            [Some(value)] if value.text.len() >= LARGE_BYTES && (is_same || !structured_is_over) => {
                let whole = Whole::Json(value.text);
                std::thread::scope(|scope| {
                    let save = || self.save.save(Some(&whole), None);
                    let saving = std::thread::Builder::new().spawn_scoped(scope, save);
                    // Where there is no thread to be had, it is saved once it is cut.
                    (cut(), saving.ok().and_then(|saving| saving.join().ok()))
                })
            }
            _ => (cut(), None),
        };
        self.finish(left.as_ref(), structured.as_ref(), is_same, saved)
    }

    /// Saves the whole, unless it is `saved` already, and puts the result together again. `is_same` where the text and the
    /// structured content are one value.
    fn finish(
        &self,
        left: Option<&TextLeft<'_>>,
        structured: Option<&StructuredLeft<'_>>,
        is_same: bool,
        saved: Option<Saved>,
    ) -> Judged {
        let blocks = left.map(|left| left.blocks.as_slice());
        let text_said = left.and_then(|left| Some((left, left.said.as_ref()?)));
        let facts = match (text_said, structured) {
            (Some((left, said)), _) => Facts {
                said,
                output: left.output,
                output_tokens: left.output_tokens,
                total: self.over.raw.extent(),
                total_chars: self.over.chars(),
            },
            (None, Some(structured)) => structured.facts(),
            (None, None) => {
                // Only its escapes, or white space around it, were too much.
                let rebuilt = Rebuilt { blocks, ..Rebuilt::default() };
                let given = left.map_or_else(Default::default, |left| (left.output, left.output_tokens));
                return self.judged(&rebuilt, given, self.over.raw.extent(), None);
            }
        };
        let whole: Option<&Whole<'_>> = text_said.map(|(left, _)| &left.whole);
        let beside = structured.filter(|_| !is_same).map(|structured| structured.whole);
        let saved = saved.unwrap_or_else(|| self.save.save(whole, beside));
        let holds = structured.is_none_or(|structured| structured.holds(self.rules.schema));
        let details = facts.details(self.over.bounds, &saved, !holds);
        let notice = saved.notice(facts.said.shown.clone(), facts.said.blocks);
        let rebuilt = Rebuilt {
            blocks,
            notice: Some(match self.rules.hint {
                Some(hint) => format!("{notice}\n{hint}"),
                None => notice.to_string(),
            }),
            structured: structured.map_or(Structured::AsItWas, StructuredLeft::now),
            details: Some(&details).filter(|_| !self.rules.shows_all),
        };
        let given = (facts.output, facts.output_tokens);
        self.judged(&rebuilt, given, facts.total, Some(facts.said.by))
    }

    fn judged(
        &self,
        rebuilt: &Rebuilt<'_>,
        (given, given_tokens): (Extent, u64),
        total: Extent,
        truncated_by: Option<TruncatedBy>,
    ) -> Judged {
        let answer = Some(rebuilt.answer(self.answer, self.content));
        Judged { answer, is_error: self.is_error, given, given_tokens, total, truncated_by }
    }
}

fn extent(text: &str) -> Extent {
    let mut counter = Counter::default();
    counter.push(text.as_bytes());
    counter.extent()
}

#[cfg(test)]
mod tests;
