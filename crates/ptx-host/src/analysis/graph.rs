//! Basic blocks of a kernel.
//!
//! In goes the code of a program, out come the blocks that its kernel can reach, numbered in the order in which lanes that wait at several of them
//! run ([`Graph`]). The order is correct in any case; a good one lets lanes that parted meet again early.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ptx_exec::program::{Effect, Guard, Op, Program, Src};

use super::Refusal;
use super::gather::meets;

/// A block, by its place in [`Graph::blocks`]: the order in which waiting blocks run, the lowest first.
pub type BlockId = usize;

/// What is at the end of a block. Where there is a guard, the lanes for which it does not hold go to `other`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// All lanes go to one block.
    Jump(BlockId),
    /// Each lane goes to one of two.
    Branch {
        /// The row of the condition, and whether its negation counts.
        condition: (u32, bool),
        /// Where lanes go for which it holds.
        taken: BlockId,
        /// Where the others go.
        other: BlockId,
    },
    /// Each lane goes to the target of its number; one without a target is stopped.
    Indexed {
        /// The numbers.
        index: Src,
        /// The guard, and where lanes go for which it does not hold.
        guard: Option<((u32, bool), BlockId)>,
        /// The targets.
        targets: Vec<BlockId>,
    },
    /// The lanes are done, or those for which the guard holds.
    Exit {
        /// The guard, and where lanes go for which it does not hold.
        guard: Option<((u32, bool), BlockId)>,
    },
    /// The launch is stopped (`trap`, `brkpt`), unless the guard holds for no lane.
    Stop {
        /// The guard, and where lanes go for which it does not hold.
        guard: Option<((u32, bool), BlockId)>,
    },
}

impl Terminator {
    /// The blocks that lanes go to.
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

    /// The row of the condition that decides where lanes go; an index that is a constant decides for all of them alike.
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

    /// Exits where it goes to blocks that only do that.
    fn exit_early(&mut self, exits: &[bool]) {
        let exits = |id: BlockId| exits.get(id).copied().unwrap_or(false);
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

/// A run of instructions that is entered at its beginning and left at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its first instruction.
    pub first: u32,
    /// One past the last that is not its terminator.
    pub end: u32,
    /// Whether the first one is an operation of several lanes, which wait for each other there. Its guard decides who comes, and is part
    /// of what is before the block.
    pub gathers: bool,
    /// What is at its end.
    pub terminator: Terminator,
}

impl Block {
    fn only_exits(&self) -> bool {
        self.first == self.end && self.terminator == Terminator::Exit { guard: None }
    }
}

/// The blocks of a kernel that can be reached, the entry first. The blocks of a loop are together, and what follows a loop or a
/// branch comes after it, so that lanes which got there earlier wait for the others. A block barrier begins a block of its own, and those
/// come last: a barrier runs when all other lanes have exited or come to it, too, or wait at another one. Blocks from which lanes come to
/// nothing but an instruction that stops the launch come first, after the entry: where a lane is at one no other block runs any more, so
/// that lanes have not parted where a check sends some of them to `trap` or `brkpt`.
#[derive(Clone, Debug)]
pub struct Graph {
    blocks: Vec<Block>,
    /// The first of the barriers that come last.
    late: BlockId,
    /// The first block after those that only stop the launch, which come after the entry.
    begin: BlockId,
    /// The blocks of each outermost loop, in order, and for each block which one it is in.
    loops: Vec<Vec<BlockId>>,
    loop_of: Vec<Option<usize>>,
}

impl Graph {
    /// Those of the entry of a program.
    ///
    /// # Errors
    /// Code that runs past the end of the kernel, which no verified program has.
    pub fn new(program: &Program) -> Result<Self, Refusal> {
        let Some(start) = program.functions.get(program.entry as usize).map(|function| function.start) else {
            return Err(Refusal { pc: 0, why: "the program has no kernel" });
        };
        let firsts = leaders(program, start)?;
        let names: BTreeMap<Beginning, BlockId> =
            firsts.iter().enumerate().map(|(id, &first)| (first, id)).collect();
        let mut blocks: Vec<Block> = firsts.iter().map(|&first| block(program, &names, first)).collect();
        exit_early(&mut blocks);
        let entry = names.get(&(start, false)).copied().unwrap_or(0);
        // The entry is block 0, which runs before all others, and a barrier has to run after them: no number serves a block that is both. Without
        // a loop around it nothing else can wait when it runs.
        let is_loop = blocks.iter().any(|block| block.terminator.targets().contains(&entry));
        if is_barrier(program, start) && is_loop {
            return Err(Refusal { pc: start, why: "a kernel that begins with a barrier in a loop" });
        }
        // Entry, blocks that only stop the launch, all others by loops, barriers. Each part keeps the order that it has.
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
        let loops = outermost_loops(&blocks);
        let mut loop_of = vec![None; blocks.len()];
        for (number, &id) in
            loops.iter().enumerate().flat_map(|(number, ids)| ids.iter().map(move |id| (number, id)))
        {
            loop_of[id] = Some(number);
        }
        Ok(Self { blocks, late: begin_of_late, begin, loops, loop_of })
    }

