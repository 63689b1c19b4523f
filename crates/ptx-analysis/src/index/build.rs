//! Builds the index in one walk over the statements.

use ptx_diag::Span;
use ptx_isa::ScalarType;
use ptx_syntax::syntax::{
    Address, Declaration, Declarator, ElementKind, Function, Initializer, Instruction, Name, Operand,
    OperandKind, Parameter, Prototype, Statement, Table, TablePart, Variables, elements, statements,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::slice::slice;

use super::operands::{OperandAccess, Rows, accesses};
use super::scopes::{LabelScopes, Scopes};
use super::symbol::{
    Access, Extent, FunctionExtent, Occurrence, StatementKind, Symbol, SymbolId, SymbolKind,
};
use super::table::Index;

/// Deeper braces than these are no scopes; the parser rejects them.
const DEEPEST: usize = 256;

/// The index of a text; it takes time linear in the text.
pub(crate) fn build(text: &str) -> Index {
    let mut builder = Builder { text, ..Builder::default() };
    let mut read = statements(text);
    loop {
        let lo = read.offset();
        let Some(statement) = read.next() else { break };
        let span = Span::new(lo, read.end().max(lo));
        let kind = match &statement {
            Ok(Statement::Instruction(_)) => StatementKind::Instruction,
            Ok(_) => StatementKind::Other,
            Err(_) => StatementKind::Error,
        };
        builder.index.statements.push(Extent { span, kind });
        match statement {
            Ok(statement) => builder.statement(&statement, span),
            Err(_) => builder.error(span),
        }
    }
    builder.finish()
}

#[derive(Default)]
struct Builder<'s> {
    text: &'s str,
    index: Index,
    scopes: Scopes<'s>,
    labels: LabelScopes<'s>,
    functions: FxHashMap<&'s str, SymbolId>,
    rows: Rows<'s>,
    accesses: Vec<OperandAccess>,
    /// The function that is open, and the braces inside of it.
    function: Option<u32>,
    braces: Vec<Span>,
    /// Names that may be declared later: in debug information, which refers to labels of any function.
    late: Vec<Name<'s>>,
}

impl<'s> Builder<'s> {
    fn statement(&mut self, statement: &Statement<'s>, span: Span) {
        match statement {
            Statement::Version(number, _) => {
                self.index.version.get_or_insert(number.span);
            }
            Statement::Target(names, _) => {
                if let (Some(first), Some(last)) = (names.first(), names.last()) {
                    self.index.target.get_or_insert(first.span.to(last.span));
                }
            }
            Statement::Variables(variables) => self.variables(variables, span),
            Statement::Function(function) => self.function(function, span),
            Statement::Open(at) => self.open(*at),
            Statement::Close(at) => self.close(*at),
            Statement::Label(name) => self.label(*name, SymbolKind::Label, span),
            Statement::BranchTargets(name, targets) => {
                self.label(*name, SymbolKind::Targets, span);
                for (target, _) in targets {
                    self.use_label(*target);
                }
            }
            Statement::CallTargets(name, targets) => {
                self.label(*name, SymbolKind::Targets, span);
                for target in targets {
                    self.use_name(*target, Access::Read);
                }
            }
            Statement::CallPrototype(name, prototype) => {
                self.label(*name, SymbolKind::Targets, span);
                self.prototype(prototype);
            }
            Statement::Instruction(instruction) => self.instruction(instruction),
            Statement::Alias(name, target, _) => {
                self.use_name(*name, Access::Read);
                self.use_name(*target, Access::Read);
            }
            Statement::Location(location) => {
                if let Some(inlined) = &location.inlined {
                    self.late.push(inlined.name);
                }
            }
            Statement::Section(section) => {
                for label in &section.labels {
                    let id = self.declare(*label, SymbolKind::Label, span, None, None);
                    self.functions.insert(label.text, id);
                }
                let labels: FxHashSet<u32> = section.labels.iter().map(|label| label.span.lo).collect();
                self.words(section.text_span, &labels);
            }
            Statement::DwarfLine(line) => self.words(line.span, &FxHashSet::default()),
            Statement::AddressSize(..) | Statement::File(_) | Statement::Pragma(..) | Statement::Empty(_) => {
            }
        }
    }

