//! Address arithmetic that LLVM may assume to stay inside one variable.
//!
//! PTX addresses are numbers: `g + (h - g)` is the address of `h`. LLVM assumes that an access through `getelementptr i8, @g, ..`
//! stays in `@g` for any index, so that it is correct only if the index is not a distance between variables. Each body is analyzed
//! once for the values that flow into others ([`Content`]): the address of one variable, numbers computed from addresses, numbers
//! from memory or callers, or none of these. A number from memory can be a distance only if an address was stored, or passed to a
//! function, before (`escaped`). Sums that may leave their variable are integers ([`Provenance::may_leave`]):
//!
//! ```text
//! %rd6 = getelementptr i8, ptr addrspace(1) @g, i64 %rd5
//! %rd6 = add i64 ptrtoint (ptr addrspace(1) @g to i64), %rd5       ; and `inttoptr` where it is accessed
//! ```
//!
//! LLVM does not replace the sum by another variable: it simplifies `inttoptr (ptrtoint @h)` to `@h`, which is the same
//! address, and keeps sums between the two conversions.

use ptx_ir::{AddressBase, Body, Function, FunctionId, FunctionKind, Inst, Module, Operand, Symbol, VarId};
use ptx_isa::{
    ArithSem, CompareSem, ControlSem, Field, MemorySem, Mod, MoveSem, ScalarType, Sem, StateSpace,
};
use ptx_llvm_core::address_space;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::Analysis;
use crate::bounds::Bounds;
use crate::flow::instruction;
use crate::represent::{Repr, is_narrow, resizes_address};
use crate::slots::{is_param, lane_of};
use crate::ssa::{Def, Slot, ValueId};
use crate::variables::{is_dynamic_shared, module_variables};

/// The largest constant that is added to a 32-bit address as a `getelementptr`. LLVM computes in 64 bits: `p + 2^31 + 2^31` is
/// another address for LLVM, and the same one in PTX.
const MOST_NARROW_OFFSET: u64 = 1 << 24;

/// How the addresses of variables flow into a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Address {
    /// None does.
    None,
    /// The address of this variable and a number.
    Of(VarId),
    /// Another value computed from the address of only this variable.
    From(VarId),
    /// The addresses of several variables.
    Mixed,
}

impl Address {
    /// The content of a value computed from two others.
    fn mixed(self, other: Address) -> Address {
        match (self, other) {
            (Address::None, Address::None) => Address::None,
            (Address::Of(var) | Address::From(var), Address::None)
            | (Address::None, Address::Of(var) | Address::From(var)) => Address::From(var),
            (Address::Of(a) | Address::From(a), Address::Of(b) | Address::From(b)) if a == b => {
                Address::From(a)
            }
            _ => Address::Mixed,
        }
    }

    /// The content of a value that is one or the other.
    fn either(self, other: Address) -> Address {
        if self == other { self } else { self.mixed(other) }
    }
}

/// The contents of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Content {
    address: Address,
    /// A parameter of the kernel.
    given: bool,
    /// A number from memory, a caller or a callee.
    unknown: bool,
}

impl Content {
    const NUMBER: Content = Content { address: Address::None, given: false, unknown: false };
    const UNKNOWN: Content = Content { unknown: true, ..Self::NUMBER };
    const GIVEN: Content = Content { given: true, ..Self::NUMBER };

    fn of(var: VarId) -> Content {
        Content { address: Address::Of(var), ..Self::NUMBER }
    }

    fn with(self, other: Content, address: Address) -> Content {
        Content { address, given: self.given || other.given, unknown: self.unknown || other.unknown }
    }

    fn sum(self, other: Content) -> Content {
        let address = match (self.address, other.address) {
            (one, Address::None) | (Address::None, one) => one,
            (a, b) => a.mixed(b),
        };
        self.with(other, address)
    }

