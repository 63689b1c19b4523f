//! Resolution of names across units (manual 11.6): the names that are one thing, and the definition of each.
//!
//! In go the units as they were imported into one module, still with all their declarations; [`resolve`] renames what belongs to one unit, chooses a
//! definition for each global name and reports declarations that disagree; [`place`] then puts the items that remain in an order that PTX
//! accepts. Both are linear in what the units declare.

use ptx_diag::{Diagnostic, Diagnostics, Span};
use ptx_ir::{
    Body, Function, FunctionDirective, FunctionId, Imported, Initializer, Item, Linkage, Module, Param,
    StrId, Symbol, VarId, VarType, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::code;

/// New names of things of one unit, by unit: old to new.
pub(crate) type Renamed = Vec<FxHashMap<StrId, StrId>>;

/// What was decided about the names of all units.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) renamed: Renamed,
    /// Declarations, and definitions that were not chosen, to what replaces them.
    replaced: FxHashMap<VarId, VarId>,
}

/// The declaration or definition of a name in one unit.
#[derive(Clone, Debug, Default)]
struct Mention {
    unit: usize,
    variables: Vec<VarId>,
    functions: Vec<FunctionId>,
    /// Whether the name is an alias there, which defines it.
    alias: bool,
}

/// A definition with its weight: a stronger one replaces a weaker one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Strength {
    Common,
    Weak,
    Strong,
}

impl Mention {
    /// What the linker sees: the first directive; `.extern` only where nothing else is said.
    fn linkage(&self, module: &Module) -> Linkage {
        let variables = self.variables.iter().map(|id| module.variable(*id).linkage);
        let functions = self.functions.iter().map(|id| module.function(*id).linkage);
        let mut found = Linkage::Internal;
        for linkage in variables.chain(functions) {
            match linkage {
                Linkage::Internal => {}
                Linkage::Extern if found == Linkage::Internal => found = Linkage::Extern,
                Linkage::Extern => {}
                Linkage::Visible | Linkage::Weak | Linkage::Common => return linkage,
            }
        }
        found
    }

    fn defines(&self, module: &Module) -> bool {
        self.alias
            || self.variables.iter().any(|id| module.variable(*id).linkage != Linkage::Extern)
            || self.functions.iter().any(|id| module.function(*id).body.is_some())
    }

    fn strength(&self, module: &Module) -> Option<Strength> {
        if !self.defines(module) {
            return None;
        }
        Some(match self.linkage(module) {
            Linkage::Weak => Strength::Weak,
            Linkage::Common => Strength::Common,
            Linkage::Visible | Linkage::Extern | Linkage::Internal => Strength::Strong,
        })
    }

    /// The entry that defines the name, else the first one.
    fn variable(&self, module: &Module) -> Option<VarId> {
        let defined = self.variables.iter().find(|id| module.variable(**id).linkage != Linkage::Extern);
        defined.or(self.variables.first()).copied()
    }

    fn function(&self, module: &Module) -> Option<FunctionId> {
        let defined = self.functions.iter().find(|id| module.function(**id).body.is_some());
        defined.or(self.functions.first()).copied()
    }

    fn span(&self, module: &Module) -> Span {
        match (self.variable(module), self.function(module)) {
            (Some(id), _) => module.variable(id).at.0,
            (None, Some(id)) => module.function(id).at.0,
            (None, None) => {
                debug_assert!(self.alias, "a name of nothing");
                Span::default()
            }
        }
    }
}

/// The names of all units, in order of first mention.
fn mentions(module: &Module, parts: &[Imported]) -> Vec<(StrId, Vec<Mention>)> {
    let mut places: FxHashMap<StrId, usize> = FxHashMap::default();
    let mut found: Vec<(StrId, Vec<Mention>)> = Vec::new();
    for (unit, part) in parts.iter().enumerate() {
        for item in &part.items {
            let name = match item {
                Item::Variable(id) => module.variable(*id).name,
                Item::Function(id) => module.function(*id).name,
                Item::Alias(alias, _) => module.function(alias.name).name,
                _ => continue,
            };
            let place = *places.entry(name).or_insert(found.len());
            if place == found.len() {
                found.push((name, Vec::new()));
            }
            let (_, list) = &mut found[place];
            if list.last().is_none_or(|last| last.unit != unit) {
                list.push(Mention { unit, ..Mention::default() });
            }
            let Some(mention) = list.last_mut() else { continue };
            match item {
                Item::Variable(id) => mention.variables.push(*id),
                Item::Function(id) => mention.functions.push(*id),
                _ => mention.alias = true,
            }
        }
    }
    found
}

