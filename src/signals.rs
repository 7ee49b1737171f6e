//! Signals by which a person or the system tells this process to end.

#[cfg(unix)]
pub(crate) use unix::Signals;
#[cfg(windows)]
pub(crate) use windows::Signals;

#[cfg(unix)]
mod unix {
    use std::io;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// The signals that end the server.
    pub(crate) struct Signals {
        terminate: Signal,
        interrupt: Signal,
        hangup: Signal,
    }

    impl Signals {
        pub(crate) fn new() -> io::Result<Self> {
            Ok(Self {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
                hangup: signal(SignalKind::hangup())?,
            })
        }

        /// The number of the next one.
        pub(crate) async fn next(&mut self) -> i32 {
            tokio::select! {
                _ = self.terminate.recv() => SignalKind::terminate().as_raw_value(),
                _ = self.interrupt.recv() => SignalKind::interrupt().as_raw_value(),
                _ = self.hangup.recv() => SignalKind::hangup().as_raw_value(),
            }
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
