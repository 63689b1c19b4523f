//! Single instructions judged by ptxas, carried through the stages many at a time.
//!
//! Each accepted line becomes a kernel of its own that reads the registers the line names from memory, executes the line and
//! writes them back, so that nothing in it is constant and nothing it makes is unused. Kernels for the same target are
//! one module; a line that fails is taken out, with the stage and the finding, and the rest goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use ptx_diag::{Diagnostics, SourceFile};
use ptx_driver::TargetChoice;
use ptx_ir::{AddressBase, Body, Inst, Operand, Stmt, Symbol};
use ptx_isa::{BitsSem, Lowering, MemorySem, Sem, StateSpace};
use ptx_llvm_core::{Context, intrinsics};

use crate::oracle::Oracles;

/// The symbols that lines may use, and their declarations.
const SYMBOLS: &[(&str, &str)] = &[
    ("gv", ".global .align 128 .b8 gv[1024];"),
    ("sv", ".shared .align 128 .b8 sv[1024];"),
    ("cv", ".const .align 16 .b8 cv[64];"),
    ("gw", ".global .b32 gw = 7;"),
    ("sw", ".shared .b32 sw;"),
    ("gd", ".global .align 8 .b64 gd;"),
    ("mb", ".shared .align 8 .b64 mb;"),
    ("tex0", ".global .texref tex0;"),
    ("smp0", ".global .samplerref smp0;"),
    ("surf0", ".global .surfref surf0;"),
    ("fn0", ".func fn0 () { ret; }"),
    ("fn1", ".func (.param .b32 rv) fn1 (.param .b32 pa) { st.param.b32 [rv], 0; ret; }"),
    ("fn2", ".func (.reg .b32 rv) fn2 (.reg .b32 pa, .reg .b64 pb) { mov.b32 rv, pa; ret; }"),
    ("kern1", ".entry kern1 () { ret; }"),
];

/// The registers that lines may use: a prefix names the type, a number follows; and the type they are loaded and stored as.
const REGISTERS: &[(&str, &str, &str)] = &[
    ("%p", "pred", "u32"),
    ("%b", "b8", "b8"),
    ("%h", "b16", "b16"),
    ("%r", "b32", "b32"),
    ("%d", "b64", "b64"),
    ("%q", "b128", "b128"),
    ("%f", "f32", "f32"),
    ("%e", "f64", "f64"),
    ("%ub", "u8", "u8"),
    ("%sb", "s8", "s8"),
    ("%uh", "u16", "u16"),
    ("%sh", "s16", "s16"),
    ("%ur", "u32", "u32"),
    ("%sr", "s32", "s32"),
    ("%ud", "u64", "u64"),
    ("%sd", "s64", "s64"),
    ("%hf", "f16", "b16"),
    ("%hx", "f16x2", "b32"),
    ("%bf", "bf16", "b16"),
    ("%bx", "bf16x2", "b32"),
];

/// How many lines are lowered at a time.
const BATCH: usize = 200;

/// A line that ptxas accepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The instruction.
    pub text: String,
    /// What follows `.target`.
    pub target: String,
    /// The PTX version.
    pub version: String,
}

/// How far lines are carried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    /// To LLVM IR that LLVM's verifier accepts.
    Lower,
    /// And back to PTX that reads and verifies.
    Raise,
    /// And assembled.
    Assemble,
}

/// Where a line failed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The reader or the verifier refuses the line.
    Front,
    /// It does not lower, or LLVM's verifier refuses what it becomes.
    Lower,
    /// It does not come back.
    Raise,
    /// ptxas refuses what came back.
    Assemble,
}

/// How LLVM IR says an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Said {
    /// The strongest means that the line's kernel uses.
    pub way: Lowering,
    /// What the instruction table promises at best; nothing where operands decide: special registers and references have
    /// intrinsics of their own.
    pub promised: Option<Lowering>,
    /// Whether it is inline assembly though an intrinsic stands for the same mnemonic, with other operands, and no one says why.
    pub misses_intrinsic: bool,
}

