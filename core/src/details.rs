//! The facts of an answer as data: every field's name, once.
//!
//! Details go to the client beside the text, as `_meta.details` of the result. They repeat what the
//! notices say and add what is not worth the model's context. Keys are in camelCase; a fact that
//! does not apply is absent.

use serde::Serialize;

use crate::notice::FileChange;
use crate::text::Extent;
use crate::text::tokens::{BYTES_PER_TOKEN, estimate, extrapolate};
use crate::truncate::{Bounds, KeyLine, Partial, TruncatedBy, Truncation};

/// Defines a struct of facts, of which one that does not apply is `None` and left out.
macro_rules! facts {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $fact:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Default, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $fact: Option<$kind>,)*
        }
    };
}

facts! {
    /// The facts of one answer.
    ///
    /// ```
    /// use cutline_core::details::Details;
    /// let details = Details { next_offset: Some(2001), ..Details::default() };
    /// assert_eq!(serde_json::to_string(&details).unwrap(), r#"{"nextOffset":2001}"#);
    /// ```
    pub struct Details {
        /// The cut by a line or byte limit.
        pub truncation: TruncationDetails,
        /// The reason and the counts of that cut.
        pub truncation_info: TruncationInfo,
        /// That the first line of another server's result is shown in part.
        pub first_line_partial: bool,
        /// The `offset` of the call that continues.
        pub next_offset: u64,
        /// Lines in the file.
        pub total_lines: u64,
        /// That there may be more than a total says that is not in `truncation`: the deadline ended the count.
        pub total_is_lower_bound: bool,
        /// The encoding of the file, if that is not valid UTF-8.
        pub encoding: String,
        /// The ending of the lines shown, if that is not `\n` alone.
        pub line_ending: &'static str,
        /// False where a page of white space is followed by a notice, and its last line has no newline.
        pub final_newline: bool,
        /// An image's type.
        pub mime_type: &'static str,
        /// An image's width in pixels, as it is on disk.
        pub width: u32,
        /// An image's height in pixels, as it is on disk.
        pub height: u32,
        /// A command's exit code; 128 and the signal's number where a signal ended it.
        pub exit_code: i32,
        /// The exit codes of a command's last pipeline, if a stage before the last one failed.
        pub pipeline_exit_codes: Vec<i32>,
        /// The signal that ended a command.
        pub signal: &'static str,
        /// That a command was ended by its timeout, or a search, a listing or a count of lines by its deadline.
        pub timed_out: bool,
        /// The seconds that a command may run, if the call gave a timeout.
        pub timeout_seconds: u64,
        /// The duration of a command, in milliseconds.
        pub duration_ms: u64,
        /// Lines left out between the first and the last.
        pub omitted_lines: u64,
        /// The path of the whole output.
        pub full_output_path: String,
        /// The path of the whole structured content of another server's result, if that is another value than the text.
        pub structured_output_path: String,
        /// Bytes in that file, where it does not hold all.
        pub full_output_bytes: u64,
        /// The reason for which the whole output could not be saved.
        pub spill_error: String,
        /// That the structured content of another server's result may not be what the tool's output schema promises.
        pub schema_may_not_hold: bool,
        /// True if the command goes on after the answer.
        pub still_running: bool,
        /// Processes that outlive the command and hold its output.
        pub background_pids: Vec<u32>,
        /// Files that a sandboxed command created or changed, and that start programs outside the sandbox.
        pub autorun_files: Vec<AutorunFile>,
        /// Match lines shown, or files by mode.
        pub matches: u64,
        /// Match lines in all, or files by mode, where the search went on to its end.
        pub total_matches: u64,
        /// The call's limit of matches, where there were more.
        pub match_limit_reached: u64,
        /// That long lines were cut.
        pub lines_truncated: bool,
        /// The number of files that a search passed over.
        pub skipped: Skipped,
        /// The call's limit of results, where there were more.
        pub result_limit_reached: u64,
        /// Results in all, where the search went on to its end.
        pub total_results: u64,
        /// The call's limit of entries, where there were more.
        pub entry_limit_reached: u64,
        /// Entries in the folder.
        pub total_entries: u64,
    }
}

