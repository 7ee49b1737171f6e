//! The facts of a result as data.
//!
//! The client receives details in addition to the text, as `_meta.details` of the result. They have the facts of the notices,
//! and further facts that are not worth space in the context of the model. Keys are in camelCase. A fact that does not apply
//! is absent.

use std::ops::Not;

use serde::Serialize;

use crate::notice::FileChange;
use crate::outline::OutlineEntry;
use crate::text::Extent;
use crate::text::tokens::{BYTES_PER_TOKEN, estimate, extrapolate};
use crate::truncate::{Bounds, Cut, KeyLine, Partial, TruncatedBy, Truncation};

/// Defines a struct of facts. A fact that does not apply is `None` and is not serialized.
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
    /// The facts of one result.
    ///
    /// ```
    /// use cutline_core::details::Details;
    /// let details = Details { next_offset: Some(2001), ..Details::default() };
    /// assert_eq!(serde_json::to_string(&details).unwrap(), r#"{"nextOffset":2001}"#);
    /// ```
    pub struct Details {
        /// The cut by a limit of lines, bytes or tokens; not if the `limit` of a call ended a page.
        pub truncation: TruncationDetails,
        /// The reason and the counts of that cut.
        pub truncation_info: TruncationInfo,
        /// The `offset` of the call that continues.
        pub next_offset: u64,
        /// Lines in the file, if the `limit` of the call ended the page.
        pub total_lines: u64,
        /// True if a total outside `truncation` is a lower bound, because the deadline or a bound ended the count.
        pub total_is_lower_bound: bool,
        /// Definitions in the part of a source file after the page.
        pub outline: Vec<OutlineEntry>,
        /// The number of such definitions that `outline` does not list.
        pub outline_more: u64,
        /// The encoding of the file, if that is not valid UTF-8.
        pub encoding: String,
        /// The line ending of the shown lines, if it is not `\n`: `crlf`, `mixed` or `cr`.
        pub line_ending: &'static str,
        /// False if a notice follows the end of a file that has no final newline.
        pub final_newline: bool,
        /// An image's type.
        pub mime_type: &'static str,
        /// An image's width in pixels, as it is on disk.
        pub width: u32,
        /// An image's height in pixels, as it is on disk.
        pub height: u32,
        /// The exit code of a command. If a signal ended it, 128 plus the number of the signal.
        pub exit_code: i32,
        /// The exit codes of a command's last pipeline, if a stage before the last one failed.
        pub pipeline_exit_codes: Vec<i32>,
        /// The exit codes of the first earlier pipelines in which a stage before the last one failed.
        pub earlier_pipelines: Vec<Vec<i32>>,
        /// The signal that ended a command.
        pub signal: &'static str,
        /// True if a timeout ended a command, or the deadline ended a search, a listing or a count of lines.
        pub timed_out: bool,
        /// The seconds that a command may run, if the call gave a timeout.
        pub timeout_seconds: u64,
        /// The duration of a command, in milliseconds.
        pub duration_ms: u64,
        /// Lines that are not shown, if the start and the end of an output were to be kept and it was cut.
        pub omitted_lines: u64,
        /// The path of the saved output.
        pub full_output_path: String,
        /// The number of bytes of the saved output, if a part is not saved.
        pub full_output_bytes: u64,
        /// The reason why the full output is not saved.
        pub spill_error: String,
        /// True if the command keeps running after the result.
        pub still_running: bool,
        /// Processes that outlive the command and keep its output open.
        pub background_pids: Vec<u32>,
        /// The first files that a sandboxed command created or changed, and that start programs outside the sandbox.
        pub autorun_files: Vec<AutorunFile>,
        /// Number of match lines shown, or of files, depending on the mode.
        pub matches: u64,
        /// Number of all match lines, or of all files, if there are more than are shown, or if they are ranked.
        pub total_matches: u64,
        /// The limit of matches, given or by default, if it ended the page.
        pub match_limit_reached: u64,
        /// True if long lines were cut.
        pub lines_truncated: bool,
        /// What the search did not read completely.
        pub skipped: Skipped,
        /// The limit of results, given or by default, if it ended the page.
        pub result_limit_reached: u64,
        /// Number of all results, if there are more than are shown, or if they are ranked.
        pub total_results: u64,
        /// The limit of entries, given or by default, if it ended the page.
        pub entry_limit_reached: u64,
        /// Number of entries of the folder.
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
    /// Adds the facts of a cut. `total` is the size of the source of the text: the file on disk or the raw stream. It
    /// is a lower bound if `is_at_least`. `bounds` are the limits. Returns the counts, or `None` if nothing was cut.
    /// The counts are lines. A caller that counts other things replaces them.
    ///
    /// ```
    /// use cutline_core::details::Details;
    /// use cutline_core::truncate::{Bounds, Keep, truncate};
    /// let bounds = Bounds::new(2, 100);
    /// let kept = truncate("a\nb\nc\n", bounds, Keep::Head);
    /// let mut details = Details::default();
    /// let info = details.add_cut(&kept, kept.total, false, bounds).unwrap();
    /// assert_eq!((info.original_count, info.returned_count, info.reason), (3, 2, "line_limit"));
    /// let json = serde_json::to_value(details).unwrap();
    /// assert_eq!(json["truncation"]["truncatedBy"], "lines");
    /// assert_eq!(json["truncation"]["totalLines"], 3);
    /// ```
    pub fn add_cut(
        &mut self,
        kept: &Truncation,
        total: Extent,
        is_at_least: bool,
        bounds: Bounds,
    ) -> Option<&mut TruncationInfo> {
        let Cut { by, partial, .. } = kept.cut?;
        let (output, tokens) = (kept.output, estimate(&kept.content));
        let left_out = total.bytes.saturating_sub(output.bytes);
        let truncation = TruncationDetails {
            truncated: true,
            truncated_by: by,
            total_lines: total.lines,
            total_bytes: total.bytes,
            output_lines: output.lines,
            output_bytes: output.bytes,
            max_lines: bounds.lines,
            max_bytes: bounds.bytes,
            last_line_partial: partial == Some(Partial::LastLine),
            first_line_exceeds_limit: output.lines == 0 || partial == Some(Partial::FirstLine),
            estimated_tokens: tokens,
            total_estimated_tokens: tokens + extrapolate(left_out, output.bytes, tokens),
            limit_tokens: bounds.tokens.unwrap_or(bounds.bytes / BYTES_PER_TOKEN),
            total_is_lower_bound: is_at_least.then_some(true),
            key_lines: kept.key_lines.clone(),
        };
        let info = TruncationInfo {
            reason: match by {
                _ if output.lines == 0 || partial.is_some() => SINGLE_RESULT_TOO_LARGE,
                TruncatedBy::Lines => "line_limit",
                TruncatedBy::Bytes => "byte_limit",
                TruncatedBy::Tokens => "token_limit",
            },
            original_count: total.lines,
            returned_count: output.lines,
            estimated_chars: chars_in_all(&kept.content, total.bytes),
            limit_chars: bounds.bytes,
            estimated_tokens: truncation.total_estimated_tokens,
            limit_tokens: truncation.limit_tokens,
        };
        self.truncation = Some(truncation);
        Some(self.truncation_info.insert(info))
    }
}

