//! Products of `wgmma` and `tcgen05.mma` with the processor's vectors, with the interpreter's results: products are exact in binary64, and
//! added in the order of depth.
//!
//! The part of a warp of a `wgmma` is computed in the order in which its lanes hold D: a register has rows `lane / 4` of columns
//! `lane % 4 * 2`, so that neighbours in vectors are neighbours in rows of registers.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::LazyLock;

use ptx_exec::engine::{Lines, Products, TensorPart, WarpgroupPart};
use ptx_exec::program::{Dst, Element, FactorA, Majorness, Overflow, Row, WARP};
use ptx_exec::scalar::format::{Format, Rounding};
use ptx_exec::scalar::narrow::Narrow;

/// The products of this crate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors;

/// The only ones.
pub(crate) static VECTORS: Vectors = Vectors;

/// Rows of a warp, and lanes of tensor memory.
const ROWS: usize = 16;
const LANES: usize = 128;

thread_local! {
    static COMPUTED: Cell<Computed> = const { Cell::new(Computed { warpgroup: 0, tensor: 0 }) };
    static FACTORS: RefCell<Factors> = RefCell::default();
}

/// How many products were computed with the processor's vectors; others the interpreter computes, element by element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Computed {
    /// Parts of a warp of `wgmma.mma_async`.
    pub warpgroup: u64,
    /// Parts of a block of `tcgen05.mma`.
    pub tensor: u64,
}

impl Computed {
    /// Those of this thread of the host. A launch on one thread runs on the one that launches.
    pub fn on_this_thread() -> Self {
        COMPUTED.get()
    }
}

impl Products for Vectors {
    fn warpgroup(&self, part: &WarpgroupPart<'_>, rows: &mut [Row]) -> bool {
        let is_computed = warpgroup(part, rows).is_some();
        let before = COMPUTED.get();
        COMPUTED.set(Computed { warpgroup: before.warpgroup + u64::from(is_computed), ..before });
        is_computed
    }

    fn tensor(&self, part: &TensorPart<'_>, cells: &mut [u32]) -> bool {
        let is_computed = tensor_part(part, cells).is_some();
        let before = COMPUTED.get();
        COMPUTED.set(Computed { tensor: before.tensor + u64::from(is_computed), ..before });
        is_computed
    }

    fn elements(&self, lines: &Lines<'_>, element: Element) -> Option<Vec<f64>> {
        read(lines, element, 0..lines.count())
    }

    fn values(&self, element: Element, raw: &[u8]) -> Option<Vec<f64>> {
        values(element, raw)
    }
}

/// D of a block in tensor memory.
fn tensor_part(part: &TensorPart<'_>, cells: &mut [u32]) -> Option<()> {
    let &TensorPart { a, b, depth, adds, rows, columns } = part;
    let count = cells.len() / LANES;
    let fits = |first: &usize| (first + count) * depth <= b.len();
    if depth == 0 || count == 0 || !columns.iter().all(fits) {
        return None;
    }
    let groups = groups(&rows, &columns)?;
    // A by depth, so that neighbouring lanes are neighbours.
    let mut by_depth = vec![0.0; groups.len() * depth * GROUP];
    for (out, (lanes, _)) in by_depth.chunks_exact_mut(depth * GROUP).zip(&groups) {
        let lanes = lanes.iter().flat_map(|&first| first..first + SIDE_BY_SIDE);
        for (at, row) in lanes.filter_map(|lane| rows.get(lane).copied().flatten()).enumerate() {
            let places = out.iter_mut().skip(at).step_by(GROUP);
            places.zip(a.get(row * depth..(row + 1) * depth)?).for_each(|(place, &value)| *place = value);
        }
    }
    tensor(&by_depth, b, depth, adds, &groups, cells);
    Some(())
}

/// Lanes that are computed together, twice as many as are side by side, and the column of B that their first column is of.
type Lanes = ([usize; 2], usize);

