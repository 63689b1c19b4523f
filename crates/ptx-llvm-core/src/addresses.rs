//! The sizes of addresses, and LLVM's target triple and data layout for each.
//!
//! A triple comes in from a module or its view; bits, triple and data layout go out.

/// The target triple of modules with 64-bit addresses.
pub const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// The data layout LLVM 22 gives [`TRIPLE`]: 64-bit generic, global, constant and parameter pointers, little endian,
/// and 32-bit pointers in tensor memory (address space 6).
pub const DATA_LAYOUT: &str = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

/// The target triple of modules with 32-bit addresses.
pub const TRIPLE_32: &str = "nvptx-nvidia-cuda";

/// The data layout LLVM 22 gives [`TRIPLE_32`]: pointers of 32 bits in all address spaces, little endian.
pub const DATA_LAYOUT_32: &str =
    "e-p:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

/// How many bits generic addresses have (`.address_size`, manual 11.1.3), by LLVM's two targets for PTX.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Addresses {
    /// 32 bits, as all other addresses.
    Bits32,
    /// 64 bits.
    #[default]
    Bits64,
}

impl Addresses {
    /// Their bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }

    /// The target triple of modules with such addresses.
    pub const fn triple(self) -> &'static str {
        match self {
            Self::Bits32 => TRIPLE_32,
            Self::Bits64 => TRIPLE,
        }
    }

    /// Their data layout.
    pub const fn data_layout(self) -> &'static str {
        match self {
            Self::Bits32 => DATA_LAYOUT_32,
            Self::Bits64 => DATA_LAYOUT,
        }
    }

    /// Those of a module with this target triple.
    pub(crate) fn of_module(triple: &str) -> Self {
        // Default: 64 bits for a module without a triple; `check_target` refuses those for other architectures.
        Self::of_triple(triple).unwrap_or_default()
    }

    /// Those of a target triple; `None` for another architecture.
    pub fn of_triple(triple: &str) -> Option<Self> {
        match triple.split('-').next() {
            Some("nvptx") => Some(Self::Bits32),
            Some("nvptx64") => Some(Self::Bits64),
            _ => None,
        }
    }
}
