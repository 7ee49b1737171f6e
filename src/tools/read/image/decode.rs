//! Decoding an image: its size and what decoding it holds are known from its head, and nothing is unpacked but
//! its pixels.

use std::io::{self, BufRead, Seek, SeekFrom};

use image::{DynamicImage, GrayAlphaImage, GrayImage, ImageReader, Limits, RgbImage, RgbaImage};
use png::{ColorType, Decoder, Transformations};

use super::Kind;
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
    pub(super) fn read(mut source: impl BufRead + Seek, kind: Kind) -> Option<Self> {
        let of_pixels = |(width, height): (u32, u32), bytes: u64| {
            let decoded_bytes = u64::from(width).saturating_mul(height.into()).saturating_mul(bytes);
            Self { width, height, decoded_bytes }
        };
        match kind {
            Kind::Png => png_head(source),
            Kind::Jpeg => jpeg_head(&mut source).ok().flatten(),
            // All of it, and once more a frame that does not fill it.
            Kind::Gif => Some(of_pixels(dimensions(source, kind)?, 4 + 4)),
            Kind::Webp => {
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
                Some(of_pixels(dimensions(source, kind)?, bytes))
            }
        }
    }
}

fn png_head(source: impl BufRead + Seek) -> Option<Head> {
    let mut decoder = Decoder::new(source);
    let info = decoder.read_header_info().ok()?;
    let (width, height) = info.size();
    let pixels = u64::from(width) * u64::from(height);
    // Rows as they are in the file: this one, the one before, and room for the next.
    let rows = 4 * info.raw_row_length() as u64;
    Some(Head { width, height, decoded_bytes: pixels.saturating_mul(4).saturating_add(rows) })
}

/// Reads a JPEG up to the head of its frame.
fn jpeg_head(source: &mut (impl BufRead + Seek)) -> io::Result<Option<Head>> {
    source.seek(SeekFrom::Start(2))?;
    loop {
        let mut segment = [0; 4];
        source.read_exact(&mut segment)?;
        let [0xFF, marker, high, low] = segment else {
            return Ok(None);
        };
        if marker == 0xFF {
            // Padding.
            source.seek_relative(-3)?;
            continue;
        }
        let is_frame = matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC);
        if !is_frame {
            source.seek_relative(i64::from(u16::from_be_bytes([high, low])) - 2)?;
            continue;
        }
        let mut frame = [0; 6];
        source.read_exact(&mut frame)?;
        let [_precision, height_high, height_low, width_high, width_low, components] = frame;
        let (width, height) =
            (u16::from_be_bytes([width_high, width_low]), u16::from_be_bytes([height_high, height_low]));
        let (mut all, mut largest) = (0, (1, 1));
        for _ in 0..components {
            let mut component = [0; 3];
            source.read_exact(&mut component)?;
            let [_id, sampling, _table] = component;
            let (across, down) = (u64::from(sampling >> 4), u64::from(sampling & 15));
            all += across * down;
            largest = (largest.0.max(across), largest.1.max(down));
        }
        // Whole blocks.
        let pixels = u64::from(width.next_multiple_of(16)) * u64::from(height.next_multiple_of(16));
        // One that comes in several passes is held as coefficients of two bytes until the last.
        let passes =
            if matches!(marker, 0xC0 | 0xC1) { 0 } else { 2 * pixels * all / (largest.0 * largest.1) };
        let (width, height) = (u32::from(width), u32::from(height));
        let decoded_bytes = pixels * u64::from(components.min(3)) + passes;
        return Ok((width > 0 && height > 0).then_some(Head { width, height, decoded_bytes }));
    }
}

fn dimensions(source: impl BufRead + Seek, kind: Kind) -> Option<(u32, u32)> {
    reader(source, kind).into_dimensions().ok()
}

fn reader<R: BufRead + Seek>(source: R, kind: Kind) -> ImageReader<R> {
    let mut reader = ImageReader::with_format(source, kind.format());
    let mut limits = Limits::default();
    limits.max_alloc = Some(IMAGE_DECODED_BYTES);
    reader.limits(limits);
    reader
}

/// Decodes an image whose head was read; `None` where it is damaged.
pub(super) fn decode(source: impl BufRead + Seek, kind: Kind) -> Option<DynamicImage> {
    match kind {
        Kind::Png => decode_png(source),
        Kind::Jpeg | Kind::Gif | Kind::Webp => reader(source, kind).decode().ok(),
    }
}

/// Decodes a PNG to eight bits a channel. Profiles and texts in it, which are compressed too, are passed over.
fn decode_png(source: impl BufRead + Seek) -> Option<DynamicImage> {
    let bytes = usize::try_from(IMAGE_DECODED_BYTES).ok()?;
    let mut decoder = Decoder::new_with_limits(source, png::Limits { bytes });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = reader.info().size();
    let mut pixels = vec![0; reader.output_buffer_size()?];
    reader.next_frame(&mut pixels).ok()?;
    match reader.output_color_type().0 {
        ColorType::Grayscale => GrayImage::from_raw(width, height, pixels).map(Into::into),
        ColorType::GrayscaleAlpha => GrayAlphaImage::from_raw(width, height, pixels).map(Into::into),
        ColorType::Rgb => RgbImage::from_raw(width, height, pixels).map(Into::into),
        ColorType::Rgba => RgbaImage::from_raw(width, height, pixels).map(Into::into),
        ColorType::Indexed => None, // expanded to one of those before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::ImageFormat;
    use std::io::Cursor;

    #[test]
    fn heads_are_those_of_the_decoders() {
        let image = DynamicImage::from(RgbaImage::new(37, 21));
        for (kind, format, bytes_per_pixel) in [
            (Kind::Png, ImageFormat::Png, 4),
            (Kind::Jpeg, ImageFormat::Jpeg, 3),
            (Kind::Gif, ImageFormat::Gif, 8),
            (Kind::Webp, ImageFormat::WebP, 7),
        ] {
            let mut file = Cursor::new(Vec::new());
            if kind == Kind::Jpeg { image.to_rgb8().into() } else { image.clone() }
                .write_to(&mut file, format)
                .unwrap();
            let head = Head::read(Cursor::new(file.get_ref()), kind).unwrap();
            assert_eq!((head.width, head.height), (37, 21), "{kind:?}");
            let pixels = if kind == Kind::Jpeg { 48 * 32 } else { 37 * 21 };
            let rows = if kind == Kind::Png { 4 * (37 * 4 + 1) } else { 0 };
            assert_eq!(head.decoded_bytes, pixels * bytes_per_pixel + rows, "{kind:?}");
            let decoded = decode(Cursor::new(file.get_ref()), kind).unwrap();
            assert_eq!((decoded.width(), decoded.height()), (37, 21), "{kind:?}");
        }
    }

    #[test]
    fn progressive_jpeg_counts_its_coefficients() {
        // A comment, padding, and the head of a frame of 4000 by 3000 with colours of every second pixel.
        let start = b"\xFF\xD8\xFF\xFE\0\x04hi\xFF\xFF\xC2\0\x11\x08\x0B\xB8\x0F\xA0\x03";
        let file = [&start[..], b"\x01\x22\0\x02\x11\x01\x03\x11\x01"].concat();
        let head = jpeg_head(&mut Cursor::new(&file)).unwrap().unwrap();
        assert_eq!((head.width, head.height), (4000, 3000));
        assert_eq!(head.decoded_bytes, 4000 * 3008 * (3 + 3));
        for cut in 2..file.len() {
            assert!(jpeg_head(&mut Cursor::new(&file[..cut])).is_err(), "{cut}");
        }
    }
}
