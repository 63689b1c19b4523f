//! The registers that hold a value.
//!
//! The machine's registers have 32 bits, and much of LLVM IR only says which of them are meant: the low half of an integer, an
//! element of a vector, a number of the same bits. A value is therefore a list of words, each made by one instruction or
//! argument, independent of the values that pass it on:
//!
//! ```text
//!   %w = load i64, ptr %p                        [%w.0, %w.1]
//!   %l = trunc i64 %w to i32                     [%w.0]             no register of its own
//!   %v = bitcast i64 %w to <2 x i32>             [%w.0, %w.1]
//!   %h = extractelement <2 x i32> %v, i32 1      [%w.1]
//!   %s = sext i32 %h to i64                      [%w.1, %s.0]       the sign is computed
//! ```

use std::collections::HashMap;
use std::rc::Rc;

use ptx_llvm_core::address_space;
use ptx_llvm_core::edit::{Inst, Opcode, Type, TypeKind, Value};

/// The bits of a register; predicates are saved in one.
const REGISTER: u64 = 32;
/// A value with more words is not followed: that would cost more than it is worth.
const MOST_WORDS: usize = 128;
/// Types nested deeper, and values passed on more often, are not followed.
const DEEPEST: u32 = 64;

/// A register's content: the number of a word among those that an instruction makes, or an argument has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Word<'e> {
    pub(super) maker: Value<'e>,
    at: usize,
}

/// The words of a value; `None` for one that takes no register: a constant, an address known before the program runs.
pub(super) type List<'e> = Rc<[Option<Word<'e>>]>;

/// The words of the values of a function. Moving instructions changes none of them.
#[derive(Default)]
pub(super) struct Words<'e> {
    lists: HashMap<Value<'e>, Option<List<'e>>>,
}

