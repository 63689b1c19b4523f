//! Kernels whose warps execute their barriers in one order.
//!
//! If each barrier is followed by exactly one other, or by the end, all warps of a block are between the same two barriers at a time: a phase.
//! Then a phase is a loop over warps, and no warp needs to save its position.
//!
//! ```text
//! for warp in block { .. up to the first barrier }
//! for warp in block { .. up to the second one }
//! for warp in block { .. up to the end }
//! ```

use std::collections::BTreeSet;

use ptx_program::{Effect, Op, Program};

use super::{BlockId, Graph, Terminator};

/// The phases of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phases {
    /// The barriers in the order in which warps reach them: each ends a phase and begins the next one. There is at least one.
    pub barriers: Vec<BlockId>,
    /// The blocks of each phase, one more than barriers; a barrier is part of the phase that it begins.
    pub blocks: Vec<BTreeSet<BlockId>>,
}

impl Phases {
    /// Computes the phases of a kernel; `None` if warps may reach barriers in several orders, if lanes may exit before others reach a
    /// barrier, and if there is none.
    pub fn new(program: &Program, graph: &Graph) -> Option<Self> {
        let is_barrier = |id: BlockId| {
            let inst = program.code.get(graph.block(id).first as usize);
            inst.is_some_and(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))))
        };
        let mut phases = Self { barriers: Vec::new(), blocks: Vec::new() };
        let mut first = 0;
        if is_barrier(first) {
            return None;
        }
        // From each barrier all paths must lead to one other barrier, or all to the end. A barrier that is reached twice is in a loop: its phases
        // have no fixed number.
        loop {
            let (mut inside, mut work) = (BTreeSet::from([first]), vec![first]);
            let (mut next, mut ends) = (BTreeSet::new(), false);
            while let Some(id) = work.pop() {
                let terminator = &graph.block(id).terminator;
                ends |= matches!(terminator, Terminator::Exit { .. });
                for to in terminator.targets() {
                    if is_barrier(to) {
                        next.insert(to);
                    } else if inside.insert(to) {
                        work.push(to);
                    }
                }
            }
            phases.blocks.push(inside);
            match (next.pop_first(), ends) {
                (None, true) => break,
                (Some(barrier), false) if next.is_empty() && !phases.barriers.contains(&barrier) => {
                    phases.barriers.push(barrier);
                    first = barrier;
                }
                _ => return None,
            }
        }
        (!phases.barriers.is_empty()).then_some(phases)
    }

    /// The number of the phase that a barrier begins.
    pub fn begun_by(&self, barrier: BlockId) -> Option<usize> {
        self.barriers.iter().position(|&other| other == barrier).map(|at| at + 1)
    }
}
