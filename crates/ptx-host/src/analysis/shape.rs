//! Which rows have one value in all lanes, or values with a stride.

use ptx_exec::RowOperation;
use ptx_exec::program::{
    Address, Alu, Base, Binary, Dst, Effect, Op, Packing, Program, Src, Ternary, Unary, WARP,
};
use ptx_exec::scalar::int::{Int, Part, Saturation};
use ptx_isa::{Component, SpecialReg};

use super::{Access, Block, Graph, Liveness, Refusal, Schedule, keeps_others};

/// How the value of a lane follows from that of the first lane of its chunk, the lanes that one vector of the CPU holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stride {
    /// What is added from lane to lane.
    pub within: i64,
    /// What is added from the first lane of a chunk to that of the next; `None` where each chunk has a value of its own.
    pub across: Option<i64>,
}

/// What the lanes of a row have in common. Strides are modulo the bits of the register; a shape holds for the lanes that run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The row is not written.
    Unwritten,
    /// This value in all lanes of all warps.
    Constant(u64),
    /// One value in all lanes of a warp.
    Uniform,
    /// Values with a stride.
    Strided(Stride),
    /// Any values.
    Varying,
}

impl Shape {
    const CHUNKWISE: Self = Self::Strided(Stride { within: 0, across: None });

    /// What rows of both shapes have in common.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unwritten, shape) | (shape, Self::Unwritten) => shape,
            (a, b) if a == b => a,
            (a, b) => match (a.stride(), b.stride()) {
                (Some(a), Some(b)) if a.within == b.within => {
                    let across = a.across.filter(|_| a.across == b.across);
                    Self::of(Stride { across, ..a })
                }
                _ => Self::Varying,
            },
        }
    }

    /// Whether all lanes have one value.
    pub fn is_uniform(self) -> bool {
        matches!(self, Self::Unwritten | Self::Constant(_) | Self::Uniform)
    }

    /// The stride, also that of one value in all lanes.
    pub fn stride(self) -> Option<Stride> {
        match self {
            Self::Unwritten | Self::Constant(_) | Self::Uniform => {
                Some(Stride { within: 0, across: Some(0) })
            }
            Self::Strided(stride) => Some(stride),
            Self::Varying => None,
        }
    }

    fn of(stride: Stride) -> Self {
        match stride {
            Stride { within: 0, across: Some(0) } => Self::Uniform,
            stride => Self::Strided(stride),
        }
    }

    fn combine(self, other: Self, f: impl Fn(i64, i64) -> i64) -> Self {
        match (self.stride(), other.stride()) {
            (Some(a), Some(b)) => {
                let across = a.across.zip(b.across).map(|(a, b)| f(a, b));
                Self::of(Stride { within: f(a.within, b.within), across })
            }
            _ => Self::Varying,
        }
    }

    /// The product of two rows: strides are multiplied by a constant; with another value for all lanes each chunk has its own.
    fn times(self, other: Self) -> Self {
        let by = |shape: Self, factor: i64| match shape.stride() {
            Some(Stride { within, across }) => {
                let across = across.map(|across| across.wrapping_mul(factor));
                Self::of(Stride { within: within.wrapping_mul(factor), across })
            }
            None => Self::Varying,
        };
        match (self, other) {
            (Self::Constant(factor), shape) | (shape, Self::Constant(factor)) => by(shape, factor as i64),
            (a, b) if a.is_uniform() && b.is_uniform() => Self::Uniform,
            (a, b) => Self::pointwise(&[a, b]),
        }
    }

    /// The shape of what is computed lane by lane from rows.
    fn pointwise(sources: &[Self]) -> Self {
        if sources.iter().all(|shape| shape.is_uniform()) {
            return Self::Uniform;
        }
        let is_chunkwise = |shape: &Self| shape.stride().is_some_and(|stride| stride.within == 0);
        if sources.iter().all(is_chunkwise) { Self::CHUNKWISE } else { Self::Varying }
    }
}

/// What is known of the launches that code is made for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Launched {
    /// Threads of a block.
    pub block: [u32; 3],
}

/// The shapes of the rows of a kernel.
#[derive(Clone, Debug)]
pub struct Shapes {
    rows: Vec<Shape>,
    constants: Vec<u64>,
}

impl Shapes {
    /// All rows are unwritten.
    pub fn new(program: &Program) -> Self {
        let rows = program.functions.get(program.entry as usize).map_or(0, |function| function.rows);
        let constants = program.constants.rows().iter().map(|row| row[0]).collect();
        Self { rows: vec![Shape::Unwritten; rows as usize], constants }
    }

