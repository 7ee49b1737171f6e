//! Entry point of libFuzzer for `cutline_fuzz::globs`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cutline_fuzz::globs::run(bytes));
