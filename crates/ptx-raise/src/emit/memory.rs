//! Loads and stores (manual 9.7.9.8, 9.7.9.11).

use ptx_ir::{Operand, RegId};
use ptx_isa::{Construct, Mod, ScalarType, StateSpace, ptx};
use ptx_llvm_core::address_space;
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{AtomicOrder, InstId, Op, Type, TypeId};

use super::access::{Access, Modifiers, Ordered, memory_type, piece, word_of};
use super::append::{Arg, mov};
use super::pairs::{load_shorts, store_shorts};
use super::runs::Run;
use super::state::Emitter;
use super::undefined::filled;
use super::volatile::Place;
use crate::cover::{Action, ExtendingLoad};
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Leaf, MAX_VECTOR, Scalar, WORD, integer_class};
use crate::value::{Fill, Upper, Val, mask};

impl Emitter<'_, '_, '_> {
    /// `load`.
    pub(super) fn load(&mut self, id: InstId) -> Result<()> {
        let function = self.function;
        let inst = function.inst(id);
        let Op::Load { ptr, align, volatile, order, scope } = &inst.op else { return Ok(()) };
        let (pointer, scalar) = self.scalar(*ptr)?;
        if *order != AtomicOrder::NotAtomic {
            let ordered = Ordered { align: *align, volatile: *volatile, order: *order, scope };
            return self.atomic_load(id, pointer, scalar, ordered);
        }
        let hints = self.hints(id);
        let Place { address, space, mut modifiers, .. } =
            self.place(pointer, scalar, *volatile, &hints, Mod::Cv)?;
        if space == address_space::GLOBAL && !*volatile && self.reads_constant_memory(id) {
            modifiers.push(Mod::Nc);
        }
        let access = Access::load(space, address, u64::from(*align))?.with(&modifiers, &hints)?;
        if let Some(Action::ExtendingLoad(load)) = self.cover.action(id) {
            let load = load.clone();
            let ExtendingLoad { class, ty, casts } = &*load;
            let registers = self.load_vector(&access, *ty, *class, casts.len())?;
            for (register, casts) in registers.into_iter().zip(casts) {
                for &cast in casts {
                    self.define_one(cast, Val::reg(register))?;
                }
            }
            return Ok(());
        }
        if let Some(&Action::LoadPairs { apart }) = self.cover.action(id) {
            return self.load_pairs(id, apart, &access);
        }
        if self.is_signed_half(id) && *align >= 2 {
            let register = self.compute(access.of(ScalarType::S16, 1)?, &[address.into()])?;
            return self.define_one(id, Val::reg(register));
        }
        if let Some(values) = load_shorts(self, id, &access)? {
            return self.define(id, values.into());
        }
        let values = match self.is_part_of_four(id) {
            true => self.load_three(inst.ty, &access)?,
            false => self.load_whole(inst.ty, &access)?,
        };
        self.define(id, values.into())
    }

    /// Loads elements of a type into fresh registers of a class.
    pub(super) fn load_vector(
        &mut self,
        access: &Access<'_>,
        ty: ScalarType,
        class: Class,
        count: usize,
    ) -> Result<Vec<RegId>> {
        let registers: Vec<RegId> = (0..count).map(|_| self.register(class)).collect();
        let target = self.registers_operand(&registers);
        self.emit(access.of(ty, count)?, &[target.into(), access.address.into()])?;
        Ok(registers)
    }

    /// Stores elements of a type.
    pub(super) fn store_vector(
        &mut self,
        access: &Access<'_>,
        ty: ScalarType,
        registers: &[RegId],
    ) -> Result<()> {
        let source = self.registers_operand(registers);
        self.emit(access.of(ty, registers.len())?, &[access.address.into(), source.into()])
    }

    /// One register, or several as a vector.
    pub(super) fn registers_operand(&mut self, registers: &[RegId]) -> Operand {
        match registers {
            &[register] => Operand::Register(register),
            several => {
                let list: Vec<Operand> = several.iter().copied().map(Operand::Register).collect();
                Operand::Vector(self.builder.list(&list))
            }
        }
    }

    /// Whether a load of three elements was a load of four with a mask before it (`.pragma "used_bytes_mask 0xfff"`).
    pub(super) fn is_part_of_four(&self, id: InstId) -> bool {
        let view = self.module.view;
        let inst = self.function.inst(id);
        let Op::Load { align, volatile: false, order: AtomicOrder::NotAtomic, .. } = &inst.op else {
            return false;
        };
        let Some(node) = inst.metadata(marks::PRAGMA) else { return false };
        let Type::Vector { len: 3, element } = view.ty(inst.ty) else { return false };
        let Some(layout) = view.layout(*element) else { return false };
        let bytes = layout.size;
        let mut masks = view.strings(node).into_iter().filter_map(ptx_ir::used_bytes);
        matches!(bytes, 1 | 2 | 4 | 8)
            && u64::from(*align) >= 4 * bytes
            && masks.next_back().is_some_and(|mask| u64::from(mask) == (1 << (3 * bytes)) - 1)
    }

    /// Loads four elements, of which the last is not used.
    fn load_three(&mut self, ty: TypeId, access: &Access<'_>) -> Result<Vec<Val>> {
        let leaves = self.leaves(ty)?;
        let Some(leaf) = leaves.first() else { return Ok(Vec::new()) };
        let ty = memory_type(leaf.scalar);
        let registers = self.load_vector(access, ty, Class::of_type(ty), 4)?;
        leaves.iter().zip(registers).map(|(leaf, register)| self.loaded(register, leaf.scalar)).collect()
    }

    /// Whether PTX loaded an integer of 16 bits as `.s16`: the machine's registers have 32 bits, and signed operations need not extend it
    /// then.
    pub(super) fn is_signed_half(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        let stated = inst.metadata(marks::MODS).map(|node| self.module.view.strings(node));
        self.source.int_bits(inst.ty) == Some(16)
            && stated.is_some_and(|texts| texts.contains(&marks::SIGNED_LOAD))
    }

    /// `store`.
    pub(super) fn store(&mut self, id: InstId) -> Result<()> {
        let function = self.function;
        let inst = function.inst(id);
        let Op::Store { value, ptr, align, volatile, order, scope } = &inst.op else { return Ok(()) };
        let ty = self.value_type(*value)?;
        let wide = match self.cover.action(id) {
            Some(Action::TruncatingStore(wide)) => Some(*wide),
            _ => None,
        };
        let pair = self.whole_pair(*value).filter(|_| *align >= 4 && *order == AtomicOrder::NotAtomic);
        let values = if wide.is_some() || pair.is_some() { Vec::new() } else { self.defined(*value)? };
        let (pointer, scalar) = self.scalar(*ptr)?;
        if *order != AtomicOrder::NotAtomic {
            let ordered = Ordered { align: *align, volatile: *volatile, order: *order, scope };
            return self.atomic_store(id, ty, &filled(&values), (pointer, scalar), ordered);
        }
        let hints = self.hints(id);
        let Place { address, space, modifiers, .. } =
            self.place(pointer, scalar, *volatile, &hints, Mod::Wt)?;
        let access = Access::written(space, address, u64::from(*align))?.with(&modifiers, &hints)?;
        if let (Some(wide), Some(leaf)) = (wide, self.leaves(ty)?.first()) {
            let (wide, scalar) = self.scalar(wide)?;
            let register = self.in_register(wide, scalar)?;
            return self.store_vector(&access, memory_type(leaf.scalar), &[register]);
        }
        if let Some(register) = pair {
            return self.store_vector(&access, ScalarType::B32, &[register]);
        }
        if store_shorts(self, ty, &values, &access)? {
            return Ok(());
        }
        self.store_whole(ty, &values, &access)
    }

    /// The modifiers of `!ptx.mods`; none where one of them is not PTX's.
    pub(super) fn hints(&self, id: InstId) -> Modifiers {
        let view = self.module.view;
        let inst = self.function.inst(id);
        let Some(node) = inst.metadata(marks::MODS) else { return Modifiers::new() };
        // The modifier for a load's type is handled with the type.
        let is_load = matches!(inst.op, Op::Load { .. });
        let texts = view.strings(node).into_iter();
        let stated = texts.filter(|text| text.starts_with('.') && !(is_load && *text == marks::SIGNED_LOAD));
        let words = stated.flat_map(|text| text.split('.').skip(1));
        // Default: they are hints, and other producers of LLVM IR can have metadata of this name.
        words.map(Mod::from_ptx).collect::<Option<Modifiers>>().unwrap_or_default()
    }

    /// The bytes of the widest vector access that a load or store has on the target (manual 9.7.9.8).
    fn widest_access(&self, access: &Access<'_>) -> u64 {
        // The number of volatile instructions is preserved (manual 8.4.2), and generic accesses of 256 bits are only for global memory: if the
        // module was PTX, its author had it so.
        let is_wide_volatile = access.is_volatile()
            && match access.space() {
                Some(StateSpace::Global) => true,
                None => self.module.was_ptx(),
                Some(_) => false,
            };
        if (access.is_plain_global() || is_wide_volatile)
            && self.module.target.has(Construct::WideAccess.since())
        {
            2 * MAX_VECTOR
        } else {
            MAX_VECTOR
        }
    }

    /// Loads all leaves of a type in which no elements share bytes, or of a vector whose elements do not share bytes.
    pub(super) fn load_leaves(&mut self, ty: TypeId, access: &Access<'_>) -> Result<Vec<Val>> {
        let leaves = self.leaves(ty)?;
        self.load_each(&leaves, access)
    }

    /// Loads leaves, adjacent ones together if there is an instruction for them.
    pub(super) fn load_each(&mut self, leaves: &[Leaf], access: &Access<'_>) -> Result<Vec<Val>> {
        let widest = self.widest_access(access);
        let mut values = Vec::with_capacity(leaves.len());
        let mut at = 0;
        while let Some(leaf) = leaves.get(at) {
            let own = access.after(leaf.offset);
            if let Some(count) = self.words_at_start(&leaves[at..], own.align) {
                values.extend(self.load_words(count, &own)?);
                at += count * WORD;
                continue;
            }
            if let Some(run) = Run::at_start(&leaves[at..], &own) {
                values.extend(self.load_run(run, &own)?);
                at += run.elements();
                continue;
            }
            let count = group(&leaves[at..], own.align, widest);
            if leaf.bytes * count as u64 > MAX_VECTOR {
                self.module.target.need_construct(Construct::WideAccess)?;
            }
            if count > 1 {
                let ty = memory_type(leaf.scalar);
                let registers = self.load_vector(&own, ty, Class::of_type(ty), count)?;
                for (leaf, register) in leaves[at..].iter().zip(registers) {
                    values.push(self.loaded(register, leaf.scalar)?);
                }
            } else {
                values.push(self.load_leaf(*leaf, &own)?);
            }
            at += count;
        }
        Ok(values)
    }

    /// Loads the leaf of an access, in parts if it is not aligned.
    pub(super) fn load_leaf(&mut self, leaf: Leaf, access: &Access<'_>) -> Result<Val> {
        if leaf.bytes.is_power_of_two() && access.align >= leaf.bytes {
            let register = self.compute(access.of(memory_type(leaf.scalar), 1)?, &[access.address.into()])?;
            return self.loaded(register, leaf.scalar);
        }
        let bits = (leaf.bytes * 8) as u32;
        let (whole, mut at) = (integer_class(bits), 0);
        let mut sum: Option<RegId> = None;
        while at < leaf.bytes {
            let bytes = piece(at, leaf.bytes - at, access.align);
            let ty = word_of(bytes);
            let part = self.compute(access.of(ty, 1)?, &[access.after(at).address.into()])?;
            let wide = self.resized(part, Class::of_type(ty), whole)?;
            let shifted = self.shifted_by(ptx!("shl.b32"), wide, at as u32 * 8, whole.bits())?;
            sum = Some(self.union(sum, shifted, whole.bits())?);
            at += bytes;
        }
        let sum = sum.ok_or_else(|| RaiseError::new(INSTRUCTION, "a load of nothing"))?;
        self.leaf_from(sum, leaf.scalar)
    }

    /// A leaf from the register that its memory word was loaded to.
    fn loaded(&mut self, register: RegId, scalar: Scalar) -> Result<Val> {
        match scalar {
            Scalar::Int(1) => {
                let bit = self.compute(ptx!("and.b16"), &[register.into(), Arg::Bits(1, 16)])?;
                Ok(Val::reg(self.compute(ptx!("setp.ne.b16"), &[bit.into(), Arg::Bits(0, 16)])?))
            }
            Scalar::Int(8) => Ok(Val::Register(register, Upper::Zero)),
            Scalar::Pointer { bits, .. } => {
                self.resized(register, integer_class(bits), scalar.class()).map(Val::reg)
            }
            _ => Ok(Val::reg(register)),
        }
    }

    /// Stores all leaves of a type, where [`Emitter::load_leaves`] finds them.
    pub(super) fn store_leaves(&mut self, ty: TypeId, values: &[Val], access: &Access<'_>) -> Result<()> {
        let defined: Vec<Option<Val>> = values.iter().copied().map(Some).collect();
        let leaves = self.leaves(ty)?;
        self.store_each(&leaves, &defined, access)
    }

    /// Stores leaves, adjacent ones together if there is an instruction for them. Undefined leaves are not written to
    /// parameters; in memory they are written as in the program, from an uninitialized register.
    pub(super) fn store_each(
        &mut self,
        leaves: &[Leaf],
        values: &[Option<Val>],
        access: &Access<'_>,
    ) -> Result<()> {
        let widest = self.widest_access(access);
        let skips = access.space() == Some(StateSpace::Param);
        let mut at = 0;
        while let (Some(leaf), Some(value)) = (leaves.get(at), values.get(at)) {
            if skips && value.is_none() {
                at += 1;
                continue;
            }
            let run = match skips {
                true => values[at..].iter().take_while(|value| value.is_some()).count(),
                false => leaves.len() - at,
            };
            let own = access.after(leaf.offset);
            let together = &leaves[at..leaves.len().min(at + run)];
            if let Some(count) = self.words_at_start(together, own.align)
                && self.store_words(count, &values[at..], &own)?
            {
                at += count * WORD;
                continue;
            }
            let run = Run::at_start(together, &own);
            let count = run.map_or_else(|| group(together, own.align, widest), Run::elements);
            if run.is_none() && leaf.bytes * count as u64 > MAX_VECTOR {
                self.module.target.need_construct(Construct::WideAccess)?;
            }
            if count > 1 {
                let mut elements = Vec::with_capacity(count);
                // Each by its own type: an `i13` next to an `i16` has different bits to clear.
                for (leaf, value) in together.iter().zip(&values[at..]).take(count) {
                    let value = value.unwrap_or_else(|| Val::reg(self.register_for(leaf.scalar)));
                    elements.push(self.stored_register(value, leaf.scalar)?);
                }
                match run {
                    Some(run) => self.store_run(run, &elements, &own)?,
                    None => self.store_vector(&own, memory_type(leaf.scalar), &elements)?,
                }
            } else {
                let value = value.unwrap_or_else(|| Val::reg(self.register_for(leaf.scalar)));
                self.store_leaf(*leaf, value, &own)?;
            }
            at += count;
        }
        Ok(())
    }

    /// Stores the leaf of an access, in parts if it is not aligned.
    pub(super) fn store_leaf(&mut self, leaf: Leaf, value: Val, access: &Access<'_>) -> Result<()> {
        if leaf.bytes.is_power_of_two() && access.align >= leaf.bytes {
            let ty = memory_type(leaf.scalar);
            let arg = match value {
                Val::Bits(bits) if !ty.is_float() => Arg::Bits(bits, Class::of_type(ty).bits()),
                Val::Bits(_) => self.arg(value, leaf.scalar)?,
                other => self.stored_register(other, leaf.scalar)?.into(),
            };
            return self.emit(access.of(ty, 1)?, &[access.address.into(), arg]);
        }
        let (bits, whole) = self.bits_of(value, leaf.scalar)?;
        let mut at = 0;
        while at < leaf.bytes {
            let bytes = piece(at, leaf.bytes - at, access.align);
            let ty = word_of(bytes);
            let shifted = self.shifted_by(ptx!("shr.u32"), bits, at as u32 * 8, whole.bits())?;
            let part = self.resized(shifted, whole, Class::of_type(ty))?;
            self.store_vector(&access.after(at), ty, &[part])?;
            at += bytes;
        }
        Ok(())
    }

    /// The register whose low bits are stored.
    fn stored_register(&mut self, value: Val, scalar: Scalar) -> Result<RegId> {
        match scalar {
            Scalar::Int(1) => {
                let register = self.in_register(value, scalar)?;
                let args = [Arg::Bits(1, 16), Arg::Bits(0, 16), register.into()];
                self.compute(ptx!("selp.b16"), &args)
            }
            Scalar::Int(bits) if bits % 8 != 0 => {
                self.extended(value, scalar, scalar.class().bits(), Fill::Zero)
            }
            Scalar::Pointer { bits, .. } => {
                let register = self.in_register(value, scalar)?;
                self.resized(register, scalar.class(), integer_class(bits))
            }
            _ => self.in_register(value, scalar),
        }
    }

    /// The bits of a leaf in an integer register, zero above its width.
    pub(super) fn bits_of(&mut self, value: Val, scalar: Scalar) -> Result<(RegId, Class)> {
        match scalar {
            Scalar::Float => self.untyped(value, scalar, Class::B32),
            Scalar::Double => self.untyped(value, scalar, Class::B64),
            Scalar::Int(1) => Ok((self.stored_register(value, scalar)?, Class::B16)),
            Scalar::Int(_) => {
                Ok((self.extended(value, scalar, scalar.class().bits(), Fill::Zero)?, scalar.class()))
            }
            Scalar::Pointer { bits, .. } => Ok((self.stored_register(value, scalar)?, integer_class(bits))),
            Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair => {
                Ok((self.in_register(value, scalar)?, scalar.class()))
            }
        }
    }

    /// A floating-point number in a register of bits: a copy, unless it is in one already.
    fn untyped(&mut self, value: Val, scalar: Scalar, class: Class) -> Result<(RegId, Class)> {
        let register = self.in_register(value, scalar)?;
        if self.builder.body().reg_type(register) == class.register_type() || self.is_own_name(register) {
            return Ok((register, class));
        }
        Ok((self.emit_new(class, mov(class), &[register.into()])?, class))
    }

    /// A leaf from its bits in an integer register of at least its width. Floating-point instructions accept untyped
    /// registers (manual 6.4.1), so that a number that fills one needs no copy.
    pub(super) fn leaf_from(&mut self, register: RegId, scalar: Scalar) -> Result<Val> {
        match scalar {
            Scalar::Int(1) | Scalar::Pointer { .. } => self.loaded(register, scalar),
            _ => Ok(Val::reg(register)),
        }
    }

    /// The integer of `scalar`'s width that begins at a bit of a register.
    pub(super) fn extract_bits(
        &mut self,
        register: RegId,
        class: Class,
        at: u32,
        scalar: Scalar,
    ) -> Result<Val> {
        let shifted = self.shifted_by(ptx!("shr.u32"), register, at, class.bits())?;
        if scalar == Scalar::Int(1) {
            let and = ptx!("and.b32").with_bits(class.bits())?;
            let bit = self.compute(and, &[shifted.into(), Arg::Bits(1, class.bits())])?;
            return Ok(Val::reg(self.compute(
                ptx!("setp.ne.b32").with_bits(class.bits())?,
                &[bit.into(), Arg::Bits(0, class.bits())],
            )?));
        }
        let integer = integer_class(scalar.bits());
        let register = self.resized(shifted, class, integer)?;
        self.leaf_from(register, scalar)
    }

    /// Leaves side by side in one register, the first one lowest.
    pub(super) fn join_bits(&mut self, leaves: &[Leaf], values: &[Val], class: Class) -> Result<RegId> {
        let mut sum: Option<RegId> = None;
        let mut constant = 0u64;
        let mut at = 0;
        for (leaf, value) in leaves.iter().zip(values) {
            if let Val::Bits(bits) = value {
                constant |= (bits & mask(leaf.scalar.bits())) << at;
            } else {
                let (bits, own) = self.bits_of(*value, leaf.scalar)?;
                let wide = self.resized(bits, own, class)?;
                let shifted = self.shifted_by(ptx!("shl.b32"), wide, at, class.bits())?;
                sum = Some(self.union(sum, shifted, class.bits())?);
            }
            at += leaf.scalar.bits();
        }
        match sum {
            None => self.in_register(Val::Bits(constant), Scalar::Int(class.bits())),
            Some(sum) if constant == 0 => Ok(sum),
            Some(sum) => self.compute(
                ptx!("or.b32").with_bits(class.bits())?,
                &[sum.into(), Arg::Bits(constant, class.bits())],
            ),
        }
    }

    /// Loads a parameter of a scalar type.
    pub(super) fn load_param(&mut self, address: Operand, passed: ScalarType, scalar: Scalar) -> Result<Val> {
        let class = Class::of_type(passed);
        let register = self.compute(ptx!("ld.param.b32").with_type(stated(passed)?)?, &[address.into()])?;
        match scalar {
            Scalar::Int(1) => self.extract_bits(register, class, 0, scalar),
            Scalar::Int(8) if passed.bits() == 8 => Ok(Val::Register(register, Upper::Zero)),
            Scalar::Int(_) | Scalar::Pointer { .. } => {
                self.resized(register, class, scalar.class()).map(Val::reg)
            }
            _ => Ok(Val::reg(register)),
        }
    }

    /// A leaf as a parameter variable of type `passed` holds it.
    pub(super) fn store_param(
        &mut self,
        address: Operand,
        passed: ScalarType,
        value: Val,
        scalar: Scalar,
        fill: Fill,
    ) -> Result<()> {
        let arg = match (scalar, value) {
            (Scalar::Int(_), _) => self.extended_to(value, scalar, passed.bits(), fill)?,
            (Scalar::Pointer { .. }, Val::Bits(bits)) => Arg::Bits(bits, passed.bits()),
            (Scalar::Pointer { .. }, _) => self.stored_register(value, scalar)?.into(),
            _ => self.arg(value, scalar)?,
        };
        self.emit(ptx!("st.param.b32").with_type(stated(passed)?)?, &[address.into(), arg])
    }
}

