//! Programs as trees: what is printed as PTX, evaluated and made smaller.

use std::fmt;

/// Index of a register of a function.
pub(super) type Register = usize;
/// Index of a vector register of a function.
pub(super) type VectorId = usize;
/// Index of a variable of the module, parameters and locals of functions among them.
pub(super) type VariableId = usize;
/// Index of a function of the module.
pub(super) type FunctionId = usize;

/// A fundamental type: a letter and a width in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub(super) letter: char,
    pub(super) bits: u32,
}

impl Type {
    pub(super) const fn b(bits: u32) -> Self {
        Self { letter: 'b', bits }
    }

    pub(super) const fn u(bits: u32) -> Self {
        Self { letter: 'u', bits }
    }

    pub(super) const fn bytes(self) -> u32 {
        self.bits / 8
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.letter, self.bits)
    }
}

/// A state space.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Space {
    Global,
    Shared,
    /// Shared memory of the blocks of a cluster.
    Cluster,
    Local,
    Const,
    /// Parameters of device functions, and arguments and results of calls.
    Param,
}

impl Space {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Cluster => "shared::cluster",
            Space::Local => "local",
            Space::Const => "const",
            Space::Param => "param",
        }
    }
}

/// A scalar operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    Register(Register),
    Immediate(u64),
}

/// One or several operands of an access, a move or an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Lanes {
    One(Operand),
    Braces(Vec<Operand>),
    Vector(VectorId),
}

/// What an address begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Variable(VariableId),
    Register(Register),
}

/// `[base+offset]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Address {
    pub(super) base: Base,
    pub(super) offset: i64,
}

/// An argument of a call, or where a result goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    /// A `.param` variable.
    Variable(VariableId),
    /// Registers or an immediate.
    Lanes(Lanes),
}

/// How a call names what it calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Direct(FunctionId),
    /// An address in a register, and a function with the prototype.
    Prototype(Register, FunctionId),
    /// An address in a register, and functions that it may be.
    Table(Register, FunctionId, FunctionId),
}

/// A parameter or result of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parameter {
    Variable(VariableId),
    Register(Register),
    Vector(VectorId),
}

