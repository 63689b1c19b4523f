//! Whether a function reads the upper halves of addresses in shared memory.
//!
//! Shared memory has less than 2^32 bytes, and compilers for CUDA compute its addresses in 32 bits. LLVM's have 64 (unless the data
//! layout specifies another width), and a program can read them all:
//!
//! ```text
//! %p = getelementptr i8, ptr addrspace(3) @s, i64 %n
//! %i = ptrtoint ptr addrspace(3) %p to i64              ; the upper half is that of the sum
//! store i64 %i, ptr addrspace(1) %out
//! ```
//!
//! So a function whose results depend on the upper half of an address in which it may differ from zero holds these addresses in 64 bits.
//! Accesses do not read it: machine code has 32-bit addresses there. Neither does `cvta`, whose result
//! for an address outside of the window the manual leaves open (9.7.9.20).

use ptx_llvm_core::address_space::SHARED;
use ptx_llvm_core::view::{
    BinaryOp, Call, CastOp, ConstExpr, ConstId, Constant, Function, Inst, InstId, Op, Symbol, Type, TypeId,
    Value, View,
};

use crate::per_inst::Users;

/// The maximum number of instructions that a number is followed to a truncation of its upper half.
const MOST_STEPS: u32 = 8;
/// Constants up to this, added to the address of a variable, leave the upper half zero.
const MOST_OFFSET: u64 = 1 << 31;
/// The maximum depth of constants and types that is examined.
const MOST_DEPTH: u32 = 16;

/// Whether results of a function may depend on the upper half of an address in shared memory.
pub(crate) fn are_read(view: &View, function: &Function) -> bool {
    let mut reader = Reader { view, function, users: Users::default(), zero: Vec::new() };
    let is_about_shared = |inst: &Inst| {
        inst.op.any_operand(|value| reader.has_shared(value)) || reader.holds_shared(inst.ty, MOST_DEPTH)
    };
    if !function.insts.iter().any(is_about_shared) {
        return false;
    }
    reader.find_users();
    reader.find_zero();
    (0..function.insts.len()).any(|at| reader.reads(InstId::new(at)))
}

struct Reader<'v> {
    view: &'v View,
    function: &'v Function,
    users: Users,
    /// By instruction: whether the upper half of the shared address that it computes is zero.
    zero: Vec<bool>,
}

