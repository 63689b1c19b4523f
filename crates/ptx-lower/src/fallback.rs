//! Instructions kept as inline assembly, exactly as written (mapping, "Inline assembly").

use ptx_ir::{AddressBase, Operand, Symbol, VarId};
use ptx_isa::{Field, MemorySem, Mod, Role, ScalarType, Sem, Width};
use ptx_llvm_core::build::{Asm, AsmEffects, Type, Value};

use crate::emit::{Emitter, Site};
use crate::errors::{Result, unsupported};
use crate::represent::llvm_space;
use crate::slots::lane_of;
use crate::ssa::Slot;
use crate::template::{Template, separated, written_operands};

/// The pieces of one inline assembly call while it is built.
#[derive(Default)]
struct Draft<'c> {
    /// The bits of addresses.
    address_bits: u32,
    /// Destinations: the operand, its type, and the register's LLVM type.
    outputs: Vec<(Operand, ScalarType, Type<'c>)>,
    /// The destinations whose old values are read, by their index in `outputs`.
    updated: Vec<usize>,
    inputs: Vec<Value<'c>>,
    constraints: Vec<String>,
    text: Template,
    /// 8-bit registers that the text uses, with the copies to them before it and from them after it.
    narrow: Vec<String>,
    before: Template,
    after: Template,
    /// The permitted width of registers for the operand that is being written.
    width: Option<Width>,
}

/// How an instruction accesses memory, as far as it determines the optimizations that LLVM may apply to the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    /// Not as a load, store or atomic operation.
    None,
    /// A load that may be repeated, or omitted if its result is not used, without an observable difference.
    WeakLoad,
    /// A load with a memory order or that must access the memory itself: `.relaxed`, `.acquire`, `.volatile`, `.mmio`, `.cv` (manual 8,
    /// 9.7.9.1).
    Ordered,
    /// Another one.
    Other,
}

impl Access {
    fn of(site: Site<'_>) -> Self {
        let mnemonic = site.inst.mnemonic;
        match mnemonic.sem() {
            Sem::Memory(MemorySem::Load) => {
                let weak = matches!(mnemonic.get(Field::MemOrder), None | Some(Mod::Weak));
                let of_memory = mnemonic.get(Field::Cop) == Some(Mod::Cv) || mnemonic.has(Mod::Mmio);
                if weak && !of_memory { Self::WeakLoad } else { Self::Ordered }
            }
            Sem::Memory(MemorySem::Store | MemorySem::Atom | MemorySem::Red) => Self::Other,
            _ => Self::None,
        }
    }
}

impl<'c> Emitter<'_, '_, 'c> {
    /// Keeps the instruction as inline assembly.
    pub(crate) fn inline(&mut self, site: Site<'_>) -> Result<()> {
        let mnemonic = site.inst.mnemonic;
        let mut draft = Draft { address_bits: self.address_bits(), ..Draft::default() };
        draft.text.push(&mnemonic.to_string());
        for (at, operand, before) in written_operands(mnemonic, site.operands) {
            draft.text.push(before);
            let Some(place) = mnemonic.form().operands.get(at) else { continue };
            let ty = mnemonic.operand_type(at).unwrap_or(ScalarType::B64);
            draft.width = Some(place.kind.width());
            self.write_operand(site, &mut draft, operand, ty, place.role)?;
        }
        draft.text.push(";");
        draft.close();
        self.tie_outputs(site, &mut draft)?;
        self.call_draft(site, draft)
    }

