//! Function bodies: registers, labels and statements.

use ptx_isa::{Mnemonic, ScalarType};

use crate::at::{At, SpanTable};
use crate::ids::{FunctionId, LabelId, RegDeclId, RegId, VarId};
use crate::module::{DebugLocation, Param};
use crate::operand::{AddressBase, ListId, Operand, Symbol};
use crate::strings::StrId;

/// The number of elements of a vector variable or register (manual 5.4.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VectorShape {
    /// Not a vector.
    Scalar,
    /// `.v2`
    V2,
    /// `.v4`
    V4,
    /// `.v8`
    V8,
}

impl VectorShape {
    /// The number of elements.
    pub const fn lanes(self) -> u32 {
        match self {
            VectorShape::Scalar => 1,
            VectorShape::V2 => 2,
            VectorShape::V4 => 4,
            VectorShape::V8 => 8,
        }
    }
}

/// One name of a `.reg` directive (manual 5.1.1, 5.4.6): `.reg .b32 %r<100>;` declares `%r0` to `%r99`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegDecl {
    /// The name, without the number for a range.
    pub name: StrId,
    /// The type of the register or of its elements.
    pub ty: ScalarType,
    /// Its elements.
    pub shape: VectorShape,
    /// The number of registers of a range; `None` for a single register.
    pub count: Option<u32>,
    /// The name's position.
    pub at: At,
}

/// A register that is used: one of its declaration's.
///
/// Registers of a range are created when a statement first uses them, so that `%r<1000000>` takes no memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Register {
    /// Its declaration.
    pub decl: RegDeclId,
    /// The number after the name, for a range.
    pub number: u32,
}

/// The kind of statement that a label precedes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabelKind {
    /// An instruction, or the end of a scope.
    Code,
    /// A `.branchtargets` directive.
    BranchTargets,
    /// A `.calltargets` directive.
    CallTargets,
    /// A `.callprototype` directive.
    CallPrototype,
}

/// A label (manual 4.4); its scope is the enclosing pair of braces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its name.
    pub name: StrId,
    /// The kind of statement that follows it.
    pub kind: LabelKind,
    /// Its position.
    pub at: At,
}

/// An entry of a `.branchtargets` list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LabelTarget {
    /// The label.
    pub label: LabelId,
    /// Its position.
    pub at: At,
}

/// The signature of an indirect call (manual 11.3.3, `.callprototype`).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prototype {
    /// The results.
    pub results: Vec<Param>,
    /// The parameters.
    pub params: Vec<Param>,
    /// `.noreturn`.
    pub noreturn: Option<At>,
    /// `.abi_preserve n` with its position.
    pub abi_preserve: Option<(u32, At)>,
    /// `.abi_preserve_control n` with its position.
    pub abi_preserve_control: Option<(u32, At)>,
}

/// `@p` or `@!p` (manual 8.7): the instruction has no effect unless the condition is true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Guard {
    /// The predicate register.
    pub register: RegId,
    /// Whether the predicate must be false.
    pub negated: bool,
}

/// Whether offsets of zero are written after registers: `[%r1+0]`. They do not change the address, but `ptxas` allocates
/// registers in another order for them when it compiles for debugging.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ZeroOffsets {
    /// `[%r1]`.
    #[default]
    Implied,
    /// `[%r1+0]`.
    Written,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inst {
    /// The condition, if any.
    pub guard: Option<Guard>,
    /// The row of the table with its modifiers.
    pub mnemonic: Mnemonic,
    /// One operand for each operand of the row.
    pub operands: ListId,
    /// How its addresses without an offset are written.
    pub zero_offsets: ZeroOffsets,
    /// From the guard to the last operand.
    pub at: At,
}

/// A statement of a body, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// An instruction.
    Inst(Inst),
    /// `name:` before code.
    Label(LabelId),
    /// `name: .branchtargets L1, L2;` (manual 11.3.1)
    BranchTargets(LabelId, Vec<LabelTarget>),
    /// `name: .calltargets f, g;` (manual 11.3.2)
    CallTargets(LabelId, Vec<FunctionId>),
    /// `name: .callprototype (..) _ (..);` (manual 11.3.3)
    CallPrototype(LabelId, Box<Prototype>),
    /// Names of one `.reg` directive: the declarations from the first to before the second id.
    Registers(RegDeclId, RegDeclId),
    /// A variable of the body.
    Variable(VarId),
    /// `{`: names declared from here on end with the matching brace.
    ScopeStart,
    /// `}`.
    ScopeEnd,
    /// `.loc`, for the instructions after it (manual 11.5.3).
    Location(DebugLocation),
    /// `.pragma "a", "b";` (manual 11.4.11)
    Pragma(Vec<StrId>),
    /// A comment with its slashes, without the line ending.
    Comment(StrId),
    /// A comment on the line of the statement before it.
    TrailingComment(StrId),
    /// A numbered position, for use by the code that builds a body. The reader never creates one, and it is not printed.
    Mark(u32),
}

