//! Lanes of vectors that nothing reads.
//!
//! A warp that adds its numbers by shuffles does so in all lanes, though only the first one is stored. LLVM computes which elements of a vector are
//! demanded only through values with a single use, and each value of such a sum has two.

use rustc_hash::FxHashMap;

use super::forward::{lanes_of, vector_parts};
use crate::edit::{Editor, Function, Inst, Opcode, Type, Value, edit};
use crate::error::LlvmError;
use crate::module::Module;

/// The most lanes of a gather or scatter that are accessed one by one: processors take about as long for a single lane as for all of them.
const FEW: usize = 4;

/// Accesses the lanes of gathers and scatters with a constant mask one by one if there are few, and removes what only computes lanes that nothing
/// reads; returns whether anything changed:
///
/// ```text
///   %s = shufflevector <4 x i32> %a, <4 x i32> %b, <4 x i32> <i32 1, i32 2, i32 3, i32 4>
///   %c = add <4 x i32> %a, %s
///   call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %c, <4 x ptr> align 4 %p, <4 x i1> <i1 1, i1 0, i1 0, i1 0>)
/// ```
///
/// becomes the following, and `%b` is dead if it has no other use:
///
/// ```text
///   %s = shufflevector <4 x i32> %a, <4 x i32> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
///   %c = add <4 x i32> %a, %s
///   %e = extractelement <4 x i32> %c, i32 0
///   %q = extractelement <4 x ptr> %p, i32 0
///   store i32 %e, ptr %q, align 4
/// ```
pub(super) fn remove_unread_lanes(module: &mut Module<'_>) -> Result<bool, LlvmError> {
    edit(module, |editor| {
        let mut changed = false;
        for function in editor.functions() {
            changed |= remove_in_function(editor, function)?;
        }
        Ok(changed)
    })
}

fn remove_in_function<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<bool, LlvmError> {
    let mut changed = false;
    for inst in function.instructions() {
        changed |= separate(editor, inst)?;
    }
    let instructions = function.instructions();
    changed |= Demanded::of(&instructions).remove(editor, &instructions)?;
    Ok(changed)
}

/// Replaces a gather or scatter of few lanes by accesses of one lane each; returns whether it did.
fn separate<'e>(editor: &Editor<'e>, inst: Inst<'e>) -> Result<bool, LlvmError> {
    let is_scatter = inst.calls("llvm.masked.scatter.");
    if !is_scatter && !inst.calls("llvm.masked.gather.") {
        return Ok(false);
    }
    let (Some([first, second]), Some(third)) = (inst.two_operands(), inst.operand(2)) else {
        return Ok(false);
    };
    let (places, at, mask) = if is_scatter { (second, 1, third) } else { (first, 0, second) };
    let Some(mask) = lanes_of(mask) else { return Ok(false) };
    if mask.iter().filter(|&&is_active| is_active).count() > FEW {
        return Ok(false);
    }
    let builder = editor.before(inst)?;
    let alignment = inst.argument_alignment(at);
    let mut result = third;
    for (lane, _) in (0..).zip(&mask).filter(|(_, is_active)| **is_active) {
        let place = builder.extract_element(places, lane)?;
        let access = if is_scatter {
            let value = builder.extract_element(first, lane)?;
            builder.store(value, place, alignment)?
        } else {
            builder.load(inst.ty().scalar(), place, alignment)?
        };
        if let Some(access) = access.as_inst() {
            access.set_location(inst.location());
        }
        if !is_scatter {
            result = builder.insert_element(result, access, lane)?;
        }
    }
    if !is_scatter {
        inst.replace_all_uses(result)?;
    }
    editor.erase(inst)?;
    Ok(true)
}

/// A set of lanes of a vector of at most 64.
type Lanes = u64;

/// All lanes of a vector of `count`.
fn all(count: u32) -> Lanes {
    Lanes::MAX >> (64 - count)
}

/// For each vector that is computed lane by lane, the lanes that something reads.
struct Demanded<'e> {
    lanes: FxHashMap<Value<'e>, Lanes>,
    pending: Vec<Inst<'e>>,
}

