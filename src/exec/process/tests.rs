//! Commands, against real processes.
