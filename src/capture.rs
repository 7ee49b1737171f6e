//! Captures the output of a command in bounded memory: counts it, saves it to a file and collects the text to show.
//!
//! Every byte is counted and added to the saved file, if there is one. Until the result is returned, the bytes are also
//! decoded, resolved as a terminal would show them, and collected within the limits of the call. Later output of
//! background processes is only added to the file.

#![expect(clippy::indexing_slicing, reason = "the bounds are at most the length")]

use std::io::{self, Write};
use std::sync::Arc;

use crate::fs::saved_name::SavedKind;
use crate::saved_output::{SavedOutput, SavedStream, Store};
use cutline_core::text::binary::{DECIDING_BYTES, is_binary, media_type, mostly_text, text_at_ends};
use cutline_core::text::decode::{Decoder, Encoding};
use cutline_core::text::show::REPLACEMENT;
use cutline_core::text::terminal::Terminal;
use cutline_core::text::{Counter, Extent};
use cutline_core::truncate::line::LineCutter;
use cutline_core::truncate::{Bounds, Collector, Keep, KeyForms, KeySpace, LongLines, Truncation};

/// Number of bytes at the end of the output that progress reports use, and at each end of a binary output that can be
/// shown.
const RECENT_BYTES: usize = 8192;

/// The part of an output that is shown.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Which ends of the output are kept.
    pub keep: Keep,
    /// The limits of the text. A text within them is shown whole, except for lines over `max_line_chars`.
    pub bounds: Bounds,
    /// The limits of key lines. With `None`, key lines are off.
    pub key_space: Option<KeySpace>,
    /// The maximum number of characters of each line. Without it, long lines are cut only if the text does not fit
    /// ([`LongLines`]).
    pub max_line_chars: Option<usize>,
}

/// The captured output of a command, as its result needs it.
#[derive(Debug)]
pub struct Captured {
    /// The counts of the raw stream.
    pub raw: Counter,
    /// What is shown of it.
    pub content: Content,
    /// The saved output, or the reason why there is none. `None` if the output need not be saved.
    pub saved: Option<Result<SavedOutput, io::Error>>,
}

/// What is shown of an output.
#[derive(Debug)]
pub enum Content {
    /// Text.
    Text(CapturedText),
    /// The text at the start and the end of a binary output, which has this media type.
    Binary(&'static str, Truncation),
}

/// The text of an output, and what notices say about it.
#[derive(Debug, Default)]
pub struct CapturedText {
    /// The kept part of the text as a terminal shows it, after long lines were cut.
    pub text: Truncation,
    /// The limit in characters that long lines were cut to, if a cut line is in `text`.
    pub lines_cut: Option<usize>,
    /// True if bytes of the output were not UTF-8. A character that is cut off at the end of a text with others, as by
    /// `head -c`, does not count.
    pub is_lossy: bool,
    /// True if the start or the end of the output has words in UTF-16, between text in another encoding.
    pub has_utf16: bool,
    /// True if the output is one line with a carriage return before its end, and a terminal shows little of it: at most
    /// half of its bytes if it ends with a carriage return, and at most a quarter if it ends with neither that nor a
    /// newline. Only the first [`DECIDING_BYTES`] are searched for the carriage return.
    pub is_overwritten: bool,
    /// `crlf` or `mixed` if the output is a diff in which all or some changed lines end with `\r\n`. Only its first
    /// [`DECIDING_BYTES`] count.
    pub diff_ending: Option<&'static str>,
}

/// The progress of a command's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latest {
    /// Lines and bytes of the raw stream.
    pub extent: Extent,
    /// The last bytes of the raw stream.
    pub recent: Vec<u8>,
}

