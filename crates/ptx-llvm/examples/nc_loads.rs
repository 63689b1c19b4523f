//! Counts the loads of global memory and makes them go through the read-only cache, which is right where no thread writes there.
//!
//!     cargo run --example nc_loads -- kernel.ptx
#![allow(clippy::print_stdout, reason = "a program may print, unlike a library")]

use ptx_llvm::{Error, Mod, Opcode, StateSpace, parse, print, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: nc_loads FILE")?;
    println!("{}", with_nc_loads(&std::fs::read_to_string(file)?)?);
    Ok(())
}

fn with_nc_loads(text: &str) -> Result<String, Error> {
    let (mut module, mut count) = (parse(text)?, 0);
    for body in module.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
        for inst in body.instructions_mut() {
            let (is_load, space) = (inst.mnemonic.opcode() == Opcode::Ld, inst.mnemonic.space());
            let nc = inst.mnemonic.with_all(&[Mod::Nc]).ok();
            let Some(nc) = nc.filter(|_| is_load && space == Some(StateSpace::Global)) else { continue };
            (inst.mnemonic, count) = (nc, count + 1);
        }
    }
    verify(&module.reread()?)?;
    Ok(format!("// {count} loads are ld.global.nc now\n{}", print(&module)))
}
