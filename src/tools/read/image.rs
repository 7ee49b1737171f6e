//! An image, handed on as the client can show it.
//!
//! Every image is decoded before it is handed on: one that is damaged ends a model's session where
//! its provider refuses it. What decoding holds is bounded by what the image's head says; few are decoded at a
//! time, by the permits of [`Load::Image`](crate::tools::catalog::Load).

mod cancellable;
mod decode;
mod jpeg;

use std::fs::File;
use std::io::{self, Cursor, Read as _, Seek as _};
use std::panic::resume_unwind;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageFormat, RgbImage, Rgba, RgbaImage, imageops};
use tokio_util::sync::CancellationToken;

use crate::limits::{IMAGE_DECODED_BYTES, IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE, Images};
use crate::tools::{Context, Image, Output};
use cancellable::Cancellable;
use cutline_core::details::Details;
use cutline_core::notice::{Answer, ImageShown, Notice};
use cutline_core::text::{Size, show};
use decode::{Head, decode};

/// JPEG's qualities, of 100, in the order in which they are tried before an image is made smaller: the
/// first is not seen, with the last one letters are still read.
const JPEG_QUALITIES: [u8; 3] = [85, 70, 50];
/// The fewest pixels a side to which an image is made smaller.
const MIN_SIDE: u32 = 64;

/// Returns the format that a file's first bytes say, if it is one of those that clients show.
pub(super) fn format_of(start: &[u8]) -> Option<ImageFormat> {
    let shown = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP];
    image::guess_format(start).ok().filter(|format| shown.contains(format))
}

/// The answer for the image in `file`, which has `bytes` bytes and is shown as `path`.
pub(super) fn read(
    cx: &Context,
    file: &File,
    path: &str,
    bytes: u64,
    format: ImageFormat,
) -> io::Result<Output> {
    let cancel = &cx.cancel;
    let source = || {
        let mut file = file;
        file.rewind().map(|()| file)
    };
    let head = Head::read(Cancellable::buffered(source()?, cancel), format);
    let shown = match (head, cx.limits.images) {
        (_, Images::Off) => Err(Notice::ImagesOff),
        (None, _) => Err(Notice::ImageDamaged),
        (Some(head), Images::UpTo(max_bytes)) => match megapixels_at_most(head, format, bytes) {
            Some(megapixels) => Err(Notice::ImageTooLarge { megapixels }),
            None if head.width.max(head.height) <= IMAGE_MAX_SIDE && bytes <= max_bytes => {
                let mut content = Vec::new();
                source()?.take(bytes).read_to_end(&mut content)?;
                let image = decode(Cursor::new(&content), format, cancel);
                image.map(|_| (content, format, None)).ok_or(Notice::ImageDamaged)
            }
            None => {
                let (source, from) = (source()?, (head.width, head.height, bytes));
                on_thread_of_its_own(|| {
                    fitted(decode(source, format, cancel)?, format, max_bytes, from, cancel)
                })?
                .ok_or(Notice::ImageDamaged)
            }
        },
    };
    let mime_type = format.to_mime_type();
    let size = head.map_or_else(String::new, |head| format!("{}x{}, ", head.width, head.height));
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
        width: head.map(|head| head.width),
        height: head.map(|head| head.height),
        ..Details::default()
    };
    let answer = Answer { body, notices: notice.into_iter().collect(), ..Answer::default() };
    Ok(Output { image, ..Output::new(answer, details) })
}

/// Does `work`, which takes much memory, on a thread that is made for it. An allocator may keep what a thread gave
/// back for the next one like it; the threads for blocking work would each keep as much.
fn on_thread_of_its_own<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("image".to_owned()).spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// The most megapixels that are decoded of an image of its format, where it has more.
fn megapixels_at_most(head: Head, format: ImageFormat, file_bytes: u64) -> Option<u64> {
    let pixels = u64::from(head.width) * u64::from(head.height);
    let besides = match format {
        // Its decoder may hold the notes between its scans once more.
        ImageFormat::Jpeg => file_bytes.saturating_mul(2),
        ImageFormat::WebP => file_bytes,
        _ => 0,
    };
    let room = IMAGE_DECODED_BYTES.saturating_sub(besides);
    let bytes_per_pixel = head.decoded_bytes.div_ceil(pixels.max(1)).max(1);
    let is_over = pixels > IMAGE_MAX_PIXELS || head.decoded_bytes > room;
    is_over.then(|| IMAGE_MAX_PIXELS.min(room / bytes_per_pixel) / 1_000_000)
}

