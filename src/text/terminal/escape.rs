//! Escape sequences: where they begin and end, and which few of them change a line.
//!
//! After the states that terminals go through by Paul Williams' description, with one change: a
//! newline ends any sequence, so that one that is cut off can't swallow the lines after it.

use super::line::{Erase, Move};

const ESC: char = '\u{1b}';
const BEL: char = '\u{7}';
/// These end a sequence without effect.
const CANCELLED: [char; 2] = ['\u{18}', '\u{1a}'];
/// Parameters that are kept; the sequences that matter here have one.
const MAX_PARAMETERS: usize = 16;
/// No parameter counts for more.
const MAX_PARAMETER: usize = 9999;

/// The sequence that is open, if any.
#[derive(Debug, Default)]
pub(super) struct Escape(State);

#[derive(Debug, Default)]
enum State {
    /// Outside of any.
    #[default]
    Ground,
    /// After ESC, and after bytes that only widen it.
    Escape,
    /// After ESC and `[`.
    Control(Parameters),
    /// In a text for the terminal itself: its title, a link's address.
    Text {
        /// Whether a BEL ends it, as an address or title's.
        bell: bool,
    },
    /// After ESC in such a text.
    TextEscape,
}

#[derive(Debug, Default, Clone)]
struct Parameters {
    first: Option<usize>,
    count: usize,
    /// It has a mark that makes it another sequence.
    foreign: bool,
}

/// What a character is.
#[derive(Debug)]
pub(super) enum Step {
    /// A part of a sequence.
    Open,
    /// Not a part of one.
    Char(char),
    /// The end of one, and what that does to the line.
    Done(Option<Move>),
}

impl Escape {
    /// Whether a sequence is open.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.0, State::Ground)
    }

    /// Takes the next character.
    pub(super) fn push(&mut self, c: char) -> Step {
        let (state, step) = match std::mem::take(&mut self.0) {
            State::Ground if c == ESC => (State::Escape, Step::Open),
            State::Ground => (State::Ground, Step::Char(c)),
            _ if c == '\n' => (State::Ground, Step::Char(c)),
            _ if CANCELLED.contains(&c) => (State::Ground, Step::Done(None)),
            State::Text { bell } => match c {
                BEL if bell => (State::Ground, Step::Done(None)),
                ESC => (State::TextEscape, Step::Open),
                _ => (State::Text { bell }, Step::Open),
            },
            State::TextEscape if c == '\\' => (State::Ground, Step::Done(None)),
            State::TextEscape | State::Escape => after_escape(c),
            State::Control(parameters) => control(parameters, c),
        };
        self.0 = state;
        step
    }
}

fn after_escape(c: char) -> (State, Step) {
    match c {
        ESC | ' '..='/' => (State::Escape, Step::Open),
        '[' => (State::Control(Parameters::default()), Step::Open),
        ']' => (State::Text { bell: true }, Step::Open),
        'P' | 'X' | '^' | '_' => (State::Text { bell: false }, Step::Open),
        '0'..='~' => (State::Ground, Step::Done(None)),
        c if c.is_control() => (State::Escape, Step::Char(c)),
        // Nothing that ESC begins: it is a character like any other.
        c => (State::Ground, Step::Char(c)),
    }
}

fn control(mut parameters: Parameters, c: char) -> (State, Step) {
    match c {
        '0'..='9' => {
            let digit = c.to_digit(10).map_or(0, |digit| digit as usize);
            if parameters.count == 0 {
                let first = parameters.first.unwrap_or(0) * 10 + digit;
                parameters.first = Some(first.min(MAX_PARAMETER));
            }
        }
        ':' | ';' => parameters.count = (parameters.count + 1).min(MAX_PARAMETERS),
        ' '..='/' | '<'..='?' => parameters.foreign = true,
        '@'..='~' => return (State::Ground, Step::Done(parameters.act(c))),
        ESC => return (State::Escape, Step::Open),
        c if c.is_control() => return (State::Control(parameters), Step::Char(c)),
        c => return (State::Ground, Step::Char(c)),
    }
    (State::Control(parameters), Step::Open)
}

impl Parameters {
    /// What the sequence that ends with `last` does to a line.
    fn act(&self, last: char) -> Option<Move> {
        let mode = self.first.unwrap_or(0);
        let count = mode.max(1);
        match last {
            _ if self.foreign => None,
            'K' => match mode {
                0 => Some(Move::Erase(Erase::ToEnd)),
                1 => Some(Move::Erase(Erase::ToStart)),
                2 => Some(Move::Erase(Erase::All)),
                _ => None,
            },
            // To the end of the screen: on this line, to its end.
            'J' if mode == 0 => Some(Move::Erase(Erase::ToEnd)),
            'C' | 'a' => Some(Move::Forward(count)),
            'D' => Some(Move::Back(count)),
            'G' | '`' => Some(Move::Column(count - 1)),
            'P' => Some(Move::Delete(count)),
            '@' => Some(Move::Insert(count)),
            'X' => Some(Move::Erase(Erase::Next(count))),
            _ => None,
        }
    }
}
