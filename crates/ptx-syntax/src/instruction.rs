//! Instructions: guard, mnemonic and operands put into one form of the table.

use std::rc::Rc;

use ptx_diag::{Diagnostic, Span, counted};
use ptx_ir::{At, Guard, Inst, Operand, Stmt, ZeroOffsets};
use ptx_isa::{
    BlockSem, MemorySem, Mnemonic, MnemonicError, Mod, MoveSem, OperandKind, PtxVersion, Role, Sem,
    candidates, choose_row,
};

use crate::codes;
use crate::cursor::Token;
use crate::foreign::meant_by;
use crate::lexer::TokenKind;
use crate::mnemonics::{Candidates, Names, Written, names_at};
use crate::reader::{Parse, Reader};

impl<'s> Reader<'s, '_> {
    /// `@p` or `@!p` and an instruction.
    pub(crate) fn guarded(&mut self) -> Parse<()> {
        let at = self.cursor.bump().span;
        let negated = self.eat(b'!').is_some();
        let (name, span) = self.expect_ident("a predicate register")?;
        let guard = match self.resolve_name(name) {
            Some(Operand::Register(register)) => Some(Guard { register, negated }),
            Some(Operand::Not(register)) => Some(Guard { register, negated: !negated }),
            Some(_) => {
                let message = format!("`{name}` is not a predicate register");
                return Err(self.at(codes::WRONG_NAME, span, message));
            }
            None => {
                self.undeclared(name, span, "name");
                None
            }
        };
        self.instruction(Some((guard, at)))
    }

    /// An instruction with its semicolon; `guard` is the condition with the place it starts at.
    pub(crate) fn instruction(&mut self, guard: Option<(Option<Guard>, Span)>) -> Parse<()> {
        let TokenKind::Ident(_) = *self.cursor.kind() else { return Err(self.unexpected("an instruction")) };
        let token = self.cursor.bump_mnemonic();
        if self.bank_follows(token) {
            return self.banked_instruction(guard, token);
        }
        if let TokenKind::Directive(_) = *self.cursor.kind() {
            return self.spaced_instruction(guard, token);
        }
        let found = self.mnemonics(token)?;
        self.instruction_behind(guard, token, &found)
    }

    /// Whether `[` follows `.const` at once, as in `ld.const[0].u32`.
    fn bank_follows(&mut self, token: Token<'s>) -> bool {
        matches!(token.kind, TokenKind::Ident(text) if text.ends_with(".const"))
            && self.cursor.is_mark(b'[')
            && self.cursor.span().lo == token.span.hi
    }

    /// An instruction that names a bank of constant memory, before PTX 2.2 (manual 5.1.3.1). Bank 0 is the one that every
    /// instruction means; the host filled the others, in ways of its own.
    fn banked_instruction(&mut self, guard: Option<(Option<Guard>, Span)>, token: Token<'s>) -> Parse<()> {
        self.expect(b'[', "`[`")?;
        let bank = self.word("the number of a bank")?;
        self.expect(b']', "`]`")?;
        let error = |message: String| Diagnostic::error(codes::MODIFIER, token.span, message);
        let text = String::from_utf8_lossy(self.cursor.slice(token.span)).into_owned();
        if self.module.version().is_some_and(|version| version >= PtxVersion::new(2, 2)) {
            let error = error("since PTX ISA 2.2 constant memory has no banks".to_owned());
            return Err(Box::new(error.with_help(format!("write `{text}`"))));
        }
        if bank > 0 {
            let error = error(format!("bank {bank} of constant memory is not supported"));
            let help =
                "take the address of the array as a parameter of the kernel, `.param .u64 .ptr .const`";
            return Err(Box::new(error.with_help(help)));
        }
        self.spaced_instruction(guard, token)
    }

    /// An instruction whose modifiers are parted by blanks, as in `ld .global .u32`.
    fn spaced_instruction(&mut self, guard: Option<(Option<Guard>, Span)>, token: Token<'s>) -> Parse<()> {
        let mut text = String::from_utf8_lossy(self.cursor.slice(token.span)).into_owned();
        while let TokenKind::Directive(modifier) = *self.cursor.kind() {
            self.cursor.advance();
            text.push('.');
            text.push_str(modifier);
        }
        let span = token.span.to(self.cursor.last);
        let found = candidates(&text).map_err(|error| match error {
            MnemonicError::UnknownOpcode { .. } => unknown_mnemonic(&text, token.span, error),
            // The modifier's own place is not known here.
            other => spaced_error(&text, span, other),
        })?;
        self.instruction_behind(guard, Token { span, ..token }, &Candidates::new(found))
    }

    /// What follows the mnemonic.
    fn instruction_behind(
        &mut self,
        guard: Option<(Option<Guard>, Span)>,
        token: Token<'s>,
        found: &Candidates,
    ) -> Parse<()> {
        let start = guard.map_or(token.span, |(_, at)| at);
        if found.rows.is_empty() {
            return Err(self.unexpected("an instruction"));
        }
        let mut written = std::mem::take(&mut self.mnemonics.operands);
        written.clear();
        self.zero_offsets = ZeroOffsets::Implied;
        self.element = None;
        let read = match found.takes_lists {
            true => self.call_operands(&mut written),
            false => self.operands(found, &mut written),
        };
        let done = read.and_then(|()| {
            let end = self.cursor.last;
            let chosen = if self.broken { Ok(None) } else { self.choose(token, found, &written).map(Some) };
            self.expect(b';', "`,` or `;`")?;
            let mnemonic = match chosen {
                Ok(mnemonic) => mnemonic,
                // The statement was read to its end: there is nothing to skip.
                Err(error) => {
                    self.report(*error);
                    None
                }
            };
            if let Some(mnemonic) = mnemonic {
                if let Some(span) = self.element.filter(|_| !takes_elements(mnemonic)) {
                    self.report(*element_error(mnemonic, span));
                }
                let fitted = &mut self.mnemonics.fitted;
                let operands = self.body.add_list(fitted.drain(..));
                let guard = guard.and_then(|(guard, _)| guard);
                let zero_offsets = self.zero_offsets;
                let at = At(start.to(end));
                self.push_statement(Stmt::Inst(Inst { guard, mnemonic, operands, zero_offsets, at }));
            }
            Ok(())
        });
        self.mnemonics.operands = written;
        done
    }

    fn mnemonics(&mut self, token: Token<'s>) -> Parse<Rc<Candidates>> {
        let TokenKind::Ident(text) = token.kind else { return Err(self.unexpected("an instruction")) };
        if let Some(found) = self.mnemonics.known.get(text) {
            return Ok(Rc::clone(found));
        }
        match candidates(text) {
            Ok(found) => {
                let found = Rc::new(Candidates::new(found));
                self.mnemonics.known.insert(text, Rc::clone(&found));
                Ok(found)
            }
            Err(error) => Err(unknown_mnemonic(text, token.span, error)),
        }
    }

    fn operands(&mut self, found: &Candidates, written: &mut Vec<Written>) -> Parse<()> {
        if self.cursor.is_mark(b';') {
            return Ok(());
        }
        // What follows an instruction without operands on the next line is the next instruction.
        if found.takes_none && self.cursor.peek().starts_line {
            return Ok(());
        }
        let mut paired = false;
        loop {
            let names = match found.only_values {
                true => Names::Values,
                false => {
                    let names = found.mnemonics().map(|m| names_at(m.form(), written.len()));
                    names.max().unwrap_or(Names::Values)
                }
            };
            let (operand, span) = self.operand(names)?;
            written.push(Written { operand, span, paired });
            paired = match *self.cursor.kind() {
                TokenKind::Mark(b',') => false,
                TokenKind::Mark(b'|') => true,
                _ => return Ok(()),
            };
            self.cursor.advance();
        }
    }

    /// `(results), callee, (arguments), targets`, of which only the callee must be there.
    fn call_operands(&mut self, written: &mut Vec<Written>) -> Parse<()> {
        let mut push = |(operand, span)| written.push(Written { operand, span, paired: false });
        if *self.cursor.kind() == TokenKind::Mark(b'(') {
            push(self.list()?);
            self.expect(b',', "`,` and the function")?;
        }
        push(self.callee()?);
        if *self.cursor.kind() == TokenKind::Mark(b'(') {
            let error = *self.unexpected("`,` or `;`");
            return Err(Box::new(error.with_help("expected a comma before the arguments: `call f, (a);`")));
        }
        if self.eat(b',').is_none() {
            return Ok(());
        }
        if *self.cursor.kind() == TokenKind::Mark(b'(') {
            push(self.list()?);
            if self.eat(b',').is_none() {
                return Ok(());
            }
        }
        push(self.operand(Names::Labels)?);
        Ok(())
    }

    /// The form that the operands fit, with the operands in its places in [`Mnemonics::fitted`].
    fn choose(&mut self, token: Token<'s>, found: &Candidates, written: &[Written]) -> Parse<Mnemonic> {
        let body = &self.body;
        let chosen =
            choose_row(&found.rows, written, |written| written.paired, |written| body.shape(written.operand));
        let row = chosen.and_then(|(at, placement)| Some((found.rows.get(at)?.mnemonic, placement)));
        let Some((mnemonic, placement)) = row else {
            let mnemonics: Vec<Mnemonic> = found.mnemonics().collect();
            return Err(wrong_operands(token, &mnemonics, written));
        };
        let placed = placement.spread(mnemonic.form().operands.len(), written);
        let omitted = (Operand::Omitted, Span::default());
        let fitted = &mut self.mnemonics.fitted;
        fitted.clear();
        fitted.extend(placed.map(|one| one.map_or(omitted, |written| (written.operand, written.span))));
        Ok(mnemonic)
    }
}

