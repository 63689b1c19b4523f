//! The control-flow graph of a kernel.
//!
//! The input is the code of a program, the result the reachable basic blocks, numbered in the order in which blocks with waiting lanes run
//! ([`Graph`]). Every order is correct; a good one lets diverged lanes reconverge early.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ptx_program::memory::Space;
use ptx_program::{Control, Effect, Execution, Guard, Inst, Op, Program, Src};

use super::access::{Access, Refusal};
use super::gather::meets;

/// A block, by its index in [`Graph::blocks`], which is its priority: of the blocks at which lanes wait, the lowest runs first.
pub type BlockId = usize;

/// The end of a block. Where there is a guard, the lanes for which it does not hold go to `other`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// All lanes go to one block.
    Jump(BlockId),
    /// Each lane goes to one of two blocks.
    Branch {
        /// The row of the condition, and whether it is negated.
        condition: (u32, bool),
        /// The target of lanes for which it holds.
        taken: BlockId,
        /// The target of the other lanes.
        other: BlockId,
    },
    /// Each lane goes to the target that its index selects; an index out of range stops the launch.
    Indexed {
        /// The indices.
        index: Src,
        /// The guard, and the target of lanes for which it does not hold.
        guard: Option<((u32, bool), BlockId)>,
        /// The targets.
        targets: Vec<BlockId>,
    },
    /// The lanes for which the guard holds exit, or all if there is none.
    Exit {
        /// The guard, and the target of lanes for which it does not hold.
        guard: Option<((u32, bool), BlockId)>,
    },
    /// The launch is stopped (`trap`, `brkpt`), unless the guard holds for no lane.
    Stop {
        /// The guard, and the target of lanes for which it does not hold.
        guard: Option<((u32, bool), BlockId)>,
    },
}

impl Terminator {
    /// The successors of the block.
    pub fn targets(&self) -> Vec<BlockId> {
        match self {
            Self::Jump(to) => vec![*to],
            Self::Branch { taken, other, .. } => vec![*taken, *other],
            Self::Indexed { guard, targets, .. } => {
                targets.iter().copied().chain(guard.map(|(_, other)| other)).collect()
            }
            Self::Exit { guard } | Self::Stop { guard } => {
                guard.map(|(_, other)| other).into_iter().collect()
            }
        }
    }

    /// The rows that decide the targets of lanes; a constant index decides alike for all of them.
    pub fn decided_by(&self) -> Vec<u32> {
        match self {
            Self::Jump(_) => Vec::new(),
            Self::Branch { condition: (row, _), .. } => vec![*row],
            Self::Indexed { index, guard, .. } => {
                index.as_register().into_iter().chain(guard.map(|((row, _), _)| row)).collect()
            }
            Self::Exit { guard } | Self::Stop { guard } => {
                guard.map(|((row, _), _)| row).into_iter().collect()
            }
        }
    }

    /// Replaces targets that only exit by an exit.
    fn exit_early(&mut self, exits: &[bool]) {
        let exits = |id: BlockId| exits[id];
        *self = match *self {
            Self::Jump(to) if exits(to) => Self::Exit { guard: None },
            Self::Branch { taken, other, .. } if exits(taken) && exits(other) => Self::Exit { guard: None },
            Self::Branch { condition, taken, other } if exits(taken) => {
                Self::Exit { guard: Some((condition, other)) }
            }
            Self::Branch { condition: (row, negated), taken, other } if exits(other) => {
                Self::Exit { guard: Some(((row, !negated), taken)) }
            }
            Self::Exit { guard: Some((_, other)) } if exits(other) => Self::Exit { guard: None },
            _ => return,
        };
    }

    fn rename(&mut self, names: &[BlockId]) {
        let new = |id: &mut BlockId| *id = names[*id];
        match self {
            Self::Jump(to) => new(to),
            Self::Branch { taken, other, .. } => {
                new(taken);
                new(other);
            }
            Self::Indexed { guard, targets, .. } => {
                targets.iter_mut().for_each(new);
                if let Some((_, other)) = guard {
                    new(other);
                }
            }
            Self::Exit { guard } | Self::Stop { guard } => {
                if let Some((_, other)) = guard {
                    new(other);
                }
            }
        }
    }
}