impl Said {
    /// Whether the table keeps its promise: plain IR is plain, what is promised as an intrinsic is no worse where there is one, and inline
    /// assembly is not promised in vain.
    pub fn keeps_promise(self) -> bool {
        match self.promised {
            _ if self.misses_intrinsic => false,
            None | Some(Lowering::Intrinsic) => true,
            Some(promised) => self.way == promised,
        }
    }
}

/// What became of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It went all the way.
    Passed(Said),
    /// It failed.
    Failed(Stage, String),
}

/// The accepted lines of a table of judged lines (`line`, `target`, `version`, `verdict`, ..; compressed with gzip).
///
/// # Errors
/// When the table cannot be read.
pub fn accepted(table: &Path) -> Result<Vec<Line>> {
    let output = Command::new("gzip").arg("-dc").arg(table).output().context("gzip cannot be run")?;
    ensure!(output.status.success(), "gzip cannot read {}", table.display());
    let text = String::from_utf8_lossy(&output.stdout);
    let rows = text.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let lines = rows.filter_map(|row| match row.as_slice() {
        [text, target, version, "accept", ..] => Some(Line {
            text: (*text).to_owned(),
            target: (*target).to_owned(),
            version: (*version).to_owned(),
        }),
        _ => None,
    });
    Ok(lines.collect())
}

/// What becomes of each line, in the lines' order.
///
/// # Errors
/// When a module as a whole cannot be judged.
pub fn judge(lines: &[Line], depth: Depth, oracles: &Oracles) -> Result<Vec<Verdict>> {
    let mut verdicts: Vec<Option<Verdict>> = vec![None; lines.len()];
    let mut groups: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        groups.entry((&line.target, &line.version)).or_default().push(at);
    }
    for members in groups.values() {
        for batch in members.chunks(BATCH) {
            judge_batch(lines, batch.to_vec(), depth, oracles, &mut verdicts)?;
        }
    }
    verdicts.into_iter().map(|verdict| verdict.context("a line was not judged")).collect()
}

/// The words of a line that may be symbols or registers.
fn words(line: &str) -> BTreeSet<&str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '%' && c != '_').collect()
}

/// The registers that the line names, by their place in [`REGISTERS`].
fn registers(words: &BTreeSet<&str>) -> BTreeMap<usize, BTreeSet<u32>> {
    let mut found: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for word in words {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let Ok(number) = word[letters.len()..].parse::<u32>() else { continue };
        if let Some(kind) = REGISTERS.iter().position(|(prefix, ..)| *prefix == letters) {
            found.entry(kind).or_default().insert(number);
        }
    }
    found
}

/// A kernel, in one line of text, that executes the line.
fn kernel(name: &str, line: &str) -> String {
    let words = words(line);
    let registers = registers(&words);
    let parameter = if words.contains("kp") { ", .param .align 128 .b8 kp[128]" } else { "" };
    let mut text = format!(".visible .entry {name}(.param .u64 where{parameter}) {{ ");
    text.push_str(".reg .b64 %where; .reg .b32 %bit; ld.param.u64 %where, [where]; ");
    let (mut loads, mut stores) = (String::new(), String::new());
    let mut offset = 0;
    for (kind, numbers) in &registers {
        let (prefix, ty, access) = REGISTERS[*kind];
        let _ = write!(text, ".reg .{ty} {prefix}<{}>; ", numbers.last().map_or(0, |last| last + 1));
        for number in numbers {
            offset += 16;
            let register = format!("{prefix}{number}");
            let _ = match ty {
                "pred" => {
                    let _ = write!(
                        loads,
                        "ld.volatile.global.u32 %bit, [%where+{offset}]; setp.ne.u32 {register}, %bit, 0; "
                    );
                    write!(
                        stores,
                        "selp.u32 %bit, 1, 0, {register}; st.volatile.global.u32 [%where+{offset}], %bit; "
                    )
                }
                // There is no volatile access of 128 bits.
                "b128" => {
                    let _ = write!(loads, "ld.global.b128 {register}, [%where+{offset}]; ");
                    write!(stores, "st.global.b128 [%where+{offset}], {register}; ")
                }
                _ => {
                    let _ = write!(loads, "ld.volatile.global.{access} {register}, [%where+{offset}]; ");
                    write!(stores, "st.volatile.global.{access} [%where+{offset}], {register}; ")
                }
            };
        }
    }
    if words.contains("lv") {
        text.push_str(".local .align 16 .b8 lv[64]; ");
    }
    let end = if line.trim_end().ends_with(';') || line.starts_with('{') { "" } else { ";" };
    let (open, close) = if line.starts_with('{') { ("", "") } else { ("{ ", " }") };
    text + &loads + open + line.trim() + end + close + " " + &stores + "ret; }"
}

