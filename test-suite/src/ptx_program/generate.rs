//! The frame of a program: registers, variables, scopes, what is observed.

use fastrand::Rng;

use super::evaluate::{INPUT, OUTPUT};
use super::syntax::*;
use super::{
    Feature, addresses, arithmetic, bytes, calls, carry, clusters, endings, floats, ordering, undefined,
    vectors, volatile, wide,
};

/// Names that inner scopes declare once more.
const SHADOWED: &[&str] = &["buffer", "scratch_local"];

/// One function while it is generated.
pub(super) struct Current {
    pub(super) function: Function,
    /// Declarations of the open scopes.
    scopes: Vec<Scope>,
    /// Open lists of statements.
    bodies: Vec<Vec<Statement>>,
    /// Registers that hold numbers.
    pub(super) pool: Vec<Register>,
    /// Where names are counted from in the innermost scope.
    numbers: usize,
    /// The thread's output, input, and the number of the thread in the grid and in its block.
    pub(super) output: Register,
    pub(super) input: Register,
    pub(super) number: Register,
    pub(super) in_block: Register,
}

/// What generates a program.
pub(super) struct Generator {
    pub(super) rng: Rng,
    pub(super) module: Module,
    pub(super) shape: Shape,
    pub(super) sm: u16,
    pub(super) current: Current,
    /// The next free byte of a thread's output.
    slot: u32,
    /// Functions that may be called, by what they are.
    pub(super) depth: u32,
    names: usize,
    pub(super) features: Vec<Feature>,
    /// Whether all threads of the grid execute what is generated.
    pub(super) together: bool,
    /// Whether threads may have ended before.
    pub(super) ended: bool,
    /// Whether numbers are mostly constants, which optimizers fold.
    pub(super) constants: bool,
    /// Whether one thread executes statements one after the other, and all input is constants.
    pub(super) straight: bool,
}

/// Generates a program.
pub(super) fn module(seed: u64, features: &[Feature], shape: Shape, sm: u16, straight: bool) -> Module {
    let mut rng = Rng::with_seed(seed);
    let constants = rng.u8(..3) == 0;
    let mut g = Generator {
        rng,
        module: Module::default(),
        shape,
        sm,
        current: Current::new("kernel", true),
        slot: 0,
        depth: 0,
        names: 0,
        features: features.to_vec(),
        together: true,
        ended: false,
        constants,
        straight,
    };
    g.kernel_head();
    for _ in 0..g.rng.usize(1..4) {
        if g.slot + 256 > OUTPUT {
            break;
        }
        let feature = *g.choose(features);
        episode(&mut g, feature);
    }
    g.statement(What::Return);
    let function = g.current.finish();
    g.module.functions.push(function);
    g.module
}

/// Adds an episode about a feature.
pub(super) fn episode(g: &mut Generator, feature: Feature) {
    match feature {
        Feature::Arithmetic => arithmetic::episode(g),
        Feature::Control => arithmetic::control(g),
        Feature::Carry => carry::episode(g),
        Feature::Addresses => addresses::episode(g),
        Feature::Dynamic => addresses::dynamic(g),
        Feature::Calls => calls::episode(g),
        Feature::Endings => endings::episode(g),
        Feature::Undefined => undefined::episode(g),
        Feature::Bytes => bytes::episode(g),
        Feature::Vectors => vectors::episode(g),
        Feature::Ordering => ordering::episode(g),
        Feature::Scopes => scope(g),
        Feature::Floats => floats::episode(g),
        Feature::Bulk => ordering::bulk(g),
        Feature::Clusters => clusters::episode(g),
        Feature::Recursion => calls::recursion(g),
        Feature::WideAddresses => wide::episode(g),
        Feature::Volatile => volatile::episode(g),
    }
}

/// Features that do not need all threads and can appear in functions, loops and branches.
const INNER: &[Feature] = &[
    Feature::Arithmetic,
    Feature::Carry,
    Feature::Vectors,
    Feature::Undefined,
    Feature::Bytes,
    Feature::Control,
    Feature::Floats,
    Feature::WideAddresses,
];