/// A basic block: instructions that are entered at the first and left at the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its first instruction.
    pub first: u32,
    /// One past the last instruction before the terminator.
    pub end: u32,
    /// Whether the first instruction is an operation of several lanes, at which they wait for each other. Its guard selects the lanes that take
    /// part, and belongs to the blocks before this one.
    pub gathers: bool,
    /// The end of the block.
    pub terminator: Terminator,
}

impl Block {
    fn only_exits(&self) -> bool {
        self.first == self.end && self.terminator == Terminator::Exit { guard: None }
    }
}

/// The reachable blocks of a kernel, the entry first. All their instructions are compiled. The blocks of a loop are contiguous, and the blocks after a loop or a branch follow it, so
/// that lanes which get there earlier wait for the others. Each block barrier starts a block of its own, and these blocks come last: a barrier
/// runs when all other lanes have exited, have reached it too, or wait at another barrier. Blocks from which lanes reach nothing but an
/// instruction that stops the launch come first, after the entry: once a lane is at one, no other block runs any more, so that checks which
/// send some lanes to `trap` or `brkpt` cause no divergence.
#[derive(Clone, Debug)]
pub struct Graph {
    blocks: Vec<Block>,
    /// How much code each block becomes, in instructions.
    sizes: Vec<u32>,
    /// What each instruction of the program accesses.
    accesses: Vec<Access>,
    /// The first of the barrier blocks, which come last.
    late: BlockId,
    /// The first block after the entry and the blocks that only stop the launch.
    begin: BlockId,
    /// The blocks of each outermost loop, in order, and for each block the loop it is in.
    loops: Vec<Vec<BlockId>>,
    loop_of: Vec<Option<usize>>,
}

impl Graph {
    /// Builds the graph of the entry function of a program.
    ///
    /// # Errors
    /// The first instruction that is not compiled; code that runs past the end of the kernel, which no verified program has.
    pub fn new(program: &Program) -> Result<Self, Refusal> {
        Self::with_blocks(program, u32::MAX)
    }

    /// As [`Graph::new`], with blocks of a [size](Graph::size) of about `most` instructions at most.
    ///
    /// # Errors
    /// As [`Graph::new`].
    pub fn with_blocks(program: &Program, most: u32) -> Result<Self, Refusal> {
        let start = program.kernel().start;
        let firsts = leaders(program, start, most)?;
        let names: BTreeMap<Beginning, BlockId> =
            firsts.iter().enumerate().map(|(id, &first)| (first, id)).collect();
        let blocks = firsts.iter().map(|&first| block(program, &names, first));
        let mut blocks = blocks.collect::<Result<Vec<Block>, Refusal>>()?;
        exit_early(&mut blocks);
        let entry = block_at(&names, start)?;
        // The entry is block 0, which runs before all others, and a barrier has to run after them: no number suits a block that is both. Outside
        // of a loop no other lane can wait when it runs.
        let is_loop = blocks.iter().any(|block| block.terminator.targets().contains(&entry));
        if is_barrier(program, start) && is_loop {
            return Err(Refusal { pc: start, why: "a kernel that begins with a barrier in a loop" });
        }
        // Entry, blocks that only stop the launch, all others by loops, barriers. Each part keeps its order.
        let order = order(&blocks, entry);
        let is_late = |id: &BlockId| *id != entry && is_barrier(program, blocks[*id].first);
        let (late, first): (Vec<_>, Vec<_>) = order.into_iter().partition(is_late);
        let begin_of_late = first.len();
        let stops = stopping(&blocks, &first);
        let others = first.into_iter().filter(|&id| id != entry);
        let (ends, others): (Vec<_>, Vec<_>) = others.partition(|&id| stops[id]);
        let begin = 1 + ends.len();
        let order: Vec<BlockId> = [entry].into_iter().chain(ends).chain(others).chain(late).collect();
        let mut places = vec![0; blocks.len()];
        for (place, &id) in order.iter().enumerate() {
            places[id] = place;
        }
        let renamed = |&id: &BlockId| {
            let mut block = blocks[id].clone();
            block.terminator.rename(&places);
            block
        };
        let blocks: Vec<Block> = order.iter().map(renamed).collect();
        check_compiled(program, &blocks)?;
        let accesses = program.code.iter().map(|inst| Access::of(&inst.op)).collect();
        let loops = outermost_loops(&blocks);
        let mut loop_of = vec![None; blocks.len()];
        for (number, &id) in
            loops.iter().enumerate().flat_map(|(number, ids)| ids.iter().map(move |id| (number, id)))
        {
            loop_of[id] = Some(number);
        }
        let sizes =
            blocks.iter().map(|block| 1 + (block.first..block.end).map(|pc| size(program, pc)).sum::<u32>());
        Ok(Self { sizes: sizes.collect(), blocks, accesses, late: begin_of_late, begin, loops, loop_of })
    }

