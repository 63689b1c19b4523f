//! Logic, shifts, bit fields, bytes, moves and conversions between integers (manual 9.7.1.14 ff., 9.7.8, 9.7.9).

use ptx_isa::{BitsSem, Field, Mnemonic, Mod, MoveSem, ScalarType, Sem};

use super::{Outcome, SourceOperand, clamp, number_type};
use crate::prove::term::{Bits, Terms};

pub(super) fn define<'t>(
    mnemonic: &Mnemonic,
    sem: Sem,
    sources: &[SourceOperand<'t>],
    args: &[Bits<'t>],
) -> Option<Outcome<'t>> {
    let is_signed = mnemonic.scalar_type().is_some_and(ScalarType::is_signed);
    match (sem, args) {
        (Sem::Bits(BitsSem::And), [a, b]) => Outcome::one(*a & *b),
        (Sem::Bits(BitsSem::Or), [a, b]) => Outcome::one(*a | *b),
        (Sem::Bits(BitsSem::Xor), [a, b]) => Outcome::one(*a ^ *b),
        (Sem::Bits(BitsSem::Not), [a]) => Outcome::one(!*a),
        (Sem::Bits(BitsSem::Cnot), [a]) => Outcome::one((!a.any()).zext(a.width())),
        (Sem::Bits(BitsSem::Lop3), [a, b, c, rest @ ..]) => lop3(mnemonic, [*a, *b, *c], rest),
        (Sem::Bits(BitsSem::Shl), [a, n]) => Outcome::one(a.shift_left(amount(*n, a.width()))),
        (Sem::Bits(BitsSem::Shr), [a, n]) => Outcome::one(a.shr(is_signed, amount(*n, a.width()))),
        (Sem::Bits(BitsSem::Shf), [a, b, c]) => Outcome::one(funnel(mnemonic, *a, *b, *c)),
        (Sem::Bits(BitsSem::Popc), [a]) => Outcome::one(a.popc().resize(false, 32)),
        (Sem::Bits(BitsSem::Clz), [a]) => Outcome::one(a.clz().resize(false, 32)),
        (Sem::Bits(BitsSem::Bfind), [a]) => Outcome::one(leading(mnemonic, is_signed, *a)),
        (Sem::Bits(BitsSem::Brev), [a]) => Outcome::one(a.brev()),
        (Sem::Bits(BitsSem::Bfe), [a, b, c]) => Outcome::one(field(is_signed, *a, *b, *c)),
        (Sem::Bits(BitsSem::Bfi), [a, b, c, d]) => Outcome::one(inserted(*a, *b, *c, *d)),
        (Sem::Bits(BitsSem::Bmsk), [a, b]) => Outcome::one(run_of_ones(mnemonic, *a, *b)),
        (Sem::Bits(BitsSem::Szext), [a, b]) => Outcome::one(extended(mnemonic, is_signed, *a, *b)),
        (Sem::Bits(BitsSem::Fns), [mask, base, offset]) => nth_set(*mask, *base, *offset),
        (Sem::Bits(BitsSem::Prmt), [a, b, c]) => Outcome::one(permuted(mnemonic, *a, *b, *c)),
        (Sem::Move(MoveSem::Mov), _) => moved(mnemonic, sources),
        (Sem::Move(MoveSem::MovVector), _) => Outcome::of(sources.first()?.elements.clone()),
        (Sem::Move(MoveSem::Cvt), [a]) => converted(mnemonic, *a),
        (Sem::Move(MoveSem::CvtPack | MoveSem::CvtNarrow), [a, b, rest @ ..]) => {
            packed(mnemonic, *a, *b, rest.first().copied())
        }
        _ => None,
    }
}

/// An amount of 32 bits for a shift of another width: amounts beyond the width stay beyond it.
fn amount(n: Bits<'_>, width: u32) -> Bits<'_> {
    let limit = n.number(u128::from(width));
    n.min(false, limit).resize(false, width)
}

fn lop3<'t>(mnemonic: &Mnemonic, [a, b, c]: [Bits<'t>; 3], rest: &[Bits<'t>]) -> Option<Outcome<'t>> {
    let table = rest.first()?.as_number()?;
    let mut result = a.number(0);
    for index in (0..8_u32).filter(|index| table >> index & 1 == 1) {
        let term = |bits: Bits<'t>, at: u32| if index >> at & 1 == 1 { bits } else { !bits };
        result = result | (term(a, 2) & term(b, 1) & term(c, 0));
    }
    let mut results = vec![result];
    if let Some(&q) = rest.get(1) {
        let any = result.any();
        results.push(if mnemonic.get(Field::Bool)? == Mod::And { any & q } else { any | q });
    }
    Outcome::of(results)
}

/// `shf`: the high word of `b:a` shifted left, or the low word of it shifted right (manual 9.7.8.7).
fn funnel<'t>(mnemonic: &Mnemonic, a: Bits<'t>, b: Bits<'t>, c: Bits<'t>) -> Bits<'t> {
    let n = if mnemonic.has(Mod::Clamp) { c.min(false, c.number(32)) } else { c & c.number(31) };
    let (both, n) = (b.concat(a), n.zext(64));
    if mnemonic.has(Mod::L) { both.shift_left(n).extract(32, 32) } else { both.lshr(n).trunc(32) }
}