/// An episode inside of a function or a branch.
pub(super) fn inner(g: &mut Generator) {
    let fit: Vec<Feature> = INNER.iter().copied().filter(|f| g.features.contains(f)).collect();
    if fit.is_empty() || !g.room() || g.depth > 3 {
        return arithmetic::episode(g);
    }
    let feature = *g.choose(&fit);
    g.depth += 1;
    episode(g, feature);
    g.depth -= 1;
}

/// A scope whose registers and variables have the names of outer ones.
fn scope(g: &mut Generator) {
    let (pool, numbers) = (g.current.pool.clone(), g.current.numbers);
    // An outer variable of the same name keeps its contents in the inner scope.
    let name = SHADOWED[g.rng.usize(..SHADOWED.len())];
    let outer = g.local_named(name, Type::b(32), 2);
    let marks: Vec<u64> = (0..2).map(|_| g.rng.u64(..1 << 20)).collect();
    for (at, mark) in marks.iter().enumerate() {
        g.store_to(outer, 4 * at as i64, Type::b(32), Operand::Immediate(*mark));
    }
    let kept = g.value(32);
    g.current.scopes.push(Scope::default());
    g.current.bodies.push(Vec::new());
    g.current.pool.clear();
    g.current.numbers = 0;
    let inner_variable = g.local_named(name, Type::b(32), 4);
    for at in 0..4 {
        let value = g.rng.u64(..1 << 20);
        g.store_to(inner_variable, 4 * at, Type::b(32), Operand::Immediate(value));
    }
    g.load_inputs(4);
    inner(g);
    if g.rng.bool() && g.room() {
        inner(g);
    }
    let loaded = g.register(32);
    let offset = 4 * g.rng.i64(0..4);
    g.load_from(loaded, inner_variable, offset, Type::b(32));
    g.observe(loaded, Type::b(32));
    let body = g.current.bodies.pop().unwrap_or_default();
    let mut scope = g.current.scopes.pop().unwrap_or_default();
    scope.body = body;
    g.current.pool = pool;
    g.current.numbers = numbers;
    g.statement(What::Scope(scope));
    for at in 0..2 {
        let loaded = g.register(32);
        g.load_from(loaded, outer, 4 * at, Type::b(32));
        g.observe(loaded, Type::b(32));
    }
    if let Operand::Register(kept) = kept {
        g.observe(kept, Type::b(32));
    }
}

impl Current {
    pub(super) fn new(name: &str, kernel: bool) -> Self {
        Self {
            function: Function { name: name.to_owned(), kernel, ..Function::default() },
            scopes: vec![Scope::default()],
            bodies: vec![Vec::new()],
            pool: Vec::new(),
            numbers: 0,
            output: 0,
            input: 0,
            number: 0,
            in_block: 0,
        }
    }

    pub(super) fn finish(&mut self) -> Function {
        let mut function = std::mem::take(&mut self.function);
        function.scope = self.scopes.pop().unwrap_or_default();
        function.scope.body = self.bodies.pop().unwrap_or_default();
        function
    }
}

