//! Several parts of files in one call: `path` names files, each with an optional range of lines, such as `a.rs:10-20`.

use super::page::stored_as;
use super::{ReadArgs, read};
use crate::fs::open::OpenedPath;
use crate::limits::{Limits, NOTICE_BYTES, equal_share};
use crate::tools::resolve::{self, ExpectedKind};
use crate::tools::{Context, Load, Output, ToolError, notice};
use cutline_core::details::Details;
use cutline_core::notice::{Notice, ResultText};
use cutline_core::text::{Extent, as_index, show};
use cutline_core::truncate::{Bounds, LongLines, TruncatedBy};

/// Maximum number of parts in one call.
const MOST_PARTS: usize = 100;

/// Bytes of a usual line of source code.
const LINE_BYTES: u64 = 50;
/// Bytes of a usual heading.
const HEADING_BYTES: u64 = 100;

/// A file, and the lines to read if the path has a range.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FilePart {
    path: String,
    /// The first line, and the last one if it is given.
    lines: Option<(u64, Option<u64>)>,
}

impl FilePart {
    /// Parses `PATH`, `PATH:N`, `PATH:N-M`, `PATH:N-`, `PATH#LN-LM` or `PATH#LNCN-LMCM` as on GitHub, `PATH:LN`,
    /// several ranges of a file as `PATH:N-M,N,N-M`, or `PATH:LINE:COLUMN:` or `PATH(LINE,COLUMN):` as in messages of
    /// compilers. A range can be reversed. `PATH:N..M` and `PATH:N-end` are accepted too.
    fn parse(text: &str) -> Vec<Self> {
        let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
        let place = text.trim_end();
        let place = place.strip_suffix(':').unwrap_or(place);
        let line = place.rsplit_once(':').filter(|(line, column)| {
            let before = line.rsplit_once(':').and_then(|(_, line)| number(line));
            before.is_some() && number(column).is_some()
        });
        let place = line.map_or(place, |(line, _column)| line);
        let parsed = [":", "#L", "("].iter().find_map(|mark| {
            let (path, ranges) = place.rsplit_once(mark).filter(|(path, _)| !path.is_empty())?;
            let ranges = if *mark == "(" { ranges.strip_suffix(')')?.split(',').next()? } else { ranges };
            let parts = ranges.split(',').map(|range| {
                // In a list, a number is one line.
                let alone = if ranges.contains(',') { range } else { "" };
                let (first, last) =
                    range.split_once('-').or_else(|| range.split_once("..")).unwrap_or((range, alone));
                let [first, last] = [first, last].map(|line| line.split('C').next().unwrap_or(line));
                let [first, last] = [first, last].map(|line| line.strip_prefix('L').unwrap_or(line));
                let last = if ["", "end"].contains(&last) { None } else { Some(number(last)?) };
                Some(Self { path: path.to_owned(), lines: Some((number(first)?, last)) })
            });
            parts.collect::<Option<Vec<_>>>()
        });
        parsed.unwrap_or_else(|| vec![Self { path: text.to_owned(), lines: None }])
    }

    /// Returns the name of the lines from `first` to `last` of the file.
    fn of_lines(&self, first: u64, last: u64) -> String {
        format!("{}:{first}-{last}", self.path)
    }

    /// Returns the part as the call names it.
    fn name(&self) -> String {
        match self.lines {
            None => self.path.clone(),
            Some((first, None)) => format!("{}:{first}", self.path),
            Some((first, Some(last))) => self.of_lines(first, last),
        }
    }

    /// Estimates the bytes of the part with its heading. Without a last line, it has `limit` lines, or else the size of
    /// the file.
    fn likely_bytes(&self, cx: &Context, limit: Option<u64>) -> usize {
        let opened = OpenedPath::open(&cx.workspace, &cx.workspace.absolute(&self.path));
        let size = opened.map_or(0, |opened| opened.stat.bytes);
        let lines = self.lines.and_then(|(first, last)| Some(last?.saturating_sub(first).saturating_add(1)));
        let of_lines = lines.or(limit).map_or(size, |lines| lines.saturating_mul(LINE_BYTES));
        as_index(HEADING_BYTES + of_lines.min(size))
    }

    /// Returns the arguments for this part of a call. Its range is not reversed.
    fn args(&self, args: &ReadArgs) -> ReadArgs {
        let range = self.lines.map(|(first, last)| {
            (i64::try_from(first).unwrap_or(i64::MAX), last.map(|last| last - first + 1))
        });
        let (offset, limit) =
            range.map_or((args.offset, args.limit), |(first, lines)| (Some(first), lines.or(args.limit)));
        ReadArgs { path: vec![self.path.clone()], offset, limit, line_numbers: args.line_numbers }
    }
}

