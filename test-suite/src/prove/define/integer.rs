//! Integer arithmetic (manual 9.7.1, 9.7.2).

use ptx_isa::{ArithSem, Field, Mnemonic, Mod, ScalarType, Sem};

use super::{Outcome, SourceOperand, clamp, element};
use crate::prove::term::Bits;

/// Arithmetic on one number or on several packed ones.
pub(super) fn define<'t>(mnemonic: &Mnemonic, args: &[Bits<'t>]) -> Option<Outcome<'t>> {
    if matches!(mnemonic.sem(), Sem::Arith(ArithSem::Dp4a | ArithSem::Dp2a)) {
        return Outcome::one(dot(mnemonic, args)?);
    }
    let ty = mnemonic.scalar_type()?;
    let (is_signed, width) = element(ty);
    match mnemonic.sem() {
        Sem::Arith(
            ArithSem::Add
            | ArithSem::Sub
            | ArithSem::Min
            | ArithSem::Max
            | ArithSem::Abs
            | ArithSem::Neg
            | ArithSem::PackedBytes,
        ) => {
            let lanes = ty.bits() / width;
            let lane = |at: u32| {
                let parts: Vec<Bits<'t>> = args.iter().map(|arg| arg.extract(at * width, width)).collect();
                on_numbers(mnemonic, is_signed, &parts)
            };
            let results: Option<Vec<Bits<'t>>> = (0..lanes).map(lane).collect();
            Outcome::one(results?.into_iter().reduce(|low, high| high.concat(low))?)
        }
        Sem::Arith(ArithSem::Mul) => Outcome::one(product(mnemonic, is_signed, args)?),
        Sem::Arith(ArithSem::Mad) => {
            let product = product(mnemonic, is_signed, args)?;
            Outcome::one(sum(mnemonic, is_signed, product, *args.get(2)?))
        }
        Sem::Arith(ArithSem::Mul24) => Outcome::one(product24(mnemonic, is_signed, args)?),
        Sem::Arith(ArithSem::Mad24) => {
            let product = product24(mnemonic, is_signed, args)?;
            Outcome::one(sum(mnemonic, is_signed, product, *args.get(2)?))
        }
        Sem::Arith(ArithSem::Sad) => {
            let [a, b, c] = args else { return None };
            Outcome::one(*c + a.less(is_signed, *b).pick(*b - *a, *a - *b))
        }
        Sem::Arith(ArithSem::Div | ArithSem::Rem) => {
            let [a, b] = args else { return None };
            let by_zero = b.same(b.number(0));
            // `MININT / -1` wraps around.
            let result = if mnemonic.sem() == Sem::Arith(ArithSem::Div) {
                a.div(is_signed, *b)
            } else {
                a.rem(is_signed, *b)
            };
            // A division by zero gives what the machine gives (manual 9.7.1.8, 9.7.1.9).
            Some(Outcome { open: by_zero, ..Outcome::one(result)? })
        }
        _ => None,
    }
}

/// What is done to each of packed numbers.
fn on_numbers<'t>(mnemonic: &Mnemonic, is_signed: bool, args: &[Bits<'t>]) -> Option<Bits<'t>> {
    let a = *args.first()?;
    let wide = |bits: Bits<'t>| bits.resize(is_signed, bits.width() + 2);
    let saturates = mnemonic.has(Mod::Sat);
    let relu = |result: Bits<'t>| {
        if mnemonic.has(Mod::Relu) { result.max(true, result.number(0)) } else { result }
    };
    Some(match (mnemonic.opcode(), args.get(1).copied()) {
        (ptx_isa::Opcode::Abs, None) => a.abs(),
        (ptx_isa::Opcode::Neg, None) => -a,
        (ptx_isa::Opcode::Add, Some(b)) if saturates => clamp(is_signed, a.width(), wide(a) + wide(b)),
        (ptx_isa::Opcode::Add, Some(b)) => a + b,
        (ptx_isa::Opcode::Sub, Some(b)) if saturates => clamp(is_signed, a.width(), wide(a) - wide(b)),
        (ptx_isa::Opcode::Sub, Some(b)) => a - b,
        (ptx_isa::Opcode::Min, Some(b)) => relu(a.min(is_signed, b)),
        (ptx_isa::Opcode::Max, Some(b)) => relu(a.max(is_signed, b)),
        _ => return None,
    })
}

