//! The LLVM type of each value: integer, floating point or pointer.
//!
//! [`representations`] computes a [`Repr`] for each value of a body in SSA form.
//!
//! The bits of a register are untyped. The instruction that defines a value usually determines its type; loads, moves and
//! phis do not, and have the type that their users need. Addresses are found in two steps: forward from symbols and `cvta`
//! through moves, phis and additions, and backward from uses of a loaded value or parameter as an address. Otherwise a
//! value is an integer.
//!
//! ```text
//! ld.param.u64 %rd1, [p];             free: it may be an address
//! mul.wide.u32 %rd2, %r1, 4;          an integer, by its instruction
//! add.s64      %rd3, %rd1, %rd2;      a sum with one term that may be an address: it may be one
//! ld.global.f32 %f1, [%rd3];          needs %rd3 as a pointer: so %rd3 is one, and so is %rd1
//!
//! %rd3 = getelementptr i8, ptr addrspace(1) %rd1, i64 %rd2           and not inttoptr (add %rd1, %rd2)
//! ```
//!
//! Any choice is correct, since a value is converted if an instruction needs another type. But LLVM's alias analysis does not look through
//! `inttoptr`, so that keeping a pointer as an integer prevents optimizations.

mod users;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use ptx_ir::{AddressBase, Body, FunctionKind, Inst, Module, Operand, RegId, StrId, Symbol, VarId};
use ptx_isa::{
    ArithSem, AsyncSem, CompareSem, ControlSem, Field, MemorySem, Mod, MoveSem, OperandKey, ScalarType, Sem,
    StateSpace, TypeKind, WarpSem,
};
use ptx_llvm_core::address_space;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::instruction;
use crate::slots::{Slots, is_param, lane_of};
use crate::ssa::{Def, Ssa, ValueId};
use users::Users;

/// How a value is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Repr {
    /// As an integer of the register's width.
    Int,
    /// As this floating-point or packed type, as wide as the register.
    Float(ScalarType),
    /// As a pointer into LLVM's address space of that number.
    Pointer(u32),
}

/// LLVM's number of the address space a PTX space names; `None` is generic.
pub(crate) fn llvm_space(space: Option<StateSpace>) -> Option<u32> {
    Some(match space {
        None => address_space::GENERIC,
        Some(StateSpace::Global) => address_space::GLOBAL,
        Some(StateSpace::Shared | StateSpace::SharedCta) => address_space::SHARED,
        Some(StateSpace::SharedCluster) => address_space::SHARED_CLUSTER,
        Some(StateSpace::Const) => address_space::CONST,
        Some(StateSpace::Local) => address_space::LOCAL,
        Some(StateSpace::Param | StateSpace::ParamEntry | StateSpace::ParamFunc) => address_space::PARAM,
        Some(StateSpace::Reg | StateSpace::SpecialReg | StateSpace::Tex) => return None,
    })
}

/// LLVM's number of the space that the address of a parameter lies in: a function's is copied to local memory when its
/// address is taken (manual 5.1.6.4).
pub(crate) fn param_space(kind: FunctionKind) -> u32 {
    match kind {
        FunctionKind::Kernel => address_space::PARAM,
        FunctionKind::Device => address_space::LOCAL,
    }
}

/// LLVM's number of the space that an access through a register is to. In a function `.param` addresses of
/// parameters are in local memory: `ptxas` generates the same code for `ld.param [%rd1]` and `ld.local [%rd1]`
/// there.
pub(crate) fn accessed_space(space: Option<StateSpace>, kind: FunctionKind) -> Option<u32> {
    match llvm_space(space) {
        Some(address_space::PARAM) => Some(param_space(kind)),
        other => other,
    }
}

/// Whether addresses of the space fit 32 bits where generic ones have 64.
pub(crate) fn is_narrow(space: u32) -> bool {
    !matches!(space, address_space::GENERIC | address_space::GLOBAL)
}

