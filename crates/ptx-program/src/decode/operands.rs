//! The register operands of instructions, for instrumented launches.

use std::sync::Arc;

use ptx_ir::{AddressBase, Body, Inst, Module, Operand, RegId, Stmt};
use ptx_isa::{Component, Role, ScalarType};

use super::reach::Reached;
use super::signature::{RegisterRows, rows_of};
use crate::program::Program;

/// A register, or an element of one, with its location.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its name in the module; that of an element of a vector has the element appended.
    pub name: Arc<str>,
    /// Its type.
    pub ty: ScalarType,
    /// The first of its rows.
    pub first: u32,
    /// Number of its rows, one or two.
    pub rows: u32,
}

/// A PTX instruction.
#[derive(Clone, Debug, Default)]
pub struct Operands {
    /// The first of the program instructions that it was decoded to.
    pub first: u32,
    /// The last of them.
    pub last: u32,
    /// The registers that it reads.
    pub reads: Vec<Named>,
    /// The registers that it writes.
    pub writes: Vec<Named>,
}

/// Maps each instruction of the program to its PTX instruction.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    /// For each instruction of the program the index in `instructions`; `None` for those that are not in the text.
    pub at: Vec<Option<u32>>,
    /// The instructions of the text.
    pub instructions: Vec<Operands>,
}

/// Collects the registers of all instructions of a decoded program.
pub fn registers(module: &Module, reached: &Reached, program: &Program) -> Registers {
    let mut found = Registers { at: vec![None; program.code.len()], instructions: Vec::new() };
    for (index, (&id, function)) in reached.functions.iter().zip(program.functions.iter()).enumerate() {
        let Some(body) = &module.function(id).body else { continue };
        let rows = RegisterRows::of(body);
        // Each body is followed by a return that is not in the text.
        let next = program.functions.get(index + 1).map_or(program.code.len() as u32, |next| next.start);
        let end = next.saturating_sub(1);
        let mut pc = function.start;
        for stmt in &body.statements {
            let Stmt::Inst(inst) = stmt else { continue };
            let first = pc;
            let is_of = |pc: u32| {
                let origin = program.origins.get(pc as usize);
                origin.is_some_and(|origin| {
                    (origin.span, origin.function, origin.mnemonic)
                        == (inst.at.0, index as u32, inst.mnemonic)
                })
            };
            while pc < end && is_of(pc) {
                pc += 1;
            }
            if pc == first {
                continue;
            }
            let collector = Collector { module, body, rows: &rows };
            let operands = Operands { first, last: pc - 1, ..collector.operands(inst) };
            let number = found.instructions.len() as u32;
            found.at[first as usize..pc as usize].fill(Some(number));
            found.instructions.push(operands);
        }
    }
    found
}

struct Collector<'a> {
    module: &'a Module,
    body: &'a Body,
    rows: &'a RegisterRows,
}

impl Collector<'_> {
    fn operands(&self, inst: &Inst) -> Operands {
        let mut found = Operands::default();
        if let Some(guard) = inst.guard {
            self.register(guard.register, None, &mut found.reads);
        }
        self.body.for_each_operand(inst, |operand, role| {
            let (register, component, role) = match operand {
                Operand::Register(register) | Operand::Selected(register, _) => (register, None, role),
                Operand::Element(register, component) => (register, Some(component), role),
                Operand::Not(register)
                | Operand::Negated(register, _)
                | Operand::Sum(register, _)
                | Operand::Address(AddressBase::Register(register), _) => (register, None, Role::Use),
                Operand::Address(AddressBase::Symbol(_) | AddressBase::Absolute, _)
                | Operand::Bracket(_)
                | Operand::Vector(_)
                | Operand::List(_)
                | Operand::Omitted
                | Operand::Sink
                | Operand::SpecialSum(..)
                | Operand::Special(..)
                | Operand::Immediate(_)
                | Operand::Symbol(..)
                | Operand::Label(_) => return,
            };
            if role.is_read() {
                self.register(register, component, &mut found.reads);
            }
            if role.is_written() {
                self.register(register, component, &mut found.writes);
            }
        });
        found
    }

    /// Appends a register, or each element of a vector.
    fn register(&self, register: RegId, element: Option<Component>, list: &mut Vec<Named>) {
        let first = self.rows.first(register);
        let decl = self.body.decl(register);
        let mut name = self.module.name(decl.name).to_owned();
        if decl.count.is_some()
            && let Some(number) = self.body.registers.get(register.index()).map(|register| register.number)
        {
            name.push_str(&number.to_string());
        }
        let (ty, lanes) = (decl.ty, decl.shape.lanes());
        let rows = rows_of(ty);
        for lane in 0..lanes {
            if element.is_some_and(|element| element.index() as u32 != lane) {
                continue;
            }
            let name: Arc<str> = match lanes {
                1 => name.as_str().into(),
                _ => format!("{name}.{}", ["x", "y", "z", "w"].get(lane as usize).unwrap_or(&"?")).into(),
            };
            list.push(Named { name, ty, first: first + lane * rows, rows });
        }
    }
}
