//! Commands: started, drained, ended with all that they started. (being built)

/// The commands that run.
#[derive(Debug, Default)]
pub struct Commands;
