//! A text of YAML as values with their places.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::Value;

use super::{Kind, Member, Node, shifted};

/// Levels of values within values: no client's own file comes near.
const MAX_DEPTH: usize = 64;

/// Reads the one document of a text, if there is one. All places are moved by `shift`.
pub(super) fn parse(text: &str, shift: usize) -> Result<Option<Node>, String> {
    let starts = if text.is_ascii() { None } else { Some(starts(text)) };
    let mut reader = Reader { events: Parser::new_from_str(text), text, starts, shift };
    let (mut top, mut documents) = (None, 0_u32);
    while let Some((event, span)) = reader.next()? {
        match event {
            Event::DocumentStart(_) => documents += 1,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            event => top = Some(reader.node(event, span, 0)?),
        }
    }
    if documents > 1 { Err("it holds several documents".to_owned()) } else { Ok(top) }
}

/// The byte at which each character starts, and the end.
fn starts(text: &str) -> Vec<usize> {
    text.char_indices().map(|(start, _)| start).chain([text.len()]).collect()
}

struct Reader<'a> {
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
    text: &'a str,
    /// The byte of each character, where they are not the same.
    starts: Option<Vec<usize>>,
    shift: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, String> {
        self.events.next().transpose().map_err(|error| error.to_string())
    }

    fn place(&self, span: Span) -> Range<usize> {
        let byte = |index: usize| match &self.starts {
            Some(starts) => starts.get(index).or(starts.last()).copied().unwrap_or_default(),
            None => index,
        };
        shifted(byte(span.start.index())..byte(span.end.index()), self.shift)
    }

    /// Reads the value that an event begins.
    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, String> {
        if depth > MAX_DEPTH {
            return Err("values stand too deep in it".to_owned());
        }
        let place = self.place(span);
        let place = match &event {
            Event::Scalar(_, style, ..) => place.start..place.start + self.written(place, *style),
            _ => place,
        };
        let kind = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) if ["", "~", "null"].contains(&&*text) => {
                Kind::Other(Value::Null)
            }
            Event::Scalar(text, ..) => Kind::Text(text.into_owned()),
            Event::SequenceStart(..) => {
                let (items, end) = self.nodes(depth)?;
                let (mut place, is_block) = self.around(place, items.last(), end);
                if let Some(first) = items.first().filter(|_| is_block) {
                    place.start = self.dash(first.place.start);
                }
                return Ok(Node { place, is_block, kind: Kind::List(items) });
            }
            Event::MappingStart(..) => {
                let (nodes, end) = self.nodes(depth)?;
                let (mut nodes, mut members) = (nodes.into_iter(), Vec::new());
                while let (Some(key), Some(mut value)) = (nodes.next(), nodes.next()) {
                    if matches!(value.kind, Kind::Other(Value::Null)) && value.place.is_empty() {
                        // An absent value has the place of whatever comes next.
                        value.place = key.place.end..key.place.end;
                    }
                    let name = key.text().map(str::to_owned).unwrap_or_default();
                    members.push(Member { key: key.place, name, value });
                }
                let last = members.last().map(|member| &member.value);
                let (place, is_block) = self.around(place, last, end);
                return Ok(Node { place, is_block, kind: Kind::Table(members) });
            }
            // It stands for a value elsewhere, which a change here would change too.
            Event::Alias(_) => Kind::Other("an alias".into()),
            _ => return Err("it can't be read".to_owned()),
        };
        Ok(Node::new(place, kind))
    }

    /// Reads the values up to the end of their list or mapping, of which a name is one too. Returns them and that end.
    fn nodes(&mut self, depth: usize) -> Result<(Vec<Node>, Span), String> {
        let mut nodes = Vec::new();
        loop {
            match self.next()? {
                Some((Event::SequenceEnd | Event::MappingEnd, end)) => return Ok((nodes, end)),
                Some((event, span)) => nodes.push(self.node(event, span, depth + 1)?),
                None => return Err("it ends within a value".to_owned()),
            }
        }
    }

    /// Returns the bytes of a scalar as it is written; the parser's place may have the comment behind it.
    fn written(&self, place: Range<usize>, style: ScalarStyle) -> usize {
        let raw = &self.text[place.start - self.shift..place.end - self.shift];
        let quoted = |close: char| {
            let mut chars = raw.char_indices().skip(1).peekable();
            while let Some((at, c)) = chars.next() {
                match c {
                    '\\' if close == '"' => drop(chars.next()),
                    '\'' if c == close && chars.next_if(|(_, next)| *next == close).is_some() => {}
                    c if c == close => return at + 1,
                    _ => {}
                }
            }
            raw.len()
        };
        match style {
            ScalarStyle::DoubleQuoted => quoted('"'),
            ScalarStyle::SingleQuoted => quoted('\''),
            ScalarStyle::Plain => {
                let comment = raw.match_indices('#').find(|(at, _)| raw[..*at].ends_with([' ', '\t', '\n']));
                raw[..comment.map_or(raw.len(), |(at, _)| at)].trim_end().len()
            }
            ScalarStyle::Literal | ScalarStyle::Folded => raw.len(),
        }
    }

    /// The place of a list or table, and if it is written line by line: to the closing bracket, else to the end of
    /// its last value.
    fn around(&self, start: Range<usize>, last: Option<&Node>, end: Span) -> (Range<usize>, bool) {
        let end = self.place(end);
        let closes = self.text[end.start - self.shift..].starts_with([']', '}']);
        match last {
            Some(last) if !closes => (start.start..last.place.end, true),
            _ => (start.start..end.start + 1, false),
        }
    }

    /// The place of the dash before the first item of a list, which stands on the item's line or above.
    fn dash(&self, item: usize) -> usize {
        let before = &self.text[..item - self.shift];
        let mut end = before.len();
        loop {
            let start = before[..end].rfind('\n').map_or(0, |newline| newline + 1);
            let line = &before[start..end];
            let space = line.len() - line.trim_start().len();
            if line[space..].starts_with('-') || start == 0 {
                return start + space + self.shift;
            }
            end = start - 1;
        }
    }
}
