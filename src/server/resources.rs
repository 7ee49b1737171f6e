//! The only resource: the call statistics of this server.

use rmcp::model::{ErrorData, ListResourcesResult, ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};

use cutline_core::text::show;

use super::NAME_CHARS;

/// The URI of the statistics.
const STATS_URI: &str = "cutline://stats";
const JSON: &str = "application/json";

/// Returns the result of `resources/list`.
pub(super) fn list() -> ListResourcesResult {
    let stats = Resource::new(STATS_URI, "stats")
        .with_title("Statistics of the tool calls")
        .with_description(
            "For each tool: calls, errors, results cut by lines and by bytes, how much was shown and omitted, \
             how much of the limit was used, durations. It has no arguments and no text of results.",
        )
        .with_mime_type(JSON);
    ListResourcesResult::with_all_items(vec![stats])
}

/// Returns the result of `resources/read`: the statistics as JSON.
pub(super) fn read(uri: &str, stats: &Value) -> Result<ReadResourceResult, ErrorData> {
    if uri != STATS_URI {
        // rmcp converts this to the error code of the client's protocol revision.
        let uri = show::middle_out(uri, NAME_CHARS);
        return Err(ErrorData::resource_not_found(
            format!("Unknown resource: {uri}; there is {STATS_URI}"),
            Some(json!({ "uri": uri })),
        ));
    }
    Ok(ReadResourceResult::new(vec![
        ResourceContents::text(stats.to_string(), STATS_URI).with_mime_type(JSON),
    ]))
}
