//! Floating-point instructions that are a matter of bits: signs, classes, comparisons, selections, the smaller and the
//! larger number (manual 9.7.3, 9.7.4, 9.7.6, 9.7.7).

use ptx_isa::{ArithSem, CompareSem, Field, Mnemonic, Mod, MoveSem, Opcode, ScalarType, Sem};

use super::compare::compared as of_outcomes;
use super::{Outcome, SourceOperand, arithmetic};
use crate::prove::term::Bits;

/// A binary format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::prove) struct Format {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction.
    pub fraction: u32,
}

impl Format {
    /// The format of the elements of a type.
    pub(in crate::prove) const fn of(ty: ScalarType) -> Option<Self> {
        let (exponent, fraction) = match ty {
            ScalarType::F16 | ScalarType::F16x2 => (5, 10),
            ScalarType::Bf16 | ScalarType::Bf16x2 => (8, 7),
            ScalarType::F32 | ScalarType::F32x2 => (8, 23),
            ScalarType::F64 => (11, 52),
            _ => return None,
        };
        Some(Self { exponent, fraction })
    }

    pub(in crate::prove) const fn width(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    pub(in crate::prove) const fn infinity(self) -> u128 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The bits of 1.0.
    pub(in crate::prove) const fn one(self) -> u128 {
        ((1 << (self.exponent - 1)) - 1) << self.fraction
    }

    /// The bits below the sign.
    pub(in crate::prove) fn magnitude(self, a: Bits<'_>) -> Bits<'_> {
        a.trunc(self.width() - 1)
    }

    pub(in crate::prove) fn is_nan(self, a: Bits<'_>) -> Bits<'_> {
        let size = self.magnitude(a);
        size.number(self.infinity()).less(false, size)
    }

    pub(in crate::prove) fn is_infinite(self, a: Bits<'_>) -> Bits<'_> {
        let size = self.magnitude(a);
        size.same(size.number(self.infinity()))
    }

    pub(in crate::prove) fn is_zero(self, a: Bits<'_>) -> Bits<'_> {
        !self.magnitude(a).any()
    }

    pub(in crate::prove) fn is_subnormal(self, a: Bits<'_>) -> Bits<'_> {
        let size = self.magnitude(a);
        size.any() & size.less(false, size.number(1 << self.fraction))
    }

    /// Subnormal numbers as zeros of their sign.
    pub(in crate::prove) fn flushed<'t>(self, a: Bits<'t>) -> Bits<'t> {
        let zero = a.sign().concat(a.terms().number(self.width() - 1, 0));
        self.is_subnormal(a).pick(zero, a)
    }

    /// Whether `a` is less than `b`, neither being a NaN.
    pub(in crate::prove) fn less<'t>(self, a: Bits<'t>, b: Bits<'t>) -> Bits<'t> {
        let (left, right) = (self.magnitude(a), self.magnitude(b));
        let both_zero = self.is_zero(a) & self.is_zero(b);
        let by_size = a.sign().pick(right.less(false, left), left.less(false, right));
        !both_zero & a.sign().same(b.sign()).pick(by_size, a.sign())
    }

    /// Whether `a` equals `b`, neither being a NaN.
    pub(in crate::prove) fn equal<'t>(self, a: Bits<'t>, b: Bits<'t>) -> Bits<'t> {
        a.same(b) | (self.is_zero(a) & self.is_zero(b))
    }

    /// The NaN that instructions give which compute one (manual 9.7.3.4, `NaN` payloads).
    pub(in crate::prove) const fn canonical_nan(self) -> u128 {
        (1 << (self.width() - 1)) - 1
    }
}

/// Instructions with floating-point types.
pub(super) fn define<'t>(mnemonic: &Mnemonic, sources: &[SourceOperand<'t>]) -> Option<Outcome<'t>> {
    let args: Vec<Bits<'t>> = sources.iter().map(|source| source.bits).collect();
    match (mnemonic.sem(), args.as_slice()) {
        (Sem::Compare(CompareSem::Selp), [a, b, c]) => Outcome::one(c.pick(*a, *b)),
        (Sem::Move(MoveSem::Mov), [_]) => {
            Outcome::one(sources.first()?.elements.iter().copied().reduce(|low, high| high.concat(low))?)
        }
        (Sem::Move(MoveSem::MovVector), _) => Outcome::of(sources.first()?.elements.clone()),
        (Sem::Compare(CompareSem::Slct), [a, b, c]) => {
            let picks = match mnemonic.type_of(Field::CType)? {
                ScalarType::F32 => {
                    let format = Format::of(ScalarType::F32)?;
                    // A subnormal that is flushed is a zero, and no zero is less than zero.
                    let small = format.is_zero(*c) | (format.is_subnormal(*c) & flushes(mnemonic, *c));
                    !format.is_nan(*c) & (!c.sign() | small)
                }
                _ => !c.sign(),
            };
            Outcome::one(picks.pick(*a, *b))
        }
        (Sem::Arith(ArithSem::Testp), [a]) => Outcome::one(is_of_class(mnemonic, *a)?),
        // The size of `b` with the sign of `a` (manual 9.7.3.2).
        (Sem::Arith(ArithSem::Copysign), [a, b]) => Outcome::one(a.sign().concat(b.trunc(b.width() - 1))),
        (Sem::Compare(CompareSem::Set | CompareSem::Setp), [a, b, rest @ ..]) => {
            compared(mnemonic, *a, *b, rest.first().copied())
        }
        (Sem::Arith(ArithSem::Abs | ArithSem::Neg), [a]) => signs(mnemonic, *a),
        (Sem::Arith(ArithSem::Min | ArithSem::Max), [a, b]) => extremes(mnemonic, *a, *b),
        (Sem::Arith(ArithSem::Min3 | ArithSem::Max3), [a, b, c]) => extreme_of_three(mnemonic, [*a, *b, *c]),
        (Sem::Move(MoveSem::Cvt), [a]) => {
            super::convert::define(mnemonic, *a).or_else(|| arithmetic::convert(mnemonic, sources))
        }
        (Sem::Move(MoveSem::Cvt | MoveSem::CvtPack | MoveSem::CvtNarrow), _) => {
            arithmetic::convert(mnemonic, sources)
        }
        _ => arithmetic::define(mnemonic, sources),
    }
}

fn flushes<'t>(mnemonic: &Mnemonic, near: Bits<'t>) -> Bits<'t> {
    near.terms().truth(mnemonic.has(Mod::Ftz))
}

