//! The copies of functions in the kernel: the code so far, the rows and the local memory of each copy, and how arguments and results are passed.
//!
//! How a function is called that has one copy of its own is in `calls.rs`, and memory on the stack in `stack.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ptx_program::memory::Space;
use ptx_program::{
    Address, AddressWidth, Alu, Base, Binary, Call, Callee, Control, Effect, FRAME_ALIGNMENT, Function,
    Guard, Inst, Load, Op, Operand, Origin, Packing, Program, Slot, Src, Store, Unary,
};

use super::inlined::Inlined;
use crate::analysis::{Access, Graph, Liveness, Refusal};

/// The largest program that inlining produces, in instructions.
const MOST_CODE: usize = 200_000;

/// Bytes of stack of a thread that code is generated for: the default of launches.
pub(crate) const STACK: u32 = 512 << 10;

/// Where the instructions of each function end: where the next one starts.
pub(super) struct Bodies {
    /// In ascending order, with the end of the program.
    starts: Vec<u32>,
}

impl Bodies {
    pub(super) fn new(program: &Program) -> Self {
        let mut starts: Vec<u32> = program.functions.iter().map(|function| function.start).collect();
        starts.push(program.code.len() as u32);
        starts.sort_unstable();
        Self { starts }
    }

    /// The instructions of a function.
    pub(super) fn of(&self, function: &Function) -> Range<u32> {
        let next = self.starts.partition_point(|&start| start <= function.start);
        match self.starts.get(next) {
            Some(&end) => function.start..end,
            // It starts where the program ends.
            None => function.start..function.start,
        }
    }
}

/// The first row and local memory address of a copy.
#[derive(Clone, Copy)]
pub(super) struct InlinedFrame {
    pub(super) rows: u32,
    pub(super) local: u32,
    /// Bytes of stack that the interpreter counts for the calls up to here, from the kernel or from a function with its own copy.
    pub(super) stack: u32,
    /// The row with the address of its local memory, if that is not that of the kernel.
    pub(super) base: Option<u32>,
}

impl InlinedFrame {
    pub(super) fn src(self, src: Src) -> Src {
        src.as_register().map_or(src, |row| Src::register(row + self.rows))
    }

    pub(super) fn slot(self, slot: Slot) -> Slot {
        match slot {
            Slot::Memory { offset, size } => Slot::Memory { offset: offset + self.local, size },
            Slot::Open { offset, size } => Slot::Open { offset: offset + self.local, size },
            Slot::Rows { first, count, bits } => Slot::Rows { first: self.src(first), count, bits },
            Slot::Nothing => Slot::Nothing,
        }
    }
}

/// The return target of a copy.
pub(super) enum Return<'a> {
    /// The kernel's threads exit.
    Exits,
    /// The code after the copy.
    Next { results: &'a [Slot], caller: InlinedFrame },
    /// One of several calls, for a function with one shared copy.
    Calls(u32),
}

/// The kernel without calls so far.
pub(super) struct Copier<'a> {
    pub(super) program: &'a Program,
    pub(super) bodies: Bodies,
    /// Its instructions, and the instruction of the program that each was made from.
    pub(super) code: Vec<Inst>,
    pub(super) places: Vec<u32>,
    pub(super) rows: u32,
    /// The rows of each function, with those of arguments and results (`scalars.rs`); empty if there are no more than the program says.
    pub(super) all_rows: Vec<u32>,
    pub(super) local: u32,
    /// A zero in all lanes.
    pub(super) zero: Src,
    /// For each copy, the instruction that clears rows, and its rows.
    pub(super) starts: Vec<(usize, Range<u32>)>,
    /// The row with the address of the local memory, in a function with one shared copy, and in a callee of a kernel that allocates memory on its stack.
    pub(super) base: Option<u32>,
    /// Such rows of the memory that arguments or results are read from and written to, where they are passed between functions.
    pub(super) between: Option<[Option<u32>; 2]>,
    /// The end of the stack allocations of the function being copied, and where these begin, if there are any in the kernel.
    pub(super) top: Option<Top>,
    /// The most bytes of local memory of callees after what is allocated, and how many calls are around the code being copied.
    pub(super) growth: u32,
    pub(super) depth: u32,
    /// The functions with one shared copy.
    pub(super) own: Calls,
}

