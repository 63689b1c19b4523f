//! Operands of instructions: the registers each reads and writes, and its frame-relative addresses.
//!
//! There is one walk over each instruction, in two forms: one visits the operands by shared, the other by mutable
//! reference. Engines use it to find the dependences of an instruction, and to rename registers in copies of
//! instructions.

use super::{
    Address, Alu, AsyncCopy, AsyncGroup, AsyncOp, AsyncWrite, Atomic, BarrierAction, Base, BlockBarrier,
    Bulk, BulkSource, Call, Callee, Collective, CopyAmount, Dst, Effect, FactorA, Fetch, GroupAction,
    LevelOf, Load, MapAddress, Mbarrier, MbarrierAction, Multimem, MultimemAction, Multiplication, Op,
    Participants, SharedFactor, Slot, Src, Stack, Store, SurfaceAccess, SurfaceAction, TensorA, TensorAction,
    TensorCommit, TensorCopy, TensorIssue, TensorOperation, TensormapCopy, TensormapReplace, Texturing,
    TryCancel, VectorAtomic, WarpgroupAction, WarpgroupProduct, WideAtomic, Write,
};
use super::{Coordinates, TextureQuery};

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand<S, D, A, L> {
    /// A row that is read.
    Read(S),
    /// Two consecutive rows that are read.
    ReadPair(S),
    /// A row that is written.
    Write(D),
    /// A row that is read and then written.
    Update(D),
    /// An address relative to the frame's local memory; [`Effect::FrameAddress`] has one itself.
    Frame(A),
    /// An argument of a call.
    Argument(L),
    /// A result of a call.
    Result(L),
}

/// An operand by shared reference.
pub type OperandRef<'a> = Operand<&'a Src, &'a Dst, &'a Address, &'a Slot>;
/// An operand by mutable reference.
pub type OperandMut<'a> = Operand<&'a mut Src, &'a mut Dst, &'a mut Address, &'a mut Slot>;

impl Op {
    /// Visits all operands of the operation, reads before writes. The guard is not included.
    pub fn operands<'a>(&'a self, see: &mut dyn FnMut(OperandRef<'a>)) {
        match self {
            Op::Alu(alu) => shared::alu(alu, see),
            Op::Effect(effect) => shared::effect(effect, see),
        }
    }

    /// Like [`Op::operands`], with mutable access.
    pub fn operands_mut<'a>(&'a mut self, see: &mut dyn FnMut(OperandMut<'a>)) {
        match self {
            Op::Alu(alu) => exclusive::alu(alu, see),
            Op::Effect(effect) => exclusive::effect(effect, see),
        }
    }
}

impl Effect {
    /// See [`Op::operands`].
    pub fn operands<'a>(&'a self, see: &mut dyn FnMut(OperandRef<'a>)) {
        shared::effect(self, see);
    }

    /// See [`Op::operands_mut`].
    pub fn operands_mut<'a>(&'a mut self, see: &mut dyn FnMut(OperandMut<'a>)) {
        exclusive::effect(self, see);
    }
}

/// Whether a barrier action has a result.
const fn gives(action: BarrierAction) -> bool {
    match action {
        BarrierAction::Sync | BarrierAction::Arrive => false,
        BarrierAction::Popc | BarrierAction::And | BarrierAction::Or => true,
    }
}

