//! Two functions compared.

use std::collections::BTreeMap;

use ptx_diag::Span;
use ptx_ir::{
    Body, Function, Inst, Module, Param, Stmt, print_instruction, print_signature, print_statement,
};
use ptx_isa::Opcode;

use crate::align::{Aligned, align};
use crate::key::{Key, Keys};
use crate::names::{Name, Renaming, names};

/// A statement of one of two functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its text.
    pub text: String,
    /// Where it is in the module's text.
    pub span: Span,
}

/// What became of a statement, in the order of both functions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// It is the same but for names.
    Same(Line, Line),
    /// The opcode and the kinds of the operands are the same, but not the modifiers, or operands name something else than what corresponds.
    Changed(Line, Line),
    /// Only the first function has it.
    Removed(Line),
    /// Only the second function has it.
    Added(Line),
}

impl Edit {
    /// Whether nothing changed.
    pub fn is_same(&self) -> bool {
        matches!(self, Edit::Same(..))
    }
}

/// What a function consists of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Instructions.
    pub instructions: usize,
    /// Registers that are used.
    pub registers: usize,
    /// Instructions by opcode.
    pub opcodes: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn of(body: &Body) -> Self {
        let mut counts = Self { registers: body.registers.len(), ..Self::default() };
        for inst in instructions(body) {
            counts.instructions += 1;
            *counts.opcodes.entry(Opcode::as_str(inst.mnemonic.opcode())).or_default() += 1;
        }
        counts
    }
}

/// How a function of the first module differs from the one of the second.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionChange {
    /// Its name in the first module.
    pub name: String,
    /// Its name in the second module.
    pub new_name: String,
    /// The texts before the bodies, if they differ by more than the names of the function and of its parameters.
    pub signatures: Option<(String, String)>,
    /// What is in the first.
    pub before: Counts,
    /// What is in the second.
    pub after: Counts,
    /// The statements of both.
    pub edits: Vec<Edit>,
}

impl FunctionChange {
    /// Whether the functions are the same but for names.
    pub fn is_same(&self) -> bool {
        self.signatures.is_none() && self.edits.iter().all(Edit::is_same)
    }

    /// The opcodes of which the functions have different numbers, with both.
    pub fn opcodes(&self) -> Vec<(&'static str, usize, usize)> {
        let count = |counts: &Counts, opcode| match counts.opcodes.get(opcode) {
            Some(count) => *count,
            None => 0,
        };
        let mut all: Vec<&'static str> =
            self.before.opcodes.keys().chain(self.after.opcodes.keys()).copied().collect();
        all.sort_unstable();
        all.dedup();
        let counted =
            all.into_iter().map(|opcode| (opcode, count(&self.before, opcode), count(&self.after, opcode)));
        counted.filter(|(_, before, after)| before != after).collect()
    }
}

fn instructions(body: &Body) -> impl Iterator<Item = &Inst> {
    body.statements.iter().filter_map(|statement| match statement {
        Stmt::Inst(inst) => Some(inst),
        _ => None,
    })
}

/// A function with what is compared of it.
pub(crate) struct Side<'m> {
    module: &'m Module,
    keys: &'m Keys<'m>,
    function: &'m Function,
}

impl<'m> Side<'m> {
    pub(crate) fn new(module: &'m Module, keys: &'m Keys<'m>, function: &'m Function) -> Self {
        Self { module, keys, function }
    }

