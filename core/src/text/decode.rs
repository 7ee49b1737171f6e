//! Bytes to text, piece by piece: characters split between two pieces stay whole.
//!
//! Bytes that are no characters of the encoding become U+FFFD, in UTF-8 as `String::from_utf8_lossy` would replace
//! them in the whole text. Of a run of at most 16 MB of NULs, only the first is text: a file with a hole has millions.
//! UTF-16 has a byte order mark, or is mostly Latin-1. [`detect`](Encoding::detect) finds a legacy encoding.

#![expect(clippy::indexing_slicing, reason = "a wrong range has to fail, not to read as no text")]

mod detect;

use derive_more::Display;

use super::{NEWLINE, as_index};
pub use detect::{SAMPLE_BYTES, START_BYTES, is_utf8};

/// The encoding of a text. It is displayed as its name in the WHATWG standard, in lower case.
///
/// ```
/// use cutline_core::text::decode::Encoding;
/// assert_eq!(Encoding::of(b"\xff\xfea\0"), (Encoding::Utf16Le, 2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display("{}", self.standard().name().to_ascii_lowercase())]
pub enum Encoding {
    /// UTF-8, also without a mark.
    Utf8,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// An encoding from before Unicode, such as windows-1252 or EUC-JP. A byte below 128 after a newline is ASCII, and no
    /// character contains the byte of a newline, so lines are those of the bytes.
    Legacy(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// Returns the bytes of a newline.
    pub fn newline(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Legacy(_) => b"\n",
            Self::Utf16Le => b"\n\0",
            Self::Utf16Be => b"\0\n",
        }
    }

    /// Returns the number of newlines in `block`, which begins with a whole unit.
    pub fn newlines(self, block: &[u8]) -> u64 {
        match self {
            Self::Utf8 | Self::Legacy(_) => memchr::memchr_iter(NEWLINE, block).count() as u64,
            Self::Utf16Le | Self::Utf16Be => {
                block.as_chunks::<2>().0.iter().filter(|unit| *unit == self.newline()).count() as u64
            }
        }
    }

    /// Returns the index after the `nth` newline (from 1) in `block`, if it has as many.
    pub fn nth_newline(self, block: &[u8], nth: u64) -> Option<usize> {
        let index = as_index(nth.saturating_sub(1));
        match self {
            Self::Utf8 | Self::Legacy(_) => memchr::memchr_iter(NEWLINE, block).nth(index).map(|at| at + 1),
            Self::Utf16Le | Self::Utf16Be => {
                let units = block.as_chunks::<2>().0.iter().enumerate();
                units.filter(|(_, unit)| *unit == self.newline()).nth(index).map(|(at, _)| at * 2 + 2)
            }
        }
    }

    /// Returns the encoding that the first bytes of a text say, and the bytes of the mark. UTF-16 needs no mark if it begins
    /// with Latin-1 and is mostly Latin-1.
    pub fn of(start: &[u8]) -> (Self, usize) {
        match start {
            [0xEF, 0xBB, 0xBF, ..] => (Self::Utf8, 3),
            // The mark of UTF-32 begins with that of UTF-16. With its NULs it is no text here, as the other UTF-32 is not.
            [0xFF, 0xFE, 0, 0, ..] => (Self::Utf8, 0),
            [0xFF, 0xFE, ..] => (Self::Utf16Le, 2),
            [0xFE, 0xFF, ..] => (Self::Utf16Be, 2),
            [_, 0, ..] if is_utf16(start, u16::from_le_bytes) => (Self::Utf16Le, 0),
            [0, ..] if is_utf16(start, u16::from_be_bytes) => (Self::Utf16Be, 0),
            _ => (Self::Utf8, 0),
        }
    }

    /// Returns true if a text in this encoding has a part in another one, after two programs wrote it: words or a line
    /// of ASCII in UTF-16, or words of UTF-16 in another encoding.
    ///
    /// ```
    /// use cutline_core::text::decode::Encoding;
    /// assert!(Encoding::Utf16Le.is_mixed(b"\xff\xfea\0\r\0\n\0cannot open file"));
    /// ```
    pub fn is_mixed(self, text: &[u8]) -> bool {
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b' ';
        let is_wide = |pair: &[u8]| matches!(pair, [letter, 0] if is_letter(letter));
        match self {
            Self::Utf16Le | Self::Utf16Be => {
                self.has_ascii_line(text) || text.windows(WORDS_BYTES).any(|part| part.iter().all(is_letter))
            }
            // Few texts have a NUL byte, and looking for one is fast.
            Self::Utf8 | Self::Legacy(_) => {
                memchr::memchr(0, text).is_some()
                    && text.windows(WORDS_BYTES).any(|part| part.chunks(2).all(is_wide))
            }
        }
    }