/// The contents of a function's braces.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body {
    /// The statements.
    pub statements: Vec<Stmt>,
    /// Register declarations, in order, after those of parameters in registers.
    pub reg_decls: Vec<RegDecl>,
    /// The registers that are used, in order of their first use.
    pub registers: Vec<Register>,
    /// The declarations that represent those of the module, each with its declaration in [`crate::Module::registers`], in order of their
    /// first use.
    pub module_registers: Vec<(RegDeclId, RegDeclId)>,
    /// The labels, in order of their first occurrence.
    pub labels: Vec<Label>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) operand_spans: SpanTable,
}

impl Body {
    /// The operands of a list.
    pub fn list(&self, id: ListId) -> &[Operand] {
        &self.operands[id.start as usize..(id.start + id.len) as usize]
    }

    /// The positions of the operands of a list, one for each.
    pub fn list_spans(&self, id: ListId) -> &[ptx_diag::Span] {
        &self.operand_spans.0[id.start as usize..(id.start + id.len) as usize]
    }

    /// Adds operands with their positions as one list.
    pub fn add_list(&mut self, operands: impl IntoIterator<Item = (Operand, ptx_diag::Span)>) -> ListId {
        let start = self.operands.len() as u32;
        for (operand, span) in operands {
            self.operands.push(operand);
            self.operand_spans.0.push(span);
        }
        ListId { start, len: self.operands.len() as u32 - start }
    }

    /// An instruction of the body without a position, which the caller adds to the statements. The operands are those that its text has; optional
    /// ones may be left out, as there, or be [`Operand::Omitted`]. `None` if the instruction does not have this number of operands.
    pub fn new_inst(
        &mut self,
        guard: Option<Guard>,
        mnemonic: Mnemonic,
        operands: &[Operand],
    ) -> Option<Inst> {
        let places = mnemonic.form().operands;
        let all: Vec<Operand> = if operands.len() == places.len() {
            operands.to_vec()
        } else {
            let placement = mnemonic.place_values(places, operands.len())?;
            let spread = placement.spread(places.len(), operands.iter().copied());
            // Default: an operand without a place in the text.
            spread.map(|operand| operand.unwrap_or(Operand::Omitted)).collect()
        };
        let operands = self.add_list(all.into_iter().map(|operand| (operand, ptx_diag::Span::default())));
        Some(Inst { guard, mnemonic, operands, zero_offsets: ZeroOffsets::Implied, at: At::default() })
    }

    /// The instructions, for changes that keep the operands that their rows have.
    pub fn instructions_mut(&mut self) -> impl Iterator<Item = &mut Inst> {
        self.statements.iter_mut().filter_map(|stmt| match stmt {
            Stmt::Inst(inst) => Some(inst),
            _ => None,
        })
    }

    /// The operands of all instructions and lists.
    pub fn all_operands(&self) -> &[Operand] {
        &self.operands
    }

    /// The operands of an instruction, one for each operand of its form.
    pub fn operands(&self, inst: &Inst) -> &[Operand] {
        self.list(inst.operands)
    }

    /// The positions of the operands of an instruction.
    pub fn operand_spans(&self, inst: &Inst) -> &[ptx_diag::Span] {
        self.list_spans(inst.operands)
    }

    /// The declaration of a register.
    pub fn decl(&self, register: RegId) -> &RegDecl {
        &self.reg_decls[self.registers[register.index()].decl.0 as usize]
    }

    /// The type of a register, or of its elements if it is a vector.
    pub fn reg_type(&self, register: RegId) -> ScalarType {
        self.decl(register).ty
    }

    /// A label.
    pub fn label(&self, label: LabelId) -> &Label {
        &self.labels[label.0 as usize]
    }