fn input<'t>(mnemonic: &Mnemonic, format: Format, a: Bits<'t>) -> Bits<'t> {
    if mnemonic.has(Mod::Ftz) { format.flushed(a) } else { a }
}

fn is_of_class<'t>(mnemonic: &Mnemonic, a: Bits<'t>) -> Option<Bits<'t>> {
    let format = Format::of(mnemonic.scalar_type()?)?;
    let finite = !format.is_nan(a) & !format.is_infinite(a);
    Some(match mnemonic.get(Field::Property)? {
        Mod::Finite => finite,
        Mod::Infinite => format.is_infinite(a),
        Mod::Number => !format.is_nan(a),
        Mod::Notanumber => format.is_nan(a),
        // Zeros count as normal (manual 9.7.3.1).
        Mod::Normal => finite & !format.is_subnormal(a),
        Mod::Subnormal => format.is_subnormal(a),
        _ => return None,
    })
}

fn compared<'t>(mnemonic: &Mnemonic, a: Bits<'t>, b: Bits<'t>, c: Option<Bits<'t>>) -> Option<Outcome<'t>> {
    let field = if mnemonic.sem() == Sem::Compare(CompareSem::Set) { Field::AType } else { Field::Type };
    let ty = mnemonic.type_of(field)?;
    let Some(format) = Format::of(ty) else {
        // Integers that give a floating-point one or zero.
        let outcome = super::holds(ty.is_signed(), mnemonic.get(Field::Cmp)?, a, b)?;
        return of_outcomes(mnemonic, &[outcome], c);
    };
    let width = format.width();
    let lane = |at: u32| {
        let part = |bits: Bits<'t>| input(mnemonic, format, bits.extract(at * width, width));
        holds(format, mnemonic.get(Field::Cmp)?, part(a), part(b))
    };
    let outcomes: Option<Vec<Bits<'t>>> = (0..ty.bits() / width).map(lane).collect();
    of_outcomes(mnemonic, &outcomes?, c)
}

