//! Legalization: LLVM IR that PTX can express.
//!
//! In: a module as it was given, which is not changed. Out: a copy without what PTX has not, where the module has such; what remains is LLVM
//! IR that means the same, so that it can be tested by executing it anywhere (`test-suite/tests/legalize.rs` does, with `lli`).
//!
//! | what | by |
//! |---|---|
//! | vectors with a length, matrices, memory set to a pattern | [`ptx_llvm::expand_intrinsics`] |
//! | what is in [`OPERATIONS`] | functions written as LLVM IR, inlined by [`ptx_llvm::replace`] |
//! | division and remainder of integers over 64 bits | [`ptx_llvm::expand_wide_divisions`] |
//!
//! An operation of [`OPERATIONS`] is written for the very types and constants that it has, so that nothing has to be simplified afterwards:
//!
//! ```text
//!   %r = call i32 @llvm.vector.reduce.add.v2i32(<2 x i32> %v)
//! ```
//!
//! becomes
//!
//! ```text
//!   %1 = extractelement <2 x i32> %v, i32 0
//!   %2 = extractelement <2 x i32> %v, i32 1
//!   %r = add i32 %1, %2
//! ```
//!
//! What an operation cannot do (a scalable vector, a place that is not a constant) it leaves as it is, and emission refuses it.

mod casts;
mod code;
mod floats;
mod integers;
mod site;
mod vectors;

use std::fmt::Write;

use ptx_llvm::view::{
    BinaryOp, Call, CastOp, Constant, Function, FunctionId, InstId, Metadata, Op, Symbol, Type, TypeId,
    Value, View,
};
use ptx_llvm::{Branches, Gpu, LlvmError, Machine, Module, OptLevel, Replacement, marks};
use rustc_hash::FxHashMap as HashMap;

use self::site::Site;
use crate::intrinsics::base_name;
use crate::target::RaiseOptions;

/// The widest integers that PTX divides.
const WIDEST_DIVISION: u32 = 64;

/// Writes the body of a function for an instruction; `None` where PTX has what it does, or where nothing can be done.
type Operation = fn(&Site<'_>) -> Option<String>;

/// Intrinsics, without `llvm.` and types, and instructions that PTX has nothing for, or not for their types.
const OPERATIONS: &[(&str, Operation)] = &[
    ("abs", integers::magnitude),
    ("bitreverse", integers::turned),
    ("bswap", integers::turned),
    ("ctlz", integers::counted),
    ("ctpop", integers::counted),
    ("cttz", integers::counted),
    ("experimental.cttz.elts", vectors::first_set),
    ("experimental.get.vector.length", vectors::vector_length),
    ("experimental.vector.compress", vectors::compressed),
    ("experimental.vector.extract.last.active", vectors::last_active),
    ("experimental.vector.match", vectors::matched),
    ("fptosi", casts::to_integer),
    ("fptosi.sat", casts::to_integer),
    ("fptoui", casts::to_integer),
    ("fptoui.sat", casts::to_integer),
    ("frem", floats::remainder),
    ("frexp", floats::split),
    ("fshl", integers::funnel),
    ("fshr", integers::funnel),
    ("get.active.lane.mask", vectors::active_lanes),
    ("ldexp", floats::scaled),
    ("llrint", floats::rounded),
    ("llround", floats::rounded),
    ("loop.dependence.raw.mask", vectors::dependence),
    ("loop.dependence.war.mask", vectors::dependence),
    ("lrint", floats::rounded),
    ("lround", floats::rounded),
    ("modf", floats::fraction),
    ("powi", floats::power),
    ("sadd.sat", integers::saturated),
    ("sadd.with.overflow", integers::with_overflow),
    ("scmp", integers::three_way),
    ("sdiv", integers::divided),
    ("sdiv.fix", integers::fixed_point),
    ("sdiv.fix.sat", integers::fixed_point),
    ("sitofp", casts::to_float),
    ("smax", integers::extreme),
    ("smin", integers::extreme),
    ("smul.fix", integers::fixed_point),
    ("smul.fix.sat", integers::fixed_point),
    ("smul.with.overflow", integers::with_overflow),
    ("srem", integers::divided),
    ("sshl.sat", integers::saturated_shift),
    ("ssub.sat", integers::saturated),
    ("ssub.with.overflow", integers::with_overflow),
    ("stepvector", vectors::numbers),
    ("uadd.sat", integers::saturated),
    ("uadd.with.overflow", integers::with_overflow),
    ("ucmp", integers::three_way),
    ("udiv", integers::divided),
    ("udiv.fix", integers::fixed_point),
    ("udiv.fix.sat", integers::fixed_point),
    ("uitofp", casts::to_float),
    ("umax", integers::extreme),
    ("umin", integers::extreme),
    ("umul.fix", integers::fixed_point),
    ("umul.fix.sat", integers::fixed_point),
    ("umul.with.overflow", integers::with_overflow),
    ("urem", integers::divided),
    ("ushl.sat", integers::saturated_shift),
    ("usub.sat", integers::saturated),
    ("usub.with.overflow", integers::with_overflow),
    ("vector.extract", vectors::moved),
    ("vector.insert", vectors::moved),
    ("vector.partial.reduce.add", vectors::partly_reduced),
    ("vector.partial.reduce.fadd", vectors::partly_reduced),
    ("vector.reverse", vectors::moved),
    ("vector.splice", vectors::moved),
    ("vector.splice.left", vectors::moved),
    ("vector.splice.right", vectors::moved),
];

/// What an intrinsic with its own rounding and exceptions begins with; PTX has no exceptions.
const CONSTRAINED: &str = "experimental.constrained.";

/// The same for all intrinsics whose names begin so.
const FAMILIES: &[(&str, Operation)] = &[
    ("vector.deinterleave", vectors::deinterleaved),
    ("vector.interleave", vectors::moved),
    ("vector.reduce.", vectors::reduced),
];

/// The module without what PTX has not; `None` where there is nothing of that. `view` is the module's.
pub(crate) fn legalize<'c>(
    module: &Module<'c>,
    view: &View,
    options: &RaiseOptions,
) -> Result<Option<Module<'c>>, LlvmError> {
    let (intrinsics, divisions) = (ptx_llvm::has_expandable_intrinsics(module), has_wide_divisions(view));
    let mut functions = if intrinsics { Functions::default() } else { Functions::of(view) };
    if !intrinsics && !divisions && functions.sites.is_empty() {
        return Ok(None);
    }
    let copy = module.copy();
    let machine = machine_for(module, options)?;
    if intrinsics {
        ptx_llvm::expand_intrinsics(&copy, &machine)?;
        functions = Functions::of(&View::new(&copy)?);
    }
    if !functions.sites.is_empty() {
        ptx_llvm::replace(&copy, &functions.text, &functions.sites, &machine)?;
    }
    // What was written or what passes made may be a wide division too.
    ptx_llvm::expand_wide_divisions(&copy, &machine)?;
    // The loops of the pass count the zeros of wide integers.
    let functions = Functions::of(&View::new(&copy)?);
    if !functions.sites.is_empty() {
        ptx_llvm::replace(&copy, &functions.text, &functions.sites, &machine)?;
    }
    // Loops of the passes end as the others do (`ptx_driver::raise`).
    if !copy.has_metadata(marks::VERSION) {
        ptx_llvm::point_branches(&copy, Branches::Back);
    }
    Ok(Some(copy))
}