/// A file that a sandboxed command created or changed, and that starts programs outside the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AutorunFile {
    /// Its path, as the notice shows it.
    pub path: String,
    /// What happened to it.
    pub change: FileChange,
}

impl Details {
    /// Says that a limit of lines, bytes or tokens cut the answer to `shown`, and what was counted: lines. A caller that
    /// counts other things puts its own numbers into what is returned.
    ///
    /// ```
    /// use cutline_core::details::{Details, TruncationDetails, TruncationReason};
    /// use cutline_core::truncate::{Bounds, Keep, truncate};
    /// let kept = truncate("a\nb\nc\n", Bounds::new(2, 100), Keep::Head);
    /// let cut = TruncationDetails::of(&kept, kept.total, Bounds::new(2, 100)).unwrap();
    /// let mut details = Details::default();
    /// let info = details.add_cut(cut, &kept.content);
    /// assert_eq!((info.original_count, info.returned_count), (3, 2));
    /// assert_eq!(info.reason, TruncationReason::LineLimit);
    /// ```
    pub fn add_cut(&mut self, truncation: TruncationDetails, shown: &str) -> &mut TruncationInfo {
        let info = TruncationInfo {
            reason: match truncation.truncated_by {
                _ if truncation.first_line_exceeds_limit || truncation.last_line_partial => {
                    TruncationReason::SingleResultTooLarge
                }
                TruncatedBy::Lines => TruncationReason::LineLimit,
                TruncatedBy::Bytes => TruncationReason::ByteLimit,
                TruncatedBy::Tokens => TruncationReason::TokenLimit,
            },
            original_count: truncation.total_lines,
            returned_count: truncation.output_lines,
            estimated_chars: chars_in_all(shown, truncation.total_bytes),
            limit_chars: truncation.max_bytes,
            estimated_tokens: truncation.total_estimated_tokens,
            limit_tokens: truncation.limit_tokens,
        };
        self.truncation = Some(truncation);
        self.truncation_info.insert(info)
    }
}

/// The cut of an answer, counted in what it consists of: lines, matches, names, items, blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TruncationInfo {
    /// The limit, or that one thing alone is over it.
    pub reason: TruncationReason,
    /// Number of them in the original; in another server's result, of those that were cut first.
    pub original_count: u64,
    /// Number of them in the answer.
    pub returned_count: u64,
    /// Characters of the original, about.
    pub estimated_chars: u64,
    /// Characters that the limit allows, about.
    pub limit_chars: u64,
    /// Tokens of the original, about.
    pub estimated_tokens: u64,
    /// Tokens that the limit allows, about.
    pub limit_tokens: u64,
}

/// Returns the number of characters of a text of `total_bytes`, about, of which `part` is a part.
fn chars_in_all(part: &str, total_bytes: u64) -> u64 {
    let (chars, bytes) = (part.chars().count() as u128, part.len() as u128);
    if bytes == 0 {
        return total_bytes;
    }
    u64::try_from(u128::from(total_bytes) * chars / bytes).unwrap_or(u64::MAX)
}

/// The reason for which an answer was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TruncationReason {
    /// The limit of bytes was reached.
    ByteLimit,
    /// The limit of lines was reached.
    LineLimit,
    /// The limit of tokens was reached.
    TokenLimit,
    /// One line, match, name or item alone is over the limit.
    SingleResultTooLarge,
}

facts! {
    /// The number of files that a search passed over.
    pub struct Skipped {
        /// Files that are not text.
        pub binary: u64,
        /// Files with a line too long to search, or too large for a search across lines.
        pub too_long: u64,
        /// Files and folders that could not be read.
        pub unreadable: u64,
        /// Folders whose ignore rules were left aside.
        pub ignore_rules: u64,
    }
}

