//! The module's assembly (`module asm`): directives of PTX, which become part of the module.
//!
//! They follow the variables and prototypes of LLVM IR and precede its functions, so that each can refer to declarations of
//! the other. A name that both declare is one entity, and the declarations are adapted to its definition.

use ptx_diag::{Diagnostics, Severity, SourceFile};
use ptx_ir::{
    At, FunctionDirective, FunctionId as PtxFunctionId, Item, Linkage, StrId, Symbol as PtxSymbol, VarId,
    VarType, Variable,
};
use ptx_llvm_core::view::{FunctionId, GlobalId, Linkage as LlvmLinkage, Symbol, View};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::context::ModuleContext;
use crate::dynamic_shared;
use crate::error::{ASSEMBLY, MODULE, RaiseError};
use crate::linkage::is_defined;
use crate::names::{self, assembly_words};
use crate::references::{for_each_symbol, is_llvm_own};

/// The location in errors.
const PLACE: &str = "the assembly of the module";

/// The module's assembly as raised.
#[derive(Default)]
pub(crate) struct Assembly {
    /// Its directives, to be inserted.
    pub(crate) items: Vec<Item>,
    /// The entries of LLVM's variables that the text refers to, before they are complete.
    named: HashMap<GlobalId, VarId>,
    /// LLVM's declarations of variables that the text defines.
    defined: HashSet<GlobalId>,
    /// The text's declarations of LLVM's variables.
    declared: HashMap<GlobalId, Vec<VarId>>,
}

impl Assembly {
    /// Whether the text defines a variable that LLVM IR declares.
    pub(crate) fn defines(&self, id: GlobalId) -> bool {
        self.defined.contains(&id)
    }

    /// Whether the text refers to a variable of LLVM IR.
    pub(crate) fn is_named(&self, id: GlobalId) -> bool {
        self.named.contains_key(&id)
    }

    /// Removes and returns the entry of a variable that the text refers to.
    pub(crate) fn take_named(&mut self, id: GlobalId) -> Option<VarId> {
        self.named.remove(&id)
    }

    /// The variables of LLVM IR whose initial values refer to definitions of the text, directly or through others.
    pub(crate) fn late(&self, view: &View, order: &[GlobalId]) -> HashSet<GlobalId> {
        let mut late: HashSet<GlobalId> = HashSet::default();
        let mut grows = !self.defined.is_empty();
        while grows {
            grows = false;
            for &id in order.iter().filter(|id| !self.defined.contains(id)) {
                let mut waits = false;
                for_each_symbol(view, view.global(id).initializer, &mut |symbol| {
                    if let Symbol::Global(other) = symbol {
                        waits |= self.defined.contains(&other) || late.contains(&other);
                    }
                });
                grows |= waits && late.insert(id);
            }
        }
        late
    }
}

/// The declarations of one name in the text.
#[derive(Default)]
struct Entries {
    name: String,
    /// The first occurrence of the name.
    at: At,
    functions: Vec<PtxFunctionId>,
    variables: Vec<VarId>,
    /// Whether it is the name of an alias.
    alias: bool,
}

/// The declarations that were merged.
#[derive(Default)]
struct United {
    /// Variables of the text, with their replacements.
    replaced: HashMap<VarId, VarId>,
    /// Declarations that are redundant.
    dropped: HashSet<PtxSymbol>,
}

impl ModuleContext<'_, '_> {
    /// Parses the module's assembly, and merges its declarations with those of LLVM IR that have the same name.
    pub(crate) fn assembly(&mut self) -> Assembly {
        let view = self.view;
        let mut assembly = Assembly::default();
        if view.inline_asm.trim().is_empty() {
            return assembly;
        }
        self.name_variables(&mut assembly);
        let mut symbols: HashMap<String, PtxSymbol> = HashMap::default();
        for (&id, &entry) in &self.functions {
            symbols.insert(symbol_name(&view.function(id).name), PtxSymbol::Function(entry));
        }
        for (&id, &entry) in &assembly.named {
            symbols.insert(symbol_name(&view.global(id).name), PtxSymbol::Variable(entry));
        }
        let first = self.ir.functions.len();
        let mut resolve = |name: &str| symbols.get(name).copied();
        match ptx_syntax::parse_items(&view.inline_asm, &mut self.ir, &mut resolve) {
            Ok(items) => assembly.items = items,
            Err(findings) => {
                self.refuse_unreadable(&findings);
                return assembly;
            }
        }
        if assembly.items.iter().all(|item| matches!(item, Item::Comment(_))) {
            assembly.items.clear();
        }
        self.refuse_misplaced(&assembly.items);
        self.need_instructions(first);
        self.unite(&mut assembly);
        assembly
    }

