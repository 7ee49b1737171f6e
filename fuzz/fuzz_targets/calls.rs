//! Entry point of libFuzzer for `cutline_fuzz::calls`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cutline_fuzz::calls::run(bytes));
