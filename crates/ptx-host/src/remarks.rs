//! Remarks: which accesses and branches of a kernel are more than a scalar or a plain vector, and why.

use ptx_program::{Effect, Op, Program, Src};

use crate::analysis::{Analysis, BlockId, Cause, Origin, Reasons, Shape};
use crate::notes::{Notes, RemarkKind};

/// A remark on an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The instruction.
    pub pc: u32,
    /// The code that it has.
    pub kind: RemarkKind,
    /// The reason, as a part of a sentence.
    pub reason: String,
    /// Other instructions that explain it.
    pub related: Vec<(u32, String)>,
}

/// The remarks from the notes on a kernel.
pub(crate) fn of_notes(program: &Program, analysis: &Analysis, notes: Notes) -> Vec<Remark> {
    let notes = notes.take();
    let reasons = Writer { program, analysis, reasons: Reasons::new(program, analysis) };
    let is_generic = |pc: u32| {
        let address = program.code.get(pc as usize).and_then(|inst| match &inst.op {
            Op::Effect(Effect::Load(load)) => Some(load.address),
            Op::Effect(Effect::Store(store)) => Some(store.address),
            _ => None,
        });
        address.is_some_and(|address| address.space == ptx_program::memory::Space::Generic)
    };
    let mut remarks = Vec::new();
    for (&(pc, kind), note) in &notes {
        // Lane-by-lane code that only runs if a test fails is covered by the remark on the test.
        let is_rare =
            kind == RemarkKind::Serial && is_generic(pc) && notes.contains_key(&(pc, RemarkKind::Tested));
        let is_masked_anyway = kind == RemarkKind::Masked
            && [RemarkKind::Gather, RemarkKind::Scatter].iter().any(|&kind| notes.contains_key(&(pc, kind)));
        if is_rare || is_masked_anyway {
            continue;
        }
        let mut related = Vec::new();
        let reason = match kind {
            RemarkKind::Gather | RemarkKind::Scatter => {
                reasons.of_address(note.src, note.bytes, &mut related)
            }
            RemarkKind::Lines => "a row of the matrix is at the address that one lane specifies".to_owned(),
            RemarkKind::Tested => reasons.of_test(is_generic(pc), note.src),
            RemarkKind::Serial if analysis.alone.iter().any(|region| region.contains(note.block)) => {
                "lanes execute the loop one after another, since it mostly consists of loads".to_owned()
            }
            RemarkKind::Serial => reasons.of_serial(pc, &mut related),
            RemarkKind::Masked => match note.src {
                Some(guard) => reasons.depends("the guard", guard, &mut related),
                None => reasons.of_parting(note.block, &mut related),
            },
            RemarkKind::Divergent => match note.src {
                Some(condition) => reasons.depends("the condition", condition, &mut related),
                None => "the condition differs between lanes".to_owned(),
            },
        };
        remarks.push(Remark { pc, kind, reason, related });
    }
    remarks
}

struct Writer<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    reasons: Reasons<'a>,
}

