//! Checks accesses for faults without making them, for engines whose code makes the accesses itself.
//!
//! The checks are made in the order of the interpreter: lane by lane, and within a lane element by element.

use ptx_program::memory::{AddressSize, Space, rank_and_offset};
use ptx_program::scalar::bits::shifted;
use ptx_program::{
    Accesses, Address, AddressWidth, Base, Collective, CollectiveKind, CopyAmount, Effect, LaneAccess, Load,
    Mask, Row, Run, lanes,
};

use super::memory::{check_alignment, resolve_in};
use super::{fragment, tile};
use crate::error::TrapKind;
use crate::memory::{Fault, FaultKind, GlobalMemory, check_bytes};

/// The trap of a lane, and the lane.
type Stopped = (TrapKind, usize);

/// Sizes of the memories other than global memory, for the threads of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// Bytes of the shared memory of a block.
    pub shared: u64,
    /// The rank of the block in its cluster.
    pub rank: u32,
    /// For each block of the cluster by rank, whether it has threads that have not exited; empty if there is only one block.
    pub live: &'a [bool],
    /// Bytes of local memory of a thread.
    pub local: u64,
    /// Bytes of constant memory.
    pub constant: u64,
    /// Bytes of parameters.
    pub params: u64,
}

/// A range of bytes whose accesses need no further check, in addresses of the instruction's space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The address of the first byte.
    pub base: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// Kind of access to an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    /// Atomic read-modify-write.
    Change,
}

/// The memory of a warp.
#[derive(Clone, Copy)]
pub(crate) struct Probe<'a> {
    pub(crate) global: &'a GlobalMemory,
    pub(crate) around: Around<'a>,
}

/// The address of a lane; `row` is the row of the base.
fn of_lane(address: &Address, row: Option<&Row>, lane: usize) -> u64 {
    let offset = address.offset as u64;
    match (address.base, row) {
        (Base::Row(_, AddressWidth::Bits64), Some(row)) => row[lane].wrapping_add(offset),
        (Base::Row(_, AddressWidth::Bits32), Some(row)) => row[lane].wrapping_add(offset) & 0xffff_ffff,
        (Base::Frame, _) | (_, None) => offset,
    }
}

