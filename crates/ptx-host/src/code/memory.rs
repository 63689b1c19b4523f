//! Loads and stores.
//!
//! | address | load | store |
//! |---|---|---|
//! | uniform, or uniform per chunk | a scalar load | a scalar store of the last active lane's value |
//! | consecutive accesses | a vector load for each chunk, masked if not all lanes are active | a masked vector store |
//! | perhaps consecutive within each four lanes | a test, and loads of four elements (`quads.rs`) or a gather | a scatter |
//! | varying | a gather | a scatter |
//!
//! Consecutive vector accesses are deinterleaved: `ld.v2` of 16 lanes is a load of 32 elements and two shuffles.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate, Value};
use ptx_program::memory::Space;
use ptx_program::{Address, AddressWidth, Base, Load, Src, Store};

use super::fork::Fork;
use super::state::{Code, Guard};
use super::{addressing, generic, index, notes, prefetch, quads, registers, window};
use crate::analysis::{Accessed, BlockId, Form, Indexed, form, window_of};
use crate::error::{CompileError, defect};
use crate::notes::RemarkKind;

pub(super) fn load(
    code: &mut Code<'_, '_, '_>,
    id: BlockId,
    guard: Guard,
    load: &Load,
    pc: u32,
) -> Result<(), CompileError> {
    if generic::special_load(code, id, guard, load, pc)?.is_some() {
        return Ok(());
    }
    let loaded = found(code, guard, load, plain(&load.address, pc)?)?;
    prefetch::announce(code, id, load)?;
    set_loaded(code, id, guard, load, loaded)
}

/// The results of a plain load, for each element: one value for all lanes, one for each chunk, or vectors.
pub(super) fn found<'c>(
    code: &Code<'_, '_, 'c>,
    guard: Guard,
    load: &Load,
    base: Src,
) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
    // Bytes that the program does not use are read too: an aligned access does not cross into another page.
    elements(code, Accessed { address: &load.address, base, guard, size: load.size, count: load.dsts.len() })
}

/// Writes the results of a load to its rows.
pub(super) fn set_loaded<'c>(
    code: &Code<'_, '_, 'c>,
    id: BlockId,
    guard: Guard,
    load: &Load,
    loaded: Vec<Vec<Value<'c>>>,
) -> Result<(), CompileError> {
    for (&dst, values) in load.dsts.iter().zip(loaded) {
        // A row that other instructions write too may have values for each chunk where this load has one.
        let mut filled = Vec::new();
        for chunk in code.analysis.shapes.chunks_of(dst) {
            let value = values.get(chunk).or(values.first()).copied();
            let mut value = value.ok_or_else(|| defect("a load without a value"))?;
            match (code.analysis.shapes.is_vector(dst), value.ty().vector_parts().is_some()) {
                (true, false) => value = code.builder().splat(value, code.lanes)?,
                (false, true) => value = of_first(code, guard, chunk, value)?,
                (true, true) | (false, false) => {}
            }
            filled.push(addressing::fill(code, load, value)?);
        }
        registers::write(code, id, guard, dst, &filled)?;
    }
    Ok(())
}

/// The value of the first active lane of a chunk, if there is one.
fn of_first<'c>(
    code: &Code<'_, '_, 'c>,
    guard: Guard,
    chunk: usize,
    values: Value<'c>,
) -> Result<Value<'c>, LlvmError> {
    // Without an active lane `cttz` gives the number of lanes, which is no lane; masked, it is lane 0, whose value is never used.
    let bits = code.types.int(code.lanes);
    let lanes = code.builder().cast(CastOp::BitCast, registers::active(code, guard, chunk)?, bits)?;
    let zeros = code.builder().intrinsic("llvm.cttz", &[bits], &[lanes, code.int(1, 0)])?;
    let most = code.int(code.lanes, u64::from(code.lanes) - 1);
    let lane = code.builder().binary(BinaryOp::And, zeros, most)?;
    code.builder().extract_lane(values, lane)
}

