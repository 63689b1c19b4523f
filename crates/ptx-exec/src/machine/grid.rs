//! A grid: what all blocks share, and how host threads take them up.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::bind::{Bound, bind};
use super::block::{Block, Progress};
use super::heap::Heap;
use super::{RESIDENT_BLOCKS, RESIDENT_BYTES, Stop};
use crate::error::{Trap, TrapKind};
use crate::launch::{Completion, Dim3, Limits};
use crate::layout::{Object, nearest};
use crate::memory::{GlobalMemory, Space};
use crate::program::{Program, WARP};

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    /// Bytes of shared memory of a block, dynamic ones included.
    pub(crate) shared: u32,
    pub(crate) dynamic_shared: u32,
}

fn product(dims: Dim3) -> u64 {
    dims.iter().fold(1, |product, &dim| product.saturating_mul(dim.into()))
}

/// The place of item `number` in a shape, counted `x` first.
fn unflatten(number: u64, [x, y, _]: Dim3) -> Dim3 {
    let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

impl Geometry {
    /// Blocks of the grid.
    pub(crate) fn blocks(&self) -> u64 {
        product(self.grid)
    }

    /// Threads of a block.
    pub(crate) fn threads(&self) -> usize {
        product(self.block) as usize
    }

    /// The index of a block.
    pub(crate) fn block_index(&self, number: u64) -> Dim3 {
        unflatten(number, self.grid)
    }

    /// The index of a thread in its block.
    pub(crate) fn thread(&self, warp: usize, lane: usize) -> Dim3 {
        unflatten((warp * WARP + lane) as u64, self.block)
    }
}

/// Everything a launch needs, made before the first thread runs.
pub(crate) struct Setup<'p> {
    pub(crate) program: &'p Program,
    pub(crate) geometry: Geometry,
    pub(crate) global: GlobalMemory,
    pub(crate) constant: Vec<u8>,
    pub(crate) params: Vec<u8>,
    /// The address and size of the memory that `malloc` takes from.
    pub(crate) heap: (u64, u64),
    pub(crate) limits: Limits,
    pub(crate) completion: Completion,
    pub(crate) threads: NonZeroUsize,
}

/// What all blocks see.
pub(super) struct Grid<'p> {
    pub(super) program: &'p Program,
    /// Its instructions as the inner loop executes them.
    pub(super) code: Vec<Bound<'p>>,
    pub(super) geometry: Geometry,
    pub(super) global: GlobalMemory,
    pub(super) constant: Vec<u8>,
    pub(super) params: Vec<u8>,
    pub(super) heap: Mutex<Heap>,
    pub(super) completion: Completion,
    /// How many blocks may be started at a time.
    resident: usize,
    limits: Limits,
    started: Instant,
    deadline: Option<Instant>,
    steps: AtomicU64,
    written: AtomicU64,
    /// The lowest number of a block that was stopped; `u64::MAX` while there is none.
    stopped: AtomicU64,
}

impl Grid<'_> {
    /// Counts instructions of a block; an error when a limit is reached.
    ///
    /// Once a block was stopped, those behind it need not go on. Those before it run a little longer, as they may be
    /// stopped too: then the first one is reported, whatever the order in which host threads came to them.
    pub(super) fn spend(&self, block: u64, steps: u64) -> Result<(), TrapKind> {
        let before = self.steps.fetch_add(steps, Ordering::Relaxed);
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.stopped.load(Ordering::Relaxed) < block {
            return Err(TrapKind::Timeout);
        }
        match self.limits.steps {
            Some(limit) if before + steps > limit => Err(TrapKind::Steps),
            _ => Ok(()),
        }
    }

    /// Counts bytes of output; whether they may be written.
    pub(super) fn write_output(&self, bytes: u64) -> Result<(), TrapKind> {
        let before = self.written.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > self.limits.output as u64 { Err(TrapKind::Output) } else { Ok(()) }
    }

    /// Bytes of stack that a thread may have.
    pub(super) fn stack_limit(&self) -> usize {
        self.limits.stack
    }

    /// Nanoseconds since the launch began.
    pub(super) fn nanoseconds(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// Says where a thread of a block was stopped.
    fn trap(&self, block: u64, warp: usize, stop: Stop) -> Trap {
        let origin = stop.pc.and_then(|pc| self.program.origins.get(pc as usize));
        let name_of = |index: u32| self.program.functions.get(index as usize).map_or("", |f| f.name.as_str());
        let place = |pc: u32| self.program.origins.get(pc as usize).map(|origin| origin.span);
        let related = stop.related.into_iter().filter_map(|(pc, text)| {
            let text =
                self.program.line_of(pc).map_or_else(|| text.clone(), |line| format!("{text}, at {line}"));
            place(pc).map(|span| (span, text))
        });
        let locals = stop.frames.iter().filter_map(|(function, base)| {
            let objects = &self.program.functions.get(*function as usize)?.objects;
            let moved =
                |object: &Object| Object { address: object.address + u64::from(*base), ..object.clone() };
            Some(objects.iter().map(moved))
        });
        let locals: Vec<Object> = locals.flatten().collect();
        let object = match &stop.kind {
            TrapKind::Fault(fault) if fault.space == Space::Local => nearest(fault, &locals),
            _ => None,
        };
        Trap {
            kind: stop.kind,
            object,
            span: origin.map(|origin| origin.span),
            source: stop.pc.and_then(|pc| self.program.line_of(pc)).cloned(),
            instruction: origin.map_or_else(String::new, |origin| origin.mnemonic.to_string()),
            function: name_of(origin.map_or(self.program.entry, |origin| origin.function)).to_owned(),
            kernel: name_of(self.program.entry).to_owned(),
            block: self.geometry.block_index(block),
            thread: self.geometry.thread(warp, stop.lane),
            related: related.collect(),
        }
    }
}

