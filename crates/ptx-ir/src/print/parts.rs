//! Parts of a module as text.

use super::Printer;
use crate::body::{Body, Inst, RegDecl, Stmt};
use crate::module::{Function, Module, Variable};

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

/// Prints a statement of a function of the module as [`print`](super::print) does, without blanks around it.
pub fn print_statement(module: &Module, body: &Body, statement: &Stmt) -> String {
    let mut printer = Printer::new(module);
    printer.statement(body, statement);
    printer.out.trim().to_owned()
}

/// Prints what a function has before its body: linkage, kind, results, name, parameters and directives.
pub fn print_signature(module: &Module, function: &Function) -> String {
    let mut printer = Printer::new(module);
    printer.signature(function);
    printer.out
}

/// Prints the declaration of a variable, without the semicolon.
pub fn print_variable(module: &Module, variable: &Variable) -> String {
    let mut printer = Printer::new(module);
    printer.variable(variable);
    printer.out
}