/// The kinds of floating-point representation, in the order of their bits in [`Wants`].
const FLOATS: [ScalarType; 6] = [
    ScalarType::F16,
    ScalarType::Bf16,
    ScalarType::F32,
    ScalarType::F64,
    ScalarType::F16x2,
    ScalarType::Bf16x2,
];
/// The address spaces, in the order of their bits in [`Wants`].
const SPACES: [u32; 7] = [
    address_space::GENERIC,
    address_space::GLOBAL,
    address_space::SHARED,
    address_space::CONST,
    address_space::LOCAL,
    address_space::SHARED_CLUSTER,
    address_space::PARAM,
];

/// The set of representations that the users of a value need.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Wants(u32);

impl Wants {
    const INT: Wants = Wants(1);

    fn of(repr: Repr) -> Wants {
        match repr {
            Repr::Int => Self::INT,
            Repr::Float(ty) => FLOATS.iter().position(|f| *f == ty).map_or(Self::INT, |at| Wants(2 << at)),
            Repr::Pointer(space) => {
                SPACES.iter().position(|s| *s == space).map_or(Self::INT, |at| Wants(1 << (at + 8)))
            }
        }
    }

    fn pointers(self) -> Wants {
        Wants(self.0 & !0xff)
    }

    /// The pointer space that suits all users that need a pointer. An address in global memory is the same number as
    /// its generic one, so a generic pointer suits both.
    fn space(self) -> Option<u32> {
        let global = Wants::of(Repr::Pointer(address_space::GLOBAL));
        let generic = Wants::of(Repr::Pointer(address_space::GENERIC));
        if self.pointers() == Wants(global.0 | generic.0) {
            return Some(address_space::GENERIC);
        }
        SPACES.iter().copied().find(|space| self.pointers() == Wants::of(Repr::Pointer(*space)))
    }

    /// The needed floating-point kind, if it is the only need.
    fn float(self) -> Option<ScalarType> {
        FLOATS.iter().copied().find(|ty| self == Wants::of(Repr::Float(*ty)))
    }
}

/// How a value's representation is determined.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    /// By the instruction that defines it.
    Fixed(Repr),
    /// Only by its users; the flag is whether it can be an address.
    Free(bool),
    /// The values it is a copy of; constants are left out.
    Copy(Vec<ValueId>),
    /// A sum: an address when exactly one of its terms is.
    Sum {
        terms: Vec<ValueId>,
        /// The subtrahend: a sum minus an address is not an address.
        less: Option<ValueId>,
    },
    /// A change of width between 32 and 64 bits, which keeps addresses of narrow spaces.
    Resize(ValueId),
}

/// The state of a value in the forward analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unknown,
    /// A constant, which has the type of the other values of a phi.
    Constant,
    Free(bool),
    Fixed(Repr),
}

impl State {
    /// The height in the lattice that [`forward`] climbs: a state is only replaced by one of a greater rank.
    fn rank(self) -> u32 {
        match self {
            State::Unknown => 0,
            State::Constant => 1,
            State::Free(true) => 2,
            State::Free(false) => 3,
            State::Fixed(Repr::Pointer(address_space::GENERIC)) => 5,
            State::Fixed(Repr::Pointer(_) | Repr::Float(_)) => 4,
            State::Fixed(Repr::Int) => 6,
        }
    }

    fn meet(self, other: State) -> State {
        match (self, other) {
            (State::Unknown, known) | (known, State::Unknown) => known,
            (State::Constant, known) | (known, State::Constant) => known,
            (State::Free(a), State::Free(b)) => State::Free(a && b),
            (State::Free(true), fixed) | (fixed, State::Free(true)) => fixed,
            (State::Free(false), State::Fixed(Repr::Pointer(_)))
            | (State::Fixed(Repr::Pointer(_)), State::Free(false)) => State::Fixed(Repr::Int),
            (State::Free(false), fixed) | (fixed, State::Free(false)) => fixed,
            (State::Fixed(a), State::Fixed(b)) if a == b => self,
            // The generic address of a global memory location is the same number.
            (
                State::Fixed(Repr::Pointer(address_space::GENERIC | address_space::GLOBAL)),
                State::Fixed(Repr::Pointer(address_space::GENERIC | address_space::GLOBAL)),
            ) => State::Fixed(Repr::Pointer(address_space::GENERIC)),
            (State::Fixed(_), State::Fixed(_)) => State::Fixed(Repr::Int),
        }
    }
}

