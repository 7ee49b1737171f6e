//! Signals by which a person or the system tells this process to end, and that of a child's end.

use std::io;
use std::task::{Context, Poll};

use futures_util::StreamExt as _;
use futures_util::stream::{BoxStream, SelectAll, poll_fn};
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

/// The signals that end the server, each as its number, each time that it comes.
pub(crate) type Signals = SelectAll<BoxStream<'static, i32>>;

/// Returns a signal as its number, each time that it comes.
fn numbered(
    number: i32,
    poll: impl FnMut(&mut Context<'_>) -> Poll<Option<()>> + Send + Unpin + 'static,
) -> BoxStream<'static, i32> {
    poll_fn(poll).map(move |()| number).boxed()
}

/// Has the ends of children be seen. What started this process may have ignored them, which is inherited; then no child
/// could be waited for. Needs a runtime.
#[cfg(unix)]
pub(crate) fn see_children_end() -> io::Result<()> {
    signal(SignalKind::child()).map(drop)
}

#[cfg(windows)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(crate) fn see_children_end() -> io::Result<()> {
    Ok(())
}

/// Returns the signals, from now on.
#[cfg(unix)]
pub(crate) fn signals() -> io::Result<Signals> {
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let numbered = |kind: SignalKind| {
        let mut signal = signal(kind)?;
        Ok(numbered(kind.as_raw_value(), move |cx| signal.poll_recv(cx)))
    };
    kinds.into_iter().map(numbered).collect()
}

/// Returns the events by which a console ends its programs, from now on, by the numbers that a Unix has for them: the
/// exit code is by those.
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
