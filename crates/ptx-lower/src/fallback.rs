//! Instructions kept as inline assembly, exactly as written (mapping, "Inline assembly").

use ptx_ir::{AddressBase, Immediate, Operand, Symbol, VarId};
use ptx_isa::{Field, MemorySem, Mod, Role, ScalarType, Sem, Width};
use ptx_llvm::build::{Asm, AsmEffects, Type, Value};

use crate::emit::{Emitter, Site};
use crate::errors::{Result, unsupported};
use crate::represent::llvm_space;
use crate::slots::{lane_of, updates_destination};

/// The pieces of one inline assembly call while it is built.
#[derive(Default)]
struct Draft<'c> {
    /// The bits of addresses.
    address_bits: u32,
    /// Destinations: the operand, its type, and the register's LLVM type.
    outputs: Vec<(Operand, ScalarType, Type<'c>)>,
    inputs: Vec<Value<'c>>,
    constraints: Vec<String>,
    /// The text, outputs as `$0..`, inputs as `\u{1}0\u{2}`: they count on from the outputs.
    text: String,
    /// 8-bit registers that the text uses, with the copies to them before it and from them after it.
    narrow: Vec<String>,
    before: String,
    after: String,
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
        let text = site.inst.mnemonic.to_string();
        self.inline_as(site, &text)
    }

    fn inline_as(&mut self, site: Site<'_>, mnemonic: &str) -> Result<()> {
        let mut draft =
            Draft { text: mnemonic.to_owned(), address_bits: self.address_bits(), ..Draft::default() };
        let form = site.inst.mnemonic.form();
        let mut first = true;
        for (at, place) in form.operands.iter().enumerate() {
            let operand = site.operand(at);
            if operand.is_omitted() {
                continue;
            }
            let writes = place.role.is_written();
            draft.text.push_str(match (first, place.role) {
                (true, _) => " ",
                (false, Role::DefPair) => "|",
                (false, _) => ", ",
            });
            first = false;
            let ty = site.inst.mnemonic.operand_type(at).unwrap_or(ScalarType::B64);
            draft.width = Some(place.kind.width());
            self.write_operand(site, &mut draft, operand, ty, writes)?;
        }
        draft.text.push(';');
        draft.close();
        if updates_destination(site.inst) {
            self.tie_outputs(site, &mut draft)?;
        }
        self.call_draft(site, draft)
    }

    fn write_operand(
        &self,
        site: Site<'_>,
        draft: &mut Draft<'c>,
        operand: Operand,
        ty: ScalarType,
        writes: bool,
    ) -> Result<()> {
        match operand {
            Operand::Sink => draft.text.push('_'),
            Operand::Register(register) if self.body.decl(register).shape.lanes() == 1 => {
                let slot = self.analysis.slots.lane(register, 0);
                if writes {
                    self.write_output(draft, operand, ty, self.analysis.slots.ty(slot));
                } else {
                    let register_ty = self.analysis.slots.ty(slot);
                    let carried = self.carrier(ty, register_ty);
                    let value = self.read(site.statement, slot, carried)?;
                    draft.input(value, ty)?;
                }
            }
            Operand::Element(register, component) => {
                let slot = self.analysis.slots.lane(register, lane_of(component));
                if writes {
                    self.write_output(draft, operand, ty, self.analysis.slots.ty(slot));
                } else {
                    let carried = self.carrier(ty, self.analysis.slots.ty(slot));
                    draft.input(self.read(site.statement, slot, carried)?, ty)?;
                }
            }
            Operand::Not(register) => {
                draft.text.push('!');
                let slot = self.analysis.slots.lane(register, 0);
                write_input(draft, self.read(site.statement, slot, self.types.int(1))?)?;
            }
            Operand::Vector(_) | Operand::Register(_) => {
                draft.text.push('{');
                for (index, entry) in self.entries(operand).into_iter().enumerate() {
                    if index > 0 {
                        draft.text.push_str(", ");
                    }
                    if matches!(entry, Operand::Vector(_) | Operand::List(_)) {
                        return unsupported("a vector is an element of a vector");
                    }
                    self.write_operand(site, draft, entry, ty, writes)?;
                }
                draft.text.push('}');
            }
            Operand::Selected(register, selector) => {
                self.write_operand(site, draft, Operand::Register(register), ty, writes)?;
                draft.text.push_str(&format!(".{selector}"));
            }
            Operand::Negated(register, selector) => {
                draft.text.push('-');
                self.write_operand(site, draft, Operand::Register(register), ty, writes)?;
                if let Some(selector) = selector {
                    draft.text.push_str(&format!(".{selector}"));
                }
            }
            Operand::Bracket(list) => {
                draft.text.push('[');
                for (index, part) in self.body.list(list).iter().enumerate() {
                    if index > 0 {
                        draft.text.push_str(", ");
                    }
                    self.write_part(site, draft, *part)?;
                }
                draft.text.push(']');
            }
            Operand::Immediate(immediate) => draft.text.push_str(&immediate_text(immediate)),
            Operand::Special(register, component) => {
                draft.text.push_str(&register.to_string());
                if let Some(component) = component {
                    draft.text.push('.');
                    draft.text.push_str(component.as_str());
                }
            }
            Operand::Symbol(symbol, offset) => {
                let address = self.symbol_address(symbol, offset)?;
                // If 32 bits are required, they are the lower half of the address.
                let narrow = address.ty().pointer_space().is_some() && ty.bits() == 32;
                write_input(
                    draft,
                    if narrow { self.bits_as(address, self.types.int(32))? } else { address },
                )?;
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

    /// A part of an operand in brackets: every register is passed with its declared type.
    fn write_part(&self, site: Site<'_>, draft: &mut Draft<'c>, part: Operand) -> Result<()> {
        let declared = |operand| match operand {
            Operand::Register(register) | Operand::Element(register, _) => self.body.reg_type(register),
            _ => ScalarType::B64,
        };
        match part {
            Operand::Vector(list) => {
                draft.text.push('{');
                for (index, &entry) in self.body.list(list).iter().enumerate() {
                    if index > 0 {
                        draft.text.push_str(", ");
                    }
                    if matches!(entry, Operand::Vector(_) | Operand::List(_) | Operand::Bracket(_)) {
                        return unsupported("a vector is an element of a vector");
                    }
                    self.write_operand(site, draft, entry, declared(entry), false)?;
                }
                draft.text.push('}');
                Ok(())
            }
            Operand::Bracket(_) | Operand::List(_) => unsupported("brackets are nested"),
            simple => self.write_operand(site, draft, simple, declared(simple), false),
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

    fn write_output(&self, draft: &mut Draft<'c>, operand: Operand, ty: ScalarType, register: ScalarType) {
        let text = format!("${}", draft.outputs.len());
        draft.outputs.push((operand, ty, self.carrier(ty, register)));
        if draft.needs_narrow(ty, Some(register.bits())) {
            let name = draft.narrow_register();
            draft.after.push_str(&format!(" cvt.u16.u8 {text}, {name};"));
            draft.text.push_str(&name);
        } else {
            draft.text.push_str(&text);
        }
    }

    /// Ties the old values of the destinations to them, for instructions that add to their destination.
    fn tie_outputs(&self, site: Site<'_>, draft: &mut Draft<'c>) -> Result<()> {
        for (index, (operand, _, ty)) in draft.outputs.iter().enumerate() {
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
        draft.text.push('[');
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
                write_input(draft, value)?;
            }
            AddressBase::Symbol(symbol) => {
                if let Symbol::Variable(var) = symbol
                    && self.param_memory(var).is_none()
                    && self.reference(var)?.is_none()
                {
                    self.check_addressable(var)?;
                }
                write_input(draft, self.symbol_address(symbol, 0)?)?;
            }
            AddressBase::Absolute => draft.text.push_str(&offset.to_string()),
        }
        if offset != 0 && base != AddressBase::Absolute {
            // PTX adds negative offsets: `[a+-8]`.
            draft.text.push_str(&format!("+{offset}"));
        }
        draft.text.push(']');
        Ok(())
    }

    /// A kernel's or function's parameters have no address that an instruction with another space could use.
    fn check_addressable(&self, var: VarId) -> Result<()> {
        match llvm_space(Some(self.shared.module.variable(var).space)) {
            Some(space) if space != ptx_llvm::address_space::PARAM => Ok(()),
            _ => unsupported("it accesses a parameter in a way that has no LLVM form"),
        }
    }

    fn call_draft(&mut self, site: Site<'_>, draft: Draft<'c>) -> Result<()> {
        let mut text = String::new();
        for (index, part) in draft.text.split('\u{1}').enumerate() {
            if index == 0 {
                text.push_str(part);
                continue;
            }
            let (number, rest) = part.split_once('\u{2}').unwrap_or((part, ""));
            let number: usize = number.parse().unwrap_or(0);
            text.push_str(&format!("${}{rest}", number + draft.outputs.len()));
        }
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

    /// A register that is read.
    fn input(&mut self, value: Value<'c>, ty: ScalarType) -> Result<()> {
        if !self.needs_narrow(ty, value.ty().int_bits()) {
            return write_input(self, value);
        }
        let name = self.narrow_register();
        let text = std::mem::take(&mut self.text);
        write_input(self, value)?;
        let input = std::mem::replace(&mut self.text, text + &name);
        self.before.push_str(&format!("cvt.u8.u16 {name}, {input}; "));
        Ok(())
    }

    /// Adds the declarations and copies of 8-bit registers around the instruction.
    fn close(&mut self) {
        if !self.narrow.is_empty() {
            let (names, before, after) = (self.narrow.join(", "), &self.before, &self.after);
            self.text = format!("{{ .reg .b8 {names}; {before}{}{after} }}", self.text);
        }
    }
}

fn write_input<'c>(draft: &mut Draft<'c>, value: Value<'c>) -> Result<()> {
    draft.text.push_str(&format!("\u{1}{}\u{2}", draft.inputs.len()));
    draft.constraints.push(constraint(value.ty(), draft.address_bits)?.to_owned());
    draft.inputs.push(value);
    Ok(())
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

pub(crate) fn immediate_text(immediate: Immediate) -> String {
    match immediate {
        Immediate::S64(value, _) => value.to_string(),
        Immediate::U64(value, _) => format!("{value}U"),
        Immediate::F32(bits, _) => format!("0f{bits:08X}"),
        Immediate::F64(bits, _) => format!("0d{bits:016X}"),
    }
}
