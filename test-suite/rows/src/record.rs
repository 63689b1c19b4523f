//! The record of a run of tests: a file for each test program, a line for each test and instruction, operands aside.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use ptx_diag::Span;
use ptx_exec::{ExecError, Launch, Observation, Outcome, run_observed};
use ptx_ir::{Module, Stmt};
use ptx_isa::{ControlSem, Mnemonic, Sem, Slot, all_forms};
use ptx_verify::Verified;

use crate::key;

/// The variable of the environment that names the folder of records; nothing is recorded without it.
pub const FOLDER: &str = "PTX_EXECUTED_ROWS";

/// In place of a row: a launch of the test failed, as it was to.
const FAILS: &str = "fails";

/// Launches a kernel as [`ptx_exec::run`] does. The rows that threads execute count as executed by the test that runs on
/// this thread, `PACKAGE/PROGRAM::TEST`, if the launch comes to its end.
///
/// # Errors
/// Those of [`ptx_exec::run`].
pub fn run(module: Verified<'_>, launch: &Launch) -> Result<Outcome, ExecError> {
    if FILE.is_none() {
        return ptx_exec::run(module, launch);
    }
    match this_test() {
        Some(test) => run_as(&test, module, launch),
        None => ptx_exec::run(module, launch),
    }
}

/// The same for a test of this name.
///
/// # Errors
/// Those of [`ptx_exec::run`].
pub fn run_as(test: &str, module: Verified<'_>, launch: &Launch) -> Result<Outcome, ExecError> {
    if FILE.is_none() {
        return ptx_exec::run(module, launch);
    }
    let observed = run_observed(module, launch, &Observation { profile: true, trace: None });
    let outcome = match observed.result {
        Ok(outcome) => outcome,
        Err(error) => {
            write([format!("{FAILS}\t{test}\t\n")]);
            return Err(error);
        }
    };
    let mnemonics = mnemonics_by_place(module.module());
    let executed = observed.profile.iter().filter(|one| one.counts.threads > 0);
    note(test, executed.filter_map(|one| mnemonics.get(&place(one.span)).copied()));
    Ok(outcome)
}

/// Records that an instruction that stops its thread did so, where a test expects it.
pub fn note_stop(test: &str, module: Verified<'_>, at: Span) {
    if FILE.is_none() {
        return;
    }
    let stop = mnemonics_by_place(module.module()).get(&place(at)).copied();
    note(
        test,
        stop.filter(|mnemonic| matches!(mnemonic.sem(), Sem::Control(ControlSem::Trap | ControlSem::Brkpt))),
    );
}

/// Records that a test executed instructions and compared their results.
///
/// # Panics
/// When the record cannot be written.
pub fn note(test: &str, mnemonics: impl IntoIterator<Item = Mnemonic>) {
    if FILE.is_some() {
        write(mnemonics.into_iter().map(|one| line(test, &one)));
    }
}

/// Adds lines to the file that it does not have.
fn write(lines: impl IntoIterator<Item = String>) {
    static NOTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let Some(path) = &*FILE else { return };
    let lines: BTreeSet<String> = lines.into_iter().collect();
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    let text: String = lines.into_iter().filter(|line| noted.insert(line.clone())).collect();
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Row, test, and what is in each slot of the row.
fn line(test: &str, mnemonic: &Mnemonic) -> String {
    let slots: Vec<&str> = mnemonic.slots().map(|(_, held)| held.map_or("", |held| held.as_str())).collect();
    format!("{}\t{test}\t{}\n", key(mnemonic.form()), slots.join(" "))
}

/// The file of this program.
static FILE: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let folder = PathBuf::from(std::env::var_os(FOLDER)?);
    let file = folder.join(format!("{}-{}.tsv", program()?, std::process::id()));
    fs::create_dir_all(&folder).ok().map(|()| file)
});

/// `PACKAGE/PROGRAM`, where Cargo runs the program `PROGRAM-HASH`; with `-` for the slash.
fn program() -> Option<String> {
    let package = std::env::var("CARGO_PKG_NAME").ok()?;
    let program = std::env::current_exe().ok()?;
    let (name, _) = program.file_stem()?.to_str()?.rsplit_once('-')?;
    Some(format!("{package}-{name}"))
}

/// The test that runs on this thread, to which libtest gives its name.
fn this_test() -> Option<String> {
    let package = std::env::var("CARGO_PKG_NAME").ok()?;
    let program = program()?;
    let program = program.strip_prefix(&package)?.strip_prefix('-')?;
    let thread = std::thread::current();
    Some(format!("{package}/{program}::{}", thread.name()?))
}

