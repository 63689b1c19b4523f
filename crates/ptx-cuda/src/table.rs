//! The table of the names of `cuda.h` and `cudaProfiler.h`: what is exported, and what `cuGetProcAddress` finds.

pub use crate::symbols::{Address, NAMES};

/// The subjects of the functions, as the manual of the driver has them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    Errors,
    Initialization,
    Devices,
    PrimaryContexts,
    Contexts,
    Modules,
    Libraries,
    Linking,
    Memory,
    Pools,
    VirtualMemory,
    Multicast,
    Copies,
    Fills,
    Arrays,
    Textures,
    TensorMaps,
    Streams,
    StreamMemory,
    Events,
    Launching,
    Occupancy,
    Graphs,
    Capture,
    PeerAccess,
    Interprocess,
    GreenContexts,
    External,
    Graphics,
    LogicalEndpoints,
    Checkpoint,
    Coredump,
    Logs,
    Profiler,
}

impl Subject {
    /// Its title in the documentation.
    pub const fn title(self) -> &'static str {
        match self {
            Subject::Errors => "Errors",
            Subject::Initialization => "Initialization, version and entry points",
            Subject::Devices => "Devices",
            Subject::PrimaryContexts => "Primary contexts",
            Subject::Contexts => "Contexts",
            Subject::Modules => "Modules",
            Subject::Libraries => "Libraries and kernels",
            Subject::Linking => "Linking",
            Subject::Memory => "Memory",
            Subject::Pools => "Stream-ordered allocation",
            Subject::VirtualMemory => "Virtual memory",
            Subject::Multicast => "Multicast objects",
            Subject::Copies => "Copies",
            Subject::Fills => "Fills",
            Subject::Arrays => "Arrays",
            Subject::Textures => "Textures and surfaces",
            Subject::TensorMaps => "Tensor maps",
            Subject::Streams => "Streams",
            Subject::StreamMemory => "Memory operations of streams",
            Subject::Events => "Events",
            Subject::Launching => "Functions and launches",
            Subject::Occupancy => "Occupancy",
            Subject::Graphs => "Graphs",
            Subject::Capture => "Capture of streams",
            Subject::PeerAccess => "Peer access",
            Subject::Interprocess => "Sharing between processes",
            Subject::GreenContexts => "Green contexts",
            Subject::External => "External resources",
            Subject::Graphics => "Graphics",
            Subject::LogicalEndpoints => "Logical endpoints and fabric",
            Subject::Checkpoint => "Checkpoints",
            Subject::Coredump => "Core dumps",
            Subject::Logs => "Logs",
            Subject::Profiler => "Control of profilers",
        }
    }
}

/// A name of `cuda.h`.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The exported symbol.
    pub symbol: &'static str,
    /// The version of CUDA that added it: 1000 times the major one plus 10 times the minor one.
    pub since: u32,
    /// What it is about.
    pub subject: Subject,
    /// Whether this driver has it; otherwise it returns `CUDA_ERROR_NOT_SUPPORTED`.
    pub implemented: bool,
    /// The function.
    pub address: Address,
}

impl Name {
    /// The name in the programs that use it, which is that of several symbols: without the suffixes of versions and of default streams.
    pub fn base(&self) -> &'static str {
        let name = self.symbol.strip_suffix("_ptsz").or_else(|| self.symbol.strip_suffix("_ptds"));
        // Default: a name without these suffixes is its own.
        let name = name.unwrap_or(self.symbol);
        match name.rsplit_once("_v") {
            Some((base, version)) if version.bytes().all(|byte| byte.is_ascii_digit()) => base,
            _ => name,
        }
    }

    /// Whether its null stream is the default stream of the calling thread.
    pub fn is_per_thread(&self) -> bool {
        self.symbol.ends_with("_ptsz") || self.symbol.ends_with("_ptds")
    }
}
