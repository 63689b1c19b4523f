//! Matrix arithmetic instructions (manual 9.7.14.3 to 9.7.14.6): the products, and `movmatrix`.

use ptx_program::scalar::float::{Arith, Limit, Subnormals, finish, fma};
use ptx_program::scalar::format::{Format, Rounding, Sign};
use ptx_program::scalar::narrow::Narrow;
use ptx_program::{
    Element, Factor, Indices, Join, MatrixOperand, Overflow, Product, Row, Scales, Size, Sparse, WARP,
};

use super::indexed::{value_at, values_in};
use crate::error::TrapKind;

/// Element `i` of a lane's registers.
fn element(ty: Element, registers: &[Row], lane: usize, i: usize) -> u64 {
    let (bits, each) = (ty.bits(), ty.per_register() as usize);
    let [row] = values_in(registers, i / each..i / each + 1) else { return 0 };
    row[lane] >> (bits * (i % each) as u32) & (u64::MAX >> (64 - bits))
}

/// One matrix of each of the products that an instruction computes.
pub(super) struct Matrices {
    rows: usize,
    columns: usize,
    elements: Vec<u64>,
}

impl Matrices {
    fn at(&self, product: usize, row: usize, column: usize) -> u64 {
        value_at(&self.elements, (product * self.rows + row) * self.columns + column)
    }

    /// Gathers a matrix from the registers of the lanes.
    pub(super) fn gather(
        product: &Product,
        operand: MatrixOperand,
        factor: Factor,
        registers: &[Row],
    ) -> Self {
        let size = product.kept(operand);
        let (rows, columns) = size.of(operand);
        let (rows, columns) = (rows as usize, columns as usize);
        let mut elements = vec![0; product.held.products() * rows * columns];
        let each = registers.len() * factor.element.per_register() as usize;
        for lane in 0..WARP {
            for i in 0..each {
                let position = product.held.position(size, operand, factor, lane, i);
                let at = (position.product * rows + position.row) * columns + position.column;
                if let Some(entry) = elements.get_mut(at) {
                    *entry = element(factor.element, registers, lane, i);
                }
            }
        }
        Self { rows, columns, elements }
    }
}

impl Matrices {
    /// The values of a matrix in row-major order.
    pub(super) fn values(&self, element: Element) -> Vec<f64> {
        self.elements.iter().map(|&raw| element.value(raw)).collect()
    }
}

/// The columns of a sparse A that are stored.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    kept: usize,
    /// In row-major order; empty if all columns are stored.
    of_rows: Vec<usize>,
}

impl Columns {
    pub(super) fn new(product: &Product, metadata: Option<&Row>) -> Result<Self, (TrapKind, usize)> {
        let kept = product.kept(MatrixOperand::A).k as usize;
        let mut of_rows = Vec::new();
        if let (Some(sparse), Some(metadata)) = (product.sparse, metadata) {
            let Product { size, a: Factor { element, .. }, .. } = *product;
            for row in 0..size.m as usize {
                for chunk in 0..size.k as usize / Sparse::chunk(element) {
                    push_chunk(sparse, size, element, metadata, (row, chunk), &mut of_rows)?;
                }
            }
        }
        Ok(Self { kept, of_rows })
    }

    /// The columns of all rows, concatenated; empty if all are stored.
    pub(super) fn of_rows(&self) -> &[usize] {
        &self.of_rows
    }

    /// The column of stored element `i` of a row.
    pub(super) fn at(&self, row: usize, i: usize) -> usize {
        self.of_rows.get(row * self.kept + i).copied().unwrap_or(i)
    }
}

/// Appends the columns kept in a chunk. The manual leaves undefined what happens if metadata is not two distinct
/// indices, ordered where required; here it traps.
fn push_chunk(
    sparse: Sparse,
    size: Size,
    element: Element,
    metadata: &Row,
    (row, chunk): (usize, usize),
    columns: &mut Vec<usize>,
) -> Result<(), (TrapKind, usize)> {
    let (lane, low) = sparse.metadata(size, element, row, chunk);
    let bits = metadata[lane] >> low & 0xf;
    let (first, second) = ((bits & 3) as usize, (bits >> 2) as usize);
    let width = Sparse::chunk(element);
    let valid = match (width, sparse.indices) {
        // The two halves of a 32-bit element.
        (2, _) => matches!(bits, 0b0100 | 0b1110),
        (_, Indices::AnyOrder) => first != second,
        (_, Indices::Increasing) => first < second,
    };
    if !valid {
        let text = format!(
            "bits {low} to {} of the metadata are {bits:#06b}, which no chunk of this sparse matrix can have",
            low + 3
        );
        return Err((TrapKind::Misuse(text), lane));
    }
    let start = chunk * width;
    match width {
        2 => columns.push(start + first / 2),
        4 => columns.extend([start + first, start + second]),
        _ => columns.extend([first, second].into_iter().flat_map(|at| [start + 2 * at, start + 2 * at + 1])),
    }
    Ok(())
}