/// The stack allocations of a function.
#[derive(Clone, Copy)]
pub(super) struct Top {
    /// The row with their end.
    pub(super) row: u32,
    pub(super) bottom: Bottom,
}

/// Where they begin.
#[derive(Clone, Copy)]
pub(super) enum Bottom {
    /// After the local memory of the kernel.
    At(u32),
    /// The row with the address.
    Row(u32),
}

/// The functions with one shared copy each.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) functions: BTreeMap<u32, Own>,
    pub(super) registers: Registers,
    pub(super) saves: Vec<Save>,
    /// The function being copied.
    pub(super) current: u32,
    /// The instructions that set `top` for the calls of the kernel.
    pub(super) bottoms: Vec<usize>,
    /// The most by which a call grows the local memory.
    pub(super) growth: u32,
}

/// Rows of the state of a lane.
#[derive(Clone, Copy, Default)]
pub(super) struct Registers {
    /// The start of the function's local memory, and the end of the memory for saved rows.
    pub(super) sp: u32,
    pub(super) top: u32,
    /// Bytes of stack, as the interpreter counts them.
    pub(super) used: u32,
    /// The number of the call among those of the function.
    pub(super) call: u32,
}

/// A function with one copy.
#[derive(Default)]
pub(super) struct Own {
    /// Rows for arguments and results that are passed in registers.
    pub(super) arguments: Vec<Slot>,
    pub(super) results: Vec<Slot>,
    /// The rows of the copy, and its first instruction.
    pub(super) rows: Range<u32>,
    pub(super) first: u32,
    /// Branches to it, the continuations of calls, and the branches that return.
    pub(super) jumps: Vec<usize>,
    pub(super) continuations: Vec<u32>,
    pub(super) returns: Vec<usize>,
}

/// A call in such a function: the instructions that save and restore rows, and the function.
pub(super) struct Save {
    pub(super) store: usize,
    pub(super) raise: usize,
    pub(super) lower: usize,
    pub(super) load: usize,
    pub(super) function: u32,
}

