//! Copies the contents of one module into another.

use std::ops::Range;

use ptx_diag::Span;

use crate::at::{At, SpanTable};
use crate::body::{Body, Prototype, RegDecl, Stmt};
use crate::ids::{FunctionId, RegDeclId, VarId};
use crate::module::{
    Alias, DebugFile, DebugLocation, FieldValue, Function, FunctionDirective, Initializer, InlinedAt, Item,
    Module, Param, Section, SectionLine, TargetSpec, Variable,
};
use crate::operand::{AddressBase, Immediate, Literal, Operand, Symbol};
use crate::strings::{StrId, Strings};

/// The result of [`Module::import`].
#[derive(Clone, Debug)]
pub struct Imported {
    /// The items of the imported module, in order, with IDs of the importing module. They are not among its items yet.
    pub items: Vec<Item>,
    /// The new IDs of its variables, in order.
    pub variables: Range<u32>,
    /// The new IDs of its functions, in order.
    pub functions: Range<u32>,
}

impl Module {
    /// Copies the names, variables and functions of `other`; `shift` is added to positions. The items are returned, because the caller
    /// decides which of them are added and where.
    pub fn import(&mut self, other: &Module, shift: u32) -> Imported {
        let mut import = Import {
            from: &other.strings,
            to: &mut self.strings,
            variables: self.variables.len() as u32,
            functions: self.functions.len() as u32,
            registers: self.registers.len() as u32,
            shift,
        };
        let variables: Vec<Variable> = other.variables.iter().map(|v| import.variable(v)).collect();
        let functions: Vec<Function> = other.functions.iter().map(|f| import.function(f)).collect();
        let registers: Vec<RegDecl> = other.registers.iter().map(|decl| import.register(decl)).collect();
        let items = other.items.iter().map(|item| import.item(item)).collect();
        let (first_variable, first_function) = (import.variables, import.functions);
        self.variables.extend(variables);
        self.functions.extend(functions);
        self.registers.extend(registers);
        Imported {
            items,
            variables: first_variable..self.variables.len() as u32,
            functions: first_function..self.functions.len() as u32,
        }
    }
}

struct Import<'a> {
    from: &'a Strings,
    to: &'a mut Strings,
    variables: u32,
    functions: u32,
    registers: u32,
    shift: u32,
}