/// Returns the parts that a call names. A file with exactly the given name has no range. A text is split at spaces if no file
/// has its name, but one has the name of a word of it, without a comma at its end.
fn parts(cx: &Context, args: &ReadArgs) -> Result<Vec<FilePart>, ToolError> {
    let exists = |path: &str| OpenedPath::open(&cx.workspace, &cx.workspace.absolute(path)).is_ok();
    let part = |text: &str| {
        let parsed = FilePart::parse(text);
        let has_range = parsed.first().is_some_and(|part| part.lines.is_some());
        if has_range && exists(text) { vec![FilePart { path: text.to_owned(), lines: None }] } else { parsed }
    };
    let mut all = Vec::new();
    for text in &args.path {
        let one = part(text);
        let words = shlex::split(text).filter(|words| words.len() > 1);
        let words = words.filter(|_| !one.first().is_some_and(|part| exists(&part.path)));
        let without_comma =
            |word: &String| if exists(word) { part(word) } else { part(word.trim_end_matches(',')) };
        let words = words.unwrap_or_default().iter().flat_map(without_comma).collect::<Vec<_>>();
        all.extend(if words.iter().any(|word| exists(&word.path)) { words } else { one });
    }
    if all.is_empty() || all.len() > MOST_PARTS {
        return Err(ToolError::Argument(format!("path: must be 1 to {MOST_PARTS} files, got {}", all.len())));
    }
    // A single line and `limit` are one range.
    let has_limit = args.limit.is_some() && !matches!(&all[..], [FilePart { lines: Some((_, None)), .. }]);
    if all.iter().any(|part| part.lines.is_some()) && (args.offset.is_some() || has_limit) {
        return Err(ToolError::Argument(
            "path: a range cannot be given together with offset or limit".to_owned(),
        ));
    }
    Ok(all)
}

/// Reads one part as if the call had its `offset` and `limit`.
fn read_part(
    cx: &Context,
    args: &ReadArgs,
    part: &FilePart,
    load: Load,
) -> Result<Option<Output>, ToolError> {
    if let Some((first, Some(last))) = part.lines
        && last < first
    {
        resolve::open(cx, &part.path, ExpectedKind::File)?;
        let meant = show::path(&part.of_lines(last, first));
        return Err(ToolError::Argument(format!("path: the range {first}-{last} is reversed. Use {meant}")));
    }
    read(cx, &part.args(args), load)
}

/// Reads one part, or several under headings within the limits of the call.
pub(super) fn read_parts(cx: &Context, args: &ReadArgs, load: Load) -> Result<Option<Output>, ToolError> {
    let parts = parts(cx, args)?;
    if let [part] = &parts[..] {
        return read_part(cx, args, part, load);
    }
    let max_bytes = cx.limits.read_bounds().bytes;
    let cx = &Context { limits: Limits { max_bytes, ..cx.limits.clone() }, ..cx.clone() };
    let (mut body, mut stored, mut missing) = (String::new(), Vec::new(), Vec::new());
    let mut lines_truncated = None;
    let sizes: Vec<usize> = parts.iter().map(|part| part.likely_bytes(cx, args.limit)).collect();
    for (at, part) in parts.iter().enumerate() {
        let joint = if body.is_empty() { "" } else { "\n\n" };
        let heading = |name: &str| format!("{joint}==> {name} <==\n");
        let limit = |bounds: Bounds, by| format!("{} limit", bounds.limit(by));
        let mut not_shown = |part: String, why: String| {
            missing.push(Notice::NotShown { part: show::in_notice(&part), why });
        };
        let limits = match rest_of(&cx.limits, &(body.clone() + &heading(&part.name()))) {
            Ok(limits) => {
                let (_, sizes) = sizes.split_at(at);
                let share = equal_share(sizes.to_vec(), as_index(limits.max_bytes));
                let of_later: usize = sizes.iter().skip(1).map(|size| share.min(*size)).sum();
                let max_bytes = limits.max_bytes.saturating_sub(of_later as u64).max(1);
                Limits { max_bytes, ..limits }
            }
            Err(by) => {
                not_shown(part.name(), limit(cx.limits.bounds(), by));
                continue;
            }
        };
        let bounds = cx.limits.bounds();
        let output = match read_part(&Context { limits, ..cx.clone() }, args, part, Load::Light) {
            Ok(Some(output)) => output,
            Ok(None) => {
                not_shown(part.name(), "image".to_owned());
                continue;
            }
            Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
            Err(error) => {
                not_shown(part.name(), error.why_not_shown());
                continue;
            }
        };
        for notice in stored_as(&output.details, Some(&part.path)) {
            // Several parts can be of one file.
            if !stored.contains(&notice) {
                stored.push(notice);
            }
        }
        lines_truncated = lines_truncated.or(output.details.lines_truncated);
        let text = output.text.get(..output.body_bytes).unwrap_or_default();
        let Details { truncation, next_offset, total_lines, .. } = output.details;
        // Without a range, `limit` of the call selects the start of a file.
        let is_rest_wanted = truncation.is_some() || part.lines.is_none();
        let (total, why) = match &truncation {
            Some(cut) => (cut.total_lines, limit(bounds, cut.truncated_by)),
            None => (total_lines.unwrap_or_default(), format!("limit={}", args.limit.unwrap_or_default())),
        };
        if truncation.is_some() && text.is_empty() {
            // If the first line alone is over the limit, its notice is the reason.
            let cx = &Context { limits: Limits { outline: false, ..cx.limits.clone() }, ..cx.clone() };
            let alone = read_part(cx, args, part, Load::Light)?.filter(|alone| alone.body_bytes == 0);
            let notice = alone.as_ref().and_then(|alone| alone.text.lines().next());
            not_shown(part.name(), notice.map_or(why, |notice| notice.trim_matches(['[', ']']).to_owned()));
        } else if let Some(next) = next_offset.filter(|_| is_rest_wanted) {
            let first = next - text.split('\n').count() as u64;
            let end = part.lines.and_then(|(_, last)| last).unwrap_or(u64::MAX);
            body += &[&heading(&part.of_lines(first, next - 1)), text].concat();
            not_shown(part.of_lines(next, end.min(total)), why);
        } else {
            body += &[&heading(&part.name()), text.strip_suffix('\n').unwrap_or(text)].concat();
        }
    }
    if body.is_empty() {
        let missing = Notice::within(missing, 0, NOTICE_BYTES);
        let all: Vec<String> = missing.iter().map(Notice::to_string).collect();
        return Err(ToolError::Argument(all.join("\n")));
    }
    let lines_cut = lines_truncated.map(|_| Notice::LinesTruncated {
        max_chars: cx.limits.max_text_line_chars.unwrap_or(LongLines::SHOWN_CHARS),
        next: notice::for_cut_lines(&cx.shared.tools),
    });
    let notices = lines_cut.into_iter().chain(stored).chain(missing).collect();
    let details = Details { lines_truncated, ..Details::default() };
    Ok(Some(Output::new(cx, ResultText { body, notices, ..ResultText::default() }, details)))
}

