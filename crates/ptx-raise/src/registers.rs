//! Names of registers.
//!
//! While a function is selected, its registers have numbers by class. When they are final they get their names: that of
//! LLVM's value, if PTX allows it and it is unique, and a number in the order of the text otherwise.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ptx_ir::{At, Body, RegDecl, RegDeclId, RegId, Stmt, Strings, VectorShape};
use ptx_isa::{ScalarType, SpecialReg};
use ptx_llvm_core::view::InstId;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::names;

/// Longer names are cut.
const LONGEST: usize = 32;

/// Names that declarations of one line hold.
const PER_LINE: usize = 8;

/// One more than the highest number that a register may have by its name in a body that uses `mentioned` registers. LLVM appends numbers to
/// make names unique (`%r12` inlined is `%r122302454`), and a range costs `ptxas` memory up to its highest number, used or not.
const fn highest_number(mentioned: usize) -> u32 {
    const SPARE: u32 = 256;
    let mentioned = if mentioned > (u32::MAX / 8) as usize { u32::MAX / 8 } else { mentioned as u32 };
    4 * mentioned + SPARE
}

/// The values in registers, for their names.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    /// By register, the first value that it was noted for.
    wishes: Vec<Option<Wish>>,
}

/// A part of a value with a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Wish {
    pub(crate) rank: Rank,
    pub(crate) named: Named,
    /// Which of its registers this is; `None` where there is one.
    pub(crate) part: Option<u32>,
}

/// An LLVM value with a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Named {
    Parameter(usize),
    Inst(InstId),
}

/// The value whose name a shared register gets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Rank {
    /// A phi, which is the variable of a loop.
    Phi,
    /// Any other value.
    Value,
}

impl Wanted {
    /// Records the value of a register.
    pub(crate) fn note(&mut self, register: RegId, wish: Wish) {
        if self.wishes.len() <= register.index() {
            self.wishes.resize(register.index() + 1, None);
        }
        if let Some(slot @ None) = self.wishes.get_mut(register.index()) {
            *slot = Some(wish);
        }
    }

    /// Whether a value with a name was noted for a register.
    pub(crate) fn is_noted(&self, register: RegId) -> bool {
        self.wishes.get(register.index()).is_some_and(Option::is_some)
    }

    /// Pairs of registers that request the same name, each with the first one that does.
    pub(crate) fn namesakes<'n>(&self, name_of: &dyn Fn(Named) -> Option<&'n str>) -> Vec<(RegId, RegId)> {
        let mut first: HashMap<(&str, Option<u32>), RegId> = HashMap::default();
        let wishes = self.wishes.iter().enumerate();
        let named = wishes.filter_map(|(at, wish)| {
            let wish = (*wish)?;
            Some((RegId(at as u32), (name_of(wish.named)?, wish.part)))
        });
        named
            .filter_map(|(register, name)| {
                let known = *first.entry(name).or_insert(register);
                (known != register).then_some((known, register))
            })
            .collect()
    }

    /// By register of the finished text, its value; `settled` maps a register to its final one.
    fn settle(self, settled: &dyn Fn(RegId) -> RegId) -> Vec<Option<Wish>> {
        let mut best: Vec<Option<Wish>> = vec![None; self.wishes.len()];
        for (at, wish) in self.wishes.into_iter().enumerate() {
            let (Some(wish), register) = (wish, settled(RegId(at as u32))) else { continue };
            if best.len() <= register.index() {
                best.resize(register.index() + 1, None);
            }
            if let Some(slot) = best.get_mut(register.index())
                && slot.is_none_or(|own| wish.rank < own.rank)
            {
                *slot = Some(wish);
            }
        }
        best
    }
}

/// The registers that the text mentions, in its order, those of `foreign` declarations aside.
fn mentioned(body: &Body, foreign: &HashSet<RegDeclId>) -> Vec<RegId> {
    let mut seen = vec![false; body.registers.len()];
    let mut order = Vec::new();
    for statement in &body.statements {
        let Stmt::Inst(inst) = statement else { continue };
        body.for_each_register(inst, |register, _| {
            let Some(seen) = seen.get_mut(register.index()) else { return };
            let own = body.registers.get(register.index()).is_some_and(|own| !foreign.contains(&own.decl));
            if own && !std::mem::replace(seen, true) {
                order.push(register);
            }
        });
    }
    order
}

