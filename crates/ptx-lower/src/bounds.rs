//! Bounded indices: sums with the address of a variable that stay in it for all inputs.
//!
//! [`Bounds::is_inside`] computes whether a sum is inside of the variable, or one past its end. Bounds are upper bounds of nonnegative numbers;
//! they are found by a walk back over at most `MOST_STEPS` instructions, and never through a phi, so that no fixed point is needed.
//!
//! `and.b32 %r2, %r1, 8; mad.wide.u32 %rd2, %r2, 8, %rd1` is at most 64 bytes from `%rd1`, wherever `%r1` comes from.

use ptx_ir::{Body, Inst, Module, Operand, Symbol};
use ptx_isa::{ArithSem, BitsSem, CompareSem, Field, MemorySem, Mod, MoveSem, ScalarType, Sem, TypeKind};

use crate::analysis::Analysis;
use crate::flow::instruction;
use crate::ssa::{Def, ValueId};

/// How many instructions back an index or an address is followed.
const MOST_STEPS: u32 = 8;
/// Larger bounds are not used: below this no sum or product of 32 bits wraps or is negative.
const GREATEST: u64 = (1 << 31) - 1;

/// The body whose sums are analysed.
pub(crate) struct Bounds<'a> {
    pub(crate) module: &'a Module,
    pub(crate) body: &'a Body,
    pub(crate) analysis: &'a Analysis,
}

