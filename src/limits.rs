//! All limits with their defaults and units.
//!
//! Limits bound the size of a result or the cost of a call. They do not change while the server runs. Bytes are bytes
//! of UTF-8, lines are lines of the text for the model, and sizes are powers of 1000.

use std::time::Duration;

use cutline_core::truncate::{Bounds, BytesAs, Keep};

/// Lines in a body.
pub const MAX_LINES: u64 = 2000;
/// Bytes in a body: 30KB, which is below the limits of most known clients.
pub const MAX_BYTES: u64 = 30_000;
/// Bytes of the notices and the status of a result, with paths of typical length.
pub const NOTICE_BYTES: u64 = 1000;
/// `--lean`: bytes of an output above which it is cut. About three screens, which most outputs do not exceed.
pub const LEAN_OUTPUT_BYTES: u64 = 12_000;
/// `--lean`: maximum bytes after the cut. With less, fewer causes of failures are visible (docs/performance.md).
pub const LEAN_CUT_TO: u64 = 5_000;
/// `--lean`: bytes of a page of read.
pub const LEAN_READ_BYTES: u64 = 16_000;
/// Characters of a match or context line in grep.
pub const MAX_LINE_CHARS: usize = 500;
/// Default number of matches (or files, by mode) of grep.
pub const GREP_LIMIT: u64 = 100;
/// Default number of results of grep and find by relevance.
pub const RANKED_LIMIT: u64 = 20;
/// Maximum number of results that can be ranked, including skipped ones. Also the maximum number of lines that are
/// buffered for them, with context, until the search ends.
pub const RANKED_AT_ONCE: u64 = 10_000;
/// Default number of results of find.
pub const FIND_LIMIT: u64 = 1000;
/// Default number of entries of ls.
pub const LS_LIMIT: u64 = 500;
/// Maximum lines of context on each side in grep.
pub const MAX_CONTEXT: u64 = 100;
/// Maximum bytes of a command: the limit of Linux for one argument of a program.
pub const COMMAND_BYTES: usize = 131_071;
/// Default timeout of a command in seconds.
pub const BASH_TIMEOUT_SECS: u64 = 120;
/// Longest timeout in seconds that a call can request.
pub const BASH_MAX_TIMEOUT_SECS: u64 = 600;
/// Time between SIGTERM and SIGKILL for a command that exceeded its timeout.
pub const TIMEOUT_GRACE: Duration = Duration::from_secs(2);
/// Maximum number of paths in one grep call.
pub const GREP_PATHS: usize = 100;
/// Maximum number of commands that run at the same time. Clients start fewer, and they fit into the usual limit of 1024
/// open files.
pub const COMMANDS_AT_ONCE: usize = 64;
/// Maximum number of ended commands with background processes that keep the output open. Each needs three open files.
pub const BACKGROUND_COMMANDS: usize = 128;
/// Seconds after which read, grep, find and ls return the results so far.
pub const SEARCH_TIMEOUT_SECS: u64 = 20;
/// Bytes of one saved output.
pub const SAVED_OUTPUT_MAX_BYTES: u64 = 1_000_000_000;
/// Bytes of all saved outputs together.
pub const SAVED_OUTPUTS_MAX_BYTES: u64 = 4_000_000_000;
/// Age at which a saved output is removed.
pub const SAVED_OUTPUT_KEEP: Duration = Duration::from_hours(7 * 24);
/// Maximum bytes of one incoming protocol message: four times the maximum for the arguments of a call.
pub const MAX_MESSAGE_BYTES: usize = 1_000_000;
/// Maximum number of requests without a response. Clients send fewer. At this number, the server stops reading.
pub const REQUESTS_AT_ONCE: u32 = 256;
/// Maximum bytes of the arguments of one call, about twice the longest command.
pub const ARGUMENTS_BYTES: usize = 256_000;
/// Maximum bytes of a pseudo-file (`/proc/…`) that read and grep process.
pub const PSEUDO_FILE_BYTES: u64 = 16_000_000;
/// Maximum seconds for reading a pseudo-file.
pub const PSEUDO_FILE_SECS: u64 = 2;
/// Maximum number of threads that are stuck in the work of calls that have already returned. At this number, calls
/// return an error.
pub const STUCK_THREADS: usize = 64;
/// Maximum pixels of a side of an image in a result. Models scale larger images down.
pub const IMAGE_MAX_SIDE: u32 = 1568;
/// Maximum bytes of an image in a result. A client that passes it to the model as text needs 200,000 characters.
pub const IMAGE_MAX_BYTES: u64 = 150_000;
/// Maximum pixels of an image that cutline decodes.
pub const IMAGE_MAX_PIXELS: u64 = 12_000_000;
/// Maximum bytes of an image file that cutline decodes.
pub const IMAGE_FILE_BYTES: u64 = 25_000_000;
/// Maximum bytes that a decoder may allocate, for formats that support such a limit.
pub const IMAGE_DECODED_BYTES: u64 = 100_000_000;
/// Maximum bytes that the PNG decoder may allocate in addition to the pixels: rows and colour profiles.
pub const PNG_METADATA_BYTES: u64 = 16_000_000;
/// Maximum bytes of a source file whose definitions read lists.
pub const OUTLINE_FILE_BYTES: u64 = 2_000_000;
/// Maximum bytes of a source file in which grep finds the definitions around matches.
pub const FUNCTION_FILE_BYTES: u64 = 16_000_000;
/// Maximum bytes after a page in which read looks for all definitions.
pub const OUTLINE_BYTES: u64 = 96_000;
/// Number of bytes after a page in which read looks for definitions if more follow.
pub const OUTLINE_PART_BYTES: u64 = 32_000;
/// Maximum bytes of a line that grep searches, with its context.
pub const GREP_LINE_BYTES: usize = 64_000_000;
/// Maximum bytes of a file that grep searches across lines (`multiline`).
pub const GREP_MULTILINE_BYTES: u64 = 16_000_000;
/// Maximum product of these bytes, or those of a line, and the positions of the pattern. The search of one text cannot
/// be stopped, and takes a few seconds for this number of steps.
pub const GREP_STEPS: usize = 250_000_000;
/// Maximum bytes to read for the number of matches in a line that grep truncates. The search for each match can read the
/// rest of the line.
pub const GREP_COUNT_BYTES: usize = 20_000_000;
/// Maximum bytes of a pattern. Its compiled form can be a thousand times as large.
pub const PATTERN_BYTES: usize = 4096;
/// Maximum bytes of a glob in a call, or of a line in an ignore file.
pub const GLOB_BYTES: usize = 1024;
/// Maximum number of globs in one argument of a call.
pub const GLOBS: usize = 100;
/// Maximum bytes of an ignore file. If one is larger, all rules of its folder are skipped.
pub const RULES_BYTES: usize = 65_536;
/// Maximum number of character classes (`[…]`) in an ignore file. Each can take kilobytes when it is compiled.
pub const RULES_CLASSES: usize = 2000;
/// Maximum bytes of the ignore files that apply in one folder, including those of the folders above.
pub const RULES_IN_FORCE_BYTES: u64 = 98_304;
/// Maximum positions in a regular expression after expanding all repetitions. In the worst case, each byte of a text
/// takes a step for each position.
pub const REGEX_POSITIONS: usize = 1024;
/// Maximum bytes of a compiled pattern.
pub const REGEX_BYTES: usize = 10_000_000;

