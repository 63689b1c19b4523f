//! Two modules compared.

use ptx_ir::{FunctionId, Item, Module, VarId, print_variable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::function::{FunctionChange, Side, compare as compare_functions};
use crate::key::{Key, Keys};

/// A text of which the modules have different ones: a directive, or the declaration of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// That of the first module; `None` if it has none.
    pub before: Option<String>,
    /// That of the second module; `None` if it has none.
    pub after: Option<String>,
}

/// What differs between two modules.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// `.version`, `.target`, `.address_size`, and aliases and pragmas outside functions, where they differ.
    pub directives: Vec<Change>,
    /// Variables outside functions, where they differ, in the order of the first module and then of the second.
    pub variables: Vec<Change>,
    /// Functions that both modules have, in the order of the first.
    pub functions: Vec<FunctionChange>,
    /// Functions that only the first module has, by name.
    pub removed: Vec<String>,
    /// Functions that only the second module has, by name.
    pub added: Vec<String>,
}

impl Comparison {
    /// Whether the modules are the same but for names that have no meaning. Functions with other names are not the same.
    pub fn is_same(&self) -> bool {
        let is_same = |function: &FunctionChange| function.is_same() && function.name == function.new_name;
        self.directives.is_empty()
            && self.variables.is_empty()
            && self.removed.is_empty()
            && self.added.is_empty()
            && self.functions.iter().all(is_same)
    }
}

/// Compares two modules.
///
/// ```
/// use ptx_diag::SourceFile;
///
/// let module = |body: &str| {
///     let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{{\n{body}\nret;\n}}\n");
///     ptx_syntax::parse(&SourceFile::new("k.ptx", text)).0
/// };
/// let one = module(".reg .b32 %a, %b; mov.u32 %a, 1; add.s32 %b, %a, 2;");
/// let renamed = module(".reg .b32 %r<3>; mov.u32 %r1, 1; add.s32 %r2, %r1, 2;");
/// let changed = module(".reg .b32 %a, %b; mov.u32 %a, 1; mul.lo.s32 %b, %a, 2;");
/// assert!(ptx_diff::compare(&one, &renamed).is_same());
/// let found = ptx_diff::compare(&one, &changed);
/// assert_eq!(found.functions[0].opcodes(), [("add", 1, 0), ("mul", 0, 1)]);
/// ```
pub fn compare(before: &Module, after: &Module) -> Comparison {
    let (old_keys, new_keys) = (Keys::new(before), Keys::new(after));
    let (old, new) = (functions(before, &old_keys), functions(after, &new_keys));
    let pairs = pairs(&old, &new);
    let (mut of_old, mut of_new) = (FxHashSet::default(), FxHashSet::default());
    for (one, other) in &pairs {
        of_old.insert(*one);
        of_new.insert(*other);
    }
    let rest = |sides: &[Side<'_>], matched: &FxHashSet<usize>| {
        let alone = sides.iter().enumerate().filter(|(at, _)| !matched.contains(at));
        alone.map(|(_, side)| side.name().to_owned()).collect()
    };
    Comparison {
        directives: directives(before, after),
        variables: variables((before, &old_keys), (after, &new_keys)),
        functions: pairs.iter().map(|(one, other)| compare_functions(&old[*one], &new[*other])).collect(),
        removed: rest(&old, &of_old),
        added: rest(&new, &of_new),
    }
}

/// The functions of a module, those with bodies and those that are only declared, each once.
fn functions<'m>(module: &'m Module, keys: &'m Keys<'m>) -> Vec<Side<'m>> {
    let defined: FxHashSet<&str> = module
        .functions
        .iter()
        .filter(|function| function.body.is_some())
        .map(|function| module.name(function.name))
        .collect();
    let mut seen = FxHashSet::default();
    let is_first = |id: &FunctionId| {
        let function = module.function(*id);
        let name = module.name(function.name);
        (function.body.is_some() || !defined.contains(name)) && seen.insert(name)
    };
    module.function_ids().filter(is_first).map(|id| Side::new(module, keys, id)).collect()
}

