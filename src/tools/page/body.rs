//! The body of a page: complete groups within the limits, and the number of groups that do not fit.
//!
//! A group is a name, or a match line with its context up to the next match. It is shown completely or not at all, so
//! that consecutive pages omit no context. If the first match does not fit, the context lines farthest from it are
//! removed. The match line itself is always shown, and truncated to [`Bounds::sure_bytes`] if necessary,
//! but not below `SHOWN_BYTES`. After the first group that does not fit, groups are only counted.

use std::collections::VecDeque;

use cutline_core::text::{self, Extent, as_index, show};
use cutline_core::truncate::line::CUT_MARK;
use cutline_core::truncate::{Bounds, Cut, Meter, Partial, TruncatedBy, Truncation};

use super::SHOWN_BYTES;
use crate::limits::Limits;
use crate::search::content::{Row, RowKind};

/// The line between groups of lines that are not adjacent.
const SEPARATOR: &str = "--";

/// A result: a match line of a file with its context, or a path or another name.
#[derive(Debug, Default)]
pub(in crate::tools) struct Group {
    /// The path or name as shown, with the number of match lines if they are counted.
    pub(in crate::tools) path: String,
    /// The match line and its context. Empty if the result is the path itself.
    pub(in crate::tools) rows: VecDeque<Row>,
    /// True if a separator precedes these rows, unless they are the first.
    pub(in crate::tools) separated: bool,
}

impl Group {
    /// Creates a result that is a path or another name.
    pub(in crate::tools) fn name(path: String) -> Self {
        Self { path, ..Self::default() }
    }

    /// Returns the lines of the result, without a heading.
    fn lines(&self, format: &RowFormat) -> Vec<String> {
        if self.rows.is_empty() {
            vec![self.path.clone()]
        } else {
            self.rows.iter().map(|row| format.line(&self.path, row)).collect()
        }
    }

    /// Returns the lines that are shown in part.
    fn cut_lines(&self) -> impl Iterator<Item = CutLine> {
        self.rows.iter().filter_map(|row| {
            let (bytes, is_match) = (row.cut_line_bytes?, row.kind == RowKind::Match);
            Some(CutLine { bytes, is_match, number: row.number, path: self.path.clone() })
        })
    }
}

/// A line that is shown in part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::tools) struct CutLine {
    /// Maximum bytes that the complete line takes on a page of read ([`Row::cut_line_bytes`]).
    pub(in crate::tools) bytes: u64,
    pub(in crate::tools) is_match: bool,
    pub(in crate::tools) number: u64,
    /// The path of its file as shown.
    pub(in crate::tools) path: String,
}

/// The format of match and context lines: with the path in each line, or below a heading with the path.
#[derive(Debug, Clone)]
pub(in crate::tools) enum RowFormat {
    /// `path:3: text` for a match line, `path-3- text` for a context line, `path=3= text` for the definition around it.
    Path,
    /// `3: text` and `3- text` below the path. An empty line precedes each path except the first.
    Heading {
        /// The path of the last heading.
        latest: Option<String>,
    },
}

impl RowFormat {
    /// Returns the format for `limits`. With a limit of one line, there is no space for a heading.
    pub(in crate::tools) fn new(limits: &Limits) -> Self {
        let has_headings = limits.grep_heading && limits.max_lines > 1;
        if has_headings { Self::Heading { latest: None } } else { Self::Path }
    }

    /// Returns the lines before the next rows of a file. `is_separated` is true if these rows are not adjacent to the
    /// previous ones.
    pub(in crate::tools) fn before_rows(&mut self, path: &str, is_separated: bool) -> Vec<String> {
        match self {
            Self::Heading { latest } if latest.as_deref() != Some(path) => {
                let is_first = latest.replace(path.to_owned()).is_none();
                if is_first { vec![path.to_owned()] } else { vec![String::new(), path.to_owned()] }
            }
            _ if is_separated => vec![SEPARATOR.to_owned()],
            _ => Vec::new(),
        }
    }

    /// Formats a match or context line.
    pub(in crate::tools) fn line(&self, path: &str, row: &Row) -> String {
        let mark = match row.kind {
            RowKind::Match => ":",
            RowKind::Context => "-",
            RowKind::Definition => "=",
        };
        let (number, text) = (row.number.to_string(), row.text.as_str());
        match self {
            Self::Path => [path, mark, &number, mark, " ", text].concat(),
            Self::Heading { .. } => [&number, mark, " ", text].concat(),
        }
    }
}

