//! Linking a library of LLVM IR into a module: what the module asks for and what that needs, nothing else.

use std::collections::{BTreeMap, BTreeSet};

use inkwell::attributes::AttributeLoc;
use inkwell::module::{FlagBehavior, Linkage};
use inkwell::values::{FunctionValue, GlobalValue};
use llvm_sys::linker::LLVMLinkModules2;

use crate::error::LlvmError;
use crate::machine::{AddressWidth, Machine, check_target};
use crate::module::Module;
use crate::pass::{reject_reported_errors, run_passes, with_messages};
use crate::reflect::answer_architecture;

/// What `__nvvm_reflect("__CUDA_FTZ")` answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FlushToZero {
    /// 0: subnormal numbers are kept.
    #[default]
    No,
    /// 1: subnormal single-precision numbers count as zero.
    Yes,
}

/// Why a library does not go with a module, by the name it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkConflict {
    /// Both define the name.
    Twice(String),
    /// The module declares it with another type than the library defines: name, declared and defined type.
    Type(String, String, String),
}

/// Attributes of functions that say what they are compiled for.
const TARGET_ATTRIBUTES: [&str; 2] = ["target-cpu", "target-features"];

impl<'c> Module<'c> {
    /// What speaks against linking `library` into this module; empty when nothing does.
    pub fn link_conflicts(&self, library: &Module<'c>) -> Vec<LinkConflict> {
        let own = definitions(self);
        let mut conflicts = Vec::new();
        for (name, weight) in definitions(library) {
            match own.get(&name) {
                Some(Weight::Strong) if weight == Weight::Strong => conflicts.push(LinkConflict::Twice(name)),
                Some(_) => {}
                None => conflicts.extend(self.type_conflict(library, name)),
            }
        }
        conflicts
    }

    /// A function that is called as another type than it has would be called wrong.
    fn type_conflict(&self, library: &Module<'c>, name: String) -> Option<LinkConflict> {
        let text = |function: FunctionValue<'c>| function.get_type().print_to_string().to_string();
        let declared = text(self.inkwell().get_function(&name)?);
        let defined = text(library.inkwell().get_function(&name)?);
        (declared != defined).then_some(LinkConflict::Type(name, declared, defined))
    }

    /// Links what this module declares and `library` defines, with what that needs; all of it becomes internal. Questions to
    /// `__nvvm_reflect` in it are answered for the GPU of `machine`. [`Module::link_conflicts`] must have found nothing.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Target`] when the library is for another target, else what LLVM's passes and its linker say.
    pub fn link_needed(
        &mut self,
        mut library: Module<'c>,
        machine: &Machine,
        flush: FlushToZero,
    ) -> Result<(), LlvmError> {
        let width = check_target(&library)?;
        let (own, other) = (self.addresses(), library.addresses());
        if width == AddressWidth::Widened || own != other {
            let bits = if width == AddressWidth::Widened { 32 } else { other.bits() };
            return Err(LlvmError::Target { message: format!("the library is for {bits}-bit addresses") });
        }
        library.inkwell().set_triple(&self.inkwell().get_triple());
        library.set_data_layout(own.data_layout());
        let wanted: BTreeSet<String> = declarations(self);
        let defined = definitions(&library);
        let needed: Vec<String> = defined.into_keys().filter(|name| wanted.contains(name)).collect();
        if needed.is_empty() {
            return Ok(());
        }
        keep_only(&mut library, &needed);
        if flush == FlushToZero::Yes {
            let one = library.context().inkwell().i32_type().const_int(1, false);
            library.inkwell().add_basic_value_flag("nvvm-reflect-ftz", FlagBehavior::Override, one);
        }
        // Without a processor LLVM's pass answers 0.
        if let Some(number) = machine.processor_number() {
            answer_architecture(&mut library, number)?;
        }
        run_passes(&mut library, "nvvm-reflect,globaldce", machine)?;
        self.dress(&library);
        self.take(library)?;
        for name in &needed {
            if let Some(function) = self.inkwell().get_function(name) {
                function.set_linkage(Linkage::Internal);
            }
            if let Some(global) = self.inkwell().get_global(name) {
                global.set_linkage(Linkage::Internal);
            }
        }
        self.verify()
    }

