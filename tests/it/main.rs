//! Integration tests: the real binary, over its protocol, on real files.
//!
//! All tests are in one binary, so that it is linked once. Tests that consist of files, a call and its result are scenarios in
//! `fixtures/scenarios`. Tests in code need a clock, a signal, a second client or a race.
//!
//! The tests need Unix: they use file modes, links and signals.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test that cannot continue should fail with a message"
)]

// The harness: temporary workspaces, a protocol client, and results whose assertions print the call.
mod support;

// Runs all scenarios in `fixtures/scenarios`.
mod scenarios;

// The protocol, for all tools: both protocol revisions, schemas, arguments, errors, concurrent calls, shutdown.
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

// `cutline wrap`: messages that pass unchanged, results that are truncated, the end of the session.
mod wrap;

// Files inside and outside the roots: paths, links, races.
mod boundaries;

// The estimated number of tokens of a text.
mod tokens;

// Statistics of calls: the resource, the file of call records, `cutline stats`.
mod stats;
mod stats_page;

// --sandbox: the actions that the kernel denies to commands.
mod sandbox;

// Resource limits of one call.
mod bounds;

// Calls that reach their deadline.
mod deadline;

// Faults of the system: a full disk, a folder that disappears, a resource limit.
mod faults;

// Processes and files that commands leave behind, and their removal after a killed server and after a clean exit.
mod leftovers;

// File descriptors: those that commands inherit or keep open, and a server without free ones.
mod descriptors;

// A load test of some minutes. It is ignored by default.
mod soak;

// The documentation agrees with the code.
mod docs;

// The packages agree with the binary.
mod packaging;

// The dependencies between modules.
mod layers;