/// The active limits, as flags and variables set them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Limits {
    /// Lines in a body; above 0.
    pub max_lines: u64,
    /// Bytes in a body without a final newline; above 0.
    pub max_bytes: u64,
    /// The unit of these bytes: UTF-8, or JSON for clients with such a limit.
    pub bytes_as: BytesAs,
    /// Estimated tokens in a body; above 0. Unlimited if `None`.
    pub max_tokens: Option<u64>,
    /// True if a call may lower the limits of bytes and tokens for itself.
    pub call_limits: bool,
    /// True if grep prints each path once, above its lines.
    pub grep_heading: bool,
    /// Characters of a match or context line in grep; above 0.
    pub max_match_line_chars: usize,
    /// Characters of a line in read and bash; above 0. Unlimited if `None`.
    pub max_text_line_chars: Option<usize>,
    /// Default number of lines that bash keeps from the start.
    pub bash_head: u64,
    /// Default number of lines that bash keeps from the end. `None` means the rest of `max_lines` after `bash_head`.
    pub bash_tail: Option<u64>,
    /// Maximum bytes of an output of bash, truncate or wrap after it was cut because it exceeds its limit. `None` means
    /// the limit.
    pub cut_to: Option<u64>,
    /// Bytes of an output above which it is cut, if that is less than `max_bytes`.
    pub output_bytes: Option<u64>,
    /// Bytes of a page of read, if that is less than `max_bytes`.
    pub read_bytes: Option<u64>,
    /// True if grep shows the definitions around few matches, and the sum of all complete results.
    pub lean_grep: bool,
    /// True if key lines of the omitted part are shown.
    pub key_lines: bool,
    /// Default timeout of a command in seconds.
    pub bash_timeout_secs: u64,
    /// Longest timeout in seconds that a call can request.
    pub bash_max_timeout_secs: u64,
    /// Time after which read, grep, find and ls return the results so far.
    pub search_timeout: Duration,
    /// Bytes of an image in a result; larger images are scaled down. `None` means that results contain no images,
    /// because the client would pass them to the model as text.
    pub images: Option<u64>,
    /// True if read lists the definitions in the rest of a source file that a limit truncates.
    pub outline: bool,
    /// Time after which bash returns while the command keeps running, if there is such a limit.
    pub answer_within: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_lines: MAX_LINES,
            max_bytes: MAX_BYTES,
            bytes_as: BytesAs::Text,
            max_tokens: None,
            call_limits: false,
            grep_heading: false,
            max_match_line_chars: MAX_LINE_CHARS,
            max_text_line_chars: None,
            bash_head: 0,
            bash_tail: None,
            cut_to: None,
            output_bytes: None,
            read_bytes: None,
            lean_grep: false,
            key_lines: true,
            bash_timeout_secs: BASH_TIMEOUT_SECS,
            bash_max_timeout_secs: BASH_MAX_TIMEOUT_SECS,
            search_timeout: Duration::from_secs(SEARCH_TIMEOUT_SECS),
            images: Some(IMAGE_MAX_BYTES),
            outline: true,
            answer_within: None,
        }
    }
}