/// Decides about every name; gives the new names of what belongs to one unit.
pub(crate) fn resolve(module: &mut Module, parts: &[Imported], findings: &mut Diagnostics) -> Resolved {
    let mut renamed: Renamed = vec![FxHashMap::default(); parts.len()];
    let mut replaced = FxHashMap::default();
    for (name, list) in mentions(module, parts) {
        let (local, global): (Vec<Mention>, Vec<Mention>) =
            list.into_iter().partition(|mention| mention.linkage(module) == Linkage::Internal);
        // What is global, or else the first unit's own, keeps the name. No other unit sees what is local, so any other name will do for it.
        let kept = usize::from(global.is_empty());
        for mention in local.iter().skip(kept) {
            let fresh = rename(module, name, mention);
            if let Some(names) = renamed.get_mut(mention.unit) {
                names.insert(name, fresh);
            }
        }
        if global.len() > 1 {
            unite(module, name, &global, &mut replaced, findings);
        }
    }
    Resolved { renamed, replaced }
}

/// Gives what a unit keeps for itself a name that no one has.
fn rename(module: &mut Module, name: StrId, mention: &Mention) -> StrId {
    let old = module.name(name).to_owned();
    // Some unit may declare `x__1` itself. Interned names are all names of all units, so one that is not interned is free.
    let mut number = mention.unit;
    let fresh = loop {
        let candidate = format!("{old}__{number}");
        if module.strings.find(&candidate).is_none() {
            break module.strings.intern(&candidate);
        }
        number += 1;
    };
    for id in &mention.variables {
        if let Some(variable) = module.variables.get_mut(id.0 as usize) {
            variable.name = fresh;
        }
    }
    for id in &mention.functions {
        if let Some(function) = module.functions.get_mut(id.0 as usize) {
            function.name = fresh;
        }
    }
    fresh
}

/// Makes one thing of a name's declarations in several units.
fn unite(
    module: &mut Module,
    name: StrId,
    list: &[Mention],
    replaced: &mut FxHashMap<VarId, VarId>,
    findings: &mut Diagnostics,
) {
    let text = module.name(name).to_owned();
    let chosen = choose(module, list);
    let mut agreed = true;
    let (is_function, at) = (!chosen.functions.is_empty(), chosen.span(module));
    for other in list.iter().filter(|other| other.unit != chosen.unit) {
        let strong = |mention: &Mention| mention.strength(module) == Some(Strength::Strong);
        let difference = if strong(chosen) && strong(other) {
            Some((code::DUPLICATE, format!("`{text}` is defined twice"), "first defined"))
        } else if is_function == other.functions.is_empty() {
            let text = format!("`{text}` is a function in one input and a variable in another");
            Some((code::MISMATCH, text, "the other one"))
        } else {
            let difference = if is_function {
                function_difference(module, chosen, other)
            } else {
                variable_difference(module, chosen, other)
            };
            difference.map(|what| {
                (
                    code::MISMATCH,
                    format!("`{text}` is declared with {what} than elsewhere"),
                    "declared differently",
                )
            })
        };
        if let Some((code, message, related)) = difference {
            agreed = false;
            let finding = Diagnostic::error(code, other.span(module), message);
            findings.push(finding.with_related(at, related));
        }
    }
    if agreed && is_function {
        unite_functions(module, chosen, list);
    } else if agreed {
        unite_variables(module, chosen, list, replaced);
    }
}

/// The strongest definition, of equal ones the first, of common ones the largest; the first mention when no one defines it.
fn choose<'m>(module: &Module, list: &'m [Mention]) -> &'m Mention {
    let bytes = |mention: &Mention| {
        let common = mention.strength(module) == Some(Strength::Common);
        mention.variable(module).filter(|_| common).and_then(|id| module.variable(id).bytes())
    };
    // `None`, a declaration alone, is less than any strength. Only a greater rank replaces, so that of equals the first unit's is chosen.
    let rank = |mention: &Mention| (mention.strength(module), bytes(mention));
    let mut best = &list[0];
    for mention in list {
        if rank(mention) > rank(best) {
            best = mention;
        }
    }
    best
}

