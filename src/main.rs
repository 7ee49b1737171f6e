//! The binary: parses the command line and runs one command. (being built)

fn main() {}
