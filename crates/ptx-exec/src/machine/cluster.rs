//! A cluster: blocks that run together on one host thread, and can access each other's shared memory (manual 2.2.2, 5.1.8).
//!
//! Its blocks are scheduled round-robin, and the warps of each block. The running block owns the state of the others,
//! so that an access to its own shared memory is as fast as in a grid without clusters.

mod assist;

use super::Stop;
use super::barrier::Barrier;
use super::block::BlockState;
use super::grid::Grid;
use super::mbarrier::Wait;
use super::meeting::BarrierWait;
use super::memory::View;
use super::pending::{Pending, Registers, SpaceAddress};
use super::report::{at_barrier, at_collective, deadlock, group, shortened};
use super::warp::{State, Warp, WarpId};
use super::watch::PATIENT_ROUNDS;
use crate::error::TrapKind;
use crate::memory::{
    AddressSize, Fault, FaultKind, Space, address_in, rank_and_offset, read_bytes, write_bytes,
};
use crate::program::{MapAddress, Mask, Row, first_lane, lanes};

pub use assist::{Assistant, AssistedCluster, Instructions, Outcome, Run, Threads};

/// Time slice of a warp, in instructions.
const TURN: u64 = 4096;
/// Initial and maximum time slice of a cluster, in instructions.
const FIRST_SLICE: u64 = 1 << 18;
const LONGEST_SLICE: u64 = 1 << 22;

/// State shared by the blocks of a cluster, owned by the running block.
#[derive(Debug, Default)]
pub(super) struct ClusterState {
    /// The blocks by rank, with an empty placeholder for the running one.
    peers: Vec<BlockState>,
    /// The barrier of the threads of all blocks (`barrier.cluster`).
    pub(super) barrier: Barrier,
    /// Threads that have not exited, for each warp of each block in rank order.
    pub(super) live: Vec<Mask>,
    /// Whether the barrier was completed, so that waiting warps must be woken.
    pub(super) wake: bool,
    /// Asynchronous operations in flight.
    pub(super) pending: Pending,
    /// Number of actions of watched threads that other threads may notice, or whose outcome does not depend on the acting thread alone.
    pub(super) disturbances: u64,
}

impl ClusterState {
    /// Number of blocks of the cluster.
    pub(super) fn blocks(&self) -> usize {
        self.peers.len()
    }

    /// Its blocks by rank, with an empty placeholder for the running one.
    pub(super) fn peers_mut(&mut self) -> &mut [BlockState] {
        &mut self.peers
    }
}

/// The address in the block of the target rank that corresponds to a shared address; unchanged without a target.
pub(super) fn in_target((space, address): SpaceAddress, target: Option<u32>) -> SpaceAddress {
    match target {
        None => (space, address),
        Some(rank) => (Space::SharedCluster, address_in(rank, address)),
    }
}

/// The block that a shared address refers to.
pub(super) enum Owner {
    Running,
    Peer(usize),
}

impl BlockState {
    /// Reads 1, 2, 4 or 8 bytes of the cluster's shared memory.
    #[inline]
    pub(super) fn read_shared(&self, space: Space, address: u64, size: u32) -> Result<u64, Fault> {
        match read_bytes(&self.shared, space, address ^ self.window, size) {
            Ok(value) => Ok(value),
            Err(_) => self.read_elsewhere(space, address, size),
        }
    }

    /// Writes 1, 2, 4 or 8 bytes of the cluster's shared memory.
    #[inline]
    pub(super) fn write_shared(
        &mut self,
        space: Space,
        address: u64,
        size: u32,
        value: u64,
    ) -> Result<(), Fault> {
        match write_bytes(&mut self.shared, space, address ^ self.window, size, value) {
            Ok(()) => Ok(()),
            Err(_) => self.write_elsewhere(space, address, size, value),
        }
    }

    #[cold]
    fn read_elsewhere(&self, space: Space, address: u64, size: u32) -> Result<u64, Fault> {
        let (owner, offset) = self.owner(space, address, size)?;
        let block = match owner {
            Owner::Running => self,
            Owner::Peer(rank) => self.cluster.peers.get(rank).unwrap_or(self),
        };
        read_bytes(&block.shared, space, offset, size).map_err(|fault| Fault { address, ..fault })
    }

    #[cold]
    fn write_elsewhere(&mut self, space: Space, address: u64, size: u32, value: u64) -> Result<(), Fault> {
        let (owner, offset) = self.owner(space, address, size)?;
        let shared = match owner {
            Owner::Running => &mut self.shared,
            Owner::Peer(rank) => match self.cluster.peers.get_mut(rank) {
                Some(peer) => &mut peer.shared,
                None => &mut self.shared,
            },
        };
        write_bytes(shared, space, offset, size, value).map_err(|fault| Fault { address, ..fault })
    }

