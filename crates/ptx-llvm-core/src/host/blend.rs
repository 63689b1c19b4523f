//! Bitwise selections by constants, under lane masks.
//!
//! LLVM 22 miscompiles one form of them on x86 with AVX-512 (its issue 157929): if the bitwise selection and the selection by the mask become one
//! `vpternlog` whose operands are commuted, the instruction has the truth table of another operand order.

use super::forward::vector_parts;
use crate::build::{BinaryOp, CastOp};
use crate::edit::{Editor, Inst, Opcode, Type, TypeKind, Value, edit};
use crate::error::LlvmError;
use crate::module::Module;

/// Makes the constant zero in the lanes that keep one of the two values, so that no selection is left to merge with the bitwise one:
///
/// ```text
///   %x = and <16 x i32> %a, splat (i32 255)          %c = select <16 x i1> %m, splat (i32 255), zeroinitializer
///   %y = and <16 x i32> %b, splat (i32 -256)         %d = xor <16 x i32> %a, %b
///   %z = or <16 x i32> %x, %y                        %e = and <16 x i32> %d, %c
///   %r = select <16 x i1> %m, %z, %b                 %r = xor <16 x i32> %e, %b
/// ```
///
/// This takes as many machine instructions: a masked load, and `vpternlog`.
pub(super) fn split_masked_selections(module: &mut Module<'_>) -> Result<(), LlvmError> {
    edit(module, |editor| {
        for inst in editor.functions().flat_map(|function| function.instructions()) {
            if let Some(blend) = Blend::of(editor, inst)? {
                blend.split(editor)?;
            }
        }
        Ok(())
    })
}

/// `select %mask, (a & c) | (b & ~c), b`, or with the last two exchanged.
struct Blend<'e> {
    select: Inst<'e>,
    mask: Value<'e>,
    /// Whether the mask is that of the lanes that keep `b`.
    inverted: bool,
    a: Value<'e>,
    b: Value<'e>,
    /// The bits that come from `a`.
    constant: Value<'e>,
    /// An integer vector type with as many lanes as the mask.
    ty: Type<'e>,
}

impl<'e> Blend<'e> {
    fn of(editor: &Editor<'e>, select: Inst<'e>) -> Result<Option<Self>, LlvmError> {
        if select.opcode() != Opcode::Select {
            return Ok(None);
        }
        let (Some([mask, yes]), Some(no)) = (select.two_operands(), select.operand(2)) else {
            return Ok(None);
        };
        let Some(ty) = integers(editor, select.ty())?.filter(|_| vector_parts(mask.ty()).is_some()) else {
            return Ok(None);
        };
        for (chosen, kept, inverted) in [(yes, no, false), (no, yes, true)] {
            let Some([one, other]) = selection(without_casts(chosen)) else { continue };
            let kept = without_casts(kept);
            let (a, b) = if other.value == kept { (one, other) } else { (other, one) };
            if b.value != kept {
                continue;
            }
            if let Some(constant) = all_bits(editor, a, b, ty)? {
                return Ok(Some(Self { select, mask, inverted, a: a.value, b: b.value, constant, ty }));
            }
        }
        Ok(None)
    }

    fn split(&self, editor: &Editor<'e>) -> Result<(), LlvmError> {
        let builder = editor.before(self.select)?;
        let a = builder.cast(CastOp::BitCast, self.a, self.ty)?;
        let b = builder.cast(CastOp::BitCast, self.b, self.ty)?;
        // The bits of each lane that come from `a`.
        let none = self.ty.zero()?;
        let [yes, no] = if self.inverted { [none, self.constant] } else { [self.constant, none] };
        let bits = builder.select(self.mask, yes, no)?;
        let different = builder.binary(BinaryOp::Xor, a, b)?;
        let changed = builder.binary(BinaryOp::And, different, bits)?;
        let result = builder.binary(BinaryOp::Xor, changed, b)?;
        let result = builder.cast(CastOp::BitCast, result, self.select.ty())?;
        self.select.replace_all_uses(result)?;
        editor.erase(self.select)
    }
}

/// A value, and the bits of it that are selected.
#[derive(Clone, Copy)]
struct Part<'e> {
    value: Value<'e>,
    constant: Value<'e>,
    /// Whether they are those that the constant does not have.
    is_complement: bool,
}

