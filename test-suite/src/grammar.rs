//! The grammar against ptxas: valid instructions and small modules with tokens changed, judged by both.
//!
//! [`generate`] changes tokens of instructions that the table says are valid, and of modules with every directive; [`judge`] asks
//! ptxas about them. Most are refused by both. Where the verdicts differ, `grammar-reasons.tsv` says why, or the reader, the table or
//! the verifier is wrong.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_diag::{Diagnostics, SourceFile};
use ptx_gen::{
    Home, Instruction, Level, Seeded, Symbol, each_operand, mutate_tokens, token_registers, valid_instruction,
};
use ptx_isa::{FormId, PtxVersion, Sm};

use crate::judge::in_parallel;
use crate::oracle::Oracles;
use crate::pattern::is_like;

/// How many instructions ptxas is given at once.
const BATCH: usize = 60;

/// How long ptxas may take: on some wrong lines it never ends.
const LIMIT: Duration = Duration::from_secs(20);

/// The symbols that changed text may name.
const SYMBOLS: &[Symbol] = &[
    Symbol::Global,
    Symbol::Shared,
    Symbol::Const,
    Symbol::Local,
    Symbol::KernelParameter,
    Symbol::CallParameter,
    Symbol::Texture,
    Symbol::Sampler,
    Symbol::Surface,
    Symbol::Plain,
    Symbol::InMemory,
    Symbol::InRegisters,
];

/// The modules whose tokens are changed.
pub const MODULES: &[(&str, &str)] = &[
    ("data", include_str!("../grammar/data.ptx")),
    ("functions", include_str!("../grammar/functions.ptx")),
    ("calls", include_str!("../grammar/calls.ptx")),
    ("labels", include_str!("../grammar/labels.ptx")),
    ("debug", include_str!("../grammar/debug.ptx")),
    ("opaque", include_str!("../grammar/opaque.ptx")),
    ("constants", include_str!("../grammar/constants.ptx")),
    ("tuning", include_str!("../grammar/tuning.ptx")),
];

/// A text with changed tokens.
#[derive(Clone, Debug)]
pub struct Change {
    /// What it was: the opcode, or the module's name.
    pub origin: String,
    /// What was changed: the statement, or the first line of the module that differs.
    pub line: String,
    /// The registers that the statement needs in its block; `None` for a whole module.
    registers: Option<String>,
    /// A statement's text is its line; this is a module's.
    module: String,
    /// Where it is judged.
    home: Home,
    /// What we say.
    pub ours: Ours,
    /// The valid mnemonic that was changed, for a statement.
    valid: Option<String>,
}

/// What we say about a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ours {
    /// It is right, and prints as itself.
    Accepted,
    /// It is right, but its print reads as something else.
    Misprinted(String),
    /// It does not read.
    Unreadable(String),
    /// It reads, and breaks a rule.
    Refused(String),
}

/// A difference of verdicts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// We accept what ptxas refuses.
    OnlyWe,
    /// ptxas accepts what we refuse.
    OnlyPtxas,
    /// Both accept, and the print reads as something else.
    Print,
}

impl Side {
    /// Its name in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Side::OnlyWe => "only we",
            Side::OnlyPtxas => "only ptxas",
            Side::Print => "print",
        }
    }

    /// The side with a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn parse(name: &str) -> Result<Self> {
        let sides = [Side::OnlyWe, Side::OnlyPtxas, Side::Print];
        sides
            .into_iter()
            .find(|side| side.as_str() == name)
            .with_context(|| format!("no side is called {name}"))
    }
}

impl Change {
    /// A statement as it is, for a target.
    pub fn statement(line: &str, sm: Sm) -> Self {
        let home = Home { version: PtxVersion::NEWEST, sm };
        let origin = line.split(['.', ' ']).next().unwrap_or_default().to_owned();
        let mut change = Self {
            origin,
            line: line.to_owned(),
            registers: Some(String::new()),
            module: String::new(),
            home,
            ours: Ours::Accepted,
            valid: None,
        };
        change.ours = said(&text(&[&change]).0);
        change
    }

    /// A whole module as it is.
    pub fn module(name: &str, line: &str, text: String) -> Self {
        let ours = said(&text);
        let home = Home { version: PtxVersion::NEWEST, sm: target(&text) };
        let (origin, line) = (name.to_owned(), line.to_owned());
        Self { origin, line, registers: None, module: text, home, ours, valid: None }
    }