    fn difference(self, other: Content) -> Content {
        let address = match (self.address, other.address) {
            (one, Address::None) => one,
            // A distance within the variable.
            (Address::Of(a), Address::Of(b)) if a == b => Address::None,
            (a, b) => a.mixed(b),
        };
        self.with(other, address)
    }

    fn mixed(self, other: Content) -> Content {
        self.with(other, self.address.mixed(other.address))
    }

    fn either(self, other: Content) -> Content {
        self.with(other, self.address.either(other.address))
    }
}

/// The contents of a body's values, and its variables.
#[derive(Debug, Default)]
struct Contents {
    /// By value; `None` for unreachable ones.
    of: Vec<Option<Content>>,
    /// The variables that occur in the body.
    named: FxHashSet<VarId>,
}

/// The analysis of the addresses of a module.
#[derive(Debug, Default)]
pub(crate) struct Provenance {
    contents: FxHashMap<FunctionId, Contents>,
    /// The representative of each variable of the module: all declarations of one variable share one.
    canonical: FxHashMap<VarId, VarId>,
    /// Variables whose address is stored in memory, or passed to or returned from a function.
    escaped: FxHashSet<VarId>,
    /// Variables whose address is compared with another one's: a branch may choose a distance that no address flows into.
    compared: FxHashSet<VarId>,
}

impl Provenance {
    /// Analyses all bodies of a module.
    pub(crate) fn new(module: &Module, analyses: &FxHashMap<FunctionId, Analysis>) -> Self {
        let mut provenance = Self { canonical: canonical(module), ..Self::default() };
        for id in module.function_ids() {
            let function = module.function(id);
            let (Some(body), Some(analysis)) = (&function.body, analyses.get(&id)) else { continue };
            let reader = Reader { module, function, body, analysis, canonical: &provenance.canonical };
            let contents = reader.contents();
            let mut found = Found::default();
            reader.find_escapes(&contents, &mut found);
            provenance.escaped.extend(found.escaped);
            provenance.compared.extend(found.compared);
            provenance.contents.insert(id, contents);
        }
        provenance.add_reachable(module);
        provenance
    }

    /// Variables whose addresses are known outside of the bodies.
    fn add_reachable(&mut self, module: &Module) {
        let mut work: Vec<&ptx_ir::Initializer> =
            module.variables.iter().filter_map(|variable| variable.init.as_ref()).collect();
        while let Some(initializer) = work.pop() {
            match initializer {
                ptx_ir::Initializer::List(values) => work.extend(values),
                ptx_ir::Initializer::Address { symbol: Symbol::Variable(var), .. }
                | ptx_ir::Initializer::Masked { symbol: Symbol::Variable(var), .. } => {
                    self.escaped.insert(self.canonical.get(var).copied().unwrap_or(*var));
                }
                _ => {}
            }
        }
        // Code of other modules can access them and be called.
        let open = module.functions.iter().any(|function| {
            function.kind == FunctionKind::Device && function.linkage != ptx_ir::Linkage::Internal
        });
        for (at, variable) in module.variables.iter().enumerate() {
            let var = VarId(at as u32);
            if open && variable.linkage != ptx_ir::Linkage::Internal && !is_param(variable.space) {
                self.escaped.insert(self.canonical.get(&var).copied().unwrap_or(var));
            }
        }
    }

    /// The sums of a body that are kept as pointers and may leave their variable.
    pub(crate) fn may_leave(&self, module: &Module, id: FunctionId, analysis: &Analysis) -> Vec<ValueId> {
        let function = module.function(id);
        let (Some(body), Some(contents)) = (&function.body, self.contents.get(&id)) else {
            return Vec::new();
        };
        let reader = Reader { module, function, body, analysis, canonical: &self.canonical };
        let mut found = Vec::new();
        for (at, info) in analysis.ssa.values.iter().enumerate() {
            let value = ValueId(at as u32);
            let (Some(Repr::Pointer(space)), Def::Statement(statement)) = (analysis.reprs.get(at), &info.def)
            else {
                continue;
            };
            let Some(inst) = instruction(body, *statement) else { continue };
            let Some((base, offset, constant)) = reader.terms(*statement, inst, contents) else { continue };
            let counts_in_64 = analysis.address_bits == 64 && is_narrow(*space);
            let is_far = counts_in_64 && constant.is_some_and(|by| by > MOST_NARROW_OFFSET);
            let bounds = Bounds { module, body, analysis };
            if bounds.is_inside(*statement, inst) {
                continue;
            }
            if is_far || !self.stays(module, contents, base, offset, constant.is_some(), *space) {
                found.push(value);
            }
        }
        found
    }

