//! Comparisons (manual 9.3.1, 9.7.6, 9.7.7).

use super::float::{Subnormals, flush};
use super::format::Format;
use super::int::{Int, Signedness};
use std::cmp::Ordering;

/// The relation that a comparison tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Relation {
    /// `eq`, `equ`.
    Equal,
    /// `ne`, `neu`.
    NotEqual,
    /// `lt`, `lo`, `ltu`.
    Less,
    /// `le`, `ls`, `leu`.
    LessOrEqual,
    /// `gt`, `hi`, `gtu`.
    Greater,
    /// `ge`, `hs`, `geu`.
    GreaterOrEqual,
    /// `num`: neither is a NaN; always true for integers.
    Ordered,
    /// `nan`: one is a NaN; never true for integers.
    Unordered,
}

/// The result of a comparison if an operand is a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum WithNan {
    /// False (`eq`, `lt`, ...).
    False,
    /// True (`equ`, `ltu`, ...).
    True,
}

/// The Boolean operator that joins a comparison with a predicate (`.and`, `.or`, `.xor`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Join {
    /// `.and`
    And,
    /// `.or`
    Or,
    /// `.xor`
    Xor,
}

impl Join {
    /// Joins two predicates, each 0 or 1.
    #[inline]
    pub fn apply(self, a: u64, b: u64) -> u64 {
        match self {
            Join::And => a & b,
            Join::Or => a | b,
            Join::Xor => a ^ b,
        }
    }
}

impl Relation {
    #[inline]
    pub(super) fn holds(self, order: Ordering) -> bool {
        match self {
            Relation::Equal => order.is_eq(),
            Relation::NotEqual => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterOrEqual => order.is_ge(),
            Relation::Ordered => true,
            Relation::Unordered => false,
        }
    }
}

/// Compares integers.
#[inline]
pub fn int(relation: Relation, t: Int, a: u64, b: u64) -> bool {
    let (a, b) = (t.extend(a), t.extend(b));
    relation.holds(match t.sign() {
        Signedness::Unsigned => a.cmp(&b),
        Signedness::Signed => (a as i64).cmp(&(b as i64)),
    })
}

/// Compares floating-point values; with `subnormals` both are flushed before.
#[inline]
pub fn float(
    relation: Relation,
    with_nan: WithNan,
    format: Format,
    subnormals: Subnormals,
    a: u64,
    b: u64,
) -> bool {
    let widen = |raw| format.widen(flush(format, subnormals, raw));
    match (widen(a).partial_cmp(&widen(b)), relation) {
        (Some(order), _) => relation.holds(order),
        (None, Relation::Ordered) => false,
        (None, Relation::Unordered) => true,
        (
            None,
            Relation::Equal
            | Relation::NotEqual
            | Relation::Less
            | Relation::LessOrEqual
            | Relation::Greater
            | Relation::GreaterOrEqual,
        ) => with_nan == WithNan::True,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_compare_by_their_sign() {
        assert!(int(Relation::Less, Int::S32, 0xffff_ffff, 0));
        assert!(int(Relation::Greater, Int::U32, 0xffff_ffff, 0));
        assert!(
            int(Relation::GreaterOrEqual, Int::S16, 0x17fff, 0x7fff),
            "bits above the width are not compared"
        );
        assert!(int(Relation::NotEqual, Int::U64, 1 << 63, 0));
    }

    /// Tables 23 to 25 of the manual.
    #[test]
    fn nans_make_ordered_comparisons_false_and_unordered_ones_true() {
        let (one, two, nan) = (0x3c00, 0x4000, 0x7e00);
        let test = |relation, with_nan, a, b| float(relation, with_nan, Format::F16, Subnormals::Keep, a, b);
        assert!(test(Relation::Less, WithNan::False, one, two));
        assert!(!test(Relation::Less, WithNan::False, one, nan));
        assert!(test(Relation::Less, WithNan::True, one, nan));
        assert!(!test(Relation::NotEqual, WithNan::False, nan, nan));
        assert!(test(Relation::NotEqual, WithNan::True, nan, nan));
        assert!(test(Relation::Equal, WithNan::True, nan, one));
        assert!(
            test(Relation::Ordered, WithNan::False, one, two)
                && !test(Relation::Ordered, WithNan::False, one, nan)
        );
        assert!(
            test(Relation::Unordered, WithNan::False, nan, two)
                && !test(Relation::Unordered, WithNan::False, one, two)
        );
        assert!(test(Relation::Equal, WithNan::False, 0x8000, 0), "zeros of both signs are equal");
    }

    #[test]
    fn flushed_subnormals_equal_zero() {
        let equal = |subnormals| float(Relation::Equal, WithNan::False, Format::F32, subnormals, 1, 0);
        assert!(equal(Subnormals::Flush));
        assert!(!equal(Subnormals::Keep));
    }
}
