//! What values are, as sums of products.

pub(crate) mod evaluate;
mod induction;
mod known_bits;

use ptx_ir::{AddressBase, Immediate, Inst, Operand, RegId, Symbol, VarId};
use ptx_isa::{
    ArithSem, BitsSem, Component, Field, MemorySem, Mod, MoveSem, ScalarType, Sem, SpecialReg, StateSpace,
};
use rustc_hash::FxHashMap;

use crate::code::Code;
use crate::operation::{Operation, OperationKind, operate};
use crate::polynomial::{Atom, OperationId, Polynomial};
use crate::ssa::{Origin, Ssa, ValueId};

/// More operations in each other are not looked into.
const MOST_OPERATIONS: usize = 24;

/// What all values of a function are.
pub(crate) struct Values<'c, 'm> {
    pub(crate) code: &'c Code<'m>,
    pub(crate) ssa: &'c Ssa,
    block: Option<[u32; 3]>,
    polynomials: Vec<Polynomial>,
    operations: Vec<Operation>,
    /// Of each operation, how many there are in it, itself included and each as often as it occurs.
    sizes: Vec<usize>,
    known: FxHashMap<Operation, OperationId>,
}

impl<'c, 'm> Values<'c, 'm> {
    /// `block` are the threads of a block, if they are known.
    pub(crate) fn new(code: &'c Code<'m>, ssa: &'c Ssa, block: Option<[u32; 3]>) -> Self {
        let own = ssa.ids().map(|value| Polynomial::atom(Atom::Value(value))).collect();
        let mut values = Self {
            code,
            ssa,
            block,
            polynomials: own,
            operations: Vec::new(),
            sizes: Vec::new(),
            known: FxHashMap::default(),
        };
        // What a loop adds to a value is known after the first pass.
        values.pass(&FxHashMap::default());
        let steps = values.steps();
        if !steps.is_empty() {
            values.pass(&steps);
        }
        values
    }

    /// What a value is, where it is made.
    pub(crate) fn of(&self, value: ValueId) -> &Polynomial {
        &self.polynomials[value.index()]
    }

    pub(crate) fn operation(&self, id: OperationId) -> &Operation {
        &self.operations[id.0]
    }

    /// What a register is where a statement reads it.
    pub(crate) fn read(&self, statement: usize, register: RegId) -> Option<Polynomial> {
        let value = self.ssa.read(statement, register)?;
        Some(self.seen(value, self.code.block_of(statement)))
    }

