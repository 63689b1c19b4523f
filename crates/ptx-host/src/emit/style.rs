//! The choices of code generation that depend on the processor or on what is known of a result: they go into every operation, and come from
//! the processor ([`Style::of`]) and from the analysis of NaNs.

use ptx_llvm_core::host::Cpu;

/// The NaNs of `.f32` arithmetic results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Nan {
    /// The canonical NaN, as PTX specifies.
    Canonical,
    /// Any NaN: for results whose bits are not observed before another operation canonicalizes them.
    Any,
}

/// Code generation choices that depend on the processor, apart from what LLVM handles itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Style {
    /// The NaNs of `.f32` arithmetic results.
    pub nan: Nan,
    /// Whether the processor converts binary16 (F16C); otherwise it is converted with integer operations.
    pub converts_halves: bool,
    /// Whether its 512-bit instructions have embedded rounding (AVX-512), which is used for roundings other than to nearest.
    pub has_roundings: bool,
    /// Whether it has fused multiply-add; otherwise LLVM calls the C library for it.
    pub fuses: bool,
    /// Whether one instruction permutes eight 32-bit lanes by indices in a register (AVX2).
    pub permutes: bool,
}

impl Style {
    /// The choices that work on any processor.
    pub const PLAIN: Self = Self {
        nan: Nan::Canonical,
        converts_halves: false,
        has_roundings: false,
        fuses: false,
        permutes: false,
    };

    /// The choices for a processor. To be computed once: see [`Cpu::has`].
    pub fn of(cpu: &Cpu) -> Self {
        let is_x86 = cpu.triple.starts_with("x86_64");
        Self {
            converts_halves: is_x86 && cpu.has("f16c"),
            has_roundings: is_x86 && cpu.has("avx512f"),
            permutes: is_x86 && cpu.has("avx2"),
            fuses: if is_x86 { cpu.has("fma") } else { cpu.triple.starts_with("aarch64") },
            ..Self::PLAIN
        }
    }
}
