//! Initial values (manual 5.4.4): checks the nesting, lengths and values in a variable's braces.

use ptx_diag::{Diagnostic, counted};
use ptx_ir::{
    FieldValue, FunctionKind, Immediate, Initializer, Integers, Linkage, StrId, Symbol, VarType, Variable,
    VectorShape,
};
use ptx_isa::{Construct, ScalarType, StateSpace, TypeKind};

use crate::codes;
use crate::context::{Checker, dotted};

/// Checks the initial value of a variable of a fundamental type.
pub(crate) fn check(cx: &mut Checker<'_>, variable: &Variable) {
    let Some(init) = &variable.init else { return };
    let Some(ty) = variable.scalar_type() else { return };
    let text = if !matches!(variable.space, StateSpace::Global | StateSpace::Const) {
        "only variables in `.global` and `.const` can have an initial value"
    } else if variable.linkage == Linkage::Extern {
        "an `.extern` variable cannot have an initial value"
    } else if matches!(ty, ScalarType::F16 | ScalarType::F16x2) {
        "variables of this type cannot have an initial value"
    } else {
        return check_tree(cx, variable, ty, init);
    };
    let finding = Diagnostic::error(codes::INITIALIZER_PLACE, variable.at.0, text);
    cx.report(match ty {
        ScalarType::F16 => finding.with_help("declare it as `.b16` and write the bits"),
        ScalarType::F16x2 => finding.with_help("declare it as `.b32` and write the bits"),
        _ => finding,
    });
}

/// The fields of references (manual 5.3), each with whether textures, samplers and surfaces have it.
const FIELDS: &[(&str, bool, bool, bool)] = &[
    ("width", true, false, true),
    ("height", true, false, true),
    ("depth", true, false, true),
    ("array_size", true, false, true),
    ("channel_data_type", true, false, true),
    ("channel_order", true, false, true),
    ("num_mipmap_levels", true, false, false),
    ("num_samples", true, false, false),
    ("normalized_coords", true, false, false),
    ("addr_mode_0", true, true, false),
    ("addr_mode_1", true, true, false),
    ("addr_mode_2", true, true, false),
    ("filter_mode", true, true, false),
    ("force_unnormalized_coords", false, true, false),
    ("memory_layout", false, false, true),
];

/// The values with a name (manual 5.3).
const FIELD_NAMES: &[&str] =
    &["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border", "nearest", "linear"];

/// Checks the initial value of a texture, sampler or surface reference: fields that it has, with values.
pub(crate) fn check_reference(cx: &mut Checker<'_>, variable: &Variable) {
    let Some(init) = &variable.init else { return };
    if variable.linkage == Linkage::Extern {
        let text = "an `.extern` variable cannot have an initial value";
        return cx.report(Diagnostic::error(codes::INITIALIZER_PLACE, variable.at.0, text));
    }
    let mut pending = vec![(init, 0)];
    while let Some((value, depth)) = pending.pop() {
        let mistake = match value {
            Initializer::List(values) if depth < variable.dims.len() => {
                pending.extend(values.iter().rev().map(|value| (value, depth + 1)));
                match variable.dims.get(depth) {
                    Some(Some(length)) if values.len() as u64 > *length => {
                        Some("the initial value has more elements than the array".to_owned())
                    }
                    _ => None,
                }
            }
            Initializer::Fields(fields) => {
                fields.iter().find_map(|field| field_mistake(cx, variable.ty, *field))
            }
            Initializer::List(_)
            | Initializer::Integers(_)
            | Initializer::Value(_)
            | Initializer::Address { .. }
            | Initializer::Masked { .. } => Some(
                "the initial value of a texture, sampler or surface reference must be a list of named fields"
                    .to_owned(),
            ),
        };
        if let Some(text) = mistake {
            return cx.report(Diagnostic::error(codes::INITIALIZER_VALUE, variable.at.0, text));
        }
    }
}

