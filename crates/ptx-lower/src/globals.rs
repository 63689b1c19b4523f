//! Variables of the module and their initial values (manual 5.4).

use ptx_ir::{
    FieldValue, Immediate, Initializer, Linkage as PtxLinkage, Module, Symbol, VarAttribute, VarId, VarType,
    Variable,
};
use ptx_isa::ScalarType;
use ptx_llvm_core::build::{DeviceAccess, GlobalSpec, Linkage, Type, Types, Value};
use ptx_llvm_core::marks;
use ptx_llvm_core::{DYNAMIC_SHARED, DYNAMIC_SHARED_NAMES, address_space};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::errors::{Result, defect, unsupported};
use crate::represent::llvm_space;
use crate::shared::Shared;
use crate::types::{constant_bits, llvm_type, space_name};
use crate::variables::is_dynamic_shared;

/// The maximum number of dimensions of an array.
const MOST_DIMENSIONS: usize = 64;

/// Array lengths of a variable, outermost first; elements of vectors count as an innermost array.
fn lengths(variable: &Variable) -> Vec<u64> {
    // Default: without an initial value, an array without a length has no elements: its definition is elsewhere.
    let implied = variable.init.as_ref().and_then(Initializer::list_len).unwrap_or(0) as u64;
    let mut lengths: Vec<u64> = variable.dims.iter().map(|length| length.unwrap_or(implied)).collect();
    if variable.shape.lanes() > 1 {
        lengths.push(u64::from(variable.shape.lanes()));
    }
    lengths
}

/// The LLVM type of a variable's memory.
pub(crate) fn storage_type<'c>(
    module: &Module,
    (types, address_bits): (Types<'c>, u32),
    variable: &Variable,
) -> Result<Type<'c>> {
    let Some(scalar) = variable.scalar_type() else {
        if !variable.dims.is_empty() {
            return unsupported(format!("`{}` is an array of references", module.name(variable.name)));
        }
        return Ok(types.int(64));
    };
    if variable.bytes().is_none_or(|bytes| bytes > 1 << 40) {
        return unsupported(format!("`{}` is too large", module.name(variable.name)));
    }
    // LLVM traverses types recursively, and so does the code for initial values below.
    if variable.dims.len() > MOST_DIMENSIONS {
        return unsupported(format!(
            "`{}` has more than {MOST_DIMENSIONS} dimensions",
            module.name(variable.name)
        ));
    }
    if let Some(fields) = masked_fields(variable, address_bits)? {
        let fields: Vec<Type<'c>> = fields
            .iter()
            .map(|field| match field {
                Field::Bytes(bytes) => types.array(types.int(8), bytes.len() as u64),
                Field::Address { .. } => types.int(address_bits),
            })
            .collect();
        return Ok(types.packed_structure(&fields));
    }
    let element = if scalar == ScalarType::Pred { types.int(8) } else { llvm_type(types, scalar) };
    Ok(lengths(variable).iter().rev().fold(element, |element, length| types.array(element, *length)))
}

/// A part of a byte array that holds addresses byte by byte.
enum Field {
    Bytes(Vec<u8>),
    Address { symbol: Symbol, offset: i64, generic: bool },
}

