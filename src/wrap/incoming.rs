//! The strict parser for messages of a server.
//!
//! The server is not trusted. Clients accept more than the protocol allows: other spellings of a member, duplicate
//! members, an id of another type. A message therefore passes only if it has exactly one meaning.

use super::json::Node;
use super::message::is_whole;

/// Maximum bytes of a response without its id, result and error: the version, the names of members, white space.
pub(super) const MAX_FRAME_BYTES: usize = 1024;
/// Maximum number of ids that are read from an invalid message.
const MAX_IDS: usize = 16;
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

/// A message that does not follow JSON-RPC.
#[derive(Debug)]
pub(super) struct Invalid<'a> {
    /// The ids of the requests to which the message may respond.
    pub(super) ids: Vec<Node<'a>>,
    pub(super) why: &'static str,
}

/// Parses a message of the server. A member that is `null` counts as absent, because some servers send `"error": null`.
///
/// # Errors
///
/// Returns the ids in the message, unless it is a request of the server.
pub(super) fn parse(message: Node<'_>) -> Result<Incoming<'_>, Invalid<'_>> {
    let mut found = [None; MEMBERS.len()];
    let mut flaw = (!message.is_object()).then_some("it is not an object");
    let (mut ids, mut has_outcome) = (Vec::new(), false);
    for member in message.children().filter(|_| message.is_object()) {
        let name = member.name().unwrap_or_default();
        let known = MEMBERS.iter().position(|known| *known == name);
        // Some clients ignore the case of names.
        let resembles = |known: &str| name.eq_ignore_ascii_case(known);
        if resembles("id") && ids.len() < MAX_IDS {
            ids.push(member);
        }
        has_outcome |= resembles("result") || resembles("error");
        match known.and_then(|n| found.get_mut(n)) {
            None => flaw = flaw.or(Some("it has a member that is not part of JSON-RPC")),
            Some(Some(_)) => flaw = flaw.or(Some("it has two members of one name")),
            Some(place) => *place = Some(member),
        }
    }
    let has_version = found[0].is_some();
    let [version, id, method, params, result, error] =
        found.map(|member: Option<Node<'_>>| member.filter(|member| member.text() != "null"));
    let is_request = method.is_some_and(|method| method.string().is_some());
    // An object without a version is more likely a log line than a response.
    if (is_request || !has_version) && !has_outcome {
        ids.clear();
    }
    let invalid = |why| Err(Invalid { ids: ids.clone(), why });
    if let Some(why) = flaw {
        return invalid(why);
    }
    if version.and_then(Node::string).as_deref() != Some("2.0") {
        return invalid("its version is not \"2.0\"");
    }
    if id.is_some_and(|id| {
        !id.text().starts_with(['"', '-']) && !id.text().starts_with(|c: char| c.is_ascii_digit())
    }) {
        return invalid("its id is not a string or a number");
    }
    let id_bytes = id.map_or(0, |id| id.text().len());
    let frame_bytes = |body: Node<'_>| message.text().len() - id_bytes - body.text().len();
    match (method, result, error) {
        (Some(method), None, None) => match method.string() {
            None => invalid("its method is not a string"),
            Some(_) if params.is_some_and(|params| !params.is_object() && !params.is_array()) => {
                invalid("its params are not an object")
            }
            Some(method) => Ok(Incoming::Call { method: method.into_owned(), params }),
        },
        (None, Some(body), None) | (None, None, Some(body)) if frame_bytes(body) > MAX_FRAME_BYTES => {
            invalid("it is over 1KB without its result")
        }
        (None, Some(result), None) => match id {
            _ if params.is_some() => invalid("it has params and a result"),
            None => invalid("it has a result and no id"),
            Some(_) if !result.is_object() => invalid("its result is not an object"),
            Some(id) => Ok(Incoming::Result { id, result }),
        },
        (None, None, Some(error)) => match Failure::of(error) {
            _ if params.is_some() => invalid("it has params and an error"),
            None => invalid("its error has no code and message"),
            Some(error) => Ok(Incoming::Error { id, error }),
        },
        (None, None, None) => invalid("it has no method, result or error"),
        (Some(_), ..) => invalid("it has a method and a result or an error"),
        (None, Some(_), Some(_)) => invalid("it has a result and an error"),
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

    /// Returns the kind of message, or the ids in an invalid one.
    fn kind(line: &str) -> String {
        let value = Value::of_any_depth(line).unwrap();
        match parse(value.top()) {
            Ok(Incoming::Call { method, .. }) => method,
            Ok(Incoming::Result { id, .. }) => format!("result {}", id.text()),
            Ok(Incoming::Error { id, .. }) => format!("error {}", id.map_or("", Node::text)),
            Err(Invalid { ids, .. }) => {
                format!("invalid {:?}", ids.iter().map(|id| id.text()).collect::<Vec<_>>())
            }
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
            (r#"{"jsonrpc":"2.0","id":2}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"result":"x"}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"result":null}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"1.0","id":2,"result":{}}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":2.0,"id":2,"result":{}}"#, r#"invalid ["2"]"#),
            (r#"{"id":2,"result":{}}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"method":5,"result":{}}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"method":"m","result":{}}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"method":5}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#, r#"invalid ["1", "2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"\u0069d":2,"result":{}}"#, r#"invalid ["2", "2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"result":{},"result":{}}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","ID":2,"result":{}}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"Result":{}}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"result":{},"x":1}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":""}}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"error":{"code":1.5,"message":""}}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":2,"error":"x"}"#, r#"invalid ["2"]"#),
            (r#"{"jsonrpc":"2.0","id":[2],"result":{}}"#, r#"invalid ["[2]"]"#),
            // A request of the server has an id of the server. The other line is from a log.
            (r#"{"jsonrpc":"2.0","id":2,"method":"m","params":5}"#, "invalid []"),
            (r#"{"level":"info","id":2}"#, "invalid []"),
            (r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#, "invalid []"),
        ];
        for (line, expected) in cases {
            assert_eq!(kind(line), expected, "{line}");
        }
        let spaces = " ".repeat(MAX_FRAME_BYTES);
        assert_eq!(kind(&format!(r#"{{{spaces}"jsonrpc":"2.0","id":2,"result":{{}}}}"#)), r#"invalid ["2"]"#);
    }
}
