//! Lists the kernels of a program (`--list`).

use ptx_demangle::demangled;
use ptx_diag::Diagnostics;
use ptx_ir::{Module, Param, Variable};
use serde_json::{Value, json};

use crate::kernel;
use crate::parameters::{Required, type_name};

/// A line for each kernel that has a body: `k(.u32 n, .u64 p)`, after the name of the file if there are several. The name in the source follows as a comment if it is
/// another: `_Z1ki(.u32 n) // k(int)`.
pub fn kernels(module: &Module, file: Option<&str>) -> String {
    let line = |function: &ptx_ir::Function| {
        let params = function.params.iter().filter_map(|param| match param {
            Param::Variable(id) => Some(parameter(module, module.variable(*id))),
            Param::Register(..) => None,
        });
        let params: Vec<String> = params.collect();
        let name = module.name(function.name);
        let kernel = match demangled(name) {
            Some(source) => format!("{name}({}) // {source}\n", params.join(", ")),
            None => format!("{name}({})\n", params.join(", ")),
        };
        match file {
            Some(file) => format!("{file}: {kernel}"),
            None => kernel,
        }
    };
    kernel::kernels(module).map(line).collect()
}

/// A parameter as in its PTX declaration, without the leading `.param`.
fn parameter(module: &Module, variable: &Variable) -> String {
    let ty = type_name(variable.ty);
    let mut text = match variable.align {
        Some(align) => format!(".align {align} .{ty} "),
        None => format!(".{ty} "),
    };
    text += module.name(variable.name);
    for length in &variable.dims {
        text += &match length {
            Some(length) => format!("[{length}]"),
            None => "[]".to_owned(),
        };
    }
    text
}

/// An object on a line for each kernel that has a body.
///
/// # Errors
/// Parameters that cannot be passed.
pub fn objects(module: &Module, file: &str) -> Result<String, Diagnostics> {
    let object = |function: &ptx_ir::Function| {
        let kernel = Required::of(module, function)?;
        let parameters = kernel.parameters.iter().map(|parameter| {
            json!({
                "name": parameter.name,
                "type": type_name(parameter.variable.ty),
                "dims": parameter.variable.dims,
                "bytes": parameter.bytes,
                "align": parameter.variable.alignment(),
                "offset": parameter.offset,
                "pointer": parameter.is_pointer,
            })
        });
        let object = json!({
            "kind": "kernel",
            "file": file,
            "name": kernel.name,
            "demangled": demangled(kernel.name),
            "parameters": parameters.collect::<Vec<Value>>(),
            "reqntid": kernel.block,
            "maxntid": kernel.largest_block,
            "reqnctapercluster": kernel.cluster,
            "shared_bytes": kernel.shared_bytes,
            "dynamic_shared": kernel.has_dynamic_shared,
        });
        Ok(format!("{object}\n"))
    };
    kernel::kernels(module).map(object).collect()
}
