//! Applies the limits to a result: its text, its structured content, and everything else.
//!
//! A result within the limits is not changed, but gets a notice if its text ends like one. Otherwise, of text and
//! structured content, those over their limits are truncated and saved completely, and the result is written again. A
//! truncated text is then one block with the notice. JSON stays valid, and has the notice in another block. If only
//! structured content is over its limit, the blocks stay unless the text has the same value. Otherwise, members and
//! blocks that cutline does not truncate are kept as far as they are within their limit ([`Parts`]).

use std::borrow::{Borrow, Cow};
use std::io::{BufWriter, Write as _};
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};

use cutline_core::details::{Details, SINGLE_RESULT_TOO_LARGE};
use cutline_core::notice::{Notice, Part, ResultText, Unit};
use cutline_core::text::terminal::resolve;
use cutline_core::text::tokens::estimate;
use cutline_core::text::{Extent, as_index};
use cutline_core::truncate::{
    Bounds, BytesAs, Collector, Cut, Keep, KeyForms, KeySpace, Limit, TruncatedBy, Truncation,
};

use super::parts::{FREE_BYTES, Parts};
use super::shrink::{MARK, compact, shrink, shrink_within, write_json, written_bytes};
use super::{KeepPart, Settings};
use crate::capture::{Captured, CapturedText, Content};
use crate::fit::RESULT_BYTES;
use crate::fs::saved_name::SavedKind;
use crate::json::{as_json, decoded, each_child, is_valid, members, replaced, text};
use crate::saved_output::{SavedStream, Store};
use crate::stats::{Outcome, ResultSize};
use crate::tools::bash::format_output;
use crate::tools::{ToolSet, saved_location};

/// Maximum bytes of the name of a member whose value is also the text.
const NAME_BYTES: usize = 64;
/// The limit of an error, if the limit of a result is lower.
const ERROR_BYTES: u64 = 4096;
/// Maximum bytes of the details with a list of key lines, which can be longer than the text beside them.
const DETAILS_BYTES: usize = 3000;

/// The limits on results of one tool.
pub(super) struct ToolLimits<'a> {
    pub(super) settings: &'a Settings,
    /// The limits of the text. The limits of bytes and tokens also apply to structured content.
    pub(super) bounds: Bounds,
    /// The parts that are kept of a text that is cut to a smaller size, instead of `keep`. `None` if the user set which
    /// part is kept.
    pub(super) short: Option<Keep>,
    /// True if the client passes the complete result to its model. Text and structured content then share the limits of
    /// bytes and tokens, and there are no details.
    pub(super) shows_all: bool,
    /// Which part of a text is kept.
    pub(super) keep: KeepPart,
    /// The folder for saved outputs.
    pub(super) store: &'a Arc<Store>,
}

/// A new value within the limits, or `None` if it does not change. The error is the reason why it cannot pass.
pub(super) type Limited<T = Option<String>> = Result<T, &'static str>;

