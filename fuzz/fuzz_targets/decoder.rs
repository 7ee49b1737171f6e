//! Entry point of libFuzzer for `cutline_fuzz::decoder`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cutline_fuzz::decoder::run(bytes));
