//! Relaxed, volatile, atomic and asynchronous accesses between plain ones.

use super::generate::Generator;
use super::syntax::*;

const LOADS: &[&str] = &["", "", ".volatile", ".weak", ".relaxed.gpu", ".acquire.gpu", ".relaxed.cta"];
const STORES: &[&str] = &["", "", ".volatile", ".weak", ".relaxed.gpu", ".release.gpu", ".relaxed.sys"];
const FENCES: &[&str] = &["membar.gl", "fence.acq_rel.gpu", "membar.cta", "fence.sc.cta", "nanosleep.u32 20"];

pub(super) fn episode(g: &mut Generator) {
    let space = *g.choose(&[Space::Global, Space::Shared]);
    let variable = g.place(space, Type::b(8), Some(32), 16);
    let copies = if g.sm >= 80 && g.rng.bool() {
        Some((
            g.place(Space::Global, Type::b(8), Some(32), 16),
            g.place(Space::Shared, Type::b(8), Some(32), 16),
        ))
    } else {
        None
    };
    g.alone(|g| {
        for at in 0..4 {
            let from = g.value(64);
            g.store_to(variable, 8 * at, Type::b(64), from);
        }
        for _ in 0..g.rng.usize(3..9) {
            step(g, variable, space);
        }
        if let Some((from, to)) = copies {
            copy(g, from, to);
        }
    });
}

fn step(g: &mut Generator, variable: VariableId, space: Space) {
    let bits = *g.choose(&[32, 64]);
    let offset = i64::from(g.rng.u32(..3) * 8);
    let base = if g.rng.bool() {
        Base::Variable(variable)
    } else {
        let to = g.register(64);
        g.statement(What::AddressOf { ty: Type::u(64), to, variable, offset: 0 });
        Base::Register(to)
    };
    let at = Address { base, offset };
    let space = Some(space);
    match g.rng.u8(..6) {
        0 | 1 => {
            let qualifier = *g.choose(STORES);
            let from = Lanes::One(g.value(bits));
            g.statement(What::Store { qualifier, space, ty: Type::b(bits), from, at });
        }
        2 | 3 => {
            let qualifier = *g.choose(LOADS);
            let register = g.register(bits);
            let to = Lanes::One(Operand::Register(register));
            g.statement(What::Load { qualifier, space, ty: Type::b(bits), to, at });
            g.observe(register, Type::b(bits));
        }
        4 => atomic(g, space, bits, at),
        _ => {
            let fence = *g.choose(FENCES);
            g.statement(What::Plain(fence));
        }
    }
}

fn atomic(g: &mut Generator, space: Option<Space>, bits: u32, at: Address) {
    let operation = *g.choose(&["add", "exch", "cas", "min", "max", "and", "or", "xor"]);
    let letter = match operation {
        "add" => 'u',
        "min" | "max" => *g.choose(&['u', 's']),
        _ => 'b',
    };
    let count = if operation == "cas" { 2 } else { 1 };
    let arguments = (0..count).map(|_| g.value(bits)).collect();
    let no_result = !matches!(operation, "exch" | "cas") && g.rng.bool();
    let to = if no_result { None } else { Some(g.register(bits)) };
    g.statement(What::Atomic { operation, space, ty: Type { letter, bits }, to, at, arguments });
    if let Some(to) = to {
        g.observe(to, Type::b(bits));
    }
}

/// An asynchronous copy between stores to its source and loads of its target.
fn copy(g: &mut Generator, from: VariableId, to: VariableId) {
    for at in 0..4 {
        let value = g.value(64);
        g.store_to(from, 8 * at, Type::b(64), value);
        let value = g.value(64);
        g.store_to(to, 8 * at, Type::b(64), value);
    }
    let bytes = *g.choose(&[4, 8, 16]);
    let source = Address { base: Base::Variable(from), offset: 0 };
    let target = Address { base: Base::Variable(to), offset: i64::from(g.rng.u32(..2) * 16) };
    g.statement(What::AsyncCopy { bytes, to: target, from: source });
    if g.rng.bool() {
        g.statement(What::Plain("cp.async.commit_group"));
        g.statement(What::Plain("cp.async.wait_group 0"));
    } else {
        g.statement(What::Plain("cp.async.wait_all"));
    }
    for at in 0..4 {
        let loaded = g.register(64);
        g.load_from(loaded, to, 8 * at, Type::b(64));
        g.observe(loaded, Type::b(64));
        let value = g.value(64);
        g.store_to(from, 8 * at, Type::b(64), value);
    }
}

/// Copies of many bytes by another engine, into shared memory and out of it, between plain accesses.
pub(super) fn bulk(g: &mut Generator) {
    if g.sm < 90 {
        return episode(g);
    }
    let [from, back] = [0; 2].map(|_| g.place(Space::Global, Type::b(8), Some(32), 16));
    let to = g.place(Space::Shared, Type::b(8), Some(48), 16);
    let barrier = g.place(Space::Shared, Type::b(64), Some(0), 8);
    g.alone(|g| {
        for at in 0..4 {
            for variable in [from, to, back] {
                let value = g.value(64);
                g.store_to(variable, 8 * at, Type::b(64), value);
            }
        }
        let bytes = *g.choose(&[16, 32]);
        let place = |variable, offset| Address { base: Base::Variable(variable), offset };
        let (state, predicate) = (g.register(64), g.register(1));
        let target = place(to, 16 * g.rng.i64(0..2));
        g.statement(What::BulkCopy { bytes, to: target, from: place(from, 0), barrier, state, predicate });
        for at in 0..4 {
            let loaded = g.register(64);
            g.load_from(loaded, to, 8 * at, Type::b(64));
            g.observe(loaded, Type::b(64));
            let (source, value) = (g.rng.bool(), g.value(64));
            g.store_to(if source { from } else { to }, 8 * at, Type::b(64), value);
        }
        if g.rng.bool() {
            g.statement(What::BulkStore { bytes: 16, to: place(back, 16), from: place(to, 0) });
            for at in 1..4 {
                let loaded = g.register(64);
                g.load_from(loaded, back, 8 * at, Type::b(64));
                g.observe(loaded, Type::b(64));
            }
        }
    });
}
