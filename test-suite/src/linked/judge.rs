//! Links the modules, raises the result and compares what it states.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_diag::SourceFile;
use ptx_llvm_core::{Context, Module};

use super::dwarf::described;
use super::{Line, Place, Program, Store};
use crate::directive::Level;
use crate::judge::output_within;
use crate::oracle::{LIMIT, Oracles, llvm_folder};
use crate::stage;

/// LLVM's programs.
#[derive(Clone, Debug)]
pub struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// LLVM's programs; `None` if one of those that are used is missing.
    pub fn find() -> Option<Self> {
        let folder = llvm_folder().join("bin");
        let has = |name: &str| folder.join(name).is_file();
        ["llvm-link", "llvm-extract", "opt"].into_iter().all(has).then_some(Self { folder })
    }

    fn run(&self, name: &str, arguments: &[&str], inputs: &[PathBuf], output: &Path) -> Result<()> {
        let mut command = Command::new(self.folder.join(name));
        let run = output_within(command.args(arguments).args(inputs).arg("-o").arg(output), LIMIT)?;
        ensure!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stderr));
        Ok(())
    }
}

/// What is done with the modules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// `llvm-link`.
    Link,
    /// `llvm-link --only-needed`: of the other modules what the first one refers to.
    OnlyNeeded,
    /// All but the first kernel becomes internal, and what it does not use is removed.
    Internalize,
    /// The passes of link-time optimization.
    Lto,
    /// `llvm-extract` of the second kernel.
    Extract,
    /// `strip`: no line is left.
    Strip,
}

impl Way {
    /// All ways.
    pub const ALL: [Self; 6] =
        [Self::Link, Self::OnlyNeeded, Self::Internalize, Self::Lto, Self::Extract, Self::Strip];
}

/// Checks what is left of the modules' debug information.
///
/// # Errors
/// What differs, or what a stage or program refuses.
pub fn judge(program: &Program, way: Way, tools: &Tools, oracles: &Oracles) -> Result<()> {
    let text = linked(program, way, tools)?;
    if oracles.ptxas.is_some() {
        oracles.accept(&text).with_context(|| text.clone())?;
    }
    check(program, way, &Printed::read(&text)?).with_context(|| text.clone())
}

/// The PTX that results.
fn linked(program: &Program, way: Way, tools: &Tools) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let mut units = Vec::with_capacity(program.units.len());
    for (at, unit) in program.units.iter().enumerate() {
        let source = SourceFile::new("unit.ptx", unit.as_str());
        let module = stage::read_and_verify(&source)?;
        let context = Context::new()?;
        let lowered = stage::lower(&module, &source, &context, Level::O0)?;
        let path = folder.path().join(format!("{at}.bc"));
        std::fs::write(&path, lowered.to_bitcode())?;
        units.push(path);
    }
    let (one, other) = (folder.path().join("linked.bc"), folder.path().join("changed.bc"));
    let needed: &[&str] = if way == Way::OnlyNeeded { &["--only-needed"] } else { &[] };
    tools.run("llvm-link", needed, &units, &one)?;
    let input = std::slice::from_ref(&one);
    let result = match way {
        Way::Link | Way::OnlyNeeded => one,
        Way::Internalize => {
            let passes = ["-passes=internalize,globaldce", "-internalize-public-api-list=k0"];
            tools.run("opt", &passes, input, &other)?;
            other
        }
        Way::Lto => {
            tools.run("opt", &["-passes=lto<O2>"], input, &other)?;
            other
        }
        Way::Strip => {
            tools.run("opt", &["-passes=strip"], input, &other)?;
            other
        }
        Way::Extract => {
            tools.run("llvm-extract", &["--func=k1"], input, &other)?;
            other
        }
    };
    let context = Context::new()?;
    let mut module = Module::parse(&context, "linked", &std::fs::read(result)?)?;
    stage::raise(&mut module)
}

/// What a PTX text states.
#[derive(Default)]
struct Printed {
    files: BTreeMap<u32, String>,
    /// The places and the variables of the stores of each number; inlining copies them.
    stores: BTreeMap<u32, Vec<(Option<Place>, String)>>,
    /// The store that follows each label.
    labels: BTreeMap<String, u32>,
    sections: BTreeMap<String, Vec<String>>,
}

fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or(line).trim()
}

impl Printed {
    fn read(text: &str) -> Result<Self> {
        let mut printed = Self::default();
        let lines: Vec<&str> = text.lines().map(without_comment).collect();
        let mut section: Option<&str> = None;
        for line in &lines {
            match (line.strip_prefix(".section"), section) {
                (Some(name), _) => section = Some(name.trim()),
                (None, Some(_)) if *line == "}" => section = None,
                (None, Some(_)) if *line == "{" || line.is_empty() => {}
                (None, Some(name)) => {
                    printed.sections.entry(name.to_owned()).or_default().push((*line).to_owned());
                }
                (None, None) => {}
            }
            if let Some(file) = line.strip_prefix(".file") {
                let (number, path) = file.trim().split_once(' ').context("a file")?;
                printed.files.insert(number.parse()?, path.trim().trim_matches('"').to_owned());
            }
        }
        let (mut place, mut waiting) = (None, Vec::new());
        for line in lines.iter().take_while(|line| !line.starts_with(".section")) {
            if let Some(location) = line.strip_prefix(".loc") {
                place = Some(printed.place(location)?);
            } else if let Some(label) = line.strip_suffix(':') {
                waiting.push(label.to_owned());
            } else if *line == "}" || line.contains(".func") || line.contains(".entry") {
                waiting.clear();
                // A location does not continue in another function.
                place = if line.contains('}') { place } else { None };
            } else if line.starts_with("st.volatile.global") {
                let (address, value) = line.split_once(", ").context("a store")?;
                let number = value.trim_end_matches(';').parse().with_context(|| (*line).to_owned())?;
                let (_, variable) = address.split_once('[').context("an address")?;
                let variable = variable.trim_end_matches(']').to_owned();
                printed.stores.entry(number).or_default().push((place.clone(), variable));
                printed.labels.extend(waiting.drain(..).map(|label| (label, number)));
            }
        }
        Ok(printed)
    }