/// Returns the limits without what `text` takes.
///
/// # Errors
///
/// Returns the limit that it uses up.
fn rest_of(limits: &Limits, text: &str) -> Result<Limits, TruncatedBy> {
    let Bounds { lines, bytes, tokens, .. } = limits.bounds().after(text, Extent::of(text).lines);
    let (max_lines, max_bytes, max_tokens, outline) = (lines, bytes, tokens, false);
    match (lines, bytes, tokens) {
        (0, ..) => Err(TruncatedBy::Lines),
        (_, 0, _) => Err(TruncatedBy::Bytes),
        (.., Some(0)) => Err(TruncatedBy::Tokens),
        _ => Ok(Limits { max_lines, max_bytes, max_tokens, outline, ..limits.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_parsed() {
        for (text, path, lines) in [
            ("a.rs", "a.rs", None),
            ("a.rs:3", "a.rs", Some((3, None))),
            ("a.rs:3-9", "a.rs", Some((3, Some(9)))),
            ("a.rs:3-", "a.rs", Some((3, None))),
            ("a.rs:3-end", "a.rs", Some((3, None))),
            ("a.rs:3..9", "a.rs", Some((3, Some(9)))),
            ("a.rs:3-9 ", "a.rs", Some((3, Some(9)))),
            ("a.rs:3:", "a.rs", Some((3, None))),
            ("a.rs:3:7", "a.rs", Some((3, None))),
            ("a.rs:3:7:", "a.rs", Some((3, None))),
            ("a.rs#L3", "a.rs", Some((3, None))),
            ("a.rs#L3-L9", "a.rs", Some((3, Some(9)))),
            ("a.rs#L7C2-L8C1", "a.rs", Some((7, Some(8)))),
            ("a.rs:L4", "a.rs", Some((4, None))),
            ("a.rs:L4-L9", "a.rs", Some((4, Some(9)))),
            ("a.rs(3)", "a.rs", Some((3, None))),
            ("a.ts(3,7):", "a.ts", Some((3, None))),
            ("a (copy)", "a (copy)", None),
            ("a(3).txt", "a(3).txt", None),
            ("a.rs:x:3", "a.rs:x", Some((3, None))),
            ("a.rs:", "a.rs:", None),
            ("a#Lx.rs", "a#Lx.rs", None),
            ("a.rs:9-3", "a.rs", Some((9, Some(3)))),
            ("a.rs:0", "a.rs:0", None),
            ("a.rs:3,", "a.rs:3,", None),
            ("a.rs:x", "a.rs:x", None),
            (":3", ":3", None),
            ("C:\\a:3", "C:\\a", Some((3, None))),
        ] {
            assert_eq!(FilePart::parse(text), [FilePart { path: path.to_owned(), lines }], "{text}");
        }
    }

    #[test]
    fn several_ranges_are_parsed() {
        let lines = |text| FilePart::parse(text).into_iter().map(|part| part.lines).collect::<Vec<_>>();
        let expected = [Some((1, Some(4))), Some((9, Some(9))), Some((12, None))];
        assert_eq!(lines("a.rs:1-4,9,12-"), expected);
        assert_eq!(lines("a.rs#L1-L4,L9,L12-"), expected);
        assert_eq!(lines("a.rs:1-4,x"), [None]);
    }
}
