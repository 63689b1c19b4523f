//! Joins registers that a copy connects and that are never alive at the same time with different values.
//!
//! Phis are raised with two registers and two copies each (see [`crate::select`]), which is right whatever the edges look like.
//! Most of them can share one register with the values they take, as compilers write loops; this finds out which, by liveness and
//! interference over the finished body, and drops the copies.

use std::collections::BTreeSet;

use ptx_ir::cfg::Cfg;
use ptx_ir::{AddressBase, Body, Inst, ListId, Operand, RegDeclId, RegId, Stmt};
use ptx_isa::{Role, Sem};
use rustc_hash::FxHashSet as HashSet;

/// More candidates than this are left alone.
const MAX_CANDIDATES: usize = 200_000;

/// More pairs that must stay apart than this are too much to keep.
const MAX_PAIRS: usize = 4_000_000;
/// Larger tables of liveness than this many bits are not made.
const MAX_TABLE: usize = 1 << 28;

/// Which register stands for each after joining.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    indices: Vec<Option<u32>>,
    chosen: Vec<RegId>,
}

impl Joined {
    /// The register that has what `register` had.
    pub(crate) fn of(&self, register: RegId) -> RegId {
        let index = self.indices.get(register.index()).copied().flatten();
        index.and_then(|index| self.chosen.get(index as usize)).copied().unwrap_or(register)
    }
}

/// Joins what can be joined. Registers of the declarations `foreign` have scopes of their own and stay; what is copied to the registers
/// `kept` is the program's own copy, and stays one. The pairs `wanted` are joined where nothing speaks against it, though no copy connects them.
pub(crate) fn coalesce(
    body: &mut Body,
    foreign: &HashSet<RegDeclId>,
    kept: &HashSet<RegId>,
    wanted: Vec<(RegId, RegId)>,
) -> Joined {
    let copies: Vec<(RegId, RegId)> = body
        .statements
        .iter()
        .filter_map(|statement| copy_of(body, statement, foreign))
        .filter(|(to, _)| !kept.contains(to))
        .chain(wanted.into_iter().filter(|&(a, b)| body.reg_type(a) == body.reg_type(b)))
        .collect();
    let mut candidates = Candidates::new(body.registers.len());
    for &(to, from) in &copies {
        candidates.add(to);
        candidates.add(from);
    }
    if candidates.registers.is_empty() || candidates.registers.len() > MAX_CANDIDATES {
        return Joined::default();
    }
    let cfg = Cfg::new(body);
    if candidates.registers.len().saturating_mul(cfg.blocks.len()) > MAX_TABLE {
        return Joined::default();
    }
    let live_out = live_out(body, &cfg, &candidates);
    let Some(apart) = interference(body, &cfg, &candidates, &live_out) else { return Joined::default() };
    let mut classes = Classes::new(apart);
    for &(to, from) in &copies {
        if let (Some(to), Some(from)) = (candidates.index(to), candidates.index(from)) {
            classes.join(to, from);
        }
    }
    let renamed: Vec<RegId> =
        (0..candidates.registers.len()).map(|at| candidates.registers[classes.root(at)]).collect();
    rewrite(body, &candidates, &renamed);
    Joined { indices: candidates.indices, chosen: renamed }
}

/// The registers, to and from, of an instruction that does nothing but copy.
pub(crate) fn copied(body: &Body, inst: &Inst) -> Option<(RegId, RegId)> {
    match (inst.mnemonic.sem(), inst.guard, body.operands(inst)) {
        (Sem::Mov, None, &[Operand::Register(to), Operand::Register(from)]) => Some((to, from)),
        _ => None,
    }
}

/// The registers of a statement that copies one to another of the same type.
fn copy_of(body: &Body, statement: &Stmt, foreign: &HashSet<RegDeclId>) -> Option<(RegId, RegId)> {
    let Stmt::Inst(inst) = statement else { return None };
    let (to, from) = copied(body, inst)?;
    let own = |register: RegId| {
        body.registers.get(register.index()).is_some_and(|register| !foreign.contains(&register.decl))
    };
    (own(to) && own(from) && body.reg_type(to) == body.reg_type(from)).then_some((to, from))
}

/// The registers that copies connect, numbered.
struct Candidates {
    registers: Vec<RegId>,
    indices: Vec<Option<u32>>,
}

impl Candidates {
    fn new(registers: usize) -> Self {
        Self { registers: Vec::new(), indices: vec![None; registers] }
    }

    fn add(&mut self, register: RegId) {
        if let Some(slot @ None) = self.indices.get_mut(register.index()) {
            *slot = Some(self.registers.len() as u32);
            self.registers.push(register);
        }
    }

    fn index(&self, register: RegId) -> Option<usize> {
        self.indices.get(register.index()).copied().flatten().map(|index| index as usize)
    }
}

/// How an instruction touches a register.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    Read,
    Write,
}