fn variable_difference(module: &Module, chosen: &Mention, other: &Mention) -> Option<&'static str> {
    let (one, two) = (module.variable(chosen.variable(module)?), module.variable(other.variable(module)?));
    let open = |v: &Variable| matches!(v.dims.first(), Some(None | Some(0))) && v.init.is_none();
    let commons = [chosen, other].iter().all(|m| m.strength(module) == Some(Strength::Common));
    let reference = |ty: VarType| match ty {
        VarType::Scalar(_) => None,
        VarType::TexRef | VarType::SamplerRef | VarType::SurfRef => Some(ty),
    };
    if one.space != two.space {
        Some("a different state space")
    } else if reference(one.ty) != reference(two.ty) {
        Some("a different type")
    } else if !open(one) && !open(two) && !commons && one.bytes() != two.bytes() {
        Some("a different size")
    } else if chosen.defines(module) && two.alignment() > one.alignment() {
        Some("a higher alignment")
    } else {
        None
    }
}

/// The chosen one replaces all; of declarations alone the highest alignment counts.
fn unite_variables(
    module: &mut Module,
    chosen: &Mention,
    list: &[Mention],
    replaced: &mut FxHashMap<VarId, VarId>,
) {
    let Some(id) = chosen.variable(module) else { return debug_assert!(false, "no variable is chosen") };
    let ids: Vec<VarId> = list.iter().flat_map(|mention| mention.variables.iter().copied()).collect();
    if !chosen.defines(module) {
        let align = ids.iter().map(|id| module.variable(*id).alignment()).max();
        if let Some(variable) = module.variables.get_mut(id.0 as usize) {
            variable.align = align.filter(|align| *align != variable.alignment()).or(variable.align);
        }
    }
    replaced.extend(ids.into_iter().filter(|other| *other != id).map(|other| (other, id)));
}

fn function_difference(module: &Module, chosen: &Mention, other: &Mention) -> Option<&'static str> {
    let (one, two) = (module.function(chosen.function(module)?), module.function(other.function(module)?));
    if one.kind != two.kind {
        return Some("a different kind, kernel or device function,");
    }
    if one.params.len() != two.params.len() {
        return Some("a different number of parameters");
    }
    if one.results.len() != two.results.len() {
        return Some("a different number of results");
    }
    let pairs = one.params.iter().zip(&two.params).chain(one.results.iter().zip(&two.results));
    for (first, second) in pairs {
        let (first, second) = (passing(module, one, *first), passing(module, two, *second));
        if first.0 != second.0 {
            return Some("a parameter or result in a different place, register or memory,");
        }
        if first.1 != second.1 {
            return Some("a different size of a parameter or result");
        }
        if first.2 != second.2 {
            return Some("a different alignment of a parameter or result");
        }
    }
    None
}

/// Whether a parameter is in a register, its size and its alignment.
fn passing(module: &Module, function: &Function, param: Param) -> (bool, Option<u64>, u32) {
    match param {
        Param::Variable(id) => {
            let variable = module.variable(id);
            (false, variable.bytes(), variable.alignment())
        }
        Param::Register(decl, _) => {
            let held = function.body.as_ref().or(function.reg_params.as_deref());
            let decl = held.and_then(|body| body.reg_decls.get(decl.0 as usize));
            debug_assert!(decl.is_some(), "a parameter is a register of the function");
            // Default: as asserted.
            let bytes = decl.map_or(0, |decl| decl.ty.bytes());
            (true, Some(u64::from(bytes)), bytes)
        }
    }
}

/// Every mention becomes a declaration of the chosen one, with its signature.
fn unite_functions(module: &mut Module, chosen: &Mention, list: &[Mention]) {
    let Some(id) = chosen.function(module) else { return debug_assert!(false, "no function is chosen") };
    let model = module.function(id).clone();
    let linkage = chosen.linkage(module);
    let registers = model.body.as_ref().map(parameters_of).or(model.reg_params.clone());
    let has_registers =
        model.params.iter().chain(&model.results).any(|param| matches!(param, Param::Register(..)));
    for other in list.iter().flat_map(|mention| mention.functions.iter().copied()) {
        let function = &mut module.functions[other.0 as usize];
        function.linkage = linkage;
        if other == id {
            continue;
        }
        function.params = model.params.clone();
        function.results = model.results.clone();
        function.body = None;
        function.reg_params = registers.clone().filter(|_| has_registers);
    }
}

