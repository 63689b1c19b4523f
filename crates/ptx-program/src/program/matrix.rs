//! Matrices distributed over the lanes of a warp: their element types, and the mapping from elements to lanes (manual
//! 9.7.14.4, 9.7.14.5, 9.7.14.6).

use ptx_isa::{MatrixShape, WMMA_HALVES, fragment_registers, sparse_chunk, sparsity_selectors};

use super::WARP;
use crate::scalar::format::{Format, Rounding};
use crate::scalar::narrow::Narrow;

/// The element type of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Element {
    /// `.f16`
    F16,
    /// `.bf16`
    Bf16,
    /// `.tf32`
    Tf32,
    /// `.f32`
    F32,
    /// `.f64`
    F64,
    /// A format of at most eight bits, stored in a byte (manual 9.7.14.5.14).
    Narrow(Narrow),
    /// `.e2m1`, packed in four bits.
    E2m1,
    /// `.u8`
    U8,
    /// `.s8`
    S8,
    /// `.u4`
    U4,
    /// `.s4`
    S4,
    /// `.b1`
    B1,
    /// `.s32`
    S32,
}

impl Element {
    /// Bits of an element in a register.
    pub const fn bits(self) -> u32 {
        match self {
            Element::B1 => 1,
            Element::U4 | Element::S4 | Element::E2m1 => 4,
            Element::U8 | Element::S8 | Element::Narrow(_) => 8,
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F64 => 64,
        }
    }

    /// Elements per register.
    pub const fn per_register(self) -> u32 {
        match self {
            Element::F64 => 1,
            other => 32 / other.bits(),
        }
    }

    /// The value of an element as a binary64, in which every element type is exact.
    #[inline(always)]
    pub fn value(self, raw: u64) -> f64 {
        match self {
            Element::F16 => Format::F16.widen(raw),
            Element::Bf16 => Format::Bf16.widen(raw),
            // The low bits of a `.tf32` register are ignored.
            Element::Tf32 => Format::F32.widen(raw & 0xffff_e000),
            Element::F32 => Format::F32.widen(raw),
            Element::F64 => f64::from_bits(raw),
            // In the middle of its byte (manual 9.7.14.5.14).
            Element::Narrow(Narrow::E2m1) => Narrow::E2m1.widen(raw >> 2),
            Element::E2m1 => Narrow::E2m1.widen(raw),
            Element::Narrow(format) => format.widen(raw),
            Element::U8 | Element::U4 | Element::B1 => f64::from(raw as u8),
            Element::S8 => f64::from(raw as i8),
            Element::S4 => f64::from((raw << 4) as i8 >> 4),
            Element::S32 => f64::from(raw as i32),
        }
    }
}

/// The shape of a product: A is m x k, B is k x n, C and D are m x n.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Size {
    /// Rows of A, C and D.
    pub m: u32,
    /// Columns of B, C and D.
    pub n: u32,
    /// Columns of A and rows of B.
    pub k: u32,
}

/// A matrix operand of a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MatrixOperand {
    /// The first factor.
    A,
    /// The second factor.
    B,
    /// C and D, which have the same layout.
    Sum,
}

impl From<MatrixShape> for Size {
    fn from(MatrixShape { m, n, k }: MatrixShape) -> Self {
        Self { m, n, k }
    }
}

impl Size {
    /// Numbers of rows and columns of a matrix.
    pub const fn of(self, operand: MatrixOperand) -> (u32, u32) {
        match operand {
            MatrixOperand::A => (self.m, self.k),
            MatrixOperand::B => (self.k, self.n),
            MatrixOperand::Sum => (self.m, self.n),
        }
    }

    const fn elements(self, operand: MatrixOperand) -> u32 {
        let (rows, columns) = self.of(operand);
        rows * columns
    }
}

/// Whether consecutive elements, in memory or in the registers of a lane, belong to a row or to a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Major {
    /// To a row.
    Row,
    /// To a column.
    Column,
}

/// Which elements of a matrix in shared memory are contiguous, as given by its descriptor (manual 9.7.15.5.1.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Majorness {
    /// K-major: those of a row of A or of a column of B.
    K,
    /// MN-major: those of a column of A or of a row of B.
    Mn,
}

/// How the elements of the factors are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Join {
    /// Multiplication.
    Multiply,
    /// Population count of their exclusive or.
    Xor,
    /// Population count of their conjunction.
    And,
}

/// How sums that are not representable in their type are handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Overflow {
    /// Integers wrap around, floating-point values become infinite.
    Plain,
    /// `.satfinite`: saturated to the largest or smallest finite number. A NaN floating-point sum becomes zero.
    Finite,
}

/// One of the two factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Factor {
    /// The type of its elements.
    pub element: Element,
    /// Only affects the layout of [`Held::Quads`].
    pub major: Major,
}

