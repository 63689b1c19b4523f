//! Which modifiers belong to an instruction's name.
//!
//! Most modifiers may occur in nearly any order, but names of several words may not be separated: `mul.wide`, `cp.async.bulk`,
//! `tcgen05.mma.ws`. What counts as a name follows `ptxas`, and not always the manual: `.sp` is not part of the name of
//! `tcgen05.mma.sp`, `.expect_tx` is one of `mbarrier.arrive.expect_tx`.

use crate::families::Opcode;
use crate::form::{Form, Slot};
use crate::names::{Field, Mod, Reading};

/// Whether a mnemonic's modifiers, as written, begin with the words of its name in their order; `chosen` has the contents
/// of each slot of the row.
pub(crate) fn matches_name_prefix(form: &Form, chosen: &[Option<Mod>], written: &[Mod]) -> bool {
    let named = form.slots.iter().zip(chosen).take_while(|(slot, _)| is_named_by(form.opcode, slot));
    // `div.full` is a name, `.approx` in the same slot a modifier.
    let words = named.filter_map(|(_, modifier)| *modifier).filter(|modifier| *modifier != Mod::Approx);
    let mut written = written.iter();
    words.into_iter().all(|word| written.next() == Some(&word))
}

/// Whether a modifier may be part of a name.
pub(crate) fn is_word(modifier: Mod) -> bool {
    modifier.reading() == Reading::Name
}

fn is_named_by(opcode: Opcode, slot: &Slot) -> bool {
    match slot {
        Slot::Lit(modifier) => is_word(*modifier),
        Slot::One(field, set) | Slot::Opt(field, set) => match field {
            Field::Part | Field::Direction | Field::Mipmap | Field::Cta => true,
            // `bar.sync` is a `bar` with a modifier, `bar.arrive` another instruction.
            Field::Action => !set.contains(&Mod::Sync),
            Field::Mode => opcode == Opcode::Dp2a,
            Field::Approx => set.contains(&Mod::Full),
            _ => false,
        },
    }
}
