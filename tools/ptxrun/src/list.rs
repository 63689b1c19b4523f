//! What can be launched: the kernels of a program (`--list`).

use ptx_ir::{FunctionKind, Module, Param, VarType, Variable};

/// A line for each kernel that has a body: `k(.u32 n, .u64 p)`, after the name of the file where there are several.
pub fn kernels(module: &Module, file: Option<&str>) -> String {
    let kernels = module
        .functions
        .iter()
        .filter(|function| function.kind == FunctionKind::Kernel && function.body.is_some());
    let line = |function: &ptx_ir::Function| {
        let params = function.params.iter().filter_map(|param| match param {
            Param::Variable(id) => Some(parameter(module, module.variable(*id))),
            Param::Register(..) => None,
        });
        let params: Vec<String> = params.collect();
        let file = file.map(|file| format!("{file}: ")).unwrap_or_default();
        format!("{file}{}({})\n", module.name(function.name), params.join(", "))
    };
    kernels.map(line).collect()
}

/// A parameter as PTX declares it, without the word that each of them begins with.
fn parameter(module: &Module, variable: &Variable) -> String {
    let ty = match variable.ty {
        VarType::Scalar(ty) => ty.as_str(),
        VarType::TexRef => "texref",
        VarType::SamplerRef => "samplerref",
        VarType::SurfRef => "surfref",
    };
    let align = variable.align.map(|align| format!(".align {align} ")).unwrap_or_default();
    let lengths: String = variable
        .dims
        .iter()
        .map(|length| format!("[{}]", length.map(|length| length.to_string()).unwrap_or_default()))
        .collect();
    format!("{align}.{ty} {}{lengths}", module.name(variable.name))
}
