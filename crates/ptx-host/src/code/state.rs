//! The state of code generation: what the functions of the other modules read and change while they generate the code of a kernel.

mod ends;
mod inputs;
mod lanewise;
mod masks;
mod position;
mod products;
mod reports;
mod rows;
mod segment;
mod turns;

use std::cell::RefCell;
use std::collections::BTreeSet;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{Block, Builder, CastOp, Function, Type, Types, Value};
use ptx_program::Program;
use rustc_hash::FxHashMap;

pub(super) use ends::{Ends, Handover};
pub(super) use inputs::{Inputs, Probes};
pub(super) use lanewise::Lanewise;
pub(super) use masks::{Masks, Present};
pub(super) use position::Position;
pub(super) use products::Multiplier;
pub(super) use reports::{Debug, Reports};
pub(super) use rows::{Current, RowMemory};
pub(super) use segment::{Parted, Plan, Reporter, Segment};
pub(super) use turns::{PhaseHeads, ResumePoints, Resumption, Turns};

use crate::analysis::{Analysis, Launched};
use crate::emit::Emit;
use crate::emit::alu::Style;
use crate::strategy::Strategy;

/// The state of code generation.
pub(super) struct Code<'a, 'm, 'c> {
    pub(super) program: &'a Program,
    pub(super) analysis: &'a Analysis,
    pub(super) strategy: &'a Strategy,
    pub(super) launched: &'a Launched,
    /// The function, and where its operations are appended.
    pub(super) function: Function<'c>,
    pub(super) emit: Emit<'m, 'c>,
    pub(super) types: Types<'c>,
    pub(super) style: Style,
    /// Lanes of a chunk, and chunks of the warps that execute together (`analysis/group.rs`).
    pub(super) lanes: u32,
    pub(super) chunks: usize,
    /// The turns of the warps, in a function that executes a whole block (CTA) with several.
    pub(super) turns: Option<Turns<'c>>,
    pub(super) at: Position<'c>,
    pub(super) rows: RowMemory<'c>,
    pub(super) masks: Masks<'c>,
    /// The segment that the function is of, if the kernel is split.
    pub(super) segment: Option<Segment<'a, 'c>>,
    pub(super) ends: Ends<'c>,
    pub(super) reports: Reports<'a, 'c>,
    /// The frame of the warp, and the fields that are loaded from it on entry.
    pub(super) frame: Value<'c>,
    pub(super) inputs: Inputs<'c>,
    /// The constants that are addresses in global memory, by their number.
    pub(super) addresses: FxHashMap<u32, Value<'c>>,
    /// The local memory of all lanes (`local.rs`), if the kernel has any.
    pub(super) local: Option<Value<'c>>,
    /// The functions of matrix products.
    pub(super) multipliers: Vec<Multiplier<'c>>,
    /// The state of the checks of memory accesses, if they are enabled.
    pub(super) probes: Option<Probes<'a, 'c>>,
    /// The instructions that call a function of the runtime, each with the function's offset in the runtime's table.
    pub(super) asks: RefCell<Vec<(u32, usize)>>,
    /// The functions for accesses that the code calls.
    pub(super) lanewise: RefCell<BTreeSet<Lanewise>>,
}

impl<'c> Code<'_, '_, 'c> {
    pub(super) fn builder(&self) -> &Builder<'c> {
        &self.emit.builder
    }

    pub(super) fn int(&self, bits: u32, value: u64) -> Value<'c> {
        self.types.int_value(bits, value)
    }

    pub(super) fn cast(&self, op: CastOp, value: Value<'c>, bits: u32) -> Result<Value<'c>, LlvmError> {
        self.builder().cast(op, value, self.emit.like(value, self.types.int(bits)))
    }

    /// A vector type for the lanes of a chunk.
    pub(super) fn vector_of(&self, bits: u32) -> Type<'c> {
        self.types.vector(self.types.int(bits), self.lanes)
    }

    /// A new LLVM block of the function.
    pub(super) fn block(&self, name: &str) -> Block<'c> {
        self.function.append_block(self.types, name)
    }

    pub(super) fn blocks<const N: usize>(&self, names: [&str; N]) -> [Block<'c>; N] {
        names.map(|name| self.block(name))
    }

    /// Whether the code checks claims.
    pub(super) fn checks(&self) -> bool {
        self.analysis.shapes.claims().is_some()
    }
}

pub(super) type Guard = Option<(u32, bool)>;
