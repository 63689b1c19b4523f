//! Name lookup: the entity that a name refers to, and the diagnostic for one that is not declared.

use ptx_diag::{Diagnostic, Span, nearest};
use ptx_ir::{Operand, RegDeclId, RegId, Register, Symbol, VarId};
use ptx_isa::{Component, SpecialReg};

use crate::codes;
use crate::resolve::Resolver;
use crate::resolve::names::{Entity, First, Range, Recent, split};
use crate::tree::Name;

impl<'s> Resolver<'s, '_> {
    /// The entity that a name refers to; a register of a range is created on its first use.
    pub(crate) fn lookup(&mut self, name: &'s str) -> Option<Entity> {
        match self.names.entities.get(name).map(|entry| (entry.value, entry.depth)) {
            Some((Entity::Declared(decl), depth)) if !self.hidden_by_range(name, depth) => {
                let register = self.mention(decl, 0);
                self.names.entities.replace(name, Entity::Register(register));
                Some(Entity::Register(register))
            }
            Some((Entity::OfRange(register, depth), _)) if !self.hidden_by_range(name, depth) => {
                Some(Entity::Register(register))
            }
            Some((Entity::Declared(_) | Entity::OfRange(..), _)) => self.lookup_in_ranges(name),
            Some((Entity::Outer(decl), depth)) if !self.hidden_by_range(name, depth) => {
                let register = self.mention_outer(decl, 0);
                self.names.entities.insert(name, Entity::OfRange(register, depth), Span::default());
                Some(Entity::Register(register))
            }
            Some((found, depth)) if !self.hidden_by_range(name, depth) => Some(found),
            Some((found, _)) => self.lookup_in_ranges(name).or(Some(found)),
            None => {
                let ranged = self.lookup_in_ranges(name);
                ranged.or_else(|| self.lookup_function(name)).or_else(|| self.lookup_special(name))
            }
        }
    }

    /// The register of a range, if nothing else can have its name; this is the most common operand.
    #[inline]
    pub(crate) fn lookup_register_of_range(&mut self, name: &'s str) -> Option<RegId> {
        let (prefix, number) = split(name)?;
        let range = match self.names.recent.get(prefix) {
            Some(range) => range,
            None => self.remember_range(prefix)?,
        };
        if number < range.count { Some(self.mention(range.decl, number)) } else { None }
    }

    /// The range of registers of this name, if no single register has this name with a number.
    fn remember_range(&mut self, name: &'s str) -> Option<Recent<'s>> {
        let range = self.names.ranges.get(name)?.value;
        match range.first {
            First::Register(decl) if self.names.numbered.get(name).is_none() => {
                let recent = Recent { name, decl, count: range.count };
                self.names.recent.keep(recent);
                Some(recent)
            }
            First::Register(_) | First::Outer(_) | First::Variable(_) => None,
        }
    }

    /// Whether a range in a scope deeper than `depth` has the name.
    fn hidden_by_range(&self, name: &str, depth: u32) -> bool {
        // Most functions declare all registers in one scope, where nothing can hide.
        self.names.ranges.innermost_depth() > depth
            && self.range_of(name).is_some_and(|(_, _, at)| at > depth)
    }

    /// The innermost range that has the name, with the number and the range's depth.
    fn range_of(&self, name: &str) -> Option<(Range, u32, u32)> {
        let (prefix, number) = split(name)?;
        let mut entries = self.names.ranges.get_all(prefix);
        let entry = entries.find(|entry| number < entry.value.count)?;
        Some((entry.value, number, entry.depth))
    }

    fn lookup_in_ranges(&mut self, name: &'s str) -> Option<Entity> {
        let (range, number, depth) = self.range_of(name)?;
        let register = match range.first {
            First::Register(decl) => self.mention(decl, number),
            First::Outer(decl) => self.mention_outer(decl, number),
            First::Variable(first) => return Some(Entity::Variable(VarId(first.0 + number))),
        };
        self.names.entities.insert(name, Entity::OfRange(register, depth), Span::default());
        Some(Entity::Register(register))
    }

    fn lookup_function(&self, name: &str) -> Option<Entity> {
        self.names.functions.get(name).map(|&(id, _)| Entity::Function(id))
    }

    fn lookup_special(&mut self, name: &'s str) -> Option<Entity> {
        let special = SpecialReg::from_ptx(name.strip_prefix('%')?)?;
        self.names.entities.insert(name, Entity::Special(special), Span::default());
        Some(Entity::Special(special))
    }

    /// Returns the register of a declaration with this number, and creates it on its first use.
    pub(crate) fn mention(&mut self, decl: RegDeclId, number: u32) -> RegId {
        let fresh = RegId(self.body.registers.len() as u32);
        let register = self.names.mentioned.register(decl, number, fresh);
        if register == fresh {
            self.body.registers.push(Register { decl, number });
        }
        register
    }

    /// A register that is declared outside of functions, by a declaration of the body that represents it.
    fn mention_outer(&mut self, outer: RegDeclId, number: u32) -> RegId {
        let own = match self.names.outer.get(&outer) {
            Some(own) => *own,
            None => {
                let own = RegDeclId(self.body.reg_decls.len() as u32);
                self.body.reg_decls.extend(self.module.registers.get(outer.0 as usize).cloned());
                self.body.module_registers.push((own, outer));
                self.names.outer.insert(outer, own);
                own
            }
        };
        self.mention(own, number)
    }

    /// The operand that a name by itself refers to; `None` if it is undeclared.
    pub(crate) fn resolve_name(&mut self, name: &'s str) -> Option<Operand> {
        if let Some(register) = self.lookup_register_of_range(name) {
            return Some(Operand::Register(register));
        }
        if let Some(entity) = self.lookup(name) {
            return Some(match entity {
                Entity::Variable(id) => Operand::Symbol(Symbol::Variable(id), 0),
                Entity::Function(id) => Operand::Symbol(Symbol::Function(id), 0),
                Entity::Register(id) | Entity::OfRange(id, _) => Operand::Register(id),
                Entity::Special(special) => Operand::Special(special, None),
                // `lookup` returns the registers of these.
                Entity::Declared(decl) => Operand::Register(self.mention(decl, 0)),
                Entity::Outer(decl) => Operand::Register(self.mention_outer(decl, 0)),
            });
        }
        let resolve = self.resolve.as_mut()?;
        resolve(name).or_else(|| self.symbol_of_module(name))
    }

    /// A variable or function of the module that inline assembly is in.
    fn symbol_of_module(&self, name: &str) -> Option<Operand> {
        let id = self.module.strings.find(name)?;
        let functions = self.module.function_ids();
        if let Some(function) = functions.into_iter().find(|&f| self.module.function(f).name == id) {
            return Some(Operand::Symbol(Symbol::Function(function), 0));
        }
        let variable = self.module.items.iter().find_map(|item| match item {
            ptx_ir::Item::Variable(variable) if self.module.variable(*variable).name == id => Some(*variable),
            _ => None,
        })?;
        Some(Operand::Symbol(Symbol::Variable(variable), 0))
    }

    /// Reports an undeclared name, once per function, and marks the statement as invalid.
    /// `component` is the text after the name's dot.
    pub(crate) fn undeclared(&mut self, name: Name<'s>, what: &str, component: &str) {
        self.broken = true;
        let Name { text: name, span } = name;
        if self.is_invalid(name) || !self.reported.insert(name) {
            return;
        }
        let what = if name.starts_with('%') { "register" } else { what };
        let message = format!("{what} `{name}` is not declared");
        let mut error = Diagnostic::error(codes::UNDECLARED, span, message);
        if let Some(help) = self.undeclared_help(name, component) {
            if let Some(meant) = help.meant {
                // A special register is suggested with its component.
                let hi = if component.is_empty() { span.hi } else { span.hi + 1 + component.len() as u32 };
                let whole = Span::new(span.lo, if help.with_component { hi } else { span.hi });
                error = error.with_fix(whole, meant);
            }
            error = error.with_help(help.text);
        }
        self.report(error);
    }

    /// Whether the name's declaration had an error, so that its use is not reported.
    pub(crate) fn is_invalid(&self, name: &str) -> bool {
        self.invalid_names.contains(name)
            || split(name).is_some_and(|(prefix, _)| self.invalid_names.contains(prefix))
    }

    fn undeclared_help(&self, name: &str, component: &str) -> Option<Help> {
        let range = split(name).and_then(|(prefix, _)| Some((prefix, self.names.ranges.get(prefix)?)));
        if let Some((prefix, entry)) = range {
            let count = entry.value.count;
            return Some(Help::text(match count.checked_sub(1) {
                Some(last) => format!("`{prefix}<{count}>` declares `{prefix}0` to `{prefix}{last}`"),
                None => format!("`{prefix}<0>` declares no registers"),
            }));
        }
        if let Some(register) = self.register_meant(name) {
            return Some(Help::name(register));
        }
        if let Some(special) = special_meant(name, component) {
            return Some(Help::special("special registers begin with `%`", special));
        }
        let lower = name.to_ascii_lowercase();
        if name != lower && SpecialReg::from_ptx(lower.trim_start_matches('%')).is_some() {
            let meant = special_meant(lower.trim_start_matches('%'), component);
            return meant.map(|special| Help::special("special registers are in lower case", special));
        }
        if name != lower
            && (self.is_of_range(&lower) || self.names.entities.names().any(|known| known == lower))
        {
            return Some(Help::name(lower));
        }
        let specials = SpecialReg::all().map(|special| special.to_string());
        let specials: Vec<String> = if name.starts_with('%') { specials.collect() } else { Vec::new() };
        let names = self.names.entities.names().chain(specials.iter().map(String::as_str));
        match nearest(name, names) {
            Some(near) => Some(Help::name(near.to_owned())),
            None if name.starts_with('%') => {
                Some(Help::text(format!("declare it first, with its type: `.reg .b32 {name};`")))
            }
            None => None,
        }
    }

    /// The register of a range that a name without its `%` means.
    fn register_meant(&self, name: &str) -> Option<String> {
        let register = format!("%{name}");
        self.is_of_range(&register).then_some(register)
    }

    /// Whether a range of registers has one of this name.
    fn is_of_range(&self, name: &str) -> bool {
        let range = split(name).and_then(|(prefix, number)| Some((self.names.ranges.get(prefix)?, number)));
        range.is_some_and(|(entry, number)| u64::from(number) < u64::from(entry.value.count))
    }
}

