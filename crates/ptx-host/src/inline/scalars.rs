//! Parameters and results that are passed in local memory, as rows.
//!
//! The ABI of PTX passes values in the parameter space, which is local memory of the frames of both sides: a store before the call, a copy, and a load after it. Where all
//! accesses of such a slot are of its value, it becomes a row, so that the analysis knows what is passed: a pointer to a variable stays one
//! (`analysis/own_memory.rs`).
//!
//! ```text
//! st.param.b32 [a], %r1;               mov.b32 %a, %r1;
//! call (b), f, (a);            ->      call (%b), f, (%a);
//! ld.param.b16 %rs1, [b];              cvt.u16.u32 %rs1, %b;
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use ptx_program::scalar::convert::Excess;
use ptx_program::scalar::int::{Int, Signedness};
use ptx_program::{
    Alu, Base, Callee, Effect, Fill, Load, Op, Operand, Packing, Program, Slot, Src, Store, Unary,
};

use super::copier::Bodies;

/// Stands for a row where only whether there is an operation matters.
const ANY: Src = Src::register(0);

/// The slots of a function, by their offsets: the bytes, and the row.
type Slots = BTreeMap<i64, (u32, u32)>;

/// The program with such rows, which follow the other rows of each function; its functions still say how many there are of those, which the interpreter
/// counts as stack. The second value is the number of all rows of each function. `None` if there is nothing to do.
pub(super) fn pass_in_rows(program: &Program) -> Option<(Program, Vec<u32>)> {
    let is_by_address = |op: &Op| match op {
        Op::Effect(Effect::Call(call)) => matches!(call.callee, Callee::Address(_)),
        _ => false,
    };
    // Both sides of a call through an address are found by comparing their slots.
    if program.code.iter().any(|inst| is_by_address(&inst.op)) {
        return None;
    }
    let bodies = Bodies::new(program);
    let mut changed = program.clone();
    let mut rows = Vec::new();
    for number in 0..program.functions.len() {
        let function = program.functions.get(number)?;
        let pcs: Vec<u32> = bodies.of(function).collect();
        let slots = slots(program, function.rows, &pcs, &[&function.params, &function.results]);
        rows.push(function.rows + slots.len() as u32);
        if slots.is_empty() {
            continue;
        }
        for &pc in &pcs {
            if let Some(inst) = changed.code.get_mut(pc as usize) {
                access_row(&mut inst.op, &slots);
            }
        }
        if let Some(function) = changed.functions.get_mut(number) {
            let all = [&mut function.params, &mut function.results];
            all.into_iter().flatten().for_each(|slot| become_row(slot, &slots));
        }
    }
    let has_new = program.functions.iter().zip(&rows).any(|(function, all)| *all > function.rows);
    has_new.then_some((changed, rows))
}

/// The slots of a function whose accesses are all of their values. `before` is the number of its rows.
fn slots(program: &Program, before: u32, pcs: &[u32], own: &[&[Slot]]) -> Slots {
    let ops = || pcs.iter().filter_map(|&pc| program.code.get(pc as usize)).map(|inst| &inst.op);
    let passed = ops().flat_map(|op| match op {
        Op::Effect(Effect::Call(call)) => [&*call.arguments, &*call.results],
        _ => [&[][..], &[]],
    });
    let all = own.iter().copied().chain(passed).flatten();
    // The bytes at each offset; 0 for what does not become a row.
    let mut found: BTreeMap<i64, u32> = BTreeMap::new();
    let mut others = Vec::new();
    for slot in all {
        match *slot {
            Slot::Memory { offset, size } if matches!(size, 1 | 2 | 4 | 8) => {
                let before = found.insert(offset.into(), size);
                if before.is_some_and(|before| before != size) {
                    others.push(i64::from(offset)..i64::from(offset) + 8);
                }
            }
            Slot::Memory { offset, size } | Slot::Open { offset, size } => {
                others.push(offset.into()..i64::from(offset) + i64::from(size));
            }
            Slot::Rows { .. } | Slot::Nothing => {}
        }
    }
    let pairs = found.iter().zip(found.iter().skip(1));
    others.extend(
        pairs
            .filter(|((at, size), (next, _))| *at + i64::from(**size) > **next)
            .map(|((&at, _), (&next, &size))| at..next + i64::from(size)),
    );
    for op in ops() {
        match kept(op, &found) {
            Kept::None => {}
            Kept::Bytes(bytes) => others.push(bytes),
            Kept::All => return Slots::new(),
        }
    }
    for bytes in others {
        // No slot has more than 8 bytes.
        let near = found.range_mut(bytes.start.saturating_sub(8)..bytes.end);
        near.filter(|(at, size)| *at + i64::from(**size) > bytes.start).for_each(|(_, size)| *size = 0);
    }
    found.retain(|_, size| *size > 0);
    found.into_iter().zip(before..).map(|((at, size), row)| (at, (size, row))).collect()
}

