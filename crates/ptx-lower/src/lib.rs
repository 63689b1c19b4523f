//! Lowers verified PTX to LLVM IR in NVPTX style; `docs/mapping.md` describes the mapping.
//!
//! A module is lowered in four steps. Each body is analysed (`module_analysis`, `analysis`): guards become control flow, registers become
//! values in static single assignment, and each value gets a representation: integer, floating point, or pointer into an
//! address space. Then functions and variables are declared, initial values set, and bodies emitted block by block.
//!
//! Invariants:
//! - every instruction is lowered to plain LLVM IR with the same semantics, an intrinsic with the same semantics, or inline
//!   assembly that contains it as written; anything else is an error with a location (codes `L....`);
//! - registers are never in memory: values are in SSA form from the start;
//! - no LLVM instruction can be undefined where PTX is not: shifts are clamped, divisors guarded, addresses wrap;
//! - the result passes LLVM's verifier.

mod analysis;
mod arith;
mod behaviour;
mod borrows;
mod bounds;
mod carry;
mod compare;
mod contents;
mod control;
mod debug;
mod dispatch;
mod emit;
mod errors;
mod fallback;
mod float;
mod flow;
mod function;
mod globals;
mod hints;
mod launch;
mod mark;
mod memory;
mod module_analysis;
mod moves;
mod pieces;
mod pragma;
mod prologue;
mod provenance;
mod represent;
mod rows;
mod section_nodes;
mod sections;
mod shared;
mod signature;
mod slots;
mod ssa;
mod template;
mod types;
mod variables;
mod widened;

/// The codes of constructs that cannot be lowered, with their meanings.
pub use errors::MEANINGS as CODES;
use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{Function, FunctionId, Item, Module, Param};
use ptx_llvm_core::build::{DebugInfo, Linkage, Types};
use ptx_llvm_core::marks;
use ptx_llvm_core::{Addresses, Context};
use ptx_verify::Verified;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::Analysis;
use crate::behaviour::Behaviour;
use crate::emit::Emitter;
use crate::errors::{REFUSED, UNSUPPORTED_DIRECTIVE};
use crate::module_analysis::analyse;
use crate::sections::Sections;
use crate::shared::Shared;
use crate::signature::Signature;

/// Lowers a module.
///
/// # Errors
///
/// A diagnostic for each construct that has no lowering, with code `L01xx` and its location. Code `L09xx` means that LLVM
/// rejected the IR, which is a defect of the lowering.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_llvm_core::Context;
///
/// let source = SourceFile::new("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }");
/// let (module, _) = ptx_syntax::parse(&source);
/// let (verified, _) = ptx_verify::verify(&module).unwrap();
/// let context = Context::new().unwrap();
/// assert!(ptx_lower::lower(&verified, &context).unwrap().to_text().contains("define ptx_kernel void @k()"));
/// ```
pub fn lower<'c>(
    module: &Verified<'_>,
    context: &'c Context,
) -> Result<ptx_llvm_core::Module<'c>, Diagnostics> {
    lower_module(&module.written_out(), context)
}

fn lower_module<'c>(module: &Module, context: &'c Context) -> Result<ptx_llvm_core::Module<'c>, Diagnostics> {
    let mut findings = Diagnostics::new();
    let analyses = analyse(module);
    let addresses = if module.address_size() == 32 { Addresses::Bits32 } else { Addresses::Bits64 };
    let types = Types::new(context);
    let mut shared = Shared {
        module,
        out: ptx_llvm_core::Module::with_addresses(context, "ptx", addresses),
        types,
        address_bits: addresses.bits(),
        variables: FxHashMap::default(),
        files: FxHashMap::default(),
        sections: Sections::of(module, types),
        is_debugging: function::is_debugging_code(module),
        signatures: FxHashMap::default(),
        widens_halves: float::widens_halves(module),
    };
    declare_functions(&mut shared, &analyses, &mut findings);
    declare_variables(&mut shared, &mut findings);
    let with_lines = module.items.iter().any(|item| matches!(item, Item::File(..)));
    let mut debug = with_lines.then(|| DebugInfo::new(&shared.out, types));
    if let Some(debug) = &mut debug {
        shared.files = debug::files(module, debug);
    }
    for id in module.function_ids() {
        let function = module.function(id);
        let (Some(body), Some(analysis)) = (&function.body, analyses.get(&id)) else { continue };
        let Some(signature) = shared.signatures.get(&id) else { continue };
        findings.append(Emitter::new(&shared, function, body, analysis, signature).run(&mut debug));
    }
    finish_items(&shared);
    section_nodes::keep(&shared, &debug::keep_files(&shared));
    if let Some(debug) = debug {
        debug.finish();
    }
    if findings.has_errors() {
        findings.sort_by_place();
        return Err(findings);
    }
    let opened = contents::leave_contents_open(&mut shared.out);
    if let Err(error) = opened.and_then(|()| keep_used(&shared)).and_then(|()| shared.out.verify()) {
        let mut findings = Diagnostics::new();
        let finding =
            Diagnostic::error_without_place(REFUSED, format!("LLVM's verifier rejects the result: {error}"));
        findings.push(finding.with_help("this is a defect of the lowering, not of the input"));
        return Err(findings);
    }
    Ok(shared.out)
}

