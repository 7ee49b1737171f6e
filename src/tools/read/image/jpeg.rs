//! JPEG: the segments before its first scan, what decoding it holds, and its pixels.
//!
//! The decoder has no limit on memory, and looks for segments also where none begins. So it is handed those alone that it
//! needs, one after the other: its frame is the one that was counted, and profiles and notes are not held beside the pixels.

#![expect(clippy::indexing_slicing, reason = "the lengths are looked at first")]

use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};

use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, RgbImage};
use tokio_util::sync::CancellationToken;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::cancellable::Cancellable;
use super::decode::Head;

/// The first bytes of every file.
const START_OF_IMAGE: [u8; 2] = [0xFF, 0xD8];
/// The last bytes of every file, but for what other programs put behind them.
const END_OF_IMAGE: [u8; 2] = [0xFF, 0xD9];
/// The byte before each marker, which may stand there several times.
const MARKER: u8 = 0xFF;
/// The head of a scan.
const SCAN: u8 = 0xDA;
/// A segment that says how colours are meant, or that all tables are the usual ones: its marker, and its first bytes.
const APPLICATIONS: [(u8, &[u8]); 2] = [(0xEE, b"Adobe"), (0xE0, b"AVI1\0")];
/// The segment that says how the picture was held, and its first bytes.
const EXIF: (u8, &[u8]) = (0xE1, b"Exif\0\0");
/// Scans of one file: its decoder takes no more of an image in passes either, and each may take as long as a whole image.
const MAX_SCANS: usize = 100;

/// A file up to the pixels of its first scan.
#[derive(Debug)]
pub(super) struct Start {
    /// Its size, and the bytes that its decoder holds.
    pub(super) head: Head,
    /// The segments that the decoder needs.
    segments: Vec<u8>,
    /// The turn by which it is shown upright.
    orientation: Orientation,
}

impl Start {
    /// Reads that of `source`; `None` where it is none.
    pub(super) fn read(source: &mut (impl BufRead + Seek)) -> io::Result<Option<Self>> {
        source.seek(SeekFrom::Start(START_OF_IMAGE.len() as u64))?;
        let mut segments = START_OF_IMAGE.to_vec();
        let (mut frame, mut orientation): (Option<(u8, Vec<u8>)>, _) = (None, Orientation::NoTransforms);
        loop {
            let [MARKER, mut marker] = next(source)? else { return Ok(None) };
            while marker == MARKER {
                [marker] = next(source)?;
            }
            let length: [u8; 2] = next(source)?;
            let Some(bytes) = u16::from_be_bytes(length).checked_sub(2) else { return Ok(None) };
            let is_frame = matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC);
            let is_table = matches!(marker, 0xC4 | 0xDB | 0xDD);
            let application = APPLICATIONS.iter().find(|(other, _)| *other == marker);
            if !(is_frame || is_table || marker == SCAN || marker == EXIF.0 || application.is_some()) {
                source.seek_relative(bytes.into())?;
                continue;
            }
            let mut content = vec![0; bytes.into()];
            source.read_exact(&mut content)?;
            if marker == EXIF.0 {
                let said = content.strip_prefix(EXIF.1).and_then(Orientation::from_exif_chunk);
                orientation = said.unwrap_or(orientation);
                continue;
            }
            if application.is_some_and(|(_, start)| !content.starts_with(start)) {
                continue;
            }
            segments.extend([MARKER, marker].into_iter().chain(length).chain(content.iter().copied()));
            if marker == SCAN {
                let (Some((marker, frame)), Some(scanned)) = (frame, content.first()) else {
                    return Ok(None);
                };
                let head = head_of(marker, &frame, *scanned);
                return Ok(head.map(|head| Self { head, segments, orientation }));
            }
            if is_frame && frame.replace((marker, content)).is_some() {
                return Ok(None);
            }
        }
    }
}

