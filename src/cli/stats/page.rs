//! The text of `cutline stats`: the span, the table, the use of the limit, the course over time.

use std::io;

use terminal_size::{Width, terminal_size_of};

use crate::stats::{Column, Counts, Sums, rfc3339};
use cutline_core::notice::Count;

use super::plot::{self, PERCENT};
use super::style::{BAR, TITLE, WARNING, short, to_the_second};
use super::{Read, table};

/// Columns if the terminal does not say.
pub(super) const WIDTH: usize = 80;
/// Columns that are made use of; wider plots say no more.
const MAX_WIDTH: usize = 160;
/// Cells of the longest bar in the use of the limit.
const USE_CELLS: usize = 40;

/// Returns the columns of the terminal that stdout is.
pub(super) fn width() -> usize {
    terminal_size_of(io::stdout()).map_or(WIDTH, |(Width(columns), _)| columns.into())
}

/// Returns all of it as text, in so many columns.
pub(super) fn text(read: Read, width: usize) -> String {
    let Read { stats, timeline, broken, .. } = read;
    let mut lines = Vec::new();
    match stats.span_ms {
        None => lines.push("No calls".to_owned()),
        Some((first, last)) => {
            let calls = Count(stats.total.counts.calls.0, "call", "calls");
            let (first, last) = (rfc3339::words(first), rfc3339::words(last));
            lines.push(format!("{TITLE}{calls}{TITLE:#}, {first} to {last}\n"));
            lines.extend(table::lines(&stats));
            if stats.total.counts.answers() == 0 {
                lines.push("\nNo answers to plot".to_owned());
            } else {
                let width = width.min(MAX_WIDTH);
                lines.extend(limit_use(&stats.total));
                lines.extend(over_time(timeline.columns(plot::cells(width)), width));
            }
        }
    }
    if broken > 0 {
        let broken = Count(broken, "line is no record and was", "lines are no records and were");
        lines.push(format!("\n{WARNING}{broken} passed over{WARNING:#}"));
    }
    lines.join("\n") + "\n"
}

/// Returns the number of answers for each tenth of the limit that they used.
fn limit_use(sums: &Sums) -> impl Iterator<Item = String> {
    let most = sums.limit_use.iter().copied().max().unwrap_or(0);
    let rows = sums.limit_use.iter().enumerate().map(move |(range, answers)| {
        let last = if range == sums.limit_use.len() - 1 { 100 } else { range * 10 + 9 };
        let bar = plot::lying(part(*answers, most), USE_CELLS);
        let gap = if bar.is_empty() { "" } else { " " };
        format!("{:>2}-{last:>3}%  {BAR}{bar}{BAR:#}{gap}{answers}", range * 10)
    });
    [format!("\n{TITLE}Answers by use of the limit{TITLE:#}")].into_iter().chain(rows)
}

/// Returns a plot of each value of the columns, and the line below the last.
fn over_time((length_ms, columns): (u64, Vec<Column>), width: usize) -> Vec<String> {
    let wide = plot::column_cells(columns.len(), width);
    let each = humantime::format_duration(std::time::Duration::from_millis(length_ms));
    let plot = |title: &str, scale, value: &dyn Fn(&Counts) -> Option<f64>| {
        let values: Vec<_> = columns.iter().map(|column| value(&column.counts)).collect();
        let mut lines = vec![format!("\n{TITLE}{title}{TITLE:#}, {each} a column")];
        lines.extend(plot::lines(scale, &values, wide));
        lines
    };
    let truncated = |counts: &Counts| Some(counts.truncated_percent()? / 100.0);
    let limit_use = |counts: &Counts| Some(counts.limit_percent()? / 100.0);
    let mut lines = plot("Answers truncated", PERCENT, &truncated);
    lines.extend(plot("Use of the limit, on average", PERCENT, &limit_use));
    let most = columns.iter().map(|column| column.counts.tokens_left_out.0).max().unwrap_or(0);
    // From 0 to 0 there is no scale.
    if most > 0 {
        let left_out = |counts: &Counts| (counts.answers() > 0).then(|| part(counts.tokens_left_out.0, most));
        lines.extend(plot("Tokens left out, about", (&short(most), "0"), &left_out));
    }
    let [first, last] = [columns.first(), columns.last()]
        .map(|column| to_the_second(&rfc3339::words(column.map_or(0, |column| column.start_ms))));
    let last = if columns.len() < 2 { "" } else { &last };
    lines.push(plot::ends(&first, last, columns.len() * wide));
    lines
}

/// Returns `value` as a part of the most.
#[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
fn part(value: u64, most: u64) -> f64 {
    value as f64 / most.max(1) as f64
}
