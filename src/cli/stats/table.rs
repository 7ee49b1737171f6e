//! The table of `cutline stats`: one row for each tool and one for all tools.

#![expect(clippy::indexing_slicing, reason = "every row has all cells, and the first row has the headings")]

use std::time::Duration;

use anstyle::{AnsiColor, Style};

use crate::stats::{Stats, Sums, rfc3339};
use cutline_core::notice::Count;
use cutline_core::text::Size;

/// The style of titles on a terminal.
const TITLE: Style = Style::new().bold();
/// The style of warnings.
const WARNING: Style = AnsiColor::Yellow.on_default();

const HEADINGS: [&str; 12] = [
    "tool", "calls", "errs", "cut", "lines", "bytes", "tokens", "given", "left out", "omitted", "50%", "95%",
];

/// Formats the time span, the table, and the number of lines that are not records.
pub(super) fn text(stats: &Stats, broken: u64) -> String {
    let mut lines = Vec::new();
    match stats.span_ms {
        None => lines.push("No calls".to_owned()),
        Some((first, last)) => {
            let calls = Count(stats.total.counts.calls.0, "call", "calls");
            let (first, last) = (rfc3339::format(first), rfc3339::format(last));
            lines.push(format!("{TITLE}{calls}{TITLE:#}, {first} to {last}\n"));
            lines.extend(table(stats));
        }
    }
    if broken > 0 {
        let broken = Count(broken, "line is no record and was", "lines are no records and were");
        lines.push(format!("\n{WARNING}{broken} skipped{WARNING:#}"));
    }
    lines.join("\n") + "\n"
}

/// Returns the lines of the table. A `+` after a number means that it is a lower bound.
fn table(stats: &Stats) -> Vec<String> {
    let tools = stats.tools.iter().map(|(tool, sums)| row(tool.as_str(), sums));
    let headings = [HEADINGS.map(ToOwned::to_owned)].into_iter();
    let rows: Vec<_> = headings.chain(tools).chain([row("all", &stats.total)]).collect();
    let cells = |row: &[String; HEADINGS.len()]| {
        let cells = row.iter().enumerate().map(|(n, cell)| {
            let width = rows.iter().map(|row| row[n].chars().count()).max().unwrap_or(0);
            // Names of tools are left-aligned, and numbers right-aligned.
            if n == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<_> = rows.iter().map(cells).collect();
    lines[0] = format!("{TITLE}{}{TITLE:#}", lines[0]);
    lines
}

fn row(name: &str, sums: &Sums) -> [String; HEADINGS.len()] {
    let counts = &sums.counts;
    let more = if counts.left_out_open.0 > 0 { "+" } else { "" };
    let time = |percent| sums.durations.quantile(percent).map_or_else(|| "-".to_owned(), duration);
    [
        name.to_owned(),
        counts.calls.to_string(),
        counts.errors.to_string(),
        counts.truncated_percent().map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1}%")),
        counts.by_lines.to_string(),
        counts.by_bytes.to_string(),
        counts.by_tokens.to_string(),
        Size(counts.bytes_given.0).to_string(),
        format!("{}{more}", Size(counts.bytes_left_out.0)),
        format!("{}{more}", short(counts.tokens_left_out.0)),
        time(50),
        time(95),
    ]
}

/// Formats a number in a short form: `512`, `1.5K`, `2M`.
pub(super) fn short(number: u64) -> String {
    // Use the format of sizes without the unit.
    Size(number).to_string().trim_end_matches('B').to_owned()
}

/// Formats a duration with about three digits: `250µs`, `1.2ms`, `13s`.
fn duration(duration: Duration) -> String {
    let us = duration.as_micros();
    match us {
        0..1000 => format!("{us}µs"),
        1000..10_000 => format!("{:.1}ms", duration.as_secs_f64() * 1e3),
        10_000..1_000_000 => format!("{}ms", us / 1000),
        1_000_000..10_000_000 => format!("{:.1}s", duration.as_secs_f64()),
        _ => format!("{}s", duration.as_secs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_few_digits() {
        for (us, words) in [
            (0, "0µs"),
            (999, "999µs"),
            (1234, "1.2ms"),
            (56_789, "56ms"),
            (999_999, "999ms"),
            (1_250_000, "1.2s"),
            (61_000_000, "61s"),
        ] {
            assert_eq!(duration(Duration::from_micros(us)), words);
        }
    }
}
