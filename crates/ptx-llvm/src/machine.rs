//! The NVPTX target machine: which GPU the pipelines and LLVM's backend work for.

use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};

use crate::error::LlvmError;
use crate::module::Module;
use crate::{DATA_LAYOUT, TRIPLE};

/// How hard LLVM works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, PartialOrd, Ord)]
pub enum OptLevel {
    /// Nothing is changed.
    #[default]
    O0,
    /// Little.
    O1,
    /// What is usually wanted.
    O2,
    /// Everything.
    O3,
}

/// The processors LLVM 22's NVPTX target knows; it prints a warning about any other, which a library must not.
const PROCESSORS: [&str; 40] = [
    "sm_20", "sm_21", "sm_30", "sm_32", "sm_35", "sm_37", "sm_50", "sm_52", "sm_53", "sm_60", "sm_61",
    "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a",
    "sm_100", "sm_100a", "sm_100f", "sm_101", "sm_101a", "sm_101f", "sm_103", "sm_103a", "sm_103f", "sm_110",
    "sm_110a", "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f",
];

/// The PTX versions LLVM 22's NVPTX target knows, as ten times the version.
const VERSIONS: [u32; 31] = [
    32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84,
    85, 86, 87, 88, 90,
];

/// The newest PTX version (times ten) that LLVM's NVPTX target knows and that is no newer than `version`; its oldest
/// for versions before that. LLVM ignores a version that it does not know, and then selects for its oldest.
pub fn nearest_version(version: u32) -> u32 {
    let known = VERSIONS.iter().copied().take_while(|&known| known <= version);
    known.last().unwrap_or(VERSIONS[0])
}

/// The processor that LLVM's NVPTX target knows and that comes nearest to `name` (such as `sm_107a`) from below:
/// the same one, else the highest of a lower number without a letter, else its oldest.
pub fn nearest_processor(name: &str) -> &'static str {
    if let Some(known) = PROCESSORS.iter().find(|known| **known == name) {
        return known;
    }
    let wanted = generation(name);
    let plain = PROCESSORS.iter().filter(|known| known.ends_with(|c: char| c.is_ascii_digit()));
    plain.take_while(|known| generation(known) <= wanted).last().unwrap_or(&PROCESSORS[0])
}

/// A GPU and a PTX version in LLVM's terms; what is `None` is left to LLVM's default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Gpu {
    /// The processor, as in `"target-cpu"="sm_80"`.
    pub cpu: Option<String>,
    /// Ten times the PTX version, as in `"target-features"="+ptx80"`.
    pub ptx_version: Option<u32>,
}

impl Gpu {
    /// What the module's functions ask for: the highest processor and version among their attributes.
    pub fn of_module(module: &Module<'_>) -> Self {
        let mut gpu = Gpu::default();
        for function in module.inkwell().get_functions() {
            let text = |key| {
                let attribute = function.get_string_attribute(AttributeLoc::Function, key)?;
                attribute.get_string_value().to_str().ok().map(str::to_owned)
            };
            if let Some(cpu) = text("target-cpu") {
                let higher = gpu.cpu.as_deref().is_none_or(|old| generation(&cpu) > generation(old));
                gpu.cpu = if higher { Some(cpu) } else { gpu.cpu };
            }
            if let Some(features) = text("target-features") {
                let versions = features.split(',').filter_map(|f| f.strip_prefix("+ptx")?.parse().ok());
                gpu.ptx_version = gpu.ptx_version.max(versions.max());
            }
        }
        gpu
    }

    /// This GPU, with `other` for what it leaves open.
    #[must_use]
    pub fn or(self, other: Gpu) -> Self {
        Self { cpu: self.cpu.or(other.cpu), ptx_version: self.ptx_version.or(other.ptx_version) }
    }

    /// The nearest GPU that LLVM 22 knows: good enough for the cost model of the pipelines, not for its backend.
    #[must_use]
    pub fn nearest_known(self) -> Self {
        let known = |cpu: &String| PROCESSORS.contains(&cpu.as_str());
        let version =
            self.ptx_version.and_then(|wanted| VERSIONS.iter().rev().find(|&&v| v <= wanted).copied());
        Self { cpu: self.cpu.filter(known), ptx_version: version }
    }
}

/// The number in `sm_90a` and whether a letter follows, for comparing; names of another form come first.
fn generation(cpu: &str) -> (u32, &str) {
    let rest = cpu.strip_prefix("sm_").unwrap_or_default();
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    (digits.parse().unwrap_or(0), &rest[digits.len()..])
}

/// LLVM's NVPTX target for one GPU: it supplies the cost model of the pipelines and the code generator.
pub struct Machine {
    inner: TargetMachine,
}