/// What a finished grid leaves.
pub(crate) struct Finished {
    pub(crate) global: GlobalMemory,
    pub(crate) output: Vec<u8>,
    /// Instructions executed by warps and by threads.
    pub(crate) executed: [u64; 2],
}

/// Blocks that wait for a host thread, and what finished ones left.
struct Queue {
    next: u64,
    /// Blocks that were started and put aside.
    waiting: VecDeque<Block>,
    /// Blocks that were started and are not done.
    started: usize,
    output: Vec<(u64, Vec<u8>)>,
    executed: [u64; 2],
    failure: Option<(u64, usize, Stop)>,
}

/// Runs all blocks. An error is the stop of the first of the blocks that were stopped.
pub(crate) fn run(setup: Setup<'_>) -> Result<Finished, Box<Trap>> {
    let started = Instant::now();
    let deadline = setup.limits.timeout.and_then(|timeout: Duration| started.checked_add(timeout));
    let (heap_base, heap_size) = setup.heap;
    let grid = Grid {
        program: setup.program,
        code: bind(setup.program),
        geometry: setup.geometry,
        global: setup.global,
        constant: setup.constant,
        params: setup.params,
        heap: Mutex::new(Heap::new(heap_base, heap_size)),
        resident: resident_blocks(setup.program, &setup.geometry),
        limits: setup.limits,
        completion: setup.completion,
        started,
        deadline,
        steps: AtomicU64::new(0),
        written: AtomicU64::new(0),
        stopped: AtomicU64::new(u64::MAX),
    };
    let queue = Mutex::new(Queue {
        next: 0,
        waiting: VecDeque::new(),
        started: 0,
        output: Vec::new(),
        executed: [0; 2],
        failure: None,
    });
    // More host threads than blocks would have nothing to do.
    let threads = (setup.threads.get() as u64).min(grid.geometry.blocks()).max(1);
    if threads == 1 {
        work(&grid, &queue);
    } else {
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // When the host refuses a thread, those that there are do the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || work(&grid, &queue));
            }
            work(&grid, &queue);
        });
    }
    let mut queue = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some((block, warp, stop)) = queue.failure {
        return Err(Box::new(grid.trap(block, warp, stop)));
    }
    queue.output.sort_by_key(|(number, _)| *number);
    let output = queue.output.into_iter().flat_map(|(_, text)| text).collect();
    Ok(Finished { global: grid.global, output, executed: queue.executed })
}

/// How many blocks may be started at a time.
fn resident_blocks(program: &Program, geometry: &Geometry) -> usize {
    let kernel = program.functions.get(program.entry as usize);
    let of_warp = kernel.map_or(0, |kernel| (kernel.rows as usize * 8 + kernel.local as usize) * WARP);
    let of_block = geometry.threads().div_ceil(WARP) * of_warp + geometry.shared as usize;
    (RESIDENT_BYTES / of_block.max(1)).clamp(16, RESIDENT_BLOCKS)
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    // A panic elsewhere leaves the queue usable; there is nothing half-done in it.
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes up blocks until none is left.
fn work(grid: &Grid<'_>, queue: &Mutex<Queue>) {
    while let Some(mut block) = take(grid, queue) {
        let number = block.state.number;
        let result = block.run(grid);
        let mut queue = lock(queue);
        match result {
            Ok(Progress::Unfinished) => queue.waiting.push_back(block),
            Ok(Progress::Done) => {
                queue.started -= 1;
                for (sum, part) in queue.executed.iter_mut().zip(block.executed) {
                    *sum += part;
                }
                if !block.state.output.is_empty() {
                    queue.output.push((number, std::mem::take(&mut block.state.output)));
                }
            }
            Err((warp, stop)) => {
                grid.stopped.fetch_min(number, Ordering::Relaxed);
                if queue.failure.as_ref().is_none_or(|(first, ..)| number < *first) {
                    queue.failure = Some((number, warp, stop));
                }
            }
        }
    }
}

/// The next block to run: a new one while there may be more, else the one that waits longest.
fn take(grid: &Grid<'_>, queue: &Mutex<Queue>) -> Option<Block> {
    let mut queue = lock(queue);
    if queue.failure.is_some() {
        return None;
    }
    if queue.next < grid.geometry.blocks() && queue.started < grid.resident {
        let number = queue.next;
        queue.next += 1;
        queue.started += 1;
        drop(queue);
        return Some(Block::new(grid, number));
    }
    queue.waiting.pop_front()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_numbered_x_first() {
        let geometry = Geometry { grid: [2, 3, 4], block: [5, 4, 3], shared: 0, dynamic_shared: 0 };
        assert_eq!(geometry.thread(1, 3), [0, 3, 1], "thread 35 = 0 + 3 * 5 + 1 * 20");
        assert_eq!(geometry.block_index(23), [1, 2, 3]);
        assert_eq!((geometry.threads(), geometry.blocks()), (60, 24));
    }
}
