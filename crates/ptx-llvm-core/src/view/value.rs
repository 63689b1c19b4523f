//! Operands: what an instruction or a debug record refers to, by its id.

use super::id::{BlockId, ConstId, InlineAsmId, InstId, MetadataId};

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A parameter of the function, from 0.
    Arg(u32),
    /// The result of an instruction of the function.
    Inst(InstId),
    /// A constant, addresses of symbols among them.
    Const(ConstId),
    /// A block of the function.
    Block(BlockId),
    /// Inline assembly, as a callee.
    Asm(InlineAsmId),
    /// Metadata, as an argument of an intrinsic.
    Metadata(MetadataId),
}
