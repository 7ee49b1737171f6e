//! The binary: does what the command line says, and exits with its code.

use std::io::{self, Write as _};

use cutline_core::text::show;

/// musl's own is slower, and by far where many small pieces are asked for.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// The exit code where who reads the output has enough: that of a program that SIGPIPE ends.
const CLOSED_PIPE: i32 = 141;

fn main() {
    let code = cutline::cli::run().unwrap_or_else(|error| {
        let is_closed = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
        if error.downcast_ref().is_some_and(is_closed) {
            return CLOSED_PIPE;
        }
        // It may quote a file that came with somebody else's project.
        for line in format!("cutline: {error:#}").lines() {
            let _closed = writeln!(io::stderr(), "{}", show::name(line.as_bytes()));
        }
        1
    });
    // Not by returning: a thread that waits for input would hold the process.
    std::process::exit(code)
}
