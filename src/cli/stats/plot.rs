//! Bars in the cells of a terminal, to an eighth of a cell.

#![expect(
    clippy::indexing_slicing,
    reason = "more than eight eighths have to fail, not to show an empty cell"
)]

use std::io::{self, Write};

use super::style::BAR;

/// Rows of a plot.
const ROWS: u32 = 4;
/// Eighths of a cell, standing: filled from its foot.
const STANDING: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Eighths of a cell, lying: filled from its left.
const LYING: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// Cells beside the bars: the scale's words, a space and the axis.
const SCALE_CELLS: u64 = 8;
/// Cells that a column may be wide, where there are few.
const MAX_COLUMN_CELLS: usize = 8;

/// The scale of percents: the words at its top and its foot.
pub(super) const PERCENT: (&str, &str) = ("100%", "0%");

/// Returns the cells for bars in a terminal of `width` columns.
pub(super) fn cells(width: u64) -> u64 {
    width.saturating_sub(SCALE_CELLS).max(10)
}

/// Prints a plot of values from 0 to 1. Below a column without a value the axis is broken.
pub(super) fn print(
    to: &mut impl Write,
    (top, foot): (&str, &str),
    values: &[Option<f64>],
    width: u64,
) -> io::Result<()> {
    let wide = column_cells(values.len(), width);
    for row in (0..ROWS).rev() {
        let words = match row {
            0 => foot,
            row if row == ROWS - 1 => top,
            _ => "",
        };
        let bars = values.iter().map(|value| {
            let eighths = value.map_or(0, |value| filled(value, ROWS)).saturating_sub(row * 8).min(8);
            cell(STANDING, eighths).to_string().repeat(wide)
        });
        let bars: String = bars.collect();
        writeln!(to, "{words:>6} │{BAR}{}{BAR:#}", bars.trim_end())?;
    }
    let axis = values.iter().map(|value| if value.is_some() { "─" } else { " " }.repeat(wide));
    writeln!(to, "{:>6} └{}", "", axis.collect::<String>().trim_end())
}

/// Returns the line below the plots: the starts of the first and the last column.
pub(super) fn ends(first: &str, last: &str, columns: usize, width: u64) -> String {
    let cells = columns * column_cells(columns, width);
    let indent = " ".repeat(usize::try_from(SCALE_CELLS).unwrap_or(0));
    if columns < 2 {
        return format!("{indent}{first}");
    }
    let room = cells.saturating_sub(first.len() + last.len()).max(4);
    format!("{indent}{first}{}{last}", " ".repeat(room))
}

/// Returns a bar, which has `cells` cells for the most.
pub(super) fn lying(value: u64, most: u64, cells: u64) -> String {
    let eighths = u128::from(value) * u128::from(cells) * 8;
    let eighths = u64::try_from(eighths.div_ceil(u128::from(most.max(1)))).unwrap_or(0);
    let full = usize::try_from(eighths / 8).unwrap_or(0);
    let rest = u32::try_from(eighths % 8).unwrap_or(0);
    let end = if rest == 0 { String::new() } else { cell(LYING, rest).to_string() };
    LYING[8].to_string().repeat(full) + &end
}

/// Returns the eighths that a value from 0 to 1 fills in `rows` rows; above 0 at least one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held between 0 and the rows")]
fn filled(value: f64, rows: u32) -> u32 {
    let most = rows * 8;
    (value.clamp(0.0, 1.0) * f64::from(most)).ceil().min(f64::from(most)) as u32
}

fn cell(eighths: [char; 9], filled: u32) -> char {
    eighths[filled as usize]
}

/// Returns the cells of a column's width.
fn column_cells(columns: usize, width: u64) -> usize {
    let cells = usize::try_from(cells(width)).unwrap_or(usize::MAX);
    (cells / columns.max(1)).clamp(1, MAX_COLUMN_CELLS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_nothing_is_seen_and_all_is_full() {
        assert_eq!([0.0, 0.001, 0.5, 1.0, 7.0].map(|value| filled(value, 4)), [0, 1, 16, 32, 32]);
    }

    #[test]
    fn bars_that_lie() {
        let bars = [(0, ""), (1, "▏"), (50, "██"), (56, "██▎"), (100, "████")];
        for (value, bar) in bars {
            assert_eq!(lying(value, 100, 4), bar, "{value}");
        }
        assert_eq!(lying(0, 0, 4), "");
        assert_eq!(lying(u64::MAX, u64::MAX, 4), "████");
    }

    #[test]
    fn a_plot() {
        let mut shown = Vec::new();
        let values = [Some(1.0), Some(0.0), None, Some(0.3)];
        print(&mut shown, PERCENT, &values, 20).unwrap();
        let shown = anstream::adapter::strip_bytes(&shown).into_vec();
        let expected = "  100% │███
       │███
       │███      ▂▂▂
    0% │███      ███
       └──────   ───
";
        assert_eq!(String::from_utf8(shown).unwrap(), expected);
    }
}
