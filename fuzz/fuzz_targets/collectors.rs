//! Any text in any pieces: no collector keeps more than its bounds, or miscounts.
#![no_main]

use cutline::limits::Bounds;
use cutline::truncate::{Collector, Ends, Head, Keep, Truncation};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, u8, Vec<String>)| {
    let (lines, bytes, mode, pieces) = input;
    let (lines, bytes) = (u64::from(lines) + 1, u64::from(bytes) + 1);
    let keep = match mode % 3 {
        0 => Keep::Head(lines),
        1 => Keep::Tail(lines),
        _ => Keep::Both { head: lines, tail: u64::from(mode) + 1 },
    };
    check(collected(Ends::new(keep, bytes), &pieces), &pieces, bytes);
    check(collected(Head::new(Bounds { lines, bytes }), &pieces), &pieces, bytes);
});

fn collected(mut collector: impl Collector, pieces: &[String]) -> Truncation {
    pieces.iter().for_each(|piece| collector.push(piece));
    collector.finish()
}

fn check(kept: Truncation, pieces: &[String], max_bytes: u64) {
    let whole = pieces.concat();
    assert_eq!(kept.total.bytes, whole.len() as u64);
    assert!(kept.output.bytes <= max_bytes);
    if kept.cut.is_none() {
        assert_eq!(kept.content, whole);
    }
}
