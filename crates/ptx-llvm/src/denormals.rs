//! Functions in which floating-point operations take subnormal inputs as zeros (LangRef, `denormal-fp-math`).
//!
//! The attribute states what happens to outputs and to inputs. Outputs may be flushed, and inputs must be taken as zeros. `.ftz` of PTX does
//! both, in single precision, and keeps the sign: it serves exactly where both are `preserve-sign`. Everywhere else inputs are made zeros by
//! integer operations where the attribute requires it, and nothing is flushed beyond that.

use std::collections::HashMap;
use std::fmt;

use inkwell::attributes::AttributeLoc;
use inkwell::values::{AsValueRef as _, FunctionValue};
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMTypeKind::*;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::module::Module;
use crate::raw;

/// The attribute for all types, and that for single precision, which has precedence there.
const ALL: &str = "denormal-fp-math";
const SINGLE: &str = "denormal-fp-math-f32";

/// What happens to the inputs, or to the outputs, of floating-point operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Denormal {
    /// They are numbers like others; also where the environment decides, which on GPUs has no such mode.
    Ieee,
    /// They count as zeros of their sign.
    PreserveSign,
    /// They count as zeros without a sign.
    PositiveZero,
}

/// The value of the attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DenormalMode {
    /// For results.
    pub output: Denormal,
    /// For operands.
    pub input: Denormal,
}

impl DenormalMode {
    /// Reads the attribute: `output,input`, or one word for both. `None` of anything else, which LLVM's verifier refuses.
    pub fn of(text: &str) -> Option<Self> {
        let word = |word: &str| match word {
            "" | "ieee" | "dynamic" => Some(Denormal::Ieee),
            "preserve-sign" => Some(Denormal::PreserveSign),
            "positive-zero" => Some(Denormal::PositiveZero),
            _ => None,
        };
        let (output, input) = text.split_once(',').unwrap_or((text, text));
        Some(Self { output: word(output)?, input: word(input)? })
    }

    /// Whether operations take subnormal inputs as zeros.
    pub fn flushes_inputs(self) -> bool {
        self.input != Denormal::Ieee
    }

    /// Whether `.ftz` is what single precision needs.
    pub fn is_ftz(self) -> bool {
        self.output == Denormal::PreserveSign && self.input == Denormal::PreserveSign
    }
}

impl fmt::Display for DenormalMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |mode| match mode {
            Denormal::Ieee => "ieee",
            Denormal::PreserveSign => "preserve-sign",
            Denormal::PositiveZero => "positive-zero",
        };
        write!(f, "{},{}", word(self.output), word(self.input))
    }
}

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
pub fn flush_inputs(module: &mut Module<'_>) {
    let context = module.context().inkwell();
    for function in module.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0) {
        let modes = Modes::of(function);
        if !modes.need_code() {
            continue;
        }
        // SAFETY: the function is alive and nothing else changes it meanwhile.
        unsafe { Flush::new(module.context().raw(), modes).run(function.as_value_ref()) };
        let left = if modes.single.is_ftz() { modes.single } else { PLAIN };
        for (name, mode) in [(ALL, PLAIN), (SINGLE, left)] {
            function.remove_string_attribute(AttributeLoc::Function, name);
            let attribute = context.create_string_attribute(name, &mode.to_string());
            function.add_attribute(AttributeLoc::Function, attribute);
        }
    }
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
    fn of(function: FunctionValue<'_>) -> Self {
        let mode = |name| {
            let attribute = function.get_string_attribute(AttributeLoc::Function, name)?;
            DenormalMode::of(&attribute.get_string_value().to_string_lossy())
        };
        // Without an attribute the mode is that of IEEE 754.
        let all = mode(ALL).unwrap_or(PLAIN);
        Self { all, single: mode(SINGLE).unwrap_or(all) }
    }

    fn need_code(self) -> bool {
        self.all.flushes_inputs() || self.single.flushes_inputs()
    }
}

struct Flush {
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
    modes: Modes,
    /// Values with their subnormals as zeros.
    flushed: HashMap<LLVMValueRef, LLVMValueRef>,
}

