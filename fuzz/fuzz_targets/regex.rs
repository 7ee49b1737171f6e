//! Entry point of libFuzzer for `cutline_fuzz::regex`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cutline_fuzz::regex::run(bytes));
