//! Merges collective operations that lanes of a warp reach at different instructions into one instruction.
//!
//! Lanes that reach operations of one kind with the same mask execute them together, wherever these are (`analysis/places.rs`). Code lets
//! lanes wait for each other at the beginning of one block, so those operations get one block to which all of them branch: their operands
//! are copied to rows of the block, and the number of the operation to one more row, which selects where lanes continue.
//!
//! ```text
//!     @%p bra other;                                         @%p bra other;
//!     shfl.sync.bfly.b32 %r1, %r2, 1, 31, %m;                bra first;
//!     ..                                                     back1: ..
//! other:                                                 other:
//!     shfl.sync.bfly.b32 %r3, %r4, 1, 31, -1;                bra second;
//!     ..                                                     back2: ..
//!                                                        first:  mov %a, %r2; mov %b, %m; mov %from, 0; bra both;
//!                                                        second: mov %a, %r4; mov %b, -1; mov %from, 1; bra both;
//!                                                        both:   shfl.sync.bfly.b32 %c, %a, 1, 31, %b;
//!                                                                brx.idx %from, { after1, after2 };
//!                                                        after1: mov %r1, %c; bra back1;
//!                                                        after2: mov %r3, %c; bra back2;
//! ```
//!
//! The overhead is small except that masks are then divergent: lanes execute in groups (`analysis/gather.rs`). It is done only for
//! operations that lanes are not known to reach at one instruction; the others keep their blocks.
//!
//! New instructions follow the program, whose own keep their numbers: the runtime finds each at its place, and is given only
//! those numbers ([`Joined::place`]).

use std::collections::{BTreeMap, BTreeSet};

use ptx_program::{
    Alu, Collective, CollectiveKind, Effect, Inst, Op, Origin, Packing, Participants, Program, Src, Unary,
};

use crate::analysis::{APART, Analysis, Launched, Limits, Refusal};

/// A program in which operations were joined.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    /// Its instructions: those of the original program first.
    pub(crate) program: Program,
    /// The number of those, and for each instruction after them the one that it was made for.
    count: u32,
    places: Vec<u32>,
    /// For each merged instruction, the row with the number of the operation that a lane reached, and the original instructions.
    meetings: BTreeMap<u32, (u32, Vec<u32>)>,
}

impl Joined {
    /// The original instruction that an instruction was made for; for a merged one, the first of them.
    pub(crate) fn place(&self, pc: u32) -> u32 {
        match pc.checked_sub(self.count) {
            None => pc,
            Some(at) => self.places.get(at as usize).copied().unwrap_or(pc),
        }
    }

    /// For a merged instruction: the row with the number of the operation that a lane reached, and the original instructions.
    pub(crate) fn meeting(&self, pc: u32) -> Option<(u32, &[u32])> {
        self.meetings.get(&pc).map(|(row, sites)| (*row, sites.as_slice()))
    }
}

/// The analysis of a kernel, and the program that was analysed if it is not the original one.
pub(crate) type Analyzed = (Analysis, Option<Joined>);

/// Analyses the kernel of a program, joining operations that lanes may reach at different instructions.
///
/// # Errors
/// The first instruction that is not compiled.
pub(crate) fn analyze(
    program: &Program,
    launched: &Launched,
    lanes: u32,
    limits: &Limits,
) -> Result<Analyzed, Refusal> {
    let first = Analysis::within(program, launched, lanes, limits);
    if !first.as_ref().is_ok_and(Analysis::is_plain)
        && let Ok(Some(analysis)) = Analysis::handing_over(program, launched, lanes)
        && analysis.apart.is_empty()
    {
        return Ok((analysis, None));
    }
    let mut analysis = first?;
    let mut joined: Option<Joined> = None;
    let mut sites: BTreeSet<u32> = BTreeSet::new();
    // Joining adds a block at which lanes may wait, which may reveal more operations to join. The set of joined sites grows each
    // time, up to all operations of the program.
    while let Some(&[one, other]) = analysis.apart.first() {
        let before = sites.len();
        for &pc in analysis.apart.iter().flatten() {
            match joined.as_ref().and_then(|joined| joined.meeting(pc)) {
                Some((_, all)) => sites.extend(all),
                None => _ = sites.insert(pc),
            }
        }
        if sites.len() == before {
            // All operations that may have to be joined are.
            let place = |pc| joined.as_ref().map_or(pc, |joined| joined.place(pc));
            return Err(Refusal { pc: place(one).max(place(other)), why: APART });
        }
        let next = join(program, &sites)?;
        let located = |refusal: Refusal| Refusal { pc: next.place(refusal.pc), ..refusal };
        analysis = Analysis::within(&next.program, launched, lanes, limits).map_err(located)?;
        joined = Some(next);
    }
    Ok((analysis, joined))
}

