//! Which blocks all threads of a block of the grid execute together.

use std::collections::HashSet;

use ptx_graph::{DominatorTree, FlowGraph, Reversed};
use ptx_llvm_core::address_space;
use ptx_llvm_core::edit::{Flow, Inst, Opcode};

/// Registers that are the same for all threads of a block.
const UNIFORM_REGISTERS: [&str; 8] = [
    "llvm.nvvm.read.ptx.sreg.ctaid.",
    "llvm.nvvm.read.ptx.sreg.nctaid.",
    "llvm.nvvm.read.ptx.sreg.ntid.",
    "llvm.nvvm.read.ptx.sreg.clusterid.",
    "llvm.nvvm.read.ptx.sreg.nclusterid.",
    "llvm.nvvm.read.ptx.sreg.cluster.ctaid.",
    "llvm.nvvm.read.ptx.sreg.cluster.nctaid.",
    "llvm.nvvm.read.ptx.sreg.warpsize",
];

/// Where the threads of a block may be apart.
pub(in crate::passes) struct Uniformity {
    apart: Vec<bool>,
}

impl Uniformity {
    /// Of a kernel.
    pub(in crate::passes) fn new(flow: &Flow<'_>) -> Self {
        let reversed = Reversed::new(flow);
        let tree = DominatorTree::new(&reversed);
        let mut depth = vec![0_usize; reversed.block_count()];
        for &block in tree.order() {
            if let Some(above) = tree.immediate(block) {
                depth[block] = depth[above] + 1;
            }
        }
        let mut analysis = Analysis {
            flow,
            next: (0..reversed.block_count()).collect(),
            apart: vec![false; flow.blocks().len()],
            tree,
            depth,
            different: HashSet::new(),
            work: Vec::new(),
        };
        for block in flow.blocks() {
            for inst in block.instructions() {
                if is_source(inst) {
                    analysis.differs(inst);
                }
            }
        }
        analysis.run();
        Self { apart: analysis.apart }
    }

    /// Whether all threads come to this block together, equally often.
    pub(in crate::passes) fn is_together(&self, block: usize) -> bool {
        !self.apart[block]
    }
}

/// Something that was found out, and that has consequences.
#[derive(Clone, Copy)]
enum Found<'e> {
    /// Threads compute different values.
    Different(Inst<'e>),
    /// They go different ways after this block.
    Branch(usize),
}

struct Analysis<'f, 'e> {
    flow: &'f Flow<'e>,
    /// The tree of post-dominators.
    tree: DominatorTree,
    depth: Vec<usize>,
    apart: Vec<bool>,
    /// For each block itself, or, where threads are apart, one above it in the tree: the way up to the next where they are not, with the shortcuts that were found.
    next: Vec<usize>,
    different: HashSet<Inst<'e>>,
    work: Vec<Found<'e>>,
}

impl<'e> Analysis<'_, 'e> {
    fn differs(&mut self, inst: Inst<'e>) {
        if self.different.insert(inst) {
            self.work.push(Found::Different(inst));
        }
    }

    fn run(&mut self) {
        while let Some(found) = self.work.pop() {
            match found {
                Found::Branch(block) => self.part(block),
                Found::Different(inst) => {
                    for user in inst.users() {
                        if user.opcode().is_terminator() {
                            let block = user.block().and_then(|block| self.flow.number(block));
                            self.work.extend(block.map(Found::Branch));
                        } else if !is_same_for_all(user) {
                            self.differs(user);
                        }
                    }
                }
            }
        }
    }

    /// Threads go different ways after a block: all blocks up to where the ways join are executed by some of them.
    fn part(&mut self, block: usize) {
        // A block that threads leave in one direction only parts none.
        if self.flow.successors_of(block).iter().all(|to| *to == self.flow.successors_of(block)[0]) {
            return;
        }
        let Some(join) = self.tree.immediate(block) else { return };
        for place in 0..self.flow.successors_of(block).len() {
            let mut at = self.up(self.flow.successors_of(block)[place]);
            while self.depth[at] > self.depth[join] {
                self.set_apart(at);
                at = self.up(at);
            }
        }
        // Which value a phi has depends on the way.
        if let Some(join) = self.flow.blocks().get(join) {
            for phi in join.phis() {
                self.differs(phi);
            }
        }
    }

    /// The block itself or the first above it in the tree where threads are together.
    fn up(&mut self, block: usize) -> usize {
        let mut top = block;
        while self.next[top] != top {
            top = self.next[top];
        }
        let mut at = block;
        while self.next[at] != at {
            at = std::mem::replace(&mut self.next[at], top);
        }
        top
    }

    fn set_apart(&mut self, block: usize) {
        self.apart[block] = true;
        self.next[block] = self.tree.immediate(block).unwrap_or(block);
        for inst in self.flow.blocks()[block].instructions() {
            if !inst.opcode().is_terminator() {
                self.differs(inst);
            }
        }
        self.work.push(Found::Branch(block));
    }
}

/// Whether threads may compute different values from the same operands.
fn is_source(inst: Inst<'_>) -> bool {
    // What is not defined may be something else for each thread.
    if inst.operands().any(|operand| operand.is_undef()) {
        return true;
    }
    let of_kernel = |space| matches!(space, address_space::CONST | address_space::PARAM);
    match inst.opcode() {
        Opcode::Load => {
            let space = inst.operand(0).and_then(|address| address.ty().pointer_space());
            !space.is_some_and(of_kernel) || inst.is_volatile()
        }
        Opcode::Alloca | Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::VAArg | Opcode::Freeze => true,
        opcode if opcode.is_call() => !is_same_for_all(inst) && !depends_on_operands(inst),
        _ => false,
    }
}

/// Whether all threads of a block have the same result for all operands.
fn is_same_for_all(inst: Inst<'_>) -> bool {
    UNIFORM_REGISTERS.iter().any(|prefix| inst.calls(prefix)) || inst.calls("llvm.nvvm.barrier.cta.red.")
}

/// Whether a call computes its result of its operands alone.
fn depends_on_operands(call: Inst<'_>) -> bool {
    let function = call.called_function().filter(|function| function.is_intrinsic());
    function.is_some_and(|function| {
        function.attribute("memory") == Some(0)
            && function.attribute("convergent").is_none()
            && !call.calls("llvm.nvvm.read.ptx.sreg.")
    })
}
