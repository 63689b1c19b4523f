//! Values with operators, in which the emitters of operations are written.
//!
//! A [`Lanes`] is an LLVM value, a scalar or a vector, with the operators of its element type: `a + b` is `add` for integers and
//! `fadd` for floating-point numbers. Instead of a `Result` from each operator, [`Code`] records the first error and returns it
//! at the end, and a failed operation evaluates to its first operand, so that formulas read as formulas. The checked builder emits nothing
//! that LLVM leaves undefined, for any arguments.

use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Type, Value};

use super::lanes_of;
use super::style::Style;
use super::{Emit, Emitted};

/// The code being emitted, and the first error.
pub(super) struct Code<'e, 'm, 'c> {
    pub(super) emit: &'e Emit<'m, 'c>,
    pub(super) style: Style,
    failure: RefCell<Option<LlvmError>>,
}

impl<'e, 'm, 'c> Code<'e, 'm, 'c> {
    pub(super) fn new(emit: &'e Emit<'m, 'c>, style: Style) -> Self {
        Self { emit, style, failure: RefCell::new(None) }
    }

    pub(super) fn lanes<'a>(&'a self, value: Value<'c>) -> Lanes<'a, 'm, 'c> {
        Lanes { code: self, value }
    }

    /// The first error, if there was one.
    pub(super) fn finish(self) -> Result<(), LlvmError> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }

    /// A result, or `None` for an error, which is recorded.
    pub(super) fn keep_all<T>(&self, built: Result<T, LlvmError>) -> Option<T> {
        built.map_err(|error| _ = self.failure.borrow_mut().get_or_insert(error)).ok()
    }

    fn keep(&self, built: Emitted<'c>, otherwise: Value<'c>) -> Lanes<'_, 'm, 'c> {
        match built {
            Ok(value) => self.lanes(value),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                self.lanes(otherwise)
            }
        }
    }
}

/// A value, scalar or vector.
#[derive(Clone, Copy)]
pub(super) struct Lanes<'a, 'm, 'c> {
    pub(super) code: &'a Code<'a, 'm, 'c>,
    pub(super) value: Value<'c>,
}

/// The second operand of an operator: a value, or a constant of the first one's type.
pub(super) trait Operand<'a, 'm, 'c> {
    fn like(self, first: Lanes<'a, 'm, 'c>) -> Lanes<'a, 'm, 'c>;
}

impl<'a, 'm, 'c> Operand<'a, 'm, 'c> for Lanes<'a, 'm, 'c> {
    fn like(self, _: Lanes<'a, 'm, 'c>) -> Lanes<'a, 'm, 'c> {
        self
    }
}

/// The integer with these low bits; if the first operand is floating-point, its bits.
impl<'a, 'm, 'c> Operand<'a, 'm, 'c> for u64 {
    fn like(self, first: Lanes<'a, 'm, 'c>) -> Lanes<'a, 'm, 'c> {
        first.constant(self)
    }
}

impl<'a, 'm, 'c> Operand<'a, 'm, 'c> for f64 {
    fn like(self, first: Lanes<'a, 'm, 'c>) -> Lanes<'a, 'm, 'c> {
        let bits = if first.width() == 32 { u64::from((self as f32).to_bits()) } else { self.to_bits() };
        first.constant(bits)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $int:ident $float:ident),* $(,)?) => { $(
        impl<'a, 'm, 'c, O: Operand<'a, 'm, 'c>> $trait<O> for Lanes<'a, 'm, 'c> {
            type Output = Self;
            fn $method(self, other: O) -> Self {
                let op = if self.is_float() { BinaryOp::$float } else { BinaryOp::$int };
                self.binary(op, other.like(self))
            }
        }
    )* };
}

// Floats have no bitwise operators, and the builder rejects them; of the divisions only `fdiv` is used through this operator.
operators! {
    Add add Add FAdd,
    Sub sub Sub FSub,
    Mul mul Mul FMul,
    Div div UDiv FDiv,
    BitAnd bitand And And,
    BitOr bitor Or Or,
    BitXor bitxor Xor Xor,
    Shl shl Shl Shl,
    Shr shr LShr LShr,
}

impl Not for Lanes<'_, '_, '_> {
    type Output = Self;
    fn not(self) -> Self {
        self ^ u64::MAX
    }
}

impl Neg for Lanes<'_, '_, '_> {
    type Output = Self;
    fn neg(self) -> Self {
        if self.is_float() {
            return self.code.keep(self.code.emit.builder.float_negate(self.value), self.value);
        }
        self.zero() - self
    }
}

