//! Expressions (DWARF 2, 2.4), and how cuda-gdb knows registers and state spaces in them.

use gimli::DwOp;
use gimli::constants as dw;
use ptx_ir::RegId;
use ptx_isa::StateSpace;
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{DebugField, DebugNode};

use crate::entry::{ExpressionPart, sleb, uleb};

/// A part of an expression while registers are not settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A byte.
    Byte(u8),
    /// The address of a variable or parameter.
    Symbol(String),
    /// What a register holds.
    Register(RegId),
    /// An address: what a register holds, and bytes after it.
    Based(RegId, i64),
}

impl Step {
    /// The register that it names.
    pub const fn register(&self) -> Option<RegId> {
        match self {
            Step::Register(register) | Step::Based(register, _) => Some(*register),
            Step::Byte(_) | Step::Symbol(_) => None,
        }
    }
}

/// An operation with numbers after it.
pub fn operation(op: DwOp, numbers: &[u8]) -> Vec<Step> {
    std::iter::once(op.0).chain(numbers.iter().copied()).map(Step::Byte).collect()
}

/// The parts of an expression, `name` telling what registers are called.
pub fn parts(steps: &[Step], name: &dyn Fn(RegId) -> String) -> Vec<ExpressionPart> {
    let mut parts = Vec::new();
    let bytes = |parts: &mut Vec<ExpressionPart>, bytes: Vec<u8>| {
        parts.extend(bytes.into_iter().map(ExpressionPart::Byte));
    };
    for step in steps {
        match step {
            Step::Byte(byte) => parts.push(ExpressionPart::Byte(*byte)),
            Step::Symbol(symbol) => {
                parts.push(ExpressionPart::Byte(dw::DW_OP_addr.0));
                parts.push(ExpressionPart::Address(symbol.clone()));
            }
            Step::Register(register) => {
                parts.push(ExpressionPart::Byte(dw::DW_OP_regx.0));
                bytes(&mut parts, uleb(register_number(&name(*register))));
            }
            Step::Based(register, offset) => {
                parts.push(ExpressionPart::Byte(dw::DW_OP_bregx.0));
                bytes(&mut parts, uleb(register_number(&name(*register))));
                bytes(&mut parts, sleb(*offset));
            }
        }
    }
    parts
}

/// The number by which cuda-gdb knows a register of PTX: the characters of its name, the last one in the lowest byte.
fn register_number(name: &str) -> u64 {
    name.bytes().fold(0, |number, byte| number << 8 | u64::from(byte))
}

/// NVIDIA's `DW_AT_address_class` of what lies in a register.
pub const IN_REGISTER: u64 = 2;
/// The same of a generic address.
pub const GENERIC: u64 = 12;

/// NVIDIA's `DW_AT_address_class` of a state space.
pub const fn address_class(space: StateSpace) -> u64 {
    match space {
        StateSpace::Reg => IN_REGISTER,
        StateSpace::SpecialReg => 3,
        StateSpace::Const => 4,
        StateSpace::Global => 5,
        StateSpace::Local => 6,
        StateSpace::Param | StateSpace::ParamEntry | StateSpace::ParamFunc => 7,
        StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster => 8,
        StateSpace::Tex => 10,
    }
}

/// The same of one of LLVM's address spaces.
pub const fn pointer_class(space: u32) -> u64 {
    match space {
        address_space::GLOBAL => 5,
        address_space::SHARED => 8,
        address_space::CONST => 4,
        address_space::LOCAL => 6,
        address_space::PARAM => 7,
        _ => GENERIC,
    }
}

/// A `DIExpression`, taken apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expression {
    /// Operations on the value or address.
    pub steps: Vec<Step>,
    /// The class of the address, where the expression says it by `DW_OP_xderef`.
    pub class: Option<u64>,
    /// The bits of the variable that are meant: the first, and how many.
    pub fragment: Option<(u64, u64)>,
    /// Whether the steps leave the variable's value instead of its address.
    pub is_value: bool,
    /// The constant, where the expression is nothing else.
    pub constant: Option<i128>,
}