/// The help for an undeclared name.
struct Help {
    text: String,
    /// What to write in its place.
    meant: Option<String>,
    /// Whether that replaces the component after the name, too.
    with_component: bool,
}

impl Help {
    fn text(text: String) -> Self {
        Self { text, meant: None, with_component: false }
    }

    fn name(meant: String) -> Self {
        Self { text: format!("did you mean `{meant}`?"), meant: Some(meant), with_component: false }
    }

    fn special(reason: &str, meant: String) -> Self {
        Self { text: format!("{reason}: write `{meant}`"), meant: Some(meant), with_component: true }
    }
}

/// The special register that a name without its `%` means, with the requested component; also accepts the names of CUDA C++.
fn special_meant(name: &str, component: &str) -> Option<String> {
    let name = match name {
        "threadIdx" => "tid",
        "blockIdx" => "ctaid",
        "blockDim" => "ntid",
        "gridDim" => "nctaid",
        "warpSize" => return Some("WARP_SZ".to_owned()),
        name => name,
    };
    let special = SpecialReg::from_ptx(name)?;
    let component = component.to_ascii_lowercase();
    let component = if Component::from_ptx(&component).is_some() { component.as_str() } else { "x" };
    Some(if special.is_vector() { format!("{special}.{component}") } else { special.to_string() })
}