impl Probe<'_> {
    /// Whether these lanes can execute an instruction that has [`Accesses`], given the rows of its source operands.
    pub(crate) fn check(&self, effect: &Effect, rows: &[Row], active: Mask) -> Result<(), Stopped> {
        let each = |address: &Address, one: &dyn Fn(u64) -> Result<(), Fault>| {
            lanes(active).try_for_each(|lane| {
                one(of_lane(address, rows.first(), lane)).map_err(|fault| (TrapKind::Fault(fault), lane))
            })
        };
        match effect {
            Effect::Load(load) => each(&load.address, &|at| self.load(load, at)),
            Effect::Store(store) => each(&store.address, &|at| {
                check_alignment(store.address.space, at, store.align)?;
                let count = if store.size == 16 { store.srcs.len() / 2 } else { store.srcs.len() };
                self.elements(store.address.space, at, (count, store.size), Kind::Write)
            }),
            Effect::Atomic(atomic) => {
                each(&atomic.address, &|at| self.one(atomic.address.space, at, atomic.size, Kind::Change))
            }
            Effect::VectorAtomic(atomic) => each(&atomic.address, &|at| {
                let count = atomic.elements.len();
                check_alignment(atomic.address.space, at, u64::from(atomic.size) * count as u64)?;
                self.elements(atomic.address.space, at, (count, atomic.size), Kind::Change)
            }),
            Effect::WideAtomic(atomic) => each(&atomic.address, &|at| {
                check_alignment(atomic.address.space, at, 16)?;
                self.one(atomic.address.space, at, 16, Kind::Change)
            }),
            Effect::AsyncCopy(copy) => {
                let [to, from, ..] = rows else { return Ok(()) };
                lanes(active).try_for_each(|lane| {
                    let copied = match (copy.amount, rows.get(2)) {
                        (CopyAmount::Whole, _) => copy.size,
                        (CopyAmount::Bytes(_), Some(row)) => (row[lane] as u32).min(copy.size),
                        (CopyAmount::UnlessTrue(_), Some(row)) if row[lane] & 1 == 1 => 0,
                        (CopyAmount::UnlessTrue(_), Some(_)) => copy.size,
                        (CopyAmount::Bytes(_) | CopyAmount::UnlessTrue(_), None) => {
                            debug_assert!(false, "the amount of a copy is no row");
                            copy.size
                        }
                    };
                    let places = [(&copy.to, to), (&copy.from, from)]
                        .map(|(address, row)| (address.space, of_lane(address, Some(row), lane)));
                    self.copy(places, copy.size, copied).map_err(|kind| (kind, lane))
                })
            }
            Effect::Collective(collective) => self.collective(collective, rows),
            other => {
                debug_assert_eq!(other.traits().access, LaneAccess::None, "an access of lanes");
                Ok(())
            }
        }
    }

    /// The extent around the run accessed by the first of these lanes, within which all accesses are valid.
    pub(crate) fn extent(
        &self,
        accesses: &Accesses,
        run: usize,
        rows: &[Row],
        active: Mask,
    ) -> Option<Extent> {
        let Run { address, writes, is_atomic, lanes: of, .. } = *accesses.runs.get(run)?;
        let lane = lanes(active & of).next()?;
        let given = of_lane(&address, rows.get(run), lane);
        let (space, at) = resolve_in(AddressSize::Bits64, address.space, given, 1).ok()?;
        let whole = |bytes| Some(Extent { base: given.wrapping_sub(at), bytes });
        match space {
            Space::Global | Space::Generic => {
                let (base, bytes) = self.global.region_of(at, writes)?;
                Some(Extent { base, bytes })
            }
            Space::Shared | Space::SharedCluster => {
                let (rank, offset) = rank_and_offset(at);
                let is_own = rank == u64::from(self.around.rank) || rank == 0 && space == Space::Shared;
                is_own.then(|| Extent { base: given.wrapping_sub(offset), bytes: self.around.shared })
            }
            Space::Local | Space::Const | Space::Param if is_atomic => None,
            Space::Const | Space::Param if writes => None,
            Space::Local => whole(self.around.local),
            Space::Const => whole(self.around.constant),
            Space::Param => whole(self.around.params),
        }
    }

    /// Reads 1, 2, 4 or 8 bytes at a generic address.
    pub(crate) fn read(&self, address: u64, size: u32) -> Result<(), Fault> {
        self.one(Space::Generic, address, size, Kind::Read)
    }

    /// Checks an access to an element of up to 16 bytes.
    fn one(&self, space: Space, address: u64, size: u32, kind: Kind) -> Result<(), Fault> {
        let (space, at) = resolve_in(AddressSize::Bits64, space, address, size)?;
        match (space, kind) {
            (Space::Local | Space::Const | Space::Param, Kind::Change) => {
                Err(Fault { kind: FaultKind::NotAtomic, space, address: at, size })
            }
            // In two halves, both read before either is written.
            (_, Kind::Change) if size == 16 => {
                self.one(space, at, 16, Kind::Read)?;
                self.one(space, at, 16, Kind::Write)
            }
            _ if size == 16 => {
                self.one(space, at, 8, kind)?;
                self.one(space, at.wrapping_add(8), 8, kind)
            }
            (Space::Global | Space::Generic, _) => self.global.permit(at, size, kind != Kind::Read),
            (Space::Shared | Space::SharedCluster, _) => self.shared(space, at, size),
            (Space::Const | Space::Param, Kind::Write) => {
                Err(Fault { kind: FaultKind::ReadOnly, space, address: at, size })
            }
            (Space::Local, _) => check_bytes(self.around.local, space, at, size),
            (Space::Const, _) => check_bytes(self.around.constant, space, at, size),
            (Space::Param, _) => check_bytes(self.around.params, space, at, size),
        }
    }

    /// Checks consecutive elements.
    fn elements(
        &self,
        space: Space,
        address: u64,
        (count, size): (usize, u32),
        kind: Kind,
    ) -> Result<(), Fault> {
        (0..count as u64)
            .try_for_each(|n| self.one(space, address.wrapping_add(n * u64::from(size)), size, kind))
    }

    fn shared(&self, space: Space, address: u64, size: u32) -> Result<(), Fault> {
        let Around { shared, rank: own, live, .. } = self.around;
        let fault = |kind| Err(Fault { kind, space, address, size });
        let (rank, offset) = rank_and_offset(address);
        let is_own = rank == u64::from(own) || rank == 0 && space == Space::Shared;
        if !is_own {
            match usize::try_from(rank).ok().and_then(|rank| live.get(rank)) {
                None => return fault(FaultKind::OutOfBounds),
                Some(_) if space == Space::Shared => return fault(FaultKind::OtherBlock),
                Some(false) => return fault(FaultKind::Exited),
                Some(true) => {}
            }
        }
        check_bytes(shared, space, offset, size).map_err(|fault| Fault { address, ..fault })
    }

    fn load(&self, load: &Load, address: u64) -> Result<(), Fault> {
        let space = load.address.space;
        check_alignment(space, address, load.align)?;
        if load.size == 16 {
            return self.elements(space, address, (load.dsts.len() / 2, 16), Kind::Read);
        }
        for n in 0..load.dsts.len() as u32 {
            let at = address.wrapping_add(u64::from(n * load.size));
            let Err(fault) = self.one(space, at, load.size, Kind::Read) else { continue };
            // Bytes that the program does not use may be out of bounds.
            let used = shifted(load.used.into(), n * load.size);
            if used.trailing_ones() >= load.size {
                return Err(fault);
            }
            for byte in (0..load.size).filter(|byte| used >> byte & 1 == 1) {
                self.one(space, at.wrapping_add(byte.into()), 1, Kind::Read).map_err(|_| fault)?;
            }
        }
        Ok(())
    }

    fn copy(&self, places: [(Space, u64); 2], size: u32, copied: u32) -> Result<(), TrapKind> {
        let resolved = |(space, at): (Space, u64)| {
            check_alignment(space, at, size.into()).map_err(TrapKind::Fault)?;
            match resolve_in(AddressSize::Bits64, space, at, size).map_err(TrapKind::Fault)? {
                (Space::Local, at) => Err(super::completion::in_local_memory(at)),
                found => Ok(found),
            }
        };
        let [(to_space, to), (from_space, from)] = [resolved(places[0])?, resolved(places[1])?];
        let unit = if copied.is_multiple_of(4) { 4 } else { 1 };
        for byte in (0..size).step_by(unit as usize) {
            if byte < copied {
                let from = from.wrapping_add(byte.into());
                self.one(from_space, from, unit, Kind::Read).map_err(TrapKind::Fault)?;
            }
            let to = to.wrapping_add(byte.into());
            self.one(to_space, to, unit, Kind::Write).map_err(TrapKind::Fault)?;
        }
        Ok(())
    }

    fn collective(&self, collective: &Collective, rows: &[Row]) -> Result<(), Stopped> {
        let is_store =
            matches!(collective.kind, CollectiveKind::StoreMatrix(_) | CollectiveKind::StoreFragment(_));
        let kind = if is_store { Kind::Write } else { Kind::Read };
        match (collective.kind, rows) {
            (CollectiveKind::LoadMatrix(tiles) | CollectiveKind::StoreMatrix(tiles), [addresses, ..]) => {
                let place = (collective.space, collective.offset);
                tile::probe(&tiles, place, addresses, |at| self.one(collective.space, at, 16, kind))
            }
            (
                CollectiveKind::LoadFragment(matrix) | CollectiveKind::StoreFragment(matrix),
                [addresses, strides, ..],
            ) => {
                let registers = match is_store {
                    true => collective.srcs.len().saturating_sub(2),
                    false => collective.dsts.len(),
                };
                fragment::probe(
                    matrix,
                    (collective.space, registers),
                    [addresses, strides],
                    |space, at, size| self.one(space, at, size, kind),
                )
            }
            _ => Ok(()),
        }
    }
}