/// An instruction or a compound of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Statement {
    /// The predicate, and whether it is negated.
    pub(super) guard: Option<(Register, bool)>,
    pub(super) what: What,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// An integer operation, by its mnemonic without type.
    Compute {
        operation: &'static str,
        ty: Type,
        to: Register,
        arguments: Vec<Operand>,
    },
    /// `setp`.
    Compare {
        comparison: &'static str,
        ty: Type,
        to: Register,
        arguments: [Operand; 2],
    },
    /// `selp`.
    Select {
        ty: Type,
        to: Register,
        arguments: [Operand; 2],
        predicate: Register,
    },
    /// `cvt`.
    Convert {
        to_type: Type,
        from_type: Type,
        to: Register,
        from: Register,
    },
    /// `mov` of several parts to one register, or of one register to several.
    Pack {
        ty: Type,
        to: Register,
        from: Lanes,
    },
    Unpack {
        ty: Type,
        to: Lanes,
        from: Register,
    },
    /// `mov.v4`: element by element.
    CopyVector {
        element: Type,
        to: Lanes,
        from: Lanes,
    },
    AddressOf {
        ty: Type,
        to: Register,
        variable: VariableId,
        offset: i64,
    },
    /// `mov` of a special register.
    Identify {
        to: Register,
        what: Identity,
    },
    FunctionAddress {
        to: Register,
        function: FunctionId,
    },
    /// `mapa` of a shared address to the block of rank 0, which is the only one.
    MapAddress {
        to: Register,
        from: Register,
    },
    /// `cvta`, or `cvta.to` when `back`.
    ConvertAddress {
        space: Space,
        back: bool,
        to: Register,
        from: Register,
    },
    Load {
        qualifier: &'static str,
        space: Option<Space>,
        ty: Type,
        to: Lanes,
        at: Address,
    },
    Store {
        qualifier: &'static str,
        space: Option<Space>,
        ty: Type,
        from: Lanes,
        at: Address,
    },
    /// `atom`, or `red` without a result.
    Atomic {
        operation: &'static str,
        space: Option<Space>,
        ty: Type,
        to: Option<Register>,
        at: Address,
        arguments: Vec<Operand>,
    },
    /// `cp.async` from global to shared memory, whose wait follows.
    AsyncCopy {
        bytes: u32,
        to: Address,
        from: Address,
    },
    /// `cp.async.bulk` from global to shared memory with a barrier (a variable), what it needs before and the wait.
    BulkCopy {
        bytes: u32,
        to: Address,
        from: Address,
        barrier: VariableId,
        state: Register,
        predicate: Register,
    },
    /// `cp.async.bulk` from shared to global memory, and the wait.
    BulkStore {
        bytes: u32,
        to: Address,
        from: Address,
    },
    /// An instruction without effect on what one thread sees: fences, waits, barriers.
    Plain(&'static str),
    Exit,
    Trap,
    Return,
    If {
        predicate: Register,
        negated: bool,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// Executes the body at least once and as long as the counter, from 0, is less than the limit.
    Loop {
        counter: Register,
        predicate: Register,
        limit: Operand,
        body: Vec<Statement>,
    },
    /// `brx.idx`.
    Switch {
        index: Register,
        arms: Vec<Vec<Statement>>,
    },
    Scope(Scope),
    Call {
        target: Target,
        arguments: Vec<Argument>,
        results: Vec<Argument>,
        uniform: bool,
    },
}

impl What {
    /// The statements within.
    pub(super) fn bodies(&self) -> Vec<&Vec<Statement>> {
        match self {
            What::If { then, otherwise, .. } => vec![then, otherwise],
            What::Loop { body, .. } => vec![body],
            What::Switch { arms, .. } => arms.iter().collect(),
            What::Scope(scope) => vec![&scope.body],
            _ => Vec::new(),
        }
    }

    /// The statements within, to change.
    pub(super) fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            What::If { then, otherwise, .. } => vec![then, otherwise],
            What::Loop { body, .. } => vec![body],
            What::Switch { arms, .. } => arms.iter_mut().collect(),
            What::Scope(scope) => vec![&mut scope.body],
            _ => Vec::new(),
        }
    }
}

/// Declarations and the statements that they hold for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Scope {
    pub(super) registers: Vec<Register>,
    pub(super) vectors: Vec<VectorId>,
    pub(super) variables: Vec<VariableId>,
    pub(super) body: Vec<Statement>,
}

/// A register, or one element of a vector register (whose name then holds a point).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RegisterInfo {
    pub(super) name: String,
    /// 1 for a predicate.
    pub(super) bits: u32,
}

/// A vector register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct VectorInfo {
    pub(super) name: String,
    pub(super) element: Type,
    pub(super) lanes: Vec<Register>,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) space: Space,
    pub(super) align: u32,
    /// The type of an element.
    pub(super) element: Type,
    /// Elements; 0 for a scalar, nothing for an array without a size.
    pub(super) count: Option<u32>,
    /// The bytes that it starts with.
    pub(super) initial: Option<Vec<u8>>,
}

impl Variable {
    /// Its bytes, where they are declared.
    pub(super) fn bytes(&self) -> Option<u32> {
        self.count.map(|count| self.element.bytes() * count.max(1))
    }
}

/// A device function or, as the last of a module, the kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) kernel: bool,
    pub(super) registers: Vec<RegisterInfo>,
    pub(super) vectors: Vec<VectorInfo>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) results: Vec<Parameter>,
    pub(super) scope: Scope,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Module {
    pub(super) variables: Vec<Variable>,
    /// Those at module scope.
    pub(super) statics: Vec<VariableId>,
    pub(super) functions: Vec<Function>,
}

/// The value of a special register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Identity {
    Thread,
    Block,
    Threads,
}

/// Blocks, and threads of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) blocks: u32,
    pub(super) threads: u32,
}

impl Shape {
    pub(super) const fn all(self) -> u32 {
        self.blocks * self.threads
    }
}
