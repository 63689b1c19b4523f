//! Loops bound by latency: iterations wait for the results of the one before.
//!
//! A loop of a few operations on registers that form a dependency chain leaves most of a processor idle: it starts about three vector
//! operations per cycle, and an addition has a latency of four cycles. Two warps in lockstep take hardly longer in it than one.
//!
//! ```text
//! loop: mul.f32 %x2, %x, %x       ; 4 cycles after %x
//!       sub.f32 %d, %x2, %y2      ; 8
//!       add.f32 %x, %d, %cx       ; 12, and only the other chunks can execute meanwhile
//! ```

use std::collections::{BTreeMap, BTreeSet};

use ptx_program::{Alu, Binary, Effect, FloatBinary, Op, Program, Ternary, Unary};

use super::{Analysis, BlockId, Shape};

/// Vector operations that a processor starts per cycle.
const AT_ONCE: usize = 3;
/// The latency in cycles of a floating-point operation or of a multiplication.
const SLOW: usize = 4;

/// Whether a block is in a loop whose vector operations, for all warps of the group, take no longer than its chain of dependent results.
pub(super) fn has_room(program: &Program, analysis: &Analysis, id: BlockId) -> bool {
    let loops = (0..=id).rev().filter_map(|head| analysis.graph.natural_loop(head));
    let mut around = loops.filter(|inside| inside.contains(&id));
    let Some(inside) = around.next() else { return false };
    room(program, analysis, &inside).is_some_and(|(operations, cycles)| operations <= AT_ONCE * cycles)
}

/// The vector operations of an iteration, and the latency of its loop-carried dependency chain; `None` if there are operations other than those
/// on registers with a known latency.
fn room(program: &Program, analysis: &Analysis, inside: &BTreeSet<BlockId>) -> Option<(usize, usize)> {
    // The critical path through one iteration on an idealized processor that executes each operation once its operands are ready. Rows from before the
    // iteration are ready at cycle 0; the rows that are live into the loop's header end the path.
    let (mut operations, mut ready) = (0, BTreeMap::<u32, usize>::new());
    let blocks = inside.iter().map(|&id| analysis.graph.block(id));
    for (_, inst, access) in blocks.flat_map(|block| analysis.graph.code(program, block)) {
        let cycles = latency(&inst.op)?;
        let reads = access.reads.iter().filter_map(|src| src.as_register());
        let reads = reads.chain(inst.guard.map(|guard| guard.row)).filter_map(|row| ready.get(&row));
        let end = reads.fold(0, |latest, at| latest.max(*at)) + cycles;
        for &row in &access.writes {
            ready.insert(row, end);
            if analysis.shapes.row(row) == Shape::Varying && cycles > 0 {
                let vectors = 1 << analysis.shapes.chunkwise(row).count_ones();
                operations += vectors * if analysis.widths.row(row) == u64::BITS { 2 } else { 1 };
            }
        }
    }
    let is_carried = |row: &u32| {
        let head = inside.first().copied();
        head.is_some_and(|head| analysis.liveness.is_live_into(head, *row))
    };
    let cycles = ready.iter().filter(|(row, _)| is_carried(row)).map(|(_, &end)| end);
    Some((operations, cycles.fold(0, usize::max)))
}

/// The latency of an operation in cycles; `None` for calls of functions and memory accesses.
fn latency(op: &Op) -> Option<usize> {
    match op {
        Op::Effect(Effect::Copy(_) | Effect::Nothing) => Some(0),
        Op::Alu(Alu::Unary {
            op:
                Unary::Field { .. }
                | Unary::AddConstant { .. }
                | Unary::Not { .. }
                | Unary::IsZero { .. }
                | Unary::IntAbs(_)
                | Unary::IntNeg(_)
                | Unary::FloatAbs(..)
                | Unary::FloatNeg(..)
                | Unary::IntToInt { .. },
            ..
        }) => Some(1),
        Op::Alu(Alu::Binary { op, .. }) => match op {
            Binary::And
            | Binary::Or
            | Binary::Xor
            | Binary::Insert { .. }
            | Binary::IntAdd(..)
            | Binary::IntSub(..)
            | Binary::IntMin(_)
            | Binary::IntMax(_)
            | Binary::Shl(_)
            | Binary::Shr(_)
            | Binary::Extreme(_)
            | Binary::Compare(_) => Some(1),
            Binary::IntMul(..) | Binary::Float(FloatBinary::Add | FloatBinary::Sub | FloatBinary::Mul, _) => {
                Some(SLOW)
            }
            _ => None,
        },
        Op::Alu(Alu::Ternary { op, .. }) => match op {
            Ternary::Lop3(_) | Ternary::Select | Ternary::Shf(..) => Some(1),
            Ternary::Fma(_) | Ternary::IntMad(..) => Some(SLOW),
            _ => None,
        },
        _ => None,
    }
}
