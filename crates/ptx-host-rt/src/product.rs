//! Products of `wgmma` and `tcgen05.mma` with the processor's vectors, with the interpreter's results: products are exact in binary64, and
//! added in the order of depth.
//!
//! The part of a warp of a `wgmma` is computed in the order in which its lanes hold D: a register has rows `lane / 4` of columns
//! `lane % 4 * 2`, so that neighbours in vectors are neighbours in rows of registers.

use ptx_exec::engine::{Lines, Products, TensorPart, WarpgroupPart};
use ptx_exec::program::{Element, FactorA, Majorness, Overflow, Row, WARP};
use ptx_exec::scalar::narrow::Narrow;

/// The products of this crate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors;

/// The only ones.
pub(crate) static VECTORS: Vectors = Vectors;

/// Rows of a warp, and lanes of tensor memory.
const ROWS: usize = 16;
const LANES: usize = 128;

impl Products for Vectors {
    fn warpgroup(&self, part: &WarpgroupPart<'_>, rows: &mut [Row]) -> bool {
        warpgroup(part, rows).is_some()
    }

    fn tensor(&self, part: &TensorPart<'_>, cells: &mut [u32]) -> bool {
        let is_whole = part.a.len() == LANES * part.depth && cells.len() * part.depth == part.b.len() * LANES;
        if is_whole {
            // A by depth, so that neighbouring lanes are neighbours.
            let mut by_depth = vec![0.0; part.a.len()];
            for (lane, values) in part.a.chunks_exact(part.depth.max(1)).enumerate() {
                for (k, &value) in values.iter().enumerate() {
                    by_depth[k * LANES + lane] = value;
                }
            }
            tensor(&by_depth, part.b, part.depth, part.adds, cells);
        }
        is_whole
    }
}

/// The bits of D and of its elements, and whether they are integers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sum {
    Single,
    Half,
    Word,
}

fn warpgroup(part: &WarpgroupPart<'_>, rows: &mut [Row]) -> Option<()> {
    let op = part.op;
    let product = &op.product;
    let sum = match (product.d, product.overflow) {
        (Element::F32, Overflow::Plain) => Sum::Single,
        (Element::F16, Overflow::Plain) => Sum::Half,
        (Element::S32, Overflow::Plain) => Sum::Word,
        _ => return None,
    };
    let (n, depth) = (product.size.n as usize, product.size.k as usize);
    if !n.is_multiple_of(8) || depth == 0 {
        return None;
    }
    let sign = if op.negated { -1.0 } else { 1.0 };
    // Row after row.
    let mut a = vec![0.0; ROWS * depth];
    match (&op.a, &part.a) {
        (_, Some(lines)) => {
            let first = part.quarter * ROWS;
            read(lines, product.a.element, first..first + ROWS, |line, k, value| {
                a[(line - first) * depth + k] = value * sign;
            })?;
        }
        (FactorA::Registers(srcs), None) => {
            let values = Values::of(product.a.element)?;
            let each = product.a.element.per_register() as usize;
            let bits = product.a.element.bits() as usize;
            for (register, src) in srcs.iter().enumerate() {
                let words = src.of(rows, part.constants);
                for (lane, word) in words.iter().enumerate() {
                    for sub in 0..each {
                        let row = lane / 4 + register % 2 * 8;
                        let k = (register / 2 * 4 + lane % 4) * each + sub;
                        *a.get_mut(row * depth + k)? = values.value(word >> (bits * sub)) * sign;
                    }
                }
            }
        }
        (FactorA::Shared(_), None) => return None,
    }
    // Tile of eight columns, odd or even ones, depth, which of the four.
    let mut b = vec![0.0; n * depth];
    read(&part.b, product.b.element, 0..n, |column, k, value| {
        b[((column / 8 * 2 + column % 2) * depth + k) * 4 + column % 8 / 2] = value;
    })?;
    // For each lane the rows that it has.
    let mut by_lane = vec![0.0; depth * 2 * WARP];
    for k in 0..depth {
        for (half, lanes) in by_lane[k * 2 * WARP..][..2 * WARP].chunks_exact_mut(WARP).enumerate() {
            for (lane, value) in lanes.iter_mut().enumerate() {
                *value = a[(lane / 4 + 8 * half) * depth + k];
            }
        }
    }
    let tiles = n / 8;
    let registers = if sum == Sum::Half { 2 } else { 4 };
    if op.d.len() != tiles * registers || op.d.iter().any(|&d| d as usize >= rows.len()) {
        return None;
    }
    let mut sums = [[[0.0; WARP]; 2]; 2];
    for (tile, d) in op.d.chunks_exact(registers).enumerate() {
        for (odd, halves) in sums.iter_mut().enumerate() {
            for (half, lanes) in halves.iter_mut().enumerate() {
                let (register, low) = place(sum, odd, half);
                load(sum, part.accumulates, &rows[d[register] as usize], low, lanes);
            }
        }
        add_tile(&by_lane, &b[tile * 8 * depth..][..8 * depth], depth, &mut sums);
        for (odd, halves) in sums.iter().enumerate() {
            for (half, lanes) in halves.iter().enumerate() {
                let (register, low) = place(sum, odd, half);
                store(sum, lanes, low, &mut rows[d[register] as usize]);
            }
        }
    }
    Some(())
}

