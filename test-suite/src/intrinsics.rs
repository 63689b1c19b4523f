//! Every intrinsic of LLVM's NVPTX target, raised to PTX.
//!
//! LLVM's register ([`registry`]) says what there is. A [`Call`] is one intrinsic at one choice of types and constant arguments; its module holds
//! a function that calls it with its own parameters. What comes of it is judged by our own reader and verifier and by ptxas.

use anyhow::{Context as _, Result};
use ptx_diag::SourceFile;
use ptx_driver::TargetChoice;
use ptx_isa::Sm;
use ptx_llvm_core::intrinsics::registry::{self, Declaration};
use ptx_llvm_core::{Context, Module};

use crate::oracle::Oracles;

/// The architectures to raise for, in the order of preference: what one lacks another has.
const TARGETS: [Sm; 6] =
    [Sm::arch(100), Sm::arch(90), Sm::arch(120), Sm::arch(103), Sm::new(60), Sm::new(70)];
/// So many choices of constants are tried at most for one intrinsic.
const MOST_CALLS: usize = 128;
/// So many functions ptxas is given at once.
const BATCH: usize = 64;

/// An intrinsic with constants for the arguments that must be constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The intrinsic at a choice of types.
    pub declaration: Declaration,
    /// The constant arguments, in their order.
    pub constants: Vec<i64>,
}

impl Call {
    /// The full name, with the constants after it where there are some.
    pub fn title(&self) -> String {
        let constants: Vec<String> = self.constants.iter().map(i64::to_string).collect();
        if constants.is_empty() {
            return self.declaration.name.clone();
        }
        format!("{}({})", self.declaration.name, constants.join(","))
    }
}

/// What became of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It became PTX for this architecture: the function's instructions. ptxas took it, where it was asked.
    Raised(Sm, String),
    /// No architecture has it: what the raising says for the first.
    Refused(String),
    /// What was raised does not read back, or ptxas refuses it.
    Wrong(String),
}

/// Every call of every intrinsic that LLVM's verifier accepts.
///
/// # Errors
/// Without LLVM.
pub fn calls() -> Result<Vec<Call>> {
    let context = Context::new()?;
    let mut calls = Vec::new();
    for declaration in registry::declarations()? {
        for constants in combinations(&declaration.constants()) {
            let text = declaration.call("f", &constants);
            let accepted = constants.is_empty()
                || Module::parse_text(&context, "call", text.as_bytes())
                    .is_ok_and(|module| module.verify().is_ok());
            if accepted {
                calls.push(Call { declaration: declaration.clone(), constants });
            }
        }
    }
    Ok(calls)
}

/// One of each list, in every way.
fn combinations(lists: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        let longer = |start: Vec<i64>| {
            list.iter().map(move |value| start.iter().copied().chain([*value]).collect::<Vec<_>>())
        };
        all = all.into_iter().flat_map(longer).collect();
        all.truncate(MOST_CALLS);
    }
    all
}

/// What becomes of each call, in their order; ptxas is asked when it is there.
///
/// # Errors
/// When LLVM is missing.
pub fn judge(calls: &[Call], oracles: &Oracles) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::with_capacity(calls.len());
    let context = Context::new()?;
    for call in calls {
        verdicts.push(raise_somewhere(&context, call)?);
    }
    if oracles.ptxas.is_none() {
        return Ok(verdicts);
    }
    for sm in TARGETS {
        let raised = |at: &usize| matches!(verdicts.get(*at), Some(Verdict::Raised(of, _)) if *of == sm);
        let (apart, together): (Vec<usize>, Vec<usize>) = (0..calls.len())
            .filter(raised)
            .partition(|at| calls.get(*at).is_some_and(has_sampler_of_its_own));
        for batch in apart.chunks(BATCH).chain(together.chunks(BATCH)) {
            assemble(calls, batch, sm, oracles, &mut verdicts)?;
        }
    }
    Ok(verdicts)
}

