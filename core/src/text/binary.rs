//! Decides whether a file or an output is text, names the type of others, and replaces control characters.

mod text_parts;

use std::borrow::Cow;

use infer::MatcherType;

use super::decode::{Encoding, is_utf8};
use super::show::REPLACEMENT;
pub use text_parts::{mostly_text, text_at_ends};

/// Bytes at the start of a file or an output that decide whether it is text.
pub const DECIDING_BYTES: usize = 64 * 1024;

/// The media type of a text in UTF-16 with a byte order mark.
pub const UTF_16: &str = "text/plain; charset=utf-16";
/// The media type of a text in UTF-32, the low byte first.
pub const UTF_32LE: &str = "text/plain; charset=utf-32le";
/// The media type of a text in UTF-32, the high byte first.
pub const UTF_32BE: &str = "text/plain; charset=utf-32be";

/// Bytes in which a binary format with a signature has a NUL or another control character.
const HEADER_BYTES: usize = 512;
/// Bytes in which a binary format whose signature is letters has [`MIN_FIELD_CONTROLS`] control characters.
const FIELD_BYTES: usize = 24;
/// Control characters of numbers after a signature. A text that begins with the same letters can have one.
const MIN_FIELD_CONTROLS: usize = 2;
/// Archives whose headers can be text.
const TEXT_HEADERS: [&str; 4] = [
    "application/x-tar",
    "application/x-cpio",
    "application/x-unix-archive",
    "application/vnd.debian.binary-package",
];
/// Formats that are text. Only at the start is `%PDF-` the signature of PDF.
const TEXT_FORMATS: [&str; 4] =
    ["application/pdf", "application/postscript", "application/rtf", "application/x-x509-ca-cert"];
/// The signature of a swap file of vim.
const VIM_SWAP: &[u8] = b"b0VIM ";
/// The signature of an array of `NumPy`.
const NUMPY: &[u8] = b"\x93NUMPY";
/// Bytes that are checked at once for control characters.
const BLOCK_BYTES: usize = 256;
/// Control characters that a text may have whatever its size.
const STRAY_CONTROLS: usize = 8;
/// The same for a text that is not UTF-8, if they are a larger share of it. Short compressed data has few.
const STRAY_IN_OTHER_ENCODINGS: usize = 2;
/// Different control characters that can separate the parts of a text.
const SEPARATORS: usize = 4;
/// Bytes of ASCII that are not nine characters of UTF-16.
const ASCII_BYTES: usize = 18;
/// The byte order mark of UTF-16 as Windows writes it.
const UTF16_MARK: &[u8] = b"\xff\xfe";
/// The signature of PDF, which can be text otherwise.
const PDF: &[u8] = b"%PDF-";

/// Returns true if an output that starts with `content` is not text, by its first [`DECIDING_BYTES`]:
///
/// - It has the signature of a binary format and above 1 % control characters, or for PDF a control character or a byte that is
///   not UTF-8. A signature of two to four letters counts only if two of the first 24 bytes are control characters.
/// - It has more than 8 and above 1 % control characters other than NUL. White space, bell, backspace and escape do not count.
/// - It has two NUL bytes or more and above 10 %, where a run of them counts once.
/// - It is not UTF-8, and has more than 2 of these control characters and above 4 %.
///
/// Control characters can separate texts, as after `git ls-files -z`, or in FIX logs. If everything else is UTF-8 and there are
/// at most 4 different ones, NUL included, more than 8 and above a third make it binary. There too, a run of NUL bytes counts
/// once.
///
/// Text in UTF-16 with a byte order mark is not text, unless a message in ASCII follows it. If it follows other text, its
/// characters in ASCII do not count. If ASCII follows text without a mark, only the part from there on decides.
///
/// ```
/// use cutline_core::text::binary::is_binary;
/// assert!(!is_binary(b"sleep\x001\0") && !is_binary(b"%PDF-1.7 is the first line of a PDF\n"));
/// assert!(is_binary(&[0; 100]));
/// ```
pub fn is_binary(content: &[u8]) -> bool {
    let start = content.get(..DECIDING_BYTES).unwrap_or(content);
    if has_utf16_mark(start) {
        return !Encoding::of(start).0.is_mixed(start);
    }
    let start = &*without_utf16(after_utf16(start));
    let may_have_controls = start.chunks(BLOCK_BYTES).any(may_have_control);
    if start.starts_with(PDF) {
        return may_have_controls || !is_utf8(start);
    }
    // Most texts have no control character.
    if !may_have_controls {
        return false;
    }
    let controls = start.iter().filter(|byte| is_control(**byte)).count();
    if has_signature(start) && controls * 100 > start.len() {
        return true;
    }
    let nuls = memchr::memchr_iter(0, start).count();
    let pairs = start.iter().zip(start.get(1..).unwrap_or_default());
    let runs = pairs.filter(|(byte, next)| **byte == 0 && **next != 0).count();
    let runs = runs + usize::from(start.ends_with(b"\0"));
    let (others, size) = (controls - nuls, start.len() - nuls + runs);
    let kinds = (0..b' ').filter(|byte| is_control(*byte) && memchr::memchr(*byte, start).is_some()).count();
    if kinds <= SEPARATORS && is_utf8(start) {
        return controls > STRAY_CONTROLS && (runs + others) * 3 > size;
    }
    let is_short_data = others > STRAY_IN_OTHER_ENCODINGS && others * 25 > size;
    nuls > 1 && runs * 10 > size
        || others > STRAY_CONTROLS && others * 100 > size
        || is_short_data && !is_utf8(start)
}

