//! Operations on terms, each simplified where it is made.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Sub};

use super::{Bits, Node, Op, Terms, mask, signed};

impl<'t> Bits<'t> {
    /// How many bits it has.
    pub const fn width(self) -> u32 {
        self.width
    }

    /// The terms that it belongs to.
    pub const fn terms(self) -> &'t Terms {
        self.terms
    }

    pub(in crate::prove) const fn id(self) -> u32 {
        self.id
    }

    /// The number that it is, when it is one.
    pub fn as_number(self) -> Option<u128> {
        match self.terms.0.borrow().nodes[self.id as usize].0 {
            Node::Const(value) => Some(value),
            Node::Var(_) | Node::Apply(..) => None,
        }
    }

    /// A number of the same width.
    pub fn number(self, value: u128) -> Bits<'t> {
        self.terms.number(self.width, value)
    }

    fn is(self, value: u128) -> bool {
        self.as_number() == Some(value & mask(self.width))
    }

    fn is_ones(self) -> bool {
        self.is(u128::MAX)
    }

    fn applied(self) -> Option<(Op, Vec<Bits<'t>>)> {
        let node = self.terms.0.borrow().nodes[self.id as usize].0.clone();
        match node {
            Node::Apply(op, args) => Some((op, args.into_iter().map(|id| self.terms.of(id)).collect())),
            Node::Const(_) | Node::Var(_) => None,
        }
    }

    fn binary(self, op: Op, other: Bits<'t>) -> Bits<'t> {
        debug_assert_eq!(self.width, other.width, "{op:?} of different widths");
        self.terms.make(op, self.width, &[self, other])
    }

    /// The bits from `low` on.
    pub fn extract(self, low: u32, width: u32) -> Bits<'t> {
        debug_assert!(low + width <= self.width, "bits {low}+{width} of {}", self.width);
        if width == self.width {
            return self;
        }
        if let Some((op, args)) = self.applied() {
            match (op, args.as_slice()) {
                (Op::Extract(start), [a]) => return a.extract(start + low, width),
                (Op::Concat, [_, b]) if low + width <= b.width => return b.extract(low, width),
                (Op::Concat, [a, b]) if low >= b.width => return a.extract(low - b.width, width),
                (Op::ZExt | Op::SExt, [a]) if low + width <= a.width => return a.extract(low, width),
                (Op::ZExt, [a]) if low >= a.width => return a.terms.number(width, 0),
                (Op::ZExt, [a]) if low == 0 => return a.zext(width),
                (Op::SExt, [a]) if low == 0 => return a.sext(width),
                // The low bits of these depend on low bits alone.
                (Op::And, [a, b]) => return a.extract(low, width) & b.extract(low, width),
                (Op::Or, [a, b]) => return a.extract(low, width) | b.extract(low, width),
                (Op::Xor, [a, b]) => return a.extract(low, width) ^ b.extract(low, width),
                (Op::Not, [a]) => return !a.extract(low, width),
                (Op::Add, [a, b]) if low == 0 => return a.extract(0, width) + b.extract(0, width),
                (Op::Mul, [a, b]) if low == 0 => return a.extract(0, width) * b.extract(0, width),
                (Op::Ite, [c, a, b]) => return c.pick(a.extract(low, width), b.extract(low, width)),
                _ => {}
            }
        }
        self.terms.make(Op::Extract(low), width, &[self])
    }

    /// The low bits.
    pub fn trunc(self, width: u32) -> Bits<'t> {
        self.extract(0, width)
    }

    /// Itself below `self`'s bits: `self` is the high part.
    pub fn concat(self, low: Bits<'t>) -> Bits<'t> {
        if self.is(0) {
            return low.zext(self.width + low.width);
        }
        if let (Some((Op::Extract(high), one)), Some((Op::Extract(start), other))) =
            (self.applied(), low.applied())
            && one == other
            && start + low.width == high
        {
            return one[0].extract(start, self.width + low.width);
        }
        // Where the lower half is the whole of what the upper one goes on with: `x:8` above `x[7:0]`.
        if let (Some((Op::Concat, parts)), _) = (self.applied(), ())
            && let joined = parts[1].concat(low)
            && !matches!(joined.applied(), Some((Op::Concat, _)))
        {
            return parts[0].concat(joined);
        }
        self.terms.make(Op::Concat, self.width + low.width, &[self, low])
    }

    /// With zeros above it.
    pub fn zext(self, width: u32) -> Bits<'t> {
        if width == self.width {
            return self;
        }
        if let Some((Op::ZExt, args)) = self.applied() {
            return args[0].zext(width);
        }
        self.terms.make(Op::ZExt, width, &[self])
    }

    /// With copies of its top bit above it.
    pub fn sext(self, width: u32) -> Bits<'t> {
        if width == self.width {
            return self;
        }
        match self.applied() {
            Some((Op::SExt, args)) => args[0].sext(width),
            Some((Op::ZExt, args)) => args[0].zext(width),
            _ => self.terms.make(Op::SExt, width, &[self]),
        }
    }

    /// Wider by its sign or with zeros, or narrower.
    pub fn resize(self, is_signed: bool, width: u32) -> Bits<'t> {
        match (width <= self.width, is_signed) {
            (true, _) => self.trunc(width),
            (false, true) => self.sext(width),
            (false, false) => self.zext(width),
        }
    }

    /// `a` where this bit is set, else `b`.
    pub fn pick(self, a: Bits<'t>, b: Bits<'t>) -> Bits<'t> {
        debug_assert_eq!((self.width, a.width), (1, b.width), "a choice of different widths");
        if a == b || self.is(1) {
            return a;
        }
        if self.is(0) {
            return b;
        }
        if let Some((Op::Not, args)) = self.applied() {
            return args[0].pick(b, a);
        }
        if a.width == 1 && a.is(1) {
            return self | b;
        }
        if a.width == 1 && b.is(0) {
            return self & a;
        }
        if a.width == 1 && a.is(0) {
            return !self & b;
        }
        if a.width == 1 && b.is(1) {
            return !self | a;
        }
        self.terms.make(Op::Ite, a.width, &[self, a, b])
    }

    /// Whether both are equal.
    pub fn same(self, other: Bits<'t>) -> Bits<'t> {
        if self == other {
            return self.terms.truth(true);
        }
        if self.width == 1 && other.as_number().is_some() {
            return if other.is(1) { self } else { !self };
        }
        if self.width == 1 && self.as_number().is_some() {
            return other.same(self);
        }
        // `zext x == zext y`, and `zext x == constant`.
        if let (Some((Op::ZExt, a)), Some((Op::ZExt, b))) = (self.applied(), other.applied())
            && a[0].width == b[0].width
        {
            return a[0].same(b[0]);
        }
        if let (Some((Op::ZExt, a)), Some(value)) = (self.applied(), other.as_number()) {
            let fits = value <= mask(a[0].width);
            return if fits { a[0].same(a[0].number(value)) } else { self.terms.truth(false) };
        }
        debug_assert_eq!(self.width, other.width, "a comparison of different widths");
        self.terms.make(Op::Eq, 1, &[self, other])
    }

    /// Whether they differ.
    pub fn differs(self, other: Bits<'t>) -> Bits<'t> {
        !self.same(other)
    }

    /// Whether any bit is set.
    pub fn any(self) -> Bits<'t> {
        self.differs(self.number(0))
    }

    /// Whether it is the smaller number, of signed or unsigned ones.
    pub fn less(self, is_signed: bool, other: Bits<'t>) -> Bits<'t> {
        if self == other {
            return self.terms.truth(false);
        }
        let op = if is_signed { Op::Slt } else { Op::Ult };
        debug_assert_eq!(self.width, other.width, "a comparison of different widths");
        self.terms.make(op, 1, &[self, other])
    }

    /// Whether it is not the larger number, of signed or unsigned ones.
    pub fn at_most(self, is_signed: bool, other: Bits<'t>) -> Bits<'t> {
        !other.less(is_signed, self)
    }

    /// Whether the top bit is set.
    pub fn sign(self) -> Bits<'t> {
        self.bit(self.width - 1)
    }

    /// One bit.
    pub fn bit(self, at: u32) -> Bits<'t> {
        self.extract(at, 1)
    }

    /// Shifted left; amounts of the width and beyond give zero.
    pub fn shift_left(self, amount: Bits<'t>) -> Bits<'t> {
        match amount.as_number() {
            Some(0) => self,
            Some(n) if n >= u128::from(self.width) => self.number(0),
            Some(n) => self.trunc(self.width - n as u32).concat(self.terms.number(n as u32, 0)),
            None => self.binary(Op::Shl, amount),
        }
    }

    /// Shifted right with zeros; amounts of the width and beyond give zero.
    pub fn lshr(self, amount: Bits<'t>) -> Bits<'t> {
        match amount.as_number() {
            Some(0) => self,
            Some(n) if n >= u128::from(self.width) => self.number(0),
            Some(n) => self.extract(n as u32, self.width - n as u32).zext(self.width),
            None => self.binary(Op::LShr, amount),
        }
    }

    /// Shifted right with copies of the top bit.
    pub fn ashr(self, amount: Bits<'t>) -> Bits<'t> {
        match amount.as_number() {
            Some(0) => self,
            Some(n) => {
                let n = n.min(u128::from(self.width) - 1) as u32;
                self.extract(n, self.width - n).sext(self.width)
            }
            None => self.binary(Op::AShr, amount),
        }
    }

    /// Shifted right, by its sign or with zeros.
    pub fn shr(self, is_signed: bool, amount: Bits<'t>) -> Bits<'t> {
        if is_signed { self.ashr(amount) } else { self.lshr(amount) }
    }

    /// The quotient, rounded towards zero; of a division by zero what SMT-LIB specifies.
    pub fn div(self, is_signed: bool, other: Bits<'t>) -> Bits<'t> {
        let divide = |by: Bits<'t>| {
            if by.is(1) { self } else { self.binary(if is_signed { Op::SDiv } else { Op::UDiv }, by) }
        };
        self.divided(is_signed, other, -self, &divide)
    }

    /// The remainder with the sign of the dividend; of a division by zero what SMT-LIB specifies.
    pub fn rem(self, is_signed: bool, other: Bits<'t>) -> Bits<'t> {
        let divide = |by: Bits<'t>| {
            if by.is(1) {
                self.number(0)
            } else {
                self.binary(if is_signed { Op::SRem } else { Op::URem }, by)
            }
        };
        self.divided(is_signed, other, self.number(0), &divide)
    }

    /// A division with its easy cases apart, so that a solver need not look into the others: by minus one, and by one of
    /// two divisors.
    fn divided(
        self,
        is_signed: bool,
        other: Bits<'t>,
        by_minus_one: Bits<'t>,
        divide: &dyn Fn(Bits<'t>) -> Bits<'t>,
    ) -> Bits<'t> {
        if let Some((Op::Ite, args)) = other.applied() {
            let one = self.divided(is_signed, args[1], by_minus_one, divide);
            return args[0].pick(one, self.divided(is_signed, args[2], by_minus_one, divide));
        }
        if is_signed {
            return other.same(other.number(u128::MAX)).pick(by_minus_one, divide(other));
        }
        divide(other)
    }

    /// How many low bits hold the number, the sign among them for signed ones: `self` is their extension.
    pub fn significant(self, is_signed: bool) -> u32 {
        if let Some(value) = self.as_number() {
            let size =
                if is_signed && signed(value, self.width) < 0 { !value & mask(self.width) } else { value };
            return 128 - size.leading_zeros() + u32::from(is_signed);
        }
        match self.applied() {
            Some((Op::ZExt, args)) => args[0].width + u32::from(is_signed),
            Some((Op::SExt, args)) if is_signed => args[0].width,
            _ => self.width,
        }
    }

    /// The smaller of both.
    pub fn min(self, is_signed: bool, other: Bits<'t>) -> Bits<'t> {
        self.less(is_signed, other).pick(self, other)
    }

    /// The larger of both.
    pub fn max(self, is_signed: bool, other: Bits<'t>) -> Bits<'t> {
        self.less(is_signed, other).pick(other, self)
    }

    /// The distance from zero of a signed number; the smallest one stays itself.
    pub fn abs(self) -> Bits<'t> {
        self.sign().pick(-self, self)
    }

    /// How many bits are set, in as many bits.
    pub fn popc(self) -> Bits<'t> {
        (0..self.width).fold(self.number(0), |sum, at| sum + self.bit(at).zext(self.width))
    }

    /// The number of zeros above the highest set bit; the width when there is none.
    pub fn clz(self) -> Bits<'t> {
        let none = self.number(u128::from(self.width));
        (0..self.width)
            .fold(none, |count, at| self.bit(at).pick(self.number(u128::from(self.width - 1 - at)), count))
    }

    /// The number of zeros below the lowest set bit; the width when there is none.
    pub fn ctz(self) -> Bits<'t> {
        let none = self.number(u128::from(self.width));
        (0..self.width).rev().fold(none, |count, at| self.bit(at).pick(self.number(u128::from(at)), count))
    }

    /// The bits in reverse order.
    pub fn brev(self) -> Bits<'t> {
        (1..self.width).fold(self.bit(0), |all, at| all.concat(self.bit(at)))
    }
}

impl<'t> Add for Bits<'t> {
    type Output = Bits<'t>;
    fn add(self, other: Bits<'t>) -> Bits<'t> {
        if self.is(0) {
            return other;
        }
        if other.is(0) {
            return self;
        }
        if let Some(number) = self.as_number().filter(|_| other.as_number().is_none()) {
            return other + self.number(number);
        }
        // `(x + 1) + 2` is `x + 3`, and constants of sums go to the outside.
        if let Some((Op::Add, parts)) = self.applied()
            && let [a, b] = parts.as_slice()
        {
            let (constant, rest) = if a.as_number().is_some() { (*a, *b) } else { (*b, *a) };
            if constant.as_number().is_some() {
                return match other.as_number() {
                    Some(_) => rest + (constant + other),
                    None => (rest + other) + constant,
                };
            }
        }
        // `x + -x` is zero.
        if other == -self {
            return self.number(0);
        }
        self.binary(Op::Add, other)
    }
}

impl<'t> Sub for Bits<'t> {
    type Output = Bits<'t>;
    fn sub(self, other: Bits<'t>) -> Bits<'t> {
        if self == other { self.number(0) } else { self + -other }
    }
}

impl<'t> Neg for Bits<'t> {
    type Output = Bits<'t>;
    /// `~x + 1`.
    fn neg(self) -> Bits<'t> {
        match self.applied() {
            Some((Op::Mul, args)) if args[0].is_ones() => args[1],
            Some((Op::Mul, args)) if args[1].is_ones() => args[0],
            _ => self * self.number(u128::MAX),
        }
    }
}

impl<'t> Mul for Bits<'t> {
    type Output = Bits<'t>;
    fn mul(self, other: Bits<'t>) -> Bits<'t> {
        if self.is(0) || other.is(1) {
            return self;
        }
        if other.is(0) || self.is(1) {
            return other;
        }
        // `x * (p ? y : 1)` is `p ? x * y : x`.
        for (factor, choice) in [(self, other), (other, self)] {
            if let Some((Op::Ite, args)) = choice.applied()
                && args[1..].iter().any(|arg| arg.is(0) || arg.is(1))
            {
                return args[0].pick(factor * args[1], factor * args[2]);
            }
        }
        self.binary(Op::Mul, other)
    }
}

impl<'t> BitAnd for Bits<'t> {
    type Output = Bits<'t>;
    fn bitand(self, other: Bits<'t>) -> Bits<'t> {
        if self == other || self.is(0) || other.is_ones() {
            return self;
        }
        if other.is(0) || self.is_ones() {
            return other;
        }
        // `x & 0xff` keeps low bits.
        if let Some(number) = other.as_number()
            && (number + 1).is_power_of_two()
        {
            return self.trunc((number + 1).trailing_zeros()).zext(self.width);
        }
        if self.as_number().is_some() {
            return other & self;
        }
        self.binary(Op::And, other)
    }
}

impl<'t> BitOr for Bits<'t> {
    type Output = Bits<'t>;
    fn bitor(self, other: Bits<'t>) -> Bits<'t> {
        if self == other || self.is_ones() || other.is(0) {
            return self;
        }
        if other.is_ones() || self.is(0) {
            return other;
        }
        self.binary(Op::Or, other)
    }
}

impl<'t> BitXor for Bits<'t> {
    type Output = Bits<'t>;
    fn bitxor(self, other: Bits<'t>) -> Bits<'t> {
        if self == other {
            return self.number(0);
        }
        if other.is(0) {
            return self;
        }
        if self.is(0) {
            return other;
        }
        if other.is_ones() {
            return !self;
        }
        if self.is_ones() {
            return !other;
        }
        self.binary(Op::Xor, other)
    }
}

impl<'t> Not for Bits<'t> {
    type Output = Bits<'t>;
    fn not(self) -> Bits<'t> {
        match self.applied() {
            Some((Op::Not, args)) => args[0],
            _ => self.terms.make(Op::Not, self.width, &[self]),
        }
    }
}
