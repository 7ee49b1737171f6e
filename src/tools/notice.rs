//! The next calls that notices suggest, and the texts that replace an empty body. The notices are in [`cutline_core::notice`].

use cutline_core::truncate::Limit;

pub use cutline_core::notice::{Answer, ImageShown, Notice, PageOf, StoppedAt, Unit, WhySkipped};

/// The texts that replace an empty body.
pub mod empty {
    /// A command that printed nothing.
    pub const NO_OUTPUT: &str = "(no output)";
    /// A folder without entries.
    pub const NO_ENTRIES: &str = "(empty directory)";
    /// A search without matches.
    pub const NO_MATCHES: &str = "No matches found";
    /// A search for names without results.
    pub const NO_FILES: &str = "No files found matching pattern";
}

/// Returns the sentence for continuing after line `last`, or `None` if there are no more lines.
pub fn continue_after(last: u64, total: u64) -> Option<String> {
    (last < total).then(|| format!("Use offset={} to continue", last + 1))
}

/// How the model can read a line that is too long for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineHint {
    /// A shell command prints the start of the line.
    Shell {
        /// The path of the file, quoted for the shell.
        path: String,
    },
    /// Without a shell, or if the command would have to decode the file: search in the line, or continue after it.
    Tools {
        /// True if grep is registered.
        grep: bool,
        /// The number of the next line, if there is one.
        next: Option<u64>,
    },
}

impl LineHint {
    /// Returns the sentences for `line`, which exceeds `limit`, or `None` if there is no next call.
    pub fn sentences(&self, line: u64, limit: Limit) -> Option<String> {
        let bytes = match limit {
            // A token has at least one byte. A single line cannot exceed a line limit.
            Limit::Bytes(bytes) | Limit::Tokens(bytes) | Limit::Lines(bytes) => bytes,
            // In JSON, text without control characters takes at most twice as many bytes.
            Limit::Json(bytes) => bytes / 2,
        };
        match self {
            Self::Shell { path } => {
                let command = match line {
                    1 => format!("head -c {bytes} {path}"),
                    _ => format!("sed -n '{line}p' {path} | head -c {bytes}"),
                };
                let to_read = if line == 1 { " to read" } else { "" };
                Some(format!("Use bash{to_read}: {command}"))
            }
            Self::Tools { grep, next } => {
                let grep = grep.then(|| "Use grep to see parts of it".to_owned());
                let next = next.map(|next| format!("Use offset={next} to continue"));
                let sentences: Vec<String> = grep.into_iter().chain(next).collect();
                (!sentences.is_empty()).then(|| sentences.join(". "))
            }
        }
    }
}

/// How the model can see the complete text of truncated lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullLines {
    /// The tool that reads files.
    Read,
    /// The tools that show parts of long lines.
    Tools {
        /// True if grep is registered.
        grep: bool,
        /// True if bash is registered.
        bash: bool,
    },
}

impl FullLines {
    /// Returns the sentence, or `None` if no tool can show the lines.
    pub fn sentence(self) -> Option<String> {
        let sentence = match self {
            Self::Read => "Use read tool to see full lines",
            Self::Tools { grep: true, bash: true } => "Use grep or bash to see the rest",
            Self::Tools { grep: true, bash: false } => "Use grep to see the rest",
            Self::Tools { grep: false, bash: true } => "Use bash to see the rest",
            Self::Tools { grep: false, bash: false } => return None,
        };
        Some(sentence.to_owned())
    }
}

#[cfg(test)]
mod tests;
