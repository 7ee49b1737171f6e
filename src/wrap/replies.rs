//! The messages that a wrap itself sends, where the other side can't.

use serde_json::{Value, json};

/// The code of a request that can't be taken.
pub(super) const INVALID_REQUEST: i32 = -32_600;
/// The code of a server that is gone.
pub(super) const SERVER_ENDED: i32 = -32_000;

/// An error to the request of that id, which is JSON; one line.
pub(super) fn error(id: &str, code: i32, message: &str) -> String {
    let error = json!({ "code": code, "message": message });
    line(id, "error", &error)
}

/// A tool's result that is an error; `is_stateless` where a result says of which type it is.
pub(super) fn tool_error(id: &str, message: &str, is_stateless: bool) -> String {
    let mut result = json!({ "content": [{ "type": "text", "text": message }], "isError": true });
    if let Some(object) = result.as_object_mut().filter(|_| is_stateless) {
        object.insert("resultType".to_owned(), json!("complete"));
    }
    line(id, "result", &result)
}

fn line(id: &str, member: &str, value: &Value) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":{value}}}\n")
}
