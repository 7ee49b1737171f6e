//! The styles and the numbers that the table and the plots share.

use anstyle::{AnsiColor, Style};

use cutline_core::text::Size;

/// The style of titles on a terminal.
pub(super) const TITLE: Style = Style::new().bold();
/// The style of bars.
pub(super) const BAR: Style = AnsiColor::Cyan.on_default();
/// The style of warnings.
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default();

/// Returns a number as people read it: `512`, `1.5K`, `2M`.
pub(super) fn short(number: u64) -> String {
    // As sizes are said, without their unit.
    Size(number).to_string().trim_end_matches('B').to_owned()
}

/// Returns a time of RFC 3339 to the second, as people write it.
pub(super) fn to_the_second(time: &str) -> String {
    time.chars().take(19).map(|c| if c == 'T' { ' ' } else { c }).collect()
}
