//! A step of the cursor in its line: a movement, or a change where it stands.

/// A movement of the cursor, or a change where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    /// To the line's start.
    Return,
    /// Some columns to the left.
    Back(usize),
    /// Some columns to the right.
    Forward(usize),
    /// To a column, the first being 0.
    Column(usize),
    /// Takes some characters away and closes the gap.
    Delete(usize),
    /// Makes room for some characters.
    Insert(usize),
    /// Makes a part of the line blank.
    Erase(Erase),
}

/// The part of a line that is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Erase {
    /// From the cursor on.
    ToEnd,
    /// Up to the cursor, and what is under it.
    ToStart,
    /// All.
    All,
    /// Some columns from the cursor on.
    Next(usize),
}
