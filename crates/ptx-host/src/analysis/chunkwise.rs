//! The bits of a chunk's number that the chunk's values depend on, as transfer functions of operations.
//!
//! The chunks of the warps of a group are numbered, and the values of a row may depend on some bits of these numbers only. In blocks of 16 x 16
//! threads, `tid.x` is the same in all chunks of 16 lanes and depends on none; in 32 x 32 threads it depends on bit 0, and `tid.y` on all others.

use ptx_isa::{Component, SpecialReg};
use ptx_program::memory::Space;
use ptx_program::{AddressWidth, Base, Dst, Effect, Load, Op, Order, Src, WARP, axis};

use super::{Access, Lanes, Launched, Shape, Shapes, Stride};

/// The bits on which the result that an instruction writes to a row depends, if all lanes that need it are active.
pub(super) fn written(shapes: &Shapes, op: &Op, row: Dst, launched: &Launched) -> u32 {
    let of = |srcs: &mut dyn Iterator<Item = Src>| srcs.fold(0, |bits, src| bits | of_source(shapes, src));
    match op {
        Op::Alu(_) => of(&mut Access::of(op).reads.into_iter()),
        Op::Effect(Effect::Copy(pairs)) => {
            of(&mut pairs.iter().filter(|(dst, _)| *dst == row).map(|(_, src)| *src))
        }
        Op::Effect(Effect::Special { register, component, .. }) => {
            special(*register, *component, launched, shapes.lanes())
        }
        Op::Effect(Effect::Load(load)) => match load.address.base {
            Base::Row(src, _) if is_plain(load) => of_source(shapes, src),
            _ => shapes.lanes().chunk_bits(),
        },
        Op::Effect(_) => shapes.lanes().chunk_bits(),
    }
}

/// The bits on which an operand depends.
pub(super) fn of_source(shapes: &Shapes, src: Src) -> u32 {
    match (shapes.src(src), src.as_register()) {
        (shape, _) if shape.is_uniform() => 0,
        (Shape::Strided(Stride { across: Some(0), .. }), _) => 0,
        (Shape::Strided(Stride { across: None, .. }) | Shape::Varying, Some(row)) => shapes.chunkwise(row),
        (Shape::Indexed(indexed), Some(row)) if indexed.index.across.is_none() => shapes.chunkwise(row),
        _ => shapes.lanes().chunk_bits(),
    }
}

impl Shapes {
    /// As [`Shapes::chunkwise`], for an operand.
    pub fn chunkwise_of(&self, src: Src) -> u32 {
        of_source(self, src)
    }
}

/// Whether a load is executed only for the chunks that have different addresses.
fn is_plain(load: &Load) -> bool {
    let is_in_memory = match (load.address.space, load.address.base) {
        (Space::Global, Base::Row(_, width)) => width == AddressWidth::Bits64,
        (Space::Shared | Space::Const | Space::Param, _) => true,
        _ => false,
    };
    is_in_memory && !load.polls && load.order == Order::Relaxed
}

fn special(register: SpecialReg, component: Option<Component>, launched: &Launched, lanes: Lanes) -> u32 {
    let all = lanes.chunk_bits();
    let [x, y, z] = launched.block.map(u64::from);
    let axis = axis(component);
    // How many consecutive threads have the same number, and after how many it restarts.
    let (same, period) = match (register, axis) {
        (SpecialReg::Tid, 0) => (1, x),
        (SpecialReg::Tid, 1) => (x, x * y),
        (SpecialReg::Tid, 2) => (x * y, x * y * z),
        (SpecialReg::Tid, _) => return 0,
        (SpecialReg::LaneId, _) => (1, WARP as u64),
        (SpecialReg::WarpId, _) => (WARP as u64, x * y * z),
        (
            SpecialReg::LanemaskEq
            | SpecialReg::LanemaskLe
            | SpecialReg::LanemaskLt
            | SpecialReg::LanemaskGe
            | SpecialReg::LanemaskGt,
            _,
        ) => return all,
        _ => return 0,
    };
    // Chunks that are one period apart have the same numbers, so higher bits do not count. Neither do low bits if several chunks are in one run of
    // threads with the same number. Both hold only for powers of two, whose runs and periods are bits of a chunk's number.
    let chunk = u64::from(lanes.chunk);
    let mut bits = all;
    if period.is_power_of_two() && period < x * y * z {
        bits &= (period / chunk).max(1) as u32 - 1;
    }
    if same.is_power_of_two() && same > chunk {
        bits &= !((same / chunk) as u32 - 1);
    }
    bits
}
