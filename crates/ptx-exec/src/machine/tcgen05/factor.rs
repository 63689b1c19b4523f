//! The factors of a multiplication: the part of A for a lane, all of B, and their scales (manual 9.7.16.10.4 to 9.7.16.10.8).

use ptx_program::scalar::narrow::Narrow;
use ptx_program::{Element, LANES, Majorness, Multiplication, TensorA};

use super::instruction::Instruction;
use super::layout::Layout;
use super::memory::{TensorMemory, parts};
use super::misuse::misuse;
use super::shared::SharedFactor;
use crate::error::TrapKind;
use crate::machine::block::BlockState;
use crate::machine::descriptor::Swizzle;
use crate::machine::indexed::values_in;
use crate::machine::products::Products;

/// Bits of a scale address in which programs store a byte index.
const SUBWORD: u32 = 3 << 30;

/// The values of a matrix in the shared memory of a block, line by line; `which` is 0 for A and 1 for B.
fn shared(
    instruction: &Instruction,
    which: usize,
    bits: u64,
    size: (usize, usize),
    block: &BlockState,
    products: Option<&dyn Products>,
) -> Result<Vec<f64>, TrapKind> {
    let element = [instruction.a, instruction.b][which];
    let (majorness, negates) = (instruction.majorness[which], instruction.negates[which]);
    let matrix = SharedFactor::new(bits, majorness, element.bits(), size, &block.shared)?;
    let is_wide = matrix.swizzle() == Swizzle::Wide128;
    if majorness == Majorness::Mn && is_wide != (element == Element::Tf32) {
        return misuse(
            "a transposed matrix of `.tf32`, and no other, is swizzled by 128 bytes in pieces of 32",
        );
    }
    let read = products.and_then(|products| products.elements(&matrix.lines()?, element));
    let mut values = match read {
        Some(values) => values,
        None => matrix.elements(element)?.into_iter().map(|raw| element.value(raw)).collect(),
    };
    if negates {
        values.iter_mut().for_each(|value| *value = -*value);
    }
    Ok(values)
}

fn signed(value: f64, negates: bool) -> f64 {
    if negates { -value } else { value }
}

/// B, column by column. Each block of a pair has half of the columns.
pub(super) struct FactorB {
    k: usize,
    values: Vec<f64>,
}

impl FactorB {
    pub(super) fn new(
        instruction: &Instruction,
        product: &Multiplication<u64>,
        blocks: &[&mut BlockState],
        products: Option<&dyn Products>,
    ) -> Result<Self, TrapKind> {
        let Instruction { n, k, .. } = *instruction;
        let zeros = match product.zeros {
            Some(zeros) => zeros,
            // No column of B counts as zeros, and none is shifted.
            None => 0,
        };
        let shift = (zeros >> 56 & 0x3f) as usize;
        if shift > instruction.most_shift || shift > 16 && instruction.m == 32 {
            return misuse(format!(
                "B is shifted by {shift} columns, the instruction descriptor allows {}",
                instruction.most_shift
            ));
        }
        let mut values = Vec::new();
        for block in blocks {
            let size = (n / blocks.len() + shift, k);
            let of_block = shared(instruction, 1, product.b, size, block, products)?;
            if values.is_empty() { values = of_block } else { values.extend(of_block) }
        }
        // B was read with `shift` additional columns; the first ones are shifted out.
        values.drain(..(shift * k).min(values.len()));
        let zeros = if has_zero_columns(zeros) { zero_columns(zeros, instruction.m, n) } else { Vec::new() };
        for (column, is_zero) in zeros.into_iter().enumerate() {
            if is_zero {
                values.iter_mut().skip(column * k).take(k).for_each(|value| *value = 0.0);
            }
        }
        Ok(Self { k, values })
    }

    /// All columns, concatenated.
    pub(super) fn all(&self) -> &[f64] {
        &self.values
    }

    /// A column.
    pub(super) fn column(&self, n: usize) -> &[f64] {
        values_in(&self.values, n * self.k..(n + 1) * self.k)
    }
}

/// Whether some columns of B are treated as zeros.
const fn has_zero_columns(bits: u64) -> bool {
    bits >> 39 & 1 == 1
}

/// Which columns of B are treated as zeros (manual 9.7.16.4.3). Spans of used and skipped columns alternate. The
/// manual's table swaps the meaning of the two lengths compared to its examples and their names, which are followed
/// here.
pub(super) fn zero_columns(bits: u64, m: usize, n: usize) -> Vec<bool> {
    let field = |low: u32, width: u32| (bits >> low & ((1 << width) - 1)) as usize;
    let (skipped, used) = (field(40, 8) + 1, field(48, 8) + 1);
    let parts = (LANES / m.max(1)).clamp(1, 4);
    let each = (n / parts).max(1);
    let is_zero = |column: usize| {
        let part = column / each;
        let begins_with_zeros = field(32 + part as u32, 1) == 1;
        let first = if begins_with_zeros { skipped } else { used };
        let at = (column % each + field(8 * part as u32, 8)) % (skipped + used);
        has_zero_columns(bits) && (at < first) == begins_with_zeros
    };
    (0..n).map(is_zero).collect()
}