/// The parts of a byte array in which `0xFF(sym), 0xFF00(sym), ..` spell whole addresses; `None` for anything else, of which each
/// masked address is an element by itself ([`masked_constant`]).
fn masked_fields(variable: &Variable, address_bits: u32) -> Result<Option<Vec<Field>>> {
    let Some(Initializer::List(values)) = &variable.init else { return Ok(None) };
    let is_masked = |value: &Initializer| matches!(value, Initializer::Masked { .. });
    let is_byte_array = variable.scalar_type() == Some(ScalarType::U8)
        && variable.dims.len() == 1
        && variable.shape.lanes() == 1;
    if !is_byte_array || !values.iter().any(is_masked) {
        return Ok(None);
    }
    // `.u8 a[10] = { 1, 0xFF(f), 0xFF00(f), .. 0xFF00000000000000(f), 2 }` is `<{ [1 x i8], i64, [1 x i8] }>`: LLVM relocates no single bytes.
    let mut fields = Vec::new();
    let mut bytes = Vec::new();
    let mut rest = values.as_slice();
    while let Some((first, tail)) = rest.split_first() {
        match first {
            Initializer::Value(value) => {
                bytes.push(constant_bits(*value, ScalarType::B8)? as u8);
                rest = tail;
            }
            Initializer::Masked { symbol, offset, generic, .. } => {
                let Some((whole, after)) = rest.split_at_checked((address_bits / 8) as usize) else {
                    return Ok(None);
                };
                let (symbol, offset, generic) = (*symbol, *offset, *generic);
                let spelled = whole.iter().enumerate().all(|(at, value)| {
                    let mask = 0xffu64 << (8 * at);
                    *value == Initializer::Masked { mask, symbol, offset, generic }
                });
                if !spelled {
                    return Ok(None);
                }
                fields.push(Field::Bytes(std::mem::take(&mut bytes)));
                fields.push(Field::Address { symbol, offset, generic });
                rest = after;
            }
            Initializer::List(_)
            | Initializer::Integers(_)
            | Initializer::Fields(_)
            | Initializer::Address { .. } => return Ok(None),
        }
    }
    let length = variable.dims.first().copied().flatten().unwrap_or(values.len() as u64);
    let missing = length.saturating_sub(values.len() as u64);
    if missing > 1 << 24 {
        return Ok(None);
    }
    bytes.extend(std::iter::repeat_n(0, missing as usize));
    fields.push(Field::Bytes(bytes));
    fields.retain(|field| !matches!(field, Field::Bytes(bytes) if bytes.is_empty()));
    Ok(Some(fields))
}

/// Declares a variable; its initial value comes later, when all names are known.
pub(crate) fn declare<'c>(
    shared: &Shared<'_, 'c>,
    var: VarId,
    function: Option<ptx_ir::StrId>,
    names: &mut FxHashSet<String>,
) -> Result<Value<'c>> {
    let (module, types) = (shared.module, shared.types);
    let variable = module.variable(var);
    let space = match llvm_space(Some(variable.space)) {
        Some(space @ (address_space::GLOBAL | address_space::CONST | address_space::SHARED)) => space,
        _ => {
            return unsupported(format!(
                "a module has no variables in .{}",
                space_name(Some(variable.space))
            ));
        }
    };
    if is_dynamic_shared(variable) {
        return declare_dynamic_shared(shared);
    }
    let own_name = module.name(variable.name);
    if own_name == DYNAMIC_SHARED {
        return unsupported(format!("`{own_name}` is the name of dynamic shared memory"));
    }
    if let Some(bank) = variable.bank.filter(|&bank| bank > 0) {
        return unsupported(format!("LLVM has no bank {bank} of constant memory"));
    }
    if variable.linkage == PtxLinkage::Extern
        && let Some(known) = shared.out.named_global(own_name)
    {
        return Ok(known);
    }
    let ty = storage_type(module, (types, shared.address_bits), variable)?;
    // A name inside a function may be taken outside it.
    let taken = !names.insert(own_name.to_owned());
    let name = match function {
        Some(function) if taken => format!("{}.{own_name}", module.name(function)),
        _ => own_name.to_owned(),
    };
    let shared_memory = space == address_space::SHARED;
    if shared_memory && variable.init.is_some() {
        return unsupported("shared memory has no initial value");
    }
    let initializer = match variable.linkage {
        PtxLinkage::Extern => None,
        PtxLinkage::Common => Some(ty.zero()),
        _ if shared_memory => Some(ty.undef()),
        _ => Some(ty.zero()),
    };
    let (align, linkage) = (variable.alignment().max(1), linkage_of(variable));
    let value = shared.out.global(GlobalSpec { name: &name, ty, space, align, linkage, initializer })?;
    allow_initialization(shared, variable, space, value);
    if let Some(function) = function {
        let names = types.metadata_strings(&[module.name(function), own_name]);
        types.attach_to_global(value, marks::SCOPE, names);
    }
    annotate_properties(shared, variable, value);
    Ok(value)
}

