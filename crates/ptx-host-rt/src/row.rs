//! Operations on registers by the interpreter's functions.

use ptx_exec::RowOperation;
use ptx_program::{FULL, Op, Row};

use super::frame::WarpFrame;

/// Executes the operation at an instruction, for all lanes of up to four rows.
///
/// # Safety
/// The frame is that of a running warp, the other pointers are rows; the last two are not aliased.
pub(super) unsafe extern "C" fn row(
    frame: *mut WarpFrame,
    pc: u32,
    a: *const Row,
    b: *const Row,
    c: *const Row,
    d: *const Row,
    first: *mut Row,
    second: *mut Row,
) {
    // SAFETY: the program is alive while its blocks run.
    let inst = unsafe { (*frame).program.as_ref() }.and_then(|program| program.code.get(pc as usize));
    let Some(Op::Alu(alu)) = inst.map(|inst| &inst.op) else { return };
    // SAFETY: as above. Unused sources are valid memory too.
    unsafe {
        RowOperation::new(*alu).apply([&*a, &*b, &*c, &*d], FULL, [&mut *first, &mut *second]);
    }
}
