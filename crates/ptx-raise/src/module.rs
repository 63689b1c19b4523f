//! The module: its directives in an order that PTX accepts.
//!
//! PTX requires that a name is declared before it is used: prototypes come first, then variables (after those that they
//! point to), then functions in LLVM's order.

use rustc_hash::FxHashSet as HashSet;

use ptx_diag::Diagnostics;
use ptx_ir::{At, FunctionKind, Item, TargetSpec, VarAttribute, VarType, Variable};
use ptx_isa::{Construct, StateSpace};
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{
    AliasId, ConstId, Constant, Function, FunctionId, Global, GlobalId, Linkage, Symbol,
};
use ptx_llvm_core::{Addresses, DenormalMode};

use crate::assembly::Assembly;
use crate::context::ModuleContext;
use crate::dynamic_shared;
use crate::error::{MODULE, RaiseError, Result, VISIBLE};
use crate::linkage::{Presence, directive, is_defined, stored_space};
use crate::names::{self, assembly_words};
use crate::references::{References, global_order, is_llvm_own, resolved};
use crate::signature::{self, Signature};
use crate::types::SharedAddresses;
use crate::{emit, initializer, upper_halves};

/// The alignment that LLVM assumes for a type without a size.
const UNKNOWN_ALIGNMENT: u32 = 8;

/// Raises a module; returns it with the warnings.
///
/// # Errors
///
/// Everything that has no counterpart in PTX.
pub(crate) fn raise(mut module: ModuleContext<'_, '_>) -> Result<(ptx_ir::Module, Diagnostics), Diagnostics> {
    module.check_module();
    let references = References::of(module.view);
    module.files();
    module.prototypes(&references);
    let assembly = module.assembly();
    module.globals(assembly);
    module.definitions();
    module.aliases();
    module.sections();
    module.dwarf();
    module.strings_section();
    module.heading();
    module.raise_version();
    if module.diagnostics.has_errors() {
        Err(module.diagnostics)
    } else {
        Ok((module.ir, module.diagnostics))
    }
}

