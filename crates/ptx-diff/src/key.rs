//! What two statements must have in common to be aligned.

use ptx_ir::{
    AddressBase, Body, FunctionId, Immediate, Inst, Literal, Module, Operand, RegId, Stmt, Symbol, VarId,
    VectorShape,
};
use ptx_isa::{Component, Opcode, ScalarType, Selector, SpecialReg};
use rustc_hash::FxHashSet;

use crate::anonymous::{Anonymous, is_warp_size, single};

/// A statement without the names of what is local to the function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Key {
    /// A label.
    Label,
    /// A local variable, by its declaration without the name.
    Variable(String),
    /// A directive, as its text.
    Directive(String),
    /// An instruction: whether it has a guard that is negated, its opcode without modifiers and the kinds of its operands.
    Inst(Option<bool>, Opcode, Vec<Kind>),
}

/// An operand without the names of what is local.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Omitted,
    Sink,
    /// A register by its type, with what is done to it.
    Register(ScalarType, VectorShape, Use),
    Special(SpecialReg, Option<Component>, i64),
    /// The low 64 bits.
    Integer(u64),
    F32(u32),
    F64(u64),
    /// A constant expression, or a name such as `WARP_SZ`.
    Constant(String),
    /// A variable or function of the module, with an offset, and whether memory there is meant.
    Global(String, i64, bool),
    /// A local variable or parameter, as before.
    Local(i64, bool),
    Absolute(i64),
    /// A vector, a bracket or a list: the number of its entries, which follow.
    Several(char, usize),
    Label,
}

/// What an operand is of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Use {
    Whole,
    Element(Component),
    Selected(Selector),
    Negated(Option<Selector>),
    Sum(i64),
    Not,
    Address(i64),
}

/// What keys of a module's statements are made with.
pub(crate) struct Keys<'m> {
    module: &'m Module,
    /// The variables outside functions, whose names have a meaning.
    globals: FxHashSet<VarId>,
    anonymous: Anonymous,
}

impl<'m> Keys<'m> {
    pub(crate) fn new(module: &'m Module) -> Self {
        let globals = module.items.iter().filter_map(|item| match item {
            ptx_ir::Item::Variable(id) => Some(*id),
            _ => None,
        });
        let globals: FxHashSet<VarId> = globals.collect();
        let anonymous = Anonymous::new(module, |id| globals.contains(&id));
        Self { module, globals, anonymous }
    }

    /// Whether a variable is one outside functions.
    pub(crate) fn is_global(&self, variable: VarId) -> bool {
        self.globals.contains(&variable)
    }

