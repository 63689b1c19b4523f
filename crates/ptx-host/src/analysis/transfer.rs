//! Transfer functions of shapes: the shape of an instruction's result from the shapes of its sources.

use ptx_exec::RowOperation;
use ptx_isa::{Component, SpecialReg};
use ptx_program::scalar::compare::Relation;
use ptx_program::scalar::convert::Excess;
use ptx_program::scalar::int::{Int, ProductPart, Saturation, Signedness};
use ptx_program::{
    Address, Alu, Base, Binary, Comparison, Dst, Effect, Numbers, Op, Packing, Src, Ternary, Unary, WARP,
    along, axis,
};

use super::differing;
use super::facts::mask;
use super::gather::asks;
use super::shape::{Among, Indexed};
use super::{Access, Lanes, Launched, Shape, Shapes, Stride};

/// The shape of the result that an instruction writes to a row, if all lanes that need it are active.
pub(super) fn written(shapes: &Shapes, op: &Op, row: Dst, launched: &Launched) -> Shape {
    match op {
        Op::Alu(alu) => of_alu(shapes, alu),
        Op::Effect(effect) => match effect {
            Effect::Copy(pairs) => {
                let copied = pairs.iter().filter(|(dst, _)| *dst == row);
                copied.fold(Shape::Unwritten, |shape, (_, src)| shape.join(shapes.src(*src)))
            }
            Effect::Special { register, component, .. } => {
                special(*register, *component, launched, shapes.lanes())
            }
            Effect::Load(load) => loaded(shapes, &load.address),
            // A frame of local memory has one address in all lanes, which denotes different memory in each.
            Effect::FrameAddress { offset, .. } => Shape::Constant(frame_address(*offset)),
            Effect::ActiveMask { .. } => Shape::Uniform,
            // Lanes with equal operands get equal results.
            Effect::MapAddress(_) => same(shapes, op),
            Effect::Mbarrier(_) if asks(op) => same(shapes, op),
            _ => Shape::Varying,
        },
    }
}

/// The address of an offset in the kernel's local memory: it has 32 bits.
pub(super) fn frame_address(offset: i64) -> u64 {
    offset as u64 & u64::from(u32::MAX)
}

/// Uniform if all operands are, otherwise varying.
fn same(shapes: &Shapes, op: &Op) -> Shape {
    let reads = Access::of(op).reads;
    let shapes: Vec<Shape> = reads.iter().map(|src| shapes.src(*src)).collect();
    if shapes.contains(&Shape::Unwritten) {
        return Shape::Unwritten;
    }
    if shapes.iter().all(|shape| shape.is_uniform()) { Shape::Uniform } else { Shape::Varying }
}

/// The bits in which lanes of the result that an instruction writes to a row may differ.
pub(super) fn differing(shapes: &Shapes, op: &Op, row: Dst, among: Among) -> u64 {
    match op {
        Op::Alu(alu) => {
            let access = Access::of(op);
            if matches!(alu, Alu::Dual { .. }) {
                u64::MAX
            } else {
                differing::of_alu(shapes, alu, &access.reads, among)
            }
        }
        Op::Effect(Effect::Copy(pairs)) => {
            let copied = pairs.iter().filter(|(dst, _)| *dst == row);
            copied.fold(0, |bits, (_, src)| bits | differing::of_source(shapes, *src, among))
        }
        Op::Effect(_) => u64::MAX,
    }
}

/// Lanes that read one address get one value, except in local memory, where each lane has its own.
fn loaded(shapes: &Shapes, address: &Address) -> Shape {
    use ptx_program::memory::Space;
    match (address.space, address.base) {
        (Space::Local | Space::Generic, _) | (_, Base::Frame) => Shape::Varying,
        (_, Base::Row(src, _)) => Shape::pointwise(&[shapes.src(src)]),
    }
}

