//! The names of saved outputs: which kind one is of, and which names are theirs.

/// The origin of a saved output, which its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedKind {
    /// A command's output.
    Command,
    /// All matches of a grep.
    Grep,
    /// All results of a find.
    Find,
    /// All entries of a folder.
    Ls,
    /// The input of `cutline truncate`.
    Filter,
    /// The text of another server's result.
    WrapText,
    /// The JSON of another server's result.
    WrapJson,
}

/// Random letters and digits in the name of a saved output.
pub const SAVED_RANDOM_CHARS: usize = 12;

impl SavedKind {
    /// All kinds.
    const ALL: [Self; 7] =
        [Self::Command, Self::Grep, Self::Find, Self::Ls, Self::Filter, Self::WrapText, Self::WrapJson];

    /// Returns the start and the end of a name; the random part stands between them.
    pub fn name_parts(self) -> (&'static str, &'static str) {
        match self {
            Self::Command => ("cutline-bash-", ".log"),
            Self::Grep => ("cutline-grep-", ".txt"),
            Self::Find => ("cutline-find-", ".txt"),
            Self::Ls => ("cutline-ls-", ".txt"),
            Self::Filter => ("cutline-truncate-", ".txt"),
            Self::WrapText => ("cutline-wrap-", ".txt"),
            Self::WrapJson => ("cutline-wrap-", ".json"),
        }
    }
}

/// True if `name` is one that a saved output has.
pub fn is_saved_name(name: &str) -> bool {
    SavedKind::ALL.into_iter().any(|kind| {
        let (start, end) = kind.name_parts();
        let random = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        random.is_some_and(|random| {
            random.len() == SAVED_RANDOM_CHARS && random.chars().all(|c| c.is_ascii_alphanumeric())
        })
    })
}
