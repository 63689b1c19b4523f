//! Statements and operands.

use ptx_isa::Role;

use super::Printer;
use crate::body::{Body, Inst, Prototype, RegDecl, Stmt, ZeroOffsets};
use crate::ids::RegId;
use crate::operand::{AddressBase, ListId, Operand};

impl Printer<'_> {
    pub(super) fn body(&mut self, body: &Body) {
        for stmt in &body.statements {
            self.statement(body, stmt);
        }
    }

    pub(super) fn statement(&mut self, body: &Body, stmt: &Stmt) {
        match stmt {
            Stmt::Inst(inst) => self.instruction(body, inst),
            Stmt::Label(label) => {
                self.gap();
                self.name(body.label(*label).name);
                self.text(":\n");
            }
            Stmt::BranchTargets(label, targets) => {
                self.name(body.label(*label).name);
                self.text(": .branchtargets ");
                self.separated(targets, |printer, target| printer.name(body.label(target.label).name));
                self.text(";\n");
            }
            Stmt::CallTargets(label, functions) => {
                self.name(body.label(*label).name);
                self.text(": .calltargets ");
                self.separated(functions, |printer, &id| printer.name(printer.module.function(id).name));
                self.text(";\n");
            }
            Stmt::CallPrototype(label, prototype) => {
                self.name(body.label(*label).name);
                self.prototype(body, prototype);
            }
            Stmt::Registers(first, end) => {
                self.registers("\t", &body.reg_decls[first.0 as usize..end.0 as usize]);
            }
            Stmt::Variable(id) => {
                self.text("\t");
                self.variable(self.module.variable(*id));
                self.text(";\n");
            }
            Stmt::ScopeStart => self.text("\t{\n"),
            Stmt::ScopeEnd => self.text("\t}\n"),
            Stmt::Location(location) => self.location(location),
            Stmt::Pragma(texts) => {
                self.text("\t");
                self.pragma(texts);
                self.text("\n");
            }
            Stmt::Comment(text) => {
                self.text("\t");
                self.name(*text);
                self.text("\n");
            }
            Stmt::TrailingComment(text) => self.trailing_comment(*text),
            Stmt::Mark(_) => {}
        }
    }

    /// The names of one `.reg` directive; empty if there are none.
    pub(super) fn registers(&mut self, indent: &str, decls: &[RegDecl]) {
        let Some(first) = decls.first() else { return };
        self.text(indent);
        self.text(".reg ");
        self.shape(first.shape);
        self.text(".");
        self.text(first.ty.as_str());
        self.text(" \t");
        self.separated(decls, |printer, decl| printer.declared_name(decl));
        self.text(";\n");
    }

    /// The name of a declaration of registers, with the number of registers of a range.
    pub(super) fn declared_name(&mut self, decl: &RegDecl) {
        self.name(decl.name);
        if let Some(count) = decl.count {
            self.text("<");
            self.number(count);
            self.text(">");
        }
    }

    fn prototype(&mut self, body: &Body, prototype: &Prototype) {
        self.text(": .callprototype ");
        if !prototype.results.is_empty() {
            self.text("(");
            self.separated(&prototype.results, |printer, param| printer.param(Some(body), *param));
            self.text(") ");
        }
        self.text("_ (");
        self.separated(&prototype.params, |printer, param| printer.param(Some(body), *param));
        self.text(")");
        if prototype.noreturn.is_some() {
            self.text(" .noreturn");
        }
        if let Some((count, _)) = prototype.abi_preserve {
            self.rare(format_args!(" .abi_preserve {count}"));
        }
        if let Some((count, _)) = prototype.abi_preserve_control {
            self.rare(format_args!(" .abi_preserve_control {count}"));
        }
        self.text(";\n");
    }

    pub(super) fn instruction(&mut self, body: &Body, inst: &Inst) {
        self.text("\t");
        if let Some(guard) = inst.guard {
            self.text(if guard.negated { "@!" } else { "@" });
            self.register(body, guard.register);
            self.text(" ");
        }
        self.text(inst.mnemonic.opcode().as_str());
        for modifier in inst.mnemonic.modifiers() {
            self.text(".");
            self.text(modifier.as_str());
            // One modifier of two words.
            if modifier == ptx_isa::Mod::XorsignAbs {
                self.text(".abs");
            }
        }
        let mut separator = " \t";
        for (place, operand) in inst.mnemonic.form().operands.iter().zip(body.operands(inst)) {
            if operand.is_omitted() {
                continue;
            }
            self.text(if place.role == Role::DefPair { "|" } else { separator });
            self.placed_operand(body, *operand, inst.zero_offsets);
            separator = ", ";
        }
        self.text(";\n");
    }

    /// An operand of an instruction.
    pub(super) fn placed_operand(&mut self, body: &Body, operand: Operand, zero_offsets: ZeroOffsets) {
        match (operand, zero_offsets) {
            (Operand::Address(base @ AddressBase::Register(_), 0), ZeroOffsets::Written) => {
                self.address(body, base, "+0", 0);
            }
            (operand, _) => self.operand(body, operand),
        }
    }

    fn register(&mut self, body: &Body, register: RegId) {
        let decl = body.decl(register);
        self.name(decl.name);
        if decl.count.is_some() {
            self.number(body.registers[register.index()].number);
        }
    }

    fn operand(&mut self, body: &Body, operand: Operand) {
        match operand {
            Operand::Omitted => {}
            Operand::Sink => self.text("_"),
            Operand::Register(register) => self.register(body, register),
            Operand::Element(register, component) => {
                self.register(body, register);
                self.text(".");
                self.text(component.as_str());
            }
            Operand::Selected(register, selector) => {
                self.register(body, register);
                self.rare(format_args!(".{selector}"));
            }
            Operand::Negated(register, selector) => {
                self.text("-");
                self.register(body, register);
                if let Some(selector) = selector {
                    self.rare(format_args!(".{selector}"));
                }
            }
            Operand::Sum(register, constant) => {
                self.register(body, register);
                self.rare(format_args!("+{constant}"));
            }
            Operand::SpecialSum(special, constant) => self.rare(format_args!("{special}+{constant}")),
            Operand::Not(register) => {
                self.text("!");
                self.register(body, register);
            }
            Operand::Special(register, component) => {
                self.rare(format_args!("{register}"));
                if let Some(component) = component {
                    self.text(".");
                    self.text(component.as_str());
                }
            }
            Operand::Immediate(immediate) => self.immediate(immediate),
            Operand::Symbol(symbol, offset) => {
                self.symbol(symbol);
                self.offset(offset);
            }
            Operand::Address(base, offset) => self.address(body, base, "", offset),
            Operand::Bracket(list) => {
                self.text("[");
                self.list(body, list);
                self.text("]");
            }
            Operand::Vector(list) => {
                self.text("{");
                self.list(body, list);
                self.text("}");
            }
            Operand::List(list) => {
                self.text("(");
                self.list(body, list);
                self.text(")");
            }
            Operand::Label(label) => self.name(body.label(label).name),
        }
    }

    /// Lists are nested at most once, as a vector in brackets; other nested lists are printed as text that the reader
    /// rejects. The recursion is bounded by the arena, whose lists only refer to earlier entries.
    fn list(&mut self, body: &Body, list: ListId) {
        let operands = body.list(list);
        self.separated(operands, |printer, operand| printer.operand(body, *operand));
    }

    /// `zero` is the text of an offset of zero after a base.
    fn address(&mut self, body: &Body, base: AddressBase, zero: &str, offset: i64) {
        self.text("[");
        match base {
            AddressBase::Register(register) => self.register(body, register),
            AddressBase::Symbol(symbol) => self.symbol(symbol),
            AddressBase::Absolute => {}
        }
        match base {
            AddressBase::Absolute => self.number(offset),
            AddressBase::Register(_) | AddressBase::Symbol(_) if offset == 0 => self.text(zero),
            AddressBase::Register(_) | AddressBase::Symbol(_) => self.offset(offset),
        }
        self.text("]");
    }
}
