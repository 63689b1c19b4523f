//! Mbarriers, and bulk copies (manual 9.7.13.15, 9.7.9.25.4, 9.7.9.12, 9.7.13.7, 9.7.9.13, 9.7.9.18).

use ptx_isa::{AsyncSem, Field, Mod, OperandKey, Sem};

use super::combine::combination;
use super::context::{Context, Decode, unary};
use super::group::{commit, wait_for_bulk, wait_for_copies};
use super::memory::{async_copy, atomic, store};
use super::modifiers::{CACHING, NO_CACHES, ORDERING, STRONGEST};
use super::operand::{address, dst, dst_operand, space, src_of, src_operand};
use super::output::Decoded;
use super::tensor::{bulk_tensor, multicast, tensormap_copy, tensormap_replace};
use crate::memory::Space;
use crate::program::{
    AsyncOp, AsyncWrite, BarrierLayout, Bulk, BulkSource, Completion, Effect, Family, Inspection, Mbarrier,
    MbarrierAction, Op, Src, Stay, Unary, Within, Write,
};

/// The report on the data of a copy to its mbarrier.
fn inspection(cx: &Context<'_>) -> Decoded<Option<Inspection>> {
    Ok(Some(match cx.m.get(Field::Report) {
        None | Some(Mod::MbarrierReportDisabled) => return Ok(None),
        Some(Mod::MbarrierReportValidityPer16bytes80000000) => Inspection::Sampled(32),
        Some(Mod::MbarrierReportValidityPer16bytes8000) => Inspection::Sampled(16),
        Some(Mod::MbarrierReportValidityPer16bytes80) => Inspection::Sampled(8),
        Some(Mod::MbarrierReportValidityPer16bytes8) => Inspection::Sampled(4),
        Some(Mod::MbarrierReportValidityPerElementFf) => Inspection::Ones,
        Some(_) => return cx.unsupported("it reports nothing that is known"),
    }))
}

/// The layout of an mbarrier.
fn layout(cx: &Context<'_>) -> Decoded<BarrierLayout> {
    match cx.m.get(Field::Layout) {
        Some(Mod::LayoutV1) => Ok(BarrierLayout::V1),
        Some(Mod::LayoutV0) | None => Ok(BarrierLayout::V0),
        Some(_) => cx.unsupported("its layout is not supported"),
    }
}

/// Granularity of bulk copies, and of bulk stores.
const COPY_UNIT: u64 = 16;
const STORE_UNIT: u64 = 8;

/// The decoder of an asynchronous operation; `None` for unsupported operations.
pub(super) fn async_decoder(sem: AsyncSem) -> Option<Decode> {
    use AsyncSem as S;
    Some(match sem {
        S::StoreAsync => store_async,
        S::ReduceAsync => reduce_async,
        S::CpAsync => async_copy,
        S::CpAsyncCommit => |cx| commit(cx, Family::Copies),
        S::BulkCommit => |cx| commit(cx, Family::Bulk),
        S::CpAsyncWait => wait_for_copies,
        S::BulkWait => wait_for_bulk,
        S::BulkPrefetch | S::TensorPrefetch => |cx| cx.plain(Effect::Nothing, NO_CACHES),
        S::MbarrierInit => |cx| {
            let action = MbarrierAction::Init(src_operand(cx, OperandKey::Count)?, layout(cx)?);
            mbarrier(cx, action)
        },
        S::MbarrierInval => |cx| mbarrier(cx, MbarrierAction::Invalidate),
        S::MbarrierCheckLayout => |cx| {
            let action = MbarrierAction::HasLayout(layout(cx)?);
            mbarrier(cx, action)
        },
        S::MbarrierTransactions => transactions,
        S::MbarrierArrive => arrival,
        S::MbarrierWait => wait,
        S::CpAsyncArrive => |cx| {
            let is_counted = cx.m.has(Mod::Noinc);
            let counted = MbarrierAction::ArriveOfCopiesCounted;
            mbarrier(cx, if is_counted { counted } else { MbarrierAction::ArriveOfCopies })
        },
        S::MbarrierPendingCount => pending_count,
        S::BulkCopy | S::BulkReduce => bulk,
        S::StoreBulk => store_bulk,
        S::TensorCopy | S::TensorReduce => bulk_tensor,
        S::TensormapReplace => tensormap_replace,
        S::TensormapCopy => tensormap_copy,
        // Kernels with such accesses are refused, so that none is in flight.
        S::FabricGroup => |cx| cx.plain(Effect::Nothing, "there is nothing to wait for"),
        S::Fabric => return None,
    })
}