/// Applies the limits to the `result` of a tool. Returns the new result, or `None` if it does not change, and the outcome
/// of the call.
///
/// # Errors
///
/// Returns the reason if the result is not an object, has more than one meaning, or is a request for input that would be
/// cut.
pub(super) fn limit_result(result: &str, limits: &ToolLimits<'_>) -> Limited<(Option<String>, Outcome)> {
    let free = if limits.shows_all { RESULT_BYTES } else { FREE_BYTES };
    let parts = Parts::read(result, limits.bounds.bytes, free)?;
    let all = if let [text] = &*parts.texts { Cow::from(text) } else { parts.texts.join("\n\n").into() };
    let of_all = &limits.bounds;
    let text_bytes = of_all.bytes_of(&all);
    // Empty if it has limits of its own.
    let structured = parts.structured.filter(|_| limits.shows_all).unwrap_or_default();
    let used = parts.kept_bytes.saturating_sub(free);
    let most = as_index(of_all.bytes);
    let structured_bytes = written_bytes(structured, most) as u64;
    let (mut bounds, of_structured) = limits.shared((&all, text_bytes), (structured, structured_bytes), used);
    let left = (of_all.bytes + free).saturating_sub(text_bytes + structured_bytes);
    // Everything but text, structured content and media may take what these leave.
    let rest_is_over = parts.rest_bytes > left.max(free);
    if let Some(bytes) = limits.settings.limits.output_bytes.filter(|bytes| all.len() as u64 > *bytes)
        && !parts.texts.iter().all(|text| looks_like_json(text) && is_valid(text))
    {
        bounds.bytes = bounds.bytes.min(bytes);
    }
    let text_is_over = bounds.exceeded_by(all.strip_suffix('\n').unwrap_or(&all)).is_some();
    let structured_is_over = parts.structured.is_some_and(|json| is_over(json, of_structured));
    let part_of_text = || {
        let notice = part_of_texts(&parts.texts, limits.settings.hint.as_deref());
        notice.map(|notice| notice.to_string())
    };
    let is_error = parts.members.contains(&("isError", "true"));
    let outcome = |size| if is_error { Outcome::Error } else { Outcome::Ok(size) };
    // Some servers forget the array.
    let items = parts.content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let items = items.unwrap_or(parts.content).trim_ascii();
    if !rest_is_over && !text_is_over && !structured_is_over {
        let given = if all.is_empty() { parts.structured.unwrap_or("") } else { &all };
        let new = part_of_text()
            .map(|notice| replaced(result, parts.content, &format!("[{items},{}]", text_block(&notice))));
        return Ok((new, outcome(ResultSize::of_text(given, Extent::of(given), bounds))));
    }
    if parts.needs_input {
        return Err("its request for input is over the limits");
    }
    let mut cutter =
        Cutter { limits, parts: &parts, all: &all, details: Details::default(), notices: Vec::new() };
    let changes = [text_is_over, structured_is_over, rest_is_over];
    let (text, structured) = cutter.cut(changes, [bounds, of_structured]);
    if text.is_none() {
        cutter.notices.splice(..0, part_of_text());
    }
    let keeps_content = text.is_none() && !rest_is_over;
    let text = text.unwrap_or_else(|| all.to_string());
    let mut size = match &cutter.details.truncation {
        Some(truncation) => ResultSize::of_cut(truncation),
        None => ResultSize::of_text(&text, Extent::of(&all), bounds),
    };
    let (shown, total) = (parts.blocks.len() as u64, parts.block_count);
    if shown < total && !keeps_content {
        let part = Part { shown, total, unit: Unit::Blocks, name: None };
        cutter.notice(cutter.save(result), vec![part], limits.bounds.limit(TruncatedBy::Bytes));
        size.truncated_by.get_or_insert(TruncatedBy::Bytes);
        size.limit_percent = 100;
    }
    let mut json = String::from("{\"content\":[");
    if keeps_content {
        json += items;
    } else if !text.is_empty() {
        json += &text_block(&text);
    }
    cutter.notices.iter().for_each(|notice| push(&mut json, &[&text_block(notice)]));
    let blocks = parts.blocks.iter().filter(|_| !keeps_content);
    blocks.for_each(|block| push(&mut json, &[block]));
    json += "]";
    let mut meta = parts.meta.map(str::to_owned);
    if !limits.shows_all && cutter.details != Details::default() {
        let mut details = serde_json::to_string(&cutter.details).unwrap_or_default();
        if let Some(truncation) = cutter.details.truncation.as_mut().filter(|_| details.len() > DETAILS_BYTES)
        {
            truncation.key_lines.clear();
            details = serde_json::to_string(&cutter.details).unwrap_or_default();
        }
        let mut own = parts.meta.and_then(|meta| meta.strip_suffix('}')).unwrap_or("{").trim_end().to_owned();
        // They replace those of the server, because they come last.
        push(&mut own, &["\"details\":", &details, "}"]);
        meta = Some(own);
    }
    let known = [("structuredContent", structured.as_deref()), ("_meta", meta.as_deref())];
    let known = known.into_iter().filter_map(|(name, value)| Some((name, value?)));
    known.chain(parts.members).for_each(|(name, value)| push(&mut json, &["\"", name, "\":", value]));
    json += "}";
    Ok((Some(json), outcome(size)))
}