fn declare_functions(
    shared: &mut Shared<'_, '_>,
    analyses: &FxHashMap<FunctionId, Analysis>,
    findings: &mut Diagnostics,
) {
    let module = shared.module;
    let aliases: Vec<(ptx_ir::Alias, ptx_diag::Span)> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Alias(alias, at) => Some((*alias, at.0)),
            _ => None,
        })
        .collect();
    let alias_names: FxHashSet<_> =
        aliases.iter().map(|(alias, _)| module.function(alias.name).name).collect();
    let is_alias = |id| alias_names.contains(&module.function(id).name);
    let definitions = behaviour::definitions(module);
    let behaviours = behaviour::behaviours(module, analyses, &definitions);
    let pieces = pieces::result_pieces(module);
    let forms = (shared.types, shared.address_bits);
    for id in module.function_ids().filter(|id| !is_alias(*id)) {
        let definition = behaviour::definition_of(module, &definitions, id);
        let function = module.function(definition);
        let behaviour = behaviours.get(&definition).copied().unwrap_or(Behaviour::ANY);
        let analysis = analyses.get(&definition);
        let pieces = pieces.get(&function.name);
        match signature::declare(module, &shared.out, forms, function, analysis, behaviour, pieces) {
            Ok(signature) => {
                if id == definition
                    && let Err(fail) = function::describe(module, shared.types, function, &signature)
                {
                    findings.push(fail.at(UNSUPPORTED_DIRECTIVE, function.at.0, module.name(function.name)));
                }
                annotate_references(shared, function, &signature);
                shared.signatures.insert(id, signature);
            }
            Err(fail) => {
                if id == definition {
                    findings.push(fail.at(UNSUPPORTED_DIRECTIVE, function.at.0, module.name(function.name)));
                }
            }
        }
    }
    let mut named: FxHashMap<ptx_ir::StrId, Vec<FunctionId>> = FxHashMap::default();
    for id in module.function_ids().filter(|id| is_alias(*id)) {
        named.entry(module.function(id).name).or_default().push(id);
    }
    for (alias, span) in &aliases {
        // At least the one that the directive itself names.
        let Some(ids) = named.get(&module.function(alias.name).name) else {
            debug_assert!(false, "an alias is a function of the module");
            continue;
        };
        if let Err(fail) = declare_alias(shared, *alias, ids) {
            findings.push(fail.at(UNSUPPORTED_DIRECTIVE, *span, ".alias"));
        }
    }
}

/// Annotates the parameters of a kernel that are textures, samplers and surfaces.
fn annotate_references<'c>(shared: &Shared<'_, 'c>, function: &Function, signature: &Signature<'c>) {
    for (at, param) in function.params.iter().enumerate() {
        let Param::Variable(var) = param else { continue };
        if let Some(kind) = globals::reference_parameter_kind(shared.module.variable(*var).ty) {
            globals::annotate(shared, signature.function.value(), kind, at as u64);
        }
    }
}

/// An alias replaces the declarations of its name, which are `ids`.
fn declare_alias(
    shared: &mut Shared<'_, '_>,
    alias: ptx_ir::Alias,
    ids: &[FunctionId],
) -> errors::Result<()> {
    let module = shared.module;
    let function = module.function(alias.name);
    let linkage = match function.linkage {
        ptx_ir::Linkage::Weak => Linkage::Weak,
        ptx_ir::Linkage::Visible => Linkage::External,
        ptx_ir::Linkage::Internal | ptx_ir::Linkage::Extern | ptx_ir::Linkage::Common => Linkage::Internal,
    };
    let Some(target) = shared.signatures.get(&alias.target).cloned() else {
        return errors::unsupported("its target is not a declared function");
    };
    let declared = shared.out.alias(module.name(function.name), target.function, linkage)?;
    for &id in ids {
        // A weak alias may be replaced by another definition.
        let behaviour = Behaviour::ANY;
        let signature = Signature { function: declared, behaviour, ..target.clone() };
        shared.signatures.insert(id, signature);
    }
    Ok(())
}

