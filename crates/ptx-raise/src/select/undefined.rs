//! Which parts of a value are undefined, because nothing was ever put there.
//!
//! LLVM fills what a program leaves open with `undef` or `poison`. Any bits do there, so that storing them takes no register
//! that holds something.

use ptx_llvm::view::{AtomicOrder, Constant, InstId, Op, Type, Value};
use ptx_llvm::{OPAQUE_WRITE, WRITES_ARGUMENTS};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::FunctionRaiser;
use crate::error::Raised;
use crate::signature::Passing;
use crate::value::Val;

/// What needs no instruction, since memory may hold what it holds.
#[derive(Default)]
pub(super) struct Idle {
    /// The instructions that write it, and those that compute what they write.
    pub(super) insts: HashSet<InstId>,
    /// The `insertvalue` instructions that put a number left open into what the function returns.
    pub(super) fields: HashSet<InstId>,
}

/// The numbers that are left open, and how their uses are counted.
struct Open {
    /// `%n = freeze i32 poison`.
    frozen: HashSet<InstId>,
    /// What inline assembly without a text gives, with the assembly.
    given: HashMap<InstId, InstId>,
    /// Results with more than one use.
    shared: HashSet<u32>,
}

impl Open {
    /// Whether something is a number left open without other uses than the one that is looked at.
    fn is_alone(&self, id: InstId) -> bool {
        (self.frozen.contains(&id) || self.given.contains_key(&id)) && !self.is_shared(id)
    }

    fn is_shared(&self, id: InstId) -> bool {
        self.shared.contains(&(id.index() as u32))
    }
}