    /// The mnemonic that the help for the statement says to write where it is another operation than the written one.
    pub fn lost_operation(&self) -> Option<String> {
        let (Ours::Unreadable(_) | Ours::Refused(_), Some(_)) = (&self.ours, &self.registers) else {
            return None;
        };
        let written = mnemonic_in(&self.line)?;
        let operations = operations_in(written);
        // Of operations that exclude each other one is given up.
        let were_together = self.valid.as_deref().is_some_and(|valid| operations_in(valid) == operations);
        let loses = |offered: &String| {
            let kept = operations_in(offered);
            let is_kept = |one: &&str| kept.contains(one);
            let keeps =
                if were_together { operations.iter().all(is_kept) } else { operations.iter().any(is_kept) };
            match opcode_of(offered) == opcode_of(written) {
                true => !operations.is_empty() && !keeps,
                // A change may have begun another instruction.
                false => !mentions_opcode(&self.line, opcode_of(offered)),
            }
        };
        offered_in(&text(&[self]).0).into_iter().find(loses)
    }

    /// The whole text that is judged, on one line.
    pub fn text(&self) -> String {
        text(&[self]).0.replace('\n', "\\n")
    }

    /// Which verdict differs, and the message of the one that refuses.
    pub fn difference<'a>(&'a self, theirs: Option<&'a str>) -> Option<(Side, &'a str)> {
        match (&self.ours, theirs) {
            (Ours::Accepted | Ours::Misprinted(_), Some(theirs)) => Some((Side::OnlyWe, theirs)),
            (Ours::Unreadable(ours) | Ours::Refused(ours), None) => Some((Side::OnlyPtxas, ours)),
            (Ours::Misprinted(print), None) => Some((Side::Print, print)),
            (Ours::Accepted, None) | (Ours::Unreadable(_) | Ours::Refused(_), Some(_)) => None,
        }
    }
}

/// The first target that a module names, where ptxas knows it.
fn target(text: &str) -> Sm {
    let named = text.split_once(".target").and_then(|(_, rest)| {
        let name: String =
            rest.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        Sm::from_text(&name)
    });
    named.filter(|sm| ptx_gen::TARGETS.contains(sm)).unwrap_or(Sm::arch(100))
}

/// Random changes of instructions and modules, right or wrong.
///
/// So many of a hundred, about, are of modules.
pub fn generate(seed: u64, count: usize, modules: &[(String, String)], modules_in_100: usize) -> Vec<Change> {
    let mut source = Seeded::new(seed);
    let choices: &mut dyn ptx_gen::Choices = &mut source;
    let rows: Vec<FormId> = ptx_isa::form_ids().collect();
    let mut changes = Vec::new();
    while changes.len() < count {
        if choices.below(100) < modules_in_100 {
            let Some((name, text)) = modules.get(choices.below(modules.len())) else { continue };
            for _ in 0..6 {
                changes.extend(change_module(choices, name, text));
            }
            continue;
        }
        let Some(&row) = rows.get(choices.below(rows.len())) else { continue };
        let Some((valid, home)) = valid_instruction(choices, row, None, 10) else { continue };
        for _ in 0..6 {
            changes.extend(change_instruction(choices, &valid, home));
        }
    }
    changes
}

/// One instruction of a row, a short one, with something else for each of its operands.
pub fn generate_each(seed: u64, row: FormId) -> Vec<Change> {
    let mut source = Seeded::new(seed ^ row.index() as u64);
    let choices: &mut dyn ptx_gen::Choices = &mut source;
    let generated = (0..20).filter_map(|_| valid_instruction(choices, row, None, 10));
    let Some((valid, home)) = generated.min_by_key(|(valid, _)| valid.text.len()) else { return Vec::new() };
    let text = format!("{} {}{}", valid.before.trim(), valid.text, valid.after);
    each_operand(text.trim_start()).into_iter().map(|line| changed_instruction(line, &valid, home)).collect()
}

/// Changes one thing or two.
fn change(choices: &mut dyn ptx_gen::Choices, text: &str) -> Option<String> {
    let once = mutate_tokens(choices, text)?;
    if choices.below(4) > 0 { Some(once) } else { mutate_tokens(choices, &once) }
}

