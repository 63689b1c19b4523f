//! What ptxas makes of a PTX text, function by function: the machine code, its length, its registers and spills.
//!
//! Results are kept in a folder by a number that the text decides, for most of what a measurement assembles it has assembled before.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use anyhow::Result;

use crate::oracle::{Linking, Oracles};
use crate::sass::functions;

/// One function in machine code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Code {
    /// Equal for equal machine code, names of labels aside.
    pub number: u64,
    /// Instructions, without what pads the end.
    pub instructions: usize,
    /// Registers a thread needs; nothing where ptxas does not say (functions that are called).
    pub registers: Option<usize>,
    /// Bytes stored to and loaded from memory for want of registers.
    pub spilled: usize,
    /// Bytes of local memory that a call takes: what is spilled, and variables.
    pub frame: usize,
}

/// Assembles a text and takes its functions apart; `kept` is the folder with earlier results.
///
/// # Errors
/// When ptxas refuses the text, or a program cannot be run.
pub fn machine_code(oracles: &Oracles, ptx: &str, kept: &Path) -> Result<BTreeMap<String, Code>> {
    let mut hasher = DefaultHasher::new();
    ptx.hash(&mut hasher);
    let file = kept.join(format!("{:016x}", hasher.finish()));
    if let Some(code) = std::fs::read_to_string(&file).ok().and_then(|text| read(&text)) {
        return Ok(code);
    }
    let whole = if ptx.contains(".entry") { Linking::Whole } else { Linking::Relocatable };
    let (cubin, said) = match (oracles.assemble_as(ptx, whole), whole) {
        // What is declared only is for a linker to find.
        (Err(_), Linking::Whole) => oracles.assemble_as(ptx, Linking::Relocatable)?,
        (result, _) => result?,
    };
    let usage = usage(&said);
    let mut code = BTreeMap::new();
    for (name, lines) in functions(&oracles.disassemble(&cubin)?) {
        let mut hasher = DefaultHasher::new();
        lines.hash(&mut hasher);
        let Usage { registers, spilled, frame } = usage.get(&name).copied().unwrap_or_default();
        let found = Code { number: hasher.finish(), instructions: length(&lines), registers, spilled, frame };
        code.insert(name, found);
    }
    std::fs::create_dir_all(kept)?;
    let text: String = code.iter().map(|(name, code)| write(name, *code)).collect();
    let unfinished = tempfile::NamedTempFile::new_in(kept)?;
    std::fs::write(unfinished.path(), text + END)?;
    unfinished.persist(file)?;
    Ok(code)
}

/// The last line of a result that was written as a whole.
const END: &str = "end\n";

fn write(name: &str, code: Code) -> String {
    let registers = code.registers.map_or("-".to_owned(), |count| count.to_string());
    let Code { number, instructions, spilled, frame, .. } = code;
    format!("{name}\t{number}\t{instructions}\t{registers}\t{spilled}\t{frame}\n")
}

fn read(text: &str) -> Option<BTreeMap<String, Code>> {
    let mut all = BTreeMap::new();
    for line in text.strip_suffix(END)?.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[name, number, instructions, registers, spilled, frame] = columns.as_slice() else {
            return None;
        };
        let code = Code {
            number: number.parse().ok()?,
            instructions: instructions.parse().ok()?,
            registers: registers.parse().ok(),
            spilled: spilled.parse().ok()?,
            frame: frame.parse().ok()?,
        };
        all.insert(name.to_owned(), code);
    }
    Some(all)
}

/// The instructions of a function, without the empty ones and the jump to itself behind its end.
fn length(lines: &[String]) -> usize {
    let pads = |line: &&String| line.starts_with("NOP") || line.starts_with("BRA") || line.ends_with(':');
    let padding = lines.iter().rev().take_while(pads).filter(|line| !line.ends_with(':')).count();
    lines.iter().filter(|line| !line.ends_with(':')).count() - padding
}

/// What a function uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Usage {
    registers: Option<usize>,
    spilled: usize,
    frame: usize,
}

/// What each function uses, from what `ptxas -v` says.
fn usage(said: &str) -> BTreeMap<String, Usage> {
    let mut all: BTreeMap<String, Usage> = BTreeMap::new();
    let mut current = String::new();
    for line in said.lines() {
        let named = line
            .split_once("Compiling entry function ")
            .or_else(|| line.split_once("Function properties for "))
            .and_then(|(_, rest)| rest.split_whitespace().next());
        if let Some(name) = named {
            current = name.trim_matches('\'').to_owned();
        }
        let entry = all.entry(current.clone()).or_default();
        if let Some((_, rest)) = line.split_once("Used ") {
            entry.registers = rest.split_once(" registers").and_then(|(count, _)| count.parse().ok());
        }
        for part in line.split(',') {
            let words: Vec<&str> = part.split_whitespace().collect();
            match *words.as_slice() {
                [bytes, "bytes", "spill", "stores" | "loads"] => {
                    entry.spilled += bytes.parse::<usize>().unwrap_or(0);
                }
                [bytes, "bytes", "stack", "frame"] => entry.frame = bytes.parse().unwrap_or(0),
                _ => {}
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ptxas_says_is_counted_for_the_function_it_names() {
        let said = "ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers, 384 bytes cmem[0]
ptxas info    : Function properties for f
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
        let usage = usage(said);
        assert_eq!(usage["k"], Usage { registers: Some(24), spilled: 16, frame: 8 });
        assert_eq!(usage["f"], Usage { registers: None, spilled: 0, frame: 0 });
    }

    #[test]
    fn padding_does_not_count() {
        let lines =
            ["<0>:", "MOV R1, R2 ;", "EXIT ;", "<1>:", "BRA `(<1>);", "NOP;", "NOP;"].map(str::to_owned);
        assert_eq!(length(&lines), 2);
    }

    #[test]
    fn a_result_reads_back_only_when_it_is_whole() {
        let code = Code { number: 7, instructions: 3, registers: None, spilled: 4, frame: 8 };
        let text = write("f", code);
        assert_eq!(read(&format!("{text}{END}")).and_then(|all| all.get("f").copied()), Some(code));
        assert_eq!(read(&text), None);
    }
}