/// A module with a kernel for each line, and the number of text lines before the first kernel.
fn module(lines: &[Line], batch: &[usize]) -> (String, u32) {
    let mut text = String::new();
    let mut before = 0;
    let mut head = |line: &str| {
        text.push_str(line);
        text.push('\n');
        before += 1;
    };
    if let Some(first) = batch.first().and_then(|at| lines.get(*at)) {
        head(&format!(".version {}", first.version));
        head(&format!(".target {}", first.target));
        head(".address_size 64");
    }
    let named: BTreeSet<&str> =
        batch.iter().filter_map(|at| lines.get(*at)).flat_map(|line| words(&line.text)).collect();
    for (name, declaration) in SYMBOLS {
        if named.contains(name) {
            head(declaration);
        }
    }
    for at in batch {
        if let Some(line) = lines.get(*at) {
            text.push_str(&kernel(&name_of(*at), &line.text));
            text.push('\n');
        }
    }
    (text, before)
}

fn name_of(line: usize) -> String {
    format!("line_{line}")
}

/// Judges the lines of a batch together; those that fail are judged, and the others tried again without them.
fn judge_batch(
    lines: &[Line],
    mut batch: Vec<usize>,
    depth: Depth,
    oracles: &Oracles,
    verdicts: &mut [Option<Verdict>],
) -> Result<()> {
    while !batch.is_empty() {
        let failed = match run(lines, &batch, depth, oracles)? {
            Outcome::Passed(means) => {
                for (at, means) in batch.iter().zip(means) {
                    if let Some(verdict) = verdicts.get_mut(*at) {
                        *verdict = Some(Verdict::Passed(means));
                    }
                }
                return Ok(());
            }
            Outcome::Failed(stage, failed) => failed.into_iter().map(|(at, why)| (at, stage, why)).collect(),
            Outcome::FailedTogether(stage, why) => match batch.as_slice() {
                [single] => vec![(*single, stage, why)],
                many => {
                    let (first, second) = many.split_at(many.len() / 2);
                    judge_batch(lines, first.to_vec(), depth, oracles, verdicts)?;
                    batch = second.to_vec();
                    continue;
                }
            },
        };
        for (at, stage, why) in &failed {
            if let Some(verdict) = verdicts.get_mut(*at) {
                *verdict = Some(Verdict::Failed(*stage, why.clone()));
            }
        }
        batch.retain(|at| failed.iter().all(|(failed, ..)| failed != at));
    }
    Ok(())
}

/// What became of a batch.
enum Outcome {
    /// All went well.
    Passed(Vec<Said>),
    /// These lines failed.
    Failed(Stage, Vec<(usize, String)>),
    /// Some line failed, and no one knows which.
    FailedTogether(Stage, String),
}

