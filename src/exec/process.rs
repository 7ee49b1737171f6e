//! Commands: started, drained, ended with all that they started. (being built)

/// The commands that run.
#[derive(Debug, Default)]
pub struct Commands;

impl Commands {
    /// Starts what goes on beside the calls.
    pub fn start(&self) {}

    /// Ends what still runs.
    pub async fn shutdown(&self) {}
}
