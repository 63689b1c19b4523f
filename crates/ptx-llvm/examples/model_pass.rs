//! A pass of one's own on PTX itself: products with powers of two become shifts.
//!
//!     cargo run --example model_pass -- kernel.ptx
#![allow(clippy::print_stdout, reason = "a program may print, unlike a library")]

use ptx_llvm::{Body, Operand, Stmt, parse_named, ptx, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: model_pass FILE")?;
    let mut module = parse_named(&*file, std::fs::read(&file)?)?;
    module.functions.iter_mut().filter_map(|function| function.body.as_mut()).for_each(shift);
    verify(&module.reread()?)?;
    print!("{module}");
    Ok(())
}

fn shift(body: &mut Body) {
    for at in 0..body.statements.len() {
        let Stmt::Inst(inst) = body.statements[at].clone() else { continue };
        let &[to, from, Operand::Immediate(factor)] = body.operands(&inst) else { continue };
        let Some(factor) = factor.as_integer().filter(|factor| factor.is_power_of_two()) else { continue };
        if inst.mnemonic == ptx!("mul.lo.u32") || inst.mnemonic == ptx!("mul.lo.s32") {
            let by = Operand::integer(factor.trailing_zeros().into());
            let shift = body.new_inst(inst.guard, ptx!("shl.b32"), &[to, from, by]);
            body.statements[at] = Stmt::Inst(shift.expect("`shl` has three operands"));
        }
    }
}
