//! Loads, stores, atomics, fences (manual 9.7.9.8 to 9.7.9.11, 9.7.13.4 to 9.7.13.7).

use std::ops::Range;

use ptx_ir::{AddressBase, FunctionKind, Operand, Symbol, VarId};
use ptx_isa::{Field, Mnemonic, Mod, Opcode, ScalarType};
use ptx_llvm_core::build::{BinaryOp, CastOp, Ordering, RmwOp, Scope, Type, Value, Volatility};

use crate::dispatch::Atomic;
use crate::emit::{Emitter, Site};
use crate::errors::{Result, defect, unsupported};
use crate::signature::Argument;
use crate::slots::{is_param, lane_of};
use crate::types::{bits_of, is_floating};

impl<'c> Emitter<'_, '_, 'c> {
    /// `ld`.
    pub(crate) fn load(&mut self, site: Site<'_>) -> Result<()> {
        if let Some((var, offset)) = self.param_symbol(site.operand(1)) {
            return self.load_param(site, var, offset);
        }
        let mnemonic = site.inst.mnemonic;
        let ty = site.scalar_type()?;
        let entries = self.entries(site.operand(0));
        let order = self.order(site)?;
        let space = self.space_of(mnemonic.space())?;
        let address = self.address_in(site, site.operand(1), space)?;
        let element = self.loaded_type(site, ty, &entries);
        let volatility = self.volatility(site);
        let used = match (order, volatility) {
            (None, Volatility::Ordinary) => self.used_elements(&entries, ty.bytes()),
            _ => 0..entries.len(),
        };
        let (load, entries) = self.load_elements(address, element, ty.bytes(), &entries, used, volatility)?;
        if let Some((ordering, scope)) = order {
            self.b.make_atomic(load, ordering, scope)?;
        }
        if mnemonic.get(Field::Nc).is_some() {
            self.types.attach(load, "invariant.load", self.types.metadata_node(&[]));
        }
        self.attach_hints(site, load);
        self.take_elements(site, ty, entries, load)
    }

