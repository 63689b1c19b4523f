//! Matrices that the lanes of a warp hold together: what their elements are, and which lane holds which (manual 9.7.14.4,
//! 9.7.14.5, 9.7.14.6).

use super::WARP;
use crate::scalar::format::Rounding;
use crate::scalar::narrow::Narrow;

/// The element type of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    /// A format of eight bits or fewer, in a byte (manual 9.7.14.5.14).
    Narrow(Narrow),
    /// `.e2m1` in four bits.
    E2m1,
    U8,
    S8,
    U4,
    S4,
    B1,
    S32,
}

impl Element {
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

    /// Elements in one register.
    pub const fn per_register(self) -> u32 {
        match self {
            Element::F64 => 1,
            other => 32 / other.bits(),
        }
    }
}

/// The sizes of a product: A is m x k, B is k x n, C and D are m x n.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Size {
    pub m: u32,
    pub n: u32,
    pub k: u32,
}

/// A matrix of a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Part {
    A,
    B,
    /// C and D, which lie alike.
    Sum,
}

impl Size {
    /// The rows and columns of a matrix.
    pub const fn of(self, part: Part) -> (u32, u32) {
        match part {
            Part::A => (self.m, self.k),
            Part::B => (self.k, self.n),
            Part::Sum => (self.m, self.n),
        }
    }

    const fn elements(self, part: Part) -> u32 {
        let (rows, columns) = self.of(part);
        rows * columns
    }
}

/// Whether neighbours in memory, or in the registers of a lane, are those of a row or of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Major {
    Row,
    Column,
}

/// Which elements of a matrix in shared memory are neighbours, where a descriptor names it (manual 9.7.15.5.1.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Majorness {
    /// Those of a row of A or of a column of B.
    K,
    /// Those of a column of A or of a row of B.
    Mn,
}

/// How the elements of factors meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Join {
    /// They are multiplied.
    Multiply,
    /// The bits in which they differ are counted.
    Xor,
    /// The bits that both have are counted.
    And,
}

/// What becomes of sums that their type does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Overflow {
    /// Integers wrap around, floating-point values become infinite.
    Plain,
    /// `.satfinite`: they become the largest or smallest number. Of floating-point sums a NaN becomes zero.
    Finite,
}

/// One of the two factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Factor {
    pub element: Element,
    /// Only [`Held::Quads`] lie otherwise by it.
    pub major: Major,
}

/// Which lane holds which elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Held {
    /// As the manual has it for most shapes of `mma`: a lane is in group `lane / 4` and has place `lane % 4` in it; the four
    /// lanes of a group hold neighbours along k. Registers of A go down eight rows first, where there are sixteen, then
    /// along k; those of B go along k (9.7.14.5.2 ff.).
    Groups,
    /// `mma.m8n8k4` of halves: four products, each of four lanes and the four that are sixteen above (9.7.14.5.1).
    Quads,
    /// `wmma`: as the implementation likes (9.7.14.4.1). Lanes hold elements in the order of rows, and as many copies of the
    /// matrix as its registers have room for.
    Fragments,
}

/// A place in one of the products that an instruction computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Place {
    pub product: usize,
    pub row: usize,
    pub column: usize,
}

impl Held {
    /// How many products an instruction computes.
    pub const fn products(self) -> usize {
        match self {
            Held::Quads => 4,
            Held::Groups | Held::Fragments => 1,
        }
    }

    /// The registers that a lane holds of a matrix.
    pub const fn registers(self, size: Size, part: Part, element: Element) -> u32 {
        let lanes = WARP as u32;
        match (self, part, element) {
            // Eight of halves for every shape (manual 9.7.14.4.1).
            (Held::Fragments, Part::A | Part::B, Element::F16) => 8,
            _ => size.elements(part) * self.products() as u32 / lanes / element.per_register(),
        }
    }

    /// The place of element `i` of a lane, counted from the low bits of the first register.
    pub fn place(self, size: Size, part: Part, factor: Factor, lane: usize, i: usize) -> Place {
        match self {
            Held::Groups => groups(size, part, factor.element, lane, i),
            Held::Quads => quads(part, factor, lane, i),
            Held::Fragments => {
                let (_, columns) = size.of(part);
                let registers = self.registers(size, part, factor.element);
                let each = (registers * factor.element.per_register()) as usize;
                let number = (lane * each + i) % (size.elements(part) as usize).max(1);
                let columns = columns as usize;
                Place { product: 0, row: number / columns, column: number % columns }
            }
        }
    }
}

fn groups(size: Size, part: Part, element: Element, lane: usize, i: usize) -> Place {
    let (group, place) = (lane / 4, lane % 4);
    let each = element.per_register() as usize;
    let (register, sub) = (i / each, i % each);
    let (row, column) = match part {
        Part::A => {
            let blocks = (size.m / 8) as usize;
            let (down, along) = (register % blocks, register / blocks);
            (group + 8 * down, (along * 4 + place) * each + sub)
        }
        Part::B => ((register * 4 + place) * each + sub, group),
        Part::Sum => (group + 8 * (i / 2), place * 2 + i % 2),
    };
    Place { product: 0, row, column }
}

/// The formulas of manual 9.7.14.5.1, by the layout of the factor and the type of the sum.
fn quads(part: Part, Factor { element, major }: Factor, lane: usize, i: usize) -> Place {
    let (place, half) = (lane % 4, lane / 16 * 4);
    let (row, column) = match (part, major) {
        (Part::A, Major::Row) => (place + half, i),
        (Part::A, Major::Column) => (i + half, place),
        (Part::B, Major::Row) => (place, i + half),
        (Part::B, Major::Column) => (i, place + half),
        (Part::Sum, _) if element == Element::F16 => (place + half, i),
        (Part::Sum, _) => ((lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)),
    };
    Place { product: lane % 16 / 4, row, column }
}

