//! The strict parser for messages of a server.
//!
//! The server is not trusted. Clients accept more than the protocol allows: other spellings of a member, duplicate
//! members, an id of another type. A message therefore passes only if it has exactly one meaning.

use super::json::Node;
use super::message::is_whole;

/// The members of a message.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// A message that follows JSON-RPC.
#[derive(Debug)]
pub(super) enum Incoming<'a> {
    /// A request or a notification.
    Call { method: String, params: Option<Node<'a>> },
    /// A response with a result, which is an object.
    Result { id: Node<'a>, result: Node<'a> },
    /// A response with an error. It has no id if the server could not read the id of the request.
    Error { id: Option<Node<'a>>, error: Failure<'a> },
}

/// The error of a response.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure<'a> {
    pub(super) node: Node<'a>,
    pub(super) code: Node<'a>,
    pub(super) message: Node<'a>,
    pub(super) data: Option<Node<'a>>,
}

/// Parses a message of the server. A member that is `null` counts as absent, because some servers send `"error": null`.
///
/// # Errors
///
/// Returns the reason if the message does not follow JSON-RPC.
pub(super) fn parse(message: Node<'_>) -> Result<Incoming<'_>, &'static str> {
    let mut found = [None; MEMBERS.len()];
    for member in message.children().filter(|_| message.is_object()) {
        let name = member.name().unwrap_or_default();
        let known = MEMBERS.iter().position(|known| *known == name);
        match known.and_then(|n| found.get_mut(n)) {
            None => return Err("it has a member that is not part of JSON-RPC"),
            Some(Some(_)) => return Err("it has two members of one name"),
            Some(place) => *place = Some(member),
        }
    }
    let [version, id, method, params, result, error] =
        found.map(|member: Option<Node<'_>>| member.filter(|member| member.text() != "null"));
    if version.and_then(Node::string).as_deref() != Some("2.0") {
        return Err("its version is not \"2.0\"");
    }
    if id.is_some_and(|id| {
        !id.text().starts_with(['"', '-']) && !id.text().starts_with(|c: char| c.is_ascii_digit())
    }) {
        return Err("its id is not a string or a number");
    }
    match (method, params, result, error) {
        (Some(method), params, None, None) => {
            let method = method.string().ok_or("its method is not a string")?.into_owned();
            if params.is_some_and(|params| !params.is_object() && !params.is_array()) {
                return Err("its params are not an object");
            }
            Ok(Incoming::Call { method, params })
        }
        (None, None, Some(result), None) if result.is_object() => {
            Ok(Incoming::Result { id: id.ok_or("it has no id")?, result })
        }
        (None, None, None, Some(error)) => {
            let error = Failure::of(error).ok_or("its error has no code and message")?;
            Ok(Incoming::Error { id, error })
        }
        _ => Err("it is not a request, a notification or a response with one result or error"),
    }
}

impl<'a> Failure<'a> {
    /// Parses an error object. Returns `None` if clients would not accept it.
    pub(super) fn of(node: Node<'a>) -> Option<Self> {
        let [code, message, data] = node.get_all(["code", "message", "data"]);
        let (code, message) = code.zip(message).filter(|_| node.is_object())?;
        let is_valid = is_whole(code.text()) && message.text().starts_with('"');
        is_valid.then_some(Self { node, code, message, data })
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::Value;
    use super::*;

    /// Returns the kind of message.
    fn kind(line: &str) -> String {
        let value = Value::of_any_depth(line).unwrap();
        match parse(value.top()) {
            Ok(Incoming::Call { method, .. }) => method,
            Ok(Incoming::Result { id, .. }) => format!("result {}", id.text()),
            Ok(Incoming::Error { id, .. }) => format!("error {}", id.map_or("", Node::text)),
            Err(_) => "invalid".to_owned(),
        }
    }

    #[test]
    fn only_messages_with_one_meaning_are_valid() {
        let cases = [
            (r#"{"jsonrpc":"2.0","id":2,"result":{}}"#, "result 2"),
            (r#"{"\u006asonrpc":"2\u002e0","\u0069d":2.0,"result":{},"error":null}"#, "result 2.0"),
            (r#"{"jsonrpc":"2.0","id":"2","error":{"code":-1,"message":""}}"#, "error \"2\""),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1.0,"message":"x"}}"#, "error "),
            (r#"{"jsonrpc":"2.0","id":2,"method":"m","params":[]}"#, "m"),
            (r#"{"jsonrpc":"2.0","method":"n","params":{"result":{}}}"#, "n"),
            (r#"{"jsonrpc":"2.0","id":2}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"result":"x"}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"result":null}"#, "invalid"),
            (r#"{"jsonrpc":"1.0","id":2,"result":{}}"#, "invalid"),
            (r#"{"jsonrpc":2.0,"id":2,"result":{}}"#, "invalid"),
            (r#"{"id":2,"result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"method":5,"result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"method":"m","result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"method":5}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"\u0069d":2,"result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"result":{},"result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","ID":2,"result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"Result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"result":{},"x":1}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":""}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"error":{"code":1.5,"message":""}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"error":"x"}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":[2],"result":{}}"#, "invalid"),
            (r#"{"jsonrpc":"2.0","id":2,"method":"m","params":5}"#, "invalid"),
            (r#"{"level":"info","id":2}"#, "invalid"),
            (r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#, "invalid"),
        ];
        for (line, expected) in cases {
            assert_eq!(kind(line), expected, "{line}");
        }
    }
}
