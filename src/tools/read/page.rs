//! One page of a text: where it starts, the lines that fit, and the notices about the rest.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use crate::fs::line_index::LineIndex;
use crate::fs::lines::{BLOCK_BYTES, TextFile};
use crate::fs::open::OpenedPath;
use crate::limits::NOTICE_BYTES;
use crate::stop::{Stop, Stopped, stopped_by};
use crate::tools::notice::{self, continue_after};
use crate::tools::{Context, Output, ToolError, ToolName, Totals, outline, resolve};
use cutline_core::details::Details;
use cutline_core::notice::{Blank, Notice, ResultText};
use cutline_core::text::binary::{self, DECIDING_BYTES, without_controls};
use cutline_core::text::decode::{Decoder, Encoding};
use cutline_core::text::{Extent, Total, as_index, is_blank, is_white_space, show};
use cutline_core::truncate::{Bounds, Collector, Keep, KeyForms, LongLines, TruncatedBy, Truncation};

use super::ReadArgs;
use super::page_lines::{self, PageLines};

/// Number of bytes of a file that are read at a time. One block is usually enough for a page.
const PAGE_BLOCK_BYTES: usize = 32 * 1024;
/// Time after the deadline for reading a page if not all lines were counted.
const PAGE_TIME: Duration = Duration::from_secs(1);
/// What follows the encoding in the details if invalid bytes were replaced.
const LOSSY: &str = " (lossy)";
/// What follows the encoding in the details if a part of the page has another one.
const MIXED: &str = " (mixed)";
/// Number of bytes to decode before checking whether the page is full.
const DECODED_BYTES: usize = 16 * 1024;

/// Returns the page of `text` that `args` request.
pub(super) fn read(
    cx: &Context,
    args: &ReadArgs,
    place: &OpenedPath,
    text: &TextFile<'_>,
) -> Result<Output, ToolError> {
    let offset = args.offset.unwrap_or(1);
    if text.start >= text.end {
        // An empty text has only a first line.
        let result = ResultText { notices: vec![Notice::FileEmpty], ..ResultText::default() };
        return match offset {
            ..=1 => Ok(Output::new(cx, result, Details::default())),
            _ => Err(ToolError::OffsetBeyondFile { offset, total: 0 }),
        };
    }
    let failed = |error| resolve::unreadable(cx, place, error);
    let (index, start) = locate(cx, offset, place, text).map_err(failed)?;
    let Some((first, from)) = start else {
        let (total, secs) = (index.lines, cx.deadline.limit.as_secs());
        return Err(if index.is_complete {
            ToolError::OffsetBeyondFile { offset, total }
        } else {
            ToolError::OffsetNotReached { offset, counted: total, secs }
        });
    };
    let stop = cx.stop().extended(PAGE_TIME);
    let page = ReadPage { cx, args, place, text, index: &index, first, from, stop };
    page.collect().and_then(|collected| page.compose(collected)).map_err(failed)
}

/// The number of a page's first line, and the offset of its first byte in the file.
type Start = (u64, u64);

/// Returns the index of `text` and the start of the page. Uses the cached index, or counts the lines if there is none or it
/// does not give the start. The start is `None` if it is after the last counted line, or counts from an end that was not
/// reached.
fn locate(
    cx: &Context,
    offset: i64,
    place: &OpenedPath,
    text: &TextFile<'_>,
) -> io::Result<(Arc<LineIndex>, Option<Start>)> {
    let (shared, page_stop) = (&cx.shared, cx.stop().extended(PAGE_TIME));
    let start = |index: &LineIndex| {
        let first = match u64::try_from(offset) {
            Ok(line) => line.max(1),
            Err(_) if !index.is_complete => return Ok(None),
            Err(_) => index.lines.saturating_sub(offset.unsigned_abs()) + 1,
        };
        if first > index.lines {
            return Ok(None);
        }
        let from = index.start_of(text, first, &page_stop)?;
        let from = from.ok_or_else(|| io::Error::other("the file changed while it was read"))?;
        io::Result::Ok(Some((first, from)))
    };
    if let Some(index) = shared.line_indexes.get(place.stat)
        && let Ok(start @ Some(_)) = start(&index)
    {
        return Ok((index, start));
    }
    let index = shared.line_indexes.count(place.stat, text, shared.workers, &cx.stop())?;
    let start = start(&index)?;
    Ok((index, start))
}

