//! Special registers (manual 10).

use std::fmt;

use crate::{ScalarType, Since};

/// A component of a vector: `.x`, `.y`, `.z`, `.w` (or `.r .g .b .a`, which are the same components).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Component {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
    /// The fourth.
    W,
}

impl Component {
    /// All components in order.
    pub const ALL: [Component; 4] = [Component::X, Component::Y, Component::Z, Component::W];

    /// The index in the vector, from 0.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter after the dot.
    pub const fn as_str(self) -> &'static str {
        ["x", "y", "z", "w"][self as usize]
    }

    /// Reads the letter after the dot.
    pub fn from_ptx(text: &str) -> Option<Self> {
        match text {
            "x" | "r" => Some(Self::X),
            "y" | "g" => Some(Self::Y),
            "z" | "b" => Some(Self::Z),
            "w" | "a" => Some(Self::W),
            _ => None,
        }
    }
}

/// Declares the special registers that carry no number, one row each: name, type, whether it has components,
/// first PTX version and architecture.
macro_rules! special_registers {
    ($(#[doc = $doc:literal] $v:ident $s:literal $ty:ident $vec:ident ($major:literal, $minor:literal) $sm:literal;)*) => {
        /// A special register, without the leading `%` of its name.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum SpecialReg {
            $(#[doc = $doc] $v,)*
            /// `%pm0` .. `%pm7`: performance monitoring counters, 32 bits (manual 10.25).
            Pm(u8),
            /// `%pm0_64` .. `%pm7_64`: the same, 64 bits (manual 10.26).
            Pm64(u8),
            /// `%envreg0` .. `%envreg31`: set by the driver (manual 10.27).
            Envreg(u8),
        }
        impl SpecialReg {
            /// The meaning in a few words, with the manual's section in parentheses.
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Self::$v => $doc.trim_ascii(),)*
                    Self::Pm(_) => "Performance monitoring counter (10.25).",
                    Self::Pm64(_) => "Performance monitoring counter of 64 bits (10.26).",
                    Self::Envreg(_) => "Set by the driver (10.27).",
                }
            }
        }

        const ROWS: &[(SpecialReg, &str, ScalarType, Shape, Since)] = &[
            $((SpecialReg::$v, $s, ScalarType::$ty, Shape::$vec,
               Since::new($major, $minor, $sm)),)*
        ];
    };
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Scalar,
    Vector,
}

