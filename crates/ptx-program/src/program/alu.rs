//! Register operations as data: the lane-wise computation on up to four rows.
//!
//! An operation is self-contained: an engine needs nothing else to execute it. The interpreter compiles each operation
//! to a function on rows before a launch (`machine/bind.rs`).

use serde::{Deserialize, Serialize};

use crate::memory::{AddressSize, Space};
use crate::scalar::bits::{Direction, Found, Overshoot, Permutation};
use crate::scalar::compare::{self, Join, Relation, WithNan};
use crate::scalar::convert::{Element, Excess, Integral, PackElement, Repack, Scale, ToFloat};
use crate::scalar::float::{self, Arith, Extreme, NanRule, Property, SignRule, Subnormals};
use crate::scalar::format::{Format, RandomBits};
use crate::scalar::int::{self, Int, ProductPart, Saturation, Signedness};
use crate::scalar::narrow;
use crate::scalar::video::{MultiplyAdd, Scalar, Simd};

/// The numbers in a register: type and count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Numbers {
    /// One integer.
    Int(Int),
    /// One floating-point value.
    Float(Format),
    /// Integers, and how many.
    Ints(Int, u32),
    /// Floating-point values, and how many.
    Floats(Format, u32),
}

impl Numbers {
    /// Their layout in the register.
    pub fn packing(self) -> Packing {
        match self {
            Self::Int(_) | Self::Float(_) => Packing::Whole,
            Self::Ints(t, count) => Packing::Fields { bits: t.bits(), count },
            Self::Floats(format, count) => Packing::Fields { bits: format.bits(), count },
        }
    }
}

/// The granularity at which an operation applies to its registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Packing {
    /// The whole registers.
    Whole,
    /// Each of `count` fields of `bits` bits, lowest first.
    Fields {
        /// Bits of a field.
        bits: u32,
        /// Number of fields.
        count: u32,
    },
}

impl Packing {
    /// Applies a binary function to registers.
    pub fn apply(self, a: u64, b: u64, f: impl Fn(u64, u64) -> u64) -> u64 {
        match self {
            Self::Whole => f(a, b),
            Self::Fields { bits, count } => each(bits, count, [a, b], |[a, b]| f(a, b)),
        }
    }
}

/// Applies a function to each of `count` fields of `width` bits.
pub fn each<const N: usize>(width: u32, count: u32, values: [u64; N], f: impl Fn([u64; N]) -> u64) -> u64 {
    let mask = u64::MAX >> (64 - width);
    (0..count).fold(0, |result, n| {
        let shift = n * width;
        result | (f(values.map(|value| value >> shift & mask)) & mask) << shift
    })
}

/// Unary floating-point functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatFunction {
    /// `rcp`
    Rcp,
    /// `sqrt`
    Sqrt,
    /// `rsqrt`
    Rsqrt,
    /// The sine of an angle in radians.
    Sin,
    /// The cosine of an angle in radians.
    Cos,
    /// The sine of an angle in turns.
    SinOfTurns,
    /// The cosine of an angle in turns.
    CosOfTurns,
    /// `lg2`: the logarithm to base 2.
    Lg2,
    /// `ex2`: a power of 2.
    Ex2,
    /// `tanh`
    Tanh,
}

