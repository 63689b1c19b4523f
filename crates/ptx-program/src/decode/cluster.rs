//! Cluster barriers, addresses and launch control (manual 9.7.13.3, 9.7.9.23, 9.7.9.24, 9.7.13.17, 9.7.13.18).

use ptx_isa::{BlockSem, Field, Mod, OperandKey};

use super::context::{Context, Decode, unary};
use super::control::barrier;
use super::modifiers::{ORDERING, STRONGEST, TOGETHER};
use super::operand::{address, dst_operand, space, src_operand};
use super::output::Decoded;
use crate::memory::{AddressSize, RANK_SHIFT, Space};
use crate::program::{AsyncOp, Audience, ClusterAction, Effect, MapAddress, Src, TryCancel, Unary};

/// The decoder of an operation of blocks, clusters or grids.
pub(super) fn block_decoder(sem: BlockSem) -> Decode {
    match sem {
        BlockSem::Barrier => barrier,
        BlockSem::ClusterBarrier => cluster_barrier,
        BlockSem::Fence => |cx| cx.plain(Effect::Fence, STRONGEST),
        BlockSem::FenceProxy => |cx| cx.plain(Effect::ProxyFence, STRONGEST),
        BlockSem::Mapa => map_to_block,
        BlockSem::Getctarank => rank_of_address,
        BlockSem::Griddepcontrol => {
            |cx| cx.plain(Effect::Nothing, "there are no grids that depend on this one")
        }
        BlockSem::Setmaxnreg => |cx| cx.plain(Effect::Nothing, "there are registers enough"),
        BlockSem::TryCancel => try_cancel,
        BlockSem::QueryCancel => query_cancel,
    }
}

/// `barrier.cluster`.
pub(super) fn cluster_barrier(cx: &mut Context<'_>) -> Decoded<()> {
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
fn rank_of_address(cx: &mut Context<'_>) -> Decoded<()> {
    let (d, a) = (dst_operand(cx, OperandKey::D)?, src_operand(cx, OperandKey::A)?);
    cx.m.ignore(&[Field::Type], "the address has the width of its register");
    let a = shared_address(cx, a);
    cx.emit(unary(Unary::Field { shift: RANK_SHIFT, mask: 0xff }, d, a));
    Ok(())
}

/// `mapa`.
fn map_to_block(cx: &mut Context<'_>) -> Decoded<()> {
    let d = dst_operand(cx, OperandKey::D)?;
    let (a, rank) = (src_operand(cx, OperandKey::A)?, src_operand(cx, OperandKey::B)?);
    cx.m.ignore(&[Field::Type], "the address has the width of its register");
    let window = cx.m.space().is_none().then(|| Space::SharedCluster.window(cx.scope.size));
    cx.emit(Effect::MapAddress(Box::new(MapAddress { d, a, rank, window })));
    Ok(())
}

/// The shared address from which `getctarank` gets the rank.
fn shared_address(cx: &mut Context<'_>, a: Src) -> Src {
    if cx.scope.size == AddressSize::Bits64 {
        cx.m.ignore(&[Field::Space], "generic addresses have the rank in the same bits");
        return a;
    }
    if cx.m.space().is_some() {
        return a;
    }
    let d = cx.temporary();
    let addend = Space::SharedCluster.window(cx.scope.size).wrapping_neg();
    cx.prepare(unary(Unary::AddConstant { addend, mask: cx.scope.size.mask() }, d, a));
    Src::register(d)
}

/// `clusterlaunchcontrol.try_cancel`.
pub(super) fn try_cancel(cx: &mut Context<'_>) -> Decoded<()> {
    let space = space(cx)?;
    let (at, _) = cx.operand(OperandKey::Addr)?;
    let to = address(cx, at, space)?;
    let (at, _) = cx.operand(OperandKey::Mbar)?;
    let barrier = address(cx, at, space)?;
    let is_for_all = cx.m.has(Mod::MulticastClusterAll);
    cx.m.ignore_words(&[Mod::MbarrierCompleteTxBytes], "there is one mechanism");
    let audience = if is_for_all { Audience::Cluster } else { Audience::Block };
    cx.emit(Effect::Async(AsyncOp::TryCancel(Box::new(TryCancel { to, barrier, audience }))));
    Ok(())
}

/// `clusterlaunchcontrol.query_cancel`: extracts parts of the response.
pub(super) fn query_cancel(cx: &mut Context<'_>) -> Decoded<()> {
    let answer = src_operand(cx, OperandKey::TryCancelResponse)?;
    let part = |n: u32| (answer.plus(n / 2), Unary::Field { shift: n % 2 * 32, mask: u64::from(u32::MAX) });
    if cx.m.has(Mod::IsCanceled) {
        cx.m.ignore_words(&[Mod::Pred, Mod::B128], "the operands have the types");
        let d = dst_operand(cx, OperandKey::P)?;
        cx.emit(unary(Unary::Field { shift: 63, mask: 1 }, d, answer.plus(1)));
        return Ok(());
    }
    cx.m.ignore_words(&[Mod::B32, Mod::B128, Mod::V4], "the operands have the types");
    let axes = [Mod::GetFirstCtaidX, Mod::GetFirstCtaidY, Mod::GetFirstCtaidZ];
    if let Some(axis) = axes.into_iter().position(|axis| cx.m.has(axis)) {
        let d = dst_operand(cx, OperandKey::D)?;
        let (a, op) = part(axis as u32);
        cx.emit(unary(op, d, a));
        return Ok(());
    }
    if !cx.m.has(Mod::GetFirstCtaid) {
        return cx.unsupported("this form is not supported");
    }
    let (at, operand) = cx.operand(OperandKey::D)?;
    for (n, element) in cx.scope.elements(operand).into_iter().enumerate() {
        let d = cx.scope.dst_of(element, cx.span(at))?;
        // The fourth element is unspecified.
        let (a, op) = match n {
            0..3 => part(n as u32),
            _ => (cx.constants.of(0), Unary::Field { shift: 0, mask: 0 }),
        };
        cx.emit(unary(op, d, a));
    }
    Ok(())
}