    /// Whether an address plus an offset is an address in the same variable.
    fn stays(
        &self,
        module: &Module,
        contents: &Contents,
        base: Content,
        offset: Content,
        is_constant: bool,
        space: u32,
    ) -> bool {
        // Nothing is ever stored there, and LLVM does not know the contents of the variables.
        if space == address_space::CONST {
            return true;
        }
        // An index computed from addresses can be a distance to any other variable.
        if offset.address != Address::None {
            return false;
        }
        let bases: Vec<VarId> = match base.address {
            Address::None => Vec::new(),
            Address::Of(var) | Address::From(var) => vec![var],
            Address::Mixed => contents.named.iter().copied().collect(),
        };
        // `if (p == &h) i = 16; else i = 4` selects the distance from constants: no address flows into `i`, but the branch depends on one.
        if !is_constant && bases.iter().any(|var| self.compared.contains(var)) {
            return false;
        }
        // Neither memory nor a caller flows into the index, so that no distance can have come that way.
        if !offset.given && !offset.unknown {
            return true;
        }
        // LLVM may determine the variable of an address from memory or a caller.
        if base.unknown && !self.escaped.is_empty() {
            return false;
        }
        // LLVM assumes that an address passed by the host is not that of a thread's variable.
        let reaches_local = matches!(space, address_space::GENERIC | address_space::LOCAL);
        let is_local = |var: &VarId| lies_in_local(module.variable(*var).space);
        if base.given && reaches_local && self.escaped.iter().any(is_local) {
            return false;
        }
        bases.iter().all(|var| !self.escaped.contains(var) && is_private(module.variable(*var).space))
    }
}

/// Whether the addresses of variables in this space are unknown outside of the module: the host looks up those in global
/// and constant memory by name.
fn is_private(space: StateSpace) -> bool {
    !matches!(space, StateSpace::Global | StateSpace::Const)
}

/// Whether LLVM has an `alloca` or an argument by value for a variable in this space.
fn lies_in_local(space: StateSpace) -> bool {
    space == StateSpace::Local || is_param(space)
}

/// The first of the variables of each name in module scope; dynamic shared arrays are all one.
fn canonical(module: &Module) -> FxHashMap<VarId, VarId> {
    let (mut by_name, mut dynamic) = (FxHashMap::default(), None);
    let mut canonical = FxHashMap::default();
    for (var, function) in module_variables(module) {
        let variable = module.variable(var);
        let first = if is_dynamic_shared(variable) {
            *dynamic.get_or_insert(var)
        } else if function.is_none() {
            *by_name.entry(variable.name).or_insert(var)
        } else {
            var
        };
        canonical.insert(var, first);
    }
    canonical
}

/// The variables whose addresses escape from one body.
#[derive(Default)]
struct Found {
    escaped: Vec<VarId>,
    compared: Vec<VarId>,
}

/// A body during the analysis of its values.
struct Reader<'a> {
    module: &'a Module,
    function: &'a Function,
    body: &'a Body,
    analysis: &'a Analysis,
    canonical: &'a FxHashMap<VarId, VarId>,
}

