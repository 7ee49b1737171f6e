//! An image, handed on as the client can show it.
//!
//! Every image is decoded before it is handed on: one that is damaged ends a model's session where
//! its provider refuses it. What decoding holds is bounded by what the image's head says; few are decoded at a
//! time, by the permits of [`Load::Image`](crate::tools::catalog::Load).

mod cancellable;
mod decode;
mod jpeg;

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read as _, Seek as _};
use std::panic::resume_unwind;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, RgbImage, Rgba, RgbaImage, imageops};
use tokio_util::sync::CancellationToken;

use crate::limits::{IMAGE_DECODED_BYTES, IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE, Images};
use crate::tools::{Context, Image, Output};
use cancellable::Cancellable;
use cutline_core::details::Details;
use cutline_core::notice::{Answer, Notice};
use cutline_core::text::{Size, show};
use decode::{Head, decode};

/// JPEG's qualities, of 100, in the order in which they are tried before an image is made smaller: the
/// first is not seen, with the last one letters are still read.
const JPEG_QUALITIES: [u8; 3] = [85, 70, 50];
/// The fewest pixels a side to which an image is made smaller.
const MIN_SIDE: u32 = 64;

/// The kinds of image that clients show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl Kind {
    /// The kind that a file's first bytes say.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Self::Png),
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    fn mime_type(self) -> &'static str {
        self.format().to_mime_type()
    }

    fn format(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::Gif => ImageFormat::Gif,
            Self::Webp => ImageFormat::WebP,
        }
    }
}

/// The form in which an image is shown.
enum Shown {
    /// Its file's own bytes.
    AsItIs(Vec<u8>),
    /// Encoded anew, scaled down where the size is another one.
    Encoded { bytes: Vec<u8>, format: ImageFormat, width: u32, height: u32 },
    /// Not at all: the client shows none.
    Off,
    /// Not at all: it has more pixels than are decoded of such an image.
    TooLarge { megapixels: u64 },
    /// Not at all: it can't be decoded, or not be made small enough.
    Damaged,
}

/// The answer for the image in `file`, which has `bytes` bytes and is shown as `path`.
pub(super) fn read(cx: &Context, file: &File, path: &str, bytes: u64, kind: Kind) -> io::Result<Output> {
    let source = || {
        let mut file = file;
        file.rewind()?;
        io::Result::Ok(Cancellable::new(BufReader::new(file), &cx.cancel))
    };
    let head = Head::read(source()?, kind);
    let shown = match (head, cx.limits().images) {
        (_, Images::Off) => Shown::Off,
        (None, _) => Shown::Damaged,
        (Some(head), Images::UpTo(max_bytes)) => match megapixels_at_most(head, kind, bytes) {
            Some(megapixels) => Shown::TooLarge { megapixels },
            None if head.width.max(head.height) <= IMAGE_MAX_SIDE && bytes <= max_bytes => {
                let mut content = Vec::new();
                source()?.take(bytes).read_to_end(&mut content)?;
                match decode(Cancellable::new(Cursor::new(&content), &cx.cancel), kind) {
                    Some(_) => Shown::AsItIs(content),
                    None => Shown::Damaged,
                }
            }
            None => {
                let source = source()?;
                on_thread_of_its_own(|| match decode(source, kind) {
                    Some(image) => fitted(image, kind, max_bytes, &cx.cancel),
                    None => Shown::Damaged,
                })?
            }
        },
    };
    if cx.cancel.is_cancelled() {
        return Err(io::ErrorKind::Interrupted.into());
    }
    Ok(answer(path, bytes, kind, head, shown))
}

/// Does `work`, which takes much memory, on a thread that is made for it. An allocator may keep what a thread gave
/// back for the next one like it; the threads for blocking work would each keep as much.
fn on_thread_of_its_own<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("image".to_owned()).spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// The most megapixels that are decoded of an image of its kind, where it has more.
fn megapixels_at_most(head: Head, kind: Kind, file_bytes: u64) -> Option<u64> {
    let pixels = u64::from(head.width) * u64::from(head.height);
    let besides = match kind {
        // Its decoder may hold the notes between its scans once more.
        Kind::Jpeg => file_bytes.saturating_mul(2),
        Kind::Webp => file_bytes,
        Kind::Png | Kind::Gif => 0,
    };
    let room = IMAGE_DECODED_BYTES.saturating_sub(besides);
    let bytes_per_pixel = head.decoded_bytes.div_ceil(pixels.max(1)).max(1);
    let is_over = pixels > IMAGE_MAX_PIXELS || head.decoded_bytes > room;
    is_over.then(|| IMAGE_MAX_PIXELS.min(room / bytes_per_pixel) / 1_000_000)
}

/// Returns an image encoded within `max_bytes` and `IMAGE_MAX_SIDE`.
fn fitted(mut image: DynamicImage, kind: Kind, max_bytes: u64, cancel: &CancellationToken) -> Shown {
    let mut side = image.width().max(image.height()).min(IMAGE_MAX_SIDE);
    while !cancel.is_cancelled() {
        if side < image.width().max(image.height()) {
            // The larger one is not held beside it.
            image = image.thumbnail(side, side);
        }
        if let Some((bytes, format)) = encoded(&image, kind, max_bytes) {
            return Shown::Encoded { bytes, format, width: image.width(), height: image.height() };
        }
        if side <= MIN_SIDE {
            break;
        }
        side = side / 4 * 3;
    }
    Shown::Damaged
}

