//! Locations of variables by walking all paths through small bodies.

use std::collections::BTreeSet;

use ptx_ir::{BodyBuilder, Guard, Immediate, LabelKind, Operand, Strings};
use ptx_isa::{Mnemonic, ScalarType, ptx};
use ptx_llvm_core::view::MetadataId;

use super::*;
use crate::marks::Instance;

/// The variables of the random bodies.
const VARIABLES: usize = 2;

/// The known parts of a variable: first bit and bits, and the register.
type Parts = BTreeSet<(Option<(u64, u64)>, RegId)>;

fn instance(number: usize) -> Instance {
    Instance { variable: MetadataId::new(number), inlined_at: None }
}

fn held(fragment: Option<(u64, u64)>, register: RegId) -> Held {
    Held { fragment, steps: vec![Step::Register(register)], class: 2 }
}

fn parts(held: &[Rc<Held>]) -> Parts {
    held.iter().filter_map(|held| Some((held.fragment, held.steps.first()?.register()?))).collect()
}

/// The parts of each variable before each statement, as `ranges` finds them.
fn found(body: &Body, marks: &Marks) -> Vec<Vec<Parts>> {
    let mut table = vec![vec![Parts::new(); body.statements.len()]; VARIABLES];
    for (variable, ranges) in ranges(body, marks, &|register| register).iter().enumerate() {
        for (range, held) in ranges {
            for at in range.clone() {
                assert!(table[variable][at].is_empty(), "ranges of a variable do not overlap");
                table[variable][at] = parts(held);
            }
        }
    }
    table
}

/// The parts of each variable that all paths agree on, by walking them with each edge at most twice. `None` before statements that no path
/// reaches.
struct Walk<'b> {
    body: &'b Body,
    marks: &'b Marks,
    cfg: Cfg,
    agreed: Vec<Option<Vec<Parts>>>,
}

impl Walk<'_> {
    fn block(&mut self, block: usize, mut state: Vec<Parts>, taken: &mut Vec<(usize, usize)>) {
        for at in self.cfg.blocks[block].statements.clone() {
            match &mut self.agreed[at] {
                Some(agreed) => {
                    for (agreed, own) in agreed.iter_mut().zip(&state) {
                        agreed.retain(|part| own.contains(part));
                    }
                }
                none => *none = Some(state.clone()),
            }
            self.statement(at, &mut state);
        }
        for to in self.cfg.blocks[block].successors.clone() {
            let edge = (block, to.index());
            if taken.iter().filter(|other| **other == edge).count() < 2 {
                taken.push(edge);
                self.block(to.index(), state.clone(), taken);
                taken.pop();
            }
        }
    }

    fn statement(&self, at: usize, state: &mut [Parts]) {
        match &self.body.statements[at] {
            Stmt::Inst(inst) => self.body.for_each_register(inst, |register, role| {
                if role.is_written() {
                    state.iter_mut().for_each(|parts| parts.retain(|part| part.1 != register));
                }
            }),
            Stmt::Mark(mark) => {
                let Mark::Variable(number, held) = &self.marks.marks[*mark as usize] else { return };
                match held {
                    None => state[*number].clear(),
                    Some(held) => {
                        state[*number].retain(|part| match (part.0, held.fragment) {
                            (Some((a, bits)), Some((b, others))) => a + bits <= b || b + others <= a,
                            _ => false,
                        });
                        state[*number].extend(parts(std::slice::from_ref(held)));
                    }
                }
            }
            _ => {}
        }
    }
}

fn walked(body: &Body, marks: &Marks) -> Vec<Option<Vec<Parts>>> {
    let agreed = vec![None; body.statements.len()];
    let mut walk = Walk { body, marks, cfg: Cfg::new(body), agreed };
    walk.block(0, vec![Parts::new(); VARIABLES], &mut Vec::new());
    walk.agreed
}