fn leading<'t>(mnemonic: &Mnemonic, is_signed: bool, a: Bits<'t>) -> Bits<'t> {
    // Of a negative number the highest bit that is clear.
    let a = if is_signed { a.sign().pick(!a, a) } else { a };
    let zeros = a.clz().resize(false, 32);
    let found =
        if mnemonic.has(Mod::Shiftamt) { zeros } else { zeros.number(u128::from(a.width()) - 1) - zeros };
    a.any().pick(found, zeros.number(u128::MAX))
}

/// `bfe`: bit `i` of the result is bit `pos + i` of `a` within the field and the register, else the sign (manual 9.7.1.19).
fn field<'t>(is_signed: bool, a: Bits<'t>, b: Bits<'t>, c: Bits<'t>) -> Bits<'t> {
    let width = a.width();
    let wide = |bits: Bits<'t>| bits.trunc(8).zext(width);
    let (pos, len) = (wide(b), wide(c));
    let last = pos.number(u128::from(width) - 1);
    // The place of the sign is the last one of the field, but one in the register.
    let top = (pos + len - len.number(1)).min(false, last);
    let sign = if is_signed { len.any() & a.lshr(top).bit(0) } else { a.terms().truth(false) };
    // Bits of the field that are in the register.
    let inside = |at: u128| {
        let at = pos.number(at);
        at.less(false, len) & (pos + at).at_most(false, last)
    };
    let moved = a.lshr(pos);
    let bit = |at: u32| inside(u128::from(at)).pick(moved.bit(at), sign);
    (1..width).fold(bit(0), |low, at| bit(at).concat(low))
}

/// `bfi`: `len` low bits of `a` in the place of those of `b` from `pos` on (manual 9.7.1.20).
fn inserted<'t>(a: Bits<'t>, b: Bits<'t>, c: Bits<'t>, d: Bits<'t>) -> Bits<'t> {
    let width = a.width();
    let (pos, len) = (c.trunc(8).zext(width), d.trunc(8).zext(width));
    let ones = a.number(u128::MAX);
    let mask = (!ones.shift_left(len)).shift_left(pos);
    (a.shift_left(pos) & mask) | (b & !mask)
}

/// `bmsk` (manual 9.7.1.22).
fn run_of_ones<'t>(mnemonic: &Mnemonic, a: Bits<'t>, b: Bits<'t>) -> Bits<'t> {
    let ones = a.number(u128::MAX);
    if mnemonic.has(Mod::Clamp) {
        // All bits from `a` on that are fewer than `a + b`.
        let from = ones.shift_left(a);
        let end = a.zext(33) + b.zext(33);
        let to = end.less(false, end.number(32)).pick(!ones.shift_left(end.trunc(32)), ones);
        return b.any().pick(from & to, a.number(0));
    }
    let (a, b) = (a & a.number(31), b & b.number(31));
    let from = ones.shift_left(a);
    from & !ones.shift_left(a + b)
}

/// `szext` (manual 9.7.1.21).
fn extended<'t>(mnemonic: &Mnemonic, is_signed: bool, a: Bits<'t>, b: Bits<'t>) -> Bits<'t> {
    let n = if mnemonic.has(Mod::Clamp) { b.min(false, b.number(32)) } else { b & b.number(31) };
    let up = n.number(32) - n;
    // Of no bits nothing is left.
    a.shift_left(up).shr(is_signed, up).pick_where(n.any())
}

