//! Legalization: LLVM IR that PTX can express.
//!
//! In: a module as it was given, which is not changed. Out: a copy without what PTX has not, where the module has such; what remains is LLVM
//! IR that means the same, so that it can be tested by executing it anywhere (`test-suite/tests/legalize.rs` does, with `lli`).
//!
//! | what | by |
//! |---|---|
//! | vectors with a length, matrices, memory set to a pattern | [`ptx_llvm::express_intrinsics`] |
//! | what is in [`OPERATIONS`] | functions written as LLVM IR, inlined by [`ptx_llvm::replace`] |
//! | division and remainder of integers over 64 bits but by powers of two | [`ptx_llvm::expand_wide_divisions`] |
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

mod code;
mod site;
mod vectors;

use std::fmt::Write;

use ptx_llvm::view::{
    BinaryOp, Call, Constant, Function, FunctionId, InstId, Op, Symbol, Type, TypeId, Value, View,
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

/// Intrinsics, without `llvm.` and types, that PTX has no instruction for.
const OPERATIONS: &[(&str, Operation)] = &[
    ("experimental.cttz.elts", vectors::first_set),
    ("experimental.get.vector.length", vectors::vector_length),
    ("experimental.vector.compress", vectors::compressed),
    ("experimental.vector.extract.last.active", vectors::last_active),
    ("experimental.vector.match", vectors::matched),
    ("get.active.lane.mask", vectors::active_lanes),
    ("loop.dependence.raw.mask", vectors::dependence),
    ("loop.dependence.war.mask", vectors::dependence),
    ("stepvector", vectors::numbers),
    ("vector.extract", vectors::moved),
    ("vector.insert", vectors::moved),
    ("vector.partial.reduce.add", vectors::partly_reduced),
    ("vector.partial.reduce.fadd", vectors::partly_reduced),
    ("vector.reverse", vectors::moved),
    ("vector.splice", vectors::moved),
    ("vector.splice.left", vectors::moved),
    ("vector.splice.right", vectors::moved),
];

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
    let (intrinsics, divisions) = (ptx_llvm::has_expressed_intrinsics(module), has_wide_divisions(view));
    let mut functions = if intrinsics { Functions::default() } else { Functions::of(view) };
    if !intrinsics && !divisions && functions.sites.is_empty() {
        return Ok(None);
    }
    let copy = module.copy();
    let machine = machine_for(module, options)?;
    if intrinsics {
        ptx_llvm::express_intrinsics(&copy, &machine)?;
        functions = Functions::of(&View::new(&copy)?);
    }
    if !functions.sites.is_empty() {
        ptx_llvm::replace(&copy, &functions.text, &functions.sites, &machine)?;
    }
    // What was written or what passes made may be a wide division too.
    ptx_llvm::expand_wide_divisions(&copy, &machine)?;
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
        if intrinsics.is_empty() {
            return functions;
        }
        let prefix = unused_prefix(view);
        let mut names: HashMap<String, String> = HashMap::default();
        for (at, function) in view.functions.iter().enumerate() {
            for (number, inst) in function.insts.iter().enumerate() {
                let found = match &inst.op {
                    Op::Call(call) => intrinsic(view, &intrinsics, function, call, inst.ty),
                    _ => None,
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
        let exact = OPERATIONS.iter().find(|(operation, _)| *operation == name);
        let family = || FAMILIES.iter().find(|(start, _)| name.starts_with(start));
        if let Some((_, operation)) = exact.or_else(family) {
            found.insert(FunctionId::new(at), (name.to_owned(), *operation));
        }
    }
    found
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
    Some((Site { view, name, args, result, fast: call.fast }, *operation))
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
