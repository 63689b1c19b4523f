//! Host LLVM IR of a kernel, one warp at a time.
//!
//! The function is `i32 @kernel(ptr %warp)`; what it reads of the warp is [`WarpFrame`](crate::run::WarpFrame), and its result a
//! [`Status`](crate::run::Status). Rows are memory of its
//! own between blocks, which LLVM's `sroa` turns into values:
//!
//! | shape | memory | `add.u32 %r, %tid.x, 1` for vectors of 16 lanes |
//! |---|---|---|
//! | one value, or a stride | an integer: the value of lane 0 | `add i32 %tid, 1` |
//! | a value for each chunk | one integer for each | |
//! | any values | vectors | `add <16 x i32> %tid0, splat (i32 1)`, `add <16 x i32> %tid1, splat (i32 1)` |

mod ahead;
mod alone;
mod async_copy;
mod atomic;
mod barrier;
mod checks;
mod collective;
mod control;
mod effects;
mod gather;
mod generic;
mod handover;
mod heavy;
mod index;
mod lines;
mod local;
mod matrix;
mod memory;
mod notes;
mod phases;
mod prefetch;
mod probe;
mod quads;
mod registers;
mod rows;
mod runtime;
mod serial;
mod shuffle;
mod stuck;
mod switch;
mod tiles;
mod turns;
mod window;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use ptx_exec::program::{Alu, Effect, Op, Program, Row, WARP};
use ptx_isa::{Component, SpecialReg};
use ptx_llvm::build::{BinaryOp, Block, Builder, CastOp, Function, Ordering, Scope, Types, Value};
use ptx_llvm::host::HostMachine;
use ptx_llvm::{LlvmError, Module};
use rustc_hash::FxHashMap;

use crate::analysis::{
    Access, Analysis, BlockCopy, BlockId, Launched, Shape, copies, guard_of, has_heavy, is_heavy,
    runs_together, single_copies,
};
use crate::emit::Emit;
use crate::emit::alu::{Nan, Style, alu_with};
use crate::join::Joined;
use crate::kernel::CompileError;
use crate::options::Lines;
use crate::run::{Asked, field};
use control::Version;
use gather::Present;
use handover::Handover;
use lines::Debug;
use matrix::Multiplier;
pub(crate) use notes::Notes;
use probe::Probes;
pub(crate) use probe::sites;
use registers::{Current, Slot};
use turns::Turns;

/// The name of the function in its module.
pub(crate) const NAME: &str = "kernel";

/// Upper bound of warp indices of a multiprocessor, `%nwarpid`, as the interpreter has it.
const WARPS_PER_MULTIPROCESSOR: u64 = 64;