/// An operation with one source operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum Unary {
    /// `a >> shift & mask`
    Field {
        /// Distance of the shift to the right.
        shift: u32,
        /// The bits that are kept.
        mask: u64,
    },
    /// `(a + addend) & mask`
    AddConstant {
        /// What is added.
        addend: u64,
        /// The bits of the result that are kept.
        mask: u64,
    },
    /// `!a & mask`
    Not {
        /// The bits of the result that are kept.
        mask: u64,
    },
    /// Whether `a & mask` is zero (`cnot`).
    IsZero {
        /// The bits of the operand that count.
        mask: u64,
    },
    /// The upper half of the sign- or zero-extension of `a` to 128 bits.
    UpperHalf(Signedness),
    /// `abs` of an integer.
    IntAbs(Int),
    /// `neg` of an integer.
    IntNeg(Int),
    /// `popc`
    Popc(Int),
    /// `clz`
    Clz(Int),
    /// `brev`
    Brev(Int),
    /// `bfind`, and how the found bit is told.
    Bfind(Int, Found),
    /// `abs` of a floating-point value.
    FloatAbs(Format, Subnormals),
    /// `neg` of a floating-point value.
    FloatNeg(Format, Subnormals),
    /// A function of a floating-point value.
    Function(FloatFunction, Arith),
    /// `rcp.approx.ftz.f64`, `rsqrt.approx.ftz.f64`: only the upper words are significant.
    RcpUpperWord,
    /// See [`Unary::RcpUpperWord`].
    RsqrtUpperWord,
    /// `testp`
    HasProperty(Format, Property),
    /// The result is extended to the register width given by the mask `register`.
    IntToInt {
        /// The type of the result.
        to: Int,
        /// The type of the operand.
        from: Int,
        /// What becomes of values that the result cannot represent.
        excess: Excess,
        /// Mask of the bits of the destination register.
        register: u64,
    },
    /// Only the bits `low` of the source are significant.
    FloatToInt {
        /// The type of the result.
        to: Int,
        /// The rounding to an integer.
        integral: Integral,
        /// The format of the operand.
        from: Format,
        /// Whether subnormal operands count as zero.
        subnormals: Subnormals,
        /// Mask of the significant bits of the operand.
        low: u64,
        /// Mask of the bits of the destination register.
        register: u64,
    },
    /// An integer to a floating-point value.
    IntToFloat {
        /// The result: its format, rounding and saturation.
        to: ToFloat,
        /// The type of the operand.
        from: Int,
    },
    /// A floating-point value to an integral one of the same format (`cvt.rni` and its like).
    FloatToIntegral {
        /// The result.
        to: ToFloat,
        /// The rounding to an integer.
        integral: Integral,
        /// Mask of the significant bits of the operand.
        low: u64,
    },
    /// A floating-point value to one of another format.
    FloatToFloat {
        /// The result: its format, rounding and saturation.
        to: ToFloat,
        /// The format of the operand.
        from: Format,
        /// Mask of the significant bits of the operand.
        low: u64,
    },
    /// Whether a generic address is in the window of the space (`isspacep`).
    IsInSpace(Space, AddressSize),
    /// The number of pending arrivals in an `mbarrier` state.
    PendingCount,
}

/// Arithmetic of two floating-point values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatBinary {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, correctly rounded.
    Div,
    /// `a / b` within the error bound of `div.approx`.
    DivApprox,
}

/// `min` and `max` of floating-point values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct FloatExtreme {
    /// The format of the operands and the result.
    pub format: Format,
    /// Whether subnormals count as zero.
    pub subnormals: Subnormals,
    /// `min` or `max`.
    pub which: Extreme,
    /// What a NaN operand results in.
    pub nan: NanRule,
    /// The sign of the result (`.xorsign`).
    pub sign: SignRule,
}

impl FloatExtreme {
    /// The result for two operands.
    #[inline]
    pub fn of(&self, a: u64, b: u64) -> u64 {
        float::extreme(self.format, self.subnormals, self.which, self.nan, self.sign, a, b)
    }
}

/// A comparison of two values of the same type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// The comparison operator.
    pub relation: Relation,
    /// What a comparison with a NaN results in.
    pub with_nan: WithNan,
    /// The type of the operands.
    pub numbers: Numbers,
    /// Whether subnormals count as zero.
    pub subnormals: Subnormals,
}

impl Comparison {
    /// Evaluates the comparison on element `n`.
    #[inline]
    pub fn holds(&self, n: u32, a: u64, b: u64) -> bool {
        match self.numbers {
            Numbers::Int(t) | Numbers::Ints(t, _) => {
                let shift = n * t.bits() % 64;
                compare::int(self.relation, t, a >> shift, b >> shift)
            }
            Numbers::Float(format) | Numbers::Floats(format, _) => {
                let shift = n * format.bits() % 64;
                let field = |raw: u64| raw >> shift & (format.sign_bit() | format.magnitude_mask());
                compare::float(self.relation, self.with_nan, format, self.subnormals, field(a), field(b))
            }
        }
    }
}

/// A conversion of a whole pack of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub struct PackConversion {
    /// The conversion of one element.
    pub repack: Repack,
    /// Number of elements.
    pub count: u32,
}

impl PackConversion {
    /// Converts the elements of a pack of up to 128 bits; `how` returns scale and rounding of the `n`-th.
    pub fn apply(&self, low: u64, high: u64, how: impl Fn(u32) -> (Scale, narrow::Direction)) -> u64 {
        let pack = u128::from(high) << 64 | u128::from(low);
        let (from, to) = (self.repack.from.place(), self.repack.to.place());
        (0..self.count).fold(0, |result, n| {
            let raw = (pack >> (n * from)) as u64 & (u64::MAX >> (64 - from));
            let (scale, direction) = how(n);
            result | self.repack.element(scale, direction, raw) << (n * to)
        })
    }

