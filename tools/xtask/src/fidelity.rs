//! What of real PTX is the same after a way through LLVM IR: `cargo xtask fidelity`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Args;
use ptx_diag::SourceFile;
use ptx_driver::{Annotations, Comments, Names, Style, TargetChoice};
use ptx_ir::{Body, Item, Module, Stmt};
use ptx_isa::{MoveSem, Sem};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::corpus::sampled_files;

/// What is measured.
#[derive(Args)]
pub(crate) struct FidelityArguments {
    /// Files to compare instead of the corpus
    files: Vec<PathBuf>,
    /// Folders of the corpus [default: all]
    #[arg(long, value_delimiter = ',')]
    folders: Vec<String>,
    /// Compare one file in this many
    #[arg(long, default_value_t = 1)]
    sample: usize,
    /// The folder of the shared data [default: $PTX_SHARED, else ../shared, else the files of test-suite/corpus]
    #[arg(long)]
    shared: Option<PathBuf>,
    /// Print the mnemonics that are lost most often
    #[arg(long)]
    lost: bool,
}

/// What is counted, in the order of the table.
const COLUMNS: [&str; 7] =
    ["mnemonics", "their order", "registers", "labels", "variables", "pragmas", "lines"];

/// How much of each column there was, and how much came back.
#[derive(Clone, Default)]
struct Shares([(u64, u64); COLUMNS.len()]);

impl Shares {
    fn add(&mut self, column: usize, all: usize, kept: usize) {
        if let Some((total, same)) = self.0.get_mut(column) {
            *total += all as u64;
            *same += kept as u64;
        }
    }

    fn join(&mut self, other: &Shares) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = (mine.0 + theirs.0, mine.1 + theirs.1);
        }
    }

    fn row(&self, name: &str, files: usize) -> String {
        let share = |(all, kept): &(u64, u64)| match all {
            0 => "-".to_owned(),
            all => format!("{:.1} %", 100.0 * *kept as f64 / *all as f64),
        };
        let cells: Vec<String> = self.0.iter().map(share).collect();
        format!("| {name} | {files} | {} |", cells.join(" | "))
    }
}

/// Takes the files there and back without optimizing and prints what came back as it was, by producer.
pub(crate) fn measure(arguments: &FidelityArguments) -> Result<()> {
    let files =
        sampled_files(&arguments.files, &arguments.folders, arguments.sample, arguments.shared.as_ref())?;
    let mut by_producer: BTreeMap<String, (usize, Shares)> = BTreeMap::new();
    let mut lost = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for file in &files {
        let producer = match file.parent().and_then(Path::file_name) {
            Some(folder) => folder.to_string_lossy().into_owned(),
            // In the current folder.
            None => String::new(),
        };
        match compared(file, &mut lost) {
            Ok(shares) => {
                let entry = by_producer.entry(producer).or_default();
                entry.0 += 1;
                entry.1.join(&shares);
            }
            Err(error) => writeln!(out, "{}: {error}", file.display())?,
        }
    }
    writeln!(out, "| | files | {} |\n|---|---:|{}", COLUMNS.join(" | "), "---:|".repeat(COLUMNS.len()))?;
    let mut all = (0, Shares::default());
    for (producer, (count, shares)) in &by_producer {
        writeln!(out, "{}", shares.row(producer, *count))?;
        all.0 += count;
        all.1.join(shares);
    }
    writeln!(out, "{}", all.1.row("all", all.0))?;
    if arguments.lost {
        let mut worst: Vec<(i64, String)> = lost.into_iter().map(|(name, count)| (count, name)).collect();
        worst.sort();
        for (count, mnemonic) in worst.iter().rev().take(40) {
            writeln!(out, "{count:8} lost  {mnemonic}")?;
        }
        for (count, mnemonic) in worst.iter().take(40) {
            writeln!(out, "{:8} more  {mnemonic}", -count)?;
        }
    }
    Ok(())
}

fn compared(file: &Path, lost: &mut BTreeMap<String, i64>) -> Result<Shares> {
    let source = SourceFile::new(file.to_string_lossy(), std::fs::read(file)?);
    let failed = |found: ptx_diag::Diagnostics| {
        anyhow!(found.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>().join("; "))
    };
    let (before, _) = ptx_driver::read_ptx(&source, Comments::Dropped).map_err(failed)?;
    let context = ptx_llvm_core::Context::new()?;
    let mut lowered = {
        let (verified, _) = ptx_verify::verify(&before).map_err(failed)?;
        ptx_driver::lower(verified, &context).map_err(failed)?
    };
    let style = Style { names: Names::Values, annotations: Annotations::None };
    let (after, _) =
        ptx_driver::raise_in_style(&mut lowered, TargetChoice::default(), style).map_err(failed)?;
    // What is read back has the registers that the text mentions.
    let printed = SourceFile::new("raised", ptx_ir::print(&after));
    let (after, _) = ptx_driver::read_ptx(&printed, Comments::Dropped).map_err(failed)?;
    Ok(shares(&before, &after, lost))
}

