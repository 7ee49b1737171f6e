//! The values of flags, in the units that people write.

use std::str::FromStr;
use std::time::Duration;

use tracing_subscriber::filter::Targets;

use crate::fit::{CLIENTS, Client, Fit};
use crate::tools::ToolName;

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bytes(pub(super) u64);

/// The fewest bytes to which images can be limited.
const IMAGE_MIN_BYTES: u64 = 10_000;

/// A size: `30000`, `30KB` (powers of 1000), `50KiB` (powers of 1024); above 0.
pub(super) fn size(text: &str) -> Result<Bytes, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1000,
        "m" | "mb" => 1000_u64.pow(2),
        "g" | "gb" => 1000_u64.pow(3),
        "t" | "tb" => 1000_u64.pow(4),
        "kib" => 1024,
        "mib" => 1024_u64.pow(2),
        "gib" => 1024_u64.pow(3),
        "tib" => 1024_u64.pow(4),
        unit => return Err(format!("{unit} is no unit of size; give 30000, 30KB or 50KiB")),
    };
    let bytes = match number.parse::<u64>() {
        Ok(whole) => whole.checked_mul(unit),
        Err(_) => decimal(number, unit),
    };
    match bytes {
        Some(0) => Err("must be above 0".to_owned()),
        Some(bytes) => Ok(Bytes(bytes)),
        None => Err("not a size; give 30000, 30KB or 50KiB".to_owned()),
    }
}

/// The size of an image that is shown: one of fewer bytes could not be recognised.
pub(super) fn image_size(text: &str) -> Result<Bytes, String> {
    match size(text)? {
        Bytes(bytes) if bytes < IMAGE_MIN_BYTES => Err("must be at least 10KB".to_owned()),
        bytes => Ok(bytes),
    }
}

/// `1.5` of a unit, in bytes.
fn decimal(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.')?;
    let places = u32::try_from(fraction.len()).ok().filter(|places| *places <= 9)?;
    let part = fraction.parse::<u64>().ok()?.checked_mul(unit)? / 10_u64.pow(places);
    whole.parse::<u64>().ok()?.checked_mul(unit)?.checked_add(part)
}

/// A number above 0.
pub(super) fn above_zero(text: &str) -> Result<u64, String> {
    match text.trim().parse::<u64>() {
        Ok(0) => Err("must be above 0".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// A span of time above 0: `7d`, `12h`, `30m`, `90s`, or seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let parsed = match text.trim().parse::<u64>() {
        Ok(secs) => Duration::from_secs(secs),
        Err(_) => humantime::parse_duration(text.trim()).map_err(|error| error.to_string())?,
    };
    if parsed.is_zero() { Err("must be above 0".to_owned()) } else { Ok(parsed) }
}

/// A client of the table of fits, `auto` or `off`.
pub(super) fn fit(text: &str) -> Result<Fit, String> {
    match text.trim() {
        "auto" => Ok(Fit::Auto),
        "off" => Ok(Fit::Off),
        id => Client::of_id(id).map(Fit::Client).ok_or_else(|| {
            let ids: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
            format!("not a client; there are auto, off, {}", ids.join(", "))
        }),
    }
}

/// A tool's name.
pub(super) fn tool(text: &str) -> Result<ToolName, String> {
    ToolName::of(text.trim()).ok_or_else(|| "not a tool; there are read, bash, grep, find, ls".to_owned())
}

/// The filter of the log.
#[derive(Debug, Clone)]
pub(super) struct LogFilter(pub(super) Targets);

/// A level for cutline's own lines, or a whole filter.
pub(super) fn log_filter(text: &str) -> Result<LogFilter, String> {
    let filter = match tracing::Level::from_str(text.trim()) {
        Ok(level) => Targets::new().with_default(tracing::Level::ERROR).with_target("cutline", level),
        Err(_) => Targets::from_str(text.trim()).map_err(|error| error.to_string())?,
    };
    Ok(LogFilter(filter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_people_write_them() {
        let cases = [
            ("30000", Ok(30_000)),
            ("30KB", Ok(30_000)),
            ("50KiB", Ok(51_200)),
            ("1.5mb", Ok(1_500_000)),
            ("1 GiB", Ok(1 << 30)),
            ("0", Err(())),
            ("0.0KB", Err(())),
            ("-1", Err(())),
            ("KB", Err(())),
            ("5 bananas", Err(())),
            ("99999999999999TB", Err(())),
        ];
        for (text, expected) in cases {
            assert_eq!(size(text).map(|bytes| bytes.0).map_err(|_| ()), expected, "{text}");
        }
    }

    #[test]
    fn times_as_people_write_them() {
        assert_eq!(duration("7d"), Ok(Duration::from_hours(7 * 24)));
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert!(duration("0s").is_err());
        assert!(duration("soon").is_err());
    }
}