/// The register of a tile that has the odd or even columns of one half of the rows, and their lowest bit.
const fn place(sum: Sum, odd: usize, half: usize) -> (usize, u32) {
    match sum {
        Sum::Single | Sum::Word => (2 * half + odd, 0),
        Sum::Half => (half, 16 * odd as u32),
    }
}

fn load(sum: Sum, accumulates: bool, words: &Row, low: u32, lanes: &mut [f64; WARP]) {
    if !accumulates {
        *lanes = [0.0; WARP];
        return;
    }
    for (value, &word) in lanes.iter_mut().zip(words) {
        *value = match sum {
            Sum::Single => f64::from(f32::from_bits(word as u32)),
            Sum::Word => f64::from(word as u32 as i32),
            Sum::Half => half(word >> low),
        };
    }
}

fn store(sum: Sum, lanes: &[f64; WARP], low: u32, words: &mut Row) {
    for (&value, word) in lanes.iter().zip(words) {
        *word = match sum {
            Sum::Single => single(value).into(),
            // Sums of integers are exact in binary64.
            Sum::Word => u64::from(value as i64 as u32),
            Sum::Half => {
                let format = ptx_exec::scalar::format::Format::F16;
                let raw = format.narrow(value, ptx_exec::scalar::format::Rounding::NearestEven);
                let raw = if value.is_nan() { format.canonical_nan() } else { raw };
                // The first element of a register clears it.
                *word & ((1 << low) - 1) | raw << low
            }
        };
    }
}

/// The nearest number in single precision; all NaNs are one.
fn single(value: f64) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { (value as f32).to_bits() }
}

/// A number in half precision, by its exponent's difference to that of binary64.
fn half(raw: u64) -> f64 {
    let magnitude = raw & 0x7fff;
    let sign = (raw & 0x8000) << 48;
    // Infinities and NaNs have the largest exponent.
    let bits = if magnitude >= 0x7c00 { magnitude << 42 | 0x7ff << 52 } else { magnitude << 42 };
    let scale = if magnitude >= 0x7c00 { 1.0 } else { f64::from_bits((1023 + 1008) << 52) };
    f64::from_bits((f64::from_bits(bits) * scale).to_bits() | sign)
}

/// The values of elements.
enum Values {
    Half,
    Bfloat,
    Tf32,
    Bytes(Box<[f64; 256]>),
}

impl Values {
    fn of(element: Element) -> Option<Self> {
        let bytes = |value: &dyn Fn(u8) -> f64| {
            Some(Self::Bytes(Box::new(std::array::from_fn(|raw| value(raw as u8)))))
        };
        match element {
            Element::F16 => Some(Self::Half),
            Element::Bf16 => Some(Self::Bfloat),
            Element::Tf32 => Some(Self::Tf32),
            Element::Narrow(format @ (Narrow::E4m3 | Narrow::E5m2)) => bytes(&|raw| format.widen(raw.into())),
            Element::U8 => bytes(&|raw| f64::from(raw)),
            Element::S8 => bytes(&|raw| f64::from(raw as i8)),
            _ => None,
        }
    }

    #[inline(always)]
    fn value(&self, raw: u64) -> f64 {
        match self {
            Self::Half => half(raw),
            Self::Bfloat => f64::from(f32::from_bits((raw as u32) << 16)),
            // The low bits of a register that holds a `.tf32` are ignored.
            Self::Tf32 => f64::from(f32::from_bits(raw as u32 & 0xffff_e000)),
            Self::Bytes(table) => table[usize::from(raw as u8)],
        }
    }
}

/// Gives each element of lines of a matrix in shared memory, with its line and its place there; nothing where some lie beyond the memory.
fn read(
    lines: &Lines<'_>,
    element: Element,
    wanted: std::ops::Range<usize>,
    mut give: impl FnMut(usize, usize, f64),
) -> Option<()> {
    let values = Values::of(element)?;
    let bytes = (element.bits() / 8) as usize;
    let each = 16 / bytes;
    let along = match lines.majorness() {
        Majorness::K => lines.depth(),
        Majorness::Mn => wanted.end,
    };
    if !along.is_multiple_of(each) || !wanted.start.is_multiple_of(each) && lines.majorness() == Majorness::Mn
    {
        return None;
    }
    let (rows, chunks) = match lines.majorness() {
        Majorness::K => (wanted, 0..along / each),
        Majorness::Mn => (0..lines.depth(), wanted.start / each..along / each),
    };
    for row in rows {
        for chunk in chunks.clone() {
            let word = u128::from_le_bytes(lines.chunk(row, chunk)?);
            for i in 0..each {
                let value = values.value((word >> (8 * bytes * i)) as u64);
                match lines.majorness() {
                    Majorness::K => give(row, chunk * each + i, value),
                    Majorness::Mn => give(chunk * each + i, row, value),
                }
            }
        }
    }
    Some(())
}

