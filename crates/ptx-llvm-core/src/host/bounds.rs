//! Comparisons of consecutive indices with a bound.
//!
//! A kernel tests whether each thread's index is below the length of an array. With the indices of all lanes of a block (CTA) in vectors, each of these takes
//! a broadcast, an addition and a comparison. The lanes for which the test holds depend on a single number: the distance of the bound from the first index.

use rustc_hash::FxHashMap;

use super::forward::vector_parts;
use crate::build::{BinaryOp, CastOp, IntPredicate};
use crate::edit::{Block, Editor, Inst, Opcode, Type, Value, edit};
use crate::error::LlvmError;
use crate::module::Module;

/// The fewest comparisons of a block that are worth the computation of the distance, which takes about eight scalar instructions.
const FEWEST: usize = 4;

/// Where distances are clamped: above all offsets.
const FARTHEST: i64 = 1 << 30;

/// Compares offsets with a distance instead of sums with a bound, where a block has several such comparisons; returns whether it did:
///
/// ```text
///   %i = or disjoint <4 x i32> splat(%x), <i32 4, i32 5, i32 6, i32 7>
///   %m = icmp ult <4 x i32> %i, splat(%n)
/// ```
///
/// becomes the following, in which `%d` is the difference of `%n` and `%x` in 64 bits, clamped to -1 and [`FARTHEST`]:
///
/// ```text
///   %m = icmp slt <4 x i32> <i32 4, i32 5, i32 6, i32 7>, splat(%d)
/// ```
///
/// Sums must be known not to wrap around. The least and the greatest of several sums are sums, too, as LLVM makes of a test whether any comparison holds.
pub(super) fn compare_distances(module: &mut Module<'_>) -> Result<bool, LlvmError> {
    edit(module, |editor| {
        let mut changed = false;
        for block in editor.functions().flat_map(|function| function.blocks()) {
            changed |= compare_in_block(editor, block)?;
        }
        Ok(changed)
    })
}

fn compare_in_block<'e>(editor: &Editor<'e>, block: Block<'e>) -> Result<bool, LlvmError> {
    let mut sums = Sums::default();
    let mut groups: Vec<(Key<'e>, Vec<Comparison<'e>>)> = Vec::new();
    let mut places: FxHashMap<Key<'e>, usize> = FxHashMap::default();
    for inst in block.instructions() {
        if let Some((key, comparison)) = sums.comparison(inst) {
            let place = *places.entry(key).or_insert(groups.len());
            if place == groups.len() {
                groups.push((key, Vec::new()));
            }
            groups[place].1.push(comparison);
        }
    }
    groups.retain(|(_, comparisons)| comparisons.len() >= FEWEST);
    for (key, comparisons) in &groups {
        replace(editor, *key, comparisons)?;
    }
    Ok(!groups.is_empty())
}

/// What is compared: sums with one base, with one bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key<'e> {
    base: Value<'e>,
    bound: Value<'e>,
    is_signed: bool,
}

/// A comparison of sums, the first operand, with a bound.
struct Comparison<'e> {
    instruction: Inst<'e>,
    predicate: IntPredicate,
    offsets: Vec<i64>,
}

/// A vector of sums of one number and constants from 0 to [`FARTHEST`], neither of which wraps around, signed or unsigned.
#[derive(Clone)]
struct Sum<'e> {
    base: Value<'e>,
    offsets: Vec<i64>,
}

/// The vectors of a block that are known to be sums.
#[derive(Default)]
struct Sums<'e> {
    known: FxHashMap<Value<'e>, Sum<'e>>,
}

impl<'e> Sums<'e> {
    /// The comparison that an instruction is, if it is one of sums with a bound. To be called for all instructions of a block in their order.
    fn comparison(&mut self, inst: Inst<'e>) -> Option<(Key<'e>, Comparison<'e>)> {
        let Some(predicate) = inst.int_predicate() else {
            if is_word_vector(inst.ty())
                && let Some(sum) = self.sum_of(inst)
            {
                self.known.insert(inst.value(), sum);
            }
            return None;
        };
        let [first, second] = inst.two_operands()?;
        if !is_word_vector(first.ty()) {
            return None;
        }
        let (sum, bound, predicate) = match (self.known.get(&first), self.known.get(&second)) {
            (Some(sum), None) => (sum, second, predicate),
            (None, Some(sum)) => (sum, first, predicate.swapped()),
            _ => return None,
        };
        let bound = splatted(bound)?;
        let is_signed = matches!(
            predicate,
            IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge
        );
        let comparison = Comparison { instruction: inst, predicate, offsets: sum.offsets.clone() };
        Some((Key { base: sum.base, bound, is_signed }, comparison))
    }