/// Raises a call for the first architecture that has it.
fn raise_somewhere(context: &Context, call: &Call) -> Result<Verdict> {
    let mut first: Option<Verdict> = None;
    for sm in TARGETS {
        let verdict = match raise(context, &[("f".to_owned(), call)], sm) {
            Ok(ptx) => return Ok(Verdict::Raised(sm, body_of(&ptx))),
            Err(verdict) => verdict,
        };
        first.get_or_insert(verdict);
    }
    first.context("no target")
}

/// Whether the intrinsic takes a sampler beside the texture, as OpenCL does.
fn has_sampler_of_its_own(call: &Call) -> bool {
    let name = &call.declaration.name;
    let of_textures = ["llvm.nvvm.tex.", "llvm.nvvm.tld4."].iter().any(|start| name.starts_with(start));
    of_textures && !name.contains(".unified.")
}

/// The text of PTX with a function for each call.
fn raise(context: &Context, calls: &[(String, &Call)], sm: Sm) -> Result<String, Verdict> {
    let apart = calls.iter().any(|(_, call)| has_sampler_of_its_own(call));
    let triple = if apart { "nvptx64-nvidia-nvcl" } else { ptx_llvm_core::TRIPLE };
    let mut text = format!("target triple = \"{triple}\"\n");
    let mut declared: Vec<String> = Vec::new();
    for (name, call) in calls {
        for line in call.declaration.call(name, &call.constants).lines() {
            let once = line.starts_with("declare ") || line.starts_with('!');
            if once && declared.iter().any(|seen| seen == line) {
                continue;
            }
            if once {
                declared.push(line.to_owned());
            }
            text.push_str(line);
            text.push('\n');
        }
    }
    let refused = |findings: &ptx_diag::Diagnostics| {
        Verdict::Refused(findings.iter().next().map_or_else(String::new, |finding| finding.message.clone()))
    };
    let source = SourceFile::new("call.ll", text);
    let (mut module, _) = ptx_driver::read_llvm(context, &source).map_err(|findings| refused(&findings))?;
    let choice = TargetChoice { sm: Some(sm), version: None };
    let (raised, _) = ptx_driver::raise(&mut module, choice).map_err(|findings| refused(&findings))?;
    ptx_driver::print_checked(&raised, "raised.ptx").map_err(|bad| {
        let finding = bad.findings.iter().next();
        Verdict::Wrong(finding.map_or_else(String::new, |finding| finding.message.clone()))
    })
}

/// The instructions of the only function, one a line.
fn body_of(ptx: &str) -> String {
    let body = ptx.rsplit_once("\n{").map_or("", |(_, body)| body);
    let is_instruction = |line: &&str| line.ends_with(';') && !line.starts_with('.');
    body.lines().map(str::trim).filter(is_instruction).collect::<Vec<_>>().join("\n")
}

/// Lets ptxas judge a batch together, and its halves where it refuses.
fn assemble(
    calls: &[Call],
    batch: &[usize],
    sm: Sm,
    oracles: &Oracles,
    verdicts: &mut [Verdict],
) -> Result<()> {
    let named: Vec<(String, &Call)> =
        batch.iter().filter_map(|at| Some((format!("f{at}"), calls.get(*at)?))).collect();
    let context = Context::new()?;
    let why = match raise(&context, &named, sm) {
        Ok(ptx) => match oracles.assemble(&ptx) {
            Ok(_) => return Ok(()),
            Err(error) => error.to_string(),
        },
        Err(Verdict::Refused(why) | Verdict::Wrong(why)) => why,
        Err(Verdict::Raised(..)) => return Ok(()),
    };
    match batch {
        [only] => {
            if let Some(verdict) = verdicts.get_mut(*only) {
                *verdict = Verdict::Wrong(why);
            }
        }
        _ => {
            let (first, second) = batch.split_at(batch.len() / 2);
            assemble(calls, first, sm, oracles, verdicts)?;
            assemble(calls, second, sm, oracles, verdicts)?;
        }
    }
    Ok(())
}
