//! Files and folders: opening inside the roots, lines, listings, similar names.
//!
//! Each path is checked against the workspace by the open file, not by its name. This module returns bytes and entries.
//! It formats no text for the model.

pub mod file_uri;
pub mod follow;
pub mod line_index;
pub mod lines;
pub mod listing;
pub mod near;
pub mod open;
pub(crate) mod own_folder;
pub mod saved_name;
pub mod workspace;

pub(crate) use crate::sys::{LogStream, stdin, stdout};
