//! Rows whose NaNs may have any payload.
//!
//! PTX has one NaN for results in single precision, 0x7fffffff; processors propagate the payload of an operand. Canonicalizing after each
//! operation costs a comparison and a selection. Floating-point operations give the same result for all NaNs, so it is enough to canonicalize
//! where the bits are observed: by a store or a bitwise operation. Shuffles pass values on unchanged.
//!
//! ```text
//! %f3 = fma %f1, %f2, %f3      ; in a loop: the processor's NaN
//! st [%rd1], %f3               ; fcmp uno, select 0x7fffffff
//! ```

use ptx_program::scalar::float::SignRule;
use ptx_program::scalar::format::Format;
use ptx_program::{
    Alu, Binary, CollectiveKind, Effect, Element, Numbers, Op, Packing, Program, Src, Ternary, Unary,
};

use super::Graph;
use super::by_row::ByRow;

/// The rows that only ever have results in single precision and constants that are not NaNs.
#[derive(Clone, Debug)]
pub struct Nans {
    rows: ByRow<bool>,
}

impl Nans {
    /// Computes the rows of a kernel.
    pub fn new(program: &Program, graph: &Graph) -> Self {
        let count = program.kernel().rows;
        // The greatest fixed point: a sum in a loop qualifies if its initial value does. Each round removes at least one row.
        let mut nans = Self { rows: ByRow::new(count, false, |_| true) };
        while nans.narrow(program, graph) {}
        nans
    }

    /// Whether a NaN of an operand may have any payload, and stands for 0x7fffffff.
    pub fn are_any(&self, src: Src) -> bool {
        src.as_register().is_some_and(|row| self.has_any(row))
    }

    /// Whether a NaN of a row may have any payload, and stands for 0x7fffffff.
    pub fn has_any(&self, row: u32) -> bool {
        *self.rows.get(row)
    }

    fn narrow(&mut self, program: &Program, graph: &Graph) -> bool {
        let mut changed = false;
        for (_, inst, access) in graph.blocks().iter().flat_map(|block| graph.code(program, block)) {
            for &row in &access.writes {
                let keeps = self.writes_number(program, &inst.op, row);
                if let Some(any) = self.rows.get_mut(row) {
                    changed |= *any && !keeps;
                    *any &= keeps;
                }
            }
        }
        changed
    }

    /// Whether an instruction writes a number in single precision whose only NaN is 0x7fffffff.
    fn writes_number(&self, program: &Program, op: &Op, row: u32) -> bool {
        match op {
            Op::Alu(alu) => match alu {
                Alu::Ternary { op: Ternary::Select, packing: Packing::Whole, a, b, .. } => {
                    self.is_number(program, *a) && self.is_number(program, *b)
                }
                alu => is_single(alu),
            },
            Op::Effect(Effect::Copy(pairs)) => {
                pairs.iter().filter(|(dst, _)| *dst == row).all(|(_, src)| self.is_number(program, *src))
            }
            Op::Effect(Effect::Collective(collective)) => match (collective.kind, &*collective.srcs) {
                // The first of the two results is the value of a lane.
                (CollectiveKind::Shuffle(_), [value, ..]) => {
                    collective.dsts.first() == Some(&row)
                        && collective.dsts.get(1) != Some(&row)
                        && self.is_number(program, *value)
                }
                (CollectiveKind::Multiply(product), _) => product.d == Element::F32,
                _ => false,
            },
            Op::Effect(_) => false,
        }
    }

    fn is_number(&self, program: &Program, src: Src) -> bool {
        match src.as_constant().map(|constant| program.constants.fixed(constant)) {
            Some(Some(value)) => value <= u64::from(u32::MAX) && !f32::from_bits(value as u32).is_nan(),
            // An address may have the bits of any number.
            Some(None) => false,
            None => self.are_any(src),
        }
    }
}

/// Whether the results of an operation are numbers in single precision.
fn is_single(alu: &Alu) -> bool {
    match *alu {
        Alu::Unary { op, packing: Packing::Whole, .. } => match op {
            Unary::Function(_, arith) => arith.format == Format::F32,
            Unary::IntToFloat { to, .. } => to.format == Format::F32,
            _ => false,
        },
        Alu::Binary { op: Binary::Float(_, arith), packing: Packing::Whole, .. }
        | Alu::Ternary { op: Ternary::Fma(arith), packing: Packing::Whole, .. } => {
            arith.format == Format::F32
        }
        _ => false,
    }
}

/// Whether an operation gives the same result for all single-precision NaNs in the operand, or is a selection whose result may have any
/// payload itself.
pub(crate) fn takes_any(alu: &Alu, index: usize, gives_any: bool) -> bool {
    match *alu {
        Alu::Unary { op, packing: Packing::Whole, .. } => match op {
            Unary::Function(_, arith) => arith.format == Format::F32,
            Unary::FloatToInt { from, .. } => from == Format::F32,
            // A conversion to binary64 keeps the payload.
            Unary::FloatToFloat { to, from, low } => {
                from == Format::F32 && to.format != Format::F64 && low == u64::from(u32::MAX)
            }
            _ => false,
        },
        Alu::Binary { op, packing: Packing::Whole, .. } => match op {
            Binary::Float(_, arith) => arith.format == Format::F32,
            Binary::Compare(comparison) => comparison.numbers == Numbers::Float(Format::F32),
            Binary::Extreme(extreme) => extreme.format == Format::F32 && extreme.sign == SignRule::Plain,
            Binary::FloatPair(to, from) => from == Format::F32 && to.format != Format::F64,
            _ => false,
        },
        Alu::Ternary { op, packing: Packing::Whole, .. } => match op {
            Ternary::Fma(arith) => arith.format == Format::F32,
            Ternary::Select => index < 2 && gives_any,
            _ => false,
        },
        _ => false,
    }
}
