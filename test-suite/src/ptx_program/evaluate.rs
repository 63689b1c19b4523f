//! What a program leaves, by the PTX manual and independently of `ptx-exec`: all threads in step, a mask of those that execute.

use std::collections::HashMap;

use anyhow::{Context as _, Result, bail, ensure};
use fastrand::Rng;

use super::memory::{Fill, Memory, Owner};
use super::number::{compare, compute, extend, mask_of};
use super::print::count;
use super::syntax::*;

/// The most threads.
pub(super) const MOST: usize = 8;
/// Bytes of input of a thread.
pub(super) const INPUT: u32 = 64;
/// Bytes of output of a thread.
pub(super) const OUTPUT: u32 = 1024;
/// Statements after which a program counts as endless.
const STEPS: usize = 100_000;
/// Layouts and undefined values under which a program has to leave the same.
const ENVIRONMENTS: u64 = 8;

/// How a program ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ending {
    /// What it leaves in the output buffer, where a trap ends its thread alone.
    pub(super) output: Vec<u8>,
    /// Whether a thread executed `trap`.
    pub(super) trapped: bool,
}

/// What a program leaves, which must not depend on where variables are and what undefined memory and
/// registers hold.
pub(super) fn expected(module: &Module, shape: Shape, input: &[u8]) -> Result<Ending> {
    let first = evaluate(module, shape, input, 0)?;
    for environment in 1..ENVIRONMENTS {
        let other = evaluate(module, shape, input, environment)?;
        ensure!(first.trapped == other.trapped, "whether the program traps depends on undefined values");
        let differs = first.output.iter().zip(&other.output).position(|(a, b)| a != b);
        if let Some(at) = differs {
            bail!("byte {at} of the output depends on the layout or on undefined values");
        }
    }
    Ok(first)
}

fn evaluate(module: &Module, shape: Shape, input: &[u8], environment: u64) -> Result<Ending> {
    let mut rng = Rng::with_seed(environment.wrapping_mul(0x9e37_79b9) + 77);
    let fill = Fill::of(environment);
    let mut memory = Memory::new(rng.fork(), fill);
    memory.lay_out(&module.variables, &module.statics, shape.blocks);
    let size = OUTPUT * shape.all();
    let zeros = vec![0; size as usize];
    let output = memory.allocate(Space::Global, Owner::Everyone, size, 16, &zeros);
    let input = memory.allocate(Space::Global, Owner::Everyone, input.len() as u32, 16, input);
    let all = (1u32 << shape.all()) - 1;
    let functions = (0..module.functions.len()).map(|_| rng.u64(1..1 << 40) * 256).collect();
    let carries = [rng.bool(); MOST];
    let mut machine = Machine {
        module,
        fill,
        shape,
        memory,
        rng,
        alive: all,
        trapped: false,
        carries,
        functions,
        steps: 0,
    };
    let kernel = module.functions.len().checked_sub(1).context("no kernel")?;
    let arguments = [output, input].map(|address| [address.to_le_bytes().to_vec(); 1]);
    let mut frame = machine.frame(kernel);
    for (parameter, bytes) in module.functions[kernel].parameters.iter().zip(arguments) {
        let Parameter::Variable(id) = parameter else { continue };
        let mut places = [0; MOST];
        for (thread, place) in places.iter_mut().enumerate().take(shape.all() as usize) {
            *place = machine.memory.allocate(Space::Param, Owner::Thread(thread as u32), 8, 8, &bytes[0]);
        }
        frame.places.insert(*id, places);
    }
    machine.scope(&mut frame, &module.functions[kernel].scope, all)?;
    let mut result = Vec::new();
    for at in (0..size).step_by(8) {
        result.extend(machine.memory.bytes(Some(Space::Global), output + u64::from(at), 8, [0, 0])?.iter());
    }
    Ok(Ending { output: result, trapped: machine.trapped })
}

/// One call.
struct Frame<'m> {
    function: &'m Function,
    registers: Vec<[u64; MOST]>,
    /// Where its variables are for each thread.
    places: HashMap<VariableId, [u64; MOST]>,
    returned: u32,
}