/// The state of making code.
struct Code<'a, 'm, 'c> {
    emit: Emit<'m, 'c>,
    types: Types<'c>,
    program: &'a Program,
    analysis: &'a Analysis,
    launched: &'a Launched,
    style: Style,
    /// Lanes of a chunk, and chunks of the warps that run together (`analysis/group.rs`).
    lanes: u32,
    chunks: usize,
    function: Function<'c>,
    slots: Vec<Slot<'c>>,
    /// What rows hold at this place of the block: the memory of a row is read and written once in a block.
    current: RefCell<FxHashMap<(u32, usize), Current<'c>>>,
    /// For each row that follows from an index the memory of that.
    indices: Vec<Slot<'c>>,
    /// For each version and block the first LLVM block; the version that code is made for.
    blocks: [Vec<Block<'c>>; 2],
    version: Version,
    /// The copies of blocks, and the one that code is made for.
    copies: Vec<BlockCopy>,
    copy: usize,
    current_block: Option<BlockId>,
    /// For each block the memory that holds which lanes wait at it.
    waiting: Vec<Vec<Value<'c>>>,
    /// Memory for a number of each lane (`serial.rs`).
    arrays: Vec<Value<'c>>,
    /// The memory that holds which lanes have not exited.
    alive: Vec<Value<'c>>,
    /// The turns of the warps, in the function of a block.
    turns: Option<Turns<'c>>,
    /// Whether the function is that of a block, and whether its threads tell others nothing.
    is_of_block: bool,
    is_quiet: bool,
    /// The local memory of all lanes (`local.rs`), if the kernel has any.
    local: Option<Value<'c>>,
    done: Block<'c>,
    /// The frame of the warp, and what of it is read at the beginning.
    frame: Value<'c>,
    inputs: Inputs<'c>,
    /// The constants that are addresses in global memory, by their number.
    addresses: FxHashMap<u32, Value<'c>>,
    /// The lanes that execute the current block, for each chunk.
    mask: Vec<Value<'c>>,
    /// Those that take part in the operation of several lanes that the block begins with.
    present: Present<'c>,
    /// Whether the runtime executes instructions of the kernel, and so all that lets warps wait.
    is_heavy: bool,
    /// The functions of products of matrices.
    multipliers: Vec<Multiplier<'c>>,
    /// Where it is noted what code accesses and branches have, where that is wanted.
    notes: Option<&'a Notes>,
    /// Where instructions are, and the debug information with it, where that is wanted.
    lines: Option<&'a Lines>,
    debug: Option<Debug<'c>>,
    /// What the program was made of, where operations were joined.
    joined: Option<&'a Joined>,
    /// Where code tells that lanes wait for each other for ever, if any does.
    stuck: Cell<Option<Block<'c>>>,
    /// Where warps are handed over to the interpreter.
    handovers: RefCell<Vec<Handover<'c>>>,
    /// The memory that counts operations for which lanes are missing (`gather.rs`), where the kernel needs it.
    vain: Option<Value<'c>>,
    /// What accesses are checked with, where they are.
    probes: Option<Probes<'c>>,
    /// Rows that the memory of the warp for the interpreter's runtime has as they are, in the lanes of the current block.
    given: BTreeSet<u32>,
    /// Memory for rows that the runtime is given, and how many it has room for.
    rows: Option<(Value<'c>, usize)>,
    /// The instruction that code is made for, and those that call a function of the runtime, which has that place in its table.
    pc: Cell<u32>,
    asks: RefCell<Vec<(u32, usize)>>,
}

/// What a warp is given.
#[derive(Clone, Copy)]
struct Inputs<'c> {
    params: Value<'c>,
    constant: Value<'c>,
    shared: Value<'c>,
    block_index: [Value<'c>; 3],
    grid: [Value<'c>; 3],
    /// The number of the warp, the first one of those that run together.
    warp: Value<'c>,
    /// The number of its part in the block, where parts of warps run alone.
    part: Option<Value<'c>>,
    attention: Value<'c>,
}

/// What is made beside the code, where it is wanted.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extras<'a> {
    /// Notes on accesses and branches.
    pub(crate) notes: Option<&'a Notes>,
    /// Debug information, with these lines.
    pub(crate) lines: Option<&'a Lines>,
    /// What the program was made of by joining operations.
    pub(crate) joined: Option<&'a Joined>,
    /// Whether accesses are checked.
    pub(crate) checks_memory: bool,
}

/// Adds the function of a kernel to a module.
///
/// # Errors
/// What is not compiled, or a defect of this crate that LLVM found.
pub(crate) fn generate(
    module: &Module<'_>,
    machine: &HostMachine,
    program: &Program,
    analysis: &Analysis,
    launched: &Launched,
    lanes: u32,
    extras: Extras<'_>,
) -> Result<Made, CompileError> {
    let types = Types::new(module.context());
    let ty = types.function(types.int(32), &[types.pointer(0)]);
    let function = module.function(NAME, ty)?;
    machine.set_function(types, function);
    // A frame of more than a page touches each of its pages, so that one which is too large ends at the page that guards the stack.
    function.add_attribute(types, "probe-stack", "inline-asm");
    let builder = Builder::new(types);
    let entry = function.append_block(types, "entry");
    builder.position_at_end(entry);
    let done = function.append_block(types, "done");
    let frame = function.parameters()[0];
    let inputs = inputs(&builder, types, frame)?;
    let addresses = addresses(&builder, types, frame, program.constants.global())?;
    let chunks = analysis.shapes.lanes().chunks() as usize;
    let mut code = Code {
        emit: Emit { module, types, builder },
        types,
        program,
        analysis,
        launched,
        style: Style::of(machine.cpu()),
        lanes,
        chunks,
        function,
        slots: Vec::new(),
        current: RefCell::default(),
        indices: Vec::new(),
        blocks: [Vec::new(), Vec::new()],
        version: Version::Partial,
        copies: Vec::new(),
        copy: 0,
        current_block: None,
        waiting: Vec::new(),
        arrays: Vec::new(),
        alive: Vec::new(),
        turns: None,
        is_of_block: false,
        is_quiet: analysis.warps > 1 && runs_together(program, analysis),
        local: None,
        done,
        frame,
        inputs,
        addresses,
        mask: Vec::new(),
        present: Present::Whole,
        is_heavy: launched.clusters || has_heavy(program, &analysis.graph),
        multipliers: Vec::new(),
        notes: extras.notes,
        lines: extras.lines,
        debug: extras.lines.map(|lines| Debug::new(module, types, function, program, lines)),
        joined: extras.joined,
        stuck: Cell::new(None),
        handovers: RefCell::default(),
        vain: None,
        probes: None,
        given: BTreeSet::new(),
        rows: None,
        pc: Cell::new(0),
        asks: RefCell::default(),
    };
    if let Some(entry) = program.functions.get(program.entry as usize) {
        code.locate(entry.start);
    }
    let versions = code.versions();
    code.copies = code.copies_of_blocks();
    for &version in &versions {
        let blocks = code.copies.iter().map(|_| function.append_block(types, "block"));
        code.blocks[version as usize] = blocks.collect();
    }
    if extras.checks_memory {
        code.begin_probes()?;
    }
    code.is_of_block = code.has_turns();
    if !analysis.is_of_warp() && !code.is_of_block {
        let why = "warps run together, and parts of them alone, only where they take turns";
        return Err(CompileError::refused(0, why));
    }
    if code.is_of_block {
        code.begin_turns()?;
    }
    code.make_memory()?;
    code.make_local()?;
    if analysis.schedule.has_patient() {
        let place = code.builder().alloca(types.int(32), 4)?;
        code.builder().store(code.int(32, 0), place, 4, ptx_llvm::build::Volatility::Ordinary)?;
        code.vain = Some(place);
    }
    code.enter()?;
    for version in versions {
        code.version = version;
        for copy in 0..code.copies.len() {
            code.copy = copy;
            code.block(code.copies[copy].block)?;
        }
    }
    code.finish_stuck()?;
    code.finish_handovers()?;
    let runs = if code.is_of_block {
        code.finish_turns()?;
        Runs::Block
    } else {
        code.builder().position_at_end(done);
        code.builder().ret(Some(types.int_value(32, 0)))?;
        match analysis.schedule.has_patient() {
            _ if code.is_heavy => Runs::Cluster,
            true => Runs::PatientWarp,
            false => Runs::Warp,
        }
    };
    if let Some(debug) = &code.debug {
        debug.finish();
    }
    Ok(Made { runs, asks: code.asks.take() })
}

/// What there is to know of the function of a kernel.
pub(crate) struct Made {
    pub(crate) runs: Runs,
    /// The instructions that call functions of the runtime, with the place of the function in its table (`offset_of!(Runtime, ..)`).
    pub(crate) asks: Vec<(u32, usize)>,
}

/// What the function of a kernel runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Runs {
    /// A warp.
    Warp,
    /// A warp, for which the runtime executes instructions: all of a cluster run together.
    Cluster,
    /// A warp, which lets others run when it may wait for them in a loop.
    PatientWarp,
    /// All warps of a block, which take turns at barriers.
    Block,
}