/// LLVM's target for what the caller or the module asks for: passes want one.
fn machine_for(module: &Module<'_>, options: &RaiseOptions) -> Result<Machine, LlvmError> {
    let version = options.version.map(|version| u32::from(version.major) * 10 + u32::from(version.minor));
    let asked = Gpu { cpu: options.target.map(|sm| sm.to_string()), ptx_version: version, ..Gpu::default() };
    Machine::new(&asked.or(Gpu::of_module(module)).for_pipelines(), OptLevel::O0)
}

/// The functions that a module needs, one for all instructions that it does the same for.
#[derive(Default)]
struct Functions {
    text: String,
    sites: Vec<Replacement>,
}

impl Functions {
    fn of(view: &View) -> Self {
        let intrinsics = intrinsics(view);
        let mut functions = Self::default();
        let prefix = unused_prefix(view);
        let mut names: HashMap<String, String> = HashMap::default();
        for (at, function) in view.functions.iter().enumerate() {
            for (number, inst) in function.insts.iter().enumerate() {
                let found = match &inst.op {
                    Op::Call(call) if !intrinsics.is_empty() => {
                        intrinsic(view, &intrinsics, function, call, inst.ty)
                    }
                    op => instruction(view, function, op, inst.ty),
                };
                let Some((site, operation)) = found else { continue };
                let Some(body) = operation(&site) else { continue };
                let definition = definition(&site, &body);
                let next = format!("{prefix}{}", names.len());
                let name = names.entry(definition).or_insert_with_key(|definition| {
                    let _ = writeln!(
                        functions.text,
                        "define {}",
                        definition.replacen('@', &format!("@{next}"), 1)
                    );
                    next
                });
                let (function, inst) = (FunctionId::new(at), InstId::new(number));
                functions.sites.push(Replacement { function, inst, with: name.clone() });
            }
        }
        functions
    }
}

/// The definition of a function without its name, after `define`.
fn definition(site: &Site<'_>, body: &str) -> String {
    let params: Vec<String> = site
        .args
        .iter()
        .enumerate()
        .map(|(at, (_, ty))| format!("{} %a{at}", site.view.type_text(*ty)))
        .collect();
    format!("{} @({}) {{\n{body}}}\n", site.view.type_text(site.result), params.join(", "))
}