/// Shortens an error that is over the limit of bytes to the members of JSON-RPC, and does not save it. Adds a notice to a
/// message that ends like one. Returns `None` if the error does not change.
pub(super) fn limit_error(error: &str, limits: &ToolLimits<'_>) -> Option<String> {
    let room = as_index(limits.bounds.bytes.max(ERROR_BYTES));
    let names = ["code", "message", "data"];
    let known = names.into_iter().zip(members(error, names)).filter_map(|(name, value)| Some((name, value?)));
    let known = known.map(|(name, value)| format!("\"{name}\":{}", compact(value)));
    let short =
        (written_bytes(error, room) > room).then(|| format!("{{{}}}", known.collect::<Vec<_>>().join(",")));
    let short = short.and_then(|known| Some(shrink(&known, room)?.0));
    let error = short.as_deref().unwrap_or(error);
    let [message] = members(error, ["message"]);
    let marked = message.and_then(|json| {
        let message = text(json)?;
        let of = |body| Notice::part_of_text(body, limits.settings.hint.as_deref());
        // The cut can be after a complete line.
        let notice = of(&message).or_else(|| of(message.strip_suffix(MARK)?))?;
        Some(replaced(error, json, &as_json(&format!("{message}\n\n{notice}"))))
    });
    marked.or(short)
}

/// Applies the limits to the result or the error in the `state` of a task. Returns the new state, or `None` if it does
/// not change.
///
/// # Errors
///
/// Returns the reason if the result is invalid, or there is also an error.
pub(super) fn limit_task(state: &str, limits: &ToolLimits<'_>) -> Limited {
    let (mut result, mut error, mut is_double) = (None, None, false);
    let _no_state = each_child(state, |name, value| match &*decoded(name) {
        "result" => is_double |= result.replace(value).is_some(),
        "error" => is_double |= error.replace(value).is_some(),
        _ => {}
    });
    let [result, error] = [result, error].map(|json| json.filter(|json| *json != "null"));
    let outcome = result.or(error).unwrap_or("");
    if is_double || result.is_some() && error.is_some() {
        return Err("the state of a task has both a result and an error, or two of them");
    }
    let new =
        if let Some(json) = result { limit_result(json, limits)?.0 } else { limit_error(outcome, limits) };
    Ok(new.map(|new| replaced(state, outcome, &new)))
}

impl ToolLimits<'_> {
    /// Returns the limits of the text and of the structured content. Other parts take `used` bytes of the text's
    /// limit, or of a shared limit. If both share the limits, each has what the other one leaves, and at least half.
    /// Otherwise, `structured` is empty.
    fn shared(
        &self,
        (text, text_bytes): (&str, u64),
        (structured, structured_bytes): (&str, u64),
        used: u64,
    ) -> (Bounds, Bounds) {
        let share = |limit: u64, other: u64| limit.saturating_sub(other).max(limit - limit / 2);
        let left = self.bounds.bytes.saturating_sub(used).max(1);
        let beside = |other: &str, bytes: u64| Bounds {
            bytes: share(left, bytes),
            tokens: self.bounds.tokens.map(|tokens| share(tokens, estimate(other))),
            ..self.bounds
        };
        let of_text = beside(structured, structured_bytes);
        let of_structured = if self.shows_all { beside(text, text_bytes) } else { self.bounds };
        (of_text, Bounds { bytes_as: BytesAs::Text, ..of_structured })
    }
}

/// Truncates the parts of one result.
struct Cutter<'a> {
    limits: &'a ToolLimits<'a>,
    parts: &'a Parts<'a>,
    /// The texts of all blocks, joined by empty lines.
    all: &'a str,
    details: Details,
    /// The notices that are not in the block of the text.
    notices: Vec<String>,
}