    /// Links everything of another module into this one, which has the same target. Names are unique, but for internal ones.
    ///
    /// # Errors
    ///
    /// What LLVM's linker refuses.
    pub fn link_whole(&mut self, other: Module<'c>) -> Result<(), LlvmError> {
        self.take(other)
    }

    /// Gives the library's functions the target attributes of this module's, so that they can be inlined.
    fn dress(&mut self, library: &Module<'c>) {
        let model = self.inkwell().get_functions().find(|function| function.count_basic_blocks() > 0);
        let Some(model) = model else { return };
        for key in TARGET_ATTRIBUTES {
            let Some(attribute) = model.get_string_attribute(AttributeLoc::Function, key) else { continue };
            for function in library.inkwell().get_functions().filter(|f| f.count_basic_blocks() > 0) {
                function.add_attribute(AttributeLoc::Function, attribute);
            }
        }
    }

    fn take(&mut self, library: Module<'c>) -> Result<(), LlvmError> {
        let source = library.into_raw();
        // SAFETY: both modules are alive and of one context; the linker destroys the source, which no one owns any more.
        let link = || unsafe { LLVMLinkModules2(self.raw(), source) };
        let (failed, reported) = with_messages(self.context(), link);
        reject_reported_errors(reported, self.context())?;
        if failed != 0 {
            return Err(LlvmError::Other { message: "LLVM cannot link the library".to_owned() });
        }
        Ok(())
    }
}

/// How a definition ranks against another of its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Weight {
    Strong,
    Weak,
}

fn weight(linkage: Linkage) -> Option<Weight> {
    match linkage {
        Linkage::Internal | Linkage::Private | Linkage::AvailableExternally => None,
        Linkage::WeakAny
        | Linkage::WeakODR
        | Linkage::LinkOnceAny
        | Linkage::LinkOnceODR
        | Linkage::LinkOnceODRAutoHide
        | Linkage::Common
        | Linkage::ExternalWeak => Some(Weight::Weak),
        _ => Some(Weight::Strong),
    }
}

fn name_of_function(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

fn name_of_global(global: GlobalValue<'_>) -> String {
    global.get_name().to_string_lossy().into_owned()
}

/// The names a module defines for others.
fn definitions(module: &Module<'_>) -> BTreeMap<String, Weight> {
    let functions = module.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0);
    let functions = functions.filter_map(|f| Some((name_of_function(f), weight(f.get_linkage())?)));
    let globals = module.inkwell().get_globals().filter(|global| global.get_initializer().is_some());
    let globals = globals.filter_map(|g| Some((name_of_global(g), weight(g.get_linkage())?)));
    functions.chain(globals).filter(|(name, _)| !name.starts_with("llvm.")).collect()
}

/// The names a module asks others for.
fn declarations(module: &Module<'_>) -> BTreeSet<String> {
    let functions = module.inkwell().get_functions().filter(|function| function.count_basic_blocks() == 0);
    let globals = module.inkwell().get_globals().filter(|global| global.get_initializer().is_none());
    let names = functions.map(name_of_function).chain(globals.map(name_of_global));
    names.filter(|name| !name.starts_with("llvm.")).collect()
}

/// Makes everything that a library defines internal but for these names.
fn keep_only(library: &mut Module<'_>, names: &[String]) {
    let keep = |name: &String| names.contains(name) || name.starts_with("llvm.");
    for function in library.inkwell().get_functions() {
        if function.count_basic_blocks() > 0 && !keep(&name_of_function(function)) {
            function.set_linkage(Linkage::Internal);
        }
    }
    for global in library.inkwell().get_globals() {
        if global.get_initializer().is_some() && !keep(&name_of_global(global)) {
            global.set_linkage(Linkage::Internal);
        }
    }
}
