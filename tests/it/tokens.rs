//! Compares the estimate of tokens with a real tokenizer.

use cutline_core::text::tokens::estimate;

#[path = "../../benches/tokens/samples.rs"]
mod samples;

/// Maximum relative error of the estimate for any kind of text.
const MAX_ERROR: f64 = 0.15;
/// Maximum relative error of the estimate for three quarters of the kinds of text.
const USUAL_ERROR: f64 = 0.10;

#[test]
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn estimate_is_near_a_real_tokenizer() {
    let real = tiktoken_rs::o200k_base_singleton();
    let error = |text: &str| estimate(text) as f64 / real.encode_ordinary(text).len() as f64 - 1.0;
    let errors: Vec<(&str, f64)> =
        samples::samples().iter().map(|(name, text)| (*name, error(text))).collect();
    let within = |bound: f64| errors.iter().filter(|(_, error)| error.abs() <= bound).count();
    assert!(errors.len() >= 12 && within(MAX_ERROR) == errors.len(), "{errors:.2?}");
    assert!(within(USUAL_ERROR) * 4 >= errors.len() * 3, "{errors:.2?}");
}
