//! The instruction table against ptxas: random instructions of every row, judged by both.
//!
//! [`generate`] makes instructions of a row, some of which our verifier refuses; [`judge`] asks ptxas about many of them at
//! once. Where the two verdicts differ the table or the verifier is wrong.

use std::collections::BTreeMap;

use anyhow::Result;
use ptx_gen::{
    Density, Home, Instruction, Pin, Seeded, check, instruction, module, pins, uses, valid_instruction,
    variant,
};
use ptx_isa::{FormId, Opcode};

use crate::oracle::Oracles;

/// How many instructions ptxas is given at once.
const BATCH: usize = 200;

/// A random instruction with our verdict.
#[derive(Clone, Debug)]
pub struct Case {
    /// The row it was generated from.
    pub id: FormId,
    /// The modifier that was to be in it.
    pub pin: Option<Pin>,
    /// The instruction.
    pub instruction: Instruction,
    /// Where it was judged.
    pub home: Home,
    /// Our complaint; nothing when we accept it.
    pub ours: Option<String>,
}

/// How much is generated.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Instructions of each row and modifier that we accept.
    pub accepted: usize,
    /// At most so many that we refuse.
    pub refused: usize,
    /// At most so many attempts for both.
    pub attempts: usize,
}

/// Instructions of a row, for each of its modifiers in turn; those that we refuse are among them.
pub fn generate(id: FormId, seed: u64, effort: Effort) -> Vec<Case> {
    let form = ptx_isa::form(id);
    let wanted = std::iter::once(None).chain(pins(form).into_iter().map(Some));
    let mut choices = Seeded::new(seed ^ place_of(id).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut cases = Vec::new();
    for pin in wanted {
        let (mut accepted, mut refused) = (0, 0);
        for attempt in 0..effort.attempts {
            if accepted == effort.accepted {
                break;
            }
            let density = if attempt % 2 == 0 { Density::Sparse } else { Density::Dense };
            let Some(instruction) = instruction(&mut choices, id, pin, density) else { continue };
            let Some(home) = Home::any_of(&mut choices, &instruction.mnemonic) else { continue };
            let ours = complaint(id, home, &instruction);
            let (count, most) = match ours {
                None => (&mut accepted, effort.accepted),
                Some(_) => (&mut refused, effort.refused),
            };
            if *count < most {
                *count += 1;
                cases.push(Case { id, pin, instruction, home, ours });
            }
        }
    }
    cases
}

/// So many changed instructions for each row, with our verdict; what they were changed from we accept.
pub fn generate_variants(id: FormId, seed: u64, count: usize) -> Vec<Case> {
    const ATTEMPTS: usize = 40;
    let mut choices = Seeded::new(!seed ^ place_of(id).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut cases = Vec::new();
    for _ in 0..count {
        let Some((valid, home)) = valid_instruction(&mut choices, id, None, ATTEMPTS) else { continue };
        let Some(instruction) = variant(&mut choices, &valid) else { continue };
        let ours = match check(&module(home, [&instruction]).text) {
            Ok(_) => None,
            Err(findings) => findings.iter().next().map(|finding| finding.message.clone()),
        };
        cases.push(Case { id, pin: None, instruction, home, ours });
    }
    cases
}

/// A number for a row that stays when rows of other opcodes come and go.
fn place_of(id: FormId) -> u64 {
    let opcode = ptx_isa::form(id).opcode;
    let (first, _) = ptx_isa::forms_of(opcode);
    let name = opcode.as_str().bytes().fold(0, |number: u64, byte| number.wrapping_mul(31) + u64::from(byte));
    name.wrapping_mul(1024) + (id.index() as u64 - u64::from(first))
}

/// What our reader and verifier say about an instruction on its own; nothing when they accept it.
fn complaint(id: FormId, home: Home, instruction: &Instruction) -> Option<String> {
    match check(&module(home, [instruction]).text) {
        Ok(read) if uses(&read, id) => None,
        Ok(_) => Some("it reads as another row".to_owned()),
        Err(findings) => {
            Some(findings.iter().next().map_or("no finding", |finding| finding.message.as_str()).to_owned())
        }
    }
}

/// What ptxas says about each case, in their order; nothing where it accepts.
///
/// # Errors
/// When ptxas cannot be run.
pub fn judge(oracles: &Oracles, cases: &[Case]) -> Result<Vec<Option<String>>> {
    let mut groups: BTreeMap<(Home, bool, Option<Opcode>), Vec<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate() {
        let independent = ptx_gen::needs_independent_textures(&case.instruction);
        let opcode = case.instruction.mnemonic.opcode();
        // Wrong instructions of these make ptxas complain about their neighbours.
        let apart = matches!(opcode, Opcode::Fabric | Opcode::Wmma | Opcode::Cp).then_some(opcode);
        groups.entry((case.home, independent, apart)).or_default().push(at);
    }
    let mut verdicts: Vec<Option<String>> = vec![None; cases.len()];
    for ((home, ..), members) in groups {
        for batch in members.chunks(BATCH) {
            judge_batch(oracles, home, cases, batch, &mut verdicts)?;
        }
    }
    // A wrong instruction can make ptxas complain about its neighbours: what we accept it is asked about again, alone.
    for (at, case) in cases.iter().enumerate() {
        if case.ours.is_none() && verdicts[at].is_some() {
            verdicts[at] = None;
            judge_batch(oracles, case.home, cases, &[at], &mut verdicts)?;
        }
    }
    Ok(verdicts)
}

fn judge_batch(
    oracles: &Oracles,
    home: Home,
    cases: &[Case],
    batch: &[usize],
    verdicts: &mut [Option<String>],
) -> Result<()> {
    let mut live = batch.to_vec();
    while !live.is_empty() {
        let lines = module(home, live.iter().map(|&at| &cases[at].instruction));
        let verdict = oracles.check(&lines.text, home)?;
        if verdict.accepted {
            return Ok(());
        }
        let mut found = Vec::new();
        for (line, sentence) in &verdict.findings {
            let at = line.and_then(|line| line.checked_sub(lines.first)).map(|at| at as usize);
            if let Some(&case) = at.and_then(|at| live.get(at)) {
                verdicts[case].get_or_insert_with(|| sentence.clone());
                found.push(case);
            }
        }
        if found.is_empty() {
            if let [only] = live[..] {
                let all: Vec<_> = verdict.findings.into_iter().map(|(_, sentence)| sentence).collect();
                verdicts[only] =
                    Some(if all.is_empty() { "ptxas fails".to_owned() } else { all.join(" / ") });
                return Ok(());
            }
            let (one, other) = live.split_at(live.len() / 2);
            judge_batch(oracles, home, cases, one, verdicts)?;
            return judge_batch(oracles, home, cases, other, verdicts);
        }
        live.retain(|case| !found.contains(case));
    }
    Ok(())
}
