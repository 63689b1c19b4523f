//! Every scalar row of the instruction table has an engine, with each of its modifiers.

use std::collections::BTreeMap;
use std::time::Duration;

use ptx_diag::SourceFile;
use ptx_exec::{ExecError, Launch, run};
use ptx_gen::{Pin, Seeded, module, pins, valid_instruction};
use ptx_isa::{BitsSem, Form, FormId, MoveSem, Sem, WarpSem, form, form_ids};

/// What has no engine yet, or never will. An entry that is executed after all fails the test: the list may only shrink.
const REFUSED: &[(Sem, &str)] = &[];

/// The chapters of the manual whose instructions compute on the registers of one thread: arithmetic on integers and
/// floating-point numbers, comparison, logic and video.
const SCALAR_CHAPTERS: &[&str] =
    &["9.7.1.", "9.7.2.", "9.7.3.", "9.7.4.", "9.7.5.", "9.7.6.", "9.7.7.", "9.7.8.", "9.7.18."];

/// What moves, converts or exchanges registers, in chapters with other instructions.
const ALSO_SCALAR: &[Sem] = &[
    Sem::Move(MoveSem::Mov),
    Sem::Move(MoveSem::Cvt),
    Sem::Move(MoveSem::CvtPack),
    Sem::Move(MoveSem::CvtNarrow),
    Sem::Bits(BitsSem::Prmt),
    Sem::Warp(WarpSem::Shfl),
    Sem::Warp(WarpSem::Vote),
    Sem::Warp(WarpSem::Match),
    Sem::Warp(WarpSem::Activemask),
    Sem::Warp(WarpSem::Redux),
    Sem::Warp(WarpSem::ReduxFloat),
    Sem::Warp(WarpSem::Elect),
];

fn is_scalar(form: &Form) -> bool {
    SCALAR_CHAPTERS.iter().any(|chapter| form.section.starts_with(chapter)) || ALSO_SCALAR.contains(&form.sem)
}

/// What became of a random instruction of a row.
enum Outcome {
    /// It ran, to its end or into a trap: a program may break a rule of execution, as a mask does that leaves out the lane
    /// that executes it.
    Executed,
    /// It was refused before the launch.
    Refused(String),
    /// The verifier takes no instruction of the row with the modifier.
    Unreachable,
}

fn execute(choices: &mut Seeded, id: FormId, pin: Option<Pin>) -> Outcome {
    let Some((instruction, home)) = valid_instruction(choices, id, pin, 200) else {
        return Outcome::Unreachable;
    };
    let source = SourceFile::new("row.ptx", module(home, [&instruction]).text);
    let (module, _) = ptx_syntax::parse(&source);
    let Ok((verified, _)) = ptx_verify::verify(&module) else { return Outcome::Unreachable };
    let mut launch = Launch { block: [32, 1, 1], ..Launch::new("k") };
    launch.limits.timeout = Some(Duration::from_secs(120));
    match run(verified, &launch) {
        Ok(_) | Err(ExecError::Trap(_)) => Outcome::Executed,
        Err(ExecError::Refused(findings)) => {
            let texts: Vec<String> = findings.iter().map(|finding| finding.message.clone()).collect();
            Outcome::Refused(format!("{}: {}", instruction.text, texts.join("; ")))
        }
    }
}

#[test]
fn every_scalar_row_is_executed_with_each_of_its_modifiers() {
    let mut choices = Seeded::new(7);
    let mut refused: BTreeMap<Sem, Vec<String>> = BTreeMap::new();
    let (mut executed, mut unreachable) = (0, Vec::new());
    for id in form_ids().filter(|&id| is_scalar(form(id))) {
        let before = executed;
        for pin in pins(form(id)).into_iter().map(Some).chain([None]) {
            match execute(&mut choices, id, pin) {
                Outcome::Executed => executed += 1,
                Outcome::Refused(why) => refused.entry(form(id).sem).or_default().push(why),
                Outcome::Unreachable => {
                    unreachable.push((form(id).syntax(), pin.map(|pin| pin.modifier)));
                }
            }
        }
        let listed = REFUSED.iter().any(|(listed, _)| *listed == form(id).sem);
        assert!(executed > before || listed, "nothing of {} is executed: {refused:?}", form(id).syntax());
    }
    let is_listed = |sem: &Sem| REFUSED.iter().any(|(listed, _)| listed == sem);
    let unexpected: Vec<&String> =
        refused.iter().filter(|(sem, _)| !is_listed(sem)).flat_map(|(_, texts)| texts).collect();
    assert!(unexpected.is_empty(), "{} are refused:\n{unexpected:#?}", unexpected.len());
    let done: Vec<&Sem> =
        REFUSED.iter().map(|(sem, _)| sem).filter(|sem| !refused.contains_key(sem)).collect();
    assert!(done.is_empty(), "take these off the list: {done:?}");
    assert!(executed > 900 && unreachable.len() < 20, "{executed} executed, out of reach: {unreachable:#?}");
}
