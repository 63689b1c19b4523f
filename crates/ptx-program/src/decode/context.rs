//! The instruction that is decoded, and where its decoder puts what it decodes.

use ptx_diag::Span;
use ptx_ir::{Inst as IrInst, LabelId, Operand};
use ptx_isa::OperandKey;

use super::modifiers::Modifiers;
use super::output::{Constants, Decoded, Listing, finding};
use super::scope::Scope;
use crate::codes;
use crate::program::{Alu, Binary, Dst, Effect, Guard, Inst, Op, Origin, Packing, Src, Ternary, Unary};

/// A unary operation on whole registers.
pub(super) const fn unary(op: Unary, d: Dst, a: Src) -> Alu {
    Alu::Unary { op, packing: Packing::Whole, d, a }
}

/// A binary operation on whole registers.
pub(super) const fn binary(op: Binary, d: Dst, a: Src, b: Src) -> Alu {
    Alu::Binary { op, packing: Packing::Whole, d, a, b }
}

/// A ternary operation on whole registers.
pub(super) const fn ternary(op: Ternary, d: Dst, [a, b, c]: [Src; 3]) -> Alu {
    Alu::Ternary { op, packing: Packing::Whole, d, a, b, c }
}

/// The rows for temporaries of the instructions of a function.
#[derive(Debug)]
pub(super) struct Temporaries {
    first: u32,
    /// The number that the current instruction uses, and the maximum over the function.
    used: u32,
    most: u32,
}

impl Temporaries {
    pub(super) fn new(first: u32) -> Self {
        Self { first, used: 0, most: 0 }
    }

    /// Makes all of them available to the next instruction.
    pub(super) fn reuse(&mut self) {
        self.used = 0;
    }

    /// The first row after all of them.
    pub(super) fn end(&self) -> u32 {
        self.first + self.most
    }

    fn next(&mut self) -> Dst {
        let row = self.first + self.used;
        self.used += 1;
        self.most = self.most.max(self.used);
        row
    }
}

/// A target of a branch whose label has no place yet.
#[derive(Debug)]
pub(super) struct Jump {
    /// The instruction, and the index in its list of targets.
    pub(super) pc: u32,
    pub(super) target: usize,
    pub(super) label: LabelId,
    pub(super) span: Span,
}

/// The instruction being decoded, and the decoding output.
pub(super) struct Context<'c> {
    pub(super) inst: &'c IrInst,
    pub(super) m: Modifiers,
    pub(super) operands: &'c [Operand],
    pub(super) spans: &'c [Span],
    pub(super) guard: Option<Guard>,
    /// The used bytes of the result, if it is a load.
    pub(super) used_bytes: u32,
    /// The source line.
    pub(super) line: Option<u32>,
    /// The function that it is in.
    pub(super) scope: &'c Scope<'c>,
    pub(super) program: &'c mut Listing,
    pub(super) constants: &'c mut Constants,
    pub(super) temporaries: &'c mut Temporaries,
    pub(super) jumps: &'c mut Vec<Jump>,
}

/// Decodes one instruction.
pub(super) type Decode = fn(&mut Context<'_>) -> Decoded<()>;

impl Context<'_> {
    /// Appends an instruction with the guard.
    pub(super) fn emit(&mut self, op: impl Into<Op>) {
        let guard = self.guard;
        self.emit_always(op.into(), guard);
    }

    /// Appends an instruction that only computes an operand; it does not need the guard.
    pub(super) fn prepare(&mut self, op: impl Into<Op>) {
        self.emit_always(op.into(), None);
    }

    fn emit_always(&mut self, op: Op, guard: Option<Guard>) {
        self.program.code.push(Inst { guard, op });
        let (span, mnemonic) = (self.inst.at.0, self.inst.mnemonic);
        self.program.origins.push(Origin { span, mnemonic, function: self.scope.index, line: self.line });
    }

    /// The index of an operand; `None` if the row has no such operand.
    pub(super) fn find(&self, key: OperandKey) -> Option<usize> {
        self.m.form().operand(key)
    }

    /// The index and value of an operand that every row that gets here has.
    pub(super) fn operand(&self, key: OperandKey) -> Decoded<(usize, Operand)> {
        match self.find(key).and_then(|at| Some((at, *self.operands.get(at)?))) {
            Some(found) => Ok(found),
            None => self.unsupported(&format!("its row has no operand `{}`", key.as_str())),
        }
    }

    /// The index and value of an operand; `None` if the row has no such operand, or the program omits it.
    pub(super) fn given(&self, key: OperandKey) -> Option<(usize, Operand)> {
        let at = self.find(key)?;
        let operand = self.operands.get(at).filter(|operand| !operand.is_omitted())?;
        Some((at, *operand))
    }

    /// The position of an operand.
    pub(super) fn span(&self, at: usize) -> Span {
        self.spans.get(at).copied().unwrap_or(self.inst.at.0)
    }

    /// A diagnostic for an instruction that the interpreter cannot execute.
    pub(super) fn unsupported<T>(&self, why: &str) -> Decoded<T> {
        finding(codes::UNSUPPORTED, self.inst.at.0, format!("`{}` cannot be executed: {why}", self.m))
    }

    /// An operation that no modifier affects, for the given reason.
    pub(super) fn plain(&mut self, op: Effect, why: &'static str) -> Decoded<()> {
        self.m.ignore_all(why);
        self.emit(op);
        Ok(())
    }

    /// A temporary row within the current instruction.
    pub(super) fn temporary(&mut self) -> Dst {
        self.temporaries.next()
    }

    /// Records that a target of the instruction about to be emitted is a label.
    pub(super) fn pend(&mut self, target: usize, label: LabelId, span: Span) {
        self.jumps.push(Jump { pc: self.program.code.len() as u32, target, label, span });
    }
}
