//! `ptx-flush-inputs`: functions in which floating-point operations take subnormal inputs as zeros (LangRef, `denormal-fp-math`).
//!
//! The attribute states what happens to outputs and to inputs. Outputs may be flushed, and inputs must be taken as zeros. `.ftz` of PTX does
//! both, in single precision, and keeps the sign: it serves exactly where both are `preserve-sign`. Everywhere else inputs are made zeros by
//! integer operations where the attribute requires it, and nothing is flushed beyond that.

use std::collections::HashMap;

use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate};
use ptx_llvm_core::edit::{Block, Builder, Editor, Function, Inst, Opcode, TypeKind, Value, edit};
use ptx_llvm_core::{Denormal, DenormalMode, LlvmError, Module};

use crate::pass::{Pass, Run, When};

#[cfg(test)]
mod tests;

/// Runs before LLVM's passes, which fold `ceil` and its like of constants without regard to the mode, and before raising.
pub(crate) const PASS: Pass = Pass {
    name: "ptx-flush-inputs",
    summary: "Makes subnormal inputs of floating-point operations zeros, where `denormal-fp-math` demands it and `.ftz` does not do it.",
    when: When::First,
    run: Run::Module(flush),
    parameters: &[],
};

/// The attribute for all types, and that for single precision, which has precedence there.
const ALL: &str = "denormal-fp-math";
const SINGLE: &str = "denormal-fp-math-f32";

/// Makes subnormal inputs zeros, where the attributes of a function require it and `.ftz` does not do it:
///
/// ```text
/// %r = fadd double %x, %y      with "denormal-fp-math"="ieee,preserve-sign"
/// ```
///
/// becomes, `%y` likewise,
///
/// ```text
/// %bits = bitcast double %x to i64
/// %exponent = and i64 %bits, 9218868437227405312
/// %is_zero = icmp eq i64 %exponent, 0
/// %zero = and i64 %bits, -9223372036854775808
/// %flushed = select i1 %is_zero, i64 %zero, i64 %bits
/// %in = bitcast i64 %flushed to double
/// %r = fadd double %in, %in.y
/// ```
///
/// Where `.ftz` is right for other operations, one whose instruction has none reads the number through `llvm.canonicalize`. The attributes then state
/// what is left: `.ftz` for single precision, or nothing. Operations that only move or change signs, classify, or are
/// intrinsics of the target, take their inputs as they are.
///
/// # Errors
///
/// What the editor refuses, which a valid module does not lead to.
pub fn flush_inputs(module: &mut Module<'_>) -> Result<(), LlvmError> {
    edit(module, flush)
}

fn flush(editor: &Editor<'_>) -> Result<(), LlvmError> {
    for function in editor.functions() {
        let Some(entry) = function.entry() else { continue };
        let modes = Modes::of(function);
        if !modes.need_code() {
            continue;
        }
        Flush { editor, modes, entry, flushed: HashMap::new() }.run(function)?;
        let left = if modes.single.is_ftz() { modes.single } else { PLAIN };
        for (name, mode) in [(ALL, PLAIN), (SINGLE, left)] {
            function.set_text_attribute(name, &mode.to_string());
        }
    }
    Ok(())
}

/// Nothing is flushed.
const PLAIN: DenormalMode = DenormalMode { output: Denormal::Ieee, input: Denormal::Ieee };

/// The modes of a function.
#[derive(Clone, Copy)]
struct Modes {
    all: DenormalMode,
    single: DenormalMode,
}

impl Modes {
    fn of(function: Function<'_>) -> Self {
        let mode = |name| DenormalMode::of(&function.text_attribute(name)?);
        // Without an attribute the mode is that of IEEE 754.
        let all = mode(ALL).unwrap_or(PLAIN);
        Self { all, single: mode(SINGLE).unwrap_or(all) }
    }

    fn need_code(self) -> bool {
        self.all.flushes_inputs() || self.single.flushes_inputs()
    }
}