/// The two sides of `(a & c) | (b & d)`, with any operation that is equivalent to `or` if `d` is `~c`, or of `((a ^ b) & c) ^ b`.
fn selection(value: Value<'_>) -> Option<[Part<'_>; 2]> {
    let sides = operands(value, &[Opcode::Or, Opcode::Xor, Opcode::Add])?;
    if let [Some(one), Some(other)] = sides.map(part) {
        return Some([one, other]);
    }
    value.as_op(Opcode::Xor)?;
    [(0, 1), (1, 0)].into_iter().find_map(|(inner, outer)| {
        let changed = part(sides[inner])?;
        let pair = operands(changed.value, &[Opcode::Xor])?.map(without_casts);
        let b = without_casts(sides[outer]);
        let a = if pair[0] == b { pair[1] } else { pair[0] };
        let parts = [Part { value: a, ..changed }, Part { value: b, is_complement: true, ..changed }];
        pair.contains(&b).then_some(parts)
    })
}

/// The bits of the first part, if they are those that the second one does not have, as a constant of the type, a vector of integers of up to 64 bits.
/// Undefined lanes of either are chosen to make it so.
fn all_bits<'e>(
    editor: &Editor<'e>,
    one: Part<'e>,
    other: Part<'e>,
    ty: Type<'e>,
) -> Result<Option<Value<'e>>, LlvmError> {
    let Some((element, lanes)) = vector_parts(ty) else { return Ok(None) };
    let (Some(width), Some(one_bits), Some(other_bits)) =
        (element.integer_bits(), bits_of(editor, one, ty)?, bits_of(editor, other, ty)?)
    else {
        return Ok(None);
    };
    let mut bits = Vec::new();
    for lane in 0..lanes as usize {
        let bit = match (one_bits[lane], other_bits[lane]) {
            (Some(one), Some(other)) if (one ^ other) << (64 - width) != u64::MAX << (64 - width) => {
                return Ok(None);
            }
            (Some(one), _) => one,
            (None, Some(other)) => !other,
            (None, None) => 0,
        };
        bits.push(element.number(bit as i64)?);
    }
    editor.constant_vector(&bits).map(Some)
}

/// The bits of each lane of a part, `None` for one that is undefined; absent if a lane is not an integer.
fn bits_of<'e>(
    editor: &Editor<'e>,
    part: Part<'e>,
    ty: Type<'e>,
) -> Result<Option<Vec<Option<u64>>>, LlvmError> {
    let constant = editor.constant_bits(part.constant, ty)?;
    let lane = |element: Value<'e>| match element.is_undef() {
        true => Some(None),
        false => element.as_unsigned().map(|bits| Some(if part.is_complement { !bits } else { bits })),
    };
    let found: Option<Vec<Option<u64>>> = constant.elements().map(lane).collect();
    // A constant that does not list its elements is an expression.
    Ok(found.filter(|found| vector_parts(ty).is_some_and(|(_, lanes)| found.len() == lanes as usize)))
}

/// `value & constant`.
fn part(value: Value<'_>) -> Option<Part<'_>> {
    let [one, other] = operands(without_casts(value), &[Opcode::And])?;
    let [value, constant] = if one.is_constant() { [other, one] } else { [one, other] };
    let is_part = constant.is_constant() && !value.is_constant();
    is_part.then(|| Part { value: without_casts(value), constant, is_complement: false })
}

/// The operands of one of these operations.
fn operands<'e>(value: Value<'e>, opcodes: &[Opcode]) -> Option<[Value<'e>; 2]> {
    value.as_inst().filter(|inst| opcodes.contains(&inst.opcode()))?.two_operands()
}

/// Strips bitcasts from a value.
fn without_casts(mut value: Value<'_>) -> Value<'_> {
    while let Some(from) = value.as_op(Opcode::BitCast).and_then(|cast| cast.operand(0)) {
        value = from;
    }
    value
}

/// The vector type of integers with the same lanes and element width; `None` for vectors of pointers, and what is no vector.
fn integers<'e>(editor: &Editor<'e>, ty: Type<'e>) -> Result<Option<Type<'e>>, LlvmError> {
    let Some((element, lanes)) = vector_parts(ty) else { return Ok(None) };
    let bits = match element.kind() {
        TypeKind::Integer(bits) if bits <= 64 => bits,
        TypeKind::Half | TypeKind::BFloat => 16,
        TypeKind::Float => 32,
        TypeKind::Double => 64,
        _ => return Ok(None),
    };
    editor.vector(editor.integer(bits), lanes).map(Some)
}
