//! Sizes in words: `512B`, `50KB`, `52.4KB`, `1.5MB`. Powers of 1000.

use std::fmt;

/// A number of bytes that displays as people read it.
///
/// Under 1000 an integer, else one decimal, rounded half up, a trailing `.0` dropped.
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
        if self.0 < 1000 {
            return write!(f, "{}B", self.0);
        }
        let mut unit = 1000_u128;
        for name in UNITS {
            let tenths = (u128::from(self.0) * 10 + unit / 2) / unit;
            if tenths < 10_000 {
                return match (tenths / 10, tenths % 10) {
                    (whole, 0) => write!(f, "{whole}{name}"),
                    (whole, tenth) => write!(f, "{whole}.{tenth}{name}"),
                };
            }
            unit *= 1000;
        }
        write!(f, "{}B", self.0)
    }
}

/// A size beside the one it exceeds: where both would read alike, both are given in bytes.
///
/// ```
/// use cutline_core::text::{Size, SizePair};
/// let pair = SizePair::new(50_000, 30_000);
/// assert_eq!((pair.larger(), pair.smaller()), ("50KB".into(), "30KB".into()));
/// let close = SizePair::new(30_001, 30_000);
/// assert_eq!((close.larger(), close.smaller()), ("30001B".into(), "30000B".into()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizePair {
    larger: u64,
    smaller: u64,
}

impl SizePair {
    /// Returns `larger` beside `smaller`, both in bytes.
    pub fn new(larger: u64, smaller: u64) -> Self {
        Self { larger, smaller }
    }

    /// Returns the one that exceeds.
    pub fn larger(&self) -> String {
        self.word(self.larger)
    }

    /// Returns the one that is exceeded.
    pub fn smaller(&self) -> String {
        self.word(self.smaller)
    }

    fn word(&self, bytes: u64) -> String {
        let alike = Size(self.larger).to_string() == Size(self.smaller).to_string();
        if alike { format!("{bytes}B") } else { Size(bytes).to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_words() {
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
