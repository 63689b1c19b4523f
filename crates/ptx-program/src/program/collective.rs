//! Collective operations of the lanes of a warp.

use super::matrix::{Fragment, Product};
use super::row::{Dst, Src, WARP};
use super::tcgen05::TensorAccess;
use super::tile::Tiles;
use crate::memory::Space;
use crate::scalar::float::{Extreme, NanRule, SignRule};

/// Which lane a shuffle reads from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ShuffleMode {
    /// `.up`: from the lane that is lower by the offset.
    Up,
    /// `.down`: from the lane that is higher by the offset.
    Down,
    /// `.bfly`: from the lane whose number differs in the bits of the operand.
    Butterfly,
    /// `.idx`: from the lane with this number.
    Index,
}

impl ShuffleMode {
    /// The source lane of lane `own`, or `None` if it is out of range: the pseudo-code of `shfl.sync` in the manual
    /// (9.7.9.6). `lane` and `clamp` are operands.
    // Called for each lane.
    #[inline]
    pub fn source(self, own: usize, lane: u64, clamp: u64) -> Option<usize> {
        let (own, offset) = (own as i64, (lane & 31) as i64);
        let (clamp, segment) = ((clamp & 31) as i64, (clamp >> 8 & 31) as i64);
        let lowest = own & segment;
        let limit = lowest | (clamp & !segment);
        let (source, is_inside) = match self {
            Self::Up => (own - offset, own - offset >= limit),
            Self::Down => (own + offset, own + offset <= limit),
            Self::Butterfly => (own ^ offset, own ^ offset <= limit),
            Self::Index => {
                let source = lowest | (offset & !segment);
                (source, source <= limit)
            }
        };
        usize::try_from(source).ok().filter(|&source| is_inside && source < WARP)
    }
}

/// The result of a vote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum VoteMode {
    /// Whether all predicates are true.
    All,
    /// Whether any predicate is true.
    Any,
    /// Whether all predicates are the same.
    Uniform,
    /// Mask of the lanes whose predicate is true.
    Ballot,
}

/// The associative operations of `redux`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ReduceOp {
    /// The sum.
    Add,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The bitwise conjunction.
    And,
    /// The bitwise disjunction.
    Or,
    /// The bitwise exclusive or.
    Xor,
}

/// Warp collectives. Two lanes take part in the same collective if operation and member mask agree, even at different
/// instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CollectiveKind {
    /// `bar.warp.sync`.
    Barrier,
    /// Sources: value, lane or offset, clamp. Destinations: value, in-range predicate.
    Shuffle(ShuffleMode),
    /// Source: predicate. Destination: predicate or mask.
    Vote(VoteMode),
    /// Source: value. Destination: lanes with the same value.
    MatchAny,
    /// Source: value. Destinations: all lanes or none, predicate.
    MatchAll,
    /// Source and destination: value.
    Redux(ReduceOp, crate::scalar::int::Int),
    /// Source and destination: a `.f32` value.
    ReduxFloat(Extreme, NanRule, SignRule),
    /// Destinations: the number of the lowest lane, and whether this lane is the elected one.
    Elect,
    /// Sources: A, B, C, the metadata of a sparse A, and for the scales of A and of B each a register, byte selector
    /// and thread selector. Destinations: D.
    Multiply(Product),
    /// Loads a fragment. Sources: address and stride. Destinations: the fragment.
    LoadFragment(Fragment),
    /// Stores a fragment. Sources: address, stride, the fragment.
    StoreFragment(Fragment),
    /// Loads matrices. Sources: row addresses.
    LoadMatrix(Tiles),
    /// Stores matrices. Sources: row addresses, then the matrices.
    StoreMatrix(Tiles),
    /// Transposes an 8x8 matrix.
    TransposeMatrix,
    /// Allocates, frees, loads or stores tensor memory.
    Tensor(TensorAccess),
}

/// The lanes that take part in a collective.
#[derive(Clone, Copy, Debug, Hash)]
pub enum Participants {
    /// The lanes of the `membermask` operand; all of them must arrive.
    Members(Src),
    /// Every lane of the warp (`.aligned` instructions).
    Warp,
    /// The currently converged lanes (instructions without `.sync`).
    Converged,
}

/// A collective operation.
#[derive(Clone, Debug, Hash)]
pub struct Collective {
    /// The operation.
    pub kind: CollectiveKind,
    /// The lanes that take part.
    pub participants: Participants,
    /// Source operands, in the order of the [kind](CollectiveKind).
    pub srcs: Box<[Src]>,
    /// Destinations, in the order of the [kind](CollectiveKind).
    pub dsts: Box<[Dst]>,
    /// The address space of matrix loads and stores.
    pub space: Space,
    /// Constant offset of the addresses of matrix loads and stores.
    pub offset: i64,
}
