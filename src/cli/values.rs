//! Parsers for the values of flags.

use std::num::ParseIntError;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
use clap::builder::{PossibleValuesParser, StringValueParser, TypedValueParser};
use tracing_subscriber::filter::Targets;

use super::config;
use crate::fit::{Client, Fit};
use crate::process::sandbox::Mode;
use crate::tools::ToolName;
use crate::wrap::KeepPart;

/// Minimum of `--max-image-bytes`.
const IMAGE_MIN_BYTES: u64 = 10_000;
/// Maximum of `--workers`.
const MAX_WORKERS: u64 = 256;

/// The values of `--sandbox` and `--keep`, with their names.
pub(super) const SANDBOXES: &[(&str, Mode)] =
    &[("read-only", Mode::ReadOnly), ("workspace-write", Mode::WorkspaceWrite), ("off", Mode::Off)];
pub(super) const PARTS: &[(&str, KeepPart)] =
    &[("head", KeepPart::Head), ("tail", KeepPart::Tail), ("ends", KeepPart::Ends)];
/// The values of `--key-lines` and `--outline`, of `--images`, `--env` and `--save`.
pub(super) const AUTO: &[(&str, bool)] = &[("auto", true), ("off", false)];
pub(super) const SHOWN: &[(&str, bool)] = &[("on", true), ("off", false)];
pub(super) const ENVIRONMENTS: &[(&str, bool)] = &[("inherited", false), ("filtered", true)];
pub(super) const SAVES: &[(&str, bool)] = &[("bash", false), ("all", true)];

/// Returns a parser that accepts these names.
pub(super) fn one_of<T: Copy + Send + Sync>(words: &'static [(&str, T)]) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word)).try_map(|given| {
        let found = words.iter().find(|(word, _)| *word == given);
        found.map(|(_, value)| *value).ok_or("not one of them")
    })
}

/// Returns an error if the value is 0.
fn not_zero<T: Default + PartialEq>(value: T) -> Result<T, String> {
    if value == T::default() { Err("must be above 0".to_owned()) } else { Ok(value) }
}

/// Parses a size above 0: `30000`, `30KB` (powers of 1000) or `50KiB` (powers of 1024).
pub(super) fn size(text: &str) -> Result<u64, String> {
    match text.trim().parse::<ByteSize>() {
        // The parser saturates: larger numbers become `u64::MAX`.
        Ok(ByteSize(u64::MAX)) | Err(_) => Err("not a size; use for example 30000, 30KB or 50KiB".to_owned()),
        Ok(ByteSize(bytes)) => not_zero(bytes),
    }
}

/// Parses the maximum size of an image. A smaller image than the minimum would not be recognizable.
pub(super) fn image_size(text: &str) -> Result<u64, String> {
    match size(text)? {
        bytes if bytes < IMAGE_MIN_BYTES => Err("must be at least 10KB".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Parses a number above 0.
pub(super) fn above_zero(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|error: ParseIntError| error.to_string()).and_then(not_zero)
}

/// Parses a number of threads. More would not make a search faster.
pub(super) fn workers(text: &str) -> Result<u64, String> {
    match above_zero(text)? {
        number if number > MAX_WORKERS => Err(format!("must be at most {MAX_WORKERS}")),
        number => Ok(number),
    }
}

/// Returns a parser for the name of a variable.
pub(super) fn variable() -> impl TypedValueParser<Value = String> {
    StringValueParser::new().map(|name| name.trim().to_owned())
}

/// Parses a duration above 0 with its unit: `7d`, `12h`, `30m`, `90s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text.trim()).map_err(|error| error.to_string()).and_then(not_zero)
}

/// Parses the id of a client profile, `auto` or `off`.
pub(super) fn fit(text: &str) -> Result<Fit, String> {
    match text.trim() {
        "auto" => Ok(Fit::Auto),
        "off" => Ok(Fit::Off),
        id => Client::of_id(id).map(Fit::Client).ok_or_else(|| {
            let ids: Vec<&str> = Client::measured().map(|client| client.id).collect();
            format!("not a client; there are auto, off, {}", ids.join(", "))
        }),
    }
}

/// Returns a parser for the clients of `cutline config`.
pub(super) fn client() -> impl TypedValueParser<Value = &'static Client> {
    PossibleValuesParser::new(config::clients().map(|client| client.id))
        .try_map(|id| config::clients().find(|client| client.id == id).ok_or("not one of them"))
}

/// Parses the name of a tool.
pub(super) fn tool(text: &str) -> Result<ToolName, String> {
    ToolName::of(text.trim()).ok_or_else(|| "not a tool; there are read, bash, grep, find, ls".to_owned())
}

/// Parses a log level for cutline's own lines, or a tracing filter.
pub(super) fn log_filter(text: &str) -> Result<Targets, String> {
    Ok(match tracing::Level::from_str(text.trim()) {
        Ok(level) => Targets::new().with_default(tracing::Level::ERROR).with_target("cutline", level),
        Err(_) => Targets::from_str(text.trim()).map_err(|error| error.to_string())?,
    })
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
            assert_eq!(size(text).map_err(|_| ()), expected, "{text}");
        }
    }

    #[test]
    fn workers_are_bounded() {
        assert_eq!(workers("256"), Ok(256));
        assert_eq!(workers("257"), Err("must be at most 256".to_owned()));
        assert!(workers("18446744073709551615").is_err());
    }

    #[test]
    fn times_as_people_write_them() {
        assert_eq!(duration("7d"), Ok(Duration::from_hours(7 * 24)));
        assert!(duration("7").unwrap_err().contains("unit"));
        assert!(duration("0s").is_err());
        assert!(duration("soon").is_err());
    }
}
