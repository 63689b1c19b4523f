//! What is observed of threads that poll an mbarrier (`polling.rs`).

use ptx_program::{Mask, WARP, lanes};

use super::mbarrier_object::Wait;

/// Number of rounds in which all warps polled unsuccessfully, after which they are watched.
pub(super) const PATIENT_ROUNDS: u32 = 8;

/// Observations about polling threads of a warp.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Disturbances of the cluster when the samples were taken.
    pub(super) disturbances: u64,
    pub(super) samples: [Option<Sample>; WARP],
    pub(super) stuck: Mask,
}

/// The state of a thread at an unsuccessful query.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) pc: u32,
    pub(super) frame: usize,
    /// Its registers in each call frame.
    pub(super) registers: Vec<u64>,
    pub(super) local: Vec<u8>,
    pub(super) wait: Wait,
    /// Number of queries since, and the number at which the sample is replaced: a loop may take several queries to repeat its state.
    pub(super) asked: u32,
    pub(super) until: u32,
}

impl Watch {
    /// The instruction and query of the first of these lanes, if all of them are stuck.
    pub(super) fn stuck(&self, mask: Mask, disturbances: u64) -> Option<(u32, Wait)> {
        let is_stuck = self.disturbances == disturbances && mask & !self.stuck == 0;
        let first = lanes(mask).next().filter(|_| is_stuck)?;
        self.samples[first].as_ref().map(|sample| (sample.pc, sample.wait))
    }
}
