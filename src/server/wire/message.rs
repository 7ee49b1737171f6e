//! Converts a line to a message, or to an error response if the line is invalid.
//!
//! Every request gets a response, with its id if the id is certain. An object that is not a message gets an error if it
//! has an id. An incomplete or oversized object gets one even without an id, because the id may be unreadable. A batch
//! that contains a request gets one error without an id. Notifications, responses and other lines get no response: two
//! peers that answer each other's errors would never stop.

use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, JsonRpcRequest,
    RequestId,
};
use serde_json::Value;

use super::lines::Line;
use crate::envelope::Envelope;
use crate::server::NAME_CHARS;

/// The error response to an invalid line, and the id if it is known.
pub(super) type Refusal = (ErrorData, Option<RequestId>);

/// The parameters of each method that needs some. rmcp parses a request with other parameters as an unknown method.
const PARAMS: [(&str, &str); 4] = [
    ("initialize", "protocolVersion (a string), capabilities and clientInfo (objects)"),
    ("tools/call", "name (a string) and arguments (an object)"),
    ("resources/read", "uri (a string)"),
    ("logging/setLevel", "level: debug, info, notice, warning, error, critical, alert or emergency"),
];

/// Parses a line as a message. For an invalid line, returns the error response, if it gets one.
pub(super) fn parse(line: &Line) -> Result<ClientJsonRpcMessage, Option<Refusal>> {
    let Line { bytes, envelope, exceeded_limit } = line;
    if let Some(limit) = exceeded_limit {
        tracing::error!("ignored a message of more than {limit}");
        let message = format!("Invalid request: a message may have {limit}");
        return Err(refused(envelope, ErrorData::invalid_request(message, None)));
    }
    let line = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match parse_call(line, envelope).map_or_else(|| serde_json::from_slice(line), Ok) {
        Ok(JsonRpcMessage::Request(request)) => match wrong_params(&request.request) {
            Some(message) => Err(Some((ErrorData::invalid_params(message, None), Some(request.id)))),
            None => Ok(JsonRpcMessage::Request(request)),
        },
        Ok(message) => Ok(message),
        Err(error) => {
            tracing::debug!(%error, "ignored a line that is not a message");
            Err(match serde_json::from_slice::<Value>(line) {
                Ok(value) => not_a_message(&value),
                Err(error) => {
                    refused(envelope, ErrorData::parse_error(format!("Parse error: {error}"), None))
                }
            })
        }
    }
}

/// Parses a tool call directly. The general parser would try each kind of message and request in turn.
fn parse_call(line: &[u8], envelope: &Envelope) -> Option<ClientJsonRpcMessage> {
    let is_call =
        envelope.message.is_call() && envelope.message.has_id && !envelope.message.has_response_member;
    let call = is_call.then(|| serde_json::from_slice::<JsonRpcRequest<CallToolRequest>>(line))?.ok()?;
    let request = ClientRequest::CallToolRequest(call.request);
    Some(JsonRpcMessage::Request(JsonRpcRequest::new(call.id, request)))
}

/// Returns the error message for a request with other parameters than its method needs: the expected ones.
fn wrong_params(request: &ClientRequest) -> Option<String> {
    let ClientRequest::CustomRequest(request) = request else { return None };
    let (method, params) = PARAMS.iter().find(|(method, _)| *method == request.method)?;
    Some(format!("{method} takes {params}"))
}

/// Returns the error response to JSON that is not a message.
fn not_a_message(value: &Value) -> Option<Refusal> {
    if let Value::Array(batch) = value {
        let asks = batch.iter().any(|one| one.get("id").is_some() && one.get("method").is_some());
        let error = ErrorData::invalid_request("Invalid request: batches are not supported", None);
        return asks.then_some((error, None));
    }
    let (Some(id), method) = (value.get("id"), value.get("method")) else { return None };
    if method.is_none() && (value.get("result").is_some() || value.get("error").is_some()) {
        return None;
    }
    let id: Option<RequestId> = serde_json::from_value(id.clone()).ok();
    let error = match method.and_then(Value::as_str) {
        Some(method) if id.is_some() && value.get("jsonrpc").is_some_and(|version| version == "2.0") => {
            let method = cutline_core::text::show::middle_out(method, NAME_CHARS);
            ErrorData::invalid_params(format!("Invalid params for {method}"), None)
        }
        _ => ErrorData::invalid_request("Invalid request", None),
    };
    Some((error, id))
}

fn refused(envelope: &Envelope, error: ErrorData) -> Option<Refusal> {
    envelope.needs_response().then(|| (error, envelope.certain_id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<ClientJsonRpcMessage> {
        let mut envelope = Envelope::default();
        envelope.scan(line.as_bytes());
        parse_call(line.as_bytes(), &envelope)
    }

    #[test]
    fn calls_are_the_same_as_by_the_general_way() {
        for (params, is_call) in [
            (r#"{"name":"read","arguments":{"path":"a","limit":3}}"#, true),
            (r#"{"arguments":{},"_meta":{"progressToken":7,"x":[1,{}]},"name":"ls"}"#, true),
            (r#"{"name":"ls","unknown":1}"#, true),
            (r#"{"name":"ls","arguments":[1]}"#, false),
            (r#"{"name":5}"#, false),
            ("[]", false),
        ] {
            for members in ["", r#","result":{}"#, r#","error":1"#, r#","extra":null"#, r#","id":9"#] {
                let line =
                    format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{params}{members}}}"#);
                let general = serde_json::from_str::<ClientJsonRpcMessage>(&line);
                let own = parsed(&line);
                assert_eq!(own.is_some(), is_call && ["", r#","extra":null"#].contains(&members), "{line}");
                if let Some(own) = own {
                    assert_eq!(format!("{own:?}"), format!("{:?}", general.unwrap()), "{line}");
                }
            }
        }
        assert!(parsed(r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#).is_none());
        assert!(parsed(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ls"}}"#).is_none());
    }
}
