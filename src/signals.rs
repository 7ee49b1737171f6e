//! Signals that end this process, and the signal for ended children.

use std::io;
use std::task::{Context, Poll};

use futures_util::StreamExt as _;
use futures_util::stream::{BoxStream, SelectAll, poll_fn};
#[cfg(unix)]
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
#[cfg(unix)]
pub(crate) fn see_children_end() -> io::Result<()> {
    signal(SignalKind::child()).map(drop)
}

#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(crate) fn see_children_end() -> io::Result<()> {
    Ok(())
}

/// Returns the signals that are received from now on.
#[cfg(unix)]
pub(crate) fn signals() -> io::Result<Signals> {
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let numbered = |kind: SignalKind| {
        let mut signal = signal(kind)?;
        Ok(numbered(kind.as_raw_value(), move |cx| signal.poll_recv(cx)))
    };
    kinds.into_iter().map(numbered).collect()
}

/// Returns the console events that end a program, as the numbers of the corresponding Unix signals. The exit code uses
/// these numbers.
#[cfg(windows)]
pub(crate) fn signals() -> io::Result<Signals> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

    let (mut interrupt, mut also_interrupt) = (ctrl_c()?, ctrl_break()?);
    let (mut close, mut shutdown) = (ctrl_close()?, ctrl_shutdown()?);
    let signals = [
        numbered(2, move |cx| interrupt.poll_recv(cx)),
        numbered(2, move |cx| also_interrupt.poll_recv(cx)),
        numbered(1, move |cx| close.poll_recv(cx)),
        numbered(15, move |cx| shutdown.poll_recv(cx)),
    ];
    Ok(signals.into_iter().collect())
}
