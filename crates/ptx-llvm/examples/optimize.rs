//! Optimizes PTX with LLVM.
//!
//!     cargo run --example optimize -- kernel.ptx
#![allow(clippy::print_stdout, reason = "a program may print, unlike a library")]

use ptx_llvm::{Context, OptLevel, lower, optimize, parse_named, raise, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: optimize FILE")?;
    let module = parse_named(&*file, std::fs::read(&file)?)?;
    let context = Context::new()?;
    let mut llvm = lower(&verify(&module)?, &context)?;
    optimize(&mut llvm, OptLevel::O2)?;
    print!("{}", raise(&mut llvm)?);
    Ok(())
}
