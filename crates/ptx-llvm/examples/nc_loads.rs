//! Counts the loads of global memory and makes them go through the read-only cache, which is right where no thread writes there.
//!
//!     cargo run --example nc_loads -- kernel.ptx

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
            if inst.mnemonic.opcode() == Opcode::Ld && inst.mnemonic.space() == Some(StateSpace::Global) {
                if let Ok(nc) = inst.mnemonic.with_all(&[Mod::Nc]) {
                    (inst.mnemonic, count) = (nc, count + 1);
                }
            }
        }
    }
    verify(&module.reread()?)?;
    Ok(format!("// {count} loads are ld.global.nc now\n{}", print(&module)))
}
