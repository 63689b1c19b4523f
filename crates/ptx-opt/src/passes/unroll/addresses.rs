//! Addresses that move by a multiple of the step in each round.

use ptx_llvm_core::edit::{Editor, Inst, Opcode, Value, WrapFlags};

use super::counted::{Counted, Step};

/// How many operations an address is made by.
const DEEPEST: u32 = 8;
/// The most bytes from one round to the next for a step of one.
const MOST_BYTES: i64 = 1 << 20;

/// A `getelementptr` of an address that moves by `bytes` times the step, by which every round accesses memory.
pub(super) struct Address<'e> {
    pub(super) inst: Inst<'e>,
    pub(super) bytes: i64,
    /// The operations of the loop that make it of the counter, in their order, itself the last.
    pub(super) chain: Vec<Inst<'e>>,
    /// Whether it takes more than a base and a product.
    pub(super) is_sum: bool,
}

/// The addresses of a loop. With a counter of 64 bits and a step that varies, computing one from another takes as much as computing it anew: then there are none.
pub(super) fn addresses<'e>(editor: &Editor<'e>, counted: &Counted<'e>) -> Vec<Address<'e>> {
    if counted.bits == 64 && matches!(counted.step, Step::Value(_)) {
        return Vec::new();
    }
    let moving = Moving { editor, counted };
    let always = counted.blocks.iter().filter(|block| counted.always_executes(**block));
    always.flat_map(|block| block.instructions()).filter_map(|inst| moving.address(inst)).collect()
}

struct Moving<'a, 'e> {
    editor: &'a Editor<'e>,
    counted: &'a Counted<'e>,
}

impl<'e> Moving<'_, 'e> {
    fn address(&self, inst: Inst<'e>) -> Option<Address<'e>> {
        inst.ty().pointer_space().filter(|_| inst.opcode() == Opcode::GetElementPtr)?;
        let base = inst.operand(0)?;
        if !self.counted.is_invariant(base) || !self.is_accessed(inst) {
            return None;
        }
        let bytes =
            self.wide(inst.value(), DEEPEST).filter(|bytes| *bytes != 0 && bytes.abs() <= MOST_BYTES)?;
        if bytes < 0 && matches!(self.counted.step, Step::Value(_)) {
            return None;
        }
        let mut chain = Vec::new();
        self.collect(inst, &mut chain);
        let is_sum = |inst: &Inst<'e>| matches!(inst.opcode(), Opcode::Add | Opcode::Sub | Opcode::Or);
        let is_sum = chain.iter().any(is_sum);
        Some(Address { inst, bytes, chain, is_sum })
    }

    /// Whether each round that comes to the address accesses memory there, so that it is not poison.
    fn is_accessed(&self, address: Inst<'e>) -> bool {
        let is_access = |user: Inst<'e>, of: Inst<'e>| {
            user.block() == address.block() && user.access().is_some_and(|(place, _)| place == of.value())
        };
        address.users().any(|user| {
            let is_near = user.opcode() == Opcode::GetElementPtr
                && user.operands().skip(1).all(|index| index.is_constant_integer());
            is_access(user, address) || is_near && user.users().any(|access| is_access(access, user))
        })
    }

    /// By how much a number of 64 bits or an address grows modulo 2^64 when the counter grows by one.
    fn wide(&self, value: Value<'e>, depth: u32) -> Option<i64> {
        if self.counted.is_invariant(value) {
            return Some(0);
        }
        let inst = value.as_inst().filter(|_| depth > 0)?;
        if inst == self.counted.counter {
            return Some(1);
        }
        let part = |at| self.wide(inst.operand(at)?, depth - 1);
        match inst.opcode() {
            Opcode::Add => part(0)?.checked_add(part(1)?),
            Opcode::Or if inst.is_disjoint() => part(0)?.checked_add(part(1)?),
            Opcode::Sub => part(0)?.checked_sub(part(1)?),
            Opcode::Mul | Opcode::Shl => part(0)?.checked_mul(factor(inst)?),
            Opcode::SExt => self.narrow(inst.operand(0)?, true, depth - 1),
            Opcode::ZExt => self.narrow(inst.operand(0)?, inst.is_not_negative(), depth - 1),
            Opcode::GetElementPtr => {
                let [base, index] = inst.two_operands()?;
                let size = i64::try_from(self.editor.layout().abi_size(value.gep_source()?)?).ok()?;
                let index = match index.ty().integer_bits() {
                    Some(64) => self.wide(index, depth - 1)?,
                    Some(32) => self.narrow(index, true, depth - 1)?,
                    _ => return None,
                };
                (inst.value().operand_count() == 2)
                    .then(|| self.wide(base, depth - 1)?.checked_add(index.checked_mul(size)?))?
            }
            _ => None,
        }
    }

    /// The same of a number of 32 bits, as a number with a sign or without one: nothing of it wraps in the rounds of the unrolled loop.
    fn narrow(&self, value: Value<'e>, is_signed: bool, depth: u32) -> Option<i64> {
        if self.counted.is_invariant(value) {
            return Some(0);
        }
        let inst = value.as_inst().filter(|_| depth > 0 && value.ty().integer_bits() == Some(32))?;
        if inst == self.counted.counter {
            return self.counted.keeps(is_signed).then_some(1);
        }
        let WrapFlags { nuw, nsw } = inst.wrap_flags();
        let part = |at| self.narrow(inst.operand(at)?, is_signed, depth - 1);
        match inst.opcode() {
            Opcode::Or if inst.is_disjoint() => part(0)?.checked_add(part(1)?),
            _ if !(if is_signed { nsw } else { nuw }) => None,
            Opcode::Add => part(0)?.checked_add(part(1)?),
            Opcode::Sub => part(0)?.checked_sub(part(1)?),
            Opcode::Mul | Opcode::Shl => part(0)?.checked_mul(factor(inst)?),
            _ => None,
        }
    }

    /// The operations of the loop that an address is made by.
    fn collect(&self, inst: Inst<'e>, chain: &mut Vec<Inst<'e>>) {
        for operand in inst.operands().filter_map(Value::as_inst) {
            let is_known = operand == self.counted.counter || chain.contains(&operand);
            if !is_known && !self.counted.is_invariant(operand.value()) {
                self.collect(operand, chain);
            }
        }
        chain.push(inst);
    }
}

/// The constant that a product or a shift multiplies by.
fn factor(inst: Inst<'_>) -> Option<i64> {
    let by = inst.operand(1)?;
    match inst.opcode() {
        Opcode::Shl => by.as_unsigned().filter(|bits| *bits < 31).map(|bits| 1 << bits),
        _ => by.as_signed(),
    }
}
