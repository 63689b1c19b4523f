//! The operands of instructions that the interpreter's runtime executes for compiled code: a program in, such
//! instructions out.
//!
//! Their operands are rows in memory of the function, in the order of [`Op::operands`](ptx_program::Op): the
//! runtime has a copy of each instruction with these rows as its registers.

use ptx_program::{Effect, Op, Operand, Program, Src};

/// The use of an operand row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operands {
    /// It is read.
    Read(Src),
    /// It is written.
    Write(u32),
    /// Read and then written.
    Update(u32),
}

/// The instructions of a program executed by the runtime, in order.
#[derive(Debug, Default)]
pub struct Effects {
    all: Vec<(u32, Numbered)>,
}

/// An instruction whose registers are numbered in the order of its operands.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) effect: Effect,
    pub(super) rows: usize,
}

impl Effects {
    /// Collects the instructions of a program.
    pub fn of(program: &Program) -> Self {
        let mut all = Vec::new();
        for (pc, inst) in program.code.iter().enumerate() {
            if let Op::Effect(effect @ (Effect::Texturing(_) | Effect::Multimem(_))) = &inst.op {
                all.push((pc as u32, Numbered::new(effect)));
            }
        }
        Self { all }
    }

    /// The instruction at `pc`.
    pub(super) fn at(&self, pc: u32) -> Option<&Numbered> {
        let found = self.all.binary_search_by_key(&pc, |(at, _)| *at).ok()?;
        self.all.get(found).map(|(_, numbered)| numbered)
    }
}

/// The operands of an instruction, one for each row.
pub fn operands(effect: &Effect) -> Vec<Operands> {
    let mut rows = Vec::new();
    effect.operands(&mut |operand| match operand {
        Operand::Read(&src) => rows.push(Operands::Read(src)),
        Operand::ReadPair(&src) => rows.extend([src, src.plus(1)].map(Operands::Read)),
        Operand::Write(&dst) => rows.push(Operands::Write(dst)),
        Operand::Update(&dst) => rows.push(Operands::Update(dst)),
        Operand::Frame(_) | Operand::Argument(_) | Operand::Result(_) => {}
    });
    rows
}

impl Numbered {
    fn new(effect: &Effect) -> Self {
        let mut effect = effect.clone();
        let mut rows = 0;
        effect.operands_mut(&mut |operand| match operand {
            Operand::Read(src) => {
                *src = Src::register(rows);
                rows += 1;
            }
            Operand::ReadPair(src) => {
                *src = Src::register(rows);
                rows += 2;
            }
            Operand::Write(dst) | Operand::Update(dst) => {
                *dst = rows;
                rows += 1;
            }
            Operand::Frame(_) | Operand::Argument(_) | Operand::Result(_) => {}
        });
        Self { effect, rows: rows as usize }
    }
}
