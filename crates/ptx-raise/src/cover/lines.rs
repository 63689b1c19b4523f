//! Rules that are lines of PTX.
//!
//! A line covers the IR that it lowers to, and the result of LLVM's pass `instcombine` on it, which is the form in optimized code. So one
//! line is sufficient for an instruction that is equivalent to several of LLVM's:
//!
//! ```text
//! cvt.s32.s8 $0, $1;       %t = trunc i32 %x to i8        %t = shl i32 %x, 24
//!                          %r = sext i8 %t to i32         %r = ashr i32 %t, 24
//! ```
//!
//! Operands may be constants, and numbers of fewer bits that are extended anyway ([`super::matching`]). The lines are lowered together, once
//! for each process, and found by the operation of their result.

use std::sync::{Arc, OnceLock};

use ptx_llvm_core::view::{BinaryOp, CastOp, InstId, Op, Value, View};
use ptx_llvm_core::{Context, marks};
use rustc_hash::FxHashMap as HashMap;

use super::decision::{Action, Match, Narrow, Reads, Text};
use super::matching::{Matching, Operands};
use super::pattern::{Pattern, combine, lower};
use super::state::Covering;
use crate::constraint::{Constraint, parse_constraints};
use crate::types::SharedAddresses;

/// The target that lines are lowered for: their semantics do not depend on it.
const HEADING: &str = ".version 8.0\n.target sm_90";

/// PTX text with one result, and the constraints of its operands as in inline assembly.
type Line = (&'static str, &'static str);

/// Lines in the order in which they are tried.
pub(super) struct Lines {
    lines: &'static [Line],
    compiled: OnceLock<Compiled>,
}

/// The patterns of lines by the operation of their result, in their order.
type Compiled = HashMap<Root, Vec<Compared>>;

/// A line with one of its patterns.
struct Compared {
    line: Line,
    constraints: Vec<Constraint>,
    pattern: Arc<Pattern>,
}

/// An operation by which patterns are found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Root {
    Binary(BinaryOp),
    Cast(CastOp),
}

impl Root {
    fn of(op: &Op) -> Option<Self> {
        match op {
            Op::Binary { op, .. } => Some(Self::Binary(*op)),
            Op::Cast { op, .. } => Some(Self::Cast(*op)),
            _ => None,
        }
    }
}

impl Lines {
    pub(super) const fn new(lines: &'static [Line]) -> Self {
        Self { lines, compiled: OnceLock::new() }
    }

    /// The text for an instruction: the first line that matches the instruction and its operands.
    pub(super) fn find(&self, cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
        let root = Root::of(cover.source.op(id))?;
        let compiled = self.compiled.get_or_init(|| compile(self.lines, cover.module.llvm.context()));
        compiled.get(&root)?.iter().find_map(|compared| compared.at(cover, id))
    }
}

/// The patterns of lines, except those that do not lower, which a test reports.
fn compile(lines: &'static [Line], context: &Context) -> Compiled {
    let mut compiled = Compiled::default();
    let patterns = patterns(lines, context);
    debug_assert!(patterns.is_some(), "the module of the lines is not valid");
    for (line, pattern) in patterns.into_iter().flatten() {
        let root = pattern.root().and_then(|root| Root::of(&pattern.function().inst(root).op));
        let (Some(root), Ok(constraints)) = (root, parse_constraints(line.1)) else { continue };
        // Optimization turns a product with a power of two into a shift.
        let shift = (root == Root::Binary(BinaryOp::Mul)).then_some(Root::Binary(BinaryOp::Shl));
        let pattern = Arc::new(pattern);
        for root in [Some(root), shift].into_iter().flatten() {
            let (constraints, pattern) = (constraints.clone(), pattern.clone());
            compiled.entry(root).or_default().push(Compared { line, constraints, pattern });
        }
    }
    compiled
}

