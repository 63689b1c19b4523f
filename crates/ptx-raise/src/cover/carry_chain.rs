//! Sums and differences of several words without a mark: LLVM's passes regroup the last word of a chain of carries (manual 9.7.2),
//! and other front ends write chains with the same intrinsics.
//!
//! The function has `llvm.uadd.with.overflow` (or `usub`) of each word except the last, whose flag is added to the
//! next word. One text covers all of it, since the carry flag is live only between its instructions.

use ptx_llvm_core::marks;
use ptx_llvm_core::view::{BinaryOp, Block, CastOp, InstId, Op, Value};
use rustc_hash::FxHashSet as HashSet;

use super::decision::{Narrow, Text};
use super::marked::Found;
use super::pattern::inst_of;
use super::state::Covering;
use crate::constraint::parse_constraints;
use crate::value::sign_extend;

/// The maximum number of words of one chain.
const LONGEST: usize = 64;

/// One word of a chain.
struct Word {
    /// The instruction that has the result, if any.
    result: Option<InstId>,
    lhs: Value,
    /// `None` for zero.
    rhs: Option<Value>,
}

/// The words of a chain, the top one first, and the instructions that compute them.
struct Chain {
    subtracts: bool,
    words: Vec<Word>,
    covered: Vec<InstId>,
}

/// A term of a sum.
#[derive(Clone, Copy)]
struct Term {
    value: Value,
    negative: bool,
}

/// A sum of one or two terms and a flag.
struct Sum {
    terms: Vec<Term>,
    /// The extension of the flag.
    carry: Term,
    covered: Vec<InstId>,
}

/// `llvm.uadd.with.overflow` or `llvm.usub.with.overflow`.
struct Overflowing {
    call: InstId,
    subtracts: bool,
    lhs: Value,
    rhs: Value,
}

/// Finds the chains that are not marked.
pub(super) fn find(cover: &mut Covering<'_, '_, '_>) {
    for &block in &cover.flow.layout {
        let source = cover.source;
        let is_flag = |id| matches!(source.op(id), Op::ExtractValue { indices, .. } if *indices == [1]);
        if !source.insts(block).any(is_flag) {
            continue;
        }
        // The last sum of a word is the whole one.
        for id in source.insts(block).rev() {
            let Some(found) = cover.carry_text(id, source.function.block(block)) else { continue };
            let needed: HashSet<InstId> =
                cover.text_inputs.iter().copied().chain(found.text.values()).filter_map(inst_of).collect();
            cover.accept(found, &needed);
        }
    }
}

