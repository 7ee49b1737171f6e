//! cutline: file tools for coding agents, with results that fit the context window.
//!
//! The library exists for the binary and its tests. Its modules, in reading order:
//!
//! - the core, a separate crate (`cutline_core`): text, truncation, notices, details;
//! - [`limits`]: every limit, its default and its unit;
//! - [`stop`]: cancellation and deadline of a call;
//! - [`blocking`]: the thread pool for blocking work;
//! - [`capture`]: counts, saves and truncates an output while it arrives;
//! - [`fit`]: client profiles, the limits of clients;
//! - `sys`: the interface to the operating system. [`fs`] (files and folders), [`search`] (walks and matches),
//!   [`process`] (commands, the sandbox) and [`saved_output`] (files with full outputs) use it;
//! - [`tools`]: the five tools, with results from the core;
//! - [`stats`]: totals of call records;
//! - [`call_stats`]: the totals of this process, and the file of call records;
//! - [`wrap`]: limits the results of another server;
//! - `json`: reads parts of JSON as slices of its text;
//! - [`server`]: the only module that uses the SDK, and the command line ([`cli`]).

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("cutline is for Linux and macOS (docs/architecture.md, \"Other systems\")");

pub mod blocking;
pub mod call_stats;
pub mod capture;
pub mod cli;
pub mod fit;
pub mod fs;
mod json;
pub mod limits;
pub mod process;
pub mod saved_output;
pub mod search;
pub mod server;
mod signals;
pub mod stats;
pub mod stop;
mod sys;
pub mod tools;
pub mod wrap;
