//! Generates LLVM IR for the host from a kernel, one warp at a time.
//!
//! The function is `i32 @kernel(ptr %warp)`; its argument is the warp's [`WarpFrame`](crate::run::WarpFrame), and its result a
//! [`Status`](crate::run::Status). Between blocks, rows are in stack
//! memory, which LLVM's `sroa` promotes to values:
//!
//! | shape | memory | `add.u32 %r, %tid.x, 1` for vectors of 16 lanes |
//! |---|---|---|
//! | uniform or strided | an integer: the value of lane 0 | `add i32 %tid, 1` |
//! | one value or one first lane per chunk | one integer for each chunk | |
//! | varying | vectors | `add <16 x i32> %tid0, splat (i32 1)`, `add <16 x i32> %tid1, splat (i32 1)` |

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
mod made;
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
mod segments;
mod serial;
mod shuffle;
mod singly;
mod state;
mod stuck;
mod switch;
mod tiles;
mod turns;
mod window;

use std::cell::{Cell, RefCell};
use std::ops::Range;

use ptx_exec::program::{Alu, Effect, Op, Program, Row, WARP, along, axis};
use ptx_isa::{Component, SpecialReg};
use ptx_llvm::build::{BinaryOp, Builder, Function, Ordering, Scope, Types, Value};
use ptx_llvm::host::HostMachine;
use ptx_llvm::{LlvmError, Module};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{
    Access, Analysis, BlockCopy, BlockId, Launched, Segments, copies, copies_of, guard_of, has_heavy,
    is_heavy, runs_together, single_copies,
};
use crate::emit::Emit;
use crate::emit::alu::{Nan, Style, alu_with};
use crate::error::CompileError;
use crate::join::Joined;
use crate::notes::Notes;
use crate::options::Lines;
use crate::run::{Asked, field};
pub(crate) use made::{Made, NAME, Runs};
pub(crate) use probe::sites;
use state::{Code, Debug, Ends, Inputs, Masks, Plan, Position, Present, Reports, RowMemory, Version, Warps};

/// Upper bound of warp indices of a multiprocessor, `%nwarpid`; the interpreter uses the same.
const WARPS_PER_MULTIPROCESSOR: u64 = 64;

/// Optional outputs and inputs of code generation.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extras<'a> {
    /// Notes on accesses and branches.
    pub(crate) notes: Option<&'a Notes>,
    /// Debug information, with these source lines.
    pub(crate) lines: Option<&'a Lines>,
    /// The mapping to the original program, if operations were joined.
    pub(crate) joined: Option<&'a Joined>,
    /// Whether accesses are checked.
    pub(crate) checks_memory: bool,
}

/// Adds the function of a kernel to a module.
///
/// # Errors
/// An instruction that is not compiled, or a defect of this crate that LLVM found.
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
    // A frame of more than a page probes each of its pages, so that one which is too large faults at the guard page of the stack.
    function.add_attribute(types, "probe-stack", "inline-asm");
    let debug = extras.lines.map(|lines| Debug::new(module, types, program, lines));
    let probed = extras.checks_memory.then(|| sites(program).0);
    let is_heavy = launched.clusters || has_heavy(program, &analysis.graph);
    let kernel =
        Kernel { is_heavy, module, machine, program, analysis, launched, lanes, extras, debug, probed };
    let made = match &analysis.segments {
        Some(segments) => kernel.split(function, segments)?,
        None => kernel.whole(function)?,
    };
    if let Some(debug) = &kernel.debug {
        debug.finish();
    }
    Ok(made)
}

/// A kernel for which code is generated.
struct Kernel<'a, 'm, 'c> {
    module: &'m Module<'c>,
    machine: &'a HostMachine,
    program: &'a Program,
    analysis: &'a Analysis,
    launched: &'a Launched,
    lanes: u32,
    extras: Extras<'a>,
    debug: Option<Debug<'c>>,
    /// Whether the runtime executes instructions of the kernel.
    is_heavy: bool,
    /// The first site of each instruction with memory accesses that are checked.
    probed: Option<FxHashMap<u32, u32>>,
}