    /// The blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id]
    }

    /// The blocks, in order, that lanes of a block may come to and come back from, itself among them; none where they do not come back.
    pub fn loop_around(&self, id: BlockId) -> &[BlockId] {
        let number = self.loop_of.get(id).copied().flatten();
        number.and_then(|number| self.loops.get(number)).map_or(&[], Vec::as_slice)
    }

    /// Whether lanes of one block may come to another one and back, or to itself again.
    pub fn are_in_one_loop(&self, one: BlockId, other: BlockId) -> bool {
        self.loop_around(one).binary_search(&other).is_ok()
    }

    /// The blocks from which lanes come back to one without having gone through it, and that one; `None` where no later block, nor itself,
    /// goes to it.
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

    /// The blocks of lanes that stop the launch before any other block runs.
    pub fn stopping(&self) -> Range<BlockId> {
        1..self.begin
    }

    /// Whether a block is a barrier, which runs when lanes wait at no other block.
    pub fn is_late(&self, id: BlockId) -> bool {
        id >= self.late
    }
}

/// Lanes that go to a block which only exits do so at once: `@%p bra DONE; .. DONE: ret;` is `@%p ret`, after which no lane waits.
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

/// The blocks from which lanes come to an instruction that stops the launch in any case, without waiting for others or coming to a block twice.
/// `order` has all that may be such; where there is no loop, the targets of a block come after it.
fn stopping(blocks: &[Block], order: &[BlockId]) -> Vec<bool> {
    // One pass from the last block: targets were looked at before, but for those of edges back, which still count as not stopping. So a block
    // in a loop never counts, as it might keep lanes for ever in which no other block runs.
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

/// Where an instruction sends lanes, when it ends a block: the targets, and whether lanes may go on to the next instruction.
fn leaves(program: &Program, pc: u32) -> Option<(Vec<u32>, bool)> {
    let inst = program.code.get(pc as usize)?;
    let Op::Effect(effect) = &inst.op else { return None };
    let targets = match effect {
        Effect::Branch { target } => vec![*target],
        Effect::BranchIndexed { targets, .. } => targets.to_vec(),
        Effect::Return | Effect::Exit | Effect::Trap | Effect::Breakpoint => Vec::new(),
        _ => return None,
    };
    Some((targets, inst.guard.is_some()))
}

/// The beginning of a block: an instruction, and whether lanes are there for which its guard was found to hold.
type Beginning = (u32, bool);

/// Whether lanes wait for each other at an instruction, and whether it has a guard.
fn meeting(program: &Program, pc: u32) -> Option<bool> {
    let inst = program.code.get(pc as usize)?;
    meets(&inst.op).then_some(inst.guard.is_some())
}

/// The beginnings of the blocks that can be reached, in order.
fn leaders(program: &Program, start: u32) -> Result<Vec<Beginning>, Refusal> {
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
            // A guarded operation of several lanes gets two beginnings: `(pc, true)`, where the lanes wait for which the guard holds, and the instruction
            // after it, where the others go at once. Its guard becomes the condition of the block before.
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
    Ok(firsts.into_iter().collect())
}

/// The block with this beginning.
fn block(program: &Program, names: &BTreeMap<Beginning, BlockId>, (first, holds): Beginning) -> Block {
    let name = |pc: u32| names.get(&(pc, false)).copied().unwrap_or(0);
    let gathers = holds || meeting(program, first) == Some(false);
    let mut end = if gathers { first + 1 } else { first };
    loop {
        if end != first && names.contains_key(&(end, false)) {
            return Block { first, end, gathers, terminator: Terminator::Jump(name(end)) };
        }
        if let (Some(&taken), Some(guard)) = (names.get(&(end, true)), guard_at(program, end)) {
            let condition = (guard.row, guard.negated);
            let terminator = Terminator::Branch { condition, taken, other: name(end + 1) };
            return Block { first, end, gathers, terminator };
        }
        if leaves(program, end).is_some() {
            break;
        }
        end += 1;
    }
    let inst = &program.code[end as usize];
    let condition = |guard: Guard| (guard.row, guard.negated);
    let guard = inst.guard.map(|guard| (condition(guard), name(end + 1)));
    let terminator = match &inst.op {
        Op::Effect(Effect::Branch { target }) => match guard {
            None => Terminator::Jump(name(*target)),
            Some((_, other)) if other == name(*target) => Terminator::Jump(other),
            Some((condition, other)) => Terminator::Branch { condition, taken: name(*target), other },
        },
        Op::Effect(Effect::BranchIndexed { index, targets }) => {
            let targets = targets.iter().map(|&target| name(target)).collect();
            Terminator::Indexed { index: *index, guard, targets }
        }
        Op::Effect(Effect::Trap | Effect::Breakpoint) => Terminator::Stop { guard },
        _ => Terminator::Exit { guard },
    };
    Block { first, end, gathers, terminator }
}

fn guard_at(program: &Program, pc: u32) -> Option<Guard> {
    program.code.get(pc as usize).and_then(|inst| inst.guard)
}

/// The blocks in reverse postorder, but those of a loop together.
fn order(blocks: &[Block], entry: BlockId) -> Vec<BlockId> {
    let all: BTreeSet<BlockId> = (0..blocks.len()).collect();
    let mut order = Vec::new();
    place(blocks, &all, entry, &BTreeSet::new(), &mut order);
    order
}

/// How deep loops may be in each other; what is deeper stays in the order in which it was found.
const DEEPEST: usize = 64;

/// Appends the blocks of a region that is entered at `entry`: its cycles, each as a whole, in an order in which every edge
/// between cycles goes forward. Edges to blocks that were cut off close loops around it.
fn place(
    blocks: &[Block],
    region: &BTreeSet<BlockId>,
    entry: BlockId,
    cut: &BTreeSet<BlockId>,
    order: &mut Vec<BlockId>,
) {
    // Without its head a cycle falls apart into those inside of it (Bourdoncle's weak topological order, with components that may be
    // irreducible). Each level looks at each block once, so that this takes the depth of loops times the blocks.
    for cycle in cycles(blocks, region, entry, cut) {
        // The first block of a cycle that is entered heads it; it is cut off, and what is left has fewer cycles.
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

/// The strongly connected parts of a graph that have an edge, the entry being the first block.
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

/// The strongly connected parts of a region, in topological order, each with the block first that is reached first. Edges to
/// blocks in `cut` do not count.
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
    // Tarjan's algorithm, with a stack of its own: (block, its edges, the next of them).
    let mut numbers: BTreeMap<BlockId, (usize, usize)> = BTreeMap::new();
    let (mut stack, mut on_stack, mut parts) = (Vec::new(), BTreeSet::new(), Vec::new());
    let mut calls = vec![(entry, edges(entry), 0)];
    numbers.insert(entry, (0, 0));
    stack.push(entry);
    on_stack.insert(entry);
    while let Some((id, targets, next)) = calls.last_mut() {
        let id = *id;
        if let Some(&to) = targets.get(*next) {
            *next += 1;
            if let Some(&(number, _)) = numbers.get(&to) {
                if on_stack.contains(&to)
                    && let Some((_, low)) = numbers.get_mut(&id)
                {
                    *low = number.min(*low);
                }
            } else {
                let number = numbers.len();
                numbers.insert(to, (number, number));
                stack.push(to);
                on_stack.insert(to);
                calls.push((to, edges(to), 0));
            }
            continue;
        }
        calls.pop();
        let (number, low) = numbers.get(&id).copied().unwrap_or_default();
        if let Some((caller, ..)) = calls.last()
            && let Some((_, caller_low)) = numbers.get_mut(caller)
        {
            *caller_low = low.min(*caller_low);
        }
        // The root of a part: all blocks that were put on the stack after it, and are still there, reach it and are reached by it.
        if number == low {
            let at = stack.iter().rposition(|&on| on == id).unwrap_or(0);
            let part: Vec<BlockId> = stack.split_off(at);
            part.iter().for_each(|on| {
                on_stack.remove(on);
            });
            parts.push(part);
        }
    }
    // Tarjan's algorithm completes a part after all that it leads to; reversed, edges between parts go forward.
    parts.reverse();
    parts
}