    /// The blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// How much code the kernel becomes, in instructions, ends of blocks included. An instruction that becomes much code counts as several.
    pub fn size(&self) -> u64 {
        (0..self.blocks.len()).map(|id| u64::from(self.size_of(id))).sum()
    }

    /// As [`Graph::size`], for one block.
    pub(super) fn size_of(&self, id: BlockId) -> u32 {
        self.sizes[id]
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id]
    }

    /// The rows that an instruction reads and writes.
    pub fn access(&self, pc: u32) -> &Access {
        &self.accesses[pc as usize]
    }

    /// The instructions of a block before its terminator, and the rows that they access. The program is the one that the graph is of.
    pub fn code<'a>(
        &'a self,
        program: &'a Program,
        block: &Block,
    ) -> impl DoubleEndedIterator<Item = (u32, &'a Inst, &'a Access)> + Clone + use<'a> {
        debug_assert_eq!(program.code.len(), self.accesses.len(), "the graph is of another program");
        let all = block.first as usize..block.end as usize;
        let code = program.code[all.clone()].iter().zip(&self.accesses[all]);
        (block.first..block.end).zip(code).map(|(pc, (inst, access))| (pc, inst, access))
    }

    /// The blocks of the outermost loop around a block, in order, itself included; empty if it is in no loop.
    pub fn loop_around(&self, id: BlockId) -> &[BlockId] {
        match self.loop_of[id] {
            Some(number) => &self.loops[number],
            None => &[],
        }
    }

    /// Whether two blocks are in one loop; for one block twice, whether it is in a loop.
    pub fn are_in_one_loop(&self, one: BlockId, other: BlockId) -> bool {
        self.loop_around(one).binary_search(&other).is_ok()
    }

    /// The natural loop of a header: the header and the blocks that reach it again without passing through it; `None` if no back edge (from the
    /// block itself or a later one) leads to it.
    pub fn natural_loop(&self, head: BlockId) -> Option<BTreeSet<BlockId>> {
        let comes_to = |to: BlockId| {
            let blocks = self.blocks.iter().enumerate();
            blocks.filter(move |(_, block)| block.terminator.targets().contains(&to)).map(|(id, _)| id)
        };
        let mut work: Vec<BlockId> = comes_to(head).filter(|&id| id >= head).collect();
        if work.is_empty() {
            return None;
        }
        let mut inside = BTreeSet::from([head]);
        while let Some(id) = work.pop() {
            if inside.insert(id) {
                work.extend(comes_to(id));
            }
        }
        Some(inside)
    }

    /// The blocks that are reached from some blocks, these included.
    pub(super) fn reached_from(&self, mut work: Vec<BlockId>) -> BTreeSet<BlockId> {
        let mut reached = BTreeSet::new();
        while let Some(id) = work.pop() {
            if reached.insert(id) {
                work.extend(self.block(id).terminator.targets());
            }
        }
        reached
    }

    /// The blocks that only stop the launch; lanes at them run before any other block.
    pub fn stopping(&self) -> Range<BlockId> {
        1..self.begin
    }

    /// The first of the barriers, which come last.
    pub(super) fn first_late(&self) -> BlockId {
        self.late
    }

    /// Whether a block is a barrier, which runs when no lane waits at any other block.
    pub fn is_late(&self, id: BlockId) -> bool {
        id >= self.late
    }
}

/// Lets lanes exit at once instead of going to a block that only exits: `@%p bra DONE; .. DONE: ret;` becomes `@%p ret`, after which no lane waits.
fn exit_early(blocks: &mut [Block]) {
    // A block that only jumps to such a block becomes one itself, so this is repeated while their number grows.
    loop {
        let exits: Vec<bool> = blocks.iter().map(Block::only_exits).collect();
        let before = exits.iter().filter(|&&exits| exits).count();
        for block in blocks.iter_mut() {
            block.terminator.exit_early(&exits);
        }
        if blocks.iter().filter(|block| block.only_exits()).count() == before {
            return;
        }
    }
}

