//! Shared memory of the block under its address in the cluster, which is the block alone.

use super::generate::Generator;
use super::syntax::*;

pub(super) fn episode(g: &mut Generator) {
    let variable = g.place(Space::Shared, Type::b(8), Some(32), 16);
    let new = g.sm >= 90;
    g.alone(|g| {
        for at in 0..4 {
            let from = g.value(64);
            g.store_to(variable, 8 * at, Type::b(64), from);
        }
        let plain = g.register(64);
        g.statement(What::AddressOf { ty: Type::u(64), to: plain, variable, offset: 0 });
        // Other architectures have no clusters, and blocks alone.
        let mapped = if new {
            let to = g.register(64);
            g.statement(What::MapAddress { to, from: plain });
            to
        } else {
            plain
        };
        for _ in 0..g.rng.usize(3..8) {
            access(g, variable, plain, mapped, new);
        }
    });
}

fn access(g: &mut Generator, variable: VariableId, plain: Register, mapped: Register, new: bool) {
    let bits = *g.choose(&[8, 16, 32, 64]);
    let offset = i64::from(g.rng.u32(..64 / bits) * bits / 8);
    let cluster = if new { Space::Cluster } else { Space::Shared };
    let (base, space) = match g.rng.u8(..4) {
        0 => (Base::Variable(variable), Space::Shared),
        // What is an address in the block's own memory is one in the cluster's.
        1 => (Base::Register(plain), cluster),
        _ => (Base::Register(mapped), cluster),
    };
    let (at, ty, space) = (Address { base, offset }, Type::b(bits), Some(space));
    let wide = bits.max(16);
    match g.rng.u8(..5) {
        0 | 1 => {
            let from = Lanes::One(Operand::Register(g.value_register(wide)));
            g.statement(What::Store { qualifier: "", space, ty, from, at });
        }
        2 if bits >= 32 => {
            let (to, arguments) = (g.register(bits), vec![g.value(bits)]);
            let (operation, ty) = ("add", Type::u(bits));
            g.statement(What::Atomic { operation, space, ty, to: Some(to), at, arguments });
            g.observe(to, Type::b(bits));
        }
        _ => {
            let to = g.register(wide);
            let lanes = Lanes::One(Operand::Register(to));
            g.statement(What::Load { qualifier: "", space, ty, to: lanes, at });
            g.observe(to, Type::b(wide));
        }
    }
}
