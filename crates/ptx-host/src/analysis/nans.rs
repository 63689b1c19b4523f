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
//!
//! That requires that all values of the row are results, as the NaN of a loaded value keeps its bits. A row that also has loaded values, as of a sum that
//! begins with one, may have any NaN if its bits are never observed:
//!
//! ```text
//! ld %f1, [%rd1]
//! @%p1 add %f1, %f1, %f2       ; the processor's NaN
//! add %f3, %f1, %f4            ; the only use
//! ```

use ptx_program::scalar::float::SignRule;
use ptx_program::scalar::format::Format;
use ptx_program::{
    Alu, Binary, CollectiveKind, Effect, Element, Numbers, Op, Packing, Program, Src, Ternary, Unary,
};

use super::Graph;
use super::by_row::ByRow;

/// The rows that only ever have results in single precision and constants that are not NaNs, and those whose NaNs are not told apart.
#[derive(Clone, Debug)]
pub struct Nans {
    /// Rows of which every NaN stands for the canonical one.
    numbers: ByRow<bool>,
    /// Rows that have results of operations in single precision, among others, and that only such operations read.
    unobserved: ByRow<bool>,
}

impl Nans {
    /// Computes the rows of a kernel. Time is linear in the size of the program.
    pub fn new(program: &Program, graph: &Graph) -> Self {
        Self { numbers: numbers(program, graph), unobserved: unobserved(program, graph) }
    }

    /// Whether a NaN of an operand may have any payload.
    pub fn are_any(&self, src: Src) -> bool {
        src.as_register().is_some_and(|row| self.has_any(row))
    }

    /// Whether a NaN of a row may have any payload: it stands for 0x7fffffff, or nothing depends on it.
    pub fn has_any(&self, row: u32) -> bool {
        *self.numbers.get(row) || *self.unobserved.get(row)
    }
}

/// A set of rows: some, and all that follow from them.
struct Closure {
    members: ByRow<bool>,
    follows: ByRow<Vec<u32>>,
    pending: Vec<u32>,
}

impl Closure {
    fn new(count: u32) -> Self {
        let follows = ByRow::new(count, Vec::new(), |_| Vec::new());
        Self { members: ByRow::new(count, true, |_| false), follows, pending: Vec::new() }
    }

    fn insert(&mut self, row: u32) {
        if let Some(is_member) = self.members.get_mut(row)
            && !*is_member
        {
            *is_member = true;
            self.pending.push(row);
        }
    }

    /// `to` is a member if `from` is.
    fn follow(&mut self, from: u32, to: u32) {
        if let Some(follows) = self.follows.get_mut(from) {
            follows.push(to);
        }
    }

    fn closed(mut self) -> ByRow<bool> {
        while let Some(row) = self.pending.pop() {
            for next in self.follows.get(row).clone() {
                self.insert(next);
            }
        }
        self.members
    }
}

/// The rows that only ever have results in single precision and constants that are not NaNs. A sum in a loop qualifies if its initial value does.
fn numbers(program: &Program, graph: &Graph) -> ByRow<bool> {
    let count = program.kernel().rows;
    let mut others = Closure::new(count);
    for (_, inst, access) in graph.blocks().iter().flat_map(|block| graph.code(program, block)) {
        for &row in &access.writes {
            match source(&inst.op, row) {
                Source::Result => {}
                Source::Copies(srcs) => {
                    for src in srcs {
                        match src.as_register() {
                            Some(from) => others.follow(from, row),
                            None if is_number(program, src) => {}
                            None => others.insert(row),
                        }
                    }
                }
                Source::Other => others.insert(row),
            }
        }
    }
    let others = others.closed();
    ByRow::new(count, false, |row| !*others.get(row))
}