impl Generator {
    pub(super) fn choose<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.rng.usize(..all.len())]
    }

    pub(super) fn one_in(&mut self, n: u32) -> bool {
        self.rng.u32(..n) == 0
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// Whether the output has room for some more values.
    pub(super) fn room(&self) -> bool {
        self.slot + 256 < OUTPUT
    }

    /// What every kernel begins with: addresses of the thread's input and output, its numbers, some input.
    fn kernel_head(&mut self) {
        for name in ["out", "in"] {
            let id = self.variable(name, Space::Param, Type::u(64), Some(0), 8);
            self.current.function.parameters.push(Parameter::Variable(id));
        }
        let wide = ["%t_out", "%t_in"].map(|name| self.declared(name, 64));
        (self.current.output, self.current.input) = (wide[0], wide[1]);
        if self.straight {
            self.load_from(wide[0], 0, 0, Type::u(64));
            return self.load_inputs(6);
        }
        self.number_thread();
        let number = self.current.number;
        for (register, (parameter, bytes)) in wide.into_iter().zip([(0, OUTPUT), (1, INPUT)]) {
            let at = Address { base: Base::Variable(parameter), offset: 0 };
            let to = Lanes::One(Operand::Register(register));
            let ty = Type::u(64);
            self.statement(What::Load { qualifier: "", space: Some(Space::Param), ty, to, at });
            let scaled = self.register(64);
            let of = [Operand::Register(number), Operand::Immediate(u64::from(bytes))];
            self.compute("mul.wide", Type::u(32), scaled, &of);
            self.compute("add", Type::u(64), register, &[register, scaled].map(Operand::Register));
        }
        self.load_inputs(6);
    }

    /// Puts the number of the thread in its block and in the grid into registers.
    pub(super) fn number_thread(&mut self) {
        let names = ["%t_in_block", "%t_block", "%t_size", "%t_number"];
        let [thread, block, size, number] = names.map(|name| self.declared(name, 32));
        for (to, what) in [(thread, Identity::Thread), (block, Identity::Block), (size, Identity::Threads)] {
            self.statement(What::Identify { to, what });
        }
        self.compute("mad.lo", Type::u(32), number, &[block, size, thread].map(Operand::Register));
        (self.current.number, self.current.in_block) = (number, thread);
    }

    /// Loads numbers of the thread's input into the pool.
    pub(super) fn load_inputs(&mut self, count: usize) {
        for _ in 0..count {
            let bits = *self.choose(&[16, 32, 32, 64]);
            let to = self.register(bits);
            if self.straight {
                let constant = Operand::Immediate(self.constant(bits));
                self.compute("mov", Type::b(bits), to, &[constant]);
                self.current.pool.push(to);
                continue;
            }
            let offset = self.rng.i64(0..i64::from(INPUT * 8 / bits)) * i64::from(bits / 8);
            let at = Address { base: Base::Register(self.current.input), offset };
            let lanes = Lanes::One(Operand::Register(to));
            let (space, ty) = (Some(Space::Global), Type::b(bits));
            self.statement(What::Load { qualifier: "", space, ty, to: lanes, at });
            self.current.pool.push(to);
        }
    }

    /// A register of this name, declared at the head of the function.
    pub(super) fn declared(&mut self, name: &str, bits: u32) -> Register {
        let register = self.named(name, bits);
        self.current.scopes[0].registers.push(register);
        register
    }

    /// A register that is declared elsewhere: a parameter, a special register.
    pub(super) fn named(&mut self, name: &str, bits: u32) -> Register {
        self.current.function.registers.push(RegisterInfo { name: name.to_owned(), bits });
        self.current.function.registers.len() - 1
    }

    /// A new register of the innermost scope, 1 bit for a predicate.
    pub(super) fn register(&mut self, bits: u32) -> Register {
        let number = self.current.numbers;
        self.current.numbers += 1;
        let stem = match bits {
            1 => "p",
            16 => "h",
            32 => "r",
            _ => "d",
        };
        let register = self.named(&format!("%{stem}{number}"), bits);
        if let Some(scope) = self.current.scopes.last_mut() {
            scope.registers.push(register);
        }
        register
    }

    /// A vector register; `declared` unless it is a parameter.
    pub(super) fn vector(&mut self, name: Option<&str>, element: Type, lanes: u32) -> VectorId {
        let number = self.current.numbers;
        self.current.numbers += 1;
        let own = format!("%v{number}");
        let text = name.unwrap_or(&own);
        let lanes = (0..lanes as usize)
            .map(|k| self.named(&format!("{text}.{}", ["x", "y", "z", "w"][k]), element.bits));
        let info = VectorInfo { name: text.to_owned(), element, lanes: lanes.collect() };
        self.current.function.vectors.push(info);
        let id = self.current.function.vectors.len() - 1;
        if let (None, Some(scope)) = (name, self.current.scopes.last_mut()) {
            scope.vectors.push(id);
        }
        id
    }

    pub(super) fn lanes_of(&self, vector: VectorId) -> Vec<Register> {
        self.current.function.vectors[vector].lanes.clone()
    }

    /// A variable that is declared elsewhere.
    pub(super) fn variable(
        &mut self,
        name: &str,
        space: Space,
        element: Type,
        count: Option<u32>,
        align: u32,
    ) -> VariableId {
        let name = name.to_owned();
        self.module.variables.push(Variable { name, space, align, element, count, initial: None });
        self.module.variables.len() - 1
    }

    /// A variable at module scope, or of the function for local memory.
    pub(super) fn place(
        &mut self,
        space: Space,
        element: Type,
        count: Option<u32>,
        align: u32,
    ) -> VariableId {
        let name = self.fresh(&format!("{}_", space.name()));
        let id = self.variable(&name, space, element, count, align);
        if space == Space::Local {
            self.current.scopes[0].variables.push(id);
        } else {
            self.module.statics.push(id);
        }
        id
    }

    fn local_named(&mut self, name: &str, element: Type, count: u32) -> VariableId {
        let scope = self.current.scopes.len() - 1;
        let here = self.current.scopes[scope].variables.iter().copied();
        let known: Vec<_> = here.filter(|id| self.module.variables[*id].name == name).collect();
        if let Some(id) = known.first() {
            return *id;
        }
        let id = self.variable(name, Space::Local, element, Some(count), 8);
        self.current.scopes[scope].variables.push(id);
        id
    }

    /// A `.param` variable of the innermost scope.
    pub(super) fn argument_variable(&mut self, element: Type, count: Option<u32>, align: u32) -> VariableId {
        let name = self.fresh("argument");
        let id = self.variable(&name, Space::Param, element, count, align);
        if let Some(scope) = self.current.scopes.last_mut() {
            scope.variables.push(id);
        }
        id
    }

    pub(super) fn statement(&mut self, what: What) {
        self.guarded(None, what);
    }

    pub(super) fn guarded(&mut self, guard: Option<(Register, bool)>, what: What) {
        if let Some(body) = self.current.bodies.last_mut() {
            body.push(Statement { guard, what });
        }
    }

    /// The statements that `generate` adds; values it makes are forgotten.
    pub(super) fn nested(&mut self, generate: impl FnOnce(&mut Self)) -> Vec<Statement> {
        self.current.bodies.push(Vec::new());
        let (pool, together) = (self.current.pool.clone(), self.together);
        self.together = false;
        generate(self);
        self.current.pool = pool;
        self.together = together;
        self.current.bodies.pop().unwrap_or_default()
    }

    /// A scope of its own in the text, with the statements and declarations that `generate` adds.
    pub(super) fn scoped(&mut self, generate: impl FnOnce(&mut Self)) {
        self.current.scopes.push(Scope::default());
        self.current.bodies.push(Vec::new());
        generate(self);
        let body = self.current.bodies.pop().unwrap_or_default();
        let mut scope = self.current.scopes.pop().unwrap_or_default();
        scope.body = body;
        // Registers live on after the scope, which is there for its variables.
        let registers = std::mem::take(&mut scope.registers);
        let vectors = std::mem::take(&mut scope.vectors);
        if let Some(outer) = self.current.scopes.last_mut() {
            outer.registers.extend(registers);
            outer.vectors.extend(vectors);
        }
        self.statement(What::Scope(scope));
    }

    /// Lets one thread alone execute what `generate` adds, so that it can have whole variables for itself.
    pub(super) fn alone(&mut self, generate: impl FnOnce(&mut Self)) {
        if self.shape.all() == 1 {
            return generate(self);
        }
        let predicate = self.register(1);
        let chosen = Operand::Immediate(self.rng.u64(..u64::from(self.shape.all())));
        let arguments = [Operand::Register(self.current.number), chosen];
        self.statement(What::Compare { comparison: "eq", ty: Type::u(32), to: predicate, arguments });
        let then = self.nested(generate);
        self.statement(What::If { predicate, negated: false, then, otherwise: Vec::new() });
    }

    pub(super) fn compute(&mut self, operation: &'static str, ty: Type, to: Register, arguments: &[Operand]) {
        self.statement(What::Compute { operation, ty, to, arguments: arguments.to_vec() });
    }

    /// A number of this width: a register of the pool, or a constant.
    pub(super) fn value(&mut self, bits: u32) -> Operand {
        let fit: Vec<Register> = self.pool(bits);
        let constant = if self.constants { 2 } else { 6 };
        if fit.is_empty() || self.rng.u32(..constant) == 0 {
            return Operand::Immediate(self.constant(bits));
        }
        Operand::Register(*self.choose(&fit))
    }

    pub(super) fn pool(&self, bits: u32) -> Vec<Register> {
        let all = self.current.pool.iter().copied();
        all.filter(|register| self.current.function.registers[*register].bits == bits).collect()
    }

    /// A number that is worth trying.
    pub(super) fn constant(&mut self, bits: u32) -> u64 {
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let any = self.rng.u64(..);
        let value = match self.rng.u8(..6) {
            0 => any,
            1 => u64::MAX,
            2 => 1 << (any % u64::from(bits)),
            _ => any % 100,
        };
        // Negative numbers are written with a sign elsewhere; ptxas takes 64-bit constants as they are.
        value & mask
    }

    /// A number of this width in a register.
    pub(super) fn value_register(&mut self, bits: u32) -> Register {
        let value = self.value(bits);
        self.in_register(value, bits)
    }

    /// The register that a value is in, or a new one for a constant.
    pub(super) fn in_register(&mut self, value: Operand, bits: u32) -> Register {
        match value {
            Operand::Register(register) => register,
            constant @ Operand::Immediate(_) => {
                let to = self.register(bits);
                self.compute("mov", Type::b(bits), to, &[constant]);
                to
            }
        }
    }

    /// A predicate of numbers of the pool.
    pub(super) fn predicate(&mut self) -> Register {
        let bits = *self.choose(&[16, 32, 64]);
        let ty = Type { letter: *self.choose(&['u', 's']), bits };
        let comparison = *self.choose(&["eq", "ne", "lt", "le", "gt", "ge"]);
        let a = Operand::Register(self.value_register(bits));
        let b = self.value(bits);
        let to = self.register(1);
        self.statement(What::Compare { comparison, ty, to, arguments: [a, b] });
        to
    }

    pub(super) fn store_to(&mut self, variable: VariableId, offset: i64, ty: Type, from: Operand) {
        let at = Address { base: Base::Variable(variable), offset };
        let space = Some(self.module.variables[variable].space);
        self.statement(What::Store { qualifier: "", space, ty, from: Lanes::One(from), at });
    }

    pub(super) fn load_from(&mut self, to: Register, variable: VariableId, offset: i64, ty: Type) {
        let at = Address { base: Base::Variable(variable), offset };
        let space = Some(self.module.variables[variable].space);
        let to = Lanes::One(Operand::Register(to));
        self.statement(What::Load { qualifier: "", space, ty, to, at });
    }

    /// A place of the thread's output.
    pub(super) fn output(&mut self, bytes: u32) -> Address {
        let at = self.slot.next_multiple_of(bytes);
        self.slot = (at + bytes) % (OUTPUT - 16);
        Address { base: Base::Register(self.current.output), offset: i64::from(at) }
    }

    /// Stores a register to the output.
    pub(super) fn observe(&mut self, register: Register, ty: Type) {
        let at = self.output(ty.bytes());
        let from = Lanes::One(Operand::Register(register));
        self.statement(What::Store { qualifier: "", space: Some(Space::Global), ty, from, at });
    }
}
