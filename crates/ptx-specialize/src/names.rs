//! The names of kernels, and of what is made for them.

use ptx_ir::{FunctionId, FunctionKind, Module};

use crate::error::SpecializeError;

/// The suffix of the variable that has the text of a kernel's assumptions.
pub const ASSUMPTIONS: &str = "_assumptions";

/// The name of a kernel for launches as in the text of these assumptions.
pub(crate) fn name_of_copy(kernel: &str, text: &str) -> String {
    format!("{kernel}_{}", &blake3::hash(text.as_bytes()).to_hex()[..16])
}

/// The kernel with a name, or the only one.
pub(crate) fn entry(module: &Module, name: Option<&str>) -> Result<FunctionId, SpecializeError> {
    let kernels: Vec<_> = module
        .function_ids()
        .filter(|&id| {
            let function = module.function(id);
            function.kind == FunctionKind::Kernel && function.body.is_some()
        })
        .collect();
    let name_of = |id: FunctionId| module.name(module.function(id).name);
    match (name, kernels.as_slice()) {
        (Some(name), _) => {
            let found = kernels.iter().copied().find(|&id| name_of(id) == name);
            found.ok_or_else(|| SpecializeError::NoKernel(name.to_owned()))
        }
        (None, [only]) => Ok(*only),
        (None, []) => Err(SpecializeError::None),
        (None, _) => {
            Err(SpecializeError::Several(kernels.iter().map(|&id| name_of(id).to_owned()).collect()))
        }
    }
}
