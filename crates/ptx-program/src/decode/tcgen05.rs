//! Tensor memory and the multiplications that use it (manual 9.7.16).

use ptx_ir::{AddressBase, Operand};
use ptx_isa::{Field, Mod, OperandKey, ScalarType};

use super::collective::emit;
use super::context::{Context, unary};
use super::fragments::matrix_address;
use super::numbers::int_of;
use super::operand::{address, space, src_given, src_operand, vector_dsts, vector_srcs};
use super::output::{Decoded, finding};
use super::tensor::multicast;
use crate::codes;
use crate::layout::immediate_bits;
use crate::memory::Space;
use crate::program::{
    AsyncOp, CollectiveKind, Columns, CopyRows, Dst, Effect, Group, Multiplication, MultiplyKind, Packed,
    Participants, Reduction, ScaleVector, Sharing, Src, TensorA, TensorAccess, TensorCommit, TensorIssue,
    TensorMove, TensorOperation, TensorShape, Unary,
};
use crate::scalar::float::{Extreme, NanRule, SignRule};
use crate::scalar::int::Int;

/// The space and offset of accesses to tensor memory, which is not a state space.
const NOWHERE: (Space, i64) = (Space::Generic, 0);

/// Why fences, and arrivals that may be early, have no effect.
const IN_ORDER: &str = "operations of a block are done in their order";

/// All `tcgen05` instructions except multiplications.
pub(super) fn tensor_memory(cx: &mut Context<'_>) -> Decoded<()> {
    if cx.m.has(Mod::Ld) || cx.m.has(Mod::St) {
        return tensor_move(cx);
    }
    if cx.m.has(Mod::WaitLd) {
        return tensor_access(cx, TensorAccess::WaitForLoads, Vec::new(), Vec::new());
    }
    if cx.m.has(Mod::WaitSt) {
        return tensor_access(cx, TensorAccess::WaitForStores, Vec::new(), Vec::new());
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
        let (at, _) = cx.operand(OperandKey::Dst)?;
        let (to, addressing) = matrix_address(cx, at)?;
        let srcs = vec![to, src_operand(cx, OperandKey::NCols)?];
        let kind = CollectiveKind::Tensor(TensorAccess::Allocate(group, sharing));
        emit(cx, kind, Participants::Warp, srcs, Vec::new(), addressing);
        return Ok(());
    }
    if cx.m.has(Mod::Dealloc) {
        let srcs = vec![src_operand(cx, OperandKey::Taddr)?, src_operand(cx, OperandKey::NCols)?];
        return tensor_access(cx, TensorAccess::Free(group, sharing), srcs, Vec::new());
    }
    if cx.m.has(Mod::RelinquishAllocPermit) {
        return tensor_access(cx, TensorAccess::Relinquish(group), Vec::new(), Vec::new());
    }
    if cx.m.has(Mod::Cp) {
        return tensor_copy(cx);
    }
    if cx.m.has(Mod::Shift) {
        cx.m.ignore_words(&[Mod::Down], "there is one direction");
        let at = tensor_address(cx, OperandKey::Taddr)?;
        return tensor_issue(cx, TensorOperation::Shift(at));
    }
    if cx.m.has(Mod::Commit) {
        return tensor_commit(cx);
    }
    cx.unsupported("the interpreter has no such operation")
}

fn tensor_issue(cx: &mut Context<'_>, operation: TensorOperation<Src>) -> Decoded<()> {
    let group = group(cx)?;
    cx.emit(Effect::Async(AsyncOp::Tensor(Box::new(TensorIssue { group, operation }))));
    Ok(())
}

/// `tcgen05.cp`.
fn tensor_copy(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore_words(
        &[Mod::S64x128b, Mod::S32x128b],
        "the warps that get rows determine how many there are",
    );
    cx.m.ignore(&[Field::DstFmt], "all is unpacked to bytes");
    let (rows, chunks) = match (cx.m.get(Field::Shape), cx.m.get(Field::Multicast)) {
        (Some(Mod::S128x256b), None) => (CopyRows::All, 2),
        (Some(Mod::S128x128b), None) => (CopyRows::All, 1),
        (Some(Mod::S4x256b), None) => (CopyRows::Four, 2),
        (None, Some(Mod::Warpx20213)) => (CopyRows::Halves, 1),
        (None, Some(Mod::Warpx20123)) => (CopyRows::Pairs, 1),
        (None, Some(Mod::Warpx4)) => (CopyRows::Quarters, 1),
        _ => return cx.unsupported("its shape is not supported"),
    };
    let packed = match cx.m.get(Field::SrcFmt) {
        None => None,
        Some(Mod::B6x16P32) => Some(Packed::Six),
        Some(Mod::B4x16P64) => Some(Packed::Four),
        Some(_) => return cx.unsupported("its format is not supported"),
    };
    let (to, from) = (tensor_address(cx, OperandKey::Taddr)?, src_operand(cx, OperandKey::SDesc)?);
    tensor_issue(cx, TensorOperation::Copy { rows, chunks, packed, to, from })
}