struct Machine<'m> {
    module: &'m Module,
    shape: Shape,
    memory: Memory,
    rng: Rng,
    /// What registers hold that nothing was stored to.
    fill: Fill,
    /// Threads that have not ended.
    alive: u32,
    /// Whether a thread executed `trap`.
    trapped: bool,
    /// CC.CF.
    carries: [bool; MOST],
    /// Addresses of functions.
    functions: Vec<u64>,
    steps: usize,
}

fn threads(mask: u32) -> impl Iterator<Item = usize> {
    (0..MOST).filter(move |thread| mask >> thread & 1 == 1)
}

impl<'m> Machine<'m> {
    fn frame(&mut self, function: FunctionId) -> Frame<'m> {
        let function = &self.module.functions[function];
        // Registers hold anything.
        let registers = function.registers.iter().map(|info| {
            let mut values = [0; MOST];
            values.fill_with(|| self.fill.value(&mut self.rng) & mask_of(info.bits));
            values
        });
        Frame { function, registers: registers.collect(), places: HashMap::new(), returned: 0 }
    }

    fn of(&self, thread: usize) -> [u32; 2] {
        [thread as u32 / self.shape.threads, thread as u32]
    }

    fn scope(&mut self, frame: &mut Frame<'m>, scope: &Scope, mask: u32) -> Result<()> {
        let mark = self.memory.mark();
        for &id in &scope.variables {
            let variable = &self.module.variables[id];
            let bytes = variable.bytes().context("a local array needs a size")?;
            let mut places = [0; MOST];
            for thread in threads(mask) {
                places[thread] = self.memory.allocate(
                    variable.space,
                    Owner::Thread(thread as u32),
                    bytes,
                    variable.align,
                    &[],
                );
            }
            frame.places.insert(id, places);
        }
        for &register in &scope.registers {
            for thread in threads(mask) {
                let any = self.fill.value(&mut self.rng);
                set(frame, register, thread, any);
            }
        }
        self.run(frame, &scope.body, mask)?;
        self.memory.release(mark);
        Ok(())
    }

    fn run(&mut self, frame: &mut Frame<'m>, body: &[Statement], mask: u32) -> Result<()> {
        for statement in body {
            let mask = mask & self.alive & !frame.returned;
            if mask == 0 {
                return Ok(());
            }
            self.steps += 1;
            ensure!(self.steps < STEPS, "too many steps");
            let mask = match statement.guard {
                Some((register, negated)) => threads(mask)
                    .filter(|t| (frame.registers[register][*t] != 0) != negated)
                    .map(|t| 1 << t)
                    .sum(),
                None => mask,
            };
            self.statement(frame, &statement.what, mask)?;
        }
        Ok(())
    }

    fn statement(&mut self, frame: &mut Frame<'m>, what: &What, mask: u32) -> Result<()> {
        match what {
            What::If { predicate, negated, then, otherwise } => {
                let taken: u32 = threads(mask)
                    .filter(|t| (frame.registers[*predicate][*t] != 0) != *negated)
                    .map(|t| 1 << t)
                    .sum();
                self.run(frame, then, taken)?;
                self.run(frame, otherwise, mask & !taken)
            }
            What::Loop { counter, predicate, limit, body } => {
                let mut mask = mask;
                for thread in threads(mask) {
                    frame.registers[*counter][thread] = 0;
                }
                while mask != 0 {
                    self.run(frame, body, mask)?;
                    mask &= self.alive & !frame.returned;
                    for thread in threads(mask) {
                        let next = (frame.registers[*counter][thread] + 1) & mask_of(32);
                        frame.registers[*counter][thread] = next;
                        let more = next < value(frame, limit, thread) & mask_of(32);
                        frame.registers[*predicate][thread] = u64::from(more);
                        if !more {
                            mask &= !(1 << thread);
                        }
                    }
                    self.steps += 1;
                    ensure!(self.steps < STEPS, "too many steps");
                }
                Ok(())
            }
            What::Switch { index, arms } => {
                for (at, arm) in arms.iter().enumerate() {
                    let taken = threads(mask)
                        .filter(|t| frame.registers[*index][*t] == at as u64)
                        .map(|t| 1 << t)
                        .sum();
                    self.run(frame, arm, taken)?;
                }
                let beyond = threads(mask).any(|t| frame.registers[*index][t] >= arms.len() as u64);
                ensure!(!beyond, "the index of a branch is beyond its targets");
                Ok(())
            }
            What::Scope(scope) => self.scope(frame, scope, mask),
            What::Call { target, arguments, results, .. } => {
                self.call(frame, *target, arguments, results, mask)
            }
            What::Exit | What::Trap => {
                self.trapped |= *what == What::Trap && mask != 0;
                self.alive &= !mask;
                Ok(())
            }
            What::Return => {
                frame.returned |= mask;
                Ok(())
            }
            What::Plain(_) => Ok(()),
            simple => {
                for thread in threads(mask) {
                    self.instruction(frame, simple, thread)?;
                }
                Ok(())
            }
        }
    }

    fn call(
        &mut self,
        frame: &mut Frame<'m>,
        target: Target,
        arguments: &[Argument],
        results: &[Argument],
        mask: u32,
    ) -> Result<()> {
        let mut left = mask;
        while left != 0 {
            // Threads may call different functions.
            let first = left.trailing_zeros() as usize;
            let called = |machine: &Self, thread: usize| match target {
                Target::Direct(f) => Some(f),
                Target::Prototype(register, _) | Target::Table(register, _, _) => {
                    machine.functions.iter().position(|at| *at == frame.registers[register][thread])
                }
            };
            let f = called(self, first).context("a call of no function")?;
            if let Target::Table(_, a, b) = target {
                ensure!(f == a || f == b, "a call of a function that is not in the table");
            }
            let group: u32 = threads(left).filter(|t| called(self, *t) == Some(f)).map(|t| 1 << t).sum();
            left &= !group;
            self.call_group(frame, f, arguments, results, group)?;
        }
        Ok(())
    }

    fn call_group(
        &mut self,
        caller: &mut Frame<'m>,
        f: FunctionId,
        arguments: &[Argument],
        results: &[Argument],
        mask: u32,
    ) -> Result<()> {
        let mark = self.memory.mark();
        let mut frame = self.frame(f);
        let function = frame.function;
        ensure!(function.parameters.len() == arguments.len(), "another number of arguments");
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let mut places = [0; MOST];
            for thread in threads(mask) {
                let bytes = self.argument(caller, argument, thread, self.width(function, parameter))?;
                self.receive(&mut frame, *parameter, &bytes, thread, &mut places)?;
            }
            if let Parameter::Variable(id) = parameter {
                frame.places.insert(*id, places);
            }
        }
        for result in &function.results {
            let Parameter::Variable(id) = *result else { continue };
            let bytes = self.module.variables[id].bytes().context("a result needs a size")?;
            let align = self.module.variables[id].align;
            let mut places = [0; MOST];
            for thread in threads(mask) {
                places[thread] =
                    self.memory.allocate(Space::Param, Owner::Thread(thread as u32), bytes, align, &[]);
            }
            frame.places.insert(id, places);
        }
        self.scope(&mut frame, &function.scope, mask)?;
        for (result, to) in function.results.iter().zip(results) {
            for thread in threads(mask & self.alive) {
                let bytes = self.returned(&frame, *result, thread)?;
                self.give(caller, to, &bytes, thread)?;
            }
        }
        self.memory.release(mark);
        Ok(())
    }

    /// Bytes of a parameter, where they are declared.
    fn width(&self, function: &Function, parameter: &Parameter) -> Option<u32> {
        match *parameter {
            Parameter::Variable(id) => self.module.variables[id].bytes(),
            Parameter::Register(register) => Some(function.registers[register].bits / 8),
            Parameter::Vector(vector) => {
                let info = &function.vectors[vector];
                Some(info.element.bytes() * info.lanes.len() as u32)
            }
        }
    }

    /// The bytes of an argument, in the order of memory.
    fn argument(
        &mut self,
        frame: &Frame<'m>,
        argument: &Argument,
        thread: usize,
        width: Option<u32>,
    ) -> Result<Vec<u8>> {
        match argument {
            Argument::Variable(id) => self.variable_bytes(frame, *id, thread),
            Argument::Lanes(lanes) => {
                let each = width.unwrap_or(8) as usize / count(frame.function, lanes);
                let operands = operands(frame.function, lanes);
                Ok(operands
                    .iter()
                    .flat_map(|o| value(frame, o, thread).to_le_bytes()[..each].to_vec())
                    .collect())
            }
        }
    }

    fn variable_bytes(&mut self, frame: &Frame<'m>, id: VariableId, thread: usize) -> Result<Vec<u8>> {
        let bytes =
            self.module.variables[id].bytes().context("an array without a size is not an argument")?;
        let at = frame.places.get(&id).context("a variable out of its scope")?[thread];
        let of = self.of(thread);
        (0..bytes).map(|k| Ok(self.memory.bytes(Some(Space::Param), at + u64::from(k), 1, of)?[0])).collect()
    }

    fn receive(
        &mut self,
        frame: &mut Frame<'m>,
        parameter: Parameter,
        bytes: &[u8],
        thread: usize,
        places: &mut [u64; MOST],
    ) -> Result<()> {
        match parameter {
            Parameter::Variable(id) => {
                let variable = &self.module.variables[id];
                ensure!(variable.bytes().is_none_or(|b| b as usize == bytes.len()), "another size");
                let owner = Owner::Thread(thread as u32);
                let size = bytes.len() as u32;
                places[thread] = self.memory.allocate(Space::Param, owner, size, variable.align, bytes);
            }
            Parameter::Register(register) => frame.registers[register][thread] = from_bytes(bytes),
            Parameter::Vector(vector) => {
                let info = &frame.function.vectors[vector];
                let width = info.element.bytes() as usize;
                for (lane, part) in info.lanes.iter().zip(bytes.chunks(width)) {
                    frame.registers[*lane][thread] = from_bytes(part);
                }
            }
        }
        Ok(())
    }

    fn returned(&mut self, frame: &Frame<'m>, result: Parameter, thread: usize) -> Result<Vec<u8>> {
        Ok(match result {
            Parameter::Variable(id) => self.variable_bytes(frame, id, thread)?,
            Parameter::Register(register) => {
                let width = frame.function.registers[register].bits as usize / 8;
                frame.registers[register][thread].to_le_bytes()[..width].to_vec()
            }
            Parameter::Vector(vector) => {
                let info = &frame.function.vectors[vector];
                let width = info.element.bytes() as usize;
                let lanes = info.lanes.iter();
                lanes
                    .flat_map(|lane| frame.registers[*lane][thread].to_le_bytes()[..width].to_vec())
                    .collect()
            }
        })
    }

    /// Puts a result where the caller wants it.
    fn give(&mut self, frame: &mut Frame<'m>, to: &Argument, bytes: &[u8], thread: usize) -> Result<()> {
        match to {
            Argument::Variable(id) => {
                let at = frame.places.get(id).context("a variable out of its scope")?[thread];
                let of = self.of(thread);
                for (k, byte) in bytes.iter().enumerate() {
                    self.memory.bytes(Some(Space::Param), at + k as u64, 1, of)?[0] = *byte;
                }
            }
            Argument::Lanes(lanes) => {
                let each = bytes.len() / count(frame.function, lanes);
                for (operand, part) in operands(frame.function, lanes).iter().zip(bytes.chunks(each)) {
                    assign(frame, operand, thread, from_bytes(part));
                }
            }
        }
        Ok(())
    }

    fn address(&self, frame: &Frame<'m>, at: &Address, thread: usize) -> Result<u64> {
        let base = match at.base {
            Base::Variable(id) => self.place(frame, id, thread)?,
            Base::Register(register) => frame.registers[register][thread],
        };
        Ok(base.wrapping_add(at.offset as u64))
    }

    fn place(&self, frame: &Frame<'m>, id: VariableId, thread: usize) -> Result<u64> {
        let in_frame = frame.places.get(&id).map(|places| places[thread]);
        in_frame.or_else(|| self.memory.place_of(id)).context("a variable out of its scope")
    }

    fn load(&mut self, space: Option<Space>, at: u64, bytes: u32, thread: usize) -> Result<u64> {
        let of = self.of(thread);
        Ok(from_bytes(self.memory.bytes(space, at, bytes, of)?))
    }

    fn store(&mut self, space: Option<Space>, at: u64, bytes: u32, value: u64, thread: usize) -> Result<()> {
        let of = self.of(thread);
        let to = self.memory.bytes(space, at, bytes, of)?;
        to.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        Ok(())
    }

    /// Copies bytes from the second place to the first.
    fn copy(
        &mut self,
        frame: &Frame<'m>,
        bytes: u32,
        align: u32,
        places: [(Space, &Address); 2],
        thread: usize,
    ) -> Result<()> {
        let [(to_space, to), (from_space, from)] = places;
        let (to, from) = (self.address(frame, to, thread)?, self.address(frame, from, thread)?);
        ensure!(to.is_multiple_of(u64::from(align)), "misaligned copy");
        ensure!(from.is_multiple_of(u64::from(align)), "misaligned copy");
        for k in 0..u64::from(bytes) {
            let byte = self.load(Some(from_space), from + k, 1, thread)?;
            self.store(Some(to_space), to + k, 1, byte, thread)?;
        }
        Ok(())
    }

    fn instruction(&mut self, frame: &mut Frame<'m>, what: &What, thread: usize) -> Result<()> {
        match what {
            What::Compute { operation, ty, to, arguments } => {
                let values: Vec<u64> = arguments.iter().map(|one| value(frame, one, thread)).collect();
                let result = compute(operation, *ty, &values, &mut self.carries[thread])?;
                set(frame, *to, thread, result);
            }
            What::Compare { comparison, ty, to, arguments } => {
                let [a, b] = arguments.map(|one| value(frame, &one, thread));
                set(frame, *to, thread, u64::from(compare(comparison, *ty, a, b)?));
            }
            What::Select { to, arguments, predicate, .. } => {
                let chosen = usize::from(frame.registers[*predicate][thread] == 0);
                let result = value(frame, &arguments[chosen], thread);
                set(frame, *to, thread, result);
            }
            What::Convert { to_type, from_type, to, from } => {
                let source = extend(frame.registers[*from][thread], *from_type);
                // A narrow result fills the register by its sign.
                let result = extend(source, *to_type);
                set(frame, *to, thread, result);
            }
            What::Pack { to, from, .. } => {
                let parts = operands(frame.function, from);
                let width = frame.function.registers[*to].bits / parts.len() as u32;
                let mut result = 0;
                for (at, part) in parts.iter().enumerate() {
                    result |= (value(frame, part, thread) & mask_of(width)) << (at as u32 * width);
                }
                set(frame, *to, thread, result);
            }
            What::Unpack { to, from, .. } => {
                let parts = operands(frame.function, to);
                let width = frame.function.registers[*from].bits / parts.len() as u32;
                let whole = frame.registers[*from][thread];
                for (at, part) in parts.iter().enumerate() {
                    assign(frame, part, thread, whole >> (at as u32 * width) & mask_of(width));
                }
            }
            What::CopyVector { to, from, .. } => {
                let values: Vec<u64> =
                    operands(frame.function, from).iter().map(|one| value(frame, one, thread)).collect();
                for (to, value) in operands(frame.function, to).iter().zip(values) {
                    assign(frame, to, thread, value);
                }
            }
            What::AddressOf { to, variable, offset, .. } => {
                let at = self.place(frame, *variable, thread)?.wrapping_add(*offset as u64);
                set(frame, *to, thread, at);
            }
            What::Identify { to, what } => {
                let threads = self.shape.threads;
                let result = match what {
                    Identity::Thread => thread as u32 % threads,
                    Identity::Block => thread as u32 / threads,
                    Identity::Threads => threads,
                };
                set(frame, *to, thread, u64::from(result));
            }
            What::FunctionAddress { to, function } => set(frame, *to, thread, self.functions[*function]),
            What::MapAddress { to, from } => {
                let result = self.memory.mapped(frame.registers[*from][thread]);
                set(frame, *to, thread, result);
            }
            What::ConvertAddress { space, back, to, from } => {
                let result = self.memory.convert(*space, frame.registers[*from][thread], *back);
                set(frame, *to, thread, result);
            }
            What::Load { space, ty, to, at, .. } => {
                let at = self.address(frame, at, thread)?;
                let all = operands(frame.function, to);
                let whole = u64::from(ty.bytes()) * all.len() as u64;
                ensure!(at.is_multiple_of(whole), "misaligned vector access");
                let mut values = Vec::new();
                for k in 0..all.len() as u64 {
                    let loaded = self.load(*space, at + k * u64::from(ty.bytes()), ty.bytes(), thread)?;
                    values.push(extend(loaded, *ty));
                }
                for (to, loaded) in all.iter().zip(values) {
                    assign(frame, to, thread, loaded);
                }
            }
            What::Store { space, ty, from, at, .. } => {
                let at = self.address(frame, at, thread)?;
                let all = operands(frame.function, from);
                let whole = u64::from(ty.bytes()) * all.len() as u64;
                ensure!(at.is_multiple_of(whole), "misaligned vector access");
                for (k, one) in all.iter().enumerate() {
                    let stored = value(frame, one, thread);
                    let at = at + k as u64 * u64::from(ty.bytes());
                    self.store(*space, at, ty.bytes(), stored, thread)?;
                }
            }
            What::Atomic { operation, space, ty, to, at, arguments } => {
                let at = self.address(frame, at, thread)?;
                let old = self.load(*space, at, ty.bytes(), thread)?;
                let values: Vec<u64> = arguments.iter().map(|one| value(frame, one, thread)).collect();
                let new = match *operation {
                    "exch" => values[0],
                    "cas" => {
                        let same = old == values[0] & mask_of(ty.bits);
                        if same { values[1] } else { old }
                    }
                    other => compute(other, *ty, &[old, values[0]], &mut false)?,
                };
                self.store(*space, at, ty.bytes(), new, thread)?;
                if let Some(to) = to {
                    set(frame, *to, thread, old);
                }
            }
            What::AsyncCopy { bytes, to, from } => {
                let places = [(Space::Shared, to), (Space::Global, from)];
                self.copy(frame, *bytes, *bytes, places, thread)?;
            }
            What::BulkCopy { bytes, to, from, .. } => {
                let places = [(Space::Shared, to), (Space::Global, from)];
                self.copy(frame, *bytes, 16, places, thread)?;
            }
            What::BulkStore { bytes, to, from } => {
                let places = [(Space::Global, to), (Space::Shared, from)];
                self.copy(frame, *bytes, 16, places, thread)?;
            }
            _ => bail!("no instruction"),
        }
        Ok(())
    }
}

fn operands(function: &Function, lanes: &Lanes) -> Vec<Operand> {
    match lanes {
        Lanes::One(one) => vec![*one],
        Lanes::Braces(all) => all.clone(),
        Lanes::Vector(vector) => {
            function.vectors[*vector].lanes.iter().map(|lane| Operand::Register(*lane)).collect()
        }
    }
}

fn value(frame: &Frame<'_>, operand: &Operand, thread: usize) -> u64 {
    match operand {
        Operand::Register(register) => frame.registers[*register][thread],
        Operand::Immediate(value) => *value,
    }
}

fn set(frame: &mut Frame<'_>, to: Register, thread: usize, value: u64) {
    frame.registers[to][thread] = value & mask_of(frame.function.registers[to].bits);
}

fn assign(frame: &mut Frame<'_>, to: &Operand, thread: usize, value: u64) {
    if let Operand::Register(to) = to {
        set(frame, *to, thread, value);
    }
}

fn from_bytes(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = *from;
    }
    u64::from_le_bytes(all)
}
