//! What the kernels of a module share among their functions: constant memory, shared memory, and the allocation of tensor memory.
//!
//! `ptxas` checks these when it generates the code of a kernel, over the functions that the kernel calls or whose addresses it takes. What
//! no kernel reaches counts only for constant memory, which the whole module has in common.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{
    AddressBase, Body, Function, FunctionDirective, FunctionId, FunctionKind, Item, Linkage, Module, Operand,
    Stmt, StrId, Symbol, VarId, Variable,
};
use ptx_isa::{Mod, Opcode, Sm, SmVariant, StateSpace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes;
use crate::context::Checker;

/// How many bytes of constant memory the variables of a module may fill.
const CONSTANT_BYTES: u64 = 65_536;

/// Whether instructions allocate and use tensor memory for one block or for a pair of blocks.
const GROUPS: [Mod; 2] = [Mod::CtaGroup1, Mod::CtaGroup2];

/// Checks all kernels and the variables of the module.
pub(crate) fn check(cx: &mut Checker<'_>) {
    let variables = in_order(cx.module);
    check_constants(cx, &variables);
    let limit = shared_bytes(cx.target.sm());
    let shared: Vec<VarId> =
        variables.iter().copied().filter(|id| is_shared(cx.module.variable(*id))).collect();
    let padding = |id: &VarId| u64::from(cx.module.variable(*id).alignment());
    let most = shared.iter().map(padding).fold(sum(cx.module, shared.iter().copied()), u64::saturating_add);
    let may_exceed = most > limit;
    let uses_group = |group| cx.available.iter().any(|m| m.opcode() == Opcode::Tcgen05 && m.has(group));
    let may_mix = GROUPS.into_iter().all(uses_group);
    if !may_exceed && !may_mix {
        return;
    }
    let uses = Uses::of(cx.module);
    for kernel in cx.module.function_ids() {
        let function = cx.module.function(kernel);
        if function.kind != FunctionKind::Kernel || function.body.is_none() {
            continue;
        }
        let reached = uses.reached(kernel);
        check_groups(cx, kernel, &reached);
        if may_exceed {
            let limit = if is_tile(function) { MOST_SHARED_BYTES } else { limit };
            check_shared(cx, kernel, &reached, &shared, limit);
        }
    }
}

/// The variables of the module and of all functions as they are placed in memory: those that other modules see first, each in the order of
/// the text.
fn in_order(module: &Module) -> Vec<VarId> {
    let mut all: Vec<VarId> = Vec::new();
    for item in &module.items {
        match item {
            Item::Variable(id) => all.push(*id),
            Item::Function(id) => {
                let body = module.function(*id).body.as_ref();
                all.extend(body.into_iter().flat_map(|body| &body.statements).filter_map(declared));
            }
            _ => {}
        }
    }
    all.sort_by_key(|id| module.variable(*id).linkage == Linkage::Internal);
    all
}

fn declared(stmt: &Stmt) -> Option<VarId> {
    match stmt {
        Stmt::Variable(id) => Some(*id),
        _ => None,
    }
}

/// Whether a variable takes shared memory whose size the module states.
fn is_shared(variable: &Variable) -> bool {
    variable.space.window() == StateSpace::Shared && variable.linkage != Linkage::Extern
}

/// How many bytes a variable has.
fn bytes(variable: &Variable) -> u64 {
    // One whose size does not fit 64 bits has been reported.
    let Some(bytes) = variable.bytes() else { return 0 };
    match variable.count {
        Some(count) => bytes.saturating_mul(count.into()),
        None => bytes,
    }
}

fn sum(module: &Module, variables: impl Iterator<Item = VarId>) -> u64 {
    variables.map(|id| bytes(module.variable(id))).fold(0, u64::saturating_add)
}

/// The end of a variable that is placed after another, given the end of that.
fn end_of(variable: &Variable, before: u64) -> u64 {
    let align = u64::from(variable.alignment().max(1));
    before.div_ceil(align).saturating_mul(align).saturating_add(bytes(variable))
}

/// Constants of all functions are in one memory. Before PTX 2.2 there are banks, which have that size each.
fn check_constants(cx: &mut Checker<'_>, variables: &[VarId]) {
    let module = cx.module;
    let is_constant = |id: &VarId| {
        let variable = module.variable(*id);
        variable.space == StateSpace::Const && variable.linkage != Linkage::Extern
    };
    let constants: Vec<VarId> = variables.iter().copied().filter(is_constant).collect();
    let mut total = 0;
    let mut beyond: Option<&Variable> = None;
    for variable in constants.iter().map(|id| module.variable(*id)) {
        total = end_of(variable, total);
        if total > CONSTANT_BYTES {
            beyond = beyond.or(Some(variable));
        }
    }
    let Some(beyond) = beyond.filter(|_| cx.target.version_at_least(2, 2)) else { return };
    let name = module.name(beyond.name);
    let text = format!(
        "with `{name}` the constants of the module have {total} bytes, but at most {CONSTANT_BYTES} are allowed"
    );
    let help = "place large tables in `.global` memory and read them with `ld.global.nc`";
    cx.report(Diagnostic::error(codes::MEMORY_BYTES, beyond.at.0, text).with_help(help));
}

/// The shared memory of a block on the GPUs that have most.
const MOST_SHARED_BYTES: u64 = 232_448;

/// Whether a kernel was compiled from CUDA Tile (`.language 7`). Its assembler allows static shared memory up to what the GPU has, which launches check.
fn is_tile(function: &Function) -> bool {
    const TILE: u32 = 7;
    let mut directives = function.directives.iter();
    directives
        .any(|(directive, _)| matches!(directive, FunctionDirective::Language(of) if of.contains(&TILE)))
}

/// The static shared memory that a kernel may have: architectures with a letter `a` allow all that the GPU has, since their code is for
/// that GPU alone.
fn shared_bytes(sm: Option<Sm>) -> u64 {
    const ALL: u64 = 49_152;
    match sm {
        Some(Sm { number: 90..120, variant: SmVariant::Arch }) => MOST_SHARED_BYTES,
        Some(Sm { number: 120.., variant: SmVariant::Arch }) => 101_376,
        _ => ALL,
    }
}

fn check_shared(
    cx: &mut Checker<'_>,
    kernel: FunctionId,
    reached: &Reached<'_>,
    shared: &[VarId],
    limit: u64,
) {
    let module = cx.module;
    let used = || shared.iter().copied().filter(|id| reached.variables.contains(id));
    // Where the variables of functions are placed among the others depends on their uses.
    let placed = || used().fold(0, |end, id| end_of(module.variable(id), end));
    let total = if reached.has_locals { sum(module, used()) } else { placed() };
    if total > limit {
        let function = module.function(kernel);
        let name = module.name(function.name);
        let text = format!(
            "kernel `{name}` uses {total} bytes of static shared memory, but at most {limit} are allowed"
        );
        let help = "declare an array without a length, `.extern .shared .align 16 .b8 name[];`, whose size the launch determines";
        cx.report(Diagnostic::error(codes::MEMORY_BYTES, function.at.0, text).with_help(help));
    }
}

/// Tensor memory is allocated for one block or for a pair of blocks, and all instructions that a kernel reaches agree on it.
fn check_groups(cx: &mut Checker<'_>, kernel: FunctionId, reached: &Reached<'_>) {
    let first = |at: usize| reached.functions.iter().find_map(|function| function.groups[at]);
    let (Some(one), Some(pair)) = (first(0), first(1)) else { return };
    let name = cx.module.name(cx.module.function(kernel).name);
    let text = format!("kernel `{name}` uses `.cta_group::1` and `.cta_group::2`, which exclude each other");
    let help = "allocate, use and free tensor memory with the same `.cta_group` in all functions of a kernel";
    let finding = Diagnostic::error(codes::MODIFIER_CONFLICT, pair, text).with_help(help);
    cx.report(finding.with_related(one, "`.cta_group::1` is used here"));
}

/// What the body of a function names.
#[derive(Default)]
struct Use {
    functions: Vec<FunctionId>,
    variables: Vec<VarId>,
    /// Whether it declares shared variables.
    has_locals: bool,
    /// The first instruction with each of [`GROUPS`].
    groups: [Option<Span>; 2],
}

/// What each function names, by its number.
struct Uses(Vec<Use>);

/// What a kernel reaches.
struct Reached<'u> {
    functions: Vec<&'u Use>,
    variables: FxHashSet<VarId>,
    has_locals: bool,
}

