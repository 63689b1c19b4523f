//! What can be written at a position.

use ptx_diag::Span;
use ptx_isa::{
    Directive, Form, Mod, Opcode, OperandKind, Place, PtxVersion, ScalarType, Since, Slot, Sm, SpecialReg,
    forms_of, rows_with, version_text,
};
use ptx_syntax::syntax::{Element, ElementKind, elements};
use ptx_verify::known_targets;

use crate::document::Document;
use crate::hover::{about_directive, declaration_text};
use crate::index::{Symbol, SymbolKind};

/// What a completion is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompletionKind {
    /// An opcode.
    Opcode,
    /// A modifier of an instruction.
    Modifier,
    /// A type.
    Type,
    /// A directive.
    Directive,
    /// A declared name.
    Symbol(SymbolKind),
    /// A special register.
    Special,
    /// A target architecture or version.
    Value,
}

/// A word that can be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The word, with its dot if it has one.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// A remark of a few words.
    pub detail: String,
    /// Markdown; empty if there is nothing more to tell.
    pub documentation: String,
    /// Completions with smaller numbers come first.
    pub rank: u8,
    /// The part of the text that the word replaces: what was written of it.
    pub span: Span,
}

/// The most completions of one kind of name.
const MOST_NAMES: usize = 500;

/// What can be written at an offset. The instructions and modifiers are those of the stated version and target.
pub fn completions(document: &Document, offset: u32) -> Vec<Completion> {
    let offset = document.inside(offset);
    let mut cx = Context { document, offset, span: Span::new(offset, offset), found: Vec::new() };
    cx.complete();
    cx.found
}

struct Context<'d> {
    document: &'d Document,
    offset: u32,
    /// What was written of the word.
    span: Span,
    found: Vec<Completion>,
}

/// The elements of the statement that the offset is in, up to the offset.
struct Before {
    elements: Vec<Element>,
}