special_registers! {
    /// Thread index within the block (10.1).
    Tid "tid" U32 Vector (1, 0) 10;
    /// Block shape in threads (10.2).
    Ntid "ntid" U32 Vector (1, 0) 10;
    /// Lane within the warp (10.3).
    LaneId "laneid" U32 Scalar (1, 3) 10;
    /// Warp within the block (10.4).
    WarpId "warpid" U32 Scalar (1, 3) 10;
    /// Upper bound of warp indices (10.5).
    NWarpId "nwarpid" U32 Scalar (2, 0) 20;
    /// Block index within the grid (10.6).
    CtaId "ctaid" U32 Vector (1, 0) 10;
    /// Grid shape in blocks (10.7).
    NCtaId "nctaid" U32 Vector (1, 0) 10;
    /// Multiprocessor the thread runs on (10.8).
    SmId "smid" U32 Scalar (1, 3) 10;
    /// Upper bound of multiprocessor indices (10.9).
    NSmId "nsmid" U32 Scalar (2, 0) 20;
    /// Grid identifier (10.10).
    GridId "gridid" U64 Scalar (1, 0) 10;
    /// Whether the launch named a cluster shape (10.11).
    IsExplicitCluster "is_explicit_cluster" Pred Scalar (7, 8) 90;
    /// Cluster index within the grid (10.12).
    ClusterId "clusterid" U32 Vector (7, 8) 90;
    /// Grid shape in clusters (10.13).
    NClusterId "nclusterid" U32 Vector (7, 8) 90;
    /// Block index within the cluster (10.14).
    ClusterCtaId "cluster_ctaid" U32 Vector (7, 8) 90;
    /// Cluster shape in blocks (10.15).
    ClusterNCtaId "cluster_nctaid" U32 Vector (7, 8) 90;
    /// Rank of the block within the cluster (10.16).
    ClusterCtaRank "cluster_ctarank" U32 Scalar (7, 8) 90;
    /// Number of blocks in the cluster (10.17).
    ClusterNCtaRank "cluster_nctarank" U32 Scalar (7, 8) 90;
    /// Bit of the own lane (10.18).
    LanemaskEq "lanemask_eq" U32 Scalar (2, 0) 20;
    /// Bits up to and with the own lane (10.19).
    LanemaskLe "lanemask_le" U32 Scalar (2, 0) 20;
    /// Bits below the own lane (10.20).
    LanemaskLt "lanemask_lt" U32 Scalar (2, 0) 20;
    /// Bits from the own lane up (10.21).
    LanemaskGe "lanemask_ge" U32 Scalar (2, 0) 20;
    /// Bits above the own lane (10.22).
    LanemaskGt "lanemask_gt" U32 Scalar (2, 0) 20;
    /// Cycle counter, low word (10.23).
    Clock "clock" U32 Scalar (1, 0) 10;
    /// Cycle counter, high word (10.23).
    ClockHi "clock_hi" U32 Scalar (5, 0) 20;
    /// Cycle counter (10.24).
    Clock64 "clock64" U64 Scalar (2, 0) 20;
    /// Global nanosecond timer (10.28).
    GlobalTimer "globaltimer" U64 Scalar (3, 1) 30;
    /// Global nanosecond timer, low word (10.28).
    GlobalTimerLo "globaltimer_lo" U32 Scalar (3, 1) 30;
    /// Global nanosecond timer, high word (10.28).
    GlobalTimerHi "globaltimer_hi" U32 Scalar (3, 1) 30;
    /// First byte of the reserved shared memory (10.29).
    ReservedSmemOffsetBegin "reserved_smem_offset_begin" B32 Scalar (7, 6) 80;
    /// End of the reserved shared memory (10.29).
    ReservedSmemOffsetEnd "reserved_smem_offset_end" B32 Scalar (7, 6) 80;
    /// Capacity of the reserved shared memory (10.29).
    ReservedSmemOffsetCap "reserved_smem_offset_cap" B32 Scalar (7, 6) 80;
    /// Offset of the first reserved slot (10.29).
    ReservedSmemOffset0 "reserved_smem_offset_0" B32 Scalar (7, 6) 80;
    /// Offset of the second reserved slot (10.29).
    ReservedSmemOffset1 "reserved_smem_offset_1" B32 Scalar (7, 6) 80;
    /// Bytes of shared memory of the block (10.30).
    TotalSmemSize "total_smem_size" U32 Scalar (4, 1) 20;
    /// Bytes of shared memory with the reserved part (10.31).
    AggrSmemSize "aggr_smem_size" U32 Scalar (8, 1) 90;
    /// Bytes of dynamic shared memory (10.32).
    DynamicSmemSize "dynamic_smem_size" U32 Scalar (4, 1) 20;
    /// Identifier of the running CUDA graph (10.33).
    CurrentGraphExec "current_graph_exec" U64 Scalar (8, 0) 50;
}

impl SpecialReg {
    /// Reads a name without its `%`, such as `tid` or `envreg3`.
    pub fn from_ptx(name: &str) -> Option<Self> {
        if let Some(row) = ROWS.iter().find(|row| row.1 == name) {
            return Some(row.0);
        }
        let numbered = |text: &str, limit: u8| {
            let canonical = text == "0" || !text.starts_with('0');
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            text.parse().ok().filter(|&n: &u8| canonical && digits && n < limit)
        };
        if let Some(rest) = name.strip_prefix("envreg") {
            return numbered(rest, 32).map(Self::Envreg);
        }
        let rest = name.strip_prefix("pm")?;
        match rest.strip_suffix("_64") {
            Some(digits) => numbered(digits, 8).map(Self::Pm64),
            None => numbered(rest, 8).map(Self::Pm),
        }
    }

