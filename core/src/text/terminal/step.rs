//! A step of the cursor in its line: a movement, or a change at the cursor.

/// A movement of the cursor, or a change at the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    /// Moves this many columns to the left.
    Back(usize),
    /// Moves this many columns to the right.
    Forward(usize),
    /// Moves to a column. The first one is 0.
    Column(usize),
    /// Erases the line from the cursor to its end.
    EraseToEnd,
    /// Erases the line up to the cursor, inclusive.
    EraseToStart,
    /// Erases the line.
    EraseAll,
    /// Erases this many columns from the cursor.
    EraseNext(usize),
}