/// Returns true if a file that starts with `content` is not text. The rule is that of [`is_binary`], but any PDF is binary,
/// and text in UTF-16 is text if [`Encoding::of`] recognizes it.
pub fn is_binary_file(content: &[u8]) -> bool {
    let start = content.get(..DECIDING_BYTES).unwrap_or(content);
    Encoding::of(start).0 == Encoding::Utf8 && (has_signature(start) || is_binary(start))
}

/// Returns true if content starts with a byte order mark of UTF-16.
fn has_utf16_mark(start: &[u8]) -> bool {
    matches!(Encoding::of(start), (Encoding::Utf16Le | Encoding::Utf16Be, 1..))
}

/// Returns the media type of binary content that starts with `start`. It is `text/plain` for text with words or a byte
/// order mark of UTF-16, which is readable without its NUL bytes. It is [`UTF_16`] if the mark is at the start, and
/// [`UTF_32LE`] or [`UTF_32BE`] for UTF-32 with a byte order mark or with ASCII at the start.
pub fn media_type(start: &[u8]) -> &'static str {
    if has_utf16_mark(start) {
        return UTF_16;
    }
    // At the start, it is a part of the mark of UTF-32.
    let has_mark = || memchr::memmem::find(start, UTF16_MARK).is_some_and(|at| at > 0);
    let has_utf16 = Encoding::of(start).0 != Encoding::Utf8 || Encoding::Utf8.is_mixed(start) || has_mark();
    if has_utf16 && !is_binary(&start.iter().copied().filter(|byte| *byte != 0).collect::<Vec<_>>()) {
        return "text/plain";
    }
    let units = start.as_chunks::<4>().0.get(..4).unwrap_or_default();
    let are_ascii = |unit: fn([u8; 4]) -> u32| {
        !units.is_empty() && units.iter().all(|bytes| matches!(unit(*bytes), 9 | 10 | 13 | 32..127))
    };
    match start {
        [0xFF, 0xFE, 0, 0, ..] => UTF_32LE,
        [0, 0, 0xFE, 0xFF, ..] => UTF_32BE,
        _ if are_ascii(u32::from_le_bytes) => UTF_32LE,
        _ if are_ascii(u32::from_be_bytes) => UTF_32BE,
        _ => infer::get(start).map_or("application/octet-stream", |kind| kind.mime_type()),
    }
}

/// Returns true if a file has a NUL or a signature. Otherwise only other control characters can make it binary, which
/// is rare. Takes a fraction of the time of [`is_binary_file`].
pub fn looks_binary(content: &[u8]) -> bool {
    let start = content.get(..DECIDING_BYTES).unwrap_or(content);
    memchr::memchr(0, start).is_some() || has_signature(start)
}

/// Removes all NULs but the first of each run.
///
/// ```
/// assert_eq!(*cutline_core::text::binary::without_repeated_nuls(b"a\0\0\0b\0"), *b"a\0b\0");
/// ```
pub fn without_repeated_nuls(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(bytes, b"\0\0").is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut kept = bytes.to_vec();
    kept.dedup_by(|next, before| *next == 0 && *before == 0);
    Cow::Owned(kept)
}