/// True for 0 and for false, which are not said.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The cut of a text by a line or byte limit.
///
/// ```
/// use cutline_core::details::TruncationDetails;
/// use cutline_core::truncate::{Bounds, Keep, truncate};
/// let bounds = Bounds::new(2, 100);
/// let kept = truncate("a\nb\nc\n", bounds, Keep::Head);
/// let details = TruncationDetails::of(&kept, kept.total, bounds).unwrap();
/// let json = serde_json::to_value(details).unwrap();
/// assert_eq!((&json["truncatedBy"], &json["totalLines"]), (&"lines".into(), &3.into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TruncationDetails {
    /// Always true: where nothing was cut there are no such details.
    pub truncated: bool,
    /// The limit that was reached first.
    pub truncated_by: TruncatedBy,
    /// Lines in all.
    pub total_lines: u64,
    /// Bytes in all.
    pub total_bytes: u64,
    /// Lines in the body.
    pub output_lines: u64,
    /// Bytes in the body.
    pub output_bytes: u64,
    /// The limit of lines.
    pub max_lines: u64,
    /// The limit of bytes.
    pub max_bytes: u64,
    /// True if the body ends (or, if only a start is kept, begins) with a part of a line; else absent.
    #[serde(skip_serializing_if = "is_default")]
    pub last_line_partial: bool,
    /// True if the first line alone is over the limit, and the body empty for it; else absent.
    #[serde(skip_serializing_if = "is_default")]
    pub first_line_exceeds_limit: bool,
    /// Tokens in the body, about ([`estimate`]).
    pub estimated_tokens: u64,
    /// Tokens in all, about: those left out as many to a byte as in the body.
    pub total_estimated_tokens: u64,
    /// The limit of tokens; without one, those that the limit of bytes allows, about.
    pub limit_tokens: u64,
    /// True if there is more than the totals say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_is_lower_bound: Option<bool>,
    /// Lines of the body from the part that was omitted, because they say what is wrong.
    #[serde(skip_serializing_if = "is_default")]
    pub key_lines: Vec<KeyLine>,
}

impl TruncationDetails {
    /// Returns the details of a text that was cut; `None` if it was not.
    ///
    /// `total` is what the text came from: the file on disk, the raw stream. `bounds` are the limits in force.
    pub fn of(truncation: &Truncation, total: Extent, bounds: Bounds) -> Option<Self> {
        let cut = truncation.cut?;
        let tokens = estimate(&truncation.content);
        Some(Self {
            last_line_partial: cut.partial == Some(Partial::LastLine),
            first_line_exceeds_limit: truncation.output.lines == 0 || cut.partial == Some(Partial::FirstLine),
            key_lines: truncation.key_lines.clone(),
            ..Self::new(cut.by, truncation.output, tokens, total, bounds)
        })
    }

    /// Returns the details of a cut of which only whole lines are left: `output` with `tokens` of `total`.
    pub fn new(by: TruncatedBy, output: Extent, tokens: u64, total: Extent, bounds: Bounds) -> Self {
        let left_out = total.bytes.saturating_sub(output.bytes);
        Self {
            truncated: true,
            truncated_by: by,
            total_lines: total.lines,
            total_bytes: total.bytes,
            output_lines: output.lines,
            output_bytes: output.bytes,
            max_lines: bounds.lines,
            max_bytes: bounds.bytes,
            last_line_partial: false,
            first_line_exceeds_limit: false,
            estimated_tokens: tokens,
            total_estimated_tokens: tokens + extrapolate(left_out, output.bytes, tokens),
            limit_tokens: bounds.tokens.unwrap_or(bounds.bytes / BYTES_PER_TOKEN),
            total_is_lower_bound: None,
            key_lines: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chars_of_all_are_as_dense_as_those_of_a_part() {
        assert_eq!(
            (chars_in_all("abc", 300), chars_in_all("éé", 300), chars_in_all("", 300)),
            (300, 150, 300)
        );
    }
}
