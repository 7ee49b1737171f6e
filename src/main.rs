//! The binary: does what the command line says, and exits with its code.

use std::io::Write as _;

/// musl's own is slower, and by far where many small pieces are asked for.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() {
    let code = cutline::cli::run().unwrap_or_else(|error| {
        let _closed = writeln!(std::io::stderr(), "cutline: {error:#}");
        1
    });
    // Not by returning: a thread that waits for input would hold the process.
    std::process::exit(code)
}
