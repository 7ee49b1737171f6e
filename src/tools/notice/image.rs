//! The image that is shown instead of a larger one.

use cutline_core::notice::between;
use cutline_core::text::Size;

/// An image that replaces one with more pixels or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageShown {
    /// The width and height in pixels, and the name of the format if it changed.
    Scaled((u32, u32), Option<&'static str>),
    /// An image of the same size: the name of its format, and its bytes.
    Encoded(&'static str, u64),
}

impl ImageShown {
    /// Formats the original size and the change.
    pub(super) fn instead_of(self, on_disk: u64) -> String {
        match self {
            Self::Scaled((width, height), format) => {
                let shown_as = between(", shown as ", format, "");
                format!("{}; scaled down to {width}x{height}{shown_as}", Size(on_disk))
            }
            Self::Encoded(format, bytes) => {
                let (whole, shown) = Size(on_disk).beside(bytes);
                format!("{whole}; shown as {format} of {shown}")
            }
        }
    }
}
