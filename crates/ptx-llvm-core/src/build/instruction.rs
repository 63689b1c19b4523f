//! The instruction builder: appends to the end of a block.

use std::cell::Cell;
use std::marker::PhantomData;

use llvm_sys::core::*;
use llvm_sys::prelude::LLVMBuilderRef;
use llvm_sys::{LLVMFastMathAllowContract, LLVMOpcode, LLVMTypeKind};

use super::global::Function;
use super::handle::{Block, Metadata, Type, Value, misfit};
use super::operation::{Contraction, FloatPredicate, IntPredicate};
use super::types::Types;
use crate::{Context, LlvmError};

/// What a builder call gives.
pub(super) type Built<'c> = Result<Value<'c>, LlvmError>;

/// A two-operand instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `add`
    Add,
    /// `sub`
    Sub,
    /// `mul`
    Mul,
    /// `udiv`; the caller keeps the divisor from zero.
    UDiv,
    /// `sdiv`; the caller keeps the divisor from zero and the quotient in range.
    SDiv,
    /// `urem`
    URem,
    /// `srem`
    SRem,
    /// `shl`; the caller keeps the amount below the width.
    Shl,
    /// `lshr`
    LShr,
    /// `ashr`
    AShr,
    /// `and`
    And,
    /// `or`
    Or,
    /// `xor`
    Xor,
    /// `fadd`
    FAdd,
    /// `fsub`
    FSub,
    /// `fmul`
    FMul,
    /// `fdiv`
    FDiv,
}

impl BinaryOp {
    fn raw(self) -> LLVMOpcode {
        match self {
            Self::Add => LLVMOpcode::LLVMAdd,
            Self::Sub => LLVMOpcode::LLVMSub,
            Self::Mul => LLVMOpcode::LLVMMul,
            Self::UDiv => LLVMOpcode::LLVMUDiv,
            Self::SDiv => LLVMOpcode::LLVMSDiv,
            Self::URem => LLVMOpcode::LLVMURem,
            Self::SRem => LLVMOpcode::LLVMSRem,
            Self::Shl => LLVMOpcode::LLVMShl,
            Self::LShr => LLVMOpcode::LLVMLShr,
            Self::AShr => LLVMOpcode::LLVMAShr,
            Self::And => LLVMOpcode::LLVMAnd,
            Self::Or => LLVMOpcode::LLVMOr,
            Self::Xor => LLVMOpcode::LLVMXor,
            Self::FAdd => LLVMOpcode::LLVMFAdd,
            Self::FSub => LLVMOpcode::LLVMFSub,
            Self::FMul => LLVMOpcode::LLVMFMul,
            Self::FDiv => LLVMOpcode::LLVMFDiv,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::FAdd | Self::FSub | Self::FMul | Self::FDiv)
    }
}

/// A conversion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    /// `trunc`
    Trunc,
    /// `zext`
    ZExt,
    /// `sext`
    SExt,
    /// `fptrunc`
    FpTrunc,
    /// `fpext`
    FpExt,
    /// `uitofp`
    UiToFp,
    /// `sitofp`
    SiToFp,
    /// `fptoui`; the caller keeps the number in range.
    FpToUi,
    /// `fptosi`; the caller keeps the number in range.
    FpToSi,
    /// `ptrtoint`
    PtrToInt,
    /// `inttoptr`
    IntToPtr,
    /// `bitcast`
    BitCast,
    /// `addrspacecast`
    AddrSpaceCast,
}

impl CastOp {
    fn raw(self) -> LLVMOpcode {
        match self {
            Self::Trunc => LLVMOpcode::LLVMTrunc,
            Self::ZExt => LLVMOpcode::LLVMZExt,
            Self::SExt => LLVMOpcode::LLVMSExt,
            Self::FpTrunc => LLVMOpcode::LLVMFPTrunc,
            Self::FpExt => LLVMOpcode::LLVMFPExt,
            Self::UiToFp => LLVMOpcode::LLVMUIToFP,
            Self::SiToFp => LLVMOpcode::LLVMSIToFP,
            Self::FpToUi => LLVMOpcode::LLVMFPToUI,
            Self::FpToSi => LLVMOpcode::LLVMFPToSI,
            Self::PtrToInt => LLVMOpcode::LLVMPtrToInt,
            Self::IntToPtr => LLVMOpcode::LLVMIntToPtr,
            Self::BitCast => LLVMOpcode::LLVMBitCast,
            Self::AddrSpaceCast => LLVMOpcode::LLVMAddrSpaceCast,
        }
    }

