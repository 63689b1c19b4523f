//! A few random modules that LLVM's programs link; `cargo xtask link-fuzz` goes on for longer.

use test_suite::linked::{Program, Tools, Way, judge};
use test_suite::oracle::{Oracles, llvm_folder, nvidia_folder};

use crate::skipped::skip;

#[test]
fn linked_modules_keep_their_lines() {
    let Some(tools) = Tools::find() else { return skip("LLVM's programs are not installed") };
    let oracles = Oracles::find(&nvidia_folder(), &llvm_folder());
    for seed in 0..testing::count("random linked modules", 60, 4) {
        let program = Program::new(seed);
        for way in Way::ALL {
            judge(&program, way, &tools, &oracles)
                .unwrap_or_else(|error| panic!("seed {seed}, {way:?}: {error:#}\n{}", program.text()));
        }
    }
}
