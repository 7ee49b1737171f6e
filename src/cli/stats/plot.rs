//! Bars in the cells of a terminal, to an eighth of a cell.

#![expect(
    clippy::indexing_slicing,
    reason = "more than eight eighths have to fail, not to show an empty cell"
)]

use super::style::BAR;

/// Rows of a plot.
const ROWS: usize = 4;
/// Eighths of a cell, standing: filled from its foot.
const STANDING: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Eighths of a cell, lying: filled from its left.
const LYING: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
/// Cells beside the bars: the scale's words, a space and the axis.
const SCALE_CELLS: usize = 8;
/// Cells that a column may be wide, where there are few.
const MAX_COLUMN_CELLS: usize = 8;

/// The scale of percents: the words at its top and its foot.
pub(super) const PERCENT: (&str, &str) = ("100%", "0%");

/// Returns the cells for bars in a terminal of `width` columns.
pub(super) fn cells(width: usize) -> usize {
    width.saturating_sub(SCALE_CELLS).max(10)
}

/// Returns the lines of a plot of values from 0 to 1, `wide` cells for each. Below a column without a value the axis is broken.
pub(super) fn lines((top, foot): (&str, &str), values: &[Option<f64>], wide: usize) -> Vec<String> {
    let scale: [&str; ROWS] = [foot, "", "", top];
    let row = |row: usize| {
        let bars = values.iter().map(|value| {
            let filled = value.map_or(0, |value| eighths(value, ROWS)).saturating_sub(row * 8).min(8);
            STANDING[filled].to_string().repeat(wide)
        });
        format!("{:>6} │{BAR}{}{BAR:#}", scale[row], bars.collect::<String>().trim_end())
    };
    let axis = values.iter().map(|value| if value.is_some() { "─" } else { " " }.repeat(wide));
    let axis = format!("{:>6} └{}", "", axis.collect::<String>().trim_end());
    (0..ROWS).rev().map(row).chain([axis]).collect()
}

/// Returns the line below plots of so many cells: the starts of the first and the last column.
pub(super) fn ends(first: &str, last: &str, cells: usize) -> String {
    let gap = " ".repeat(cells.saturating_sub(first.len() + last.len()).max(4));
    format!("{:SCALE_CELLS$}{first}{gap}{last}", "").trim_end().to_owned()
}

/// Returns a bar of so many cells at most, for a value from 0 to 1.
pub(super) fn lying(value: f64, cells: usize) -> String {
    let filled = eighths(value, cells);
    let end = LYING[filled % 8].to_string();
    LYING[8].to_string().repeat(filled / 8) + end.trim_end()
}

/// Returns the eighths that a value from 0 to 1 fills in `cells` cells; above 0 at least one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "held between 0 and the cells"
)]
fn eighths(value: f64, cells: usize) -> usize {
    (value.clamp(0.0, 1.0) * (cells * 8) as f64).ceil() as usize
}

/// Returns the cells of a column's width.
pub(super) fn column_cells(columns: usize, width: usize) -> usize {
    (cells(width) / columns.max(1)).clamp(1, MAX_COLUMN_CELLS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_nothing_is_seen_and_all_is_full() {
        assert_eq!([0.0, 0.001, 0.5, 1.0, 7.0].map(|value| eighths(value, 4)), [0, 1, 16, 32, 32]);
    }

    #[test]
    fn bars_that_lie() {
        let bars = [(0.0, ""), (0.01, "▏"), (0.5, "██"), (0.56, "██▎"), (1.0, "████"), (f64::NAN, "")];
        for (value, bar) in bars {
            assert_eq!(lying(value, 4), bar, "{value}");
        }
    }

    #[test]
    fn a_plot() {
        let values = [Some(1.0), Some(0.0), None, Some(0.3)];
        let shown = lines(PERCENT, &values, column_cells(4, 20)).join("\n");
        let expected = "  100% │███
       │███
       │███      ▂▂▂
    0% │███      ███
       └──────   ───";
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), expected);
    }
}
