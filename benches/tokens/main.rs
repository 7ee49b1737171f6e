//! Compares the estimate of tokens with a real tokenizer by kind of text: error and speed.
//!
//! `cargo bench --bench tokens` prints bytes per token of `o200k_base` and the error of the estimate.

#![allow(clippy::print_stdout, reason = "a program that is only run by hand")]

mod samples;

use std::hint::black_box;
use std::time::Instant;

use cutline_core::text::tokens::estimate;

/// Repetitions of the estimate to measure its speed.
const ROUNDS: u32 = 200;

#[allow(clippy::cast_precision_loss, reason = "a few digits are printed")]
fn main() {
    let real = tiktoken_rs::o200k_base_singleton();
    println!("| text | bytes of a token | estimate | characters / 4 | MB/s |");
    println!("| --- | --- | --- | --- | --- |");
    let off = |estimated: f64, tokens: f64| (estimated / tokens - 1.0) * 100.0;
    for (name, text) in samples::samples() {
        let tokens = real.encode_ordinary(&text).len() as f64;
        let (guess, quarter) = (estimate(&text) as f64, text.chars().count() as f64 / 4.0);
        let began = Instant::now();
        for _ in 0..ROUNDS {
            black_box(estimate(black_box(&text)));
        }
        let speed = text.len() as f64 * f64::from(ROUNDS) / began.elapsed().as_secs_f64() / 1e6;
        let density = text.len() as f64 / tokens;
        let (mine, naive) = (off(guess, tokens), off(quarter, tokens));
        println!("| {name} | {density:.1} | {mine:+.0} % | {naive:+.0} % | {speed:.0} |");
    }
}