/// The bytes of an image that is shown, their format, and the notice if they are not those of its file.
type Shown = (Vec<u8>, ImageFormat, Option<Notice>);

/// Returns an image upright, encoded within `max_bytes` and `IMAGE_MAX_SIDE`, if that can be; `from` is its size on disk.
fn fitted(
    (mut image, mut orientation): (DynamicImage, Orientation),
    format: ImageFormat,
    max_bytes: u64,
    mut from: (u32, u32, u64),
    cancel: &CancellationToken,
) -> Option<Shown> {
    let longest = image.width().max(image.height());
    let mut side = longest.min(IMAGE_MAX_SIDE);
    while !cancel.is_cancelled() {
        if side < image.width().max(image.height()) {
            // The larger one is not held beside it.
            image = image.thumbnail(side, side);
        }
        // What is encoded anew has no note of how it is to be turned.
        let lying = (image.width(), image.height());
        image.apply_orientation(std::mem::replace(&mut orientation, Orientation::NoTransforms));
        if lying != (image.width(), image.height()) {
            from = (from.1, from.0, from.2);
        }
        if let Some((bytes, shown)) = encoded(&image, format, max_bytes) {
            let name = if shown == ImageFormat::Png { "PNG" } else { "JPEG" };
            let to = if side == longest {
                ImageShown::Encoded(name, bytes.len() as u64)
            } else {
                let to = (image.width(), image.height());
                ImageShown::Scaled(to, (shown != format).then_some(name))
            };
            return Some((bytes, shown, Some(Notice::ImageChanged { from, to })));
        }
        if side <= MIN_SIDE {
            break;
        }
        side = side / 4 * 3;
    }
    None
}

/// Encodes an image within `max_bytes`: as PNG, which keeps its edges and its transparency, but for a
/// photograph; as JPEG where that has too many bytes. `None` where neither fits.
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

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::png::PngEncoder;
    use image::{ExtendedColorType, ImageEncoder, Rgb};
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
            assert_eq!(decode(&file, ImageFormat::Png, &cancel).is_none(), cancelled);
            assert_eq!(file.stream_position().unwrap() == 0, cancelled);
        }
    }

    /// An EXIF note of its orientation alone, 6: held so that its left side is to be shown at the top.
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
            let decoded = decode(Cursor::new(&file), format, &cancel).unwrap();
            let (shown, format, notice) = fitted(decoded, format, 150_000, from, &cancel).unwrap();
            let notice = notice.unwrap();
            assert!(
                matches!(notice, Notice::ImageChanged { to: ImageShown::Scaled((784, 1568), _), .. }),
                "{format:?} {notice:?}"
            );
            let shown = image::load_from_memory_with_format(&shown, format).unwrap().to_rgb8();
            let [top, bottom] = [0, 1567].map(|y| *shown.get_pixel(0, y));
            assert!(top.0[1] < 20 && bottom.0[1] > 235, "{format:?} {top:?} {bottom:?}");
        }
    }

    #[test]
    fn images_past_the_bound_are_told_how_many_pixels_are_decoded() {
        let head = |side: u32, bytes: u64| Head {
            width: side,
            height: side,
            decoded_bytes: u64::from(side).pow(2) * bytes,
        };
        for (head, format, file_bytes, expected) in [
            (head(4000, 4), ImageFormat::Png, 1 << 40, None),
            (head(4001, 1), ImageFormat::Png, 0, Some(16)),
            (head(4000, 8), ImageFormat::Gif, 0, Some(12)),
            (head(3000, 11), ImageFormat::WebP, 900_000, None),
            (head(3000, 11), ImageFormat::WebP, 1_100_000, Some(8)),
            (head(10, 3), ImageFormat::Jpeg, 100_000_000, Some(0)),
        ] {
            assert_eq!(megapixels_at_most(head, format, file_bytes), expected, "{head:?}");
        }
    }
}
