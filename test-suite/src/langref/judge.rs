//! What becomes of a piece here, and what LLVM's backend makes of it.

use anyhow::{Context as _, Result};
use ptx_diag::SourceFile;
use ptx_driver::TargetChoice;
use ptx_isa::Sm;
use ptx_llvm_core::Context;

use super::{Company, Piece};
use crate::oracle::Oracles;

/// The architectures to raise for, in the order of preference: what one lacks another has.
const TARGETS: [Sm; 2] = [Sm::new(100), Sm::new(75)];
/// So many pieces ptxas is given at once.
const BATCH: usize = 100;

/// What became of a piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It became PTX for this architecture, which reads back and verifies; ptxas took it, where it was asked.
    Raised(Sm),
    /// No architecture has it: what is said for the first.
    Refused(String),
    /// What was raised does not read back, or ptxas refuses it.
    Wrong(String),
}

/// What LLVM's backend and ptxas make of a piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Peer {
    /// PTX that ptxas takes, from llc with these options.
    Taken(String),
    /// llc refuses, or ptxas does.
    Refused(String),
}

/// What becomes of each piece, in their order; ptxas is asked when it is there.
///
/// # Errors
/// When LLVM is missing.
pub fn judge(pieces: &[Piece], oracles: &Oracles) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::with_capacity(pieces.len());
    let context = Context::new()?;
    for piece in pieces {
        let mut first: Option<Verdict> = None;
        for sm in TARGETS {
            match raise(&context, piece.text(), sm) {
                Ok(_) => {
                    first = Some(Verdict::Raised(sm));
                    break;
                }
                Err(verdict) => _ = first.get_or_insert(verdict),
            }
        }
        verdicts.push(first.context("no target")?);
    }
    if oracles.ptxas.is_none() {
        return Ok(verdicts);
    }
    for sm in TARGETS {
        let raised = |at: &usize| verdicts.get(*at) == Some(&Verdict::Raised(sm));
        let is_alone = |at: &usize| pieces.get(*at).is_some_and(|piece| piece.company == Company::Alone);
        let (alone, together): (Vec<usize>, Vec<usize>) =
            (0..pieces.len()).filter(raised).partition(is_alone);
        for batch in alone.chunks(1).chain(together.chunks(BATCH)) {
            assemble(pieces, batch, sm, oracles, &mut verdicts)?;
        }
    }
    Ok(verdicts)
}

/// The PTX of a module, read again and verified.
fn raise(context: &Context, text: String, sm: Sm) -> Result<String, Verdict> {
    let refused = |findings: &ptx_diag::Diagnostics| {
        let first = findings.iter().find(|finding| finding.severity == ptx_diag::Severity::Error);
        Verdict::Refused(first.map_or_else(String::new, |finding| finding.message.clone()))
    };
    let source = SourceFile::new("piece.ll", text);
    let (mut module, _) = ptx_driver::read_llvm(context, &source).map_err(|findings| refused(&findings))?;
    let choice = TargetChoice { sm: Some(sm), version: None };
    let (raised, _) = ptx_driver::raise(&mut module, choice).map_err(|findings| refused(&findings))?;
    ptx_driver::print_checked(&raised, "raised.ptx").map_err(|bad| {
        let finding = bad.findings.iter().find(|finding| finding.severity == ptx_diag::Severity::Error);
        Verdict::Wrong(finding.map_or_else(String::new, |finding| finding.message.clone()))
    })
}

/// Pieces as one module; what several declare is declared once.
fn together(pieces: &[Piece], batch: &[usize]) -> String {
    let [_, _, ..] = batch else {
        return batch.first().and_then(|at| pieces.get(*at)).map(Piece::text).unwrap_or_default();
    };
    let mut text = String::new();
    let mut declared: Vec<String> = Vec::new();
    for &at in batch {
        let Some(piece) = pieces.get(at) else { continue };
        for line in piece.named(&format!(".{at}")).lines() {
            if line.starts_with("declare ") {
                if declared.iter().any(|seen| seen == line) {
                    continue;
                }
                declared.push(line.to_owned());
            }
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// Lets ptxas judge a batch together, and its halves where it refuses.
fn assemble(
    pieces: &[Piece],
    batch: &[usize],
    sm: Sm,
    oracles: &Oracles,
    verdicts: &mut [Verdict],
) -> Result<()> {
    let context = Context::new()?;
    let why = match raise(&context, together(pieces, batch), sm) {
        Ok(ptx) => match oracles.accept(&ptx) {
            Ok(_) => return Ok(()),
            Err(error) => error.to_string(),
        },
        Err(Verdict::Refused(why) | Verdict::Wrong(why)) => why,
        Err(Verdict::Raised(_)) => return Ok(()),
    };
    if let [only] = batch {
        if let Some(verdict) = verdicts.get_mut(*only) {
            *verdict = Verdict::Wrong(why);
        }
        return Ok(());
    }
    let (first, second) = batch.split_at(batch.len() / 2);
    assemble(pieces, first, sm, oracles, verdicts)?;
    assemble(pieces, second, sm, oracles, verdicts)
}

/// What llc makes of a piece at -O2 and -O0, and ptxas of that.
///
/// # Errors
/// When llc or ptxas cannot be run.
pub fn peer(piece: &Piece, oracles: &Oracles) -> Result<Peer> {
    let mut why = String::new();
    for sm in TARGETS.into_iter().take(1) {
        for level in ["-O2", "-O0"] {
            let cpu = format!("-mcpu={sm}");
            let features = if sm == TARGETS[0] { "-mattr=+ptx88" } else { "-mattr=+ptx78" };
            match oracles.compile_with(&piece.text(), &[level, &cpu, features]) {
                Ok(ptx) => match oracles.accept(&ptx) {
                    Ok(_) => return Ok(Peer::Taken(format!("{level} {cpu}"))),
                    Err(error) if why.is_empty() => why = error.to_string(),
                    Err(_) => {}
                },
                Err(error) if why.is_empty() => why = error.to_string(),
                Err(_) => {}
            }
        }
    }
    Ok(Peer::Refused(why))
}
