//! `ptx-infer-address-spaces`: spaces of generic pointers, by LLVM's `infer-address-spaces`, from which the constants that it misreads are hidden.
//!
//! LLVM 22's pass assumes that null, or a number as a generic address, is in the space of the other addresses in the same
//! `select`, `phi` or comparison, and assumes so of steps from any constant too:
//!
//! ```text
//! %p = select i1 %c, ptr addrspacecast (ptr addrspace(3) @s to ptr), ptr inttoptr (i64 4096 to ptr)
//! %p = select i1 %c, ptr addrspace(3) @s, ptr addrspace(3) addrspacecast (ptr inttoptr (i64 4096 to ptr) to ptr addrspace(3))
//! ```
//!
//! But a variable of another space may be at this address, and an address that is not in a window has none in that space:
//! null would become the address of the first variable in shared memory. For a step from such a constant the pass even drops the
//! operand. So while it runs it sees `%k = freeze ptr inttoptr (i64 4096 to ptr)` in place of the constant, a generic address
//! of which it knows nothing. Null stays beside addresses of global memory, which are the same as generic ones.
//!
//! The pass also rewrites the indices of a step from such a constant, as if they were addresses: a `bitcast` of numbers in them becomes an
//! `addrspacecast`, and the generic address of another variable the one in its space. These constants are hidden everywhere.

use std::collections::{HashMap, HashSet};

use ptx_llvm_core::address_space::{GENERIC, GLOBAL};
use ptx_llvm_core::edit::{Editor, Function, Inst, MetadataKind, Opcode, Type, Value, edit};
use ptx_llvm_core::view::{CallingConvention, FunctionId};
use ptx_llvm_core::{LlvmError, Machine, Module, Tuning, run_passes_on_functions, run_passes_tuned};

use crate::pass::{Pass, Run, When};

pub(crate) mod masked_pointers;
#[cfg(test)]
mod tests;

/// Runs at every level that optimizes, after LLVM's default pipeline and before the passes over accesses.
pub(crate) const PASS: Pass = Pass {
    name: "ptx-infer-address-spaces",
    summary: "Runs LLVM's `infer-address-spaces` where it is correct: constants that it takes for addresses of another space are hidden from it.",
    when: When::AfterLlvm,
    run: Run::Pipeline(infer_address_spaces),
    parameters: &[],
};

/// LLVM's pass.
const LLVM_PASS: &str = "infer-address-spaces";
/// The mark on an instruction that replaces a constant.
const MARK: &str = "ptx.constant";

/// Runs LLVM's pass over all functions but those with pointers that are masked again, on which it crashes. A module that has masks and cannot be
/// read into a view stays as it is.
fn infer_address_spaces(module: &mut Module<'_>, machine: &Machine, tuning: Tuning) -> Result<(), LlvmError> {
    let Some(left_out) = masked_pointers::masked_again(module) else { return Ok(()) };
    let left_out: HashSet<FunctionId> = left_out.into_iter().collect();
    each_but(module, &left_out, hide)?;
    let result = if left_out.is_empty() {
        run_passes_tuned(module, &format!("function({LLVM_PASS})"), machine, tuning)
    } else {
        let is_kept = |function: &FunctionId| !left_out.contains(function);
        run_passes_on_functions(module, is_kept, LLVM_PASS, machine, tuning)
    };
    each_but(module, &left_out, show)?;
    result
}

/// What is done with a function, given the kind of metadata of the mark.
type Change = for<'e> fn(&Editor<'e>, Function<'e>, MetadataKind<'e>) -> Result<(), LlvmError>;

/// Changes all functions but some. Functions that LLVM's pass declares come after all others.
fn each_but(
    module: &mut Module<'_>,
    left_out: &HashSet<FunctionId>,
    change: Change,
) -> Result<(), LlvmError> {
    edit(module, |editor| {
        let mark = editor.metadata_kind(MARK);
        let numbered = editor.functions().enumerate();
        let mut kept = numbered.filter(|(at, _)| !left_out.contains(&FunctionId::new(*at)));
        kept.try_for_each(|(_, function)| change(editor, function, mark))
    })
}

/// Puts instructions in the place of a function's constants.
fn hide<'e>(editor: &Editor<'e>, function: Function<'e>, mark: MetadataKind<'e>) -> Result<(), LlvmError> {
    // One instruction for each constant, in the entry block: it dominates every use, at the ends of a phi's predecessors too.
    let Some(first) = function.entry().and_then(|entry| entry.first()) else { return Ok(()) };
    let builder = editor.before(first)?;
    let node = editor.empty_node();
    let mut stand_ins: HashMap<Value<'e>, Value<'e>> = HashMap::new();
    for inst in function.instructions() {
        let joined = pointers(inst);
        for (at, operand) in (0..).zip(inst.operands()) {
            let is_joined = joined.contains(&at) && is_misread(inst, operand);
            if !is_joined && !has_computed_step(operand) {
                continue;
            }
            let stand_in = match stand_ins.get(&operand) {
                Some(known) => *known,
                None => {
                    let frozen = builder.freeze(operand)?;
                    if let Some(frozen) = frozen.as_inst() {
                        frozen.set_metadata(mark, Some(node));
                    }
                    stand_ins.insert(operand, frozen);
                    frozen
                }
            };
            inst.set_operand(at, stand_in)?;
        }
    }
    Ok(())
}

