//! What a launch says of itself, as assumptions for a kernel that is made for it.

use anyhow::{Context as _, Result};
use ptx_diag::SourceFile;
use ptx_driver::{Attempt, has_grown_too_much};
use ptx_exec::{Argument, Launch};
use ptx_ir::Module;
use ptx_llvm_core::{Context, Gpu};
use ptx_specialize::{Assumptions, Number, number_parameters, specialize};

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
    // Default: a kernel that there is not has no parameters.
    let types = number_parameters(module, Some(&launch.entry)).unwrap_or_default();
    for (index, (argument, ty)) in launch.arguments.iter().zip(types).enumerate() {
        if let (Argument::Bytes(bytes), Some(ty)) = (argument, ty) {
            found.arguments.extend(Number::from_bytes(bytes, ty).map(|number| (index, number)));
        }
    }
    found
}

/// What `ptx2ll -O3 --assume` makes of a module, with all that the launch says assumed: its LLVM IR, and the name of the new kernel.
///
/// # Errors
/// The findings of the stage that refuses it.
pub fn specialized(name: &str, ptx: &str, launch: &Launch) -> Result<(String, String)> {
    let source = SourceFile::new(name, ptx);
    let original = stage::read_and_verify(&source)?;
    let all = assumptions(&original, launch);
    let mut attempt = Attempt::new(&all);
    loop {
        let mut module = original.clone();
        let assumed = attempt.assumed();
        let made = specialize(&mut module, assumed).with_context(|| assumed.to_string())?;
        let context = Context::new()?;
        let mut llvm = stage::lower(&module, &source, &context, Level::O3)?;
        if attempt.unrolls() {
            ptx_opt::unroll_specialized(&mut llvm, &[&made.name], Gpu::default())?;
        }
        match attempt.next().filter(|_| has_grown_too_much(&llvm, &made)) {
            Some(next) => attempt = next,
            None => return Ok((llvm.to_text(), made.name)),
        }
    }
}
