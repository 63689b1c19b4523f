//! Results: every operation executed on small values, against LLVM's language reference.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use half::{bf16, f16};
use libtest_mimic::Failed;
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Launch};
use test_suite::stage;

use crate::matrix::{FLOATS, INTEGERS, ON_FLOATS, ON_INTEGERS, raise};

/// Where the memory of an operation is, how its kernel gets at it, and what the trial is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    Global,
    Generic,
    Shared,
    Local,
}

/// The kinds of memory that are tried.
pub const MEMORIES: &[(Memory, &str)] = &[
    (Memory::Global, "global"),
    (Memory::Generic, "generic"),
    (Memory::Shared, "shared"),
    (Memory::Local, "local"),
];

/// Values in memory and operands that integers are tried with, cut to the width.
const NUMBERS: &[(u128, u128)] = &[
    (5, 3),
    (3, 5),
    (7, 7),
    (0, 9),
    (u128::MAX, 1),
    (0x8000_8000_8000_8000_8000_8000_8000_8080, 0x7fff_7fff_7fff_7fff_7fff_7fff_7fff_7f7f),
    (1, u128::MAX - 1),
    (0x0123_4567_89ab_cdef_fedc_ba98_7654_3210, 0xffff_0000_ffff_0000_1234_5678_9abc_deff),
];

/// Values in memory and operands that floating-point numbers are tried with. All results are exact.
const REALS: &[(f64, f64)] = &[
    (1.5, 2.25),
    (-3.0, 0.5),
    (f64::NAN, 1.0),
    (2.0, f64::NAN),
    (f64::INFINITY, -4.0),
    (-0.0, 8.0),
    (100.0, -100.5),
    (-1.0, -2.0),
];

/// A module with a kernel `OP_NUMBER` for each type: every thread works on its own element.
fn module(memory: Memory, sm: u16) -> (String, Vec<Kernel>) {
    let mut text = String::from("target triple = \"nvptx64-nvidia-cuda\"\n");
    let mut kernels = Vec::new();
    for &(ty, bytes) in INTEGERS.iter().chain(FLOATS) {
        if bytes == 16 && !has_wide(sm) {
            continue;
        }
        let is_integer = ty.starts_with('i');
        let ops = if is_integer { ON_INTEGERS } else { ON_FLOATS };
        for &op in ops.iter().chain(&["load", "store", "cmpxchg"]) {
            let vector = ty.starts_with('<');
            if (op == "cmpxchg" && !is_integer) || (op == "xchg" && vector) {
                continue;
            }
            let kernel = Kernel { name: format!("k{}", kernels.len()), op, ty, bytes };
            if memory == Memory::Shared {
                let _ = writeln!(
                    text,
                    "@s{} = internal addrspace(3) global [{} x {ty}] undef, align 16",
                    kernels.len(),
                    kernel.pairs()
                );
            }
            text += &kernel.text(memory, kernels.len());
            kernels.push(kernel);
        }
    }
    text += "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
    (text, kernels)
}

/// A kernel that does one operation.
struct Kernel {
    name: String,
    op: &'static str,
    ty: &'static str,
    bytes: u32,
}

impl Kernel {
    fn pairs(&self) -> usize {
        if self.ty.starts_with('i') { NUMBERS.len() } else { REALS.len() }
    }