struct Flush<'a, 'e> {
    editor: &'a Editor<'e>,
    modes: Modes,
    /// The block that the function begins with.
    entry: Block<'e>,
    /// Values with their subnormals as zeros.
    flushed: HashMap<Value<'e>, Value<'e>>,
}

impl<'e> Flush<'_, 'e> {
    fn run(mut self, function: Function<'e>) -> Result<(), LlvmError> {
        for inst in function.instructions() {
            for at in 0..inputs(inst) {
                let Some(value) = inst.operand(at) else { continue };
                if let Some(flushed) = self.flushed(inst, value)? {
                    inst.set_operand(at, flushed)?;
                }
            }
        }
        Ok(())
    }

    /// An operand of an instruction with its subnormals as zeros; `None` if its type has none, or if they stay.
    fn flushed(&mut self, inst: Inst<'e>, value: Value<'e>) -> Result<Option<Value<'e>>, LlvmError> {
        let ty = value.ty();
        let element = match ty.kind() {
            TypeKind::Vector { element, .. } => element,
            _ => ty,
        };
        let (bits, mantissa, mode) = match element.kind() {
            TypeKind::Half => (16, 10, self.modes.all),
            TypeKind::BFloat => (16, 7, self.modes.all),
            TypeKind::Float => (32, 23, self.modes.single),
            TypeKind::Double => (64, 52, self.modes.all),
            _ => return Ok(None),
        };
        let is_ftz = bits == 32 && mode.is_ftz();
        if !mode.flushes_inputs() || (is_ftz && (has_ftz(inst) || is_flushed(value))) {
            return Ok(None);
        }
        if let Some(&known) = self.flushed.get(&value) {
            return Ok(Some(known));
        }
        let builder = self.after(inst, value)?;
        let flushed = if is_ftz {
            // `llvm.canonicalize` is `mul.ftz` by one.
            builder.intrinsic("llvm.canonicalize", &[ty], &[value])?
        } else {
            self.flushed_bits(builder, value, (bits, mantissa), mode)?
        };
        self.flushed.insert(value, flushed);
        Ok(Some(flushed))
    }

    /// The same by operations on the bits of each number, of which so many are the mantissa.
    fn flushed_bits(
        &self,
        builder: Builder<'_, 'e>,
        value: Value<'e>,
        (bits, mantissa): (u32, u32),
        mode: DenormalMode,
    ) -> Result<Value<'e>, LlvmError> {
        let ty = value.ty();
        let ints = self.editor.shaped_as(self.editor.integer(bits), ty);
        // The bits as the number that they are in a signed integer.
        let constant = |number: u64| ints.number(((number << (64 - bits)) as i64) >> (64 - bits));
        let fraction = (1_u64 << mantissa) - 1;
        let sign = 1_u64 << (bits - 1);
        let number = builder.cast(CastOp::BitCast, value, ints)?;
        let masked = |mask| builder.binary(BinaryOp::And, number, constant(mask)?);
        let zero = constant(0)?;
        let is_zero = builder.int_compare(IntPredicate::Eq, masked(sign - 1 - fraction)?, zero)?;
        let flushed = match mode.input {
            // A zero is one of its own sign.
            Denormal::PreserveSign => builder.select(is_zero, masked(sign)?, number)?,
            Denormal::PositiveZero | Denormal::Ieee => {
                // A negative zero is not a subnormal number.
                let has_fraction = builder.int_compare(IntPredicate::Ne, masked(fraction)?, zero)?;
                let is_subnormal = builder.binary(BinaryOp::And, is_zero, has_fraction)?;
                builder.select(is_subnormal, zero, number)?
            }
        };
        builder.cast(CastOp::BitCast, flushed, ty)
    }

    /// Builds where an operand of an instruction is first known: after its instruction, or where the function begins.
    fn after(&self, user: Inst<'e>, value: Value<'e>) -> Result<Builder<'_, 'e>, LlvmError> {
        let known = match value.as_inst() {
            Some(inst) => inst.next(),
            None => self.entry.first(),
        };
        // Default: the result of an invoke is known in its successor, which has the user.
        let mut place = known.unwrap_or(user);
        while let (Opcode::Phi | Opcode::Alloca, Some(next)) = (place.opcode(), place.next()) {
            place = next;
        }
        self.editor.before(place)
    }
}

