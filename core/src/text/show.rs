//! Names in a form that is safe to show: no invalid UTF-8, no control or invisible characters. [`path`] and
//! [`in_notice`] are never too long.
//!
//! A shown name is for reading. A name that was changed does not open the file by itself; the tools find the file again by
//! comparing names as they are shown.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Characters of a path in a notice or an error; a longer one keeps both its ends.
pub const PATH_CHARS: usize = 200;

/// The character that replaces a byte or character that cannot be shown.
pub const REPLACEMENT: char = '\u{FFFD}';

/// Bytes that a byte of a name can become in its shown form. The longest is U+034F: 7 bytes for 2.
pub const MAX_GROWTH: usize = 4;

/// Returns a name or path as text: bytes that are not UTF-8 and control characters become U+FFFD, invisible characters
/// become escapes such as `\u{202e}`.
///
/// Invisible are the characters that change the direction of text or have no width (Unicode's `Default_Ignorable_Code_Point`),
/// and line and paragraph separators. A joiner (U+200C, U+200D) or a selector of emoji or text style (U+FE0E, U+FE0F) stays
/// if the character before it is visible and not ASCII, because emoji and several scripts need it there.
///
/// ```
/// use cutline_core::text::show;
/// assert_eq!(show::name(b"a\nb\xff.txt"), "a\u{FFFD}b\u{FFFD}.txt");
/// assert_eq!(show::name("a\u{202e}txt.exe".as_bytes()), "a\\u{202e}txt.exe");
/// ```
pub fn name(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    if is_plain(&text) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for_each_visible(&text, |c, is_visible| match is_visible {
        _ if c.is_control() => shown.push(REPLACEMENT),
        true => shown.push(c),
        false => push_escape(&mut shown, c),
    });
    Cow::Owned(shown)
}

/// Returns text for a terminal: control characters other than tabs and line ends, and invisible characters, become escapes.
///
/// ```
/// assert_eq!(cutline_core::text::show::on_terminal("\u{1b}[2Ja\r\n"), "\\u{1b}[2Ja\r\n");
/// ```
pub fn on_terminal(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let end = if line.ends_with("\r\n") { 2 } else { usize::from(line.ends_with('\n')) };
        let (line, end) = line.split_at(line.len() - end);
        for_each_visible(line, |c, is_visible| match c {
            '\t' => shown.push(c),
            _ if is_visible && !c.is_control() => shown.push(c),
            _ => push_escape(&mut shown, c),
        });
        shown.push_str(end);
    }
    Cow::Owned(shown)
}

/// Returns true if the text has no control characters and nothing that could be invisible.
fn is_plain(text: &str) -> bool {
    // Most text is ASCII, which needs no decoding.
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        || !text.chars().any(|c| c.is_control() || is_invisible(c))
}

fn push_escape(text: &mut String, c: char) {
    let _never_fails = write!(text, "{}", c.escape_unicode());
}

/// Calls `take` with each character, and with false if it is invisible.
fn for_each_visible(text: &str, mut take: impl FnMut(char, bool)) {
    let is_base = |c: char| !c.is_ascii() && !c.is_whitespace() && !is_invisible(c);
    let is_selector = |c: char| matches!(c, '\u{FE0E}' | '\u{FE0F}');
    let mut previous = ' ';
    for c in text.chars() {
        let is_visible = match c {
            '\u{200C}' | '\u{200D}' => is_base(previous) || is_selector(previous),
            c if is_selector(c) => is_base(previous),
            c => !is_invisible(c),
        };
        take(c, is_visible);
        previous = if is_visible { c } else { ' ' };
    }
}

