//! The lattice of shapes: whether a row is uniform, strided, indexed or varying.

use ptx_exec::Geometry;
use ptx_program::WARP;

/// How the value of a lane follows from that of the first lane of its chunk (the lanes that one vector of the CPU holds).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stride {
    /// The difference between adjacent lanes.
    pub within: i64,
    /// The difference between the first lanes of adjacent chunks; `None` if the first lanes have unrelated values.
    pub across: Option<i64>,
}

impl Stride {
    /// The part of the difference between first lanes of adjacent chunks that the stride determines: none if they have unrelated values.
    pub fn known_across(self) -> i64 {
        // Default: as above.
        self.across.unwrap_or(0)
    }
}

/// Values that are computed from a narrower index, which may wrap around: `first + scale * (ext(index + stride * lane) - ext(index))`, where
/// `ext` extends it. An example is an address that `mul.wide` computes; if the index does not wrap around, it has a stride.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indexed {
    /// The strides of the index.
    pub index: Stride,
    /// The width of the index.
    pub bits: u32,
    /// Whether it is sign-extended.
    pub is_signed: bool,
    /// The factor that it is multiplied by.
    pub scale: i64,
}

impl Indexed {
    /// The strides of the values if the index does not wrap around.
    pub fn stride(&self) -> Stride {
        let times = |stride: i64| stride.wrapping_mul(self.scale);
        Stride { within: times(self.index.within), across: self.index.across.map(times) }
    }
}

/// How the values of a row's lanes relate. Strides are modulo the width of the register; a shape holds for the active lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The row is not written (the bottom of the lattice).
    Unwritten,
    /// This value in all lanes of all warps.
    Constant(u64),
    /// One value in all lanes of a warp.
    Uniform,
    /// Values with a stride.
    Strided(Stride),
    /// Values that follow from a strided index.
    Indexed(Indexed),
    /// Arbitrary values (the top of the lattice).
    Varying,
}

impl Shape {
    /// One value in each chunk.
    pub const CHUNKWISE: Self = Self::Strided(Stride { within: 0, across: None });

    /// The least upper bound of two shapes.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unwritten, shape) | (shape, Self::Unwritten) => shape,
            (a, b) if a == b => a,
            (a, b) => match (a.stride(), b.stride()) {
                (Some(a), Some(b)) if a.within == b.within => {
                    let across = a.across.filter(|_| a.across == b.across);
                    Self::of(Stride { across, ..a })
                }
                _ => Self::Varying,
            },
        }
    }

    /// Whether all lanes have one value.
    pub fn is_uniform(self) -> bool {
        matches!(self, Self::Unwritten | Self::Constant(_) | Self::Uniform)
    }

    /// The stride, which is 0 for uniform rows.
    pub fn stride(self) -> Option<Stride> {
        match self {
            Self::Unwritten | Self::Constant(_) | Self::Uniform => {
                Some(Stride { within: 0, across: Some(0) })
            }
            Self::Strided(stride) => Some(stride),
            Self::Indexed(_) | Self::Varying => None,
        }
    }

    pub(super) fn of(stride: Stride) -> Self {
        match stride {
            Stride { within: 0, across: Some(0) } => Self::Uniform,
            stride => Self::Strided(stride),
        }
    }

    /// The shape of the sum of two rows, or of their difference.
    pub(super) fn combine(self, other: Self, f: impl Fn(i64, i64) -> i64) -> Self {
        match (self, other) {
            (Self::Indexed(indexed), shape) if shape.is_uniform() => {
                return Self::Indexed(Indexed { scale: f(indexed.scale, 0), ..indexed });
            }
            (shape, Self::Indexed(indexed)) if shape.is_uniform() => {
                return Self::Indexed(Indexed { scale: f(0, indexed.scale), ..indexed });
            }
            _ => {}
        }
        match (self.stride(), other.stride()) {
            (Some(a), Some(b)) => {
                let across = a.across.zip(b.across).map(|(a, b)| f(a, b));
                Self::of(Stride { within: f(a.within, b.within), across })
            }
            _ => Self::Varying,
        }
    }

    /// The shape of the product of two rows: a constant factor scales the strides; any other uniform factor only preserves that chunks are uniform.
    pub(super) fn times(self, other: Self) -> Self {
        let by = |shape: Self, factor: i64| match shape.stride() {
            Some(Stride { within, across }) => {
                let across = across.map(|across| across.wrapping_mul(factor));
                Self::of(Stride { within: within.wrapping_mul(factor), across })
            }
            None => match shape {
                Self::Indexed(indexed) => {
                    Self::Indexed(Indexed { scale: indexed.scale.wrapping_mul(factor), ..indexed })
                }
                _ => Self::Varying,
            },
        };
        match (self, other) {
            (Self::Constant(factor), shape) | (shape, Self::Constant(factor)) => by(shape, factor as i64),
            (a, b) if a.is_uniform() && b.is_uniform() => Self::Uniform,
            (a, b) => Self::pointwise(&[a, b]),
        }
    }

    /// The shape of the result of an operation that is computed lane by lane.
    pub(super) fn pointwise(sources: &[Self]) -> Self {
        if sources.iter().all(|shape| shape.is_uniform()) {
            return Self::Uniform;
        }
        let is_chunkwise = |shape: &Self| shape.stride().is_some_and(|stride| stride.within == 0);
        if sources.iter().all(is_chunkwise) { Self::CHUNKWISE } else { Self::Varying }
    }
}

