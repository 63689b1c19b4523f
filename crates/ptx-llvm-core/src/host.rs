//! The host: its processor, the target machine that compiles for it, and code linked into this process.
//!
//! [`Cpu`] names a processor in LLVM's terms, [`HostMachine`] optimizes modules and emits object files for it, and a [`Jit`]
//! links such objects into the process. x86 and AArch64 are supported if LLVM was built with them; objects can be
//! emitted for a processor other than the host's, but a [`Jit`] only supports the host's architecture.
//!
//! Some options of LLVM are process-wide. Those of code generation are set here, before the first [`HostMachine`] exists, so that they always apply to
//! host code. [`crate::Machine`] sets others: once the first of those exists, InstCombine and
//! SimplifyCFG are tuned for `ptxas` in host modules, too. Host code that depends on neither is the same either way.

mod blend;
mod bounds;
mod forward;
mod jit;
mod lanes;
mod machine;
mod masks;
mod names;
mod object;
mod probe;
#[cfg(test)]
mod tests;

use std::ffi::{CStr, c_char};
use std::sync::Once;

use llvm_sys::core::LLVMDisposeMessage;
use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::target_machine::{LLVMGetDefaultTargetTriple, LLVMGetHostCPUFeatures, LLVMGetHostCPUName};

pub use jit::{Jit, JitCode, library_functions};
pub use machine::HostMachine;
pub use object::{Symbol, symbols};

use crate::LlvmError;
use names::Names;

/// A processor in LLVM's terms, and the system that it runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cpu {
    /// LLVM's target triple, such as `x86_64-pc-linux-gnu`.
    pub triple: String,
    /// LLVM's name of the processor, such as `znver4`; empty for the triple's default.
    pub name: String,
    /// Features in addition to those of the name, as in `+avx2,-avx512f`.
    pub features: String,
}

/// The baselines that [`Cpu::baseline`] knows: triple, name, features.
const BASELINES: [(&str, &str, &str, &str); 5] = [
    ("x86-64", "x86_64-unknown-linux-gnu", "x86-64", ""),
    ("x86-64-v2", "x86_64-unknown-linux-gnu", "x86-64-v2", ""),
    ("x86-64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3", ""),
    ("x86-64-v4", "x86_64-unknown-linux-gnu", "x86-64-v4", ""),
    ("aarch64", "aarch64-unknown-linux-gnu", "generic", "+neon"),
];

/// The features needed for 512-bit vectors of every element type.
const AVX512: [&str; 4] = ["avx512f", "avx512bw", "avx512dq", "avx512vl"];

impl Cpu {
    /// The processor that this process runs on, with the features that it and the system support.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Missing`] when LLVM's library cannot be loaded.
    pub fn host() -> Result<Self, LlvmError> {
        crate::library::load()?;
        // SAFETY: the library is loaded, and each call returns a string that we own.
        unsafe {
            Ok(Self {
                triple: owned(LLVMGetDefaultTargetTriple()),
                name: owned(LLVMGetHostCPUName()),
                features: owned(LLVMGetHostCPUFeatures()),
            })
        }
    }

    /// The processor with these names.
    pub fn of(triple: &str, name: &str, features: &str) -> Self {
        Self { triple: triple.to_owned(), name: name.to_owned(), features: features.to_owned() }
    }

    /// A baseline that many processors support: `x86-64`, `x86-64-v2` (SSE4.2), `x86-64-v3` (AVX2), `x86-64-v4` (AVX-512) or
    /// `aarch64` (NEON), on Linux.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Target`] for another name.
    pub fn baseline(name: &str) -> Result<Self, LlvmError> {
        let found = BASELINES.iter().find(|(known, ..)| *known == name);
        let Some((_, triple, cpu, features)) = found else {
            let known: Vec<&str> = BASELINES.iter().map(|(known, ..)| *known).collect();
            let message = format!("`{name}` is not one of the baselines {}", known.join(", "));
            return Err(LlvmError::Target { message });
        };
        Ok(Self::of(triple, cpu, features))
    }

    /// Whether a feature such as `avx512vl` or `sve` is enabled: according to the list of features, otherwise to what LLVM knows about the processor's
    /// name. The latter takes about a millisecond. `false` for a feature that LLVM does not know.
    pub fn has(&self, feature: &str) -> bool {
        let stated = self.features.split(',').rev().find_map(|item| match item.split_at_checked(1) {
            Some(("+", name)) if name == feature => Some(true),
            Some(("-", name)) if name == feature => Some(false),
            _ => None,
        });
        stated.unwrap_or_else(|| probe::implies(self, feature))
    }

