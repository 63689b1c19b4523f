//! Warp collectives (manual 9.7.13.2 to 9.7.13.14, 9.7.9.6, 9.7.14).
//!
//! A group that reaches a collective waits there until every lane in its member mask has reached the same operation
//! with the same mask, at whatever instruction; exited lanes are not waited for. Then all of them receive their results
//! together.

use ptx_program::scalar::float::{Extreme, NanRule, SignRule, Subnormals};
use ptx_program::scalar::format::Format;
use ptx_program::scalar::{float, int};
use ptx_program::{
    Collective, CollectiveKind, Effect, FULL, Mask, Op, Participants, ReduceOp, Row, ShuffleMode,
    TensorAccess, VoteMode, WARP, first_lane, lanes,
};

use super::at::Place;
use super::block::BlockState;
use super::grid::Grid;
use super::group::GroupAt;
use super::memory::View;
use super::rows::{predicate_mask, same_value};
use super::tcgen05::{self, Issue, Outcome, TensorMemory};
use super::warp::{State, Warp};
use super::{Stop, fragment, matrix, tile};
use crate::error::TrapKind;

/// Makes lanes of a group wait at their collective, and executes it once all have arrived.
pub(super) fn collective(at: &mut GroupAt<'_>, collective: &Collective) -> Result<(), Stop> {
    let Place { pc, active } = at.place;
    match collective.participants {
        Participants::Converged => {
            at.split(active, pc, State::Collective { members: active });
        }
        Participants::Warp => {
            at.split(active, pc, State::Collective { members: FULL });
        }
        Participants::Members(src) => {
            // Lanes with the same mask wait as one group. With several masks the instruction is several operations, one for each mask.
            let masks = *at.row(src);
            let mut rest = active;
            while rest != 0 {
                let lane = first_lane(rest);
                let members = masks[lane] as Mask;
                let group = same_value(&masks, rest, lane);
                let strays = group & !members;
                if strays != 0 {
                    let lane = first_lane(strays);
                    let text = format!(
                        "the membermask {members:#010x} does not name lane {lane}, which executes it"
                    );
                    return Err(at.stop(TrapKind::Misuse(text), lane));
                }
                at.split(group, pc, State::Collective { members });
                rest &= !group;
            }
        }
    }
    complete_collectives(at.warp, at.grid, at.block)
}

/// Executes every collective whose participants have all arrived.
pub(super) fn complete_collectives(
    warp: &mut Warp,
    grid: &Grid<'_>,
    block: &mut BlockState,
) -> Result<(), Stop> {
    // One at a time, since executing one merges its groups, which renumbers the others. Exiting lanes complete
    // collectives too, so this is called for them as well.
    loop {
        let waiting = (0..warp.fragments.len()).find_map(|at| {
            let State::Collective { members } = warp.fragments[at].state else { return None };
            let kind = waits_at(warp, grid, at)?.kind;
            let present = present(warp, grid, kind, members);
            (members & warp.live & !present == 0).then_some((at, kind, members, present))
        });
        let Some((at, kind, members, present)) = waiting else { return Ok(()) };
        let pc = warp.fragments[at].pc;
        carry_out(warp, grid, block, kind, members, present)
            .map_err(|(kind, lane)| Stop::at(kind, pc, lane))?;
    }
}

/// The collective at which a group is.
fn waits_at<'p>(warp: &Warp, grid: &Grid<'p>, at: usize) -> Option<&'p Collective> {
    match &grid.program.code[warp.fragments[at].pc as usize].op {
        Op::Effect(Effect::Collective(collective)) => Some(collective),
        _ => None,
    }
}

/// Whether a group waits for this collective.
fn waits_for(warp: &Warp, grid: &Grid<'_>, at: usize, kind: CollectiveKind, members: Mask) -> bool {
    warp.fragments[at].state == State::Collective { members }
        && waits_at(warp, grid, at).is_some_and(|collective| collective.kind == kind)
}

/// The lanes that have arrived at this collective.
fn present(warp: &Warp, grid: &Grid<'_>, kind: CollectiveKind, members: Mask) -> Mask {
    let here = (0..warp.fragments.len()).filter(|&at| waits_for(warp, grid, at, kind, members));
    here.fold(0, |mask, at| mask | warp.fragments[at].mask)
}

/// The lanes that have not arrived at the collective at which a group waits.
pub(super) fn missing(warp: &Warp, grid: &Grid<'_>, at: usize) -> Mask {
    let waits = warp.fragments.get(at).map(|group| group.state);
    match (waits, waits_at(warp, grid, at)) {
        (Some(State::Collective { members }), Some(collective)) => {
            members & warp.live & !present(warp, grid, collective.kind, members)
        }
        _ => 0,
    }
}