    fn write_operand(
        &self,
        site: Site<'_>,
        draft: &mut Draft<'c>,
        operand: Operand,
        ty: ScalarType,
        role: Role,
    ) -> Result<()> {
        let lane = |register, lane| self.analysis.slots.lane(register, lane);
        match operand {
            Operand::Sink => draft.text.push("_"),
            Operand::Register(register) if self.body.decl(register).shape.lanes() == 1 => {
                self.write_register(site, draft, (operand, lane(register, 0)), ty, role)?;
            }
            Operand::Element(register, component) => {
                let slot = lane(register, lane_of(component));
                self.write_register(site, draft, (operand, slot), ty, role)?;
            }
            Operand::Not(register) => {
                draft.text.push("!");
                draft.pass(self.read(site.statement, lane(register, 0), self.types.int(1))?)?;
            }
            Operand::Vector(_) | Operand::Register(_) => {
                draft.text.push("{");
                for (entry, before) in separated(&self.entries(operand)) {
                    draft.text.push(before);
                    if matches!(entry, Operand::Vector(_) | Operand::List(_)) {
                        return unsupported("a vector is an element of a vector");
                    }
                    self.write_operand(site, draft, entry, ty, role)?;
                }
                draft.text.push("}");
            }
            Operand::Selected(register, selector) => {
                self.write_operand(site, draft, Operand::Register(register), ty, role)?;
                draft.text.push(&format!(".{selector}"));
            }
            Operand::Negated(register, selector) => {
                draft.text.push("-");
                self.write_operand(site, draft, Operand::Register(register), ty, role)?;
                if let Some(selector) = selector {
                    draft.text.push(&format!(".{selector}"));
                }
            }
            Operand::Bracket(list) => {
                draft.text.push("[");
                for (part, before) in separated(self.body.list(list)) {
                    draft.text.push(before);
                    self.write_part(site, draft, part)?;
                }
                draft.text.push("]");
            }
            Operand::Immediate(immediate) => draft.text.immediate(immediate),
            Operand::Special(register, component) => {
                draft.text.push(&register.to_string());
                if let Some(component) = component {
                    draft.text.push(".");
                    draft.text.push(component.as_str());
                }
            }
            Operand::Symbol(symbol, offset) => {
                let address = self.symbol_address(symbol, offset)?;
                // If 32 bits are required, they are the lower half of the address.
                let narrow = address.ty().pointer_space().is_some() && ty.bits() == 32;
                draft.pass(if narrow { self.bits_as(address, self.types.int(32))? } else { address })?;
            }
            Operand::Address(base, offset) => self.write_address(site, draft, base, offset)?,
            Operand::Omitted
            | Operand::Sum(..)
            | Operand::SpecialSum(..)
            | Operand::List(_)
            | Operand::Label(_) => {
                return unsupported("its operands cannot be passed");
            }
        }
        Ok(())
    }

    /// A register of one lane, or a lane of one.
    fn write_register(
        &self,
        site: Site<'_>,
        draft: &mut Draft<'c>,
        (operand, slot): (Operand, Slot),
        ty: ScalarType,
        role: Role,
    ) -> Result<()> {
        let declared = self.analysis.slots.ty(slot);
        let carried = self.carrier(ty, declared);
        if !role.is_written() {
            return draft.input(self.read(site.statement, slot, carried)?, ty);
        }
        if role.is_read() {
            draft.updated.push(draft.outputs.len());
        }
        draft.output((operand, ty, carried), declared);
        Ok(())
    }

    /// A part of an operand in brackets: every register is passed with its declared type.
    fn write_part(&self, site: Site<'_>, draft: &mut Draft<'c>, part: Operand) -> Result<()> {
        let declared = |operand| match operand {
            Operand::Register(register) | Operand::Element(register, _) => self.body.reg_type(register),
            _ => ScalarType::B64,
        };
        match part {
            Operand::Vector(list) => {
                draft.text.push("{");
                for (entry, before) in separated(self.body.list(list)) {
                    draft.text.push(before);
                    if matches!(entry, Operand::Vector(_) | Operand::List(_) | Operand::Bracket(_)) {
                        return unsupported("a vector is an element of a vector");
                    }
                    self.write_operand(site, draft, entry, declared(entry), Role::Use)?;
                }
                draft.text.push("}");
                Ok(())
            }
            Operand::Bracket(_) | Operand::List(_) => unsupported("brackets are nested"),
            simple => self.write_operand(site, draft, simple, declared(simple), Role::Use),
        }
    }