impl<'e> Words<'e> {
    /// The words of a value; `None` when it is no data or has too many.
    pub(super) fn of(&mut self, value: Value<'e>) -> Option<List<'e>> {
        self.find(value, 0)
    }

    /// How many words an instruction makes itself.
    pub(super) fn made_by(&mut self, inst: Inst<'e>) -> Option<usize> {
        let list = self.of(inst.value())?;
        Some(list.iter().flatten().filter(|word| word.maker == inst.value()).count())
    }

    /// The different words of an instruction's operands.
    pub(super) fn read_by(&mut self, inst: Inst<'e>) -> Option<Vec<Word<'e>>> {
        let mut words = Vec::new();
        for operand in inst.operands() {
            for word in self.of(operand)?.iter().flatten() {
                if !words.contains(word) {
                    words.push(*word);
                }
            }
        }
        Some(words)
    }

    fn find(&mut self, value: Value<'e>, depth: u32) -> Option<List<'e>> {
        if let Some(list) = self.lists.get(&value) {
            return list.clone();
        }
        let inst = value.as_inst();
        let list = inst.and_then(|inst| self.passed_on(inst, depth)).or_else(|| own(value));
        self.lists.insert(value, list.clone());
        list
    }

    /// The words of a value that is made of others'; `None` when it has words of its own alone.
    fn passed_on(&mut self, inst: Inst<'e>, depth: u32) -> Option<List<'e>> {
        use Opcode::*;
        if depth > DEEPEST {
            return None;
        }
        let count = words(inst.ty(), 0)?;
        // Each arm gives up (`None`: the value makes all its words itself) where the counts differ. A list of the wrong length would
        // take one register for another.
        match inst.opcode() {
            BitCast | Freeze | PtrToInt | IntToPtr => {
                let list = self.operand(inst, 0, depth)?;
                (list.len() == count).then_some(list)
            }
            Trunc => Some(self.operand(inst, 0, depth)?.get(..count)?.into()),
            ZExt | SExt => self.extended(inst, count, depth),
            GetElementPtr => self.element_of_known_place(inst, count, depth),
            // The cast is an addition of a window's base, but of an address that is known before the program runs, which costs nothing.
            AddrSpaceCast => {
                let list = self.operand(inst, 0, depth)?;
                list.iter().all(Option::is_none).then(|| vec![None; count].into())
            }
            ExtractValue => {
                let start = position(inst)?;
                Some(self.operand(inst, 0, depth)?.get(start..start + count)?.into())
            }
            InsertValue => {
                let start = position(inst)?;
                self.replaced(inst, start, depth)
            }
            ExtractElement => {
                let start = element(inst, 1)? * count;
                let list = self.operand(inst, 0, depth)?;
                // Not so for `<2 x half>`, one word of two elements: taking one out is an instruction.
                (list.len() == count * length(inst.operand(0)?)).then_some(())?;
                Some(list.get(start..start + count)?.into())
            }
            InsertElement => {
                let one = words(inst.operand(1)?.ty(), 0)?;
                (count == one * length(inst.value())).then_some(())?;
                let start = element(inst, 2)? * one;
                self.replaced(inst, start, depth)
            }
            ShuffleVector => self.shuffled(inst, count, depth),
            _ => None,
        }
    }

    fn operand(&mut self, inst: Inst<'e>, number: u32, depth: u32) -> Option<List<'e>> {
        self.find(inst.operand(number)?, depth + 1)
    }

    /// An integer of 32 bits or more keeps its words when it is extended; those above are zero, or its sign, which is computed.
    fn extended(&mut self, inst: Inst<'e>, count: usize, depth: u32) -> Option<List<'e>> {
        let bits = inst.operand(0)?.ty().integer_bits()?;
        if !u64::from(bits).is_multiple_of(REGISTER) {
            return None;
        }
        let low = self.operand(inst, 0, depth)?;
        let signed = inst.opcode() == Opcode::SExt;
        // All words above the low ones are copies of one sign word, or the constant zero, which takes no register.
        let high = (low.len()..count).map(|_| signed.then_some(Word { maker: inst.value(), at: 0 }));
        Some(low.iter().copied().chain(high).collect())
    }

    /// An address a known way after another is not another register: accesses take the distance.
    fn element_of_known_place(&mut self, inst: Inst<'e>, count: usize, depth: u32) -> Option<List<'e>> {
        let known = inst.operands().skip(1).all(Value::is_constant);
        let list = self.operand(inst, 0, depth)?;
        (known && list.len() == count).then_some(list)
    }

    /// The words of the first operand, with those of the second from one place on.
    fn replaced(&mut self, inst: Inst<'e>, start: usize, depth: u32) -> Option<List<'e>> {
        let mut list = self.operand(inst, 0, depth)?.to_vec();
        let part = self.operand(inst, 1, depth)?;
        list.get_mut(start..start + part.len())?.copy_from_slice(&part);
        Some(list.into())
    }

    fn shuffled(&mut self, inst: Inst<'e>, count: usize, depth: u32) -> Option<List<'e>> {
        let mask = inst.shuffle_mask();
        let elements = mask.len();
        let each = count / elements.max(1);
        let sources = length(inst.operand(0)?);
        let both = [self.operand(inst, 0, depth)?, self.operand(inst, 1, depth)?].concat();
        // Two half-precision numbers in one register are taken apart.
        if each * elements != count || both.len() != 2 * sources * each {
            return None;
        }
        let mut list = Vec::with_capacity(count);
        for element in mask {
            match element {
                Some(from) => list.extend_from_slice(both.get(from * each..(from + 1) * each)?),
                None => list.extend(std::iter::repeat_n(None, each)),
            }
        }
        Some(list.into())
    }
}

/// The words that a value itself makes. Variables on the stack are at a known distance from the stack's.
fn own(value: Value<'_>) -> Option<List<'_>> {
    let count = words(value.ty(), 0)?;
    let makes = value.is_parameter() || value.as_inst().is_some_and(|inst| inst.opcode() != Opcode::Alloca);
    Some((0..count).map(|at| makes.then_some(Word { maker: value, at })).collect())
}

/// The number of elements of a vector; zero of anything else.
fn length(vector: Value<'_>) -> usize {
    match vector.ty().kind() {
        TypeKind::Vector { length, .. } => length as usize,
        _ => 0,
    }
}

/// The element that an operand names, when it is known.
fn element(inst: Inst<'_>, number: u32) -> Option<usize> {
    usize::try_from(inst.operand(number)?.as_unsigned()?).ok()
}

/// The number of words before the component that an instruction takes out or puts in.
fn position(inst: Inst<'_>) -> Option<usize> {
    let mut ty = inst.operand(0)?.ty();
    let mut before = 0;
    for index in inst.aggregate_indices() {
        if let TypeKind::Struct(_) = ty.kind() {
            for field in 0..index {
                before += words(ty.field(field)?, 0)?;
            }
            ty = ty.field(index)?;
        } else {
            ty = ty.field(index)?;
            before += words(ty, 0)? * index as usize;
        }
    }
    Some(before)
}

/// The words of a type; `None` when it is no data, or has too many.
fn words(ty: Type<'_>, depth: u32) -> Option<usize> {
    if depth > DEEPEST {
        return None;
    }
    let count = match ty.kind() {
        TypeKind::Integer(bits) => u64::from(bits).div_ceil(REGISTER) as usize,
        TypeKind::Half | TypeKind::BFloat | TypeKind::Float => 1,
        TypeKind::Double => 2,
        TypeKind::Pointer(address_space::SHARED) => 1,
        TypeKind::Pointer(_) => 2,
        TypeKind::Vector { element, length } => vector_words(element, length as usize, depth)?,
        TypeKind::Array { element, length } => {
            words(element, depth + 1)?.checked_mul(usize::try_from(length).ok()?)?
        }
        TypeKind::Struct(fields) => {
            let mut sum = 0_usize;
            for at in 0..fields {
                sum = sum.checked_add(words(ty.field(at)?, depth + 1)?)?;
            }
            sum
        }
        TypeKind::ScalableVector { .. } | TypeKind::Void | TypeKind::OtherFloat | TypeKind::Other => {
            return None;
        }
    };
    (count <= MOST_WORDS).then_some(count)
}

/// Two half-precision numbers of a vector of an even number share a register, as PTX computes with them.
fn vector_words(element: Type<'_>, length: usize, depth: u32) -> Option<usize> {
    let halves = matches!(element.kind(), TypeKind::Half | TypeKind::BFloat);
    match halves && length.is_multiple_of(2) {
        true => Some(length / 2),
        false => words(element, depth + 1)?.checked_mul(length),
    }
}