/// How names begin that the module does not have.
fn unused_prefix(view: &View) -> String {
    let mut prefix = "legal.".to_owned();
    let names = || {
        let functions = view.functions.iter().map(|function| function.name.as_str());
        let globals = view.globals.iter().map(|global| global.name.as_str());
        functions.chain(globals).chain(view.aliases.iter().map(|alias| alias.name.as_str()))
    };
    while names().any(|name| name.starts_with(&prefix)) {
        prefix.push('.');
    }
    prefix
}

/// The functions of a module that are such intrinsics: what they are called, and what becomes of their calls.
fn intrinsics(view: &View) -> HashMap<FunctionId, (String, Operation)> {
    let mut found = HashMap::default();
    for (at, function) in view.functions.iter().enumerate() {
        if !function.name.starts_with("llvm.") {
            continue;
        }
        let base = base_name(&function.name);
        let Some(name) = base.strip_prefix("llvm.") else { continue };
        let plain = name.strip_prefix(CONSTRAINED);
        // Elements past the length are poison; LLVM's pass leaves these two as they are.
        let with_length = || name.strip_prefix("vp.").filter(|own| matches!(*own, "lrint" | "llrint"));
        let name = plain.or_else(with_length).unwrap_or(name);
        let family = || FAMILIES.iter().find(|(start, _)| name.starts_with(start)).map(|(_, found)| *found);
        if let Some(found_operation) = operation(name).or_else(family) {
            found.insert(FunctionId::new(at), (name.to_owned(), found_operation));
        }
    }
    found
}

fn operation(name: &str) -> Option<Operation> {
    let place = OPERATIONS.binary_search_by(|(operation, _)| (*operation).cmp(name)).ok()?;
    OPERATIONS.get(place).map(|(_, operation)| *operation)
}

/// What an instruction is of these.
fn instruction<'v>(
    view: &'v View,
    function: &Function,
    op: &Op,
    result: TypeId,
) -> Option<(Site<'v>, Operation)> {
    let is_wide_value = |value: Value| view.value_type(function, value).is_some_and(|ty| is_wide(view, ty));
    let (name, operands, fast) = match *op {
        Op::Binary { op, lhs, rhs, fast, .. } if op == BinaryOp::FRem || is_wide(view, result) => {
            let name = match op {
                BinaryOp::FRem => "frem",
                BinaryOp::UDiv => "udiv",
                BinaryOp::SDiv => "sdiv",
                BinaryOp::URem => "urem",
                BinaryOp::SRem => "srem",
                _ => return None,
            };
            (name, vec![lhs, rhs], fast)
        }
        Op::Cast { op, value, fast, .. } if is_wide(view, result) || is_wide_value(value) => {
            let name = match op {
                CastOp::FPToSI => "fptosi",
                CastOp::FPToUI => "fptoui",
                CastOp::SIToFP => "sitofp",
                CastOp::UIToFP => "uitofp",
                _ => return None,
            };
            (name, vec![value], fast)
        }
        _ => return None,
    };
    let args = operands.into_iter().filter_map(|arg| Some((arg, view.value_type(function, arg)?))).collect();
    Some((Site { view, name, args, result, fast, rounding: None }, operation(name)?))
}

/// What a call is of these.
fn intrinsic<'v>(
    view: &'v View,
    intrinsics: &'v HashMap<FunctionId, (String, Operation)>,
    function: &Function,
    call: &Call,
    result: TypeId,
) -> Option<(Site<'v>, Operation)> {
    let Value::Const(callee) = call.callee else { return None };
    let Constant::Symbol(Symbol::Function(callee)) = view.constant(callee) else { return None };
    let (name, operation) = intrinsics.get(callee)?;
    let args = call.args.iter().filter_map(|arg| Some((*arg, view.value_type(function, *arg)?))).collect();
    let rounding = call.args.iter().find_map(|arg| match arg {
        Value::Metadata(id) => match view.metadata(*id) {
            Metadata::String(text) => text.starts_with("round.").then_some(text.as_str()),
            _ => None,
        },
        _ => None,
    });
    Some((Site { view, name, args, result, fast: call.fast, rounding }, *operation))
}

fn has_wide_divisions(view: &View) -> bool {
    let is_division =
        |op: BinaryOp| matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
    let mut insts = view.functions.iter().flat_map(|function| &function.insts);
    insts.any(|inst| matches!(inst.op, Op::Binary { op, .. } if is_division(op)) && is_wide(view, inst.ty))
}

/// Whether a type is an integer that PTX cannot divide, or a vector of such.
fn is_wide(view: &View, ty: TypeId) -> bool {
    match view.ty(ty) {
        Type::Int { bits } => *bits > WIDEST_DIVISION,
        Type::Vector { element, .. } => {
            matches!(view.ty(*element), Type::Int { bits } if *bits > WIDEST_DIVISION)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::OPERATIONS;

    #[test]
    fn operations_are_in_the_order_in_which_they_are_searched() {
        assert!(OPERATIONS.is_sorted_by(|(one, _), (next, _)| one < next));
    }
}
