//! The module: its directives in an order that PTX accepts.
//!
//! PTX wants a name declared before it is used: prototypes come first, then variables (those that others point at before
//! them), then functions in LLVM's order.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::rc::Rc;

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{At, Item, Symbol as PtxSymbol, TargetSpec, VarAttribute, VarType, Variable};
use ptx_isa::StateSpace;
use ptx_llvm::view::{
    AliasId, Constant, Function, FunctionId, Global, GlobalId, Linkage, Metadata, MetadataId, Symbol, View,
};
use ptx_llvm::{Addresses, address_space};

use crate::assembly::{self, Assembly};
use crate::debug::DebugTables;
use crate::dwarf::FunctionTrace;
use crate::dynamic_shared::{self, DynamicArray};
use crate::error::{BOUND, MODULE, Raised, Refusal, TAIL_CALL, VISIBLE};
use crate::initializer;
use crate::linkage::{Presence, directive};
use crate::mnemonics::Mnemonics;
use crate::names;
use crate::references::{References, alias_target, global_order, is_llvm_own};
use crate::select::{FunctionRaiser, Pattern};
use crate::signature::{self, Signature};
use crate::style::{Names, Style};
use crate::target::{RaiseOptions, Target};
use crate::types::{Leaves, SharedAddresses};
use crate::upper_halves;

/// The state of raising one module.
pub(crate) struct ModuleRaiser<'v, 'c> {
    pub(crate) view: &'v View,
    pub(crate) llvm: &'v ptx_llvm::Module<'c>,
    pub(crate) style: Style,
    /// Whether the module was PTX that was compiled for debugging.
    to_debug: bool,
    pub(crate) ir: ptx_ir::Module,
    pub(crate) leaves: Leaves,
    pub(crate) mnemonics: Mnemonics,
    pub(crate) target: Target,
    pub(crate) diagnostics: Diagnostics,
    /// The variables made so far.
    pub(crate) variables: HashMap<GlobalId, ptx_ir::VarId>,
    /// The names of dynamic shared memory.
    dynamic_shared: Vec<DynamicArray>,
    /// The function whose body is raised.
    current: Option<String>,
    /// The entry of each function that references use: its prototype, or its definition when that comes first.
    pub(crate) functions: HashMap<FunctionId, ptx_ir::FunctionId>,
    /// Every name of the module, in its PTX spelling.
    pub(crate) symbol_names: HashSet<String>,
    /// What the variables of calls begin with: no symbol does, for inside a call they would hide it.
    pub(crate) call_names: CallNames,
    /// Labels are numbered through the module.
    pub(crate) call_count: u32,
    pub(crate) debug: DebugTables,
    /// What DWARF says of the functions so far.
    pub(crate) traces: Vec<FunctionTrace>,
    /// The variables of bodies that DWARF names.
    pub(crate) traced_names: HashSet<String>,
    /// How many labels of each kind DWARF names.
    pub(crate) label_numbers: HashMap<String, u32>,
    /// How many instructions there are so far.
    pub(crate) emitted: usize,
    /// What marked texts lower to, by text and constraints; `None` for those that do not.
    pub(crate) patterns: HashMap<(String, String), Option<Rc<Pattern>>>,
}

/// What LLVM takes for the alignment of a type without a size.
const UNKNOWN_ALIGNMENT: u32 = 8;

/// The beginnings of the names of arguments and results inside calls.
pub(crate) struct CallNames {
    pub(crate) argument: String,
    pub(crate) result: String,
}

impl CallNames {
    fn new(symbols: &HashSet<String>) -> Self {
        let free = |word: &str| {
            let mut start = word.to_owned();
            while symbols.iter().any(|name| name.starts_with(&start)) {
                start.push('_');
            }
            start
        };
        Self { argument: free("param"), result: free("retval") }
    }

    /// Whether a name could be one of a call's variables.
    pub(crate) fn clash(&self, name: &str) -> bool {
        name.starts_with(&self.argument) || name.starts_with(&self.result)
    }
}

