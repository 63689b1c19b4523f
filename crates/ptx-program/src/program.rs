//! The executable form of a module: the output of decoding and the input of the machine.
//!
//! The code of all functions is concatenated in one array; a program counter is an index into it. Registers are rows of
//! 32 values, one for each lane of a warp. A 128-bit value takes two rows, low half first. Immediates and addresses
//! known before the launch are constant rows, so that every operand is a row. For example:
//!
//! ```text
//! @%p ld.global.f32 %x, [%a+4];
//! Inst { guard: row of %p, op: Load { address: { Global, row of %a, offset 4 }, dsts: [row of %x], size: 4, .. } }
//! ```

mod access;
mod alu;
mod async_group;
mod barrier;
mod call;
mod cluster;
mod collective;
mod component;
mod digest;
mod formula;
mod functions;
mod indirect;
mod instruction;
mod lines;
mod matrix;
mod memory;
mod multimem;
mod object;
mod operands;
mod row;
mod shared;
mod tcgen05;
mod tensor;
mod texture;
mod tile;
mod traits;
mod wgmma;

use std::sync::Arc;

use ptx_diag::Span;
use rustc_hash::FxHashMap;

use crate::memory::{AddressSize, shared_address};
pub use access::{Accesses, Run};

pub use alu::{
    Binary, Combine, Comparison, Dual, FloatBinary, FloatCombine, FloatExtreme, FloatFunction, Numbers,
    PackConversion, Packing, SetWhere, Ternary, Unary, each,
};
pub use async_group::{AsyncGroup, AsyncOp, AsyncWrite, Family, GroupAction, Write};
pub use barrier::{BarrierAction, BlockBarrier};
pub use call::{Builtin, Call, Callee, Slot};
pub use cluster::{Audience, ClusterAction, MapAddress, TryCancel};
pub use collective::{Collective, CollectiveKind, Participants, ReduceOp, ShuffleMode, VoteMode};
pub use component::{along, axis};
pub use formula::Formula;
pub use functions::{Function, Functions};
pub use instruction::{Alu, Effect, Inst, Op};
pub use lines::Files;
pub use lines::SourceLine;
pub use matrix::{
    Element, ElementPosition, Factor, Fragment, Held, Indices, Join, Major, Majorness, MatrixOperand,
    Overflow, Product, Scales, Size, Sparse,
};
pub use memory::{
    Address, AddressWidth, AsyncCopy, Atomic, Base, CopyAmount, Exchange, Fill, Load, Order, Store,
    VectorAtomic, WideAtomic,
};
pub use multimem::{Accumulation, Multimem, MultimemAction, Rounds, Step};
pub use object::Object;
pub use operands::{Operand, OperandMut, OperandRef};
pub use row::{Dst, FRAME_ALIGNMENT, FULL, Guard, Mask, Row, Src, WARP, first_lane, lanes};
pub use shared::{
    BarrierLayout, Bulk, BulkSource, Completion, Inspection, Mbarrier, MbarrierAction, Stack, Stay, Within,
};
pub use tcgen05::{
    COLUMNS, Columns, CopyRows, Group, LANES, Multiplication, MultiplyKind, Packed, QUARTER, Reduction,
    ScaleVector, Sharing, TensorA, TensorAccess, TensorCommit, TensorIssue, TensorMove, TensorOperation,
    TensorShape,
};
pub use tensor::{TensorAction, TensorCopy, TensorMode, TensorReduction, TensormapCopy, TensormapReplace};
pub use texture::{
    Beyond, Coordinates, Fetch, Geometry, LevelOf, Opaque, Property, SurfaceAccess, SurfaceAction, Texels,
    TextureQuery, Texturing,
};
pub use tile::{Cell, Spread, Tiles};
pub use traits::{Control, EffectTraits, Execution, LaneAccess};
pub use wgmma::{FactorA, SharedFactor, WARPGROUP, WarpgroupAction, WarpgroupProduct};

