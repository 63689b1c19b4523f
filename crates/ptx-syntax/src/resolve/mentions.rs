//! The registers that are used: nearly every operand is one, so they are found without hashing.

use ptx_ir::{RegDeclId, RegId};
use rustc_hash::FxHashMap;

/// The registers of a body by declaration and number, from their first use on.
#[derive(Default)]
pub(crate) struct Mentions {
    /// The registers of each declaration by number, as long as the tables stay small.
    tables: Vec<Vec<Option<RegId>>>,
    /// The others: a range may declare millions of registers of which few are used.
    others: FxHashMap<(RegDeclId, u32), RegId>,
}

impl Mentions {
    /// Returns the register with this number of a declaration. On its first use this is `fresh`, which must be the number of
    /// registers so far.
    #[inline]
    pub(crate) fn register(&mut self, decl: RegDeclId, number: u32, fresh: RegId) -> RegId {
        let table = self.tables.get(decl.0 as usize);
        match table.and_then(|table| *table.get(number as usize)?) {
            Some(register) => register,
            None => self.add(decl, number, fresh),
        }
    }

    fn add(&mut self, decl: RegDeclId, number: u32, fresh: RegId) -> RegId {
        if let Some(&register) = self.others.get(&(decl, number)) {
            return register;
        }
        // Compilers number registers without gaps, so that tables of a length proportional to the number of used registers suffice.
        let (at, index) = (number as usize, decl.0 as usize);
        if at > 64 + 4 * fresh.index() || index > 16 + 4 * fresh.index() {
            self.others.insert((decl, number), fresh);
            return fresh;
        }
        if self.tables.len() <= index {
            self.tables.resize_with(index + 1, Vec::new);
        }
        if let Some(table) = self.tables.get_mut(index) {
            if table.len() <= at {
                table.resize(at + 1, None);
            }
            if let Some(place) = table.get_mut(at) {
                *place = Some(fresh);
            }
        }
        fresh
    }

    /// Clears the registers at the end of a body.
    pub(crate) fn clear(&mut self) {
        self.tables.clear();
        self.others.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_stays_the_same_however_far_apart_numbers_are() {
        let mut mentions = Mentions::default();
        let mut count = 0;
        let mut register = |decl, number| {
            let found = mentions.register(RegDeclId(decl), number, RegId(count));
            count += u32::from(found == RegId(count));
            found.0
        };
        assert_eq!(
            [register(0, 7), register(0, 4_000_000_000), register(900, 70), register(0, 70)],
            [0, 1, 2, 3]
        );
        // Numbers that were too large for a table on their first use fit into one now, and are still found.
        for number in 100..1100 {
            register(1, number);
        }
        assert_eq!(
            [register(0, 7), register(0, 4_000_000_000), register(900, 70), register(0, 70)],
            [0, 1, 2, 3]
        );
    }

    #[test]
    fn one_far_number_takes_no_table() {
        let mut mentions = Mentions::default();
        mentions.register(RegDeclId(0), u32::MAX, RegId(0));
        mentions.register(RegDeclId(u32::MAX), 0, RegId(1));
        assert!(mentions.tables.iter().all(|table| table.capacity() < 1000) && mentions.tables.len() < 1000);
    }
}
