//! Functions in both ABIs: scalars, vectors, aggregates of bytes, arrays without a size, several results; direct calls, prototypes, tables.

use super::generate::{Current, Generator, inner};
use super::syntax::*;
use super::vectors;

/// What a parameter or a result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Scalar(u32),
    Vector(Type, u32),
    Bytes {
        size: u32,
        align: u32,
    },
    /// An array without a size, whose length the call determines.
    Open {
        size: u32,
        align: u32,
    },
}

/// Parameters and results of functions.
#[derive(Clone, Debug)]
struct Signature {
    /// Whether they are in `.param`.
    memory: bool,
    parameters: Vec<Form>,
    results: Vec<Form>,
}

pub(super) fn episode(g: &mut Generator) {
    let signature = signature(g);
    let count = if signature.memory { g.rng.usize(1..3) } else { 1 };
    let functions: Vec<FunctionId> = (0..count).map(|_| define(g, &signature, body)).collect();
    let other = *g.choose(&functions);
    let first = functions[0];
    if g.rng.bool() {
        let uniform = g.together && g.rng.bool();
        invoke(g, &signature, Target::Direct(first), uniform);
    } else {
        let predicate = g.predicate();
        let then = g.nested(|g| call_somehow(g, &signature, first, other));
        let otherwise =
            if g.one_in(3) { g.nested(|g| call_somehow(g, &signature, other, first)) } else { Vec::new() };
        g.statement(What::If { predicate, negated: false, then, otherwise });
    }
    if signature.memory && g.rng.bool() {
        call_somehow(g, &signature, first, other);
    }
}

/// A call that exits from a function of its own, after and before stores. Used by the episodes about endings.
pub(super) fn call_with(g: &mut Generator, generate: impl FnOnce(&mut Generator)) {
    let memory = g.rng.bool();
    let form = Form::Scalar(32);
    let results = if g.rng.bool() { vec![form] } else { Vec::new() };
    let signature = Signature { memory, parameters: vec![form], results };
    let function = define(g, &signature, generate);
    invoke(g, &signature, Target::Direct(function), false);
}

/// A function that calls itself as long as its first parameter is not 0, with memory of its own in each call.
pub(super) fn recursion(g: &mut Generator) {
    let mut signature = signature(g);
    signature.memory = true;
    let is_memory = |form: &Form| !matches!(form, Form::Vector(..));
    signature.parameters.retain(is_memory);
    signature.results.retain(is_memory);
    signature.results.truncate(1);
    signature.parameters.insert(0, Form::Scalar(32));
    let itself = g.module.functions.len();
    let again = signature.clone();
    let function = define(g, &signature, |g| {
        let Some(Parameter::Variable(counter)) = g.current.function.parameters.get(2).copied() else {
            return;
        };
        let (left, next, predicate) = (g.register(32), g.register(32), g.register(1));
        g.load_from(left, counter, 0, Type::b(32));
        let own = g.place(Space::Local, Type::b(32), Some(2), 4);
        let kept = g.value(32);
        g.store_to(own, 4, Type::b(32), kept);
        let arguments = [Operand::Register(left), Operand::Immediate(0)];
        g.statement(What::Compare { comparison: "ne", ty: Type::u(32), to: predicate, arguments });
        let then = g.nested(|g| {
            g.compute("sub", Type::u(32), next, &[Operand::Register(left), Operand::Immediate(1)]);
            let target = Target::Direct(itself);
            g.scoped(|g| in_memory(g, &again, target, false, Some(Operand::Register(next))));
        });
        g.statement(What::If { predicate, negated: false, then, otherwise: Vec::new() });
        let loaded = g.register(32);
        g.load_from(loaded, own, 4, Type::b(32));
        g.observe(loaded, Type::b(32));
        g.observe(left, Type::b(32));
        inner(g);
    });
    let (number, depth) = (g.value_register(32), g.register(32));
    g.compute("and", Type::b(32), depth, &[Operand::Register(number), Operand::Immediate(3)]);
    let target = Target::Direct(function);
    g.scoped(|g| in_memory(g, &signature, target, false, Some(Operand::Register(depth))));
}

