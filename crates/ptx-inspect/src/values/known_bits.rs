//! The bits that a value may have.

use ptx_isa::SpecialReg;

use crate::operation::OperationKind;
use crate::polynomial::{Atom, Polynomial};
use crate::values::Values;

/// All bits from one on.
fn from(bit: u32) -> u64 {
    u64::MAX.checked_shl(bit).into_iter().sum()
}

/// All bits up to the highest one of a number.
fn up_to(most: u64) -> u64 {
    u64::MAX.checked_shr(most.leading_zeros()).into_iter().sum()
}

impl Values<'_, '_> {
    /// The bits that may be set in a sum.
    pub(super) fn bits_of(&self, sum: &Polynomial) -> u64 {
        sum.terms().fold(0, |all, (atoms, factor)| {
            let own = self.bits_of_product(atoms, factor);
            // Of bits that are in both there may be a carry.
            if all & own == 0 { all | own } else { from(all.trailing_zeros().min(own.trailing_zeros())) }
        })
    }

    fn bits_of_product(&self, atoms: &[Atom], factor: i64) -> u64 {
        let lowest = factor.trailing_zeros();
        match atoms {
            [] => factor as u64,
            [atom] if factor > 0 && factor.count_ones() == 1 => {
                let bits = self.bits_of_atom(*atom);
                if bits.leading_zeros() >= lowest { bits << lowest } else { from(lowest) }
            }
            _ => from(lowest),
        }
    }

    fn bits_of_atom(&self, atom: Atom) -> u64 {
        match atom {
            Atom::Special(special @ (SpecialReg::Tid | SpecialReg::LaneId | SpecialReg::Ntid), component) => {
                up_to(special.values(component).1)
            }
            Atom::Operation(id) => {
                let operation = self.operation(id);
                let [a, b] = operation.sources.each_ref().map(|source| self.bits_of(source));
                let constant =
                    operation.sources[1].as_constant().and_then(|constant| u64::try_from(constant).ok());
                // A number that is not negative in 32 bits.
                let is_positive = a >> 31 == 0;
                match (operation.kind, constant) {
                    (OperationKind::And, _) => a & b,
                    (OperationKind::Or | OperationKind::Xor, _) => a | b,
                    (OperationKind::ShiftRight, Some(by @ 0..=63)) if is_positive => a >> by,
                    (OperationKind::Remainder, Some(by @ 1..)) if is_positive => up_to(by - 1),
                    (OperationKind::Divide, Some(1..)) if is_positive => up_to(a),
                    _ => u64::MAX,
                }
            }
            Atom::Special(..)
            | Atom::Parameter(..)
            | Atom::Address(_)
            | Atom::Iteration(_)
            | Atom::Finished(_)
            | Atom::Value(_)
            | Atom::Left(_) => u64::MAX,
        }
    }
}
