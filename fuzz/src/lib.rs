//! Fuzz targets: each takes any bytes, and panics where something that must hold does not.
//!
//! A target is a module with a `run`; the binaries of libFuzzer (`fuzz_targets`) only call it. What it
//! holds is checked against plain oracles, which have the whole input before them. The inputs of
//! `fixtures/fuzz` go through the same code without libFuzzer (`tests`).

pub mod arguments;
pub mod calls;
pub mod collectors;
pub mod decoder;
pub mod globs;
pub mod images;
mod input;
pub mod regex;
pub mod terminal;
mod workspace;

#[cfg(test)]
mod tests;
