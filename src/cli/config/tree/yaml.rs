//! Parses YAML into values with their ranges.

use std::str::FromStr as _;

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use yaml_edit::validator::{Severity, Validator};
use yaml_edit::{Scalar, YamlFile, YamlNode};

use super::{Kind, Node};

/// Maximum size of a text in bytes. Each byte takes up to ten microseconds and a hundred bytes of memory. Real files of
/// clients are much smaller.
const MAX_BYTES: usize = 200_000;

/// The one error that is ignored: a closing bracket in the column of its key, which other parsers accept.
const UNINDENTED_BRACKET: &str = "Flow collection continuation line must be indented";

/// Parses the only document of a text. Returns `None` if there is none.
pub(super) fn parse(text: &str) -> anyhow::Result<Option<Node>> {
    ensure!(text.len() <= MAX_BYTES, "it is too large");
    let file = YamlFile::from_str(text)?;
    let mut documents = file.documents();
    match (documents.next(), documents.next()) {
        (None, _) => Ok(None),
        (Some(_), Some(_)) => bail!("it has several documents"),
        (Some(document), None) => {
            // The parser also accepts some invalid YAML, but the validator reports it. Discouraged values such as `yes`
            // are only warnings.
            let violations = Validator::new().validate(&document);
            let mut faults = violations.iter().filter(|fault| fault.severity == Severity::Error);
            if let Some(fault) = faults.find(|fault| fault.message != UNINDENTED_BRACKET) {
                bail!("{fault}");
            }
            let top = document.as_mapping().map(|top| node(&YamlNode::Mapping(top), text));
            top.map(Some).context("its top level is not an object")
        }
    }
}

/// Returns true if the value, or a value inside it, has an anchor (`&NAME`), to which aliases may refer.
pub(super) fn has_anchor(value: &Node, text: &str) -> bool {
    let is_anchor = |word: &str| {
        word.strip_prefix('&')
            .is_some_and(|name| name.starts_with(|first: char| first == '_' || first.is_alphanumeric()))
    };
    let before = text[..value.place.start].trim_end().rsplit(char::is_whitespace).next();
    let within = text[value.place.clone()].split(|end: char| end.is_whitespace() || "[{,".contains(end));
    before.into_iter().chain(within).any(is_anchor)
}

fn node(value: &YamlNode, text: &str) -> Node {
    let (range, is_block, kind) = match value {
        YamlNode::Scalar(scalar) => {
            let is_null = scalar.is_null();
            let kind = if is_null { Kind::Other(Value::Null) } else { Kind::Text(scalar.as_string()) };
            (scalar.byte_range(), false, kind)
        }
        YamlNode::Sequence(list) => {
            let items = list.values().map(|item| node(&item, text)).collect();
            (list.byte_range(), !list.is_flow_style(), Kind::List(items))
        }
        YamlNode::Mapping(table) => {
            let members = table.iter().map(|(name, value)| {
                let name = name.as_scalar().map_or_else(|| name.to_string(), Scalar::as_string);
                (name, node(&value, text))
            });
            (table.byte_range(), !table.is_flow_style(), Kind::Table(members.collect()))
        }
        // Not all programs support aliases and tagged values.
        YamlNode::Alias(_) | YamlNode::TaggedNode(_) => {
            return Node::new(0..0, Kind::Other("an alias or a tag".into()));
        }
    };
    let (start, end) = (range.start as usize, range.end as usize);
    // A block extends to the next value. Exclude the white space at its end.
    let end = if is_block { start + text[start..end].trim_end().len() } else { end };
    Node { place: start..end, is_block, kind }
}