    /// The block whose shared memory contains an address, and the offset in it.
    pub(super) fn owner(&self, space: Space, address: u64, size: u32) -> Result<(Owner, u64), Fault> {
        let fault = |kind| Err(Fault { kind, space, address, size });
        let blocks = self.cluster.blocks();
        // A shared address contains the rank of its block in its upper bits. In `.shared::cta` rank 0 denotes the own
        // block, whatever its rank: these are the offsets that programs compute with.
        let (rank, offset) = rank_and_offset(address);
        let own = u64::from(self.rank);
        let is_own = rank == own || rank == 0 && space == Space::Shared;
        match usize::try_from(rank) {
            _ if is_own => Ok((Owner::Running, offset)),
            Ok(rank) if rank < blocks => {
                if space == Space::Shared {
                    return fault(FaultKind::OtherBlock);
                }
                match self.cluster.peers.get(rank) {
                    Some(peer) if peer.live.iter().any(|&live| live != 0) => Ok((Owner::Peer(rank), offset)),
                    _ => fault(FaultKind::Exited),
                }
            }
            _ => fault(FaultKind::OutOfBounds),
        }
    }

    /// Switches to the block of this rank, which takes ownership of the cluster state.
    pub(super) fn become_block(&mut self, rank: u32) {
        // Three moves: take the shared state out of the block that ran; swap the two blocks; swap the list entry of the
        // next block, which now contains the old block, with the old block's entry, which contained the placeholder.
        // References to the running block stay valid.
        let last = self.rank;
        if last == rank {
            return;
        }
        let mut cluster = std::mem::take(&mut self.cluster);
        if let Some(next) = cluster.peers.get_mut(rank as usize) {
            std::mem::swap(self, next);
            cluster.peers.swap(last as usize, rank as usize);
        }
        self.cluster = cluster;
    }

    /// Calls `action` with the block and its peer, whose rank differs in the lowest bit; `None` if there is no peer.
    pub(super) fn with_peer<T>(&mut self, action: impl FnOnce(&mut Self, &mut Self) -> T) -> Option<T> {
        let rank = (self.rank ^ 1) as usize;
        let mut peer = std::mem::take(self.cluster.peers.get_mut(rank)?);
        let done = action(self, &mut peer);
        if let Some(place) = self.cluster.peers.get_mut(rank) {
            *place = peer;
        }
        Some(done)
    }

    /// The blocks in a multicast mask; without a mask the block that the address itself refers to.
    pub(super) fn targets(&self, mask: Option<u64>) -> Result<Vec<Option<u32>>, TrapKind> {
        let Some(mask) = mask else { return Ok(vec![None]) };
        if mask >> self.cluster.blocks().min(63) != 0 {
            let text = format!("the mask {mask:#x} names blocks that the cluster does not have");
            return Err(TrapKind::Misuse(text));
        }
        Ok((0..u64::BITS).filter(|rank| mask >> rank & 1 == 1).map(Some).collect())
    }

    /// Converts an address to a form that is valid in every block of the cluster.
    pub(super) fn absolute(&self, (space, address): SpaceAddress, size: u32) -> Result<SpaceAddress, Fault> {
        match space {
            Space::Shared | Space::SharedCluster if self.cluster.blocks() > 1 => {
                match self.owner(space, address, size)? {
                    (Owner::Running, offset) => Ok((Space::SharedCluster, self.window | offset)),
                    (Owner::Peer(_), _) => Ok((space, address)),
                }
            }
            Space::Shared | Space::SharedCluster => Ok((Space::Shared, address)),
            Space::Generic | Space::Global | Space::Local | Space::Const | Space::Param => {
                Ok((space, address))
            }
        }
    }
}

/// A started cluster.
pub(super) struct Cluster {
    /// Its linear index in the grid, `x` fastest.
    pub(super) number: u64,
    /// The block that is running, or ran last, with the cluster state.
    running: BlockState,
    /// The warps of each block.
    warps: Vec<Vec<Warp>>,
    /// Instructions executed by its warps and by its threads.
    pub(super) executed: [u64; 2],
    /// Number of consecutive rounds in which all warps that ran polled mbarriers unsuccessfully.
    rounds_in_vain: u32,
    /// Instructions in its next time slice; doubled each time, since switching clusters is costly.
    slice: u64,
}

