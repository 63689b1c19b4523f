//! The code of a function as DWARF sees it: where scopes and variables begin and end.
//!
//! In: a finished body with marks among its statements. Out: the body with labels instead of marks, and a [`FunctionTrace`] that
//! names them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use ptx_ir::{At, Body, Label, LabelId, LabelKind, RegId, Stmt, Strings};
use ptx_llvm_core::view::{LocationId, MetadataId, View};
use rustc_hash::FxHashMap as HashMap;

use crate::Program;
use crate::expression::{GENERIC, Step, op_piece, parts};
use crate::marks::{Held, Instance, Mark, Marks};
use crate::propagation::{Ranges, ranges};
use crate::scope::{ScopeKey, scope_chain};
use crate::trace::{FunctionTrace, LocationDescription, TracedVariable, VariableLocation};

/// Evaluates the marks of a finished body, and puts labels in their place where sections refer to them. `settled` maps a register
/// of the marks to its final one.
pub fn trace_code(
    view: &View,
    program: &mut dyn Program,
    (body, marks): (&mut Body, &Marks),
    settled: &dyn Fn(RegId) -> RegId,
    subprogram: MetadataId,
) -> FunctionTrace {
    let function = ScopeKey { node: subprogram, inlined_at: None };
    let mut scopes = scopes(view, body, marks);
    scopes.insert(function, 0..body.statements.len());
    let mut variables = variables(body, marks, settled);
    let positions = settled_positions(body);
    for range in scopes.values_mut() {
        *range = settle(range, &positions);
    }
    for (_, ranges) in &mut variables {
        settle_ranges(ranges, &positions);
    }
    let is_everywhere: Vec<bool> =
        variables.iter().map(|(instance, ranges)| is_everywhere(view, &scopes, instance, ranges)).collect();
    let elsewhere = variables.iter().zip(&is_everywhere).filter(|(_, everywhere)| !**everywhere);
    let ranges = elsewhere.flat_map(|((_, ranges), _)| ranges.iter().map(|(range, _)| range));
    let labels = labels(program, scopes.values().chain(ranges), scopes.get(&function));
    let label = |at: usize| {
        let label = labels.get(&at);
        debug_assert!(label.is_some(), "no label at statement {at}");
        // Default: there are labels where the ranges above begin and end.
        label.cloned().unwrap_or_default()
    };
    let strings = program.strings();
    let name = |register: RegId| register_name(strings, body, register);
    let traced = |((instance, ranges), everywhere): (&(Instance, Ranges), &bool)| TracedVariable {
        variable: instance.variable,
        inlined_at: instance.inlined_at,
        location: match ranges.as_slice() {
            [] => VariableLocation::Nowhere,
            [(_, held)] if *everywhere => {
                let class = held.first().map_or(GENERIC, |held| held.class);
                VariableLocation::Everywhere(LocationDescription {
                    parts: parts(&composed(held), &name),
                    class,
                })
            }
            ranges => VariableLocation::Ranges(
                ranges
                    .iter()
                    .map(|(range, held)| {
                        (label(range.start), label(range.end), parts(&composed(held), &name))
                    })
                    .collect(),
            ),
        },
    };
    let trace = FunctionTrace {
        subprogram,
        variables: variables.iter().zip(&is_everywhere).map(traced).collect(),
        scopes: scopes.iter().map(|(key, range)| (*key, (label(range.start), label(range.end)))).collect(),
    };
    replace_marks(program.strings(), body, &labels);
    trace
}

/// The scopes that have code, with the statements from the first past the last of it.
fn scopes(view: &View, body: &Body, marks: &Marks) -> BTreeMap<ScopeKey, Range<usize>> {
    let mut scopes: BTreeMap<ScopeKey, Range<usize>> = BTreeMap::new();
    let mut chains: HashMap<LocationId, Vec<ScopeKey>> = HashMap::default();
    let mut here: Option<LocationId> = None;
    for (at, statement) in body.statements.iter().enumerate() {
        match statement {
            Stmt::Mark(number) => {
                if let Some(Mark::Location(id)) = marks.marks.get(*number as usize) {
                    here = Some(*id);
                }
            }
            Stmt::Inst(_) => {
                let Some(here) = here else { continue };
                let chain = chains.entry(here).or_insert_with(|| scope_chain(view, here));
                for key in chain.iter() {
                    scopes.entry(*key).or_insert(at..at + 1).end = at + 1;
                }
            }
            _ => {}
        }
    }
    scopes
}

/// The variables of the marks, and where each is.
fn variables(body: &Body, marks: &Marks, settled: &dyn Fn(RegId) -> RegId) -> Vec<(Instance, Ranges)> {
    let mut ranges = ranges(body, marks, settled);
    for (&number, held) in &marks.declared {
        if let Some(ranges) = ranges.get_mut(number) {
            *ranges = vec![(0..body.statements.len(), vec![Rc::new(held.clone())])];
        }
    }
    marks.variables.iter().copied().zip(ranges).collect()
}

