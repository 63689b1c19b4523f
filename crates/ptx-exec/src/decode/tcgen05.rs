//! Tensor memory and the multiplications that use it (manual 9.7.16).

use ptx_ir::{AddressBase, Operand};
use ptx_isa::{Field, Mod, ScalarType};

use super::body::{BodyDecoder, Context, unary};
use super::collective::emit;
use super::convert::int_of;
use super::modifiers::TOGETHER;
use super::{Decoded, finding};
use crate::error::codes;
use crate::layout::immediate_bits;
use crate::memory::Space;
use crate::program::{
    CollectiveKind, Columns, Dst, Effect, Group, Participants, Reduction, Sharing, Src, TensorAccess,
    TensorMove, TensorShape, Unary,
};
use crate::scalar::float::{Extreme, NanRule, SignRule};
use crate::scalar::int::Int;

/// The space and offset of accesses to tensor memory, which is none of the spaces.
const NOWHERE: (Space, i64) = (Space::Generic, 0);

/// Why it does not matter what is waited for.
const IN_ORDER: &str = "accesses are done in their order";

impl BodyDecoder<'_> {
    /// All of `tcgen05` but the multiplications.
    pub(super) fn tensor_memory(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        cx.m.ignore_words(&[Mod::Sync, Mod::Aligned], TOGETHER);
        if cx.m.has(Mod::Ld) || cx.m.has(Mod::St) {
            return self.tensor_move(cx);
        }
        if cx.m.has(Mod::WaitLd) || cx.m.has(Mod::WaitSt) {
            cx.m.ignore(&[Field::Action], IN_ORDER);
            return self.tensor_access(cx, TensorAccess::Wait, Vec::new(), Vec::new());
        }
        if cx.m.has(Mod::FenceBeforeThreadSync) || cx.m.has(Mod::FenceAfterThreadSync) {
            cx.m.ignore(&[Field::Action], IN_ORDER);
            cx.emit(Effect::Fence);
            return Ok(());
        }
        let sharing = if cx.m.has(Mod::Exclusive) { Sharing::Exclusive } else { Sharing::Shared };
        let group = group(cx)?;
        cx.m.ignore_words(&[Mod::B32], "addresses of tensor memory have one type");
        if cx.m.has(Mod::Alloc) {
            let (at, _) = cx.named("dst");
            let (to, addressing) = self.matrix_address(cx, at)?;
            let srcs = vec![to, self.src_named(cx, "nCols")?];
            let kind = CollectiveKind::Tensor(TensorAccess::Allocate(group, sharing));
            emit(cx, kind, Participants::Warp, srcs, Vec::new(), addressing);
            return Ok(());
        }
        if cx.m.has(Mod::Dealloc) {
            let srcs = vec![self.src_named(cx, "taddr")?, self.src_named(cx, "nCols")?];
            return self.tensor_access(cx, TensorAccess::Free(group, sharing), srcs, Vec::new());
        }
        if cx.m.has(Mod::RelinquishAllocPermit) {
            return self.tensor_access(cx, TensorAccess::Relinquish(group), Vec::new(), Vec::new());
        }
        cx.unsupported("the interpreter has no such operation")
    }

    fn tensor_access(
        &mut self,
        cx: &mut Context<'_>,
        access: TensorAccess,
        srcs: Vec<Src>,
        dsts: Vec<Dst>,
    ) -> Decoded<()> {
        emit(cx, CollectiveKind::Tensor(access), Participants::Warp, srcs, dsts, NOWHERE);
        Ok(())
    }

    /// `tcgen05.ld`, `tcgen05.st`.
    fn tensor_move(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let shape = match cx.m.get(Field::Shape) {
            Some(Mod::S32x32b) => TensorShape::Lanes32,
            Some(Mod::S16x64b) => TensorShape::Lanes16Bits64,
            Some(Mod::S16x128b) => TensorShape::Lanes16Bits128,
            Some(Mod::S16x256b) => TensorShape::Lanes16Bits256,
            Some(Mod::S16x32bx2) => TensorShape::Split(self.half_distance(cx)?),
            _ => return cx.unsupported("it names no known shape"),
        };
        cx.m.ignore(&[Field::Num], "the operand has that many registers");
        cx.m.ignore_words(&[Mod::B32], "cells of tensor memory have no other type");
        let halves = cx.m.has(Mod::Pack16b) || cx.m.has(Mod::Unpack16b);
        let columns = if halves { Columns::Halves } else { Columns::Whole };
        let cells = TensorMove { shape, columns };
        let mut srcs = vec![self.tensor_address(cx, "taddr")?];
        let (at, _) = cx.named("r");
        if cx.m.has(Mod::St) {
            srcs.extend(self.vector_srcs(cx, at)?);
            return self.tensor_access(cx, TensorAccess::Store(cells), srcs, Vec::new());
        }
        let mut dsts = self.vector_dsts(cx, at)?;
        if !cx.m.has(Mod::Red) {
            return self.tensor_access(cx, TensorAccess::Load(cells), srcs, dsts);
        }
        let which = match cx.m.get(Field::Op) {
            Some(Mod::Min) => Extreme::Min,
            Some(Mod::Max) => Extreme::Max,
            _ => return cx.unsupported("its reduction is not known here"),
        };
        let nan = if cx.m.has(Mod::Nan) { NanRule::Propagate } else { NanRule::Ignore };
        let sign = if cx.m.has(Mod::AbsMod) { SignRule::Magnitude } else { SignRule::Plain };
        let (at, _) = cx.named("redval");
        dsts.extend(self.vector_dsts(cx, at)?);
        let access = if cx.m.has(Mod::Spcompress) {
            cx.m.ignore_words(&[Mod::Sp24, Mod::B2], "there is one compression");
            if cx.m.scalar_type() != Some(ScalarType::F32) {
                return cx.unsupported("its type is not known here");
            }
            let (at, _) = cx.named("e");
            let positions = self.vector_dsts(cx, at)?;
            dsts.splice(0..0, positions);
            TensorAccess::LoadCompressed(cells, which, nan, sign)
        } else {
            let reduction = match cx.m.get(Field::Type).and_then(ScalarType::from_mod) {
                Some(ScalarType::F32) => Reduction::Float(which, nan, sign),
                ty => Reduction::Integer(which, ty.and_then(int_of).unwrap_or(Int::U32)),
            };
            TensorAccess::LoadReduced(cells, reduction)
        };
        self.tensor_access(cx, access, srcs, dsts)
    }

    /// Columns from the first half of `.16x32bx2` to the second.
    fn half_distance(&self, cx: &Context<'_>) -> Decoded<i32> {
        match cx.named("immHalfSplitoff") {
            (at, Operand::Immediate(immediate)) => {
                Ok(immediate_bits(immediate, ScalarType::S32, cx.span(at))? as u32 as i32)
            }
            (at, _) => finding(codes::OPERAND, cx.span(at), "expected a constant number of columns"),
        }
    }

    /// The row with the addresses in tensor memory of an operand in brackets.
    pub(super) fn tensor_address(&mut self, cx: &mut Context<'_>, name: &str) -> Decoded<Src> {
        let (at, operand) = cx.named(name);
        match operand {
            Operand::Address(AddressBase::Register(register), offset) => {
                let row = Src::register(self.row_of(register));
                if offset == 0 {
                    return Ok(row);
                }
                let d = self.temporary();
                let op = Unary::AddConstant { addend: offset as u64, mask: u32::MAX.into() };
                cx.prepare(unary(op, d, row));
                Ok(Src::register(d))
            }
            Operand::Address(AddressBase::Absolute, offset) => {
                Ok(cx.constants.of(offset as u64 & u64::from(u32::MAX)))
            }
            _ => finding(codes::OPERAND, cx.span(at), "expected an address of tensor memory in brackets"),
        }
    }
}

/// The blocks that an instruction is for.
fn group(cx: &Context<'_>) -> Decoded<Group> {
    match cx.m.get(Field::CtaGroup) {
        Some(Mod::CtaGroup1) => Ok(Group::One),
        Some(Mod::CtaGroup2) => Ok(Group::Pair),
        _ => cx.unsupported("which blocks it is for is not known here"),
    }
}
