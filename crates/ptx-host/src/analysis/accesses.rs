//! What is known of the addresses of an access's lanes, which decides its code: one address, consecutive ones, or a window of shared memory that covers them.

use ptx_program::memory::Space;
use ptx_program::{Address, Base, Effect, Op, Program, Src};

use super::{Analysis, Indexed, Launched, Shape, Stride};

/// The pattern of the addresses of an access's lanes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Form {
    /// One address for all lanes.
    Uniform,
    /// One address for the lanes of each chunk.
    Chunkwise,
    /// The access of each lane begins where that of the lane before ends; with an index, only if that does not wrap around.
    Consecutive(Option<(u32, Indexed)>),
    /// Arbitrary addresses.
    Any,
}

/// An access of lanes: the address, guard and elements.
#[derive(Clone, Copy)]
pub(crate) struct Accessed<'a> {
    pub(crate) address: &'a Address,
    pub(crate) base: Src,
    pub(crate) guard: Option<(u32, bool)>,
    /// Bytes of an element, and the number of elements.
    pub(crate) size: u32,
    pub(crate) count: usize,
}

impl Accessed<'_> {
    pub(crate) fn offset(&self, element: usize) -> i64 {
        self.address.offset.wrapping_add((element as u64 * u64::from(self.size)) as i64)
    }

    pub(crate) fn bits(&self) -> u32 {
        8 * self.size
    }
}

/// The form of an access.
pub(crate) fn form(analysis: &Analysis, accessed: Accessed<'_>) -> Form {
    let shapes = &analysis.shapes;
    let shape = shapes.src(accessed.base);
    let bytes = i64::from(accessed.size) * accessed.count as i64;
    // Addresses that are consecutive modulo fewer bits need not be consecutive in memory.
    let is_whole = matches!(accessed.address.space, Space::Param | Space::Const | Space::Shared)
        || analysis.widths.src(accessed.base) == u64::BITS;
    match (shape, accessed.base.as_register()) {
        (shape, _) if shape.is_uniform() => Form::Uniform,
        (Shape::Strided(Stride { within: 0, .. }), _) => Form::Chunkwise,
        (Shape::Strided(Stride { within, .. }), _) if within == bytes && is_whole => Form::Consecutive(None),
        (Shape::Indexed(indexed), Some(row)) if indexed.stride().within == bytes && is_whole => {
            Form::Consecutive(Some((row, indexed)))
        }
        _ => Form::Any,
    }
}

/// The elements of a chunk's lanes.
pub(crate) struct Window {
    /// Elements from the first lane to the window.
    pub(crate) least: i64,
    /// The element of each lane.
    pub(crate) places: Vec<u32>,
    /// For each vector and element, the lane that accesses it.
    pub(crate) lanes: Vec<Vec<Option<u32>>>,
    /// Whether each vector is within a cache line; shared memory consists of whole lines.
    pub(crate) is_aligned: bool,
}

/// The window of an access of single elements, if there is one: each lane has an element of its own.
pub(crate) fn window_of(analysis: &Analysis, launched: &Launched, accessed: Accessed<'_>) -> Option<Window> {
    const MOST_VECTORS: i64 = 2;
    let is_plain =
        accessed.address.space == Space::Shared && accessed.count == 1 && analysis.shapes.claims().is_none();
    let pattern = analysis.patterns.of(&analysis.shapes, accessed.base).filter(|_| is_plain)?;
    let lanes = analysis.shapes.lanes().chunk;
    let size = i64::from(accessed.size);
    let distances: Vec<i64> = pattern.iter().map(|&distance| i64::from(distance as i32)).collect();
    let least = *distances.iter().min()?;
    let most = *distances.iter().max()?;
    let count = i64::from(lanes);
    if distances.iter().any(|distance| distance % size != 0) {
        return None;
    }
    let span = |least: i64| Some(most.checked_sub(least)? / size + 1);
    let before = past_line(analysis, launched, accessed, least).filter(|before| before % size == 0);
    let aligned = before.map(|before| least - before);
    let aligned = aligned.filter(|&least| span(least).is_some_and(|span| span <= MOST_VECTORS * count));
    let (least, is_aligned) = (aligned.unwrap_or(least), aligned.is_some());
    let span = span(least)?;
    if span > MOST_VECTORS * count {
        return None;
    }
    let places: Vec<u32> = distances.iter().map(|distance| ((distance - least) / size) as u32).collect();
    let vectors = (span + count - 1) / count;
    // The inverse of `places`, for stores. It does not exist if two lanes have one element: then the last of them must store.
    let mut lane_of = vec![vec![None; count as usize]; vectors as usize];
    for (lane, &place) in places.iter().enumerate() {
        let element = lane_of.get_mut((place / lanes) as usize)?.get_mut((place % lanes) as usize)?;
        if element.replace(lane as u32).is_some() {
            return None;
        }
    }
    Some(Window { least: least / size, places, lanes: lane_of, is_aligned })
}

/// The bytes by which the place `distance` bytes after the first lane's is past a multiple of a vector's size, if that is known.
fn past_line(analysis: &Analysis, launched: &Launched, accessed: Accessed<'_>, distance: i64) -> Option<i64> {
    /// Shared memory consists of whole lines, and begins with one.
    const LINE: i64 = 64;
    let bytes = i64::from(analysis.shapes.lanes().chunk) * i64::from(accessed.size);
    let zeros = analysis.shapes.facts(accessed.base).zeros.chunk;
    let is_known = bytes <= LINE && zeros >= bytes.trailing_zeros() && !launched.clusters;
    is_known.then(|| accessed.offset(0).wrapping_add(distance).rem_euclid(bytes))
}

/// Whether lanes gather from shared memory, or scatter to it.
pub(crate) fn has_gathers(program: &Program, analysis: &Analysis, launched: &Launched) -> bool {
    let is_gather = |address: &Address, size: u32, count: usize| match address.base {
        Base::Row(base, _) if address.space == Space::Shared => {
            let accessed = Accessed { address, base, guard: None, size, count };
            form(analysis, accessed) == Form::Any && window_of(analysis, launched, accessed).is_none()
        }
        _ => false,
    };
    program.code.iter().any(|inst| match &inst.op {
        Op::Effect(Effect::Load(load)) => is_gather(&load.address, load.size, load.dsts.len()),
        Op::Effect(Effect::Store(store)) => is_gather(&store.address, store.size, store.srcs.len()),
        _ => false,
    })
}