    fn line(&self, words: &[&str]) -> Result<Line> {
        let [file, line, column] = words else { bail!("the location {words:?}") };
        let path = self.files.get(&file.parse()?).with_context(|| format!("no file {file}"))?;
        Ok(Line { file: path.clone(), line: line.parse()?, column: column.parse()? })
    }

    fn place(&self, location: &str) -> Result<Place> {
        let parts: Vec<Vec<&str>> =
            location.split(',').map(|part| part.split_whitespace().collect()).collect();
        let line = self.line(parts.first().context("a location")?)?;
        let inlined = match parts.as_slice() {
            [_] => None,
            [_, name, call] => {
                let [_, label] = name.as_slice() else { bail!("the name {name:?}") };
                Some((self.string(label)?, self.line(call.get(1..).context("a call")?)?))
            }
            _ => bail!("the location {location}"),
        };
        Ok(Place { line, inlined })
    }

    /// The string at a label of `.debug_str`.
    fn string(&self, place: &str) -> Result<String> {
        let (label, offset) = place.split_once('+').unwrap_or((place, "0"));
        let lines = self.sections.get(".debug_str").context("no strings")?;
        let from = lines.iter().position(|line| line.strip_suffix(':') == Some(label)).context("no label")?;
        let mut bytes = Vec::new();
        for line in lines.iter().skip(from + 1).filter_map(|line| line.strip_prefix(".b8")) {
            for number in line.split(',') {
                bytes.push(number.trim().parse::<u8>()?);
            }
        }
        let bytes = bytes.into_iter().skip(offset.parse()?).take_while(|byte| *byte != 0).collect();
        Ok(String::from_utf8(bytes)?)
    }
}

fn check(program: &Program, way: Way, printed: &Printed) -> Result<()> {
    for (number, store) in &program.stores {
        let is_required = match way {
            Way::Link | Way::Strip => true,
            Way::OnlyNeeded => store.unit == 0 || store.function == "ext1",
            Way::Internalize | Way::Lto => store.function == "k0",
            Way::Extract => store.function == "k1",
        };
        let found = printed.stores.get(number).map(Vec::as_slice).unwrap_or_default();
        ensure!(!is_required || !found.is_empty(), "the store of {number} is missing");
        ensure!(found.len() < 2 || way == Way::Lto, "{number} is stored {} times", found.len());
        for (place, _) in found {
            check_place(store, way, place.as_ref()).with_context(|| format!("the store of {number}"))?;
        }
    }
    check_entries(program, way, printed)
}

fn check_place(store: &Store, way: Way, place: Option<&Place>) -> Result<()> {
    match (way, place) {
        (Way::Strip, place) => ensure!(place.is_none(), "has a place after all were removed: {place:?}"),
        (_, None) => bail!("has no place"),
        // What optimizers inline has other calls.
        (Way::Lto, Some(place)) => {
            ensure!(place.line == store.place.line, "is at {place:?}, not {:?}", store.place);
        }
        (_, Some(place)) => ensure!(*place == store.place, "is at {place:?}, not {:?}", store.place),
    }
    Ok(())
}

fn check_entries(program: &Program, way: Way, printed: &Printed) -> Result<()> {
    let none = Vec::new();
    let section = |name: &str| printed.sections.get(name).unwrap_or(&none);
    let info = section(".debug_info");
    let found = if info.is_empty() { Vec::new() } else { described(info, section(".debug_abbrev"))? };
    for (name, entry) in &program.entries {
        let is_required = match way {
            Way::Link => true,
            Way::OnlyNeeded => entry.unit == 0,
            Way::Internalize | Way::Lto | Way::Extract | Way::Strip => false,
        };
        let Some(own) = found.iter().find(|found| found.name == *name) else {
            ensure!(!is_required, "the entry of {name} is missing");
            continue;
        };
        let file = printed.files.get(&own.file);
        ensure!(file == Some(&entry.file), "{name} is in {file:?}, not {:?}", entry.file);
        let is_there = match printed.labels.get(&own.address) {
            Some(store) => *store == entry.store,
            None => {
                let stores = printed.stores.get(&entry.store).map(Vec::as_slice).unwrap_or_default();
                stores.iter().any(|(_, variable)| *variable == own.address)
            }
        };
        ensure!(
            is_there,
            "{name} has the address {}, which is not where {} is stored",
            own.address,
            entry.store
        );
    }
    Ok(())
}
