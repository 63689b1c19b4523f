//! `llvm.memcpy`, `llvm.memmove` and `llvm.memset`: short ones as a sequence, long ones as a loop.

use ptx_ir::{AddressBase, Operand, RegId, Symbol};
use ptx_isa::{Mod, Since, ptx};
use ptx_llvm::address_space;
use ptx_llvm::view::Call;

use super::access::{Access, is_short, piece, word_of};
use super::append::{Arg, mov, number};
use super::generic::argument;
use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Scalar};
use crate::value::Val;

/// Loads and stores that say their order.
const RELAXED: Since = Since::new(6, 0, 70);

/// One side of a copy: how it is read or written.
#[derive(Clone, Copy)]
struct Side {
    access: Access<'static>,
    space: u32,
}

impl Emitter<'_, '_, '_> {
    /// `memcpy` and, when they may overlap, `memmove`.
    pub(super) fn copy_memory(&mut self, call: &Call, overlaps: bool) -> Result<()> {
        let (to, from) = (self.written(call, 0)?, self.read(call, 1)?);
        let volatile = self.scalar(argument(call, 3)?)?.0 == Val::Bits(1);
        let (to, from) = (to.volatile(volatile)?, from.volatile(volatile)?);
        let (length, scalar) = self.low_word(argument(call, 2)?)?;
        let align = to.access.align.min(from.access.align);
        match length {
            Val::Bits(size) if is_short(size, align) => self.copy_sequence(&to, &from, size, align),
            Val::Bits(size) => {
                let step = align.min(8);
                let count = self.in_register(Val::Bits(size / step), Scalar::Int(64))?;
                if overlaps {
                    // One byte at a time is right for every distance.
                    let count = self.in_register(Val::Bits(size), Scalar::Int(64))?;
                    return self.move_loop(&to, &from, count, 1);
                }
                self.copy_loop(&to, &from, count, step)?;
                let done = size - size % step;
                let (to, from) = (to.after(done), from.after(done));
                self.copy_sequence(&to, &from, size % step, align)
            }
            other => {
                let count = self.zero_extended(other, scalar, 64)?;
                if overlaps {
                    self.move_loop(&to, &from, count, 1)
                } else {
                    self.copy_loop(&to, &from, count, 1)
                }
            }
        }
    }

    /// `memset`.
    pub(super) fn set_memory(&mut self, call: &Call) -> Result<()> {
        let to = self.written(call, 0)?;
        let (length, scalar) = self.low_word(argument(call, 2)?)?;
        let volatile = self.scalar(argument(call, 3)?)?.0 == Val::Bits(1);
        let to = to.volatile(volatile)?;
        let word = self.filled_word(call)?;
        match length {
            Val::Bits(size) if is_short(size, to.access.align) => self.set_sequence(&to, word, size),
            Val::Bits(size) => {
                let step = to.access.align.min(8);
                let count = self.in_register(Val::Bits(size / step), Scalar::Int(64))?;
                self.set_loop(&to, word, count, step)?;
                self.set_sequence(&to.after(size - size % step), word, size % step)
            }
            other => {
                let count = self.zero_extended(other, scalar, 64)?;
                self.set_loop(&to, word, count, 1)
            }
        }
    }

    /// `*.element.unordered.atomic`: the size of the elements that are each accessed whole, and what of loads and stores makes sure
    /// of that: accesses of up to eight bytes aligned to their size are single (manual 8.2.1), and `.relaxed` or `.volatile` ones are no
    /// data races.
    fn element_access(&mut self, call: &Call, side: Side) -> Result<(u64, Side)> {
        let Val::Bits(size) = self.scalar(argument(call, 3)?)?.0 else {
            return Err(RaiseError::new(INSTRUCTION, "a size of elements that is not a constant"));
        };
        if !matches!(size, 1 | 2 | 4 | 8) {
            let message = format!("a copy by elements of {size} bytes that are each accessed whole");
            return Err(RaiseError::new(INSTRUCTION, message));
        }
        let shared_by_threads = matches!(
            side.space,
            address_space::GENERIC
                | address_space::GLOBAL
                | address_space::SHARED
                | address_space::SHARED_CLUSTER
        );
        let kind: &[Mod] = match (shared_by_threads, self.module.target.has(RELAXED)) {
            (false, _) => &[],
            (true, true) => &[Mod::Relaxed, Mod::Sys],
            (true, false) => &[Mod::Volatile],
        };
        Ok((size, Side { access: side.access.with(kind, &[])?, ..side }))
    }

    /// `memcpy` and `memmove` by elements.
    pub(super) fn copy_elements(&mut self, call: &Call, overlaps: bool) -> Result<()> {
        let (to, from) = (self.written(call, 0)?, self.read(call, 1)?);
        let (step, from) = self.element_access(call, from)?;
        let (_, to) = self.element_access(call, to)?;
        let count = self.element_count(call, step)?;
        if overlaps {
            self.move_loop(&to, &from, count, step)
        } else {
            self.copy_loop(&to, &from, count, step)
        }
    }

    /// `memset` by elements.
    pub(super) fn set_elements(&mut self, call: &Call) -> Result<()> {
        let to = self.written(call, 0)?;
        let (step, to) = self.element_access(call, to)?;
        let word = self.filled_word(call)?;
        let count = self.element_count(call, step)?;
        self.set_loop(&to, word, count, step)
    }

    /// How many elements a length in bytes is.
    fn element_count(&mut self, call: &Call, step: u64) -> Result<RegId> {
        let (length, scalar) = self.low_word(argument(call, 2)?)?;
        let bytes = match length {
            Val::Bits(bytes) => return self.in_register(Val::Bits(bytes / step), Scalar::Int(64)),
            other => self.zero_extended(other, scalar, 64)?,
        };
        let shift = Arg::Bits(u64::from(step.trailing_zeros()), 32);
        self.compute(ptx!("shr.u64"), &[bytes.into(), shift])
    }

    /// The byte that memory is set to, eight times.
    fn filled_word(&mut self, call: &Call) -> Result<Arg> {
        let (byte, kind) = self.scalar(argument(call, 1)?)?;
        Ok(match byte {
            Val::Bits(bits) => Arg::Bits((bits & 0xff).wrapping_mul(0x0101_0101_0101_0101), 64),
            other => {
                let wide = self.zero_extended(other, kind, 64)?;
                let all = Arg::Bits(0x0101_0101_0101_0101, 64);
                self.compute(ptx!("mul.lo.s64"), &[wide.into(), all])?.into()
            }
        })
    }

    fn read(&mut self, call: &Call, at: usize) -> Result<Side> {
        let (address, space, align) = self.place_of(call, at)?;
        Ok(Side { access: Access::load(space, address, align)?, space })
    }

    fn written(&mut self, call: &Call, at: usize) -> Result<Side> {
        let (address, space, align) = self.place_of(call, at)?;
        Ok(Side { access: Access::written(space, address, align)?, space })
    }

    /// Where an argument points, in which space, and how far that is aligned.
    fn place_of(&mut self, call: &Call, at: usize) -> Result<(Operand, u32, u64)> {
        let (value, scalar) = self.scalar(argument(call, at)?)?;
        let (address, space) = self.address_operand(value, scalar)?;
        let align =
            call.arg_attributes.get(at).and_then(|attributes| attributes.number("align")).unwrap_or(1);
        let align = align.max(self.known_align(address));
        Ok((address, space, align.clamp(1, 16)))
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
    fn copy_sequence(&mut self, to: &Side, from: &Side, size: u64, align: u64) -> Result<()> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < size {
            let bytes = piece(at, size - at, align);
            let ty = word_of(bytes);
            parts.push((at, ty, self.load_vector(&from.access.after(at), ty, Class::of_type(ty), 1)?));
            at += bytes;
        }
        for (at, ty, value) in parts {
            self.store_vector(&to.access.after(at), ty, &value)?;
        }
        Ok(())
    }

    fn set_sequence(&mut self, to: &Side, word: Arg, size: u64) -> Result<()> {
        let mut at = 0;
        while at < size {
            let bytes = piece(at, size - at, to.access.align);
            let ty = word_of(bytes);
            let value = self.part_of(word, Class::of_type(ty))?;
            self.emit(to.access.of(ty, 1)?, &[to.access.after(at).address.into(), value])?;
            at += bytes;
        }
        Ok(())
    }

    /// The low part of a filled word.
    fn part_of(&mut self, word: Arg, class: Class) -> Result<Arg> {
        match word {
            Arg::Bits(bits, _) => Ok(Arg::Bits(bits, class.bits())),
            Arg::Operand(Operand::Register(register)) => {
                self.resized(register, Class::B64, class).map(Arg::from)
            }
            Arg::Operand(_) | Arg::Second(_) => {
                Err(RaiseError::new(INSTRUCTION, "a filled word that is not a register"))
            }
        }
    }

    /// A register that steps through memory.
    fn cursor(&mut self, side: &Side) -> Result<RegId> {
        let Operand::Address(base, offset) = side.access.address else {
            return Err(RaiseError::new(INSTRUCTION, "a copy without an address"));
        };
        let class = self.pointer_class(side.space);
        let cursor = self.register(class);
        let width = class.bits();
        let number = Arg::Bits(offset as u64, width);
        match base {
            AddressBase::Register(register) => {
                self.emit(ptx!("add.s32").with_bits(width)?, &[cursor.into(), register.into(), number])?;
            }
            AddressBase::Symbol(symbol) => {
                self.emit(mov(class), &[cursor.into(), Operand::Symbol(symbol, offset).into()])?;
            }
            AddressBase::Absolute => self.emit(mov(class), &[cursor.into(), number])?,
        }
        Ok(cursor)
    }

    fn copy_loop(&mut self, to: &Side, from: &Side, count: RegId, step: u64) -> Result<()> {
        let (target, source) = (self.cursor(to)?, self.cursor(from)?);
        let (to_class, from_class) = (self.pointer_class(to.space), self.pointer_class(from.space));
        let ty = word_of(step);
        let (load, store) = (from.access.of(ty, 1)?, to.access.of(ty, 1)?);
        self.counted(count, &mut |this| {
            let value = this.compute(load, &[pointed(source)])?;
            this.emit(store, &[pointed(target), value.into()])?;
            this.advance(source, from_class, step as i64)?;
            this.advance(target, to_class, step as i64)
        })
    }

    fn set_loop(&mut self, to: &Side, word: Arg, count: RegId, step: u64) -> Result<()> {
        let target = self.cursor(to)?;
        let to_class = self.pointer_class(to.space);
        let ty = word_of(step);
        let value = self.part_of(word, Class::of_type(ty))?;
        let store = to.access.of(ty, 1)?;
        self.counted(count, &mut |this| {
            this.emit(store, &[pointed(target), value])?;
            this.advance(target, to_class, step as i64)
        })
    }

    /// Copies `count` elements of `size` bytes from the end that is safe: backward when the target lies after the source.
    fn move_loop(&mut self, to: &Side, from: &Side, count: RegId, size: u64) -> Result<()> {
        let (target, source) = (self.cursor(to)?, self.cursor(from)?);
        let ty = word_of(size);
        let (load, store) = (from.access.of(ty, 1)?, to.access.of(ty, 1)?);
        let (to_class, from_class) = (self.pointer_class(to.space), self.pointer_class(from.space));
        let generic = address_space::GENERIC;
        let target_generic = self.convert_address(target, to.space, generic)?;
        let source_generic = self.convert_address(source, from.space, generic)?;
        let backward = self.compute(ptx!("setp.gt.u64"), &[target_generic.into(), source_generic.into()])?;
        let step = self.compute(
            ptx!("selp.b64"),
            &[Arg::Bits(size.wrapping_neg(), 64), number(size), backward.into()],
        )?;
        let last = self.compute(ptx!("sub.s64"), &[count.into(), number(1)])?;
        let last = match size {
            1 => last,
            size => self.compute(ptx!("mul.lo.s64"), &[last.into(), number(size)])?,
        };
        let skip = self.compute(ptx!("selp.b64"), &[last.into(), number(0), backward.into()])?;
        for (cursor, class) in [(target, to_class), (source, from_class)] {
            self.add_register(cursor, class, skip)?;
        }
        self.counted(count, &mut |this| {
            let value = this.compute(load, &[pointed(source)])?;
            this.emit(store, &[pointed(target), value.into()])?;
            this.add_register(source, from_class, step)?;
            this.add_register(target, to_class, step)
        })
    }

    fn add_register(&mut self, cursor: RegId, class: Class, distance: RegId) -> Result<()> {
        let distance = self.resized(distance, Class::B64, class)?;
        let add = ptx!("add.s32").with_bits(class.bits())?;
        self.emit(add, &[cursor.into(), cursor.into(), distance.into()])
    }

    fn advance(&mut self, cursor: RegId, class: Class, bytes: i64) -> Result<()> {
        let add = ptx!("add.s32").with_bits(class.bits())?;
        self.emit(add, &[cursor.into(), cursor.into(), Arg::Bits(bytes as u64, class.bits())])
    }

    /// Repeats statements that many times, perhaps never.
    fn counted(&mut self, count: RegId, body: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let left = self.compute(ptx!("mov.b64"), &[count.into()])?;
        let (again, end) = (self.new_label(), self.new_label());
        let none = self.compute(ptx!("setp.eq.s64"), &[left.into(), number(0)])?;
        self.branch_if(none, false, end)?;
        self.builder.place(again);
        body(self)?;
        self.emit(ptx!("sub.s64"), &[left.into(), left.into(), number(1)])?;
        let more = self.compute(ptx!("setp.ne.s64"), &[left.into(), number(0)])?;
        self.branch_if(more, false, again)?;
        self.builder.place(end);
        Ok(())
    }
}

impl Side {
    /// The place some bytes further on, which is aligned as far.
    fn after(&self, bytes: u64) -> Side {
        Side { access: Access { align: self.access.align, ..self.access.after(bytes) }, ..*self }
    }

    /// With accesses that are volatile, if wanted and if others see the memory.
    fn volatile(self, wanted: bool) -> Result<Side> {
        let sees_others =
            !matches!(self.space, address_space::CONST | address_space::LOCAL | address_space::PARAM);
        let modifiers: &[Mod] = if wanted && sees_others { &[Mod::Volatile] } else { &[] };
        Ok(Side { access: self.access.with(modifiers, &[])?, ..self })
    }
}

/// What a register points at.
fn pointed(register: RegId) -> Arg {
    Operand::Address(AddressBase::Register(register), 0).into()
}
