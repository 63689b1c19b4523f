//! Mnemonics that are literals of a program: read, and refused, when it is compiled.

use crate::families::Opcode;
use crate::form::{FormId, Slot};
use crate::names::Mod;
use crate::table;

use super::chosen::{MAX_SLOTS, Mnemonic};
use super::rules::{keeps_rules, same};

/// A mnemonic by its canonical text, [`Mnemonic::from_text`] of a literal when the program is compiled: what is not in the instruction
/// table, or not spelled as it is printed, is not compiled.
///
/// ```
/// let mnemonic = ptx_isa::ptx!("setp.eq.s64");
/// assert_eq!(mnemonic.to_string(), "setp.eq.s64");
/// ```
///
/// ```compile_fail
/// ptx_isa::ptx!("setp.equal.s64");
/// ```
#[macro_export]
macro_rules! ptx {
    ($text:literal) => {{
        const MNEMONIC: $crate::Mnemonic = $crate::Mnemonic::literal($text);
        MNEMONIC
    }};
}

impl Mnemonic {
    /// The first row that a canonical text means; [`ptx!`](crate::ptx) calls it in constants.
    ///
    /// # Panics
    /// When no row has this spelling.
    pub const fn literal(text: &str) -> Self {
        match Self::spelled(text.as_bytes()) {
            Some(mnemonic) => mnemonic,
            None => panic!("the instruction table has no mnemonic of this spelling"),
        }
    }

    const fn spelled(text: &[u8]) -> Option<Self> {
        let (start, end) = word(text, 0);
        let mut opcode = 0;
        while opcode < Opcode::ALL.len() {
            if is(text, start, end, Opcode::ALL[opcode].as_str()) {
                let ids = table::ids_of(Opcode::ALL[opcode]);
                let mut id = ids.start;
                while id < ids.end {
                    let found = spelled_in(FormId(id), text, end);
                    if found.is_some() {
                        return found;
                    }
                    id += 1;
                }
                return None;
            }
            opcode += 1;
        }
        None
    }
}

/// Reads the modifiers after the opcode in the order of the slots.
const fn spelled_in(id: FormId, text: &[u8], opcode_end: usize) -> Option<Mnemonic> {
    let form = table::form(id);
    let mut mnemonic = Mnemonic { form: id, chosen: [0; MAX_SLOTS] };
    let (mut at, mut slot) = (opcode_end, 0);
    while slot < form.slots.len() {
        let (number, end) = modifier_at(&form.slots[slot], text, at);
        if number == 0 && !form.slots[slot].is_optional() {
            return None;
        }
        mnemonic.chosen[slot] = number;
        at = end;
        slot += 1;
    }
    if at == text.len() && keeps_rules(form, &mnemonic) { Some(mnemonic) } else { None }
}

/// The number of the slot's modifier that the text has at a full stop, and the position after it; 0 if it has none of them.
const fn modifier_at(slot: &Slot, text: &[u8], dot: usize) -> (u8, usize) {
    if dot >= text.len() {
        return (0, dot);
    }
    let (start, end) = word(text, dot + 1);
    let mut number = 1;
    while let Some(modifier) = slot.modifier(number) {
        if is(text, start, end, modifier.as_str()) {
            if !same(modifier, Mod::XorsignAbs) {
                return (number, end);
            }
            // One modifier of two words.
            let (start, end) = word(text, end + 1);
            return if is(text, start, end, "abs") { (number, end) } else { (0, dot) };
        }
        number += 1;
    }
    (0, dot)
}

/// The word that begins at a position: up to the next full stop.
const fn word(text: &[u8], start: usize) -> (usize, usize) {
    let mut end = start;
    while end < text.len() && text[end] != b'.' {
        end += 1;
    }
    (start, end)
}

const fn is(text: &[u8], start: usize, end: usize, wanted: &str) -> bool {
    let wanted = wanted.as_bytes();
    if start > end || end > text.len() || end - start != wanted.len() {
        return false;
    }
    let mut at = 0;
    while at < wanted.len() {
        if text[start + at] != wanted[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::{Mnemonic, Slot, form, form_ids};

    /// Every modifier of every slot of every row, the others of the row at their first: the text of each is read as at run time.
    #[test]
    fn constants_read_what_is_read_at_run_time() {
        let mut read = 0;
        for id in form_ids() {
            let slots = form(id).slots;
            for varied in 0..slots.len() {
                let (Slot::One(_, set) | Slot::Opt(_, set)) = slots[varied] else { continue };
                for &modifier in set {
                    let modifiers: Vec<_> = slots
                        .iter()
                        .enumerate()
                        .filter_map(|(at, slot)| match slot {
                            _ if at == varied => Some(modifier),
                            Slot::Lit(literal) => Some(*literal),
                            Slot::One(_, set) => set.first().copied(),
                            Slot::Opt(..) => None,
                        })
                        .collect();
                    let Some(mnemonic) = Mnemonic::choose(id, &modifiers) else { continue };
                    let text = mnemonic.to_string();
                    assert_eq!(Mnemonic::literal(&text), Mnemonic::from_text(&text).unwrap(), "{text}");
                    read += 1;
                }
            }
        }
        assert!(read > 3000, "only {read} mnemonics");
    }

    #[test]
    fn only_the_canonical_spelling_is_read() {
        assert_eq!(ptx!("max.ftz.NaN.xorsign.abs.f32").to_string(), "max.ftz.NaN.xorsign.abs.f32");
        assert_eq!(ptx!("exit").to_string(), "exit");
        for text in [
            "",
            "add",
            "add.",
            "add.s3",
            "add.s32.",
            "add.s32.s32",
            ".add.s32",
            "addx.s32",
            // Read at run time, and printed in another order.
            "ld.u32.global",
            "max.ftz.NaN.abs.xorsign.f32",
            // A rule of the row requires a scope.
            "mbarrier.arrive.release.shared.b64",
        ] {
            assert_eq!(Mnemonic::spelled(text.as_bytes()), None, "{text}");
        }
    }
}