/// The type by which a parameter of a type is accessed: only numbers of single and double precision have one of their own.
fn stated(passed: ScalarType) -> Result<ScalarType> {
    match passed {
        ScalarType::F32 | ScalarType::F64 => Ok(passed),
        _ => {
            passed.as_bits().ok_or_else(|| RaiseError::new(INSTRUCTION, "a parameter that is a truth value"))
        }
    }
}

/// The number of leaves, from the first on, in one vector access of at most `widest` bytes.
fn group(leaves: &[Leaf], align: u64, widest: u64) -> usize {
    let Some(first) = leaves.first() else { return 1 };
    if !first.bytes.is_power_of_two() {
        return 1;
    }
    let word = memory_type(first.scalar);
    for count in [8usize, 4, 2] {
        // Only the accesses of 32 bytes have eight elements, and those have elements of at least four.
        if count == 8 && first.bytes != 4 {
            continue;
        }
        let bytes = first.bytes * count as u64;
        let fits = leaves.len() >= count
            && bytes <= widest
            && align >= bytes
            && leaves.iter().take(count).enumerate().all(|(at, leaf)| {
                memory_type(leaf.scalar) == word
                    && leaf.bytes == first.bytes
                    && (leaf.scalar == Scalar::Int(1)) == (first.scalar == Scalar::Int(1))
                    && leaf.offset == first.offset + at as u64 * first.bytes
            });
        if fits {
            return count;
        }
    }
    1
}
