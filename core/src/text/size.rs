//! Sizes for people: `512B`, `50KB`, `52.4KB`, `1.5MB`. The units are powers of 1000.

use std::fmt;

/// A number of bytes, displayed with a unit.
///
/// A number below 1000 is an integer. Others have one decimal, rounded half up, without a trailing `.0`.
///
/// ```
/// use cutline_core::text::Size;
/// assert_eq!(Size(512).to_string(), "512B");
/// assert_eq!(Size(52_449).to_string(), "52.4KB");
/// assert_eq!(Size(999_950).to_string(), "1MB"); // never 1000KB
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

const UNITS: [&str; 6] = ["KB", "MB", "GB", "TB", "PB", "EB"];

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = |unit: u128| (u128::from(self.0) * 10 + unit / 2) / unit;
        let mut units = UNITS.into_iter().zip(1..).map(|(name, power)| (name, tenths(1000_u128.pow(power))));
        match units.find(|(_, tenths)| *tenths < 10_000) {
            Some((name, tenths)) if self.0 >= 1000 => match (tenths / 10, tenths % 10) {
                (whole, 0) => write!(f, "{whole}{name}"),
                (whole, tenth) => write!(f, "{whole}.{tenth}{name}"),
            },
            _ => write!(f, "{}B", self.0),
        }
    }
}

impl Size {
    /// Returns the texts of this size and of a smaller one. If both texts would be equal, both are in bytes.
    ///
    /// ```
    /// use cutline_core::text::Size;
    /// assert_eq!(Size(50_000).beside(30_000), ("50KB".into(), "30KB".into()));
    /// assert_eq!(Size(30_001).beside(30_000), ("30001B".into(), "30000B".into()));
    /// ```
    pub fn beside(self, smaller: u64) -> (String, String) {
        match (self.to_string(), Size(smaller).to_string()) {
            (words, same) if words == same => (format!("{}B", self.0), format!("{smaller}B")),
            words => words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let cases = [
            (0, "0B"),
            (999, "999B"),
            (1000, "1KB"),
            (1049, "1KB"),
            (1050, "1.1KB"),
            (30_000, "30KB"),
            (51_200, "51.2KB"),
            (999_949, "999.9KB"),
            (999_950, "1MB"),
            (1_500_000, "1.5MB"),
            (1_000_000_000, "1GB"),
            (999_999_999_999, "1TB"),
            (u64::MAX, "18.4EB"),
        ];
        for (bytes, words) in cases {
            assert_eq!(Size(bytes).to_string(), words, "{bytes}");
        }
    }
}
