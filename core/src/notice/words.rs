//! The words of every notice: each text, once.

use std::fmt;

use crate::text::show;
use crate::text::{Size, SizePair};
use crate::truncate::SizeLimit;

use super::{
    Blank, FullLines, LineHint, Notice, Omission, PageLimit, PageOf, Part, PartUnit, RankedNext, ResultShown,
    Saved, Shown, Status, Unit,
};

/// Characters of a part's name in a notice; a longer one keeps both its ends.
const PART_NAME_CHARS: usize = 60;

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[...Output truncated: {} omitted...]", Count(self.0, "line", "lines"))
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page { first, last, total, limit } => {
                write!(f, "[Showing lines {first}-{last} of {total}{}", size_words(*limit))?;
                if last < total {
                    write!(f, ". Use offset={} to continue", last + 1)?;
                }
                write!(f, "]")
            }
            Self::LineTooLong { line, bytes, limit, hint } => {
                let (size, limit_words, limit) = beside(*bytes, *limit);
                write!(f, "[Line {line} is {size}, exceeds {limit_words} limit")?;
                match hint {
                    LineHint::Shell { path, is_utf16 } => {
                        let command = match (is_utf16, line) {
                            (false, 1) => format!("head -c {limit} {path}"),
                            (false, _) => format!("sed -n '{line}p' {path} | head -c {limit}"),
                            (true, 1) => format!("iconv -f UTF-16 -t UTF-8 {path} | head -c {limit}"),
                            (true, _) => {
                                format!(
                                    "iconv -f UTF-16 -t UTF-8 {path} | sed -n '{line}p' | head -c {limit}"
                                )
                            }
                        };
                        let to_read = if *line == 1 { " to read" } else { "" };
                        write!(f, ". Use bash{to_read}: {command}]")
                    }
                    LineHint::Tools { grep, next } => {
                        if *grep {
                            write!(f, ". Use grep to see parts of it")?;
                        }
                        if let Some(next) = next {
                            write!(f, ". Use offset={next} to continue")?;
                        }
                        write!(f, "]")
                    }
                }
            }
            Self::FileEmpty => write!(f, "[File is empty]"),
            Self::Blank(blank) => write!(f, "{blank}"),
            Self::ImageScaled { from: (width, height, bytes), to } => {
                let size = Size(*bytes);
                write!(f, "[Image is {width}x{height}, {size}; scaled down to {}x{}]", to.0, to.1)
            }
            Self::ImageEncoded { from: (width, height, on_disk), format, bytes } => {
                let size = SizePair::new(*on_disk, *bytes);
                write!(
                    f,
                    "[Image is {width}x{height}, {}; shown as {format} of {}]",
                    size.larger(),
                    size.smaller()
                )
            }
            Self::ImagesOff => write!(f, "[This client shows no images]"),
            Self::ImageTooLarge { megapixels } => {
                write!(f, "[Image is over {megapixels} megapixels and can't be shown]")
            }
            Self::ImageDamaged => write!(f, "[Image is damaged and can't be shown]"),
            Self::Output { shown, saved } => write!(f, "[Showing {shown}. {saved}]"),
            Self::OutputBinary { bytes, saved } => {
                write!(f, "[Binary output: {}. {saved}]", Size(*bytes))
            }
            Self::TimeoutLowered { secs } => {
                write!(f, "[Timeout lowered to {}]", Count(*secs, "second", "seconds"))
            }
            Self::Result { shown, blocks, saved } => result(f, shown, *blocks, saved),
            Self::StillRunning { secs, id, saved } => {
                write!(f, "[Still running after {} (pid {id}). ", Count(*secs, "second", "seconds"))?;
                match saved {
                    Saved::At { path, .. } => write!(f, "Its output goes on to {path}. ")?,
                    Saved::Not { reason } => write!(f, "Its output could not be saved: {reason}. ")?,
                }
                write!(f, "Use bash to wait for it: tail --pid={id} -f /dev/null]")
            }
            Self::Background { named, count, saved } => background(f, named, *count, saved),
            Self::LimitReached { limit, unit, saved } => {
                let (one, many) = unit.words();
                let refine = if *unit == Unit::Entries { "" } else { ", or refine pattern" };
                let (counted, twice) = (Count(*limit, one, many), limit.saturating_mul(2));
                write!(
                    f,
                    "[{counted} limit reached. Use limit={twice} for more{refine}{}]",
                    whole(saved.as_ref())
                )
            }
            Self::PageLimit { by, of, saved } => {
                write!(f, "[{by} limit reached")?;
                if let Some(PageOf { shown, total, more, unit }) = of {
                    let plus = if *more { "+" } else { "" };
                    write!(f, " ({shown} of {total}{plus} {} shown)", unit.words().1)?;
                }
                write!(f, "{}]", whole(saved.as_ref()))
            }
            Self::Ranked { of: PageOf { shown, total, unit, .. }, by, next } => {
                write!(f, "[{shown} of {total} {}", unit.words().1)?;
                if let Some(by) = by {
                    write!(f, " ({by} limit)")?;
                }
                write!(f, ", most relevant first")?;
                match next {
                    Some(RankedNext::Offset(offset, None)) => write!(f, ". Use offset={offset} to continue]"),
                    Some(RankedNext::Offset(offset, Some(limit))) => {
                        write!(f, ". Use offset={offset} limit={limit} to continue]")
                    }
                    Some(RankedNext::PathOrder) => {
                        write!(f, ". Use sort=path for the rest, or refine pattern]")
                    }
                    None => write!(f, "]"),
                }
            }
            Self::NameTooLong { bytes, limit, saved } => {
                let (size, limit, _) = beside(*bytes, *limit);
                write!(f, "[Name is {size}, exceeds {limit} limit{}]", whole(saved.as_ref()))
            }
            Self::LinesTruncated { max_chars, hint } => {
                let hint = match hint {
                    FullLines::Read => ". Use read tool to see full lines",
                    FullLines::Tools { grep: true, bash: true } => ". Use grep or bash to see the rest",
                    FullLines::Tools { grep: true, bash: false } => ". Use grep to see the rest",
                    FullLines::Tools { grep: false, bash: true } => ". Use bash to see the rest",
                    FullLines::Tools { grep: false, bash: false } => "",
                };
                write!(f, "[Some lines truncated to {max_chars} chars{hint}]")
            }
            Self::FullOutput(saved) => write!(f, "[{saved}]"),
            Self::Unreadable(names) => {
                let paths = Count(names.count(), "path", "paths");
                write!(f, "[{paths} could not be read: {names}]")
            }
            Self::TooLong(names) => {
                let files = Count(names.count(), "file has", "files have");
                write!(f, "[{files} a line too long to search: {names}]")
            }
            Self::TooLarge { names, limit } => {
                let files = Count(names.count(), "file is", "files are");
                write!(f, "[{files} over {}, too large for multiline: {names}]", Size(*limit))
            }
            Self::RulesLeftAside(folders) => {
                let folders = Count(*folders, "folder", "folders");
                write!(f, "[Ignore rules of {folders} were too large and left aside]")
            }
            Self::IgnoredNotSearched => {
                write!(f, "[Ignored files were not searched. Use noIgnore=true to include them]")
            }
            Self::Continue { offset } => write!(f, "[Use offset={offset} to continue]"),
        }
    }
}

