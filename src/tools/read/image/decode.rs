//! Decodes an image within limits on its pixels and on the memory of the decoder.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use memchr::memmem;

use crate::limits::{IMAGE_DECODED_BYTES, PNG_METADATA_BYTES};

/// The JPEG marker for the start of a scan.
const START_OF_SCAN: [u8; 2] = [0xFF, 0xDA];
/// The JPEG marker for the end of an image.
const END_OF_IMAGE: [u8; 2] = [0xFF, 0xD9];
/// Maximum number of scans in one JPEG. The decoder may need as much time for each as for a complete image.
const MAX_SCANS: usize = 100;

/// Returns a decoder that has read the header of `content`. Returns `None` if the header is damaged.
pub(super) fn decoder(content: &[u8], format: ImageFormat) -> Option<impl ImageDecoder> {
    let mut limits = Limits::default();
    // The PNG decoder applies this limit to rows and unpacked colour profiles, but not to the pixels.
    let is_png = format == ImageFormat::Png;
    limits.max_alloc = Some(if is_png { PNG_METADATA_BYTES } else { IMAGE_DECODED_BYTES });
    let mut reader = ImageReader::with_format(Cursor::new(content), format);
    reader.limits(limits);
    reader.into_decoder().ok()
}

/// Decodes an image. Returns it with the rotation that makes it upright, or `None` if it is damaged.
pub(super) fn decode(content: &[u8], format: ImageFormat) -> Option<(DynamicImage, Orientation)> {
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

    fn encoded(side: u32) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(side, side).write_to(&mut file, ImageFormat::Jpeg).unwrap();
        file.into_inner()
    }

    fn is_decoded(jpeg: &[u8]) -> bool {
        decode(jpeg, ImageFormat::Jpeg).is_some()
    }

    #[test]
    fn truncated_jpeg_is_damaged() {
        let whole = encoded(100);
        assert!(is_decoded(&whole) && is_decoded(&[&whole[..], b"behind"].concat()));
        for cut in [whole.len() / 2, whole.len() - 2] {
            assert!(!is_decoded(&whole[..cut]), "{cut}");
        }
    }

    #[test]
    fn jpeg_of_too_many_scans_is_not_decoded() {
        let plain = encoded(64);
        let scan = memmem::find(&plain, &START_OF_SCAN).unwrap();
        let end = plain.len() - 2;
        let scans =
            |number: usize| [&plain[..scan], &plain[scan..end].repeat(number), &plain[end..]].concat();
        assert!(is_decoded(&scans(MAX_SCANS)));
        assert!(!is_decoded(&scans(MAX_SCANS + 1)));
    }
}