impl Reader<'_> {
    /// The contents of each value, by iteration from the bottom until nothing changes. A phi is evaluated once; after
    /// that only the operand that changed is joined into it, so that a block with `n` predecessors costs `n` steps and
    /// not `n * n`.
    fn contents(&self) -> Contents {
        let ssa = &self.analysis.ssa;
        let mut contents = Contents { of: vec![None; ssa.values.len()], ..Contents::default() };
        contents.named =
            self.body.variables_named().map(|var| self.canonical.get(&var).copied().unwrap_or(var)).collect();
        let users = self.users();
        let mut work: Vec<usize> = (0..ssa.values.len()).rev().collect();
        let mut waiting = vec![true; ssa.values.len()];
        let mut changed = Vec::new();
        while let Some(at) = work.pop() {
            waiting[at] = false;
            let new = self.content(ValueId(at as u32), &contents);
            if join(&mut contents.of[at], new) {
                changed.push(at);
            }
            while let Some(at) = changed.pop() {
                for &user in &users[at] {
                    if matches!(ssa.values[user].def, Def::Phi(..)) {
                        let content = contents.of[at];
                        if join(&mut contents.of[user], content) {
                            changed.push(user);
                        }
                    } else if !std::mem::replace(&mut waiting[user], true) {
                        work.push(user);
                    }
                }
            }
        }
        contents
    }

    /// For each value its users.
    fn users(&self) -> Vec<Vec<usize>> {
        let ssa = &self.analysis.ssa;
        let mut users = vec![Vec::new(); ssa.values.len()];
        for (at, info) in ssa.values.iter().enumerate() {
            match &info.def {
                Def::Undefined => {}
                Def::Phi(_, operands) => {
                    operands.iter().for_each(|(_, operand)| users[operand.index()].push(at));
                }
                Def::Statement(statement) => {
                    let reads = self.analysis.reads(*statement);
                    for slot in reads {
                        if let Some(value) = ssa.read(*statement, *slot) {
                            users[value.index()].push(at);
                        }
                    }
                }
            }
        }
        users
    }

    fn content(&self, value: ValueId, contents: &Contents) -> Option<Content> {
        let info = self.analysis.ssa.values.get(value.index())?;
        match &info.def {
            Def::Undefined if self.is_register_parameter(info.slot) => Some(Content::UNKNOWN),
            Def::Undefined => Some(Content::NUMBER),
            Def::Phi(_, operands) => {
                let reaching = operands.iter().filter_map(|(_, operand)| contents.of[operand.index()]);
                reaching.reduce(Content::either)
            }
            Def::Statement(statement) => {
                let inst = instruction(self.body, *statement)?;
                self.content_of_inst(*statement, inst, contents)
            }
        }
    }

    fn content_of_inst(&self, statement: usize, inst: &Inst, contents: &Contents) -> Option<Content> {
        let operands = self.body.operands(inst);
        let operand = |at: usize| self.operand(statement, operands.get(at).copied(), contents);
        match inst.mnemonic.sem() {
            Sem::Move(MoveSem::Mov | MoveSem::Cvta) if !self.has_vector(operands) => operand(1),
            Sem::Move(MoveSem::Cvt) if resizes(inst) => operand(1),
            Sem::Compare(CompareSem::Selp) => Some(operand(1)?.either(operand(2)?)),
            Sem::Arith(ArithSem::Add) if is_plain_sum(inst) => Some(operand(1)?.sum(operand(2)?)),
            Sem::Arith(ArithSem::Sub) if is_plain_sum(inst) => Some(operand(1)?.difference(operand(2)?)),
            Sem::Arith(ArithSem::Mad) if is_plain_sum(inst) && !inst.mnemonic.has(Mod::Hi) => {
                Some(operand(1)?.mixed(operand(2)?).sum(operand(3)?))
            }
            Sem::Compare(CompareSem::Setp) => Some(Content::NUMBER),
            Sem::Memory(MemorySem::Load) => Some(self.loaded(statement, inst, contents)),
            // An argument or result of a function, stored whole.
            Sem::Memory(MemorySem::Store) => operand(1),
            Sem::Control(ControlSem::Call) => Some(Content::UNKNOWN),
            _ if inst.mnemonic.effects().reads => Some(Content::UNKNOWN),
            _ => {
                let slots = self.analysis.reads(statement);
                let values = slots.iter().filter_map(|slot| self.analysis.ssa.read(statement, *slot));
                let read = values.filter_map(|value| contents.of[value.index()]);
                let named = operands.iter().filter_map(|operand| match operand {
                    Operand::Symbol(Symbol::Variable(var), _) => Some(self.address_of(*var)),
                    _ => None,
                });
                Some(read.chain(named).fold(Content::NUMBER, Content::mixed))
            }
        }
    }

    /// The content of a load's result: for a kernel parameter, the host's argument.
    fn loaded(&self, statement: usize, inst: &Inst, contents: &Contents) -> Content {
        let operands = self.body.operands(inst);
        let Some(Operand::Address(base, _)) = operands.get(1) else { return Content::UNKNOWN };
        let is_kernel = self.function.kind == FunctionKind::Kernel;
        match base {
            AddressBase::Symbol(Symbol::Variable(var)) if is_param(self.module.variable(*var).space) => {
                match self.analysis.slots.param(*var) {
                    Some(slot) => {
                        let value = self.analysis.ssa.read(statement, slot);
                        value.and_then(|value| contents.of[value.index()]).unwrap_or(Content::NUMBER)
                    }
                    None if is_kernel && self.is_parameter(*var) => Content::GIVEN,
                    None => Content::UNKNOWN,
                }
            }
            _ if is_kernel && inst.mnemonic.space().is_some_and(is_param) => Content::GIVEN,
            _ => Content::UNKNOWN,
        }
    }

    /// Whether the slot's initial value is an argument of the caller.
    fn is_register_parameter(&self, slot: Slot) -> bool {
        self.function.params.iter().any(|param| match param {
            ptx_ir::Param::Register(_, register) => self.is_lane_of(slot, *register),
            ptx_ir::Param::Variable(_) => false,
        })
    }

    fn is_lane_of(&self, slot: Slot, register: ptx_ir::RegId) -> bool {
        self.analysis.slots.lanes(self.body, register).any(|lane| lane == slot)
    }

    fn is_parameter(&self, var: VarId) -> bool {
        self.function.params.iter().any(|param| matches!(param, ptx_ir::Param::Variable(own) if *own == var))
    }

    fn address_of(&self, var: VarId) -> Content {
        Content::of(self.canonical.get(&var).copied().unwrap_or(var))
    }

    fn has_vector(&self, operands: &[Operand]) -> bool {
        operands.iter().any(|operand| match operand {
            Operand::Vector(_) => true,
            Operand::Register(register) => self.body.decl(*register).shape.lanes() > 1,
            _ => false,
        })
    }

    /// The content of an operand; `None` while it is unreachable.
    fn operand(&self, statement: usize, operand: Option<Operand>, contents: &Contents) -> Option<Content> {
        let read = |register, lane| {
            let value = self.analysis.ssa.read(statement, self.analysis.slots.lane(register, lane));
            value.map_or(Some(Content::NUMBER), |value| contents.of[value.index()])
        };
        match operand {
            Some(Operand::Register(register)) => read(register, 0),
            Some(Operand::Element(register, component)) => read(register, lane_of(component)),
            Some(Operand::Symbol(Symbol::Variable(var), _)) => Some(self.address_of(var)),
            Some(Operand::Vector(list) | Operand::List(list) | Operand::Bracket(list)) => {
                let mut all = Content::NUMBER;
                for entry in self.body.list(list) {
                    // Lists hold nothing that nests further and is a number.
                    if !matches!(entry, Operand::Vector(_) | Operand::List(_) | Operand::Bracket(_)) {
                        all = all.mixed(self.operand(statement, Some(*entry), contents)?);
                    }
                }
                Some(all)
            }
            _ => Some(Content::NUMBER),
        }
    }

    /// The contents of a sum's pointer and of its offset, and the scale of a constant.
    fn terms(
        &self,
        statement: usize,
        inst: &Inst,
        contents: &Contents,
    ) -> Option<(Content, Content, Option<u64>)> {
        let operands = self.body.operands(inst);
        let content = |at: usize| {
            self.operand(statement, operands.get(at).copied(), contents).unwrap_or(Content::NUMBER)
        };
        let is_pointer = |at: usize| match operands.get(at) {
            Some(Operand::Register(register)) => {
                let value = self.analysis.ssa.read(statement, self.analysis.slots.lane(*register, 0));
                let repr = value.and_then(|value| self.analysis.reprs.get(value.index()));
                matches!(repr, Some(Repr::Pointer(_)))
            }
            _ => false,
        };
        let constant = |at: usize| match operands.get(at) {
            Some(Operand::Immediate(immediate)) => {
                // A negative number counts as far from the pointer.
                immediate.as_integer().map(|number| if number.cast_signed() < 0 { u64::MAX } else { number })
            }
            _ => None,
        };
        match inst.mnemonic.sem() {
            Sem::Arith(ArithSem::Add) if is_pointer(1) => Some((content(1), content(2), constant(2))),
            Sem::Arith(ArithSem::Add) if is_pointer(2) => Some((content(2), content(1), constant(1))),
            Sem::Arith(ArithSem::Sub) if is_pointer(1) => Some((content(1), content(2), constant(2))),
            Sem::Arith(ArithSem::Mad) if is_pointer(3) => {
                Some((content(3), content(1).mixed(content(2)), None))
            }
            _ => None,
        }
    }

    /// Finds addresses that are stored in memory, passed to functions, or compared.
    fn find_escapes(&self, contents: &Contents, found: &mut Found) {
        for node in self.analysis.flow.nodes.iter().filter(|node| node.reachable) {
            for statement in node.instructions.iter().copied().chain(node.end.statement()) {
                if let Some(inst) = instruction(self.body, statement) {
                    self.escapes_of_inst(statement, inst, contents, found);
                }
            }
        }
        if self.function.kind == FunctionKind::Device {
            // Results, at every exit.
            for (at, info) in self.analysis.ssa.values.iter().enumerate() {
                let is_result = self.function.results.iter().any(|param| match param {
                    ptx_ir::Param::Variable(var) => self.analysis.slots.param(*var) == Some(info.slot),
                    ptx_ir::Param::Register(_, register) => self.is_lane_of(info.slot, *register),
                });
                if is_result {
                    let content = contents.of[at].unwrap_or(Content::NUMBER);
                    self.add(content, contents, &mut found.escaped);
                }
            }
        }
    }

    fn escapes_of_inst(&self, statement: usize, inst: &Inst, contents: &Contents, found: &mut Found) {
        let operands = self.body.operands(inst);
        match inst.mnemonic.sem() {
            Sem::Compare(CompareSem::Setp | CompareSem::Set) => {
                self.compares(statement, operands, contents, &mut found.compared);
            }
            // An argument or result stored whole is a value like others.
            Sem::Memory(MemorySem::Store) if self.is_slot(operands.first()) => {}
            Sem::Control(ControlSem::Call) => {
                self.escapes_of_call(statement, operands, contents, &mut found.escaped);
            }
            _ if inst.mnemonic.effects().writes => {
                for operand in operands {
                    let escapes = !matches!(operand, Operand::Address(..));
                    if let Some(content) =
                        self.operand(statement, Some(*operand), contents).filter(|_| escapes)
                    {
                        self.add(content, contents, &mut found.escaped);
                    }
                }
            }
            _ => {}
        }
    }

    /// The arguments of a call.
    fn escapes_of_call(
        &self,
        statement: usize,
        operands: &[Operand],
        contents: &Contents,
        found: &mut Vec<VarId>,
    ) {
        let slots = self.analysis.reads(statement);
        for slot in slots {
            let value = self.analysis.ssa.read(statement, *slot);
            if let Some(content) = value.and_then(|value| contents.of[value.index()]) {
                self.add(content, contents, found);
            }
        }
        let lists = operands.iter().filter_map(|operand| match operand {
            Operand::List(list) => Some(self.body.list(*list)),
            _ => None,
        });
        for argument in lists.flatten() {
            if let Operand::Symbol(Symbol::Variable(var), _) = argument
                && !is_param(self.module.variable(*var).space)
            {
                self.add(self.address_of(*var), contents, found);
            }
        }
    }

    /// The variables whose addresses a comparison reveals: none if both are in one variable, or one is a plain number.
    fn compares(&self, statement: usize, operands: &[Operand], contents: &Contents, found: &mut Vec<VarId>) {
        let numbers = operands.iter().filter(|operand| match operand {
            Operand::Register(register) => self.body.reg_type(*register) != ScalarType::Pred,
            operand => !matches!(operand, Operand::Omitted | Operand::Sink),
        });
        // The destination of `set` is not read here.
        let read = numbers.filter_map(|operand| match operand {
            Operand::Register(register) => {
                let value = self.analysis.ssa.read(statement, self.analysis.slots.lane(*register, 0))?;
                contents.of[value.index()]
            }
            operand => self.operand(statement, Some(*operand), contents),
        });
        let read: Vec<Content> = read.collect();
        let with_address = read.iter().filter(|content| content.address != Address::None);
        let same = match read.first().map(|content| content.address) {
            Some(Address::Of(var)) => read.iter().all(|content| content.address == Address::Of(var)),
            _ => false,
        };
        let is_plain = |content: &Content| *content == Content::NUMBER || content.address != Address::None;
        if same || (with_address.clone().count() < 2 && read.iter().all(is_plain)) {
            return;
        }
        for content in with_address {
            self.add(*content, contents, found);
        }
    }

    fn is_slot(&self, operand: Option<&Operand>) -> bool {
        match operand {
            Some(Operand::Address(AddressBase::Symbol(Symbol::Variable(var)), _)) => {
                self.analysis.slots.param(*var).is_some()
            }
            _ => false,
        }
    }

    /// Adds the variables whose addresses flow into a value.
    fn add(&self, content: Content, contents: &Contents, to: &mut Vec<VarId>) {
        match content.address {
            Address::None => {}
            Address::Of(var) | Address::From(var) => to.push(var),
            Address::Mixed => to.extend(contents.named.iter().copied()),
        }
    }
}

/// Joins a further content into that of a value; true if it changed. Contents only ever increase in the lattice, so that the
/// iteration terminates.
fn join(known: &mut Option<Content>, also: Option<Content>) -> bool {
    let joined = match (*known, also) {
        (Some(known), Some(also)) => Some(known.either(also)),
        (known, also) => also.or(known),
    };
    std::mem::replace(known, joined) != joined
}

/// Whether the instruction adds whole addresses.
fn is_plain_sum(inst: &Inst) -> bool {
    let ty = inst.mnemonic.operand_type(0).or_else(|| inst.mnemonic.scalar_type());
    let is_wide = ty.is_some_and(|ty| ty.is_integer_or_bits() && matches!(ty.bits(), 32 | 64));
    is_wide && !inst.mnemonic.has(Mod::Sat) && !inst.mnemonic.writes_carry()
}

/// Whether a conversion keeps the low 32 bits of what may be an address.
fn resizes(inst: &Inst) -> bool {
    match (inst.mnemonic.type_of(Field::DType), inst.mnemonic.type_of(Field::AType)) {
        (Some(to), Some(from)) => resizes_address(from, to) || (to.bits() == from.bits() && to.bits() >= 32),
        _ => false,
    }
}
