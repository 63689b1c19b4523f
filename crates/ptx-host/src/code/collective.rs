//! Collective operations of the lanes of a warp (manual 9.7.9.6, 9.7.13.2 to 9.7.13.14).
//!
//! | operation | code if all active lanes are one group | code if each lane has a group of its own |
//! |---|---|---|
//! | `vote`, `activemask` | the predicates as a lane mask | that mask and the group of each lane |
//! | `match` | each lane's value compared with all vectors | |
//! | `redux` | vectors are combined, then their lanes; inactive lanes have the identity | one lane after the other |
//! | `elect` | the lowest bit | |
//! | `shfl` | see `shuffle.rs` | |
//! | matrix instructions | see `matrix.rs`, `tiles.rs` | |
//!
//! The participants are determined at the beginning of the block (`gather.rs`); instructions without `.sync` are executed by the active lanes.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, IntPredicate, Value};
use ptx_program::scalar::float::{Extreme, NanRule, SignRule, Subnormals};
use ptx_program::scalar::format::Format;
use ptx_program::scalar::int::{Int, Signedness};
use ptx_program::{
    Alu, Binary, Collective, CollectiveKind, FloatExtreme, Packing, Participants, ReduceOp, Src, VoteMode,
    WARP,
};

use super::state::{Code, Guard, Present};
use super::{lane_masks, lane_values, matrix, registers, shuffle, tiles};
use crate::analysis::BlockId;
use crate::emit::alu::alu_with;
use crate::error::{CompileError, defect};

pub(super) fn collective(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    collective: &Collective,
    pc: u32,
) -> Result<(), CompileError> {
    if matches!(collective.participants, Participants::Converged) {
        code.masks.present = Present::Same(registers::active_lanes(code, guard)?);
    }
    let (srcs, dsts) = (&*collective.srcs, &*collective.dsts);
    match (collective.kind, srcs, dsts) {
        (CollectiveKind::Barrier, ..) => {}
        (CollectiveKind::Shuffle(mode), ..) => shuffle::shuffle(code, id, mode, collective, guard)?,
        (CollectiveKind::Vote(mode), [predicate], [d]) => vote(code, id, guard, mode, *predicate, *d)?,
        (CollectiveKind::MatchAny, [value], [d]) => {
            let same = lanes_with_same(code, *value)?;
            lane_values::write_lanes(code, id, guard, *d, &same)?;
        }
        (CollectiveKind::MatchAll, [value], [d, all]) => match_all(code, id, guard, *value, [*d, *all])?,
        (CollectiveKind::Redux(op, t), [value], [d]) => {
            reduce(code, id, guard, &Reduction::Int(op, t), *value, *d)?;
        }
        (CollectiveKind::ReduxFloat(which, nan, sign), [value], [d]) => {
            reduce(code, id, guard, &Reduction::Float(which, nan, sign), *value, *d)?;
        }
        (CollectiveKind::Elect, [], [d, elected]) => elect(code, id, guard, [*d, *elected])?,
        (CollectiveKind::Multiply(product), ..) => matrix::multiply(code, id, &product, (srcs, dsts), pc)?,
        (CollectiveKind::LoadMatrix(tiles), [addresses], _) => {
            tiles::load_tiles(code, id, &tiles, collective, *addresses, pc)?;
        }
        (CollectiveKind::StoreMatrix(tiles), [addresses, ..], _) => {
            tiles::store_tiles(code, &tiles, collective, *addresses, pc)?;
        }
        (CollectiveKind::LoadFragment(fragment), [address, stride], _) => {
            tiles::load_fragment(code, id, &fragment, collective, [*address, *stride], pc)?;
        }
        (CollectiveKind::StoreFragment(fragment), [address, stride, ..], _) => {
            tiles::store_fragment(code, &fragment, collective, [*address, *stride], pc)?;
        }
        (CollectiveKind::TransposeMatrix, [matrix], [d]) => matrix::transpose(code, id, *matrix, *d, pc)?,
        _ => return Err(CompileError::refused(pc, "the instruction is not compiled yet")),
    }
    Ok(())
}