impl Cutter<'_> {
    /// Truncates text and structured content, if they change. Returns the new text, or `None` if it does not change, and
    /// the structured content.
    fn cut(
        &mut self,
        [text_is_over, structured_is_over, rest_is_over]: [bool; 3],
        [bounds, of_structured]: [Bounds; 2],
    ) -> (Option<String>, Option<String>) {
        let (parts, all) = (self.parts, self.all);
        let structured = parts.structured.map(compact);
        let is_json = |text: &String| looks_like_json(text) && (parts.texts.len() == 1 || is_valid(text));
        let values = if parts.texts.iter().all(is_json) { &*parts.texts } else { &[] };
        let total = Extent::of(all);
        // The same value in both is truncated once.
        if let ([value], Some(structured)) = (values, &structured)
            && (text_is_over || is_over(structured, of_structured))
            && let Some([before, after]) = around(&compact(value), structured)
        {
            let of_value = of_structured.bytes.saturating_sub((before.len() + after.len()) as u64);
            let both = Bounds { bytes: bounds.bytes.min(of_value), ..bounds };
            let text = self.json_of_text(values, both, total).unwrap_or_else(|| as_json(MARK));
            let structured = [before, &text, after].concat();
            return (Some(text), Some(structured));
        }
        // Several values in one block would not be valid JSON.
        let text = (text_is_over || rest_is_over && values.len() > 1).then(|| {
            let shown = if values.is_empty() { None } else { self.json_of_text(values, bounds, total) };
            shown.unwrap_or_else(|| self.text(all, bounds))
        });
        let shortened = structured.filter(|_| structured_is_over).map(|json| {
            let shown = self.json(std::slice::from_ref(&json), of_structured, Extent::of(&json));
            shown.unwrap_or_else(|| as_json(MARK))
        });
        (text, shortened.or_else(|| parts.structured.map(str::to_owned)))
    }

    /// Truncates a text, and saves it if not everything is shown. Returns it with its notice. Keeps long lines as they are.
    fn text(&mut self, text: &str, bounds: Bounds) -> String {
        let keep = self.limits.short.unwrap_or_else(|| self.limits.keep.of_lines(bounds.lines));
        let key_space = self.limits.settings.limits.key_lines.then_some(KeySpace::Shared);
        let mut collector = Collector::new(bounds, keep).with_key_lines(key_space);
        let is_plain = memchr::memchr(b'\x1b', text.as_bytes()).is_none();
        if is_plain {
            collector.push(text);
        } else {
            resolve(text, bounds.bytes, &mut |part| collector.push(part));
        }
        // A result does not state whether the reported operation failed.
        let kept = collector.finish_with(KeyForms::Strong);
        let mut stream = self.stream(SavedKind::WRAP_TEXT);
        stream.push(text.as_bytes());
        // A terminal may show much less than the text has.
        let is_shorter = kept.cut.is_none() && !is_plain;
        let raw = stream.raw.clone();
        let saved = (kept.cut.is_some() || is_shorter).then(|| stream.keep());
        let content = Content::Text(CapturedText { text: kept, ..CapturedText::default() });
        let captured = Captured { raw, content, saved };
        let (mut result, saved) = format_output(captured, keep, bounds, &ToolSet::new(), &mut self.details);
        result.notices.extend(saved.clone().filter(|_| is_shorter).map(Notice::FullOutput));
        result.hint = self.limits.settings.hint.clone().filter(|_| saved.is_some());
        result.into_text()
    }

    /// Truncates the JSON of the text as [`Self::json`] does. Adds a notice if the shown text ends like one.
    fn json_of_text(&mut self, values: &[String], bounds: Bounds, total: Extent) -> Option<String> {
        let shown = self.json(values, bounds, total)?;
        if let Some(notice) = Notice::part_of_text(&shown, self.limits.settings.hint.as_deref()) {
            self.notices.insert(0, notice.to_string());
        }
        Some(shown)
    }

    /// Truncates a JSON value, or an array of the values of several blocks, and saves it. `total` is the extent of the
    /// original text. Returns `None` if it is not valid. [`MARK`] replaces a value that cannot be
    /// truncated, such as a long number.
    fn json(&mut self, values: &[impl Borrow<str>], bounds: Bounds, total: Extent) -> Option<String> {
        let json = match values {
            [value] => Cow::Borrowed(value.borrow()),
            _ => format!("[{}]", values.join(",")).into(),
        };
        let save = || self.save(&json);
        let (shrunk, saved) = thread::scope(|scope| {
            let saving = thread::Builder::new().spawn_scoped(scope, save);
            // If the system refuses to start a thread, this one saves too.
            (
                shrink_within(&compact(&json), bounds),
                saving.map_or_else(|_| Ok(save()), ScopedJoinHandle::join),
            )
        });
        let saved = saved.ok()?;
        let (shown, parts, by) = shrunk.or_else(|| {
            let total = is_valid(&json).then(|| json.chars().count() as u64)?;
            let part = Part { shown: 0, total, unit: Unit::Characters, name: None };
            Some((as_json(MARK), vec![part], TruncatedBy::Bytes))
        })?;
        let Some(first) = parts.first() else { return Some(shown) };
        let cut = Cut { by, partial: None, head: Extent::of(&shown) };
        let kept = Truncation::new(shown, 1, total, Some(cut));
        if self.details.truncation.is_none()
            && let Some(info) = self.details.add_cut(&kept, total, false, bounds)
        {
            (info.original_count, info.returned_count) = (first.total, first.shown);
            if parts.iter().any(|part| part.unit == Unit::Characters) {
                info.reason = SINGLE_RESULT_TOO_LARGE;
            }
        }
        self.notice(saved, parts, bounds.limit(by));
        Some(kept.content)
    }

    /// Saves JSON, indented so that it has short lines. The file is removed unless a notice names it.
    fn save(&self, json: &str) -> BufWriter<SavedStream> {
        let mut out = BufWriter::with_capacity(256 * 1024, self.stream(SavedKind::WRAP_JSON));
        write_json(json, true, |part| drop(out.write_all(part.as_bytes())));
        let _never_fails = out.write_all(b"\n").and_then(|()| out.flush());
        out
    }

    /// Adds a notice that names the saved output. The first one is also that of the details.
    fn notice(&mut self, mut saved: BufWriter<SavedStream>, parts: Vec<Part>, limit: Limit) {
        let mut details = Details::default();
        let own = if self.details.full_output_path.is_none() { &mut self.details } else { &mut details };
        let saved = saved_location(&saved.get_mut().keep(), own);
        let notices = vec![Notice::Result { parts, limit, saved }];
        let hint = self.limits.settings.hint.clone();
        self.notices.push(ResultText { notices, hint, ..ResultText::default() }.into_text());
    }

    /// Creates a saved output. With memory limits of 0, the file is written from the first byte on.
    fn stream(&self, kind: SavedKind) -> SavedStream {
        SavedStream::new(Arc::clone(self.limits.store), kind, Bounds::new(0, 0))
    }
}

