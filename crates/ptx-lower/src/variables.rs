//! Which variables of a module are in module scope (manual 5.4).

use ptx_ir::{Item, Linkage, Module, Stmt, VarId, Variable};
use ptx_isa::StateSpace;
use ptx_llvm_core::address_space;

use crate::represent::llvm_space;

/// The module variables in the order of the text, with the function whose body declares them.
pub(crate) fn module_variables(module: &Module) -> Vec<(VarId, Option<ptx_ir::StrId>)> {
    let mut found = Vec::new();
    for item in &module.items {
        match item {
            Item::Variable(var) => found.push((*var, None)),
            Item::Function(id) => {
                let function = module.function(*id);
                let Some(body) = &function.body else { continue };
                for statement in &body.statements {
                    if let Stmt::Variable(var) = statement {
                        let space = module.variable(*var).space;
                        let own = matches!(space, StateSpace::Global | StateSpace::Const)
                            || llvm_space(Some(space)) == Some(address_space::SHARED);
                        if own {
                            found.push((*var, Some(function.name)));
                        }
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a variable is the shared memory whose size the launch gives (manual 5.1.8): a declaration of an array without a
/// length.
pub(crate) fn is_dynamic_shared(variable: &Variable) -> bool {
    variable.linkage == Linkage::Extern
        && llvm_space(Some(variable.space)) == Some(address_space::SHARED)
        && variable.dims.first() == Some(&None)
}
