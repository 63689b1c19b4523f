//! The analysis of all bodies of a module, which depend on each other: what a callee uses as an address is one in its callers.

use ptx_ir::{AddressBase, FunctionId, FunctionKind, Module, Operand, Param, Symbol};
use ptx_isa::{ControlSem, Sem};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::Analysis;
use crate::provenance::Provenance;
use crate::represent::CalleeSpaces;
use crate::widened::read_as_numbers;

/// Functions whose address is used other than by calling it: their parameters keep the types of the declaration.
pub(crate) fn functions_by_address(module: &Module) -> FxHashSet<ptx_ir::StrId> {
    let mut names = FxHashSet::default();
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for (_, inst) in body.instructions() {
            if inst.mnemonic.sem() == Sem::Control(ControlSem::Call) {
                continue;
            }
            for operand in body.operands(inst) {
                if let Operand::Symbol(Symbol::Function(id), _)
                | Operand::Address(AddressBase::Symbol(Symbol::Function(id)), _) = operand
                {
                    names.insert(module.function(*id).name);
                }
            }
        }
        for statement in &body.statements {
            if let ptx_ir::Stmt::CallTargets(_, targets) = statement {
                names.extend(targets.iter().map(|id| module.function(*id).name));
            }
        }
    }
    let mut work: Vec<&ptx_ir::Initializer> =
        module.variables.iter().filter_map(|variable| variable.init.as_ref()).collect();
    while let Some(initializer) = work.pop() {
        match initializer {
            ptx_ir::Initializer::List(values) => work.extend(values),
            ptx_ir::Initializer::Address { symbol: Symbol::Function(id), .. }
            | ptx_ir::Initializer::Masked { symbol: Symbol::Function(id), .. } => {
                names.insert(module.function(*id).name);
            }
            ptx_ir::Initializer::Integers(_)
            | ptx_ir::Initializer::Value(_)
            | ptx_ir::Initializer::Fields(_)
            | ptx_ir::Initializer::Address { .. }
            | ptx_ir::Initializer::Masked { .. } => {}
        }
    }
    names
}

/// Analyses every body. A value passed to a callee that uses it as an address is an address in its callers, too, so that the
/// representations are recomputed until no parameter changes; a few rounds suffice for real call chains, and further ones
/// would only add types.
pub(crate) fn analyse(module: &Module) -> FxHashMap<FunctionId, Analysis> {
    const ROUNDS: usize = 4;
    let by_address = functions_by_address(module);
    let mut analyses: FxHashMap<FunctionId, Analysis> = FxHashMap::default();
    let mut callees = CalleeSpaces::default();
    let address_bits = module.address_size();
    for id in module.function_ids() {
        let function = module.function(id);
        if let Some(body) = &function.body {
            analyses.insert(id, Analysis::new(module, function, body, address_bits));
        }
    }
    let provenance = Provenance::new(module, &analyses);
    for _ in 0..ROUNDS {
        let mut found = CalleeSpaces::default();
        for id in module.function_ids() {
            let function = module.function(id);
            let (Some(body), Some(analysis)) = (&function.body, analyses.get_mut(&id)) else { continue };
            // Callers through a pointer use the prototype, which has no pointer types; all others use this signature.
            let typed = function.kind == FunctionKind::Kernel || !by_address.contains(&function.name);
            let params: &[Param] = if typed { &function.params } else { &[] };
            analysis.represent(module, body, function.kind, params, &callees);
            // If one sum is a number, another term of the next may be the address.
            loop {
                let mut leaving = provenance.may_leave(module, id, analysis);
                leaving.extend(read_as_numbers(body, analysis));
                if leaving.is_empty() {
                    break;
                }
                analysis.numbers.extend(leaving);
                analysis.represent(module, body, function.kind, params, &callees);
            }
            found.insert(function.name, analysis.spaces_in_order(params));
        }
        if found == callees {
            break;
        }
        callees = found;
    }
    analyses
}