macro_rules! walks {
    ($module:ident, $operand:ident $(, $mutable:tt)?) => {
        mod $module {
            use super::*;

            type See<'s, 'a> = &'s mut dyn FnMut($operand<'a>);

            fn read<'a>(srcs: impl IntoIterator<Item = &'a $($mutable)? Src>, see: See<'_, 'a>) {
                srcs.into_iter().for_each(|src| see(Operand::Read(src)));
            }

            fn write<'a>(dsts: impl IntoIterator<Item = &'a $($mutable)? Dst>, see: See<'_, 'a>) {
                dsts.into_iter().for_each(|dst| see(Operand::Write(dst)));
            }

            fn address<'a>(address: &'a $($mutable)? Address, see: See<'_, 'a>) {
                if matches!(address.base, Base::Frame) {
                    see(Operand::Frame(address));
                } else if let Base::Row(src, _) = &$($mutable)? address.base {
                    see(Operand::Read(src));
                }
            }

            fn addresses<'a>(all: impl IntoIterator<Item = &'a $($mutable)? Address>, see: See<'_, 'a>) {
                all.into_iter().for_each(|one| address(one, see));
            }

            pub(super) fn alu<'a>(alu: &'a $($mutable)? Alu, see: See<'_, 'a>) {
                match alu {
                    Alu::Unary { d, a, .. } => {
                        read([a], see);
                        write([d], see);
                    }
                    Alu::Binary { d, a, b, .. } => {
                        read([a, b], see);
                        write([d], see);
                    }
                    Alu::Ternary { d, a, b, c, .. } => {
                        read([a, b, c], see);
                        write([d], see);
                    }
                    Alu::Formula { d, srcs, .. } => {
                        read(srcs, see);
                        write([d], see);
                    }
                    Alu::Dual { dsts, srcs, .. } => {
                        read(srcs, see);
                        write(dsts, see);
                    }
                }
            }

            pub(super) fn effect<'a>(effect: &'a $($mutable)? Effect, see: See<'_, 'a>) {
                match effect {
                    Effect::Copy(pairs) => {
                        for (d, a) in pairs {
                            read([a], see);
                            write([d], see);
                        }
                    }
                    Effect::Special { d, .. } | Effect::FrameAddress { d, .. } | Effect::ActiveMask { d } => {
                        write([d], see);
                    }
                    Effect::Load(load) => {
                        let Load { address: from, dsts, .. } = &$($mutable)? **load;
                        address(from, see);
                        write(dsts, see);
                    }
                    Effect::Store(store) => {
                        let Store { address: to, srcs, .. } = &$($mutable)? **store;
                        address(to, see);
                        read(srcs, see);
                    }
                    Effect::Atomic(one) => atomic(one, see),
                    Effect::VectorAtomic(atomic) => {
                        let VectorAtomic { address: at, elements, .. } = &$($mutable)? **atomic;
                        address(at, see);
                        for (d, src) in elements {
                            read([src], see);
                            write(d, see);
                        }
                    }
                    Effect::WideAtomic(atomic) => {
                        let WideAtomic { address: at, operands, dst, .. } =
                            &$($mutable)? **atomic;
                        address(at, see);
                        operands.into_iter().for_each(|src| see(Operand::ReadPair(src)));
                        dst.into_iter().for_each(|dst| write(dst, see));
                    }
                    Effect::Multimem(access) => {
                        let Multimem { address: at, action, .. } = &$($mutable)? **access;
                        address(at, see);
                        match action {
                            MultimemAction::Store(srcs) | MultimemAction::Combine(srcs, _) => read(srcs, see),
                            MultimemAction::Load(dsts, _) => write(dsts, see),
                        }
                    }
                    Effect::AsyncCopy(copy) => {
                        let AsyncCopy { to, from, amount, .. } = &$($mutable)? **copy;
                        addresses([to, from], see);
                        match amount {
                            CopyAmount::Whole => {}
                            CopyAmount::Bytes(src) | CopyAmount::UnlessTrue(src) => read([src], see),
                        }
                    }
                    Effect::Async(op) => asynchronous(op, see),
                    Effect::AsyncGroup(AsyncGroup { action, .. }) => match action {
                        GroupAction::Wait(src) | GroupAction::WaitForReads(src) => read([src], see),
                        GroupAction::Commit | GroupAction::WaitForAll => {}
                    },
                    Effect::Mbarrier(operation) => mbarrier(operation, see),
                    Effect::Within(within) => address(&$($mutable)? within.address, see),
                    Effect::Texturing(texturing) => of_texturing(texturing, see),
                    Effect::Stack(stack) => match stack {
                        Stack::Save { d } => write([d], see),
                        Stack::Restore { a } => read([a], see),
                        Stack::Allocate { d, size, .. } => {
                            read([size], see);
                            write([d], see);
                        }
                    },
                    Effect::BlockBarrier(barrier) => {
                        let BlockBarrier { action, id, count, predicate, dst, .. } = &$($mutable)? **barrier;
                        read([id], see);
                        read(count, see);
                        read(predicate, see);
                        if gives(*action) {
                            write([dst], see);
                        }
                    }
                    Effect::MapAddress(map) => {
                        let MapAddress { d, a, rank, .. } = &$($mutable)? **map;
                        read([a, rank], see);
                        write([d], see);
                    }
                    Effect::Collective(collective) => {
                        let Collective { participants, srcs, dsts, .. } = &$($mutable)? **collective;
                        read(srcs, see);
                        if let Participants::Members(mask) = participants {
                            read([mask], see);
                        }
                        write(dsts, see);
                    }
                    Effect::Warpgroup(action) => match &$($mutable)? **action {
                        WarpgroupAction::Multiply(product) => of_warpgroup(product, see),
                        WarpgroupAction::Fence | WarpgroupAction::Commit | WarpgroupAction::Wait(_) => {}
                    },
                    Effect::BranchIndexed { index, .. } => read([index], see),
                    Effect::Call(call) => {
                        let Call { callee, arguments, results } = &$($mutable)? **call;
                        match callee {
                            Callee::Address(src) => read([src], see),
                            Callee::Function(_) | Callee::Builtin(_) => {}
                        }
                        arguments.into_iter().for_each(|slot| see(Operand::Argument(slot)));
                        results.into_iter().for_each(|slot| see(Operand::Result(slot)));
                    }
                    Effect::Fence
                    | Effect::ProxyFence
                    | Effect::ClusterBarrier(_)
                    | Effect::Branch { .. }
                    | Effect::Return
                    | Effect::Exit
                    | Effect::Trap
                    | Effect::Breakpoint
                    | Effect::Pause
                    | Effect::Nothing => {}
                }
            }

            fn asynchronous<'a>(op: &'a $($mutable)? AsyncOp, see: See<'_, 'a>) {
                match op {
                    AsyncOp::Bulk(bulk) => of_bulk(bulk, see),
                    AsyncOp::Write(write) => {
                        let AsyncWrite { write, barrier } = &$($mutable)? **write;
                        match write {
                            Write::Store(store) => {
                                let Store { address: to, srcs, .. } = store;
                                address(to, see);
                                read(srcs, see);
                            }
                            Write::Combine(one) => atomic(one, see),
                        }
                        addresses(barrier, see);
                    }
                    AsyncOp::TensorCopy(copy) => tensor_copy(copy, see),
                    AsyncOp::TensormapReplace(change) => {
                        let TensormapReplace { map, value, .. } = &$($mutable)? **change;
                        address(map, see);
                        read([value], see);
                    }
                    AsyncOp::TensormapCopy(copy) => {
                        let TensormapCopy { to, from } = &$($mutable)? **copy;
                        addresses([to, from], see);
                    }
                    AsyncOp::Tensor(issue) => tensor(issue, see),
                    AsyncOp::TensorCommit(commit) => {
                        let TensorCommit { barrier, blocks, .. } = &$($mutable)? **commit;
                        address(barrier, see);
                        read(blocks, see);
                    }
                    AsyncOp::TryCancel(cancel) => {
                        let TryCancel { to, barrier, .. } = &$($mutable)? **cancel;
                        addresses([to, barrier], see);
                    }
                }
            }

            fn atomic<'a>(atomic: &'a $($mutable)? Atomic, see: See<'_, 'a>) {
                let Atomic { address: at, dst, operands, .. } = atomic;
                address(at, see);
                read(operands, see);
                write(dst, see);
            }

            fn of_bulk<'a>(bulk: &'a $($mutable)? Bulk, see: See<'_, 'a>) {
                let Bulk { to, source, size, barrier, blocks, .. } = bulk;
                address(to, see);
                match source {
                    BulkSource::Memory { from, mask } => {
                        address(from, see);
                        read(mask, see);
                    }
                    BulkSource::Within { from, ignored } => {
                        address(from, see);
                        read(ignored, see);
                    }
                    BulkSource::Combined { from, .. } => address(from, see),
                    BulkSource::Zeros => {}
                }
                read([size], see);
                addresses(barrier, see);
                read(blocks, see);
            }

            fn tensor_copy<'a>(copy: &'a $($mutable)? TensorCopy, see: See<'_, 'a>) {
                let TensorCopy { map, shared, coordinates, offsets, address: replaced, action, .. } = copy;
                addresses([map, shared], see);
                read(coordinates, see);
                read(offsets, see);
                read(replaced, see);
                match action {
                    TensorAction::Load { barrier, blocks, .. } => {
                        address(barrier, see);
                        read(blocks, see);
                    }
                    TensorAction::Store | TensorAction::Reduce(_) => {}
                }
            }

            fn mbarrier<'a>(operation: &'a $($mutable)? Mbarrier, see: See<'_, 'a>) {
                let Mbarrier { address: at, action, dst, report, blocks } = operation;
                address(at, see);
                match action {
                    MbarrierAction::Init(src, _)
                    | MbarrierAction::Expect(src)
                    | MbarrierAction::Complete(src)
                    | MbarrierAction::IsOver(src)
                    | MbarrierAction::IsOverParity(src)
                    | MbarrierAction::IsOverConditional(src) => read([src], see),
                    MbarrierAction::Arrive { count, transactions, .. } => {
                        read([count], see);
                        read(transactions, see);
                    }
                    MbarrierAction::HasLayout(_)
                    | MbarrierAction::Invalidate
                    | MbarrierAction::ArriveOfCopies
                    | MbarrierAction::ArriveOfCopiesCounted => {}
                }
                read(blocks, see);
                write(dst, see);
                report.into_iter().for_each(|pair| write(pair, see));
            }

            fn tensor<'a>(issue: &'a $($mutable)? TensorIssue, see: See<'_, 'a>) {
                match &$($mutable)? issue.operation {
                    TensorOperation::Copy { to, from, .. } => read([to, from], see),
                    TensorOperation::Shift(at) => read([at], see),
                    TensorOperation::Multiply(product) => {
                        let Multiplication {
                            d, a, b, instruction, metadata, scales, disabled, adds_d, shift_d, zeros, ..
                        } = &$($mutable)? **product;
                        let (TensorA::Shared(a) | TensorA::Tensor(a)) = a;
                        read([d, a, b, instruction], see);
                        read(metadata, see);
                        if let Some((a, b)) = scales {
                            read([a, b], see);
                        }
                        read(disabled, see);
                        read([adds_d, shift_d], see);
                        read(zeros, see);
                    }
                }
            }

            fn of_warpgroup<'a>(product: &'a $($mutable)? WarpgroupProduct, see: See<'_, 'a>) {
                let WarpgroupProduct { a, b, d, accumulates, metadata, .. } = product;
                match a {
                    FactorA::Registers(srcs) => read(srcs, see),
                    FactorA::Shared(SharedFactor { descriptor, .. }) => read([descriptor], see),
                }
                read([&$($mutable)? b.descriptor, accumulates], see);
                read(metadata, see);
                // D is also C.
                d.into_iter().for_each(|row| see(Operand::Update(row)));
            }

            fn of_texturing<'a>(texturing: &'a $($mutable)? Texturing, see: See<'_, 'a>) {
                match texturing {
                    Texturing::Fetch(one) => fetch(one, see),
                    Texturing::Query(TextureQuery { handle, level, dst, .. }) => {
                        read([handle], see);
                        read(level, see);
                        write([dst], see);
                    }
                    Texturing::IsType { handle, dst, .. } => {
                        read([handle], see);
                        write([dst], see);
                    }
                    Texturing::Surface(SurfaceAccess { surface, layer, at, action, .. }) => {
                        read([surface], see);
                        read(layer, see);
                        read(at, see);
                        match action {
                            SurfaceAction::Load { dsts, .. } => write(dsts, see),
                            SurfaceAction::Store { srcs, .. } | SurfaceAction::StoreTexel { srcs } => {
                                read(srcs, see);
                            }
                            SurfaceAction::Reduce { src, .. } | SurfaceAction::ReduceTexel { src, .. } => {
                                read([src], see);
                            }
                        }
                    }
                }
            }

            fn fetch<'a>(fetch: &'a $($mutable)? Fetch, see: See<'_, 'a>) {
                let Fetch { texture, sampler, layer, sample, at, level, offsets, depth, dsts, resident, .. } =
                    fetch;
                read([texture], see);
                read(sampler, see);
                read(layer, see);
                read(sample, see);
                let (Coordinates::Whole(at) | Coordinates::Point(at)) = at;
                read(at, see);
                match level {
                    LevelOf::Base => {}
                    LevelOf::Given(src) => read([src], see),
                    LevelOf::Gradient { dx, dy } => {
                        read(dx, see);
                        read(dy, see);
                    }
                }
                read(offsets, see);
                read(depth, see);
                write(dsts, see);
                write(resident, see);
            }
        }
    };
}

walks!(shared, OperandRef);
walks!(exclusive, OperandMut, mut);
