//! A multiplication as plain numbers for another engine ([`Products::tensor`]): A, B and the depths of the elements of
//! a sparse A, all read before anything is changed. Scales are multiplied into the elements of both factors, which is
//! exact, since all of them have few bits.

use std::borrow::Cow;

use ptx_program::{Element, LANES, Multiplication, Overflow, QUARTER, TensorA};

use super::factor::{FactorB, Lane, SharedA, depths, lanes_of_a, scales, stored};
use super::instruction::Instruction;
use super::layout::Layout;
use super::memory::TensorMemory;
use crate::machine::block::BlockState;
use crate::machine::products::{Products, TensorPart};

/// Computes D with another engine; false, without effect, if it does not support the multiplication.
pub(super) fn multiply_elsewhere(
    products: &dyn Products,
    instruction: &Instruction,
    product: &Multiplication<u64>,
    (layout, first_column): (&Layout, usize),
    (a, b): (&SharedA, &FactorB),
    blocks: &mut [&mut BlockState],
) -> bool {
    // Each cell must be allocated.
    let has_columns =
        |block: &mut &mut BlockState| block.tensor.columns(first_column, layout.columns).is_some();
    let is_whole = instruction.d != Element::S32 || product.shift_d == 0;
    if !is_whole || !blocks.iter_mut().all(has_columns) {
        return false;
    }
    let shared = SharedState { products, instruction, product, layout };
    let of_block = |(number, block): (usize, &&mut BlockState)| {
        shared.numbers(number, &block.tensor, a.of(number), b.all())
    };
    let Some(numbers) = blocks.iter().enumerate().map(of_block).collect::<Option<Vec<_>>>() else {
        return false;
    };
    // Whether it is computed depends only on sizes, which are the same for both blocks of a pair.
    blocks.iter_mut().zip(&numbers).all(|(block, numbers)| {
        let part = TensorPart {
            a: &numbers.a,
            b: &numbers.b,
            depth: instruction.k,
            kept: stored(instruction, product),
            depths: &numbers.depths,
            adds: product.adds_d & 1 == 1,
            scale: 1.0 / f64::from(1u32 << product.shift_d.min(31)),
            d: instruction.d,
            overflow: if instruction.saturates { Overflow::Finite } else { Overflow::Plain },
            rows: numbers.rows,
            columns: numbers.columns,
        };
        let cells = block.tensor.columns(first_column, layout.columns);
        cells.is_some_and(|cells| products.tensor(&part, cells))
    })
}

/// The state common to the blocks of a multiplication.
#[derive(Clone, Copy)]
struct SharedState<'a> {
    products: &'a dyn Products,
    instruction: &'a Instruction,
    product: &'a Multiplication<u64>,
    layout: &'a Layout,
}

/// The operands of a block, in the form of [`TensorPart`].
struct Numbers<'a> {
    a: Cow<'a, [f64]>,
    b: Cow<'a, [f64]>,
    depths: Vec<usize>,
    rows: [Option<usize>; LANES],
    columns: [usize; 4],
}

/// The part of B used by a quarter of the lanes: its first column, the scales of all columns, and where B with these scales is stored.
struct OfQuarter {
    first: usize,
    scales: Vec<f64>,
    at: usize,
}

