//! Why a block was stopped: the status of a warp and what its frame and block have recorded in, the stop out.

use ptx_exec::TrapKind;
use ptx_exec::engine::{Stop, describe};
use ptx_program::first_lane;

use super::block::Block;
use super::frame::{Status, WarpFrame};
use super::job::Job;

impl Block {
    /// The stop of a warp with this status.
    pub(crate) fn stop(&mut self, job: &Job, frame: &WarpFrame, status: i32) -> Stop {
        let noted = self.noted.take();
        let (kind, related) = match (noted, status) {
            (Some(noted), _) if status == Status::Noted as i32 => (noted.kind, noted.related),
            _ if status == Status::Interrupted as i32 => {
                let groups = self.groups(Some((frame.warp as usize, frame.pc, frame.stopped)));
                (TrapKind::Timeout, describe(&job.geometry, &groups))
            }
            _ if status == Status::Deadlock as i32 => {
                let (lanes, warp) = (frame.stopped, frame.warp);
                let who =
                    format!("lanes {lanes:#010x} of warp {warp} wait for others of it, which wait elsewhere");
                (TrapKind::Deadlock(who), Vec::new())
            }
            _ if status == Status::NotMember as i32 => {
                let lane = first_lane(frame.stopped);
                let members = frame.detail as u32;
                let text =
                    format!("the membermask {members:#010x} does not name lane {lane}, which executes it");
                (TrapKind::Misuse(text), Vec::new())
            }
            _ if status == Status::NotMatrix as i32 => {
                let text = "a matrix lies in shared memory, or a fragment in global or shared memory, at one address with one \
                            stride for all threads that is no less than its lines";
                (TrapKind::Misuse(text.to_owned()), Vec::new())
            }
            _ if status == Status::Apart as i32 => {
                let (lanes, warp) = (frame.stopped, frame.warp);
                let text = format!(
                    "all threads of warp {warp} are claimed to run this together, but lanes {lanes:#010x} do not"
                );
                (TrapKind::Defect(text), Vec::new())
            }
            _ if status == Status::NotWhole as i32 => {
                let text = "matrix instructions need all 32 threads of the warp".to_owned();
                (TrapKind::Misuse(text), Vec::new())
            }
            _ => (job.trap_at(frame.pc, frame.detail), Vec::new()),
        };
        Stop {
            kind,
            pc: Some(frame.pc),
            block: frame.block_index,
            warp: frame.warp as usize,
            lane: first_lane(frame.stopped),
            related,
        }
    }
}

/// A stop before any thread of the block ran.
pub(super) fn nowhere(kind: TrapKind, block: [u32; 3]) -> Stop {
    Stop { kind, pc: None, block, warp: 0, lane: 0, related: Vec::new() }
}
