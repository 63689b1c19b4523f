//! Instructions.

use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate,
    LLVMTailCallKind, LLVMValueKind,
};

use super::attributes::AttributeIndex;
use super::constants::{binary, cast, operands};
use super::functions::{Locals, calling_convention};
use super::reader::Reader;
use super::text::{bytes, print_value, value_name};
use crate::error::LlvmError;
use crate::view::id::{BlockId, InlineAsmId};
use crate::view::inst::*;
use crate::view::value::Value;

impl Reader {
    /// Reads an instruction of the function called `place`.
    pub(super) fn inst(
        &mut self,
        raw: LLVMValueRef,
        locals: &Locals,
        place: &str,
    ) -> Result<Inst, LlvmError> {
        // SAFETY: `raw` is an instruction of the module.
        let ty = self.ty(unsafe { LLVMTypeOf(raw) })?;
        let op = self.op(raw, locals).map_err(|error| name_place(error, place))?;
        Ok(Inst {
            op,
            ty,
            name: value_name(raw),
            metadata: self.inst_metadata(raw),
            location: self.inst_location(raw),
        })
    }

    /// The values of all operands.
    fn values<const N: usize>(
        &mut self,
        raw: LLVMValueRef,
        locals: &Locals,
    ) -> Result<[Value; N], LlvmError> {
        // SAFETY: `raw` is an instruction.
        let count = unsafe { LLVMGetNumOperands(raw) };
        if usize::try_from(count).is_ok_and(|count| count < N) {
            return Err(odd("an instruction with too few operands"));
        }
        let mut values = [Value::Arg(0); N];
        for (at, slot) in values.iter_mut().enumerate() {
            // SAFETY: it has as many operands.
            *slot = self.value(unsafe { LLVMGetOperand(raw, at as u32) }, locals)?;
        }
        Ok(values)
    }

    pub(super) fn value(&mut self, raw: LLVMValueRef, locals: &Locals) -> Result<Value, LlvmError> {
        // SAFETY: `raw` is an operand of an instruction of the module, and each getter is called for its own kind only.
        match unsafe { LLVMGetValueKind(raw) } {
            // The C API calls constants that it does not know instructions.
            LLVMValueKind::LLVMInstructionValueKind if !is_instruction(raw) => {
                Ok(Value::Const(self.constant(raw)?))
            }
            LLVMValueKind::LLVMArgumentValueKind | LLVMValueKind::LLVMInstructionValueKind => {
                locals.values.get(&raw).copied().ok_or_else(|| odd("a value of another function"))
            }
            LLVMValueKind::LLVMBasicBlockValueKind => {
                // SAFETY: `raw` is a block.
                let block = unsafe { LLVMValueAsBasicBlock(raw) };
                Ok(Value::Block(find_block(block, locals)?))
            }
            LLVMValueKind::LLVMInlineAsmValueKind => Ok(Value::Asm(self.asm(raw))),
            LLVMValueKind::LLVMMetadataAsValueValueKind => Ok(Value::Metadata(self.metadata_id(raw))),
            _ => Ok(Value::Const(self.constant(raw)?)),
        }
    }

    fn asm(&mut self, raw: LLVMValueRef) -> InlineAsmId {
        if let Some(&id) = self.asms.get(&raw) {
            return id;
        }
        // SAFETY: `raw` is inline assembly; texts are copied at once.
        let asm = unsafe {
            let mut len = 0;
            let text = LLVMGetInlineAsmAsmString(raw, &raw mut len);
            let text = bytes(text, len);
            let constraints = LLVMGetInlineAsmConstraintString(raw, &raw mut len);
            let constraints = bytes(constraints, len);
            InlineAsm { text, constraints, side_effects: LLVMGetInlineAsmHasSideEffects(raw) != 0 }
        };
        let id = InlineAsmId::new(self.view.asms.len());
        self.view.asms.push(asm);
        self.asms.insert(raw, id);
        id
    }