fn next<const N: usize>(source: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Returns the head of the image whose one frame has that marker and content, and whose first scan has so many of its
/// components; `None` where the frame is none.
fn head_of(frame_marker: u8, frame: &[u8], scanned: u8) -> Option<Head> {
    let (&[_precision, h0, h1, w0, w1, components], rest) = frame.split_first_chunk()?;
    let (height, width) = (u16::from_be_bytes([h0, h1]), u16::from_be_bytes([w0, w1]));
    if width == 0 || height == 0 || rest.len() != 3 * usize::from(components) {
        return None;
    }
    // Samples in a block of pixels: of all components, and across and down of those that have most.
    let (mut samples, mut across, mut down) = (0, 1, 1);
    for component in rest.chunks_exact(3) {
        let (own_across, own_down) = (u64::from(component[1] >> 4), u64::from(component[1] & 15));
        (across, down) = (across.max(own_across), down.max(own_down));
        samples += own_across * own_down;
    }
    let pixels = u64::from(width) * u64::from(height);
    let colours = if components == 1 { 1 } else { 3 };
    // What comes in passes, or one colour after the other, is held as coefficients of two bytes until the last. An
    // allocator may keep as much as the largest colour of an earlier image.
    let is_held = !matches!(frame_marker, 0xC0 | 0xC1) || scanned != components;
    let blocks = u64::from(width).div_ceil(8 * across) * u64::from(height).div_ceil(8 * down);
    let coefficients = if is_held { blocks * 64 * (samples + across * down) } else { 0 };
    let decoded_bytes = pixels * colours + 2 * coefficients;
    Some(Head { width: width.into(), height: height.into(), decoded_bytes })
}

/// Decodes a file, and says the turn by which it is shown upright; `None` where it is damaged.
pub(super) fn decode(
    mut source: impl BufRead + Seek,
    cancel: &CancellationToken,
) -> Option<(DynamicImage, Orientation)> {
    let Start { head, segments: mut bytes, orientation } = Start::read(&mut source).ok()??;
    let first_scan = bytes.len();
    source.read_to_end(&mut bytes).ok()?;
    let has_end = memchr::memmem::find(&bytes[first_scan..], &END_OF_IMAGE).is_some();
    if memchr::memmem::find_iter(&bytes, &[MARKER, SCAN]).nth(MAX_SCANS).is_some() {
        return None;
    }
    let any_size = DecoderOptions::default().set_max_width(usize::MAX).set_max_height(usize::MAX);
    // Else the decoder fills up with gray what is missing of a file that was cut off.
    let options = any_size.set_strict_mode(!has_end);
    let mut decoder =
        JpegDecoder::new_with_options(Cancellable::buffered(Cursor::new(bytes), cancel), options);
    decoder.decode_headers().ok()?;
    let is_gray = decoder.input_colorspace()? == ColorSpace::Luma;
    let colours = if is_gray { ColorSpace::Luma } else { ColorSpace::RGB };
    decoder.set_options(options.jpeg_set_out_colorspace(colours));
    let mut pixels = vec![0; decoder.output_buffer_size()?];
    decoder.decode_into(&mut pixels).ok()?;
    let image = if is_gray {
        GrayImage::from_raw(head.width, head.height, pixels)?.into()
    } else {
        RgbImage::from_raw(head.width, head.height, pixels)?.into()
    };
    Some((image, orientation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::ImageFormat;

    /// The head of a frame of 4000 by 3000 with colours of every second pixel.
    const FRAME: &[u8] = b"\0\x11\x08\x0B\xB8\x0F\xA0\x03\x01\x22\0\x02\x11\x01\x03\x11\x01";

    fn file(parts: &[&[u8]]) -> Vec<u8> {
        [&[&START_OF_IMAGE[..]], parts].concat().concat()
    }

    fn encoded(side: u32) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(side, side).write_to(&mut file, ImageFormat::Jpeg).unwrap();
        file.into_inner()
    }

    fn decoded(file: &[u8]) -> Option<DynamicImage> {
        Some(decode(Cursor::new(file), &CancellationToken::new())?.0)
    }

    #[test]
    fn file_that_was_cut_off_is_damaged() {
        let whole = encoded(100);
        assert!(decoded(&whole).is_some() && decoded(&[&whole[..], b"behind"].concat()).is_some());
        for cut in [whole.len() / 2, whole.len() - 10] {
            assert!(decoded(&whole[..cut]).is_none(), "{cut}");
        }
        assert!(decoded(&whole[..whole.len() - 2]).is_some(), "only its end is missing");
    }

    #[test]
    fn coefficients_count_where_the_decoder_holds_them() {
        // The frame's marker, the head of the first scan, and the samples in a block of 16 by 16 that count, of 8 by 8.
        let cases: [(u8, &[u8], u64); 3] = [
            (0xC0, b"\0\x0C\x03\x01\0\x02\0\x03\0\0\x3F\0", 0),
            (0xC2, b"\0\x0C\x03\x01\0\x02\0\x03\0\0\0\0", 6 + 4),
            (0xC0, b"\0\x08\x01\x01\0\0\x3F\0", 6 + 4),
        ];
        for (marker, scan, samples) in cases {
            // After a comment and padding.
            let parts = [b"\xFF\xFE\0\x04hi\xFF\xFF", &[marker][..], FRAME, b"\xFF\xDA", scan];
            let file = file(&parts);
            let start = Start::read(&mut Cursor::new(&file)).unwrap().unwrap();
            assert_eq!((start.head.width, start.head.height), (4000, 3000));
            assert_eq!(start.head.decoded_bytes, 4000 * 3000 * 3 + 250 * 188 * 64 * samples * 2);
            assert_eq!(start.segments.len(), file.len() - 7);
            for cut in 2..file.len() {
                assert!(Start::read(&mut Cursor::new(&file[..cut])).is_err(), "{cut}");
            }
        }
    }

    #[test]
    fn frame_hidden_in_a_comment_is_not_decoded() {
        let plain = encoded(8);
        // A segment that is one byte shorter than the decoder takes it for, so that it would look into the comment.
        let frame = [&[0xFF, 0xC2], FRAME].concat();
        let trick = file(&[b"\xFF\xE0\0\x06abcd\xFF\xFE\0\x15", &frame, &plain[2..]]);
        let image = decoded(&trick).unwrap();
        assert_eq!((image.width(), image.height()), (8, 8));
        let two = file(&[&frame, &plain[2..]]);
        assert!(decoded(&two).is_none());
    }

    #[test]
    fn file_of_too_many_scans_is_not_decoded() {
        let plain = encoded(64);
        let scan = memchr::memmem::find(&plain, &[MARKER, SCAN]).unwrap();
        let end = plain.len() - 2;
        let scans =
            |number: usize| [&plain[..scan], &plain[scan..end].repeat(number), &plain[end..]].concat();
        assert!(decoded(&scans(MAX_SCANS)).is_some());
        assert!(decoded(&scans(MAX_SCANS + 1)).is_none());
    }

    /// A file whose call is taken back when all of it was read.
    struct CancelsAtEnd<'a>(Cursor<Vec<u8>>, &'a CancellationToken);

    impl Read for CancelsAtEnd<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.0.read(buffer)?;
            if read == 0 {
                self.1.cancel();
            }
            Ok(read)
        }
    }

    impl BufRead for CancelsAtEnd<'_> {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            self.0.fill_buf()
        }

        fn consume(&mut self, amount: usize) {
            self.0.consume(amount);
        }
    }

    impl Seek for CancelsAtEnd<'_> {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    #[test]
    fn decoding_stops_once_its_call_is_taken_back() {
        let cancel = CancellationToken::new();
        let source = CancelsAtEnd(Cursor::new(encoded(100)), &cancel);
        assert!(decode(source, &cancel).is_none());
        assert!(cancel.is_cancelled());
    }
}
