//! Contiguous bytes of bulk and tensor copies, as slices: the bounds check is made once for all of them.
//!
//! Each function first checks whether every individual access is valid, and has no effect if one is not. Its caller
//! then makes the accesses one by one, up to the one that fails.

use ptx_program::memory::{Space, SpaceAddress};
use ptx_program::tensormap::Swizzle;

use super::block::{BlockState, Owner};
use super::memory::View;

/// Bytes of a line; swizzles move bytes within a line.
const LINE: u64 = 128;

/// Direction of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    ToShared,
    FromShared,
}

impl BlockState {
    /// A contiguous range of shared memory; `None` if it is not in a single block.
    fn shared_run(&mut self, (space, address): SpaceAddress, bytes: usize) -> Option<&mut [u8]> {
        if !space.is_shared() {
            return None;
        }
        let (owner, offset) = self.owner(space, address, 1).ok()?;
        let shared = match owner {
            Owner::Running => &mut self.shared,
            Owner::Peer(rank) => &mut self.cluster.peers_mut().get_mut(rank)?.shared,
        };
        shared.get_mut(usize::try_from(offset).ok()?..)?.get_mut(..bytes)
    }

    /// Copies a row of a box, given its unswizzled address in shared memory; false if it is not in a single block.
    pub(super) fn move_row(
        &mut self,
        (space, address): SpaceAddress,
        swizzle: Swizzle,
        row: &mut [u8],
        way: Way,
    ) -> bool {
        let skipped = address % LINE;
        let start = address - skipped;
        let bytes = (skipped + row.len() as u64).next_multiple_of(LINE);
        let Some(lines) = self.shared_run((space, start), bytes as usize) else { return false };
        match swizzle {
            Swizzle::Bytes128Atom32Flip8 => move_chunks::<8>(lines, (start, skipped), swizzle, row, way),
            Swizzle::None
            | Swizzle::Bytes32
            | Swizzle::Bytes64
            | Swizzle::Bytes96
            | Swizzle::Bytes128
            | Swizzle::Bytes128Atom32
            | Swizzle::Bytes128Atom64 => move_chunks::<16>(lines, (start, skipped), swizzle, row, way),
        }
    }
}

/// Copies a row in the chunks that a swizzle keeps together, `skipped` bytes after the start of the lines.
fn move_chunks<const N: usize>(
    lines: &mut [u8],
    (start, skipped): (u64, u64),
    swizzle: Swizzle,
    row: &mut [u8],
    way: Way,
) -> bool {
    let (chunks, rest) = row.as_chunks_mut::<N>();
    if !rest.is_empty() || !skipped.is_multiple_of(N as u64) {
        return false;
    }
    for (chunk, at) in chunks.iter_mut().zip((start + skipped..).step_by(N)) {
        let at = (swizzle.apply(at) - start) as usize;
        let Some(place) = lines.get_mut(at..).and_then(|lines| lines.first_chunk_mut()) else { return false };
        match way {
            Way::ToShared => *place = *chunk,
            Way::FromShared => *chunk = *place,
        }
    }
    true
}

/// Copies bytes from global to shared memory, or back, instead of 8 bytes at a time.
pub(super) fn copy_run(view: &mut View<'_>, to: SpaceAddress, from: SpaceAddress, bytes: usize) -> bool {
    if !(to.1 | from.1 | bytes as u64).is_multiple_of(8) {
        return false;
    }
    let memory = &view.grid.global;
    match (to.0, from.0) {
        (_, Space::Global) => {
            let to = view.block.shared_run(to, bytes);
            to.is_some_and(|to| memory.read_run(from.1, to))
        }
        (Space::Global, _) => {
            let from = view.block.shared_run(from, bytes);
            from.is_some_and(|from| memory.write_run(to.1, from))
        }
        _ => false,
    }
}
