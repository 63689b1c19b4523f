//! Special registers.

use ptx_host_rt::{Asked, field};
use ptx_isa::{Component, SpecialReg};
use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, Value};
use ptx_program::{WARP, along, axis};

use super::state::Code;
use super::{lane_masks, registers, runtime, threads};
use crate::error::CompileError;

/// Upper bound of warp indices of a multiprocessor, `%nwarpid`; the interpreter uses the same.
const WARPS_PER_MULTIPROCESSOR: u64 = 64;

/// The values of a special register, in the form of a row.
pub(super) fn special<'c>(
    code: &Code<'_, '_, 'c>,
    dst: u32,
    register: SpecialReg,
    component: Option<Component>,
    pc: u32,
) -> Result<Vec<Value<'c>>, CompileError> {
    let of = |dims: [Value<'c>; 3]| along(dims, code.int(32, 0), component);
    let inputs = &code.inputs;
    let one = match register {
        SpecialReg::Ntid => code.int(32, along(code.launched.block, 0, component).into()),
        // A cluster is one block.
        SpecialReg::CtaId | SpecialReg::ClusterId => of(inputs.block_index),
        SpecialReg::NCtaId | SpecialReg::NClusterId => of(inputs.grid),
        SpecialReg::WarpId if code.analysis.warps > 1 => {
            return warp_numbers(code, dst).map_err(Into::into);
        }
        SpecialReg::WarpId => inputs.warp,
        SpecialReg::NWarpId => code.int(32, WARPS_PER_MULTIPROCESSOR),
        // There is one multiprocessor.
        SpecialReg::NSmId => code.int(32, 1),
        SpecialReg::SmId | SpecialReg::Pm(_) | SpecialReg::Pm64(_) => code.int(32, 0),
        SpecialReg::GridId | SpecialReg::CurrentGraphExec => code.int(64, 0),
        SpecialReg::ClusterCtaId => code.int(32, 0),
        SpecialReg::ClusterNCtaId => code.int(32, along([1; 3], 0, component)),
        // The address of the grid's workspace, the upper half first.
        SpecialReg::Envreg(1) => {
            let workspace = asked(code, Asked::Workspace)?;
            let upper = code.builder().binary(BinaryOp::LShr, workspace, code.int(64, 32))?;
            code.emit.resize(upper, 32)?
        }
        SpecialReg::Envreg(2) => code.emit.resize(asked(code, Asked::Workspace)?, 32)?,
        SpecialReg::ClusterCtaRank | SpecialReg::Envreg(_) => code.int(32, 0),
        SpecialReg::ClusterNCtaRank => code.int(32, 1),
        SpecialReg::TotalSmemSize | SpecialReg::AggrSmemSize => asked(code, Asked::Shared)?,
        SpecialReg::DynamicSmemSize => asked(code, Asked::DynamicShared)?,
        SpecialReg::IsExplicitCluster => code.emit.resize(asked(code, Asked::IsExplicitCluster)?, 1)?,
        // A clock cycle is a nanosecond.
        SpecialReg::Clock64 | SpecialReg::GlobalTimer => asked(code, Asked::Nanoseconds)?,
        SpecialReg::Clock | SpecialReg::GlobalTimerLo => {
            code.emit.resize(asked(code, Asked::Nanoseconds)?, 32)?
        }
        SpecialReg::ClockHi | SpecialReg::GlobalTimerHi => {
            let time = asked(code, Asked::Nanoseconds)?;
            code.builder().binary(BinaryOp::LShr, time, code.int(64, 32))?
        }
        SpecialReg::LanemaskEq => return lanemask(code, |lane| 1 << lane).map_err(Into::into),
        SpecialReg::LanemaskLe => {
            return lanemask(code, |lane| u32::MAX >> (31 - lane)).map_err(Into::into);
        }
        SpecialReg::LanemaskLt => return lanemask(code, |lane| (1 << lane) - 1).map_err(Into::into),
        SpecialReg::LanemaskGe => return lanemask(code, |lane| u32::MAX << lane).map_err(Into::into),
        SpecialReg::LanemaskGt => return lanemask(code, |lane| u32::MAX << lane << 1).map_err(Into::into),
        SpecialReg::LaneId | SpecialReg::Tid => {
            return index(code, dst, register, axis(component)).map_err(Into::into);
        }
        _ => return Err(CompileError::refused(pc, "the special register is not compiled yet")),
    };
    let copies = (0..code.analysis.shapes.copies(dst)).map(|_| registers::spread(code, one, dst));
    copies.collect::<Result<_, LlvmError>>().map_err(Into::into)
}

/// A property of the launch that the runtime knows, as 64 bits.
fn asked<'c>(code: &Code<'_, '_, 'c>, what: Asked) -> Result<Value<'c>, LlvmError> {
    runtime::call_runtime(code, field::runtime::ASK, &[code.int(32, what as u64)], code.types.int(64))
}

/// A lane mask for each lane.
fn lanemask<'c>(code: &Code<'_, '_, 'c>, of_lane: fn(u32) -> u32) -> Result<Vec<Value<'c>>, LlvmError> {
    (0..code.chunks)
        .map(|chunk| lane_masks::constants(code, 32, chunk, |lane| of_lane((lane % WARP) as u32).into()))
        .collect()
}

/// The index of each thread on an axis of its block, or in its warp.
fn index<'c>(
    code: &Code<'_, '_, 'c>,
    dst: u32,
    register: SpecialReg,
    axis: usize,
) -> Result<Vec<Value<'c>>, LlvmError> {
    let builder = code.builder();
    let [x, y, _] = code.launched.block.map(u64::from);
    let (divisor, modulus) = match (register, axis) {
        (SpecialReg::LaneId, _) => (1, WARP as u64),
        (_, 0) => (1, x),
        (_, 1) => (x, y),
        _ => (x * y, u64::MAX),
    };
    let mut values = Vec::new();
    for chunk in code.analysis.shapes.chunks_of(dst) {
        let first = code.int(32, chunk as u64 * u64::from(code.lanes));
        let mut number = builder.binary(BinaryOp::Add, threads::first_thread(code)?, first)?;
        if code.analysis.shapes.is_vector(dst) {
            number = builder.splat(number, code.lanes)?;
            let lanes: Vec<u64> = (0..u64::from(code.lanes)).collect();
            number = builder.binary(BinaryOp::Add, number, code.types.int_vector(32, &lanes)?)?;
        }
        let constant = |value| code.emit.constant(number, 32, value);
        let [divisor, modulus] = [divisor, modulus.min(1 << 31)].map(constant);
        let divided = builder.binary(BinaryOp::UDiv, number, divisor)?;
        values.push(builder.binary(BinaryOp::URem, divided, modulus)?);
    }
    Ok(values)
}

/// The warp index of each chunk.
fn warp_numbers<'c>(code: &Code<'_, '_, 'c>, dst: u32) -> Result<Vec<Value<'c>>, LlvmError> {
    let of_chunk = |chunk: usize| {
        let after = (chunk * code.lanes as usize / WARP) as u64;
        let number = code.builder().binary(BinaryOp::Add, code.inputs.warp, code.int(32, after))?;
        registers::spread(code, number, dst)
    };
    code.analysis.shapes.chunks_of(dst).into_iter().map(of_chunk).collect()
}
