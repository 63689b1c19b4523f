//! What a launch says of itself, as assumptions for a kernel that is made for it.

use anyhow::{Context as _, Result};
use ptx_diag::SourceFile;
use ptx_driver::{has_grown_too_much, with_fewer_arguments};
use ptx_exec::{Argument, Launch};
use ptx_ir::{FunctionKind, Module, Param};
use ptx_isa::{ScalarType, TypeKind};
use ptx_llvm::{Context, Gpu};
use ptx_specialize::{Assumptions, Number, specialize};

use crate::directive::Level;
use crate::stage;

/// The shape of a launch, and its arguments that are numbers.
pub fn assumptions(module: &Module, launch: &Launch) -> Assumptions {
    let mut found = Assumptions {
        entry: Some(launch.entry.clone()),
        block: Some(launch.block),
        grid: Some(launch.grid),
        ..Assumptions::default()
    };
    let kernel = module
        .functions
        .iter()
        .find(|function| function.kind == FunctionKind::Kernel && module.name(function.name) == launch.entry);
    let params = kernel.map(|kernel| kernel.params.as_slice()).unwrap_or_default();
    for (index, (argument, param)) in launch.arguments.iter().zip(params).enumerate() {
        let (Argument::Bytes(bytes), Param::Variable(id)) = (argument, param) else { continue };
        let variable = module.variable(*id);
        let is_number = variable.dims.is_empty() && variable.pointer.is_none();
        if let Some(ty) = variable.scalar_type().filter(|_| is_number) {
            found.arguments.extend(number(bytes, ty).map(|number| (index, number)));
        }
    }
    found
}

/// The number that the bytes of an argument are.
fn number(argument: &[u8], ty: ScalarType) -> Option<Number> {
    let mut bytes = [0; 8];
    bytes.get_mut(..argument.len())?.copy_from_slice(argument);
    let bits = u64::from_le_bytes(bytes);
    Some(match ty {
        ScalarType::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
        ScalarType::F64 => Number::Float(f64::from_bits(bits)),
        _ if ty.kind() == TypeKind::Signed => {
            let unused = 64 - ty.bits();
            Number::Integer(i128::from((bits << unused).cast_signed() >> unused))
        }
        _ => Number::Integer(bits.into()),
    })
}

/// What `ptx2ll -O3 --assume` makes of a module, with all that the launch says assumed: its LLVM IR, and the name of the new kernel.
///
/// # Errors
/// The findings of the stage that refuses it.
pub fn specialized(name: &str, ptx: &str, launch: &Launch) -> Result<(String, String)> {
    let source = SourceFile::new(name, ptx);
    let original = stage::read_and_verify(&source)?;
    let all = assumptions(&original, launch);
    let (mut assumed, mut left_out) = (all.clone(), None);
    loop {
        let mut module = original.clone();
        let made = specialize(&mut module, &assumed).with_context(|| assumed.to_string())?;
        let context = Context::new()?;
        let mut llvm = stage::lower(&module, &source, &context, Level::O3)?;
        ptx_opt::unroll_specialized(&mut llvm, &[&made.name], Gpu::default())?;
        match with_fewer_arguments(&all, left_out).filter(|_| has_grown_too_much(&llvm, &made)) {
            Some((fewer, tried)) => (assumed, left_out) = (fewer, Some(tried)),
            None => return Ok((llvm.to_text(), made.name)),
        }
    }
}
