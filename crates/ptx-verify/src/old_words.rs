//! Directives of old versions that later ones have under other names.

use ptx_ir::{FunctionDirective, Module, VarType};
use ptx_isa::StateSpace;

/// Whether a module has one of them.
pub(crate) fn is_needed(module: &Module) -> bool {
    let is_old = |directive: &FunctionDirective| matches!(directive, FunctionDirective::MaxNCtaPerSm(_));
    module.variables.iter().any(|variable| variable.space == StateSpace::Tex)
        || module
            .functions
            .iter()
            .flat_map(|function| &function.directives)
            .any(|(directive, _)| is_old(directive))
}

/// Writes `.global .texref` for `.tex .u32` (manual 5.1.8) and `.minnctapersm` for `.maxnctapersm` (manual 11.4.5).
pub(crate) fn replace(module: &mut Module) {
    for variable in &mut module.variables {
        if variable.space == StateSpace::Tex {
            (variable.space, variable.ty, variable.align) = (StateSpace::Global, VarType::TexRef, None);
        }
    }
    for (directive, _) in module.functions.iter_mut().flat_map(|function| &mut function.directives) {
        if let FunctionDirective::MaxNCtaPerSm(count) = *directive {
            *directive = FunctionDirective::MinNCtaPerSm(count);
        }
    }
}
