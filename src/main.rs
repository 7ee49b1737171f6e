//! The binary: runs the command line and exits with its code.

use std::io::Write as _;

use cutline_core::text::show;

/// The start of the error number that follows the text of a system error.
const NUMBER: &str = " (os error ";

/// The allocator of musl is slower, by up to 1.7 times for small calls.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Returns the text of an error without system error numbers, such as ` (os error 2)`.
fn message(error: &anyhow::Error) -> String {
    let text = format!("{error:#}");
    let (first, rest) = text.split_once(NUMBER).unwrap_or((&text, ""));
    let rest = rest.split(NUMBER).filter_map(|part| part.split_once(')'));
    rest.fold(first.to_owned(), |text, (_, after)| text + after)
}

fn main() {
    let code = cutline::cli::run().unwrap_or_else(|error| {
        // The text may quote a file from another person's project, so control characters are escaped.
        for line in format!("cutline: {}", message(&error)).lines() {
            let _closed = writeln!(std::io::stderr(), "{}", show::name(line.as_bytes()));
        }
        1
    });
    // Ends threads that still read stdin or work.
    std::process::exit(code)
}
