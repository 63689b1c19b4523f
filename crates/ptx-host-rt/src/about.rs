//! Metadata in an object file about a kernel that was compiled ahead of time.
//!
//! Functions of the runtime look up their calling instruction in the program. An object file only contains those
//! instructions ([`Site`]), and the source location of each instruction, as JSON text.

use ptx_exec::Dim3;
use ptx_program::memory::AddressSize;
use ptx_program::{
    Alu, BarrierAction, BlockBarrier, Builtin, Call, Callee, Constants, Effect, Function, Functions, Inst,
    Op, Program, Src,
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The version of the interface between object files and this runtime: frames, tables, this metadata. Objects of other versions are refused.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-3");

/// A kernel.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct About {
    /// The [`VERSION`] of the compiler of the object.
    pub version: String,
    /// Its name.
    pub kernel: String,
    /// The source files.
    pub files: Vec<String>,
    /// Bytes of its parameter space.
    pub params: u32,
    /// Bytes of static shared memory of a block, and the offset at which dynamic shared memory would start.
    pub shared: [u32; 2],
    /// Whether it uses the heap.
    pub heap: bool,
    /// The block shapes for which there is code.
    pub shapes: Vec<ForShape>,
}

/// The code of a kernel for blocks of one shape.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ForShape {
    /// Threads of a block.
    pub block: Dim3,
    /// Whether its warps wait for each other.
    pub waits: bool,
    /// Whether its warps may poll for others in loops.
    pub is_patient: bool,
    /// Whether its function runs all warps of a block.
    pub runs_blocks: bool,
    /// Maximum stack use of the function in bytes.
    pub stack: u64,
    /// The instructions that functions of the runtime look up.
    pub sites: Vec<(u32, Site)>,
    /// Trap and branch instructions that represent stack overflow and invalid call targets, ascending.
    pub calls: Vec<u32>,
    /// The file index, line and column of each instruction.
    pub places: Vec<(u32, u32, u32)>,
}

/// An instruction that functions of the runtime look up.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Site {
    /// A block barrier.
    Barrier {
        /// Its action.
        action: BarrierAction,
        /// Whether it has a thread count.
        counts: bool,
        /// Whether it has a predicate.
        asks: bool,
        /// Whether the threads of a warp must execute it together.
        is_aligned: bool,
    },
    /// `brkpt`.
    Breakpoint,
    /// `brx.idx`.
    BranchIndexed,
    /// A call of a builtin function.
    Call(Builtin),
    /// An operation on registers.
    Row(Alu),
}

impl Site {
    /// The site of an instruction; `None` if no function of the runtime looks it up.
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

    /// An instruction that the runtime cannot distinguish from the original.
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
    /// The program in which functions of the runtime look up instructions.
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
            functions: Functions::of_kernel(Function::default()),
            numbers: FxHashMap::default(),
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