fn of_alu(shapes: &Shapes, alu: &Alu) -> Shape {
    let access = Access::of(&Op::Alu(*alu));
    let sources: Vec<Shape> = access.reads.iter().map(|&src| shapes.src(src)).collect();
    if let Some(value) = folded(alu, &sources) {
        return Shape::Constant(value);
    }
    if sources.contains(&Shape::Unwritten) {
        return Shape::Unwritten;
    }
    let pointwise = Shape::pointwise(&sources);
    if pointwise != Shape::Varying {
        return linear(shapes, alu, &access.reads).filter(|shape| shape.is_uniform()).unwrap_or(pointwise);
    }
    linear(shapes, alu, &access.reads)
        .or_else(|| extended(shapes, alu, &access.reads))
        .or_else(|| aligned(shapes, alu, &access.reads))
        .unwrap_or_else(|| {
            let are_same = |among| {
                !matches!(alu, Alu::Dual { .. }) && differing::of_alu(shapes, alu, &access.reads, among) == 0
            };
            match () {
                () if are_same(Among::Group) => Shape::Uniform,
                () if are_same(Among::Chunk) => Shape::CHUNKWISE,
                () => Shape::Varying,
            }
        })
}

/// The result of an operation on constants, computed by the interpreter.
fn folded(alu: &Alu, sources: &[Shape]) -> Option<u64> {
    if matches!(alu, Alu::Dual { .. }) {
        return None;
    }
    // Executed by the interpreter, in one lane, so that no operation needs a second definition.
    let mut rows = [[0; WARP]; 4];
    for (row, shape) in rows.iter_mut().zip(sources) {
        let Shape::Constant(value) = *shape else { return None };
        row[0] = value;
    }
    let (mut first, mut second) = ([0; WARP], [0; WARP]);
    RowOperation::new(*alu).apply(rows.each_ref(), 1, [&mut first, &mut second]);
    Some(first[0])
}

/// The shape of the result of an operation that preserves strides, modulo the width of its type.
fn linear(shapes: &Shapes, alu: &Alu, reads: &[Src]) -> Option<Shape> {
    let add = |a: Shape, b: Shape| a.combine(b, i64::wrapping_add);
    // A stride modulo a narrower width is not one modulo the width of the operation.
    let of = |src: Src, bits: u32| {
        let shape = shapes.src(src);
        match shape {
            Shape::Strided(stride) if shapes.bits(src) < bits && stride.within != 0 => {
                shapes.stays_within(src, stride, shapes.bits(src)).then_some(shape)
            }
            Shape::Indexed(_) if shapes.bits(src) != bits => None,
            shape => Some(shape),
        }
    };
    match (alu, reads) {
        (Alu::Unary { op: Unary::AddConstant { mask, .. }, packing: Packing::Whole, .. }, [a]) => {
            of(*a, register_bits(*mask)?)
        }
        (Alu::Unary { op: Unary::IntNeg(t), packing: Packing::Whole, .. }, [a]) => {
            Some(Shape::Constant(0).combine(of(*a, t.bits())?, i64::wrapping_sub))
        }
        (Alu::Binary { op, packing: Packing::Whole, .. }, [a, b]) => match op {
            Binary::IntAdd(t, Saturation::Wrap) => Some(add(of(*a, t.bits())?, of(*b, t.bits())?)),
            Binary::IntSub(t, Saturation::Wrap) => {
                Some(of(*a, t.bits())?.combine(of(*b, t.bits())?, i64::wrapping_sub))
            }
            Binary::IntMul(t, ProductPart::Lo) => Some(of(*a, t.bits())?.times(of(*b, t.bits())?)),
            Binary::Shl(t) => match shapes.src(*b) {
                Shape::Constant(by) if by < u64::from(t.bits()) => {
                    Some(of(*a, t.bits())?.times(Shape::Constant(1 << by)))
                }
                _ => None,
            },
            _ => None,
        },
        (
            Alu::Ternary {
                op: Ternary::IntMad(t, ProductPart::Lo, Saturation::Wrap),
                packing: Packing::Whole,
                ..
            },
            [a, b, c],
        ) => Some(add(of(*a, t.bits())?.times(of(*b, t.bits())?), of(*c, t.bits())?)),
        (Alu::Ternary { op: Ternary::Select, .. }, [a, b, c]) if shapes.src(*c).is_uniform() => {
            match shapes.src(*a).join(shapes.src(*b)) {
                Shape::Indexed(_) => None,
                shape => Some(shape),
            }
        }
        _ => None,
    }
}

