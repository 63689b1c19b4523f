//! LLVM's function attributes, derived from the bodies of functions and their callees.
//!
//! Attributes hold in every execution. A loop may be infinite, since PTX does not guarantee progress; a function whose
//! body is in another module, or may be replaced by the linker, may do anything.

use ptx_ir::{
    AddressBase, Body, FunctionDirective, FunctionId, FunctionKind, Linkage, Module, Operand, StrId, Symbol,
};
use ptx_isa::{ControlSem, Field, MemorySem, Mnemonic, Mod, Sem, SpecialReg};
use rustc_hash::FxHashMap;

use crate::analysis::Analysis;
use crate::flow::Flow;
use crate::slots::{is_param, whole_scalar};

/// The behaviour that a function may have; `false` if it is known not to have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Behaviour {
    /// Its effect may depend on which threads execute it together: LLVM's `convergent`.
    pub(crate) convergent: bool,
    /// It may read or write memory, or have effects other than its result: not `memory(none)`.
    pub(crate) touches_memory: bool,
    /// It may synchronize with other threads through memory: not `nosync`.
    pub(crate) synchronizes: bool,
    /// It may end the thread, or not end: not `willreturn`.
    pub(crate) may_not_return: bool,
    /// It may be called again while it runs: not `norecurse`.
    pub(crate) recurses: bool,
}

impl Behaviour {
    /// The behaviour of an unknown function.
    pub(crate) const ANY: Behaviour = Behaviour {
        convergent: true,
        touches_memory: true,
        synchronizes: true,
        may_not_return: true,
        recurses: true,
    };
    /// The behaviour of a function without effects.
    const PURE: Behaviour = Behaviour {
        convergent: false,
        touches_memory: false,
        synchronizes: false,
        may_not_return: false,
        recurses: false,
    };

    fn and(self, other: Behaviour) -> Behaviour {
        Behaviour {
            convergent: self.convergent || other.convergent,
            touches_memory: self.touches_memory || other.touches_memory,
            synchronizes: self.synchronizes || other.synchronizes,
            may_not_return: self.may_not_return || other.may_not_return,
            recurses: self.recurses || other.recurses,
        }
    }
}

/// The function with a body of each name.
pub(crate) type Definitions = FxHashMap<StrId, FunctionId>;

/// The definitions of a module.
pub(crate) fn definitions(module: &Module) -> Definitions {
    let mut all = Definitions::default();
    for id in module.function_ids().filter(|id| module.function(*id).body.is_some()) {
        all.entry(module.function(id).name).or_insert(id);
    }
    all
}

/// The function that defines what `id` declares, or `id` itself when none does.
pub(crate) fn definition_of(module: &Module, definitions: &Definitions, id: FunctionId) -> FunctionId {
    definitions.get(&module.function(id).name).copied().unwrap_or(id)
}

/// The behaviour of each function with a body, by the id of its definition.
pub(crate) fn behaviours(
    module: &Module,
    analyses: &FxHashMap<FunctionId, Analysis>,
    definitions: &Definitions,
) -> FxHashMap<FunctionId, Behaviour> {
    let mut found = FxHashMap::default();
    let mut entered = rustc_hash::FxHashSet::default();
    for root in module.function_ids().filter(|id| analyses.contains_key(id)) {
        // Callees before callers, without recursion: a function is left once all it calls have been.
        let mut stack = vec![(root, None::<Vec<FunctionId>>)];
        while let Some((id, callees)) = stack.pop() {
            match callees {
                None if !entered.insert(id) => {}
                None => {
                    let called = callees_of(module, definitions, id);
                    let todo: Vec<_> =
                        called.iter().copied().filter(|callee| analyses.contains_key(callee)).collect();
                    stack.push((id, Some(called)));
                    stack.extend(todo.into_iter().map(|callee| (callee, None)));
                }
                Some(called) => {
                    let behaviour = behaviour(module, analyses, &found, id, &called);
                    found.insert(id, behaviour);
                }
            }
        }
    }
    found
}

/// The definitions of what a body calls by name.
fn callees_of(module: &Module, definitions: &Definitions, id: FunctionId) -> Vec<FunctionId> {
    let Some(body) = &module.function(id).body else { return Vec::new() };
    let calls = body.instructions().filter(|(_, inst)| inst.mnemonic.sem() == Sem::Control(ControlSem::Call));
    let named = calls.filter_map(|(_, inst)| match body.operands(inst).get(1) {
        Some(Operand::Symbol(Symbol::Function(callee), _)) => {
            Some(definition_of(module, definitions, *callee))
        }
        _ => None,
    });
    named.collect()
}