fn linkage_of(variable: &Variable) -> Linkage {
    match variable.linkage {
        PtxLinkage::Visible | PtxLinkage::Extern => Linkage::External,
        PtxLinkage::Weak => Linkage::Weak,
        // LLVM's common variables are zero; a weak one has an initial value too.
        PtxLinkage::Common if variable.init.is_some() => Linkage::Weak,
        PtxLinkage::Common => Linkage::Common,
        PtxLinkage::Internal => Linkage::Internal,
    }
}

/// Tells LLVM that the host may change a variable before a kernel starts.
fn allow_initialization<'c>(shared: &Shared<'_, 'c>, variable: &Variable, space: u32, value: Value<'c>) {
    let access = match space {
        address_space::SHARED => return,
        address_space::CONST => DeviceAccess::ReadOnly,
        _ => DeviceAccess::ReadWrite,
    };
    if !matches!(variable.linkage, PtxLinkage::Extern | PtxLinkage::Common) {
        shared.out.set_externally_initialized(value, access);
    }
}

/// Keeps what LLVM's variables do not have: that one is a reference, managed or unified.
fn annotate_properties<'c>(shared: &Shared<'_, 'c>, variable: &Variable, value: Value<'c>) {
    if let Some(kind) = reference_kind(variable.ty) {
        annotate(shared, value, kind, 1);
    }
    for attribute in &variable.attributes {
        match attribute {
            VarAttribute::Managed => annotate(shared, value, "managed", 1),
            VarAttribute::Unified(a, b) => {
                let numbers = shared.types.metadata_strings(&[&a.to_string(), &b.to_string()]);
                shared.types.attach_to_global(value, marks::UNIFIED, numbers);
            }
        }
    }
}

/// The one LLVM variable of that memory: all such arrays begin at the same address, and LLVM assumes that
/// variables are distinct. Its alignment is the greatest one declared.
fn declare_dynamic_shared<'c>(shared: &Shared<'_, 'c>) -> Result<Value<'c>> {
    if let Some(known) = shared.out.named_global(DYNAMIC_SHARED) {
        return Ok(known);
    }
    let variables = shared.module.variables.iter().filter(|variable| is_dynamic_shared(variable));
    let Some(align) = variables.map(|variable| variable.alignment().max(1)).max() else {
        return defect("memory for dynamic shared arrays is declared, and there is no such array");
    };
    let spec = GlobalSpec {
        name: DYNAMIC_SHARED,
        ty: shared.types.array(shared.types.int(8), 0),
        space: address_space::SHARED,
        align,
        linkage: Linkage::External,
        initializer: None,
    };
    Ok(shared.out.global(spec)?)
}

/// Keeps the names of the arrays in dynamic shared memory, with type, alignment and the functions that use each
/// (mapping, "Module variables"): `!ptx.dynamic_shared = !{!{!"x", !"b8", !"16", !"kernel"}}`.
pub(crate) fn keep_dynamic_shared_names(shared: &Shared<'_, '_>, found: &[(VarId, Option<ptx_ir::StrId>)]) {
    let module = shared.module;
    let mut users: FxHashMap<VarId, Vec<ptx_ir::StrId>> = FxHashMap::default();
    for function in &module.functions {
        let Some(body) = &function.body else { continue };
        let mut used: Vec<VarId> = body.variables_named().collect();
        used.sort_unstable();
        used.dedup();
        for var in used {
            users.entry(var).or_default().push(function.name);
        }
    }
    for (var, _) in found {
        let variable = module.variable(*var);
        if !is_dynamic_shared(variable) {
            continue;
        }
        let ty = variable.scalar_type().unwrap_or(ScalarType::B8).as_str();
        let align = variable.alignment().max(1).to_string();
        let mut texts = vec![module.name(variable.name), ty, align.as_str()];
        texts.extend(users.get(var).into_iter().flatten().map(|name| module.name(*name)));
        shared.out.add_named_metadata(DYNAMIC_SHARED_NAMES, shared.types.metadata_strings(&texts));
    }
}

