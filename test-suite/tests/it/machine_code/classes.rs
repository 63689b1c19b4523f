//! `llvm.is.fpclass` of every set of classes: executed on numbers of every class, and its length in machine code beside LLVM's.

use std::fmt::Write;
use std::num::NonZeroUsize;

use ptx_diag::SourceFile;
use ptx_driver::Atomics;
use ptx_exec::{Argument, Launch};
use test_suite::directive::Level;
use test_suite::oracle::{Oracles, llvm_folder, nvidia_folder};
use test_suite::stage;

use super::{instructions, raised};
use crate::skipped::skip;

/// Sets of ten classes.
const SETS: usize = 1024;

/// A floating-point format.
struct Format {
    name: &'static str,
    suffix: &'static str,
    bits: u32,
    mantissa: u32,
    /// The architecture for which it is compiled.
    sm: u16,
}

const FORMATS: [Format; 6] = [
    Format { name: "float", suffix: "f32", bits: 32, mantissa: 23, sm: 80 },
    Format { name: "double", suffix: "f64", bits: 64, mantissa: 52, sm: 80 },
    Format { name: "half", suffix: "f16", bits: 16, mantissa: 10, sm: 80 },
    Format { name: "bfloat", suffix: "bf16", bits: 16, mantissa: 7, sm: 80 },
    Format { name: "bfloat", suffix: "bf16", bits: 16, mantissa: 7, sm: 90 },
    Format { name: "fp128", suffix: "f128", bits: 128, mantissa: 112, sm: 80 },
];

impl Format {
    /// The first and the last number of each class, with both signs, and one in between.
    fn numbers(&self) -> Vec<u128> {
        let one: u128 = 1;
        let magnitudes = (one << (self.bits - 1)) - 1;
        let infinity = magnitudes & !((one << self.mantissa) - 1);
        let quiet = infinity | one << (self.mantissa - 1);
        let ends = [(0, 0), (1, (one << self.mantissa) - 1), (one << self.mantissa, infinity - 1)];
        let others = [(infinity, infinity), (infinity + 1, quiet - 1), (quiet, magnitudes)];
        let all = ends.into_iter().chain(others);
        let magnitudes = all.flat_map(|(first, last)| [first, first + (last - first) / 2, last]);
        magnitudes.flat_map(|magnitude| [magnitude, magnitude | one << (self.bits - 1)]).collect()
    }

    /// LLVM's number of the class, written from its language reference.
    fn class(&self, number: u128) -> u32 {
        let mantissa = number & ((1 << self.mantissa) - 1);
        let exponents = (1u128 << (self.bits - 1 - self.mantissa)) - 1;
        let exponent = number >> self.mantissa & exponents;
        let is_negative = number >> (self.bits - 1) == 1;
        let by_sign = |negative, positive| if is_negative { negative } else { positive };
        match (exponent, mantissa) {
            (0, 0) => by_sign(5, 6),
            (0, _) => by_sign(4, 7),
            (all, 0) if all == exponents => by_sign(2, 9),
            (all, _) if all == exponents => u32::from(mantissa >> (self.mantissa - 1) == 1),
            _ => by_sign(3, 8),
        }
    }

    /// A kernel with the calls for some sets: one byte for each.
    fn kernel(&self, name: &str, sets: std::ops::Range<usize>) -> String {
        let (ty, suffix) = (self.name, self.suffix);
        let mut text = format!(
            "define ptx_kernel void @{name}(ptr addrspace(1) %from, ptr addrspace(1) %to) {{
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr {ty}, ptr addrspace(1) %from, i32 %thread
  %x = load {ty}, ptr addrspace(1) %place
  %row = mul i32 %thread, {SETS}
"
        );
        for set in sets {
            let _ = write!(
                text,
                "  %c{set} = call i1 @llvm.is.fpclass.{suffix}({ty} %x, i32 {set})
  %z{set} = zext i1 %c{set} to i8
  %i{set} = add i32 %row, {set}
  %p{set} = getelementptr i8, ptr addrspace(1) %to, i32 %i{set}
  store i8 %z{set}, ptr addrspace(1) %p{set}
"
            );
        }
        text + "  ret void\n}\n"
    }

