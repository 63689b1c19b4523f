//! What passes ask about opcodes.

use ptx_llvm_core::edit::Opcode;

/// Whether an instruction of this kind computes a number, a truth value or an aggregate of its operands alone, and is defined for all of them: no division of
/// integers, no remainder, no address, no access of memory, no call.
pub(crate) fn computes_values(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        FNeg | Add
            | FAdd
            | Sub
            | FSub
            | Mul
            | FMul
            | FDiv
            | Shl
            | LShr
            | AShr
            | And
            | Or
            | Xor
            | Trunc
            | ZExt
            | SExt
            | FPToUI
            | FPToSI
            | UIToFP
            | SIToFP
            | FPTrunc
            | FPExt
            | BitCast
            | ICmp
            | FCmp
            | Select
            | ExtractElement
            | InsertElement
            | ShuffleVector
            | ExtractValue
            | InsertValue
            | Freeze
    )
}
