//! `shfl.sync`: values of other lanes.
//!
//! If the lane and the clamp are constants, each vector of the result is a shuffle of its source vectors. Otherwise lanes
//! are looked up: with AVX-512's two-source permutation, or in memory.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::{Collective, ShuffleMode, Src, WARP};

use super::state::{Code, Guard, Present};
use super::{lane_masks, lane_values, registers};
use crate::analysis::{BlockId, Shape};
use crate::error::defect;

/// A shuffle. A lane whose source lane does not take part gets its own value, as in the interpreter.
pub(super) fn shuffle<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    mode: ShuffleMode,
    collective: &Collective,
    guard: Guard,
) -> Result<(), LlvmError> {
    let ([value, lane, clamp], [out, in_range]) = (&*collective.srcs, &*collective.dsts) else {
        return Err(defect("a shuffle with other operands"));
    };
    let sources = sources(code, mode, *lane, *clamp)?;
    let is_inside: Vec<Value<'c>> = match &sources {
        Sources::Known(sources) => (0..code.chunks)
            .map(|chunk| lane_masks::constants(code, 1, chunk, |lane| sources[lane % WARP].is_some().into()))
            .collect::<Result<_, _>>()?,
        Sources::Computed(computed) => computed.iter().map(|(_, is_inside)| *is_inside).collect(),
    };
    let shuffled = shuffled(code, *value, *lane, *out, &sources)?;
    registers::write(code, id, guard, *out, &shuffled)?;
    lane_values::write_lanes(code, id, guard, *in_range, &is_inside)
}

/// The source lanes.
fn sources<'c>(
    code: &Code<'_, '_, 'c>,
    mode: ShuffleMode,
    lane: Src,
    clamp: Src,
) -> Result<Sources<'c>, LlvmError> {
    if let (Shape::Constant(lane), Shape::Constant(clamp)) =
        (code.analysis.shapes.src(lane), code.analysis.shapes.src(clamp))
    {
        let known = (0..WARP).map(|own| mode.source(own, lane, clamp)).collect();
        return Ok(Sources::Known(known));
    }
    (0..code.chunks)
        .map(|chunk| source_lanes(code, mode, lane, clamp, chunk))
        .collect::<Result<_, _>>()
        .map(Sources::Computed)
}

/// The source lanes of a chunk, and whether they are in range: the formulas of manual 9.7.9.6.
fn source_lanes<'c>(
    code: &Code<'_, '_, 'c>,
    mode: ShuffleMode,
    lane: Src,
    clamp: Src,
    chunk: usize,
) -> Result<(Value<'c>, Value<'c>), LlvmError> {
    let builder = code.builder();
    let binary = |op, a, b| builder.binary(op, a, b);
    let own = lane_masks::constants(code, 32, chunk, |lane| lane as u64)?;
    let low = code.emit.constant(own, 32, 31);
    let word = |src| code.emit.resize(registers::vector(code, src, chunk)?, 32);
    let offset = binary(BinaryOp::And, word(lane)?, low)?;
    let clamp = word(clamp)?;
    let eight = code.emit.constant(own, 32, 8);
    let segment = binary(BinaryOp::And, binary(BinaryOp::LShr, clamp, eight)?, low)?;
    let clamp = binary(BinaryOp::And, clamp, low)?;
    let lowest = binary(BinaryOp::And, own, segment)?;
    let outside = lane_masks::not(code, segment)?;
    let limit = binary(BinaryOp::Or, lowest, binary(BinaryOp::And, clamp, outside)?)?;
    let source = match mode {
        ShuffleMode::Up => binary(BinaryOp::Sub, own, offset)?,
        ShuffleMode::Down => binary(BinaryOp::Add, own, offset)?,
        ShuffleMode::Butterfly => binary(BinaryOp::Xor, own, offset)?,
        ShuffleMode::Index => binary(BinaryOp::Or, lowest, binary(BinaryOp::And, offset, outside)?)?,
    };
    let predicate = if mode == ShuffleMode::Up { IntPredicate::Sge } else { IntPredicate::Sle };
    Ok((source, builder.int_compare(predicate, source, limit)?))
}

