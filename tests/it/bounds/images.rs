//! Images: few are decoded at a time, in bounded memory, and whatever else is asked is answered meanwhile.

use std::fs::File;
use std::io::BufWriter;

use png::{BitDepth, ColorType, Encoder};
use serde_json::json;

use super::memory_peak_kb;
use crate::support::{Client, Start, Workspace};

/// Writes a PNG of black pixels, with a colour profile of so many bytes.
fn write_png(workspace: &Workspace, name: &str, side: u32, depth: BitDepth, profile_bytes: usize) {
    let mut info = png::Info::with_size(side, side);
    (info.color_type, info.bit_depth) = (ColorType::Rgba, depth);
    info.icc_profile = (profile_bytes > 0).then(|| vec![0; profile_bytes].into());
    let file = BufWriter::new(File::create(workspace.path(name)).unwrap());
    let mut writer = Encoder::with_info(file, info).unwrap().write_header().unwrap();
    let pixel_bytes = if depth == BitDepth::Sixteen { 8 } else { 4 };
    writer.write_image_data(&vec![0; side as usize * side as usize * pixel_bytes]).unwrap();
}

#[test]
fn reads_are_answered_while_images_wait() {
    let workspace = Workspace::with(&json!({"text": {"lines": [1, 60_000], "text": "line {n}"}}));
    write_png(&workspace, "image.png", 1200, BitDepth::Eight, 0);
    let mut client = Start::new(&workspace).flags(["--workers", "1"]).client();
    let images: Vec<u64> =
        (0..12).map(|_| client.send_call("read", json!({"path": "image.png"}), None)).collect();
    let text = client.send_call("read", json!({"path": "text", "limit": 1}), None);
    client.answer(text);
    let answered = images.iter().filter(|id| client.has_answer(**id)).count();
    assert!(answered < 6, "{answered} images were answered before the text");
    for id in images {
        assert_eq!(client.answer(id)["result"]["content"][1]["mimeType"], "image/png");
    }
}

#[test]
fn images_of_cancelled_calls_leave_the_permit_to_others() {
    let workspace = Workspace::new();
    write_png(&workspace, "large.png", 3000, BitDepth::Eight, 0);
    write_png(&workspace, "small.png", 10, BitDepth::Eight, 0);
    let mut client = Client::new(&workspace);
    let large: Vec<u64> =
        (0..40).map(|_| client.send_call("read", json!({"path": "large.png"}), None)).collect();
    for id in large {
        client.cancel(id);
    }
    client.call("read", json!({"path": "small.png"})).assert_holds("(image/png, 10x10");
}

#[test]
fn images_take_bounded_memory() {
    let workspace = Workspace::new();
    // A profile that is large once it is unpacked; sixteen bits a channel.
    write_png(&workspace, "profile.png", 10, BitDepth::Eight, 30_000_000);
    write_png(&workspace, "deep.png", 2400, BitDepth::Sixteen, 0);
    let mut client = Client::new(&workspace);
    let before = memory_peak_kb(&client);
    for (image, text, most_kb) in
        [("profile.png", "(image/png, 10x10", 6_000), ("deep.png", "scaled down to 1568x1568", 52_000)]
    {
        let calls: Vec<u64> =
            (0..8).map(|_| client.send_call("read", json!({"path": image}), None)).collect();
        for id in calls {
            let answer = client.answer(id);
            let answer = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
            assert!(answer.contains(text), "{answer}");
        }
        let taken = memory_peak_kb(&client) - before;
        assert!(taken < most_kb, "{image}: {taken} KB");
    }
}