/// The name in `!nvvm.annotations` of a variable that is a reference to a texture, sampler or surface.
fn reference_kind(ty: VarType) -> Option<&'static str> {
    match ty {
        VarType::Scalar(_) => None,
        VarType::TexRef => Some("texture"),
        VarType::SamplerRef => Some("sampler"),
        VarType::SurfRef => Some("surface"),
    }
}

/// The name in `!nvvm.annotations` of a kernel's parameter that is such a reference.
pub(crate) fn reference_parameter_kind(ty: VarType) -> Option<&'static str> {
    match ty {
        VarType::Scalar(_) => None,
        VarType::TexRef => Some("rdoimage"),
        VarType::SamplerRef => Some("sampler"),
        VarType::SurfRef => Some("rdwrimage"),
    }
}

/// Adds an annotation of a variable or function.
pub(crate) fn annotate<'c>(shared: &Shared<'_, 'c>, subject: Value<'c>, key: &str, value: u64) {
    let types = shared.types;
    let value = types.metadata_value(types.int_value(32, value));
    let node = types.metadata_node(&[types.metadata_value(subject), types.metadata_string(key), value]);
    shared.out.add_named_metadata("nvvm.annotations", node);
}

/// Gives a declared variable its initial value.
pub(crate) fn initialize<'c>(shared: &Shared<'_, 'c>, var: VarId) -> Result<()> {
    let variable = shared.module.variable(var);
    let (Some(initializer), Some(target)) = (&variable.init, shared.variables.get(&var)) else {
        return Ok(());
    };
    if let Initializer::Fields(fields) = initializer {
        let module = shared.module;
        let mut texts: Vec<String> = Vec::new();
        for (name, value) in fields {
            let value = match value {
                FieldValue::Number(number) => match number.as_integer() {
                    Some(number) => number.cast_signed().to_string(),
                    None => return unsupported("a field has a floating-point number"),
                },
                FieldValue::Name(word) => module.name(*word).to_owned(),
            };
            texts.extend([module.name(*name).to_owned(), value]);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        shared.types.attach_to_global(*target, marks::FIELDS, shared.types.metadata_strings(&texts));
        return Ok(());
    }
    let value = match masked_fields(variable, shared.address_bits)? {
        Some(fields) => {
            let fields: Vec<Value<'c>> = fields
                .iter()
                .map(|field| match field {
                    Field::Bytes(bytes) => Ok(shared.types.bytes_value(bytes)),
                    Field::Address { symbol, offset, generic } => {
                        Ok(address(shared, *symbol, *offset, *generic)?
                            .constant_to_int(shared.types.int(shared.address_bits))?)
                    }
                })
                .collect::<Result<_>>()?;
            shared.types.packed_value(&fields)?
        }
        None => constant(shared, variable, initializer, &lengths(variable))?,
    };
    Ok(shared.out.set_initializer(*target, value)?)
}

/// The constant for an initializer over the remaining array lengths; its depth is that of the lengths.
fn constant<'c>(
    shared: &Shared<'_, 'c>,
    variable: &Variable,
    initializer: &Initializer,
    lengths: &[u64],
) -> Result<Value<'c>> {
    let types = shared.types;
    let Some(scalar) = variable.scalar_type() else {
        return unsupported("it is a reference to a texture or surface");
    };
    let element = llvm_type(types, scalar);
    let Some((length, inner)) = lengths.split_first() else {
        return scalar_constant(shared, scalar, initializer);
    };
    let inner_type = inner.iter().rev().fold(element, |element, length| types.array(element, *length));
    let Some(count) = initializer.list_len() else {
        return unsupported("its initial value does not match its shape");
    };
    if count as u64 > *length {
        return unsupported("it has more initial values than elements");
    }
    if *length > 1 << 28 {
        return unsupported("it is too large to be initialized");
    }
    if let (Initializer::Integers(values), [], Some(bits)) = (initializer, inner, element.int_bits())
        && let Some(array) = types.integers_value(bits, values.iter(), *length as usize)
    {
        return Ok(array);
    }
    let mut constants = Vec::with_capacity(*length as usize);
    match initializer {
        Initializer::Integers(values) => {
            for value in values.iter() {
                let value = Initializer::Value(Immediate::integer(value));
                constants.push(constant(shared, variable, &value, inner)?);
            }
        }
        Initializer::List(values) => {
            for value in values {
                constants.push(constant(shared, variable, value, inner)?);
            }
        }
        Initializer::Fields(_)
        | Initializer::Value(_)
        | Initializer::Address { .. }
        | Initializer::Masked { .. } => {}
    }
    constants.resize(*length as usize, inner_type.zero());
    Ok(types.array_value(inner_type, &constants)?)
}

