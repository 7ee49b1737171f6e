//! Combines the body, the notices and the status to the text of a result.
//!
//! An empty line separates them. All lines of a body that was cut are terminated, so the bodies of all pages of a text, each
//! up to that empty line, join to the text.

use std::fmt;

use derive_more::Display;

use super::{Count, Notice, NoticeLike};

/// The parts of the text of a result, in reading order. `N` is the type of the runtime's notices.
///
/// ```
/// use cutline_core::notice::{Answer, Status};
/// let answer = Answer {
///     body: "a\nb".to_owned(),
///     notices: vec!["[Use offset=2 to continue]"],
///     status: Some(Status::Exited(3)),
///     ..Answer::default()
/// };
/// assert_eq!(answer.into_text(), "a\nb\n\n[Use offset=2 to continue]\n\nCommand exited with code 3");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<N = Notice> {
    /// The text of the file, the command or the search.
    pub body: String,
    /// True if lines after the body were omitted. The body then ends before the newline of its last line, which can be
    /// empty.
    pub is_cut: bool,
    /// The notices. The one with the next call is the last one.
    pub notices: Vec<N>,
    /// The end of a command, if the result reports it.
    pub status: Option<Status>,
    /// The exit codes of a command's last pipeline, if a stage before the last one failed.
    pub pipeline: Option<PipelineExitCodes>,
}

/// The end of a command that a result reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub enum Status {
    /// It exited with this code, which is not 0.
    #[display("Command exited with code {_0}")]
    Exited(i32),
    /// A signal ended it.
    #[display("Command killed by signal {signal} (code {code})")]
    Killed {
        /// The name of the signal, such as `SIGKILL`.
        signal: &'static str,
        /// 128 and the signal's number.
        code: i32,
    },
    /// By its timeout, in seconds.
    #[display("Command timed out after {}", Count(*_0, "second", "seconds"))]
    TimedOut(u64),
    /// It still ran at the server's end, and was ended with it.
    #[display("Command ended with the server")]
    EndedWithServer,
}

/// The exit codes of a pipeline, in its order.
///
/// ```
/// use cutline_core::notice::PipelineExitCodes;
/// let codes = PipelineExitCodes(vec![1, 0]);
/// assert_eq!(codes.to_string(), "[Exit codes of the last pipeline: 1, 0]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Display)]
#[display("[Exit codes of the last pipeline: {}]", _0.iter().map(i32::to_string).collect::<Vec<_>>().join(", "))]
pub struct PipelineExitCodes(pub Vec<i32>);

impl<N> Default for Answer<N> {
    fn default() -> Self {
        Self { body: String::new(), is_cut: false, notices: Vec::new(), status: None, pipeline: None }
    }
}

impl<N: fmt::Display> Answer<N> {
    /// Returns the body, the notices and the status, separated by empty lines. If the body ends with lines that look
    /// like notices, the first notice states that they are part of the text.
    ///
    /// ```
    /// use cutline_core::notice::Answer;
    /// let notices = vec!["[Use offset=2 to continue]"];
    /// // The first two of three lines: one with an `a`, and an empty one.
    /// let page = Answer { body: "a\n".into(), is_cut: true, notices, ..Answer::default() };
    /// assert_eq!(page.into_text(), "a\n\n\n[Use offset=2 to continue]");
    /// ```
    pub fn into_text(self) -> String {
        let mut text = self.body;
        if !text.is_empty() && self.is_cut {
            text.push('\n');
        }
        let part_of_text = NoticeLike::of(&text).map(Notice::PartOfText);
        let part_of_text = part_of_text.iter().map(Notice::to_string);
        let notices: Vec<String> = part_of_text.chain(self.notices.iter().map(N::to_string)).collect();
        let status = self.status.map(|status| status.to_string());
        let pipeline = self.pipeline.map(|codes| codes.to_string());
        let ending: Vec<String> = status.into_iter().chain(pipeline).collect();
        for part in [notices.join("\n"), ending.join("\n")] {
            if !part.is_empty() {
                // The last line is ended, and an empty one left after it.
                text.push_str(match text.as_bytes().last() {
                    None => "",
                    Some(b'\n') => "\n",
                    Some(_) => "\n\n",
                });
                text.push_str(&part);
            }
        }
        text
    }
}
