//! The bits of arguments.

use ptx_ir::{Module, Param, VarId, Variable};
use ptx_isa::{ScalarType, TypeKind};

use crate::{Assumptions, Number, SpecializeError, names};

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

/// For each parameter of a kernel its type, if it is one number, whose value can be assumed.
///
/// # Errors
/// [`SpecializeError`] if there is no such kernel, or none is named and there are several.
pub fn number_parameters(
    module: &Module,
    entry: Option<&str>,
) -> Result<Vec<Option<ScalarType>>, SpecializeError> {
    let kernel = module.function(names::entry(module, entry)?);
    let ty = |param: &Param| match param {
        Param::Variable(id) => type_of(module.variable(*id)).ok(),
        Param::Register(..) => None,
    };
    Ok(kernel.params.iter().map(ty).collect())
}

impl Number {
    /// The number that the bytes of an argument are, little endian, for a parameter of this type; absent if there are fewer or more bytes, or if they are no finite number.
    pub fn from_bytes(bytes: &[u8], ty: ScalarType) -> Option<Self> {
        let mut all = [0; 8];
        all.get_mut(..bytes.len()).filter(|bytes| bytes.len() == ty.bytes() as usize)?.copy_from_slice(bytes);
        let bits = u64::from_le_bytes(all);
        let number = match ty {
            ScalarType::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
            ScalarType::F64 => Number::Float(f64::from_bits(bits)),
            _ if ty.kind() == TypeKind::Float => return None,
            _ if ty.kind() == TypeKind::Signed => {
                let unused = 64 - ty.bits();
                Number::Integer(i128::from((bits << unused).cast_signed() >> unused))
            }
            _ => Number::Integer(bits.into()),
        };
        match number {
            Number::Float(float) if !float.is_finite() => None,
            number => Some(number),
        }
    }
}

/// The bytes of the arguments that are assumed, little endian, with the index of their parameter; absent if a parameter cannot have the value.
///
/// Parameters of integers may have lost their sign since they were assumed to be numbers: LLVM's integers have none.
pub(crate) fn bytes_of_arguments(
    module: &Module,
    params: &[Param],
    assumptions: &Assumptions,
) -> Option<Vec<(usize, Vec<u8>)>> {
    let bytes = |(&index, &number): (&usize, &Number)| {
        let Some(Param::Variable(id)) = params.get(index) else { return None };
        let ty = type_of(module.variable(*id)).ok()?;
        let unsigned = || match number {
            Number::Integer(number) if number < 0 => {
                bits(Number::Integer(number.wrapping_add(1i128 << ty.bits())), ty)
            }
            Number::Integer(_) | Number::Float(_) => None,
        };
        let bits = bits(number, ty).or_else(unsigned)?;
        Some((index, bits.to_le_bytes()[..ty.bytes() as usize].to_vec()))
    };
    assumptions.arguments.iter().map(bytes).collect()
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