/// Calls `found` for every candidate that an instruction touches.
fn touched(body: &Body, inst: &Inst, candidates: &Candidates, found: &mut dyn FnMut(usize, Touch)) {
    for_each_register(body, inst, &mut |register, role| {
        if let Some(index) = candidates.index(register) {
            let touch = match role {
                Role::Def | Role::DefPair => Touch::Write,
                Role::Use | Role::UseOpt => Touch::Read,
            };
            found(index, touch);
        }
    });
}

/// Calls `found` for every register that an instruction mentions, with how it uses it.
pub(crate) fn for_each_register(body: &Body, inst: &Inst, found: &mut dyn FnMut(RegId, Role)) {
    if let Some(guard) = inst.guard {
        found(guard.register, Role::Use);
    }
    let places = inst.mnemonic.form().operands;
    for (place, operand) in places.iter().zip(body.operands(inst)) {
        match *operand {
            Operand::Register(register) | Operand::Element(register, _) => found(register, place.role),
            // A part is written into what the register holds.
            Operand::Selected(register, _) => {
                found(register, Role::Use);
                found(register, place.role);
            }
            Operand::Not(register)
            | Operand::Negated(register, _)
            | Operand::Address(AddressBase::Register(register), _) => found(register, Role::Use),
            Operand::Bracket(list) => {
                for part in body.list(list) {
                    match *part {
                        Operand::Register(register) => found(register, Role::Use),
                        Operand::Vector(inner) => {
                            for element in body.list(inner) {
                                if let Operand::Register(register) | Operand::Element(register, _) = *element
                                {
                                    found(register, Role::Use);
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            Operand::Vector(list) | Operand::List(list) => {
                for part in body.list(list) {
                    match *part {
                        Operand::Register(register) | Operand::Element(register, _) => {
                            found(register, place.role);
                        }
                        Operand::Not(register) => found(register, Role::Use),
                        _ => {}
                    }
                }
            }
            Operand::Omitted
            | Operand::Sink
            | Operand::Special(..)
            | Operand::Immediate(_)
            | Operand::Symbol(..)
            | Operand::Address(AddressBase::Symbol(_) | AddressBase::Absolute, _)
            | Operand::Label(_) => {}
        }
    }
}

/// A set of candidates.
#[derive(Clone, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(word * 64 + bit)
            })
        })
    }
}

/// The instructions of a block, last first.
fn backward<'b>(body: &'b Body, cfg: &Cfg, block: usize) -> impl Iterator<Item = &'b Inst> + use<'b> {
    let range = cfg.blocks[block].statements.clone();
    body.statements.get(range).unwrap_or(&[]).iter().rev().filter_map(|statement| match statement {
        Stmt::Inst(inst) => Some(inst),
        _ => None,
    })
}

/// Steps a set of live candidates backward over an instruction.
fn step(body: &Body, inst: &Inst, candidates: &Candidates, live: &mut Set) {
    // A guarded write may not happen, so it ends no life.
    if inst.guard.is_none() {
        touched(body, inst, candidates, &mut |index, touch| {
            if touch == Touch::Write {
                live.remove(index);
            }
        });
    }
    touched(body, inst, candidates, &mut |index, touch| {
        if touch == Touch::Read {
            live.insert(index);
        }
    });
}

/// The candidates alive at the end of each block.
fn live_out(body: &Body, cfg: &Cfg, candidates: &Candidates) -> Vec<Set> {
    let size = candidates.registers.len();
    let mut out = vec![Set::new(size); cfg.blocks.len()];
    let mut pending: BTreeSet<usize> = (0..cfg.blocks.len()).collect();
    while let Some(block) = pending.pop_last() {
        let mut live = out[block].clone();
        for inst in backward(body, cfg, block) {
            step(body, inst, candidates, &mut live);
        }
        for predecessor in &cfg.blocks[block].predecessors {
            let target = &mut out[predecessor.index()];
            let mut changed = false;
            for (word, more) in target.0.iter_mut().zip(&live.0) {
                changed |= *more & !*word != 0;
                *word |= more;
            }
            if changed {
                pending.insert(predecessor.index());
            }
        }
    }
    out
}

/// Which candidates must stay apart: one is written while the other is alive, unless it is a copy of it.
/// `None` when there are too many such pairs.
fn interference(
    body: &Body,
    cfg: &Cfg,
    candidates: &Candidates,
    live_out: &[Set],
) -> Option<Vec<HashSet<usize>>> {
    let mut pairs = 0;
    let mut apart = vec![HashSet::default(); candidates.registers.len()];
    for (block, out) in live_out.iter().enumerate() {
        let mut live = out.clone();
        for inst in backward(body, cfg, block) {
            let source = copied(body, inst).and_then(|(_, from)| candidates.index(from));
            let mut written = Vec::new();
            touched(body, inst, candidates, &mut |index, touch| {
                if touch == Touch::Write {
                    written.push(index);
                }
            });
            for &index in &written {
                let others = live.iter().chain(written.iter().copied());
                for other in others.filter(|other| *other != index && Some(*other) != source) {
                    pairs += usize::from(apart[index].insert(other));
                    apart[other].insert(index);
                }
            }
            if pairs > MAX_PAIRS {
                return None;
            }
            step(body, inst, candidates, &mut live);
        }
    }
    Some(apart)
}

