//! Decodes images within limits on their pixels and on memory, and encodes them within the client's limits.
//!
//! Every image is decoded before it is returned, because some model providers end a session if an image is damaged.
//! Limits on the bytes of the file and on the pixels bound memory. [`Load::Image`](crate::tools::Load) allows
//! only one image at a time.

use std::fs::File;
use std::io::{self, Cursor};
use std::panic::resume_unwind;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{
    DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage, Rgba, RgbaImage, imageops,
};
use memchr::memmem;
use tokio_util::sync::CancellationToken;

use crate::fs::lines::first_bytes;
use crate::limits::{
    IMAGE_DECODED_BYTES, IMAGE_FILE_BYTES, IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE, PNG_METADATA_BYTES,
};
use crate::tools::{Context, Image, Output};
use cutline_core::details::Details;
use cutline_core::notice::{Notice, ResultText};
use cutline_core::text::{Size, as_index, show};

/// JPEG qualities (of 100) in the order in which they are tried before an image is scaled down. With the first, the
/// loss is not visible; with the last, text is still readable.
const JPEG_QUALITIES: [u8; 3] = [85, 70, 50];
/// Minimum side in pixels of an image that is scaled down.
const MIN_SIDE: u32 = 64;
/// The JPEG marker for the start of a scan.
const START_OF_SCAN: [u8; 2] = [0xFF, 0xDA];
/// The JPEG marker for the end of an image.
const END_OF_IMAGE: [u8; 2] = [0xFF, 0xD9];
/// Maximum number of scans in one JPEG. The decoder may need as much time for each as for a complete image.
const MAX_SCANS: usize = 100;

/// Returns the format that the first bytes of a file indicate, if clients can show it.
pub(super) fn format_of(start: &[u8]) -> Option<ImageFormat> {
    let shown = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP];
    image::guess_format(start).ok().filter(|format| shown.contains(format))
}

/// Runs `work` on a new thread: the allocator keeps up to 64 MB of freed memory for each thread that allocated it, and
/// reuses it after the thread has ended. On pool threads, eight images of 12 megapixels took 291 MB.
pub(super) fn on_new_thread<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("image".to_owned()).spawn_scoped(scope, work)?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Returns the result for the image in `file`, which has `bytes` bytes and the shown path `path`.
pub(super) fn read(
    cx: &Context,
    file: &File,
    path: &str,
    bytes: u64,
    format: ImageFormat,
) -> io::Result<Output> {
    let content = first_bytes(file, as_index(bytes.min(IMAGE_FILE_BYTES)))?;
    let dimensions = decoder(&content, format).map(|decoder| decoder.dimensions());
    let shown = shown(cx, content, bytes, format, dimensions);
    let mime_type = format.to_mime_type();
    let size = dimensions.map_or_else(String::new, |(width, height)| format!("{width}x{height}, "));
    let body = format!("Read image: {} ({mime_type}, {size}{})", show::path(path), Size(bytes));
    let (image, notice) = match shown {
        Ok((bytes, format, notice)) => {
            let image = Image { base64: STANDARD.encode(bytes), mime_type: format.to_mime_type() };
            (Some(image), notice)
        }
        Err(notice) => (None, Some(notice)),
    };
    let details = Details {
        mime_type: Some(mime_type),
        width: dimensions.map(|(width, _)| width),
        height: dimensions.map(|(_, height)| height),
        ..Details::default()
    };
    let result = ResultText { body, notices: Vec::from_iter(notice), ..ResultText::default() };
    Ok(Output { image, ..Output::new(cx, result, details) })
}

/// The bytes of the shown image, its format, and the notice if it differs from the file.
type ShownImage = (Vec<u8>, ImageFormat, Option<Notice>);

