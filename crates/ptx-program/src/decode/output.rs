//! What decoding gives: instructions, constants, diagnostics.

use std::sync::Arc;

use ptx_diag::{Code, Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::program::{self, Inst, Origin, Row, SourceLine, Src, WARP};

/// A diagnostic that ends the decoding of one instruction.
pub(super) type Decoded<T> = Result<T, Box<Diagnostic>>;

/// A diagnostic as the result of decoding.
pub(super) fn finding<T>(code: Code, span: Span, message: impl Into<String>) -> Decoded<T> {
    Err(Box::new(Diagnostic::error(code, span, message)))
}

/// The constant rows, deduplicated.
#[derive(Default)]
pub(super) struct Constants {
    rows: Vec<Row>,
    known: FxHashMap<u64, u32>,
    /// Addresses in shared memory, which differ between the blocks of a cluster.
    shared: FxHashMap<u64, u32>,
    /// Addresses in global memory, which depend on the placement of the variables.
    global: FxHashMap<u64, u32>,
}

impl Constants {
    pub(super) fn of(&mut self, value: u64) -> Src {
        let next = self.rows.len() as u32;
        let index = *self.known.entry(value).or_insert(next);
        if index == next {
            self.rows.push([value; WARP]);
        }
        Src::constant(index)
    }

    /// An address in the shared memory of the executing block.
    pub(super) fn of_shared(&mut self, address: u64) -> Src {
        let next = self.rows.len() as u32;
        let index = *self.shared.entry(address).or_insert(next);
        if index == next {
            self.rows.push([address; WARP]);
        }
        Src::constant(index)
    }

    /// An address in global memory, or the lower bits of one.
    pub(super) fn of_global(&mut self, address: u64) -> Src {
        let next = self.rows.len() as u32;
        let index = *self.global.entry(address).or_insert(next);
        if index == next {
            self.rows.push([address; WARP]);
        }
        Src::constant(index)
    }

    pub(super) fn finish(self) -> program::Constants {
        let ascending = |places: FxHashMap<u64, u32>| {
            let mut places: Vec<u32> = places.into_values().collect();
            places.sort_unstable();
            places
        };
        program::Constants::new(self.rows, ascending(self.shared), ascending(self.global))
    }

    /// Two constants in consecutive rows, for a 128-bit value.
    pub(super) fn pair(&mut self, low: u64, high: u64) -> Src {
        let first = Src::constant(self.rows.len() as u32);
        self.rows.extend([[low; WARP], [high; WARP]]);
        first
    }
}

/// The instructions of the functions decoded so far.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) code: Vec<Inst>,
    pub(super) origins: Vec<Origin>,
    pub(super) lines: Vec<Arc<SourceLine>>,
}
