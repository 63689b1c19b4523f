//! Integer arithmetic, moves of mixed widths, branches, loops.

use super::generate::{Generator, inner};
use super::syntax::*;

const TWO: &[&str] = &["add", "sub", "mul.lo", "and", "or", "xor", "min", "max", "shl", "shr", "mul.hi"];

/// Some operations on the numbers there are, of which the last is observed.
pub(super) fn episode(g: &mut Generator) {
    let mut last = None;
    for _ in 0..g.rng.usize(2..7) {
        last = Some(operation(g));
    }
    if let Some((register, bits)) = last {
        g.observe(register, Type::b(bits));
    }
}

/// One operation; its result is in the pool.
pub(super) fn operation(g: &mut Generator) -> (Register, u32) {
    let bits = *g.choose(&[16, 32, 32, 64]);
    let to = target(g, bits);
    match g.rng.u8(..10) {
        0 => {
            let from_bits = *g.choose(&[16, 32, 64]);
            let from = g.value_register(from_bits);
            // Parts of registers convert too.
            let width = |g: &mut Generator, most: u32| {
                let all: Vec<u32> = [8, 16, 32, 64].into_iter().filter(|w| *w <= most).collect();
                let letter = *g.choose(&['u', 's']);
                Type { letter, bits: *g.choose(&all) }
            };
            let (to_type, from_type) = (width(g, bits), width(g, from_bits));
            g.statement(What::Convert { to_type, from_type, to, from });
        }
        1 if bits >= 32 => {
            let ty = if bits == 64 && g.rng.bool() { 16 } else { bits / 2 };
            let from = (0..bits / ty).map(|_| Operand::Register(g.value_register(ty))).collect();
            g.statement(What::Pack { ty: Type::b(bits), to, from: Lanes::Braces(from) });
        }
        2 if bits >= 32 => {
            let parts: Vec<Register> = (0..2).map(|_| g.register(bits / 2)).collect();
            let from = g.value_register(bits);
            let lanes = Lanes::Braces(parts.iter().copied().map(Operand::Register).collect());
            g.statement(What::Unpack { ty: Type::b(bits), to: lanes, from });
            g.current.pool.extend(parts);
            g.compute("mov", Type::b(bits), to, &[Operand::Register(from)]);
        }
        3 => {
            let predicate = g.predicate();
            let arguments = [g.value(bits), g.value(bits)];
            g.statement(What::Select { ty: Type::b(bits), to, arguments, predicate });
        }
        4 if bits >= 32 => {
            let operation = *g.choose(&["not", "brev"]);
            let from = Operand::Register(g.value_register(bits));
            g.compute(operation, Type::b(bits), to, &[from]);
        }
        _ => {
            let operation = *g.choose(TWO);
            let letter = match operation {
                "and" | "or" | "xor" | "shl" => 'b',
                _ => *g.choose(&['u', 's']),
            };
            let a = Operand::Register(g.value_register(bits));
            let b = if matches!(operation, "shl" | "shr") { g.value(32) } else { g.value(bits) };
            let guard = if g.one_in(5) { Some((g.predicate(), g.rng.bool())) } else { None };
            if guard.is_some() {
                let before = g.value(bits);
                g.compute("mov", Type::b(bits), to, &[before]);
            }
            let ty = Type { letter, bits };
            g.guarded(guard, What::Compute { operation, ty, to, arguments: vec![a, b] });
        }
    }
    if !g.current.pool.contains(&to) {
        g.current.pool.push(to);
    }
    (to, bits)
}

/// A new register, or one that is there already.
fn target(g: &mut Generator, bits: u32) -> Register {
    let fit = g.pool(bits);
    if !fit.is_empty() && g.one_in(3) { *g.choose(&fit) } else { g.register(bits) }
}

/// A branch, a loop or a switch.
pub(super) fn control(g: &mut Generator) {
    match g.rng.u8(..4) {
        0 => {
            let counter = g.register(32);
            let predicate = g.register(1);
            let limit = if g.rng.bool() {
                Operand::Immediate(g.rng.u64(1..6))
            } else {
                let from = g.value_register(32);
                let limit = g.register(32);
                g.compute("and", Type::b(32), limit, &[Operand::Register(from), Operand::Immediate(3)]);
                Operand::Register(limit)
            };
            let body = g.nested(|g| {
                g.current.pool.push(counter);
                episode(g);
                // The counter itself is not changed.
                g.current.pool.retain(|register| *register != counter);
            });
            let body = protect(body, counter, g);
            g.statement(What::Loop { counter, predicate, limit, body });
        }
        1 => {
            let from = g.value_register(32);
            let index = g.register(32);
            g.compute("and", Type::b(32), index, &[Operand::Register(from), Operand::Immediate(3)]);
            let arms = (0..4).map(|_| g.nested(episode)).collect();
            g.statement(What::Switch { index, arms });
        }
        _ => {
            let predicate = g.predicate();
            let negated = g.rng.bool();
            let then = g.nested(inner);
            let otherwise = if g.rng.bool() { g.nested(inner) } else { Vec::new() };
            g.statement(What::If { predicate, negated, then, otherwise });
        }
    }
    let pool = g.current.pool.clone();
    let observed = *g.choose(&pool);
    let bits = g.current.function.registers[observed].bits;
    g.observe(observed, Type::b(bits));
}

/// Lets a loop's body assign to a copy where it would assign to the counter.
fn protect(body: Vec<Statement>, counter: Register, g: &mut Generator) -> Vec<Statement> {
    let other = g.register(32);
    let assigns = |statement: &mut Statement| match &mut statement.what {
        What::Compute { to, .. }
        | What::Select { to, .. }
        | What::Convert { to, .. }
        | What::Pack { to, .. }
            if *to == counter =>
        {
            *to = other;
        }
        _ => {}
    };
    let mut body = body;
    body.iter_mut().for_each(assigns);
    body
}