fn field_mistake(cx: &Checker<'_>, ty: VarType, (name, value): (StrId, FieldValue)) -> Option<String> {
    let name = cx.module.name(name);
    let row = FIELDS.iter().find(|(field, ..)| *field == name);
    let has = row.is_some_and(|&(_, texture, sampler, surface)| match ty {
        VarType::TexRef => texture,
        VarType::SamplerRef => sampler,
        VarType::SurfRef => surface,
        VarType::Scalar(_) => false,
    });
    if !has {
        return Some(format!("this type of reference has no field `{name}`"));
    }
    match value {
        FieldValue::Name(word) if !FIELD_NAMES.contains(&cx.module.name(word)) => {
            Some(format!("`{}` is not a value of a field", cx.module.name(word)))
        }
        FieldValue::Name(_) | FieldValue::Number(_) => None,
    }
}

/// Walks the braces with the length that each level may have, and reports the first mistake alone.
fn check_tree(cx: &mut Checker<'_>, variable: &Variable, ty: ScalarType, init: &Initializer) {
    let mut levels: Vec<Level> = variable.dims.iter().map(|&dim| Level::Array(dim)).collect();
    if variable.shape != VectorShape::Scalar {
        levels.push(Level::Vector(u64::from(variable.shape.lanes())));
    }
    // With an explicit work list, in the order of the text: braces may nest as deep as the text is long.
    let mut pending = vec![(init, 0)];
    while let Some((value, depth)) = pending.pop() {
        check_address_since(cx, variable, value);
        let mistake = match (value, levels.get(depth)) {
            (Initializer::List(values), Some(level)) => {
                pending.extend(values.iter().rev().map(|value| (value, depth + 1)));
                level.mistake(values.len() as u64)
            }
            (Initializer::Integers(values), Some(level)) => level
                .mistake(values.len() as u64)
                .or_else(|| integers_mistake(ty, values, levels.get(depth + 1))),
            (Initializer::List(_) | Initializer::Integers(_), None) => {
                Some("the initial value has more braces than dimensions".to_owned())
            }
            (Initializer::Fields(_), _) => {
                Some("only texture, sampler and surface references have fields".to_owned())
            }
            (_, Some(_)) => Some("the initial value has fewer braces than dimensions".to_owned()),
            (Initializer::Value(value), None) => value_mistake(ty, *value),
            (Initializer::Address { symbol: Symbol::Function(_), offset, generic }, None)
                if *generic || *offset != 0 =>
            {
                Some("the address of a function is already generic and cannot have an offset".to_owned())
            }
            (Initializer::Address { symbol, .. }, None) => address_mistake(cx, ty, *symbol),
            (Initializer::Masked { mask, symbol, .. }, None) => mask_mistake(cx, ty, *mask, *symbol),
        };
        if let Some(text) = mistake {
            let finding = Diagnostic::error(codes::INITIALIZER_VALUE, variable.at.0, text);
            let whole = match value {
                Initializer::Value(value) => value.as_integer().is_some() && depth == levels.len(),
                Initializer::Integers(_) => depth + 1 == levels.len(),
                Initializer::Fields(_)
                | Initializer::List(_)
                | Initializer::Address { .. }
                | Initializer::Masked { .. } => false,
            };
            return cx.report(match ty {
                ScalarType::F32 | ScalarType::F64 if whole => {
                    finding.with_help("write it with a fraction, as `1.0`")
                }
                _ => finding,
            });
        }
    }
}