/// Checks that all lanes reached the same `.aligned` instruction; an equal instruction elsewhere is not enough.
fn expect_one_place(warp: &Warp, grid: &Grid<'_>, here: &[usize]) -> Result<(), (TrapKind, usize)> {
    let places = || here.iter().filter_map(|&at| warp.fragments.get(at));
    let Some(first) = places().next() else { return Ok(()) };
    let is_apart = places().any(|group| group.pc != first.pc);
    let aligned = here.first().and_then(|&at| waits_at(warp, grid, at));
    let is_aligned = aligned.is_some_and(|collective| matches!(collective.participants, Participants::Warp));
    if is_apart && is_aligned {
        let text = "threads of a warp execute an `.aligned` instruction at different places; all of them have to come \
                    to it together";
        return Err((TrapKind::Misuse(text.to_owned()), first_lane(first.mask)));
    }
    Ok(())
}

/// Loads tensor memory into the registers of a whole warp at once; returns false, without effect, if the group waits for something else.
fn loads_in_place(
    warp: &mut Warp,
    grid: &Grid<'_>,
    memory: &TensorMemory,
    at: usize,
    kind: CollectiveKind,
    inputs: &[Row],
) -> Result<bool, (TrapKind, usize)> {
    let CollectiveKind::Tensor(TensorAccess::Load(cells)) = kind else { return Ok(false) };
    let fragment = warp.fragments[at];
    let Some(collective) = waits_at(warp, grid, at).filter(|_| fragment.mask == FULL) else {
        return Ok(false);
    };
    let rows = &mut warp.frames[fragment.frame].rows;
    let issue = Issue { warp: warp.id, pc: fragment.pc };
    tcgen05::load_in_place(cells, issue, memory, inputs, rows, &collective.dsts)
}

fn carry_out(
    warp: &mut Warp,
    grid: &Grid<'_>,
    block: &mut BlockState,
    kind: CollectiveKind,
    members: Mask,
    present: Mask,
) -> Result<(), (TrapKind, usize)> {
    let mut inputs = std::mem::take(&mut warp.inputs);
    let mut outputs = std::mem::take(&mut warp.outputs);
    let here: Vec<usize> =
        (0..warp.fragments.len()).filter(|&at| waits_for(warp, grid, at, kind, members)).collect();
    expect_one_place(warp, grid, &here)?;
    let (mut addressing, mut used, mut made) = (None, 0, 0);
    for &at in &here {
        let Some(collective) = waits_at(warp, grid, at) else { continue };
        let fragment = warp.fragments[at];
        (used, made) = (collective.srcs.len(), collective.dsts.len());
        // The buffers only grow: rows past the used ones are not read.
        inputs.resize(inputs.len().max(used), [0; WARP]);
        for (input, src) in inputs.iter_mut().zip(&collective.srcs) {
            copy_lanes(warp.row(grid, fragment.frame, *src), fragment.mask, input);
        }
        addressing = Some((collective.space, collective.offset));
    }
    let pc = match here.first() {
        Some(&at) => warp.fragments[at].pc,
        None => {
            debug_assert!(false, "an operation that no lane has reached");
            0
        }
    };
    let given = &inputs[..used];
    let is_in_place = match here.as_slice() {
        &[at] => loads_in_place(warp, grid, &block.tensor, at, kind, given)?,
        _ => false,
    };
    if !is_in_place {
        outputs.resize(outputs.len().max(made), [0; WARP]);
    }
    // What is loaded in place has no buffer.
    let made = made.min(outputs.len());
    let results = &mut outputs[..made];
    let mut view = View { grid, block, local: &mut warp.local };
    let result = match (addressing, kind) {
        _ if is_in_place => Ok(Outcome::Done),
        (Some(addressing), CollectiveKind::Tensor(access)) => {
            let issue = Issue { warp: warp.id, pc };
            whole_warp(present)
                .and_then(|()| tcgen05::access(access, issue, &mut view, addressing, given, results))
        }
        (Some(addressing), _) => {
            compute(kind, present, view, addressing, given, results).map(|()| Outcome::Done)
        }
        (None, _) => Ok(Outcome::Done),
    };
    if matches!(result, Ok(Outcome::Waits)) {
        here.iter().for_each(|&at| warp.fragments[at].state = State::Columns);
    }
    if matches!(result, Ok(Outcome::Done)) {
        for &at in &here {
            let Some(collective) = waits_at(warp, grid, at) else { continue };
            let fragment = warp.fragments[at];
            let rows = &mut warp.frames[fragment.frame].rows;
            let outputs = if is_in_place { &[][..] } else { &outputs };
            for (output, &dst) in outputs.iter().zip(&collective.dsts) {
                copy_lanes(output, fragment.mask, &mut rows[dst as usize]);
            }
            if let Some(observer) = grid.observer {
                observer.results(grid, block, (warp.id.index, fragment.mask, fragment.pc), rows);
            }
            let fragment = &mut warp.fragments[at];
            (fragment.pc, fragment.state, fragment.ran) = (fragment.pc + 1, State::Ready, warp.clock);
        }
    }
    if grid.postdominators.is_some() && matches!(result, Ok(Outcome::Done)) {
        warp.unite(present);
    }
    (warp.inputs, warp.outputs) = (inputs, outputs);
    result.map(|_| ())
}