fn inputs<'c>(builder: &Builder<'c>, types: Types<'c>, frame: Value<'c>) -> Result<Inputs<'c>, LlvmError> {
    use ptx_llvm::build::Volatility::Ordinary;
    let at = |offset: usize| builder.offset(frame, types.int_value(64, offset as u64));
    let pointer = |offset| builder.load(types.pointer(0), at(offset)?, 8, Ordinary);
    let word = |offset| builder.load(types.int(32), at(offset)?, 4, Ordinary);
    let three = |offset: usize| -> Result<[Value<'c>; 3], LlvmError> {
        Ok([word(offset)?, word(offset + 4)?, word(offset + 8)?])
    };
    Ok(Inputs {
        params: pointer(field::PARAMS)?,
        constant: pointer(field::CONSTANT)?,
        shared: pointer(field::SHARED)?,
        block_index: three(field::BLOCK_INDEX)?,
        grid: three(field::GRID)?,
        warp: word(field::WARP)?,
        part: None,
        attention: pointer(field::ATTENTION)?,
    })
}

/// The constants that are addresses in global memory. They are read from the program, so that code for a program is the same wherever its
/// variables are.
fn addresses<'c>(
    builder: &Builder<'c>,
    types: Types<'c>,
    frame: Value<'c>,
    constants: &[u32],
) -> Result<FxHashMap<u32, Value<'c>>, LlvmError> {
    use ptx_llvm::build::Volatility::Ordinary;
    if constants.is_empty() {
        return Ok(FxHashMap::default());
    }
    let place = builder.offset(frame, types.int_value(64, field::CONSTANTS as u64))?;
    let rows = builder.load(types.pointer(0), place, 8, Ordinary)?;
    let address = |&constant: &u32| {
        let place = types.int_value(64, u64::from(constant) * size_of::<Row>() as u64);
        Ok((constant, builder.load(types.int(64), builder.offset(rows, place)?, 8, Ordinary)?))
    };
    constants.iter().map(address).collect()
}

