//! One page of a text: its start, the lines that fit, the notices of the rest.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::fs::line_index::LineIndex;
use crate::fs::lines::{BLOCK_BYTES, Bytes, TextFile};
use crate::fs::open::OpenedPath;
use crate::fs::workspace::shown;
use crate::tools::{Context, Output, ToolError, ToolName};
use cutline_core::details::{Details, TruncationDetails};
use cutline_core::notice::{Answer, Blank, BodyEnd, FullLines, LineHint, Notice};
use cutline_core::text::decode::{Decoder, Encoding};
use cutline_core::text::{Extent, is_blank, is_white_space, show};
use cutline_core::truncate::{Bounds, Collector, Head, SizeLimit, TruncatedBy, Truncation};

use super::page_lines::PageLines;
use super::{Plan, StartLine};

/// Bytes that are read of a file at a time for a page: mostly one such block is enough.
const PAGE_BLOCK_BYTES: usize = 64 * 1024;
/// Bytes that are decoded at a time, before it is known whether the page is full.
const DECODED_BYTES: usize = 16 * 1024;

/// Returns the page of `text` that `plan` asks for, or why there is none; an error of the system beside that.
pub(super) fn read(
    cx: &Context,
    plan: &Plan,
    place: &OpenedPath,
    text: &TextFile<'_>,
) -> io::Result<Result<Output, ToolError>> {
    let (index, first, from) = locate(cx, plan, place, text)?;
    let Some(from) = from else {
        let (offset, total) = (first.cast_signed(), index.lines);
        return Ok(Err(ToolError::OffsetBeyondFile { offset, total }));
    };
    let total = Extent { lines: index.lines, bytes: text.end };
    let bounds = cx.limits.bounds();
    let lines = plan.limit.map_or(bounds.lines, |limit| limit.min(bounds.lines));
    let collected = collect(cx, text, from, Bounds { lines, ..bounds })?;
    let page = Page { cx, plan, place, text, index: &index, total, first, from };
    let is_too_long = collected.kept.output.lines == 0 && collected.kept.cut.is_some();
    if is_too_long { page.too_long(&collected) } else { page.answer(collected) }.map(Ok)
}

/// Returns the index of `text`, the number of the page's first line, and the offset at which that
/// begins, `None` beyond the last: by the index that is remembered, or by a new one if there is none or it does not hold.
fn locate(
    cx: &Context,
    plan: &Plan,
    place: &OpenedPath,
    text: &TextFile<'_>,
) -> io::Result<(Arc<LineIndex>, u64, Option<u64>)> {
    let shared = &cx.shared;
    let start = |index: &LineIndex| {
        let first = match plan.from {
            StartLine::Line(line) => line,
            StartLine::End(lines) => index.lines.saturating_sub(lines) + 1,
        };
        if first > index.lines {
            return Ok((first, None));
        }
        let from = index.start_of(text, first, &cx.cancel)?;
        let from = from.ok_or_else(|| io::Error::other("the file changed while it was read"))?;
        io::Result::Ok((first, Some(from)))
    };
    let index = match text.bytes {
        Bytes::Held(_) => Arc::new(LineIndex::count(text, 1, &cx.cancel)?),
        Bytes::Open(_) => {
            if let Some(index) = shared.line_indexes.get(place.stat)
                && let Ok((first, from @ Some(_))) = start(&index)
            {
                return Ok((index, first, from));
            }
            shared.line_indexes.count(place.stat, text, shared.workers, &cx.cancel)?
        }
    };
    let (first, from) = start(&index)?;
    Ok((index, first, from))
}

/// The decoded text of a page.
struct Collected {
    kept: Truncation,
    /// True if anything had to be replaced: in the page, or after it if that was cut.
    lossy: bool,
    line_ending: Option<&'static str>,
    /// The characters to which long lines of it were cut, if any were.
    lines_cut: Option<usize>,
}

