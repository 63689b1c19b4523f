//! Pairs of 16-bit integers that PTX computes with as one 32-bit register: `add`, `min` and `max` of `.u16x2` and `.s16x2`
//! (manual 9.7.1.1, 9.7.1.11, 9.7.1.12).
//!
//! A vector of two `i16` has a register for each element. If a 32-bit number is reinterpreted as such a vector, used in a
//! computation and reinterpreted as a number again, unpacking it would cost more than the computation, so that such values stay
//! packed, and are unpacked afterwards only if the elements are needed. For a minimum or maximum of loaded vectors, where one
//! instruction is saved, they are loaded as 32-bit numbers.

use ptx_isa::{Mnemonic, ptx};
use ptx_llvm_core::view::{AtomicOrder, BinaryOp, CastOp, InstId, Op, Type, TypeId, Value};
use rustc_hash::FxHashMap as HashMap;

use super::decision::{Action, Pair};
use super::state::{Cover, Covering};
use crate::source_function::SourceFunction;

/// Finds the pairs that stay packed.
pub(super) fn find(cover: &mut Covering<'_, '_, '_>) {
    if !cover.module.target.supports(ptx!("add.u16x2")) {
        return;
    }
    let mut search = Search { cover, pairs: HashMap::default(), loads: HashMap::default() };
    let mut found = Vec::new();
    for block in &search.cover.flow.order {
        for id in search.cover.source.insts(*block) {
            if search.stays_whole(id) {
                found.push(id);
            }
        }
    }
    let (views, numbers) = search.views(&found);
    let words = search.words();
    let apart = |id: &InstId| !search.users(*id).iter().all(|user| search.takes_whole(*id, *user));
    let pairs: Vec<(InstId, Pair)> = found
        .iter()
        .filter_map(|id| Some((*id, Pair { apart: apart(id), ..*search.pairs.get(id)? })))
        .collect();
    let loads = search.loads;
    numbers.into_iter().for_each(|number| cover.cover.uses.take(number));
    views.into_iter().chain(words).for_each(|id| cover.fold(id));
    pairs.into_iter().for_each(|(id, pair)| cover.emit(id, Action::Pair(pair)));
    loads.into_iter().for_each(|(id, apart)| cover.emit(id, Action::LoadPairs { apart }));
}

/// The number of elements of a vector of `i16`.
pub(crate) fn shorts(source: SourceFunction<'_>, ty: TypeId) -> Option<u32> {
    match source.view.ty(ty) {
        Type::Vector { element, len, .. } if source.int_bits(*element) == Some(16) => Some(*len),
        _ => None,
    }
}

/// The word of a load that a shuffle extracts, if it extracts one.
pub(crate) fn word_of_load(source: SourceFunction<'_>, shuffle: InstId, load: InstId) -> Option<usize> {
    let Op::ShuffleVector { a, mask, .. } = source.op(shuffle) else { return None };
    let &[low, high] = mask.as_slice() else { return None };
    let is_word = *a == Value::Inst(load) && low % 2 == 0 && high == low + 1;
    let low = u32::try_from(low).ok().filter(|_| is_word)?;
    (low < shorts(source, source.inst(load).ty)?).then_some((low / 2) as usize)
}

/// The 32-bit number that is reinterpreted as a pair.
pub(crate) fn viewed(source: SourceFunction<'_>, cover: &Cover<'_>, value: Value) -> Option<Value> {
    let Value::Inst(id) = value else { return None };
    if cover.is_opaque(id) {
        return None;
    }
    let Op::Cast { op: CastOp::BitCast, value, .. } = *source.op(id) else { return None };
    (source.integer_bits(value) == Some(32)).then_some(value)
}

/// The results so far.
struct Search<'s, 'a, 'v, 'c> {
    cover: &'s Covering<'a, 'v, 'c>,
    pairs: HashMap<InstId, Pair>,
    /// Loads of pairs as 32-bit numbers, and whether the elements are needed, too.
    loads: HashMap<InstId, bool>,
}

impl Search<'_, '_, '_, '_> {
    fn users(&self, id: InstId) -> &[InstId] {
        self.cover.cover.uses.users(id)
    }

    /// The reinterpretations of numbers as pairs that only packed pairs read, and the numbers that are read instead.
    fn views(&self, found: &[InstId]) -> (Vec<InstId>, Vec<Value>) {
        let (mut views, mut numbers) = (Vec::new(), Vec::new());
        let args = found.iter().filter_map(|id| self.pairs.get(id)).flat_map(|pair| pair.args);
        for arg in args {
            let (Some(number), Value::Inst(view)) = (self.viewed(arg), arg) else { continue };
            numbers.push(number);
            if self.users(view).iter().all(|user| self.pairs.contains_key(user)) {
                views.push(view);
            }
        }
        (views, numbers)
    }

