//! Converts globs of git to the syntax of `fast_glob`.
//!
//! After the negation, braces and a leading `!` have no special meaning in git, and a backslash before `n` is ignored.
//! Two stars are special only if they are a complete component of the path; otherwise they are one star. A class can
//! contain named classes, such as `[[:alpha:]_]`.

#![expect(clippy::indexing_slicing, reason = "positions in a rule are checked")]

use std::ops::RangeInclusive;

/// The characters of git's named classes, which are ASCII only. Vertical tab and form feed are not white space in git.
const CLASSES: [(&[u8], &[RangeInclusive<u8>]); 12] = [
    (b"alnum", &[b'0'..=b'9', b'A'..=b'Z', b'a'..=b'z']),
    (b"alpha", &[b'A'..=b'Z', b'a'..=b'z']),
    (b"blank", &[b'\t'..=b'\t', b' '..=b' ']),
    (b"cntrl", &[0..=0x1F, 0x7F..=0x7F]),
    (b"digit", &[b'0'..=b'9']),
    (b"graph", &[b'!'..=b'~']),
    (b"lower", &[b'a'..=b'z']),
    (b"print", &[b' '..=b'~']),
    (b"punct", &[b'!'..=b'/', b':'..=b'@', b'['..=b'`', b'{'..=b'~']),
    (b"space", &[b'\t'..=b'\n', b'\r'..=b'\r', b' '..=b' ']),
    (b"upper", &[b'A'..=b'Z']),
    (b"xdigit", &[b'0'..=b'9', b'A'..=b'F', b'a'..=b'f']),
];

/// Converts a rule to the syntax of `fast_glob`. Returns `None` if it can't match anything.
pub(super) fn for_fast_glob(rule: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(rule.len());
    if rule.starts_with(b"!") {
        out.push(b'\\');
    }
    let mut at = 0;
    while at < rule.len() {
        match (rule[at], rule.get(at + 1)) {
            (b'\\', Some(&next)) => {
                push_literal(&mut out, next);
                at += 1;
            }
            (b'[', _) => at = class(rule, at + 1, &mut out)?,
            (byte @ (b'{' | b'}'), _) => out.extend([b'\\', byte]),
            (b'*', Some(b'*')) => {
                let stars = rule[at..].iter().take_while(|byte| **byte == b'*').count();
                let is_component = (at == 0 || rule[at - 1] == b'/')
                    && rule.get(at + stars).is_none_or(|byte| *byte == b'/');
                out.extend_from_slice(if is_component { b"**" } else { b"*" });
                at += stars - 1;
            }
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    Some(out)
}

/// Writes the class whose first character is at `at`. Returns the position of its `]`, or `None` if it is not closed or
/// contains an unknown named class.
fn class(rule: &[u8], mut at: usize, out: &mut Vec<u8>) -> Option<usize> {
    out.push(b'[');
    if matches!(rule.get(at), Some(b'!' | b'^')) {
        out.push(b'!');
        at += 1;
    }
    // The first character is a member even if it is `]`.
    let mut is_first = true;
    // The character that can start a range, and the position where it was written.
    let mut previous: Option<(u8, usize)> = None;
    while is_first || *rule.get(at)? != b']' {
        is_first = false;
        match (*rule.get(at)?, previous) {
            (b'-', Some((from, written))) if rule.get(at + 1).is_some_and(|next| *next != b']') => {
                at += 1;
                let mut to = rule[at];
                if to == b'\\' {
                    at += 1;
                    to = *rule.get(at)?;
                }
                out.truncate(written);
                // A range with its end before its start contains only the first character.
                push_range(out, &(from..=to.max(from)));
                previous = None;
            }
            (b'[', _) if rule.get(at + 1) == Some(&b':') => {
                let name = &rule[at + 2..];
                let name = &name[..memchr::memchr(b']', name)?];
                if let Some(name) = name.strip_suffix(b":") {
                    let (_, ranges) = CLASSES.iter().find(|(known, _)| *known == name)?;
                    ranges.iter().for_each(|range| push_range(out, range));
                    at += 2 + name.len() + 1;
                    previous = None;
                } else {
                    previous = Some((b'[', out.len()));
                    push_literal(out, b'[');
                }
            }
            (mut byte, _) => {
                if byte == b'\\' {
                    at += 1;
                    byte = *rule.get(at)?;
                }
                previous = Some((byte, out.len()));
                push_literal(out, byte);
            }
        }
        at += 1;
    }
    out.push(b']');
    Some(at)
}

fn push_range(out: &mut Vec<u8>, range: &RangeInclusive<u8>) {
    push_literal(out, *range.start());
    out.push(b'-');
    push_literal(out, *range.end());
}

/// Writes a literal character. Letters and digits get no backslash, because some would have a special meaning.
fn push_literal(out: &mut Vec<u8>, byte: u8) {
    if !byte.is_ascii_alphanumeric() {
        out.push(b'\\');
    }
    out.push(byte);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_the_same_members_as_in_git() {
        let members = |class: &str| -> Vec<u8> {
            let Some(glob) = for_fast_glob(class.as_bytes()) else { return Vec::new() };
            assert!(fast_glob::validate(&glob).is_ok(), "{class}");
            (1..=u8::MAX).filter(|byte| fast_glob::glob_match(&glob, [*byte])).collect()
        };
        let of = |text: &str| text.as_bytes().to_vec();
        for (class, expected) in [
            ("[[:digit:]]", of("0123456789")),
            ("[[:digit:]a]", of("0123456789a")),
            ("[]a]", of("]a")),
            ("[a-c-e]", of("-abce")),
            (r"[\]-_]", of("]^_")),
            ("[a-]", of("-a")),
            ("[--/]", of("-.")),
            ("[[:x]", of(":[x")),
            ("[[:]", of(":[")),
            ("[b-a]", of("b")),
            ("[[:none:]]", of("")),
            ("[a", of("")),
            (r"[a\", of("")),
            ("[[:digit:]-z]", [b"-".to_vec(), of("0123456789z")].concat()),
            (r"[{},*?\\!]", of("!*,?\\{}")),
        ] {
            assert_eq!(members(class), expected, "{class}");
        }
        assert_eq!(members("[![:print:]]").len(), 255 - 95);
        assert_eq!(members("[^[:space:]]").len(), 255 - 4 - 1, "and no slash");
    }
}
