//! The binary: does what the command line says, and exits with its code.

use std::io::Write as _;

use cutline_core::text::show;

/// musl's own is slower, and by far where many small pieces are asked for.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() {
    let code = cutline::cli::run().unwrap_or_else(|error| {
        // It may quote a file that came with somebody else's project.
        for line in format!("cutline: {error:#}").lines() {
            let _closed = writeln!(std::io::stderr(), "{}", show::name(line.as_bytes()));
        }
        1
    });
    // Not by returning: a thread that waits for input would hold the process.
    std::process::exit(code)
}