/// Returns the notice about lines that look like notices at the end of a text. A client can show each text by itself.
fn part_of_texts(texts: &[String], hint: Option<&str>) -> Option<Notice> {
    let mut below = 0;
    let lines = texts.iter().rev().filter_map(|text| {
        let of_text = Notice::part_of_text(text, hint);
        let lines = if let Some(Notice::PartOfText(lines)) = of_text { Some(below + lines) } else { None };
        below += text.lines().filter(|line| !line.trim().is_empty()).count() as u64;
        lines
    });
    lines.last().map(Notice::PartOfText)
}

/// Returns true if structured content is over its limits. Newlines between its tokens do not count.
fn is_over(json: &str, bounds: Bounds) -> bool {
    let most = as_index(bounds.bytes);
    let any_lines = Bounds { lines: u64::MAX, ..bounds };
    written_bytes(json, most) > most || any_lines.exceeded_by(json).is_some()
}

/// Returns a block with this text.
fn text_block(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", as_json(text))
}

/// Adds an item to a JSON array, or a member to an object.
fn push(json: &mut String, child: &[&str]) {
    if !json.ends_with(['[', '{']) {
        json.push(',');
    }
    json.extend(child.iter().copied());
}

/// Returns the text before and after `value` in `structured`, if that is the same text or has it as its only member.
/// SDKs wrap values that are no objects in `{"result": …}`.
fn around<'a>(value: &str, structured: &'a str) -> Option<[&'a str; 2]> {
    if value == structured {
        return Some([""; 2]);
    }
    let before = structured.strip_suffix('}')?.strip_suffix(value)?;
    let name = before.strip_prefix("{\"")?.strip_suffix("\":")?;
    (name.len() <= NAME_BYTES && !name.contains(['"', '\\'])).then_some([before, "}"])
}

/// Returns true if a text begins like a JSON array or object.
fn looks_like_json(text: &str) -> bool {
    text.trim_ascii_start().starts_with(['{', '['])
}