/// The number of lanes of a vector, and of the group that executes together: several warps, one, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lanes {
    /// Lanes of a chunk.
    pub(crate) chunk: u32,
    /// Lanes of all warps of the group, or of the part of a warp: a power of two.
    pub(crate) group: u32,
}

impl Lanes {
    pub(crate) fn new(chunk: u32, warps: usize) -> Self {
        Self { chunk: chunk.max(1), group: (warps * WARP) as u32 }
    }

    /// A part of a warp, of `chunks` chunks.
    pub(crate) fn of_part(chunk: u32, chunks: u32) -> Self {
        let chunk = chunk.max(1);
        Self { chunk, group: (chunk * chunks).clamp(chunk, WARP as u32) }
    }

    /// The warps of the group; a part of a warp counts as one.
    pub(crate) fn warps(self) -> usize {
        (self.group as usize / WARP).max(1)
    }

    /// The parts of a warp, which execute one after the other.
    pub(crate) fn parts(self) -> u32 {
        (WARP as u32 / self.group).max(1)
    }

    /// Chunks of the group.
    pub(crate) fn chunks(self) -> u32 {
        self.group / self.chunk
    }

    /// A mask of the bits of a chunk's number.
    pub(crate) fn chunk_bits(self) -> u32 {
        self.chunks().next_power_of_two() - 1
    }

    /// Whether the group is exactly one warp.
    pub(crate) fn is_warp(self) -> bool {
        self.group == WARP as u32
    }
}

/// The lanes that are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Among {
    /// All lanes that execute together.
    Group,
    /// The lanes of a chunk.
    Chunk,
}

/// The properties of launches that code is specialized for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Launched {
    /// The shape of a block, in threads.
    pub block: [u32; 3],
    /// Whether clusters have several blocks.
    pub clusters: bool,
}

impl Launched {
    /// Blocks of this shape, each a cluster of its own.
    pub const fn blocks(block: [u32; 3]) -> Self {
        Self { block, clusters: false }
    }

    /// A launch of this shape.
    pub fn of(geometry: &Geometry) -> Self {
        Self { block: geometry.block, clusters: geometry.cluster_size() > 1 }
    }

    /// Whether every warp has 32 threads.
    pub fn fills_warps(&self) -> bool {
        let threads: u64 = self.block.iter().map(|&extent| u64::from(extent)).product();
        threads.is_multiple_of(WARP as u64)
    }
}
