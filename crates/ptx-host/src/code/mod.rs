//! Generates LLVM IR for the host from a kernel, as its strategy says (`strategy.rs`), one warp at a time.
//!
//! The files are functions over one state ([`state::Code`]) that import what they call. `lane_masks`, `outside`, `slots`, `index`, `registers`, `runtime`, `serial`
//! are below the families of instructions, `next_block`, `gather` and `control` are where lanes go, and `instruction` is above all of them.
//!
//! The function is `i32 @kernel(ptr %warp)`; its argument is the warp's [`WarpFrame`](ptx_host_rt::WarpFrame), and its result a
//! [`Status`](ptx_host_rt::Status). Between blocks, rows are in stack
//! memory, which LLVM's `sroa` promotes to values:
//!
//! | shape | memory | `add.u32 %r, %tid.x, 1` for vectors of 16 lanes |
//! |---|---|---|
//! | uniform or strided | an integer: the value of lane 0 | `add i32 %tid, 1` |
//! | one value or one first lane per chunk | one integer for each chunk | |
//! | varying | vectors | `add <16 x i32> %tid0, splat (i32 1)`, `add <16 x i32> %tid1, splat (i32 1)` |

mod addressing;
mod ahead;
mod alone;
mod async_copy;
mod atomic;
mod barrier;
mod checks;
mod cluster;
mod collective;
mod control;
mod effects;
mod fork;
mod gather;
mod generic;
mod handover;
mod heavy;
mod index;
mod instruction;
mod lane_masks;
mod lane_values;
mod lanewise;
mod lines;
mod local;
mod made;
mod matrix;
mod memory;
mod next_block;
mod next_segment;
mod notes;
mod operation;
mod outside;
mod patient_segment;
mod phases;
mod polling;
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
mod slots;
mod special;
mod state;
mod stuck;
mod switch;
mod threads;
mod tiles;
mod turns;
mod vain;
mod window;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use ptx_llvm_core::build::{Builder, Function, Types, Value};
use ptx_llvm_core::host::HostMachine;
use ptx_llvm_core::{LlvmError, Module};
use ptx_program::{Program, Row};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::{Analysis, BlockCopy, BlockId, Launched, Segments, copies_of};
use crate::emit::Emit;
use crate::emit::alu::Style;
use crate::error::{CompileError, defect};
use crate::join::Joined;
use crate::notes::Notes;
use crate::options::Lines;
use crate::strategy::{Strategy, Version, Waits};
pub(crate) use made::{Made, NAME, Runs};
pub(crate) use probe::sites;
use ptx_host_rt::field;
use state::{Code, Debug, Ends, Inputs, Lanewise, Masks, Plan, Position, Present, Reports, RowMemory};

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
    (analysis, strategy): (&Analysis, &Strategy),
    launched: &Launched,
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
    let kernel = Kernel { module, machine, program, analysis, strategy, launched, extras, debug, probed };
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
    strategy: &'a Strategy,
    launched: &'a Launched,
    extras: Extras<'a>,
    debug: Option<Debug<'c>>,
    /// The first site of each instruction with memory accesses that are checked.
    probed: Option<FxHashMap<u32, u32>>,
}

