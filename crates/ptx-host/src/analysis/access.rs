//! The rows that an instruction reads and writes.

use ptx_program::{Dst, Op, Operand, Slot, Src};

/// The rows that an instruction reads and writes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Access {
    /// The operands that it reads, without its guard.
    pub reads: Vec<Src>,
    /// The rows that it writes.
    pub writes: Vec<Dst>,
}

/// An instruction that is not compiled; kernels that contain one are left to the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The instruction.
    pub pc: u32,
    /// The reason.
    pub why: &'static str,
}

impl Access {
    /// The operands and rows of an operation, also of one that is not compiled. [`Graph::access`](super::Graph::access) has those of a
    /// kernel's instructions.
    pub fn of(op: &Op) -> Self {
        let mut access = Self::default();
        let of_rows = |slot: &Slot| match *slot {
            Slot::Rows { first, count, .. } => (0..count).map(|n| first.plus(n)).collect(),
            Slot::Memory { .. } | Slot::Open { .. } | Slot::Nothing => Vec::new(),
        };
        op.operands(&mut |operand| match operand {
            Operand::Read(&src) => access.reads.push(src),
            Operand::ReadPair(&src) => access.reads.extend([src, src.plus(1)]),
            Operand::Write(&dst) => access.writes.push(dst),
            Operand::Update(&dst) => {
                access.reads.push(Src::register(dst));
                access.writes.push(dst);
            }
            Operand::Frame(_) => {}
            Operand::Argument(slot) => access.reads.extend(of_rows(slot)),
            Operand::Result(slot) => {
                access.writes.extend(of_rows(slot).into_iter().filter_map(Src::as_register));
            }
        });
        access
    }
}
