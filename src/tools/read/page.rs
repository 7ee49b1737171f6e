//! One page of a text: where it begins, what of it fits, what is said of the rest.

use std::borrow::Cow;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::details::{Details, TruncationDetails};
use crate::exec::line_index::{Identity, LineIndex};
use crate::exec::lines::{Bytes, TextFile};
use crate::exec::open::Place;
use crate::limits::Bounds;
use crate::notice::{Answer, Blank, LineHint, Notice};
use crate::text::decode::{Decoder, Encoding};
use crate::text::{is_blank, show};
use crate::tools::{Context, Output, ToolError, ToolName};
use crate::truncate::{Collector, Extent, Head, TruncatedBy, Truncation};

use super::{From, Plan};

/// Why there is no page.
#[derive(Debug)]
pub(super) enum Error {
    /// It is for the model to mend.
    Tool(ToolError),
    /// The system refused to read on.
    Io(io::Error),
}

impl std::convert::From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The page of `text` that `plan` asks for.
pub(super) fn read(
    cx: &Context,
    plan: &Plan,
    place: &Place,
    identity: Identity,
    text: &TextFile<'_>,
) -> Result<Output, Error> {
    let shared = &cx.shared;
    let index = match text.bytes {
        Bytes::Held(_) => Arc::new(LineIndex::count(text, 1, &cx.cancel)?),
        Bytes::Open(_) => shared.line_indexes.get_or_count(identity, text, shared.workers, &cx.cancel)?,
    };
    let total = Extent { lines: index.lines, bytes: text.end };
    let first = match plan.from {
        From::Line(line) => line,
        From::End(lines) => total.lines.saturating_sub(lines) + 1,
    };
    if first > total.lines {
        let offset = first.cast_signed();
        return Err(Error::Tool(ToolError::OffsetBeyondFile { offset, total: total.lines }));
    }
    let bounds = cx.limits().bounds();
    let lines = plan.limit.map_or(bounds.lines, |limit| limit.min(bounds.lines));
    let from = index.start_of(text, first, &cx.cancel)?.unwrap_or(text.end);
    let collected = collect(cx, text, from, Bounds { lines, ..bounds })?;
    let page = Page { cx, plan, place, text, index: &index, total, first, from };
    if collected.kept.output.lines == 0 && collected.kept.cut.is_some() {
        return page.too_long(&collected);
    }
    Ok(page.answer(collected))
}

/// What was decoded of a page.
struct Collected {
    kept: Truncation,
    lossy: bool,
    line_ending: Option<&'static str>,
}