/// Whether the element of an array may stand for its address or for what it holds: in plain loads, stores and moves, and in
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
            let near = nearest.map(|near| format!("did you mean `{near}`?"));
            Box::new(match meant_by(opcode).map(str::to_owned).or(near) {
                Some(help) => error.with_help(help),
                None => error,
            })
        }
        MnemonicError::Modifiers(misfit) => {
            let (code, wrong) = match misfit.range {
                Some(word) => {
                    (codes::MODIFIER, Span::new(span.lo + word.start as u32, span.lo + word.end as u32))
                }
                None => (codes::MODIFIERS, span),
            };
            Box::new(Diagnostic::error(code, wrong, misfit.message).with_help(misfit.help))
        }
    }
}

fn wrong_operands(token: Token<'_>, found: &[Mnemonic], written: &[Written]) -> Box<Diagnostic> {
    let span = written.iter().fold(token.span, |span, written| span.to(written.span));
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

/// How many operands a program can write, from the least to the most; pairs count once.
fn operand_counts(mnemonic: Mnemonic) -> (usize, usize) {
    let form = mnemonic.form();
    let policy = usize::from(mnemonic.has(Mod::L2CacheHint));
    let optional =
        |operand: &&ptx_isa::Operand| operand.role.is_optional() && operand.kind != OperandKind::CachePolicy;
    let least = form.required_operands() + policy;
    (least, least + form.operands.iter().filter(optional).count())
}