    /// The module.
    pub(crate) fn module(&self) -> &'m Module {
        self.module
    }

    /// The module without names that have no meaning.
    pub(crate) fn anonymous(&self) -> &Anonymous {
        &self.anonymous
    }

    /// The key of a statement; `None` for what has no meaning of its own: declarations of registers, scopes, comments and debug information.
    pub(crate) fn of(&self, function: FunctionId, body: &Body, statement: &Stmt) -> Option<Key> {
        Some(match statement {
            Stmt::Inst(inst) => self.of_instruction(body, inst),
            Stmt::Label(_) => Key::Label,
            Stmt::Variable(id) => Key::Variable(self.anonymous.declaration(*id)),
            Stmt::BranchTargets(_, targets) => Key::Directive(format!(".branchtargets {}", targets.len())),
            Stmt::CallTargets(_, functions) => {
                let names = functions.iter().map(|id| self.module.name(self.module.function(*id).name));
                Key::Directive(format!(".calltargets {}", names.collect::<Vec<_>>().join(", ")))
            }
            Stmt::CallPrototype(..) | Stmt::Pragma(_) => {
                Key::Directive(self.anonymous.directive(function, statement))
            }
            Stmt::Registers(..)
            | Stmt::ScopeStart
            | Stmt::ScopeEnd
            | Stmt::Location(_)
            | Stmt::Comment(_)
            | Stmt::TrailingComment(_)
            | Stmt::Mark(_) => return None,
        })
    }

    fn of_instruction(&self, body: &Body, inst: &Inst) -> Key {
        let mut kinds = Vec::new();
        for (at, operand) in body.operands(inst).iter().enumerate() {
            self.add_kinds(body, *operand, inst.mnemonic.operand_type(at), &mut kinds);
        }
        Key::Inst(inst.guard.map(|guard| guard.negated), inst.mnemonic.opcode(), kinds)
    }

    /// Adds the kind of an operand, and those of its entries, which are in the arena of the body before it.
    fn add_kinds(&self, body: &Body, operand: Operand, ty: Option<ScalarType>, kinds: &mut Vec<Kind>) {
        let bits = match ty {
            Some(ty) => 8 * ty.bytes(),
            // Constants are 64 bits wide (manual 4.5.1).
            None => 64,
        };
        kinds.push(match self.kind(body, operand) {
            // The instruction uses the low bits.
            Kind::Integer(value) if bits < 64 => Kind::Integer(value & ((1 << bits) - 1)),
            // `1.0` is a double, which the instruction rounds.
            Kind::F64(value) if ty == Some(ScalarType::F32) => Kind::F32(single(value)),
            kind => kind,
        });
        if let Operand::Bracket(list) | Operand::Vector(list) | Operand::List(list) = operand {
            body.list(list).iter().for_each(|entry| self.add_kinds(body, *entry, ty, kinds));
        }
    }

    fn kind(&self, body: &Body, operand: Operand) -> Kind {
        let register = |register: RegId, used| {
            let decl = body.decl(register);
            Kind::Register(decl.ty, decl.shape, used)
        };
        match operand {
            Operand::Omitted => Kind::Omitted,
            Operand::Sink => Kind::Sink,
            Operand::Register(id) => register(id, Use::Whole),
            Operand::Element(id, component) => register(id, Use::Element(component)),
            Operand::Selected(id, selector) => register(id, Use::Selected(selector)),
            Operand::Negated(id, selector) => register(id, Use::Negated(selector)),
            Operand::Sum(id, constant) => register(id, Use::Sum(constant)),
            Operand::Not(id) => register(id, Use::Not),
            Operand::Address(AddressBase::Register(id), offset) => register(id, Use::Address(offset)),
            Operand::Special(special, component) => Kind::Special(special, component, 0),
            Operand::SpecialSum(special, constant) => Kind::Special(special, None, constant),
            Operand::Immediate(immediate) => self.constant(immediate),
            Operand::Symbol(symbol, offset) => self.symbol(symbol, offset, false),
            Operand::Address(AddressBase::Symbol(symbol), offset) => self.symbol(symbol, offset, true),
            Operand::Address(AddressBase::Absolute, offset) => Kind::Absolute(offset),
            Operand::Bracket(list) => Kind::Several('[', list.len()),
            Operand::Vector(list) => Kind::Several('{', list.len()),
            Operand::List(list) => Kind::Several('(', list.len()),
            Operand::Label(_) => Kind::Label,
        }
    }

    fn constant(&self, immediate: Immediate) -> Kind {
        match immediate {
            // Its name is what the program means by it.
            Immediate::S64(_, literal @ Literal::Text(text))
            | Immediate::U64(_, literal @ Literal::Text(text))
                if is_warp_size(self.module, literal) =>
            {
                Kind::Constant(self.module.name(text).to_owned())
            }
            Immediate::S64(value, _) => Kind::Integer(value as u64),
            Immediate::U64(value, _) => Kind::Integer(value),
            Immediate::F32(bits, _) => Kind::F32(bits),
            Immediate::F64(bits, _) => Kind::F64(bits),
        }
    }

    fn symbol(&self, symbol: Symbol, offset: i64, is_memory: bool) -> Kind {
        match symbol {
            Symbol::Variable(id) if !self.is_global(id) => Kind::Local(offset, is_memory),
            Symbol::Variable(id) => {
                Kind::Global(self.module.name(self.module.variable(id).name).to_owned(), offset, is_memory)
            }
            Symbol::Function(id) => {
                Kind::Global(self.module.name(self.module.function(id).name).to_owned(), offset, is_memory)
            }
        }
    }
}
