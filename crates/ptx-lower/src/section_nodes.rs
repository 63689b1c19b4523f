//! The metadata of DWARF sections, once symbols are declared.

use std::ops::Range;

use ptx_ir::{Param, Stmt};
use ptx_llvm_core::build::{Metadata, Value};
use ptx_llvm_core::{debug_marks, marks};
use rustc_hash::FxHashMap;

use crate::sections::{texts, words};
use crate::shared::Shared;
use crate::variables;

/// Adds the sections to the module (mapping, "Debug information"), with the files by whose numbers they name them.
pub(crate) fn keep<'c>(shared: &Shared<'_, 'c>, files: &[Metadata<'c>]) {
    let (module, types) = (shared.module, shared.types);
    let sections = texts(module);
    if sections.is_empty() {
        return;
    }
    let symbols = symbols(shared);
    let locals = locals(shared);
    let mut unit = vec![types.metadata_node(files)];
    for (name, lines) in sections {
        let mut parts = vec![types.metadata_string(name)];
        let mut text = String::new();
        for line in lines {
            let line = module.name(line);
            let mut done = 0;
            for (at, word) in words(line) {
                let label = || shared.sections.label(word);
                let symbol = || symbols.get(word).map(|&value| types.metadata_value(value));
                let local = || locals.get(word).map(|&function| debug_marks::local(types, function, word));
                let Some(part) = label().or_else(symbol).or_else(local) else { continue };
                push_part(&mut text, line, done..at);
                done = at + word.len();
                if !text.is_empty() {
                    parts.push(types.metadata_string(&std::mem::take(&mut text)));
                }
                parts.push(part);
            }
            push_part(&mut text, line, done..line.len());
            text.push('\n');
        }
        parts.push(types.metadata_string(&text));
        unit.push(types.metadata_node(&parts));
    }
    shared.out.add_named_metadata(marks::SECTION, types.metadata_node(&unit));
}

/// Adds the part of a line between two words, which are in order and whole.
fn push_part(text: &mut String, line: &str, part: Range<usize>) {
    match line.get(part.clone()) {
        Some(part) => text.push_str(part),
        None => debug_assert!(false, "{part:?} is no part of {line:?}"),
    }
}

/// The variables and functions of the module by name.
fn symbols<'m, 'c>(shared: &Shared<'m, 'c>) -> FxHashMap<&'m str, Value<'c>> {
    let module = shared.module;
    let mut found = FxHashMap::default();
    for (var, _) in variables::module_variables(module) {
        if let Some(&value) = shared.variables.get(&var) {
            found.entry(module.name(module.variable(var).name)).or_insert(value);
        }
    }
    for id in module.function_ids() {
        if let Some(signature) = shared.signatures.get(&id) {
            found.entry(module.name(module.function(id).name)).or_insert(signature.function.value());
        }
    }
    found
}

/// The functions that parameters and variables belong to, by the names of these.
fn locals<'m, 'c>(shared: &Shared<'m, 'c>) -> FxHashMap<&'m str, Value<'c>> {
    let module = shared.module;
    let mut found = FxHashMap::default();
    for id in module.function_ids() {
        let function = module.function(id);
        let (Some(body), Some(signature)) = (&function.body, shared.signatures.get(&id)) else { continue };
        let params = function.params.iter().filter_map(|param| match param {
            Param::Variable(var) => Some(*var),
            Param::Register(..) => None,
        });
        let own = body.statements.iter().filter_map(|statement| match statement {
            Stmt::Variable(var) => Some(*var),
            _ => None,
        });
        for var in params.chain(own) {
            found.entry(module.name(module.variable(var).name)).or_insert(signature.function.value());
        }
    }
    found
}
