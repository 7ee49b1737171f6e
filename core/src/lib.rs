//! cutline-core: what is kept of a text, exact counts of all of it, and the notice that says so.
//!
//! For whoever hands text to a language model: a [`truncate::Collector`] takes a stream piece by
//! piece, keeps whole lines within its [`truncate::Bounds`] and counts everything; a
//! [`notice::Notice`] says what was left out and how to get it; [`details`] has the same facts as
//! data. Nothing here knows a runtime, a protocol, a file system, a process, a clock or the
//! environment, and nothing can fail.
//!
//! In reading order: [`text`], [`truncate`], [`notice`], [`details`].

pub mod details;
pub mod notice;
pub mod text;
pub mod truncate;
