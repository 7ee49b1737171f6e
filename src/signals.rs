//! Signals by which a person or the system tells this process to end.

use std::io;
use std::task::{Context, Poll};

use futures_util::StreamExt as _;
use futures_util::stream::{BoxStream, SelectAll, poll_fn, select_all};

/// The signals that end the server, each as its number.
pub(crate) struct Signals(SelectAll<Signal>);

/// One of them: its number, each time that it comes.
type Signal = BoxStream<'static, i32>;

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        system_signals().map(|all| Self(select_all(all)))
    }

    /// The number of the next one.
    pub(crate) async fn next(&mut self) -> i32 {
        match self.0.next().await {
            Some(number) => number,
            None => std::future::pending().await,
        }
    }
}

fn numbered(
    number: i32,
    poll: impl FnMut(&mut Context<'_>) -> Poll<Option<()>> + Send + Unpin + 'static,
) -> Signal {
    poll_fn(poll).map(move |()| number).boxed()
}

#[cfg(unix)]
fn system_signals() -> io::Result<Vec<Signal>> {
    use tokio::signal::unix::{SignalKind, signal};

    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let numbered = |kind: SignalKind| {
        let mut signal = signal(kind)?;
        Ok(numbered(kind.as_raw_value(), move |cx| signal.poll_recv(cx)))
    };
    kinds.into_iter().map(numbered).collect()
}

/// The events by which a console ends its programs, by the numbers that a Unix has for them: the exit code is by those.
#[cfg(windows)]
fn system_signals() -> io::Result<Vec<Signal>> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

    let (mut interrupt, mut also_interrupt) = (ctrl_c()?, ctrl_break()?);
    let (mut close, mut shutdown) = (ctrl_close()?, ctrl_shutdown()?);
    Ok(vec![
        numbered(2, move |cx| interrupt.poll_recv(cx)),
        numbered(2, move |cx| also_interrupt.poll_recv(cx)),
        numbered(1, move |cx| close.poll_recv(cx)),
        numbered(15, move |cx| shutdown.poll_recv(cx)),
    ])
}
