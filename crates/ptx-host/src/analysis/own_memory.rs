//! Generic accesses that are known to be to the thread's own local memory.
//!
//! Compilers keep variables in local memory and access them through generic addresses: unoptimized code, and all code of functions that are passed a pointer to a
//! variable. Such an access is one to local memory if its address is bounded by facts that hold in all launches (`facts.rs`). Code then needs no tests
//! of which memory it is (`code/generic.rs`), and no other thread can change what a volatile load finds (`progress.rs`).
//!
//! ```text
//! mov.b64 %SPL, depot; cvta.local.u64 %SP, %SPL; and.b64 %rd1, %i, 28; add.u64 %rd2, %SP, %rd1
//! ld.u32  %r1, [%rd2+32]                             ; ld.local.u32, if the depot has 64 bytes
//! ```

use ptx_program::memory::{AddressSize, Space};
use ptx_program::{Address, AddressWidth, Base, Effect, Op, Program};

use super::{Facts, Graph, Liveness, Shapes, Widths};

/// The generic address of offset 0 of local memory.
const WINDOW: u64 = Space::Local.window(AddressSize::Bits64);

/// The loads and stores with generic addresses that are valid accesses of local memory whatever the launch is, in order.
pub fn own_accesses(program: &Program) -> Vec<u32> {
    let is_generic = |inst: &ptx_program::Inst| accessed(&inst.op).is_some();
    let has_frame =
        program.code.iter().any(|inst| matches!(inst.op, Op::Effect(Effect::FrameAddress { .. })));
    if program.address_size != AddressSize::Bits64 || !has_frame || !program.code.iter().any(is_generic) {
        return Vec::new();
    }
    // The analysis reports what keeps the kernel from being compiled.
    let Ok(graph) = Graph::new(program) else { return Vec::new() };
    let (liveness, widths) = (Liveness::new(program, &graph), Widths::new(program, &graph));
    let shapes = Shapes::facts_only(program, &graph, &liveness, widths);
    let bytes = u64::from(program.kernel().local);
    let is_own = |pc: u32| {
        let Some((address, align, size)) = accessed(&program.code[pc as usize].op) else { return false };
        let Base::Row(src, _) = address.base else { return false };
        // Of a row that is not written yet nothing is known: the instruction is never executed.
        let is_written = src.as_register().is_none_or(|row| shapes.known(row).is_some());
        is_written && is_within(shapes.facts(src), address.offset, [align, size], bytes)
    };
    let mut found: Vec<u32> = graph.blocks().iter().flat_map(|block| block.first..block.end).collect();
    found.retain(|&pc| is_own(pc));
    found.sort_unstable();
    found
}

/// Makes these accesses ones to local memory, which is addressed by the low 32 bits of an address.
pub fn access_locally(program: &mut Program, accesses: &[u32]) {
    for &pc in accesses {
        let address = match program.code.get_mut(pc as usize).map(|inst| &mut inst.op) {
            Some(Op::Effect(Effect::Load(load))) => &mut load.address,
            Some(Op::Effect(Effect::Store(store))) => &mut store.address,
            _ => continue,
        };
        address.space = Space::Local;
        if let Base::Row(_, width) = &mut address.base {
            *width = AddressWidth::Bits32;
        }
    }
}

/// The address of a load or store with a generic address, the alignment that it needs, and the bytes from there on that it accesses.
fn accessed(op: &Op) -> Option<(Address, u64, u64)> {
    let (address, align, size, rows) = match op {
        Op::Effect(Effect::Load(load)) => (load.address, load.align, load.size, load.dsts.len()),
        Op::Effect(Effect::Store(store)) => (store.address, store.align, store.size, store.srcs.len()),
        _ => return None,
    };
    // An element of 16 bytes has two rows.
    let bytes = u64::from(size.min(8)) * rows as u64;
    (address.space == Space::Generic).then_some((address, align, bytes))
}

/// Whether an access at all of these addresses plus an offset is aligned and within so many bytes of local memory.
fn is_within(base: Facts, offset: i64, [align, size]: [u64; 2], bytes: u64) -> bool {
    let at = |address: u64| address.checked_add_signed(offset)?.checked_sub(WINDOW);
    let (Some(least), Some(most)) = (at(base.least), at(base.most)) else { return false };
    let zeros = base.zeros.warp.min(offset.trailing_zeros());
    let is_aligned =
        if least == most { least.is_multiple_of(align) } else { zeros >= align.trailing_zeros() };
    is_aligned && most.checked_add(size).is_some_and(|end| end <= bytes)
}

#[cfg(test)]
mod tests {
    use super::super::facts::Zeros;
    use super::*;

    #[test]
    fn accesses_are_within_local_memory_and_aligned() {
        let from = |least: u64, most: u64, zeros: u32| Facts {
            least: WINDOW + least,
            most: WINDOW + most,
            zeros: Zeros::all(zeros),
        };
        let word = [4, 4];
        for (base, offset, access, expected) in [
            (from(0, 0, 35), 60, word, true),
            (from(0, 0, 35), 61, word, false),
            (from(0, 0, 35), 64, word, false),
            (from(0, 0, 35), -4, word, false),
            (from(4, 4, 2), -4, word, true),
            (from(0, 28, 2), 32, word, true),
            (from(0, 28, 2), 36, word, false),
            (from(0, 28, 1), 32, word, false),
            (from(0, 28, 2), 2, word, false),
            (from(0, 0, 35), 48, [16, 16], true),
            (from(0, 0, 35), 56, [8, 16], false),
            (from(0, 0, 35), i64::MIN, word, false),
            (Facts::of_bits(64), 0, word, false),
            (Facts::constant(0), 0, word, false),
        ] {
            assert_eq!(is_within(base, offset, access, 64), expected, "{base:?} {offset} {access:?}");
        }
    }
}
