//! Compares the estimate of tokens with a real tokenizer.

use cutline_core::text::tokens::estimate;

#[path = "../../benches/tokens/samples.rs"]
mod samples;

/// Maximum relative error of an estimate for any kind of text, and for three quarters of the kinds.
const MOST_OFF: f64 = 0.15;
const USUALLY_OFF: f64 = 0.10;

#[test]
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn estimate_is_near_a_real_tokenizer() {
    let real = tiktoken_rs::o200k_base_singleton();
    let off = |text: &str| estimate(text) as f64 / real.encode_ordinary(text).len() as f64 - 1.0;
    let off: Vec<(&str, f64)> = samples::samples().iter().map(|(name, text)| (*name, off(text))).collect();
    let within = |share: f64| off.iter().filter(|(_, off)| off.abs() <= share).count();
    assert!(off.len() >= 12 && within(MOST_OFF) == off.len(), "{off:.2?}");
    assert!(within(USUALLY_OFF) * 4 >= off.len() * 3, "{off:.2?}");
}
