//! The target machine of a host processor: optimization, object files, assembly.

use std::cell::OnceCell;
use std::fmt;

use inkwell::OptimizationLevel;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, FileType, RelocMode, Target, TargetMachine, TargetTriple};

use super::{Cpu, blend, bounds, forward, initialize, lanes, masks};
use crate::build::{Function, Types};
use crate::module::bytes_of;
use crate::pass::{reject_reported_errors, with_messages};
use crate::{LlvmError, Module, OptLevel};

/// LLVM's target machine for one host processor: position-independent code of the small code model.
///
/// It is for one thread; creating another takes less than a millisecond. Process-wide options that [`crate::Machine`] has set apply
/// to its pipelines, too; it sets none itself.
pub struct HostMachine {
    cpu: Cpu,
    vector_bits: OnceCell<u32>,
    inner: TargetMachine,
}

impl HostMachine {
    /// The target machine for `cpu`; `level` is the optimization level of instruction selection and later passes.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Target`] when LLVM has no target for the triple, or no such processor or feature, [`LlvmError::Missing`] when its library cannot be loaded.
    pub fn new(cpu: &Cpu, level: OptLevel) -> Result<Self, LlvmError> {
        crate::library::load()?;
        initialize();
        let failed = |message: String| LlvmError::Target { message };
        if cpu.triple.contains('\0') {
            return Err(failed("the target triple contains a NUL character".to_owned()));
        }
        cpu.check()?;
        let triple = TargetTriple::create(&cpu.triple);
        let target = Target::from_triple(&triple).map_err(|message| failed(message.to_string()))?;
        let level = match level {
            OptLevel::O0 => OptimizationLevel::None,
            OptLevel::O1 => OptimizationLevel::Less,
            OptLevel::O2 | OptLevel::Os | OptLevel::Oz => OptimizationLevel::Default,
            OptLevel::O3 => OptimizationLevel::Aggressive,
        };
        let (name, features) = (cpu.name.as_str(), cpu.features.as_str());
        target
            .create_target_machine(&triple, name, features, level, RelocMode::PIC, CodeModel::Small)
            .map(|inner| Self { cpu: cpu.clone(), vector_bits: OnceCell::new(), inner })
            .ok_or_else(|| failed(format!("LLVM has no target machine for {}", cpu.triple)))
    }

    /// The processor.
    pub fn cpu(&self) -> &Cpu {
        &self.cpu
    }

    /// LLVM's data layout for the processor.
    pub fn data_layout(&self) -> String {
        self.inner.get_target_data().get_data_layout().as_str().to_string_lossy().into_owned()
    }

    /// The vector width of code for the processor, in bits ([`Cpu::vector_bits`]).
    pub fn vector_bits(&self) -> u32 {
        *self.vector_bits.get_or_init(|| self.cpu.vector_bits())
    }

    /// Sets the triple and data layout of a module to those of the processor, instead of the GPU's.
    pub fn set_up(&self, module: &mut Module<'_>) {
        module.inkwell().set_triple(&TargetTriple::create(&self.cpu.triple));
        module.set_data_layout(&self.data_layout());
    }

    /// Adds the attributes that select the processor's instructions and full vector width to a function. Every
    /// function with a body needs them: otherwise LLVM compiles it for the triple's oldest processor and cannot inline others into it.
    pub fn set_function(&self, types: Types<'_>, function: Function<'_>) {
        if !self.cpu.name.is_empty() {
            function.add_attribute(types, "target-cpu", &self.cpu.name);
        }
        if !self.cpu.features.is_empty() {
            function.add_attribute(types, "target-features", &self.cpu.features);
        }
        if self.vector_bits() > 128 {
            // LLVM splits 512-bit vectors on some processors because of their clock frequency, and then k-registers no longer fit.
            function.add_attribute(types, "prefer-vector-width", &self.vector_bits().to_string());
        }
    }

    /// Runs a pipeline, in the text form of `opt --passes`, with the processor's cost model. LLVM's vectorizers and loop
    /// interleaving are disabled. The result is not verified.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Pipeline`] when LLVM does not understand the text, [`LlvmError::Target`] when the module was not set up
    /// for the processor, [`LlvmError::Other`] when a pass reports an error.
    pub fn optimize(&self, module: &mut Module<'_>, pipeline: &str) -> Result<(), LlvmError> {
        if pipeline.contains('\0') {
            return Err(LlvmError::Pipeline { message: "the text contains a NUL character".to_owned() });
        }
        self.check(module)?;
        let marked = forbid_vectorizers(module);
        let result = self.run(module, pipeline);
        marked.clear(module);
        result?;
        if self.cpu.triple.starts_with("x86_64") && self.cpu.has("avx512f") {
            blend::split_masked_selections(module)?;
        }
        let has_distances = bounds::compare_distances(module)?;
        let has_unread = lanes::remove_unread_lanes(module)?;
        if forward::forward_stores(module)? {
            // Removes stores that have no loads left, if later ones overwrite them.
            self.run(module, "dse")?;
        }
        if has_unread || has_distances {
            // What only computed operands that are used no more.
            self.run(module, "dce")?;
        }
        // With 512 bits there are mask registers; with 128 LLVM keeps masks in a form that costs less than another comparison.
        if self.vector_bits() == 256 {
            masks::widen_masks(module, self.vector_bits())?;
        }
        Ok(())
    }

