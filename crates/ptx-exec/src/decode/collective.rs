//! Warp collectives (manual 9.7.9.6, 9.7.13).

use ptx_isa::{Field, Mod, ScalarType, Sem, WarpSem};

use super::Decoded;
use super::body::{BodyDecoder, Context};
use super::convert::int_of;
use super::modifiers::TOGETHER;
use crate::memory::Space;
use crate::program::{
    Collective, CollectiveKind, Dst, Effect, Participants, ReduceOp, ShuffleMode, Src, VoteMode,
};
use crate::scalar::float::{Extreme, NanRule, SignRule};

/// Why the type of `match` is ignored.
const WHOLE: &str = "registers are compared whole";

impl BodyDecoder<'_> {
    /// `bar.warp.sync`, `shfl`, `vote`, `match`, `redux`, `elect`, `activemask`.
    pub(super) fn collective(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        if cx.m.sem() == Sem::Warp(WarpSem::Activemask) {
            let d = self.dst(cx, 0)?;
            cx.emit(Effect::ActiveMask { d });
            return Ok(());
        }
        cx.m.ignore_words(&[Mod::Sync, Mod::Aligned], TOGETHER);
        let participants = match cx.find("membermask") {
            Some(at) => Participants::Members(self.src(cx, at)?),
            None => Participants::Converged,
        };
        let value = |decoder: &mut Self, cx: &mut Context<'_>| decoder.src_named(cx, "a");
        let (kind, srcs, dsts): (_, Vec<Src>, Vec<Dst>) = match cx.m.sem() {
            Sem::Warp(WarpSem::Shfl) => {
                let mode = match cx.m.get(Field::Mode) {
                    Some(Mod::Up) => ShuffleMode::Up,
                    Some(Mod::Down) => ShuffleMode::Down,
                    Some(Mod::Bfly) => ShuffleMode::Butterfly,
                    Some(Mod::Idx) => ShuffleMode::Index,
                    _ => return cx.unsupported("its mode is not known here"),
                };
                let srcs = vec![value(self, cx)?, self.src_named(cx, "b")?, self.src_named(cx, "c")?];
                let dsts = vec![self.dst_named(cx, "d")?, self.dst_named(cx, "p")?];
                (CollectiveKind::Shuffle(mode), srcs, dsts)
            }
            Sem::Warp(WarpSem::Vote) => {
                let mode = match cx.m.get(Field::Mode) {
                    Some(Mod::All) => VoteMode::All,
                    Some(Mod::Any) => VoteMode::Any,
                    Some(Mod::Uni) => VoteMode::Uniform,
                    Some(Mod::Ballot) => VoteMode::Ballot,
                    _ => return cx.unsupported("its mode is not known here"),
                };
                cx.m.ignore_words(&[Mod::Pred, Mod::B32], "the mode has one type of result");
                (CollectiveKind::Vote(mode), vec![value(self, cx)?], vec![self.dst_named(cx, "d")?])
            }
            Sem::Warp(WarpSem::Match) if cx.m.has(Mod::All) => {
                cx.m.ignore(&[Field::Type], WHOLE);
                let dsts = vec![self.dst_named(cx, "d")?, self.dst_named(cx, "p")?];
                (CollectiveKind::MatchAll, vec![value(self, cx)?], dsts)
            }
            Sem::Warp(WarpSem::Match) if cx.m.has(Mod::Any) => {
                cx.m.ignore(&[Field::Type], WHOLE);
                (CollectiveKind::MatchAny, vec![value(self, cx)?], vec![self.dst_named(cx, "d")?])
            }
            Sem::Warp(WarpSem::Redux) => {
                let op = match cx.m.get(Field::Op) {
                    Some(Mod::Add) => ReduceOp::Add,
                    Some(Mod::Min) => ReduceOp::Min,
                    Some(Mod::Max) => ReduceOp::Max,
                    Some(Mod::And) => ReduceOp::And,
                    Some(Mod::Or) => ReduceOp::Or,
                    Some(Mod::Xor) => ReduceOp::Xor,
                    _ => return cx.unsupported("its operation is not known here"),
                };
                let Some(ty) = cx.m.scalar_type().and_then(int_of) else {
                    return cx.unsupported("its type is not an integer");
                };
                (CollectiveKind::Redux(op, ty), vec![value(self, cx)?], vec![self.dst_named(cx, "d")?])
            }
            Sem::Warp(WarpSem::ReduxFloat) => {
                let which = match cx.m.get(Field::Op) {
                    Some(Mod::Min) => Extreme::Min,
                    Some(Mod::Max) => Extreme::Max,
                    _ => return cx.unsupported("its operation is not known here"),
                };
                if cx.m.scalar_type() != Some(ScalarType::F32) {
                    return cx.unsupported("its type is not known here");
                }
                let nan = if cx.m.has(Mod::Nan) { NanRule::Propagate } else { NanRule::Ignore };
                let sign = if cx.m.has(Mod::AbsMod) { SignRule::Magnitude } else { SignRule::Plain };
                let kind = CollectiveKind::ReduxFloat(which, nan, sign);
                (kind, vec![value(self, cx)?], vec![self.dst_named(cx, "d")?])
            }
            Sem::Warp(WarpSem::Elect) => {
                let dsts = vec![self.dst_named(cx, "d")?, self.dst_named(cx, "p")?];
                (CollectiveKind::Elect, Vec::new(), dsts)
            }
            Sem::Warp(WarpSem::BarrierWarp) => (CollectiveKind::Barrier, Vec::new(), Vec::new()),
            _ => return cx.unsupported("it is not an operation of a warp"),
        };
        emit(cx, kind, participants, srcs, dsts, (Space::Generic, 0));
        Ok(())
    }
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
    let (srcs, dsts) = (srcs.into(), dsts.into());
    cx.emit(Effect::Collective(Box::new(Collective { kind, participants, srcs, dsts, space, offset })));
}