fn shares(before: &Module, after: &Module, lost: &mut BTreeMap<String, i64>) -> Shares {
    let mut shares = Shares::default();
    let (variables, back) = (variable_names(before), variable_names(after));
    shares.add(4, variables.len(), common(&variables, &back));
    let bodies = |module: &'_ Module| -> BTreeMap<String, Vec<usize>> {
        let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, function) in module.functions.iter().enumerate() {
            if function.body.is_some() {
                found.entry(module.name(function.name).to_owned()).or_default().push(at);
            }
        }
        found
    };
    let others = bodies(after);
    let nothing = Body::default();
    for (name, places) in bodies(before) {
        let body_of = |module: &'_ Module, places: &[usize]| -> Option<Body> {
            places.first().and_then(|&at| module.functions.get(at)).and_then(|function| function.body.clone())
        };
        let own = body_of(before, &places);
        let other = others.get(&name).and_then(|places| body_of(after, places));
        body_shares(
            before,
            own.as_ref().unwrap_or(&nothing),
            after,
            other.as_ref().unwrap_or(&nothing),
            &mut shares,
            lost,
        );
    }
    shares
}

fn body_shares(
    before: &Module,
    own: &Body,
    after: &Module,
    other: &Body,
    shares: &mut Shares,
    lost: &mut BTreeMap<String, i64>,
) {
    let (mut mine, mut theirs) = (mnemonics(own), mnemonics(other));
    let kept: usize = capture_diff_slices(Algorithm::Myers, &mine, &theirs)
        .iter()
        .map(|operation| match operation {
            DiffOp::Equal { len, .. } => *len,
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => 0,
        })
        .sum();
    shares.add(1, mine.len(), kept);
    for mnemonic in &mine {
        *lost.entry(mnemonic.clone()).or_default() += 1;
    }
    for mnemonic in &theirs {
        *lost.entry(mnemonic.clone()).or_default() -= 1;
    }
    mine.sort();
    theirs.sort();
    shares.add(0, mine.len(), common(&mine, &theirs));
    let (mine, theirs) = (registers(before, own), registers(after, other));
    shares.add(2, mine.len(), common(&mine, &theirs));
    let (mine, theirs) = (labels(before, own), labels(after, other));
    shares.add(3, mine.len(), common(&mine, &theirs));
    let pragmas = |module: &Module, body: &Body| {
        let texts = body.statements.iter().filter_map(|statement| match statement {
            Stmt::Pragma(texts) => Some(texts.iter().map(|text| module.name(*text).to_owned())),
            _ => None,
        });
        sorted(texts.flatten().collect())
    };
    let (mine, theirs) = (pragmas(before, own), pragmas(after, other));
    shares.add(5, mine.len(), common(&mine, &theirs));
    let lines = |body: &Body| {
        let places = body.statements.iter().filter_map(|statement| match statement {
            Stmt::Location(place) => Some(format!("{} {} {}", place.file, place.line, place.column)),
            _ => None,
        });
        sorted(places.collect())
    };
    let (mine, theirs) = (lines(own), lines(other));
    shares.add(6, mine.len(), common(&mine, &theirs));
}

/// How many of sorted texts are among other sorted ones, each counted once.
fn common(mine: &[String], theirs: &[String]) -> usize {
    let mut theirs = theirs.iter().peekable();
    let mut count = 0;
    for text in mine {
        while theirs.next_if(|other| *other < text).is_some() {}
        count += usize::from(theirs.next_if(|other| *other == text).is_some());
    }
    count
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

/// The mnemonics of a body in order; copies between registers, which LLVM IR has not, left out.
fn mnemonics(body: &Body) -> Vec<String> {
    let found = body.instructions().filter(|(_, inst)| inst.mnemonic.sem() != Sem::Move(MoveSem::Mov));
    found.map(|(_, inst)| inst.mnemonic.to_string()).collect()
}

/// The registers that the instructions mention.
fn registers(module: &Module, body: &Body) -> Vec<String> {
    let mut names: Vec<String> = (0..body.registers.len())
        .filter_map(|at| {
            let register = body.registers.get(at)?;
            let decl = body.reg_decls.get(register.decl.0 as usize)?;
            let name = module.name(decl.name);
            Some(match decl.count {
                Some(_) => format!("{name}{}", register.number),
                None => name.to_owned(),
            })
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

fn labels(module: &Module, body: &Body) -> Vec<String> {
    let placed = body.statements.iter().filter_map(|statement| match statement {
        Stmt::Label(label) => Some(module.name(body.label(*label).name).to_owned()),
        _ => None,
    });
    sorted(placed.collect())
}

/// Variables of the module and of bodies, calls' own ones left out.
fn variable_names(module: &Module) -> Vec<String> {
    let of_module = module.items.iter().filter_map(|item| match item {
        Item::Variable(id) => Some(*id),
        _ => None,
    });
    let of_bodies = module.functions.iter().flat_map(|function| &function.body).flat_map(|body| {
        body.statements.iter().filter_map(|statement| match statement {
            Stmt::Variable(id) => Some(*id),
            _ => None,
        })
    });
    let named = of_module.chain(of_bodies).map(|id| module.variable(id));
    let kept = named.filter(|variable| variable.space != ptx_isa::StateSpace::Param);
    sorted(kept.map(|variable| module.name(variable.name).to_owned()).collect())
}
