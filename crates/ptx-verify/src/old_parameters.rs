//! Parameters of kernels before PTX ISA 1.4, which are declared in bodies (manual 7.1: lists of parameters are newer): those of `.param` in the order of
//! the text, in inner blocks too, as `ptxas` numbers them.

use ptx_ir::{Body, Function, FunctionKind, Module, Param, Stmt, VarId};
use ptx_isa::{PtxVersion, StateSpace};

/// The first version with lists of parameters.
const FIRST_WITH_LISTS: PtxVersion = PtxVersion::new(1, 4);

/// The parameters of a function that its body declares.
pub(crate) fn of<'m>(module: &'m Module, function: &'m Function) -> impl Iterator<Item = VarId> + 'm {
    let is_old = module.version().is_some_and(|version| version < FIRST_WITH_LISTS);
    let body = function.body.as_ref().filter(|_| is_old && function.kind == FunctionKind::Kernel);
    body.into_iter().flat_map(|body| declared(module, body))
}

fn declared<'m>(module: &'m Module, body: &'m Body) -> impl Iterator<Item = VarId> + 'm {
    body.statements.iter().filter_map(|statement| match statement {
        Stmt::Variable(id) if module.variable(*id).space == StateSpace::Param => Some(*id),
        _ => None,
    })
}

/// Whether a module has such parameters.
pub(crate) fn is_needed(module: &Module) -> bool {
    module.functions.iter().any(|function| of(module, function).next().is_some())
}

/// Puts them into lists.
pub(crate) fn list(module: &mut Module) {
    for id in module.function_ids() {
        let found: Vec<VarId> = of(module, module.function(id)).collect();
        let Some(function) = module.functions.get_mut(id.0 as usize) else { continue };
        if let Some(body) = function.body.as_mut().filter(|_| !found.is_empty()) {
            body.statements
                .retain(|statement| !matches!(statement, Stmt::Variable(id) if found.contains(id)));
            function.params.extend(found.into_iter().map(Param::Variable));
        }
    }
}
