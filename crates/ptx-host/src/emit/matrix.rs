//! Products of matrices distributed over the lanes of a warp (`ptx_program::Product`).
//!
//! The mapping of elements to lanes is the description that the interpreter uses. Sums are the interpreter's, too: products
//! that are exact in `double` are accumulated in `double` in the order of depth, and the sum is rounded once.
//!
//! ```text
//! a = memory                                   ; each element of A once, as double
//! b[k] = <8 x double>                          ; a row of B, shuffled from the registers
//! for k: for row: sum[row] += splat(a[row][k]) * b[k]      ; sum[row] = <8 x double>, initially of C
//! d = round(sum)                               ; and shuffled back
//! ```

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{Type, Value};
use ptx_program::scalar::float::{Arith, Subnormals};
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::scalar::narrow::Narrow;
use ptx_program::{Cell, Element, Factor, Join, MatrixOperand, Overflow, Product, Tiles, WARP};

use super::Emit;
use super::lanes::{Code, Lanes};
use super::style::{Nan, Style};
use super::{float, narrow, rounding};

type L<'a, 'm, 'c> = Lanes<'a, 'm, 'c>;

/// The registers of a matrix: for each, the vectors of its lanes.
pub type Registers<'c> = Vec<Vec<Value<'c>>>;

/// How elements are multiplied and accumulated.
#[derive(Clone, Copy, Debug)]
enum Arithmetic {
    /// Exact products, accumulated in `double`.
    Double,
    /// Fused multiply-add, one rounding per product.
    Fused(Arith),
    /// 32-bit integers.
    Words,
}

impl Arithmetic {
    fn of(product: &Product) -> Option<Self> {
        let factors = [product.a.element, product.b.element];
        let all = |holds: fn(Element) -> bool| factors.into_iter().all(holds);
        if product.sparse.is_some() || product.scales.is_some() || product.join != Join::Multiply {
            return None;
        }
        match (product.c, product.d) {
            (Element::F64, Element::F64) if all(|element| element == Element::F64) => {
                Some(Self::Fused(Arith { rounding: product.rounding, ..Arith::nearest(Format::F64) }))
            }
            (Element::S32, Element::S32) if all(|element| matches!(element, Element::U8 | Element::S8)) => {
                Some(Self::Words)
            }
            (Element::F16 | Element::F32, Element::F16 | Element::F32) if all(is_exact) => Some(Self::Double),
            _ => None,
        }
    }

    /// The type of A's elements in memory, and its size in bytes.
    fn unit<'c>(self, emit: &Emit<'_, 'c>) -> (Type<'c>, u32) {
        match self {
            Self::Double => (emit.types.f64(), 8),
            Self::Fused(_) => (emit.types.int(64), 8),
            Self::Words => (emit.types.int(32), 4),
        }
    }

    /// Stores elements to memory, in the order of registers.
    fn store<'c>(
        self,
        code: &Code<'_, '_, 'c>,
        element: Element,
        registers: &Registers<'c>,
        memory: Value<'c>,
    ) -> Option<()> {
        let builder = &code.emit.builder;
        let (_, size) = self.unit(code.emit);
        let bits = element.bits();
        for (number, &value) in registers.iter().flatten().enumerate() {
            let vector = code.lanes(value).resize(bits.max(32)).regroup(bits);
            let offset = number as u64 * u64::from(vector.count() * size);
            let at = code.keep_all(builder.offset(memory, code.emit.types.int_value(64, offset)))?;
            code.keep_all(builder.store(self.operand(element, vector)?.value, at, 8, Ordinary))?;
        }
        Some(())
    }

    /// Converts elements to the type in which they are multiplied or accumulated.
    fn operand<'a, 'm, 'c>(self, element: Element, raw: L<'a, 'm, 'c>) -> Option<L<'a, 'm, 'c>> {
        Some(match (self, element) {
            (Self::Fused(_), _) => raw,
            (Self::Words, Element::S8) => raw.resize_signed(32),
            (Self::Words, _) => raw.resize(32),
            (Self::Double, Element::F16) => rounding::to_double(Format::F16, raw),
            (Self::Double, Element::Bf16) => rounding::to_double(Format::Bf16, raw),
            (Self::Double, Element::F32) => rounding::to_double(Format::F32, raw),
            // The low bits of a register that holds a `.tf32` are ignored.
            (Self::Double, Element::Tf32) => rounding::to_double(Format::F32, raw & 0xffff_e000),
            // It is in the middle of its byte (manual 9.7.14.5.14).
            (Self::Double, Element::Narrow(Narrow::E2m1)) => {
                narrow::value(Narrow::E2m1, (raw >> 2).resize(64))
            }
            (Self::Double, Element::Narrow(format)) => narrow::value(format, raw.resize(64)),
            _ => return None,
        })
    }
}

