//! How LLVM's types become registers.
//!
//! A value of LLVM is a list of leaves, each in a separate register: fields of structures and elements of arrays and
//! vectors one after the other, integers over 64 bits as 64-bit words, the low one first. The one exception are vectors of
//! an even number of half-precision numbers, which are pairs: PTX computes with two as one 32-bit register.

use rustc_hash::FxHashMap as HashMap;
use std::rc::Rc;

use ptx_isa::ScalarType;
use ptx_llvm_core::view::{FloatKind, Layout, Type, TypeId, View};

use crate::error::{RaiseError, Result, TYPE};

/// Values with more leaves are rejected: each would need a register.
const MAX_LEAVES: usize = 4096;

/// The widest vector access in bytes that every target has.
pub(crate) const MAX_VECTOR: u64 = 16;

/// The bytes of a word.
pub(crate) const WORD: usize = 4;

/// The type of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Scalar {
    /// An integer of at most 64 bits; the bits of its register above that are unspecified.
    Int(u32),
    /// A floating-point number.
    Half,
    BFloat,
    Float,
    Double,
    /// Two neighbours of a vector of `half`, the first in the low half.
    HalfPair,
    /// The same of `bfloat`.
    BFloatPair,
    /// An address in an address space.
    Pointer {
        space: u32,
        /// Its width in memory.
        bits: u32,
        /// The class of the registers that hold it.
        class: Class,
    },
}

/// A class of registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Class {
    Pred,
    B16,
    B32,
    B64,
    F32,
    F64,
    B128,
}

impl Class {
    /// The type registers of the class are declared with.
    pub(crate) const fn register_type(self) -> ScalarType {
        match self {
            Class::Pred => ScalarType::Pred,
            Class::B16 => ScalarType::B16,
            Class::B32 => ScalarType::B32,
            Class::B64 => ScalarType::B64,
            Class::F32 => ScalarType::F32,
            Class::F64 => ScalarType::F64,
            Class::B128 => ScalarType::B128,
        }
    }

    /// Width in bits.
    pub(crate) const fn bits(self) -> u32 {
        self.register_type().bits()
    }

    /// The class of the registers that hold values of a type.
    pub(crate) const fn of_type(ty: ScalarType) -> Class {
        match ty {
            ScalarType::F32 => Class::F32,
            ScalarType::F64 => Class::F64,
            ScalarType::B8 | ScalarType::U8 | ScalarType::S8 => Class::B16,
            other => Class::of_bits(other.bits()),
        }
    }

    /// The class of integers of that many bits.
    pub(crate) const fn of_bits(bits: u32) -> Class {
        match bits {
            0..=1 => Class::Pred,
            2..=16 => Class::B16,
            17..=32 => Class::B32,
            33..=64 => Class::B64,
            _ => Class::B128,
        }
    }
}

/// The integer type of at least `bits` bits, signed or unsigned.
pub(crate) const fn integer_type(signed: bool, bits: u32) -> ScalarType {
    match (signed, bits) {
        (true, 0..=8) => ScalarType::S8,
        (true, 9..=16) => ScalarType::S16,
        (true, 17..=32) => ScalarType::S32,
        (true, _) => ScalarType::S64,
        (false, 0..=8) => ScalarType::U8,
        (false, 9..=16) => ScalarType::U16,
        (false, 17..=32) => ScalarType::U32,
        (false, _) => ScalarType::U64,
    }
}

/// The class of integer registers for `bits` bits; predicates are not included.
pub(crate) const fn integer_class(bits: u32) -> Class {
    match bits {
        0..=16 => Class::B16,
        17..=32 => Class::B32,
        _ => Class::B64,
    }
}

impl Scalar {
    /// The class of its register.
    pub(crate) const fn class(self) -> Class {
        match self {
            Scalar::Int(bits) => Class::of_bits(bits),
            Scalar::Half | Scalar::BFloat => Class::B16,
            Scalar::Float => Class::F32,
            Scalar::Double => Class::F64,
            Scalar::HalfPair | Scalar::BFloatPair => Class::B32,
            Scalar::Pointer { class, .. } => class,
        }
    }

