//! Detects the encoding of a text without a byte order mark.
//!
//! A text is UTF-8 if it is valid, or mostly: if at most four times as many lines beyond ASCII are invalid as are valid, or if
//! at least half of its sequences beyond ASCII are characters of UTF-8. In the test files of Python's `chardet` in other
//! encodings, 5 of 5,893 lines beyond ASCII are valid UTF-8, and at most 34 of the first 100 sequences of a file are. `chardetng`
//! detects the other encodings, unless the text names its own: of 369 of these files, which are text in an encoding that it has, 364 get the right one.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding as Standard;

use super::Encoding;
use crate::text::NEWLINE;
use crate::text::binary::is_binary;

/// Bytes at the start of a text that decide its encoding.
pub const SAMPLE_BYTES: usize = 1 << 20;

/// Bytes at the start of a text that are enough if they have characters of UTF-8, and no other sequences beyond ASCII.
pub const START_BYTES: usize = 64 * 1024;
/// Invalid lines of a text in UTF-8 for each valid line beyond ASCII.
const INVALID_LINES: usize = 4;
/// Bytes of lines beyond ASCII that decide which legacy encoding a text has. More bytes find no more in the test files, and
/// take a millisecond for each 8 KB.
const LEGACY_BYTES: usize = 4096;
/// ASCII bytes that are kept before the first other one of a line. The detector looks at letters and spaces next to it.
const CONTEXT_BYTES: usize = 64;
/// Bytes at the start of a text that can name its encoding, as in HTML.
const DECLARATION_BYTES: usize = 1024;
/// Latin-1's `£§©«®°±²³µ·»¼½¾`.
const SYMBOLS: &[u8] = b"\xa3\xa7\xa9\xab\xae\xb0\xb1\xb2\xb3\xb5\xb7\xbb\xbc\xbd\xbe";

impl Encoding {
    /// Returns the encoding of a text of `text_bytes` bytes without a mark, by its first bytes. Returns `None` if `start` is
    /// not enough: with [`SAMPLE_BYTES`] bytes, or all of the text, it always is. More bytes than needed change nothing.
    ///
    /// The text is [`Utf8`](Self::Utf8) if it is valid UTF-8, or mostly, or if no legacy encoding is likely.
    ///
    /// ```
    /// use cutline_core::text::decode::Encoding;
    /// let detected = |text: &[u8]| Encoding::detect(text, text.len() as u64).unwrap().to_string();
    /// assert_eq!(detected("le café".as_bytes()), "utf-8");
    /// assert_eq!(detected(b"le caf\xe9 est pr\xeat"), "windows-1252");
    /// ```
    pub fn detect(start: &[u8], text_bytes: u64) -> Option<Self> {
        if start.get(..START_BYTES).is_some_and(|first| !first.is_ascii() && is_utf8(first)) {
            return Some(Self::Utf8);
        }
        let sample = start.get(..SAMPLE_BYTES).unwrap_or(start);
        let is_complete = sample.len() == SAMPLE_BYTES || sample.len() as u64 >= text_bytes;
        is_complete.then(|| {
            let is_utf8 = is_utf8(sample) || is_mostly_utf8(sample);
            if is_utf8 { None } else { legacy(sample) }.map_or(Self::Utf8, Self::Legacy)
        })
    }
}

