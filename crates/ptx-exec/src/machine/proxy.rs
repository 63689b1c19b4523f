//! Shared memory as seen by the asynchronous proxy (manual 9.7.9.25.2, 9.7.15.4, 9.7.16.6.5).
//!
//! Unless asynchronous operations complete eagerly, bulk and tensor copies, `wgmma` and `tcgen05` do not see writes by
//! threads until a `fence.proxy.async` is executed: an issued operation records the former contents of the bytes
//! written since the last fence, and reads those. Writes after its issue are seen or not, depending on when it
//! completes. A fence of any thread makes all earlier writes in the cluster visible, so that a program with the
//! required fences never sees former contents, however its threads synchronize. Writes by the proxy itself are visible
//! to it immediately, and so are those of `cp.async`.

use ptx_program::memory::SpaceAddress;

use super::block::{BlockState, Owner};
use super::operation::Bytes;

/// Bytes compared per step.
const STEP: usize = 64;

impl BlockState {
    /// Makes all writes in the blocks of the cluster visible to the proxy.
    pub(super) fn show_cluster(&mut self) {
        self.show();
        self.cluster.peers_mut().iter_mut().for_each(Self::show);
    }

    fn show(&mut self) {
        if !self.seen.is_empty() {
            self.seen.copy_from_slice(&self.shared);
        }
    }

    /// Makes bytes written by the proxy visible to it, if they are in shared memory.
    pub(super) fn show_written(&mut self, (space, address): SpaceAddress, bytes: u64) {
        if self.seen.is_empty() || !space.is_shared() || bytes == 0 {
            return;
        }
        let Ok((owner, offset)) = self.owner(space, address, 1) else { return };
        let block = match owner {
            Owner::Running => self,
            Owner::Peer(rank) => match self.cluster.peers_mut().get_mut(rank) {
                Some(peer) => peer,
                None => return,
            },
        };
        let start = offset as usize;
        let end = start.saturating_add(bytes as usize).min(block.shared.len());
        if let (Some(to), Some(from)) = (block.seen.get_mut(start..end), block.shared.get(start..end)) {
            to.copy_from_slice(from);
        }
    }

    /// The bytes as the proxy sees them, where threads have written since.
    pub(super) fn unseen(&self) -> Bytes {
        let steps = self.seen.chunks(STEP).zip(self.shared.chunks(STEP)).enumerate();
        let different = steps.filter(|(_, (seen, shared))| seen != shared);
        let bytes = different.flat_map(|(step, (seen, shared))| {
            let pairs = (step * STEP..).zip(seen.iter().zip(shared));
            pairs.filter(|(_, (seen, shared))| seen != shared).map(|(at, (seen, _))| (at as u32, *seen))
        });
        bytes.collect()
    }

    /// Swaps former contents into shared memory, and returns the current ones.
    pub(super) fn put_former(&mut self, former: &Bytes) -> Bytes {
        let swap = |&(at, byte): &(u32, u8)| {
            let place = self.shared.get_mut(at as usize)?;
            Some((at, std::mem::replace(place, byte)))
        };
        former.iter().filter_map(swap).collect()
    }

    /// Restores the current contents, except where something was written meanwhile.
    pub(super) fn put_back(&mut self, former: &Bytes, kept: &Bytes) {
        // A byte that no longer has its former contents was written by the operation; restoring the thread's value would undo that.
        for (&(at, byte), &(_, before)) in former.iter().zip(kept) {
            if let Some(place) = self.shared.get_mut(at as usize).filter(|place| **place == byte) {
                *place = before;
            }
        }
    }
}
