//! Recursive functions, and functions that are called through their address.
//!
//! Such a function has one copy, with its own rows, and calls of it are branches: each lane has the number of its call in a row, and returns
//! by an indexed branch. Lanes that call different functions, or are at different depths, diverge and reconverge as at any branch.
//!
//! | memory of a lane | |
//! |---|---|
//! | local memory of the kernel, then of each called function | as in the interpreter; `sp` is where that of the current function begins |
//! | rows saved across calls, for each active call | up to `top` |
//!
//! A caller that is such a function saves the rows that are live after the call, and restores them then, since the function may be called again
//! meanwhile (they are caller-saved). Arguments and results are passed in rows, or in the local memory of the callee.

use std::collections::BTreeSet;

use ptx_graph::components;
use ptx_program::scalar::compare::{Relation, WithNan};
use ptx_program::scalar::float::Subnormals;
use ptx_program::scalar::int::Int;
use ptx_program::{
    Alu, Binary, Call, Callee, Comparison, Effect, Function, Functions, Guard, Inst, Load, Numbers, Op,
    Packing, Program, Slot, Src, Store, Unary,
};

use super::copier::{
    Bodies, Calls, Copier, InlinedFrame, Own, Point, Registers, Return, STACK, Save, in_frame,
};
use crate::analysis::Edges;
use crate::analysis::Refusal;

/// The most bytes of a thread's local memory that code can address, given that its other lanes need as much.
const MOST_LOCAL: u64 = 64 << 20;

impl Calls {
    /// Whether there are any.
    pub(super) fn has_any(&self) -> bool {
        !self.functions.is_empty()
    }

    pub(super) fn has(&self, function: u32) -> bool {
        self.functions.contains_key(&function)
    }

    /// A function with one shared copy.
    fn function(&self, number: u32, pc: u32) -> Result<&Own, Refusal> {
        self.functions.get(&number).ok_or(Refusal { pc, why: "a function without its own copy" })
    }

    /// As [`Self::function`], to change it.
    fn function_mut(&mut self, number: u32, pc: u32) -> Result<&mut Own, Refusal> {
        self.functions.get_mut(&number).ok_or(Refusal { pc, why: "a function without its own copy" })
    }

    /// Lets each call save the rows that are live after it; returns whether there are more than before. Rows that one call saves may have to be
    /// saved by earlier calls too, so this is repeated until there are none.
    pub(super) fn save(
        &self,
        program: &mut Program,
        live_after: impl Fn(&Program, &[Point]) -> Vec<Vec<u32>>,
    ) -> bool {
        let number = self.registers.call;
        // For each call, the rows of its function, and that of the call's number.
        let points = self.saves.iter().flat_map(|save| {
            let own = self.functions.get(&save.function);
            debug_assert!(own.is_some(), "a call in function {} without its own copy", save.function);
            // Default: a function without its own copy keeps no rows.
            let rows = own.map(|own| own.rows.clone()).unwrap_or_default();
            [rows, number..number + 1].map(|rows| Point { at: save.load as u32, rows })
        });
        let live = live_after(program, &points.collect::<Vec<_>>());
        let mut changed = false;
        for (&Save { store, raise, lower, load, .. }, live) in self.saves.iter().zip(live.chunks(2)) {
            let Op::Effect(Effect::Load(loaded)) = &mut program.code[load].op else { continue };
            let mut kept: BTreeSet<u32> = loaded.dsts.iter().copied().collect();
            let before = kept.len();
            kept.extend(live.iter().flatten());
            if kept.len() == before {
                continue;
            }
            changed = true;
            loaded.dsts = kept.iter().copied().collect();
            let bytes = 8 * kept.len() as u64;
            for (at, by) in [(raise, bytes), (lower, bytes.wrapping_neg())] {
                set_addend(&mut program.code[at], by);
            }
            if let Op::Effect(Effect::Store(store)) = &mut program.code[store].op {
                store.srcs = kept.into_iter().map(Src::register).collect();
            }
        }
        changed
    }
}

/// Changes the addend of an instruction.
fn set_addend(inst: &mut Inst, by: u64) {
    if let Op::Alu(Alu::Unary { op: Unary::AddConstant { addend, .. }, .. }) = &mut inst.op {
        *addend = by;
    }
}