fn call_somehow(g: &mut Generator, signature: &Signature, f: FunctionId, other: FunctionId) {
    if !signature.memory || g.rng.bool() {
        return invoke(g, signature, Target::Direct(f), false);
    }
    let [mut a, b, chosen] = [0; 3].map(|_| g.register(64));
    g.statement(What::FunctionAddress { to: a, function: f });
    if f != other {
        let predicate = g.predicate();
        g.statement(What::FunctionAddress { to: b, function: other });
        let arguments = [a, b].map(Operand::Register);
        g.statement(What::Select { ty: Type::b(64), to: chosen, arguments, predicate });
        a = chosen;
    }
    if g.rng.bool() {
        // Through memory.
        let table = g.place(Space::Local, Type::b(64), Some(2), 8);
        g.store_to(table, 8, Type::b(64), Operand::Register(a));
        g.load_from(a, table, 8, Type::b(64));
    }
    let target = if g.rng.bool() { Target::Prototype(a, f) } else { Target::Table(a, f, other) };
    invoke(g, signature, target, false);
}

fn signature(g: &mut Generator) -> Signature {
    let memory = g.rng.bool();
    let form = |g: &mut Generator| match (memory, g.rng.u8(..3)) {
        (_, 0) => Form::Scalar(*g.choose(if memory { &[8, 16, 32, 64] } else { &[16, 32, 64, 64] })),
        (false, _) => {
            let (element, lanes) = vectors::shape(g);
            Form::Vector(element, lanes)
        }
        (true, _) => {
            let align = *g.choose(&[1, 2, 4, 8, 16]);
            Form::Bytes { size: *g.choose(&[3, 4, 7, 8, 12, 16]), align }
        }
    };
    let mut parameters: Vec<Form> = (0..g.rng.usize(1..4)).map(|_| form(g)).collect();
    let most = if memory { 2 } else { 4 };
    let results = (0..g.rng.usize(..most)).map(|_| form(g)).collect();
    if memory && g.one_in(3) {
        let align = *g.choose(&[4, 8]);
        parameters.push(Form::Open { size: 8 * g.rng.u32(1..4), align });
    }
    Signature { memory, parameters, results }
}

/// Generates a function.
fn define(g: &mut Generator, signature: &Signature, generate: impl FnOnce(&mut Generator)) -> FunctionId {
    let name = g.fresh("function");
    let outer = std::mem::replace(&mut g.current, Current::new(&name, false));
    let together = std::mem::replace(&mut g.together, false);
    g.depth += 1;
    let mut bytes = Vec::new();
    let pointers = [Form::Scalar(64); 2];
    let mut head = Vec::new();
    for (at, form) in pointers.iter().chain(&signature.parameters).enumerate() {
        let parameter = parameter(g, *form, signature.memory);
        g.current.function.parameters.push(parameter);
        if at < 2 {
            head.push(parameter);
        }
    }
    let [output, input] = [0, 1].map(|at| match head[at] {
        Parameter::Register(register) => register,
        Parameter::Variable(id) => {
            let to = g.declared(["%t_out", "%t_in"][at], 64);
            g.load_from(to, id, 0, Type::u(64));
            to
        }
        Parameter::Vector(_) => unreachable!("a pointer is a scalar"),
    });
    (g.current.output, g.current.input) = (output, input);
    g.number_thread();
    let parameters = g.current.function.parameters.clone();
    for (parameter, form) in parameters[2..].iter().zip(&signature.parameters) {
        take(g, *parameter, *form, &mut bytes);
    }
    let results: Vec<Parameter> =
        signature.results.iter().map(|form| parameter(g, *form, signature.memory)).collect();
    g.current.function.results.clone_from(&results);
    for (variable, size) in bytes.clone() {
        for _ in 0..2 {
            read(g, variable, size, &bytes);
        }
    }
    generate(g);
    for (result, form) in results.iter().zip(&signature.results) {
        leave(g, *result, *form);
    }
    g.statement(What::Return);
    let function = g.current.finish();
    g.module.functions.push(function);
    g.current = outer;
    g.together = together;
    g.depth -= 1;
    g.module.functions.len() - 1
}

fn body(g: &mut Generator) {
    inner(g);
    if g.one_in(3) && g.room() {
        inner(g);
    }
}

fn parameter(g: &mut Generator, form: Form, memory: bool) -> Parameter {
    let name = g.fresh(if memory { "parameter" } else { "%a" });
    match form {
        Form::Scalar(bits) if memory => {
            Parameter::Variable(g.variable(&name, Space::Param, Type::b(bits), Some(0), bits / 8))
        }
        Form::Scalar(bits) => Parameter::Register(g.named(&name, bits)),
        Form::Vector(element, lanes) => Parameter::Vector(g.vector(Some(&name), element, lanes)),
        Form::Bytes { size, align } => {
            Parameter::Variable(g.variable(&name, Space::Param, Type::b(8), Some(size), align))
        }
        Form::Open { align, .. } => {
            Parameter::Variable(g.variable(&name, Space::Param, Type::b(8), None, align))
        }
    }
}

