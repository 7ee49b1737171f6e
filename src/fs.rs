//! Files and folders: opening inside the roots, lines, listings, near names.
//!
//! Each path is checked against the workspace on the open file itself, not on its name.
//! Pieces of bytes and entries are handed on; nothing here words anything for the model.

pub mod append;
pub mod buffer;
pub mod file_uri;
pub mod follow;
pub mod line_index;
pub mod lines;
pub mod listing;
pub mod near;
pub mod open;
pub mod saved_name;
pub mod workspace;

pub(crate) use crate::sys::{log_stream, stdin, stdout};
