//! What an object file tells the runtime about a kernel that was compiled ahead of time.
//!
//! Functions of the runtime look up the instruction that calls them in the program. An object file has those instructions alone
//! ([`Site`]), and the place of each instruction in the source, as text in JSON.

use ptx_exec::program::{
    Alu, BarrierAction, BlockBarrier, Builtin, Call, Callee, Constants, Effect, Inst, Op, Program, Src,
};
use ptx_exec::{AddressSize, Dim3};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The version of what object files and this runtime have in common: frames, tables, this text. Objects of another one are refused.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-3");

/// A kernel.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct About {
    /// [`VERSION`] of what made the object.
    pub version: String,
    /// Its name.
    pub kernel: String,
    /// The files with its source.
    pub files: Vec<String>,
    /// Bytes of its parameter space.
    pub params: u32,
    /// Bytes of shared memory of a block without dynamic ones, and where those would begin.
    pub shared: [u32; 2],
    /// Whether it takes memory from the heap.
    pub heap: bool,
    /// The shapes of blocks that there is code for.
    pub shapes: Vec<ForShape>,
}

/// The code of a kernel for blocks of one shape.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ForShape {
    /// Threads of a block.
    pub block: Dim3,
    /// Whether its warps wait for each other.
    pub waits: bool,
    /// Whether its warps may wait for others in loops.
    pub is_patient: bool,
    /// Whether its function runs all warps of a block.
    pub runs_blocks: bool,
    /// Bytes of stack that the function may need.
    pub stack: u64,
    /// What functions of the runtime look up, each with its instruction.
    pub sites: Vec<(u32, Site)>,
    /// Traps and branches that mean the end of the stack and for bad addresses at calls, in ascending order.
    pub calls: Vec<u32>,
    /// The file, by its number, line and column of each instruction.
    pub places: Vec<(u32, u32, u32)>,
}

/// An instruction that functions of the runtime look up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Site {
    /// A block barrier.
    Barrier {
        /// What it does.
        action: BarrierAction,
        /// Whether it has a count of threads.
        counts: bool,
        /// Whether it has a predicate.
        asks: bool,
        /// Whether the threads of a warp execute it together.
        is_aligned: bool,
    },
    /// `brkpt`.
    Breakpoint,
    /// `brx.idx`.
    BranchIndexed,
    /// A call of a function of the system.
    Call(Builtin),
    /// An operation on registers.
    Row(Alu),
}

impl Site {
    /// That of an instruction; `None` where no function that is told of instructions looks it up.
    pub fn of(op: &Op) -> Option<Self> {
        let effect = match op {
            Op::Alu(alu) => return Some(Self::Row(*alu)),
            Op::Effect(effect) => effect,
        };
        match effect {
            Effect::BlockBarrier(barrier) => {
                let BlockBarrier { action, count, predicate, is_aligned, .. } = **barrier;
                Some(Self::Barrier { action, counts: count.is_some(), asks: predicate.is_some(), is_aligned })
            }
            Effect::Breakpoint => Some(Self::Breakpoint),
            Effect::BranchIndexed { .. } => Some(Self::BranchIndexed),
            Effect::Call(call) => match call.callee {
                Callee::Builtin(builtin) => Some(Self::Call(builtin)),
                Callee::Function(_) | Callee::Address(_) => None,
            },
            _ => None,
        }
    }

    /// An instruction of which the runtime sees no difference.
    fn op(&self) -> Op {
        let any = Src::register(0);
        match *self {
            Self::Barrier { action, counts, asks, is_aligned } => {
                let (count, predicate) = (counts.then_some(any), asks.then_some(any));
                let barrier = BlockBarrier { action, id: any, count, predicate, dst: 0, is_aligned };
                Op::Effect(Effect::BlockBarrier(Box::new(barrier)))
            }
            Self::Breakpoint => Op::Effect(Effect::Breakpoint),
            Self::BranchIndexed => Op::Effect(Effect::BranchIndexed { index: any, targets: [].into() }),
            Self::Call(builtin) => Op::Effect(Effect::Call(Box::new(Call {
                callee: Callee::Builtin(builtin),
                arguments: [].into(),
                results: [].into(),
            }))),
            Self::Row(alu) => Op::Alu(alu),
        }
    }
}

impl ForShape {
    /// What functions of the runtime look up instructions in.
    pub(crate) fn program(&self) -> Program {
        let nothing = || Inst { guard: None, op: Op::Effect(Effect::Nothing) };
        let mut code: Vec<Inst> = self.places.iter().map(|_| nothing()).collect();
        for (pc, site) in &self.sites {
            if let Some(inst) = code.get_mut(*pc as usize) {
                inst.op = site.op();
            }
        }
        Program {
            code,
            origins: Vec::new(),
            lines: Vec::new(),
            constants: Constants::default(),
            functions: Vec::new(),
            numbers: FxHashMap::default(),
            entry: 0,
            address_size: AddressSize::Bits64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_come_back_as_the_runtime_looks_them_up() {
        let sites = [
            Site::Barrier { action: BarrierAction::Popc, counts: false, asks: true, is_aligned: true },
            Site::Barrier { action: BarrierAction::Arrive, counts: true, asks: false, is_aligned: false },
            Site::Breakpoint,
            Site::BranchIndexed,
            Site::Call(Builtin::Printf),
        ];
        for site in &sites {
            assert_eq!(Site::of(&site.op()), Some(site.clone()));
        }
        let text = serde_json::to_string(&sites).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Site>>(&text).unwrap(), sites);
        assert_eq!(Site::of(&Op::Effect(Effect::Trap)), None);
    }
}
