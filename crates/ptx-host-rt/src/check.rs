//! Checks of memory accesses that compiled code cannot prove valid (`code/probe.rs` in `ptx-host`).

use ptx_exec::TrapKind;
use ptx_exec::engine::{Around, Extent};
use ptx_exec::program::{Effect, Mask, Op, Row, Run};

use super::frame::{Status, WarpFrame, note};
use super::grid::Job;

/// The addresses cached as valid for an access, which code tests before it calls the runtime. All zeros cause every access to be checked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct Known {
    /// The first valid address.
    pub base: u64,
    /// Number of valid addresses from there, in steps of their alignment, for the access of one lane.
    pub each: u64,
    /// Likewise for the access of all lanes of the warps in a group, or of a chunk, if it is one contiguous run.
    pub whole: u64,
}

impl Known {
    fn of(extent: Extent, run: &Run, whole: u64) -> Self {
        let align = u64::from(run.align);
        let count = |bytes: u64| match extent.bytes.checked_sub(bytes) {
            Some(last) if extent.base.is_multiple_of(align) => last / align + 1,
            _ => 0,
        };
        // An access of several lanes is at least as long as that of one lane.
        let [each, whole] = [run.bytes.into(), whole.max(run.bytes.into())].map(count);
        Self { base: extent.base, each, whole }
    }
}

impl Job {
    /// Sizes of the non-global memories that a warp accesses; `live` are the live blocks of its cluster.
    pub(super) fn around<'a>(&self, frame: &WarpFrame, live: &'a [bool]) -> Around<'a> {
        // SAFETY: the program is alive while blocks run.
        let function = unsafe { frame.program.as_ref() }
            .and_then(|program| program.functions.get(program.entry as usize));
        Around {
            shared: self.geometry.shared.into(),
            rank: frame.rank,
            live,
            local: function.map_or(0, |function| function.local.into()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_exec::Space;
    use ptx_exec::program::{Address, Base};

    #[test]
    fn a_site_counts_the_addresses_of_its_region() {
        let address = Address { space: Space::Global, base: Base::Frame, offset: 0 };
        let run = Run { address, bytes: 8, align: 4, writes: false, is_atomic: false, lanes: Mask::MAX };
        let site = |base, bytes, whole| Known::of(Extent { base, bytes }, &run, whole);
        // At 0, 4, .. 12 of 20 bytes; 16 bytes at 0 and 4.
        assert_eq!(site(256, 20, 16), Known { base: 256, each: 4, whole: 2 });
        assert_eq!(site(256, 21, 16), Known { base: 256, each: 4, whole: 2 });
        assert_eq!(site(256, 8, 0), Known { base: 256, each: 1, whole: 1 });
        assert_eq!(site(256, 7, 16), Known { base: 256, each: 0, whole: 0 });
        // Addresses are counted from the base in steps of the alignment, which it has to have.
        assert_eq!(site(258, 20, 16), Known { base: 258, each: 0, whole: 0 });
    }
}