/// The rows with results in single precision whose NaNs make no difference to anything but other such rows.
fn unobserved(program: &Program, graph: &Graph) -> ByRow<bool> {
    let count = program.kernel().rows;
    let (mut observed, mut results) = (Closure::new(count), Closure::new(count));
    for (_, inst, access) in graph.blocks().iter().flat_map(|block| graph.code(program, block)) {
        if let Some(guard) = inst.guard {
            observed.insert(guard.row);
        }
        for (index, src) in access.reads.iter().enumerate() {
            let Some(row) = src.as_register() else { continue };
            match observer(&inst.op, index) {
                Observer::Nothing => {}
                Observer::Rows(rows) => rows.into_iter().for_each(|dst| observed.follow(dst, row)),
                Observer::Everything => observed.insert(row),
            }
        }
        for &row in &access.writes {
            match (source(&inst.op, row), &inst.op) {
                (Source::Result, _) => results.insert(row),
                (Source::Copies(srcs), _) => {
                    let from = srcs.into_iter().filter_map(Src::as_register);
                    from.for_each(|from| results.follow(from, row));
                }
                // It may have two halves in the row, each with a NaN of its own.
                (Source::Other, Op::Alu(_)) => observed.insert(row),
                (Source::Other, Op::Effect(_)) => {}
            }
        }
    }
    let (observed, results) = (observed.closed(), results.closed());
    ByRow::new(count, false, |row| *results.get(row) && !*observed.get(row))
}

/// Where the values come from that an instruction writes to a row.
enum Source {
    /// A result in single precision, whose only NaN is 0x7fffffff.
    Result,
    /// One of these operands.
    Copies(Vec<Src>),
    /// Anything else.
    Other,
}

fn source(op: &Op, row: u32) -> Source {
    match op {
        Op::Alu(Alu::Ternary { op: Ternary::Select, packing: Packing::Whole, a, b, .. }) => {
            Source::Copies(vec![*a, *b])
        }
        Op::Alu(alu) if is_single(alu) => Source::Result,
        Op::Alu(_) => Source::Other,
        Op::Effect(Effect::Copy(pairs)) => {
            Source::Copies(pairs.iter().filter(|(dst, _)| *dst == row).map(|(_, src)| *src).collect())
        }
        Op::Effect(Effect::Collective(collective)) => match (collective.kind, &*collective.srcs) {
            // The first of the two results is the value of a lane.
            (CollectiveKind::Shuffle(_), [value, ..])
                if collective.dsts.first() == Some(&row) && collective.dsts.get(1) != Some(&row) =>
            {
                Source::Copies(vec![*value])
            }
            (CollectiveKind::Multiply(product), _) if product.d == Element::F32 => Source::Result,
            _ => Source::Other,
        },
        Op::Effect(_) => Source::Other,
    }
}

/// What depends on the payload of a NaN that an instruction reads.
enum Observer {
    Nothing,
    /// The payload of NaNs in these rows.
    Rows(Vec<u32>),
    Everything,
}

/// What depends on the payload of a NaN in the source with this index in [`Access::reads`](super::Access).
fn observer(op: &Op, index: usize) -> Observer {
    match op {
        Op::Alu(alu) if takes_any(alu, index, false) => Observer::Nothing,
        Op::Alu(alu) if takes_any(alu, index, true) => Observer::Rows(super::Access::of(op).writes),
        Op::Effect(Effect::Copy(pairs)) => {
            Observer::Rows(pairs.get(index).map(|(dst, _)| *dst).into_iter().collect())
        }
        Op::Effect(Effect::Collective(collective)) => match collective.kind {
            CollectiveKind::Shuffle(_) if index == 0 => {
                Observer::Rows(collective.dsts.first().copied().into_iter().collect())
            }
            // A sum with a NaN is one, whatever its payload.
            CollectiveKind::Multiply(product) if product.c == Element::F32 => {
                let [a, b, c, _] = product.registers().map(|count| count as usize);
                if (a + b..a + b + c).contains(&index) { Observer::Nothing } else { Observer::Everything }
            }
            _ => Observer::Everything,
        },
        _ => Observer::Everything,
    }
}

/// Whether a constant is a number in single precision.
fn is_number(program: &Program, src: Src) -> bool {
    // An address may have the bits of any number.
    let fixed = src.as_constant().and_then(|constant| program.constants.fixed(constant));
    fixed.is_some_and(|value| value <= u64::from(u32::MAX) && !f32::from_bits(value as u32).is_nan())
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