impl<'v> ModuleContext<'v, '_> {
    /// Rejects constructs that PTX cannot express.
    fn check_module(&mut self) {
        let view = self.view;
        for name in &view.ifuncs {
            let refusal = RaiseError::new(
                MODULE,
                "an ifunc, which is chosen when a program is loaded, has no counterpart in PTX",
            );
            self.refuse(refusal, name);
        }
        for function in view.functions.iter().filter(|function| is_defined(function)) {
            if takes_subnormals_as_zeros(function) {
                let refusal = RaiseError::new(
                    MODULE,
                    "subnormal inputs that count as zeros have no counterpart in PTX but `.ftz`, which flushes outputs too",
                );
                self.refuse(refusal.with_help("run `ptx_opt::flush_inputs` before"), &function.name);
            }
        }
        if !view.triple.is_empty() && Addresses::of_triple(&view.triple).is_none() {
            let message = format!("the target triple {} is not {}", view.triple, ptx_llvm_core::TRIPLE);
            self.refuse(RaiseError::new(MODULE, message), "the module");
        }
    }

    /// `.version`, `.target`, `.address_size`: known last, standing first.
    fn heading(&mut self) {
        let (version, sm, options) = match self.target.finish() {
            Ok(finished) => finished,
            Err(refusal) => return self.refuse(refusal, "the module"),
        };
        let mut words = vec![self.ir.strings.intern(&sm.to_string())];
        words.extend(options.iter().map(|option| self.ir.strings.intern(option)));
        let target = TargetSpec { sm: Some(sm), names: words };
        let mut items = vec![
            Item::Version(version, At::default()),
            Item::Target(target, At::default()),
            Item::AddressSize(self.view.addresses().bits(), At::default()),
        ];
        items.extend(self.module_pragmas());
        self.ir.items.splice(0..0, items);
    }

    /// Sets a version that has all features used, if no version was requested: the verifier determines the needs of modifiers, types and
    /// constants by rules that are not in the rows of the instruction table.
    fn raise_version(&mut self) {
        // Rules that apply only to a higher version may need an even higher one.
        const ROUNDS: usize = 4;
        for _ in 0..ROUNDS {
            if self.target.is_version_fixed() || self.diagnostics.has_errors() {
                return;
            }
            let Some(needed) = ptx_verify::needed_version(&self.ir) else { return };
            if let Some(Item::Version(version, _)) = self.ir.items.first_mut() {
                *version = needed;
            }
        }
    }

    fn module_pragmas(&mut self) -> Vec<Item> {
        let mut pragmas = Vec::new();
        for &node in self.view.named(marks::PRAGMA) {
            let texts: Vec<_> =
                self.view.strings(node).into_iter().map(|text| self.ir.strings.intern(text)).collect();
            if !texts.is_empty() {
                pragmas.push(Item::Pragma(texts, At::default()));
            }
        }
        pragmas
    }

    /// Declares the functions that are used before they are defined, and those of other modules.
    fn prototypes(&mut self, references: &References) {
        let view = self.view;
        let words = assembly_words(&view.inline_asm);
        for (at, function) in view.functions.iter().enumerate() {
            let id = FunctionId::new(at);
            // LLVM reserves these names for intrinsics, including unknown ones.
            let is_intrinsic = function.intrinsic || function.name.starts_with("llvm.");
            let in_assembly =
                || words.contains(&*names::escape(&function.name)) && !signature::is_kernel(self, function);
            if is_intrinsic || !(references.needs_prototype(id, function) || in_assembly()) {
                continue;
            }
            match self.prototype(function) {
                Ok(declared) => {
                    self.functions.insert(id, declared);
                    self.ir.items.push(Item::Function(declared));
                }
                Err(refusal) => self.refuse(refusal, &format!("the declaration of {}", function.name)),
            }
        }
    }

    fn prototype(&mut self, function: &Function) -> Result<ptx_ir::FunctionId> {
        let mut signature = signature::of_function(self, function)?;
        // Only a body has pragmas.
        signature.directives.retain(|directive| !matches!(directive, ptx_ir::FunctionDirective::Pragma(_)));
        let has_body = is_defined(function);
        let presence = if has_body { Presence::Defined } else { Presence::Declared };
        let linkage = directive(function.linkage, presence);
        Ok(signature.declare(self, function, linkage))
    }

    /// Emits module variables, those pointed to first, with the declarations of the module's assembly: these follow the variables that they
    /// can refer to, and precede those that refer to them.
    fn globals(&mut self, mut assembly: Assembly) {
        let (order, mut forward) = global_order(self.view);
        let late = assembly.late(self.view, &order);
        let is_forward: HashSet<GlobalId> = forward.iter().copied().collect();
        let named = |id: &GlobalId| late.contains(id) && assembly.is_named(*id) && !is_forward.contains(id);
        forward.extend(order.iter().copied().filter(named));
        for id in forward {
            let variable = self.declare_before(self.view.global(id));
            self.variables.insert(id, variable);
            self.ir.items.push(Item::Variable(variable));
        }
        for &id in order.iter().filter(|id| !late.contains(id)) {
            self.place_global(id, &mut assembly);
        }
        self.ir.items.append(&mut assembly.items);
        for &id in order.iter().filter(|id| late.contains(id)) {
            self.place_global(id, &mut assembly);
        }
    }

    fn place_global(&mut self, id: GlobalId, assembly: &mut Assembly) {
        let global = self.view.global(id);
        if is_llvm_own(global) {
            self.check_own(global);
            return;
        }
        if assembly.defines(id) {
            return;
        }
        if let Some(first) = self.dynamic_arrays(global) {
            self.variables.insert(id, first);
            return;
        }
        // Its initial value may refer to it.
        let variable = assembly.take_named(id).unwrap_or_else(|| self.declare_before(global));
        let declared = self.variables.insert(id, variable);
        match self.global(global) {
            Ok(complete) => {
                self.check_declared_in_assembly(assembly, id, &complete);
                if let Some(entry) = self.ir.variables.get_mut(variable.0 as usize) {
                    *entry = complete;
                }
                self.ir.items.push(Item::Variable(variable));
                if let Some(declared) = declared {
                    self.complete_declaration(declared, variable);
                }
            }
            Err(refusal) => self.refuse(refusal, &format!("the variable {}", global.name)),
        }
    }

    /// A variable that initial values refer to before its definition is complete: an `.extern` declaration, for cyclic references.
    /// Its contents are known with the definition.
    pub(crate) fn declare_before(&mut self, global: &Global) -> ptx_ir::VarId {
        let name = self.ir.strings.intern(&names::escape(&global.name));
        self.ir.add_variable(Variable {
            linkage: ptx_ir::Linkage::Extern,
            ..Variable::new(name, StateSpace::Global, VarType::Scalar(ptx_isa::ScalarType::B8))
        })
    }

    /// Gives the declaration of a variable the type of its definition; a variable declared before cannot be internal.
    fn complete_declaration(&mut self, declaration: ptx_ir::VarId, definition: ptx_ir::VarId) {
        let Some(defined) = self.ir.variables.get_mut(definition.0 as usize) else { return };
        let promoted = defined.linkage == ptx_ir::Linkage::Internal;
        if promoted {
            defined.linkage = ptx_ir::Linkage::Visible;
        }
        let complete = Variable { init: None, linkage: ptx_ir::Linkage::Extern, ..defined.clone() };
        let name = self.ir.strings.get(complete.name).to_owned();
        if let Some(declared) = self.ir.variables.get_mut(declaration.0 as usize) {
            *declared = complete;
        }
        if promoted {
            let message = format!("the variable {name} becomes visible to other modules");
            let help =
                "its initial value and others refer to each other, which PTX only declares with `.extern`";
            self.warn(VISIBLE, message, help);
        }
    }

    /// LLVM's own arrays are lists for tools; the two that name code to run have no counterpart.
    fn check_own(&mut self, global: &Global) {
        let constructors = matches!(global.name.as_str(), "llvm.global_ctors" | "llvm.global_dtors");
        let empty = global.initializer.is_none_or(|id| match self.view.constant(id) {
            Constant::Zero | Constant::Undef | Constant::Poison => true,
            Constant::Aggregate(entries) => entries.iter().all(|&entry| self.names_no_function(entry)),
            _ => false,
        });
        if constructors && !empty {
            let refusal = RaiseError::new(
                MODULE,
                "code that runs before or after the kernels has no counterpart in PTX",
            );
            let help = "--lower-ctors turns it into kernels that the program launches: nvptx$device$init, nvptx$device$fini";
            self.refuse(refusal.with_help(help), &global.name);
        }
    }

    /// Whether an entry of a list of code to run is one without a function, which LLVM passes over: `{ i32 1, ptr null, ptr null }`.
    fn names_no_function(&self, entry: ConstId) -> bool {
        match self.view.constant(entry) {
            Constant::Zero | Constant::Undef | Constant::Poison => true,
            Constant::Aggregate(fields) => fields.get(1).is_some_and(|&function| {
                matches!(self.view.constant(function), Constant::Null | Constant::Zero)
            }),
            _ => false,
        }
    }

    pub(crate) fn global(&mut self, global: &Global) -> Result<Variable> {
        if global.thread_local {
            return Err(RaiseError::new(MODULE, "thread-local variables have no counterpart in PTX"));
        }
        let space = variable_space(global.space)?;
        // A variable that another module defines may have a type that is opaque here.
        let align = match global.assumed_align {
            Some(align) => align,
            None if global.initializer.is_none() => UNKNOWN_ALIGNMENT,
            None => {
                let ty = self.view.type_text(global.ty);
                return Err(RaiseError::new(MODULE, format!("a variable of type {ty} has no size")));
            }
        };
        let presence = if global.initializer.is_some() { Presence::Defined } else { Presence::Declared };
        // Only `.global` variables can be common; a weak one merges with its likes too.
        let linkage = match directive(global.linkage, presence) {
            ptx_ir::Linkage::Common if space != StateSpace::Global => ptx_ir::Linkage::Weak,
            other => other,
        };
        if linkage == ptx_ir::Linkage::Common {
            self.target.need_construct(Construct::Common)?;
        }
        let content = initializer::content(self, global, space)?;
        let name = self.ir.strings.intern(&names::escape(&global.name));
        let variable = Variable {
            dims: content.dims,
            align: matches!(content.ty, VarType::Scalar(_)).then_some(align),
            linkage,
            attributes: self.attributes(global)?,
            init: content.init,
            ..Variable::new(name, space, content.ty)
        };
        if content.ty == VarType::SamplerRef && !self.target.binds_apart() {
            let refusal = RaiseError::new(MODULE, "a variable that is a sampler needs texmode_independent");
            return Err(refusal.with_help("compile the module for nvptx64-nvidia-nvcl"));
        }
        Ok(variable)
    }

    /// Declares the arrays in dynamic shared memory, for which LLVM has one variable; returns the first.
    fn dynamic_arrays(&mut self, global: &Global) -> Option<ptx_ir::VarId> {
        if !dynamic_shared::is_whole(global) {
            return None;
        }
        // Default: a type without a size says nothing about the address.
        let least = global.assumed_align.unwrap_or(1);
        let arrays = dynamic_shared::arrays(self.view, &mut self.ir, &mut self.symbol_names, least);
        for array in &arrays {
            self.ir.items.push(Item::Variable(array.variable));
        }
        self.dynamic_shared = arrays;
        self.dynamic_shared.first().map(|array| array.variable)
    }

    fn attributes(&self, global: &Global) -> Result<Vec<VarAttribute>> {
        let mut attributes = Vec::new();
        if self.annotation(&global.name, "managed").is_some() {
            attributes.push(VarAttribute::Managed);
        }
        let unified = global.metadata.iter().find(|(kind, _)| kind.is(marks::UNIFIED));
        if let Some((_, node)) = unified {
            attributes.push(signature::unified(self.view.strings(*node).into_iter())?);
        }
        Ok(attributes)
    }

    fn definitions(&mut self) {
        let view = self.view;
        for (at, function) in view.functions.iter().enumerate() {
            let id = FunctionId::new(at);
            if !is_defined(function) {
                continue;
            }
            let signature = match signature::of_function(self, function) {
                Ok(signature) => signature,
                Err(refusal) => {
                    self.refuse(refusal, &format!("function {}", function.name));
                    continue;
                }
            };
            let linkage = directive(function.linkage, Presence::Defined);
            let defined = signature.declare(self, function, linkage);
            self.functions.entry(id).or_insert(defined);
            self.debug.definitions.insert(id, defined);
            self.body(id, function, defined, signature);
            self.ir.items.push(Item::Function(defined));
        }
    }

    fn body(
        &mut self,
        id: FunctionId,
        function: &'v Function,
        defined: ptx_ir::FunctionId,
        signature: Signature,
    ) {
        self.current = Some(function.name.clone());
        self.leaves.set_shared(match upper_halves::are_read(self.view, function) {
            true => SharedAddresses::Whole,
            false => SharedAddresses::Short,
        });
        match emit::body(self, id, function, signature, defined) {
            Ok(body) => {
                if let Some(entry) = self.ir.functions.get_mut(defined.0 as usize) {
                    entry.body = Some(body);
                    entry.reg_params = None;
                }
            }
            Err(refusal) => self.refuse(refusal, &format!("function {}", function.name)),
        }
    }

    /// `.alias`: PTX has only aliases of functions that are not kernels (manual 11.6.6); a kernel with another name is another kernel. An alias
    /// that is not visible outside needs no name: its target is used instead.
    fn aliases(&mut self) {
        let view = self.view;
        for (at, alias) in view.aliases.iter().enumerate() {
            let target = match resolved(view, Symbol::Alias(AliasId::new(at))) {
                Some((Symbol::Function(target), 0)) => target,
                Some(_) if matches!(alias.linkage, Linkage::Internal | Linkage::Private) => continue,
                _ => {
                    let refusal = RaiseError::new(MODULE, "only functions can have aliases in PTX");
                    let help = "make the alias internal, or use the name of its target";
                    self.refuse(refusal.with_help(help), &format!("the alias {}", alias.name));
                    continue;
                }
            };
            if let Err(refusal) = self.alias(&alias.name, target, alias.linkage) {
                self.refuse(refusal, &format!("the alias {}", alias.name));
            }
        }
    }

    fn alias(&mut self, name: &str, target: FunctionId, linkage: Linkage) -> Result<()> {
        let function = self.view.function(target);
        let mut copy = function.clone();
        copy.name = name.to_owned();
        let signature = signature::of_function(self, &copy)?;
        let linkage = directive(linkage, Presence::Defined);
        let declared = signature.declare(self, &copy, linkage);
        if signature.kind == FunctionKind::Kernel {
            self.body(target, function, declared, signature);
            self.ir.items.push(Item::Function(declared));
            return Ok(());
        }
        self.target.need_construct(Construct::Alias)?;
        self.ir.items.push(Item::Function(declared));
        let target = self.function_entry(target)?;
        self.ir.items.push(Item::Alias(ptx_ir::Alias { name: declared, target }, At::default()));
        Ok(())
    }
}

fn variable_space(space: u32) -> Result<StateSpace> {
    match signature::pointer_space(stored_space(space)) {
        Some(StateSpace::Local) => {
            let refusal =
                RaiseError::new(MODULE, "a variable of the module in local memory has no counterpart in PTX");
            Err(refusal.with_help("allocate it in a function (alloca)"))
        }
        Some(space) => Ok(space),
        None => Err(RaiseError::new(
            MODULE,
            format!("a variable in address space {space} has no counterpart in PTX"),
        )),
    }
}

/// Whether operations of a function have to take subnormal inputs as zeros in another way than `.ftz` does.
fn takes_subnormals_as_zeros(function: &Function) -> bool {
    let mode = |name| function.attributes.string(name).and_then(DenormalMode::of);
    let all = mode("denormal-fp-math");
    let single =
        mode("denormal-fp-math-f32").or(all).is_some_and(|mode| !mode.is_ftz() && mode.flushes_inputs());
    single || all.is_some_and(DenormalMode::flushes_inputs)
}
