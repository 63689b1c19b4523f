//! The state of raising a module that its functions share.

use ptx_diag::{Diagnostic, Diagnostics, Span};
use ptx_ir::{Symbol as PtxSymbol, VarType};
use ptx_llvm_core::address_space;
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{
    Constant, Function, FunctionId, GlobalId, InstId, Metadata, MetadataId, Symbol, View,
};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::cover::pattern::Patterns;
use crate::debug_tables::DebugTables;
use crate::dynamic_shared::{self, DynamicArray};
use crate::error::{MODULE, RaiseError, Result, TAIL_CALL};
use crate::linkage::stored_space;
use crate::mnemonics::Mnemonics;
use crate::names::{self, assembly_words};
use crate::numbering;
use crate::reach::Reach;
use crate::references::resolved;
use crate::source_function::SourceFunction;
use crate::style::{Names, Style};
use crate::target::{RaiseOptions, Target};
use crate::types::Leaves;
use ptx_dwarf::FunctionTrace;

/// The state of raising one module.
pub(crate) struct ModuleContext<'v, 'c> {
    pub(crate) view: &'v View,
    pub(crate) llvm: &'v ptx_llvm_core::Module<'c>,
    pub(crate) style: Style,
    /// Whether the module was PTX that was compiled for debugging.
    to_debug: bool,
    pub(crate) ir: ptx_ir::Module,
    pub(crate) leaves: Leaves,
    pub(crate) mnemonics: Mnemonics,
    pub(crate) target: Target,
    pub(crate) diagnostics: Diagnostics,
    /// The variables created so far.
    pub(crate) variables: HashMap<GlobalId, ptx_ir::VarId>,
    /// The names of dynamic shared memory.
    pub(crate) dynamic_shared: Vec<DynamicArray>,
    /// The function whose body is raised.
    pub(crate) current: Option<String>,
    /// The entry of each function that references use: its prototype, or its definition when that comes first.
    pub(crate) functions: HashMap<FunctionId, ptx_ir::FunctionId>,
    /// Every name of the module, in its PTX spelling.
    pub(crate) symbol_names: HashSet<String>,
    /// The prefixes of the variables of calls: no symbol has them, since the variables would hide it inside a call.
    pub(crate) call_names: CallNames,
    /// Labels are numbered through the module.
    pub(crate) call_count: u32,
    pub(crate) debug: DebugTables,
    /// The DWARF entries of the functions so far.
    pub(crate) traces: Vec<FunctionTrace>,
    /// The variables of bodies that DWARF refers to.
    pub(crate) traced_names: HashSet<String>,
    /// The number of the first instruction of each function (`numbering.rs`).
    pub(crate) first_numbers: Vec<u32>,
    /// The number of labels of each kind that DWARF refers to.
    pub(crate) label_numbers: HashMap<String, u32>,
    /// The number of instructions so far.
    pub(crate) emitted: usize,
    /// The patterns of marked texts.
    pub(crate) patterns: Patterns,
    /// Who takes part in what the module does to shared memory; `None` for PTX, whose scopes stay as they are written.
    pub(crate) reach: Option<Reach>,
}

/// The beginnings of the names of arguments and results inside calls.
pub(crate) struct CallNames {
    pub(crate) argument: String,
    pub(crate) result: String,
}

impl CallNames {
    fn new(symbols: &HashSet<String>) -> Self {
        let is_taken = |start: &str| symbols.iter().any(|name| name.starts_with(start));
        let free = |word: &str| names::free(word.to_owned(), is_taken);
        Self { argument: free("param"), result: free("retval") }
    }

    /// Whether a name could be one of a call's variables.
    pub(crate) fn clash(&self, name: &str) -> bool {
        name.starts_with(&self.argument) || name.starts_with(&self.result)
    }
}