impl Flush {
    /// # Safety
    ///
    /// The context is alive.
    unsafe fn new(context: LLVMContextRef, modes: Modes) -> Self {
        // SAFETY: the builder is disposed with `self`.
        let builder = unsafe { LLVMCreateBuilderInContext(context) };
        Self { context, builder, modes, flushed: HashMap::new() }
    }

    /// # Safety
    ///
    /// The function is alive and has blocks.
    unsafe fn run(mut self, function: LLVMValueRef) {
        // SAFETY: operands that are replaced have the type of what replaces them, which is computed before.
        unsafe {
            for block in raw::blocks(function) {
                for instruction in raw::instructions(block) {
                    for at in 0..inputs(instruction) {
                        let value = LLVMGetOperand(instruction, at);
                        if let Some(flushed) = self.flushed(function, instruction, value) {
                            LLVMSetOperand(instruction, at, flushed);
                        }
                    }
                }
            }
        }
    }

    /// A value with its subnormals as zeros; `None` if its type has none, or if they stay.
    ///
    /// # Safety
    ///
    /// The value is an operand of the instruction, which is in the function.
    unsafe fn flushed(
        &mut self,
        function: LLVMValueRef,
        instruction: LLVMValueRef,
        value: LLVMValueRef,
    ) -> Option<LLVMValueRef> {
        // SAFETY: types are asked of values; a new instruction follows the value's own.
        unsafe {
            let ty = LLVMTypeOf(value);
            let is_vector = LLVMGetTypeKind(ty) == LLVMVectorTypeKind;
            let (bits, mantissa, mode) = match element_kind(ty) {
                LLVMHalfTypeKind => (16, 10, self.modes.all),
                LLVMBFloatTypeKind => (16, 7, self.modes.all),
                LLVMFloatTypeKind => (32, 23, self.modes.single),
                LLVMDoubleTypeKind => (64, 52, self.modes.all),
                _ => return None,
            };
            let is_ftz = bits == 32 && mode.is_ftz();
            if !mode.flushes_inputs() || (is_ftz && (has_ftz(instruction) || is_flushed(value))) {
                return None;
            }
            if let Some(&known) = self.flushed.get(&value) {
                return Some(known);
            }
            position_after(self.builder, function, instruction, value);
            if is_ftz {
                let canonical = self.canonicalized(function, value);
                self.flushed.insert(value, canonical);
                return Some(canonical);
            }
            let word = LLVMIntTypeInContext(self.context, bits);
            let ints = if is_vector { LLVMVectorType(word, LLVMGetVectorSize(ty)) } else { word };
            // The bits as the number that they are in a signed integer.
            let constant = |number: u64| raw::splat(ints, ((number << (64 - bits)) as i64) >> (64 - bits));
            let name = c"".as_ptr();
            let fraction = (1_u64 << mantissa) - 1;
            let sign = 1_u64 << (bits - 1);
            let number = LLVMBuildBitCast(self.builder, value, ints, name);
            let masked = |mask| LLVMBuildAnd(self.builder, number, constant(mask), name);
            let is_zero =
                LLVMBuildICmp(self.builder, LLVMIntEQ, masked(sign - 1 - fraction), constant(0), name);
            let flushed = match mode.input {
                // A zero is one of its own sign.
                Denormal::PreserveSign => LLVMBuildSelect(self.builder, is_zero, masked(sign), number, name),
                Denormal::PositiveZero | Denormal::Ieee => {
                    // A negative zero is not a subnormal number.
                    let has_fraction =
                        LLVMBuildICmp(self.builder, LLVMIntNE, masked(fraction), constant(0), name);
                    let is_subnormal = LLVMBuildAnd(self.builder, is_zero, has_fraction, name);
                    LLVMBuildSelect(self.builder, is_subnormal, constant(0), number, name)
                }
            };
            let flushed = LLVMBuildBitCast(self.builder, flushed, ty, name);
            self.flushed.insert(value, flushed);
            Some(flushed)
        }
    }
}