/// Marks the blocks from which lanes always reach an instruction that stops the launch, without waiting for others and without a cycle.
/// `order` lists the candidates; in acyclic parts, the successors of a block come after it.
fn stopping(blocks: &[Block], order: &[BlockId]) -> Vec<bool> {
    // One pass in reverse order: successors have been visited, except across back edges, whose targets still count as not stopping. So a block
    // in a loop never counts, as it might keep lanes running forever while no other block runs.
    let mut stops = vec![false; blocks.len()];
    for &id in order.iter().rev() {
        let block = &blocks[id];
        let ends = matches!(block.terminator, Terminator::Stop { guard: None });
        let targets = block.terminator.targets();
        let goes_on = matches!(block.terminator, Terminator::Jump(_) | Terminator::Branch { .. });
        stops[id] = !block.gathers && (ends || goes_on && targets.iter().all(|&to| stops[to]));
    }
    stops
}

/// Whether an instruction is a block barrier.
fn is_barrier(program: &Program, pc: u32) -> bool {
    program.code.get(pc as usize).is_some_and(|inst| matches!(inst.op, Op::Effect(Effect::BlockBarrier(_))))
}

/// How much code an instruction becomes, in instructions of average length: a generic access has a test which memory it is, and two ways on.
fn size(program: &Program, pc: u32) -> u32 {
    const GENERIC: u32 = 6;
    let address = match program.code.get(pc as usize).map(|inst| &inst.op) {
        Some(Op::Effect(Effect::Load(load))) => load.address,
        Some(Op::Effect(Effect::Store(store))) => store.address,
        _ => return 1,
    };
    if address.space == Space::Generic { GENERIC } else { 1 }
}

/// The targets of an instruction that ends a block, and whether lanes may fall through to the next instruction.
fn leaves(program: &Program, pc: u32) -> Option<(Vec<u32>, bool)> {
    let inst = program.code.get(pc as usize)?;
    let Op::Effect(effect) = &inst.op else { return None };
    match effect.traits().control {
        Control::Jump | Control::Leave | Control::Stop => {
            Some((effect.targets().to_vec(), inst.guard.is_some()))
        }
        Control::Next | Control::Yield | Control::Call | Control::Meet | Control::Wait => None,
    }
}

/// The start of a block: an instruction, and whether only lanes for which its guard holds arrive there.
type Beginning = (u32, bool);

/// For an instruction at which lanes wait for each other, whether it has a guard.
fn meeting(program: &Program, pc: u32) -> Option<bool> {
    let inst = program.code.get(pc as usize)?;
    meets(&inst.op).then_some(inst.guard.is_some())
}

/// The starts of the reachable blocks, in order. Blocks that are larger than `most` instructions are split.
fn leaders(program: &Program, start: u32, most: u32) -> Result<Vec<Beginning>, Refusal> {
    let mut firsts = BTreeSet::from([(start, false)]);
    let mut seen = BTreeSet::new();
    let mut work = vec![start];
    while let Some(mut pc) = work.pop() {
        while seen.insert(pc) {
            if pc as usize >= program.code.len() {
                return Err(Refusal { pc, why: "the kernel has no end" });
            }
            if is_barrier(program, pc) {
                firsts.insert((pc, false));
            }
            // A guarded operation of several lanes yields two starts: `(pc, true)`, where the lanes for which the guard holds wait, and the instruction
            // after it, where the others go at once. Its guard becomes the branch condition of the block before.
            if let Some(is_guarded) = meeting(program, pc) {
                firsts.insert((pc, is_guarded));
                firsts.extend(is_guarded.then_some((pc + 1, false)));
            }
            let Some((targets, goes_on)) = leaves(program, pc) else {
                pc += 1;
                continue;
            };
            let next = goes_on.then_some(pc + 1);
            firsts.extend(targets.iter().copied().chain(next).map(|pc| (pc, false)));
            work.extend(targets.into_iter().chain(next));
            break;
        }
    }
    let firsts: Vec<Beginning> = firsts.into_iter().collect();
    if most == u32::MAX {
        return Ok(firsts);
    }
    let mut split = BTreeSet::from_iter(firsts.iter().copied());
    let mut before = 0;
    for pc in seen {
        // The guard of an operation at which lanes wait belongs to the block before it.
        let waits = |pc| meeting(program, pc).is_some();
        if firsts.binary_search_by_key(&pc, |&(pc, _)| pc).is_ok() {
            before = 0;
        } else if before >= most && !waits(pc) {
            split.insert((pc, false));
            before = 0;
        }
        before += size(program, pc);
    }
    Ok(split.into_iter().collect())
}

