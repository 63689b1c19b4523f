//! Warp collectives (manual 9.7.9.6, 9.7.13).

use ptx_isa::{Field, Mod, OperandKey, ScalarType, WarpSem};

use super::context::{Context, Decode};
use super::modifiers::TOGETHER;
use super::numbers::int_of;
use super::operand::{dst, dst_operand, src, src_operand};
use super::output::Decoded;
use crate::memory::Space;
use crate::program::{
    Collective, CollectiveKind, Dst, Effect, Participants, ReduceOp, ShuffleMode, Src, VoteMode,
};
use crate::scalar::float::{Extreme, NanRule, SignRule};

/// Why the type of `match` is ignored.
const WHOLE: &str = "registers are compared whole";

/// The decoder of an operation of a warp.
pub(super) fn warp_decoder(sem: WarpSem) -> Decode {
    use WarpSem as S;
    match sem {
        S::BarrierWarp => |cx| collective(cx, CollectiveKind::Barrier, Vec::new(), Vec::new()),
        S::Shfl => shuffle,
        S::Vote => vote,
        S::Match => match_values,
        S::Activemask => |cx| {
            let d = dst(cx, 0)?;
            cx.emit(Effect::ActiveMask { d });
            Ok(())
        },
        S::Redux => reduce,
        S::ReduxFloat => reduce_floats,
        S::Elect => |cx| {
            let dsts = vec![dst_operand(cx, OperandKey::D)?, dst_operand(cx, OperandKey::P)?];
            collective(cx, CollectiveKind::Elect, Vec::new(), dsts)
        },
    }
}

/// Appends an operation of the lanes that the instruction names.
fn collective(cx: &mut Context<'_>, kind: CollectiveKind, srcs: Vec<Src>, dsts: Vec<Dst>) -> Decoded<()> {
    let participants = match cx.find(OperandKey::Membermask) {
        Some(at) => Participants::Members(src(cx, at)?),
        None => Participants::Converged,
    };
    emit(cx, kind, participants, srcs, dsts, (Space::Generic, 0));
    Ok(())
}

/// `shfl`.
fn shuffle(cx: &mut Context<'_>) -> Decoded<()> {
    let mode = match cx.m.get(Field::Mode) {
        Some(Mod::Up) => ShuffleMode::Up,
        Some(Mod::Down) => ShuffleMode::Down,
        Some(Mod::Bfly) => ShuffleMode::Butterfly,
        Some(Mod::Idx) => ShuffleMode::Index,
        _ => return cx.unsupported("its mode is not supported"),
    };
    let srcs = vec![
        src_operand(cx, OperandKey::A)?,
        src_operand(cx, OperandKey::B)?,
        src_operand(cx, OperandKey::C)?,
    ];
    let dsts = vec![dst_operand(cx, OperandKey::D)?, dst_operand(cx, OperandKey::P)?];
    collective(cx, CollectiveKind::Shuffle(mode), srcs, dsts)
}

/// `vote`.
fn vote(cx: &mut Context<'_>) -> Decoded<()> {
    let mode = match cx.m.get(Field::Mode) {
        Some(Mod::All) => VoteMode::All,
        Some(Mod::Any) => VoteMode::Any,
        Some(Mod::Uni) => VoteMode::Uniform,
        Some(Mod::Ballot) => VoteMode::Ballot,
        _ => return cx.unsupported("its mode is not supported"),
    };
    cx.m.ignore_words(&[Mod::Pred, Mod::B32], "the mode has one type of result");
    let (a, d) = (src_operand(cx, OperandKey::A)?, dst_operand(cx, OperandKey::D)?);
    collective(cx, CollectiveKind::Vote(mode), vec![a], vec![d])
}

/// `match`.
fn match_values(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore(&[Field::Type], WHOLE);
    let (a, d) = (src_operand(cx, OperandKey::A)?, dst_operand(cx, OperandKey::D)?);
    if cx.m.has(Mod::All) {
        let p = dst_operand(cx, OperandKey::P)?;
        return collective(cx, CollectiveKind::MatchAll, vec![a], vec![d, p]);
    }
    if cx.m.has(Mod::Any) {
        return collective(cx, CollectiveKind::MatchAny, vec![a], vec![d]);
    }
    cx.unsupported("this comparison is not supported")
}

/// `redux` on integers.
fn reduce(cx: &mut Context<'_>) -> Decoded<()> {
    let op = match cx.m.get(Field::Op) {
        Some(Mod::Add) => ReduceOp::Add,
        Some(Mod::Min) => ReduceOp::Min,
        Some(Mod::Max) => ReduceOp::Max,
        Some(Mod::And) => ReduceOp::And,
        Some(Mod::Or) => ReduceOp::Or,
        Some(Mod::Xor) => ReduceOp::Xor,
        _ => return cx.unsupported("its operation is not supported"),
    };
    let Some(ty) = cx.m.scalar_type().and_then(int_of) else {
        return cx.unsupported("its type is not an integer");
    };
    let (a, d) = (src_operand(cx, OperandKey::A)?, dst_operand(cx, OperandKey::D)?);
    collective(cx, CollectiveKind::Redux(op, ty), vec![a], vec![d])
}

/// `redux` on floating-point values.
fn reduce_floats(cx: &mut Context<'_>) -> Decoded<()> {
    let which = match cx.m.get(Field::Op) {
        Some(Mod::Min) => Extreme::Min,
        Some(Mod::Max) => Extreme::Max,
        _ => return cx.unsupported("its operation is not supported"),
    };
    if cx.m.scalar_type() != Some(ScalarType::F32) {
        return cx.unsupported("its type is not supported");
    }
    let nan = if cx.m.has(Mod::Nan) { NanRule::Propagate } else { NanRule::Ignore };
    let sign = if cx.m.has(Mod::AbsMod) { SignRule::Magnitude } else { SignRule::Plain };
    let (a, d) = (src_operand(cx, OperandKey::A)?, dst_operand(cx, OperandKey::D)?);
    collective(cx, CollectiveKind::ReduxFloat(which, nan, sign), vec![a], vec![d])
}

/// Appends a collective operation.
pub(super) fn emit(
    cx: &mut Context<'_>,
    kind: CollectiveKind,
    participants: Participants,
    srcs: Vec<Src>,
    dsts: Vec<Dst>,
    (space, offset): (Space, i64),
) {
    cx.m.ignore_words(&[Mod::Sync, Mod::Aligned], TOGETHER);
    let (srcs, dsts) = (srcs.into(), dsts.into());
    cx.emit(Effect::Collective(Box::new(Collective { kind, participants, srcs, dsts, space, offset })));
}