/// Copies active lanes.
fn copy_lanes(from: &Row, mask: Mask, to: &mut Row) {
    if mask == FULL {
        *to = *from;
    } else {
        lanes(mask).for_each(|lane| to[lane] = from[lane]);
    }
}

fn whole_warp(present: Mask) -> Result<(), (TrapKind, usize)> {
    let text = "matrix instructions need all 32 threads of the warp".to_owned();
    if present == FULL { Ok(()) } else { Err((TrapKind::Misuse(text), first_lane(present))) }
}

fn compute(
    kind: CollectiveKind,
    present: Mask,
    view: View<'_>,
    addressing: (ptx_program::memory::Space, i64),
    inputs: &[Row],
    outputs: &mut [Row],
) -> Result<(), (TrapKind, usize)> {
    let whole_warp = || whole_warp(present);
    match kind {
        CollectiveKind::Barrier => {}
        CollectiveKind::Shuffle(mode) => shuffle(mode, present, inputs, outputs),
        CollectiveKind::Vote(mode) => vote(mode, present, inputs, outputs),
        CollectiveKind::MatchAny => {
            if let ([values], [out]) = (inputs, outputs) {
                lanes(present).for_each(|lane| out[lane] = same_value(values, present, lane).into());
            }
        }
        CollectiveKind::MatchAll => {
            if let ([values], [out, all]) = (inputs, outputs) {
                let same = same_value(values, present, first_lane(present)) == present;
                *out = [if same { present.into() } else { 0 }; WARP];
                *all = [same.into(); WARP];
            }
        }
        CollectiveKind::Redux(op, ty) => {
            if let ([values], [out]) = (inputs, outputs) {
                *out = [reduce(op, ty, values, present); WARP];
            }
        }
        CollectiveKind::ReduxFloat(which, nan, sign) => {
            if let ([values], [out]) = (inputs, outputs) {
                *out = [reduce_floats(which, nan, sign, values, present); WARP];
            }
        }
        CollectiveKind::Elect => {
            if let [out, elected] = outputs {
                let leader = first_lane(present);
                *out = [leader as u64; WARP];
                *elected = std::array::from_fn(|lane| u64::from(lane == leader));
            }
        }
        CollectiveKind::Multiply(product) => {
            whole_warp()?;
            return matrix::multiply(&product, inputs, outputs);
        }
        CollectiveKind::LoadFragment(fragment) => {
            whole_warp()?;
            return fragment::load(fragment, &view, addressing.0, inputs, outputs);
        }
        CollectiveKind::StoreFragment(fragment) => {
            whole_warp()?;
            return fragment::store(fragment, view, addressing.0, inputs);
        }
        CollectiveKind::LoadMatrix(tiles) => {
            whole_warp()?;
            return tile::load(&tiles, &view, addressing, inputs, outputs);
        }
        CollectiveKind::StoreMatrix(tiles) => {
            whole_warp()?;
            return tile::store(&tiles, view, addressing, inputs);
        }
        CollectiveKind::TransposeMatrix => {
            whole_warp()?;
            matrix::transpose(inputs, outputs);
        }
        // Executed elsewhere, where the warp's position in its block is known.
        CollectiveKind::Tensor(_) => {}
    }
    Ok(())
}

/// `shfl`: a lane whose source lane does not take part gets its own value.
fn shuffle(mode: ShuffleMode, present: Mask, inputs: &[Row], outputs: &mut [Row]) {
    let ([values, offsets, clamps], [out, in_range]) = (inputs, outputs) else { return };
    for lane in lanes(present) {
        let source = mode.source(lane, offsets[lane], clamps[lane]);
        in_range[lane] = source.is_some().into();
        let source = source.filter(|source| present >> source & 1 == 1);
        out[lane] = values[source.unwrap_or(lane)];
    }
}

fn vote(mode: VoteMode, present: Mask, inputs: &[Row], outputs: &mut [Row]) {
    let ([predicates], [out]) = (inputs, outputs) else { return };
    let trues = predicate_mask(predicates) & present;
    let result = match mode {
        VoteMode::All => u64::from(trues == present),
        VoteMode::Any => u64::from(trues != 0),
        VoteMode::Uniform => u64::from(trues == present || trues == 0),
        VoteMode::Ballot => trues.into(),
    };
    *out = [result; WARP];
}