/// The text of a page.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the text")]
struct Collected {
    /// The text that is shown.
    kept: Truncation,
    lines: PageLines,
    /// The most characters of a line, if cut lines are in `kept`.
    max_chars: Option<usize>,
    /// True if invalid bytes were replaced: in the page, or after it if the page was truncated.
    lossy: bool,
    /// True if the page has NUL bytes, or what was decoded after it.
    has_nul: bool,
    /// The same for control characters that are replaced, with NUL.
    has_control: bool,
    /// The same for carriage returns.
    has_return: bool,
}

/// Returns the notices about the encoding and the line ends of a file, which editing tools can change. `file` is its path if
/// the result shows several.
pub(super) fn stored_as(details: &Details, file: Option<&str>) -> impl Iterator<Item = Notice> {
    let file = || file.map(show::in_notice);
    let encoding = details.encoding.as_ref().map(|encoding| match encoding.trim_end_matches(LOSSY) {
        mixed if mixed.ends_with(MIXED) => Notice::FileMixed { file: file() },
        "utf-8" => Notice::FileNotUtf8 { file: file() },
        encoding => Notice::FileEncoding { file: file(), encoding: encoding.to_owned() },
    });
    let ending = details.line_ending.map(|ending| Notice::LineEndings { file: file(), ending });
    encoding.into_iter().chain(ending)
}

/// The parameters of a page.
struct ReadPage<'a> {
    cx: &'a Context,
    args: &'a ReadArgs,
    place: &'a OpenedPath,
    text: &'a TextFile<'a>,
    index: &'a LineIndex,
    /// The number of the first line.
    first: u64,
    /// The offset of its first byte in the file.
    from: u64,
    /// Ends [`PAGE_TIME`] after the deadline: the page is read even if counting the lines took until then.
    stop: Stop,
}

