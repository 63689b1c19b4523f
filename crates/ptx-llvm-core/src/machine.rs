//! The NVPTX target machine: which GPU the pipelines and LLVM's backend work for.

use std::ptr;
use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};
use llvm_sys::support::LLVMParseCommandLineOptions;

use crate::address_space;
use crate::addresses::{Addresses, TRIPLE};
use crate::error::LlvmError;
use crate::module::Module;
use crate::view::{CastOp, Op, Type, View};

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
    /// Like O2, but small.
    Os,
    /// As small as possible.
    Oz,
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

/// The processor of a module that names none.
const USUAL_PROCESSOR: &str = "sm_75";

/// The oldest PTX version (times ten) that comes of raising for processors that have it.
const OLDEST_RAISED: u32 = 60;

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
    /// The bits of addresses, as the target triple of a module specifies them; of 64 bits where this is left open.
    pub addresses: Option<Addresses>,
}

impl Gpu {
    /// What the module's functions ask for: the highest processor and version among their attributes, and the module's addresses.
    pub fn of_module(module: &Module<'_>) -> Self {
        let mut gpu = Gpu { addresses: Some(module.addresses()), ..Gpu::default() };
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
        Self {
            cpu: self.cpu.or(other.cpu),
            ptx_version: self.ptx_version.or(other.ptx_version),
            addresses: self.addresses.or(other.addresses),
        }
    }

    /// The nearest GPU that LLVM 22 knows, with a PTX version as high as raising goes for it: good enough for the cost model of
    /// the pipelines, not for LLVM's backend. Where no processor is named it is the one that raising takes first.
    #[must_use]
    pub fn for_pipelines(self) -> Self {
        let cpu = nearest_processor(self.cpu.as_deref().unwrap_or(USUAL_PROCESSOR));
        // A newer processor without a version has LLVM's first one for it, which has everything that costs depend on.
        let version = generation(cpu).is_none_or(|(number, _)| number < 70).then_some(OLDEST_RAISED);
        Self { cpu: Some(cpu.to_owned()), ptx_version: version, addresses: self.addresses }
    }
}

/// The number in `sm_90a` and the letter that follows, for comparing; names of another form have none and come first.
fn generation(cpu: &str) -> Option<(u32, &str)> {
    let rest = cpu.strip_prefix("sm_")?;
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    Some((digits.parse().ok()?, &rest[digits.len()..]))
}

/// LLVM's NVPTX target for one GPU: it supplies the cost model of the pipelines and the code generator.
///
/// Making the first one sets LLVM's options for the process: what only one side of a branch needs is moved neither past the branch nor
/// before it.
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
        // Default: LLVM takes its oldest processor for an empty name.
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
        // Default: 64 bits, as `Gpu::addresses` documents.
        let name = gpu.addresses.unwrap_or_default().triple();
        let triple = TargetTriple::create(name);
        let target = Target::from_triple(&triple).map_err(|message| target_error(message.to_string()))?;
        let level = match level {
            OptLevel::O0 => OptimizationLevel::None,
            OptLevel::O1 => OptimizationLevel::Less,
            OptLevel::O2 | OptLevel::Os | OptLevel::Oz => OptimizationLevel::Default,
            OptLevel::O3 => OptimizationLevel::Aggressive,
        };
        target
            .create_target_machine(&triple, cpu, &features, level, RelocMode::Default, CodeModel::Default)
            .map(|inner| Self { inner })
            .ok_or_else(|| target_error(format!("LLVM has no target machine for {name}")))
    }

    /// The number of the processor: 90 for `sm_90a`; `None` when none was named.
    pub(crate) fn processor_number(&self) -> Option<u32> {
        generation(&self.inner.get_cpu().to_string_lossy()).map(|(number, _)| number)
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

/// Makes the NVPTX target known to LLVM and sets the options of its passes, once in the process.
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
        set_options();
    });
}

