//! Writes of `undef`: memory may keep its contents, so that they need no instruction.

use ptx_llvm_core::marks::{OPAQUE_WRITE, WRITES_ARGUMENTS};
use ptx_llvm_core::view::{AtomicOrder, Call, InlineAsm, InstId, Op, Value};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::flow::Flow;
use crate::signature::{Passing, Signature};
use crate::source_function::SourceFunction;

/// Writes that need no instruction, since memory may keep its contents.
#[derive(Default)]
pub(super) struct Idle {
    /// The writing instructions, and those that compute their operands.
    pub(super) insts: HashSet<InstId>,
    /// The `insertvalue` instructions that insert an undefined number into the return value.
    pub(super) fields: HashSet<InstId>,
}

/// The undefined numbers, and the counts of their uses.
struct Open {
    /// `%n = freeze i32 poison`.
    frozen: HashSet<InstId>,
    /// The results of empty inline assembly, with the assembly.
    given: HashMap<InstId, InstId>,
    /// Results with more than one use.
    shared: HashSet<InstId>,
}

impl Open {
    /// Whether a value is an undefined number without uses other than the current one.
    fn is_alone(&self, id: InstId) -> bool {
        (self.frozen.contains(&id) || self.given.contains_key(&id)) && !self.shared.contains(&id)
    }
}

/// Looks for them in a function.
pub(super) struct Search<'a, 'v> {
    pub(super) source: SourceFunction<'v>,
    pub(super) flow: &'a Flow,
    pub(super) signature: &'a Signature,
}

impl Search<'_, '_> {
    /// The instructions that write undefined values to memory, and those that compute the values: `store i32 %n`, or `insertvalue` into
    /// the result that the function returns in memory, of an undefined number without other uses, and empty inline assembly that may
    /// write its operands. Lowering emits them (docs/mapping.md, "Uninitialized memory"). `of_results` has each use of a result with
    /// its user.
    pub(super) fn idle_writes(&self, of_results: &[(InstId, InstId)]) -> Idle {
        let mut idle = Idle::default();
        let ids = || self.flow.insts(self.source);
        idle.insts.extend(ids().filter(|id| self.writes_without_text(*id)));
        let Some(open) = self.open_numbers(of_results) else { return idle };
        self.find_idle_stores(&open, &mut idle);
        self.find_idle_fields(&open, &mut idle);
        let mut giving: HashSet<InstId> = open.given.values().copied().collect();
        for (used, user) in of_results {
            if !idle.insts.contains(user) && !idle.fields.contains(user) {
                giving.remove(used);
            }
        }
        idle.insts.extend(giving);
        idle
    }

    /// The undefined numbers; `None` if there are none.
    fn open_numbers(&self, of_results: &[(InstId, InstId)]) -> Option<Open> {
        let function = self.source.function;
        let (mut frozen, mut given) = (HashSet::default(), HashMap::default());
        for id in self.flow.insts(self.source) {
            if matches!(&function.inst(id).op, Op::Freeze { value } if self.source.is_undef(*value)) {
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
        for &(assembly, user) in of_results.iter().filter(|(used, _)| given.contains_key(used)) {
            let Op::ExtractValue { indices, .. } = &function.inst(user).op else {
                whole.insert(assembly);
                continue;
            };
            if let Some(other) = fields.insert((assembly, indices.as_slice()), user) {
                // One number by two names.
                shared.extend([other, user]);
            }
        }
        let fields = fields.into_iter().filter(|((assembly, _), _)| !whole.contains(assembly));
        given.extend(fields.map(|((assembly, _), field)| (field, assembly)));
        Some(Open { frozen, given, shared })
    }

    /// Stores of undefined numbers. Assembly yields another number each time that its block is executed, so that a store must be in the same
    /// block to be its only use.
    fn find_idle_stores(&self, open: &Open, idle: &mut Idle) {
        let function = self.source.function;
        for block in &self.flow.layout {
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

    /// Undefined numbers that are fields of the result that the function returns in memory, and of nothing else.
    fn find_idle_fields(&self, open: &Open, idle: &mut Idle) {
        let function = self.source.function;
        if !matches!(self.signature.result, Some(Passing::Bytes { .. })) || self.signature.registers.is_some()
        {
            return;
        }
        for block in &self.flow.layout {
            let last = function.block(*block).inst_ids().last();
            let Some(Op::Ret { value: Some(value) }) = last.map(|id| &function.inst(id).op) else { continue };
            let mut rest = *value;
            // A cyclic chain is never executed.
            for _ in 0..=function.insts.len() {
                let Value::Inst(id) = rest else { break };
                let Op::InsertValue { aggregate, element, .. } = &function.inst(id).op else { break };
                if open.shared.contains(&id) {
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

    /// Whether an instruction is empty inline assembly without operands, whose results nothing else depends on.
    fn gives_any_numbers(&self, id: InstId) -> bool {
        self.empty_assembly(id).is_some_and(|(call, asm)| {
            call.args.is_empty() && asm.constraints.split(',').all(|constraint| constraint.starts_with('='))
        })
    }

    /// Whether an instruction is empty inline assembly that may only write its operands.
    fn writes_without_text(&self, id: InstId) -> bool {
        self.empty_assembly(id).is_some_and(|(call, asm)| {
            asm.constraints == OPAQUE_WRITE && call.attributes.number("memory") == Some(WRITES_ARGUMENTS)
        })
    }

    fn empty_assembly(&self, id: InstId) -> Option<(&Call, &InlineAsm)> {
        let Op::Call(call) = self.source.op(id) else { return None };
        let Value::Asm(asm) = call.callee else { return None };
        let asm = self.source.view.inline_asm(asm);
        (asm.text.is_empty() && !asm.side_effects).then_some((call, asm))
    }
}