fn change_instruction(choices: &mut dyn ptx_gen::Choices, valid: &Instruction, home: Home) -> Option<Change> {
    let text = format!("{} {}{}", valid.before.trim(), valid.text, valid.after);
    let line = change(choices, text.trim_start())?;
    Some(changed_instruction(line, valid, home))
}

fn changed_instruction(line: String, valid: &Instruction, home: Home) -> Change {
    let origin = valid.mnemonic.opcode().as_str().to_owned();
    let registers = Some(valid.registers.declarations());
    let valid = Some(valid.mnemonic.to_string());
    let mut change =
        Change { origin, line, registers, module: String::new(), home, ours: Ours::Accepted, valid };
    change.ours = said(&text(&[&change]).0);
    change
}

fn change_module(choices: &mut dyn ptx_gen::Choices, name: &str, text: &str) -> Option<Change> {
    let changed = change(choices, text)?;
    let differs = text.lines().zip(changed.lines()).find(|(old, new)| old != new).map_or("", |(_, new)| new);
    Some(Change::module(name, differs, changed.clone()))
}

/// Words by which the manual tells operations of one opcode apart.
const OPERATIONS: &str = include_str!("../../crates/ptx-isa/src/mnemonic/misfit/operation_words.txt");

fn mentions_opcode(line: &str, opcode: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == opcode)
}

fn opcode_of(mnemonic: &str) -> &str {
    mnemonic.split('.').next().unwrap_or(mnemonic)
}

/// The operations in a mnemonic that its opcode has.
fn operations_in(mnemonic: &str) -> Vec<&str> {
    let has = |word: &str| {
        let Some(modifier) = ptx_isa::Mod::from_ptx(word) else { return false };
        let rows = ptx_isa::form_ids().map(ptx_isa::form);
        let mut own = rows.filter(|row| row.opcode.as_str() == opcode_of(mnemonic));
        own.any(|row| row.slots.iter().any(|slot| slot.takes(modifier)))
    };
    let words = mnemonic.split('.').skip(1);
    let mut all: Vec<&str> =
        words.filter(|word| OPERATIONS.lines().any(|operation| operation == *word) && has(word)).collect();
    all.sort_unstable();
    all
}

/// The mnemonic of a statement, after its guard; nothing where the change has torn it apart or added another statement.
fn mnemonic_in(statement: &str) -> Option<&str> {
    let alone = statement.trim_end().trim_end_matches(';');
    let mut words = alone.split_whitespace().skip_while(|word| word.starts_with('@'));
    let mnemonic = words.next()?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '_');
    let is_followed = !words.next().is_some_and(|next| next.starts_with('.'));
    let is_whole = !mnemonic.starts_with('.') && !mnemonic.ends_with(':') && mnemonic.chars().all(is_word);
    (is_whole && is_followed && !alone.contains(';')).then_some(mnemonic)
}

/// The mnemonics that the findings about a text say to write.
fn offered_in(text: &str) -> Vec<String> {
    let (_, findings) = ptx_syntax::parse(&SourceFile::new("changed.ptx", text));
    let helps = findings.iter().filter_map(|finding| finding.help.as_deref());
    let offered = helps.flat_map(|help| ["write `", "   or `"].map(|before| (help, before)));
    offered
        .flat_map(|(help, before)| help.split(before).skip(1))
        .filter_map(|rest| rest.split('`').next())
        .filter(|offered| offered.contains('.') && !offered.contains([' ', '%', '[']))
        .map(str::to_owned)
        .collect()
}

/// What our reader and verifier say about a module, and whether its print reads as itself.
fn said(text: &str) -> Ours {
    let source = SourceFile::new("changed.ptx", text);
    let (module, findings) = ptx_syntax::parse(&source);
    if findings.has_errors() {
        return Ours::Unreadable(first(&findings));
    }
    if let Err(findings) = ptx_verify::verify(&module) {
        return Ours::Refused(first(&findings));
    }
    let print = ptx_ir::print(&module);
    match ptx_gen::check(&print) {
        Ok(again) if again == module => Ours::Accepted,
        Ok(_) => Ours::Misprinted("it reads as another module".to_owned()),
        Err(findings) => Ours::Misprinted(first(&findings)),
    }
}

