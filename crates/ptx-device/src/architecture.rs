//! Limits of the multiprocessors of each architecture, and the occupancy that follows from them (CUDA Programming Guide, "Compute
//! Capabilities", table of technical specifications per compute capability).

use ptx_exec::KernelAttributes;
use ptx_isa::Sm;

/// Limits of a multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MultiprocessorLimits {
    /// Maximum resident blocks.
    pub blocks: u32,
    /// Maximum resident warps.
    pub warps: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Maximum registers of a block.
    pub block_registers: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
    /// Maximum bytes of shared memory of a block that opts in ([`Kernel::set_dynamic_shared`](crate::Kernel::set_dynamic_shared)).
    pub block_shared_bytes: u32,
    /// Bytes of shared memory that each block takes in addition.
    pub reserved_shared_bytes: u32,
    /// Shared memory of a block is a multiple of these bytes.
    pub shared_unit: u32,
    /// Maximum blocks of a cluster that every device of the architecture can execute; 1 if there are no clusters.
    pub cluster_blocks: u32,
}

/// Bytes of shared memory that a block may have without opting in to more.
pub const USUAL_SHARED_BYTES: u32 = 48 << 10;

/// Registers are allocated to warps in multiples of this number.
const REGISTER_UNIT: u32 = 256;
/// The parts of a multiprocessor, each with its share of the registers; a warp is in one of them.
const PARTITIONS: u32 = 4;
/// Threads of a warp.
const WARP: u32 = 32;

/// One row of the table: first architecture, blocks, warps, KiB of shared memory, KiB of a block.
struct Limits(u16, u32, u32, u32, u32);

/// By architecture: those that are not listed are like the last one before.
const TABLE: [Limits; 17] = [
    Limits(30, 16, 64, 48, 48),
    Limits(50, 32, 64, 64, 48),
    Limits(52, 32, 64, 96, 48),
    Limits(53, 32, 64, 64, 48),
    Limits(60, 32, 64, 64, 48),
    Limits(61, 32, 64, 96, 48),
    Limits(62, 32, 64, 64, 48),
    Limits(70, 32, 64, 96, 96),
    Limits(75, 16, 32, 64, 64),
    Limits(80, 32, 64, 164, 163),
    Limits(86, 16, 48, 100, 99),
    Limits(87, 16, 48, 164, 163),
    Limits(89, 24, 48, 100, 99),
    Limits(90, 32, 64, 228, 227),
    Limits(101, 24, 48, 228, 227),
    Limits(103, 32, 64, 228, 227),
    Limits(110, 24, 48, 228, 227),
];
/// The architectures of workstations since Blackwell.
const WORKSTATIONS: Limits = Limits(120, 24, 48, 100, 99);

impl MultiprocessorLimits {
    /// The limits of an architecture; those of an unknown one are those of the one before.
    pub fn of(architecture: Sm) -> Self {
        let number = architecture.number;
        // Architectures before the first row are not executed by any device that CUDA supports.
        let mut row = &TABLE[0];
        for next in TABLE.iter().chain([&WORKSTATIONS]).filter(|next| next.0 <= number) {
            row = next;
        }
        let &Limits(_, blocks, warps, shared, block_shared) = row;
        let is_small = matches!(number, 53 | 62);
        let has_clusters = number >= 90;
        Self {
            blocks,
            warps,
            registers: 64 << 10,
            block_registers: if is_small { 32 << 10 } else { 64 << 10 },
            shared_bytes: shared << 10,
            block_shared_bytes: block_shared << 10,
            reserved_shared_bytes: if number >= 80 { 1 << 10 } else { 0 },
            shared_unit: if number >= 80 { 128 } else { 256 },
            cluster_blocks: if has_clusters { 8 } else { 1 },
        }
    }

    /// Maximum resident threads.
    pub fn threads(&self) -> u32 {
        self.warps * WARP
    }

    /// How many blocks of a kernel can be resident at once, with this number of threads and bytes of dynamic shared memory; 0 if not even one.
    pub fn resident_blocks(&self, kernel: &KernelAttributes, threads: u32, dynamic_shared: u32) -> u32 {
        if threads == 0 || threads > kernel.max_threads {
            return 0;
        }
        let warps = threads.div_ceil(WARP);
        let by_warps = (self.warps / warps).min(self.blocks);
        let of_warp = (kernel.registers.max(1) * WARP).next_multiple_of(REGISTER_UNIT);
        let all_warps = self.registers / PARTITIONS / of_warp * PARTITIONS;
        let fits_block = of_warp.saturating_mul(warps) <= self.block_registers;
        let by_registers = if fits_block { all_warps / warps } else { 0 };
        let shared = kernel.static_shared_bytes.saturating_add(dynamic_shared.into());
        if shared > self.block_shared_bytes.into() {
            return 0;
        }
        let shared = (shared as u32 + self.reserved_shared_bytes).next_multiple_of(self.shared_unit);
        let most = by_warps.min(by_registers);
        self.shared_bytes.checked_div(shared).into_iter().fold(most, u32::min)
    }