/// The reason for a cut if a single line, match, name or item is over the limit.
pub const SINGLE_RESULT_TOO_LARGE: &str = "single_result_too_large";

/// The cut of a result, counted in its parts: lines, matches, names, items or blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TruncationInfo {
    /// The reason for the cut: `line_limit`, `byte_limit`, `token_limit` or [`SINGLE_RESULT_TOO_LARGE`].
    pub reason: &'static str,
    /// Number of parts of the original. For a wrapped server, of the part of the result that was cut first.
    pub original_count: u64,
    /// Number of parts of the result.
    pub returned_count: u64,
    /// Characters of the original, estimated.
    pub estimated_chars: u64,
    /// Characters that the limit allows, estimated.
    pub limit_chars: u64,
    /// Tokens of the original, estimated.
    pub estimated_tokens: u64,
    /// Tokens that the limit allows, estimated.
    pub limit_tokens: u64,
}

/// Returns the estimated number of characters of a text of `total_bytes`, from its part `part`.
fn chars_in_all(part: &str, total_bytes: u64) -> u64 {
    let (chars, bytes) = (part.chars().count() as u128, part.len() as u128);
    if bytes == 0 {
        return total_bytes;
    }
    u64::try_from(u128::from(total_bytes) * chars / bytes).unwrap_or(u64::MAX)
}

facts! {
    /// How many files and folders a search did not read completely.
    pub struct Skipped {
        /// Files that are not text.
        pub binary: u64,
        /// Files that have a line too long to search, or that are too large for a search across lines.
        pub too_long: u64,
        /// Files and folders that could not be read.
        pub unreadable: u64,
        /// Files of which a part has another encoding and was not searched.
        pub mixed: u64,
        /// Folders with ignore rules that were not applied.
        pub ignore_rules: u64,
    }
}

/// The cut of a text by a limit of lines, bytes or tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TruncationDetails {
    /// Always true. These details are absent if nothing was cut.
    pub truncated: bool,
    /// The limit that was reached first.
    pub truncated_by: TruncatedBy,
    /// All lines of the source.
    pub total_lines: u64,
    /// All bytes of the source, as they are in the file or the raw stream.
    pub total_bytes: u64,
    /// Lines in the body, without the markers between them.
    pub output_lines: u64,
    /// Bytes of UTF-8 in the body, without the markers.
    pub output_bytes: u64,
    /// The limit of lines. Key lines can be beyond it ([`KeySpace::Beside`](crate::truncate::KeySpace::Beside)).
    pub max_lines: u64,
    /// The limit of bytes, which can be those of the body as JSON ([`BytesAs`](crate::truncate::BytesAs)).
    pub max_bytes: u64,
    /// True if the end of the last line is shown alone. Absent otherwise.
    #[serde(skip_serializing_if = "Not::not")]
    pub last_line_partial: bool,
    /// True if the first line alone is over the limit: its start is shown, or nothing. Absent otherwise.
    #[serde(skip_serializing_if = "Not::not")]
    pub first_line_exceeds_limit: bool,
    /// Tokens of the body, estimated from its text.
    pub estimated_tokens: u64,
    /// All tokens: those of the body, and for the rest an estimate from the tokens for each byte of the body.
    pub total_estimated_tokens: u64,
    /// The limit of tokens. Without one, an estimate of the tokens that the limit of bytes allows.
    pub limit_tokens: u64,
    /// True if the totals are lower bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_is_lower_bound: Option<bool>,
    /// The key lines: lines of the body from the omitted part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub key_lines: Vec<KeyLine>,
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
