//! Entry point of libFuzzer for `cutline_fuzz::images`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cutline_fuzz::images::run(bytes));
