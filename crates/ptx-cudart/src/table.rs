//! The table of the names that the libraries of CUDA 12 and 13 export.

pub use crate::symbols::NAMES;

/// The address of a function.
#[derive(Clone, Copy, Debug)]
pub struct Address(pub unsafe extern "C" fn());

/// The subjects of the functions, about as the manual of the runtime has them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Subject {
    Errors,
    Versions,
    Devices,
    Compiled,
    Launching,
    Occupancy,
    Libraries,
    Memory,
    Pools,
    Copies,
    Fills,
    Arrays,
    Textures,
    Streams,
    Capture,
    Events,
    Graphs,
    PeerAccess,
    Interprocess,
    Contexts,
    External,
    Graphics,
    Logs,
    Profiler,
}

impl Subject {
    /// Its title in the documentation.
    pub const fn title(self) -> &'static str {
        match self {
            Subject::Errors => "Errors",
            Subject::Versions => "Versions and entry points",
            Subject::Devices => "Devices",
            Subject::Compiled => "Binaries, kernels and variables of programs",
            Subject::Launching => "Launches and functions",
            Subject::Occupancy => "Occupancy",
            Subject::Libraries => "Libraries",
            Subject::Memory => "Memory",
            Subject::Pools => "Stream-ordered allocation",
            Subject::Copies => "Copies",
            Subject::Fills => "Fills",
            Subject::Arrays => "Arrays",
            Subject::Textures => "Textures and surfaces",
            Subject::Streams => "Streams",
            Subject::Capture => "Capture of streams",
            Subject::Events => "Events",
            Subject::Graphs => "Graphs",
            Subject::PeerAccess => "Peer access",
            Subject::Interprocess => "Sharing between processes",
            Subject::Contexts => "Execution contexts",
            Subject::External => "External resources",
            Subject::Graphics => "Graphics",
            Subject::Logs => "Logs",
            Subject::Profiler => "Control of profilers",
        }
    }
}

/// The versions of the library that have a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Versions {
    /// CUDA 12 and CUDA 13.
    Both,
    /// CUDA 12 alone.
    Only12,
    /// CUDA 13 alone.
    Only13,
}

/// A name of the runtime.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The exported symbol.
    pub symbol: &'static str,
    /// The versions that have it.
    pub versions: Versions,
    /// What it is about.
    pub subject: Subject,
    /// Whether this project has it; otherwise it returns `cudaErrorNotSupported`.
    pub implemented: bool,
    /// The function, unless each version has its own.
    pub address: Option<Address>,
}

impl Name {
    /// The name in the programs that use it: without the suffix of default streams.
    pub fn base(&self) -> &'static str {
        let base = self.symbol.strip_suffix("_ptsz").or_else(|| self.symbol.strip_suffix("_ptds"));
        // Default: a name without these suffixes is its own.
        base.unwrap_or(self.symbol)
    }
}