/// Mapping from matrix elements to lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Held {
    /// The layout of most shapes of `mma` (manual 9.7.14.5.2 ff.): a lane is in group `lane / 4` at position `lane % 4`;
    /// the four lanes of a group hold adjacent elements along k. Registers of A advance by eight rows first, if there
    /// are sixteen rows, then along k; those of B advance along k.
    Groups,
    /// `mma.m8n8k4` on halves: four products, each held by four lanes and the four lanes sixteen above (9.7.14.5.1).
    Quads,
    /// `wmma`: implementation-defined (9.7.14.4.1). Lanes hold elements in row order, with as many copies of the matrix
    /// as fit in the registers.
    Fragments,
}

/// A position in one of the products that an instruction computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct ElementPosition {
    /// The number of the product.
    pub product: usize,
    /// The row in the matrix.
    pub row: usize,
    /// The column in the matrix.
    pub column: usize,
}

impl Held {
    /// Number of products computed by an instruction.
    pub const fn products(self) -> usize {
        match self {
            Held::Quads => 4,
            Held::Groups | Held::Fragments => 1,
        }
    }

    /// Registers of a matrix per lane.
    pub const fn registers(self, size: Size, operand: MatrixOperand, element: Element) -> u32 {
        let lanes = WARP as u32;
        match (self, operand, element) {
            (Held::Fragments, MatrixOperand::A | MatrixOperand::B, Element::F16) => WMMA_HALVES,
            _ => fragment_registers(size.elements(operand), element.bits(), lanes / self.products() as u32),
        }
    }

    /// The position of element `i` of a lane, counted from the low bits of the first register.
    pub fn position(
        self,
        size: Size,
        operand: MatrixOperand,
        factor: Factor,
        lane: usize,
        i: usize,
    ) -> ElementPosition {
        match self {
            Held::Groups => groups(size, operand, factor.element, lane, i),
            Held::Quads => quads(operand, factor, lane, i),
            Held::Fragments => {
                let (_, columns) = size.of(operand);
                let registers = self.registers(size, operand, factor.element);
                let each = (registers * factor.element.per_register()) as usize;
                let number = (lane * each + i) % (size.elements(operand) as usize).max(1);
                let columns = columns as usize;
                ElementPosition { product: 0, row: number / columns, column: number % columns }
            }
        }
    }
}

fn groups(size: Size, operand: MatrixOperand, element: Element, lane: usize, i: usize) -> ElementPosition {
    let (group, position) = (lane / 4, lane % 4);
    let each = element.per_register() as usize;
    let (register, sub) = (i / each, i % each);
    let (row, column) = match operand {
        MatrixOperand::A => {
            let blocks = (size.m / 8) as usize;
            let (down, along) = (register % blocks, register / blocks);
            (group + 8 * down, (along * 4 + position) * each + sub)
        }
        MatrixOperand::B => ((register * 4 + position) * each + sub, group),
        MatrixOperand::Sum => (group + 8 * (i / 2), position * 2 + i % 2),
    };
    ElementPosition { product: 0, row, column }
}

/// The formulas of manual 9.7.14.5.1, by the layout of the factor and the type of the sum.
fn quads(
    operand: MatrixOperand,
    Factor { element, major }: Factor,
    lane: usize,
    i: usize,
) -> ElementPosition {
    let (position, half) = (lane % 4, lane / 16 * 4);
    let (row, column) = match (operand, major) {
        (MatrixOperand::A, Major::Row) => (position + half, i),
        (MatrixOperand::A, Major::Column) => (i + half, position),
        (MatrixOperand::B, Major::Row) => (position, i + half),
        (MatrixOperand::B, Major::Column) => (i, position + half),
        (MatrixOperand::Sum, _) if element == Element::F16 => (position + half, i),
        (MatrixOperand::Sum, _) => ((lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)),
    };
    ElementPosition { product: lane % 16 / 4, row, column }
}

/// Order of the two indices of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Indices {
    /// `mma.sp`.
    AnyOrder,
    /// `mma.sp::ordered_metadata`.
    Increasing,
}

/// Encoding of the positions of the elements kept in a sparse A (manual 9.7.14.6).
///
/// Each row of A is divided into chunks of four slots, of which two are kept. A slot is one 8- or 16-bit element, two
/// 4-bit elements or half of a 32-bit element. Four bits of metadata contain the two indices, that of the first kept
/// slot in the low bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Sparse {
    /// Which lanes of each group provide the metadata: one lane, a pair, or all four; the selector then has four, two
    /// or one values.
    pub selector: usize,
    /// The order of the indices.
    pub indices: Indices,
}

impl Sparse {
    /// Elements of A per chunk.
    pub const fn chunk(element: Element) -> usize {
        sparse_chunk(element.bits()) as usize
    }

    /// Number of valid selectors for a shape: a lane provides the metadata of eight chunks.
    pub const fn selectors(size: Size, element: Element) -> usize {
        sparsity_selectors(size.k, element.bits()) as usize
    }