    /// Whether code for another processor can be executed on this one: it has all of the other's features.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Target`] when LLVM does not know the other one, and [`LlvmError::Missing`] when LLVM's library cannot be loaded.
    pub fn executes(&self, other: &Self) -> Result<bool, LlvmError> {
        HostMachine::new(other, crate::OptLevel::O0)?;
        Ok(self.triple == other.triple && probe::has_all(self, other) == Some(true))
    }

    /// The vector width of code for the processor, in bits: 512 with all of AVX-512 F, BW, DQ and VL, 256 with AVX2,
    /// otherwise 128. To be computed once: see [`Cpu::has`].
    pub fn vector_bits(&self) -> u32 {
        match () {
            () if !self.triple.starts_with("x86_64") => 128,
            () if AVX512.iter().all(|feature| self.has(feature)) => 512,
            () if self.has("avx2") => 256,
            () => 128,
        }
    }
}

impl Cpu {
    /// Rejects names for which LLVM would print a warning, or end the process.
    fn check(&self) -> Result<(), LlvmError> {
        let failed = |message: String| Err(LlvmError::Target { message });
        let Some(names) = Names::of(&self.triple) else {
            return failed(format!("`{}` is neither an x86_64 nor an AArch64 target", self.triple));
        };
        let knows = |list: &str, name: &str| list.split_whitespace().any(|known| known == name);
        // A newer LLVM may have detected a processor that the list lacks.
        let of_host = || Self::host().is_ok_and(|host| host.triple == self.triple && host.name == self.name);
        if !self.name.is_empty() && !knows(names.processors, &self.name) && !of_host() {
            return failed(format!("LLVM 22 has no processor `{}` for {}", self.name, self.triple));
        }
        for feature in self.features.split(',').filter(|feature| !feature.is_empty()) {
            let name = feature.strip_prefix(['+', '-']);
            if name.is_none_or(|name| !knows(names.features, name)) {
                return failed(format!("LLVM 22 has no feature `{feature}` for {}", self.triple));
            }
        }
        Ok(())
    }
}

/// Takes ownership of a string from LLVM.
///
/// # Safety
///
/// `text` is null, or a NUL-terminated string to be disposed with `LLVMDisposeMessage`.
unsafe fn owned(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by this function's contract.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copy
    }
}

/// Registers LLVM's host targets, once in the process.
fn initialize() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the library is loaded; these calls only register the targets.
        #[cfg(llvm_has_x86)]
        unsafe {
            use llvm_sys::target::*;
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
            LLVMInitializeX86AsmParser();
        }
        // SAFETY: as above.
        #[cfg(llvm_has_aarch64)]
        unsafe {
            use llvm_sys::target::*;
            LLVMInitializeAArch64TargetInfo();
            LLVMInitializeAArch64Target();
            LLVMInitializeAArch64TargetMC();
            LLVMInitializeAArch64AsmPrinter();
            LLVMInitializeAArch64AsmParser();
        }
        set_options();
    });
}

/// Keeps the time of instruction scheduling linear in the size of the code. A kernel is one block of thousands of instructions, most of which access
/// memory, and both of LLVM's schedulers compare each access with all others of a region:
///
/// - The post-RA scheduler takes more than half of the whole compile time if vectors are short and many values are spilled. It targets
///   in-order processors, but is enabled for some that are not, such as AMD's.
/// - The pre-RA scheduler stops comparing once a number of accesses is known (LLVM's default is 1000). With 200 the registers of `mma.sync` were spilled,
///   which took a quarter more time; with 400 code is as fast as without a limit.
fn set_options() {
    let options =
        [c"ptx-llvm".as_ptr(), c"-post-RA-scheduler=false".as_ptr(), c"-dag-maps-huge-region=400".as_ptr()];
    // SAFETY: the strings are NUL-terminated and only read; the caller runs once, and code generation needs a machine that is created afterwards, so that
    // no code of this library reads the options meanwhile.
    unsafe { LLVMParseCommandLineOptions(options.len() as i32, options.as_ptr(), std::ptr::null()) };
}