    fn text(&self, memory: Memory, number: usize) -> String {
        let Kernel { name, op, ty, bytes } = self;
        let (space, setup) = match memory {
            Memory::Global => (1, "  %a = getelementptr TY, ptr addrspace(1) %x, i32 %t\n".to_owned()),
            Memory::Generic => (
                0,
                "  %a1 = getelementptr TY, ptr addrspace(1) %x, i32 %t\n  %a = addrspacecast ptr addrspace(1) %a1 to ptr\n"
                    .to_owned(),
            ),
            Memory::Shared => (
                3,
                format!(
                    "  %a = getelementptr TY, ptr addrspace(3) @s{number}, i32 %t\n  \
                     store TY %m, ptr addrspace(3) %a, align BYTES\n"
                ),
            ),
            Memory::Local => (
                0,
                "  %a = alloca TY, align 16\n  store TY %m, ptr %a, align BYTES\n".to_owned(),
            ),
        };
        let operation = match *op {
            "load" => "  %o = load atomic TY, ptr addrspace(SPACE) %a acquire, align BYTES\n".to_owned(),
            "store" => {
                "  store atomic TY %v, ptr addrspace(SPACE) %a release, align BYTES\n  %o = freeze TY %v\n"
                    .to_owned()
            }
            "cmpxchg" => "  %c = cmpxchg ptr addrspace(SPACE) %a, TY %v, TY %w seq_cst seq_cst\n  \
                          %o = extractvalue { TY, i1 } %c, 0\n  %ok = extractvalue { TY, i1 } %c, 1\n  \
                          %flag = zext i1 %ok to i8\n  \
                          %fa = getelementptr i8, ptr addrspace(1) %z, i32 %t\n  \
                          store i8 %flag, ptr addrspace(1) %fa\n"
                .to_owned(),
            op => format!(
                "  %o = atomicrmw {op} ptr addrspace(SPACE) %a, TY %v syncscope(\"device\") acq_rel\n"
            ),
        };
        let text = format!(
            "define ptx_kernel void @{name}(ptr addrspace(1) %x, ptr addrspace(1) %y, ptr addrspace(1) %z) {{\n  \
             %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  \
             %xa = getelementptr TY, ptr addrspace(1) %x, i32 %t\n  \
             %m = load TY, ptr addrspace(1) %xa, align BYTES\n  \
             %ya = getelementptr TY, ptr addrspace(1) %y, i32 %t\n  \
             %v = load TY, ptr addrspace(1) %ya, align BYTES\n  \
             %w = bitcast TY %v to TY\n{setup}{operation}  \
             %r = load TY, ptr addrspace(SPACE) %a, align BYTES\n  \
             store TY %r, ptr addrspace(1) %xa, align BYTES\n  \
             store TY %o, ptr addrspace(1) %ya, align BYTES\n  ret void\n}}\n"
        );
        let text = if *op == "cmpxchg" {
            // What is stored differs from what is expected.
            text.replace("%w = bitcast TY %v to TY", "%w = xor TY %v, 85")
        } else {
            text.replace("  %w = bitcast TY %v to TY\n", "")
        };
        text.replace("BYTES", &bytes.to_string())
            .replace("addrspace(SPACE)", &format!("addrspace({space})"))
            .replace("TY", ty)
    }

    /// The values in memory and the operands, element by element.
    fn inputs(&self) -> Vec<(u128, u128)> {
        if self.ty.starts_with('i') {
            let mask = self.mask();
            return NUMBERS.iter().map(|(a, b)| (a & mask, b & mask)).collect();
        }
        let bits = |x| number(self.ty, x);
        let mut pairs: Vec<_> = REALS.iter().map(|&(a, b)| (bits(a), bits(b))).collect();
        if self.ty.starts_with('<') {
            // The upper element is the lower one of the pair before.
            let last = pairs.len() - 1;
            let shifted: Vec<_> = (0..pairs.len()).map(|at| pairs[(at + last) % pairs.len()]).collect();
            for (pair, upper) in pairs.iter_mut().zip(shifted) {
                *pair = (pair.0 | upper.0 << 16, pair.1 | upper.1 << 16);
            }
        }
        pairs
    }

    fn mask(&self) -> u128 {
        if self.bytes == 16 { u128::MAX } else { (1 << (8 * self.bytes)) - 1 }
    }

    /// What memory holds afterwards, the result, and whether the exchange took place.
    fn wanted(&self, memory: u128, operand: u128) -> (u128, u128, u8) {
        match self.op {
            "load" => (memory, memory, 0),
            "store" => (operand, operand, 0),
            "cmpxchg" if memory == operand => ((operand ^ 85) & self.mask(), memory, 1),
            "cmpxchg" => (memory, memory, 0),
            _ if self.ty.starts_with('i') => (self.integer(memory, operand), memory, 0),
            _ if self.ty.starts_with('<') => {
                let element = if self.ty == "<2 x half>" { "half" } else { "bfloat" };
                let part =
                    |shift: u32| real(self.op, element, memory >> shift & 0xffff, operand >> shift & 0xffff);
                (part(0) | part(16) << 16, memory, 0)
            }
            _ => (real(self.op, self.ty, memory, operand), memory, 0),
        }
    }

