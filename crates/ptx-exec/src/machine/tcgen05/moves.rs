//! Moves between registers of a warp and cells of tensor memory, one register at a time (manual 9.7.16.2.3.1).
//!
//! In every shape the offset of a register's cell from the thread's first cell is the same for all threads: its
//! position is the sum of a per-thread and a per-register part. Whether all columns are allocated is checked once; if
//! they are not, the caller finds the first unallocated cell.

use ptx_program::{Columns, LANES, Row, TensorMove, TensorShape, WARP};

use super::memory::TensorMemory;
use crate::machine::indexed::value_at;

/// Half of the threads of a warp.
const HALF: usize = WARP / 2;

/// The cells that an instruction moves, starting at a lane and a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moves {
    cells: TensorMove,
    /// For each thread its first column, and the index of its first cell.
    threads: [(i64, i64); WARP],
}

impl Moves {
    pub(super) fn new(cells: TensorMove, lane: usize, column: i64) -> Self {
        let threads = std::array::from_fn(|thread| {
            let (of_lane, first) = cells.first_cell(thread, 0);
            let column = column + first;
            (column, place(lane + of_lane, column))
        });
        Self { cells, threads }
    }

    /// The offset of a register's cell from the first one, in columns and in cells.
    fn distance(&self, register: usize) -> (i64, i64) {
        let first = |register| self.cells.first_cell(0, register);
        let ((lane, column), (lane_of_first, column_of_first)) = (first(register), first(0));
        (column - column_of_first, place(lane, column) - place(lane_of_first, column_of_first))
    }

    /// The range of columns spanned by `registers` registers.
    fn columns(&self, registers: usize) -> std::ops::Range<i64> {
        let firsts = || self.threads.iter().map(|&(column, _)| column);
        let last = (0..registers).map(|register| self.distance(register).0).fold(0, i64::max);
        firsts().fold(i64::MAX, i64::min)..firsts().fold(i64::MIN, i64::max) + last + self.width()
    }

    /// Columns per register of a thread.
    fn width(&self) -> i64 {
        match self.cells.columns {
            Columns::Whole => 1,
            Columns::Halves => 2,
        }
    }

    /// The index of the first cell of a register for each half of the threads, if the cells of each half are contiguous.
    fn side_by_side(&self, shift: i64) -> Option<[usize; 2]> {
        let is_so = matches!(self.cells.shape, TensorShape::Lanes32 | TensorShape::Split(_))
            && self.cells.columns == Columns::Whole;
        let first = |thread: usize| usize::try_from(self.threads[thread].1 + shift).ok().filter(|_| is_so);
        Some([first(0)?, first(HALF)?])
    }

    /// Loads registers into rows; false, without effect, if not all columns are allocated.
    pub(super) fn load(
        &self,
        memory: &TensorMemory,
        rows: &mut [Row],
        registers: impl ExactSizeIterator<Item = usize>,
    ) -> bool {
        let Some(cells) = memory.allocated(self.columns(registers.len())) else { return false };
        let cell = |at: i64| value_at(cells, at as usize);
        for (register, row) in registers.enumerate() {
            let Some(row) = rows.get_mut(row) else { continue };
            let (_, shift) = self.distance(register);
            let side = |first: usize| cells.get(first..first + HALF);
            if let Some([first, second]) = self.side_by_side(shift)
                && let (Some(first), Some(second)) = (side(first), side(second))
            {
                let from = first.iter().chain(second);
                row.iter_mut().zip(from).for_each(|(word, &cell)| *word = cell.into());
                continue;
            }
            for (word, &(_, at)) in row.iter_mut().zip(&self.threads) {
                let at = at + shift;
                *word = match self.cells.columns {
                    Columns::Whole => cell(at).into(),
                    Columns::Halves => {
                        u64::from(cell(at) & 0xffff) | u64::from(cell(at + LANES as i64) & 0xffff) << 16
                    }
                };
            }
        }
        true
    }

    /// Stores registers; false, without effect, if not all columns are allocated, or if several threads store to the
    /// same cell, in which case the last one must win.
    pub(super) fn store(&self, memory: &mut TensorMemory, registers: &[Row]) -> bool {
        if let TensorShape::Split(distance) = self.cells.shape
            && i64::from(distance).unsigned_abs() < self.width() as u64 * registers.len() as u64
        {
            return false;
        }
        let Some(cells) = memory.allocated_mut(self.columns(registers.len())) else { return false };
        for (register, row) in registers.iter().enumerate() {
            let (_, shift) = self.distance(register);
            if let Some(sides) = self.side_by_side(shift)
                && sides.iter().all(|first| first + HALF <= cells.len())
            {
                for (words, first) in row.chunks_exact(HALF).zip(sides) {
                    if let Some(to) = cells.get_mut(first..first + HALF) {
                        to.iter_mut().zip(words).for_each(|(cell, &word)| *cell = word as u32);
                    }
                }
                continue;
            }
            let mut set = |at: i64, value: u32| {
                if let Some(cell) = usize::try_from(at).ok().and_then(|at| cells.get_mut(at)) {
                    *cell = value;
                }
            };
            for (&word, &(_, at)) in row.iter().zip(&self.threads) {
                let at = at + shift;
                match self.cells.columns {
                    Columns::Whole => set(at, word as u32),
                    Columns::Halves => {
                        set(at, word as u32 & 0xffff);
                        set(at + LANES as i64, (word >> 16) as u32 & 0xffff);
                    }
                }
            }
        }
        true
    }