/// Truncates a line that starts with a path of `path_bytes` bytes to at most `max_bytes` bytes. If the path takes more
/// than half of that, its middle is removed. The rest is truncated at its end.
fn shorten(line: &str, path_bytes: usize, max_bytes: u64) -> String {
    let max = as_index(max_bytes);
    if line.len() <= max {
        return line.to_owned();
    }
    let (path, rest) = line.split_at_checked(path_bytes).unwrap_or((line, ""));
    let room = if rest.is_empty() { max } else { (max / 2).max(max.saturating_sub(rest.len())) };
    let path = show::middle_out_bytes(path, room);
    let room = max - path.len().min(max);
    let rest = if rest.len() <= room {
        rest.to_owned()
    } else {
        let bare = rest.strip_suffix(CUT_MARK).unwrap_or(rest);
        [text::prefix(bare, room.saturating_sub(CUT_MARK.len())), CUT_MARK].concat()
    };
    [&*path, &rest].concat()
}

/// Collects groups and keeps those that fit.
#[derive(Debug)]
pub(in crate::tools) struct Body {
    pub(super) bounds: Bounds,
    format: RowFormat,
    pub(super) text: String,
    /// Measures the text against the limits.
    meter: Meter,
    /// The number of groups in the text.
    pub(super) groups: u64,
    /// The extent of all groups so far, also of those that are not in the text.
    total: Extent,
    cut: Option<TruncatedBy>,
    /// `FirstLine` if the first match line or name exceeds the limits by itself.
    partial: Option<Partial>,
    /// The number of context lines that were removed from the first group.
    pub(in crate::tools) omitted_context: u64,
    /// The lines that are shown in part.
    pub(in crate::tools) cut_lines: Vec<CutLine>,
}

impl Body {
    /// Creates an empty body for `limits`.
    pub(in crate::tools) fn new(limits: &Limits) -> Self {
        let bounds = limits.bounds();
        Self {
            bounds,
            format: RowFormat::new(limits),
            text: String::new(),
            meter: Meter::new(bounds),
            groups: 0,
            total: Extent::default(),
            cut: None,
            partial: None,
            omitted_context: 0,
            cut_lines: Vec::new(),
        }
    }

    /// Adds a group if it fits. Of the first group, adds the part that fits.
    pub(in crate::tools) fn group(&mut self, group: Group) {
        let is_separated = group.separated && self.total.lines > 0;
        let before = if group.rows.is_empty() {
            Vec::new()
        } else {
            self.format.before_rows(&group.path, is_separated)
        };
        let mut lines = before.clone();
        lines.extend(group.lines(&self.format));
        for line in &lines {
            self.total.bytes += line.len() as u64 + u64::from(self.total.lines > 0);
            self.total.lines += 1;
        }
        if self.is_full() {
            return;
        }
        self.cut = self.show(&lines, group.cut_lines());
        if self.is_full() {
            if self.groups > 0 {
                return;
            }
            self.show_part(&before, group);
        }
        self.groups += 1;
    }

    /// Returns true if a limit was reached, so that further groups are only counted.
    pub(in crate::tools) fn is_full(&self) -> bool {
        self.cut.is_some()
    }

    /// Adds the first group, which does not fit, without the context lines that do not fit. If the match line or name
    /// alone does not fit below its `heading`, it is truncated. The text starts with the path of the group.
    fn show_part(&mut self, heading: &[String], mut group: Group) {
        while group.rows.len() > 1 {
            self.omitted_context += 1;
            let before = group.rows.iter().take_while(|row| row.kind != RowKind::Match).count();
            if group.rows.len() > 2 * before {
                group.rows.pop_back();
            } else {
                group.rows.pop_front();
            }
            let lines = [heading, &group.lines(&self.format)].concat();
            let Some(by) = self.show(&lines, group.cut_lines()) else { return };
            self.cut = Some(by);
        }
        self.cut_lines.extend(group.cut_lines());
        self.partial = Some(Partial::FirstLine);
        let max_bytes = self.bounds.sure_bytes().max(SHOWN_BYTES);
        let lines = [heading, &group.lines(&self.format)].concat();
        self.push(&shorten(&lines.join("\n"), group.path.len(), max_bytes));
    }

    /// Adds lines if they fit. Otherwise returns the limit that they would exceed.
    fn show(&mut self, lines: &[String], cut_lines: impl Iterator<Item = CutLine>) -> Option<TruncatedBy> {
        let (bytes, meter) = (self.text.len(), self.meter);
        for line in lines {
            self.push(line);
        }
        let exceeded = self.meter.exceeded();
        if exceeded.is_some() {
            self.text.truncate(bytes);
            self.meter = meter;
        } else {
            self.cut_lines.extend(cut_lines);
        }
        exceeded
    }

    fn push(&mut self, line: &str) {
        let newline = if self.text.is_empty() { "" } else { "\n" };
        for part in [newline, line] {
            self.text.push_str(part);
            self.meter.push(part);
        }
    }

    /// Returns the text and its cut. `total` is the extent of all results, if not all of them were given to this body.
    pub(super) fn into_kept(self, total: Option<Extent>) -> Truncation {
        let shown = Extent::of(&self.text);
        let cut = self.cut.map(|by| Cut { by, partial: self.partial, head: shown });
        Truncation::new(self.text, shown.lines, total.unwrap_or(self.total), cut)
    }
}
