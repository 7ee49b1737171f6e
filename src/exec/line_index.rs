//! (to come)
/// Cache.
#[derive(Debug, Default)]
pub struct Cache;
