//! Matches a function, operation by operation, with the IR that a text lowers to.

use ptx_llvm_core::marks;
use ptx_llvm_core::view::{
    BinaryOp, Call, CastOp, ConstId, Constant, Function, Inst, InstId, Op, Type, Value, View,
};
use rustc_hash::FxHashMap as HashMap;

use super::decision::Narrow;
use super::pattern::{Pattern, bits_of};
use crate::types::{SharedAddresses, space_class};
use crate::value::{Fill, mask, sign_extend};

/// Operations nested deeper than this are not compared.
const MAX_DEPTH: u32 = 512;
/// Operands are also tried in reverse order down to this depth: each level doubles the work.
const MAX_COMMUTED: u32 = 6;
/// A product of this width costs more than an equivalent shift.
const SHIFTED_BITS: u32 = 64;

/// The values that parameters of a pattern may match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operands {
    /// Values.
    Values,
    /// Also constants, if an operation on one was folded, and narrower numbers, if the pattern extends a parameter.
    Any,
}

/// Compares a pattern with a function.
#[derive(Clone)]
pub(super) struct Matching<'a> {
    pattern: &'a Pattern,
    /// The function of the pattern.
    own: &'a Function,
    operands: Operands,
    view: &'a View,
    shared: SharedAddresses,
    function: &'a Function,
    /// The values that the parameters of the pattern match.
    pub(super) inputs: Vec<Option<Narrow>>,
    /// The instruction for each of the pattern.
    pub(super) pairs: HashMap<InstId, InstId>,
}

impl<'a> Matching<'a> {
    pub(super) fn new(
        pattern: &'a Pattern,
        operands: Operands,
        view: &'a View,
        function: &'a Function,
        shared: SharedAddresses,
    ) -> Self {
        let (own, inputs) = (pattern.function(), vec![None; pattern.parameters]);
        Self { pattern, own, operands, view, shared, function, inputs, pairs: HashMap::default() }
    }

    /// Whether a value of the pattern matches a value of the function.
    pub(super) fn same(&mut self, pattern: Value, value: Value, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        if let Value::Arg(at) = bits_of(&self.pattern.view, self.own, pattern) {
            return self.same_types(pattern, value) && self.bind(at, value);
        }
        match (pattern, value) {
            (Value::Const(pattern), Value::Const(value)) => self.same_constants(pattern, value, depth),
            (Value::Inst(_), Value::Const(id)) if self.operands == Operands::Any => {
                let number = self.view.constant(id).as_u64();
                self.same_types(pattern, value)
                    && number.is_some_and(|number| self.same_number(pattern, number))
            }
            (Value::Inst(pattern), Value::Inst(value)) => self.same_operations(pattern, value, depth),
            _ => false,
        }
    }

    fn same_types(&self, pattern: Value, value: Value) -> bool {
        let pattern = self.pattern.view.value_type(self.own, pattern);
        let value = self.view.value_type(self.function, value);
        match (pattern, value) {
            (Some(pattern), Some(value)) => {
                let address = match (self.pattern.view.ty(pattern), self.view.ty(value)) {
                    // An address matches the number in a register of its space.
                    (Type::Int { bits }, Type::Pointer { space }) => {
                        space_class(self.view, self.shared, *space).bits() == *bits
                    }
                    _ => false,
                };
                address || self.pattern.view.type_text(pattern) == self.view.type_text(value)
            }
            _ => false,
        }
    }

    fn bind(&mut self, at: u32, value: Value) -> bool {
        let (view, function) = (self.view, self.function);
        // A vector that is a reinterpreted number is passed as the number.
        let vector = self.view.value_type(function, value).map(|ty| self.view.ty(ty));
        let value = match vector {
            Some(Type::Vector { .. }) => bits_of(view, function, value),
            _ => value,
        };
        if let (Operands::Any, Value::Const(id)) = (self.operands, value)
            && let Some(number) = view.constant(id).as_u64()
        {
            return self.bind_as(at, Narrow::Constant(number));
        }
        if let Some(Some(Narrow::Value(known))) = self.inputs.get(at as usize) {
            return bits_of(view, function, *known) == bits_of(view, function, value);
        }
        self.bind_as(at, Narrow::Value(value))
    }