/// All lanes that have a row; those side by side all have one or none.
fn groups(rows: &[Option<usize>; LANES], columns: &[usize; 4]) -> Option<Vec<Lanes>> {
    let mut sides = Vec::new();
    for (number, rows) in rows.chunks_exact(SIDE_BY_SIDE).enumerate() {
        if rows.iter().all(Option::is_some) {
            sides.push((number * SIDE_BY_SIDE, columns[number / 2]));
        } else if rows.iter().any(Option::is_some) {
            return None;
        }
    }
    let (pairs, rest) = sides.as_chunks::<2>();
    let alike = |&[(first, column), (second, other)]: &[(usize, usize); 2]| {
        (column == other).then_some(([first, second], column))
    };
    pairs.iter().map(alike).collect::<Option<_>>().filter(|_| rest.is_empty())
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
    // Row after row.
    let mut a = match (&op.a, &part.a) {
        (_, Some(lines)) => {
            let first = part.quarter * ROWS;
            read(lines, product.a.element, first..first + ROWS)?
        }
        (FactorA::Registers(srcs), None) => {
            // Elements that follow each other in a register do so in a row, and those of four lanes.
            let words = depth / product.a.element.per_register() as usize;
            let mut raw = vec![0; ROWS * words * 4];
            let places = raw.as_chunks_mut::<4>().0;
            for (register, src) in srcs.iter().enumerate() {
                for (lane, word) in src.of(rows, part.constants).iter().enumerate() {
                    let (row, at) = (lane / 4 + register % 2 * 8, register / 2 * 4 + lane % 4);
                    *places.get_mut(row * words + at)? = (*word as u32).to_le_bytes();
                }
            }
            values(product.a.element, &raw)?
        }
        (FactorA::Shared(_), None) => return None,
    };
    let registers = if sum == Sum::Half { 2 } else { 4 };
    if a.len() != ROWS * depth
        || part.b.count() != n
        || op.d.len() != n / 8 * registers
        || op.d.iter().any(|&d| d as usize >= rows.len())
    {
        return None;
    }
    if op.negated {
        a.iter_mut().for_each(|value| *value = -*value);
    }
    FACTORS.with_borrow_mut(|factors| {
        let b = factors.tiles(&part.b, product.b.element)?;
        multiply(&a, b, depth, (sum, part.accumulates), &op.d, rows);
        Some(())
    })
}

/// What a thread of the host keeps of the products that it computes: the last factors B, which the four warps of a warpgroup have alike, each
/// several in turn.
#[derive(Default)]
struct Factors {
    kept: Vec<Tiles>,
    /// The one that was not used for the longest time.
    next: usize,
    /// The bytes that are read.
    raw: Vec<u8>,
}

/// A factor B.
#[derive(Default)]
struct Tiles {
    /// The type, and which elements are neighbours; elements of a column.
    kind: Option<(Element, Majorness, usize)>,
    raw: Vec<u8>,
    /// Tile of eight columns, odd or even ones, depth, which of the four.
    values: Vec<f64>,
}

impl Factors {
    /// How many are kept: a stage of a pipeline has four of 16 bits in 128 bytes.
    const MOST: usize = 8;

    /// B in tiles.
    fn tiles(&mut self, lines: &Lines<'_>, element: Element) -> Option<&[f64]> {
        let (count, depth) = (lines.count(), lines.depth());
        let kind = Some((element, lines.majorness(), depth));
        read_raw(lines, element, 0..count, &mut self.raw)?;
        let found = self.kept.iter().position(|tiles| tiles.kind == kind && tiles.raw == self.raw);
        let at = match found {
            Some(at) => at,
            None => {
                let at = self.next;
                self.next = (at + 1) % Self::MOST;
                if at >= self.kept.len() {
                    self.kept.push(Tiles::default());
                }
                let tiles = self.kept.get_mut(at)?;
                tiles.kind = None;
                tiles.fill(&values(element, &self.raw)?, lines.majorness(), count, depth);
                (tiles.kind, tiles.raw) = (kind, std::mem::take(&mut self.raw));
                at
            }
        };
        Some(&self.kept.get(at)?.values)
    }
}