/// Keeps InstCombine from moving what only one side of a branch needs to that side. `ptxas` moves nothing from block to block: one
/// group of predicated stores that takes in the sums of its addresses is too long for predicates then, and the branch that is left
/// of it parts the addresses of all later groups from their stores, so that they wait in registers
/// (docs/roundtrip.md, "Why functions differ, grow or spill"). LLVM has this as an option of the process alone.
///
/// Nor is such work done before the branch: for targets whose threads diverge LLVM's pipelines have a pass, speculative-execution, that moves
/// cheap instructions of one side there, in the hope that both sides have them, and count on InstCombine to take the others back. It
/// gives up at the first instruction that stays, which the branch at the end of a side always is.
///
/// And SimplifyCFG computes one instruction of the sides of a branch on every way, with a select after it, instead of up to four: where `ptxas` had
/// predicates (`@!P0 FFMA`, `@!P0 IADD3`) it has the same and selects then, and loops that were short enough to be unrolled are too long.
///
/// Dead store elimination puts the constant of a store into that of an earlier, wider one, also if the later one is volatile and would be lost.
fn set_options() {
    let options = [
        c"ptx-llvm".as_ptr(),
        c"-instcombine-code-sinking=0".as_ptr(),
        c"-spec-exec-max-not-hoisted=0".as_ptr(),
        c"-two-entry-phi-node-folding-threshold=1".as_ptr(),
        c"-enable-dse-partial-store-merging=0".as_ptr(),
    ];
    // SAFETY: the strings end in NUL and are only read; the caller runs once, and passes need the machine that it makes
    // first, so that none of this library's reads the options meanwhile.
    unsafe { LLVMParseCommandLineOptions(options.len() as i32, options.as_ptr(), ptr::null()) };
}

/// How wide the addresses of a module were when it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressWidth {
    /// As its target triple specifies.
    Own,
    /// Triple and data layout differ: one of them is for 32 bits. The module has been given addresses of 64 bits.
    Widened,
    /// There is no target triple, and the data layout is for 32 bits, which is taken.
    NarrowByLayout,
}

/// Checks that the module is for one of LLVM's targets for PTX; one that names no target at all is given that of its data layout.
///
/// A data layout of an older LLVM, or of a host whose C types it shares, is replaced by LLVM 22's, as llc does: they
/// agree on what matters to a GPU module, byte order and the width of pointers. A module of which only the triple or only the data layout
/// is for 32-bit addresses is given addresses of 64 bits, as `llc -mtriple=nvptx64` gives it, unless it takes addresses for numbers
/// of 32 bits. A caller that shares data with such a module has to know, so the result tells it.
///
/// # Errors
///
/// [`LlvmError::Target`] for another architecture or byte order, and for 32-bit modules that depend on the width.
pub fn check_target(module: &Module<'_>) -> Result<AddressWidth, LlvmError> {
    let inner = module.inkwell();
    let triple = inner.get_triple();
    let named = triple.as_str().to_string_lossy().into_owned();
    let layout = module.data_layout();
    let width = pointer_width(&layout);
    let is_narrow_layout = width == Some("32");
    let narrow = match Addresses::of_triple(&named) {
        Some(addresses) => addresses == Addresses::Bits32,
        None if named.is_empty() => is_narrow_layout,
        None => {
            let message = format!("the module is for `{named}`, not for `{TRIPLE}`");
            return Err(LlvmError::Target { message });
        }
    };
    if is_big_endian(&layout) || !matches!(width, None | Some("32" | "64")) {
        let own = if narrow { Addresses::Bits32 } else { Addresses::Bits64 }.data_layout();
        let message = format!("the module has the data layout `{layout}`, the target has `{own}`");
        return Err(LlvmError::Target { message });
    }
    let widened = narrow != is_narrow_layout && !(narrow && layout.is_empty());
    let addresses = if narrow && !widened { Addresses::Bits32 } else { Addresses::Bits64 };
    if named.is_empty() {
        inner.set_triple(&TargetTriple::create(addresses.triple()));
    }
    if widened {
        refuse_narrow_addresses(module)?;
        // What follows the architecture stays: it names which of CUDA and OpenCL drives the module.
        let wide = match named.split_once('-') {
            Some((_, rest)) => format!("nvptx64-{rest}"),
            None => TRIPLE.to_owned(),
        };
        inner.set_triple(&TargetTriple::create(&wide));
    }
    if layout != addresses.data_layout() {
        module.set_data_layout(addresses.data_layout());
    }
    Ok(if widened {
        AddressWidth::Widened
    } else if named.is_empty() && narrow {
        AddressWidth::NarrowByLayout
    } else {
        AddressWidth::Own
    })
}