impl<'e> Demanded<'e> {
    /// Computes what is read in a function, of all its instructions, from those with other effects than a vector backwards.
    fn of(instructions: &[Inst<'e>]) -> Self {
        let tracked = instructions.iter().filter(|inst| is_lanewise(**inst));
        let lanes = tracked.map(|inst| (inst.value(), 0)).collect();
        let mut demanded = Self { lanes, pending: Vec::new() };
        for inst in instructions {
            if !demanded.lanes.contains_key(&inst.value()) {
                demanded.read_by(*inst, Lanes::MAX);
            }
        }
        while let Some(inst) = demanded.pending.pop() {
            if let Some(&lanes) = demanded.lanes.get(&inst.value()) {
                demanded.read_by(inst, lanes);
            }
        }
        demanded
    }

    fn read(&mut self, value: Option<Value<'e>>, lanes: Lanes) {
        let Some(value) = value else { return };
        if let Some(known) = self.lanes.get_mut(&value)
            && *known | lanes != *known
        {
            *known |= lanes;
            self.pending.extend(value.as_inst());
        }
    }

    /// Adds what an instruction reads to compute these of its lanes.
    fn read_by(&mut self, inst: Inst<'e>, lanes: Lanes) {
        let operand = |at| inst.operand(at);
        match inst.opcode() {
            Opcode::ShuffleVector => {
                let (first, second) = read_by_shuffle(inst, lanes);
                self.read(operand(0), first);
                self.read(operand(1), second);
            }
            Opcode::InsertElement => match lane_of(operand(2)) {
                Some(replaced) => self.read(operand(0), lanes & !replaced),
                // Which lane is replaced is not known.
                None => self.read(operand(0), lanes),
            },
            Opcode::ExtractElement => match lane_of(operand(1)) {
                Some(lane) => self.read(operand(0), lane),
                // Any lane may be read.
                None => self.read(operand(0), Lanes::MAX),
            },
            Opcode::BitCast => self.read(operand(0), read_by_bitcast(inst, lanes)),
            Opcode::Select => {
                let (yes, no) = read_by_select(operand(0), lanes);
                self.read(operand(0), lanes);
                self.read(operand(1), yes);
                self.read(operand(2), no);
            }
            // The lanes of the stored value that are beside a constant mask are not read.
            Opcode::Call if inst.calls("llvm.masked.scatter.") || inst.calls("llvm.masked.store.") => {
                let (stored, _) = read_by_select(operand(2), lanes);
                self.read(operand(0), stored);
                self.read(operand(1), lanes);
                self.read(operand(2), lanes);
            }
            _ => inst.operands().for_each(|operand| self.read(Some(operand), lanes)),
        }
    }

    /// Removes vectors of which nothing is read, and operands of shuffles, insertions and selections that nothing is read of.
    fn remove(&self, editor: &Editor<'e>, instructions: &[Inst<'e>]) -> Result<bool, LlvmError> {
        let of_known = |inst: &Inst<'e>| Some((*inst, *self.lanes.get(&inst.value())?));
        let (unread, read): (Vec<_>, Vec<_>) =
            instructions.iter().filter_map(of_known).partition(|&(_, lanes)| lanes == 0);
        let mut changed = !unread.is_empty();
        for &(inst, _) in &unread {
            inst.replace_all_uses(inst.ty().poison()?)?;
        }
        for &(inst, _) in &unread {
            editor.erase(inst)?;
        }
        for (inst, lanes) in read {
            if let Some(value) = simpler(editor, inst, lanes)? {
                inst.replace_all_uses(value)?;
                editor.erase(inst)?;
                changed = true;
            }
        }
        Ok(changed)
    }
}

/// Something simpler with the same values in these lanes.
fn simpler<'e>(editor: &Editor<'e>, inst: Inst<'e>, lanes: Lanes) -> Result<Option<Value<'e>>, LlvmError> {
    let operand = |at| inst.operand(at);
    Ok(match inst.opcode() {
        Opcode::InsertElement => match lane_of(operand(2)) {
            Some(lane) if lane & lanes == 0 => operand(0),
            Some(_) | None => None,
        },
        Opcode::Select => match read_by_select(operand(0), lanes) {
            (_, 0) => operand(1),
            (0, _) => operand(2),
            _ => None,
        },
        Opcode::ShuffleVector => return without_unread_operands(editor, inst, lanes),
        _ => None,
    })
}

/// A shuffle of which only these lanes are read, with poison instead of an operand of which it reads nothing, if there is one.
fn without_unread_operands<'e>(
    editor: &Editor<'e>,
    shuffle: Inst<'e>,
    lanes: Lanes,
) -> Result<Option<Value<'e>>, LlvmError> {
    let Some([a, b]) = shuffle.two_operands() else { return Ok(None) };
    let (first, second) = read_by_shuffle(shuffle, lanes);
    let mask = shuffle.shuffle_mask();
    let is_read = |lane: usize| lanes >> lane & 1 == 1;
    let names_unread = mask.iter().enumerate().any(|(lane, of)| of.is_some() && !is_read(lane));
    if first != 0 && second != 0 || !names_unread {
        return Ok(None);
    }
    let poison = a.ty().poison()?;
    let read = |(lane, of): (usize, Option<usize>)| of.filter(|_| is_read(lane)).map(|of| of as u32);
    let mask: Vec<Option<u32>> = mask.into_iter().enumerate().map(read).collect();
    let a = if first == 0 { poison } else { a };
    let b = if second == 0 { poison } else { b };
    let simpler = editor.before(shuffle)?.shuffle(a, b, &mask)?;
    if let Some(inst) = simpler.as_inst() {
        inst.set_location(shuffle.location());
    }
    Ok(Some(simpler))
}

/// The number of lanes of a vector type, if lanes of it are tracked.
fn count_of(ty: Type<'_>) -> Option<u32> {
    vector_parts(ty).map(|(_, count)| count).filter(|count| (1..=64).contains(count))
}