fn place(span: Span) -> (u32, u32) {
    (span.lo, span.hi)
}

/// Each instruction, as it is written.
fn mnemonics_by_place(module: &Module) -> BTreeMap<(u32, u32), Mnemonic> {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    let statements = bodies.flat_map(|body| &body.statements);
    let instructions = statements.filter_map(|statement| match statement {
        Stmt::Inst(inst) => Some((place(inst.at.0), inst.mnemonic)),
        _ => None,
    });
    instructions.collect()
}

/// What tests recorded: by row, the tests that executed it.
#[derive(Clone, Default, Debug)]
pub struct Records {
    /// The tests of each row.
    pub tests: BTreeMap<String, BTreeSet<String>>,
    /// How many rows each test executes.
    pub rows: BTreeMap<String, usize>,
    /// Tests of which a launch fails: some of the others may only have to come to an end.
    fail: BTreeSet<String>,
    /// What was in each slot of each row.
    slots: BTreeMap<String, BTreeSet<(usize, String)>>,
}

impl Records {
    /// Reads the files of a folder.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read(folder: &Path) -> std::io::Result<Self> {
        let mut records = Self::default();
        for entry in fs::read_dir(folder)? {
            for line in fs::read_to_string(entry?.path())?.lines() {
                let mut fields = line.split('\t');
                if let (Some(row), Some(test), Some(slots)) = (fields.next(), fields.next(), fields.next()) {
                    if row == FAILS {
                        records.fail.insert(test.to_owned());
                        continue;
                    }
                    records.add(row, test);
                    let held = slots.split(' ').map(str::to_owned).enumerate();
                    records.slots.entry(row.to_owned()).or_default().extend(held);
                }
            }
        }
        Ok(records)
    }

    fn add(&mut self, row: &str, test: &str) {
        if self.tests.entry(row.to_owned()).or_default().insert(test.to_owned()) {
            *self.rows.entry(test.to_owned()).or_default() += 1;
        }
    }

    /// The modifiers of rows that no test executes, `row: .modifier`; those that change no result are among them.
    pub fn open_modifiers(&self) -> Vec<String> {
        let mut open = Vec::new();
        for form in all_forms() {
            let row = key(form);
            let Some(seen) = self.slots.get(&row) else { continue };
            for (at, slot) in form.slots.iter().enumerate() {
                let (Slot::One(_, set) | Slot::Opt(_, set)) = slot else { continue };
                let is_open = |held: &str| !seen.contains(&(at, held.to_owned()));
                let unseen = set.iter().map(|held| held.as_str()).filter(|held| is_open(held));
                open.extend(unseen.map(|held| format!("{row}: .{held}")));
                if slot.is_optional() && is_open("") {
                    open.push(format!(
                        "{row}: without any of .{}",
                        set.iter().map(|held| held.as_str()).collect::<Vec<_>>().join(" .")
                    ));
                }
            }
        }
        open
    }

    /// At most so many tests of a row, those first that have most to do with it: the model, whose rows are all judged by themselves, tests
    /// of instructions, whole kernels, and what is about failures; of each the one that executes the fewest other rows.
    pub fn most_telling(&self, row: &str, most: usize) -> Vec<String> {
        let mut tests: Vec<&String> = self.tests.get(row).into_iter().flatten().collect();
        let kind = |test: &str| match test.split('/').collect::<Vec<_>>()[..] {
            ["model", ..] => 0,
            _ if self.fail.contains(test) => 3,
            ["cases", "exec", ..] => 1,
            ["cases", ..] => 2,
            _ => 1,
        };
        tests.sort_by_key(|test| (kind(test), self.rows.get(*test), *test));
        tests.into_iter().take(most).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_few_rows_are_named_first_and_kernels_last() {
        let mut records = Records::default();
        for (row, tests) in [
            ("a", ["cases/bench/x.ptx", "cases/exec/two.ptx", "ptx-exec/t::one", "model/a"].as_slice()),
            ("b", &["cases/exec/two.ptx", "model/a"]),
            ("c", &["model/a"]),
        ] {
            tests.iter().for_each(|test| records.add(row, test));
        }
        assert_eq!(
            records.most_telling("a", 9),
            ["model/a", "ptx-exec/t::one", "cases/exec/two.ptx", "cases/bench/x.ptx"]
        );
        records.fail.insert("ptx-exec/t::one".to_owned());
        assert_eq!(
            records.most_telling("a", 9),
            ["model/a", "cases/exec/two.ptx", "cases/bench/x.ptx", "ptx-exec/t::one"]
        );
        assert_eq!(records.most_telling("b", 1), ["model/a"]);
        assert!(records.most_telling("d", 1).is_empty());
    }
}
