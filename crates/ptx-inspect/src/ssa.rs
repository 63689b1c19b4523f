//! The values that registers have: each write is one, and where several meet another one.

use ptx_ir::cfg::BlockId;
use ptx_ir::dominators::dominance_frontiers;
use ptx_ir::liveness::BlockAccesses;
use ptx_ir::{Inst, Operand, RegId, VectorShape};

use crate::code::Code;

/// A value of a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ValueId(u32);

impl ValueId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// It was there when the function began: a parameter in a register, or nothing.
    Entry,
    /// What control that meets in a block brings, each from one of its predecessors.
    Meet { block: usize, from: Vec<(usize, ValueId)> },
    /// A statement. With `old` the register may keep that value, or a part of it.
    Statement { at: usize, old: Option<ValueId> },
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    pub(crate) register: RegId,
    pub(crate) origin: Origin,
}

/// The values of a function.
#[derive(Debug, Default)]
pub(crate) struct Ssa {
    pub(crate) values: Vec<Value>,
    /// By statement, what its registers are before it.
    reads: Vec<Vec<(RegId, ValueId)>>,
    /// By statement, what it writes.
    pub(crate) writes: Vec<Vec<ValueId>>,
    /// By block, the values that are met there.
    pub(crate) meets: Vec<Vec<ValueId>>,
}

/// Frontiers with more members together are not followed.
const MOST_FRONTIERS: usize = 1 << 22;
/// More places where values meet are not followed.
const MOST_MEETS: usize = 1 << 21;
/// A register that is live at more points is taken to be live everywhere.
const MOST_POINTS: usize = 1 << 10;

/// Whether a write leaves a part of the register, or all of it, as it was.
fn keeps(code: &Code<'_>, inst: &Inst, register: RegId) -> bool {
    inst.guard.is_some()
        || code.is_of_module(register)
        || code.body.decl(register).shape != VectorShape::Scalar
        || code.body.operands(inst).iter().any(|operand| matches!(operand, Operand::Selected(..)))
}

impl Ssa {
    /// The values; `None` if there are too many places where they may meet.
    pub(crate) fn new(code: &Code<'_>) -> Option<Self> {
        let statements = code.body.statements.len();
        let mut ssa = Self {
            values: Vec::new(),
            reads: vec![Vec::new(); statements],
            writes: vec![Vec::new(); statements],
            meets: vec![Vec::new(); code.cfg.blocks.len()],
        };
        ssa.place_meets(code)?;
        Naming { code, entry: vec![None; code.body.registers.len()], current: Vec::new() }.run(&mut ssa);
        Some(ssa)
    }

    /// The value of a register that a statement reads.
    pub(crate) fn read(&self, statement: usize, register: RegId) -> Option<ValueId> {
        self.reads[statement].iter().find(|(read, _)| *read == register).map(|(_, value)| *value)
    }

    /// All that a statement reads.
    pub(crate) fn all_read(&self, statement: usize) -> impl Iterator<Item = ValueId> {
        self.reads[statement].iter().map(|(_, value)| *value)
    }

    pub(crate) fn value(&self, value: ValueId) -> &Value {
        &self.values[value.index()]
    }

