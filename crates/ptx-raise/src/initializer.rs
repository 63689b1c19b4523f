//! Initial values of variables (manual 5.4.4).
//!
//! A value without addresses becomes numbers of the element type where the variable is a number or an array of
//! numbers, else bytes. One with addresses becomes 64-bit words when every address fills exactly such a word, else
//! bytes, an address being eight bytes picked out by masks, a part of one as many as it has.

use ptx_ir::{FieldValue, Immediate, Initializer, Literal, Symbol as PtxSymbol, VarType};
use ptx_isa::{Construct, ScalarType, StateSpace};
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{
    BinaryOp, CastOp, ConstExpr, ConstId, Constant, FloatKind, Global, Type, TypeId, View,
};
use ptx_llvm_core::{Addresses, address_space};

use crate::context::ModuleContext;
use crate::error::{INITIALIZER, RaiseError, Result};
use crate::types::{components, layout_of};
use crate::value::block_number;
use crate::value::{mask, sign_extend};

/// Constants nested deeper than this are refused.
const MAX_DEPTH: u32 = 256;
/// Initial values of more bytes are rejected: each byte needs space in the text.
const MAX_BYTES: u64 = 256 << 20;

/// The contents of a variable.
pub(crate) struct Content {
    pub(crate) ty: VarType,
    pub(crate) dims: Vec<Option<u64>>,
    pub(crate) init: Option<Initializer>,
}

/// An address within an initial value, or some of its bytes.
#[derive(Clone, Copy)]
struct Relocation {
    at: u64,
    bytes: u64,
    /// Which byte of the address is the first.
    first: u64,
    symbol: PtxSymbol,
    offset: i64,
    generic: bool,
}