/// The groups of a chunk's lanes, as a lane mask or a vector of them.
fn group<'c>(code: &Code<'_, '_, 'c>, chunk: usize) -> Value<'c> {
    match &code.masks.present {
        Present::Whole => code.int(32, u64::from(u32::MAX)),
        Present::Same(lanes) => *lanes,
        Present::Each(groups) => groups.get(chunk).copied().unwrap_or(code.int(32, 0)),
    }
}

/// A scalar in the form that groups have.
fn like_groups<'c>(code: &Code<'_, '_, 'c>, value: Value<'c>) -> Result<Value<'c>, LlvmError> {
    match code.masks.present {
        Present::Whole | Present::Same(_) => Ok(value),
        Present::Each(_) => code.builder().splat(value, code.lanes),
    }
}

/// Writes a function of each group.
fn write_of_groups<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    d: u32,
    of_group: impl Fn(Value<'c>) -> Result<Value<'c>, LlvmError>,
) -> Result<(), LlvmError> {
    match code.masks.present {
        Present::Whole | Present::Same(_) => {
            lane_values::write_same(code, id, guard, d, of_group(group(code, 0))?)
        }
        Present::Each(_) => {
            let values: Vec<Value<'c>> =
                (0..code.chunks).map(|chunk| of_group(group(code, chunk))).collect::<Result<_, _>>()?;
            lane_values::write_lanes(code, id, guard, d, &values)
        }
    }
}

/// The lanes of the warp for which a predicate is true, as a lane mask that includes inactive lanes.
fn trues<'c>(code: &Code<'_, '_, 'c>, predicate: Src) -> Result<Value<'c>, LlvmError> {
    if code.analysis.shapes.src(predicate).is_uniform() {
        let holds = code.emit.resize(registers::first(code, predicate, 0)?, 1)?;
        return code.emit.resize_signed(holds, 32);
    }
    lane_masks::lanes_of(code, &registers::vectors(code, predicate, 1)?)
}

fn vote(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    mode: VoteMode,
    predicate: Src,
    d: u32,
) -> Result<(), LlvmError> {
    // `trues` has bits of inactive lanes as well; those of the group are the participants.
    let trues = like_groups(code, trues(code, predicate)?)?;
    write_of_groups(code, id, guard, d, |group| {
        let builder = code.builder();
        let trues = builder.binary(BinaryOp::And, trues, group)?;
        let all = || builder.int_compare(IntPredicate::Eq, trues, group);
        match mode {
            VoteMode::Ballot => Ok(trues),
            VoteMode::All => all(),
            VoteMode::Any => lane_masks::any_bit(code, trues),
            VoteMode::Uniform => builder.binary(
                BinaryOp::Or,
                all()?,
                lane_masks::not(code, lane_masks::any_bit(code, trues)?)?,
            ),
        }
    })
}

/// For each lane, the lanes of its group that have its value.
fn lanes_with_same<'c>(code: &Code<'_, '_, 'c>, value: Src) -> Result<Vec<Value<'c>>, LlvmError> {
    let builder = code.builder();
    let values = lane_values::words(code, value)?;
    let zero = lane_masks::constants(code, 32, 0, |_| 0)?;
    let mut same = vec![zero; code.chunks];
    for lane in 0..WARP {
        let of_lane = builder.splat(shuffle::value_of_lane(code, &values, lane)?, code.lanes)?;
        let bit = lane_masks::constants(code, 32, 0, |_| 1 << lane)?;
        for (same, &values) in same.iter_mut().zip(&values) {
            let equal = builder.int_compare(IntPredicate::Eq, values, of_lane)?;
            *same = builder.binary(BinaryOp::Or, *same, builder.select(equal, bit, zero)?)?;
        }
    }
    let mut within = Vec::new();
    for (chunk, &same) in same.iter().enumerate() {
        let group = match code.masks.present {
            Present::Each(_) => group(code, chunk),
            Present::Whole | Present::Same(_) => builder.splat(group(code, chunk), code.lanes)?,
        };
        within.push(builder.binary(BinaryOp::And, same, group)?);
    }
    Ok(within)
}