impl Machine {
    /// The target machine for `gpu`.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Target`] for a processor or version LLVM 22 does not know, [`LlvmError::Missing`] when its library
    /// cannot be loaded.
    pub fn new(gpu: &Gpu, level: OptLevel) -> Result<Self, LlvmError> {
        crate::library::load()?;
        initialize();
        let target_error = |message: String| LlvmError::Target { message };
        let cpu = gpu.cpu.as_deref().unwrap_or_default();
        if !cpu.is_empty() && !PROCESSORS.contains(&cpu) {
            return Err(target_error(format!("LLVM 22 has no processor `{cpu}`")));
        }
        let features = match gpu.ptx_version {
            None => String::new(),
            Some(version) if VERSIONS.contains(&version) => format!("+ptx{version}"),
            Some(version) => {
                let (major, minor) = (version / 10, version % 10);
                return Err(target_error(format!("LLVM 22 has no PTX version {major}.{minor}")));
            }
        };
        let triple = TargetTriple::create(TRIPLE);
        let target = Target::from_triple(&triple).map_err(|message| target_error(message.to_string()))?;
        let level = match level {
            OptLevel::O0 => OptimizationLevel::None,
            OptLevel::O1 => OptimizationLevel::Less,
            OptLevel::O2 => OptimizationLevel::Default,
            OptLevel::O3 => OptimizationLevel::Aggressive,
        };
        target
            .create_target_machine(&triple, cpu, &features, level, RelocMode::Default, CodeModel::Default)
            .map(|inner| Self { inner })
            .ok_or_else(|| target_error(format!("LLVM has no target machine for {TRIPLE}")))
    }

    pub(crate) fn inner(&self) -> &TargetMachine {
        &self.inner
    }
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("cpu", &self.inner.get_cpu()).finish_non_exhaustive()
    }
}

/// Makes the NVPTX target known to LLVM, once in the process.
fn initialize() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let config = InitializationConfig {
            asm_parser: false,
            asm_printer: true,
            base: true,
            disassembler: false,
            info: true,
            machine_code: true,
        };
        Target::initialize_nvptx(&config);
    });
}

/// Checks that the module is for this target; one that names no target at all is given ours.
///
/// A data layout of an older LLVM, or of a host whose C types it shares, is replaced by LLVM 22's, as llc does: they
/// agree on what matters to a GPU module, byte order and the width of pointers.
///
/// # Errors
///
/// [`LlvmError::Target`] for another architecture, byte order or width of pointers.
pub fn check_target(module: &Module<'_>) -> Result<(), LlvmError> {
    let inner = module.inkwell();
    let triple = inner.get_triple();
    match triple.as_str().to_bytes() {
        b"" => inner.set_triple(&TargetTriple::create(TRIPLE)),
        name if name == b"nvptx64" || name.starts_with(b"nvptx64-") => {}
        other => {
            let other = String::from_utf8_lossy(other);
            return Err(LlvmError::Target {
                message: format!("the module is for `{other}`, not for `{TRIPLE}`"),
            });
        }
    }
    let layout = module.data_layout();
    if !is_compatible(&layout) {
        let message = format!("the module has the data layout `{layout}`, the target has `{DATA_LAYOUT}`");
        return Err(LlvmError::Target { message });
    }
    if layout != DATA_LAYOUT {
        module.set_data_layout(DATA_LAYOUT);
    }
    Ok(())
}

/// Whether a data layout is little endian and has pointers of 64 bits in address space 0 (64 is LLVM's default).
fn is_compatible(layout: &str) -> bool {
    layout.split('-').all(|part| {
        let pointer = part.strip_prefix("p:").or_else(|| part.strip_prefix("p0:"));
        let width = pointer.and_then(|rest| rest.split(':').next());
        part != "E" && width.is_none_or(|bits| bits == "64")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_with_another_byte_order_or_pointer_width_are_refused() {
        for layout in [DATA_LAYOUT, "", "e-i64:64-v16:16-v32:32-n16:32:64", "e-p:64:64:64-i1:8:8-n16:32:64"] {
            assert!(is_compatible(layout), "{layout}");
        }
        for layout in ["E-p:64:64", "E", "e-p:32:32:32-i1:8:8", "e-p0:32:32", "e-i64:64-p:16:16"] {
            assert!(!is_compatible(layout), "{layout}");
        }
    }

    #[test]
    fn what_llvm_does_not_know_becomes_the_nearest_older_one() {
        assert_eq!((nearest_version(95), nearest_version(88), nearest_version(14)), (90, 88, 32));
        for (name, known) in
            [("sm_90a", "sm_90a"), ("sm_107a", "sm_103"), ("sm_13", "sm_20"), ("sm_999", "sm_121")]
        {
            assert_eq!(nearest_processor(name), known);
        }
    }
}
