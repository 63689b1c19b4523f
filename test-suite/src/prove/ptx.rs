//! What a kernel in PTX computes, by the definitions of its instructions.
//!
//! Control only goes forward: a condition states when an instruction is executed, and a label takes up the conditions of
//! the branches to it.

use std::collections::HashMap;

use anyhow::{Context as _, Result, bail};
use ptx_ir::{
    AddressBase, Body, Immediate, Inst, LabelId, Module, Operand, RegId, Stmt, Symbol, VectorShape,
};
use ptx_isa::{
    CompareSem, ControlSem, MemorySem, Mnemonic, MoveSem, OperandKind, Role, ScalarType, Selector, Sem,
};

use super::define::{Outcome, SourceOperand, Surroundings, define};
use super::memory::{Memory, Value};
use super::term::{Bits, Terms};

/// A thread that executes a body.
pub(super) struct Thread<'m, 't> {
    module: &'m Module,
    body: &'m Body,
    terms: &'t Terms,
    registers: HashMap<RegId, Value<'t>>,
    carry: Value<'t>,
    pub(super) memory: Memory<'t>,
    /// Whether the thread is here.
    active: Bits<'t>,
    /// Where threads wait that branched.
    waiting: HashMap<LabelId, Bits<'t>>,
}

/// What a kernel writes.
pub(super) fn kernel<'t>(terms: &'t Terms, module: &Module, name: &str) -> Result<Memory<'t>> {
    let body = body_of(module, name).with_context(|| format!("no kernel `{name}`"))?;
    let mut thread = Thread::new(terms, module, body);
    thread.run()?;
    Ok(thread.memory)
}

/// The body of a function.
pub(super) fn body_of<'m>(module: &'m Module, name: &str) -> Option<&'m Body> {
    let mut functions = module.function_ids().map(|id| module.function(id));
    functions.find(|function| module.name(function.name) == name && function.body.is_some())?.body.as_ref()
}

impl<'m, 't> Thread<'m, 't> {
    pub(super) fn new(terms: &'t Terms, module: &'m Module, body: &'m Body) -> Self {
        Self {
            module,
            body,
            terms,
            registers: HashMap::new(),
            carry: Value { bits: terms.truth(false), open: terms.truth(true) },
            memory: Memory::new(terms),
            active: terms.truth(true),
            waiting: HashMap::new(),
        }
    }

    pub(super) fn run(&mut self) -> Result<()> {
        let body = self.body;
        for stmt in &body.statements {
            match stmt {
                Stmt::Inst(inst) => self
                    .instruction(inst)
                    .with_context(|| format!("`{}` has no definition here", inst.mnemonic))?,
                Stmt::Label(label) => {
                    let arriving = self.waiting.remove(label).unwrap_or(self.terms.truth(false));
                    self.active = self.active | arriving;
                    // A branch to it from below finds that it was passed.
                    self.waiting.insert(*label, self.terms.truth(true));
                }
                Stmt::BranchTargets(..) | Stmt::CallTargets(..) | Stmt::CallPrototype(..) => {
                    bail!("a table of targets")
                }
                Stmt::Variable(_) => bail!("a variable"),
                Stmt::Registers(..)
                | Stmt::ScopeStart
                | Stmt::ScopeEnd
                | Stmt::Location(_)
                | Stmt::Pragma(_)
                | Stmt::Comment(_)
                | Stmt::TrailingComment(_)
                | Stmt::Mark(_) => {}
            }
        }
        Ok(())
    }

    /// The register of this name.
    pub(super) fn register(&self, name: &str) -> Option<RegId> {
        let all = (0..self.body.registers.len() as u32).map(RegId);
        all.into_iter().find(|&register| {
            let decl = self.body.decl(register);
            decl.count.is_none() && self.module.name(decl.name) == name
        })
    }

