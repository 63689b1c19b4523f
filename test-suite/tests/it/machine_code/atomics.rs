//! CUDA's atomic functions, as clang writes them.

use ptx_driver::Atomics;
use test_suite::directive::Level;

use super::{count, instructions, oracles, raised};

const HISTOGRAM: &str = include_str!("histogram.ll");
/// What nvcc makes of the same program.
const OF_NVCC: &str = include_str!("../../../bench/ptx/histogram.ptx");
/// What machine code orders memory by.
const FENCES: [&str; 4] = ["MEMBAR", "ERRBAR", "CCTL", "FENCE"];

#[test]
fn atomic_functions_of_cuda_cost_what_they_do_in_nvcc() {
    let Some(oracles) = oracles() else { return };
    let of_nvcc = instructions(&oracles, OF_NVCC);
    for level in [Level::O1, Level::O2, Level::O3] {
        let ptx = raised(HISTOGRAM, level, 80, Atomics::Auto);
        let own = instructions(&oracles, &ptx);
        assert_eq!(count(&own, &FENCES), 0, "{ptx}");
        assert_eq!(own.len(), of_nvcc.len(), "{}: {own:#?}", level.as_str());
    }
}

/// As LLVM means it each of the two is ordered with everything in the system.
#[test]
fn atomic_operations_of_llvm_keep_their_order() {
    let Some(oracles) = oracles() else { return };
    for (text, meaning) in [
        (HISTOGRAM.to_owned(), Atomics::Llvm),
        // These are not functions of CUDA.
        (HISTOGRAM.replace("ret void", "fence release\n  ret void"), Atomics::Auto),
        (HISTOGRAM.replace("nvvm-reflect-ftz", "other"), Atomics::Auto),
    ] {
        let ptx = raised(&text, Level::O2, 80, meaning);
        assert_eq!(ptx.matches("fence.sc.sys").count(), 2, "{ptx}");
        assert!(ptx.contains("atom.acquire.cta.shared") && ptx.contains("atom.acquire.sys.global"), "{ptx}");
        assert!(count(&instructions(&oracles, &ptx), &FENCES) > 0, "{ptx}");
    }
}
