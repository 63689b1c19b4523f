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
//! The local memory of a function that is called begins after what its callers have allocated, at an address that a row has, too. Functions with one shared copy
//! (`calls.rs`) are not compiled in such kernels.

use ptx_program::scalar::compare::Relation;
use ptx_program::scalar::int::{Int, Saturation};
use ptx_program::{
    Alu, Binary, Callee, Effect, FRAME_ALIGNMENT, Functions, Guard, Inst, Op, Packing, Program, Src, Stack,
    Unary,
};

use super::copier::{Bodies, Bottom, Copier, InlinedFrame, STACK, Top};
use crate::analysis::Refusal;

/// Why a kernel is refused that allocates memory on its stack.
pub const CALLS: &str =
    "memory allocated on the stack is not compiled in kernels with recursive calls, or through addresses";

/// Whether an instruction operates on the stack.
pub(super) fn is_stack(inst: &Inst) -> bool {
    matches!(inst.op, Op::Effect(Effect::Stack(_)))
}

/// The first instruction of a kernel or of functions that it may call which operates on the stack.
///
/// # Errors
/// A call of a function that does not exist.
pub(super) fn allocates(program: &Program) -> Result<Option<u32>, Refusal> {
    let bodies = Bodies::new(program);
    let mut seen = vec![false; program.functions.iter().count()];
    let mut work = vec![Functions::KERNEL];
    let mut first: Option<u32> = None;
    while let Some(number) = work.pop() {
        let place = program.kernel().start;
        let missing = Refusal { pc: place, why: "the program has no such function" };
        let function = program.functions.get(number as usize).ok_or(missing)?;
        if std::mem::replace(seen.get_mut(number as usize).ok_or(missing)?, true) {
            continue;
        }
        for pc in bodies.of(function) {
            let Some(inst) = program.code.get(pc as usize) else { continue };
            if is_stack(inst) {
                first = Some(first.map_or(pc, |first| first.min(pc)));
            }
            let Op::Effect(Effect::Call(call)) = &inst.op else { continue };
            match call.callee {
                Callee::Function(number) => work.push(number),
                // Any function may be at the address.
                Callee::Address(_) => work.extend(1..seen.len() as u32),
                Callee::Builtin(_) => {}
            }
        }
    }
    Ok(first)
}

impl Copier<'_> {
    /// Records that the kernel has allocated nothing when it begins.
    pub(super) fn begin_stack(&mut self, pc: u32, local: u32) {
        let row = self.temporary();
        self.number(pc, row, local.into());
        self.top = Some(Top { row, bottom: Bottom::At(local) });
    }

    /// Places the local memory of a function that is called, of so many bytes, after what its callers have allocated.
    pub(super) fn enter_above(&mut self, pc: u32, local: u32) {
        let Some(Top { row: outer, .. }) = self.top else { return };
        let [base, bottom, row] = std::array::from_fn(|_| self.temporary());
        self.align(pc, base, outer, FRAME_ALIGNMENT.into());
        self.add(pc, bottom, Src::register(base), local.into(), u32::MAX.into());
        self.set(pc, row, Src::register(bottom));
        (self.base, self.top) = (Some(base), Some(Top { row, bottom: Bottom::Row(bottom) }));
    }

    /// Sets a row to the next multiple of `align`, a power of two.
    fn align(&mut self, pc: u32, d: u32, from: u32, align: u64) {
        self.add(pc, d, Src::register(from), align.wrapping_sub(1), u32::MAX.into());
        let op = Unary::Field { shift: 0, mask: u64::from(u32::MAX) & !align.wrapping_sub(1) };
        self.emit(pc, None, Alu::Unary { op, packing: Packing::Whole, d, a: Src::register(d) });
    }

    /// A stack instruction of a function, with the rows of its copy.
    ///
    /// # Errors
    /// The function has one shared copy.
    pub(super) fn stack(&mut self, pc: u32, stack: Stack, frame: InlinedFrame) -> Result<(), Refusal> {
        let Some(Top { row: top, bottom }) = self.top else { return Err(Refusal { pc, why: CALLS }) };
        match stack {
            Stack::Save { d } => self.set(pc, d + frame.rows, Src::register(top)),
            Stack::Restore { a } => {
                let value = self.temporary();
                self.set(pc, value, frame.src(a));
                let least = match bottom {
                    Bottom::At(at) => {
                        let least = self.temporary();
                        self.number(pc, least, at.into());
                        least
                    }
                    Bottom::Row(row) => row,
                };
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
                self.set(pc, bytes, frame.src(size));
                self.align(pc, start, top, align);
                let op = Binary::IntAdd(Int::U64, Saturation::Wrap);
                let [a, b] = [start, bytes].map(Src::register);
                self.emit(pc, None, Alu::Binary { op, packing: Packing::Whole, d: end, a, b });
                self.number(pc, most, STACK.into());
                for beyond in [bytes, end] {
                    let row = self.compare(pc, Relation::Greater, Int::U64, [beyond, most]);
                    self.emit(pc, Some(Guard { row, negated: false }), Effect::Trap);
                }
                self.set(pc, top, Src::register(end));
                self.set(pc, d + frame.rows, Src::register(start));
            }
        }
        Ok(())
    }

    fn set(&mut self, pc: u32, d: u32, a: Src) {
        self.emit(pc, None, Effect::Copy([(d, a)].into()));
    }
}