    pub(super) fn value(&self, register: RegId) -> Value<'t> {
        let width = self.body.reg_type(register).bits();
        // What was never written has some value.
        self.registers
            .get(&register)
            .copied()
            .unwrap_or(Value { bits: self.terms.number(width, 0), open: self.terms.truth(true) })
    }

    pub(super) fn set(&mut self, register: RegId, value: Value<'t>) {
        self.registers.insert(register, value);
    }

    fn instruction(&mut self, inst: &Inst) -> Result<()> {
        let before = self.active;
        if let Some(guard) = inst.guard {
            let predicate = self.value(guard.register);
            if predicate.open.as_number() != Some(0) {
                bail!("a guard without a definite value");
            }
            let holds = if guard.negated { !predicate.bits } else { predicate.bits };
            self.active = self.active & holds;
        }
        let operands = self.body.operands(inst);
        match inst.mnemonic.sem() {
            Sem::Control(ControlSem::Bra) => {
                let Some(Operand::Label(label)) = operands.first() else { bail!("a branch without label") };
                let waiting = self.waiting.get(label).copied().unwrap_or(self.terms.truth(false));
                if waiting.as_number() == Some(1) {
                    bail!("a loop");
                }
                self.waiting.insert(*label, waiting | self.active);
                self.active = before & !self.active;
                return Ok(());
            }
            Sem::Control(ControlSem::Ret) => {
                self.active = before & !self.active;
                return Ok(());
            }
            Sem::Memory(MemorySem::Load | MemorySem::LoadUniform) => self.load(&inst.mnemonic, operands)?,
            Sem::Memory(MemorySem::Store) => self.store(&inst.mnemonic, operands)?,
            Sem::Move(MoveSem::Cvta) => {
                let [d, a] = operands else { bail!("operands of `cvta`") };
                let value = self.read(*a, 64)?;
                self.write(*d, value, ScalarType::U64)?;
            }
            _ => self.compute(&inst.mnemonic, operands)?,
        }
        self.active = before;
        Ok(())
    }

    fn address(&self, operand: Operand) -> Result<Bits<'t>> {
        match operand {
            Operand::Address(AddressBase::Register(register), offset) => {
                Ok(self.value(register).bits.resize(false, 64) + self.terms.number(64, offset as u128))
            }
            _ => bail!("an address of this kind"),
        }
    }

    fn load(&mut self, mnemonic: &Mnemonic, operands: &[Operand]) -> Result<()> {
        let [d, a, ..] = operands else { bail!("operands of a load") };
        let ty = mnemonic.scalar_type().context("a type")?;
        if let Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), 0) = a {
            let name = self.module.name(self.module.variable(*variable).name);
            let address = match name.rsplit("_param_").next().unwrap_or_default() {
                "in" | "0" => self.memory.source(),
                "out" | "1" => self.memory.target(),
                _ => bail!("the parameter `{name}`"),
            };
            return self.write(*d, Value::of(address), ty);
        }
        let mut address = self.address(*a)?;
        for part in self.parts(*d) {
            let value = self.memory.load(address, ty.bits()).context("a load from outside")?;
            self.write(part, value, ty)?;
            address = address + self.terms.number(64, u128::from(ty.bytes()));
        }
        Ok(())
    }

    fn store(&mut self, mnemonic: &Mnemonic, operands: &[Operand]) -> Result<()> {
        let [a, b, ..] = operands else { bail!("operands of a store") };
        let ty = mnemonic.scalar_type().context("a type")?;
        let mut address = self.address(*a)?;
        for part in self.parts(*b) {
            let value = self.read(part, ty.bits())?;
            self.memory.store(address, value, self.active).context("a store outside")?;
            address = address + self.terms.number(64, u128::from(ty.bytes()));
        }
        Ok(())
    }

    fn parts(&self, operand: Operand) -> Vec<Operand> {
        match operand {
            Operand::Vector(list) => self.body.list(list).to_vec(),
            single => vec![single],
        }
    }

    /// The low bits of an operand.
    fn read(&self, operand: Operand, width: u32) -> Result<Value<'t>> {
        let value = match operand {
            Operand::Register(register)
            | Operand::Not(register)
            | Operand::Selected(register, _)
            | Operand::Negated(register, _) => {
                let value = self.value(register);
                if matches!(operand, Operand::Not(_)) { value.map(|bits| !bits) } else { value }
            }
            Operand::Immediate(number) => Value::of(self.immediate(number, width)),
            Operand::Sink => Value { bits: self.terms.number(width, 0), open: self.terms.truth(true) },
            _ => bail!("an operand of this kind"),
        };
        if value.bits.width() < width {
            bail!("an operand narrower than the instruction");
        }
        Ok(value.map(|bits| bits.trunc(width)))
    }

    fn immediate(&self, number: Immediate, width: u32) -> Bits<'t> {
        let value = match number {
            Immediate::S64(value, _) if width == 1 => u128::from(value != 0),
            Immediate::U64(value, _) if width == 1 => u128::from(value != 0),
            Immediate::S64(value, _) => value as u128,
            Immediate::U64(value, _) => u128::from(value),
            Immediate::F32(bits, _) if width == 64 => u128::from(f64::from(f32::from_bits(bits)).to_bits()),
            Immediate::F64(bits, _) if width == 32 => u128::from((f64::from_bits(bits) as f32).to_bits()),
            Immediate::F32(bits, _) => u128::from(bits),
            Immediate::F64(bits, _) => u128::from(bits),
        };
        self.terms.number(width, value)
    }

    /// Writes a value of a type; a wider register is filled by its sign or with zeros (manual 9.4.1).
    fn write(&mut self, operand: Operand, value: Value<'t>, ty: ScalarType) -> Result<()> {
        let register = match operand {
            Operand::Register(register) | Operand::Selected(register, _) => register,
            Operand::Sink | Operand::Omitted => return Ok(()),
            _ => bail!("a destination of this kind"),
        };
        let decl = self.body.decl(register);
        if decl.shape != VectorShape::Scalar {
            bail!("a vector register");
        }
        let width = decl.ty.bits();
        let value = value.map(|bits| bits.resize(ty.is_signed(), width));
        let before = self.value(register);
        self.registers.insert(register, Value::pick(self.active, value, before));
        Ok(())
    }

    /// A source as its place in the row has it.
    fn source(
        &self,
        mnemonic: &Mnemonic,
        at: usize,
        operand: Operand,
    ) -> Result<(SourceOperand<'t>, Bits<'t>)> {
        let kind = mnemonic.form().operands[at].kind;
        let parts = self.parts(operand);
        let whole = mnemonic.operand_type(at).map_or(32, ScalarType::bits);
        let width = if matches!(kind, OperandKind::Move(_)) { whole / parts.len() as u32 } else { whole };
        let values: Result<Vec<Value<'t>>> = parts.iter().map(|&part| self.read(part, width)).collect();
        let values = values?;
        let open = values.iter().fold(self.terms.truth(false), |open, value| open | value.open);
        let elements: Vec<Bits<'t>> = values.iter().map(|value| value.bits).collect();
        let (selector, negated) = match operand {
            Operand::Selected(_, selector) => (Some(selector), false),
            Operand::Negated(_, selector) => (selector, true),
            _ => (None, false),
        };
        let bits = *elements.first().context("an empty vector")?;
        Ok((SourceOperand { bits, elements, selector, negated }, open))
    }

    fn compute(&mut self, mnemonic: &Mnemonic, operands: &[Operand]) -> Result<()> {
        let places = mnemonic.form().operands;
        let (mut sources, mut opens) = (Vec::new(), Vec::new());
        let mut destination: Option<Selector> = None;
        let mut written = Vec::new();
        for (at, (place, &operand)) in places.iter().zip(operands).enumerate() {
            match place.role {
                Role::DefOpt if operand.is_omitted() => {}
                Role::Def | Role::DefPair | Role::DefOpt | Role::Update => {
                    if place.role.is_read() {
                        let (source, open) = self.source(mnemonic, at, operand)?;
                        sources.push(source);
                        opens.push(open);
                    }
                    if let Operand::Selected(_, selector) = operand {
                        destination = Some(selector);
                    }
                    written.push((at, operand));
                }
                Role::Use | Role::UseOpt if operand.is_omitted() => {}
                Role::Use | Role::UseOpt => {
                    let (source, open) = self.source(mnemonic, at, operand)?;
                    sources.push(source);
                    opens.push(open);
                }
            }
        }
        let around = Surroundings { carry: self.carry.bits, destination };
        let outcome = define(mnemonic, &sources, around).context("no definition")?;
        let reads_carry = matches!(mnemonic.opcode().as_str(), "addc" | "subc" | "madc");
        if reads_carry {
            opens.push(self.carry.open);
        }
        let open = self.openness(mnemonic, &sources, &opens) | outcome.open;
        self.finish(mnemonic, &written, &outcome, open)
    }

    /// Where the result has no definite value: where a source has none, but a selection looks at one of two sources.
    fn openness(&self, mnemonic: &Mnemonic, sources: &[SourceOperand<'t>], opens: &[Bits<'t>]) -> Bits<'t> {
        match (mnemonic.sem(), sources, opens) {
            (Sem::Compare(CompareSem::Selp), [_, _, c], [a_open, b_open, c_open]) => {
                *c_open | c.bits.pick(*a_open, *b_open)
            }
            _ => opens.iter().fold(self.terms.truth(false), |all, open| all | *open),
        }
    }

    fn finish(
        &mut self,
        mnemonic: &Mnemonic,
        written: &[(usize, Operand)],
        outcome: &Outcome<'t>,
        open: Bits<'t>,
    ) -> Result<()> {
        if let Some(carry) = outcome.carry {
            self.carry = Value::pick(self.active, Value { bits: carry, open }, self.carry);
        }
        // The elements of a vector, or the destinations.
        if let &[(at, operand @ Operand::Vector(_))] = written {
            let parts = self.parts(operand);
            let ty = mnemonic.operand_type(at).context("a type")?;
            let elements = if let [whole] = outcome.results.as_slice() {
                let width = ty.bits() / parts.len() as u32;
                (0..parts.len() as u32).map(|part| whole.extract(part * width, width)).collect()
            } else {
                outcome.results.clone()
            };
            for (part, bits) in parts.into_iter().zip(elements) {
                self.write(part, Value { bits, open }, ty.as_bits().unwrap_or(ty))?;
            }
            return Ok(());
        }
        for (&(at, operand), &bits) in written.iter().zip(&outcome.results) {
            let ty = mnemonic.operand_type(at).context("a type")?;
            self.write(operand, Value { bits, open }, ty)?;
        }
        Ok(())
    }
}
