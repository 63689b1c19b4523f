//! Prints the basic blocks of each kernel with their instructions and successors.
//!
//!     cargo run --example walk_cfg -- kernel.ptx
#![allow(clippy::print_stdout, reason = "a program may print, unlike a library")]

use ptx_llvm::{Cfg, Stmt, parse_named};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: walk_cfg FILE")?;
    let module = parse_named(&*file, std::fs::read(&file)?)?;
    for kernel in module.kernels() {
        println!("{}", module.name(kernel.name));
        let Some(body) = &kernel.body else { continue };
        for (number, block) in Cfg::new(body).blocks.iter().enumerate() {
            let successors: Vec<u32> = block.successors.iter().map(|block| block.0).collect();
            println!("  block {number} -> {successors:?}");
            for stmt in &body.statements[block.statements.clone()] {
                if let Stmt::Inst(inst) = stmt {
                    println!("    {}{}", inst.guard.map_or("", |_| "guarded "), inst.mnemonic);
                }
            }
        }
    }
    Ok(())
}