impl Tiles {
    /// Takes values as they are neighbours in memory.
    fn fill(&mut self, values: &[f64], majorness: Majorness, count: usize, depth: usize) {
        self.values.clear();
        self.values.resize(count * depth, 0.0);
        let tiles = self.values.chunks_exact_mut(8 * depth);
        match majorness {
            Majorness::K => {
                for (tile, out) in values.chunks_exact(8 * depth).zip(tiles) {
                    for (odd, out) in out.chunks_exact_mut(4 * depth).enumerate() {
                        let [first, second, third, fourth] =
                            [0, 2, 4, 6].map(|column| &tile[(column + odd) * depth..][..depth]);
                        let four = first.iter().zip(second).zip(third).zip(fourth);
                        for (out, (((a, b), c), d)) in out.as_chunks_mut::<4>().0.iter_mut().zip(four) {
                            *out = [*a, *b, *c, *d];
                        }
                    }
                }
            }
            Majorness::Mn => {
                for (tile, out) in tiles.enumerate() {
                    let (even, odd) = out.split_at_mut(4 * depth);
                    let pairs = even.as_chunks_mut::<4>().0.iter_mut().zip(odd.as_chunks_mut::<4>().0);
                    for (row, (even, odd)) in values.chunks_exact(count).zip(pairs) {
                        if let Some(&[a, b, c, d, e, f, g, h]) = row.as_chunks::<8>().0.get(tile) {
                            (*even, *odd) = ([a, c, e, g], [b, d, f, h]);
                        }
                    }
                }
            }
        }
    }
}

/// Adds to D, whose registers are among `rows`; A row after row, B in tiles.
fn multiply(
    a: &[f64],
    b: &[f64],
    depth: usize,
    (sum, accumulates): (Sum, bool),
    d: &[Dst],
    rows: &mut [Row],
) {
    // For each lane the rows that it has.
    let mut by_lane = vec![0.0; depth * 2 * WARP];
    spread(a, depth, &mut by_lane);
    let registers = if sum == Sum::Half { 2 } else { 4 };
    let mut sums = [[[0.0; WARP]; 2]; 2];
    for (d, b) in d.chunks_exact(registers).zip(b.chunks_exact(8 * depth)) {
        for (odd, halves) in sums.iter_mut().enumerate() {
            for (half, lanes) in halves.iter_mut().enumerate() {
                let (register, low) = place(sum, odd, half);
                load(sum, accumulates, &rows[d[register] as usize], low, lanes);
            }
        }
        add_tile(&by_lane, b, depth, &mut sums);
        for (odd, halves) in sums.iter().enumerate() {
            for (half, lanes) in halves.iter().enumerate() {
                let (register, low) = place(sum, odd, half);
                store(sum, lanes, low, &mut rows[d[register] as usize]);
            }
        }
    }
}

/// The register of a tile that has the odd or even columns of one half of the rows, and their lowest bit.
const fn place(sum: Sum, odd: usize, half: usize) -> (usize, u32) {
    match sum {
        Sum::Single | Sum::Word => (2 * half + odd, 0),
        Sum::Half => (half, 16 * odd as u32),
    }
}

#[inline(always)]
fn load(sum: Sum, accumulates: bool, words: &Row, low: u32, lanes: &mut [f64; WARP]) {
    if !accumulates {
        *lanes = [0.0; WARP];
        return;
    }
    match sum {
        Sum::Single => load_singles(words, lanes),
        Sum::Word => {
            lanes.iter_mut().zip(words).for_each(|(value, &word)| *value = f64::from(word as u32 as i32));
        }
        Sum::Half => lanes.iter_mut().zip(words).for_each(|(value, &word)| *value = half(word >> low)),
    }
}

