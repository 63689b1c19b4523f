//! Loads whose addresses are consecutive within each four lanes.
//!
//! Lanes hold fragments of matrices four to a row: lane 4 r + c has the element at row r and column c. Where the addresses of a load may have this
//! pattern, which is guessed from the way they are computed, code tests for it, and loads four elements at once instead of gathering them:
//!
//! ```text
//! %firsts = shufflevector <16 x i64> %addresses, 0 0 0 0 4 4 4 4 ..
//! %same = icmp eq %addresses, (%firsts + <0, 4, 8, 12, 0, 4, ..>)
//! br i1 %all, label %quads, label %gather
//! ```

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Value};
use ptx_program::memory::Space;
use ptx_program::{Alu, Binary, Effect, Op, Packing, Src, Ternary, Unary};
use rustc_hash::FxHashMap;

use super::addressing;
use super::fork::Fork;
use super::state::Code;
use crate::analysis::Shape;
use crate::strategy::Form;

/// The possible difference between neighbors of four lanes: `None` if unknown, `Some(None)` in a loop if it does not change.
type Between = Option<Option<i64>>;

/// Lanes whose addresses may be consecutive.
const QUAD: u32 = 4;

/// Whether addresses may be `bytes` bytes apart within each four lanes.
pub(super) fn may_have_quads(code: &Code<'_, '_, '_>, base: Src, bytes: u32) -> bool {
    code.lanes.is_multiple_of(QUAD)
        && !code.checks()
        && code.strategy.allows(Form::Quads)
        && code.analysis.shapes.src(base) == Shape::Varying
        && between(code, base, &mut FxHashMap::default()) == Some(Some(i64::from(bytes)))
}

/// The possible difference between neighbors in a row, from how it is computed. Wrap-around is ignored.
fn between(code: &Code<'_, '_, '_>, src: Src, known: &mut FxHashMap<u32, Between>) -> Between {
    match code.analysis.shapes.src(src) {
        Shape::Varying => {}
        Shape::Indexed(indexed) => return Some(Some(indexed.stride().within)),
        shape => return Some(shape.stride().map(|stride| stride.within)),
    }
    let row = src.as_register()?;
    // A row of a loop depends on itself: meanwhile it counts as unchanged, and its other writers decide. This is a guess that code
    // tests, so it may be wrong.
    if let Some(&between) = known.get(&row) {
        return between;
    }
    known.insert(row, Some(None));
    let between = between_written(code, row, known);
    known.insert(row, between);
    between
}

/// The possible difference, joined over all instructions that write the row.
fn between_written(code: &Code<'_, '_, '_>, row: u32, known: &mut FxHashMap<u32, Between>) -> Between {
    let graph = &code.analysis.graph;
    let insts = graph.blocks().iter().flat_map(|block| graph.code(code.program, block));
    let mut found = None;
    for (_, inst, _) in insts.filter(|(.., access)| access.writes.contains(&row)) {
        let stride = match &inst.op {
            Op::Effect(Effect::Copy(pairs)) => {
                let source = pairs.iter().find(|(dst, _)| *dst == row)?.1;
                between(code, source, known)?
            }
            Op::Alu(alu) => between_computed(code, alu, known)?,
            Op::Effect(_) => return None,
        };
        if found.is_some() && stride.is_some() && found != stride {
            return None;
        }
        found = found.or(stride);
    }
    Some(found)
}

fn between_computed(code: &Code<'_, '_, '_>, alu: &Alu, known: &mut FxHashMap<u32, Between>) -> Between {
    let constant = |src: Src| match code.analysis.shapes.src(src) {
        Shape::Constant(value) => i64::try_from(value).ok(),
        _ => None,
    };
    let sum = |a: Option<i64>, b: Option<i64>, sign: i64| {
        a.zip(b).map(|(a, b)| a.wrapping_add(b.wrapping_mul(sign)))
    };
    let masked = |stride: i64, mask: i64| match mask & 3 {
        3 => Some(stride),
        0 => Some(0),
        _ => (stride == 0).then_some(0),
    };
    let shifted = |stride: i64, by: i64| (stride == 0 || (stride == 1 && by >= 2)).then_some(0);
    let mut of = |src: Src| between(code, src, known);
    // A product with an unknown factor has difference zero only if both are equal in the four lanes.
    let product = |[a, b]: [(Src, Option<i64>); 2]| match (constant(a.0), constant(b.0)) {
        (_, Some(factor)) => a.1.map(|stride| stride.wrapping_mul(factor)),
        (Some(factor), _) => b.1.map(|stride| stride.wrapping_mul(factor)),
        _ => (a.1 == Some(0) && b.1 == Some(0)).then_some(0),
    };
    match *alu {
        Alu::Unary { op, packing: Packing::Whole, a, .. } => match op {
            Unary::IntToInt { .. } | Unary::AddConstant { .. } => of(a),
            Unary::Field { shift: 0, mask } => masked(of(a)??, mask as i64).map(Some),
            Unary::Field { shift, .. } => shifted(of(a)??, shift.into()).map(Some),
            _ => (of(a)?? == 0).then_some(Some(0)),
        },
        Alu::Binary { op, packing: Packing::Whole, a, b, .. } => match op {
            Binary::IntAdd(..) | Binary::Or => Some(sum(of(a)?, of(b)?, 1)),
            Binary::IntSub(..) => Some(sum(of(a)?, of(b)?, -1)),
            Binary::IntMul(..) => product([(a, of(a)?), (b, of(b)?)]).map(Some),
            Binary::Shl(_) => {
                let by = constant(b).filter(|by| (0..32).contains(by))?;
                Some(Some(of(a)??.wrapping_mul(1 << by)))
            }
            Binary::Shr(_) => shifted(of(a)??, constant(b)?).map(Some),
            Binary::And => masked(of(a)??, constant(b)?).map(Some),
            _ => (of(a)?? == 0 && of(b)?? == 0).then_some(Some(0)),
        },
        Alu::Ternary { op: Ternary::IntMad(..), packing: Packing::Whole, a, b, c, .. } => {
            let product = product([(a, of(a)?), (b, of(b)?)])?;
            Some(sum(Some(product), of(c)?, 1))
        }
        _ => None,
    }
}