/// The block that starts at an instruction. [`leaders`] has found all of them.
fn block_at(names: &BTreeMap<Beginning, BlockId>, pc: u32) -> Result<BlockId, Refusal> {
    names.get(&(pc, false)).copied().ok_or(Refusal { pc, why: "a branch to code that is no block" })
}

/// Refuses the first instruction that is not compiled.
fn check_compiled(program: &Program, blocks: &[Block]) -> Result<(), Refusal> {
    for pc in blocks.iter().flat_map(|block| block.first..block.end) {
        if let Execution::Refused(why) = Execution::of(&program.code[pc as usize].op) {
            return Err(Refusal { pc, why });
        }
    }
    Ok(())
}

/// Builds the block with this start.
fn block(
    program: &Program,
    names: &BTreeMap<Beginning, BlockId>,
    (first, holds): Beginning,
) -> Result<Block, Refusal> {
    let name = |pc: u32| block_at(names, pc);
    let gathers = holds || meeting(program, first) == Some(false);
    let mut end = if gathers { first + 1 } else { first };
    loop {
        if end != first && names.contains_key(&(end, false)) {
            return Ok(Block { first, end, gathers, terminator: Terminator::Jump(name(end)?) });
        }
        if let (Some(&taken), Some(guard)) = (names.get(&(end, true)), guard_at(program, end)) {
            let condition = (guard.row, guard.negated);
            let terminator = Terminator::Branch { condition, taken, other: name(end + 1)? };
            return Ok(Block { first, end, gathers, terminator });
        }
        if leaves(program, end).is_some() {
            break;
        }
        end += 1;
    }
    let inst = &program.code[end as usize];
    let condition = |guard: Guard| (guard.row, guard.negated);
    let guard = match inst.guard {
        Some(guard) => Some((condition(guard), name(end + 1)?)),
        None => None,
    };
    let terminator = match &inst.op {
        Op::Effect(Effect::Branch { target }) => match (guard, name(*target)?) {
            (None, taken) => Terminator::Jump(taken),
            (Some((_, other)), taken) if other == taken => Terminator::Jump(other),
            (Some((condition, other)), taken) => Terminator::Branch { condition, taken, other },
        },
        Op::Effect(Effect::BranchIndexed { index, targets }) => {
            let targets = targets.iter().map(|&target| name(target)).collect::<Result<_, _>>()?;
            Terminator::Indexed { index: *index, guard, targets }
        }
        Op::Effect(Effect::Trap | Effect::Breakpoint) => Terminator::Stop { guard },
        _ => Terminator::Exit { guard },
    };
    Ok(Block { first, end, gathers, terminator })
}

fn guard_at(program: &Program, pc: u32) -> Option<Guard> {
    program.code.get(pc as usize).and_then(|inst| inst.guard)
}

/// The blocks in reverse postorder, but with the blocks of each loop contiguous.
fn order(blocks: &[Block], entry: BlockId) -> Vec<BlockId> {
    let all: BTreeSet<BlockId> = (0..blocks.len()).collect();
    let mut order = Vec::new();
    place(blocks, &all, entry, &BTreeSet::new(), &mut order);
    order
}

/// The deepest nesting of loops; anything deeper stays in the order in which it was found.
const DEEPEST: usize = 64;

/// Appends the blocks of a region that is entered at `entry`: its strongly connected components, each contiguous, in an order in which every
/// edge between components goes forward. Blocks in `cut` are the headers of enclosing loops: edges to them are ignored.
fn place(
    blocks: &[Block],
    region: &BTreeSet<BlockId>,
    entry: BlockId,
    cut: &BTreeSet<BlockId>,
    order: &mut Vec<BlockId>,
) {
    // Without its header a component falls apart into the nested ones (Bourdoncle's weak topological order, with components that may be
    // irreducible). Each level visits each block once, so the cost is the loop depth times the number of blocks.
    for cycle in cycles(blocks, region, entry, cut) {
        // The header is the block of the component that is reached first; with its incoming edges cut, what is left has fewer cycles.
        let Some(&head) = cycle.first() else { continue };
        if cycle.len() == 1 || cut.len() == DEEPEST {
            order.extend(cycle);
            continue;
        }
        let inner: BTreeSet<BlockId> = cycle.iter().copied().collect();
        let mut cut = cut.clone();
        cut.insert(head);
        place(blocks, &inner, head, &cut, order);
    }
}