    fn op(&mut self, raw: LLVMValueRef, locals: &Locals) -> Result<Op, LlvmError> {
        // SAFETY: `raw` is an instruction of the module; below, each getter is called for its own opcode only.
        let opcode = unsafe { LLVMGetInstructionOpcode(raw) };
        if let Some(op) = binary(opcode) {
            let [lhs, rhs] = self.values(raw, locals)?;
            return Ok(Op::Binary { op, lhs, rhs, wrap: wrap_flags(raw, opcode), fast: fast_math(raw) });
        }
        if let Some(op) = cast(opcode) {
            let [value] = self.values(raw, locals)?;
            // SAFETY: `nneg` is asked of the two casts that have it.
            let nneg = matches!(opcode, LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMUIToFP)
                && unsafe { LLVMGetNNeg(raw) } != 0;
            return Ok(Op::Cast { op, value, fast: fast_math(raw), nneg, wrap: wrap_flags(raw, opcode) });
        }
        match opcode {
            LLVMOpcode::LLVMRet
            | LLVMOpcode::LLVMBr
            | LLVMOpcode::LLVMSwitch
            | LLVMOpcode::LLVMIndirectBr
            | LLVMOpcode::LLVMInvoke
            | LLVMOpcode::LLVMUnreachable => self.terminator(raw, opcode, locals),
            LLVMOpcode::LLVMAlloca
            | LLVMOpcode::LLVMLoad
            | LLVMOpcode::LLVMStore
            | LLVMOpcode::LLVMGetElementPtr
            | LLVMOpcode::LLVMFence
            | LLVMOpcode::LLVMAtomicCmpXchg
            | LLVMOpcode::LLVMAtomicRMW => self.memory(raw, opcode, locals),
            LLVMOpcode::LLVMExtractElement
            | LLVMOpcode::LLVMInsertElement
            | LLVMOpcode::LLVMShuffleVector
            | LLVMOpcode::LLVMExtractValue
            | LLVMOpcode::LLVMInsertValue => self.aggregate(raw, opcode, locals),
            LLVMOpcode::LLVMCall => Ok(Op::Call(Box::new(self.call(raw, locals)?))),
            _ => self.other(raw, opcode, locals),
        }
    }

    fn terminator(
        &mut self,
        raw: LLVMValueRef,
        opcode: LLVMOpcode,
        locals: &Locals,
    ) -> Result<Op, LlvmError> {
        match opcode {
            LLVMOpcode::LLVMRet => {
                let value = operands(raw).first().copied();
                Ok(Op::Ret { value: value.map(|value| self.value(value, locals)).transpose()? })
            }
            LLVMOpcode::LLVMBr => {
                let targets = successors(raw, locals)?;
                // SAFETY: `raw` is a branch; it has a condition when it is conditional.
                let cond = unsafe { (LLVMIsConditional(raw) != 0).then(|| LLVMGetCondition(raw)) };
                match (cond, targets.as_slice()) {
                    (Some(cond), &[then, other]) => {
                        Ok(Op::CondBr { cond: self.value(cond, locals)?, then, other })
                    }
                    (None, &[target]) => Ok(Op::Br { target }),
                    _ => Err(odd("a branch with an odd number of targets")),
                }
            }
            LLVMOpcode::LLVMSwitch => {
                let targets = successors(raw, locals)?;
                let [default, rest @ ..] = targets.as_slice() else {
                    return Err(odd("a switch without a default"));
                };
                let mut cases = Vec::with_capacity(rest.len());
                for (at, &target) in rest.iter().enumerate() {
                    // SAFETY: `raw` is a switch; its cases are numbered from 1.
                    let case = unsafe { LLVMGetSwitchCaseValue(raw, at as u32 + 1) };
                    cases.push((self.constant(case)?, target));
                }
                // SAFETY: `raw` is a switch, whose condition is its first operand.
                let value = unsafe { LLVMGetOperand(raw, 0) };
                Ok(Op::Switch { value: self.value(value, locals)?, default: *default, cases })
            }
            LLVMOpcode::LLVMIndirectBr => {
                let [address] = self.values(raw, locals)?;
                Ok(Op::IndirectBr { address, targets: successors(raw, locals)? })
            }
            LLVMOpcode::LLVMInvoke => {
                // SAFETY: `raw` is an invoke.
                let normal = unsafe { LLVMGetNormalDest(raw) };
                let normal = find_block(normal, locals)?;
                Ok(Op::Invoke { call: Box::new(self.call(raw, locals)?), normal })
            }
            _ => Ok(Op::Unreachable),
        }
    }