    /// The words that are extracted from loads only for packed pairs; records the loads that are unpacked, too.
    fn words(&mut self) -> Vec<InstId> {
        let mut words = Vec::new();
        let loads: Vec<InstId> = self.loads.keys().copied().collect();
        for load in loads {
            let mut apart = false;
            for &user in self.users(load) {
                if self.pairs.contains_key(&user) {
                    continue;
                }
                let whole = word_of_load(self.cover.source, user, load).is_some()
                    && !self.cover.cover.is_opaque(user)
                    && self.users(user).iter().all(|user| self.pairs.contains_key(user));
                if whole {
                    words.push(user);
                } else {
                    apart = true;
                }
            }
            self.loads.insert(load, apart);
        }
        words
    }

    fn viewed(&self, value: Value) -> Option<Value> {
        viewed(self.cover.source, &self.cover.cover, value)
    }

    fn shorts(&self, ty: TypeId) -> Option<u32> {
        shorts(self.cover.source, ty)
    }

    /// Records a pair whose operands are packed, or can be loaded as such, except for constants.
    fn stays_whole(&mut self, id: InstId) -> bool {
        if self.cover.cover.is_taken(id) || self.shorts(self.cover.source.inst(id).ty) != Some(2) {
            return false;
        }
        let Some((mnemonic, args)) = self.pair_operation(id) else { return false };
        // Two additions do not cost more than one and unpacking its result.
        let loads: Vec<InstId> = match self.cover.source.inst(id).op {
            Op::Call(_) => args.iter().filter_map(|arg| self.pair_load(*arg)).collect(),
            _ => Vec::new(),
        };
        let loaded = |arg| self.pair_load(arg).is_some_and(|load| loads.contains(&load));
        let constant = |arg: &Value| matches!(arg, Value::Const(_));
        let whole = args.iter().all(|arg| constant(arg) || self.is_whole(*arg) || loaded(*arg));
        let constant = args.iter().all(constant);
        if whole && !constant {
            self.pairs.insert(id, Pair { mnemonic, args, apart: true });
            self.loads.extend(loads.into_iter().map(|load| (load, true)));
        }
        whole && !constant
    }

    fn pair_operation(&self, id: InstId) -> Option<(Mnemonic, [Value; 2])> {
        match &self.cover.source.inst(id).op {
            Op::Binary { op: BinaryOp::Add, lhs, rhs, .. } => Some((ptx!("add.u16x2"), [*lhs, *rhs])),
            Op::Call(call) => {
                let mnemonic = match self.cover.source.callee(call)?.name.as_str() {
                    "llvm.smin.v2i16" => ptx!("min.s16x2"),
                    "llvm.smax.v2i16" => ptx!("max.s16x2"),
                    "llvm.umin.v2i16" => ptx!("min.u16x2"),
                    "llvm.umax.v2i16" => ptx!("max.u16x2"),
                    _ => return None,
                };
                match call.args.as_slice() {
                    &[a, b] => Some((mnemonic, [a, b])),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a value is a packed pair, or a 32-bit number reinterpreted as one.
    fn is_whole(&self, value: Value) -> bool {
        matches!(value, Value::Inst(id) if self.pairs.contains_key(&id))
            || self.viewed(value).is_some()
            || self.pair_load(value).is_some_and(|load| self.loads.contains_key(&load))
    }

    /// The load whose result is a pair, or two adjacent elements of which are.
    fn pair_load(&self, value: Value) -> Option<InstId> {
        let Value::Inst(id) = value else { return None };
        if self.cover.cover.is_opaque(id) {
            return None;
        }
        let load = match &self.cover.source.inst(id).op {
            Op::ShuffleVector { a: Value::Inst(load), .. }
                if word_of_load(self.cover.source, id, *load).is_some() =>
            {
                *load
            }
            Op::Load { .. } if self.shorts(self.cover.source.inst(id).ty) == Some(2) => id,
            _ => return None,
        };
        let inst = self.cover.source.inst(load);
        let plain = !self.cover.cover.is_taken(load) && !self.cover.text_inputs.contains(&Value::Inst(load));
        match inst.op {
            Op::Load { align, volatile: false, order: AtomicOrder::NotAtomic, .. } => {
                let len = self.shorts(inst.ty).filter(|len| matches!(len, 2 | 4 | 8))?;
                (plain && align >= 2 * len).then_some(load)
            }
            _ => None,
        }
    }

    /// Whether `user` reads a pair as one register.
    fn takes_whole(&self, pair: InstId, user: InstId) -> bool {
        if self.pairs.contains_key(&user) {
            return true;
        }
        if self.cover.cover.is_taken(user) {
            return false;
        }
        let inst = self.cover.source.inst(user);
        match inst.op {
            Op::Store { value, align, order: AtomicOrder::NotAtomic, .. } => {
                value == Value::Inst(pair)
                    && align >= 4
                    && !matches!(self.cover.cover.action(user), Some(Action::StoreResult(_)))
            }
            Op::Cast { op: CastOp::BitCast, .. } => {
                matches!(self.cover.source.view.ty(inst.ty), Type::Int { bits: 32 })
            }
            _ => false,
        }
    }
}
