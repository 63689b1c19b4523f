//! Names of variables, functions and registers, and what they stand for.

use ptx_diag::{Diagnostic, Span, nearest};
use ptx_ir::{At, FunctionId, Operand, RegDecl, RegDeclId, RegId, Register, Symbol, VarId, VectorShape};
use ptx_isa::{Component, ScalarType, SpecialReg};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes;
use crate::lexer::TokenKind;
use crate::mentions::Mentions;
use crate::reader::{Parse, Reader};
use crate::scoped::Scoped;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entity {
    Variable(VarId),
    Function(FunctionId),
    /// A register that no statement has mentioned yet.
    Declared(RegDeclId),
    Register(RegId),
    /// A register that is declared outside of functions.
    Outer(RegDeclId),
    /// A register of a range or of the module, remembered in the scope that mentions it; with the depth of its declaration.
    OfRange(RegId, u32),
    Special(SpecialReg),
}

impl Entity {
    /// Whether it refers to what is declared elsewhere, and is recorded here only to be found quickly.
    pub(crate) const fn is_remembered(self) -> bool {
        matches!(self, Entity::OfRange(..) | Entity::Special(_))
    }
}

/// A range of registers or variables, by the name before the number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    first: First,
    count: u32,
}

/// What a range's number 0 is.
#[derive(Clone, Copy, Debug)]
enum First {
    Register(RegDeclId),
    /// Registers that are declared outside of functions.
    Outer(RegDeclId),
    /// The variables of a range are added one after the other.
    Variable(VarId),
}

/// A range of registers that was looked up, by the name before the number.
#[derive(Clone, Copy)]
struct Recent<'s> {
    name: &'s str,
    decl: RegDeclId,
    count: u32,
}

/// The ranges looked up last, which nearly all operands name; each has one place it can be remembered in.
#[derive(Default)]
struct RecentRanges<'s>([Option<Recent<'s>>; RECENT_RANGES]);

const RECENT_RANGES: usize = 32;

impl<'s> RecentRanges<'s> {
    #[inline]
    fn place(name: &str) -> usize {
        let [.., other, last] = name.as_bytes() else { return 0 };
        // `%r`, `%rd`, `%rs`, `%f`, `%fd`, `%p` and `%b` have places of their own.
        (usize::from(*last) + 3 * usize::from(*other)) % RECENT_RANGES
    }

    #[inline]
    fn get(&self, name: &str) -> Option<Recent<'s>> {
        let recent = self.0[Self::place(name)]?;
        // These are a few bytes, for which a loop is faster than a call.
        let same = recent.name.len() == name.len() && recent.name.bytes().eq(name.bytes());
        same.then_some(recent)
    }

    fn keep(&mut self, recent: Recent<'s>) {
        self.0[Self::place(recent.name)] = Some(recent);
    }

    /// Forgets all: names may mean something else from here on.
    fn clear(&mut self) {
        self.0 = [None; RECENT_RANGES];
    }
}

/// The names that can be used.
pub(crate) struct Names<'s> {
    pub(crate) entities: Scoped<'s, Entity>,
    pub(crate) ranges: Scoped<'s, Range>,
    /// Names of single registers that a range could have too: by the name before the number, the smallest number.
    numbered: Scoped<'s, u32>,
    /// Ranges of registers that stand for themselves alone: no single register has such a name.
    recent: RecentRanges<'s>,
    /// Mentioned registers: the same register is mentioned in many scopes.
    mentioned: Mentions,
    /// What the body declares in the place of registers of the module.
    outer: FxHashMap<RegDeclId, RegDeclId>,
    /// Functions of the module, which are declared while the scope of their parameters is open.
    functions: FxHashMap<&'s str, (FunctionId, Span)>,
    /// Functions that have a body.
    pub(crate) defined: FxHashSet<&'s str>,
}

