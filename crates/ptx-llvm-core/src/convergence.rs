//! Where threads that a branch separated come together again, while LLVM's passes change the flow of control.
//!
//! An operation such as `activemask`, `vote` or `bar.sync` depends on which threads execute it together, and a GPU brings separated threads
//! together where their ways join. LLVM does not duplicate such an operation (`convergent`), but it moves the join before it: SimplifyCFG lets
//! a block whose branch is decided on one of the ways to it branch directly.
//!
//! ```text
//!   br i1 %p, label %T, label %F             br i1 %p, label %T, label %M
//! T: .. br label %M                        T: .. br label %X
//! F: .. br label %M                  -->   M: .. br i1 %u, label %X, label %V
//! M:                                       X:
//!   %f = phi i1 [ true, %T ], [ %u, %F ]     call i32 @llvm.nvvm.activemask()
//!   br i1 %f, label %X, label %V
//! X:
//!   call i32 @llvm.nvvm.activemask()
//! ```
//!
//! On the left all threads are together at `%M` and so in `%X`; on the right those of `%T` come to `%X` alone, since the ways first join
//! after it. So while passes run, each branch on which it depends whether a convergent operation is executed has a call before it that is
//! itself convergent, and that LLVM therefore neither duplicates nor passes by; afterwards the calls are removed.

use std::collections::HashSet;

use ptx_graph::{DominatorTree, Reversed, immediate_dominators, iterated_frontier};

use crate::edit::{Attribute, Block, Editor, Flow, Function, Inst, Opcode, Value, edit};
use crate::error::LlvmError;
use crate::module::Module;
use crate::view::CallingConvention;

mod assembly;

/// The function that is called where threads come together; LLVM adds a number if the module has one of this name.
const MARKER: &[u8] = b"ptx.join";

/// LLVM's number for `memory(inaccessiblemem: readwrite)`: the calls are kept, and have no effect on any access.
const INACCESSIBLE_MEMORY: u64 = 0b1100;

/// The name of the function whose calls keep joins, if there are any.
#[must_use]
pub(crate) struct Joins(Option<Vec<u8>>);

/// Has LLVM's passes keep joins, so that threads that were together at a convergent operation still are; [`Joins::release`] follows them.
pub(crate) fn keep_joins(module: &mut Module<'_>) -> Result<Joins, LlvmError> {
    edit(module, |editor| {
        assembly::mark(editor)?;
        let mut marker = Marker { editor, function: None };
        for function in editor.optimized_functions() {
            let flow = Flow::new(function);
            if flow.blocks().len() > 1 {
                marker.place(&flow)?;
            }
        }
        Ok(Joins(marker.function.map(Function::name)))
    })
}

impl Joins {
    /// Removes the calls and the function.
    pub(crate) fn release(self, module: &mut Module<'_>) -> Result<(), LlvmError> {
        let Some(name) = self.0 else { return Ok(()) };
        edit(module, |editor| {
            let Some(marker) = editor.function_named(&name) else {
                return Ok(());
            };
            let calls: Vec<Inst<'_>> = marker.users().filter_map(Value::as_inst).collect();
            calls.into_iter().try_for_each(|call| editor.erase(call))?;
            editor.erase_function(marker);
            Ok(())
        })
    }
}

/// Whether an instruction is a call that is `convergent`, or whose callee is.
fn is_convergent(inst: Inst<'_>) -> bool {
    inst.has_call_attribute("convergent") || inst.called_function().is_some_and(is_convergent_function)
}

/// Whether a function is `convergent`.
fn is_convergent_function(function: Function<'_>) -> bool {
    function.attribute("convergent").is_some()
}

/// Whether LLVM may replace a call by the body of a function, whose blocks then join in the block of the call.
fn may_be_inlined(call: Inst<'_>) -> bool {
    match call.called_function() {
        Some(function) => function.entry().is_some(),
        // Through an address, which may become known.
        None => call.callee().is_some_and(|callee| !callee.is_inline_asm()),
    }
}

/// Where a branch gets its call.
enum Place<'e> {
    /// A convergent operation precedes the branch, or nothing joins there.
    Nowhere,
    /// Before this instruction.
    Before(Inst<'e>),
    /// In a new block on the way from these predecessors.
    Between(Vec<usize>),
}

/// The function that is called.
struct Marker<'a, 'e> {
    editor: &'a Editor<'e>,
    /// The function, once there is a call.
    function: Option<Function<'e>>,
}