/// What an operation lets stay in memory.
enum Kept {
    None,
    Bytes(Range<i64>),
    All,
}

fn kept(op: &Op, slots: &BTreeMap<i64, u32>) -> Kept {
    let bytes =
        |at: i64, size: u32, count: usize| at..at.saturating_add(i64::from(size.max(1)) * count as i64);
    match op {
        Op::Effect(Effect::Load(load)) if matches!(load.address.base, Base::Frame) => {
            let at = load.address.offset;
            let is_value =
                slots.get(&at).is_some_and(|&size| load.size <= size) && loaded(load, ANY).is_some();
            if is_value { Kept::None } else { Kept::Bytes(bytes(at, load.size, load.dsts.len())) }
        }
        Op::Effect(Effect::Store(store)) if matches!(store.address.base, Base::Frame) => {
            let at = store.address.offset;
            let is_value = slots.get(&at) == Some(&store.size) && stored(store, 0).is_some();
            if is_value { Kept::None } else { Kept::Bytes(bytes(at, store.size, store.srcs.len())) }
        }
        Op::Effect(Effect::FrameAddress { offset, .. }) => {
            let at = *offset & i64::from(u32::MAX);
            Kept::Bytes(at..at + 1)
        }
        op => {
            let mut is_frame = false;
            op.operands(&mut |operand| is_frame |= matches!(operand, Operand::Frame(_)));
            if is_frame { Kept::All } else { Kept::None }
        }
    }
}

fn become_row(slot: &mut Slot, slots: &Slots) {
    if let Slot::Memory { offset, .. } = *slot
        && let Some(&(size, row)) = slots.get(&i64::from(offset))
    {
        *slot = Slot::Rows { first: Src::register(row), count: 1, bits: mask(size) };
    }
}

/// Accesses the row of a slot instead of its memory.
fn access_row(op: &mut Op, slots: &Slots) {
    let row_at = |base: Base, offset: i64| match base {
        Base::Frame => slots.get(&offset).map(|&(_, row)| row),
        Base::Row(..) => None,
    };
    match op {
        Op::Effect(Effect::Call(call)) => {
            let all = [&mut call.arguments, &mut call.results];
            all.into_iter().flatten().for_each(|slot| become_row(slot, slots));
        }
        Op::Effect(Effect::Load(load)) => {
            let row = row_at(load.address.base, load.address.offset);
            if let Some(copy) = row.and_then(|row| loaded(load, Src::register(row))) {
                *op = copy;
            }
        }
        Op::Effect(Effect::Store(store)) => {
            let row = row_at(store.address.base, store.address.offset);
            if let Some(copy) = row.and_then(|row| stored(store, row)) {
                *op = copy;
            }
        }
        _ => {}
    }
}

/// What a load of the value of a row finds, extended as it is loaded; `None` for a vector.
fn loaded(load: &Load, a: Src) -> Option<Op> {
    let &[d] = &*load.dsts else { return None };
    let Fill { sign_shift, register } = load.fill;
    let low = mask(load.size) & register;
    let op = match sign_shift {
        0 if low == u64::MAX => return Some(Effect::Copy([(d, a)].into()).into()),
        0 => Unary::Field { shift: 0, mask: low },
        _ => {
            let to = Int::new(u64::BITS - register.leading_zeros(), Signedness::Signed)?;
            let from = Int::new(8 * load.size, Signedness::Signed)?;
            Unary::IntToInt { to, from, excess: Excess::Truncate, register }
        }
    };
    Some(Alu::Unary { op, packing: Packing::Whole, d, a }.into())
}

/// Sets a row to what is stored; `None` for a vector.
fn stored(store: &Store, d: u32) -> Option<Op> {
    let &[a] = &*store.srcs else { return None };
    if store.size == 8 {
        return Some(Effect::Copy([(d, a)].into()).into());
    }
    let op = Unary::Field { shift: 0, mask: mask(store.size) };
    Some(Alu::Unary { op, packing: Packing::Whole, d, a }.into())
}

/// The bits of a value of so many bytes, at least one.
fn mask(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes.clamp(1, 8))
}
