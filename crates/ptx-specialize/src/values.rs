//! The bits of arguments.

use ptx_ir::{Param, VarId, Variable};
use ptx_isa::{ScalarType, TypeKind};

use crate::{Assumptions, Module, Number, SpecializeError};

/// The bytes of the arguments that are assumed, little endian, by their parameter.
pub(crate) fn of_parameters(
    module: &Module,
    kernel: &str,
    params: &[Param],
    assumptions: &Assumptions,
) -> Result<Vec<(VarId, Vec<u8>)>, SpecializeError> {
    let mut values = Vec::new();
    for (&index, &number) in &assumptions.arguments {
        let Some(Param::Variable(id)) = params.get(index) else {
            let (kernel, count) = (kernel.to_owned(), params.len());
            return Err(SpecializeError::NoParameter { index, kernel, count });
        };
        let ty = type_of(module.variable(*id)).map_err(|is| SpecializeError::Parameter { index, is })?;
        let value = match number {
            Number::Integer(number) => number.to_string(),
            Number::Float(number) => format!("{number:?}"),
        };
        let bits = bits(number, ty).ok_or(SpecializeError::Value { index, value, ty: ty.as_str() })?;
        values.push((*id, bits.to_le_bytes()[..ty.bytes() as usize].to_vec()));
    }
    Ok(values)
}

/// The type of a parameter that is one number.
fn type_of(parameter: &Variable) -> Result<ScalarType, &'static str> {
    if !parameter.dims.is_empty() {
        return Err("an array");
    }
    if parameter.pointer.is_some() {
        return Err("a pointer");
    }
    let ty = parameter.scalar_type().ok_or("a texture, sampler or surface")?;
    if parameter.element_bytes() != u64::from(ty.bytes()) { Err("a vector") } else { Ok(ty) }
}

/// The bits of a number in a type; absent if the type does not have it.
fn bits(number: Number, ty: ScalarType) -> Option<u64> {
    let width = ty.bits();
    let integer = |number: i128| {
        let least = if ty.kind() == TypeKind::Unsigned { 0 } else { -(1i128 << (width - 1)) };
        let most = if ty.kind() == TypeKind::Signed { 1i128 << (width - 1) } else { 1i128 << width };
        let mask = u64::MAX >> (64 - width);
        (least..most).contains(&number).then_some(number as u64 & mask)
    };
    match (number, ty) {
        (Number::Integer(number), ScalarType::F32) => Some(u64::from((number as f32).to_bits())),
        (Number::Integer(number), ScalarType::F64) => Some((number as f64).to_bits()),
        (Number::Float(number), ScalarType::F32 | ScalarType::B32) => {
            Some(u64::from((number as f32).to_bits()))
        }
        (Number::Float(number), ScalarType::F64 | ScalarType::B64) => Some(number.to_bits()),
        (Number::Integer(number), _) if width <= 64 && ty.kind() != TypeKind::Float => integer(number),
        _ => None,
    }
}