impl<'m, 'c> Kernel<'_, 'm, 'c> {
    /// Begins a function whose first parameter is the frame of the warp; the builder is in its first block.
    fn begin(&self, function: Function<'c>, uses: &Uses) -> Result<Code<'_, 'm, 'c>, CompileError> {
        let Self { module, machine, program, analysis, launched, lanes, extras, .. } = *self;
        let types = Types::new(module.context());
        let builder = Builder::simplifying(types);
        let entry = function.append_block(types, "entry");
        builder.position_at_end(entry);
        let done = function.append_block(types, "done");
        let frame = function.parameters()[0];
        let inputs = inputs(&builder, types, frame)?;
        let constants = program.constants.global().iter().copied();
        let constants: Vec<u32> = constants.filter(|&constant| uses.has_constant(constant)).collect();
        let addresses = addresses(&builder, types, frame, &constants)?;
        let chunks = analysis.shapes.lanes().chunks() as usize;
        let mut code = Code {
            program,
            analysis,
            launched,
            function,
            emit: Emit { module, types, builder },
            types,
            style: Style::of(machine.cpu()),
            lanes,
            chunks,
            warps: Warps {
                is_of_block: false,
                is_quiet: analysis.warps > 1 && runs_together(program, analysis),
                is_heavy: self.is_heavy,
                turns: None,
            },
            at: Position {
                blocks: [Vec::new(), Vec::new()],
                version: Version::Partial,
                copies: Vec::new(),
                copy: 0,
                block: None,
                pc: Cell::new(0),
            },
            rows: RowMemory::default(),
            masks: Masks {
                waiting: Vec::new(),
                first: 0,
                alive: Vec::new(),
                active: Vec::new(),
                present: Present::Whole,
                vain: None,
            },
            segment: None,
            ends: Ends { done, stuck: Cell::new(None), handovers: RefCell::default() },
            reports: Reports {
                notes: extras.notes,
                lines: extras.lines,
                debug: self.debug.as_ref().map(|debug| (debug, debug.scopes_of(function))),
                joined: extras.joined,
            },
            frame,
            inputs,
            addresses,
            local: None,
            multipliers: Vec::new(),
            probes: None,
            asks: RefCell::default(),
        };
        code.locate(program.kernel().start);
        if let Some(firsts) = &self.probed {
            code.begin_probes(firsts)?;
        }
        Ok(code)
    }

    /// Generates a kernel in one function.
    fn whole(&self, function: Function<'c>) -> Result<Made, CompileError> {
        let analysis = self.analysis;
        let mut code = self.begin(function, &Uses::All)?;
        let types = code.types;
        let versions = code.versions();
        code.at.copies = code.copies_of_blocks();
        for &version in &versions {
            let blocks = code.at.copies.iter().map(|_| function.append_block(types, "block"));
            code.at.blocks[version as usize] = blocks.collect();
        }
        code.warps.is_of_block = code.has_turns();
        if !analysis.is_of_warp() && !code.warps.is_of_block {
            let why = "warps can run together, and parts of them separately, only if they take turns";
            return Err(CompileError::refused(0, why));
        }
        if code.warps.is_of_block {
            code.begin_turns()?;
        }
        code.make_memory()?;
        code.make_local()?;
        if analysis.schedule.has_patient() {
            let place = code.builder().alloca(types.int(32), 4)?;
            code.builder().store(code.int(32, 0), place, 4, ptx_llvm::build::Volatility::Ordinary)?;
            code.masks.vain = Some(place);
        }
        code.enter()?;
        for version in versions {
            code.at.version = version;
            code.blocks()?;
        }
        code.finish_stuck()?;
        code.finish_handovers()?;
        let runs = if code.warps.is_of_block {
            code.finish_turns()?;
            Runs::Block
        } else {
            code.builder().position_at_end(code.ends.done);
            code.builder().ret(Some(types.int_value(32, 0)))?;
            match analysis.schedule.has_patient() {
                true if code.warps.is_heavy => Runs::PatientCluster,
                false if code.warps.is_heavy => Runs::Cluster,
                true => Runs::PatientWarp,
                false => Runs::Warp,
            }
        };
        Ok(Made { runs, asks: code.asks.take() })
    }

    /// Generates a kernel whose segments are functions of their own.
    fn split(&self, function: Function<'c>, segments: &Segments) -> Result<Made, CompileError> {
        let mut code = self.begin(function, &Uses::Constants(FxHashSet::default()))?;
        let plan = Plan::new(&code, segments)?;
        let lanes = code.lanes_of_warp()?;
        code.dispatch(&plan, lanes)?;
        // One version: that for full warps if no lane ever exits before others.
        let version = match code.versions()[..] {
            [only] => only,
            _ => Version::Partial,
        };
        let mut asks = code.asks.take();
        for (range, &function) in segments.ranges().iter().zip(&plan.functions) {
            let [_, state, next] = function.parameters()[..] else {
                return Err(registers::defect("a segment with other parameters").into());
            };
            let mut code =
                self.begin(function, &Uses::of_blocks(self.program, self.analysis, range.clone()))?;
            code.at.version = version;
            code.at.copies = copies_of(range.clone());
            let blocks = code.at.copies.iter().map(|_| function.append_block(code.types, "block"));
            code.at.blocks[version as usize] = blocks.collect();
            code.begin_segment(&plan, range.clone(), state)?;
            code.make_rows_of_segment()?;
            code.enter_segment(next)?;
            code.blocks()?;
            code.finish_segment()?;
            code.finish_stuck()?;
            asks.extend(code.asks.take());
        }
        for (function, is_stuck) in [(plan.stuck, true), (plan.parted, false)] {
            let mut code = self.begin(function, &Uses::All)?;
            code.begin_segment(&plan, 0..0, function.parameters()[1])?;
            match (is_stuck, &function.parameters()[..]) {
                (false, &[_, _, pc, all]) => code.report_parted_segments(pc, all)?,
                _ => code.report_stuck_segments()?,
            }
            asks.extend(code.asks.take());
        }
        Ok(Made { runs: Runs::Warp, asks })
    }
}

