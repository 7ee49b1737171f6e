//! `cutline stats FILE` prints the totals of a file of call records as a table, as JSON or as an HTML page. JSON and
//! HTML also show them over time.
//!
//! The file is read once, line by line. Memory grows by 16 bytes for each call, and by about 200 bytes for each minute
//! with calls.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use anyhow::Context as _;
use derive_more::AddAssign;
use serde::Serialize;
use serde_json::{Value, json};

use crate::stats::{Outcome, Record, Stats, Sums, Tool};
use cutline_core::notice::Count;

use super::config::new_file_in;
use super::{TOOL_ERROR, is_same, open, print, print_styled, unreadable};

/// Maximum bytes of a line. A record has about 300.
const LINE_BYTES: u64 = 4096;
/// Maximum number of time spans.
const SPANS: usize = 120;
/// The lengths of time spans: the characters of a time that are equal in a span, and its minutes.
const LENGTHS: [(usize, u64); 6] = [(16, 1), (15, 10), (13, 60), (10, 1440), (7, 43_200), (4, 525_600)];

/// The page. Its script shows the JSON that replaces [`DATA`].
const PAGE: &str = include_str!("stats/page.html");
const DATA: &str = "DATA_OF_CUTLINE_STATS";

/// The style of titles on a terminal.
const TITLE: Style = Style::new().bold();
/// The style of warnings.
const WARNING: Style = AnsiColor::Yellow.on_default();

/// The headings of the table. The page has the same.
const HEADINGS: [&str; 9] = [
    "tool",
    "calls",
    "errors",
    "truncated %",
    "limit used %",
    "returned KB",
    "omitted KB",
    "median ms",
    "95% ms",
];

/// The totals of a file of call records.
#[derive(Debug, Default)]
struct Read {
    stats: Stats,
    /// The times of the first and the last record.
    ends: Option<(String, String)>,
    minutes: Spans,
    /// The number of lines that are not records.
    broken: u64,
}

/// The calls of each tool, by the start of the time span. Only spans with calls exist.
type Spans = BTreeMap<String, BTreeMap<Tool, Span>>;

/// The calls of a tool in a time span.
#[derive(Debug, Clone, Copy, Default, AddAssign, Serialize)]
#[serde(rename_all = "camelCase")]
struct Span {
    calls: u64,
    answers: u64,
    truncated: u64,
    /// Sum of the percentages of the limit that the results used.
    limit_percents: u64,
}

/// Prints the totals of the file as a table or as JSON, or writes them to `page` as HTML. Returns the exit code, which
/// is not 0 if the file has no record.
pub(super) fn run(file: &Path, json: bool, page: Option<&Path>) -> anyhow::Result<i32> {
    // On systems without `/dev/stdin`, stdin cannot be compared with the page.
    let records = if file == Path::new("-") { Path::new("/dev/stdin") } else { file };
    if let Some(page) = page.filter(|page| is_same(records, page)) {
        super::refuse_in(&["stats"], format!("--html {} is the stats file itself", page.display()));
    }
    let read = open(file).and_then(|input| read(BufReader::new(input)));
    let read = read.map_err(|error| unreadable(file, &error))?;
    if let Some(page) = page {
        // In a script element, only `<` can end the data.
        let text = PAGE.replace(DATA, &read.to_value().to_string().replace('<', "\\u003c"));
        write_page(page, &text).with_context(|| format!("{} could not be written", page.display()))?;
    } else if json {
        print(format!("{:#}\n", read.to_value()))?;
    } else {
        print_styled(&read.table())?;
    }
    Ok(if read.ends.is_none() && read.broken > 0 { TOOL_ERROR } else { 0 })
}