/// Block scales of the rows of A or of the columns of B.
struct Scaling {
    blocks: usize,
    /// Line by line; empty without scales.
    of_lines: Vec<f64>,
}

impl Scaling {
    /// From a register, a byte selector and a thread selector, which must be uniform.
    fn new(product: &Product, operand: MatrixOperand, inputs: &[Row]) -> Result<Self, (TrapKind, usize)> {
        let (Some(scales), [data, bytes, threads, ..]) = (product.scales, inputs) else {
            return Ok(Self { blocks: 1, of_lines: Vec::new() });
        };
        let (byte, thread) = (bytes[0] & 0xffff, threads[0] & 0xffff);
        for lane in 0..WARP {
            let given = (bytes[lane] & 0xffff, threads[lane] & 0xffff);
            let is_valid = scales.begins_at(byte) && thread < Scales::threads(operand);
            if !is_valid || given != (byte, thread) {
                let text = format!(
                    "byte {} and thread {} do not name the scales of a matrix, or not the same in all threads",
                    given.0, given.1
                );
                return Err((TrapKind::Misuse(text), lane));
            }
        }
        let size = product.size;
        let lines = if operand == MatrixOperand::A { size.m } else { size.n };
        let mut of_lines = Vec::new();
        for line in 0..lines as usize {
            let word = data[Scales::lane(operand, thread as usize, line)];
            for block in 0..scales.blocks {
                let raw = word >> (8 * (byte as usize + block)) & 0xff;
                // The unsigned format has the same bits as the signed one.
                let raw = if scales.format == Narrow::E4m3 { raw & 0x7f } else { raw };
                of_lines.push(scales.format.widen(raw));
            }
        }
        Ok(Self { blocks: scales.blocks, of_lines })
    }

    /// The scale of element `depth` of a line of `k` elements.
    fn at(&self, line: usize, depth: usize, k: usize) -> f64 {
        match self.of_lines[..] {
            [] => 1.0,
            _ => value_at(&self.of_lines, line * self.blocks + depth * self.blocks / k),
        }
    }
}

/// D = A * B + C on the registers of all lanes; an error includes the lane that is stopped.
///
/// Products are exact and summed in binary64, and the sum is rounded once to the type of D: at least as precise as the
/// manual requires, which leaves the order of summation unspecified. `.f64` adds one product after the other with one
/// rounding each.
///
/// A sparse A selects the rows of B that its elements are multiplied with; other rows are not read, so that an infinity
/// there does not result in a NaN.
pub(crate) fn multiply(
    product: &Product,
    inputs: &[Row],
    outputs: &mut [Row],
) -> Result<(), (TrapKind, usize)> {
    // The input rows are the registers of A, of B and of C, then those of the metadata and of the scales if present.
    let [a, b, c, _] = product.registers().map(|count| count as usize);
    let (a, rest) = inputs.split_at(a.min(inputs.len()));
    let (b, rest) = rest.split_at(b.min(rest.len()));
    let (c, metadata) = rest.split_at(c.min(rest.len()));
    let columns = Columns::new(product, metadata.first())?;
    let scales = values_in(metadata, usize::from(product.sparse.is_some())..metadata.len());
    let (of_a, of_b) = scales.split_at(scales.len().min(3));
    let (scale_a, scale_b) =
        (Scaling::new(product, MatrixOperand::A, of_a)?, Scaling::new(product, MatrixOperand::B, of_b)?);
    let k = product.size.k as usize;
    let [of_c, of_d] = [product.c, product.d].map(|element| Factor { element, ..product.a });
    let a = Matrices::gather(product, MatrixOperand::A, product.a, a);
    let b = Matrices::gather(product, MatrixOperand::B, product.b, b);
    let c = Matrices::gather(product, MatrixOperand::Sum, of_c, c);
    let widened = Widened::new(product, &a, &b);
    let is_plain = product.sparse.is_none() && product.scales.is_none();
    let (bits, each) = (product.d.bits(), product.d.per_register() as usize);
    for (register, out) in outputs.iter_mut().enumerate() {
        for (lane, out) in out.iter_mut().enumerate() {
            *out = (0..each).fold(0, |word, sub| {
                let i = register * each + sub;
                let position = product.held.position(product.size, MatrixOperand::Sum, of_d, lane, i);
                let at = [position.product, position.row, position.column];
                let c = c.at(position.product, position.row, position.column);
                let element = match &widened {
                    None => {
                        // 1-bit integers and `.f64`, which are neither sparse nor scaled.
                        let depths = 0..columns.kept;
                        let a = |i| a.at(position.product, position.row, i);
                        dot(product, c, depths.map(|i| (a(i), b.at(position.product, i, position.column))))
                    }
                    Some(widened) => {
                        let c = product.c.value(c);
                        let sum = if is_plain {
                            widened.pairs(at).fold(c, |sum, (a, b)| sum + a * b)
                        } else {
                            let term = |i| {
                                let depth = columns.at(position.row, i);
                                let scale = scale_a.at(position.row, depth, k)
                                    * scale_b.at(position.column, depth, k);
                                widened.product(at, i, depth) * scale
                            };
                            (0..columns.kept).map(term).fold(c, |sum, term| sum + term)
                        };
                        rounded(product.d, product.overflow, sum)
                    }
                };
                word | element << (bits * sub as u32)
            });
        }
    }
    Ok(())
}

