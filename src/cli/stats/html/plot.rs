//! Draws a plot of bars as SVG.
//!
//! The plot has the colours of the light page. In dark mode, the style sheet of the page replaces them.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::cli::stats::table::short;

/// A colour: its variable in the style sheet, and its value on a light page.
pub(super) type Colour = (&'static str, RGBColor);

/// The colour of returned amounts and used limits.
pub(super) const GIVEN: Colour = ("--given", RGBColor(0x1F, 0x6F, 0xB2));
/// The colour of omitted amounts.
pub(super) const LEFT_OUT: Colour = ("--left-out", RGBColor(0xC2, 0x57, 0x0C));
/// The colour of the line below the columns.
const AXIS: Colour = ("--axis", RGBColor(0x8A, 0x94, 0xA3));
/// The colour of the lines of the scale.
const GRID: Colour = ("--grid", RGBColor(0xE2, 0xE6, 0xEC));
/// The colour of text.
const TEXT: Colour = ("--quiet", RGBColor(0x55, 0x60, 0x6E));

/// Returns the style rules that give the plots the colours of the page.
pub(super) fn style() -> String {
    let mut rules = String::new();
    for (variable, RGBColor(red, green, blue)) in [GIVEN, LEFT_OUT, AXIS, GRID, TEXT] {
        for part in ["fill", "stroke"] {
            let rule =
                format!("svg [{part}=\"#{red:02X}{green:02X}{blue:02X}\"] {{ {part}: var({variable}); }}\n");
            rules.push_str(&rule);
        }
    }
    rules
}

/// The scale of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    /// From 0 to 100 percent.
    Percent,
    /// From 0 to the largest value.
    Count,
}

/// Columns of bars. Several series are stacked.
#[derive(Debug)]
pub(super) struct Bars<'a> {
    /// The labels of the columns. As many are shown as fit.
    pub(super) labels: &'a [String],
    pub(super) axis: Axis,
    /// For each series its colour and its values, one for each column.
    pub(super) series: Vec<(&'static Colour, Vec<Option<f64>>)>,
}

/// The font size of the page in pixels. Text in plots has 80 % of it.
const LETTER: f64 = 15.0;
/// The width of the scale's labels to the left of the plot, and the height of the labels below it, in pixels.
const SCALE: (u32, u32) = (46, 24);
/// The width of a character below a column, and of the space between two labels, in pixels.
const LETTER_WIDTH: (usize, usize) = (7, 16);

impl Bars<'_> {
    /// Draws the plot with this size in pixels. Returns the SVG.
    pub(super) fn draw(&self, size: (u32, u32)) -> anyhow::Result<String> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let columns = self.labels.len();
        let end = as_number(columns.max(1));
        let sums: Vec<f64> = (0..columns).map(|n| self.values(n).map(|(_, value)| value).sum()).collect();
        let top = match self.axis {
            Axis::Percent => 100.0,
            Axis::Count => sums.iter().copied().fold(1.0, f64::max),
        };
        let mut chart = ChartBuilder::on(&area)
            .margin_top(8)
            .margin_right(8)
            .x_label_area_size(SCALE.1)
            .y_label_area_size(SCALE.0)
            .build_cartesian_2d(0.0..end, 0.0..top)?;
        let text = ("sans-serif", LETTER, &TEXT.1);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .axis_style(TRANSPARENT)
            .bold_line_style(GRID.1)
            .light_line_style(TRANSPARENT)
            .y_labels(4)
            .y_label_formatter(&|value| self.label(*value))
            .label_style(text)
            .draw()?;
        for (n, label) in self.labels.iter().enumerate() {
            let (left, gap, mut foot) = (as_number(n), if columns > 30 { 0.08 } else { 0.14 }, 0.0);
            for (colour, value) in self.values(n) {
                let bar = [(left + gap, foot), (left + 1.0 - gap, foot + value)];
                chart.draw_series([Rectangle::new(bar, colour.1.filled())])?;
                foot += value;
            }
            if self.values(n).next().is_some() {
                let line = vec![(left, 0.0), (left + 1.0, 0.0)];
                chart.draw_series([PathElement::new(line, AXIS.1)])?;
            }
            if n.is_multiple_of(self.labels_apart(size.0)) {
                let (x, y) = chart.backend_coord(&(left + 0.5, 0.0));
                let style = text.into_text_style(&area).pos(Pos::new(HPos::Center, VPos::Top));
                area.draw_text(label, &style, (x, y + 8))?;
            }
        }
        area.present()?;
        drop(chart);
        drop(area);
        Ok(svg)
    }

    /// Returns the values of a column that are present.
    fn values(&self, column: usize) -> impl Iterator<Item = (&'static Colour, f64)> + '_ {
        self.series.iter().filter_map(move |(colour, values)| Some((*colour, (*values.get(column)?)?)))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of the scale")]
    fn label(&self, value: f64) -> String {
        match self.axis {
            Axis::Percent => format!("{value:.0}%"),
            Axis::Count if value.fract() == 0.0 => short(value.max(0.0) as u64),
            Axis::Count => String::new(),
        }
    }

    /// Returns the distance between two labels, in columns.
    fn labels_apart(&self, width: u32) -> usize {
        let (letter, space) = LETTER_WIDTH;
        let longest = self.labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let width = usize::try_from(width - SCALE.0).unwrap_or(0);
        let fit = (width / (longest * letter + space)).max(1);
        self.labels.len().div_ceil(fit).max(1)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a place in a plot of a hundred columns")]
fn as_number(column: usize) -> f64 {
    column as f64
}
