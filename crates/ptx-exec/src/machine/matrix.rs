//! Matrix instructions (manual 9.7.14.5): which lane holds which element, and the products.
//!
//! Every layout of `mma` follows one scheme. A lane is in group `lane / 4` and has place `lane % 4` in it; a 32-bit
//! register holds `e` elements (2 halves, 4 bytes, 1 word), so the four lanes of a group hold `4 * e` neighbours along k.
//! Registers of A go down eight rows first, where there are sixteen, then along k; those of B go along k.

use super::memory::View;
use crate::error::TrapKind;
use crate::memory::{Order, Space};
use crate::program::{Element, Layout, MatrixShape, Row, WARP};
use crate::scalar::float::{Arith, Limit, Subnormals, finish, fma};
use crate::scalar::format::{Format, Rounding};

const ROWS: usize = 16;
const COLUMNS: usize = 8;
const DEPTH: usize = 32;

impl Element {
    /// The value of an element of A or B as a binary64, which holds every one of them.
    fn value(self, raw: u64) -> f64 {
        match self {
            Element::F16 => Format::F16.widen(raw),
            Element::Bf16 => Format::Bf16.widen(raw),
            // The low bits of a register that holds a `.tf32` are ignored.
            Element::Tf32 => Format::F32.widen(raw & 0xffff_e000),
            Element::F32 => Format::F32.widen(raw),
            Element::F64 => f64::from_bits(raw),
            Element::U8 => f64::from(raw as u8),
            Element::S8 => f64::from(raw as i8),
            Element::S32 => f64::from(raw as i32),
        }
    }
}

/// Element `sub` of a register.
fn element(ty: Element, register: u64, sub: usize) -> u64 {
    let bits = ty.bits();
    register >> (bits * sub as u32) & (u64::MAX >> (64 - bits))
}

/// D = A * B + C.
///
/// Products are exact and summed in binary64, and the sum is rounded once to the type of D: at least as precise as the
/// manual asks for, which leaves the order of the sum open. `.f64` adds one product after the other, each with one
/// rounding.
pub(super) fn multiply(shape: MatrixShape, inputs: &[Row], outputs: &mut [Row]) {
    let (m, k) = (shape.m as usize, shape.k as usize);
    let row_blocks = m / 8;
    let a_chunks = k / (4 * shape.a.per_register() as usize);
    let b_chunks = k / (4 * shape.b.per_register() as usize);
    let (a_rows, rest) = inputs.split_at((row_blocks * a_chunks).min(inputs.len()));
    let (b_rows, c_rows) = rest.split_at(b_chunks.min(rest.len()));
    let mut a = [[0u64; DEPTH]; ROWS];
    let mut b = [[0u64; COLUMNS]; DEPTH];
    for lane in 0..WARP {
        let (group, place) = (lane / 4, lane % 4);
        for (register, row) in a_rows.iter().enumerate() {
            for sub in 0..shape.a.per_register() as usize {
                let (down, along) = (register % row_blocks, register / row_blocks);
                let column = (along * 4 + place) * shape.a.per_register() as usize + sub;
                a[group + 8 * down][column] = element(shape.a, row[lane], sub);
            }
        }
        for (register, row) in b_rows.iter().enumerate() {
            for sub in 0..shape.b.per_register() as usize {
                b[(register * 4 + place) * shape.b.per_register() as usize + sub][group] =
                    element(shape.b, row[lane], sub);
            }
        }
    }
    outputs.iter_mut().for_each(|row| *row = [0; WARP]);
    let per_register = shape.c.per_register() as usize;
    for lane in 0..WARP {
        for index in 0..2 * row_blocks {
            let (row, column) = (lane / 4 + 8 * (index / 2), lane % 4 * 2 + index % 2);
            let (register, sub) = (index / per_register, index % per_register);
            let (Some(c), Some(d)) = (c_rows.get(register), outputs.get_mut(register)) else { continue };
            let c = element(shape.c, c[lane], sub);
            let value = dot(&shape, c, &a[row][..k], |depth| b[depth][column]);
            d[lane] |= value << (shape.c.bits() * sub as u32);
        }
    }
}