fn run(lines: &[Line], batch: &[usize], depth: Depth, oracles: &Oracles) -> Result<Outcome> {
    let (text, before) = module(lines, batch);
    let source = SourceFile::new("lines.ptx", text);
    let at_fault = |stage, findings: &Diagnostics| {
        let failed = by_line(&source, findings, batch, before);
        match findings.iter().next() {
            _ if !failed.is_empty() => Outcome::Failed(stage, failed),
            Some(finding) => Outcome::FailedTogether(stage, finding.message.clone()),
            None => Outcome::FailedTogether(stage, "no finding".to_owned()),
        }
    };
    let module = match ptx_driver::read_ptx(&source, ptx_driver::Comments::Kept) {
        Ok((module, _)) => module,
        Err(findings) => return Ok(at_fault(Stage::Front, &findings)),
    };
    let verified = match ptx_verify::verify(&module) {
        Ok((verified, _)) => verified,
        Err(findings) => return Ok(at_fault(Stage::Front, &findings)),
    };
    let context = Context::new()?;
    let mut lowered = match ptx_driver::lower(verified, &context) {
        Ok(lowered) => lowered,
        Err(findings) => return Ok(at_fault(Stage::Lower, &findings)),
    };
    let ir = lowered.to_text();
    let means = batch.iter().map(|at| said_of(&module, &ir, &name_of(*at))).collect::<Result<Vec<_>>>()?;
    if depth == Depth::Lower {
        return Ok(Outcome::Passed(means));
    }
    let raised = match ptx_driver::raise(&mut lowered, TargetChoice::default()) {
        Ok((raised, _)) => raised,
        Err(findings) => return Ok(by_name(&findings, batch)),
    };
    let printed = match ptx_driver::print_checked(&raised, "raised.ptx") {
        Ok(printed) => printed,
        Err(bad) => {
            let finding = bad.findings.iter().find(|finding| finding.span.is_some());
            let Some((finding, span)) = finding.and_then(|f| f.span.map(|span| (f, span))) else {
                return Ok(Outcome::FailedTogether(Stage::Raise, "no finding".to_owned()));
            };
            let text = String::from_utf8_lossy(bad.source.text()).into_owned();
            let line = bad.source.line(bad.source.position(span.lo).line).unwrap_or_default();
            let why = format!("{}: {}", finding.message, String::from_utf8_lossy(line).trim());
            return Ok(match entry_before(&text, span.lo as usize, batch) {
                Some(at) => Outcome::Failed(Stage::Raise, vec![(at, why)]),
                None => Outcome::FailedTogether(Stage::Raise, why),
            });
        }
    };
    if depth == Depth::Raise || oracles.ptxas.is_none() {
        return Ok(Outcome::Passed(means));
    }
    Ok(match oracles.assemble(&printed) {
        Ok(_) => Outcome::Passed(means),
        // Some lines ptxas only parses: it refuses a whole compilation, or dies of it.
        Err(_) if batch.len() == 1 && assembles(&source, oracles).is_err() => Outcome::Passed(means),
        Err(error) => Outcome::FailedTogether(Stage::Assemble, error.to_string()),
    })
}

/// Whether ptxas takes the module as it was before.
fn assembles(source: &SourceFile, oracles: &Oracles) -> Result<()> {
    oracles.assemble(&String::from_utf8_lossy(source.text())).map(|_| ())
}

/// The lines that findings are on.
fn by_line(
    source: &SourceFile,
    findings: &Diagnostics,
    batch: &[usize],
    before: u32,
) -> Vec<(usize, String)> {
    let mut failed: BTreeMap<usize, String> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.severity == ptx_diag::Severity::Error) {
        let Some(span) = finding.span else { continue };
        let line = source.position(span.lo).line;
        let at = line.checked_sub(before + 1).and_then(|index| batch.get(index as usize));
        if let Some(at) = at {
            failed.entry(*at).or_insert_with(|| format!("{}: {}", finding.code.0, finding.message));
        }
    }
    failed.into_iter().collect()
}