impl Flush {
    /// `llvm.canonicalize` of a value, which is `mul.ftz` by one.
    ///
    /// # Safety
    ///
    /// The value is known where the builder is, in the function.
    unsafe fn canonicalized(&self, function: LLVMValueRef, value: LLVMValueRef) -> LLVMValueRef {
        const NAME: &str = "llvm.canonicalize";
        // SAFETY: the intrinsic has one operand of the type that it is declared for.
        unsafe {
            let module = LLVMGetGlobalParent(function);
            let (mut types, mut arguments) = ([LLVMTypeOf(value)], [value]);
            let id = LLVMLookupIntrinsicID(NAME.as_ptr().cast(), NAME.len());
            let callee = LLVMGetIntrinsicDeclaration(module, id, types.as_mut_ptr(), 1);
            let ty = LLVMIntrinsicGetType(self.context, id, types.as_mut_ptr(), 1);
            LLVMBuildCall2(self.builder, ty, callee, arguments.as_mut_ptr(), 1, c"".as_ptr())
        }
    }
}

impl Drop for Flush {
    fn drop(&mut self) {
        // SAFETY: the builder is this value's own.
        unsafe { LLVMDisposeBuilder(self.builder) };
    }
}

/// The kind of a type, or of a vector's elements.
///
/// # Safety
///
/// The type is alive.
unsafe fn element_kind(ty: LLVMTypeRef) -> llvm_sys::LLVMTypeKind {
    // SAFETY: elements are asked of a vector.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMVectorTypeKind => LLVMGetTypeKind(LLVMGetElementType(ty)),
            kind => kind,
        }
    }
}

/// Puts a builder where a value is first known: after its instruction, or where the function begins.
///
/// # Safety
///
/// The value is an operand of the instruction, which is in the function.
unsafe fn position_after(
    builder: LLVMBuilderRef,
    function: LLVMValueRef,
    instruction: LLVMValueRef,
    value: LLVMValueRef,
) {
    // SAFETY: a block of a function has a terminator, before which there is a place.
    unsafe {
        let mut place = match LLVMIsAInstruction(value).is_null() {
            true => LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)),
            false => LLVMGetNextInstruction(value),
        };
        // The result of an invoke is known in its successor, which has the instruction.
        if place.is_null() {
            place = instruction;
        }
        while !LLVMIsAPHINode(place).is_null() || !LLVMIsAAllocaInst(place).is_null() {
            place = LLVMGetNextInstruction(place);
        }
        LLVMPositionBuilderBefore(builder, place);
    }
}

/// How many operands of an instruction are inputs of a floating-point operation, from the first on.
///
/// # Safety
///
/// The instruction is alive.
unsafe fn inputs(instruction: LLVMValueRef) -> u32 {
    // SAFETY: a callee is asked of a call.
    unsafe {
        match LLVMGetInstructionOpcode(instruction) {
            LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem | LLVMFCmp => 2,
            LLVMFPTrunc | LLVMFPExt | LLVMFPToSI | LLVMFPToUI => 1,
            LLVMCall => {
                let callee = LLVMIsAFunction(LLVMGetCalledValue(instruction));
                match !callee.is_null() && computes(&raw::name(callee)) {
                    true => LLVMGetNumArgOperands(instruction),
                    false => 0,
                }
            }
            _ => 0,
        }
    }
}

/// Whether a number of single precision comes from an instruction with `.ftz`, which flushes its result.
///
/// # Safety
///
/// The value is alive.
unsafe fn is_flushed(value: LLVMValueRef) -> bool {
    // SAFETY: opcodes are asked of instructions.
    unsafe {
        !LLVMIsAInstruction(value).is_null()
            && !matches!(LLVMGetInstructionOpcode(value), LLVMFPTrunc | LLVMFPExt)
            && inputs(value) > 0
            && has_ftz(value)
    }
}