/// What a function uses, of what is loaded at its beginning.
enum Uses {
    All,
    /// These constants.
    Constants(FxHashSet<u32>),
}

impl Uses {
    fn has_constant(&self, constant: u32) -> bool {
        match self {
            Self::All => true,
            Self::Constants(constants) => constants.contains(&constant),
        }
    }

    /// The constants that some blocks read.
    fn of_blocks(program: &Program, analysis: &Analysis, blocks: Range<BlockId>) -> Self {
        let insts = blocks.flat_map(|id| analysis.graph.code(program, analysis.graph.block(id)));
        let reads = insts.flat_map(|(_, _, access)| access.reads.iter().filter_map(|src| src.as_constant()));
        Self::Constants(reads.collect())
    }
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

/// The constants that are addresses in global memory. They are loaded from the program, so that the code does not depend on where its
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
    /// The copies of blocks: one for each iteration of loops over barriers with known trip count, where warps run in lockstep from barrier to barrier.
    fn copies_of_blocks(&self) -> Vec<BlockCopy> {
        /// Limit on instructions times chunks.
        const MOST: usize = 8192;
        if self.warps.is_quiet {
            copies(self.program, self.analysis, (MOST / self.chunks) as u32)
        } else {
            single_copies(self.analysis)
        }
    }

    /// Generates the copies of blocks in the current version.
    fn blocks(&mut self) -> Result<(), CompileError> {
        for copy in 0..self.at.copies.len() {
            self.at.copy = copy;
            self.block(self.at.copies[copy].block)?;
        }
        Ok(())
    }

