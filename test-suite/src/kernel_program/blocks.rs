//! What blocks do together: barriers of the whole grid in cooperative launches, as cooperative groups have them, and shared memory of other
//! blocks of a cluster.

use fastrand::Rng;

use super::arithmetic::Instructions;
use super::{COUNTERS, INPUT, SLOTS};

/// The word of a thread's output through which it gives others a value: nothing else uses it.
const GIVEN: u32 = 60;

/// The blocks of a launch, and what they may do together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Blocks {
    pub(super) grid: u32,
    pub(super) cluster: u32,
    pub(super) cooperative: bool,
    /// Whether the launch takes longer than what is interpreted before a kernel is compiled (`--engine=auto` of `ptxrun`).
    pub(super) is_long: bool,
}

impl Blocks {
    /// Blocks that do nothing together.
    pub(super) fn apart(grid: u32) -> Self {
        Self { grid, cluster: 1, cooperative: false, is_long: false }
    }

    /// Blocks of so many threads that do.
    pub(super) fn together(rng: &mut Rng, threads: u32) -> Self {
        /// All threads have a word of the input, and some more words after it.
        const MOST: u32 = INPUT - 256;
        let (cluster, cooperative) = [(1, true), (1, true), (2, false), (4, false)][rng.usize(..4)];
        let cluster = if cluster * threads > MOST { 2 } else { cluster };
        let clusters = rng.u32(1..5).min(MOST / threads / cluster);
        Self { grid: cluster * clusters, cluster, cooperative, is_long: rng.u32(..4) == 0 }
    }

    /// Whether they do.
    pub(super) fn meet(self) -> bool {
        self.cooperative || self.cluster > 1
    }
}

impl Instructions {
    /// Values that threads get from those of other blocks.
    pub(super) fn among_blocks(&mut self, blocks: Blocks, threads: u32) -> String {
        if blocks.cooperative && (blocks.cluster == 1 || self.rng.bool()) {
            self.grid_exchange(blocks.grid, threads)
        } else {
            self.cluster_exchange(blocks.cluster, threads)
        }
    }

    /// A barrier of all threads of the grid: what nvcc makes of `grid.sync()`. The workspace, whose address is in `%envreg1` (upper half) and
    /// `%envreg2`, has its size and the barrier, to which the first block brings what the others leave missing of 2^31.
    fn grid_barrier(&mut self, grid: u32) -> String {
        let [low, high, given, before, now] = std::array::from_fn(|_| self.word());
        let [other, first, again] = std::array::from_fn(|_| self.predicate());
        let workspace = self.address();
        let name = now.replace('%', "");
        let most = (1_u32 << 31) - (grid - 1);
        format!(
            "bar.sync 0;\nsetp.ne.u32 {other}, %v3, 0;\n@{other} bra met_{name};\n\
             mov.u32 {low}, %envreg2;\nmov.u32 {high}, %envreg1;\nmov.b64 {workspace}, {{{low}, {high}}};\n\
             setp.eq.u32 {first}, %v4, 0;\nselp.u32 {given}, {most}, 1, {first};\n\
             membar.gl;\natom.add.release.gpu.u32 {before}, [{workspace}+4], {given};\n\
             wait_{name}:\nld.acquire.gpu.u32 {now}, [{workspace}+4];\nxor.b32 {now}, {now}, {before};\nsetp.gt.s32 {again}, {now}, -1;\n\
             @{again} bra wait_{name};\nmet_{name}:\nbar.sync 0;\n"
        )
    }

    /// Every thread stores a word that another one loads after a barrier, and before the next.
    fn grid_exchange(&mut self, grid: u32, threads: u32) -> String {
        let (value, register) = (self.value(), self.register());
        let (other, address) = (self.word(), self.address());
        let [odd, more] = [self.rng.u32(..8) * 2 + 1, self.rng.u32(..64)];
        let [before, after] = [self.grid_barrier(grid), self.grid_barrier(grid)];
        format!(
            "st.global.u32 [%x1+{}], {value};\n{before}mad.lo.u32 {other}, %v5, {odd}, {more};\nrem.u32 {other}, {other}, {};\n\
             mul.wide.u32 {address}, {other}, {};\nadd.s64 {address}, {address}, %x2;\nld.global.u32 {register}, [{address}+{}];\n{after}",
            GIVEN * 4,
            grid * threads,
            SLOTS * 4,
            (COUNTERS + GIVEN) * 4,
        )
    }

    /// Every thread stores a word in shared memory that threads of another block load, and counts in memory of that one.
    fn cluster_exchange(&mut self, cluster: u32, threads: u32) -> String {
        let meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
        let (value, counted, register) = (self.value(), self.value(), self.register());
        let [rank, slot, own, other, count] = std::array::from_fn(|_| self.word());
        let [turn, more] = [self.rng.u32(..cluster), self.rng.u32(..64)];
        let (load, address, place) = if self.rng.bool() {
            let place = format!("mapa.shared::cluster.u32 {other}, {other}, {rank};\n");
            ("ld.shared::cluster.u32", other.clone(), place)
        } else {
            let [wide, generic] = [self.address(), self.address()];
            let place = format!(
                "cvt.u64.u32 {wide}, {other};\ncvta.shared.u64 {generic}, {wide};\nmapa.u64 {generic}, {generic}, {rank};\n"
            );
            ("ld.u32", generic, place)
        };
        format!(
            "bar.sync 0;\nadd.u32 {own}, %v14, %v13;\nst.shared.u32 [{own}], {value};\n\
             mov.u32 {rank}, %cluster_ctarank;\nadd.u32 {rank}, {rank}, {turn};\nrem.u32 {rank}, {rank}, {cluster};\n{meet}\
             add.u32 {slot}, %v3, {more};\nrem.u32 {slot}, {slot}, {threads};\nshl.b32 {slot}, {slot}, 2;\nadd.u32 {other}, %v14, {slot};\n\
             {place}{load} {register}, [{address}];\n\
             mov.u32 {count}, counters;\nmapa.shared::cluster.u32 {count}, {count}, {rank};\nred.shared::cluster.add.u32 [{count}+{}], {counted};\n{meet}",
            self.rng.u32(..32) * 4,
        )
    }
}