    fn integer(&self, a: u128, b: u128) -> u128 {
        let signed = |x: u128| {
            let unused = 128 - 8 * self.bytes;
            ((x << unused) as i128) >> unused
        };
        let value = match self.op {
            "xchg" => b,
            "add" => a.wrapping_add(b),
            "sub" => a.wrapping_sub(b),
            "and" => a & b,
            "nand" => !(a & b),
            "or" => a | b,
            "xor" => a ^ b,
            "max" => {
                if signed(a) > signed(b) {
                    a
                } else {
                    b
                }
            }
            "min" => {
                if signed(a) < signed(b) {
                    a
                } else {
                    b
                }
            }
            "umax" => a.max(b),
            "umin" => a.min(b),
            "uinc_wrap" => {
                if a >= b {
                    0
                } else {
                    a + 1
                }
            }
            "udec_wrap" => {
                if a == 0 || a > b {
                    b
                } else {
                    a - 1
                }
            }
            "usub_cond" => {
                if a >= b {
                    a - b
                } else {
                    a
                }
            }
            "usub_sat" => a.saturating_sub(b),
            other => panic!("{other} is not an operation on integers"),
        };
        value & self.mask()
    }
}

/// The bits of a number in a format (of one element, for a pair).
fn number(ty: &str, x: f64) -> u128 {
    match ty {
        "half" | "<2 x half>" => f16::from_f64(x).to_bits().into(),
        "bfloat" | "<2 x bfloat>" => bf16::from_f64(x).to_bits().into(),
        "float" => (x as f32).to_bits().into(),
        _ => x.to_bits().into(),
    }
}

fn value(ty: &str, bits: u128) -> f64 {
    match ty {
        "half" => f16::from_bits(bits as u16).to_f64(),
        "bfloat" => bf16::from_bits(bits as u16).to_f64(),
        "float" => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits as u64),
    }
}

fn real(op: &str, ty: &str, a: u128, b: u128) -> u128 {
    let (x, y) = (value(ty, a), value(ty, b));
    let nan = x.is_nan() || y.is_nan();
    let result = match op {
        "xchg" => return b,
        "fadd" => x + y,
        "fsub" => x - y,
        // The number where one is not a number.
        "fmax" => x.max(y),
        "fmin" => x.min(y),
        "fmaximum" | "fminimum" if nan => f64::NAN,
        "fmaximum" => x.max(y),
        "fminimum" => x.min(y),
        other => panic!("{other} is not an operation on floating-point numbers"),
    };
    number(ty, result)
}

/// Whether bits are as wanted: any NaN will do for a NaN.
fn same(ty: &str, found: u128, wanted: u128) -> bool {
    let element = match ty {
        "<2 x half>" => "half",
        "<2 x bfloat>" => "bfloat",
        other => other,
    };
    if ty.starts_with('<') {
        return same(element, found & 0xffff, wanted & 0xffff) && same(element, found >> 16, wanted >> 16);
    }
    let is_nan = |bits| !ty.starts_with('i') && value(element, bits).is_nan();
    found == wanted || (is_nan(found) && is_nan(wanted))
}

fn bytes(values: impl Iterator<Item = u128>, size: u32) -> Vec<u8> {
    values.flat_map(|value| value.to_le_bytes().into_iter().take(size as usize)).collect()
}

fn numbers(bytes: &[u8], size: u32) -> Vec<u128> {
    let number = |part: &[u8]| part.iter().rev().fold(0, |sum, &byte| sum << 8 | u128::from(byte));
    bytes.chunks(size as usize).map(number).collect()
}