    /// Whether LLVM has this conversion between the types' kinds and widths; vectors convert element by element.
    fn fits(self, from: Type<'_>, to: Type<'_>) -> bool {
        let (from, to) = match (from.vector_parts(), to.vector_parts()) {
            (Some((a, n)), Some((b, m))) if self != Self::BitCast => {
                if n != m {
                    return false;
                }
                (a, b)
            }
            _ => (from, to),
        };
        let ints = from.int_bits().zip(to.int_bits());
        let floats = (from.is_float() && to.is_float()).then(|| from.bits().zip(to.bits())).flatten();
        match self {
            Self::Trunc => ints.is_some_and(|(a, b)| a > b),
            Self::ZExt | Self::SExt => ints.is_some_and(|(a, b)| a < b),
            Self::FpTrunc => floats.is_some_and(|(a, b)| a > b),
            Self::FpExt => floats.is_some_and(|(a, b)| a < b),
            Self::UiToFp | Self::SiToFp => from.int_bits().is_some() && to.is_float(),
            Self::FpToUi | Self::FpToSi => from.is_float() && to.int_bits().is_some(),
            Self::PtrToInt => from.pointer_space().is_some() && to.int_bits().is_some(),
            Self::IntToPtr => from.int_bits().is_some() && to.pointer_space().is_some(),
            Self::BitCast => from.bits().is_some() && from.bits() == to.bits(),
            Self::AddrSpaceCast => from.pointer_space().zip(to.pointer_space()).is_some_and(|(a, b)| a != b),
        }
    }
}

/// How an integer instruction is known not to wrap around.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NoWrap {
    /// `nsw`
    Signed,
    /// `nuw`
    Unsigned,
    /// `nuw nsw`
    Both,
}

/// What a piece of inline assembly does beyond its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsmEffects {
    /// A function of its operands.
    None,
    /// Must not be removed or repeated.
    SideEffects,
}

/// One piece of inline assembly (mapping, "Inline assembly").
#[derive(Clone, Copy, Debug)]
pub struct Asm<'a> {
    /// The text, operands as `$0`, `$1` ..
    pub text: &'a str,
    /// LLVM's constraint string.
    pub constraints: &'a str,
    /// Whether it may be removed.
    pub effects: AsmEffects,
}

/// Where a builder builds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InsertionPoint {
    /// At the end of a block that has no terminator yet.
    End,
    /// Before an instruction of a block.
    Before,
}

/// Appends instructions to the end of a block.
pub struct Builder<'c> {
    pub(crate) raw: LLVMBuilderRef,
    pub(super) types: Types<'c>,
    /// Whether operations with neutral constants are not built.
    simplifies: bool,
    insertion_point: Cell<InsertionPoint>,
    context: PhantomData<&'c Context>,
}

/// An integer constant, or a vector of it, that simplifies operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Zero,
    /// All bits are set.
    Ones,
}

impl Known {
    fn of(value: Value<'_>) -> Option<Self> {
        // SAFETY: a live value; constants are unique in their context, so that equal ones are one object. Integer types have both constants.
        unsafe {
            if LLVMIsConstant(value.raw) == 0 {
                return None;
            }
            let ty = LLVMTypeOf(value.raw);
            if LLVMConstNull(ty) == value.raw {
                return Some(Self::Zero);
            }
            let element = if LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMVectorTypeKind {
                LLVMGetElementType(ty)
            } else {
                ty
            };
            let is_integer = LLVMGetTypeKind(element) == LLVMTypeKind::LLVMIntegerTypeKind;
            (is_integer && LLVMConstAllOnes(ty) == value.raw).then_some(Self::Ones)
        }
    }
}

/// The result of an integer operation of which one operand is a constant that decides it.
fn simplified<'c>(op: BinaryOp, a: Value<'c>, b: Value<'c>) -> Option<Value<'c>> {
    let (of_a, of_b) = (Known::of(a), Known::of(b));
    match op {
        BinaryOp::And => match (of_a, of_b) {
            (Some(Known::Ones), _) | (_, Some(Known::Zero)) => Some(b),
            (_, Some(Known::Ones)) | (Some(Known::Zero), _) => Some(a),
            (None, None) => None,
        },
        BinaryOp::Or => match (of_a, of_b) {
            (Some(Known::Zero), _) | (_, Some(Known::Ones)) => Some(b),
            (_, Some(Known::Zero)) | (Some(Known::Ones), _) => Some(a),
            (None, None) => None,
        },
        BinaryOp::Xor | BinaryOp::Add => match (of_a, of_b) {
            (Some(Known::Zero), _) => Some(b),
            (_, Some(Known::Zero)) => Some(a),
            _ => None,
        },
        BinaryOp::Sub | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            (of_b == Some(Known::Zero)).then_some(a)
        }
        _ => None,
    }
}

