//! `ptx-pack-halves`: equal operations on both halves of a word become one operation on two halves.
//!
//! tinygrad and Triton load words of 16-bit floating-point numbers and compute with each number alone, as two instructions where the machine has one for both:
//!
//! ```text
//! %a = extractelement <4 x half> %v, i64 0        %w = shufflevector <4 x half> %v, poison, <0, 1>
//! %b = extractelement <4 x half> %v, i64 1        %p = fmul <2 x half> %w, splat (half 0xHBDC5)
//! %c = fmul half %a, 0xHBDC5                -->   %c = extractelement <2 x half> %p, i32 0
//! %d = fmul half %b, 0xHBDC5                      %d = extractelement <2 x half> %p, i32 1
//! ```
//!
//! LLVM's SLP vectorizer starts at stores and reductions, and does not see that a shift takes a half out of a word. Here the words are where it starts: operations of
//! a block that are the same but for the half of their operands are one, and the result is a word for the next ones. Every element is rounded as before.
//!
//! A tree of such operations is packed if it saves at least two instructions: values that both halves share have to be brought into both, and a half that is needed alone has to be
//! taken out of its word, where the user is not an instruction that selects a half itself.

use std::collections::{HashMap, HashSet};

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::build::{BinaryOp, CastOp};
use ptx_llvm_core::edit::{Block, Builder, Editor, FastMath, Function, Inst, Opcode, Type, TypeKind, Value};

use crate::pass::{Pass, Run, When};

pub(super) const PASS: Pass = Pass {
    name: "ptx-pack-halves",
    summary: "Makes one operation on two 16-bit floating-point numbers of equal operations on both halves of words.",
    when: When::LastAtLevels,
    run: Run::Function(run),
    parameters: &[],
};

/// How many instructions are saved at least: `ptxas` converts a number to single precision with what computes it, but not one of two.
const LEAST_SAVED: i64 = 2;

/// Intrinsics that compute each element alone, and that have a packed instruction.
const INTRINSICS: [&str; 9] = [
    "llvm.fma",
    "llvm.fmuladd",
    "llvm.fabs",
    "llvm.maximumnum",
    "llvm.minimumnum",
    "llvm.maxnum",
    "llvm.minnum",
    "llvm.maximum",
    "llvm.minimum",
];

fn run<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    function.blocks().into_iter().try_for_each(|block| {
        let packing = Packing::new(block);
        if packing.pairs.is_empty() { Ok(()) } else { packing.build(editor) }
    })
}

/// Where two halves are together already.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Word<'e> {
    /// Two elements of a vector, by the number of the pair.
    Elements(Value<'e>, u32),
    /// The bits of an integer of 32 bits, as two numbers of a type.
    Bits(Value<'e>, Type<'e>),
    /// The result of a pair of operations.
    Pair(usize),
}

/// An operand of both halves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operand<'e> {
    /// The low half has the low half of a word, and the high half the high one.
    Word(Word<'e>),
    /// A constant, which may be another one for each.
    Constant,
    /// Both have the same value.
    Same(Value<'e>),
}

/// What two operations must have in common.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Kind<'e> {
    opcode: Opcode,
    intrinsic: Option<&'static str>,
    flags: FastMath,
    ty: Type<'e>,
    operands: Vec<Operand<'e>>,
}

/// Two operations that become one.
struct Pair<'e> {
    kind: Kind<'e>,
    halves: [Inst<'e>; 2],
}

/// The pairs of a block.
struct Packing<'e> {
    instructions: Vec<Inst<'e>>,
    position: HashMap<Inst<'e>, usize>,
    /// Each after those whose results it uses.
    pairs: Vec<Pair<'e>>,
    /// The pair of an operation, and which half it is.
    halves: HashMap<Inst<'e>, (usize, usize)>,
}

