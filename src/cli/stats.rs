//! `cutline stats FILE` prints the totals of a file of call records as a table, as JSON or as an HTML page. JSON and
//! HTML also show them over time.
//!
//! The file is read once, line by line, so memory does not grow with it.

mod html;
mod table;

use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::stats::{Column, Outcome, Record, Slowest, Stats, Timeline, milliseconds, rfc3339, rounded};

use super::config::as_programs_make_them;
use super::{TOOL_ERROR, is_same, open, print, print_styled, unreadable};

/// Maximum bytes of a line. A record has about 300.
const LINE_BYTES: u64 = 4096;

/// Maximum number of time spans.
const SPANS: usize = 80;

/// The totals of a file of call records.
#[derive(Debug, Default)]
struct Read {
    stats: Stats,
    timeline: Timeline,
    slowest: Slowest,
    /// The number of lines that are not records.
    broken: u64,
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
    let nothing = read.stats.span_ms.is_none() && read.broken > 0;
    if let Some(page) = page {
        let text = html::page(&to_value(read))?;
        write_page(page, &text).with_context(|| format!("{} could not be written", page.display()))?;
    } else if json {
        print(format!("{:#}\n", to_value(read)))?;
    } else {
        print_styled(&table::text(&read.stats, read.broken))?;
    }
    Ok(if nothing { TOOL_ERROR } else { 0 })
}

/// Writes the page to a temporary file and renames it. A command could have left a link or a pipe with the name of the
/// page in the project; it is not followed.
fn write_page(path: &Path, text: &str) -> io::Result<()> {
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("it exists and is not a regular file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = as_programs_make_them().tempfile_in(folder)?;
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
            Ok(record) => {
                all.stats.add(&record);
                all.timeline.add(&record);
                all.slowest.add(&record);
            }
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(_) => all.broken += 1,
        }
        line.clear();
    }
    Ok(all)
}

/// Converts the totals to JSON.
fn to_value(read: Read) -> Value {
    let mut facts = read.stats.to_object();
    let (length_ms, columns) = read.timeline.columns(SPANS);
    let column = |Column { start_ms, counts }: Column| {
        json!({
            "start": rfc3339::format(start_ms),
            "calls": counts.calls,
            "answers": counts.answers(),
            "truncatedPercent": rounded(counts.truncated_percent()),
            "limitPercent": rounded(counts.limit_percent()),
            "estimatedTokensGiven": counts.tokens_given,
            "estimatedTokensLeftOut": counts.tokens_left_out,
        })
    };
    let slow = |record: &Record| {
        json!({
            "time": rfc3339::format(record.time_ms),
            "tool": record.tool.as_str(),
            "durationMs": milliseconds::of(record.duration),
            "outcome": if record.outcome == Outcome::Error { "error" } else { "ok" },
        })
    };
    let spans: Vec<_> = columns.into_iter().map(column).collect();
    facts.insert("slowestCalls".to_owned(), read.slowest.iter().map(slow).collect());
    facts.insert("overTime".to_owned(), json!({ "spanMs": length_ms, "spans": spans }));
    facts.insert("brokenLines".to_owned(), json!(read.broken));
    Value::Object(facts)
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
        let cut = &LINE[..30];
        let text = [LINE, "", "{}", &long, &padded, "  ", cut, LINE, "[1]"].join("\n");
        let read = read(text.as_bytes()).unwrap();
        assert_eq!((read.stats.total.counts.calls.0, read.broken), (3, 4));
        let exact = format!("{LINE}{}\n{LINE}", " ".repeat(4095 - LINE.len()));
        assert_eq!(super::read(exact.as_bytes()).unwrap().stats.total.counts.calls.0, 2);
    }

    #[test]
    fn bytes_that_are_no_text_are_no_records() {
        let mut text = b"\xff\xfe\0\n".to_vec();
        text.extend(LINE.as_bytes());
        let read = read(text.as_slice()).unwrap();
        assert_eq!((read.stats.total.counts.calls.0, read.broken), (1, 1));
    }
}