/// The parts of a name that ends in a number; `None` for others and for numbers with leading zeros.
fn numbered(name: &str) -> Option<(&str, u32)> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.get(stem.len()..)?;
    let plain = digits == "0" || !digits.is_empty() && !digits.starts_with('0');
    Some((stem, digits.parse().ok().filter(|_| plain)?))
}

/// The names and their state.
struct Naming<'b> {
    strings: &'b mut Strings,
    /// The declaration of each class, by type.
    classes: Vec<(ScalarType, RegDeclId, String)>,
    /// Numbers that registers of a class have by their names.
    numbers: HashMap<RegDeclId, HashSet<u32>>,
    taken: HashSet<String>,
    /// The prefixes of register ranges of inline assembly, which include all names that continue with digits.
    foreign_stems: HashSet<String>,
    /// The number of further requests of a name.
    repeats: HashMap<String, u32>,
}

impl Naming<'_> {
    fn is_free(&self, name: &str) -> bool {
        let special = name.strip_prefix('%').and_then(SpecialReg::from_ptx).is_some();
        // A range includes all numbers after its name, for `ptxas` also those with leading zeros.
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let of_class = stem.len() < name.len()
            && (self.classes.iter().any(|(_, _, own)| own == stem) || self.foreign_stems.contains(stem));
        !special && !of_class && !self.taken.contains(name)
    }

    /// A name for a value, unlike any other.
    fn unique(&mut self, name: &str) -> String {
        let spelled = names::spelled(name);
        let spelled = if spelled.is_empty() { "_".to_owned() } else { spelled };
        let stem = format!("%{}", spelled.get(..LONGEST).unwrap_or(&spelled));
        let mut repeats = std::mem::take(&mut self.repeats);
        let found = names::numbered(stem, &mut repeats, |name| !self.is_free(name));
        self.repeats = repeats;
        self.taken.insert(found.clone());
        found
    }
}

/// Names the registers of a finished body; `settled` maps a register to its final one. Registers of the declarations
/// `foreign` keep their names. Those of bits among `floats` are floating-point registers if they have such a name.
pub(crate) fn name_registers<'n>(
    body: &mut Body,
    strings: &mut Strings,
    wanted: Wanted,
    settled: &dyn Fn(RegId) -> RegId,
    foreign: &HashSet<RegDeclId>,
    floats: &HashSet<RegId>,
    name_of: &dyn Fn(Named) -> Option<&'n str>,
) {
    let order = mentioned(body, foreign);
    let limit = highest_number(order.len());
    let wishes = wanted.settle(settled);
    let mut naming = Naming {
        strings,
        classes: Vec::new(),
        numbers: HashMap::default(),
        taken: HashSet::default(),
        foreign_stems: HashSet::default(),
        repeats: HashMap::default(),
    };
    for (at, decl) in body.reg_decls.iter().enumerate() {
        let id = RegDeclId(at as u32);
        let name = naming.strings.get(decl.name).to_owned();
        match (foreign.contains(&id), decl.count) {
            (true, None) => {
                naming.taken.insert(name);
            }
            (true, Some(_)) => {
                naming.foreign_stems.insert(name);
            }
            (false, _) => naming.classes.push((decl.ty, id, name)),
        }
    }
    let mut singles: Vec<(RegId, String)> = Vec::new();
    // Classes whose registers are called as those of another.
    let mut joined: HashMap<RegDeclId, RegDeclId> = HashMap::default();
    let mut unnamed: Vec<RegId> = Vec::new();
    for &register in &order {
        let Some(own) = body.registers.get(register.index()).copied() else { continue };
        let wish = wishes.get(register.index()).copied().flatten();
        let Some((wish, name)) = wish.and_then(|wish| Some((wish, name_of(wish.named)?))) else {
            unnamed.push(register);
            continue;
        };
        let spelled = wish.part.map_or(Cow::Borrowed(name), |part| Cow::Owned(format!("{name}_{part}")));
        let wish: &str = &spelled;
        // Registers of bits hold numbers of any kind: newer compilers have one range for both.
        let ty = body.reg_type(register);
        let of_class = numbered(wish).and_then(|(stem, number)| {
            let class = naming.classes.iter().find(|(_, _, name)| name.strip_prefix('%') == Some(stem))?;
            let holds_bits = ty.as_bits() == Some(class.0);
            let holds_float =
                class.0.is_float() && class.0.as_bits() == Some(ty) && floats.contains(&register);
            (class.1 == own.decl || holds_bits || holds_float).then_some((class.1, number, holds_bits))
        });
        if let Some((class, number, holds_bits)) = of_class {
            let is_new = number < limit && naming.numbers.entry(class).or_default().insert(number);
            if holds_bits && class != own.decl {
                joined.insert(own.decl, class);
            }
            match body.registers.get_mut(register.index()) {
                Some(entry) if is_new => (entry.decl, entry.number) = (class, number),
                Some(_) | None => unnamed.push(register),
            }
            continue;
        }
        singles.push((register, naming.unique(wish)));
    }
    for &register in &unnamed {
        if let Some(own) = body.registers.get_mut(register.index()) {
            own.decl = joined.get(&own.decl).copied().unwrap_or(own.decl);
        }
    }
    number(body, unnamed, &naming.numbers);
    declare(body, &mut naming, order, singles, foreign);
}