/// Whether an instruction has no effect but a vector, each lane of which depends on the same lanes of its operands, or on known ones.
fn is_lanewise(inst: Inst<'_>) -> bool {
    use Opcode::*;
    if count_of(inst.ty()).is_none() {
        return false;
    }
    let from = inst.operand(0).map(Value::ty);
    match inst.opcode() {
        // Not divisions of integers: a divisor that is poison in any lane is undefined behavior.
        Add | Sub | Mul | And | Or | Xor | Shl | LShr | AShr | FNeg | FAdd | FSub | FMul | FDiv | Trunc
        | ZExt | SExt | FPToUI | FPToSI | UIToFP | SIToFP | FPTrunc | FPExt | ICmp | FCmp | Freeze | Phi
        | Select | InsertElement | GetElementPtr | PtrToInt | IntToPtr => true,
        ShuffleVector => from.and_then(count_of).is_some(),
        // Pointers have no other size to be cast to.
        BitCast => {
            from.is_some_and(|from| count_of(from).is_some() && from.scalar().pointer_space().is_none())
        }
        Call => inst.callee().is_some_and(|callee| is_lanewise_intrinsic(&callee.name())),
        _ => false,
    }
}

/// Whether a function is an intrinsic that computes each lane from the same lanes of its operands, and has no other effect.
fn is_lanewise_intrinsic(name: &[u8]) -> bool {
    const NAMES: [&str; 39] = [
        "abs",
        "bitreverse",
        "bswap",
        "canonicalize",
        "ceil",
        "copysign",
        "ctlz",
        "ctpop",
        "cttz",
        "fabs",
        "floor",
        "fma",
        "fmuladd",
        "fshl",
        "fshr",
        "is.fpclass",
        "maximum",
        "maximumnum",
        "maxnum",
        "minimum",
        "minimumnum",
        "minnum",
        "nearbyint",
        "rint",
        "round",
        "roundeven",
        "sadd.sat",
        "smax",
        "smin",
        "sqrt",
        "ssub.sat",
        "trunc",
        "uadd.sat",
        "umax",
        "umin",
        "usub.sat",
        "fptosi.sat",
        "fptoui.sat",
        "ldexp",
    ];
    let Some(rest) = std::str::from_utf8(name).ok().and_then(|name| name.strip_prefix("llvm.")) else {
        return false;
    };
    // The types of its overload follow: `llvm.fma.v16f32`.
    NAMES.iter().any(|name| rest.strip_prefix(name).is_some_and(|types| types.starts_with(".v")))
}

/// The lanes of its two operands that a shuffle reads for these of its own.
fn read_by_shuffle(shuffle: Inst<'_>, lanes: Lanes) -> (Lanes, Lanes) {
    let Some(count) = shuffle.operand(0).and_then(|operand| count_of(operand.ty())) else {
        return (Lanes::MAX, Lanes::MAX);
    };
    let (mut first, mut second) = (0, 0);
    for (lane, of) in shuffle.shuffle_mask().into_iter().enumerate() {
        let is_read = lane >= 64 || lanes >> lane & 1 == 1;
        match of {
            Some(of) if is_read && of < count as usize => first |= 1 << of,
            Some(of) if is_read => second |= 1 << (of - count as usize),
            // Poison, or not read.
            _ => {}
        }
    }
    (first, second)
}

/// The lanes of its operand that a bit cast reads for these of its own.
fn read_by_bitcast(cast: Inst<'_>, lanes: Lanes) -> Lanes {
    let from = cast.operand(0).and_then(|operand| count_of(operand.ty()));
    let (Some(from), Some(to)) = (from, count_of(cast.ty())) else { return Lanes::MAX };
    // Lane `k` of the longer vector is within lane `k / times` of the shorter one.
    let overlap = |a: u32, b: u32| if from >= to { a / (from / to) == b } else { b / (to / from) == a };
    if from.max(to) % from.min(to) != 0 {
        return Lanes::MAX;
    }
    let is_read = |a: &u32| (0..to).any(|b| lanes >> b & 1 == 1 && overlap(*a, b));
    (0..from).filter(is_read).fold(0, |set, a| set | 1 << a)
}

/// The lanes that a selection reads of its second and third operands.
fn read_by_select(condition: Option<Value<'_>>, lanes: Lanes) -> (Lanes, Lanes) {
    let tracked = condition.filter(|condition| count_of(condition.ty()).is_some());
    let Some(constant) = tracked.and_then(lanes_of) else { return (lanes, lanes) };
    let yes = constant.iter().enumerate().fold(0, |set, (lane, &is)| set | Lanes::from(is) << lane);
    let all = all(constant.len() as u32);
    (lanes & yes, lanes & all & !yes)
}

/// The lane of a constant index; absent for another one, and beyond the vector.
fn lane_of(index: Option<Value<'_>>) -> Option<Lanes> {
    let index = index?.as_unsigned().filter(|&index| index < 64)?;
    Some(1 << index)
}

#[cfg(test)]
mod tests;
