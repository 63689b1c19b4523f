//! Prints the words of PTX as a dictionary for libFuzzer.
#![allow(clippy::print_stdout)] // what it is for

use ptx_isa::{Mod, Opcode, ScalarType, StateSpace};

fn main() {
    const DIRECTIVES: &[&str] = &[
        ".version 9.5",
        ".target sm_100a",
        ".address_size 64",
        ".entry",
        ".func",
        ".visible",
        ".extern",
        ".weak",
        ".common",
        ".alias",
        ".reg",
        ".param",
        ".align",
        ".branchtargets",
        ".calltargets",
        ".callprototype",
        ".pragma",
        ".loc",
        ".file",
        ".section",
        ".maxntid",
        ".reqntid",
        ".minnctapersm",
        ".maxnreg",
        ".noreturn",
        ".attribute(.managed)",
        ".explicitcluster",
        ".maxclusterrank",
        ".blocksareclusters",
        ".ptr",
        ".texref",
        ".samplerref",
        ".surfref",
        "generic(",
        "WARP_SZ",
        "0f3F800000",
        "0d3FF0000000000000",
        "%tid.x",
        "_",
        "@!",
        "inlined_at",
        "function_name",
        "//",
        "/*",
        "*/",
        "<",
        ">",
        "::",
    ];
    let opcodes = Opcode::ALL.iter().map(|opcode| opcode.as_str().to_owned());
    let modifiers = Mod::ALL.iter().map(|modifier| format!(".{}", modifier.as_str()));
    let types = ScalarType::ALL.iter().map(|ty| format!(".{}", ty.as_str()));
    let spaces = StateSpace::ALL.iter().map(|space| format!(".{}", space.as_str()));
    let directives = DIRECTIVES.iter().map(|&word| word.to_owned());
    for word in opcodes.chain(modifiers).chain(types).chain(spaces).chain(directives) {
        println!("\"{word}\"");
    }
}