/// The shuffled values, in the form of a row.
fn shuffled<'c>(
    code: &Code<'_, '_, 'c>,
    value: Src,
    lane: Src,
    out: u32,
    sources: &Sources<'c>,
) -> Result<Vec<Value<'c>>, LlvmError> {
    // NaNs need no canonicalization if the result row may have any payload.
    let has_any = code.analysis.nans.has_any(out);
    if code.analysis.shapes.src(value).is_uniform() {
        let of = |chunk| match has_any {
            true => registers::raw(code, value, code.analysis.shapes.is_vector(out), chunk),
            false => registers::value(code, value, out, chunk),
        };
        return code.analysis.shapes.chunks_of(out).into_iter().map(of).collect();
    }
    let bits = code.analysis.widths.src(value).max(32);
    let of = |chunk| {
        if has_any { registers::raw(code, value, true, chunk) } else { registers::vector(code, value, chunk) }
    };
    let values: Vec<Value<'c>> =
        (0..code.chunks).map(|chunk| code.emit.resize(of(chunk)?, bits)).collect::<Result<_, _>>()?;
    if !code.analysis.shapes.is_vector(out) {
        // All lanes read the same source lane.
        let one = match code.analysis.shapes.src(lane) {
            Shape::Constant(lane) => value_of_lane(code, &values, lane as usize % WARP)?,
            _ => {
                let lane = code.emit.resize(registers::first(code, lane, 0)?, 32)?;
                let lane = code.builder().binary(BinaryOp::And, lane, code.int(32, WARP as u64 - 1))?;
                let memory = lane_masks::in_memory(code, &values)?;
                lane_masks::lane_in_memory(code, memory, code.types.int(bits), lane)?
            }
        };
        return Ok(vec![one; code.analysis.shapes.copies(out)]);
    }
    match sources {
        Sources::Known(sources) => {
            let mut all = Vec::new();
            for (warp, values) in values.chunks(code.chunks / code.analysis.warps).enumerate() {
                all.extend(shuffled_as_known(code, values, sources, warp)?);
            }
            Ok(all)
        }
        Sources::Computed(computed) => looked_up(code, &values, computed),
    }
}

/// The value of a lane.
pub(super) fn value_of_lane<'c>(
    code: &Code<'_, '_, 'c>,
    values: &[Value<'c>],
    lane: usize,
) -> Result<Value<'c>, LlvmError> {
    let lanes = code.lanes as usize;
    let vector = values.get(lane / lanes).ok_or_else(|| defect("no such lane"))?;
    code.builder().extract_element(*vector, (lane % lanes) as u32)
}

/// The shuffled values of one warp, the one with this number in its group.
fn shuffled_as_known<'c>(
    code: &Code<'_, '_, 'c>,
    values: &[Value<'c>],
    sources: &[Option<usize>],
    warp: usize,
) -> Result<Vec<Value<'c>>, LlvmError> {
    let before = warp * values.len();
    let source = |lane: usize| sources[lane].unwrap_or(lane);
    let mut results = Vec::new();
    for (chunk, &own) in values.iter().enumerate() {
        let shuffled = picked(code, values, chunk, source)?;
        // The manual leaves open what a lane gets from one that does not take part; as in the interpreter it keeps its own value.
        let bits = |lane: usize| 1 << source(lane);
        let here = match &code.masks.present {
            Present::Whole => None,
            Present::Same(lanes) => {
                let lanes = code.builder().splat(*lanes, code.lanes)?;
                Some(code.builder().binary(
                    BinaryOp::And,
                    lanes,
                    lane_masks::constants(code, 32, chunk, bits)?,
                )?)
            }
            Present::Each(groups) => Some(code.builder().binary(
                BinaryOp::And,
                groups[before + chunk],
                lane_masks::constants(code, 32, chunk, bits)?,
            )?),
        };
        results.push(match here {
            None => shuffled,
            Some(bits) => code.builder().select(lane_masks::any_bit(code, bits)?, shuffled, own)?,
        });
    }
    Ok(results)
}

