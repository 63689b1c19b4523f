//! Machine code: what optimizing and raising must not cost, counted in the instructions that ptxas makes of the PTX.

use std::path::Path;

use ptx_diag::SourceFile;
use ptx_driver::{Atomics, TargetChoice};
use ptx_isa::Sm;
use ptx_llvm_core::Context;
use test_suite::directive::Level;
use test_suite::oracle::{Oracles, nvidia_folder};
use test_suite::stage;

use crate::skipped::skip;

mod atomics;
mod chosen;
mod classes;
mod constants;
mod pairs;
mod rounds;

/// ptxas and nvdisasm, if both are there.
fn oracles() -> Option<Oracles> {
    let oracles = Oracles::find(&nvidia_folder(), Path::new(""));
    let found = oracles.ptxas.is_some() && oracles.nvdisasm.is_some();
    if !found {
        skip("no ptxas or nvdisasm");
    }
    found.then_some(oracles)
}

/// PTX of LLVM IR for an architecture, as ll2ptx makes it.
fn raised(text: &str, level: Level, sm: u16, atomics: Atomics) -> String {
    let context = Context::new().expect("LLVM 22");
    let mut llvm = stage::read_llvm(&context, "m", text).expect("valid text");
    ptx_driver::settle_atomics(&mut llvm, atomics);
    stage::optimize(&mut llvm, level).expect("the passes run");
    let choice = TargetChoice { version: None, sm: Some(Sm::new(sm)) };
    let (module, _) = ptx_driver::raise(&mut llvm, choice).expect("PTX");
    ptx_ir::print(&module)
}

/// PTX after a round trip through LLVM IR.
fn round_trip(text: &str, level: Level) -> String {
    let source = SourceFile::new("m.ptx", text);
    let module = stage::read_and_verify(&source).expect("valid PTX");
    let context = Context::new().expect("LLVM 22");
    let mut llvm = stage::lower(&module, &source, &context, level).expect("LLVM IR");
    stage::raise(&mut llvm).expect("PTX")
}

/// The instructions of a module in machine code, without those that only fill the last line.
fn instructions(oracles: &Oracles, ptx: &str) -> Vec<String> {
    let cubin = oracles.assemble(ptx).unwrap_or_else(|error| panic!("{error:#}\n{ptx}"));
    let listing = oracles.disassemble(&cubin).expect("a listing");
    let lines = listing.lines().filter_map(|line| line.trim().strip_prefix("/*")?.split_once("*/"));
    let lines = lines.filter(|(address, _)| address.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let texts = lines.map(|(_, text)| text.split_whitespace().collect::<Vec<_>>().join(" "));
    texts.filter(|text| !text.starts_with("NOP")).collect()
}

/// How many have one of the opcodes: words that an instruction begins with, after its guard.
fn count(instructions: &[String], opcodes: &[&str]) -> usize {
    let opcode = |text: &String| {
        text.split_whitespace().find(|word| !word.starts_with('@')).map(str::to_owned).unwrap_or_default()
    };
    let found = instructions.iter().map(opcode);
    found.filter(|own| opcodes.iter().any(|start| own.starts_with(start))).count()
}