/// In which order the two indices of a chunk are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Indices {
    /// `mma.sp`.
    AnyOrder,
    /// `mma.sp::ordered_metadata`.
    Increasing,
}

/// How the positions of the elements that a sparse A keeps are given (manual 9.7.14.6).
///
/// Each row of A is cut into chunks of four places, two of which are kept. A place is one element of 8 or 16 bits, two of
/// 4 bits or half of one of 32 bits. Four bits of metadata are the indices of the two, that of the first in the low bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Sparse {
    /// Which lanes of each group give them: one, a pair, or all four, so that there are four values, two or one.
    pub selector: usize,
    pub indices: Indices,
}

impl Sparse {
    /// Elements of A in a chunk.
    pub const fn chunk(element: Element) -> usize {
        match element.bits() {
            32 => 2,
            4 => 8,
            _ => 4,
        }
    }

    /// How many selectors a shape leaves: a lane has the metadata of eight chunks.
    pub const fn selectors(size: Size, element: Element) -> usize {
        let chunks = size.k as usize / Self::chunk(element);
        if chunks <= 4 { 4 } else { 16 / chunks }
    }

    /// The lane that has the metadata of a chunk, and its lowest bit there.
    ///
    /// The manual has this in pictures only (figures 119, 122, 125, 127, 129, 136, 137, 139, 146 and 147). What is here is
    /// also what the code does that `ptxas` writes to put indices in order for sm_120, and to multiply 4-bit integers on
    /// sm_90.
    pub const fn metadata(self, size: Size, element: Element, row: usize, chunk: usize) -> (usize, u32) {
        let (group, down) = (row % 8, row / 8);
        let (place, nibble) = match (Self::selectors(size, element), element.bits()) {
            (4, _) => (self.selector, 4 * down + chunk),
            (2, 16 | 32) => (2 * self.selector + chunk / 4, 4 * down + chunk % 4),
            (2, _) => (2 * self.selector + down, chunk),
            _ => (2 * (chunk / 8) + down, chunk % 8),
        };
        (4 * group + place, 4 * nibble as u32)
    }
}

/// The scales of the blocks of both factors (manual 9.7.14.3): each row of A and column of B is cut into blocks along k.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Scales {
    /// Blocks of a row: one, two or four.
    pub blocks: usize,
    pub format: Narrow,
}

impl Scales {
    /// Whether `.scale_vec` leaves a byte to begin with: the scales of a row are neighbours in a register.
    pub const fn begins_at(self, byte: u64) -> bool {
        byte < 4 && byte.is_multiple_of(self.blocks as u64)
    }

    /// How many choices of threads there are: two lanes of a group have the scales of A for two rows, one has those of B
    /// for its column.
    pub const fn threads(part: Part) -> u64 {
        match part {
            Part::A => 2,
            Part::B | Part::Sum => 4,
        }
    }

    /// The lane with the scales of a row of A or column of B.
    pub const fn lane(part: Part, thread: usize, line: usize) -> usize {
        match part {
            Part::A => 4 * (line % 8) + 2 * thread + line / 8,
            Part::B | Part::Sum => 4 * line + thread,
        }
    }
}

/// A multiplication: D = A * B + C.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Product {
    pub size: Size,
    pub held: Held,
    pub a: Factor,
    pub b: Factor,
    /// For a sparse A.
    pub sparse: Option<Sparse>,
    pub scales: Option<Scales>,
    pub c: Element,
    pub d: Element,
    pub join: Join,
    pub overflow: Overflow,
    /// Of `.f64`.
    pub rounding: Rounding,
}

impl Product {
    /// The sizes by which the lanes hold a matrix: of a sparse A half of each row, held as a dense matrix of that size is.
    pub const fn kept(&self, part: Part) -> Size {
        match (self.sparse, part) {
            (Some(_), Part::A) => Size { k: self.size.k / 2, ..self.size },
            _ => self.size,
        }
    }

    /// The registers of A, B, C and D.
    pub const fn registers(&self) -> [u32; 4] {
        let Self { size, held, .. } = *self;
        [
            held.registers(self.kept(Part::A), Part::A, self.a.element),
            held.registers(size, Part::B, self.b.element),
            held.registers(size, Part::Sum, self.c),
            held.registers(size, Part::Sum, self.d),
        ]
    }
}

/// A matrix that `wmma` loads or stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Fragment {
    pub size: Size,
    pub part: Part,
    pub factor: Factor,
}

impl Fragment {
    /// Registers of a lane.
    pub const fn registers(&self) -> u32 {
        Held::Fragments.registers(self.size, self.part, self.factor.element)
    }

    /// Elements of a row or column that lies in one piece, and how many of them there are.
    pub const fn leading(&self) -> (u32, u32) {
        let (rows, columns) = self.size.of(self.part);
        match self.factor.major {
            Major::Row => (columns, rows),
            Major::Column => (rows, columns),
        }
    }

    /// What the address of each such row or column is a multiple of, in bytes.
    ///
    /// The manual asks for the size of the fragment (9.7.14.4.2), which its own default strides are not always a multiple
    /// of; CUDA lets strides be multiples of 16 bytes.
    pub fn alignment(&self) -> u64 {
        let bits = self.factor.element.bits();
        let register = if bits == 64 { 8 } else { 4 };
        let whole = u64::from(self.leading().0 * bits / 8);
        u64::from(self.registers() * register).min(whole).min(16)
    }
}
