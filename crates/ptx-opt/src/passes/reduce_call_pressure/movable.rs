//! Which instructions may move past a call: those without effects that are defined wherever they are executed.
//!
//! An instruction comes in; whether it may move goes out, by its opcode or by the attributes of the intrinsic it calls.

use ptx_llvm_core::edit::{Inst, Opcode};

use crate::opcodes::computes_values;

/// Whether an instruction neither has effects nor can be undefined where it was not.
pub(super) fn is_movable(inst: Inst<'_>) -> bool {
    let opcode = inst.opcode();
    if opcode != Opcode::Call {
        return only_computes(opcode);
    }
    let Some(callee) = inst.called_function().filter(|callee| callee.is_intrinsic()) else { return false };
    // The value of `memory` is a bit set of accesses per kind of memory; zero is `memory(none)`. `speculatable` is asked
    // for as well: moving up past a call that may not return executes the instruction where it was not executed before.
    // `convergent` calls depend on which threads are together, and the callee may change that.
    callee.attribute("memory") == Some(0)
        && callee.attribute("speculatable").is_some()
        && callee.attribute("convergent").is_none()
        && !inst.has_operand_bundles()
}

/// Whether an instruction of this kind neither has effects nor can be undefined where it was not.
fn only_computes(opcode: Opcode) -> bool {
    use Opcode::*;
    // Integer division and remainder are left out: zero as divisor is undefined behaviour, and the call before which they would be
    // executed may be the one that ends the thread for that case. Loads are left out since callees write memory.
    computes_values(opcode) || matches!(opcode, PtrToInt | IntToPtr | AddrSpaceCast | GetElementPtr)
}