    /// Occurrences of names in a text that is no statement.
    fn error(&mut self, span: Span) {
        for element in elements(slice(self.text, span)) {
            let at = Span::new(span.lo + element.span.lo, span.lo + element.span.hi);
            match element.kind {
                ElementKind::Name => {
                    let name = Name { text: slice(self.text, at), span: at };
                    if self.lookup(name.text).is_some() {
                        self.use_name(name, Access::Read);
                    } else {
                        let occurrence = self.occur(name, None, Access::Read);
                        self.labels.use_label(name.text, occurrence);
                    }
                }
                ElementKind::Dotted => {
                    // A register with a component, or a mnemonic, which is no name.
                    let text = slice(self.text, at).split('.').next();
                    let name = text.filter(|name| self.lookup(name).is_some());
                    if let Some(name) = name {
                        let span = Span::new(at.lo, at.lo + name.len() as u32);
                        self.use_name(Name { text: name, span }, Access::Read);
                    }
                }
                ElementKind::Mark(b'{') => self.open(at),
                ElementKind::Mark(b'}') => self.close(at),
                _ => {}
            }
        }
    }

    /// Occurrences of names among the words of debug information, except the labels that begin at some offsets.
    fn words(&mut self, span: Span, labels: &FxHashSet<u32>) {
        let text = slice(self.text, span);
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%');
        let mut at = 0;
        while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
            let length = rest.iter().take_while(|byte| is_part(byte)).count();
            let is_word = rest.first().is_some_and(|byte| !byte.is_ascii_digit());
            let follows_dot = at > 0 && text.as_bytes()[at - 1] == b'.';
            if length > 0 && is_word && !follows_dot {
                let span = Span::new(span.lo + at as u32, span.lo + (at + length) as u32);
                if !labels.contains(&span.lo) {
                    self.late.push(Name { text: slice(self.text, span), span });
                }
            }
            at += length.max(1);
        }
    }

    fn variables(&mut self, variables: &Variables<'s>, span: Span) {
        let is_extern = variables.linkage.is_some_and(|linkage| linkage.text == "extern");
        let space = variables.declaration.space.text;
        let kind = if space == "reg" { SymbolKind::Register } else { SymbolKind::Variable };
        for declarator in &variables.declarators {
            let count = declarator.count.and_then(|count| count.text.parse().ok());
            let id = self.variable(declarator, &variables.declaration, kind, span, count);
            if let Some(symbol) = self.index.symbols.get_mut(id.0 as usize) {
                symbol.is_defined |= !is_extern;
            }
            if let Some(initializer) = &declarator.initializer {
                self.initializer(initializer);
            }
        }
    }

    /// Declares a variable; one of the module that exists already is the same.
    fn variable(
        &mut self,
        declarator: &Declarator<'s>,
        declaration: &Declaration<'s>,
        kind: SymbolKind,
        span: Span,
        count: Option<u32>,
    ) -> SymbolId {
        let name = declarator.name;
        let known = self.scopes.single(name.text).filter(|_| self.function.is_none() && count.is_none());
        match known {
            Some(id) => {
                self.occur(name, Some(id), Access::Declare);
                self.define_again(id, name.span, span);
                id
            }
            None => self.declare(name, kind, span, ScalarType::from_ptx(declaration.ty.text), count),
        }
    }

    /// The last declaration of a name before its definition counts.
    fn define_again(&mut self, id: SymbolId, name: Span, declaration: Span) {
        if let Some(symbol) = self.index.symbols.get_mut(id.0 as usize)
            && !symbol.is_defined
        {
            (symbol.name, symbol.declaration) = (name, declaration);
        }
    }

    fn initializer(&mut self, initializer: &Initializer<'s>) {
        // The parser bounds how deep lists are nested.
        match initializer {
            Initializer::Address(Address { name, .. })
            | Initializer::MaskedAddress(_, Address { name, .. }) => {
                self.use_name(*name, Access::Read);
            }
            Initializer::Table(table) => self.table(*table),
            Initializer::List(list) => {
                for one in list {
                    self.initializer(one);
                }
            }
            Initializer::Value(_) | Initializer::MaskedConstant(..) | Initializer::Fields(_) => {}
        }
    }

    fn table(&mut self, table: Table<'s>) {
        for part in table.parts() {
            if let TablePart::Name(name) = part {
                self.use_name(name, Access::Read);
            }
        }
    }

    fn function(&mut self, function: &Function<'s>, span: Span) {
        self.end_function(span.lo);
        let name = function.name;
        let kind = if function.keyword.text == "entry" { SymbolKind::Kernel } else { SymbolKind::Function };
        let id = match self.functions.get(name.text) {
            Some(&id) => {
                self.define_again(id, name.span, span);
                id
            }
            None => {
                let id = self.symbol(kind, name.span, span, None, None);
                self.functions.insert(name.text, id);
                id
            }
        };
        let number = self.index.functions.len() as u32;
        self.index.functions.push(FunctionExtent { symbol: id, span, body: function.body });
        self.function = Some(number);
        self.scopes.enter();
        self.labels.enter();
        // Results are written before the name.
        for result in &function.results {
            self.parameter(result);
        }
        self.occur(name, Some(id), Access::Declare);
        for parameter in &function.parameters {
            self.parameter(parameter);
        }
        match function.body {
            Some(brace) => {
                if let Some(symbol) = self.index.symbols.get_mut(id.0 as usize) {
                    symbol.is_defined = true;
                }
                self.braces = vec![brace];
            }
            None => self.end_function(span.hi),
        }
    }

    fn parameter(&mut self, parameter: &Parameter<'s>) {
        if parameter.name.text != "_" {
            let ty = ScalarType::from_ptx(parameter.declaration.ty.text);
            let kind = match parameter.declaration.space.text {
                "reg" => SymbolKind::Register,
                _ => SymbolKind::Parameter,
            };
            let span = parameter.declaration.span.to(parameter.name.span);
            self.declare(parameter.name, kind, span, ty, None);
        }
    }

    /// The names of a prototype are its own.
    fn prototype(&mut self, prototype: &Prototype<'s>) {
        self.scopes.enter();
        for parameter in prototype.results.iter().chain(&prototype.parameters) {
            self.parameter(parameter);
        }
        self.scopes.leave();
    }

    fn open(&mut self, brace: Span) {
        if self.function.is_none() {
            return;
        }
        if self.braces.len() < DEEPEST {
            self.scopes.enter();
            self.labels.enter();
        }
        self.braces.push(brace);
    }

    fn close(&mut self, brace: Span) {
        let Some(open) = self.braces.pop() else { return };
        if self.braces.is_empty() {
            let body = Span::new(open.lo, brace.hi);
            let open_function = self.function.and_then(|at| self.index.functions.get_mut(at as usize));
            if let Some(function) = open_function {
                function.body = Some(body);
            }
            self.end_function(brace.hi);
            return;
        }
        self.index.blocks.push(Span::new(open.lo, brace.hi));
        if self.braces.len() < DEEPEST {
            self.leave();
        }
    }

    fn leave(&mut self) {
        self.scopes.leave();
        let occurrences = &mut self.index.occurrences;
        self.labels.leave(|occurrence, id| {
            if let Some(found) = occurrences.get_mut(occurrence) {
                found.symbol = Some(id);
            }
        });
    }

    /// Ends the open function, if there is one, at an offset.
    fn end_function(&mut self, end: u32) {
        let Some(number) = self.function.take() else { return };
        if let Some(function) = self.index.functions.get_mut(number as usize) {
            function.span.hi = function.span.hi.max(end);
        }
        self.braces.clear();
        while self.scopes.depth() > 0 {
            self.leave();
        }
    }

    fn label(&mut self, name: Name<'s>, kind: SymbolKind, span: Span) {
        let id = self.symbol(kind, name.span, span, None, None);
        self.occur(name, Some(id), Access::Declare);
        self.labels.define(name.text, id);
    }

    fn instruction(&mut self, instruction: &Instruction<'s>) {
        if let Some(guard) = instruction.guard {
            self.use_name(guard.name, Access::Read);
        }
        let rows = self.rows.of(&instruction.mnemonic);
        let mut found = std::mem::take(&mut self.accesses);
        accesses(&rows, &instruction.operands, &mut found);
        for (operand, access) in instruction.operands.iter().zip(&found) {
            self.operand(operand, *access);
        }
        self.accesses = found;
    }

    fn operand(&mut self, operand: &Operand<'s>, access: OperandAccess) {
        match &operand.kind {
            OperandKind::Name(name) if access.is_label => self.use_label(*name),
            OperandKind::Name(name) | OperandKind::Component(name, _) => self.use_name(*name, access.access),
            OperandKind::Element(name, ..)
            | OperandKind::Sum(name, _)
            | OperandKind::Not(name)
            | OperandKind::Negated(name, _) => self.use_name(*name, Access::Read),
            OperandKind::Address(Some(name), _) => self.use_name(*name, Access::Read),
            OperandKind::Bracket(list) => {
                for one in list {
                    self.operand(one, OperandAccess { access: Access::Read, is_label: false });
                }
            }
            OperandKind::Vector(list) | OperandKind::List(list) => {
                for one in list {
                    self.operand(one, access);
                }
            }
            OperandKind::Sink | OperandKind::Constant(_) | OperandKind::Address(None, _) => {}
        }
    }

    fn symbol(
        &mut self,
        kind: SymbolKind,
        name: Span,
        declaration: Span,
        ty: Option<ScalarType>,
        count: Option<u32>,
    ) -> SymbolId {
        let id = SymbolId(self.index.symbols.len() as u32);
        self.index.symbols.push(Symbol {
            kind,
            name,
            declaration,
            count,
            ty,
            function: self.function,
            is_defined: false,
            depth: self.scopes.depth(),
            outer: None,
        });
        id
    }

    /// Declares a name in the innermost scope.
    fn declare(
        &mut self,
        name: Name<'s>,
        kind: SymbolKind,
        declaration: Span,
        ty: Option<ScalarType>,
        count: Option<u32>,
    ) -> SymbolId {
        let id = self.symbol(kind, name.span, declaration, ty, count);
        let hidden = self.scopes.declare(name.text, count.is_some(), id);
        if let Some(symbol) = self.index.symbols.get_mut(id.0 as usize).filter(|_| count.is_some()) {
            symbol.outer = hidden;
        }
        self.occur(name, Some(id), Access::Declare);
        id
    }

    fn occur(&mut self, name: Name<'s>, symbol: Option<SymbolId>, access: Access) -> usize {
        self.index.occurrences.push(Occurrence { span: name.span, symbol, access });
        self.index.occurrences.len() - 1
    }

    fn lookup(&self, name: &str) -> Option<SymbolId> {
        self.scopes.lookup(name, &self.index.symbols).or_else(|| self.functions.get(name).copied())
    }

    /// A name; one that is not declared may be a label.
    fn use_name(&mut self, name: Name<'s>, access: Access) {
        let symbol = self.lookup(name.text);
        let occurrence = self.occur(name, symbol, access);
        if symbol.is_none() {
            self.labels.use_label(name.text, occurrence);
        }
    }

    /// A label, if there is one of this name.
    fn use_label(&mut self, name: Name<'s>) {
        let symbol = self.lookup(name.text);
        let occurrence = self.occur(name, symbol, Access::Read);
        self.labels.use_label(name.text, occurrence);
    }

    fn finish(mut self) -> Index {
        self.end_function(self.text.len() as u32);
        self.resolve_late();
        self.index.occurrences.sort_by_key(|one| one.span);
        self.index
    }

    /// Names in debug information: of the module, else labels. Its other words are no names.
    fn resolve_late(&mut self) {
        if self.late.is_empty() {
            return;
        }
        let mut labels: FxHashMap<&str, SymbolId> = FxHashMap::default();
        for (id, symbol) in self.index.symbols().filter(|(_, symbol)| symbol.kind == SymbolKind::Label) {
            labels.insert(slice(self.text, symbol.name), id);
        }
        for name in std::mem::take(&mut self.late) {
            if let Some(id) = self.lookup(name.text).or_else(|| labels.get(name.text).copied()) {
                self.occur(name, Some(id), Access::Read);
            }
        }
    }
}
