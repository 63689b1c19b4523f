//! Loads and stores (manual 9.7.9.8, 9.7.9.11).

use ptx_ir::{Operand, RegId};
use ptx_isa::Since;
use ptx_llvm::address_space;
use ptx_llvm::view::{AtomicOrder, InstId, Op, Type, TypeId};

use super::FunctionRaiser;
use super::atomic::Access;
use super::bytes;
use super::emit::{Arg, mov, space_word};
use super::narrow::{SIGNED_LOAD, Widening};
use super::prologue::{piece, word_of};
use super::runs::Run;
use super::undefined::filled;
use crate::error::{INSTRUCTION, Raised, Refusal};
use crate::types::{Class, Leaf, Scalar};
use crate::value::{Upper, Val, mask};

/// The widest vector access in bytes that every target has.
pub(super) const MAX_VECTOR: u64 = 16;

/// Vector accesses of 32 bytes in global memory.
const WIDE_VECTOR: Since = Since::new(8, 8, 100);

impl FunctionRaiser<'_, '_, '_> {
    /// `load`.
    pub(super) fn load(&mut self, id: InstId) -> Raised<()> {
        let function = self.function;
        let inst = function.inst(id);
        let Op::Load { ptr, align, volatile, order, scope } = &inst.op else { return Ok(()) };
        let (pointer, scalar) = self.scalar(*ptr)?;
        if *order != AtomicOrder::NotAtomic {
            let access = Access { align: *align, volatile: *volatile, order: *order, scope };
            return self.atomic_load(id, pointer, scalar, access);
        }
        let (address, space) = self.address_operand(pointer, scalar)?;
        let mods = self.hints(id);
        let mut opcode = "ld".to_owned();
        if *volatile && takes_volatile(space) && !mods.contains(".cv") {
            opcode += ".volatile";
        }
        let may_cache = space == address_space::GLOBAL && !*volatile;
        let cached = if may_cache && self.reads_constant_memory(id) { ".nc" } else { "" };
        let mods = format!("{cached}{mods}");
        let word = space_word(space)?;
        if let Some(Widening { class, text, casts }) = self.widened.remove(&id) {
            let registers: Vec<RegId> = casts.iter().map(|_| self.register(class)).collect();
            let (shape, target) = match registers.as_slice() {
                &[register] => (String::new(), Operand::Register(register)),
                several => {
                    let list: Vec<Operand> = several.iter().copied().map(Operand::Register).collect();
                    (format!(".v{}", list.len()), Operand::Vector(self.builder.list(&list)))
                }
            };
            self.access(&opcode, word, &mods, &format!("{shape}.{text}"), &[target.into(), address.into()])?;
            for (register, casts) in registers.into_iter().zip(casts) {
                for cast in casts {
                    self.define_one(cast, Val::reg(register));
                }
            }
            return Ok(());
        }
        if let Some(apart) = self.pair_loads.remove(&id) {
            return self.load_pairs(id, apart, address, &opcode, word, &mods);
        }
        if self.is_signed_half(id) && *align >= 2 {
            let register = self.register(Class::B16);
            self.access(&opcode, word, &mods, ".s16", &[register.into(), address.into()])?;
            self.define_one(id, Val::reg(register));
            return Ok(());
        }
        let values = match self.is_part_of_four(id) {
            true => self.load_three(inst.ty, address, &opcode, word, &mods)?,
            false => self.load_whole(inst.ty, address, word, u64::from(*align), &opcode, &mods)?,
        };
        self.define(id, values.into());
        Ok(())
    }

    /// Whether a load of three elements is what a load of four uses, by the mask before it (`.pragma "used_bytes_mask 0xfff"`).
    pub(super) fn is_part_of_four(&self, id: InstId) -> bool {
        let view = self.module.view;
        let inst = self.function.inst(id);
        let Op::Load { align, volatile: false, order: AtomicOrder::NotAtomic, .. } = &inst.op else {
            return false;
        };
        let Some(node) = inst.metadata("ptx.pragma") else { return false };
        let Type::Vector { len: 3, element } = view.ty(inst.ty) else { return false };
        let Some(layout) = view.layout(*element) else { return false };
        let bytes = layout.size;
        let mut masks = view.strings(node).into_iter().filter_map(ptx_ir::used_bytes);
        matches!(bytes, 1 | 2 | 4 | 8)
            && u64::from(*align) >= 4 * bytes
            && masks.next_back().is_some_and(|mask| u64::from(mask) == (1 << (3 * bytes)) - 1)
    }

    /// Loads four elements, of which the last is not used.
    fn load_three(
        &mut self,
        ty: TypeId,
        address: Operand,
        opcode: &str,
        word: &str,
        mods: &str,
    ) -> Raised<Vec<Val>> {
        let leaves = self.leaves(ty)?;
        let Some(leaf) = leaves.first().copied() else { return Ok(Vec::new()) };
        let (class, text) = memory_word(leaf.scalar);
        let registers: Vec<RegId> = (0..4).map(|_| self.register(class)).collect();
        let list: Vec<Operand> = registers.iter().map(|&register| Operand::Register(register)).collect();
        let vector = Operand::Vector(self.builder.list(&list));
        self.access(opcode, word, mods, &format!(".v4.{text}"), &[vector.into(), address.into()])?;
        leaves.iter().zip(registers).map(|(leaf, register)| self.loaded(register, leaf.scalar)).collect()
    }

    /// `store`.
    pub(super) fn store(&mut self, id: InstId) -> Raised<()> {
        let function = self.function;
        let inst = function.inst(id);
        let Op::Store { value, ptr, align, volatile, order, scope } = &inst.op else { return Ok(()) };
        if self.store_returned(id)? {
            return Ok(());
        }
        let ty = self.value_type(*value)?;
        let wide = self.narrowed.remove(&id);
        let pair = self.whole_pair(*value).filter(|_| *align >= 4 && *order == AtomicOrder::NotAtomic);
        let values = if wide.is_some() || pair.is_some() { Vec::new() } else { self.defined(*value)? };
        let (pointer, scalar) = self.scalar(*ptr)?;
        if *order != AtomicOrder::NotAtomic {
            let access = Access { align: *align, volatile: *volatile, order: *order, scope };
            return self.atomic_store(id, ty, &filled(&values), (pointer, scalar), access);
        }
        let (address, space) = self.address_operand(pointer, scalar)?;
        if matches!(space, address_space::CONST | address_space::PARAM) {
            return Err(Refusal::new(INSTRUCTION, "a store to memory that only reads"));
        }
        let mods = self.hints(id);
        let mut opcode = "st".to_owned();
        if *volatile && takes_volatile(space) && !mods.contains(".wt") {
            opcode += ".volatile";
        }
        let word = space_word(space)?;
        if let (Some(wide), Some(leaf)) = (wide, self.leaves(ty)?.first()) {
            let (wide, scalar) = self.scalar(wide)?;
            let register = self.in_register(wide, scalar)?;
            let text = format!(".b{}", leaf.scalar.bits());
            return self.access(&opcode, word, &mods, &text, &[address.into(), register.into()]);
        }
        if let Some(register) = pair {
            return self.access(&opcode, word, &mods, ".b32", &[address.into(), register.into()]);
        }
        self.store_whole(ty, &values, address, word, u64::from(*align), &opcode, &mods)
    }

    /// The modifiers of `!ptx.mods`.
    pub(super) fn hints(&self, id: InstId) -> String {
        let view = self.module.view;
        let inst = self.function.inst(id);
        let Some(node) = inst.metadata("ptx.mods") else { return String::new() };
        // A load's type is said where its own is.
        let is_load = matches!(inst.op, Op::Load { .. });
        let texts = view.strings(node).into_iter();
        texts.filter(|text| text.starts_with('.') && !(is_load && *text == SIGNED_LOAD)).collect()
    }

    /// Appends an access; hints that no row takes are left out.
    pub(super) fn access(
        &mut self,
        opcode: &str,
        word: &str,
        mods: &str,
        ty: &str,
        args: &[Arg],
    ) -> Raised<()> {
        let full = format!("{opcode}{word}{mods}{ty}");
        if mods.is_empty() || self.module.mnemonics.rows(&full).is_some() {
            return self.emit(&full, args);
        }
        let kept = if mods.starts_with(".nc") { ".nc" } else { "" };
        self.emit(&format!("{opcode}{word}{kept}{ty}"), args)
    }

    /// The bytes of the widest vector access that a plain load or store of a state space has on the target (manual 9.7.9.8).
    fn widest_access(&self, opcode: &str, word: &str) -> u64 {
        let plain = matches!(opcode, "ld" | "st") && word == ".global";
        if plain && self.module.target.has(WIDE_VECTOR) { 2 * MAX_VECTOR } else { MAX_VECTOR }
    }

    /// Loads all leaves of a type in which no elements share bytes, or of a vector each of whose elements has bytes of its own.
    pub(super) fn load_leaves(
        &mut self,
        ty: TypeId,
        address: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<Vec<Val>> {
        let leaves = self.leaves(ty)?;
        self.load_each(&leaves, address, word, align, opcode, mods)
    }

    /// Loads leaves, neighbours together where an instruction takes them.
    pub(super) fn load_each(
        &mut self,
        leaves: &[Leaf],
        address: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<Vec<Val>> {
        let widest = self.widest_access(opcode, word);
        let mut values = Vec::with_capacity(leaves.len());
        let mut at = 0;
        while let Some(leaf) = leaves.get(at) {
            let aligned = alignment(align, leaf.offset);
            let place = Self::offset_operand(address, leaf.offset);
            if let Some(count) = self.words_at_start(&leaves[at..], aligned) {
                values.extend(self.load_words(count, place, word, opcode, mods)?);
                at += count * bytes::WORD;
                continue;
            }
            if let Some(run) = Run::at_start(&leaves[at..], aligned, word) {
                values.extend(self.load_run(run, place, word, opcode, mods)?);
                at += run.elements();
                continue;
            }
            let count = group(&leaves[at..], aligned, widest);
            if leaf.bytes * count as u64 > MAX_VECTOR {
                self.module.target.need(WIDE_VECTOR, &|| "an access of 32 bytes".to_owned())?;
            }
            if count > 1 {
                let (class, text) = memory_word(leaf.scalar);
                let registers: Vec<RegId> = (0..count).map(|_| self.register(class)).collect();
                let list: Vec<Operand> =
                    registers.iter().map(|&register| Operand::Register(register)).collect();
                let vector = Operand::Vector(self.builder.list(&list));
                self.access(
                    opcode,
                    word,
                    mods,
                    &format!(".v{count}.{text}"),
                    &[vector.into(), place.into()],
                )?;
                for (leaf, register) in leaves[at..].iter().zip(registers) {
                    values.push(self.loaded(register, leaf.scalar)?);
                }
            } else {
                values.push(self.load_leaf(*leaf, place, word, aligned, opcode, mods)?);
            }
            at += count;
        }
        Ok(values)
    }

    pub(super) fn load_leaf(
        &mut self,
        leaf: Leaf,
        place: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<Val> {
        if leaf.bytes.is_power_of_two() && align >= leaf.bytes {
            let (class, text) = memory_word(leaf.scalar);
            let register = self.register(class);
            self.access(opcode, word, mods, &format!(".{text}"), &[register.into(), place.into()])?;
            return self.loaded(register, leaf.scalar);
        }
        let bits = (leaf.bytes * 8) as u32;
        let (whole, mut at) = (integer_class(bits), 0);
        let mut sum: Option<RegId> = None;
        while at < leaf.bytes {
            let bytes = piece(at, leaf.bytes - at, align);
            let (class, text) = word_of(bytes);
            let part = self.register(class);
            let part_place = Self::offset_operand(place, at);
            self.access(opcode, word, mods, &format!(".{text}"), &[part.into(), part_place.into()])?;
            let wide = match self.resize_register(part, class.bits(), whole.bits())? {
                Val::Register(register, _) => register,
                Val::Bits(_) | Val::Address { .. } => part,
            };
            let shifted = if at == 0 {
                wide
            } else {
                let text = format!("shl.b{}", whole.bits());
                self.emit_new(whole, &text, &[wide.into(), Arg::Bits(at * 8, 32)])?
            };
            sum = Some(match sum {
                None => shifted,
                Some(sum) => {
                    let text = format!("or.b{}", whole.bits());
                    self.emit_new(whole, &text, &[sum.into(), shifted.into()])?
                }
            });
            at += bytes;
        }
        let sum = sum.ok_or_else(|| Refusal::new(INSTRUCTION, "a load of nothing"))?;
        self.leaf_from(sum, leaf.scalar)
    }

    /// A leaf out of the register its memory word was loaded to.
    fn loaded(&mut self, register: RegId, scalar: Scalar) -> Raised<Val> {
        match scalar {
            Scalar::Int(1) => {
                let bit = self.emit_new(Class::B16, "and.b16", &[register.into(), Arg::Bits(1, 16)])?;
                Ok(Val::reg(self.emit_new(Class::Pred, "setp.ne.b16", &[bit.into(), Arg::Bits(0, 16)])?))
            }
            Scalar::Int(8) => Ok(Val::Register(register, Upper::Zero)),
            Scalar::Pointer { bits, .. } => {
                self.resized(register, integer_class(bits), scalar.class()).map(Val::reg)
            }
            _ => Ok(Val::reg(register)),
        }
    }

    /// Stores all leaves of a type, where [`FunctionRaiser::load_leaves`] finds them.
    pub(super) fn store_leaves(
        &mut self,
        ty: TypeId,
        values: &[Val],
        address: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<()> {
        let defined: Vec<Option<Val>> = values.iter().copied().map(Some).collect();
        let leaves = self.leaves(ty)?;
        self.store_each(&leaves, &defined, address, word, align, opcode, mods)
    }

    /// Stores leaves, neighbours together where an instruction takes them. What is undefined is not written to parameters;
    /// in memory it is written where the program does, from a register that holds nothing.
    #[allow(clippy::too_many_arguments, reason = "an access has that many parts")]
    pub(super) fn store_each(
        &mut self,
        leaves: &[Leaf],
        values: &[Option<Val>],
        address: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<()> {
        let widest = self.widest_access(opcode, word);
        let skips = word == ".param";
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
            let aligned = alignment(align, leaf.offset);
            let place = Self::offset_operand(address, leaf.offset);
            let together = &leaves[at..leaves.len().min(at + run)];
            if let Some(count) = self.words_at_start(together, aligned)
                && self.store_words(count, &values[at..], place, word, opcode, mods)?
            {
                at += count * bytes::WORD;
                continue;
            }
            if let Some(run) = Run::at_start(together, aligned, word) {
                let mut elements = Vec::with_capacity(run.elements());
                for (leaf, value) in together.iter().zip(&values[at..]).take(run.elements()) {
                    let value = value.unwrap_or_else(|| Val::reg(self.register_for(leaf.scalar)));
                    elements.push(self.stored_register(value, leaf.scalar)?);
                }
                self.store_run(run, &elements, place, word, opcode, mods)?;
                at += run.elements();
                continue;
            }
            let count = group(together, aligned, widest);
            if leaf.bytes * count as u64 > MAX_VECTOR {
                self.module.target.need(WIDE_VECTOR, &|| "an access of 32 bytes".to_owned())?;
            }
            if count > 1 {
                let (_, text) = memory_word(leaf.scalar);
                let mut list = Vec::with_capacity(count);
                // Each by its own type: `i13` beside `i16` has other bits to clear.
                for (leaf, value) in together.iter().zip(&values[at..]).take(count) {
                    let value = value.unwrap_or_else(|| Val::reg(self.register_for(leaf.scalar)));
                    list.push(Operand::Register(self.stored_register(value, leaf.scalar)?));
                }
                let vector = Operand::Vector(self.builder.list(&list));
                self.access(
                    opcode,
                    word,
                    mods,
                    &format!(".v{count}.{text}"),
                    &[place.into(), vector.into()],
                )?;
            } else {
                let value = value.unwrap_or_else(|| Val::reg(self.register_for(leaf.scalar)));
                self.store_leaf(*leaf, value, place, word, aligned, opcode, mods)?;
            }
            at += count;
        }
        Ok(())
    }

    pub(super) fn store_leaf(
        &mut self,
        leaf: Leaf,
        value: Val,
        place: Operand,
        word: &str,
        align: u64,
        opcode: &str,
        mods: &str,
    ) -> Raised<()> {
        if leaf.bytes.is_power_of_two() && align >= leaf.bytes {
            let (class, text) = memory_word(leaf.scalar);
            let arg = match value {
                Val::Bits(bits) if matches!(class, Class::B16 | Class::B32 | Class::B64) => {
                    Arg::Bits(bits, class.bits())
                }
                Val::Bits(_) if matches!(leaf.scalar, Scalar::Float | Scalar::Double) => {
                    self.arg(value, leaf.scalar)?
                }
                other => self.stored_register(other, leaf.scalar)?.into(),
            };
            return self.access(opcode, word, mods, &format!(".{text}"), &[place.into(), arg]);
        }
        let (bits, whole) = self.bits_of(value, leaf.scalar)?;
        let mut at = 0;
        while at < leaf.bytes {
            let bytes = piece(at, leaf.bytes - at, align);
            let (class, text) = word_of(bytes);
            let shifted = if at == 0 {
                bits
            } else {
                let text = format!("shr.u{}", whole.bits());
                self.emit_new(whole, &text, &[bits.into(), Arg::Bits(at * 8, 32)])?
            };
            let part = match self.resize_register(shifted, whole.bits(), class.bits())? {
                Val::Register(register, _) => register,
                Val::Bits(_) | Val::Address { .. } => shifted,
            };
            let part_place = Self::offset_operand(place, at);
            self.access(opcode, word, mods, &format!(".{text}"), &[part_place.into(), part.into()])?;
            at += bytes;
        }
        Ok(())
    }

    /// The register whose low bits are stored.
    fn stored_register(&mut self, value: Val, scalar: Scalar) -> Raised<RegId> {
        match scalar {
            Scalar::Int(1) => {
                let register = self.in_register(value, scalar)?;
                let args = [Arg::Bits(1, 16), Arg::Bits(0, 16), register.into()];
                self.emit_new(Class::B16, "selp.b16", &args)
            }
            Scalar::Int(bits) if bits % 8 != 0 => self.zero_extended(value, scalar, scalar.class().bits()),
            Scalar::Pointer { bits, .. } => {
                let register = self.in_register(value, scalar)?;
                self.resized(register, scalar.class(), integer_class(bits))
            }
            _ => self.in_register(value, scalar),
        }
    }

    /// The bits of a leaf in an integer register, zero above its width.
    pub(super) fn bits_of(&mut self, value: Val, scalar: Scalar) -> Raised<(RegId, Class)> {
        match scalar {
            Scalar::Float => self.untyped(value, scalar, Class::B32),
            Scalar::Double => self.untyped(value, scalar, Class::B64),
            Scalar::Int(1) => Ok((self.stored_register(value, scalar)?, Class::B16)),
            Scalar::Int(_) => Ok((self.zero_extended(value, scalar, scalar.class().bits())?, scalar.class())),
            Scalar::Pointer { bits, .. } => Ok((self.stored_register(value, scalar)?, integer_class(bits))),
            Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair => {
                Ok((self.in_register(value, scalar)?, scalar.class()))
            }
        }
    }

    /// A floating-point number in a register of bits: a copy, unless it is in one already.
    fn untyped(&mut self, value: Val, scalar: Scalar, class: Class) -> Raised<(RegId, Class)> {
        let register = self.in_register(value, scalar)?;
        if self.builder.body().reg_type(register) == class.register_type() || self.is_own_name(register) {
            return Ok((register, class));
        }
        Ok((self.emit_new(class, mov(class), &[register.into()])?, class))
    }

    /// A leaf from its bits in an integer register of at least its width. Floating-point instructions take registers of bits
    /// (manual 6.4.1), so a number that fills one needs no copy.
    pub(super) fn leaf_from(&mut self, register: RegId, scalar: Scalar) -> Raised<Val> {
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
    ) -> Raised<Val> {
        let shifted = if at == 0 {
            register
        } else {
            let text = format!("shr.u{}", class.bits());
            self.emit_new(class, &text, &[register.into(), Arg::Bits(u64::from(at), 32)])?
        };
        if scalar == Scalar::Int(1) {
            let and = format!("and.b{}", class.bits());
            let bit = self.emit_new(class, &and, &[shifted.into(), Arg::Bits(1, class.bits())])?;
            let text = format!("setp.ne.b{}", class.bits());
            return Ok(Val::reg(self.emit_new(
                Class::Pred,
                &text,
                &[bit.into(), Arg::Bits(0, class.bits())],
            )?));
        }
        let integer = integer_class(scalar.bits());
        let resized = self.resize_register(shifted, class.bits(), integer.bits())?;
        let register = self.in_register(resized, Scalar::Int(integer.bits()))?;
        self.leaf_from(register, scalar)
    }

    /// Leaves side by side in one register, the first one lowest.
    pub(super) fn join_bits(&mut self, leaves: &[Leaf], values: &[Val], class: Class) -> Raised<RegId> {
        let mut sum: Option<RegId> = None;
        let mut constant = 0u64;
        let mut at = 0;
        for (leaf, value) in leaves.iter().zip(values) {
            if let Val::Bits(bits) = value {
                constant |= (bits & mask(leaf.scalar.bits())) << at;
            } else {
                let (bits, own) = self.bits_of(*value, leaf.scalar)?;
                let wide = self.resize_register(bits, own.bits(), class.bits())?;
                let wide = self.in_register(wide, Scalar::Int(class.bits()))?;
                let shifted = if at == 0 {
                    wide
                } else {
                    let text = format!("shl.b{}", class.bits());
                    self.emit_new(class, &text, &[wide.into(), Arg::Bits(u64::from(at), 32)])?
                };
                sum = Some(match sum {
                    None => shifted,
                    Some(sum) => {
                        let text = format!("or.b{}", class.bits());
                        self.emit_new(class, &text, &[sum.into(), shifted.into()])?
                    }
                });
            }
            at += leaf.scalar.bits();
        }
        match sum {
            None => self.in_register(Val::Bits(constant), Scalar::Int(class.bits())),
            Some(sum) if constant == 0 => Ok(sum),
            Some(sum) => {
                let text = format!("or.b{}", class.bits());
                self.emit_new(class, &text, &[sum.into(), Arg::Bits(constant, class.bits())])
            }
        }
    }

    /// Loads a parameter of a scalar type.
    pub(super) fn load_param(
        &mut self,
        address: Operand,
        passed: ptx_isa::ScalarType,
        scalar: Scalar,
    ) -> Raised<Val> {
        let bits = passed.bits();
        let class = match passed {
            ptx_isa::ScalarType::F32 => Class::F32,
            ptx_isa::ScalarType::F64 => Class::F64,
            _ => integer_class(bits),
        };
        let word = match class {
            Class::F32 => "f32".to_owned(),
            Class::F64 => "f64".to_owned(),
            _ => format!("b{bits}"),
        };
        let register = self.emit_new(class, &format!("ld.param.{word}"), &[address.into()])?;
        if let Scalar::Int(width) = scalar {
            if width == 1 {
                return self.extract_bits(register, class, 0, scalar);
            }
            if scalar.class() != class {
                return self.resize_register(register, class.bits(), scalar.class().bits());
            }
            if width == 8 && bits == 8 {
                return Ok(Val::Register(register, Upper::Zero));
            }
        }
        if let Scalar::Pointer { .. } = scalar {
            return self.resized(register, class, scalar.class()).map(Val::reg);
        }
        Ok(Val::reg(register))
    }

    /// A leaf as a parameter variable of type `passed` holds it.
    pub(super) fn store_param(
        &mut self,
        address: Operand,
        passed: ptx_isa::ScalarType,
        value: Val,
        scalar: Scalar,
        upper: Upper,
    ) -> Raised<()> {
        let word = match passed {
            ptx_isa::ScalarType::F32 => "f32".to_owned(),
            ptx_isa::ScalarType::F64 => "f64".to_owned(),
            _ => format!("b{}", passed.bits()),
        };
        let arg = match (scalar, value) {
            (Scalar::Int(width), Val::Bits(bits)) => {
                let bits =
                    if upper == Upper::Sign { crate::value::sign_extend(bits, width) as u64 } else { bits };
                Arg::Bits(bits, passed.bits())
            }
            (Scalar::Int(_), _) => match upper {
                Upper::Sign => self.sign_extended(value, scalar, passed.bits().max(16))?.into(),
                Upper::Any | Upper::Zero => self.zero_extended(value, scalar, passed.bits().max(16))?.into(),
            },
            (Scalar::Pointer { .. }, Val::Bits(bits)) => Arg::Bits(bits, passed.bits()),
            (Scalar::Pointer { .. }, _) => self.stored_register(value, scalar)?.into(),
            _ => self.arg(value, scalar)?,
        };
        self.emit(&format!("st.param.{word}"), &[address.into(), arg])
    }
}

/// Whether an access of a space can be volatile: the others belong to one thread or are never written.
fn takes_volatile(space: u32) -> bool {
    matches!(
        space,
        address_space::GENERIC
            | address_space::GLOBAL
            | address_space::SHARED
            | address_space::SHARED_CLUSTER
    )
}

/// The largest power of two that divides both.
pub(super) fn alignment(align: u64, offset: u64) -> u64 {
    let bits = align.max(1) | offset;
    1 << bits.trailing_zeros().min(16)
}

/// How many leaves from the first on one vector access of at most `widest` bytes takes.
fn group(leaves: &[Leaf], align: u64, widest: u64) -> usize {
    let Some(first) = leaves.first() else { return 1 };
    if !first.bytes.is_power_of_two() {
        return 1;
    }
    let word = memory_word(first.scalar);
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
                memory_word(leaf.scalar) == word
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

/// The register class and the type word of a leaf in memory.
fn memory_word(scalar: Scalar) -> (Class, &'static str) {
    match scalar {
        Scalar::Float => (Class::F32, "f32"),
        Scalar::Double => (Class::F64, "f64"),
        Scalar::Half | Scalar::BFloat => (Class::B16, "b16"),
        Scalar::HalfPair | Scalar::BFloatPair => (Class::B32, "b32"),
        Scalar::Int(bits) | Scalar::Pointer { bits, .. } => match bits {
            0..=8 => (Class::B16, "b8"),
            9..=16 => (Class::B16, "b16"),
            17..=32 => (Class::B32, "b32"),
            _ => (Class::B64, "b64"),
        },
    }
}

/// The class of integer registers that hold so many bits; predicates are none.
pub(super) fn integer_class(bits: u32) -> Class {
    match bits {
        0..=16 => Class::B16,
        17..=32 => Class::B32,
        _ => Class::B64,
    }
}