    fn memory(&mut self, raw: LLVMValueRef, opcode: LLVMOpcode, locals: &Locals) -> Result<Op, LlvmError> {
        match opcode {
            LLVMOpcode::LLVMAlloca => {
                let [count] = self.values(raw, locals)?;
                // SAFETY: `raw` is an alloca.
                let (ty, align) = unsafe { (LLVMGetAllocatedType(raw), LLVMGetAlignment(raw)) };
                Ok(Op::Alloca { ty: self.ty(ty)?, count, align })
            }
            LLVMOpcode::LLVMLoad => {
                let [ptr] = self.values(raw, locals)?;
                let (align, volatile, order) = access(raw);
                Ok(Op::Load { ptr, align, volatile, order, scope: self.scope(raw) })
            }
            LLVMOpcode::LLVMStore => {
                let [value, ptr] = self.values(raw, locals)?;
                let (align, volatile, order) = access(raw);
                Ok(Op::Store { value, ptr, align, volatile, order, scope: self.scope(raw) })
            }
            LLVMOpcode::LLVMGetElementPtr => {
                let parts = operands(raw);
                let [base, indices @ ..] = parts.as_slice() else {
                    return Err(odd("a getelementptr without operands"));
                };
                // SAFETY: `raw` is a getelementptr.
                let (source, inbounds) =
                    unsafe { (LLVMGetGEPSourceElementType(raw), LLVMIsInBounds(raw) != 0) };
                let indices =
                    indices.iter().map(|&index| self.value(index, locals)).collect::<Result<_, _>>()?;
                Ok(Op::Gep { source: self.ty(source)?, base: self.value(*base, locals)?, indices, inbounds })
            }
            LLVMOpcode::LLVMFence => {
                // SAFETY: `raw` is a fence.
                let order = order(unsafe { LLVMGetOrdering(raw) });
                Ok(Op::Fence { order, scope: self.scope(raw) })
            }
            LLVMOpcode::LLVMAtomicCmpXchg => {
                let [ptr, expected, new] = self.values(raw, locals)?;
                // SAFETY: `raw` is a cmpxchg.
                let (success, failure, volatile, align) = unsafe {
                    (
                        order(LLVMGetCmpXchgSuccessOrdering(raw)),
                        order(LLVMGetCmpXchgFailureOrdering(raw)),
                        LLVMGetVolatile(raw) != 0,
                        LLVMGetAlignment(raw),
                    )
                };
                Ok(Op::CmpXchg {
                    ptr,
                    expected,
                    new,
                    success,
                    failure,
                    scope: self.scope(raw),
                    volatile,
                    align,
                })
            }
            _ => {
                let [ptr, value] = self.values(raw, locals)?;
                let (align, volatile, order) = access(raw);
                // SAFETY: `raw` is an atomicrmw, the only opcode left here.
                let op = atomic_op(unsafe { LLVMGetAtomicRMWBinOp(raw) });
                Ok(Op::AtomicRmw { op, ptr, value, order, scope: self.scope(raw), volatile, align })
            }
        }
    }