    /// An address in brackets, where a statement uses it.
    pub(crate) fn address(&self, statement: usize, operand: Operand) -> Option<Polynomial> {
        let (base, offset) = match operand {
            Operand::Address(AddressBase::Register(register), offset) => {
                (self.read(statement, register)?, offset)
            }
            Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), offset) => {
                (Polynomial::atom(Atom::Address(variable)), offset)
            }
            Operand::Address(AddressBase::Absolute, offset) => (Polynomial::default(), offset),
            Operand::Register(register) => (self.read(statement, register)?, 0),
            Operand::Sum(register, offset) => (self.read(statement, register)?, offset),
            _ => return None,
        };
        base.plus(&Polynomial::constant(offset))
    }

    /// What a value is in a block: what changes in a loop that the block is not in is what it was last.
    fn seen(&self, value: ValueId, block: usize) -> Polynomial {
        let own = self.of(value);
        let is_here = |number: usize| self.code.loops.contains(number, block);
        let in_loops_of = |value: ValueId| match self.ssa.block(self.code, value) {
            Some(made) => self.code.loops.around(made).all(is_here),
            None => true,
        };
        let changed = own.replaced(&mut |atom| {
            Polynomial::atom(match atom {
                Atom::Iteration(number) if !is_here(number) => Atom::Finished(number),
                Atom::Value(value) if !in_loops_of(value) => Atom::Left(value),
                // What is in it may change in the loop.
                Atom::Operation(id) if self.changes(id, &is_here, &in_loops_of) => Atom::Left(value),
                atom => atom,
            })
        });
        match changed {
            Some(changed) if !changed.atoms().any(|atom| atom == Atom::Left(value)) => changed,
            _ => Polynomial::atom(if in_loops_of(value) { Atom::Value(value) } else { Atom::Left(value) }),
        }
    }

    fn changes(
        &self,
        id: OperationId,
        is_here: &impl Fn(usize) -> bool,
        in_loops_of: &impl Fn(ValueId) -> bool,
    ) -> bool {
        self.operation(id).sources.iter().flat_map(Polynomial::atoms).any(|atom| match atom {
            Atom::Iteration(number) => !is_here(number),
            Atom::Value(value) => !in_loops_of(value),
            Atom::Operation(id) => self.changes(id, is_here, in_loops_of),
            Atom::Special(..)
            | Atom::Parameter(..)
            | Atom::Address(_)
            | Atom::Finished(_)
            | Atom::Left(_) => false,
        })
    }

    /// Computes all values, in order; `steps` has what loops add to values that meet at their beginning.
    fn pass(&mut self, steps: &FxHashMap<ValueId, (usize, Polynomial)>) {
        let (code, ssa) = (self.code, self.ssa);
        for &block in &code.order {
            for &value in &ssa.meets[block] {
                let found = match steps.get(&value) {
                    Some((number, step)) => self.induction(value, *number, step),
                    None => self.same_from_everywhere(value),
                };
                if let Some(found) = found {
                    self.polynomials[value.index()] = found;
                }
            }
            for (at, inst) in code.instructions(block) {
                if let [value] = ssa.writes[at].as_slice()
                    && matches!(ssa.value(*value).origin, Origin::Statement { old: None, .. })
                    && let Some(found) = self.computed(at, inst)
                {
                    self.polynomials[value.index()] = found;
                }
            }
        }
    }

    /// What meets in a block, if it is the same from all predecessors and does not change in a loop.
    fn same_from_everywhere(&self, value: ValueId) -> Option<Polynomial> {
        let Origin::Meet { block, from } = &self.ssa.value(value).origin else { return None };
        if self.code.loops.headed_by(*block).is_some() {
            return None;
        }
        let mut all = from.iter().map(|(_, from)| self.seen(*from, *block));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// What an instruction with one result computes.
    fn computed(&mut self, at: usize, inst: &Inst) -> Option<Polynomial> {
        let operands = self.code.body.operands(inst);
        let mnemonic = &inst.mnemonic;
        let ty = mnemonic.scalar_type();
        match (mnemonic.sem(), operands) {
            (Sem::Move(MoveSem::Mov | MoveSem::Cvta), [_, from]) => self.source(at, *from, ty),
            (Sem::Move(MoveSem::Cvt), [_, from, ..]) => self.converted(at, inst, *from),
            (
                Sem::Memory(MemorySem::Load),
                [_, Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), offset), ..],
            ) if self.is_kernel_parameter(*variable) && mnemonic.get(Field::Vec).is_none() => {
                Some(Polynomial::atom(Atom::Parameter(*variable, *offset)))
            }
            (Sem::Arith(sem), [_, sources @ ..]) if ty.is_some_and(ScalarType::is_integer_or_bits) => {
                self.arithmetic(at, inst, sem, sources)
            }
            (Sem::Bits(sem), [_, sources @ ..]) => self.bits(at, inst, sem, sources),
            _ => None,
        }
    }

    fn is_kernel_parameter(&self, variable: VarId) -> bool {
        self.code.is_kernel() && self.code.function.params.contains(&ptx_ir::Param::Variable(variable))
    }

    /// A source of an instruction.
    fn source(&self, at: usize, operand: Operand, ty: Option<ScalarType>) -> Option<Polynomial> {
        match operand {
            Operand::Register(register) => self.read(at, register),
            Operand::Sum(register, constant) => {
                self.read(at, register)?.plus(&Polynomial::constant(constant))
            }
            Operand::Special(special, component) => Some(self.special(special, component)),
            Operand::SpecialSum(special, constant) => {
                self.special(special, None).plus(&Polynomial::constant(constant))
            }
            Operand::Immediate(immediate) => integer(immediate, ty).map(Polynomial::constant),
            Operand::Symbol(Symbol::Variable(variable), offset) => {
                Polynomial::atom(Atom::Address(variable)).plus(&Polynomial::constant(offset))
            }
            _ => None,
        }
    }

    fn special(&self, special: SpecialReg, component: Option<Component>) -> Polynomial {
        let extent = component.zip(self.block).and_then(|(component, block)| match component {
            Component::W => None,
            _ => block.get(component.index()).copied(),
        });
        match (special, extent) {
            (SpecialReg::Ntid, Some(extent)) => Polynomial::constant(extent.into()),
            (SpecialReg::Tid, Some(1)) => Polynomial::default(),
            _ => Polynomial::atom(Atom::Special(special, component)),
        }
    }

    /// A conversion between integers that keeps the value.
    fn converted(&self, at: usize, inst: &Inst, from: Operand) -> Option<Polynomial> {
        let (to, ty) = (inst.mnemonic.type_of(Field::DType)?, inst.mnemonic.type_of(Field::AType)?);
        if !to.is_integer_or_bits() || !ty.is_integer_or_bits() || inst.mnemonic.get(Field::Sat).is_some() {
            return None;
        }
        let value = self.source(at, from, Some(ty))?;
        // A narrow number may have been cut off; a negative one with zeros above it is another one.
        let keeps = to.bits().min(ty.bits()) >= 32
            && (ty.is_signed() || to.bits() <= ty.bits() || !self.may_be_negative(&value));
        keeps.then_some(value)
    }

    fn arithmetic(
        &mut self,
        at: usize,
        inst: &Inst,
        sem: ArithSem,
        sources: &[Operand],
    ) -> Option<Polynomial> {
        let ty = inst.mnemonic.scalar_type()?;
        if inst.mnemonic.get(Field::Sat).is_some()
            || inst.mnemonic.has(Mod::Hi)
            || inst.mnemonic.has(Mod::Sat)
        {
            return None;
        }
        let is_wide = inst.mnemonic.has(Mod::Wide);
        if ty.bits() < 32 && !is_wide {
            return None;
        }
        let source = |this: &Self, index: usize| this.source(at, *sources.get(index)?, Some(ty));
        let product = |this: &Self| {
            let (a, b) = (source(this, 0)?, source(this, 1)?);
            let is_changed =
                is_wide && !ty.is_signed() && (this.may_be_negative(&a) || this.may_be_negative(&b));
            if is_changed { None } else { a.times(&b) }
        };
        match sem {
            ArithSem::Add => source(self, 0)?.plus(&source(self, 1)?),
            ArithSem::Sub => source(self, 0)?.minus(&source(self, 1)?),
            ArithSem::Neg => source(self, 0)?.times_constant(-1),
            ArithSem::Mul => product(self),
            ArithSem::Mad => {
                let added = self.source(at, *sources.get(2)?, Some(ty))?;
                product(self)?.plus(&added)
            }
            ArithSem::Div | ArithSem::Rem | ArithSem::Min | ArithSem::Max => {
                let kind = match sem {
                    ArithSem::Div => OperationKind::Divide,
                    ArithSem::Rem => OperationKind::Remainder,
                    ArithSem::Min => OperationKind::Min,
                    _ => OperationKind::Max,
                };
                let sources = [source(self, 0)?, source(self, 1)?];
                self.operate(Operation { kind, sources, bits: ty.bits(), is_signed: ty.is_signed() })
            }
            _ => None,
        }
    }

    fn bits(&mut self, at: usize, inst: &Inst, sem: BitsSem, sources: &[Operand]) -> Option<Polynomial> {
        let ty = inst.mnemonic.scalar_type()?;
        if ty.bits() < 32 {
            return None;
        }
        let first = self.source(at, *sources.first()?, Some(ty))?;
        let second = self.source(at, *sources.get(1)?, Some(ty))?;
        let operation = |kind| Operation {
            kind,
            sources: [first.clone(), second.clone()],
            bits: ty.bits(),
            is_signed: ty.is_signed(),
        };
        match sem {
            BitsSem::Shl => match second.as_constant() {
                Some(by @ 0..=31) => first.times_constant(1 << by),
                _ => None,
            },
            BitsSem::Shr => match second.as_constant() {
                Some(0..=63) => self.operate(operation(OperationKind::ShiftRight)),
                _ => None,
            },
            BitsSem::And => self.operate(operation(OperationKind::And)),
            // Where no bit is in both, it is the sum.
            BitsSem::Or | BitsSem::Xor if self.bits_of(&first) & self.bits_of(&second) == 0 => {
                first.plus(&second)
            }
            BitsSem::Or => self.operate(operation(OperationKind::Or)),
            BitsSem::Xor => self.operate(operation(OperationKind::Xor)),
            BitsSem::Bfe if !ty.is_signed() => {
                let length = self.source(at, *sources.get(2)?, Some(ty))?.as_constant()?;
                let shifted = self.operate(operation(OperationKind::ShiftRight))?;
                let mask = 1i64.checked_shl(u32::try_from(length).ok()?)?.checked_sub(1)?;
                let sources = [shifted, Polynomial::constant(mask)];
                self.operate(Operation { sources, ..operation(OperationKind::And) })
            }
            _ => None,
        }
    }

    /// Whether a sum may be negative where what is not known is not.
    fn may_be_negative(&self, sum: &Polynomial) -> bool {
        sum.may_be_negative()
            || sum.atoms().any(|atom| match atom {
                Atom::Operation(id) => {
                    self.operation(id).sources.iter().any(|source| self.may_be_negative(source))
                }
                _ => false,
            })
    }

    /// An operation, or what it is if that is simpler. `None` if too many are nested.
    fn operate(&mut self, operation: Operation) -> Option<Polynomial> {
        if let Some(simpler) = simplified(&operation) {
            return Some(simpler);
        }
        if let Some((whole, rest)) = split(&operation) {
            return whole.plus(&self.operate(rest)?);
        }
        if let Some(id) = self.known.get(&operation) {
            return Some(Polynomial::atom(Atom::Operation(*id)));
        }
        let inner = operation.sources.iter().flat_map(Polynomial::atoms).map(|atom| match atom {
            Atom::Operation(id) => self.sizes[id.0],
            _ => 0,
        });
        let size = 1 + inner.sum::<usize>();
        if size > MOST_OPERATIONS {
            return None;
        }
        let id = OperationId(self.operations.len());
        self.operations.push(operation.clone());
        self.sizes.push(size);
        self.known.insert(operation, id);
        Some(Polynomial::atom(Atom::Operation(id)))
    }

    /// The name of an atom in texts.
    pub(crate) fn name(&self, atom: Atom) -> String {
        let module = self.code.module;
        match atom {
            Atom::Special(special, Some(component)) => format!("{special}.{}", component.as_str()),
            Atom::Special(special, None) => special.to_string(),
            Atom::Parameter(variable, 0) => format!("[{}]", module.name(module.variable(variable).name)),
            Atom::Parameter(variable, offset) => {
                format!("[{}+{offset}]", module.name(module.variable(variable).name))
            }
            Atom::Address(variable) => module.name(module.variable(variable).name).to_owned(),
            Atom::Iteration(number) => format!("iteration@{}", self.loop_line(number)),
            Atom::Finished(number) => format!("iterations@{}", self.loop_line(number)),
            Atom::Value(value) | Atom::Left(value) => self.code.register(self.ssa.value(value).register),
            Atom::Operation(id) => self.operation_text(id),
        }
    }

    fn loop_line(&self, number: usize) -> u32 {
        self.code.block_line(self.code.loops.all[number].header)
    }

    fn operation_text(&self, id: OperationId) -> String {
        let Operation { kind, sources, .. } = self.operation(id);
        let texts = sources.each_ref().map(|source| {
            let text = self.text(source);
            if source.terms().count() > 1 { format!("({text})") } else { text }
        });
        let [a, b] = &texts;
        let sign = match kind {
            OperationKind::And => "&",
            OperationKind::Or => "|",
            OperationKind::Xor => "^",
            OperationKind::ShiftRight => ">>",
            OperationKind::Divide => "/",
            OperationKind::Remainder => "%",
            OperationKind::Min => return format!("min({a}, {b})"),
            OperationKind::Max => return format!("max({a}, {b})"),
        };
        format!("({a} {sign} {b})")
    }

    pub(crate) fn text(&self, sum: &Polynomial) -> String {
        sum.text(&mut |atom| self.name(atom))
    }

    /// The space that a generic address is in, if its base tells.
    pub(crate) fn window(&self, address: &Polynomial) -> Option<StateSpace> {
        address.terms().find_map(|(atoms, factor)| match (atoms, factor) {
            ([Atom::Address(variable)], 1) => Some(self.code.module.variable(*variable).space.window()),
            // The host has only addresses of global memory.
            ([Atom::Parameter(variable, _)], 1) if self.may_be_pointer(*variable) => Some(StateSpace::Global),
            _ => None,
        })
    }

    /// Whether a parameter is large enough for an address of global memory.
    pub(crate) fn may_be_pointer(&self, variable: VarId) -> bool {
        let variable = self.code.module.variable(variable);
        let is_integer = variable.scalar_type().is_none_or(|ty| !ty.is_float());
        is_integer && variable.bytes().is_none_or(|bytes| bytes >= 8)
    }
}