/// Has a builder build before an instruction that is in a block, with its place in the source.
pub(crate) fn build_before<'c>(builder: &Builder<'c>, inst: Value<'c>) {
    // SAFETY: the instruction is alive and in a block.
    unsafe { LLVMPositionBuilderBefore(builder.raw, inst.raw) };
    builder.insertion_point.set(InsertionPoint::Before);
}

/// Takes an instruction out of its block and puts it before another one. It gets the place in the source and the name that the builder gives.
pub(crate) fn move_before<'c>(builder: &Builder<'c>, inst: Value<'c>, next: Value<'c>) {
    build_before(builder, next);
    // SAFETY: both instructions are in blocks, and the second stays where it is.
    unsafe {
        LLVMInstructionRemoveFromParent(inst.raw);
        LLVMPositionBuilder(builder.raw, LLVMGetInstructionParent(next.raw), next.raw);
        LLVMInsertIntoBuilder(builder.raw, inst.raw);
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new` and disposed once.
        unsafe { LLVMDisposeBuilder(self.raw) };
    }
}

impl<'c> Builder<'c> {
    /// A builder without an insertion point; call [`Builder::position_at_end`] first.
    pub fn new(types: Types<'c>) -> Self {
        // SAFETY: the context is alive.
        let raw = unsafe { LLVMCreateBuilderInContext(types.context.raw()) };
        let insertion_point = Cell::new(InsertionPoint::End);
        Self { raw, types, simplifies: false, insertion_point, context: PhantomData }
    }

    /// As [`Builder::new`]; integer operations and selections that a constant operand decides give that result instead of an instruction:
    /// `and %x, -1` is `%x`. For code with many constant masks, which LLVM would have to remove.
    pub fn simplifying(types: Types<'c>) -> Self {
        let mut builder = Self::new(types);
        builder.simplifies = true;
        builder
    }

    /// The types of the builder's context.
    pub fn types(&self) -> Types<'c> {
        self.types
    }

    /// Goes to the end of a block.
    pub fn position_at_end(&self, block: Block<'c>) {
        // SAFETY: the block is alive.
        unsafe { LLVMPositionBuilderAtEnd(self.raw, block.raw) };
        self.insertion_point.set(InsertionPoint::End);
    }

    /// Goes before the terminator of a block.
    ///
    /// # Errors
    ///
    /// When the block has none.
    pub fn position_before_end(&self, block: Block<'c>) -> Result<(), LlvmError> {
        // SAFETY: the block is alive; its terminator is asked for first.
        unsafe {
            let terminator = LLVMGetBasicBlockTerminator(block.raw);
            if terminator.is_null() {
                return Err(LlvmError::Other { message: "the block has no terminator".to_owned() });
            }
            LLVMPositionBuilderBefore(self.raw, terminator);
        }
        self.insertion_point.set(InsertionPoint::Before);
        Ok(())
    }

    /// The block the builder appends to.
    ///
    /// # Errors
    ///
    /// When the builder has no insertion point yet.
    pub fn block(&self) -> Result<Block<'c>, LlvmError> {
        // SAFETY: the builder is alive.
        let block = unsafe { LLVMGetInsertBlock(self.raw) };
        match block.is_null() {
            true => Err(LlvmError::Other { message: "the builder has no place to build at".to_owned() }),
            false => Ok(Block::new(block)),
        }
    }

    /// The function of the block that the builder appends to.
    ///
    /// # Errors
    ///
    /// When the builder has no insertion point yet.
    pub fn function(&self) -> Result<Function<'c>, LlvmError> {
        let block = self.block()?;
        // SAFETY: a live block, which is in a function.
        unsafe {
            let function = LLVMGetBasicBlockParent(block.raw);
            Ok(Function::from_raw(Value::new(function), Type::new(LLVMGlobalGetValueType(function))))
        }
    }

    /// Whether the builder's block has a terminator already.
    pub fn is_terminated(&self) -> bool {
        // SAFETY: a live block, or null, which the check leaves alone.
        unsafe {
            let block = LLVMGetInsertBlock(self.raw);
            !block.is_null() && !LLVMGetBasicBlockTerminator(block).is_null()
        }
    }

    /// The last instruction of the builder's block, if there is one.
    pub fn last_instruction(&self) -> Option<Value<'c>> {
        // SAFETY: a live block, or null, which the check leaves alone.
        let last = unsafe {
            let block = LLVMGetInsertBlock(self.raw);
            if block.is_null() { block.cast() } else { LLVMGetLastInstruction(block) }
        };
        (!last.is_null()).then(|| Value::new(last))
    }

    /// The first instruction after `before`, or of the builder's block.
    pub fn first_since(&self, before: Option<Value<'c>>) -> Option<Value<'c>> {
        // SAFETY: as in `instructions_since`.
        let first = unsafe {
            let block = LLVMGetInsertBlock(self.raw);
            match before {
                Some(value) if !LLVMIsAInstruction(value.raw).is_null() => LLVMGetNextInstruction(value.raw),
                Some(_) | None if block.is_null() => std::ptr::null_mut(),
                Some(_) | None => LLVMGetFirstInstruction(block),
            }
        };
        (!first.is_null()).then(|| Value::new(first))
    }

    /// The instructions of the builder's block after `before`, or all of them, in order.
    pub fn instructions_since(&self, before: Option<Value<'c>>) -> Vec<Value<'c>> {
        let mut made = Vec::new();
        // SAFETY: a live block, or null, which the check leaves alone; `before` is asked whether it is an instruction, and
        // each instruction's successor is null at the end of its block.
        unsafe {
            let block = LLVMGetInsertBlock(self.raw);
            if block.is_null() {
                return made;
            }
            let mut next = match before {
                Some(value) if !LLVMIsAInstruction(value.raw).is_null() => LLVMGetNextInstruction(value.raw),
                Some(_) | None => LLVMGetFirstInstruction(block),
            };
            while !next.is_null() {
                made.push(Value::new(next));
                next = LLVMGetNextInstruction(next);
            }
        }
        made
    }

    /// The source location of what is built from now on; `None` for none.
    pub fn set_location(&self, location: Option<Metadata<'c>>) {
        // SAFETY: a location of this context or none.
        unsafe { LLVMSetCurrentDebugLocation2(self.raw, location.map_or(std::ptr::null_mut(), |l| l.raw)) };
    }

    /// Whether there is an insertion point.
    pub(super) fn at(&self) -> Result<(), LlvmError> {
        if self.insertion_point.get() == InsertionPoint::End && self.is_terminated() {
            return Err(LlvmError::Other {
                message: "an instruction after the block's terminator".to_owned(),
            });
        }
        self.block().map(|_| ())
    }

    /// A two-operand instruction without flags.
    ///
    /// # Errors
    ///
    /// When the operands differ in type, or are not integers (or floats) or vectors of them.
    pub fn binary(&self, op: BinaryOp, a: Value<'c>, b: Value<'c>) -> Built<'c> {
        self.at()?;
        let element = a.ty().vector_parts().map_or(a.ty(), |(element, _)| element);
        let fits = if op.is_float() { element.is_float() } else { element.int_bits().is_some() };
        if a.ty() != b.ty() || !fits {
            return Err(misfit(&format!("{op:?}"), &[a, b]));
        }
        if self.simplifies
            && let Some(known) = simplified(op, a, b)
        {
            return Ok(known);
        }
        // SAFETY: operands of one type that the opcode takes, and an insertion point.
        Ok(Value::new(unsafe { LLVMBuildBinOp(self.raw, op.raw(), a.raw, b.raw, c"".as_ptr()) }))
    }

    /// A floating-point instruction that may or may not be fused.
    ///
    /// # Errors
    ///
    /// As [`Builder::binary`].
    pub fn float_binary(&self, op: BinaryOp, a: Value<'c>, b: Value<'c>, fuse: Contraction) -> Built<'c> {
        let value = self.binary(op, a, b)?;
        self.set_contraction(value, fuse);
        Ok(value)
    }

    /// Sets the `contract` flag of an instruction that can carry it.
    pub fn set_contraction(&self, value: Value<'c>, fuse: Contraction) {
        // SAFETY: asked first whether the value is an instruction with such flags.
        unsafe {
            let can =
                !LLVMIsAInstruction(value.raw).is_null() && LLVMCanValueUseFastMathFlags(value.raw) != 0;
            if can && fuse == Contraction::Allowed {
                LLVMSetFastMathFlags(value.raw, LLVMFastMathAllowContract);
            }
        }
    }

    /// Says that an `add`, `sub`, `mul` or `shl` does not wrap around, as numbers with a sign (`nsw`) or without one (`nuw`): its result is
    /// poison where it does. On anything else it does nothing, also on what was folded into a constant.
    pub fn set_no_wrap(&self, value: Value<'c>, wrap: NoWrap) {
        use LLVMOpcode::{LLVMAdd, LLVMMul, LLVMShl, LLVMSub};
        // SAFETY: asked first whether the value is an instruction that has these flags.
        unsafe {
            if !LLVMIsAInstruction(value.raw).is_null()
                && matches!(LLVMGetInstructionOpcode(value.raw), LLVMAdd | LLVMSub | LLVMMul | LLVMShl)
            {
                LLVMSetNSW(value.raw, i32::from(matches!(wrap, NoWrap::Signed | NoWrap::Both)));
                LLVMSetNUW(value.raw, i32::from(matches!(wrap, NoWrap::Unsigned | NoWrap::Both)));
            }
        }
    }

    /// `fneg`
    ///
    /// # Errors
    ///
    /// When the operand is not a float or vector of floats.
    pub fn float_negate(&self, a: Value<'c>) -> Built<'c> {
        self.at()?;
        if !a.ty().vector_parts().map_or(a.ty(), |(element, _)| element).is_float() {
            return Err(misfit("fneg", &[a]));
        }
        // SAFETY: a floating-point operand.
        Ok(Value::new(unsafe { LLVMBuildFNeg(self.raw, a.raw, c"".as_ptr()) }))
    }

    /// A conversion; a value that has the type already stays as it is.
    ///
    /// # Errors
    ///
    /// When LLVM has no such conversion between the types.
    pub fn cast(&self, op: CastOp, value: Value<'c>, to: Type<'c>) -> Built<'c> {
        if value.ty() == to {
            return Ok(value);
        }
        self.at()?;
        if !op.fits(value.ty(), to) {
            return Err(misfit(&format!("{op:?} to {}", to.text()), &[value]));
        }
        // SAFETY: the conversion exists between these types.
        Ok(Value::new(unsafe { LLVMBuildCast(self.raw, op.raw(), value.raw, to.raw, c"".as_ptr()) }))
    }

    /// `icmp`
    ///
    /// # Errors
    ///
    /// When the operands differ in type or are no integers or pointers.
    pub fn int_compare(&self, predicate: IntPredicate, a: Value<'c>, b: Value<'c>) -> Built<'c> {
        self.at()?;
        let element = a.ty().vector_parts().map_or(a.ty(), |(element, _)| element);
        if a.ty() != b.ty() || (element.int_bits().is_none() && element.pointer_space().is_none()) {
            return Err(misfit("icmp", &[a, b]));
        }
        // SAFETY: two integers or pointers of one type.
        Ok(Value::new(unsafe { LLVMBuildICmp(self.raw, predicate.raw(), a.raw, b.raw, c"".as_ptr()) }))
    }

    /// `fcmp`
    ///
    /// # Errors
    ///
    /// When the operands differ in type or are no floats.
    pub fn float_compare(&self, predicate: FloatPredicate, a: Value<'c>, b: Value<'c>) -> Built<'c> {
        self.at()?;
        let element = a.ty().vector_parts().map_or(a.ty(), |(element, _)| element);
        if a.ty() != b.ty() || !element.is_float() {
            return Err(misfit("fcmp", &[a, b]));
        }
        // SAFETY: two floats of one type.
        Ok(Value::new(unsafe { LLVMBuildFCmp(self.raw, predicate.raw(), a.raw, b.raw, c"".as_ptr()) }))
    }

    /// `select`
    ///
    /// # Errors
    ///
    /// When the condition is no `i1` (or a vector of as many), or the values differ in type.
    pub fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Built<'c> {
        self.at()?;
        let scalar = condition.ty().int_bits() == Some(1);
        let lanes =
            condition.ty().vector_parts().filter(|(element, _)| element.int_bits() == Some(1)).map(|p| p.1);
        let matching = lanes.is_some() && lanes == yes.ty().vector_parts().map(|parts| parts.1);
        if yes.ty() != no.ty() || !(scalar || matching) {
            return Err(misfit("select", &[condition, yes, no]));
        }
        if self.simplifies {
            match Known::of(condition) {
                Some(Known::Ones) => return Ok(yes),
                Some(Known::Zero) => return Ok(no),
                None => {}
            }
        }
        // SAFETY: a condition and two values of one type.
        Ok(Value::new(unsafe { LLVMBuildSelect(self.raw, condition.raw, yes.raw, no.raw, c"".as_ptr()) }))
    }

    /// `freeze`: a value that is left open becomes some value, the same for all uses.
    ///
    /// # Errors
    ///
    /// When the builder has no insertion point yet.
    pub fn freeze(&self, value: Value<'c>) -> Built<'c> {
        self.at()?;
        // SAFETY: every value of a first-class type can be frozen.
        Ok(Value::new(unsafe { LLVMBuildFreeze(self.raw, value.raw, c"".as_ptr()) }))
    }

    /// `getelementptr i8`: the address so many bytes after another; wraps around.
    ///
    /// # Errors
    ///
    /// When the base is not a pointer or the offset no integer.
    pub fn offset(&self, base: Value<'c>, bytes: Value<'c>) -> Built<'c> {
        self.at()?;
        if base.ty().pointer_space().is_none() || bytes.ty().int_bits().is_none() {
            return Err(misfit("getelementptr", &[base, bytes]));
        }
        let mut index = [bytes.raw];
        let byte = self.types.int(8);
        // SAFETY: a pointer and one integer index.
        Ok(Value::new(unsafe {
            LLVMBuildGEP2(self.raw, byte.raw, base.raw, index.as_mut_ptr(), 1, c"".as_ptr())
        }))
    }

    /// A field of a struct or array.
    ///
    /// # Errors
    ///
    /// When there is no such field.
    pub fn extract_field(&self, aggregate: Value<'c>, index: u32) -> Built<'c> {
        self.at()?;
        if aggregate.ty().field(index).is_none() {
            return Err(misfit("extractvalue", &[aggregate]));
        }
        // SAFETY: the aggregate has the field.
        Ok(Value::new(unsafe { LLVMBuildExtractValue(self.raw, aggregate.raw, index, c"".as_ptr()) }))
    }

    /// A struct or array with one field replaced.
    ///
    /// # Errors
    ///
    /// When there is no such field or the value has another type.
    pub fn insert_field(&self, aggregate: Value<'c>, value: Value<'c>, index: u32) -> Built<'c> {
        self.at()?;
        if aggregate.ty().field(index) != Some(value.ty()) {
            return Err(misfit("insertvalue", &[aggregate, value]));
        }
        // SAFETY: the aggregate has the field, of the value's type.
        Ok(Value::new(unsafe {
            LLVMBuildInsertValue(self.raw, aggregate.raw, value.raw, index, c"".as_ptr())
        }))
    }

    /// An element of a vector.
    ///
    /// # Errors
    ///
    /// When there is no such element.
    pub fn extract_element(&self, vector: Value<'c>, index: u32) -> Built<'c> {
        self.at()?;
        if vector.ty().vector_parts().is_none_or(|(_, count)| index >= count) {
            return Err(misfit("extractelement", &[vector]));
        }
        let index = self.types.int_value(32, u64::from(index));
        // SAFETY: a vector and an index below its length.
        Ok(Value::new(unsafe { LLVMBuildExtractElement(self.raw, vector.raw, index.raw, c"".as_ptr()) }))
    }

    /// A vector with one element replaced.
    ///
    /// # Errors
    ///
    /// When there is no such element or the value has another type.
    pub fn insert_element(&self, vector: Value<'c>, value: Value<'c>, index: u32) -> Built<'c> {
        self.at()?;
        if vector.ty().vector_parts().is_none_or(|(element, count)| index >= count || element != value.ty()) {
            return Err(misfit("insertelement", &[vector, value]));
        }
        let index = self.types.int_value(32, u64::from(index));
        // SAFETY: a vector, an element of its type and an index below its length.
        Ok(Value::new(unsafe {
            LLVMBuildInsertElement(self.raw, vector.raw, value.raw, index.raw, c"".as_ptr())
        }))
    }
}