/// `tcgen05.commit`.
fn tensor_commit(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore(&[Field::SyncRestrict], IN_ORDER);
    cx.m.ignore_words(&[Mod::MbarrierArriveOne, Mod::B64], "there is one way to arrive");
    let space = space(cx)?;
    let (at, _) = cx.operand(OperandKey::Mbar)?;
    let barrier = address(cx, at, space)?;
    let blocks = match cx.m.get(Field::Multicast) {
        None => None,
        Some(Mod::MulticastCluster | Mod::MulticastCluster32b) => multicast(cx)?,
        Some(_) => return cx.unsupported("its kind of multicast is not supported"),
    };
    let group = group(cx)?;
    cx.emit(Effect::Async(AsyncOp::TensorCommit(Box::new(TensorCommit { group, barrier, blocks }))));
    Ok(())
}

/// `tcgen05.mma`.
pub(super) fn tensor_multiply(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore(&[Field::CollectorA, Field::CollectorB], "what is kept of a matrix no program can see");
    cx.m.ignore_words(&[Mod::Sp, Mod::BlockScale], "the operands determine it");
    let (kind, vector) = (multiply_kind(cx)?, scale_vector(cx)?);
    let divides = matches!(kind, MultiplyKind::F16 | MultiplyKind::Tf32);
    let shift_d = match cx.given(OperandKey::ScaleInputD) {
        None => cx.constants.of(0),
        Some((at, Operand::Immediate(immediate))) => {
            // The shift of integers has no encoding in machine code: `ptxas` drops it.
            let shift = if divides { immediate_bits(immediate, ScalarType::U32, cx.span(at))? } else { 0 };
            let shift = shift as u64;
            cx.constants.of(shift)
        }
        Some((at, _)) => return finding(codes::OPERAND, cx.span(at), "expected a constant"),
    };
    let a = match cx.find(OperandKey::ATmem) {
        Some(_) => TensorA::Tensor(tensor_address(cx, OperandKey::ATmem)?),
        None => TensorA::Shared(src_operand(cx, OperandKey::ADesc)?),
    };
    let metadata = match cx.find(OperandKey::SpMetaTmem) {
        Some(_) => Some(tensor_address(cx, OperandKey::SpMetaTmem)?),
        None => None,
    };
    let scales = match cx.find(OperandKey::ScaleATmem) {
        Some(_) => {
            Some((tensor_address(cx, OperandKey::ScaleATmem)?, tensor_address(cx, OperandKey::ScaleBTmem)?))
        }
        None => None,
    };
    let disabled = match cx.find(OperandKey::DisableOutputLane) {
        Some(at) => vector_srcs(cx, at)?,
        None => Vec::new(),
    };
    let zeros = src_given(cx, OperandKey::ZeroColumnMaskDesc)?;
    let product = Multiplication {
        kind,
        keeps_b: cx.m.has(Mod::Ws),
        shifts_a: cx.m.has(Mod::Ashift),
        vector,
        d: tensor_address(cx, OperandKey::DTmem)?,
        a,
        b: src_operand(cx, OperandKey::BDesc)?,
        instruction: src_operand(cx, OperandKey::Idesc)?,
        metadata,
        scales,
        disabled,
        adds_d: src_operand(cx, OperandKey::EnableInputD)?,
        shift_d,
        zeros,
    };
    tensor_issue(cx, TensorOperation::Multiply(Box::new(product)))
}

fn tensor_access(cx: &mut Context<'_>, access: TensorAccess, srcs: Vec<Src>, dsts: Vec<Dst>) -> Decoded<()> {
    emit(cx, CollectiveKind::Tensor(access), Participants::Warp, srcs, dsts, NOWHERE);
    Ok(())
}