fn first(findings: &Diagnostics) -> String {
    let error = findings.iter().find(|finding| finding.severity == ptx_diag::Severity::Error);
    error.map_or_else(|| "no finding".to_owned(), |error| format!("{}: {}", error.code.0, error.message))
}

/// The module of several statements, or the one module, with the line of the first statement.
fn text(changes: &[&Change]) -> (String, u32) {
    let Some(head) = changes.first() else { return (String::new(), 1) };
    if head.registers.is_none() {
        return (head.module.clone(), 1);
    }
    let names = |symbol: &Symbol| changes.iter().any(|change| mentions(&change.line, symbol.name()));
    let mode = if names(&Symbol::Sampler) { ", texmode_independent" } else { "" };
    let mut lines =
        vec![format!(".version {}", head.home.version), format!(".target {}{mode}", head.home.sm)];
    if head.home.version >= PtxVersion::new(2, 3) {
        lines.push(".address_size 64".to_owned());
    }
    let named = SYMBOLS.iter().filter(|symbol| symbol.level() == Level::Module && names(symbol));
    lines.extend(named.map(|symbol| symbol.declaration().to_owned()));
    let parameter = Symbol::KernelParameter;
    let parameters = if names(&parameter) { parameter.declaration() } else { "" };
    lines.push(format!(".visible .entry k ({parameters}) {{ {}", token_registers()));
    let first = lines.len() as u32 + 1;
    lines.extend(changes.iter().map(|change| block(change)));
    lines.extend(["ret;".to_owned(), "}".to_owned(), String::new()]);
    (lines.join("\n"), first)
}

fn block(change: &Change) -> String {
    let locals = SYMBOLS.iter().filter(|symbol| symbol.level() == Level::Block);
    let locals: String = locals
        .filter(|symbol| mentions(&change.line, symbol.name()))
        .map(|symbol| format!(" {}", symbol.declaration()))
        .collect();
    format!("{{{}{locals} {} }}", change.registers.as_deref().unwrap_or_default(), change.line)
}

fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '%' | '$')).any(|word| word == name)
}

/// What ptxas says about each change, in their order; nothing where it accepts.
///
/// # Errors
/// When ptxas cannot be run.
pub fn judge(oracles: &Oracles, changes: &[Change], jobs: usize) -> Result<Vec<Option<String>>> {
    let mut alone: Vec<Vec<usize>> = Vec::new();
    let mut together: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, change) in changes.iter().enumerate() {
        // ptxas ends at what it cannot read, and some wrong lines make it complain about their neighbours.
        let apart = matches!(change.ours, Ours::Unreadable(_))
            || change.registers.is_none()
            || matches!(change.origin.as_str(), "fabric" | "wmma" | "cp" | "mma" | "call");
        if apart {
            alone.push(vec![at]);
        } else {
            let sampler = mentions(&change.line, Symbol::Sampler.name());
            together.entry((change.home, sampler, change.ours == Ours::Accepted)).or_default().push(at);
        }
    }
    let batches = together.values().flat_map(|all| all.chunks(BATCH).map(<[_]>::to_vec));
    let batches: Vec<Vec<usize>> = alone.into_iter().chain(batches).collect();
    let mut verdicts: Vec<Option<String>> = vec![None; changes.len()];
    let judged = in_parallel(&batches, jobs, |batch| judge_batch(oracles, changes, batch));
    for said in judged {
        for (at, refusal) in said? {
            verdicts[at] = Some(refusal);
        }
    }
    // What differs is asked about again, alone: neighbours may have been at fault.
    let differ: Vec<Vec<usize>> = (0..changes.len())
        .filter(|&at| changes[at].difference(verdicts[at].as_deref()).is_some())
        .map(|at| vec![at])
        .collect();
    let again = in_parallel(&differ, jobs, |batch| judge_batch(oracles, changes, batch));
    for (batch, said) in differ.iter().zip(again) {
        let said = said?;
        for &at in batch {
            verdicts[at] = said.get(&at).cloned();
        }
    }
    Ok(verdicts)
}