    /// Creates entries for LLVM's variables that the text refers to.
    fn name_variables(&mut self, assembly: &mut Assembly) {
        let view = self.view;
        let words = assembly_words(&view.inline_asm);
        for (at, global) in view.globals.iter().enumerate() {
            let named = words.contains(&*names::escape(&global.name));
            if named && !is_llvm_own(global) && !dynamic_shared::is_whole(global) {
                let entry = self.declare_before(global);
                assembly.named.insert(GlobalId::new(at), entry);
            }
        }
    }

    /// Reports errors of the parser, each with its location in the text.
    fn refuse_unreadable(&mut self, findings: &Diagnostics) {
        for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
            let refusal = RaiseError::new(ASSEMBLY, finding.message.clone());
            let own = match finding.code {
                ptx_syntax::codes::UNDECLARED => "declare it in the assembly or in LLVM IR",
                _ => "only directives of PTX can be placed in a module",
            };
            let help = finding.help.clone().unwrap_or_else(|| own.to_owned());
            match finding.span {
                Some(span) => self.refuse_at(refusal.with_help(help), At(span)),
                None => self.refuse(refusal.with_help(help), PLACE),
            }
        }
    }

    /// Rejects directives that only the module itself may have.
    fn refuse_misplaced(&mut self, items: &[Item]) {
        const TARGET: &str =
            "use the attributes target-cpu and target-features, or --target and --ptx-version";
        const DEBUG: &str = "debug information comes from LLVM's metadata: remove it";
        let location = |function: &PtxFunctionId| {
            let body = self.ir.function(*function).body.as_ref()?;
            body.statements.iter().find_map(|statement| match statement {
                ptx_ir::Stmt::Location(location) => Some(location.at),
                _ => None,
            })
        };
        let misplaced = |item: &Item| {
            Some(match item {
                Item::Version(_, at) => (".version", *at, TARGET),
                Item::Target(_, at) => (".target", *at, TARGET),
                Item::AddressSize(_, at) => {
                    (".address_size", *at, "the target triple specifies it: remove it")
                }
                Item::File(_, at) => (".file", *at, DEBUG),
                Item::Section(section) => (".section", section.at, DEBUG),
                Item::Location(location) => (".loc", location.at, DEBUG),
                Item::Registers(..) => (".reg", At::default(), "declare registers in functions"),
                Item::DwarfLine(_) => ("@@DWARF", At::default(), DEBUG),
                Item::Function(function) => (".loc", location(function)?, DEBUG),
                Item::Variable(_)
                | Item::Pragma(..)
                | Item::Alias(..)
                | Item::Comment(_)
                | Item::TrailingComment(_) => return None,
            })
        };
        let found: Vec<_> = items.iter().filter_map(misplaced).collect();
        for (word, at, help) in found {
            let refusal = RaiseError::new(MODULE, format!("`{word}` is not allowed in module assembly"));
            self.refuse_at(refusal.with_help(help), at);
        }
    }

    fn refuse_at(&mut self, refusal: RaiseError, at: At) {
        let position = SourceFile::new("", self.view.inline_asm.as_str()).position(at.0.lo);
        let place = format!("line {}, column {} of {PLACE}", position.line, position.column);
        self.refuse(refusal, &place);
    }

    /// Records the features that the functions of the text use.
    fn need_instructions(&mut self, first: usize) {
        let bodies = self.ir.functions.iter().skip(first).filter_map(|function| function.body.as_ref());
        let instructions =
            bodies.flat_map(|body| body.instructions().map(|(_, inst)| (inst.mnemonic, inst.at)));
        for (mnemonic, at) in instructions.collect::<Vec<_>>() {
            if let Err(refusal) = self.target.need(mnemonic.since(), &|| mnemonic.to_string()) {
                self.refuse_at(refusal, at);
            }
        }
    }

    /// Merges the declarations of the text and of LLVM IR that have the same name.
    fn unite(&mut self, assembly: &mut Assembly) {
        let view = self.view;
        let functions: HashMap<String, FunctionId> = (view.functions.iter().enumerate())
            .map(|(at, function)| (symbol_name(&function.name), FunctionId::new(at)))
            .collect();
        let globals: HashMap<String, GlobalId> =
            assembly.named.keys().map(|&id| (symbol_name(&view.global(id).name), id)).collect();
        let aliases: HashSet<String> = view.aliases.iter().map(|alias| symbol_name(&alias.name)).collect();
        let mut united = United::default();
        for found in self.entries(&assembly.items) {
            let name = &found.name;
            let result = match (functions.get(name), globals.get(name)) {
                _ if aliases.contains(name) => Err(twice(name)),
                (Some(_), _) if !found.variables.is_empty() => Err(other_kind(name)),
                (_, Some(_)) if !found.functions.is_empty() => Err(other_kind(name)),
                (Some(&function), _) => self.unite_function(function, &found, &mut united),
                (None, Some(&global)) => self.unite_variable(global, &found, assembly, &mut united),
                (None, None) => Ok(()),
            };
            if let Err(refusal) = result {
                self.refuse_at(refusal, found.at);
            }
        }
        let replaced = |id: VarId| united.replaced.get(&id).copied().unwrap_or(id);
        for body in self.ir.functions.iter_mut().filter_map(|function| function.body.as_mut()) {
            body.map_variables(replaced);
        }
        for init in self.ir.variables.iter_mut().filter_map(|variable| variable.init.as_mut()) {
            init.map_variables(&replaced);
        }
        assembly.items.retain(|item| match item {
            Item::Function(id) => !united.dropped.contains(&PtxSymbol::Function(*id)),
            Item::Variable(id) => !united.dropped.contains(&PtxSymbol::Variable(*id)),
            _ => true,
        });
        for item in &mut assembly.items {
            if let Item::Variable(id) = item {
                *id = replaced(*id);
            }
        }
    }

    /// The declarations of the text, by name, in the order of their first occurrence.
    fn entries(&self, items: &[Item]) -> Vec<Entries> {
        let mut places: HashMap<StrId, usize> = HashMap::default();
        let mut list: Vec<Entries> = Vec::new();
        for item in items {
            let (name, at) = match item {
                Item::Function(id) => (self.ir.function(*id).name, self.ir.function(*id).at),
                Item::Variable(id) => (self.ir.variable(*id).name, self.ir.variable(*id).at),
                Item::Alias(alias, at) => (self.ir.function(alias.name).name, *at),
                _ => continue,
            };
            let place = *places.entry(name).or_insert(list.len());
            if place == list.len() {
                list.push(Entries { name: self.ir.name(name).to_owned(), at, ..Entries::default() });
            }
            let Some(entries) = list.get_mut(place) else { continue };
            match item {
                Item::Function(id) => entries.functions.push(*id),
                Item::Variable(id) => entries.variables.push(*id),
                _ => entries.alias = true,
            }
        }
        list
    }

    /// Adapts the declarations of a function to its definition, in the text or in LLVM IR.
    fn unite_function(
        &mut self,
        id: FunctionId,
        found: &Entries,
        united: &mut United,
    ) -> Result<(), RaiseError> {
        let name = &found.name;
        // A function without a prototype has been rejected.
        let Some(&ours) = self.functions.get(&id) else { return Ok(()) };
        let has_body = |id: &&PtxFunctionId| self.ir.function(**id).body.is_some();
        let body = found.functions.iter().find(has_body).copied();
        let defined = body.or(found.functions.first().copied().filter(|_| found.alias));
        if defined.is_some() && is_defined(self.view.function(id)) {
            return Err(twice(name));
        }
        for &theirs in &found.functions {
            if let Some(difference) = ptx_verify::signature_mismatch(&self.ir, ours, theirs) {
                let message = format!("`{name}` is declared differently in LLVM IR: {difference}");
                let help = "declare it in both according to the `.param` ABI: docs/mapping.md, \"Functions\"";
                return Err(RaiseError::new(MODULE, message).with_help(help));
            }
        }
        match defined {
            Some(definition) => self.declare_like(ours, definition),
            None => {
                for &theirs in &found.functions {
                    self.declare_like(theirs, ours);
                    united.dropped.insert(PtxSymbol::Function(theirs));
                }
            }
        }
        Ok(())
    }

    /// Adapts a declaration to another entry of the function.
    fn declare_like(&mut self, declaration: PtxFunctionId, model: PtxFunctionId) {
        let model = self.ir.function(model).clone();
        let Some(entry) = self.ir.functions.get_mut(declaration.0 as usize) else { return };
        entry.linkage = model.linkage;
        entry.params = model.params;
        entry.results = model.results;
        entry.reg_params = model.reg_params;
        entry.directives = model.directives;
        // Only these also apply to a declaration.
        entry.directives.retain(|(directive, _)| {
            matches!(
                directive,
                FunctionDirective::NoReturn
                    | FunctionDirective::AbiPreserve(_)
                    | FunctionDirective::AbiPreserveControl(_)
            )
        });
    }

    /// A variable that both declare is replaced by the one that is defined.
    fn unite_variable(
        &mut self,
        id: GlobalId,
        found: &Entries,
        assembly: &mut Assembly,
        united: &mut United,
    ) -> Result<(), RaiseError> {
        let Some(&ours) = assembly.named.get(&id) else { return Ok(()) };
        let global = self.view.global(id);
        let is_definition = |id: &&VarId| self.ir.variable(**id).linkage != Linkage::Extern;
        let definition = found.variables.iter().find(is_definition).copied();
        united.replaced.extend(found.variables.iter().map(|&theirs| (theirs, ours)));
        let Some(definition) = definition else {
            united.dropped.extend(found.variables.iter().map(|&theirs| PtxSymbol::Variable(theirs)));
            assembly.declared.insert(id, found.variables.clone());
            return Ok(());
        };
        if global.initializer.is_some() && global.linkage != LlvmLinkage::AvailableExternally {
            return Err(twice(&found.name));
        }
        let declared = self.global(global)?;
        let definition = self.ir.variable(definition).clone();
        agree(&found.name, &definition, &declared)?;
        if let Some(entry) = self.ir.variables.get_mut(ours.0 as usize) {
            *entry = definition;
        }
        let declarations =
            found.variables.iter().filter(|id| self.ir.variable(**id).linkage == Linkage::Extern);
        united.dropped.extend(declarations.map(|&theirs| PtxSymbol::Variable(theirs)));
        assembly.named.remove(&id);
        assembly.defined.insert(id);
        self.variables.insert(id, ours);
        Ok(())
    }

    /// Compares the text's declarations of a variable with its definition in LLVM IR.
    pub(crate) fn check_declared_in_assembly(
        &mut self,
        assembly: &Assembly,
        id: GlobalId,
        definition: &Variable,
    ) {
        let name = symbol_name(&self.view.global(id).name);
        for &theirs in assembly.declared.get(&id).into_iter().flatten() {
            let declared = self.ir.variable(theirs).clone();
            if let Err(refusal) = agree(&name, definition, &declared) {
                self.refuse_at(refusal, declared.at);
            }
        }
    }
}