impl<'e> Packing<'e> {
    fn new(block: Block<'e>) -> Self {
        let instructions = block.instructions();
        let position: HashMap<_, _> = instructions.iter().enumerate().map(|(at, inst)| (*inst, at)).collect();
        let mut packing = Packing { instructions, position, pairs: Vec::new(), halves: HashMap::new() };
        let mut waiting: HashMap<(Kind<'e>, usize), Vec<Inst<'e>>> = HashMap::new();
        for inst in packing.by_depth() {
            let Some((kind, half)) = packing.kind(inst) else { continue };
            let other = waiting.get_mut(&(kind.clone(), 1 - half)).and_then(Vec::pop);
            match other {
                Some(other) => {
                    let halves = if half == 0 { [inst, other] } else { [other, inst] };
                    for (half, inst) in halves.into_iter().enumerate() {
                        packing.halves.insert(inst, (packing.pairs.len(), half));
                    }
                    packing.pairs.push(Pair { kind, halves });
                }
                None => waiting.entry((kind, half)).or_default().push(inst),
            }
        }
        packing
    }

    /// The operations that may be packed, each after its operands, and those that depend on as many others in order.
    fn by_depth(&self) -> Vec<Inst<'e>> {
        let mut depth: HashMap<Inst<'e>, usize> = HashMap::new();
        let mut found = Vec::new();
        for &inst in self.instructions.iter().filter(|inst| operation(**inst).is_some()) {
            let operands = inst.operands().filter_map(|operand| depth.get(&operand.as_inst()?));
            let own = operands.fold(0, |most, depth| most.max(depth + 1));
            depth.insert(inst, own);
            found.push((own, inst));
        }
        // Stable.
        found.sort_by_key(|(depth, _)| *depth);
        found.into_iter().map(|(_, inst)| inst).collect()
    }

    /// What an operation has in common with its other half, and which half it is; `None` if it is of none, or of several.
    fn kind(&self, inst: Inst<'e>) -> Option<(Kind<'e>, usize)> {
        let (opcode, intrinsic, count) = operation(inst)?;
        let mut half = None;
        let mut operands = Vec::new();
        for operand in inst.operands().take(count) {
            operands.push(if operand.is_constant() {
                Operand::Constant
            } else if let Some((word, own)) = self.word(operand) {
                if *half.get_or_insert(own) != own {
                    return None;
                }
                Operand::Word(word)
            } else {
                Operand::Same(operand)
            });
        }
        Some((Kind { opcode, intrinsic, flags: inst.fast_math(), ty: inst.ty(), operands }, half?))
    }

    /// The word that a value is a half of, and which.
    fn word(&self, value: Value<'e>) -> Option<(Word<'e>, usize)> {
        let inst = value.as_inst()?;
        if let Some(&(pair, half)) = self.halves.get(&inst) {
            return Some((Word::Pair(pair), half));
        }
        match inst.opcode() {
            Opcode::ExtractElement => {
                let (vector, at) = (inst.operand(0)?, u32::try_from(inst.operand(1)?.as_unsigned()?).ok()?);
                match vector.ty().kind() {
                    TypeKind::Vector { length, .. } if length % 2 == 0 && at < length => {
                        Some((Word::Elements(vector, at / 2), (at % 2) as usize))
                    }
                    _ => None,
                }
            }
            Opcode::BitCast => {
                let low = inst.operand(0)?.as_op(Opcode::Trunc)?.operand(0)?;
                let shifted = low
                    .as_op(Opcode::LShr)
                    .filter(|shift| shift.operand(1).and_then(|by| by.as_unsigned()) == Some(16));
                let (bits, half) = match shifted.and_then(|shift| shift.operand(0)) {
                    Some(bits) => (bits, 1),
                    None => (low, 0),
                };
                (bits.ty().integer_bits() == Some(32)).then_some((Word::Bits(bits, inst.ty()), half))
            }
            _ => None,
        }
    }

