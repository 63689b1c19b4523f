//! `cvta.shared` of addresses in the memory of other blocks.
//!
//! `mapa.shared::cluster` gives an address in the cluster's window, and `.shared` is the window of the block itself (manual 9.7.9.19,
//! 9.7.9.23). So the generic address is undefined by the manual; on GPUs both windows begin at the same generic address, programs rely on it, and
//! `ptxas` keeps the generic accesses. Taken literally the address could only be one of the block's own memory, and what is derived from
//! that, such as an access by `.shared`, goes to the wrong block.

use ptx_diag::Diagnostic;
use ptx_ir::{Body, Inst, Module, RegId, Stmt};
use ptx_isa::{BlockSem, Field, Mod, MoveSem, Opcode, Role, Sem};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::codes;
use crate::context::Checker;

/// The places among a body's statements of such conversions.
pub(crate) fn conversions(body: &Body) -> Vec<usize> {
    let instructions = || {
        body.statements.iter().enumerate().filter_map(|(at, statement)| match statement {
            Stmt::Inst(inst) => Some((at, inst)),
            _ => None,
        })
    };
    let mut work: Vec<RegId> = Vec::new();
    for (_, inst) in instructions().filter(|(_, inst)| gives_cluster_address(inst)) {
        work.extend(registers(body, inst, Role::is_written));
    }
    if work.is_empty() {
        return Vec::new();
    }
    let mut readers: HashMap<RegId, Vec<&Inst>> = HashMap::default();
    for (_, inst) in instructions().filter(|(_, inst)| computes_address(inst)) {
        for register in registers(body, inst, |role| !Role::is_written(role)) {
            readers.entry(register).or_default().push(inst);
        }
    }
    let mut in_cluster: HashSet<RegId> = HashSet::default();
    while let Some(register) = work.pop() {
        if in_cluster.insert(register) {
            let readers = readers.get(&register).into_iter().flatten();
            work.extend(readers.flat_map(|inst| registers(body, inst, Role::is_written)));
        }
    }
    let converts = |inst: &Inst| {
        inst.mnemonic.sem() == Sem::Move(MoveSem::Cvta)
            && !inst.mnemonic.has(Mod::To)
            && matches!(inst.mnemonic.get(Field::Space), Some(Mod::Shared | Mod::SharedCta))
            && body.any_register(inst, |register, role| !role.is_written() && in_cluster.contains(&register))
    };
    instructions().filter(|(_, inst)| converts(inst)).map(|(at, _)| at).collect()
}

/// Whether the result is an address in the cluster's window.
fn gives_cluster_address(inst: &Inst) -> bool {
    let is_in_cluster = inst.mnemonic.get(Field::Space) == Some(Mod::SharedCluster);
    match inst.mnemonic.sem() {
        Sem::Block(BlockSem::Mapa) => is_in_cluster,
        Sem::Move(MoveSem::Cvta) => is_in_cluster && inst.mnemonic.has(Mod::To),
        _ => false,
    }
}

/// Whether the result is an address in the same window as one of the operands may be.
fn computes_address(inst: &Inst) -> bool {
    matches!(
        inst.mnemonic.opcode(),
        Opcode::Mov | Opcode::Cvt | Opcode::Add | Opcode::Sub | Opcode::Mad | Opcode::Or | Opcode::Selp
    )
}

fn registers(body: &Body, inst: &Inst, wanted: impl Fn(Role) -> bool) -> Vec<RegId> {
    let mut found = Vec::new();
    body.for_each_register(inst, |register, role| found.extend(wanted(role).then_some(register)));
    found
}

/// Warns of them.
pub(crate) fn check(cx: &mut Checker<'_>, body: &Body) {
    for at in conversions(body) {
        let Some(Stmt::Inst(inst)) = body.statements.get(at) else { continue };
        let text = "the address of another block's memory is not in the window of `.shared`, whose generic address is undefined";
        let help = "use `cvta.shared::cluster`, as which this is executed and translated";
        cx.report(Diagnostic::warning(codes::ADDRESS_SPACE, inst.at.0, text).with_help(help));
    }
}

/// Whether a module has one.
pub(crate) fn is_needed(module: &Module) -> bool {
    module
        .functions
        .iter()
        .filter_map(|function| function.body.as_ref())
        .any(|body| !conversions(body).is_empty())
}

/// Writes `cvta.shared::cluster` for them.
///
/// ```text
/// cvta.shared.u64 %rd2, %rd1;    -->    cvta.shared::cluster.u64 %rd2, %rd1;
/// ```
pub(crate) fn replace(module: &mut Module) {
    for body in module.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
        for at in conversions(body) {
            let Some(Stmt::Inst(inst)) = body.statements.get_mut(at) else { continue };
            let in_cluster = inst.mnemonic.with(Field::Space, Some(Mod::SharedCluster));
            debug_assert!(in_cluster.is_some(), "the row has both windows");
            inst.mnemonic = in_cluster.unwrap_or(inst.mnemonic);
        }
    }
}