/// The loaded values of each element: one value for all lanes, one for each chunk, or vectors.
fn elements<'c>(code: &Code<'_, '_, 'c>, accessed: Accessed<'_>) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
    let form = form(code.analysis, accessed);
    note_form(code, accessed, form, RemarkKind::Gather);
    match form {
        Form::Uniform => scalars(code, accessed, 1),
        Form::Chunkwise => scalars(code, accessed, code.chunks),
        Form::Consecutive(None) => consecutive(code, accessed),
        Form::Consecutive(Some((row, indexed))) => consecutive_unless(code, accessed, row, indexed),
        Form::Any => gathers_or_quads(code, accessed),
    }
}

/// Notes the code of an access; `apart` is the kind of remark if each lane has an address of its own.
fn note_form(code: &Code<'_, '_, '_>, accessed: Accessed<'_>, form: Form, apart: RemarkKind) {
    let bytes = i64::from(accessed.size) * accessed.count as i64;
    if form == Form::Any && window_of(code.analysis, code.launched, accessed).is_some() {
        notes::note_mask(code, accessed.guard);
        return;
    }
    match form {
        Form::Any => notes::note_access(code, apart, Some(accessed.base), bytes),
        // A load for each chunk is a scalar.
        Form::Chunkwise if apart == RemarkKind::Scatter => {
            notes::note_access(code, apart, Some(accessed.base), bytes);
        }
        Form::Consecutive(index) => {
            if index.is_some() {
                notes::note(code, RemarkKind::Tested, Some(accessed.base));
            }
            notes::note_mask(code, accessed.guard);
        }
        Form::Uniform | Form::Chunkwise => {}
    }
}

/// Scalar loads, one for each of the first chunks. If no lane of a chunk is active, it reads a dummy address.
fn scalars<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
    chunks: usize,
) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
    let ty = code.types.int(accessed.bits());
    let mut values = vec![Vec::new(); accessed.count];
    for chunk in 0..chunks {
        if repeat(&mut values, addressing::same_as(code, accessed.base, chunk)) {
            continue;
        }
        let first = registers::first(code, accessed.base, chunk)?;
        let runs = if chunks == 1 {
            some_run(code, accessed.guard)?
        } else {
            Some(has_lane(code, active_alike(code, accessed, chunk)?)?)
        };
        for (element, values) in values.iter_mut().enumerate() {
            let mut place = addressing::element_place(code, accessed, first, element)?;
            if let Some(runs) = runs {
                place = code.builder().select(runs, place, code.frame)?;
            }
            values.push(code.builder().load(ty, place, accessed.size, Ordinary)?);
        }
    }
    Ok(values)
}

/// Whether a chunk has active lanes for which the guard holds.
fn runs<'c>(code: &Code<'_, '_, 'c>, guard: Guard, chunk: usize) -> Result<Value<'c>, LlvmError> {
    has_lane(code, registers::active(code, guard, chunk)?)
}

fn has_lane<'c>(code: &Code<'_, '_, 'c>, mask: Value<'c>) -> Result<Value<'c>, LlvmError> {
    let lanes = code.builder().cast(CastOp::BitCast, mask, code.types.int(code.lanes))?;
    code.builder().int_compare(IntPredicate::Ne, lanes, code.int(code.lanes, 0))
}

/// The active lanes of a chunk and of later ones with the same addresses.
fn active_alike<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
    chunk: usize,
) -> Result<Value<'c>, LlvmError> {
    let mut mask = registers::active(code, accessed.guard, chunk)?;
    for other in chunk + 1..code.chunks {
        if addressing::same_as(code, accessed.base, other) == chunk {
            mask =
                code.builder().binary(BinaryOp::Or, mask, registers::active(code, accessed.guard, other)?)?;
        }
    }
    Ok(mask)
}

/// Whether the guard holds for an active lane; `None` if it always does.
fn some_run<'c>(code: &Code<'_, '_, 'c>, guard: Guard) -> Result<Option<Value<'c>>, LlvmError> {
    if guard.is_none() {
        return Ok(None);
    }
    let mut some = runs(code, guard, 0)?;
    for chunk in 1..code.chunks {
        some = code.builder().binary(BinaryOp::Or, some, runs(code, guard, chunk)?)?;
    }
    Ok(Some(some))
}