impl Reader<'_> {
    fn find_users(&mut self) {
        let mut uses = Vec::new();
        for (at, inst) in self.function.insts.iter().enumerate() {
            inst.op.for_each_operand(&mut |value| {
                if let Value::Inst(used) = value {
                    uses.push((used.index(), InstId::new(at)));
                }
            });
        }
        self.users = Users::new(self.function.insts.len(), uses.into_iter());
    }

    /// Iterates from all zero until nothing changes: addresses in a loop depend on their initial value and on the increments.
    fn find_zero(&mut self) {
        self.zero = vec![true; self.function.insts.len()];
        let mut work: Vec<usize> = (0..self.zero.len()).rev().collect();
        while let Some(at) = work.pop() {
            if self.zero[at] && !self.makes_zero(InstId::new(at)) {
                self.zero[at] = false;
                work.extend(self.users.of(at).iter().map(|user| user.index()));
            }
        }
    }

    /// Whether a type is an address in shared memory or has one in it.
    fn holds_shared(&self, ty: TypeId, depth: u32) -> bool {
        match self.view.ty(ty) {
            Type::Pointer { space } => *space == SHARED,
            Type::Vector { element, .. } | Type::Array { element, .. } => {
                depth == 0 || self.holds_shared(*element, depth - 1)
            }
            Type::Struct { fields } => {
                depth == 0 || fields.iter().any(|field| self.holds_shared(*field, depth - 1))
            }
            _ => false,
        }
    }

    fn is_shared(&self, value: Value) -> bool {
        let ty = self.view.value_type(self.function, value);
        ty.is_some_and(|ty| matches!(self.view.ty(ty), Type::Pointer { space: SHARED }))
    }

    /// Whether a value is an address in shared memory, contains one, or is a number computed from one.
    fn has_shared(&self, value: Value) -> bool {
        let ty = self.view.value_type(self.function, value);
        ty.is_some_and(|ty| self.holds_shared(ty, MOST_DEPTH))
            || matches!(value, Value::Const(id) if self.number_reads(id, MOST_DEPTH))
    }

    /// Whether the upper half of an address in shared memory is zero, or the value has no such address.
    fn is_zero(&self, value: Value) -> bool {
        match value {
            Value::Inst(id) => {
                let is_known = self.is_shared(value) && self.zero.get(id.index()) == Some(&true);
                is_known || !self.has_shared(value)
            }
            Value::Const(id) => self.is_zero_constant(id, MOST_DEPTH) || !self.has_shared(value),
            Value::Arg(_) => !self.has_shared(value),
            Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => true,
        }
    }

    fn is_zero_constant(&self, id: ConstId, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        match self.view.constant(id) {
            Constant::Symbol(_) | Constant::Null | Constant::Zero | Constant::Undef | Constant::Poison => {
                true
            }
            Constant::Expr(ConstExpr::Gep { source, base, indices }) => {
                let indices = indices.iter().map(|index| self.view.constant(*index).as_u64());
                matches!(self.view.constant(*base), Constant::Symbol(_)) && self.is_near(*source, indices)
            }
            Constant::Expr(ConstExpr::Cast { op: CastOp::IntToPtr, value }) => {
                self.view.constant(*value).as_u64().is_some_and(|bits| u32::try_from(bits).is_ok())
            }
            Constant::Expr(ConstExpr::Cast { op: CastOp::AddrSpaceCast, .. }) => true,
            Constant::Aggregate(parts) => parts.iter().all(|part| self.is_zero_constant(*part, depth - 1)),
            _ => false,
        }
    }

    /// Whether constant indices into a type are less than [`MOST_OFFSET`] bytes, and not negative.
    fn is_near(&self, source: TypeId, mut indices: impl Iterator<Item = Option<u64>>) -> bool {
        // Indices after the first stay in the type.
        let size = self.view.layout(source).map(|layout| layout.size);
        let first = indices.next().flatten();
        let Some((size, count)) = size.zip(first.and_then(|first| first.checked_add(1))) else {
            return false;
        };
        let is_inside = |index: Option<u64>| index.is_some_and(|index| index <= size);
        size.checked_mul(count).is_some_and(|bytes| bytes <= MOST_OFFSET) && indices.all(is_inside)
    }

    /// Whether the upper half of an instruction's result is zero, given the current state of its operands.
    fn makes_zero(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        match &inst.op {
            Op::Phi { incoming } => incoming.iter().all(|(value, _)| self.is_zero(*value)),
            Op::Select { then, other, .. } => self.is_zero(*then) && self.is_zero(*other),
            Op::Freeze { value } => self.is_zero(*value),
            // A result outside of the object is poison.
            Op::Gep { base, inbounds: true, .. } => self.is_zero(*base),
            Op::Gep { source, base: Value::Const(base), indices, .. } => {
                let indices = indices.iter().map(|index| self.number(*index));
                matches!(self.view.constant(*base), Constant::Symbol(Symbol::Global(_)))
                    && self.is_near(*source, indices)
            }
            Op::Cast { op: CastOp::AddrSpaceCast, .. } => true,
            Op::Cast { op: CastOp::IntToPtr, value, .. } => self.is_short(*value),
            _ => false,
        }
    }

    /// The number that a value is at compile time.
    fn number(&self, value: Value) -> Option<u64> {
        if let Value::Const(id) = value { self.view.constant(id).as_u64() } else { None }
    }

    fn is_short_number(&self, value: Value) -> bool {
        self.number(value).is_some_and(|number| u32::try_from(number).is_ok())
    }

    /// Whether a number is less than 2^32.
    fn is_short(&self, value: Value) -> bool {
        let bits = |value: Value| match self.view.value_type(self.function, value).map(|ty| self.view.ty(ty))
        {
            Some(Type::Int { bits }) => *bits,
            _ => u32::MAX,
        };
        if bits(value) <= 32 || self.is_short_number(value) {
            return true;
        }
        let Value::Inst(id) = value else { return false };
        match &self.function.inst(id).op {
            Op::Cast { op: CastOp::ZExt, value, .. } => bits(*value) <= 32,
            Op::Cast { op: CastOp::PtrToInt | CastOp::PtrToAddr, value, .. } => {
                self.is_shared(*value) && self.is_zero(*value)
            }
            Op::Binary { op: BinaryOp::And, lhs, rhs, .. } => {
                self.is_short_number(*lhs) || self.is_short_number(*rhs)
            }
            _ => false,
        }
    }

    /// Whether an instruction reads the upper half of an address that may have one.
    fn reads(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        let may_have = |value: &Value| !self.is_zero(*value);
        match &inst.op {
            Op::Cast { op: CastOp::PtrToInt | CastOp::PtrToAddr, value, .. } => {
                may_have(value) && !self.is_shortened(id, MOST_STEPS)
            }
            // Only the address is read, or the result is looked at instead, except for numbers computed from addresses.
            Op::Load { .. }
            | Op::Cast { .. }
            | Op::Gep { .. }
            | Op::Freeze { .. }
            | Op::Phi { .. }
            | Op::Select { .. } => {
                let is_number =
                    |value| matches!(value, Value::Const(id) if self.number_reads(id, MOST_DEPTH));
                inst.op.any_operand(is_number)
            }
            Op::Store { value, .. } | Op::AtomicRmw { value, .. } => may_have(value),
            Op::CmpXchg { expected, new, .. } => may_have(expected) || may_have(new),
            Op::Call(call) | Op::Invoke { call, .. } => self.call_reads(call),
            other => other.any_operand(|value| may_have(&value)),
        }
    }

    /// Intrinsics read addresses that they access or pass on.
    fn call_reads(&self, call: &Call) -> bool {
        let is_intrinsic = self.view.called(call).is_some_and(|callee| callee.intrinsic);
        call.args.iter().any(|value| !(is_intrinsic && self.is_shared(*value) || self.is_zero(*value)))
    }

    /// Whether a constant number is computed from an address that has an upper half.
    fn number_reads(&self, id: ConstId, depth: u32) -> bool {
        if depth == 0 {
            return true;
        }
        match self.view.constant(id) {
            Constant::Expr(ConstExpr::Cast { op: CastOp::PtrToInt | CastOp::PtrToAddr, value }) => {
                let is_shared =
                    matches!(self.view.ty(self.view.constant_type(*value)), Type::Pointer { space: SHARED });
                is_shared && !self.is_zero_constant(*value, depth - 1) && self.has_upper(id)
            }
            other => other.parts().any(|part| self.number_reads(part, depth - 1)),
        }
    }

    fn has_upper(&self, id: ConstId) -> bool {
        !matches!(self.view.ty(self.view.constant_type(id)), Type::Int { bits } if *bits <= 32)
    }

    /// Whether an instruction's result is a 32-bit number, or all values computed from it depend only on its low half.
    fn is_shortened(&self, id: InstId, steps: u32) -> bool {
        if matches!(self.view.ty(self.function.inst(id).ty), Type::Int { bits } if *bits <= 32) {
            return true;
        }
        let Some(steps) = steps.checked_sub(1) else { return false };
        let users = self.users.of(id.index());
        users.iter().all(|&user| match &self.function.inst(user).op {
            Op::Cast { op: CastOp::Trunc, .. } => self.is_shortened(user, steps),
            Op::Cast { op: CastOp::IntToPtr, .. } => {
                matches!(self.view.ty(self.function.inst(user).ty), Type::Pointer { space: SHARED })
            }
            Op::Binary { op: BinaryOp::And, lhs, rhs, .. } => {
                self.is_short_number(*lhs) || self.is_short_number(*rhs) || self.is_shortened(user, steps)
            }
            Op::Binary { op: BinaryOp::Shl, lhs, rhs, .. } => {
                *lhs == Value::Inst(id) && *rhs != Value::Inst(id) && self.is_shortened(user, steps)
            }
            Op::Binary {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Or | BinaryOp::Xor,
                ..
            }
            | Op::Freeze { .. } => self.is_shortened(user, steps),
            _ => false,
        })
    }
}