/// Addresses, generic ones and parts of them came one after the other.
fn check_address_since(cx: &mut Checker<'_>, variable: &Variable, value: &Initializer) {
    let (masked, is_generic) = match value {
        Initializer::Address { generic, .. } => (false, *generic),
        Initializer::Masked { generic, .. } => (true, *generic),
        Initializer::Fields(_) | Initializer::List(_) | Initializer::Integers(_) | Initializer::Value(_) => {
            return;
        }
    };
    let span = variable.at.0;
    if let Initializer::Address { symbol: Symbol::Function(id), .. } = value
        && cx
            .module
            .functions
            .get(id.0 as usize)
            .is_some_and(|function| function.kind == FunctionKind::Kernel)
    {
        cx.require_construct(Construct::InitialKernelAddress, span);
    }
    let construct = if masked {
        Construct::InitialAddressPart
    } else if is_generic {
        Construct::InitialGenericAddress
    } else {
        Construct::InitialAddress
    };
    cx.require_construct(construct, span);
}

/// The contents of a level of braces.
#[derive(Clone, Copy)]
enum Level {
    Array(Option<u64>),
    Vector(u64),
}

impl Level {
    fn mistake(self, found: u64) -> Option<String> {
        match self {
            Level::Array(Some(length)) if found > length => {
                Some(format!("the initial value has {}, the array has {length}", counted(found, "element")))
            }
            Level::Vector(lanes) if found != lanes => {
                Some(format!("the initial value has {}, the vector has {lanes}", counted(found, "element")))
            }
            Level::Array(_) | Level::Vector(_) => None,
        }
    }
}

/// The mistake in integers that are in braces together; `inner` is the level below them.
fn integers_mistake(ty: ScalarType, values: &Integers, inner: Option<&Level>) -> Option<String> {
    match inner {
        Some(_) => Some("the initial value has fewer braces than dimensions".to_owned()),
        None => values.iter().find_map(|value| value_mistake(ty, Immediate::integer(value))),
    }
}

fn value_mistake(ty: ScalarType, value: Immediate) -> Option<String> {
    let integer = value.as_integer().is_some();
    // `ptxas` puts its bits into the lower half of the double.
    if ty == ScalarType::F64 && matches!(value, Immediate::F32(..)) {
        return Some(
            "a single-precision `0f` number is not an initial value for `.f64`; use `0d`".to_owned(),
        );
    }
    let fits = match ty.kind() {
        TypeKind::Bits => true,
        TypeKind::Unsigned | TypeKind::Signed => integer,
        TypeKind::Float => !integer,
        TypeKind::Packed | TypeKind::Predicate => false,
    };
    let found = if integer { "an integer" } else { "a floating-point number" };
    if fits { None } else { Some(format!("{found} is not an initial value for {}", dotted(ty))) }
}

fn address_mistake(cx: &Checker<'_>, ty: ScalarType, symbol: Symbol) -> Option<String> {
    if !matches!(ty, ScalarType::U32 | ScalarType::U64) {
        return Some(format!("an address is not an initial value for {}; use `.u64`", dotted(ty)));
    }
    symbol_mistake(cx, symbol)
}

fn mask_mistake(cx: &Checker<'_>, ty: ScalarType, mask: u64, symbol: Symbol) -> Option<String> {
    if !matches!(ty, ScalarType::U8 | ScalarType::U32 | ScalarType::U64) {
        return Some(format!("a masked address is not an initial value for {}; use `.u8`", dotted(ty)));
    }
    let one_byte = mask != 0
        && mask >> (mask.trailing_zeros() / 8 * 8) == 0xff
        && mask.trailing_zeros().is_multiple_of(8);
    if !one_byte {
        return Some(format!("the mask {mask:#x} does not select one byte"));
    }
    symbol_mistake(cx, symbol)
}

fn symbol_mistake(cx: &Checker<'_>, symbol: Symbol) -> Option<String> {
    let Symbol::Variable(id) = symbol else { return None };
    let variable = cx.module.variables.get(id.0 as usize)?;
    match variable.space {
        StateSpace::Global | StateSpace::Const => None,
        other => Some(format!(
            "`{}` is in `.{}`; only addresses of variables in `.global` and `.const` are constant",
            cx.module.name(variable.name),
            other.as_str()
        )),
    }
}