/// Encodes an image within `max_bytes`: as PNG, which keeps its edges and its transparency, but for a
/// photograph; as JPEG where that has too many bytes. `None` where neither fits.
fn encoded(image: &DynamicImage, kind: Kind, max_bytes: u64) -> Option<(Vec<u8>, ImageFormat)> {
    let fits = |bytes: &Vec<u8>| bytes.len() as u64 <= max_bytes;
    if kind != Kind::Jpeg {
        let mut png = Cursor::new(Vec::new());
        image.write_to(&mut png, ImageFormat::Png).ok()?;
        if fits(png.get_ref()) {
            return Some((png.into_inner(), ImageFormat::Png));
        }
    }
    let opaque = on_white(image);
    let jpegs = JPEG_QUALITIES.iter().filter_map(|quality| {
        let mut jpeg = Vec::new();
        JpegEncoder::new_with_quality(&mut jpeg, *quality).encode_image(&opaque).ok()?;
        Some(jpeg)
    });
    Some((jpegs.into_iter().find(fits)?, ImageFormat::Jpeg))
}

/// Returns the image without transparency, which JPEG has not: as it looks on a white page.
fn on_white(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let image = image.to_rgba8();
    let mut page = RgbaImage::from_pixel(image.width(), image.height(), Rgba([u8::MAX; 4]));
    imageops::overlay(&mut page, &image, 0, 0);
    DynamicImage::from(page).to_rgb8()
}

fn answer(path: &str, bytes: u64, kind: Kind, head: Option<Head>, shown: Shown) -> Output {
    let path = show::path(path);
    let size = head.map(|head| (head.width, head.height));
    let mime_type = kind.mime_type();
    let words = match size {
        Some((width, height)) => format!("({mime_type}, {width}x{height}, {})", Size(bytes)),
        None => format!("({mime_type}, {})", Size(bytes)),
    };
    let block = |bytes: &[u8], mime_type| Image { base64: STANDARD.encode(bytes), mime_type };
    let (image, notice) = match shown {
        Shown::AsItIs(bytes) => (Some(block(&bytes, mime_type)), None),
        Shown::Encoded { bytes: encoded, format, width, height } => {
            let (from_width, from_height) = size.unwrap_or_default();
            let from = (from_width, from_height, bytes);
            let name = if format == ImageFormat::Png { "PNG" } else { "JPEG" };
            let notice = if (width, height) == (from_width, from_height) {
                Notice::ImageEncoded { from, format: name, bytes: encoded.len() as u64 }
            } else {
                let is_other = format != kind.format();
                Notice::ImageScaled { from, to: (width, height), format: is_other.then_some(name) }
            };
            (Some(block(&encoded, format.to_mime_type())), Some(notice))
        }
        Shown::Off => (None, Some(Notice::ImagesOff)),
        Shown::TooLarge { megapixels } => (None, Some(Notice::ImageTooLarge { megapixels })),
        Shown::Damaged => (None, Some(Notice::ImageDamaged)),
    };
    let answer = Answer {
        body: format!("Read image: {path} {words}"),
        notices: notice.into_iter().collect(),
        ..Answer::default()
    };
    let details = Details {
        mime_type: Some(mime_type),
        width: size.map(|(width, _)| width),
        height: size.map(|(_, height)| height),
        ..Details::default()
    };
    Output { image, ..Output::new(answer, details) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufWriter;

    #[test]
    fn image_of_a_cancelled_call_is_read_no_further() {
        let mut file = tempfile::tempfile().unwrap();
        DynamicImage::new_rgb8(300, 300).write_to(&mut BufWriter::new(&file), ImageFormat::Png).unwrap();
        let cancel = CancellationToken::new();
        for cancelled in [false, true] {
            if cancelled {
                cancel.cancel();
            }
            file.rewind().unwrap();
            let source = Cancellable::new(BufReader::new(&file), &cancel);
            assert_eq!(decode(source, Kind::Png).is_none(), cancelled);
            assert_eq!(file.stream_position().unwrap() == 0, cancelled);
        }
    }

    #[test]
    fn images_past_the_bound_are_told_how_many_pixels_are_decoded() {
        let head = |side: u32, bytes: u64| Head {
            width: side,
            height: side,
            decoded_bytes: u64::from(side).pow(2) * bytes,
        };
        for (head, kind, file_bytes, expected) in [
            (head(4000, 4), Kind::Png, 1 << 40, None),
            (head(4001, 1), Kind::Png, 0, Some(16)),
            (head(4000, 8), Kind::Gif, 0, Some(12)),
            (head(3000, 11), Kind::Webp, 900_000, None),
            (head(3000, 11), Kind::Webp, 1_100_000, Some(8)),
            (head(10, 3), Kind::Jpeg, 100_000_000, Some(0)),
        ] {
            assert_eq!(megapixels_at_most(head, kind, file_bytes), expected, "{head:?}");
        }
    }
}
