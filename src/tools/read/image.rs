//! An image, handed on as the client can show it.
//!
//! Every image is decoded before it is handed on: one that is damaged ends a model's session where
//! its provider refuses it. Decoding is bounded by pixels and by bytes, and only one is decoded at
//! a time.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, ImageReader, Limits, RgbImage, Rgba, RgbaImage, imageops};

use crate::limits::{IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE, Images};
use crate::tools::{Context, Image, Output};
use cutline_core::details::Details;
use cutline_core::notice::{Answer, Notice};
use cutline_core::text::{Size, show};

/// Bytes of an image's file that are taken in: 16 megapixels of the widest pixels.
const MAX_FILE_BYTES: u64 = 8 * IMAGE_MAX_PIXELS;
/// Bytes that a decoder may allocate.
const MAX_ALLOC_BYTES: u64 = 2 * MAX_FILE_BYTES;
/// JPEG's qualities, of 100, in the order in which they are tried before an image is made smaller: the
/// first is not seen, with the last one letters are still read.
const JPEG_QUALITIES: [u8; 3] = [85, 70, 50];
/// The fewest pixels a side to which an image is made smaller.
const MIN_SIDE: u32 = 64;

/// Held by the one call that decodes: an image may take more memory than all else together.
static DECODING: Mutex<()> = Mutex::new(());

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
    /// Not at all: it has more pixels than are decoded.
    TooLarge,
    /// Not at all: it can't be decoded, or not be made small enough.
    Damaged,
}

/// The answer for the image in `file`, which has `bytes` bytes and is shown as `path`.
pub(super) fn read(cx: &Context, file: &File, path: &str, bytes: u64, kind: Kind) -> io::Result<Output> {
    let _one_at_a_time = DECODING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut file = file;
    file.rewind()?;
    let size = dimensions(BufReader::new(file), kind);
    let shown = match (size, cx.limits().images) {
        (_, Images::Off) => Shown::Off,
        (None, _) => Shown::Damaged,
        (Some((width, height)), _) if u64::from(width) * u64::from(height) > IMAGE_MAX_PIXELS => {
            Shown::TooLarge
        }
        (Some(_), _) if bytes > MAX_FILE_BYTES => Shown::TooLarge,
        (Some(size), Images::UpTo(max_bytes)) => {
            let mut held = Vec::new();
            file.rewind()?;
            file.take(bytes).read_to_end(&mut held)?;
            if cx.cancel.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            fitted(held, size, kind, max_bytes)
        }
    };
    Ok(answer(path, bytes, kind, size, shown))
}

fn dimensions(file: impl io::BufRead + Seek, kind: Kind) -> Option<(u32, u32)> {
    let mut reader = ImageReader::with_format(file, kind.format());
    reader.limits(bounds());
    reader.into_dimensions().ok()
}

/// Returns the image in `held` as it is shown: within `max_bytes` and `IMAGE_MAX_SIDE`.
fn fitted(held: Vec<u8>, (width, height): (u32, u32), kind: Kind, max_bytes: u64) -> Shown {
    let mut reader = ImageReader::with_format(Cursor::new(&held), kind.format());
    reader.limits(bounds());
    let Ok(image) = reader.decode() else { return Shown::Damaged };
    let longest = width.max(height);
    if longest <= IMAGE_MAX_SIDE && held.len() as u64 <= max_bytes {
        return Shown::AsItIs(held);
    }
    drop(held);
    let mut side = longest.min(IMAGE_MAX_SIDE);
    loop {
        let scaled = if side < longest { &image.thumbnail(side, side) } else { &image };
        if let Some((bytes, format)) = encoded(scaled, kind, max_bytes) {
            return Shown::Encoded { bytes, format, width: scaled.width(), height: scaled.height() };
        }
        if side <= MIN_SIDE {
            return Shown::Damaged;
        }
        side = side / 4 * 3;
    }
}

/// Returns the limits of decoding.
fn bounds() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_ALLOC_BYTES);
    limits
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

fn answer(path: &str, bytes: u64, kind: Kind, size: Option<(u32, u32)>, shown: Shown) -> Output {
    let path = show::path(path);
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
            let notice = if (width, height) == (from_width, from_height) {
                let format = if format == ImageFormat::Png { "PNG" } else { "JPEG" };
                Notice::ImageEncoded { from, format, bytes: encoded.len() as u64 }
            } else {
                Notice::ImageScaled { from, to: (width, height) }
            };
            (Some(block(&encoded, format.to_mime_type())), Some(notice))
        }
        Shown::Off => (None, Some(Notice::ImagesOff)),
        Shown::TooLarge => (None, Some(Notice::ImageTooLarge { megapixels: IMAGE_MAX_PIXELS / 1_000_000 })),
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
