//! The open requests of the client, and the tasks that its calls created.

use std::collections::VecDeque;
use std::time::Instant;

use super::full_result::SavedOutput;
use super::message::Id;
use crate::fit::Client;

/// Maximum number of open requests. A server need not respond to a cancelled request, so the oldest ones are removed.
const MOST: usize = 4096;

/// A request of the client.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PendingCall {
    /// The id.
    pub(super) id: Id,
    /// The id as it was sent.
    pub(super) raw_id: String,
    /// The kind of request.
    pub(super) asks: Asks,
    /// True if the request states its protocol revision. Its result then has a `resultType`.
    pub(super) is_stateless: bool,
    /// The client profile with the limits for the result.
    pub(super) client: Option<&'static Client>,
    /// When it was sent.
    pub(super) since: Instant,
    /// True after the client cancelled it.
    pub(super) is_cancelled: bool,
}

/// The kinds of request, by how their results are truncated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asks {
    /// A call of the tool with this name.
    Tool(String),
    /// The result of a task.
    TaskResult(Task),
    /// The state of a task. It contains the result after the task has completed.
    TaskState(Task),
    /// The list of tools.
    List,
    /// Anything else.
    Other,
}

impl Asks {
    /// Returns the tool if the response contains its result.
    pub(super) fn tool(&self) -> Option<&str> {
        match self {
            Self::Tool(tool) => Some(tool),
            Self::TaskResult(task) | Self::TaskState(task) => Some(&task.tool),
            Self::List | Self::Other => None,
        }
    }
}

/// A task of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) id: String,
    /// The tool that was called.
    pub(super) tool: String,
    /// The client profile with the limits for the result.
    pub(super) client: Option<&'static Client>,
    /// When the tool was called.
    pub(super) since: Instant,
}

/// A task that a call created.
#[derive(Debug)]
pub(super) struct OpenTask {
    task: Task,
    /// True if its result was counted in the statistics.
    is_counted: bool,
    /// The last saved output: a hash of the output, and its file.
    pub(super) saved: Option<(u64, SavedOutput)>,
}

/// Maximum bytes of a task id to store.
const TASK_ID_BYTES: usize = 1024;

/// The open requests, oldest first.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: VecDeque<PendingCall>,
    /// Oldest first.
    tasks: VecDeque<OpenTask>,
}

impl Calls {
    /// Adds a request. If there are too many, removes and returns the oldest.
    pub(super) fn open(&mut self, call: PendingCall) -> Option<PendingCall> {
        self.open.push_back(call);
        if self.open.len() > MOST { self.open.pop_front() } else { None }
    }

    /// Marks the request with this id as cancelled. Returns it if it is open and was not cancelled before.
    pub(super) fn cancel(&mut self, id: &Id) -> Option<&PendingCall> {
        let call = self.open.iter_mut().find(|call| call.id == *id && !call.is_cancelled)?;
        call.is_cancelled = true;
        Some(call)
    }

    /// Removes and returns the first request with this id. If there is none, tries the id as the other type (string or
    /// number), because clients accept that too.
    pub(super) fn answered(&mut self, id: &Id) -> Option<PendingCall> {
        let position = |id: &Id| self.open.iter().position(|call| call.id == *id);
        let at = position(id).or_else(|| position(&id.of_other_type()?))?;
        self.open.remove(at)
    }

    /// Adds the task that a call created. If there are too many, removes the oldest.
    pub(super) fn add_task(&mut self, task: Task) {
        if task.id.len() <= TASK_ID_BYTES {
            self.tasks.push_back(OpenTask { task, is_counted: false, saved: None });
            self.tasks.drain(..self.tasks.len().saturating_sub(MOST));
        }
    }

    /// Returns the task with that id, if a call created it.
    pub(super) fn task(&self, id: &str) -> Option<Task> {
        self.tasks.iter().rfind(|open| open.task.id == id).map(|open| open.task.clone())
    }

    /// Returns the stored data of the task with that id, if a call created it.
    pub(super) fn open_task(&mut self, id: &str) -> Option<&mut OpenTask> {
        self.tasks.iter_mut().rfind(|open| open.task.id == id)
    }

    /// Marks the result of a task as counted. Returns true for the first call, and for an unknown task.
    pub(super) fn count_task(&mut self, id: &str) -> bool {
        self.open_task(id).is_none_or(|open| !std::mem::replace(&mut open.is_counted, true))
    }

    /// Removes all open requests, and returns those that were not cancelled.
    pub(super) fn take_waiting(&mut self) -> Vec<PendingCall> {
        self.open.drain(..).filter(|call| !call.is_cancelled).collect()
    }
}
