//! `cutline stats FILE`: the sums of a file of records, as a table and their course over time.
//!
//! The file is read once from its start to its end, a line at a time; memory does not grow with it.

mod page;
mod plot;
mod style;
mod table;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::stats::{Column, Record, Stats, Timeline, rfc3339};

use super::TOOL_ERROR;

/// Bytes of a line that are taken in: a record has some three hundred.
const LINE_BYTES: u64 = 4096;
/// The name by which stdin is meant.
const STDIN: &str = "-";

/// The sums of a file of records.
#[derive(Debug, Default)]
struct Read {
    stats: Stats,
    timeline: Timeline,
    /// Lines that are no records.
    broken: u64,
}

/// Prints the sums of the file. Returns the exit code, that of an error if nothing in it is a record.
pub(super) fn run(file: &Path, json: bool) -> anyhow::Result<i32> {
    let read = if file == Path::new(STDIN) {
        read(io::stdin().lock())
    } else {
        File::open(file).and_then(|file| read(BufReader::new(file)))
    };
    let read = read.with_context(|| file.display().to_string())?;
    let nothing = read.stats.span_ms().is_none() && read.broken > 0;
    let printed = if json {
        writeln!(io::stdout().lock(), "{:#}", to_value(read))
    } else {
        page::print(&mut anstream::stdout().lock(), read, page::width())
    };
    match printed {
        // Whoever reads, `head` for one, has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(if nothing { TOOL_ERROR } else { 0 }),
    }
}

fn read(mut lines: impl BufRead) -> io::Result<Read> {
    let mut all = Read::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(all);
        }
        if line.len() as u64 == LINE_BYTES && !line.ends_with(b"\n") {
            lines.skip_until(b'\n')?;
        }
        match serde_json::from_slice::<Record>(&line) {
            Ok(record) => {
                all.stats.add(&record);
                all.timeline.add(&record);
            }
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(_) => all.broken += 1,
        }
    }
}

/// The same as data.
fn to_value(read: Read) -> Value {
    let mut facts = read.stats.to_object();
    let (length_ms, columns) = read.timeline.columns(page::WIDTH);
    let column = |Column { start_ms, counts }: Column| {
        json!({
            "start": rfc3339::words(start_ms),
            "calls": counts.calls,
            "truncatedPercent": counts.truncated_percent(),
            "limitPercent": counts.limit_percent(),
            "estimatedTokensLeftOut": counts.tokens_left_out,
        })
    };
    let spans: Vec<_> = columns.into_iter().map(column).collect();
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
        assert_eq!((read.stats.total().counts.calls, read.broken), (3, 4));
        let exact = format!("{LINE}{}\n{LINE}", " ".repeat(4095 - LINE.len()));
        assert_eq!(super::read(exact.as_bytes()).unwrap().stats.total().counts.calls, 2);
    }

    #[test]
    fn bytes_that_are_no_text_are_no_records() {
        let mut text = b"\xff\xfe\0\n".to_vec();
        text.extend(LINE.as_bytes());
        let read = read(text.as_slice()).unwrap();
        assert_eq!((read.stats.total().counts.calls, read.broken), (1, 1));
    }
}