/// `mbarrier` on an object, `cp.async.mbarrier.arrive`.
fn mbarrier(cx: &mut Context<'_>, action: MbarrierAction) -> Decoded<()> {
    let space = space(cx)?;
    let (at, _) = cx.operand(OperandKey::Addr)?;
    let address = address(cx, at, space)?;
    cx.m.ignore(ORDERING, STRONGEST);
    let result = [OperandKey::State, OperandKey::WaitComplete, OperandKey::P].into_iter().find(|key| {
        // The state of a wait is a source.
        cx.find(*key).is_some_and(|at| at == 0)
    });
    let state = match result {
        Some(key) => Some(dst_operand(cx, key)?),
        None => None,
    };
    let report = match (cx.find(OperandKey::ReportPredicate), cx.find(OperandKey::ReportValue)) {
        (Some(predicate), Some(value)) => Some([dst(cx, predicate)?, dst(cx, value)?]),
        (Some(predicate), None) => Some([dst(cx, predicate)?, cx.scope.sink]),
        (None, _) => None,
    };
    let blocks = multicast(cx)?;
    if blocks.is_some() && state.is_some_and(|state| state != cx.scope.sink) {
        return cx.unsupported("arrivals at several barriers have no one state; write `_` in its place");
    }
    cx.emit(Effect::Mbarrier(Box::new(Mbarrier { address, action, dst: state, report, blocks })));
    Ok(())
}

/// `mbarrier.test_wait`, `mbarrier.try_wait`: on the primary phase, or on the conditional phase of a parity.
fn wait(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore_words(&[Mod::TestWait, Mod::TryWait], "a wait may give up at once");
    let is_conditional = match cx.m.get(Field::PhaseType) {
        Some(Mod::PhaseTypeConditional) => true,
        None => false,
        Some(_) => return cx.unsupported("its phase is not supported"),
    };
    cx.m.ignore_words(&[Mod::PhaseTypePrimary], "the default (manual 9.4, 9.7.15.16.19)");
    let action = match cx.m.has(Mod::Parity) {
        true if is_conditional => {
            MbarrierAction::IsOverConditional(src_operand(cx, OperandKey::PhaseParity)?)
        }
        true => MbarrierAction::IsOverParity(src_operand(cx, OperandKey::PhaseParity)?),
        false => MbarrierAction::IsOver(src_operand(cx, OperandKey::State)?),
    };
    mbarrier(cx, action)
}

/// `mbarrier.expect_tx`, `mbarrier.complete_tx`.
fn transactions(cx: &mut Context<'_>) -> Decoded<()> {
    let count = src_operand(cx, OperandKey::TxCount)?;
    let action = match (cx.m.has(Mod::ExpectTx), cx.m.has(Mod::CompleteTx)) {
        (true, false) => MbarrierAction::Expect(count),
        (false, true) => MbarrierAction::Complete(count),
        _ => return cx.unsupported("this change of the number of transactions is not supported"),
    };
    mbarrier(cx, action)
}

/// `mbarrier.arrive`, `mbarrier.arrive_drop`.
fn arrival(cx: &mut Context<'_>) -> Decoded<()> {
    let count = match cx.find(OperandKey::Count) {
        Some(at) => src_in_braces(cx, at)?,
        None => cx.constants.of(1),
    };
    let transactions =
        if cx.m.has(Mod::ExpectTx) { Some(src_operand(cx, OperandKey::TxCount)?) } else { None };
    let completion = if cx.m.has(Mod::NoComplete) { Completion::Forbidden } else { Completion::Allowed };
    let stay = match (cx.m.has(Mod::Arrive), cx.m.has(Mod::ArriveDrop)) {
        (true, false) => Stay::Stays,
        (false, true) => Stay::Leaves,
        _ => return cx.unsupported("this kind of arrival is not supported"),
    };
    mbarrier(cx, MbarrierAction::Arrive { count, transactions, completion, stay })
}

/// A source that may be in braces.
fn src_in_braces(cx: &mut Context<'_>, at: usize) -> Decoded<Src> {
    let operand = cx.operands.get(at).copied().unwrap_or(ptx_ir::Operand::Omitted);
    let ty = cx.m.operand_type(at).unwrap_or(ptx_isa::ScalarType::U32);
    let element = cx.scope.elements(operand).first().copied().unwrap_or(operand);
    src_of(cx, element, ty, cx.span(at))
}

/// `mbarrier.pending_count`.
pub(super) fn pending_count(cx: &mut Context<'_>) -> Decoded<()> {
    let (d, a) = (dst_operand(cx, OperandKey::Count)?, src_operand(cx, OperandKey::State)?);
    cx.emit(unary(Unary::PendingCount, d, a));
    Ok(())
}

/// `st.bulk`.
fn store_bulk(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore(ORDERING, STRONGEST);
    let space = space(cx)?;
    let (at, _) = cx.operand(OperandKey::A)?;
    let to = address(cx, at, space)?;
    let size = src_operand(cx, OperandKey::Size)?;
    cx.emit(Effect::Async(AsyncOp::Bulk(Box::new(Bulk {
        to,
        source: BulkSource::Zeros,
        size,
        unit: STORE_UNIT,
        barrier: None,
        inspection: None,
        is_multimem: false,
        blocks: None,
    }))));
    Ok(())
}