/// State of a cluster after a time slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// All of its threads have exited.
    Done,
    /// Its time slice is used up.
    Unfinished,
}

/// Summary of one scheduling round of all warps.
struct Round {
    /// Whether any warp could run.
    progressed: bool,
    /// Whether all that ran wait for others.
    waiting: bool,
    /// Whether all of them polled mbarriers unsuccessfully.
    in_vain: bool,
    /// Instructions executed.
    steps: u64,
}

/// Whether all threads of a block have exited.
fn is_done(warps: &[Warp]) -> bool {
    warps.iter().all(|warp| warp.live == 0)
}

impl Cluster {
    /// Starts a cluster of the grid, reusing register memory of a finished cluster if available.
    pub(super) fn new(grid: &Grid<'_>, number: u64, spare: &mut Vec<Vec<Row>>) -> Self {
        let ranks = 0..grid.geometry.cluster_size();
        let mut peers: Vec<BlockState> = ranks.map(|rank| BlockState::new(grid, number, rank)).collect();
        let of_block = |block: &BlockState| {
            let warp = |(index, &live)| {
                let rows = spare.pop().unwrap_or_default();
                Warp::new(grid, WarpId { rank: block.rank, index }, live, rows)
            };
            block.live.iter().enumerate().map(warp).collect()
        };
        let warps = peers.iter().map(of_block).collect();
        let live = peers.iter().flat_map(|block| block.live.iter().copied()).collect();
        // The block of rank 0 runs first.
        let mut running = peers.first_mut().map(std::mem::take).unwrap_or_default();
        let pending = Pending::new(grid.completion, number);
        running.cluster = ClusterState { peers, live, pending, ..ClusterState::default() };
        Self { number, running, warps, executed: [0; 2], rounds_in_vain: 0, slice: FIRST_SLICE }
    }

    /// The memory of the warps' registers, for reuse by the next cluster. Its contents are never read.
    pub(super) fn take_rows(&mut self) -> Vec<Vec<Row>> {
        let warps = self.warps.iter_mut().flatten();
        warps
            .filter_map(|warp| warp.frames.first_mut().map(|frame| std::mem::take(&mut frame.rows)))
            .collect()
    }

    /// The `vprintf` output of each block, with the number of the block.
    pub(super) fn take_output(&mut self) -> Vec<(u64, Vec<u8>)> {
        let mut output = Vec::new();
        for rank in 0..self.warps.len() {
            self.running.become_block(rank as u32);
            if !self.running.output.is_empty() {
                output.push((self.running.number, std::mem::take(&mut self.running.output)));
            }
        }
        output
    }

    /// Schedules all warps round-robin until all threads have exited or the cluster's time slice is over. An error includes the warp it concerns.
    pub(super) fn run(&mut self, grid: &Grid<'_>) -> Result<Progress, Stop> {
        let mut used = 0;
        while used < self.slice {
            let mut round = Round { progressed: false, waiting: true, in_vain: true, steps: 0 };
            for rank in 0..self.warps.len() {
                if self.warps[rank].iter().any(Warp::is_ready) {
                    self.running.become_block(rank as u32);
                    self.run_block(grid, rank, &mut round)?;
                }
            }
            used += round.steps;
            if !self.running.cluster.pending.is_empty() {
                round.in_vain = false;
                self.watch(&round);
                self.advance(grid, &round)?;
                continue;
            }
            if !round.progressed {
                let done = self.warps.iter().all(|warps| is_done(warps));
                return if done { self.end() } else { Err(self.deadlock(grid)) };
            }
            if self.watch(&round) {
                return Err(self.deadlock(grid));
            }
            // Blocks of a cooperative launch wait for other blocks of the grid.
            if round.waiting && grid.workspace != 0 {
                return Ok(Progress::Unfinished);
            }
        }
        self.slice = (self.slice * 2).min(LONGEST_SLICE);
        if !self.running.cluster.pending.is_empty() {
            let mut view = View { grid, block: &mut self.running, local: &mut [] };
            view.put_aside(&mut Registers::All(&mut self.warps))?;
        }
        Ok(Progress::Unfinished)
    }