/// Executes every operation on memory of a kind for an architecture.
pub fn operations_give_what_llvm_says(sm: u16, memory: Memory) -> Result<(), Failed> {
    let (text, kernels) = module(memory, sm);
    let ptx = raise(&text, sm)?;
    let source = SourceFile::new("atomics.ptx", ptx.as_str());
    let module = stage::read(&source).map_err(|error| format!("{error:#}"))?;
    let (verified, _) = ptx_verify::verify(&module).map_err(|_| "does not verify")?;
    let mut wrong = Vec::new();
    for kernel in &kernels {
        let inputs = kernel.inputs();
        let mut launch = Launch::new(kernel.name.as_str());
        launch.block = [inputs.len() as u32, 1, 1];
        launch.threads = Some(NonZeroUsize::MIN);
        launch.limits.steps = Some(1 << 20);
        launch.arguments = vec![
            Argument::Buffer(bytes(inputs.iter().map(|pair| pair.0), kernel.bytes)),
            Argument::Buffer(bytes(inputs.iter().map(|pair| pair.1), kernel.bytes)),
            Argument::Buffer(vec![0; inputs.len()]),
        ];
        let outcome = ptx_exec::run(verified, &launch)
            .map_err(|error| format!("{} {}: {:?}", kernel.op, kernel.ty, error.into_diagnostics()))?;
        let found = |at: usize| outcome.buffers[at].as_deref().unwrap_or_default();
        let (after, result) = (numbers(found(0), kernel.bytes), numbers(found(1), kernel.bytes));
        for (at, &(held, operand)) in inputs.iter().enumerate() {
            let (memory, old, flag) = kernel.wanted(held, operand);
            let right = same(kernel.ty, after[at], memory)
                && same(kernel.ty, result[at], old)
                && found(2)[at] == flag;
            if !right {
                wrong.push(format!(
                    "{} {} of {held:#x} and {operand:#x}: memory {:#x}, result {:#x}, flag {}; wanted {memory:#x}, {old:#x}, {flag}",
                    kernel.op, kernel.ty, after[at], result[at], found(2)[at]
                ));
            }
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n")).into())
}

/// Threads that meet in one element, and in the parts of one word, lose nothing.
pub fn threads_that_meet_lose_nothing() -> Result<(), Failed> {
    for sm in [60, 90] {
        let types: Vec<_> = INTEGERS.iter().filter(|(_, size)| *size < 16).collect();
        let mut text = String::from("target triple = \"nvptx64-nvidia-cuda\"\n");
        for (ty, _) in &types {
            let _ = write!(
                text,
                "define ptx_kernel void @{ty}(ptr addrspace(1) %x) {{\n  \
                 %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %e = and i32 %t, 3\n  \
                 %a = getelementptr {ty}, ptr addrspace(1) %x, i32 %e\n  \
                 %o = atomicrmw add ptr addrspace(1) %a, {ty} 3 monotonic\n  ret void\n}}\n"
            );
        }
        text += "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
        let ptx = raise(&text, sm)?;
        let source = SourceFile::new("atomics.ptx", ptx.as_str());
        let module = stage::read(&source).map_err(|error| format!("{error:#}"))?;
        let (verified, _) = ptx_verify::verify(&module).map_err(|_| "does not verify")?;
        for &&(ty, size) in &types {
            let mut launch = Launch::new(ty);
            launch.block = [64, 1, 1];
            launch.limits.steps = Some(1 << 20);
            launch.arguments = vec![Argument::Buffer(vec![0; 4 * size as usize])];
            let outcome = ptx_exec::run(verified, &launch)
                .map_err(|error| format!("{ty}: {:?}", error.into_diagnostics()))?;
            let found = numbers(outcome.buffers[0].as_deref().unwrap_or_default(), size);
            // Sixteen of the threads add 3 to each of the four.
            if found != [48; 4] {
                return Err(format!("{ty} for sm_{sm}: {found:?}").into());
            }
        }
    }
    Ok(())
}

/// Whether an architecture has atomic operations on 128 bits (manual 9.7.13.5).
fn has_wide(sm: u16) -> bool {
    sm >= 90
}
