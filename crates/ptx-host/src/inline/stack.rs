//! Memory that a thread allocates on its stack: `stacksave`, `stackrestore`, `alloca` (manual 9.7.17).
//!
//! As in the interpreter, it begins where the kernel's local memory ends, and grows upward. A row has its end:
//!
//! ```text
//! alloca.u64 %rd1, %rd2, 32;      %start = %top + 31 & -32; %end = %start + %rd2
//!                                 @%rd2 > limit or %end > limit: trap
//!                                 %top = %end; %rd1 = %start
//! stackrestore.u64 %rd3;          @%rd3 < bottom or %rd3 > %top: brx.idx %rd3, { }
//!                                 %top = %rd3
//! ```
//!
//! Only kernels without calls of functions have such code: otherwise the memory of a callee would begin at a different place in each call.

use ptx_exec::program::{Alu, Binary, Callee, Effect, Guard, Inst, Op, Packing, Program, Src, Stack, Unary};
use ptx_exec::scalar::compare::Relation;
use ptx_exec::scalar::int::{Int, Saturation};

use super::copier::{Copier, STACK, body};
use crate::analysis::Refusal;

/// Why a kernel is refused that allocates memory on its stack.
pub const CALLS: &str = "memory allocated on the stack is not compiled in kernels that call functions";

/// Whether an instruction operates on the stack.
pub(super) fn is_stack(inst: &Inst) -> bool {
    matches!(inst.op, Op::Effect(Effect::Stack(_)))
}

/// Whether a kernel allocates memory on its stack, and calls no function of its module.
pub(super) fn allocates(program: &Program) -> bool {
    let entry = program.kernel();
    let all = || body(program, entry).filter_map(|pc| program.code.get(pc as usize));
    let calls = |inst: &Inst| match &inst.op {
        Op::Effect(Effect::Call(call)) => !matches!(call.callee, Callee::Builtin(_)),
        _ => false,
    };
    all().any(is_stack) && !all().any(calls)
}

impl Copier<'_> {
    /// Records that the kernel has allocated nothing when it begins.
    pub(super) fn begin_stack(&mut self, pc: u32, local: u32) {
        let top = self.temporary();
        self.number(pc, top, local.into());
        self.top = Some((top, local));
    }

    /// A stack instruction of the kernel itself.
    ///
    /// # Errors
    /// The kernel calls functions.
    pub(super) fn stack(&mut self, pc: u32, stack: Stack) -> Result<(), Refusal> {
        let Some((top, bottom)) = self.top else { return Err(Refusal { pc, why: CALLS }) };
        match stack {
            Stack::Save { d } => self.set(pc, d, Src::register(top)),
            Stack::Restore { a } => {
                let (least, value) = (self.temporary(), self.temporary());
                self.set(pc, value, a);
                self.number(pc, least, bottom.into());
                for (relation, with) in [(Relation::Less, least), (Relation::Greater, top)] {
                    let row = self.compare(pc, relation, Int::U64, [value, with]);
                    // An indexed branch without targets reports the address.
                    let stop = Effect::BranchIndexed { index: Src::register(value), targets: [].into() };
                    self.emit(pc, Some(Guard { row, negated: false }), stop);
                }
                self.set(pc, top, Src::register(value));
            }
            Stack::Allocate { d, size, align } => {
                let [start, end, bytes, most] = std::array::from_fn(|_| self.temporary());
                self.set(pc, bytes, size);
                self.add(pc, start, Src::register(top), align.wrapping_sub(1), u32::MAX.into());
                let op = Unary::Field { shift: 0, mask: u64::from(u32::MAX) & !align.wrapping_sub(1) };
                let a = Src::register(start);
                self.emit(pc, None, Alu::Unary { op, packing: Packing::Whole, d: start, a });
                let op = Binary::IntAdd(Int::U64, Saturation::Wrap);
                let [a, b] = [start, bytes].map(Src::register);
                self.emit(pc, None, Alu::Binary { op, packing: Packing::Whole, d: end, a, b });
                self.number(pc, most, STACK.into());
                for beyond in [bytes, end] {
                    let row = self.compare(pc, Relation::Greater, Int::U64, [beyond, most]);
                    self.emit(pc, Some(Guard { row, negated: false }), Effect::Trap);
                }
                self.set(pc, top, Src::register(end));
                self.set(pc, d, Src::register(start));
            }
        }
        Ok(())
    }

    fn set(&mut self, pc: u32, d: u32, a: Src) {
        self.emit(pc, None, Effect::Copy([(d, a)].into()));
    }
}