    /// Generates the instructions of a block and its terminator.
    fn block(&mut self, id: BlockId) -> Result<(), CompileError> {
        self.builder().position_at_end(self.at.blocks[self.at.version as usize][self.at.copy]);
        self.locate(self.analysis.graph.block(id).first);
        self.at.block = Some(id);
        self.read_turn()?;
        if let Some(region) = self.region_of(id) {
            return self.go_alone(id, &region);
        }
        self.read_live(id)?;
        self.take(id)?;
        self.rows.given.clear();
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
        self.at.pc.set(pc);
        let guard = guard_of(inst).map(|guard| (guard.row, guard.negated));
        let is_by_runtime = is_heavy(&inst.op) || self.is_of_cluster(&inst.op);
        if !is_by_runtime && !self.rows.given.is_empty() {
            let writes = Access::of(&inst.op).writes;
            self.rows.given.retain(|row| !writes.contains(row));
        }
        if let Op::Effect(effect) = &inst.op
            && !is_by_runtime
        {
            self.check_memory(id, guard, effect, pc)?;
        }
        match &inst.op {
            op if self.comes_singly(op) => self.give_arrived(id, guard, op)?,
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
                // A launch has one proxy only, whose asynchronous operations complete at once.
                Effect::Fence | Effect::ProxyFence => {
                    self.builder().fence(Ordering::SeqCst, Scope::System)?;
                }
                Effect::BlockBarrier(barrier) => self.barrier(id, guard, barrier, pc)?,
                Effect::AsyncCopy(copy) => self.async_copy(guard, copy, pc)?,
                // Other families that issue asynchronous operations are not compiled.
                Effect::AsyncGroup(_) => {}
                Effect::Call(call) => self.call_system(id, guard, call, pc)?,
                Effect::Texturing(_) | Effect::Multimem(_) => self.perform(id, guard, effect, pc)?,
                Effect::Nothing | Effect::Pause => {}
                _ => return Err(CompileError::refused(pc, "the instruction is not compiled yet")),
            },
        }
        Ok(())
    }

    /// Generates an operation: once if its results are scalars, otherwise for each chunk.
    fn alu(&mut self, id: BlockId, guard: Option<(u32, bool)>, alu: &Alu) -> Result<Option<()>, LlvmError> {
        let access = Access::of(&Op::Alu(*alu));
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
        let of = |dims: [Value<'c>; 3]| along(dims, self.int(32, 0), component);
        let inputs = &self.inputs;
        let one = match register {
            SpecialReg::Ntid => self.int(32, along(self.launched.block, 0, component).into()),
            // A cluster is one block.
            SpecialReg::CtaId | SpecialReg::ClusterId => of(inputs.block_index),
            SpecialReg::NCtaId | SpecialReg::NClusterId => of(inputs.grid),
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
            SpecialReg::ClusterNCtaId => self.int(32, along([1; 3], 0, component)),
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
                return self.index(dst, register, axis(component)).map_err(Into::into);
            }
            _ => return Err(CompileError::refused(pc, "the special register is not compiled yet")),
        };
        let copies = (0..self.copies(dst)).map(|_| self.spread(one, dst));
        copies.collect::<Result<_, LlvmError>>().map_err(Into::into)
    }

    /// A property of the launch that the runtime knows, as 64 bits.
    fn asked(&self, what: Asked) -> Result<Value<'c>, LlvmError> {
        self.call_runtime(field::runtime::ASK, &[self.int(32, what as u64)], self.types.int(64))
    }

    /// A lane mask for each lane.
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

    /// The warp index of each chunk.
    fn warp_numbers(&self, dst: u32) -> Result<Vec<Value<'c>>, LlvmError> {
        let of_chunk = |chunk: usize| {
            let after = (chunk * self.lanes as usize / WARP) as u64;
            let number = self.builder().binary(BinaryOp::Add, self.inputs.warp, self.int(32, after))?;
            self.spread(number, dst)
        };
        self.chunks_of(dst).into_iter().map(of_chunk).collect()
    }

    /// One value in the form of a row.
    fn spread(&self, value: Value<'c>, dst: u32) -> Result<Value<'c>, LlvmError> {
        if self.is_vector(dst) { self.builder().splat(value, self.lanes) } else { Ok(value) }
    }
}
