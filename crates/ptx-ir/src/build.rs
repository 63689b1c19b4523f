//! A builder of bodies, for the reverse emitter and tests.

use ptx_diag::Span;
use ptx_isa::{Mnemonic, ScalarType};

use crate::at::At;
use crate::body::{Body, Guard, Inst, Label, LabelKind, RegDecl, Register, Stmt, VectorShape, ZeroOffsets};
use crate::ids::{LabelId, RegDeclId, RegId};
use crate::operand::{ListId, Operand};
use crate::strings::{StrId, Strings};

/// Appends to a body; positions are empty unless [`BodyBuilder::position_since`] sets them.
///
/// Registers are numbered per class and declared as ranges at the start of the body by [`BodyBuilder::finish`]:
/// `%p` for predicates, `%rs` for 16 bits, `%r` for 32, `%rd` for 64, `%rq` for 128, `%f` and `%fd` for floating point
/// and `%rb` for 8.
#[derive(Debug, Default)]
pub struct BodyBuilder {
    body: Body,
    classes: Vec<(ScalarType, RegDeclId)>,
}

/// The size of a body at some point.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    statements: usize,
    operands: usize,
}

impl BodyBuilder {
    /// An empty body.
    pub fn new() -> Self {
        Self::default()
    }

    /// A fresh register.
    pub fn new_register(&mut self, strings: &mut Strings, ty: ScalarType) -> RegId {
        let decl = self.class(strings, ty);
        // Default: the first register of a class.
        let number = self.body.reg_decls[decl.0 as usize].count.unwrap_or(1);
        self.body.reg_decls[decl.0 as usize].count = Some(number + 1);
        self.body.registers.push(Register { decl, number });
        RegId(self.body.registers.len() as u32 - 1)
    }

    /// A label that a later [`BodyBuilder::place`] puts before code.
    pub fn new_label(&mut self, name: StrId, kind: LabelKind) -> LabelId {
        self.body.labels.push(Label { name, kind, at: At::default() });
        LabelId(self.body.labels.len() as u32 - 1)
    }

    /// Defines a label at the end of the body.
    pub fn place(&mut self, label: LabelId) {
        self.push(Stmt::Label(label));
    }

    /// Appends any statement.
    pub fn push(&mut self, stmt: Stmt) {
        self.body.statements.push(stmt);
    }

    /// The current size of the body, for [`BodyBuilder::position_since`].
    pub fn extent(&self) -> Extent {
        Extent { statements: self.body.statements.len(), operands: self.body.operands.len() }
    }

    /// Sets the position of the instructions that were added since `before`, and of their operands.
    pub fn position_since(&mut self, before: Extent, position: Span) {
        for statement in self.body.statements.iter_mut().skip(before.statements) {
            if let Stmt::Inst(inst) = statement {
                inst.at = At(position);
            }
        }
        for span in self.body.operand_spans.0.iter_mut().skip(before.operands) {
            *span = position;
        }
    }

    /// Adds operands as a list, for vectors and arguments.
    pub fn list(&mut self, operands: &[Operand]) -> ListId {
        self.body.add_list(operands.iter().map(|&operand| (operand, Span::default())))
    }

    /// Appends an instruction; there must be one operand for each operand of the row.
    pub fn push_inst(&mut self, guard: Option<Guard>, mnemonic: Mnemonic, operands: &[Operand]) {
        debug_assert_eq!(mnemonic.form().operands.len(), operands.len(), "{mnemonic}");
        let operands = self.list(operands);
        let zero_offsets = ZeroOffsets::Implied;
        self.push(Stmt::Inst(Inst { guard, mnemonic, operands, zero_offsets, at: At::default() }));
    }

    /// The body so far.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The body so far, for changes that have no method of the builder.
    pub fn body_mut(&mut self) -> &mut Body {
        &mut self.body
    }

    /// The body, with its registers declared first.
    pub fn finish(mut self) -> Body {
        let declared = (0..self.body.reg_decls.len() as u32).map(RegDeclId);
        let builder_made = declared.filter(|id| self.classes.iter().any(|(_, decl)| decl == id));
        let declarations: Vec<_> = builder_made.map(|id| Stmt::Registers(id, RegDeclId(id.0 + 1))).collect();
        self.body.statements.splice(0..0, declarations);
        self.body
    }

    fn class(&mut self, strings: &mut Strings, ty: ScalarType) -> RegDeclId {
        if let Some(&(_, decl)) = self.classes.iter().find(|(known, _)| *known == ty) {
            return decl;
        }
        let id = RegDeclId(self.body.reg_decls.len() as u32);
        let name = strings.intern(class_name(ty));
        let at = At::default();
        self.body.reg_decls.push(RegDecl { name, ty, shape: VectorShape::Scalar, count: Some(1), at });
        self.classes.push((ty, id));
        id
    }
}

/// The name that compilers use for registers of a type. It is different for each type, so that ranges do not conflict.
fn class_name(ty: ScalarType) -> &'static str {
    use ScalarType::*;
    match ty {
        Pred => "%p",
        B8 => "%rb",
        B16 => "%rs",
        B32 => "%r",
        B64 => "%rd",
        B128 => "%rq",
        F32 => "%f",
        F64 => "%fd",
        U8 => "%ub",
        S8 => "%sb",
        U16 => "%us",
        S16 => "%ss",
        U32 => "%u",
        S32 => "%s",
        U64 => "%ud",
        S64 => "%sd",
        F16 => "%h",
        F16x2 => "%hh",
        Bf16 => "%bf",
        Bf16x2 => "%bfx",
        Tf32 => "%tf",
        F32x2 => "%fx",
        U16x2 => "%usx",
        S16x2 => "%ssx",
        U8x4 => "%ubx",
        S8x4 => "%sbx",
    }
}
