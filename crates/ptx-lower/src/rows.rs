//! Instructions that are intrinsics, by the rows of [`ptx_llvm_core::intrinsics`].

use ptx_ir::{AddressBase, Operand};
use ptx_isa::{Mnemonic, Note, Role, ScalarType, StateSpace};
use ptx_llvm_core::build::{CastOp, Type, Value};
use ptx_llvm_core::intrinsics::{
    self, IntrinsicMapping, Operand as MappedOperand, Type as MappedType, Unwritten,
};

use crate::emit::{Emitter, Site};
use crate::errors::{Result, defect, unsupported};
use crate::represent::accessed_space;
use crate::types::{bits_of, int_bits_of};

impl<'c> Emitter<'_, '_, 'c> {
    /// Lowers the instruction to the intrinsic of its mnemonic; inline assembly where there is none.
    pub(crate) fn intrinsic_or_inline(&mut self, site: Site<'_>) -> Result<()> {
        self.intrinsic_or_inline_as(site, Some(site.inst.mnemonic))
    }

    /// The same for another mnemonic that has the same semantics with these operands.
    pub(crate) fn intrinsic_or_inline_as(
        &mut self,
        site: Site<'_>,
        mnemonic: Option<Mnemonic>,
    ) -> Result<()> {
        match self.lower_intrinsic(site, mnemonic)? {
            Some(_) => Ok(()),
            None => self.inline(site),
        }
    }

