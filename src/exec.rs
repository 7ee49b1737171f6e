//! The only room that touches the system: files, folders, processes, saved outputs.
//!
//! It streams pieces of bytes, entries and matches to its callers, and words nothing for the model.
//! What it opens has been checked against the workspace on the open file itself, not on its name.

pub mod append;
pub mod buffer;
pub mod globs;
pub mod ignore_rules;
pub mod line_index;
pub mod lines;
pub mod listing;
pub mod near;
pub mod open;
mod os;
pub mod process;
pub mod sandbox;
pub mod search;
pub mod spill;
pub mod walk;