/// Returns true for UTF-8. A character can be cut off at the end.
pub fn is_utf8(text: &[u8]) -> bool {
    str::from_utf8(text).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Returns the lines with bytes beyond ASCII.
fn lines_beyond_ascii(sample: &[u8]) -> impl Iterator<Item = &[u8]> {
    sample.split_inclusive(|byte| *byte == NEWLINE).filter(|line| !line.is_ascii())
}

fn is_mostly_utf8(sample: &[u8]) -> bool {
    let (valid, invalid): (Vec<_>, Vec<_>) = lines_beyond_ascii(sample).partition(|line| is_utf8(line));
    let (mut characters, mut others) = (0, 0);
    for chunk in sample.utf8_chunks() {
        characters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        others += usize::from(!chunk.invalid().is_empty());
    }
    invalid.len() <= valid.len() * INVALID_LINES || others <= characters
}

/// Returns the legacy encoding of a text, or `None` if its bytes are no text in the most likely one.
fn legacy(sample: &[u8]) -> Option<&'static Standard> {
    let mut lines = Vec::new();
    for line in lines_beyond_ascii(sample) {
        let from = line.iter().take_while(|byte| byte.is_ascii()).count();
        let letters = line.iter().skip(from.saturating_sub(CONTEXT_BYTES)).filter(|byte| **byte != 0);
        lines.extend(letters.take(LEGACY_BYTES - lines.len()));
    }
    // Binary data can follow a text, as in a script that unpacks itself.
    if sample.contains(&0) && is_binary(&lines) {
        return None;
    }
    if are_symbols(&lines) {
        return Some(encoding_rs::WINDOWS_1252);
    }
    let encoding = declared(sample).unwrap_or_else(|| {
        // ISO-2022-JP is ASCII, which is valid UTF-8.
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        // The text can end within a character.
        detector.feed(&lines, false);
        detector.guess(None, Utf8Detection::Deny)
    });
    // GBK is the part of GB18030 without characters of four bytes.
    let is_four_bytes = |bytes: &[u8]| matches!(bytes, [0x81..=0xFE, b'0'..=b'9', 0x81..=0xFE, b'0'..=b'9']);
    let encoding = if encoding == encoding_rs::GBK && sample.windows(4).any(is_four_bytes) {
        encoding_rs::GB18030
    } else {
        encoding
    };
    // The detector always has a guess. No text has the control characters beyond ASCII.
    let (text, _) = encoding.decode_without_bom_handling(&lines);
    (!text.contains(|char| ('\u{80}'..='\u{9f}').contains(&char))).then_some(encoding)
}

/// Returns the legacy encoding that the start of a text names: `encoding="…"`, `charset=…`, `coding: …`, `@charset "…"`.
fn declared(sample: &[u8]) -> Option<&'static Standard> {
    let start =
        String::from_utf8_lossy(sample.get(..DECLARATION_BYTES).unwrap_or(sample)).to_ascii_lowercase();
    let named = |word: &str| {
        start.split(word).skip(1).find_map(|after| {
            let value =
                after.trim_start().strip_prefix([':', '=', '"'])?.trim_start_matches([' ', '"', '\'']);
            let label = value.split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c)).next()?;
            // Python's name for it.
            let label = label.replace("latin-1", "latin1");
            Standard::for_label(label.as_bytes()).filter(|found| *found != encoding_rs::UTF_8)
        })
    };
    named("coding").or_else(|| named("charset")).filter(|found| found.is_ascii_compatible())
}

