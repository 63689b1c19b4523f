//! Moves, addresses and special registers (manual 9.7.9.3, 9.7.9.19, 9.7.9.20, 10).

use ptx_ir::{Operand, Symbol};
use ptx_isa::{Component, Mod, ScalarType, SpecialReg};
use ptx_llvm_core::address_space;
use ptx_llvm_core::build::{Asm, AsmEffects, BinaryOp, CastOp, Value};
use ptx_llvm_core::intrinsics;

use crate::behaviour::changes;
use crate::emit::{Emitter, Site};
use crate::errors::{Result, unsupported};
use crate::represent::{Repr, is_narrow, llvm_space, param_space};
use crate::signature::Argument;
use crate::slots::is_param;

impl<'c> Emitter<'_, '_, 'c> {
    /// `mov` (manual 9.7.9.3, 9.7.9.4).
    pub(crate) fn copy(&mut self, site: Site<'_>) -> Result<()> {
        let ty = site.scalar_type()?;
        match (site.operand(0), site.operand(1)) {
            (d, a) if self.is_vector(d) && self.is_vector(a) => unsupported("it moves a vector to a vector"),
            (d, _) if self.is_vector(d) => self.unpack(site, ty),
            (_, a) if self.is_vector(a) => self.pack(site, ty),
            (_, Operand::Register(register)) => {
                let slot = self.analysis.slots.lane(register, 0);
                let (_, value) = self.seen(site.statement, slot)?;
                self.define(site, 0, value)
            }
            (_, Operand::Symbol(symbol, offset)) => {
                let address = self.symbol_address(symbol, offset)?;
                // A narrower register gets the low bits of the address.
                let whole = ty.bits() == self.address_bits()
                    || matches!(self.destination_repr(site, 0), Repr::Pointer(_));
                let value = match (whole, address.ty().pointer_space()) {
                    (true, Some(_)) => address,
                    (false, Some(_)) => self.b.cast(CastOp::PtrToInt, address, self.types.int(ty.bits()))?,
                    (_, None) => self.resize(address, self.types.int(ty.bits()))?,
                };
                self.define(site, 0, value)
            }
            (_, source) => {
                let value = self.operand_of(site, source, ty)?;
                self.define(site, 0, value)
            }
        }
    }

    /// Whether an operand is a vector in braces or a vector register.
    fn is_vector(&self, operand: Operand) -> bool {
        match operand {
            Operand::Vector(_) => true,
            Operand::Register(register) => self.body.decl(register).shape.lanes() > 1,
            _ => false,
        }
    }

    /// `mov.v4`: every element is read before any is written.
    pub(crate) fn copy_vector(&mut self, site: Site<'_>) -> Result<()> {
        let ty = site.scalar_type()?;
        let to = self.entries(site.operand(0));
        let from = match site.operand(1) {
            Operand::Special(reg, None) => {
                Component::ALL.iter().map(|component| Operand::Special(reg, Some(*component))).collect()
            }
            other => self.entries(other),
        };
        if to.len() != from.len() {
            return unsupported("its vectors differ in length");
        }
        let values: Vec<Value<'c>> =
            from.iter().map(|entry| self.operand_of(site, *entry, ty)).collect::<Result<_>>()?;
        for (entry, value) in to.iter().zip(values) {
            if *entry != Operand::Sink {
                self.define_operand(site, *entry, ty, value)?;
            }
        }
        Ok(())
    }

    /// `mov.b32 d, {a, b}`: the first element is the lowest.
    fn pack(&mut self, site: Site<'_>, ty: ScalarType) -> Result<()> {
        let entries = self.entries(site.operand(1));
        let Some(element) = element_type(ty, entries.len()) else {
            return unsupported("its widths do not add up");
        };
        // Two halves become a vector where the register is kept as one, so that `fma.rn.f16x2` has its operands without a `bitcast`:
        // `mov.b32 %r, {%h0, %h1}` is two `insertelement`.
        if let (Repr::Float(pair), 2) = (self.destination_repr(site, 0), entries.len())
            && let Some((half, _)) = self.llvm_type(pair).vector_parts()
        {
            let mut vector = self.llvm_type(pair).poison();
            for (index, entry) in entries.iter().enumerate() {
                let value = self.operand_of(site, *entry, element)?;
                vector = self.b.insert_element(vector, self.bits_as(value, half)?, index as u32)?;
            }
            return self.define(site, 0, vector);
        }
        // `mov.b64 %rd, {%r0, %r1}`:  %a = zext i32 %r0 to i64
        //                             %b = zext i32 %r1 to i64
        //                             %c = shl i64 %b, 32
        //                             %rd = or i64 %a, %c
        let whole = self.types.int(ty.bits());
        let mut result = whole.zero();
        for (index, entry) in entries.iter().enumerate() {
            let value = self.operand_of(site, *entry, element)?;
            let wide = self.b.cast(CastOp::ZExt, value, whole)?;
            let amount = self.types.int_value(ty.bits(), index as u64 * u64::from(element.bits()));
            let shifted = if index == 0 { wide } else { self.b.binary(BinaryOp::Shl, wide, amount)? };
            result = if index == 0 { shifted } else { self.b.binary(BinaryOp::Or, result, shifted)? };
        }
        self.define(site, 0, result)
    }

