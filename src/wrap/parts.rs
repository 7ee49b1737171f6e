//! Reads the parts of a result: its text, its structured content, and everything else.

use cutline_core::text::as_index;

use super::shrink::written_bytes;
use crate::json::{decoded, each_child, members, text};

/// Bytes of everything but text, structured content and media that do not reduce the limit of the text, unless the
/// client passes the complete result to its model.
pub(super) const FREE_BYTES: u64 = 4096;
/// Maximum bytes of a message outside of its result, error or state of a task.
pub(super) const OUTSIDE_BYTES: u64 = 4096;

/// The parts of a result.
#[derive(Default)]
pub(super) struct Parts<'a> {
    /// The JSON of the blocks.
    pub(super) content: &'a str,
    pub(super) structured: Option<&'a str>,
    pub(super) meta: Option<&'a str>,
    /// True if the result is a request for input, which the client can only answer if it has all members.
    pub(super) needs_input: bool,
    /// `isError`, and the first other members within a limit, which a truncated result keeps.
    pub(super) members: Vec<(&'a str, &'a str)>,
    /// The texts of the blocks and of embedded resources. Empty ones can be left out.
    pub(super) texts: Vec<String>,
    /// The first blocks without text that are within the limit.
    pub(super) blocks: Vec<&'a str>,
    /// The number of all blocks without text.
    pub(super) block_count: u64,
    /// The bytes of everything but text, structured content and media, with numbers as JavaScript writes them.
    pub(super) rest_bytes: u64,
    /// Bytes of the members and blocks that a truncated result keeps, without media.
    pub(super) kept_bytes: u64,
}

impl<'a> Parts<'a> {
    /// Reads a result whose limit is `max_bytes`. Of a truncated result, members that cutline does not know, such as
    /// `_meta`, are kept within `free` bytes or a quarter of the limit, and together with blocks without text within
    /// `free` bytes and half of the limit.
    ///
    /// # Errors
    ///
    /// Returns the reason if the result is not an object, or has more than one meaning.
    pub(super) fn read(result: &'a str, max_bytes: u64, free: u64) -> Result<Self, &'static str> {
        // The most frequent result is read without a pass for its members.
        let inner = result.strip_prefix("{\"content\":").and_then(|rest| rest.strip_suffix('}'));
        if let Some(content) = inner
            && let Some((raw, text)) = only_text(content)
        {
            let rest_bytes = (result.len() - raw.len()) as u64;
            return Ok(Self { content, texts: vec![text], rest_bytes, ..Self::default() });
        }
        let (mut parts, mut content) = (Self::default(), None);
        let (mut is_double, mut has_is_error) = (false, false);
        let of_members = (max_bytes / 4).clamp(free, FREE_BYTES);
        let read = each_child(result, |spelled, value| match &*decoded(spelled) {
            "content" => is_double |= content.replace(value).is_some(),
            "structuredContent" => is_double |= parts.structured.replace(value).is_some(),
            name => {
                parts.needs_input |=
                    name == "resultType" && text(value).is_some_and(|kind| kind == "input_required");
                let written = written_bytes(value, as_index(max_bytes));
                parts.rest_bytes += (written - value.len()) as u64;
                let kept_bytes = parts.kept_bytes + (spelled.len() + written + "\"\":,".len()) as u64;
                match name {
                    // A client must know it.
                    "isError" if value.len() <= "false".len() => {
                        is_double |= std::mem::replace(&mut has_is_error, true);
                        parts.members.push((spelled, value));
                    }
                    _ if kept_bytes > of_members => return,
                    "_meta" => parts.meta = Some(value),
                    _ => parts.members.push((spelled, value)),
                }
                parts.kept_bytes = kept_bytes;
            }
        });
        if read.is_err() || is_double || !result.starts_with('{') {
            return Err("its result is not an object, or has two members of one name");
        }
        let room = free + max_bytes / 2;
        let mut counted = parts.structured.map_or(0, str::len);
        parts.content = content.unwrap_or("[]");
        if let Some((raw, text)) = only_text(parts.content) {
            parts.texts.push(text);
            counted += raw.len();
        } else if parts.content.starts_with('[') {
            let _valid = each_child(parts.content, |_, item| counted += parts.add_block(item, room));
        } else {
            // Some servers forget the array.
            counted += parts.add_block(parts.content, room);
        }
        parts.rest_bytes += (result.len() - counted) as u64;
        Ok(parts)
    }

    /// Adds a block, if blocks without text are then within `room` bytes. Returns the bytes of its text or media.
    fn add_block(&mut self, item: &'a str, room: u64) -> usize {
        let [kind, own_text, data, resource] = members(item, ["type", "text", "data", "resource"]);
        let [text_of, media] = match kind.and_then(text).as_deref() {
            Some("text") => [own_text, None],
            Some("image" | "audio") => [None, data],
            Some("resource") => members(resource.unwrap_or(""), ["text", "blob"]),
            _ => [None, None],
        };
        if let Some((raw, text)) = text_of.and_then(|raw| Some((raw, text(raw)?))) {
            self.texts.extend(Some(text).filter(|text| !text.is_empty()));
            return raw.len();
        }
        let media = media.filter(|data| data.starts_with('"')).map_or(0, str::len);
        let written = written_bytes(item, item.len() + as_index(room));
        self.rest_bytes += (written - item.len()) as u64;
        let kept_bytes = self.kept_bytes + (written - media) as u64 + 1;
        if self.blocks.len() as u64 == self.block_count && kept_bytes <= room {
            self.blocks.push(item);
            self.kept_bytes = kept_bytes;
        }
        self.block_count += 1;
        media
    }
}

/// Returns the JSON of the text of a list with a single block, of text, and that text.
fn only_text(content: &str) -> Option<(&str, String)> {
    let raw = content.strip_prefix("[{\"type\":\"text\",\"text\":")?.strip_suffix("}]")?;
    // This is between two blocks. Inside a text, the quote would have a backslash.
    if raw.contains("},{\"") { None } else { Some((raw, text(raw)?)) }
}