impl Copier<'_> {
    pub(super) fn emit(&mut self, pc: u32, guard: Option<Guard>, op: impl Into<Op>) -> usize {
        self.code.push(Inst { guard, op: op.into() });
        self.places.push(pc);
        self.code.len() - 1
    }

    /// Copies a function; returns branch to the code after the copy.
    pub(super) fn copy(
        &mut self,
        function: &Function,
        frame: InlinedFrame,
        return_to: &Return<'_>,
    ) -> Result<(), Refusal> {
        // Branch targets may not be copied yet: copies keep the old targets, which are patched at the end, when `firsts` has the start of
        // the copy of each instruction. A guarded instruction that becomes several is jumped over if the guard does not hold:
        //
        //   @%p call f;         @!%p bra next;  mov %f.arg, %a;  ..  mov %b, %f.result;  next:
        let program = self.program;
        let mut firsts = BTreeMap::new();
        let (mut branches, mut ends) = (Vec::new(), Vec::new());
        for pc in self.bodies.of(function) {
            let refused = |why| Refusal { pc, why };
            firsts.insert(pc, self.code.len() as u32);
            if self.code.len() > MOST_CODE {
                return Err(refused("kernels with this many calls are not compiled"));
            }
            let Some(inst) = program.code.get(pc as usize) else {
                return Err(refused("the kernel has no end"));
            };
            let guard = inst.guard.map(|guard| Guard { row: guard.row + frame.rows, ..guard });
            let opposite = guard.map(|guard| Guard { negated: !guard.negated, ..guard });
            match (&inst.op, return_to) {
                (Op::Effect(Effect::Return), Return::Calls(number)) => {
                    let over = opposite.map(|guard| self.emit(pc, Some(guard), Effect::Branch { target: 0 }));
                    self.return_to_calls(pc, *number, function, frame)?;
                    self.land(over);
                }
                (Op::Effect(Effect::Return), Return::Next { results, caller }) => {
                    let over = opposite.map(|guard| self.emit(pc, Some(guard), Effect::Branch { target: 0 }));
                    self.between = Some([frame.base, caller.base]);
                    for (&from, &result) in function.results.iter().zip(*results) {
                        self.pass(pc, frame.slot(from), caller.slot(result));
                    }
                    self.between = None;
                    ends.push(self.emit(pc, None, Effect::Branch { target: 0 }));
                    self.land(over);
                }
                (Op::Effect(Effect::Call(call)), _) => {
                    let over = opposite.map(|guard| self.emit(pc, Some(guard), Effect::Branch { target: 0 }));
                    self.call(pc, call, function, frame)?;
                    self.land(over);
                }
                (Op::Effect(Effect::Stack(stack)), _) => {
                    let over = opposite.map(|guard| self.emit(pc, Some(guard), Effect::Branch { target: 0 }));
                    self.stack(pc, *stack, frame)?;
                    self.land(over);
                }
                (op, _) => {
                    let at = self.emit(pc, guard, moved(op, frame, self.base));
                    if matches!(op, Op::Effect(effect) if effect.traits().control == Control::Jump) {
                        branches.push(at);
                    }
                }
            }
        }
        let end = self.code.len() as u32;
        for at in branches {
            let leaves = Refusal { pc: self.places[at], why: "a branch out of its function" };
            let to = |target: &mut u32| {
                *target = *firsts.get(target).ok_or(leaves)?;
                Ok(())
            };
            if let Op::Effect(effect) = &mut self.code[at].op {
                effect.targets_mut().iter_mut().try_for_each(to)?;
            }
        }
        for at in ends {
            self.set_target(at, end);
        }
        Ok(())
    }

    /// Sets a branch's target to the next instruction.
    pub(super) fn land(&mut self, branch: Option<usize>) {
        if let Some(at) = branch {
            self.set_target(at, self.code.len() as u32);
        }
    }

    fn set_target(&mut self, at: usize, to: u32) {
        match &mut self.code[at].op {
            Op::Effect(Effect::Branch { target }) => *target = to,
            op => debug_assert!(false, "no branch: {op:?}"),
        }
    }

    fn call(&mut self, pc: u32, call: &Call, caller: &Function, frame: InlinedFrame) -> Result<(), Refusal> {
        match call.callee {
            Callee::Builtin(_) => {
                self.call_system(pc, call, frame);
                Ok(())
            }
            Callee::Address(address) => self.call_address(pc, call, frame.src(address), (caller, frame)),
            Callee::Function(number) => self.call_function(pc, call, number, (caller, frame)),
        }
    }

    pub(super) fn call_function(
        &mut self,
        pc: u32,
        call: &Call,
        number: u32,
        (caller, frame): (&Function, InlinedFrame),
    ) -> Result<(), Refusal> {
        let program = self.program;
        let Some(callee) = program.functions.get(number as usize) else {
            return Err(Refusal { pc, why: "the program has no such function" });
        };
        let distance = (frame.local + caller.local).next_multiple_of(FRAME_ALIGNMENT);
        // Above what has been allocated, its local memory begins anew.
        let outer = (self.base, self.top);
        let local = if self.top.is_some() { 0 } else { distance };
        let stack = frame.stack + 8 * callee.rows + callee.local;
        if self.own.has(number) {
            return self.call_own(pc, call, (number, callee), (frame, local, stack));
        }
        if self.top.is_some() {
            self.enter_above(pc, callee.local);
            // The bytes of stack include the local memory of the calls up to here.
            self.depth += 1;
            self.growth = self.growth.max(stack + self.depth * FRAME_ALIGNMENT);
        } else if self.base.is_some() {
            self.check_stack(pc, stack);
        }
        let inner = InlinedFrame { rows: self.rows, local, stack, base: self.base };
        self.rows += self.rows_of(number, callee);
        self.local = self.local.max(local + callee.local);
        // The interpreter starts each call with zeroed rows. A copy in a loop would see values of the iteration before, so the rows that are read
        // first are cleared; which ones these are is known when all code exists (`finish`), and this instruction is completed then.
        let zeros = self.emit(pc, None, Effect::Copy([].into()));
        self.starts.push((zeros, inner.rows..self.rows));
        self.between = Some([frame.base, inner.base]);
        for (&from, &to) in call.arguments.iter().zip(&callee.params) {
            self.pass(pc, frame.slot(from), inner.slot(to));
        }
        self.between = None;
        self.copy(callee, inner, &Return::Next { results: &call.results, caller: frame })?;
        if outer.1.is_some() {
            self.depth -= 1;
        }
        (self.base, self.top) = outer;
        Ok(())
    }

    /// The rows of a copy of a function, with those of its arguments and results.
    pub(super) fn rows_of(&self, number: u32, function: &Function) -> u32 {
        // Default: without such rows those of the function are all.
        self.all_rows.get(number as usize).copied().unwrap_or(function.rows)
    }

    /// A call of a system function, whose arguments and result become rows.
    fn call_system(&mut self, pc: u32, call: &Call, frame: InlinedFrame) {
        let mut row = || Slot::Rows { first: Src::register(self.temporary()), count: 1, bits: u64::MAX };
        let arguments: Vec<Slot> = call.arguments.iter().map(|_| row()).collect();
        let results: Vec<Slot> = call.results.iter().map(|_| row()).collect();
        for (&from, &to) in call.arguments.iter().zip(&arguments) {
            self.pass(pc, frame.slot(from), to);
        }
        let callee = call.callee;
        let inner = Call { callee, arguments: arguments.into(), results: results.clone().into() };
        self.emit(pc, None, Effect::Call(Box::new(inner)));
        for (&from, &to) in results.iter().zip(&call.results) {
            self.pass(pc, from, frame.slot(to));
        }
    }

    /// A new row for a temporary value.
    pub(super) fn temporary(&mut self) -> u32 {
        self.rows += 1;
        self.rows - 1
    }

    /// Copies an argument or result.
    pub(super) fn pass(&mut self, pc: u32, from: Slot, to: Slot) {
        match (from, to) {
            (_, Slot::Nothing) => {}
            (Slot::Rows { first, count, .. }, Slot::Rows { first: to, count: all, bits }) => {
                for n in 0..all {
                    let a = if n < count { first.plus(n) } else { self.zero };
                    self.set_row(pc, to.plus(n), a, bits);
                }
            }
            (Slot::Nothing, Slot::Rows { first, count, bits }) => {
                for n in 0..count {
                    self.set_row(pc, first.plus(n), self.zero, bits);
                }
            }
            (
                Slot::Memory { offset, size } | Slot::Open { offset, size },
                Slot::Rows { first, count, bits },
            ) => {
                for n in 0..count {
                    let (start, end) = ((8 * n).min(size), (8 * n + 8).min(size));
                    let value = self.read(pc, offset + start, end - start);
                    self.set_row(pc, first.plus(n), value, bits);
                }
            }
            (
                Slot::Rows { first, count, .. },
                Slot::Memory { offset, size } | Slot::Open { offset, size },
            ) => {
                for n in 0..count {
                    let (start, end) = ((8 * n).min(size), (8 * n + 8).min(size));
                    self.store(pc, offset + start, end - start, first.plus(n));
                }
                self.clear(pc, offset + (8 * count).min(size), offset + size);
            }
            (Slot::Nothing, Slot::Memory { offset, size } | Slot::Open { offset, size }) => {
                self.clear(pc, offset, offset + size);
            }
            (
                Slot::Memory { offset, size } | Slot::Open { offset, size },
                Slot::Memory { offset: to, size: room } | Slot::Open { offset: to, size: room },
            ) => {
                let bytes = size.min(room);
                let mut done = 0;
                while done < bytes {
                    let step = step(offset + done, bytes - done).min(step(to + done, bytes - done));
                    let value = self.load(pc, offset + done, step);
                    self.store(pc, to + done, step, Src::register(value));
                    done += step;
                }
                self.clear(pc, to + bytes, to + room);
            }
        }
    }

    /// An address in the local memory of the kernel, or of the function being copied. Where arguments are passed, `side` is 0 for memory that is read, and 1
    /// for memory that is written.
    fn frame(&self, offset: u32, side: usize) -> Address {
        in_frame(self.between.map_or(self.base, |both| both[side]), offset.into())
    }

    fn set_row(&mut self, pc: u32, to: Src, a: Src, bits: u64) {
        if let Some(d) = to.as_register() {
            let op = Unary::Field { shift: 0, mask: bits };
            // A copy preserves the shape of the row.
            if bits == u64::MAX {
                self.emit(pc, None, Effect::Copy([(d, a)].into()));
            } else {
                self.emit(pc, None, Alu::Unary { op, packing: Packing::Whole, d, a });
            }
        }
    }

    fn load(&mut self, pc: u32, offset: u32, size: u32) -> u32 {
        let d = self.temporary();
        let load = Load::plain(self.frame(offset, 0), d, size);
        self.emit(pc, None, Effect::Load(Box::new(load)));
        d
    }

    fn store(&mut self, pc: u32, offset: u32, size: u32, value: Src) {
        let mut done = 0;
        while done < size {
            let step = step(offset + done, size - done);
            let part = if done == 0 {
                value
            } else {
                let d = self.temporary();
                let op = Unary::Field { shift: 8 * done, mask: u64::MAX >> (64 - 8 * step) };
                self.emit(pc, None, Alu::Unary { op, packing: Packing::Whole, d, a: value });
                Src::register(d)
            };
            let store = Store::plain(self.frame(offset + done, 1), part, step);
            self.emit(pc, None, Effect::Store(Box::new(store)));
            done += step;
        }
    }

    /// Loads up to 8 bytes, zero-extended.
    fn read(&mut self, pc: u32, offset: u32, size: u32) -> Src {
        let mut done = 0;
        let mut value = self.zero;
        while done < size {
            let step = step(offset + done, size - done);
            let part = Src::register(self.load(pc, offset + done, step));
            value = if done == 0 {
                part
            } else {
                let d = self.temporary();
                let op = Binary::Insert { shift: 8 * done, mask: u64::MAX >> (64 - 8 * step) };
                self.emit(pc, None, Alu::Binary { op, packing: Packing::Whole, d, a: value, b: part });
                Src::register(d)
            };
            done += step;
        }
        value
    }

    fn clear(&mut self, pc: u32, mut from: u32, to: u32) {
        while from < to {
            let size = step(from, to - from);
            self.store(pc, from, size, self.zero);
            from += size;
        }
    }

    pub(super) fn finish(mut self) -> Result<Option<Inlined>, Refusal> {
        let mut local = self.finish_own()?;
        if self.top.is_some() {
            // What is allocated ends there, and the local memory of callees after it.
            local = local.max(STACK + self.growth);
        }
        let Self { program, code, places, rows, starts, zero, own, .. } = self;
        let origin = |pc: &u32| program.origins.get(*pc as usize).cloned();
        let origins: Vec<Origin> = places.iter().filter_map(origin).collect();
        debug_assert_eq!(origins.len(), code.len(), "an instruction without an origin");
        let mut functions = program.functions.clone();
        let kernel = functions.kernel_mut();
        (kernel.start, kernel.rows, kernel.local) = (0, rows, local);
        let mut program = Program { code, origins, functions, ..program.clone() };
        let located = |refusal: Refusal| Refusal {
            pc: places.get(refusal.pc as usize).copied().unwrap_or(refusal.pc),
            ..refusal
        };
        let mut graph = Graph::new(&program).map_err(located)?;
        let mut liveness = Liveness::new(&program, &graph);
        // Rows that one call saves are read by its store, and so become live at earlier points, where other calls must save them too. The sets only grow.
        while own.save(&mut program, |program, saves| live_after(program, &graph, &liveness, saves)) {
            graph = Graph::new(&program).map_err(located)?;
            liveness = Liveness::new(&program, &graph);
        }
        let starts: Vec<Point> = starts.into_iter().map(|(at, rows)| Point { at: at as u32, rows }).collect();
        let live = live_after(&program, &graph, &liveness, &starts);
        for (start, live) in starts.iter().zip(live) {
            let zeros = live.into_iter().map(|row| (row, zero)).collect();
            program.code[start.at as usize].op = Effect::Copy(zeros).into();
        }
        Ok(Some(Inlined { program, places }))
    }
}

