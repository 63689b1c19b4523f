//! Legalization: LLVM IR that PTX can express.
//!
//! In: a module as it was given, which is not changed. Out: a copy without what PTX has not, where the module has such; what remains is LLVM
//! IR that means the same, so that it can be tested by executing it anywhere (`test-suite/tests/legalize.rs` does, with `lli`).
//!
//! | what | by |
//! |---|---|
//! | vectors with a length, matrices, memory set to a pattern | [`ptx_llvm::expand_intrinsics`] |
//! | what is in `OPERATIONS` | functions written as LLVM IR, inlined by [`ptx_llvm::replace`] |
//! | division and remainder of integers over 64 bits | [`ptx_llvm::expand_wide_divisions`] |
//!
//! An operation of `OPERATIONS` is written for the very types and constants that it has, so that nothing has to be simplified afterwards:
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

mod atomics;
mod casts;
mod code;
mod copies;
mod floats;
mod functions;
mod integers;
mod memory;
mod object;
mod site;
mod vectors;

use std::fmt::Write;

use ptx_llvm::intrinsics::base_name;
use ptx_llvm::view::{
    BinaryOp, Call, CastOp, Constant, FastMath, FloatKind, Function, FunctionId, Inst, InstId, Op, Symbol,
    Type, TypeId, Value, View,
};
use ptx_llvm::{Branches, Gpu, LlvmError, Machine, Module, OptLevel, Replacement, marks};
use rustc_hash::FxHashMap as HashMap;

pub use crate::site::Atomics;
use crate::site::Site;

/// The widest integers that PTX divides.
const WIDEST_DIVISION: u32 = 64;

/// Writes the body of a function for an instruction; `None` where PTX has what it does, or where nothing can be done.
type Operation = fn(&Site<'_>) -> Option<String>;

/// Intrinsics, without `llvm.` and types, and instructions that PTX has nothing for, or not for their types.
const OPERATIONS: &[(&str, Operation)] = &[
    ("abs", integers::magnitude),
    ("atomicrmw", atomics::updated),
    ("bitreverse", integers::turned),
    ("bswap", integers::turned),
    ("clmul", integers::carryless),
    ("cmpxchg", atomics::exchanged),
    ("copysign", floats::signed_quadruple),
    ("ctlz", integers::counted),
    ("ctpop", integers::counted),
    ("cttz", integers::counted),
    ("exp", functions::approximated),
    ("exp10", functions::approximated),
    ("experimental.cttz.elts", vectors::first_set),
    ("experimental.get.vector.length", vectors::vector_length),
    ("experimental.vector.compress", vectors::compressed),
    ("experimental.vector.extract.last.active", vectors::last_active),
    ("experimental.vector.match", vectors::matched),
    ("fabs", floats::signed_quadruple),
    ("fneg", floats::signed_quadruple),
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
    ("load.relative", memory::relative),
    ("log", functions::approximated),
    ("log10", functions::approximated),
    ("log2", functions::logarithm),
    ("loop.dependence.raw.mask", vectors::dependence),
    ("loop.dependence.war.mask", vectors::dependence),
    ("lrint", floats::rounded),
    ("lround", floats::rounded),
    ("masked.compressstore", memory::masked),
    ("masked.expandload", memory::masked),
    ("masked.gather", memory::masked),
    ("masked.load", memory::masked),
    ("masked.scatter", memory::masked),
    ("masked.store", memory::masked),
    ("memcpy", copies::copied),
    ("memcpy.element.unordered.atomic", copies::copied),
    ("memcpy.inline", copies::copied),
    ("memmove", copies::copied),
    ("memmove.element.unordered.atomic", copies::copied),
    ("memset", copies::copied),
    ("memset.element.unordered.atomic", copies::copied),
    ("memset.inline", copies::copied),
    ("modf", floats::fraction),
    ("pow", functions::approximated),
    ("powi", floats::power),
    ("round", functions::away),
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
    ("tan", functions::approximated),
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
    ("experimental.vector.histogram.", memory::histogram),
    ("vector.deinterleave", vectors::deinterleaved),
    ("vector.interleave", vectors::moved),
    ("vector.reduce.", vectors::reduced),
];

/// The module without what PTX has not; `None` where there is nothing of that. `view` is the module's; the GPU is the one that the passes of LLVM are told, and what it
/// does not say the module does.
///
/// # Errors
///
/// What LLVM's passes refuse.
pub fn legalize<'c>(
    module: &Module<'c>,
    view: &View,
    (gpu, atomics): (Gpu, Atomics),
) -> Result<Option<Module<'c>>, LlvmError> {
    let (intrinsics, divisions) = (ptx_llvm::has_expandable_intrinsics(module), has_wide_divisions(view));
    let mut functions = if intrinsics { Functions::default() } else { Functions::of(view, atomics) };
    if !intrinsics && !divisions && functions.sites.is_empty() {
        return Ok(None);
    }
    let copy = module.copy();
    let machine = Machine::new(&gpu.or(Gpu::of_module(module)).for_pipelines(), OptLevel::O0)?;
    if intrinsics {
        ptx_llvm::expand_intrinsics(&copy, &machine)?;
        functions = Functions::of(&View::new(&copy)?, atomics);
    }
    functions.replace_in(&copy, &machine)?;
    // What was written or what passes made may be a wide division too.
    ptx_llvm::expand_wide_divisions(&copy, &machine)?;
    // The loops of the pass count the zeros of wide integers.
    Functions::of(&View::new(&copy)?, atomics).replace_in(&copy, &machine)?;
    // Loops of the passes end as the others do (`ptx_driver::raise`).
    if !copy.has_metadata(marks::VERSION) {
        ptx_llvm::point_branches(&copy, Branches::Back);
    }
    Ok(Some(copy))
}