/// The width of the register for which this mask is all ones.
fn register_bits(mask: u64) -> Option<u32> {
    [Int::U16, Int::U32, Int::U64].iter().find(|t| mask == t.wrap(u64::MAX)).map(|t| t.bits())
}

/// The shape of an index that is extended to more bits, or of its product.
fn extended(shapes: &Shapes, alu: &Alu, reads: &[Src]) -> Option<Shape> {
    match (alu, reads) {
        (Alu::Unary { op, packing: Packing::Whole, .. }, [a]) => {
            let Unary::IntToInt { to, from, excess: Excess::Truncate, register } = *op else { return None };
            converted(shapes, *a, to, from, register)
        }
        (Alu::Binary { op: Binary::IntMul(t, ProductPart::Wide), packing: Packing::Whole, .. }, [a, b]) => {
            wide_product(shapes, *t, *a, *b)
        }
        (
            Alu::Ternary {
                op: Ternary::IntMad(t, ProductPart::Wide, Saturation::Wrap),
                packing: Packing::Whole,
                ..
            },
            [a, b, c],
        ) => {
            let shape = shapes.src(*c);
            let keeps = shape.is_uniform() || shapes.bits(*c) == 2 * t.bits();
            let product = wide_product(shapes, *t, *a, *b)?;
            keeps.then(|| product.combine(shape, i64::wrapping_add))
        }
        _ => None,
    }
}

fn wide_product(shapes: &Shapes, t: Int, a: Src, b: Src) -> Option<Shape> {
    let signed = |value: u64| t.value(value) as i64;
    match (shapes.src(a), shapes.src(b)) {
        (Shape::Constant(scale), _) => extension(shapes, b, t, signed(scale)),
        (_, Shape::Constant(scale)) => extension(shapes, a, t, signed(scale)),
        _ => None,
    }
}

fn converted(shapes: &Shapes, a: Src, to: Int, from: Int, register: u64) -> Option<Shape> {
    let bits = register_bits(register)?;
    if to.bits() > from.bits() {
        // It is extended twice to a wider register, perhaps once with its sign and once with zeros.
        return if bits == to.bits() { extension(shapes, a, from, 1) } else { None };
    }
    if bits > to.bits() {
        return extension(shapes, a, to, 1);
    }
    // The low bits of a sum are the sum of the low bits.
    match shapes.src(a) {
        Shape::Indexed(indexed) => Some(Shape::of(indexed.stride())),
        Shape::Strided(stride) if shapes.bits(a) >= to.bits() => Some(Shape::of(stride)),
        _ => None,
    }
}

/// The shape of the low bits of a row, extended from type `from` and multiplied by `scale`.
fn extension(shapes: &Shapes, src: Src, from: Int, scale: i64) -> Option<Shape> {
    let Shape::Strided(index) = shapes.src(src) else { return None };
    let bits = from.bits().min(shapes.bits(src));
    if shapes.stays_within(src, index, bits) {
        let times = |stride: i64| stride.wrapping_mul(scale);
        return Some(Shape::of(Stride { within: times(index.within), across: index.across.map(times) }));
    }
    let is_signed = from.sign() == Signedness::Signed;
    (bits == from.bits()).then_some(Shape::Indexed(Indexed { index, bits, is_signed, scale }))
}

/// The shape of a function of the upper or the lower bits of consecutive integers that form an aligned group per warp or chunk:
/// `tid.x >> 5`, `tid.x & 31`, `tid.x < 32`.
fn aligned(shapes: &Shapes, alu: &Alu, reads: &[Src]) -> Option<Shape> {
    let (Alu::Unary { packing: Packing::Whole, .. } | Alu::Binary { packing: Packing::Whole, .. }) = alu
    else {
        return None;
    };
    let (src, constant) = match reads {
        [a] => (*a, 0),
        [a, b] => match (shapes.src(*a), shapes.src(*b)) {
            (_, Shape::Constant(constant)) => (*a, constant),
            _ => return None,
        },
        _ => return None,
    };
    let Shape::Strided(stride) = shapes.src(src) else { return None };
    let Lanes { chunk, group } = shapes.lanes();
    if stride.within != 1 || !shapes.stays_within(src, stride, shapes.bits(src)) {
        return None;
    }
    let of_chunk = Stride { across: None, ..stride };
    let of_group =
        |stride, lanes: u32, same| aligned_group(shapes, alu, (src, constant), stride, lanes, same);
    match stride.across {
        Some(across) if across == i64::from(chunk) => {
            of_group(stride, group, Shape::Uniform).or_else(|| of_group(of_chunk, chunk, Shape::CHUNKWISE))
        }
        Some(_) => None,
        None => of_group(of_chunk, chunk, Shape::CHUNKWISE),
    }
}

