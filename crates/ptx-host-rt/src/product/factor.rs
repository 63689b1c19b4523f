//! Elements of factors as stored in memory, and their values.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::LazyLock;

use ptx_exec::engine::{Lines, Matrix};
use ptx_program::scalar::narrow::Narrow;
use ptx_program::{Element, Majorness};
use rustc_hash::FxBuildHasher;

use super::processor::for_processors;
use super::sum::half;

/// Conversion of elements to values.
#[derive(Clone, Copy)]
enum Values {
    Half,
    Bfloat,
    Tf32,
    Bytes(&'static Table<256>),
    /// Two in a byte.
    Nibbles(&'static Table<16>),
    /// Eight in a byte.
    Bits,
}

/// Lookup table of the values of all elements.
type Table<const N: usize> = LazyLock<[f64; N]>;

static E4M3: Table<256> = LazyLock::new(|| std::array::from_fn(|raw| Narrow::E4m3.widen(raw as u64)));
static E5M2: Table<256> = LazyLock::new(|| std::array::from_fn(|raw| Narrow::E5m2.widen(raw as u64)));
static E2M3: Table<256> = LazyLock::new(|| std::array::from_fn(|raw| Narrow::E2m3.widen(raw as u64)));
static E3M2: Table<256> = LazyLock::new(|| std::array::from_fn(|raw| Narrow::E3m2.widen(raw as u64)));
/// In the middle of a byte.
static PADDED: Table<256> = LazyLock::new(|| std::array::from_fn(|raw| Narrow::E2m1.widen(raw as u64 >> 2)));
static E2M1: Table<16> = LazyLock::new(|| std::array::from_fn(|raw| Narrow::E2m1.widen(raw as u64)));
static UNSIGNED: Table<256> = LazyLock::new(|| std::array::from_fn(|raw| raw as f64));
static SIGNED: Table<256> = LazyLock::new(|| std::array::from_fn(|raw| f64::from(raw as u8 as i8)));

impl Values {
    fn of(element: Element) -> Option<Self> {
        match element {
            Element::F16 => Some(Self::Half),
            Element::Bf16 => Some(Self::Bfloat),
            Element::Tf32 => Some(Self::Tf32),
            Element::Narrow(Narrow::E4m3) => Some(Self::Bytes(&E4M3)),
            Element::Narrow(Narrow::E5m2) => Some(Self::Bytes(&E5M2)),
            Element::Narrow(Narrow::E2m3) => Some(Self::Bytes(&E2M3)),
            Element::Narrow(Narrow::E3m2) => Some(Self::Bytes(&E3M2)),
            Element::Narrow(Narrow::E2m1) => Some(Self::Bytes(&PADDED)),
            Element::E2m1 => Some(Self::Nibbles(&E2M1)),
            Element::U8 => Some(Self::Bytes(&UNSIGNED)),
            Element::S8 => Some(Self::Bytes(&SIGNED)),
            Element::B1 => Some(Self::Bits),
            _ => None,
        }
    }
}

/// The values of elements that are contiguous in memory, as in tensor memory and registers.
pub(super) fn values(element: Element, raw: &[u8], to: &mut Vec<f64>) -> Option<()> {
    to.resize(raw.len() * 8 / element.bits() as usize, 0.0);
    match Values::of(element)? {
        Values::Half => halves(raw, to),
        Values::Bfloat => bfloats(raw, to),
        Values::Tf32 => tf32s(raw, to),
        Values::Bytes(table) => {
            let table: &[f64; 256] = table;
            to.iter_mut().zip(raw).for_each(|(value, &raw)| *value = table[usize::from(raw)]);
        }
        Values::Nibbles(table) => {
            let table: &[f64; 16] = table;
            let pairs = to.as_chunks_mut().0.iter_mut().zip(raw);
            pairs.for_each(|(pair, raw)| *pair = [raw & 15, raw >> 4].map(|raw| table[usize::from(raw)]));
        }
        Values::Bits => {
            let bits = |raw: u8| std::array::from_fn::<_, 8, _>(|at| f64::from(raw >> at & 1));
            to.as_chunks_mut().0.iter_mut().zip(raw).for_each(|(eight, &raw)| *eight = bits(raw));
        }
    }
    Some(())
}

/// Lines of a matrix in shared memory: the positions of their 16-byte chunks, in memory order.
struct Lying {
    matrix: Matrix,
    wanted: Range<usize>,
    places: Vec<u32>,
}

/// Cache of the layouts of recent matrices. Programs use few, repeatedly.
#[derive(Default)]
pub(super) struct Known {
    all: Vec<Option<Lying>>,
}

impl Known {
    const MOST: usize = 64;

    /// The positions of the chunks of lines; `None` if elements would straddle chunks.
    pub(super) fn places(
        &mut self,
        lines: &Lines<'_>,
        element: Element,
        wanted: Range<usize>,
    ) -> Option<&[u32]> {
        let matrix = lines.matrix();
        self.all.resize_with(Self::MOST, || None);
        let at = FxBuildHasher.hash_one((matrix, wanted.start)) as usize % Self::MOST;
        let known = self.all.get_mut(at)?;
        if known.as_ref().is_none_or(|known| known.matrix != matrix || known.wanted != wanted) {
            let each = 128 / element.bits() as usize;
            let (rows, along) = match lines.majorness() {
                Majorness::K => (wanted.clone(), 0..lines.depth()),
                Majorness::Mn => (0..lines.depth(), wanted.clone()),
            };
            if !along.start.is_multiple_of(each) || !along.end.is_multiple_of(each) {
                return None;
            }
            let places = lines.places(rows, along.start / each..along.end / each);
            *known = Some(Lying { matrix, wanted, places });
        }
        known.as_ref().map(|known| known.places.as_slice())
    }
}

/// The bytes of chunks; `None` if some are out of bounds.
pub(super) fn bytes(lines: &Lines<'_>, places: &[u32], raw: &mut Vec<u8>) -> Option<()> {
    raw.resize(places.len() * 16, 0);
    lines.copy(places, raw.as_chunks_mut().0)
}

/// Unpacks 4- and 6-bit elements, which are packed in the low bits of 16 bytes of shared memory, to one byte each (manual 9.7.16.10.4).
pub(super) fn unpack(element: Element, raw: &mut [u8]) {
    let (bits, low) = match element {
        Element::Narrow(Narrow::E2m1) => (4, 2),
        Element::Narrow(Narrow::E2m3 | Narrow::E3m2) => (6, 0),
        _ => return,
    };
    for chunk in raw.as_chunks_mut().0 {
        let packed = u128::from_le_bytes(*chunk);
        *chunk = std::array::from_fn(|at| (packed >> (bits * at)) as u8 & ((1 << bits) - 1))
            .map(|raw: u8| raw << low);
    }
}

/// The values of elements of lines, line by line.
pub(super) fn by_line(
    lines: &Lines<'_>,
    element: Element,
    wanted: Range<usize>,
    (known, raw): (&mut Known, &mut Vec<u8>),
    to: &mut Vec<f64>,
) -> Option<()> {
    let count = wanted.len();
    bytes(lines, known.places(lines, element, wanted)?, raw)?;
    unpack(element, raw);
    values(element, raw, to)?;
    if lines.majorness() == Majorness::Mn {
        let mut by_line = vec![0.0; to.len()];
        for (k, values) in to.chunks_exact(count.max(1)).enumerate() {
            let places = by_line.iter_mut().skip(k).step_by(lines.depth());
            places.zip(values).for_each(|(place, &value)| *place = value);
        }
        *to = by_line;
    }
    Some(())
}

#[inline(always)]
fn halves_with<const FUSED: bool, const LANES: usize>(raw: &[u8], values: &mut [f64]) {
    for (value, raw) in values.iter_mut().zip(raw.as_chunks().0) {
        *value = f64::from(half(u16::from_le_bytes(*raw).into()));
    }
}

#[inline(always)]
fn bfloats_with<const FUSED: bool, const LANES: usize>(raw: &[u8], values: &mut [f64]) {
    for (value, raw) in values.iter_mut().zip(raw.as_chunks().0) {
        *value = f64::from(f32::from_bits(u32::from(u16::from_le_bytes(*raw)) << 16));
    }
}

#[inline(always)]
fn tf32s_with<const FUSED: bool, const LANES: usize>(raw: &[u8], values: &mut [f64]) {
    for (value, raw) in values.iter_mut().zip(raw.as_chunks().0) {
        // The low bits of a `.tf32` word are ignored.
        *value = f64::from(f32::from_bits(u32::from_le_bytes(*raw) & 0xffff_e000));
    }
}

for_processors!(halves, halves_with, raw: &[u8], values: &mut [f64]);
for_processors!(bfloats, bfloats_with, raw: &[u8], values: &mut [f64]);
for_processors!(tf32s, tf32s_with, raw: &[u8], values: &mut [f64]);