fn declare_variables(shared: &mut Shared<'_, '_>, findings: &mut Diagnostics) {
    let module = shared.module;
    let mut names: FxHashSet<String> =
        module.functions.iter().map(|function| module.name(function.name).to_owned()).collect();
    let found = variables::module_variables(module);
    // A declaration of a function that is defined later refers to the definition.
    let defined: FxHashSet<ptx_ir::StrId> = found
        .iter()
        .map(|(var, _)| module.variable(*var))
        .filter(|variable| variable.linkage != ptx_ir::Linkage::Extern)
        .map(|variable| variable.name)
        .collect();
    let (late, early): (Vec<_>, Vec<_>) = found.iter().copied().partition(|(var, _)| {
        let variable = module.variable(*var);
        variable.linkage == ptx_ir::Linkage::Extern && defined.contains(&variable.name)
    });
    for (var, function) in early.into_iter().chain(late) {
        match globals::declare(shared, var, function, &mut names) {
            Ok(value) => {
                shared.variables.insert(var, value);
            }
            Err(fail) => {
                let variable = module.variable(var);
                findings.push(fail.at(UNSUPPORTED_DIRECTIVE, variable.at.0, module.name(variable.name)));
            }
        }
    }
    globals::keep_dynamic_shared_names(shared, &found);
    for (var, _) in &found {
        if let Err(fail) = globals::initialize(shared, *var) {
            let variable = module.variable(*var);
            findings.push(fail.at(UNSUPPORTED_DIRECTIVE, variable.at.0, module.name(variable.name)));
        }
    }
}

/// The symbols without a linkage directive that are accessed in ways unknown to LLVM: the host accesses kernels and variables by name, and
/// variables in shared memory are uninitialized when a kernel starts (mapping, "Module variables").
fn keep_used(shared: &Shared<'_, '_>) -> Result<(), ptx_llvm_core::LlvmError> {
    let module = shared.module;
    let variables = variables::module_variables(module).into_iter().filter_map(|(var, _)| {
        let is_own = module.variable(var).linkage == ptx_ir::Linkage::Internal;
        shared.variables.get(&var).copied().filter(|_| is_own)
    });
    let aliases: FxHashSet<_> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Alias(alias, _) => Some(module.function(alias.name).name),
            _ => None,
        })
        .collect();
    let functions = module.function_ids().filter_map(|id| {
        let function = module.function(id);
        let is_alias = aliases.contains(&function.name);
        let is_kernel = function.kind == ptx_ir::FunctionKind::Kernel && function.body.is_some();
        let is_own = function.linkage == ptx_ir::Linkage::Internal && (is_alias || is_kernel);
        shared.signatures.get(&id).filter(|_| is_own).map(|signature| signature.function.value())
    });
    let mut seen = FxHashSet::default();
    let used: Vec<_> = variables.chain(functions).filter(|symbol| seen.insert(*symbol)).collect();
    shared.out.keep_used(shared.types, &used)
}

/// Metadata of the module (mapping, "Module").
fn finish_items(shared: &Shared<'_, '_>) {
    let (module, types) = (shared.module, shared.types);
    for item in &module.items {
        match item {
            Item::Version(version, _) => {
                shared
                    .out
                    .add_named_metadata(marks::VERSION, types.metadata_strings(&[&version.to_string()]));
            }
            Item::Target(target, _) => {
                let names: Vec<&str> = target.names.iter().map(|name| module.name(*name)).collect();
                shared.out.add_named_metadata(marks::TARGET, types.metadata_strings(&names));
            }
            Item::Pragma(texts, _) => {
                let texts: Vec<&str> = texts.iter().map(|text| module.name(*text)).collect();
                shared.out.add_named_metadata(marks::PRAGMA, types.metadata_strings(&texts));
            }
            Item::AddressSize(..)
            | Item::Alias(..)
            | Item::Variable(_)
            | Item::Registers(..)
            | Item::Function(_)
            | Item::Section(_)
            | Item::DwarfLine(_)
            | Item::File(..)
            | Item::Location(_)
            | Item::Comment(_)
            | Item::TrailingComment(_) => {}
        }
    }
}
