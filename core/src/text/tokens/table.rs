//! The state table of the estimate: for each run of characters and each next byte, the next state and its cost.

#![expect(clippy::indexing_slicing, reason = "the table is made when this is compiled")]
#![expect(clippy::cast_possible_truncation, reason = "bytes, and less than 128 rows")]

use super::costs::{self, CONTROL, SPACE_AND_SPACE, TAB_AND_SPACE, TWO_BYTES_AFTER_SPACE};
use crate::text::NEWLINE;

/// The class of a byte. The first byte of a character of several bytes has the class of the character; the others cost
/// nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Lower,
    Upper,
    Digit,
    /// Punctuation that is common in long rows: `-`, `=`, `.`, `_` and others.
    Rule,
    /// Other ASCII punctuation.
    Mark,
    Tab,
    Newline,
    Space,
    Control,
    /// The second byte of a character, or a later one.
    Inner,
    /// Letters of Western Europe.
    Latin,
    /// Other letters of the Latin script, of two or three bytes.
    LatinExtended,
    LatinAdditional,
    Cyrillic,
    /// Greek, Hebrew, Arabic and other scripts of two bytes.
    TwoBytes,
    /// Symbols of two bytes.
    Sign,
    /// Indic scripts and Thai.
    Indic,
    /// Dashes, quotes, arrows, box drawing.
    Symbol,
    Kana,
    Han,
    Hangul,
    /// Full-width forms.
    FullWidth,
    /// Emoji and all other characters of four bytes.
    Emoji,
}

const fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        b'-' | b'=' | b'*' | b'#' | b'.' | b'~' | b'_' | b'/' => Class::Rule,
        b' ' => Class::Space,
        b'\t' => Class::Tab,
        NEWLINE => Class::Newline,
        0..=31 | 127 => Class::Control,
        ..=127 => Class::Mark,
        0x80..=0xbf => Class::Inner,
        0xc0..=0xc2 => Class::Sign,
        0xc3 => Class::Latin,
        0xc4..=0xcb => Class::LatinExtended,
        0xd0..=0xd3 => Class::Cyrillic,
        0xcc..=0xdf => Class::TwoBytes,
        0xe0 => Class::Indic,
        0xe1 => Class::LatinAdditional,
        0xe2 => Class::Symbol,
        0xe3 => Class::Kana,
        0xe4..=0xe9 => Class::Han,
        0xea..=0xed => Class::Hangul,
        0xee..=0xef => Class::FullWidth,
        0xf0.. => Class::Emoji,
    }
}

/// The run that contains the last character.
#[derive(Clone, Copy)]
pub(super) enum State {
    /// The start of a line.
    Line,
    Space,
    Spaces,
    Tab,
    /// Punctuation that may be part of a following word, or a run of punctuation of this length, up to `MARKS`.
    Mark,
    Marks(u8),
    /// The same for punctuation that is common in long rows.
    Rules(u8),
    /// Digits of a group, 1 to 3.
    Digits(u8),
    /// Letters of a word, up to `LETTERS`.
    Word(Lead, u8),
    /// Capital letters at the start of a word, up to `CAPITALS`.
    Capitals(Lead, u8),
    Cyrillic(Lead, u8),
    /// Characters of this class.
    Other(Class),
}

/// The character before a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    None,
    Space,
    Mark,
}

const MARKS: u8 = 4;
const RULES: u8 = 9;
const LETTERS: u8 = 9;
const CAPITALS: u8 = 5;
const CYRILLIC: u8 = 8;

impl State {
    /// Returns the number of the state's row.
    const fn index(self) -> usize {
        let index = match self {
            Self::Line => 0,
            Self::Space => 1,
            Self::Spaces => 2,
            Self::Tab => 3,
            Self::Mark => 4,
            Self::Marks(length) => 4 + length,
            Self::Rules(length) => 8 + length,
            Self::Digits(length) => 17 + length,
            Self::Word(lead, length) => 20 + lead as u8 * LETTERS + length,
            Self::Capitals(lead, length) => 47 + lead as u8 * CAPITALS + length,
            Self::Cyrillic(lead, length) => 62 + lead as u8 * CYRILLIC + length,
            Self::Other(class) => 79 + class as u8 - Class::TwoBytes as u8,
        };
        index as usize
    }

    /// Returns the lead of a word that begins at the next character.
    const fn lead(self) -> Lead {
        match self {
            Self::Space | Self::Spaces => Lead::Space,
            Self::Mark | Self::Tab | Self::Rules(1) => Lead::Mark,
            _ => Lead::None,
        }
    }

    /// Returns the state with the cost of the last character of its run.
    const fn grown(self) -> (Self, u8) {
        (self, costs::last(self))
    }