fn match_all<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    value: Src,
    dsts: [u32; 2],
) -> Result<(), LlvmError> {
    let builder = code.builder();
    let [d, all] = dsts;
    if let Present::Each(groups) = &code.masks.present {
        let same = lanes_with_same(code, value)?;
        let (mut lanes, mut are_all) = (Vec::new(), Vec::new());
        for (&same, &group) in same.iter().zip(groups) {
            let is_all = builder.int_compare(IntPredicate::Eq, same, group)?;
            lanes.push(builder.select(is_all, group, group.ty().zero())?);
            are_all.push(is_all);
        }
        lane_values::write_lanes(code, id, guard, d, &lanes)?;
        return lane_values::write_lanes(code, id, guard, all, &are_all);
    }
    let group = group(code, 0);
    let values = lane_values::words(code, value)?;
    let ty = values.first().map(|values| values.ty().element()).ok_or_else(|| defect("no values"))?;
    let leader = lane_masks::lane_in_memory(
        code,
        lane_masks::in_memory(code, &values)?,
        ty,
        lane_masks::lowest(code, group)?,
    )?;
    let leader = builder.splat(leader, code.lanes)?;
    let equal: Vec<Value<'c>> = values
        .iter()
        .map(|&values| builder.int_compare(IntPredicate::Eq, values, leader))
        .collect::<Result<_, _>>()?;
    let same = builder.binary(BinaryOp::And, lane_masks::lanes_of(code, &equal)?, group)?;
    let is_all = builder.int_compare(IntPredicate::Eq, same, group)?;
    lane_values::write_same(code, id, guard, d, builder.select(is_all, group, code.int(32, 0))?)?;
    lane_values::write_same(code, id, guard, all, is_all)
}

fn elect(
    code: &Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    [d, elected]: [u32; 2],
) -> Result<(), LlvmError> {
    let mut are_elected = Vec::new();
    for chunk in 0..code.chunks {
        let leader = lane_masks::lowest(code, group(code, chunk))?;
        let leader = match code.masks.present {
            Present::Each(_) => leader,
            Present::Whole | Present::Same(_) => code.builder().splat(leader, code.lanes)?,
        };
        let own = lane_masks::constants(code, 32, chunk, |lane| lane as u64)?;
        are_elected.push(code.builder().int_compare(IntPredicate::Eq, leader, own)?);
    }
    write_of_groups(code, id, guard, d, |group| lane_masks::lowest(code, group))?;
    lane_values::write_lanes(code, id, guard, elected, &are_elected)
}

/// `redux`.
fn reduce<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    reduction: &Reduction,
    value: Src,
    d: u32,
) -> Result<(), LlvmError> {
    let values = registers::vectors(code, value, 32)?;
    // A single value is combined with itself, so that a NaN becomes canonical.
    let values: Vec<Value<'c>> = match reduction {
        Reduction::Int(..) => values,
        Reduction::Float(..) => values
            .iter()
            .map(|&value| joined_values(code, reduction, value, value))
            .collect::<Result<_, _>>()?,
    };
    match &code.masks.present {
        Present::Each(groups) => {
            let reduced = reduced_in_groups(code, reduction, &values, groups)?;
            lane_values::write_lanes(code, id, guard, d, &reduced)
        }
        Present::Whole => lane_values::write_same(code, id, guard, d, reduced(code, reduction, &values)?),
        Present::Same(lanes) => {
            let neutral = match reduction {
                Reduction::Int(op, t) => code.int(32, neutral(*op, *t)),
                // The value of a participant changes nothing.
                Reduction::Float(..) => {
                    let memory = lane_masks::in_memory(code, &values)?;
                    lane_masks::lane_in_memory(
                        code,
                        memory,
                        code.types.int(32),
                        lane_masks::lowest(code, *lanes)?,
                    )?
                }
            };
            let neutral = code.builder().splat(neutral, code.lanes)?;
            let values: Vec<Value<'c>> = values
                .iter()
                .zip(&code.masks.active)
                .map(|(&value, &mask)| code.builder().select(mask, value, neutral))
                .collect::<Result<_, _>>()?;
            lane_values::write_same(code, id, guard, d, reduced(code, reduction, &values)?)
        }
    }
}