    /// The random bits of an element: which of the 32 bits it uses depends on the format (manual 9.7.9.21). `n` counts
    /// from the lowest element of the result.
    pub fn random_bits(&self, n: u32, bits: u64) -> RandomBits {
        let (count, shift) = match self.repack.to {
            Element::Wide(Format::F16) => (13, 16 * n),
            Element::Wide(Format::Bf16 | Format::F32 | Format::F64 | Format::Tf32) => (16, 16 * n),
            // Of the 4-bit elements the upper two use the upper bytes of both halves, the lower two the lower bytes.
            Element::Narrow(format) if format.place() == 4 => (8, 8 * (n / 2) + 16 * (n % 2)),
            // Four 8-bit elements share two halves: the upper two the upper half, the lower two the lower one.
            Element::Narrow(_) => (16, 16 * (n / 2)),
        };
        RandomBits { count, bits: bits >> shift }
    }

    /// The scale of an element from the raw bits of its scale factor: narrowing divides by it.
    pub fn scale(&self, raw: u64) -> Scale {
        if matches!(self.repack.to, Element::Narrow(_)) { Scale::over(raw) } else { Scale::times(raw) }
    }
}

/// An operation with two source operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum Binary {
    /// Whether a generic address is in the shared memory of the block that contains the second address.
    IsInBlock,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a | (b & mask) << shift`
    Insert {
        /// Where the bits are inserted.
        shift: u32,
        /// Which bits of `b` are inserted.
        mask: u64,
    },
    /// `add` of integers.
    IntAdd(Int, Saturation),
    /// `sub` of integers.
    IntSub(Int, Saturation),
    /// `mul` of integers.
    IntMul(Int, ProductPart),
    /// `div` of integers.
    IntDiv(Int),
    /// `rem`
    IntRem(Int),
    /// `min` of integers.
    IntMin(Int),
    /// `max` of integers.
    IntMax(Int),
    /// `min.relu`, `max.relu`: clamped to at least zero.
    IntMinRelu(Int),
    /// See [`Binary::IntMinRelu`].
    IntMaxRelu(Int),
    /// `mul24`
    Mul24(Int, ProductPart),
    /// `shl`; the amount is clamped to the width.
    Shl(Int),
    /// `shr`; the amount is clamped to the width.
    Shr(Int),
    /// `bmsk`
    Bmsk(Overshoot),
    /// `szext`
    Szext(Signedness, Overshoot),
    /// Arithmetic of two values of a format.
    Float(FloatBinary, Arith),
    /// The first operand is widened from a format to that of the second (manual 9.7.5).
    FloatMixed(FloatBinary, Arith, Format),
    /// `min` and `max` of floating-point values.
    Extreme(FloatExtreme),
    /// `copysign`
    Copysign(Format),
    /// The result of a comparison, as a predicate.
    Compare(Comparison),
    /// Two values of a format are converted to a pair, `a` in the upper half.
    FloatPair(ToFloat, Format),
    /// Converts a pack given as its lower and upper 64 bits.
    Repack(PackConversion, narrow::Direction),
}

/// `set`: an element is all ones or the number one if the comparison holds, else zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub struct SetWhere {
    /// The comparison.
    pub comparison: Comparison,
    /// How its result is joined with the predicate operand, the third source.
    pub join: Join,
    /// Number of elements of the result, and their width in bits.
    pub count: u32,
    /// Bits of an element of the result.
    pub width: u32,
    /// The element for a comparison that holds.
    pub when_true: u64,
}

/// An operation with three source operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum Ternary {
    /// `mad` of integers.
    IntMad(Int, ProductPart, Saturation),
    /// `mad24`
    Mad24(Int, ProductPart, Saturation),
    /// `sad`: `c + |a - b|`
    Sad(Int),
    /// `dp4a`
    Dp4a(Signedness, Signedness),
    /// `dp2a`
    Dp2a(Signedness, Signedness, ProductPart),
    /// `lop3`, by its look-up table.
    Lop3(u8),
    /// `shf`
    Shf(Direction, Overshoot),
    /// `bfe`
    Bfe(Int),
    /// `prmt`
    Prmt(Permutation),
    /// `fma`, and `mad` of floating-point values.
    Fma(Arith),
    /// The factors are widened from a format to that of the sum (manual 9.7.5).
    FmaMixed(Arith, Format),
    /// `fma.oob` (manual 9.7.4.4).
    FmaWithinBounds(Arith),
    /// `min` and `max` of three floating-point values.
    Extreme(FloatExtreme),
    /// `c ? a : b`
    Select,
    /// `a` if `c` is not negative, else `b`; a NaN selects `b` (manual 9.7.6.4).
    SelectBySign,
    /// See [`Ternary::SelectBySign`], for a floating-point `c`.
    SelectByFloatSign(Format, Subnormals),
    /// `set`; `c` is the predicate that the result is joined with.
    Set(SetWhere),
    /// `vmad`
    MultiplyAdd(MultiplyAdd),
    /// Scalar video instructions; `c` is what the result is combined with.
    Video(Scalar),
    /// Video instructions on the bytes or halves of registers.
    VideoSimd(Simd),
    /// `c` contains random bits.
    RepackRandom(PackConversion),
    /// `c` contains scales, one byte for each element.
    RepackScaled(PackConversion, narrow::Direction),
    /// `cvt.pack`: two integers, and the elements in `c` above them.
    PackIntegers(PackElement),
}

/// An operation with two results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum Dual {
    /// Sources: `a`, `b`, unused, the carry. Results: the sum, the carry.
    AddCarry(Int, Saturation),
    /// `a + ~b + carry`; otherwise like [`Dual::AddCarry`].
    SubCarry(Int, Saturation),
    /// Sources: `a`, `b`, `c`, the carry.
    MadCarry(Int, ProductPart),
    /// Sources: `a`, `b`, `c`, a predicate. Results: the bits, and whether any is set, joined with the predicate.
    Lop3(u8, Join),
    /// Sources: `a`, `b`, a predicate. Results: whether the comparison holds and its negation, each joined with the
    /// predicate.
    Compare(Comparison, Join),
    /// Comparison of a pair: the second result is that of the upper half.
    ComparePair(Comparison, Join),
}

/// The value that an atomic operation writes to memory (manual 9.7.13.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum Combine {
    /// The operand.
    Exchange,
    /// The second operand, if memory contains the first.
    CompareAndSwap,
    /// `old & operand`
    And,
    /// `old | operand`
    Or,
    /// `old ^ operand`
    Xor,
    /// Increments up to the operand, then wraps to 0.
    Inc,
    /// Decrements down to 0, then wraps to the operand.
    Dec,
    /// The sum of integers.
    IntAdd(Int),
    /// The smaller integer.
    IntMin(Int),
    /// The larger integer.
    IntMax(Int),
    /// An operation on floating-point values.
    Float(FloatCombine),
}

/// Atomic operations on floating-point values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub enum FloatCombine {
    /// In global memory `.f32` subnormals are treated as specified, in shared memory they are preserved.
    AddF32 {
        /// How subnormals are treated in global memory.
        in_global: Subnormals,
    },
    /// The sum, of each element of a pack.
    Add(Format, Packing),
    /// The minimum or maximum, of each element of a pack.
    Extreme(FloatExtreme, Packing),
}

impl Combine {
    /// The new value, from the old value in a space and two operands.
    #[inline]
    pub fn of(self, space: Space, old: u64, b: u64, c: u64) -> u64 {
        match self {
            Self::Exchange => b,
            Self::CompareAndSwap if old == b => c,
            Self::CompareAndSwap => old,
            Self::And => old & b,
            Self::Or => old | b,
            Self::Xor => old ^ b,
            Self::Inc if old >= b => 0,
            Self::Inc => old + 1,
            Self::Dec if old == 0 || old > b => b,
            Self::Dec => old - 1,
            Self::IntAdd(t) => t.wrap(old.wrapping_add(b)),
            Self::IntMin(t) => int::min(t, old, b),
            Self::IntMax(t) => int::max(t, old, b),
            Self::Float(combine) => combine.of(space, old, b),
        }
    }
}

impl FloatCombine {
    fn of(self, space: Space, old: u64, b: u64) -> u64 {
        match self {
            Self::AddF32 { in_global } => {
                let subnormals = if space == Space::Global { in_global } else { Subnormals::Keep };
                float::add(&Arith { subnormals, ..Arith::nearest(Format::F32) }, old, b)
            }
            Self::Add(format, packing) => {
                packing.apply(old, b, |old, b| float::add(&Arith::nearest(format), old, b))
            }
            Self::Extreme(extreme, packing) => packing.apply(old, b, |old, b| extreme.of(old, b)),
        }
    }
}
