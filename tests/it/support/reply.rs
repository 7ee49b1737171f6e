//! The result of a call, with assertions that print it on failure.

use std::fmt;

use serde_json::Value;
use similar_asserts::SimpleDiff;

/// The result of a `tools/call`.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    /// The complete result.
    pub(crate) result: Value,
    /// The call, and the flags of the server.
    pub(crate) call_text: String,
    /// The output of the server on stderr up to this reply.
    pub(crate) stderr: String,
}

impl Reply {
    /// Returns the text of the first block.
    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        self.result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("the first block is not a text: {self}"))
    }

    /// Returns the details, or null if there are none.
    pub(crate) fn details(&self) -> &Value {
        &self.result["_meta"]["details"]
    }

    /// Returns true if the result is an error for the model.
    pub(crate) fn is_error(&self) -> bool {
        self.result["isError"] == true
    }

    /// Fails if the text differs.
    #[track_caller]
    pub(crate) fn assert_text(&self, expected: &str) {
        let text = self.text();
        assert!(text == expected, "{}\n{self}", difference(expected, text));
    }

    /// Fails if the text does not contain `part`.
    #[track_caller]
    pub(crate) fn assert_contains(&self, part: &str) {
        assert!(self.text().contains(part), "{part:?} is not in the text\n{self}");
    }

    /// Fails if this is not an error that contains each of `parts`.
    #[track_caller]
    pub(crate) fn assert_error(&self, parts: &[&str]) {
        assert!(self.is_error(), "the result is not an error\n{self}");
        for part in parts {
            self.assert_contains(part);
        }
    }

    /// Fails if this is an error.
    #[track_caller]
    pub(crate) fn assert_success(&self) -> &Self {
        assert!(!self.is_error(), "the result is an error\n{self}");
        self
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "call: {}", short(&self.call_text))?;
        writeln!(f, "isError: {}", self.result["isError"])?;
        writeln!(f, "details: {}", self.details())?;
        let text = self.result["content"][0]["text"].as_str().unwrap_or("(none)");
        writeln!(f, "text:\n{}", short(text))?;
        writeln!(f, "stderr:\n{}", self.stderr)
    }
}

/// Returns a line diff of the two texts. Shortens long lines, unless the texts differ only in the omitted parts.
pub(crate) fn difference(expected: &str, actual: &str) -> String {
    let cut = |text: &str| text.split('\n').map(|line| ends(line, 100)).collect::<Vec<_>>().join("\n");
    let (mut left, mut right) = (cut(expected), cut(actual));
    if left == right {
        (left, right) = (expected.to_owned(), actual.to_owned());
    }
    SimpleDiff::from_str(&left, &right, "expected", "actual").to_string()
}

/// Shortens a long text to its start and its end.
pub(crate) fn short(text: &str) -> String {
    ends(text, 1500)
}

fn ends(text: &str, shown: usize) -> String {
    if text.len() <= 2 * shown + 50 {
        return text.to_owned();
    }
    let (head, tail) = (text.floor_char_boundary(shown), text.ceil_char_boundary(text.len() - shown));
    format!("{}<... {} bytes ...>{}", &text[..head], tail - head, &text[tail..])
}
