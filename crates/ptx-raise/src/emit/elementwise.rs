//! Intrinsics that are computed element by element, from arguments of the result's type.

use std::rc::Rc;

use ptx_isa::{Mod, ptx};
use ptx_llvm_core::view::{Call, FastMath, InstId};

use super::generic::{BitOp, argument};
use super::pairs::by_single_pairs;
use super::state::Emitter;
use crate::error::{INTRINSIC, RaiseError, Result};
use crate::types::Scalar;
use crate::value::Val;

/// An operation: its names after `llvm.`, the number of its arguments, and what computes an element.
pub(super) struct Elementwise {
    names: &'static [&'static str],
    arguments: usize,
    compute: Compute,
}

type Compute = fn(&mut Emitter<'_, '_, '_>, &[Val], Scalar, FastMath) -> Result<Val>;

const fn op(names: &'static [&'static str], arguments: usize, compute: Compute) -> Elementwise {
    Elementwise { names, arguments, compute }
}

/// Operations on integers.
static INTEGERS: [Elementwise; 12] = [
    op(&["ctpop"], 1, |e, a, s, _| e.bit_intrinsic(BitOp::CountOnes, a[0], s)),
    op(&["ctlz"], 1, |e, a, s, _| e.bit_intrinsic(BitOp::LeadingZeros, a[0], s)),
    op(&["cttz"], 1, |e, a, s, _| e.bit_intrinsic(BitOp::TrailingZeros, a[0], s)),
    op(&["bswap"], 1, |e, a, s, _| e.bit_intrinsic(BitOp::SwapBytes, a[0], s)),
    op(&["bitreverse"], 1, |e, a, s, _| e.bit_intrinsic(BitOp::Reverse, a[0], s)),
    op(&["abs"], 1, |e, a, s, _| e.absolute_integer(a[0], s)),
    op(&["fshl"], 3, |e, a, s, _| e.funnel_shift(true, a, s)),
    op(&["fshr"], 3, |e, a, s, _| e.funnel_shift(false, a, s)),
    op(&["smin"], 2, |e, a, s, _| e.int_extreme(ptx!("min.s32"), a[0], a[1], s)),
    op(&["smax"], 2, |e, a, s, _| e.int_extreme(ptx!("max.s32"), a[0], a[1], s)),
    op(&["umin"], 2, |e, a, s, _| e.int_extreme(ptx!("min.u32"), a[0], a[1], s)),
    op(&["umax"], 2, |e, a, s, _| e.int_extreme(ptx!("max.u32"), a[0], a[1], s)),
];

/// Operations on floating-point numbers that PTX computes exactly.
static FLOATS: [Elementwise; 13] = [
    op(&["minnum", "minimumnum"], 2, |e, a, s, _| e.float_extreme(ptx!("min.f32"), a[0], a[1], s)),
    op(&["maxnum", "maximumnum"], 2, |e, a, s, _| e.float_extreme(ptx!("max.f32"), a[0], a[1], s)),
    op(&["minimum"], 2, |e, a, s, _| e.float_extreme(ptx!("min.NaN.f32"), a[0], a[1], s)),
    op(&["maximum"], 2, |e, a, s, _| e.float_extreme(ptx!("max.NaN.f32"), a[0], a[1], s)),
    op(&["fma", "fmuladd"], 3, |e, a, s, _| e.multiply_add(a, s)),
    op(&["fabs"], 1, |e, a, s, _| e.absolute(a[0], s)),
    op(&["copysign"], 2, |e, a, s, _| e.copy_sign(a[0], a[1], s)),
    op(&["sqrt"], 1, |e, a, s, fast| e.square_root(a[0], s, fast)),
    op(&["floor"], 1, |e, a, s, _| e.round_to_integral(Mod::Rmi, a[0], s)),
    op(&["ceil"], 1, |e, a, s, _| e.round_to_integral(Mod::Rpi, a[0], s)),
    op(&["trunc"], 1, |e, a, s, _| e.round_to_integral(Mod::Rzi, a[0], s)),
    op(&["rint", "nearbyint", "roundeven"], 1, |e, a, s, _| e.round_to_integral(Mod::Rni, a[0], s)),
    op(&["canonicalize"], 1, |e, a, s, _| e.canonical(a[0], s)),
];

impl Elementwise {
    /// The operation on integers of a name.
    pub(super) fn of_integers(name: &str) -> Option<&'static Self> {
        INTEGERS.iter().find(|op| op.names.contains(&name))
    }

    /// The operation on floating-point numbers of a name.
    pub(super) fn of_floats(name: &str) -> Option<&'static Self> {
        FLOATS.iter().find(|op| op.names.contains(&name))
    }
}

impl Emitter<'_, '_, '_> {
    /// A call of an intrinsic that is computed element by element.
    pub(super) fn elementwise(&mut self, id: InstId, call: &Call, op: &Elementwise) -> Result<()> {
        if op.names.contains(&"fma")
            && let &[a, b, c] = call.args.as_slice()
        {
            let leaves = self.leaves(self.type_of(id))?;
            let (a, b, c) = (self.value(a)?, self.value(b)?, self.value(c)?);
            if let Some(result) = by_single_pairs(self, ptx!("fma.rn.f32"), &leaves, &[&a, &b, &c])? {
                return self.define(id, result.into());
            }
        }
        self.each(id, call, op.arguments, &mut |this, args, scalar| {
            (op.compute)(this, args, scalar, call.fast)
        })
    }

    /// Computes a result element by element from the first `count` arguments, which have its type.
    #[allow(clippy::type_complexity, reason = "a closure's type, named once")]
    pub(super) fn each(
        &mut self,
        id: InstId,
        call: &Call,
        count: usize,
        compute: &mut dyn FnMut(&mut Self, &[Val], Scalar) -> Result<Val>,
    ) -> Result<()> {
        // The words of a wide integer are no elements.
        self.no_wide(argument(call, 0)?)?;
        let leaves = self.leaves(self.type_of(id))?;
        let args: Vec<_> = (0..count).map(|at| self.value(argument(call, at)?)).collect::<Result<_>>()?;
        let mut result = Vec::with_capacity(leaves.len());
        for (at, leaf) in leaves.iter().enumerate() {
            let own: Option<Vec<Val>> = args.iter().map(|values| values.get(at).copied()).collect();
            let own = own
                .ok_or_else(|| RaiseError::new(INTRINSIC, "an intrinsic on vectors of different lengths"))?;
            result.push(compute(self, &own, leaf.scalar)?);
        }
        self.define(id, Rc::from(result))
    }
}
