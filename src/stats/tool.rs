//! The tools that calls are counted by: this server's own, and those of a server that is wrapped.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::tools::ToolName;
use cutline_core::text::show;

/// Characters of a name: a longer one keeps both its ends.
const NAME_CHARS: usize = 128;

/// A tool by its name; the server's own come first, in the order in which they are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool(Cow<'static, str>);

impl Tool {
    /// The tool of that name, made fit to be shown; `None` where it has none.
    pub fn named(name: &str) -> Option<Self> {
        let own = ToolName::of(name).map(Self::from);
        let shown = show::name(name.as_bytes());
        let other = || Self(Cow::Owned(show::middle_out(&shown, NAME_CHARS).into_owned()));
        (!name.is_empty()).then(|| own.unwrap_or_else(other))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn rank(&self) -> usize {
        let own = ToolName::ALL.into_iter().position(|tool| tool.as_str() == self.0);
        own.unwrap_or(ToolName::ALL.len())
    }
}

impl From<ToolName> for Tool {
    fn from(tool: ToolName) -> Self {
        Self(Cow::Borrowed(tool.as_str()))
    }
}

impl Ord for Tool {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Tool {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
