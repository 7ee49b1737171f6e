//! The costs of characters in hundredths of a token: averages of `o200k_base`, found by least squares.

use super::table::{Class, Lead, State};

/// Returns the costs of the first character of a run after the run `before`: of a lower-case letter, an upper-case letter, a
/// digit, punctuation that is common in long rows, other punctuation, a tab and a newline.
pub(super) const fn first(before: State) -> [u8; 7] {
    match before {
        State::Line => [115, 101, 125, 79, 51, 51, 7],
        State::Space => [93, 119, 187, 53, 93, 80, 90],
        State::Spaces => [54, 55, 215, 41, 79, 80, 90],
        State::Tab => [37, 109, 104, 80, 83, 59, 90],
        State::Mark => [71, 68, 95, 48, 48, 80, 42],
        State::Marks(_) => [88, 77, 89, 0, 0, 80, 17],
        State::Rules(1) => [42, 23, 123, 0, 48, 80, 52],
        State::Rules(_) => [138, 76, 88, 0, 72, 81, 55],
        State::Digits(_) => [84, 129, 0, 98, 71, 163, 76],
        State::Word(..) | State::Cyrillic(..) => [80, 83, 116, 47, 49, 116, 116],
        State::Capitals(..) => [0, 0, 124, 81, 94, 89, 75],
        State::Other(_) => [74, 158, 78, 93, 73, 81, 91],
    }
}

pub(super) const SPACE_AND_SPACE: u8 = 134;
pub(super) const TAB_AND_SPACE: u8 = 51;
pub(super) const CONTROL: u8 = 62;

/// Returns the cost of the last character of a run of this length.
#[expect(clippy::match_same_arms, reason = "a cost for each run: that two are the same is chance")]
pub(super) const fn last(run: State) -> u8 {
    match run {
        State::Marks(2) => 4,
        State::Marks(3) => 11,
        State::Marks(_) => 25,
        State::Rules(2) => 18,
        State::Rules(5..=8) => 40,
        State::Rules(_) => 1,
        State::Digits(1) => 81,
        State::Digits(2) => 16,
        State::Word(Lead::None, 2) => 25,
        State::Word(Lead::None, 6..=8) => 5,
        State::Word(Lead::None, 9..) => 16,
        State::Word(Lead::Space, 2) => 11,
        State::Word(Lead::Space, 9..) => 40,
        State::Word(Lead::Mark, 2) => 12,
        State::Word(Lead::Mark, 3..=5) => 14,
        State::Word(Lead::Mark, 9..) => 35,
        State::Capitals(Lead::None, 2) => 100,
        State::Capitals(Lead::None, 3..=4) => 30,
        State::Capitals(Lead::None, _) => 22,
        State::Capitals(_, 2) => 9,
        State::Capitals(_, 5..) => 18,
        State::Cyrillic(Lead::Space, 1) => 39,
        State::Cyrillic(Lead::Space, 2) => 9,
        State::Cyrillic(Lead::Space, 3..=4) => 24,
        State::Cyrillic(Lead::Space, 5..=7) => 36,
        State::Cyrillic(Lead::Space, _) => 0,
        State::Cyrillic(_, 1) => 45,
        State::Cyrillic(_, 2) => 34,
        State::Cyrillic(_, 3..=4) => 47,
        State::Cyrillic(_, 5..=7) => 35,
        State::Cyrillic(..) => 81,
        _ => 0,
    }
}

/// Returns the cost of a lower-case letter after one upper-case letter of the same word, or after several.
pub(super) const fn title(lead: Lead, capitals: u8) -> u8 {
    match (lead, capitals) {
        (_, 2..) => 120,
        (Lead::None, _) => 6,
        _ => 30,
    }
}

/// Returns two costs of a character that is not ASCII. For a letter: within a word, and at its start. For another character:
/// the first one of a run, and each further one.
pub(super) const fn beyond_ascii(class: Class) -> (u8, u8) {
    match class {
        Class::Latin => (53, 73),
        Class::LatinExtended => (128, 43),
        Class::LatinAdditional => (18, 61),
        Class::TwoBytes => (51, 40),
        Class::Sign => (102, 36),
        Class::Indic => (38, 38),
        Class::Symbol => (9, 58),
        Class::Kana => (53, 59),
        Class::Han => (137, 58),
        Class::Hangul => (59, 67),
        Class::FullWidth => (112, 31),
        _ => (200, 213),
    }
}
pub(super) const TWO_BYTES_AFTER_SPACE: u8 = 29;
