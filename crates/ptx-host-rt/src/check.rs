//! Checks of memory accesses that compiled code cannot prove valid (`code/probe.rs` in `ptx-host`).

use ptx_exec::TrapKind;
use ptx_exec::engine::Around;
use ptx_program::{Effect, Mask, Op, Row};

use super::frame::{Status, WarpFrame, note};
use super::job::Job;
use super::known::Known;

impl Job {
    /// Sizes of the non-global memories that a warp accesses; `live` are the live blocks of its cluster.
    pub(super) fn around<'a>(&self, frame: &WarpFrame, live: &'a [bool]) -> Around<'a> {
        // SAFETY: the program is alive while blocks run.
        let program = unsafe { frame.program.as_ref() };
        debug_assert!(program.is_some(), "a warp without a program");
        Around {
            shared: self.geometry.shared.into(),
            rank: frame.rank,
            live,
            local: match program {
                Some(program) => program.kernel().local.into(),
                None => 0,
            },
            constant: self.constant_bytes,
            params: self.param_bytes,
        }
    }
}

/// Checks whether lanes of the warps in a group can make the accesses of an instruction; `lanes` are the active lanes
/// of each warp, `rows` for each warp the rows of the source operands. Stores the valid addresses in the sites of its
/// runs, from `site` on; `wholes` is for each run the size of the access of all lanes. Returns a [`Status`].
///
/// # Safety
/// The frame is that of a running warp; the numbers of lanes and rows match.
pub(super) unsafe extern "C" fn check(
    frame: *mut WarpFrame,
    pc: u32,
    site: u32,
    wholes: *const u64,
    warps: u32,
    lanes: *const u32,
    rows: *const Row,
) -> i32 {
    // SAFETY: the frame, and what it refers to while its block runs.
    let (about, job, program) = unsafe { (&*frame, &*(*frame).job, (*frame).program.as_ref()) };
    let inst = program.and_then(|program| program.code.get(pc as usize));
    let Some(Op::Effect(effect)) = inst.map(|inst| &inst.op) else { return Status::Done as i32 };
    let Some(accesses) = effect.accesses() else { return Status::Done as i32 };
    let Some(system) = job.system() else {
        let text = "the launch does not know the memory that accesses are checked against";
        // SAFETY: the frame of a warp that runs.
        return unsafe { note(frame, pc, 1, TrapKind::Misuse(text.to_owned())) };
    };
    // SAFETY: the cluster of the frame, which nothing else refers to now.
    let live = unsafe { about.heavy.as_ref() }.map_or(vec![true], |heavy| heavy.live());
    let around = job.around(about, &live);
    let is_whole = matches!(effect, Effect::Collective(_));
    let mut first = None;
    for warp in 0..warps as usize {
        // SAFETY: as above.
        let (active, rows) = unsafe {
            let count = accesses.srcs.len();
            (*lanes.add(warp), std::slice::from_raw_parts(rows.add(warp * count), count))
        };
        // A warp collective with missing lanes is reported by the code after this.
        if active == 0 || is_whole && active != Mask::MAX {
            continue;
        }
        if let Err((kind, lane)) = system.check(effect, around, rows, active) {
            // SAFETY: the frame of a warp that runs.
            unsafe {
                (*frame).warp += warp as u32;
                return note(frame, pc, 1 << lane, kind);
            }
        }
        first = first.or(Some((rows, active)));
    }
    let Some((rows, active)) = first else { return Status::Done as i32 };
    for (at, run) in accesses.runs.iter().enumerate() {
        if let Some(extent) = system.extent((&accesses, at), around, rows, active) {
            // SAFETY: there is a site for each run, and its number of bytes.
            unsafe { *about.sites.add(site as usize + at) = Known::of(extent, run, *wholes.add(at)) };
        }
    }
    Status::Done as i32
}
