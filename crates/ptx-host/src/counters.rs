//! Separates loop counters from the values that they have after the loop.
//!
//! Lanes that leave a loop early keep the value that a counter had then, while it grows for the others: the row is varying, although
//! it is uniform in the lanes inside the loop. So a counter that is read after its loop gets a twin, which is written wherever the counter is,
//! always has the same value in the loop, and is read there instead. The twin is dead in lanes that have left the loop.
//!
//! ```text
//! mov.u32 %i, 0                         mov.u32 %i, 0;  mov.u32 %twin, 0
//! loop: ..                              loop: ..
//! add.u32 %i, %i, 1                     add.u32 %i, %i, 1;  add.u32 %twin, %twin, 1
//! setp.lt.u32 %p, %i, %n                setp.lt.u32 %p, %twin, %n      ; one comparison for the warp
//! @%p bra loop                          @%p bra loop
//! st.global.u32 [%rd1], %i              st.global.u32 [%rd1], %i
//! ```

use std::collections::{BTreeMap, BTreeSet};

use ptx_program::memory::Space;
use ptx_program::scalar::int::Saturation;
use ptx_program::{Alu, Binary, Effect, Inst, Op, Operand, Packing, Program, Src, Ternary, Unary};
use rustc_hash::FxHashMap;

use crate::analysis::{BlockId, Graph, Liveness};
use crate::inline::Inlined;

/// Kernels with more blocks get no twins.
const MOST_BLOCKS: usize = 512;
/// The most twins.
const MOST: usize = 32;
/// The longest chain of operations from indices to a counter's initial value.
const DEEPEST: u32 = 8;

/// A counter that gets a twin.
struct Counter {
    row: u32,
    /// The blocks of the loop.
    inside: BTreeSet<BlockId>,
}

/// Gives counters of a kernel twins.
pub(crate) fn split(program: &Program, inlined: Option<Inlined>) -> Option<Inlined> {
    let now = inlined.as_ref().map_or(program, |inlined| &inlined.program);
    let Some(split) = twins(now) else { return inlined };
    let Some(inlined) = inlined else { return Some(split) };
    let places = split.places.iter().map(|&pc| inlined.place(pc)).collect();
    Some(Inlined { program: split.program, places })
}

fn twins(program: &Program) -> Option<Inlined> {
    let graph = Graph::new(program).ok().filter(|graph| graph.blocks().len() <= MOST_BLOCKS)?;
    let loops: Vec<_> = (0..graph.blocks().len()).filter_map(|head| graph.natural_loop(head)).collect();
    if loops.is_empty() {
        return None;
    }
    let liveness = Liveness::new(program, &graph);
    let kernel = Kernel::new(program, &graph, &liveness);
    let mut counters = Vec::new();
    for inside in loops {
        for row in kernel.counters(&inside) {
            counters.push(Counter { row, inside: inside.clone() });
        }
    }
    counters.truncate(MOST);
    if counters.is_empty() { None } else { Some(kernel.with_twins(&counters)) }
}

/// The kernel and facts about it.
struct Kernel<'a> {
    program: &'a Program,
    graph: &'a Graph,
    liveness: &'a Liveness,
    /// For each row the instructions that write it, with their blocks.
    writers: FxHashMap<u32, Vec<(BlockId, u32)>>,
    /// Rows that are halves of a pair.
    halves: BTreeSet<u32>,
}

impl<'a> Kernel<'a> {
    fn new(program: &'a Program, graph: &'a Graph, liveness: &'a Liveness) -> Self {
        let mut writers: FxHashMap<u32, Vec<(BlockId, u32)>> = FxHashMap::default();
        let mut halves = BTreeSet::new();
        for (id, block) in graph.blocks().iter().enumerate() {
            for (pc, inst, access) in graph.code(program, block) {
                for &row in &access.writes {
                    let places = writers.entry(row).or_default();
                    // A guarded instruction at which lanes wait is the start of two blocks.
                    if places.iter().all(|(_, other)| *other != pc) {
                        places.push((id, pc));
                    }
                }
                inst.op.operands(&mut |operand| {
                    if let Operand::ReadPair(src) = operand {
                        halves.extend([src.as_register(), src.plus(1).as_register()].into_iter().flatten());
                    }
                });
            }
        }
        Self { program, graph, liveness, writers, halves }
    }