#[inline(always)]
fn store(sum: Sum, lanes: &[f64; WARP], low: u32, words: &mut Row) {
    match sum {
        Sum::Single => store_singles(lanes, words),
        // Sums of integers are exact in binary64.
        Sum::Word => {
            lanes.iter().zip(words).for_each(|(&value, word)| *word = u64::from(value as i64 as u32));
        }
        // The first element of a register clears it.
        Sum::Half => lanes.iter().zip(words).for_each(|(&value, word)| {
            let raw = Format::F16.narrow(value, Rounding::NearestEven);
            let raw = if value.is_nan() { Format::F16.canonical_nan() } else { raw };
            *word = *word & ((1 << low) - 1) | raw << low;
        }),
    }
}

/// The nearest number in single precision; all NaNs are one.
#[inline(always)]
fn single(value: f64) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { (value as f32).to_bits() }
}

/// A number in half precision, by its exponent's difference to that of binary64.
#[inline(always)]
fn half(raw: u64) -> f64 {
    let magnitude = raw & 0x7fff;
    let sign = (raw & 0x8000) << 48;
    // Infinities and NaNs have the largest exponent.
    let bits = if magnitude >= 0x7c00 { magnitude << 42 | 0x7ff << 52 } else { magnitude << 42 };
    let scale = if magnitude >= 0x7c00 { 1.0 } else { f64::from_bits((1023 + 1008) << 52) };
    f64::from_bits((f64::from_bits(bits) * scale).to_bits() | sign)
}

