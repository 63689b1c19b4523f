//! `ptx-unroll`: four rounds at a time of loops that `ptxas` leaves rolled.
//!
//! `ptxas` unrolls loops whose counter grows by a constant, if their bodies are short. The loops of CUDA over the elements of a grid, a block or a warp grow by what is computed: every round compares, branches, and
//! computes its addresses anew, since an index of 32 bits may wrap before it is extended. Of four rounds that are certain to follow one comparison is needed, and the
//! addresses are multiples of the step apart, each a base and a product:
//!
//! ```text
//! loop:                                               entry:
//!   %i = phi i32 [ %tid, %0 ], [ %n, %loop ]            %three = mul i32 %ntid, 3
//!   %x = sext i32 %i to i64                             %last = sub i32 %limit, %three
//!   %y = add i64 %x, %row                               ..
//!   %p = getelementptr float, ptr %a, i64 %y            br i1 %enters, label %four, label %loop
//!   %v = load float, ptr %p                           four:
//!   ..                                         -->      %p = phi ptr [ %first, %entry ], [ %p.4, %four ]
//!   %n = add i32 %i, %ntid                              %v = load float, ptr %p
//!   %c = icmp slt i32 %n, %limit                        ..
//!   br i1 %c, label %loop, label %end                   %p.1 = getelementptr [4 x i8], ptr %p, i32 %ntid
//!                                                       %v.1 = load float, ptr %p.1
//!                                                       ..
//!                                                       %c = icmp slt i32 %n.4, %last
//!                                                       br i1 %c, label %four, label %between, !llvm.loop !0
//! ```
//!
//! The original loop executes the rounds that remain. In code that was not compiled before, and in kernels for known launches, loops by constants are unrolled, too: `ptxas` does not copy long
//! bodies, and computes each address of the copies of short ones. Both loops are marked, so that neither this pass, LLVM's nor `ptxas` unrolls them again.

use std::cell::LazyCell;
use std::collections::HashSet;

use ptx_graph::{DominatorTree, components};
use ptx_llvm_core::edit::{Editor, Flow, Function};
use ptx_llvm_core::view::CallingConvention;
use ptx_llvm_core::{LlvmError, marks};

use super::remove_barriers::Uniformity;
use crate::pass::{Pass, Run, When};
use copies::unroll;
use counted::{Counted, Step};

mod addresses;
mod copies;
mod counted;
mod guard;
mod seams;
#[cfg(test)]
mod tests;

pub(super) const PASS: Pass = Pass {
    name: "ptx-unroll",
    summary: "Unrolls loops whose counter grows by a step that is not a constant, four rounds at a time, which ptxas does not; in code that was not PTX also those by a constant.",
    when: When::LastAtLevels,
    run: Run::Function(run),
    parameters: &[],
};

/// How often the loops of a function are looked for, where one begins with what another one ends with.
const MOST_ROUNDS: usize = 4;

/// The pragma of loops that are not unrolled (manual 12).
const NO_UNROLLING: &str = "nounroll";

/// Which steps a loop may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Steps {
    /// Those that are no constants: code that was PTX, whose other loops a compiler has left as they are.
    Values,
    All,
}

fn run<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    let is_compiled = editor.has_metadata(marks::VERSION);
    unroll_loops(editor, function, if is_compiled { Steps::Values } else { Steps::All })
}

/// Unrolls loops of a kernel for a known launch, which made constants of its steps.
pub(crate) fn unroll_specialized<'e>(editor: &Editor<'e>, kernel: Function<'e>) -> Result<(), LlvmError> {
    unroll_loops(editor, kernel, Steps::All)
}

/// Whether a pragma of the module or of the function forbids unrolling (manual 12).
fn is_left_rolled(editor: &Editor<'_>, function: Function<'_>) -> bool {
    let mut of_function =
        [marks::PRAGMA, marks::PRAGMA_BODY].into_iter().filter_map(|name| function.text_attribute(name));
    of_function.any(|texts| texts.split(';').any(|text| text == NO_UNROLLING))
        || editor.metadata_strings(marks::PRAGMA).iter().any(|text| text == NO_UNROLLING.as_bytes())
}

fn unroll_loops<'e>(editor: &Editor<'e>, function: Function<'e>, steps: Steps) -> Result<(), LlvmError> {
    if is_left_rolled(editor, function) {
        return Ok(());
    }
    for _ in 0..MOST_ROUNDS {
        let flow = Flow::new(function);
        let tree = DominatorTree::new(&flow);
        let components = components(&flow);
        // Parameters of other functions may differ from thread to thread.
        let is_kernel = function.calling_convention() == CallingConvention::PtxKernel;
        let uniformity = LazyCell::new(|| is_kernel.then(|| Uniformity::new(&flow)));
        let is_together = |block: usize| uniformity.as_ref().is_some_and(|known| known.is_together(block));
        let found = |header: usize| {
            Counted::find(editor, &flow, &tree, &is_together, header)
                .filter(|counted| steps == Steps::All || matches!(counted.step, Step::Value(_)))
        };
        let loops: Vec<Counted<'e>> = (0..flow.blocks().len()).filter_map(found).collect();
        let (mut changed, mut is_done) = (HashSet::new(), true);
        for counted in loops {
            if counted.follows(&changed) {
                is_done = false;
                continue;
            }
            let component = flow.number(counted.header).and_then(|at| components[at]);
            let is_inside = component.is_some_and(|component| component.size > counted.blocks.len());
            if unroll(editor, &counted, is_inside)? {
                changed.extend(counted.blocks);
            }
        }
        if is_done {
            break;
        }
    }
    Ok(())
}
