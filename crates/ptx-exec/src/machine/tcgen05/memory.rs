//! The tensor memory of a block (manual 9.7.16.1, 9.7.16.7).

use std::ops::Range;

use ptx_program::{COLUMNS, Group, LANES, QUARTER, Sharing};

use super::misuse::misuse;
use crate::error::TrapKind;
use crate::machine::indexed::value_at;

/// Allocated columns.
#[derive(Clone, Copy, Debug)]
struct Allocation {
    first: usize,
    count: usize,
    sharing: Sharing,
    /// The allocating instruction.
    pc: u32,
}

/// The cells of a block, and its allocated columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct TensorMemory {
    /// Column by column; empty before the first allocation.
    cells: Vec<u32>,
    allocations: Vec<Allocation>,
    /// Whether the permission to allocate was relinquished.
    relinquished: bool,
    /// The `.cta_group` of the first instruction of the kernel.
    group: Option<Group>,
    /// The request of a warp that waits for a matching request of the peer.
    asked: Option<(u64, Sharing)>,
    /// The first of the columns that the peer allocated in both blocks.
    granted: Option<usize>,
}

/// The lane and column of an address.
pub(crate) const fn parts(address: u32) -> (usize, usize) {
    ((address >> 16) as usize, (address & 0xffff) as usize)
}

impl TensorMemory {
    /// Checks that all instructions of a block have the same `.cta_group` (manual 9.7.16.7.1).
    pub(super) fn use_group(&mut self, group: Group) -> Result<(), TrapKind> {
        if *self.group.get_or_insert(group) == group {
            return Ok(());
        }
        misuse("all `tcgen05` instructions of a kernel have the same `.cta_group`")
    }

    /// Allocates columns and returns the first; `None` if there is currently no room.
    pub(super) fn allocate(
        &mut self,
        count: u64,
        sharing: Sharing,
        pc: u32,
    ) -> Result<Option<usize>, TrapKind> {
        self.check_allocation(count, sharing)?;
        let first = room(&[self], count as usize);
        if let Some(first) = first {
            self.take(Allocation { first, count: count as usize, sharing, pc });
        }
        Ok(first)
    }

    /// Allocates the same columns in both blocks of a pair, once a warp of each requests them; `None` until then, or if there is currently no room.
    pub(super) fn allocate_both(
        &mut self,
        peer: &mut Self,
        count: u64,
        sharing: Sharing,
        pc: u32,
    ) -> Result<Option<usize>, TrapKind> {
        if let Some(first) = self.granted.take() {
            return Ok(Some(first));
        }
        self.check_allocation(count, sharing)?;
        // A rendezvous of two warps that do not run concurrently: the first records its request and waits, the second
        // finds it, allocates for both and records the result for the first, which takes it when it retries.
        self.asked = Some((count, sharing));
        match peer.asked {
            None => return Ok(None),
            Some(asked) if asked == (count, sharing) => {}
            Some((other, _)) => {
                return misuse(format!(
                    "the block allocates {count} columns of tensor memory, and its peer {other}"
                ));
            }
        }
        let first = room(&[self, peer], count as usize);
        if let Some(first) = first {
            for memory in [&mut *self, &mut *peer] {
                memory.take(Allocation { first, count: count as usize, sharing, pc });
                memory.asked = None;
            }
            peer.granted = Some(first);
        }
        Ok(first)
    }

    fn check_allocation(&self, count: u64, sharing: Sharing) -> Result<(), TrapKind> {
        check_count(count, sharing)?;
        if self.relinquished {
            return misuse("the block has given up the right to allocate tensor memory");
        }
        Ok(())
    }

    fn take(&mut self, allocation: Allocation) {
        let end = LANES * (allocation.first + allocation.count);
        self.cells.resize(self.cells.len().max(end), 0);
        self.allocations.push(allocation);
    }

    /// Frees the allocation at an address.
    pub(super) fn free(&mut self, address: u32, count: u64, sharing: Sharing) -> Result<(), TrapKind> {
        check_count(count, sharing)?;
        let (lane, column) = parts(address);
        let found = self.allocations.iter().position(|taken| taken.first == column && lane == 0);
        let Some(at) = found else {
            return misuse(format!("no columns of tensor memory are allocated at {address:#x}"));
        };
        let taken = self.allocations[at];
        if taken.count as u64 != count || taken.sharing != sharing {
            return misuse(format!(
                "{count} columns are freed at {address:#x}, where {} were allocated{}",
                taken.count,
                if taken.sharing == sharing { "" } else { ", and `.exclusive` differs" }
            ));
        }
        self.allocations.swap_remove(at);
        Ok(())
    }

    /// Relinquishes the permission to allocate.
    pub(super) fn relinquish(&mut self) {
        self.relinquished = true;
    }

    /// An allocation that was never freed: the instruction, and the number of columns.
    pub(crate) fn leaked(&self) -> Option<(u32, usize)> {
        self.allocations.first().map(|taken| (taken.pc, taken.count))
    }

