//! Truncates an error: the message as text, and the data as structured content.

use super::rebuild::{Member, json, set_members};
use super::rest::FREE_BYTES;
use super::{ResultRules, check};
use crate::wrap::full_result::Save;
use crate::wrap::incoming::Failure;
use crate::wrap::json::{Edits, Node, Value};

/// Returns the error after truncation, or `None` if it is within the limits.
pub(in crate::wrap) fn cut_error(
    error: Failure<'_>,
    rules: &ResultRules<'_>,
    save: &Save<'_>,
) -> Option<String> {
    let Failure { node, code, message, data } = error;
    // Build a result with the same parts.
    let structured = data.map_or_else(String::new, |data| format!(",\"structuredContent\":{}", data.text()));
    let result = format!("{{\"content\":[{{\"type\":\"text\",\"text\":{}}}]{structured}}}", message.text());
    let value = Value::of_any_depth(&result)?;
    let (mut edits, mut is_cut) = (Edits::of(value.text), false);
    check(value.top(), rules, save, |fate| {
        is_cut = !matches!(fate, Member::Same);
        if let Member::Members(fates) = fate {
            set_members(&mut edits, value.top(), fates);
        }
    });
    let others = node.text().len() - message.text().len() - data.map_or(0, |data| data.text().len());
    if !is_cut && others as u64 <= FREE_BYTES {
        return None;
    }
    let left = edits.applied();
    let left = Value::of_any_depth(&left)?;
    let [content, data] = left.top().get_all(["content", "structuredContent"]);
    let texts = content.into_iter().flat_map(Node::items).filter_map(|block| block.get("text")?.string());
    let message = json(&texts.collect::<Vec<_>>().join("\n\n"));
    let data = data.map_or_else(String::new, |data| format!(",\"data\":{}", data.text()));
    Some(format!("{{\"code\":{},\"message\":{message}{data}}}", code.text()))
}