    /// Gives each warp of the running block a time slice.
    fn run_block(&mut self, grid: &Grid<'_>, rank: usize, round: &mut Round) -> Result<(), Stop> {
        for at in 0..self.warps[rank].len() {
            let (block, warps) = (&mut self.running, &mut self.warps[rank]);
            let warp = &mut warps[at];
            if !warp.is_ready() {
                continue;
            }
            round.progressed = true;
            let (before, id) = (warp.thread_instructions, warp.id);
            let turn = block.cluster.pending.turn(TURN);
            let steps =
                warp.run(grid, block, turn).map_err(|stop| Stop { warp: stop.warp.or(Some(id)), ..stop })?;
            round.waiting &= warp.waits;
            round.in_vain &= warp.waits && warp.asked;
            round.steps += steps;
            self.executed[0] += steps;
            self.executed[1] += warp.thread_instructions - before;
            if let Err(kind) = grid.spend(self.number, steps) {
                return Err(self.out_of_time(grid, id, kind));
            }
            if std::mem::take(&mut block.wake) {
                warps.iter_mut().for_each(|warp| warp.wake(&block.barriers));
            }
            if std::mem::take(&mut block.cluster.wake) {
                let phase = block.cluster.barrier.phase;
                self.warps.iter_mut().flatten().for_each(|warp| warp.wake_cluster(phase));
            }
        }
        Ok(())
    }

    /// Starts or stops watching the warps after a round. Returns whether all threads wait for others or poll mbarriers
    /// unsuccessfully, and always will.
    fn watch(&mut self, round: &Round) -> bool {
        let watched = self.rounds_in_vain > PATIENT_ROUNDS;
        self.rounds_in_vain = if round.in_vain { self.rounds_in_vain.saturating_add(1) } else { 0 };
        let watches = self.rounds_in_vain > PATIENT_ROUNDS;
        if watched != watches {
            for warp in self.warps.iter_mut().flatten() {
                warp.watch = watches.then(Box::default);
            }
        }
        let disturbances = self.running.cluster.disturbances;
        watched && watches && self.warps.iter().flatten().all(|warp| warp.is_stuck(disturbances))
    }

    /// Lets asynchronous operations complete between scheduling rounds.
    fn advance(&mut self, grid: &Grid<'_>, round: &Round) -> Result<(), Stop> {
        let groups = self.warps.iter().flatten().map(|warp| warp.fragments.len()).max().unwrap_or(0);
        let ended = (0..).zip(&self.warps).filter(|(_, warps)| is_done(warps));
        let ended: Vec<u32> = ended.map(|(rank, _)| rank).collect();
        let all_ended = ended.len() == self.warps.len();
        let mut view = View { grid, block: &mut self.running, local: &mut [] };
        ended.into_iter().try_for_each(|rank| view.check_end(rank))?;
        let mut registers = Registers::All(&mut self.warps);
        if round.progressed && !all_ended {
            view.advance(&mut registers, round.waiting, groups)
        } else {
            // No thread can run until one of them completes, if that helps.
            view.complete_all(&mut registers)
        }
    }

    /// Checks, after all threads have exited, for tensor memory that a block never freed (manual 9.7.16.1.2).
    fn end(&mut self) -> Result<Progress, Stop> {
        for rank in 0..self.warps.len() {
            self.running.become_block(rank as u32);
            if let Some((pc, columns)) = self.running.tensor.leaked() {
                let text =
                    format!("the block ends without having freed these {columns} columns of tensor memory");
                let warp = WarpId { rank: rank as u32, index: 0 };
                return Err(Stop { warp: Some(warp), ..Stop::at(TrapKind::Misuse(text), pc, 0) });
            }
        }
        Ok(Progress::Done)
    }

    /// The stop for a reached limit, with the positions of the threads.
    fn out_of_time(&self, grid: &Grid<'_>, id: WarpId, kind: TrapKind) -> Stop {
        let related = self.groups(grid);
        let warp = self.warps.get(id.rank as usize).and_then(|warps| warps.get(id.index));
        let here = warp.and_then(|warp| warp.fragments.first());
        let pc = here.map(|group| group.pc).or(related.first().map(|(pc, _)| *pc));
        let lane = here.map_or(0, |group| first_lane(group.mask));
        let related = shortened(related);
        Stop { kind, pc, lane, warp: Some(id), related, frames: Vec::new() }
    }