/// The callees of a function; for a call through an address, all that match its signature. The second set has only the latter.
fn callees(program: &Program, bodies: &Bodies, function: &Function) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let (mut all, mut by_address) = (BTreeSet::new(), BTreeSet::new());
    for pc in bodies.of(function) {
        let Some(Op::Effect(Effect::Call(call))) = program.code.get(pc as usize).map(|inst| &inst.op) else {
            continue;
        };
        match call.callee {
            Callee::Function(number) => _ = all.insert(number),
            Callee::Address(_) => by_address.extend(fitting(program, call).map(|(number, _)| number)),
            Callee::Builtin(_) => {}
        }
    }
    all.extend(&by_address);
    (all, by_address)
}

/// The possible callees of a call through an address, and their addresses.
fn fitting<'p>(program: &'p Program, call: &'p Call) -> impl Iterator<Item = (u32, u64)> + 'p {
    let numbered = (0..).zip(program.functions.iter());
    let fits = numbered.filter(|&(number, function)| number != Functions::KERNEL && call.fits(function));
    fits.filter_map(|(number, _)| Some((number, program.address_of(number)?)))
}

impl Copier<'_> {
    /// Determines the functions with one shared copy, and gives them rows.
    pub(super) fn plan(&mut self) {
        let program = self.program;
        let called: Vec<(BTreeSet<u32>, BTreeSet<u32>)> =
            program.functions.iter().map(|function| callees(program, &self.bodies, function)).collect();
        // Inlining a function that reaches itself would not terminate. One that is called through an address needs a number that
        // identifies it, and one place to branch to.
        let count = called.len();
        let to = |all: &BTreeSet<u32>| {
            all.iter().map(|&number| number as usize).filter(|&to| to < count).collect()
        };
        let graph = Edges::of(called.iter().map(|(all, _)| to(all)).collect());
        let components = components(&graph);
        let all: Vec<u32> =
            (0..).zip(&components).filter(|(_, found)| found.is_some()).map(|(number, _)| number).collect();
        let is_cyclic = |number: &u32| {
            let size = components.get(*number as usize).copied().flatten().map(|component| component.size);
            let calls = called.get(*number as usize).is_some_and(|(all, _)| all.contains(number));
            calls || size.is_some_and(|size| size > 1)
        };
        let mut own: BTreeSet<u32> = all.iter().copied().filter(is_cyclic).collect();
        for number in &all {
            own.extend(called.get(*number as usize).map(|(_, by_address)| by_address).into_iter().flatten());
        }
        if own.is_empty() {
            return;
        }
        let mut row = || self.temporary();
        self.own.registers = Registers { sp: row(), top: row(), used: row(), call: row() };
        for number in own {
            let Some(function) = program.functions.get(number as usize) else { continue };
            let in_rows = |slots: &[Slot], copier: &mut Self| -> Vec<Slot> {
                let one = |slot: &Slot| match *slot {
                    Slot::Rows { count, .. } => {
                        let first = Src::register(copier.rows);
                        copier.rows += count;
                        Slot::Rows { first, count, bits: u64::MAX }
                    }
                    slot => slot,
                };
                slots.iter().map(one).collect()
            };
            let arguments = in_rows(&function.params, self);
            let results = in_rows(&function.results, self);
            self.own.functions.insert(number, Own { arguments, results, ..Own::default() });
        }
    }

    /// Makes the copies.
    pub(super) fn copy_own(&mut self) -> Result<(), Refusal> {
        let program = self.program;
        let numbers: Vec<u32> = self.own.functions.keys().copied().collect();
        for number in numbers {
            let Some(function) = program.functions.get(number as usize) else {
                return Err(Refusal { pc: program.kernel().start, why: "the program has no such function" });
            };
            let (first, rows) = (self.code.len() as u32, self.rows);
            self.rows += self.rows_of(number, function);
            self.own.current = number;
            self.base = Some(self.own.registers.sp);
            let frame = InlinedFrame { rows, local: 0, stack: 0, base: self.base };
            let pc = function.start;
            let zeros = self.emit(pc, None, Effect::Copy([].into()));
            let arguments = self.own.function(number, pc)?.arguments.clone();
            for (from, &to) in arguments.into_iter().zip(&function.params) {
                if let (Slot::Rows { .. }, Slot::Rows { .. }) = (from, to) {
                    self.pass(pc, from, frame.slot(to));
                }
            }
            self.copy(function, frame, &Return::Calls(number))?;
            self.base = None;
            self.starts.push((zeros, rows..self.rows));
            let end = self.rows;
            let own = self.own.function_mut(number, pc)?;
            (own.first, own.rows) = (first, rows..end);
        }
        Ok(())
    }

    pub(super) fn add(&mut self, pc: u32, d: u32, a: Src, addend: u64, mask: u64) -> usize {
        let op = Unary::AddConstant { addend, mask };
        self.emit(pc, None, Alu::Unary { op, packing: Packing::Whole, d, a })
    }

    /// Sets a row to a constant.
    pub(super) fn number(&mut self, pc: u32, d: u32, value: u64) -> usize {
        self.add(pc, d, self.zero, value, u64::MAX)
    }

    pub(super) fn compare(&mut self, pc: u32, relation: Relation, t: Int, [a, b]: [u32; 2]) -> u32 {
        let comparison = Comparison {
            relation,
            with_nan: WithNan::False,
            numbers: Numbers::Int(t),
            subnormals: Subnormals::Keep,
        };
        let d = self.temporary();
        let [a, b] = [a, b].map(Src::register);
        let op = Binary::Compare(comparison);
        self.emit(pc, None, Alu::Binary { op, packing: Packing::Whole, d, a, b });
        d
    }

    /// Stops threads whose stack has no room for `bytes` bytes more than the shared function uses; returns the row with the sum.
    pub(super) fn check_stack(&mut self, pc: u32, bytes: u32) -> u32 {
        let (all, most) = (self.temporary(), self.temporary());
        if self.base.is_some() {
            self.add(pc, all, Src::register(self.own.registers.used), bytes.into(), u32::MAX.into());
        } else {
            self.number(pc, all, bytes.into());
        }
        self.number(pc, most, STACK.into());
        let row = self.compare(pc, Relation::Greater, Int::U32, [all, most]);
        self.emit(pc, Some(Guard { row, negated: false }), Effect::Trap);
        all
    }

    /// A call of a function with one copy. `local` is the distance of its local memory from that of the caller, `stack` the stack used then.
    pub(super) fn call_own(
        &mut self,
        pc: u32,
        call: &Call,
        (number, callee): (u32, &Function),
        (frame, local, stack): (InlinedFrame, u32, u32),
    ) -> Result<(), Refusal> {
        let own = self.own.function(number, pc)?;
        let (arguments, results, which) =
            (own.arguments.clone(), own.results.clone(), own.continuations.len());
        let Registers { sp, top, used, call: call_row } = self.own.registers;
        self.own.growth = self.own.growth.max(local);
        let inner = InlinedFrame { rows: 0, local, stack, base: self.base };
        let all = self.check_stack(pc, stack);
        for ((&from, &to), argument) in call.arguments.iter().zip(&callee.params).zip(arguments) {
            let to = if matches!(to, Slot::Rows { .. }) { argument } else { inner.slot(to) };
            self.pass(pc, frame.slot(from), to);
        }
        let saved = self.base.map(|_| self.keep(pc));
        match self.base {
            Some(_) => _ = self.add(pc, sp, Src::register(sp), local.into(), u32::MAX.into()),
            None => {
                self.number(pc, sp, local.into());
                let bottom = self.number(pc, top, 0);
                self.own.bottoms.push(bottom);
            }
        }
        self.emit(pc, None, Effect::Copy([(used, Src::register(all))].into()));
        self.number(pc, call_row, which as u64);
        let jump = self.emit(pc, None, Effect::Branch { target: 0 });
        let next = self.code.len() as u32;
        let own = self.own.function_mut(number, pc)?;
        own.jumps.push(jump);
        own.continuations.push(next);
        match saved {
            Some(saved) => self.restore(pc, saved, [local, stack]),
            // Every block must have an instruction.
            None => _ = self.emit(pc, None, Effect::Nothing),
        }
        for ((&from, result), &to) in callee.results.iter().zip(results).zip(&call.results) {
            let from = if matches!(from, Slot::Rows { .. }) { result } else { inner.slot(from) };
            self.pass(pc, from, frame.slot(to));
        }
        Ok(())
    }

    /// Saves rows, which are determined later; returns the two instructions.
    fn keep(&mut self, pc: u32) -> [usize; 2] {
        let top = self.own.registers.top;
        let store = Store { srcs: [].into(), ..Store::plain(in_frame(Some(top), 0), Src::register(top), 8) };
        let store = self.emit(pc, None, Effect::Store(Box::new(store)));
        [store, self.add(pc, top, Src::register(top), 0, u32::MAX.into())]
    }

    fn restore(&mut self, pc: u32, [store, raise]: [usize; 2], [local, stack]: [u32; 2]) {
        let Registers { sp, top, used, .. } = self.own.registers;
        let lower = self.add(pc, top, Src::register(top), 0, u32::MAX.into());
        let load = Load { dsts: [].into(), ..Load::plain(in_frame(Some(top), 0), top, 8) };
        let load = self.emit(pc, None, Effect::Load(Box::new(load)));
        let function = self.own.current;
        self.own.saves.push(Save { store, raise, lower, load, function });
        for (row, by) in [(sp, local), (used, stack)] {
            self.add(pc, row, Src::register(row), u64::from(by).wrapping_neg(), u32::MAX.into());
        }
    }

    /// A call through an address: compares it with each possible callee in turn.
    pub(super) fn call_address(
        &mut self,
        pc: u32,
        call: &Call,
        address: Src,
        (caller, frame): (&Function, InlinedFrame),
    ) -> Result<(), Refusal> {
        let target = self.temporary();
        self.emit(pc, None, Effect::Copy([(target, address)].into()));
        let mut ends = Vec::new();
        for (number, at) in fitting(self.program, call).collect::<Vec<_>>() {
            let expected = self.temporary();
            self.number(pc, expected, at);
            let row = self.compare(pc, Relation::Equal, Int::U64, [target, expected]);
            let over = self.emit(pc, Some(Guard { row, negated: true }), Effect::Branch { target: 0 });
            self.call_function(pc, call, number, (caller, frame))?;
            ends.push(self.emit(pc, None, Effect::Branch { target: 0 }));
            self.land(Some(over));
        }
        // No function is there: an indexed branch without targets reports the address.
        self.emit(pc, None, Effect::BranchIndexed { index: Src::register(target), targets: [].into() });
        ends.into_iter().for_each(|end| self.land(Some(end)));
        self.emit(pc, None, Effect::Nothing);
        Ok(())
    }

    /// A return of the copy of a function.
    pub(super) fn return_to_calls(
        &mut self,
        pc: u32,
        number: u32,
        function: &Function,
        frame: InlinedFrame,
    ) -> Result<(), Refusal> {
        let results = self.own.function(number, pc)?.results.clone();
        for (&from, to) in function.results.iter().zip(results) {
            if let (Slot::Rows { .. }, Slot::Rows { .. }) = (from, to) {
                self.pass(pc, frame.slot(from), to);
            }
        }
        let index = Src::register(self.own.registers.call);
        let back = self.emit(pc, None, Effect::BranchIndexed { index, targets: [].into() });
        self.own.function_mut(number, pc)?.returns.push(back);
        Ok(())
    }

    /// Connects calls and returns; returns the bytes of local memory of a thread.
    pub(super) fn finish_own(&mut self) -> Result<u32, Refusal> {
        let Calls { functions, bottoms, growth, .. } = &self.own;
        for own in functions.values() {
            for &jump in &own.jumps {
                if let Inst { op: Op::Effect(Effect::Branch { target }), .. } = &mut self.code[jump] {
                    *target = own.first;
                }
            }
            for &back in &own.returns {
                if let Inst { op: Op::Effect(Effect::BranchIndexed { targets, .. }), .. } =
                    &mut self.code[back]
                {
                    *targets = own.continuations.clone().into();
                }
            }
        }
        let called = functions.keys().filter_map(|&number| self.program.functions.get(number as usize));
        let Some(least) = called.clone().map(|function| 8 * function.rows + function.local).min() else {
            return Ok(self.local);
        };
        let entry = self.program.kernel().start;
        if least == 0 {
            return Err(Refusal {
                pc: entry,
                why: "calls of functions without registers are not compiled here",
            });
        }
        let most_local = called.map(|function| function.local).fold(0, u32::max);
        let calls = u64::from(STACK / least) + 1;
        let rows = functions.values().map(|own| own.rows.len() as u64 + 1).fold(0, u64::max);
        let bottom = u64::from(self.local) + calls * u64::from(*growth) + u64::from(most_local);
        let bottom = bottom.next_multiple_of(128);
        let all = bottom + calls * rows * 8;
        if all > MOST_LOCAL {
            return Err(Refusal { pc: entry, why: "calls that need this much memory are not compiled" });
        }
        for &at in bottoms {
            set_addend(&mut self.code[at], bottom);
        }
        Ok(all as u32)
    }
}