/// The refusals among the members of a batch.
fn judge_batch(oracles: &Oracles, changes: &[Change], batch: &[usize]) -> Result<BTreeMap<usize, String>> {
    let mut refused = BTreeMap::new();
    let mut live = batch.to_vec();
    while let Some(&one) = live.first() {
        let members: Vec<&Change> = live.iter().map(|&at| &changes[at]).collect();
        let (text, before) = text(&members);
        let verdict = oracles.check_within(&text, changes[one].home, LIMIT)?;
        if verdict.accepted {
            break;
        }
        if live.len() == 1 {
            let said = verdict.findings.into_iter().next().map(|(_, sentence)| sentence);
            refused.insert(one, said.unwrap_or_else(|| "ptxas fails".to_owned()));
            break;
        }
        let mut found = Vec::new();
        for (line, sentence) in &verdict.findings {
            let at = line.and_then(|line| line.checked_sub(before)).map(|at| at as usize);
            if let Some(&member) = at.and_then(|at| live.get(at)) {
                refused.entry(member).or_insert_with(|| sentence.clone());
                found.push(member);
            }
        }
        if found.is_empty() {
            let (one, other) = live.split_at(live.len() / 2);
            refused.append(&mut judge_batch(oracles, changes, one)?);
            refused.append(&mut judge_batch(oracles, changes, other)?);
            break;
        }
        live.retain(|member| !found.contains(member));
    }
    Ok(refused)
}

/// A message without the names and numbers that are the line's own.
pub fn kind_of(message: &str) -> String {
    let mut kind = String::new();
    for (at, part) in message.split(['`', '\'']).enumerate() {
        kind += if at % 2 == 0 { part } else { "_" };
    }
    let is_digit = |c: char| c.is_ascii_digit();
    let (code, rest) = match kind.split_once(": ") {
        Some((code, rest)) if code.len() < 7 => (code.to_owned() + ": ", rest),
        _ => (String::new(), kind.as_str()),
    };
    let numbers = rest.split(is_digit).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("N");
    code + &numbers
}

/// Written reasons for differences: the side, what the line is like, what the message is like, and why, parted by tabs. The
/// first that fits counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reasons(Vec<Row>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Row {
    side: Side,
    line: String,
    message: String,
    reason: String,
}

impl Reasons {
    /// Those of the project.
    ///
    /// # Errors
    /// As [`Reasons::parse`].
    pub fn own() -> Result<Self> {
        Self::parse(include_str!("../grammar-reasons.tsv"))
    }

    /// Reads a table.
    ///
    /// # Errors
    /// When a line has another number of columns, an unknown side, or no reason.
    pub fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let rows = lines.map(|(at, line)| row(line).with_context(|| format!("line {}", at + 1)));
        Ok(Self(rows.collect::<Result<_>>()?))
    }

    /// Why a change is judged differently, if that is written.
    pub fn explain(&self, side: Side, line: &str, message: &str) -> Option<&str> {
        let fits =
            |row: &&Row| row.side == side && is_like(line, &row.line) && is_like(message, &row.message);
        self.0.iter().find(fits).map(|row| row.reason.as_str())
    }
}

fn row(line: &str) -> Result<Row> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[side, line, message, reason] = columns.as_slice() else {
        bail!("{} columns instead of four", columns.len());
    };
    ensure!(!reason.trim().is_empty(), "no reason");
    let (line, message, reason) = (line.to_owned(), message.to_owned(), reason.to_owned());
    Ok(Row { side: Side::parse(side)?, line, message, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_that_are_changed_are_valid() {
        for (name, text) in MODULES {
            assert_eq!(said(text), Ours::Accepted, "{name}");
        }
    }

    #[test]
    fn messages_of_a_kind_are_told_without_names_and_numbers() {
        assert_eq!(kind_of("V0103: `%r1` of 32 bits is not a `.f64`"), "V0103: _ of N bits is not a _");
        assert_eq!(
            kind_of("Arguments mismatch for instruction 'add'"),
            "Arguments mismatch for instruction _"
        );
    }

    #[test]
    fn the_first_reason_that_fits_counts() {
        let reasons = Reasons::parse("# c\nonly we\tadd*\t*\tone\nonly we\t*\t*\ttwo\n").expect("a table");
        assert_eq!(reasons.explain(Side::OnlyWe, "add.u32", "x"), Some("one"));
        assert_eq!(reasons.explain(Side::OnlyWe, "sub.u32", "x"), Some("two"));
        assert_eq!(reasons.explain(Side::OnlyPtxas, "add.u32", "x"), None);
        assert!(Reasons::parse("only me\ta\tb\tc\n").is_err());
    }
}
