//! A step of the cursor in its line: a movement, or a change where it stands.

/// A movement of the cursor, or a change where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
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
    /// Makes the line blank from the cursor on.
    EraseToEnd,
    /// Makes it blank up to the cursor, and what is under it.
    EraseToStart,
    /// Makes all of it blank.
    EraseAll,
    /// Makes some columns blank from the cursor on.
    EraseNext(usize),
}