    /// Describes the groups of threads at the same place: the instruction and what they do there.
    fn groups(&self, grid: &Grid<'_>) -> Vec<(u32, String)> {
        let mut groups = Vec::new();
        for warp in self.warps.iter().flatten() {
            let [x, y, z] = grid.geometry.block_index(self.number, warp.id.rank);
            let of_block = match self.warps.len() {
                0 | 1 => String::new(),
                _ => format!("block ({x}, {y}, {z}), "),
            };
            // In thread order, independent of their scheduling.
            let mut fragments: Vec<_> = warp.fragments.iter().enumerate().collect();
            fragments.sort_by_key(|(_, fragment)| first_lane(fragment.mask));
            for (at, fragment) in fragments {
                let waits = matches!(fragment.state, State::Barrier { .. } | State::Cluster { .. });
                let mut instruction = fragment.pc.saturating_sub(u32::from(waits));
                let what = match fragment.state {
                    State::Ready => match warp.polls(fragment, self.running.cluster.disturbances) {
                        Some((pc, wait)) => {
                            instruction = pc;
                            self.asked_for(grid, wait)
                        }
                        None => "run here".to_owned(),
                    },
                    State::Cluster { .. } => "wait at the barrier of the cluster".to_owned(),
                    State::Barrier { id, .. } => {
                        at_barrier(&grid.geometry, id, self.awaited_at(warp, id).as_ref())
                    }
                    State::Warpgroup => "wait for the other warps of the warpgroup".to_owned(),
                    State::Collective { members } => {
                        at_collective(&grid.geometry, warp.id.index, members, warp.missing(grid, at))
                    }
                    State::Columns => "wait for columns of tensor memory".to_owned(),
                };
                let group = group(&grid.geometry, warp.id.index, fragment.mask, &what);
                groups.push((instruction, format!("{of_block}{group}")));
            }
        }
        groups
    }

    /// Describes what threads are polling for.
    fn asked_for(&self, grid: &Grid<'_>, wait: Wait) -> String {
        let (space, address) = wait.barrier;
        let bits = self.running.read_shared(space, address, 8).unwrap_or(0);
        let (rank, offset) = rank_and_offset(address);
        let of_block = match self.warps.len() {
            0 | 1 => String::new(),
            _ => {
                let [x, y, z] = grid.geometry.block_index(self.number, rank as u32);
                format!(" of block ({x}, {y}, {z})")
            }
        };
        let name = grid.shared_variable(offset).unwrap_or_else(|| format!("shared address {offset:#x}"));
        format!("wait for the mbarrier at {name}{of_block} to end {}", wait.phase.missing(bits))
    }

    /// The threads awaited at a barrier of a warp's block.
    fn awaited_at(&self, warp: &Warp, id: usize) -> Option<BarrierWait> {
        let block = match warp.id.rank {
            rank if rank == self.running.rank => Some(&self.running),
            rank => self.running.cluster.peers.get(rank as usize),
        }?;
        block.barriers.get(id).map(|barrier| barrier.awaited(&block.live))
    }

    /// The stop for a deadlock, with the positions of the waiting threads.
    fn deadlock(&self, grid: &Grid<'_>) -> Stop {
        let related = self.groups(grid);
        let waiting = self.warps.iter().flatten().find(|warp| warp.live != 0);
        let (id, lane) = waiting.map_or_else(Default::default, |warp| (warp.id, first_lane(warp.live)));
        let pc = related.first().map(|(pc, _)| *pc);
        Stop { kind: deadlock(&related), pc, lane, warp: Some(id), related, frames: Vec::new() }
    }
}

/// The rank of no block, since clusters have at most 16 blocks.
const NO_RANK: u32 = 0xff;
/// [`NO_RANK`] for 32-bit generic addresses: the resulting address is in no space.
const LOW_NO_RANK: u32 = 0x3f;

/// `mapa`: the addresses that correspond to shared ones in the blocks of given ranks. Whether such a block exists is only checked by the
/// access: CUTLASS maps addresses in all lanes, and accesses only those of existing blocks.
pub(super) fn map_addresses(
    rows: &mut [Row],
    (constants, size): (&[Row], AddressSize),
    map: &MapAddress,
    active: Mask,
    pc: u32,
) -> Result<(), Stop> {
    let misuse = |text: String, lane| Stop::at(TrapKind::Misuse(text), pc, lane);
    for lane in lanes(active) {
        let (address, rank) = (map.a.of(rows, constants)[lane], map.rank.of(rows, constants)[lane] as u32);
        let rank = rank.min(NO_RANK);
        let is_shared = map.window.is_none()
            || matches!(Space::of_generic(address, size), Some((Space::SharedCluster, _)));
        if !is_shared {
            return Err(misuse(format!("the address {address:#x} is not one in shared memory"), lane));
        }
        let window = map.window.unwrap_or(0);
        // In the 32-bit address space other windows follow the last block of a cluster.
        let is_low = map.window.is_some() && size == AddressSize::Bits32;
        let rank = if is_low && rank >= 16 { LOW_NO_RANK } else { rank };
        rows[map.d as usize][lane] = window + address_in(rank, address.wrapping_sub(window));
    }
    Ok(())
}
