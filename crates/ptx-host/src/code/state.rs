//! The state of code generation, and the types of its parts: what the functions of the other modules read and change while they generate the code of a
//! kernel.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use ptx_exec::program::{Product, Program};
use ptx_llvm::LlvmError;
use ptx_llvm::build::{Block, Builder, CastOp, DebugInfo, Function, Metadata, Types, Value};
use rustc_hash::FxHashMap;

use crate::analysis::{Analysis, BlockCopy, BlockId, Launched, Phases, Shape};
use crate::emit::Emit;
use crate::emit::alu::{Nan, Style};
use crate::join::Joined;
use crate::notes::Notes;
use crate::options::Lines;

/// The state of code generation.
pub(super) struct Code<'a, 'm, 'c> {
    pub(super) emit: Emit<'m, 'c>,
    pub(super) types: Types<'c>,
    pub(super) program: &'a Program,
    pub(super) analysis: &'a Analysis,
    pub(super) launched: &'a Launched,
    pub(super) style: Style,
    /// Lanes of a chunk, and chunks of the warps that execute together (`analysis/group.rs`).
    pub(super) lanes: u32,
    pub(super) chunks: usize,
    pub(super) function: Function<'c>,
    pub(super) slots: Vec<Slot<'c>>,
    /// The values of rows at this point of the block: the memory of a row is read and written once per block.
    pub(super) current: RefCell<FxHashMap<(u32, usize), Current<'c>>>,
    /// For each indexed row, the memory of its index.
    pub(super) indices: Vec<Slot<'c>>,
    /// For each version and block the first LLVM block; the version being generated.
    pub(super) blocks: [Vec<Block<'c>>; 2],
    pub(super) version: Version,
    /// The copies of blocks, and the one being generated.
    pub(super) copies: Vec<BlockCopy>,
    pub(super) copy: usize,
    pub(super) current_block: Option<BlockId>,
    /// For each block, the memory of the mask of lanes that wait at it.
    pub(super) waiting: Vec<Vec<Value<'c>>>,
    /// Memory for one value per lane (`serial.rs`).
    pub(super) arrays: Vec<Value<'c>>,
    /// The memory of the mask of lanes that have not exited.
    pub(super) alive: Vec<Value<'c>>,
    /// The turns of the warps, in a function that executes a whole block (CTA).
    pub(super) turns: Option<Turns<'c>>,
    /// Whether the function executes a whole block (CTA), and whether its warps run in lockstep without synchronizing with other threads, so that
    /// barriers need no fence.
    pub(super) is_of_block: bool,
    pub(super) is_quiet: bool,
    /// The local memory of all lanes (`local.rs`), if the kernel has any.
    pub(super) local: Option<Value<'c>>,
    pub(super) done: Block<'c>,
    /// The frame of the warp, and the fields that are loaded from it on entry.
    pub(super) frame: Value<'c>,
    pub(super) inputs: Inputs<'c>,
    /// The constants that are addresses in global memory, by their number.
    pub(super) addresses: FxHashMap<u32, Value<'c>>,
    /// The active mask of the current block, for each chunk.
    pub(super) mask: Vec<Value<'c>>,
    /// The participants of the collective operation that the block begins with.
    pub(super) present: Present<'c>,
    /// Whether the runtime executes instructions of the kernel, including all that may suspend warps.
    pub(super) is_heavy: bool,
    /// The functions of matrix products.
    pub(super) multipliers: Vec<Multiplier<'c>>,
    /// Where remarks about the code of accesses and branches are collected, if requested.
    pub(super) notes: Option<&'a Notes>,
    /// The source locations of instructions, and the debug information made from them, if requested.
    pub(super) lines: Option<&'a Lines>,
    pub(super) debug: Option<Debug<'c>>,
    /// The mapping to the original program, if operations were joined.
    pub(super) joined: Option<&'a Joined>,
    /// The block that reports that lanes wait for each other forever, if there is one.
    pub(super) stuck: Cell<Option<Block<'c>>>,
    /// The places where warps are handed over to the interpreter.
    pub(super) handovers: RefCell<Vec<Handover<'c>>>,
    /// The memory of the counter of operations for which lanes are missing (`gather.rs`), if the kernel needs it.
    pub(super) vain: Option<Value<'c>>,
    /// The state of the checks of memory accesses, if they are enabled.
    pub(super) probes: Option<Probes<'c>>,
    /// Rows whose current values are in the warp's memory for the interpreter's runtime, in the lanes of the current block.
    pub(super) given: BTreeSet<u32>,
    /// Memory for rows that are passed to the runtime, and how many rows fit.
    pub(super) rows: Option<(Value<'c>, usize)>,
    /// The instruction being generated, and those that call a function of the runtime, each with the function's offset in the runtime's table.
    pub(super) pc: Cell<u32>,
    pub(super) asks: RefCell<Vec<(u32, usize)>>,
}

/// The inputs of a warp.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'c> {
    pub(super) params: Value<'c>,
    pub(super) constant: Value<'c>,
    pub(super) shared: Value<'c>,
    pub(super) block_index: [Value<'c>; 3],
    pub(super) grid: [Value<'c>; 3],
    /// The index of the warp, or of the first of those that execute together.
    pub(super) warp: Value<'c>,
    /// The index of the warp's part in the block (CTA), where warps execute part by part.
    pub(super) part: Option<Value<'c>>,
    pub(super) attention: Value<'c>,
}

impl<'c> Code<'_, '_, 'c> {
    pub(super) fn builder(&self) -> &Builder<'c> {
        &self.emit.builder
    }

    pub(super) fn int(&self, bits: u32, value: u64) -> Value<'c> {
        self.types.int_value(bits, value)
    }

    pub(super) fn is_vector(&self, row: u32) -> bool {
        matches!(self.analysis.shapes.row(row), Shape::Varying)
    }

    pub(super) fn cast(&self, op: CastOp, value: Value<'c>, bits: u32) -> Result<Value<'c>, LlvmError> {
        self.builder().cast(op, value, self.emit.like(value, self.types.int(bits)))
    }
}

/// The two versions of code that are generated if some lanes of a warp may exit before others: in the first, masks are constants, so that accesses are
/// unmasked, and loads that chunks have in common execute once. A warp branches from the first version to the second when some of its lanes
/// exit: between blocks its whole state is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// No lane of the warp has exited.
    Full,
    /// Some may have exited.
    Partial,
}

