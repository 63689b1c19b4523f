//! For which threads a value is the same: for all of a block, for all of a warp, or for none in particular.
//!
//! A value is the same for threads that execute an instruction together: it is computed of what is, it is not met where control comes together that parted by a
//! condition that is not, and it has not left a loop that threads leave at different times.

mod joins;
mod work;

use ptx_ir::{Guard, Inst, Operand};
use ptx_isa::{
    BlockSem, ControlSem, MemorySem, MoveSem, OperandKey, OperandKind, Sem, SpecialReg, StateSpace, WarpSem,
};
use serde::Serialize;

use crate::code::Code;
use crate::polynomial::{Atom, Polynomial};
use crate::ssa::{self, Origin, Ssa, ValueId};
use crate::values::Values;
use crate::values::evaluate::Warps;
use work::{Item, Work};

/// The threads for which a value is the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// All of a block.
    #[default]
    Block,
    /// All of a warp.
    Warp,
    /// It may differ between the threads of a warp.
    Thread,
}

/// Why a value is not the same for all threads of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// The statement itself, or what it reads besides registers.
    Statement,
    /// It was in a register when the function began.
    Entry,
    /// It is computed of this.
    Of(ValueId),
    /// It is met where control comes together that parted in this statement.
    Parted(usize),
    /// It left a loop from which threads go at different times because of this statement.
    Left(usize),
}

/// What is known of a function's values.
pub(crate) struct Divergence<'v, 'c, 'm> {
    pub(crate) values: &'v Values<'c, 'm>,
    pub(crate) warps: &'v Warps,
    levels: Vec<Level>,
    reasons: Vec<Reason>,
    /// By block, of the condition of its terminator.
    branches: Vec<Level>,
    /// By loop, for which threads it ends at the same time, and the statement because of which.
    exits: Vec<(Level, usize)>,
}

impl<'v, 'c, 'm> Divergence<'v, 'c, 'm> {
    pub(crate) fn new(values: &'v Values<'c, 'm>, warps: &'v Warps) -> Self {
        let (code, ssa) = (values.code, values.ssa);
        let mut found = Self {
            values,
            warps,
            levels: vec![Level::Block; ssa.values.len()],
            reasons: vec![Reason::Statement; ssa.values.len()],
            branches: vec![Level::Block; code.cfg.blocks.len()],
            exits: vec![(Level::Block, 0); code.loops.all.len()],
        };
        for value in ssa.ids() {
            let ssa::Value { origin, register } = ssa.value(value);
            if *origin == Origin::Entry || code.is_of_module(*register) {
                found.raise(value, Level::Thread, Reason::Entry);
            }
        }
        found.run();
        found
    }

    fn code(&self) -> &'c Code<'m> {
        self.values.code
    }