    /// The block size, a multiple of a warp unless the kernel allows fewer threads, with which the most threads are resident, the largest of several,
    /// and the blocks of this size that are resident. `dynamic_shared` has the bytes of dynamic shared memory of a block of so many threads, and
    /// `most_threads` is the maximum; 0 for no other than the kernel's.
    pub fn best_block(
        &self,
        kernel: &KernelAttributes,
        dynamic_shared: impl Fn(u32) -> u32,
        most_threads: u32,
    ) -> (u32, u32) {
        let most = match most_threads {
            0 => kernel.max_threads,
            most => most.min(kernel.max_threads),
        };
        let mut best = (0, 0);
        let mut threads = most.next_multiple_of(WARP);
        while threads > 0 {
            let size = threads.min(most);
            let blocks = self.resident_blocks(kernel, size, dynamic_shared(size));
            if blocks * size > best.0 * best.1 {
                best = (size, blocks);
            }
            threads -= WARP;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(registers: u32, static_shared_bytes: u64) -> KernelAttributes {
        KernelAttributes {
            registers,
            static_shared_bytes,
            local_bytes: 0,
            constant_bytes: 0,
            parameter_bytes: 0,
            max_threads: 1024,
            required_block: None,
            min_blocks: None,
            needs_cluster: false,
            required_cluster: None,
            max_cluster_blocks: None,
            is_tile: false,
            ptx_version: None,
            target: None,
        }
    }

    /// Computed by hand from the numbers of the programming guide.
    #[test]
    fn blocks_are_limited_by_warps_registers_and_shared_memory() {
        let of = |number| MultiprocessorLimits::of(Sm::new(number));
        // 2,048 threads; 32 blocks of 32 threads.
        assert_eq!(of(80).resident_blocks(&kernel(16, 0), 256, 0), 8);
        assert_eq!(of(80).resident_blocks(&kernel(16, 0), 32, 0), 32);
        // 1,536 and 1,024 threads.
        assert_eq!(of(86).resident_blocks(&kernel(16, 0), 256, 0), 6);
        assert_eq!(of(75).resident_blocks(&kernel(16, 0), 256, 0), 4);
        // 128 registers of 32 threads are 4,096, 16 warps in all.
        assert_eq!(of(90).resident_blocks(&kernel(128, 0), 128, 0), 4);
        // 33 registers take as many as 40: 1,280 a warp, 12 in each part, 48 in all.
        assert_eq!(of(90).resident_blocks(&kernel(33, 0), 128, 0), 12);
        // 255 registers of 1,024 threads are more than a block may have.
        assert_eq!(of(90).resident_blocks(&kernel(255, 0), 1024, 0), 0);
        // 48 KiB and 1 KiB that is reserved, of 164, and of 228.
        assert_eq!(of(80).resident_blocks(&kernel(16, 48 << 10), 64, 0), 3);
        assert_eq!(of(90).resident_blocks(&kernel(16, 16 << 10), 64, 32 << 10), 4);
        assert_eq!(of(90).resident_blocks(&kernel(16, 0), 64, 227 << 10), 1);
        assert_eq!(of(90).resident_blocks(&kernel(16, 0), 64, (227 << 10) + 1), 0);
        assert_eq!(of(70).resident_blocks(&kernel(16, 0), 64, 48 << 10), 2);
        assert_eq!(of(90).resident_blocks(&kernel(16, 0), 1025, 0), 0);
        assert_eq!(of(90).resident_blocks(&kernel(16, 0), 0, 0), 0);
    }

    #[test]
    fn limits_are_those_of_the_programming_guide() {
        let of = |number| {
            let limits = MultiprocessorLimits::of(Sm::new(number));
            (limits.threads(), limits.blocks, limits.block_shared_bytes >> 10, limits.cluster_blocks)
        };
        assert_eq!(of(61), (2048, 32, 48, 1));
        assert_eq!(of(75), (1024, 16, 64, 1));
        assert_eq!(of(89), (1536, 24, 99, 1));
        assert_eq!(of(90), (2048, 32, 227, 8));
        assert_eq!(of(100), (2048, 32, 227, 8));
        assert_eq!(of(103), (2048, 32, 227, 8));
        assert_eq!((of(120), of(121)), ((1536, 24, 99, 8), (1536, 24, 99, 8)));
    }

    #[test]
    fn the_best_block_is_the_largest_with_the_most_threads() {
        let limits = MultiprocessorLimits::of(Sm::new(80));
        assert_eq!(limits.best_block(&kernel(16, 0), |_| 0, 0), (1024, 2));
        assert_eq!(limits.best_block(&kernel(16, 0), |_| 0, 300), (256, 8));
        let limits = MultiprocessorLimits::of(Sm::new(86));
        assert_eq!(limits.best_block(&kernel(16, 0), |_| 0, 0), (768, 2));
        let few = KernelAttributes { max_threads: 20, ..kernel(16, 0) };
        assert_eq!(limits.best_block(&few, |_| 0, 0), (20, 16));
    }
}
