//! Each form of the functions, for each width of vectors that the processor has, against sums of one element after the other.

use ptx_exec::engine::TensorPart;
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::{Dst, Element, LANES, Overflow, Row, WARP, WarpgroupProduct};

use super::processor::tests::each_width;
use super::sum::{Half, LimitedWord, Single, Sum, Word};
use super::tensor::tensor;
use super::tiles::{Eight, TILE};
use super::warpgroup::{add_dense, add_sparse, spread};

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 29
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A factor: any half, among which are NaNs, infinities, subnormal numbers and both zeros, or a small integer.
    fn factor(&mut self, d: Element) -> f64 {
        match d {
            Element::S32 => f64::from(self.next() as i8),
            _ => match self.next() % 64 {
                0 => f64::NAN,
                1 => f64::NEG_INFINITY,
                2 => -0.0,
                3 => Format::F16.widen(self.next() & 0x83ff),
                // Without the largest exponent, so that most sums are numbers.
                _ => Format::F16.widen(self.next() & 0xbfff),
            },
        }
    }
}

/// The types of D.
const TYPES: [(Element, Overflow); 4] = [
    (Element::F32, Overflow::Plain),
    (Element::F16, Overflow::Plain),
    (Element::S32, Overflow::Plain),
    (Element::S32, Overflow::Finite),
];

/// The value of an element of D.
fn value(d: Element, raw: u32) -> f64 {
    match d {
        Element::F32 => Format::F32.widen(raw.into()),
        Element::F16 => Format::F16.widen((raw & 0xffff).into()),
        _ => f64::from(raw as i32),
    }
}

/// A sum as an element of D.
fn rounded(d: Element, overflow: Overflow, sum: f64) -> u32 {
    let narrow = |format: Format| match sum.is_nan() {
        true => format.canonical_nan() as u32,
        false => format.narrow(sum, Rounding::NearestEven) as u32,
    };
    match (d, overflow) {
        (Element::F32, _) => narrow(Format::F32),
        (Element::F16, _) => narrow(Format::F16),
        (_, Overflow::Plain) => sum as i64 as u32,
        (_, Overflow::Finite) => (sum as i64).clamp(i32::MIN.into(), i32::MAX.into()) as u32,
    }
}

/// A sum of products in the order of what is kept of a row.
fn sum(start: f64, row: &[f64], depths: &[usize], column: impl Fn(usize) -> f64) -> f64 {
    row.iter().zip(depths).fold(start, |sum, (a, &depth)| sum + a * column(depth))
}

/// Two of each four places, in order.
fn depths(numbers: &mut Numbers, depth: usize) -> Vec<usize> {
    const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    (0..depth / 4).flat_map(|chunk| PAIRS[numbers.below(6)].map(|at| chunk * 4 + at)).collect()
}

struct Case {
    d: Element,
    overflow: Overflow,
    depth: usize,
    columns: usize,
    is_sparse: bool,
    adds: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (d, overflow) in TYPES {
        for (depth, columns) in [(8, 8), (16, 40), (32, 64), (32, 24)] {
            for (is_sparse, adds) in [(false, true), (false, false), (true, true), (true, false)] {
                cases.push(Case { d, overflow, depth, columns, is_sparse, adds });
            }
        }
    }
    cases
}

#[test]
fn cells_of_tensor_memory_have_the_sums_of_single_elements() {
    let mut numbers = Numbers(7);
    for Case { d, overflow, depth, columns, is_sparse, adds } in cases() {
        let kept = if is_sparse { depth / 2 } else { depth };
        let dense: Vec<usize> = (0..depth).collect();
        let a: Vec<f64> = (0..LANES * kept).map(|_| numbers.factor(d)).collect();
        // The second half of the lanes has other columns.
        let b: Vec<f64> = (0..2 * columns * depth).map(|_| numbers.factor(d)).collect();
        let of_lanes: Vec<usize> = (0..LANES).flat_map(|_| depths(&mut numbers, depth)).collect();
        let of_lane = |lane: usize| if is_sparse { &of_lanes[lane * kept..][..kept] } else { &dense };
        // Some lanes are left as they are, single ones and whole vectors; rows are mixed.
        let rows = std::array::from_fn(|lane| {
            (lane % 37 != 5 && !(64..80).contains(&lane)).then_some((lane * 5 + 3) % LANES)
        });
        let first = [0, 0, columns, columns];
        let scale = if d == Element::S32 { 1.0 } else { 0.25 };
        let before: Vec<u32> = (0..columns * LANES).map(|_| numbers.next() as u32).collect();
        let mut wanted = before.clone();
        for (at, cell) in wanted.iter_mut().enumerate() {
            let (column, lane) = (at / LANES + first[at % LANES / 32], at % LANES);
            let Some(row) = rows[lane] else { continue };
            let start = if adds { value(d, *cell) * scale } else { 0.0 };
            let sum = sum(start, &a[row * kept..][..kept], of_lane(lane), |k| b[column * depth + k]);
            *cell = rounded(d, overflow, sum);
        }
        each_width(|| {
            let mut cells = before.clone();
            let depths = if is_sparse { of_lanes.as_slice() } else { &[] };
            let (a, b) = (a.as_slice(), b.as_slice());
            let part =
                TensorPart { a, b, depth, kept, depths, adds, scale, d, overflow, rows, columns: first };
            assert!(tensor(&part, &mut cells).is_some());
            assert!(cells == wanted, "{d:?} {overflow:?} {depth} {columns} {is_sparse} {adds}");
        });
    }
}