/// `.lo`, `.hi` or `.wide` of `a * b` (manual 9.7.1.3).
fn product<'t>(mnemonic: &Mnemonic, is_signed: bool, args: &[Bits<'t>]) -> Option<Bits<'t>> {
    let [a, b] = *args.get(..2)? else { return None };
    let width = a.width();
    let whole = a.resize(is_signed, 2 * width) * b.resize(is_signed, 2 * width);
    Some(match mnemonic.get(Field::Part)? {
        Mod::Lo => a * b,
        Mod::Hi => whole.extract(width, width),
        Mod::Wide => whole,
        _ => return None,
    })
}

/// Bits 0 to 31 or 16 to 47 of the product of 24 bits each (manual 9.7.1.5).
fn product24<'t>(mnemonic: &Mnemonic, is_signed: bool, args: &[Bits<'t>]) -> Option<Bits<'t>> {
    let [a, b] = *args.get(..2)? else { return None };
    let low = |bits: Bits<'t>| bits.trunc(24).resize(is_signed, 48);
    let whole = low(a) * low(b);
    Some(if mnemonic.get(Field::Part)? == Mod::Hi { whole.extract(16, 32) } else { whole.trunc(32) })
}

/// A product plus `c`, clamped with `.sat`.
fn sum<'t>(mnemonic: &Mnemonic, is_signed: bool, product: Bits<'t>, c: Bits<'t>) -> Bits<'t> {
    if !mnemonic.has(Mod::Sat) {
        return product + c;
    }
    let wide = |bits: Bits<'t>| bits.resize(is_signed, bits.width() + 2);
    clamp(is_signed, c.width(), wide(product) + wide(c))
}

/// `dp4a`, `dp2a` (manual 9.7.1.23, 9.7.1.24).
fn dot<'t>(mnemonic: &Mnemonic, args: &[Bits<'t>]) -> Option<Bits<'t>> {
    let [a, b, c] = *args else { return None };
    let a_signed = mnemonic.type_of(Field::AType)?.is_signed();
    let b_signed = mnemonic.type_of(Field::BType)?.is_signed();
    let (count, a_width, first) = match mnemonic.sem() {
        Sem::Arith(ArithSem::Dp4a) => (4, 8, 0),
        _ if mnemonic.has(Mod::Hi) => (2, 16, 2),
        _ => (2, 16, 0),
    };
    let term = |at: u32| {
        let left = a.extract(at * a_width, a_width).resize(a_signed, 32);
        left * b.extract((first + at) * 8, 8).resize(b_signed, 32)
    };
    Some((0..count).fold(c, |sum, at| sum + term(at)))
}

/// Arithmetic over several words (manual 9.7.2). The flag is the carry of an addition: a subtraction adds the complement
/// and a carry of one, so that its flag is set where nothing is borrowed.
pub(super) fn with_carry<'t>(
    mnemonic: &Mnemonic,
    sources: &[SourceOperand<'t>],
    carry: Bits<'t>,
) -> Option<Outcome<'t>> {
    let ty: ScalarType = mnemonic.scalar_type()?;
    let is_signed = ty.is_signed();
    let args: Vec<Bits<'t>> = sources.iter().map(|source| source.bits).collect();
    let reads = mnemonic.opcode().as_str().ends_with('c');
    let subtracts = mnemonic.sem() == Sem::Arith(ArithSem::SubCarry);
    let carry_in = if reads { carry } else { carry.number(u128::from(subtracts)) };
    let (a, b) = match mnemonic.sem() {
        // ptxas takes the bits from 32 on of 16-bit factors.
        Sem::Arith(ArithSem::MadCarry) if mnemonic.has(Mod::Hi) && ty.bits() == 16 => {
            let wide = |bits: Bits<'t>| bits.resize(is_signed, 48);
            ((wide(*args.first()?) * wide(*args.get(1)?)).extract(32, 16), *args.get(2)?)
        }
        Sem::Arith(ArithSem::MadCarry) => (product(mnemonic, is_signed, &args)?, *args.get(2)?),
        _ => (*args.first()?, *args.get(1)?),
    };
    let b = if subtracts { !b } else { b };
    let wide = |bits: Bits<'t>, is_signed| bits.resize(is_signed, bits.width() + 2);
    // `madc.hi.sat` does not clamp: ptxas makes a plain sum with carry of it on every architecture.
    if mnemonic.has(Mod::Sat) && mnemonic.sem() != Sem::Arith(ArithSem::MadCarry) {
        let total = wide(a, true) + wide(b, true) + carry_in.zext(a.width() + 2);
        return Outcome::one(clamp(true, a.width(), total));
    }
    let total = wide(a, false) + wide(b, false) + carry_in.zext(a.width() + 2);
    let result = a + b + carry_in.zext(a.width());
    let carry = mnemonic.has(Mod::Cc).then(|| total.bit(a.width()));
    Some(Outcome { carry, ..Outcome::one(result)? })
}
