//! The tools of records: this server's own, and those of a wrapped server.

use serde::{Deserialize, Serialize};

use crate::tools::ToolName;
use cutline_core::text::show;

/// Maximum characters of a name. A longer name is shortened in the middle.
const NAME_CHARS: usize = 128;

/// A tool. The server's own tools come first, in their usual order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Tool {
    /// A tool of this server.
    Own(ToolName),
    /// Another tool, with a name that is safe to print.
    Other(String),
}

impl Tool {
    /// Returns the tool with this name, or `None` if the name is empty.
    pub fn named(name: &str) -> Option<Self> {
        let shown = show::name(name.as_bytes());
        let other = || Self::Other(show::middle_out(&shown, NAME_CHARS).into_owned());
        (!name.is_empty()).then(|| ToolName::of(name).map_or_else(other, Self::Own))
    }

    /// Returns the name.
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
        Self::named(&name).ok_or("the name of a tool is empty")
    }
}

impl From<Tool> for String {
    fn from(tool: Tool) -> Self {
        tool.as_str().to_owned()
    }
}