    /// `mov.b32 {a, b}, s`.
    fn unpack(&mut self, site: Site<'_>, ty: ScalarType) -> Result<()> {
        let entries = self.entries(site.operand(0));
        let Some(element) = element_type(ty, entries.len()) else {
            return unsupported("its widths do not add up");
        };
        let kept = match site.operand(1) {
            Operand::Register(register) => {
                Some(self.seen(site.statement, self.analysis.slots.lane(register, 0))?.1)
            }
            _ => None,
        };
        if let Some(vector) = kept
            .filter(|value| value.ty().vector_parts().is_some_and(|parts| parts.1 as usize == entries.len()))
        {
            for (index, entry) in entries.iter().enumerate() {
                if *entry == Operand::Sink {
                    continue;
                }
                let value = self.b.extract_element(vector, index as u32)?;
                self.define_operand(site, *entry, element, value)?;
            }
            return Ok(());
        }
        // Otherwise `mov.b64 {%r0, %r1}, %rd` is `trunc i64 %rd to i32` and `trunc (lshr i64 %rd, 32) to i32`. A sink needs nothing.
        let source = self.operand_of(site, site.operand(1), ty)?;
        let source = self.bits_as(source, self.types.int(ty.bits()))?;
        for (index, entry) in entries.iter().enumerate() {
            if *entry == Operand::Sink {
                continue;
            }
            let amount = self.types.int_value(ty.bits(), index as u64 * u64::from(element.bits()));
            let shifted = if index == 0 { source } else { self.b.binary(BinaryOp::LShr, source, amount)? };
            let value = self.b.cast(CastOp::Trunc, shifted, self.types.int(element.bits()))?;
            self.define_operand(site, *entry, element, value)?;
        }
        Ok(())
    }

    /// `cvta` (manual 9.7.9.20).
    pub(crate) fn convert_address(&mut self, site: Site<'_>) -> Result<()> {
        let Some(space) = llvm_space(site.inst.mnemonic.space()) else {
            return unsupported("its space has no addresses");
        };
        let (from, to) = if site.inst.mnemonic.has(Mod::To) {
            (address_space::GENERIC, space)
        } else {
            (space, address_space::GENERIC)
        };
        let (from, to) = (self.types.pointer(from), self.types.pointer(to));
        let source = match site.operand(1) {
            Operand::Register(register) => {
                self.read(site.statement, self.analysis.slots.lane(register, 0), from)?
            }
            Operand::Symbol(Symbol::Variable(var), offset) if self.param_memory(var).is_some() => {
                // The argument is the generic address of the parameter already.
                let Some(base) = self.param_memory(var) else {
                    return unsupported("its parameter has no address");
                };
                let address = self.advance(base, offset)?;
                return self.define(site, 0, address);
            }
            Operand::Symbol(symbol, offset) => {
                let address = self.symbol_address(symbol, offset)?;
                self.bits_as(address, from)?
            }
            other => {
                let value = self.operand_of(site, other, ScalarType::B64)?;
                self.bits_as(value, from)?
            }
        };
        let value = self.b.cast(CastOp::AddrSpaceCast, source, to)?;
        self.keep_apart(value);
        self.define(site, 0, value)
    }