impl<'s> Names<'s> {
    pub(crate) fn new() -> Self {
        Self {
            entities: Scoped::new(),
            ranges: Scoped::new(),
            numbered: Scoped::new(),
            recent: RecentRanges::default(),
            mentioned: Mentions::default(),
            outer: FxHashMap::default(),
            functions: FxHashMap::default(),
            defined: FxHashSet::default(),
        }
    }

    /// Where a module variable or function of this name was declared first, and what it is.
    pub(crate) fn module_name(&self, name: &str) -> Option<(Entity, Span)> {
        match self.functions.get(name) {
            Some(&(id, span)) => Some((Entity::Function(id), span)),
            None => self.entities.get_outermost(name).map(|entry| (entry.value, entry.span)),
        }
    }

    /// Makes a function known to the module.
    pub(crate) fn add_function(&mut self, name: &'s str, id: FunctionId, span: Span) {
        self.functions.insert(name, (id, span));
    }

    pub(crate) fn enter(&mut self) {
        self.entities.enter();
        self.ranges.enter();
        self.numbered.enter();
    }

    pub(crate) fn leave(&mut self) {
        self.entities.leave();
        let declared = self.ranges.leave() + self.numbered.leave();
        if declared > 0 {
            self.recent.clear();
        }
    }

    /// Forgets what belongs to the body that ends.
    pub(crate) fn end_body(&mut self) {
        self.mentioned.clear();
        self.outer.clear();
    }
}

/// Splits a name before all its digits: the name and the number of a register that a range may declare.
///
/// As `ptxas` does it, zeros may lead, and no other digits belong to the range's name: `r1<5>` declares nothing that can
/// be named.
#[inline]
fn split(name: &str) -> Option<(&str, u32)> {
    let bytes = name.as_bytes();
    let digits = bytes.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let at = bytes.len() - digits;
    let (prefix, number) = (name.get(..at)?, bytes.get(at..)?);
    if prefix.is_empty() || number.is_empty() {
        return None;
    }
    let digit = |number: u32, digit: &u8| number.checked_mul(10)?.checked_add(u32::from(digit - b'0'));
    Some((prefix, number.iter().try_fold(0, digit)?))
}

