//! Fuzz targets. Each takes any bytes and panics if a property is violated.
//!
//! A target is a module with a function `run`, which a binary in `fuzz_targets` calls for libFuzzer. Properties are checked
//! with simple oracles that have the complete input. The inputs in `fixtures/fuzz` run through the same code without libFuzzer
//! (`tests`).

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
