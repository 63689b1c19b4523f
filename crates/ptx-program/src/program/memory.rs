//! Addresses, and the loads, stores, atomic operations and copies that access them.

use super::alu::Combine;
use super::row::{Dst, Src};
use crate::memory::Space;

/// The memory order of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Order {
    /// `.weak`, `.relaxed` and `.volatile`: only the access itself is atomic.
    Relaxed,
    /// `.acquire`, `.release` and all stronger ones.
    Strong,
}

/// The base of an address.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Base {
    /// A row of addresses; 32-bit addresses wrap around at 32 bits.
    Row(Src, AddressWidth),
    /// The thread's local memory in the current call frame.
    Frame,
}

/// Width of the register that contains an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AddressWidth {
    /// 32 bits; offsets wrap around there.
    Bits32,
    /// 64 bits.
    Bits64,
}

/// An address operand.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Address {
    /// The state space.
    pub space: Space,
    /// What the offset is added to.
    pub base: Base,
    /// The constant offset in bytes.
    pub offset: i64,
}

/// How a loaded element is extended to its register: zero- or sign-extended, then truncated to the register's width.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Fill {
    /// Left shift followed by the same arithmetic right shift, for sign extension; 0 for zero extension.
    pub sign_shift: u32,
    /// Mask of the register's bits.
    pub register: u64,
}

impl Fill {
    /// Zero extension to a 64-bit register.
    pub const ZEROS: Self = Self { sign_shift: 0, register: u64::MAX };

    /// Extends an element.
    #[inline]
    pub fn apply(self, raw: u64) -> u64 {
        (((raw << self.sign_shift) as i64 >> self.sign_shift) as u64) & self.register
    }
}

/// `ld`: loads consecutive elements into `dsts`.
#[derive(Clone, Debug, Hash)]
pub struct Load {
    /// The address of the first element.
    pub address: Address,
    /// The destinations.
    pub dsts: Box<[Dst]>,
    /// Bytes of an element. A 16-byte element goes to two of `dsts` and is read atomically.
    pub size: u32,
    /// Required alignment of the address: the size of the whole access.
    pub align: u64,
    /// How an element is extended.
    pub fill: Fill,
    /// The memory order.
    pub order: Order,
    /// Whether programs may spin on it, waiting for other threads: it is volatile or synchronizing.
    pub polls: bool,
    /// Mask of the bytes that the program uses (`.pragma "used_bytes_mask"`).
    pub used: u32,
}

impl Load {
    /// A zero-extending, naturally aligned load of one element of `size` bytes that does not wait for other threads.
    pub fn plain(address: Address, dst: Dst, size: u32) -> Self {
        Self {
            address,
            dsts: [dst].into(),
            size,
            align: size.into(),
            fill: Fill::ZEROS,
            order: Order::Relaxed,
            polls: false,
            used: u32::MAX,
        }
    }
}

/// `st`: stores `srcs` to consecutive elements.
#[derive(Clone, Debug, Hash)]
pub struct Store {
    /// The address of the first element.
    pub address: Address,
    /// The values.
    pub srcs: Box<[Src]>,
    /// Bytes of an element. A 16-byte element comes from two of `srcs` and is written atomically.
    pub size: u32,
    /// Required alignment of the address: the size of the whole access.
    pub align: u64,
    /// The memory order.
    pub order: Order,
}

impl Store {
    /// A naturally aligned store of one element of `size` bytes.
    pub fn plain(address: Address, src: Src, size: u32) -> Self {
        Self { address, srcs: [src].into(), size, align: size.into(), order: Order::Relaxed }
    }
}

/// `atom` and `red`.
#[derive(Clone, Debug, Hash)]
pub struct Atomic {
    /// The address.
    pub address: Address,
    /// Size in bytes.
    pub size: u32,
    /// The destination of the old value; `None` for `red`.
    pub dst: Option<Dst>,
    /// The operands of the operation; the second is only used by a compare-and-swap.
    pub operands: [Src; 2],
    /// The value that is written.
    pub combine: Combine,
}

/// `atom` and `red` on vectors: each element is combined separately (manual 9.7.13.5).
#[derive(Clone, Debug, Hash)]
pub struct VectorAtomic {
    /// The address of the first element.
    pub address: Address,
    /// Bytes of an element.
    pub size: u32,
    /// For each element the destination of its old value, and the operand it is combined with.
    pub elements: Box<[(Option<Dst>, Src)]>,
    /// The value that is written for each element.
    pub combine: Combine,
}

/// The value that a 128-bit atomic operation writes (manual 9.7.13.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Exchange {
    /// `.exch`: the operand.
    Always,
    /// `.cas`: the second operand, if memory contains the first.
    WhereEqual,
}

/// 128-bit `atom`; every value is two rows, low half first.
#[derive(Clone, Copy, Debug, Hash)]
pub struct WideAtomic {
    /// The address.
    pub address: Address,
    /// The destination of the old value; `None` if it is not used.
    pub dst: Option<[Dst; 2]>,
    /// The first rows of the operands.
    pub operands: [Src; 2],
    /// Whether memory is changed.
    pub exchange: Exchange,
}

/// How many bytes `cp.async` copies.
#[derive(Clone, Copy, Debug, Hash)]
pub enum CopyAmount {
    /// All of them.
    Whole,
    /// As many as the operand specifies; the rest are zero-filled.
    Bytes(Src),
    /// None if the predicate is true; then all are zero-filled.
    UnlessTrue(Src),
}

/// `cp.async`.
#[derive(Clone, Debug, Hash)]
pub struct AsyncCopy {
    /// The destination in shared memory.
    pub to: Address,
    /// The source in global memory.
    pub from: Address,
    /// Size in bytes of the destination.
    pub size: u32,
    /// How much of it is read.
    pub amount: CopyAmount,
}
