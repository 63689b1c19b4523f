//! Lists the kernels of a program (`--list`).

use ptx_cli::demangled;
use ptx_ir::{Module, Param, VarType, Variable};

use crate::kernel;

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
    let ty = match variable.ty {
        VarType::Scalar(ty) => ty.as_str(),
        VarType::TexRef => "texref",
        VarType::SamplerRef => "samplerref",
        VarType::SurfRef => "surfref",
    };
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