/// As [`aligned`], for groups of `lanes` lanes; `same` is the shape of one value in each group.
fn aligned_group(
    shapes: &Shapes,
    alu: &Alu,
    (src, constant): (Src, u64),
    stride: Stride,
    lanes: u32,
    same: Shape,
) -> Option<Shape> {
    let zeros = lanes.trailing_zeros();
    let facts = shapes.facts(src);
    let known = if stride.across.is_some() { facts.zeros.warp } else { facts.zeros.chunk };
    if known < zeros {
        return None;
    }
    let group = mask(zeros);
    let masked = |mask: u64| match mask & group {
        0 => Some(same),
        low if low == group => Some(Shape::Strided(stride)),
        _ => None,
    };
    let fits = |t: Int| facts.are_small(t.bits());
    match *alu {
        Alu::Unary { op: Unary::Field { shift, .. }, .. } if shift >= zeros => Some(same),
        Alu::Unary { op: Unary::Field { shift: 0, mask }, .. } => masked(mask),
        Alu::Binary { op, .. } => match op {
            Binary::And => masked(constant),
            Binary::Shr(t) if fits(t) && constant >= u64::from(zeros) => Some(same),
            Binary::IntDiv(t) if fits(t) && constant > 0 && constant & group == 0 => Some(same),
            Binary::IntRem(t) if fits(t) && constant.is_power_of_two() && constant > group => {
                Some(Shape::Strided(stride))
            }
            Binary::Compare(comparison) => {
                splits_no_group(&comparison, constant, group, fits).then_some(same)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a comparison with a constant has the same result for all integers of an aligned group.
fn splits_no_group(comparison: &Comparison, constant: u64, group: u64, fits: impl Fn(Int) -> bool) -> bool {
    let Numbers::Int(t) = comparison.numbers else { return false };
    let is_first = |number: u64| number & group == 0;
    fits(t)
        && match comparison.relation {
            Relation::Less | Relation::GreaterOrEqual => is_first(constant),
            Relation::LessOrEqual | Relation::Greater => is_first(constant.wrapping_add(1)),
            _ => false,
        }
}

/// The shape of a special register.
fn special(register: SpecialReg, component: Option<Component>, launched: &Launched, lanes: Lanes) -> Shape {
    match register {
        SpecialReg::Ntid => Shape::Constant(along(launched.block, 0, component).into()),
        SpecialReg::LaneId if lanes.is_warp() => consecutive(lanes),
        // It restarts in each warp.
        SpecialReg::LaneId => Shape::Strided(Stride { within: 1, across: None }),
        SpecialReg::WarpId if lanes.warps() > 1 => Shape::CHUNKWISE,
        SpecialReg::Tid => thread_index(axis(component), launched.block, lanes),
        SpecialReg::LanemaskEq
        | SpecialReg::LanemaskLe
        | SpecialReg::LanemaskLt
        | SpecialReg::LanemaskGe
        | SpecialReg::LanemaskGt => Shape::Varying,
        _ => Shape::Uniform,
    }
}

fn consecutive(lanes: Lanes) -> Shape {
    Shape::Strided(Stride { within: 1, across: Some(lanes.chunk.into()) })
}

/// The shape of a thread index. Threads are numbered `x` first, and the lanes of a warp have consecutive numbers.
fn thread_index(axis: usize, block: [u32; 3], lanes: Lanes) -> Shape {
    let [x, y, z] = block.map(u64::from);
    // How many consecutive threads have the same index on this axis, and after how many it restarts.
    let (same, period) = match axis {
        0 => (1, x),
        1 => (x, x * y),
        2 => (x * y, x * y * z),
        _ => return Shape::Constant(0),
    };
    let (warp, chunk) = (u64::from(lanes.group), u64::from(lanes.chunk));
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
