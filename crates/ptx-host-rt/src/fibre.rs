//! Fibers: separate stacks for warps that wait for each other.

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult};

use super::barrier::WARPS;
use super::frame::{Suspend, WarpFrame};
use super::job::Job;

type Fibre = Coroutine<(), (), i32, Shifted>;

/// State of a resumed warp.
pub(crate) enum Resumed {
    /// It waits for others.
    Waits,
    /// Its function ended with this status.
    Ended(i32),
}

/// A stack that starts some bytes below its end: the stacks of a block are used alike, and with the same offset within
/// a page all of them would compete for the same cache lines.
struct Shifted {
    stack: DefaultStack,
    shift: usize,
}

// SAFETY: a part of a stack, which has all its properties; the shift is a multiple of the alignment of pages and
// stacks, and less than the additional allocation.
unsafe impl Stack for Shifted {
    fn base(&self) -> StackPointer {
        let base = self.stack.base();
        StackPointer::new(base.get() - self.shift).unwrap_or(base)
    }

    fn limit(&self) -> StackPointer {
        self.stack.limit()
    }
}

/// Distance in bytes between the starts of consecutive stacks, within their pages.
const SHIFT: usize = 192;

/// The fibers of the warps of a block, which are created once and reused for other blocks.
#[derive(Default)]
pub(crate) struct Fibres {
    running: Vec<Option<Fibre>>,
    free: Vec<Option<Shifted>>,
    bytes: usize,
}

/// The host has no memory for a stack.
pub(crate) struct NoStack;

impl Fibres {
    /// Makes room for `warps` warps, whose functions need stacks of `bytes` bytes.
    pub(crate) fn reserve(&mut self, warps: usize, bytes: usize) -> Result<(), NoStack> {
        if self.bytes < bytes {
            self.free.clear();
            self.bytes = bytes;
        }
        if self.free.len() < warps {
            self.free.resize_with(warps, || None);
            self.running.resize_with(warps, || None);
        }
        for (warp, free) in self.free.iter_mut().enumerate().take(warps) {
            if free.is_none() {
                let shift = warp % WARPS * SHIFT;
                let stack = DefaultStack::new(self.bytes + WARPS * SHIFT).map_err(|_| NoStack)?;
                *free = Some(Shifted { stack, shift });
            }
        }
        Ok(())
    }

    /// Runs a warp until it waits or its function returns; starts it if it is not running.
    pub(crate) fn resume(&mut self, warp: usize, job: &Job, frame: *mut WarpFrame) -> Resumed {
        let (Some(slot), Some(free)) = (self.running.get_mut(warp), self.free.get_mut(warp)) else {
            return Resumed::Ended(NO_STACK);
        };
        if slot.is_none() {
            let Some(stack) = free.take() else { return Resumed::Ended(NO_STACK) };
            let code = job.code();
            let body = move |suspend: &Suspend, ()| {
                // SAFETY: frames stay where they are while their warps run, and the code belongs to a kernel that outlives the job.
                unsafe {
                    (*frame).suspend = suspend;
                    code(frame)
                }
            };
            // SAFETY: everything that the function refers to outlives the fiber: `abandon` or the return of the function comes before.
            *slot = Some(unsafe { Fibre::with_stack_unchecked(stack, body) });
        }
        let Some(fibre) = slot else { return Resumed::Ended(NO_STACK) };
        match fibre.resume(()) {
            CoroutineResult::Yield(()) => Resumed::Waits,
            CoroutineResult::Return(status) => {
                *free = slot.take().map(Fibre::into_stack);
                Resumed::Ended(status)
            }
        }
    }

    /// Abandons the waiting fibers. Nothing on their stacks needs to be dropped: they contain frames of compiled code,
    /// and of functions of the runtime that own nothing while they wait.
    pub(crate) fn abandon(&mut self) {
        for (slot, free) in self.running.iter_mut().zip(&mut self.free) {
            if let Some(mut fibre) = slot.take() {
                // SAFETY: as above.
                unsafe { fibre.force_reset() };
                *free = Some(fibre.into_stack());
            }
        }
    }
}

/// The status of a warp without a stack, which cannot happen after [`Fibres::reserve`].
const NO_STACK: i32 = -1;