/// Whether the instructions of PTX for an operation on single precision have `.ftz`.
///
/// # Safety
///
/// The instruction is one with [`inputs`].
unsafe fn has_ftz(instruction: LLVMValueRef) -> bool {
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
    // SAFETY: a callee is asked of a call, types of values.
    unsafe {
        match LLVMGetInstructionOpcode(instruction) {
            // `cvt.rn.bf16.f32` has none, and what is subnormal in single precision is so there. In half precision it is a zero.
            LLVMFPTrunc => element_kind(LLVMTypeOf(instruction)) != LLVMBFloatTypeKind,
            // Computed by integer operations.
            LLVMFRem => false,
            LLVMCall => {
                let name = raw::name(LLVMGetCalledValue(instruction));
                let word = name.split(|byte| *byte == b'.').nth(1);
                word.is_some_and(|word| !WITHOUT.contains(&word))
            }
            _ => true,
        }
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

#[cfg(test)]
mod tests {
    use super::{Denormal, DenormalMode, flush_inputs};
    use crate::context::Context;
    use crate::module::Module;

    fn flushed(attribute: &str, body: &str) -> String {
        let text = format!(
            "define float @f(float %x, float %y, double %d, <2 x half> %h) {attribute} {{\n{body}\n  ret float %r\n}}
declare float @llvm.fabs.f32(float)
declare float @llvm.sqrt.f32(float)
declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)
"
        );
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        flush_inputs(&mut module);
        module.verify().expect("a valid module");
        module.to_text()
    }

    #[test]
    fn modes_are_read_as_output_and_input() {
        let mode = |output, input| Some(DenormalMode { output, input });
        assert_eq!(DenormalMode::of("preserve-sign"), mode(Denormal::PreserveSign, Denormal::PreserveSign));
        assert_eq!(DenormalMode::of("preserve-sign,ieee"), mode(Denormal::PreserveSign, Denormal::Ieee));
        assert_eq!(DenormalMode::of("dynamic,positive-zero"), mode(Denormal::Ieee, Denormal::PositiveZero));
        assert_eq!(DenormalMode::of("flush"), None);
    }

    #[test]
    fn inputs_are_flushed_once_where_the_mode_demands_it() {
        let body =
            "  %a = call float @llvm.fabs.f32(float %x)\n  %s = fadd float %a, %y\n  %r = fmul float %s, %y";
        let selects = |attribute: &str| flushed(attribute, body).matches("select").count();
        for (output, input, expected) in [
            ("ieee", "ieee", 0),
            ("preserve-sign", "ieee", 0),
            ("positive-zero", "ieee", 0),
            ("preserve-sign", "preserve-sign", 0),
            // `%a`, `%y` and `%s`.
            ("ieee", "preserve-sign", 3),
            ("positive-zero", "preserve-sign", 3),
            ("ieee", "positive-zero", 3),
            ("preserve-sign", "positive-zero", 3),
            ("positive-zero", "positive-zero", 3),
        ] {
            let attribute = format!("\"denormal-fp-math-f32\"=\"{output},{input}\"");
            assert_eq!(selects(&attribute), expected, "{attribute}");
        }
        // An instruction without `.ftz` in a function that has it otherwise.
        let body =
            "  %n = fptrunc float %x to bfloat\n  %w = fpext bfloat %n to float\n  %r = fadd float %w, %y";
        let text = flushed("\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"", body);
        assert!(
            text.contains("call float @llvm.canonicalize.f32(float %x)") && !text.contains("select"),
            "{text}"
        );
        // The general attribute counts for other types too, whose instructions have no `.ftz` that is meant.
        let body = "  %e = fptrunc double %d to float\n  %v = call <2 x half> @llvm.fma.v2f16(<2 x half> %h, <2 x half> %h, <2 x half> %h)\n  %z = extractelement <2 x half> %v, i32 0\n  %w = fpext half %z to float\n  %r = fadd float %w, %e";
        let text = flushed("\"denormal-fp-math\"=\"preserve-sign,preserve-sign\"", body);
        assert_eq!(text.matches("select").count(), 3, "{text}");
        assert!(text.contains("\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\""), "{text}");
        assert!(text.contains("\"denormal-fp-math\"=\"ieee,ieee\""), "{text}");
    }
}
