//! Legalization: transforms LLVM IR to constructs that PTX has.
//!
//! The module is not changed; if it has constructs that PTX does not have, the result is a copy without them. That is LLVM IR with the same
//! semantics, which can be tested by executing it on any machine (`test-suite/tests/it/legalize` does, with `lli`).
//!
//! | what | by |
//! |---|---|
//! | vectors with a length, matrices, memory set to a pattern | [`ptx_llvm_core::expand_intrinsics`] |
//! | what is in `OPERATIONS` | functions written as LLVM IR, inlined by [`ptx_llvm_core::replace`] |
//! | division and remainder of integers over 64 bits | [`ptx_llvm_core::expand_wide_divisions`] |
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
//! Cases that an operation does not support (a scalable vector, an index that is not a constant) are left unchanged, and emission rejects
//! them.

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
mod warp;

use std::fmt::Write;

use ptx_llvm_core::intrinsics::base_name;
use ptx_llvm_core::view::{
    BinaryOp, Call, CastOp, Constant, FastMath, Function, FunctionId, Inst, InstId, Op, Symbol, Type, TypeId,
    Value, View,
};
use ptx_llvm_core::{Gpu, LlvmError, Machine, Module, OptLevel, Replacement, marks};
use rustc_hash::FxHashMap as HashMap;

pub use crate::site::Atomics;

use crate::copies::Filling;
use crate::functions::Approximated;
use crate::integers::{Counted, Division, FixedPoint, Overflowing};
use crate::site::Site;
use crate::vectors::Moved;

/// The widest integers that PTX divides.
const WIDEST_DIVISION: u32 = 64;