/// A body that holds the registers of the parameters alone.
fn parameters_of(body: &Body) -> Box<Body> {
    let mut held = Box::new(Body::default());
    held.reg_decls.clone_from(&body.reg_decls);
    held.registers.clone_from(&body.registers);
    held
}

/// Puts the items in order: what stands for others comes where the first of them stood, after what its initial value names.
/// PTX takes no declaration of a function after its definition, and one of each is enough.
pub(crate) fn place(module: &mut Module, items: Vec<Item>, resolved: &Resolved) {
    let replaced = |id: VarId| resolved.replaced.get(&id).copied().unwrap_or(id);
    for function in &mut module.functions {
        if let Some(body) = &mut function.body {
            body.map_variables(replaced);
        }
    }
    for variable in &mut module.variables {
        if let Some(init) = &mut variable.init {
            init.map_variables(&replaced);
        }
    }
    let mut placing = Placing::default();
    for item in items {
        match item {
            Item::Variable(id) => placing.variable(module, replaced(id)),
            Item::Function(id) => placing.function(module, id),
            other => module.items.push(other),
        }
    }
}

/// The symbols of an initial value.
fn symbols_of(init: &Initializer, found: &mut Vec<Symbol>) {
    match init {
        Initializer::List(values) => values.iter().for_each(|value| symbols_of(value, found)),
        Initializer::Integers(_) | Initializer::Value(_) | Initializer::Fields(_) => {}
        Initializer::Address { symbol, .. } | Initializer::Masked { symbol, .. } => found.push(*symbol),
    }
}

/// What is in the result already.
#[derive(Default)]
struct Placing {
    variables: FxHashSet<VarId>,
    declared: FxHashSet<StrId>,
    defined: FxHashSet<StrId>,
}

impl Placing {
    fn function(&mut self, module: &mut Module, id: FunctionId) {
        let function = module.function(id);
        let (name, has_body) = (function.name, function.body.is_some());
        if self.defined.contains(&name) || (!has_body && !self.declared.insert(name)) {
            return;
        }
        if has_body {
            self.defined.insert(name);
        }
        module.items.push(Item::Function(id));
    }

    /// Places a variable after what its initial value names; by a work list, for values can name each other in a row. A variable
    /// that names itself through others is where it is met.
    fn variable(&mut self, module: &mut Module, id: VarId) {
        // Depth first, after its dependencies: an entry is met twice, first to push what it names, then (`ready`) to place it. The stack is one of its
        // own, since initial values may form a chain as long as the input.
        let mut work = vec![(id, false)];
        let mut open: FxHashSet<VarId> = FxHashSet::default();
        while let Some((id, ready)) = work.pop() {
            if self.variables.contains(&id) {
                continue;
            }
            let mut named = Vec::new();
            if let Some(init) = &module.variable(id).init {
                symbols_of(init, &mut named);
            }
            if !ready && open.insert(id) {
                work.push((id, true));
                for symbol in &named {
                    if let Symbol::Variable(other) = symbol
                        && !open.contains(other)
                    {
                        work.push((*other, false));
                    }
                }
                continue;
            }
            for symbol in named {
                if let Symbol::Function(function) = symbol {
                    self.declare(module, function);
                }
            }
            self.variables.insert(id);
            module.items.push(Item::Variable(id));
        }
    }

    /// Declares a function that is not known yet.
    fn declare(&mut self, module: &mut Module, id: FunctionId) {
        let function = module.function(id);
        let name = function.name;
        if self.defined.contains(&name) || self.declared.contains(&name) {
            return;
        }
        let mut declaration = function.clone();
        declaration.reg_params =
            declaration.body.take().map(|body| parameters_of(&body)).or(declaration.reg_params);
        declaration.directives.retain(|(directive, _)| !matches!(directive, FunctionDirective::Pragma(_)));
        let id = module.add_function(declaration);
        self.function(module, id);
    }
}