    fn ssa(&self) -> &'c Ssa {
        self.values.ssa
    }

    fn raise(&mut self, value: ValueId, level: Level, reason: Reason) -> bool {
        let is_higher = level > self.levels[value.index()];
        if is_higher {
            self.levels[value.index()] = level;
            self.reasons[value.index()] = reason;
        }
        is_higher
    }

    /// The level of a value where it is made.
    pub(crate) fn level(&self, value: ValueId) -> Level {
        self.levels[value.index()]
    }

    pub(crate) fn reason(&self, value: ValueId) -> Reason {
        self.reasons[value.index()]
    }

    /// The level of a value where a block reads it, and the statement that parts the threads if it left a loop.
    fn level_in(&self, value: ValueId, block: usize) -> (Level, Option<usize>) {
        let mut level = (self.level(value), None);
        if let Some(made) = self.ssa().block(self.code(), value) {
            for number in self.code().loops.around(made) {
                let (exit, statement) = self.exits[number];
                if exit > level.0 && !self.code().loops.contains(number, block) {
                    level = (exit, Some(statement));
                }
            }
        }
        level
    }

    /// The level of the condition on which a block ends.
    pub(crate) fn branch(&self, block: usize) -> Level {
        self.branches[block]
    }

    /// The level of an atom, where it has a name of its own.
    pub(crate) fn of_atom(&self, atom: Atom) -> Level {
        match atom {
            Atom::Special(special, component) => self.of_special(special, component),
            Atom::Parameter(..) | Atom::Address(_) => Level::Block,
            Atom::Iteration(number) => {
                // Of a loop that warps leave at different times each has its own iteration.
                if self.exits[number].0 == Level::Block { Level::Block } else { Level::Warp }
            }
            Atom::Finished(number) => self.exits[number].0,
            Atom::Value(value) => self.level(value),
            Atom::Left(value) => {
                let made = self.ssa().block(self.code(), value);
                let loops = made.into_iter().flat_map(|block| self.code().loops.around(block));
                loops.map(|number| self.exits[number].0).fold(self.level(value), Level::max)
            }
            Atom::Operation(id) => {
                let sources = &self.values.operation(id).sources;
                let own = sources.iter().flat_map(Polynomial::atoms).map(|atom| self.of_atom(atom));
                let level = own.max();
                level.map_or(Level::Block, |level| self.evaluated(&Polynomial::atom(atom), level))
            }
        }
    }

    /// The level of a sum of which an atom has this level: that of its values, if they are known of each thread.
    fn evaluated(&self, sum: &Polynomial, level: Level) -> Level {
        if level < Level::Thread || !self.warps.is_known {
            return level;
        }
        let (mut first, mut found) = (None, Level::Block);
        for warp in &self.warps.all {
            let mut of_warp = None;
            for thread in warp {
                let Some(value) = self.values.evaluate(sum, thread) else { return level };
                if *of_warp.get_or_insert(value) != value {
                    return level;
                }
            }
            if of_warp != *first.get_or_insert(of_warp) {
                found = Level::Warp;
            }
        }
        found
    }

    pub(crate) fn of_special(&self, special: SpecialReg, component: Option<ptx_isa::Component>) -> Level {
        match special {
            SpecialReg::Tid => match component {
                Some(component) if self.warps.is_uniform(component) => Level::Warp,
                _ => Level::Thread,
            },
            // A multiprocessor may be another one later.
            SpecialReg::WarpId | SpecialReg::SmId => Level::Warp,
            SpecialReg::LaneId
            | SpecialReg::LanemaskEq
            | SpecialReg::LanemaskLe
            | SpecialReg::LanemaskLt
            | SpecialReg::LanemaskGe
            | SpecialReg::LanemaskGt
            | SpecialReg::Clock
            | SpecialReg::ClockHi
            | SpecialReg::Clock64
            | SpecialReg::GlobalTimer
            | SpecialReg::GlobalTimerLo
            | SpecialReg::GlobalTimerHi
            | SpecialReg::Pm(_)
            | SpecialReg::Pm64(_) => Level::Thread,
            _ => Level::Block,
        }
    }

    /// The level of a sum: of its products, each for itself.
    pub(crate) fn of_sum(&self, sum: &Polynomial) -> Level {
        let level = sum.atoms().map(|atom| self.of_atom(atom)).max();
        // Default: the same for all is what a constant is.
        level.map_or(Level::Block, |level| self.evaluated(sum, level))
    }

    /// Raises levels until none has to be. They only rise, so that this ends.
    fn run(&mut self) {
        let mut work = Work::new(self.code(), self.ssa());
        while let Some(item) = work.next() {
            let is_left = match item {
                Item::Meet(value) => {
                    if self.meet(value) {
                        work.add_users(value);
                    }
                    false
                }
                Item::Statement(at) => self.statement(at, &mut work),
            };
            if is_left {
                work.add_all();
            }
        }
    }

    /// Raises what a statement writes, and what depends on where it goes. Whether a loop is left at different times now.
    fn statement(&mut self, at: usize, work: &mut Work<'_>) -> bool {
        let Some((_, inst)) = self.code().instruction(at) else { return false };
        for &value in &self.ssa().writes[at] {
            if self.written(value, at, inst) {
                work.add_users(value);
            }
        }
        inst.mnemonic.effects().terminator && self.part(self.code().block_of(at), work)
    }

    /// What meets in a block. Whether control parted before is known by the branch.
    fn meet(&mut self, value: ValueId) -> bool {
        let Origin::Meet { block, from } = &self.ssa().value(value).origin else { return false };
        let mut changes = false;
        for (_, from) in from {
            let (level, statement) = self.level_in(*from, *block);
            changes |= self.raise(value, level, statement.map_or(Reason::Of(*from), Reason::Left));
        }
        // Where loops have several entries it is not known which threads are in the same iteration.
        changes | (self.code().loops.has_others && self.raise(value, Level::Thread, Reason::Statement))
    }

    /// The highest level that a statement reads, with the reason.
    fn of_sources(&self, at: usize) -> (Level, Reason) {
        let block = self.code().block_of(at);
        let mut found = (Level::Block, Reason::Statement);
        for value in self.ssa().all_read(at) {
            let (level, statement) = self.level_in(value, block);
            if level > found.0 {
                found = (level, statement.map_or(Reason::Of(value), Reason::Left));
            }
        }
        found
    }

    fn written(&mut self, value: ValueId, at: usize, inst: &Inst) -> bool {
        let (mut level, mut reason) = self.of_sources(at);
        let own = self.of_instruction(at, inst, level);
        if own != level {
            (level, reason) = (own, if own > level { Reason::Statement } else { reason });
        }
        if let Origin::Statement { old: Some(old), .. } = self.ssa().value(value).origin {
            let (kept, statement) = self.level_in(old, self.code().block_of(at));
            if kept > level {
                (level, reason) = (kept, statement.map_or(Reason::Of(old), Reason::Left));
            }
        }
        let sum = self.values.of(value);
        if sum.as_atom() != Some(Atom::Value(value)) {
            level = level.min(self.of_sum(sum));
        }
        self.raise(value, level, reason)
    }

    /// The level of what an instruction computes of sources of a level.
    fn of_instruction(&self, at: usize, inst: &Inst, sources: Level) -> Level {
        let mut specials = Level::Block;
        self.code().body.for_each_operand(inst, |operand, _| {
            if let Operand::Special(special, component) = operand {
                specials = specials.max(self.of_special(special, component));
            }
            if let Operand::SpecialSum(special, _) = operand {
                specials = specials.max(self.of_special(special, None));
            }
        });
        let level = sources.max(specials);
        let of_warp = if sources < Level::Thread { Level::Warp } else { Level::Thread };
        match inst.mnemonic.sem() {
            // The carry is in no register.
            Sem::Arith(_) if inst.mnemonic.reads_carry() => Level::Thread,
            Sem::Arith(_) | Sem::Bits(_) | Sem::Compare(_) | Sem::Video(_) => level,
            Sem::Move(MoveSem::Cvta) if inst.mnemonic.space() == Some(StateSpace::Local) => Level::Thread,
            Sem::Move(_) => level,
            Sem::Memory(MemorySem::Load | MemorySem::LoadUniform) => self.of_load(at, inst, level),
            Sem::Memory(MemorySem::CreatePolicy) => level,
            // The mask and all else are the same, so that the lanes that take part get the same.
            Sem::Warp(WarpSem::Vote | WarpSem::Redux | WarpSem::ReduxFloat) => self.of_vote(inst, of_warp),
            Sem::Block(BlockSem::Barrier) => self.of_barrier(inst),
            Sem::Texture(ptx_isa::TextureSem::Txq | ptx_isa::TextureSem::SurfaceQuery) => level,
            _ => Level::Thread,
        }
    }

    /// A vote of a whole warp whose mask is a constant gives all lanes the same result.
    fn of_vote(&self, inst: &Inst, otherwise: Level) -> Level {
        let mask = inst.mnemonic.form().operand(OperandKey::Membermask);
        match mask.and_then(|at| self.code().body.operands(inst).get(at)) {
            Some(Operand::Immediate(mask))
                if mask.as_integer().is_some_and(|mask| mask as u32 == u32::MAX) =>
            {
                Level::Warp
            }
            _ => otherwise,
        }
    }

    /// What a barrier computes is the same for all that wait at it: all of the block if its number and that of the threads are constants.
    fn of_barrier(&self, inst: &Inst) -> Level {
        let operands = inst.mnemonic.form().operands.iter().zip(self.code().body.operands(inst));
        let mut chosen =
            operands.filter(|(place, _)| !place.is_written() && place.kind != OperandKind::Predicate);
        let is_constant =
            chosen.all(|(_, operand)| matches!(operand, Operand::Immediate(_) | Operand::Omitted));
        if is_constant { Level::Block } else { Level::Thread }
    }

    fn of_load(&self, at: usize, inst: &Inst, level: Level) -> Level {
        let address =
            self.code().body.operands(inst).get(1).and_then(|operand| self.values.address(at, *operand));
        let space = inst.mnemonic.space().map(StateSpace::window);
        let space = space.or_else(|| address.as_ref().and_then(|sum| self.values.window(sum)));
        let level = address.as_ref().map_or(level, |sum| level.min(self.of_sum(sum)));
        let is_plain =
            inst.mnemonic.get(ptx_isa::Field::MemOrder).is_none_or(|order| order == ptx_isa::Mod::Weak);
        let is_constant = inst.mnemonic.has(ptx_isa::Mod::Nc);
        match space {
            Some(StateSpace::Const) => level,
            Some(StateSpace::Param) if self.code().is_kernel() && self.is_parameter(address.as_ref()) => {
                level
            }
            Some(StateSpace::Global) if is_constant => level,
            // Another warp may read it after it changed.
            Some(StateSpace::Global | StateSpace::Shared) if is_plain => level.max(Level::Warp),
            _ => Level::Thread,
        }
    }

    /// Whether an address is in the parameters of the kernel, which are the same for all threads, not in those of a call.
    fn is_parameter(&self, address: Option<&Polynomial>) -> bool {
        address.into_iter().flat_map(Polynomial::atoms).any(|atom| match atom {
            Atom::Address(variable) => {
                self.code().function.params.contains(&ptx_ir::Param::Variable(variable))
            }
            _ => false,
        })
    }

    /// Where a branch parts threads. Whether a loop is left at different times now.
    fn part(&mut self, block: usize, work: &mut Work<'_>) -> bool {
        let Some((at, inst)) = self.code().terminator(block) else { return false };
        let is_indexed = inst.mnemonic.sem() == Sem::Control(ControlSem::BrxIdx);
        let (level, _) = self.of_sources(at);
        if level <= self.branches[block] || inst.guard.is_none() && !is_indexed {
            return false;
        }
        self.branches[block] = level;
        let mut is_left = false;
        let parted = joins::parted(self.code(), block);
        for number in parted.left {
            if level > self.exits[number].0 {
                self.exits[number] = (level, at);
                is_left = true;
            }
        }
        for join in parted.joins {
            for &value in &self.ssa().meets[join] {
                if self.is_mixed(value) && self.raise(value, level, Reason::Parted(at)) {
                    work.add_users(value);
                }
            }
        }
        is_left
    }

    /// Whether different values meet.
    fn is_mixed(&self, value: ValueId) -> bool {
        let Origin::Meet { from, .. } = &self.ssa().value(value).origin else { return false };
        from.windows(2).any(|pair| match pair {
            [(_, a), (_, b)] => a != b && self.values.of(*a) != self.values.of(*b),
            _ => false,
        })
    }

    /// The level of a guard.
    pub(crate) fn of_guard(&self, at: usize, guard: Guard) -> Level {
        match self.ssa().read(at, guard.register) {
            Some(value) => self.level_in(value, self.code().block_of(at)).0,
            None => Level::Thread,
        }
    }
}