/// Writes the body of a function for an instruction; `None` where PTX has what it does, or where nothing can be done.
type Operation = fn(&Site<'_>) -> Option<String>;

/// The same for an intrinsic of a family, by the rest of its name.
type Family = fn(&Site<'_>, &str) -> Option<String>;

/// Intrinsics, without `llvm.` and types, that PTX has nothing for, or not for their types.
const OPERATIONS: &[(&str, Operation)] = &[
    ("abs", integers::magnitude),
    ("bitreverse", |site| integers::turned(site, "bitreverse")),
    ("bswap", |site| integers::turned(site, "bswap")),
    ("clmul", integers::carryless),
    ("copysign", |site| floats::signed_quadruple(site, false)),
    ("ctlz", |site| integers::counted(site, Counted::LeadingZeros)),
    ("ctpop", |site| integers::counted(site, Counted::Ones)),
    ("cttz", |site| integers::counted(site, Counted::TrailingZeros)),
    ("exp", |site| functions::approximated(site, Approximated::EXP)),
    ("exp10", |site| functions::approximated(site, Approximated::EXP10)),
    ("experimental.cttz.elts", vectors::first_set),
    ("experimental.get.vector.length", vectors::vector_length),
    ("experimental.vector.compress", vectors::compressed),
    ("experimental.vector.extract.last.active", vectors::last_active),
    ("experimental.vector.match", vectors::matched),
    ("fabs", |site| floats::signed_quadruple(site, false)),
    ("fptosi", |site| casts::to_integer(site, true, false)),
    ("fptosi.sat", |site| casts::to_integer(site, true, true)),
    ("fptoui", |site| casts::to_integer(site, false, false)),
    ("fptoui.sat", |site| casts::to_integer(site, false, true)),
    ("frem", floats::remainder),
    ("frexp", floats::split),
    ("fshl", |site| integers::funnel(site, true)),
    ("fshr", |site| integers::funnel(site, false)),
    ("get.active.lane.mask", vectors::active_lanes),
    ("ldexp", floats::scaled),
    ("llrint", |site| floats::rounded(site, "rint")),
    ("llround", |site| floats::rounded(site, "round")),
    ("load.relative", memory::relative),
    ("log", |site| functions::approximated(site, Approximated::LOG)),
    ("log10", |site| functions::approximated(site, Approximated::LOG10)),
    ("log2", functions::logarithm),
    ("loop.dependence.raw.mask", |site| vectors::dependence(site, false)),
    ("loop.dependence.war.mask", |site| vectors::dependence(site, true)),
    ("lrint", |site| floats::rounded(site, "rint")),
    ("lround", |site| floats::rounded(site, "round")),
    ("masked.compressstore", |site| memory::masked(site, true)),
    ("masked.expandload", |site| memory::masked(site, true)),
    ("masked.gather", |site| memory::masked(site, false)),
    ("masked.load", |site| memory::masked(site, false)),
    ("masked.scatter", |site| memory::masked(site, false)),
    ("masked.store", |site| memory::masked(site, false)),
    ("memcpy", |site| copies::filled(site, Filling::Copied, false)),
    ("memcpy.element.unordered.atomic", |site| copies::filled(site, Filling::Copied, true)),
    ("memcpy.inline", |site| copies::filled(site, Filling::Copied, false)),
    ("memmove", |site| copies::filled(site, Filling::Moved, false)),
    ("memmove.element.unordered.atomic", |site| copies::filled(site, Filling::Moved, true)),
    ("memset", |site| copies::filled(site, Filling::Set, false)),
    ("memset.element.unordered.atomic", |site| copies::filled(site, Filling::Set, true)),
    ("memset.inline", |site| copies::filled(site, Filling::Set, false)),
    ("modf", floats::fraction),
    ("nvvm.match.all.sync", warp::matched),
    ("nvvm.shfl.sync", warp::shuffled),
    ("nvvm.vote.sync", warp::voted),
    ("pow", |site| functions::approximated(site, Approximated::Power)),
    ("powi", floats::power),
    ("round", functions::away),
    ("sadd.sat", |site| integers::saturated(site, Overflowing::Sum, true)),
    ("sadd.with.overflow", |site| integers::with_overflow(site, Overflowing::Sum, true)),
    ("scmp", |site| integers::three_way(site, 's')),
    ("sdiv.fix", |site| {
        integers::fixed_point(site, FixedPoint { signed: true, divides: true, saturates: false })
    }),
    ("sdiv.fix.sat", |site| {
        integers::fixed_point(site, FixedPoint { signed: true, divides: true, saturates: true })
    }),
    ("sitofp", |site| casts::to_float(site, true)),
    ("smax", |site| integers::extreme(site, "sgt")),
    ("smin", |site| integers::extreme(site, "slt")),
    ("smul.fix", |site| {
        integers::fixed_point(site, FixedPoint { signed: true, divides: false, saturates: false })
    }),
    ("smul.fix.sat", |site| {
        integers::fixed_point(site, FixedPoint { signed: true, divides: false, saturates: true })
    }),
    ("smul.with.overflow", |site| integers::with_overflow(site, Overflowing::Product, true)),
    ("sshl.sat", |site| integers::saturated_shift(site, true)),
    ("ssub.sat", |site| integers::saturated(site, Overflowing::Difference, true)),
    ("ssub.with.overflow", |site| integers::with_overflow(site, Overflowing::Difference, true)),
    ("stepvector", vectors::numbers),
    ("tan", |site| functions::approximated(site, Approximated::Tangent)),
    ("uadd.sat", |site| integers::saturated(site, Overflowing::Sum, false)),
    ("uadd.with.overflow", |site| integers::with_overflow(site, Overflowing::Sum, false)),
    ("ucmp", |site| integers::three_way(site, 'u')),
    ("udiv.fix", |site| {
        integers::fixed_point(site, FixedPoint { signed: false, divides: true, saturates: false })
    }),
    ("udiv.fix.sat", |site| {
        integers::fixed_point(site, FixedPoint { signed: false, divides: true, saturates: true })
    }),
    ("uitofp", |site| casts::to_float(site, false)),
    ("umax", |site| integers::extreme(site, "ugt")),
    ("umin", |site| integers::extreme(site, "ult")),
    ("umul.fix", |site| {
        integers::fixed_point(site, FixedPoint { signed: false, divides: false, saturates: false })
    }),
    ("umul.fix.sat", |site| {
        integers::fixed_point(site, FixedPoint { signed: false, divides: false, saturates: true })
    }),
    ("umul.with.overflow", |site| integers::with_overflow(site, Overflowing::Product, false)),
    ("ushl.sat", |site| integers::saturated_shift(site, false)),
    ("usub.sat", |site| integers::saturated(site, Overflowing::Difference, false)),
    ("usub.with.overflow", |site| integers::with_overflow(site, Overflowing::Difference, false)),
    ("vector.extract", |site| vectors::moved(site, Moved::Extracted)),
    ("vector.insert", |site| vectors::moved(site, Moved::Inserted)),
    ("vector.partial.reduce.add", |site| vectors::partly_reduced(site, "add")),
    ("vector.partial.reduce.fadd", |site| vectors::partly_reduced(site, "fadd")),
    ("vector.reverse", |site| vectors::moved(site, Moved::Reversed)),
    ("vector.splice", |site| vectors::moved(site, Moved::Spliced)),
    ("vector.splice.left", |site| vectors::moved(site, Moved::Spliced)),
    ("vector.splice.right", |site| vectors::moved(site, Moved::SplicedFromRight)),
];

/// The prefix of intrinsics with rounding mode and exception behaviour; PTX has no exceptions.
const CONSTRAINED: &str = "experimental.constrained.";

/// The same for all intrinsics with these prefixes.
const FAMILIES: &[(&str, Family)] = &[
    (CONSTRAINED, functions::constrained),
    ("experimental.vector.histogram.", memory::histogram),
    ("vector.deinterleave", |site, _| vectors::deinterleaved(site)),
    ("vector.interleave", |site, _| vectors::moved(site, Moved::Interleaved)),
    ("vector.reduce.", vectors::reduced),
];

/// Writes the function for calls of an intrinsic.
#[derive(Clone, Copy)]
enum Writer<'v> {
    Own(Operation),
    Family(Family, &'v str),
}

impl<'v> Writer<'v> {
    /// That of an intrinsic by its name without `llvm.` and types.
    fn of(name: &'v str) -> Option<Self> {
        let family = || {
            FAMILIES.iter().find_map(|(start, found)| Some(Self::Family(*found, name.strip_prefix(start)?)))
        };
        operation(name).map(Self::Own).or_else(family)
    }

    fn write(self, site: &Site<'_>) -> Option<String> {
        match self {
            Self::Own(write) => write(site),
            Self::Family(write, rest) => write(site, rest),
        }
    }
}

/// An intrinsic that a module declares: its name without `llvm.` and types, and the writer of the function for its calls.
type Intrinsics<'v> = HashMap<FunctionId, (&'v str, Writer<'v>)>;

/// The module without constructs that PTX does not have; `None` if it has none. `view` is the view of the module; the GPU is the one for LLVM's passes, and its
/// unspecified properties are those of the module.
///
/// # Errors
///
/// Errors of LLVM's passes.
pub fn legalize<'c>(
    module: &Module<'c>,
    view: &View,
    (gpu, atomics): (Gpu, Atomics),
) -> Result<Option<Module<'c>>, LlvmError> {
    let (intrinsics, divisions) =
        (ptx_llvm_core::has_expandable_intrinsics(module), has_wide_divisions(view));
    let mut functions = if intrinsics { Functions::default() } else { Functions::of(view, atomics) };
    if !intrinsics && !divisions && functions.sites.is_empty() {
        return Ok(None);
    }
    let mut copy = module.copy();
    let machine = Machine::new(&gpu.or(Gpu::of_module(module)).for_pipelines(), OptLevel::O0)?;
    if intrinsics {
        ptx_llvm_core::expand_intrinsics(&mut copy, &machine)?;
        functions = Functions::of(&View::new(&copy)?, atomics);
    }
    functions.replace_in(&mut copy, &machine)?;
    // The written functions and the output of passes may contain wide divisions, too.
    ptx_llvm_core::expand_wide_divisions(&mut copy, &machine)?;
    // The loops of the pass count the zeros of wide integers.
    Functions::of(&View::new(&copy)?, atomics).replace_in(&mut copy, &machine)?;
    // Loops of the passes end as the others do (`ptx_driver::raise`).
    if !copy.has_metadata(marks::VERSION) {
        ptx_opt::point_branches(&mut copy, ptx_opt::Branches::Back)?;
    }
    Ok(Some(copy))
}