/// Returns true for line and paragraph separators and for each `Default_Ignorable_Code_Point` of Unicode 17.
pub(crate) fn is_invisible(c: char) -> bool {
    // Nothing below is invisible, and most characters are below.
    c >= '\u{AD}'
        && matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Bytes of a path that are shown: three such paths leave room for words in the 1 KB beside a body.
const PATH_BYTES: usize = 300;

/// Returns `text`, or both its ends around `…` if it has more than `max_chars` characters.
///
/// ```
/// assert_eq!(cutline_core::text::show::middle_out("abcdefghij", 5), "ab…ij");
/// ```
pub fn middle_out(text: &str, max_chars: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= max_chars {
        return Cow::Borrowed(text);
    }
    let kept = max_chars.saturating_sub(1);
    let (head, tail) = (kept - kept / 2, kept / 2);
    let end_of_head = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let start_of_tail = text.char_indices().nth(count - tail).map_or(text.len(), |(at, _)| at);
    Cow::Owned(format!("{}…{}", &text[..end_of_head], &text[start_of_tail..]))
}

/// Returns `text`, or both its ends around `…` if it has more than `max_bytes` bytes.
///
/// ```
/// assert_eq!(cutline_core::text::show::middle_out_bytes("éééééé", 9), "é…é");
/// ```
pub fn middle_out_bytes(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let kept = max_bytes.saturating_sub('…'.len_utf8());
    Cow::Owned([super::prefix(text, kept - kept / 2), "…", super::suffix(text, kept / 2)].concat())
}

/// Returns a path as notices and errors show it: as [`name`] does, short in characters and in bytes.
///
/// ```
/// let long = format!("src/{}/main.rs", "deep/".repeat(100));
/// let shown = cutline_core::text::show::path(&long);
/// assert!(shown.starts_with("src/") && shown.ends_with("/main.rs") && shown.chars().count() == 200);
/// ```
pub fn path(text: &str) -> String {
    let name = name(text.as_bytes());
    middle_out_bytes(&middle_out(&name, PATH_CHARS), PATH_BYTES).into_owned()
}

/// Returns a name or path as notices show it: as [`path`] does, and [`with_pairs`].
pub fn in_notice(text: &str) -> String {
    with_pairs(&path(text))
}

/// Returns `text` with a parenthesis in place of each bracket that is not one of a pair. Such a bracket in a notice could look
/// like its end, and the text after it like another notice.
///
/// ```
/// use cutline_core::text::show::with_pairs;
/// assert_eq!(with_pairs("app/[id]/page.tsx"), "app/[id]/page.tsx");
/// assert_eq!(with_pairs("a] [Use bash"), "a) (Use bash");
/// ```
pub fn with_pairs(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    // From the start, each `]` needs a `[` before it. From the end, each `[` needs a `]` after it.
    for [open, close, alone] in [*b"[])", *b"][("] {
        let mut depth = 0_usize;
        for byte in &mut bytes {
            match *byte {
                byte if byte == open => depth += 1,
                byte if byte != close => {}
                _ if depth > 0 => depth -= 1,
                _ => *byte = alone,
            }
        }
        bytes.reverse();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_path_is_short_in_bytes_too() {
        for text in ["日本語/".repeat(100), "😀".repeat(200), "é\n".repeat(500)] {
            let shown = path(&text);
            assert!(shown.len() <= PATH_BYTES && shown.contains('…'), "{} {shown}", shown.len());
            assert!(!shown.contains('\n'));
        }
        assert_eq!(path(&"x".repeat(200)), "x".repeat(200));
        assert_eq!(path("a\n\u{1b}[31m"), "a\u{FFFD}\u{FFFD}[31m");
    }

    #[test]
    fn brackets_in_a_notice_are_pairs() {
        for (text, shown) in [
            ("[a][[b]c]", "[a][[b]c]"),
            ("impl Foo for [u8; 4]", "impl Foo for [u8; 4]"),
            ("][", ")("),
            ("[[a]", "([a]"),
            ("[a]]", "[a])"),
            ("[a]] [b", "[a]) (b"),
            ("é]日", "é)日"),
        ] {
            assert_eq!(in_notice(text), shown);
        }
        // A cut can remove one of a pair.
        let long = in_notice(&format!("[{}]{}", "a".repeat(200), "b".repeat(200)));
        assert!(long.starts_with("(aaa") && !long.contains(['[', ']']), "{long}");
    }

    #[test]
    fn path_cut_to_bytes_keeps_both_ends() {
        assert_eq!(middle_out_bytes("abcdefghij", 10), "abcdefghij");
        assert_eq!(middle_out_bytes("abcdefghij", 9), "abc…hij");
        assert_eq!(middle_out_bytes("éééééé", 9), "é…é");
        assert_eq!(middle_out_bytes("abcdefghij", 2), "…");
    }

    #[test]
    fn invisible_characters_of_names_become_escapes() {
        for (given, shown) in [
            ("a\u{202E}b\u{2066}", r"a\u{202e}b\u{2066}"),
            ("a\u{200B}b\u{FEFF}c\u{AD}", r"a\u{200b}b\u{feff}c\u{ad}"),
            ("x\u{E0041}\u{E007F}", r"x\u{e0041}\u{e007f}"),
            ("a\u{2028}b", r"a\u{2028}b"),
            ("a\u{200D}b\u{200C}", r"a\u{200d}b\u{200c}"),
            ("❤\u{FE0F}\u{FE0F}", r"❤️\u{fe0f}"),
            ("é\u{200D}\u{200D}", "é\u{200D}\\u{200d}"),
            ("é\u{FE01}", r"é\u{fe01}"),
            // Emoji, Persian and Hindi.
            ("👩\u{200D}❤\u{FE0F}\u{200D}👩.png", "👩\u{200D}❤\u{FE0F}\u{200D}👩.png"),
            ("می\u{200C}خواهم", "می\u{200C}خواهم"),
            ("क्\u{200D}ष é ñ 日本", "क्\u{200D}ष é ñ 日本"),
        ] {
            assert_eq!(name(given.as_bytes()), shown, "{given:?}");
        }
    }

    #[test]
    fn text_on_a_terminal_has_no_control_characters() {
        assert_eq!(on_terminal("a\tb\r\nc\rd\n\n"), "a\tb\r\nc\\u{d}d\n\n");
        assert_eq!(on_terminal("\u{1b}]0;t\u{7}\u{9b}2J\u{202E}"), r"\u{1b}]0;t\u{7}\u{9b}2J\u{202e}");
        assert!(matches!(on_terminal("plain é"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn shown_names_are_bounded_and_visible(bytes in proptest::collection::vec(any::<u8>(), 0..40), text in any::<String>()) {
            for given in [bytes.as_slice(), text.as_bytes()] {
                let shown = name(given);
                prop_assert!(shown.len() <= MAX_GROWTH * given.len());
                prop_assert_eq!(name(shown.as_bytes()), shown.clone());
                prop_assert!(!shown.contains(char::is_control));
            }
        }

        #[test]
        fn never_longer_and_keeps_both_ends(text in "\\PC{0,60}", max in 3_usize..40) {
            let shown = middle_out(&text, max);
            prop_assert!(shown.chars().count() <= max);
            if text.chars().count() > max {
                prop_assert_eq!(shown.chars().count(), max);
                prop_assert_eq!(shown.chars().next(), text.chars().next());
                prop_assert_eq!(shown.chars().last(), text.chars().last());
            } else {
                prop_assert_eq!(&shown, &text);
            }
        }
    }
}
