//! Combines the body, the notices and the status to the text of a result.
//!
//! An empty line separates them. All lines of a body that was cut are terminated, so the bodies of all pages of a text, each
//! up to that empty line, join to the text. A page of a single empty line has no body, and a notice about it.

use derive_more::Display;

use super::{Count, Notice};

/// The parts of the text of a result, in reading order.
///
/// ```
/// use cutline_core::notice::{Notice, ResultText, Status};
/// let result = ResultText {
///     body: "a\nb".to_owned(),
///     notices: vec![Notice::IgnoredNotSearched],
///     status: Some(Status::Exited(3)),
///     ..ResultText::default()
/// };
/// assert_eq!(result.into_text(), "a\nb\n\n[Ignored files were not searched. Use noIgnore=true to include them]\n\nCommand exited with code 3");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultText {
    /// The text of the file, the command or the search.
    pub body: String,
    /// True if the text was cut. The body then ends before the newline of its last line, which can be
    /// empty.
    pub is_cut: bool,
    /// The notices, in their order.
    pub notices: Vec<Notice>,
    /// A line of the user after the notices.
    pub hint: Option<String>,
    /// The end of a command, if the result reports it.
    pub status: Option<Status>,
    /// The exit codes of a command's pipelines in which a stage before the last one failed.
    pub pipelines: PipelineExitCodes,
}

/// The end of a command that a result or a saved output reports.
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
    /// It outlived its result and was ended with the server. Only its saved output has this status.
    #[display("Command ended with the server")]
    EndedWithServer,
}

/// The exit codes of the pipelines of a command in which a stage before the last one failed.
///
/// ```
/// use cutline_core::notice::PipelineExitCodes;
/// let codes = PipelineExitCodes { earlier: vec![vec![3, 0]], last: Some(vec![1, 0]) };
/// let lines: Vec<String> = codes.lines().collect();
/// assert_eq!(
///     lines,
///     ["[Exit codes of an earlier pipeline: 3, 0]", "[Exit codes of the last pipeline: 1, 0]"],
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PipelineExitCodes {
    /// Those of earlier pipelines.
    pub earlier: Vec<Vec<i32>>,
    /// Those of the last pipeline.
    pub last: Option<Vec<i32>>,
}

impl PipelineExitCodes {
    /// Returns true if there is no such pipeline.
    pub fn is_empty(&self) -> bool {
        self.earlier.is_empty() && self.last.is_none()
    }

    /// Returns a notice for each pipeline.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let line = |which: &str, codes: &[i32]| {
            let codes: Vec<String> = codes.iter().map(i32::to_string).collect();
            format!("[Exit codes of {which} pipeline: {}]", codes.join(", "))
        };
        let earlier = self.earlier.iter().map(move |codes| line("an earlier", codes));
        earlier.chain(self.last.iter().map(move |codes| line("the last", codes)))
    }
}

impl ResultText {
    /// Returns the lines after the notices: the status, and the exit codes of pipelines.
    fn ending(&self) -> String {
        let status = self.status.map(|status| status.to_string());
        status.into_iter().chain(self.pipelines.lines()).collect::<Vec<_>>().join("\n")
    }

    /// Puts the notices in order, and shortens or leaves out some if they and the lines after them exceed `max_bytes`, as
    /// in [`Notice::within`].
    pub fn limit_notices(&mut self, max_bytes: u64) {
        let used = self.ending().len() as u64;
        self.notices = Notice::within(std::mem::take(&mut self.notices), used, max_bytes);
    }

    /// Returns the body, the notices and the status, separated by empty lines. The exit codes of pipelines are on the
    /// lines after the status, or in its place. If the body ends with lines that look like notices, the first notice
    /// states that they are part of the text.
    ///
    /// ```
    /// use cutline_core::notice::{Notice, ResultText};
    /// let notices = vec![Notice::IgnoredNotSearched];
    /// // The first two of three lines: one with an `a`, and an empty one.
    /// let page = ResultText { body: "a\n".into(), is_cut: true, notices, ..ResultText::default() };
    /// assert_eq!(page.into_text(), "a\n\n\n[Ignored files were not searched. Use noIgnore=true to include them]");
    /// ```
    pub fn into_text(self) -> String {
        let ending = self.ending();
        let mut text = self.body;
        if !text.is_empty() && self.is_cut {
            text.push('\n');
        }
        let part_of_text = Notice::part_of_text(&text, self.hint.as_deref());
        let notices: Vec<String> = part_of_text
            .into_iter()
            .chain(self.notices)
            .map(|notice| notice.to_string())
            .chain(self.hint)
            .collect();
        for part in [notices.join("\n"), ending] {
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