    pub(super) fn run(&self, module: &mut Module<'_>, pipeline: &str) -> Result<(), LlvmError> {
        let options = PassBuilderOptions::create();
        let run = || module.inkwell().run_passes(pipeline, &self.inner, options);
        let (result, reported) = with_messages(module.context(), run);
        result.map_err(|message| LlvmError::Pipeline { message: message.to_string() })?;
        reject_reported_errors(reported, module.context())
    }

    /// Emits an object file. Code generation changes the module, so that it is consumed.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Target`] when the module was not set up for the processor, [`LlvmError::Other`] for what the backend reports.
    pub fn emit_object(&self, module: Module<'_>) -> Result<Vec<u8>, LlvmError> {
        self.emit(&module, FileType::Object)
    }

    /// Emits assembly, in the target's usual syntax.
    ///
    /// # Errors
    ///
    /// As [`HostMachine::emit_object`].
    pub fn emit_assembly(&self, module: Module<'_>) -> Result<String, LlvmError> {
        let mut bytes = self.emit(&module, FileType::Assembly)?;
        // Some versions of LLVM count the NUL byte after the text, others do not.
        if bytes.last() == Some(&0) {
            bytes.pop();
        }
        String::from_utf8(bytes).map_err(|error| LlvmError::Other { message: error.to_string() })
    }

    fn emit(&self, module: &Module<'_>, kind: FileType) -> Result<Vec<u8>, LlvmError> {
        self.check(module)?;
        let emit = || self.inner.write_to_memory_buffer(module.inkwell(), kind);
        let (result, reported) = with_messages(module.context(), emit);
        reject_reported_errors(reported, module.context())?;
        let buffer = result.map_err(|message| LlvmError::Other { message: message.to_string() })?;
        Ok(bytes_of(&buffer).to_vec())
    }

    /// Rejects a module with another data layout than the machine's, for which LLVM would end the process.
    fn check(&self, module: &Module<'_>) -> Result<(), LlvmError> {
        let layout = module.data_layout();
        if layout == self.data_layout() {
            return Ok(());
        }
        let message = format!("the module has the data layout `{layout}`, not that of {}", self.cpu.triple);
        Err(LlvmError::Target { message })
    }

    /// LLVM's target machine, now owned by the caller.
    pub(super) fn into_raw(self) -> llvm_sys::target_machine::LLVMTargetMachineRef {
        let raw = self.inner.as_mut_ptr();
        std::mem::forget(self.inner);
        raw
    }
}

/// The attribute that disables LLVM's vectorizers for a function. For code generation it also means that memory is copied without vector
/// registers, so it is only present during the pipeline.
const FORBIDDING: &str = "noimplicitfloat";

/// Marks the functions that did not have it before.
const MARK: &str = "ptx.vectorized";

/// Functions with [`FORBIDDING`] and [`MARK`].
struct Marked {
    kind: u32,
}

/// Disables LLVM's vectorizers for the functions of a module. Pipeline options do not: LLVM decides on its vectorizers when it
/// parses `default<O2>`, with all options.
fn forbid_vectorizers(module: &mut Module<'_>) -> Marked {
    let context = module.context().inkwell();
    let kind = Attribute::get_named_enum_kind_id(FORBIDDING);
    let mark = context.create_string_attribute(MARK, "");
    let forbidding = context.create_enum_attribute(kind, 0);
    for function in module.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0) {
        if function.get_enum_attribute(AttributeLoc::Function, kind).is_none() {
            function.add_attribute(AttributeLoc::Function, forbidding);
            function.add_attribute(AttributeLoc::Function, mark);
        }
    }
    Marked { kind }
}

impl Marked {
    fn clear(self, module: &mut Module<'_>) {
        for function in module.inkwell().get_functions() {
            if function.get_string_attribute(AttributeLoc::Function, MARK).is_some() {
                function.remove_string_attribute(AttributeLoc::Function, MARK);
                function.remove_enum_attribute(AttributeLoc::Function, self.kind);
            }
        }
    }
}

impl fmt::Debug for HostMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostMachine").field("cpu", &self.cpu).finish_non_exhaustive()
    }
}