    pub(crate) fn name(&self) -> &'m str {
        self.module.name(self.function.name)
    }

    /// The statements that are compared, with their keys.
    fn statements(&self) -> (Vec<&'m Stmt>, Vec<Key>) {
        let statements = self.function.body.iter().flat_map(|body| {
            body.statements
                .iter()
                .filter_map(move |statement| Some((statement, self.keys.of(body, statement)?)))
        });
        statements.unzip()
    }

    /// The keys of its statements alone.
    pub(crate) fn keys(&self) -> Vec<Key> {
        self.statements().1
    }

    fn names(&self, statement: &Stmt) -> Vec<Name> {
        match &self.function.body {
            Some(body) => names(self.keys, body, statement),
            None => Vec::new(),
        }
    }

    fn line(&self, statement: &Stmt) -> Line {
        let Some(body) = &self.function.body else {
            return Line { text: String::new(), span: self.function.at.0 };
        };
        let (text, span) = match statement {
            Stmt::Inst(inst) => (print_instruction(self.module, body, inst) + ";", inst.at.0),
            Stmt::Label(label) => (print_statement(self.module, body, statement), body.label(*label).at.0),
            Stmt::BranchTargets(label, _) | Stmt::CallTargets(label, _) | Stmt::CallPrototype(label, _) => {
                (print_statement(self.module, body, statement), body.label(*label).at.0)
            }
            Stmt::Variable(id) => {
                (print_statement(self.module, body, statement), self.module.variable(*id).at.0)
            }
            // The function's place, since a pragma has none.
            _ => (print_statement(self.module, body, statement), self.function.at.0),
        };
        Line { text, span }
    }

    /// The text before the body, with numbers for the names of the function and its parameters.
    fn anonymous_signature(&self) -> String {
        let mut text = print_signature(self.module, self.function);
        let registers = self.function.body.as_ref().or(self.function.reg_params.as_deref());
        let parameters = self.function.results.iter().chain(&self.function.params);
        let names = parameters.filter_map(|param| match param {
            Param::Variable(id) => Some(self.module.name(self.module.variable(*id).name)),
            Param::Register(decl, _) => {
                Some(self.module.name(registers?.reg_decls.get(decl.0 as usize)?.name))
            }
        });
        // Each name is searched after the one before it, so that one which is a part of another is not found in it.
        let mut from = 0;
        let mut names: Vec<&str> = names.collect();
        names.insert(self.function.results.len().min(names.len()), self.name());
        for name in names {
            if let Some(at) = find_word(&text[from..], name) {
                let start = from + at;
                text.replace_range(start..start + name.len(), "$");
                from = start + 1;
            }
        }
        text
    }
}

/// Whether two statements of the same key have the same modifiers.
fn has_same_modifiers(before: &Stmt, after: &Stmt) -> bool {
    match (before, after) {
        (Stmt::Inst(before), Stmt::Inst(after)) => before.mnemonic == after.mnemonic,
        _ => true,
    }
}

/// Where a name is in a text that is not a part of a longer one.
fn find_word(text: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let whole = |at: &usize| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part);
    text.match_indices(name).map(|(at, _)| at).find(whole)
}

/// Compares two functions.
pub(crate) fn compare(before: &Side<'_>, after: &Side<'_>) -> FunctionChange {
    let ((old, old_keys), (new, new_keys)) = (before.statements(), after.statements());
    let mut renaming = Renaming::default();
    let parameters = |side: &Side<'_>| -> Vec<Name> {
        let all = side.function.results.iter().chain(&side.function.params);
        all.map(|param| match param {
            Param::Variable(id) => Name::Variable(*id),
            Param::Register(_, id) => Name::Register(*id),
        })
        .collect()
    };
    // Parameters correspond by their places.
    let (mine, theirs) = (parameters(before), parameters(after));
    let common = mine.len().min(theirs.len());
    renaming.relates(&mine[..common], &theirs[..common]);
    let edits = align(&old_keys, &new_keys).into_iter().map(|aligned| match aligned {
        Aligned::Before(at) => Edit::Removed(before.line(old[at])),
        Aligned::After(at) => Edit::Added(after.line(new[at])),
        Aligned::Both(one, other) => {
            let lines = (before.line(old[one]), after.line(new[other]));
            // Names correspond from here on also if the modifiers differ.
            let are_related = renaming.relates(&before.names(old[one]), &after.names(new[other]));
            if are_related && has_same_modifiers(old[one], new[other]) {
                Edit::Same(lines.0, lines.1)
            } else {
                Edit::Changed(lines.0, lines.1)
            }
        }
    });
    let edits = edits.collect();
    let differ = before.anonymous_signature() != after.anonymous_signature();
    let signature = |side: &Side<'_>| print_signature(side.module, side.function);
    let counts = |side: &Side<'_>| match &side.function.body {
        Some(body) => Counts::of(body),
        // A declaration has nothing to count.
        None => Counts::default(),
    };
    FunctionChange {
        name: before.name().to_owned(),
        new_name: after.name().to_owned(),
        signatures: differ.then(|| (signature(before), signature(after))),
        before: counts(before),
        after: counts(after),
        edits,
    }
}
