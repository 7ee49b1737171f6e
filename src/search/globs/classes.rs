//! Escapes in `[…]`, as in every shell: `[\]]`, `[\\]`, `[a\-z]`. globset takes a backslash in a class
//! for a member of it.
//!
//! A class that has one is written anew, as globset reads it: `]` first, `-` last, `!` and `^` not first.

use std::borrow::Cow;
use std::str::Chars;

use globset::ErrorKind;

/// What means something in a class of globset's, by where it stands.
const SPECIAL: [char; 4] = [']', '-', '!', '^'];
/// A member that changes nothing: no name has it.
const NOTHING: char = '\0';

/// What stands between `[` and `]`.
struct Class {
    negated: bool,
    /// From the one to the other; a character alone is both.
    members: Vec<(char, char)>,
}

/// `glob` without a backslash in its classes that is not meant itself; what is wrong with a class that
/// has one.
pub(super) fn without_escapes(glob: &str) -> Result<Cow<'_, str>, ErrorKind> {
    if !glob.contains('[') || !glob.contains('\\') {
        return Ok(Cow::Borrowed(glob));
    }
    let mut out = String::with_capacity(glob.len());
    let mut rest = glob.chars();
    while let Some(c) = rest.next() {
        out.push(c);
        match c {
            '\\' => out.extend(rest.next()),
            '[' => {
                let from = rest.as_str();
                let class = read(&mut rest).ok_or(ErrorKind::UnclosedClass)?;
                let text = from.strip_suffix(rest.as_str()).unwrap_or(from);
                if text.contains('\\') { write(&class, &mut out)? } else { out.push_str(text) }
            }
            _ => {}
        }
    }
    Ok(Cow::Owned(out))
}

/// Takes a class, from after its `[`; `None` where it does not end.
fn read(chars: &mut Chars<'_>) -> Option<Class> {
    let negated = chars.as_str().starts_with(['!', '^']);
    if negated {
        chars.next();
    }
    let mut members = Vec::new();
    // The character before, where a range can begin with it.
    let mut begins = None;
    loop {
        let at = chars.as_str();
        let c = literal(chars)?;
        if at.starts_with(']') && !members.is_empty() {
            return Some(Class { negated, members });
        }
        if let (Some(first), true, false) = (begins, at.starts_with('-'), at.starts_with("-]")) {
            members.pop();
            members.push((first, literal(chars)?));
            begins = None;
        } else {
            members.push((c, c));
            begins = Some(c);
        }
    }
}

/// The next character, or the one that is escaped.
fn literal(chars: &mut Chars<'_>) -> Option<char> {
    chars.next().and_then(|c| if c == '\\' { chars.next() } else { Some(c) })
}

/// Writes what follows the `[`.
fn write(class: &Class, out: &mut String) -> Result<(), ErrorKind> {
    let (mut plain, mut special) = (String::new(), String::new());
    for &(first, last) in &class.members {
        let mut range = first..=last;
        if range.is_empty() {
            return Err(ErrorKind::InvalidRange(first, last));
        }
        while !range.is_empty() && SPECIAL.contains(range.start()) {
            special.extend(range.next());
        }
        while !range.is_empty() && SPECIAL.contains(range.end()) {
            special.extend(range.next_back());
        }
        if !range.is_empty() {
            plain.push(*range.start());
            if range.start() < range.end() {
                plain.extend(['-', *range.end()]);
            }
        }
    }
    let has = |c| special.contains(c);
    out.extend(class.negated.then_some('!'));
    out.push(if has(']') { ']' } else { NOTHING });
    out.push_str(&plain);
    out.extend(['!', '^', '-'].into_iter().filter(|c| has(*c)));
    out.push(']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_with_a_backslash_and_nothing_else() {
        for (glob, expected) in [
            (r"a\[b]", r"a\[b]"),
            (r"[]a-c-]\\[!^]*", r"[]a-c-]\\[!^]*"),
            (r"x[\]]y", "x[]]y"),
            (r"[\\]", "[\0\\]"),
            (r"[a\-z]", "[\0az-]"),
            (r"[!\!\^]", "[!\0!^]"),
            (r"[+-\]]", "[]+-\\]"),
            (r"[\]-a]", "[]_-a^]"),
            (r"[a-\c\d-]", "[\0a-cd-]"),
        ] {
            assert_eq!(without_escapes(glob).unwrap(), expected, "{glob}");
        }
        for (glob, wrong) in
            [(r"[\]", ErrorKind::UnclosedClass), (r"[\z-a]", ErrorKind::InvalidRange('z', 'a'))]
        {
            assert_eq!(without_escapes(glob).unwrap_err(), wrong, "{glob}");
        }
    }
}
