//! The bits in which the lanes of a warp, or those of a chunk, may differ, as transfer functions of operations.
//!
//! Compilers write the warp's number in its block times four as `tid.x >> 3 & 0x1ffffffc`. The lanes of a warp differ in the low five bits of
//! `tid.x`, so in the low two after the shift, and in none of the mask: the result is uniform.

use ptx_program::scalar::bits::shifted;
use ptx_program::scalar::convert::Excess;
use ptx_program::scalar::int::Signedness;
use ptx_program::{Alu, Binary, Packing, Src, Unary};

use super::facts::mask;
use super::shape::Among;
use super::{Shape, Shapes, Stride};

impl Among {
    /// The known zero low bits in the first of the lanes.
    fn zeros(self, shapes: &Shapes, src: Src) -> u32 {
        let zeros = shapes.facts(src).zeros;
        match self {
            Self::Group => zeros.warp,
            Self::Chunk => zeros.chunk,
        }
    }
}

/// The bits of an operand in which lanes may differ.
pub(super) fn of_source(shapes: &Shapes, src: Src, among: Among) -> u64 {
    match shapes.src(src) {
        shape if shape.is_uniform() => 0,
        Shape::Strided(Stride { within: 0, .. }) if among == Among::Chunk => 0,
        Shape::Strided(stride) => {
            let (lanes, is_one) = match among {
                Among::Group => (shapes.lanes().group, stride.across.is_some()),
                Among::Chunk => (shapes.lanes().chunk, true),
            };
            // Consecutive integers from a multiple of their count on have all bits but the low ones in common: 64, 65 .. 95. From 60 on they
            // would differ in bit 5, too.
            let zeros = lanes.trailing_zeros();
            let is_group = stride.within == 1 && is_one && among.zeros(shapes, src) >= zeros;
            if is_group && shapes.stays_within(src, stride, shapes.bits(src)) {
                mask(zeros)
            } else {
                u64::MAX
            }
        }
        Shape::Varying => match src.as_register() {
            Some(row) => shapes.differing(row, among),
            None => u64::MAX,
        },
        _ => u64::MAX,
    }
}

/// The bits of the result of an operation in which lanes may differ.
pub(super) fn of_alu(shapes: &Shapes, alu: &Alu, reads: &[Src], among: Among) -> u64 {
    let of = |src: &Src| of_source(shapes, *src, among);
    let constant = |src: &Src| match shapes.src(*src) {
        Shape::Constant(value) => Some(value),
        _ => None,
    };
    let all = reads.iter().map(of).fold(0, |all, bits| all | bits);
    match (alu, reads) {
        _ if all == 0 => 0,
        (Alu::Unary { op, packing: Packing::Whole, .. }, [a]) => match *op {
            Unary::Field { shift, mask } => shifted(of(a), shift) & mask,
            Unary::AddConstant { addend, mask } => sum(of(a), 0, addend.trailing_zeros()) & mask,
            Unary::IntToInt { to, from, excess: Excess::Truncate, register } => {
                // Sign extension copies the top bit upward: if lanes differ in it, they differ in all bits above.
                let bits = to.bits().min(from.bits());
                let sign = if to.bits() > from.bits() { from.sign() } else { to.sign() };
                let differs = of(a) & mask(bits);
                let has_sign = sign == Signedness::Signed && differs >> (bits - 1) == 1;
                if has_sign { (differs | !mask(bits)) & register } else { differs }
            }
            _ => u64::MAX,
        },
        (Alu::Binary { op, packing: Packing::Whole, .. }, [a, b]) => match op {
            Binary::And => match (constant(a), constant(b)) {
                (_, Some(mask)) => of(a) & mask,
                (Some(mask), _) => of(b) & mask,
                _ => all,
            },
            Binary::Or | Binary::Xor => all,
            Binary::Shl(t) => match constant(b) {
                Some(by) if by < u64::from(t.bits()) => of(a) << by & mask(t.bits()),
                _ => u64::MAX,
            },
            Binary::Shr(t) if t.sign() == Signedness::Unsigned || shapes.facts(*a).are_small(t.bits()) => {
                match constant(b) {
                    Some(by) if by < u64::from(t.bits()) => (of(a) & mask(t.bits())) >> by,
                    _ => u64::MAX,
                }
            }
            Binary::IntAdd(t, _) => {
                let zeros = among.zeros(shapes, if of(a) == 0 { *a } else { *b });
                sum(of(a), of(b), zeros) & mask(t.bits())
            }
            _ => u64::MAX,
        },
        _ => u64::MAX,
    }
}

/// The differing bits of a sum: those of one operand, if the other is uniform and zero in all bits up to them, so that nothing is
/// carried; otherwise all from the lowest differing one on.
fn sum(a: u64, b: u64, zeros: u32) -> u64 {
    let one = a | b;
    if (a == 0 || b == 0) && one <= mask(zeros) { one } else { u64::MAX << one.trailing_zeros() }
}