    fn aggregate(&mut self, raw: LLVMValueRef, opcode: LLVMOpcode, locals: &Locals) -> Result<Op, LlvmError> {
        Ok(match opcode {
            LLVMOpcode::LLVMExtractElement => {
                let [vector, index] = self.values(raw, locals)?;
                Op::ExtractElement { vector, index }
            }
            LLVMOpcode::LLVMInsertElement => {
                let [vector, element, index] = self.values(raw, locals)?;
                Op::InsertElement { vector, element, index }
            }
            LLVMOpcode::LLVMShuffleVector => {
                let [a, b] = self.values(raw, locals)?;
                // SAFETY: `raw` is a shufflevector, and the elements are below their count.
                let mask =
                    unsafe { (0..LLVMGetNumMaskElements(raw)).map(|at| LLVMGetMaskValue(raw, at)).collect() };
                Op::ShuffleVector { a, b, mask }
            }
            LLVMOpcode::LLVMExtractValue => {
                let [aggregate] = self.values(raw, locals)?;
                Op::ExtractValue { aggregate, indices: indices(raw) }
            }
            _ => {
                let [aggregate, element] = self.values(raw, locals)?;
                Op::InsertValue { aggregate, element, indices: indices(raw) }
            }
        })
    }

    fn call(&mut self, raw: LLVMValueRef, locals: &Locals) -> Result<Call, LlvmError> {
        // SAFETY: `raw` is a call or an invoke; only a call has a tail call kind.
        let (callee, ty, count, convention, tail) = unsafe {
            (
                LLVMGetCalledValue(raw),
                LLVMGetCalledFunctionType(raw),
                LLVMGetNumArgOperands(raw),
                LLVMGetInstructionCallConv(raw),
                (!LLVMIsACallInst(raw).is_null()).then(|| LLVMGetTailCallKind(raw)),
            )
        };
        let mut args = Vec::with_capacity(count as usize);
        let mut arg_attributes = Vec::with_capacity(count as usize);
        for at in 0..count {
            // SAFETY: arguments are the first operands of a call.
            let arg = unsafe { LLVMGetOperand(raw, at) };
            args.push(self.value(arg, locals)?);
            arg_attributes.push(self.call_attributes(raw, AttributeIndex::Param(at))?);
        }
        Ok(Call {
            callee: self.value(callee, locals)?,
            ty: self.ty(ty)?,
            args,
            convention: calling_convention(convention),
            attributes: self.call_attributes(raw, AttributeIndex::Function)?,
            ret_attributes: self.call_attributes(raw, AttributeIndex::Return)?,
            arg_attributes,
            fast: fast_math(raw),
            bundles: self.bundles(raw, locals)?,
            must_tail: matches!(tail, Some(LLVMTailCallKind::LLVMTailCallKindMustTail)),
        })
    }

    fn bundles(&mut self, raw: LLVMValueRef, locals: &Locals) -> Result<Vec<Bundle>, LlvmError> {
        let mut all = Vec::new();
        // SAFETY: `raw` is a call; bundles and their operands are below their counts, and each bundle is ours to dispose.
        unsafe {
            for at in 0..LLVMGetNumOperandBundles(raw) {
                let bundle = LLVMGetOperandBundleAtIndex(raw, at);
                let mut len = 0;
                let tag = LLVMGetOperandBundleTag(bundle, &raw mut len);
                let tag = bytes(tag, len);
                let args: Vec<_> = (0..LLVMGetNumOperandBundleArgs(bundle))
                    .map(|arg| LLVMGetOperandBundleArgAtIndex(bundle, arg))
                    .collect();
                LLVMDisposeOperandBundle(bundle);
                let args = args.into_iter().map(|arg| self.value(arg, locals)).collect::<Result<_, _>>()?;
                all.push(Bundle { tag, args });
            }
        }
        Ok(all)
    }