/// The body whose values are analysed.
pub(crate) struct Question<'a> {
    pub(crate) module: &'a Module,
    /// The bits of generic and global addresses, and in modules with 32-bit addresses of all.
    pub(crate) address_bits: u32,
    pub(crate) body: &'a Body,
    pub(crate) slots: &'a Slots,
    pub(crate) ssa: &'a Ssa,
    pub(crate) callees: &'a CalleeSpaces,
    pub(crate) kind: FunctionKind,
    /// Sums that are numbers although a term is an address, see [`crate::provenance`].
    pub(crate) numbers: &'a FxHashSet<ValueId>,
}

/// For functions by name the pointer space of each parameter, as far as known.
pub(crate) type CalleeSpaces = FxHashMap<StrId, Vec<Option<u32>>>;

/// The representation of every value.
pub(crate) fn representations(question: &Question<'_>) -> Vec<Repr> {
    const ROUNDS: usize = 4;
    let mut sources: Vec<Source> =
        (0..question.ssa.values.len()).map(|at| question.source(ValueId(at as u32))).collect();
    let mut states = forward(&sources);
    let mut wants = question.wants(&sources, &states);
    // Once one sum is decided the next can be: `(a + b) + c` depends on `b` first. The bound keeps the time for long chains linear;
    // sums that are undecided after it stay integers, which is correct.
    for _ in 0..ROUNDS {
        if !settle_sums(&mut sources, &states, &wants) {
            break;
        }
        states = forward(&sources);
        wants = question.wants(&sources, &states);
    }
    states
        .iter()
        .zip(wants)
        .map(|(state, wants)| match state {
            State::Fixed(repr) => *repr,
            State::Free(true) if wants.pointers() != Wants::default() => {
                wants.space().map_or(Repr::Int, Repr::Pointer)
            }
            State::Free(_) | State::Constant | State::Unknown => wants.float().map_or(Repr::Int, Repr::Float),
        })
        .collect()
}

/// For sums that are used as addresses, and of which more than one term could be the address, chooses the one that is
/// an address elsewhere, or the only one that is not a number elsewhere. Returns whether there was any.
fn settle_sums(sources: &mut [Source], states: &[State], wants: &[Wants]) -> bool {
    let mut changed = false;
    for (at, source) in sources.iter_mut().enumerate() {
        let Source::Sum { terms, less } = source else { continue };
        if states[at] != State::Fixed(Repr::Int) || wants[at].pointers() == Wants::default() {
            continue;
        }
        // Two pointers were added, which is not an address in any of LLVM's address spaces: it stays an integer.
        let is_pointer = |term: &&ValueId| matches!(states[term.index()], State::Fixed(Repr::Pointer(_)));
        if terms.iter().any(|term| is_pointer(&term)) {
            continue;
        }
        let free = terms.iter().filter(|term| states[term.index()] == State::Free(true));
        let numbers_aside: Vec<ValueId> =
            free.copied().filter(|term| wants[term.index()].0 & Wants::INT.0 == 0).collect();
        let addresses = |term: &&ValueId| wants[term.index()].pointers() != Wants::default();
        let elsewhere: Vec<ValueId> = numbers_aside.iter().filter(addresses).copied().collect();
        if let ([one], _) | ([], [one]) = (elsewhere.as_slice(), numbers_aside.as_slice()) {
            *terms = vec![*one];
            *less = None;
            changed = true;
        }
    }
    changed
}