    /// The shape of a row.
    pub fn row(&self, row: u32) -> Shape {
        self.rows.get(row as usize).copied().unwrap_or(Shape::Varying)
    }

    /// The shape of an operand.
    pub fn src(&self, src: Src) -> Shape {
        match (src.as_register(), src.as_constant()) {
            (Some(row), _) => self.row(row),
            (None, Some(constant)) => {
                self.constants.get(constant as usize).map_or(Shape::Uniform, |&value| Shape::Constant(value))
            }
            (None, None) => Shape::Varying,
        }
    }

    /// Whether lanes may leave a block for different ones.
    pub fn parts_lanes(&self, _program: &Program, block: &Block) -> bool {
        block.terminator.decided_by().iter().any(|&row| !self.row(row).is_uniform())
    }

    /// Joins what each instruction writes; tells whether a shape changed.
    ///
    /// # Errors
    /// The first instruction that is not compiled.
    pub(super) fn update(
        &mut self,
        program: &Program,
        graph: &Graph,
        liveness: &Liveness,
        schedule: &Schedule,
        launched: &Launched,
        lanes: u32,
    ) -> Result<bool, Refusal> {
        let mut changed = false;
        for (id, block) in graph.blocks().iter().enumerate() {
            for pc in block.first..block.end {
                let inst = &program.code[pc as usize];
                let access = Access::of(&inst.op).map_err(|why| Refusal { pc, why })?;
                let guard = inst.guard.map(|guard| self.row(guard.row));
                for &row in &access.writes {
                    let written = match guard {
                        // Lanes for which the guard does not hold keep what they have.
                        Some(shape) if !shape.is_uniform() => Shape::Varying,
                        _ if keeps_others(liveness, schedule, id, row) => Shape::Varying,
                        _ => self.written(&inst.op, row, launched, lanes),
                    };
                    changed |= self.join(row, written);
                }
            }
        }
        Ok(changed)
    }

    fn join(&mut self, row: Dst, written: Shape) -> bool {
        let Some(shape) = self.rows.get_mut(row as usize) else { return false };
        let joined = shape.join(written);
        let changed = joined != *shape;
        *shape = joined;
        changed
    }

    /// The shape of what an instruction writes to a row, where all lanes that need it run.
    fn written(&self, op: &Op, row: Dst, launched: &Launched, lanes: u32) -> Shape {
        match op {
            Op::Alu(alu) => self.of_alu(alu),
            Op::Effect(effect) => match effect {
                Effect::Copy(pairs) => {
                    let copied = pairs.iter().filter(|(dst, _)| *dst == row);
                    copied.fold(Shape::Unwritten, |shape, (_, src)| shape.join(self.src(*src)))
                }
                Effect::Special { register, component, .. } => {
                    special(*register, *component, launched, lanes)
                }
                Effect::Load(load) => self.loaded(&load.address),
                // A frame of local memory has one address in all lanes, which means another place in each.
                Effect::FrameAddress { .. } => Shape::Uniform,
                Effect::ActiveMask { .. } => Shape::Uniform,
                _ => Shape::Varying,
            },
        }
    }

    /// Lanes that read one place get one value, but local memory is another one for each.
    fn loaded(&self, address: &Address) -> Shape {
        use ptx_exec::Space;
        match (address.space, address.base) {
            (Space::Local | Space::Generic, _) | (_, Base::Frame) => Shape::Varying,
            (_, Base::Row(src, _)) if self.src(src).is_uniform() => Shape::Uniform,
            (_, Base::Row(..)) => Shape::Varying,
        }
    }

    fn of_alu(&self, alu: &Alu) -> Shape {
        let access = Access::of(&Op::Alu(*alu)).unwrap_or_default();
        let sources: Vec<Shape> = access.reads.iter().map(|&src| self.src(src)).collect();
        if let Some(value) = folded(alu, &sources) {
            return Shape::Constant(value);
        }
        if sources.contains(&Shape::Unwritten) {
            return Shape::Unwritten;
        }
        linear(alu, &sources).unwrap_or_else(|| Shape::pointwise(&sources))
    }
}