    /// The type of the register, or of each component.
    pub fn scalar_type(self) -> ScalarType {
        match self {
            Self::Pm(_) => ScalarType::U32,
            Self::Pm64(_) => ScalarType::U64,
            Self::Envreg(_) => ScalarType::B32,
            _ => self.row().map_or(ScalarType::U32, |row| row.2),
        }
    }

    /// Whether it has components `.x` to `.w`.
    pub fn is_vector(self) -> bool {
        self.row().is_some_and(|row| row.3 == Shape::Vector)
    }

    /// The least and the greatest value that reading the register, or a component of it, can give on any target (manual
    /// 10). A module for an old target runs on newer ones too, so limits of single targets are none; to be below another
    /// register that has no limit is none either.
    pub fn values(self, component: Option<Component>) -> (u64, u64) {
        const WARP_SIZE: u32 = 32;
        const MOST: u64 = u32::MAX as u64;
        let Some(component) = component else {
            return match self {
                Self::LaneId => (0, u64::from(WARP_SIZE) - 1),
                Self::LanemaskEq => (1, 1 << 31),
                Self::LanemaskLe => (1, MOST),
                Self::LanemaskLt => (0, MOST >> 1),
                Self::LanemaskGe => (1 << 31, MOST),
                Self::LanemaskGt => (0, MOST - 1),
                Self::NWarpId | Self::NSmId | Self::ClusterNCtaRank => (1, MOST),
                _ => (0, u64::MAX >> (64 - self.scalar_type().bits().min(64))),
            };
        };
        // The limits of 10.2 and 10.7. There are no more clusters in a grid, and blocks in a cluster, than blocks in a grid.
        let (threads, blocks) = match component {
            Component::X => (1024, (1 << 31) - 1),
            Component::Y => (1024, 65535),
            Component::Z => (64, 65535),
            Component::W => return (0, 0),
        };
        match self {
            Self::Tid => (0, threads - 1),
            Self::Ntid => (1, threads),
            Self::CtaId | Self::ClusterId | Self::ClusterCtaId => (0, blocks - 1),
            Self::NCtaId | Self::NClusterId | Self::ClusterNCtaId => (1, blocks),
            _ => (0, MOST),
        }
    }

    /// First version and architecture that have it.
    pub fn since(self) -> Since {
        match self {
            Self::Pm(n) if n >= 4 => Since::new(3, 0, 20),
            Self::Pm(_) => Since::new(1, 3, 10),
            Self::Pm64(_) => Since::new(4, 0, 50),
            Self::Envreg(_) => Since::new(2, 0, 10),
            _ => self.row().map_or(Since::ALWAYS, |row| row.4),
        }
    }

    /// All registers, numbered ones included, in the manual's order.
    pub fn all() -> impl Iterator<Item = SpecialReg> {
        let pm = (0..8).map(Self::Pm).chain((0..8).map(Self::Pm64));
        ROWS.iter().map(|row| row.0).chain(pm).chain((0..32).map(Self::Envreg))
    }

    fn row(self) -> Option<&'static (SpecialReg, &'static str, ScalarType, Shape, Since)> {
        ROWS.iter().find(|row| row.0 == self)
    }
}

impl fmt::Display for SpecialReg {
    /// The name with its `%`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pm(n) => write!(f, "%pm{n}"),
            Self::Pm64(n) => write!(f, "%pm{n}_64"),
            Self::Envreg(n) => write!(f, "%envreg{n}"),
            other => match other.row() {
                Some(row) => write!(f, "%{}", row.1),
                None => {
                    debug_assert!(false, "{other:?} has no row");
                    write!(f, "%{other:?}")
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_reads_back_from_its_name() {
        for register in SpecialReg::all() {
            let name = register.to_string();
            assert_eq!(SpecialReg::from_ptx(&name[1..]), Some(register), "{name}");
        }
        for name in ["envreg32", "envreg01", "envreg", "pm8", "tidx", "pm+1"] {
            assert_eq!(SpecialReg::from_ptx(name), None, "{name}");
        }
    }
}
