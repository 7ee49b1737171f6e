//! cutline: file tools for coding agents, whose answers fit the agent's context window.
//!
//! The library exists for the binary and its tests. Its layers, in reading order:
//!
//! - the core, which knows no system and cannot fail: [`limits`], [`text`], [`truncate`],
//!   [`notice`], [`details`];
//! - the places: [`workspace`] says what may be opened and how paths are shown, [`exec`] alone
//!   touches the system;
//! - the [`tools`], where both meet;
//! - the [`stats`], sums of what their calls came to;
//! - the [`server`], which alone knows the protocol, and the command line ([`cli`]).

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
compile_error!("cutline is for Linux, macOS and Windows (docs/architecture.md, \"Other systems\")");

#[cfg(any(target_os = "linux", target_os = "macos", windows))]
pub mod cli;
pub mod details;
#[cfg(any(target_os = "linux", target_os = "macos", windows))]
pub mod exec;
pub mod limits;
pub mod notice;
#[cfg(any(target_os = "linux", target_os = "macos", windows))]
pub mod server;
#[cfg(any(target_os = "linux", target_os = "macos", windows))]
pub mod stats;
pub mod text;
#[cfg(any(target_os = "linux", target_os = "macos", windows))]
pub mod tools;
pub mod truncate;
pub mod workspace;