    /// Returns true if a text in UTF-16 has a line of ASCII, whose newline is one byte.
    fn has_ascii_line(self, text: &[u8]) -> bool {
        let is_ascii = |byte: &u8| matches!(byte, b'\t' | b'\r' | b' '..=b'~');
        let mut lines = text.split(|byte| *byte == NEWLINE).peekable();
        std::iter::from_fn(|| lines.next().map(|line| (line, lines.peek().copied()))).any(|(line, next)| {
            // A newline of UTF-16 ends a line of UTF-16. If its high byte is first, `line` ends with it.
            let is_wide = self == Self::Utf16Le && next.is_some_and(|next| next.starts_with(b"\0"));
            let end = line.rsplit(|byte| *byte == 0).next().unwrap_or_default();
            !is_wide && end.len() >= WORDS_BYTES && end.iter().all(is_ascii)
        })
    }

    /// Returns the encoding as the crate `encoding_rs` has it, with a decoder.
    pub fn standard(self) -> &'static encoding_rs::Encoding {
        match self {
            Self::Utf8 => encoding_rs::UTF_8,
            Self::Utf16Le => encoding_rs::UTF_16LE,
            Self::Utf16Be => encoding_rs::UTF_16BE,
            Self::Legacy(encoding) => encoding,
        }
    }
}

/// Bytes of words or a line in another encoding. Characters of East Asian text can be two letters of ASCII, but hardly
/// seven in a row.
const WORDS_BYTES: usize = 14;
/// Minimum number of units of a text in UTF-16 without a mark.
const UNMARKED_UNITS: usize = 9;

/// Returns true if at least nine of ten units of `start` are printable Latin-1 or white space, and none is a NUL or another
/// control character. Binary data has such units.
fn is_utf16(start: &[u8], unit: fn([u8; 2]) -> u16) -> bool {
    let units = || start.as_chunks::<2>().0.iter().map(|bytes| unit(*bytes));
    let is_latin = |unit: &u16| matches!(unit, 9 | 10 | 13 | 0x20..0x7F | 0xA0..0x100);
    let (count, latin) = (units().count(), units().filter(is_latin).count());
    count >= UNMARKED_UNITS && latin * 10 >= count * 9 && units().all(|unit| is_latin(&unit) || unit >= 0xA0)
}

/// Decodes a stream without its mark.
///
/// ```
/// use cutline_core::text::decode::{Decoder, Encoding};
/// let (mut decoder, mut text) = (Decoder::new(Encoding::Utf8), String::new());
/// for piece in [&b"caf\xc3"[..], b"\xa9 \xff"] {
///     decoder.push(piece, &mut |part| text.push_str(part));
/// }
/// decoder.finish(&mut |part| text.push_str(part));
/// assert!(text == "café \u{FFFD}" && decoder.lossy());
/// ```
pub struct Decoder {
    stream: encoding_rs::Decoder,
    part: String,
    lossy: bool,
    /// Number of NULs since the last other character.
    nuls: usize,
}

/// Bytes of text that are given to a sink at once, at most: few enough to stay in the nearest cache.
const PART_BYTES: usize = 8192;
/// Maximum length of a run of NULs that becomes one. A file can have a hole that takes hours to read.
const MOST_NULS: usize = 16 << 20;

impl Decoder {
    /// Returns a decoder for a stream in `encoding`.
    pub fn new(encoding: Encoding) -> Self {
        let stream = encoding.standard().new_decoder_without_bom_handling();
        Self { stream, part: String::with_capacity(PART_BYTES), lossy: false, nuls: 0 }
    }

    /// True if anything had to be replaced so far.
    pub fn lossy(&self) -> bool {
        self.lossy
    }

