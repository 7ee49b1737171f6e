//! Signals that end this process, and the signal for ended children.

use std::io;
use std::task::{Context, Poll};

use futures_util::StreamExt as _;
use futures_util::stream::{BoxStream, SelectAll, poll_fn};
use tokio::signal::unix::{SignalKind, signal};

/// A stream with the number of each received signal that ends the server.
pub(crate) type Signals = SelectAll<BoxStream<'static, i32>>;

/// Returns a stream with the number of a signal for each time that it is received.
fn numbered(
    number: i32,
    poll: impl FnMut(&mut Context<'_>) -> Poll<Option<()>> + Send + Unpin + 'static,
) -> BoxStream<'static, i32> {
    poll_fn(poll).map(move |()| number).boxed()
}

/// Installs a handler for ended children. If the parent of this process ignores that signal, this process inherits the
/// setting and could not wait for children. Needs a tokio runtime.
pub(crate) fn see_children_end() -> io::Result<()> {
    signal(SignalKind::child()).map(drop)
}

/// Returns the signals that are received from now on.
pub(crate) fn signals() -> io::Result<Signals> {
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let numbered = |kind: SignalKind| {
        let mut signal = signal(kind)?;
        Ok(numbered(kind.as_raw_value(), move |cx| signal.poll_recv(cx)))
    };
    kinds.into_iter().map(numbered).collect()
}