    /// Width of the value in bits.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Scalar::Int(bits) | Scalar::Pointer { bits, .. } => bits,
            Scalar::Half | Scalar::BFloat => 16,
            Scalar::Float | Scalar::HalfPair | Scalar::BFloatPair => 32,
            Scalar::Double => 64,
        }
    }

    /// The type of floating-point operations on it.
    pub(crate) const fn float(self) -> Option<ScalarType> {
        match self {
            Scalar::Half => Some(ScalarType::F16),
            Scalar::BFloat => Some(ScalarType::Bf16),
            Scalar::Float => Some(ScalarType::F32),
            Scalar::Double => Some(ScalarType::F64),
            Scalar::HalfPair => Some(ScalarType::F16x2),
            Scalar::BFloatPair => Some(ScalarType::Bf16x2),
            Scalar::Int(_) | Scalar::Pointer { .. } => None,
        }
    }

    /// The elements of a pair; the value itself otherwise.
    pub(crate) const fn element(self) -> Scalar {
        match self {
            Scalar::HalfPair => Scalar::Half,
            Scalar::BFloatPair => Scalar::BFloat,
            other => other,
        }
    }

    /// Whether it is two values in one register.
    pub(crate) const fn is_pair(self) -> bool {
        matches!(self, Scalar::HalfPair | Scalar::BFloatPair)
    }
}

/// The registers that hold addresses in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum SharedAddresses {
    /// 32 bits, as compilers for CUDA compute them, independent of their size in memory.
    #[default]
    Short,
    /// The width in the data layout, see [`crate::upper_halves`].
    Whole,
}

impl SharedAddresses {
    /// The class of an address of `bits` bits.
    const fn class(self, space: u32, bits: u32) -> Class {
        match self {
            Self::Short if space == ptx_llvm_core::address_space::SHARED => Class::B32,
            _ => Class::of_bits(bits),
        }
    }
}

/// The class of addresses of a space, by the data layout.
pub(crate) fn space_class(view: &View, shared: SharedAddresses, space: u32) -> Class {
    let layout = &view.data_layout;
    let prefix = if space == 0 { "p:".to_owned() } else { format!("p{space}:") };
    let stated = layout.split('-').find_map(|part| part.strip_prefix(&prefix));
    let default =
        || layout.split('-').find_map(|part| part.strip_prefix("p:").or_else(|| part.strip_prefix("p0:")));
    let bits = stated.or_else(default).and_then(|rest| rest.split(':').next()?.parse().ok());
    // Default: the width of pointers by LLVM where the layout names none.
    shared.class(space, bits.unwrap_or(64))
}

/// The part of a value in one register, and its offset in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    pub(crate) scalar: Scalar,
    /// Bytes from the start of the value.
    pub(crate) offset: u64,
    /// Its size in bytes.
    pub(crate) bytes: u64,
}

/// The leaves of types, remembered.
#[derive(Default)]
pub(crate) struct Leaves {
    known: HashMap<TypeId, Rc<[Leaf]>>,
    shared: SharedAddresses,
}

impl Leaves {
    /// The registers that hold addresses in shared memory.
    pub(crate) fn shared(&self) -> SharedAddresses {
        self.shared
    }

    /// Chooses the registers that hold addresses in shared memory from now on.
    pub(crate) fn set_shared(&mut self, shared: SharedAddresses) {
        if self.shared != shared {
            self.shared = shared;
            self.known.clear();
        }
    }

    /// The leaves of a type; none for `void`.
    pub(crate) fn of(&mut self, view: &View, ty: TypeId) -> Result<Rc<[Leaf]>> {
        if let Some(leaves) = self.known.get(&ty) {
            return Ok(leaves.clone());
        }
        let mut list = Vec::new();
        collect(view, self.shared, ty, 0, &mut list)?;
        let leaves: Rc<[Leaf]> = list.into();
        self.known.insert(ty, leaves.clone());
        Ok(leaves)
    }
}

