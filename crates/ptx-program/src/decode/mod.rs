//! Decodes a kernel, and everything it can call, to executable form.
//!
//! Only functions reachable from the kernel, by calls or through their addresses, are decoded, so that unsupported constructs
//! elsewhere in the module do not matter. All diagnostics are collected.
//!
//! A decoder *takes* the modifiers of its instruction by querying them (`modifiers::Modifiers`, `cx.m`), and an
//! instruction with an untaken modifier is refused by name. Therefore:
//! - `cx.m.has(Mod::X)` takes only `.x`: a different modifier in the same slot, of another row or a later version, is refused;
//! - `cx.m.get(field)` takes any modifier, so that a `match` on it must list the supported ones and refuse the rest
//!   (`_ => cx.unsupported(..)`, never a default);
//! - a modifier without observable effect here is declared with the reason, `cx.m.ignore(..)`;
//! - query a modifier only where the result is used: one that is queried and dropped is silently ignored. `tests.rs` decodes every
//!   row with each of its modifiers, and with other operands, and detects modifiers without effect that are not declared.
//!
//! The meaning of a row selects its decoder, and what distinguishes the meanings of a decoder is passed to it, in one exhaustive match
//! for each group (`arith_decoder`, ...). A decoder at most tests for one of its meanings, so that a new one is an error of the compiler.
//!
//! A decoder finds operands by their keys in the table: with `cx.operand(..)` where every row that gets here has the operand, so that a wrong
//! key is an error, and with `cx.given(..)` where a row or a program may lack it.

mod arithmetic;
mod body;
mod cluster;
mod collective;
mod combine;
mod context;
mod control;
mod convert;
mod fragments;
mod group;
mod matrix;
mod memory;
mod modifiers;
mod moves;
mod multimem;
mod narrow;
mod numbers;
mod operand;
mod operands;
mod output;
mod reach;
mod scope;
mod select;
mod shared;
mod signature;
mod stack;
mod tcgen05;
mod tensor;
#[cfg(test)]
mod tests;
mod texture;
mod video;
mod wgmma;

use ptx_diag::{Diagnostic, Diagnostics, Span};
use ptx_ir::{FunctionId, Module, VarId};
use ptx_verify::WrittenOut;
use rustc_hash::FxHashMap;

pub use body::executes;
pub use operands::{Named, Operands, Registers, registers};
pub use reach::{Launches, Reached, all_variables, kernels, reach};
pub use signature::kernel_parameters;

use crate::codes;
use crate::layout::{Layout, bytes_of};
use crate::memory::Space;
use crate::program::Object;
use crate::program::{Files, Function, Functions, Program};
use body::BodyDecoder;
use output::{Constants, Listing};
use scope::Scope;
use signature::Signature;

/// Decodes the functions of `reached`, the kernel first.
///
/// # Errors
/// Everything in them that cannot be executed.
pub fn decode(module: &WrittenOut<'_>, reached: &Reached, layout: &Layout) -> Result<Program, Diagnostics> {
    let mut listing = Listing::default();
    let (mut functions, mut numbers) = (Vec::new(), FxHashMap::default());
    let mut constants = Constants::default();
    let mut findings = Diagnostics::new();
    let mut signatures: FxHashMap<FunctionId, Signature> = FxHashMap::default();
    let open = signature::open_room(module, &reached.functions);
    let mut files = Files::of(module);
    for &id in &reached.functions {
        match signature::signature(module, id, open) {
            Ok(signature) => {
                signatures.insert(id, signature);
            }
            Err(diagnostic) => findings.push(*diagnostic),
        }
    }
    for (index, &id) in reached.functions.iter().enumerate() {
        let Some(signature) = signatures.get(&id) else { continue };
        let Some(body) = &module.function(id).body else {
            let text = format!("the function `{}` has no body", module.name(module.function(id).name));
            findings.push(Diagnostic::error(codes::UNDEFINED, module.function(id).at.0, text));
            continue;
        };
        let start = listing.code.len() as u32;
        let decoder =
            BodyDecoder::new(Scope::new((module, reached, layout), (id, index as u32), body, signature));
        let (rows, errors) = decoder.run(&mut listing, &mut constants, &mut files);
        errors.into_iter().for_each(|error| findings.push(error));
        numbers.insert(id.0, functions.len() as u32);
        functions.push(Function {
            name: module.name(module.function(id).name).to_owned(),
            start,
            rows,
            local: signature.local,
            objects: objects(module, signature),
            params: signature.params.clone().into(),
            results: signature.results.clone().into(),
        });
    }
    if findings.has_errors() {
        return Err(findings);
    }
    // Without an error each function has been decoded, the kernel first.
    let Some(functions) = Functions::new(functions) else {
        findings.push(Diagnostic::error(codes::NO_KERNEL, Span::default(), "there is no kernel to decode"));
        return Err(findings);
    };
    let Listing { code, origins, lines } = listing;
    let (constants, address_size) = (constants.finish(), layout.address_size);
    Ok(Program { code, origins, lines, constants, functions, numbers, address_size })
}

/// The variables in the local memory of a function.
fn objects(module: &Module, signature: &Signature) -> Box<[Object]> {
    let object = |(id, at): (&VarId, &u32)| {
        let variable = module.variable(*id);
        let name = format!("variable `{}`", module.name(variable.name));
        Object { name, space: Space::Local, address: (*at).into(), bytes: bytes_of(variable) }
    };
    signature.frame.iter().map(object).collect()
}
