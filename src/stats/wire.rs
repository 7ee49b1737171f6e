//! Formats values of a record for JSON.

/// Formats a time as RFC 3339, in UTC, to the millisecond.
pub mod rfc3339 {
    use std::time::{Duration, UNIX_EPOCH};

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    /// The last millisecond of the year 9999.
    const MAX_MS: u64 = 253_402_300_799_999;

    /// Formats a time in milliseconds since 1970. A time after the year 9999 becomes the end of that year.
    ///
    /// ```
    /// assert_eq!(cutline::stats::rfc3339::format(1_795_168_800_250), "2026-11-20T10:00:00.250Z");
    /// ```
    pub fn format(time_ms: u64) -> String {
        let time = UNIX_EPOCH + Duration::from_millis(time_ms.min(MAX_MS));
        humantime::format_rfc3339_millis(time).to_string()
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    pub(in crate::stats) fn serialize<S: Serializer>(time_ms: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format(*time_ms))
    }

    pub(in crate::stats) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        let time = humantime::parse_rfc3339(&text).map_err(D::Error::custom)?;
        let since = time.duration_since(UNIX_EPOCH).map_err(D::Error::custom)?;
        u64::try_from(since.as_millis()).map_err(D::Error::custom)
    }
}

/// Formats a duration in milliseconds, to the microsecond.
pub mod milliseconds {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    /// Converts a duration to milliseconds.
    pub fn of(duration: Duration) -> f64 {
        (duration.as_secs_f64() * 1e6).round() / 1e3
    }

    pub(in crate::stats) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(of(*duration))
    }

    pub(in crate::stats) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let milliseconds = f64::deserialize(from)?;
        // Rounded, so that reading returns the written value.
        let duration = Duration::try_from_secs_f64((milliseconds * 1e3).round() / 1e6);
        duration.map_err(D::Error::custom)
    }
}