impl Bounds<'_> {
    /// Whether a sum is an address in the variable whose address is a term, or the one past its end.
    pub(crate) fn is_inside(&self, statement: usize, inst: &Inst) -> bool {
        let operands = self.body.operands(inst);
        let operand = |at: usize| operands.get(at).copied().unwrap_or(Operand::Omitted);
        let room = |at: usize| self.room(statement, operand(at), MOST_STEPS);
        let most = |at: usize| self.most(statement, operand(at), MOST_STEPS);
        // `sub` is left out: the difference of an address and a number from zero up can leave the variable at its beginning.
        let (room, most) = match inst.mnemonic.sem() {
            Sem::Arith(ArithSem::Add) => match room(1) {
                Some(room) => (Some(room), most(2)),
                None => (room(2), most(1)),
            },
            Sem::Arith(ArithSem::Mad) => {
                let factor = |at: usize| most(at).filter(|most| is_factor(inst, *most));
                let product = factor(1).zip(factor(2)).and_then(|(a, b)| a.checked_mul(b));
                (room(3), product.filter(|most| *most <= GREATEST))
            }
            _ => (None, None),
        };
        room.zip(most).is_some_and(|(room, most)| most <= room)
    }

    /// The number of bytes of a variable from an address on.
    fn room(&self, statement: usize, operand: Operand, steps: u32) -> Option<u64> {
        let (statement, inst) = self.definition(statement, operand)?;
        if !matches!(inst.mnemonic.sem(), Sem::Move(MoveSem::Mov | MoveSem::Cvta)) || steps == 0 {
            return None;
        }
        let operands = self.body.operands(inst);
        // Not the parts of an address.
        if !matches!(operands.first(), Some(Operand::Register(to)) if self.body.decl(*to).shape.lanes() == 1)
        {
            return None;
        }
        match operands.get(1).copied()? {
            Operand::Symbol(Symbol::Variable(var), offset) => {
                let bytes = self.module.variable(var).bytes()?;
                bytes.checked_sub(u64::try_from(offset).ok()?)
            }
            source @ Operand::Register(_) => self.room(statement, source, steps - 1),
            _ => None,
        }
    }

    /// The instruction that defines an operand.
    fn definition(&self, statement: usize, operand: Operand) -> Option<(usize, &Inst)> {
        match &self.analysis.ssa.values.get(self.value(statement, operand)?.index())?.def {
            Def::Statement(statement) => Some((*statement, instruction(self.body, *statement)?)),
            Def::Undefined | Def::Phi(..) => None,
        }
    }

    fn value(&self, statement: usize, operand: Operand) -> Option<ValueId> {
        let Operand::Register(register) = operand else { return None };
        if self.body.decl(register).shape.lanes() > 1 {
            return None;
        }
        self.analysis.ssa.read(statement, self.analysis.slots.lane(register, 0))
    }

    /// The largest value of an operand, when it is known and small.
    fn most(&self, statement: usize, operand: Operand, steps: u32) -> Option<u64> {
        if let Operand::Immediate(immediate) = operand {
            return immediate.as_integer().filter(|number| *number <= GREATEST);
        }
        let (statement, inst) = self.definition(statement, operand)?;
        let steps = steps.checked_sub(1)?;
        let operands = self.body.operands(inst);
        let source = |at: usize| operands.get(at).copied().unwrap_or(Operand::Omitted);
        let most = |at: usize| self.most(statement, source(at), steps);
        let amount = || most(2).and_then(|by| u32::try_from(by).ok()).filter(|by| *by < 32);
        let ty = inst.mnemonic.scalar_type();
        let is_unsigned = ty.is_some_and(|ty| !ty.is_signed());
        let computes = !matches!(
            inst.mnemonic.sem(),
            Sem::Move(MoveSem::Mov | MoveSem::Cvt) | Sem::Memory(MemorySem::Load)
        );
        if computes && !ty.is_some_and(|ty| ty.is_integer_or_bits() && ty.kind() != TypeKind::Packed) {
            return None;
        }
        let bound = match inst.mnemonic.sem() {
            Sem::Move(MoveSem::Mov) => most(1),
            Sem::Move(MoveSem::Cvt) => self.converted(inst, most(1)),
            Sem::Memory(MemorySem::Load)
                if operands.first().is_some_and(|to| matches!(to, Operand::Register(_))) =>
            {
                ty.filter(|_| is_unsigned).and_then(width_bound)
            }
            Sem::Compare(CompareSem::Selp) => most(1).zip(most(2)).map(|(a, b)| a.max(b)),
            // `and` and unsigned `min` are bounded by either operand alone, all others need both.
            Sem::Bits(BitsSem::And) => match (most(1), most(2)) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (one, other) => one.or(other),
            },
            Sem::Arith(ArithSem::Add) if !inst.mnemonic.has(Mod::Sat) => {
                most(1).zip(most(2)).map(|(a, b)| a + b)
            }
            Sem::Bits(BitsSem::Shl) => most(1).zip(amount()).map(|(bits, by)| bits << by),
            Sem::Bits(BitsSem::Shr) if is_unsigned => {
                let all = u64::MAX >> (64 - ty?.bits().clamp(1, 64));
                amount().map(|by| most(1).unwrap_or(all) >> by)
            }
            Sem::Arith(ArithSem::Mul) if inst.mnemonic.get(Field::Part) != Some(Mod::Hi) => {
                let factor = |at: usize| most(at).filter(|most| is_factor(inst, *most));
                factor(1).zip(factor(2)).map(|(a, b)| a.saturating_mul(b))
            }
            // The result of a division by zero is unspecified.
            Sem::Arith(ArithSem::Rem) if is_unsigned => match source(2) {
                Operand::Immediate(by) => by.as_integer().and_then(|by| by.checked_sub(1)),
                _ => None,
            },
            Sem::Arith(ArithSem::Min) if is_unsigned => match (most(1), most(2)) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (one, other) => one.or(other),
            },
            // Of other meanings no bound is known, which is always correct.
            _ => None,
        };
        // A result above the largest positive number of its type may have wrapped, or be read as negative. A load of `.u8` or `.u16` cannot have
        // wrapped: it may fill 16 bits, and `converted` and `is_factor` check how it is read.
        let width = inst.mnemonic.operand_type(0).or(ty)?.bits();
        let greatest = if width <= 16 { (1 << width.saturating_sub(1)) - 1 } else { GREATEST };
        let is_narrow_load = inst.mnemonic.sem() == Sem::Memory(MemorySem::Load);
        bound.filter(|most| is_narrow_load || *most <= greatest)
    }

    /// The bound after a conversion between integers: small numbers are unchanged, conversions to narrow unsigned types truncate.
    fn converted(&self, inst: &Inst, most: Option<u64>) -> Option<u64> {
        let (to, from) = (inst.mnemonic.type_of(Field::DType)?, inst.mnemonic.type_of(Field::AType)?);
        if !to.is_integer_or_bits() || !from.is_integer_or_bits() || to.bits() < 32 {
            return None;
        }
        let narrow = width_bound(from).filter(|_| !from.is_signed());
        let most = match (most, narrow) {
            (Some(most), Some(narrow)) => Some(most.min(narrow)),
            (one, other) => one.or(other),
        };
        let fits = from.bits() >= 32 || !from.is_signed();
        most.filter(|_| fits)
    }
}

/// The largest number of a narrow type.
fn width_bound(ty: ScalarType) -> Option<u64> {
    matches!(ty.bits(), 8 | 16).then(|| (1 << ty.bits()) - 1)
}

/// Whether a product reads a number of at most this value unchanged: `mul.wide.s16` reads a result of `ld.u16` above 32767 as negative.
fn is_factor(inst: &Inst, most: u64) -> bool {
    let is_short = inst.mnemonic.scalar_type().is_some_and(|ty| ty.is_signed() && ty.bits() == 16);
    !is_short || most < 1 << 15
}
