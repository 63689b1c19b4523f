//! A launch file for a kernel, to be filled in (`--template`).

use std::fmt::Write as _;

use ptx_ir::{Module, Reference, VarType};
use ptx_isa::StateSpace;
use serde_json::json;

use crate::parameters::{Parameter, Required, value_type};

/// Bytes of the buffers of a template: enough for 16 bytes of each thread of the largest block.
const BUFFER_BYTES: u32 = 16 << 10;
/// Bytes of dynamic shared memory in a template, if the kernel uses it: likewise.
const SHARED_BYTES: u32 = 16 << 10;

/// A block of a whole warp, which matrix and warp instructions need.
const ONE_WARP: [u32; 3] = [32, 1, 1];
/// A grid of one block.
const ONE_BLOCK: [u32; 3] = [1; 3];

/// The launch file of a kernel: one block of the size that it requires, numbers that are zero, and zeroed buffers for pointers.
pub fn template(module: &Module, kernel: &Required<'_>) -> String {
    // Default: the kernel takes blocks of any size.
    let block = kernel.block.or(kernel.largest_block).unwrap_or(ONE_WARP);
    // Default: blocks need no others.
    let grid = kernel.cluster.unwrap_or(ONE_BLOCK);
    let mut text = format!("{{\n  \"entry\": {},\n", json!(kernel.name));
    let _ = writeln!(text, "  \"grid\": {},", extents(grid));
    let _ = writeln!(text, "  \"block\": {},", extents(block));
    if kernel.has_dynamic_shared {
        let _ = writeln!(text, "  \"shared\": {SHARED_BYTES},");
    }
    let references: Vec<String> = references(module).iter().map(|text| json!(text).to_string()).collect();
    if !references.is_empty() {
        let _ = writeln!(text, "  \"references\": [{}],", references.join(", "));
    }
    let items = kernel.parameters.iter().map(|parameter| {
        format!("\n    {{ \"name\": {}, \"value\": {} }}", json!(parameter.name), value(parameter))
    });
    let items: Vec<String> = items.collect();
    let after = if items.is_empty() { "" } else { "\n  " };
    let _ = write!(text, "  \"args\": [{}{after}]\n}}\n", items.join(","));
    text
}

/// Extents without those that are 1 at their end.
fn extents(dims: [u32; 3]) -> String {
    let [x, y, z] = dims.map(|dim| dim.to_string());
    let dims = match dims {
        [_, 1, 1] => vec![x],
        [_, _, 1] => vec![x, y],
        [_, _, _] => vec![x, y, z],
    };
    format!("[{}]", dims.join(", "))
}

const TEXTURE: &str = "texture=zero=4,type=f32,dims=1";
const SURFACE: &str = "surface=zero=4,type=f32,dims=1";
const SAMPLER: &str = "sampler=";

/// The value of a parameter.
fn value(parameter: &Parameter<'_>) -> String {
    let variable = parameter.variable;
    match (variable.ty, variable.pointer.and_then(|pointer| pointer.reference)) {
        (VarType::TexRef, _) | (_, Some(Reference::Texture)) => json!(TEXTURE).to_string(),
        (VarType::SurfRef, _) | (_, Some(Reference::Surface)) => json!(SURFACE).to_string(),
        (VarType::SamplerRef, _) | (_, Some(Reference::Sampler)) => json!(SAMPLER).to_string(),
        (VarType::Scalar(_), None) if parameter.is_pointer => format!("\"zero={BUFFER_BYTES}\""),
        (VarType::Scalar(ty), None) => match value_type(ty).filter(|_| variable.dims.is_empty()) {
            Some(ty) => format!("\"{}=0\"", ty.name()),
            None => format!("{{ \"bytes\": {} }}", parameter.bytes),
        },
    }
}

/// The textures, samplers and surfaces that are variables of a module.
fn references(module: &Module) -> Vec<String> {
    let variables = module.variables.iter().filter(|variable| variable.space == StateSpace::Global);
    let reference = |variable: &ptx_ir::Variable| {
        let what = match variable.ty {
            VarType::TexRef => TEXTURE,
            VarType::SurfRef => SURFACE,
            VarType::SamplerRef => SAMPLER,
            VarType::Scalar(_) => return None,
        };
        Some(format!("{}={what}", module.name(variable.name)))
    };
    variables.filter_map(reference).collect()
}
