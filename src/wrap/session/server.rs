//! Handles messages of the server: decides which pass unchanged, which are truncated, and which are replaced by an
//! error.

use std::borrow::Cow;
use std::hash::BuildHasher as _;
use std::io;

use serde_json::value::RawValue;

use super::Session;
use super::dropped::UNKNOWN_ID;
use crate::call_stats::tell;
use crate::clock::now_ms;
use crate::envelope::Envelope;
use crate::fit::Client;
use crate::stats::{Outcome, Record, Tool};
use crate::wrap::calls::{Asks, PendingCall, Task};
use crate::wrap::full_result::{self, FullResult, SavedOutput};
use crate::wrap::incoming::{self, Failure, Incoming};
use crate::wrap::json::{Edits, Node, Value};
use crate::wrap::locked;
use crate::wrap::message::{Id, text_of};
use crate::wrap::result::{self, Checked, FREE_BYTES, Member, set_members};

/// Number of bytes of a task's state that do not reduce the limits of the result in it.
const FREE_STATE_BYTES: u64 = 1024;

/// Maximum bytes of a line with invalid UTF-8. A longer line is not decoded.
const MAX_LOSSY_BYTES: usize = 4_000_000;
/// Number of bytes at the start of a dropped line that are decoded for the warning.
const DROPPED_START_BYTES: usize = 256;

