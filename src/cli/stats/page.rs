//! The text of `cutline stats`: the span, the table, the use of the limit, the course over time.

use std::io::{self, Write};

use terminal_size::{Width, terminal_size_of};

use crate::stats::{Column, Sums, rfc3339};
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

/// Prints all of it in so many columns.
pub(super) fn print(to: &mut impl Write, read: Read, width: usize) -> io::Result<()> {
    let stats = &read.stats;
    match stats.span_ms {
        None => writeln!(to, "No calls")?,
        Some((first, last)) => {
            let calls = Count(stats.total.counts.calls, "call", "calls");
            let (first, last) = (rfc3339::words(first), rfc3339::words(last));
            writeln!(to, "{TITLE}{calls}{TITLE:#}, {first} to {last}\n")?;
            table::print(to, stats)?;
            if stats.total.counts.answers() == 0 {
                writeln!(to, "\nNo answers to plot")?;
            } else {
                let width = width.min(MAX_WIDTH);
                limit_use(to, &stats.total)?;
                over_time(to, read.timeline.columns(plot::cells(width)), width)?;
            }
        }
    }
    if read.broken > 0 {
        let lines = Count(read.broken, "line is no record and was", "lines are no records and were");
        writeln!(to, "\n{WARNING}{lines} passed over{WARNING:#}")?;
    }
    Ok(())
}

/// Prints the number of answers for each tenth of the limit that they used.
fn limit_use(to: &mut impl Write, sums: &Sums) -> io::Result<()> {
    writeln!(to, "\n{TITLE}Answers by use of the limit{TITLE:#}")?;
    let most = sums.limit_use.iter().copied().max().unwrap_or(0);
    for (range, answers) in sums.limit_use.iter().enumerate() {
        let last = if range == sums.limit_use.len() - 1 { 100 } else { range * 10 + 9 };
        let bar = plot::lying(part(*answers, most), USE_CELLS);
        let gap = if bar.is_empty() { "" } else { " " };
        writeln!(to, "{:>2}-{last:>3}%  {BAR}{bar}{BAR:#}{gap}{answers}", range * 10)?;
    }
    Ok(())
}

fn over_time(to: &mut impl Write, (length_ms, columns): (u64, Vec<Column>), width: usize) -> io::Result<()> {
    let each = humantime::format_duration(std::time::Duration::from_millis(length_ms));
    let tokens = columns.iter().map(|column| column.counts.tokens_left_out).max().unwrap_or(0);
    let most = short(tokens);
    let left_out =
        |column: &Column| (column.counts.answers() > 0).then(|| part(column.counts.tokens_left_out, tokens));
    let of = |value: fn(&Column) -> Option<f64>| columns.iter().map(value).collect::<Vec<_>>();
    let plots = [
        ("Answers truncated", PERCENT, of(|column| Some(column.counts.truncated_percent()? / 100.0))),
        ("Use of the limit, on average", PERCENT, of(|column| Some(column.counts.limit_percent()? / 100.0))),
        ("Tokens left out, about", (most.as_str(), "0"), columns.iter().map(left_out).collect()),
    ];
    // From 0 to 0 there is no scale.
    let shown = plots.len() - usize::from(tokens == 0);
    for (title, scale, values) in plots.into_iter().take(shown) {
        writeln!(to, "\n{TITLE}{title}{TITLE:#}, {each} a column")?;
        plot::print(to, scale, &values, width)?;
    }
    let [first, last] = [columns.first(), columns.last()]
        .map(|column| to_the_second(&rfc3339::words(column.map_or(0, |column| column.start_ms))));
    writeln!(to, "{}", plot::ends(&first, &last, columns.len(), width))
}

/// Returns `value` as a part of the most.
#[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
fn part(value: u64, most: u64) -> f64 {
    value as f64 / most.max(1) as f64
}
