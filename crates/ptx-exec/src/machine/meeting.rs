//! Completion conditions of block barriers, and undefined uses of them (manual 9.7.13.1): common to all engines, however they count threads.

use std::fmt;

use ptx_program::{Mask, WARP};
use thiserror::Error;

use crate::error::TrapKind;

/// The barriers of a block.
pub const BARRIERS: usize = 16;

/// Completion condition of a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// When every thread of the block has arrived or exited.
    Everyone,
    /// When this many threads have arrived.
    Count(u32),
}

impl Expected {
    /// The condition of an instruction with this thread count, or none, in a block of `warps` warps.
    ///
    /// # Errors
    /// If the count is not a positive multiple of the warp size.
    pub fn of(count: Option<u64>, warps: usize) -> Result<Self, BarrierMisuse> {
        match count {
            None => Ok(Self::Everyone),
            Some(count) if count == 0 || !count.is_multiple_of(WARP as u64) => {
                Err(BarrierMisuse::Count(count))
            }
            Some(count) if count == warps as u64 * WARP as u64 => Ok(Self::Everyone),
            // More threads than the block has can never arrive: that ends as a deadlock.
            Some(count) => Ok(Self::Count(count.min(u32::MAX.into()) as u32)),
        }
    }

    /// The same condition as a number of threads, in a block of `warps` warps.
    pub fn counted(self, warps: usize) -> Self {
        match self {
            Self::Everyone => Self::Count((warps * WARP) as u32),
            Self::Count(_) => self,
        }
    }

    /// Checks the condition against that of earlier arrivals of the phase, and records it.
    ///
    /// # Errors
    /// If an earlier arrival has a different condition.
    pub fn agree(self, phase: &mut Option<Self>) -> Result<(), BarrierMisuse> {
        match *phase {
            Some(earlier) if earlier != self => Err(BarrierMisuse::Contradiction(earlier, self)),
            _ => {
                *phase = Some(self);
                Ok(())
            }
        }
    }
}

/// Whether the participants of a phase execute reductions; unknown before the first arrival.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reduces(Option<bool>);

impl Reduces {
    /// Checks an arrival against earlier ones of the phase, and records it: "`red` should not be intermixed with `sync`
    /// or `arrive` using the same active barrier" (manual 9.7.13.1).
    ///
    /// # Errors
    /// [`BarrierMisuse::Mixed`].
    pub fn agree(&mut self, reduces: bool) -> Result<(), BarrierMisuse> {
        match self.0.replace(reduces) {
            Some(earlier) if earlier != reduces => Err(BarrierMisuse::Mixed),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everyone => f.write_str("all threads of the block"),
            Self::Count(count) => write!(f, "{count} threads"),
        }
    }
}

/// The index of a barrier in its block.
///
/// # Errors
/// If there is no barrier of this number.
pub fn barrier_index(id: u64) -> Result<usize, BarrierMisuse> {
    usize::try_from(id).ok().filter(|&index| index < BARRIERS).ok_or(BarrierMisuse::Number(id))
}

/// An undefined use of a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum BarrierMisuse {
    /// The threads that execute an instruction together specify different barriers.
    #[error("threads of a warp give different barriers at once")]
    Numbers,
    /// They specify different counts.
    #[error("threads of a warp give different thread counts at once")]
    Counts,
    /// A barrier number that does not exist.
    #[error("there is no barrier {0}; a block has {BARRIERS}")]
    Number(u64),
    /// A count that is not a positive multiple of the warp size.
    #[error("the thread count {0} is not a positive multiple of the warp size")]
    Count(u64),
    /// Not all threads of a warp execute an aligned barrier.
    #[error(
        "the guard of an aligned barrier is true for some threads of a warp only; `barrier.sync` without `.aligned` is for some of them"
    )]
    Guard,
    /// Threads of a warp are at different aligned barriers.
    #[error(
        "threads of a warp come to different barriers, each of which all of them have to come to together; \
         `barrier.sync` without `.aligned` is for some of them"
    )]
    Parted,
    /// The condition of earlier arrivals of a phase, and that of a later one.
    #[error("threads wait at the same barrier for {0} and for {1}")]
    Contradiction(Expected, Expected),
    /// A reduction, and arrivals without one, in the same phase.
    #[error(
        "`red` and `sync` or `arrive` are mixed at one active barrier, where all participants execute `red` or none \
         does; the result is unpredictable"
    )]
    Mixed,
    /// Threads of a warp arrive again before the others of the warp have arrived once.
    #[error("threads arrive again at a barrier to which other threads of their warp have not come")]
    Ahead,
}

impl From<BarrierMisuse> for TrapKind {
    fn from(misuse: BarrierMisuse) -> Self {
        Self::Misuse(misuse.to_string())
    }
}

/// What the threads at a barrier wait for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BarrierWait {
    /// These lanes of warps.
    Threads(Vec<(usize, Mask)>),
    /// Any threads, until a number of them have arrived.
    More {
        /// Threads that have arrived.
        arrived: u32,
        /// The expected number.
        count: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_whole_warps() {
        assert_eq!(Expected::of(None, 3), Ok(Expected::Everyone));
        assert_eq!(Expected::of(Some(96), 3), Ok(Expected::Everyone));
        assert_eq!(Expected::of(Some(64), 3), Ok(Expected::Count(64)));
        assert_eq!(Expected::of(Some(1 << 40), 3), Ok(Expected::Count(u32::MAX)));
        for count in [0, 1, 33, (1 << 40) + 16] {
            let text = format!("the thread count {count} is not a positive multiple of the warp size");
            assert_eq!(Expected::of(Some(count), 3).map_err(|misuse| misuse.to_string()), Err(text));
        }
    }

    #[test]
    fn all_participants_of_a_phase_reduce_or_none_does() {
        for first in [false, true] {
            let mut phase = Reduces::default();
            assert_eq!(phase.agree(first), Ok(()));
            assert_eq!(phase.agree(first), Ok(()));
            assert_eq!(phase.agree(!first), Err(BarrierMisuse::Mixed));
        }
    }

    #[test]
    fn blocks_have_sixteen_barriers() {
        assert_eq!(barrier_index(15), Ok(15));
        for id in [16, u64::MAX] {
            let text = format!("there is no barrier {id}; a block has 16");
            assert_eq!(barrier_index(id).map_err(|misuse| misuse.to_string()), Err(text));
        }
    }

    #[test]
    fn arrivals_of_a_phase_wait_for_the_same() {
        let mut phase = None;
        assert_eq!(Expected::Count(64).agree(&mut phase), Ok(()));
        assert_eq!(Expected::Count(64).agree(&mut phase), Ok(()));
        let text = "threads wait at the same barrier for 64 threads and for all threads of the block";
        assert_eq!(
            Expected::Everyone.agree(&mut phase).map_err(|misuse| misuse.to_string()),
            Err(text.into())
        );
        assert_eq!(phase, Some(Expected::Count(64)));
    }
}