    fn other(&mut self, raw: LLVMValueRef, opcode: LLVMOpcode, locals: &Locals) -> Result<Op, LlvmError> {
        Ok(match opcode {
            LLVMOpcode::LLVMFNeg => {
                let [value] = self.values(raw, locals)?;
                Op::FNeg { value, fast: fast_math(raw) }
            }
            LLVMOpcode::LLVMICmp => {
                let [lhs, rhs] = self.values(raw, locals)?;
                // SAFETY: `raw` is an icmp.
                Op::ICmp { predicate: int_predicate(unsafe { LLVMGetICmpPredicate(raw) }), lhs, rhs }
            }
            LLVMOpcode::LLVMFCmp => {
                let [lhs, rhs] = self.values(raw, locals)?;
                // SAFETY: `raw` is an fcmp.
                let predicate = float_predicate(unsafe { LLVMGetFCmpPredicate(raw) });
                Op::FCmp { predicate, lhs, rhs, fast: fast_math(raw) }
            }
            LLVMOpcode::LLVMSelect => {
                let [cond, then, other] = self.values(raw, locals)?;
                Op::Select { cond, then, other, fast: fast_math(raw) }
            }
            LLVMOpcode::LLVMFreeze => {
                let [value] = self.values(raw, locals)?;
                Op::Freeze { value }
            }
            LLVMOpcode::LLVMVAArg => {
                let [list] = self.values(raw, locals)?;
                Op::VaArg { list }
            }
            LLVMOpcode::LLVMPHI => {
                let mut incoming = Vec::new();
                // SAFETY: `raw` is a phi, and the entries are below their count.
                unsafe {
                    for at in 0..LLVMCountIncoming(raw) {
                        let block = find_block(LLVMGetIncomingBlock(raw, at), locals)?;
                        incoming.push((self.value(LLVMGetIncomingValue(raw, at), locals)?, block));
                    }
                }
                Op::Phi { incoming }
            }
            LLVMOpcode::LLVMCallBr => Op::Other("callbr"),
            LLVMOpcode::LLVMResume => Op::Other("resume"),
            LLVMOpcode::LLVMLandingPad => Op::Other("landingpad"),
            LLVMOpcode::LLVMCleanupRet => Op::Other("cleanupret"),
            LLVMOpcode::LLVMCatchRet => Op::Other("catchret"),
            LLVMOpcode::LLVMCatchPad => Op::Other("catchpad"),
            LLVMOpcode::LLVMCleanupPad => Op::Other("cleanuppad"),
            LLVMOpcode::LLVMCatchSwitch => Op::Other("catchswitch"),
            _ => Op::Other("instruction of an unknown kind"),
        })
    }

    /// The scope of an atomic access; the system's for what is not atomic.
    fn scope(&self, raw: LLVMValueRef) -> Scope {
        // SAFETY: callers pass loads, stores, fences, cmpxchg and atomicrmw; the scope is asked of atomic ones only.
        let number = unsafe {
            if LLVMIsAtomic(raw) == 0 {
                return Scope::System;
            }
            LLVMGetAtomicSyncScopeID(raw)
        };
        self.names.scopes.get(&number).cloned().unwrap_or_else(|| Scope::Other(scope_text(&print_value(raw))))
    }
}

/// The name in `syncscope("name")` of a printed instruction; the C API does not give it.
fn scope_text(text: &str) -> String {
    let name = text.split_once("syncscope(\"").and_then(|(_, rest)| rest.split_once('"'));
    debug_assert!(name.is_some(), "LLVM does not print the scope of `{text}`");
    // Default: no scope has an empty name, which raising reports as it does other unknown ones.
    name.map_or("", |(name, _)| name).to_owned()
}

fn is_instruction(raw: LLVMValueRef) -> bool {
    // SAFETY: `raw` is a value of the module.
    unsafe { !LLVMIsAInstruction(raw).is_null() }
}

fn odd(construct: &str) -> LlvmError {
    LlvmError::Unsupported { construct: construct.to_owned(), place: String::new() }
}