/// Writes the page to a temporary file and renames it. A command could have left a link or a pipe with the name of the
/// page in the project; it is not followed.
fn write_page(path: &Path, text: &str) -> io::Result<()> {
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("it exists and is not a regular file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = new_file_in(folder, folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

fn read(mut lines: impl BufRead) -> io::Result<Read> {
    let mut all = Read::default();
    let mut line = Vec::new();
    while lines.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line)? > 0 {
        if line.len() as u64 == LINE_BYTES && !line.ends_with(b"\n") {
            lines.skip_until(b'\n')?;
        }
        match serde_json::from_slice::<Record>(&line) {
            Ok(record) if is_valid(&record) => all.add(record),
            Err(_) if line.trim_ascii().is_empty() => {}
            _ => all.broken += 1,
        }
        line.clear();
    }
    Ok(all)
}

fn is_valid(record: &Record) -> bool {
    humantime::parse_rfc3339(&record.time).is_ok() && !record.tool.as_str().is_empty()
}

impl Read {
    fn add(&mut self, record: Record) {
        self.stats.add(&record);
        let mut span = Span { calls: 1, ..Span::default() };
        if let Outcome::Ok(size) = &record.outcome {
            span.answers = 1;
            span.truncated = size.truncated_by.is_some().into();
            span.limit_percents = size.limit_percent.min(100);
        }
        let (characters, _minute) = LENGTHS[0];
        add(&mut self.minutes, &record.time, characters, &record.tool, span);
        let (first, last) = self.ends.take().unwrap_or_else(|| (record.time.clone(), record.time.clone()));
        self.ends = Some((first.min(record.time.clone()), last.max(record.time)));
    }

    /// Converts the totals to JSON.
    fn to_value(&self) -> Value {
        let tools = self.stats.tools.iter().map(|(tool, sums)| (tool.as_str().to_owned(), sums.to_value()));
        json!({
            "firstCall": self.ends.as_ref().map(|ends| &ends.0),
            "lastCall": self.ends.as_ref().map(|ends| &ends.1),
            "total": self.stats.total.to_value(),
            "tools": tools.collect::<Value>(),
            "overTime": over_time(&self.minutes),
            "brokenLines": self.broken,
        })
    }

    /// Formats the times, the table, and the number of lines that are not records.
    fn table(&self) -> String {
        let mut text = String::from("No calls\n");
        if let Some((first, last)) = &self.ends {
            let calls = Count(self.stats.total.calls(), "call", "calls");
            let tools = self.stats.tools.iter().map(|(tool, sums)| row(tool.as_str(), sums));
            let rows = [HEADINGS.map(ToOwned::to_owned)].into_iter().chain(tools);
            let rows: Vec<_> = rows.chain([row("all", &self.stats.total)]).collect();
            let column = |n| rows.iter().filter_map(move |row| row.get(n));
            let widths: [usize; HEADINGS.len()] =
                std::array::from_fn(|n| column(n).map(|cell| cell.chars().count()).max().unwrap_or(0));
            text = format!("{TITLE}{calls}{TITLE:#}, {first} to {last}\n\n{TITLE}");
            for (n, row) in rows.iter().enumerate() {
                let end = if n == 0 { format!("{TITLE:#}\n") } else { "\n".to_owned() };
                text.push_str(&(aligned(row, widths) + &end));
            }
        }
        if self.broken > 0 {
            let broken = Count(self.broken, "line is no record and was", "lines are no records and were");
            return format!("{text}\n{WARNING}{broken} skipped{WARNING:#}\n");
        }
        text
    }
}

/// Returns the cells of a row of the table. A `+` after a number means that it is a lower bound.
fn row(name: &str, sums: &Sums) -> [String; HEADINGS.len()] {
    let (given, left_out) = sums.bytes();
    let more = if sums.left_out_is_open { "+" } else { "" };
    let number = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |number| format!("{number:.1}"));
    #[expect(clippy::cast_precision_loss, reason = "a number with one decimal, to be read")]
    let kilobytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e3);
    [
        name.to_owned(),
        sums.calls().to_string(),
        sums.errors.to_string(),
        number(sums.truncated_percent()),
        number(sums.limit_percent()),
        kilobytes(given),
        kilobytes(left_out) + more,
        number(sums.quantile_ms(50)),
        number(sums.quantile_ms(95)),
    ]
}

