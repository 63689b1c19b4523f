//! Products that several sums read and that may be contracted with each.
//!
//! ```text
//! %m = fmul contract float %x, %x
//! %s = fadd contract float %m, %y        ; fma.rn.f32 %s, %x, %x, %y;
//! %d = fsub contract float %m, %y        ; neg.f32 %n, %y;
//!                                        ; fma.rn.f32 %d, %x, %x, %n;
//! ```
//!
//! ptxas contracts a product with the only sum that reads it. PTX without a rounding modifier leaves that to ptxas, and PTX that was given keeps what its compiler chose.

use ptx_llvm_core::view::{BinaryOp, FloatKind, InstId, Op, Type, Value};
use rustc_hash::FxHashSet as HashSet;
use smallvec::smallvec;

use super::decision::{Action, Fused, Match};
use super::state::Covering;

/// Replaces the sums of products that only such sums read.
pub(super) fn find(cover: &mut Covering<'_, '_, '_>) {
    if cover.source.was_ptx {
        return;
    }
    let mut fused: HashSet<InstId> = HashSet::default();
    for product in cover.insts() {
        let Some(factors) = shared_product(cover, product) else { continue };
        let users = cover.cover.uses.users(product).to_vec();
        let sums: Option<Vec<(InstId, Fused)>> = users
            .iter()
            .map(|sum| {
                let open = !fused.contains(sum) && !cover.is_decided(*sum);
                Some((*sum, sum_with(cover, product, factors, *sum).filter(|_| open)?))
            })
            .collect();
        let Some(sums) = sums else { continue };
        for (sum, found) in sums {
            fused.insert(sum);
            let reads = smallvec![found.factors[0], found.factors[1], found.addend];
            cover.replace(sum, Match { action: Action::Fused(found), reads });
        }
    }
}

/// The factors of a product that several instructions read.
fn shared_product(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<[Value; 2]> {
    let factors = contracted_product(cover, id)?;
    let reads = cover.cover.uses.count(id) as usize;
    (reads > 1 && reads == cover.cover.uses.users(id).len() && !cover.is_decided(id)).then_some(factors)
}

fn contracted_product(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<[Value; 2]> {
    let inst = cover.source.inst(id);
    let is_scalar =
        matches!(cover.source.view.ty(inst.ty), Type::Float(FloatKind::Float | FloatKind::Double));
    match inst.op {
        Op::Binary { op: BinaryOp::FMul, lhs, rhs, fast, .. } if fast.contract && is_scalar => {
            Some([lhs, rhs])
        }
        _ => None,
    }
}

/// A sum or difference with the product as one operand, where the other one is no product that ptxas would contract instead.
fn sum_with(
    cover: &Covering<'_, '_, '_>,
    product: InstId,
    factors: [Value; 2],
    sum: InstId,
) -> Option<Fused> {
    let Op::Binary { op, lhs, rhs, fast, .. } = cover.source.inst(sum).op else { return None };
    let product = Value::Inst(product);
    let (addend, on_left) = match (lhs == product, rhs == product) {
        (true, false) => (rhs, true),
        (false, true) => (lhs, false),
        _ => return None,
    };
    let is_contracted = matches!(addend, Value::Inst(other)
        if contracted_product(cover, other).is_some() && cover.cover.uses.count(other) == 1);
    if !fast.contract || is_contracted {
        return None;
    }
    let (negates_product, negates_addend) = match op {
        BinaryOp::FAdd => (false, false),
        BinaryOp::FSub => (!on_left, on_left),
        _ => return None,
    };
    Some(Fused { factors, addend, negates_product, negates_addend })
}
