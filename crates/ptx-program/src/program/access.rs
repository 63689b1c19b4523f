//! Memory accesses of instructions, for engines that check addresses before using them.

use super::{Address, Base, Collective, CollectiveKind, CopyAmount, Effect, LaneAccess, Mask, Src, WARP};
use crate::scalar::bits::shifted;

/// The memory accesses of an instruction, and the registers they depend on.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// The registers that determine the accesses: address registers first, then other operands.
    pub srcs: Vec<Src>,
    /// Contiguous accesses of each lane; empty if the accesses are not contiguous runs.
    pub runs: Vec<Run>,
}

/// A contiguous run of bytes accessed by each lane.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Its start; if the base is a register, it is the entry of [`Accesses::srcs`] at the index of this run.
    pub address: Address,
    /// Its length.
    pub bytes: u32,
    /// Required alignment of the address, a power of two.
    pub align: u32,
    /// Whether it is written.
    pub writes: bool,
    /// Whether it is an atomic read-modify-write.
    pub is_atomic: bool,
    /// Of the lanes that execute the instruction, those that access it.
    pub lanes: Mask,
}

impl Run {
    fn new(address: Address, bytes: u32, align: u64) -> Self {
        // No access requires a larger alignment.
        let align = align.min(1 << 31) as u32;
        Self { address, bytes, align, writes: false, is_atomic: false, lanes: Mask::MAX }
    }

    fn written(self) -> Self {
        Self { writes: true, ..self }
    }

    fn changed(self) -> Self {
        Self { writes: true, is_atomic: true, ..self }
    }
}

/// The alignment of an access of elements of `size` bytes whose own alignment is `align`; 16-byte elements are accessed
/// as two halves.
fn aligned(size: u32, align: u64) -> u64 {
    align.max(size.min(8).into())
}

impl Effect {
    /// The accesses of a load, store, atomic operation, `cp.async`, or matrix or fragment load or store; `None` for
    /// other instructions.
    pub fn accesses(&self) -> Option<Accesses> {
        let base = |address: &Address| match address.base {
            Base::Row(src, _) => vec![src],
            Base::Frame => Vec::new(),
        };
        let one = |run: Run| Accesses { srcs: base(&run.address), runs: vec![run] };
        Some(match self {
            Effect::Load(load) => {
                let count = load.dsts.len() as u32 / if load.size == 16 { 2 } else { 1 };
                one(Run::new(load.address, load.size * count, aligned(load.size, load.align)))
            }
            Effect::Store(store) => {
                let count = store.srcs.len() as u32 / if store.size == 16 { 2 } else { 1 };
                one(Run::new(store.address, store.size * count, aligned(store.size, store.align)).written())
            }
            Effect::Atomic(atomic) => {
                one(Run::new(atomic.address, atomic.size, atomic.size.into()).changed())
            }
            Effect::VectorAtomic(atomic) => {
                let bytes = atomic.size * atomic.elements.len() as u32;
                one(Run::new(atomic.address, bytes, bytes.into()).changed())
            }
            Effect::WideAtomic(atomic) => one(Run::new(atomic.address, 16, 16).changed()),
            Effect::AsyncCopy(copy) => {
                let run = |address| Run::new(address, copy.size, copy.size.into());
                let mut srcs = base(&copy.to);
                srcs.extend(base(&copy.from));
                if srcs.len() < 2 {
                    return None;
                }
                if let CopyAmount::Bytes(src) | CopyAmount::UnlessTrue(src) = copy.amount {
                    srcs.push(src);
                }
                Accesses { srcs, runs: vec![run(copy.to).written(), run(copy.from)] }
            }
            Effect::Collective(collective) => return of_collective(collective),
            other => {
                debug_assert_eq!(other.traits().access, LaneAccess::None, "an access of lanes");
                return None;
            }
        })
    }
}

fn of_collective(collective: &Collective) -> Option<Accesses> {
    let first = *collective.srcs.first()?;
    match collective.kind {
        CollectiveKind::LoadMatrix(tiles) | CollectiveKind::StoreMatrix(tiles) => {
            let base = Base::Row(first, super::AddressWidth::Bits64);
            let address = Address { space: collective.space, base, offset: collective.offset };
            let lines = (tiles.count * tiles.lines).min(WARP);
            let lanes = shifted(Mask::MAX.into(), (WARP - lines) as u32) as Mask;
            let writes = matches!(collective.kind, CollectiveKind::StoreMatrix(_));
            let run = Run { writes, lanes, ..Run::new(address, 16, 16) };
            Some(Accesses { srcs: vec![first], runs: vec![run] })
        }
        CollectiveKind::LoadFragment(_) | CollectiveKind::StoreFragment(_) => {
            Some(Accesses { srcs: vec![first, *collective.srcs.get(1)?], runs: Vec::new() })
        }
        _ => None,
    }
}