/// `fns`: from the bit `base` on, the `offset`-th set bit up or down (manual 9.7.1.17).
fn nth_set<'t>(mask: Bits<'t>, base: Bits<'t>, offset: Bits<'t>) -> Option<Outcome<'t>> {
    let none = mask.number(u128::MAX);
    let at_base = mask.lshr(base).bit(0).pick(base, none);
    let search = |upwards: bool, wanted: Bits<'t>| {
        let (mut found, mut count) = (none, mask.number(0));
        for step in 0..32_u32 {
            let at = if upwards { step } else { 31 - step };
            let place = mask.number(u128::from(at));
            let reached = if upwards { base.at_most(false, place) } else { place.at_most(false, base) };
            let here = reached & mask.bit(at);
            count = count + here.zext(32);
            found = (here & count.same(wanted)).pick(place, found);
        }
        found
    };
    let result = offset.any().pick(offset.sign().pick(search(false, -offset), search(true, offset)), at_base);
    // A base beyond the mask gives an unspecified result.
    Some(Outcome { open: base.number(31).less(false, base), ..Outcome::one(result)? })
}

/// `prmt` (manual 9.7.9.7).
fn permuted<'t>(mnemonic: &Mnemonic, a: Bits<'t>, b: Bits<'t>, c: Bits<'t>) -> Bits<'t> {
    let t: &Terms = a.terms();
    let both = b.concat(a);
    let byte = |index: Bits<'t>| {
        let places = (0..8_u128).map(|at| (index.same(index.number(at)), both.extract(at as u32 * 8, 8)));
        places.fold(t.number(8, 0), |found, (here, byte)| here.pick(byte, found))
    };
    let Some(mode) = mnemonic.get(Field::Mode) else {
        let picked = |at: u32| {
            let byte = byte(c.extract(at * 4, 3));
            let sign = byte.sign().sext(8);
            c.bit(at * 4 + 3).pick(sign, byte)
        };
        return (1..4).fold(picked(0), |low, at| picked(at).concat(low));
    };
    let n = c.trunc(2).zext(3);
    let number = |value: u128| n.number(value);
    let index = |at: u32| match mode {
        Mod::F4e => n + number(u128::from(at)),
        Mod::B4e => n - number(u128::from(at)),
        Mod::Rc8 => n,
        Mod::Ecl => n.max(false, number(u128::from(at))),
        Mod::Ecr => n.min(false, number(u128::from(at))),
        _ => n.bit(0).pick(number(2 + u128::from(at % 2)), number(u128::from(at % 2))),
    };
    (1..4).fold(byte(index(0)), |low, at| byte(index(at)).concat(low))
}

/// `mov`, with packing and unpacking, the first element lowest (manual 9.7.9.4). What of it is cut into elements its
/// destination says.
fn moved<'t>(mnemonic: &Mnemonic, sources: &[SourceOperand<'t>]) -> Option<Outcome<'t>> {
    let width = mnemonic.scalar_type()?.bits();
    let elements = &sources.first()?.elements;
    let whole = elements.iter().copied().reduce(|low, high| high.concat(low))?;
    Outcome::one(whole.resize(false, width))
}

/// `cvt` between integers (manual 9.7.9.21).
fn converted<'t>(mnemonic: &Mnemonic, a: Bits<'t>) -> Option<Outcome<'t>> {
    let (from_signed, from) = number_type(mnemonic, Field::AType)?;
    let (to_signed, to) = number_type(mnemonic, Field::DType)?;
    let wide = a.trunc(from).resize(from_signed, 66);
    Outcome::one(if mnemonic.has(Mod::Sat) { clamp(to_signed, to, wide) } else { wide.trunc(to) })
}

/// `cvt.pack.sat`: `a` above `b`, below what is taken of `c` (manual 9.7.9.22).
fn packed<'t>(mnemonic: &Mnemonic, a: Bits<'t>, b: Bits<'t>, c: Option<Bits<'t>>) -> Option<Outcome<'t>> {
    let (to_signed, to) = match mnemonic.get(Field::DType)? {
        Mod::U2 => (false, 2),
        Mod::S2 => (true, 2),
        Mod::U4 => (false, 4),
        Mod::S4 => (true, 4),
        _ => number_type(mnemonic, Field::DType)?,
    };
    let narrow = |bits: Bits<'t>| clamp(to_signed, to, bits.trunc(32).sext(34));
    let pair = narrow(a).concat(narrow(b));
    Outcome::one(match c {
        Some(c) if to <= 8 => c.trunc(32 - 2 * to).concat(pair),
        _ => pair,
    })
}

impl<'t> Bits<'t> {
    /// Itself where a bit is set, else zero.
    fn pick_where(self, condition: Bits<'t>) -> Bits<'t> {
        condition.pick(self, self.number(0))
    }
}