/// The value of a row at this point of a block.
#[derive(Clone, Copy)]
pub(super) struct Current<'c> {
    pub(super) value: Value<'c>,
    /// Whether the block has computed it, so that it is not in memory yet.
    pub(super) is_new: bool,
}

/// The memory of a row: one place, or one for each distinct chunk value. Rows that are constants have none.
pub(super) type Slot<'c> = Vec<Value<'c>>;

/// The lanes that execute an operation together.
#[derive(Clone, Debug)]
pub(super) enum Present<'c> {
    /// All 32.
    Whole,
    /// The lanes of this mask.
    Same(Value<'c>),
    /// For each lane the mask of its group, in vectors.
    Each(Vec<Value<'c>>),
}

/// The functions of a product.
#[derive(Clone, Copy)]
pub(super) struct Multiplier<'c> {
    pub(super) product: Product,
    /// How NaNs of its results are represented.
    pub(super) nan: Nan,
    /// The function that stores A, and the one that multiplies.
    pub(super) functions: [Function<'c>; 2],
    /// The memory of its arguments and results: register after register, lane after lane.
    pub(super) arguments: Value<'c>,
    pub(super) results: Value<'c>,
    /// The memory of the elements of A.
    pub(super) a: Value<'c>,
}

/// The warps of a block in one function.
pub(super) struct Turns<'c> {
    pub(super) warps: u64,
    /// The index of the warp that has its turn.
    pub(super) warp: Value<'c>,
    /// The resume point of each warp; the number of warps that have not exited.
    pub(super) next: Value<'c>,
    pub(super) left: Value<'c>,
    /// The saved rows of each warp, and bytes per warp.
    pub(super) state: Value<'c>,
    pub(super) bytes: u64,
    /// The block that reads the index of the current warp and dispatches; the block that advances to the next warp.
    pub(super) turn: Block<'c>,
    pub(super) advance: Block<'c>,
    /// The resume points after barriers.
    pub(super) resumes: Vec<(u64, Block<'c>)>,
    /// The loops over warps, if these reach barriers in one order: no resume points are needed then.
    pub(super) loops: Option<Loops<'c>>,
}

/// The loops over warps.
pub(super) struct Loops<'c> {
    pub(super) phases: Phases,
    /// The memory of the current warp's index.
    pub(super) at: Value<'c>,
    /// The first LLVM block of each phase.
    pub(super) heads: Vec<Block<'c>>,
    /// Rows that are recomputed after barriers, and the instructions that do it.
    pub(super) again: BTreeMap<u32, u32>,
}

/// A place where a warp is handed over: the block that begins with the poll, and its code.
pub(super) struct Handover<'c> {
    pub(super) id: BlockId,
    pub(super) version: Version,
    pub(super) leave: Block<'c>,
}

/// The state of the checks.
pub(super) struct Probes<'c> {
    pub(super) firsts: FxHashMap<u32, u32>,
    /// The known range of each site.
    pub(super) known: Value<'c>,
    /// Memory for arguments of the runtime: the rows of sources, the lane masks of warps, and the bytes of all lanes for each run.
    pub(super) rows: Value<'c>,
    pub(super) lanes: Value<'c>,
    pub(super) wholes: Value<'c>,
}

/// The debug information of a module under construction.
pub(super) struct Debug<'c> {
    pub(super) info: DebugInfo<'c>,
    /// For each file, the function's scope in that file.
    pub(super) scopes: Vec<Metadata<'c>>,
}
