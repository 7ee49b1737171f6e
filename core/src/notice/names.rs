//! Names in a notice: the first few, and how many there are.

use derive_more::Display;

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
#[derive(Debug, Clone, PartialEq, Eq, Default, Display)]
#[display("{}", first.join(", "))]
pub struct Names {
    first: Vec<String>,
    count: u64,
}

impl Names {
    /// Counts a name, and stores it if there is room for it and for all names before it.
    pub fn push(&mut self, name: &str) {
        if self.count == self.first.len() as u64 && self.first.len() < NAMES_LISTED {
            let name = show::path(name);
            let bytes: usize = self.first.iter().map(String::len).sum();
            if self.first.is_empty() || bytes + name.len() <= LIST_BYTES {
                self.first.push(name);
            }
        }
        self.count += 1;
    }

    /// Returns the number of names.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns how many names it does not list; `None` if it lists all.
    pub fn unlisted(&self) -> Option<u64> {
        self.count.checked_sub(self.first.len() as u64).filter(|more| *more > 0)
    }

    /// True if there was none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
