//! Instructions: the row of the table that a mnemonic and its operands mean.

use std::rc::Rc;

use ptx_diag::{Diagnostic, Span, counted};
use ptx_ir::{At, Guard, Inst, Operand, Stmt, ZeroOffsets};
use ptx_isa::{
    BlockSem, MemorySem, Mnemonic, MnemonicError, Mod, MoveSem, OperandKind, PtxVersion, Role, Sem,
    candidates, choose_row,
};

use crate::codes;
use crate::in_place::push;
use crate::resolve::constant::word;
use crate::resolve::foreign::meant_by;
use crate::resolve::mnemonics::{Candidates, Names, Written, names_at};
use crate::resolve::{Resolved, Resolver, at};
use crate::tree::{self as syntax, Instruction, SpacedModifiers};

impl<'s> Resolver<'s, '_> {
    /// Adds an instruction to the body.
    #[inline]
    pub(crate) fn instruction(&mut self, instruction: &Instruction<'s>) -> Resolved<()> {
        self.broken = false;
        self.zero_offsets = ZeroOffsets::Implied;
        self.element = None;
        let guard = match instruction.guard {
            Some(guard) => self.guard(guard)?,
            None => None,
        };
        let found = self.candidates(&instruction.mnemonic)?;
        let mut written = std::mem::take(&mut self.mnemonics.operands);
        written.clear();
        let resolved = if found.takes_lists {
            self.call_operands(&instruction.operands, &mut written)
        } else {
            self.operands(&instruction.operands, &found, &mut written)
        };
        let chosen = resolved.and_then(|()| match self.broken {
            true => Ok(None),
            false => self.choose(&instruction.mnemonic, &found, &written).map(Some),
        });
        self.mnemonics.operands = written;
        let Some(mnemonic) = chosen? else { return Ok(()) };
        if let Some(span) = self.element.filter(|_| !takes_elements(mnemonic)) {
            self.report(*element_error(mnemonic, span));
        }
        let operands = self.body.add_list(self.mnemonics.fitted.drain(..));
        let (zero_offsets, at) = (self.zero_offsets, At(instruction.span));
        push(&mut self.body.statements, || Stmt::Inst(Inst { guard, mnemonic, operands, zero_offsets, at }));
        Ok(())
    }

    fn guard(&mut self, guard: syntax::Guard<'s>) -> Resolved<Option<Guard>> {
        let syntax::Guard { negated, name } = guard;
        match self.resolve_name(name.text) {
            Some(Operand::Register(register)) => Ok(Some(Guard { register, negated })),
            Some(Operand::Not(register)) => Ok(Some(Guard { register, negated: !negated })),
            Some(_) => {
                let message = format!("`{}` is not a predicate register", name.text);
                Err(at(codes::WRONG_NAME, name.span, message))
            }
            None => {
                self.undeclared(name, "name", "");
                Ok(None)
            }
        }
    }

    /// The rows of the table that a mnemonic can mean.
    #[inline]
    pub(crate) fn candidates(&mut self, mnemonic: &syntax::Mnemonic<'s>) -> Resolved<Rc<Candidates>> {
        if let Some(spaced) = &mnemonic.spaced {
            return self.spaced_candidates(mnemonic, spaced);
        }
        let name = mnemonic.name;
        if let Some(found) = self.mnemonics.get(name.text) {
            return Ok(found);
        }
        match candidates(name.text) {
            Ok(found) => {
                let found = Rc::new(Candidates::new(found));
                self.mnemonics.insert(name.text, Rc::clone(&found));
                Ok(found)
            }
            Err(error) => Err(unknown_mnemonic(name.text, name.span, error)),
        }
    }

    /// The rows for a mnemonic with blanks, as in `ld .global .u32`, or with a bank of constant memory, before PTX 2.2 (manual
    /// 5.1.3.1). Bank 0 is the constant memory of all other instructions; the other banks were initialized by the host, outside of PTX.
    fn spaced_candidates(
        &mut self,
        mnemonic: &syntax::Mnemonic<'s>,
        spaced: &SpacedModifiers<'s>,
    ) -> Resolved<Rc<Candidates>> {
        let name = mnemonic.name;
        if let Some(bank) = spaced.bank {
            let bank = word(bank, "the number of a bank")?;
            let error = |message: String| Diagnostic::error(codes::MODIFIER, name.span, message);
            if self.module.version().is_some_and(|version| version >= PtxVersion::new(2, 2)) {
                let error = error("since PTX ISA 2.2 constant memory has no banks".to_owned());
                return Err(Box::new(error.with_help(format!("write `{}`", name.text))));
            }
            if bank > 0 {
                let error = error(format!("bank {bank} of constant memory is not supported"));
                let help =
                    "take the address of the array as a parameter of the kernel, `.param .u64 .ptr .const`";
                return Err(Box::new(error.with_help(help)));
            }
        }
        let mut text = name.text.to_owned();
        for modifier in &spaced.words {
            text.push('.');
            text.push_str(modifier.text);
        }
        candidates(&text).map(|found| Rc::new(Candidates::new(found))).map_err(|error| match error {
            MnemonicError::UnknownOpcode { .. } => unknown_mnemonic(&text, name.span, error),
            // The span of the single modifier is not known here.
            other => spaced_error(&text, whole(mnemonic), other),
        })
    }

    #[inline]
    fn operands(
        &mut self,
        operands: &[syntax::Operand<'s>],
        found: &Candidates,
        written: &mut Vec<Written>,
    ) -> Resolved<()> {
        for (index, operand) in operands.iter().enumerate() {
            let names = match found.only_values {
                true => Names::Values,
                // Default: without a row there is no operand that accepts labels.
                false => found.mnemonics().map(|m| names_at(m.form(), index)).max().unwrap_or(Names::Values),
            };
            let (span, paired) = (operand.span, operand.paired);
            written.push(Written { operand: self.operand(operand, names)?, span, paired });
        }
        Ok(())
    }

    /// Results, function, arguments and targets; the function is the first that is not a list.
    fn call_operands(
        &mut self,
        operands: &[syntax::Operand<'s>],
        written: &mut Vec<Written>,
    ) -> Resolved<()> {
        let mut has_callee = false;
        for one in operands {
            let operand = match one.kind {
                syntax::OperandKind::Name(name) if !has_callee => {
                    has_callee = true;
                    self.callee(name)?
                }
                _ => self.operand(one, Names::Labels)?,
            };
            written.push(Written { operand, span: one.span, paired: false });
        }
        Ok(())
    }

    /// The form that the operands fit, with the operands in its places in [`Mnemonics::fitted`].
    #[inline]
    fn choose(
        &mut self,
        mnemonic: &syntax::Mnemonic<'s>,
        found: &Candidates,
        written: &[Written],
    ) -> Resolved<Mnemonic> {
        let body = &self.body;
        let chosen =
            choose_row(&found.rows, written, |written| written.paired, |written| body.shape(written.operand));
        let row = chosen.and_then(|(at, placement)| Some((found.rows.get(at)?.mnemonic, placement)));
        let Some((chosen, placement)) = row else {
            let rows: Vec<Mnemonic> = found.mnemonics().collect();
            return Err(wrong_operands(whole(mnemonic), &rows, written));
        };
        let placed = placement.spread(chosen.form().operands.len(), written);
        let omitted = (Operand::Omitted, Span::default());
        let fitted = &mut self.mnemonics.fitted;
        fitted.clear();
        fitted.extend(placed.map(|one| one.map_or(omitted, |written| (written.operand, written.span))));
        Ok(chosen)
    }
}

/// The place of a mnemonic with all modifiers.
fn whole(mnemonic: &syntax::Mnemonic<'_>) -> Span {
    let last = mnemonic.spaced.as_ref().and_then(|spaced| spaced.words.last());
    last.map_or(mnemonic.name.span, |word| mnemonic.name.span.to(word.span))
}

/// Whether an operand can be an element of an array, as its address or its value: in plain loads, stores and moves, and in
/// conversions to generic addresses.
fn takes_elements(mnemonic: Mnemonic) -> bool {
    match mnemonic.sem() {
        Sem::Memory(MemorySem::Load | MemorySem::LoadUniform | MemorySem::Store)
        | Sem::Move(MoveSem::Mov)
        | Sem::Block(BlockSem::Mapa) => true,
        Sem::Move(MoveSem::Cvta) => !mnemonic.has(Mod::To),
        _ => false,
    }
}

fn element_error(mnemonic: Mnemonic, span: Span) -> Box<Diagnostic> {
    let text = format!("`{mnemonic}` does not accept an element of an array without brackets");
    let error = Diagnostic::error(codes::OPERANDS, span, text);
    Box::new(error.with_help("write its address with an offset in bytes: `[a+4]`"))
}

fn spaced_error(text: &str, span: Span, error: MnemonicError) -> Box<Diagnostic> {
    let mut error = unknown_mnemonic(text, span, error);
    error.span = Some(span);
    // The words of the text are not together in the input.
    error.fixes.clear();
    error
}

fn unknown_mnemonic(text: &str, span: Span, error: MnemonicError) -> Box<Diagnostic> {
    const SHOWN: usize = 60;
    let opcode = text.split('.').next().unwrap_or(text);
    match error {
        MnemonicError::UnknownOpcode { nearest } => {
            let opcode_span = Span::new(span.lo, span.lo + opcode.len() as u32);
            let shown: String = opcode.chars().take(SHOWN).collect();
            let error =
                Diagnostic::error(codes::OPCODE, opcode_span, format!("unknown instruction `{shown}`"));
            Box::new(match (meant_by(opcode), nearest) {
                (Some(help), _) => error.with_help(help),
                (None, Some(near)) => {
                    error.with_help(format!("did you mean `{near}`?")).with_fix(opcode_span, near)
                }
                (None, None) => error,
            })
        }
        MnemonicError::Modifiers(misfit) => {
            let (code, wrong) = match misfit.range {
                Some(word) => {
                    (codes::MODIFIER, Span::new(span.lo + word.start as u32, span.lo + word.end as u32))
                }
                None => (codes::MODIFIERS, span),
            };
            let error = Diagnostic::error(code, wrong, misfit.message).with_help(misfit.help);
            Box::new(misfit.suggestions.into_iter().fold(error, |error, meant| error.with_fix(span, meant)))
        }
    }
}

fn wrong_operands(mnemonic: Span, found: &[Mnemonic], written: &[Written]) -> Box<Diagnostic> {
    let span = written.iter().fold(mnemonic, |span, written| span.to(written.span));
    debug_assert!(!found.is_empty(), "operands are compared with rows");
    let shown = match found.first() {
        Some(mnemonic) => mnemonic.to_string(),
        None => String::new(),
    };
    let pairs = found.iter().any(|m| m.form().operands.iter().any(|operand| operand.role == Role::DefPair));
    let error = match written.iter().find(|written| written.paired) {
        Some(second) if !pairs => {
            let message = format!("`{shown}` has no second destination");
            Diagnostic::error(codes::OPERANDS, second.span, message)
        }
        _ => {
            let counts = found.iter().map(|mnemonic| operand_counts(*mnemonic));
            let (least, most) = counts.fold((usize::MAX, 0), |all, one| (all.0.min(one.0), all.1.max(one.1)));
            let takes = match most.saturating_sub(least) {
                0 => counted(most, "operand"),
                1 => format!("{least} or {}", counted(most, "operand")),
                _ => format!("{least} to {most} operands"),
            };
            let given = written.iter().filter(|written| !written.paired).count();
            let message = format!("`{shown}` takes {takes}, not {given}");
            Diagnostic::error(codes::OPERANDS, span, message)
        }
    };
    Box::new(error.with_help(syntax_help(found)))
}

/// How the operands are written, once for all rows that have the same.
fn syntax_help(found: &[Mnemonic]) -> String {
    const SHOWN: usize = 3;
    let mut lines: Vec<String> = Vec::new();
    for line in found.iter().map(Mnemonic::syntax) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let more = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    let mut text = match lines.as_slice() {
        [only] => return format!("the form is `{only}`"),
        lines => format!("the forms are:\n  {}", lines.join("\n  ")),
    };
    if more > 0 {
        text.push_str(&format!("\n  and {more} more"));
    }
    text
}

/// The minimum and maximum number of operands that can be written; pairs count once.
fn operand_counts(mnemonic: Mnemonic) -> (usize, usize) {
    let form = mnemonic.form();
    let policy = usize::from(mnemonic.has(Mod::L2CacheHint));
    let optional =
        |operand: &&ptx_isa::Operand| operand.role.is_optional() && operand.kind != OperandKind::CachePolicy;
    let least = form.required_operands() + policy;
    (least, least + form.operands.iter().filter(optional).count())
}