/// Joins those of these operations that are of one kind.
fn join(program: &Program, sites: &BTreeSet<u32>) -> Result<Joined, Refusal> {
    let mut kinds: Vec<(CollectiveKind, Vec<u32>)> = Vec::new();
    for &pc in sites {
        let operation = collective(program, pc).filter(|operation| {
            // All lanes must reach an `.aligned` operation at one instruction; a memory access has its address in the instruction.
            matches!(operation.participants, Participants::Members(_)) && is_of_registers(operation.kind)
        });
        let Some(operation) = operation else { return Err(Refusal { pc, why: APART }) };
        match kinds.iter_mut().find(|(kind, _)| *kind == operation.kind) {
            Some((_, all)) => all.push(pc),
            None => kinds.push((operation.kind, vec![pc])),
        }
    }
    let rows = program.kernel().rows;
    let mut joiner = Joiner { program: program.clone(), rows, places: Vec::new(), meetings: BTreeMap::new() };
    for (_, sites) in kinds {
        joiner.join(program, &sites)?;
    }
    let Joiner { mut program, rows, places, meetings } = joiner;
    program.functions.kernel_mut().rows = rows;
    let count = (program.code.len() - places.len()) as u32;
    Ok(Joined { program, count, places, meetings })
}

/// The most rows that joining operations adds to a kernel.
pub(crate) fn most_rows(program: &Program) -> usize {
    let mut kinds: Vec<CollectiveKind> = Vec::new();
    let mut rows = 0;
    for operation in (0..program.code.len() as u32).filter_map(|pc| collective(program, pc)) {
        if is_of_registers(operation.kind) && !kinds.contains(&operation.kind) {
            kinds.push(operation.kind);
            rows += operation.srcs.len() + operation.dsts.len() + 2;
        }
    }
    rows
}

fn collective(program: &Program, pc: u32) -> Option<&Collective> {
    match program.code.get(pc as usize).map(|inst| &inst.op) {
        Some(Op::Effect(Effect::Collective(collective))) => Some(collective),
        _ => None,
    }
}

fn is_of_registers(kind: CollectiveKind) -> bool {
    match kind {
        CollectiveKind::Barrier
        | CollectiveKind::Shuffle(_)
        | CollectiveKind::Vote(_)
        | CollectiveKind::MatchAny
        | CollectiveKind::MatchAll
        | CollectiveKind::Redux(..)
        | CollectiveKind::ReduxFloat(..)
        | CollectiveKind::Elect => true,
        CollectiveKind::Multiply(_)
        | CollectiveKind::LoadFragment(_)
        | CollectiveKind::StoreFragment(_)
        | CollectiveKind::LoadMatrix(_)
        | CollectiveKind::StoreMatrix(_)
        | CollectiveKind::TransposeMatrix
        | CollectiveKind::Tensor(_) => false,
    }
}

struct Joiner {
    program: Program,
    /// The number of rows of the kernel.
    rows: u32,
    places: Vec<u32>,
    meetings: BTreeMap<u32, (u32, Vec<u32>)>,
}

impl Joiner {
    fn row(&mut self) -> u32 {
        self.rows += 1;
        self.rows - 1
    }

    /// Appends an instruction that is made for one of the program.
    fn emit(&mut self, pc: u32, op: impl Into<Op>) -> u32 {
        let origin: Option<Origin> = self.program.origins.get(pc as usize).cloned();
        debug_assert!(origin.is_some(), "instruction {pc} without an origin");
        self.program.origins.extend(origin);
        self.program.code.push(Inst { guard: None, op: op.into() });
        self.places.push(pc);
        self.program.code.len() as u32 - 1
    }