fn collect(cx: &Context, text: &TextFile<'_>, from: u64, bounds: Bounds) -> io::Result<Collected> {
    let mut head = Head::new(bounds);
    let mut decoder = Decoder::new(text.encoding);
    let mut lines = PageLines::new(cx.limits.text_line_chars());
    text.blocks(from, PAGE_BLOCK_BYTES, &cx.cancel, |_, block| {
        // Bytes in memory are one block: those beyond the page are not even decoded.
        for piece in block.chunks(DECODED_BYTES) {
            decoder.push(piece, &mut |part| lines.push(part, &mut head));
            if head.is_full() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    if !head.is_full() {
        decoder.finish(&mut |part| lines.push(part, &mut head));
        lines.finish(&mut head);
    }
    let kept = head.finish();
    let (line_ending, lines_cut) = (lines.word(&kept), lines.cut_in(&kept));
    Ok(Collected { kept, lossy: decoder.lossy(), line_ending, lines_cut })
}

/// A page that has been read, with all that its notices speak of.
struct Page<'a> {
    cx: &'a Context,
    plan: &'a Plan,
    place: &'a OpenedPath,
    text: &'a TextFile<'a>,
    index: &'a LineIndex,
    total: Extent,
    first: u64,
    from: u64,
}

impl Page<'_> {
    fn answer(&self, collected: Collected) -> io::Result<Output> {
        let kept = collected.kept;
        let limits = &self.cx.limits;
        let last = self.first + kept.output.lines.saturating_sub(1);
        let lossy = match (collected.lossy, &kept.cut) {
            (true, Some(_)) => self.decoded(self.end_of(last)?)?.1,
            (lossy, _) => lossy,
        };
        let mut details = Details {
            encoding: encoding_word(self.text.encoding, lossy),
            line_ending: collected.line_ending,
            ..Details::default()
        };
        let mut notices: Vec<_> =
            self.lines_truncated(collected.lines_cut, &mut details).into_iter().collect();
        if let Some(cut) = kept.cut {
            let by_call = self.plan.limit.is_some_and(|limit| limit <= limits.max_lines);
            if by_call && cut.by == TruncatedBy::Lines {
                details.total_lines = Some(self.total.lines);
            } else {
                self.add_cut(&kept, &mut details);
            }
            details.next_offset = Some(last + 1);
            let limit = limits.bounds().size_limit(cut.by);
            if is_white_space(&kept.content) {
                notices.push(Notice::Blank(Blank::Lines(self.first, last)));
            }
            notices.push(Notice::Page { first: self.first, last, total: self.total.lines, limit });
        } else if is_blank(&kept.content) {
            notices.push(Notice::Blank(match self.first {
                1 => Blank::File(self.total.lines),
                first => Blank::Lines(first, last),
            }));
            details.final_newline = (!kept.content.ends_with('\n')).then_some(false);
        }
        let end = BodyEnd::of(&kept);
        Ok(Output::new(Answer { body: kept.content, end, notices, status: None }, details))
    }

    /// Returns the notice of long lines that were cut, if any were; says so in `details` too.
    fn lines_truncated(&self, lines_cut: Option<usize>, details: &mut Details) -> Option<Notice> {
        let max_chars = lines_cut?;
        details.lines_truncated = Some(true);
        let hint = FullLines::Tools { grep: self.cx.has(ToolName::Grep), bash: self.cx.has(ToolName::Bash) };
        Some(Notice::LinesTruncated { max_chars, hint })
    }

    /// Says in `details` that a limit cut the page to what is `kept`.
    fn add_cut(&self, kept: &Truncation, details: &mut Details) {
        let truncation = TruncationDetails::of(kept, self.total, self.cx.limits.bounds());
        if let Some(truncation) = truncation {
            let info = details.add_cut(truncation, &kept.content);
            if self.text.encoding != Encoding::Utf8 {
                info.estimated_chars = self.total.bytes / 2;
            }
        }
    }

    /// Returns the offset at which `line` ends, after its newline.
    fn end_of(&self, line: u64) -> io::Result<u64> {
        Ok(self.index.start_of(self.text, line + 1, &self.cx.cancel)?.unwrap_or(self.text.end))
    }

    /// Returns the bytes of the text from the page's start to `end`, decoded; and true if anything in it has to be
    /// replaced.
    fn decoded(&self, end: u64) -> io::Result<(u64, bool)> {
        let mut decoder = Decoder::new(self.text.encoding);
        let mut len = 0;
        let mut count = |part: &str| len += part.len() as u64;
        TextFile { end, ..*self.text }.blocks(self.from, BLOCK_BYTES, &self.cx.cancel, |_, block| {
            decoder.push(block, &mut count);
            ControlFlow::Continue(())
        })?;
        decoder.finish(&mut count);
        Ok((len, decoder.lossy()))
    }

    /// Returns the answer for a page whose first line alone is over the byte limit.
    fn too_long(&self, collected: &Collected) -> io::Result<Output> {
        let limits = &self.cx.limits;
        let next = (self.first < self.total.lines).then_some(self.first + 1);
        let hint = if self.cx.has(ToolName::Bash) {
            let path = shell_path(shown(self.cx.workspace.relative(&self.place.real)));
            LineHint::Shell { path, is_utf16: self.text.encoding != Encoding::Utf8 }
        } else {
            LineHint::Tools { grep: self.cx.has(ToolName::Grep), next }
        };
        let by = collected.kept.cut.map_or(TruncatedBy::Bytes, |cut| cut.by);
        let limit = limits.bounds().size_limit(by).unwrap_or(SizeLimit::Bytes(limits.max_bytes));
        let (bytes, lossy) = self.line_bytes(collected.lossy)?;
        let notice = Notice::LineTooLong { line: self.first, bytes, limit, hint };
        let encoding = encoding_word(self.text.encoding, lossy);
        let mut details = Details { next_offset: next, encoding, ..Details::default() };
        self.add_cut(&collected.kept, &mut details);
        Ok(Output::new(Answer { notices: vec![notice], ..Answer::default() }, details))
    }

    /// Returns the bytes of the page's first line, on disk or decoded if that is not the same; and
    /// true if anything in it has to be replaced, which it may if `lossy` says so.
    fn line_bytes(&self, lossy: bool) -> io::Result<(u64, bool)> {
        let ended = self.first < self.total.lines || self.text.ends_with_newline()?;
        let newline = if ended { self.text.encoding.newline().len() as u64 } else { 0 };
        let end = self.end_of(self.first)? - newline;
        if self.text.encoding == Encoding::Utf8 && !lossy {
            return Ok((end.saturating_sub(self.from), false));
        }
        self.decoded(end)
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

/// Returns a path as a shell takes it, whatever bytes it has; one that begins with `-` is not an option.
fn shell_path(path: Cow<'_, [u8]>) -> String {
    let mut bytes = path;
    if bytes.starts_with(b"-") {
        bytes = Cow::Owned([b"./", bytes.as_ref()].concat());
    }
    match (str::from_utf8(&bytes), show::name(&bytes)) {
        (Ok(text), Cow::Borrowed(_)) => {
            shlex::try_quote(text).map_or_else(|_| escaped(&bytes), Cow::into_owned)
        }
        // It could not be shown as it is.
        _ => escaped(&bytes),
    }
}

/// Returns a name with bytes that are no text as bash takes it: `$'a\xff'`.
fn escaped(name: &[u8]) -> String {
    let hex = |word: &mut String, bytes: &[u8]| {
        for byte in bytes {
            let _infallible = write!(word, "\\x{byte:02x}");
        }
    };
    let mut word = String::from("$'");
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' | '\'' => word.extend(['\\', c]),
                c if c.is_control() => hex(&mut word, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => word.push(c),
            }
        }
        hex(&mut word, chunk.invalid());
    }
    word + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_path_keeps_its_bytes() {
        let cases: [(&[u8], &str); 8] = [
            (b"a/b.txt", "a/b.txt"),
            (b"a b", "'a b'"),
            (b"-x", "./-x"),
            ("é".as_bytes(), "'é'"),
            (b"bad\xff", "$'bad\\xff'"),
            (b"-\x01'\\", "$'./-\\x01\\'\\\\'"),
            (b"cr\r1", "$'cr\\x0d1'"),
            ("\u{85}é\u{FFFD}".as_bytes(), "$'\\xc2\\x85é\u{FFFD}'"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(shell_path(Cow::Borrowed(bytes)), expected);
        }
    }
}