/// The largest aligned access at an offset, of at most `most` bytes.
fn step(offset: u32, most: u32) -> u32 {
    let aligned = 1 << offset.trailing_zeros().min(3);
    let fits = 1 << most.max(1).ilog2().min(3);
    u32::min(aligned, fits)
}

/// An instruction of a kernel, and the rows of which those are wanted that are live after it.
pub(super) struct Point {
    pub(super) at: u32,
    pub(super) rows: Range<u32>,
}

/// The rows that are live after each of these instructions, among those wanted there. Each block is walked once, however many of them it has.
fn live_after(program: &Program, graph: &Graph, liveness: &Liveness, points: &[Point]) -> Vec<Vec<u32>> {
    let mut sorted: Vec<usize> = (0..points.len()).collect();
    sorted.sort_by_key(|&point| points[point].at);
    // Lanes do not reach an instruction that is in no block.
    let mut live_after = vec![Vec::new(); points.len()];
    for block in graph.blocks() {
        let [from, to] =
            [block.first, block.end].map(|pc| sorted.partition_point(|&point| points[point].at < pc));
        let mut within = sorted[from..to].to_vec();
        if within.is_empty() {
            continue;
        }
        let targets = block.terminator.targets();
        let is_live = |&row: &u32| targets.iter().any(|&to| liveness.is_live_into(to, row));
        let mut live: BTreeSet<u32> = block.terminator.decided_by().into_iter().collect();
        live.extend(within.iter().flat_map(|&point| points[point].rows.clone()).filter(is_live));
        // Backward from the end of the block.
        for pc in (block.first..block.end).rev() {
            while let Some(point) = within.pop_if(|point| points[*point].at == pc) {
                live_after[point] = live.range(points[point].rows.clone()).copied().collect();
            }
            let Some(inst) = program.code.get(pc as usize) else { continue };
            let access = Access::of(&inst.op);
            if inst.guard.is_none() {
                access.writes.iter().for_each(|row| _ = live.remove(row));
            }
            live.extend(access.reads.iter().filter_map(|src| src.as_register()));
            live.extend(inst.guard.map(|guard| guard.row));
        }
    }
    live_after
}