/// The functions that a module needs, one for all instructions of the same kind.
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
                Op::Call(call) => match callee(view, &intrinsics, call) {
                    Some((name, _)) => copies::pointers(name, &call.args),
                    None => &[],
                },
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
                let Some((site, writer)) = found else { continue };
                let Some(body) = writer.write(&site) else { continue };
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
    fn replace_in(&self, module: &mut Module<'_>, machine: &Machine) -> Result<(), LlvmError> {
        if self.sites.is_empty() {
            return Ok(());
        }
        ptx_llvm_core::align_variables(module, &self.variables);
        ptx_llvm_core::replace(module, &self.text, &self.sites, machine)
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

/// The functions of a module that are such intrinsics.
fn intrinsics(view: &View) -> Intrinsics<'_> {
    let mut found = HashMap::default();
    for (at, function) in view.functions.iter().enumerate() {
        if !function.name.starts_with("llvm.") {
            continue;
        }
        let Some(name) = base_name(&function.name).strip_prefix("llvm.") else { continue };
        // Elements past the length are poison; LLVM's pass leaves these as they are.
        let with_length = name.strip_prefix("vp.").filter(|own| matches!(*own, "lrint" | "llrint" | "round"));
        let name = with_length.unwrap_or(name);
        if let Some(writer) = Writer::of(name) {
            found.insert(FunctionId::new(at), (name, writer));
        }
    }
    found
}

fn operation(name: &str) -> Option<Operation> {
    let place = OPERATIONS.binary_search_by(|(operation, _)| (*operation).cmp(name)).ok()?;
    OPERATIONS.get(place).map(|(_, operation)| *operation)
}

