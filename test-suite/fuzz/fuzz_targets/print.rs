//! What verifies prints, and reads back as the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptx_fuzz::print_and_read_back(data));