    /// A parameter of the pattern matches this, unless it already matches another value.
    fn bind_as(&mut self, at: u32, input: Narrow) -> bool {
        self.inputs.get_mut(at as usize).is_some_and(|slot| *slot.get_or_insert(input) == input)
    }

    /// Whether an operation of the pattern has a constant result from which its parameter follows: extensions and shifts of constants are
    /// folded.
    ///
    /// ```text
    /// %e = sext i32 %1 to i64
    /// %r = mul i64 %0, %e                              ; of  mul i64 %x, 24  the parameter is 24
    /// ```
    fn same_number(&mut self, pattern: Value, number: u64) -> bool {
        let own = self.own;
        let bits = |value| integer_bits(&self.pattern.view, own, value);
        let id = match pattern {
            Value::Arg(at) => return self.bind_as(at, Narrow::Constant(number)),
            Value::Inst(id) => id,
            _ => return false,
        };
        match own.inst(id).op {
            Op::Cast { op: op @ (CastOp::ZExt | CastOp::SExt), value, .. } => {
                let (Some(narrow), Some(wide)) = (bits(value), bits(pattern)) else { return false };
                let low = number & mask(narrow);
                let fits = match op {
                    CastOp::SExt => sign_extend(low, narrow) == sign_extend(number, wide),
                    _ => low == number,
                };
                fits && self.same_number(value, low)
            }
            Op::Binary { op: BinaryOp::Shl, lhs, rhs: Value::Const(by), .. } => {
                let by = self.pattern.view.constant(by).as_u64().filter(|by| *by < 64);
                by.is_some_and(|by| number & mask(by as u32) == 0 && self.same_number(lhs, number >> by))
            }
            _ => false,
        }
    }

    /// The narrower number that the function extends if the pattern extends a parameter to the same width. A zero-extended one also matches
    /// a sign extension.
    ///
    /// ```text
    /// %e = sext i32 %0 to i64                          ; %e = sext i8 %x to i64: the parameter is %x, extended to 32 bits by its sign
    /// ```
    fn same_extension(&mut self, pattern: &Op, op: &Op) -> bool {
        let (Op::Cast { op: wanted, value: Value::Arg(at), .. }, Op::Cast { op, value, nneg, .. }) =
            (pattern, op)
        else {
            return false;
        };
        let to = integer_bits(&self.pattern.view, self.own, Value::Arg(*at));
        let (Some(to), Some(from)) = (to, integer_bits(self.view, self.function, *value)) else {
            return false;
        };
        let fill = match (wanted, op) {
            (CastOp::SExt, CastOp::SExt) => Fill::Sign,
            (CastOp::ZExt, CastOp::ZExt) => Fill::Zero,
            (CastOp::SExt, CastOp::ZExt) if *nneg || from < to => Fill::Zero,
            _ => return false,
        };
        match from {
            _ if from == to => self.bind(*at, *value),
            8 | 16 if from < to => self.bind_as(*at, Narrow::Short(*value, fill)),
            _ => false,
        }
    }

    /// Whether a left shift by a constant is the product that the pattern computes.
    fn same_shift(&mut self, pattern: InstId, value: InstId, depth: u32) -> bool {
        let (
            Op::Binary { op: BinaryOp::Mul, lhs, rhs, .. },
            Op::Binary { op: BinaryOp::Shl, lhs: shifted, rhs: Value::Const(by), .. },
        ) = (&self.own.inst(pattern).op, &self.function.inst(value).op)
        else {
            return false;
        };
        let by = self.view.constant(*by).as_u64().filter(|by| *by < 64);
        let wide = integer_bits(self.view, self.function, Value::Inst(value)) == Some(SHIFTED_BITS);
        wide && self.same_types(Value::Inst(pattern), Value::Inst(value))
            && by.is_some_and(|by| self.same_number(*rhs, 1 << by))
            && self.same(*lhs, *shifted, depth + 1)
    }