    /// Returns the state after a character of `class`, and the character's cost.
    const fn step(self, class: Class) -> (Self, u8) {
        let [lower, upper, digit, rule, mark, tab, newline] = costs::first(self);
        match (class, self) {
            (Class::Inner, _) | (Class::Space, Self::Spaces) => (self, 0),
            (Class::Control, _) => (self, CONTROL),
            (Class::Newline, _) => (Self::Line, newline),
            (Class::Space, Self::Space) => (Self::Spaces, SPACE_AND_SPACE),
            (Class::Space, Self::Tab) => (Self::Spaces, TAB_AND_SPACE),
            (Class::Space, _) => (Self::Space, 0),
            (Class::Tab, _) => (Self::Tab, tab),
            (Class::Digit, Self::Digits(length)) => Self::Digits(length % 3 + 1).grown(),
            (Class::Digit, _) => (Self::Digits(1), digit),
            (Class::Lower, Self::Word(lead, length)) => Self::Word(lead, longer(length, LETTERS)).grown(),
            (Class::Lower, Self::Capitals(lead, 1)) => (Self::Word(lead, 2), costs::title(lead, 1)),
            (Class::Lower, Self::Capitals(lead, length)) => {
                (Self::Word(Lead::None, 2), costs::title(lead, length))
            }
            (Class::Lower, _) => (Self::Word(self.lead(), 1), lower),
            (Class::Upper, Self::Capitals(lead, length)) => {
                Self::Capitals(lead, longer(length, CAPITALS)).grown()
            }
            (Class::Upper, _) => (Self::Capitals(self.lead(), 1), upper),
            (Class::Rule, Self::Rules(length)) => Self::Rules(longer(length, RULES)).grown(),
            (Class::Rule, Self::Space | Self::Spaces) => (Self::Rules(2), rule),
            (Class::Mark, Self::Space | Self::Spaces) => (Self::Marks(1), mark),
            (Class::Rule | Class::Mark, Self::Marks(length)) => Self::Marks(longer(length, MARKS)).grown(),
            (Class::Rule | Class::Mark, Self::Mark) | (Class::Mark, Self::Rules(_)) => (Self::Marks(2), mark),
            (Class::Rule, _) => (Self::Rules(1), rule),
            (Class::Mark, _) => (Self::Mark, mark),
            (
                Class::Latin | Class::LatinExtended | Class::LatinAdditional,
                Self::Word(lead, length) | Self::Capitals(lead, length),
            ) => (Self::Word(lead, longer(length, LETTERS)), costs::beyond_ascii(class).0),
            (Class::Latin | Class::LatinExtended | Class::LatinAdditional, _) => {
                (Self::Word(self.lead(), 1), costs::beyond_ascii(class).1)
            }
            (Class::Cyrillic, Self::Cyrillic(lead, length)) => {
                Self::Cyrillic(lead, longer(length, CYRILLIC)).grown()
            }
            (Class::Cyrillic, _) => {
                let lead = if matches!(self.lead(), Lead::Space) { Lead::Space } else { Lead::None };
                Self::Cyrillic(lead, 1).grown()
            }
            (Class::TwoBytes, Self::Space | Self::Spaces) => (Self::Other(class), TWO_BYTES_AFTER_SPACE),
            (_, Self::Other(last)) if last as u8 == class as u8 => (self, costs::beyond_ascii(class).1),
            (_, _) => (Self::Other(class), costs::beyond_ascii(class).0),
        }
    }
}

const fn longer(length: u8, most: u8) -> u8 {
    if length < most { length + 1 } else { most }
}

/// Number of rows of the table. It is a power of two, so that seven bits of a field have the number of a row.
const ROWS: usize = 128;
/// The bits of a field that are the start of the row of the next state. The other bits are the cost.
pub(super) const NEXT_ROW: u16 = 0x7f00;

/// For each state and byte: the start of the row of the next state, and the cost, in one field.
pub(super) static STEPS: [u16; ROWS * 256] = {
    let mut steps = [0; ROWS * 256];
    // All states that are reachable from the start of a line.
    let (mut met, mut is_met, mut count) = ([State::Line; ROWS], [false; ROWS], 1);
    let mut n = 0;
    while n < count {
        let mut byte = 0;
        while byte < 256 {
            let (next, cost) = met[n].step(class(byte as u8));
            steps[met[n].index() * 256 + byte] = (next.index() as u16) << 8 | cost as u16;
            if !is_met[next.index()] {
                is_met[next.index()] = true;
                met[count] = next;
                count += 1;
            }
            byte += 1;
        }
        n += 1;
    }
    steps
};
