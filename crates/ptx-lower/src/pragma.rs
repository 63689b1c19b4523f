//! Pragmas of bodies (manual 11.4.11, 12), except for hints about loops.

use std::ops::Range;

use ptx_ir::{AddressBase, Body, FunctionDirective, Module, Operand, Param, Stmt, used_bytes};
use ptx_llvm::build::Value;
use ptx_llvm::marks;
use rustc_hash::FxHashMap;

use crate::emit::Emitter;

/// Whether the text applies to the next instruction (manual 12.2), in any position.
fn is_about_next(text: &str) -> bool {
    text.starts_with("used_bytes_mask")
}

/// The pragmas between a function's parameters and its body.
pub(crate) fn of_directives<'m>(
    module: &'m Module,
    directives: impl Iterator<Item = &'m FunctionDirective>,
) -> Vec<&'m str> {
    let stated = directives.filter_map(|directive| match directive {
        FunctionDirective::Pragma(texts) => Some(texts),
        _ => None,
    });
    stated.flatten().map(|text| module.name(*text)).filter(|text| !is_about_next(text)).collect()
}

/// The pragmas before the first instruction of a body, which apply to all of it.
pub(crate) fn leading<'m>(module: &'m Module, body: Option<&'m Body>) -> Vec<&'m str> {
    let statements = body.map_or([].as_slice(), |body| body.statements.as_slice());
    let leading =
        statements.iter().take_while(|statement| !matches!(statement, Stmt::Inst(_) | Stmt::Label(_)));
    let leading = leading.filter_map(|statement| match statement {
        Stmt::Pragma(texts) => Some(texts),
        _ => None,
    });
    leading.flatten().map(|text| module.name(*text)).filter(|text| !is_about_next(text)).collect()
}

/// The pragmas of a body that precede an instruction, by its statement. `nounroll` applies to the loop (see the
/// control flow), and pragmas before all others apply to the function.
pub(crate) fn before_instructions<'m>(module: &'m Module, body: &'m Body) -> FxHashMap<usize, Vec<&'m str>> {
    let mut found: FxHashMap<usize, Vec<&'m str>> = FxHashMap::default();
    let mut waiting = Vec::new();
    let mut leading = true;
    for (at, statement) in body.statements.iter().enumerate() {
        match statement {
            Stmt::Pragma(texts) => {
                let texts = texts.iter().map(|text| module.name(*text));
                waiting.extend(texts.filter(|text| is_about_next(text) || (!leading && *text != "nounroll")));
            }
            Stmt::Inst(_) => {
                leading = false;
                if !waiting.is_empty() {
                    found.insert(at, std::mem::take(&mut waiting));
                }
            }
            Stmt::Label(_) => leading = false,
            _ => {}
        }
    }
    found
}

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
            let rest = u64::from(mask).checked_shr(at as u32 * bytes).unwrap_or(0);
            rest & ((1 << bytes.min(32)) - 1) != 0
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
}