impl<'v, 'c> ModuleRaiser<'v, 'c> {
    pub(crate) fn new(
        view: &'v View,
        llvm: &'v ptx_llvm::Module<'c>,
        options: &RaiseOptions,
        style: Style,
    ) -> Self {
        let globals = view.globals.iter().map(|global| global.name.as_str());
        let functions = view.functions.iter().map(|function| function.name.as_str());
        let aliases = view.aliases.iter().map(|alias| alias.name.as_str());
        let assembly = assembly::words(&view.inline_asm);
        let symbol_names: HashSet<String> = globals
            .chain(functions)
            .chain(aliases)
            .map(|name| names::escape(name).into_owned())
            .chain(assembly.iter().map(|word| (*word).to_owned()))
            .collect();
        let mut module = Self {
            view,
            llvm,
            style,
            to_debug: false,
            ir: ptx_ir::Module::default(),
            leaves: Leaves::default(),
            mnemonics: Mnemonics::default(),
            target: Target::new(view, options),
            diagnostics: Diagnostics::new(),
            variables: HashMap::default(),
            dynamic_shared: Vec::new(),
            current: None,
            functions: HashMap::default(),
            call_names: CallNames::new(&symbol_names),
            symbol_names,
            call_count: 0,
            debug: DebugTables::default(),
            traces: Vec::new(),
            traced_names: HashSet::default(),
            label_numbers: HashMap::default(),
            emitted: 0,
            patterns: HashMap::default(),
        };
        module.to_debug = module.target.is_debugging() && module.was_ptx();
        if module.to_debug {
            // Its sections know registers by the names that they had.
            module.style.names = Names::Values;
        }
        module
    }

    /// Raises everything.
    pub(crate) fn run(mut self) -> Result<(ptx_ir::Module, Diagnostics), Diagnostics> {
        self.check_module();
        let references = References::of(self.view);
        self.files();
        self.prototypes(&references);
        let assembly = self.assembly();
        self.globals(assembly);
        self.definitions();
        self.aliases();
        self.sections();
        self.dwarf();
        self.strings_section();
        self.heading();
        self.raise_version();
        if self.diagnostics.has_errors() { Err(self.diagnostics) } else { Ok((self.ir, self.diagnostics)) }
    }

    /// Whether the module was PTX.
    pub(crate) fn was_ptx(&self) -> bool {
        !self.view.named("ptx.version").is_empty()
    }

    /// Whether the module was PTX that was compiled for debugging.
    pub(crate) fn is_to_debug(&self) -> bool {
        self.to_debug
    }

    /// A name like `stem` that no symbol has.
    pub(crate) fn free_name(&self, stem: String) -> String {
        let mut name = stem;
        while self.symbol_names.contains(&name) {
            name.push('_');
        }
        name
    }

    /// Records a refusal.
    pub(crate) fn refuse(&mut self, refusal: Refusal, place: &str) {
        self.diagnostics.push(refusal.at(place));
    }

    /// Warns, once for a function, of a directive about clusters that the target has no use for.
    pub(crate) fn warn_of_clusters(&mut self, function: &str, word: &str, since: ptx_isa::Since) {
        let message = format!("{word} of function {function} is left out: clusters need sm_{}", since.sm);
        self.warn(BOUND, message, "the kernel runs without clusters on this target");
    }

    /// Warns, once for a function, of a directive that only kernels have.
    pub(crate) fn warn_of_bound(&mut self, function: &str, word: &str) {
        let message = format!("{word} of function {function} is left out: only kernels have it");
        self.warn(BOUND, message, "a kernel has the calling convention ptx_kernel");
    }

    /// Warns, once for a function, of calls that must not use the stack.
    pub(crate) fn warn_of_tail_call(&mut self, function: &str) {
        let message = format!("function {function} makes a musttail call, which becomes an ordinary one");
        self.warn(TAIL_CALL, message, "PTX has no tail calls: a chain of them takes stack");
    }

    /// Warns once.
    pub(crate) fn warn(&mut self, code: ptx_diag::Code, message: String, help: &str) {
        if self.diagnostics.iter().all(|found| found.message != message) {
            self.diagnostics.push(Diagnostic::warning_without_place(code, message).with_help(help));
        }
    }