impl Context<'_> {
    fn complete(&mut self) {
        let before = self.before();
        let last = before.elements.last().copied().filter(|last| last.span.hi == self.offset);
        if last.is_some_and(|last| matches!(last.kind, ElementKind::Comment | ElementKind::Text)) {
            return;
        }
        // The word that is being written, and what precedes it.
        let (word, preceding) = match last {
            Some(last) if is_word(last, self.document) => {
                self.span = last.span;
                (self.document.slice(last.span).to_owned(), &before.elements[..before.elements.len() - 1])
            }
            _ => (String::new(), before.elements.as_slice()),
        };
        let body = self.document.index().function_at(self.offset).and_then(|(_, function)| function.body);
        let in_body = body.is_some_and(|body| body.lo < self.offset);
        match preceding.first().map(|first| (first.kind, self.document.slice(first.span))) {
            None if !in_body => self.directives(&[Place::Module]),
            None => self.start(&word),
            Some((ElementKind::Directive, directive)) => {
                let directive = directive.to_owned();
                self.after_directive(&directive, preceding, in_body);
            }
            Some(_) if !in_body => {}
            Some(_) => self.in_instruction(&word, preceding),
        }
    }

    /// The elements between the start of the statement and the offset.
    fn before(&self) -> Before {
        let index = self.document.index();
        // An error ends with its statement; a statement that ends before the offset is followed by another one.
        let lo = match index.statement_before(self.offset) {
            Some(extent) if self.is_ended(extent.span) => extent.span.hi,
            Some(extent) => extent.span.lo,
            None => 0,
        };
        let text = self.document.slice(Span::new(lo, self.offset.max(lo)));
        let moved = |element: Element| {
            let span = Span::new(element.span.lo + lo, element.span.hi + lo);
            Element { span, ..element }
        };
        let mut elements: Vec<Element> = elements(text).map(moved).collect();
        let mut start = 0;
        for (at, element) in elements.iter().enumerate() {
            let is_comment = element.kind == ElementKind::Comment && element.span.hi < self.offset;
            let ends = match element.kind {
                ElementKind::Mark(b';') => true,
                // A label, or the braces of a block; those of a vector follow a word.
                ElementKind::Mark(b':') => at == start + 1,
                ElementKind::Mark(b'{' | b'}') => at == start,
                _ => is_comment && at == start,
            };
            if ends {
                start = at + 1;
            }
        }
        elements.drain(..start);
        elements.retain(|element| element.kind != ElementKind::Comment || element.span.hi == self.offset);
        self.forget_line_without_end(&mut elements);
        Before { elements }
    }

    /// Removes an instruction without its semicolon on a line before: what is being written is another one.
    fn forget_line_without_end(&self, elements: &mut Vec<Element>) {
        let line = self.document.line_of(self.offset);
        let before = elements.partition_point(|element| self.document.line_of(element.span.lo) < line);
        let (Some(first), Some(last)) = (elements.first(), elements[..before].last()) else { return };
        let is_instruction =
            matches!(first.kind, ElementKind::Name | ElementKind::Dotted | ElementKind::Mark(b'@'));
        let goes_on = match last.kind {
            ElementKind::Mark(mark) => !matches!(mark, b')' | b']' | b'}'),
            ElementKind::Operator(_) => true,
            _ => false,
        };
        if is_instruction && !goes_on {
            elements.drain(..before);
        }
    }

    /// Whether a statement is complete before the offset.
    fn is_ended(&self, span: Span) -> bool {
        let text = self.document.slice(span);
        let is_closed = text.ends_with([';', '{', '}', ':']);
        if span.hi > self.offset || (span.hi == self.offset && !is_closed) {
            return false;
        }
        let is_line = [".version", ".target", ".address_size", ".file", ".loc"];
        let ends_with_line = is_line.iter().any(|word| text.starts_with(word))
            && self.document.line_of(span.hi) < self.document.line_of(self.offset);
        is_closed || ends_with_line
    }

    fn push(&mut self, label: impl Into<String>, kind: CompletionKind, detail: String, rank: u8) {
        let documentation = String::new();
        self.found.push(Completion {
            label: label.into(),
            kind,
            detail,
            documentation,
            rank,
            span: self.span,
        });
    }

    /// Whether the stated version and target have something.
    fn has(&self, since: Since) -> bool {
        let version = self.document.version().is_none_or(|version: PtxVersion| version >= since.ptx);
        version && self.document.target().is_none_or(|sm: Sm| since.admits(sm))
    }

    fn directives(&mut self, places: &[Place]) {
        let rows = Directive::ALL.iter().filter(|row| row.places.iter().any(|place| places.contains(place)));
        for row in rows {
            if row.construct.is_some_and(|construct| !self.has(construct.since())) {
                continue;
            }
            self.push(format!(".{}", row.word), CompletionKind::Directive, row.syntax(), 1);
            if let (Some(last), Some(text)) =
                (self.found.last_mut(), about_directive(&format!(".{}", row.word)))
            {
                last.documentation = text;
            }
        }
    }

    /// The start of a statement in a body.
    fn start(&mut self, word: &str) {
        if word.starts_with('.') {
            return self.directives(&[Place::Body]);
        }
        match word.split_once('.') {
            Some(_) => self.modifiers(word),
            None => {
                self.opcodes();
                self.directives(&[Place::Body]);
            }
        }
    }

    fn opcodes(&mut self) {
        for opcode in Opcode::ALL {
            let forms = forms_of(*opcode).1;
            let Some(first) = forms.iter().find(|form| self.is_available(form)) else { continue };
            self.push(opcode.as_str(), CompletionKind::Opcode, first.syntax(), 0);
            if let Some(last) = self.found.last_mut() {
                last.documentation = first.sem.meaning().to_owned();
            }
        }
    }

    fn is_available(&self, form: &Form) -> bool {
        self.has(form.since)
            && form.removed.as_ref().is_none_or(|removed| {
                let is_later = self.document.version().is_some_and(|version| version >= removed.from.ptx);
                let is_on = self.document.target().is_some_and(|sm| removed.from.admits(sm));
                !(is_later && is_on)
            })
    }

    /// The modifiers that may follow those of a mnemonic, of which the last may be incomplete.
    fn modifiers(&mut self, word: &str) {
        let Some((complete, last)) = word.rsplit_once('.') else { return };
        self.span = Span::new(self.span.hi - last.len() as u32 - 1, self.span.hi);
        let Ok(forms) = rows_with(complete) else { return };
        let forms: Vec<&Form> = forms.into_iter().filter(|form| self.is_available(form)).collect();
        let written: Vec<&str> = complete.split('.').skip(1).collect();
        let mut seen: Vec<Mod> = Vec::new();
        for form in forms {
            // The slots from the first one that no written modifier fills; those before it can still be written, but come later in the list.
            let is_filled =
                |slot: &Slot| written.iter().any(|word| Mod::from_ptx(word).is_some_and(|m| slot.takes(m)));
            let last_filled = form.slots.iter().rposition(is_filled);
            let mut is_next = true;
            for (at, slot) in form.slots.iter().enumerate() {
                let is_passed = last_filled.is_some_and(|last| at <= last);
                if is_filled(slot) && is_passed {
                    continue;
                }
                let rank = if is_passed {
                    3
                } else if is_next {
                    0
                } else {
                    2
                };
                self.slot(form, slot, complete, rank, &mut seen);
                is_next &= is_passed || slot.is_optional();
            }
        }
    }

    fn slot(&mut self, form: &Form, slot: &Slot, complete: &str, rank: u8, seen: &mut Vec<Mod>) {
        let set: &[Mod] = match slot {
            Slot::Lit(only) => std::slice::from_ref(only),
            Slot::One(_, set) | Slot::Opt(_, set) => set,
        };
        for modifier in set {
            let later = form.later.iter().find(|(later, _)| later == modifier).map(|(_, since)| *since);
            if seen.contains(modifier) || later.is_some_and(|since| !self.has(since)) {
                continue;
            }
            if rows_with(&format!("{complete}.{}", modifier.as_str())).is_err() {
                continue;
            }
            seen.push(*modifier);
            let is_type = ScalarType::from_mod(*modifier).is_some();
            let kind = if is_type { CompletionKind::Type } else { CompletionKind::Modifier };
            let detail = match slot.field() {
                Some(field) => field.as_str().to_owned(),
                None => String::new(),
            };
            self.push(format!(".{}", modifier.as_str()), kind, detail, rank);
            if let Some(last) = self.found.last_mut() {
                let since = later.unwrap_or(form.since);
                last.documentation = format!("{}\n\n{}", form.doc, version_text(since));
            }
        }
    }

    /// After the directive that begins a statement.
    fn after_directive(&mut self, directive: &str, preceding: &[Element], in_body: bool) {
        let has_names = preceding.iter().skip(1).any(|one| matches!(one.kind, ElementKind::Name));
        match directive {
            ".target" => self.targets(),
            ".version" => self.versions(),
            ".entry" | ".func" | ".visible" | ".weak" | ".extern" | ".common" if !in_body => {
                let is_function =
                    preceding.iter().any(|one| matches!(self.document.slice(one.span), ".entry" | ".func"));
                let depth = preceding.iter().fold(0i32, |depth, one| match one.kind {
                    ElementKind::Mark(b'(') => depth + 1,
                    ElementKind::Mark(b')') => depth - 1,
                    _ => depth,
                });
                match (is_function, depth > 0, has_names) {
                    (false, ..) => {
                        let words = [".entry", ".func", ".global", ".const", ".shared"];
                        self.directives(&[Place::Module]);
                        self.found.retain(|one| words.contains(&one.label.as_str()));
                        self.declaration();
                    }
                    (true, true, _) => self.declaration(),
                    (true, false, true) => self.directives(&[Place::Function]),
                    (true, false, false) => {}
                }
            }
            _ if !has_names => self.declaration(),
            // Initial values name variables and functions.
            _ if preceding.iter().any(|one| one.kind == ElementKind::Mark(b'=')) => {
                self.names(|symbol| {
                    symbol.function.is_none().then_some(0).filter(|_| symbol.kind != SymbolKind::Register)
                });
            }
            _ => {}
        }
    }

    /// The words of a declaration.
    fn declaration(&mut self) {
        for ty in Directive::types() {
            let label = format!(".{}", ty.as_str());
            self.push(label, CompletionKind::Type, ptx_isa::type_text(ty), 0);
        }
        self.directives(&[Place::Declaration]);
    }

    fn targets(&mut self) {
        let version = self.document.version();
        for (sm, first) in known_targets() {
            if version.is_none_or(|version| version >= first) {
                self.push(sm.to_string(), CompletionKind::Value, format!("PTX {first}"), 0);
            }
        }
    }

    fn versions(&mut self) {
        let mut versions: Vec<PtxVersion> = known_targets().map(|(_, first)| first).collect();
        versions.push(PtxVersion::NEWEST);
        versions.sort_unstable();
        versions.dedup();
        for version in versions.into_iter().rev() {
            self.push(version.to_string(), CompletionKind::Value, String::new(), 0);
        }
    }

    /// In an instruction: the mnemonic after a guard, or an operand.
    fn in_instruction(&mut self, word: &str, preceding: &[Element]) {
        let texts: Vec<&str> = preceding.iter().map(|one| self.document.slice(one.span)).collect();
        let guard = texts.iter().take_while(|text| matches!(**text, "@" | "!")).count();
        if guard > 0 && texts.len() == guard {
            return self.names(|symbol| (symbol.ty == Some(ScalarType::Pred)).then_some(0));
        }
        let mnemonic_at = if guard > 0 { guard + 1 } else { 0 };
        if texts.len() <= mnemonic_at {
            return match word.split_once('.') {
                Some(_) => self.modifiers(word),
                None => self.opcodes(),
            };
        }
        if word.starts_with('.') {
            // A modifier after a blank, or the component of a register.
            return;
        }
        let mnemonic = texts[mnemonic_at].to_owned();
        let mut depth = 0i32;
        let mut position = 0;
        for text in &texts[mnemonic_at + 1..] {
            match *text {
                "[" | "{" | "(" => depth += 1,
                "]" | "}" | ")" => depth -= 1,
                "," | "|" if depth == 0 => position += 1,
                _ => {}
            }
        }
        // The operands of an unknown instruction may be any names.
        let forms: Vec<&Form> = rows_with(&mnemonic).into_iter().flatten().collect();
        let in_brackets = depth > 0 && texts.contains(&"[");
        self.operand(&forms, &mnemonic, position, in_brackets, word);
    }

    fn operand(
        &mut self,
        forms: &[&'static Form],
        mnemonic: &str,
        position: usize,
        in_brackets: bool,
        word: &str,
    ) {
        let kinds: Vec<OperandKind> =
            forms.iter().filter_map(|form| form.operands.get(position)).map(|operand| operand.kind).collect();
        // The type that registers of the operand should have.
        let mnemonics = ptx_isa::candidates(mnemonic);
        let ty = mnemonics.ok().and_then(|found| found.first()?.operand_type(position));
        let is = |wanted: fn(&OperandKind) -> bool| !kinds.is_empty() && kinds.iter().all(wanted);
        if is(|kind| matches!(kind, OperandKind::Label)) {
            return self.names(|symbol| (symbol.kind == SymbolKind::Label).then_some(0));
        }
        if is(|kind| matches!(kind, OperandKind::BranchTargets | OperandKind::CallTargets)) {
            return self.names(|symbol| (symbol.kind == SymbolKind::Targets).then_some(0));
        }
        if mnemonic.starts_with("call") {
            return self.names(|symbol| match symbol.kind {
                SymbolKind::Function => Some(0),
                SymbolKind::Label | SymbolKind::Kernel => None,
                SymbolKind::Targets | SymbolKind::Variable | SymbolKind::Parameter | SymbolKind::Register => {
                    Some(1)
                }
            });
        }
        if is(|kind| matches!(kind, OperandKind::Predicate)) {
            return self.names(|symbol| (symbol.ty == Some(ScalarType::Pred)).then_some(0));
        }
        let is_move = kinds.iter().any(|kind| matches!(kind, OperandKind::Move(_)));
        let is_source = position > 0;
        self.names(|symbol| match symbol.kind {
            SymbolKind::Register if in_brackets => {
                let is_address = symbol.ty.is_some_and(|ty| matches!(ty.bits(), 32 | 64));
                Some(if is_address { 1 } else { 2 })
            }
            SymbolKind::Register if symbol.ty == Some(ScalarType::Pred) && ty != Some(ScalarType::Pred) => {
                None
            }
            SymbolKind::Register => {
                let fits = ty.zip(symbol.ty).is_some_and(|(wanted, own)| wanted.bits() == own.bits());
                Some(if fits { 0 } else { 2 })
            }
            SymbolKind::Variable | SymbolKind::Parameter => (in_brackets || is_move).then_some(0),
            SymbolKind::Kernel | SymbolKind::Function | SymbolKind::Label => {
                (is_move && is_source).then_some(3)
            }
            SymbolKind::Targets => None,
        });
        if is_source && !in_brackets || word.starts_with('%') {
            self.special_registers();
        }
    }

    fn special_registers(&mut self) {
        for register in SpecialReg::all() {
            if !self.has(register.since()) {
                continue;
            }
            let ty = register.scalar_type().as_str();
            self.push(register.to_string(), CompletionKind::Special, format!(".{ty}"), 3);
            if let Some(last) = self.found.last_mut() {
                last.documentation = ptx_isa::describe_special(register);
            }
        }
    }

    /// The names that are visible, with the rank that `rank` gives them; `None` leaves one out.
    fn names(&mut self, rank: impl Fn(&Symbol) -> Option<u8>) {
        let index = self.document.index();
        let function = index.function_at(self.offset).map(|(at, _)| at);
        let mut count = 0;
        for (_, symbol) in index.symbols() {
            let is_visible = symbol.function.is_none() || symbol.function == function;
            let Some(rank) = rank(symbol).filter(|_| is_visible && count < MOST_NAMES) else { continue };
            count += 1;
            let name = self.document.slice(symbol.name);
            let detail = match symbol.count {
                Some(count) => format!("{name}<{count}>"),
                None => first_line(&declaration_text(self.document, symbol)).to_owned(),
            };
            self.push(name, CompletionKind::Symbol(symbol.kind), detail, rank);
        }
    }
}

/// Whether an element is a word that is being written.
fn is_word(element: Element, document: &Document) -> bool {
    match element.kind {
        ElementKind::Name | ElementKind::Dotted | ElementKind::Directive => true,
        // A dot, a percent sign or a dollar sign without letters yet.
        ElementKind::Mark(b'%') => true,
        ElementKind::Bad => matches!(document.slice(element.span), "." | "$"),
        _ => false,
    }
}

fn first_line(text: &str) -> &str {
    match text.split_once('\n') {
        Some((line, _)) => line,
        None => text,
    }
}