fn scalar_constant<'c>(
    shared: &Shared<'_, 'c>,
    ty: ScalarType,
    initializer: &Initializer,
) -> Result<Value<'c>> {
    let to = llvm_type(shared.types, ty);
    match initializer {
        Initializer::Value(value) => {
            let bits = constant_bits(*value, ty)?;
            Ok(shared.types.wide_value(ty.bits(), bits).constant_bits_as(to)?)
        }
        Initializer::Address { symbol, offset, generic } => {
            if to.int_bits().is_none_or(|bits| bits < 32) {
                return unsupported("an address does not fit its element");
            }
            Ok(address(shared, *symbol, *offset, *generic)?.constant_to_int(to)?)
        }
        Initializer::List(values) => match values.as_slice() {
            [single @ (Initializer::Value(_) | Initializer::Address { .. } | Initializer::Masked { .. })] => {
                scalar_constant(shared, ty, single)
            }
            _ => unsupported("its initial value does not match its shape"),
        },
        Initializer::Integers(values) => match (values.len(), values.get(0)) {
            (1, Some(single)) => scalar_constant(shared, ty, &Initializer::Value(Immediate::integer(single))),
            _ => unsupported("its initial value does not match its shape"),
        },
        Initializer::Masked { mask, symbol, offset, generic } => {
            let at = address(shared, *symbol, *offset, *generic)?;
            masked_constant(shared.types, at, *mask, to)
        }
        Initializer::Fields(_) => unsupported("it is a reference to a texture or surface"),
    }
}

/// The byte of an address under a mask as an integer, the bytes above it zero:
///
/// ```text
/// .global .u8 p[1] = {0xFF00(x)};    i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr addrspace(1) @x to i64) to <8 x i8>), i32 1)
/// .global .u32 p = 0xFF00(x);        i32 bitcast (<4 x i8> <i8 extractelement (..), i8 0, i8 0, i8 0> to i32)
/// ```
fn masked_constant<'c>(types: Types<'c>, address: Value<'c>, mask: u64, to: Type<'c>) -> Result<Value<'c>> {
    let Some(bytes) = to.int_bits().map(|bits| bits / 8) else {
        return unsupported("a part of an address does not fit its element");
    };
    let byte = address.constant_to_int(types.int(64))?.constant_byte(types, mask.trailing_zeros() / 8)?;
    let mut parts = vec![types.int_value(8, 0); bytes.max(1) as usize];
    if let Some(lowest) = parts.first_mut() {
        *lowest = byte;
    }
    match parts.as_slice() {
        [only] => Ok(*only),
        _ => Ok(types.vector_value(&parts)?.constant_bits_as(to)?),
    }
}

fn address<'c>(shared: &Shared<'_, 'c>, symbol: Symbol, offset: i64, generic: bool) -> Result<Value<'c>> {
    let base = match symbol {
        Symbol::Variable(var) => shared.variables.get(&var).copied(),
        Symbol::Function(id) => shared.signatures.get(&id).map(|signature| signature.function.value()),
    };
    let Some(base) = base else {
        return unsupported("its initial value refers to something that has no address");
    };
    let at = if offset == 0 { base } else { base.constant_offset(shared.types, offset)? };
    if generic { Ok(at.constant_space_cast(shared.types.pointer(address_space::GENERIC))?) } else { Ok(at) }
}