fn result(
    f: &mut fmt::Formatter<'_>,
    shown: &ResultShown,
    blocks: Option<(u64, u64)>,
    saved: &Saved,
) -> fmt::Result {
    let shown = shown.to_string();
    let Some((some, all)) = blocks else { return write!(f, "[Showing {shown}. {saved}]") };
    let blocks = format!("{some} of {} shown", Count(all, "text block", "text blocks"));
    match shown.strip_suffix(')') {
        Some(shown) => write!(f, "[Showing {shown}; {blocks}). {saved}]"),
        None => write!(f, "[Showing {shown} ({blocks}). {saved}]"),
    }
}

impl fmt::Display for ResultShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(shown) => write!(f, "{shown}"),
            Self::Parts(parts, limit) => {
                for (n, part) in parts.iter().enumerate() {
                    let comma = if n > 0 { ", " } else { "" };
                    write!(f, "{comma}{part}")?;
                }
                write!(f, "{}", size_words(*limit))
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            PartUnit::Items => Count(self.total, "item", "items"),
            PartUnit::Members => Count(self.total, "member", "members"),
            PartUnit::Characters => Count(self.total, "character", "characters"),
            PartUnit::Blocks => Count(self.total, "block", "blocks"),
        };
        write!(f, "{} of {unit}", self.shown)?;
        self.name.as_ref().map_or(Ok(()), |name| {
            let name = show::name(name.as_bytes());
            write!(f, " of \"{}\"", show::middle_out(&name, PART_NAME_CHARS))
        })
    }
}

fn background(
    f: &mut fmt::Formatter<'_>,
    named: &[(u32, String)],
    count: usize,
    saved: &Saved,
) -> fmt::Result {
    let (processes, whose) = match count {
        1 => ("process", "Its"),
        _ => ("processes", "Their"),
    };
    write!(f, "[Background {processes} still running: ")?;
    for (n, (pid, name)) in named.iter().enumerate() {
        let comma = if n > 0 { ", " } else { "" };
        write!(f, "{comma}{pid} {name}")?;
    }
    if count > named.len() {
        write!(f, " and {} more", count - named.len())?;
    }
    match saved {
        Saved::At { path, .. } => {
            write!(f, ". {whose} output goes on to {}]", show::path(path))
        }
        Saved::Not { reason } => write!(f, ". {whose} output could not be saved: {reason}]"),
    }
}