/// `tcgen05.ld`, `tcgen05.st`.
fn tensor_move(cx: &mut Context<'_>) -> Decoded<()> {
    let shape = match cx.m.get(Field::Shape) {
        Some(Mod::S32x32b) => TensorShape::Lanes32,
        Some(Mod::S16x64b) => TensorShape::Lanes16Bits64,
        Some(Mod::S16x128b) => TensorShape::Lanes16Bits128,
        Some(Mod::S16x256b) => TensorShape::Lanes16Bits256,
        Some(Mod::S16x32bx2) => TensorShape::Split(half_distance(cx)?),
        _ => return cx.unsupported("its shape is not supported"),
    };
    cx.m.ignore(&[Field::Num], "the operand has that many registers");
    cx.m.ignore_words(&[Mod::B32], "cells of tensor memory have no other type");
    let halves = cx.m.has(Mod::Pack16b) || cx.m.has(Mod::Unpack16b);
    let columns = if halves { Columns::Halves } else { Columns::Whole };
    let cells = TensorMove { shape, columns };
    let mut srcs = vec![tensor_address(cx, OperandKey::Taddr)?];
    let (at, _) = cx.operand(OperandKey::R)?;
    if cx.m.has(Mod::St) {
        srcs.extend(vector_srcs(cx, at)?);
        return tensor_access(cx, TensorAccess::Store(cells), srcs, Vec::new());
    }
    let mut dsts = vector_dsts(cx, at)?;
    if !cx.m.has(Mod::Red) {
        return tensor_access(cx, TensorAccess::Load(cells), srcs, dsts);
    }
    let which = match cx.m.get(Field::Op) {
        Some(Mod::Min) => Extreme::Min,
        Some(Mod::Max) => Extreme::Max,
        _ => return cx.unsupported("its reduction is not supported"),
    };
    let nan = if cx.m.has(Mod::Nan) { NanRule::Propagate } else { NanRule::Ignore };
    let sign = if cx.m.has(Mod::AbsMod) { SignRule::Magnitude } else { SignRule::Plain };
    let (at, _) = cx.operand(OperandKey::Redval)?;
    dsts.extend(vector_dsts(cx, at)?);
    let access = if cx.m.has(Mod::Spcompress) {
        cx.m.ignore_words(&[Mod::Sp24, Mod::B2], "there is one compression");
        if cx.m.scalar_type() != Some(ScalarType::F32) {
            return cx.unsupported("its type is not supported");
        }
        let (at, _) = cx.operand(OperandKey::E)?;
        let positions = vector_dsts(cx, at)?;
        dsts.splice(0..0, positions);
        TensorAccess::LoadCompressed(cells, which, nan, sign)
    } else {
        let reduction = match cx.m.get(Field::Type).and_then(ScalarType::from_mod) {
            Some(ScalarType::F32) => Reduction::Float(which, nan, sign),
            ty => Reduction::Integer(which, ty.and_then(int_of).unwrap_or(Int::U32)),
        };
        TensorAccess::LoadReduced(cells, reduction)
    };
    tensor_access(cx, access, srcs, dsts)
}

/// Column offset of the second half of `.16x32bx2` from the first.
fn half_distance(cx: &Context<'_>) -> Decoded<i32> {
    match cx.operand(OperandKey::ImmHalfSplitoff)? {
        (at, Operand::Immediate(immediate)) => {
            Ok(immediate_bits(immediate, ScalarType::S32, cx.span(at))? as u32 as i32)
        }
        (at, _) => finding(codes::OPERAND, cx.span(at), "expected a constant number of columns"),
    }
}

/// The row of tensor memory addresses of a bracketed operand.
pub(super) fn tensor_address(cx: &mut Context<'_>, key: OperandKey) -> Decoded<Src> {
    let (at, operand) = cx.operand(key)?;
    match operand {
        Operand::Address(AddressBase::Register(register), offset) => {
            let row = Src::register(cx.scope.row_of(register));
            if offset == 0 {
                return Ok(row);
            }
            let d = cx.temporary();
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

/// The `.cta_group` of an instruction.
fn group(cx: &Context<'_>) -> Decoded<Group> {
    match (cx.m.has(Mod::CtaGroup1), cx.m.has(Mod::CtaGroup2)) {
        (true, _) => Ok(Group::One),
        (_, true) => Ok(Group::Pair),
        _ => cx.unsupported("this group of blocks is not supported"),
    }
}

/// The kind of a multiplication.
fn multiply_kind(cx: &Context<'_>) -> Decoded<MultiplyKind> {
    Ok(match cx.m.get(Field::Kind) {
        Some(Mod::KindF16) => MultiplyKind::F16,
        Some(Mod::KindTf32) => MultiplyKind::Tf32,
        Some(Mod::KindF8f6f4) => MultiplyKind::F8f6f4,
        Some(Mod::KindI8) => MultiplyKind::I8,
        Some(Mod::KindMxf8f6f4) => MultiplyKind::Mxf8f6f4,
        Some(Mod::KindMxf4) => MultiplyKind::Mxf4,
        Some(Mod::KindMxf4nvf4) => MultiplyKind::Mxf4nvf4,
        _ => return cx.unsupported("its kind is not supported"),
    })
}

/// The number of elements of a row that share a scale.
fn scale_vector(cx: &Context<'_>) -> Decoded<ScaleVector> {
    Ok(match cx.m.get(Field::ScaleVec) {
        None | Some(Mod::Block32) => ScaleVector::Block(32),
        Some(Mod::Block16) => ScaleVector::Block(16),
        Some(Mod::ScaleVec1X) => ScaleVector::Count(1),
        Some(Mod::ScaleVec2X) => ScaleVector::Count(2),
        Some(Mod::ScaleVec4X) => ScaleVector::Count(4),
        Some(_) => return cx.unsupported("its scales are not known here"),
    })
}
