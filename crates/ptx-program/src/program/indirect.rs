//! Indirect calls: which functions match a call, and their addresses.

use super::{Call, Function, Program, Slot};

impl Call {
    /// Whether a function accepts the arguments and returns the results of this call, so that it can be its indirect
    /// target.
    pub fn fits(&self, callee: &Function) -> bool {
        fit(&self.arguments, &callee.params) && fit(&callee.results, &self.results)
    }
}

impl Program {
    /// The address of one of the functions.
    pub fn address_of(&self, function: u32) -> Option<u64> {
        let (number, _) = self.numbers.iter().find(|(_, at)| **at == function)?;
        Some(self.address_size.function_address(*number))
    }
}

/// Whether the slots passed by one side of a call match those expected by the other.
fn fit(given: &[Slot], taken: &[Slot]) -> bool {
    given.len() == taken.len() && given.iter().zip(taken).all(|(given, taken)| passes(*given, *taken))
}

fn passes(given: Slot, taken: Slot) -> bool {
    let element = |bits: u64| bits.count_ones().div_ceil(8);
    match (given, taken) {
        (Slot::Memory { size, .. }, Slot::Open { size: room, .. }) => size <= room,
        (Slot::Nothing, _) | (_, Slot::Nothing) => true,
        (Slot::Open { .. }, _) | (_, Slot::Open { .. }) => false,
        (Slot::Memory { size: given, .. }, Slot::Memory { size: taken, .. }) => given == taken,
        // Vectors are passed element by element.
        (Slot::Rows { count: given, bits: wide, .. }, Slot::Rows { count: taken, bits, .. }) => {
            given == taken && element(wide) == element(bits)
        }
        (Slot::Rows { count, bits, .. }, Slot::Memory { size, .. })
        | (Slot::Memory { size, .. }, Slot::Rows { count, bits, .. }) => {
            (count == 1 || bits == u64::MAX) && count * element(bits) == size
        }
    }
}