/// Gives the registers without names the numbers that are free, in order: of code that was PTX these are those of values whose names
/// LLVM IR does not hold, in the same order.
fn number(body: &mut Body, unnamed: Vec<RegId>, numbers: &HashMap<RegDeclId, HashSet<u32>>) {
    let mut next: HashMap<RegDeclId, u32> = HashMap::default();
    for register in unnamed {
        let Some(own) = body.registers.get_mut(register.index()) else { continue };
        let number = next.entry(own.decl).or_insert(1);
        while numbers.get(&own.decl).is_some_and(|taken| taken.contains(number)) {
            *number = number.saturating_add(1);
        }
        own.number = *number;
        *number = number.saturating_add(1);
    }
}

/// Declares the registers that are used: ranges of the classes, then the others by type.
fn declare(
    body: &mut Body,
    naming: &mut Naming<'_>,
    mentioned: Vec<RegId>,
    singles: Vec<(RegId, String)>,
    foreign: &HashSet<RegDeclId>,
) {
    let mut ranges: BTreeMap<RegDeclId, u32> = BTreeMap::new();
    let named: HashSet<RegId> = singles.iter().map(|(register, _)| *register).collect();
    for register in mentioned {
        let Some(own) = body.registers.get(register.index()).filter(|_| !named.contains(&register)) else {
            continue;
        };
        let count = ranges.entry(own.decl).or_default();
        *count = own.number.saturating_add(1).max(*count);
    }
    let mut declarations = Vec::new();
    for (decl, count) in ranges {
        if let Some(entry) = body.reg_decls.get_mut(decl.0 as usize) {
            entry.count = Some(count);
        }
        declarations.push(Stmt::Registers(decl, RegDeclId(decl.0 + 1)));
    }
    let mut by_class: BTreeMap<RegDeclId, Vec<(RegId, String)>> = BTreeMap::new();
    for (register, name) in singles {
        let Some(class) = body.registers.get(register.index()).map(|own| own.decl) else { continue };
        by_class.entry(class).or_default().push((register, name));
    }
    for (class, list) in by_class {
        let Some(ty) = body.reg_decls.get(class.0 as usize).map(|decl| decl.ty) else { continue };
        for line in list.chunks(PER_LINE) {
            let first = RegDeclId(body.reg_decls.len() as u32);
            for (register, name) in line {
                let decl = RegDeclId(body.reg_decls.len() as u32);
                let name = naming.strings.intern(name);
                let shape = VectorShape::Scalar;
                body.reg_decls.push(RegDecl { name, ty, shape, count: None, at: At::default() });
                if let Some(own) = body.registers.get_mut(register.index()) {
                    (own.decl, own.number) = (decl, 0);
                }
            }
            declarations.push(Stmt::Registers(first, RegDeclId(body.reg_decls.len() as u32)));
        }
    }
    let is_old =
        |statement: &Stmt| matches!(statement, Stmt::Registers(first, _) if !foreign.contains(first));
    body.statements.retain(|statement| !is_old(statement));
    body.statements.splice(0..0, declarations);
}
