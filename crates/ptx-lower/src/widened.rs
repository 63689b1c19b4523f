//! Addresses of narrow spaces that a program widens to 64 bits and then reads as numbers.
//!
//! `cvt.u64.u32` leaves the address that a 32-bit register holds as it is, so the pointer stays the same one. The upper half of its
//! number is zero in PTX, and in LLVM that of the sums before it:
//!
//! ```text
//! mov.u32 %r1, s; sub.u32 %r2, %r1, 16; cvt.u64.u32 %rd1, %r2; st.global.u64 [%rd2], %rd1;
//! %r2 = getelementptr i8, ptr addrspace(3) @s, i64 -16
//! store ptr addrspace(3) %r2, ..                                  ; the upper half is that of a negative number
//! %rd1 = zext i32 (ptrtoint ptr addrspace(3) %r2 to i32) to i64   ; right
//! ```
//!
//! Therefore a widened address is a number if it is used for anything but accesses, conversions of addresses and 32-bit numbers. The result of the
//! analysis are the values whose representation has to be an integer for that.

use ptx_ir::{Body, Inst, Operand};
use ptx_isa::{ArithSem, CompareSem, Field, Mod, MoveSem, Sem};
use rustc_hash::FxHashMap;

use crate::analysis::Analysis;
use crate::flow::instruction;
use crate::represent::{Repr, is_narrow, resizes_address};
use crate::slots::lane_of;
use crate::ssa::{Def, ValueId};

/// The widened addresses of a body that are read as numbers.
pub(crate) fn read_as_numbers(body: &Body, analysis: &Analysis) -> Vec<ValueId> {
    let reader = Reader { body, analysis };
    let all = (0..analysis.ssa.values.len()).map(|at| ValueId(at as u32));
    let widened: Vec<ValueId> = all.filter(|value| reader.is_widened(*value)).collect();
    if widened.is_empty() {
        return Vec::new();
    }
    let numbers = reader.numbers();
    widened.into_iter().filter(|value| numbers[value.index()]).collect()
}

struct Reader<'a> {
    body: &'a Body,
    analysis: &'a Analysis,
}

impl Reader<'_> {
    /// Whether a value is an address in 64 bits that had 32.
    fn is_widened(&self, value: ValueId) -> bool {
        if !self.is_address(value) {
            return false;
        }
        match self.analysis.ssa.values.get(value.index()).map(|info| &info.def) {
            Some(Def::Statement(statement)) => instruction(self.body, *statement)
                .is_some_and(|inst| inst.mnemonic.sem() == Sem::Move(MoveSem::Cvt)),
            _ => false,
        }
    }

    /// Whether a value is kept as an address of a narrow space in a register of 64 bits.
    fn is_address(&self, value: ValueId) -> bool {
        let repr = self.analysis.reprs.get(value.index());
        let info = self.analysis.ssa.values.get(value.index());
        matches!(repr, Some(Repr::Pointer(space)) if is_narrow(*space))
            && info.is_some_and(|info| self.analysis.slots.ty(info.slot).bits() == 64)
    }

    /// By value, whether its upper half is read.
    fn numbers(&self) -> Vec<bool> {
        let values = &self.analysis.ssa.values;
        let mut uses = Uses { numbers: vec![false; values.len()], sources: FxHashMap::default() };
        for (at, info) in values.iter().enumerate() {
            let value = ValueId(at as u32);
            // Results are read by callers.
            uses.numbers[at] |= self.analysis.results.contains(&info.slot);
            if let Def::Phi(_, operands) = &info.def {
                operands.iter().for_each(|(_, operand)| self.copied(*operand, Some(value), &mut uses));
            }
        }
        for (statement, inst) in self.body.instructions() {
            self.uses_of_inst(statement, inst, &mut uses);
        }
        // Backward from the values whose upper half is read, along copies and sums: the upper half of a sum depends on those of its terms.
        // Each value becomes a number once, and its list is taken then, so that this is linear.
        let mut work: Vec<usize> = (0..values.len()).filter(|at| uses.numbers[*at]).collect();
        while let Some(at) = work.pop() {
            let Some(sources) = uses.sources.remove(&at) else { continue };
            for source in sources {
                if !std::mem::replace(&mut uses.numbers[source], true) {
                    work.push(source);
                }
            }
        }
        uses.numbers
    }

    /// An operand of a copy or a sum: it is read to the same extent as the result.
    fn copied(&self, source: ValueId, result: Option<ValueId>, uses: &mut Uses) {
        // A result that is kept as a number reads the whole source now. One that is an address reads it only if its own upper half is
        // read later, which is not known yet.
        match result.filter(|result| self.is_address(*result)) {
            Some(result) => uses.sources.entry(result.index()).or_default().push(source.index()),
            None => uses.numbers[source.index()] = true,
        }
    }

    fn uses_of_inst(&self, statement: usize, inst: &Inst, uses: &mut Uses) {
        let read =
            |register, lane| self.analysis.ssa.read(statement, self.analysis.slots.lane(register, lane));
        let result = match self.body.operands(inst).first() {
            Some(Operand::Register(register)) => {
                self.analysis.ssa.written(statement, self.analysis.slots.lane(*register, 0))
            }
            _ => None,
        };
        // Instructions that copy have no lists of addresses, and those that read low halves have no lists.
        let result = result.filter(|_| copies(inst));
        self.body.for_each_operand(inst, |operand, role| match operand {
            _ if !role.is_read() => {}
            Operand::Register(_) if reads_low_half(inst) => {}
            Operand::Register(register) => {
                if let Some(value) = read(register, 0) {
                    self.copied(value, result, uses);
                }
            }
            Operand::Element(register, component) => {
                if let Some(value) = read(register, lane_of(component)) {
                    uses.numbers[value.index()] = true;
                }
            }
            _ => {}
        });
    }
}

/// The uses of values.
struct Uses {
    /// By value, whether its upper half is read.
    numbers: Vec<bool>,
    /// For values that are copies or sums, the addresses among their operands.
    sources: FxHashMap<usize, Vec<usize>>,
}

/// Whether the instruction reads no more of an address than its low half.
fn reads_low_half(inst: &Inst) -> bool {
    match inst.mnemonic.sem() {
        Sem::Move(MoveSem::Cvta) => true,
        Sem::Move(MoveSem::Cvt) => {
            match (inst.mnemonic.type_of(Field::DType), inst.mnemonic.type_of(Field::AType)) {
                (Some(to), Some(from)) => resizes_address(from, to) && to.bits() == 32,
                _ => false,
            }
        }
        _ => false,
    }
}

/// Whether the low half of the result depends on no more than the low halves of the operands, and the result may be an address.
fn copies(inst: &Inst) -> bool {
    match inst.mnemonic.sem() {
        Sem::Move(MoveSem::Mov)
        | Sem::Compare(CompareSem::Selp)
        | Sem::Arith(ArithSem::Add | ArithSem::Sub) => true,
        Sem::Arith(ArithSem::Mad) => !inst.mnemonic.has(Mod::Hi),
        _ => false,
    }
}