/// A: the values in shared memory, row by row for each block.
pub(super) struct SharedA {
    of_blocks: Vec<Vec<f64>>,
}

/// Stored elements per row of A.
pub(super) fn stored(instruction: &Instruction, product: &Multiplication<u64>) -> usize {
    if product.metadata.is_some() { instruction.k / 2 } else { instruction.k }
}

impl SharedA {
    pub(super) fn new(
        instruction: &Instruction,
        product: &Multiplication<u64>,
        layout: &Layout,
        blocks: &[&mut BlockState],
        products: Option<&dyn Products>,
    ) -> Result<Self, TrapKind> {
        let mut of_blocks = Vec::new();
        if let TensorA::Shared(bits) = product.a {
            let size = (layout.rows, stored(instruction, product));
            for block in blocks {
                of_blocks.push(shared(instruction, 0, bits, size, block, products)?);
            }
        }
        Ok(Self { of_blocks })
    }

    /// The values of a block.
    pub(super) fn of(&self, block: usize) -> &[f64] {
        match self.of_blocks.get(block) {
            Some(values) => values,
            // A is in tensor memory.
            None => &[],
        }
    }
}

/// The rows of A of all lanes in tensor memory, lane by lane; `None` if they are not read at once.
pub(super) fn lanes_of_a(
    instruction: &Instruction,
    product: &Multiplication<u64>,
    address: u32,
    layout: &Layout,
    memory: &TensorMemory,
    products: &dyn Products,
) -> Option<Vec<f64>> {
    let first = begin(address, layout, "A").ok()?;
    let words = stored(instruction, product) * instruction.a.bits() as usize / 32;
    let end = first + words as i64;
    let cells = memory.allocated(first..end)?.get(first as usize * LANES..end as usize * LANES)?;
    let mut raw = vec![0; words * LANES * 4];
    for (word, column) in cells.chunks_exact(LANES).enumerate() {
        let places = raw.as_chunks_mut::<4>().0.iter_mut().skip(word).step_by(words);
        places.zip(column).for_each(|(place, cell)| *place = cell.to_le_bytes());
    }
    let mut values = products.values(instruction.a, &raw)?;
    if instruction.negates[0] {
        values.iter_mut().for_each(|value| *value = -*value);
    }
    Some(values)
}

/// The operands of a lane: its row of A, and the rows of B it is multiplied with.
pub(super) struct LaneA {
    pub(super) values: Vec<f64>,
    pub(super) depths: Vec<usize>,
}

/// A lane of a block, and its row in the block's part of D.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    pub(super) block: usize,
    pub(super) lane: usize,
    pub(super) row: usize,
}

impl LaneA {
    pub(super) fn new(
        instruction: &Instruction,
        product: &Multiplication<u64>,
        layout: &Layout,
        in_shared: &SharedA,
        at: Lane,
        memory: &TensorMemory,
    ) -> Result<Self, TrapKind> {
        let count = stored(instruction, product);
        let values = match product.a {
            TensorA::Shared(_) => {
                let rows = in_shared.of(at.block);
                values_in(rows, at.row * count..(at.row + 1) * count).to_vec()
            }
            TensorA::Tensor(address) => {
                let column = begin(address as u32, layout, "A")?;
                // With a shift each row but the last comes from the next lane.
                let lane = if product.shifts_a { (at.lane + 1).min(LANES - 1) } else { at.lane };
                in_tensor(instruction, count, lane, column, memory)?
            }
        };
        let depths = match product.metadata {
            None => (0..count).collect(),
            Some(address) => depths(instruction, layout, at, address as u32, memory)?,
        };
        Ok(Self { values, depths })
    }
}

/// The column of an address that must refer to the first lane of D.
fn begin(address: u32, layout: &Layout, what: &str) -> Result<i64, TrapKind> {
    let (lane, column) = parts(address);
    if lane != layout.base {
        return misuse(format!("the address of {what} is in lane {lane}, that of D in lane {}", layout.base));
    }
    Ok(column as i64)
}

/// Elements of a row of A in tensor memory, contiguous from the lowest bit.
fn in_tensor(
    instruction: &Instruction,
    count: usize,
    lane: usize,
    column: i64,
    memory: &TensorMemory,
) -> Result<Vec<f64>, TrapKind> {
    let (element, negates) = (instruction.a, instruction.negates[0]);
    let bits = element.bits() as usize;
    let value = |i: usize| {
        let word = memory.read(lane, column + (i * bits / 32) as i64)?;
        let raw = u64::from(word) >> (i * bits % 32) & (u64::MAX >> (64 - bits));
        Ok(signed(element.value(raw), negates))
    };
    (0..count).map(value).collect()
}