/// A vector of the values of known lanes.
fn picked<'c>(
    code: &Code<'_, '_, 'c>,
    values: &[Value<'c>],
    chunk: usize,
    source: impl Fn(usize) -> usize,
) -> Result<Value<'c>, LlvmError> {
    let lanes = code.lanes as usize;
    let sources: Vec<usize> = (chunk * lanes..(chunk + 1) * lanes).map(source).collect();
    // LLVM's `shufflevector` takes two vectors. Lanes from a third one are inserted by another shuffle of the intermediate result with that vector;
    // the other lanes keep their positions.
    let mut from: Vec<usize> = sources.iter().map(|source| source / lanes).collect();
    from.sort_unstable();
    from.dedup();
    let at = |which: usize| values.get(which).copied().ok_or_else(|| defect("no such lane"));
    let Some((&first, others)) = from.split_first() else { return Err(defect("a vector without lanes")) };
    let within = |which: usize, base: usize| -> Vec<Option<u32>> {
        sources
            .iter()
            .enumerate()
            .map(|(lane, source)| {
                Some(if source / lanes == which { base + source % lanes } else { lane } as u32)
            })
            .collect()
    };
    let Some((&second, others)) = others.split_first() else {
        return code.builder().shuffle(at(first)?, at(first)?, &within(first, 0));
    };
    let pair: Vec<Option<u32>> = sources
        .iter()
        .map(|source| match source / lanes {
            which if which == first => Some((source % lanes) as u32),
            which if which == second => Some((lanes + source % lanes) as u32),
            _ => None,
        })
        .collect();
    let mut result = code.builder().shuffle(at(first)?, at(second)?, &pair)?;
    for &other in others {
        result = code.builder().shuffle(result, at(other)?, &within(other, lanes))?;
    }
    Ok(result)
}

fn looked_up<'c>(
    code: &Code<'_, '_, 'c>,
    values: &[Value<'c>],
    computed: &[(Value<'c>, Value<'c>)],
) -> Result<Vec<Value<'c>>, LlvmError> {
    let builder = code.builder();
    let mut indices = Vec::new();
    for (chunk, &(source, is_inside)) in computed.iter().enumerate() {
        let own = lane_masks::constants(code, 32, chunk, |lane| lane as u64)?;
        let source = builder.select(is_inside, source, own)?;
        let lanes = match &code.masks.present {
            Present::Whole => None,
            Present::Same(lanes) => Some(builder.splat(*lanes, code.lanes)?),
            Present::Each(groups) => Some(groups[chunk]),
        };
        indices.push(match lanes {
            None => source,
            Some(lanes) => {
                let bit = code.emit.resize(builder.binary(BinaryOp::LShr, lanes, source)?, 1)?;
                builder.select(bit, source, own)?
            }
        });
    }
    permuted(code, values, &indices)
}

/// The values of lanes whose numbers are in vectors.
fn permuted<'c>(
    code: &Code<'_, '_, 'c>,
    values: &[Value<'c>],
    indices: &[Value<'c>],
) -> Result<Vec<Value<'c>>, LlvmError> {
    let builder = code.builder();
    let ty = values.first().map(|value| value.ty()).ok_or_else(|| defect("no values"))?;
    let bits = ty.element().bits().ok_or_else(|| defect("values without a width"))?;
    if let ([low, high], 16, 32, true) = (values, code.lanes, bits, code.style.has_roundings) {
        let name = "llvm.x86.avx512.vpermi2var.d.512";
        return indices.iter().map(|index| builder.intrinsic(name, &[], &[*low, *index, *high])).collect();
    }
    let memory = lane_masks::in_memory(code, values)?;
    let all = code.types.vector_value(&vec![code.types.bool_value(true); code.lanes as usize])?;
    indices
        .iter()
        .map(|&index| {
            let size = code.emit.constant(index, 32, u64::from(bits / 8));
            let places = builder.vector_offset(memory, builder.binary(BinaryOp::Mul, index, size)?)?;
            builder.masked_gather(ty, places, bits / 8, all, ty.zero())
        })
        .collect()
}

/// The source lanes.
enum Sources<'c> {
    /// Constants: for each lane, its source if that is in range.
    Known(Vec<Option<usize>>),
    /// For each chunk the source lanes, and whether they are in range.
    Computed(Vec<(Value<'c>, Value<'c>)>),
}