fn behaviour(
    module: &Module,
    analyses: &FxHashMap<FunctionId, Analysis>,
    found: &FxHashMap<FunctionId, Behaviour>,
    id: FunctionId,
    called: &[FunctionId],
) -> Behaviour {
    let function = module.function(id);
    let (Some(body), Some(analysis)) = (&function.body, analyses.get(&id)) else { return Behaviour::ANY };
    if function.kind == FunctionKind::Device && function.linkage == Linkage::Weak {
        // The linker may replace it.
        return Behaviour::ANY;
    }
    let mut all = own(module, body, analysis);
    for callee in called {
        // A callee without a result yet is on a cycle of calls with this function.
        all = all.and(found.get(callee).copied().unwrap_or(Behaviour::ANY));
    }
    all.may_not_return |=
        function.directives.iter().any(|(directive, _)| matches!(directive, FunctionDirective::NoReturn));
    // Nothing calls a kernel.
    all.recurses &= function.kind == FunctionKind::Device;
    all
}

/// The behaviour of a body without the functions that it calls by name.
fn own(module: &Module, body: &Body, analysis: &Analysis) -> Behaviour {
    let mut all = Behaviour { may_not_return: has_loop(&analysis.flow), ..Behaviour::PURE };
    for (_, inst) in body.instructions() {
        let operands = body.operands(inst);
        let now = match inst.mnemonic.sem() {
            Sem::Control(ControlSem::Call)
                if matches!(operands.get(1), Some(Operand::Symbol(Symbol::Function(_), _))) =>
            {
                Behaviour::PURE
            }
            Sem::Control(ControlSem::Bra | ControlSem::BrxIdx | ControlSem::Ret) => Behaviour::PURE,
            Sem::Memory(MemorySem::Load | MemorySem::Store) if is_value(module, analysis, operands) => {
                Behaviour::PURE
            }
            Sem::Memory(
                MemorySem::Load
                | MemorySem::LoadUniform
                | MemorySem::Store
                | MemorySem::Atom
                | MemorySem::Red,
            ) => {
                Behaviour {
                    touches_memory: true,
                    synchronizes: !is_weak(&inst.mnemonic),
                    // For LLVM a volatile access may do anything, including a trap.
                    may_not_return: is_volatile(&inst.mnemonic),
                    ..Behaviour::PURE
                }
            }
            _ if operands.iter().any(|operand| matches!(operand, Operand::Special(r, _) if changes(*r))) => {
                Behaviour { touches_memory: true, synchronizes: true, ..Behaviour::PURE }
            }
            _ => of_effects(&inst.mnemonic),
        };
        all = all.and(now);
    }
    all
}

/// The behaviour implied by a row's effects alone; an instruction with effects may wait for other threads.
fn of_effects(mnemonic: &Mnemonic) -> Behaviour {
    let effects = mnemonic.effects();
    let more =
        effects.reads || effects.writes || effects.side_effects || effects.convergent || effects.terminator;
    match more {
        true => Behaviour { convergent: effects.convergent, ..Behaviour::ANY_BUT_CALLS },
        false => Behaviour::PURE,
    }
}

impl Behaviour {
    /// The behaviour of an instruction that is not a call and is otherwise unknown.
    const ANY_BUT_CALLS: Behaviour = Behaviour { recurses: false, ..Behaviour::ANY };
}

/// Whether an access is to a parameter that is a value in LLVM IR.
fn is_value(module: &Module, analysis: &Analysis, operands: &[Operand]) -> bool {
    operands.iter().any(|operand| match operand {
        Operand::Address(AddressBase::Symbol(Symbol::Variable(var)), _) => {
            let variable = module.variable(*var);
            let whole = is_param(variable.space) && whole_scalar(variable).is_some();
            analysis.slots.param(*var).is_some() || (whole && !analysis.taken.contains(var))
        }
        _ => false,
    })
}

/// Whether a load or store has no memory order and need not access the memory itself (manual 8, 9.7.9.1); atomic operations are never weak.
fn is_weak(mnemonic: &Mnemonic) -> bool {
    match mnemonic.sem() {
        Sem::Memory(MemorySem::Load | MemorySem::LoadUniform | MemorySem::Store) => {
            matches!(mnemonic.get(Field::MemOrder), None | Some(Mod::Weak)) && !is_volatile(mnemonic)
        }
        _ => false,
    }
}

/// Whether an access must be done as it is written.
fn is_volatile(mnemonic: &Mnemonic) -> bool {
    mnemonic.get(Field::MemOrder) == Some(Mod::Volatile)
        || matches!(mnemonic.get(Field::Cop), Some(Mod::Cv | Mod::Wt))
        || mnemonic.has(Mod::Mmio)
}

/// Whether control may reach a node again.
fn has_loop(flow: &Flow) -> bool {
    let mut place = vec![usize::MAX; flow.nodes.len()];
    for (at, id) in flow.order.iter().enumerate() {
        place[id.index()] = at;
    }
    flow.order.iter().enumerate().any(|(at, id)| {
        flow.nodes[id.index()].successors().iter().any(|to| place.get(to.index()).is_some_and(|to| *to <= at))
    })
}

/// Whether two reads of the register by one thread can differ.
pub(crate) fn changes(register: SpecialReg) -> bool {
    use SpecialReg::*;
    matches!(
        register,
        Clock
            | ClockHi
            | Clock64
            | GlobalTimer
            | GlobalTimerLo
            | GlobalTimerHi
            | Pm(_)
            | Pm64(_)
            | WarpId
            | SmId
    )
}