fn dot(shape: &MatrixShape, c: u64, a: &[u64], b: impl Fn(usize) -> u64) -> u64 {
    let terms = || a.iter().enumerate().map(|(depth, &a)| (a, b(depth)));
    let sum = || terms().fold(shape.c.value(c), |sum, (a, b)| sum + shape.a.value(a) * shape.b.value(b));
    let rounded = |format: Format| {
        finish(format, Subnormals::Keep, Limit::None, format.narrow(sum(), Rounding::NearestEven))
    };
    match shape.c {
        Element::F64 => terms().fold(c, |sum, (a, b)| fma(&Arith::nearest(Format::F64), a, b, sum)),
        Element::F32 | Element::Tf32 => rounded(Format::F32),
        Element::F16 => rounded(Format::F16),
        Element::Bf16 => rounded(Format::Bf16),
        // Sums of bytes are exact in binary64.
        Element::S32 | Element::U8 | Element::S8 => {
            let sum = sum() as i64;
            let limited = if shape.saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
            u64::from(limited as u32)
        }
    }
}

/// The row and first column of the pair of elements that a lane holds of an 8x8 matrix.
const fn held(lane: usize) -> (usize, usize) {
    (lane / 4, lane % 4 * 2)
}

/// `ldmatrix`: lanes `8 n` to `8 n + 7` give the addresses of the rows of matrix `n`.
pub(super) fn load(
    count: u32,
    layout: Layout,
    view: &View<'_>,
    (space, offset): (Space, i64),
    inputs: &[Row],
    outputs: &mut [Row],
) -> Result<(), (TrapKind, usize)> {
    let Some(addresses) = inputs.first() else { return Ok(()) };
    for (matrix, out) in outputs.iter_mut().enumerate().take(count as usize) {
        let mut elements = [[0u64; 8]; 8];
        for (row, elements) in elements.iter_mut().enumerate() {
            let lane = (matrix * 8 + row) % WARP;
            let address = row_address(addresses, lane, space, offset)?;
            for (column, element) in elements.iter_mut().enumerate() {
                let read = view.read(lane, space, address + column as u64 * 2, 2, Order::Relaxed);
                *element = read.map_err(|fault| (TrapKind::Fault(fault), lane))?;
            }
        }
        for (lane, out) in out.iter_mut().enumerate() {
            let (row, column) = held(lane);
            *out = match layout {
                Layout::Plain => elements[row][column] | elements[row][column + 1] << 16,
                Layout::Transposed => elements[column][row] | elements[column + 1][row] << 16,
            };
        }
    }
    Ok(())
}

/// `stmatrix`: the opposite of [`load`]; the matrices follow the addresses among the inputs.
pub(super) fn store(
    count: u32,
    layout: Layout,
    mut view: View<'_>,
    (space, offset): (Space, i64),
    inputs: &[Row],
) -> Result<(), (TrapKind, usize)> {
    let Some((addresses, matrices)) = inputs.split_first() else { return Ok(()) };
    for (matrix, values) in matrices.iter().enumerate().take(count as usize) {
        for (lane, &pair) in values.iter().enumerate() {
            let (row, column) = held(lane);
            for sub in 0..2 {
                let (row, column) = match layout {
                    Layout::Plain => (row, column + sub),
                    Layout::Transposed => (column + sub, row),
                };
                let giver = (matrix * 8 + row) % WARP;
                let address = row_address(addresses, giver, space, offset)? + column as u64 * 2;
                let value = pair >> (16 * sub) & 0xffff;
                let written = view.write(giver, space, address, 2, value, Order::Relaxed);
                written.map_err(|fault| (TrapKind::Fault(fault), giver))?;
            }
        }
    }
    Ok(())
}

/// The address of a row of 16 bytes, which must be aligned to them.
fn row_address(addresses: &Row, lane: usize, space: Space, offset: i64) -> Result<u64, (TrapKind, usize)> {
    use crate::memory::{Fault, FaultKind};
    let address = addresses[lane].wrapping_add(offset as u64);
    let fault = |kind| Err((TrapKind::Fault(Fault { kind, space, address, size: 16 }), lane));
    if !address.is_multiple_of(16) {
        fault(FaultKind::Misaligned)
    } else if address > u64::MAX - 16 {
        fault(FaultKind::OutOfBounds)
    } else {
        Ok(address)
    }
}

/// `movmatrix.trans`.
pub(super) fn transpose(inputs: &[Row], outputs: &mut [Row]) {
    let ([values], [out]) = (inputs, outputs) else { return };
    let at = |row: usize, column: usize| values[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
    for (lane, out) in out.iter_mut().enumerate() {
        let (row, column) = held(lane);
        *out = at(column, row) | at(column + 1, row) << 16;
    }
}