    /// Whether all columns for [`Moves::store`] are allocated.
    pub(super) fn fits(&self, memory: &TensorMemory, registers: usize) -> bool {
        memory.allocated(self.columns(registers)).is_some()
    }
}

/// The index of a cell.
const fn place(lane: usize, column: i64) -> i64 {
    column * LANES as i64 + lane as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_program::Sharing;

    const SHAPES: [TensorShape; 6] = [
        TensorShape::Lanes32,
        TensorShape::Lanes16Bits64,
        TensorShape::Lanes16Bits128,
        TensorShape::Lanes16Bits256,
        TensorShape::Split(17),
        TensorShape::Split(-16),
    ];

    fn memory() -> TensorMemory {
        let mut memory = TensorMemory::default();
        memory.allocate(128, Sharing::Shared, 0).unwrap();
        for column in 0..128 {
            for lane in 0..LANES {
                memory
                    .write(lane, column, ((column as u32) << 16) | (lane as u32 * 3 + column as u32))
                    .unwrap();
            }
        }
        memory
    }

    /// Each cell by itself, as the manual's figures have it (`TensorShape::place`, which has tests of its own).
    #[test]
    fn registers_have_the_cells_of_their_threads() {
        for shape in SHAPES {
            for columns in [Columns::Whole, Columns::Halves] {
                let (cells, mut memory) = (TensorMove { shape, columns }, memory());
                let (moves, before) = (Moves::new(cells, 32, 21), memory.clone());
                let mut rows = vec![[0; WARP]; 8];
                assert!(moves.load(&memory, &mut rows, 0..8));
                let stored: Vec<Row> = (0..8)
                    .map(|r| std::array::from_fn(|t| 0x1_8000 + r * 77 + t as u64 * 0x10_001))
                    .collect();
                assert!(moves.fits(&memory, 8) && moves.store(&mut memory, &stored));
                for (register, thread) in (0..8).flat_map(|register| (0..WARP).map(move |t| (register, t))) {
                    let (lane, columns) = cells.cells(thread, register);
                    let columns: Vec<i64> = columns.collect();
                    let found: Vec<u32> =
                        columns.iter().map(|column| before.read(32 + lane, 21 + column).unwrap()).collect();
                    let left: Vec<u32> =
                        columns.iter().map(|column| memory.read(32 + lane, 21 + column).unwrap()).collect();
                    let word = stored[register][thread] as u32;
                    let word_of = |cells: &[u32]| match *cells {
                        [low, high] => (low & 0xffff) | (high << 16),
                        _ => cells[0],
                    };
                    assert_eq!(rows[register][thread] as u32, word_of(&found), "{cells:?}");
                    assert_eq!(word_of(&left), word, "{cells:?}");
                    assert!(columns.len() == 1 || left.iter().all(|&cell| cell < 1 << 16));
                }
            }
        }
    }

    #[test]
    fn cells_of_several_threads_are_left_to_the_caller() {
        let mut memory = memory();
        let stores = |memory: &mut TensorMemory, distance, columns| {
            let cells = TensorMove { shape: TensorShape::Split(distance), columns };
            Moves::new(cells, 0, 16).store(memory, &vec![[1; WARP]; 8])
        };
        for (columns, width) in [(Columns::Whole, 8), (Columns::Halves, 16)] {
            let before = memory.read(0, 16);
            for distance in [0, width - 1, 1 - width] {
                assert!(!stores(&mut memory, distance, columns), "{distance} {columns:?}");
            }
            assert_eq!(memory.read(0, 16), before);
            assert!(stores(&mut memory, width, columns) && stores(&mut memory, -width, columns));
            assert_eq!(memory.read(0, 16), Ok(1));
        }
    }

    #[test]
    fn columns_that_are_not_allocated_are_left_to_the_caller() {
        let cells = TensorMove { shape: TensorShape::Lanes32, columns: Columns::Whole };
        let (mut memory, mut rows) = (memory(), vec![[0; WARP]; 8]);
        for (column, fits) in [(120, true), (121, false), (-1, false)] {
            let moves = Moves::new(cells, 0, column);
            assert_eq!(moves.load(&memory, &mut rows, 0..8), fits, "{column}");
            assert_eq!(moves.fits(&memory, 8), fits);
            assert_eq!(moves.store(&mut memory, &rows), fits);
        }
    }
}
