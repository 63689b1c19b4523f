//! The bytes choose a program from the instruction table, and then changes to its text.
#![no_main]

use ptx_gen::{Choices, Contents, Home, Script, TARGETS, mutate, program};
use ptx_isa::PtxVersion;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut script = Script::new(data);
    let sm = TARGETS[script.below(TARGETS.len())];
    let home = Home { version: PtxVersion::NEWEST, sm };
    let size = 1 + script.below(48);
    let mut text = program(&mut script, home, size, Contents::Drawn).into_bytes();
    ptx_fuzz::print_and_read_back(&text);
    for _ in 0..script.below(8) {
        mutate(&mut script, &mut text);
    }
    ptx_fuzz::print_and_read_back(&text);
    ptx_fuzz::verify(&text);
});