/// Reduces the values of all lanes to one: first across vectors, then by halving.
fn reduced<'c>(
    code: &Code<'_, '_, 'c>,
    reduction: &Reduction,
    values: &[Value<'c>],
) -> Result<Value<'c>, LlvmError> {
    let Some((&first, others)) = values.split_first() else { return Err(defect("no values")) };
    let mut all = first;
    for &other in others {
        all = joined_values(code, reduction, all, other)?;
    }
    let mut half = code.lanes / 2;
    while half > 0 {
        let upper: Vec<Option<u32>> = (0..code.lanes).map(|lane| Some((lane + half) % code.lanes)).collect();
        let other = code.builder().shuffle(all, all, &upper)?;
        all = joined_values(code, reduction, all, other)?;
        half /= 2;
    }
    code.builder().extract_element(all, 0)
}

fn reduced_in_groups<'c>(
    code: &Code<'_, '_, 'c>,
    reduction: &Reduction,
    values: &[Value<'c>],
    groups: &[Value<'c>],
) -> Result<Vec<Value<'c>>, LlvmError> {
    let builder = code.builder();
    // In floating point (minimum and maximum) each lane starts with its own value, since combining it again changes nothing.
    let mut reduced = match reduction {
        Reduction::Int(op, t) => vec![lane_masks::constants(code, 32, 0, |_| neutral(*op, *t))?; code.chunks],
        Reduction::Float(..) => values.to_vec(),
    };
    for lane in 0..WARP {
        let of_lane = builder.splat(shuffle::value_of_lane(code, values, lane)?, code.lanes)?;
        let bit = lane_masks::constants(code, 32, 0, |_| 1 << lane)?;
        for (reduced, &group) in reduced.iter_mut().zip(groups) {
            let takes_part = lane_masks::any_bit(code, builder.binary(BinaryOp::And, group, bit)?)?;
            let joined = joined_values(code, reduction, *reduced, of_lane)?;
            *reduced = builder.select(takes_part, joined, *reduced)?;
        }
    }
    Ok(reduced)
}

fn joined_values<'c>(
    code: &Code<'_, '_, 'c>,
    reduction: &Reduction,
    a: Value<'c>,
    b: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    match *reduction {
        Reduction::Int(op, t) => {
            let is_signed = t.sign() == Signedness::Signed;
            let smaller = |less: bool| {
                let predicate = match (is_signed, less) {
                    (true, true) => IntPredicate::Slt,
                    (true, false) => IntPredicate::Sgt,
                    (false, true) => IntPredicate::Ult,
                    (false, false) => IntPredicate::Ugt,
                };
                builder.select(builder.int_compare(predicate, a, b)?, a, b)
            };
            match op {
                ReduceOp::Add => builder.binary(BinaryOp::Add, a, b),
                ReduceOp::And => builder.binary(BinaryOp::And, a, b),
                ReduceOp::Or => builder.binary(BinaryOp::Or, a, b),
                ReduceOp::Xor => builder.binary(BinaryOp::Xor, a, b),
                ReduceOp::Min => smaller(true),
                ReduceOp::Max => smaller(false),
            }
        }
        Reduction::Float(which, nan, sign) => {
            let extreme =
                FloatExtreme { format: Format::F32, subnormals: Subnormals::Keep, which, nan, sign };
            let row = Src::register(0);
            let op = Binary::Extreme(extreme);
            let alu = Alu::Binary { op, packing: Packing::Whole, d: 0, a: row, b: row };
            let made = alu_with(&code.emit, &alu, &[a, b], code.style)?;
            made.and_then(|made| made.first().copied()).ok_or_else(|| defect("no form of a minimum"))
        }
    }
}

/// The operation of `redux`.
enum Reduction {
    Int(ReduceOp, Int),
    Float(Extreme, NanRule, SignRule),
}

/// The identity of an operation, as 32 bits.
fn neutral(op: ReduceOp, t: Int) -> u64 {
    let ones = u64::from(u32::MAX);
    match (op, t.sign()) {
        (ReduceOp::Add | ReduceOp::Or | ReduceOp::Xor, _) | (ReduceOp::Max, Signedness::Unsigned) => 0,
        (ReduceOp::And, _) | (ReduceOp::Min, Signedness::Unsigned) => ones,
        (ReduceOp::Min, Signedness::Signed) => ones >> 1,
        (ReduceOp::Max, Signedness::Signed) => 1 << 31,
    }
}
