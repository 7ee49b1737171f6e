//! Entry point of libFuzzer for `cutline_fuzz::collectors`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cutline_fuzz::collectors::run(bytes));