    fn inst(&self, pc: u32) -> &'a Inst {
        &self.program.code[pc as usize]
    }

    fn writers(&self, row: u32) -> &[(BlockId, u32)] {
        match self.writers.get(&row) {
            Some(writers) => writers,
            None => &[],
        }
    }

    /// The rows that count the iterations of a loop and are live after it.
    fn counters(&self, inside: &BTreeSet<BlockId>) -> Vec<u32> {
        let targets = inside.iter().flat_map(|&id| self.graph.block(id).terminator.targets());
        let exits: BTreeSet<BlockId> = targets.filter(|to| !inside.contains(to)).collect();
        let mut rows = Vec::new();
        for (id, pc) in inside.iter().flat_map(|&id| {
            let block = self.graph.block(id);
            (block.first..block.end).map(move |pc| (id, pc))
        }) {
            let Some((row, by)) = addition(self.inst(pc)) else { continue };
            let is_inside = |writer: &&(BlockId, u32)| inside.contains(&writer.0);
            let grows_once = self.writers(row).iter().filter(is_inside).eq([&(id, pc)]);
            let is_fixed =
                by.as_register().is_none_or(|by| !self.writers(by).iter().any(|writer| is_inside(&writer)));
            // Without a reader after the loop the counter itself is regular; without one in the loop its twin would be of no use.
            let is_left = exits.iter().any(|&to| self.liveness.is_live_into(to, row));
            let mut others = inside.iter().flat_map(|&id| {
                let block = self.graph.block(id);
                block.first..block.end
            });
            let is_read = others.any(|other| other != pc && self.reads(other, row));
            if grows_once
                && is_fixed
                && is_left
                && is_read
                && !self.halves.contains(&row)
                && self.begins_regularly(row, inside)
                && self.is_regular(by, DEEPEST)
            {
                rows.push(row);
            }
        }
        rows
    }

    fn reads(&self, pc: u32, row: u32) -> bool {
        let mut reads = false;
        self.inst(pc).op.operands(&mut |operand| {
            reads |= matches!(operand, Operand::Read(src) if src.as_register() == Some(row));
        });
        reads
    }

    /// Whether a row is regular (uniform or strided) before a loop.
    fn begins_regularly(&self, row: u32, inside: &BTreeSet<BlockId>) -> bool {
        let mut outside = self.writers(row).iter().filter(|(id, _)| !inside.contains(id));
        outside.all(|&(_, pc)| {
            self.inst(pc).guard.is_none() && self.gives_regular(row, &self.inst(pc).op, DEEPEST)
        })
    }

    fn is_regular(&self, src: Src, depth: u32) -> bool {
        let Some(row) = src.as_register() else { return true };
        let is_regular = |&(_, pc): &(BlockId, u32)| {
            self.inst(pc).guard.is_none() && self.gives_regular(row, &self.inst(pc).op, depth - 1)
        };
        depth > 0 && self.writers(row).iter().all(is_regular)
    }

    /// Whether an operation gives a row a regular value, from regular rows.
    fn gives_regular(&self, row: u32, op: &Op, depth: u32) -> bool {
        let all = |srcs: &[Src]| {
            srcs.iter().all(|&src| src.as_register() == Some(row) || self.is_regular(src, depth))
        };
        match op {
            Op::Alu(Alu::Unary { op, packing: Packing::Whole, a, .. }) => {
                matches!(op, Unary::AddConstant { .. } | Unary::IntToInt { .. }) && all(&[*a])
            }
            Op::Alu(Alu::Binary { op, packing: Packing::Whole, a, b, .. }) => {
                matches!(
                    op,
                    Binary::IntAdd(_, Saturation::Wrap)
                        | Binary::IntSub(_, Saturation::Wrap)
                        | Binary::IntMul(..)
                        | Binary::Shl(_)
                ) && all(&[*a, *b])
            }
            Op::Alu(Alu::Ternary { op, packing: Packing::Whole, a, b, c, .. }) => {
                matches!(op, Ternary::IntMad(..)) && all(&[*a, *b, *c])
            }
            Op::Effect(Effect::Copy(pairs)) => {
                let mut own = pairs.iter().filter(|(dst, _)| *dst == row);
                own.all(|(_, src)| all(&[*src]))
            }
            Op::Effect(Effect::Special { .. }) => true,
            Op::Effect(Effect::Load(load)) => load.address.space == Space::Param,
            _ => false,
        }
    }

    /// The program with the twins, whose rows are after all others.
    fn with_twins(&self, counters: &[Counter]) -> Inlined {
        let program = self.program;
        let first = program.kernel().rows;
        let twins: Vec<(&Counter, u32)> = counters.iter().zip(first..).collect();
        // The operations inserted after an instruction, and the operands that it reads instead.
        let mut after: BTreeMap<u32, Vec<Op>> = BTreeMap::new();
        let mut instead: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for &(Counter { row, inside }, twin) in &twins {
            for &(_, pc) in self.writers(*row) {
                after.entry(pc).or_default().push(written_twice(&self.inst(pc).op, *row, twin));
            }
            for pc in inside.iter().flat_map(|&id| {
                let block = self.graph.block(id);
                block.first..block.end
            }) {
                // The update of the counter itself still reads the counter.
                if self.writers(*row).iter().all(|(_, writer)| *writer != pc) && self.reads(pc, *row) {
                    instead.entry(pc).or_default().push((*row, twin));
                }
            }
        }
        let (mut code, mut places, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for (pc, inst) in program.code.iter().enumerate() {
            let pc = pc as u32;
            starts.push(code.len() as u32);
            let mut op = inst.op.clone();
            for &(row, twin) in instead.get(&pc).into_iter().flatten() {
                replace(&mut op, row, twin);
            }
            code.push(Inst { guard: inst.guard, op });
            places.push(pc);
            for op in after.remove(&pc).into_iter().flatten() {
                code.push(Inst { guard: inst.guard, op });
                places.push(pc);
            }
        }
        // Branches go to the first instruction that their target became: never between a counter's write and its twin's.
        let end = code.len() as u32;
        debug_assert_eq!(starts.len(), program.code.len(), "an instruction without a place");
        let moved = |pc: &mut u32| *pc = starts.get(*pc as usize).copied().unwrap_or(end);
        for inst in &mut code {
            if let Op::Effect(effect) = &mut inst.op {
                effect.targets_mut().iter_mut().for_each(moved);
            }
        }
        let mut functions = program.functions.clone();
        functions.iter_mut().for_each(|function| moved(&mut function.start));
        functions.kernel_mut().rows += twins.len() as u32;
        let origins = places.iter().filter_map(|&pc| program.origins.get(pc as usize).cloned()).collect();
        Inlined { program: Program { code, origins, functions, ..program.clone() }, places }
    }
}

