//! Prefetches for the next block (CTA).
//!
//! A block that executes in one call reads a small piece of an array and then computes: with few accesses to each page of memory, hardware prefetchers
//! predict little of what the next block reads, and each block begins with a cache miss. Where the address of a load grows by a known amount from block
//! to block, the data of the next block is prefetched while this one computes. Kernels without barriers mostly read sequentially, which hardware
//! prefetchers predict; software prefetches only take time there (`saxpy` takes 1.2 times as long with them).
//!
//! ```text
//! mad.lo.s32 %r4, %r11, %r2, %r3     ; %r2 is %ctaid.x, %r11 twice the threads of a block: 512
//! mul.wide.u32 %rd4, %r4, 4          ; grows by 2048
//! call @llvm.prefetch(%rd5 + 2048)
//! ```

use ptx_isa::{Component, SpecialReg};
use ptx_llvm_core::LlvmError;
use ptx_program::memory::Space;
use ptx_program::scalar::int::{ProductPart, Saturation};
use ptx_program::{Alu, Base, Binary, Effect, Load, Op, Packing, Src, Ternary, Unary};

use super::prefetch;
use super::state::Code;
use crate::stack::has_barriers;
use crate::strategy::Form;

/// The longest chain of operations from the index of the block to an address.
const DEEPEST: u32 = 12;

/// The most bytes between the data of two blocks: with more, TLB misses would be taken for pages that few blocks read.
const FARTHEST: i64 = 1 << 16;

/// Prefetches what a load outside of loops reads in the next block, if that is known.
///
/// The address may be wrong, or not be mapped: a prefetch affects nothing but time.
pub(super) fn announce_next_block(code: &Code<'_, '_, '_>, load: &Load) -> Result<(), LlvmError> {
    let Base::Row(base, _) = load.address.base else { return Ok(()) };
    if !code.strategy.allows(Form::PrefetchingBlocks)
        || !code.strategy.is_of_block()
        || !has_barriers(code.program)
        || load.address.space != Space::Global
    {
        return Ok(());
    }
    match growth_of_block(code, base, DEEPEST) {
        Some(growth) if growth != 0 && growth.abs() <= FARTHEST => {
            prefetch::announce_at(code, base, load, code.int(64, growth as u64))
        }
        _ => Ok(()),
    }
}

/// By how much a row is larger in the next block than in this one, modulo its width.
fn growth_of_block(code: &Code<'_, '_, '_>, src: Src, depth: u32) -> Option<i64> {
    if prefetch::constant_of(code, src).is_some() {
        return Some(0);
    }
    let row = src.as_register()?;
    let mut writers = (0..).zip(&code.program.code);
    let mut writers =
        writers.by_ref().filter(|&(pc, _)| code.analysis.graph.access(pc).writes.contains(&row));
    let (_, inst) = writers.next().filter(|(_, inst)| inst.guard.is_none() && depth > 0)?;
    if writers.next().is_some() {
        return None;
    }
    let of = |src: Src| growth_of_block(code, src, depth - 1);
    let times = |a: Src, b: Src| {
        let scaled = |a: Src, b: Src| Some(of(a)?.wrapping_mul(prefetch::constant_of(code, b)? as i64));
        match (of(a), of(b)) {
            (Some(0), Some(0)) => Some(0),
            _ => scaled(a, b).or_else(|| scaled(b, a)),
        }
    };
    match &inst.op {
        Op::Effect(Effect::Copy(pairs)) => of(pairs.iter().find(|(dst, _)| *dst == row)?.1),
        Op::Effect(Effect::Special { register: SpecialReg::CtaId, component, .. }) => {
            Some(i64::from(*component == Some(Component::X)))
        }
        Op::Effect(Effect::Special { .. }) => Some(0),
        Op::Effect(Effect::Load(load)) if matches!(load.address.space, Space::Param | Space::Const) => {
            Some(0)
        }
        Op::Alu(Alu::Unary { op, packing: Packing::Whole, a, .. }) => match op {
            Unary::IntToInt { .. } | Unary::AddConstant { .. } => of(*a),
            _ => of(*a).filter(|&growth| growth == 0),
        },
        Op::Alu(Alu::Binary { op, packing: Packing::Whole, a, b, .. }) => match op {
            // `or` counts as the sum of parts that have no bits in common.
            Binary::IntAdd(_, Saturation::Wrap) | Binary::Or => Some(of(*a)?.wrapping_add(of(*b)?)),
            Binary::IntSub(_, Saturation::Wrap) => Some(of(*a)?.wrapping_sub(of(*b)?)),
            Binary::IntMul(_, ProductPart::Wide | ProductPart::Lo) => times(*a, *b),
            Binary::Shl(_) => {
                let by = prefetch::constant_of(code, *b).filter(|&by| by < 63)?;
                Some(of(*a)?.wrapping_mul(1 << by))
            }
            _ => (of(*a)? == 0 && of(*b)? == 0).then_some(0),
        },
        Op::Alu(Alu::Ternary {
            op: Ternary::IntMad(_, ProductPart::Wide | ProductPart::Lo, Saturation::Wrap),
            packing: Packing::Whole,
            a,
            b,
            c,
            ..
        }) => Some(times(*a, *b)?.wrapping_add(of(*c)?)),
        _ => None,
    }
}