impl Import<'_> {
    fn name(&mut self, id: StrId) -> StrId {
        self.to.transfer(self.from, id)
    }

    fn names(&mut self, ids: &[StrId]) -> Vec<StrId> {
        ids.iter().map(|id| self.name(*id)).collect()
    }

    fn span(&self, span: Span) -> Span {
        Span::new(span.lo.saturating_add(self.shift), span.hi.saturating_add(self.shift))
    }

    fn at(&self, at: At) -> At {
        At(self.span(at.0))
    }

    fn var(&self, id: VarId) -> VarId {
        VarId(id.0 + self.variables)
    }

    fn func(&self, id: FunctionId) -> FunctionId {
        FunctionId(id.0 + self.functions)
    }

    fn symbol(&self, symbol: Symbol) -> Symbol {
        match symbol {
            Symbol::Variable(id) => Symbol::Variable(self.var(id)),
            Symbol::Function(id) => Symbol::Function(self.func(id)),
        }
    }

    fn immediate(&mut self, immediate: Immediate) -> Immediate {
        let mut literal = |literal| match literal {
            Literal::Text(text) => Literal::Text(self.name(text)),
            Literal::Plain | Literal::Hex => literal,
        };
        match immediate {
            Immediate::S64(value, form) => Immediate::S64(value, literal(form)),
            Immediate::U64(value, form) => Immediate::U64(value, literal(form)),
            Immediate::F32(bits, form) => Immediate::F32(bits, literal(form)),
            Immediate::F64(bits, form) => Immediate::F64(bits, literal(form)),
        }
    }

    /// Initial values are nested as deep as the dimensions of their variable, which the reader limits.
    fn initializer(&mut self, initializer: &Initializer) -> Initializer {
        match initializer {
            Initializer::Fields(fields) => {
                let fields = fields.iter().map(|(name, value)| {
                    let value = match value {
                        FieldValue::Number(number) => FieldValue::Number(self.immediate(*number)),
                        FieldValue::Name(word) => FieldValue::Name(self.name(*word)),
                    };
                    (self.name(*name), value)
                });
                Initializer::Fields(fields.collect())
            }
            Initializer::List(values) => {
                Initializer::List(values.iter().map(|value| self.initializer(value)).collect())
            }
            Initializer::Integers(values) => Initializer::Integers(values.clone()),
            Initializer::Value(value) => Initializer::Value(self.immediate(*value)),
            Initializer::Address { symbol, offset, generic } => {
                Initializer::Address { symbol: self.symbol(*symbol), offset: *offset, generic: *generic }
            }
            Initializer::Masked { mask, symbol, offset, generic } => Initializer::Masked {
                mask: *mask,
                symbol: self.symbol(*symbol),
                offset: *offset,
                generic: *generic,
            },
        }
    }

    fn variable(&mut self, variable: &Variable) -> Variable {
        Variable {
            name: self.name(variable.name),
            init: variable.init.as_ref().map(|init| self.initializer(init)),
            at: self.at(variable.at),
            ..variable.clone()
        }
    }

    fn params(&self, params: &[Param]) -> Vec<Param> {
        let moved = params.iter().map(|param| match param {
            Param::Variable(id) => Param::Variable(self.var(*id)),
            Param::Register(..) => *param,
        });
        moved.collect()
    }

    fn function(&mut self, function: &Function) -> Function {
        let directives = function.directives.iter().map(|(directive, at)| {
            let directive = match directive {
                FunctionDirective::Pragma(texts) => FunctionDirective::Pragma(self.names(texts)),
                other => other.clone(),
            };
            (directive, self.at(*at))
        });
        let directives = directives.collect();
        Function {
            name: self.name(function.name),
            kind: function.kind,
            linkage: function.linkage,
            results: self.params(&function.results),
            params: self.params(&function.params),
            directives,
            body: function.body.as_ref().map(|body| self.body(body)),
            reg_params: function.reg_params.as_ref().map(|body| Box::new(self.body(body))),
            at: self.at(function.at),
        }
    }

    fn register(&mut self, decl: &RegDecl) -> RegDecl {
        RegDecl { name: self.name(decl.name), at: self.at(decl.at), ..decl.clone() }
    }

    /// A declaration of a register outside of functions.
    fn outer(&self, id: RegDeclId) -> RegDeclId {
        RegDeclId(id.0 + self.registers)
    }

    fn body(&mut self, body: &Body) -> Body {
        let statements = body.statements.iter().map(|statement| self.statement(statement)).collect();
        let operands = body.operands.iter().map(|operand| self.operand(*operand)).collect();
        let reg_decls = body.reg_decls.iter().map(|decl| self.register(decl)).collect();
        let module_registers = body.module_registers.iter().map(|(own, there)| (*own, self.outer(*there)));
        let module_registers = module_registers.collect();
        let labels = body.labels.iter().cloned().map(|mut label| {
            label.name = self.name(label.name);
            label.at = self.at(label.at);
            label
        });
        Body {
            statements,
            reg_decls,
            registers: body.registers.clone(),
            module_registers,
            labels: labels.collect(),
            operands,
            operand_spans: SpanTable(body.operand_spans.0.iter().map(|span| self.span(*span)).collect()),
        }
    }

    fn operand(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Immediate(immediate) => Operand::Immediate(self.immediate(immediate)),
            Operand::Symbol(symbol, offset) => Operand::Symbol(self.symbol(symbol), offset),
            Operand::Address(AddressBase::Symbol(symbol), offset) => {
                Operand::Address(AddressBase::Symbol(self.symbol(symbol)), offset)
            }
            Operand::Address(AddressBase::Register(_) | AddressBase::Absolute, _)
            | Operand::Omitted
            | Operand::Sink
            | Operand::Register(_)
            | Operand::Element(..)
            | Operand::Selected(..)
            | Operand::Negated(..)
            | Operand::Sum(..)
            | Operand::SpecialSum(..)
            | Operand::Not(_)
            | Operand::Special(..)
            | Operand::Bracket(_)
            | Operand::Vector(_)
            | Operand::List(_)
            | Operand::Label(_) => operand,
        }
    }

    fn statement(&mut self, statement: &Stmt) -> Stmt {
        match statement {
            Stmt::Inst(inst) => {
                let mut inst = inst.clone();
                inst.at = self.at(inst.at);
                Stmt::Inst(inst)
            }
            Stmt::BranchTargets(label, targets) => {
                let targets = targets.iter().cloned().map(|mut target| {
                    target.at = self.at(target.at);
                    target
                });
                Stmt::BranchTargets(*label, targets.collect())
            }
            Stmt::CallTargets(label, functions) => {
                Stmt::CallTargets(*label, functions.iter().map(|id| self.func(*id)).collect())
            }
            Stmt::CallPrototype(label, prototype) => {
                let prototype = Prototype {
                    results: self.params(&prototype.results),
                    params: self.params(&prototype.params),
                    noreturn: prototype.noreturn.map(|at| self.at(at)),
                    abi_preserve: prototype.abi_preserve.map(|(n, at)| (n, self.at(at))),
                    abi_preserve_control: prototype.abi_preserve_control.map(|(n, at)| (n, self.at(at))),
                };
                Stmt::CallPrototype(*label, Box::new(prototype))
            }
            Stmt::Variable(id) => Stmt::Variable(self.var(*id)),
            Stmt::Location(location) => Stmt::Location(self.location(location)),
            Stmt::Pragma(texts) => Stmt::Pragma(self.names(texts)),
            Stmt::Comment(text) => Stmt::Comment(self.name(*text)),
            Stmt::TrailingComment(text) => Stmt::TrailingComment(self.name(*text)),
            Stmt::Label(_) | Stmt::Registers(..) | Stmt::ScopeStart | Stmt::ScopeEnd | Stmt::Mark(_) => {
                statement.clone()
            }
        }
    }

    fn location(&mut self, location: &DebugLocation) -> DebugLocation {
        let inlined = location
            .inlined
            .as_deref()
            .map(|inlined| Box::new(InlinedAt { name: self.name(inlined.name), ..inlined.clone() }));
        DebugLocation { inlined, at: self.at(location.at), ..location.clone() }
    }

    fn item(&mut self, item: &Item) -> Item {
        match item {
            Item::Version(version, at) => Item::Version(*version, self.at(*at)),
            Item::Target(target, at) => {
                let target = TargetSpec { sm: target.sm, names: self.names(&target.names) };
                Item::Target(target, self.at(*at))
            }
            Item::AddressSize(bits, at) => Item::AddressSize(*bits, self.at(*at)),
            Item::Variable(id) => Item::Variable(self.var(*id)),
            Item::Registers(first, end, linkage) => {
                Item::Registers(self.outer(*first), self.outer(*end), *linkage)
            }
            Item::Function(id) => Item::Function(self.func(*id)),
            Item::File(file, at) => {
                Item::File(DebugFile { name: self.name(file.name), ..file.clone() }, self.at(*at))
            }
            Item::Section(section) => {
                let lines = section.lines.iter().map(|line| SectionLine { text: self.name(line.text) });
                let lines = lines.collect();
                Item::Section(Section { name: self.name(section.name), lines, at: self.at(section.at) })
            }
            Item::Location(location) => Item::Location(self.location(location)),
            Item::Pragma(texts, at) => Item::Pragma(self.names(texts), self.at(*at)),
            Item::Alias(alias, at) => {
                let alias = Alias { name: self.func(alias.name), target: self.func(alias.target) };
                Item::Alias(alias, self.at(*at))
            }
            Item::DwarfLine(text) => Item::DwarfLine(self.name(*text)),
            Item::Comment(text) => Item::Comment(self.name(*text)),
            Item::TrailingComment(text) => Item::TrailingComment(self.name(*text)),
        }
    }
}