/// The bytes of an initial value, with the addresses among them.
struct Image {
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

/// The type, dimensions and initial value of a variable.
pub(crate) fn content(
    module: &mut ModuleContext<'_, '_>,
    global: &Global,
    space: StateSpace,
) -> Result<Content> {
    for (key, ty) in
        [("texture", VarType::TexRef), ("sampler", VarType::SamplerRef), ("surface", VarType::SurfRef)]
    {
        if module.annotation(&global.name, key) == Some(1) {
            return Ok(Content { ty, dims: Vec::new(), init: fields(module, global) });
        }
    }
    let view = module.view;
    // Default: an opaque type has no size, as `[0 x i8]` has none.
    let size = view.layout(global.ty).map_or(0, |layout| layout.size);
    let (element, mut dims) = shape(view, global.ty);
    let is_extern = global.linkage == ptx_llvm_core::view::Linkage::AvailableExternally;
    let plain = |element: ScalarType, dims: Vec<Option<u64>>| Content {
        ty: VarType::Scalar(element),
        dims,
        init: None,
    };
    let Some(initializer) = global.initializer.filter(|_| !is_extern) else {
        // The size of `.extern .shared` without one is that of the launch.
        if let Some(first @ Some(0)) = dims.first_mut() {
            *first = None;
        }
        return Ok(match element {
            Some(element) => plain(element, dims),
            None => plain(ScalarType::B8, vec![(size > 0).then_some(size)]),
        });
    };
    let undefined = matches!(view.constant(initializer), Constant::Undef | Constant::Poison);
    let zero = undefined || is_zero(view, initializer, 0)?;
    if !zero && matches!(space, StateSpace::Shared | StateSpace::Local) {
        let message = format!("a variable in .{} cannot have an initial value", space.as_str());
        return Err(RaiseError::new(INITIALIZER, message).with_help("initialise it in the kernel"));
    }
    if zero {
        return Ok(match element {
            Some(element) if size > 0 => plain(element, dims),
            _ => plain(ScalarType::B8, vec![Some(size.max(1))]),
        });
    }
    if size > MAX_BYTES {
        return Err(RaiseError::new(INITIALIZER, format!("an initial value of {size} bytes is too large")));
    }
    let mut image = Image { bytes: vec![0; size as usize], relocations: Vec::new() };
    fill(module, &mut image, initializer, 0, 0)?;
    if image.relocations.is_empty() {
        return Ok(match element {
            Some(element) => Content {
                ty: VarType::Scalar(element),
                init: Some(numbers(&image.bytes, element, &dims)),
                dims,
            },
            None => bytes_content(&image),
        });
    }
    let word = match view.addresses() {
        Addresses::Bits32 => ScalarType::U32,
        Addresses::Bits64 => ScalarType::U64,
    };
    let bytes = u64::from(word.bytes());
    let is_word =
        |place: &Relocation| place.at.is_multiple_of(bytes) && place.first == 0 && place.bytes == bytes;
    let aligned = size.is_multiple_of(bytes) && image.relocations.iter().all(is_word);
    if aligned { Ok(words_content(&image, word)) } else { masked_content(module, &image) }
}

/// The fields of a reference, which `!ptx.fields` keeps: names and values in turn (manual 5.3).
fn fields(module: &mut ModuleContext<'_, '_>, global: &Global) -> Option<Initializer> {
    let (_, node) = global.metadata.iter().find(|(kind, _)| kind.is(marks::FIELDS))?;
    let texts = module.view.strings(*node);
    let mut fields = Vec::with_capacity(texts.len() / 2);
    for pair in texts.chunks_exact(2) {
        let &[name, value] = pair else { continue };
        let value = match value.parse() {
            Ok(number) => FieldValue::Number(Immediate::integer(number)),
            Err(_) => FieldValue::Name(module.ir.strings.intern(value)),
        };
        fields.push((module.ir.strings.intern(name), value));
    }
    Some(Initializer::Fields(fields))
}

/// The type of the numbers in a variable, and its dimensions; `None` for anything but numbers.
fn shape(view: &View, ty: TypeId) -> (Option<ScalarType>, Vec<Option<u64>>) {
    let mut dims = Vec::new();
    let mut ty = ty;
    loop {
        let element = match view.ty(ty) {
            Type::Array { element, len } => {
                dims.push(Some(*len));
                ty = *element;
                continue;
            }
            Type::Int { bits: 8 } => Some(ScalarType::B8),
            Type::Int { bits: 16 } => Some(ScalarType::B16),
            Type::Int { bits: 32 } => Some(ScalarType::B32),
            Type::Int { bits: 64 } => Some(ScalarType::B64),
            Type::Float(FloatKind::Half | FloatKind::BFloat) => Some(ScalarType::B16),
            Type::Float(FloatKind::Float) => Some(ScalarType::F32),
            Type::Float(FloatKind::Double) => Some(ScalarType::F64),
            _ => None,
        };
        // Only the first dimension may be zero.
        let fits = dims.iter().skip(1).all(|dim| *dim != Some(0));
        return if fits { (element, dims) } else { (None, dims) };
    }
}

fn is_zero(view: &View, id: ConstId, depth: u32) -> Result<bool> {
    if depth > MAX_DEPTH {
        return Err(RaiseError::new(INITIALIZER, "a constant nested too deep"));
    }
    Ok(match view.constant(id) {
        Constant::Zero | Constant::Null | Constant::Undef | Constant::Poison => true,
        Constant::Int(words) => words.iter().all(|word| *word == 0),
        Constant::Float(bits) => *bits == 0,
        Constant::Data(bytes) => bytes.iter().all(|byte| *byte == 0),
        Constant::Aggregate(parts) => {
            let is_part_zero =
                |zero, part: &ConstId| if zero { is_zero(view, *part, depth + 1) } else { Ok(false) };
            parts.iter().try_fold(true, is_part_zero)?
        }
        Constant::Symbol(_) | Constant::BlockAddress(..) | Constant::Expr(_) | Constant::Other(_) => false,
    })
}

/// Writes a constant into an image.
fn fill(module: &ModuleContext<'_, '_>, image: &mut Image, id: ConstId, at: u64, depth: u32) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(RaiseError::new(INITIALIZER, "a constant nested too deep"));
    }
    let view = module.view;
    let ty = view.constant_type(id);
    match view.constant(id) {
        Constant::Zero | Constant::Null | Constant::Undef | Constant::Poison => Ok(()),
        Constant::Int(words) => {
            let bytes = layout_of(view, ty)?.store_size;
            for (word, value) in words.iter().enumerate() {
                write(image, at + 8 * word as u64, *value, bytes.saturating_sub(8 * word as u64).min(8));
            }
            Ok(())
        }
        Constant::Float(bits) => {
            let bytes = layout_of(view, ty)?.store_size;
            write(image, at, *bits, bytes);
            Ok(())
        }
        Constant::Data(bytes) => {
            let start = at as usize;
            if let Some(target) = image.bytes.get_mut(start..start + bytes.len()) {
                target.copy_from_slice(bytes);
            }
            Ok(())
        }
        Constant::Aggregate(parts) => match view.ty(ty) {
            Type::Vector { element, .. } if !is_byte_sized(view, *element) => {
                fill_packed(view, image, *element, parts, at)
            }
            Type::Struct { .. } | Type::Array { .. } | Type::Vector { .. } => {
                for (part, (_, offset)) in parts.iter().zip(components(view, ty)?) {
                    fill(module, image, *part, at + offset, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(RaiseError::new(INITIALIZER, "an aggregate of an unsupported type")),
        },
        // `i32 bitcast (<4 x i8> <..> to i32)`: the elements, some of them bytes of addresses.
        Constant::Expr(ConstExpr::Cast { op: CastOp::BitCast, value })
            if matches!(view.constant(*value), Constant::Aggregate(_)) =>
        {
            fill(module, image, *value, at, depth + 1)
        }
        Constant::Symbol(_) | Constant::BlockAddress(..) | Constant::Expr(_) => {
            relocate(module, image, id, at)
        }
        Constant::Other(name) => Err(RaiseError::new(INITIALIZER, format!("a {name} as an initial value"))),
    }
}

/// Writes a vector of integers that share bytes: each follows the one before it by its bits.
fn fill_packed(view: &View, image: &mut Image, element: TypeId, parts: &[ConstId], at: u64) -> Result<()> {
    let width = layout_of(view, element)?.bits;
    for (number, &part) in parts.iter().enumerate() {
        let words: &[u64] = match view.constant(part) {
            Constant::Int(words) => words,
            Constant::Null | Constant::Zero | Constant::Undef | Constant::Poison => &[],
            _ => {
                return Err(RaiseError::new(
                    INITIALIZER,
                    "a vector of non-constant integers of unusual width",
                ));
            }
        };
        for bit in 0..width {
            let set = words.get((bit / 64) as usize).is_some_and(|word| word >> (bit % 64) & 1 == 1);
            let place = number as u64 * width + bit;
            if let (true, Some(byte)) = (set, image.bytes.get_mut((at + place / 8) as usize)) {
                *byte |= 1 << (place % 8);
            }
        }
    }
    Ok(())
}

fn is_byte_sized(view: &View, ty: TypeId) -> bool {
    view.layout(ty).is_some_and(|layout| layout.bits == layout.size * 8)
}

fn write(image: &mut Image, at: u64, value: u64, bytes: u64) {
    for (shift, byte) in value.to_le_bytes().iter().take(bytes as usize).enumerate() {
        if let Some(place) = image.bytes.get_mut(at as usize + shift) {
            *place = *byte;
        }
    }
}

/// Writes an address, or a number that an expression computes, into an image.
fn relocate(module: &ModuleContext<'_, '_>, image: &mut Image, id: ConstId, at: u64) -> Result<()> {
    let view = module.view;
    let ty = view.constant_type(id);
    let bytes = layout_of(view, ty)?.store_size;
    let value = evaluate(module, id, 0)?;
    let Some((symbol, held)) = value.symbol else {
        write(image, at, value.offset as u64, bytes);
        return Ok(());
    };
    if matches!(held, address_space::SHARED | address_space::LOCAL | address_space::PARAM) {
        return Err(RaiseError::new(INITIALIZER, "an address that is not known before the launch"));
    }
    let generic = value.generic && held != address_space::GENERIC;
    // A number of more bits than an address is extended with zeros: the image has them. A sum on that number would carry into them.
    if bytes > 8 && !is_whole_address(view, id) {
        return Err(RaiseError::new(
            INITIALIZER,
            "a sum with an address in an integer of more than 64 bits, which PTX cannot compute",
        ));
    }
    let known = u64::from(view.addresses().bits() / 8).saturating_sub(value.first);
    let bytes = bytes.min(known);
    if bytes == 0 {
        return Ok(());
    }
    let place = Relocation { at, bytes, first: value.first, symbol, offset: value.offset, generic };
    image.relocations.push(place);
    Ok(())
}

/// Whether a constant is an address as a number, so that all bits above those of an address are zero.
fn is_whole_address(view: &View, id: ConstId) -> bool {
    match view.constant(id) {
        Constant::Expr(ConstExpr::Cast { op: CastOp::PtrToInt | CastOp::PtrToAddr, .. }) => true,
        // `ptrtoint (..) to i256` as an `i128`.
        Constant::Expr(ConstExpr::Cast { op: CastOp::Trunc | CastOp::BitCast, value }) => {
            is_whole_address(view, *value)
        }
        _ => false,
    }
}

/// The value of a constant expression: a symbol's address and an offset, or a number.
#[derive(Clone, Copy)]
struct Evaluated {
    symbol: Option<(PtxSymbol, u32)>,
    offset: i64,
    /// Whether the generic address of the symbol is meant.
    generic: bool,
    /// Which byte of the address is its lowest one.
    first: u64,
}

fn number(value: i64) -> Evaluated {
    Evaluated { symbol: None, offset: value, generic: false, first: 0 }
}

fn evaluate(module: &ModuleContext<'_, '_>, id: ConstId, depth: u32) -> Result<Evaluated> {
    if depth > MAX_DEPTH {
        return Err(RaiseError::new(INITIALIZER, "a constant nested too deep"));
    }
    let view = module.view;
    let bits = bits_of(view, id)? as u32;
    match view.constant(id) {
        Constant::Int(words) => match words.first() {
            Some(&word) => Ok(number(sign_extend(word, bits))),
            None => Err(RaiseError::defect("an integer without words")),
        },
        Constant::Null | Constant::Zero | Constant::Undef | Constant::Poison => Ok(number(0)),
        Constant::BlockAddress(_, block) => Ok(number(block_number(*block) as i64)),
        Constant::Symbol(symbol) => {
            let (symbol, held, offset) = module.symbol(*symbol)?;
            Ok(Evaluated { symbol: Some((symbol, held)), offset, generic: is_generic(view, id), first: 0 })
        }
        Constant::Expr(ConstExpr::Gep { source, base, indices }) => {
            let base = evaluate(module, *base, depth + 1)?;
            let offset = view.offset_of(*source, indices).ok_or_else(|| {
                RaiseError::new(INITIALIZER, "indices of a constant that are not numbers of elements")
            })?;
            Ok(Evaluated { offset: base.offset.wrapping_add(offset), ..base })
        }
        Constant::Expr(ConstExpr::Cast { op, value }) => {
            let inner = evaluate(module, *value, depth + 1)?;
            match op {
                CastOp::BitCast | CastOp::Trunc if inner.first != 0 => Ok(inner),
                _ if inner.first != 0 => Err(part_of_address()),
                // A number of fewer bits than an address is extended with zeros.
                CastOp::IntToPtr if inner.symbol.is_some() && bits_of(view, *value)? < bits.into() => {
                    Err(part_of_address())
                }
                CastOp::BitCast | CastOp::PtrToInt | CastOp::PtrToAddr | CastOp::IntToPtr => Ok(inner),
                CastOp::AddrSpaceCast => Ok(Evaluated { generic: is_generic(view, id), ..inner }),
                CastOp::Trunc if inner.symbol.is_none() => {
                    Ok(number(sign_extend(inner.offset as u64 & mask(bits), bits)))
                }
                CastOp::Trunc => Ok(inner),
                _ => Err(RaiseError::new(INITIALIZER, "a cast in an initial value that PTX cannot compute")),
            }
        }
        Constant::Expr(ConstExpr::Binary { op, lhs, rhs }) => {
            let (a, b) = (evaluate(module, *lhs, depth + 1)?, evaluate(module, *rhs, depth + 1)?);
            if a.first != 0 || b.first != 0 {
                return Err(part_of_address());
            }
            match (op, a.symbol, b.symbol) {
                (BinaryOp::Add, _, None) => Ok(Evaluated { offset: a.offset.wrapping_add(b.offset), ..a }),
                (BinaryOp::Add, None, _) => Ok(Evaluated { offset: a.offset.wrapping_add(b.offset), ..b }),
                (BinaryOp::Sub, _, None) => Ok(Evaluated { offset: a.offset.wrapping_sub(b.offset), ..a }),
                (BinaryOp::Sub, Some(one), Some(other)) if one == other => {
                    Ok(number(a.offset.wrapping_sub(b.offset)))
                }
                (BinaryOp::Xor, None, None) => Ok(number(a.offset ^ b.offset)),
                _ => Err(RaiseError::new(INITIALIZER, "arithmetic on addresses that PTX cannot compute")),
            }
        }
        Constant::Expr(ConstExpr::Element { vector, index }) => match view.constant(*index).as_u64() {
            Some(index) => evaluate_element(module, *vector, index, bits, depth),
            None => Err(part_of_address()),
        },
        Constant::Expr(ConstExpr::Insert { .. }) => Err(part_of_address()),
        Constant::Expr(ConstExpr::Other(number)) => {
            Err(RaiseError::new(INITIALIZER, format!("a constant expression of LLVM's opcode {number}")))
        }
        Constant::Float(_) | Constant::Data(_) | Constant::Aggregate(_) | Constant::Other(_) => {
            Err(RaiseError::new(INITIALIZER, "an expression on something that is not a number"))
        }
    }
}

/// An element of a vector that is the bits of an integer, as `extractelement (<8 x i8> bitcast (i64 .. to <8 x i8>), i32 1)`: the
/// bytes of an address from one on, or bits of a number.
fn evaluate_element(
    module: &ModuleContext<'_, '_>,
    vector: ConstId,
    index: u64,
    bits: u32,
    depth: u32,
) -> Result<Evaluated> {
    let view = module.view;
    let Constant::Expr(ConstExpr::Cast { op: CastOp::BitCast, value }) = view.constant(vector) else {
        return Err(part_of_address());
    };
    let whole = bits_of(view, *value)?;
    let low = index.saturating_mul(bits.into());
    let is_integer = matches!(view.ty(view.constant_type(*value)), Type::Int { .. });
    if !is_integer || whole > 64 || !bits.is_multiple_of(8) || low.saturating_add(bits.into()) > whole {
        return Err(part_of_address());
    }
    let inner = evaluate(module, *value, depth + 1)?;
    Ok(match inner.symbol {
        Some(_) => Evaluated { first: inner.first + low / 8, ..inner },
        None => number(sign_extend(inner.offset as u64 >> low & mask(bits), bits)),
    })
}

fn bits_of(view: &View, id: ConstId) -> Result<u64> {
    Ok(layout_of(view, view.constant_type(id))?.bits)
}

fn part_of_address() -> RaiseError {
    RaiseError::new(INITIALIZER, "arithmetic on a part of an address that PTX cannot compute")
}

/// Whether a constant is a generic address.
fn is_generic(view: &View, id: ConstId) -> bool {
    matches!(view.ty(view.constant_type(id)), Type::Pointer { space: address_space::GENERIC })
}

/// Numbers of one type, nested by the dimensions; trailing zeros of the innermost lists are omitted.
fn numbers(bytes: &[u8], element: ScalarType, dims: &[Option<u64>]) -> Initializer {
    let Some((count, inner)) = dims.split_first() else {
        return Initializer::Value(immediate(little_endian(bytes), element));
    };
    debug_assert!(count.is_some(), "an initial value of an array without a length");
    let size = count.and_then(|count| bytes.len().checked_div(count as usize));
    let mut list: Vec<Initializer> = match size {
        // Without elements, or elements without bytes.
        None | Some(0) => Vec::new(),
        Some(size) => bytes.chunks(size).map(|chunk| numbers(chunk, element, inner)).collect(),
    };
    if inner.is_empty() {
        let zero = Initializer::Value(immediate(0, element));
        while list.len() > 1 && list.last() == Some(&zero) {
            list.pop();
        }
    }
    Initializer::list(list)
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).enumerate().fold(0, |sum, (at, byte)| sum | u64::from(*byte) << (8 * at))
}

fn immediate(bits: u64, element: ScalarType) -> Immediate {
    match element {
        ScalarType::F32 => Immediate::F32(bits as u32, Literal::Plain),
        ScalarType::F64 => Immediate::F64(bits, Literal::Plain),
        _ => match i64::try_from(bits) {
            Ok(value) => Immediate::integer(value),
            Err(_) => Immediate::U64(bits, Literal::Plain),
        },
    }
}

fn bytes_content(image: &Image) -> Content {
    let dims = vec![Some(image.bytes.len() as u64)];
    let init = Some(numbers(&image.bytes, ScalarType::B8, &dims));
    Content { ty: VarType::Scalar(ScalarType::B8), dims, init }
}

/// Words as wide as addresses, some of them addresses.
fn words_content(image: &Image, word: ScalarType) -> Content {
    let bytes = word.bytes() as usize;
    let words = image.bytes.chunks(bytes).enumerate().map(|(at, chunk)| {
        match image.relocations.iter().find(|place| place.at == (bytes * at) as u64) {
            Some(place) => {
                Initializer::Address { symbol: place.symbol, offset: place.offset, generic: place.generic }
            }
            None => Initializer::Value(immediate(little_endian(chunk), word)),
        }
    });
    let words: Vec<Initializer> = words.collect();
    let ty = VarType::Scalar(word);
    match <[Initializer; 1]>::try_from(words) {
        Ok([only]) => Content { ty, dims: Vec::new(), init: Some(only) },
        Err(words) => {
            Content { ty, dims: vec![Some(words.len() as u64)], init: Some(Initializer::list(words)) }
        }
    }
}

/// Bytes, an address or a part of one being its bytes one after the other.
fn masked_content(module: &mut ModuleContext<'_, '_>, image: &Image) -> Result<Content> {
    module.target.need_construct(Construct::InitialAddressPart)?;
    let mut list: Vec<Initializer> =
        image.bytes.iter().map(|byte| Initializer::Value(Immediate::integer(i64::from(*byte)))).collect();
    for place in &image.relocations {
        for byte in 0..place.bytes {
            let masked = Initializer::Masked {
                mask: 0xff << (8 * (place.first + byte)),
                symbol: place.symbol,
                offset: place.offset,
                generic: place.generic,
            };
            if let Some(slot) = list.get_mut((place.at + byte) as usize) {
                *slot = masked;
            }
        }
    }
    let dims = vec![Some(list.len() as u64)];
    Ok(Content { ty: VarType::Scalar(ScalarType::U8), dims, init: Some(Initializer::list(list)) })
}