    fn module(&self, kernels: &str) -> String {
        let (ty, suffix) = (self.name, self.suffix);
        format!(
            "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
declare i1 @llvm.is.fpclass.{suffix}({ty}, i32 immarg)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
{kernels}"
        )
    }
}

fn executed(ptx: &str, numbers: &[u8], count: usize) -> Vec<u8> {
    let source = SourceFile::new("raised.ptx", ptx);
    let module = stage::read(&source).expect("raised PTX is read");
    let verified = stage::verify(&module, &source).expect("raised PTX is valid");
    let mut launch = Launch::new("k");
    launch.block = [count as u32, 1, 1];
    launch.threads = Some(NonZeroUsize::MIN);
    launch.arguments = vec![Argument::Buffer(numbers.to_vec()), Argument::Buffer(vec![0; count * SETS])];
    let outcome = ptx_exec::run(verified, &launch).expect("it ends");
    outcome.buffers.into_iter().nth(1).flatten().expect("the results")
}

#[test]
fn classes_are_told_apart_whatever_becomes_of_subnormal_numbers() {
    for format in &FORMATS {
        let numbers = format.numbers();
        let bytes = (format.bits / 8) as usize;
        let memory: Vec<u8> =
            numbers.iter().flat_map(|number| number.to_le_bytes()[..bytes].to_vec()).collect();
        let text = format.module(&format.kernel("k", 0..SETS));
        let flushed = text.replace(") {\n", ") \"denormal-fp-math\"=\"preserve-sign\" {\n");
        for (text, level) in [(&text, Level::O0), (&text, Level::O2), (&flushed, Level::O0)] {
            // InstCombine makes comparisons of some, which PTX does not have for this format.
            if format.bits == 128 && level != Level::O0 {
                continue;
            }
            let ptx = raised(text, level, format.sm, Atomics::Llvm);
            assert!(!ptx.contains(".ftz"), "{ptx}");
            let results = executed(&ptx, &memory, numbers.len());
            for (number, results) in numbers.iter().zip(results.chunks(SETS)) {
                let class = format.class(*number);
                for (set, &result) in results.iter().enumerate() {
                    let wanted = u8::from(set >> class & 1 == 1);
                    assert_eq!(
                        result,
                        wanted,
                        "{} {number:#x} in {set:#b} ({})",
                        format.name,
                        level.as_str()
                    );
                }
            }
        }
    }
}

/// LLVM's backend is the anchor: for a few sets it has an instruction less, for most several more.
#[test]
fn classes_take_fewer_instructions_than_in_llvm() {
    let oracles = Oracles::find(&nvidia_folder(), &llvm_folder());
    if oracles.ptxas.is_none() || oracles.nvdisasm.is_none() || oracles.llc.is_none() {
        return skip("no ptxas, nvdisasm or llc");
    }
    for format in &FORMATS[..3] {
        let kernels = (0..SETS).step_by(7).map(|set| format.kernel(&format!("k{set}"), set..set + 1));
        let text = format.module(&kernels.collect::<String>());
        let attributes = format!(") \"target-cpu\"=\"sm_{}\" \"target-features\"=\"+ptx80\" {{\n", format.sm);
        let text = text.replace(") {\n", &attributes);
        let own = instructions(&oracles, &raised(&text, Level::O0, format.sm, Atomics::Llvm)).len();
        let of_llvm = instructions(&oracles, &oracles.compile(&text).expect("PTX of LLVM")).len();
        assert!(10 * own < 9 * of_llvm, "{}: {own} instructions, {of_llvm} in LLVM", format.name);
    }
}

#[test]
fn the_comparisons_that_a_class_came_from_are_kept() {
    let text = FORMATS[0].module(&FORMATS[0].kernel("k", 384..385));
    let ptx = raised(&text, Level::O2, 80, Atomics::Llvm);
    assert_eq!(ptx.matches("setp.").count(), 2, "{ptx}");
    assert!(ptx.matches(".f32").count() >= 2 && !ptx.contains("2139095040"), "{ptx}");
}