/// Finds the states as sweeps over all values in their order would, until nothing changes; a sweep looks only at values of
/// which an operand has changed.
fn forward(sources: &[Source]) -> Vec<State> {
    let mut states = vec![State::Unknown; sources.len()];
    let users = Users::new(sources);
    let mut sweep: BinaryHeap<Reverse<usize>> = (0..sources.len()).map(Reverse).collect();
    let mut waiting = vec![true; sources.len()];
    let mut next = Vec::new();
    while !sweep.is_empty() {
        while let Some(Reverse(at)) = sweep.pop() {
            waiting[at] = false;
            let new = state_of(&sources[at], &states);
            // The rank of a value only grows, at most six times, so that this ends in linear time. Two states of one rank, such as pointers of
            // two spaces, can only be joined as numbers.
            let new = if new.rank() == states[at].rank() && new != states[at] {
                State::Fixed(Repr::Int)
            } else {
                new
            };
            if new.rank() <= states[at].rank() {
                continue;
            }
            states[at] = new;
            for &user in users.of(at) {
                if std::mem::replace(&mut waiting[user], true) {
                    continue;
                }
                // A later value is processed in this sweep; an earlier one, at the head of a loop, in the next. Where `meet` depends on the order of
                // its operands, this fixes it to the order of the text, so that equal texts give equal modules.
                if user > at {
                    sweep.push(Reverse(user));
                } else {
                    next.push(Reverse(user));
                }
            }
        }
        sweep.extend(next.drain(..));
    }
    states
}

/// The state of a value, given those of its operands.
fn state_of(source: &Source, states: &[State]) -> State {
    let state = |value: &ValueId| states.get(value.index()).copied().unwrap_or(State::Unknown);
    match source {
        Source::Fixed(repr) => State::Fixed(*repr),
        Source::Free(pointer) => State::Free(*pointer),
        Source::Copy(values) if values.is_empty() => State::Constant,
        Source::Copy(values) => values.iter().map(state).fold(State::Unknown, State::meet),
        Source::Sum { less: Some(less), .. } if matches!(state(less), State::Fixed(Repr::Pointer(_))) => {
            State::Fixed(Repr::Int)
        }
        Source::Sum { terms, less } => sum(&terms.iter().chain(less).map(state).collect::<Vec<_>>()),
        Source::Resize(value) => match state(value) {
            State::Fixed(Repr::Pointer(space)) if is_narrow(space) => State::Fixed(Repr::Pointer(space)),
            State::Unknown => State::Unknown,
            State::Constant | State::Free(_) | State::Fixed(_) => State::Fixed(Repr::Int),
        },
    }
}

/// The state of a sum of values in these states (constants are not among them).
fn sum(states: &[State]) -> State {
    let pointers: Vec<State> =
        states.iter().copied().filter(|state| matches!(state, State::Fixed(Repr::Pointer(_)))).collect();
    if let [one] = pointers.as_slice() {
        return *one;
    }
    if !pointers.is_empty() {
        return State::Fixed(Repr::Int);
    }
    // Not decided yet: a term around a loop may become the pointer that makes this sum one.
    if states.contains(&State::Unknown) {
        return State::Unknown;
    }
    let candidates = states.iter().filter(|state| **state == State::Free(true)).count();
    if candidates == 1 { State::Free(true) } else { State::Fixed(Repr::Int) }
}

/// Operands that every row of the instruction has.
fn written(operands: &[Operand], range: Range<usize>) -> &[Operand] {
    debug_assert!(operands.len() >= range.end, "{operands:?} has no operands {range:?}");
    // Default: a result of no operand of that kind is kept as bits, which is always correct.
    operands.get(range).unwrap_or_default()
}