fn collect(cx: &Context, text: &TextFile<'_>, from: u64, bounds: Bounds) -> io::Result<Collected> {
    let mut head = Head::new(bounds);
    let mut decoder = Decoder::new(text.encoding);
    let mut endings = LineEndings::default();
    text.blocks(from, &cx.cancel, |_, block| {
        // A held text is one block: what is beyond the page is not even decoded.
        for piece in block.chunks(16 * 1024) {
            decoder.push(piece, &mut |part| endings.push(part, &mut |part| take(&mut head, part)));
            if head.is_full() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    if !head.is_full() {
        decoder.finish(&mut |part| endings.push(part, &mut |part| take(&mut head, part)));
        endings.finish(&mut |part| take(&mut head, part));
    }
    Ok(Collected { kept: head.finish(), lossy: decoder.lossy(), line_ending: endings.word() })
}

/// Takes in a part of the page; later NUL bytes are shown, not handed on.
fn take(head: &mut Head, part: &str) {
    let shown = match memchr::memchr(0, part.as_bytes()) {
        None => Cow::Borrowed(part),
        Some(_) => Cow::Owned(part.replace('\0', "\u{FFFD}")),
    };
    head.push(&shown);
}

/// A page that has been read, with all that its notices speak of.
struct Page<'a> {
    cx: &'a Context,
    plan: &'a Plan,
    place: &'a Place,
    text: &'a TextFile<'a>,
    index: &'a LineIndex,
    total: Extent,
    first: u64,
    from: u64,
}

impl Page<'_> {
    fn answer(&self, collected: Collected) -> Output {
        let kept = collected.kept;
        let limits = self.cx.limits();
        let last = self.first + kept.output.lines.saturating_sub(1);
        let mut notices = Vec::new();
        let mut details = Details {
            encoding: encoding_word(self.text.encoding, collected.lossy),
            line_ending: collected.line_ending,
            ..Details::default()
        };
        if let Some(cut) = kept.cut {
            let by_call = self.plan.limit.is_some_and(|limit| limit <= limits.max_lines);
            let by_bytes = cut.by == TruncatedBy::Bytes;
            if by_call && !by_bytes {
                details.total_lines = Some(self.total.lines);
            } else {
                details.truncation = TruncationDetails::of(&kept, self.total, limits.bounds());
            }
            details.next_offset = Some(last + 1);
            let byte_limit = by_bytes.then_some(limits.max_bytes);
            notices.push(Notice::Page { first: self.first, last, total: self.total.lines, byte_limit });
        } else if is_blank(&kept.content) {
            notices.push(Notice::Blank(match self.first {
                1 => Blank::File(self.total.lines),
                first => Blank::Lines(first, last),
            }));
        }
        Output::new(Answer { body: kept.content, notices, status: None }, details)
    }

    /// The answer where the page's first line alone is over the byte limit.
    fn too_long(&self, collected: &Collected) -> Result<Output, Error> {
        let limits = self.cx.limits();
        let next = (self.first < self.total.lines).then_some(self.first + 1);
        let hint = if self.cx.has(ToolName::Bash) {
            let path = shell_path(&self.cx.workspace.show(&self.place.real));
            match self.first {
                1 => LineHint::ShellHead(path),
                _ => LineHint::ShellLine(path),
            }
        } else {
            LineHint::Tools { grep: self.cx.has(ToolName::Grep), next }
        };
        let bytes = self.line_bytes(collected.lossy)?;
        let notice = Notice::LineTooLong { line: self.first, bytes, limit: limits.max_bytes, hint };
        let details = Details {
            truncation: TruncationDetails::of(&collected.kept, self.total, limits.bounds()),
            next_offset: next,
            encoding: encoding_word(self.text.encoding, collected.lossy),
            ..Details::default()
        };
        Ok(Output::new(Answer { notices: vec![notice], ..Answer::default() }, details))
    }

    /// Bytes of the page's first line: as they are on disk, or as they are decoded to where that
    /// is not the same.
    fn line_bytes(&self, lossy: bool) -> Result<u64, Error> {
        let cancel = &self.cx.cancel;
        let newline = self.text.encoding.newline().len() as u64;
        let ended = self.first < self.total.lines || self.text.ends_with_newline()?;
        let after = match (self.first < self.total.lines, ended) {
            (true, _) => self.index.start_of(self.text, self.first + 1, cancel)?,
            (false, _) => Some(self.text.end),
        };
        let end = after.unwrap_or(self.text.end) - if ended { newline } else { 0 };
        if self.text.encoding == Encoding::Utf8 && !lossy {
            return Ok(end.saturating_sub(self.from));
        }
        let TextFile { bytes, encoding, start, .. } = *self.text;
        let line = TextFile { bytes, encoding, start, end };
        let mut decoder = Decoder::new(line.encoding);
        let mut len = 0;
        let mut count = |part: &str| len += part.len() as u64;
        line.blocks(self.from, cancel, |_, block| {
            decoder.push(block, &mut count);
            ControlFlow::<()>::Continue(())
        })?;
        decoder.finish(&mut count);
        Ok(len)
    }
}

fn encoding_word(encoding: Encoding, lossy: bool) -> Option<&'static str> {
    match (encoding, lossy) {
        (Encoding::Utf8, false) => None,
        (Encoding::Utf8, true) => Some("utf-8 (lossy)"),
        (Encoding::Utf16Le, false) => Some("utf-16le"),
        (Encoding::Utf16Le, true) => Some("utf-16le (lossy)"),
        (Encoding::Utf16Be, false) => Some("utf-16be"),
        (Encoding::Utf16Be, true) => Some("utf-16be (lossy)"),
    }
}

/// A path as a shell takes it; one that begins with `-` is not an option.
fn shell_path(path: &str) -> String {
    let path = match path.strip_prefix('-') {
        Some(_) => Cow::Owned(format!("./{path}")),
        None => Cow::Borrowed(path),
    };
    shlex::try_quote(&path).map_or_else(|_| show::path(&path).into_owned(), Cow::into_owned)
}

/// Makes `\r\n` to `\n`, and remembers how the lines that passed were ended.
#[derive(Default)]
struct LineEndings {
    crlf: u64,
    lf: u64,
    /// Whether the last part ended with a `\r` that was held back.
    held: bool,
}

impl LineEndings {
    fn push(&mut self, part: &str, sink: &mut impl FnMut(&str)) {
        let mut rest = part;
        if !part.is_empty() && std::mem::take(&mut self.held) {
            if let Some(after) = part.strip_prefix('\n') {
                self.crlf += 1;
                sink("\n");
                rest = after;
            } else {
                sink("\r");
            }
        }
        self.lines(rest, sink);
    }

    fn lines(&mut self, part: &str, sink: &mut impl FnMut(&str)) {
        if memchr::memchr(b'\r', part.as_bytes()).is_none() {
            self.lf += memchr::memchr_iter(b'\n', part.as_bytes()).count() as u64;
            return sink(part);
        }
        for line in part.split_inclusive('\n') {
            if let Some(body) = line.strip_suffix("\r\n") {
                self.crlf += 1;
                sink(body);
                sink("\n");
            } else if let Some(body) = line.strip_suffix('\r') {
                self.held = true;
                sink(body);
            } else {
                self.lf += u64::from(line.ends_with('\n'));
                sink(line);
            }
        }
    }

    fn finish(&mut self, sink: &mut impl FnMut(&str)) {
        if std::mem::take(&mut self.held) {
            sink("\r");
        }
    }

    fn word(&self) -> Option<&'static str> {
        match (self.crlf, self.lf) {
            (0, _) => None,
            (_, 0) => Some("crlf"),
            _ => Some("mixed"),
        }
    }
}
