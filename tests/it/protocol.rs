//! Properties of the protocol, whatever the tool is.

// The first messages: both eras, every revision, what may come before them.
mod handshake;

// tools/list: what it costs, what its schemas may hold, what flags change in it.
mod list;

// Calls that are no calls: an unknown tool, params of another shape.
mod params;

// Lines that are no messages, and what a session survives.
mod lines;

// stdin and stdout that are no pipes.
mod streams;

// The end: of input, by signals, in the middle of calls.
mod ending;

// Calls that are taken back, and what is told while they run.
mod cancel;
mod progress;

// Many calls at once.
mod crowd;

// Log notifications and the log itself.
mod logging;

// Limits that fit the client.
mod fit;

// Roots that a client offers.
mod roots;

// --structured.
mod structured;
