//! Images are decoded one at a time and in bounded memory. Other calls return while images wait.

use std::fs::{self, File};
use std::io::BufWriter;

use png::{BitDepth, ColorType, Encoder};
use serde_json::json;

use super::memory_peak_kb;
use crate::support::{Client, Start, Workspace};

/// Writes a PNG of black pixels with a colour profile of `profile_bytes` bytes.
fn write_png(workspace: &Workspace, name: &str, side: u32, depth: BitDepth, profile_bytes: usize) {
    let mut info = png::Info::with_size(side, side);
    (info.color_type, info.bit_depth) = (ColorType::Rgba, depth);
    info.icc_profile = (profile_bytes > 0).then(|| vec![0; profile_bytes].into());
    let file = BufWriter::new(File::create(workspace.path(name)).unwrap());
    let mut writer = Encoder::with_info(file, info).unwrap().write_header().unwrap();
    let pixel_bytes = if depth == BitDepth::Sixteen { 8 } else { 4 };
    writer.write_image_data(&vec![0; side as usize * side as usize * pixel_bytes]).unwrap();
}

/// Kinds of JPEG for which the decoder buffers the image twice.
#[derive(Clone, Copy)]
enum Passes {
    /// Progressive: the DC coefficients of all blocks, then the AC coefficients of each component.
    Progressive,
    /// Sequential, with one scan for each component.
    Components,
}

/// Writes a JPEG of gray pixels. `sampling` has the sampling factors of the luminance (`0x22` halves the chrominance).
fn write_jpeg(workspace: &Workspace, name: &str, (width, height): (u16, u16), sampling: u8, passes: Passes) {
    let mut file = vec![0xFF, 0xD8];
    let segment = |file: &mut Vec<u8>, marker: u8, content: &[u8]| {
        let length = u16::try_from(content.len() + 2).unwrap().to_be_bytes();
        file.extend([&[0xFF, marker], &length[..], content].concat());
    };
    segment(&mut file, 0xDB, &[&[0][..], &[1; 64]].concat());
    let ([h0, h1], [w0, w1]) = (height.to_be_bytes(), width.to_be_bytes());
    let frame = if matches!(passes, Passes::Progressive) { 0xC2 } else { 0xC0 };
    segment(&mut file, frame, &[8, h0, h1, w0, w1, 3, 1, sampling, 0, 2, 0x11, 0, 3, 0x11, 0]);
    // Huffman tables. DC: the code `0` is no difference. AC: the code `0` ends a run of at least 2^14 blocks, `10` ends one
    // block.
    segment(&mut file, 0xC4, &[&[0x00, 1][..], &[0; 15], &[0]].concat());
    segment(&mut file, 0xC4, &[&[0x10, 1, 1][..], &[0; 14], &[0xE0, 0x00]].concat());
    let (across, down) = (usize::from(sampling >> 4), usize::from(sampling & 15));
    let units = usize::from(width).div_ceil(8 * across) * usize::from(height).div_ceil(8 * down);
    // A scan with one component has no blocks outside the image.
    let blocks = |(h, v): (usize, usize)| {
        (usize::from(width) * h).div_ceil(8 * across) * (usize::from(height) * v).div_ceil(8 * down)
    };
    let components = [(1, (across, down)), (2, (1, 1)), (3, (1, 1))];
    match passes {
        Passes::Progressive => {
            segment(&mut file, 0xDA, &[3, 1, 0, 2, 0, 3, 0, 0, 0, 0]);
            file.extend(bits("0".repeat(units * (across * down + 2))));
            for (component, samples) in components {
                segment(&mut file, 0xDA, &[1, component, 0, 1, 63, 0]);
                let (runs, rest) = (blocks(samples) >> 14, blocks(samples) & 0x3FFF);
                file.extend(bits("000000000000000".repeat(runs) + &"10".repeat(rest)));
            }
        }
        Passes::Components => {
            for (component, samples) in components {
                segment(&mut file, 0xDA, &[1, component, 0, 0, 63, 0]);
                file.extend(bits("010".repeat(blocks(samples))));
            }
        }
    }
    file.extend([0xFF, 0xD9]);
    fs::write(workspace.path(name), file).unwrap();
}