impl fmt::Display for Blank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |lines| Count(lines, "line", "lines");
        match self {
            Self::File(count) => write!(f, "[File is {} of white space]", lines(*count)),
            Self::Output(count) => write!(f, "[Output is {} of white space]", lines(*count)),
            Self::Lines(first, last) if first == last => write!(f, "[Line {first} is white space]"),
            Self::Lines(first, last) => write!(f, "[Lines {first}-{last} are white space]"),
            Self::Results(1) => write!(f, "[Result is 1 name of white space]"),
            Self::Results(count) => write!(f, "[Results are {count} names of white space]"),
        }
    }
}

impl Shown {
    /// Returns the same part of a text of `total` lines, in which `before` lines stand before those that were counted.
    #[must_use]
    pub fn after(self, before: u64, total: u64) -> Self {
        match self {
            Self::Lines { first, last, limit, .. } => {
                Self::Lines { first: first + before, last: last + before, total, limit }
            }
            Self::Ends { head, tail, limit, .. } => {
                Self::Ends { head: head + before, tail: tail + before, total, limit }
            }
            Self::EndOfLine { head, line, bytes, of } => {
                let head = if head > 0 { head + before } else { 0 };
                Self::EndOfLine { head, line: line + before, bytes, of }
            }
            Self::StartOfLine { line, bytes, of } => Self::StartOfLine { line: line + before, bytes, of },
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines { first, last, total, limit } => {
                write!(f, "lines {first}-{last} of {total}{}", size_words(*limit))
            }
            Self::Ends { head, tail, total, limit } => {
                write!(f, "lines 1-{head} and {tail}-{total} of {total}{}", size_words(*limit))
            }
            Self::EndOfLine { head, line, bytes, of } => {
                let size = SizePair::new(*of, *bytes);
                if *head > 0 {
                    write!(f, "lines 1-{head} and ")?;
                }
                let (shown, whole) = (size.smaller(), size.larger());
                write!(f, "last {shown} of line {line} (line is {whole})")
            }
            Self::StartOfLine { line, bytes, of } => {
                let size = SizePair::new(*of, *bytes);
                let (shown, whole) = (size.smaller(), size.larger());
                write!(f, "first {shown} of line {line} (line is {whole})")
            }
        }
    }
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At { path, first: None } => write!(f, "Full output: {}", show::path(path)),
            Self::At { path, first: Some(bytes) } => {
                write!(f, "Full output: {} (first {})", show::path(path), Size(*bytes))
            }
            Self::Not { reason } => write!(f, "Full output could not be saved: {reason}"),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "Command exited with code {code}"),
            Self::Killed { signal, code } => {
                write!(f, "Command killed by signal {signal} (code {code})")
            }
            Self::EndedWithServer => write!(f, "Command ended with the server"),
            Self::TimedOut(secs) => {
                write!(f, "Command timed out after {}", Count(*secs, "second", "seconds"))
            }
        }
    }
}

impl Unit {
    /// The words for one and for several: `match`, `matches`.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Matches => ("match", "matches"),
            Self::Files => ("file", "files"),
            Self::Results => ("result", "results"),
            Self::Entries => ("entry", "entries"),
        }
    }
}

/// Returns `. Full output: PATH`, where the whole is saved.
fn whole(saved: Option<&Saved>) -> String {
    saved.map_or_else(String::new, |saved| format!(". {saved}"))
}

impl fmt::Display for SizeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{}", Size(*bytes)),
            Self::Tokens(tokens) => write!(f, "{tokens} token"),
        }
    }
}

impl fmt::Display for PageLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => write!(f, "{size}"),
            Self::Lines(lines) => write!(f, "{}", Count(*lines, "line", "lines")),
        }
    }
}

/// Bytes beside the limit that they exceed, told apart where both are sizes; of tokens that are at least as many bytes.
fn beside(bytes: u64, limit: SizeLimit) -> (String, String, u64) {
    match limit {
        SizeLimit::Bytes(limit) => {
            let size = SizePair::new(bytes, limit);
            (size.larger(), size.smaller(), limit)
        }
        SizeLimit::Tokens(tokens) => (Size(bytes).to_string(), limit.to_string(), tokens),
    }
}

/// Returns ` (30KB limit)`, where that limit cut.
fn size_words(limit: Option<SizeLimit>) -> String {
    limit.map_or_else(String::new, |size| format!(" ({size} limit)"))
}

/// A number with its word, in one or in many.
pub struct Count(pub u64, pub &'static str, pub &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.0 == 1 { self.1 } else { self.2 };
        write!(f, "{} {word}", self.0)
    }
}

#[cfg(test)]
mod tests;