fn symbol_name(name: &str) -> String {
    names::escape(name).into_owned()
}

fn twice(name: &str) -> RaiseError {
    let message = format!("`{name}` is defined in the assembly and in LLVM IR");
    RaiseError::new(MODULE, message).with_help("define it in one of them, and declare it in the other")
}

fn other_kind(name: &str) -> RaiseError {
    let message =
        format!("`{name}` is a function in one of the assembly and LLVM IR, a variable in the other");
    RaiseError::new(MODULE, message).with_help("rename one of them")
}

/// That a declaration of a variable agrees with its definition.
fn agree(name: &str, definition: &Variable, declared: &Variable) -> Result<(), RaiseError> {
    let open = |variable: &Variable| variable.dims.first().is_some_and(|dim| matches!(dim, None | Some(0)));
    let is_number = |variable: &Variable| matches!(variable.ty, VarType::Scalar(_));
    let same_kind = is_number(definition) == is_number(declared)
        && (is_number(definition) || definition.ty == declared.ty);
    let difference = if definition.space != declared.space {
        let (one, other) = (definition.space.as_str(), declared.space.as_str());
        format!("is in .{one}, but is declared in .{other}")
    } else if !same_kind {
        "is a number in one place and a texture, sampler or surface in the other".to_owned()
    } else if !open(definition) && !open(declared) && definition.bytes() != declared.bytes() {
        let bytes = |variable: &Variable| match variable.bytes() {
            Some(bytes) => bytes.to_string(),
            None => "more than 2^64".to_owned(),
        };
        format!("has {} bytes, and is declared with {}", bytes(definition), bytes(declared))
    } else if declared.alignment() > definition.alignment() {
        format!("is aligned to {}, and declared for {}", definition.alignment(), declared.alignment())
    } else {
        return Ok(());
    };
    let help = "declare it in the same way in the assembly and in LLVM IR";
    Err(RaiseError::new(MODULE, format!("`{name}` {difference}")).with_help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_and_marks_are_no_names() {
        let found = assembly_words(".visible .func (.param .b32 r) f$1(.param.b32 %a){ mov.u32 r1,_x; }");
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["%a", "_x", "f$1", "mov", "r", "r1"]);
    }
}
