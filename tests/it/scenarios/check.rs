//! Rules that every result of a tool must follow.

use serde_json::Value;

use super::fixture::{Call, Scenario};
use crate::support::Reply;

/// Maximum size of notices and status, in bytes.
const MAX_NOTICE_BYTES: usize = 1000;

/// The limits of the server that a scenario starts.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "the fields have the names of the flags")]
pub(super) struct Limits {
    max_lines: u64,
    max_bytes: u64,
    max_tokens: Option<u64>,
}

impl Limits {
    pub(super) fn of(scenario: &Scenario) -> Self {
        let given = |flag: &str, variable: &str| {
            let at = scenario.flags.iter().position(|given| given == flag);
            at.map(|at| &scenario.flags[at + 1]).or_else(|| scenario.env.get(variable))
        };
        let max_lines =
            given("--max-lines", "CUTLINE_MAX_LINES").map_or(2000, |lines| lines.parse().unwrap());
        let max_bytes = given("--max-bytes", "CUTLINE_MAX_BYTES").map_or(30_000, |size| bytes(size));
        let max_tokens = given("--max-tokens", "CUTLINE_MAX_TOKENS").map(|tokens| tokens.parse().unwrap());
        Self { max_lines, max_bytes, max_tokens }
    }

    /// Returns the limits of a call, which the call may have lowered.
    pub(super) fn of_call(self, scenario: &Scenario, call: &Call) -> Self {
        let given = |names: [&str; 2]| {
            let value = names.into_iter().find_map(|name| call.args.get(name))?;
            value.as_u64().or_else(|| value.as_str()?.parse().ok()).filter(|limit| *limit > 0)
        };
        if !scenario.flags.iter().any(|flag| flag == "--call-limits") {
            return self;
        }
        let max_bytes =
            given(["maxBytes", "max_bytes"]).map_or(self.max_bytes, |most| most.min(self.max_bytes));
        let max_tokens = self.max_tokens.into_iter().chain(given(["maxTokens", "max_tokens"])).min();
        Self { max_bytes, max_tokens, ..self }
    }
}

fn bytes(size: &str) -> u64 {
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &size[digits.len()..] {
        "" => 1,
        "KB" => 1000,
        "KiB" => 1024,
        other => panic!("a fixture has the unit {other}"),
    };
    digits.parse::<u64>().unwrap() * unit
}

/// Returns an error if the reply breaks a rule for all results.
pub(super) fn always(tool: &str, reply: &Reply, limits: Limits) -> Result<(), String> {
    let result = &reply.result;
    let blocks = result["content"].as_array().ok_or("no content")?;
    let texts = blocks.iter().filter(|block| block["type"] == "text").count();
    ensure(texts == 1 && blocks[0]["type"] == "text", "the first block is not the only text block")?;
    ensure(!reply.text().trim().is_empty(), "the text is empty")?;
    ensure(result.get("structuredContent").is_none(), "structuredContent without --structured")?;
    ensure(result["isError"].is_boolean(), "isError is missing")?;

    let max_text_bytes = usize::try_from(limits.max_bytes).unwrap() + MAX_NOTICE_BYTES;
    ensure(reply.text().len() <= max_text_bytes, "the text is over the byte limit plus 1 KB")?;
    let lines = body(reply).lines().count() as u64;
    ensure(lines <= limits.max_lines + 10, "the body is over the line limit")?;

    let details = reply.details();
    let ran = tool == "bash" && !reply.is_error();
    ensure(!ran || details["durationMs"].is_u64(), "durationMs of a command is missing")?;
    if let Some(offset) = details["nextOffset"].as_u64()
        && details["truncation"]["firstLineExceedsLimit"] != true
    {
        let hint = format!("Use offset={offset} to continue]");
        let text = without_notices_of_file(reply.text());
        ensure(text.ends_with(&hint), "the text does not end with the next offset")?;
    }
    match (details.get("truncation"), details.get("truncationInfo")) {
        (Some(truncation), Some(info)) => {
            consistent(truncation, limits)?;
            consistent_info(info, truncation, tool)
        }
        (None, None) => Ok(()),
        _ => Err("one of truncation and truncationInfo is missing".to_owned()),
    }
}