/// Replaces each NUL and each other control character that can make content binary by U+FFFD. Clients and terminals do not
/// show them.
///
/// ```
/// assert_eq!(cutline_core::text::binary::without_controls("a\0b\x01c\n"), "a\u{FFFD}b\u{FFFD}c\n");
/// ```
pub fn without_controls(text: &str) -> Cow<'_, str> {
    if has_control(text) {
        Cow::Owned(text.replace(is_control_char, REPLACEMENT.encode_utf8(&mut [0; 4])))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns true if [`without_controls`] replaces a character of `text`.
pub fn has_control(text: &str) -> bool {
    text.as_bytes().chunks(BLOCK_BYTES).any(may_have_control) && text.contains(is_control_char)
}

/// Returns true for a control character that [`without_controls`] replaces.
pub(super) fn is_control_char(c: char) -> bool {
    u8::try_from(c).is_ok_and(is_control)
}

/// Returns true if `start` begins as a binary format, or as a PDF, which can be text. Other text can begin with a signature of
/// letters, but numbers follow that signature in the format.
fn has_signature(start: &[u8]) -> bool {
    if start.starts_with(PDF) {
        return true;
    }
    // A pickle of Python begins with its protocol.
    if start.starts_with(NUMPY) || matches!(start, [0x80, 2..=5, ..]) {
        return true;
    }
    let mut header = start.get(..HEADER_BYTES).unwrap_or(start).chunks(BLOCK_BYTES);
    if !header.any(may_have_control) {
        return false;
    }
    if start.starts_with(VIM_SWAP) {
        return true;
    }
    let Some(kind) = infer::get(start) else { return false };
    if kind.matcher_type() == MatcherType::Text || TEXT_FORMATS.contains(&kind.mime_type()) {
        return false;
    }
    let fields = start.get(..FIELD_BYTES).unwrap_or(start);
    let controls = fields.iter().filter(|byte| is_control(**byte)).count();
    let is_long = start.starts_with(b"BZh") && start.get(4..).is_some_and(|rest| rest.starts_with(b"1AY&SY"));
    let is_of_letters = fields.iter().take(2).all(u8::is_ascii_graphic);
    !is_of_letters || is_long || controls >= MIN_FIELD_CONTROLS || TEXT_HEADERS.contains(&kind.mime_type())
}

/// Returns the part of an output after text in UTF-16 without a mark, if ASCII follows it. Two programs wrote such an output.
fn after_utf16(start: &[u8]) -> &[u8] {
    let is_ascii =
        |bytes: &[u8]| bytes.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'));
    let begins_with_nul = start.iter().take(2).any(|byte| *byte == 0);
    let at = begins_with_nul.then(|| start.windows(ASCII_BYTES).position(is_ascii)).flatten();
    let parts = at.and_then(|at| start.split_at_checked(at.next_multiple_of(2)));
    parts.filter(|(utf16, _)| Encoding::of(utf16).0 != Encoding::Utf8).map_or(start, |(_, rest)| rest)
}

/// Returns an output without the ASCII characters of UTF-16 after a byte order mark: `cat` printed such a file after other
/// text.
fn without_utf16(start: &[u8]) -> Cow<'_, [u8]> {
    let (mut rest, mut others) = (start, Vec::new());
    while let Some(at) = memchr::memmem::find(rest, UTF16_MARK) {
        let (before, text) = rest.split_at(at + UTF16_MARK.len());
        others.extend_from_slice(before);
        let is_ascii = |pair: &&[u8; 2]| pair[1] == 0 && pair[0].is_ascii() && !is_control(pair[0]);
        let pairs = text.as_chunks::<2>().0.iter().take_while(is_ascii).count();
        rest = text.get(2 * pairs..).unwrap_or_default();
    }
    if others.is_empty() { Cow::Borrowed(start) } else { Cow::Owned([&others, rest].concat()) }
}

/// Returns true if a block may have a control character. Counts escape too, because the compiler turns two comparisons
/// without a branch into few instructions for 16 bytes.
fn may_have_control(block: &[u8]) -> bool {
    block.iter().fold(0_u8, |any, byte| any | u8::from(*byte < 7) | u8::from(byte.wrapping_sub(14) < 18)) > 0
}

