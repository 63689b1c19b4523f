//! Which lanes a function executes at a time: a part of a warp, a warp, or several warps.

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::host::HostMachine;
use ptx_program::{Op, Program};

use super::{Form, Strategy};
use crate::analysis::{Analysis, groups, part, together};
use crate::emit::alu::Style;
use crate::emit::emitters::emits_all;
use crate::error::CompileError;
use crate::join::{Joined, analyze};
use crate::source::Source;

/// What is compiled, and how.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) analysis: Analysis,
    /// The program with joined operations, if some were joined: that is what was analysed.
    pub(crate) joined: Option<Joined>,
    pub(crate) strategy: Strategy,
}

/// Chooses how a kernel without calls is executed.
///
/// # Errors
/// The first instruction that is not compiled.
pub(crate) fn choose(source: Source<'_>, machine: &HostMachine) -> Result<Chosen, CompileError> {
    let Source { program, launched, options } = source;
    let lanes = super::lanes(machine);
    let (one, joined) = analyze(program, launched, lanes, &options.limits)?;
    // Lanes that wait for each other, and functions of segments, are of one warp.
    if joined.is_none() && !one.hands_over && one.segments.is_none() && !one.arrives_singly {
        for analysis in candidates(source, &one, machine)? {
            // A group has no order if its warps would have to be called one by one.
            if let Ok(chosen) = chosen(source, analysis, None) {
                return Ok(chosen);
            }
        }
    }
    chosen(source, one, joined)
}

/// As [`choose`], one warp at a time.
///
/// # Errors
/// As [`choose`].
pub(crate) fn choose_warp(source: Source<'_>, machine: &HostMachine) -> Result<Chosen, CompileError> {
    let Source { program, launched, options } = source;
    let (one, joined) = analyze(program, launched, super::lanes(machine), &options.limits)?;
    chosen(source, one, joined)
}

fn chosen(
    Source { program, launched, options }: Source<'_>,
    mut analysis: Analysis,
    joined: Option<Joined>,
) -> Result<Chosen, CompileError> {
    if options.disabled.contains(Form::LaneLoops) {
        analysis.alone.clear();
    }
    if options.disabled.contains(Form::Windows) {
        analysis.patterns.hide();
    }
    if options.check_shapes {
        analysis.shapes.compute_per_lane();
    }
    let program = joined.as_ref().map_or(program, |joined| &joined.program);
    let strategy = Strategy::new(program, &analysis, launched, options.disabled)?;
    Ok(Chosen { analysis, joined, strategy })
}

/// The groups other than a warp for which the kernel may be compiled, the best first.
fn candidates<'a>(
    Source { program, launched, options }: Source<'a>,
    one: &'a Analysis,
    machine: &'a HostMachine,
) -> Result<impl Iterator<Item = Analysis> + use<'a>, LlvmError> {
    let (lanes, registers, disabled) = (super::lanes(machine), super::registers(machine), options.disabled);
    // If accesses are checked, all lanes execute together, so that the first error is the interpreter's.
    let parts = !options.check_memory && !disabled.contains(Form::Parts);
    let part = parts.then(|| part(program, launched, one, registers)).flatten();
    let mut warps = Vec::new();
    if !disabled.contains(Form::Together) {
        warps.extend(together(program, launched, lanes));
    }
    if !disabled.contains(Form::Groups) {
        warps.extend(groups(program, launched, one, lanes, registers).into_iter().filter(|&warps| warps > 1));
    }
    // The interpreter's functions, which execute what has no emitter, are for one warp.
    let is_emitted = (part.is_some() || !warps.is_empty()) && has_emitters(program, one, machine)?;
    let part =
        part.into_iter().filter_map(move |chunks| Analysis::of_part(program, launched, lanes, chunks).ok());
    let warps = warps.into_iter().filter_map(move |n| Analysis::of_group(program, launched, lanes, n).ok());
    Ok(part.chain(warps).filter(move |_| is_emitted))
}

/// Whether there are emitters for all operations of a kernel.
fn has_emitters(program: &Program, analysis: &Analysis, machine: &HostMachine) -> Result<bool, LlvmError> {
    let code = analysis.graph.blocks().iter().flat_map(|block| block.first..block.end);
    let operations = code.filter_map(|pc| match &program.code[pc as usize].op {
        Op::Alu(alu) => {
            let reads = analysis.graph.access(pc).reads.iter();
            Some((*alu, reads.map(|src| analysis.widths.src(*src)).collect()))
        }
        Op::Effect(_) => None,
    });
    emits_all(operations, Style::of(machine.cpu()), super::lanes(machine))
}
