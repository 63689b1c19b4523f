//! How an instruction is lowered to LLVM IR: the column of the table of families that the lowering follows and `docs/coverage.md`
//! counts.
//!
//! An instruction is lowered in the way of its meaning, or in another way that its modifiers or operands need. The kinds are in the
//! order of preference; the last one that the meaning or one of its overrides requires is used.

use std::fmt;

use crate::names::{Field, Mod};

/// How an instruction is lowered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lowering {
    /// To instructions and intrinsics that LLVM has for every target.
    Plain,
    /// To an intrinsic of LLVM's NVPTX target where there is one for its modifiers, else to inline assembly.
    Intrinsic,
    /// To inline assembly that contains the instruction as written: LLVM has no other form.
    Assembly,
}

impl Lowering {
    /// All kinds, in the order of preference.
    pub const ALL: [Lowering; 3] = [Lowering::Plain, Lowering::Intrinsic, Lowering::Assembly];

    /// Its name in the documentation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Lowering::Plain => "plain IR",
            Lowering::Intrinsic => "intrinsic",
            Lowering::Assembly => "inline assembly",
        }
    }
}

impl fmt::Display for Lowering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Modifiers or operands with which an instruction is lowered in another way than others of its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// This modifier.
    Is(Mod),
    /// Any modifier in this slot.
    Has(Field),
    /// All of these.
    All(&'static [Condition]),
    /// These operands, in words, which the intrinsic does not support. The mnemonic alone does not determine it.
    Operands(&'static str),
}

impl Condition {
    /// Whether the condition depends on operands.
    pub fn is_by_operands(self) -> bool {
        match self {
            Is(_) | Has(_) => false,
            All(list) => list.iter().any(|part| part.is_by_operands()),
            Operands(_) => true,
        }
    }
}

use Condition::{All, Has, Is, Operands};

// Plain IR has no rounding but to nearest, and does not flush or saturate floating-point numbers; operands and results of its
// operations have one type.

/// Sums and differences. Saturation of one integer is plain.
pub(crate) const SUM: &[(Condition, Lowering)] = &[
    (Has(Field::Ftz), Lowering::Intrinsic),
    (All(&[Is(Mod::Sat), Is(Mod::F32)]), Lowering::Intrinsic),
    (All(&[Is(Mod::Sat), Is(Mod::F16)]), Lowering::Intrinsic),
    (All(&[Is(Mod::Sat), Is(Mod::F16x2)]), Lowering::Intrinsic),
    (Is(Mod::Rz), Lowering::Intrinsic),
    (Is(Mod::Rm), Lowering::Intrinsic),
    (Is(Mod::Rp), Lowering::Intrinsic),
    (All(&[Is(Mod::F32), Is(Mod::F16)]), Lowering::Assembly),
    (All(&[Is(Mod::F32), Is(Mod::Bf16)]), Lowering::Assembly),
    (All(&[Is(Mod::Sat), Is(Mod::S16x2)]), Lowering::Assembly),
    (All(&[Is(Mod::Sat), Is(Mod::U16x2)]), Lowering::Assembly),
];
/// Products. The upper half of one is an intrinsic.
pub(crate) const PRODUCT: &[(Condition, Lowering)] = &[
    (Has(Field::Ftz), Lowering::Intrinsic),
    (Is(Mod::Sat), Lowering::Intrinsic),
    (Is(Mod::Rz), Lowering::Intrinsic),
    (Is(Mod::Rm), Lowering::Intrinsic),
    (Is(Mod::Rp), Lowering::Intrinsic),
    (Is(Mod::Hi), Lowering::Intrinsic),
];
/// A product and a sum of integers.
pub(crate) const MAD: &[(Condition, Lowering)] =
    &[(Is(Mod::Hi), Lowering::Intrinsic), (Is(Mod::Sat), Lowering::Assembly)];
/// The same with a carry: `.sat` has no effect on `madc`.
pub(crate) const MADC: &[(Condition, Lowering)] = &[(Is(Mod::Hi), Lowering::Intrinsic)];
/// A product and a sum of floating-point numbers.
pub(crate) const FMA: &[(Condition, Lowering)] = &[
    (Has(Field::Ftz), Lowering::Intrinsic),
    (Is(Mod::Sat), Lowering::Intrinsic),
    (Has(Field::Relu), Lowering::Intrinsic),
    (Is(Mod::Rz), Lowering::Intrinsic),
    (Is(Mod::Rm), Lowering::Intrinsic),
    (Is(Mod::Rp), Lowering::Intrinsic),
    (Is(Mod::F32x2), Lowering::Assembly),
    (All(&[Is(Mod::F32), Is(Mod::F16)]), Lowering::Assembly),
    (All(&[Is(Mod::F32), Is(Mod::Bf16)]), Lowering::Assembly),
];
pub(crate) const QUOTIENT: &[(Condition, Lowering)] = &[
    (Has(Field::Ftz), Lowering::Intrinsic),
    (Has(Field::Approx), Lowering::Intrinsic),
    (Is(Mod::Full), Lowering::Intrinsic),
    (Is(Mod::Rz), Lowering::Intrinsic),
    (Is(Mod::Rm), Lowering::Intrinsic),
    (Is(Mod::Rp), Lowering::Intrinsic),
];
/// Smallest and largest values, signs.
pub(crate) const EXTREME: &[(Condition, Lowering)] =
    &[(Has(Field::Ftz), Lowering::Intrinsic), (Has(Field::Xorsign), Lowering::Intrinsic)];
pub(crate) const CONVERSION: &[(Condition, Lowering)] = &[
    (Has(Field::Ftz), Lowering::Intrinsic),
    (Has(Field::Sat), Lowering::Intrinsic),
    (Has(Field::Relu), Lowering::Intrinsic),
    (Is(Mod::Rni), Lowering::Intrinsic),
    (Is(Mod::Rzi), Lowering::Intrinsic),
    (Is(Mod::Rmi), Lowering::Intrinsic),
    (Is(Mod::Rpi), Lowering::Intrinsic),
    (Is(Mod::Rz), Lowering::Intrinsic),
    (Is(Mod::Rm), Lowering::Intrinsic),
    (Is(Mod::Rp), Lowering::Intrinsic),
    (Is(Mod::Rna), Lowering::Intrinsic),
    (Is(Mod::Tf32), Lowering::Intrinsic),
    (All(&[Is(Mod::F16), Is(Mod::Bf16)]), Lowering::Assembly),
    // LLVM 22's InstCombine assumes that the conversion is exact if the integer has few significant bits, although it may be too
    // large and become an infinity (docs/mapping.md, "Exact floating point").
    (All(&[Is(Mod::Rn), Is(Mod::F16), Is(Mod::U32)]), Lowering::Assembly),
    (All(&[Is(Mod::Rn), Is(Mod::F16), Is(Mod::S32)]), Lowering::Assembly),
    (All(&[Is(Mod::Rn), Is(Mod::F16), Is(Mod::U64)]), Lowering::Assembly),
    (All(&[Is(Mod::Rn), Is(Mod::F16), Is(Mod::S64)]), Lowering::Assembly),
];
/// Comparisons in LLVM do not flush, and results of packed ones have other types.
pub(crate) const COMPARISON: &[(Condition, Lowering)] = &[
    (Has(Field::Ftz), Lowering::Assembly),
    (Is(Mod::F16x2), Lowering::Assembly),
    (Is(Mod::Bf16x2), Lowering::Assembly),
];
/// Properties that plain loads and stores cannot express, even as metadata: operands, eviction priorities that only accesses of
/// exactly 256 bits have, which LLVM may split, memory order of accesses wider than LLVM's atomic ones.
pub(crate) const ACCESS: &[(Condition, Lowering)] = &[
    (Has(Field::CacheHint), Lowering::Assembly),
    (Has(Field::EvictL2), Lowering::Assembly),
    (Has(Field::Mmio), Lowering::Assembly),
    (All(&[Has(Field::Vec), Is(Mod::Relaxed)]), Lowering::Assembly),
    (All(&[Has(Field::Vec), Is(Mod::Acquire)]), Lowering::Assembly),
    (All(&[Has(Field::Vec), Is(Mod::Release)]), Lowering::Assembly),
    (All(&[Is(Mod::B128), Is(Mod::Relaxed)]), Lowering::Assembly),
    (All(&[Is(Mod::B128), Is(Mod::Acquire)]), Lowering::Assembly),
    (All(&[Is(Mod::B128), Is(Mod::Release)]), Lowering::Assembly),
];
/// Operands that texture intrinsics do not support.
pub(crate) const TEXTURE: &[(Condition, Lowering)] =
    &[(Operands("a predicate in addition to the result, offsets, a reference depth"), Lowering::Assembly)];
pub(crate) const GATHER: &[(Condition, Lowering)] = &[(
    Operands(
        "a predicate in addition to the result, offsets, a reference depth, coordinates that are not read",
    ),
    Lowering::Assembly,
)];
/// LLVM's addition of single precision flushes subnormals, and its atomics have 64 bits at most.
pub(crate) const ATOMIC: &[(Condition, Lowering)] = &[
    (Has(Field::CacheHint), Lowering::Assembly),
    (All(&[Is(Mod::F32), Is(Mod::Noftz)]), Lowering::Assembly),
    (Is(Mod::B128), Lowering::Assembly),
];

/// `mad24` whose sum is that of a whole product.
pub(crate) const MAD24: &[(Condition, Lowering)] =
    &[(Is(Mod::Lo), Lowering::Intrinsic), (Is(Mod::Hi), Lowering::Assembly)];
/// Fences of a scope are plain, the others have intrinsics.
pub(crate) const FENCE: &[(Condition, Lowering)] = &[(Has(Field::Level), Lowering::Intrinsic)];
/// Addresses of 32 bits. In modules with 32-bit addresses those of 64 bits are inline assembly instead.
pub(crate) const NARROW_ADDRESS: &[(Condition, Lowering)] = &[(Is(Mod::U32), Lowering::Assembly)];

/// Operands that LLVM does not have, and that other intrinsics do not support.
pub(crate) const SPECIAL: &[(Condition, Lowering)] =
    &[(Operands("special registers that LLVM does not support"), Lowering::Assembly)];
pub(crate) const PARAMETER: &[(Condition, Lowering)] = &[(
    All(&[Is(Mod::Param), Operands("the parameter space, whose variables are arguments")]),
    Lowering::Assembly,
)];
pub(crate) const UNREAD: &[(Condition, Lowering)] =
    &[(All(&[Is(Mod::Async), Operands("a predicate that leaves the source unread")]), Lowering::Assembly)];
pub(crate) const ALL_MATCH: &[(Condition, Lowering)] =
    &[(All(&[Is(Mod::All), Operands("no predicate in addition to the result")]), Lowering::Assembly)];
pub(crate) const SCALED_INTEGERS: &[(Condition, Lowering)] =
    &[(All(&[Is(Mod::Mma), Operands("a scale for an integer accumulator")]), Lowering::Assembly)];
pub(crate) const ARRIVALS: &[(Condition, Lowering)] =
    &[(Operands("no count with a scope, a count with a generic address"), Lowering::Assembly)];
pub(crate) const SELECTORS: &[(Condition, Lowering)] =
    &[(Operands("sparsity selectors beyond those in the manual, which `ptxas` accepts"), Lowering::Assembly)];
