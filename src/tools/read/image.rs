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
use image::{DynamicImage, ImageFormat, ImageReader, Limits};

use crate::limits::{IMAGE_MAX_BYTES, IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE};
use crate::tools::{Context, Image, Output};
use cutline_core::details::Details;
use cutline_core::notice::{Answer, Notice};
use cutline_core::text::{Size, show};

/// Bytes of an image's file that are taken in: 16 megapixels of the widest pixels.
const MAX_FILE_BYTES: u64 = 8 * IMAGE_MAX_PIXELS;
/// What a decoder may allocate.
const MAX_ALLOC_BYTES: u64 = 2 * MAX_FILE_BYTES;
/// Of a scaled photograph: small, and not seen.
const JPEG_QUALITY: u8 = 85;

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

/// What can be done with an image.
enum Shown {
    AsItIs(Vec<u8>),
    Scaled { bytes: Vec<u8>, mime_type: &'static str, width: u32, height: u32 },
    TooLarge,
    Damaged,
}

/// The answer for the image in `file`, which has `bytes` bytes and is shown as `path`.
pub(super) fn read(cx: &Context, file: &File, path: &str, bytes: u64, kind: Kind) -> io::Result<Output> {
    let _one_at_a_time = DECODING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut file = file;
    file.rewind()?;
    let size = dimensions(BufReader::new(file), kind);
    let shown = match size {
        None => Shown::Damaged,
        Some((width, height)) if u64::from(width) * u64::from(height) > IMAGE_MAX_PIXELS => Shown::TooLarge,
        Some(_) if bytes > MAX_FILE_BYTES => Shown::TooLarge,
        Some(size) => {
            let mut held = Vec::new();
            file.rewind()?;
            file.take(bytes).read_to_end(&mut held)?;
            if cx.cancel.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            decode(held, size, kind)
        }
    };
    Ok(answer(path, bytes, kind, size, shown))
}

fn dimensions(file: impl io::BufRead + Seek, kind: Kind) -> Option<(u32, u32)> {
    let mut reader = ImageReader::with_format(file, kind.format());
    reader.limits(bounds());
    reader.into_dimensions().ok()
}

fn decode(held: Vec<u8>, (width, height): (u32, u32), kind: Kind) -> Shown {
    let mut reader = ImageReader::with_format(Cursor::new(&held), kind.format());
    reader.limits(bounds());
    let Ok(image) = reader.decode() else { return Shown::Damaged };
    let side = width.max(height);
    if side <= IMAGE_MAX_SIDE && held.len() as u64 <= IMAGE_MAX_BYTES {
        return Shown::AsItIs(held);
    }
    drop(held);
    let mut side = side.min(IMAGE_MAX_SIDE);
    loop {
        let scaled = image.thumbnail(side, side);
        let Some((bytes, mime_type)) = encode(&scaled, kind) else { return Shown::Damaged };
        if bytes.len() as u64 <= IMAGE_MAX_BYTES {
            return Shown::Scaled { bytes, mime_type, width: scaled.width(), height: scaled.height() };
        }
        side = side / 4 * 3;
    }
}

/// What decoding may take.
fn bounds() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_ALLOC_BYTES);
    limits
}

/// A photograph stays one; all else keeps its edges and its transparency.
fn encode(image: &DynamicImage, kind: Kind) -> Option<(Vec<u8>, &'static str)> {
    let mut bytes = Cursor::new(Vec::new());
    let format = match kind {
        Kind::Jpeg => {
            JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY).encode_image(&image.to_rgb8()).ok()?;
            ImageFormat::Jpeg
        }
        Kind::Png | Kind::Gif | Kind::Webp => {
            image.write_to(&mut bytes, ImageFormat::Png).ok()?;
            ImageFormat::Png
        }
    };
    Some((bytes.into_inner(), format.to_mime_type()))
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
        Shown::Scaled { bytes: scaled, mime_type, width, height } => {
            let from = size.unwrap_or_default();
            let notice = Notice::ImageScaled { from: (from.0, from.1, bytes), to: (width, height) };
            (Some(block(&scaled, mime_type)), Some(notice))
        }
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