impl Uses {
    fn of(module: &Module) -> Self {
        let mut definitions: FxHashMap<StrId, FunctionId> = FxHashMap::default();
        for id in module.function_ids().filter(|&id| module.function(id).body.is_some()) {
            definitions.insert(module.function(id).name, id);
        }
        for item in &module.items {
            if let Item::Alias(alias, _) = item
                && let Some(&target) = definitions.get(&module.function(alias.target).name)
            {
                definitions.insert(module.function(alias.name).name, target);
            }
        }
        let uses = module.functions.iter().map(|function| match &function.body {
            Some(body) => use_of(module, body, &definitions),
            None => Use::default(),
        });
        Self(uses.collect())
    }

    /// What a kernel uses, itself or in functions that it calls or takes the address of.
    fn reached(&self, kernel: FunctionId) -> Reached<'_> {
        let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
        let mut left = vec![kernel];
        let mut reached =
            Reached { functions: Vec::new(), variables: FxHashSet::default(), has_locals: false };
        while let Some(id) = left.pop() {
            if let Some(function) = self.0.get(id.0 as usize)
                && seen.insert(id)
            {
                left.extend(&function.functions);
                reached.variables.extend(&function.variables);
                reached.has_locals |= function.has_locals;
                reached.functions.push(function);
            }
        }
        reached
    }
}

fn use_of(module: &Module, body: &Body, definitions: &FxHashMap<StrId, FunctionId>) -> Use {
    let defined = |id: FunctionId| definitions.get(&module.function(id).name).copied();
    let declared: Vec<VarId> = body.statements.iter().filter_map(declared).collect();
    let has_locals = declared.iter().any(|id| is_shared(module.variable(*id)));
    let mut used = Use { functions: Vec::new(), variables: declared, has_locals, groups: [None; 2] };
    for (_, inst) in body.instructions() {
        body.for_each_operand(inst, |operand, _| match operand {
            Operand::Symbol(Symbol::Variable(id), _)
            | Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), _) => used.variables.push(id),
            Operand::Symbol(Symbol::Function(id), _)
            | Operand::Address(AddressBase::Symbol(Symbol::Function(id)), _) => {
                used.functions.extend(defined(id));
            }
            _ => {}
        });
        if inst.mnemonic.opcode() == Opcode::Tcgen05 {
            for (group, first) in GROUPS.into_iter().zip(&mut used.groups) {
                if inst.mnemonic.has(group) {
                    first.get_or_insert(inst.at.0);
                }
            }
        }
    }
    used
}
