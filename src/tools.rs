//! The five tools: arguments, work and results.
//!
//! The file of each tool has its arguments with their schema (such as `LsArgs`), and `run`, which uses the system
//! (`sys`, `fs`, `search` and `process`) and formats the result (`notice`, and `details` of the core).
//! Tools do not depend on the protocol.

pub mod arguments;
pub mod bash;
pub mod catalog;
pub mod error;
pub mod find;
pub mod grep;
pub mod ls;
pub mod notice;
mod outline;
mod page;
mod path_glob;
pub mod read;
pub mod resolve;
mod saved_result;
#[cfg(test)]
mod tests;
mod walk_support;

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::blocking::Threads;
use crate::fs::workspace::Workspace;
use crate::limits::{Limits, NOTICE_BYTES, STUCK_THREADS};
use crate::stop::{Deadline, Stop};
use cutline_core::details::Details;
use cutline_core::notice::{Names, Notice, ResultText};

pub use error::ToolError;
pub(crate) use saved_result::saved_location;

/// Maximum time until work stops after its call was cancelled. Work checks much more often.
const CANCEL_GRACE: Duration = Duration::from_secs(1);
/// Maximum time after the deadline until work returns its results.
const LATE_GRACE: Duration = Duration::from_millis(1500);

/// The state that all calls of a server share.
#[derive(Debug)]
pub struct Shared {
    /// The limits of the server.
    pub limits: Limits,
    /// The registered tools. Hints mention only these.
    pub tools: ToolSet,
    /// The number of threads for one search.
    pub workers: usize,
    /// Line counts of large files.
    pub line_indexes: crate::fs::line_index::Cache,
    /// The running commands, and the folder of saved outputs.
    pub commands: crate::process::Commands,
    /// True if grep, find and ls save the complete result if they return only a part of it. bash always does, because
    /// running a command again may give other output.
    pub saves_all: bool,
    /// The threads for blocking work.
    pub threads: Threads,
}

/// The kind of work that a call does. `bash` has none, because it only waits for a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// Reads a page or a listing, and may wait for a disk.
    Light,
    /// Decodes an image, which can use more memory than everything else together.
    Image,
    /// Walks a tree.
    Heavy,
    /// Searches across lines, which can take long between two checks whether to stop.
    AcrossLines,
}

/// The context of one call.
#[derive(Clone)]
pub struct Context {
    /// The state that all calls share.
    pub shared: Arc<Shared>,
    /// The limits in use: those of the client, lowered by arguments of the call.
    pub limits: Limits,
    /// The roots at the start of the call.
    pub workspace: Arc<Workspace>,
    /// Fires when the client cancels the call. All its work stops, and no result is returned.
    pub cancel: CancellationToken,
    /// The time at which read, grep, find and ls return the results so far.
    pub deadline: Deadline,
    /// The listener for the progress of long work.
    pub progress: Progress,
    /// Arguments of the call that the tool does not have.
    pub ignored: Names,
}

impl Context {
    /// Returns true if a tool is registered, so that hints can mention it.
    pub fn has(&self, tool: ToolName) -> bool {
        self.shared.tools.contains(&tool)
    }

    /// Returns the notice about ignored arguments, if there are any.
    pub fn ignored_arguments(&self) -> Option<Notice> {
        self.ignored.clone().reported_as(Notice::ArgumentsIgnored)
    }

    /// Returns the condition for the work of this call to stop.
    pub fn stop(&self) -> Stop {
        Stop::new(self.cancel.clone(), self.deadline)
    }

    /// Runs blocking `work` on a separate thread. If the call is cancelled or its deadline passes, and the work does
    /// not return soon, this function stops waiting for it, because the thread may be blocked in the system.
    ///
    /// # Errors
    ///
    /// Returns the error of the work. Returns [`ToolError::Cancelled`] after a cancellation, and
    /// [`ToolError::NoResponse`] if the work did not return soon after the deadline.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let cx = self.clone();
        let threads = &self.shared.threads;
        let stuck = threads.stuck();
        if stuck >= STUCK_THREADS {
            return Err(ToolError::StuckThreads(stuck));
        }
        let mut work = pin!(threads.run(move || work(&cx)));
        let late = self.deadline.left() + LATE_GRACE;
        let cancelled = async {
            self.cancel.cancelled().await;
            tokio::time::sleep(CANCEL_GRACE).await;
        };
        let result = tokio::select! {
            biased;
            result = &mut work => result,
            () = cancelled => return Err(ToolError::Cancelled),
            () = tokio::time::sleep(late) => Ok(Err(ToolError::NoResponse(self.deadline.limit.as_secs()))),
        };
        if self.cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        result.map_err(ToolError::NoThread)?
    }
}

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// The text: body, notices, status.
    pub text: String,
    /// Length in bytes of the body, the first part of the text.
    pub body_bytes: usize,
    /// An image in addition to the text.
    pub image: Option<Image>,
    /// The data of the notices.
    pub details: Details,
    /// Whether the totals cover all requested results.
    pub totals: Totals,
}

/// Whether the totals of a result cover all requested results: up to the limit of the call, or to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Totals {
    /// They cover all requested results.
    #[default]
    Exact,
    /// There are more results.
    LowerBound,
    /// It is unknown whether there are more results.
    Unknown,
}

impl Output {
    /// Creates a result of a call, without an image, with exact totals. Adds the notice about ignored arguments, puts
    /// all notices in order and limits them.
    pub fn new(cx: &Context, mut result: ResultText, details: Details) -> Self {
        let body_bytes = result.body.len();
        result.notices.extend(cx.ignored_arguments());
        result.limit_notices(NOTICE_BYTES);
        Self { text: result.into_text(), body_bytes, image: None, details, totals: Totals::Exact }
    }
}

/// An image for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The base64-encoded content.
    pub base64: String,
    /// The MIME type, such as `image/png`.
    pub mime_type: &'static str,
}

/// The name of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToolName {
    /// Reads a file.
    Read,
    /// Runs a command.
    Bash,
    /// Searches the content of files.
    Grep,
    /// Searches for files by name.
    Find,
    /// Lists a folder.
    Ls,
}

impl ToolName {
    /// All tools, in the order of the list.
    pub const ALL: [Self; 5] = [Self::Read, Self::Bash, Self::Grep, Self::Find, Self::Ls];

    /// Returns the name that clients use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Bash => "bash",
            Self::Grep => "grep",
            Self::Find => "find",
            Self::Ls => "ls",
        }
    }

    /// Returns the tool with this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }
}

/// The registered tools, in the order of the list.
pub type ToolSet = BTreeSet<ToolName>;

/// The listener for the progress of long work, if the client requested it.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(String) + Send + Sync>>);

impl Progress {
    /// Reports progress to `listener`, which must not block.
    pub fn new(listener: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// Returns true if there is a listener.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Reports the progress of the work.
    pub fn report(&self, message: String) {
        if let Some(listener) = &self.0 {
            listener(message);
        }
    }
}