/// Which functions are compared: those of the same name, and of the others those with equal bodies, if these are not empty.
fn pairs(old: &[Side<'_>], new: &[Side<'_>]) -> Vec<(usize, usize)> {
    let by_name: FxHashMap<&str, usize> =
        new.iter().enumerate().map(|(at, side)| (side.name(), at)).collect();
    let mut pairs: Vec<(usize, usize)> =
        old.iter().enumerate().filter_map(|(at, side)| Some((at, *by_name.get(side.name())?))).collect();
    let matched: FxHashSet<usize> = pairs.iter().map(|(_, other)| *other).collect();
    let mut by_keys: FxHashMap<Vec<Key>, Vec<usize>> = FxHashMap::default();
    for (at, side) in new.iter().enumerate().rev().filter(|(at, _)| !matched.contains(at)) {
        by_keys.entry(side.keys()).or_default().push(at);
    }
    for (at, side) in old.iter().enumerate().filter(|(_, side)| !by_name.contains_key(side.name())) {
        let keys = side.keys();
        let found = if keys.is_empty() { None } else { by_keys.get_mut(&keys).and_then(Vec::pop) };
        pairs.extend(found.map(|other| (at, other)));
    }
    pairs.sort_unstable();
    pairs
}

/// The directives at the start of a module, as they are printed.
fn directives(before: &Module, after: &Module) -> Vec<Change> {
    let text = |module: &Module, is: fn(&Item) -> bool| {
        let item = module.items.iter().find(|item| is(item))?;
        let mut alone = Module { items: vec![item.clone()], ..Module::default() };
        alone.strings.clone_from(&module.strings);
        Some(ptx_ir::print(&alone).trim().to_owned())
    };
    let kinds: [fn(&Item) -> bool; 3] = [
        |item| matches!(item, Item::Version(..)),
        |item| matches!(item, Item::Target(..)),
        |item| matches!(item, Item::AddressSize(..)),
    ];
    let changes = kinds.into_iter().map(|is| Change { before: text(before, is), after: text(after, is) });
    let mut changes: Vec<Change> = changes.filter(|change| change.before != change.after).collect();
    let (old, new) = (aliases_and_pragmas(before), aliases_and_pragmas(after));
    let alone = |texts: &[String], others: &[String]| -> Vec<String> {
        let others: FxHashSet<&String> = others.iter().collect();
        texts.iter().filter(|text| !others.contains(text)).cloned().collect()
    };
    let removed = alone(&old, &new).into_iter().map(|text| Change { before: Some(text), after: None });
    let added = alone(&new, &old).into_iter().map(|text| Change { before: None, after: Some(text) });
    changes.extend(removed.chain(added));
    changes
}

/// The aliases and pragmas outside functions.
fn aliases_and_pragmas(module: &Module) -> Vec<String> {
    let texts = module.items.iter().filter_map(|item| match item {
        Item::Alias(alias, _) => {
            let name = |id| module.name(module.function(id).name);
            Some(format!(".alias {}, {};", name(alias.name), name(alias.target)))
        }
        Item::Pragma(texts, _) => {
            let texts: Vec<String> = texts.iter().map(|text| format!("\"{}\"", module.name(*text))).collect();
            Some(format!(".pragma {};", texts.join(", ")))
        }
        _ => None,
    });
    texts.collect()
}

/// The variables outside functions, by name.
fn variables(before: (&Module, &Keys<'_>), after: (&Module, &Keys<'_>)) -> Vec<Change> {
    let (old, new) = (declarations(before), declarations(after));
    let of_new: FxHashMap<&str, &Declaration<'_>> = new.iter().map(|one| (one.name, one)).collect();
    let of_old: FxHashSet<&str> = old.iter().map(|one| one.name).collect();
    let changed = old.iter().filter_map(|one| {
        let other = of_new.get(one.name).copied();
        let is_same = other.is_some_and(|other| other.compared == one.compared);
        (!is_same).then(|| Change { before: Some(one.text()), after: other.map(Declaration::text) })
    });
    let added = new.iter().filter(|one| !of_old.contains(one.name));
    changed.chain(added.map(|one| Change { before: None, after: Some(one.text()) })).collect()
}

/// The declaration of a variable outside functions.
struct Declaration<'m> {
    module: &'m Module,
    id: VarId,
    name: &'m str,
    /// Its text with constants in one form.
    compared: String,
}

impl Declaration<'_> {
    fn text(&self) -> String {
        print_variable(self.module, self.module.variable(self.id))
    }
}

fn declarations<'m>((module, keys): (&'m Module, &Keys<'_>)) -> Vec<Declaration<'m>> {
    let ids = module.items.iter().filter_map(|item| match item {
        Item::Variable(id) => Some(*id),
        _ => None,
    });
    ids.map(|id| {
        let name = module.name(module.variable(id).name);
        Declaration { module, id, name, compared: keys.anonymous().declaration(id) }
    })
    .collect()
}
