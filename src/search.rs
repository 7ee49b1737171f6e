//! Searching: the walk through a tree, ignore rules, globs, and the content of files.
//!
//! Entries and matches are returned in the order of their paths, with a relevance score if the caller requests it. This module
//! formats no text for the model.

pub mod best;
pub mod content;
pub mod file_filter;
pub mod file_types;
pub mod globs;
pub mod ignore_rules;
pub mod matches;
pub mod names;
pub mod relevance;
pub mod walk;
