//! How many warps are on a multiprocessor at a time: the steps in which registers and shared memory cost occupancy (CUDA programming guide, "Technical
//! specifications per compute capability").

/// What a multiprocessor has.
struct Limits {
    warps: u32,
    blocks: u32,
    shared: u32,
}

/// Registers of a multiprocessor, the same from sm_50 on.
const REGISTERS: u32 = 65_536;
/// Registers are given to warps in portions.
const PORTION: u32 = 256;
/// Shared memory that the system takes of each block, from sm_80 on.
const RESERVED: u32 = 1024;

/// The limits of an architecture; `None` of one that is not listed.
fn limits(architecture: &str) -> Option<Limits> {
    let digits: String = architecture.chars().filter(char::is_ascii_digit).collect();
    let (warps, blocks, kibibytes) = match digits.as_str() {
        "75" => (32, 16, 64),
        "80" | "87" => (64, 32, 164),
        "86" => (48, 16, 100),
        "89" => (48, 24, 100),
        "90" | "100" | "103" => (64, 32, 228),
        "110" => (48, 24, 228),
        "120" | "121" => (48, 24, 100),
        _ => return None,
    };
    Some(Limits { warps, blocks, shared: kibibytes * 1024 })
}

/// The warps of a kernel that are resident at a time, with blocks of `threads`, so many registers a thread and bytes of shared memory a block.
pub(super) fn resident_warps(architecture: &str, threads: u32, registers: u32, shared: u32) -> Option<u32> {
    let limits = limits(architecture)?;
    let warps = threads.div_ceil(32).max(1);
    let of_warp = (registers.max(1) * 32).next_multiple_of(PORTION);
    // Each of the four parts of a multiprocessor has a quarter of the registers.
    let by_registers = REGISTERS / 4 / of_warp * 4 / warps;
    let by_shared = limits.shared / (shared + RESERVED).next_multiple_of(128);
    let blocks = (limits.warps / warps).min(by_registers).min(by_shared).min(limits.blocks);
    Some(blocks * warps)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As NVIDIA's occupancy calculator says.
    #[test]
    fn steps_are_those_of_the_calculator() {
        assert_eq!(resident_warps("sm_90", 256, 32, 0), Some(64));
        assert_eq!(resident_warps("sm_90", 256, 33, 0), Some(48));
        assert_eq!(resident_warps("sm_90", 1024, 64, 0), Some(32));
        assert_eq!(resident_warps("sm_80", 256, 128, 0), Some(16));
        assert_eq!(resident_warps("sm_90a", 128, 32, 99 * 1024), Some(8));
        assert_eq!(resident_warps("sm_90", 32, 16, 0), Some(32));
        assert_eq!(resident_warps("sm_70", 32, 16, 0), None);
    }
}