    /// The address of a variable or function, as a pointer in its space.
    pub(crate) fn symbol_address(&self, symbol: Symbol, offset: i64) -> Result<Value<'c>> {
        let base = match symbol {
            Symbol::Function(id) => match self.shared.signatures.get(&id) {
                Some(signature) => signature.function.value(),
                None => return unsupported("it names a function that has no declaration"),
            },
            Symbol::Variable(var) => {
                if let Some(handle) = self.reference(var)? {
                    if offset != 0 {
                        return unsupported(
                            "it adds an offset to the handle of a texture, sampler or surface",
                        );
                    }
                    return self.resize(handle, self.types.int(64));
                }
                if let Some(address) = self.locals.get(&var).or_else(|| self.shared.variables.get(&var)) {
                    *address
                } else if let Some(address) = self.param_memory(var) {
                    self.b.cast(
                        CastOp::AddrSpaceCast,
                        address,
                        self.types.pointer(param_space(self.function.kind)),
                    )?
                } else {
                    return unsupported("its operand has no address");
                }
            }
        };
        let address = self.advance(base, offset)?;
        let counts_in_64 = self.address_bits() == 64;
        let is_narrow = counts_in_64 && address.ty().pointer_space().is_some_and(is_narrow);
        if !is_narrow || i32::try_from(offset).is_ok_and(|offset| offset >= 0) {
            return Ok(address);
        }
        // ptxas adds a constant to the 32-bit address of a variable in 32 bits, and zero-extends the sum.
        let low = self.b.cast(CastOp::PtrToInt, address, self.types.int(32))?;
        self.b.cast(CastOp::IntToPtr, low, address.ty()).map_err(Into::into)
    }

    /// The handle of a texture, sampler or surface: a number of 64 bits.
    pub(crate) fn reference(&self, var: ptx_ir::VarId) -> Result<Option<Value<'c>>> {
        if self.shared.module.variable(var).scalar_type().is_some() {
            return Ok(None);
        }
        if let Some(Argument::Scalar(handle)) = self.arguments.get(&var) {
            return Ok(Some(*handle));
        }
        let Some(variable) = self.shared.variables.get(&var) else {
            return unsupported("it refers to a texture, sampler or surface that has no handle");
        };
        let name = "llvm.nvvm.texsurf.handle.internal.p1";
        self.intrinsic_by_name(name, self.types.int(64), &[*variable]).map(Some)
    }

    /// The generic address of a parameter's bytes.
    pub(crate) fn param_memory(&self, var: ptx_ir::VarId) -> Option<Value<'c>> {
        if !is_param(self.shared.module.variable(var).space) {
            return None;
        }
        match self.arguments.get(&var) {
            Some(Argument::Memory(address)) => Some(*address),
            Some(Argument::Scalar(_)) | None => None,
        }
    }

    /// A special register (manual 10).
    pub(crate) fn special(&self, register: SpecialReg, component: Option<Component>) -> Result<Value<'c>> {
        if component.is_none() && register.is_vector() {
            return unsupported(format!("{register} is used without a component"));
        }
        if let Some(row) = intrinsics::by_special_register(register, component)
            && let [result] = row.results.as_slice()
        {
            let result = self.mapped_type(*result);
            let function = self.intrinsic_function(&row.name, result, &[])?;
            // LLVM assumes that some registers that change are constant for a thread: `%smid`, `%warpid`.
            let read = match changes(register) && function.touches_no_memory() {
                true => self.b.call_ordered(function, &[])?,
                false => self.b.call(function, &[])?,
            };
            if let Some((first, end)) = self.launch.range(register, component) {
                read.add_call_range(self.types, first, end);
            }
            return Ok(read);
        }
        let ty = register.scalar_type();
        let (letter, result) = match ty {
            ScalarType::Pred => ("=b", self.types.int(1)),
            _ if ty.bits() == 64 => ("=l", self.types.int(64)),
            _ => ("=r", self.types.int(32)),
        };
        let name = match component {
            Some(component) => format!("{register}.{}", component.as_str()),
            None => register.to_string(),
        };
        let text = format!("mov.{} $0, {name};", ty.as_str());
        let effects = if changes(register) { AsmEffects::SideEffects } else { AsmEffects::None };
        let asm = Asm { text: &text, constraints: letter, effects };
        let call = self.b.inline_asm(self.types.function(result, &[]), asm, &[])?;
        call.add_call_flag(self.types, "nounwind");
        call.add_call_flag(self.types, "willreturn");
        if effects == AsmEffects::None {
            call.add_call_flag(self.types, "memory");
            call.add_call_flag(self.types, "nosync");
        }
        Ok(call)
    }
}

/// The type of each of `count` equal parts.
fn element_type(ty: ScalarType, count: usize) -> Option<ScalarType> {
    let bits = ty.bits().checked_div(count as u32)?;
    if bits * count as u32 != ty.bits() {
        return None;
    }
    match bits {
        8 => Some(ScalarType::B8),
        16 => Some(ScalarType::B16),
        32 => Some(ScalarType::B32),
        64 => Some(ScalarType::B64),
        _ => None,
    }
}