/// The operation that legalizes an instruction.
fn instruction<'v>(
    view: &'v View,
    (function, filled): (&'v Function, &'v HashMap<InstId, u64>),
    atomics: Atomics,
    inst: &'v Inst,
) -> Option<(Site<'v>, Writer<'v>)> {
    let result = inst.ty;
    let is_wide_value = |value: Value| view.value_type(function, value).is_some_and(|ty| is_wide(view, ty));
    let plain = FastMath::default();
    let (operation, operands, fast): (Operation, _, _) = match inst.op {
        Op::Binary { op: BinaryOp::FRem, lhs, rhs, fast, .. } => (floats::remainder, vec![lhs, rhs], fast),
        Op::Binary { op, lhs, rhs, fast, .. } if is_wide(view, result) => {
            (division(op)?, vec![lhs, rhs], fast)
        }
        Op::AtomicRmw { ptr, value, .. } => (atomics::updated, vec![ptr, value], plain),
        Op::CmpXchg { ptr, expected, new, .. } => (atomics::exchanged, vec![ptr, expected, new], plain),
        Op::FNeg { value, fast, .. } if view.is_quadruple(result) => {
            (|site| floats::signed_quadruple(site, true), vec![value], fast)
        }
        Op::Cast { op, value, fast, .. } if is_wide(view, result) || is_wide_value(value) => {
            (wide_cast(op)?, vec![value], fast)
        }
        _ => return None,
    };
    let args = operands.into_iter().filter_map(|arg| Some((arg, view.value_type(function, arg)?))).collect();
    Some((Site { view, function, inst, filled, atomics, args, result, fast }, Writer::Own(operation)))
}

/// The operation that legalizes a division of wide integers.
const fn division(op: BinaryOp) -> Option<Operation> {
    Some(match op {
        BinaryOp::UDiv => |site| integers::divided(site, Division { signed: false, remainder: false }),
        BinaryOp::SDiv => |site| integers::divided(site, Division { signed: true, remainder: false }),
        BinaryOp::URem => |site| integers::divided(site, Division { signed: false, remainder: true }),
        BinaryOp::SRem => |site| integers::divided(site, Division { signed: true, remainder: true }),
        _ => return None,
    })
}

/// The operation that legalizes a conversion from or to wide integers.
const fn wide_cast(op: CastOp) -> Option<Operation> {
    Some(match op {
        CastOp::FPToSI => |site| casts::to_integer(site, true, false),
        CastOp::FPToUI => |site| casts::to_integer(site, false, false),
        CastOp::SIToFP => |site| casts::to_float(site, true),
        CastOp::UIToFP => |site| casts::to_float(site, false),
        _ => return None,
    })
}

/// Which of these a call calls.
fn callee<'v>(view: &View, intrinsics: &Intrinsics<'v>, call: &Call) -> Option<(&'v str, Writer<'v>)> {
    let Value::Const(callee) = call.callee else { return None };
    let Constant::Symbol(Symbol::Function(callee)) = view.constant(callee) else { return None };
    intrinsics.get(callee).copied()
}

/// The operation that legalizes a call.
fn intrinsic<'v>(
    view: &'v View,
    intrinsics: &Intrinsics<'v>,
    (function, filled): (&'v Function, &'v HashMap<InstId, u64>),
    atomics: Atomics,
    (inst, call): (&'v Inst, &'v Call),
) -> Option<(Site<'v>, Writer<'v>)> {
    let (_, writer) = callee(view, intrinsics, call)?;
    let args = call.args.iter().filter_map(|arg| Some((*arg, view.value_type(function, *arg)?))).collect();
    let result = inst.ty;
    Some((Site { view, function, inst, filled, atomics, args, result, fast: call.fast }, writer))
}

fn has_wide_divisions(view: &View) -> bool {
    let is_division =
        |op: BinaryOp| matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
    let mut insts = view.functions.iter().flat_map(|function| &function.insts);
    insts.any(|inst| matches!(inst.op, Op::Binary { op, .. } if is_division(op)) && is_wide(view, inst.ty))
}

/// Whether a type is an integer that PTX cannot divide, or a vector of such.
fn is_wide(view: &View, ty: TypeId) -> bool {
    matches!(view.ty(view.element_type(ty)), Type::Int { bits } if *bits > WIDEST_DIVISION)
}

#[cfg(test)]
mod tests {
    use super::OPERATIONS;

    #[test]
    fn operations_are_in_the_order_in_which_they_are_searched() {
        assert!(OPERATIONS.is_sorted_by(|(one, _), (next, _)| one < next));
    }
}
