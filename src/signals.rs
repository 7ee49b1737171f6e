//! Signals by which a person or the system tells this process to end.

#[cfg(unix)]
pub(crate) use unix::Signals;
#[cfg(windows)]
pub(crate) use windows::Signals;

#[cfg(unix)]
mod unix {
    use std::future::poll_fn;
    use std::io;
    use std::task::Poll;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// The signals that end the server, each with its number.
    pub(crate) struct Signals(Vec<(i32, Signal)>);

    impl Signals {
        pub(crate) fn new() -> io::Result<Self> {
            let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
            kinds
                .into_iter()
                .map(|kind| Ok((kind.as_raw_value(), signal(kind)?)))
                .collect::<Result<_, _>>()
                .map(Self)
        }

        /// The number of the next one.
        pub(crate) async fn next(&mut self) -> i32 {
            poll_fn(|cx| {
                let came =
                    |(number, signal): &mut (i32, Signal)| signal.poll_recv(cx).is_ready().then_some(*number);
                self.0.iter_mut().find_map(came).map_or(Poll::Pending, Poll::Ready)
            })
            .await
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io;

    use tokio::signal::windows::{
        CtrlBreak, CtrlC, CtrlClose, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown,
    };

    /// The events by which a console ends its programs.
    pub(crate) struct Signals {
        interrupt: CtrlC,
        also_interrupt: CtrlBreak,
        close: CtrlClose,
        shutdown: CtrlShutdown,
    }

    impl Signals {
        pub(crate) fn new() -> io::Result<Self> {
            Ok(Self {
                interrupt: ctrl_c()?,
                also_interrupt: ctrl_break()?,
                close: ctrl_close()?,
                shutdown: ctrl_shutdown()?,
            })
        }

        /// The number that a Unix has for the next one: the exit code is by it.
        pub(crate) async fn next(&mut self) -> i32 {
            tokio::select! {
                _ = self.interrupt.recv() => 2,
                _ = self.also_interrupt.recv() => 2,
                _ = self.close.recv() => 1,
                _ = self.shutdown.recv() => 15,
            }
        }
    }
}