/// Returns the image to show, or the notice why there is none. `bytes` is the size of the file. `dimensions` are the
/// width and height of the image, or `None` if its header is damaged.
fn shown(
    cx: &Context,
    content: Vec<u8>,
    bytes: u64,
    format: ImageFormat,
    dimensions: Option<(u32, u32)>,
) -> Result<ShownImage, Notice> {
    let max_bytes = cx.limits.images.ok_or(Notice::ImagesOff)?;
    let (width, height) = dimensions.ok_or(Notice::ImageDamaged)?;
    if u64::from(width) * u64::from(height) > IMAGE_MAX_PIXELS {
        return Err(Notice::ImageTooLarge(format!("{} megapixels", IMAGE_MAX_PIXELS / 1_000_000)));
    }
    if bytes > IMAGE_FILE_BYTES {
        return Err(Notice::ImageTooLarge(Size(IMAGE_FILE_BYTES).to_string()));
    }
    let decoded = decode(&content, format).ok_or(Notice::ImageDamaged)?;
    if width.max(height) <= IMAGE_MAX_SIDE && bytes <= max_bytes {
        return Ok((content, format, None));
    }
    fitted(decoded, format, max_bytes, (width, height, bytes), &cx.cancel).ok_or(Notice::ImageDamaged)
}

/// Rotates an image upright, and encodes it within `max_bytes` and `IMAGE_MAX_SIDE`, if possible. `from` has the width,
/// the height and the bytes of the original.
fn fitted(
    (mut image, mut orientation): (DynamicImage, Orientation),
    format: ImageFormat,
    max_bytes: u64,
    mut from: (u32, u32, u64),
    cancel: &CancellationToken,
) -> Option<ShownImage> {
    let longest = image.width().max(image.height());
    let mut side = longest.min(IMAGE_MAX_SIDE);
    while !cancel.is_cancelled() {
        if side < image.width().max(image.height()) {
            image = image.thumbnail(side, side);
        }
        image = with_eight_bits(image);
        // A re-encoded image does not contain its orientation.
        let lying = (image.width(), image.height());
        image.apply_orientation(std::mem::replace(&mut orientation, Orientation::NoTransforms));
        if lying != (image.width(), image.height()) {
            from = (from.1, from.0, from.2);
        }
        if let Some((bytes, shown)) = encoded(&image, format, max_bytes) {
            let name = if shown == ImageFormat::Png { "PNG" } else { "JPEG" };
            let notice = if side == longest {
                Notice::ImageEncoded { from, format: name, bytes: bytes.len() as u64 }
            } else {
                let to = (image.width(), image.height());
                Notice::ImageScaled { from, to, format: (shown != format).then_some(name) }
            };
            return Some((bytes, shown, Some(notice)));
        }
        if side <= MIN_SIDE {
            break;
        }
        side = side / 4 * 3;
    }
    None
}

/// Converts the image to 8 bits per channel: models do not see more, and 16 bits need twice the bytes.
fn with_eight_bits(image: DynamicImage) -> DynamicImage {
    match (image.color().has_alpha(), image.color().bytes_per_pixel() > image.color().channel_count()) {
        (_, false) => image,
        (true, true) => image.to_rgba8().into(),
        (false, true) => image.to_rgb8().into(),
    }
}

