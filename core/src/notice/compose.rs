//! Body, notices and status, put together to the one text that the model reads.

use std::fmt::Write as _;

use super::{Notice, Status};

/// The parts of an answer's text, in the order in which they are read.
///
/// ```
/// use cutline_core::notice::{Answer, Notice, Status};
/// let answer = Answer {
///     body: "a\nb".to_owned(),
///     notices: vec![Notice::Continue { offset: 2 }],
///     status: Some(Status::Exited(3)),
/// };
/// assert_eq!(answer.into_text(), "a\nb\n\n[Use offset=2 to continue]\n\nCommand exited with code 3");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The file's, command's or search's own text.
    pub body: String,
    /// What was left out; the one that says how to continue last.
    pub notices: Vec<Notice>,
    /// How a command ended, where that is to be said.
    pub status: Option<Status>,
}

impl Answer {
    /// The whole text: the parts that there are, with an empty line between them.
    pub fn into_text(self) -> String {
        let mut text = self.body;
        for (n, notice) in self.notices.iter().enumerate() {
            match n {
                0 => empty_line(&mut text),
                _ => text.push('\n'),
            }
            let _infallible = write!(text, "{notice}");
        }
        if let Some(status) = self.status {
            empty_line(&mut text);
            let _infallible = write!(text, "{status}");
        }
        text
    }
}

/// Ends the last line, where there is one, and leaves an empty one after it.
fn empty_line(text: &mut String) {
    match text.as_bytes().last() {
        None => {}
        Some(b'\n') => text.push('\n'),
        Some(_) => text.push_str("\n\n"),
    }
}