/// Returns true for NUL and the control characters below space that text does not have: all except bell, which ends titles
/// and links of terminals, backspace, escape, and the five that are white space.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=6 | 14..=26 | 28..=31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_of_control_characters_decides() {
        let text = |controls: &str, times: usize, letters: usize| {
            [controls.repeat(times), "x".repeat(letters)].concat().into_bytes()
        };
        for (content, expected) in [
            (Vec::new(), false),
            (text("a\0", 9, 9), false), // exactly a third
            (text("a\0", 9, 8), true),
            (text("a\0", 8, 0), false),
            (text("\0", 5000, 2), false), // a run counts once
            (text("\0", 5000, 1), true),
            (text("a\0", 10, 0), true),
            ([b"x".to_vec(), text("a\0", 9, 69), vec![0xff]].concat(), true), // not UTF-8: 10 %
            ([b"x".to_vec(), text("a\0", 9, 70), vec![0xff, b'a']].concat(), false),
            ([text("\u{1}", 3, 70), vec![0xff, b'a']].concat(), false), // exactly 4 %
            ([text("\u{1}", 3, 69), vec![0xff, b'a']].concat(), true),
            ([text("\u{1}", 2, 0), vec![0xff, b'a']].concat(), false),
            (text("a\0", 2, 0), false),
            (text("a\0\u{1}", 2, 0), false),
            (text("\u{1}", 8, 0), false),
            (text("a\u{1}", 9, 9), false),
            (text("a\u{1}", 9, 8), true),
            (text("a\0b\u{1}c\u{1c}d\u{1f}", 9, 36), false), // four different ones
            (text("a\0b\u{1}c\u{1c}d\u{1f}", 9, 35), true),
            (text("\u{1}\u{2}\u{3}\u{4}\u{5}", 2, 990), false), // five: exactly 1 %
            (text("\u{1}\u{2}\u{3}\u{4}\u{5}", 2, 989), true),
            ([text("\u{1}", 9, 889), vec![0xff, b'a']].concat(), false), // not UTF-8: exactly 1 %
            ([text("\u{1}", 9, 888), vec![0xff, b'a']].concat(), true),
            ([text("", 0, 700), vec![0; 4096], b"step \x01\nERROR\n".to_vec()].concat(), false),
            (text("\t\n\r\u{b}\u{c}\u{1b}\u{8}\u{7}", 100, 0), false),
            (text("é\u{85}", 100, 0), false),
            // Only the first 64 KB count.
            ([text("", 0, DECIDING_BYTES), vec![1; 90_000]].concat(), false),
            ([[1, 2, 3, 4, 5].repeat(200), text("", 0, DECIDING_BYTES)].concat(), true),
        ] {
            assert_eq!(is_binary(&content), expected, "{:?}", content.get(..20));
        }
    }

    #[test]
    fn signatures() {
        let tar = [&[b'a'; 100][..], &[0; 157], b"ustar\x0000", &[b'x'; 5000]].concat();
        let elf = [b"\x7fELF\x02\x01\x01\x00", &[b'a'; 60][..]].concat();
        let jar =
            [b"!<arch>\na.txt/          0           0     0     644     9         `\n", &b"text \0\n"[..]]
                .concat();
        let gif = b"GIF89a\x01\0\x01\0\x80\0\0\xff\n";
        assert!(!is_binary(&[&gif[..], &b"text\n".repeat(120)].concat()), "below 1 %");
        assert!(is_binary_file(&[&gif[..], &b"text\n".repeat(120)].concat()));
        let cases: [(&[u8], bool); 27] = [
            (b"\x93NUMPY\x01\0v\0{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }   \n", true),
            (b"\x80\x04\x95\x0a\0\0\0\0\0\0\0\x8c\x06a text\x94.", true),
            (b"b0VIM 8.2\0\0\0\0\x10\0\0", true),
            (b"b0VIM is the signature of a swap file\n", false),
            (&tar, true),
            (b"PK\x03\x04 aaaa", true),
            (&elf, true),
            (b"\x1f\x8b\x08aaaaaaa", true),
            (b"%PDF-1.4\nonly text", false),
            (b"%PDF-1.4\n\x01", true),
            (b"%PDF-1.4\n%\xe2\xe3", true),
            (b"GIF89a\x01\0\x01\0", true),
            (b"GIF89a\x01aaaaaaaaaaa", false),
            (b"BM is a bitmap\0\nMZ is a program\0\n", false),
            (b"MZ \x1b[1m is \x1b[0m a program \x01\n", false),
            (b"RIFF\x24\x08\x01\0WAVEfmt \x10\0", true),
            (b"SQLite format 3\0\x10\0\x01\x01", true),
            (b"BM\x8a\x7b\x0c\0\0\0\0\0\x8a", true),
            (b"BZh91AY&SY\xc1\xc0\x80\xe2\0", true),
            (b"BZh is the signature of bzip2\0\n", false),
            (b"%!PS-Adobe-3.0\nshowpage\n\x04", false),
            (b"{\\rtf1 \0\x01 a text}\n", false),
            (b"The first line of a PDF is %PDF-1.4\0\n", false),
            (&jar, true),
            (b"GIF89a is the first word of a GIF file\n", false),
            (b"MZ is the signature of a program\n", false),
            (b"BM\nMZ\n", false),
        ];
        for (content, expected) in cases {
            assert_eq!(is_binary(content), expected, "{content:?}");
            let is_pdf = content.starts_with(PDF);
            assert_eq!(is_binary_file(content), expected || is_pdf, "{content:?}");
            assert_eq!(looks_binary(content), expected || is_pdf || content.contains(&0), "{content:?}");
        }
    }

    #[test]
    fn media_type_of_utf32() {
        let le = |text: &str| text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<u8>>();
        let be = |text: &str| text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect::<Vec<u8>>();
        for (text, is_utf32) in [
            ("\u{FEFF}é", true),
            ("\u{FEFF}a line of ASCII", true),
            ("a text: é", true),
            ("a\t\u{1}b", false),
            ("abc", false),
        ] {
            let expected = |utf32| if is_utf32 { utf32 } else { "application/octet-stream" };
            assert_eq!(media_type(&le(text)), expected(UTF_32LE), "{text:?}");
            assert_eq!(media_type(&be(text)), expected(UTF_32BE), "{text:?}");
        }
    }

    #[test]
    fn media_type_of_words_in_utf16() {
        let le: Vec<u8> = "1: error CS1002: ;\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (content, is_text) in [
            (le.clone(), true),
            ([b"\0", &*le].concat(), true), // as after `tail`
            ([b"started\r\n", &*le].concat(), true),
            (b"a\n\xff\xfea\0\xe9\0\n\0".to_vec(), true),
            (b"a\na\0\xe9\0\n\0".to_vec(), false),
            ([&le[..], &[1; 20]].concat(), false),
            ([b"\x7fELF\x02\x01\x01\x00\x01\x02\x03", &*le.repeat(3)].concat(), false),
        ] {
            assert_eq!(media_type(&content) == "text/plain", is_text, "{content:?}");
        }
    }

    #[test]
    fn utf16_with_a_mark_is_text_in_files() {
        let windows: [&[u8]; 3] = [b"\xff\xfea\0b\0", b"\xfe\xff\0a\0b", b"\xff\xfe\xe5\x65\x2c\x67"];
        for content in windows {
            assert!(is_binary(content) && !is_binary_file(content), "{content:?}");
            assert_eq!(media_type(content), UTF_16, "{content:?}");
            assert!(!is_binary(&[content, b"\nerror: exit code 1\n"].concat()), "{content:?}");
        }
    }

    #[test]
    fn utf16_after_other_text_is_text() {
        let ini: Vec<u8> = "[a]\r\nb=1\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let output = [b"Running\n\xff\xfe", &ini[..], b"\nERROR: failed\n"].concat();
        assert!(!is_binary(&output) && !is_binary(&output.repeat(3)));
        assert!(is_binary(&[&output[..], &[1; 20]].concat()));
        assert!(is_binary(&[b"Running\n", &*ini.repeat(5), b"\nERROR: failed\n"].concat()));
    }

    #[test]
    fn only_files_need_no_mark_for_utf16() {
        let le: Vec<u8> = "a text\n".repeat(9).encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(is_binary(&le) && !is_binary_file(&le));
        let be: Vec<u8> = le.as_chunks::<2>().0.iter().flat_map(|[low, high]| [*high, *low]).collect();
        for utf16 in [le, be] {
            let and = |rest: &[u8]| is_binary(&[&utf16, rest].concat());
            assert!(!and(b"error: exit code 1\n") && and(b"error 1\n") && and(&[1; 200]));
            assert!(and(&[b"error: exit code 1\n", &[0, 1, 2, 3, 4, 5][..]].concat().repeat(3)));
        }
    }
}