/// Recursion is bounded: a view holds no type nested deeper than 256 levels.
fn collect(
    view: &View,
    shared: SharedAddresses,
    ty: TypeId,
    offset: u64,
    list: &mut Vec<Leaf>,
) -> Result<()> {
    if list.len() > MAX_LEAVES {
        let message = format!("a value with more than {MAX_LEAVES} elements");
        return Err(RaiseError::new(TYPE, message).with_help("keep it in memory"));
    }
    let leaf = |scalar: Scalar, bytes| Leaf { scalar, offset, bytes };
    match view.ty(ty) {
        Type::Void => {}
        Type::Int { bits } if *bits <= 64 => list.push(leaf(Scalar::Int(*bits), u64::from(bits.div_ceil(8)))),
        Type::Int { bits } => list.extend(words(*bits, offset)),
        Type::Float(kind) => match kind {
            FloatKind::Half => list.push(leaf(Scalar::Half, 2)),
            FloatKind::BFloat => list.push(leaf(Scalar::BFloat, 2)),
            FloatKind::Float => list.push(leaf(Scalar::Float, 4)),
            FloatKind::Double => list.push(leaf(Scalar::Double, 8)),
            // It has memory and registers, only no arithmetic.
            FloatKind::Other("fp128") => list.extend(words(128, offset)),
            FloatKind::Other(name) => return Err(unsupported(name)),
        },
        Type::Pointer { space } => {
            let bits = layout_of(view, ty)?.bits as u32;
            let class = shared.class(*space, bits);
            list.push(leaf(Scalar::Pointer { space: *space, bits, class }, u64::from(bits / 8)));
        }
        Type::Vector { element, len } if len % 2 == 0 && pair_of(view, *element).is_some() => {
            let scalar = pair_of(view, *element).unwrap_or(Scalar::HalfPair);
            if *len as usize > MAX_LEAVES {
                return Err(too_many(u64::from(*len)));
            }
            list.extend((0..u64::from(*len / 2)).map(|at| Leaf {
                scalar,
                offset: offset + 4 * at,
                bytes: 4,
            }));
        }
        Type::Vector { len, .. } if u64::from(*len) > MAX_LEAVES as u64 => {
            return Err(too_many(u64::from(*len)));
        }
        Type::Array { len, .. } if *len > MAX_LEAVES as u64 => return Err(too_many(*len)),
        Type::Struct { .. } if view.layout(ty).is_none() => return Err(unsupported(view.type_text(ty))),
        Type::Vector { .. } | Type::Array { .. } | Type::Struct { .. } => {
            for (component, at) in components(view, ty)? {
                collect(view, shared, component, offset + at, list)?;
            }
        }
        Type::Function { .. } => return Err(unsupported("a function type as a value")),
        Type::Other(name) => return Err(unsupported(name)),
    }
    Ok(())
}

/// The fields of a structure, or the elements of an array or vector, with their offsets in memory.
pub(crate) fn components(view: &View, ty: TypeId) -> Result<Vec<(TypeId, u64)>> {
    let repeated = |element: TypeId, len: u64| {
        let size = layout_of(view, element)?.size;
        Ok((0..len).map(|at| (element, at * size)).collect())
    };
    match view.ty(ty) {
        Type::Struct { fields } => {
            let offsets = &layout_of(view, ty)?.offsets;
            Ok(fields.iter().copied().zip(offsets.iter().copied()).collect())
        }
        Type::Array { element, len } => repeated(*element, *len),
        Type::Vector { element, len } => repeated(*element, u64::from(*len)),
        _ => Ok(Vec::new()),
    }
}

/// The layout of a type, whose values have a size.
pub(crate) fn layout_of(view: &View, ty: TypeId) -> Result<&Layout> {
    let message = || format!("a value of type {}, which has no size", view.type_text(ty));
    view.layout(ty).ok_or_else(|| RaiseError::new(TYPE, message()))
}

/// The pair of two elements of a type, for the types with which PTX computes in pairs.
fn pair_of(view: &View, element: TypeId) -> Option<Scalar> {
    match view.ty(element) {
        Type::Float(FloatKind::Half) => Some(Scalar::HalfPair),
        Type::Float(FloatKind::BFloat) => Some(Scalar::BFloatPair),
        _ => None,
    }
}

fn too_many(len: u64) -> RaiseError {
    RaiseError::new(TYPE, format!("a value with {len} elements")).with_help("keep it in memory")
}

/// The 64-bit words of an integer of that many bits.
pub(crate) fn word_leaves(bits: u32) -> Vec<Leaf> {
    words(bits, 0).collect()
}

/// The 64-bit words of a wide integer.
fn words(bits: u32, offset: u64) -> impl Iterator<Item = Leaf> {
    (0..bits).step_by(64).map(move |at| {
        let width = (bits - at).min(64);
        let bytes = u64::from(width.div_ceil(8));
        Leaf { scalar: Scalar::Int(width), offset: offset + u64::from(at / 8), bytes }
    })
}

fn unsupported(name: &str) -> RaiseError {
    RaiseError::new(TYPE, format!("the type {name} has no counterpart in PTX"))
}