/// Candidates joined so far.
struct Classes {
    parent: Vec<usize>,
    /// For roots: the roots, at the time, of those they must stay apart from.
    apart: Vec<HashSet<usize>>,
}

impl Classes {
    fn new(apart: Vec<HashSet<usize>>) -> Self {
        Self { parent: (0..apart.len()).collect(), apart }
    }

    fn root(&mut self, index: usize) -> usize {
        let mut root = index;
        while self.parent[root] != root {
            self.parent[root] = self.parent[self.parent[root]];
            root = self.parent[root];
        }
        root
    }

    /// Joins two classes unless they must stay apart.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b || self.apart[a].contains(&b) || self.apart[b].contains(&a) {
            return;
        }
        let (into, from) = (a.min(b), a.max(b));
        let moved = std::mem::take(&mut self.apart[from]);
        for &other in &moved {
            self.apart[other].remove(&from);
            self.apart[other].insert(into);
        }
        self.apart[into].extend(moved);
        self.parent[from] = into;
    }
}

/// The operands of an instruction with other registers; the old list where all stay.
pub(crate) fn renamed(body: &mut Body, inst: &Inst, rename: impl Fn(RegId) -> RegId) -> ListId {
    let rename_operand = |operand: Operand| match operand {
        Operand::Register(register) => Operand::Register(rename(register)),
        Operand::Not(register) => Operand::Not(rename(register)),
        Operand::Element(register, component) => Operand::Element(rename(register), component),
        Operand::Negated(register, component) => Operand::Negated(rename(register), component),
        Operand::Selected(register, selector) => Operand::Selected(rename(register), selector),
        Operand::Address(AddressBase::Register(register), offset) => {
            Operand::Address(AddressBase::Register(rename(register)), offset)
        }
        Operand::Address(AddressBase::Symbol(_) | AddressBase::Absolute, _)
        | Operand::Omitted
        | Operand::Sink
        | Operand::Special(..)
        | Operand::Immediate(_)
        | Operand::Symbol(..)
        | Operand::Label(_)
        | Operand::Vector(_)
        | Operand::List(_)
        | Operand::Bracket(_) => operand,
    };
    let old: Vec<Operand> = body.operands(inst).to_vec();
    let new: Vec<Operand> =
        old.iter().map(|operand| rename_nested(body, *operand, &rename_operand)).collect();
    if new == old { inst.operands } else { body.add_list(new.into_iter().map(unplaced)) }
}

/// An operand with other registers, also those of the lists in it (a tensor's coordinates are a list in a list).
fn rename_nested(body: &mut Body, operand: Operand, rename: &impl Fn(Operand) -> Operand) -> Operand {
    let (Operand::Vector(list) | Operand::List(list) | Operand::Bracket(list)) = operand else {
        return rename(operand);
    };
    let old: Vec<Operand> = body.list(list).to_vec();
    let mut new = Vec::with_capacity(old.len());
    for &part in &old {
        new.push(match part {
            Operand::Vector(inner) => {
                let parts: Vec<Operand> = body.list(inner).iter().map(|&part| rename(part)).collect();
                if parts == body.list(inner) {
                    part
                } else {
                    Operand::Vector(body.add_list(parts.into_iter().map(unplaced)))
                }
            }
            part => rename(part),
        });
    }
    if new == old {
        return operand;
    }
    let list = body.add_list(new.into_iter().map(unplaced));
    match operand {
        Operand::Vector(_) => Operand::Vector(list),
        Operand::List(_) => Operand::List(list),
        _ => Operand::Bracket(list),
    }
}

fn unplaced(operand: Operand) -> (Operand, ptx_diag::Span) {
    (operand, ptx_diag::Span::default())
}

/// Puts the chosen registers in and drops copies of a register to itself.
fn rewrite(body: &mut Body, candidates: &Candidates, chosen: &[RegId]) {
    let rename = |register: RegId| candidates.index(register).map_or(register, |index| chosen[index]);
    let mut statements = std::mem::take(&mut body.statements);
    for statement in &mut statements {
        let Stmt::Inst(inst) = statement else { continue };
        if let Some(guard) = &mut inst.guard {
            guard.register = rename(guard.register);
        }
        inst.operands = renamed(body, inst, rename);
    }
    statements.retain(|statement| match statement {
        Stmt::Inst(inst) => copied(body, inst).is_none_or(|(to, from)| to != from),
        _ => true,
    });
    body.statements = statements;
}
