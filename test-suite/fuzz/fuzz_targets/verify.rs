//! Whatever was read verifies or gives findings.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptx_fuzz::verify(data));
