//! Decoding of an image within bounds on its pixels and on the decoder's memory.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use memchr::memmem;

use crate::limits::{IMAGE_DECODED_BYTES, PNG_METADATA_BYTES};

/// JPEG's marker of the head of a scan.
const START_OF_SCAN: [u8; 2] = [0xFF, 0xDA];
/// JPEG's marker of the end of an image.
const END_OF_IMAGE: [u8; 2] = [0xFF, 0xD9];
/// Scans of one JPEG: the decoder may take as long for each as for the full image.
const MAX_SCANS: usize = 100;

/// Returns a decoder that has read the head of `content`. Returns `None` if the head is damaged.
pub(super) fn decoder(content: &[u8], format: ImageFormat) -> Option<impl ImageDecoder> {
    let mut limits = Limits::default();
    // PNG's decoder applies this to its rows and to unpacked colour profiles, not to the pixels.
    let is_png = format == ImageFormat::Png;
    limits.max_alloc = Some(if is_png { PNG_METADATA_BYTES } else { IMAGE_DECODED_BYTES });
    let mut reader = ImageReader::with_format(Cursor::new(content), format);
    reader.limits(limits);
    reader.into_decoder().ok()
}

/// Decodes an image, and returns it with the turn that shows it upright. Returns `None` if it is damaged.
pub(super) fn decode(content: &[u8], format: ImageFormat) -> Option<(DynamicImage, Orientation)> {
    let mut decoder = decoder(content, format)?;
    let orientation = match format {
        ImageFormat::Jpeg if !is_complete(content) => return None,
        // WebP's decoder allocates as many bytes as the file declares for this.
        ImageFormat::WebP => Orientation::NoTransforms,
        _ => decoder.orientation().unwrap_or(Orientation::NoTransforms),
    };
    Some((DynamicImage::from_decoder(decoder).ok()?, orientation))
}

/// True if a JPEG is not cut off and has a usual number of scans. The decoder itself fills up missing pixels with gray.
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
