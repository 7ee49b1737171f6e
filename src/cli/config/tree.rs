//! The text of a client's file as values with their places: JSON with comments, TOML and YAML alike.

mod yaml;

use std::collections::HashSet;
use std::ops::Range;

use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

/// JSON with comments, as VS Code and others write it, and nothing looser.
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
/// A mark that some editors put before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The language of a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Format {
    /// JSON, with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML, one document.
    Yaml,
}

/// A value, with its bytes in the text.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Its place; empty where it has none of its own.
    pub(super) place: Range<usize>,
    /// True if it is a list or table of YAML that is written line by line, not in brackets.
    pub(super) is_block: bool,
    /// Its kind.
    pub(super) kind: Kind,
}

/// The kinds of values.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A table, an object or a mapping.
    Table(Vec<Member>),
    /// Anything else.
    Other(Value),
}

/// A named value of a table.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// The place of its name; empty in TOML.
    pub(super) key: Range<usize>,
    /// Its name.
    pub(super) name: String,
    /// Its value.
    pub(super) value: Node,
}

/// Splits a byte order mark from a text.
pub(super) fn marked(text: &str) -> (&str, &str) {
    let plain = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    text.split_at(text.len() - plain.len())
}

impl Node {
    fn new(place: Range<usize>, kind: Kind) -> Self {
        Self { place, is_block: false, kind }
    }

    /// Reads a text, whose top is a table; an error where it can't be understood.
    pub(super) fn parse(format: Format, text: &str) -> Result<Self, String> {
        let (mark, plain) = marked(text);
        let shift = mark.len();
        if plain.trim().is_empty() {
            return Ok(Self::new(shift..text.len(), Kind::Table(Vec::new())));
        }
        let top = match format {
            Format::Json => {
                let parsed = parse_to_ast(plain, &CollectOptions::default(), &LIKE_VSCODE);
                let parsed = parsed.map_err(|error| error.to_string())?;
                parsed.value.as_ref().map(|value| of_json(value, shift))
            }
            Format::Toml => {
                let file = Document::parse(plain).map_err(|error| error.to_string())?;
                Some(Self::new(shift..text.len(), of_table(file.as_table(), shift)))
            }
            // A text of comments alone is a file without settings.
            Format::Yaml => {
                let nothing = || Self::new(text.len()..text.len(), Kind::Table(Vec::new()));
                Some(yaml::parse(plain, shift)?.unwrap_or_else(nothing))
            }
        };
        let top = top.filter(|top| matches!(top.kind, Kind::Table(_)));
        let top = top.ok_or_else(|| "what it holds is not an object".to_owned())?;
        top.has_each_name_once()?;
        Ok(top)
    }

    /// Checks that no table in it has a name twice: programs take different ones of two.
    fn has_each_name_once(&self) -> Result<(), String> {
        let mut names = HashSet::new();
        for Member { name, value, .. } in self.members() {
            if !name.is_empty() && !names.insert(name) {
                return Err(format!("{name} stands in it twice"));
            }
            value.has_each_name_once()?;
        }
        self.items().into_iter().flatten().try_for_each(Self::has_each_name_once)
    }

    /// Returns the member of that name.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|member| member.name == name).map(|member| &member.value)
    }

    /// Returns what is below these names, one below the other.
    pub(super) fn below(&self, names: &[String]) -> Option<&Self> {
        names.iter().try_fold(self, |node, name| node.member(name))
    }

    /// Returns its members; none of what is no table.
    pub(super) fn members(&self) -> &[Member] {
        if let Kind::Table(members) = &self.kind { members } else { &[] }
    }

    /// Returns its items, if it is a list.
    pub(super) fn items(&self) -> Option<&[Self]> {
        if let Kind::List(items) = &self.kind { Some(items) } else { None }
    }

    /// Returns its text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// Returns it as JSON has it.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Text(text) => Value::from(text.as_str()),
            Kind::List(items) => items.iter().map(Self::to_value).collect(),
            Kind::Table(members) => {
                members.iter().map(|member| (member.name.clone(), member.value.to_value())).collect()
            }
            Kind::Other(value) => value.clone(),
        }
    }
}

fn shifted(place: Range<usize>, by: usize) -> Range<usize> {
    place.start + by..place.end + by
}

fn of_json(value: &ast::Value<'_>, shift: usize) -> Node {
    let place = |range: jsonc_parser::common::Range| shifted(range.start..range.end, shift);
    let kind = match value {
        ast::Value::StringLit(text) => Kind::Text(text.value.to_string()),
        ast::Value::Array(list) => {
            Kind::List(list.elements.iter().map(|element| of_json(element, shift)).collect())
        }
        ast::Value::Object(object) => {
            let member = |property: &ast::ObjectProp<'_>| Member {
                key: place(property.name.range()),
                name: property.name.as_str().to_owned(),
                value: of_json(&property.value, shift),
            };
            Kind::Table(object.properties.iter().map(member).collect())
        }
        ast::Value::BooleanLit(boolean) => Kind::Other(boolean.value.into()),
        ast::Value::NumberLit(number) => {
            Kind::Other(serde_json::from_str(number.value).unwrap_or_else(|_| number.value.into()))
        }
        ast::Value::NullKeyword(_) => Kind::Other(Value::Null),
    };
    Node::new(place(value.range()), kind)
}

fn of_table(table: &dyn TableLike, shift: usize) -> Kind {
    let member = |(name, item): (&str, &Item)| Member {
        key: 0..0,
        name: name.to_owned(),
        value: spanned(item.span(), of_item(item, shift), shift),
    };
    Kind::Table(table.iter().map(member).collect())
}

fn of_item(item: &Item, shift: usize) -> Kind {
    match item {
        Item::None => Kind::Other(Value::Null),
        Item::Value(value) => of_toml(value, shift),
        Item::Table(table) => of_table(table, shift),
        Item::ArrayOfTables(tables) => {
            Kind::List(tables.iter().map(|one| spanned(one.span(), of_table(one, shift), shift)).collect())
        }
    }
}

fn of_toml(value: &toml_edit::Value, shift: usize) -> Kind {
    use toml_edit::Value as Toml;
    match value {
        Toml::String(text) => Kind::Text(text.value().clone()),
        Toml::Integer(number) => Kind::Other((*number.value()).into()),
        Toml::Float(number) => Kind::Other((*number.value()).into()),
        Toml::Boolean(boolean) => Kind::Other((*boolean.value()).into()),
        Toml::Datetime(time) => Kind::Other(time.value().to_string().into()),
        Toml::InlineTable(table) => of_table(table, shift),
        Toml::Array(list) => {
            Kind::List(list.iter().map(|one| spanned(one.span(), of_toml(one, shift), shift)).collect())
        }
    }
}

fn spanned(place: Option<Range<usize>>, kind: Kind, shift: usize) -> Node {
    Node::new(shifted(place.unwrap_or_default(), shift), kind)
}

#[cfg(test)]
mod tests;
