//! Stores to addresses that the same lanes have just loaded from.
//!
//! A step of a sorting network loads two numbers and stores them in exchanged order if that is the right one. Such a store may write back the
//! loaded value in the inactive lanes: each of them has accessed its address, so that it is in the block's memory, and the threads of
//! a block (CTA) run on one thread of the host.

use ptx_program::memory::Space;
use ptx_program::{Address, Base, Effect, Op, Order, Program, Store};

use super::Access;

/// Whether instructions from `first` up to `pc` have loaded from the address of a store to shared memory, in all active lanes, and have not
/// changed the address register since.
pub fn is_loaded_before(program: &Program, first: u32, pc: u32, store: &Store) -> bool {
    let Base::Row(base, _) = store.address.base else { return false };
    let is_plain =
        store.address.space == Space::Shared && store.srcs.len() == 1 && store.order == Order::Relaxed;
    let (Some(row), true) = (base.as_register(), is_plain) else { return false };
    let is_place = |address: &Address| {
        let is_base = matches!(address.base, Base::Row(src, _) if src == base);
        is_base && address.space == Space::Shared && address.offset == store.address.offset
    };
    for inst in program.code[first as usize..pc as usize].iter().rev() {
        match &inst.op {
            Op::Effect(Effect::Load(load))
                if inst.guard.is_none()
                    && is_place(&load.address)
                    && (load.size, load.dsts.len()) == (store.size, 1)
                    && load.order == Order::Relaxed
                    && !load.polls =>
            {
                // `ld.u32 %r1, [%r1]` overwrites the address.
                return load.dsts.iter().all(|&dst| dst != row);
            }
            op => {
                if Access::of(op).writes.contains(&row) {
                    return false;
                }
            }
        }
    }
    false
}