impl SharedState<'_> {
    /// The operands of a block, whose A may be in shared memory; `None` if something is invalid, which is then detected again and reported.
    fn numbers<'a>(
        self,
        block: usize,
        memory: &TensorMemory,
        a: &'a [f64],
        b: &'a [f64],
    ) -> Option<Numbers<'a>> {
        let Self { products, instruction, product, layout } = self;
        let row_of_d =
            |lane| layout.row(lane).filter(|_| !product.is_disabled(block, lane)).map(|(row, _)| row);
        let of_d: [Option<usize>; LANES] = std::array::from_fn(row_of_d);
        let columns = std::array::from_fn(|quarter| {
            let mut lanes = (quarter * QUARTER..).take(QUARTER);
            match lanes.find_map(|lane| layout.row(lane)) {
                Some((_, first)) => first,
                // A quarter without rows of D uses no columns of B.
                None => 0,
            }
        });
        let (a, rows) = match product.a {
            TensorA::Shared(_) => (Cow::Borrowed(a), of_d),
            TensorA::Tensor(address) => {
                let a = lanes_of_a(instruction, product, address as u32, layout, memory, products)?;
                // A lane uses its own row, or with a shift that of the next lane.
                let held = |lane: usize| if product.shifts_a { (lane + 1).min(LANES - 1) } else { lane };
                (Cow::Owned(a), std::array::from_fn(|lane| of_d[lane].map(|_| held(lane))))
            }
        };
        let depths = self.depths(block, &of_d, memory)?;
        let numbers = Numbers { a, b: Cow::Borrowed(b), depths, rows, columns };
        self.scaled(numbers, &of_d, memory)
    }

    /// The depths of the elements of a sparse A, lane by lane.
    fn depths(
        self,
        block: usize,
        of_d: &[Option<usize>; LANES],
        memory: &TensorMemory,
    ) -> Option<Vec<usize>> {
        let Some(address) = self.product.metadata else { return Some(Vec::new()) };
        let kept = stored(self.instruction, self.product);
        let mut all = Vec::with_capacity(LANES * kept);
        for (lane, row) in of_d.iter().enumerate() {
            match row {
                None => all.resize(all.len() + kept, 0),
                Some(row) => {
                    let at = Lane { block, lane, row: *row };
                    all.extend(depths(self.instruction, self.layout, at, address as u32, memory).ok()?);
                }
            }
        }
        Some(all)
    }

    /// Multiplies the scales of both factors in. Each lane has the scales of its row of A, each quarter of the lanes those of all columns of B.
    fn scaled<'a>(
        self,
        mut numbers: Numbers<'a>,
        of_d: &[Option<usize>; LANES],
        memory: &TensorMemory,
    ) -> Option<Numbers<'a>> {
        let Self { instruction, product, layout, .. } = self;
        let (Some((of_a, of_b)), Some((format, count, ids))) = (product.scales, instruction.scales) else {
            return Some(numbers);
        };
        let (k, kept) = (instruction.k, stored(instruction, product));
        let mut a = vec![0.0; LANES * kept];
        for (lane, to) in a.chunks_exact_mut(kept).enumerate() {
            let (Some(row_of_d), Some(row)) = (of_d[lane], numbers.rows[lane]) else { continue };
            let line = (row_of_d, layout.rows);
            let scales = scales((format, count, ids[0]), of_a, line, lane, memory).ok()?;
            let from = numbers.a.get(row * kept..(row + 1) * kept)?;
            for (at, (to, value)) in to.iter_mut().zip(from).enumerate() {
                let depth = numbers.depths.get(lane * kept + at).copied().unwrap_or(at);
                *to = value * scales.get(depth * count / k)?;
            }
        }
        let (mut b, mut before) = (Vec::new(), Vec::<OfQuarter>::new());
        for (quarter, first) in numbers.columns.iter_mut().enumerate() {
            let lanes = quarter * QUARTER..(quarter + 1) * QUARTER;
            if of_d[lanes.clone()].iter().all(Option::is_none) {
                *first = 0;
                continue;
            }
            let mut all = Vec::with_capacity(layout.columns * count);
            for column in 0..layout.columns {
                let line = (column, layout.columns);
                all.extend(scales((format, count, ids[1]), of_b, line, lanes.start, memory).ok()?);
            }
            // Quarters have the same scales if programs store them for all warps; they then share one scaled B.
            let bits = |scales: &[f64]| scales.iter().map(|scale| scale.to_bits()).collect::<Vec<_>>();
            let is_same =
                |quarter: &&OfQuarter| quarter.first == *first && bits(&quarter.scales) == bits(&all);
            if let Some(at) = before.iter().find(is_same).map(|quarter| quarter.at) {
                *first = at;
                continue;
            }
            let at = b.len() / k;
            let columns = numbers.b.get(*first * k..(*first + layout.columns) * k)?;
            for (column, scales) in columns.chunks_exact(k).zip(all.chunks_exact(count)) {
                b.extend(column.iter().enumerate().map(|(depth, value)| value * scales[depth * count / k]));
            }
            before.push(OfQuarter { first: *first, scales: all, at });
            *first = at;
        }
        numbers.rows = std::array::from_fn(|lane| of_d[lane].map(|_| lane));
        (numbers.a, numbers.b) = (Cow::Owned(a), Cow::Owned(b));
        Some(numbers)
    }
}