fn consecutive<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
    let count = accessed.count as u32;
    let ty = code.types.vector(code.types.int(accessed.bits()), count * code.lanes);
    let mut values = vec![Vec::new(); accessed.count];
    for chunk in 0..code.chunks {
        if repeat(&mut values, addressing::same_as(code, accessed.base, chunk)) {
            continue;
        }
        let first = index::first_unwrapped(code, accessed.base, chunk)?;
        let place = addressing::element_place(code, accessed, first, 0)?;
        let mask = repeated(code, active_alike(code, accessed, chunk)?, count)?;
        let all = code.builder().masked_load(ty, place, accessed.size, mask, ty.zero())?;
        for (element, values) in values.iter_mut().enumerate() {
            let lanes: Vec<_> = (0..code.lanes).map(|lane| Some(lane * count + element as u32)).collect();
            values.push(if count == 1 { all } else { code.builder().shuffle(all, all, &lanes)? });
        }
    }
    Ok(values)
}

/// Repeats each lane of a mask `count` times.
fn repeated<'c>(code: &Code<'_, '_, 'c>, mask: Value<'c>, count: u32) -> Result<Value<'c>, LlvmError> {
    let lanes: Vec<_> = (0..count * code.lanes).map(|at| Some(at / count)).collect();
    if count == 1 { Ok(mask) } else { code.builder().shuffle(mask, mask, &lanes) }
}

/// Gathers, or loads of four lanes at a time if their addresses may be consecutive.
fn gathers_or_quads<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
    let has_window = window_of(code.analysis, code.launched, accessed).is_some();
    if accessed.count != 1 || has_window || !quads::may_have_quads(code, accessed.base, accessed.size) {
        return gathers(code, accessed);
    }
    let own: Vec<usize> =
        (0..code.chunks).filter(|&chunk| addressing::same_as(code, accessed.base, chunk) == chunk).collect();
    let space = accessed.address.space;
    // In a window, address plus offset may wrap around, so the offset is added first.
    let (before, after) = match addressing::window(code, space) {
        Some(_) => (accessed.offset(0), 0),
        None => (0, accessed.offset(0)),
    };
    let mut chunks = Vec::new();
    for &chunk in &own {
        let addresses = registers::vector(code, accessed.base, chunk)?;
        let addresses = addressing::extended(code, space, addresses, before)?;
        chunks.push((addresses, active_alike(code, accessed, chunk)?));
    }
    let loaded = quads::quads(code, (space, after), (accessed.bits(), accessed.size), &chunks, |code| {
        let gathered = gathers(code, accessed)?.into_iter().flatten().collect::<Vec<_>>();
        Ok(own.iter().filter_map(|&chunk| gathered.get(chunk).copied()).collect())
    })?;
    let of = |chunk: usize| {
        let at = own.iter().position(|&own| own == addressing::same_as(code, accessed.base, chunk));
        at.and_then(|at| loaded.get(at).copied()).ok_or_else(|| defect("a load without a value"))
    };
    Ok(vec![(0..code.chunks).map(of).collect::<Result<_, _>>()?])
}

fn gathers<'c>(code: &Code<'_, '_, 'c>, accessed: Accessed<'_>) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
    let ty = code.vector_of(accessed.bits());
    let mut values = vec![Vec::new(); accessed.count];
    if let Some(window) = window_of(code.analysis, code.launched, accessed) {
        let loaded = (0..code.chunks).map(|chunk| window::load_window(code, accessed, &window, chunk));
        return Ok(vec![loaded.collect::<Result<_, _>>()?]);
    }
    for chunk in 0..code.chunks {
        if repeat(&mut values, addressing::same_as(code, accessed.base, chunk)) {
            continue;
        }
        let addresses = registers::vector(code, accessed.base, chunk)?;
        let mask = active_alike(code, accessed, chunk)?;
        for (element, values) in values.iter_mut().enumerate() {
            let places =
                addressing::places(code, accessed.address.space, addresses, accessed.offset(element))?;
            values.push(code.builder().masked_gather(ty, places, accessed.size, mask, ty.zero())?);
        }
    }
    Ok(values)
}