/// The functions that a module needs, one for all instructions that it does the same for.
#[derive(Default)]
struct Functions {
    text: String,
    sites: Vec<Replacement>,
    /// The variables that get another alignment.
    variables: Vec<(FunctionId, InstId, u64)>,
}

impl Functions {
    fn of(view: &View, atomics: Atomics) -> Self {
        let intrinsics = intrinsics(view);
        let mut functions = Self::default();
        let prefix = unused_prefix(view);
        let mut names: HashMap<String, String> = HashMap::default();
        for (at, function) in view.functions.iter().enumerate() {
            let copied = function.insts.iter().flat_map(|inst| match &inst.op {
                Op::Call(call) => callee(view, &intrinsics, call)
                    .map_or(&[][..], |(name, _)| copies::pointers(name, &call.args)),
                _ => &[],
            });
            let filled = object::filled(view, function, copied);
            functions.variables.extend(filled.iter().map(|(id, align)| (FunctionId::new(at), *id, *align)));
            for (number, inst) in function.insts.iter().enumerate() {
                let found = match &inst.op {
                    Op::Call(call) if !intrinsics.is_empty() => {
                        intrinsic(view, &intrinsics, (function, &filled), atomics, (inst, call))
                    }
                    _ => instruction(view, (function, &filled), atomics, inst),
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

    /// Replaces the instructions of the module that these are for.
    fn replace_in(&self, module: &Module<'_>, machine: &Machine) -> Result<(), LlvmError> {
        if self.sites.is_empty() {
            return Ok(());
        }
        ptx_llvm::align_variables(module, &self.variables);
        ptx_llvm::replace(module, &self.text, &self.sites, machine)
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
        // Elements past the length are poison; LLVM's pass leaves these as they are.
        let with_length =
            || name.strip_prefix("vp.").filter(|own| matches!(*own, "lrint" | "llrint" | "round"));
        let name = plain.or_else(with_length).unwrap_or(name);
        let family = || FAMILIES.iter().find(|(start, _)| name.starts_with(start)).map(|(_, found)| *found);
        let constrained = plain.map(|_| functions::constrained as Operation);
        if let Some(found_operation) = constrained.or_else(|| operation(name)).or_else(family) {
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
    (function, filled): (&'v Function, &'v HashMap<InstId, u64>),
    atomics: Atomics,
    inst: &'v Inst,
) -> Option<(Site<'v>, Operation)> {
    let result = inst.ty;
    let is_wide_value = |value: Value| view.value_type(function, value).is_some_and(|ty| is_wide(view, ty));
    let (name, operands, fast) = match inst.op {
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
        Op::AtomicRmw { ptr, value, .. } => ("atomicrmw", vec![ptr, value], FastMath::default()),
        Op::CmpXchg { ptr, expected, new, .. } => ("cmpxchg", vec![ptr, expected, new], FastMath::default()),
        Op::FNeg { value, fast, .. } if is_quadruple(view, result) => ("fneg", vec![value], fast),
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
    Some((Site { view, function, inst, filled, atomics, name, args, result, fast }, operation(name)?))
}

/// Which of these a call calls.
fn callee<'i>(
    view: &View,
    intrinsics: &'i HashMap<FunctionId, (String, Operation)>,
    call: &Call,
) -> Option<&'i (String, Operation)> {
    let Value::Const(callee) = call.callee else { return None };
    let Constant::Symbol(Symbol::Function(callee)) = view.constant(callee) else { return None };
    intrinsics.get(callee)
}

/// What a call is of these.
fn intrinsic<'v>(
    view: &'v View,
    intrinsics: &'v HashMap<FunctionId, (String, Operation)>,
    (function, filled): (&'v Function, &'v HashMap<InstId, u64>),
    atomics: Atomics,
    (inst, call): (&'v Inst, &'v Call),
) -> Option<(Site<'v>, Operation)> {
    let (name, operation) = callee(view, intrinsics, call)?;
    let args = call.args.iter().filter_map(|arg| Some((*arg, view.value_type(function, *arg)?))).collect();
    let result = inst.ty;
    Some((Site { view, function, inst, filled, atomics, name, args, result, fast: call.fast }, *operation))
}

/// Whether a type is `fp128`, or a vector of it.
fn is_quadruple(view: &View, ty: TypeId) -> bool {
    let element = if let Type::Vector { element, .. } = view.ty(ty) { *element } else { ty };
    matches!(view.ty(element), Type::Float(FloatKind::Other("fp128")))
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