/// The values of A and B, widened once per element instead of once per product.
struct Widened {
    a: Vec<f64>,
    b: Vec<f64>,
    rows: usize,
    kept: usize,
    depth: usize,
    columns: usize,
}

impl Widened {
    /// `None` for products that are not computed in binary64: of bits, and of `.f64`, which rounds each product.
    fn new(product: &Product, a: &Matrices, b: &Matrices) -> Option<Self> {
        let is_wide = product.join == Join::Multiply && product.d != Element::F64;
        is_wide.then(|| Self {
            a: a.values(product.a.element),
            b: b.values(product.b.element),
            rows: a.rows,
            kept: a.columns,
            depth: b.rows,
            columns: b.columns,
        })
    }

    /// The factors of an element of a product (its number, row and column), in depth order; A is dense.
    fn pairs(&self, [product, row, column]: [usize; 3]) -> impl Iterator<Item = (f64, f64)> {
        let a = self.a.iter().skip((product * self.rows + row) * self.kept).take(self.kept);
        let b = self.b.iter().skip(product * self.depth * self.columns + column).step_by(self.columns.max(1));
        a.copied().zip(b.copied())
    }

    /// The product of stored element `i` of a row of A and the element of B at its depth.
    fn product(&self, [product, row, column]: [usize; 3], i: usize, depth: usize) -> f64 {
        let a = value_at(&self.a, (product * self.rows + row) * self.kept + i);
        a * value_at(&self.b, (product * self.depth + depth) * self.columns + column)
    }
}

/// An element of D that is not a binary64 sum.
fn dot(product: &Product, c: u64, terms: impl Iterator<Item = (u64, u64)>) -> u64 {
    if product.d == Element::F64 {
        let arith = Arith { rounding: product.rounding, ..Arith::nearest(Format::F64) };
        return terms.fold(c, |sum, (a, b)| fma(&arith, a, b, sum));
    }
    let joined = |(a, b): (u64, u64)| match product.join {
        Join::Multiply => product.a.element.value(a) * product.b.element.value(b),
        Join::Xor => f64::from((a ^ b).count_ones()),
        Join::And => f64::from((a & b).count_ones()),
    };
    let sum = terms.fold(product.c.value(c), |sum, term| sum + joined(term));
    rounded(product.d, product.overflow, sum)
}

/// Rounds an exact sum to the type of D.
pub(super) fn rounded(element: Element, overflow: Overflow, sum: f64) -> u64 {
    match element {
        Element::F16 => rounded_float(Format::F16, overflow, sum),
        Element::Bf16 => rounded_float(Format::Bf16, overflow, sum),
        Element::F32 | Element::Tf32 | Element::F64 => rounded_float(Format::F32, overflow, sum),
        // Integer sums are exact in binary64.
        Element::S32
        | Element::U8
        | Element::S8
        | Element::U4
        | Element::S4
        | Element::B1
        | Element::E2m1
        | Element::Narrow(_) => {
            let sum = sum as i64;
            let limited = match overflow {
                Overflow::Finite => sum.clamp(i32::MIN.into(), i32::MAX.into()),
                Overflow::Plain => sum,
            };
            u64::from(limited as u32)
        }
    }
}

/// Rounds a floating-point sum. The manual no longer specifies the effect of `.satfinite`; CUDA does, for `mma_sync`.
fn rounded_float(format: Format, overflow: Overflow, sum: f64) -> u64 {
    let raw = finish(format, Subnormals::Keep, Limit::None, format.narrow(sum, Rounding::NearestEven));
    match overflow {
        Overflow::Finite if format.is_nan(raw) => 0,
        Overflow::Finite if format.is_infinite(raw) => {
            format.with_sign(format.largest(), if sum < 0.0 { Sign::Negative } else { Sign::Positive })
        }
        Overflow::Finite | Overflow::Plain => raw,
    }
}

/// The row and first column of the pair of elements of an 8x8 matrix in a lane.
const fn held(lane: usize) -> (usize, usize) {
    (lane / 4, lane % 4 * 2)
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
