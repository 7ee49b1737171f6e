//! Properties of the protocol, whatever the tool is.

// The first messages: both eras, every revision, what may come before them.
mod handshake;

// tools/list: its size, its schemas, and the effect of flags.
mod list;

// Calls that are no calls: an unknown tool, params of another shape.
mod params;

// Invalid lines, which do not end a session.
mod lines;

// stdin and stdout that are no pipes.
mod streams;

// The end: of input, by signals, in the middle of calls.
mod ending;

// Cancelled calls, and progress notifications.
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
