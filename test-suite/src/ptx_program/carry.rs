//! Chains of carries: every operation that writes CC.CF with every one that reads it, guarded and across branches.

use super::generate::Generator;
use super::syntax::*;

const FIRST: &[&str] = &["add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"];
const REST: &[&str] = &[
    "addc",
    "subc",
    "madc.lo",
    "madc.hi",
    "addc.cc",
    "subc.cc",
    "madc.lo.cc",
    "madc.hi.cc",
    "addc.cc",
    "subc.cc",
];

pub(super) fn episode(g: &mut Generator) {
    let bits = *g.choose(&[32, 32, 64]);
    let first = *g.choose(FIRST);
    let mut results = vec![link(g, first, bits, None)];
    let count = g.rng.usize(1..6);
    let mut at = 0;
    while at < count {
        at += 1;
        let bits = if g.one_in(6) { 96 - bits } else { bits };
        let all = if g.one_in(5) { FIRST } else { REST };
        let operation = *g.choose(all);
        match g.rng.u8(..8) {
            0 => {
                let guard = (g.predicate(), g.rng.bool());
                results.push(link(g, operation, bits, Some(guard)));
            }
            1 => {
                // The flag goes through both arms of a branch.
                let to = g.register(bits);
                let before = g.value(bits);
                g.compute("mov", Type::b(bits), to, &[before]);
                let predicate = g.predicate();
                let arm = |g: &mut Generator| {
                    g.nested(|g| {
                        let from = link(g, operation, bits, None).0;
                        g.compute("mov", Type::b(bits), to, &[Operand::Register(from)]);
                    })
                };
                let then = arm(g);
                let otherwise = if g.rng.bool() { arm(g) } else { Vec::new() };
                let negated = g.rng.bool();
                g.statement(What::If { predicate, negated, then, otherwise });
                results.push((to, bits));
            }
            _ => results.push(link(g, operation, bits, None)),
        }
    }
    for (register, bits) in results {
        g.observe(register, Type::b(bits));
        g.current.pool.push(register);
    }
}

fn link(
    g: &mut Generator,
    operation: &'static str,
    bits: u32,
    guard: Option<(Register, bool)>,
) -> (Register, u32) {
    let to = g.register(bits);
    if guard.is_some() {
        let before = g.value(bits);
        g.compute("mov", Type::b(bits), to, &[before]);
    }
    let count = if operation.starts_with("mad") { 3 } else { 2 };
    let arguments = (0..count).map(|_| g.value(bits)).collect();
    let ty = Type { letter: *g.choose(&['u', 's']), bits };
    g.guarded(guard, What::Compute { operation, ty, to, arguments });
    (to, bits)
}
