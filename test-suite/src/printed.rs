//! What LLVM's own backend prints for each intrinsic, and whether we print the same.
//!
//! The table (`isa/llvm22-intrinsics.tsv.zst` of the shared folder) has a line for each call that was tried: name, full name, constant arguments as
//! `position=value`, architecture, the instructions, and why there are none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::intrinsics::{Call, Verdict};

/// Instructions that bring values where they are wanted; every backend has its own.
const AROUND: [&str; 11] = ["mov", "cvt", "cvta", "setp", "selp", "and", "shr", "ret", "ld", "st", "add"];
/// The modifiers of state spaces: we name the space that is known, LLVM's backend does not always.
const SPACES: [&str; 5] = ["global", "shared", "shared::cta", "shared::cluster", "local"];
/// What matrices in tensor memory do with a collector when nothing is said (manual 9.7.16.10.9).
const DEFAULTS: [&str; 2] = ["collector::a::discard", "collector::b0::discard"];

/// What the backend prints for each call, by [`Call::title`]; calls that it refuses are left out.
///
/// # Errors
/// When the table cannot be read, or there is no `zstd` to unpack it.
pub fn read(table: &Path) -> Result<BTreeMap<String, String>> {
    let run = Command::new("zstd").arg("-dc").arg(table).output().context("zstd cannot be run")?;
    ensure!(run.status.success(), "zstd: {}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout)?;
    let mut printed = BTreeMap::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, name, constants, _, ptx, refusal] = columns.as_slice() else { continue };
        if refusal.is_empty() && !ptx.is_empty() {
            printed.insert(title(name, constants), (*ptx).to_owned());
        }
    }
    Ok(printed)
}

/// The name with its constants in the order of their positions.
fn title(name: &str, constants: &str) -> String {
    let mut values: Vec<(usize, i64)> = constants
        .split(',')
        .filter_map(|part| part.split_once('='))
        .filter_map(|(at, value)| {
            let value = match value {
                "true" => 1,
                "false" => 0,
                number => number.parse().ok()?,
            };
            Some((at.parse().ok()?, value))
        })
        .collect();
    values.sort_unstable();
    let values: Vec<String> = values.into_iter().map(|(_, value)| value.to_string()).collect();
    if values.is_empty() { name.to_owned() } else { format!("{name}({})", values.join(",")) }
}

/// The calls that become another instruction than LLVM's backend prints, and how many were compared.
pub fn differences(
    calls: &[Call],
    verdicts: &[Verdict],
    printed: &BTreeMap<String, String>,
) -> (Vec<String>, usize) {
    let (mut differences, mut compared) = (Vec::new(), 0);
    for (call, verdict) in calls.iter().zip(verdicts) {
        let title = call.title();
        let (Verdict::Raised(_, ours), Some(theirs)) = (verdict, printed.get(&title)) else { continue };
        compared += 1;
        let (ours, wanted) = (instructions(ours), instructions(theirs));
        if wanted.iter().any(|one| !ours.iter().any(|other| agree(one, other))) {
            differences.push(format!("{title}: {theirs} is {ours:?}"));
        }
    }
    (differences, compared)
}

/// An instruction without its operands: the opcode, its modifiers but for the state spaces, and these.
type Instruction = (String, BTreeSet<String>, BTreeSet<String>);

/// The instructions of a text, without those around them.
fn instructions(text: &str) -> Vec<Instruction> {
    let mut list = Vec::new();
    for piece in text.split([';', '\n']) {
        let piece = piece.trim().trim_start_matches(['{', '}']).trim();
        let Some(mnemonic) = piece.split_whitespace().next() else { continue };
        let mut words = mnemonic.split('.');
        let Some(opcode) = words.next().filter(|word| !word.is_empty() && !AROUND.contains(word)) else {
            continue;
        };
        let words: Vec<&str> = words.filter(|word| !DEFAULTS.contains(word)).collect();
        let (spaces, modifiers): (Vec<&str>, Vec<&str>) =
            words.into_iter().partition(|word| SPACES.contains(word));
        // A load is of so many bits, whatever they mean.
        let plain = |word: &str| match (opcode, word) {
            ("ldu", "f32") => "b32".to_owned(),
            ("ldu", "f64") => "b64".to_owned(),
            _ => word.replace("::cta", ""),
        };
        let set = |words: Vec<&str>| words.into_iter().map(plain).collect();
        list.push((opcode.to_owned(), set(modifiers), set(spaces)));
    }
    list
}

/// Whether two instructions are the same as far as both name spaces.
fn agree(one: &Instruction, other: &Instruction) -> bool {
    let silent = one.2.is_empty() || other.2.is_empty();
    one.0 == other.0 && one.1 == other.1 && (silent || one.2 == other.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_stand_in_the_order_of_their_positions() {
        assert_eq!(title("f", "10=1,9=0"), "f(0,1)");
        assert_eq!(title("f", "2=true"), "f(1)");
        assert_eq!(title("f", ""), "f");
    }

    #[test]
    fn another_modifier_is_a_difference_and_a_space_that_one_leaves_out_is_none() {
        let ours = instructions("ld.param.b64 %rd1, [a];\natom.cta.global.add.f32 %f2, [%rd1], %f1;");
        assert!(agree(&instructions("atom.cta.add.f32 %r2, [%rd2], %r1;")[0], &ours[0]));
        assert!(!agree(&instructions("atom.sys.add.f32 %r2, [%rd2], %r1;")[0], &ours[0]));
        assert!(!agree(&instructions("atom.cta.shared.add.f32 %r2, [%r2], %r1;")[0], &ours[0]));
    }
}