/// Aligns the cells of a row: names to the left, and numbers to the right.
fn aligned(row: &[String], widths: [usize; HEADINGS.len()]) -> String {
    let cells =
        row.iter().zip(widths).enumerate().map(|(n, (cell, width))| {
            if n == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
    cells.collect::<Vec<_>>().join("  ")
}

/// Adds the calls of a tool to the span of a time, whose first `characters` are its start.
fn add(spans: &mut Spans, time: &str, characters: usize, tool: &Tool, span: Span) {
    let start = time.chars().take(characters).collect();
    *spans.entry(start).or_default().entry(tool.clone()).or_default() += span;
}

/// Returns the calls over time in the shortest spans that are not too many.
fn over_time(minutes: &Spans) -> Value {
    let joined = |(characters, minutes_of_span): (usize, u64)| {
        let mut spans = Spans::new();
        for (time, tools) in minutes {
            for (tool, span) in tools {
                add(&mut spans, time, characters, tool, *span);
            }
        }
        (spans, minutes_of_span)
    };
    let (spans, span_minutes) =
        LENGTHS.into_iter().map(joined).find(|(spans, _)| spans.len() <= SPANS).unwrap_or_default();
    let spans = spans.into_iter().map(|(start, tools)| {
        let rest = "0000-01-01T00:00:00Z".get(start.len()..).unwrap_or_default();
        json!({ "start": format!("{start}{rest}"), "tools": tools })
    });
    json!({ "spanMinutes": span_minutes, "spans": spans.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        r#"{"time":"2026-11-20T10:00:00.000Z","tool":"ls","durationMs":0.25,"outcome":"error"}"#;

    #[test]
    fn lines_that_are_no_records_are_counted() {
        let long = "x".repeat(10_000);
        let padded = format!("{LINE}{}", " ".repeat(4000));
        let (cut, no_time) = (&LINE[..30], LINE.replace("2026", "year"));
        let text = [LINE, "", "{}", &long, &padded, "  ", cut, LINE, "[1]", &no_time].join("\n");
        let totals = read(text.as_bytes()).unwrap();
        assert_eq!((totals.stats.total.calls(), totals.broken), (3, 5));
        let exact = format!("{LINE}{}\n{LINE}", " ".repeat(4095 - LINE.len()));
        assert_eq!(read(exact.as_bytes()).unwrap().stats.total.calls(), 2);
        let binary = [b"\xff\xfe\0\n", LINE.as_bytes()].concat();
        let totals = read(binary.as_slice()).unwrap();
        assert_eq!((totals.stats.total.calls(), totals.broken), (1, 1));
    }

    #[test]
    fn spans_grow_with_the_time_and_have_all_calls() {
        let mut totals = Read::default();
        for (calls, minutes) in [(120, 1), (900, 10), (7000, 60), (25_000, 1440)] {
            for n in totals.stats.total.calls()..calls {
                let time = format!(
                    "2026-{:02}-{:02}T{:02}:{:02}:00Z",
                    n / 43_200 + 1,
                    n / 1440 % 30 + 1,
                    n / 60 % 24,
                    n % 60
                );
                totals.add(serde_json::from_str(&LINE.replace("2026-11-20T10:00:00.000Z", &time)).unwrap());
            }
            let value = over_time(&totals.minutes);
            let spans = value["spans"].as_array().unwrap();
            assert_eq!(
                (&value["spanMinutes"], &spans[0]["start"]),
                (&json!(minutes), &json!("2026-01-01T00:00:00Z"))
            );
            assert!(spans.len() <= SPANS);
            let all: u64 = spans.iter().map(|span| span["tools"]["ls"]["calls"].as_u64().unwrap()).sum();
            assert_eq!(all, calls);
        }
    }
}