impl Expression {
    /// `None` where LLVM's operations have no counterpart in DWARF.
    pub fn of(node: &DebugNode) -> Option<Self> {
        let mut found = Self::default();
        let mut fields: Vec<&DebugField> = node.fields.iter().map(|(_, value)| value).collect();
        // LLVM says a state space by `DW_OP_constu n, DW_OP_swap, DW_OP_xderef` at the end (NVPTX usage).
        if let [
            head @ ..,
            DebugField::Word(constant),
            DebugField::Integer(class),
            DebugField::Word(swap),
            DebugField::Word(xderef),
        ] = fields.as_slice()
            && (constant.as_str(), swap.as_str(), xderef.as_str())
                == ("DW_OP_constu", "DW_OP_swap", "DW_OP_xderef")
        {
            found.class = u64::try_from(*class).ok();
            fields = head.to_vec();
        }
        let mut left = fields.into_iter();
        let number = |left: &mut dyn Iterator<Item = &DebugField>| match left.next() {
            Some(DebugField::Integer(value)) => Some(*value),
            Some(_) | None => None,
        };
        while let Some(field) = left.next() {
            let DebugField::Word(word) = field else { return None };
            match word.as_str() {
                "DW_OP_LLVM_fragment" => {
                    let first = u64::try_from(number(&mut left)?).ok()?;
                    found.fragment = Some((first, u64::try_from(number(&mut left)?).ok()?));
                }
                "DW_OP_stack_value" => found.is_value = true,
                "DW_OP_constu" | "DW_OP_consts" => {
                    let value = number(&mut left)?;
                    found.constant = found.steps.is_empty().then_some(value);
                    if word == "DW_OP_constu" {
                        found.steps.extend(operation(dw::DW_OP_constu, &uleb(u64::try_from(value).ok()?)));
                    } else {
                        found.steps.extend(operation(dw::DW_OP_consts, &sleb(i64::try_from(value).ok()?)));
                    }
                    continue;
                }
                "DW_OP_plus_uconst" => {
                    let value = u64::try_from(number(&mut left)?).ok()?;
                    found.steps.extend(operation(dw::DW_OP_plus_uconst, &uleb(value)));
                }
                "DW_OP_deref_size" => {
                    let value = u8::try_from(number(&mut left)?).ok()?;
                    found.steps.extend(operation(dw::DW_OP_deref_size, &[value]));
                }
                word => found.steps.extend(operation(plain(word)?, &[])),
            }
            if word != "DW_OP_stack_value" && word != "DW_OP_LLVM_fragment" {
                found.constant = None;
            }
        }
        if !found.is_value {
            found.constant = None;
        }
        Some(found)
    }
}

/// The operation of that name, of those without operands.
fn plain(word: &str) -> Option<DwOp> {
    const PLAIN: &[DwOp] = &[
        dw::DW_OP_deref,
        dw::DW_OP_dup,
        dw::DW_OP_drop,
        dw::DW_OP_over,
        dw::DW_OP_swap,
        dw::DW_OP_rot,
        dw::DW_OP_xderef,
        dw::DW_OP_abs,
        dw::DW_OP_and,
        dw::DW_OP_div,
        dw::DW_OP_minus,
        dw::DW_OP_mod,
        dw::DW_OP_mul,
        dw::DW_OP_neg,
        dw::DW_OP_not,
        dw::DW_OP_or,
        dw::DW_OP_plus,
        dw::DW_OP_shl,
        dw::DW_OP_shr,
        dw::DW_OP_shra,
        dw::DW_OP_xor,
        dw::DW_OP_eq,
        dw::DW_OP_ge,
        dw::DW_OP_gt,
        dw::DW_OP_le,
        dw::DW_OP_lt,
        dw::DW_OP_ne,
    ];
    PLAIN.iter().copied().find(|op| op.static_string() == Some(word))
}

/// `DW_OP_piece` of that many bytes.
pub fn op_piece(bytes: u64) -> Vec<Step> {
    operation(dw::DW_OP_piece, &uleb(bytes))
}

/// `DW_OP_stack_value`: what is there is the value and not its address.
pub fn op_value() -> Vec<Step> {
    operation(dw::DW_OP_stack_value, &[])
}

/// `DW_OP_plus_uconst`.
pub fn op_plus(bytes: u64) -> Vec<Step> {
    operation(dw::DW_OP_plus_uconst, &uleb(bytes))
}

/// `DW_OP_constu`.
pub fn op_constant(value: u64) -> Vec<Step> {
    operation(dw::DW_OP_constu, &uleb(value))
}
