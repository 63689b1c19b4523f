//! What ptxas itself computes of a program without input: the constants that its machine code stores.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use super::Program;
use crate::judge::output_within;
use crate::oracle::{LIMIT, Linking, Oracles};

/// Bytes of the output, by whether ptxas decided what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Folded {
    pub(super) decided: usize,
    pub(super) undecided: usize,
}

/// Holds the bytes that the machine code of a straight program stores as constants against what the program has to leave.
pub(super) fn fold(program: &Program, oracles: &Oracles) -> Result<Folded> {
    let (cubin, _) = oracles.assemble_as(&program.text, Linking::Whole)?;
    let listing = tempfile::NamedTempFile::new()?;
    std::fs::write(listing.path(), oracles.disassemble(&cubin)?)?;
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("model/fold.py");
    let mut command = Command::new("python3");
    command.arg("-B").arg(reader).arg("--listing").arg(listing.path());
    let run = output_within(&mut command, LIMIT)?;
    ensure!(run.status.success(), "fold.py: {}", String::from_utf8_lossy(&run.stderr));
    let stored = places_stored(&program.text);
    let mut decided = 0;
    for line in String::from_utf8_lossy(&run.stdout).lines() {
        let (at, byte) = line.split_once(' ').context("fold.py: no pair")?;
        let (at, byte): (usize, u8) = (at.parse()?, byte.parse()?);
        let wanted = program.ending.output.get(at).copied().context("a store beyond the output")?;
        if byte != wanted {
            bail!("ptxas computes {byte:#04x} for byte {at} of the output, not {wanted:#04x}");
        }
        decided += usize::from(stored.contains(&at));
    }
    Ok(Folded { decided, undecided: stored.len() - decided })
}

/// The bytes of the output that a text stores.
fn places_stored(text: &str) -> std::collections::BTreeSet<usize> {
    let stores = text.lines().filter_map(|line| {
        let (opcode, rest) = line.split_once(' ')?;
        let place = rest.strip_prefix("[%t_out")?.split(']').next()?;
        let at: usize = place.strip_prefix('+').map_or(Some(0), |digits| digits.parse().ok())?;
        let words = opcode.strip_prefix("st.global.")?;
        let (lanes, ty) =
            words.strip_prefix('v').and_then(|rest| rest.split_once('.')).unwrap_or(("1", words));
        let bits: usize = ty.get(1..)?.parse().ok()?;
        Some(at..at + lanes.parse::<usize>().ok()? * bits / 8)
    });
    stores.flatten().collect()
}
