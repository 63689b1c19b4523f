//! Parts of a module as text.

use super::Printer;
use crate::body::{Body, Inst, RegDecl};
use crate::module::Module;

/// Prints an instruction of a function of the module, with its guard and without the semicolon, as [`print`](super::print) does but with a single
/// blank before the operands.
pub fn print_instruction(module: &Module, body: &Body, inst: &Inst) -> String {
    let mut printer = Printer::new(module);
    printer.instruction(body, inst);
    printer.out.trim().trim_end_matches(';').replacen(" \t", " ", 1)
}

/// Prints each operand of an instruction that is not omitted. The second of a pair of results (`p|q`) is an operand of its own.
pub fn print_operands(module: &Module, body: &Body, inst: &Inst) -> Vec<String> {
    let operands = body.operands(inst).iter().filter(|operand| !operand.is_omitted());
    operands
        .map(|operand| {
            let mut printer = Printer::new(module);
            printer.placed_operand(body, *operand, inst.zero_offsets);
            printer.out
        })
        .collect()
}

/// Prints the name in a declaration of registers, which for a range has the number of registers: `%r<8>`.
pub fn print_register_name(module: &Module, decl: &RegDecl) -> String {
    let mut printer = Printer::new(module);
    printer.declared_name(decl);
    printer.out
}