    /// Loads the used elements of a vector; returns them with their destinations.
    fn load_elements<'e>(
        &mut self,
        address: Value<'c>,
        element: Type<'c>,
        bytes: u32,
        entries: &'e [Operand],
        used: Range<usize>,
        volatility: Volatility,
    ) -> Result<(Value<'c>, &'e [Operand])> {
        let skipped = used.start as u32 * bytes;
        // The address of the whole is aligned to its size.
        let align = if skipped == 0 { bytes * entries.len() as u32 } else { 1 << skipped.trailing_zeros() };
        let address = self.advance(address, i64::from(skipped))?;
        let Some(entries) = entries.get(used) else {
            return defect("more elements of a vector are used than it has");
        };
        let count = entries.len() as u32;
        let whole = if count == 1 { element } else { self.types.vector(element, count) };
        let load = self.b.load(whole, address, align, volatility)?;
        self.attach_pragmas(load);
        Ok((load, entries))
    }

    fn take_elements(
        &mut self,
        site: Site<'_>,
        ty: ScalarType,
        entries: &[Operand],
        whole: Value<'c>,
    ) -> Result<()> {
        if let [single] = entries {
            return self.define_operand(site, *single, ty, whole);
        }
        for (index, entry) in entries.iter().enumerate() {
            if *entry != Operand::Sink {
                let value = self.b.extract_element(whole, index as u32)?;
                self.define_operand(site, *entry, ty, value)?;
            }
        }
        Ok(())
    }

    /// The type to load elements as: what the registers keep, when they agree and are as wide as the access.
    fn loaded_type(&self, site: Site<'_>, ty: ScalarType, entries: &[Operand]) -> Type<'c> {
        let mut kept: Option<Type<'c>> = None;
        for entry in entries {
            let slot = match entry {
                Operand::Register(register) => self.analysis.slots.lane(*register, 0),
                Operand::Element(register, component) => {
                    self.analysis.slots.lane(*register, lane_of(*component))
                }
                _ => continue,
            };
            let Some(id) = self.analysis.ssa.written(site.statement, slot) else { continue };
            let own = self.repr_type(id);
            let fits = self.analysis.slots.ty(slot).bits() == ty.bits()
                && kept.is_none_or(|kept| kept == own)
                && (ty.bits() == self.address_bits() || own.pointer_space().is_none());
            if !fits || (entries.len() > 1 && !own.is_number()) {
                return self.llvm_type(ty);
            }
            kept = Some(own);
        }
        kept.unwrap_or_else(|| self.llvm_type(ty))
    }

    fn volatility(&self, site: Site<'_>) -> Volatility {
        let mnemonic = site.inst.mnemonic;
        let volatile = mnemonic.get(Field::MemOrder) == Some(Mod::Volatile)
            // These cache operators access the memory itself (manual 9.7.9.1).
            || matches!(mnemonic.get(Field::Cop), Some(Mod::Cv | Mod::Wt));
        if volatile { Volatility::Volatile } else { Volatility::Ordinary }
    }

    /// The order and scope of an access; `None` for a weak or volatile one.
    fn order(&self, site: Site<'_>) -> Result<Option<(Ordering, Scope)>> {
        let ordering = match site.inst.mnemonic.get(Field::MemOrder) {
            None | Some(Mod::Weak | Mod::Volatile) => return Ok(None),
            Some(Mod::Relaxed) => Ordering::Monotonic,
            Some(Mod::Acquire) => Ordering::Acquire,
            Some(Mod::Release) => Ordering::Release,
            Some(Mod::AcqRel) => Ordering::AcqRel,
            Some(_) => return unsupported("its memory order is unknown"),
        };
        Ok(Some((ordering, self.scope(site)?)))
    }

    fn scope(&self, site: Site<'_>) -> Result<Scope> {
        Ok(match site.inst.mnemonic.get(Field::Scope) {
            Some(Mod::Cta) => Scope::Block,
            Some(Mod::Cluster) => Scope::Cluster,
            None | Some(Mod::Gpu) => Scope::Device,
            Some(Mod::Sys) => Scope::System,
            Some(_) => return unsupported("its scope is unknown"),
        })
    }

    /// `st`.
    pub(crate) fn store(&mut self, site: Site<'_>) -> Result<()> {
        let mnemonic = site.inst.mnemonic;
        let ty = site.scalar_type()?;
        if let Some((var, offset)) = self.param_symbol(site.operand(0)) {
            return self.store_param(site, ty, var, offset);
        }
        let entries = self.entries(site.operand(1));
        let order = self.order(site)?;
        // A kernel's parameter is constant for LLVM.
        let is_constant =
            mnemonic.space().is_some_and(is_param) && self.function.kind == FunctionKind::Kernel;
        // Elements left out are not written.
        if is_constant || entries.contains(&Operand::Sink) {
            return self.inline(site);
        }
        let value = self.gather(site, ty, &entries)?;
        let space = self.space_of(mnemonic.space())?;
        let address = self.address_in(site, site.operand(0), space)?;
        let store = self.b.store(value, address, ty.bytes() * entries.len() as u32, self.volatility(site))?;
        if let Some((ordering, scope)) = order {
            self.b.make_atomic(store, ordering, scope)?;
        }
        self.attach_hints(site, store);
        Ok(())
    }

    /// The value to store: a register as it is kept, or elements as a vector.
    fn gather(&mut self, site: Site<'_>, ty: ScalarType, entries: &[Operand]) -> Result<Value<'c>> {
        let values: Vec<Value<'c>> =
            entries.iter().map(|entry| self.stored(site, *entry, ty)).collect::<Result<_>>()?;
        if let [single] = values.as_slice() {
            return Ok(*single);
        }
        let first = values.first().map(|value| value.ty());
        let same = values.iter().all(|value| Some(value.ty()) == first && value.ty().is_number());
        let element = first.filter(|_| same).unwrap_or_else(|| self.llvm_type(ty));
        let mut vector = self.types.vector(element, values.len() as u32).poison();
        for (index, value) in values.into_iter().enumerate() {
            vector = self.b.insert_element(vector, self.bits_as(value, element)?, index as u32)?;
        }
        Ok(vector)
    }

    fn stored(&self, site: Site<'_>, entry: Operand, ty: ScalarType) -> Result<Value<'c>> {
        let slot = match entry {
            Operand::Register(register) => self.analysis.slots.lane(register, 0),
            Operand::Element(register, component) => self.analysis.slots.lane(register, lane_of(component)),
            other => return self.operand_of(site, other, ty),
        };
        if self.analysis.slots.ty(slot).bits() == ty.bits() {
            let (_, value) = self.seen(site.statement, slot)?;
            // A pointer in memory is as wide as generic addresses; one kept for a narrower register is stored as its low half.
            if ty.bits() == self.address_bits() || value.ty().pointer_space().is_none() {
                return Ok(value);
            }
        }
        self.read(site.statement, slot, self.llvm_type(ty))
    }

    /// The parameter variable an address names.
    fn param_symbol(&self, operand: Operand) -> Option<(VarId, i64)> {
        match operand {
            Operand::Address(AddressBase::Symbol(Symbol::Variable(var)), offset)
                if is_param(self.shared.module.variable(var).space) =>
            {
                Some((var, offset))
            }
            _ => None,
        }
    }

    /// `ld.param` of a parameter, or of what a call returned.
    fn load_param(&mut self, site: Site<'_>, var: VarId, offset: i64) -> Result<()> {
        let ty = site.scalar_type()?;
        let entries = self.entries(site.operand(0));
        if let Some(slot) = self.analysis.slots.param(var) {
            let (_, value) = self.seen(site.statement, slot)?;
            return self.define(site, 0, value);
        }
        match self.arguments.get(&var).copied() {
            Some(Argument::Scalar(value)) => self.load_scalar_param(site, ty, &entries, value, offset),
            Some(Argument::Memory(base)) => {
                let address = self.advance(base, offset)?;
                let element = self.loaded_type(site, ty, &entries);
                let used = self.used_elements(&entries, ty.bytes());
                let volatility = self.volatility(site);
                let (load, entries) =
                    self.load_elements(address, element, ty.bytes(), &entries, used, volatility)?;
                self.take_elements(site, ty, entries, load)
            }
            None => unsupported("its parameter belongs to another function"),
        }
    }

    /// A scalar parameter, whole or in parts.
    fn load_scalar_param(
        &mut self,
        site: Site<'_>,
        ty: ScalarType,
        entries: &[Operand],
        value: Value<'c>,
        offset: i64,
    ) -> Result<()> {
        let pointer = value.ty().pointer_space().is_some();
        let width = if pointer { self.address_bits() } else { bits_of(value.ty())? };
        if let ([single], 0) = (entries, offset)
            && ty.bits() == width
        {
            return self.define_operand(site, *single, ty, value);
        }
        let int = self.bits_as(value, self.types.int(width))?;
        for (index, entry) in entries.iter().enumerate() {
            let at = offset.checked_mul(8).map(|bits| bits + index as i64 * i64::from(ty.bits()));
            let at = match at.and_then(|at| u64::try_from(at).ok()) {
                Some(at) if at + u64::from(ty.bits()) <= u64::from(width) => at,
                _ => return unsupported("it reads past the end of the parameter"),
            };
            let low = match at {
                0 => int,
                at => self.b.binary(BinaryOp::LShr, int, self.types.int_value(width, at))?,
            };
            let part = self.b.cast(CastOp::Trunc, low, self.types.int(ty.bits()))?;
            self.define_operand(site, *entry, ty, part)?;
        }
        Ok(())
    }

    /// `st.param` of an argument or result.
    fn store_param(&mut self, site: Site<'_>, ty: ScalarType, var: VarId, offset: i64) -> Result<()> {
        if let Some(slot) = self.analysis.slots.param(var) {
            let value = self.stored(site, site.operand(1), ty)?;
            return self.set(site.statement, slot, value);
        }
        let entries = self.entries(site.operand(1));
        let value = self.gather(site, ty, &entries)?;
        match self.arguments.get(&var).copied() {
            Some(Argument::Memory(base)) => {
                let address = self.advance(base, offset)?;
                self.b.store(value, address, ty.bytes() * entries.len() as u32, Volatility::Ordinary)?;
                Ok(())
            }
            Some(Argument::Scalar(_)) | None => unsupported("it writes a parameter of the function itself"),
        }
    }

    /// `atom` and `red` (manual 9.7.13.5, 9.7.13.7): relaxed and with device scope unless specified otherwise.
    pub(crate) fn atomic(&mut self, site: Site<'_>, atomic: Atomic) -> Result<()> {
        let mnemonic = site.inst.mnemonic;
        let ty = site.scalar_type()?;
        let gives = atomic == Atomic::Atom;
        let at = usize::from(gives);
        let space = self.space_of(mnemonic.space())?;
        let address = self.address_in(site, site.operand(at), space)?;
        let ordering = self.order(site)?.map_or(Ordering::Monotonic, |order| order.0);
        let scope = self.scope(site)?;
        let value = self.operand_of(site, site.operand(at + 1), ty)?;
        if mnemonic.get(Field::Op) == Some(Mod::Cas) {
            let new = self.operand_of(site, site.operand(at + 2), ty)?;
            let pair = self.b.compare_exchange(address, value, new, ordering, scope)?;
            let old = self.b.extract_field(pair, 0)?;
            return self.define(site, 0, old);
        }
        let signed = ty.is_signed();
        let op = match mnemonic.get(Field::Op) {
            Some(Mod::Add) if is_floating(ty) => RmwOp::FAdd,
            Some(Mod::Add) => RmwOp::Add,
            Some(Mod::And) => RmwOp::And,
            Some(Mod::Or) => RmwOp::Or,
            Some(Mod::Xor) => RmwOp::Xor,
            Some(Mod::Exch) => RmwOp::Xchg,
            Some(Mod::Min) => {
                if signed {
                    RmwOp::Min
                } else {
                    RmwOp::UMin
                }
            }
            Some(Mod::Max) => {
                if signed {
                    RmwOp::Max
                } else {
                    RmwOp::UMax
                }
            }
            Some(Mod::Inc) => RmwOp::UIncWrap,
            Some(Mod::Dec) => RmwOp::UDecWrap,
            _ => return unsupported("its operation is unknown"),
        };
        let old = self.b.atomic_rmw(op, address, value, ordering, scope)?;
        self.attach_hints(site, old);
        if gives { self.define(site, 0, old) } else { Ok(()) }
    }

    /// `fence` (manual 9.7.13.4).
    pub(crate) fn fence(&mut self, site: Site<'_>) -> Result<()> {
        let mnemonic = site.inst.mnemonic;
        let ordering = match mnemonic.get(Field::MemOrder) {
            Some(Mod::Sc) => Ordering::SeqCst,
            None | Some(Mod::AcqRel) => Ordering::AcqRel,
            Some(Mod::Acquire) => Ordering::Acquire,
            Some(Mod::Release) => Ordering::Release,
            Some(_) => return unsupported("its memory order is unknown"),
        };
        self.b.fence(ordering, self.scope(site)?)?;
        Ok(())
    }

    /// `bar`, `barrier` (manual 9.7.13.1): `bar` is `barrier.aligned`, and `.cta` is implied.
    pub(crate) fn block_barrier(&mut self, site: Site<'_>) -> Result<()> {
        let mnemonic = site.inst.mnemonic;
        let aligned = mnemonic.opcode() == Opcode::Bar || mnemonic.has(Mod::Aligned);
        let opcode = if aligned { Opcode::Bar } else { Opcode::Barrier };
        let implied = |modifier: &Mod| matches!(modifier, Mod::Cta | Mod::Aligned);
        let modifiers: Vec<Mod> = mnemonic.modifiers().filter(|modifier| !implied(modifier)).collect();
        self.intrinsic_or_inline_as(site, Mnemonic::of(opcode, &modifiers))
    }
}