/// Makes the numbers of a parameter known.
fn take(g: &mut Generator, parameter: Parameter, form: Form, bytes: &mut Vec<(VariableId, u32)>) {
    match (parameter, form) {
        (Parameter::Register(register), _) => g.current.pool.push(register),
        (Parameter::Vector(vector), _) => {
            let lanes = g.lanes_of(vector);
            g.current.pool.extend(lanes);
        }
        (Parameter::Variable(id), Form::Scalar(bits)) => bytes.push((id, bits / 8)),
        (Parameter::Variable(id), Form::Bytes { size, .. } | Form::Open { size, .. }) => {
            bytes.push((id, size));
        }
        (Parameter::Variable(_), Form::Vector(..)) => {}
    }
}

/// Loads a part of a parameter in memory, by its name or through a register, and observes it.
fn read(g: &mut Generator, variable: VariableId, size: u32, all: &[(VariableId, u32)]) {
    let align = g.module.variables[variable].align;
    let fit: Vec<u32> = [1, 2, 4, 8].into_iter().filter(|w| *w <= align && *w <= size).collect();
    let width = *g.choose(&fit);
    let offset = i64::from(g.rng.u32(..size / width) * width);
    let ty = Type { letter: *g.choose(&['u', 'b', 's']), bits: 8 * width };
    let bits = ty.bits.max(16);
    let register = g.register(bits);
    let to = Lanes::One(Operand::Register(register));
    let at = match g.rng.u8(..4) {
        0 => {
            let address = g.register(64);
            g.statement(What::AddressOf { ty: Type::b(64), to: address, variable, offset: 0 });
            let sum = g.register(64);
            let of = [Operand::Register(address), Operand::Immediate(offset as u64)];
            g.compute("add", Type::u(64), sum, &of);
            Address { base: Base::Register(sum), offset: 0 }
        }
        1 => {
            // One of two parameters.
            let end = offset as u32 + width;
            let fits =
                |other: &&(VariableId, u32)| other.1 >= end && g.module.variables[other.0].align >= width;
            let others: Vec<VariableId> = all.iter().filter(fits).map(|other| other.0).collect();
            let other = *g.choose(&others);
            let [a, b, chosen] = [0; 3].map(|_| g.register(64));
            g.statement(What::AddressOf { ty: Type::b(64), to: a, variable, offset: 0 });
            g.statement(What::AddressOf { ty: Type::b(64), to: b, variable: other, offset: 0 });
            let predicate = g.predicate();
            let arguments = [a, b].map(Operand::Register);
            g.statement(What::Select { ty: Type::b(64), to: chosen, arguments, predicate });
            Address { base: Base::Register(chosen), offset }
        }
        _ => Address { base: Base::Variable(variable), offset },
    };
    g.statement(What::Load { qualifier: "", space: Some(Space::Param), ty, to, at });
    g.observe(register, Type::b(bits));
    g.current.pool.push(register);
}

/// Gives a result its value.
fn leave(g: &mut Generator, result: Parameter, form: Form) {
    match result {
        Parameter::Register(register) => {
            let bits = g.current.function.registers[register].bits;
            let from = g.value(bits);
            g.compute("mov", Type::b(bits), register, &[from]);
        }
        Parameter::Vector(vector) => {
            let element = g.current.function.vectors[vector].element;
            for lane in g.lanes_of(vector) {
                let from = g.value(element.bits);
                g.compute("mov", element, lane, &[from]);
            }
        }
        Parameter::Variable(variable) => {
            let address = if g.one_in(3) {
                let to = g.register(64);
                g.statement(What::AddressOf { ty: Type::b(64), to, variable, offset: 0 });
                Base::Register(to)
            } else {
                Base::Variable(variable)
            };
            fill(g, variable, size_of(form), address);
        }
    }
}

const fn size_of(form: Form) -> u32 {
    match form {
        Form::Scalar(bits) => bits / 8,
        Form::Vector(element, lanes) => element.bytes() * lanes,
        Form::Bytes { size, .. } | Form::Open { size, .. } => size,
    }
}

/// The width of an access at a place of a variable that has so many bytes and so great an alignment.
fn width_at(g: &mut Generator, at: u32, size: u32, align: u32) -> u32 {
    let fits = |w: &u32| *w <= align && at.is_multiple_of(*w) && at + w <= size;
    let fit: Vec<u32> = [1, 2, 4, 8].into_iter().filter(fits).collect();
    *g.choose(&fit)
}

