//! The processor that code is compiled for, as a part of keys.

use ptx_llvm_core::host::Cpu;

/// A processor.
#[derive(Clone, Copy, Hash, Debug)]
pub(crate) enum Processor<'a> {
    /// As LLVM names it.
    Named(&'a Cpu),
    /// The processor of this process.
    Own(&'a Description),
}

/// What this process's processor reports about itself and about the features that the system enables: everything from which LLVM derives
/// the names of the processor and of its features. Asking LLVM would require loading it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Description(Vec<u32>);

impl Description {
    /// The description for this process; `None` for architectures on which LLVM asks the system.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn own() -> Option<Self> {
        use std::arch::x86_64::__cpuid_count;

        /// Leaf, subleaf, and which of the four registers are the same on every core.
        const LEAVES: [(u32, u32, [bool; 4]); 13] = [
            (0, 0, [true, true, true, true]),
            // Model; the second register has the number of the core.
            (1, 0, [true, false, true, true]),
            (7, 0, [true, true, true, true]),
            (7, 1, [true, true, true, true]),
            (7, 2, [true, true, true, true]),
            // Which vector state is saved; the second register has a size.
            (0xd, 1, [true, false, false, false]),
            (0x14, 0, [false, true, false, false]),
            (0x19, 0, [false, true, false, false]),
            (0x1e, 1, [true, true, true, true]),
            (0x24, 0, [false, true, false, false]),
            (0x8000_0001, 0, [true, false, true, true]),
            (0x8000_0008, 0, [false, true, false, false]),
            (0x8000_0021, 0, [true, false, false, false]),
        ];
        let mut all = Vec::new();
        for (leaf, subleaf, is_stable) in LEAVES {
            // Beyond the last leaf, processors return meaningless values.
            let most = __cpuid_count(leaf & 0x8000_0000, 0).eax;
            let found = __cpuid_count(leaf, subleaf);
            let registers = [found.eax, found.ebx, found.ecx, found.edx];
            let kept = registers.iter().zip(is_stable).filter(|(_, is_stable)| *is_stable);
            all.extend(kept.map(|(&register, _)| if leaf <= most { register } else { 0 }));
        }
        let has_vectors = [is_x86_feature_detected!("avx"), is_x86_feature_detected!("avx512f")];
        all.extend(has_vectors.map(u32::from));
        Some(Self(all))
    }

    /// See above.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn own() -> Option<Self> {
        None
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_the_same_on_each_core() {
        let first = Description::own();
        assert!(first.as_ref().is_some_and(|own| own.0.iter().any(|&word| word != 0)));
        for _ in 0..100 {
            std::thread::yield_now();
            assert_eq!(Description::own(), first);
        }
    }
}
