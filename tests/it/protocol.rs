//! Tests of the protocol that apply to all tools.

// The first messages, in all protocol revisions.
mod handshake;

// tools/list: its size, its schemas, and the effect of flags.
mod list;

// Invalid calls: an unknown tool, invalid params.
mod params;

// Invalid lines, which do not end a session.
mod lines;

// stdin and stdout that are not pipes.
mod streams;

// The end of a session: end of input and signals, also during calls.
mod ending;

// Cancelled calls, and progress notifications.
mod cancel;
mod progress;

// Many concurrent calls.
mod crowd;

// Log notifications and the log on stderr.
mod logging;

// Limits from the profile of the client.
mod fit;

// Roots that the client offers.
mod roots;

// `--structured`.
mod structured;
