//! Operations of a warp and matrix instructions (manual 9.7.9.6, 9.7.13, 9.7.14).

use ptx_ir::Operand;
use ptx_isa::{Field, Mod, ScalarType, Sem};

use super::body::{BodyDecoder, Context};
use super::convert::int_of;
use super::{Decoded, finding};
use crate::error::codes;
use crate::memory::Space;
use crate::program::{
    Address, Base, Collective, CollectiveKind, Dst, Element, Layout, MatrixShape, Op, Participants, ReduceOp,
    ShuffleMode, Src, VoteMode, alu1,
};
use crate::scalar::float::{Extreme, NanRule, SignRule};
use crate::scalar::int::Int;

impl BodyDecoder<'_> {
    /// `bar.warp.sync`, `shfl`, `vote`, `match`, `redux`, `elect`, `activemask`.
    pub(super) fn collective(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        if cx.m.sem() == Sem::Activemask {
            let d = self.dst(cx, 0)?;
            cx.emit(Op::ActiveMask { d });
            return Ok(());
        }
        let participants = match cx.find("membermask") {
            Some(at) => Participants::Members(self.src(cx, at)?),
            None => Participants::Converged,
        };
        let value = |decoder: &mut Self, cx: &mut Context<'_>| decoder.src_named(cx, "a");
        let (kind, srcs, dsts): (_, Vec<Src>, Vec<Dst>) = match cx.m.sem() {
            Sem::Shfl => {
                let mode = match cx.m.get(Field::Mode) {
                    Some(Mod::Up) => ShuffleMode::Up,
                    Some(Mod::Down) => ShuffleMode::Down,
                    Some(Mod::Bfly) => ShuffleMode::Butterfly,
                    Some(Mod::Idx) => ShuffleMode::Index,
                    _ => return cx.unsupported("it names no known mode"),
                };
                let srcs = vec![value(self, cx)?, self.src_named(cx, "b")?, self.src_named(cx, "c")?];
                let dsts = vec![self.dst_named(cx, "d")?, self.dst_named(cx, "p")?];
                (CollectiveKind::Shuffle(mode), srcs, dsts)
            }
            Sem::Vote => {
                let mode = match cx.m.get(Field::Mode) {
                    Some(Mod::All) => VoteMode::All,
                    Some(Mod::Any) => VoteMode::Any,
                    Some(Mod::Uni) => VoteMode::Uniform,
                    Some(Mod::Ballot) => VoteMode::Ballot,
                    _ => return cx.unsupported("it names no known mode"),
                };
                (CollectiveKind::Vote(mode), vec![value(self, cx)?], vec![self.dst_named(cx, "d")?])
            }
            Sem::Match if cx.m.has(Mod::All) => {
                let dsts = vec![self.dst_named(cx, "d")?, self.dst_named(cx, "p")?];
                (CollectiveKind::MatchAll, vec![value(self, cx)?], dsts)
            }
            Sem::Match => (CollectiveKind::MatchAny, vec![value(self, cx)?], vec![self.dst_named(cx, "d")?]),
            Sem::Redux => {
                let op = match cx.m.get(Field::Op) {
                    Some(Mod::Add) => ReduceOp::Add,
                    Some(Mod::Min) => ReduceOp::Min,
                    Some(Mod::Max) => ReduceOp::Max,
                    Some(Mod::And) => ReduceOp::And,
                    Some(Mod::Or) => ReduceOp::Or,
                    Some(Mod::Xor) => ReduceOp::Xor,
                    _ => return cx.unsupported("it names no known operation"),
                };
                let ty = cx.m.scalar_type().and_then(int_of).unwrap_or(Int::U32);
                (CollectiveKind::Redux(op, ty), vec![value(self, cx)?], vec![self.dst_named(cx, "d")?])
            }
            Sem::ReduxFloat => {
                let which = if cx.m.get(Field::Op) == Some(Mod::Min) { Extreme::Min } else { Extreme::Max };
                let nan = if cx.m.has(Mod::Nan) { NanRule::Propagate } else { NanRule::Ignore };
                let sign = if cx.m.has(Mod::AbsMod) { SignRule::Magnitude } else { SignRule::Plain };
                let kind = CollectiveKind::ReduxFloat(which, nan, sign);
                (kind, vec![value(self, cx)?], vec![self.dst_named(cx, "d")?])
            }
            Sem::Elect => {
                let dsts = vec![self.dst_named(cx, "d")?, self.dst_named(cx, "p")?];
                (CollectiveKind::Elect, Vec::new(), dsts)
            }
            Sem::BarrierWarp => (CollectiveKind::Barrier, Vec::new(), Vec::new()),
            _ => return cx.unsupported("it is no operation of a warp"),
        };
        emit(cx, kind, participants, srcs, dsts, (Space::Generic, 0));
        Ok(())
    }

    /// `mma`, `ldmatrix`, `stmatrix`, `movmatrix`.
    pub(super) fn matrix(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let layout = if cx.m.has(Mod::Trans) { Layout::Transposed } else { Layout::Plain };
        match cx.m.sem() {
            Sem::Mma => self.mma(cx),
            Sem::Movmatrix => {
                let (d, a) = (self.dst(cx, 0)?, self.src(cx, 1)?);
                emit(
                    cx,
                    CollectiveKind::TransposeMatrix,
                    Participants::Warp,
                    vec![a],
                    vec![d],
                    (Space::Generic, 0),
                );
                Ok(())
            }
            Sem::Ldmatrix => {
                let dsts = self.vector_dsts(cx, 0)?;
                let (address, addressing) = self.matrix_address(cx, 1)?;
                let kind = CollectiveKind::LoadMatrix(dsts.len() as u32, layout);
                emit(cx, kind, Participants::Warp, vec![address], dsts, addressing);
                Ok(())
            }
            Sem::Stmatrix => {
                let (address, addressing) = self.matrix_address(cx, 0)?;
                let mut srcs = vec![address];
                srcs.extend(self.vector_srcs(cx, 1)?);
                let kind = CollectiveKind::StoreMatrix(srcs.len() as u32 - 1, layout);
                emit(cx, kind, Participants::Warp, srcs, Vec::new(), addressing);
                Ok(())
            }
            _ => cx.unsupported("it is no matrix instruction"),
        }
    }

    /// The row addresses of a matrix instruction as a row, and the space and offset that go with them.
    fn matrix_address(&mut self, cx: &mut Context<'_>, at: usize) -> Decoded<(Src, (Space, i64))> {
        let space = self.space(cx)?;
        let Address { space, base, offset } = self.address(cx, at, space)?;
        match base {
            // The offset is added within the width of the register.
            Base::Row(row, crate::program::AddressWidth::Bits32) => {
                let d = self.temporary();
                let f = alu1(move |a| a.wrapping_add(offset as u64) & 0xffff_ffff);
                cx.prepare(Op::Alu1 { f, d, a: row });
                Ok((Src::register(d), (space, 0)))
            }
            Base::Row(row, crate::program::AddressWidth::Bits64) => Ok((row, (space, offset))),
            Base::Frame => finding(codes::OPERAND, cx.span(at), "matrices lie in shared memory"),
        }
    }

    fn vector_dsts(&self, cx: &Context<'_>, at: usize) -> Decoded<Vec<Dst>> {
        let operand = cx.operands.get(at).copied().unwrap_or(Operand::Omitted);
        self.elements(operand).into_iter().map(|element| self.dst_of(element, cx.span(at))).collect()
    }

    fn vector_srcs(&mut self, cx: &mut Context<'_>, at: usize) -> Decoded<Vec<Src>> {
        let operand = cx.operands.get(at).copied().unwrap_or(Operand::Omitted);
        let ty = cx.m.operand_type(at).unwrap_or(ScalarType::B32);
        let mut srcs = Vec::new();
        for element in self.elements(operand) {
            srcs.push(self.src_of(cx, element, ty, cx.span(at))?);
        }
        Ok(srcs)
    }

    fn mma(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let element = |field| match cx.m.get(field) {
            Some(Mod::F16) => Some(Element::F16),
            Some(Mod::Bf16) => Some(Element::Bf16),
            Some(Mod::Tf32) => Some(Element::Tf32),
            Some(Mod::F32) => Some(Element::F32),
            Some(Mod::F64) => Some(Element::F64),
            Some(Mod::U8) => Some(Element::U8),
            Some(Mod::S8) => Some(Element::S8),
            Some(Mod::S32) => Some(Element::S32),
            _ => None,
        };
        let size = match cx.m.get(Field::Shape) {
            Some(Mod::M8n8k4) => Some((8, 8, 4)),
            Some(Mod::M8n8k16) => Some((8, 8, 16)),
            Some(Mod::M16n8k4) => Some((16, 8, 4)),
            Some(Mod::M16n8k8) => Some((16, 8, 8)),
            Some(Mod::M16n8k16) => Some((16, 8, 16)),
            Some(Mod::M16n8k32) => Some((16, 8, 32)),
            _ => None,
        };
        let (Some((m, n, k)), Some(a), Some(b), Some(c), Some(d)) = (
            size,
            element(Field::AType),
            element(Field::BType),
            element(Field::CType),
            element(Field::DType),
        ) else {
            return cx.unsupported("its shape or types are not known here");
        };
        if cx.m.get(Field::Rnd).is_some_and(|rounding| rounding != Mod::Rn) {
            return cx.unsupported("its products are rounded to nearest here");
        }
        // `.m8n8k4` of halves has a layout of its own; the scheme here is that of all other shapes.
        if c != d || (m == 8 && k == 4 && a != Element::F64) {
            return cx.unsupported("its shape or types are not known here");
        }
        let shape = MatrixShape { m, n, k, a, b, c, saturate: cx.m.has(Mod::Satfinite) };
        let dsts = self.vector_dsts(cx, 0)?;
        let mut srcs = Vec::new();
        let mut counts = [0; 3];
        for (count, at) in counts.iter_mut().zip(1..) {
            let part = self.vector_srcs(cx, at)?;
            *count = part.len() as u32;
            srcs.extend(part);
        }
        let expected = [shape.a_registers(), shape.b_registers(), shape.c_registers()];
        if counts != expected || dsts.len() as u32 != expected[2] {
            return finding(
                codes::OPERAND,
                cx.inst.at.0,
                "the vectors do not have the lengths of the matrices",
            );
        }
        emit(cx, CollectiveKind::Mma(shape), Participants::Warp, srcs, dsts, (Space::Generic, 0));
        Ok(())
    }
}

fn emit(
    cx: &mut Context<'_>,
    kind: CollectiveKind,
    participants: Participants,
    srcs: Vec<Src>,
    dsts: Vec<Dst>,
    (space, offset): (Space, i64),
) {
    let (srcs, dsts) = (srcs.into(), dsts.into());
    cx.emit(Op::Collective(Box::new(Collective { kind, participants, srcs, dsts, space, offset })));
}
