//! Comparing machine code: whether two PTX texts come to the same instructions.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use crate::oracle::{Oracles, has_32_bit_addresses};

/// Assembles both texts and compares the machine code function by function, up to the names of labels. For modules with 32-bit addresses ptxas makes
/// no machine code: that it accepts both texts is all that it can tell.
///
/// # Errors
/// When either is refused, or a function differs; the error names it and shows the first difference.
pub fn same_machine_code(oracles: &Oracles, left: &str, right: &str) -> Result<()> {
    if has_32_bit_addresses(left) {
        return oracles.accept(left).and_then(|()| oracles.accept(right));
    }
    let (left, right) = (oracles.assemble(left)?, oracles.assemble(right)?);
    if left == right {
        return Ok(());
    }
    let (left, right) = (functions(&oracles.disassemble(&left)?), functions(&oracles.disassemble(&right)?));
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    for name in names {
        match (left.get(name), right.get(name)) {
            (Some(l), Some(r)) if l == r => {}
            (Some(l), Some(r)) => {
                let at = l.iter().zip(r).take_while(|(l, r)| l == r).count();
                let line = |code: &[String]| code.get(at).map_or("(end)", String::as_str).to_owned();
                bail!("machine code of {name} differs at {at}: `{}` became `{}`", line(l), line(r));
            }
            _ => bail!("only one of the texts has the function {name}"),
        }
    }
    Ok(())
}

/// The instructions of each text section of nvdisasm's listing, labels renamed in order of appearance.
pub(crate) fn functions(listing: &str) -> BTreeMap<String, Vec<String>> {
    let mut functions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = None;
    for line in listing.lines().map(str::trim) {
        // `.sectioninfo` is inside a section.
        let section = line.strip_prefix(".section").filter(|rest| rest.starts_with(char::is_whitespace));
        if let Some(section) = section {
            let name = section.trim().split(',').next().unwrap_or_default();
            current = name.strip_prefix(".text.").map(str::to_owned);
        } else if let Some(name) = &current {
            let code = functions.entry(name.clone()).or_default();
            if line.starts_with(".L") && line.ends_with(':') {
                code.push(line.to_owned());
            } else if let Some((_, instruction)) = line.strip_prefix("/*").and_then(|l| l.split_once("*/")) {
                code.push(instruction.split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
    }
    functions.into_iter().map(|(name, code)| (name, rename_labels(&code))).collect()
}

fn rename_labels(code: &[String]) -> Vec<String> {
    let is_label = |line: &&String| line.ends_with(':');
    let mentioned: BTreeSet<&str> = code.iter().filter(|l| !is_label(l)).flat_map(|l| labels(l)).collect();
    let mut names = BTreeMap::new();
    let mut out = Vec::new();
    for line in code {
        // A label that nothing mentions is not part of the code.
        if line.strip_suffix(':').is_some_and(|label| !mentioned.contains(label)) {
            continue;
        }
        let mut renamed = line.clone();
        for label in labels(line) {
            let next = format!("<{}>", names.len());
            let name = names.entry(label).or_insert(next);
            renamed = renamed.replace(label, name);
        }
        out.push(renamed);
    }
    out
}

/// The names in a line that the assembler makes up: labels, and symbols such as `$__local0__32`.
fn labels(line: &str) -> impl Iterator<Item = &str> {
    let part_of_label = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
    line.split(move |c: char| !part_of_label(c))
        .filter(|word| word.starts_with(".L_") || word.starts_with("$__"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_names_and_unused_labels_do_not_count() {
        let listing = |label: &str, extra: &str| {
            format!(
                ".section .text.k,\"ax\"\n{extra}\n{label}:\n /*0000*/ MOV R1, R2 ;\n /*0010*/ BRA `({label}) ;\n"
            )
        };
        let one = functions(&listing(".L_x_1", ""));
        assert_eq!(one["k"], ["<0>:", "MOV R1, R2 ;", "BRA `(<0>) ;"]);
        assert_eq!(one, functions(&listing(".L_x_7", ".L_x_0:")));
        assert_ne!(one, functions(&listing(".L_x_1", "/*0000*/ NOP ;")));
        let older = functions(&listing(".L_x_1", ".sectioninfo @\"SHI_REGISTERS=8\""));
        assert_eq!(one, older);
    }
}
