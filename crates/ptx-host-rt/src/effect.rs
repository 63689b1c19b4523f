//! Instructions executed by the interpreter's runtime: textures, surfaces, multimem accesses, and matrix products that are not compiled.
//!
//! Their operands are rows in memory of the function (`operands`).

use ptx_exec::TrapKind;
use ptx_program::{CollectiveKind, Effect, Op, Row};

use super::frame::{Status, WarpFrame};

/// Executes the instruction at `pc` for these lanes, on the rows of its operands.
///
/// # Safety
/// The frame is that of a running warp, and the number of rows is that of [`operands`](super::operands::operands) for the instruction; the rows are not aliased.
pub(super) unsafe extern "C" fn effect(frame: *mut WarpFrame, pc: u32, active: u32, rows: *mut Row) -> i32 {
    // SAFETY: the frame, and what it refers to while its block runs.
    let (frame, job) = unsafe { (&mut *frame, &*(*frame).job) };
    let Some(numbered) = job.effects().and_then(|effects| effects.at(pc)) else { return Status::Done as i32 };
    // SAFETY: as above.
    let rows = unsafe { std::slice::from_raw_parts_mut(rows, numbered.rows) };
    let done = match job.system() {
        Some(system) => system.execute(&numbered.effect, rows, &[], active),
        None => Err((TrapKind::Misuse("the launch has no textures".to_owned()), 0)),
    };
    stopped(frame, pc, done)
}

/// Executes the matrix product at `pc`, on the rows of its sources and results.
///
/// # Safety
/// The frame is that of a running warp, and the numbers of rows are those of the product instruction; the result rows are not aliased.
pub(super) unsafe extern "C" fn multiply(
    frame: *mut WarpFrame,
    pc: u32,
    inputs: *const Row,
    outputs: *mut Row,
) -> i32 {
    // SAFETY: the frame, and the program while its block runs.
    let (frame, program) = unsafe { (&mut *frame, (*frame).program.as_ref()) };
    let inst = program.and_then(|program| program.code.get(pc as usize));
    let Some(Op::Effect(Effect::Collective(collective))) = inst.map(|inst| &inst.op) else {
        return Status::Done as i32;
    };
    let CollectiveKind::Multiply(product) = collective.kind else { return Status::Done as i32 };
    // SAFETY: as above.
    let (inputs, outputs) = unsafe {
        let inputs = std::slice::from_raw_parts(inputs, collective.srcs.len());
        (inputs, std::slice::from_raw_parts_mut(outputs, collective.dsts.len()))
    };
    stopped(frame, pc, ptx_exec::engine::multiply(&product, inputs, outputs))
}

/// The status of a warp after an instruction that may have stopped a lane.
fn stopped(frame: &mut WarpFrame, pc: u32, done: Result<(), (TrapKind, usize)>) -> i32 {
    let Err((kind, lane)) = done else { return Status::Done as i32 };
    (frame.pc, frame.stopped) = (pc, 1 << lane);
    // SAFETY: the block of the frame, which nothing else refers to now.
    unsafe { (*frame.block).note(kind, Vec::new()) };
    Status::Noted as i32
}