    /// Which pairs are worth it, as trees: pairs that are connected by their operands.
    fn is_worth(&self) -> Vec<bool> {
        let mut root: Vec<usize> = (0..self.pairs.len()).collect();
        fn find(root: &mut [usize], mut at: usize) -> usize {
            while root[at] != at {
                root[at] = root[root[at]];
                at = root[at];
            }
            at
        }
        for (at, pair) in self.pairs.iter().enumerate() {
            for operand in &pair.kind.operands {
                if let Operand::Word(Word::Pair(other)) = operand {
                    let (one, other) = (find(&mut root, at), find(&mut root, *other));
                    root[one.max(other)] = one.min(other);
                }
            }
        }
        let mut saved = vec![0_i64; self.pairs.len()];
        let mut shared = HashSet::new();
        for (at, pair) in self.pairs.iter().enumerate() {
            let tree = find(&mut root, at);
            let brought =
                pair.kind.operands.iter().filter(
                    |operand| matches!(operand, Operand::Same(value) if shared.insert((tree, *value))),
                );
            let brought = brought.count() as i64;
            saved[tree] += 1 - brought - self.taken_out(pair);
        }
        (0..self.pairs.len()).map(|at| saved[find(&mut root, at)] >= LEAST_SAVED).collect()
    }

    /// How many users need the high half alone in the low half of a register.
    fn taken_out(&self, pair: &Pair<'e>) -> i64 {
        let needs_it = |user: &Inst<'e>| {
            operation(*user).is_none()
                && !matches!(user.opcode(), Opcode::FPExt | Opcode::FCmp | Opcode::InsertElement)
        };
        i64::from(pair.halves[1].users().any(|user| needs_it(&user)))
    }

    fn build(&self, editor: &Editor<'e>) -> Result<(), LlvmError> {
        let worth = self.is_worth();
        let mut built: Vec<Option<(Value<'e>, Option<usize>)>> = vec![None; self.pairs.len()];
        let mut taken = Vec::new();
        for (at, pair) in self.pairs.iter().enumerate() {
            if !worth[at] {
                continue;
            }
            let place = self.place(pair, &built);
            let Some(next) = self.after(place) else { continue };
            let builder = editor.before(next)?;
            let word = self.operation(editor, &builder, pair, &built)?;
            built[at] = Some((word, place));
            for (half, inst) in (0..).zip(pair.halves) {
                let alone = builder.extract_element(word, half)?;
                taken.extend(alone.as_inst());
                inst.replace_all_uses(alone)?;
            }
        }
        for pair in
            self.pairs.iter().zip(&built).filter(|(_, built)| built.is_some()).map(|(pair, _)| pair).rev()
        {
            pair.halves.into_iter().try_for_each(|half| editor.erase(half))?;
        }
        taken.into_iter().filter(|inst| !inst.has_users()).try_for_each(|inst| editor.erase(inst))
    }

    /// The last instruction of the block that an operand of a pair comes from; all users of its results are after it.
    fn place(&self, pair: &Pair<'e>, built: &[Option<(Value<'e>, Option<usize>)>]) -> Option<usize> {
        let of = |value: Value<'e>| value.as_inst().and_then(|inst| self.position.get(&inst)).copied();
        let places = pair.kind.operands.iter().map(|operand| match operand {
            Operand::Constant => None,
            Operand::Same(value) | Operand::Word(Word::Elements(value, _) | Word::Bits(value, _)) => {
                of(*value)
            }
            Operand::Word(Word::Pair(other)) => built[*other].and_then(|(_, place)| place),
        });
        places.max().flatten()
    }

    /// The instruction after that one, or the first of the block.
    fn after(&self, place: Option<usize>) -> Option<Inst<'e>> {
        let following = match place {
            Some(place) => &self.instructions[place + 1..],
            None => &self.instructions,
        };
        following.iter().copied().find(|inst| inst.opcode() != Opcode::Phi)
    }

    fn operation(
        &self,
        editor: &Editor<'e>,
        builder: &Builder<'_, 'e>,
        pair: &Pair<'e>,
        built: &[Option<(Value<'e>, Option<usize>)>],
    ) -> Result<Value<'e>, LlvmError> {
        let ty = editor.vector(pair.kind.ty, 2)?;
        let mut operands = Vec::new();
        for (at, operand) in (0..).zip(&pair.kind.operands) {
            operands.push(match *operand {
                Operand::Constant => {
                    let both = pair.halves.map(|half| half.operand(at));
                    editor.constant_vector(&both.into_iter().flatten().collect::<Vec<_>>())?
                }
                Operand::Same(value) => builder.broadcast(value, 2)?,
                Operand::Word(Word::Bits(bits, _)) => builder.cast(CastOp::BitCast, bits, ty)?,
                Operand::Word(Word::Elements(vector, pair)) => match vector.ty() == ty {
                    true => vector,
                    false => builder.shuffle(
                        vector,
                        vector.ty().poison()?,
                        &[Some(2 * pair), Some(2 * pair + 1)],
                    )?,
                },
                Operand::Word(Word::Pair(other)) => match built[other] {
                    Some((word, _)) => word,
                    // Trees are packed as a whole.
                    None => {
                        return Err(LlvmError::Other { message: "a pair before its operands".to_owned() });
                    }
                },
            });
        }
        let word = match (pair.kind.intrinsic, pair.kind.opcode, operands.as_slice()) {
            (Some(name), _, operands) => builder.intrinsic(name, &[ty], operands)?,
            (None, Opcode::FNeg, [value]) => builder.negate(*value)?,
            (None, Opcode::FAdd, [a, b]) => builder.binary(BinaryOp::FAdd, *a, *b)?,
            (None, Opcode::FSub, [a, b]) => builder.binary(BinaryOp::FSub, *a, *b)?,
            (None, Opcode::FMul, [a, b]) => builder.binary(BinaryOp::FMul, *a, *b)?,
            _ => return Err(LlvmError::Other { message: "an operation with other operands".to_owned() }),
        };
        if let Some(inst) = word.as_inst() {
            inst.set_fast_math(pair.kind.flags);
        }
        Ok(word)
    }
}