/// Whether products of two such elements are exact in `double`.
fn is_exact(element: Element) -> bool {
    matches!(element, Element::F16 | Element::Bf16 | Element::Tf32 | Element::Narrow(_))
}

/// Whether a product has code here.
pub fn has_form(product: &Product, style: Style) -> bool {
    match Arithmetic::of(product) {
        Some(Arithmetic::Fused(arith)) => arith.rounding == Rounding::NearestEven || style.has_roundings,
        Some(Arithmetic::Double | Arithmetic::Words) => true,
        None => false,
    }
}

/// The bytes of memory for a matrix A.
pub fn bytes_of_a(product: &Product) -> u32 {
    let size = if product.d == Element::S32 { 4 } else { 8 };
    product.registers()[0] * product.a.element.per_register() * WARP as u32 * size
}

/// Stores the elements of A to memory, in the type in which they are multiplied. It must be in a separate function: if LLVM sees stores and
/// loads together, it turns each load into a shuffle.
///
/// # Errors
/// A type error reported by LLVM, which is a defect of this crate.
pub fn store_a<'c>(
    emit: &Emit<'_, 'c>,
    style: Style,
    product: &Product,
    a: &Registers<'c>,
    memory: Value<'c>,
) -> Result<Option<()>, LlvmError> {
    let Some(arithmetic) = Arithmetic::of(product) else { return Ok(None) };
    let code = Code::new(emit, style);
    let stored = arithmetic.store(&code, product.a.element, a, memory);
    code.finish()?;
    Ok(stored)
}

/// D = A * B + C, from A in memory ([`store_a`]) and the registers of B and C, in vectors of `lanes` lanes; `None` if the product has no
/// code here ([`has_form`]).
///
/// # Errors
/// As [`store_a`].
pub fn multiply<'c>(
    emit: &Emit<'_, 'c>,
    style: Style,
    product: &Product,
    lanes: u32,
    (a, [b, c]): (Value<'c>, [&Registers<'c>; 2]),
) -> Result<Option<Registers<'c>>, LlvmError> {
    let Some(arithmetic) = Arithmetic::of(product) else { return Ok(None) };
    let code = Code::new(emit, style);
    let of = |element| Factor { element, ..product.a };
    let count = product.registers()[0] as usize;
    let matrices = Matrices {
        product,
        arithmetic,
        lanes,
        memory: a,
        a: positions(product, (MatrixOperand::A, product.a), lanes, count),
        b: Matrix::new(&code, product, (MatrixOperand::B, product.b), lanes, b),
        c: Matrix::new(&code, product, (MatrixOperand::Sum, of(product.c)), lanes, c),
    };
    let result = matrices.product(&code);
    code.finish()?;
    Ok(result)
}