/// An integer constant in a type.
fn integer(immediate: Immediate, ty: Option<ScalarType>) -> Option<i64> {
    let value = immediate.as_integer()? as i64;
    match ty.map(ScalarType::bits) {
        Some(32) => Some(i64::from(value as i32)),
        Some(_) | None => Some(value),
    }
}

/// An operation by a power of two as a sum: what it is of the products that are multiples of that, and the operation on the others.
fn split(operation: &Operation) -> Option<(Polynomial, Operation)> {
    let [a, b] = &operation.sources;
    let by = b.as_constant()?;
    let power = match operation.kind {
        OperationKind::ShiftRight => 1i64.checked_shl(u32::try_from(by).ok()?)?,
        OperationKind::And => by.checked_add(1).filter(|power| *power > 1 && power & by == 0)?,
        _ => return None,
    };
    if a.may_be_negative() && !operation.is_signed && operation.kind == OperationKind::ShiftRight {
        return None;
    }
    let is_multiple = |atoms: &[Atom]| a.terms().any(|(own, factor)| own == atoms && factor % power == 0);
    let (whole, rest) = (a.only(is_multiple), a.only(|atoms| !is_multiple(atoms)));
    if whole == Polynomial::default() {
        return None;
    }
    let whole = match operation.kind {
        OperationKind::ShiftRight => whole.divided(power)?,
        _ => Polynomial::default(),
    };
    Some((whole, Operation { sources: [rest, b.clone()], ..operation.clone() }))
}

/// The simpler form of an operation, if it has one.
fn simplified(operation: &Operation) -> Option<Polynomial> {
    let [a, b] = &operation.sources;
    let constants = a.as_constant().zip(b.as_constant());
    if let Some((a, b)) = constants {
        return operate(operation, a, b).map(Polynomial::constant);
    }
    let second = b.as_constant()?;
    match operation.kind {
        OperationKind::ShiftRight | OperationKind::Or | OperationKind::Xor if second == 0 => Some(a.clone()),
        OperationKind::And if second == 0 => Some(Polynomial::default()),
        OperationKind::And if second == -1 => Some(a.clone()),
        _ if a.may_be_negative() && !operation.is_signed => None,
        OperationKind::ShiftRight => a.divided(1i64.checked_shl(u32::try_from(second).ok()?)?),
        OperationKind::Divide => a.divided(second),
        _ => None,
    }
}