    /// The variables to which operands refer, in order, once for each reference.
    pub fn variables_named(&self) -> impl Iterator<Item = VarId> {
        self.operands.iter().filter_map(|operand| match operand {
            Operand::Symbol(Symbol::Variable(id), _)
            | Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), _) => Some(*id),
            _ => None,
        })
    }

    /// Replaces every variable to which an operand refers.
    pub fn map_variables(&mut self, map: impl Fn(VarId) -> VarId) {
        for operand in &mut self.operands {
            if let Operand::Symbol(Symbol::Variable(id), _)
            | Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), _) = operand
            {
                *id = map(*id);
            }
        }
    }

    /// Replaces every operand of an instruction or list.
    pub fn map_operands(&mut self, map: impl Fn(Operand) -> Operand) {
        for operand in &mut self.operands {
            *operand = map(*operand);
        }
    }

    /// Replaces every label to which an operand or statement refers.
    pub fn map_labels(&mut self, map: impl Fn(LabelId) -> LabelId) {
        for operand in &mut self.operands {
            if let Operand::Label(label) = operand {
                *label = map(*label);
            }
        }
        for stmt in &mut self.statements {
            match stmt {
                Stmt::Label(label) | Stmt::CallTargets(label, _) | Stmt::CallPrototype(label, _) => {
                    *label = map(*label);
                }
                Stmt::BranchTargets(label, targets) => {
                    *label = map(*label);
                    targets.iter_mut().for_each(|target| target.label = map(target.label));
                }
                Stmt::Inst(_)
                | Stmt::Registers(..)
                | Stmt::Variable(_)
                | Stmt::ScopeStart
                | Stmt::ScopeEnd
                | Stmt::Location(_)
                | Stmt::Pragma(_)
                | Stmt::Comment(_)
                | Stmt::TrailingComment(_)
                | Stmt::Mark(_) => {}
            }
        }
    }

    /// The instructions, each with the index of its statement.
    pub fn instructions(&self) -> impl Iterator<Item = (usize, &Inst)> {
        self.statements.iter().enumerate().filter_map(|(at, stmt)| match stmt {
            Stmt::Inst(inst) => Some((at, inst)),
            _ => None,
        })
    }

    /// Releases unused capacity.
    pub fn shrink(&mut self) {
        self.statements.shrink_to_fit();
        self.registers.shrink_to_fit();
        self.operands.shrink_to_fit();
        self.operand_spans.0.shrink_to_fit();
    }
}

/// The bytes of the next load that are used by a `.pragma` (manual 12.2): bit `n` is for byte `n`. `None` for other pragmas.
pub fn used_bytes(pragma: &str) -> Option<u32> {
    let mask = pragma.strip_prefix("used_bytes_mask")?.trim();
    match mask.strip_prefix("0x").or_else(|| mask.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => mask.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use ptx_isa::{StateSpace, ptx};

    use super::*;
    use crate::cfg::{BlockId, Cfg};
    use crate::module::{Function, FunctionKind, Item, Linkage, Module, VarType, Variable};
    use crate::operand::Immediate;

    #[test]
    fn optional_operands_of_new_instructions_may_be_left_out() {
        let mut body = Body::default();
        let one = Operand::Immediate(Immediate::integer(1));
        let address = Operand::Address(AddressBase::Absolute, 8);
        // The row has a cache policy, too.
        let inst = body.new_inst(None, ptx!("red.global.add.u64"), &[address, one]).expect("two operands");
        assert_eq!(body.operands(&inst), [address, one, Operand::Omitted]);
        assert_eq!(body.new_inst(None, ptx!("red.global.add.u64"), &[address]), None);
        assert_eq!(body.new_inst(None, ptx!("ret"), &[address]), None);
    }

    #[test]
    fn variables_are_declared_before_functions_which_are_found_by_name() {
        let mut module = Module::default();
        let [f, x] = ["f", "x"].map(|name| module.strings.intern(name));
        let function = |body| Function {
            name: f,
            kind: FunctionKind::Kernel,
            linkage: Linkage::Visible,
            results: Vec::new(),
            params: Vec::new(),
            directives: Vec::new(),
            body,
            reg_params: None,
            at: At::default(),
        };
        let ids = [None, Some(Body::default())].map(|body| module.add_function(function(body)));
        module.items.extend(ids.map(Item::Function));
        let variable = Variable::new(x, StateSpace::Global, VarType::Scalar(ScalarType::B32));
        let variable = module.declare_variable(variable);
        assert_eq!(module.items, [Item::Variable(variable), Item::Function(ids[0]), Item::Function(ids[1])]);
        assert_eq!(module.find_function("f"), Some(ids[1]));
        assert_eq!(module.find_function("x"), None);
        assert_eq!(module.kernels().count(), 1);
    }

    #[test]
    fn labels_and_declarations_are_no_instructions_of_a_block() {
        let mut body = Body::default();
        let ret = body.new_inst(None, ptx!("ret"), &[]).expect("no operands");
        body.statements = vec![Stmt::ScopeStart, Stmt::Inst(ret.clone()), Stmt::ScopeEnd];
        let cfg = Cfg::new(&body);
        assert_eq!(cfg.first_inst(&body, BlockId(0)), Some(1));
        assert_eq!(cfg.first_inst(&body, BlockId(1)), None);
    }
}