/// The IR that each line lowers to, and the optimized IR if it differs.
fn patterns(lines: &'static [Line], context: &Context) -> Option<Vec<(Line, Pattern)>> {
    let mut module = lower(HEADING, context, lines)?;
    let plain = Arc::new(View::new(&module).ok()?);
    combine(&mut module)?;
    let combined = Arc::new(View::new(&module).ok()?);
    let mut found = Vec::with_capacity(2 * lines.len());
    for (number, line) in lines.iter().enumerate() {
        let Some(plain) = Pattern::of(plain.clone(), number, line.1) else { continue };
        let other = Pattern::of(combined.clone(), number, line.1).filter(|other| !is_same(&plain, other));
        found.push((*line, plain));
        found.extend(other.map(|other| (*line, other)));
    }
    Some(found)
}

/// Whether a pattern matches the same code as another one.
fn is_same(pattern: &Pattern, other: &Pattern) -> bool {
    let (Some(root), Some(found)) = (pattern.root(), other.root()) else { return false };
    let (view, function, shared) = (&other.view, other.function(), SharedAddresses::default());
    let mut matching = Matching::new(pattern, Operands::Values, view, function, shared);
    matching.same(Value::Inst(root), Value::Inst(found), 0)
}

impl Compared {
    /// The text for an instruction that matches the IR that the line lowers to.
    fn at(&self, cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
        let (source, shared) = (cover.source, cover.module.leaves.shared());
        let mut matching = Matching::new(&self.pattern, Operands::Any, source.view, source.function, shared);
        if !matching.same(Value::Inst(self.pattern.root()?), Value::Inst(id), 0) {
            return None;
        }
        // A separate instruction of the original PTX stays one, and instructions computed by others do not match.
        let is_open = |covered: &InstId| {
            let kept = source.inst(*covered).metadata(marks::LITERAL).is_some();
            let inner =
                *covered != id && (cover.cover.is_opaque(*covered) || source.is_own_register(*covered));
            !kept && !inner
        };
        if !matching.pairs.values().all(is_open) {
            return None;
        }
        let inputs: Vec<Narrow> = matching.inputs.into_iter().collect::<Option<_>>()?;
        let (text, constraints) = (self.line.0.into(), self.constraints.clone());
        let text = Text { text, constraints, roots: vec![Some(id)], inputs };
        let reads: Reads = text.values().collect();
        (!reads.is_empty()).then_some(Match { action: Action::Text(text), reads })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::Rule;

    #[test]
    fn every_line_of_the_rules_lowers_to_an_operation_by_which_it_is_found() {
        let context = Context::new().expect("LLVM 22");
        let rules = crate::cover::RULES.iter();
        for lines in rules.filter_map(|rule| if let Rule::Lines(lines) = rule { Some(lines) } else { None }) {
            let compiled = compile(lines.lines, &context);
            for line in lines.lines {
                assert!(compiled.values().flatten().any(|found| found.line == *line), "{}", line.0);
            }
        }
    }

    #[test]
    fn a_line_is_found_as_it_lowers_and_as_optimized_code_has_it() {
        let context = Context::new().expect("LLVM 22");
        let lines: &'static [Line] =
            &[("cvt.s32.s8 $0, $1;", "=r,r"), ("mul.wide.s32 $0, $1, $2;", "=l,r,r")];
        let mut roots: Vec<(Root, usize)> =
            compile(lines, &context).into_iter().map(|(root, found)| (root, found.len())).collect();
        roots.sort_unstable_by_key(|(root, _)| format!("{root:?}"));
        // `instcombine` turns the extension into two shifts, and keeps the product.
        let expected = [
            (Root::Binary(BinaryOp::AShr), 1),
            (Root::Binary(BinaryOp::Mul), 1),
            (Root::Binary(BinaryOp::Shl), 1),
            (Root::Cast(CastOp::SExt), 1),
        ];
        assert_eq!(roots, expected);
    }
}