/// Returns true if all bytes beyond ASCII are single symbols of Latin-1 such as `£`, `°` or `µ`, and no letters precede them.
/// They are too few for the detector.
fn are_symbols(text: &[u8]) -> bool {
    let before = [b' '].iter().chain(text);
    before.zip(text).all(|(before, byte)| {
        byte.is_ascii() || SYMBOLS.contains(byte) && before.is_ascii() && !before.is_ascii_alphabetic()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the name of the detected encoding.
    fn detected(text: &[u8]) -> String {
        Encoding::detect(text, text.len() as u64).unwrap().to_string()
    }

    #[test]
    fn single_symbols_are_latin_1() {
        for text in ["total = \"£5.00\"\n", "wide µs\n", "±1 at 25°C, ©2026\n"] {
            assert_eq!(detected(&encoding_rs::WINDOWS_1252.encode(text).0), "windows-1252", "{text}");
        }
        let (polish, ..) = encoding_rs::WINDOWS_1250.encode("Był żółty łoś, a potem przyszła zła żaba.\n");
        assert_eq!(detected(&polish), "windows-1250");
    }

    #[test]
    fn text_can_name_its_legacy_encoding() {
        for start in [
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n",
            "# -*- coding: latin-1 -*-\n",
            "<meta http-equiv=Content-Type content='text/html; charset=windows-1252'>\n",
            "@charset \"iso-8859-1\";\n",
            "-- encoding of names: see below\n-- vim: set fileencoding=latin1:\n",
        ] {
            let text = start.to_owned() + "Contraseña no válida\n";
            assert_eq!(detected(&encoding_rs::WINDOWS_1252.encode(&text).0), "windows-1252", "{start}");
        }
        let (wrong, ..) = encoding_rs::SHIFT_JIS.encode("# coding: utf-8\nこれは日本語のテキストです。\n");
        assert_eq!(detected(&wrong), "shift_jis");
    }

    #[test]
    fn legacy_encodings_are_detected() {
        let cases = [
            (
                encoding_rs::WINDOWS_1252,
                "Les élèves français étaient très fatigués après l'été.\n",
                "windows-1252",
            ),
            (encoding_rs::WINDOWS_1251, "Быстрая лиса прыгает через ленивую собаку.\n", "windows-1251"),
            (encoding_rs::KOI8_R, "Быстрая лиса прыгает через ленивую собаку.\n", "koi8-u"),
            (encoding_rs::SHIFT_JIS, "これは日本語のテキストです。\n", "shift_jis"),
            (encoding_rs::EUC_JP, "これは日本語のテキストです。\n", "euc-jp"),
            (encoding_rs::EUC_KR, "안녕하세요. 이것은 한국어 문장입니다.\n", "euc-kr"),
            (encoding_rs::GBK, "这是一个简体中文的文件，内容很短。\n", "gbk"),
            (encoding_rs::BIG5, "這是一個繁體中文的檔案，內容很短。\n", "big5"),
        ];
        for (encoding, text, name) in cases {
            let (bytes, ..) = encoding.encode(text);
            let code = [&b"int main(void) { return 0; }\n".repeat(1000), &bytes[..], b"/* end */\n"].concat();
            assert_eq!((detected(&bytes), detected(&code)), (name.to_owned(), name.to_owned()));
        }
    }

    #[test]
    fn characters_of_four_bytes_are_gb18030() {
        for (text, name) in [
            ("这是一个简体中文的文件\u{1F600}，内容很短。\n", "gb18030"),
            ("这1个2简体3中4文的文件\n", "gbk"),
        ] {
            assert_eq!(detected(&encoding_rs::GB18030.encode(text).0), name, "{text}");
        }
    }

    #[test]
    fn text_can_end_within_a_character() {
        for (encoding, text) in [
            (encoding_rs::SHIFT_JIS, "これは日本語のテキストです"),
            (encoding_rs::EUC_JP, "これは日本語のテキストです"),
            (encoding_rs::EUC_KR, "안녕하세요. 이것은 한국어 문장"),
            (encoding_rs::GBK, "这是一个简体中文的文件，内容很短"),
            (encoding_rs::BIG5, "這是一個繁體中文的檔案，內容很短"),
        ] {
            let bytes = encoding.encode(text).0;
            assert_eq!(detected(&bytes[..bytes.len() - 1]), encoding.name().to_ascii_lowercase());
        }
    }

    #[test]
    fn mostly_valid_utf8_is_utf8() {
        let utf8 = "né ".repeat(1000);
        for invalid in [&b"\xe9"[..], b"\xc3", b"\xff\xfe", b"\xa9 at the start"] {
            assert_eq!(detected(&[invalid, utf8.as_bytes()].concat()), "utf-8");
            assert_eq!(detected(&[utf8.as_bytes(), invalid].concat()), "utf-8");
        }
        for cut_off in [&b"caf\xc3"[..], b"\xe2\x82", b"\xf0\x9f\x98"] {
            assert_eq!(detected(cut_off), "utf-8");
        }
        assert_eq!(detected(b"caf\xe9 \xc3\xa9"), "utf-8", "one of each");
        assert_ne!(detected(b"caf\xe9 \xe9t\xe9 \xc3\xa9"), "utf-8", "three of four are invalid");
    }

    #[test]
    fn a_line_of_stray_bytes_does_not_change_the_encoding() {
        let log = |lines: &[&[u8]]| [&b"INFO started\n".repeat(50), &lines.concat()[..]].concat();
        for bad in [&b"WARN bytes \xff\xfe\n"[..], b"name=Caf\xe9 D\xe9j\xe0\n", b"\x80\x81\x82\n"] {
            assert_eq!(detected(&log(&["user=Müller\n".as_bytes(), bad])), "utf-8");
            assert_eq!(detected(&log(&[bad, "user=Müller\n".as_bytes(), bad, bad])), "utf-8");
        }
        assert_eq!(detected(&log(&[b"name=Caf\xe9 D\xe9j\xe0\n"])), "windows-1252");
    }

    #[test]
    fn nuls_do_not_change_the_encoding() {
        let (french, ..) =
            encoding_rs::WINDOWS_1252.encode("name=M\0üller\0\nLes élèves étaient fatigués\0\n");
        assert_eq!(detected(&french), "windows-1252");
        let (japanese, ..) = encoding_rs::SHIFT_JIS.encode("これは日本\0語のテキストです。\n");
        assert_eq!(detected(&japanese), "shift_jis");
        let sparse = [&[0; 10_000], &french[..]].concat();
        assert_eq!(detected(&sparse), "windows-1252");
        assert_eq!(detected("name=Müller\0\n\0".as_bytes()), "utf-8");
    }

    #[test]
    fn bytes_that_are_no_text_stay_utf8() {
        // A script that unpacks itself.
        let binary = (0..20_000_u32).map(|number| [0, 1, 3, 0xe9, b'a'][number as usize % 5]);
        assert_eq!(detected(&b"echo a\n".iter().copied().chain(binary).collect::<Vec<_>>()), "utf-8");
        assert_eq!(detected(b"a\x81b\x8d\x8f\x9d \xff"), "utf-8");
    }

    #[test]
    fn start_of_a_long_text_decides() {
        let ascii = vec![b'a'; SAMPLE_BYTES];
        let late = [&ascii[2..], b"\xe9\n"].concat();
        assert_eq!(Encoding::detect(&ascii[2..], late.len() as u64), None);
        assert_eq!(detected(&late), "windows-1252");
        assert_eq!(detected(&[&ascii[..], b"\xe9\n"].concat()), "utf-8", "after the sample");
        assert_eq!(Encoding::detect("é".as_bytes(), u64::MAX), None);
        let sparse = [&ascii[..START_BYTES - 2], "é".as_bytes()].concat();
        assert_eq!(Encoding::detect(&sparse, u64::MAX), Some(Encoding::Utf8));
        assert_eq!(Encoding::detect(&sparse[..START_BYTES - 1], u64::MAX), None, "cut off");
        let mixed = [&b"\xe9t\xe9 "[..], &sparse].concat();
        assert_eq!(Encoding::detect(&mixed, u64::MAX), None);
    }

    proptest! {
        #[test]
        fn valid_utf8_is_utf8(text in "(?s:.){0,300}") {
            prop_assert_eq!(detected(text.as_bytes()), "utf-8");
        }

        #[test]
        fn first_bytes_never_decide_otherwise(
            pieces in prop::collection::vec(prop::sample::select(vec![&b"\xc3\xa9"[..], b"\xe9 ", b"a\n"]), 0..300),
            most in 0_usize..600,
        ) {
            let text = pieces.concat();
            let start = &text[..most.min(text.len())];
            let early = Encoding::detect(start, text.len() as u64);
            prop_assert!(early.is_none() || early == Encoding::detect(&text, text.len() as u64));
        }
    }
}
