//! The tools that calls are counted by: this server's own, and those of a server that is wrapped.

use serde::{Deserialize, Serialize};

use crate::tools::ToolName;
use cutline_core::text::show;

/// Characters of a name: a longer one keeps both its ends.
const NAME_CHARS: usize = 128;

/// A tool; the server's own come first, in the order in which they are listed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Tool {
    /// One of the server's own.
    Own(ToolName),
    /// Another by its name, made fit to be shown.
    Other(String),
}

impl Tool {
    /// The tool of that name; `None` where it has none.
    pub fn named(name: &str) -> Option<Self> {
        let shown = show::name(name.as_bytes());
        let other = || Self::Other(show::middle_out(&shown, NAME_CHARS).into_owned());
        (!name.is_empty()).then(|| ToolName::of(name).map_or_else(other, Self::Own))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Own(tool) => tool.as_str(),
            Self::Other(name) => name,
        }
    }
}

impl TryFrom<String> for Tool {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::named(&name).ok_or("no name of a tool")
    }
}

impl From<Tool> for String {
    fn from(tool: Tool) -> Self {
        tool.as_str().to_owned()
    }
}
