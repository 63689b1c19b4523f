//! Pragmas and modifiers that are hints, attached to the instructions that have them.

use std::ops::Range;

use ptx_ir::{AddressBase, Operand, Param, ZeroOffsets, used_bytes};
use ptx_isa::{Field, MemorySem, ScalarType, Sem};
use ptx_llvm_core::build::Value;
use ptx_llvm_core::marks;

use crate::emit::{Emitter, Site};

impl<'c> Emitter<'_, '_, 'c> {
    /// Records the pragmas before a statement until they can be attached to an instruction.
    pub(crate) fn await_pragmas(&mut self, statement: usize) {
        if let Some(texts) = self.pragmas.get(&statement) {
            self.waiting.extend_from_slice(texts);
        }
    }

    /// Attaches the waiting pragmas to an instruction (mapping, "Control flow details").
    pub(crate) fn attach_pragmas(&mut self, instruction: Value<'c>) {
        if !self.waiting.is_empty() {
            let node = self.types.metadata_strings(&self.waiting);
            if self.types.attach(instruction, marks::PRAGMA, node) {
                self.waiting.clear();
            }
        }
    }

    /// The elements that a load reads after `used_bytes_mask`: from the first to the last that the program uses. One that the mask
    /// omits counts as used if its register occurs elsewhere.
    ///
    /// If fewer are read than the instruction has, the pragma is kept if three elements of four are read, which raising combines into one
    /// load again.
    pub(crate) fn used_elements(&mut self, entries: &[Operand], bytes: u32) -> Range<usize> {
        let all = 0..entries.len();
        let Some(mask) = self.waiting.iter().find_map(|text| used_bytes(text)) else { return all };
        let of_element = |at: usize| {
            let first = at as u32 * bytes;
            (first..first + bytes).any(|byte| byte < u32::BITS && mask & (1 << byte) != 0)
        };
        let is_used = |at: &usize| {
            of_element(*at) || entries.get(*at).is_none_or(|entry| self.is_named_elsewhere(*entry))
        };
        let (Some(first), Some(last)) = (all.clone().find(is_used), all.clone().rfind(is_used)) else {
            return all;
        };
        let range = first..last + 1;
        if range != all && range != (0..3) {
            self.waiting.retain(|text| used_bytes(text).is_none());
        }
        range
    }

    /// Whether the body names the register of a loaded element more often than as this element.
    fn is_named_elsewhere(&self, entry: Operand) -> bool {
        let register = match entry {
            Operand::Sink => return false,
            Operand::Register(register) => register,
            _ => return true,
        };
        let names = |operand: &&Operand| match **operand {
            Operand::Register(named)
            | Operand::Element(named, _)
            | Operand::Selected(named, _)
            | Operand::Negated(named, _)
            | Operand::Sum(named, _)
            | Operand::Not(named)
            | Operand::Address(AddressBase::Register(named), _) => named == register,
            _ => false,
        };
        let is_result = |param: &Param| matches!(param, Param::Register(_, result) if *result == register);
        self.body.all_operands().iter().filter(names).nth(1).is_some()
            || self.function.results.iter().any(is_result)
    }

    /// Attaches the waiting pragmas to the last instruction, when one was built since `before`.
    pub(crate) fn attach_pragmas_since(&mut self, before: Option<Value<'c>>) {
        match self.b.last_instruction() {
            Some(last) if Some(last) != before => self.attach_pragmas(last),
            Some(_) | None => {}
        }
    }

    /// Attaches the modifiers that are hints (mapping, "Hints").
    pub(crate) fn attach_hints(&self, site: Site<'_>, value: Value<'c>) {
        let fields = [Field::Cop, Field::EvictL1, Field::PrefetchSize, Field::Uni];
        let mut texts: Vec<String> = fields
            .iter()
            .filter_map(|field| site.inst.mnemonic.get(*field))
            .map(|modifier| format!(".{}", modifier.as_str()))
            .collect();
        let mnemonic = site.inst.mnemonic;
        // The machine extends what it loads: for signed users in one way.
        if mnemonic.sem() == Sem::Memory(MemorySem::Load) && mnemonic.scalar_type() == Some(ScalarType::S16) {
            texts.push(marks::SIGNED_LOAD.to_owned());
        }
        if self.shared.is_debugging && site.inst.zero_offsets == ZeroOffsets::Written {
            texts.push(marks::ZERO_OFFSET.to_owned());
        }
        if texts.is_empty() {
            return;
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.types.attach(value, marks::MODS, self.types.metadata_strings(&texts));
    }
}
