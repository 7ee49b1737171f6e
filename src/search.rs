//! Searches: walks trees, applies ignore rules and globs, and searches the contents of files.
//!
//! Entries and matches are returned in path order, with a relevance score if the caller requests it. Match lines are
//! already cut to the characters to show. The only other texts for the model are the reasons in errors about patterns and
//! globs.

pub mod best;
pub mod content;
pub mod file_filter;
pub mod file_types;
pub mod globs;
pub mod ignore_rules;
pub mod names;
pub mod relevance;
pub mod walk;
