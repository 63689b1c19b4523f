//! Programs whose registers hold one value after another, as people and some compilers write them.
//!
//! Statements have registers of their own. Those of one type whose values are never needed at the same time, which the liveness of
//! `ptx-coalesce` tells, become one, without any other change; programs have half of the names then, of which many are live to the end.

use anyhow::Result;
use fastrand::Rng;
use ptx_coalesce::coalesce;
use ptx_diag::SourceFile;
use ptx_ir::{Body, RegId};
use rustc_hash::FxHashSet;

use crate::stage;

/// How many others a register may become one with.
const TRIES: usize = 12;

/// The text of a program with fewer registers.
///
/// # Errors
/// The text cannot be read.
pub(super) fn with_fewer_registers(text: &str, seed: u64) -> Result<String> {
    let mut module = stage::read(&SourceFile::new("kernel.ptx", text))?;
    let mut rng = Rng::with_seed(seed);
    for body in module.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
        let named = named(body);
        let mut wanted = Vec::new();
        for (at, &register) in named.iter().enumerate() {
            let earlier: Vec<RegId> = named[..at]
                .iter()
                .copied()
                .filter(|other| body.reg_type(*other) == body.reg_type(register))
                .collect();
            let tries = TRIES.min(earlier.len());
            wanted.extend((0..tries).map(|_| (register, earlier[rng.usize(..earlier.len())])));
        }
        // Copies stay.
        let kept: FxHashSet<RegId> = named.into_iter().collect();
        coalesce(body, &FxHashSet::default(), &kept, wanted);
    }
    Ok(ptx_ir::print(&module))
}

/// The registers that instructions name, in the order of the text.
fn named(body: &Body) -> Vec<RegId> {
    let (mut seen, mut named) = (FxHashSet::default(), Vec::new());
    for (_, inst) in body.instructions() {
        body.for_each_register(inst, |register, _| {
            if seen.insert(register) {
                named.push(register);
            }
        });
    }
    named
}
