//! Every limit, its default and its unit, once.
//!
//! A limit is a bound on what an answer may hold or on what a call may take; all of them can be
//! set at the start (`cli`), none of them changes while the server runs. Bytes are bytes of UTF-8,
//! lines are lines of the text that the model sees, sizes are powers of 1000.

use std::time::Duration;

use cutline_core::text::as_index;
use cutline_core::truncate::line::MARK;
use cutline_core::truncate::{Bounds, BytesAs};

/// Lines in a body.
pub const MAX_LINES: u64 = 2000;
/// Bytes in a body: 30KB, which stays under every known client's own cut.
pub const MAX_BYTES: u64 = 30_000;
/// Bytes of an answer's notices and status, beside its body, where paths are of a usual length.
pub const NOTICE_BYTES: u64 = 1000;
/// Characters of a match or context line in grep.
pub const MAX_LINE_CHARS: usize = 500;
/// Matches (or files, by mode) that grep gives where the call names no limit.
pub const GREP_LIMIT: u64 = 100;
/// Results, match lines or files that grep and find give by relevance where the call names no limit.
pub const RANKED_LIMIT: u64 = 20;
/// Results that can be ranked, with those that are skipped, and lines that are held for them with their
/// context: each is kept until all is searched.
pub const RANKED_AT_ONCE: u64 = 10_000;
/// Results that find gives where the call names no limit.
pub const FIND_LIMIT: u64 = 1000;
/// Entries that ls gives where the call names no limit.
pub const LS_LIMIT: u64 = 500;
/// Lines of context on each side that a grep may ask for.
pub const MAX_CONTEXT: u64 = 100;
/// Bytes of a command: what Linux takes as one argument of a program.
pub const COMMAND_BYTES: usize = 131_071;
/// Seconds a command may run where the call names no timeout.
pub const BASH_TIMEOUT_SECS: u64 = 120;
/// Seconds a call may ask for.
pub const BASH_MAX_TIMEOUT_SECS: u64 = 600;
/// Commands that run at once: more than clients start, and few enough for the usual limit of 1024 open files.
pub const COMMANDS_AT_ONCE: u32 = 64;
/// Commands that ended and left background processes that hold their output open. Each takes three open files.
pub const BACKGROUND_COMMANDS: u32 = 128;
/// Seconds that a call of read, grep, find or ls may take before it returns what it has found.
pub const SEARCH_TIMEOUT_SECS: u64 = 20;
/// Bytes of one saved output.
pub const SPILL_MAX_FILE_BYTES: u64 = 1_000_000_000;
/// Bytes of all saved outputs together.
pub const SPILL_MAX_TOTAL_BYTES: u64 = 4_000_000_000;
/// Age at which a saved output is removed.
pub const SPILL_KEEP: Duration = Duration::from_hours(7 * 24);
/// Bytes of one incoming protocol message: four times the arguments that a call may have.
pub const MAX_MESSAGE_BYTES: usize = 1_000_000;
/// Values and members in one incoming protocol message: what is parsed takes up to 180 bytes for each.
pub const MAX_MESSAGE_VALUES: usize = 10_000;
/// Requests without an answer: more than clients make. With that many, the server reads no further request.
pub const REQUESTS_AT_ONCE: u32 = 256;
/// Bytes that the arguments of one call may hold: a command can't be longer than about half of that.
pub const ARGUMENTS_BYTES: usize = 256_000;
/// Bytes of a pseudo-file (`/proc/…`) that read takes in, and grep searches.
pub const PSEUDO_FILE_BYTES: u64 = 16_000_000;
/// Seconds that reading a pseudo-file may take.
pub const PSEUDO_FILE_SECS: u64 = 2;
/// Threads that may be stuck in work that no call waits for any more. Beyond that, calls are refused.
pub const STUCK_THREADS: usize = 64;
/// Pixels a side of an image that is shown: models scale down what is larger.
pub const IMAGE_MAX_SIDE: u32 = 1568;
/// Bytes of an image that is shown: a client that passes it on as text makes 200,000 characters of it.
pub const IMAGE_MAX_BYTES: u64 = 150_000;
/// Pixels of an image that is decoded at all.
pub const IMAGE_MAX_PIXELS: u64 = 12_000_000;
/// Bytes of the file of an image that is decoded.
pub const IMAGE_FILE_BYTES: u64 = 25_000_000;
/// Bytes that a decoder may allocate, in the formats whose decoders count them.
pub const IMAGE_DECODED_BYTES: u64 = 100_000_000;
/// Bytes that PNG's decoder may allocate in addition to the pixels: rows and colour profiles.
pub const PNG_METADATA_BYTES: u64 = 16_000_000;
/// Bytes at a file's start in which a NUL byte makes it binary.
pub const BINARY_SNIFF_BYTES: usize = 8192;
/// Bytes of a line that grep searches in one piece; longer lines are searched in windows.
pub const GREP_LINE_BYTES: usize = 256_000;
/// Bytes of a file that grep searches across lines (`multiline`).
pub const GREP_MULTILINE_BYTES: u64 = 16_000_000;
/// The same for a pattern of more than 64 positions: one search of the text can't be stopped.
pub const GREP_MULTILINE_LARGE_BYTES: u64 = 1_000_000;
/// Bytes of a regular expression: compiling one takes memory by the thousandfold.
pub const PATTERN_BYTES: usize = 4096;
/// Bytes of a text that is searched for as it is.
pub const LITERAL_BYTES: usize = 65_536;
/// Bytes of a glob in a call, or of a line in an ignore file.
pub const GLOB_BYTES: usize = 1024;
/// Levels of braces within braces in a glob.
pub const GLOB_DEPTH: usize = 8;
/// Bytes of an ignore file; a larger one is left aside.
pub const RULES_BYTES: u64 = 1_000_000;
/// Bytes of the ignore rules in force in one folder, of all folders above it together: as many as a file
/// of a megabyte of names takes. Rules with wildcards count 32 times, each file as 4 KB at least.
pub const RULES_IN_FORCE_BYTES: usize = 4_000_000;
/// Positions in a regular expression, with each repetition written out: in the worst case, each byte of a text takes a
/// step for each of them.
pub const REGEX_POSITIONS: usize = 1024;
/// Bytes of a compiled pattern.
pub const REGEX_BYTES: usize = 10_000_000;