/// How many operands of an instruction are inputs of a floating-point operation, from the first on.
fn inputs(inst: Inst<'_>) -> u32 {
    match inst.opcode() {
        Opcode::FAdd | Opcode::FSub | Opcode::FMul | Opcode::FDiv | Opcode::FRem | Opcode::FCmp => 2,
        Opcode::FPTrunc | Opcode::FPExt | Opcode::FPToSI | Opcode::FPToUI => 1,
        Opcode::Call => match inst.called_function() {
            Some(callee) if computes(&callee.name()) => inst.argument_count(),
            Some(_) | None => 0,
        },
        _ => 0,
    }
}

/// Whether a number of single precision comes from an instruction with `.ftz`, which flushes its result.
fn is_flushed(value: Value<'_>) -> bool {
    value.as_inst().is_some_and(|inst| {
        !matches!(inst.opcode(), Opcode::FPTrunc | Opcode::FPExt) && inputs(inst) > 0 && has_ftz(inst)
    })
}

/// Whether the instructions of PTX for an operation on single precision, which has [`inputs`], have `.ftz`.
fn has_ftz(inst: Inst<'_>) -> bool {
    const WITHOUT: [&[u8]; 16] = [
        b"ldexp",
        b"frexp",
        b"modf",
        b"powi",
        b"pow",
        b"lround",
        b"llround",
        b"lrint",
        b"llrint",
        b"exp10",
        b"tan",
        b"sinh",
        b"cosh",
        b"sincospi",
        b"atan2",
        b"tanh",
    ];
    match inst.opcode() {
        // `cvt.rn.bf16.f32` has none, and what is subnormal in single precision is so there. In half precision it is a zero.
        Opcode::FPTrunc => inst.ty().scalar().kind() != TypeKind::BFloat,
        // Computed by integer operations.
        Opcode::FRem => false,
        Opcode::Call => inst.callee().is_some_and(|callee| {
            let name = callee.name();
            let word = name.split(|byte| *byte == b'.').nth(1);
            word.is_some_and(|word| !WITHOUT.contains(&word))
        }),
        _ => true,
    }
}

/// Whether a function is an intrinsic that computes with the numbers that it is given.
fn computes(name: &[u8]) -> bool {
    const COMPUTES: [&[u8]; 46] = [
        b"sqrt",
        b"pow",
        b"powi",
        b"sin",
        b"cos",
        b"sincos",
        b"sincospi",
        b"tan",
        b"asin",
        b"acos",
        b"atan",
        b"atan2",
        b"sinh",
        b"cosh",
        b"tanh",
        b"exp",
        b"exp2",
        b"exp10",
        b"log",
        b"log2",
        b"log10",
        b"fma",
        b"fmuladd",
        b"minnum",
        b"maxnum",
        b"minimum",
        b"maximum",
        b"minimumnum",
        b"maximumnum",
        b"floor",
        b"ceil",
        b"trunc",
        b"rint",
        b"nearbyint",
        b"round",
        b"roundeven",
        b"lround",
        b"llround",
        b"lrint",
        b"llrint",
        b"canonicalize",
        b"ldexp",
        b"frexp",
        b"modf",
        b"fptosi",
        b"fptoui",
    ];
    let Some(rest) = name.strip_prefix(b"llvm.") else { return false };
    let Some(word) = rest.split(|byte| *byte == b'.').next() else { return false };
    match word {
        // `llvm.vector.reduce.fadd`, but not `llvm.vector.insert`.
        b"vector" => rest.starts_with(b"vector.reduce.f"),
        b"experimental" => rest.starts_with(b"experimental.constrained."),
        _ => COMPUTES.contains(&word),
    }
}