/// Transposes the matrix of 8 x 8 16-bit elements that a register holds.
///
/// # Errors
/// As [`store_a`].
pub fn transpose<'c>(
    emit: &Emit<'_, 'c>,
    lanes: u32,
    register: &[Value<'c>],
) -> Result<Vec<Value<'c>>, LlvmError> {
    let code = Code::new(emit, Style::PLAIN);
    let elements: Vec<_> = register.iter().map(|value| code.lanes(*value).resize(32).regroup(16)).collect();
    let chunks = WARP / (lanes as usize).max(1);
    let result: Option<Vec<Value<'c>>> = (0..chunks)
        .map(|chunk| {
            let first = chunk * lanes as usize;
            let picks: Vec<_> = (first..first + lanes as usize)
                .flat_map(|lane| [0, 1].map(|sub| (lane / 4, lane % 4 * 2 + sub)))
                // The element at this row and column is the one at this column and row.
                .map(|(row, column)| {
                    let lane = column * 4 + row / 2;
                    (lane / lanes as usize, (lane % lanes as usize * 2 + row % 2) as u32)
                })
                .collect();
            assemble(&elements, &picks).map(|vector| vector.regroup(32).value)
        })
        .collect();
    code.finish()?;
    result.ok_or_else(no_elements)
}

/// Whether matrices of this kind are supported: elements must have the same width in memory and in registers.
pub fn moves(tiles: &Tiles) -> bool {
    matches!(tiles.cell, Cell::Half | Cell::Byte)
}

/// Distributes the lines of a matrix, vectors of 16 bytes that `ldmatrix` has loaded, to its registers.
///
/// # Errors
/// As [`store_a`].
pub fn of_lines<'c>(
    emit: &Emit<'_, 'c>,
    tiles: &Tiles,
    lanes: u32,
    lines: &[Value<'c>],
) -> Result<Registers<'c>, LlvmError> {
    let code = Code::new(emit, Style::PLAIN);
    let lines: Vec<_> = lines.iter().map(|line| code.lanes(*line).regroup(tiles.cell.held())).collect();
    let count = (lanes as usize).max(1);
    let vector = |register: usize, chunk: usize| {
        let picks: Vec<_> = (chunk * count..(chunk + 1) * count)
            .flat_map(|lane| (0..tiles.cell.per_register()).map(move |i| tiles.place(lane, register, i)))
            .map(|(line, at)| (line, at as u32))
            .collect();
        assemble(&lines, &picks).map(|elements| elements.regroup(32).value)
    };
    let registers: Option<Registers<'c>> = (0..tiles.registers())
        .map(|register| (0..WARP / count).map(|chunk| vector(register, chunk)).collect())
        .collect();
    code.finish()?;
    registers.ok_or_else(no_elements)
}

/// The inverse of [`of_lines`], for `stmatrix`.
///
/// # Errors
/// As [`store_a`].
pub fn to_lines<'c>(
    emit: &Emit<'_, 'c>,
    tiles: &Tiles,
    lanes: u32,
    registers: &Registers<'c>,
) -> Result<Vec<Value<'c>>, LlvmError> {
    let code = Code::new(emit, Style::PLAIN);
    let (bits, each) = (tiles.cell.held(), tiles.cell.per_register());
    let vectors: Vec<_> =
        registers.iter().flatten().map(|value| code.lanes(*value).resize(32).regroup(bits)).collect();
    let in_line = 128 / bits as usize;
    let mut places = vec![vec![(0, 0); in_line]; tiles.lines];
    for lane in 0..WARP {
        for (register, i) in (0..registers.len()).flat_map(|register| (0..each).map(move |i| (register, i))) {
            let (line, at) = tiles.place(lane, register, i);
            if let Some(entry) = places.get_mut(line).and_then(|line| line.get_mut(at)) {
                *entry = position(lanes, each, lane, register * each + i);
            }
        }
    }
    let lines: Option<Vec<Value<'c>>> =
        places.iter().map(|picks| assemble(&vectors, picks).map(|line| line.value)).collect();
    code.finish()?;
    lines.ok_or_else(no_elements)
}

fn no_elements() -> LlvmError {
    LlvmError::Other { message: "a matrix without elements".to_owned() }
}