/// Puts the constants back.
fn show<'e>(editor: &Editor<'e>, function: Function<'e>, mark: MetadataKind<'e>) -> Result<(), LlvmError> {
    for inst in function.instructions() {
        // Not every `freeze` of a constant: the program may have some of its own. The mark may be gone where the pass has made another instruction of
        // one; that stays, and is correct.
        if inst.opcode() == Opcode::Freeze
            && inst.metadata(mark).is_some()
            && let Some(constant) = inst.operand(0).filter(|operand| operand.is_constant())
        {
            inst.replace_all_uses(constant)?;
            editor.erase(inst)?;
        }
    }
    Ok(())
}

/// The numbers of the operands whose spaces the pass joins, or makes the result's.
fn pointers(inst: Inst<'_>) -> std::ops::Range<u32> {
    let is_mask =
        |inst: Inst<'_>| inst.callee().is_some_and(|callee| callee.name().starts_with(b"llvm.ptrmask."));
    match inst.opcode() {
        Opcode::Phi => 0..inst.incoming_count(),
        Opcode::Select => 1..3,
        Opcode::ICmp => 0..2,
        Opcode::GetElementPtr | Opcode::IntToPtr => 0..1,
        Opcode::Call if is_mask(inst) => 0..1,
        _ => 0..0,
    }
}

/// Whether the pass may take an operand for an address in a space of which it need not be.
fn is_misread(user: Inst<'_>, operand: Value<'_>) -> bool {
    if !operand.is_constant() || operand.is_undef() {
        return false;
    }
    if user.opcode() == Opcode::IntToPtr {
        // It goes through to the pointer whose number this is.
        return operand.constant_opcode().is_some();
    }
    if space(operand.ty()) != Some(GENERIC) || space_before_cast(operand).is_some() {
        return false;
    }
    !operand.is_null_pointer() || !is_beside_global_addresses(user)
}

/// The space of a pointer or of a vector of pointers.
fn space(ty: Type<'_>) -> Option<u32> {
    ty.scalar().pointer_space()
}

/// Whether a constant is an address that is made of a generic one with an index that is an expression, of which the pass makes another one.
fn has_computed_step(mut constant: Value<'_>) -> bool {
    if space(constant.ty()).is_none() {
        return false;
    }
    while let (Some(opcode), Some(first)) = (constant.constant_opcode(), constant.operand(0)) {
        match opcode {
            Opcode::GetElementPtr => {
                let is_generic = space(constant.ty()) == Some(GENERIC);
                if is_generic && constant.operands().skip(1).any(is_computed) {
                    return true;
                }
                constant = first;
            }
            // It looks through casts to other spaces, too.
            Opcode::IntToPtr | Opcode::PtrToInt | Opcode::BitCast | Opcode::AddrSpaceCast => {
                constant = first;
            }
            _ => return false,
        }
    }
    false
}

/// Whether a constant number is an expression, or a vector with one.
fn is_computed(constant: Value<'_>) -> bool {
    let is_expression = |value: Value<'_>| value.constant_opcode().is_some();
    is_expression(constant) || (constant.is_constant_vector() && constant.operands().any(is_expression))
}

/// The space that a constant was cast from, steps from there included.
fn space_before_cast(mut constant: Value<'_>) -> Option<u32> {
    while let Some(opcode) = constant.constant_opcode() {
        match opcode {
            Opcode::GetElementPtr => constant = constant.operand(0)?,
            Opcode::AddrSpaceCast => return space(constant.operand(0)?.ty()),
            _ => return None,
        }
    }
    None
}

/// Whether all other addresses that an instruction's pointers are made of are of global memory, and there is one.
fn is_beside_global_addresses(user: Inst<'_>) -> bool {
    // Back over the instructions whose spaces the pass joins, to where the addresses come from. Only then is null the same number in the
    // space that the pass would give it.
    let mut work = vec![user.value()];
    let mut seen = HashSet::new();
    let mut found = false;
    while let Some(value) = work.pop() {
        if !seen.insert(value) || value.is_undef() || value.is_null_pointer() {
            continue;
        }
        let Some(inst) = value.as_inst() else {
            if space_before_cast(value) != Some(GLOBAL) && !is_kernel_pointer(value) {
                return false;
            }
            found = true;
            continue;
        };
        match inst.opcode() {
            Opcode::Phi | Opcode::Select | Opcode::GetElementPtr => {}
            Opcode::ICmp if inst == user => {}
            Opcode::AddrSpaceCast if inst.operand(0).is_some_and(|from| space(from.ty()) == Some(GLOBAL)) => {
                found = true;
                continue;
            }
            _ => return false,
        }
        work.extend(pointers(inst).filter_map(|at| inst.operand(at)));
    }
    found
}

/// Whether a value is a kernel's parameter, which the pass takes for an address in global memory; one that is given `byval` is not.
fn is_kernel_pointer(value: Value<'_>) -> bool {
    value.as_parameter().is_some_and(|(function, at)| {
        function.calling_convention() == CallingConvention::PtxKernel
            && function.parameter_attribute(at, "byval").is_none()
    })
}
