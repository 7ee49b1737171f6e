//! Prints the outline of source files: `cargo run -p cutline-core --example outline -- src/main.rs …`.
//!
//! Each line has the path, the line, the level and the definition, separated by tabs.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

use std::io;

use cutline_core::outline::{Language, definitions};

fn main() -> io::Result<()> {
    for path in std::env::args().skip(1) {
        let Some(syntax) = Language::of_path(&path) else {
            eprintln!("{path}: not a language that is known");
            continue;
        };
        for definition in definitions(&std::fs::read(&path)?, syntax) {
            println!("{path}\t{}\t{}\t{}", definition.line, definition.level, definition.text);
        }
    }
    Ok(())
}
