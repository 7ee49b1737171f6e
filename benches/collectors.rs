//! How fast text passes the core: counting, decoding, resolving, collecting.
//!
//! `cargo bench --bench collectors`. Each line is one pass over the same 200 MB of text in pieces of
//! 128 KB; the truncation of an answer of 30KB is the last line.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a program that is only run by hand")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use cutline::limits::Bounds;
use cutline::text::Counter;
use cutline::text::decode::{Decoder, Encoding};
use cutline::text::terminal::Terminal;
use cutline::truncate::{Collector, Ends, Head, HeadTail, Keep, Tail};

const PIECE: usize = 128 * 1024;
const PIECES: usize = 1600;
const BOUNDS: Bounds = Bounds { lines: 2000, bytes: 30_000 };

fn main() {
    let line = "000000042 a line of a log, of the usual length, with nothing special in it\n";
    let text: String = line.chars().cycle().take(PIECE).collect();
    report("count", || {
        let mut counter = Counter::default();
        pieces(&text, |piece| counter.push(piece.as_bytes()));
        black_box(counter.extent());
    });
    report("decode", || {
        let mut decoder = Decoder::new(Encoding::Utf8);
        let mut passed = 0;
        pieces(&text, |piece| decoder.push(piece.as_bytes(), &mut |part| passed += part.len()));
        black_box(passed);
    });
    report("as a terminal shows it", || {
        let mut terminal = Terminal::new(30_000);
        let mut passed = 0;
        pieces(&text, |piece| terminal.push(piece, &mut |part| passed += part.len()));
        black_box(passed);
    });
    report("head", || collect(Head::new(BOUNDS), &text));
    report("tail", || collect(Tail::new(BOUNDS), &text));
    report("head and tail", || collect(HeadTail::new(200, 800, BOUNDS.bytes), &text));
    let answer: String = line.chars().cycle().take(40_000).collect();
    let one = (0..1000).map(|_| timed(|| collect_one(&answer))).min().unwrap_or_default();
    println!("{:<24} {one:>10.2?}", "one answer of 30KB");
}

fn pieces(text: &str, mut take: impl FnMut(&str)) {
    for _ in 0..PIECES {
        take(black_box(text));
    }
}

fn collect(mut collector: impl Collector, text: &str) {
    pieces(text, |piece| collector.push(piece));
    black_box(collector.finish());
}

fn collect_one(answer: &str) {
    let mut tail = Ends::new(Keep::Tail(BOUNDS.lines), BOUNDS.bytes);
    tail.push(answer);
    black_box(tail.finish());
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn report(name: &str, mut work: impl FnMut()) {
    let mut times: Vec<Duration> = (0..5).map(|_| timed(&mut work)).collect();
    times.sort_unstable();
    let median = times.get(2).copied().unwrap_or_default();
    #[allow(clippy::cast_precision_loss, reason = "a rate, to be read")]
    let rate = (PIECE * PIECES) as f64 / median.as_secs_f64() / 1e9;
    println!("{name:<24} {median:>10.2?} {rate:>6.1} GB/s");
}
