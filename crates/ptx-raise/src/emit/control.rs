//! Branches, switches and returns (manual 9.7.12).

use ptx_ir::{AddressBase, At, Guard, LabelKind, LabelTarget, Operand, Stmt, Symbol};
use ptx_isa::{Mnemonic, Mod, ptx};
use ptx_llvm_core::view::{BlockId, ConstId, InstId, IntPredicate, Op, Value};

use super::append::Arg;
use super::state::Emitter;
use crate::cover::Action;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::signature::Passing;
use crate::style::Names;
use crate::types::{Class, Scalar};
use crate::value::block_number;
use crate::value::{Fill, Val, mask};

/// A switch becomes a table of targets when it has at least this many cases,
const TABLE_CASES: usize = 4;
/// and the table at most this many entries a case.
const TABLE_SPARSENESS: u64 = 2;
/// `brx.idx` (manual 9.7.12.4).
const INDEXED_BRANCH: Mnemonic = ptx!("brx.idx");

impl Emitter<'_, '_, '_> {
    /// The end of a block.
    pub(super) fn terminator(&mut self, id: InstId) -> Result<()> {
        let function = self.function;
        if let Op::Invoke { call, .. } = &function.inst(id).op {
            self.call(id, call)?;
        }
        self.write_phis()?;
        match &function.inst(id).op {
            Op::Ret { value } => self.give_back(*value),
            Op::Br { target } | Op::Invoke { normal: target, .. } => self.branch(id, *target),
            Op::CondBr { cond, then, other } => self.branch_either(id, *cond, *then, *other),
            Op::Switch { value, default, cases } => self.switch(*value, *default, cases),
            Op::IndirectBr { address, targets } => self.indirect_branch(*address, targets),
            Op::Unreachable => self.unreachable(),
            _ => Ok(()),
        }
    }

    /// `ret`, after the result is in its variable.
    fn give_back(&mut self, value: Option<Value>) -> Result<()> {
        if let (Some(value), Some(_)) = (value, &self.signature.registers) {
            let leaves = self.value_leaves(value)?;
            let values = self.value(value)?;
            for ((leaf, value), register) in
                leaves.iter().zip(values.iter()).zip(self.frame.register_results.clone())
            {
                self.copy_to(register, *value, leaf.scalar)?;
            }
            return self.emit(ptx!("ret"), &[]);
        }
        let there = matches!(value, Some(Value::Inst(load)) if matches!(self.cover.action(load), Some(Action::ResultInPlace)));
        if let (Some(value), Some(variable), Some(passing), false) =
            (value, self.frame.result, self.signature.result.clone(), there)
        {
            let ty = self.value_type(value)?;
            let address = Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), 0);
            match passing {
                Passing::Scalar(passed) => {
                    let (leaves, values) = (self.leaves(ty)?, self.value(value)?);
                    if let (Some(leaf), Some(&value)) = (leaves.first(), values.first()) {
                        let fill = Fill::of(self.function.ret_attributes.has("signext"));
                        self.store_param(address, passed, value, leaf.scalar, fill)?;
                    }
                }
                Passing::Bytes { align, .. } => {
                    let values = self.defined(value)?;
                    self.store_passed(ty, &values, address, u64::from(align))?;
                }
            }
        }
        self.emit(ptx!("ret"), &[])
    }

    /// Whether `!ptx.mods` kept `.uni`.
    fn uniform(&self, id: InstId) -> bool {
        self.hints(id).contains(&Mod::Uni)
    }

    /// The block that follows in the text.
    fn next(&self) -> Option<BlockId> {
        self.blocks.following.get(&self.blocks.current).copied()
    }

    /// Whether a block is part of the result.
    fn is_emitted(&self, block: BlockId) -> bool {
        self.blocks.emitted.contains(&block)
    }

    fn target(&mut self, block: BlockId) -> Operand {
        self.blocks.targets.insert(block);
        Operand::Label(self.blocks.labels[block.index()])
    }

    fn branch(&mut self, id: InstId, target: BlockId) -> Result<()> {
        // In debug code each jump of the PTX is a location for breakpoints, even one to the next block; in other code it is only
        // preserved like names are.
        let as_written = self.module.target.is_debugging()
            || self.source.was_ptx && self.module.style.names == Names::Values;
        let kept = as_written && !self.hints(id).is_empty();
        if self.next() == Some(target) && !kept {
            return Ok(());
        }
        let uniform = self.hints(id).is_empty() || self.uniform(id);
        let label = self.target(target);
        self.emit(jump(uniform), &[label.into()])
    }

    fn branch_either(&mut self, id: InstId, cond: Value, then: BlockId, other: BlockId) -> Result<()> {
        let (cond, _) = self.scalar(cond)?;
        if let Val::Bits(bits) = cond {
            return self.branch(id, if bits & 1 == 1 { then } else { other });
        }
        if then == other {
            return self.branch(id, then);
        }
        let register = self.in_register(cond, Scalar::Int(1))?;
        let next = self.next();
        let jump = jump(self.uniform(id));
        // A branch around one to where the thread ends: ptxas saves a register less across the calls before it than for a branch
        // there.
        let around = self.ends_thread(other) && !self.module.target.is_debugging();
        if next == Some(then) && !around {
            let label = self.target(other);
            return self.emit_guarded(Some(Guard { register, negated: true }), jump, &[label.into()]);
        }
        let label = self.target(then);
        self.emit_guarded(Some(Guard { register, negated: false }), jump, &[label.into()])?;
        if next == Some(other) {
            return Ok(());
        }
        let label = self.target(other);
        self.emit(ptx!("bra.uni"), &[label.into()])
    }

    /// Whether control does not leave a block.
    fn ends_thread(&self, block: BlockId) -> bool {
        let last = self.function.block(block).inst_ids().last();
        last.is_some_and(|last| matches!(self.function.inst(last).op, Op::Unreachable))
    }

    /// A table of targets if the cases are dense, else a sequence of comparisons.
    fn switch(&mut self, value: Value, default: BlockId, cases: &[(ConstId, BlockId)]) -> Result<()> {
        let leaves = self.value_leaves(value)?;
        let values = self.value(value)?;
        let dead_default = !self.is_emitted(default);
        let [leaf] = &*leaves else { return self.wide_switch(value, default, cases) };
        let (scalar, value) = (leaf.scalar, values.first().copied().unwrap_or(Val::Bits(0)));
        let mut numbers = Vec::with_capacity(cases.len());
        for (case, target) in cases {
            let number = self.module.view.constant(*case).as_u64();
            numbers.push((
                number.ok_or_else(|| RaiseError::new(INSTRUCTION, "a case that is not a number"))?,
                *target,
            ));
        }
        if let Val::Bits(bits) = value {
            let taken =
                numbers.iter().find(|(number, _)| *number == bits).map_or(default, |(_, target)| *target);
            return if self.is_emitted(taken) { self.jump(taken) } else { self.emit(ptx!("trap"), &[]) };
        }
        if let Some((low, table)) = self.table(&numbers, default, dead_default) {
            return self.table_switch(value, scalar, low, &table, default, dead_default);
        }
        let last = numbers.len();
        for (at, (number, target)) in numbers.iter().enumerate() {
            if dead_default && at + 1 == last {
                return self.jump(*target);
            }
            // The last case falls through where its block follows.
            let through = at + 1 == last && self.next() == Some(*target);
            let (predicate, target) =
                if through { (IntPredicate::Ne, default) } else { (IntPredicate::Eq, *target) };
            let taken = self.compare_ints(predicate, value, Val::Bits(*number), scalar)?;
            let taken = self.in_register(taken, Scalar::Int(1))?;
            let label = self.target(target);
            self.emit_guarded(Some(Guard { register: taken, negated: false }), ptx!("bra"), &[label.into()])?;
            if through {
                return Ok(());
            }
        }
        if dead_default { self.emit(ptx!("trap"), &[]) } else { self.jump(default) }
    }

    fn jump(&mut self, target: BlockId) -> Result<()> {
        if self.next() == Some(target) {
            return Ok(());
        }
        let label = self.target(target);
        self.emit(ptx!("bra.uni"), &[label.into()])
    }

    /// The lowest case and the target of every number from there on, when a table is worth it.
    fn table(
        &self,
        cases: &[(u64, BlockId)],
        default: BlockId,
        dead_default: bool,
    ) -> Option<(u64, Vec<BlockId>)> {
        let low = cases.iter().map(|(number, _)| *number).min()?;
        let high = cases.iter().map(|(number, _)| *number).max()?;
        let size = (high - low).checked_add(1)?;
        let dense = size <= (cases.len() as u64).saturating_mul(TABLE_SPARSENESS);
        let complete = size == cases.len() as u64;
        if cases.len() < TABLE_CASES
            || !dense
            || !self.module.target.supports(INDEXED_BRANCH)
            || (dead_default && !complete)
        {
            return None;
        }
        let mut table = vec![default; usize::try_from(size).ok()?];
        for (number, target) in cases {
            *table.get_mut((number - low) as usize)? = *target;
        }
        Some((low, table))
    }

    fn table_switch(
        &mut self,
        value: Val,
        scalar: Scalar,
        low: u64,
        table: &[BlockId],
        default: BlockId,
        dead_default: bool,
    ) -> Result<()> {
        let wide = scalar.class() == Class::B64;
        let class = if wide { Class::B64 } else { Class::B32 };
        let mut index = self.extended(value, scalar, class.bits(), Fill::Zero)?;
        if low != 0 {
            let sub = if wide { ptx!("sub.s64") } else { ptx!("sub.s32") };
            index = self.compute(sub, &[index.into(), Arg::Bits(low, class.bits())])?;
            if scalar.bits() < 32 {
                let kept = Arg::Bits(mask(scalar.bits()), 32);
                index = self.compute(ptx!("and.b32"), &[index.into(), kept])?;
            }
        }
        if !dead_default {
            let compare = if wide { ptx!("setp.gt.u64") } else { ptx!("setp.gt.u32") };
            let last = Arg::Bits(table.len() as u64 - 1, class.bits());
            let over = self.compute(compare, &[index.into(), last])?;
            let label = self.target(default);
            self.emit_guarded(Some(Guard { register: over, negated: false }), ptx!("bra"), &[label.into()])?;
        }
        if wide {
            index = self.resized(index, Class::B64, Class::B32)?;
        }
        let targets = table
            .iter()
            .map(|&block| {
                self.blocks.targets.insert(block);
                LabelTarget { label: self.blocks.labels[block.index()], at: At::default() }
            })
            .collect();
        let name = format!("$L_brx_{}_{}", self.id.index(), self.blocks.current.index());
        let name = self.module.ir.strings.intern(&name);
        let list = self.builder.new_label(name, LabelKind::BranchTargets);
        self.push(Stmt::BranchTargets(list, targets));
        self.emit(ptx!("brx.idx"), &[index.into(), Operand::Label(list).into()])
    }

    /// `indirectbr`: the addresses of blocks are their numbers ([`block_number`]), so the branch is a table over the
    /// numbers of its targets. Other numbers are undefined behaviour, and go where the first target is.
    fn indirect_branch(&mut self, address: Value, targets: &[BlockId]) -> Result<()> {
        let numbers = || targets.iter().map(|&block| block_number(block));
        let (Some(low), Some(high), Some(&first)) = (numbers().min(), numbers().max(), targets.first())
        else {
            return self.emit(ptx!("trap"), &[]);
        };
        let mut table = vec![first; (high - low) as usize + 1];
        for &block in targets {
            if let Some(place) = table.get_mut((block_number(block) - low) as usize) {
                *place = block;
            }
        }
        let (address, scalar) = self.scalar(address)?;
        let bits = scalar.class().bits();
        let number = Val::reg(self.in_register(address, scalar)?);
        if self.module.target.supports(INDEXED_BRANCH) {
            return self.table_switch(number, Scalar::Int(bits), low, &table, first, true);
        }
        for &block in targets.iter().skip(1) {
            let here = Val::Bits(block_number(block));
            let equal = self.compare_ints(IntPredicate::Eq, number, here, Scalar::Int(bits))?;
            let equal = self.in_register(equal, Scalar::Int(1))?;
            let label = self.target(block);
            self.emit_guarded(Some(Guard { register: equal, negated: false }), ptx!("bra"), &[label.into()])?;
        }
        self.jump(first)
    }

    fn wide_switch(&mut self, value: Value, default: BlockId, cases: &[(ConstId, BlockId)]) -> Result<()> {
        let view = self.module.view;
        let bits = match view.ty(self.value_type(value)?) {
            ptx_llvm_core::view::Type::Int { bits } => *bits,
            _ => return Err(RaiseError::new(INSTRUCTION, "a switch on something that is not an integer")),
        };
        let values = self.value(value)?;
        let words = self.full_words(&values, bits, Fill::Zero)?;
        for (case, target) in cases {
            let case = self.constant(*case, 0)?;
            let case = self.full_words(&case, bits, Fill::Zero)?;
            let equal = self.wide_compare(IntPredicate::Eq, &words, &case)?;
            let equal = self.in_register(equal, Scalar::Int(1))?;
            let label = self.target(*target);
            self.emit_guarded(Some(Guard { register: equal, negated: false }), ptx!("bra"), &[label.into()])?;
        }
        if self.is_emitted(default) { self.jump(default) } else { self.emit(ptx!("trap"), &[]) }
    }

    /// Unreachable code: empty after an instruction that ends the thread, `exit` otherwise, so that control does not fall
    /// through to the next block. `ptxas` assumes that control continues after `trap`, and keeps values alive that the next
    /// block uses.
    fn unreachable(&mut self) -> Result<()> {
        let last = self.builder.body().statements.iter().rev().find_map(|stmt| match stmt {
            Stmt::Inst(inst) => Some(inst.mnemonic.effects().terminator && inst.guard.is_none()),
            _ => None,
        });
        if last == Some(true) { Ok(()) } else { self.emit(ptx!("exit"), &[]) }
    }
}

/// A jump, by all threads that are together or not.
const fn jump(uniform: bool) -> Mnemonic {
    if uniform { ptx!("bra.uni") } else { ptx!("bra") }
}
