//! `llvm.memcpy`, `llvm.memmove` and `llvm.memset`: short ones as a sequence, long ones as a loop.

use ptx_ir::{AddressBase, Operand, RegId, Symbol};
use ptx_isa::Since;
use ptx_llvm::address_space;
use ptx_llvm::view::Call;

use super::FunctionRaiser;
use super::emit::{Arg, number, space_word};
use super::generic::argument;
use super::prologue::{piece, word_of};
use crate::error::{INSTRUCTION, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::Val;

/// Constant sizes up to this become a sequence of accesses, when these are not more than [`MAX_ACCESSES`].
const MAX_SEQUENCE: u64 = 128;

/// Memory of little alignment is accessed byte by byte: more than this many loads or stores are a loop.
const MAX_ACCESSES: u64 = 32;

/// Loads and stores that say their order.
const RELAXED: Since = Since::new(6, 0, 70);

/// One side of a copy.
struct Side {
    address: Operand,
    space: u32,
    align: u64,
}

/// Whether memory of that many bytes is accessed by a sequence.
pub(super) fn is_short(size: u64, align: u64) -> bool {
    size <= MAX_SEQUENCE && size / align.clamp(1, 8) <= MAX_ACCESSES
}

impl FunctionRaiser<'_, '_, '_> {
    /// `memcpy` and, when they may overlap, `memmove`.
    pub(super) fn copy_memory(&mut self, call: &Call, overlaps: bool) -> Raised<()> {
        let (to, from) = (self.side(call, 0)?, self.side(call, 1)?);
        if matches!(to.space, address_space::CONST | address_space::PARAM) {
            return Err(Refusal::new(INSTRUCTION, "a copy to memory that only reads"));
        }
        let volatile = self.scalar(argument(call, 3)?)?.0 == Val::Bits(1);
        let (load, store) = (access("ld", &from, volatile)?, access("st", &to, volatile)?);
        let (length, scalar) = self.low_word(argument(call, 2)?)?;
        let align = to.align.min(from.align);
        match length {
            Val::Bits(size) if is_short(size, align) => {
                self.copy_sequence(&to, &from, &load, &store, size, align)
            }
            Val::Bits(size) => {
                let step = align.min(8);
                let count = self.in_register(Val::Bits(size / step), Scalar::Int(64))?;
                if overlaps {
                    // One byte at a time is right whatever the distance.
                    let count = self.in_register(Val::Bits(size), Scalar::Int(64))?;
                    return self.move_loop(&to, &from, &load, &store, count, 1);
                }
                self.copy_loop(&to, &from, &load, &store, count, step)?;
                let done = size - size % step;
                let (to, from) = (to.after(done), from.after(done));
                self.copy_sequence(&to, &from, &load, &store, size % step, align)
            }
            other => {
                let count = self.zero_extended(other, scalar, 64)?;
                if overlaps {
                    self.move_loop(&to, &from, &load, &store, count, 1)
                } else {
                    self.copy_loop(&to, &from, &load, &store, count, 1)
                }
            }
        }
    }

    /// `memset`.
    pub(super) fn set_memory(&mut self, call: &Call) -> Raised<()> {
        let to = self.side(call, 0)?;
        if matches!(to.space, address_space::CONST | address_space::PARAM) {
            return Err(Refusal::new(INSTRUCTION, "a store to memory that only reads"));
        }
        let (length, scalar) = self.low_word(argument(call, 2)?)?;
        let volatile = self.scalar(argument(call, 3)?)?.0 == Val::Bits(1);
        let store = access("st", &to, volatile)?;
        let word = self.filled_word(call)?;
        match length {
            Val::Bits(size) if is_short(size, to.align) => self.set_sequence(&to, &store, word, size),
            Val::Bits(size) => {
                let step = to.align.min(8);
                let count = self.in_register(Val::Bits(size / step), Scalar::Int(64))?;
                self.set_loop(&to, &store, word, count, step)?;
                self.set_sequence(&to.after(size - size % step), &store, word, size % step)
            }
            other => {
                let count = self.zero_extended(other, scalar, 64)?;
                self.set_loop(&to, &store, word, count, 1)
            }
        }
    }

    /// `*.element.unordered.atomic`: the size of the elements that are each accessed whole, and what of loads and stores makes sure
    /// of that: accesses of up to eight bytes aligned to their size are single (manual 8.2.1), and `.relaxed` or `.volatile` ones are no
    /// data races.
    fn element_access(&mut self, call: &Call, opcode: &str, side: &Side) -> Raised<(u64, String)> {
        let Val::Bits(size) = self.scalar(argument(call, 3)?)?.0 else {
            return Err(Refusal::new(INSTRUCTION, "a size of elements that is not a constant"));
        };
        if !matches!(size, 1 | 2 | 4 | 8) {
            let message = format!("a copy by elements of {size} bytes that are each accessed whole");
            return Err(Refusal::new(INSTRUCTION, message));
        }
        let shared_by_threads = matches!(
            side.space,
            address_space::GENERIC
                | address_space::GLOBAL
                | address_space::SHARED
                | address_space::SHARED_CLUSTER
        );
        let kind = match (shared_by_threads, self.module.target.has(RELAXED)) {
            (false, _) => "",
            (true, true) => ".relaxed.sys",
            (true, false) => ".volatile",
        };
        Ok((size, format!("{opcode}{kind}{}", space_word(side.space)?)))
    }

    /// `memcpy` and `memmove` by elements.
    pub(super) fn copy_elements(&mut self, call: &Call, overlaps: bool) -> Raised<()> {
        let (to, from) = (self.side(call, 0)?, self.side(call, 1)?);
        let (step, load) = self.element_access(call, "ld", &from)?;
        let (_, store) = self.element_access(call, "st", &to)?;
        let count = self.element_count(call, step)?;
        if overlaps {
            self.move_loop(&to, &from, &load, &store, count, step)
        } else {
            self.copy_loop(&to, &from, &load, &store, count, step)
        }
    }

    /// `memset` by elements.
    pub(super) fn set_elements(&mut self, call: &Call) -> Raised<()> {
        let to = self.side(call, 0)?;
        let (step, store) = self.element_access(call, "st", &to)?;
        let word = self.filled_word(call)?;
        let count = self.element_count(call, step)?;
        self.set_loop(&to, &store, word, count, step)
    }

    /// How many elements a length in bytes is.
    fn element_count(&mut self, call: &Call, step: u64) -> Raised<RegId> {
        let (length, scalar) = self.low_word(argument(call, 2)?)?;
        let bytes = match length {
            Val::Bits(bytes) => return self.in_register(Val::Bits(bytes / step), Scalar::Int(64)),
            other => self.zero_extended(other, scalar, 64)?,
        };
        let shift = Arg::Bits(u64::from(step.trailing_zeros()), 32);
        self.emit_new(Class::B64, "shr.u64", &[bytes.into(), shift])
    }

    /// The byte that memory is set to, eight times.
    fn filled_word(&mut self, call: &Call) -> Raised<Arg> {
        let (byte, kind) = self.scalar(argument(call, 1)?)?;
        Ok(match byte {
            Val::Bits(bits) => Arg::Bits((bits & 0xff).wrapping_mul(0x0101_0101_0101_0101), 64),
            other => {
                let wide = self.zero_extended(other, kind, 64)?;
                let all = Arg::Bits(0x0101_0101_0101_0101, 64);
                self.emit_new(Class::B64, "mul.lo.s64", &[wide.into(), all])?.into()
            }
        })
    }

    fn side(&mut self, call: &Call, at: usize) -> Raised<Side> {
        let (value, scalar) = self.scalar(argument(call, at)?)?;
        let (address, space) = self.address_operand(value, scalar)?;
        let align =
            call.arg_attributes.get(at).and_then(|attributes| attributes.number("align")).unwrap_or(1);
        let align = align.max(self.known_align(address));
        Ok(Side { address, space, align: align.clamp(1, 16) })
    }

    /// The alignment of a place in a variable, whose own is known.
    fn known_align(&self, address: Operand) -> u64 {
        let Operand::Address(AddressBase::Symbol(Symbol::Variable(variable)), offset) = address else {
            return 1;
        };
        let own = u64::from(self.module.ir.variable(variable).align.unwrap_or(1));
        if offset == 0 { own } else { own.min(1 << offset.trailing_zeros().min(16)) }
    }

    /// Loads everything before it stores anything, so that overlapping is no matter.
    fn copy_sequence(
        &mut self,
        to: &Side,
        from: &Side,
        load: &str,
        store: &str,
        size: u64,
        align: u64,
    ) -> Raised<()> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < size {
            let bytes = piece(at, size - at, align);
            let (class, word) = word_of(bytes);
            let place = Self::offset_operand(from.address, at);
            parts.push((at, word, self.emit_new(class, &format!("{load}.{word}"), &[place.into()])?));
            at += bytes;
        }
        for (at, word, value) in parts {
            let place = Self::offset_operand(to.address, at);
            self.emit(&format!("{store}.{word}"), &[place.into(), value.into()])?;
        }
        Ok(())
    }

    fn set_sequence(&mut self, to: &Side, store: &str, word: Arg, size: u64) -> Raised<()> {
        let mut at = 0;
        while at < size {
            let bytes = piece(at, size - at, to.align);
            let place = Self::offset_operand(to.address, at);
            let (class, ty) = word_of(bytes);
            let value = self.part_of(word, class)?;
            self.emit(&format!("{store}.{ty}"), &[place.into(), value])?;
            at += bytes;
        }
        Ok(())
    }

    /// The low part of a filled word.
    fn part_of(&mut self, word: Arg, class: Class) -> Raised<Arg> {
        match word {
            Arg::Bits(bits, _) => Ok(Arg::Bits(bits, class.bits())),
            Arg::Operand(Operand::Register(register)) => {
                self.resized(register, Class::B64, class).map(Arg::from)
            }
            Arg::Operand(_) => Err(Refusal::new(INSTRUCTION, "a filled word that is not a register")),
        }
    }

    /// A register that steps through memory.
    fn cursor(&mut self, side: &Side) -> Raised<RegId> {
        let Operand::Address(base, offset) = side.address else {
            return Err(Refusal::new(INSTRUCTION, "a copy without an address"));
        };
        let class = self.pointer_class(side.space);
        let cursor = self.register(class);
        let width = class.bits();
        match base {
            AddressBase::Register(register) => {
                self.emit(
                    &format!("add.s{width}"),
                    &[cursor.into(), register.into(), Arg::Bits(offset as u64, width)],
                )?;
            }
            AddressBase::Symbol(symbol) => {
                self.emit(
                    &format!("mov.b{width}"),
                    &[cursor.into(), Operand::Symbol(symbol, offset).into()],
                )?;
            }
            AddressBase::Absolute => {
                self.emit(&format!("mov.b{width}"), &[cursor.into(), Arg::Bits(offset as u64, width)])?;
            }
        }
        Ok(cursor)
    }

    fn copy_loop(
        &mut self,
        to: &Side,
        from: &Side,
        load: &str,
        store: &str,
        count: RegId,
        step: u64,
    ) -> Raised<()> {
        let (target, source) = (self.cursor(to)?, self.cursor(from)?);
        let (to_class, from_class) = (self.pointer_class(to.space), self.pointer_class(from.space));
        let (class, word) = word_of(step);
        self.counted(count, &mut |this| {
            let place = Operand::Address(AddressBase::Register(source), 0);
            let value = this.emit_new(class, &format!("{load}.{word}"), &[place.into()])?;
            let place = Operand::Address(AddressBase::Register(target), 0);
            this.emit(&format!("{store}.{word}"), &[place.into(), value.into()])?;
            this.advance(source, from_class, step as i64)?;
            this.advance(target, to_class, step as i64)
        })
    }

    fn set_loop(&mut self, to: &Side, store: &str, word: Arg, count: RegId, step: u64) -> Raised<()> {
        let target = self.cursor(to)?;
        let to_class = self.pointer_class(to.space);
        let (class, ty) = word_of(step);
        let value = self.part_of(word, class)?;
        self.counted(count, &mut |this| {
            let place = Operand::Address(AddressBase::Register(target), 0);
            this.emit(&format!("{store}.{ty}"), &[place.into(), value])?;
            this.advance(target, to_class, step as i64)
        })
    }

    /// Copies `count` elements of `size` bytes from the end that is safe: backward when the target lies after the source.
    fn move_loop(
        &mut self,
        to: &Side,
        from: &Side,
        load: &str,
        store: &str,
        count: RegId,
        size: u64,
    ) -> Raised<()> {
        let (target, source) = (self.cursor(to)?, self.cursor(from)?);
        let (class, word) = word_of(size);
        let (to_class, from_class) = (self.pointer_class(to.space), self.pointer_class(from.space));
        let generic = address_space::GENERIC;
        let target_generic = self.convert_address(target, to.space, generic)?;
        let source_generic = self.convert_address(source, from.space, generic)?;
        let backward =
            self.emit_new(Class::Pred, "setp.gt.u64", &[target_generic.into(), source_generic.into()])?;
        let step = self.emit_new(
            Class::B64,
            "selp.b64",
            &[Arg::Bits(size.wrapping_neg(), 64), number(size), backward.into()],
        )?;
        let last = self.emit_new(Class::B64, "sub.s64", &[count.into(), number(1)])?;
        let last = match size {
            1 => last,
            size => self.emit_new(Class::B64, "mul.lo.s64", &[last.into(), number(size)])?,
        };
        let skip = self.emit_new(Class::B64, "selp.b64", &[last.into(), number(0), backward.into()])?;
        for (cursor, class) in [(target, to_class), (source, from_class)] {
            self.add_register(cursor, class, skip)?;
        }
        self.counted(count, &mut |this| {
            let place = Operand::Address(AddressBase::Register(source), 0);
            let value = this.emit_new(class, &format!("{load}.{word}"), &[place.into()])?;
            let place = Operand::Address(AddressBase::Register(target), 0);
            this.emit(&format!("{store}.{word}"), &[place.into(), value.into()])?;
            this.add_register(source, from_class, step)?;
            this.add_register(target, to_class, step)
        })
    }

    fn add_register(&mut self, cursor: RegId, class: Class, distance: RegId) -> Raised<()> {
        let distance = self.resized(distance, Class::B64, class)?;
        let text = format!("add.s{}", class.bits());
        self.emit(&text, &[cursor.into(), cursor.into(), distance.into()])
    }

    fn advance(&mut self, cursor: RegId, class: Class, bytes: i64) -> Raised<()> {
        let text = format!("add.s{}", class.bits());
        self.emit(&text, &[cursor.into(), cursor.into(), Arg::Bits(bytes as u64, class.bits())])
    }

    /// Repeats statements that many times, perhaps never.
    fn counted(&mut self, count: RegId, body: &mut dyn FnMut(&mut Self) -> Raised<()>) -> Raised<()> {
        let left = self.emit_new(Class::B64, "mov.b64", &[count.into()])?;
        let (again, end) = (self.new_label(), self.new_label());
        let none = self.emit_new(Class::Pred, "setp.eq.s64", &[left.into(), number(0)])?;
        self.branch_if(none, false, end)?;
        self.builder.place(again);
        body(self)?;
        self.emit("sub.s64", &[left.into(), left.into(), number(1)])?;
        let more = self.emit_new(Class::Pred, "setp.ne.s64", &[left.into(), number(0)])?;
        self.branch_if(more, false, again)?;
        self.builder.place(end);
        Ok(())
    }
}

impl Side {
    /// The place some bytes further on.
    fn after(&self, bytes: u64) -> Side {
        let address = match self.address {
            Operand::Address(base, offset) => Operand::Address(base, offset.wrapping_add(bytes as i64)),
            other => other,
        };
        Side { address, space: self.space, align: self.align }
    }
}

/// The opcode of a side's accesses.
fn access(opcode: &str, side: &Side, volatile: bool) -> Raised<String> {
    let sees_others =
        !matches!(side.space, address_space::CONST | address_space::LOCAL | address_space::PARAM);
    let volatile = if volatile && sees_others { ".volatile" } else { "" };
    Ok(format!("{opcode}{volatile}{}", space_word(side.space)?))
}