/// Packs a string of bits into the bytes of a scan.
fn bits(text: String) -> Vec<u8> {
    let padded = text.into_bytes();
    let byte = |bits: &[u8]| {
        let ones = bits.iter().chain(std::iter::repeat(&b'1')).take(8);
        ones.fold(0, |byte, bit| byte << 1 | u8::from(*bit == b'1'))
    };
    padded
        .chunks(8)
        .map(byte)
        .flat_map(|byte| if byte == 0xFF { vec![0xFF, 0] } else { vec![byte] })
        .collect()
}

#[test]
fn text_is_read_while_images_wait() {
    let workspace = Workspace::with(&json!({"text": {"lines": [1, 60_000], "text": "line {n}"}}));
    write_png(&workspace, "image.png", 1200, BitDepth::Eight, 0);
    let mut client = Start::new(&workspace).flags(["--workers", "1"]).client();
    let images: Vec<u64> =
        (0..12).map(|_| client.send_call("read", json!({"path": "image.png"}), None)).collect();
    let text = client.send_call("read", json!({"path": "text", "limit": 1}), None);
    client.response(text);
    let returned = images.iter().filter(|id| client.has_response(**id)).count();
    assert!(returned < 6, "{returned} images were returned before the text");
    for id in images {
        assert_eq!(client.response(id)["result"]["content"][1]["mimeType"], "image/png");
    }
}

#[test]
fn cancelled_image_reads_release_the_permit() {
    let workspace = Workspace::new();
    write_png(&workspace, "large.png", 3000, BitDepth::Eight, 0);
    write_png(&workspace, "small.png", 10, BitDepth::Eight, 0);
    let mut client = Client::new(&workspace);
    let large: Vec<u64> =
        (0..40).map(|_| client.send_call("read", json!({"path": "large.png"}), None)).collect();
    for id in large {
        client.cancel(id);
    }
    client.call("read", json!({"path": "small.png"})).assert_contains("(image/png, 10x10");
}

/// Reads an image in eight concurrent calls. Returns the growth of the peak memory in kilobytes.
fn memory_growth_kb(client: &mut Client, image: &str, text: &str) -> u64 {
    let before = memory_peak_kb(client);
    let calls: Vec<u64> = (0..8).map(|_| client.send_call("read", json!({"path": image}), None)).collect();
    for id in calls {
        let response = client.response(id);
        let response = response["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(response.contains(text), "{response}");
    }
    memory_peak_kb(client) - before
}

#[test]
fn images_use_bounded_memory() {
    let workspace = Workspace::new();
    // One image has a colour profile that is large after decompression. The other one has 16 bits in each channel.
    write_png(&workspace, "profile.png", 10, BitDepth::Eight, 30_000_000);
    write_png(&workspace, "deep.png", 3464, BitDepth::Sixteen, 0);
    for (image, text, most_kb) in
        [("profile.png", "(image/png, 10x10", 100_000), ("deep.png", "scaled down to 1568x1568", 190_000)]
    {
        let used = memory_growth_kb(&mut Client::new(&workspace), image, text);
        assert!(used < most_kb, "{image}: {used} KB");
    }
}

/// JPEGs for which the decoder buffers the coefficients in addition to the pixels.
#[test]
fn progressive_jpegs_use_bounded_memory() {
    let workspace = Workspace::new();
    let forms = [
        ("half.jpg", 0x22, Passes::Progressive),
        ("full.jpg", 0x11, Passes::Progressive),
        ("colours.jpg", 0x11, Passes::Components),
    ];
    for (name, sampling, passes) in forms {
        write_jpeg(&workspace, name, (3464, 3464), sampling, passes);
        let used = memory_growth_kb(&mut Client::new(&workspace), name, "scaled down to 1568x1568");
        assert!(used < 190_000, "{name}: {used} KB");
    }
}