/// What an instruction computes of 16-bit floating-point numbers, if two of it can be one, and of how many operands.
fn operation(inst: Inst<'_>) -> Option<(Opcode, Option<&'static str>, usize)> {
    if !matches!(inst.ty().kind(), TypeKind::Half | TypeKind::BFloat) || inst.has_debug_records() {
        return None;
    }
    match inst.opcode() {
        opcode @ (Opcode::FAdd | Opcode::FSub | Opcode::FMul) => Some((opcode, None, 2)),
        Opcode::FNeg => Some((Opcode::FNeg, None, 1)),
        Opcode::Call if !inst.has_operand_bundles() => {
            let function = inst.called_function().filter(|function| function.is_intrinsic())?.name();
            let name = INTRINSICS.iter().find(|name| {
                function.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"."))
            })?;
            Some((Opcode::Call, Some(name), inst.argument_count() as usize))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::{Context, Module};

    use super::*;

    /// A function of a vector `%v`, a word `%w`, and two numbers after the pass.
    fn after(body: &str) -> String {
        let text = format!(
            "declare half @llvm.fma.f16(half, half, half)
define void @f(<4 x half> %v, i32 %w, half %x, half %y, ptr addrspace(1) %p, ptr addrspace(1) %q) {{
  %a = extractelement <4 x half> %v, i64 2
  %b = extractelement <4 x half> %v, i64 3
  %z = trunc i32 %w to i16
  %c = bitcast i16 %z to half
  %s = lshr i32 %w, 16
  %t = trunc i32 %s to i16
  %d = bitcast i16 %t to half
{body}
  ret void
}}"
        );
        let context = Context::new().expect("LLVM 22");
        let mut module =
            Module::parse(&context, "m", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        crate::pass::on_functions(&mut module, run).expect("runs");
        module.verify().expect("valid");
        module.to_text()
    }

    /// The stores of two numbers; the second one costs an instruction, if it is in the upper half of a word.
    fn stored(low: &str, high: &str) -> String {
        format!(
            "  %e = fpext half {low} to float\n  %f = fpext half {high} to float
  store float %e, ptr addrspace(1) %p\n  store float %f, ptr addrspace(1) %q"
        )
    }

    #[test]
    fn both_halves_of_a_word_are_one_operation() {
        assert_eq!(PASS.name, "ptx-pack-halves");
        let products = "  %m = fmul half %a, 2.0\n  %n = fmul half %b, 3.0";
        let alone = after(&format!("{products}\n{}", stored("%m", "%n")));
        assert!(!alone.contains("<2 x half>"), "one is too few: {alone}");
        let more = "  %k = fneg half %m\n  %l = fneg half %n";
        let text = after(&format!("{products}\n{more}\n{}", stored("%k", "%l")));
        assert!(
            text.contains("shufflevector <4 x half> %v, <4 x half> poison, <2 x i32> <i32 2, i32 3>"),
            "{text}"
        );
        assert!(text.contains("fmul <2 x half>") && text.contains("<half 0xH4000, half 0xH4200>"), "{text}");
        let sums = "  %m = fadd half %c, %a\n  %n = fadd half %d, %b";
        let text = after(&format!("{sums}\n{more}\n{}", stored("%k", "%l")));
        assert!(text.contains("bitcast i32 %w to <2 x half>") && text.contains("fadd <2 x half>"), "{text}");
        assert!(!text.contains("fadd half"), "{text}");
    }

    #[test]
    fn the_second_may_follow_users_of_the_first() {
        let body = format!(
            "  %m = fneg half %a\n  %k = call half @llvm.fma.f16(half %m, half %a, half 1.0)
  %n = fneg half %b\n  %l = call half @llvm.fma.f16(half %n, half %b, half 1.0)\n{}",
            stored("%k", "%l")
        );
        let text = after(&body);
        assert!(text.contains("fneg <2 x half>") && text.contains("@llvm.fma.v2f16("), "{text}");
        assert!(!text.contains("fneg half"), "{text}");
    }

    #[test]
    fn different_halves_and_operations_stay() {
        let stays = |first: &str, second: &str| {
            let more =
                "  %k = fneg half %m\n  %l = fneg half %n\n  %g = fmul half %k, %k\n  %h = fmul half %l, %l";
            let text = after(&format!("  %m = {first}\n  %n = {second}\n{more}\n{}", stored("%g", "%h")));
            assert!(!text.contains("<2 x half>"), "{text}");
        };
        stays("fadd half %a, %d", "fadd half %b, %c");
        stays("fadd half %a, %c", "fmul half %b, %d");
        stays("fadd half %a, %a", "fadd half %c, %c");
        stays("fadd contract half %a, %c", "fadd half %b, %d");
        stays("fadd half %x, %y", "fadd half %y, %x");
    }

    #[test]
    fn what_costs_as_much_as_it_saves_stays() {
        let shared = "  %m = fmul half %a, %x\n  %n = fmul half %b, %x";
        assert!(!after(&format!("{shared}\n{}", stored("%m", "%n"))).contains("fmul <2 x half>"));
        let more = "  %k = fmul half %m, %x\n  %l = fmul half %n, %x\n  %g = fmul half %k, %x\n  %h = fmul half %l, %x";
        let text = after(&format!("{shared}\n{more}\n{}", stored("%g", "%h")));
        assert_eq!(text.matches("fmul <2 x half>").count(), 3, "the shared value is brought in once: {text}");
        let alone = "  %m = fmul half %a, %c\n  %n = fmul half %b, %d
  store half %m, ptr addrspace(1) %p\n  store half %n, ptr addrspace(1) %q";
        assert!(!after(alone).contains("fmul <2 x half>"));
    }
}
