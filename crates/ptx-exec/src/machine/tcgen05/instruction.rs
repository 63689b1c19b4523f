//! Instruction descriptors: sizes, types and options of a multiplication (manual 9.7.16.2.1, 9.7.16.4.2, 9.7.16.10.1).

use ptx_program::scalar::narrow::Narrow;
use ptx_program::{Element, Group, Majorness, Multiplication, MultiplyKind, ScaleVector};

use super::misuse::misuse;
use crate::error::TrapKind;

/// The properties specified by an instruction descriptor and by the instruction itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Instruction {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    /// Selects the columns with the metadata of a sparse A.
    pub(super) selector: usize,
    pub(super) saturates: bool,
    pub(super) d: Element,
    pub(super) a: Element,
    pub(super) b: Element,
    pub(super) negates: [bool; 2],
    pub(super) majorness: [Majorness; 2],
    /// The maximum number of columns by which B can be shifted.
    pub(super) most_shift: usize,
    /// The format of scales, their number per row, and the byte indices of the first ones of A and of B.
    pub(super) scales: Option<(Narrow, usize, [usize; 2])>,
}

/// The fields of a 32-bit descriptor.
#[derive(Clone, Copy)]
struct Fields(u32);

impl Fields {
    const fn at(self, low: u32, width: u32) -> u32 {
        self.0 >> low & ((1 << width) - 1)
    }

    const fn has(self, bit: u32) -> bool {
        self.at(bit, 1) == 1
    }

    /// Checks that these bits are zero.
    fn expect_zeros(self, bits: u32) -> Result<(), TrapKind> {
        if self.0 & bits == 0 {
            return Ok(());
        }
        misuse(format!(
            "the instruction descriptor {:#010x} has bits {:#x}, expected zeros",
            self.0,
            self.0 & bits
        ))
    }

    fn wrong<T>(self, what: &str) -> Result<T, TrapKind> {
        misuse(format!("the instruction descriptor {:#010x} names no {what} of this kind", self.0))
    }
}

impl Instruction {
    pub(super) fn new<T>(bits: u32, product: &Multiplication<T>, group: Group) -> Result<Self, TrapKind> {
        let fields = Fields(bits);
        if fields.has(2) != product.metadata.is_some() {
            return misuse(format!(
                "the instruction descriptor {bits:#010x} is {}for a sparse A",
                if fields.has(2) { "" } else { "not " }
            ));
        }
        let instruction = if product.scales.is_some() {
            Self::scaled(fields, product.kind, product.vector)?
        } else {
            Self::plain(fields, product.kind)?
        };
        let instruction = match product.metadata {
            Some(_) => Self { k: instruction.k * 2, ..instruction },
            None => instruction,
        };
        instruction.check(product, group)?;
        Ok(instruction)
    }

    /// Kinds `f16`, `tf32`, `f8f6f4` and `i8` (table 42).
    fn plain(fields: Fields, kind: MultiplyKind) -> Result<Self, TrapKind> {
        fields.expect_zeros(1 << 6 | 1 << 23 | 1 << 29)?;
        let element = |low| match (kind, fields.at(low, 3)) {
            (MultiplyKind::F16, 0) => Ok(Element::F16),
            (MultiplyKind::F16, 1) => Ok(Element::Bf16),
            (MultiplyKind::Tf32, 2) => Ok(Element::Tf32),
            (MultiplyKind::F8f6f4, code) => narrow(code).map_or_else(|| fields.wrong("type"), Ok),
            (MultiplyKind::I8, 0) => Ok(Element::U8),
            (MultiplyKind::I8, 1) => Ok(Element::S8),
            _ => fields.wrong("type of A or B"),
        };
        let (a, b) = (element(7)?, element(10)?);
        let d = match (kind, fields.at(4, 2)) {
            (MultiplyKind::F16 | MultiplyKind::F8f6f4, 0) => Element::F16,
            (MultiplyKind::F16 | MultiplyKind::F8f6f4 | MultiplyKind::Tf32, 1) => Element::F32,
            (MultiplyKind::I8, 2) => Element::S32,
            _ => return fields.wrong("type of D"),
        };
        if d == Element::F16 && (a == Element::Bf16 || b == Element::Bf16) {
            return fields.wrong("type of D");
        }
        let is_integer = kind == MultiplyKind::I8;
        if is_integer {
            fields.expect_zeros(1 << 13 | 1 << 14)?;
        } else {
            fields.expect_zeros(1 << 3)?;
        }
        if !matches!(kind, MultiplyKind::F16 | MultiplyKind::Tf32) {
            fields.expect_zeros(3)?;
        }
        Ok(Self {
            m: fields.at(24, 5) as usize * 16,
            n: fields.at(17, 6) as usize * 8,
            k: 256 / a.bits() as usize,
            selector: fields.at(0, 2) as usize,
            saturates: fields.has(3),
            d,
            a,
            b,
            negates: [fields.has(13), fields.has(14)],
            majorness: [15, 16].map(|bit| majorness(fields.has(bit))),
            most_shift: [0, 8, 16, 32][fields.at(30, 2) as usize],
            scales: None,
        })
    }

