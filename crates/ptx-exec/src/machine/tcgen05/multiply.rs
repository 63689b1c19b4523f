//! `tcgen05.mma` (manual 9.7.16.10).

use ptx_program::{Element, Group, LANES, Multiplication, Overflow};

use super::elsewhere::multiply_elsewhere;
use super::factor::{FactorB, Lane, LaneA, SharedA, scales};
use super::instruction::Instruction;
use super::layout::Layout;
use super::memory::{TensorMemory, parts};
use crate::error::TrapKind;
use crate::machine::block::BlockState;
use crate::machine::indexed::value_at;
use crate::machine::matrix::rounded;
use crate::machine::products::Products;

/// D = A * B + D.
///
/// Products are exact and summed in binary64, and the sum is rounded once to the type of D, as for `mma`. A lane of D
/// reads its row of A, its metadata and its scales from its own lanes of tensor memory, so that data which programs
/// must replicate has to be present in each replica.
pub(super) fn multiply(
    product: &Multiplication<u64>,
    blocks: &mut [&mut BlockState],
    products: Option<&'static dyn Products>,
) -> Result<(), TrapKind> {
    let group = if blocks.len() == 1 { Group::One } else { Group::Pair };
    let instruction = Instruction::new(product.instruction as u32, product, group)?;
    let (base, first_column) = parts(product.d as u32);
    let size = (instruction.m, instruction.n);
    let layout = Layout::new(size, group, product.keeps_b, product.metadata.is_some(), base)?;
    let reader = products.map(|products| products as &dyn Products);
    let a = SharedA::new(&instruction, product, &layout, blocks, reader)?;
    let b = FactorB::new(&instruction, product, blocks, reader)?;
    if let Some(products) = products
        && multiply_elsewhere(products, &instruction, product, (&layout, first_column), (&a, &b), blocks)
    {
        return Ok(());
    }
    let mut results = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        for lane in 0..LANES {
            let Some((row, first)) = layout.row(lane) else { continue };
            let at = Lane { block: number, lane, row };
            if product.is_disabled(number, lane) {
                continue;
            }
            let of_lane = LaneA::new(&instruction, product, &layout, &a, at, &block.tensor)?;
            for column in 0..layout.columns {
                let cell = (first_column + column) as i64;
                let memory = &block.tensor;
                let start = if product.adds_d & 1 == 1 {
                    let old = memory.read(lane, cell)?;
                    added(instruction.d, old, product.shift_d)
                } else {
                    0.0
                };
                let scaling = Scaling::new(&instruction, product, &layout, (at, column), memory)?;
                let sum = scaling.sum(start, &of_lane, b.column(first + column));
                results.push((number, lane, cell, narrowed(&instruction, sum)));
            }
        }
    }
    for (number, lane, cell, value) in results {
        if let Some(block) = blocks.get_mut(number) {
            block.tensor.write(lane, cell, value)?;
        }
    }
    Ok(())
}

/// The old value of D, divided by a power of two.
fn added(d: Element, cell: u32, shift: u64) -> f64 {
    let raw = if d == Element::F16 { u64::from(cell & 0xffff) } else { cell.into() };
    d.value(raw) / f64::from(1u32 << shift.min(31))
}

/// Scales of the blocks of a row of A and of a column of B.
struct Scaling {
    k: usize,
    /// One for each block; empty without scales.
    of_blocks: Vec<f64>,
}

impl Scaling {
    fn new(
        instruction: &Instruction,
        product: &Multiplication<u64>,
        layout: &Layout,
        (at, column): (Lane, usize),
        memory: &TensorMemory,
    ) -> Result<Self, TrapKind> {
        let mut of_blocks = Vec::new();
        if let (Some((a, b)), Some((format, count, ids))) = (product.scales, instruction.scales) {
            let of_a = scales((format, count, ids[0]), a, (at.row, layout.rows), at.lane, memory)?;
            let of_b = scales((format, count, ids[1]), b, (column, layout.columns), at.lane, memory)?;
            of_blocks = of_a.into_iter().zip(of_b).map(|(a, b)| a * b).collect();
        }
        Ok(Self { k: instruction.k, of_blocks })
    }

    /// A sum of products.
    fn sum(&self, start: f64, a: &LaneA, b: &[f64]) -> f64 {
        let terms = a.values.iter().zip(&a.depths).map(|(&value, &depth)| {
            let scale = match self.of_blocks.len() {
                0 => 1.0,
                count => value_at(&self.of_blocks, depth * count / self.k),
            };
            value * value_at(b, depth) * scale
        });
        terms.fold(start, |sum, term| sum + term)
    }
}

/// Rounds a sum to the type of D. A 16-bit value is in the lower half of its cell.
fn narrowed(instruction: &Instruction, sum: f64) -> u32 {
    let overflow = if instruction.saturates { Overflow::Finite } else { Overflow::Plain };
    rounded(instruction.d, overflow, sum) as u32
}