    fn set_target(&mut self, at: u32, to: u32) {
        match self.program.code.get_mut(at as usize).map(|inst| &mut inst.op) {
            Some(Op::Effect(Effect::Branch { target })) => *target = to,
            // The joined operation, whose lanes now branch; its guard becomes that of the branch.
            Some(op) => *op = Effect::Branch { target: to }.into(),
            None => debug_assert!(false, "no instruction {at}"),
        }
    }

    fn join(&mut self, program: &Program, sites: &[u32]) -> Result<(), Refusal> {
        let all: Vec<&Collective> = sites.iter().filter_map(|&pc| collective(program, pc)).collect();
        let (Some(&first), Some(&place)) = (all.first(), sites.first()) else { return Ok(()) };
        let is_alike = |other: &&Collective| {
            (other.srcs.len(), other.dsts.len()) == (first.srcs.len(), first.dsts.len())
        };
        if !all.iter().all(is_alike) {
            return Err(Refusal { pc: place, why: APART });
        }
        let mask = |operation: &Collective| match operation.participants {
            Participants::Members(mask) => mask,
            Participants::Warp | Participants::Converged => Src::constant(0),
        };
        // The mask, the sources and the results: those that all operations have in common are used unchanged.
        let members = self.operand(all.iter().map(|operation| mask(operation)));
        let srcs: Vec<Src> = (0..first.srcs.len())
            .map(|n| self.operand(all.iter().map(|operation| operation.srcs[n])))
            .collect();
        let dsts: Vec<u32> = (0..first.dsts.len())
            .map(|n| {
                let same = all.iter().all(|operation| operation.dsts[n] == first.dsts[n]);
                if same { first.dsts[n] } else { self.row() }
            })
            .collect();
        let from = self.row();
        let mut jumps = Vec::new();
        for ((number, &pc), operation) in (0..).zip(sites).zip(&all) {
            let given = operation.srcs.iter().copied().zip(srcs.iter().copied());
            let given = given.chain([(mask(operation), members)]);
            let copies = given.filter_map(|(own, to)| Some((to.as_register()?, own)));
            let copies: Box<[(u32, Src)]> =
                copies.filter(|(to, own)| own.as_register() != Some(*to)).collect();
            let begin = self.emit(pc, Effect::Copy(copies));
            // Clears the row, then adds the number.
            let none = Unary::Field { shift: 0, mask: 0 };
            self.emit(pc, Alu::Unary { op: none, packing: Packing::Whole, d: from, a: members });
            let number = Unary::AddConstant { addend: number, mask: u32::MAX.into() };
            self.emit(
                pc,
                Alu::Unary { op: number, packing: Packing::Whole, d: from, a: Src::register(from) },
            );
            jumps.push(self.emit(pc, Effect::Branch { target: 0 }));
            self.set_target(pc, begin);
        }
        let operation = Collective {
            participants: Participants::Members(members),
            srcs: srcs.into(),
            dsts: dsts.clone().into(),
            ..first.clone()
        };
        let meeting = self.emit(place, Effect::Collective(Box::new(operation)));
        let index = Src::register(from);
        let parting = self.emit(place, Effect::BranchIndexed { index, targets: [].into() });
        let mut after = Vec::new();
        for (&pc, operation) in sites.iter().zip(&all) {
            let copies = operation.dsts.iter().zip(&dsts).filter(|(own, from)| own != from);
            let copies = copies.map(|(own, from)| (*own, Src::register(*from))).collect();
            after.push(self.emit(pc, Effect::Copy(copies)));
            self.emit(pc, Effect::Branch { target: pc + 1 });
        }
        jumps.into_iter().for_each(|jump| self.set_target(jump, meeting));
        if let Some(Op::Effect(Effect::BranchIndexed { targets, .. })) =
            self.program.code.get_mut(parting as usize).map(|inst| &mut inst.op)
        {
            *targets = after.into();
        }
        self.meetings.insert(meeting, (from, sites.to_vec()));
        Ok(())
    }

    /// The operand of a joined operation: the one that all have in common, or a new row to which they are copied.
    fn operand(&mut self, mut all: impl Iterator<Item = Src> + Clone) -> Src {
        let mut rest = all.clone();
        match all.next() {
            Some(first) if rest.all(|other| other == first) => first,
            _ => Src::register(self.row()),
        }
    }
}