impl ReadPage<'_> {
    /// Collects the text of the page.
    fn collect(&self) -> io::Result<Collected> {
        let bounds = self.cx.limits.read_bounds();
        let lines = self.args.limit.map_or(bounds.lines, |limit| limit.min(bounds.lines));
        let head = Collector::new(Bounds { lines, ..bounds }, Keep::WholeLines);
        let max_chars = self.cx.limits.max_text_line_chars;
        let mut head = LongLines::new(head, max_chars);
        let mut decoder = Decoder::new(self.text.encoding);
        let mut lines = PageLines::new(max_chars, self.is_numbered().then_some(self.first));
        let (mut has_nul, mut has_control, mut has_return) = (false, false, false);
        let mut push = |part: &str, head: &mut LongLines| {
            has_control = has_control || binary::has_control(part);
            has_nul |= has_control && part.contains('\0');
            has_return |= part.contains('\r');
            lines.push(part, head);
        };
        let mut buffer = self.text.buffer(PAGE_BLOCK_BYTES);
        self.text.blocks(self.from, &mut buffer, &self.stop, |_, block| {
            // The bytes after the page are not decoded.
            for piece in block.chunks(DECODED_BYTES) {
                decoder.push(piece, &mut |part| push(part, &mut head));
                if head.is_full() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        if !head.is_full() {
            decoder.finish(&mut |part| push(part, &mut head));
            lines.finish(&mut head);
        }
        let (kept, max_chars) = head.finish_with(KeyForms::None);
        let max_chars = max_chars.or_else(|| lines.cutter.limit_of_cut(&kept.content));
        Ok(Collected { kept, lines, max_chars, lossy: decoder.lossy(), has_nul, has_control, has_return })
    }

    fn compose(&self, collected: Collected) -> io::Result<Output> {
        let Collected { mut kept, lines, max_chars, lossy, has_nul, has_control, has_return } = collected;
        // The details refer to the text of the file without line numbers.
        let numbered = self.is_numbered().then(|| {
            let text = page_lines::without_numbers(&kept.content);
            kept.output.bytes = text.len() as u64;
            std::mem::replace(&mut kept.content, text)
        });
        let (limits, encoding, first) = (&self.cx.limits, self.text.encoding, self.first);
        let last = first + kept.output.lines.saturating_sub(1);
        // If the page was truncated, there is more text after it.
        let is_at_least = !self.index.is_complete && kept.cut.is_some();
        let lines_counted = if is_at_least { self.index.lines.max(last + 1) } else { self.index.lines };
        let total = Extent { lines: lines_counted, bytes: self.text.end };
        let is_too_long = kept.output.lines == 0 && kept.cut.is_some();
        let (bytes, lossy) = if kept.cut.is_some() && (lossy || is_too_long) {
            self.bytes(last, lossy, has_control)?
        } else {
            (0, lossy)
        };
        let is_mixed = (has_nul || encoding.newline().len() > 1) && self.is_mixed()?;
        let added = match (is_mixed, lossy) {
            (true, _) => MIXED,
            (false, true) => LOSSY,
            (false, false) => "",
        };
        let is_named = !added.is_empty() || encoding != Encoding::Utf8;
        let mut details = Details {
            encoding: is_named.then(|| format!("{encoding}{added}")),
            line_ending: lines.line_ending(&kept),
            ..Details::default()
        };
        let stored: Vec<Notice> = stored_as(&details, None).collect();
        let mut notices = Vec::new();
        if let Some(max_chars) = max_chars {
            details.lines_truncated = Some(true);
            let next = notice::for_cut_lines(&self.cx.shared.tools);
            notices.push(Notice::LinesTruncated { max_chars, next });
        }
        if let Some(cut) = kept.cut {
            let next = (last < total.lines).then_some(last + 1);
            details.next_offset = next;
            details.timed_out = is_at_least.then_some(true);
            let by_call = self.args.limit.is_some_and(|limit| limit <= limits.max_lines);
            if by_call && cut.by == TruncatedBy::Lines {
                details.total_lines = Some(total.lines);
                details.total_is_lower_bound = is_at_least.then_some(true);
            } else if let Some(info) = details.add_cut(&kept, total, is_at_least, limits.read_bounds()) {
                info.estimated_chars = match encoding {
                    Encoding::Utf8 => info.estimated_chars,
                    Encoding::Legacy(encoding) if encoding.is_single_byte() => total.bytes,
                    // A character of East Asian text has two bytes.
                    Encoding::Utf16Le | Encoding::Utf16Be | Encoding::Legacy(_) => total.bytes / 2,
                };
            }
            let limit = limits.read_bounds().limit(cut.by);
            let continues = if is_too_long {
                // The number of the line counts for the byte limit.
                let number = if self.is_numbered() { page_lines::prefix(first) } else { String::new() };
                let is_at_least = self.ends_uncounted(last);
                let path = resolve::shell_path(self.cx, self.place);
                let path = path.filter(|_| encoding == Encoding::Utf8);
                let grep = self.cx.has(ToolName::Grep);
                // bash hides an output with many NUL bytes.
                let filter = match (has_nul, has_return) {
                    (true, _) => Some(r"tr -d '\000'"),
                    // It would show only the text after the last one.
                    (false, true) => Some(r"tr '\r' '\n'"),
                    (false, false) => None,
                };
                let file = path.as_deref().map(|path| (path, filter));
                // What the command prints must be within the limit of bash.
                let of_command = limits.output_bounds().limit(cut.by);
                let next = notice::for_long_line(file, first, of_command, grep, next);
                let bytes = Total::new(bytes + number.len() as u64, is_at_least);
                Notice::LineTooLong { line: first, bytes, limit, next }
            } else {
                if is_white_space(&kept.content) {
                    notices.push(Notice::Blank(Blank::Lines(first, last)));
                }
                let next = continue_after(last, total.lines);
                Notice::Page { first, last, total: Total::new(total.lines, is_at_least), limit, next }
            };
            let is_to_end = self.args.limit.is_none_or(|lines| lines.saturating_add(first) > total.lines);
            if details.truncation.is_some() && limits.outline && is_to_end {
                let ignored = self.cx.ignored_arguments();
                let others = ignored.iter().chain(&notices).chain(&stored).chain([&continues]);
                let space = NOTICE_BYTES.saturating_sub(Notice::bytes(others) + 1);
                let page_end = self.text.end.min(self.from + kept.output.bytes);
                if let Some(outline) =
                    outline::of_rest(self.place, self.text, last, page_end, as_index(space))
                {
                    details.outline = Some(outline.entries.clone());
                    details.outline_more = Some(outline.more).filter(|more| *more > 0);
                    notices.push(Notice::Outline(outline));
                }
            }
            notices.push(continues);
        } else if is_blank(&kept.content) {
            let blank = match first {
                1 => Blank::File(total.lines),
                first => Blank::Lines(first, last),
            };
            notices.push(Notice::Blank(blank));
        }
        notices.extend(stored);
        let has_notice = !notices.is_empty() || !self.cx.ignored.is_empty();
        let is_open = kept.cut.is_none() && has_notice && !kept.content.ends_with('\n');
        details.final_newline = is_open.then_some(false);
        let is_whole = first == 1 && self.args.limit.is_none_or(|limit| limit >= total.lines);
        let totals = match &details.truncation {
            // The size of text in another encoding differs on disk.
            Some(_) if is_at_least => Totals::LowerBound,
            Some(_) if is_whole && encoding == Encoding::Utf8 => Totals::Exact,
            None if details.lines_truncated.is_none() => Totals::Exact,
            _ => Totals::Unknown,
        };
        let is_cut = kept.cut.is_some();
        let body = numbered.unwrap_or(kept.content);
        let result = ResultText { body, is_cut, notices, ..ResultText::default() };
        Ok(Output { totals, ..Output::new(self.cx, result, details) })
    }

    /// Returns true if the call requests line numbers.
    fn is_numbered(&self) -> bool {
        self.args.line_numbers == Some(true)
    }

    /// Returns the bytes of the page up to the end of line `last`: on disk, or as shown if the two differ. Also returns
    /// true if invalid bytes in them were replaced, which is only checked if `lossy` is true.
    fn bytes(&self, last: u64, lossy: bool, has_control: bool) -> io::Result<(u64, bool)> {
        let text = self.text;
        if self.ends_uncounted(last) {
            return Ok((self.index.end.saturating_sub(self.from), lossy));
        }
        let ended = last < self.index.lines || text.ends_with_newline()?;
        let newline = if ended { text.encoding.newline().len() as u64 } else { 0 };
        let end = self.index.start_of(text, last + 1, &self.stop)?.unwrap_or(text.end) - newline;
        if text.encoding == Encoding::Utf8 && !lossy && !has_control {
            return Ok((end.saturating_sub(self.from), false));
        }
        let (mut decoder, mut len) = (Decoder::new(text.encoding), 0);
        let mut count = |part: &str| len += without_controls(part).len() as u64;
        let part = TextFile { end, ..*text };
        let done = part.blocks(self.from, &mut text.buffer(BLOCK_BYTES), &self.stop, |_, block| {
            decoder.push(block, &mut count);
            ControlFlow::Continue(())
        });
        if done.as_ref().is_err_and(|error| stopped_by(error) == Some(Stopped::Late)) {
            return Ok((end.saturating_sub(self.from), lossy));
        }
        done?;
        decoder.finish(&mut count);
        Ok((len, decoder.lossy()))
    }

    /// Returns true if a part of the page has another encoding, by its first [`DECIDING_BYTES`].
    fn is_mixed(&self) -> io::Result<bool> {
        let (text, mut is_mixed) = (self.text, false);
        text.blocks(self.from, &mut text.buffer(DECIDING_BYTES), &self.stop, |_, block| {
            is_mixed = text.encoding.is_mixed(&block[..block.len().min(DECIDING_BYTES)]);
            ControlFlow::Break(())
        })?;
        Ok(is_mixed)
    }

    /// Returns true if the end of `line` is after the counted part.
    fn ends_uncounted(&self, line: u64) -> bool {
        !self.index.is_complete && line >= self.index.lines
    }
}