/// The row and addend of an unguarded in-place addition: `%i = %i + by`.
fn addition(inst: &Inst) -> Option<(u32, Src)> {
    if inst.guard.is_some() {
        return None;
    }
    match inst.op {
        Op::Alu(Alu::Unary { op: Unary::AddConstant { .. }, packing: Packing::Whole, d, a }) => {
            (a == Src::register(d)).then_some((d, Src::constant(0)))
        }
        Op::Alu(Alu::Binary { op, packing: Packing::Whole, d, a, b }) => {
            let own = Src::register(d);
            match op {
                Binary::IntAdd(_, Saturation::Wrap) if a == own && b != own => Some((d, b)),
                Binary::IntAdd(_, Saturation::Wrap) if b == own && a != own => Some((d, a)),
                Binary::IntSub(_, Saturation::Wrap) if a == own && b != own => Some((d, b)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The operation that writes to the twin of a row what another one writes to the row.
fn written_twice(op: &Op, row: u32, twin: u32) -> Op {
    match op {
        Op::Effect(Effect::Copy(pairs)) => {
            let own = pairs.iter().filter(|(dst, _)| *dst == row);
            // A copy reads its sources before it writes.
            let of = |src: Src| if src == Src::register(row) { Src::register(twin) } else { src };
            let is_changed =
                |src: Src| pairs.iter().any(|(dst, _)| Some(*dst) == src.as_register() && *dst != row);
            let pairs: Vec<(u32, Src)> = own
                .map(|&(_, src)| (twin, if is_changed(src) { Src::register(row) } else { of(src) }))
                .collect();
            Effect::Copy(pairs.into()).into()
        }
        Op::Alu(Alu::Unary { .. } | Alu::Binary { .. } | Alu::Ternary { .. }) => {
            let mut twice = op.clone();
            // The clone executes after the original, so it must read the twin, which still has the old value, instead of the row.
            twice.operands_mut(&mut |operand| match operand {
                Operand::Read(src) if *src == Src::register(row) => *src = Src::register(twin),
                Operand::Write(dst) if *dst == row => *dst = twin,
                _ => {}
            });
            twice
        }
        Op::Effect(Effect::Special { register, component, .. }) if is_fixed_special(*register) => {
            Effect::Special { d: twin, register: *register, component: *component }.into()
        }
        _ => Effect::Copy([(twin, Src::register(row))].into()).into(),
    }
}

/// Whether a special register is constant for a thread.
fn is_fixed_special(register: ptx_isa::SpecialReg) -> bool {
    use ptx_isa::SpecialReg::{CtaId, LaneId, NCtaId, Ntid, Tid};
    matches!(register, Tid | Ntid | CtaId | NCtaId | LaneId)
}

fn replace(op: &mut Op, row: u32, twin: u32) {
    op.operands_mut(&mut |operand| {
        if let Operand::Read(src) = operand
            && *src == Src::register(row)
        {
            *src = Src::register(twin);
        }
    });
}