    /// Takes the next piece and gives its text to `sink`, in one part or several.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(&str)) {
        self.decode(bytes, false, sink);
    }

    /// Ends the stream: a character that was never completed is replaced.
    pub fn finish(&mut self, sink: &mut impl FnMut(&str)) {
        self.decode(&[], true, sink);
    }

    fn decode(&mut self, mut bytes: &[u8], last: bool, sink: &mut impl FnMut(&str)) {
        loop {
            let (result, read, replaced) = self.stream.decode_to_string(bytes, &mut self.part, last);
            self.lossy |= replaced;
            bytes = &bytes[read..];
            if !self.part.is_empty() {
                self.remove_repeated_nuls();
                sink(&self.part);
                self.part.clear();
            }
            if result == encoding_rs::CoderResult::InputEmpty {
                return;
            }
        }
    }

    fn remove_repeated_nuls(&mut self) {
        let bytes = self.part.as_bytes();
        if self.nuls > 0 && self.nuls < MOST_NULS && bytes.iter().all(|byte| *byte == 0) {
            self.nuls += bytes.len();
            self.part.clear();
        } else if memchr::memchr(0, bytes).is_none() {
            self.nuls = 0;
        } else {
            let nuls = &mut self.nuls;
            self.part.retain(|c| {
                *nuls = if c == '\0' { *nuls + 1 } else { 0 };
                *nuls <= 1 || *nuls > MOST_NULS
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(encoding: Encoding, bytes: &[u8], cuts: &[usize]) -> (String, bool) {
        let mut text = String::new();
        let mut sink = |part: &str| text.push_str(part);
        let mut decoder = Decoder::new(encoding);
        let mut from = 0;
        for &cut in cuts {
            let to = (from + cut).min(bytes.len());
            decoder.push(&bytes[from..to], &mut sink);
            from = to;
        }
        decoder.push(&bytes[from..], &mut sink);
        decoder.finish(&mut sink);
        (text, decoder.lossy())
    }

    #[test]
    fn utf16_without_a_mark() {
        let le = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let be = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
        for (text, is_utf16) in [
            ("error: a\n", true),
            ("error: a", false), // too short
            ("error: éé\n", true),
            ("error: aж\n", true),
            ("error: жж\n", false), // below nine of ten
            ("error: abc\u{1}\n", false),
            ("error: abc\0\n", false),
        ] {
            let expected = |encoding| (if is_utf16 { encoding } else { Encoding::Utf8 }, 0);
            assert_eq!(Encoding::of(&le(text)), expected(Encoding::Utf16Le), "{text:?}");
            assert_eq!(Encoding::of(&be(text)), expected(Encoding::Utf16Be), "{text:?}");
        }
        assert_eq!(Encoding::of("a name\0".repeat(9).as_bytes()), (Encoding::Utf8, 0));
        assert_eq!(Encoding::of(&b"a\0\0\0".repeat(9)), (Encoding::Utf8, 0));
    }

    #[test]
    fn only_the_first_nul_of_a_run_is_text() {
        let utf16: Vec<u8> = "\0\0a\0\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (encoding, bytes) in [(Encoding::Utf8, &b"\0\0a\0\0"[..]), (Encoding::Utf16Le, &utf16)] {
            for cut in 0..bytes.len() {
                assert_eq!(
                    decoded(encoding, bytes, &[cut]),
                    ("\0a\0".to_owned(), false),
                    "{encoding} at {cut}"
                );
            }
        }
    }

    #[test]
    fn parts_in_another_encoding() {
        let le = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let be = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
        let (japanese, chinese) = (le("これはひらがなのぶんしょうです"), le("愠湩摮摥的简体中文"));
        let ascii = "来中大在个到为\n".repeat(2); // only bytes of ASCII
        for (encoding, text, expected) in [
            (Encoding::Utf16Le, [&le("a text of words")[..], b"appended words\n"].concat(), true),
            (Encoding::Utf16Le, [&le("a text of words")[..], b"appended 1234\n"].concat(), false),
            (Encoding::Utf16Le, [&le("first\r\n")[..], b"error CS1002:\r\n"].concat(), true),
            (Encoding::Utf16Le, [b"error: line 12\n", &le("last\n")[..]].concat(), true),
            (Encoding::Utf16Be, [&be("first\n")[..], b"error: line 12\n", &be("last\n")].concat(), true),
            (Encoding::Utf16Le, le(&ascii), false),
            (Encoding::Utf16Be, be(&ascii), false),
            (Encoding::Utf16Le, japanese, false),
            (Encoding::Utf16Le, chinese, false),
            (Encoding::Utf8, [b"first\n", &le("words\n words in UTF-16\n")[..]].concat(), true),
            (Encoding::Utf8, b"a\0b\0c\0other words, with NUL\0after each\0".to_vec(), false),
        ] {
            assert_eq!(encoding.is_mixed(&text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn utf8_in_pieces_equals_lossy_conversion(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0x80_u8..0xF5, Just(b'a')], 0..40),
            cuts in prop::collection::vec(0_usize..5, 0..20),
        ) {
            let (text, lossy) = decoded(Encoding::Utf8, &bytes, &cuts);
            prop_assert_eq!(&text, &String::from_utf8_lossy(&bytes));
            prop_assert_eq!(lossy, str::from_utf8(&bytes).is_err());
        }

        #[test]
        fn utf16_does_not_depend_on_pieces(text in "\\PC{0,40}", cuts in prop::collection::vec(0_usize..5, 0..20)) {
            let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            prop_assert_eq!(decoded(Encoding::Utf16Le, &le, &cuts), (text.clone(), false));
            prop_assert_eq!(decoded(Encoding::Utf16Be, &be, &cuts), (text, false));
        }
    }
}