    fn same_operations(&mut self, pattern: InstId, value: InstId, depth: u32) -> bool {
        if let Some(known) = self.pairs.get(&pattern) {
            return *known == value;
        }
        if let Some(steps) = self.address_sum(pattern, value) {
            return self.same_sum(pattern, value, steps, depth);
        }
        if !self.same_types(Value::Inst(pattern), Value::Inst(value)) {
            return false;
        }
        let (own, other) = (self.own.inst(pattern), self.function.inst(value));
        if self.operands == Operands::Any
            && (self.same_extension(&own.op, &other.op) || self.same_shift(pattern, value, depth))
        {
            self.pairs.insert(pattern, value);
            return true;
        }
        if !self.same_kind(own, other) {
            return false;
        }
        let mut operands = (Vec::new(), Vec::new());
        own.op.for_each_operand(&mut |operand| operands.0.push(operand));
        other.op.for_each_operand(&mut |operand| operands.1.push(operand));
        if operands.0.len() != operands.1.len() {
            return false;
        }
        let commutes = match &own.op {
            Op::Binary { op, .. } => op.commutes() && depth < MAX_COMMUTED,
            _ => false,
        };
        // The callee is an operand, too, and compared with the kind.
        let skipped = usize::from(matches!(own.op, Op::Call(_)));
        let (own, other) = (operands.0.split_off(skipped), operands.1.split_off(skipped));
        let second = if commutes {
            Some((own.clone(), other.iter().rev().copied().collect()))
        } else {
            self.bare_divisor(pattern).map(|bare| (bare.to_vec(), other.clone()))
        };
        let same = match second {
            None => self.same_all(&own, &other, depth),
            Some(second) => [(own, other), second]
                .into_iter()
                .any(|(own, other)| self.attempt(|attempt| attempt.same_all(&own, &other, depth))),
        };
        if !same {
            return false;
        }
        self.pairs.insert(pattern, value);
        true
    }

    /// Compares on a copy, which is kept if it is the same.
    pub(super) fn attempt(&mut self, same: impl FnOnce(&mut Self) -> bool) -> bool {
        let mut attempt = self.clone();
        let is_same = same(&mut attempt);
        if is_same {
            *self = attempt;
        }
        is_same
    }

    fn same_all(&mut self, own: &[Value], other: &[Value], depth: u32) -> bool {
        own.iter().zip(other).all(|(own, other)| self.same(*own, *other, depth + 1))
    }

    /// The operands of the select of a nonzero divisor, without the guard against the smallest number divided by -1 in it: passes remove that
    /// if it cannot occur, and the quotient is undefined otherwise.
    fn bare_divisor(&self, pattern: InstId) -> Option<[Value; 3]> {
        let own = self.own.inst(pattern);
        own.metadata(marks::OPEN)?;
        let Op::Select { cond, then, other: Value::Inst(guarded), .. } = own.op else { return None };
        let Op::Select { other, .. } = self.own.inst(guarded).op else { return None };
        Some([cond, then, other])
    }

    /// The terms of a sum and of the step from an address that expresses the same sum: the lowering emits sums as such steps
    /// if one of their terms is an address.
    fn address_sum(&self, pattern: InstId, value: InstId) -> Option<([Value; 2], [Value; 2])> {
        let own = self.own.inst(pattern);
        let Op::Binary { op: BinaryOp::Add, lhs, rhs, .. } = own.op else { return None };
        let Op::Gep { source, base, ref indices, .. } = self.function.inst(value).op else { return None };
        let &[index] = indices.as_slice() else { return None };
        let bytes = self.view.layout(source)?.size == 1;
        let width = self.pattern.view.ty(own.ty);
        let counted = self.view.value_type(self.function, index).is_some_and(|ty| self.view.ty(ty) == width);
        (bytes && counted).then_some(([lhs, rhs], [base, index]))
    }