    /// What no part of PTX can hold.
    fn check_module(&mut self) {
        let view = self.view;
        for name in &view.ifuncs {
            let refusal = Refusal::new(
                MODULE,
                "an ifunc, which is chosen when a program is loaded, has no counterpart in PTX",
            );
            self.refuse(refusal, name);
        }
        if !view.triple.is_empty() && Addresses::of_triple(&view.triple).is_none() {
            let message = format!("the target triple {} is not {}", view.triple, ptx_llvm::TRIPLE);
            self.refuse(Refusal::new(MODULE, message), "the module");
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

    /// States a version that has everything used, where no version was requested: what modifiers, types and constants need by rules beyond the
    /// rows of the instruction table, the verifier knows.
    fn raise_version(&mut self) {
        // What a higher version brings into force may need a higher one still.
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
        for &node in self.view.named("ptx.pragma") {
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
        let words = assembly::words(&view.inline_asm);
        for (at, function) in view.functions.iter().enumerate() {
            let id = FunctionId::new(at);
            // LLVM keeps these names for intrinsics, those it does not know included.
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

    fn prototype(&mut self, function: &Function) -> Raised<ptx_ir::FunctionId> {
        let mut signature = signature::of_function(self, function)?;
        // Only a body has pragmas.
        signature.directives.retain(|directive| !matches!(directive, ptx_ir::FunctionDirective::Pragma(_)));
        let has_body = is_defined(function);
        let presence = if has_body { Presence::Defined } else { Presence::Declared };
        let linkage = directive(function.linkage, presence);
        Ok(signature.declare(self, function, linkage))
    }

    /// Module variables, those pointed at first, with what the module's assembly declares: that follows the variables that it can name, and
    /// comes before those that name what it defines.
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

    /// A variable that initial values refer to before its definition is complete: an `.extern` declaration, where variables refer to
    /// each other in a circle. What it holds is known with the definition.
    pub(crate) fn declare_before(&mut self, global: &Global) -> ptx_ir::VarId {
        let name = self.ir.strings.intern(&names::escape(&global.name));
        self.ir.add_variable(Variable {
            linkage: ptx_ir::Linkage::Extern,
            ..Variable::new(name, StateSpace::Global, VarType::Scalar(ptx_isa::ScalarType::B8))
        })
    }

    /// Gives the declaration of a variable the type of its definition; what is declared before cannot be internal.
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
        let empty = global.initializer.is_none_or(|id| {
            matches!(self.view.constant(id), Constant::Zero | Constant::Undef | Constant::Poison)
                || matches!(self.view.constant(id), Constant::Aggregate(list) if list.is_empty())
        });
        if constructors && !empty {
            let refusal =
                Refusal::new(MODULE, "code that runs before or after the kernels has no counterpart in PTX");
            let help = "--lower-ctors makes kernels of it that the program launches: nvptx$device$init, nvptx$device$fini";
            self.refuse(refusal.with_help(help), &global.name);
        }
    }

    pub(crate) fn global(&mut self, global: &Global) -> Raised<Variable> {
        if global.thread_local {
            return Err(Refusal::new(MODULE, "thread-local variables have no counterpart in PTX"));
        }
        let space = variable_space(global.space)?;
        // What another module defines may have a type that only that module knows.
        let natural = match self.view.layout(global.ty) {
            Some(layout) => layout.align,
            None if global.initializer.is_none() => UNKNOWN_ALIGNMENT,
            None => {
                let ty = self.view.type_text(global.ty);
                return Err(Refusal::new(MODULE, format!("a variable of type {ty} has no size")));
            }
        };
        let presence = if global.initializer.is_some() { Presence::Defined } else { Presence::Declared };
        let linkage = if global.linkage == Linkage::AvailableExternally {
            ptx_ir::Linkage::Extern
        } else {
            directive(global.linkage, presence)
        };
        // Only `.global` variables can be common; a weak one merges with its likes too.
        let linkage = match linkage {
            ptx_ir::Linkage::Common if space != StateSpace::Global => ptx_ir::Linkage::Weak,
            other => other,
        };
        if linkage == ptx_ir::Linkage::Common {
            self.target.need(ptx_isa::Since::new(5, 0, 20), &|| ".common".to_owned())?;
        }
        let content = initializer::content(self, global, space)?;
        let align = global.align.unwrap_or(natural).max(1);
        let name = self.ir.strings.intern(&names::escape(&global.name));
        let variable = Variable {
            dims: content.dims,
            align: Some(align),
            linkage,
            attributes: self.attributes(global)?,
            init: content.init,
            ..Variable::new(name, space, content.ty)
        };
        if content.ty == VarType::SamplerRef && !self.target.binds_apart() {
            let refusal = Refusal::new(MODULE, "a variable that is a sampler needs texmode_independent");
            return Err(refusal.with_help("compile the module for nvptx64-nvidia-nvcl"));
        }
        let variable = match content.ty {
            VarType::Scalar(_) => variable,
            VarType::TexRef | VarType::SamplerRef | VarType::SurfRef => Variable { align: None, ..variable },
        };
        Ok(variable)
    }

    /// Declares the arrays in dynamic shared memory, for which LLVM has one variable; gives the first.
    fn dynamic_arrays(&mut self, global: &Global) -> Option<ptx_ir::VarId> {
        if !dynamic_shared::is_whole(global) {
            return None;
        }
        let least = global.align.unwrap_or(1);
        let arrays = dynamic_shared::arrays(self.view, &mut self.ir, &mut self.symbol_names, least);
        for array in &arrays {
            self.ir.items.push(Item::Variable(array.variable));
        }
        self.dynamic_shared = arrays;
        self.dynamic_shared.first().map(|array| array.variable)
    }

    fn attributes(&self, global: &Global) -> Raised<Vec<VarAttribute>> {
        let mut attributes = Vec::new();
        if self.annotation(&global.name, "managed").is_some() {
            attributes.push(VarAttribute::Managed);
        }
        let unified = global.metadata.iter().find(|(kind, _)| kind.is("ptx.unified"));
        if let Some((_, node)) = unified {
            attributes.push(signature::unified(self.view.strings(*node).into_iter())?);
        }
        Ok(attributes)
    }

    /// The number that `!nvvm.annotations` gives a symbol under `key`.
    pub(crate) fn annotation(&self, symbol: &str, key: &str) -> Option<u64> {
        self.annotations(symbol, key).next()
    }

    /// All numbers that `!nvvm.annotations` gives a symbol under `key`.
    fn annotations(&self, symbol: &str, key: &str) -> impl Iterator<Item = u64> {
        self.view.named("nvvm.annotations").iter().flat_map(move |&node| self.annotated(node, symbol, key))
    }

    fn annotated(&self, node: MetadataId, symbol: &str, key: &str) -> Vec<u64> {
        let Metadata::Node(parts) = self.view.metadata(node) else { return Vec::new() };
        let [Some(subject), rest @ ..] = &**parts else { return Vec::new() };
        let Metadata::Constant(subject) = self.view.metadata(*subject) else { return Vec::new() };
        let Constant::Symbol(subject) = self.view.constant(*subject) else { return Vec::new() };
        if self.view.symbol_name(*subject) != symbol {
            return Vec::new();
        }
        let values = rest.chunks(2).filter_map(|pair| {
            let &[Some(name), Some(value)] = pair else { return None };
            let Metadata::String(text) = self.view.metadata(name) else { return None };
            let Metadata::Constant(value) = self.view.metadata(value) else { return None };
            (text == key).then(|| self.view.constant(*value).as_u64()).flatten()
        });
        values.collect()
    }

    /// What `!nvvm.annotations` says that a kernel's parameter refers to.
    pub(crate) fn reference_parameter(&self, kernel: &str, at: usize) -> Option<VarType> {
        let kinds = [
            ("rdoimage", VarType::TexRef),
            ("wroimage", VarType::SurfRef),
            ("rdwrimage", VarType::SurfRef),
            ("sampler", VarType::SamplerRef),
        ];
        let at = at as u64;
        kinds
            .into_iter()
            .find(|(key, _)| self.annotations(kernel, key).any(|value| value == at))
            .map(|kind| kind.1)
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
        match FunctionRaiser::new(self, id, function, signature, defined).run() {
            Ok(body) => {
                if let Some(entry) = self.ir.functions.get_mut(defined.0 as usize) {
                    entry.body = Some(body);
                    entry.reg_params = None;
                }
            }
            Err(refusal) => self.refuse(refusal, &format!("function {}", function.name)),
        }
    }

    /// `.alias`: PTX knows aliases of functions only (manual 11.6.6). An alias that nobody else sees needs no name: what it
    /// stands for is used in its place.
    fn aliases(&mut self) {
        let view = self.view;
        for (at, alias) in view.aliases.iter().enumerate() {
            let target = match alias_target(view, AliasId::new(at)) {
                Some((Symbol::Function(target), 0)) => target,
                Some(_) if matches!(alias.linkage, Linkage::Internal | Linkage::Private) => continue,
                _ => {
                    let refusal = Refusal::new(MODULE, "only functions can have aliases in PTX");
                    let help = "make the alias internal, or use the name of what it stands for";
                    self.refuse(refusal.with_help(help), &format!("the alias {}", alias.name));
                    continue;
                }
            };
            if let Err(refusal) = self.alias(&alias.name, target, alias.linkage) {
                self.refuse(refusal, &format!("the alias {}", alias.name));
            }
        }
    }

    fn alias(&mut self, name: &str, target: FunctionId, linkage: Linkage) -> Raised<()> {
        let function = self.view.function(target);
        let since = ptx_isa::Since::new(6, 3, 30);
        self.target.need(since, &|| ".alias".to_owned())?;
        let mut copy = function.clone();
        copy.name = name.to_owned();
        let signature = signature::of_function(self, &copy)?;
        let linkage = directive(linkage, Presence::Defined);
        let declared = signature.declare(self, &copy, linkage);
        self.ir.items.push(Item::Function(declared));
        let target = self.function_entry(target)?;
        self.ir.items.push(Item::Alias(ptx_ir::Alias { name: declared, target }, At::default()));
        Ok(())
    }

    /// What a reference to a function names.
    pub(crate) fn function_entry(&self, id: FunctionId) -> Raised<ptx_ir::FunctionId> {
        self.functions.get(&id).copied().ok_or_else(|| {
            Refusal::new(
                MODULE,
                format!("the function {} cannot be referred to", self.view.function(id).name),
            )
        })
    }

    /// What a reference to a symbol names, the address space it is in, and the bytes from there on.
    pub(crate) fn symbol(&self, symbol: Symbol) -> Raised<(PtxSymbol, u32, i64)> {
        let (symbol, offset) = match symbol {
            Symbol::Alias(id) => alias_target(self.view, id).ok_or_else(|| {
                Refusal::new(MODULE, format!("the alias {} cannot be referred to", self.view.alias(id).name))
            })?,
            Symbol::Function(_) | Symbol::Global(_) => (symbol, 0),
        };
        match symbol {
            Symbol::Function(id) => {
                Ok((PtxSymbol::Function(self.function_entry(id)?), address_space::GENERIC, offset))
            }
            Symbol::Global(id) => {
                let global = self.view.global(id);
                let named = self.current.as_deref().filter(|_| dynamic_shared::is_whole(global));
                let named =
                    named.and_then(|function| dynamic_shared::name_in(&self.dynamic_shared, function));
                let variable = named.or_else(|| self.variables.get(&id).copied());
                let variable = variable.ok_or_else(|| {
                    Refusal::new(MODULE, format!("the variable {} cannot be referred to", global.name))
                })?;
                Ok((PtxSymbol::Variable(variable), stored_space(global.space), offset))
            }
            Symbol::Alias(_) => Err(Refusal::new(MODULE, "an alias of an alias that has no end")),
        }
    }
}

/// Whether a function has a body to emit.
pub(crate) fn is_defined(function: &Function) -> bool {
    !function.is_declaration() && function.linkage != Linkage::AvailableExternally
}

/// The address space a variable of LLVM's space `space` lies in: generic ones are kept in `.global`.
pub(crate) const fn stored_space(space: u32) -> u32 {
    if space == address_space::GENERIC { address_space::GLOBAL } else { space }
}

fn variable_space(space: u32) -> Raised<StateSpace> {
    match stored_space(space) {
        address_space::GLOBAL => Ok(StateSpace::Global),
        address_space::SHARED => Ok(StateSpace::Shared),
        address_space::CONST => Ok(StateSpace::Const),
        address_space::LOCAL => {
            let refusal =
                Refusal::new(MODULE, "a variable of the module in local memory has no counterpart in PTX");
            Err(refusal.with_help("allocate it in a function (alloca)"))
        }
        other => Err(Refusal::new(
            MODULE,
            format!("a variable in address space {other} has no counterpart in PTX"),
        )),
    }
}
