//! The values of the carry flag that are kept as borrows.
//!
//! LLVM's difference with a flag gives the borrow, which is the opposite of the carry that PTX specifies ([`crate::carry`]). If a flag is
//! written only by differences and merged in phis only with such flags, the borrow itself is kept as the value.

use ptx_ir::{Body, Stmt};
use ptx_isa::{ArithSem, Sem};
use rustc_hash::FxHashSet;

use crate::slots::Slots;
use crate::ssa::{Def, Ssa, ValueId};

/// The values of the carry flag that are kept as borrows: those written by differences, and phis of only such values.
pub(crate) fn borrows(body: &Body, slots: &Slots, ssa: &Ssa) -> FxHashSet<ValueId> {
    let ids = || (0..ssa.values.len() as u32).map(ValueId);
    let flags = || ids().zip(&ssa.values).filter(|(_, info)| info.slot == slots.carry());
    // Starts with all possible borrows, including phis, and removes values until the rest is consistent: the greatest solution, so that a
    // loop whose flag only differences write keeps borrows throughout.
    let mut borrows: FxHashSet<ValueId> =
        flags().filter(|(_, info)| !is_written_as_carry(body, &info.def)).map(|(id, _)| id).collect();
    // A phi and the values that it joins are kept alike: otherwise each of its edges would cost an `xor`.
    loop {
        let before = borrows.len();
        for (id, info) in flags() {
            let Def::Phi(_, joined) = &info.def else { continue };
            let all = borrows.contains(&id) && joined.iter().all(|(_, value)| borrows.contains(value));
            if !all {
                borrows.remove(&id);
                for (_, value) in joined {
                    borrows.remove(value);
                }
            }
        }
        if borrows.len() == before {
            return borrows;
        }
    }
}

/// Whether a flag comes from a sum, or was never written, and is clear then.
fn is_written_as_carry(body: &Body, def: &Def) -> bool {
    match def {
        Def::Undefined => true,
        Def::Statement(at) => !matches!(
            body.statements.get(*at),
            Some(Stmt::Inst(inst)) if inst.mnemonic.sem() == Sem::Arith(ArithSem::SubCarry)
        ),
        Def::Phi(..) => false,
    }
}