/// The lines whose kernels findings about LLVM IR name.
fn by_name(findings: &Diagnostics, batch: &[usize]) -> Outcome {
    let mut failed: BTreeMap<usize, String> = BTreeMap::new();
    for finding in findings.iter() {
        let words = words(&finding.message);
        if let Some(at) = batch.iter().find(|at| words.contains(name_of(**at).as_str())) {
            failed.entry(*at).or_insert_with(|| format!("{}: {}", finding.code.0, finding.message));
        }
    }
    match findings.iter().next() {
        _ if !failed.is_empty() => Outcome::Failed(Stage::Raise, failed.into_iter().collect()),
        Some(finding) => Outcome::FailedTogether(Stage::Raise, finding.message.clone()),
        None => Outcome::FailedTogether(Stage::Raise, "no finding".to_owned()),
    }
}

/// The line whose kernel is last before a place in PTX.
fn entry_before(text: &str, place: usize, batch: &[usize]) -> Option<usize> {
    let (_, rest) = text.get(..place)?.rsplit_once(".entry line_")?;
    let number: usize = rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    batch.contains(&number).then_some(number)
}

/// How the kernel's instruction is said, and what the table promises.
fn said_of(module: &ptx_ir::Module, ir: &str, name: &str) -> Result<Said> {
    let (_, rest) = ir.split_once(&format!("@{name}(")).context("a kernel is missing")?;
    let body = rest.split_once("\n}").map_or(rest, |(body, _)| body);
    // Assembly without a text is not an instruction (docs/mapping.md, "Uninitialized memory").
    let is_assembly = body.lines().any(|line| line.contains(" asm ") && !line.contains(" asm \"\""));
    let way = if is_assembly {
        Lowering::Assembly
    } else if body.contains("@llvm.nvvm.") {
        Lowering::Intrinsic
    } else {
        Lowering::Plain
    };
    let inner = inner_instruction(module, name);
    let misses_intrinsic = way == Lowering::Assembly
        && inner.is_some_and(|(_, inst)| {
            inst.mnemonic.sem().lowering() != Lowering::Assembly
                && inst.mnemonic.operands_without_intrinsic().is_none()
                && intrinsics::by_mnemonic(inst.mnemonic).next().is_some()
        });
    let promised = inner.and_then(|(body, inst)| promised(module, body, inst));
    Ok(Said { way, promised, misses_intrinsic })
}

/// The first instruction in the kernel's inner block, with its body.
fn inner_instruction<'m>(module: &'m ptx_ir::Module, name: &str) -> Option<(&'m Body, &'m Inst)> {
    let function = module.functions.iter().find(|function| module.name(function.name) == name)?;
    let body = function.body.as_ref()?;
    let start = body.statements.iter().position(|statement| matches!(statement, Stmt::ScopeStart))?;
    let inner = body.statements.get(start + 1..)?;
    let mut instructions = inner.iter().take_while(|statement| !matches!(statement, Stmt::ScopeEnd));
    let inst = instructions.find_map(|statement| match statement {
        Stmt::Inst(inst) => Some(inst),
        _ => None,
    })?;
    Some((body, inst))
}

/// What the table promises for an instruction.
fn promised(module: &ptx_ir::Module, body: &Body, inst: &Inst) -> Option<Lowering> {
    let sem = inst.mnemonic.sem();
    let to_param = sem == Sem::Memory(MemorySem::Store) && inst.mnemonic.space() == Some(StateSpace::Param);
    let by_operand = |operand: &Operand| match operand {
        Operand::Special(..) => true,
        Operand::Address(AddressBase::Register(_) | AddressBase::Absolute, _) => to_param,
        Operand::Vector(list) => body.list(*list).iter().any(|entry| match entry {
            Operand::Special(..) => true,
            Operand::Sink => sem == Sem::Memory(MemorySem::Store),
            _ => false,
        }),
        Operand::Symbol(Symbol::Variable(var), _) => module.variable(*var).scalar_type().is_none(),
        _ => false,
    };
    // Fields of bits at a constant place are plain shifts and masks.
    let decided =
        matches!(sem, Sem::Bits(BitsSem::Bfe | BitsSem::Bfi)) || body.operands(inst).iter().any(by_operand);
    (!decided).then(|| inst.mnemonic.lowering())
}
