//! Pairs of 16-bit integers that PTX computes with as one 32-bit register: `add`, `min` and `max` of `.u16x2` and `.s16x2`
//! (manual 9.7.1.1, 9.7.1.11, 9.7.1.12).
//!
//! A vector of two `i16` has a register for each element. Where a number of 32 bits is seen as such a vector, computed with and
//! seen as a number again, taking it apart would cost more than the computation, so that such values stay whole, and are
//! taken apart after it only where something asks for the elements. A minimum or maximum of loaded vectors, where one
//! instruction saves one, has them loaded as numbers of 32 bits.

use ptx_ir::{Operand, RegId};
use ptx_isa::Since;
use ptx_llvm::view::{AtomicOrder, BinaryOp, CastOp, InstId, Op, Type, TypeId, Value};

use super::FunctionRaiser;
use super::emit::Arg;
use crate::error::{INSTRUCTION, Raised, Refusal};
use crate::types::{Class, Scalar};
use crate::value::{Val, mask};

/// Arithmetic on pairs of integers.
const PAIRS: Since = Since::new(8, 0, 90);

/// What is known about a pair of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// The instruction that computes it.
    text: &'static str,
    /// The operands.
    args: [Value; 2],
    /// Whether something needs the elements one by one.
    apart: bool,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Finds the pairs that stay whole; `order` has definitions before their uses.
    pub(super) fn find_pairs(&mut self, order: &[ptx_llvm::view::BlockId]) {
        if !self.module.target.has(PAIRS) {
            return;
        }
        let mut found = Vec::new();
        for block in order {
            for id in self.function.block(*block).inst_ids() {
                if self.stays_whole(id) {
                    found.push(id);
                }
            }
        }
        for &id in &found {
            let users = self.users.get(id.index()).unwrap_or_default();
            let apart = !users.iter().all(|user| self.takes_whole(id, *user));
            if let Some(pair) = self.pairs.get_mut(&id) {
                pair.apart = apart;
            }
        }
        self.drop_views(&found);
        self.drop_words();
    }

    /// Notes a pair whose operands are whole, or can be loaded so, constants aside.
    fn stays_whole(&mut self, id: InstId) -> bool {
        if self.fused.contains(&id) || self.spelled.contains(&id) || !self.is_short_pair(self.type_of(id)) {
            return false;
        }
        let Some((text, args)) = self.pair_operation(id) else { return false };
        // Two additions cost no more than one and taking its result apart.
        let loads: Vec<InstId> = match self.function.inst(id).op {
            Op::Call(_) => args.iter().filter_map(|arg| self.pair_load(*arg)).collect(),
            _ => Vec::new(),
        };
        let loaded = |arg| self.pair_load(arg).is_some_and(|load| loads.contains(&load));
        let constant = |arg: &Value| matches!(arg, Value::Const(_));
        let whole = args.iter().all(|arg| constant(arg) || self.is_whole(*arg) || loaded(*arg));
        let constant = args.iter().all(constant);
        if whole && !constant {
            self.pairs.insert(id, Pair { text, args, apart: true });
            self.pair_loads.extend(loads.into_iter().map(|load| (load, true)));
        }
        whole && !constant
    }

    fn pair_operation(&self, id: InstId) -> Option<(&'static str, [Value; 2])> {
        match &self.function.inst(id).op {
            Op::Binary { op: BinaryOp::Add, lhs, rhs, .. } => Some(("add.u16x2", [*lhs, *rhs])),
            Op::Call(call) => {
                let text = match self.callee(call)?.name.as_str() {
                    "llvm.smin.v2i16" => "min.s16x2",
                    "llvm.smax.v2i16" => "max.s16x2",
                    "llvm.umin.v2i16" => "min.u16x2",
                    "llvm.umax.v2i16" => "max.u16x2",
                    _ => return None,
                };
                match call.args.as_slice() {
                    &[a, b] => Some((text, [a, b])),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn is_short_pair(&self, ty: TypeId) -> bool {
        self.shorts(ty) == Some(2)
    }

    /// Whether a value is a whole pair, or a number of 32 bits seen as one.
    fn is_whole(&self, value: Value) -> bool {
        matches!(value, Value::Inst(id) if self.pairs.contains_key(&id))
            || self.viewed(value).is_some()
            || self.pair_load(value).is_some_and(|load| self.pair_loads.contains_key(&load))
    }

    /// The load whose result a pair is, or two neighbours of.
    fn pair_load(&self, value: Value) -> Option<InstId> {
        let Value::Inst(id) = value else { return None };
        if self.spelled.contains(&id) || self.spellings.contains_key(&id) {
            return None;
        }
        let load = match &self.function.inst(id).op {
            Op::ShuffleVector { a: Value::Inst(load), .. } if self.word_of_load(id, *load).is_some() => *load,
            Op::Load { .. } if self.is_short_pair(self.function.inst(id).ty) => id,
            _ => return None,
        };
        let inst = self.function.inst(load);
        let plain = !self.fused.contains(&load)
            && !self.spelled.contains(&load)
            && !self.spellings.contains_key(&load)
            && !self.text_inputs.contains(&Value::Inst(load));
        match inst.op {
            Op::Load { align, volatile: false, order: AtomicOrder::NotAtomic, .. } => {
                let fits = matches!(self.shorts(inst.ty), Some(2 | 4 | 8))
                    && self.shorts(inst.ty).is_some_and(|len| align >= 2 * len);
                (plain && fits).then_some(load)
            }
            _ => None,
        }
    }

    /// How many elements a vector of `i16` has.
    fn shorts(&self, ty: TypeId) -> Option<u32> {
        match self.module.view.ty(ty) {
            Type::Vector { element, len, .. }
                if matches!(self.module.view.ty(*element), Type::Int { bits: 16 }) =>
            {
                Some(*len)
            }
            _ => None,
        }
    }

    /// Which word of a load a shuffle takes out of it, when it takes one.
    fn word_of_load(&self, shuffle: InstId, load: InstId) -> Option<usize> {
        match &self.function.inst(shuffle).op {
            Op::ShuffleVector { a, mask, .. } if *a == Value::Inst(load) => match mask.as_slice() {
                &[low, high] if low % 2 == 0 && high == low + 1 => {
                    let low = u32::try_from(low).ok()?;
                    (low < self.shorts(self.function.inst(load).ty)?).then_some((low / 2) as usize)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Leaves out the words that are taken out of loads for whole pairs alone, and notes which loads are taken apart too.
    fn drop_words(&mut self) {
        let loads: Vec<InstId> = self.pair_loads.keys().copied().collect();
        for load in loads {
            let mut apart = false;
            for user in self.users.get(load.index()).unwrap_or_default().to_vec() {
                if self.pairs.contains_key(&user) {
                    continue;
                }
                let users = self.users.get(user.index()).unwrap_or_default();
                let whole = self.word_of_load(user, load).is_some()
                    && !self.spelled.contains(&user)
                    && !self.spellings.contains_key(&user)
                    && users.iter().all(|user| self.pairs.contains_key(user));
                if whole {
                    self.fused.insert(user);
                } else {
                    apart = true;
                }
            }
            self.pair_loads.insert(load, apart);
        }
    }

    /// Loads a vector of `i16` as numbers of 32 bits.
    pub(super) fn load_pairs(
        &mut self,
        id: InstId,
        apart: bool,
        address: Operand,
        opcode: &str,
        word: &str,
        mods: &str,
    ) -> Raised<()> {
        let len = self.shorts(self.function.inst(id).ty).unwrap_or_default() as usize;
        let words: Vec<RegId> = (0..len / 2).map(|_| self.register(Class::B32)).collect();
        let (shape, target) = match words.as_slice() {
            &[register] => (String::new(), Operand::Register(register)),
            several => {
                let list: Vec<Operand> = several.iter().copied().map(Operand::Register).collect();
                (format!(".v{}", list.len()), Operand::Vector(self.builder.list(&list)))
            }
        };
        self.access(opcode, word, mods, &format!("{shape}.b32"), &[target.into(), address.into()])?;
        if let &[register] = words.as_slice() {
            self.whole_pairs.insert(id, register);
        }
        for user in self.users.get(id.index()).unwrap_or_default().to_vec() {
            if let Some(&register) = self.word_of_load(user, id).and_then(|word| words.get(word)) {
                self.whole_pairs.insert(user, register);
            }
        }
        if apart {
            let mut values = Vec::with_capacity(len);
            for register in words {
                let halves = [self.register(Class::B16), self.register(Class::B16)];
                let list = Operand::Vector(self.builder.list(&halves.map(Operand::Register)));
                self.emit("mov.b32", &[list.into(), register.into()])?;
                values.extend(halves.map(Val::reg));
            }
            self.define(id, values.into());
        }
        Ok(())
    }

    /// The number of 32 bits that is seen as a pair.
    fn viewed(&self, value: Value) -> Option<Value> {
        let Value::Inst(id) = value else { return None };
        if self.spelled.contains(&id) || self.spellings.contains_key(&id) {
            return None;
        }
        let Op::Cast { op: CastOp::BitCast, value, .. } = self.function.inst(id).op else { return None };
        let ty = self.module.view.value_type(self.function, value)?;
        matches!(self.module.view.ty(ty), Type::Int { bits: 32 }).then_some(value)
    }

    /// Whether `user` reads a pair as one register.
    fn takes_whole(&self, pair: InstId, user: InstId) -> bool {
        if self.pairs.contains_key(&user) {
            return true;
        }
        if self.fused.contains(&user) || self.spelled.contains(&user) || self.spellings.contains_key(&user) {
            return false;
        }
        let inst = self.function.inst(user);
        match inst.op {
            Op::Store { value, align, order: AtomicOrder::NotAtomic, .. } => {
                value == Value::Inst(pair) && align >= 4 && !self.returned_pieces.contains_key(&user)
            }
            Op::Cast { op: CastOp::BitCast, .. } => {
                matches!(self.module.view.ty(inst.ty), Type::Int { bits: 32 })
            }
            _ => false,
        }
    }

    /// Leaves out the views of numbers as pairs that only whole pairs read.
    fn drop_views(&mut self, found: &[InstId]) {
        for id in found {
            let Some(Pair { args, .. }) = self.pairs.get(id).copied() else { continue };
            for arg in args {
                let (Some(number), Value::Inst(view)) = (self.viewed(arg), arg) else { continue };
                if let Value::Inst(number) = number
                    && let Some(count) = self.uses.get_mut(number.index())
                {
                    *count += 1;
                }
                let users = self.users.get(view.index()).unwrap_or_default();
                if users.iter().all(|user| self.pairs.contains_key(user)) {
                    self.fused.insert(view);
                }
            }
        }
    }

    /// Computes a whole pair.
    pub(super) fn compute_pair(&mut self, id: InstId, pair: Pair) -> Raised<()> {
        let args = [self.pair_operand(pair.args[0])?, self.pair_operand(pair.args[1])?];
        let register = self.emit_new(Class::B32, pair.text, &args)?;
        self.whole_pairs.insert(id, register);
        if pair.apart {
            let halves = [self.register(Class::B16), self.register(Class::B16)];
            let list = Operand::Vector(self.builder.list(&halves.map(Operand::Register)));
            self.emit("mov.b32", &[list.into(), register.into()])?;
            self.define(id, halves.map(Val::reg).into_iter().collect());
        }
        Ok(())
    }

    /// The register of a value that is a whole pair.
    pub(super) fn whole_pair(&self, value: Value) -> Option<RegId> {
        match value {
            Value::Inst(id) => self.whole_pairs.get(&id).copied(),
            _ => None,
        }
    }

    /// A pair as an operand of 32 bits.
    fn pair_operand(&mut self, value: Value) -> Raised<Arg> {
        if let Some(register) = self.whole_pair(value) {
            return Ok(register.into());
        }
        if let Some(number) = self.viewed(value) {
            let (number, scalar) = self.scalar(number)?;
            return self.arg(number, scalar);
        }
        match *self.value(value)? {
            [Val::Bits(low), Val::Bits(high)] => {
                let whole = Val::Bits(low & mask(16) | (high & mask(16)) << 16);
                Ok(self.in_register(whole, Scalar::Int(32))?.into())
            }
            _ => Err(Refusal::new(INSTRUCTION, "a pair of integers that is in two registers")),
        }
    }
}