    /// Whether the terms of a sum are the base and the index of a step, either way round.
    fn same_sum(
        &mut self,
        pattern: InstId,
        value: InstId,
        (own, other): ([Value; 2], [Value; 2]),
        depth: u32,
    ) -> bool {
        if !self.same_types(Value::Inst(pattern), Value::Inst(value)) {
            return false;
        }
        let [base, index] = other;
        let same = [[base, index], [index, base]]
            .into_iter()
            .any(|terms| self.attempt(|attempt| attempt.same_all(&own, &terms, depth)));
        if same {
            self.pairs.insert(pattern, value);
        }
        same
    }

    /// Whether two operations without effects are the same except for their operands. Flags such as `nsw` in the
    /// function only permit more.
    fn same_kind(&self, own: &Inst, other: &Inst) -> bool {
        match (&own.op, &other.op) {
            (Op::Binary { op, fast, .. }, Op::Binary { op: other, fast: other_fast, .. }) => {
                op == other && fast == other_fast
            }
            (Op::Cast { op, fast, .. }, Op::Cast { op: other, fast: other_fast, .. }) => {
                op == other && fast == other_fast
            }
            (Op::ICmp { predicate, .. }, Op::ICmp { predicate: other, .. }) => predicate == other,
            (Op::FCmp { predicate, fast, .. }, Op::FCmp { predicate: other, fast: other_fast, .. }) => {
                predicate == other && fast == other_fast
            }
            // Without the mark, a select that leaves a result unspecified is that of the program.
            (Op::Select { fast, .. }, Op::Select { fast: other_fast, .. }) => {
                let is_open = own.metadata(marks::OPEN).is_some();
                fast == other_fast && (!is_open || other.metadata(marks::OPEN).is_some())
            }
            (Op::FNeg { fast, .. }, Op::FNeg { fast: other, .. }) => fast == other,
            (Op::ExtractElement { .. }, Op::ExtractElement { .. })
            | (Op::InsertElement { .. }, Op::InsertElement { .. })
            | (Op::Freeze { .. }, Op::Freeze { .. }) => true,
            (Op::ShuffleVector { mask, .. }, Op::ShuffleVector { mask: other, .. }) => mask == other,
            (Op::ExtractValue { indices, .. }, Op::ExtractValue { indices: other, .. })
            | (Op::InsertValue { indices, .. }, Op::InsertValue { indices: other, .. }) => indices == other,
            (Op::Call(call), Op::Call(other)) => {
                let own = pure_intrinsic(&self.pattern.view, call);
                own.is_some()
                    && own == pure_intrinsic(self.view, other)
                    && call.fast == other.fast
                    && call.bundles.is_empty()
                    && other.bundles.is_empty()
            }
            _ => false,
        }
    }

    fn same_constants(&self, pattern: ConstId, value: ConstId, depth: u32) -> bool {
        let (own, view) = (&self.pattern.view, self.view);
        if depth > MAX_DEPTH
            || own.type_text(own.constant_type(pattern)) != view.type_text(view.constant_type(value))
        {
            return false;
        }
        match (own.constant(pattern), view.constant(value)) {
            (Constant::Aggregate(parts), Constant::Aggregate(others)) => {
                parts.len() == others.len()
                    && parts
                        .iter()
                        .zip(others)
                        .all(|(part, other)| self.same_constants(*part, *other, depth + 1))
            }
            (
                own @ (Constant::Int(_)
                | Constant::Float(_)
                | Constant::Null
                | Constant::Zero
                | Constant::Undef
                | Constant::Poison
                | Constant::Data(_)),
                other,
            ) => own == other,
            _ => false,
        }
    }
}

/// The width of an integer of at most 64 bits.
fn integer_bits(view: &View, function: &Function, value: Value) -> Option<u32> {
    match view.ty(view.value_type(function, value)?) {
        Type::Int { bits } => Some(*bits).filter(|bits| *bits <= 64),
        _ => None,
    }
}

/// The name of the intrinsic that is called, when it is a function of its operands alone.
fn pure_intrinsic<'v>(view: &'v View, call: &Call) -> Option<&'v str> {
    let function = view.called(call)?;
    let pure = function.intrinsic && function.attributes.number("memory") == Some(0);
    (pure && !function.attributes.has("convergent")).then_some(function.name.as_str())
}