/// Adds the function's name to an error that lacks a place.
fn name_place(error: LlvmError, name: &str) -> LlvmError {
    match error {
        LlvmError::Unsupported { construct, place } if place.is_empty() => {
            LlvmError::Unsupported { construct, place: format!("function {name}") }
        }
        other => other,
    }
}

fn find_block(block: llvm_sys::prelude::LLVMBasicBlockRef, locals: &Locals) -> Result<BlockId, LlvmError> {
    locals.blocks.get(&block).copied().ok_or_else(|| odd("a block of another function"))
}

fn successors(raw: LLVMValueRef, locals: &Locals) -> Result<Vec<BlockId>, LlvmError> {
    // SAFETY: callers pass terminators, and successors are below their count.
    let blocks: Vec<_> =
        unsafe { (0..LLVMGetNumSuccessors(raw)).map(|at| LLVMGetSuccessor(raw, at)).collect() };
    blocks.into_iter().map(|block| find_block(block, locals)).collect()
}

fn indices(raw: LLVMValueRef) -> Vec<u32> {
    // SAFETY: callers pass extractvalue or insertvalue, whose indices are an array of the stated length.
    unsafe {
        let count = LLVMGetNumIndices(raw) as usize;
        let start = LLVMGetIndices(raw);
        if start.is_null() || count == 0 {
            Vec::new()
        } else {
            std::slice::from_raw_parts(start, count).to_vec()
        }
    }
}

/// Alignment in bytes, volatility and order of a load, a store or an atomicrmw.
fn access(raw: LLVMValueRef) -> (u32, bool, AtomicOrder) {
    // SAFETY: callers pass one of the three, which have all of these.
    unsafe { (LLVMGetAlignment(raw), LLVMGetVolatile(raw) != 0, order(LLVMGetOrdering(raw))) }
}

fn wrap_flags(raw: LLVMValueRef, opcode: LLVMOpcode) -> WrapFlags {
    let mut flags = WrapFlags::default();
    // SAFETY: each flag is asked of the opcodes that have it.
    unsafe {
        match opcode {
            LLVMOpcode::LLVMAdd
            | LLVMOpcode::LLVMSub
            | LLVMOpcode::LLVMMul
            | LLVMOpcode::LLVMShl
            | LLVMOpcode::LLVMTrunc => {
                flags.nuw = LLVMGetNUW(raw) != 0;
                flags.nsw = LLVMGetNSW(raw) != 0;
            }
            LLVMOpcode::LLVMUDiv | LLVMOpcode::LLVMSDiv | LLVMOpcode::LLVMLShr | LLVMOpcode::LLVMAShr => {
                flags.exact = LLVMGetExact(raw) != 0;
            }
            LLVMOpcode::LLVMOr => flags.disjoint = LLVMGetIsDisjoint(raw) != 0,
            _ => {}
        }
    }
    flags
}

fn fast_math(raw: LLVMValueRef) -> FastMath {
    // SAFETY: the flags are asked of instructions that can have them.
    let bits = unsafe {
        if LLVMCanValueUseFastMathFlags(raw) == 0 {
            return FastMath::default();
        }
        LLVMGetFastMathFlags(raw)
    };
    FastMath {
        reassoc: bits & llvm_sys::LLVMFastMathAllowReassoc != 0,
        nnan: bits & llvm_sys::LLVMFastMathNoNaNs != 0,
        ninf: bits & llvm_sys::LLVMFastMathNoInfs != 0,
        nsz: bits & llvm_sys::LLVMFastMathNoSignedZeros != 0,
        arcp: bits & llvm_sys::LLVMFastMathAllowReciprocal != 0,
        contract: bits & llvm_sys::LLVMFastMathAllowContract != 0,
        afn: bits & llvm_sys::LLVMFastMathApproxFunc != 0,
    }
}