impl<'e> Marker<'_, 'e> {
    /// Adds the calls of a function.
    fn place(&mut self, flow: &Flow<'e>) -> Result<(), LlvmError> {
        let has_convergent = |at: &usize| flow.blocks()[*at].instructions().into_iter().any(is_convergent);
        let operations: Vec<usize> = (0..flow.blocks().len()).filter(has_convergent).collect();
        if operations.is_empty() {
            return Ok(());
        }
        let reversed = Reversed::new(flow);
        let controlling = iterated_frontier(&reversed, &immediate_dominators(&reversed), operations);
        let tree = DominatorTree::new(flow);
        for block in (0..flow.blocks().len()).filter(|block| controlling[*block]) {
            // A branch to one place decides nothing.
            if flow.successors_of(block).len() < 2 {
                continue;
            }
            match place_of(flow, block, &tree) {
                Place::Nowhere => {}
                Place::Before(instruction) => self.call_before(instruction)?,
                Place::Between(predecessors) => self.call_between(flow, &predecessors, block)?,
            }
        }
        Ok(())
    }

    fn call_before(&mut self, inst: Inst<'e>) -> Result<(), LlvmError> {
        let function = self.declared()?;
        self.editor.before(inst)?.call(function, &[])?;
        Ok(())
    }

    /// Puts a block with the call between a block and some of its predecessors.
    fn call_between(
        &mut self,
        flow: &Flow<'e>,
        predecessors: &[usize],
        block: usize,
    ) -> Result<(), LlvmError> {
        let block = flow.blocks()[block];
        let before: HashSet<Block<'e>> = predecessors.iter().map(|at| flow.blocks()[*at]).collect();
        let between = self.editor.insert_block(block, "join");
        let end = self.editor.at_end(between).branch(block)?;
        self.call_before(end)?;
        for phi in block.instructions() {
            if phi.opcode() != Opcode::Phi {
                break;
            }
            split_phi(self.editor, phi, &before, between)?;
        }
        for end in before.into_iter().filter_map(Block::terminator) {
            for (at, to) in (0..).zip(end.successors()) {
                if to == block {
                    end.set_successor(at, between)?;
                }
            }
        }
        Ok(())
    }

    /// The function, which is declared with the first call.
    fn declared(&mut self) -> Result<Function<'e>, LlvmError> {
        if let Some(function) = self.function {
            return Ok(function);
        }
        let function = self.editor.declare(MARKER, self.editor.void(), &[])?;
        for attribute in [
            Attribute::Convergent,
            Attribute::NoCallback,
            Attribute::NoFree,
            Attribute::NoUnwind,
            Attribute::WillReturn,
            Attribute::Memory(INACCESSIBLE_MEMORY),
        ] {
            function.add_attribute(attribute);
        }
        self.function = Some(function);
        Ok(function)
    }
}

/// Moves a phi's values of some predecessors to a phi in the block that comes between.
///
/// ```text
///   %x = phi i32 [ 1, %a ], [ 2, %b ], [ %y, %latch ]
/// ```
///
/// becomes, in the block between and here:
///
/// ```text
///   %j = phi i32 [ 1, %a ], [ 2, %b ]
///   %x = phi i32 [ %y, %latch ], [ %j, %join ]
/// ```
fn split_phi<'e>(
    editor: &Editor<'e>,
    phi: Inst<'e>,
    before: &HashSet<Block<'e>>,
    between: Block<'e>,
) -> Result<(), LlvmError> {
    let Some(first) = between.first() else { return Ok(()) };
    let (moved, mut kept): (Vec<_>, Vec<_>) = phi.incomings().partition(|(_, block)| before.contains(block));
    let joined = editor.before(first)?.phi(phi.ty(), &moved)?;
    // No value is taken from a phi.
    kept.push((joined.value(), between));
    let rest = editor.before(phi)?.phi(phi.ty(), &kept)?;
    let name = phi.name();
    phi.replace_all_uses(rest.value())?;
    editor.erase(phi)?;
    rest.value().set_name(&name);
    Ok(())
}

/// Where the branch at the end of a block gets its call: after the last call that may become blocks of its own, else where the block begins. In
/// front of a loop it is where the ways into the loop join, or those back: a call in the loop's first block would keep LLVM from
/// rotating it.
fn place_of<'e>(flow: &Flow<'e>, block: usize, tree: &DominatorTree) -> Place<'e> {
    let instructions = flow.blocks()[block].instructions();
    let calls = (0..instructions.len()).rev().filter(|at| instructions[*at].opcode().is_call());
    for at in calls {
        if may_be_inlined(instructions[at]) {
            // The call may be the terminator, whose ways have nothing to join.
            return instructions.get(at + 1).map_or(Place::Nowhere, |next| Place::Before(*next));
        }
        if is_convergent(instructions[at]) {
            return Place::Nowhere;
        }
    }
    let first = flow.blocks()[block].first_after_phis().map_or(Place::Nowhere, Place::Before);
    if block == 0 {
        // Kernels are not called by others.
        return match flow.blocks()[0].function().calling_convention() == CallingConvention::PtxKernel {
            true => Place::Nowhere,
            false => first,
        };
    }
    let (back, into): (Vec<usize>, Vec<usize>) =
        flow.predecessors_of(block).iter().copied().partition(|from| tree.dominates(block, *from));
    match (back.len(), into.len()) {
        (0, _) => first,
        (1, 1) => Place::Nowhere,
        (_, 1) => Place::Between(back),
        _ => Place::Between(into),
    }
}

#[cfg(test)]
mod tests;
