//! Splits the input into lines, and converts a line to a message, or to an error response if the line is invalid.
//!
//! Every request gets a response, with its id if the id can be read. A line that is not a JSON object gets an error
//! without an id; a blank line gets none. Notifications and responses get no response: two peers that answer each
//! other's errors would never stop.

use std::io;

use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcRequest, RequestId,
};
use serde_json::error::Category;
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder};

use crate::json;
use crate::limits::MAX_MESSAGE_BYTES;
use crate::server::NAME_CHARS;
use cutline_core::text::{Size, show};

/// The error response to an invalid line, and the id if it is known.
pub(super) type Refusal = (ErrorData, Option<RequestId>);

/// A line, or `None` if it is over the limit.
type MaybeLine = Option<Bytes>;

/// Splits a stream into lines. The last line needs no newline. The bytes of a line over the limit are dropped.
#[derive(Debug)]
pub(super) struct LineCodec(AnyDelimiterCodec);

impl Default for LineCodec {
    fn default() -> Self {
        Self(AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), MAX_MESSAGE_BYTES))
    }
}

impl Decoder for LineCodec {
    type Item = MaybeLine;
    type Error = io::Error;

    fn decode(&mut self, from: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        within_limit(self.0.decode(from))
    }

    fn decode_eof(&mut self, from: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        within_limit(self.0.decode_eof(from))
    }
}

/// Converts an oversized line to an item, because an error would end the stream.
fn within_limit(line: Result<Option<Bytes>, AnyDelimiterCodecError>) -> io::Result<Option<MaybeLine>> {
    match line {
        Ok(line) => Ok(line.map(Some)),
        Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => Ok(Some(None)),
        Err(AnyDelimiterCodecError::Io(error)) => Err(error),
    }
}

/// Parses a line as a message. For an invalid line, returns the error response, if it gets one.
#[expect(clippy::result_large_err, reason = "a line is parsed once")]
pub(super) fn parse(line: Option<&[u8]>) -> Result<ClientJsonRpcMessage, Option<Refusal>> {
    let Some(line) = line else {
        let limit = Size(MAX_MESSAGE_BYTES as u64);
        tracing::error!("ignored a message of more than {limit}");
        let message = format!("Invalid request: a message may have {limit}");
        return Err(Some((ErrorData::invalid_request(message, None), None)));
    };
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    // The general parser tries every kind of message in turn, so a call is parsed directly.
    if let Ok(call) = serde_json::from_slice::<JsonRpcRequest<CallToolRequest>>(line) {
        return Ok(ClientJsonRpcMessage::request(ClientRequest::CallToolRequest(call.request), call.id));
    }
    serde_json::from_slice(line).map_err(|error| {
        tracing::debug!(%error, "ignored a line that is not a message");
        if line.is_empty() { None } else { refusal(line, &error) }
    })
}

/// Returns the error response to a line that is not a message. `error` is that of its parser.
fn refusal(line: &[u8], error: &serde_json::Error) -> Option<Refusal> {
    let is_json = error.classify() == Category::Data;
    let invalid = match line {
        _ if !is_json => ErrorData::parse_error(format!("Parse error: {error}"), None),
        [b'[', ..] => ErrorData::invalid_request("Invalid request: batches are not supported", None),
        _ => ErrorData::invalid_request("Invalid request", None),
    };
    // The id of a message with invalid text is known too.
    let text = String::from_utf8_lossy(line);
    if !text.starts_with('{') || !json::is_valid(&text) {
        return Some((invalid, None));
    }
    let [version, id, method] = json::members(&text, ["jsonrpc", "id", "method"]);
    // A notification or a response.
    let (id, method) = (id?, method?);
    let id = serde_json::from_str::<RequestId>(id).ok();
    match json::text(method) {
        Some(method) if is_json && id.is_some() && version == Some("\"2.0\"") => {
            let method = show::middle_out(&method, NAME_CHARS);
            Some((ErrorData::invalid_params(format!("Invalid params for {method}"), None), id))
        }
        _ => Some((invalid, id)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use futures_util::StreamExt as _;
    use tokio_util::codec::FramedRead;

    #[tokio::test]
    async fn session_continues_after_lines_over_the_limit() {
        let most = "x".repeat(MAX_MESSAGE_BYTES);
        let input = format!("one\r\n\n{most}\n{most}x\n{most}{most}{most}\nrest");
        let lines = FramedRead::new(input.as_bytes(), LineCodec::default());
        let seen: Vec<_> = lines.map(Result::unwrap).collect().await;
        let expected = [Some("one\r"), Some(""), Some(most.as_str()), None, None, Some("rest")];
        let expected = expected.map(|line| line.map(|line| Bytes::copy_from_slice(line.as_bytes())));
        assert!(
            seen == expected,
            "{:?}",
            seen.iter().map(|line| line.as_ref().map(Bytes::len)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn id_is_that_of_the_message_itself() {
        let cases: [(&[u8], Option<Value>); 8] = [
            (b"{\"method\":\"x\",\"params\":{\"id\":1,\"a\":\"\\ud800}\"},\"id\":7}", Some(7.into())),
            (b"{\"method\":\"x\",\"params\":\"\xff\",\"id\":\"a\\\"b\"}", Some("a\"b".into())),
            (b"{\"\\u0069d\":3,\"method\":5}", Some(3.into())),
            (b"{\"method\":\"x\",\"params\":{\"id\":1},\"id\":7", None),
            (b"{\"method\":\"x\",\"params\":\"a\"b\",\"id\":7}", None),
            (b"{\"id\":1.5,\"method\":\"x\"}", None),
            (b"{\"id\":null,\"method\":\"x\"}", None),
            (b"[{\"id\":1,\"method\":\"x\"}]", None),
        ];
        for (line, id) in cases {
            let refused = parse(Some(line)).unwrap_err().unwrap().1;
            let refused = refused.map(|id| serde_json::to_value(id).unwrap());
            assert_eq!(refused, id, "{}", String::from_utf8_lossy(line));
        }
    }
}
