//! A module as LLVM IR.

use ptx_cli::{Failure, optimize, read_input, rejected, usage_or_rejected};
use ptx_diag::{Diagnostics, SourceFile};
use ptx_driver::{
    Attempt, BitcodeFindings, Sources, TargetChoice, has_grown_too_much, link_bitcode, llvm_finding, lower,
    settle_unoptimized, unroll_specialized,
};
use ptx_llvm_core::{Context, FlushToZero, LlvmError, Module, OptLevel, plain_label};
use ptx_opt::index_elements;

use crate::arguments::{Arguments, Emit};
use crate::failures::rejected_in;
use crate::specialized::{WithCopies, assumed, with_copies};

/// The optimized LLVM IR, with warnings.
pub(crate) fn to_llvm<'c>(
    arguments: &Arguments,
    sources: &Sources,
    module: &ptx_ir::Module,
    (context, source): (&'c Context, &SourceFile),
) -> Result<(Module<'c>, Diagnostics), Failure> {
    let mut attempts: Vec<Attempt> = assumed(arguments, module)?.iter().map(Attempt::new).collect();
    loop {
        let assumed: Vec<_> = attempts.iter().map(|attempt| attempt.assumed().clone()).collect();
        let WithCopies { module: whole, copies } = with_copies(arguments, sources, module, &assumed)?;
        let unrolled: Vec<&str> = attempts
            .iter()
            .zip(&copies)
            .filter(|(attempt, _)| attempt.unrolls())
            .map(|(_, copy)| copy.name.as_str())
            .collect();
        let (result, mut warnings) = optimized(arguments, sources, &whole, &unrolled, (context, source))?;
        // Assumptions that make a kernel too long are given up, and the module is made again.
        let mut is_final = true;
        for (attempt, copy) in attempts.iter_mut().zip(&copies) {
            if has_grown_too_much(&result, copy)
                && let Some(next) = attempt.next()
            {
                (*attempt, is_final) = (next, false);
            }
        }
        if is_final {
            let given_up = attempts.iter().zip(&copies).filter_map(|(attempt, copy)| attempt.warning(copy));
            given_up.for_each(|warning| warnings.push(warning));
            return Ok((result, warnings));
        }
    }
}

/// The optimized module, and warnings about how it was optimized.
fn optimized<'c>(
    arguments: &Arguments,
    sources: &Sources,
    whole: &ptx_ir::Module,
    unrolled: &[&str],
    (context, source): (&'c Context, &SourceFile),
) -> Result<(Module<'c>, Diagnostics), Failure> {
    let terminal = arguments.report.terminal();
    let (verified, _) = ptx_verify::verify(whole).map_err(|found| rejected_in(sources, &found))?;
    let mut module =
        terminal.step("lower", || lower(verified, context)).map_err(|found| rejected_in(sources, &found))?;
    let flush = if arguments.reflect_ftz { FlushToZero::Yes } else { FlushToZero::No };
    for path in &arguments.link_bitcode {
        let library = read_input(path)?;
        let linked =
            terminal.step("link bitcode", || link_bitcode(&mut module, verified.module(), &library, flush));
        linked.map_err(|found| match found {
            BitcodeFindings::Program(found) => rejected_in(sources, &found),
            BitcodeFindings::Library(found) => rejected(&library, found),
        })?;
    }
    let unoptimized = arguments.optimize.unoptimized.into();
    let (mut module, warnings) = settle_unoptimized(module, unoptimized, arguments.optimize.level, source)
        .map_err(|found| rejected(source, found))?;
    terminal
        .step("optimize", || {
            optimize(&arguments.optimize, &arguments.told, &mut module, TargetChoice::default(), source)
        })
        .map_err(|found| usage_or_rejected(source, found))?;
    if arguments.optimize.level == OptLevel::O3 && !unrolled.is_empty() {
        terminal
            .step("unroll", || unroll_specialized(&mut module, unrolled, TargetChoice::default(), source))
            .map_err(|found| rejected(source, found))?;
    }
    Ok((module, warnings))
}

/// The module as it is written to the output.
pub(crate) fn written(
    arguments: &Arguments,
    module: Module<'_>,
    source: &SourceFile,
) -> Result<Vec<u8>, Failure> {
    let terminal = arguments.report.terminal();
    if arguments.no_hints {
        return terminal.step("remove hints", || listing(module)).map(String::into_bytes).map_err(|error| {
            let mut findings = Diagnostics::new();
            findings.push(llvm_finding(&error, source));
            rejected(source, findings)
        });
    }
    Ok(if arguments.product() == Emit::Bc { module.to_bitcode() } else { module.to_text().into_bytes() })
}

/// LLVM IR for human readers: without hints, with labels that need no quotes.
pub(crate) fn listing(module: Module<'_>) -> Result<String, LlvmError> {
    let mut plain = module.without_hints()?;
    plain.rename_blocks(plain_label);
    index_elements(&mut plain)?;
    Ok(plain.to_text())
}
