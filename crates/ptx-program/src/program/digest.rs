//! Hash of a program, for cache keys of compiled code.

use std::hash::{Hash, Hasher};

use super::Program;

impl Program {
    /// Hashes everything that determines the behaviour of the program independently of the placement of its variables:
    /// instructions, functions and constants, without the values of global-memory addresses. Source locations are not
    /// included.
    ///
    /// Numbers are hashed in native representation, so a digest is only comparable between programs built from the same
    /// sources for the same machine.
    pub fn hash_code(&self, state: &mut impl Hasher) {
        // Exhaustive: a new field must be hashed, or be listed here as ignored.
        let Self { code, origins: _, lines: _, constants, functions, numbers, address_size } = self;
        code.hash(state);
        functions.hash(state);
        let mut numbers: Vec<(u32, u32)> = numbers.iter().map(|(&number, &at)| (number, at)).collect();
        numbers.sort_unstable();
        numbers.hash(state);
        address_size.bytes().hash(state);
        constants.shared.hash(state);
        constants.global.hash(state);
        constants.rows.len().hash(state);
        let rows = constants.rows.iter().zip(0..);
        rows.for_each(|(row, at)| constants.fixed(at).map(|_| row).hash(state));
    }
}
