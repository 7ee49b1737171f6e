//! The five tools: what a call may say, what is done for it, what is answered.
//!
//! Each tool is one file of the same shape: `Args` (what the model sends, with the schema that it
//! is shown), a pure plan made of them, and `run`, in which the plan meets the system (`sys`, `fs`, `search` and `process`) and
//! the result is formatted (`notice`, and `details` of the core). A tool knows no protocol.

pub mod arguments;
pub mod bash;
pub mod catalog;
mod conclusion;
pub mod error;
pub mod find;
pub mod grep;
pub mod ls;
pub mod notice;
mod page;
mod path_glob;
pub mod read;
pub mod resolve;
#[cfg(test)]
mod tests;
mod walk_support;
mod whole;

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::blocking::Threads;
use crate::fs::workspace::Workspace;
use crate::limits::{Limits, STUCK_THREADS};
use crate::stop::{Deadline, Stop};
use cutline_core::details::Details;

use conclusion::AtDeadline;
pub use conclusion::Conclusion;
pub use error::ToolError;
use notice::Answer;
pub use whole::SaveMode;
pub(crate) use whole::said;

/// Time that work has to notice that its call was cancelled: it checks many times as often.
const CANCEL_GRACE: Duration = Duration::from_secs(1);
/// Time that work has after the deadline to return what it has found.
const LATE_GRACE: Duration = Duration::from_millis(1500);

/// The state that all calls share while the server lives.
#[derive(Debug)]
pub struct Shared {
    /// The server's own limits.
    pub limits: Limits,
    /// The tools that are registered; hints name no other.
    pub tools: ToolSet,
    /// The number of threads that one search may use.
    pub workers: usize,
    /// The lines of big files that were counted before.
    pub line_indexes: crate::fs::line_index::Cache,
    /// The commands that run, and the folder of their saved outputs.
    pub commands: crate::process::Commands,
    /// The tools whose results are saved where they are cut.
    pub save: SaveMode,
    /// The threads for work that blocks.
    pub threads: Threads,
}

/// The context of one call.
#[derive(Debug, Clone)]
pub struct Context {
    /// The state that it shares with all others.
    pub shared: Arc<Shared>,
    /// The limits in force: those that fit the client, lowered by what the call says.
    pub limits: Limits,
    /// The roots, as they were when it began.
    pub workspace: Arc<Workspace>,
    /// Fires when the client takes the call back: all its work stops, and no answer is owed.
    pub cancel: CancellationToken,
    /// Fires when the server ends: commands are ended at once, other work may answer.
    pub shutdown: CancellationToken,
    /// The time at which read, grep, find and ls return what they have found.
    pub deadline: Deadline,
    /// The listener for the progress of long work.
    pub progress: Progress,
}

impl Context {
    /// True if a tool is registered, so that hints may name it.
    pub fn has(&self, tool: ToolName) -> bool {
        self.shared.tools.contains(&tool)
    }

    /// Returns what tells the work of this call when to stop.
    pub fn stop(&self) -> Stop {
        Stop::new(self.cancel.clone(), self.deadline)
    }

    /// Runs `work`, which blocks, on a thread for such work. If the call is cancelled or its deadline passes, and the
    /// work does not return soon, the work is abandoned: its thread may be blocked in the system. The result is then made
    /// by what the work has prepared as its conclusion.
    ///
    /// # Errors
    ///
    /// Returns the error of the work. Returns [`ToolError::Cancelled`] after a cancellation, and
    /// [`ToolError::NoResponse`] if nothing was found before the deadline.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self, &Conclusion<T>) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let (cx, conclusion) = (self.clone(), Conclusion::default());
        let of_work = conclusion.clone();
        let threads = &self.shared.threads;
        let stuck = threads.stuck();
        if stuck >= STUCK_THREADS {
            return Err(ToolError::StuckThreads(stuck));
        }
        let mut work = pin!(threads.run(move || work(&cx, &of_work)));
        let late = async {
            match self.deadline.left() {
                Some(left) => tokio::time::sleep(left.saturating_add(LATE_GRACE)).await,
                None => std::future::pending().await,
            }
        };
        let cancelled = async {
            self.cancel.cancelled().await;
            tokio::time::sleep(CANCEL_GRACE).await;
        };
        let mut cancelled = pin!(cancelled);
        let result = tokio::select! {
            biased;
            result = &mut work => result,
            () = &mut cancelled => return Err(ToolError::Cancelled),
            () = late => match conclusion.at_deadline() {
                AtDeadline::Nothing => Ok(Err(ToolError::NoResponse { secs: self.deadline.limit.as_secs() })),
                AtDeadline::Conclude(conclude) => threads.run(conclude).await,
                AtDeadline::Concluding => tokio::select! {
                    result = &mut work => result,
                    () = &mut cancelled => return Err(ToolError::Cancelled),
                },
            },
        };
        if self.cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        result.map_err(ToolError::NoThread)?
    }
}

/// The answer of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// The one text: body, notices, status.
    pub text: String,
    /// The bytes of its body, which is its beginning.
    pub body_bytes: usize,
    /// An image beside it.
    pub image: Option<Image>,
    /// The same facts as data.
    pub details: Details,
    /// The truth of the body's extent, or of the totals of its cut, for all that the call asked for.
    pub totals: Totals,
}

/// The truth of an answer's totals for all that its call asked for: up to the call's own limit, or to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Totals {
    /// They are those of all of it.
    #[default]
    Exact,
    /// There is more.
    LowerBound,
    /// They say nothing of it.
    Unknown,
}

impl Output {
    /// An answer of text and its facts.
    pub fn new(answer: Answer, details: Details) -> Self {
        let body_bytes = answer.body.len();
        Self { text: answer.into_text(), body_bytes, image: None, details, totals: Totals::Exact }
    }
}

/// An image as a client takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its bytes in base64.
    pub base64: String,
    /// Its type: `image/png`.
    pub mime_type: &'static str,
}

/// The tools by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToolName {
    /// Reads a file.
    Read,
    /// Runs a command.
    Bash,
    /// Searches what files hold.
    Grep,
    /// Searches for files by name.
    Find,
    /// Lists a folder.
    Ls,
}

impl ToolName {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 5] = [Self::Read, Self::Bash, Self::Grep, Self::Find, Self::Ls];

    /// The name that a client calls it by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Bash => "bash",
            Self::Grep => "grep",
            Self::Find => "find",
            Self::Ls => "ls",
        }
    }

    /// The tool of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }
}

/// Tools that are registered, in the order in which they are listed.
pub type ToolSet = BTreeSet<ToolName>;

/// The listener for the progress of long work: a client that asked for it, or none.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(String) + Send + Sync>>);

impl Progress {
    /// News go to `listener`, which must not block.
    pub fn new(listener: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// True if there is a listener.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Reports how far the work is.
    pub fn report(&self, message: String) {
        if let Some(listener) = &self.0 {
            listener(message);
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Progress").field(&self.is_wanted()).finish()
    }
}
