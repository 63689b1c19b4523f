//! Builtin functions of the system, called for the lanes of a warp in order.

use ptx_exec::{Fault, FaultKind, TrapKind};
use ptx_program::memory::{AddressSize, Space};
use ptx_program::{Call, Callee, Effect, Op, Row, lanes};

use super::frame::{PEERS, Status, WarpFrame};

/// Maximum number of arguments of a builtin function.
pub const ARGUMENTS: usize = 5;

/// Calls the builtin function at an instruction for these lanes, with the rows of its arguments, of which there are
/// [`ARGUMENTS`]. `local` is the local memory of the warp (`code/local.rs`), or null if the kernel has none.
///
/// # Safety
/// The frame is that of a running warp, the other pointers are rows; `result` is not aliased. The kernel may access the
/// memory that strings and arguments are read from.
pub(super) unsafe extern "C" fn call(
    frame: *mut WarpFrame,
    pc: u32,
    active: u32,
    arguments: *const Row,
    result: *mut Row,
    local: *const u8,
) -> i32 {
    // SAFETY: the frame, and what it refers to while its block runs.
    let (frame, job, program) = unsafe { (&mut *frame, &*(*frame).job, (*frame).program.as_ref()) };
    let inst = program.and_then(|program| program.code.get(pc as usize));
    let Some(Op::Effect(Effect::Call(call))) = inst.map(|inst| &inst.op) else { return Status::Done as i32 };
    let Call { callee: Callee::Builtin(builtin), .. } = **call else { return Status::Done as i32 };
    let block = job.geometry.block_number(frame.block_index);
    // SAFETY: the cluster of the frame, which nothing else refers to now.
    let live = unsafe { frame.heavy.as_ref() }.map_or(vec![true], |heavy| heavy.live());
    for lane in lanes(active) {
        // SAFETY: as above.
        let values = std::array::from_fn(|n| unsafe { (*arguments.add(n))[lane] });
        let read = |address, size| {
            if let Some(system) = job.system().filter(|_| job.sites() > 0) {
                system.check_read(job.around(frame, &live), address, size)?;
            }
            // SAFETY: as above.
            unsafe { read(frame, local, lane, address, size) }
        };
        let done = match job.system() {
            Some(system) => system.call(builtin, values, block, &read),
            None => Err(TrapKind::Misuse("the launch has no functions of the system".to_owned())),
        };
        match done {
            // SAFETY: as above.
            Ok(value) => unsafe { (*result)[lane] = value },
            Err(kind) => {
                (frame.pc, frame.stopped) = (pc, 1 << lane);
                // SAFETY: the block of the frame, which nothing else refers to now.
                unsafe { (*frame.block).note(kind, Vec::new()) };
                return Status::Noted as i32;
            }
        }
    }
    Status::Done as i32
}

/// The offset of a byte of a lane in the local memory of a warp, which interleaves the lanes by words.
pub(super) fn place_in_local(lane: usize, at: usize) -> usize {
    at / 4 * 128 + 4 * lane + at % 4
}

/// Reads up to 8 bytes at a generic address.
///
/// # Safety
/// The kernel may access the memory.
unsafe fn read(
    frame: &WarpFrame,
    local: *const u8,
    lane: usize,
    address: u64,
    size: u32,
) -> Result<u64, Fault> {
    let fault = |kind, space| Fault { kind, space, address, size };
    let Some((space, at)) = Space::of_generic(address, AddressSize::Bits64) else {
        return Err(fault(FaultKind::OutOfBounds, Space::Generic));
    };
    if !address.is_multiple_of(size.into()) {
        return Err(fault(FaultKind::Misaligned, space));
    }
    let shared = || {
        let rank = at >> 24;
        if frame.peers.is_null() {
            return (rank == 0).then_some(frame.shared);
        }
        let rank = usize::try_from(rank).ok().filter(|&rank| rank < PEERS)?;
        // SAFETY: there are so many; those beyond the blocks of the cluster are null.
        Some(unsafe { *frame.peers.add(rank) }).filter(|start| !start.is_null())
    };
    let shared = match space {
        Space::Shared | Space::SharedCluster => {
            shared().ok_or_else(|| fault(FaultKind::OutOfBounds, space))?.cast_const()
        }
        _ => std::ptr::null(),
    };
    let byte = |n: u64| {
        let at = at + n;
        let start = match space {
            Space::Global | Space::Generic => return std::ptr::with_exposed_provenance::<u8>(at as usize),
            Space::Shared | Space::SharedCluster => {
                return shared.wrapping_add((at & 0xff_ffff) as usize);
            }
            Space::Local => {
                return local.wrapping_add(place_in_local(lane, at as usize));
            }
            Space::Const => frame.constant,
            Space::Param => frame.params,
        };
        start.wrapping_add(at as usize)
    };
    if space == Space::Local && local.is_null() {
        return Err(fault(FaultKind::OutOfBounds, space));
    }
    // SAFETY: as above, for each of the bytes.
    let bytes = (0..u64::from(size)).rev().map(|n| u64::from(unsafe { *byte(n) }));
    Ok(bytes.fold(0, |value, byte| value << 8 | byte))
}
