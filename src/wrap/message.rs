//! The parts of a message that a wrap looks at; every other part stays the bytes that were sent.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::json::string;

/// A JSON object: its members in the order sent, those that stand in it twice too.
#[derive(Debug)]
pub(super) struct Object<T>(pub(super) Vec<(String, T)>);

/// An object of which no member is looked into.
pub(super) type Raw<'a> = Object<&'a RawValue>;

impl<T> Object<T> {
    /// The member of that name; of two the last, as other programs take it.
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

/// A type of members that depends on their names.
pub(super) trait Member<'de>: Sized {
    /// Reads the value of the member `name`.
    fn read<D: Deserializer<'de>>(name: &str, value: D) -> Result<Self, D::Error>;
}

impl<'de> Member<'de> for &'de RawValue {
    fn read<D: Deserializer<'de>>(_: &str, value: D) -> Result<Self, D::Error> {
        Self::deserialize(value)
    }
}

impl<'de, T: Member<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Members(PhantomData))
    }
}

struct Members<T>(PhantomData<T>);

impl<'de, T: Member<'de>> Visitor<'de> for Members<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(Named(&name, PhantomData))?;
            members.push((name, value));
        }
        Ok(Object(members))
    }
}

struct Named<'n, T>(&'n str, PhantomData<T>);

impl<'de, T: Member<'de>> DeserializeSeed<'de> for Named<'_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<T, D::Error> {
        T::read(self.0, value)
    }
}

/// A member of an answer.
#[derive(Debug)]
pub(super) enum AnswerMember<'a> {
    Result(ToolResult<'a>),
    Other(&'a RawValue),
}

/// An answer to a request.
pub(super) type Answer<'a> = Object<AnswerMember<'a>>;

impl<'a> Answer<'a> {
    /// Returns the message that `text` is, its result looked into where that is one of a tool; `None` where it is
    /// no JSON object.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok().or_else(|| {
            let message: Raw<'_> = serde_json::from_str(text).ok()?;
            let other = |(name, raw)| (name, AnswerMember::Other(raw));
            Some(Object(message.0.into_iter().map(other).collect()))
        })
    }

    /// The result, where it has one.
    pub(super) fn result(&self) -> Option<&ToolResult<'a>> {
        match self.get("result")? {
            AnswerMember::Result(result) => Some(result),
            AnswerMember::Other(_) => None,
        }
    }

    /// The member of that name, where it is not the result.
    pub(super) fn other(&self, name: &str) -> Option<&'a RawValue> {
        match self.get(name)? {
            AnswerMember::Result(_) => None,
            AnswerMember::Other(raw) => Some(raw),
        }
    }
}

/// The result of a tool.
pub(super) type ToolResult<'a> = Object<ResultMember<'a>>;

/// A member of a result.
#[derive(Debug)]
pub(super) enum ResultMember<'a> {
    Content(Vec<Block<'a>>),
    Other(&'a RawValue),
}

/// A block of content.
pub(super) type Block<'a> = Object<BlockMember<'a>>;

/// An item of the content; `None` where it is no object, and so no block. A result that is cut loses it.
struct Item<'a>(Option<Block<'a>>);

impl<'de> Deserialize<'de> for Item<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Items)
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Item<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a block of content")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Members(PhantomData).visit_map(map).map(Some).map(Item)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Item(None))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Item(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Item(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Item(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Item(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Item(None))
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Item(None))
    }
}

/// A member of a block, or of the resource in it.
#[derive(Debug)]
pub(super) enum BlockMember<'a> {
    Text(Cow<'a, str>),
    Resource(Block<'a>),
    Other(&'a RawValue),
}

impl<'de> Member<'de> for AnswerMember<'de> {
    fn read<D: Deserializer<'de>>(name: &str, value: D) -> Result<Self, D::Error> {
        match name {
            "result" => ToolResult::deserialize(value).map(Self::Result),
            _ => <&RawValue>::deserialize(value).map(Self::Other),
        }
    }
}