fn is_big_endian(layout: &str) -> bool {
    layout.split('-').any(|part| part == "E")
}

/// The width of pointers in address space 0 that a data layout states; LLVM's default is 64.
fn pointer_width(layout: &str) -> Option<&str> {
    let stated =
        layout.split('-').find_map(|part| part.strip_prefix("p:").or_else(|| part.strip_prefix("p0:")));
    stated.and_then(|rest| rest.split(':').next())
}

/// Refuses a 32-bit module that takes generic or global addresses for numbers of 32 bits, or the other way round: with wider
/// addresses it would lose half of them.
fn refuse_narrow_addresses(module: &Module<'_>) -> Result<(), LlvmError> {
    let view = View::new(module)?;
    for function in &view.functions {
        for inst in &function.insts {
            let Op::Cast { op, value, .. } = inst.op else { continue };
            let Some(from) = view.value_type(function, value) else { continue };
            let (pointer, number) = match op {
                CastOp::PtrToInt | CastOp::PtrToAddr => (from, inst.ty),
                CastOp::IntToPtr => (inst.ty, from),
                _ => continue,
            };
            let (Type::Pointer { space }, Type::Int { bits }) = (view.ty(pointer), view.ty(number)) else {
                continue;
            };
            if *bits < 64 && matches!(*space, address_space::GENERIC | address_space::GLOBAL) {
                let message = format!(
                    "the module has the target triple or the data layout of 32-bit addresses, not both, and function {} takes an address for a number of {bits} bits",
                    function.name
                );
                return Err(LlvmError::Target { message });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, DATA_LAYOUT};

    #[test]
    fn layouts_say_how_wide_pointers_are() {
        for (layout, width) in [
            (DATA_LAYOUT, None),
            ("e-p:64:64:64-i1:8:8-n16:32:64", Some("64")),
            ("e-p:32:32:32-i1:8:8", Some("32")),
            ("e-i64:64-p0:16:16", Some("16")),
        ] {
            assert_eq!((pointer_width(layout), is_big_endian(layout)), (width, false), "{layout}");
        }
        assert!(is_big_endian("E-p:64:64"));
    }

    #[test]
    fn modules_of_32_bits_are_widened_unless_they_count_on_the_width() {
        let context = Context::new().expect("LLVM 22");
        let read = |text: &str| {
            let text = format!(
                "target datalayout = \"e-p:32:32\"\ntarget triple = \"nvptx64-nvidia-cuda\"
{text}"
            );
            let module = Module::parse(&context, "m", text.as_bytes()).expect("valid LLVM IR");
            check_target(&module).map(|width| (width, module.data_layout()))
        };
        let plain = read(
            "define ptr @f(ptr %p, i32 %i) {
 %q = getelementptr i32, ptr %p, i32 %i
 ret ptr %q
}",
        );
        assert_eq!(plain.expect("taken"), (AddressWidth::Widened, DATA_LAYOUT.to_owned()));
        for cast in ["%q = ptrtoint ptr %p to i32", "%q = inttoptr i32 %i to ptr addrspace(1)"] {
            let text = format!(
                "define void @f(ptr %p, i32 %i) {{
 {cast}
 ret void
}}"
            );
            assert!(read(&text).expect_err("refused").to_string().contains("32-bit addresses"));
        }
        assert!(
            read(
                "define i32 @f(ptr addrspace(3) %p) {
 %q = ptrtoint ptr addrspace(3) %p to i32
 ret i32 %q
}"
            )
            .is_ok()
        );
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
