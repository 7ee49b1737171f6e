//! The names of saved outputs, and the kind of output that a name indicates.

/// Number of random letters and digits in the name of a saved output.
const RANDOM_CHARS: usize = 12;
/// The bits of a random number that are in a name, four for each character.
const RANDOM_MASK: u64 = (1 << (4 * RANDOM_CHARS)) - 1;

/// The kind of a saved output. It determines the name: a prefix, a random part and an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SavedKind {
    /// The prefix of the name.
    pub start: &'static str,
    /// The extension of the name.
    pub end: &'static str,
}

impl SavedKind {
    /// The output of a command.
    pub const COMMAND: Self = Self { start: "cutline-bash-", end: ".log" };
    /// All matches of a `grep` call.
    pub const GREP: Self = Self { start: "cutline-grep-", end: ".txt" };
    /// All results of a `find` call.
    pub const FIND: Self = Self { start: "cutline-find-", end: ".txt" };
    /// All entries of a folder.
    pub const LS: Self = Self { start: "cutline-ls-", end: ".txt" };
    /// The input of `cutline truncate`.
    pub const FILTER: Self = Self { start: "cutline-truncate-", end: ".txt" };
    /// The text of another server's result.
    pub const WRAP_TEXT: Self = Self { start: "cutline-wrap-", end: ".txt" };
    /// The JSON of another server's result.
    pub const WRAP_JSON: Self = Self { start: "cutline-wrap-", end: ".json" };

    const ALL: [Self; 7] =
        [Self::COMMAND, Self::GREP, Self::FIND, Self::LS, Self::FILTER, Self::WRAP_TEXT, Self::WRAP_JSON];

    /// Returns the name of an output with a random number.
    pub(crate) fn name(self, random: u64) -> String {
        format!("{}{:0RANDOM_CHARS$x}{}", self.start, random & RANDOM_MASK, self.end)
    }
}

/// Returns true if `name` is the name of a saved output.
pub fn is_saved_name(name: &str) -> bool {
    SavedKind::ALL.into_iter().any(|kind| {
        let random = name.strip_prefix(kind.start).and_then(|rest| rest.strip_suffix(kind.end));
        random.is_some_and(|random| {
            random.len() == RANDOM_CHARS && random.chars().all(|c| c.is_ascii_alphanumeric())
        })
    })
}
