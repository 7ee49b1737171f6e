//! cutline: file tools for coding agents, whose answers fit the agent's context window.
//!
//! The library exists for the binary and its tests. Its rooms, in reading order:
//!
//! - the core, a crate of its own (`cutline_core`): texts, what is kept of them, notices, details;
//! - [`limits`]: every limit, its default and its unit;
//! - [`stop`]: cancellation and deadline of a call;
//! - [`blocking`]: the pool of threads for work that blocks;
//! - [`fit`]: the limits within which a client hands an answer on whole;
//! - `sys`, the one face of the operating system; on it [`fs`] (files and folders), [`search`]
//!   (walks and matches) and [`process`] (commands, the sandbox), with
//!   [`saved_output`], the files of full outputs;
//! - the [`tools`], where these meet the core's words;
//! - the [`stats`], sums of what their calls came to;
//! - [`call_stats`], those of this process, and the file of records;
//! - `envelope`, the top level of a message that is not parsed yet;
//! - [`wrap`], which stands before another server;
//! - the [`server`], which alone knows the SDK, and the command line ([`cli`]).

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
compile_error!("cutline is for Linux, macOS and Windows (docs/architecture.md, \"Other systems\")");

pub mod blocking;
pub mod call_stats;
pub mod cli;
mod clock;
mod envelope;
pub mod fit;
pub mod fs;
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
