//! Inlines calls; those of recursive functions and through addresses become branches to one copy of the function (`calls.rs`).
//!
//! The instructions of the [`Program`] are copied: the rows of each copy become rows of the kernel, after those of the caller, and its
//! local memory has the same place as on the interpreter's stack. Arguments and results are passed as in the interpreter
//! (`machine/call.rs`): row to row, or as bytes of local memory. Rows are zero at the start of each call; those that a function may read before
//! it writes them are cleared explicitly. The arguments and results of system functions become rows.

mod calls;
mod copier;
mod inlined;
mod scalars;
mod stack;

use ptx_program::{Alu, Effect, Inst, Op, Packing, Program, Src, Unary};

pub(crate) use copier::STACK;
pub use inlined::Inlined;

use crate::analysis::{Refusal, access_locally, own_accesses};
use crate::counters::split;
use crate::spin::poll;
use crate::strategy::{Form, Forms};
use crate::webs::separate;
use copier::{Bodies, Calls, Copier, InlinedFrame, Return};
use scalars::pass_in_rows;
use stack::CALLS;

/// Inlines the calls of a kernel, gives each value a row of its own (`webs.rs`), lets generic accesses of local memory be local ones
/// (`analysis/own_memory.rs`), duplicates loop counters (`counters.rs`), and makes loads poll on which loops wait (`spin.rs`); `None` if there is nothing to do.
/// Disabled forms are left out.
///
/// # Errors
/// A call that cannot be inlined.
pub fn inline(program: &Program, disabled: Forms) -> Result<Option<Inlined>, Refusal> {
    let mut made = locally(program, separate(program, without_calls(program)?));
    if !disabled.contains(Form::Counters) {
        made = split(program, made);
    }
    Ok(poll(program, made))
}

/// Makes generic accesses that are known to be to local memory local ones.
fn locally(program: &Program, inlined: Option<Inlined>) -> Option<Inlined> {
    let accesses = own_accesses(inlined.as_ref().map_or(program, |inlined| &inlined.program));
    if accesses.is_empty() {
        return inlined;
    }
    let mut inlined = inlined.unwrap_or_else(|| Inlined::unchanged(program));
    access_locally(&mut inlined.program, &accesses);
    Some(inlined)
}

fn without_calls(program: &Program) -> Result<Option<Inlined>, Refusal> {
    let is_call = |inst: &Inst| matches!(inst.op, Op::Effect(Effect::Call(_)));
    let entry = program.kernel();
    let allocates = stack::allocates(program)?;
    if allocates.is_none()
        && !Bodies::new(program).of(entry).any(|pc| program.code.get(pc as usize).is_some_and(is_call))
    {
        return Ok(None);
    }
    let (changed, all_rows) = match pass_in_rows(program) {
        Some((changed, rows)) => (Some(changed), rows),
        None => (None, Vec::new()),
    };
    let program = changed.as_ref().unwrap_or(program);
    // Default: without such rows the kernel has its own.
    let (entry, rows) = (program.kernel(), all_rows.first().copied().unwrap_or(entry.rows));
    let mut copier = Copier {
        program,
        bodies: Bodies::new(program),
        code: Vec::new(),
        places: Vec::new(),
        rows,
        all_rows,
        local: entry.local,
        zero: Src::register(rows),
        starts: Vec::new(),
        base: None,
        between: None,
        top: None,
        growth: 0,
        depth: 0,
        own: Calls::default(),
    };
    let count = program.constants.rows().len() as u32;
    match (0..count).find(|&at| program.constants.fixed(at) == Some(0)) {
        Some(at) => copier.zero = Src::constant(at),
        None => {
            let (op, d) = (Unary::Field { shift: 0, mask: 0 }, copier.temporary());
            let make = Alu::Unary { op, packing: Packing::Whole, d, a: Src::register(0) };
            copier.emit(entry.start, None, make);
        }
    }
    if allocates.is_some() {
        copier.begin_stack(entry.start, entry.local);
    }
    copier.plan();
    if let Some(pc) = allocates.filter(|_| copier.own.has_any()) {
        return Err(Refusal { pc, why: CALLS });
    }
    let stack = 8 * entry.rows + entry.local;
    copier.copy(entry, InlinedFrame { rows: 0, local: 0, stack, base: None }, &Return::Exits)?;
    copier.copy_own()?;
    copier.finish()
}