    /// The block in which a value is made; `None` of what is there from the beginning.
    pub(crate) fn block(&self, code: &Code<'_>, value: ValueId) -> Option<usize> {
        match &self.value(value).origin {
            Origin::Entry => None,
            Origin::Meet { block, .. } => Some(*block),
            Origin::Statement { at, .. } => Some(code.block_of(*at)),
        }
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = ValueId> + use<> {
        (0..self.values.len() as u32).map(ValueId)
    }

    fn add(&mut self, register: RegId, origin: Origin) -> ValueId {
        self.values.push(Value { register, origin });
        ValueId(self.values.len() as u32 - 1)
    }

    /// Adds the values that meet in blocks, without what comes from where.
    fn place_meets(&mut self, code: &Code<'_>) -> Option<()> {
        let registers = code.body.registers.len();
        let mut accesses = BlockAccesses::new(registers);
        let mut written: Vec<Vec<usize>> = vec![Vec::new(); registers];
        for block in code.order.iter().copied().collect::<std::collections::BTreeSet<_>>() {
            for (_, inst) in code.instructions(block) {
                code.body.for_each_register(inst, |register, role| {
                    if role.is_read() || keeps(code, inst, register) {
                        accesses.read(block, register.index());
                    }
                });
                code.body.for_each_register(inst, |register, role| {
                    if role.is_written() {
                        if written[register.index()].last() != Some(&block) {
                            written[register.index()].push(block);
                        }
                        if !keeps(code, inst, register) {
                            accesses.write(block, register.index());
                        }
                    }
                });
            }
        }
        let live = accesses.live_into(&code.cfg, MOST_POINTS);
        let frontiers = dominance_frontiers(&code.cfg, &code.immediate, MOST_FRONTIERS)?;
        for (register, (written, live)) in (0..).map(RegId).zip(written.into_iter().zip(live)) {
            if written.is_empty() || live.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            for block in meeting_blocks(&frontiers, written) {
                let is_live = live.as_ref().is_none_or(|blocks| {
                    u32::try_from(block).is_ok_and(|block| blocks.binary_search(&block).is_ok())
                });
                if is_live {
                    let value = self.add(register, Origin::Meet { block, from: Vec::new() });
                    self.meets[block].push(value);
                }
            }
            if self.values.len() > MOST_MEETS {
                return None;
            }
        }
        Some(())
    }
}

/// The blocks where values of a register that these blocks write may meet.
fn meeting_blocks(frontiers: &[Vec<usize>], written: Vec<usize>) -> Vec<usize> {
    let mut found = std::collections::BTreeSet::new();
    let mut pending = written;
    while let Some(block) = pending.pop() {
        pending.extend(frontiers[block].iter().copied().filter(|meeting| found.insert(*meeting)));
    }
    found.into_iter().collect()
}

/// The walk over the dominator tree that gives reads their values.
struct Naming<'c, 'm> {
    code: &'c Code<'m>,
    /// The values from the beginning, made when they are first read.
    entry: Vec<Option<ValueId>>,
    /// The value of each register here.
    current: Vec<Option<ValueId>>,
}

/// A step of the walk.
enum Step {
    Enter(usize),
    /// Takes back what a block and those below it wrote.
    Leave(Vec<(RegId, Option<ValueId>)>),
}

impl Naming<'_, '_> {
    fn run(mut self, ssa: &mut Ssa) {
        let code = self.code;
        self.current = vec![None; code.body.registers.len()];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); code.cfg.blocks.len()];
        for &block in &code.order {
            if let Some(above) = code.immediate[block].filter(|above| *above != block) {
                children[above].push(block);
            }
        }
        let mut steps: Vec<Step> = code.order.first().map(|entry| Step::Enter(*entry)).into_iter().collect();
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave(old) => {
                    for (register, value) in old.into_iter().rev() {
                        self.current[register.index()] = value;
                    }
                }
                Step::Enter(block) => {
                    let old = self.name_block(ssa, block);
                    steps.push(Step::Leave(old));
                    steps.extend(children[block].iter().map(|below| Step::Enter(*below)));
                }
            }
        }
    }

    fn name_block(&mut self, ssa: &mut Ssa, block: usize) -> Vec<(RegId, Option<ValueId>)> {
        let mut old = Vec::new();
        for value in ssa.meets[block].clone() {
            let register = ssa.value(value).register;
            old.push((register, self.current[register.index()].replace(value)));
        }
        for (at, inst) in self.code.instructions(block) {
            let (mut read, mut written) = (Vec::new(), Vec::new());
            self.code.body.for_each_register(inst, |register, role| {
                if role.is_read() {
                    read.push(register);
                }
                if role.is_written() {
                    written.push(register);
                }
            });
            for register in read {
                let value = self.here(ssa, register);
                ssa.reads[at].push((register, value));
            }
            for register in written {
                let before = keeps(self.code, inst, register).then(|| self.here(ssa, register));
                let value = ssa.add(register, Origin::Statement { at, old: before });
                ssa.writes[at].push(value);
                old.push((register, self.current[register.index()].replace(value)));
            }
        }
        let mut met: Vec<BlockId> = self.code.cfg.blocks[block].successors.clone();
        met.sort_unstable();
        met.dedup();
        for successor in met {
            for value in ssa.meets[successor.index()].clone() {
                let here = self.here(ssa, ssa.value(value).register);
                if let Origin::Meet { from, .. } = &mut ssa.values[value.index()].origin {
                    from.push((block, here));
                }
            }
        }
        old
    }

    /// The value of a register here.
    fn here(&mut self, ssa: &mut Ssa, register: RegId) -> ValueId {
        let at = register.index();
        if let Some(value) = self.current[at].or(self.entry[at]) {
            return value;
        }
        let value = ssa.add(register, Origin::Entry);
        self.entry[at] = Some(value);
        value
    }
}