    /// Kinds with block scales (tables 43 and 44).
    fn scaled(fields: Fields, kind: MultiplyKind, vector: ScaleVector) -> Result<Self, TrapKind> {
        // The metadata selector must be 0.
        fields.expect_zeros(1 << 3 | 1 << 6 | 7 << 24)?;
        let (a, b, k) = if kind == MultiplyKind::Mxf8f6f4 {
            fields.expect_zeros(1 << 31)?;
            match (narrow(fields.at(7, 3)), narrow(fields.at(10, 3))) {
                (Some(a), Some(b)) => (a, b, 32),
                _ => return fields.wrong("type of A or B"),
            }
        } else {
            fields.expect_zeros(1 << 12 | 1 << 15 | 1 << 16)?;
            if (fields.at(7, 3), fields.at(10, 2)) != (1, 1) {
                return fields.wrong("type of A or B");
            }
            (Element::E2m1, Element::E2m1, if fields.has(31) { 96 } else { 64 })
        };
        let format = if fields.has(23) { Narrow::Ue8m0 } else { Narrow::E4m3 };
        // A block size counts the stored elements of a sparse A.
        let count = match vector {
            ScaleVector::Count(count) => count,
            ScaleVector::Block(size) => k / size,
        };
        let fits = match (kind, format) {
            (MultiplyKind::Mxf8f6f4, Narrow::Ue8m0) => count == 1,
            (MultiplyKind::Mxf4, Narrow::Ue8m0) => k / 32 == count,
            (MultiplyKind::Mxf4nvf4, Narrow::Ue8m0) => k / 32 == count || k / 16 == count,
            (MultiplyKind::Mxf4nvf4, _) => k / 16 == count,
            _ => false,
        };
        if !fits {
            return fields.wrong("type of scales");
        }
        let ids = [fields.at(29, 2) as usize, fields.at(4, 2) as usize];
        let step = match count {
            1 | 3 => 1,
            2 | 6 => 2,
            _ => 4,
        };
        if ids.into_iter().any(|id| id % step != 0) {
            return misuse(format!(
                "the scales of A and B begin in bytes {} and {}, expected multiples of {step}",
                ids[0], ids[1]
            ));
        }
        Ok(Self {
            m: fields.at(27, 2) as usize * 128,
            n: fields.at(17, 6) as usize * 8,
            k,
            selector: 0,
            saturates: false,
            d: Element::F32,
            a,
            b,
            negates: [fields.has(13), fields.has(14)],
            majorness: [15, 16].map(|bit| majorness(fields.has(bit))),
            most_shift: 0,
            scales: Some((format, count, ids)),
        })
    }

    /// Checks the shape (table 39), and the rules of transposition.
    fn check<T>(&self, product: &Multiplication<T>, group: Group) -> Result<(), TrapKind> {
        let &Self { m, n, k, .. } = self;
        let (is_scaled, is_sparse) = (self.scales.is_some(), product.metadata.is_some());
        let rows: &[usize] = match (group, product.keeps_b) {
            (Group::One, true) => &[32, 64, 128],
            (Group::One, false) if is_scaled => &[128],
            (Group::One, false) => &[64, 128],
            (Group::Pair, _) if is_scaled && (is_sparse || k == 96) => &[256],
            (Group::Pair, _) => &[128, 256],
        };
        let step = match (group, product.kind) {
            (Group::One, MultiplyKind::I8) if n > 32 => 16,
            (Group::One, _) => 8,
            (Group::Pair, MultiplyKind::I8) => 32,
            (Group::Pair, _) => 16,
        };
        let columns = match product.keeps_b {
            true => n == 64 || n == 128 || n == 256 && !is_sparse,
            false => n.is_multiple_of(step) && (step.min(16)..=256).contains(&n) || n == 8 && step == 8,
        };
        if !rows.contains(&m) || !columns {
            return misuse(format!("there is no such multiplication with M = {m} and N = {n}"));
        }
        for (element, majorness) in [self.a, self.b].into_iter().zip(self.majorness) {
            let is_short = matches!(element, Element::Narrow(Narrow::E2m1 | Narrow::E2m3 | Narrow::E3m2));
            if majorness == Majorness::Mn && is_short {
                return misuse("matrices of 4-bit and 6-bit elements are not transposed");
            }
        }
        let step = if group == Group::One { 16 } else { 32 };
        if self.majorness[1] == Majorness::Mn && self.b.bits() == 8 && !n.is_multiple_of(step) {
            return misuse(format!("N of a transposed B of bytes is {n}, expected a multiple of {step}"));
        }
        if product.shifts_a && m < 128 {
            return misuse(format!("`.ashift` is for 128 or 256 rows, not for {m}"));
        }
        Ok(())
    }
}

fn majorness(is_transposed: bool) -> Majorness {
    if is_transposed { Majorness::Mn } else { Majorness::K }
}

/// The formats of at most 8 bits.
const fn narrow(code: u32) -> Option<Element> {
    Some(Element::Narrow(match code {
        0 => Narrow::E4m3,
        1 => Narrow::E5m2,
        3 => Narrow::E2m3,
        4 => Narrow::E3m2,
        5 => Narrow::E2m1,
        _ => return None,
    }))
}