/// Fails if `truncationInfo` and `truncation` contradict each other.
fn consistent_info(info: &Value, truncation: &Value, tool: &str) -> Result<(), String> {
    let number = |key: &str| info[key].as_u64().ok_or_else(|| format!("truncationInfo.{key} is missing"));
    let is_single = info["reason"] == "single_result_too_large";
    let limit = match truncation["truncatedBy"].as_str() {
        Some("lines") => "line_limit",
        Some("bytes") => "byte_limit",
        _ => "token_limit",
    };
    ensure(is_single || info["reason"] == limit, "the reason is not the limit that was reached")?;
    let in_part = |fact: &str| truncation[fact] == true;
    let shown_in_part = in_part("firstLineExceedsLimit") || in_part("lastLinePartial");
    // grep also omits the context of a first match that is over the limit.
    ensure(
        is_single || !shown_in_part,
        "a single line is over the limit, but the reason is not single_result_too_large",
    )?;
    ensure(
        tool == "grep" || is_single == shown_in_part,
        "the reason is single_result_too_large, but no single line is over the limit",
    )?;
    ensure(
        number("returnedCount")? <= number("originalCount")?,
        "returnedCount is larger than originalCount",
    )?;
    for (key, of_truncation) in [
        ("limitChars", "maxBytes"),
        ("limitTokens", "limitTokens"),
        ("estimatedTokens", "totalEstimatedTokens"),
    ] {
        ensure(
            info[key] == truncation[of_truncation],
            "truncationInfo and truncation have different numbers",
        )?;
    }
    if tool != "grep" {
        ensure(info["originalCount"] == truncation["totalLines"], "originalCount is not totalLines")?;
        ensure(info["returnedCount"] == truncation["outputLines"], "returnedCount is not outputLines")?;
    }
    ensure(number("estimatedChars")? <= truncation["totalBytes"].as_u64().unwrap_or(0), "too many characters")
}

/// Fails if the counts of a truncation contradict each other or the limits.
fn consistent(truncation: &Value, limits: Limits) -> Result<(), String> {
    let number = |key: &str| truncation[key].as_u64().ok_or_else(|| format!("truncation.{key} is missing"));
    let boolean = |key: &str| truncation[key].as_bool().ok_or_else(|| format!("truncation.{key} is missing"));
    ensure(boolean("truncated")?, "truncated is not true")?;
    let by = truncation["truncatedBy"].as_str().unwrap_or_default();
    ensure(["lines", "bytes", "tokens"].contains(&by), "truncatedBy is not the name of a limit")?;
    ensure(number("maxBytes")? <= limits.max_bytes, "maxBytes is not the limit")?;
    let limit_tokens = limits.max_tokens.unwrap_or(number("maxBytes")? / 4);
    ensure(
        number("limitTokens")? == limit_tokens,
        "limitTokens is neither the limit nor a quarter of maxBytes",
    )?;
    let tokens = number("estimatedTokens")?;
    let is_first_line_partial = truncation["firstLineExceedsLimit"] == true;
    ensure(
        is_first_line_partial || limits.max_tokens.is_none_or(|max| tokens <= max),
        "more tokens than the limit",
    )?;
    ensure(number("maxLines")? <= limits.max_lines, "maxLines is over the limit")?;
    let shown = if is_first_line_partial { limits.max_bytes.max(500) } else { limits.max_bytes };
    ensure(number("outputBytes")? <= shown, "outputBytes is over the limit")?;
    ensure(number("outputLines")? <= number("totalLines")?, "outputLines is larger than totalLines")?;
    ensure(number("estimatedTokens")? <= number("outputBytes")?, "there are more tokens than bytes")?;
    ensure(
        number("totalEstimatedTokens")? >= number("estimatedTokens")?,
        "estimatedTokens is larger than totalEstimatedTokens",
    )?;
    for fact in ["lastLinePartial", "firstLineExceedsLimit"] {
        ensure(truncation.get(fact).is_none_or(|value| *value == true), "an optional field is not true")?;
    }
    Ok(())
}

fn ensure(condition: bool, failure: &str) -> Result<(), String> {
    if condition { Ok(()) } else { Err(format!("a result breaks a rule: {failure}")) }
}

/// Returns a text without the notices about the encoding and the line ends of a file, which follow all others.
fn without_notices_of_file(text: &str) -> &str {
    let mut text = text;
    for end in ["end with CRLF]", "Editing tools may damage it]"] {
        if text.ends_with(end) {
            let before = text.rfind('\n').map_or("", |at| &text[..at]);
            text = if before.ends_with(']') { before } else { before.strip_suffix('\n').unwrap_or(before) };
        }
    }
    text
}

/// Returns the body of a result. The body must not contain an empty line before a bracket.
pub(super) fn body(reply: &Reply) -> &str {
    let text = without_notices_of_file(reply.text());
    let text = text.strip_suffix('\n').unwrap_or(text);
    if reply.details()["nextOffset"].is_null() {
        return text;
    }
    text.rfind("\n\n[").map_or("", |at| &text[..at])
}