/// A matrix distributed over lanes.
struct Matrix<'a, 'm, 'c> {
    /// The vectors of elements, register after register.
    vectors: Vec<L<'a, 'm, 'c>>,
    positions: ElementPositions,
    element: Element,
}

/// For each product, row and column the vector with the element, and its index there.
struct ElementPositions {
    positions: Vec<Option<(usize, u32)>>,
    rows: usize,
    columns: usize,
}

impl ElementPositions {
    /// `None` if no lane has the element, for which no product is defined.
    fn at(&self, product: usize, row: usize, column: usize) -> Option<(usize, u32)> {
        self.positions.get((product * self.rows + row) * self.columns + column).copied().flatten()
    }
}

/// The positions of a matrix's elements in its registers.
fn positions(
    product: &Product,
    (operand, factor): (MatrixOperand, Factor),
    lanes: u32,
    registers: usize,
) -> ElementPositions {
    let size = product.kept(operand);
    let (rows, columns) = size.of(operand);
    let (rows, columns) = (rows as usize, columns as usize);
    let each = factor.element.per_register() as usize;
    let mut positions = vec![None; product.held.products() * rows * columns];
    for lane in 0..WARP {
        for i in 0..registers * each {
            let found = product.held.position(size, operand, factor, lane, i);
            // If an element has copies, the last one counts.
            if let Some(entry) =
                positions.get_mut((found.product * rows + found.row) * columns + found.column)
            {
                *entry = Some(position(lanes, each, lane, i));
            }
        }
    }
    ElementPositions { positions, rows, columns }
}

impl<'a, 'm, 'c> Matrix<'a, 'm, 'c> {
    fn new(
        code: &'a Code<'a, 'm, 'c>,
        product: &Product,
        (operand, factor): (MatrixOperand, Factor),
        lanes: u32,
        registers: &Registers<'c>,
    ) -> Self {
        let bits = factor.element.bits();
        let vectors = registers
            .iter()
            .flatten()
            .map(|value| code.lanes(*value).resize(bits.max(32)).regroup(bits))
            .collect();
        let positions = positions(product, (operand, factor), lanes, registers.len());
        Self { vectors, positions, element: factor.element }
    }

    /// The elements of rows, one after the other, in their register width.
    fn rows(&self, product: usize, rows: &[usize]) -> Option<L<'a, 'm, 'c>> {
        let columns = |&row: &usize| {
            (0..self.positions.columns).map(move |column| self.positions.at(product, row, column))
        };
        assemble(&self.vectors, &rows.iter().flat_map(columns).collect::<Option<Vec<_>>>()?)
    }
}

/// The position of element `i` of a lane's registers: the vector, and the index in it.
fn position(lanes: u32, each: usize, lane: usize, i: usize) -> (usize, u32) {
    let lanes = (lanes as usize).max(1);
    let chunks = WARP / lanes;
    (i / each * chunks + lane / lanes, (lane % lanes * each + i % each) as u32)
}

/// Assembles a vector from elements of others, which all have the same type.
fn assemble<'a, 'm, 'c>(vectors: &[L<'a, 'm, 'c>], picks: &[(usize, u32)]) -> Option<L<'a, 'm, 'c>> {
    let mut sources: Vec<usize> = picks.iter().map(|(source, _)| *source).collect();
    sources.sort_unstable();
    sources.dedup();
    // Each pair of vectors gives a part of the result; the parts are then merged.
    let mut parts: Vec<(L<'a, 'm, 'c>, Vec<bool>)> = Vec::new();
    for pair in sources.chunks(2) {
        let (first, second) = (*pair.first()?, *pair.last()?);
        let (one, other) = (*vectors.get(first)?, *vectors.get(second)?);
        let lanes: Vec<Option<u32>> = picks
            .iter()
            .map(|&(source, at)| match source {
                source if source == first => Some(at),
                source if source == second => Some(at + one.count()),
                _ => None,
            })
            .collect();
        parts.push((one.shuffle(other, &lanes), lanes.iter().map(Option::is_some).collect()));
    }
    while parts.len() > 1 {
        parts = parts
            .chunks(2)
            .map(|pair| match pair {
                [(one, has), (other, more)] => {
                    let count = one.count();
                    let lanes: Vec<Option<u32>> = (0..count)
                        .zip(has.iter().zip(more))
                        .map(|(lane, (has, more))| match (has, more) {
                            (true, _) => Some(lane),
                            (false, true) => Some(lane + count),
                            (false, false) => None,
                        })
                        .collect();
                    (one.shuffle(*other, &lanes), lanes.iter().map(Option::is_some).collect())
                }
                others => others[0].clone(),
            })
            .collect();
    }
    parts.pop().map(|(vector, _)| vector)
}