    fn sum_of(&self, inst: Inst<'e>) -> Option<Sum<'e>> {
        match inst.opcode() {
            Opcode::Or | Opcode::Add if is_exact(inst) => {
                let [a, b] = inst.two_operands()?;
                let added = constants(b)?;
                let sum = match self.known.get(&a) {
                    Some(sum) => sum.clone(),
                    None => Sum::with_base(splatted(a)?, added.len()),
                };
                sum.plus(&added)
            }
            Opcode::Call => {
                let chooses: fn(i64, i64) -> i64 = match () {
                    () if inst.calls("llvm.smin.v") || inst.calls("llvm.umin.v") => i64::min,
                    () if inst.calls("llvm.smax.v") || inst.calls("llvm.umax.v") => i64::max,
                    () => return None,
                };
                let [a, b] = inst.two_operands()?.map(|operand| self.known.get(&operand));
                let (a, b) = a.zip(b).filter(|(a, b)| a.base == b.base)?;
                let offsets = a.offsets.iter().zip(&b.offsets).map(|(&a, &b)| chooses(a, b)).collect();
                Some(Sum { base: a.base, offsets })
            }
            _ => None,
        }
    }
}

impl<'e> Sum<'e> {
    /// A number in all lanes; what was added to another one without wrapping around counts as the offset.
    fn with_base(number: Value<'e>, lanes: usize) -> Self {
        let sum = number.as_inst().filter(|sum| matches!(sum.opcode(), Opcode::Or | Opcode::Add));
        let operands = sum.filter(|sum| is_exact(*sum)).and_then(|sum| sum.two_operands());
        let added = operands.and_then(|[base, added]| Some((base, added.as_signed()?)));
        match added.filter(|(_, added)| is_near(*added)) {
            Some((base, added)) => Self { base, offsets: vec![added; lanes] },
            None => Self { base: number, offsets: vec![0; lanes] },
        }
    }

    fn plus(mut self, added: &[i64]) -> Option<Self> {
        for (offset, added) in self.offsets.iter_mut().zip(added) {
            *offset += added;
        }
        self.offsets.iter().all(|&offset| is_near(offset)).then_some(self)
    }
}

/// Whether an offset is one of those that distances are compared with.
fn is_near(offset: i64) -> bool {
    (0..FARTHEST).contains(&offset)
}

/// Replaces the comparisons of a group, which are of one block, in its order: the base and the bound precede the first.
fn replace<'e>(editor: &Editor<'e>, key: Key<'e>, comparisons: &[Comparison<'e>]) -> Result<(), LlvmError> {
    let Some(first) = comparisons.first() else { return Ok(()) };
    let (word, wide) = (editor.integer(32), editor.integer(64));
    let builder = editor.before(first.instruction)?;
    let extension = if key.is_signed { CastOp::SExt } else { CastOp::ZExt };
    let base = builder.cast(extension, key.base, wide)?;
    let bound = builder.cast(extension, key.bound, wide)?;
    let mut distance = builder.binary(BinaryOp::Sub, bound, base)?;
    for (limit, predicate) in [(FARTHEST, IntPredicate::Slt), (-1, IntPredicate::Sgt)] {
        let limit = wide.number(limit)?;
        let is_within = builder.int_compare(predicate, distance, limit)?;
        distance = builder.select(is_within, distance, limit)?;
    }
    let distance = builder.cast(CastOp::Trunc, distance, word)?;
    for Comparison { instruction, predicate, offsets } in comparisons {
        let builder = editor.before(*instruction)?;
        let distances = builder.broadcast(distance, offsets.len() as u32)?;
        let offsets = offsets.iter().map(|offset| word.number(*offset)).collect::<Result<Vec<_>, _>>()?;
        let offsets = editor.constant_vector(&offsets)?;
        // Offsets and distances are signed. Default: the predicate regards signs, or none.
        let predicate = predicate.signed().unwrap_or(*predicate);
        let compared = builder.int_compare(predicate, offsets, distances)?;
        if let Some(compared) = compared.as_inst() {
            compared.set_location(instruction.location());
        }
        instruction.replace_all_uses(compared)?;
        editor.erase(*instruction)?;
    }
    Ok(())
}

/// Whether a type is a vector of 32-bit integers.
fn is_word_vector(ty: Type<'_>) -> bool {
    vector_parts(ty).is_some_and(|(element, _)| element.integer_bits() == Some(32))
}

/// Whether a sum (`or` or `add`) of a number and a constant from 0 wraps around neither signed nor unsigned.
fn is_exact(inst: Inst<'_>) -> bool {
    let flags = inst.wrap_flags();
    inst.is_disjoint() || flags.nuw && flags.nsw
}

/// The elements of a constant vector of integers.
fn constants(value: Value<'_>) -> Option<Vec<i64>> {
    let (_, length) = vector_parts(value.ty())?;
    (0..length).map(|lane| value.element(lane)?.as_signed().filter(|number| is_near(*number))).collect()
}

/// The number that all lanes of a vector have.
fn splatted(value: Value<'_>) -> Option<Value<'_>> {
    if value.is_constant() {
        let first = value.element(0).filter(|first| first.is_constant_integer())?;
        return value.elements().all(|element| element == first).then_some(first);
    }
    let shuffle = value.as_op(Opcode::ShuffleVector)?;
    let insertion = shuffle.operand(0)?.as_op(Opcode::InsertElement)?;
    let is_first = shuffle.shuffle_mask().iter().all(|element| *element == Some(0));
    let is_of_first = insertion.operand(2)?.as_unsigned() == Some(0);
    (is_first && is_of_first).then(|| insertion.operand(1))?
}

#[cfg(test)]
mod tests;