macro_rules! comparisons {
    ($($method:ident $predicate:ident),* $(,)?) => { $(
        pub(super) fn $method(self, other: impl Operand<'a, 'm, 'c>) -> Self {
            self.compare_int(IntPredicate::$predicate, other)
        }
    )* };
}

macro_rules! float_comparisons {
    ($($method:ident $predicate:ident),* $(,)?) => { $(
        pub(super) fn $method(self, other: impl Operand<'a, 'm, 'c>) -> Self {
            self.compare_float(FloatPredicate::$predicate, other)
        }
    )* };
}

impl<'a, 'm, 'c> Lanes<'a, 'm, 'c> {
    comparisons! { eq Eq, ne Ne, ult Ult, ule Ule, ugt Ugt, uge Uge, sge Sge }
    float_comparisons! { feq Oeq, flt Olt, fge Oge, fgt Ogt }

    fn emit(self) -> &'a Emit<'m, 'c> {
        self.code.emit
    }

    fn element(self) -> Type<'c> {
        self.value.ty().vector_parts().map_or(self.value.ty(), |(element, _)| element)
    }

    pub(super) fn is_float(self) -> bool {
        self.element().is_float()
    }

    /// The width of an element.
    pub(super) fn width(self) -> u32 {
        let bits = self.element().bits();
        let bits = bits.ok_or_else(|| LlvmError::Other { message: "the width of a pointer".to_owned() });
        // Default: the error is recorded, and so returned at the end.
        self.code.keep_all(bits).unwrap_or(1)
    }

    /// A constant of the same type with these bits in each element.
    pub(super) fn constant(self, bits: u64) -> Self {
        self.constant_of(self.width(), bits).retype(self.element())
    }

    /// The same integer in each element.
    pub(super) fn constant_of(self, width: u32, bits: u64) -> Self {
        self.code.lanes(self.emit().constant(self.value, width, bits))
    }

    /// The same `double` in each element.
    pub(super) fn double(self, value: f64) -> Self {
        self.constant_of(64, value.to_bits()).as_f64()
    }

    pub(super) fn zero(self) -> Self {
        self.code.lanes(self.value.ty().zero())
    }

    pub(super) fn binary(self, op: BinaryOp, other: Self) -> Self {
        self.code.keep(self.emit().builder.binary(op, self.value, other.value), self.value)
    }

    /// The arithmetic shift right.
    pub(super) fn ashr(self, amount: impl Operand<'a, 'm, 'c>) -> Self {
        self.binary(BinaryOp::AShr, amount.like(self))
    }

    pub(super) fn compare_int(self, predicate: IntPredicate, other: impl Operand<'a, 'm, 'c>) -> Self {
        let built = self.emit().builder.int_compare(predicate, self.value, other.like(self).value);
        self.code.keep(built, self.value)
    }

    pub(super) fn compare_float(self, predicate: FloatPredicate, other: impl Operand<'a, 'm, 'c>) -> Self {
        let built = self.emit().builder.float_compare(predicate, self.value, other.like(self).value);
        self.code.keep(built, self.value)
    }

    /// Whether a floating-point number is a NaN.
    pub(super) fn is_nan(self) -> Self {
        self.compare_float(FloatPredicate::Uno, self.zero())
    }

    /// For a condition: `yes` where it holds, otherwise `no`.
    pub(super) fn select(self, yes: Self, no: impl Operand<'a, 'm, 'c>) -> Self {
        let built = self.emit().builder.select(self.value, yes.value, no.like(yes).value);
        self.code.keep(built, yes.value)
    }

    /// The minimum of unsigned integers.
    pub(super) fn umin(self, other: impl Operand<'a, 'm, 'c>) -> Self {
        let other = other.like(self);
        self.ult(other).select(self, other)
    }

    fn cast(self, op: CastOp, element: Type<'c>) -> Self {
        let to = self.emit().like(self.value, element);
        self.code.keep(self.emit().builder.cast(op, self.value, to), self.value)
    }

    fn retype(self, element: Type<'c>) -> Self {
        self.cast(CastOp::BitCast, element)
    }

    /// Zero-extends or truncates to `width` bits.
    pub(super) fn resize(self, width: u32) -> Self {
        self.code.keep(self.emit().resize(self.value, width), self.value)
    }

    /// Sign-extends or truncates to `width` bits.
    pub(super) fn resize_signed(self, width: u32) -> Self {
        self.code.keep(self.emit().resize_signed(self.value, width), self.value)
    }

    /// Bitcasts floating-point numbers to integers.
    pub(super) fn raw(self) -> Self {
        self.retype(self.emit().types.int(self.width()))
    }

    /// Bitcasts 32-bit integers to `float`.
    pub(super) fn as_f32(self) -> Self {
        self.retype(self.emit().types.f32())
    }

    /// Bitcasts 16-bit integers to `half`.
    pub(super) fn as_f16(self) -> Self {
        self.retype(self.emit().types.f16())
    }

    /// Bitcasts 64-bit integers to `double`.
    pub(super) fn as_f64(self) -> Self {
        self.retype(self.emit().types.f64())
    }

    /// `float` to `double`, or `half` to `float`.
    pub(super) fn extend_to(self, element: Type<'c>) -> Self {
        self.cast(CastOp::FpExt, element)
    }

    pub(super) fn to_f64(self) -> Self {
        self.extend_to(self.emit().types.f64())
    }

    /// `double` to `float`, to nearest.
    pub(super) fn to_f32(self) -> Self {
        self.cast(CastOp::FpTrunc, self.emit().types.f32())
    }

    /// `float` to `half`, to nearest.
    pub(super) fn to_f16(self) -> Self {
        self.cast(CastOp::FpTrunc, self.emit().types.f16())
    }

    /// `half` to `float`.
    pub(super) fn half_to_f32(self) -> Self {
        self.extend_to(self.emit().types.f32())
    }

    pub(super) fn unsigned_to(self, element: Type<'c>) -> Self {
        self.cast(CastOp::UiToFp, element)
    }

    pub(super) fn signed_to(self, element: Type<'c>) -> Self {
        self.cast(CastOp::SiToFp, element)
    }

    /// Splits wide integers into narrower lanes, the lowest first, or joins narrow ones.
    pub(super) fn regroup(self, width: u32) -> Self {
        let types = self.emit().types;
        debug_assert!(width > 0, "lanes without bits");
        let to = types.vector(types.int(width), self.width() * self.count() / width.max(1));
        self.code.keep(self.emit().builder.cast(CastOp::BitCast, self.value, to), self.value)
    }

    /// Bitcasts to the type of another value.
    pub(super) fn regroup_like(self, ty: Type<'c>) -> Self {
        self.code.keep(self.emit().builder.cast(CastOp::BitCast, self.value, ty), self.value)
    }

    /// A call of an LLVM intrinsic that is overloaded only on the type of its first argument.
    pub(super) fn intrinsic(self, name: &str, others: &[Self]) -> Self {
        self.intrinsic_with(name, others, &[])
    }

    /// As [`Self::intrinsic`], with flags: `i1` constants after the other arguments.
    pub(super) fn intrinsic_with(self, name: &str, others: &[Self], flags: &[bool]) -> Self {
        let emit = self.emit();
        let flags = flags.iter().map(|flag| emit.types.bool_value(*flag));
        let arguments: Vec<_> =
            std::iter::once(self.value).chain(others.iter().map(|other| other.value)).chain(flags).collect();
        let built = emit.builder.intrinsic(name, &[self.value.ty()], &arguments);
        self.code.keep(built, self.value)
    }

    /// `fptosi` or `fptoui` of numbers in the range of the integers.
    pub(super) fn float_to_int(self, op: CastOp, width: u32) -> Self {
        self.cast(op, self.emit().types.int(width))
    }

    /// `shufflevector`; lanes of `other` are numbered after those of `self`.
    pub(super) fn shuffle(self, other: Self, lanes: &[Option<u32>]) -> Self {
        self.code.keep(self.emit().builder.shuffle(self.value, other.value, lanes), self.value)
    }

    /// The number of elements; 1 for a scalar.
    pub(super) fn count(self) -> u32 {
        lanes_of(self.value.ty())
    }

    /// A call of an intrinsic that is not overloaded, with a constant as last argument.
    pub(super) fn call_with(self, name: &str, others: &[Self], constant: u64) -> Self {
        let emit = self.emit();
        let last = emit.types.int_value(32, constant);
        let others = others.iter().map(|other| other.value);
        let arguments: Vec<_> = std::iter::once(self.value).chain(others).chain([last]).collect();
        self.code.keep(emit.builder.intrinsic(name, &[], &arguments), self.value)
    }

    pub(super) fn float_abs(self) -> Self {
        self.intrinsic("llvm.fabs", &[])
    }

    /// `a * b + c`, rounded once.
    pub(super) fn fma(self, b: impl Operand<'a, 'm, 'c>, c: impl Operand<'a, 'm, 'c>) -> Self {
        self.intrinsic("llvm.fma", &[b.like(self), c.like(self)])
    }

    pub(super) fn sqrt(self) -> Self {
        self.intrinsic("llvm.sqrt", &[])
    }
}
