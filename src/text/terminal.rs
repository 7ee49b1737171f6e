//! stub
/// Stub.
#[derive(Debug)]
pub struct Terminal;
impl Terminal {
    /// Stub.
    pub fn new(_max_bytes: u64) -> Self {
        Self
    }
    /// Stub.
    pub fn push(&mut self, text: &str, sink: &mut impl FnMut(&str)) {
        sink(text);
    }
    /// Stub.
    pub fn finish(&mut self, _sink: &mut impl FnMut(&str)) {}
}