impl Covering<'_, '_, '_> {
    /// The text of the chain whose top word an instruction computes.
    fn carry_text(&self, id: InstId, block: &Block) -> Option<Found> {
        let bits = self.source.integer_bits(Value::Inst(id)).filter(|bits| matches!(bits, 32 | 64))?;
        let chain = self.chain_to(id)?;
        let here = |id: &InstId| block.insts.contains(&(id.index() as u32));
        // The flag of a word counts one in the next only if they have the same width.
        let as_wide = chain.words.iter().all(|word| self.source.integer_bits(word.lhs) == Some(bits));
        if !as_wide
            || !chain.covered.iter().all(here)
            || chain.covered.iter().any(|id| self.cover.is_taken(*id))
        {
            return None;
        }
        let (verb, class) = (if chain.subtracts { "sub" } else { "add" }, if bits == 32 { 'r' } else { 'l' });
        let count = chain.words.len();
        let (mut text, mut inputs, mut constraints) =
            (String::new(), Vec::new(), vec![format!("={class}"); count]);
        for (at, word) in chain.words.iter().rev().enumerate() {
            let carries_in = if at > 0 { "c" } else { "" };
            let carries_on = if at + 1 < count { ".cc" } else { "" };
            let mut operands = format!("${at}");
            for operand in [Some(word.lhs), word.rhs] {
                operands += ", ";
                match operand.map(|value| (value, self.source.number(value))) {
                    Some((value, None)) => {
                        operands += &format!("${}", count + inputs.len());
                        inputs.push(value);
                        constraints.push(class.to_string());
                    }
                    Some((_, Some(number))) => operands += &sign_extend(number, bits).to_string(),
                    None => operands.push('0'),
                }
            }
            text += &format!("{verb}{carries_in}{carries_on}.u{bits} {operands};\n");
        }
        let roots: Vec<Option<InstId>> = chain.words.iter().rev().map(|word| word.result).collect();
        let place = self.place_of(&roots, &inputs, &chain.covered, block)?;
        let constraints = parse_constraints(&constraints.join(",")).ok()?;
        let inputs = inputs.into_iter().map(Narrow::Value).collect();
        let text = Text { text: text.into(), constraints, roots, inputs };
        Some(Found { text, covered: chain.covered, place })
    }

    /// The chain whose top word an instruction computes.
    fn chain_to(&self, id: InstId) -> Option<Chain> {
        let Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs, .. } = self.source.inst(id).op else {
            return None;
        };
        // The terms of an operand are split if that reveals the flag or two terms that it is added to.
        let sums = [Some(lhs), Some(rhs), None].map(|opened| self.sum_with_carry(id, opened));
        sums.into_iter().flatten().find_map(|sum| {
            let flag = match self.source.inst(inst_of(sum.carry.value)?).op {
                Op::Cast { value, .. } => value,
                _ => return None,
            };
            let (subtracts, mut words, mut covered) = self.words_below(flag)?;
            let (lhs, rhs) = top_operands(&sum, subtracts)?;
            words.insert(0, Word { result: Some(id), lhs, rhs });
            covered.extend(sum.covered);
            covered.sort_unstable();
            Some(Chain { subtracts, words, covered })
        })
    }

    /// The terms of a sum or difference, those of one operand instead of it, when exactly one is the extension of a flag.
    fn sum_with_carry(&self, id: InstId, opened: Option<Value>) -> Option<Sum> {
        let mut covered = vec![id];
        let mut terms = Vec::with_capacity(3);
        for term in self.terms_of(id, false)? {
            match opened {
                Some(opened) if opened == term.value => {
                    let inner = inst_of(opened).filter(|inner| self.is_read_once(*inner))?;
                    terms.extend(self.terms_of(inner, term.negative)?);
                    covered.push(inner);
                }
                _ => terms.push(term),
            }
        }
        let mut carries = terms.iter().enumerate().filter_map(|(at, term)| Some((at, self.carry(*term)?)));
        let (Some((at, carry)), None) = (carries.next(), carries.next()) else { return None };
        terms.remove(at);
        covered.extend(inst_of(carry.value));
        Some(Sum { terms, carry, covered })
    }

    /// The terms of a sum or difference that was not a separate instruction in PTX.
    fn terms_of(&self, id: InstId, negative: bool) -> Option<[Term; 2]> {
        let inst = self.source.inst(id);
        let (lhs, rhs, minus) = match inst.op {
            Op::Binary { op: BinaryOp::Add, lhs, rhs, .. } => (lhs, rhs, false),
            Op::Binary { op: BinaryOp::Sub, lhs, rhs, .. } => (lhs, rhs, true),
            _ => return None,
        };
        let own = inst.metadata(marks::LITERAL).is_none();
        own.then_some([Term { value: lhs, negative }, Term { value: rhs, negative: negative != minus }])
    }

    /// A term that is the extension of a flag, which is added or subtracted once.
    fn carry(&self, term: Term) -> Option<Term> {
        let id = inst_of(term.value).filter(|id| self.is_read_once(*id))?;
        let Op::Cast { op, value, .. } = self.source.inst(id).op else { return None };
        self.source.integer_bits(value).filter(|bits| *bits == 1)?;
        match op {
            CastOp::ZExt => Some(term),
            CastOp::SExt => Some(Term { negative: !term.negative, ..term }),
            _ => None,
        }
    }

    /// The words whose carry is a flag, the top one first, and the instructions that compute them.
    fn words_below(&self, flag: Value) -> Option<(bool, Vec<Word>, Vec<InstId>)> {
        let (mut words, mut covered) = (Vec::new(), Vec::new());
        let mut kind = None;
        let mut flag = flag;
        while words.len() < LONGEST {
            let id = inst_of(flag).filter(|id| self.is_read_once(*id))?;
            let (own, below) = match self.overflow_of(flag, 1) {
                Some(first) => {
                    covered.extend([id, first.call]);
                    (first, None)
                }
                None => self.word_with_carry(id, &mut covered).map(|(own, below)| (own, Some(below)))?,
            };
            if *kind.get_or_insert(own.subtracts) != own.subtracts {
                return None;
            }
            let result = self.taken_part(own.call, 0);
            covered.extend(result);
            words.push(Word { result, lhs: own.lhs, rhs: Some(own.rhs) });
            match below {
                Some(below) => flag = below,
                None => return Some((own.subtracts, words, covered)),
            }
        }
        None
    }

    /// A word in the middle: the flag is set by the sum of the operands or by that of it and the carry. The call is the one that has the
    /// result, the operands are those of the other.
    fn word_with_carry(&self, id: InstId, covered: &mut Vec<InstId>) -> Option<(Overflowing, Value)> {
        let Op::Binary { op: BinaryOp::Or | BinaryOp::Xor, lhs, rhs, .. } = self.source.inst(id).op else {
            return None;
        };
        [(lhs, rhs), (rhs, lhs)].into_iter().find_map(|(one, other)| {
            let (inner, outer) = (self.overflow_of(one, 1)?, self.overflow_of(other, 1)?);
            let operands = [(outer.lhs, outer.rhs), (outer.rhs, outer.lhs)];
            let ways = if outer.subtracts { 1 } else { 2 };
            let (sum, extension) = operands.into_iter().take(ways).find_map(|(sum, carry)| {
                let first = self.overflow_of(sum, 0)?;
                let carry =
                    self.carry(Term { value: carry, negative: false }).filter(|carry| !carry.negative)?;
                (first.call == inner.call).then_some((sum, carry.value))
            })?;
            let flags = [one, other, sum].map(inst_of);
            let [Some(one), Some(other), Some(sum)] = flags else { return None };
            let extension = inst_of(extension)?;
            let Op::Cast { value: below, .. } = self.source.inst(extension).op else { return None };
            let same = inner.subtracts == outer.subtracts;
            if !same || ![one, other, sum].into_iter().all(|id| self.is_read_once(id)) {
                return None;
            }
            covered.extend([id, one, other, sum, extension, inner.call, outer.call]);
            Some((Overflowing { call: outer.call, ..inner }, below))
        })
    }

    /// The sum or difference whose result a value is a part of: the number, or the flag.
    fn overflow_of(&self, value: Value, part: u32) -> Option<Overflowing> {
        let Op::ExtractValue { aggregate, indices } = self.cover.plain_op(value)? else { return None };
        if *indices != [part] {
            return None;
        }
        let Op::Call(call) = self.cover.plain_op(*aggregate)? else { return None };
        let callee = self.source.view.called(call)?;
        let subtracts = match callee.name.strip_prefix("llvm.u")?.split_once(".with.overflow.")?.0 {
            "add" => false,
            "sub" => true,
            _ => return None,
        };
        let &[lhs, rhs] = call.args.as_slice() else { return None };
        self.source.integer_bits(lhs).filter(|bits| matches!(bits, 32 | 64))?;
        Some(Overflowing { call: inst_of(*aggregate)?, subtracts, lhs, rhs })
    }

    /// The only instruction that extracts a part of an aggregate.
    fn taken_part(&self, aggregate: InstId, part: u32) -> Option<InstId> {
        let users = self.cover.uses.users(aggregate);
        let takes = |user: &&InstId| matches!(&self.source.inst(**user).op, Op::ExtractValue { indices, .. } if *indices == [part]);
        users.iter().find(takes).copied()
    }

    fn is_read_once(&self, id: InstId) -> bool {
        self.cover.uses.users(id).len() == 1 && !self.text_inputs.contains(&Value::Inst(id))
    }
}

/// The operands of the top word, if its instruction computes the sum.
fn top_operands(sum: &Sum, subtracts: bool) -> Option<(Value, Option<Value>)> {
    if sum.carry.negative != subtracts {
        return None;
    }
    match *sum.terms.as_slice() {
        [Term { value, negative: false }] => Some((value, None)),
        [Term { value: lhs, negative: false }, Term { value: rhs, negative }] if negative == subtracts => {
            Some((lhs, Some(rhs)))
        }
        [Term { value: rhs, negative: true }, Term { value: lhs, negative: false }] if subtracts => {
            Some((lhs, Some(rhs)))
        }
        _ => None,
    }
}