/// An address in local memory, relative to its beginning or to the address in a row.
pub(super) fn in_frame(base: Option<u32>, offset: i64) -> Address {
    let base = base.map_or(Base::Frame, |row| Base::Row(Src::register(row), AddressWidth::Bits64));
    Address { space: Space::Local, base, offset }
}

/// An operation with the rows and the local memory of a copy.
fn moved(op: &Op, frame: InlinedFrame, base: Option<u32>) -> Op {
    let local = i64::from(frame.local);
    if let (Op::Effect(Effect::FrameAddress { d, offset }), Some(row)) = (op, base) {
        let op = Unary::AddConstant { addend: offset.wrapping_add(local) as u64, mask: u32::MAX.into() };
        return Alu::Unary { op, packing: Packing::Whole, d: d + frame.rows, a: Src::register(row) }.into();
    }
    let mut op = op.clone();
    if let Op::Effect(Effect::FrameAddress { offset, .. }) = &mut op {
        *offset = offset.wrapping_add(local);
    }
    op.operands_mut(&mut |operand| match operand {
        Operand::Read(src) | Operand::ReadPair(src) => *src = frame.src(*src),
        Operand::Write(dst) | Operand::Update(dst) => *dst += frame.rows,
        Operand::Frame(address) if base.is_some() => {
            *address = in_frame(base, address.offset.wrapping_add(local));
        }
        Operand::Frame(address) => address.offset = address.offset.wrapping_add(local),
        Operand::Argument(slot) | Operand::Result(slot) => *slot = frame.slot(*slot),
    });
    op
}
