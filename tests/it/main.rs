//! The tests of the whole product: the real binary, over its own protocol, on real files.
//!
//! One binary, so that it links once. What can be said as input, call and answer is a scenario in
//! `fixtures/scenarios`; code is for what needs a clock, a signal, a second client or a race.
//!
//! It is for Unix: its folders have modes and links, and its clients send signals.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that can't go on should stop, and say why"
)]

// The harness: a folder to work in, a client that speaks the protocol, answers that explain themselves.
mod support;

// Every row of the contract: runs the files of `fixtures/scenarios`.
mod scenarios;

// What holds whatever the tool is: both eras, schemas, arguments, errors, many calls, the end.
mod protocol;

// One file for each tool, for what does not fit in a scenario.
mod bash;
mod find;
mod grep;
mod ls;
mod pipelines;
mod read;

// The command line: flags, variables, `call`, `config`.
mod cli;

// `cutline wrap`: what passes, what is cut, how it ends.
mod wrap;

// What may be opened and what may not; links, roots, races.
mod boundaries;

// How many tokens a text is.
mod tokens;

// What calls come to: the resource, the file of records, `cutline stats`.
mod stats;
mod stats_page;

// --sandbox: what the kernel keeps commands from.
mod sandbox;

// What one call may take of the machine.
mod bounds;

// Calls that reach their deadline.
mod deadline;

// A full disk, a folder that goes away, a limit of the system.
mod faults;

// What commands leave behind, and when it goes: a killed server, a clean end, what is still written.
mod leftovers;

// Open files: what commands inherit and hold, and a server that has none left.
mod descriptors;

// Minutes of everything at once; run when asked for.
mod soak;

// The pages of documentation, held to the code.
mod docs;

// What the packages say of the binary.
mod packaging;

// The arrows between the rooms of the house, read from the sources.
mod layers;
