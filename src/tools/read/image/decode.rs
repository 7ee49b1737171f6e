//! Decoding an image: its size and what decoding it holds are known from its head, and nothing is unpacked but
//! its pixels.

use std::io::{BufRead, Read, Seek};

use image::metadata::Orientation;
use image::{DynamicImage, GrayAlphaImage, GrayImage, ImageFormat, ImageReader, Limits, RgbImage, RgbaImage};
use png::{ColorType, Decoder, Transformations};
use tokio_util::sync::CancellationToken;

use super::cancellable::Cancellable;
use super::jpeg::{self, Start};
use crate::limits::IMAGE_DECODED_BYTES;

/// The first bytes of a WebP, up to its flags.
const WEBP_HEAD_BYTES: usize = 21;

/// The head of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// Pixels a side.
    pub(super) width: u32,
    pub(super) height: u32,
    /// Bytes that its decoder holds at most, but for its file.
    pub(super) decoded_bytes: u64,
}

impl Head {
    /// Reads that of `source`; `None` where there is none.
    pub(super) fn read(mut source: impl BufRead + Seek, format: ImageFormat) -> Option<Self> {
        let of_pixels = |(width, height): (u32, u32), bytes: u64| {
            let decoded_bytes = u64::from(width).saturating_mul(height.into()).saturating_mul(bytes);
            Self { width, height, decoded_bytes }
        };
        match format {
            ImageFormat::Png => {
                let mut decoder = Decoder::new(source);
                let info = decoder.read_header_info().ok()?;
                let head = of_pixels(info.size(), 4);
                // Rows as they are in the file: this one, the one before, and room for the next.
                let rows = 4 * info.raw_row_length() as u64;
                Some(Self { decoded_bytes: head.decoded_bytes.saturating_add(rows), ..head })
            }
            ImageFormat::Jpeg => Some(Start::read(&mut source).ok()??.head),
            // All of it, and once more a frame that does not fill it.
            ImageFormat::Gif => Some(of_pixels(reader(source, format).into_dimensions().ok()?, 4 + 4)),
            ImageFormat::WebP => {
                let mut head = [0; WEBP_HEAD_BYTES];
                source.read_exact(&mut head).ok()?;
                source.rewind().ok()?;
                let bytes = match head {
                    // Brightness, colours of every second pixel a side, and the result.
                    [.., b'V', b'P', b'8', b' ', _, _, _, _, _] => 5,
                    // With transparency or of several frames: those, the result, and transparency as an image.
                    [.., b'V', b'P', b'8', b'X', _, _, _, _, flags] if flags & 0x12 != 0 => 11,
                    // All with transparency, and without it.
                    _ => 4 + 3,
                };
                Some(of_pixels(reader(source, format).into_dimensions().ok()?, bytes))
            }
            _ => None,
        }
    }
}

fn reader<R: BufRead + Seek>(source: R, format: ImageFormat) -> ImageReader<R> {
    let mut reader = ImageReader::with_format(source, format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(IMAGE_DECODED_BYTES);
    reader.limits(limits);
    reader
}

/// Decodes an image whose head was read, and says the turn by which it is shown upright; `None` where it is damaged.
pub(super) fn decode(
    source: impl Read + Seek,
    format: ImageFormat,
    cancel: &CancellationToken,
) -> Option<(DynamicImage, Orientation)> {
    let source = Cancellable::buffered(source, cancel);
    match format {
        ImageFormat::Png => decode_png(source),
        ImageFormat::Jpeg => jpeg::decode(source, cancel),
        // A WebP's note is not asked for: its decoder makes room for as many bytes as that says to have.
        _ => Some((reader(source, format).decode().ok()?, Orientation::NoTransforms)),
    }
}

/// Decodes a PNG to eight bits a channel. Profiles and texts in it, which are compressed too, are passed over.
fn decode_png(source: impl BufRead + Seek) -> Option<(DynamicImage, Orientation)> {
    let bytes = usize::try_from(IMAGE_DECODED_BYTES).ok()?;
    let mut decoder = Decoder::new_with_limits(source, png::Limits { bytes });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = reader.info().size();
    let mut pixels = vec![0; reader.output_buffer_size()?];
    reader.next_frame(&mut pixels).ok()?;
    let _what_is_behind_may_be_damaged = reader.finish();
    let exif = reader.info().exif_metadata.as_deref();
    let orientation = exif.and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms);
    let image = match reader.output_color_type().0 {
        ColorType::Grayscale => GrayImage::from_raw(width, height, pixels)?.into(),
        ColorType::GrayscaleAlpha => GrayAlphaImage::from_raw(width, height, pixels)?.into(),
        ColorType::Rgb => RgbImage::from_raw(width, height, pixels)?.into(),
        ColorType::Rgba => RgbaImage::from_raw(width, height, pixels)?.into(),
        ColorType::Indexed => return None, // expanded to one of those before
    };
    Some((image, orientation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn heads_are_those_of_the_decoders() {
        let image = DynamicImage::from(RgbaImage::new(37, 21));
        for (format, bytes_per_pixel) in
            [(ImageFormat::Png, 4), (ImageFormat::Jpeg, 3), (ImageFormat::Gif, 8), (ImageFormat::WebP, 7)]
        {
            let mut file = Cursor::new(Vec::new());
            if format == ImageFormat::Jpeg { image.to_rgb8().into() } else { image.clone() }
                .write_to(&mut file, format)
                .unwrap();
            let head = Head::read(Cursor::new(file.get_ref()), format).unwrap();
            assert_eq!((head.width, head.height), (37, 21), "{format:?}");
            let rows = if format == ImageFormat::Png { 4 * (37 * 4 + 1) } else { 0 };
            assert_eq!(head.decoded_bytes, 37 * 21 * bytes_per_pixel + rows, "{format:?}");
            let cancel = CancellationToken::new();
            let (decoded, _) = decode(Cursor::new(file.get_ref()), format, &cancel).unwrap();
            assert_eq!((decoded.width(), decoded.height()), (37, 21), "{format:?}");
        }
    }
}
