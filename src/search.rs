//! Searching: the walk through a tree, the rules that leave entries out, globs, what files hold.
//!
//! Entries and matches are handed on in the order of their paths, and scored by relevance where that is asked
//! for; nothing here words anything for the model.

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
