//! The binary: does what the command line says, and exits with its code.

use std::io::Write as _;

fn main() {
    let code = cutline::cli::run().unwrap_or_else(|error| {
        let _closed = writeln!(std::io::stderr(), "cutline: {error:#}");
        1
    });
    // Not by returning: a thread that waits for input would hold the process.
    std::process::exit(code)
}