impl Question<'_> {
    fn source(&self, value: ValueId) -> Source {
        let Some(info) = self.ssa.values.get(value.index()) else { return Source::Fixed(Repr::Int) };
        match &info.def {
            Def::Undefined => Source::Free(self.slots.ty(info.slot).bits() == self.address_bits),
            Def::Phi(_, operands) => Source::Copy(operands.iter().map(|operand| operand.1).collect()),
            Def::Statement(statement) => match instruction(self.body, *statement) {
                Some(inst) => self.source_of_inst(*statement, inst, value),
                None => Source::Fixed(Repr::Int),
            },
        }
    }

    /// How an instruction determines its result. Any source is correct: meanings that are not listed give a value of their type.
    fn source_of_inst(&self, statement: usize, inst: &Inst, value: ValueId) -> Source {
        if self.numbers.contains(&value) {
            return Source::Fixed(Repr::Int);
        }
        let slot = self.ssa.values[value.index()].slot;
        let bits = self.slots.ty(slot).bits();
        let operands = self.body.operands(inst);
        let ty = inst.mnemonic.operand_type(0).or_else(|| inst.mnemonic.scalar_type());
        let fixed = Source::Fixed(natural(ty, bits));
        match inst.mnemonic.sem() {
            Sem::Move(MoveSem::Mov) => self.source_of_move(statement, inst, bits),
            Sem::Compare(CompareSem::Selp) => match natural(inst.mnemonic.scalar_type(), bits) {
                Repr::Int => Source::Copy(self.copied(statement, written(operands, 1..3))),
                repr => Source::Fixed(repr),
            },
            Sem::Memory(MemorySem::Load | MemorySem::LoadUniform) => {
                self.source_of_load(statement, inst, bits)
            }
            // A `st.param` to a slot: the value stored.
            Sem::Memory(MemorySem::Store) => match natural(inst.mnemonic.scalar_type(), bits) {
                Repr::Int => Source::Copy(self.copied(statement, written(operands, 1..2))),
                repr => Source::Fixed(repr),
            },
            Sem::Control(ControlSem::Call) => match natural(Some(self.slots.ty(slot)), bits) {
                Repr::Int => Source::Free(bits == self.address_bits),
                repr => Source::Fixed(repr),
            },
            Sem::Move(MoveSem::Cvta) => {
                let space = if inst.mnemonic.has(Mod::To) { inst.mnemonic.space() } else { None };
                let space = llvm_space(space).filter(|_| bits <= self.address_bits);
                space.map_or(fixed, |space| Source::Fixed(Repr::Pointer(space)))
            }
            Sem::Arith(ArithSem::Add | ArithSem::Sub)
                if self.is_address_width(ty, bits) && !inst.mnemonic.has(Mod::Sat) =>
            {
                let subtracts = inst.mnemonic.sem() == Sem::Arith(ArithSem::Sub);
                let both = written(operands, 1..3);
                let (terms, less) = if subtracts {
                    (written(both, 0..1), written(both, 1..2))
                } else {
                    (both, [].as_slice())
                };
                let less = self.copied(statement, less).first().copied();
                Source::Sum { terms: self.copied(statement, terms), less }
            }
            Sem::Arith(ArithSem::Mad)
                if self.is_address_width(ty, bits)
                    && !inst.mnemonic.has(Mod::Sat)
                    && !inst.mnemonic.has(Mod::Hi) =>
            {
                let terms = self.copied(statement, written(operands, 3..4));
                Source::Sum { terms, less: None }
            }
            Sem::Move(MoveSem::Cvt) => self.source_of_conversion(statement, inst, bits).unwrap_or(fixed),
            _ => fixed,
        }
    }

    fn source_of_load(&self, statement: usize, inst: &Inst, bits: u32) -> Source {
        let operands = self.body.operands(inst);
        let Some(ty) = inst.mnemonic.scalar_type().filter(|ty| ty.bits() == bits) else {
            return Source::Fixed(Repr::Int);
        };
        match (natural(Some(ty), bits), ty.kind()) {
            (Repr::Int, _) if bits == self.address_bits => {
                self.loaded_param(statement, operands).unwrap_or(Source::Free(true))
            }
            (Repr::Int, TypeKind::Bits) => {
                self.loaded_param(statement, operands).unwrap_or(Source::Free(false))
            }
            (repr, _) => Source::Fixed(repr),
        }
    }

    /// The source of a conversion that may keep an address; `None` for all others.
    fn source_of_conversion(&self, statement: usize, inst: &Inst, bits: u32) -> Option<Source> {
        let (to, from) = (inst.mnemonic.type_of(Field::DType)?, inst.mnemonic.type_of(Field::AType)?);
        if !self.resizes_address(from, to) || to.bits() != bits {
            return None;
        }
        let source = self.copied(statement, written(self.body.operands(inst), 1..2));
        Some(match source.first() {
            Some(value) if self.width(*value) == from.bits() => Source::Resize(*value),
            Some(_) | None => Source::Fixed(Repr::Int),
        })
    }

    fn source_of_move(&self, statement: usize, inst: &Inst, bits: u32) -> Source {
        if let repr @ Repr::Float(_) = natural(inst.mnemonic.scalar_type(), bits) {
            return Source::Fixed(repr);
        }
        let operands = self.body.operands(inst);
        let lanes = |register: &RegId| self.body.decl(*register).shape.lanes();
        match (operands.first(), operands.get(1)) {
            (Some(Operand::Vector(_)), _) => Source::Free(false),
            (Some(Operand::Register(register)), _) if lanes(register) > 1 => Source::Free(false),
            (_, Some(Operand::Vector(_))) if bits == 32 => Source::Free(false),
            (_, Some(Operand::Register(register))) if lanes(register) > 1 => Source::Fixed(Repr::Int),
            (_, Some(Operand::Symbol(Symbol::Function(_), _))) if bits == self.address_bits => {
                Source::Fixed(Repr::Pointer(address_space::GENERIC))
            }
            (_, Some(Operand::Symbol(Symbol::Variable(var), _))) => {
                // The value of a register too narrow for the address is a number.
                let variable = self.module.variable(*var);
                let space = match is_param(variable.space) {
                    true => Some(param_space(self.kind)),
                    false => llvm_space(Some(variable.space)),
                };
                let space = space.filter(|_| variable.scalar_type().is_some());
                let is_whole = |space: u32| bits == self.address_bits || (bits == 32 && is_narrow(space));
                let space = space.filter(|space| is_whole(*space));
                Source::Fixed(space.map_or(Repr::Int, Repr::Pointer))
            }
            (_, Some(source @ (Operand::Register(_) | Operand::Element(..) | Operand::Immediate(_)))) => {
                Source::Copy(self.copied(statement, &[*source]))
            }
            _ => Source::Fixed(Repr::Int),
        }
    }

    /// A load from a slot or from a parameter of the function.
    fn loaded_param(&self, statement: usize, operands: &[Operand]) -> Option<Source> {
        let Some(Operand::Address(AddressBase::Symbol(Symbol::Variable(var)), _)) = operands.get(1) else {
            return None;
        };
        if !is_param(self.module.variable(*var).space) {
            return None;
        }
        let slot = self.slots.param(*var)?;
        Some(Source::Copy(self.ssa.read(statement, slot).into_iter().collect()))
    }

    /// Whether integers of this type, in a register this wide, can be addresses.
    fn is_address_width(&self, ty: Option<ScalarType>, bits: u32) -> bool {
        let fits = bits == 32 || bits == self.address_bits;
        ty.is_some_and(|ty| ty.is_integer_or_bits() && ty.bits() == bits && fits)
    }

    /// Whether an address stays one in a conversion between these types. In modules with 32-bit addresses 64-bit registers contain
    /// only numbers, of which accesses use the lower half.
    fn resizes_address(&self, from: ScalarType, to: ScalarType) -> bool {
        self.address_bits == 64 && resizes_address(from, to)
    }

    /// The values of register operands.
    fn copied(&self, statement: usize, operands: &[Operand]) -> Vec<ValueId> {
        let read = |register, lane| self.ssa.read(statement, self.slots.lane(register, lane));
        operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::Register(register) => read(*register, 0),
                Operand::Element(register, component) => read(*register, lane_of(*component)),
                _ => None,
            })
            .collect()
    }

    fn width(&self, value: ValueId) -> u32 {
        self.slots.ty(self.ssa.slot(value)).bits()
    }

    /// The representations that statements need of each value, and values that are copies or sums of it.
    fn wants(&self, sources: &[Source], states: &[State]) -> Vec<Wants> {
        let mut wants = vec![Wants::default(); sources.len()];
        for (statement, inst) in self.body.instructions() {
            self.wants_of_inst(statement, inst, &mut wants);
        }
        // Backward: the needs for a copy are needs for its sources. Sets only grow and have 14 members, so that each value is visited 15 times
        // at most. A sum propagates only its use as an address; if a sum is needed as a float, its terms are not floats.
        let mut work: Vec<usize> = (0..sources.len()).collect();
        while let Some(at) = work.pop() {
            let passed = match (states[at], &sources[at]) {
                (State::Free(_), Source::Copy(_)) => wants[at],
                (State::Free(true), Source::Sum { .. }) => wants[at].pointers(),
                (State::Fixed(repr), Source::Copy(_)) => Wants::of(repr),
                _ => continue,
            };
            let (Source::Copy(values) | Source::Sum { terms: values, .. }) = &sources[at] else { continue };
            for value in values {
                let before = wants[value.index()];
                wants[value.index()].0 |= passed.0;
                if wants[value.index()] != before {
                    work.push(value.index());
                }
            }
        }
        wants
    }

    /// The representations that a call needs of its arguments.
    fn wants_of_call(&self, statement: usize, inst: &Inst, wants: &mut [Wants]) {
        let operands = self.body.operands(inst);
        let (Some(Operand::Symbol(Symbol::Function(id), _)), Some(Operand::List(list))) =
            (operands.get(1), operands.get(2))
        else {
            return;
        };
        let Some(spaces) = self.callees.get(&self.module.function(*id).name) else { return };
        for (argument, space) in self.body.list(*list).iter().zip(spaces) {
            let slot = match argument {
                Operand::Symbol(Symbol::Variable(var), _) => self.slots.param(*var),
                Operand::Register(register) => Some(self.slots.lane(*register, 0)),
                _ => None,
            };
            let value = slot.and_then(|slot| self.ssa.read(statement, slot));
            if let (Some(value), Some(space)) = (value, space) {
                wants[value.index()].0 |= Wants::of(Repr::Pointer(*space)).0;
            }
        }
    }

    fn wants_of_inst(&self, statement: usize, inst: &Inst, wants: &mut [Wants]) {
        if inst.mnemonic.sem() == Sem::Control(ControlSem::Call) {
            self.wants_of_call(statement, inst, wants);
        }
        let mut want = |register, lane, repr: Repr| {
            if let Some(value) = self.ssa.read(statement, self.slots.lane(register, lane)) {
                wants[value.index()].0 |= Wants::of(repr).0;
            }
        };
        for (at, (operand, place)) in
            self.body.operands(inst).iter().zip(inst.mnemonic.form().operands).enumerate()
        {
            if !place.role.is_read() {
                continue;
            }
            let ty = inst.mnemonic.operand_type(at);
            match operand {
                Operand::Address(AddressBase::Register(register), _) => {
                    want(*register, 0, self.wanted_address(inst, at));
                }
                Operand::Register(register) => {
                    if let Some(repr) = self.wanted_register(inst, at, *register) {
                        want(*register, 0, repr);
                    }
                }
                Operand::Element(register, component) => {
                    let repr = natural(ty, self.body.reg_type(*register).bits());
                    if repr != Repr::Int || !copies_elements(inst.mnemonic.sem()) {
                        want(*register, lane_of(*component), repr);
                    }
                }
                Operand::Vector(list) => {
                    for entry in self.body.list(*list) {
                        let Operand::Register(register) = entry else { continue };
                        let repr = natural(ty, self.body.reg_type(*register).bits());
                        if repr != Repr::Int || !copies_vectors(inst.mnemonic.sem()) {
                            want(*register, 0, repr);
                        }
                    }
                }
                // Parts of registers and values in brackets are passed to inline assembly as they are.
                Operand::Selected(..) | Operand::Negated(..) | Operand::Bracket(_) => {}
                Operand::Omitted
                | Operand::Sink
                | Operand::Sum(..)
                | Operand::SpecialSum(..)
                | Operand::Not(_)
                | Operand::Special(..)
                | Operand::Immediate(_)
                | Operand::Symbol(..)
                | Operand::Address(..)
                | Operand::List(_)
                | Operand::Label(_) => {}
            }
        }
    }

    /// The representation that an instruction needs of the address at operand `at`.
    fn wanted_address(&self, inst: &Inst, at: usize) -> Repr {
        // Several addresses with different spaces: only `cp.async`.
        let space = match (inst.mnemonic.sem(), at) {
            (Sem::Async(AsyncSem::CpAsync), 1) => Some(StateSpace::Global),
            _ => inst.mnemonic.space(),
        };
        accessed_space(space, self.kind).map_or(Repr::Int, Repr::Pointer)
    }

    /// The representation that an instruction needs of the register that is operand `at`; `None` if any will do.
    fn wanted_register(&self, inst: &Inst, at: usize, register: RegId) -> Option<Repr> {
        let mnemonic = inst.mnemonic;
        let bits = self.body.reg_type(register).bits();
        let ty = mnemonic.operand_type(at);
        let natural = natural(ty, bits);
        Some(match mnemonic.sem() {
            Sem::Move(MoveSem::Cvta) => {
                let space = if mnemonic.has(Mod::To) { None } else { mnemonic.space() };
                llvm_space(space).map_or(Repr::Int, Repr::Pointer)
            }
            Sem::Move(MoveSem::Isspacep) => Repr::Pointer(address_space::GENERIC),
            Sem::Control(ControlSem::Call) => {
                let is_callee = mnemonic.form().operand(OperandKey::Func) == Some(at);
                return is_callee.then_some(Repr::Pointer(address_space::GENERIC));
            }
            // Instructions that only copy bits have no needs.
            Sem::Move(MoveSem::Mov)
            | Sem::Compare(CompareSem::Selp)
            | Sem::Memory(MemorySem::Store)
            | Sem::Warp(WarpSem::Shfl)
                if natural == Repr::Int && at > 0 && ty != Some(ScalarType::Pred) =>
            {
                return None;
            }
            // A term of a sum may be an address.
            Sem::Arith(ArithSem::Add | ArithSem::Sub | ArithSem::Mad)
                if self.is_address_width(mnemonic.operand_type(0), bits) =>
            {
                return None;
            }
            // Any representation is correct: the one of the type costs no conversion.
            _ => natural,
        })
    }
}

