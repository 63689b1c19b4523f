//! Kernels that load the addresses of variables from their constant memory instead of using constants.

use std::collections::BTreeMap;

use ptx_program::memory::Space;
use ptx_program::{
    Address, AddressWidth, Base, Constants, Effect, Functions, Guard, Inst, Load, Op, Operand, Program, Slot,
    Src, WARP,
};

use crate::analysis::Refusal;

/// A program whose kernel begins with loads of the given constants from their offsets in constant memory, and the number of
/// these instructions. The kernel must not call functions of its module.
pub(super) fn relocate(program: &Program, constants: &BTreeMap<u32, u32>) -> Result<(Program, u32), Refusal> {
    let mut program = program.clone();
    let shift = constants.len() as u32;
    if shift == 0 {
        return Ok((program, 0));
    }
    let entry = program.functions.kernel_mut();
    let (start, first) = (entry.start, entry.rows);
    entry.rows += shift;
    let mut table = program.constants.rows().to_vec();
    let zero = Src::constant(table.len() as u32);
    table.push([0; WARP]);
    let rows: BTreeMap<u32, u32> =
        constants.keys().zip(first..).map(|(&constant, row)| (constant, row)).collect();
    let load = |(&place, row): (&u32, u32)| Inst {
        guard: None,
        op: Op::Effect(Effect::Load(Box::new(Load::plain(
            Address {
                space: Space::Const,
                base: Base::Row(zero, AddressWidth::Bits64),
                offset: place.into(),
            },
            row,
            8,
        )))),
    };
    let loads: Vec<Inst> = constants.values().zip(first..).map(load).collect();
    for (pc, inst) in program.code.iter_mut().enumerate() {
        let mut op = inst.op.clone();
        let mut is_wide = false;
        let read = |src: &mut Src| {
            if let Some(&row) = src.as_constant().and_then(|constant| rows.get(&constant)) {
                *src = Src::register(row);
            }
        };
        op.operands_mut(&mut |operand| match operand {
            Operand::Read(src) => read(src),
            Operand::ReadPair(src) => {
                let constants = [*src, src.plus(1)].map(Src::as_constant);
                is_wide |= constants.iter().flatten().any(|constant| rows.contains_key(constant));
            }
            Operand::Argument(Slot::Rows { first, count: 1, .. }) => read(first),
            Operand::Argument(Slot::Rows { first, .. }) => {
                is_wide |= first.as_constant().is_some_and(|constant| rows.contains_key(&constant));
            }
            Operand::Write(_)
            | Operand::Update(_)
            | Operand::Frame(_)
            | Operand::Argument(_)
            | Operand::Result(_) => {}
        });
        if is_wide {
            let why = "an address of a global variable as half of 128 bits is not compiled ahead of time";
            return Err(Refusal { pc: pc as u32, why });
        }
        let moved = |target: &mut u32| *target += if *target >= start { shift } else { 0 };
        match &mut op {
            Op::Effect(Effect::Branch { target }) => moved(target),
            Op::Effect(Effect::BranchIndexed { targets, .. }) => targets.iter_mut().for_each(moved),
            Op::Alu(_) | Op::Effect(_) => {}
        }
        let guard: Option<Guard> = inst.guard;
        *inst = Inst { guard, op };
    }
    let at = start as usize;
    let origins = program.origins.get(at).cloned();
    program.code.splice(at..at, loads);
    program.origins.splice(at..at, std::iter::repeat_n(origins, shift as usize).flatten());
    for (number, function) in program.functions.iter_mut().enumerate() {
        if function.start >= start && number as u32 != Functions::KERNEL {
            function.start += shift;
        }
    }
    program.constants = Constants::new(table, Vec::new(), Vec::new());
    Ok((program, shift))
}