fn reduce(op: ReduceOp, ty: int::Int, values: &Row, present: Mask) -> u64 {
    let join = |a: u64, b: u64| match op {
        ReduceOp::Add => int::add(ty, int::Saturation::Wrap, a, b),
        ReduceOp::Min => int::min(ty, a, b),
        ReduceOp::Max => int::max(ty, a, b),
        ReduceOp::And => a & b,
        ReduceOp::Or => a | b,
        ReduceOp::Xor => a ^ b,
    };
    reduced(present, |lane| values[lane], join)
}

/// The minimum or maximum of values or magnitudes (manual 9.7.13.12). Each value is first combined with itself, so that
/// a single NaN is canonicalized too.
fn reduce_floats(which: Extreme, nan: NanRule, sign: SignRule, values: &Row, present: Mask) -> u64 {
    let join = |a, b| float::extreme(Format::F32, Subnormals::Keep, which, nan, sign, a, b);
    reduced(present, |lane| join(values[lane], values[lane]), join)
}

/// Joins the values of lanes, of which there is at least one.
fn reduced(present: Mask, value: impl Fn(usize) -> u64, join: impl Fn(u64, u64) -> u64) -> u64 {
    let first = first_lane(present);
    lanes(present & !(1 << first)).fold(value(first), |joined, lane| join(joined, value(lane)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_shuffle(mode: ShuffleMode, present: Mask, offset: u64, clamp: u64) -> (Row, Row) {
        let values: Row = std::array::from_fn(|lane| lane as u64 + 100);
        let mut outputs = [[0; WARP]; 2];
        shuffle(mode, present, &[values, [offset; WARP], [clamp; WARP]], &mut outputs);
        (outputs[0], outputs[1])
    }

    #[test]
    fn shuffles_clamp_at_their_segments() {
        // Segments of 8 lanes: mask 0b11000 in bits 12..8.
        let (down, valid) = run_shuffle(ShuffleMode::Down, FULL, 3, 0x181f);
        assert_eq!((down[4], down[5], down[12]), (107, 105, 115));
        assert_eq!((valid[4], valid[5]), (1, 0));
        let (up, valid) = run_shuffle(ShuffleMode::Up, FULL, 1, 0x1800);
        assert_eq!((up[8], up[9], valid[8], valid[9]), (108, 108, 0, 1));
        let (index, _) = run_shuffle(ShuffleMode::Index, FULL, 10, 0x181f);
        assert_eq!((index[0], index[31]), (102, 126));
        let (butterfly, _) = run_shuffle(ShuffleMode::Butterfly, FULL, 16, 0x1f);
        assert_eq!((butterfly[0], butterfly[31]), (116, 115));
    }

    #[test]
    fn shuffles_do_not_read_absent_lanes() {
        let (index, valid) = run_shuffle(ShuffleMode::Index, 0x0f, 20, 0x1f);
        assert_eq!((index[2], valid[2]), (102, 1));
    }

    #[test]
    fn floating_point_reductions_pass_over_nans_or_keep_them() {
        let (nan, one, minus_two) = (0x7f80_0001, 0x3f80_0000, 0xc000_0000);
        let values: Row = std::array::from_fn(|lane| [nan, one, minus_two][lane.min(2)]);
        let reduced = |nan, sign, mask| reduce_floats(Extreme::Min, nan, sign, &values, mask);
        assert_eq!(reduced(NanRule::Ignore, SignRule::Plain, 0b111), minus_two);
        assert_eq!(reduced(NanRule::Ignore, SignRule::Magnitude, 0b111), one);
        assert_eq!(reduced(NanRule::Propagate, SignRule::Plain, 0b111), 0x7fff_ffff);
        assert_eq!(reduced(NanRule::Ignore, SignRule::Plain, 0b001), 0x7fff_ffff);
        assert_eq!(reduced(NanRule::Ignore, SignRule::Magnitude, 0b100), 0x4000_0000);
    }

    #[test]
    fn reductions_respect_signs() {
        let values: Row = std::array::from_fn(|lane| if lane == 7 { 0xffff_fff0 } else { lane as u64 });
        assert_eq!(reduce(ReduceOp::Min, int::Int::S32, &values, FULL), 0xffff_fff0);
        assert_eq!(reduce(ReduceOp::Max, int::Int::U32, &values, FULL), 0xffff_fff0);
        assert_eq!(reduce(ReduceOp::Add, int::Int::S32, &values, 0x83), 0xffff_fff1);
    }
}
