//! LLVM IR that PTX can express: what LLVM's own passes express by other operations.
//!
//! In: a module as it was given, which is not changed. Out: a copy without what PTX has not, where the module has such; what remains is LLVM
//! IR that means the same, so that it can be tested by executing it anywhere.
//!
//! | what | by |
//! |---|---|
//! | vectors with a length, matrices, memory set to a pattern | [`ptx_llvm::express_intrinsics`] |
//! | division and remainder of integers over 64 bits but by powers of two | [`ptx_llvm::expand_wide_divisions`] |

use ptx_llvm::view::{BinaryOp, Op, Type, TypeId, View};
use ptx_llvm::{Branches, Gpu, LlvmError, Machine, Module, OptLevel, marks};

use crate::target::RaiseOptions;

/// The widest integers that PTX divides.
const WIDEST_DIVISION: u32 = 64;

/// The module without what PTX has not; `None` where there is nothing of that. `view` is the module's.
pub(crate) fn legalize<'c>(
    module: &Module<'c>,
    view: &View,
    options: &RaiseOptions,
) -> Result<Option<Module<'c>>, LlvmError> {
    let (intrinsics, divisions) = (ptx_llvm::has_expressed_intrinsics(module), has_wide_divisions(view));
    // What passes make of a matrix or a vector with a length may be a wide division too.
    if !intrinsics && !divisions {
        return Ok(None);
    }
    let copy = module.copy();
    let machine = machine_for(module, options)?;
    if intrinsics {
        ptx_llvm::express_intrinsics(&copy, &machine)?;
    }
    ptx_llvm::expand_wide_divisions(&copy, &machine)?;
    // Loops of the passes end as the others do (`ptx_driver::raise`).
    if !copy.has_metadata(marks::VERSION) {
        ptx_llvm::point_branches(&copy, Branches::Back);
    }
    Ok(Some(copy))
}

/// LLVM's target for what the caller or the module asks for: passes want one.
fn machine_for(module: &Module<'_>, options: &RaiseOptions) -> Result<Machine, LlvmError> {
    let version = options.version.map(|version| u32::from(version.major) * 10 + u32::from(version.minor));
    let asked = Gpu { cpu: options.target.map(|sm| sm.to_string()), ptx_version: version, ..Gpu::default() };
    Machine::new(&asked.or(Gpu::of_module(module)).for_pipelines(), OptLevel::O0)
}

fn has_wide_divisions(view: &View) -> bool {
    let is_division =
        |op: BinaryOp| matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
    let mut insts = view.functions.iter().flat_map(|function| &function.insts);
    insts.any(|inst| matches!(inst.op, Op::Binary { op, .. } if is_division(op)) && is_wide(view, inst.ty))
}

/// Whether a type is an integer that PTX cannot divide, or a vector of such.
fn is_wide(view: &View, ty: TypeId) -> bool {
    match view.ty(ty) {
        Type::Int { bits } => *bits > WIDEST_DIVISION,
        Type::Vector { element, .. } => {
            matches!(view.ty(*element), Type::Int { bits } if *bits > WIDEST_DIVISION)
        }
        _ => false,
    }
}
