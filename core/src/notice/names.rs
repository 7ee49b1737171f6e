//! Names in a notice: the first few, and how many there are.

use std::fmt;

use crate::text::show;

/// Names that a notice lists before it only counts.
pub const NAMES_LISTED: usize = 3;
/// Bytes that the names of one list may take together; the first is always named.
const LIST_BYTES: usize = 300;

/// Counts names, and keeps the first ones.
///
/// ```
/// use cutline_core::notice::Names;
/// let mut names = Names::default();
/// for name in ["a", "b", "c", "d"] {
///     names.push(name);
/// }
/// assert_eq!((names.count(), names.to_string()), (4, "a, b, c".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    first: Vec<String>,
    count: u64,
}

impl Names {
    /// Counts a name, and keeps it where there is room.
    pub fn push(&mut self, name: &str) {
        self.count += 1;
        if self.first.len() < NAMES_LISTED {
            self.first.push(show::path(name).into_owned());
        }
    }

    /// Returns the number of names.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// True if there was none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = 0;
        for (n, name) in self.first.iter().enumerate() {
            bytes += name.len();
            if n > 0 && bytes > LIST_BYTES {
                break;
            }
            let comma = if n > 0 { ", " } else { "" };
            write!(f, "{comma}{name}")?;
        }
        Ok(())
    }
}