    fn index(&self, lane: usize, column: i64) -> Result<usize, TrapKind> {
        let within = |column: usize| {
            self.allocations.iter().any(|taken| (taken.first..taken.first + taken.count).contains(&column))
        };
        match usize::try_from(column) {
            Ok(column) if lane < LANES && within(column) => Ok(column * LANES + lane),
            _ if lane >= LANES => misuse(format!("tensor memory has {LANES} lanes and no lane {lane}")),
            _ => misuse(format!("column {column} of tensor memory (lane {lane}) is not allocated")),
        }
    }

    /// Reads a cell.
    pub(super) fn read(&self, lane: usize, column: i64) -> Result<u32, TrapKind> {
        let at = self.index(lane, column)?;
        Ok(value_at(&self.cells, at))
    }

    /// Whether all of these columns are allocated.
    fn has(&self, columns: Range<i64>) -> bool {
        let (Ok(mut next), Ok(end)) = (usize::try_from(columns.start), usize::try_from(columns.end)) else {
            return false;
        };
        while next < end {
            let holds = |taken: &&Allocation| (taken.first..taken.first + taken.count).contains(&next);
            let Some(taken) = self.allocations.iter().find(holds) else { return false };
            next = taken.first + taken.count;
        }
        true
    }

    /// All cells, if these columns are allocated.
    pub(super) fn allocated(&self, columns: Range<i64>) -> Option<&[u32]> {
        self.has(columns).then_some(&self.cells)
    }

    /// Like [`Self::allocated`], for mutation.
    pub(super) fn allocated_mut(&mut self, columns: Range<i64>) -> Option<&mut [u32]> {
        self.has(columns).then_some(&mut self.cells)
    }

    /// The cells of contiguous columns, if they are allocated.
    pub(super) fn columns(&mut self, first: usize, count: usize) -> Option<&mut [u32]> {
        let cells = self.allocated_mut(first as i64..(first + count) as i64)?;
        cells.get_mut(first * LANES..(first + count) * LANES)
    }

    /// Writes a cell.
    pub(super) fn write(&mut self, lane: usize, column: i64, value: u32) -> Result<(), TrapKind> {
        let at = self.index(lane, column)?;
        if let Some(cell) = self.cells.get_mut(at) {
            *cell = value;
        }
        Ok(())
    }
}

/// The first of `count` contiguous columns that are free in all memories.
fn room(memories: &[&TensorMemory], count: usize) -> Option<usize> {
    // First fit: the candidate moves past each allocation that it overlaps. It only increases, so this terminates after
    // at most as many steps as there are allocations.
    let mut first = 0;
    let taken = || memories.iter().flat_map(|memory| &memory.allocations);
    while let Some(taken) =
        taken().find(|taken| first < taken.first + taken.count && taken.first < first + count)
    {
        first = taken.first + taken.count;
    }
    (first + count <= COLUMNS).then_some(first)
}

fn check_count(count: u64, sharing: Sharing) -> Result<(), TrapKind> {
    let whole = match sharing {
        Sharing::Shared => count.is_power_of_two(),
        Sharing::Exclusive => count.is_multiple_of(32),
    };
    if whole && (32..=COLUMNS as u64).contains(&count) {
        return Ok(());
    }
    let rule = match sharing {
        Sharing::Shared => "a power of two from 32 to 512",
        Sharing::Exclusive => "a multiple of 32 up to 512",
    };
    misuse(format!("the number of columns of tensor memory is {count}, expected {rule}"))
}

/// Checks that a warp can access the given lanes (manual 9.7.16.8.1).
pub(super) fn check_lanes(warp: usize, first: usize, count: usize) -> Result<(), TrapKind> {
    let low = warp % 4 * QUARTER;
    if first >= low && first + count <= low + QUARTER {
        return Ok(());
    }
    misuse(format!(
        "warp {warp} of the block reaches lanes {low} to {} of tensor memory, not {first} to {}",
        low + QUARTER - 1,
        first + count - 1
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_where_there_is_room() {
        let mut memory = TensorMemory::default();
        let mut take = |count| memory.allocate(count, Sharing::Shared, 0).unwrap();
        assert_eq!([take(128), take(256), take(64), take(128)], [Some(0), Some(128), Some(384), None]);
        memory.free(128, 256, Sharing::Shared).unwrap();
        assert_eq!(memory.allocate(128, Sharing::Shared, 0).unwrap(), Some(128));
        assert!(memory.read(0, 255).is_ok() && memory.read(0, 256).is_err() && memory.read(128, 0).is_err());
    }

    #[test]
    fn counts_are_powers_of_two() {
        for (count, sharing, fits) in [
            (32, Sharing::Shared, true),
            (16, Sharing::Shared, false),
            (96, Sharing::Shared, false),
            (96, Sharing::Exclusive, true),
            (1024, Sharing::Exclusive, false),
        ] {
            assert_eq!(TensorMemory::default().allocate(count, sharing, 0).is_ok(), fits, "{count}");
        }
    }
}