    /// Lowers the instruction to the intrinsic of a mnemonic and returns the call; `None` if no intrinsic accepts its operands.
    pub(crate) fn lower_intrinsic(
        &mut self,
        site: Site<'_>,
        mnemonic: Option<Mnemonic>,
    ) -> Result<Option<Value<'c>>> {
        let Some(mnemonic) = mnemonic else { return Ok(None) };
        for mapping in intrinsics::by_mnemonic(mnemonic) {
            if self.mapping_fits(site, mapping) {
                return self.call_intrinsic(site, mapping).map(Some);
            }
        }
        Ok(None)
    }

    pub(crate) fn mapped_type(&self, ty: MappedType) -> Type<'c> {
        match ty {
            MappedType::Int(bits) => self.types.int(bits),
            MappedType::F16 => self.types.f16(),
            MappedType::Bf16 => self.types.bf16(),
            MappedType::F32 => self.types.f32(),
            MappedType::F64 => self.types.f64(),
            MappedType::F16x2 => self.types.vector(self.types.f16(), 2),
            MappedType::Bf16x2 => self.types.vector(self.types.bf16(), 2),
            MappedType::Ptr(space) => self.types.pointer(space),
            MappedType::Words(lanes) => self.types.vector(self.types.int(32), lanes),
            MappedType::Floats(lanes) => self.types.vector(self.types.f32(), lanes),
            MappedType::Bytes(lanes) => self.types.vector(self.types.int(8), lanes),
        }
    }

    /// The indices of the operands in the form that the instruction writes; a pair is one operand.
    fn written(&self, site: Site<'_>) -> Vec<usize> {
        let form = site.inst.mnemonic.form();
        (0..form.operands.len())
            .filter(|at| {
                let pair = form.operands.get(*at).is_some_and(|operand| operand.role == Role::DefPair);
                !pair && !site.operand(*at).is_omitted()
            })
            .collect()
    }

    fn pair(&self, site: Site<'_>) -> Option<usize> {
        let form = site.inst.mnemonic.form();
        let at = form.operands.iter().position(|operand| operand.role == Role::DefPair)?;
        (!site.operand(at).is_omitted()).then_some(at)
    }

    fn mapping_fits(&self, site: Site<'_>, mapping: &IntrinsicMapping) -> bool {
        let written = self.written(site);
        if written.len() != mapping.operands.len() || self.pair(site).is_some() != mapping.has_result_pair() {
            return false;
        }
        let mut pairs = mapping.operands.iter().zip(written);
        pairs.all(|(mapped, at)| self.operand_fits(site, (mapping, at), mapped, site.operand(at)))
    }

    /// Whether an operand, or a part of the one at `at`, fits an operand of a mapping.
    fn operand_fits(
        &self,
        site: Site<'_>,
        (mapping, at): (&IntrinsicMapping, usize),
        mapped: &MappedOperand,
        operand: Operand,
    ) -> bool {
        let all_fit = |parts: &[MappedOperand], operands: &[Operand]| {
            let mut pairs = parts.iter().zip(operands);
            parts.len() == operands.len()
                && pairs.all(|(mapped, operand)| self.operand_fits(site, (mapping, at), mapped, *operand))
        };
        let parameter = |argument: &usize| mapping.parameters.get(*argument);
        match mapped {
            MappedOperand::Result(_) | MappedOperand::ByteResult | MappedOperand::ResultPair => {
                matches!(operand, Operand::Register(_) | Operand::Sink | Operand::Element(..))
            }
            MappedOperand::Byte(_) => matches!(operand, Operand::Register(_) | Operand::Element(..)),
            MappedOperand::Argument(argument) => {
                let (operand, ty) = (self.alone(operand), site.inst.mnemonic.operand_type(at));
                // Forms that differ only in a predicate for a number (`cp.async`) are different rows.
                let is_predicate = parameter(argument) == Some(&MappedType::Int(1));
                // In brackets a pointer is in a register: other addresses have no pointer of the intrinsic's space.
                let in_register = matches!(operand, Operand::Register(_))
                    || ty.is_some()
                    || !matches!(parameter(argument), Some(MappedType::Ptr(_)));
                (ty == Some(ScalarType::Pred)) == is_predicate
                    && in_register
                    && !matches!(operand, Operand::Vector(_) | Operand::Address(..) | Operand::List(_))
            }
            MappedOperand::Address(argument) => {
                // An absolute or parameter address has no pointer of the intrinsic's space.
                let Some(MappedType::Ptr(space)) = parameter(argument) else { return false };
                *space != ptx_llvm_core::address_space::PARAM && matches!(operand, Operand::Address(..))
            }
            MappedOperand::Immediate { below, .. } => match operand {
                Operand::Immediate(value) => {
                    below.is_none_or(|below| value.as_integer().is_some_and(|number| number < below))
                }
                _ => false,
            },
            MappedOperand::Lanes(argument) => {
                let lanes = self.entries(operand).len() as u32;
                let vectors = [MappedType::Words(lanes), MappedType::Floats(lanes)];
                parameter(argument).is_some_and(|ty| vectors.contains(ty))
                    || (lanes == 1 && parameter(argument) == Some(&MappedType::Int(32)))
            }
            MappedOperand::Vector(parts) => all_fit(parts, &self.entries(operand)),
            MappedOperand::Bracket(parts) => all_fit(parts, &self.bracketed(operand)),
            MappedOperand::Number(number) => {
                matches!(operand, Operand::Immediate(value) if value.as_integer() == Some(*number))
            }
            MappedOperand::Special(register, component) => operand == Operand::Special(*register, *component),
            MappedOperand::WarpSize => false,
            MappedOperand::Sink => operand == Operand::Sink,
            MappedOperand::Padding | MappedOperand::Unread(_) => true,
        }
    }

    fn call_intrinsic(&mut self, site: Site<'_>, mapping: &'static IntrinsicMapping) -> Result<Value<'c>> {
        let mut arguments: Vec<Option<Value<'c>>> = vec![None; mapping.parameters.len()];
        for (mapped, at) in mapping.operands.iter().zip(self.written(site)) {
            self.take_arguments(site, (mapping, at), mapped, site.operand(at), &mut arguments)?;
        }
        for &(argument, unwritten) in &mapping.unwritten {
            let ty = self.parameter(mapping, argument)?;
            give(
                &mut arguments,
                argument,
                match unwritten {
                    Unwritten::Fixed(value) => self.types.int_value(int_bits_of(ty)?, value),
                    Unwritten::Alignment => self.types.int_value(32, u64::from(site.scalar_type()?.bytes())),
                    Unwritten::Ignored => ty.zero(),
                },
            );
        }
        let Some(arguments) = arguments.into_iter().collect::<Option<Vec<_>>>() else {
            return unsupported("an argument of its intrinsic is missing");
        };
        let call = self.call_mapped(site, mapping, &arguments)?;
        self.take_results(site, mapping, call)?;
        Ok(call)
    }

    /// Fills in the arguments that an operand, or a part of the one at `at`, holds.
    fn take_arguments(
        &self,
        site: Site<'_>,
        (mapping, at): (&IntrinsicMapping, usize),
        mapped: &MappedOperand,
        operand: Operand,
        arguments: &mut [Option<Value<'c>>],
    ) -> Result<()> {
        let mut take_all = |parts: &[MappedOperand], operands: Vec<Operand>| -> Result<()> {
            for (mapped, operand) in parts.iter().zip(operands) {
                self.take_arguments(site, (mapping, at), mapped, operand, arguments)?;
            }
            Ok(())
        };
        match mapped {
            MappedOperand::Vector(parts) => take_all(parts, self.entries(operand))?,
            MappedOperand::Bracket(parts) => take_all(parts, self.bracketed(operand))?,
            MappedOperand::Argument(argument) | MappedOperand::Byte(argument) => {
                let to = self.parameter(mapping, *argument)?;
                give(arguments, *argument, self.argument(site, at, self.alone(operand), to)?);
            }
            MappedOperand::Lanes(argument) => {
                let whole = self.parameter(mapping, *argument)?;
                give(arguments, *argument, self.lanes(site, at, operand, whole)?);
            }
            MappedOperand::Address(argument) => {
                let Some(space) = self.parameter(mapping, *argument)?.pointer_space() else {
                    return defect("an address is an argument of an intrinsic that is not a pointer");
                };
                give(arguments, *argument, self.address_in(site, operand, space)?);
            }
            MappedOperand::Immediate { argument, .. } => {
                let number = match operand {
                    Operand::Immediate(value) => value.as_integer(),
                    _ => None,
                };
                let Some(number) = number else {
                    return unsupported("an operand is not an integer constant");
                };
                let bits = int_bits_of(self.parameter(mapping, *argument)?)?;
                give(arguments, *argument, self.types.int_value(bits, number));
            }
            MappedOperand::Result(_)
            | MappedOperand::ByteResult
            | MappedOperand::ResultPair
            | MappedOperand::Number(_)
            | MappedOperand::Special(..)
            | MappedOperand::WarpSize
            | MappedOperand::Sink
            | MappedOperand::Padding
            | MappedOperand::Unread(_) => {}
        }
        Ok(())
    }

    /// An operand, or a part of the one at `at`, as an argument.
    fn argument(&self, site: Site<'_>, at: usize, operand: Operand, to: Type<'c>) -> Result<Value<'c>> {
        let value = match (operand, site.inst.mnemonic.operand_type(at)) {
            (Operand::Register(register), _) if to.pointer_space().is_some() => {
                self.read(site.statement, self.analysis.slots.lane(register, 0), to)?
            }
            (_, Some(ty)) => self.operand_of(site, operand, ty)?,
            (_, None) => self.untyped(site, operand, to)?,
        };
        self.resize(value, to)
    }

    /// The elements of an operand as the lanes of one argument.
    fn lanes(&self, site: Site<'_>, at: usize, operand: Operand, whole: Type<'c>) -> Result<Value<'c>> {
        let ty = site.ty(at)?;
        let entries = self.entries(operand);
        let Some((element, _)) = whole.vector_parts() else {
            let [single] = entries.as_slice() else { return unsupported("it has too many lanes") };
            return self.bits_as(self.operand_of(site, *single, ty)?, whole);
        };
        let mut vector = whole.poison();
        for (index, entry) in entries.into_iter().enumerate() {
            let value = self.bits_as(self.operand_of(site, entry, ty)?, element)?;
            vector = self.b.insert_element(vector, value, index as u32)?;
        }
        Ok(vector)
    }

    /// The call, with effects of the instruction that LLVM's intrinsic does not have.
    fn call_mapped(
        &mut self,
        site: Site<'_>,
        mapping: &IntrinsicMapping,
        arguments: &[Value<'c>],
    ) -> Result<Value<'c>> {
        let results: Vec<Type<'c>> = mapping.results.iter().map(|ty| self.mapped_type(*ty)).collect();
        let result = match results.as_slice() {
            [] => self.types.void(),
            [one] => *one,
            many => self.types.structure(many),
        };
        let function = self.intrinsic_function(&mapping.name, result, arguments)?;
        let effects = site.inst.mnemonic.effects();
        let touches = effects.reads || effects.writes;
        // LLVM declares that its intrinsics access memory only at their arguments.
        let elsewhere = touches && !site.inst.mnemonic.sem().has(Note::AtOperands);
        let call = if elsewhere && function.limits_memory() {
            self.b.call_ordered(function, arguments)?
        } else {
            self.b.call(function, arguments)?
        };
        if effects.convergent {
            call.add_call_flag(self.types, "convergent");
        }
        Ok(call)
    }

    /// The only element of a vector of one; any other operand as it is.
    fn alone(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Vector(list) => match self.body.list(list) {
                [single] => *single,
                _ => operand,
            },
            _ => operand,
        }
    }

    /// The parts of an operand in brackets.
    fn bracketed(&self, operand: Operand) -> Vec<Operand> {
        match operand {
            Operand::Bracket(list) => self.body.list(list).to_vec(),
            Operand::Address(AddressBase::Register(register), 0) => vec![Operand::Register(register)],
            Operand::Address(AddressBase::Symbol(symbol), 0) => vec![Operand::Symbol(symbol, 0)],
            other => vec![other],
        }
    }

    /// An operand whose type is not in the row, such as a handle or a coordinate, but is that of its register.
    fn untyped(&self, site: Site<'_>, operand: Operand, to: Type<'c>) -> Result<Value<'c>> {
        match operand {
            Operand::Register(register) | Operand::Element(register, _) => {
                self.operand_of(site, operand, self.body.reg_type(register))
            }
            Operand::Symbol(symbol, 0) => self.symbol_address(symbol, 0),
            Operand::Immediate(value) => {
                let ty = match (to.is_float(), to.bits()) {
                    (true, _) => ScalarType::F32,
                    (false, Some(64)) => ScalarType::B64,
                    (false, Some(16)) => ScalarType::B16,
                    (false, _) => ScalarType::B32,
                };
                self.constant(value, ty)
            }
            other => self.operand_of(site, other, ScalarType::B32),
        }
    }

    fn take_results(&mut self, site: Site<'_>, mapping: &IntrinsicMapping, call: Value<'c>) -> Result<()> {
        for (mapped, at) in mapping.operands.iter().zip(self.written(site)) {
            match mapped {
                MappedOperand::Result(field) => {
                    let value = self.result_field(mapping, call, *field)?;
                    self.define(site, at, value)?;
                }
                MappedOperand::ByteResult => {
                    let byte = self.b.cast(CastOp::Trunc, call, self.types.int(8))?;
                    self.define(site, at, byte)?;
                }
                MappedOperand::ResultPair => {
                    let (first, second) = (self.b.extract_field(call, 0)?, self.b.extract_field(call, 1)?);
                    self.define(site, at, first)?;
                    if let Some(pair) = self.pair(site) {
                        self.define(site, pair, second)?;
                    }
                }
                MappedOperand::Vector(parts) => {
                    for (part, entry) in parts.iter().zip(self.entries(site.operand(at))) {
                        if let MappedOperand::Result(field) = part {
                            let value = self.result_field(mapping, call, *field)?;
                            self.define_element(site, entry, site.ty(at)?, value)?;
                        }
                    }
                }
                MappedOperand::Argument(_)
                | MappedOperand::Byte(_)
                | MappedOperand::Lanes(_)
                | MappedOperand::Bracket(_)
                | MappedOperand::Address(_)
                | MappedOperand::Immediate { .. }
                | MappedOperand::Number(_)
                | MappedOperand::Special(..)
                | MappedOperand::WarpSize
                | MappedOperand::Sink
                | MappedOperand::Padding
                | MappedOperand::Unread(_) => {}
            }
        }
        Ok(())
    }

    /// A field of a call's result.
    fn result_field(&self, mapping: &IntrinsicMapping, call: Value<'c>, field: usize) -> Result<Value<'c>> {
        Ok(match mapping.results.as_slice() {
            // One register of PTX.
            [MappedType::Bytes(_)] => self.bits_as(call, self.types.int(bits_of(call.ty())?))?,
            [ty] if ty.is_lanes() => self.b.extract_element(call, field as u32)?,
            [_] => call,
            _ => self.b.extract_field(call, field as u32)?,
        })
    }

    /// Assigns a value to a destination, truncated if it is wider than the register.
    fn define_element(
        &mut self,
        site: Site<'_>,
        entry: Operand,
        ty: ScalarType,
        value: Value<'c>,
    ) -> Result<()> {
        let width = match entry {
            Operand::Register(register) | Operand::Element(register, _) => {
                self.body.reg_type(register).bits()
            }
            _ => return Ok(()),
        };
        let wider = value.ty().int_bits().is_some_and(|bits| bits > width);
        let value = if wider { self.b.cast(CastOp::Trunc, value, self.types.int(width))? } else { value };
        self.define_operand(site, entry, ty, value)
    }

    fn parameter(&self, mapping: &IntrinsicMapping, at: usize) -> Result<Type<'c>> {
        match mapping.parameters.get(at) {
            Some(ty) => Ok(self.mapped_type(*ty)),
            None => unsupported("its intrinsic has no such argument"),
        }
    }

    /// The elements of a vector operand; any other operand is its own only element.
    pub(crate) fn entries(&self, operand: Operand) -> Vec<Operand> {
        match operand {
            Operand::Vector(list) | Operand::List(list) => self.body.list(list).to_vec(),
            Operand::Register(register) if self.body.decl(register).shape.lanes() > 1 => {
                let lanes = self.body.decl(register).shape.lanes() as usize;
                ptx_isa::Component::ALL.iter().take(lanes).map(|c| Operand::Element(register, *c)).collect()
            }
            single => vec![single],
        }
    }

    /// An address operand as a pointer into LLVM's space of that number.
    pub(crate) fn address_in(&self, site: Site<'_>, operand: Operand, space: u32) -> Result<Value<'c>> {
        let Operand::Address(base, offset) = operand else {
            return unsupported("an operand is not an address");
        };
        let base = match base {
            AddressBase::Register(register) => {
                let slot = self.analysis.slots.lane(register, 0);
                self.read(site.statement, slot, self.types.pointer(space))?
            }
            AddressBase::Symbol(symbol) => {
                let address = self.symbol_address(symbol, 0)?;
                let to = self.types.pointer(space);
                // A variable in a generic access is accessed in its own state space, as by `ptxas`.
                let generic = space == ptx_llvm_core::address_space::GENERIC && address.ty() != to;
                if generic {
                    self.b.cast(CastOp::AddrSpaceCast, address, to)?
                } else {
                    self.bits_as(address, to)?
                }
            }
            AddressBase::Absolute => {
                self.bits_as(self.types.int_value(self.address_bits(), 0), self.types.pointer(space))?
            }
        };
        self.advance(base, offset)
    }

    /// The address plus `offset` bytes.
    pub(crate) fn advance(&self, base: Value<'c>, offset: i64) -> Result<Value<'c>> {
        if offset == 0 {
            return Ok(base);
        }
        Ok(self.b.offset(base, self.types.int_value(64, offset as u64))?)
    }

    /// LLVM's number of the space an instruction names.
    pub(crate) fn space_of(&self, space: Option<StateSpace>) -> Result<u32> {
        match accessed_space(space, self.function.kind) {
            Some(space) => Ok(space),
            None => unsupported("the state space has no addresses"),
        }
    }
}

/// Sets an argument of a call.
fn give<'c>(arguments: &mut [Option<Value<'c>>], at: usize, value: Value<'c>) {
    if let Some(argument) = arguments.get_mut(at) {
        *argument = Some(value);
    }
}