/// The values of elements.
#[derive(Clone, Copy)]
enum Values {
    Half,
    Bfloat,
    Tf32,
    Bytes(&'static [f64; 256]),
}

/// The values of all bytes.
type Table = LazyLock<[f64; 256]>;

static E4M3: Table = LazyLock::new(|| std::array::from_fn(|raw| Narrow::E4m3.widen(raw as u64)));
static E5M2: Table = LazyLock::new(|| std::array::from_fn(|raw| Narrow::E5m2.widen(raw as u64)));
static UNSIGNED: Table = LazyLock::new(|| std::array::from_fn(|raw| raw as f64));
static SIGNED: Table = LazyLock::new(|| std::array::from_fn(|raw| f64::from(raw as u8 as i8)));

impl Values {
    fn of(element: Element) -> Option<Self> {
        match element {
            Element::F16 => Some(Self::Half),
            Element::Bf16 => Some(Self::Bfloat),
            Element::Tf32 => Some(Self::Tf32),
            Element::Narrow(Narrow::E4m3) => Some(Self::Bytes(&E4M3)),
            Element::Narrow(Narrow::E5m2) => Some(Self::Bytes(&E5M2)),
            Element::U8 => Some(Self::Bytes(&UNSIGNED)),
            Element::S8 => Some(Self::Bytes(&SIGNED)),
            _ => None,
        }
    }
}

/// The low bits of what holds a `.tf32` are ignored.
#[inline(always)]
fn tf32(raw: u32) -> f64 {
    f64::from(f32::from_bits(raw & 0xffff_e000))
}

/// The elements of lines of a matrix in shared memory, line after line; nothing where some lie beyond the memory.
fn read(lines: &Lines<'_>, element: Element, wanted: Range<usize>) -> Option<Vec<f64>> {
    let (count, mut raw) = (wanted.len(), Vec::new());
    read_raw(lines, element, wanted, &mut raw)?;
    Some(by_line(lines, values(element, &raw)?, count))
}

/// The bytes of such elements as they are neighbours in memory.
fn read_raw(lines: &Lines<'_>, element: Element, wanted: Range<usize>, raw: &mut Vec<u8>) -> Option<()> {
    let bytes = (element.bits() / 8).max(1) as usize;
    let (each, depth, count) = (16 / bytes, lines.depth(), wanted.len());
    let (rows, along) = match lines.majorness() {
        Majorness::K => (wanted, 0..depth),
        Majorness::Mn => (0..depth, wanted),
    };
    if !along.start.is_multiple_of(each) || !along.end.is_multiple_of(each) {
        return None;
    }
    raw.resize(count * depth * bytes, 0);
    lines.copy(rows, along.start / each..along.end / each, raw.as_chunks_mut().0)
}

/// Values line after line, of which neighbours in memory are neighbours.
fn by_line(lines: &Lines<'_>, values: Vec<f64>, count: usize) -> Vec<f64> {
    if lines.majorness() == Majorness::K {
        return values;
    }
    let mut by_line = vec![0.0; values.len()];
    for (k, values) in values.chunks_exact(count.max(1)).enumerate() {
        let places = by_line.iter_mut().skip(k).step_by(lines.depth());
        places.zip(values).for_each(|(place, &value)| *place = value);
    }
    by_line
}

/// The values of elements that follow each other.
fn values(element: Element, raw: &[u8]) -> Option<Vec<f64>> {
    let mut values = vec![0.0; raw.len() / (element.bits() / 8).max(1) as usize];
    match Values::of(element)? {
        Values::Half => halves(raw, &mut values),
        Values::Bfloat => bfloats(raw, &mut values),
        Values::Tf32 => tf32s(raw, &mut values),
        Values::Bytes(table) => {
            values.iter_mut().zip(raw).for_each(|(value, &raw)| *value = table[usize::from(raw)]);
        }
    }
    Some(values)
}

#[inline(always)]
fn halves_with<const FUSED: bool>(raw: &[u8], values: &mut [f64]) {
    for (value, raw) in values.iter_mut().zip(raw.as_chunks().0) {
        *value = half(u16::from_le_bytes(*raw).into());
    }
}

#[inline(always)]
fn bfloats_with<const FUSED: bool>(raw: &[u8], values: &mut [f64]) {
    for (value, raw) in values.iter_mut().zip(raw.as_chunks().0) {
        *value = f64::from(f32::from_bits(u32::from(u16::from_le_bytes(*raw)) << 16));
    }
}

#[inline(always)]
fn tf32s_with<const FUSED: bool>(raw: &[u8], values: &mut [f64]) {
    for (value, raw) in values.iter_mut().zip(raw.as_chunks().0) {
        *value = tf32(u32::from_le_bytes(*raw));
    }
}

#[inline(always)]
fn load_singles_with<const FUSED: bool>(words: &[u64], values: &mut [f64]) {
    for (value, &word) in values.iter_mut().zip(words) {
        *value = f64::from(f32::from_bits(word as u32));
    }
}

#[inline(always)]
fn store_singles_with<const FUSED: bool>(values: &[f64], words: &mut [u64]) {
    for (&value, word) in values.iter().zip(words) {
        *word = single(value).into();
    }
}

#[inline(always)]
fn fused<const FUSED: bool>(a: f64, b: f64, sum: f64) -> f64 {
    // The product is exact, so that both are rounded once.
    if FUSED { a.mul_add(b, sum) } else { sum + a * b }
}

/// The elements of each row of A, for the four lanes that have the row: by depth, so that lanes are neighbours.
#[inline(always)]
fn spread_with<const FUSED: bool>(a: &[f64], depth: usize, by_lane: &mut [f64]) {
    for (k, lanes) in by_lane.chunks_exact_mut(2 * WARP).enumerate() {
        for (place, row) in lanes.as_chunks_mut().0.iter_mut().zip(a.chunks_exact(depth)) {
            *place = [row[k]; 4];
        }
    }
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

/// Columns of D that are computed together, and lanes of them: those side by side, twice.
const COLUMNS: usize = 4;
const SIDE_BY_SIDE: usize = 16;
const GROUP: usize = 2 * SIDE_BY_SIDE;

/// D = A * B + D, of cells in single precision, column after column; A for each group of lanes by depth, B column after column.
#[inline(always)]
fn tensor_with<const FUSED: bool>(
    a: &[f64],
    b: &[f64],
    depth: usize,
    adds: bool,
    groups: &[Lanes],
    cells: &mut [u32],
) {
    for (a, (lanes, first)) in a.chunks_exact(depth * GROUP).zip(groups) {
        for (number, cells) in cells.chunks_mut(LANES * COLUMNS).enumerate() {
            let mut sums = [[0.0; GROUP]; COLUMNS];
            if adds {
                for (sums, cells) in sums.iter_mut().zip(cells.chunks_exact(LANES)) {
                    for (sums, &lane) in sums.chunks_exact_mut(SIDE_BY_SIDE).zip(lanes) {
                        for (sum, &cell) in sums.iter_mut().zip(&cells[lane..][..SIDE_BY_SIDE]) {
                            *sum = f64::from(f32::from_bits(cell));
                        }
                    }
                }
            }
            let b = &b[(first + number * COLUMNS) * depth..];
            // Columns beyond the last one are computed as that one, and not stored.
            let last = cells.len() / LANES - 1;
            let column = |at: usize| &b[at.min(last) * depth..][..depth];
            add_columns::<FUSED>(a, [column(0), column(1), column(2), column(3)], &mut sums);
            for (sums, cells) in sums.iter().zip(cells.chunks_exact_mut(LANES)) {
                for (sums, &lane) in sums.chunks_exact(SIDE_BY_SIDE).zip(lanes) {
                    for (&sum, cell) in sums.iter().zip(&mut cells[lane..][..SIDE_BY_SIDE]) {
                        *cell = single(sum);
                    }
                }
            }
        }
    }
}

/// Adds the products of columns.
#[inline(always)]
fn add_columns<const FUSED: bool>(a: &[f64], b: [&[f64]; COLUMNS], sums: &mut [[f64; GROUP]; COLUMNS]) {
    let mut local = *sums;
    let [first, second, third, fourth] = b;
    for ((((a, &first), &second), &third), &fourth) in
        a.chunks_exact(GROUP).zip(first).zip(second).zip(third).zip(fourth)
    {
        for (b, sums) in [first, second, third, fourth].into_iter().zip(&mut local) {
            // In this form all sums stay in registers.
            let eight = [b; 8];
            for (sums, a) in sums.chunks_exact_mut(8).zip(a.chunks_exact(8)) {
                for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(&eight) {
                    *sum = fused::<FUSED>(a, b, *sum);
                }
            }
        }
    }
    *sums = local;
}

/// What the processor has, of what functions are compiled for.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
enum Width {
    Narrow,
    Middle,
    Wide,
}

/// The same, found out once: functions are called for single rows.
#[cfg(target_arch = "x86_64")]
static WIDTH: LazyLock<Width> = LazyLock::new(|| {
    let has_wide = std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl");
    match std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        false => Width::Narrow,
        true if has_wide => Width::Wide,
        true => Width::Middle,
    }
});

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
                match *WIDTH {
                    // SAFETY: the processor has these instructions.
                    Width::Wide => return unsafe { wide($($argument),*) },
                    // SAFETY: as above.
                    Width::Middle => return unsafe { middle($($argument),*) },
                    Width::Narrow => {}
                }
            }
            $body::<{ cfg!(target_arch = "aarch64") }>($($argument),*);
        }
    };
}

// Together with what it is called by, its sums would not stay in registers.
for_processors!(add_tile, add_tile_with, a: &[f64], b: &[f64], depth: usize, sums: &mut Sums);
for_processors!(spread, spread_with, a: &[f64], depth: usize, by_lane: &mut [f64]);
for_processors!(load_singles, load_singles_with, words: &[u64], values: &mut [f64]);
for_processors!(store_singles, store_singles_with, values: &[f64], words: &mut [u64]);
for_processors!(halves, halves_with, raw: &[u8], values: &mut [f64]);
for_processors!(bfloats, bfloats_with, raw: &[u8], values: &mut [f64]);
for_processors!(tf32s, tf32s_with, raw: &[u8], values: &mut [f64]);
for_processors!(
    tensor,
    tensor_with,
    a: &[f64],
    b: &[f64],
    depth: usize,
    adds: bool,
    groups: &[Lanes],
    cells: &mut [u32]
);