impl<'c> Code<'_, '_, 'c> {
    fn builder(&self) -> &Builder<'c> {
        &self.emit.builder
    }

    fn int(&self, bits: u32, value: u64) -> Value<'c> {
        self.types.int_value(bits, value)
    }

    /// The copies of blocks: one for each round of loops over barriers whose rounds are known, where all warps run together.
    fn copies_of_blocks(&self) -> Vec<BlockCopy> {
        /// Instructions of chunks.
        const MOST: usize = 8192;
        if self.is_quiet {
            copies(self.program, self.analysis, (MOST / self.chunks) as u32)
        } else {
            single_copies(self.analysis)
        }
    }

    /// The instructions of a block, and where its lanes go.
    fn block(&mut self, id: BlockId) -> Result<(), CompileError> {
        self.builder().position_at_end(self.blocks[self.version as usize][self.copy]);
        self.locate(self.analysis.graph.block(id).first);
        self.current_block = Some(id);
        self.read_turn()?;
        if let Some(region) = self.region_of(id) {
            return self.go_alone(id, &region);
        }
        self.read_live(id)?;
        self.take(id)?;
        self.given.clear();
        if self.checks() {
            self.check_read(id)?;
        }
        self.forget_vain()?;
        let analysis = self.analysis;
        let block = analysis.graph.block(id);
        for pc in block.first..block.end {
            if self.checks() {
                let lanes = self.active_warps(
                    guard_of(&self.program.code[pc as usize]).map(|guard| (guard.row, guard.negated)),
                )?;
                self.instruction(id, pc)?;
                self.check_written(pc, &lanes)?;
                continue;
            }
            self.instruction(id, pc)?;
        }
        self.write_live(id)?;
        self.begin_notes(id, block.end);
        self.locate(block.end);
        self.leave(id, &block.terminator)?;
        Ok(())
    }

    fn instruction(&mut self, id: BlockId, pc: u32) -> Result<(), CompileError> {
        let program = self.program;
        let inst = &program.code[pc as usize];
        self.begin_notes(id, pc);
        self.locate(pc);
        self.pc.set(pc);
        let guard = guard_of(inst).map(|guard| (guard.row, guard.negated));
        let is_by_runtime = is_heavy(&inst.op) || self.is_of_cluster(&inst.op);
        if !is_by_runtime && !self.given.is_empty() {
            let writes = Access::of(&inst.op).unwrap_or_default().writes;
            self.given.retain(|row| !writes.contains(row));
        }
        if let Op::Effect(effect) = &inst.op
            && !is_by_runtime
        {
            self.check_memory(id, guard, effect, pc)?;
        }
        match &inst.op {
            op if is_by_runtime => self.by_runtime(id, guard, op, pc)?,
            Op::Alu(alu) => {
                if self.alu(id, guard, alu)?.is_none() {
                    if !self.analysis.is_of_warp() {
                        return Err(CompileError::refused(
                            pc,
                            "the interpreter's functions are for one warp",
                        ));
                    }
                    self.by_interpreter(id, guard, alu, pc)?;
                }
            }
            Op::Effect(effect) => match effect {
                Effect::Copy(pairs) => {
                    let read: Result<Vec<_>, LlvmError> =
                        pairs.iter().map(|(dst, src)| Ok((*dst, self.copied(*src, *dst)?))).collect();
                    for ((dst, values), (_, src)) in read?.into_iter().zip(pairs.iter()) {
                        self.write_index(guard, dst, &[*src])?;
                        self.write(id, guard, dst, &values)?;
                    }
                }
                Effect::Special { d, register, component } => {
                    let values = self.special(*d, *register, *component, pc)?;
                    self.write(id, guard, *d, &values)?;
                }
                Effect::FrameAddress { d, offset } => {
                    let value = self.int(64, *offset as u64 & u64::from(u32::MAX));
                    let values: Result<Vec<_>, LlvmError> =
                        (0..self.copies(*d)).map(|_| self.spread(value, *d)).collect();
                    self.write(id, guard, *d, &values?)?;
                }
                Effect::ActiveMask { d } => {
                    let lanes = self.running(guard)?;
                    self.write_same(id, guard, *d, lanes)?;
                }
                Effect::Collective(collective) => self.collective(id, guard, collective, pc)?,
                Effect::Load(load) => self.load(id, guard, load, pc)?,
                Effect::Store(store) => self.store(guard, store, pc)?,
                Effect::Atomic(atomic) => self.atomic(id, guard, atomic, pc)?,
                Effect::VectorAtomic(atomic) => self.vector_atomic(id, guard, atomic, pc)?,
                Effect::WideAtomic(atomic) => self.wide_atomic(id, guard, atomic, pc)?,
                // There is one proxy in a launch whose asynchronous operations complete at once.
                Effect::Fence | Effect::ProxyFence => {
                    self.builder().fence(Ordering::SeqCst, Scope::System)?;
                }
                Effect::BlockBarrier(barrier) => self.barrier(id, guard, barrier, pc)?,
                Effect::AsyncCopy(copy) => self.async_copy(guard, copy, pc)?,
                // What other families issue is not compiled.
                Effect::AsyncGroup(_) => {}
                Effect::Call(call) => self.call_system(id, guard, call, pc)?,
                Effect::Texturing(_) | Effect::Multimem(_) => self.perform(id, guard, effect, pc)?,
                Effect::Nothing | Effect::Pause => {}
                _ => return Err(CompileError::refused(pc, "the instruction is not compiled yet")),
            },
        }
        Ok(())
    }

    /// An operation: once where its results are numbers for all lanes, for each chunk otherwise.
    fn alu(&mut self, id: BlockId, guard: Option<(u32, bool)>, alu: &Alu) -> Result<Option<()>, LlvmError> {
        let access = Access::of(&Op::Alu(*alu)).unwrap_or_default();
        let mut results = Vec::new();
        for &dst in &access.writes {
            let nan = if self.analysis.nans.has_any(dst) { Nan::Any } else { Nan::Canonical };
            let style = Style { nan, ..self.style };
            let mut values = Vec::new();
            for chunk in self.chunks_of(dst) {
                let arguments = self.arguments(alu, &access.reads, dst, chunk)?;
                let Some(made) = alu_with(&self.emit, alu, &arguments, style)? else { return Ok(None) };
                let which = usize::from(results.len() == 1);
                values.extend(made.get(which));
            }
            results.push((dst, values));
        }
        for (dst, values) in results {
            self.write_index(guard, dst, &access.reads)?;
            self.write(id, guard, dst, &values)?;
        }
        Ok(Some(()))
    }

    /// The values of a special register, in the form of a row.
    fn special(
        &self,
        dst: u32,
        register: SpecialReg,
        component: Option<Component>,
        pc: u32,
    ) -> Result<Vec<Value<'c>>, CompileError> {
        let axis = component.map_or(0, Component::index);
        let inputs = &self.inputs;
        let one = match register {
            SpecialReg::Ntid => self.int(32, self.launched.block.get(axis).copied().unwrap_or(0).into()),
            // A cluster is one block.
            SpecialReg::CtaId | SpecialReg::ClusterId => {
                inputs.block_index.get(axis).copied().unwrap_or(self.int(32, 0))
            }
            SpecialReg::NCtaId | SpecialReg::NClusterId => {
                inputs.grid.get(axis).copied().unwrap_or(self.int(32, 0))
            }
            SpecialReg::WarpId if self.analysis.warps > 1 => {
                return self.warp_numbers(dst).map_err(Into::into);
            }
            SpecialReg::WarpId => inputs.warp,
            SpecialReg::NWarpId => self.int(32, WARPS_PER_MULTIPROCESSOR),
            // There is one multiprocessor.
            SpecialReg::NSmId => self.int(32, 1),
            SpecialReg::SmId | SpecialReg::Pm(_) | SpecialReg::Pm64(_) => self.int(32, 0),
            SpecialReg::GridId | SpecialReg::CurrentGraphExec => self.int(64, 0),
            SpecialReg::ClusterCtaId => self.int(32, 0),
            SpecialReg::ClusterNCtaId => self.int(32, u64::from(axis < 3)),
            // The address of the grid's workspace, the upper half first.
            SpecialReg::Envreg(1) => {
                let workspace = self.asked(Asked::Workspace)?;
                let upper = self.builder().binary(BinaryOp::LShr, workspace, self.int(64, 32))?;
                self.emit.resize(upper, 32)?
            }
            SpecialReg::Envreg(2) => self.emit.resize(self.asked(Asked::Workspace)?, 32)?,
            SpecialReg::ClusterCtaRank | SpecialReg::Envreg(_) => self.int(32, 0),
            SpecialReg::ClusterNCtaRank => self.int(32, 1),
            SpecialReg::TotalSmemSize | SpecialReg::AggrSmemSize => self.asked(Asked::Shared)?,
            SpecialReg::DynamicSmemSize => self.asked(Asked::DynamicShared)?,
            SpecialReg::IsExplicitCluster => self.emit.resize(self.asked(Asked::IsExplicitCluster)?, 1)?,
            // A clock cycle is a nanosecond.
            SpecialReg::Clock64 | SpecialReg::GlobalTimer => self.asked(Asked::Nanoseconds)?,
            SpecialReg::Clock | SpecialReg::GlobalTimerLo => {
                self.emit.resize(self.asked(Asked::Nanoseconds)?, 32)?
            }
            SpecialReg::ClockHi | SpecialReg::GlobalTimerHi => {
                let time = self.asked(Asked::Nanoseconds)?;
                self.builder().binary(BinaryOp::LShr, time, self.int(64, 32))?
            }
            SpecialReg::LanemaskEq => return self.lanemask(|lane| 1 << lane).map_err(Into::into),
            SpecialReg::LanemaskLe => {
                return self.lanemask(|lane| u32::MAX >> (31 - lane)).map_err(Into::into);
            }
            SpecialReg::LanemaskLt => return self.lanemask(|lane| (1 << lane) - 1).map_err(Into::into),
            SpecialReg::LanemaskGe => return self.lanemask(|lane| u32::MAX << lane).map_err(Into::into),
            SpecialReg::LanemaskGt => return self.lanemask(|lane| u32::MAX << lane << 1).map_err(Into::into),
            SpecialReg::LaneId | SpecialReg::Tid => {
                return self.index(dst, register, axis).map_err(Into::into);
            }
            _ => return Err(CompileError::refused(pc, "the special register is not compiled yet")),
        };
        let copies = (0..self.copies(dst)).map(|_| self.spread(one, dst));
        copies.collect::<Result<_, LlvmError>>().map_err(Into::into)
    }

    /// What the runtime knows of the launch, as 64 bits.
    fn asked(&self, what: Asked) -> Result<Value<'c>, LlvmError> {
        self.call_runtime(field::runtime::ASK, &[self.int(32, what as u64)], self.types.int(64))
    }

    /// A set of lanes for each lane.
    fn lanemask(&self, of_lane: fn(u32) -> u32) -> Result<Vec<Value<'c>>, LlvmError> {
        (0..self.chunks)
            .map(|chunk| self.constants(32, chunk, |lane| of_lane((lane % WARP) as u32).into()))
            .collect()
    }

    /// The index of each thread on an axis of its block, or in its warp.
    fn index(&self, dst: u32, register: SpecialReg, axis: usize) -> Result<Vec<Value<'c>>, LlvmError> {
        let builder = self.builder();
        let [x, y, _] = self.launched.block.map(u64::from);
        let (divisor, modulus) = match (register, axis) {
            (SpecialReg::LaneId, _) => (1, WARP as u64),
            (_, 0) => (1, x),
            (_, 1) => (x, y),
            _ => (x * y, u64::MAX),
        };
        let mut values = Vec::new();
        for chunk in self.chunks_of(dst) {
            let first = self.int(32, chunk as u64 * u64::from(self.lanes));
            let mut number = builder.binary(BinaryOp::Add, self.first_thread()?, first)?;
            if self.is_vector(dst) {
                number = builder.splat(number, self.lanes)?;
                let lanes: Vec<u64> = (0..u64::from(self.lanes)).collect();
                number = builder.binary(BinaryOp::Add, number, self.types.int_vector(32, &lanes)?)?;
            }
            let constant = |value| self.emit.constant(number, 32, value);
            let [divisor, modulus] = [divisor, modulus.min(1 << 31)].map(constant);
            let divided = builder.binary(BinaryOp::UDiv, number, divisor)?;
            values.push(builder.binary(BinaryOp::URem, divided, modulus)?);
        }
        Ok(values)
    }

    /// The number of the warp of each chunk.
    fn warp_numbers(&self, dst: u32) -> Result<Vec<Value<'c>>, LlvmError> {
        let of_chunk = |chunk: usize| {
            let after = (chunk * self.lanes as usize / WARP) as u64;
            let number = self.builder().binary(BinaryOp::Add, self.inputs.warp, self.int(32, after))?;
            self.spread(number, dst)
        };
        self.chunks_of(dst).into_iter().map(of_chunk).collect()
    }

    /// One number in the form of a row.
    fn spread(&self, value: Value<'c>, dst: u32) -> Result<Value<'c>, LlvmError> {
        if self.is_vector(dst) { self.builder().splat(value, self.lanes) } else { Ok(value) }
    }

    fn is_vector(&self, row: u32) -> bool {
        matches!(self.analysis.shapes.row(row), Shape::Varying)
    }

    fn cast(&self, op: CastOp, value: Value<'c>, bits: u32) -> Result<Value<'c>, LlvmError> {
        self.builder().cast(op, value, self.emit.like(value, self.types.int(bits)))
    }
}