/// The result of an operation on constants, as the interpreter has it.
fn folded(alu: &Alu, sources: &[Shape]) -> Option<u64> {
    if matches!(alu, Alu::Dual { .. }) {
        return None;
    }
    let mut rows = [[0; WARP]; 4];
    for (row, shape) in rows.iter_mut().zip(sources) {
        let Shape::Constant(value) = *shape else { return None };
        row[0] = value;
    }
    let (mut first, mut second) = ([0; WARP], [0; WARP]);
    RowOperation::new(*alu).apply(rows.each_ref(), 1, [&mut first, &mut second]);
    Some(first[0])
}

/// The shape of the result of an operation that keeps strides, modulo the bits of its type.
fn linear(alu: &Alu, sources: &[Shape]) -> Option<Shape> {
    let add = |a: Shape, b: Shape| a.combine(b, i64::wrapping_add);
    match (alu, sources) {
        (Alu::Unary { op: Unary::AddConstant { mask, .. }, packing: Packing::Whole, .. }, [a]) => {
            keeps_bits(*mask).then_some(*a)
        }
        (Alu::Unary { op: Unary::IntNeg(_), packing: Packing::Whole, .. }, [a]) => {
            Some(Shape::Constant(0).combine(*a, i64::wrapping_sub))
        }
        (Alu::Binary { op, packing: Packing::Whole, .. }, [a, b]) => match op {
            Binary::IntAdd(_, Saturation::Wrap) => Some(add(*a, *b)),
            Binary::IntSub(_, Saturation::Wrap) => Some(a.combine(*b, i64::wrapping_sub)),
            Binary::IntMul(_, Part::Lo) => Some(a.times(*b)),
            Binary::Shl(t) => match b {
                Shape::Constant(by) if *by < u64::from(t.bits()) => Some(a.times(Shape::Constant(1 << by))),
                _ => None,
            },
            _ => None,
        },
        (
            Alu::Ternary {
                op: Ternary::IntMad(_, Part::Lo, Saturation::Wrap), packing: Packing::Whole, ..
            },
            [a, b, c],
        ) => Some(add(a.times(*b), *c)),
        (Alu::Ternary { op: Ternary::Select, .. }, [a, b, c]) if c.is_uniform() => Some(a.join(*b)),
        _ => None,
    }
}

/// Whether a mask is that of all bits of a register, so that what is masked is modulo its bits.
fn keeps_bits(mask: u64) -> bool {
    [Int::U16, Int::U32, Int::U64].iter().any(|t| mask == t.wrap(u64::MAX))
}

/// The shape of a special register.
fn special(register: SpecialReg, component: Option<Component>, launched: &Launched, lanes: u32) -> Shape {
    let axis = component.map_or(0, Component::index);
    let extent = |axis: usize| launched.block.get(axis).copied().unwrap_or(1);
    match register {
        SpecialReg::Ntid => Shape::Constant(if axis < 3 { extent(axis).into() } else { 0 }),
        SpecialReg::LaneId => consecutive(lanes),
        SpecialReg::Tid => thread_index(axis, launched.block, lanes),
        SpecialReg::LanemaskEq
        | SpecialReg::LanemaskLe
        | SpecialReg::LanemaskLt
        | SpecialReg::LanemaskGe
        | SpecialReg::LanemaskGt => Shape::Varying,
        _ => Shape::Uniform,
    }
}

fn consecutive(lanes: u32) -> Shape {
    Shape::Strided(Stride { within: 1, across: Some(lanes.into()) })
}

/// The shape of an index of threads in their block. Threads are numbered `x` first, and a warp has 32 consecutive numbers.
fn thread_index(axis: usize, block: [u32; 3], lanes: u32) -> Shape {
    let [x, y, z] = block.map(u64::from);
    // How many consecutive threads have the same index of this axis, and after how many it begins again.
    let (same, period) = match axis {
        0 => (1, x),
        1 => (x, x * y),
        2 => (x * y, x * y * z),
        _ => return Shape::Constant(0),
    };
    let (warp, chunk) = (WARP as u64, u64::from(lanes));
    if same == period {
        return Shape::Constant(0);
    }
    let begins_again = period < x * y * z;
    match same {
        1 if !begins_again || period.is_multiple_of(warp) => consecutive(lanes),
        1 if period.is_multiple_of(chunk) => Shape::Strided(Stride { within: 1, across: None }),
        _ if same.is_multiple_of(warp) => Shape::Uniform,
        _ if same.is_multiple_of(chunk) => Shape::CHUNKWISE,
        _ => Shape::Varying,
    }
}
