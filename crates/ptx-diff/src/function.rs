//! Two functions compared.

use std::collections::BTreeMap;

use ptx_ir::{
    Body, Function, FunctionId, Inst, Module, Param, Stmt, print_instruction, print_signature,
    print_statement,
};
use ptx_isa::Opcode;

use crate::align::{Aligned, align};
use crate::blocks::{Block, BlockChange, blocks, match_blocks};
use crate::edit::{Edit, Line};
use crate::key::{Key, Keys};
use crate::names::{Name, Renaming, names};

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
    /// The basic blocks of the first, in the order of the text.
    pub before_blocks: Vec<Block>,
    /// The basic blocks of the second.
    pub after_blocks: Vec<Block>,
    /// Which blocks are which, in the order of the first.
    pub blocks: Vec<BlockChange>,
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
    id: FunctionId,
    function: &'m Function,
}

/// The statements of a function that are compared, with their keys and their blocks.
struct Statements<'m> {
    statements: Vec<&'m Stmt>,
    keys: Vec<Key>,
    of_blocks: Vec<usize>,
    blocks: Vec<Block>,
}

impl<'m> Side<'m> {
    pub(crate) fn new(module: &'m Module, keys: &'m Keys<'m>, id: FunctionId) -> Self {
        Self { module, keys, id, function: module.function(id) }
    }

    pub(crate) fn name(&self) -> &'m str {
        self.module.name(self.function.name)
    }

    /// The statements that are compared, with their numbers and keys.
    fn keyed(&self) -> impl Iterator<Item = (usize, &'m Stmt, Key)> {
        self.function.body.iter().flat_map(move |body| {
            let all = body.statements.iter().enumerate();
            all.filter_map(move |(at, statement)| {
                Some((at, statement, self.keys.of(self.id, body, statement)?))
            })
        })
    }

    fn statements(&self) -> Statements<'m> {
        let (blocks, of_statements) = match &self.function.body {
            Some(body) => blocks(self.module, body, self.function.at.0),
            None => (Vec::new(), Vec::new()),
        };
        let mut all = Statements { statements: Vec::new(), keys: Vec::new(), of_blocks: Vec::new(), blocks };
        for (at, statement, key) in self.keyed() {
            all.statements.push(statement);
            all.keys.push(key);
            all.of_blocks.push(of_statements[at]);
        }
        all
    }

    /// The keys of its statements alone.
    pub(crate) fn keys(&self) -> Vec<Key> {
        self.keyed().map(|(_, _, key)| key).collect()
    }

    fn names(&self, statement: &Stmt) -> Vec<Name> {
        match &self.function.body {
            Some(body) => names(self.keys, body, statement),
            None => Vec::new(),
        }
    }

    fn line(&self, statement: &Stmt, block: usize) -> Line {
        let Some(body) = &self.function.body else {
            let span = self.function.at.0;
            return Line { text: String::new(), span, block, is_instruction: false };
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
        Line { text, span, block, is_instruction: matches!(statement, Stmt::Inst(_)) }
    }
}

/// Whether two statements of the same key have the same modifiers.
fn has_same_modifiers(before: &Stmt, after: &Stmt) -> bool {
    match (before, after) {
        (Stmt::Inst(before), Stmt::Inst(after)) => before.mnemonic == after.mnemonic,
        _ => true,
    }
}

/// Compares two functions.
pub(crate) fn compare(before: &Side<'_>, after: &Side<'_>) -> FunctionChange {
    let (old, new) = (before.statements(), after.statements());
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
    let line =
        |side: &Side<'_>, all: &Statements<'_>, at: usize| side.line(all.statements[at], all.of_blocks[at]);
    let edits = align(&old.keys, &new.keys).into_iter().map(|aligned| match aligned {
        Aligned::Before(at) => Edit::Removed(line(before, &old, at)),
        Aligned::After(at) => Edit::Added(line(after, &new, at)),
        Aligned::Both(one, other) => {
            let lines = (line(before, &old, one), line(after, &new, other));
            let (one, other) = (old.statements[one], new.statements[other]);
            // Names correspond from here on also if the modifiers differ.
            let are_related = renaming.relates(&before.names(one), &after.names(other));
            if are_related && has_same_modifiers(one, other) {
                Edit::Same(lines.0, lines.1)
            } else {
                Edit::Changed(lines.0, lines.1)
            }
        }
    });
    let edits: Vec<Edit> = edits.collect();
    let anonymous = |side: &Side<'_>| side.keys.anonymous().signature(side.id);
    let differ = anonymous(before) != anonymous(after);
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
        blocks: match_blocks(&edits),
        edits,
        before_blocks: old.blocks,
        after_blocks: new.blocks,
    }
}
