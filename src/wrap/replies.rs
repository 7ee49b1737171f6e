//! The messages that cutline itself sends to a client or a server.

use serde_json::{Value, json};

/// The error code for a request that is not forwarded.
pub(super) const INVALID_REQUEST: i32 = -32_600;
/// The error code for a request without a valid response.
pub(super) const SERVER_ENDED: i32 = -32_000;

/// Returns an error response, as one line. `id` is JSON.
pub(super) fn error(id: &str, code: i32, message: &str) -> String {
    let error = json!({ "code": code, "message": message });
    line(id, "error", &error)
}

/// Returns a tool result with an error. It has a `resultType` if `is_stateless`.
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