/// Loads in quads if all lanes are active and their addresses have the pattern; `gather` generates the code otherwise. Both return a vector for
/// each chunk of addresses. These are tested before `offset` is added: loads at other offsets then share the test, which LLVM merges.
pub(super) fn quads<'c>(
    code: &Code<'_, '_, 'c>,
    (space, offset): (Space, i64),
    (bits, align): (u32, u32),
    chunks: &[(Value<'c>, Value<'c>)],
    gather: impl FnOnce(&Code<'_, '_, 'c>) -> Result<Vec<Value<'c>>, LlvmError>,
) -> Result<Vec<Value<'c>>, LlvmError> {
    let builder = code.builder();
    let firsts: Vec<_> = (0..code.lanes).map(|lane| Some(lane / QUAD * QUAD)).collect();
    let offsets: Vec<u64> =
        (0..code.lanes).map(|lane| u64::from(lane % QUAD) * u64::from(bits / 8)).collect();
    let mut all: Option<Value<'c>> = None;
    for &(addresses, mask) in chunks {
        let expected = builder.shuffle(addresses, addresses, &firsts)?;
        let expected = builder.binary(BinaryOp::Add, expected, code.types.int_vector(64, &offsets)?)?;
        let same = builder.int_compare(IntPredicate::Eq, addresses, expected)?;
        let same = builder.binary(BinaryOp::And, same, mask)?;
        all = Some(match all {
            None => same,
            Some(others) => builder.binary(BinaryOp::And, others, same)?,
        });
    }
    let Some(all) = all else { return Ok(Vec::new()) };
    let lanes = builder.cast(CastOp::BitCast, all, code.types.int(code.lanes))?;
    let is_all =
        builder.int_compare(IntPredicate::Eq, lanes, code.int(code.lanes, u64::MAX >> (64 - code.lanes)))?;
    let fork = Fork::new(code, is_all, Some(true), ["quads", "gather", "loaded"])?;
    let mut loaded = Vec::new();
    for &(addresses, _) in chunks {
        loaded.push(quad_loads(code, (space, offset), (bits, align), addresses)?);
    }
    let other = fork.other(code)?;
    let gathered = gather(code)?;
    let met = other.meet(code)?;
    loaded.into_iter().zip(gathered).map(|(fast, slow)| met.either(code, [fast, slow])).collect()
}

/// A vector of the elements of each four lanes, one after the other.
fn quad_loads<'c>(
    code: &Code<'_, '_, 'c>,
    (space, offset): (Space, i64),
    (bits, align): (u32, u32),
    addresses: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    let builder = code.builder();
    let ty = code.types.vector(code.types.int(bits), QUAD);
    let mut parts = Vec::new();
    for first in (0..code.lanes).step_by(QUAD as usize) {
        let address = builder.extract_element(addresses, first)?;
        let place = match addressing::window(code, space) {
            Some(window) => builder.offset(window, address)?,
            None => builder.cast(CastOp::IntToPtr, address, code.types.pointer(0))?,
        };
        let place = builder.offset(place, code.int(64, offset as u64))?;
        parts.push(builder.load(ty, place, align, Ordinary)?);
    }
    let mut length = QUAD;
    while let [_, _, ..] = parts[..] {
        let lanes: Vec<_> = (0..2 * length).map(Some).collect();
        let pairs = parts.chunks(2).map(|pair| builder.shuffle(pair[0], pair[1], &lanes));
        parts = pairs.collect::<Result<_, _>>()?;
        length *= 2;
    }
    parts.pop().ok_or_else(|| crate::error::defect("a vector without lanes"))
}
