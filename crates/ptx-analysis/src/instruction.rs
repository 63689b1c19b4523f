//! An instruction of a document with its row of the instruction table.

use std::rc::Rc;

use ptx_diag::Span;
use ptx_isa::{Candidate, Mnemonic, Placement, ScalarType, Shape, Since, SpecialReg, choose_row};
use ptx_syntax::syntax::{Instruction, Operand, OperandKind, Statement, statements};

use crate::document::Document;
use crate::index::{Extent, Index, Rows, StatementKind, SymbolKind, shape_of};

/// An instruction, with the row that its operands choose. Spans are relative to `base`.
pub(crate) struct InstructionAt<'s> {
    pub(crate) base: u32,
    pub(crate) instruction: Instruction<'s>,
    /// The rows that the mnemonic may mean.
    pub(crate) rows: Rc<[Candidate]>,
    /// The row that its operands choose, with the operands of the row that are written.
    pub(crate) chosen: Option<(Mnemonic, Placement)>,
}

impl InstructionAt<'_> {
    /// A span of the instruction as one of the document.
    pub(crate) fn place(&self, span: Span) -> Span {
        Span::new(self.base + span.lo, self.base + span.hi)
    }

    /// The first version and targets that have the instruction with its modifiers, operands and special registers.
    pub(crate) fn since(&self) -> Option<Since> {
        let (mnemonic, placement) = self.chosen?;
        let places = mnemonic.form().operands.iter().enumerate();
        let optional = places.filter(|(at, _)| placement.has(*at)).map(|(_, place)| place.since);
        let operands = self.instruction.operands.iter().filter_map(special_of).map(SpecialReg::since);
        Some(optional.chain(operands).fold(mnemonic.since(), Since::max))
    }
}

/// The special register that an operand is.
fn special_of(operand: &Operand<'_>) -> Option<SpecialReg> {
    match &operand.kind {
        OperandKind::Name(name) | OperandKind::Component(name, _) => special_register(name.text),
        OperandKind::Vector(list) => list.iter().find_map(special_of),
        _ => None,
    }
}

/// The special register of a name with its `%`.
pub(crate) fn special_register(name: &str) -> Option<SpecialReg> {
    SpecialReg::from_ptx(name.strip_prefix('%')?)
}

/// Parses the instruction of a statement; `None` if it is another statement or cannot be parsed.
pub(crate) fn instruction_at<'s>(
    document: &'s Document,
    extent: Extent,
    rows: &mut Rows<'s>,
) -> Option<InstructionAt<'s>> {
    if extent.kind != StatementKind::Instruction {
        return None;
    }
    let Some(Ok(Statement::Instruction(instruction))) = statements(document.slice(extent.span)).next() else {
        return None;
    };
    let found = rows.of(&instruction.mnemonic);
    let base = extent.span.lo;
    let operands: Vec<(&Operand<'_>, Shape)> = instruction
        .operands
        .iter()
        .map(|operand| {
            let span = Span::new(base + operand.span.lo, base + operand.span.hi);
            let name = |name: &str| shape_of_name(document.index(), name, span.lo);
            (operand, shape_of(operand, &name))
        })
        .collect();
    let chosen = choose_row(&found, &operands, |(operand, _)| operand.paired, |(_, shape)| *shape);
    let chosen = chosen.and_then(|(at, placement)| Some((found.get(at)?.mnemonic, placement)));
    Some(InstructionAt { base, instruction, rows: found, chosen })
}

/// The form of an operand that is a name and begins at an offset.
fn shape_of_name(index: &Index, name: &str, offset: u32) -> Shape {
    let symbol = index.occurrence_at(offset).and_then(|one| index.symbol(one.symbol?));
    match symbol.map(|symbol| (symbol.kind, symbol.ty)) {
        Some((SymbolKind::Register, Some(ScalarType::Pred))) => Shape::Predicate,
        Some((SymbolKind::Register, _)) => Shape::Register,
        Some((SymbolKind::Label | SymbolKind::Targets, _)) => Shape::Label,
        Some((
            SymbolKind::Kernel | SymbolKind::Function | SymbolKind::Variable | SymbolKind::Parameter,
            _,
        )) => Shape::Symbol,
        None if special_register(name).is_some() => Shape::Value,
        None => Shape::Register,
    }
}