/// Encodes an image within `max_bytes`. Uses PNG, which preserves edges and transparency, unless the image is a
/// photograph. Uses JPEG if PNG has too many bytes. Returns `None` if neither fits.
fn encoded(image: &DynamicImage, format: ImageFormat, max_bytes: u64) -> Option<(Vec<u8>, ImageFormat)> {
    let fits = |bytes: &Vec<u8>| bytes.len() as u64 <= max_bytes;
    if format != ImageFormat::Jpeg {
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

/// Removes transparency, which JPEG does not support: draws the image on a white background.
fn on_white(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let image = image.to_rgba8();
    let mut page = RgbaImage::from_pixel(image.width(), image.height(), Rgba([u8::MAX; 4]));
    imageops::overlay(&mut page, &image, 0, 0);
    DynamicImage::from(page).to_rgb8()
}

/// Returns a decoder that has read the header of `content`. Returns `None` if the header is damaged.
fn decoder(content: &[u8], format: ImageFormat) -> Option<impl ImageDecoder> {
    let mut limits = Limits::default();
    // The PNG decoder applies this limit to rows and unpacked colour profiles, but not to the pixels.
    let is_png = format == ImageFormat::Png;
    limits.max_alloc = Some(if is_png { PNG_METADATA_BYTES } else { IMAGE_DECODED_BYTES });
    let mut reader = ImageReader::with_format(Cursor::new(content), format);
    reader.limits(limits);
    reader.into_decoder().ok()
}

/// Decodes an image. Returns it with the rotation that makes it upright, or `None` if it is damaged.
fn decode(content: &[u8], format: ImageFormat) -> Option<(DynamicImage, Orientation)> {
    let mut decoder = decoder(content, format)?;
    let orientation = match format {
        ImageFormat::Jpeg if !is_complete(content) => return None,
        // The WebP decoder allocates as many bytes as the file declares for this.
        ImageFormat::WebP => Orientation::NoTransforms,
        _ => decoder.orientation().unwrap_or(Orientation::NoTransforms),
    };
    Some((DynamicImage::from_decoder(decoder).ok()?, orientation))
}

/// Returns true if a JPEG is not truncated and has at most [`MAX_SCANS`] scans. The decoder itself fills missing pixels
/// with gray.
fn is_complete(jpeg: &[u8]) -> bool {
    let last_scan = memmem::rfind(jpeg, &START_OF_SCAN);
    let is_whole = last_scan.is_some() && memmem::rfind(jpeg, &END_OF_IMAGE) > last_scan;
    is_whole && memmem::find_iter(jpeg, &START_OF_SCAN).nth(MAX_SCANS).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::png::PngEncoder;
    use image::{ExtendedColorType, ImageEncoder, Rgb};

    /// EXIF data with only the orientation 6: the left side of the image must be shown at the top.
    const HELD_UPRIGHT: &[u8] = b"II\x2A\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";

    fn write_held_upright(mut encoder: impl ImageEncoder, image: &RgbImage) {
        encoder.set_exif_metadata(HELD_UPRIGHT.to_vec()).unwrap();
        encoder.write_image(image, image.width(), image.height(), ExtendedColorType::Rgb8).unwrap();
    }

    #[test]
    fn image_that_is_encoded_anew_is_upright() {
        let (red, white) = (Rgb([u8::MAX, 0, 0]), Rgb([u8::MAX; 3]));
        let image = RgbImage::from_fn(2400, 1200, |x, _| if x < 1200 { red } else { white });
        let (mut jpeg, mut png) = (Vec::new(), Vec::new());
        write_held_upright(JpegEncoder::new(&mut jpeg), &image);
        write_held_upright(PngEncoder::new(&mut png), &image);
        let (cancel, from) = (CancellationToken::new(), (2400, 1200, 0));
        for (file, format) in [(jpeg, ImageFormat::Jpeg), (png, ImageFormat::Png)] {
            let decoded = decode(&file, format).unwrap();
            let (shown, format, notice) = fitted(decoded, format, 150_000, from, &cancel).unwrap();
            let notice = notice.unwrap();
            assert!(matches!(notice, Notice::ImageScaled { to: (784, 1568), .. }), "{format:?} {notice:?}");
            let shown = image::load_from_memory_with_format(&shown, format).unwrap().to_rgb8();
            let [top, bottom] = [0, 1567].map(|y| *shown.get_pixel(0, y));
            assert!(top.0[1] < 20 && bottom.0[1] > 235, "{format:?} {top:?} {bottom:?}");
        }
    }
    fn square(side: u32) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(side, side).write_to(&mut file, ImageFormat::Jpeg).unwrap();
        file.into_inner()
    }

    fn is_decoded(jpeg: &[u8]) -> bool {
        decode(jpeg, ImageFormat::Jpeg).is_some()
    }

    #[test]
    fn truncated_jpeg_is_damaged() {
        let whole = square(100);
        assert!(is_decoded(&whole) && is_decoded(&[&whole[..], b"behind"].concat()));
        for cut in [whole.len() / 2, whole.len() - 2] {
            assert!(!is_decoded(&whole[..cut]), "{cut}");
        }
    }

    #[test]
    fn jpeg_of_too_many_scans_is_not_decoded() {
        let plain = square(64);
        let scan = memmem::find(&plain, &START_OF_SCAN).unwrap();
        let end = plain.len() - 2;
        let scans =
            |number: usize| [&plain[..scan], &plain[scan..end].repeat(number), &plain[end..]].concat();
        assert!(is_decoded(&scans(MAX_SCANS)));
        assert!(!is_decoded(&scans(MAX_SCANS + 1)));
    }
}
