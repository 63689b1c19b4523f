//! Shared memory as the asynchronous proxy sees it (manual 9.7.9.25.2, 9.7.15.4, 9.7.16.6.5).
//!
//! Where asynchronous operations complete at points of their own, bulk and tensor copies, `wgmma` and `tcgen05` do not see what
//! threads wrote until a `fence.proxy.async` is executed: an operation that is issued keeps the former contents of bytes that were
//! written since the last fence, and finds these. What is written after its issue it finds, or not, as it completes late or early.
//! A fence of any thread shows all that was written in the cluster before, so that no program that has its fences finds former
//! contents, however its threads hand over to each other. What the proxy itself writes it sees at once, and so what `cp.async`
//! writes.

use super::block::BlockState;
use super::cluster::Owner;
use super::pending::Place;

/// Bytes that are compared in one step.
const STEP: usize = 64;

/// Bytes of shared memory at offsets, in ascending order.
pub(super) type Bytes = Box<[(u32, u8)]>;

impl BlockState {
    /// Shows the proxy what was written in the blocks of the cluster.
    pub(super) fn show_cluster(&mut self) {
        self.show();
        self.cluster.peers_mut().iter_mut().for_each(Self::show);
    }

    fn show(&mut self) {
        if !self.seen.is_empty() {
            self.seen.copy_from_slice(&self.shared);
        }
    }

    /// Shows bytes that the proxy wrote, where they are in shared memory.
    pub(super) fn show_written(&mut self, (space, address): Place, bytes: u64) {
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

    /// What the proxy has where threads have written since.
    pub(super) fn unseen(&self) -> Bytes {
        let steps = self.seen.chunks(STEP).zip(self.shared.chunks(STEP)).enumerate();
        let different = steps.filter(|(_, (seen, shared))| seen != shared);
        let bytes = different.flat_map(|(step, (seen, shared))| {
            let pairs = (step * STEP..).zip(seen.iter().zip(shared));
            pairs.filter(|(_, (seen, shared))| seen != shared).map(|(at, (seen, _))| (at as u32, *seen))
        });
        bytes.collect()
    }

    /// Puts former contents into shared memory, and gives what was there.
    pub(super) fn put_former(&mut self, former: &Bytes) -> Bytes {
        let swap = |&(at, byte): &(u32, u8)| {
            let place = self.shared.get_mut(at as usize)?;
            Some((at, std::mem::replace(place, byte)))
        };
        former.iter().filter_map(swap).collect()
    }

    /// Puts back what was there, but where something was written meanwhile.
    pub(super) fn put_back(&mut self, former: &Bytes, kept: &Bytes) {
        // A byte that no longer has its former content was written by the operation; putting the thread's value back would undo that.
        for (&(at, byte), &(_, before)) in former.iter().zip(kept) {
            if let Some(place) = self.shared.get_mut(at as usize).filter(|place| **place == byte) {
                *place = before;
            }
        }
    }
}