    /// The LLVM type that carries an operand: the type's own where it fills the register, else the register's integer.
    fn carrier(&self, ty: ScalarType, register: ScalarType) -> Type<'c> {
        match (ty, register.bits()) {
            (ScalarType::F32, 32) => self.types.f32(),
            (ScalarType::F64, 64) => self.types.f64(),
            // There is no constraint for 8 bits that every instruction accepts.
            (_, bits) => self.types.int(bits),
        }
    }

    /// Passes the old values of the destinations that the instruction updates, each tied to its destination:
    ///
    /// ```text
    /// asm "wgmma.mma_async.. {$0, $1}, $2, ..", "=f,=f,l,..,0,1"(i64 %desc, .., float %old0, float %old1)
    /// ```
    fn tie_outputs(&self, site: Site<'_>, draft: &mut Draft<'c>) -> Result<()> {
        for index in std::mem::take(&mut draft.updated) {
            let Some((operand, _, ty)) = draft.outputs.get(index) else { continue };
            let (register, lane) = match *operand {
                Operand::Register(register) => (register, 0),
                Operand::Element(register, component) => (register, lane_of(component)),
                _ => return unsupported("its result is not a register"),
            };
            draft.inputs.push(self.read(site.statement, self.analysis.slots.lane(register, lane), *ty)?);
            draft.constraints.push(index.to_string());
        }
        Ok(())
    }

    fn write_address(
        &self,
        site: Site<'_>,
        draft: &mut Draft<'c>,
        base: AddressBase,
        offset: i64,
    ) -> Result<()> {
        draft.text.push("[");
        match base {
            AddressBase::Register(register) => {
                let slot = self.analysis.slots.lane(register, 0);
                let (_, value) = self.seen(site.statement, slot)?;
                let width = self.analysis.slots.ty(slot).bits();
                // A pointer is passed as it is if its register is as wide.
                let value = match value.ty().pointer_space() {
                    Some(_) if width == self.address_bits() => value,
                    _ => self.bits_as(value, self.types.int(width))?,
                };
                draft.pass(value)?;
            }
            AddressBase::Symbol(symbol) => {
                if let Symbol::Variable(var) = symbol
                    && self.param_memory(var).is_none()
                    && self.reference(var)?.is_none()
                {
                    self.check_addressable(var)?;
                }
                draft.pass(self.symbol_address(symbol, 0)?)?;
            }
            AddressBase::Absolute => draft.text.push(&offset.to_string()),
        }
        if offset != 0 && base != AddressBase::Absolute {
            // PTX adds negative offsets: `[a+-8]`.
            draft.text.push(&format!("+{offset}"));
        }
        draft.text.push("]");
        Ok(())
    }

    /// A kernel's or function's parameters have no address that an instruction with another space could use.
    fn check_addressable(&self, var: VarId) -> Result<()> {
        match llvm_space(Some(self.shared.module.variable(var).space)) {
            Some(space) if space != ptx_llvm_core::address_space::PARAM => Ok(()),
            _ => unsupported("it accesses a parameter in a way that has no LLVM form"),
        }
    }

    fn call_draft(&mut self, site: Site<'_>, draft: Draft<'c>) -> Result<()> {
        let text = draft.text.text(draft.outputs.len());
        let mut constraints: Vec<String> = draft
            .outputs
            .iter()
            .map(|(_, _, ty)| constraint(*ty, draft.address_bits).map(|c| format!("={c}")))
            .collect::<Result<_>>()?;
        constraints.extend(draft.constraints.iter().cloned());
        let effects = site.inst.mnemonic.effects();
        if effects.reads || effects.writes {
            constraints.push("~{memory}".to_owned());
        }
        let access = Access::of(site);
        let kept = effects.writes || effects.side_effects || effects.convergent || access == Access::Ordered;
        let asm_effects = if kept { AsmEffects::SideEffects } else { AsmEffects::None };
        let results: Vec<Type<'c>> = draft.outputs.iter().map(|output| output.2).collect();
        let result = match results.as_slice() {
            [] => self.types.void(),
            [one] => *one,
            many => self.types.structure(many),
        };
        let parameters: Vec<Type<'c>> = draft.inputs.iter().map(|input| input.ty()).collect();
        let ty = self.types.function(result, &parameters);
        let constraints = constraints.join(",");
        let asm = Asm { text: &text, constraints: &constraints, effects: asm_effects };
        let call = self.b.inline_asm(ty, asm, &draft.inputs)?;
        call.add_call_flag(self.types, "nounwind");
        if effects.convergent {
            call.add_call_flag(self.types, "convergent");
        } else if !effects.reads && !effects.writes && !effects.side_effects {
            // A function of its operands, which may be moved and merged: `memory(none)`.
            call.add_call_flag(self.types, "memory");
            call.add_call_flag(self.types, "nosync");
            call.add_call_flag(self.types, "willreturn");
        }
        match access {
            Access::WeakLoad => {
                call.add_call_reads_memory(self.types);
                call.add_call_flag(self.types, "nosync");
                call.add_call_flag(self.types, "willreturn");
            }
            Access::Other | Access::Ordered => call.add_call_flag(self.types, "willreturn"),
            Access::None => {}
        }
        let single = draft.outputs.len() == 1;
        for (index, (operand, ty, _)) in draft.outputs.iter().enumerate() {
            let value = if single { call } else { self.b.extract_field(call, index as u32)? };
            self.define_operand(site, *operand, *ty, value)?;
        }
        Ok(())
    }
}