/// `cp.async.bulk`, `cp.reduce.async.bulk`.
pub(super) fn bulk(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore(CACHING, NO_CACHES);
    cx.m.ignore(ORDERING, STRONGEST);
    let (is_out, is_multimem) = (cx.m.has(Mod::BulkGroup), cx.m.has(Mod::Cp));
    let to_space = match () {
        () if is_out => Space::Global,
        () if cx.m.has(Mod::SharedCluster) => Space::SharedCluster,
        () => Space::Shared,
    };
    let spaces = &[Mod::SharedCta, Mod::SharedCluster, Mod::MbarrierCompleteTxBytes];
    cx.m.ignore_words(spaces, "what completes it, and `.global`, determine the spaces");
    let is_within = !cx.m.has(Mod::Global) && !is_out;
    let from_space = if is_out || is_within { Space::Shared } else { Space::Global };
    let (at, _) = cx.operand(OperandKey::DstMem)?;
    let to = address(cx, at, to_space)?;
    let (at, _) = cx.operand(OperandKey::SrcMem)?;
    let from = address(cx, at, from_space)?;
    let source = match (cx.m.sem(), cx.m.scalar_type()) {
        (Sem::Async(AsyncSem::BulkReduce), Some(ty)) => {
            BulkSource::Combined { from, combine: combination(cx, ty)?, element: ty.bytes() }
        }
        _ if cx.m.has(Mod::IgnoreOob) => {
            let left = src_operand(cx, OperandKey::IgnoreBytesLeft)?;
            BulkSource::Within { from, ignored: [left, src_operand(cx, OperandKey::IgnoreBytesRight)?] }
        }
        _ => {
            let has_mask = cx.m.has(Mod::CpMask);
            let mask = if has_mask { Some(src_operand(cx, OperandKey::ByteMask)?) } else { None };
            BulkSource::Memory { from, mask }
        }
    };
    let barrier = match cx.find(OperandKey::Mbar) {
        Some(at) => Some(address(cx, at, to_space)?),
        None => None,
    };
    let (blocks, inspection) = (multicast(cx)?, inspection(cx)?);
    let size = src_operand(cx, OperandKey::Size)?;
    cx.emit(Effect::Async(AsyncOp::Bulk(Box::new(Bulk {
        to,
        source,
        size,
        unit: COPY_UNIT,
        barrier,
        inspection,
        is_multimem,
        blocks,
    }))));
    Ok(())
}

/// `st.async`: a store that signals its bytes to an mbarrier. The manual requires a cluster of several blocks; in a
/// cluster of one, cluster addresses are those of the block's own memory.
pub(super) fn store_async(cx: &mut Context<'_>) -> Decoded<()> {
    let spaces: &[Space] = match cx.m.get(Field::MemOrder) {
        _ if cx.find(OperandKey::Mbar).is_some() => &[Space::SharedCluster],
        Some(Mod::Release) => &[Space::Global],
        _ => &[Space::Global, Space::SharedCluster],
    };
    expect_space(cx, spaces)?;
    cx.m.ignore(&[Field::Completion], "there is one mechanism");
    store(cx)?;
    write_async(cx)
}

/// `red.async`, analogous to `st.async`.
pub(super) fn reduce_async(cx: &mut Context<'_>) -> Decoded<()> {
    let is_near = cx.find(OperandKey::Mbar).is_some();
    cx.m.ignore(&[Field::Completion], "there is one mechanism");
    expect_space(cx, if is_near { &[Space::SharedCluster] } else { &[Space::Global] })?;
    atomic(cx)?;
    write_async(cx)
}

/// Requires the address to be in one of these spaces; not needed if the instruction specifies its space.
fn expect_space(cx: &mut Context<'_>, spaces: &'static [Space]) -> Decoded<()> {
    if cx.m.space().is_none() {
        let (at, _) = cx.operand(OperandKey::A)?;
        let address = address(cx, at, Space::Generic)?;
        cx.emit(Effect::Within(Box::new(Within { address, spaces })));
    }
    Ok(())
}

/// Converts the store or reduction that was decoded last to an asynchronous one, which signals its bytes to the
/// mbarrier of the instruction, if any.
fn write_async(cx: &mut Context<'_>) -> Decoded<()> {
    let write = match cx.program.code.pop().map(|inst| inst.op) {
        Some(Op::Effect(Effect::Store(store))) => Write::Store(*store),
        Some(Op::Effect(Effect::Atomic(atomic))) => Write::Combine(*atomic),
        _ => return cx.unsupported("what it writes is not known"),
    };
    cx.program.origins.pop();
    let barrier = match cx.find(OperandKey::Mbar) {
        Some(at) => {
            let space = space(cx)?;
            Some(address(cx, at, space)?)
        }
        None => None,
    };
    cx.emit(Effect::Async(AsyncOp::Write(Box::new(AsyncWrite { write, barrier }))));
    Ok(())
}
