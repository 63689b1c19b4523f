//! Special registers (manual 10).

use ptx_isa::{Component, SpecialReg};
use ptx_program::{Row, WARP, along};

use super::at::At;

/// Maximum number of warps of a multiprocessor, `%nwarpid`.
const WARPS_PER_MULTIPROCESSOR: u64 = 64;

/// The value of a special register in every lane.
///
/// There is one multiprocessor; a clock cycle is an instruction of the warp; the global timer counts nanoseconds
/// since the launch began.
pub(super) fn special(at: &At<'_>, register: SpecialReg, component: Option<Component>) -> Row {
    let At { warp, grid, block, .. } = at;
    let of = |dims: [u32; 3]| u64::from(along(dims, 0, component));
    let uniform = |value: u64| [value; WARP];
    let lanewise = |f: fn(u32) -> u32| std::array::from_fn(|lane| u64::from(f(lane as u32)));
    let geometry = &grid.geometry;
    match register {
        SpecialReg::Tid => std::array::from_fn(|lane| of(geometry.thread(warp.id.index, lane))),
        SpecialReg::Ntid => uniform(of(geometry.block)),
        SpecialReg::LaneId => lanewise(|lane| lane),
        SpecialReg::WarpId => uniform(warp.id.index as u64),
        SpecialReg::NWarpId => uniform(WARPS_PER_MULTIPROCESSOR),
        SpecialReg::CtaId => uniform(of(block.index)),
        SpecialReg::NCtaId => uniform(of(geometry.grid)),
        SpecialReg::ClusterId => {
            uniform(of(std::array::from_fn(|axis| block.index[axis] / geometry.cluster[axis].max(1))))
        }
        SpecialReg::NClusterId => uniform(of(geometry.cluster_grid())),
        SpecialReg::ClusterCtaId => uniform(of(geometry.index_in_cluster(block.rank))),
        SpecialReg::ClusterNCtaId => uniform(of(geometry.cluster)),
        SpecialReg::ClusterCtaRank => uniform(block.rank.into()),
        SpecialReg::ClusterNCtaRank => uniform(geometry.cluster_size().into()),
        SpecialReg::IsExplicitCluster => uniform(geometry.is_explicit_cluster.into()),
        SpecialReg::NSmId => uniform(1),
        // CUDA's driver passes the address of the grid's workspace to cooperative groups in these registers.
        SpecialReg::Envreg(1) => uniform(grid.workspace >> 32),
        SpecialReg::Envreg(2) => uniform(grid.workspace & u64::from(u32::MAX)),
        SpecialReg::SmId
        | SpecialReg::GridId
        | SpecialReg::CurrentGraphExec
        | SpecialReg::ReservedSmemOffsetBegin
        | SpecialReg::ReservedSmemOffsetEnd
        | SpecialReg::ReservedSmemOffsetCap
        | SpecialReg::ReservedSmemOffset0
        | SpecialReg::ReservedSmemOffset1
        | SpecialReg::Pm(_)
        | SpecialReg::Pm64(_)
        | SpecialReg::Envreg(_) => uniform(0),
        SpecialReg::LanemaskEq => lanewise(|lane| 1 << lane),
        SpecialReg::LanemaskLe => lanewise(|lane| u32::MAX >> (31 - lane)),
        SpecialReg::LanemaskLt => lanewise(|lane| (1 << lane) - 1),
        SpecialReg::LanemaskGe => lanewise(|lane| u32::MAX << lane),
        SpecialReg::LanemaskGt => lanewise(|lane| u32::MAX << lane << 1),
        SpecialReg::Clock => uniform(warp.clock & 0xffff_ffff),
        SpecialReg::ClockHi => uniform(warp.clock >> 32),
        SpecialReg::Clock64 => uniform(warp.clock),
        SpecialReg::GlobalTimer => uniform(grid.nanoseconds()),
        SpecialReg::GlobalTimerLo => uniform(grid.nanoseconds() & 0xffff_ffff),
        SpecialReg::GlobalTimerHi => uniform(grid.nanoseconds() >> 32),
        SpecialReg::TotalSmemSize | SpecialReg::AggrSmemSize => uniform(geometry.shared.into()),
        SpecialReg::DynamicSmemSize => uniform(geometry.dynamic_shared.into()),
    }
}
