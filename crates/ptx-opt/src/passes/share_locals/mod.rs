//! `ptx-share-locals`: local variables that are not alive at the same time are one.
//!
//! Inlining gives a function the variables of its callees, each with markers of its lifetime:
//!
//! ```text
//!   %a = alloca [7 x i32], align 4
//!   %b = alloca [7 x i32], align 4               %a = alloca [7 x i32], align 4
//!   ..                                           ..
//! one:                                         one:
//!   call void @llvm.lifetime.start(ptr %a)       call void @llvm.lifetime.start(ptr %a)
//!   ..                                           ..
//!   call void @llvm.lifetime.end(ptr %a)         call void @llvm.lifetime.end(ptr %a)
//!   ..                                      -->  ..
//! other:                                       other:
//!   call void @llvm.lifetime.start(ptr %b)       call void @llvm.lifetime.start(ptr %a)
//!   %p = getelementptr i32, ptr %b, i32 %i       %p = getelementptr i32, ptr %a, i32 %i
//!   call void @llvm.lifetime.end(ptr %b)         call void @llvm.lifetime.end(ptr %a)
//! ```
//!
//! LLVM's backends do this to machine code (stack coloring), which raising does not go through, and PTX has no lifetimes: `ptxas` takes variables for alive
//! throughout the function, and made registers of several small ones where it left a single one in memory.
//!
//! The markers stay: no pass moves an access to one variable over them to where the memory is another one's.

mod lifetime;
mod slot;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::edit::{Editor, Flow, Function, Inst, Opcode};

use crate::pass::{Pass, Run, When};

use lifetime::{Lifetime, lifetimes};
use slot::{Slot, share};

pub(super) const PASS: Pass = Pass {
    name: "ptx-share-locals",
    summary: "Gives local variables that are not alive at the same time the same memory, which PTX has no lifetimes for.",
    when: When::LastAtLevels,
    run: Run::Function(run),
    parameters: &[],
};

/// A local variable whose size is known, and which begins to be alive at a marker.
struct Local<'e> {
    inst: Inst<'e>,
    bytes: u64,
    alignment: u32,
    lifetime: Lifetime,
}

fn run<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    let shared = share(locals(editor, function)).into_iter().filter(|slot| !slot.others.is_empty());
    for Slot { local, alignment, others, .. } in shared {
        // Its uses now include those of the others, which may have been allocated before it.
        let first = function.entry().and_then(|entry| entry.first());
        if let Some(first) = first.filter(|first| *first != local) {
            editor.move_before(local, first)?;
        }
        local.set_alignment(alignment);
        for other in others {
            other.replace_all_uses(local.value())?;
            editor.erase(other)?;
        }
    }
    Ok(())
}

/// The variables that the function allocates in its entry block, and whose lifetimes are known.
fn locals<'e>(editor: &Editor<'e>, function: Function<'e>) -> Vec<Local<'e>> {
    let entry = function.entry().into_iter().flat_map(|entry| entry.instructions());
    let sized = entry.filter_map(|inst| Some((inst, size(editor, inst)?)));
    let sized: Vec<(Inst<'e>, u64)> = sized.filter(|(inst, _)| inst.users().any(is_start)).collect();
    if sized.len() < 2 {
        return Vec::new();
    }
    let flow = Flow::new(function);
    let insts: Vec<Inst<'e>> = sized.iter().map(|(inst, _)| *inst).collect();
    let lifetimes = lifetimes(&flow, &insts);
    let locals = sized.into_iter().zip(lifetimes).filter_map(|((inst, bytes), lifetime)| {
        Some(Local { inst, bytes, alignment: inst.alignment()?, lifetime: lifetime? })
    });
    locals.collect()
}

/// How many bytes an `alloca` allocates.
fn size<'e>(editor: &Editor<'e>, inst: Inst<'e>) -> Option<u64> {
    let element = editor.layout().abi_size(inst.allocated_type()?)?;
    element.checked_mul(inst.operand(0)?.as_unsigned()?)
}

fn is_start(user: Inst<'_>) -> bool {
    user.opcode() == Opcode::Call && user.calls("llvm.lifetime.start.")
}

fn is_end(user: Inst<'_>) -> bool {
    user.opcode() == Opcode::Call && user.calls("llvm.lifetime.end.")
}

#[cfg(test)]
mod tests;
