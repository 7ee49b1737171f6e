//! Converts results and descriptions of tools to types of the protocol.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::limits::{Limits, NOTICE_BYTES};
use crate::tools::arguments::{self, Object};
use crate::tools::{Output, Shared, ToolError, ToolName};

/// The `_meta` key for the details of a result.
const DETAILS: &str = "details";
/// The `_meta` key for the maximum size of the results of a tool.
const MAX_RESULT_SIZE: &str = "anthropic/maxResultSizeChars";
/// The `_meta` key that puts a tool into the context of the model at the start, without a tool search.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";
/// Maximum size in bytes of results that clients accept without [`MAX_RESULT_SIZE`].
const UNDECLARED_BYTES: u64 = 50_000;

/// The format of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResultFormat {
    /// A text block, the image if there is one, and details in `_meta`. Every client supports this.
    #[default]
    Text,
    /// The same without details, for clients that would also pass the details to the model.
    Bare,
    /// Like `Text`, with the text and the details again as structured content, for clients that prefer it.
    Structured,
}

/// Converts the outcome of a call to a result.
pub fn result_of(outcome: Result<Output, ToolError>, format: ResultFormat) -> CallToolResult {
    let output = match outcome {
        Ok(output) => output,
        Err(error) => return CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    };
    let details = serde_json::to_value(&output.details).unwrap_or_default();
    let is_structured = format == ResultFormat::Structured;
    let structured = is_structured.then(|| json!({ "text": output.text, "details": details }));
    let mut content = vec![ContentBlock::text(output.text)];
    content.extend(output.image.map(|image| ContentBlock::image(image.base64, image.mime_type)));
    let mut result = CallToolResult::success(content);
    result.structured_content = structured;
    if format != ResultFormat::Bare && details.as_object().is_some_and(|details| !details.is_empty()) {
        result.meta = Some(meta(DETAILS, details));
    }
    result
}

/// Returns a tool's entry in `tools/list`.
pub(super) fn tool(name: ToolName, shared: &Shared, limits: &Limits, format: ResultFormat) -> Tool {
    let read_only = name.is_read_only();
    let annotations = ToolAnnotations::new()
        .read_only(read_only)
        .destructive(!read_only)
        .idempotent(read_only)
        .open_world(!read_only);
    let mut about = meta(ALWAYS_LOAD, Value::Bool(true));
    if limits.max_bytes > UNDECLARED_BYTES {
        about.0.insert(MAX_RESULT_SIZE.to_owned(), Value::from(limits.max_bytes + NOTICE_BYTES));
    }
    let description = name.description(limits, &shared.tools);
    let schema = arguments::without_bounds(&name.schema_within(limits));
    let tool = Tool::new(name.as_str(), description, Arc::new(schema))
        .with_title(name.title())
        .with_annotations(annotations)
        .with_meta(about);
    if format == ResultFormat::Structured {
        tool.with_raw_output_schema(Arc::new(output_schema()))
    } else {
        tool
    }
}

/// Returns the schema of structured content.
fn output_schema() -> Object {
    rmcp::object!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "description": "The full result with its notices" },
            "details": { "type": "object", "description": "The same facts as data" },
        },
        "required": ["text", "details"],
    })
}

fn meta(key: &str, value: Value) -> MetaObject {
    MetaObject(Object::from_iter([(key.to_owned(), value)]))
}