/// Vector loads, or gathers if the index of the addresses wraps around.
fn consecutive_unless<'c>(
    code: &Code<'_, '_, 'c>,
    accessed: Accessed<'_>,
    row: u32,
    indexed: Indexed,
) -> Result<Vec<Vec<Value<'c>>>, LlvmError> {
    let wraps = index::wraps(code, row, indexed)?;
    let fork = Fork::new(code, wraps, Some(false), ["gather", "load", "loaded"])?;
    let gathered = gathers(code, accessed)?;
    let other = fork.other(code)?;
    let loaded = consecutive(code, accessed)?;
    let met = other.meet(code)?;
    let elements = gathered.into_iter().zip(loaded).map(|(gathered, loaded)| {
        gathered.into_iter().zip(loaded).map(|(slow, fast)| met.either(code, [slow, fast])).collect()
    });
    elements.collect()
}

pub(super) fn store(
    code: &mut Code<'_, '_, '_>,
    guard: Guard,
    store: &Store,
    pc: u32,
) -> Result<(), CompileError> {
    if generic::special_store(code, guard, store, pc)?.is_some() {
        return Ok(());
    }
    let base = plain(&store.address, pc)?;
    let srcs = &store.srcs;
    let accessed = Accessed { address: &store.address, base, guard, size: store.size, count: srcs.len() };
    let form = form(code.analysis, accessed);
    note_form(code, accessed, form, RemarkKind::Scatter);
    match form {
        Form::Uniform => store_last(code, accessed, srcs)?,
        Form::Consecutive(None) => store_consecutive(code, accessed, srcs)?,
        Form::Consecutive(Some((row, indexed))) => {
            let wraps = index::wraps(code, row, indexed)?;
            let fork = Fork::new(code, wraps, Some(false), ["scatter", "store", "stored"])?;
            scatters(code, accessed, srcs)?;
            let other = fork.other(code)?;
            store_consecutive(code, accessed, srcs)?;
            other.meet(code)?;
        }
        Form::Chunkwise | Form::Any => scatters(code, accessed, srcs)?,
    }
    Ok(())
}

/// Stores to one address: the value of the last active lane remains, as in the interpreter.
fn store_last(code: &Code<'_, '_, '_>, accessed: Accessed<'_>, srcs: &[Src]) -> Result<(), LlvmError> {
    let first = registers::first(code, accessed.base, 0)?;
    let runs = some_run(code, accessed.guard)?;
    for (element, &src) in srcs.iter().enumerate() {
        let value = code.emit.resize(of_last(code, accessed.guard, src)?, accessed.bits())?;
        let mut place = addressing::element_place(code, accessed, first, element)?;
        if let Some(runs) = runs {
            let spare = code.builder().alloca_in_entry(code.types.int(64), 8)?;
            place = code.builder().select(runs, place, spare)?;
        }
        code.builder().store(value, place, accessed.size, Ordinary)?;
    }
    Ok(())
}

/// The value of the last active lane.
fn of_last<'c>(code: &Code<'_, '_, 'c>, guard: Guard, src: Src) -> Result<Value<'c>, LlvmError> {
    if code.analysis.shapes.src(src).is_uniform() {
        return registers::first(code, src, 0);
    }
    let mut last: Option<Value<'c>> = None;
    for chunk in 0..code.chunks {
        let bits = code.types.int(code.lanes);
        let lanes = code.builder().cast(CastOp::BitCast, registers::active(code, guard, chunk)?, bits)?;
        let zeros = code.builder().intrinsic("llvm.ctlz", &[bits], &[lanes, code.int(1, 0)])?;
        let most = code.int(code.lanes, u64::from(code.lanes) - 1);
        let lane = code.builder().binary(BinaryOp::Sub, most, zeros)?;
        let lane = code.builder().binary(BinaryOp::And, lane, most)?;
        let value = code.builder().extract_lane(registers::vector(code, src, chunk)?, lane)?;
        last = Some(match last {
            None => value,
            Some(before) => code.builder().select(runs(code, guard, chunk)?, value, before)?,
        });
    }
    last.ok_or_else(|| defect("a warp without lanes"))
}