struct Matrices<'p, 'a, 'm, 'c> {
    product: &'p Product,
    arithmetic: Arithmetic,
    lanes: u32,
    /// The memory of A, and the positions of its elements, register after register.
    memory: Value<'c>,
    a: ElementPositions,
    b: Matrix<'a, 'm, 'c>,
    c: Matrix<'a, 'm, 'c>,
}

impl<'a, 'm, 'c> Matrices<'_, 'a, 'm, 'c> {
    fn product(&self, code: &'a Code<'a, 'm, 'c>) -> Option<Registers<'c>> {
        let mut rows = Vec::new();
        for product in 0..self.product.held.products() {
            let b = self.operands(&self.b, product, &(0..self.b.positions.rows).collect::<Vec<_>>())?;
            let all: Vec<usize> = (0..self.c.positions.rows).collect();
            for block in all.chunks(self.rows_at_once()) {
                let mut sums = match self.arithmetic {
                    // Saturation applies to the sum of the products plus C, so C is added last.
                    Arithmetic::Words => {
                        let row = |&row| Some(self.c.rows(product, &[row])?.constant_of(32, 0));
                        block.iter().map(row).collect::<Option<Vec<_>>>()?
                    }
                    _ => self.operands(&self.c, product, block)?,
                };
                // Depth is the outer loop, rows the inner one: a row of B is used for all rows of sums while it is in a register, and each sum is
                // accumulated in the order of depth, as in the interpreter.
                for (k, &b) in b.iter().enumerate() {
                    for (sum, &row) in sums.iter_mut().zip(block) {
                        let a = self.element_of_a(code, (product, row, k), b.count())?;
                        *sum = self.added(a, b, *sum)?;
                    }
                }
                for (sum, &row) in sums.into_iter().zip(block) {
                    rows.push(self.finished(sum, self.c.rows(product, &[row])?)?);
                }
            }
        }
        self.result(&rows)
    }

    /// Rows of B or C in the type in which they are multiplied or accumulated. If a vector of the processor holds two of them in single
    /// precision, two are concatenated and converted at a time.
    fn operands(
        &self,
        matrix: &Matrix<'a, 'm, 'c>,
        product: usize,
        rows: &[usize],
    ) -> Option<Vec<L<'a, 'm, 'c>>> {
        let columns = matrix.positions.columns as u32;
        let single = matches!(matrix.element, Element::F16 | Element::Bf16 | Element::F32);
        let at_once = if single && 2 * columns <= self.lanes { 2 } else { 1 };
        let mut found = Vec::new();
        for rows in rows.chunks(at_once) {
            let all = self.arithmetic.operand(matrix.element, matrix.rows(product, rows)?)?;
            if let [_] = rows {
                found.push(all);
                continue;
            }
            found.extend([0, columns].map(|first| {
                let picks: Vec<_> = (first..first + columns).map(Some).collect();
                all.shuffle(all, &picks)
            }));
        }
        Some(found)
    }

    /// The number of rows of sums that fit into the processor's registers.
    fn rows_at_once(&self) -> usize {
        let bits = 32 * self.lanes;
        let registers = if bits >= 512 { 16 } else { 8 };
        let width = if matches!(self.arithmetic, Arithmetic::Words) { 32 } else { 64 };
        (registers * bits / (width * self.product.size.n)).max(1) as usize
    }

    /// Broadcasts an element of A to a vector.
    fn element_of_a(
        &self,
        code: &'a Code<'a, 'm, 'c>,
        (product, row, k): (usize, usize, usize),
        count: u32,
    ) -> Option<L<'a, 'm, 'c>> {
        let builder = &code.emit.builder;
        let (ty, size) = self.arithmetic.unit(code.emit);
        let (vector, at) = self.a.at(product, row, k)?;
        let elements = self.lanes * self.product.a.element.per_register();
        let number = vector as u64 * u64::from(elements) + u64::from(at);
        let offset = code.emit.types.int_value(64, number * u64::from(size));
        let place = code.keep_all(builder.offset(self.memory, offset))?;
        let element = code.keep_all(builder.load(ty, place, size, Ordinary))?;
        code.keep_all(builder.splat(element, count)).map(|value| code.lanes(value))
    }

    fn added(&self, a: L<'a, 'm, 'c>, b: L<'a, 'm, 'c>, sum: L<'a, 'm, 'c>) -> Option<L<'a, 'm, 'c>> {
        match self.arithmetic {
            // The product is exact, so fusing does not change the sum.
            Arithmetic::Double if a.code.style.fuses => Some(a.fma(b, sum)),
            Arithmetic::Double | Arithmetic::Words => Some(sum + a * b),
            Arithmetic::Fused(arith) => float::fma(&arith, [a, b, sum]),
        }
    }

    /// Rounds sums to the format of D.
    fn finished(&self, sum: L<'a, 'm, 'c>, c: L<'a, 'm, 'c>) -> Option<L<'a, 'm, 'c>> {
        let is_limited = self.product.overflow == Overflow::Finite;
        let format = match (self.arithmetic, self.product.d) {
            (Arithmetic::Fused(_), _) => return Some(sum),
            (Arithmetic::Words, _) if is_limited => return Some(c.intrinsic("llvm.sadd.sat", &[sum])),
            (Arithmetic::Words, _) => return Some(c + sum),
            (Arithmetic::Double, Element::F16) => Format::F16,
            (Arithmetic::Double, Element::F32) => Format::F32,
            (Arithmetic::Double, _) => return None,
        };
        if format == Format::F32 && sum.code.style.nan == Nan::Any && !is_limited {
            return Some(sum.to_f32().raw());
        }
        let raw = rounding::from_double(format, Rounding::NearestEven, Subnormals::Keep, sum);
        if !is_limited {
            return Some(raw);
        }
        let magnitude = raw & format.magnitude_mask();
        let largest = (raw & format.sign_bit()) | format.largest();
        let finite = magnitude.eq(format.infinity()).select(largest, raw);
        Some(magnitude.ugt(format.infinity()).select(raw.zero(), finite))
    }

    /// The registers of D from its rows, product after product.
    fn result(&self, rows: &[L<'a, 'm, 'c>]) -> Option<Registers<'c>> {
        let Product { size, held, d, .. } = *self.product;
        let factor = Factor { element: d, ..self.product.a };
        let each = d.per_register() as usize;
        let lanes = (self.lanes as usize).max(1);
        let vector = |register: usize, chunk: usize| {
            let picks: Vec<_> = (chunk * lanes..(chunk + 1) * lanes)
                .flat_map(|lane| (0..each).map(move |sub| (lane, register * each + sub)))
                .map(|(lane, i)| {
                    let found = held.position(size, MatrixOperand::Sum, factor, lane, i);
                    (found.product * self.c.positions.rows + found.row, found.column as u32)
                })
                .collect();
            assemble(rows, &picks).map(|elements| elements.regroup(d.bits().max(32)).value)
        };
        (0..held.registers(size, MatrixOperand::Sum, d) as usize)
            .map(|register| (0..WARP / lanes).map(|chunk| vector(register, chunk)).collect())
            .collect()
    }
}
