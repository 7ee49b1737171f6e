//! Parses a client's file (JSON with comments, TOML or YAML) into values with their positions.

mod yaml;

use std::collections::HashSet;
use std::ops::Range;

use anyhow::{bail, ensure};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use serde_json::Value;
use toml_edit::{Document, Item};

/// Parser options for JSON with comments, as VS Code accepts it.
pub(super) const LIKE_VSCODE: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};
/// The format of a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Format {
    /// JSON, with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML with one document.
    Yaml,
}

/// A value with its position in the text.
#[derive(Debug)]
pub(in crate::cli) struct Node {
    /// The range of the value. Empty if it has no text.
    pub(super) place: Range<usize>,
    /// True for a block list or block mapping in YAML.
    pub(super) is_block: bool,
    /// Its kind.
    pub(super) kind: Kind,
}

/// The kinds of values.
#[derive(Debug)]
pub(super) enum Kind {
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A table, object or mapping: names with values.
    Table(Vec<(String, Node)>),
    /// Anything else.
    Other(Value),
}

impl Node {
    /// Returns an error for a value that must not be changed, because YAML aliases may refer to it.
    pub(super) fn is_alone(&self, format: Format, text: &str) -> anyhow::Result<()> {
        if format != Format::Yaml || !yaml::has_anchor(self, text) {
            return Ok(());
        }
        bail!(
            "the entry has an anchor (&NAME), and other parts of the file refer to it, so it was not changed"
        )
    }

    fn new(place: Range<usize>, kind: Kind) -> Self {
        Self { place, is_block: false, kind }
    }

    /// Parses a text that has a table at the top level.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is invalid.
    pub(in crate::cli) fn parse(format: Format, text: &str) -> anyhow::Result<Self> {
        let top = match format {
            Format::Json => {
                parse_to_ast(text, &CollectOptions::default(), &LIKE_VSCODE)?.value.as_ref().map(of_json)
            }
            Format::Toml => Some(of_toml(Document::parse(text)?.as_item())),
            Format::Yaml => yaml::parse(text)?,
        };
        // A text with only comments has no values.
        let top = top.unwrap_or_else(|| Self::new(text.len()..text.len(), Kind::Table(Vec::new())));
        ensure!(matches!(top.kind, Kind::Table(_)), "its top level is not an object");
        top.has_each_name_once()?;
        Ok(top)
    }

    /// Returns an error if a table has duplicate names, because programs differ in which value they use.
    fn has_each_name_once(&self) -> anyhow::Result<()> {
        let mut names = HashSet::new();
        for (name, value) in self.members() {
            ensure!(names.insert(name), "{name} is in it twice");
            value.has_each_name_once()?;
        }
        self.items().iter().try_for_each(Self::has_each_name_once)
    }

    /// Returns the member with this name.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// Returns the members of a table. Returns none for other values.
    pub(super) fn members(&self) -> &[(String, Self)] {
        if let Kind::Table(members) = &self.kind { members } else { &[] }
    }

    /// Returns the items of a list. Returns none for other values.
    pub(super) fn items(&self) -> &[Self] {
        if let Kind::List(items) = &self.kind { items } else { &[] }
    }

    /// Returns the text of a string. Returns `None` for other values.
    pub(super) fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// Converts the value to JSON.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Text(text) => Value::from(text.as_str()),
            Kind::List(items) => items.iter().map(Self::to_value).collect(),
            Kind::Table(members) => {
                members.iter().map(|(name, value)| (name.clone(), value.to_value())).collect()
            }
            Kind::Other(value) => value.clone(),
        }
    }
}

fn of_json(value: &ast::Value<'_>) -> Node {
    let kind = match value {
        ast::Value::StringLit(text) => Kind::Text(text.value.to_string()),
        ast::Value::Array(list) => Kind::List(list.elements.iter().map(of_json).collect()),
        ast::Value::Object(object) => {
            let members = object.properties.iter();
            Kind::Table(members.map(|one| (one.name.as_str().to_owned(), of_json(&one.value))).collect())
        }
        other => Kind::Other(other.clone().into()),
    };
    Node::new(value.start()..value.end(), kind)
}

fn of_toml(item: &Item) -> Node {
    let kind = if let Some(text) = item.as_str() {
        Kind::Text(text.to_owned())
    } else if let Some(table) = item.as_table_like() {
        Kind::Table(table.iter().map(|(name, item)| (name.to_owned(), of_toml(item))).collect())
    } else if let Some(tables) = item.as_array_of_tables() {
        Kind::List(tables.iter().map(|table| of_toml(&Item::Table(table.clone()))).collect())
    } else if let Some(list) = item.as_array() {
        Kind::List(list.iter().map(|value| of_toml(&Item::Value(value.clone()))).collect())
    } else {
        let number = item.as_integer().map(Value::from).or(item.as_float().map(Value::from));
        Kind::Other(number.or(item.as_bool().map(Value::from)).unwrap_or_else(|| item.to_string().into()))
    };
    Node::new(item.span().unwrap_or_default(), kind)
}

#[cfg(test)]
mod tests;
