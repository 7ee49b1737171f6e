//! The only room that touches the system: files, folders, processes, saved outputs.
//!
//! It streams pieces of bytes, entries and matches to its callers, and words nothing for the model.
//! What it opens has been checked against the workspace on the open file itself, not on its name.

pub mod line_index;
pub mod lines;
pub mod near;
pub mod open;
pub mod process;