/// A body of some blocks whose statements are writes and marks in random order, and branches to random blocks.
fn random_body(random: &mut fastrand::Rng, blocks: usize) -> (Body, Marks) {
    let (mut builder, mut marks, mut strings) = (BodyBuilder::new(), Marks::default(), Strings::default());
    let registers: Vec<RegId> = (0..3).map(|_| builder.new_register(&mut strings, ScalarType::B32)).collect();
    let predicate = builder.new_register(&mut strings, ScalarType::Pred);
    let labels: Vec<_> =
        (0..blocks).map(|at| builder.new_label(strings.intern(&format!("L{at}")), LabelKind::Code)).collect();
    let mov = |builder: &mut BodyBuilder, register| {
        builder.push_inst(
            None,
            ptx!("mov.b32"),
            &[Operand::Register(register), Operand::Immediate(Immediate::integer(0))],
        );
    };
    for variable in 0..VARIABLES {
        marks.declare(instance(variable), None);
    }
    // A register that nothing writes holds nothing.
    registers.iter().for_each(|register| mov(&mut builder, *register));
    for label in &labels {
        builder.place(*label);
        for _ in 0..random.usize(0..5) {
            let register = registers[random.usize(0..registers.len())];
            let fragment = [None, Some((0, 32)), Some((32, 32)), Some((16, 32))][random.usize(0..4)];
            let value = random.bool().then(|| held(fragment, register));
            match random.usize(0..3) {
                0 => mov(&mut builder, register),
                _ => builder.push(marks.value(instance(random.usize(0..VARIABLES)), value)),
            }
        }
        let target = Operand::Label(labels[random.usize(0..blocks)]);
        let guard = Guard { register: predicate, negated: false };
        match random.usize(0..4) {
            0 => builder.push_inst(None, ptx!("bra"), &[target]),
            1 | 2 => builder.push_inst(Some(guard), ptx!("bra"), &[target]),
            _ => {}
        }
    }
    let exit: Mnemonic = ptx!("exit");
    builder.push_inst(None, exit, &[]);
    (builder.finish(), marks)
}

#[test]
fn locations_are_those_that_all_paths_agree_on() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut known = 0;
    for round in 0..3000 {
        let (body, marks) = random_body(&mut random, 1 + round % 4);
        let table = found(&body, &marks);
        for (at, agreed) in walked(&body, &marks).into_iter().enumerate() {
            for (variable, agreed) in agreed.into_iter().flatten().enumerate() {
                assert_eq!(table[variable][at], agreed, "round {round}, statement {at}, {body:?}");
                known += usize::from(!agreed.is_empty());
            }
        }
    }
    assert!(known > 10_000, "only {known} locations are known");
}

#[test]
fn register_that_is_never_written_holds_no_variable() {
    let (mut builder, mut marks, mut strings) = (BodyBuilder::new(), Marks::default(), Strings::default());
    let register = builder.new_register(&mut strings, ScalarType::B32);
    builder.push(marks.value(instance(0), Some(held(None, register))));
    builder.push_inst(None, ptx!("exit"), &[]);
    assert_eq!(ranges(&builder.finish(), &marks, &|register| register), [Vec::new()]);
}

#[test]
fn location_names_the_final_register() {
    let (mut builder, mut marks, mut strings) = (BodyBuilder::new(), Marks::default(), Strings::default());
    let [first, last] = [(); 2].map(|()| builder.new_register(&mut strings, ScalarType::B32));
    builder.push_inst(
        None,
        ptx!("mov.b32"),
        &[Operand::Register(last), Operand::Immediate(Immediate::integer(1))],
    );
    builder.push(marks.value(instance(0), Some(held(None, first))));
    builder.push_inst(None, ptx!("exit"), &[]);
    let body = builder.finish();
    let found = ranges(&body, &marks, &|_| last);
    let [(range, parts)] = found[0].as_slice() else { panic!("{found:?}") };
    assert_eq!(range.end, body.statements.len());
    assert_eq!(parts[0].steps, [Step::Register(last)]);
}
