//! Entry point of libFuzzer for `cutline_fuzz::arguments`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cutline_fuzz::arguments::run(bytes));