impl<'m, 'c> Kernel<'_, 'm, 'c> {
    /// Begins a function whose first parameter is the frame of the warp, with these copies of blocks in these versions; the builder is in its
    /// first block.
    fn begin(
        &self,
        function: Function<'c>,
        uses: &Uses,
        (copies, versions): (Vec<BlockCopy>, &[Version]),
    ) -> Result<Code<'_, 'm, 'c>, CompileError> {
        let Self { module, machine, program, analysis, strategy, launched, extras, .. } = *self;
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
        let lanes = analysis.shapes.lanes();
        let mut code = Code {
            program,
            analysis,
            strategy,
            launched,
            function,
            emit: Emit { module, types, builder },
            types,
            style: Style::of(machine.cpu()),
            lanes: lanes.chunk,
            chunks: lanes.chunks() as usize,
            turns: None,
            at: Position::new(function, types, copies, versions),
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
            lanewise: RefCell::default(),
        };
        lines::locate(&code, program.kernel().start);
        if let Some(firsts) = &self.probed {
            probe::begin_probes(&mut code, firsts)?;
        }
        Ok(code)
    }

    /// Generates a kernel in one function.
    fn whole(&self, function: Function<'c>) -> Result<Made, CompileError> {
        let strategy = self.strategy;
        let mut code = self.begin(function, &Uses::All, (strategy.copies.clone(), &strategy.versions))?;
        let types = code.types;
        turns::begin_turns(&mut code, &strategy.order)?;
        slots::make_memory(&mut code)?;
        local::make_local(&mut code)?;
        if self.analysis.schedule.has_patient() {
            let place = code.builder().alloca(types.int(32), 4)?;
            code.builder().store(code.int(32, 0), place, 4, ptx_llvm_core::build::Volatility::Ordinary)?;
            code.masks.vain = Some(place);
        }
        control::enter(&mut code)?;
        for &version in &strategy.versions {
            code.at.version = version;
            instruction::blocks(&mut code)?;
        }
        stuck::finish_stuck(&mut code)?;
        handover::finish_handovers(&mut code)?;
        if strategy.is_of_block() {
            turns::finish_turns(&mut code)?;
        } else {
            code.builder().position_at_end(code.ends.done);
            code.builder().ret(Some(types.int_value(32, 0)))?;
        }
        let runs = match strategy.waits {
            _ if strategy.is_of_block() => Runs::Block,
            Waits::Runtime if self.analysis.schedule.has_patient() => Runs::PatientCluster,
            Waits::Runtime => Runs::Cluster,
            Waits::Loops => Runs::PatientWarp,
            Waits::Barriers => Runs::Warp,
        };
        self.define_lanewise(code.lanewise.take())?;
        Ok(Made { runs, asks: code.asks.take() })
    }

    /// Generates the functions for accesses that the kernel's functions call.
    fn define_lanewise(&self, called: BTreeSet<Lanewise>) -> Result<(), CompileError> {
        for access in called {
            let none = Uses::Constants(FxHashSet::default());
            let function = lanewise::declare(self.module, access)?;
            let mut code = self.begin(function, &none, (Vec::new(), &[]))?;
            lanewise::define(&mut code, access)?;
        }
        Ok(())
    }

    /// Generates a kernel whose segments are functions of their own.
    fn split(&self, function: Function<'c>, segments: &Segments) -> Result<Made, CompileError> {
        let mut code = self.begin(function, &Uses::Constants(FxHashSet::default()), (Vec::new(), &[]))?;
        let plan = Plan::new(&code, segments)?;
        let lanes = control::lanes_of_warp(&code)?;
        segments::dispatch(&mut code, &plan, lanes)?;
        // One version: that for full warps if no lane ever exits before others.
        let version = match self.strategy.versions[..] {
            [only] => only,
            _ => Version::Partial,
        };
        let (mut asks, mut lanewise) = (code.asks.take(), BTreeSet::new());
        for (range, &function) in segments.ranges().iter().zip(&plan.functions) {
            let [_, state, next] = function.parameters()[..] else {
                return Err(defect("a segment with other parameters").into());
            };
            let uses = Uses::of_blocks(self.program, self.analysis, range.clone());
            let mut code = self.begin(function, &uses, (copies_of(range.clone()), &[version]))?;
            code.at.version = version;
            segments::begin_segment(&mut code, &plan, range.clone(), state)?;
            segments::make_rows_of_segment(&mut code)?;
            segments::enter_segment(&mut code, next)?;
            instruction::blocks(&mut code)?;
            segments::finish_segment(&mut code)?;
            stuck::finish_stuck(&mut code)?;
            asks.extend(code.asks.take());
            lanewise.extend(code.lanewise.take());
        }
        self.define_lanewise(lanewise)?;
        asks.extend(self.define_reporters(&plan)?);
        let runs = if self.analysis.schedule.has_patient() { Runs::PatientWarp } else { Runs::Warp };
        Ok(Made { runs, asks })
    }

    /// Generates the functions that report where lanes are.
    fn define_reporters(&self, plan: &Plan<'_, 'c>) -> Result<Vec<(u32, usize)>, CompileError> {
        let mut asks = Vec::new();
        for (reporter, is_stuck) in [(&plan.stuck, true), (&plan.parted, false)] {
            let begin = |function: Function<'c>, uses: &Uses| {
                let mut code = self.begin(function, uses, (Vec::new(), &[]))?;
                segments::begin_segment(&mut code, plan, 0..0, function.parameters()[1])?;
                Ok::<_, CompileError>(code)
            };
            for (function, blocks) in &reporter.parts {
                let uses = Uses::of_blocks(self.program, self.analysis, blocks.iter().copied());
                let mut code = begin(*function, &uses)?;
                let memory = function.parameters()[2];
                match is_stuck {
                    true => segments::find_stuck(&mut code, blocks, memory)?,
                    false => segments::find_parted(&code, blocks, memory)?,
                }
                asks.extend(code.asks.take());
            }
            let mut code = begin(reporter.function, &Uses::Constants(FxHashSet::default()))?;
            match reporter.function.parameters()[..] {
                [_, _, pc, all] => segments::report_parted_segments(&mut code, pc, all)?,
                _ => segments::report_stuck_segments(&mut code)?,
            }
            asks.extend(code.asks.take());
        }
        Ok(asks)
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
    fn of_blocks(program: &Program, analysis: &Analysis, blocks: impl Iterator<Item = BlockId>) -> Self {
        let insts = blocks.flat_map(|id| analysis.graph.code(program, analysis.graph.block(id)));
        let reads = insts.flat_map(|(_, _, access)| access.reads.iter().filter_map(|src| src.as_constant()));
        Self::Constants(reads.collect())
    }
}

fn inputs<'c>(builder: &Builder<'c>, types: Types<'c>, frame: Value<'c>) -> Result<Inputs<'c>, LlvmError> {
    use ptx_llvm_core::build::Volatility::Ordinary;
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
    use ptx_llvm_core::build::Volatility::Ordinary;
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