impl<'s> Reader<'s, '_> {
    /// What a name stands for here, mentioning registers of ranges.
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

    /// The register of a range, when nothing else has such a name: what nearly all operands are.
    #[inline]
    pub(crate) fn lookup_register_of_range(&mut self, name: &'s str) -> Option<RegId> {
        let (prefix, number) = split(name)?;
        let range = match self.names.recent.get(prefix) {
            Some(range) => range,
            None => self.remember_range(prefix)?,
        };
        if number < range.count { Some(self.mention(range.decl, number)) } else { None }
    }

    /// The range of registers of this name, when no single register has such a name with a number.
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

    /// Whether a range deeper inside than `depth` has the name.
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

    /// The register of a declaration with this number, which exists from its first mention on.
    fn mention(&mut self, decl: RegDeclId, number: u32) -> RegId {
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

    /// Declares one name of a `.reg` directive outside of functions.
    pub(crate) fn declare_outer_register(
        &mut self,
        (name, span): (&'s str, Span),
        decl: RegDecl,
    ) -> Parse<()> {
        self.check_special(name, span)?;
        let (id, count) = (RegDeclId(self.module.registers.len() as u32), decl.count);
        match count {
            Some(count) => {
                self.check_free_range(name, span, count)?;
                self.declare_range(name, Range { first: First::Outer(id), count }, span);
            }
            None => self.declare(name, span, Entity::Outer(id))?,
        }
        self.module.registers.push(decl);
        Ok(())
    }

    /// Declares one name of a `.reg` directive.
    pub(crate) fn declare_register(
        &mut self,
        (name, span): (&'s str, Span),
        ty: ScalarType,
        shape: VectorShape,
        count: Option<u32>,
    ) -> Parse<RegDeclId> {
        match count {
            Some(count) => self.check_free_range(name, span, count)?,
            None => self.check_free(name, span)?,
        }
        let decl = RegDeclId(self.body.reg_decls.len() as u32);
        let id = self.module.strings.intern(name);
        self.body.reg_decls.push(RegDecl { name: id, ty, shape, count, at: At(span) });
        match count {
            Some(count) => self.declare_range(name, Range { first: First::Register(decl), count }, span),
            None => {
                self.names.entities.insert(name, Entity::Declared(decl), span);
                self.remember_number(name, span);
            }
        }
        Ok(decl)
    }

    /// Declares a range of variables that follow each other.
    pub(crate) fn declare_variables(
        &mut self,
        (name, span): (&'s str, Span),
        first: VarId,
        count: u32,
    ) -> Parse<()> {
        self.check_free_range(name, span, count)?;
        self.declare_range(name, Range { first: First::Variable(first), count }, span);
        Ok(())
    }

    fn declare_range(&mut self, name: &'s str, range: Range, span: Span) {
        self.names.ranges.insert(name, range, span);
        self.names.recent.clear();
    }

    /// The register of a parameter, which is mentioned by being one.
    pub(crate) fn declare_register_param(
        &mut self,
        name: (&'s str, Span),
        ty: ScalarType,
        shape: VectorShape,
    ) -> Parse<(RegDeclId, RegId)> {
        let decl = if name.0 == "_" {
            let decl = RegDeclId(self.body.reg_decls.len() as u32);
            let id = self.module.strings.intern(name.0);
            self.body.reg_decls.push(RegDecl { name: id, ty, shape, count: None, at: At(name.1) });
            decl
        } else {
            self.declare_register(name, ty, shape, None)?
        };
        let register = self.mention(decl, 0);
        if name.0 != "_" {
            self.names.entities.replace(name.0, Entity::Register(register));
        }
        Ok((decl, register))
    }

    /// Refuses the name of a special register for what belongs to the module; functions may hide them.
    pub(crate) fn check_special(&self, name: &str, span: Span) -> Parse<()> {
        let special = name.strip_prefix('%').and_then(SpecialReg::from_ptx);
        match special {
            Some(_) => {
                let message = format!("`{name}` is a special register");
                Err(Box::new(Diagnostic::error(codes::DUPLICATE, span, message)))
            }
            None => Ok(()),
        }
    }

    /// Declares a name in the innermost scope.
    pub(crate) fn declare(&mut self, name: &'s str, span: Span, entity: Entity) -> Parse<()> {
        self.check_free(name, span)?;
        self.names.entities.insert(name, entity, span);
        self.remember_number(name, span);
        Ok(())
    }

    fn check_free(&self, name: &str, span: Span) -> Parse<()> {
        if self.names.entities.depth() == 0
            && let Some(&(_, first)) = self.names.functions.get(name)
        {
            return self.check_unused(Some(first), name, span);
        }
        if let Some(entry) = self.names.entities.get_here(name)
            && !entry.value.is_remembered()
        {
            return self.check_unused(Some(entry.span), name, span);
        }
        self.check_unused(self.label_here(name), name, span)?;
        let of_range = split(name).and_then(|(prefix, number)| {
            self.names.ranges.get_here(prefix).filter(|entry| number < entry.value.count)
        });
        self.check_unused(of_range.map(|entry| entry.span), name, span)
    }

    fn check_free_range(&self, name: &str, span: Span, count: u32) -> Parse<()> {
        self.check_unused(self.names.ranges.get_here(name).map(|entry| entry.span), name, span)?;
        let numbered = self.names.numbered.get_here(name).filter(|entry| entry.value < count);
        self.check_unused(numbered.map(|entry| entry.span), name, span)
    }

    /// Notes that a single name looks like one of a range, for ranges declared later in this scope.
    fn remember_number(&mut self, name: &'s str, span: Span) {
        // With the shortest name before the number, as every range is named that a compiler makes.
        let Some((prefix, number)) = split(name) else { return };
        match self.names.numbered.get_here(prefix) {
            Some(entry) if entry.value <= number => {}
            _ => {
                self.names.numbered.insert(prefix, number, span);
                self.names.recent.clear();
            }
        }
    }

    fn check_unused(&self, first: Option<Span>, name: &str, span: Span) -> Parse<()> {
        let Some(first) = first else { return Ok(()) };
        let message = format!("`{name}` is declared twice in this scope");
        let error = Diagnostic::error(codes::DUPLICATE, span, message);
        Err(Box::new(error.with_related(first, "first declared here")))
    }

    /// The operand that a name alone is; nothing when it is undeclared.
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
                // Looking it up has mentioned them.
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

    /// Reports that a name is undeclared, once a function, and marks the statement as not to be kept.
    pub(crate) fn undeclared(&mut self, name: &'s str, span: Span, what: &str) {
        self.broken = true;
        if self.is_spoiled(name) || !self.reported.insert(name) {
            return;
        }
        let what = if name.starts_with('%') { "register" } else { what };
        let message = format!("{what} `{name}` is not declared");
        let mut error = Diagnostic::error(codes::UNDECLARED, span, message);
        if let Some(help) = self.undeclared_help(name) {
            error = error.with_help(help);
        }
        self.report(error);
    }

    /// Whether the name's declaration was wrong, so that its use is not reported again.
    pub(crate) fn is_spoiled(&self, name: &str) -> bool {
        self.spoiled.contains(name) || split(name).is_some_and(|(prefix, _)| self.spoiled.contains(prefix))
    }

    fn undeclared_help(&mut self, name: &str) -> Option<String> {
        let range = split(name).and_then(|(prefix, _)| Some((prefix, self.names.ranges.get(prefix)?)));
        if let Some((prefix, entry)) = range {
            let count = entry.value.count;
            return Some(match count.checked_sub(1) {
                Some(last) => format!("`{prefix}<{count}>` declares `{prefix}0` to `{prefix}{last}`"),
                None => format!("`{prefix}<0>` declares no registers"),
            });
        }
        if let Some(register) = self.register_meant(name) {
            return Some(format!("did you mean `{register}`?"));
        }
        if let Some(special) = self.special_meant(name) {
            return Some(format!("special registers begin with `%`: write `{special}`"));
        }
        let specials = SpecialReg::all().map(|special| special.to_string());
        let specials: Vec<String> = if name.starts_with('%') { specials.collect() } else { Vec::new() };
        let names = self.names.entities.names().chain(specials.iter().map(String::as_str));
        match nearest(name, names) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None if name.starts_with('%') => {
                Some(format!("declare it first, with its type: `.reg .b32 {name};`"))
            }
            None => None,
        }
    }

    /// The register of a range that a name without its `%` means.
    fn register_meant(&self, name: &str) -> Option<String> {
        let register = format!("%{name}");
        let (prefix, number) = split(&register)?;
        let is_declared = u64::from(number) < u64::from(self.names.ranges.get(prefix)?.value.count);
        is_declared.then_some(register)
    }

    /// The special register that a name without its `%` means, with the component that is asked for; also as CUDA C++ calls it.
    fn special_meant(&mut self, name: &str) -> Option<String> {
        let name = match name {
            "threadIdx" => "tid",
            "blockIdx" => "ctaid",
            "blockDim" => "ntid",
            "gridDim" => "nctaid",
            "warpSize" => return Some("WARP_SZ".to_owned()),
            name => name,
        };
        let special = SpecialReg::from_ptx(name)?;
        let component = match *self.cursor.kind() {
            TokenKind::Directive(component) if Component::from_ptx(component).is_some() => component,
            _ => "x",
        };
        Some(if special.is_vector() { format!("{special}.{component}") } else { special.to_string() })
    }
}
