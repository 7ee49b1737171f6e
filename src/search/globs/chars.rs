//! `?` and `[…]` as one character each. globset takes them for one byte, so that `?.txt` would not
//! name `é.txt`, which it does in every shell.
//!
//! Its regular expression for a glob is taken, and the classes in it are made to be of characters.

/// `regex`, as globset writes it, with classes of characters; `None` where it has no class.
pub(super) fn of_characters(regex: &str) -> Option<String> {
    let mut out = String::with_capacity(regex.len() * 2);
    let mut rest = regex;
    let mut any = false;
    while let Some(at) = rest.find(['[', '\\']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if from.starts_with('\\') {
            let (escape, after) = from.split_at_checked(2).unwrap_or((from, ""));
            out.push_str(escape);
            rest = after;
            continue;
        }
        let (class, after) = from.split_at(end_of_class(from));
        if after.starts_with('*') {
            // What stands for `*` matches the same bytes either way.
            out.push_str(class);
        } else {
            any = true;
            let inside = class.get(1..class.len() - 1).unwrap_or_default();
            // Not even by what it leaves out does a class cross from one folder into another.
            let separator = if inside.starts_with('^') && inside != "^/" { "/" } else { "" };
            out.extend(["(?u:[", &decoded(inside), separator, "])"]);
        }
        rest = after;
    }
    out.push_str(rest);
    any.then_some(out)
}

/// Where the class that `text` begins with ends; in it, everything special is escaped.
fn end_of_class(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b']' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

/// The inside of a class with its escaped bytes, `\xc3\xa9`, as the characters that they are.
fn decoded(inside: &str) -> String {
    let mut bytes = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((before, from)) = rest.find('\\').map(|at| rest.split_at(at)) {
        bytes.extend_from_slice(before.as_bytes());
        let digits = from.strip_prefix("\\x").and_then(|after| after.get(..2));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (escape, after) = from.split_at_checked(if byte.is_some() { 4 } else { 2 }).unwrap_or((from, ""));
        match byte {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(escape.as_bytes()),
        }
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_nothing_else() {
        for (regex, expected) in [
            (r"(?-u)^[^/]*\.rs$", None),
            (r"(?-u)^\[x\]\\$", None),
            (r"(?-u)^[^/]\.txt$", Some(r"(?-u)^(?u:[^/])\.txt$")),
            (r"(?-u)^\xc3\xa9[\xc3\xa9\]]$", Some(r"(?-u)^\xc3\xa9(?u:[é\]])$")),
            (r"(?-u)^[^a-\xd1\x8f]\\[^/]*$", Some(r"(?-u)^(?u:[^a-я/])\\[^/]*$")),
            (r"(?-u)^[\\x41]$", Some(r"(?-u)^(?u:[\\x41])$")),
        ] {
            assert_eq!(of_characters(regex).as_deref(), expected, "{regex}");
        }
    }
}