impl Session {
    /// Returns what to send to the client for a line of the server.
    pub(in crate::wrap) fn check_server_message<'l>(&self, line: &'l [u8]) -> Cow<'l, [u8]> {
        // A replacement character takes three times as much memory as the byte that it replaces.
        if line.len() > MAX_LOSSY_BYTES && std::str::from_utf8(line).is_err() {
            return self.broken(line, "it is not UTF-8").into_bytes().into();
        }
        let text = text_of(line);
        let Some(value) = Value::of_any_depth(&text) else {
            return self.broken(line, "it is not JSON").into_bytes().into();
        };
        // Some clients treat a carriage return as the end of a line.
        if value.text.contains('\r') {
            return self.broken(line, "it has a carriage return inside").into_bytes().into();
        }
        let is_batch = value.text.starts_with('[');
        let replacement = if is_batch { self.batch(value.top()) } else { self.message(&value) };
        match (replacement, text) {
            (Some(lines), _) => lines.into_bytes().into(),
            (None, Cow::Borrowed(_)) => line.into(),
            // Bytes that are not UTF-8 would make some clients close the connection.
            (None, Cow::Owned(text)) => text.into_bytes().into(),
        }
    }

    /// Returns an error for the request to which an invalid line responds. Without such a request, drops the line.
    fn broken(&self, line: &[u8], why: &str) -> String {
        let mut envelope = Envelope::default();
        envelope.scan(line);
        let message = envelope.message;
        let id = message.raw_id::<Box<RawValue>>().filter(|_| message.is_response());
        let call = id.and_then(|id| locked(&self.calls).answered(&Id::of(id.get())?));
        if let Some(call) = call {
            return self.invalid(&call, why);
        }
        let line = line.trim_ascii_start();
        let (start, _) = line.split_at(line.len().min(DROPPED_START_BYTES));
        self.dropped.add(&String::from_utf8_lossy(start), why);
        String::new()
    }

    /// Handles each message of a batch separately. If any changes, returns all of them on lines of their own.
    fn batch(&self, top: Node<'_>) -> Option<String> {
        let (mut lines, mut is_same) = (String::new(), true);
        for item in top.items() {
            let value = Value::of_any_depth(item.text()).filter(|_| item.is_object());
            let replacement = match &value {
                Some(value) => self.message(value),
                None => Some(self.broken(item.text().as_bytes(), "it is not an object")),
            };
            is_same &= replacement.is_none();
            match replacement {
                None => lines.extend([item.text(), "\n"]),
                Some(new) => lines += &new,
            }
        }
        // An empty batch is not valid.
        (!is_same || lines.is_empty()).then_some(lines)
    }

    /// Returns the line to send in place of a message, or `None` if the message passes unchanged. The line is empty if the
    /// message is dropped.
    fn message(&self, value: &Value<'_>) -> Option<String> {
        let top = value.top();
        let mut edits = Edits::of(value.text);
        match incoming::parse(top) {
            Ok(Incoming::Call { method, params }) => {
                let is_of_task =
                    matches!(method.as_str(), "notifications/tasks" | "notifications/tasks/status");
                if let Some(params) = params.filter(|_| is_of_task) {
                    let client = *locked(&self.client_row);
                    let task = self.task_of(Some(params), &method, client);
                    let set = |state: Member<'_, '_>| set_members(&mut edits, top, vec![("params", state)]);
                    if let Err(why) = self.check_task(params, &task, set) {
                        self.dropped.add(value.text, why);
                        return Some(String::new());
                    }
                }
            }
            Ok(Incoming::Result { id, result }) => {
                let Some(call) = self.answered(id) else { return Some(String::new()) };
                let set = |result: Member<'_, '_>| {
                    set_members(
                        &mut edits,
                        top,
                        vec![("id", new_or_same(id_of(&call, id))), ("result", result)],
                    );
                };
                if let Err(why) = self.check(&call, result, set) {
                    return Some(self.invalid(&call, why));
                }
            }
            Ok(Incoming::Error { id: None, error }) => {
                let error = self.error(error, None, *locked(&self.client_row), 0);
                set_members(&mut edits, top, vec![("error", new_or_same(error))]);
            }
            Ok(Incoming::Error { id: Some(id), error }) => {
                let Some(call) = self.answered(id) else { return Some(String::new()) };
                self.count(&call, Outcome::Error);
                let error = self.error(error, call.asks.tool(), call.client, 0);
                set_members(
                    &mut edits,
                    top,
                    vec![("id", new_or_same(id_of(&call, id))), ("error", new_or_same(error))],
                );
            }
            Err(why) => return Some(self.broken(value.text.as_bytes(), why)),
        }
        (!edits.is_empty()).then(|| edits.applied() + "\n")
    }

    /// Removes the request with this id. Counts a response to a request that is not open.
    fn answered(&self, id: Node<'_>) -> Option<PendingCall> {
        let call = Id::of(id.text()).and_then(|id| locked(&self.calls).answered(&id));
        if call.is_none() {
            self.dropped.add(id.text(), UNKNOWN_ID);
        }
        call
    }

    fn invalid(&self, call: &PendingCall, why: &str) -> String {
        self.failed(call, &format!("Invalid response of the server: {why}"))
    }

    /// Truncates the `result` of a response, and passes the change to `set`.
    ///
    /// # Errors
    ///
    /// Returns the reason if the state of a task cannot be truncated.
    fn check(
        &self,
        call: &PendingCall,
        result: Node<'_>,
        set: impl FnOnce(Member<'_, '_>),
    ) -> Result<(), &'static str> {
        match &call.asks {
            Asks::Tool(tool) => {
                let task = task_id(result).filter(|_| result.get("content").is_none());
                let is_task = task.is_some();
                if let Some(id) = task {
                    let (tool, client, since) = (tool.clone(), call.client, call.since);
                    locked(&self.calls).add_task(Task { id, tool, client, since });
                }
                let checked = self.cut(result, tool, call.client, None, 0, set);
                // The call that created a task is counted with the task's result.
                if !is_task {
                    self.count(call, outcome(&checked));
                }
            }
            Asks::TaskResult(task) => {
                let checked = self.cut(result, &task.tool, call.client, Some(task), 0, set);
                if locked(&self.calls).count_task(&task.id) {
                    self.count(call, outcome(&checked));
                }
            }
            Asks::TaskState(task) => return self.check_task(result, task, set),
            Asks::List => {
                locked(&self.schemas).learn(result);
                set(Member::Same);
            }
            Asks::Other => set(Member::Same),
        }
        Ok(())
    }

    /// Truncates the result or the error in the state of a task.
    ///
    /// # Errors
    ///
    /// Returns the reason if it cannot be truncated.
    fn check_task(
        &self,
        state: Node<'_>,
        task: &Task,
        set: impl FnOnce(Member<'_, '_>),
    ) -> Result<(), &'static str> {
        let [result, error] =
            state.get_all(["result", "error"]).map(|node| node.filter(|node| node.text() != "null"));
        if result.is_some() && error.is_some() {
            return Err("the state of a task has a result and an error");
        }
        let inner = result.or(error).map_or(0, |node| node.text().len());
        let state_bytes = (state.text().len() - inner) as u64;
        if state_bytes > result::rest_limit(self.settings.limits.bounds().bytes) {
            return Err("the state of a task is over the limit without its result");
        }
        let used = state_bytes.saturating_sub(FREE_STATE_BYTES);
        let error = match error.map(|error| (error, Failure::of(error))) {
            Some((_, Some(error))) => self.error(error, Some(&task.tool), task.client, used),
            Some((error, None)) if error.text().len() as u64 > FREE_BYTES => {
                return Err("the error of a task has no code and message");
            }
            _ => None,
        };
        match result {
            Some(result) if result.is_object() => {
                let set = |result: Member<'_, '_>| set(Member::Members(vec![("result", result)]));
                let checked = self.cut(result, &task.tool, task.client, Some(task), used, set);
                if locked(&self.calls).count_task(&task.id)
                    && let Some(tool) = Tool::named(&task.tool)
                {
                    self.stats.add(&Record::new(now_ms(), tool, task.since.elapsed(), outcome(&checked)));
                }
            }
            Some(result) if result.text().len() as u64 > FREE_BYTES => {
                return Err("the result of a task is not an object");
            }
            _ => set(Member::Members(vec![("error", new_or_same(error))])),
        }
        Ok(())
    }

    /// Truncates a result of `tool`, and passes the change to `set`. The state of a task takes `used` bytes of the
    /// limit.
    fn cut(
        &self,
        result: Node<'_>,
        tool: &str,
        client: Option<&Client>,
        task: Option<&Task>,
        used: u64,
        set: impl FnOnce(Member<'_, '_>),
    ) -> Checked {
        let schema = locked(&self.schemas).of(tool);
        let rules = self.settings.rules(tool, client, self.store.path().as_deref(), schema).less(used);
        let save = |full: FullResult<'_>| self.save(task, full);
        let checked = result::check(result, &rules, &save, set);
        let answered = checked.answered;
        tell(tool, &answered, answered.total_bytes.unwrap_or(answered.output_bytes), rules.bounds.bytes);
        checked
    }

    /// Truncates the error of a response. Returns `None` if it is within the limits. `used` is as in [`Self::cut`].
    fn error(
        &self,
        error: Failure<'_>,
        tool: Option<&str>,
        client: Option<&Client>,
        used: u64,
    ) -> Option<String> {
        let tool = tool.unwrap_or_default();
        let schema = locked(&self.schemas).of(tool);
        let rules = self.settings.rules(tool, client, self.store.path().as_deref(), schema).less(used);
        result::cut_error(error, &rules, &|full: FullResult<'_>| self.save(None, full))
    }

    /// Saves a full output. The result of a task can arrive several times, but is saved only once.
    fn save(&self, task: Option<&Task>, full: FullResult<'_>) -> io::Result<SavedOutput> {
        let Some(task) = task else { return full_result::save(&self.store, full) };
        let hash = self.hashes.hash_one(full);
        let earlier = locked(&self.calls).open_task(&task.id).and_then(|open| open.saved.clone());
        if let Some((earlier_hash, saved)) = earlier
            && earlier_hash == hash
            && saved.path.exists()
        {
            return Ok(saved);
        }
        let saved = full_result::save(&self.store, full)?;
        if let Some(open) = locked(&self.calls).open_task(&task.id) {
            open.saved = Some((hash, saved.clone()));
        }
        Ok(saved)
    }
}

/// Returns the original id to use in a response, if the server spelled it differently: clients may treat another
/// spelling as another id.
fn id_of(call: &PendingCall, id: Node<'_>) -> Option<String> {
    let raw = id.text();
    let is_same_string = raw.starts_with('"') && Id::of(raw).as_ref() == Some(&call.id);
    (raw != call.raw_id && !is_same_string).then(|| call.raw_id.clone())
}

fn new_or_same<'e, 'a>(new: Option<String>) -> Member<'e, 'a> {
    new.map_or(Member::Same, Member::New)
}

/// Returns the id of the task that a call's `result` creates.
fn task_id(result: Node<'_>) -> Option<String> {
    let [kind, task, id] = result.get_all(["resultType", "task", "taskId"]);
    let nested = task.and_then(|task| task.get("taskId")?.string());
    let is_task = || kind.and_then(Node::string).as_deref() == Some("task");
    Some(nested.or_else(|| id.filter(|_| is_task())?.string())?.into_owned())
}

fn outcome(checked: &Checked) -> Outcome {
    if checked.is_error { Outcome::Error } else { Outcome::Ok(checked.answered) }
}