    /// The lane that provides the metadata of a chunk, and the position of its lowest bit.
    ///
    /// The manual only shows this in figures (119, 122, 125, 127, 129, 136, 137, 139, 146 and 147). The mapping here
    /// was confirmed by the code that `ptxas` generates to order indices for sm_120, and to multiply 4-bit integers on
    /// sm_90.
    pub const fn metadata(self, size: Size, element: Element, row: usize, chunk: usize) -> (usize, u32) {
        let (group, down) = (row % 8, row / 8);
        let (position, nibble) = match (Self::selectors(size, element), element.bits()) {
            (4, _) => (self.selector, 4 * down + chunk),
            (2, 16 | 32) => (2 * self.selector + chunk / 4, 4 * down + chunk % 4),
            (2, _) => (2 * self.selector + down, chunk),
            _ => (2 * (chunk / 8) + down, chunk % 8),
        };
        (4 * group + position, 4 * nibble as u32)
    }
}

/// Block scales of both factors (manual 9.7.14.3): each row of A and column of B is divided into blocks along k.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Scales {
    /// Blocks per row: one, two or four.
    pub blocks: usize,
    /// The format of a scale.
    pub format: Narrow,
}

impl Scales {
    /// Whether `.scale_vec` allows this byte selector: the scales of a row are adjacent in a register.
    pub const fn begins_at(self, byte: u64) -> bool {
        byte < 4 && byte.is_multiple_of(self.blocks as u64)
    }

    /// Number of valid thread selectors: two lanes of a group provide the scales of A for two rows, one lane those of B
    /// for its column.
    pub const fn threads(operand: MatrixOperand) -> u64 {
        match operand {
            MatrixOperand::A => 2,
            MatrixOperand::B | MatrixOperand::Sum => 4,
        }
    }

    /// The lane that provides the scales of a row of A or column of B.
    pub const fn lane(operand: MatrixOperand, thread: usize, line: usize) -> usize {
        match operand {
            MatrixOperand::A => 4 * (line % 8) + 2 * thread + line / 8,
            MatrixOperand::B | MatrixOperand::Sum => 4 * line + thread,
        }
    }
}

/// A multiplication: D = A * B + C.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Product {
    /// The shape.
    pub size: Size,
    /// Where the lanes hold the elements.
    pub held: Held,
    /// The factor A.
    pub a: Factor,
    /// The factor B.
    pub b: Factor,
    /// If A is sparse.
    pub sparse: Option<Sparse>,
    /// The block scales of the factors, if they have any.
    pub scales: Option<Scales>,
    /// The element type of C.
    pub c: Element,
    /// The element type of D.
    pub d: Element,
    /// How elements of the factors are combined.
    pub join: Join,
    /// What becomes of sums that D cannot represent.
    pub overflow: Overflow,
    /// For `.f64`.
    pub rounding: Rounding,
}

impl Product {
    /// The shape that determines the register layout of a matrix: a sparse A keeps half of each row, laid out like a
    /// dense matrix of that size.
    pub const fn kept(&self, operand: MatrixOperand) -> Size {
        match (self.sparse, operand) {
            (Some(_), MatrixOperand::A) => Size { k: self.size.k / 2, ..self.size },
            _ => self.size,
        }
    }

    /// Numbers of registers of A, B, C and D.
    pub const fn registers(&self) -> [u32; 4] {
        let Self { size, held, .. } = *self;
        [
            held.registers(self.kept(MatrixOperand::A), MatrixOperand::A, self.a.element),
            held.registers(size, MatrixOperand::B, self.b.element),
            held.registers(size, MatrixOperand::Sum, self.c),
            held.registers(size, MatrixOperand::Sum, self.d),
        ]
    }
}

/// A matrix that `wmma` loads or stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Fragment {
    /// The shape of the product that the matrix belongs to.
    pub size: Size,
    /// Which matrix of the product it is.
    pub operand: MatrixOperand,
    /// Its element type and its order in memory.
    pub factor: Factor,
}

impl Fragment {
    /// Registers per lane.
    pub const fn registers(&self) -> u32 {
        Held::Fragments.registers(self.size, self.operand, self.factor.element)
    }

    /// Length of a contiguous row or column, and the number of those.
    pub const fn leading(&self) -> (u32, u32) {
        let (rows, columns) = self.size.of(self.operand);
        match self.factor.major {
            Major::Row => (columns, rows),
            Major::Column => (rows, columns),
        }
    }

    /// Alignment in bytes of the address of each such row or column.
    ///
    /// The manual requires the size of the fragment (9.7.14.4.2), of which its own default strides are not always a
    /// multiple; CUDA allows strides that are multiples of 16 bytes.
    pub fn alignment(&self) -> u64 {
        let bits = self.factor.element.bits();
        let register = if bits == 64 { 8 } else { 4 };
        let whole = u64::from(self.leading().0 * bits / 8);
        u64::from(self.registers() * register).min(whole).min(16)
    }
}