#[test]
fn what_does_not_fit_is_not_computed() {
    let (a, b) = (vec![1.0; LANES * 8], vec![1.0; 8 * 8]);
    let rows = std::array::from_fn(Some);
    let (d, overflow) = TYPES[0];
    let whole = TensorPart {
        a: &a,
        b: &b,
        depth: 8,
        kept: 8,
        depths: &[],
        adds: true,
        scale: 1.0,
        d,
        overflow,
        rows,
        columns: [0; 4],
    };
    let mut cells = vec![0; 8 * LANES];
    assert!(tensor(&whole, &mut cells).is_some());
    let before = cells.clone();
    for part in [
        TensorPart { a: &a[1..], ..whole },
        TensorPart { b: &b[1..], ..whole },
        TensorPart { kept: 4, ..whole },
        TensorPart { depths: &[8; LANES * 8], ..whole },
        TensorPart { overflow: Overflow::Finite, ..whole },
        TensorPart { d: Element::F64, ..whole },
    ] {
        assert!(tensor(&part, &mut cells).is_none(), "{part:?}");
        assert!(cells == before);
    }
}

/// Compares the registers of a warp.
fn registers<S: Sum>(numbers: &mut Numbers, case: &Case) {
    let &Case { d, overflow, depth, columns, is_sparse, adds } = case;
    let kept = if is_sparse { depth / 2 } else { depth };
    let dense: Vec<usize> = (0..depth).collect();
    let a: Vec<f64> = (0..16 * kept).map(|_| numbers.factor(d)).collect();
    let b: Vec<f64> = (0..columns * depth).map(|_| numbers.factor(d)).collect();
    let of_rows: Vec<usize> = (0..16).flat_map(|_| depths(numbers, depth)).collect();
    let of_row = |row: usize| if is_sparse { &of_rows[row * kept..][..kept] } else { &dense };
    // Registers in an order of their own among others.
    let count = columns / 2 / S::EACH;
    let registers: Vec<Dst> = (0..count).map(|at| 2 * (count - at) as Dst).collect();
    let before: Vec<Row> =
        (0..count * 2 + 1).map(|_| std::array::from_fn(|_| u64::from(numbers.next() as u32))).collect();
    let mut wanted = before.clone();
    for (register, &d_register) in registers.iter().enumerate() {
        for (lane, word) in wanted[d_register as usize].iter_mut().enumerate() {
            *word = (0..S::EACH).fold(0, |new, sub| {
                let (row, column) = WarpgroupProduct::place(lane, register * S::EACH + sub);
                let start = if adds { value(d, (*word >> (16 * sub)) as u32) } else { 0.0 };
                let sum = sum(start, &a[row * kept..][..kept], of_row(row), |k| b[column * depth + k]);
                new | u64::from(rounded(d, overflow, sum)) << (16 * sub)
            });
        }
    }
    let tiles: Vec<Eight> = (0..columns / TILE)
        .flat_map(|tile| (0..depth).map(move |k| (tile, k)))
        .map(|(tile, k)| [0, 2, 4, 6, 1, 3, 5, 7].map(|column| b[(tile * TILE + column) * depth + k]))
        .collect();
    each_width(|| {
        let mut rows = before.clone();
        if is_sparse {
            add_sparse::<S>((&a, &of_rows), &tiles, depth, adds, &registers, &mut rows);
        } else {
            let mut by_lane = vec![[0.0; 2 * WARP]; depth];
            spread(&a, &mut by_lane);
            add_dense::<S>(&by_lane, &tiles, adds, &registers, &mut rows);
        }
        assert!(rows == wanted, "{d:?} {overflow:?} {depth} {columns} {is_sparse} {adds}");
    });
}

#[test]
fn registers_of_a_warp_have_the_sums_of_single_elements() {
    let mut numbers = Numbers(11);
    for case in cases() {
        match (case.d, case.overflow) {
            (Element::F32, _) => registers::<Single>(&mut numbers, &case),
            (Element::F16, _) => registers::<Half>(&mut numbers, &case),
            (_, Overflow::Plain) => registers::<Word>(&mut numbers, &case),
            (_, Overflow::Finite) => registers::<LimitedWord>(&mut numbers, &case),
        }
    }
}