fn store_consecutive(code: &Code<'_, '_, '_>, accessed: Accessed<'_>, srcs: &[Src]) -> Result<(), LlvmError> {
    let count = accessed.count as u32;
    for chunk in 0..code.chunks {
        let first = index::first_unwrapped(code, accessed.base, chunk)?;
        let place = addressing::element_place(code, accessed, first, 0)?;
        let mask = repeated(code, registers::active(code, accessed.guard, chunk)?, count)?;
        let values =
            srcs.iter().map(|&src| code.emit.resize(registers::vector(code, src, chunk)?, accessed.bits()));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        code.builder().masked_store(interleaved(code, values)?, place, accessed.size, mask)?;
    }
    Ok(())
}

/// Interleaves vectors, the elements of lane 0 first: `[a0 a1], [b0 b1]` becomes `[a0 b0 a1 b1]`.
fn interleaved<'c>(code: &Code<'_, '_, 'c>, mut vectors: Vec<Value<'c>>) -> Result<Value<'c>, LlvmError> {
    // Elements 0 and 4, 1 and 5 .. first, so that neighbors are together in the end.
    while vectors.len() > 1 {
        let half = vectors.len() / 2;
        let mut next = Vec::new();
        for (low, high) in vectors.iter().zip(&vectors[half..]) {
            let parts = low.ty().vector_parts();
            let (_, length) = parts.ok_or_else(|| defect("elements that are not vectors"))?;
            let lanes: Vec<_> = (0..2 * length).map(|at| Some(at / 2 + at % 2 * length)).collect();
            next.push(code.builder().shuffle(*low, *high, &lanes)?);
        }
        vectors = next;
    }
    vectors.pop().ok_or_else(|| defect("a store without a value"))
}

fn scatters(code: &Code<'_, '_, '_>, accessed: Accessed<'_>, srcs: &[Src]) -> Result<(), LlvmError> {
    if let (Some(window), [src]) = (window_of(code.analysis, code.launched, accessed), srcs) {
        return (0..code.chunks)
            .try_for_each(|chunk| window::store_window(code, accessed, &window, chunk, *src));
    }
    for (element, &src) in srcs.iter().enumerate() {
        for chunk in 0..code.chunks {
            let mask = registers::active(code, accessed.guard, chunk)?;
            let value = code.emit.resize(registers::vector(code, src, chunk)?, accessed.bits())?;
            let addresses = registers::vector(code, accessed.base, chunk)?;
            let places =
                addressing::places(code, accessed.address.space, addresses, accessed.offset(element))?;
            code.builder().masked_scatter(value, places, accessed.size, mask)?;
        }
    }
    Ok(())
}

/// Gives this chunk the values of an earlier one that has the same, if there is one.
fn repeat(values: &mut [Vec<Value<'_>>], earlier: usize) -> bool {
    let mut is_there = false;
    for values in values {
        if let Some(&value) = values.get(earlier) {
            values.push(value);
            is_there = true;
        }
    }
    is_there
}

/// The row of an address for which plain code is generated.
fn plain(address: &Address, pc: u32) -> Result<Src, CompileError> {
    let refused = |why| Err(CompileError::refused(pc, why));
    match (address.space, address.base) {
        (Space::Global, Base::Row(src, AddressWidth::Bits64)) => Ok(src),
        (Space::Param | Space::Const | Space::Shared, Base::Row(src, _)) => Ok(src),
        (Space::Global | Space::Generic | Space::Local | Space::SharedCluster, _) | (_, Base::Frame) => {
            refused("the access is not a plain one")
        }
    }
}