impl<'de> Member<'de> for ResultMember<'de> {
    fn read<D: Deserializer<'de>>(name: &str, value: D) -> Result<Self, D::Error> {
        match name {
            "content" => {
                let items = Vec::<Item<'_>>::deserialize(value)?;
                Ok(Self::Content(items.into_iter().filter_map(|item| item.0).collect()))
            }
            _ => <&RawValue>::deserialize(value).map(Self::Other),
        }
    }
}

impl<'de> Member<'de> for BlockMember<'de> {
    fn read<D: Deserializer<'de>>(name: &str, value: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(value)?;
        Ok(match name {
            "text" => Self::text_or_other(raw),
            "resource" => match serde_json::from_str::<Object<Flat<'_>>>(raw.get()) {
                Ok(resource) => {
                    let members = resource.0.into_iter().map(|(name, member)| (name, member.0));
                    Self::Resource(Object(members.collect()))
                }
                Err(_) => Self::Other(raw),
            },
            _ => Self::Other(raw),
        })
    }
}

impl<'a> BlockMember<'a> {
    fn text_or_other(raw: &'a RawValue) -> Self {
        string::unescaped(raw.get()).map_or(Self::Other(raw), Self::Text)
    }
}

/// A member of a resource, in which there is no other resource.
struct Flat<'a>(BlockMember<'a>);

impl<'de> Member<'de> for Flat<'de> {
    fn read<D: Deserializer<'de>>(name: &str, value: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(value)?;
        Ok(Self(if name == "text" { BlockMember::text_or_other(raw) } else { BlockMember::Other(raw) }))
    }
}

impl<'a> Object<BlockMember<'a>> {
    /// The text of a text block, or of the embedded resource in a block.
    pub(super) fn text(&self) -> Option<&Cow<'a, str>> {
        match (self.kind()?, self.get("text"), self.get("resource")) {
            ("\"text\"", Some(BlockMember::Text(text)), _) => Some(text),
            ("\"resource\"", _, Some(BlockMember::Resource(resource))) => match resource.get("text")? {
                BlockMember::Text(text) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type, with its quotes.
    pub(super) fn kind(&self) -> Option<&'a str> {
        match self.get("type")? {
            BlockMember::Other(kind) => Some(kind.get()),
            _ => None,
        }
    }
}

/// An id as JSON compares it: 1 and 1.0 are one, `"1"` is another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Id {
    Text(String),
    Whole(i128),
    /// Any other number, by its bits or, beyond them, its digits.
    Other(String),
}

impl Id {
    /// The id that `raw` is; `None` for null and what can't be one.
    pub(super) fn of(raw: &RawValue) -> Option<Self> {
        let raw = raw.get();
        match raw.as_bytes().first()? {
            b'"' => serde_json::from_str(raw).ok().map(Self::Text),
            b'-' | b'0'..=b'9' => Some(raw.parse().map_or_else(|_| Self::of_fraction(raw), Self::Whole)),
            _ => None,
        }
    }

    fn of_fraction(raw: &str) -> Self {
        let Some(number) = raw.parse::<f64>().ok().filter(|number| number.is_finite()) else {
            return Self::Other(raw.to_owned());
        };
        // Whole numbers of this size are exact, and print as such.
        match format!("{number:.0}").parse() {
            Ok(whole) if number.fract() == 0.0 && number.abs() < 1e15 => Self::Whole(whole),
            _ => Self::Other(number.to_bits().to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_compare_as_values() {
        let id = |text: &str| Id::of(&RawValue::from_string(text.to_owned()).unwrap());
        assert_eq!(id("1"), id("1.0"));
        assert_eq!(id("10"), id("1e1"));
        assert_eq!(id("\"a\""), id(r#""\u0061""#));
        assert_eq!(id("0"), id("-0"));
        assert_ne!(id("1"), id("\"1\""));
        assert_ne!(id("9007199254740993"), id("9007199254740992"));
        assert_ne!(id("1.5"), id("1.25"));
        assert_eq!((id("null"), id("{}")), (None, None));
    }
}
