//! Where an operand is, and which type it must have.

use ptx_diag::Span;
use ptx_ir::Operand;
use ptx_isa::{Role, ScalarType, Since, TypeRule, Width};

use crate::context::Site;

/// The position of an operand in the row, or of a value within it.
#[derive(Clone, Copy)]
pub(crate) struct OperandPosition {
    pub(crate) at: usize,
    pub(crate) role: Role,
    pub(crate) name: &'static str,
    /// See [`ptx_isa::Operand::discardable`].
    pub(crate) discardable: Option<Since>,
    pub(crate) span: Span,
}

impl OperandPosition {
    /// The position of an operand of the row; `at` is the index of the operand that it is, or is part of.
    pub(crate) const fn new(at: usize, row: &ptx_isa::Operand, span: Span) -> Self {
        OperandPosition { at, role: row.role, name: row.name, discardable: row.discardable, span }
    }

    pub(crate) const fn is_written(self) -> bool {
        self.role.is_written()
    }
}

/// The required type of an operand.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) ty: ScalarType,
    pub(crate) width: Width,
}

/// The type of a rule; every row has one for each operand that has a rule, so that `None` means there is nothing to check.
pub(crate) fn resolve(site: Site<'_>, rule: TypeRule) -> Option<ScalarType> {
    site.mnemonic().register_type(rule)
}

/// A pair of halves may hold what an instruction's type names, and no amount, mask, coordinate or number of bits.
pub(crate) fn is_pair_for_number(site: Site<'_>, rule: TypeRule, operand: Operand) -> bool {
    let is_number = match rule {
        TypeRule::Is(ty) => matches!(ty, ScalarType::U32 | ScalarType::S32),
        // Packs of bytes and smaller integers.
        TypeRule::FragmentOf(_) => resolve(site, rule) == Some(ScalarType::U32),
        TypeRule::Of(_)
        | TypeRule::WideOf(_)
        | TypeRule::BitsOf(_)
        | TypeRule::Literal
        | TypeRule::HeldBy(_)
        | TypeRule::ValueOf(_) => false,
    };
    is_number && matches!(operand, Operand::Register(reg) if site.body.reg_type(reg) == ScalarType::F16x2)
}