impl FunctionRaiser<'_, '_, '_> {
    /// The instructions that write to memory what it may hold as it is, and what computes that: `store i32 %n`, or `insertvalue` into
    /// what the function returns in memory, of a number left open without other uses, and inline assembly without a text that
    /// may write what it is given. Lowering makes them (docs/mapping.md, "Uninitialized memory"). `of_results` has each use of a result
    /// with its user.
    pub(super) fn idle_writes(&self, of_results: &[(u32, InstId)]) -> Idle {
        let mut idle = Idle::default();
        let ids = || self.layout.iter().flat_map(|block| self.function.block(*block).inst_ids());
        idle.insts.extend(ids().filter(|id| self.writes_without_text(*id)));
        let Some(open) = self.open_numbers(of_results) else { return idle };
        self.find_idle_stores(&open, &mut idle);
        self.find_idle_fields(&open, &mut idle);
        let mut giving: HashSet<InstId> = open.given.values().copied().collect();
        for (used, user) in of_results {
            if !idle.insts.contains(user) && !idle.fields.contains(user) {
                giving.remove(&InstId::new(*used as usize));
            }
        }
        idle.insts.extend(giving);
        idle
    }

    /// The numbers that are left open; `None` where there are none.
    fn open_numbers(&self, of_results: &[(u32, InstId)]) -> Option<Open> {
        let function = self.function;
        let (mut frozen, mut given) = (HashSet::default(), HashMap::default());
        for id in self.layout.iter().flat_map(|block| function.block(*block).inst_ids()) {
            if matches!(&function.inst(id).op, Op::Freeze { value } if self.is_open(*value)) {
                frozen.insert(id);
            } else if self.gives_any_numbers(id) {
                given.insert(id, id);
            }
        }
        if frozen.is_empty() && given.is_empty() {
            return None;
        }
        let (mut read, mut shared) = (HashSet::default(), HashSet::default());
        for (used, _) in of_results {
            if !read.insert(*used) {
                shared.insert(*used);
            }
        }
        // All numbers of assembly whose result is used as a whole have that use too.
        let mut whole: HashSet<InstId> = HashSet::default();
        let mut fields = HashMap::default();
        for (used, user) in of_results {
            let assembly = InstId::new(*used as usize);
            if !given.contains_key(&assembly) {
                continue;
            }
            let Op::ExtractValue { indices, .. } = &function.inst(*user).op else {
                whole.insert(assembly);
                continue;
            };
            if let Some(other) = fields.insert((assembly, indices.as_slice()), *user) {
                // One number by two names.
                shared.extend([other, *user].map(|id| id.index() as u32));
            }
        }
        let fields = fields.into_iter().filter(|((assembly, _), _)| !whole.contains(assembly));
        given.extend(fields.map(|((assembly, _), field)| (field, assembly)));
        Some(Open { frozen, given, shared })
    }

    /// Stores of numbers left open. What assembly gives is a number of its own each time that a block is executed, so that it is one store's
    /// alone only in the same block.
    fn find_idle_stores(&self, open: &Open, idle: &mut Idle) {
        let function = self.function;
        for block in &self.layout {
            let mut here = HashSet::default();
            for id in function.block(*block).inst_ids() {
                if open.given.contains_key(&id) {
                    here.insert(id);
                }
                let Op::Store {
                    value: Value::Inst(number),
                    volatile: false,
                    order: AtomicOrder::NotAtomic,
                    ..
                } = function.inst(id).op
                else {
                    continue;
                };
                if open.is_alone(number) && (open.frozen.contains(&number) || here.contains(&number)) {
                    idle.insts.extend([number, id]);
                }
            }
        }
    }

    /// Numbers left open that are fields of what the function returns in memory, and of nothing else.
    fn find_idle_fields(&self, open: &Open, idle: &mut Idle) {
        let function = self.function;
        if !matches!(self.signature.result, Some(Passing::Bytes { .. })) || self.signature.registers.is_some()
        {
            return;
        }
        for block in &self.layout {
            let last = function.block(*block).inst_ids().last();
            let Some(Op::Ret { value: Some(value) }) = last.map(|id| &function.inst(id).op) else { continue };
            let mut rest = *value;
            // A chain that comes back to itself is never executed.
            for _ in 0..=function.insts.len() {
                let Value::Inst(id) = rest else { break };
                let Op::InsertValue { aggregate, element, .. } = &function.inst(id).op else { break };
                if open.is_shared(id) {
                    break;
                }
                if let Value::Inst(number) = *element
                    && open.is_alone(number)
                {
                    idle.fields.insert(id);
                    idle.insts.insert(number);
                }
                rest = *aggregate;
            }
        }
    }

    /// Whether an instruction is inline assembly without a text or operands, whose results nothing else depends on.
    fn gives_any_numbers(&self, id: InstId) -> bool {
        let Op::Call(call) = &self.function.inst(id).op else { return false };
        let Value::Asm(asm) = call.callee else { return false };
        let asm = self.module.view.inline_asm(asm);
        asm.text.is_empty()
            && !asm.side_effects
            && call.args.is_empty()
            && asm.constraints.split(',').all(|constraint| constraint.starts_with('='))
    }

    /// Whether an instruction is inline assembly without a text that may do no more than write what it is given.
    fn writes_without_text(&self, id: InstId) -> bool {
        let Op::Call(call) = &self.function.inst(id).op else { return false };
        let Value::Asm(asm) = call.callee else { return false };
        let asm = self.module.view.inline_asm(asm);
        asm.text.is_empty()
            && !asm.side_effects
            && asm.constraints == OPAQUE_WRITE
            && call.attributes.number("memory") == Some(WRITES_ARGUMENTS)
    }

    /// The leaves of a value, without those that are plainly undefined.
    pub(super) fn defined(&mut self, value: Value) -> Raised<Vec<Option<Val>>> {
        let values = self.value(value)?;
        let undefined = self.undefined_leaves(value, values.len())?;
        Ok(values.iter().zip(undefined).map(|(value, undefined)| (!undefined).then_some(*value)).collect())
    }

    /// For each leaf of a value whether it is undefined: looks at what was put where on the way to it.
    fn undefined_leaves(&mut self, value: Value, count: usize) -> Raised<Vec<bool>> {
        let function = self.function;
        let mut undefined = vec![false; count];
        // The leaves that nothing was put into yet, on the way back.
        let mut open = vec![true; count];
        let mut rest = value;
        // A chain that comes back to itself is never executed.
        for _ in 0..=function.insts.len() {
            let Value::Inst(id) = rest else { break };
            match &function.inst(id).op {
                Op::InsertValue { aggregate, element, indices } => {
                    let ty = self.value_type(*aggregate)?;
                    let range = self.field(ty, indices)?;
                    if self.idle_fields.contains(&id) {
                        for at in range {
                            if let (Some(open), Some(undefined)) = (open.get_mut(at), undefined.get_mut(at)) {
                                *undefined |= std::mem::take(open);
                            }
                        }
                    } else {
                        self.put(*element, range, &mut open, &mut undefined);
                    }
                    rest = *aggregate;
                }
                Op::InsertElement { vector, element, index } => {
                    let &Value::Const(index) = index else { break };
                    let Some(at) = self.module.view.constant(index).as_u64() else { break };
                    let (Ok(at), true) = (usize::try_from(at), self.has_a_leaf_each(*vector, count)?) else {
                        break;
                    };
                    self.put(*element, at..at.saturating_add(1), &mut open, &mut undefined);
                    rest = *vector;
                }
                Op::ShuffleVector { mask, .. } => {
                    if mask.len() == count {
                        for (at, from) in mask.iter().enumerate() {
                            undefined[at] |= open[at] && *from < 0;
                        }
                    }
                    return Ok(undefined);
                }
                _ => break,
            }
        }
        if let Value::Const(_) = rest {
            self.put(rest, 0..count, &mut open, &mut undefined);
        }
        Ok(undefined)
    }

    /// Closes a range of leaves with what was put there.
    fn put(&self, part: Value, range: std::ops::Range<usize>, open: &mut [bool], undefined: &mut [bool]) {
        let is_undefined = |value: Value| match value {
            Value::Const(id) => matches!(self.module.view.constant(id), Constant::Undef | Constant::Poison),
            Value::Arg(_) | Value::Inst(_) | Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => false,
        };
        let fields = match part {
            Value::Const(id) => match self.module.view.constant(id) {
                Constant::Aggregate(fields) if fields.len() == range.len() => Some(fields),
                _ => None,
            },
            _ => None,
        };
        let whole = is_undefined(part);
        for (field, at) in range.enumerate() {
            if let (Some(open), Some(undefined)) = (open.get_mut(at), undefined.get_mut(at)) {
                let this = fields.is_some_and(|fields| {
                    fields.get(field).is_some_and(|id| is_undefined(Value::Const(*id)))
                });
                *undefined |= *open && (whole || this);
                *open = false;
            }
        }
    }

    /// Whether every element of a vector is one leaf.
    fn has_a_leaf_each(&mut self, vector: Value, leaves: usize) -> Raised<bool> {
        let ty = self.value_type(vector)?;
        Ok(matches!(self.module.view.ty(ty), Type::Vector { len, .. } if *len as usize == leaves))
    }
}

/// Values with zeros for what is undefined.
pub(super) fn filled(values: &[Option<Val>]) -> Vec<Val> {
    values.iter().map(|value| value.unwrap_or(Val::Bits(0))).collect()
}