/// For each position in the text, and the one after it, the last position before the same code: before an instruction or
/// a label, after declarations, `.loc` and marks.
fn settled_positions(body: &Body) -> Vec<usize> {
    let mut settled = vec![body.statements.len(); body.statements.len() + 1];
    let mut last = body.statements.len();
    for (at, statement) in body.statements.iter().enumerate().rev() {
        let is_code = !matches!(
            statement,
            Stmt::Mark(_)
                | Stmt::Location(_)
                | Stmt::Registers(..)
                | Stmt::Variable(_)
                | Stmt::TrailingComment(_)
        );
        if is_code {
            last = at;
        }
        if let Some(position) = settled.get_mut(at) {
            *position = last;
        }
    }
    settled
}

fn settle(range: &Range<usize>, positions: &[usize]) -> Range<usize> {
    let position = |at: usize| positions.get(at).copied().unwrap_or(at);
    position(range.start)..position(range.end)
}

/// Moves ranges to their final positions, joins those that have become adjacent, and removes those without code.
fn settle_ranges(ranges: &mut Ranges, positions: &[usize]) {
    let mut kept: Ranges = Vec::new();
    for (range, held) in std::mem::take(ranges) {
        let range = settle(&range, positions);
        match kept.last_mut() {
            Some((last, same)) if last.end == range.start && *same == held => last.end = range.end,
            Some(_) | None if range.start < range.end => kept.push((range, held)),
            Some(_) | None => {}
        }
    }
    *ranges = kept;
}

/// Whether a variable has one location in all of its scope.
fn is_everywhere(
    view: &View,
    scopes: &BTreeMap<ScopeKey, Range<usize>>,
    instance: &Instance,
    ranges: &Ranges,
) -> bool {
    let [(range, _)] = ranges.as_slice() else { return false };
    let scope = view.debug_node(instance.variable).and_then(|variable| variable.node("scope"));
    let key = scope.and_then(|node| ScopeKey::innermost(view, node, instance.inlined_at));
    key.and_then(|key| scopes.get(&key))
        .is_some_and(|scope| range.start <= scope.start && scope.end <= range.end)
}

/// Labels at the ends of ranges that sections refer to, by position; `whole` is the function's.
fn labels<'r>(
    program: &mut dyn Program,
    ranges: impl Iterator<Item = &'r Range<usize>>,
    whole: Option<&Range<usize>>,
) -> BTreeMap<usize, String> {
    let positions: BTreeSet<usize> = ranges.flat_map(|range| [range.start, range.end]).collect();
    let word = |at: usize| match whole {
        Some(whole) if at == whole.start => "func_begin",
        Some(whole) if at == whole.end => "func_end",
        Some(_) | None => "tmp",
    };
    positions.into_iter().map(|at| (at, program.code_label(word(at)))).collect()
}

/// The name of a register in PTX.
fn register_name(strings: &Strings, body: &Body, register: RegId) -> String {
    let decl = body.decl(register);
    let stem = strings.get(decl.name);
    match (decl.count, body.registers.get(register.index())) {
        (Some(_), Some(register)) => format!("{stem}{}", register.number),
        _ => stem.to_owned(),
    }
}

/// One expression for the parts of a variable; the gaps between them are unknown.
fn composed(held: &[Rc<Held>]) -> Vec<Step> {
    let mut parts: Vec<&Held> = held.iter().map(Rc::as_ref).collect();
    parts.sort_by_key(|held| held.fragment);
    let mut steps = Vec::new();
    let mut end = 0;
    for held in parts {
        let Some((first, bits)) = held.fragment else { return held.steps.clone() };
        if first > end {
            steps.extend(op_piece((first - end) / 8));
        }
        steps.extend(held.steps.iter().cloned());
        steps.extend(op_piece(bits / 8));
        end = first + bits;
    }
    steps
}

/// Puts labels at their positions, and removes the marks.
fn replace_marks(strings: &mut Strings, body: &mut Body, labels: &BTreeMap<usize, String>) {
    let end = body.statements.len();
    let statements = std::mem::take(&mut body.statements);
    let mut new = Vec::with_capacity(statements.len() + labels.len());
    let mut place = |body: &mut Body, new: &mut Vec<Stmt>, at: usize| {
        if let Some(name) = labels.get(&at) {
            let name = strings.intern(name);
            body.labels.push(Label { name, kind: LabelKind::Code, at: At::default() });
            new.push(Stmt::Label(LabelId(body.labels.len() as u32 - 1)));
        }
    };
    for (at, statement) in statements.into_iter().enumerate() {
        place(body, &mut new, at);
        if !matches!(statement, Stmt::Mark(_)) {
            new.push(statement);
        }
    }
    place(body, &mut new, end);
    body.statements = new;
}