/// The limits in force, as the flags and variables set them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Lines in a body; above 0.
    pub max_lines: u64,
    /// Bytes in a body without a final newline; above 0.
    pub max_bytes: u64,
    /// The form in which those bytes are counted: UTF-8, but for clients whose own limit is one of JSON.
    pub bytes_as: BytesAs,
    /// Tokens in a body, about; above 0. Any number if `None`.
    pub max_tokens: Option<u64>,
    /// True if a call may lower the limits of bytes and tokens for itself.
    pub call_limits: bool,
    /// Characters of a match or context line in grep; above 0.
    pub max_line_chars: usize,
    /// Characters of a line in read and bash; above 0. Any number if `None`.
    pub max_text_line_chars: Option<usize>,
    /// Lines that bash keeps from the start where the call names none; 0 keeps none.
    pub bash_head: u64,
    /// Lines that bash keeps from the end where the call names none; `None` is all that
    /// `max_lines` leaves beside `bash_head`.
    pub bash_tail: Option<u64>,
    /// Seconds a command may run where the call names no timeout.
    pub bash_timeout_secs: u64,
    /// Seconds a call may ask for.
    pub bash_max_timeout_secs: u64,
    /// Time that a call of read, grep, find or ls may take before it returns what it has found.
    pub search_timeout: Duration,
    /// The images that are shown.
    pub images: Images,
    /// The time after which a command that still runs is answered for, if any: what the client waits.
    pub answer_within: Option<Duration>,
}

/// The images that read shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// Those of at most this many bytes; larger ones are made smaller.
    UpTo(u64),
    /// None: the client would give them to the model as text.
    Off,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_lines: MAX_LINES,
            max_bytes: MAX_BYTES,
            bytes_as: BytesAs::Text,
            max_tokens: None,
            call_limits: false,
            max_line_chars: MAX_LINE_CHARS,
            max_text_line_chars: None,
            bash_head: 0,
            bash_tail: None,
            bash_timeout_secs: BASH_TIMEOUT_SECS,
            bash_max_timeout_secs: BASH_MAX_TIMEOUT_SECS,
            search_timeout: Duration::from_secs(SEARCH_TIMEOUT_SECS),
            images: Images::UpTo(IMAGE_MAX_BYTES),
            answer_within: None,
        }
    }
}

impl Limits {
    /// The bounds of a body.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(self.max_lines, self.max_bytes).counted_as(self.bytes_as).with_tokens(self.max_tokens)
    }

    /// Characters of a line in read and bash, if there is a limit. One over the bytes or tokens of a body would cut no line that
    /// is over them: then as many as fit with the mark of the cut, whatever they are.
    pub fn text_line_chars(&self) -> Option<usize> {
        let bytes = as_index(self.max_tokens.map_or(self.max_bytes, |tokens| tokens.min(self.max_bytes)));
        let fitting = bytes.checked_sub(MARK.len()).filter(|chars| *chars > 0);
        self.max_text_line_chars.map(|chars| if chars > bytes { fitting.unwrap_or(chars) } else { chars })
    }

    /// Returns the same with at most so many bytes and tokens in a body, where they are given.
    #[must_use]
    pub fn lowered(&self, max_bytes: Option<u64>, max_tokens: Option<u64>) -> Self {
        Self {
            max_bytes: max_bytes.map_or(self.max_bytes, |bytes| bytes.min(self.max_bytes)),
            max_tokens: self.max_tokens.into_iter().chain(max_tokens).min(),
            ..self.clone()
        }
    }
}
