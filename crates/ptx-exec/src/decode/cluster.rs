//! Cluster barriers, addresses and launch control (manual 9.7.13.3, 9.7.9.23, 9.7.9.24, 9.7.13.17, 9.7.13.18).

use ptx_isa::{BlockSem, Field, Mod, OperandKey};

use super::Decoded;
use super::body::{BodyDecoder, Context, Decode, unary};
use super::modifiers::{ORDERING, STRONGEST, TOGETHER};
use crate::memory::{AddressSize, RANK_SHIFT, Space};
use crate::program::{AsyncOp, Audience, ClusterAction, Effect, MapAddress, Src, TryCancel, Unary};

impl<'a> BodyDecoder<'a> {
    /// The decoder of an operation of blocks, clusters or grids.
    pub(super) fn block_decoder(sem: BlockSem) -> Decode<'a> {
        match sem {
            BlockSem::Barrier => Self::barrier,
            BlockSem::ClusterBarrier => Self::cluster_barrier,
            BlockSem::Fence => |decoder, cx| decoder.plain(cx, Effect::Fence, STRONGEST),
            BlockSem::FenceProxy => |decoder, cx| decoder.plain(cx, Effect::ProxyFence, STRONGEST),
            BlockSem::Mapa => Self::map_to_block,
            BlockSem::Getctarank => Self::rank_of_address,
            BlockSem::Griddepcontrol => {
                |decoder, cx| decoder.plain(cx, Effect::Nothing, "there are no grids that depend on this one")
            }
            BlockSem::Setmaxnreg => {
                |decoder, cx| decoder.plain(cx, Effect::Nothing, "there are registers enough")
            }
            BlockSem::TryCancel => Self::try_cancel,
            BlockSem::QueryCancel => Self::query_cancel,
        }
    }
}

impl BodyDecoder<'_> {
    /// `barrier.cluster`.
    pub(super) fn cluster_barrier(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        cx.m.ignore(ORDERING, STRONGEST);
        cx.m.ignore(&[Field::Aligned], TOGETHER);
        let action = match (cx.m.has(Mod::Arrive), cx.m.has(Mod::Wait)) {
            (true, false) => ClusterAction::Arrive,
            (false, true) => ClusterAction::Wait,
            _ => return cx.unsupported("this operation is not supported"),
        };
        cx.emit(Effect::ClusterBarrier(action));
        Ok(())
    }

    /// `getctarank`.
    fn rank_of_address(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (d, a) = (self.dst_operand(cx, OperandKey::D)?, self.src_operand(cx, OperandKey::A)?);
        cx.m.ignore(&[Field::Type], "the address has the width of its register");
        let a = self.shared_address(cx, a);
        cx.emit(unary(Unary::Field { shift: RANK_SHIFT, mask: 0xff }, d, a));
        Ok(())
    }

    /// `mapa`.
    fn map_to_block(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let d = self.dst_operand(cx, OperandKey::D)?;
        let (a, rank) = (self.src_operand(cx, OperandKey::A)?, self.src_operand(cx, OperandKey::B)?);
        cx.m.ignore(&[Field::Type], "the address has the width of its register");
        let window = cx.m.space().is_none().then(|| Space::SharedCluster.window(self.size));
        cx.emit(Effect::MapAddress(Box::new(MapAddress { d, a, rank, window })));
        Ok(())
    }

    /// The shared address from which `getctarank` gets the rank.
    fn shared_address(&mut self, cx: &mut Context<'_>, a: Src) -> Src {
        if self.size == AddressSize::Bits64 {
            cx.m.ignore(&[Field::Space], "generic addresses have the rank in the same bits");
            return a;
        }
        if cx.m.space().is_some() {
            return a;
        }
        let d = self.temporary();
        let addend = Space::SharedCluster.window(self.size).wrapping_neg();
        cx.prepare(unary(Unary::AddConstant { addend, mask: self.size.mask() }, d, a));
        Src::register(d)
    }

    /// `clusterlaunchcontrol.try_cancel`.
    pub(super) fn try_cancel(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let space = self.space(cx)?;
        let (at, _) = cx.operand(OperandKey::Addr)?;
        let to = self.address(cx, at, space)?;
        let (at, _) = cx.operand(OperandKey::Mbar)?;
        let barrier = self.address(cx, at, space)?;
        let is_for_all = cx.m.has(Mod::MulticastClusterAll);
        cx.m.ignore_words(&[Mod::MbarrierCompleteTxBytes], "there is one mechanism");
        let audience = if is_for_all { Audience::Cluster } else { Audience::Block };
        cx.emit(Effect::Async(AsyncOp::TryCancel(Box::new(TryCancel { to, barrier, audience }))));
        Ok(())
    }

    /// `clusterlaunchcontrol.query_cancel`: extracts parts of the response.
    pub(super) fn query_cancel(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let answer = self.src_operand(cx, OperandKey::TryCancelResponse)?;
        let part =
            |n: u32| (answer.plus(n / 2), Unary::Field { shift: n % 2 * 32, mask: u64::from(u32::MAX) });
        if cx.m.has(Mod::IsCanceled) {
            cx.m.ignore_words(&[Mod::Pred, Mod::B128], "the operands have the types");
            let d = self.dst_operand(cx, OperandKey::P)?;
            cx.emit(unary(Unary::Field { shift: 63, mask: 1 }, d, answer.plus(1)));
            return Ok(());
        }
        cx.m.ignore_words(&[Mod::B32, Mod::B128, Mod::V4], "the operands have the types");
        let axes = [Mod::GetFirstCtaidX, Mod::GetFirstCtaidY, Mod::GetFirstCtaidZ];
        if let Some(axis) = axes.into_iter().position(|axis| cx.m.has(axis)) {
            let d = self.dst_operand(cx, OperandKey::D)?;
            let (a, op) = part(axis as u32);
            cx.emit(unary(op, d, a));
            return Ok(());
        }
        if !cx.m.has(Mod::GetFirstCtaid) {
            return cx.unsupported("this form is not supported");
        }
        let (at, operand) = cx.operand(OperandKey::D)?;
        for (n, element) in self.elements(operand).into_iter().enumerate() {
            let d = self.dst_of(element, cx.span(at))?;
            // The fourth element is unspecified.
            let (a, op) = match n {
                0..3 => part(n as u32),
                _ => (cx.constants.of(0), Unary::Field { shift: 0, mask: 0 }),
            };
            cx.emit(unary(op, d, a));
        }
        Ok(())
    }
}