/// Stores numbers into all bytes of a `.param` variable.
fn fill(g: &mut Generator, variable: VariableId, size: u32, base: Base) {
    let align = g.module.variables[variable].align;
    let mut at = 0;
    while at < size {
        let width = width_at(g, at, size, align);
        let ty = Type::b(8 * width);
        let from = Lanes::One(Operand::Register(g.value_register(ty.bits.max(16))));
        let place = Address { base, offset: i64::from(at) };
        g.statement(What::Store { qualifier: "", space: Some(Space::Param), ty, from, at: place });
        at += width;
    }
}

/// Calls a function and observes its results.
fn invoke(g: &mut Generator, signature: &Signature, target: Target, uniform: bool) {
    if signature.memory {
        return g.scoped(|g| in_memory(g, signature, target, uniform, None));
    }
    let mut arguments: Vec<Argument> = [g.current.output, g.current.input]
        .map(|pointer| Argument::Lanes(Lanes::One(Operand::Register(pointer))))
        .to_vec();
    for form in &signature.parameters {
        arguments.push(Argument::Lanes(match *form {
            Form::Vector(element, lanes) => Lanes::Vector(vectors::filled(g, element, lanes)),
            form => Lanes::One(plain_value(g, 8 * size_of(form))),
        }));
    }
    let mut results = Vec::new();
    for form in &signature.results {
        results.push(match *form {
            Form::Vector(element, lanes) => Lanes::Vector(g.vector(None, element, lanes)),
            form => Lanes::One(Operand::Register(g.register(8 * size_of(form)))),
        });
    }
    let to = results.iter().cloned().map(Argument::Lanes).collect();
    g.statement(What::Call { target, arguments, results: to, uniform });
    for lanes in results {
        match lanes {
            Lanes::Vector(vector) => {
                let element = g.current.function.vectors[vector].element;
                for lane in g.lanes_of(vector) {
                    g.observe(lane, element);
                    g.current.pool.push(lane);
                }
            }
            Lanes::One(Operand::Register(register)) => {
                let bits = g.current.function.registers[register].bits;
                g.observe(register, Type::b(bits));
                g.current.pool.push(register);
            }
            _ => {}
        }
    }
}

/// A number that can be an argument: ptxas takes no element of a vector register.
fn plain_value(g: &mut Generator, bits: u32) -> Operand {
    let value = g.value(bits);
    let Operand::Register(register) = value else { return value };
    if !g.current.function.registers[register].name.contains('.') {
        return value;
    }
    let to = g.register(bits);
    g.compute("mov", Type::b(bits), to, &[value]);
    Operand::Register(to)
}

/// `first` is the first argument, where it is not any number.
fn in_memory(
    g: &mut Generator,
    signature: &Signature,
    target: Target,
    uniform: bool,
    mut first: Option<Operand>,
) {
    let mut arguments = Vec::new();
    for pointer in [g.current.output, g.current.input] {
        let id = g.argument_variable(Type::b(64), Some(0), 8);
        g.store_to(id, 0, Type::b(64), Operand::Register(pointer));
        arguments.push(Argument::Variable(id));
    }
    for form in &signature.parameters {
        let id = match *form {
            Form::Scalar(bits) => g.argument_variable(Type::b(bits), Some(0), bits / 8),
            Form::Bytes { size, align } | Form::Open { size, align } => {
                g.argument_variable(Type::b(8), Some(size), align)
            }
            Form::Vector(..) => continue,
        };
        match first.take() {
            Some(first) => g.store_to(id, 0, Type::b(8 * size_of(*form)), first),
            None => fill(g, id, size_of(*form), Base::Variable(id)),
        }
        arguments.push(Argument::Variable(id));
    }
    let mut results = Vec::new();
    for form in &signature.results {
        let id = match *form {
            Form::Bytes { size, align } => g.argument_variable(Type::b(8), Some(size), align),
            form => g.argument_variable(Type::b(8 * size_of(form)), Some(0), size_of(form)),
        };
        results.push((id, size_of(*form)));
    }
    let to = results.iter().map(|(id, _)| Argument::Variable(*id)).collect();
    g.statement(What::Call { target, arguments, results: to, uniform });
    for (id, size) in results {
        let align = g.module.variables[id].align;
        let mut at = 0;
        while at < size {
            let width = width_at(g, at, size, align);
            let ty = Type::b(8 * width);
            let bits = ty.bits.max(16);
            let register = g.register(bits);
            g.load_from(register, id, i64::from(at), ty);
            g.observe(register, Type::b(bits));
            at += width;
        }
    }
}
