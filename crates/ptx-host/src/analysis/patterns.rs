//! The offsets of lanes from the first lane of their chunk, for varying rows that follow from lane numbers.
//!
//! In a sorting network, threads access `2 * tid - (tid & 7)`: in every chunk of 16 lanes, the offsets from the first lane are
//! 0, 1 .. 7, 16, 17 ..

use ptx_program::scalar::int::{ProductPart, Saturation};
use ptx_program::{Alu, Binary, Effect, Op, Packing, Program, Src, Ternary, Unary};

use super::by_row::ByRow;
use super::schedule::keeps_others;
use super::sweep::Sweep;
use super::{Graph, Liveness, Schedule, Shape, Shapes, guard_of};

/// The offset of each lane from the first lane of its chunk, modulo 2^32.
pub type Pattern = Vec<u32>;

/// The patterns of the rows of a kernel.
#[derive(Clone, Debug)]
pub struct Patterns {
    rows: ByRow<Found>,
    /// Whether no pattern is told.
    is_hidden: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Found {
    /// The row is not written yet.
    Nothing,
    /// This pattern in all chunks.
    One(Pattern),
    /// No common pattern.
    Any,
}

impl Patterns {
    /// Computes the patterns of a kernel from its shapes.
    pub(super) fn new(
        program: &Program,
        graph: &Graph,
        liveness: &Liveness,
        schedule: &Schedule,
        shapes: &Shapes,
    ) -> Self {
        let rows = program.kernel().rows;
        let first = |row| if liveness.is_live_into(0, row) { Found::Any } else { Found::Nothing };
        let mut patterns = Self { rows: ByRow::new(rows, Found::Any, first), is_hidden: false };
        patterns.fill(&mut Sweep::new(program, graph), (liveness, schedule), shapes);
        patterns
    }

    /// Hides all patterns, for code without windows.
    pub(crate) fn hide(&mut self) {
        self.is_hidden = true;
    }

    /// The pattern of an operand of 32 bits.
    pub fn of(&self, shapes: &Shapes, src: Src) -> Option<Pattern> {
        if self.is_hidden {
            return None;
        }
        match self.found(shapes, src) {
            Found::One(pattern) => Some(pattern),
            Found::Nothing | Found::Any => None,
        }
    }

    fn fill(&mut self, sweep: &mut Sweep<'_>, (liveness, schedule): (&Liveness, &Schedule), shapes: &Shapes) {
        while let Some(visit) = sweep.next() {
            // With a guard, inactive lanes keep an older value, whose offset is from the first lane's older value.
            let is_for_all = guard_of(visit.inst).is_none();
            for &row in &visit.access.writes {
                let keeps = keeps_others(liveness, schedule, visit.block, row);
                let written =
                    if is_for_all && !keeps { self.written(shapes, visit.op(), row) } else { Found::Any };
                // A lattice of height two: nothing, one pattern, any values. So each row changes twice at most.
                let Some(found) = self.rows.get_mut(row) else { continue };
                let joined = match (&*found, written) {
                    (_, Found::Nothing) => continue,
                    (Found::Nothing, written) => written,
                    (before, written) if *before == written => continue,
                    _ => Found::Any,
                };
                if *found != joined {
                    *found = joined;
                    sweep.changed(row);
                }
            }
        }
    }

    fn found(&self, shapes: &Shapes, src: Src) -> Found {
        // Offsets are modulo 2^32, so they say nothing about the operand of a 32-bit operation in a row of another width.
        let lanes = shapes.lanes().chunk;
        match shapes.src(src) {
            Shape::Unwritten => Found::Nothing,
            shape if shape.is_uniform() => Found::One(vec![0; lanes as usize]),
            _ if shapes.bits(src) != u32::BITS => Found::Any,
            Shape::Strided(stride) => {
                Found::One((0..lanes).map(|lane| lane.wrapping_mul(stride.within as u32)).collect())
            }
            Shape::Varying => match src.as_register() {
                Some(row) => self.rows.get(row).clone(),
                None => Found::Any,
            },
            Shape::Indexed(_) | Shape::Constant(_) | Shape::Uniform => Found::Any,
        }
    }

