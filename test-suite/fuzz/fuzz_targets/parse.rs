//! Any bytes read to a module and findings.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    ptx_fuzz::read(data);
});