/// Source location of an instruction.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The position of the PTX instruction.
    pub span: Span,
    /// Its mnemonic as written.
    pub mnemonic: ptx_isa::Mnemonic,
    /// The index of its function in [`Program::functions`].
    pub function: u32,
    /// Index in the program's source lines.
    pub line: Option<u32>,
}

/// Values known before the launch, one row each.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    rows: Vec<Row>,
    /// Indices of rows that are shared-memory addresses, ascending: they differ between the blocks of a cluster.
    shared: Vec<u32>,
    /// Indices of rows that are global-memory addresses, ascending: they depend on the placement of the variables.
    global: Vec<u32>,
}

impl Constants {
    /// Creates constants from the rows and the indices of rows that are shared- and global-memory addresses, both
    /// ascending.
    pub fn new(rows: Vec<Row>, shared: Vec<u32>, global: Vec<u32>) -> Self {
        Self { rows, shared, global }
    }

    /// Whether a row is a shared-memory address, which differs between the blocks of a cluster.
    pub fn is_shared(&self, at: u32) -> bool {
        self.shared.binary_search(&at).is_ok()
    }

    /// The rows for the first block of a cluster.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The value of a row if it is determined by the module alone; `None` for a global-memory address, which depends on
    /// the placement of variables.
    pub fn fixed(&self, index: u32) -> Option<u64> {
        let row = self.rows.get(index as usize)?;
        if self.global.binary_search(&index).is_ok() { None } else { Some(row[0]) }
    }

    /// Indices of the rows that are global-memory addresses, ascending.
    pub fn global(&self) -> &[u32] {
        &self.global
    }

    /// The rows for the block of this rank in its cluster.
    pub fn of_rank(&self, rank: u32) -> Vec<Row> {
        let mut rows = self.rows.clone();
        for &at in &self.shared {
            if let Some(row) = rows.get_mut(at as usize) {
                row.iter_mut().for_each(|address| *address = shared_address(rank, *address));
            }
        }
        rows
    }
}

/// An executable program. It is plain data, which any engine can execute.
#[derive(Clone, Debug)]
pub struct Program {
    /// The instructions of all functions, one function after the other.
    pub code: Vec<Inst>,
    /// The origin of each instruction.
    pub origins: Vec<Origin>,
    /// The source lines of the instructions.
    pub lines: Vec<Arc<SourceLine>>,
    /// The constant rows.
    pub constants: Constants,
    /// The kernel and the functions that it can call.
    pub functions: Functions,
    /// Maps function numbers of the module to indices in `functions`.
    pub numbers: FxHashMap<u32, u32>,
    /// The address size.
    pub address_size: AddressSize,
}

impl Program {
    /// The kernel.
    pub fn kernel(&self) -> &Function {
        self.functions.kernel()
    }

    /// The name of a function, for messages; empty if there is none with this index.
    pub fn function_name(&self, index: u32) -> &str {
        match self.functions.get(index as usize) {
            Some(function) => &function.name,
            None => "",
        }
    }

    /// The mnemonic of an instruction, for messages; empty in a program that was compiled ahead of time, which has none.
    pub fn mnemonic(&self, pc: u32) -> String {
        match self.origins.get(pc as usize) {
            Some(origin) => origin.mnemonic.to_string(),
            None => String::new(),
        }
    }

    /// The source line of an instruction.
    pub fn line_of(&self, pc: u32) -> Option<&Arc<SourceLine>> {
        let line = self.origins.get(pc as usize)?.line?;
        self.lines.get(line as usize)
    }

    /// An instruction with its line of the source, as a label of it in messages.
    pub fn label(&self, pc: u32) -> String {
        let origin = self.origins.get(pc as usize);
        debug_assert!(origin.is_some(), "no instruction {pc}");
        let what =
            origin.map_or_else(|| format!("instruction {pc}"), |origin| format!("`{}`", origin.mnemonic));
        match self.line_of(pc) {
            Some(line) => format!("{what}, at {line}"),
            None => what,
        }
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<u32> {
        self.numbers.get(&self.address_size.function_number(address)?).copied()
    }
}