fn order(order: LLVMAtomicOrdering) -> AtomicOrder {
    match order {
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic => AtomicOrder::NotAtomic,
        LLVMAtomicOrdering::LLVMAtomicOrderingUnordered => AtomicOrder::Unordered,
        LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic => AtomicOrder::Monotonic,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => AtomicOrder::Acquire,
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => AtomicOrder::Release,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => AtomicOrder::AcquireRelease,
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => AtomicOrder::SequentiallyConsistent,
    }
}

fn atomic_op(op: LLVMAtomicRMWBinOp) -> AtomicOp {
    match op {
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXchg => AtomicOp::Xchg,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd => AtomicOp::Add,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpSub => AtomicOp::Sub,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAnd => AtomicOp::And,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpNand => AtomicOp::Nand,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpOr => AtomicOp::Or,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXor => AtomicOp::Xor,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMax => AtomicOp::Max,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMin => AtomicOp::Min,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMax => AtomicOp::UMax,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMin => AtomicOp::UMin,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFAdd => AtomicOp::FAdd,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFSub => AtomicOp::FSub,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFMax => AtomicOp::FMax,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFMin => AtomicOp::FMin,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFMaximum => AtomicOp::FMaximum,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFMinimum => AtomicOp::FMinimum,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUIncWrap => AtomicOp::UIncWrap,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUDecWrap => AtomicOp::UDecWrap,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUSubCond => AtomicOp::USubCond,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUSubSat => AtomicOp::USubSat,
    }
}

fn int_predicate(predicate: LLVMIntPredicate) -> IntPredicate {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => IntPredicate::Eq,
        LLVMIntPredicate::LLVMIntNE => IntPredicate::Ne,
        LLVMIntPredicate::LLVMIntUGT => IntPredicate::Ugt,
        LLVMIntPredicate::LLVMIntUGE => IntPredicate::Uge,
        LLVMIntPredicate::LLVMIntULT => IntPredicate::Ult,
        LLVMIntPredicate::LLVMIntULE => IntPredicate::Ule,
        LLVMIntPredicate::LLVMIntSGT => IntPredicate::Sgt,
        LLVMIntPredicate::LLVMIntSGE => IntPredicate::Sge,
        LLVMIntPredicate::LLVMIntSLT => IntPredicate::Slt,
        LLVMIntPredicate::LLVMIntSLE => IntPredicate::Sle,
    }
}

fn float_predicate(predicate: LLVMRealPredicate) -> FloatPredicate {
    match predicate {
        LLVMRealPredicate::LLVMRealPredicateFalse => FloatPredicate::False,
        LLVMRealPredicate::LLVMRealOEQ => FloatPredicate::Oeq,
        LLVMRealPredicate::LLVMRealOGT => FloatPredicate::Ogt,
        LLVMRealPredicate::LLVMRealOGE => FloatPredicate::Oge,
        LLVMRealPredicate::LLVMRealOLT => FloatPredicate::Olt,
        LLVMRealPredicate::LLVMRealOLE => FloatPredicate::Ole,
        LLVMRealPredicate::LLVMRealONE => FloatPredicate::One,
        LLVMRealPredicate::LLVMRealORD => FloatPredicate::Ord,
        LLVMRealPredicate::LLVMRealUNO => FloatPredicate::Uno,
        LLVMRealPredicate::LLVMRealUEQ => FloatPredicate::Ueq,
        LLVMRealPredicate::LLVMRealUGT => FloatPredicate::Ugt,
        LLVMRealPredicate::LLVMRealUGE => FloatPredicate::Uge,
        LLVMRealPredicate::LLVMRealULT => FloatPredicate::Ult,
        LLVMRealPredicate::LLVMRealULE => FloatPredicate::Ule,
        LLVMRealPredicate::LLVMRealUNE => FloatPredicate::Une,
        LLVMRealPredicate::LLVMRealPredicateTrue => FloatPredicate::True,
    }
}
