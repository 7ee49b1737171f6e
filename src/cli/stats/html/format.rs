//! Formats numbers and times of the page.

/// Returns the label of a tenth of the limit, such as `10-19`.
pub(super) fn tenth(n: usize) -> String {
    let last = if n == 9 { 100 } else { n * 10 + 9 };
    format!("{}–{last}", n * 10)
}

/// Returns the label of a column's start: the day, or the time with or without seconds.
pub(super) fn tick(start: &str, starts: &[&str], span_ms: u64) -> String {
    let part = |from: usize, to: usize| start.chars().take(to).skip(from).collect();
    let day = |start: &&str| start.chars().take(10).collect::<String>();
    let mut days: Vec<_> = starts.iter().map(day).collect();
    days.dedup();
    match span_ms {
        _ if days.len() > 2 => part(5, 10),
        0..60_000 => part(11, 19),
        _ => part(11, 16),
    }
}

/// Formats a number with its digits in groups of three.
pub(super) fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let groups = whole.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",") + rest
}

/// Escapes a name for a JSON pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
