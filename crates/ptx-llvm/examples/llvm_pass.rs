//! A pass of one's own on LLVM IR: the sum of a product becomes one operation, which rounds once.
//!
//!     cargo run --example llvm_pass -- kernel.ptx
#![allow(clippy::print_stdout, reason = "a program may print, unlike a library")]

use ptx_llvm::edit::{Editor, Opcode, edit};
use ptx_llvm::{Context, LlvmError, lower, parse_named, raise, run_passes, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: llvm_pass FILE")?;
    let (module, context) = (parse_named(&*file, std::fs::read(&file)?)?, Context::new()?);
    let mut llvm = lower(&verify(&module)?, &context)?;
    edit(&mut llvm, fuse)?;
    run_passes(&mut llvm, "function(dce)")?;
    print!("{}", raise(&mut llvm)?);
    Ok(())
}

fn fuse(editor: &Editor<'_>) -> Result<(), LlvmError> {
    for add in editor.functions().flat_map(|function| function.instructions()) {
        let Some([a, b]) = add.two_operands().filter(|_| add.opcode() == Opcode::FAdd) else { continue };
        let product = |value| ptx_llvm::edit::Value::as_op(value, Opcode::FMul)?.two_operands();
        let Some(([x, y], z)) = product(a).zip(Some(b)).or(product(b).zip(Some(a))) else { continue };
        editor.replace(add, editor.before(add)?.intrinsic("llvm.fma", &[add.ty()], &[x, y, z])?)?;
    }
    Ok(())
}