/// Whether the instruction only copies elements of vector registers.
fn copies_elements(sem: Sem) -> bool {
    copies_vectors(sem) || sem == Sem::Compare(CompareSem::Selp)
}

/// Whether the instruction only copies vectors in braces.
fn copies_vectors(sem: Sem) -> bool {
    matches!(sem, Sem::Move(MoveSem::Mov) | Sem::Memory(MemorySem::Store))
}

/// The results of the loads of each variable from its beginning.
pub(crate) fn loads_of_variables(question: &Question<'_>) -> FxHashMap<VarId, Vec<ValueId>> {
    let mut loads: FxHashMap<VarId, Vec<ValueId>> = FxHashMap::default();
    for (statement, inst) in question.body.instructions() {
        let operands = question.body.operands(inst);
        let Some(Operand::Address(AddressBase::Symbol(Symbol::Variable(var)), 0)) = operands.get(1) else {
            continue;
        };
        if let (Sem::Memory(MemorySem::Load), Some(Operand::Register(register))) =
            (inst.mnemonic.sem(), operands.first())
        {
            let value = question.ssa.written(statement, question.slots.lane(*register, 0));
            loads.entry(*var).or_default().extend(value);
        }
    }
    loads
}

/// The pointer space a parameter is loaded for, when all its loads agree; the values of those loads become pointers.
pub(crate) fn parameter_space(loads: &[ValueId], reprs: &mut [Repr]) -> Option<u32> {
    let mut space = None;
    // A parameter has one type in LLVM's signature. If two loads of it need different spaces, it is an integer there, and each load
    // converts; if only some need a pointer, the others convert it to the integer.
    for load in loads {
        if let Some(Repr::Pointer(found)) = reprs.get(load.index()) {
            if space.is_some_and(|space| space != *found) {
                return None;
            }
            space = Some(*found);
        }
    }
    for load in loads {
        if let (Some(space), Some(repr)) = (space, reprs.get_mut(load.index())) {
            *repr = Repr::Pointer(space);
        }
    }
    space
}

/// The natural representation of a type in a register of this width.
fn natural(ty: Option<ScalarType>, bits: u32) -> Repr {
    match ty {
        Some(ty) if FLOATS.contains(&ty) && ty.bits() == bits => Repr::Float(ty),
        _ => Repr::Int,
    }
}

/// Whether a conversion between these types keeps the low 32 bits and fills with zeros.
pub(crate) fn resizes_address(from: ScalarType, to: ScalarType) -> bool {
    let narrows = from.bits() == 64 && to.bits() == 32;
    let widens = from.bits() == 32 && to.bits() == 64 && !from.is_signed();
    from.is_integer_or_bits() && to.is_integer_or_bits() && (narrows || widens)
}

#[cfg(test)]
mod tests;
