//! Entry point of libFuzzer for `cutline_fuzz::terminal`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cutline_fuzz::terminal::run(bytes));