    fn written(&self, shapes: &Shapes, op: &Op, row: u32) -> Found {
        match op {
            Op::Alu(alu) => self.of_alu(shapes, alu),
            Op::Effect(Effect::Copy(pairs)) => {
                let mut copied = pairs.iter().filter(|(dst, _)| *dst == row);
                match copied.next() {
                    Some((_, src)) => self.found(shapes, *src),
                    None => Found::Any,
                }
            }
            Op::Effect(_) => Found::Any,
        }
    }

    fn of_alu(&self, shapes: &Shapes, alu: &Alu) -> Found {
        let constant = |src: Src| match shapes.src(src) {
            Shape::Constant(value) => Some(value as u32),
            _ => None,
        };
        let of = |src: Src| self.found(shapes, src);
        let by = |src: Src, factor: u32| map(of(src), |distance| distance.wrapping_mul(factor));
        let is_word = |bits: u32| bits == u32::BITS;
        match *alu {
            Alu::Unary { op, packing: Packing::Whole, a, .. } => match op {
                Unary::AddConstant { mask, .. } if mask == u64::from(u32::MAX) => of(a),
                Unary::Field { shift: 0, mask } => masked(shapes, a, mask as u32),
                _ => Found::Any,
            },
            Alu::Binary { op, packing: Packing::Whole, a, b, .. } => match op {
                Binary::IntAdd(t, Saturation::Wrap) if is_word(t.bits()) => {
                    join(of(a), of(b), u32::wrapping_add)
                }
                Binary::IntSub(t, Saturation::Wrap) if is_word(t.bits()) => {
                    join(of(a), of(b), u32::wrapping_sub)
                }
                Binary::IntMul(t, ProductPart::Lo) if is_word(t.bits()) => match (constant(a), constant(b)) {
                    (_, Some(factor)) => by(a, factor),
                    (Some(factor), _) => by(b, factor),
                    _ => Found::Any,
                },
                Binary::Shl(t) if is_word(t.bits()) => match constant(b) {
                    Some(shift) if shift < u32::BITS => by(a, 1 << shift),
                    _ => Found::Any,
                },
                Binary::And => match (constant(a), constant(b)) {
                    (_, Some(mask)) => masked(shapes, a, mask),
                    (Some(mask), _) => masked(shapes, b, mask),
                    _ => Found::Any,
                },
                _ => Found::Any,
            },
            Alu::Ternary {
                op: Ternary::IntMad(t, ProductPart::Lo, Saturation::Wrap),
                packing: Packing::Whole,
                a,
                b,
                c,
                ..
            } if is_word(t.bits()) => match (constant(a), constant(b)) {
                (_, Some(factor)) => join(by(a, factor), of(c), u32::wrapping_add),
                (Some(factor), _) => join(by(b, factor), of(c), u32::wrapping_add),
                _ => Found::Any,
            },
            _ => Found::Any,
        }
    }
}

fn map(found: Found, f: impl Fn(u32) -> u32) -> Found {
    match found {
        Found::One(pattern) => Found::One(pattern.into_iter().map(f).collect()),
        other => other,
    }
}

fn join(a: Found, b: Found, f: impl Fn(u32, u32) -> u32) -> Found {
    match (a, b) {
        (Found::One(a), Found::One(b)) => Found::One(a.into_iter().zip(b).map(|(a, b)| f(a, b)).collect()),
        (Found::Nothing, _) | (_, Found::Nothing) => Found::Nothing,
        _ => Found::Any,
    }
}

/// The pattern of `src & mask` if each chunk has an aligned group of consecutive integers: only mask bits in which lanes differ matter.
fn masked(shapes: &Shapes, src: Src, mask: u32) -> Found {
    let lanes = shapes.lanes().chunk;
    let zeros = lanes.trailing_zeros();
    match shapes.src(src) {
        Shape::Unwritten => Found::Nothing,
        Shape::Strided(stride)
            if stride.within == 1
                && shapes.bits(src) == u32::BITS
                && shapes.facts(src).zeros.chunk >= zeros
                && shapes.stays_within(src, stride, u32::BITS) =>
        {
            Found::One((0..lanes).map(|lane| lane & mask).collect())
        }
        _ => Found::Any,
    }
}
