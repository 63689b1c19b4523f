//! What code for a program is made of, for keys of caches.

use std::hash::{Hash, Hasher};

use super::Program;

impl Program {
    /// Hashes everything that decides what the program does, wherever its variables are: instructions, functions and constants, without the
    /// values of addresses in global memory. Where instructions are from is not part of it.
    ///
    /// Numbers are hashed as this process has them, so that what a hasher makes of it means something for programs that are built from the
    /// same sources for the same machine alone.
    pub fn hash_code(&self, state: &mut impl Hasher) {
        // A field that is added is part of it, or is named here as one that is not.
        let Self { code, origins: _, lines: _, constants, functions, numbers, entry, address_size } = self;
        code.hash(state);
        functions.hash(state);
        let mut numbers: Vec<(u32, u32)> = numbers.iter().map(|(&number, &at)| (number, at)).collect();
        numbers.sort_unstable();
        numbers.hash(state);
        entry.hash(state);
        address_size.bytes().hash(state);
        constants.shared.hash(state);
        constants.global.hash(state);
        constants.rows.len().hash(state);
        let rows = constants.rows.iter().zip(0..);
        rows.for_each(|(row, at)| constants.fixed(at).map(|_| row).hash(state));
    }
}
