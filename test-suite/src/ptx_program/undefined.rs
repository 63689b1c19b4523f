//! Memory and registers that nothing was stored to hold some value: what is done with it does not matter, what is not is kept.

use super::generate::Generator;
use super::syntax::*;

pub(super) fn episode(g: &mut Generator) {
    // What precedes it is done.
    let before = g.value_register(32);
    g.observe(before, Type::b(32));
    if g.rng.bool() {
        let space = *g.choose(&[Space::Shared, Space::Local, Space::Local]);
        let variable = g.place(space, Type::b(32), Some(4), 16);
        g.alone(|g| {
            if g.one_in(3) {
                let value = g.value(32);
                g.store_to(variable, 0, Type::b(32), value);
            }
            let offset = 4 * g.rng.i64(1..4);
            let register = g.register(32);
            g.load_from(register, variable, offset, Type::b(32));
            used(g, register);
        });
    } else {
        let register = g.register(32);
        used(g, register);
    }
}

/// Uses of a value that is not known, without an effect that is known.
fn used(g: &mut Generator, register: Register) {
    let unknown = Operand::Register(register);
    let predicate = g.register(1);
    let comparison = *g.choose(&["eq", "ne", "lt"]);
    let arguments = [unknown, Operand::Immediate(g.rng.u64(..8))];
    g.statement(What::Compare { comparison, ty: Type::u(32), to: predicate, arguments });
    match g.rng.u8(..5) {
        0 => {
            // One thing more is stored, or not, and stored again.
            let value = g.value_register(32);
            let at = g.output(4);
            let store = |g: &mut Generator| {
                let from = Lanes::One(Operand::Register(value));
                let (space, ty) = (Some(Space::Global), Type::b(32));
                g.statement(What::Store { qualifier: "", space, ty, from, at });
            };
            let then = g.nested(store);
            let negated = g.rng.bool();
            g.statement(What::If { predicate, negated, then, otherwise: Vec::new() });
            store(g);
        }
        1 => {
            // Both sides leave the same.
            let (value, to) = (g.value(32), g.register(32));
            let arm = |g: &mut Generator| g.nested(|g| g.compute("mov", Type::b(32), to, &[value]));
            let (then, otherwise) = (arm(g), arm(g));
            g.statement(What::If { predicate, negated: false, then, otherwise });
            g.observe(to, Type::b(32));
        }
        2 => {
            let limit = g.register(32);
            g.compute("and", Type::b(32), limit, &[unknown, Operand::Immediate(7)]);
            let (counter, again, to) = (g.register(32), g.register(1), g.register(32));
            let value = g.value(32);
            let body = g.nested(|g| g.compute("mov", Type::b(32), to, &[value]));
            g.statement(What::Loop { counter, predicate: again, limit: Operand::Register(limit), body });
            g.observe(to, Type::b(32));
        }
        3 => {
            // It is one value, whichever.
            let (a, b, c) = (g.register(32), g.register(32), g.register(32));
            g.compute("mul.lo", Type::u(32), a, &[unknown, Operand::Immediate(3)]);
            g.compute("shl", Type::b(32), b, &[unknown, Operand::Immediate(1)]);
            g.compute("add", Type::u(32), b, &[Operand::Register(b), unknown]);
            g.compute("sub", Type::u(32), c, &[a, b].map(Operand::Register));
            g.observe(c, Type::b(32));
        }
        _ => {
            let index = g.register(32);
            g.compute("and", Type::b(32), index, &[unknown, Operand::Immediate(1)]);
            let (value, to) = (g.value(32), g.register(32));
            let arms = (0..2).map(|_| g.nested(|g| g.compute("mov", Type::b(32), to, &[value])));
            let arms = arms.collect();
            g.statement(What::Switch { index, arms });
            g.observe(to, Type::b(32));
        }
    }
}