impl Limits {
    /// Returns the bounds of a body.
    pub fn bounds(&self) -> Bounds {
        let Self { max_lines: lines, max_bytes: bytes, bytes_as, max_tokens: tokens, .. } = *self;
        Bounds { lines, bytes, bytes_as, tokens }
    }

    /// Returns the bounds above which an output is cut, unless a call says which lines to show.
    pub fn output_bounds(&self) -> Bounds {
        self.bounds_of(self.output_bytes)
    }

    /// Returns the bounds of a page of read.
    pub fn read_bounds(&self) -> Bounds {
        self.bounds_of(self.read_bytes)
    }

    /// Returns the parts that are shown of an output that is cut to a smaller size.
    pub fn short(&self) -> Option<Keep> {
        self.cut_to.map(|bytes| Keep::Short { bytes })
    }

    fn bounds_of(&self, bytes: Option<u64>) -> Bounds {
        let bounds = self.bounds();
        Bounds { bytes: bytes.map_or(bounds.bytes, |bytes| bytes.min(bounds.bytes)), ..bounds }
    }

    /// Returns these limits with lower byte and token limits.
    #[must_use]
    pub fn lowered(&self, max_bytes: Option<u64>, max_tokens: Option<u64>) -> Self {
        Self {
            max_bytes: max_bytes.map_or(self.max_bytes, |bytes| bytes.min(self.max_bytes)),
            max_tokens: self.max_tokens.into_iter().chain(max_tokens).min(),
            ..self.clone()
        }
    }
}
/// Returns the most bytes that a part may have if parts of these sizes share `room`. Large parts share equally what small
/// ones leave.
pub(crate) fn equal_share(mut sizes: Vec<usize>, room: usize) -> usize {
    sizes.sort_unstable();
    let (mut left, mut most) = (room, 0);
    for (size, waiting) in sizes.iter().zip((1..=sizes.len()).rev()) {
        most = left / waiting;
        if most < *size {
            break;
        }
        left -= size;
    }
    most
}