impl<'c> Draft<'c> {
    /// Whether an operand of this type, in a register of this width, has to be in an 8-bit register, for which LLVM has no
    /// constraint. If the program has an 8-bit register, it is not replaced by a wider one, which not every instruction
    /// accepts.
    fn needs_narrow(&self, ty: ScalarType, register_bits: Option<u32>) -> bool {
        ty.bits() == 8 && (self.width == Some(Width::Same) || register_bits == Some(8))
    }

    /// The name of another 8-bit register.
    fn narrow_register(&mut self) -> String {
        let name = format!("%b{}", self.narrow.len());
        self.narrow.push(name.clone());
        name
    }

    /// A register that is written.
    fn output(&mut self, output: (Operand, ScalarType, Type<'c>), declared: ScalarType) {
        let index = self.outputs.len();
        self.outputs.push(output);
        if self.needs_narrow(output.1, Some(declared.bits())) {
            let name = self.narrow_register();
            self.text.push(&name);
            self.after.push(" cvt.u16.u8 ");
            self.after.output(index);
            self.after.push(&format!(", {name};"));
        } else {
            self.text.output(index);
        }
    }

    /// A register that is read.
    fn input(&mut self, value: Value<'c>, ty: ScalarType) -> Result<()> {
        if !self.needs_narrow(ty, value.ty().int_bits()) {
            return self.pass(value);
        }
        let name = self.narrow_register();
        self.text.push(&name);
        self.before.push(&format!("cvt.u8.u16 {name}, "));
        let index = self.add_input(value)?;
        self.before.input(index);
        self.before.push("; ");
        Ok(())
    }

    /// A value that is passed in a register.
    fn pass(&mut self, value: Value<'c>) -> Result<()> {
        let index = self.add_input(value)?;
        self.text.input(index);
        Ok(())
    }

    /// Adds an argument of the call; returns its index.
    fn add_input(&mut self, value: Value<'c>) -> Result<usize> {
        self.constraints.push(constraint(value.ty(), self.address_bits)?.to_owned());
        self.inputs.push(value);
        Ok(self.inputs.len() - 1)
    }

    /// Adds the declarations and copies of 8-bit registers around the instruction.
    fn close(&mut self) {
        if self.narrow.is_empty() {
            return;
        }
        let mut whole = Template::default();
        whole.push(&format!("{{ .reg .b8 {}; ", self.narrow.join(", ")));
        for part in [&mut self.before, &mut self.text, &mut self.after] {
            whole.append(std::mem::take(part));
        }
        whole.push(" }");
        self.text = whole;
    }
}

/// LLVM's constraint letter for a type, with addresses of this width.
fn constraint(ty: Type<'_>, address_bits: u32) -> Result<&'static str> {
    if ty.pointer_space().is_some() {
        return Ok(if address_bits == 32 { "r" } else { "l" });
    }
    Ok(match (ty.int_bits(), ty.bits()) {
        (Some(1), _) => "b",
        (Some(8), _) => "c",
        (Some(16), _) => "h",
        (Some(32), _) => "r",
        (Some(64), _) => "l",
        (Some(128), _) => "q",
        (None, Some(32)) if ty.is_float() => "f",
        (None, Some(64)) if ty.is_float() => "d",
        _ => return unsupported("an operand's type cannot be passed to inline assembly"),
    })
}