#[inline(always)]
fn fused<const FUSED: bool>(a: f64, b: f64, sum: f64) -> f64 {
    // The product is exact, so that both are rounded once.
    if FUSED { a.mul_add(b, sum) } else { sum + a * b }
}

type Sums = [[[f64; WARP]; 2]; 2];

/// Adds the products of a tile of eight columns.
#[inline(always)]
fn add_tile_with<const FUSED: bool>(a: &[f64], b: &[f64], depth: usize, sums: &mut Sums) {
    let mut local = *sums;
    let (even, odd) = b.split_at(depth * 4);
    for ((a, even), odd) in a.chunks_exact(2 * WARP).zip(even.chunks_exact(4)).zip(odd.chunks_exact(4)) {
        for (b, halves) in [even, odd].into_iter().zip(&mut local) {
            let eight = [b[0], b[1], b[2], b[3], b[0], b[1], b[2], b[3]];
            for (lanes, a) in halves.iter_mut().zip(a.chunks_exact(WARP)) {
                for (lanes, a) in lanes.chunks_exact_mut(8).zip(a.chunks_exact(8)) {
                    for ((sum, &a), &b) in lanes.iter_mut().zip(a).zip(&eight) {
                        *sum = fused::<FUSED>(a, b, *sum);
                    }
                }
            }
        }
    }
    *sums = local;
}

/// Columns of D that are computed together, and lanes of them.
const COLUMNS: usize = 4;
const GROUP: usize = 32;

/// D = A * B + D, of cells in single precision, column after column; A by depth, B column after column.
#[inline(always)]
fn tensor_with<const FUSED: bool>(a: &[f64], b: &[f64], depth: usize, adds: bool, cells: &mut [u32]) {
    for (cells, b) in cells.chunks_mut(LANES * COLUMNS).zip(b.chunks(depth * COLUMNS)) {
        for first in (0..LANES).step_by(GROUP) {
            let mut sums = [[0.0; GROUP]; COLUMNS];
            if adds {
                for (sums, cells) in sums.iter_mut().zip(cells.chunks_exact(LANES)) {
                    for (sum, &cell) in sums.iter_mut().zip(&cells[first..first + GROUP]) {
                        *sum = f64::from(f32::from_bits(cell));
                    }
                }
            }
            if b.len() == depth * COLUMNS {
                for (k, a) in a.chunks_exact(LANES).enumerate() {
                    let a = &a[first..first + GROUP];
                    for (column, sums) in sums.iter_mut().enumerate() {
                        let b = b[column * depth + k];
                        for (sum, &a) in sums.iter_mut().zip(a) {
                            *sum = fused::<FUSED>(a, b, *sum);
                        }
                    }
                }
            } else {
                for (b, sums) in b.chunks_exact(depth).zip(&mut sums) {
                    for (a, &b) in a.chunks_exact(LANES).zip(b) {
                        for (sum, &a) in sums.iter_mut().zip(&a[first..first + GROUP]) {
                            *sum = fused::<FUSED>(a, b, *sum);
                        }
                    }
                }
            }
            for (sums, cells) in sums.iter().zip(cells.chunks_exact_mut(LANES)) {
                for (&sum, cell) in sums.iter().zip(&mut cells[first..first + GROUP]) {
                    *cell = single(sum);
                }
            }
        }
    }
}

/// A function for the processor's vectors: one source, compiled for what processors have.
macro_rules! for_processors {
    ($name:ident, $body:ident, $($argument:ident: $ty:ty),*) => {
        fn $name($($argument: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
                fn wide($($argument: $ty),*) {
                    $body::<true>($($argument),*);
                }
                #[target_feature(enable = "avx2,fma")]
                fn middle($($argument: $ty),*) {
                    $body::<true>($($argument),*);
                }
                let has_wide = std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl");
                if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has these instructions.
                    unsafe {
                        if has_wide { wide($($argument),*) } else { middle($($argument),*) }
                    }
                    return;
                }
            }
            $body::<{ cfg!(target_arch = "aarch64") }>($($argument),*);
        }
    };
}

for_processors!(add_tile, add_tile_with, a: &[f64], b: &[f64], depth: usize, sums: &mut Sums);
for_processors!(tensor, tensor_with, a: &[f64], b: &[f64], depth: usize, adds: bool, cells: &mut [u32]);
