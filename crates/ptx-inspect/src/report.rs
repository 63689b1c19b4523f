//! All facts about a module.

use ptx_diag::Span;
use ptx_ir::{Body, Function, FunctionDirective, FunctionKind, Module};
use serde::Serialize;

use crate::banks::BankConflicts;
use crate::calls::{CallGraph, call_graph};
use crate::coalescing::Coalescing;
use crate::code::Code;
use crate::divergence::Divergence;
use crate::executed::ExecutedRoofline;
use crate::facts::DivergenceFacts;
use crate::flow::Flow;
use crate::memory::Access;
use crate::registers::{Registers, registers};
use crate::roofline::Roofline;
use crate::ssa::Ssa;
use crate::values::Values;
use crate::values::evaluate::Warps;

/// What is to be found out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Analysis {
    /// Which values are the same for the threads of a warp.
    Divergence,
    /// Accesses of memory with their addresses.
    Memory,
    /// Live registers.
    Registers,
    /// Calls.
    CallGraph,
    /// Blocks, dominators and loops.
    Cfg,
    /// Sectors of global memory.
    Coalescing,
    /// Conflicts of banks of shared memory.
    BankConflicts,
    /// Operations and bytes.
    Roofline,
}

/// What was found out about a function.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FunctionReport {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel.
    pub is_kernel: bool,
    /// The file that it is in.
    pub file: String,
    /// The line of its name.
    pub line: u32,
    /// The threads of a block, by `.reqntid` or as they were given; without, warps are taken to be 32 threads that follow each other in the first dimension.
    pub block: Option<[u32; 3]>,
    /// Whether it is too large for its values to be followed: then only its registers are known.
    pub is_too_large: bool,
    /// Which values are the same for the threads of a warp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<DivergenceFacts>,
    /// Its accesses of memory, in the order of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Vec<Access>>,
    /// Its accesses of global memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coalescing: Option<Vec<Coalescing>>,
    /// Its accesses of shared memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_conflicts: Option<BankConflicts>,
    /// Its live registers; none of a function without instructions, and of one whose live ranges are too long together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<Registers>,
    /// Its control flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cfg: Option<Flow>,
    /// Its work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roofline: Option<Roofline>,
}

/// What was found out about a module.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The functions that have a body, in the order of the text.
    pub functions: Vec<FunctionReport>,
    /// The calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callgraph: Option<CallGraph>,
    /// The work of an execution; [`inspect`] leaves it out, since it knows of none: it is that of [`executed_roofline`](crate::executed_roofline).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed: Option<ExecutedRoofline>,
}

/// Finds out about a module what `analyses` ask for. `block` are the threads of the blocks that kernels without `.reqntid` are launched with. `lines` gives the lines of
/// positions, one for each, from 1, and 0 for none; `file` the name of the file that a position is in.
pub fn inspect(
    module: &Module,
    analyses: &[Analysis],
    block: Option<[u32; 3]>,
    lines: &impl Fn(&[Span]) -> Vec<u32>,
    file: &impl Fn(Span) -> String,
) -> Report {
    let mut functions = Vec::new();
    for function in &module.functions {
        if let Some(body) = &function.body {
            functions.push(of_function(module, (function, body), analyses, block, (lines, file)));
        }
    }
    let is_wanted = analyses.contains(&Analysis::CallGraph);
    Report { functions, callgraph: is_wanted.then(|| call_graph(module, lines)), executed: None }
}

fn of_function(
    module: &Module,
    (function, body): (&Function, &Body),
    analyses: &[Analysis],
    block: Option<[u32; 3]>,
    (lines, file): (&impl Fn(&[Span]) -> Vec<u32>, &impl Fn(Span) -> String),
) -> FunctionReport {
    let is_wanted = |analysis| analyses.contains(&analysis);
    let block = required_block(function).or(block);
    let mut report = FunctionReport {
        name: module.name(function.name).to_owned(),
        is_kernel: function.kind == FunctionKind::Kernel,
        file: file(function.at.0),
        line: lines(&[function.at.0]).into_iter().sum(),
        block,
        is_too_large: false,
        divergence: None,
        memory: None,
        coalescing: None,
        bank_conflicts: None,
        registers: None,
        cfg: None,
        roofline: None,
    };
    if analyses.iter().all(|analysis| *analysis == Analysis::CallGraph) {
        return report;
    }
    let code = Code::new(module, function, body, lines);
    report.registers = is_wanted(Analysis::Registers).then(|| registers(&code)).flatten();
    let of_values = [
        Analysis::Divergence,
        Analysis::Memory,
        Analysis::Cfg,
        Analysis::Coalescing,
        Analysis::BankConflicts,
        Analysis::Roofline,
    ];
    if !of_values.into_iter().any(is_wanted) {
        return report;
    }
    let Some(ssa) = Ssa::new(&code) else {
        report.is_too_large = true;
        return report;
    };
    let values = Values::new(&code, &ssa, block);
    report.cfg = is_wanted(Analysis::Cfg).then(|| values.flow());
    if !of_values.into_iter().any(|analysis| analysis != Analysis::Cfg && is_wanted(analysis)) {
        return report;
    }
    let warps = Warps::new(block);
    let divergence = Divergence::new(&values, &warps);
    report.divergence = is_wanted(Analysis::Divergence).then(|| divergence.facts());
    let sites = divergence.sites();
    report.coalescing = is_wanted(Analysis::Coalescing).then(|| divergence.coalescing(&sites));
    report.bank_conflicts = is_wanted(Analysis::BankConflicts).then(|| divergence.bank_conflicts(&sites));
    report.roofline = is_wanted(Analysis::Roofline).then(|| values.roofline(&sites));
    let accesses = || sites.iter().map(|site| site.access.clone()).collect();
    report.memory = is_wanted(Analysis::Memory).then(accesses);
    report
}

/// The threads of a block that a kernel requires.
fn required_block(function: &Function) -> Option<[u32; 3]> {
    function.directives.iter().find_map(|(directive, _)| match directive {
        // Default: a block has one thread in omitted dimensions.
        FunctionDirective::ReqNtid(extents) => Some(extents.map(|extent| extent.unwrap_or(1))),
        _ => None,
    })
}