/// A comparison (manual 9.3.1).
pub(in crate::prove) fn holds<'t>(
    format: Format,
    comparison: Mod,
    a: Bits<'t>,
    b: Bits<'t>,
) -> Option<Bits<'t>> {
    let unordered = format.is_nan(a) | format.is_nan(b);
    let (less, equal, greater) = (format.less(a, b), format.equal(a, b), format.less(b, a));
    Some(match comparison {
        Mod::Eq => !unordered & equal,
        Mod::Ne => !unordered & !equal,
        Mod::Lt => !unordered & less,
        Mod::Le => !unordered & (less | equal),
        Mod::Gt => !unordered & greater,
        Mod::Ge => !unordered & (greater | equal),
        Mod::Equ => unordered | equal,
        Mod::Neu => unordered | !equal,
        Mod::Ltu => unordered | less,
        Mod::Leu => unordered | less | equal,
        Mod::Gtu => unordered | greater,
        Mod::Geu => unordered | greater | equal,
        Mod::Num => !unordered,
        Mod::NanCmp => unordered,
        _ => return None,
    })
}

/// `abs`, `neg`: of a NaN they give a NaN, which one is open (manual 9.7.3.10, 9.7.3.11).
fn signs<'t>(mnemonic: &Mnemonic, a: Bits<'t>) -> Option<Outcome<'t>> {
    let ty = mnemonic.scalar_type()?;
    let format = Format::of(ty)?;
    let width = format.width();
    let lane = |at: u32| {
        let value = input(mnemonic, format, a.extract(at * width, width));
        let sign =
            if mnemonic.sem() == Sem::Arith(ArithSem::Abs) { a.terms().truth(false) } else { !value.sign() };
        sign.concat(format.magnitude(value))
    };
    Outcome::one((1..ty.bits() / width).fold(lane(0), |low, at| lane(at).concat(low)))
}

/// `min`, `max` (manual 9.7.3.12, 9.7.3.13).
fn extremes<'t>(mnemonic: &Mnemonic, a: Bits<'t>, b: Bits<'t>) -> Option<Outcome<'t>> {
    let ty = mnemonic.scalar_type()?;
    let format = Format::of(ty)?;
    let width = format.width();
    let is_min = mnemonic.opcode() == Opcode::Min;
    let lane = |at: u32| {
        let (a, b) = (a.extract(at * width, width), b.extract(at * width, width));
        let (a, b) = (input(mnemonic, format, a), input(mnemonic, format, b));
        extreme(format, mnemonic, is_min, a, b)
    };
    Outcome::one((1..ty.bits() / width).fold(lane(0), |low, at| lane(at).concat(low)))
}

/// `min`, `max` of three: the second two first, or the first two, is the same.
fn extreme_of_three<'t>(mnemonic: &Mnemonic, args: [Bits<'t>; 3]) -> Option<Outcome<'t>> {
    let format = Format::of(mnemonic.scalar_type()?)?;
    let [a, b, c] = args.map(|arg| {
        let arg = input(mnemonic, format, arg);
        if mnemonic.has(Mod::AbsMod) { format.magnitude(arg).zext(format.width()) } else { arg }
    });
    let is_min = mnemonic.opcode() == Opcode::Min;
    let of_two = extreme(format, mnemonic, is_min, a, b);
    Outcome::one(extreme(format, mnemonic, is_min, of_two, c))
}

fn extreme<'t>(format: Format, mnemonic: &Mnemonic, is_min: bool, a: Bits<'t>, b: Bits<'t>) -> Bits<'t> {
    let nan = a.number(format.canonical_nan());
    let (a_nan, b_nan) = (format.is_nan(a), format.is_nan(b));
    let (left, right) = if mnemonic.has(Mod::XorsignAbs) {
        let size = |bits: Bits<'t>| format.magnitude(bits).zext(format.width());
        (size(a), size(b))
    } else {
        (a, b)
    };
    // Minus zero is the smaller zero.
    let less = format.less(left, right) | (format.equal(left, right) & left.sign());
    let picked = if is_min { less.pick(left, right) } else { less.pick(right, left) };
    let picked = if mnemonic.has(Mod::XorsignAbs) {
        (a.sign() ^ b.sign()).concat(format.magnitude(picked))
    } else {
        picked
    };
    if mnemonic.has(Mod::Nan) {
        return (a_nan | b_nan).pick(nan, picked);
    }
    // A NaN gives way to a number, with the sign of both under `.xorsign`.
    let alone = |number: Bits<'t>| {
        if mnemonic.has(Mod::XorsignAbs) {
            (a.sign() ^ b.sign()).concat(format.magnitude(number))
        } else {
            number
        }
    };
    (a_nan & b_nan).pick(nan, a_nan.pick(alone(b), b_nan.pick(alone(a), picked)))
}
