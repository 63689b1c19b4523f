//! Who can tell what a thread does to the shared memory of its block (manual 8.5, 8.9).
//!
//! An operation is ordered with another one on the same location if the scope of each includes the other's thread ("morally strong"). All
//! accesses of an object in shared memory are by threads of its block, or of its cluster if its address can get there, so that their scope
//! can be narrowed to that:
//!
//! ```text
//! %r = atomicrmw add ptr addrspace(3) %p, i32 1 acquire    -->    atom.acquire.cta.shared.add.u32 %r1, [%p], 1;
//! ```
//!
//! What a release or an acquire orders besides is not narrowed by this: causality is transitive over synchronizations of any scopes
//! (manual 8.9.5).
//!
//! The `fence.sc` of a `seq_cst` operation is different, because it also puts the operations of *other* locations in one order with it. A thread of another
//! block can tell that it was for a block only if the order leads out of the block and back, which needs, in the block, either a `seq_cst`
//! operation on memory that others access, or a release and an acquire that others see. [`Reach`] therefore looks for these in the whole
//! module, and for anything that could have them elsewhere.

use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{
    AtomicOrder, Call, CallingConvention, CastOp, ConstExpr, Constant, Function, Op, Scope, Type, Value, View,
};

use crate::linkage::is_defined;

/// The maximum number of steps from a pointer back to its origin.
const MOST_STEPS: usize = 32;

/// Intrinsics that have, or need, addresses in the shared memory of other blocks of the cluster: parts of their names.
const ABOUT_CLUSTERS: [&str; 5] = ["mapa", "cluster", "cp.async.bulk", "tcgen05", "multicast"];

/// Intrinsics that synchronize the threads of a block and no others, or nothing: prefixes of their names.
const WITHIN_BLOCKS: [&str; 8] = [
    "llvm.nvvm.barrier.cta.",
    "llvm.nvvm.barrier0",
    "llvm.nvvm.bar.warp.sync",
    "llvm.nvvm.shfl.",
    "llvm.nvvm.vote.",
    "llvm.nvvm.membar.cta",
    "llvm.memcpy.",
    "llvm.memset.",
];

/// Who takes part in what the module does to shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Whether other blocks of the cluster may have the address of an object in shared memory.
    is_clustered: bool,
    /// Whether a thread may synchronize with another block.
    leaves_block: bool,
}

impl Reach {
    /// Reads it off the module.
    pub(crate) fn of(view: &View) -> Self {
        let mut reach = Self { is_clustered: false, leaves_block: false };
        if !view.inline_asm.is_empty() {
            return Self { is_clustered: true, leaves_block: true };
        }
        for function in view.functions.iter().filter(|function| is_defined(function)) {
            // Code of other modules may call it, with any addresses and between any operations.
            if function.convention != CallingConvention::PtxKernel && !function.linkage.is_local() {
                return Self { is_clustered: true, leaves_block: true };
            }
            for inst in &function.insts {
                reach.look_at(view, function, &inst.op);
            }
        }
        reach
    }

    /// The scope that has everyone who can access an object of shared memory.
    pub(crate) fn of_shared(self, has_clusters: bool) -> Scope {
        if self.is_clustered && has_clusters { Scope::Cluster } else { Scope::Block }
    }

    /// Whether nobody can tell the fence of a `seq_cst` operation on shared memory from one for the block.
    pub(crate) fn has_fences_of_blocks(self) -> bool {
        !self.is_clustered && !self.leaves_block
    }

    fn look_at(&mut self, view: &View, function: &Function, op: &Op) {
        match op {
            Op::Call(call) | Op::Invoke { call, .. } => self.look_at_call(view, call),
            Op::Fence { scope, .. } => {
                self.leaves_block |= !matches!(scope, Scope::Block | Scope::SingleThread);
            }
            Op::Load { ptr, order, .. } | Op::Store { ptr, order, .. } | Op::AtomicRmw { ptr, order, .. } => {
                self.look_at_access(view, function, *ptr, *order);
            }
            Op::CmpXchg { ptr, success, failure, .. } => {
                self.look_at_access(view, function, *ptr, (*success).max(*failure));
            }
            _ => {}
        }
    }

    fn look_at_access(&mut self, view: &View, function: &Function, pointer: Value, order: AtomicOrder) {
        let synchronizes = order > AtomicOrder::Monotonic;
        if synchronizes && !is_of_block(view, function, pointer) {
            self.leaves_block = true;
        }
    }

    fn look_at_call(&mut self, view: &View, call: &Call) {
        if let Value::Asm(text) = call.callee {
            if !view.inline_asm(text).text.trim().is_empty() {
                (self.is_clustered, self.leaves_block) = (true, true);
            }
            return;
        }
        let Some(callee) = view.called(call) else {
            (self.is_clustered, self.leaves_block) = (true, true);
            return;
        };
        let name = callee.name.as_str();
        if !name.starts_with("llvm.") {
            let is_here = is_defined(callee) && callee.linkage.is_local();
            self.is_clustered |= !is_here;
            self.leaves_block |= !is_here;
            return;
        }
        self.is_clustered |= ABOUT_CLUSTERS.iter().any(|part| name.contains(part));
        let is_within = WITHIN_BLOCKS.iter().any(|start| name.starts_with(start));
        self.leaves_block |= !is_within && !callee.attributes.has("nosync");
    }
}

/// Whether a pointer is to memory of the block, or of the thread.
fn is_of_block(view: &View, function: &Function, mut pointer: Value) -> bool {
    for _ in 0..MOST_STEPS {
        let ty = view.value_type(function, pointer).map(|ty| view.ty(ty));
        if let Some(Type::Pointer { space: address_space::SHARED | address_space::LOCAL }) = ty {
            return true;
        }
        pointer = match pointer {
            Value::Inst(id) => match &function.inst(id).op {
                Op::Gep { base: value, .. } | Op::Cast { op: CastOp::AddrSpaceCast, value, .. } => *value,
                Op::Alloca { .. } => return true,
                _ => return false,
            },
            Value::Const(id) => match view.constant(id) {
                Constant::Expr(
                    ConstExpr::Gep { base: value, .. } | ConstExpr::Cast { op: CastOp::AddrSpaceCast, value },
                ) => Value::Const(*value),
                _ => return false,
            },
            _ => return false,
        };
    }
    false
}
