//! The requests of the client that are not answered yet.

use std::collections::VecDeque;
use std::time::Instant;

use super::message::Id;
use crate::fit::Client;

/// Requests that are remembered. A server need not answer one that was taken back, so the oldest go.
const MOST: usize = 4096;

/// A request of the client.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The id.
    pub(super) id: Id,
    /// The id as it was sent.
    pub(super) raw_id: String,
    /// The kind of request.
    pub(super) asks: Asks,
    /// True if it says in which revision it is, so that its result says of which type it is.
    pub(super) is_stateless: bool,
    /// The client that its result is fitted to.
    pub(super) client: Option<&'static Client>,
    /// When it was sent.
    pub(super) since: Instant,
    /// True once it was taken back.
    pub(super) is_cancelled: bool,
}

/// The kinds of request whose answers are cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asks {
    /// The result of the tool of that name, or of a task.
    Tool(String),
    /// The list of tools.
    List,
    /// Anything else.
    Other,
}

/// Bytes of a task's id that is remembered.
const TASK_ID_BYTES: usize = 1024;

/// The open requests, oldest first.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: VecDeque<Call>,
    /// The ids of tasks, and the tools whose results they are; oldest first.
    tasks: VecDeque<(String, String)>,
}

impl Calls {
    /// A request goes to the server. Returns the one that is forgotten for it: the oldest of those that were
    /// cancelled, else of those whose answers are not cut, else of all.
    pub(super) fn open(&mut self, call: Call) -> Option<Call> {
        let forgotten = (self.open.len() >= MOST).then(|| {
            let first = |is_it: fn(&Call) -> bool| self.open.iter().position(is_it);
            let oldest = first(|call| call.is_cancelled);
            oldest.or_else(|| first(|call| !matches!(call.asks, Asks::Tool(_)))).unwrap_or(0)
        });
        let forgotten = forgotten.and_then(|oldest| self.open.remove(oldest));
        self.open.push_back(call);
        forgotten
    }

    /// The request of that id is taken back; true if it is open, and was not taken back before.
    pub(super) fn cancel(&mut self, id: &Id) -> Option<&Call> {
        let call = self.open.iter_mut().find(|call| call.id == *id && !call.is_cancelled)?;
        call.is_cancelled = true;
        Some(call)
    }

    /// The request that an answer with that id is for: the first of several.
    pub(super) fn answered(&mut self, id: &Id) -> Option<Call> {
        let at = self.open.iter().position(|call| call.id == *id)?;
        self.open.remove(at)
    }

    /// Notes the task in which a call of `tool` goes on; past a number of them the oldest is forgotten.
    pub(super) fn add_task(&mut self, id: &str, tool: &str) {
        if id.len() <= TASK_ID_BYTES {
            self.tasks.push_back((id.to_owned(), tool.to_owned()));
            self.tasks.drain(..self.tasks.len().saturating_sub(MOST));
        }
    }

    /// Returns the tool whose result that task has.
    pub(super) fn tool_of_task(&self, id: &str) -> Option<&str> {
        self.tasks.iter().rfind(|(task, _)| task == id).map(|(_, tool)| tool.as_str())
    }

    /// All that still wait for an answer.
    pub(super) fn take_waiting(&mut self) -> Vec<Call> {
        self.open.drain(..).filter(|call| !call.is_cancelled).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_tools_are_forgotten_last() {
        let mut calls = Calls::default();
        let id = |number: usize| Id::of(&number.to_string()).unwrap();
        let open = |calls: &mut Calls, number: usize, asks: Asks| {
            let (id, since) = (id(number), Instant::now());
            let call = Call {
                id,
                raw_id: String::new(),
                asks,
                is_stateless: false,
                client: None,
                since,
                is_cancelled: false,
            };
            calls.open(call).map(|call| call.id)
        };
        let tool = || Asks::Tool("a".to_owned());
        for number in 0..MOST {
            let asks = if number == 2 { Asks::Other } else { tool() };
            assert_eq!(open(&mut calls, number, asks), None);
        }
        calls.cancel(&id(3)).unwrap();
        let forgotten = [3, 2, 0].map(|number| Some(id(number)));
        assert_eq!([5000, 5001, 5002].map(|number| open(&mut calls, number, tool())), forgotten);
    }
}