impl Writer<'_> {
    fn mnemonic(&self, pc: u32) -> String {
        self.program.mnemonic(pc)
    }

    /// Describes what an operand depends on.
    fn depends(&self, what: &str, src: Src, related: &mut Vec<(u32, String)>) -> String {
        match self.reasons.of(src) {
            Some(cause) => format!("{what} depends on {}", self.origin(&cause, related)),
            None => format!("{what} may differ between lanes"),
        }
    }

    fn origin(&self, cause: &Cause, related: &mut Vec<(u32, String)>) -> String {
        let (text, label) = match &cause.origin {
            Origin::Loaded => ("a loaded value".to_owned(), "it is loaded here".to_owned()),
            Origin::Special(name) => (format!("`{name}`"), format!("`{name}` is read here")),
            Origin::Atomic => {
                ("the result of an atomic operation".to_owned(), "the operation is here".to_owned())
            }
            Origin::Result => (
                format!("the result of `{}`", self.mnemonic(cause.pc)),
                "the result is computed here".to_owned(),
            ),
            Origin::Parted => {
                let text = "a register that lanes write at different times".to_owned();
                (text, "some lanes write it here".to_owned())
            }
        };
        related.push((cause.pc, label));
        if cause.origin == Origin::Parted {
            self.add_branch(cause.block, related);
        }
        text
    }

    fn of_address(&self, src: Option<Src>, bytes: i64, related: &mut Vec<(u32, String)>) -> String {
        let Some(src) = src else {
            return "lanes hold elements that are not adjacent in the matrix".to_owned();
        };
        let shape = self.analysis.shapes.src(src);
        let stride = match shape {
            Shape::Indexed(indexed) => Some(indexed.stride()),
            Shape::Strided(stride) => Some(stride),
            _ => None,
        };
        if let Some(stride) = stride {
            let lanes = self.analysis.shapes.lanes().chunk;
            return match stride.within {
                0 => format!("each group of {lanes} lanes has its own address"),
                within if within == bytes => {
                    "the address register is narrower than addresses of the memory".to_owned()
                }
                within => {
                    format!("the addresses of lanes are {within} bytes apart, and each accesses {bytes}")
                }
            };
        }
        let Some(cause) = self.reasons.of(src) else { return "the addresses of lanes differ".to_owned() };
        let mut text = format!("the address depends on {}", self.origin(&cause, related));
        if let (Some(pc), Origin::Special(_)) = (cause.through, &cause.origin) {
            text.push_str(&format!(
                " through `{}`, whose result has no stride between lanes",
                self.mnemonic(pc)
            ));
            related.push((pc, "the stride is lost here".to_owned()));
        }
        text
    }

    fn of_test(&self, is_generic: bool, src: Option<Src>) -> String {
        if is_generic {
            return "the address is generic, and may be in shared or local memory".to_owned();
        }
        match src.map(|src| self.analysis.shapes.src(src)) {
            Some(Shape::Indexed(indexed)) => {
                format!("the {}-bit index that the address is computed from may wrap around", indexed.bits)
            }
            _ => "the addresses of lanes may not be consecutive".to_owned(),
        }
    }

    fn of_serial(&self, pc: u32, related: &mut Vec<(u32, String)>) -> String {
        let Some(Op::Effect(effect)) = self.program.code.get(pc as usize).map(|inst| &inst.op) else {
            return "lanes are processed in order".to_owned();
        };
        let address = match effect {
            Effect::Atomic(atomic) => Some(atomic.address),
            Effect::VectorAtomic(atomic) => Some(atomic.address),
            Effect::WideAtomic(atomic) => Some(atomic.address),
            _ => None,
        };
        let base = address.and_then(|address| match address.base {
            ptx_program::Base::Row(src, _) => Some(src),
            ptx_program::Base::Frame => None,
        });
        match (effect, base) {
            (_, Some(src)) if !self.analysis.shapes.src(src).is_uniform() => {
                let mut text = "it is atomic, and ".to_owned();
                text.push_str(&self.depends("the address", src, related));
                text
            }
            (_, Some(_)) => {
                "it is atomic, and each lane depends on the result of the previous lane".to_owned()
            }
            (Effect::AsyncCopy(_), _) => {
                "copies are performed when they are issued, one after another".to_owned()
            }
            (Effect::Load(_) | Effect::Store(_), _) => {
                "it is volatile, or ordered with accesses of other threads".to_owned()
            }
            _ => "lanes are processed in order".to_owned(),
        }
    }

    fn of_parting(&self, block: BlockId, related: &mut Vec<(u32, String)>) -> String {
        match self.add_branch(block, related) {
            Some(row) => {
                let reason = self.depends("whose condition", Src::register(row), related);
                format!("lanes have diverged at a branch {reason}")
            }
            None => "some lanes may be executing other code".to_owned(),
        }
    }

    /// Adds the branch at which lanes diverge that wait while a block runs; returns the row of its condition.
    fn add_branch(&self, block: BlockId, related: &mut Vec<(u32, String)>) -> Option<u32> {
        let branch = self.analysis.graph.block(self.reasons.parting(block)?);
        related.push((branch.end, "lanes diverge here".to_owned()));
        branch.terminator.decided_by().into_iter().find(|&row| !self.analysis.shapes.row(row).is_uniform())
    }
}
