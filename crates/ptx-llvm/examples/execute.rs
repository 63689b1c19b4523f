//! Runs a kernel on the host CPU.
//!
//!     cargo run --example execute
#![allow(clippy::print_stdout, reason = "a program may print, unlike a library")]

use ptx_llvm::{Shape, run};

fn main() -> Result<(), ptx_llvm::Error> {
    let program = include_str!("kernels/scale.ptx");
    let from = [1.0f32, 2.0, 3.0, 4.0, 5.0];
    let mut to = [0.0f32; 5];
    let arguments = [(&from).into(), (&mut to).into(), 0.5f32.into(), 5u32.into()];
    let report = run(program, "scale", Shape::linear(2, 32), arguments)?;
    println!("{to:?}, {} instructions of warps", report.warp_instructions);
    Ok(())
}
