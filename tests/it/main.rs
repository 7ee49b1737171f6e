//! Integration tests: the real binary, over its protocol, on real files.
//!
//! All tests are in one binary, so that it is linked once. Tests that consist of files, a call and its result are scenarios in
//! `fixtures/scenarios`. Tests in code need a clock, a signal, a second client or a race.
//!
//! The tests need Unix: they use file modes, links and signals.

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

// The protocol, for all tools: both protocol revisions, schemas, arguments, errors, many calls, the end.
mod protocol;

// One file for each tool, with the tests that do not fit a scenario.
mod bash;
mod find;
mod grep;
mod ls;
mod pipelines;
mod read;

// The command line: flags, variables, `call`, `config`.
mod cli;

// `cutline wrap`: messages that pass, results that are cut, the end of the session.
mod wrap;

// What may be opened and what may not; links, roots, races.
mod boundaries;

// How many tokens a text is.
mod tokens;

// What calls come to: the resource, the file of records, `cutline stats`.
mod stats;
mod stats_page;

// --sandbox: the actions that the kernel denies to commands.
mod sandbox;

// What one call may take of the machine.
mod bounds;

// Calls that reach their deadline.
mod deadline;

// A full disk, a folder that goes away, a limit of the system.
mod faults;

// Processes and files that commands leave behind, and their removal: after a killed server and after a clean end.
mod leftovers;

// Open files: what commands inherit and hold, and a server that has none left.
mod descriptors;

// Minutes of everything at once; run when asked for.
mod soak;

// The documentation agrees with the code.
mod docs;

// The packages agree with the binary.
mod packaging;

// The arrows between the rooms of the house, read from the sources.
mod layers;