/// The rows of B for the elements of a sparse row of A. Each four bits of metadata are the positions of two elements,
/// or of two pairs of elements, in a chunk, or that of one of two elements (manual 9.7.16.10.8).
pub(super) fn depths(
    instruction: &Instruction,
    layout: &Layout,
    Lane { lane, row, .. }: Lane,
    address: u32,
    memory: &TensorMemory,
) -> Result<Vec<usize>, TrapKind> {
    let column = begin(address, layout, "the metadata")? + instruction.selector as i64;
    let chunk = match instruction.a.bits() {
        32 => 2,
        4 => 8,
        _ => 4,
    };
    let mut depths = Vec::new();
    for at in 0..instruction.k / chunk {
        let (lane, column, low) = match instruction.a.bits() {
            // Eight lanes contain the first half of the chunks of 16 rows, the next eight the second half.
            16 | 32 => (lane - row % 16 + row % 8 + at / 4 * 8, column, at % 4 * 4 + row / 8 % 2 * 16),
            _ => (lane, column + (at / 8) as i64, at % 8 * 4),
        };
        let bits = memory.read(lane, column)? >> low & 0xf;
        let (first, second) = ((bits & 3) as usize, (bits >> 2) as usize);
        let valid = match chunk {
            2 => matches!(bits, 0b0100 | 0b1110),
            _ => matches!(bits, 0b0100 | 0b1000 | 0b1100 | 0b1001 | 0b1101 | 0b0110 | 0b1110),
        };
        if !valid {
            return misuse(format!(
                "bits {low} to {} of the metadata in lane {lane}, column {column} are {bits:#06b}, which no chunk of this sparse matrix can have",
                low + 3
            ));
        }
        let start = at * chunk;
        match chunk {
            2 => depths.push(start + first / 2),
            4 => depths.extend([start + first, start + second]),
            _ => {
                depths
                    .extend([first, second].into_iter().flat_map(|at| [start + 2 * at, start + 2 * at + 1]));
            }
        }
    }
    Ok(depths)
}

/// The scales of a row of A or of a column of B, as stored in the lane's quarter of the lanes: one word in each of 32
/// lanes per line, the next 32 lines in the next column (manual 9.7.16.10.7.2, 9.7.16.10.7.3).
pub(super) fn scales(
    (format, count, first): (Narrow, usize, usize),
    address: u64,
    (line, lines): (usize, usize),
    lane: usize,
    memory: &TensorMemory,
) -> Result<Vec<f64>, TrapKind> {
    let (first_lane, column) = parts(address as u32 & !SUBWORD);
    if first_lane != 0 {
        return misuse(format!("the address of scales is in lane {first_lane}, expected lane 0"));
    }
    // Scales beyond a word continue in the columns after those of all lines.
    let apart = if lines <= 128 { 4 } else { 8 };
    let scale = |at: usize| {
        let byte = first + at;
        let column = column + line / 32 + byte / 4 * apart;
        let word = memory.read(lane / 32 * 32 + line % 32, column as i64)?;
        let raw = u64::from(word) >> (byte % 4 * 8) & 0xff;
        // The unsigned format has the same bits as the signed one.
        let raw = if format == Narrow::E4m3 { raw & 0x7f } else { raw };
        Ok(format.widen(raw))
    };
    (0..count).map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The manual's examples of masks (9.7.16.4.3), from the lowest column.
    #[test]
    fn zero_columns_of_the_manuals_examples() {
        let descriptor = |starts: [u64; 4], firsts: [u64; 4], generates: u64, skip: u64, used: u64| {
            let starts = (0..).zip(starts).fold(0, |bits, (i, start)| bits | start << (8 * i));
            let firsts = (0..).zip(firsts).fold(0, |bits, (i, first)| bits | first << (32 + i));
            starts | firsts | generates << 39 | skip << 40 | used << 48
        };
        let text = |bits, m, n| {
            let mask = zero_columns(bits, m, n).into_iter();
            mask.map(|zero| if zero { '1' } else { '0' }).collect::<String>()
        };
        assert_eq!(text(descriptor([0; 4], [0; 4], 0, 4, 3), 128, 8), "00000000");
        assert_eq!(text(descriptor([0; 4], [0; 4], 1, 2, 3), 128, 14), "00001110000111");
        let two = descriptor([0; 4], [1, 0, 0, 0], 1, 2, 3);
        assert_eq!(text(two, 64, 28), format!("{}{}", "11100001110000", "00001110000111"));
        let four = descriptor([0, 1, 2, 1], [1, 1, 0, 0], 1, 2, 3);
        assert_eq!(
            text(four, 32, 56),
            ["11100001110000", "11000011100001", "00111000011100", "00011100001110"].concat()
        );
    }
}