/// Counts, saves and collects the output of a command.
pub struct Capture {
    /// Saves the full output if it exceeds the limits.
    pub(crate) stream: SavedStream,
    /// The first bytes, which decide whether the output is binary.
    start: Vec<u8>,
    binary: bool,
    view: View,
    /// The last [`RECENT_BYTES`].
    recent: Vec<u8>,
    /// `None` once the result was returned.
    shown: Option<ShownText>,
}

/// Decodes and collects the text that is shown.
struct ShownText {
    decoder: Decoder,
    terminal: Terminal,
    cutter: LineCutter,
    ends: LongLines,
}

impl ShownText {
    fn new(view: View) -> Self {
        let collector = Collector::new(view.bounds, view.keep).with_key_lines(view.key_space);
        Self {
            decoder: Decoder::new(Encoding::Utf8),
            terminal: Terminal::new(view.bounds.bytes),
            cutter: LineCutter::new(view.max_line_chars),
            ends: LongLines::new(collector, view.max_line_chars),
        }
    }

    fn of(view: View, text: &str) -> Self {
        let mut shown = Self::new(view);
        shown.push(Some(text.as_bytes()));
        shown
    }

    /// Returns the text at the ends of a binary output, around one U+FFFD for the rest, or nothing if there is no text.
    fn of_binary(view: View, start: &[u8], end: &[u8]) -> Self {
        match text_at_ends(&start[..start.len().min(RECENT_BYTES)], end) {
            ("", "") => Self::new(view),
            (first, last) => Self::of(view, &format!("{first}{REPLACEMENT}{last}")),
        }
    }

    /// Adds the next bytes. `None` ends the output.
    fn push(&mut self, bytes: Option<&[u8]>) {
        let Self { decoder, terminal, cutter, ends } = self;
        let mut keep = |text: &str| cutter.push(text, &mut |part| ends.push(part));
        if let Some(bytes) = bytes {
            decoder.push(bytes, &mut |text| terminal.push(text, &mut keep));
        } else {
            decoder.finish(&mut |text| terminal.push(text, &mut keep));
            terminal.finish(&mut keep);
        }
    }

    /// Returns the text with key lines of these forms. The output has `all` lines and bytes, these first bytes and
    /// these last bytes.
    fn finish(mut self, forms: KeyForms, all: Extent, start: &[u8], recent: &[u8]) -> CapturedText {
        let was_lossy = self.decoder.lossy();
        self.push(None);
        let (text, max_chars) = self.ends.finish_with(forms);
        let lines_cut = max_chars.or_else(|| self.cutter.limit_of_cut(&text.content));
        // The last step of a progress bar usually ends with a newline.
        let has_returns = !recent.ends_with(b"\n") && start.trim_ascii_end().contains(&b'\r');
        let has_one_line = all.lines == 1 && lines_cut.is_none();
        // A short progress bar may have no newline at its end.
        let share = if recent.ends_with(b"\r") { 2 } else { 4 };
        let is_overwritten = has_returns && has_one_line && text.total.bytes * share <= all.bytes;
        let has_others = || text.content.chars().any(|c| !c.is_ascii() && c != REPLACEMENT);
        let is_lossy = was_lossy || self.decoder.lossy() && !has_others();
        let has_utf16 = Encoding::Utf8.is_mixed(start) || Encoding::Utf8.is_mixed(recent);
        let diff_ending = diff_ending(start);
        CapturedText { text, lines_cut, is_lossy, has_utf16, is_overwritten, diff_ending }
    }
}

impl Capture {
    /// Creates a capture that keeps `view` of the output, and saves the full output in `store` as `kind`.
    pub fn new(store: Arc<Store>, kind: SavedKind, view: View) -> Self {
        let stream = SavedStream::new(store, kind, view.bounds);
        let shown = Some(ShownText::new(view));
        Self { stream, start: Vec::new(), binary: false, view, recent: Vec::new(), shown }
    }