/// The strongly connected components of a graph that contain an edge; the entry is the first block.
fn outermost_loops(blocks: &[Block]) -> Vec<Vec<BlockId>> {
    if blocks.is_empty() {
        return Vec::new();
    }
    let all = (0..blocks.len()).collect();
    let mut parts = cycles(blocks, &all, 0, &BTreeSet::new());
    parts.retain(|part| match part[..] {
        [one] => blocks[one].terminator.targets().contains(&one),
        _ => true,
    });
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// The strongly connected components of a region, in topological order, each with the block first that is reached first. Edges to
/// blocks in `cut` are ignored.
fn cycles(
    blocks: &[Block],
    region: &BTreeSet<BlockId>,
    entry: BlockId,
    cut: &BTreeSet<BlockId>,
) -> Vec<Vec<BlockId>> {
    let edges = |id: BlockId| -> Vec<BlockId> {
        let targets = blocks[id].terminator.targets().into_iter();
        targets.filter(|to| region.contains(to) && !cut.contains(to)).collect()
    };
    // Tarjan's algorithm with an explicit stack.
    struct Visit {
        id: BlockId,
        targets: Vec<BlockId>,
        /// The next of the targets to visit.
        next: usize,
        /// Its number in the order of visits, and the lowest that it reaches.
        number: usize,
        low: usize,
    }
    let visit = |id, number| Visit { id, targets: edges(id), next: 0, number, low: number };
    let mut numbers = BTreeMap::from([(entry, 0)]);
    let (mut stack, mut on_stack, mut parts) = (vec![entry], BTreeSet::from([entry]), Vec::new());
    let mut visits = vec![visit(entry, 0)];
    while let Some(current) = visits.last_mut() {
        if let Some(&to) = current.targets.get(current.next) {
            current.next += 1;
            if let Some(&number) = numbers.get(&to) {
                if on_stack.contains(&to) {
                    current.low = number.min(current.low);
                }
            } else {
                let number = numbers.len();
                numbers.insert(to, number);
                stack.push(to);
                on_stack.insert(to);
                visits.push(visit(to, number));
            }
            continue;
        }
        let (id, number, low) = (current.id, current.number, current.low);
        visits.pop();
        if let Some(caller) = visits.last_mut() {
            caller.low = low.min(caller.low);
        }
        // The root of a component: all blocks that were pushed after it and are still on the stack reach it and are reached by it.
        if number == low {
            let mut part = Vec::new();
            while let Some(on) = stack.pop() {
                on_stack.remove(&on);
                part.push(on);
                if on == id {
                    break;
                }
            }
            part.reverse();
            parts.push(part);
        }
    }
    // Tarjan's algorithm completes a component after all that it leads to; reversed, edges between components go forward.
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use ptx_diag::SourceFile;
    use ptx_exec::Memory;

    use super::*;
    use crate::prepared::prepared;

    #[test]
    fn only_compiled_code_has_a_graph_and_all_operations_have_operands() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
             .func (.reg .u32 %y) f(.reg .u32 %x) { mov.u32 %y, %x; ret; }\n\
             .visible .entry k() { .reg .b32 %r<3>; mov.u32 %r1, %tid.x; call (%r2), f, (%r1); ret; }";
        let prepared = prepared(&SourceFile::new("k.ptx", text.to_owned()), &Memory::new());
        let program = prepared.program();
        let is_call = |inst: &Inst| matches!(inst.op, Op::Effect(Effect::Call(_)));
        let pc = program.code.iter().position(is_call).expect("a call");
        let refusal = Graph::new(program).expect_err("a call");
        assert_eq!(refusal, Refusal { pc: pc as u32, why: "calls are not compiled" });
        let access = Access::of(&program.code[pc].op);
        assert_eq!((access.reads.len(), access.writes.len()), (1, 1));
    }
}