impl<'v, 'c> ModuleContext<'v, 'c> {
    pub(crate) fn new(
        view: &'v View,
        llvm: &'v ptx_llvm_core::Module<'c>,
        options: &RaiseOptions,
        style: Style,
    ) -> Self {
        let globals = view.globals.iter().map(|global| global.name.as_str());
        let functions = view.functions.iter().map(|function| function.name.as_str());
        let aliases = view.aliases.iter().map(|alias| alias.name.as_str());
        let assembly = assembly_words(&view.inline_asm);
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
            first_numbers: numbering::first_numbers(view),
            patterns: Patterns::default(),
            reach: None,
        };
        module.reach = (!module.was_ptx()).then(|| Reach::of(view));
        module.to_debug = module.target.is_debugging() && module.was_ptx();
        if module.to_debug {
            // Its sections refer to registers by their original names.
            module.style.names = Names::Values;
        }
        module
    }

    /// The position of PTX instructions that are for an LLVM instruction.
    pub(crate) fn position(&self, function: FunctionId, inst: InstId) -> Span {
        let first = self.first_numbers.get(function.index()).copied();
        debug_assert!(first.is_some(), "each function of the view has a number");
        // Default: as asserted; no instruction has this number.
        let number = first.map_or(0, |first| first.saturating_add(inst.index() as u32));
        Span::new(number, number)
    }

    /// Whether the module was PTX.
    pub(crate) fn was_ptx(&self) -> bool {
        !self.view.named(marks::VERSION).is_empty()
    }

    /// A function of the module, in the form for the stages.
    pub(crate) fn source(&self, function: &'v Function) -> SourceFunction<'v> {
        SourceFunction {
            view: self.view,
            function,
            was_ptx: self.was_ptx(),
            to_debug: self.to_debug,
            is_optimized: !self.view.named(marks::OPTIMIZED).is_empty(),
        }
    }

    /// A name like `stem` that no symbol has.
    pub(crate) fn free_name(&self, stem: String) -> String {
        names::free(stem, |name| self.symbol_names.contains(name))
    }

    /// A label of the code that is unique in the module.
    pub(crate) fn dwarf_label(&mut self, word: &str) -> String {
        let number = self.label_numbers.entry(word.to_owned()).or_default();
        let label = format!("$L__{word}{number}");
        *number += 1;
        names::free(label, |name| self.symbol_names.contains(name) || self.debug.label_names.contains(name))
    }

    /// Records an error.
    pub(crate) fn refuse(&mut self, refusal: RaiseError, place: &str) {
        self.diagnostics.push(refusal.at(place));
    }

    /// Warns, once for a function, of calls that must not use the stack.
    pub(crate) fn warn_of_tail_call(&mut self, function: &str) {
        let message = format!("the musttail call in function {function} becomes an ordinary call");
        self.warn(TAIL_CALL, message, "PTX has no tail calls: a chain of them uses stack space");
    }

    /// Warns once.
    pub(crate) fn warn(&mut self, code: ptx_diag::Code, message: String, help: &str) {
        if self.diagnostics.iter().all(|found| found.message != message) {
            self.diagnostics.push(Diagnostic::warning_without_place(code, message).with_help(help));
        }
    }

    /// The number of a symbol in `!nvvm.annotations` under `key`.
    pub(crate) fn annotation(&self, symbol: &str, key: &str) -> Option<u64> {
        self.annotations(symbol, key).next()
    }

    /// All numbers of a symbol in `!nvvm.annotations` under `key`.
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

    /// The kind of reference of a kernel's parameter in `!nvvm.annotations`.
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

    /// The entry that a reference to a function resolves to.
    pub(crate) fn function_entry(&self, id: FunctionId) -> Result<ptx_ir::FunctionId> {
        self.functions.get(&id).copied().ok_or_else(|| {
            RaiseError::new(
                MODULE,
                format!("the function {} cannot be referred to", self.view.function(id).name),
            )
        })
    }

    /// The symbol that a reference resolves to, its address space, and the offset in bytes.
    pub(crate) fn symbol(&self, symbol: Symbol) -> Result<(PtxSymbol, u32, i64)> {
        let (symbol, offset) = resolved(self.view, symbol).ok_or_else(|| {
            let name = self.view.symbol_name(symbol);
            RaiseError::new(MODULE, format!("the alias {name} cannot be referred to"))
        })?;
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
                    RaiseError::new(MODULE, format!("the variable {} cannot be referred to", global.name))
                })?;
                Ok((PtxSymbol::Variable(variable), stored_space(global.space), offset))
            }
            Symbol::Alias(_) => Err(RaiseError::new(MODULE, "a cyclic alias")),
        }
    }
}