    /// Adds the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.stream.push(bytes);
        if let Some(shown) = &mut self.shown {
            let missing = DECIDING_BYTES - self.start.len();
            if missing > 0 {
                self.start.extend_from_slice(&bytes[..missing.min(bytes.len())]);
                self.binary = self.start.len() == DECIDING_BYTES && is_binary(&self.start);
            }
            if !self.binary {
                shown.push(Some(bytes));
            }
            let end = &bytes[bytes.len().saturating_sub(RECENT_BYTES)..];
            let over = (self.recent.len() + end.len()).saturating_sub(RECENT_BYTES);
            self.recent.drain(..over.min(self.recent.len()));
            self.recent.extend_from_slice(end);
        }
    }

    /// Returns the counts and the last bytes so far.
    pub(crate) fn latest(&self) -> Latest {
        Latest { extent: self.stream.raw.extent(), recent: self.recent.clone() }
    }

    /// Returns the output for the result, with key lines of these forms. If `output_is_open`, even short output is
    /// saved, because more can follow.
    pub fn take_output(&mut self, output_is_open: bool, forms: KeyForms) -> Captured {
        let start = std::mem::take(&mut self.start);
        let raw = self.stream.raw.clone();
        let recent = std::mem::take(&mut self.recent);
        let is_binary = self.binary || is_binary(&start);
        let text = if is_binary { mostly_text(&start) } else { None };
        let binary = (is_binary && text.is_none()).then(|| media_type(&start));
        let shown = match (self.shown.take(), text) {
            (_, Some(text)) => ShownText::of(self.view, &text),
            (Some(shown), None) if !is_binary => shown,
            _ => ShownText::of_binary(self.view, &start, &recent),
        };
        let mut shown = shown.finish(forms, raw.extent(), &start, &recent);
        // Text of a binary output was decoded before.
        shown.is_lossy |= is_binary && str::from_utf8(&start).is_err();
        let is_whole = binary.is_none() && shown.text.cut.is_none() && shown.lines_cut.is_none();
        let wanted = output_is_open || !is_whole;
        let saved = if wanted { Some(self.stream.keep()) } else { None };
        if !output_is_open || !matches!(saved, Some(Ok(_))) {
            self.stream.discard();
        }
        let content = match binary {
            Some(media_type) => Content::Binary(media_type, shown.text),
            None => Content::Text(shown),
        };
        Captured { raw, content, saved }
    }
}

impl Write for Capture {
    /// Never fails.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the word for how the added and removed lines of a diff end, if one ends with `\r\n`.
fn diff_ending(output: &[u8]) -> Option<&'static str> {
    // Most outputs have no carriage return.
    memchr::memchr(b'\r', output)?;
    let mut lines = output.split_inclusive(|byte| *byte == b'\n');
    lines.find(|line| is_hunk(line))?;
    let is_header = |line: &&[u8]| line.starts_with(b"+++ ") || line.starts_with(b"---");
    let changed =
        lines.filter(|line| line.first().is_some_and(|first| b"+-!<>".contains(first)) && !is_header(line));
    let are_crlf: Vec<bool> = changed.map(|line| line.ends_with(b"\r\n")).collect();
    match (are_crlf.contains(&true), are_crlf.contains(&false)) {
        (false, _) => None,
        (true, false) => Some("crlf"),
        (true, true) => Some("mixed"),
    }
}

/// Returns true for the header of a hunk: of `diff -u`, of `diff -c`, or of `diff`, such as `3,4d2`.
fn is_hunk(line: &[u8]) -> bool {
    let is_range = |range: &[u8]| {
        range.first().is_some_and(u8::is_ascii_digit)
            && range.iter().all(|byte| byte.is_ascii_digit() || *byte == b',')
    };
    let mut ranges = line.trim_ascii_end().splitn(2, |byte| b"acd".contains(byte));
    line.starts_with(b"@@ ")
        || line.starts_with(b"*** ") && line.ends_with(b" ****\n")
        || ranges.next().is_some_and(is_range) && ranges.next().is_some_and(is_range)
}
